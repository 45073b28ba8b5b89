/* wec.h: what the files of Weaponized Chess share: board, pieces, options, state. Section numbers are those of the rule book
 * warlog_core/rules/wec.md.
 *
 *   wec.c        the rules of play, in the book's order: seeing, Moves, checks, acts, listing, views
 *   wec_position.c  options, standard setup, Positions, and what makes a state sound
 *   wec_opponent.c  what computer opponents need
 *   wec_paths.h  the path tables of 3.3
 *   wec_options.h  the options of 4.4, made from the book's data
 *
 * Squares are numbered rank * 10 + file, both from 0 (a1 = 0, b1 = 1, a2 = 10), cells level * 100 + square, so that the
 * canonical orders are the numeric ones. Types and kinds of articles carry the numbers of the book's tables (1 ... 23, 1 ... 18);
 * 0 is none. */
#ifndef WARLOG_WEC_H
#define WARLOG_WEC_H

#include "../game.h"
#include "wec_options.h"

/* ==== 2. Board =================================================================================================== */

enum { FILES = 10, SQUARES = 100, LEVELS = 3, CELLS = SQUARES * LEVELS };
enum { GROUND, AIR, SUB, WAITING, GONE }; /* levels; a waiting reinforcement; a piece lost in the act being resolved */
enum { BLACK, WHITE, SEATS_N };
enum { DIRECTIONS = 8 };
static const struct {
    int8_t dr, dc;
} DIRECTION[DIRECTIONS] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}; /* n ne e se s sw w nw */

static inline int32_t rank_of(int32_t square) { return square / FILES; }
static inline int32_t file_of(int32_t square) { return square % FILES; }
static inline int32_t cell_of(int32_t square, int32_t level) { return level * SQUARES + square; }

/* The square so many ranks and files away, or -1 off the board. */
static inline int32_t away(int32_t square, int32_t dr, int32_t dc)
{
    const int32_t r = rank_of(square) + dr;
    const int32_t f = file_of(square) + dc;
    return (uint32_t)r < FILES && (uint32_t)f < FILES ? r * FILES + f : -1;
}

/* The directions, as bits, in which there is a neighbour; its number is so much greater. */
static const int8_t STEP[DIRECTIONS] = {10, 11, 1, -9, -10, -11, -1, 9};
static inline uint32_t open_directions(int32_t square)
{
    enum { N_SIDE = 0x83, E_SIDE = 0x0e, S_SIDE = 0x38, W_SIDE = 0xe0 };
    const int32_t r = rank_of(square);
    const int32_t f = file_of(square);
    return 0xffu & ~((r == FILES - 1 ? N_SIDE : 0u) | (f == FILES - 1 ? E_SIDE : 0u) | (r == 0 ? S_SIDE : 0u) | (f == 0 ? W_SIDE : 0u));
}

static inline int32_t neighbour(int32_t square, int32_t direction)
{
    return away(square, DIRECTION[direction].dr, DIRECTION[direction].dc);
}

static inline int32_t sign(int32_t x) { return (x > 0) - (x < 0); }

static inline int32_t distance(int32_t a, int32_t b)
{
    const int32_t r = wl_abs(rank_of(a) - rank_of(b));
    const int32_t f = wl_abs(file_of(a) - file_of(b));
    return r > f ? r : f;
}

static inline int32_t forward_of(int32_t seat) { return seat == BLACK ? 1 : -1; }

/* Of squares, or of places in the list of pieces, which take no more words. */
typedef WL_SET(SQUARES) set;

/* ==== 3. Pieces and articles ===================================================================================== */

enum { /* kinds of articles, 3.2 */
    NO_ARTICLE, FLAME, STUN, CONVERSION, ROCKET_LAUNCHER, SAM_LAUNCHER, TORPEDO_LAUNCHER, STEALTH, ANTI_FLAME, ANTI_STUN,
    ANTI_CONVERSION, ANTI_ROCKET, ANTI_SAM, ANTI_TORPEDO, ANTI_STEALTH, BICYCLE, JUMP_PACK, SCUBA, XXX, KINDS,
    LIMITED_ROCKET = KINDS, /* an ability, but no article */
};
enum { HIT_FLAME, HIT_STUN, HIT_CONVERSION, HIT_ROCKET, HIT_SAM, HIT_TORPEDO, HIT_KINDS }; /* effects that hit, 3.2 */
/* Weapon 1 + h makes hits of kind h, against which article ANTI_FLAME + h defends. */

enum { /* types, 3.1 */
    NO_TYPE, ROCKET_PAWN, STUN_PAWN, FLAME_PAWN, CONVERSION_PAWN, XXX_PAWN, STEALTH_PAWN, SAM_TORPEDO_PAWN, TANK, DOZER,
    CLERIC, CHOPPER, JET, SUBMARINE, DESTROYER, AAA, KING, DICTATOR, AVATAR, PRESIDENT, QUEEN, ASSASSIN, ACOLYTE,
    PRIME_MINISTER, TYPES
};
enum { NO_HAND, LEFT_HAND, RIGHT_HAND };

#define A(kind) (1u << (kind))
typedef struct type_rule {
    uint32_t inherent;   /* abilities, as bits of article kinds */
    uint8_t weapon[2];   /* those of them that are weapons with a countdown, in the book's order */
    uint8_t native;      /* the level above or below ground where it needs no help, GROUND for none */
    uint8_t coexisting, combat, handed;
} type_rule;

/* Laid out to be compared with table 3.1. */
/* clang-format off */
static const type_rule TYPE[TYPES] = {
    /*                      inherent abilities                                    weapons                              native  co combat handed */
    [ROCKET_PAWN]      = { A(ROCKET_LAUNCHER) | A(ANTI_ROCKET),                  {ROCKET_LAUNCHER, 0},                GROUND, 0, 1, 0 },
    [STUN_PAWN]        = { A(STUN) | A(ANTI_STUN),                               {STUN, 0},                           GROUND, 0, 1, 0 },
    [FLAME_PAWN]       = { A(FLAME) | A(ANTI_FLAME),                             {FLAME, 0},                          GROUND, 0, 1, 0 },
    [CONVERSION_PAWN]  = { A(CONVERSION) | A(ANTI_CONVERSION),                   {CONVERSION, 0},                     GROUND, 0, 1, 0 },
    [XXX_PAWN]         = { A(XXX),                                               {0, 0},                              GROUND, 0, 1, 0 },
    [STEALTH_PAWN]     = { A(STEALTH) | A(ANTI_STEALTH),                         {0, 0},                              GROUND, 0, 1, 0 },
    [SAM_TORPEDO_PAWN] = { A(SAM_LAUNCHER) | A(TORPEDO_LAUNCHER),                {SAM_LAUNCHER, TORPEDO_LAUNCHER},    GROUND, 0, 1, 0 },
    [TANK]             = { A(FLAME),                                             {FLAME, 0},                          GROUND, 0, 1, 1 },
    [DOZER]            = { 0,                                                    {0, 0},                              GROUND, 1, 0, 0 },
    [CLERIC]           = { A(CONVERSION),                                        {CONVERSION, 0},                     GROUND, 0, 1, 1 },
    [CHOPPER]          = { A(STUN),                                              {STUN, 0},                           AIR,    1, 1, 1 },
    [JET]              = { A(SAM_LAUNCHER) | A(LIMITED_ROCKET),                  {SAM_LAUNCHER, LIMITED_ROCKET},      AIR,    1, 0, 0 },
    [SUBMARINE]        = { A(TORPEDO_LAUNCHER) | A(LIMITED_ROCKET),              {TORPEDO_LAUNCHER, LIMITED_ROCKET},  SUB,    1, 0, 0 },
    [DESTROYER]        = { A(TORPEDO_LAUNCHER),                                  {TORPEDO_LAUNCHER, 0},               GROUND, 1, 0, 0 },
    [AAA]              = { A(STEALTH) | A(SAM_LAUNCHER),                         {SAM_LAUNCHER, 0},                   GROUND, 1, 0, 0 },
    [KING]             = { A(ANTI_FLAME) | A(ANTI_ROCKET),                       {0, 0},                              GROUND, 0, 1, 0 },
    [DICTATOR]         = { A(ANTI_CONVERSION) | A(ANTI_ROCKET),                  {0, 0},                              GROUND, 0, 1, 0 },
    [AVATAR]           = { A(ANTI_STUN) | A(ANTI_ROCKET),                        {0, 0},                              GROUND, 0, 1, 0 },
    [PRESIDENT]        = { A(ANTI_CONVERSION) | A(ANTI_FLAME),                   {0, 0},                              GROUND, 0, 1, 0 },
    [QUEEN]            = { A(ANTI_CONVERSION) | A(ANTI_STUN),                    {0, 0},                              GROUND, 0, 1, 0 },
    [ASSASSIN]         = { A(ANTI_FLAME) | A(ANTI_STUN),                         {0, 0},                              GROUND, 0, 1, 0 },
    [ACOLYTE]          = { A(ANTI_FLAME) | A(ANTI_CONVERSION),                   {0, 0},                              GROUND, 0, 1, 0 },
    [PRIME_MINISTER]   = { A(ANTI_ROCKET) | A(ANTI_STUN),                        {0, 0},                              GROUND, 0, 1, 0 },
};
/* clang-format on */

static inline int is_pawn(int32_t type) { return type <= SAM_TORPEDO_PAWN; }
static inline int is_primary(int32_t type) { return type >= KING && type <= PRESIDENT; }
static inline int is_secondary(int32_t type) { return type >= QUEEN; }
static inline int is_native(int32_t type, int32_t level) { return level == GROUND || level == TYPE[type].native; }

static inline int is_carrier(int32_t type) { return type == CHOPPER || type == SUBMARINE; }

/* The type that keeps others up at that level (7, Settle): choppers in the air, subs below. */
static inline int carries_at(int32_t type, int32_t level) { return type == (level == AIR ? CHOPPER : SUBMARINE); }

/* ==== 4. Options ================================================================================================= */

enum { RESTRICT_NOTHING, ONE_ACT_PER_PIECE, MOVE_ONLY };
enum { DOMINANCE_STEALTH, DOMINANCE_SUBMERSION };
enum { NONE_OF_THEM, NORMAL_AMOUNT, MORE_OF_THEM };

typedef struct wec_setup {
    uint8_t option[OPTIONS];
    uint8_t zero_[40 - OPTIONS];
} wec_setup;
_Static_assert(sizeof(wec_setup) == 40, "setups stand in arrays");

#define OPT(setup, name) ((setup)->option[O_##name])

/* 3.2: in how many own turns a weapon of this kind is ready again. */
static inline int32_t rate_of(const wec_setup *setup, int32_t kind)
{
    return setup->option[O_FLAME_RATE + (kind == LIMITED_ROCKET ? HIT_ROCKET : kind - FLAME)];
}

/* ==== 5. State =================================================================================================== */

/* The book's half-turn numbers (`ready_turn`, `stunned_until`, `revealed_until`) are kept as what is left of them, counted from
 * `turn`; 0 is the past. So equal states have equal bytes, and a byte suffices where a number would need four. */

enum { PIECES_MAX = 128, ARTICLES_MAX = 200, PROJECTILES_MAX = 64, GHOSTS_MAX = 64, CARRIED_MAX = 3, STEPS_MAX = 9 }; /* R84 */
enum { TURN_MAX = 1 << 30, ID_MAX = 32767, HIDDEN_ID = 0xffff /* a target, to those who may not know it */ };
enum { REVEALED_TURNS = 2 }; /* this half-turn and the next */
enum { HALF_TURNS_READY_MAX = 200, HALF_TURNS_STUN_MAX = 512 };

typedef struct article {
    uint8_t kind, ready; /* half-turns until it may fire */
    uint16_t lock;       /* id of the piece an anti_stealth is locked on */
} article;

enum { /* marks: what a piece has done in this half-turn, and `unmoved` */
    ACTED = 1, FIRED = 2, MOVED = 4, CONVERTED = 8, TRAVELLED = 16, UNMOVED = 32,
    MARKS_OF_A_TURN = ACTED | FIRED | MOVED | CONVERTED | TRAVELLED,
};
enum { BEELINE, PORT, STARBOARD };

/* A journey's squares to visit are kept as directions: three bits each from the lowest, their number in the top four bits. */
typedef struct piece {
    uint32_t steps;
    uint32_t kinds; /* of the articles carried, as bits: kept beside them, because every look at the board asks */
    uint16_t id;
    uint16_t lock; /* of an inherent anti_stealth */
    uint16_t stun; /* half-turns left */
    uint8_t seat, type, square, level, hand, marks;
    uint8_t revealed;            /* half-turns left, this one included */
    uint8_t ready[2];            /* of the inherent weapons */
    uint8_t transport, path;     /* of the journey; transport 0: none */
    uint8_t hits[HIT_KINDS];
    uint8_t n_articles;
    article articles[CARRIED_MAX];
} piece;
_Static_assert(sizeof(piece) == 32 + sizeof(article) * CARRIED_MAX, "a piece has no hidden padding");

static inline int32_t steps_left(const piece *p) { return (int32_t)(p->steps >> 28); }
static inline int32_t next_direction(const piece *p) { return (int32_t)(p->steps & 7); }
static inline uint32_t steps_after(uint32_t steps) { return ((steps >> 28) - 1) << 28 | (steps & 0x0fffffff) >> 3; }
static inline int32_t transport_level(int32_t kind) { return kind - BICYCLE; } /* bicycle, jump pack, SCUBA: ground, air, sub */

typedef struct heap { /* the loose articles of a square, slot by slot */
    uint8_t kind[2], ready[2];
} heap;

enum { ROCKET, SAM, TORPEDO }; /* kinds of projectiles; also the levels they fly at */
typedef struct projectile {
    uint8_t kind, seat, square, direction, strength, fresh;
    uint16_t target; /* id of the piece it homes on, 0 for none */
} projectile;

typedef struct ghost {
    uint32_t turn;
    uint8_t square, level, type, zero_;
} ghost;

enum { NOT_LOST, LOST_DESTROYED, LOST_CONVERTED };
enum { BY_DESTRUCTION, BY_CONVERSION, BY_RESIGNATION, BY_TIMEOUT, BY_AGREEMENT, BY_NO_MOVES, REASONS_N }; /* reasons, 9 */

/* Pieces and waiting reinforcements stand by ascending id, projectiles in order of creation, ghosts in theirs. */
typedef struct wec_state {
    uint64_t activation[SEATS_N * 2]; /* per seat a set of squares */
    uint64_t vacated[2];
    uint32_t turn;
    uint8_t to_move, over, reason, winners;
    uint8_t knower; /* 0: the truth; 1: what one viewer knows, and then every piece in here is seen */
    uint8_t idle_turns, draw_offer; /* 1 + seat */
    uint8_t moved, fires, pick_ups, drops, exchanges, reinforces;
    uint8_t primary_lost[SEATS_N];
    uint8_t n_pieces, n_projectiles, n_ghosts[SEATS_N];
    uint8_t zero_[1];
    heap loose[SQUARES];
    piece pieces[PIECES_MAX];
    projectile projectiles[PROJECTILES_MAX];
    ghost black_ghosts[GHOSTS_MAX], white_ghosts[GHOSTS_MAX];
} wec_state;
_Static_assert(offsetof(wec_state, loose) == 72, "no hidden padding");
_Static_assert(sizeof(wec_state) == 72 + 4 * SQUARES + 44 * PIECES_MAX + 8 * PROJECTILES_MAX + 2 * 8 * GHOSTS_MAX, "likewise");
_Static_assert(sizeof(wec_state) <= 8192, "8 KiB at most");
_Static_assert(sizeof(wec_state) % 8 == 0, "states stand in arrays");

static inline int on_board(const piece *p) { return p->level <= SUB; }

static inline ghost *ghosts_of(wec_state *state, int32_t seat)
{
    return seat == BLACK ? state->black_ghosts : state->white_ghosts;
}

/* Sets `kinds` after a change of `articles`. */
static inline void note_kinds(piece *p)
{
    p->kinds = 0;
    for (int32_t i = 0; i < p->n_articles; i++)
        p->kinds |= A(p->articles[i].kind);
}

static inline uint32_t abilities(const piece *p) { return TYPE[p->type].inherent | p->kinds; }

/* 3.2: what a piece of this type may carry when these are the kinds it carries. */
static inline int32_t capacity(int32_t type, uint32_t kinds)
{
    if (type == XXX_PAWN)
        return 2;
    return kinds & A(XXX) ? CARRIED_MAX : 1;
}

/* The place of the piece or reinforcement with this id, or -1. Ids ascend from 1 (in a view's state those of the viewer's own,
 * which stand first), so none stands further back than its id says. */
static inline int32_t place_of(const wec_state *state, int32_t id)
{
    int32_t i = id < state->n_pieces ? id : state->n_pieces;

    while (i > 0)
        if (state->pieces[--i].id == id)
            return i;
    return -1;
}

/* ==== 7.10 Error codes =========================================================================================== */

/* Actions (7): X(constant, name, flags, field ...). A field is WL_<kind>(name). */
#define ACTION_ROWS(X)                                                                                                \
    X(A_MOVE, move, 0, WL_PIECE(piece), WL_SPACE(to), WL_OF(level, level), WL_MAYBE(piece, carry))                    \
    X(A_DOZE, doze, 0, WL_PIECE(piece), WL_MANY(space, squares), WL_OF(direction, direction))                         \
    X(A_FIRE, fire, 0, WL_PIECE(piece), WL_OF(weapon, weapon), WL_MAYBE(direction, direction),                        \
      WL_MAYBE(space, target), WL_MAYBE(space, to), WL_MAYBE(path, path))                                             \
    X(A_PICK_UP, pick_up, 0, WL_PIECE(piece), WL_OF(article, article))                                                \
    X(A_DROP, drop, 0, WL_PIECE(piece), WL_OF(article, article))                                                      \
    X(A_EXCHANGE, exchange, 0, WL_PIECE(from), WL_PIECE(to), WL_OF(article, article), WL_MAYBE(article, for))         \
    X(A_REINFORCE, reinforce, 0, WL_PIECE(piece))                                                                     \
    X(A_END_TURN, end_turn, 0)                                                                                        \
    X(A_OFFER_DRAW, offer_draw, WL_GIVES_UP)                                                                          \
    X(A_ACCEPT_DRAW, accept_draw, WL_GIVES_UP)                                                                        \
    X(A_DECLINE_DRAW, decline_draw, WL_GIVES_UP)                                                                      \
    X(A_RESIGN, resign, WL_GIVES_UP)                                                                                  \
    X(A_TIMEOUT, timeout, WL_SERVER_ONLY, WL_SEAT(seat))
WL_ACTION_CONSTANTS(ACTION_ROWS);

/* Places of an action's fields. */
enum { F_PIECE = 0, F_TO = 1, F_LEVEL = 2, F_CARRY = 3 };                                        /* move */
enum { F_N_SQUARES = 1, F_SQUARES = 2, F_DOZE_DIRECTION = 6, DOZE_SQUARES_MAX = 4 };             /* doze */
enum { F_WEAPON = 1, F_DIRECTION = 2, F_TARGET = 3, F_GOAL = 4, F_PATH = 5 };                    /* fire */
enum { F_ARTICLE = 1 };                                                                          /* pick_up, drop */
enum { F_FROM = 0, F_RECEIVER = 1, F_GIVEN = 2, F_FOR = 3 };                                     /* exchange */

/* Weapons of `fire`, in their order (7, Listing): six kinds of articles, the limited rocket, three transports. */
enum { W_LIMITED_ROCKET = 6, W_BICYCLE = 7, WEAPONS_N = 10 };

/* Beyond the codes that all games share. X(constant, code). */
#define WEC_ERRORS(X)                                                                                                 \
    X(RESTRICTED, restricted)                                                                                         \
    X(ALREADY_MOVED, already_moved)                                                                                   \
    X(NO_FIRES_LEFT, no_fires_left)                                                                                   \
    X(ALREADY_PICKED_UP, already_picked_up)                                                                           \
    X(ALREADY_DROPPED, already_dropped)                                                                               \
    X(ALREADY_EXCHANGED, already_exchanged)                                                                           \
    X(ALREADY_REINFORCED, already_reinforced)                                                                         \
    X(PIECE_STUNNED, piece_stunned)                                                                                   \
    X(PIECE_JUST_CONVERTED, piece_just_converted)                                                                     \
    X(PIECE_ALREADY_ACTED, piece_already_acted)                                                                       \
    X(PIECE_IN_TRANSPORT, piece_in_transport)                                                                         \
    X(CANNOT_MOVE_HERE, cannot_move_here)                                                                             \
    X(ILLEGAL_CARRY, illegal_carry)                                                                                   \
    X(KING_RESTRICTED, king_restricted)                                                                               \
    X(NOT_A_DOZER, not_a_dozer)                                                                                       \
    X(NO_COMPANION, no_companion)                                                                                     \
    X(ILLEGAL_GROUP, illegal_group)                                                                                   \
    X(DOZE_BLOCKED, doze_blocked)                                                                                     \
    X(PIECE_ALREADY_FIRED, piece_already_fired)                                                                       \
    X(NO_SUCH_WEAPON, no_such_weapon)                                                                                 \
    X(WEAPON_NOT_READY, weapon_not_ready)                                                                             \
    X(TOO_MANY_PROJECTILES, too_many_projectiles)                                                                     \
    X(ILLEGAL_TARGET, illegal_target)                                                                                 \
    X(JOURNEY_IN_PROGRESS, journey_in_progress)                                                                       \
    X(PIECE_ALREADY_MOVED, piece_already_moved)                                                                       \
    X(NOT_ON_GROUND, not_on_ground)                                                                                   \
    X(NO_SUCH_ARTICLE, no_such_article)                                                                               \
    X(OVER_CAPACITY, over_capacity)                                                                                   \
    X(ARTICLE_IN_USE, article_in_use)                                                                                 \
    X(NO_ROOM, no_room)                                                                                               \
    X(TOO_FAR, too_far)                                                                                               \
    X(NO_SUCH_REINFORCEMENT, no_such_reinforcement)                                                                   \
    X(NOT_ACTIVATED, not_activated)                                                                                   \
    X(SQUARE_NOT_EMPTY, square_not_empty)                                                                             \
    X(MUST_MOVE, must_move)                                                                                           \
    X(DRAW_ALREADY_OFFERED, draw_already_offered)                                                                     \
    X(NO_DRAW_OFFER, no_draw_offer)                                                                                   \
    X(COMPETITIVE, competitive)                                                                                       \
    X(DUPLICATE_ID, duplicate_id)                                                                                     \
    X(TOO_MANY_PIECES, too_many_pieces)                                                                               \
    X(BAD_PIECE, bad_piece)                                                                                           \
    X(CELL_OVERFULL, cell_overfull)                                                                                   \
    X(BAD_ARTICLE, bad_article)                                                                                       \
    X(TOO_MANY_ARTICLES, too_many_articles)                                                                           \
    X(BAD_PROJECTILE, bad_projectile)                                                                                 \
    X(BAD_REINFORCEMENT, bad_reinforcement)                                                                           \
    X(MISSING_PRIMARY, missing_primary)
WL_ERROR_CONSTANTS(WEC_ERRORS);

/* ==== wec_position.c ============================================================================================= */

int32_t wec_check_options(wl_words *options, wl_words *position);
int32_t wec_init(void *setup, void *state, wl_words *options, wl_words *position, wl_draws *draws, wl_event *event);
int32_t wec_reconfigure(void *setup, void *state, wl_words *options);
int32_t wec_sound_setup(const void *setup);
int32_t wec_sound_state(const void *setup, const void *state);

/* The standard setup (4.1 - 4.3) in a state that is zero: pieces by id from 1. */
void wec_standard_start(const wec_setup *setup, wec_state *state);

/* ==== wec.c, for wec_opponent.c ================================================================================== */

/* The places of all pieces on the board that each seat does not see. */
void wec_unseen(const wec_setup *setup, const wec_state *state, set unseen[SEATS_N]);

/* Where pieces of a seat may Move to, as it sees the board: for each of these places, by level. */
typedef struct wec_moves {
    set to[LEVELS];
} wec_moves;
void wec_find_moves(const wec_setup *setup, const wec_state *state, int32_t seat, const uint8_t *places, int32_t n,
                    wec_moves *found);

/* ==== wec_opponent.c ============================================================================================= */

int32_t wec_sample(const void *setup, void *state, int32_t viewer, wl_draws *draws);
void wec_evaluate(const void *setup, const void *state, int32_t *value);

/* ==== wec_numbering.c ============================================================================================= */

extern const wl_numbering wec_numbering;

#endif
