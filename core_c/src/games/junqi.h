/* junqi.h: what junqi.c, junqi_position.c and junqi_opponent.c share: pieces, setup and state, error codes, where a piece can go. */
#ifndef WARLOG_JUNQI_H
#define WARLOG_JUNQI_H

#include "../game.h"
#include "junqi_board.h"
#include "junqi_options.h"

/* ==== 3. Pieces ===================================================================================================== */

enum {
    SEATS_MAX = O_PLAYERS_MAX,
    ARMY = 25, /* pieces */
    PIECES = SEATS_MAX * ARMY,
    NONE = 0xff, /* no seat; no army */
    OFF = 0xff,  /* the space of a piece that is not on the board, or not known to be */
};

enum {
    FLAG, FIELD_MARSHAL, GENERAL, MAJOR_GENERAL, BRIGADIER, COLONEL, MAJOR, CAPTAIN, LIEUTENANT, ENGINEER, BOMB, MINE,
    TYPES
};

/* clang-format off */
static const struct piece_type {
    uint8_t count, rank, moves, first; /* `first`: the smallest id within the army */
} PIECE_TYPE[TYPES] = {
    /*                    count rank moves ids */
    [FLAG]          = {   1,    0,   0,    1  },
    [FIELD_MARSHAL] = {   1,    9,   1,    2  },
    [GENERAL]       = {   1,    8,   1,    3  },
    [MAJOR_GENERAL] = {   2,    7,   1,    4  },
    [BRIGADIER]     = {   2,    6,   1,    6  },
    [COLONEL]       = {   2,    5,   1,    8  },
    [MAJOR]         = {   2,    4,   1,    10 },
    [CAPTAIN]       = {   3,    3,   1,    12 },
    [LIEUTENANT]    = {   3,    2,   1,    15 },
    [ENGINEER]      = {   3,    1,   1,    18 },
    [BOMB]          = {   2,    0,   1,    21 },
    [MINE]          = {   3,    0,   0,    23 },
};
/* clang-format on */

/* What stands on a space: one byte. In a whole state it is nothing or a piece; the rest is for views. */
enum {
    EMPTY = 0,
    /* 1 ... PIECES: the piece of that id */
    KNOWN = PIECES + 1,           /* + TYPES * army + type: a piece whose id is not known */
    SECRET = KNOWN + 4 * TYPES,   /* + army: a piece whose type is not known either */
    FACE_DOWN_PIECE = SECRET + 4, /* nothing is known but that it is there */
    OCCUPANTS,
    WALL = 0xff, /* a space that does not exist in this match (2.6) */
};

/* The types of an army, by id, and all types in their order. */
#define ARMY_TYPES                                                                                                    \
    FLAG, FIELD_MARSHAL, GENERAL, MAJOR_GENERAL, MAJOR_GENERAL, BRIGADIER, BRIGADIER, COLONEL, COLONEL, MAJOR, MAJOR, \
        CAPTAIN, CAPTAIN, CAPTAIN, LIEUTENANT, LIEUTENANT, LIEUTENANT, ENGINEER, ENGINEER, ENGINEER, BOMB, BOMB,      \
        MINE, MINE, MINE
#define ALL_TYPES                                                                                                     \
    FLAG, FIELD_MARSHAL, GENERAL, MAJOR_GENERAL, BRIGADIER, COLONEL, MAJOR, CAPTAIN, LIEUTENANT, ENGINEER, BOMB, MINE
#define TWELVE(x) x, x, x, x, x, x, x, x, x, x, x, x
#define TWENTY_FIVE(x) x, TWELVE(x), TWELVE(x)

/* By occupant. NONE where there is no army, or no type is known. */
static const uint8_t ARMY_OF[] = {
    NONE, TWENTY_FIVE(0), TWENTY_FIVE(1), TWENTY_FIVE(2), TWENTY_FIVE(3),
    TWELVE(0), TWELVE(1), TWELVE(2), TWELVE(3), 0, 1, 2, 3, [FACE_DOWN_PIECE] = NONE, [WALL] = NONE,
};
static const uint8_t TYPE_OF[] = {
    NONE, ARMY_TYPES, ARMY_TYPES, ARMY_TYPES, ARMY_TYPES,
    ALL_TYPES, ALL_TYPES, ALL_TYPES, ALL_TYPES, NONE, NONE, NONE, NONE, [FACE_DOWN_PIECE] = NONE, [WALL] = NONE,
};

static inline int32_t army_of(int32_t occupant) { return ARMY_OF[occupant]; }
static inline int32_t type_of(int32_t occupant) { return TYPE_OF[occupant]; }

static inline int32_t piece_id(int32_t army, int32_t type, int32_t which)
{
    return ARMY * army + PIECE_TYPE[type].first + which;
}

enum { NO_BATTLE, ATTACKER, DEFENDER, BOTH }; /* outcomes; a view has the first for none */

/* ==== 5. State ====================================================================================================== */

enum { STANDARD, FLIP };                                                                     /* modes */
enum { LAYOUT, PLAY, OVER };                                                                 /* phases */
enum { ALIVE, DEFEATED };                                                                    /* statuses */
enum { RED, BLACK };                                                                         /* the armies of flip mode */
enum { NO_COLORS, SOUTH_IS_RED, SOUTH_IS_BLACK };                                            /* colors */
enum { NO_STEP, MOVE_STEP, FLIP_STEP };                                                  /* kinds of last_move */
enum {                                                                                       /* causes, then reasons */
    FLAG_CAPTURED, NO_MOVES, LAST_PIECE, TIMED_OUT, RESIGNED, FLED, CAUSES,
    DRAW_AGREED = CAUSES, QUIET_LIMIT, ABORTED, REASONS
};

/* What the options fix: never changes in a match. `multiplier` is that of the points, `gold_multiplier` is g (9.3, 9.4). */
typedef struct junqi_setup {
    int64_t scores[SEATS_MAX];
    int64_t stake;
    int32_t multiplier, gold_multiplier;
    int32_t move_seconds, max_timeouts, min_steps_draw, min_steps_resign, min_steps_score, quiet_limit, win_points,
        flee_factor;
    uint8_t mode, n_seats, closed, open_allies, mines_guard_flag, zero_[3];
} junqi_setup;
_Static_assert(sizeof(junqi_setup) == 88, "the setup has no hidden padding");

typedef struct seat_state {
    uint8_t status, cause, ready, timeouts, offered;
} seat_state;

enum { PATH_MAX = 255 }; /* a path made here has at most 73 spaces; one that a Position brings may be as long as this */

/* `at` and `board` tell the same: where each piece stands, and what stands on each space. In a view, what the viewer may not
 * know is OFF in the one and no id in the other. */
typedef struct junqi_state {
    int64_t turns; /* times that `turn` was set: the clock */
    int32_t steps, quiet_steps;
    uint8_t phase, turn, first, reason, winners, colors;
    uint8_t offer_by, accepted;                     /* the pending offer; seats as bits */
    uint8_t mines[2];                               /* flip mode: those on the board of red and black */
    uint8_t last_kind, last_seat, last_outcome, n_path; /* last_move; of a flip the path is its space */
    uint8_t veiled; /* the state of a view that hides something: such a one can be listed from, not played on */
    uint8_t zero_;
    uint32_t down[(SPACES + 31) / 32]; /* flip mode: the spaces of face-down pieces */
    seat_state seats[SEATS_MAX];
    uint8_t at[PIECES + 1];    /* by id; 0 is no piece's */
    uint8_t board[SPACES + 1]; /* the last is the edge, a wall */
    uint8_t path[PATH_MAX];
    uint8_t zero2_[2];
    uint64_t lost[1]; /* flip mode: pieces off the board, bits by id. Only in a view that hides something; else `at` tells it */
} junqi_state;
_Static_assert(offsetof(junqi_state, seats) == 52, "no hidden padding");
_Static_assert(sizeof(junqi_state) == 568, "no hidden padding");
_Static_assert(sizeof(junqi_state) % 8 == 0, "states stand in arrays");

/* ==== Names ========================================================================================================= */

/* Actions (7.1): X(constant, name, flags, field ...). A field is WL_<kind>(name). */
#define ACTION_ROWS(X)                                                                                                \
    X(A_SWAP, swap, 0, WL_SPACE(a), WL_SPACE(b))                                                                      \
    X(A_LAYOUT, layout, 0, WL_MANY(type, layout))                                                                     \
    X(A_READY, ready, 0)                                                                                              \
    X(A_MOVE, move, 0, WL_PIECE(piece), WL_SPACE(to))                                                                 \
    X(A_FLIP, flip, 0, WL_SPACE(at))                                                                                  \
    X(A_OFFER_DRAW, offer_draw, WL_GIVES_UP)                                                                          \
    X(A_ACCEPT_DRAW, accept_draw, WL_GIVES_UP)                                                                        \
    X(A_DECLINE_DRAW, decline_draw, WL_GIVES_UP)                                                                      \
    X(A_RESIGN, resign, WL_GIVES_UP)                                                                                  \
    X(A_TIMEOUT, timeout, WL_SERVER_ONLY, WL_SEAT(seat))                                                              \
    X(A_FLEE, flee, WL_SERVER_ONLY, WL_SEAT(seat))
WL_ACTION_CONSTANTS(ACTION_ROWS);

/* 10.3, beyond the codes that all games share. X(constant, code). */
#define ERRORS(X)                                                                                                     \
    X(INSUFFICIENT_GOLD, insufficient_gold)                                                                           \
    X(WRONG_MODE, wrong_mode)                                                                                         \
    X(SEAT_DEFEATED, seat_defeated)                                                                                   \
    X(ALREADY_READY, already_ready)                                                                                   \
    X(ILLEGAL_SWAP, illegal_swap)                                                                                     \
    X(SAME_TYPE, same_type)                                                                                           \
    X(ILLEGAL_LAYOUT, illegal_layout)                                                                                 \
    X(IMMOVABLE_PIECE, immovable_piece)                                                                               \
    X(TRAPPED_IN_HEADQUARTERS, trapped_in_headquarters)                                                               \
    X(FRIENDLY_PIECE, friendly_piece)                                                                                 \
    X(FACE_DOWN, face_down)                                                                                           \
    X(CAMP_PROTECTED, camp_protected)                                                                                 \
    X(FLAG_GUARDED, flag_guarded)                                                                                     \
    X(NOT_FACE_DOWN, not_face_down)                                                                                   \
    X(TOO_EARLY, too_early)                                                                                           \
    X(OFFER_PENDING, offer_pending)                                                                                   \
    X(ALREADY_OFFERED, already_offered)                                                                               \
    X(NO_OFFER, no_offer)                                                                                             \
    X(OWN_OFFER, own_offer)                                                                                           \
    X(ALREADY_ANSWERED, already_answered)                                                                             \
    X(SPACE_OCCUPIED, space_occupied)                                                                                 \
    X(TOO_MANY_PIECES, too_many_pieces)                                                                               \
    X(BAD_PIECE_ID, bad_piece_id)                                                                                     \
    X(TEAM_DEFEATED, team_defeated)                                                                                   \
    X(DEFEATED_WITH_PIECES, defeated_with_pieces)                                                                     \
    X(FLAG_MISSING, flag_missing)                                                                                     \
    X(FLAG_MISPLACED, flag_misplaced)                                                                                 \
    X(MINE_MISPLACED, mine_misplaced)                                                                                 \
    X(BAD_COLORS, bad_colors)                                                                                         \
    X(PIECE_MISPLACED, piece_misplaced)                                                                               \
    X(BAD_TURN, bad_turn)                                                                                             \
    X(NO_LEGAL_MOVE, no_legal_move)
WL_ERROR_CONSTANTS(ERRORS);

/* ==== Seats, armies and spaces ======================================================================================= */

static inline uint32_t all_seats(const junqi_setup *setup) { return wl_bit(setup->n_seats) - 1; }

/* 1: opposite seats are allies, and of two seats each is its own team. */
static inline int32_t team_of(int32_t seat) { return seat % 2; }

static inline uint32_t team_seats(const junqi_setup *setup, int32_t team)
{
    return all_seats(setup) & (team == 0 ? 0x5u : 0xau);
}

static inline uint32_t alive_seats(const junqi_setup *setup, const junqi_state *state)
{
    uint32_t alive = 0;
    for (int32_t seat = 0; seat < setup->n_seats; seat++)
        if (state->seats[seat].status == ALIVE)
            alive |= wl_bit(seat);
    return alive;
}

/* A seat's place among `south, east, north, west`, whose ground it also is; the same both ways. */
static inline int32_t ground_of(const junqi_setup *setup, int32_t seat) { return setup->n_seats == 4 ? seat : 2 * seat; }

/* The seat of the match that stands at this place, or NONE. */
static inline int32_t seat_at(const junqi_setup *setup, wl_word ground)
{
    if (!wl_between(0, ground, SEATS_MAX - 1) || (setup->n_seats == 2 && ground % 2 == 1))
        return NONE;
    return (int32_t)(setup->n_seats == 4 ? ground : ground / 2);
}

/* The army of a seat and the seat of an army: the same question in both directions. NONE before the colours are known. */
static inline int32_t across(const junqi_setup *setup, const junqi_state *state, int32_t seat_or_army)
{
    if (setup->mode == STANDARD)
        return seat_or_army;
    if (state->colors == NO_COLORS)
        return NONE;
    return state->colors == SOUTH_IS_RED ? seat_or_army : 1 - seat_or_army;
}

/* 2.6. */
static inline int is_active(const junqi_setup *setup, wl_word space)
{
    if (!wl_between(0, space, SPACES - 1))
        return 0;
    return !setup->closed || space >= PALACES || space / ARMY_SPACES % 2 == 0;
}

static inline int32_t kind_of(int32_t space) { return KIND[space]; }

static inline int is_down(const junqi_state *state, int32_t space) { return state->down[space / 32] >> space % 32 & 1; }

static inline void turn_down(junqi_state *state, int32_t space) { state->down[space / 32] |= wl_bit(space % 32); }
static inline void turn_up(junqi_state *state, int32_t space) { state->down[space / 32] &= ~wl_bit(space % 32); }

static inline void put(junqi_state *state, int32_t piece, int32_t space)
{
    state->at[piece] = (uint8_t)space;
    state->board[space] = (uint8_t)piece;
}

/* An empty board of this match. */
static inline void clear_board(const junqi_setup *setup, junqi_state *state)
{
    memset(state->at, OFF, sizeof state->at);
    for (int32_t space = 0; space < SPACES; space++)
        state->board[space] = is_active(setup, space) ? EMPTY : WALL;
    state->board[EDGE] = WALL;
}

/* 7.6. */
static inline int is_guarded(const junqi_setup *setup, const junqi_state *state, int32_t occupant)
{
    return setup->mines_guard_flag && type_of(occupant) == FLAG && state->mines[army_of(occupant)] > 0;
}

/* May a piece of `seat` go where this stands? What 7.4 checks of the destination, 7 to 10. */
static inline int32_t check_target(const junqi_setup *setup, const junqi_state *state, int32_t seat, int32_t space)
{
    const int32_t occupant = state->board[space];

    if (occupant == EMPTY)
        return WL_OK;
    if (occupant == WALL)
        return WL_E_ILLEGAL_DESTINATION;
    if (setup->mode == FLIP) {
        if (is_down(state, space))
            return FACE_DOWN;
        if (across(setup, state, army_of(occupant)) == seat)
            return FRIENDLY_PIECE;
        if (kind_of(space) == CAMP)
            return CAMP_PROTECTED;
        return is_guarded(setup, state, occupant) ? FLAG_GUARDED : WL_OK;
    }
    if (team_of(army_of(occupant)) == team_of(seat))
        return FRIENDLY_PIECE;
    return kind_of(space) == CAMP ? CAMP_PROTECTED : WL_OK;
}

/* 5: a piece that could in principle move; it belongs to `seat` and is on the board. */
static inline int is_able(const junqi_setup *setup, const junqi_state *state, int32_t piece)
{
    const int32_t space = state->at[piece];

    if (!PIECE_TYPE[type_of(piece)].moves)
        return 0;
    return setup->mode == FLIP ? !is_down(state, space) : kind_of(space) != HEADQUARTERS;
}

/* ==== 3.1 Movement =================================================================================================== */

/* 6.1: has the seat a legal move? Whoever can go anywhere can make a step: a run begins with one. */
static inline int has_move(const junqi_setup *setup, const junqi_state *state, int32_t seat)
{
    const int32_t army = across(setup, state, seat);

    if (army == NONE)
        return 0;
    for (int32_t piece = ARMY * army + 1; piece <= ARMY * (army + 1); piece++) {
        const int32_t from = state->at[piece];
        if (from == OFF || !is_able(setup, state, piece))
            continue;
        for (const uint8_t *next = ROADS[from]; *next != EDGE; next++)
            if (check_target(setup, state, seat, *next) == WL_OK)
                return 1;
        for (const uint8_t *next = RAILS[from]; *next != EDGE; next++)
            if (check_target(setup, state, seat, *next) == WL_OK)
                return 1;
    }
    return 0;
}

static inline int has_face_down(const junqi_state *state)
{
    uint32_t any = 0;
    for (size_t i = 0; i < sizeof state->down / sizeof state->down[0]; i++)
        any |= state->down[i];
    return any != 0;
}

/* ==== 4. Setup and options ============================================================================================= */

/* 4.2, rules 2 to 4: the cells where a type may stand, as bits. */
enum {
    FRONT_CELLS = 0x1f,       /* line 1 */
    REAR_CELLS = 0x3ff << 20, /* lines 5 and 6 */
    CAMP_CELLS = 1 << 6 | 1 << 8 | 1 << 12 | 1 << 16 | 1 << 18,
    HEADQUARTERS_CELLS = 1 << 26 | 1 << 28,
    LAYOUT_CELLS = ((1 << ARMY_SPACES) - 1) & ~CAMP_CELLS,
};
static inline uint32_t cells_for(int32_t type)
{
    switch (type) {
    case FLAG: return HEADQUARTERS_CELLS;
    case MINE: return REAR_CELLS;
    case BOMB: return LAYOUT_CELLS & ~FRONT_CELLS;
    default: return LAYOUT_CELLS;
    }
}

static inline int may_stand(int32_t type, int32_t cell) { return (cells_for(type) >> cell & 1) != 0; }

/* What is wrong with options or a Position, and the words that follow: `i` is an index in the list that the note speaks of. */
enum {
    NOTE_PLAYERS,       /* three, or not two in the mode flip */
    NOTE_WINGS,         /* not with this number of seats, or closed in the mode flip */
    NOTE_ALLIES,        /* no allies with two seats */
    NOTE_NUMBER,        /* 0 scores, 1 balances; place among SEATS: no such seat, or out of range */
    NOTE_LAYOUTS,       /* not in the mode flip, nor with a Position */
    NOTE_LAYOUT_SEAT,   /* place among SEATS: no such seat */
    NOTE_LAYOUT,        /* place among SEATS, LAYOUT_LENGTH ..., `at` */
    NOTE_GOLD,          /* place among SEATS, needed */
    NOTE_STEPS,         /* phase, steps or quiet_steps */
    NOTE_TURN,          /* turn or first */
    NOTE_COLORS,
    NOTE_SEAT,          /* i of seats */
    NOTE_ALL_READY,     /* in the phase layout */
    NOTE_PIECE,         /* i */
    NOTE_OFFER,
    NOTE_LAST_MOVE,
    NOTE_PIECE_SPACE,   /* i: not on this board */
    NOTE_PIECE_TAKEN,   /* i: two pieces on one space */
    NOTE_PIECE_COUNT,   /* i: more of its type than an army has */
    NOTE_PIECE_ID,      /* i */
    NOTE_TEAM,          /* team 0 or 1 is out */
    NOTE_OUT_PIECES,    /* seat that is out, space */
    NOTE_FLAG,          /* place among SEATS, or the army in the mode flip */
    NOTE_MISPLACED,     /* space */
    NOTE_LAYOUT_PIECES, /* not everything is laid out; space or -1 */
    NOTE_TURN_OUT,      /* the seat in turn is out */
    NOTE_NO_MOVE,       /* the seat in turn has no move */
};

/* ==== 7. Actions ====================================================================================================== */

/* The cell of a space in the seat's own army, or -1. */
static inline int32_t own_cell(const junqi_setup *setup, int32_t seat, int32_t space)
{
    const int32_t first = ARMY_SPACES * ground_of(setup, seat);
    return wl_between(first, space, first + ARMY_SPACES - 1) ? space - first : -1;
}

static inline uint32_t unready_seats(const junqi_setup *setup, const junqi_state *state)
{
    uint32_t unready = 0;
    for (int32_t seat = 0; seat < setup->n_seats; seat++)
        if (!state->seats[seat].ready)
            unready |= wl_bit(seat);
    return unready;
}

/* ==== junqi_position.c =============================================================================================== */

/* 0 or an error, and then the state may be anything. */
int32_t junqi_load_position(const junqi_setup *setup, junqi_state *state, wl_words *words);

/* ==== junqi_opponent.c =============================================================================================== */

int32_t junqi_sample(const void *setup, void *state, int32_t viewer, wl_draws *draws);
int32_t junqi_vary(const void *setup, const void *seen, void *state, wl_draws *draws);
void junqi_evaluate(const void *setup, const void *state, int32_t *value);

/* ==== junqi_numbering.c =========================================================================================== */

extern const wl_numbering junqi_numbering;

#endif
