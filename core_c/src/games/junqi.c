/* junqi.c: Siguo Junqi, by the rule book warlog_core/rules/junqi.md. Section numbers are the book's. Entry points: junqi_check
 * (is an action legal?), junqi_apply, junqi_observe (what each seat sees) and the others of the table JUNQI at the end (WL_PARTS
 * of ../game.h); what they use stands above them.
 *
 * Spaces have the book's index (junqi_board.h), so that the canonical order is the numeric one. Seats are numbered by their
 * place in the match; in option and Position words by their place in `south, east, north, west`. Piece types, causes and
 * reasons are rows of the book's lists.
 *
 * Option words:   verdict (1: malformed), mode, players, wings, open_allies, move_seconds, max_timeouts, flee_seconds,
 *                 min_steps_draw, min_steps_resign, min_steps_score, quiet_limit, mines_guard_flag, win_points, flee_factor,
 *                 doubling_from_level, stake, gold_cap; 4 scores; 4 balances; layouts given, and with them for each of the
 *                 4 seats: n (or absent), n types.
 * Position words: see junqi_position.c.
 * Explanations:   of actions at junqi_explain, of options and Positions at the enum NOTE of junqi.h;
 *                 codecs/junqi_explain.py reads them.
 */
#include "junqi.h"

/* ==== 3. Pieces ===================================================================================================== */

/* 3.2. */
static int32_t outcome_of(int32_t attacker, int32_t defender)
{
    const int32_t a = PIECE_TYPE[attacker].rank;
    const int32_t d = PIECE_TYPE[defender].rank;

    if (attacker == BOMB || defender == BOMB)
        return BOTH;
    if (defender == FLAG)
        return ATTACKER;
    if (defender == MINE)
        return attacker == ENGINEER ? ATTACKER : DEFENDER;
    return a > d ? ATTACKER : a < d ? DEFENDER : BOTH;
}

/* ==== 5. State ====================================================================================================== */

/* What a viewer may know: the same struct, and what is derived. Lost pieces are by id, as occupants (10.4). */
typedef struct junqi_view {
    int64_t delta[SEATS_MAX], after[SEATS_MAX], paid[SEATS_MAX], received[SEATS_MAX], house; /* the settlement */
    int32_t viewer;
    uint32_t to_act;
    uint8_t has_settlement, n_lost, zero_[2];
    uint8_t level[SEATS_MAX], count[SEATS_MAX], flag_revealed[SEATS_MAX];
    uint8_t lost[PIECES];
    uint8_t zero2_[4];
    junqi_state state;
} junqi_view;
_Static_assert(offsetof(junqi_view, state) == 264, "no hidden padding");

static const wl_field SETUP_FIELDS[] = {
    WL_ARRAY(junqi_setup, scores),
    WL_FIELD(junqi_setup, stake),
    WL_FIELD(junqi_setup, multiplier),
    WL_FIELD(junqi_setup, gold_multiplier),
    WL_FIELD(junqi_setup, move_seconds),
    WL_FIELD(junqi_setup, max_timeouts),
    WL_FIELD(junqi_setup, min_steps_draw),
    WL_FIELD(junqi_setup, min_steps_resign),
    WL_FIELD(junqi_setup, min_steps_score),
    WL_FIELD(junqi_setup, quiet_limit),
    WL_FIELD(junqi_setup, win_points),
    WL_FIELD(junqi_setup, flee_factor),
    WL_FIELD(junqi_setup, mode),
    WL_FIELD(junqi_setup, n_seats),
    WL_FIELD(junqi_setup, closed),
    WL_FIELD(junqi_setup, open_allies),
    WL_FIELD(junqi_setup, mines_guard_flag),
    WL_FIELDS_END,
};

static const wl_field SEAT_FIELDS[] = {
    WL_FIELD(seat_state, status),   WL_FIELD(seat_state, cause),   WL_FIELD(seat_state, ready),
    WL_FIELD(seat_state, timeouts), WL_FIELD(seat_state, offered), WL_FIELDS_END,
};

static const wl_field STATE_LAYOUT[] = {
    WL_FIELD(junqi_state, turns),
    WL_FIELD(junqi_state, steps),
    WL_FIELD(junqi_state, quiet_steps),
    WL_FIELD(junqi_state, phase),
    WL_FIELD(junqi_state, turn),
    WL_FIELD(junqi_state, first),
    WL_FIELD(junqi_state, reason),
    WL_FIELD(junqi_state, winners),
    WL_FIELD(junqi_state, colors),
    WL_FIELD(junqi_state, offer_by),
    WL_FIELD(junqi_state, accepted),
    WL_ARRAY(junqi_state, mines),
    WL_FIELD(junqi_state, last_kind),
    WL_FIELD(junqi_state, last_seat),
    WL_FIELD(junqi_state, last_outcome),
    WL_FIELD(junqi_state, n_path),
    WL_FIELD(junqi_state, veiled),
    WL_ARRAY(junqi_state, down),
    WL_ALL_ROWS(junqi_state, seats, SEAT_FIELDS),
    WL_ARRAY(junqi_state, at),
    WL_ARRAY(junqi_state, board),
    WL_COUNTED(junqi_state, path, n_path),
    WL_COUNTED(junqi_state, lost, veiled),
    WL_FIELDS_END,
};

static const wl_field VIEW_LAYOUT[] = {
    WL_ARRAY(junqi_view, delta),
    WL_ARRAY(junqi_view, after),
    WL_ARRAY(junqi_view, paid),
    WL_ARRAY(junqi_view, received),
    WL_FIELD(junqi_view, house),
    WL_FIELD(junqi_view, viewer),
    WL_FIELD(junqi_view, to_act),
    WL_FIELD(junqi_view, has_settlement),
    WL_FIELD(junqi_view, n_lost),
    WL_ARRAY(junqi_view, level),
    WL_ARRAY(junqi_view, count),
    WL_ARRAY(junqi_view, flag_revealed),
    WL_COUNTED(junqi_view, lost, n_lost),
    WL_FIELDS_END,
};

/* ==== Names ========================================================================================================= */

static const char *const SEATS[] = {"south", "east", "north", "west", NULL};
static const char *const PHASE_NAMES[] = {"layout", "play", "over", NULL};
static const char *const REASON_NAMES[] = {
    "flag_captured", "no_moves", "last_piece", "timeout", "resigned", "fled", "draw_agreed", "quiet_limit", "aborted", NULL,
};

WL_ACTION_TYPES(ACTION_ROWS);

/* Effects (10.5): X(constant, name, field ...). */
#define EFFECT_ROWS(X)                                                                                                \
    X(E_SWAP, swap, WL_SPACE(a), WL_SPACE(b))                                                                         \
    X(E_LAYOUT, layout, WL_SEAT(seat))                                                                                \
    X(E_READY, ready, WL_SEAT(seat))                                                                                  \
    X(E_START, start, WL_SEAT(seat))                                                                                  \
    X(E_OFFER_CANCELLED, offer_cancelled, WL_SEAT(seat))                                                              \
    X(E_MOVE, move, WL_SEAT(seat), WL_SPACE(from), WL_SPACE(to), WL_MANY(space, path))                                \
    X(E_FLIP, flip, WL_SEAT(seat), WL_SPACE(at), WL_OF(color, color), WL_OF(type, kind))                              \
    X(E_COLORS, colors, WL_OF(color, south), WL_OF(color, north))                                                     \
    X(E_BATTLE, battle, WL_SPACE(at), WL_SEAT(attacker), WL_SEAT(defender), WL_OF(outcome, outcome))                  \
    X(E_LOST, lost, WL_SEAT(seat), WL_MAYBE(color, color), WL_SPACE(at), WL_MAYBE(piece, piece),                      \
      WL_MAYBE(type, kind))                                                                                           \
    X(E_REVEAL_FLAG, reveal_flag, WL_SEAT(seat), WL_SPACE(at))                                                        \
    X(E_TIMEOUT, timeout, WL_SEAT(seat), WL_NUMBER(timeouts))                                                         \
    X(E_DEFEAT, defeat, WL_SEAT(seat), WL_OF(cause, cause))                                                           \
    X(E_ARMY_REMOVED, army_removed, WL_SEAT(seat), WL_MANY(space, spaces))                                            \
    X(E_OFFER, offer, WL_SEAT(seat))                                                                                  \
    X(E_ACCEPT, accept, WL_SEAT(seat))                                                                                \
    X(E_DECLINE, decline, WL_SEAT(seat))                                                                              \
    X(E_TURN, turn, WL_SEAT(seat))                                                                                    \
    X(E_END, end, WL_OF(seats, winners), WL_OF(reason, reason))
WL_EFFECTS(EFFECT_ROWS);

static const char *const ERROR_NAMES[] = WL_ERROR_NAMES(ERRORS);

/* ==== Seats, armies and spaces ======================================================================================= */

/* A piece leaves the board for good. */
static void lose(const junqi_setup *setup, junqi_state *state, int32_t piece)
{
    if (setup->mode == FLIP && type_of(piece) == MINE)
        state->mines[army_of(piece)]--;
    state->at[piece] = OFF;
}

/* How many pieces of this army and type a view shows without their ids. */
static int32_t known_without_id(const junqi_state *state, int32_t army, int32_t type)
{
    int32_t n = 0;

    for (int32_t space = 0; space < SPACES; space++)
        n += state->board[space] == KNOWN + TYPES * army + type;
    return n;
}

/* Is the one piece that the army has of this type known to be on the board? */
static int stands(const junqi_state *state, int32_t army, int32_t type)
{
    return state->at[piece_id(army, type, 0)] != OFF || (state->veiled && known_without_id(state, army, type) > 0);
}

/* 5: a revealed flag. */
static int flag_is_revealed(const junqi_setup *setup, const junqi_state *state, int32_t army)
{
    return setup->mode == STANDARD && stands(state, army, FLAG) && !stands(state, army, FIELD_MARSHAL);
}

/* How a seat's pieces meet what may stand on a space: `check_target`, prepared for many questions. */
enum { SHUT, OPEN, ENEMY };
typedef struct meeting {
    uint8_t with[WALL + 1]; /* by occupant */
} meeting;

static void prepare(const junqi_setup *setup, const junqi_state *state, int32_t seat, meeting *m)
{
    memset(m->with, SHUT, sizeof m->with);
    m->with[EMPTY] = OPEN;
    for (int32_t army = 0; army < setup->n_seats; army++) {
        if (team_of(across(setup, state, army)) == team_of(seat))
            continue;
        memset(m->with + piece_id(army, FLAG, 0), ENEMY, ARMY);
        memset(m->with + KNOWN + TYPES * army, ENEMY, TYPES);
        m->with[SECRET + army] = ENEMY;
        if (setup->mode == FLIP && is_guarded(setup, state, piece_id(army, FLAG, 0)))
            m->with[piece_id(army, FLAG, 0)] = m->with[KNOWN + TYPES * army + FLAG] = SHUT;
    }
}

static inline int may_enter(const meeting *m, const junqi_state *state, int32_t space)
{
    const int32_t met = m->with[state->board[space]];
    return met == OPEN || (met == ENEMY && kind_of(space) != CAMP && !is_down(state, space));
}

/* ==== 3.1 Movement =================================================================================================== */

typedef WL_SET(SPACES) spaces;

/* Over railway edges through empty spaces: how far each space is from `from`, plus 1; 0: not reached. Spaces that are not
 * empty are ends. Nothing farther than `to` is looked at. */
static void free_run(const junqi_state *state, int32_t from, int32_t to, uint8_t far[SPACES])
{
    uint8_t queue[SPACES];
    int32_t n = 0;

    memset(far, 0, SPACES);
    far[from] = 1;
    queue[n++] = (uint8_t)from;
    for (int32_t i = 0; i < n && far[to] == 0; i++)
        for (const uint8_t *next = RAILS[queue[i]]; *next != EDGE; next++)
            if (far[*next] == 0 && state->board[*next] != WALL) {
                far[*next] = (uint8_t)(far[queue[i]] + 1);
                if (state->board[*next] == EMPTY)
                    queue[n++] = *next;
            }
}

/* 7.4 Path, of a free run: from space to space the smallest that is nearer to the destination. */
static int32_t free_path(const junqi_state *state, int32_t from, int32_t to, uint8_t out[PATH_MAX])
{
    uint8_t far[SPACES]; /* from the destination */
    int32_t n = 0;

    free_run(state, to, from, far);
    if (far[from] == 0)
        return 0;
    out[n++] = (uint8_t)from;
    while (out[n - 1] != to)
        for (const uint8_t *next = RAILS[out[n - 1]];; next++)
            if (far[*next] == far[out[n - 1]] - 1 && (*next == to || state->board[*next] == EMPTY)) {
                out[n++] = *next;
                break;
            }
    return n;
}

/* 7.4 Path, of a run: the line's spaces, if there is such a line and it is free. */
static int32_t line_path(const junqi_state *state, int32_t from, int32_t to, uint8_t out[PATH_MAX])
{
    for (const on_line *a = THROUGH[from]; a->place != 0; a++)
        for (const on_line *b = THROUGH[to]; b->place != 0; b++) {
            const uint8_t *line = LINE[a->line];
            const int32_t towards = a->place < b->place ? 1 : -1;
            int32_t n = 0;
            if (a->line != b->line)
                continue;
            for (int32_t place = a->place; place != b->place; place += towards) {
                if (place != a->place && state->board[line[place]] != EMPTY)
                    return 0; /* lines that share two spaces share the track between them (2.5) */
                out[n++] = line[place];
            }
            out[n++] = (uint8_t)to;
            return n;
        }
    return 0;
}

static int are_adjacent(int32_t from, int32_t to)
{
    for (const uint8_t *next = ROADS[from]; *next != EDGE; next++)
        if (*next == to)
            return 1;
    for (const uint8_t *next = RAILS[from]; *next != EDGE; next++)
        if (*next == to)
            return 1;
    return 0;
}

/* 7.4 Path: the spaces from `from` to `to`, both included, whatever stands on `to`; 0 when it cannot be reached (3.1). */
static int32_t find_path(const junqi_state *state, int32_t type, int32_t from, int32_t to, uint8_t out[PATH_MAX])
{
    if (are_adjacent(from, to)) {
        out[0] = (uint8_t)from;
        out[1] = (uint8_t)to;
        return 2;
    }
    return type == ENGINEER ? free_path(state, from, to, out) : line_path(state, from, to, out);
}

/* Where an engineer on `from` gets by a free run. */
static void add_free_run(const meeting *m, const junqi_state *state, int32_t from, spaces *set)
{
    uint8_t queue[SPACES];
    int32_t n = 0;

    queue[n++] = (uint8_t)from;
    for (int32_t i = 0; i < n; i++)
        for (const uint8_t *next = RAILS[queue[i]]; *next != EDGE; next++) {
            if (WL_HAS(set, *next) || !may_enter(m, state, *next))
                continue;
            WL_ADD(set, *next);
            if (state->board[*next] == EMPTY)
                queue[n++] = *next;
        }
}

/* Where any other piece gets by runs along the lines through `from`. */
static void add_runs(const meeting *m, const junqi_state *state, int32_t from, spaces *set)
{
    for (const on_line *on = THROUGH[from]; on->place != 0; on++) {
        const uint8_t *there = LINE[on->line] + on->place;
        const uint8_t *back = there;
        while (state->board[*++there] == EMPTY)
            WL_ADD(set, *there);
        if (may_enter(m, state, *there))
            WL_ADD(set, *there);
        while (state->board[*--back] == EMPTY)
            WL_ADD(set, *back);
        if (may_enter(m, state, *back))
            WL_ADD(set, *back);
    }
}

/* Every space where a piece of this type may go from `from` (3.1; 7.4, checks 6 to 10). */
static spaces destinations(const meeting *m, const junqi_state *state, int32_t type, int32_t from)
{
    spaces set = {{0}};

    for (const uint8_t *next = ROADS[from]; *next != EDGE; next++)
        if (may_enter(m, state, *next))
            WL_ADD(&set, *next);
    if (type == ENGINEER)
        add_free_run(m, state, from, &set);
    else
        add_runs(m, state, from, &set);
    return set;
}

/* ==== 4. Setup and options ============================================================================================= */

/* The cells of a layout, in its order: places within an army (4.2). */
static const uint8_t CELL[ARMY] = {
    0, 1, 2, 3, 4, 5, 7, 9, 10, 11, 13, 14, 15, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
};

/* What is wrong with a layout: nothing; its length; the piece at `*at`; how many of the type `*at` there are. */
enum { LAYOUT_FINE, LAYOUT_LENGTH, LAYOUT_PLACE, LAYOUT_COUNT };

/* 4.2. `n` is the true length of the list. */
static int32_t layout_fault(wl_word n, const uint8_t types[ARMY], int32_t *at)
{
    int32_t count[TYPES] = {0};

    *at = 0;
    if (n != ARMY)
        return LAYOUT_LENGTH;
    for (*at = 0; *at < ARMY; ++*at) {
        count[types[*at]]++;
        if (!may_stand(types[*at], CELL[*at]))
            return LAYOUT_PLACE;
    }
    for (*at = 0; *at < TYPES; ++*at)
        if (count[*at] != PIECE_TYPE[*at].count)
            return LAYOUT_COUNT;
    return LAYOUT_FINE;
}

static int32_t check_layout(wl_word n, const uint8_t types[ARMY])
{
    int32_t at;
    return layout_fault(n, types, &at) == LAYOUT_FINE ? WL_OK : ILLEGAL_LAYOUT;
}

/* 4.2, ids: an army is laid out on its ground, whatever stood where before. */
static void lay_out(const junqi_setup *setup, junqi_state *state, int32_t seat, const uint8_t types[ARMY])
{
    const int32_t ground = ARMY_SPACES * ground_of(setup, seat);
    int32_t used[TYPES] = {0};

    for (int32_t i = 0; i < ARMY; i++)
        put(state, piece_id(seat, types[i], used[types[i]]++), ground + CELL[i]);
}

/* 4.3: one of the empty cells where this type may stand. */
static int32_t draw_cell(const uint8_t taken[ARMY_SPACES], int32_t type, wl_draws *draws)
{
    uint8_t list[ARMY_SPACES];
    int32_t n = 0;

    for (int32_t cell = 0; cell < ARMY_SPACES; cell++)
        if (!taken[cell] && may_stand(type, cell))
            list[n++] = (uint8_t)cell;
    return list[n > 1 ? wl_draw(draws, n) : 0];
}

/* 4.3: a random layout. */
static void draw_layout(const junqi_setup *setup, junqi_state *state, int32_t seat, wl_draws *draws)
{
    static const uint8_t ORDER[ARMY] = { /* ids within the army */
        1, 23, 24, 25, 21, 22, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
    };
    const int32_t ground = ARMY_SPACES * ground_of(setup, seat);
    uint8_t taken[ARMY_SPACES] = {0};

    for (int32_t i = 0; i < ARMY; i++) {
        const int32_t cell = draw_cell(taken, TYPE_OF[ORDER[i]], draws);
        taken[cell] = 1;
        put(state, ARMY * seat + ORDER[i], ground + cell);
    }
}

/* 4.4. */
static void shuffle(const junqi_setup *setup, junqi_state *state, wl_draws *draws)
{
    uint8_t left[2 * ARMY];
    int32_t n = 2 * ARMY;

    for (int32_t i = 0; i < n; i++)
        left[i] = (uint8_t)(i + 1);
    for (int32_t seat = 0; seat < 2; seat++)
        for (int32_t i = 0; i < ARMY; i++) {
            const int32_t space = ARMY_SPACES * ground_of(setup, seat) + CELL[i];
            const int32_t which = n > 1 ? wl_draw(draws, n) : 0;
            put(state, left[which], space);
            turn_down(state, space);
            n--;
            memmove(left + which, left + which + 1, (size_t)(n - which));
        }
    state->mines[RED] = state->mines[BLACK] = PIECE_TYPE[MINE].count;
}

/* 9.2: levels count from 1. */
static const int32_t THRESHOLD[] = {
    INT32_MIN, 10, 20, 50, 100, 200, 300, 500, 700, 1000, 2000, 3000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000,
};
enum { LEVELS = sizeof THRESHOLD / sizeof THRESHOLD[0] };

static int32_t level_of(int64_t score)
{
    int32_t level = LEVELS;
    while (level > 1 && score < THRESHOLD[level - 1])
        level--;
    return level;
}

enum { WINGS_CLOSED, WINGS_OPEN };
static const wl_word SCORE_MAX = 1000000000;
static const wl_word BALANCE_MAX = 1000000000000;

/* Everything the option words say: the setup, and what only the start of the match needs. */
typedef struct start {
    junqi_setup setup;
    int32_t layouts_given;
    int32_t has_layout[SEATS_MAX];
    uint8_t layout[SEATS_MAX][ARMY];
} start;

/* A number for each seat of the match; for others there must be none. Where none is given it stays what it was. */
static int32_t read_seat_words(const junqi_setup *setup, wl_words *words, int32_t which, wl_word low, wl_word high,
                               wl_word by_seat[])
{
    for (int32_t ground = 0; ground < SEATS_MAX; ground++) {
        const int32_t seat = seat_at(setup, ground);
        const wl_word word = wl_next(words);
        if (word == WL_WORD_ABSENT)
            continue;
        if (seat == NONE || !wl_between(low, word, high))
            return WL_BLAME(words, WL_E_INVALID_OPTIONS, NOTE_NUMBER, which, ground);
        by_seat[seat] = word;
    }
    return words->overrun ? WL_E_INVALID_OPTIONS : WL_OK;
}

/* The layouts; an illegal one goes to `*illegal`, since other errors come first. */
static int32_t read_layouts(start *s, wl_words *words, int32_t *illegal)
{
    const wl_word given = wl_next(words);
    int32_t fault, at;

    if (words->overrun || !wl_between(0, given, 1))
        return WL_E_INVALID_OPTIONS;
    if (given && s->setup.mode == FLIP)
        return WL_BLAME(words, WL_E_INVALID_OPTIONS, NOTE_LAYOUTS);
    s->layouts_given = given != 0;
    for (int32_t ground = 0; given && ground < SEATS_MAX; ground++) {
        const int32_t seat = seat_at(&s->setup, ground);
        const wl_word n = wl_next(words);
        const wl_word *types;
        if (n == WL_WORD_ABSENT && !words->overrun)
            continue;
        types = wl_next_list(words, n, 1);
        if (seat == NONE || types == NULL) {
            words->n_note = 0; /* this comes before a layout that is illegal */
            return WL_BLAME(words, WL_E_INVALID_OPTIONS, NOTE_LAYOUT_SEAT, ground);
        }
        for (wl_word i = 0; i < n; i++) {
            if (!wl_between(0, types[i], TYPES - 1))
                return WL_E_INVALID_OPTIONS;
            if (i < ARMY)
                s->layout[seat][i] = (uint8_t)types[i];
        }
        s->has_layout[seat] = 1;
        fault = layout_fault(n, s->layout[seat], &at);
        if (fault != LAYOUT_FINE)
            *illegal = WL_BLAME(words, ILLEGAL_LAYOUT, NOTE_LAYOUT, ground, fault, at);
    }
    return WL_OK;
}

/* What 4.1 forbids in combination; `value` has the words as they were given. */
static int32_t check_combination(wl_words *words, const wl_word value[OPTIONS])
{
    const int flip = value[O_MODE] == FLIP;
    const wl_word players = wl_or_else(value[O_PLAYERS], flip ? 2 : 4);

    if (players == 3 || (flip && players != 2))
        return WL_BLAME(words, WL_E_INVALID_OPTIONS, NOTE_PLAYERS);
    if (value[O_WINGS] != WL_WORD_ABSENT && (players == 4 || (flip && value[O_WINGS] != WINGS_CLOSED)))
        return WL_BLAME(words, WL_E_INVALID_OPTIONS, NOTE_WINGS);
    if (players == 2 && value[O_OPEN_ALLIES] != WL_WORD_ABSENT && value[O_OPEN_ALLIES] != 0)
        return WL_BLAME(words, WL_E_INVALID_OPTIONS, NOTE_ALLIES);
    return WL_OK;
}

/* 9.3, 9.4: what is fixed at the creation of the match. */
static void fix_multipliers(junqi_setup *setup, wl_word doubling_from_level, wl_word gold_cap)
{
    int64_t lowest = setup->scores[0];
    int32_t doublings;

    for (int32_t seat = 1; seat < setup->n_seats; seat++)
        lowest = setup->scores[seat] < lowest ? setup->scores[seat] : lowest;
    doublings = level_of(lowest) - (int32_t)doubling_from_level + 1;
    setup->multiplier = doublings > 0 ? (int32_t)1 << doublings : 1;
    setup->gold_multiplier = setup->multiplier < gold_cap ? setup->multiplier : (int32_t)gold_cap;
}

/* 4.1: the options, their errors in the book's order. */
static int32_t read_options(start *s, wl_words *words, int with_position)
{
    junqi_setup *setup = &s->setup;
    const wl_word verdict = wl_next(words);
    wl_word value[OPTIONS];
    wl_word balance[SEATS_MAX] = {-1, -1, -1, -1};
    int32_t illegal = WL_OK;

    memset(s, 0, sizeof *s);
    for (int32_t i = 0; i < OPTIONS; i++)
        value[i] = wl_next(words);
    if (verdict != 0 || words->overrun || check_combination(words, value) != WL_OK)
        return WL_E_INVALID_OPTIONS;
    value[O_MODE] = wl_or_else(value[O_MODE], STANDARD);
    value[O_PLAYERS] = wl_or_else(value[O_PLAYERS], value[O_MODE] == FLIP ? 2 : 4);
    for (int32_t i = 0; i < OPTIONS; i++) {
        value[i] = wl_or_else(value[i], value[O_PLAYERS] == 2 ? OPTION[i].second : OPTION[i].otherwise);
        if (!WL_IN_RANGE(i, value[i]))
            return WL_E_INVALID_OPTIONS;
    }
    setup->mode = (uint8_t)value[O_MODE];
    setup->n_seats = (uint8_t)value[O_PLAYERS];
    setup->closed = setup->mode == FLIP || value[O_WINGS] == WINGS_CLOSED;
    setup->open_allies = value[O_OPEN_ALLIES] != 0;
    setup->mines_guard_flag = setup->mode == FLIP && value[O_MINES_GUARD_FLAG] != 0;
    setup->move_seconds = (int32_t)value[O_MOVE_SECONDS];
    setup->max_timeouts = (int32_t)value[O_MAX_TIMEOUTS];
    setup->min_steps_draw = (int32_t)value[O_MIN_STEPS_DRAW];
    setup->min_steps_resign = (int32_t)value[O_MIN_STEPS_RESIGN];
    setup->min_steps_score = (int32_t)value[O_MIN_STEPS_SCORE];
    setup->quiet_limit = (int32_t)value[O_QUIET_LIMIT];
    setup->win_points = (int32_t)value[O_WIN_POINTS];
    setup->flee_factor = (int32_t)value[O_FLEE_FACTOR];
    setup->stake = value[O_STAKE];
    if (read_seat_words(setup, words, 0, -SCORE_MAX, SCORE_MAX, setup->scores) != WL_OK)
        return WL_E_INVALID_OPTIONS;
    if (read_seat_words(setup, words, 1, 0, BALANCE_MAX, balance) != WL_OK)
        return WL_E_INVALID_OPTIONS;
    if (read_layouts(s, words, &illegal) != WL_OK)
        return WL_E_INVALID_OPTIONS;
    if (s->layouts_given && with_position) {
        words->n_note = 0; /* this comes before a layout that is illegal */
        return WL_BLAME(words, WL_E_INVALID_OPTIONS, NOTE_LAYOUTS);
    }
    if (illegal != WL_OK)
        return illegal;
    for (int32_t seat = 0; setup->stake > 0 && seat < setup->n_seats; seat++)
        if (balance[seat] < value[O_GOLD_CAP] * setup->stake)
            return WL_BLAME(words, INSUFFICIENT_GOLD, NOTE_GOLD, ground_of(setup, seat), value[O_GOLD_CAP] * setup->stake);
    fix_multipliers(setup, value[O_DOUBLING_FROM_LEVEL], value[O_GOLD_CAP]);
    return WL_OK;
}

/* ==== 6. Turn ======================================================================================================== */

/* The match in the middle of an event. */
typedef struct match {
    const junqi_setup *setup;
    junqi_state *state;
    wl_draws *draws;
    wl_event *event;
} match;

/* 6.3. */
static void end_match(const match *m, uint32_t winners, int32_t reason)
{
    junqi_state *state = m->state;

    state->phase = OVER;
    state->turn = NONE;
    state->winners = (uint8_t)winners;
    state->reason = (uint8_t)reason;
    state->offer_by = NONE;
    state->accepted = 0;
    WL_PUBLIC(m->event, E_END, winners, reason);
}

static void cancel_offer(const match *m)
{
    junqi_state *state = m->state;
    const int32_t by = state->offer_by;

    if (by == NONE)
        return;
    state->offer_by = NONE;
    state->accepted = 0;
    WL_PUBLIC(m->event, E_OFFER_CANCELLED, by);
}

/* 6.2 step 2. */
static void remove_army(const match *m, int32_t seat)
{
    junqi_state *state = m->state;
    wl_word removed[2 + ARMY] = {seat};
    size_t n = 0;

    for (int32_t space = 0; space < SPACES; space++) {
        const int32_t piece = state->board[space];
        if (wl_between(ARMY * seat + 1, piece, ARMY * (seat + 1))) {
            removed[2 + n++] = space;
            state->at[piece] = OFF;
            state->board[space] = EMPTY;
        }
    }
    removed[1] = (wl_word)n;
    if (n > 0)
        wl_record(m->event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0, E_ARMY_REMOVED, removed, 2 + n);
}

/* 6.2. */
static void defeat(const match *m, int32_t seat, int32_t cause)
{
    junqi_state *state = m->state;

    state->seats[seat].status = DEFEATED;
    state->seats[seat].cause = (uint8_t)cause;
    WL_PUBLIC(m->event, E_DEFEAT, seat, cause);
    if (m->setup->mode == STANDARD)
        remove_army(m, seat);
    cancel_offer(m);
    if ((alive_seats(m->setup, state) & team_seats(m->setup, team_of(seat))) == 0)
        end_match(m, team_seats(m->setup, 1 - team_of(seat)), cause);
}

/* 6.1. */
static void advance(const match *m, int32_t seat)
{
    junqi_state *state = m->state;

    for (;;) {
        do
            seat = (seat + 1) % m->setup->n_seats;
        while (state->seats[seat].status != ALIVE);
        if (has_move(m->setup, state, seat) || has_face_down(state))
            break;
        defeat(m, seat, NO_MOVES);
        if (state->phase == OVER)
            return;
    }
    state->turn = (uint8_t)seat;
    state->turns++;
    WL_PUBLIC(m->event, E_TURN, seat);
}

/* ==== 7. Actions ====================================================================================================== */

static const uint8_t PHASES_OF[] = { /* 7.1: the phases of each type, as bits */
    [A_SWAP] = 1 << LAYOUT,
    [A_LAYOUT] = 1 << LAYOUT,
    [A_READY] = 1 << LAYOUT,
    [A_MOVE] = 1 << PLAY,
    [A_FLIP] = 1 << PLAY,
    [A_OFFER_DRAW] = 1 << PLAY,
    [A_ACCEPT_DRAW] = 1 << PLAY,
    [A_DECLINE_DRAW] = 1 << PLAY,
    [A_RESIGN] = 1 << PLAY,
    [A_TIMEOUT] = 1 << PLAY,
    [A_FLEE] = 1 << LAYOUT | 1 << PLAY,
};

/* The modes that a type does not belong to, as bits. */
static const uint8_t NOT_IN[ACTIONS] = {
    [A_SWAP] = 1 << FLIP,
    [A_LAYOUT] = 1 << FLIP,
    [A_FLIP] = 1 << STANDARD,
};

/* A list as it was posted: 1 when all its entries (those that are there) are piece types. */
static int read_types(const wl_post *post, uint8_t types[ARMY])
{
    const int32_t n = post->action.field[0];

    if (n < 0 || post->n_items < (n < ARMY ? n : ARMY))
        return 0;
    memset(types, 0, ARMY);
    for (int32_t i = 0; i < n && i < ARMY; i++) {
        if (!wl_between(0, post->items[i], TYPES - 1))
            return 0;
        types[i] = (uint8_t)post->items[i];
    }
    return 1;
}

/* The layout stays legal when the pieces of these cells change places (7.3). */
static int may_change(int32_t type_a, int32_t cell_a, int32_t type_b, int32_t cell_b)
{
    return may_stand(type_a, cell_b) && may_stand(type_b, cell_a);
}

/* 7.3. */
static int32_t check_swap(const junqi_setup *setup, const junqi_state *state, int32_t seat, int32_t a, int32_t b)
{
    const int32_t cell_a = own_cell(setup, seat, a);
    const int32_t cell_b = own_cell(setup, seat, b);

    if (cell_a < 0 || cell_b < 0)
        return WL_E_UNKNOWN_SPACE;
    if (state->board[a] == EMPTY || state->board[b] == EMPTY || a == b)
        return ILLEGAL_SWAP;
    if (type_of(state->board[a]) == type_of(state->board[b]))
        return SAME_TYPE;
    return may_change(type_of(state->board[a]), cell_a, type_of(state->board[b]), cell_b) ? WL_OK : ILLEGAL_LAYOUT;
}

/* 7.4. */
static int32_t check_move(const junqi_setup *setup, const junqi_state *state, int32_t seat, int32_t piece, int32_t to)
{
    const int32_t army = across(setup, state, seat);
    uint8_t path[PATH_MAX];
    int32_t from;

    if (state->turn != seat)
        return WL_E_NOT_YOUR_TURN;
    if (army == NONE || !wl_between(ARMY * army + 1, piece, ARMY * (army + 1)) || state->at[piece] == OFF)
        return WL_E_NOT_YOUR_PIECE;
    from = state->at[piece];
    if (is_down(state, from))
        return WL_E_NOT_YOUR_PIECE;
    if (!PIECE_TYPE[type_of(piece)].moves)
        return IMMOVABLE_PIECE;
    if (!is_able(setup, state, piece))
        return TRAPPED_IN_HEADQUARTERS;
    if (!is_active(setup, to))
        return WL_E_UNKNOWN_SPACE;
    if (to == from || find_path(state, type_of(piece), from, to, path) == 0)
        return WL_E_ILLEGAL_DESTINATION;
    return check_target(setup, state, seat, to);
}

/* 7.5. */
static int32_t check_flip(const junqi_setup *setup, const junqi_state *state, int32_t seat, int32_t at)
{
    if (state->turn != seat)
        return WL_E_NOT_YOUR_TURN;
    if (!is_active(setup, at))
        return WL_E_UNKNOWN_SPACE;
    return is_down(state, at) ? WL_OK : NOT_FACE_DOWN;
}

/* 7.7. */
static int32_t check_offer(const junqi_setup *setup, const junqi_state *state, int32_t seat)
{
    if (state->steps <= setup->min_steps_draw)
        return TOO_EARLY;
    if (state->offer_by != NONE)
        return OFFER_PENDING;
    return state->seats[seat].offered ? ALREADY_OFFERED : WL_OK;
}

static int32_t check_answer(const junqi_state *state, int32_t seat)
{
    if (state->offer_by == NONE)
        return NO_OFFER;
    if (state->offer_by == seat)
        return OWN_OFFER;
    return state->accepted >> seat & 1 ? ALREADY_ANSWERED : WL_OK;
}

/* 7.2, in its order. */
static int32_t junqi_check(const void *setup_, const void *state_, const wl_post *post)
{
    const junqi_setup *setup = setup_;
    const junqi_state *state = state_;
    const wl_action *a = &post->action;
    const int from_server = post->actor == WL_SERVER;
    const int32_t seat = from_server ? a->field[0] : post->actor;
    uint8_t types[ARMY];

    if (state->phase == OVER)
        return WL_E_MATCH_OVER;
    if (a->type < 0 || a->type >= ACTIONS || ((ACTION_TYPES[a->type].flags & WL_SERVER_ONLY) != 0) != from_server)
        return WL_E_MALFORMED_ACTION;
    if (!wl_between(0, seat, setup->n_seats - 1) || (a->type == A_LAYOUT && !read_types(post, types)))
        return WL_E_MALFORMED_ACTION;
    if ((PHASES_OF[a->type] >> state->phase & 1) == 0)
        return WL_E_WRONG_PHASE;
    if ((NOT_IN[a->type] >> setup->mode & 1) != 0)
        return WRONG_MODE;
    if (state->seats[seat].status == DEFEATED)
        return SEAT_DEFEATED;
    if (PHASES_OF[a->type] == 1 << LAYOUT && state->seats[seat].ready)
        return ALREADY_READY;
    switch (a->type) {
    case A_SWAP: return check_swap(setup, state, seat, a->field[0], a->field[1]);
    case A_LAYOUT: return check_layout(a->field[0], types);
    case A_MOVE: return check_move(setup, state, seat, a->field[0], a->field[1]);
    case A_FLIP: return check_flip(setup, state, seat, a->field[0]);
    case A_OFFER_DRAW: return check_offer(setup, state, seat);
    case A_ACCEPT_DRAW:
    case A_DECLINE_DRAW: return check_answer(state, seat);
    case A_RESIGN: return state->steps <= setup->min_steps_resign ? TOO_EARLY : WL_OK;
    case A_TIMEOUT: return state->turn != seat ? WL_E_NOT_YOUR_TURN : WL_OK;
    default: return WL_OK; /* ready, flee */
    }
}

/* What a refusal leaves unsaid; `state` is what the actor sees. The words by code:
 *
 *   wrong_phase      phase                          wrong_mode              mode
 *   seat_defeated    cause                          not_your_turn           seat in turn
 *   unknown_space    the field at fault             illegal_swap            0 one space, 1 a is empty, 2 b is empty
 *   same_type        type                           too_early               steps, least number of them
 *   illegal_layout   of a swap: field, type         of a layout: LAYOUT_LENGTH ..., `at`, type, how many are needed
 *   offer_pending    seat that offers               others                  type and space of the piece that is to move */
static size_t junqi_explain(const void *setup_, const void *state_, const wl_post *post, int32_t error, wl_word *out)
{
    const junqi_setup *setup = setup_;
    const junqi_state *state = state_;
    const wl_action *a = &post->action;
    const int32_t seat = post->actor, first = a->field[0], second = a->field[1];
    uint8_t types[ARMY];
    int32_t at, type;

    switch (error) {
    case WL_E_WRONG_PHASE: out[0] = state->phase; return 1;
    case WRONG_MODE: out[0] = setup->mode; return 1;
    case SEAT_DEFEATED: out[0] = state->seats[seat].cause; return 1;
    case WL_E_NOT_YOUR_TURN: out[0] = state->turn; return 1;
    case WL_E_UNKNOWN_SPACE: out[0] = a->type == A_SWAP ? own_cell(setup, seat, first) >= 0 : a->type == A_MOVE; return 1;
    case ILLEGAL_SWAP: out[0] = first == second ? 0 : state->board[first] == EMPTY ? 1 : 2; return 1;
    case SAME_TYPE: out[0] = type_of(state->board[first]); return 1;
    case TOO_EARLY:
        out[0] = state->steps;
        out[1] = 1 + (a->type == A_RESIGN ? setup->min_steps_resign : setup->min_steps_draw);
        return 2;
    case OFFER_PENDING: out[0] = state->offer_by; return 1;
    case ILLEGAL_LAYOUT:
        if (a->type == A_SWAP) {
            type = type_of(state->board[first]);
            out[0] = may_stand(type, own_cell(setup, seat, second));
            out[1] = out[0] ? type_of(state->board[second]) : type;
            return 2;
        }
        read_types(post, types);
        out[0] = layout_fault(first, types, &at);
        out[1] = at;
        type = out[0] == LAYOUT_COUNT ? at : out[0] == LAYOUT_PLACE ? types[at] : 0;
        out[2] = type;
        out[3] = PIECE_TYPE[type].count;
        return 4;
    case IMMOVABLE_PIECE:
    case TRAPPED_IN_HEADQUARTERS:
    case WL_E_ILLEGAL_DESTINATION:
    case FRIENDLY_PIECE:
    case FACE_DOWN:
    case CAMP_PROTECTED:
    case FLAG_GUARDED:
        out[0] = type_of(first);
        out[1] = state->at[first];
        return 2;
    default: return 0;
    }
}

/* ---- resolution --------------------------------------------------------------------------------------------------- */

/* 8: the action is shown to the seat alone, to others in a form with these arguments. */
static void record_own_action(const match *m, int32_t seat, int32_t type, const wl_word *words, size_t n)
{
    wl_record(m->event, WL_REC_ACTION, wl_bit(seat), WL_DISCLOSE_OVER, type, NULL, 0);
    wl_record(m->event, WL_REC_ACTION_ALT, WL_ALL_VIEWERS, 0, type, words, n);
}

/* 7.3. */
static void swap(const match *m, int32_t seat, int32_t a, int32_t b)
{
    junqi_state *state = m->state;
    const int32_t piece = state->board[a];

    put(state, state->board[b], a);
    put(state, piece, b);
    record_own_action(m, seat, A_SWAP, NULL, 0);
    wl_record(m->event, WL_REC_EFFECT, wl_bit(seat), WL_DISCLOSE_OVER, WL_EFFECT(E_SWAP, a, b));
}

/* 7.3. */
static void submit_layout(const match *m, const wl_post *post)
{
    junqi_state *state = m->state;
    const int32_t seat = post->actor;
    uint8_t types[ARMY];

    read_types(post, types);
    lay_out(m->setup, state, seat, types);
    record_own_action(m, seat, A_LAYOUT, NULL, 0);
    wl_record(m->event, WL_REC_EFFECT, wl_bit(seat), WL_DISCLOSE_OVER, WL_EFFECT(E_LAYOUT, seat));
}

/* 7.3. */
static void get_ready(const match *m, int32_t seat)
{
    junqi_state *state = m->state;

    state->seats[seat].ready = 1;
    WL_PUBLIC(m->event, E_READY, seat);
    if (unready_seats(m->setup, state) != 0)
        return;
    state->first = state->turn = (uint8_t)wl_draw(m->draws, m->setup->n_seats); /* 4.5 */
    state->turns++;
    state->phase = PLAY;
    WL_PUBLIC(m->event, E_START, state->first);
}

/* 7.4 and 7.5, step 1. */
static void begin_step(const match *m, int32_t seat)
{
    junqi_state *state = m->state;

    if (state->offer_by == seat)
        cancel_offer(m);
    state->seats[seat].offered = 0;
    state->steps++;
}

static void record_last_move(junqi_state *state, int32_t kind, int32_t seat, int32_t n_path)
{
    memset(state->path + n_path, 0, (size_t)(PATH_MAX - n_path));
    state->last_kind = (uint8_t)kind;
    state->last_seat = (uint8_t)seat;
    state->last_outcome = NO_BATTLE;
    state->n_path = (uint8_t)n_path;
}

static void effect_move(const match *m, int32_t seat)
{
    const junqi_state *state = m->state;

    if (!wl_wanted(m->event))
        return;
    wl_open_record(m->event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0, E_MOVE);
    wl_put(m->event, seat);
    wl_put(m->event, state->path[0]);
    wl_put(m->event, state->path[state->n_path - 1]);
    wl_put(m->event, state->n_path);
    for (int32_t i = 0; i < state->n_path; i++)
        wl_put(m->event, state->path[i]);
    wl_close_record(m->event);
}

/* A piece of `seat` is lost in the battle on `at`; who learns which (8). */
static void effect_lost(const match *m, int32_t seat, int32_t piece, int32_t at)
{
    const wl_word none = WL_WORD_ABSENT;
    const wl_word color = m->setup->mode == FLIP ? army_of(piece) : none;
    const wl_word type = type_of(piece);
    const uint32_t ally = m->setup->open_allies ? team_seats(m->setup, team_of(seat)) & ~wl_bit(seat) : 0;

    wl_record(m->event, WL_REC_EFFECT, wl_bit(seat), WL_DISCLOSE_OVER, WL_EFFECT(E_LOST, seat, color, at, piece, type));
    if (m->setup->mode == FLIP) {
        wl_record(m->event, WL_REC_EFFECT_ALT, WL_ALL_VIEWERS, 0, WL_EFFECT(E_LOST, seat, color, at, none, type));
        return;
    }
    if (ally != 0)
        wl_record(m->event, WL_REC_EFFECT_ALT, ally, 0, WL_EFFECT(E_LOST, seat, color, at, none, type));
    wl_record(m->event, WL_REC_EFFECT_ALT, WL_ALL_VIEWERS, 0, WL_EFFECT(E_LOST, seat, color, at, none, none));
}

static int has_able_piece(const junqi_setup *setup, const junqi_state *state, int32_t seat)
{
    const int32_t army = across(setup, state, seat);

    for (int32_t piece = ARMY * army + 1; piece <= ARMY * (army + 1); piece++)
        if (state->at[piece] != OFF && is_able(setup, state, piece))
            return 1;
    return 0;
}

/* 7.4, step 7 for one of the two. */
static void reveal_flag(const match *m, int32_t piece)
{
    const junqi_state *state = m->state;
    const int32_t seat = army_of(piece);

    if (type_of(piece) == FIELD_MARSHAL && flag_is_revealed(m->setup, state, seat))
        WL_PUBLIC(m->event, E_REVEAL_FLAG, seat, state->at[piece_id(seat, FLAG, 0)]);
}

/* 7.4, steps 5 to 8: `piece` of `seat` attacks `target`, which stands on `to`. */
static void battle(const match *m, int32_t seat, int32_t piece, int32_t target, int32_t to)
{
    junqi_state *state = m->state;
    const int32_t enemy = across(m->setup, state, army_of(target));
    const int32_t outcome = outcome_of(type_of(piece), type_of(target));

    state->quiet_steps = 0;
    state->last_outcome = (uint8_t)outcome;
    WL_PUBLIC(m->event, E_BATTLE, to, seat, enemy, outcome);
    if (outcome != ATTACKER) {
        lose(m->setup, state, piece);
        effect_lost(m, seat, piece, to);
    }
    if (outcome != DEFENDER) {
        lose(m->setup, state, target);
        state->board[to] = EMPTY;
        effect_lost(m, enemy, target, to);
    }
    if (outcome == ATTACKER)
        put(state, piece, to);
    reveal_flag(m, piece);
    reveal_flag(m, target);
    if (outcome != DEFENDER && type_of(target) == FLAG)
        defeat(m, enemy, FLAG_CAPTURED);
    else if (outcome == BOTH && type_of(piece) == type_of(target) && wl_popcount(alive_seats(m->setup, state)) == 2 &&
             !has_able_piece(m->setup, state, seat) && !has_able_piece(m->setup, state, enemy) && !has_face_down(state))
        defeat(m, enemy, LAST_PIECE);
}

/* 7.4. */
static void move(const match *m, int32_t seat, int32_t piece, int32_t to)
{
    junqi_state *state = m->state;
    const int32_t from = state->at[piece];
    const int32_t target = state->board[to];

    record_own_action(m, seat, A_MOVE, WL_ARGS(from, to));
    begin_step(m, seat);
    record_last_move(state, MOVE_STEP, seat, find_path(state, type_of(piece), from, to, state->path));
    state->board[from] = EMPTY;
    effect_move(m, seat);
    if (target == EMPTY) {
        put(state, piece, to);
        state->quiet_steps++;
    } else {
        battle(m, seat, piece, target, to);
    }
    if (state->phase == PLAY && m->setup->quiet_limit > 0 && state->quiet_steps >= m->setup->quiet_limit)
        end_match(m, 0, QUIET_LIMIT);
    if (state->phase == PLAY)
        advance(m, seat);
}

/* 7.5. */
static void flip(const match *m, int32_t seat, int32_t at)
{
    junqi_state *state = m->state;
    const int32_t piece = state->board[at];
    const int32_t color = army_of(piece);

    begin_step(m, seat);
    state->quiet_steps = 0;
    turn_up(state, at);
    state->path[0] = (uint8_t)at;
    record_last_move(state, FLIP_STEP, seat, 1);
    WL_PUBLIC(m->event, E_FLIP, seat, at, color, type_of(piece));
    if (state->colors == NO_COLORS) {
        state->colors = seat == color ? SOUTH_IS_RED : SOUTH_IS_BLACK;
        WL_PUBLIC(m->event, E_COLORS, seat == color ? RED : BLACK, seat == color ? BLACK : RED);
    }
    advance(m, seat);
}

/* 7.7. */
static void accept_draw(const match *m, int32_t seat)
{
    junqi_state *state = m->state;

    state->accepted = (uint8_t)(state->accepted | wl_bit(seat));
    WL_PUBLIC(m->event, E_ACCEPT, seat);
    if ((alive_seats(m->setup, state) & ~(state->accepted | wl_bit(state->offer_by))) == 0)
        end_match(m, 0, DRAW_AGREED);
}

/* 7.8, 7.9: the seat is out, whoever's turn it is. */
static void drop_out(const match *m, int32_t seat, int32_t cause)
{
    junqi_state *state = m->state;

    defeat(m, seat, cause);
    if (state->phase == PLAY && state->turn == seat)
        advance(m, seat);
}

/* 7.9. */
static void time_out(const match *m, int32_t seat)
{
    junqi_state *state = m->state;

    state->seats[seat].timeouts++;
    WL_PUBLIC(m->event, E_TIMEOUT, seat, state->seats[seat].timeouts);
    if (state->seats[seat].timeouts >= m->setup->max_timeouts)
        defeat(m, seat, TIMED_OUT);
    if (state->phase == PLAY)
        advance(m, seat);
}

static int32_t junqi_apply(const void *setup, void *state_, const wl_post *post, wl_draws *draws, wl_event *event)
{
    junqi_state *state = state_;
    const match m = {setup, state, draws, event};
    const wl_action *a = &post->action;
    const int32_t seat = post->actor == WL_SERVER ? a->field[0] : post->actor;

    if (state->veiled)
        return WL_E_STATE;
    switch (a->type) {
    case A_SWAP: swap(&m, seat, a->field[0], a->field[1]); break;
    case A_LAYOUT: submit_layout(&m, post); break;
    case A_READY: get_ready(&m, seat); break;
    case A_MOVE: move(&m, seat, a->field[0], a->field[1]); break;
    case A_FLIP: flip(&m, seat, a->field[0]); break;
    case A_OFFER_DRAW:
        state->seats[seat].offered = 1;
        state->offer_by = (uint8_t)seat;
        WL_PUBLIC(event, E_OFFER, seat);
        break;
    case A_ACCEPT_DRAW: accept_draw(&m, seat); break;
    case A_DECLINE_DRAW:
        state->offer_by = NONE;
        state->accepted = 0;
        WL_PUBLIC(event, E_DECLINE, seat);
        break;
    case A_RESIGN: drop_out(&m, seat, RESIGNED); break;
    case A_TIMEOUT: time_out(&m, seat); break;
    default: /* flee */
        if (state->phase == LAYOUT)
            end_match(&m, 0, ABORTED);
        else
            drop_out(&m, seat, FLED);
        break;
    }
    return WL_OK;
}

/* ---- 7.1 Listing ---------------------------------------------------------------------------------------------------- */

static void list_swaps(wl_listing *l, const junqi_setup *setup, const junqi_state *state, int32_t seat)
{
    const int32_t ground = ARMY_SPACES * ground_of(setup, seat);
    uint32_t cells[TYPES] = {0}; /* of each type */

    for (int32_t i = 0; i < ARMY; i++) {
        const int32_t type = type_of(state->board[ground + CELL[i]]);
        if (type == NONE) /* somebody else's view */
            return;
        cells[type] |= wl_bit(CELL[i]);
    }
    for (int32_t i = 0; i < ARMY; i++) {
        const int32_t type = type_of(state->board[ground + CELL[i]]);
        uint32_t left = cells_for(type) & ~cells[type] & ~(wl_bit(CELL[i] + 1) - 1);
        for (int32_t other = 0; other < TYPES; other++)
            if (!may_stand(other, CELL[i]))
                left &= ~cells[other];
        for (; left != 0; left &= left - 1)
            WL_LIST(l, A_SWAP, ground + CELL[i], ground + wl_lowest(left));
    }
}

static void list_moves(wl_listing *l, const junqi_setup *setup, const junqi_state *state, int32_t seat)
{
    const int32_t army = across(setup, state, seat);
    meeting m;

    if (army == NONE)
        return;
    prepare(setup, state, seat, &m);
    for (int32_t piece = ARMY * army + 1; piece <= ARMY * (army + 1); piece++) {
        spaces set;
        int32_t to;
        if (state->at[piece] == OFF || !is_able(setup, state, piece))
            continue;
        set = destinations(&m, state, type_of(piece), state->at[piece]);
        WL_EACH(&set, to)
            WL_LIST(l, A_MOVE, piece, to);
    }
}

static void list_flips(wl_listing *l, const junqi_state *state)
{
    for (int32_t w = 0; w < (int32_t)(sizeof state->down / sizeof state->down[0]); w++)
        for (uint32_t left = state->down[w]; left != 0; left &= left - 1)
            WL_LIST(l, A_FLIP, 32 * w + wl_lowest(left));
}

static size_t junqi_legal(const void *setup_, const void *state_, int32_t seat, wl_action *out, size_t cap)
{
    const junqi_setup *setup = setup_;
    const junqi_state *state = state_;
    wl_listing l = {out, cap, 0};

    if (state->phase == OVER || state->seats[seat].status == DEFEATED)
        return 0;
    if (state->phase == LAYOUT) {
        if (state->seats[seat].ready)
            return 0;
        if (setup->mode == STANDARD) {
            list_swaps(&l, setup, state, seat);
            WL_LIST(&l, A_LAYOUT, WL_OPEN);
        }
        WL_LIST(&l, A_READY);
        return l.n;
    }
    if (state->turn == seat) {
        list_moves(&l, setup, state, seat);
        list_flips(&l, state);
    }
    if (check_offer(setup, state, seat) == WL_OK)
        WL_LIST(&l, A_OFFER_DRAW);
    if (check_answer(state, seat) == WL_OK) {
        WL_LIST(&l, A_ACCEPT_DRAW);
        WL_LIST(&l, A_DECLINE_DRAW);
    }
    if (state->steps > setup->min_steps_resign)
        WL_LIST(&l, A_RESIGN);
    return l.n;
}

/* ==== Traces ========================================================================================================= */

/* A piece on its way to a space: who stands there is hit, and, where the viewer knows both types, taken or a risk. */
static void trace_move(const junqi_setup *setup, const junqi_state *before, const wl_action *a, wl_trace *trace)
{
    const int32_t piece = a->field[0], to = a->field[1];
    uint8_t step[PATH_MAX];
    int32_t n, target, outcome;

    if (!wl_between(1, piece, PIECES) || before->at[piece] == OFF || !is_active(setup, to))
        return;
    n = find_path(before, type_of(piece), before->at[piece], to, step);
    for (int32_t i = 1; i < n; i++)
        wl_pass(trace, step[i]);
    target = before->board[to];
    if (target == EMPTY || target == WALL || to == before->at[piece])
        return;
    wl_touch(trace, WL_TRACE_HITS, to, WL_ABSENT);
    if (type_of(target) == NONE)
        return;
    outcome = outcome_of(type_of(piece), type_of(target));
    if (outcome != DEFENDER)
        wl_touch(trace, WL_TRACE_TAKES, to, WL_ABSENT);
    if (outcome != ATTACKER)
        wl_touch(trace, WL_TRACE_RISKS, to, WL_ABSENT);
}

/* What was there before and is not there any more is taken; paths and outcomes are public (8). */
static void trace_step(const junqi_state *before, const junqi_state *after, const wl_action *a, wl_trace *trace)
{
    const int moves = a->type == A_MOVE && after->last_kind == MOVE_STEP && after->n_path > 1;
    const int32_t from = moves ? after->path[0] : SPACES, to = moves ? after->path[after->n_path - 1] : SPACES;

    for (int32_t i = 1; moves && i < after->n_path; i++)
        wl_pass(trace, after->path[i]);
    if (moves && after->last_outcome != NO_BATTLE)
        wl_touch(trace, WL_TRACE_HITS, to, WL_ABSENT);
    for (int32_t space = 0; space < SPACES; space++) {
        const int32_t stood = before->board[space];
        int gone = stood != EMPTY && stood != WALL && after->board[space] == EMPTY;
        if (space == from)
            gone = after->last_outcome == DEFENDER || after->last_outcome == BOTH;
        if (space == to)
            gone = after->last_outcome == ATTACKER || after->last_outcome == BOTH;
        if (gone)
            wl_touch(trace, WL_TRACE_TAKES, space == from ? to : space, stood <= PIECES ? stood : WL_ABSENT);
    }
}

static void junqi_trace(const void *setup, const void *before, const void *after, const wl_post *post, wl_trace *trace)
{
    const wl_action *a = &post->action;

    if (a->type == A_SWAP && is_active(setup, a->field[1]))
        wl_pass(trace, a->field[1]);
    if (after != NULL)
        trace_step(before, after, a, trace);
    else if (a->type == A_MOVE)
        trace_move(setup, before, a, trace);
}

/* ==== 8. Visibility ================================================================================================== */

static uint32_t junqi_to_act(const void *setup, const void *state_)
{
    const junqi_state *state = state_;

    if (state->phase == LAYOUT)
        return unready_seats(setup, state);
    return state->phase == PLAY ? wl_bit(state->turn) : 0;
}

/* What `viewer` may know of what stands on a space: the piece itself where he may know it by its id. In the state of a view the
 * occupant may be known by less than its id already; it is never shown by more than that. */
static int32_t seen(const junqi_setup *setup, const junqi_state *state, int32_t viewer, int32_t occupant)
{
    const int32_t army = army_of(occupant), type = type_of(occupant);
    const int32_t known = KNOWN + TYPES * army + type;

    if (type == NONE)
        return occupant;
    if (setup->mode == FLIP) {
        if (occupant <= PIECES && is_down(state, state->at[occupant]))
            return state->phase == OVER ? known : FACE_DOWN_PIECE;
        return across(setup, state, army) == viewer ? occupant : known;
    }
    if (army == viewer)
        return occupant;
    if (state->phase == OVER || (setup->open_allies && viewer < SEATS_MAX && team_of(army) == team_of(viewer)))
        return known;
    return type == FLAG && flag_is_revealed(setup, state, army) ? known : SECRET + army;
}

/* The same of a lost piece; EMPTY: nothing. */
static int32_t seen_lost(const junqi_setup *setup, const junqi_state *state, int32_t viewer, int32_t piece)
{
    const int32_t army = army_of(piece);
    const int32_t known = KNOWN + TYPES * army + type_of(piece);

    if (across(setup, state, army) == viewer)
        return piece;
    if (setup->mode == FLIP || state->phase == OVER)
        return known;
    return setup->open_allies && viewer < SEATS_MAX && team_of(army) == team_of(viewer) ? known : EMPTY;
}

/* 9.3 and 9.4: the settlement. */
static void settle(const junqi_setup *setup, const junqi_state *state, junqi_view *view)
{
    const int64_t points = (int64_t)setup->win_points * setup->multiplier;
    const int64_t amount = setup->stake * setup->gold_multiplier;
    int64_t pot = 0;
    int32_t sharers = 0;

    view->has_settlement = 1;
    for (int32_t seat = 0; seat < setup->n_seats; seat++) {
        const int fled = state->seats[seat].status == DEFEATED && state->seats[seat].cause == FLED;
        const int won = (state->winners >> seat & 1) != 0;
        const int lost = state->winners != 0 && !won;
        int64_t delta = 0;
        if (fled)
            delta = -setup->flee_factor * points;
        else if (lost)
            delta = -points;
        else if (won && state->steps > setup->min_steps_score)
            delta = points;
        view->delta[seat] = delta;
        view->after[seat] = setup->scores[seat] + delta;
        view->level[seat] = (uint8_t)level_of(view->after[seat]);
        view->paid[seat] = fled || lost ? amount : 0;
        pot += view->paid[seat];
        sharers += won && !fled;
    }
    view->house = sharers == 0 ? pot : 0;
    for (int32_t seat = 0; seat < setup->n_seats; seat++)
        if ((state->winners >> seat & 1) != 0 && (state->seats[seat].status == ALIVE || state->seats[seat].cause != FLED))
            view->received[seat] = pot / sharers;
}

/* What everybody may know. */
static void show_course(const junqi_state *state, junqi_state *known)
{
    known->steps = state->steps;
    known->quiet_steps = state->quiet_steps;
    known->phase = state->phase;
    known->turn = state->turn;
    known->first = state->first;
    known->reason = state->reason;
    known->winners = state->winners;
    known->colors = state->colors;
    known->offer_by = state->offer_by;
    known->accepted = state->accepted;
    memcpy(known->mines, state->mines, sizeof state->mines); /* lost pieces are public in flip mode, and so are these */
    known->last_kind = state->last_kind;
    known->last_seat = state->last_seat;
    known->last_outcome = state->last_outcome;
    known->n_path = state->n_path;
    memcpy(known->path, state->path, sizeof state->path);
    memcpy(known->down, state->down, sizeof state->down);
    memcpy(known->seats, state->seats, sizeof state->seats);
}

/* Flip mode: by what id a lost piece is noted for `viewer`. Of armies not his own he knows the types alone: the smallest ids. */
static int32_t noted(const junqi_setup *setup, const junqi_state *state, int32_t viewer, int32_t piece, uint64_t lost)
{
    int32_t id = piece_id(army_of(piece), type_of(piece), 0);

    if (across(setup, state, army_of(piece)) == viewer)
        return piece;
    while ((lost >> id & 1) != 0)
        id++;
    return id;
}

/* Is a piece without a space lost? In the state of a view it may also be one that is shown without its id. */
static int is_lost(const junqi_setup *setup, const junqi_state *state, int32_t piece)
{
    const int32_t army = army_of(piece), type = type_of(piece);
    int32_t place = 0; /* how many before it of this army and type have no space */

    if (!state->veiled)
        return 1;
    if (setup->mode == FLIP)
        return (int)(state->lost[0] >> piece & 1);
    for (int32_t id = piece_id(army, type, 0); id < piece; id++)
        place += state->at[id] == OFF;
    return place >= known_without_id(state, army, type);
}

/* The pieces on the board and the lost ones, as `viewer` may know them. What has been seen before may be seen again. */
static void show_pieces(const junqi_setup *setup, const junqi_state *state, int32_t viewer, junqi_view *view)
{
    junqi_state *known = &view->state;

    clear_board(setup, known);
    for (int32_t space = 0; space < SPACES; space++) {
        const int32_t occupant = state->board[space];
        if (occupant == EMPTY || occupant == WALL)
            continue;
        if (setup->mode == STANDARD)
            view->count[army_of(occupant)]++;
        known->board[space] = (uint8_t)seen(setup, state, viewer, occupant);
        if (known->board[space] <= PIECES)
            known->at[occupant] = (uint8_t)space;
        else
            known->veiled = 1;
    }
    for (int32_t piece = 1; piece <= ARMY * setup->n_seats; piece++) {
        const int32_t seat = across(setup, state, army_of(piece));
        int32_t lost;
        if (state->at[piece] != OFF || !is_lost(setup, state, piece)) {
            if (setup->mode == FLIP && seat != NONE)
                view->count[seat]++;
            continue;
        }
        lost = seen_lost(setup, state, viewer, piece);
        if (lost != EMPTY)
            view->lost[view->n_lost++] = (uint8_t)lost;
        if (setup->mode == FLIP)
            known->lost[0] |= (uint64_t)1 << noted(setup, state, viewer, piece, known->lost[0]);
    }
    if (!known->veiled)
        known->lost[0] = 0;
}

static int32_t junqi_observe(const void *setup_, const void *state_, int32_t viewer, void *view_)
{
    const junqi_setup *setup = setup_;
    const junqi_state *state = state_;
    junqi_view *view = view_;

    view->viewer = viewer;
    view->to_act = junqi_to_act(setup, state);
    if (state->phase == OVER && state->reason != ABORTED)
        settle(setup, state, view);
    show_course(state, &view->state);
    show_pieces(setup, state, viewer, view);
    for (int32_t seat = 0; seat < setup->n_seats; seat++)
        view->flag_revealed[seat] = (uint8_t)flag_is_revealed(setup, state, seat);
    return WL_OK;
}

static uint32_t junqi_disclosure(const void *setup, const void *state)
{
    (void)setup;
    return ((const junqi_state *)state)->phase == OVER ? WL_DISCLOSE_OVER : 0;
}

/* ==== Start of the match ============================================================================================== */

static int32_t junqi_check_options(wl_words *options, wl_words *position)
{
    junqi_state state = {0};
    start s;
    const int32_t error = read_options(&s, options, position != NULL);

    if (error != WL_OK || position == NULL)
        return error;
    return junqi_load_position(&s.setup, &state, position);
}

static int32_t junqi_init(void *setup_, void *state_, wl_words *options, wl_words *position, wl_draws *draws,
                          wl_event *event)
{
    junqi_setup *setup = setup_;
    junqi_state *state = state_;
    start s;
    const int32_t error = read_options(&s, options, position != NULL);

    if (error != WL_OK)
        return error;
    *setup = s.setup;
    if (position != NULL)
        return junqi_load_position(setup, state, position);
    state->phase = LAYOUT;
    state->turn = state->first = state->offer_by = NONE;
    clear_board(setup, state);
    wl_record(event, WL_REC_DRAWS, 0, WL_DISCLOSE_OVER, 0, NULL, 0);
    if (setup->mode == FLIP) {
        shuffle(setup, state, draws);
        return WL_OK;
    }
    for (int32_t seat = 0; seat < setup->n_seats; seat++)
        if (s.has_layout[seat])
            lay_out(setup, state, seat, s.layout[seat]);
        else
            draw_layout(setup, state, seat, draws);
    return WL_OK;
}

/* ==== Soundness ======================================================================================================= */

static int32_t junqi_sound_setup(const void *setup_)
{
    const junqi_setup *setup = setup_;

    if (setup->mode > FLIP || (setup->n_seats != 2 && setup->n_seats != 4) || setup->closed > 1 || setup->open_allies > 1)
        return 0;
    if (setup->mines_guard_flag > 1 || (setup->mode == FLIP && setup->n_seats != 2) || (setup->n_seats == 4 && setup->closed))
        return 0;
    if (setup->mode == FLIP && !setup->closed)
        return 0;
    for (int32_t seat = 0; seat < SEATS_MAX; seat++)
        if (!wl_between(-SCORE_MAX, setup->scores[seat], seat < setup->n_seats ? SCORE_MAX : 0))
            return 0;
    if (!wl_between(1, setup->multiplier, 1 << LEVELS) || !WL_IN_RANGE(O_GOLD_CAP, setup->gold_multiplier))
        return 0;
    if (!WL_IN_RANGE(O_STAKE, setup->stake) || !WL_IN_RANGE(O_MAX_TIMEOUTS, setup->max_timeouts))
        return 0;
    return WL_IN_RANGE(O_WIN_POINTS, setup->win_points) && WL_IN_RANGE(O_FLEE_FACTOR, setup->flee_factor) &&
           WL_IN_RANGE(O_QUIET_LIMIT, setup->quiet_limit);
}

/* Room to count on in a playout, which looks at its first state only; honest matches stay below a thousand millions. */
enum { COUNTER_MAX = 2000000000 };

/* `at` and `board` agree, walls are where they must be, what is face down is there. */
static int is_sound_board(const junqi_setup *setup, const junqi_state *state)
{
    int32_t on_board = 0;
    int32_t mines[2] = {0};
    int veiled = 0;

    if (state->board[EDGE] != WALL || state->at[0] != OFF || (state->down[SPACES / 32] >> SPACES % 32) != 0)
        return 0;
    for (int32_t space = 0; space < SPACES; space++) {
        const int32_t occupant = state->board[space];
        const int down = is_down(state, space);
        if ((occupant == WALL) == is_active(setup, space) || (occupant >= OCCUPANTS && occupant != WALL))
            return 0;
        if (down && (setup->mode != FLIP || occupant == EMPTY || occupant == WALL))
            return 0;
        if (occupant == EMPTY || occupant == WALL)
            continue;
        if (setup->mode == STANDARD ? occupant == FACE_DOWN_PIECE : wl_between(SECRET, occupant, SECRET + 3))
            return 0;
        veiled |= occupant > PIECES;
        if (occupant == FACE_DOWN_PIECE) {
            if (!down)
                return 0;
            continue;
        }
        if (army_of(occupant) >= setup->n_seats)
            return 0;
        if (occupant > PIECES)
            continue;
        if (state->at[occupant] != space)
            return 0;
        on_board++;
        if (setup->mode == FLIP && type_of(occupant) == MINE)
            mines[army_of(occupant)]++;
    }
    for (int32_t piece = 1; piece <= PIECES; piece++)
        on_board -= state->at[piece] != OFF;
    if (on_board != 0 || (state->lost[0] != 0 && (setup->mode != FLIP || !veiled)))
        return 0;
    for (int32_t army = 0; army < 2; army++)
        if (veiled ? !wl_between(mines[army], state->mines[army], 3) : state->mines[army] != mines[army])
            return 0;
    return state->veiled == veiled;
}

/* Phase layout: nothing but the armies on their grounds (flip mode: the shuffle). */
static int is_laid_out(const junqi_setup *setup, const junqi_state *state)
{
    for (int32_t space = 0; space < SPACES; space++) {
        const int32_t occupant = state->board[space];
        const int32_t seat = space < PALACES ? seat_at(setup, space / ARMY_SPACES) : NONE;
        if (seat == NONE || kind_of(space) == CAMP) {
            if (occupant != EMPTY && occupant != WALL)
                return 0;
        } else if (occupant == EMPTY || (setup->mode == FLIP ? !is_down(state, space) : army_of(occupant) != seat)) {
            return 0;
        }
    }
    return 1;
}

static int is_sound_seat(const junqi_setup *setup, const junqi_state *state, int32_t seat)
{
    const seat_state *s = &state->seats[seat];

    if (seat >= setup->n_seats)
        return (s->status | s->cause | s->ready | s->timeouts | s->offered) == 0;
    if (s->status > DEFEATED || s->cause >= CAUSES || (s->status == ALIVE && s->cause != 0) || s->ready > 1 || s->offered > 1)
        return 0;
    return s->timeouts <= setup->max_timeouts - (s->status == ALIVE);
}

static int32_t junqi_sound_state(const void *setup_, const void *state_)
{
    const junqi_setup *setup = setup_;
    const junqi_state *state = state_;
    const uint32_t seats = all_seats(setup);
    uint32_t alive;

    if (!wl_between(0, state->turns, INT64_MAX / 2) || !wl_between(0, state->steps, COUNTER_MAX) ||
        !wl_between(0, state->quiet_steps, COUNTER_MAX))
        return 0;
    if (state->phase > OVER || state->reason >= REASONS || (state->winners & ~seats) != 0)
        return 0;
    if (state->colors > SOUTH_IS_BLACK || (setup->mode == STANDARD && state->colors != NO_COLORS))
        return 0;
    if (state->first == NONE ? state->phase == PLAY : state->first >= setup->n_seats || state->phase == LAYOUT)
        return 0;
    for (int32_t seat = 0; seat < SEATS_MAX; seat++)
        if (!is_sound_seat(setup, state, seat))
            return 0;
    alive = alive_seats(setup, state);
    if (state->phase == PLAY ? state->turn >= setup->n_seats || (alive & wl_bit(state->turn)) == 0 : state->turn != NONE)
        return 0;
    if (state->phase != OVER && ((alive & team_seats(setup, 0)) == 0 || (alive & team_seats(setup, 1)) == 0))
        return 0;
    if (state->offer_by == NONE ? state->accepted != 0
                                : state->phase != PLAY || state->offer_by >= setup->n_seats ||
                                      (alive & wl_bit(state->offer_by)) == 0 || (state->accepted & ~alive) != 0)
        return 0;
    if (state->last_kind > FLIP_STEP || state->last_outcome > BOTH || state->last_seat >= setup->n_seats)
        return 0;
    if (state->last_kind == NO_STEP ? state->n_path != 0 : state->n_path < (state->last_kind == FLIP_STEP ? 1 : 2))
        return 0;
    for (int32_t i = 0; i < state->n_path; i++)
        if (!is_active(setup, state->path[i]))
            return 0;
    if (!is_sound_board(setup, state))
        return 0;
    /* Of two colours nobody has one while no piece is face up; a battle has two owners. */
    if (setup->mode == FLIP && state->phase == PLAY && state->colors == NO_COLORS)
        for (int32_t space = 0; space < SPACES; space++)
            if (state->board[space] != EMPTY && state->board[space] != WALL && !is_down(state, space))
                return 0;
    return state->phase != LAYOUT || is_laid_out(setup, state);
}

/* ==== The game ======================================================================================================== */

static int32_t junqi_seats_in(const void *setup) { return ((const junqi_setup *)setup)->n_seats; }
static int32_t junqi_phase(const void *state) { return ((const junqi_state *)state)->phase; }

/* 6: the clock starts anew whenever `turn` is set; in phase layout there is none. */
static int64_t junqi_clock(const void *setup, const void *state_, int32_t seat)
{
    const junqi_state *state = state_;

    (void)setup;
    return state->phase == PLAY && state->turn == seat ? state->turns : 0;
}

static wl_result junqi_result(const void *state_)
{
    const junqi_state *state = state_;
    const wl_result result = {state->phase == OVER, state->reason, state->winners};
    return result;
}

static const wl_game JUNQI = {
    WL_PARTS(junqi),
    .name = "junqi",
    .rules_version = 1,
    .items_max = ARMY,
    .phases = PHASE_NAMES,
    .reasons = REASON_NAMES,
    /* The largest event is a move along a path, with two lost pieces in three forms each, three defeats and an end. */
    .event_words_max = PATH_MAX + 1024,
    .draws_max = SEATS_MAX * ARMY,
    .reconfigure = NULL, /* the book allows no change of options during play */
    .trace = junqi_trace,
    .sample = junqi_sample,
    .vary = junqi_vary,
    .evaluate = junqi_evaluate,
    .numbering = &junqi_numbering,
};

const wl_game *const wl_games_junqi[] = {&JUNQI, NULL};
