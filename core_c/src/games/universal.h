/* universal.h: what universal.c and universal_position.c share: the board, setup and state, error codes. */
#ifndef WARLOG_UNIVERSAL_H
#define WARLOG_UNIVERSAL_H

#include "../game.h"
#include "universal_options.h"

/* ==== 2. Board ====================================================================================================== */

enum {
    FILES = 20,
    RANKS = 20,
    SPACES = FILES * RANKS,
    WORDS = (SPACES + 63) / 64,
    SEATS_MAX = 5,
    NOBODY = SEATS_MAX, /* owner of a neutral space, origin of a piece that is no thrall, offerer of no offer */
    IDS = 256,          /* ids are 1 ... 255 (R38) */
    FIRST_NEW_ID = 91,
    PROMOTIONS_MAX = 1000,
    MERITS_MAX = 255,
    QUIET_MAX = O_QUIET_LIMIT_MAX,
    NUMBER_MAX = 1000000000,
    COST_MAX = O_PSIONIC_COST_MAX, /* the greatest psionic_cost */
    BREEDINGS_MAX = O_BREEDING_LIMIT_MAX,
    VETERAN_MERITS_MAX = O_VETERAN_MERITS_MAX,
    CONQUEST_TURNS_MAX = 5,
};

enum { MAJORA, CHAOS, GOOD, EVIL, BALANCE };
enum { PLAY, OVER };                                                                 /* phases, 6 */
enum { BY_MIGHTY, BY_AREA, BY_RESIGNATION, BY_TIMEOUT, BY_AGREEMENT, BY_QUIET };     /* reasons, 9 */
enum { STANDARD, DOUBLE };                                                           /* modes, 4 */
enum { OPPOSITE, ROWS, COLUMNS, PAIRINGS };

#define CORNERS (1u << MAJORA | 1u << CHAOS | 1u << GOOD | 1u << EVIL)
#define EVERYBODY (CORNERS | 1u << BALANCE)

static inline int32_t file_of(int32_t space) { return space % FILES; } /* from 0 */
static inline int32_t rank_of(int32_t space) { return space / FILES; }
static inline int on_board(int32_t file, int32_t rank) { return (uint32_t)file < FILES && (uint32_t)rank < RANKS; }

static inline int32_t distance(int32_t a, int32_t b)
{
    const int32_t df = wl_abs(file_of(a) - file_of(b));
    const int32_t dr = wl_abs(rank_of(a) - rank_of(b));
    return df > dr ? df : dr;
}

typedef WL_SET(SPACES) spaces;

enum { ONE, TWO, THREE, FOUR, GREYNESS, MIDDLE }; /* regions; those before the middle are in the order of their home seats */

static inline int32_t region_of(int32_t space)
{
    const int32_t f = file_of(space) + 1;
    const int32_t r = rank_of(space) + 1;

    if (f <= 7 && r <= 7)
        return ONE;
    if (f <= 7 && r >= 14)
        return TWO;
    if (f >= 14 && r >= 14)
        return THREE;
    if (f >= 14 && r <= 7)
        return FOUR;
    return wl_abs(2 * f - 21) + wl_abs(2 * r - 21) <= 6 ? GREYNESS : MIDDLE;
}

typedef struct step {
    int8_t df, dr;
} step;

static const step SURROUNDING[8] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}; /* canonical order */

/* Directions: the orthogonal ones first. */
enum { ORTHOGONAL = 0x0f, DIAGONAL = 0xf0, ALL_WAYS = 0xff };
static const step DIRECTION[8] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}, {1, 1}, {1, -1}, {-1, -1}, {-1, 1}};

/* How many spaces lie before the edge. */
static inline int32_t room(int32_t space, step s)
{
    const int32_t f = file_of(space);
    const int32_t r = rank_of(space);
    const int32_t across = s.df > 0 ? FILES - 1 - f : s.df < 0 ? f : FILES;
    const int32_t along = s.dr > 0 ? RANKS - 1 - r : s.dr < 0 ? r : RANKS;
    return across < along ? across : along;
}

/* ==== 3. Pieces ===================================================================================================== */

enum { MIGHTY, COMMANDER, WIZARD, PSIONIC, DRAGON, MECHA, KNIGHT, ANGEL, DEMON, KINDS };
enum { SLIDE, LEAP, RING, AS_ITS_FACTION };

/* ==== 4. Setup and options =========================================================================================== */

/* What the options fix: never changes in a match. */
typedef struct universal_setup {
    uint16_t quiet_limit;
    uint8_t mode, pairing, plays; /* plays: the factions, as bits */
    uint8_t breeding_limit, psionics, psionic_cost, veterans, veteran_merits;
    uint8_t n_order, order[SEATS_MAX]; /* the turn order */
    uint8_t side[SEATS_MAX];           /* of each faction, as bits: itself and its allies; 0 for one that does not play */
    uint8_t zero_[3];
} universal_setup;
_Static_assert(sizeof(universal_setup) == 24, "the setup has no hidden padding");

/* ==== 5. State ====================================================================================================== */

enum { NOWHERE, ON_BOARD, DEAD };

typedef struct piece {
    uint16_t space;
    uint8_t where, kind, seat; /* dead: to whose dead it belongs */
    uint8_t conquering, frozen, merits;
    uint8_t origin; /* of a thrall; else NOBODY */
    uint8_t holds;  /* a psionic's thrall; else 0 */
} piece;
_Static_assert(sizeof(piece) == 10, "a piece has no hidden padding");

typedef struct out_row {
    int32_t number;
    uint8_t seat, reason, zero_[2];
} out_row;

typedef WL_SET(IDS) ids;

/* 3.6 KB, of which a match from the initial position uses 1.9 KB: rows of ids never given out are zero. `at`, `taken`,
 * `of` and `dead` follow from `pieces`; sound_state holds them to it. */
typedef struct universal_state {
    int32_t number; /* of the turn */
    uint16_t next_id, promotions, quiet;
    uint8_t phase, reason, winners;
    uint8_t seat, freeze_used, moves_left, moved, draw_offered, progress; /* the turn */
    uint8_t offer_by, offer_accepted;
    uint8_t breedings_left, in, n_out; /* in: the factions that are not out, as bits */
    uint8_t zero_[8];
    out_row out[SEATS_MAX];
    spaces area[SEATS_MAX];
    ids of[SEATS_MAX];  /* its pieces on the board */
    ids dead;           /* everybody's */
    spaces taken;       /* where pieces stand */
    uint8_t at[SPACES]; /* the id there, or 0 */
    piece pieces[IDS];
} universal_state;
_Static_assert(offsetof(universal_state, out) == 32, "no hidden padding");
_Static_assert(offsetof(universal_state, area) == 72, "no hidden padding");
_Static_assert(sizeof(universal_state) == 72 + 280 + 160 + 32 + 56 + 400 + 2560, "no hidden padding");
_Static_assert(sizeof(universal_state) % 8 == 0 && sizeof(universal_state) <= 4096, "worst case");

/* ==== Names ========================================================================================================= */

/* Actions (7): X(constant, name, flags, field ...). A field is WL_<kind>(name). */
#define ACTION_ROWS(X)                                                                                                \
    X(A_MOVE, move, 0, WL_PIECE(piece), WL_SPACE(to), WL_MAYBE(flag, conquer))                                        \
    X(A_CONQUER, conquer, 0, WL_PIECE(piece))                                                                         \
    X(A_PROMOTE, promote, 0, WL_PIECE(piece))                                                                         \
    X(A_BREED, breed, 0, WL_PIECE(piece), WL_SPACE(to), WL_OF(payment, pay))                                          \
    X(A_SUMMON, summon, 0, WL_PIECE(piece), WL_PIECE(summoned), WL_SPACE(to), WL_OF(payment, pay))                    \
    X(A_NECROMANCY, necromancy, 0, WL_PIECE(piece), WL_PIECE(raised), WL_SPACE(to), WL_OF(payment, pay))              \
    X(A_CURSE, curse, 0, WL_PIECE(piece), WL_SPACE(target), WL_OF(payment, pay))                                      \
    X(A_SEIZE, seize, 0, WL_PIECE(piece), WL_SPACE(target), WL_OF(payment, pay))                                      \
    X(A_FREEZE, freeze, 0, WL_SPACE(target))                                                                          \
    X(A_SACRIFICE, sacrifice, 0, WL_OF(payment, pay))                                                                 \
    X(A_PASS, pass, 0)                                                                                                \
    X(A_OFFER_DRAW, offer_draw, WL_GIVES_UP)                                                                          \
    X(A_ACCEPT_DRAW, accept_draw, WL_GIVES_UP)                                                                        \
    X(A_DECLINE_DRAW, decline_draw, WL_GIVES_UP)                                                                      \
    X(A_RESIGN, resign, WL_GIVES_UP)                                                                                  \
    X(A_TIMEOUT, timeout, WL_SERVER_ONLY, WL_SEAT(seat))
WL_ACTION_CONSTANTS(ACTION_ROWS);
enum { PAY_AUTO = -1 }; /* `pay`, instead of the length of a list */

/* 7 and 10, beyond the codes that all games share. X(constant, code). */
#define ERRORS(X)                                                                                                     \
    X(SEAT_OUT, seat_out)                                                                                             \
    X(ONLY_MOVES, only_moves)                                                                                         \
    X(NO_SUCH_PIECE, no_such_piece)                                                                                   \
    X(ALREADY_MOVED, already_moved)                                                                                   \
    X(PIECE_FROZEN, piece_frozen)                                                                                     \
    X(PIECE_CONQUERING, piece_conquering)                                                                             \
    X(ALREADY_CONQUERING, already_conquering)                                                                         \
    X(IMMUNE, immune)                                                                                                 \
    X(CANNOT_CONQUER, cannot_conquer)                                                                                 \
    X(NO_SUCH_ABILITY, no_such_ability)                                                                               \
    X(NO_PROMOTIONS, no_promotions)                                                                                   \
    X(WRONG_KIND, wrong_kind)                                                                                         \
    X(LIMIT_REACHED, limit_reached)                                                                                   \
    X(NO_SUCH_DEAD, no_such_dead)                                                                                     \
    X(ILLEGAL_TARGET, illegal_target)                                                                                 \
    X(ALREADY_HOLDING, already_holding)                                                                               \
    X(ALREADY_USED, already_used)                                                                                     \
    X(ALREADY_FROZEN, already_frozen)                                                                                 \
    X(NO_MOVES, no_moves)                                                                                             \
    X(CANNOT_PAY, cannot_pay)                                                                                         \
    X(BAD_PAYMENT, bad_payment)                                                                                       \
    X(PASS_NOT_ALLOWED, pass_not_allowed)                                                                             \
    X(OFFER_OPEN, offer_open)                                                                                         \
    X(NO_OFFER, no_offer)                                                                                             \
    X(POSITION_BAD_SEAT, position_bad_seat)                                                                           \
    X(POSITION_BAD_ID, position_bad_id)                                                                               \
    X(POSITION_OCCUPIED, position_occupied)                                                                           \
    X(POSITION_BAD_KIND, position_bad_kind)                                                                           \
    X(POSITION_BAD_MIGHTY, position_bad_mighty)                                                                       \
    X(POSITION_BAD_AREA, position_bad_area)                                                                           \
    X(POSITION_BAD_CONQUEST, position_bad_conquest)                                                                   \
    X(POSITION_BAD_THRALL, position_bad_thrall)                                                                       \
    X(POSITION_BAD_TURN, position_bad_turn)                                                                           \
    X(POSITION_BAD_OFFER, position_bad_offer)                                                                         \
    X(POSITION_OVER, position_over)
WL_ERROR_CONSTANTS(ERRORS);

/* ==== Pieces on the board =========================================================================================== */

static inline void put_piece(universal_state *state, int32_t id, int32_t space)
{
    piece *p = &state->pieces[id];
    p->where = ON_BOARD;
    p->space = (uint16_t)space;
    state->at[space] = (uint8_t)id;
    WL_ADD(&state->taken, space);
    WL_ADD(&state->of[p->seat], id);
}

/* ==== 7. Order of checks ============================================================================================= */

static inline int is_seizable(int32_t kind) { return kind != MIGHTY && kind != PSIONIC; }

/* ==== 6. Turn ======================================================================================================= */

static inline int32_t next_seat(const universal_setup *setup, const universal_state *state, int32_t seat)
{
    int32_t at = 0;

    while (at < setup->n_order && setup->order[at] != seat)
        at++;
    for (int32_t i = 1; i <= setup->n_order; i++) {
        const int32_t next = setup->order[(at + i) % setup->n_order];
        if (state->in >> next & 1)
            return next;
    }
    return seat;
}

/* ==== 4. Options ==================================================================================================== */

/* What is wrong with options or a Position, and the words that follow: `i` is an index in the list that the note speaks of. */
enum {
    NOTE_FACTIONS,       /* double is for its four */
    NOTE_PAIRING,        /* only in double */
    NOTE_FIRST,          /* does not play */
    NOTE_FIELD,          /* row of the fields of a Position that the codec names */
    NOTE_PIECE,          /* i: a name or number out of its range */
    NOTE_MERITS,         /* i: only with veterans */
    NOTE_OUT,            /* i: likewise */
    NOTE_OUT_SEAT,       /* i: does not play, or is out twice */
    NOTE_PIECE_SEAT,     /* i: does not play or is out */
    NOTE_DEAD_SEAT,      /* i: likewise */
    NOTE_AREA_SEAT,      /* seat: likewise */
    NOTE_TURN_SEAT,      /* likewise */
    NOTE_OFFER_SEAT,     /* likewise */
    NOTE_PIECE_ID,       /* i, greatest id */
    NOTE_DEAD_ID,        /* i, greatest id */
    NOTE_NEXT_ID,        /* least */
    NOTE_PIECE_SPACE,    /* i: taken */
    NOTE_PIECE_KIND,     /* i: no psionics */
    NOTE_DEAD_KIND,      /* i: a mighty, or no psionics */
    NOTE_MIGHTY,         /* seat, how many it has */
    NOTE_AREA_SPACE,     /* seat, place in its list: has an owner already */
    NOTE_AREA_EMPTY,     /* seat */
    NOTE_CONQUEST,       /* i, greatest, or 0: the space is one's own */
    NOTE_THRALL,         /* i: its origin cannot be */
    NOTE_HOLDS,          /* i: holds no thrall of its seat */
    NOTE_UNHELD,         /* i: held by not exactly one */
    NOTE_TURN,           /* the turn cannot be */
    NOTE_OFFER,          /* the offer cannot be */
    NOTE_OVER,           /* fewer than two sides */
};

/* The initial owners (2), for these seats: a region is numbered as the seat whose home it is. */
static inline void give_regions(spaces area[SEATS_MAX], uint32_t seats)
{
    for (int32_t space = 0; space < SPACES; space++) {
        const int32_t region = region_of(space);
        if (region != MIDDLE && (seats >> region & 1))
            WL_ADD(&area[region], space);
    }
}

/* ==== 10. Position ================================================================================================== */

static inline int two_sides_are_in(const universal_setup *setup, uint32_t in)
{
    for (int32_t i = 0; i < setup->n_order; i++)
        if ((in & ~(uint32_t)setup->side[setup->order[i]]) == 0)
            return 0;
    return 1;
}

/* ==== universal_position.c =========================================================================================== */

/* 0 or an error, and then the state may be anything. `first` begins where the Position does not say who. */
int32_t universal_load_position(const universal_setup *setup, universal_state *state, int32_t first, wl_words *words);

/* ==== universal_opponent.c =========================================================================================== */

int32_t universal_sample(const void *setup, void *state, int32_t viewer, wl_draws *draws);
void universal_evaluate(const void *setup, const void *state, int32_t *value);

/* ==== universal_numbering.c ======================================================================================= */

extern const wl_numbering universal_numbering;

#endif
