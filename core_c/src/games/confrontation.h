/* confrontation.h: what confrontation.c and confrontation_position.c share: the board, setup and state, error codes. */
#ifndef WARLOG_CONFRONTATION_H
#define WARLOG_CONFRONTATION_H

#include "../game.h"
#include "confrontation_options.h"

/* ==== 2. Board =================================================================================================== */

enum { SPACES = 64, SEATS_MAX = O_SEATS_MAX, LINES = 8, DIRECTIONS = 8 };
enum { ARMY, ORDER, TERRAIN, SETUP, PLAY, OVER }; /* phases, 5 */

typedef uint64_t spaces; /* a set: bit s for space s */

static const spaces FILE_A = 0x0101010101010101u, FILE_H = 0x8080808080808080u, RANK_1 = 0xffu;

static inline spaces space_bit(int32_t space) { return (spaces)1 << space; }
static inline int has(spaces set, int32_t space) { return (int)(set >> space & 1); }
static inline int32_t first_of(spaces set) { return __builtin_ctzll(set); }

/* One step in a direction, in the book's order: what must not be left by it, then the shift. */
/* clang-format off */
static const struct { spaces keep; uint8_t up, down; } STEP[DIRECTIONS] = {
    /* N  */ { ~0ull,                  8, 0 },
    /* NE */ { ~0x8080808080808080ull, 9, 0 },
    /* E  */ { ~0x8080808080808080ull, 1, 0 },
    /* SE */ { ~0x8080808080808080ull, 0, 7 },
    /* S  */ { ~0ull,                  0, 8 },
    /* SW */ { ~0x0101010101010101ull, 0, 9 },
    /* W  */ { ~0x0101010101010101ull, 0, 1 },
    /* NW */ { ~0x0101010101010101ull, 7, 0 },
};
/* clang-format on */

static inline spaces step(spaces set, int32_t direction)
{
    return (set & STEP[direction].keep) << STEP[direction].up >> STEP[direction].down;
}

/* The spaces adjacent to one of `set`. */
static inline spaces around(spaces set)
{
    const spaces beside = (set & ~FILE_H) << 1 | (set & ~FILE_A) >> 1;
    const spaces row = set | beside;
    return beside | row << 8 | row >> 8;
}

/* The spaces connected by a side with one of `set`. */
static inline spaces across_sides(spaces set) { return (set & ~FILE_H) << 1 | (set & ~FILE_A) >> 1 | set << 8 | set >> 8; }

enum { BOTTOM, LEFT, TOP, RIGHT }; /* edges, in seat order: also the seats' places in the longest roster */

static const uint8_t EDGE[SEATS_MAX + 1][SEATS_MAX] = {
    [2] = {BOTTOM, TOP},
    [3] = {BOTTOM, LEFT, TOP},
    [4] = {BOTTOM, LEFT, TOP, RIGHT},
};

/* ==== 3. Pieces ================================================================================================== */

enum { KING, PAWN, ROOK, KNIGHT, BISHOP, QUEEN, TYPES };
enum { RESERVE, BOARD, FALLEN, REMOVED };
enum { FIREBALL, HEAL, HURT, JUDGEMENT, PANIC, SPELLS };
enum { DEMONS, DWARVES, ELVES, HUMANS, ORCS, UNDEAD, RACES, NO_RACE = RACES };
enum { BARRIER, COUNTERSPELL, ENHANCEMENT, ROUGH, KINDS };
enum { SWORD, ARMOUR, BOOTS, SCROLL, BANNER, RECRUIT, TREASURES };
enum { BY_MOVE, BY_FIREBALL, BY_HURT, BY_JUDGEMENT, BYS }; /* how a battle began */

typedef struct type_rule {
    uint8_t move, combat, cost;
} type_rule;

typedef struct spell_rule {
    uint8_t combat, range;
} spell_rule;

/* ==== 4. Setup and options ======================================================================================= */

enum {
    ARMY_CAP = 16,                          /* pieces of a seat, R10 */
    POINTS_MAX = O_ARMY_POINTS_MAX,                        /* to buy an army for; so more of anything cannot be bought */
    ARMY_TYPES = 5,                         /* those that are bought: pawn ... queen */
    ARMY_BISHOPS_MAX = ARMY_CAP - 2,        /* beside the King and one free Pawn at least */
    BISHOP_SPELLS_MAX = 99,                 /* R37 */
    FREE_SPELLS_MAX = O_SPELLS_PER_BISHOP_MAX,                    /* the greatest spells_per_bishop */
    /* They buy n Bishops at 1 point or more with so many spells each, and no more than POINTS_MAX - n further spells. */
    ARMY_SPELLS_MAX = FREE_SPELLS_MAX * ARMY_BISHOPS_MAX + POINTS_MAX - ARMY_BISHOPS_MAX,
    ARMY_HEAD = ARMY_TYPES + 1,
    ARMY_ITEMS_MAX = ARMY_HEAD + ARMY_BISHOPS_MAX + ARMY_SPELLS_MAX,
    NOT_GIVEN = 0xff,
};

/* An army as it was posted (7.1): a field that was not posted is NOT_GIVEN, for the seat sees its own army as it sent it. */
typedef struct army {
    uint8_t given, n_bishops, race, extra_tokens, n_spells;
    uint8_t pieces[ARMY_TYPES];
    uint8_t lengths[ARMY_BISHOPS_MAX];
    uint8_t spells[ARMY_SPELLS_MAX];
} army;
_Static_assert(sizeof(army) == 10 + ARMY_BISHOPS_MAX + ARMY_SPELLS_MAX, "an army has no hidden padding");

/* ==== 5. State =================================================================================================== */

enum {
    POSITION_ID_MAX = 9999,
    /* `recruit` makes a new Pawn only while no Pawn of the seat is off the board: 64 new ones for each seat at most. */
    ROSTER_MAX = POSITION_ID_MAX + 1 + SEATS_MAX * SPACES,
    PIECES_MAX = SPACES + 1, /* one on each space, and one that has fallen */
    AREAS_MAX = SPACES,      /* no space has two */
    ACTED_MAX = O_ACTIONS_PER_TURN_MAX,           /* the greatest actions_per_turn */
    TARGETS_MAX = 8,         /* of a Judgement */
    /* Battles won by Orcs in one action that still wait for their Fury. An action begins with at most 8 battles, and each Fury
     * takes one off and adds two at most, each of which needs a loser: a piece that is removed (64) or lives again (a token of
     * its seat). So more than some 80 need hundreds of tokens of Orcs and Undead in one action; what does not fit then gets no
     * Fury. */
    QUEUE_MAX = 1402,
};

/* What the options fix: never changes in a match. */
typedef struct conf_setup {
    int32_t turn_limit;
    uint8_t n_seats, army_points, free_pawns, actions_per_turn, spells_per_bishop, spell_cost;
    uint8_t leadership_bonus, weapon_mastery_bonus, hold_bonus, enhancement_bonus;
    uint8_t races, race_tokens, race_token_cost, treasure, terrain;
    type_rule types[TYPES];
    spell_rule spells[SPELLS];
    uint8_t zero_[1];
} conf_setup;
_Static_assert(sizeof(conf_setup) == 4 + 15 + 3 * TYPES + 2 * SPELLS + 1, "the setup has no hidden padding");

/* A piece that is not removed. */
typedef struct piece {
    uint16_t id, strength, combat_bonus, move_bonus;
    uint8_t seat, type, status, at; /* `at` 0 unless on the board */
    uint8_t spells[SPELLS];         /* how many of each */
    uint8_t zero_[3];
} piece;
_Static_assert(sizeof(piece) == 20, "a piece has no hidden padding");

typedef struct area { /* 7.3 */
    spaces spaces;
    uint8_t kind, zero_[7];
} area;
_Static_assert(sizeof(area) == 16, "an area has no hidden padding");

/* The action that is being resolved: all that is needed to go on when the open decision is made. All zero between actions. */
typedef struct work {
    int32_t attack_rating, defend_rating;
    int32_t target_rating[TARGETS_MAX];
    uint16_t mover;              /* P of 7.9; the Bishop of a spell; the piece that rose */
    uint16_t attacker, defender; /* of the battle; of Panic, the target is the defender */
    uint16_t loser;              /* who may live again */
    uint16_t trigger, first;     /* Fury: Q, and the piece of stage 1 */
    uint16_t target[TARGETS_MAX];
    uint8_t pending, owner;
    uint8_t by, from, space, hold, asked; /* the battle; asked: bit 0 the attacker's, bit 1 the defender's seat */
    uint8_t attack_die, defend_die;
    uint8_t fury, swift;            /* swift: Swift has still to be asked */
    uint8_t n_targets, next_target; /* of a Judgement */
    uint8_t zero_[3];
} work;
_Static_assert(sizeof(work) == 40 + 12 + 2 * TARGETS_MAX + 16, "the work has no hidden padding");

/* Pieces that are not removed stand in `pieces`, by ascending id; the roster says of every id, the removed ones' too, whose it is
 * and of which type: 1 + seat * TYPES + type, 0 for an id that does not exist. A Position may name 9999 removed pieces, hence
 * 16 KB at worst; an ordinary match uses the first 3 KB, and the rest is zero. */
typedef struct conf_state {
    int64_t turn;
    int64_t decisions; /* the clock: how often the match has turned to somebody else */
    int32_t race_tokens[SEATS_MAX];
    uint8_t race[SEATS_MAX];
    uint8_t phase, reason, winners, revealed; /* revealed: the seats whose army actions are public */
    uint8_t alive, submitted;                 /* seats, as bits */
    uint8_t chooser, active, actions_left, draw_offered;
    uint8_t n_order, n_acted;
    uint8_t order[SEATS_MAX];
    uint16_t acted[ACTED_MAX];
    uint16_t next_id, n_queue;
    uint8_t n_pieces, n_areas, zero_[2];
    work work;
    area areas[AREAS_MAX];
    army armies[SEATS_MAX];
    piece pieces[PIECES_MAX];
    uint8_t roster[ROSTER_MAX];
    uint16_t queue[QUEUE_MAX];
} conf_state;
_Static_assert(offsetof(conf_state, areas) == 68 + sizeof(work), "no hidden padding");
_Static_assert(sizeof(conf_state) == offsetof(conf_state, queue) + 2 * QUEUE_MAX && sizeof(conf_state) % 8 == 0, "nor here");
_Static_assert(sizeof(conf_state) <= WL_STATE_MAX, "worst case");

/* ==== Names ====================================================================================================== */

/* Actions (7): X(constant, name, flags, field ...). A field is WL_<kind>(name). */
#define ACTION_ROWS(X)                                                                                                \
    X(A_ARMY, army, 0, WL_OF(counts, pieces), WL_MAYBE_MANY(spells, bishops), WL_MAYBE(race, race),                   \
      WL_MAYBE(number, extra_tokens))                                                                                 \
    X(A_CHOOSE_ORDER, choose_order, 0, WL_NUMBER(position))                                                           \
    X(A_PLACE_TERRAIN, place_terrain, 0, WL_OF(terrain, kind), WL_MANY(space, spaces))                                \
    X(A_SKIP_TERRAIN, skip_terrain, 0)                                                                                \
    X(A_PLACE, place, 0, WL_PIECE(piece), WL_SPACE(to))                                                               \
    X(A_MOVE, move, 0, WL_PIECE(piece), WL_SPACE(to))                                                                 \
    X(A_CAST, cast, 0, WL_PIECE(piece), WL_OF(spell, spell), WL_MAYBE(space, target), WL_MAYBE(piece, revive),        \
      WL_MAYBE(space, to))                                                                                            \
    X(A_RISE, rise, 0, WL_PIECE(piece), WL_SPACE(to))                                                                 \
    X(A_HOLD, hold, 0)                                                                                                \
    X(A_LUCK, luck, 0)                                                                                                \
    X(A_LIVE_AGAIN, live_again, 0, WL_SPACE(to))                                                                      \
    X(A_RETREAT, retreat, 0, WL_SPACE(to))                                                                            \
    X(A_FURY, fury, 0, WL_PIECE(piece), WL_SPACE(to))                                                                 \
    X(A_SWIFT, swift, 0, WL_SPACE(to))                                                                                \
    X(A_CHARGE, charge, 0, WL_SPACE(to))                                                                              \
    X(A_DECLINE, decline, 0)                                                                                          \
    X(A_END_TURN, end_turn, 0)                                                                                        \
    X(A_OFFER_DRAW, offer_draw, WL_GIVES_UP)                                                                          \
    X(A_ACCEPT_DRAW, accept_draw, WL_GIVES_UP)                                                                        \
    X(A_DECLINE_DRAW, decline_draw, WL_GIVES_UP)                                                                      \
    X(A_RESIGN, resign, WL_GIVES_UP)                                                                                  \
    X(A_TIMEOUT, timeout, WL_SERVER_ONLY, WL_SEAT(seat))
WL_ACTION_CONSTANTS(ACTION_ROWS);
/* The fields of a record, where they are not simply those of the book:
 *
 *   army           the row of a preset, or WL_ABSENT when the army is in the items; race; extra_tokens; the number of items
 *   place_terrain  the length of `spaces`; kind
 *   cast           piece; spell; `target` or `revive`; `to`
 */

/* Armies, 4.4. */
enum { CLASSIC, HORDE, CAVALRY, BASTION, COVEN, LEVY, PRESETS };
/* Open decisions, 6.3. */
enum { NOTHING, HOLD, LUCK, LIVE_AGAIN, PANICKED, FURY, SWIFT, RISEN, DRAW_OFFER, DECISIONS };

/* 7 and 10.6, beyond the codes that all games share. X(constant, code). */
#define ERRORS(X)                                                                                                     \
    X(SEAT_OUT, seat_out)                                                                                             \
    X(ALREADY_SUBMITTED, already_submitted)                                                                           \
    X(UNKNOWN_PIECE, unknown_piece)                                                                                   \
    X(PIECE_NOT_ON_BOARD, piece_not_on_board)                                                                         \
    X(ALREADY_PLACED, already_placed)                                                                                 \
    X(ALREADY_ACTED, already_acted)                                                                                   \
    X(NOT_A_BISHOP, not_a_bishop)                                                                                     \
    X(SPELL_NOT_KNOWN, spell_not_known)                                                                               \
    X(ILLEGAL_TARGET, illegal_target)                                                                                 \
    X(CANNOT_HEAL, cannot_heal)                                                                                       \
    X(WRONG_RACE, wrong_race)                                                                                         \
    X(NO_TOKENS, no_tokens)                                                                                           \
    X(IMMUNE_SPACE, immune_space)                                                                                     \
    X(TOO_MANY_PIECES, too_many_pieces)                                                                               \
    X(BAD_SPELLS, bad_spells)                                                                                         \
    X(RACE_REQUIRED, race_required)                                                                                   \
    X(RACE_NOT_ALLOWED, race_not_allowed)                                                                             \
    X(TOO_MANY_POINTS, too_many_points)                                                                               \
    X(BAD_PLACE, bad_place)                                                                                           \
    X(BAD_TERRAIN_SIZE, bad_terrain_size)                                                                             \
    X(TERRAIN_NOT_CONNECTED, terrain_not_connected)                                                                   \
    X(TERRAIN_IN_ZONE, terrain_in_zone)                                                                               \
    X(TERRAIN_OVERLAP, terrain_overlap)                                                                               \
    X(ACTION_REQUIRED, action_required)                                                                               \
    X(DRAW_ALREADY_OFFERED, draw_already_offered)                                                                     \
    X(BAD_SEATS, bad_seats)                                                                                           \
    X(BAD_RACE, bad_race)                                                                                             \
    X(BAD_PLAY_ORDER, bad_play_order)                                                                                 \
    X(BAD_ACTIVE, bad_active)                                                                                         \
    X(BAD_TURN, bad_turn)                                                                                             \
    X(BAD_ACTIONS_LEFT, bad_actions_left)                                                                             \
    X(DUPLICATE_ID, duplicate_id)                                                                                     \
    X(BAD_PIECE, bad_piece)                                                                                           \
    X(DUPLICATE_SPACE, duplicate_space)                                                                               \
    X(KING_COUNT, king_count)                                                                                         \
    X(LONE_KING, lone_king)                                                                                           \
    X(BAD_ACTED, bad_acted)                                                                                           \
    X(BAD_TERRAIN, bad_terrain)
WL_ERROR_CONSTANTS(ERRORS);

/* ==== Pieces in the state ======================================================================================== */

/* Where the pieces and the terrain are, as sets; made anew when they are asked for. */
typedef struct board {
    spaces taken, own[SEATS_MAX];
    spaces terrain[KINDS];
} board;

/* The seat and type of any id that exists, removed or not. */
static inline int exists(const conf_state *state, int64_t id) { return id > 0 && id < state->next_id && state->roster[id] != 0; }
static inline int32_t seat_of(const conf_state *state, int64_t id) { return (state->roster[id] - 1) / TYPES; }
static inline int32_t type_of(const conf_state *state, int64_t id) { return (state->roster[id] - 1) % TYPES; }

static inline void enter_in_roster(conf_state *state, int32_t id, int32_t seat, int32_t type)
{
    state->roster[id] = (uint8_t)(1 + seat * TYPES + type);
    if (id >= state->next_id)
        state->next_id = (uint16_t)(id + 1);
}

/* The row of a piece that comes (back) into the match. */
static inline piece *add_piece(conf_state *state, int32_t id)
{
    int32_t at = state->n_pieces++;

    assert(state->n_pieces <= PIECES_MAX);
    for (; at > 0 && state->pieces[at - 1].id > id; at--)
        state->pieces[at] = state->pieces[at - 1];
    memset(&state->pieces[at], 0, sizeof state->pieces[at]);
    state->pieces[at].id = (uint16_t)id;
    state->pieces[at].seat = (uint8_t)seat_of(state, id);
    state->pieces[at].type = (uint8_t)type_of(state, id);
    state->pieces[at].strength = state->pieces[at].type == ROOK;
    return &state->pieces[at];
}

static inline void put_on(piece *p, int32_t space)
{
    p->status = BOARD;
    p->at = (uint8_t)space;
}

static inline int has_acted(const conf_state *state, int32_t id)
{
    for (int32_t i = 0; i < state->n_acted; i++)
        if (state->acted[i] == id)
            return 1;
    return 0;
}

/* ==== Resolution ================================================================================================= */

static inline int is_alive(const conf_state *state, int32_t seat) { return state->alive >> seat & 1; }

/* The next live seat in play order, not beginning anew; -1 after the last. `seat` -1: the first live seat of all. */
static inline int32_t later_in_order(const conf_state *state, int32_t seat)
{
    int32_t at = 0;

    if (seat >= 0) {
        while (at < state->n_order && state->order[at] != seat)
            at++;
        at++;
    }
    for (; at < state->n_order; at++)
        if (is_alive(state, state->order[at]))
            return state->order[at];
    return -1;
}

/* ==== 7.1 Armies ================================================================================================= */

static inline int32_t given_or_none(uint8_t number) { return number == NOT_GIVEN ? 0 : number; }
static inline int32_t bought(const army *a, int32_t type) { return given_or_none(a->pieces[type - PAWN]); }
static inline int32_t extra_tokens(const army *a) { return given_or_none(a->extra_tokens); }

static inline int32_t cost_of(const conf_setup *setup, const army *a)
{
    int32_t cost = setup->race_token_cost * extra_tokens(a);

    for (int32_t type = PAWN; type < TYPES; type++)
        cost += bought(a, type) * setup->types[type].cost;
    return cost + setup->spell_cost * (a->n_spells - setup->spells_per_bishop * bought(a, BISHOP));
}

/* (a) and (b), as far as numbers of pieces and lengths of lists say; then, with all its spells in `a`, (c) and (d). */
static inline int32_t check_army_size(const conf_setup *setup, const army *a, int64_t n_bishops)
{
    int32_t n = 1 + setup->free_pawns;

    for (int32_t type = PAWN; type < TYPES; type++)
        n += bought(a, type);
    if (n > ARMY_CAP)
        return TOO_MANY_PIECES;
    return n_bishops == bought(a, BISHOP) ? WL_OK : BAD_SPELLS;
}

static inline int32_t check_army_race(const conf_setup *setup, const army *a)
{
    if (setup->races)
        return a->race == NOT_GIVEN ? RACE_REQUIRED : WL_OK;
    return a->race != NOT_GIVEN || extra_tokens(a) > 0 ? RACE_NOT_ALLOWED : WL_OK;
}

static inline int32_t check_army(const conf_setup *setup, const army *a)
{
    int32_t error = check_army_size(setup, a, given_or_none(a->n_bishops));

    for (int32_t i = 0; error == WL_OK && i < bought(a, BISHOP); i++)
        if (!wl_between(setup->spells_per_bishop, a->lengths[i], BISHOP_SPELLS_MAX))
            error = BAD_SPELLS;
    if (error == WL_OK)
        error = check_army_race(setup, a);
    return error == WL_OK && cost_of(setup, a) > setup->army_points ? TOO_MANY_POINTS : error;
}

/* ==== 7.2 to 7.4 ================================================================================================= */

static inline void add_area(conf_state *state, int32_t kind, spaces set)
{
    state->areas[state->n_areas].spaces = set;
    state->areas[state->n_areas++].kind = (uint8_t)kind;
}

/* ==== 4.1 Options ================================================================================================ */

/* What is at fault in options or a Position, a row of PARTS in codecs/confrontation_explain.py; behind it the index in the list
 * or table where it is one. */
enum {
    PART_OPTION, PART_PIECE_TABLE, PART_SPELL_TABLE, PART_AREAS_UNWANTED, PART_OPTION_AREA, PART_AREA, PART_SEATS, PART_SEAT,
    PART_ALIVE, PART_RACE, PART_ORDER, PART_ORDER_SEATS, PART_ACTIVE, PART_TURN, PART_ACTIONS_LEFT, PART_PIECE, PART_KINGS,
    PART_LONE_KING, PART_ACTED
};
#define BAD_POSITION(error, ...) WL_BLAME(words, error, __VA_ARGS__)

/* One area of the options or of a Position: its kind, its spaces as a set, and how many it names; 0 if it is malformed. */
static inline int read_area(wl_words *words, wl_word *kind, spaces *set, wl_word *n)
{
    const wl_word *list;

    *kind = wl_next(words);
    *n = wl_next(words);
    *set = 0;
    list = wl_next_list(words, *n, 1);
    if (list == NULL || !wl_between(0, *kind, KINDS - 1))
        return 0;
    for (wl_word i = 0; i < *n; i++) {
        if (!wl_between(0, list[i], SPACES - 1))
            return 0;
        *set |= space_bit((int32_t)list[i]);
    }
    return 1;
}

/* ==== Start of the match ========================================================================================= */

/* A state that has nothing in it yet. */
static inline void blank(conf_state *state)
{
    memset(state, 0, sizeof *state);
    state->next_id = 1;
    memset(state->race, NO_RACE, sizeof state->race);
}

/* ==== confrontation_position.c ======================================================================================= */

/* 0 or an error, and then the state may be anything. */
int32_t conf_load_position(const conf_setup *setup, conf_state *state, wl_words *words);

/* ==== confrontation_opponent.c ======================================================================================= */

int32_t conf_sample(const void *setup, void *state, int32_t viewer, wl_draws *draws);
void conf_evaluate(const void *setup, const void *state, int32_t *value);

/* In confrontation.c: where each piece may move to (7.6), enemies included; room for PIECES_MAX. */
void conf_reaches(const conf_setup *setup, const conf_state *state, spaces *reached);

/* ==== confrontation_numbering.c =================================================================================== */

extern const wl_numbering conf_numbering;

#endif
