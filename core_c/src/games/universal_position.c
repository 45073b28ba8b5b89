/* universal_position.c: how a Position of Universal Chess becomes a state (10).
 *
 * Position words: verdict, promotions, breedings_left, quiet, next_id; turn given, its seat, number, freeze_used,
 *                 sacrifice given, moves_left, moved, draw_offered, progress; draw_offer given, by; n, seats that accepted;
 *                 n, pieces of 9 words; n, dead of (id, kind, seat); n, out of (seat, reason, turn);
 *                 area given, n, and per seat: seat, n, spaces.
 */
#include "universal.h"

/* ==== 10. Position ================================================================================================== */

enum { PIECE_WORDS = 9, DEAD_WORDS = 3, OUT_WORDS = 3 };
enum { W_ID, W_KIND, W_SEAT, W_SPACE, W_CONQUERING, W_FROZEN, W_ORIGIN, W_HOLDS, W_MERITS };
enum { W_OUT_SEAT, W_OUT_REASON, W_OUT_TURN };

/* The Position words, found but not judged; afterwards with its defaults. */
typedef struct position {
    wl_word promotions, breedings_left, quiet, next_id;
    wl_word has_turn, seat, number, freeze_used, has_sacrifice, moves_left, moved, draw_offered, progress;
    wl_word has_offer, by;
    wl_word n_accepted, n_pieces, n_dead, n_out, has_area, n_areas;
    const wl_word *accepted, *pieces, *dead, *out;
    wl_words areas;
    wl_words *notes;
    uint32_t in;                /* the seats that are not out */
    spaces area[SEATS_MAX];
    uint8_t row_of[IDS];        /* id -> 1 + its place in `pieces`, if that is below 255; ids are unique, so it is */
} position;

static int is_flag(wl_word word) { return word == 1 || word == WL_WORD_ABSENT; }
static int is_seat(wl_word word) { return wl_between(0, word, SEATS_MAX - 1); }
static int is_kind(wl_word word) { return wl_between(0, word, KINDS - 1); }

static const wl_word *piece_words(const position *p, wl_word i) { return p->pieces + i * PIECE_WORDS; }

/* for (each entry of `area`): its seat, its spaces. Returns 0 past the end or if the words are not there. */
static int next_area(wl_words *words, wl_word *seat, wl_word *n, const wl_word **list)
{
    *seat = wl_next(words);
    *n = wl_next(words);
    *list = wl_next_list(words, *n, 1);
    return !words->overrun;
}

static void find_words(position *p, wl_words *words)
{
    memset(p, 0, sizeof *p);
    p->notes = words;
    p->promotions = wl_or_else(wl_next(words), 0);
    p->breedings_left = wl_next(words);
    p->quiet = wl_or_else(wl_next(words), 0);
    p->next_id = wl_next(words);
    p->has_turn = wl_next(words);
    p->seat = wl_next(words);
    p->number = wl_next(words);
    p->freeze_used = wl_next(words);
    p->has_sacrifice = wl_next(words);
    p->moves_left = wl_next(words);
    p->moved = wl_next(words);
    p->draw_offered = wl_next(words);
    p->progress = wl_next(words);
    p->has_offer = wl_next(words);
    p->by = wl_next(words);
    p->n_accepted = wl_next(words);
    p->accepted = wl_next_list(words, p->n_accepted, 1);
    p->n_pieces = wl_next(words);
    p->pieces = wl_next_list(words, p->n_pieces, PIECE_WORDS);
    p->n_dead = wl_next(words);
    p->dead = wl_next_list(words, p->n_dead, DEAD_WORDS);
    p->n_out = wl_next(words);
    p->out = wl_next_list(words, p->n_out, OUT_WORDS);
    p->has_area = wl_next(words);
    p->n_areas = wl_next(words);
    p->areas = *words;
}

/* Rows of the table FIELDS of codecs/universal_explain.py. */
enum { F_PROMOTIONS, F_BREEDINGS_LEFT, F_QUIET, F_NEXT_ID, F_TURN, F_TURN_FLAGS, F_OFFER, F_ACCEPTED, F_DEAD, F_AREA };

#define BAD_FIELD(words, field) WL_BLAME(words, WL_E_INVALID_POSITION, NOTE_FIELD, field)

static int is_piece(const universal_setup *setup, const wl_word *w)
{
    if (!is_kind(w[W_KIND]) || !is_seat(w[W_SEAT]) || !wl_between(0, w[W_SPACE], SPACES - 1) || !is_flag(w[W_FROZEN]))
        return 0;
    if (w[W_ORIGIN] != WL_WORD_ABSENT && !is_seat(w[W_ORIGIN]))
        return 0;
    return w[W_MERITS] == WL_WORD_ABSENT || (setup->veterans && wl_between(0, w[W_MERITS], MERITS_MAX));
}

/* invalid_position: what the codec leaves to be judged here. */
static int32_t check_shape(const universal_setup *setup, position *p, wl_words *words)
{
    wl_words areas;
    wl_word seat, n;
    const wl_word *list;

    if (wl_next(words) != 0) /* the codec's verdict */
        return WL_E_INVALID_POSITION;
    find_words(p, words);
    if (words->overrun || p->n_areas < 0)
        return WL_E_INVALID_POSITION;
    p->breedings_left = wl_or_else(p->breedings_left, setup->breeding_limit);
    if (!wl_between(0, p->promotions, PROMOTIONS_MAX))
        return BAD_FIELD(words, F_PROMOTIONS);
    if (!wl_between(0, p->breedings_left, BREEDINGS_MAX))
        return BAD_FIELD(words, F_BREEDINGS_LEFT);
    if (!wl_between(0, p->quiet, QUIET_MAX))
        return BAD_FIELD(words, F_QUIET);
    if (p->next_id != WL_WORD_ABSENT && !wl_between(FIRST_NEW_ID, p->next_id, IDS))
        return BAD_FIELD(words, F_NEXT_ID);
    if (p->has_turn && (!is_seat(p->seat) || !wl_between(1, p->number, NUMBER_MAX)))
        return BAD_FIELD(words, F_TURN);
    if (!is_flag(p->freeze_used) || !is_flag(p->draw_offered) || !is_flag(p->progress))
        return BAD_FIELD(words, F_TURN_FLAGS);
    if (p->has_offer && !is_seat(p->by))
        return BAD_FIELD(words, F_OFFER);
    for (wl_word i = 0; i < p->n_accepted; i++)
        if (!is_seat(p->accepted[i]))
            return BAD_FIELD(words, F_ACCEPTED);
    for (wl_word i = 0; i < p->n_pieces; i++)
        if (!is_piece(setup, piece_words(p, i)))
            return WL_BLAME(words, WL_E_INVALID_POSITION,
                            piece_words(p, i)[W_MERITS] != WL_WORD_ABSENT && !setup->veterans ? NOTE_MERITS : NOTE_PIECE, i);
    for (wl_word i = 0; i < p->n_dead; i++)
        if (!is_kind(p->dead[i * DEAD_WORDS + W_KIND]) || !is_seat(p->dead[i * DEAD_WORDS + W_SEAT]))
            return BAD_FIELD(words, F_DEAD);
    for (wl_word i = 0; i < p->n_out; i++) {
        const wl_word *w = p->out + i * OUT_WORDS;
        if (!is_seat(w[W_OUT_SEAT]) || !wl_between(BY_MIGHTY, wl_or_else(w[W_OUT_REASON], BY_RESIGNATION), BY_TIMEOUT))
            return WL_BLAME(words, WL_E_INVALID_POSITION, NOTE_OUT, i);
        if (!wl_between(0, wl_or_else(w[W_OUT_TURN], 0), NUMBER_MAX))
            return WL_BLAME(words, WL_E_INVALID_POSITION, NOTE_OUT, i);
    }
    areas = p->areas;
    for (wl_word i = 0; i < p->n_areas; i++) {
        if (!next_area(&areas, &seat, &n, &list) || !is_seat(seat))
            return BAD_FIELD(words, F_AREA);
        for (wl_word k = 0; k < n; k++)
            if (!wl_between(0, list[k], SPACES - 1))
                return BAD_FIELD(words, F_AREA);
    }
    return WL_OK;
}

static int32_t check_position_seats(const universal_setup *setup, position *p)
{
    const uint32_t plays = setup->plays;
    wl_words areas = p->areas;
    wl_word seat, n;
    const wl_word *list;

    p->in = plays;
    for (wl_word i = 0; i < p->n_out; i++) {
        const uint32_t bit = wl_bit((int32_t)p->out[i * OUT_WORDS + W_OUT_SEAT]);
        if ((p->in & bit) == 0) /* does not play, or twice */
            return WL_BLAME(p->notes, POSITION_BAD_SEAT, NOTE_OUT_SEAT, i);
        p->in &= ~bit;
    }
    for (wl_word i = 0; i < p->n_pieces; i++) {
        const wl_word *w = piece_words(p, i);
        if ((p->in >> w[W_SEAT] & 1) == 0 || (w[W_ORIGIN] != WL_WORD_ABSENT && (plays >> w[W_ORIGIN] & 1) == 0))
            return WL_BLAME(p->notes, POSITION_BAD_SEAT, NOTE_PIECE_SEAT, i);
    }
    for (wl_word i = 0; i < p->n_dead; i++)
        if ((p->in >> p->dead[i * DEAD_WORDS + W_SEAT] & 1) == 0)
            return WL_BLAME(p->notes, POSITION_BAD_SEAT, NOTE_DEAD_SEAT, i);
    for (wl_word i = 0; i < p->n_areas && next_area(&areas, &seat, &n, &list); i++)
        if ((plays >> seat & 1) == 0 || (n > 0 && (p->in >> seat & 1) == 0))
            return WL_BLAME(p->notes, POSITION_BAD_SEAT, NOTE_AREA_SEAT, seat);
    if (p->has_turn && (plays >> p->seat & 1) == 0)
        return WL_BLAME(p->notes, POSITION_BAD_SEAT, NOTE_TURN_SEAT);
    if (p->has_offer && (plays >> p->by & 1) == 0)
        return WL_BLAME(p->notes, POSITION_BAD_SEAT, NOTE_OFFER_SEAT);
    for (wl_word i = 0; i < p->n_accepted; i++)
        if ((plays >> p->accepted[i] & 1) == 0)
            return WL_BLAME(p->notes, POSITION_BAD_SEAT, NOTE_OFFER_SEAT);
    return WL_OK;
}

static int32_t check_position_ids(position *p)
{
    uint8_t used[IDS] = {0};
    wl_word greatest = FIRST_NEW_ID - 1;

    for (wl_word i = 0; i < p->n_pieces + p->n_dead; i++) {
        const wl_word id = i < p->n_pieces ? piece_words(p, i)[W_ID] : p->dead[(i - p->n_pieces) * DEAD_WORDS + W_ID];
        if (!wl_between(1, id, IDS - 1) || used[id]++)
            return i < p->n_pieces ? WL_BLAME(p->notes, POSITION_BAD_ID, NOTE_PIECE_ID, i, IDS - 1)
                                   : WL_BLAME(p->notes, POSITION_BAD_ID, NOTE_DEAD_ID, i - p->n_pieces, IDS - 1);
        if (i < p->n_pieces)
            p->row_of[id] = (uint8_t)(i + 1);
        greatest = id > greatest ? id : greatest;
    }
    p->next_id = wl_or_else(p->next_id, greatest + 1);
    return greatest < p->next_id ? WL_OK : WL_BLAME(p->notes, POSITION_BAD_ID, NOTE_NEXT_ID, greatest + 1);
}

static int32_t check_position_pieces(const universal_setup *setup, const position *p)
{
    spaces taken = {{0}};
    int32_t mighties[SEATS_MAX] = {0};

    for (wl_word i = 0; i < p->n_pieces; i++) {
        const int32_t space = (int32_t)piece_words(p, i)[W_SPACE];
        if (WL_HAS(&taken, space))
            return WL_BLAME(p->notes, POSITION_OCCUPIED, NOTE_PIECE_SPACE, i);
        WL_ADD(&taken, space);
    }
    for (wl_word i = 0; i < p->n_pieces; i++)
        if (piece_words(p, i)[W_KIND] == PSIONIC && !setup->psionics)
            return WL_BLAME(p->notes, POSITION_BAD_KIND, NOTE_PIECE_KIND, i);
    for (wl_word i = 0; i < p->n_dead; i++) {
        const wl_word kind = p->dead[i * DEAD_WORDS + W_KIND];
        if (kind == MIGHTY || (kind == PSIONIC && !setup->psionics))
            return WL_BLAME(p->notes, POSITION_BAD_KIND, NOTE_DEAD_KIND, i);
    }
    for (wl_word i = 0; i < p->n_pieces; i++)
        mighties[piece_words(p, i)[W_SEAT]] += piece_words(p, i)[W_KIND] == MIGHTY;
    for (int32_t seat = 0; seat < SEATS_MAX; seat++)
        if ((p->in >> seat & 1) && mighties[seat] != 1)
            return WL_BLAME(p->notes, POSITION_BAD_MIGHTY, NOTE_MIGHTY, seat, mighties[seat]);
    return WL_OK;
}

static int32_t check_position_area(position *p)
{
    spaces owned = {{0}};
    wl_words areas = p->areas;
    wl_word seat, n;
    const wl_word *list;

    if (!p->has_area) {
        give_regions(p->area, p->in);
        return WL_OK;
    }
    for (wl_word i = 0; i < p->n_areas && next_area(&areas, &seat, &n, &list); i++)
        for (wl_word k = 0; k < n; k++) {
            if (WL_HAS(&owned, (int32_t)list[k]))
                return WL_BLAME(p->notes, POSITION_BAD_AREA, NOTE_AREA_SPACE, seat, k);
            WL_ADD(&owned, (int32_t)list[k]);
            WL_ADD(&p->area[seat], (int32_t)list[k]);
        }
    for (int32_t s = 0; s < SEATS_MAX; s++)
        if ((p->in >> s & 1) && WL_IS_EMPTY(&p->area[s]))
            return WL_BLAME(p->notes, POSITION_BAD_AREA, NOTE_AREA_EMPTY, s);
    return WL_OK;
}

static int32_t check_position_conquests(const universal_setup *setup, const position *p)
{
    for (wl_word i = 0; i < p->n_pieces; i++) {
        const wl_word *w = piece_words(p, i);
        if (w[W_CONQUERING] == WL_WORD_ABSENT)
            continue;
        if (!wl_between(1, w[W_CONQUERING], CONQUEST_TURNS_MAX))
            return WL_BLAME(p->notes, POSITION_BAD_CONQUEST, NOTE_CONQUEST, i, CONQUEST_TURNS_MAX);
        for (int32_t seat = 0; seat < SEATS_MAX; seat++)
            if ((setup->side[w[W_SEAT]] >> seat & 1) && WL_HAS(&p->area[seat], (int32_t)w[W_SPACE]))
                return WL_BLAME(p->notes, POSITION_BAD_CONQUEST, NOTE_CONQUEST, i, 0);
    }
    return WL_OK;
}

static int32_t check_position_thralls(const position *p)
{
    uint8_t holders[IDS] = {0};

    for (wl_word i = 0; i < p->n_pieces; i++) {
        const wl_word *w = piece_words(p, i);
        if (w[W_ORIGIN] != WL_WORD_ABSENT) {
            if (!is_seizable((int32_t)w[W_KIND]) || w[W_ORIGIN] == w[W_SEAT] || (p->in >> w[W_ORIGIN] & 1) == 0)
                return WL_BLAME(p->notes, POSITION_BAD_THRALL, NOTE_THRALL, i);
        }
        if (w[W_HOLDS] != WL_WORD_ABSENT) {
            const wl_word *held;
            if (w[W_KIND] != PSIONIC || !wl_between(1, w[W_HOLDS], IDS - 1) || p->row_of[w[W_HOLDS]] == 0)
                return WL_BLAME(p->notes, POSITION_BAD_THRALL, NOTE_HOLDS, i);
            held = piece_words(p, p->row_of[w[W_HOLDS]] - 1);
            if (held[W_SEAT] != w[W_SEAT] || held[W_ORIGIN] == WL_WORD_ABSENT)
                return WL_BLAME(p->notes, POSITION_BAD_THRALL, NOTE_HOLDS, i);
            holders[w[W_HOLDS]]++;
        }
    }
    for (wl_word i = 0; i < p->n_pieces; i++)
        if (piece_words(p, i)[W_ORIGIN] != WL_WORD_ABSENT && holders[piece_words(p, i)[W_ID]] != 1)
            return WL_BLAME(p->notes, POSITION_BAD_THRALL, NOTE_UNHELD, i);
    return WL_OK;
}

static int32_t check_position_turn(const position *p)
{
    if (!p->has_turn)
        return WL_OK;
    if ((p->in >> p->seat & 1) == 0 || (p->freeze_used == 1 && p->seat != BALANCE))
        return WL_BLAME(p->notes, POSITION_BAD_TURN, NOTE_TURN);
    if (!p->has_sacrifice)
        return WL_OK;
    if (p->seat != GOOD || !wl_between(1, p->moves_left, 2) || (p->moved == WL_WORD_ABSENT) != (p->moves_left == 2))
        return WL_BLAME(p->notes, POSITION_BAD_TURN, NOTE_TURN);
    if (p->moves_left == 2)
        return WL_OK;
    if (!wl_between(1, p->moved, IDS - 1) || p->row_of[p->moved] == 0)
        return WL_BLAME(p->notes, POSITION_BAD_TURN, NOTE_TURN);
    return piece_words(p, p->row_of[p->moved] - 1)[W_SEAT] == p->seat ? WL_OK
                                                                              : WL_BLAME(p->notes, POSITION_BAD_TURN, NOTE_TURN);
}

static int32_t check_position_offer(const position *p)
{
    uint32_t accepted = 0;

    if (!p->has_offer)
        return WL_OK;
    if ((p->in >> p->by & 1) == 0)
        return WL_BLAME(p->notes, POSITION_BAD_OFFER, NOTE_OFFER);
    for (wl_word i = 0; i < p->n_accepted; i++) {
        const uint32_t bit = wl_bit((int32_t)p->accepted[i]);
        if (p->accepted[i] == p->by || (p->in & bit) == 0 || (accepted & bit) != 0)
            return WL_BLAME(p->notes, POSITION_BAD_OFFER, NOTE_OFFER);
        accepted |= bit;
    }
    return (p->in & ~wl_bit((int32_t)p->by) & ~accepted) == 0 ? WL_BLAME(p->notes, POSITION_BAD_OFFER, NOTE_OFFER) : WL_OK;
}

/* The rows of the table, in order. */
static int32_t check_position(const universal_setup *setup, position *p, wl_words *words)
{
    int32_t error = check_shape(setup, p, words);

    if (error == WL_OK)
        error = check_position_seats(setup, p);
    if (error == WL_OK)
        error = check_position_ids(p);
    if (error == WL_OK)
        error = check_position_pieces(setup, p);
    if (error == WL_OK)
        error = check_position_area(p);
    if (error == WL_OK)
        error = check_position_conquests(setup, p);
    if (error == WL_OK)
        error = check_position_thralls(p);
    if (error == WL_OK)
        error = check_position_turn(p);
    if (error == WL_OK)
        error = check_position_offer(p);
    if (error != WL_OK)
        return error;
    return two_sides_are_in(setup, p->in) ? WL_OK : WL_BLAME(words, POSITION_OVER, NOTE_OVER);
}

static void position_turn(universal_state *state, const universal_setup *setup, const position *p, int32_t first)
{
    if (!p->has_turn) {
        state->seat = (uint8_t)(p->in >> first & 1 ? first : next_seat(setup, state, first));
        state->number = 1;
        return;
    }
    state->seat = (uint8_t)p->seat;
    state->number = (int32_t)p->number;
    state->freeze_used = p->freeze_used == 1;
    state->draw_offered = p->draw_offered == 1;
    state->progress = p->progress == 1;
    if (p->has_sacrifice) {
        state->moves_left = (uint8_t)p->moves_left;
        state->moved = (uint8_t)wl_or_else(p->moved, 0);
    }
}

/* A checked Position becomes the state. */
static void position_start(universal_state *state, const universal_setup *setup, const position *p, int32_t first)
{
    state->next_id = (uint16_t)p->next_id;
    /* Ranges hold for absent factions too, but their values are ignored. */
    state->promotions = (uint16_t)(setup->plays >> MAJORA & 1 ? p->promotions : 0);
    state->breedings_left = (uint8_t)(setup->plays >> CHAOS & 1 ? p->breedings_left : setup->breeding_limit);
    state->quiet = (uint16_t)p->quiet;
    state->in = (uint8_t)p->in;
    memcpy(state->area, p->area, sizeof state->area);
    for (wl_word i = 0; i < p->n_pieces; i++) {
        const wl_word *w = piece_words(p, i);
        state->pieces[w[W_ID]] = (piece){
            .kind = (uint8_t)w[W_KIND],
            .seat = (uint8_t)w[W_SEAT],
            .conquering = (uint8_t)wl_or_else(w[W_CONQUERING], 0),
            .frozen = w[W_FROZEN] == 1,
            .merits = (uint8_t)wl_or_else(w[W_MERITS], 0),
            .origin = (uint8_t)wl_or_else(w[W_ORIGIN], NOBODY),
            .holds = (uint8_t)wl_or_else(w[W_HOLDS], 0),
        };
        put_piece(state, (int32_t)w[W_ID], (int32_t)w[W_SPACE]);
    }
    for (wl_word i = 0; i < p->n_dead; i++) {
        const wl_word *w = p->dead + i * DEAD_WORDS;
        state->pieces[w[W_ID]] =
            (piece){.where = DEAD, .kind = (uint8_t)w[W_KIND], .seat = (uint8_t)w[W_SEAT], .origin = NOBODY};
        WL_ADD(&state->dead, (int32_t)w[W_ID]);
    }
    for (wl_word i = 0; i < p->n_out; i++) {
        const wl_word *w = p->out + i * OUT_WORDS;
        state->out[state->n_out++] = (out_row){
            (int32_t)wl_or_else(w[W_OUT_TURN], 0),
            (uint8_t)w[W_OUT_SEAT],
            (uint8_t)wl_or_else(w[W_OUT_REASON], BY_RESIGNATION),
            {0},
        };
    }
    state->offer_by = NOBODY;
    if (p->has_offer) {
        state->offer_by = (uint8_t)p->by;
        for (wl_word i = 0; i < p->n_accepted; i++)
            state->offer_accepted = (uint8_t)(state->offer_accepted | wl_bit((int32_t)p->accepted[i]));
    }
    position_turn(state, setup, p, first);
}

int32_t universal_load_position(const universal_setup *setup, universal_state *state, int32_t first, wl_words *words)
{
    position p;
    const int32_t error = check_position(setup, &p, words);

    if (error == WL_OK)
        position_start(state, setup, &p, first);
    return error;
}
