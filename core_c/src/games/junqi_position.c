/* junqi_position.c: how a Position of Siguo Junqi becomes a state (10.6).
 *
 * Position words: verdict, phase, turn, first, steps, quiet_steps; colors given, south's, north's;
 *                 n, seats of 6 words: seat, status, cause, ready, timeouts, offered; n, pieces of 6 words: piece, seat, color,
 *                 type, at, face; offer given, by, n, seats that have accepted;
 *                 kind of last_move (0: none), seat, from, to, outcome, n, path (of a flip: the space).
 */
#include "junqi.h"

/* ==== 10.6 Position =================================================================================================== */

enum { SEAT_WORDS = 6, PIECE_WORDS = 6 };
enum { W_SEAT, W_STATUS, W_CAUSE, W_READY, W_TIMEOUTS, W_OFFERED };
enum { P_PIECE, P_SEAT, P_COLOR, P_TYPE, P_AT, P_FACE };
static const wl_word STEPS_MAX = 1000000;

/* Leaves a note, and says no. */
static int blamed(wl_words *words, int32_t note, wl_word i)
{
    WL_BLAME(words, WL_E_INVALID_POSITION, note, i);
    return 0;
}

/* Check 1 of the entries of `seats`. */
static int read_seats(const junqi_setup *setup, junqi_state *state, wl_words *words)
{
    const wl_word n = wl_next(words);
    const wl_word *entry = wl_next_list(words, n, SEAT_WORDS);
    uint32_t given = 0;

    if (entry == NULL)
        return 0;
    for (wl_word i = 0; i < n; i++, entry += SEAT_WORDS) {
        const int32_t seat = seat_at(setup, entry[W_SEAT]);
        const wl_word status = wl_or_else(entry[W_STATUS], ALIVE);
        const wl_word timeouts = wl_or_else(entry[W_TIMEOUTS], 0);
        const wl_word offered = wl_or_else(entry[W_OFFERED], 0);
        const wl_word ready = wl_or_else(entry[W_READY], 0);
        const int has_cause = entry[W_CAUSE] != WL_WORD_ABSENT;
        seat_state *s;

        if (seat == NONE || (given & wl_bit(seat)) != 0)
            return blamed(words, NOTE_SEAT, i);
        given |= wl_bit(seat);
        if (!wl_between(ALIVE, status, DEFEATED) || has_cause != (status == DEFEATED))
            return blamed(words, NOTE_SEAT, i);
        if (has_cause && !wl_between(0, entry[W_CAUSE], CAUSES - 1))
            return blamed(words, NOTE_SEAT, i);
        if (!wl_between(0, timeouts, status == ALIVE ? setup->max_timeouts - 1 : setup->max_timeouts))
            return blamed(words, NOTE_SEAT, i);
        if (!wl_between(0, offered, 1) || !wl_between(0, ready, 1))
            return blamed(words, NOTE_SEAT, i);
        if (state->phase == LAYOUT && (status != ALIVE || timeouts != 0 || offered != 0))
            return blamed(words, NOTE_SEAT, i);
        if (state->phase == PLAY && entry[W_READY] != WL_WORD_ABSENT)
            return blamed(words, NOTE_SEAT, i);
        s = &state->seats[seat];
        s->status = (uint8_t)status;
        s->cause = (uint8_t)(has_cause ? entry[W_CAUSE] : 0);
        s->timeouts = (uint8_t)timeouts;
        s->offered = (uint8_t)offered;
        s->ready = (uint8_t)ready;
    }
    for (int32_t seat = 0; state->phase == PLAY && seat < setup->n_seats; seat++)
        state->seats[seat].ready = 1;
    return state->phase == PLAY || unready_seats(setup, state) != 0 || blamed(words, NOTE_ALL_READY, 0);
}

/* Check 1 of `phase`, `turn`, `first`, `steps`, `quiet_steps`. */
static int read_course(const junqi_setup *setup, junqi_state *state, wl_words *words)
{
    const wl_word phase = wl_or_else(wl_next(words), PLAY);
    const wl_word turn = wl_next(words);
    const wl_word first = wl_next(words);
    const wl_word steps = wl_or_else(wl_next(words), 0);
    const wl_word quiet_steps = wl_or_else(wl_next(words), 0);

    if (!wl_between(LAYOUT, phase, PLAY) || !wl_between(0, steps, phase == PLAY ? STEPS_MAX : 0) ||
        !wl_between(0, quiet_steps, phase == PLAY ? STEPS_MAX : 0))
        return blamed(words, NOTE_STEPS, 0);
    if (setup->quiet_limit > 0 && quiet_steps >= setup->quiet_limit)
        return blamed(words, NOTE_STEPS, 0);
    state->phase = (uint8_t)phase;
    state->steps = (int32_t)steps;
    state->quiet_steps = (int32_t)quiet_steps;
    state->turn = state->first = NONE;
    if (phase == LAYOUT)
        return (turn == WL_WORD_ABSENT && first == WL_WORD_ABSENT) || blamed(words, NOTE_TURN, 0);
    state->turn = (uint8_t)seat_at(setup, turn);
    state->first = (uint8_t)seat_at(setup, wl_or_else(first, turn));
    state->turns = 1;
    return (state->turn != NONE && state->first != NONE) || blamed(words, NOTE_TURN, 0);
}

static int read_colors(const junqi_setup *setup, junqi_state *state, wl_words *words)
{
    const wl_word given = wl_next(words);
    const wl_word south = wl_next(words);
    const wl_word north = wl_next(words);

    if (given == 0)
        return 1;
    if (setup->mode != FLIP || state->phase != PLAY || !wl_between(RED, south, BLACK) || north != 1 - south)
        return blamed(words, NOTE_COLORS, 0);
    state->colors = south == RED ? SOUTH_IS_RED : SOUTH_IS_BLACK;
    return 1;
}

static int read_offer(const junqi_setup *setup, junqi_state *state, wl_words *words)
{
    const uint32_t alive = alive_seats(setup, state);
    const wl_word given = wl_next(words);
    const int32_t by = seat_at(setup, wl_next(words));
    const wl_word n = wl_next(words);
    const wl_word *accepted = wl_next_list(words, n, 1);

    state->offer_by = NONE;
    if (given == 0 || accepted == NULL)
        return accepted != NULL;
    if (state->phase != PLAY || by == NONE || (alive & wl_bit(by)) == 0)
        return blamed(words, NOTE_OFFER, 0);
    for (wl_word i = 0; i < n; i++) {
        const int32_t seat = seat_at(setup, accepted[i]);
        if (seat == NONE || seat == by || (alive & wl_bit(seat)) == 0 || (state->accepted >> seat & 1) != 0)
            return blamed(words, NOTE_OFFER, 0);
        state->accepted = (uint8_t)(state->accepted | wl_bit(seat));
    }
    state->offer_by = (uint8_t)by;
    return (alive & ~(state->accepted | wl_bit(by))) != 0 || blamed(words, NOTE_OFFER, 0);
}

static int read_last_move(const junqi_setup *setup, junqi_state *state, wl_words *words)
{
    const wl_word kind = wl_next(words);
    const int32_t seat = seat_at(setup, wl_next(words));
    const wl_word from = wl_next(words);
    const wl_word to = wl_next(words);
    const wl_word outcome = wl_or_else(wl_next(words), NO_BATTLE);
    const wl_word n = wl_next(words);
    const wl_word *path = wl_next_list(words, n, 1);

    if (kind == NO_STEP || path == NULL)
        return path != NULL;
    if (state->phase != PLAY || seat == NONE || !wl_between(MOVE_STEP, kind, FLIP_STEP) || n > PATH_MAX)
        return blamed(words, NOTE_LAST_MOVE, 0);
    if (kind == FLIP_STEP && (setup->mode != FLIP || n != 1 || outcome != NO_BATTLE))
        return blamed(words, NOTE_LAST_MOVE, 0);
    if (kind == MOVE_STEP && (n < 2 || path[0] != from || path[n - 1] != to || !wl_between(NO_BATTLE, outcome, BOTH)))
        return blamed(words, NOTE_LAST_MOVE, 0);
    for (wl_word i = 0; i < n; i++) {
        if (!is_active(setup, path[i]))
            return blamed(words, NOTE_LAST_MOVE, 0);
        state->path[i] = (uint8_t)path[i];
    }
    state->last_kind = (uint8_t)kind;
    state->last_seat = (uint8_t)seat;
    state->last_outcome = (uint8_t)outcome;
    state->n_path = (uint8_t)n;
    return 1;
}

/* The army that an entry of `pieces` names. */
static int32_t army_word(const junqi_setup *setup, const wl_word *w)
{
    return setup->mode == FLIP ? (int32_t)w[P_COLOR] : seat_at(setup, w[P_SEAT]);
}

/* Check 1 of an entry of `pieces`. */
static int is_piece(const junqi_setup *setup, const wl_word *w)
{
    if (w[P_AT] == WL_WORD_ABSENT || !wl_between(0, w[P_TYPE], TYPES - 1))
        return 0;
    if (setup->mode == STANDARD)
        return seat_at(setup, w[P_SEAT]) != NONE && w[P_COLOR] == WL_WORD_ABSENT && w[P_FACE] == WL_WORD_ABSENT;
    return w[P_SEAT] == WL_WORD_ABSENT && wl_between(RED, w[P_COLOR], BLACK) && wl_between(0, wl_or_else(w[P_FACE], 0), 1);
}

/* Checks 2 to 5, and the pieces on their spaces. */
static int32_t read_pieces(const junqi_setup *setup, junqi_state *state, wl_words *notes, const wl_word *pieces, wl_word n)
{
    int32_t count[SEATS_MAX][TYPES] = {{0}};
    uint8_t claimed[PIECES + 1] = {0};

    for (wl_word i = 0; i < n; i++)
        if (!is_active(setup, pieces[i * PIECE_WORDS + P_AT]))
            return WL_BLAME(notes, WL_E_UNKNOWN_SPACE, NOTE_PIECE_SPACE, i);
    for (wl_word i = 0; i < n; i++) { /* PIECES: by somebody, who that is comes later */
        const wl_word at = pieces[i * PIECE_WORDS + P_AT];
        if (state->board[at] != EMPTY)
            return WL_BLAME(notes, SPACE_OCCUPIED, NOTE_PIECE_TAKEN, i);
        state->board[at] = PIECES;
    }
    for (wl_word i = 0; i < n; i++) {
        const wl_word *w = pieces + i * PIECE_WORDS;
        if (++count[army_word(setup, w)][w[P_TYPE]] > PIECE_TYPE[w[P_TYPE]].count)
            return WL_BLAME(notes, TOO_MANY_PIECES, NOTE_PIECE_COUNT, i);
    }
    for (wl_word i = 0; i < n; i++) {
        const wl_word *w = pieces + i * PIECE_WORDS;
        const wl_word first = piece_id(army_word(setup, w), (int32_t)w[P_TYPE], 0);
        if (w[P_PIECE] == WL_WORD_ABSENT)
            continue;
        if (!wl_between(first, w[P_PIECE], first + PIECE_TYPE[w[P_TYPE]].count - 1) || claimed[w[P_PIECE]])
            return WL_BLAME(notes, BAD_PIECE_ID, NOTE_PIECE_ID, i);
        claimed[w[P_PIECE]] = 1;
    }
    for (wl_word i = 0; i < n; i++) {
        const wl_word *w = pieces + i * PIECE_WORDS;
        int32_t piece = (int32_t)w[P_PIECE];
        if (w[P_PIECE] == WL_WORD_ABSENT)
            for (piece = piece_id(army_word(setup, w), (int32_t)w[P_TYPE], 0); claimed[piece];)
                piece++;
        claimed[piece] = 1;
        put(state, piece, (int32_t)w[P_AT]);
        if (wl_or_else(w[P_FACE], 0) != 0)
            turn_down(state, (int32_t)w[P_AT]);
        if (setup->mode == FLIP && w[P_TYPE] == MINE)
            state->mines[army_of(piece)]++;
    }
    return WL_OK;
}

/* Checks 6 to 10. */
static int32_t check_armies(const junqi_setup *setup, const junqi_state *state, wl_words *notes)
{
    const uint32_t alive = alive_seats(setup, state);

    if ((alive & team_seats(setup, 0)) == 0 || (alive & team_seats(setup, 1)) == 0)
        return WL_BLAME(notes, TEAM_DEFEATED, NOTE_TEAM, (alive & team_seats(setup, 0)) != 0);
    for (int32_t piece = 1; setup->mode == STANDARD && piece <= ARMY * setup->n_seats; piece++)
        if (state->at[piece] != OFF && (alive & wl_bit(army_of(piece))) == 0)
            return WL_BLAME(notes, DEFEATED_WITH_PIECES, NOTE_OUT_PIECES, ground_of(setup, army_of(piece)), state->at[piece]);
    for (int32_t army = 0; army < setup->n_seats; army++)
        if ((alive & wl_bit(army)) != 0 && state->at[piece_id(army, FLAG, 0)] == OFF)
            return WL_BLAME(notes, FLAG_MISSING, NOTE_FLAG, setup->mode == FLIP ? army : ground_of(setup, army));
    for (int32_t type = FLAG; setup->mode == STANDARD && type < TYPES; type++)
        for (int32_t army = 0; (type == FLAG || type == MINE) && army < setup->n_seats; army++)
            for (int32_t i = 0; i < PIECE_TYPE[type].count; i++) {
                const int32_t space = state->at[piece_id(army, type, i)];
                const int32_t cell = own_cell(setup, army, space);
                if (space != OFF && (cell < 0 || !may_stand(type, cell)))
                    return WL_BLAME(notes, type == FLAG ? FLAG_MISPLACED : MINE_MISPLACED, NOTE_MISPLACED, space);
            }
    return WL_OK;
}

/* Check 11. */
static int32_t check_faces(const junqi_setup *setup, const junqi_state *state, wl_words *notes)
{
    if (setup->mode == STANDARD)
        return WL_OK;
    for (int32_t piece = 1; piece <= 2 * ARMY; piece++)
        if (state->phase == PLAY && state->colors == NO_COLORS && (state->at[piece] == OFF || !is_down(state, state->at[piece])))
            return WL_BLAME(notes, BAD_COLORS, NOTE_COLORS);
    for (int32_t piece = 1; piece <= 2 * ARMY; piece++) {
        const int32_t space = state->at[piece];
        if (space == OFF || (space < PALACES && kind_of(space) != CAMP))
            continue;
        if (is_down(state, space) || !PIECE_TYPE[type_of(piece)].moves)
            return WL_BLAME(notes, PIECE_MISPLACED, NOTE_MISPLACED, space);
    }
    return WL_OK;
}

/* Check 12. */
static int32_t check_layouts(const junqi_setup *setup, const junqi_state *state, wl_words *notes)
{
    for (int32_t piece = 1; piece <= ARMY * setup->n_seats; piece++) {
        const int32_t space = state->at[piece];
        if (space == OFF)
            return WL_BLAME(notes, ILLEGAL_LAYOUT, NOTE_LAYOUT_PIECES, -1);
        if (setup->mode == FLIP) {
            if (!is_down(state, space))
                return WL_BLAME(notes, ILLEGAL_LAYOUT, NOTE_LAYOUT_PIECES, space);
        } else {
            const int32_t cell = own_cell(setup, army_of(piece), space);
            if (cell < 0 || !may_stand(type_of(piece), cell))
                return WL_BLAME(notes, ILLEGAL_LAYOUT, NOTE_LAYOUT_PIECES, space);
        }
    }
    return WL_OK;
}

/* 10.6: the checks in their order; afterwards `state` is that of the Position. */
int32_t junqi_load_position(const junqi_setup *setup, junqi_state *state, wl_words *words)
{
    const wl_word verdict = wl_next(words);
    const wl_word *pieces;
    wl_word n;
    int32_t error;

    if (verdict != 0 || !read_course(setup, state, words) || !read_colors(setup, state, words))
        return WL_E_INVALID_POSITION;
    if (!read_seats(setup, state, words))
        return WL_E_INVALID_POSITION;
    n = wl_next(words);
    pieces = wl_next_list(words, n, PIECE_WORDS);
    for (wl_word i = 0; pieces != NULL && i < n; i++)
        if (!is_piece(setup, pieces + i * PIECE_WORDS))
            return WL_BLAME(words, WL_E_INVALID_POSITION, NOTE_PIECE, i);
    if (pieces == NULL || !read_offer(setup, state, words) || !read_last_move(setup, state, words) || words->overrun)
        return WL_E_INVALID_POSITION;
    clear_board(setup, state);
    error = read_pieces(setup, state, words, pieces, n);
    if (error == WL_OK)
        error = check_armies(setup, state, words);
    if (error == WL_OK)
        error = check_faces(setup, state, words);
    if (error == WL_OK && state->phase == LAYOUT)
        error = check_layouts(setup, state, words);
    if (error != WL_OK || state->phase == LAYOUT)
        return error;
    if (state->seats[state->turn].status == DEFEATED)
        return WL_BLAME(words, BAD_TURN, NOTE_TURN_OUT);
    return has_move(setup, state, state->turn) || has_face_down(state) ? WL_OK : WL_BLAME(words, NO_LEGAL_MOVE, NOTE_NO_MOVE);
}
