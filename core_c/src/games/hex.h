/* hex.h: what hex.c and hex_position.c share: the board, setup and state, error codes, sets of spaces. */
#ifndef WARLOG_HEX_H
#define WARLOG_HEX_H

#include "../game.h"
#include "hex_options.h"

/* ==== 2. Board ====================================================================================================== */

enum {
    COLUMNS_MAX = O_WIDTH_MAX,
    ROWS_MAX = O_HEIGHT_MAX,
    STRIDE = 32,
    SPACES_MAX = COLUMNS_MAX * ROWS_MAX,
    HIDDEN = 0xffff, /* the space of a stack, to those who may not know it */
    NOWHERE = STRIDE - 1, /* a space of no board */

    SEATS_MAX = O_SEATS_MAX,
    UNITS_MAX = 40,
    STACKS_MAX = SPACES_MAX, /* one on each space, at most */
    ARMY_MAX = O_MAX_STACKS_MAX,
    COUNT_MAX = 9999,
    ID_MAX = 999999999,
};

enum { RECRUIT, DEPLOY, PLAY, OVER };                                /* phases, 5 */
enum { IN, ELIMINATED, RESIGNED };                                   /* seat statuses, 5 */
enum { WALK, LEAP, FLY };                                            /* movement modes, 2.6 */
enum { NO_SKILL, HEAL, SUMMON };                                     /* skills, 3.1 */
enum { OBSTACLES_NONE, OBSTACLES_LIST, OBSTACLES_RANDOM };           /* options, 4.1 */
enum { ARMY_RECRUIT, ARMY_PRESET, ARMY_GIVEN };
enum { PRESET_AUTO, PRESET_HOST, PRESET_RANGERS, PRESET_COVEN, PRESET_TALONS, PRESETS };
enum { MELEE, RANGED, RETALIATION };                                 /* kinds of a blow, 10.4 */
enum { BY_ELIMINATION, BY_RESIGNATION, BY_TIMEOUT, BY_AGREEMENT, BY_ROUND_LIMIT }; /* reasons, 9.1 */

static inline int32_t row_of(int32_t space) { return (int32_t)((uint32_t)space / STRIDE); }
static inline int32_t column_of(int32_t space) { return (int32_t)((uint32_t)space % STRIDE); }
static inline int32_t space_at(int32_t column, int32_t row) { return row * STRIDE + column; }

/* A set of spaces: bit c of row[r]. */
typedef struct spaces {
    uint32_t row[ROWS_MAX];
} spaces;

static inline int has(const spaces *set, int32_t space) { return set->row[row_of(space)] >> column_of(space) & 1; }
static inline void add(spaces *set, int32_t space) { set->row[row_of(space)] |= wl_bit(column_of(space)); }
static inline void take_out(spaces *set, int32_t space) { set->row[row_of(space)] &= ~wl_bit(column_of(space)); }

_Static_assert(COLUMNS_MAX < STRIDE, "there is one more column than a board has");

/* Two rows of a set in one word, whose bits are spaces from the first row on. The processor cannot guess where a row ends that is gone
 * through bit by bit, and so it waits half as often. */
static inline uint64_t two_rows(uint32_t row, uint32_t next) { return row | (uint64_t)next << STRIDE; }

/* The lowest space of two rows, of which `r` is the first. */
static inline int32_t space_in(uint64_t rows, int32_t r) { return space_at(__builtin_ctzll(rows), r); }

/* ==== 3. Pieces ===================================================================================================== */

typedef struct unit {
    int32_t cost;
    uint16_t hp, attack, spread, skill_power;
    uint8_t level, initiative, move, movement, range, shooter, retaliations;
    uint8_t skill, skill_range, skill_uses, summon_unit;
    uint8_t zero_[1];
} unit;
_Static_assert(sizeof(unit) == 24, "a unit type has no hidden padding");

/* An entry of an army: so many of a unit. */
typedef struct entry {
    uint16_t unit, count;
} entry;

typedef struct army {
    int32_t n;
    entry entry[ARMY_MAX];
} army;

/* ==== 5. State ====================================================================================================== */

/* What the options fix: never changes in a match. */
typedef struct hex_setup {
    int32_t army_points, round_limit;
    uint8_t n_seats, teams, width, height, deploy_depth, deployment, army, max_stacks, army_preset;
    uint8_t shooter_melee_percent, defend_percent, min_damage, limit_result, own_roster, n_units;
    uint8_t zero_[1];
    unit units[UNITS_MAX];
} hex_setup;
_Static_assert(sizeof(hex_setup) == 24 + 24 * UNITS_MAX, "the setup has no hidden padding");

typedef struct stack { /* 3.3 */
    int32_t id, skill_used;
    uint16_t space, count, start_count, top_hp;
    uint16_t unit, retaliations_used;
    uint8_t seat, defending, waited, summoned;
} stack;
_Static_assert(sizeof(stack) == 24, "a stack has no hidden padding");

typedef struct seat_state {
    uint8_t status, submitted, ready, draw_offer, draw_used, n_army;
    entry army[ARMY_MAX];
} seat_state;
_Static_assert(sizeof(seat_state) == 6 + 4 * ARMY_MAX, "a seat has no hidden padding");

/* Stacks stand by ascending id. The queue holds places in `stacks`. Worst case 475 stacks: 12.8 KB; a match of two armies of
 * seven uses the first 2 KB and the rest is zero. */
typedef struct hex_state {
    int64_t turns; /* turns started so far: the clock */
    int32_t round, next_id;
    uint8_t phase, reason, winners, zero_[1];
    uint16_t n_stacks, n_queue;
    spaces obstacles;
    seat_state seats[SEATS_MAX];
    uint8_t zero2_[4];
    uint16_t queue[STACKS_MAX];
    uint8_t zero3_[2];
    stack stacks[STACKS_MAX];
    uint8_t zero4_[4];
} hex_state;
_Static_assert(sizeof(hex_state) % 8 == 0, "states stand in arrays");
_Static_assert(sizeof(hex_state) <= WL_STATE_MAX, "worst case");
_Static_assert(offsetof(hex_state, queue) == 24 + 76 + 4 * sizeof(seat_state) + 4, "no hidden padding");

/* ==== Names ========================================================================================================= */

/* Actions (7.1): X(constant, name, flags, field ...). A field is WL_<kind>(name). */
#define ACTION_ROWS(X)                                                                                                \
    X(A_RECRUIT, recruit, 0, WL_MANY(entry, army))                                                                    \
    X(A_RECRUIT_PRESET, recruit_preset, 0, WL_OF(preset, preset))                                                     \
    X(A_PLACE, place, 0, WL_PIECE(piece), WL_SPACE(to))                                                               \
    X(A_READY, ready, 0)                                                                                              \
    X(A_MOVE, move, 0, WL_PIECE(piece), WL_SPACE(to))                                                                 \
    X(A_ATTACK, attack, 0, WL_PIECE(piece), WL_SPACE(target))                                                         \
    X(A_MOVE_ATTACK, move_attack, 0, WL_PIECE(piece), WL_SPACE(to), WL_SPACE(target))                                 \
    X(A_SKILL, skill, 0, WL_PIECE(piece), WL_SPACE(target))                                                           \
    X(A_DEFEND, defend, 0, WL_PIECE(piece))                                                                           \
    X(A_WAIT, wait, 0, WL_PIECE(piece))                                                                               \
    X(A_OFFER_DRAW, offer_draw, WL_GIVES_UP)                                                                          \
    X(A_ACCEPT_DRAW, accept_draw, WL_GIVES_UP)                                                                        \
    X(A_DECLINE_DRAW, decline_draw, WL_GIVES_UP)                                                                      \
    X(A_RESIGN, resign, WL_GIVES_UP)                                                                                  \
    X(A_TIMEOUT, timeout, WL_SERVER_ONLY, WL_SEAT(seat))
WL_ACTION_CONSTANTS(ACTION_ROWS);

/* 10.5 and 10.6, beyond the codes that all games share. X(constant, code). */
#define ERRORS(X)                                                                                                     \
    X(UNKNOWN_SEAT, unknown_seat)                                                                                     \
    X(SEAT_OUT, seat_out)                                                                                             \
    X(NOT_ACTIVE_PIECE, not_active_piece)                                                                             \
    X(ALREADY_SUBMITTED, already_submitted)                                                                           \
    X(EMPTY_ARMY, empty_army)                                                                                         \
    X(TOO_MANY_STACKS, too_many_stacks)                                                                               \
    X(UNKNOWN_UNIT, unknown_unit)                                                                                     \
    X(NOT_RECRUITABLE, not_recruitable)                                                                               \
    X(BAD_COUNT, bad_count)                                                                                           \
    X(TOO_EXPENSIVE, too_expensive)                                                                                   \
    X(UNKNOWN_PRESET, unknown_preset)                                                                                 \
    X(ALREADY_READY, already_ready)                                                                                   \
    X(OUTSIDE_ZONE, outside_zone)                                                                                     \
    X(SPACE_BLOCKED, space_blocked)                                                                                   \
    X(OUT_OF_REACH, out_of_reach)                                                                                     \
    X(NO_TARGET, no_target)                                                                                           \
    X(NOT_AN_ENEMY, not_an_enemy)                                                                                     \
    X(NOT_A_FRIEND, not_a_friend)                                                                                     \
    X(OUT_OF_RANGE, out_of_range)                                                                                     \
    X(SKILL_MISSING, no_skill)                                                                                        \
    X(NO_USES_LEFT, no_uses_left)                                                                                     \
    X(NOTHING_TO_HEAL, nothing_to_heal)                                                                               \
    X(ALREADY_WAITED, already_waited)                                                                                 \
    X(DRAW_ALREADY_OFFERED, draw_already_offered)                                                                     \
    X(NO_DRAW_OFFER, no_draw_offer)                                                                                   \
    X(BAD_ROSTER, bad_roster)                                                                                         \
    X(BAD_ARMIES, bad_armies)                                                                                         \
    X(BAD_OBSTACLES, bad_obstacles)                                                                                   \
    X(POSITION_BAD_PHASE, position_bad_phase)                                                                         \
    X(POSITION_BAD_SEAT, position_bad_seat)                                                                           \
    X(POSITION_BAD_OBSTACLES, position_bad_obstacles)                                                                 \
    X(POSITION_BAD_ID, position_bad_id)                                                                               \
    X(POSITION_UNKNOWN_UNIT, position_unknown_unit)                                                                   \
    X(POSITION_BAD_SPACE, position_bad_space)                                                                         \
    X(POSITION_OVERLAP, position_overlap)                                                                             \
    X(POSITION_BAD_VALUE, position_bad_value)                                                                         \
    X(POSITION_BAD_STATUS, position_bad_status)                                                                       \
    X(POSITION_BAD_QUEUE, position_bad_queue)
WL_ERROR_CONSTANTS(ERRORS);

/* ==== Sets of spaces (2.1 - 2.6) ===================================================================================== */

/* Row `r` of the board in a set, and the next where there is one. */
static inline uint64_t rows_from(const hex_setup *setup, const spaces *set, int32_t r)
{
    return two_rows(set->row[r], r + 1 < setup->height ? set->row[r + 1] : 0);
}

static inline int on_board(const hex_setup *setup, wl_word space)
{
    return space >= 0 && space < ROWS_MAX * STRIDE && space % STRIDE < setup->width && space / STRIDE < setup->height;
}

/* 2.5: the deployment zone of a seat, a rectangle; rows and columns from 0, both ends included. */
typedef struct zone {
    int32_t first_column, last_column, first_row, last_row;
    int32_t outermost; /* the column from which AUTO-DEPLOY starts */
} zone;

static inline zone zone_of(const hex_setup *setup, int32_t seat)
{
    const int32_t west = seat == 0 || seat == 2; /* red and green */
    const int32_t low = seat == 0 || seat == 3;  /* red and yellow */
    const int32_t half = setup->height / 2;
    zone z = {0, setup->deploy_depth - 1, 0, setup->height - 1, 0};

    if (!west) {
        z.first_column = setup->width - setup->deploy_depth;
        z.last_column = z.outermost = setup->width - 1;
    }
    if (setup->n_seats > 2 && low)
        z.last_row = half - 1;
    if (setup->n_seats > 2 && !low)
        z.first_row = setup->height - half;
    return z;
}

static inline int in_zone(const hex_setup *setup, int32_t seat, int32_t space)
{
    const zone z = zone_of(setup, seat);
    return column_of(space) >= z.first_column && column_of(space) <= z.last_column && row_of(space) >= z.first_row &&
           row_of(space) <= z.last_row;
}

static inline spaces all_zones(const hex_setup *setup)
{
    spaces set = {{0}};
    for (int32_t seat = 0; seat < setup->n_seats; seat++) {
        const zone z = zone_of(setup, seat);
        for (int32_t r = z.first_row; r <= z.last_row; r++)
            for (int32_t c = z.first_column; c <= z.last_column; c++)
                add(&set, space_at(c, r));
    }
    return set;
}

/* ==== Stacks and sides (3.3, 3.4) ===================================================================================== */

static inline int32_t side_of(const hex_setup *setup, int32_t seat) { return setup->teams ? seat % 2 : seat; }

/* The place of the stack with this id, or -1. */
static inline int32_t place_of(const hex_state *state, int64_t id)
{
    int32_t low = 0;
    int32_t high = state->n_stacks;

    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (state->stacks[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < state->n_stacks && state->stacks[low].id == id ? low : -1;
}

/* ==== 4. Setup and options ============================================================================================= */

/* What is wrong with options or a Position, and the words that follow: `i` is an index in the list that the note speaks of. */
enum {
    NOTE_PRESET,         /* this preset is not there */
    NOTE_TEAMS,          /* teams need four seats */
    NOTE_STACKS,         /* greatest max_stacks */
    NOTE_UNIT,           /* i */
    NOTE_SUMMONER,       /* i: summons a type that summons */
    NOTE_NOT_RECRUITABLE, /* none of the types */
    NOTE_ARMIES,         /* how many seats need an army */
    NOTE_ARMY_SEAT,      /* i of armies */
    NOTE_ARMY_SIZE,      /* i of armies, greatest size */
    NOTE_ARMY_ENTRY,     /* i of armies, i of the army */
    NOTE_OBSTACLE,       /* i, 0: not on the board, 1: twice, 2: in a deployment zone */
    NOTE_SPLIT,          /* the obstacles part the board */
    NOTE_FORM,           /* fields or lists that do not belong to the phase */
    NOTE_PHASE,          /* 0: unknown, 1: options without recruiting, 2: stacks while recruiting, 3: no deployment */
    NOTE_ROUND,          /* least, greatest */
    NOTE_SEAT,           /* i of seats */
    NOTE_STACK_SEAT,     /* i of stacks */
    NOTE_STACK_ID,       /* i, 0: out of range, 1: twice */
    NOTE_SOME_IDS,       /* some stacks have an id, and some none */
    NOTE_NEXT_ID,        /* least */
    NOTE_STACK_UNIT,     /* i */
    NOTE_STACK_SPACE,    /* i, 0: not on the board, 1: an obstacle, 2: outside the zone of its seat */
    NOTE_STACK_OVERLAP,  /* i */
    NOTE_STACK_COUNT,    /* i, greatest */
    NOTE_STACK_START,    /* i, least, greatest */
    NOTE_STACK_HP,       /* i, greatest */
    NOTE_STACK_RETALIATIONS, /* i, greatest */
    NOTE_STACK_SKILL,    /* i, greatest */
    NOTE_SEAT_ARMY,      /* seat */
    NOTE_SEAT_STACKS,    /* seat, has it stacks? */
    NOTE_ONE_SIDE,       /* fewer than two sides are in */
    NOTE_DECIDED,        /* no seat has anything left to decide */
    NOTE_ELIMINATED,     /* a seat is eliminated before play */
    NOTE_OFFER,          /* 0: by a seat that is out, 1: all have agreed, 2: nobody made it */
    NOTE_QUEUE,          /* the queue is empty */
    NOTE_QUEUE_STACK,    /* i, 0: no such stack, 1: twice */
};

/* ==== Start of the match (4.4) ====================================================================================== */

static inline stack new_stack(const hex_setup *setup, int32_t id, int32_t seat, int32_t u, int64_t count)
{
    const stack s = {
        .id = id,
        .seat = (uint8_t)seat,
        .unit = (uint16_t)u,
        .count = (uint16_t)count,
        .start_count = (uint16_t)count,
        .top_hp = setup->units[u].hp,
    };
    return s;
}

static inline void store_army(seat_state *seat, const army *a)
{
    seat->n_army = (uint8_t)a->n;
    memcpy(seat->army, a->entry, (size_t)a->n * sizeof a->entry[0]);
    seat->submitted = 1;
}

/* ==== 7. Actions ====================================================================================================== */

/* 7.3: an army as it was posted. `n` is its true length, of which the first `n_items` / 2 entries are there. */
static inline int32_t check_army(const hex_setup *setup, wl_word n, const int32_t *items, int32_t n_items)
{
    int64_t cost = 0;

    if (n == 0)
        return EMPTY_ARMY;
    if (n > setup->max_stacks)
        return TOO_MANY_STACKS;
    if (n_items < 2 * n)
        return WL_E_MALFORMED_ACTION;
    for (wl_word i = 0; i < n; i++) {
        const int32_t u = items[2 * i];
        const int32_t count = items[2 * i + 1];
        if (!wl_between(0, u, setup->n_units - 1))
            return UNKNOWN_UNIT;
        if (setup->units[u].cost == 0)
            return NOT_RECRUITABLE;
        if (!wl_between(1, count, COUNT_MAX))
            return BAD_COUNT;
        cost += (int64_t)count * setup->units[u].cost;
    }
    return cost > setup->army_points ? TOO_EXPENSIVE : WL_OK;
}

/* ==== Start of the match ============================================================================================== */

enum { STACK_WORDS = 12 };
enum { W_ID, W_SEAT, W_UNIT, W_SPACE, W_COUNT, W_START_COUNT, W_TOP_HP, W_DEFENDING, W_WAITED, W_RETALIATIONS, W_SKILL_USED,
       W_SUMMONED };

/* ==== hex_position.c ================================================================================================= */

/* 0 or an error, and then the state may be anything. */
/* How many steps apart two spaces are (2.3). */
static inline int32_t distance(int32_t a, int32_t b)
{
    const int32_t dr = row_of(a) - row_of(b);
    const int32_t dq = column_of(a) - row_of(a) / 2 - (column_of(b) - row_of(b) / 2);
    const int32_t ds = dq + dr;
    const int32_t x = wl_abs(dq);
    const int32_t y = wl_abs(dr);
    const int32_t z = wl_abs(ds);
    const int32_t xy = x > y ? x : y;
    return xy > z ? xy : z;
}

int32_t hex_load_position(const hex_setup *setup, hex_state *state, wl_words *words);

/* ==== hex_opponent.c ================================================================================================= */

int32_t hex_sample(const void *setup, void *state, int32_t viewer, wl_draws *draws);
void hex_evaluate(const void *setup, const void *state, int32_t *value);

/* ==== hex_numbering.c ============================================================================================= */

extern const wl_numbering hex_numbering;

#endif
