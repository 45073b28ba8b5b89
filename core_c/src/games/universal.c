/* universal.c: Universal Chess, by the rule book warlog_core/rules/universal.md. Section numbers are the book's. Entry points:
 * universal_check (is an action legal?), universal_apply, universal_observe (what each seat sees) and the others of the table
 * UNIVERSAL at the end (WL_PARTS of ../game.h); what they use stands above them.
 *
 * Spaces are numbered (rank - 1) * 20 + file - 1 (a1 = 0, b1 = 1, a2 = 20), so that the canonical order is the numeric one.
 * A piece is the row of its id. Seats, kinds, regions and all other enumerations are rows of the book's lists.
 *
 * Actions:        fields in the book's order; `conquer` is 1 or absent; `pay` is PAY_AUTO or the length of the list.
 * Option words:   verdict (1: malformed), mode, factions (bits), pairing, first, quiet_limit, breeding_limit, psionics,
 *                 psionic_cost, veterans, veteran_merits.
 * Position words: see universal_position.c.
 * Explanations:   of actions at universal_explain, of options and Positions at the enum NOTE of universal.h;
 *                 codecs/universal_explain.py reads them.
 */
#include "universal.h"

/* ==== 3. Pieces ===================================================================================================== */

typedef struct kind_rule {
    uint8_t strength, value, movement, ways;
    uint8_t basic, boosted; /* slides and rings: how far; a leap is 1 by so much; 0: never boosted */
    uint8_t conquest_middle, conquest_region, necromancy, summonable;
    uint8_t reach; /* on a board without edges, so many destinations */
} kind_rule;

/* clang-format off */
static const kind_rule KIND[KINDS] = {
    /*              strength value movement        ways        basic boosted conquest  necromancy summonable reach */
    [MIGHTY]    = {  1,       0,   AS_ITS_FACTION, 0,          0,    0,      2, 3,     0,         0,         0 },
    [COMMANDER] = {  2,       6,   SLIDE,          ALL_WAYS,   5,    0,      3, 4,     6,         0,         8 * 5 },
    [WIZARD]    = {  3,       5,   SLIDE,          ALL_WAYS,   1,    2,      4, 5,     5,         0,         8 * 2 },
    [PSIONIC]   = {  3,       5,   SLIDE,          ALL_WAYS,   1,    2,      4, 5,     5,         0,         8 * 2 },
    [DRAGON]    = {  4,       3,   LEAP,           0,          2,    3,      4, 5,     3,         1,         8 + 8 },
    [MECHA]     = {  4,       3,   SLIDE,          ALL_WAYS,   2,    3,      4, 5,     3,         1,         8 * 3 },
    [KNIGHT]    = {  4,       3,   RING,           0,          2,    3,      4, 5,     3,         1,         16 + 24 },
    [ANGEL]     = {  5,       2,   SLIDE,          DIAGONAL,   2,    3,      4, 5,     2,         1,         4 * 3 },
    [DEMON]     = {  5,       2,   SLIDE,          ORTHOGONAL, 2,    3,      4, 5,     2,         1,         4 * 3 },
};

/* The Mighty: how it slides, and whom jumping is granted. */
typedef struct mighty_rule {
    uint8_t ways, far, jump_far, jumps_in_own_area, reach;
} mighty_rule;

static const mighty_rule MIGHTY_OF[SEATS_MAX] = {
    /*             slides               jumps  reach (Good's: beside its own area) */
    [MAJORA]  = { ORTHOGONAL, FILES - 1, 0, 0, 4 * (FILES - 1) },
    [CHAOS]   = { 0,          0,         6, 0, 13 * 13 },
    [GOOD]    = { ALL_WAYS,   5,         0, 1, 8 * 5 },
    [EVIL]    = { DIAGONAL,   FILES - 1, 0, 0, 4 * (FILES - 1) },
    [BALANCE] = { ALL_WAYS,   8,         0, 0, 8 * 8 },
};

/* What lies at most three spaces from a piece is a window: 7 by 7 spaces, one bit each, the piece itself in the midst. */
enum { NEAR = 3, WIDE = 2 * NEAR + 1 };
#define WINDOW(df, dr) ((uint64_t)1 << (WIDE * ((dr) + NEAR) + (df) + NEAR))
#define ALL_SIGNS(df, dr) (WINDOW(df, dr) | WINDOW(-(df), dr) | WINDOW(df, -(dr)) | WINDOW(-(df), -(dr)))

static const uint64_t LEAPS[NEAR + 1] = {
    [2] = ALL_SIGNS(1, 2) | ALL_SIGNS(2, 1),
    [3] = ALL_SIGNS(1, 3) | ALL_SIGNS(3, 1),
};

/* Slides in the eight directions, in the order of DIRECTION: the spaces on the way, by how far. */
#define RAY(df, dr)                                                                                                   \
    {                                                                                                                 \
        0, WINDOW(df, dr), WINDOW(df, dr) | WINDOW(2 * (df), 2 * (dr)),                                               \
            WINDOW(df, dr) | WINDOW(2 * (df), 2 * (dr)) | WINDOW(3 * (df), 3 * (dr))                                  \
    }
static const uint64_t RAYS[8][NEAR + 1] = {RAY(0, 1), RAY(1, 0),  RAY(0, -1),  RAY(-1, 0),
                                           RAY(1, 1), RAY(1, -1), RAY(-1, -1), RAY(-1, 1)};
enum { UPWARDS = 0x93 }; /* the directions in which numbers grow */

/* Ring moves: the spaces passed on each path to a displacement (longer axis, other axis). One free path is enough; the other
 * displacements are mirror images: two signs, and the two axes changed. */
typedef struct ring_rule {
    uint64_t to, path[3];
} ring_rule;

#define STEP(axes, a, b) IMAGE_##axes(a, b)
#define IMAGE_XY(a, b) WINDOW(a, b)
#define IMAGE_xY(a, b) WINDOW(-(a), b)
#define IMAGE_Xy(a, b) WINDOW(a, -(b))
#define IMAGE_xy(a, b) WINDOW(-(a), -(b))
#define IMAGE_YX(a, b) WINDOW(b, a)
#define IMAGE_yX(a, b) WINDOW(-(b), a)
#define IMAGE_Yx(a, b) WINDOW(b, -(a))
#define IMAGE_yx(a, b) WINDOW(-(b), -(a))
#define NO_PATH WINDOW(0, 0) /* never free: the knight stands there */

#define RING_20(axes) { STEP(axes, 2, 0), { STEP(axes, 1, 0), NO_PATH, NO_PATH } },
#define RING_21(axes) { STEP(axes, 2, 1), { STEP(axes, 1, 0), STEP(axes, 1, 1), NO_PATH } },
#define RING_22(axes) { STEP(axes, 2, 2), { STEP(axes, 1, 1), NO_PATH, NO_PATH } },
#define RING_30(axes) { STEP(axes, 3, 0), { STEP(axes, 1, 0) | STEP(axes, 2, 0), NO_PATH, NO_PATH } },
#define RING_31(axes) { STEP(axes, 3, 1), { STEP(axes, 1, 0) | STEP(axes, 2, 0), STEP(axes, 1, 0) | STEP(axes, 2, 1), \
                                            STEP(axes, 1, 1) | STEP(axes, 2, 1) } },
#define RING_32(axes) { STEP(axes, 3, 2), { STEP(axes, 1, 0) | STEP(axes, 2, 1), STEP(axes, 1, 1) | STEP(axes, 2, 1), \
                                            STEP(axes, 1, 1) | STEP(axes, 2, 2) } },
#define RING_33(axes) { STEP(axes, 3, 3), { STEP(axes, 1, 1) | STEP(axes, 2, 2), NO_PATH, NO_PATH } },

#define STRAIGHT(ring) ring(XY) ring(xY) ring(YX) ring(Yx)
#define CORNERWISE(ring) ring(XY) ring(xY) ring(Xy) ring(xy)
#define ASKEW(ring) ring(XY) ring(xY) ring(Xy) ring(xy) ring(YX) ring(yX) ring(Yx) ring(yx)

enum { RING_2_ROWS = 16, RING_3_ROWS = 24 };
static const ring_rule RINGS_2[RING_2_ROWS] = { STRAIGHT(RING_20) ASKEW(RING_21) CORNERWISE(RING_22) };
static const ring_rule RINGS_3[RING_3_ROWS] = { STRAIGHT(RING_30) ASKEW(RING_31) ASKEW(RING_32) CORNERWISE(RING_33) };

/* Costs, before Balance's discount; those of necromancy stand with the kinds. */
enum { BREED_COST = 3, SACRIFICE_COST = 5, SUMMON_COST = 1, CURSE_COST = 3 };
enum { LINE_FAR = 4 }; /* how far a Death Curse and a Mind Seizure reach */

/* ==== 4. Setup and options =========================================================================================== */

typedef struct placed {
    uint8_t kind;
    uint16_t space;
} placed;

enum { A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T };
#define AT(file, rank) (file) + ((rank) - 1) * FILES

/* Majora, Chaos, Good and Evil side by side; the same pattern turned by 90 degrees from each to the next. */
static const placed INITIAL[FIRST_NEW_ID] = {
    [1]  = {MIGHTY,    AT(A,  1)}, [18] = {MIGHTY,    AT(A, 20)}, [35] = {MIGHTY,    AT(T, 20)}, [52] = {MIGHTY,    AT(T,  1)},
    [2]  = {COMMANDER, AT(D,  2)}, [19] = {COMMANDER, AT(B, 17)}, [36] = {COMMANDER, AT(Q, 19)}, [53] = {COMMANDER, AT(S,  4)},
    [3]  = {COMMANDER, AT(B,  4)}, [20] = {COMMANDER, AT(D, 19)}, [37] = {COMMANDER, AT(S, 17)}, [54] = {COMMANDER, AT(Q,  2)},
    [4]  = {WIZARD,    AT(C,  1)}, [21] = {WIZARD,    AT(A, 18)}, [38] = {WIZARD,    AT(R, 20)}, [55] = {WIZARD,    AT(T,  3)},
    [5]  = {WIZARD,    AT(A,  3)}, [22] = {WIZARD,    AT(C, 20)}, [39] = {WIZARD,    AT(T, 18)}, [56] = {WIZARD,    AT(R,  1)},
    [6]  = {MECHA,     AT(E,  1)}, [23] = {DRAGON,    AT(A, 16)}, [40] = {KNIGHT,    AT(P, 20)}, [57] = {KNIGHT,    AT(T,  5)},
    [7]  = {MECHA,     AT(C,  3)}, [24] = {DRAGON,    AT(C, 18)}, [41] = {KNIGHT,    AT(R, 18)}, [58] = {DRAGON,    AT(R,  3)},
    [8]  = {MECHA,     AT(E,  3)}, [25] = {DRAGON,    AT(C, 16)}, [42] = {KNIGHT,    AT(P, 18)}, [59] = {DRAGON,    AT(R,  5)},
    [9]  = {MECHA,     AT(D,  4)}, [26] = {DRAGON,    AT(D, 17)}, [43] = {KNIGHT,    AT(Q, 17)}, [60] = {KNIGHT,    AT(Q,  4)},
    [10] = {MECHA,     AT(A,  5)}, [27] = {DRAGON,    AT(E, 20)}, [44] = {KNIGHT,    AT(T, 16)}, [61] = {KNIGHT,    AT(P,  1)},
    [11] = {MECHA,     AT(C,  5)}, [28] = {DRAGON,    AT(E, 18)}, [45] = {KNIGHT,    AT(R, 16)}, [62] = {DRAGON,    AT(P,  3)},
    [12] = {ANGEL,     AT(F,  1)}, [29] = {DEMON,     AT(A, 15)}, [46] = {ANGEL,     AT(O, 20)}, [63] = {DEMON,     AT(T,  6)},
    [13] = {ANGEL,     AT(F,  3)}, [30] = {DEMON,     AT(C, 15)}, [47] = {ANGEL,     AT(O, 18)}, [64] = {DEMON,     AT(R,  6)},
    [14] = {ANGEL,     AT(F,  4)}, [31] = {DEMON,     AT(D, 15)}, [48] = {ANGEL,     AT(O, 17)}, [65] = {DEMON,     AT(Q,  6)},
    [15] = {ANGEL,     AT(A,  6)}, [32] = {DEMON,     AT(F, 20)}, [49] = {ANGEL,     AT(T, 15)}, [66] = {DEMON,     AT(O,  1)},
    [16] = {ANGEL,     AT(C,  6)}, [33] = {DEMON,     AT(F, 18)}, [50] = {ANGEL,     AT(R, 15)}, [67] = {DEMON,     AT(O,  3)},
    [17] = {ANGEL,     AT(D,  6)}, [34] = {DEMON,     AT(F, 17)}, [51] = {ANGEL,     AT(Q, 15)}, [68] = {DEMON,     AT(O,  4)},
    /* Balance */
    [69] = {MIGHTY,    AT(J, 10)}, [70] = {COMMANDER, AT(K, 10)}, [71] = {COMMANDER, AT(J, 11)}, [72] = {WIZARD,    AT(L, 10)},
    [73] = {WIZARD,    AT(I, 11)}, [74] = {DRAGON,    AT(J,  8)}, [75] = {DRAGON,    AT(M, 10)}, [76] = {DRAGON,    AT(H, 11)},
    [77] = {DRAGON,    AT(K, 13)}, [78] = {KNIGHT,    AT(K,  8)}, [79] = {KNIGHT,    AT(J, 13)}, [80] = {MECHA,     AT(H, 10)},
    [81] = {MECHA,     AT(M, 11)}, [82] = {ANGEL,     AT(I,  9)}, [83] = {ANGEL,     AT(L,  9)}, [84] = {DEMON,     AT(I, 12)},
    [85] = {DEMON,     AT(L, 12)},
    /* the option psionics */
    [86] = {PSIONIC,   AT(B,  2)}, [87] = {PSIONIC,   AT(B, 19)}, [88] = {PSIONIC,   AT(S, 19)}, [89] = {PSIONIC,   AT(S,  2)},
    [90] = {PSIONIC,   AT(K, 11)},
};
/* clang-format on */
enum { ARMY = 17, FIRST_PSIONIC = 86 };

static int32_t initial_seat(int32_t id) { return id < FIRST_PSIONIC ? (id - 1) / ARMY : id - FIRST_PSIONIC; }

/* Turn order of the double mode, and the ally of majora. */
static const uint8_t DOUBLE_ORDER[PAIRINGS][4] = {
    [OPPOSITE] = {MAJORA, CHAOS, GOOD, EVIL},
    [ROWS] = {MAJORA, CHAOS, EVIL, GOOD},
    [COLUMNS] = {MAJORA, GOOD, CHAOS, EVIL},
};
static const uint8_t ALLY_OF_MAJORA[PAIRINGS] = {[OPPOSITE] = GOOD, [ROWS] = EVIL, [COLUMNS] = CHAOS};

/* ==== 5. State ====================================================================================================== */

/* Everybody sees everything; what is derived comes with it. */
typedef struct universal_view {
    int32_t viewer;
    uint32_t to_act;
    uint64_t boosted[IDS / 64]; /* ids */
    universal_state state;
} universal_view;

static const wl_field SETUP_FIELDS[] = {
    WL_FIELD(universal_setup, quiet_limit),
    WL_FIELD(universal_setup, mode),
    WL_FIELD(universal_setup, pairing),
    WL_FIELD(universal_setup, plays),
    WL_FIELD(universal_setup, breeding_limit),
    WL_FIELD(universal_setup, psionics),
    WL_FIELD(universal_setup, psionic_cost),
    WL_FIELD(universal_setup, veterans),
    WL_FIELD(universal_setup, veteran_merits),
    WL_FIELD(universal_setup, n_order),
    WL_ARRAY(universal_setup, order),
    WL_ARRAY(universal_setup, side),
    WL_FIELDS_END,
};

static const wl_field PIECE_FIELDS[] = {
    WL_FIELD(piece, space),      WL_FIELD(piece, where),  WL_FIELD(piece, kind),   WL_FIELD(piece, seat),
    WL_FIELD(piece, conquering), WL_FIELD(piece, frozen), WL_FIELD(piece, merits), WL_FIELD(piece, origin),
    WL_FIELD(piece, holds),      WL_FIELDS_END,
};
static const wl_field OUT_FIELDS[] = {
    WL_FIELD(out_row, number), WL_FIELD(out_row, seat), WL_FIELD(out_row, reason), WL_FIELDS_END,
};
static const wl_field SPACES_FIELDS[] = {WL_ARRAY(spaces, word), WL_FIELDS_END};
static const wl_field IDS_FIELDS[] = {WL_ARRAY(ids, word), WL_FIELDS_END};

static const wl_field STATE_LAYOUT[] = {
    WL_FIELD(universal_state, number),
    WL_FIELD(universal_state, next_id),
    WL_FIELD(universal_state, promotions),
    WL_FIELD(universal_state, quiet),
    WL_FIELD(universal_state, phase),
    WL_FIELD(universal_state, reason),
    WL_FIELD(universal_state, winners),
    WL_FIELD(universal_state, seat),
    WL_FIELD(universal_state, freeze_used),
    WL_FIELD(universal_state, moves_left),
    WL_FIELD(universal_state, moved),
    WL_FIELD(universal_state, draw_offered),
    WL_FIELD(universal_state, progress),
    WL_FIELD(universal_state, offer_by),
    WL_FIELD(universal_state, offer_accepted),
    WL_FIELD(universal_state, breedings_left),
    WL_FIELD(universal_state, in),
    WL_FIELD(universal_state, n_out),
    WL_ROWS(universal_state, out, n_out, OUT_FIELDS),
    WL_ALL_ROWS(universal_state, area, SPACES_FIELDS),
    WL_ALL_ROWS(universal_state, of, IDS_FIELDS),
    WL_ROW(universal_state, dead, IDS_FIELDS),
    WL_ROW(universal_state, taken, SPACES_FIELDS),
    WL_ARRAY(universal_state, at),
    WL_ROWS(universal_state, pieces, next_id, PIECE_FIELDS),
    WL_FIELDS_END,
};

static const wl_field VIEW_LAYOUT[] = {
    WL_FIELD(universal_view, viewer),
    WL_FIELD(universal_view, to_act),
    WL_ARRAY(universal_view, boosted),
    WL_FIELDS_END,
};

/* ==== Names ========================================================================================================= */

static const char *const SEATS[] = {"majora", "chaos", "good", "evil", "balance", NULL};
static const char *const PHASES[] = {"play", "over", NULL};
static const char *const REASONS[] = {"mighty_lost", "no_area", "resigned", "timeout", "draw_agreed", "quiet_limit", NULL};

WL_ACTION_TYPES(ACTION_ROWS);

/* Where the fields of each action stand; -1: it has none. */
typedef struct action_fields {
    int8_t space, pay;
} action_fields;
static const action_fields FIELDS_OF[ACTIONS] = {
    [A_MOVE] = {1, -1},      [A_CONQUER] = {-1, -1},     [A_PROMOTE] = {-1, -1},      [A_BREED] = {1, 2},
    [A_SUMMON] = {2, 3},     [A_NECROMANCY] = {2, 3},    [A_CURSE] = {1, 2},          [A_SEIZE] = {1, 2},
    [A_FREEZE] = {0, -1},    [A_SACRIFICE] = {-1, 0},    [A_PASS] = {-1, -1},         [A_OFFER_DRAW] = {-1, -1},
    [A_ACCEPT_DRAW] = {-1, -1}, [A_DECLINE_DRAW] = {-1, -1}, [A_RESIGN] = {-1, -1},   [A_TIMEOUT] = {-1, -1},
};

/* Effects (10): X(constant, name, field ...). */
#define EFFECT_ROWS(X)                                                                                                \
    X(E_TURN, turn, WL_SEAT(seat), WL_NUMBER(number))                                                                 \
    X(E_PAID, paid, WL_SEAT(seat), WL_MANY(space, spaces))                                                            \
    X(E_MOVED, moved, WL_PIECE(piece), WL_SPACE(from), WL_SPACE(to))                                                  \
    X(E_CAPTURED, captured, WL_PIECE(piece), WL_OF(kind, kind), WL_SEAT(seat), WL_SPACE(at), WL_PIECE(by))            \
    X(E_PROMOTION_EARNED, promotion_earned, WL_NUMBER(promotions))                                                    \
    X(E_VETERAN, veteran, WL_PIECE(piece), WL_SPACE(at))                                                              \
    X(E_CONQUEST_STARTED, conquest_started, WL_PIECE(piece), WL_SPACE(at), WL_NUMBER(turns))                          \
    X(E_CONQUEST_BROKEN, conquest_broken, WL_PIECE(piece), WL_SPACE(at))                                              \
    X(E_CONQUEST_PROGRESS, conquest_progress, WL_PIECE(piece), WL_SPACE(at), WL_NUMBER(left))                         \
    X(E_CONQUERED, conquered, WL_PIECE(piece), WL_SPACE(at), WL_SEAT(seat), WL_MAYBE(seat, previous))                 \
    X(E_PROMOTED, promoted, WL_PIECE(piece), WL_SPACE(at), WL_OF(kind, kind))                                         \
    X(E_BRED, bred, WL_PIECE(piece), WL_PIECE(parent), WL_SPACE(at))                                                  \
    X(E_SUMMONED, summoned, WL_PIECE(piece), WL_SPACE(from), WL_SPACE(to), WL_PIECE(by))                              \
    X(E_RAISED, raised, WL_PIECE(piece), WL_OF(kind, kind), WL_SPACE(at), WL_PIECE(by))                               \
    X(E_CURSED, cursed, WL_PIECE(piece), WL_OF(kind, kind), WL_SEAT(seat), WL_SPACE(at), WL_PIECE(by))                \
    X(E_SEIZED, seized, WL_PIECE(piece), WL_OF(kind, kind), WL_SPACE(at), WL_SEAT(previous), WL_SEAT(seat),           \
      WL_PIECE(by))                                                                                                   \
    X(E_RELEASED, released, WL_PIECE(piece), WL_SPACE(at), WL_SEAT(seat))                                             \
    X(E_FROZEN, frozen, WL_PIECE(piece), WL_SPACE(at))                                                                \
    X(E_THAWED, thawed, WL_PIECE(piece), WL_SPACE(at))                                                                \
    X(E_SACRIFICED, sacrificed, WL_SEAT(seat))                                                                        \
    X(E_PASSED, passed, WL_SEAT(seat))                                                                                \
    X(E_ELIMINATED, eliminated, WL_SEAT(seat), WL_OF(out_reason, reason))                                             \
    X(E_DRAW_OFFERED, draw_offered, WL_SEAT(seat))                                                                    \
    X(E_DRAW_ACCEPTED, draw_accepted, WL_SEAT(seat))                                                                  \
    X(E_DRAW_DECLINED, draw_declined, WL_SEAT(seat))                                                                  \
    X(E_DRAW_LAPSED, draw_lapsed, WL_SEAT(seat))                                                                      \
    X(E_FINISHED, finished, WL_OF(seats, winners), WL_OF(reason, reason))
WL_EFFECTS(EFFECT_ROWS);

static const char *const ERROR_NAMES[] = WL_ERROR_NAMES(ERRORS);

/* ==== Pieces on the board =========================================================================================== */

/* for (each piece of a seat on the board, by ascending id). */
#define EACH_PIECE(state, seat, id) WL_EACH(&(state)->of[seat], id)

static void lift_piece(universal_state *state, int32_t id)
{
    const piece *p = &state->pieces[id];
    state->at[p->space] = 0;
    WL_REMOVE(&state->taken, p->space);
    WL_REMOVE(&state->of[p->seat], id);
}

static void shift_piece(universal_state *state, int32_t id, int32_t to)
{
    piece *p = &state->pieces[id];
    state->at[p->space] = 0;
    state->at[to] = (uint8_t)id;
    WL_REMOVE(&state->taken, p->space);
    WL_ADD(&state->taken, to);
    p->space = (uint16_t)to;
}

static void change_side(universal_state *state, int32_t id, int32_t seat)
{
    piece *p = &state->pieces[id];
    WL_REMOVE(&state->of[p->seat], id);
    p->seat = (uint8_t)seat;
    WL_ADD(&state->of[seat], id);
}

static int stands(const universal_state *state, int32_t id)
{
    return wl_between(1, id, IDS - 1) && state->pieces[id].where == ON_BOARD;
}

static int opposing(const universal_setup *setup, int32_t seat, int32_t other) { return (setup->side[seat] >> other & 1) == 0; }

/* The piece on a space if it opposes the seat, else 0. */
static int32_t opponent_at(const universal_setup *setup, const universal_state *state, int32_t seat, int32_t space)
{
    const int32_t id = state->at[space];
    return id != 0 && opposing(setup, seat, state->pieces[id].seat) ? id : 0;
}

/* The Mighty of a faction that is not out. */
static int32_t mighty_of(const universal_state *state, int32_t seat)
{
    int32_t id;
    EACH_PIECE(state, seat, id)
        if (state->pieces[id].kind == MIGHTY)
            return id;
    return 0;
}

static int32_t owner_of(const universal_state *state, int32_t space)
{
    for (int32_t seat = 0; seat < SEATS_MAX; seat++)
        if (WL_HAS(&state->area[seat], space))
            return seat;
    return NOBODY;
}

/* The spaces of a seat's side: those that it cannot conquer. */
static spaces side_area(const universal_setup *setup, const universal_state *state, int32_t seat)
{
    spaces all = state->area[seat];
    for (int32_t other = 0; other < SEATS_MAX; other++)
        if (other != seat && (setup->side[seat] >> other & 1))
            for (int i = 0; i < WORDS; i++)
                all.word[i] |= state->area[other].word[i];
    return all;
}

static int has_empty_neighbour(const universal_state *state, int32_t space)
{
    const int32_t f = file_of(space);
    const int32_t r = rank_of(space);
    for (int i = 0; i < 8; i++) {
        const int32_t f2 = f + SURROUNDING[i].df;
        const int32_t r2 = r + SURROUNDING[i].dr;
        if (on_board(f2, r2) && state->at[r2 * FILES + f2] == 0)
            return 1;
    }
    return 0;
}

static int is_veteran(const universal_setup *setup, const piece *p)
{
    return setup->veterans && p->merits >= setup->veteran_merits;
}

/* ==== 3. Moving ===================================================================================================== */

/* The spaces that the Commanders of a seat boost. */
static spaces boosted_spaces(const universal_state *state, int32_t seat)
{
    spaces near = {{0}};
    int32_t id;

    EACH_PIECE(state, seat, id) {
        const piece *p = &state->pieces[id];
        if (p->kind != COMMANDER || p->conquering)
            continue;
        const int32_t f = file_of(p->space);
        const int32_t r = rank_of(p->space);
        for (int i = 0; i < 8; i++)
            if (on_board(f + SURROUNDING[i].df, r + SURROUNDING[i].dr))
                WL_ADD(&near, p->space + SURROUNDING[i].dr * FILES + SURROUNDING[i].df);
    }
    return near;
}

/* The same asked of one piece. */
static int is_beside_commander(const universal_state *state, const piece *p)
{
    const int32_t f = file_of(p->space);
    const int32_t r = rank_of(p->space);

    for (int i = 0; i < 8; i++) {
        const piece *other;
        if (!on_board(f + SURROUNDING[i].df, r + SURROUNDING[i].dr))
            continue;
        other = &state->pieces[state->at[p->space + SURROUNDING[i].dr * FILES + SURROUNDING[i].df]];
        if (other->where == ON_BOARD && other->kind == COMMANDER && other->seat == p->seat && !other->conquering)
            return 1;
    }
    return 0;
}

static int is_boosted(const universal_setup *setup, const piece *p, const spaces *near)
{
    return KIND[p->kind].boosted != 0 && (WL_HAS(near, p->space) || is_veteran(setup, p));
}

/* On a space that its faction owns, only the same or greater strength captures it. */
static int is_immune(const universal_state *state, const piece *p, const piece *attacker)
{
    return WL_HAS(&state->area[p->seat], p->space) && KIND[attacker->kind].strength > KIND[p->kind].strength;
}

/* What all moves of a seat have in common: where its Commanders boost, and the board by ranks, with a margin of three empty
 * ranks and files on each side. */
typedef struct scene {
    spaces near;
    uint32_t taken[RANKS + 2 * NEAR];
} scene;

static uint32_t rank_with_margin(const spaces *taken, int32_t r)
{
    const int32_t word = r * FILES >> 6;
    const int32_t shift = r * FILES & 63;
    uint64_t rank = taken->word[word] >> shift;

    if (shift > 64 - FILES)
        rank |= taken->word[word + 1] << (64 - shift);
    return (uint32_t)(rank & ((1u << FILES) - 1)) << NEAR;
}

static void look_around(scene *sc, const universal_state *state, int32_t seat)
{
    sc->near = boosted_spaces(state, seat);
    memset(sc->taken, 0, sizeof sc->taken);
    for (int32_t r = 0; r < RANKS; r++)
        sc->taken[NEAR + r] = rank_with_margin(&state->taken, r);
}

/* As much of it as one piece needs. */
static void look_around_piece(scene *sc, const universal_state *state, const piece *p)
{
    const int32_t k = rank_of(p->space);

    memset(&sc->near, 0, sizeof sc->near);
    if (is_beside_commander(state, p))
        WL_ADD(&sc->near, p->space);
    for (int32_t r = k - NEAR; r <= k + NEAR; r++)
        sc->taken[NEAR + r] = (uint32_t)r < RANKS ? rank_with_margin(&state->taken, r) : 0;
}

/* Where a piece can go is collected here. */
typedef struct reach {
    const universal_state *state;
    const piece *mover;
    uint32_t friends; /* the side, as bits */
    int with_immune;  /* pieces that are immune to the mover count as reached */
    spaces to;        /* of a Commander or a Mighty */
    uint64_t window;  /* of all others */
} reach;

/* The mover comes to a space that holds this piece: is it captured? */
static int may_capture(const reach *r, int32_t id)
{
    const piece *p = &r->state->pieces[id];
    return (r->friends >> p->seat & 1) == 0 && (r->with_immune || !is_immune(r->state, p, r->mover));
}

static void arrive(reach *r, int32_t space)
{
    const int32_t id = r->state->at[space];
    if (id == 0 || may_capture(r, id))
        WL_ADD(&r->to, space);
}

static void slide(reach *r, uint32_t ways, int32_t far)
{
    const int32_t from = r->mover->space;

    for (; ways != 0; ways &= ways - 1) {
        const step s = DIRECTION[wl_lowest(ways)];
        const int32_t by = s.dr * FILES + s.df;
        const int32_t edge = room(from, s);
        int32_t space = from;
        for (int32_t left = far < edge ? far : edge; left > 0; left--) {
            const int32_t id = r->state->at[space += by];
            if (id == 0 || may_capture(r, id))
                WL_ADD(&r->to, space);
            if (id != 0)
                break;
        }
    }
}

/* The window of the spaces that hold pieces, and of those that are on the board. */
static uint64_t taken_window(const scene *sc, int32_t f, int32_t k)
{
    uint64_t window = 0;
    for (int i = 0; i < WIDE; i++)
        window |= (uint64_t)(sc->taken[k + i] >> f & ((1u << WIDE) - 1)) << WIDE * i;
    return window;
}

static uint64_t board_window(int32_t f, int32_t k)
{
    static const uint64_t FIRST_FILE = 0x40810204081; /* a bit in each of the seven ranks */
    const uint32_t files = (((1u << FILES) - 1) << NEAR) >> f & ((1u << WIDE) - 1);
    const int32_t below = k < NEAR ? NEAR - k : 0; /* ranks of the window that are off the board */
    const int32_t above = k > RANKS - 1 - NEAR ? k - (RANKS - 1 - NEAR) : 0;
    const uint64_t ranks = (((uint64_t)1 << WIDE * (WIDE - above)) - 1) >> WIDE * below << WIDE * below;
    return files * FIRST_FILE & ranks;
}

/* Short slides: on each ray up to the first piece, that one included. */
static uint64_t slide_window(uint64_t taken, uint32_t ways, int32_t far)
{
    uint64_t to = 0;

    for (uint32_t up = ways & UPWARDS; up != 0; up &= up - 1) {
        const uint64_t ray = RAYS[wl_lowest(up)][far];
        const uint64_t met = taken & ray;
        to |= ray & (((met & (~met + 1)) << 1) - 1);
    }
    for (uint32_t down = ways & ~(uint32_t)UPWARDS; down != 0; down &= down - 1) {
        const uint64_t ray = RAYS[wl_lowest(down)][far];
        const uint64_t met = (taken & ray) | 1; /* bit 0 is no ray's but the one that ends there */
        to |= ray & ~(uint64_t)0 << (63 - __builtin_clzll(met));
    }
    return to;
}

static uint64_t ring_window(uint64_t taken, const ring_rule *rules, int32_t n)
{
    uint64_t to = 0;
    for (int32_t i = 0; i < n; i++) {
        const uint64_t *path = rules[i].path;
        const int open = ((taken & path[0]) == 0) | ((taken & path[1]) == 0) | ((taken & path[2]) == 0);
        to |= rules[i].to & (0 - (uint64_t)open);
    }
    return to;
}

/* The space of a bit of the window around a space. */
static int32_t space_in_window(int32_t around, int32_t bit)
{
    return around + (bit / WIDE - NEAR) * FILES + bit % WIDE - NEAR;
}

static void mighty_moves(reach *r)
{
    const universal_state *state = r->state;
    const mighty_rule *rule = &MIGHTY_OF[r->mover->seat];
    const int32_t from = r->mover->space;

    slide(r, rule->ways, rule->far);
    if (rule->jump_far > 0 && has_empty_neighbour(state, from)) {
        const int32_t f = file_of(from), k = rank_of(from), far = rule->jump_far;
        for (int32_t k2 = k > far ? k - far : 0; k2 <= k + far && k2 < RANKS; k2++)
            for (int32_t f2 = f > far ? f - far : 0; f2 <= f + far && f2 < FILES; f2++)
                arrive(r, k2 * FILES + f2); /* its own space holds an own piece: itself */
    }
    if (rule->jumps_in_own_area && WL_HAS(&state->area[r->mover->seat], from) && has_empty_neighbour(state, from)) {
        int32_t space;
        WL_EACH(&state->area[r->mover->seat], space)
            arrive(r, space);
    }
}

/* The destinations of a piece. */
static void find_moves(reach *r, const universal_setup *setup, const universal_state *state, const piece *p, const scene *sc,
                       int with_immune)
{
    const kind_rule *kind = &KIND[p->kind];
    const int boosted = is_boosted(setup, p, &sc->near);
    const int32_t f = file_of(p->space);
    const int32_t k = rank_of(p->space);
    const int32_t far = boosted ? kind->boosted : kind->basic;
    uint64_t taken, to = 0;

    *r = (reach){state, p, setup->side[p->seat], with_immune, {{0}}, 0};
    if (kind->movement == AS_ITS_FACTION) {
        mighty_moves(r);
        return;
    }
    if (far > NEAR) { /* the Commander */
        slide(r, kind->ways, far);
        return;
    }
    taken = taken_window(sc, f, k);
    if (kind->movement == SLIDE)
        to = slide_window(taken, kind->ways, far);
    if (kind->movement == LEAP)
        to = LEAPS[kind->basic] | (boosted ? LEAPS[kind->boosted] : 0);
    if (kind->movement == RING)
        to = ring_window(taken, RINGS_2, RING_2_ROWS) | (boosted ? ring_window(taken, RINGS_3, RING_3_ROWS) : 0);
    r->window = to & board_window(f, k);
    for (uint64_t met = r->window & taken; met != 0; met &= met - 1)
        if (!may_capture(r, state->at[space_in_window(p->space, __builtin_ctzll(met))]))
            r->window &= ~(met & (~met + 1));
}

static int reaches(const reach *r, int32_t to)
{
    const int32_t df = file_of(to) - file_of(r->mover->space);
    const int32_t dr = rank_of(to) - rank_of(r->mover->space);
    return WL_HAS(&r->to, to) || (wl_abs(df) <= NEAR && wl_abs(dr) <= NEAR && (r->window & WINDOW(df, dr)) != 0);
}

/* May the piece move at all in this turn? */
static int may_move(const universal_state *state, int32_t id)
{
    return !state->pieces[id].frozen && !(state->moves_left == 1 && state->moved == id);
}

static int has_a_move(const universal_setup *setup, const universal_state *state, int32_t seat)
{
    scene sc;
    reach r;
    int32_t id;

    look_around(&sc, state, seat);
    EACH_PIECE(state, seat, id) {
        if (!may_move(state, id))
            continue;
        find_moves(&r, setup, state, &state->pieces[id], &sc, 0);
        if (r.window != 0 || !WL_IS_EMPTY(&r.to))
            return 1;
    }
    return 0;
}

/* ==== 7. Order of checks ============================================================================================= */

static int32_t cost_for(int32_t seat, int32_t cost) { return seat == BALANCE ? (cost + 1) / 2 : cost; }

/* A posted action, and who acts: for a timeout, the seat it names. */
typedef struct act {
    const universal_setup *setup;
    const universal_state *state;
    int32_t seat;
    const int32_t *field;
    const int32_t *items; /* the payment's spaces; there are as many as its length says, up to COST_MAX */
} act;

static int32_t check_named(const act *a, int32_t id)
{
    if (!stands(a->state, id))
        return NO_SUCH_PIECE;
    return a->state->pieces[id].seat == a->seat ? WL_OK : WL_E_NOT_YOUR_PIECE;
}

/* An ability of this faction's Mighty. */
static int32_t check_faction(const act *a, int32_t faction)
{
    if (a->seat != faction)
        return NO_SUCH_ABILITY;
    return a->state->pieces[mighty_of(a->state, a->seat)].conquering ? PIECE_CONQUERING : WL_OK;
}

/* An ability of the piece itself. */
static int32_t check_user(const act *a, int32_t id, int32_t kind, int also_mighty)
{
    const int32_t error = check_named(a, id);
    const piece *p = &a->state->pieces[error == WL_OK ? id : 0];

    if (error != WL_OK)
        return error;
    if (p->kind != kind && !(also_mighty && p->kind == MIGHTY))
        return NO_SUCH_ABILITY;
    return p->conquering ? PIECE_CONQUERING : WL_OK;
}

/* The first fault of a list that should pay the cost `c`, and where: a list that is too short has its fault behind its end. */
enum { NO_FAULT, NOT_OWN, TWICE, TOO_MANY, TOO_FEW };

static int32_t payment_fault(const act *a, int32_t c, int32_t length, int32_t *at)
{
    const spaces *area = &a->state->area[a->seat];
    spaces seen = {{0}};

    for (*at = 0; *at < length; ++*at) {
        if (*at == c)
            return TOO_MANY;
        if (!WL_HAS(area, a->items[*at]))
            return NOT_OWN;
        if (WL_HAS(&seen, a->items[*at]))
            return TWICE;
        WL_ADD(&seen, a->items[*at]);
    }
    return length < c ? TOO_FEW : NO_FAULT;
}

static int32_t check_payment(const act *a, int32_t cost, int32_t pay)
{
    const int32_t c = cost_for(a->seat, cost);
    int32_t at;

    if (WL_SIZE(&a->state->area[a->seat]) < c)
        return CANNOT_PAY;
    return pay == PAY_AUTO || payment_fault(a, c, pay, &at) == NO_FAULT ? WL_OK : BAD_PAYMENT;
}

/* Next to a piece, and empty. */
static int is_free_beside(const universal_state *state, int32_t space, int32_t to)
{
    return distance(space, to) == 1 && state->at[to] == 0;
}

/* The opposing piece at the end of a free straight line of at most four (7.7), else 0. */
static int32_t line_target(const act *a, int32_t from, int32_t to)
{
    const int32_t df = file_of(to) - file_of(from);
    const int32_t dr = rank_of(to) - rank_of(from);
    const int32_t far = distance(from, to);

    if (!wl_between(1, far, LINE_FAR) || (df != 0 && dr != 0 && wl_abs(df) != wl_abs(dr)))
        return 0;
    for (int32_t i = 1; i < far; i++)
        if (a->state->at[from + i * (dr / far * FILES + df / far)] != 0)
            return 0;
    return opponent_at(a->setup, a->state, a->seat, to);
}

static int32_t check_move(const act *a) /* 7.1 */
{
    const int32_t id = a->field[0], to = a->field[1];
    const int32_t error = check_named(a, id);
    const universal_state *state = a->state;
    spaces ours;
    scene sc;
    reach r;

    if (error != WL_OK)
        return error;
    if (state->moves_left == 1 && state->moved == id)
        return ALREADY_MOVED;
    if (state->pieces[id].frozen)
        return PIECE_FROZEN;
    look_around_piece(&sc, state, &state->pieces[id]);
    find_moves(&r, a->setup, state, &state->pieces[id], &sc, 1);
    if (!reaches(&r, to))
        return WL_E_ILLEGAL_DESTINATION;
    if (state->at[to] != 0 && is_immune(state, &state->pieces[state->at[to]], &state->pieces[id]))
        return IMMUNE;
    ours = side_area(a->setup, state, a->seat);
    return a->field[2] == 1 && WL_HAS(&ours, to) ? CANNOT_CONQUER : WL_OK;
}

static int32_t check_conquer(const act *a) /* 7.2 */
{
    const int32_t error = check_named(a, a->field[0]);
    const piece *p = &a->state->pieces[error == WL_OK ? a->field[0] : 0];
    spaces ours;

    if (error != WL_OK)
        return error;
    if (p->conquering)
        return ALREADY_CONQUERING;
    ours = side_area(a->setup, a->state, a->seat);
    return WL_HAS(&ours, p->space) ? CANNOT_CONQUER : WL_OK;
}

static int is_promotable(int32_t kind) { return kind == ANGEL || kind == MECHA; }

static int32_t check_promote(const act *a) /* 7.3 */
{
    int32_t error = check_faction(a, MAJORA);

    if (error != WL_OK)
        return error;
    if (a->state->promotions == 0)
        return NO_PROMOTIONS;
    error = check_named(a, a->field[0]);
    if (error != WL_OK)
        return error;
    return is_promotable(a->state->pieces[a->field[0]].kind) ? WL_OK : WRONG_KIND;
}

static int32_t check_breed(const act *a) /* 7.4 */
{
    const universal_state *state = a->state;
    int32_t error = check_faction(a, CHAOS);

    if (error != WL_OK)
        return error;
    if (state->breedings_left == 0 || state->next_id == IDS)
        return LIMIT_REACHED;
    error = check_named(a, a->field[0]);
    if (error != WL_OK)
        return error;
    if (state->pieces[a->field[0]].kind != DEMON)
        return WRONG_KIND;
    if (!is_free_beside(state, state->pieces[a->field[0]].space, a->field[1]))
        return WL_E_ILLEGAL_DESTINATION;
    return check_payment(a, BREED_COST, a->field[2]);
}

static int32_t check_summon(const act *a) /* 7.5 */
{
    const universal_state *state = a->state;
    int32_t error = check_user(a, a->field[0], WIZARD, 0);

    if (error == WL_OK)
        error = check_named(a, a->field[1]);
    if (error != WL_OK)
        return error;
    if (!KIND[state->pieces[a->field[1]].kind].summonable)
        return WRONG_KIND;
    if (state->pieces[a->field[1]].frozen)
        return PIECE_FROZEN;
    if (!is_free_beside(state, state->pieces[a->field[0]].space, a->field[2]))
        return WL_E_ILLEGAL_DESTINATION;
    return check_payment(a, SUMMON_COST, a->field[3]);
}

static int32_t check_necromancy(const act *a) /* 7.6 */
{
    const universal_state *state = a->state;
    const int32_t error = check_user(a, a->field[0], WIZARD, a->seat == EVIL);
    const int32_t raised = a->field[1];

    if (error != WL_OK)
        return error;
    if (!wl_between(1, raised, IDS - 1) || state->pieces[raised].where != DEAD || state->pieces[raised].seat != a->seat)
        return NO_SUCH_DEAD;
    if (state->pieces[raised].kind == COMMANDER && state->pieces[a->field[0]].kind == WIZARD)
        return WRONG_KIND;
    if (!is_free_beside(state, state->pieces[a->field[0]].space, a->field[2]))
        return WL_E_ILLEGAL_DESTINATION;
    return check_payment(a, KIND[state->pieces[raised].kind].necromancy, a->field[3]);
}

static int32_t check_curse(const act *a) /* 7.7 */
{
    const int32_t error = check_user(a, a->field[0], WIZARD, 0);

    if (error != WL_OK)
        return error;
    if (line_target(a, a->state->pieces[a->field[0]].space, a->field[1]) == 0)
        return ILLEGAL_TARGET;
    return check_payment(a, CURSE_COST, a->field[2]);
}

static int32_t check_seize(const act *a) /* 7.8 */
{
    const int32_t error = check_user(a, a->field[0], PSIONIC, 0);
    int32_t target;

    if (error != WL_OK)
        return error;
    if (a->state->pieces[a->field[0]].holds != 0)
        return ALREADY_HOLDING;
    target = line_target(a, a->state->pieces[a->field[0]].space, a->field[1]);
    if (target == 0)
        return ILLEGAL_TARGET;
    if (!is_seizable(a->state->pieces[target].kind))
        return WRONG_KIND;
    return check_payment(a, a->setup->psionic_cost, a->field[2]);
}

static int32_t check_freeze(const act *a) /* 7.9 */
{
    const int32_t error = check_faction(a, BALANCE);
    int32_t target;

    if (error != WL_OK)
        return error;
    if (a->state->freeze_used)
        return ALREADY_USED;
    target = opponent_at(a->setup, a->state, a->seat, a->field[0]);
    if (target == 0)
        return ILLEGAL_TARGET;
    return a->state->pieces[target].frozen ? ALREADY_FROZEN : WL_OK;
}

static int32_t check_sacrifice(const act *a) /* 7.10 */
{
    const int32_t error = check_faction(a, GOOD);

    if (error != WL_OK)
        return error;
    if (!has_a_move(a->setup, a->state, a->seat))
        return NO_MOVES;
    return check_payment(a, SACRIFICE_COST, a->field[0]);
}

static int32_t check_pass(const act *a) /* 7.11 */
{
    return a->state->moves_left == 1 || !has_a_move(a->setup, a->state, a->seat) ? WL_OK : PASS_NOT_ALLOWED;
}

static int32_t check_offer(const act *a) /* 7.12 */
{
    if (a->state->offer_by != NOBODY)
        return OFFER_OPEN;
    return a->state->draw_offered ? ALREADY_USED : WL_OK;
}

static int32_t check_answer(const act *a) /* 7.12 */
{
    if (a->state->offer_by == NOBODY || a->state->offer_by == a->seat)
        return NO_OFFER;
    return a->state->offer_accepted >> a->seat & 1 ? ALREADY_USED : WL_OK;
}

/* 2: what the codec leaves to be judged here; 3: unknown spaces. */
static int32_t check_form(const wl_post *post)
{
    const wl_action *a = &post->action;
    const action_fields *fields = &FIELDS_OF[a->type];

    if (a->type == A_MOVE && a->field[2] != 1 && a->field[2] != WL_ABSENT)
        return WL_E_MALFORMED_ACTION;
    if (fields->pay >= 0) {
        const int32_t pay = a->field[fields->pay];
        if (pay < PAY_AUTO || post->n_items < (pay < COST_MAX ? pay : COST_MAX))
            return WL_E_MALFORMED_ACTION;
    }
    if (fields->space >= 0 && !wl_between(0, a->field[fields->space], SPACES - 1))
        return WL_E_UNKNOWN_SPACE;
    if (fields->pay >= 0)
        for (int32_t i = 0; i < a->field[fields->pay] && i < post->n_items; i++)
            if (!wl_between(0, post->items[i], SPACES - 1))
                return WL_E_UNKNOWN_SPACE;
    return WL_OK;
}

static int32_t universal_check(const void *setup_, const void *state_, const wl_post *post)
{
    const universal_state *state = state_;
    const int32_t type = post->action.type;
    const int32_t seat = post->actor == WL_SERVER ? post->action.field[0] : post->actor;
    const act a = {setup_, state, seat, post->action.field, post->items};
    int32_t error;

    if (state->phase == OVER)
        return WL_E_MATCH_OVER;
    if (type < 0 || type >= ACTIONS || (type == A_TIMEOUT) != (post->actor == WL_SERVER))
        return WL_E_MALFORMED_ACTION;
    if (type == A_TIMEOUT && !wl_between(0, a.seat, SEATS_MAX - 1))
        return WL_E_MALFORMED_ACTION;
    error = check_form(post);
    if (error != WL_OK)
        return error;
    if (a.seat >= SEATS_MAX || (state->in >> a.seat & 1) == 0)
        return SEAT_OUT;
    if (type <= A_OFFER_DRAW && a.seat != state->seat)
        return WL_E_NOT_YOUR_TURN;
    if (wl_between(A_CONQUER, type, A_SACRIFICE) && state->moves_left != 0)
        return ONLY_MOVES;
    switch (type) {
    case A_MOVE: return check_move(&a);
    case A_CONQUER: return check_conquer(&a);
    case A_PROMOTE: return check_promote(&a);
    case A_BREED: return check_breed(&a);
    case A_SUMMON: return check_summon(&a);
    case A_NECROMANCY: return check_necromancy(&a);
    case A_CURSE: return check_curse(&a);
    case A_SEIZE: return check_seize(&a);
    case A_FREEZE: return check_freeze(&a);
    case A_SACRIFICE: return check_sacrifice(&a);
    case A_PASS: return check_pass(&a);
    case A_OFFER_DRAW: return check_offer(&a);
    case A_ACCEPT_DRAW:
    case A_DECLINE_DRAW: return check_answer(&a);
    default: return WL_OK; /* resign, timeout: 7.13 */
    }
}

/* ==== 7. The listing ================================================================================================ */

/* Who lists, and where to. */
typedef struct lister {
    const universal_setup *setup;
    const universal_state *state;
    int32_t seat;
    int32_t n_area; /* what the seat can pay */
    wl_listing *to;
} lister;

static int can_pay(const lister *l, int32_t cost) { return l->n_area >= cost_for(l->seat, cost); }

/* A listing is thousands of bytes, and writing them much of its time: records are copied whole from constant patterns and
 * get their numbers filled in. Out of line, lest the compiler take the patterns apart and put them together for each. */
#define OUT_OF_LINE __attribute__((noinline))

static const wl_action MOVES[2] = {{A_MOVE, {0, 0, WL_ABSENT}}, {A_MOVE, {0, 0, 1}}};
static const wl_action BREED = {A_BREED, {0, 0, PAY_AUTO}};
static const wl_action SUMMON = {A_SUMMON, {0, 0, 0, PAY_AUTO}};
static const wl_action NECROMANCY = {A_NECROMANCY, {0, 0, 0, PAY_AUTO}};

/* One destination; one that can be conquered occurs twice, with MOVES[1] as the conquest. */
static size_t list_move(const wl_listing *l, size_t n, int32_t id, int32_t to, const spaces *ours)
{
    wl_action *out = &l->out[n];

    if (n + 2 <= l->cap) { /* the second is written in any case, and stays if it is legal */
        memcpy(out, MOVES, sizeof MOVES);
        out[0].field[0] = out[1].field[0] = id;
        out[0].field[1] = out[1].field[1] = to;
    } else if (n < l->cap) {
        *out = MOVES[0];
        out->field[0] = id;
        out->field[1] = to;
    }
    return n + 2 - (size_t)WL_HAS(ours, to);
}

OUT_OF_LINE static void list_window(wl_listing *l, int32_t id, int32_t around, uint64_t window, const spaces *ours)
{
    size_t n = l->n;

    for (; window != 0; window &= window - 1)
        n = list_move(l, n, id, space_in_window(around, __builtin_ctzll(window)), ours);
    l->n = n;
}

OUT_OF_LINE static void list_far(wl_listing *l, int32_t id, const spaces *to, const spaces *ours)
{
    size_t n = l->n;
    int32_t space;

    WL_EACH(to, space)
        n = list_move(l, n, id, space, ours);
    l->n = n;
}

/* The same action for each of `n` spaces: field 0 is `a`, then `b` if there are two numbers before the space. */
OUT_OF_LINE static void list_each(wl_listing *l, const wl_action *pattern, int two, int32_t a, int32_t b, const int32_t *to,
                                  int32_t n)
{
    for (int32_t i = 0; i < n; i++, l->n++)
        if (l->n < l->cap) {
            wl_action *out = &l->out[l->n];
            *out = *pattern;
            out->field[0] = a;
            if (two)
                out->field[1] = b;
            out->field[1 + two] = to[i];
        }
}

static void list_moves(lister *l, const spaces *ours)
{
    scene sc;
    reach r;
    int32_t id;

    look_around(&sc, l->state, l->seat);
    EACH_PIECE(l->state, l->seat, id) {
        if (!may_move(l->state, id))
            continue;
        find_moves(&r, l->setup, l->state, &l->state->pieces[id], &sc, 0);
        if (KIND[r.mover->kind].movement == AS_ITS_FACTION || r.mover->kind == COMMANDER)
            list_far(l->to, id, &r.to, ours);
        else
            list_window(l->to, id, r.mover->space, r.window, ours);
    }
}

static void list_conquer(lister *l, const spaces *ours)
{
    int32_t id;

    EACH_PIECE(l->state, l->seat, id) {
        const piece *p = &l->state->pieces[id];
        if (!p->conquering && !WL_HAS(ours, p->space))
            WL_LIST(l->to, A_CONQUER, id);
    }
}

/* The empty spaces around a space, in canonical order; returns how many. */
static int32_t free_beside(const universal_state *state, int32_t space, int32_t *out)
{
    const int32_t f = file_of(space);
    const int32_t r = rank_of(space);
    int32_t n = 0;

    for (int i = 0; i < 8; i++) {
        const int32_t to = space + SURROUNDING[i].dr * FILES + SURROUNDING[i].df;
        if (on_board(f + SURROUNDING[i].df, r + SURROUNDING[i].dr) && state->at[to] == 0)
            out[n++] = to;
    }
    return n;
}

static void list_breed(lister *l)
{
    int32_t id, to[8];

    if (l->state->breedings_left == 0 || l->state->next_id == IDS || !can_pay(l, BREED_COST))
        return;
    EACH_PIECE(l->state, l->seat, id) {
        if (l->state->pieces[id].kind != DEMON)
            continue;
        const int32_t n = free_beside(l->state, l->state->pieces[id].space, to);
        list_each(l->to, &BREED, 0, id, 0, to, n);
    }
}

static void list_summon(lister *l, const ids *users)
{
    uint8_t summonable[IDS];
    int32_t n_summonable = 0, id, wizard, to[8];

    if (!can_pay(l, SUMMON_COST))
        return;
    EACH_PIECE(l->state, l->seat, id)
        if (KIND[l->state->pieces[id].kind].summonable && !l->state->pieces[id].frozen)
            summonable[n_summonable++] = (uint8_t)id;
    WL_EACH(users, wizard) {
        const int32_t n = free_beside(l->state, l->state->pieces[wizard].space, to);
        for (int32_t k = 0; k < n_summonable; k++)
            list_each(l->to, &SUMMON, 1, wizard, summonable[k], to, n);
    }
}

static void list_necromancy(lister *l, const ids *casters)
{
    const universal_state *state = l->state;
    uint8_t dead[IDS];
    int32_t n_dead = 0, id, caster, to[8];

    WL_EACH(&state->dead, id)
        if (state->pieces[id].seat == l->seat && can_pay(l, KIND[state->pieces[id].kind].necromancy))
            dead[n_dead++] = (uint8_t)id;
    if (n_dead == 0)
        return;
    WL_EACH(casters, caster) {
        const int is_wizard = state->pieces[caster].kind == WIZARD;
        const int32_t n = free_beside(state, state->pieces[caster].space, to);
        for (int32_t k = 0; k < n_dead; k++)
            if (!is_wizard || state->pieces[dead[k]].kind != COMMANDER)
                list_each(l->to, &NECROMANCY, 1, caster, dead[k], to, n);
    }
}

/* 7.7, 7.8: the opposing pieces at the ends of free lines. */
static void list_lines(lister *l, int32_t type, const ids *users, int32_t cost)
{
    const universal_state *state = l->state;
    int32_t user, space;

    if (!can_pay(l, cost))
        return;
    WL_EACH(users, user) {
        const int32_t from = state->pieces[user].space;
        spaces targets = {{0}};
        if (type == A_SEIZE && state->pieces[user].holds != 0)
            continue;
        for (int i = 0; i < 8; i++) {
            const int32_t edge = room(from, DIRECTION[i]);
            const int32_t by = DIRECTION[i].dr * FILES + DIRECTION[i].df;
            int32_t left = edge < LINE_FAR ? edge : LINE_FAR;
            for (space = from + by; left > 1 && state->at[space] == 0; left--)
                space += by;
            if (left == 0 || opponent_at(l->setup, state, l->seat, space) == 0)
                continue;
            if (type == A_CURSE || is_seizable(state->pieces[state->at[space]].kind))
                WL_ADD(&targets, space);
        }
        WL_EACH(&targets, space)
            WL_LIST(l->to, type, user, space, PAY_AUTO);
    }
}

static void list_freeze(lister *l)
{
    spaces targets = {{0}};
    int32_t space, id;

    for (int32_t seat = 0; seat < SEATS_MAX; seat++) {
        if (!opposing(l->setup, l->seat, seat))
            continue;
        EACH_PIECE(l->state, seat, id)
            if (!l->state->pieces[id].frozen)
                WL_ADD(&targets, l->state->pieces[id].space);
    }
    WL_EACH(&targets, space)
        WL_LIST(l->to, A_FREEZE, space);
}

static void list_abilities(lister *l, int moves)
{
    const universal_state *state = l->state;
    ids wizards = {{0}}, psionics = {{0}}, casters;
    int32_t id, mighty = 0;

    EACH_PIECE(state, l->seat, id) { /* those that do not conquer */
        const piece *p = &state->pieces[id];
        if (p->conquering)
            continue;
        if (p->kind == WIZARD)
            WL_ADD(&wizards, id);
        if (p->kind == PSIONIC)
            WL_ADD(&psionics, id);
        if (p->kind == MIGHTY)
            mighty = id;
    }
    if (l->seat == MAJORA && mighty != 0 && state->promotions > 0)
        EACH_PIECE(state, l->seat, id)
            if (is_promotable(state->pieces[id].kind))
                WL_LIST(l->to, A_PROMOTE, id);
    if (l->seat == CHAOS && mighty != 0)
        list_breed(l);
    list_summon(l, &wizards);
    casters = wizards;
    if (l->seat == EVIL && mighty != 0)
        WL_ADD(&casters, mighty);
    list_necromancy(l, &casters);
    list_lines(l, A_CURSE, &wizards, CURSE_COST);
    list_lines(l, A_SEIZE, &psionics, l->setup->psionic_cost);
    if (l->seat == BALANCE && mighty != 0 && !state->freeze_used)
        list_freeze(l);
    if (l->seat == GOOD && mighty != 0 && moves && can_pay(l, SACRIFICE_COST))
        WL_LIST(l->to, A_SACRIFICE, PAY_AUTO);
}

static void list_turn(lister *l)
{
    const universal_state *state = l->state;
    const spaces ours = side_area(l->setup, state, l->seat);
    int moves;

    list_moves(l, &ours);
    moves = l->to->n > 0;
    if (state->moves_left == 0) {
        list_conquer(l, &ours);
        list_abilities(l, moves);
    }
    if (state->moves_left == 1 || !moves)
        WL_LIST(l->to, A_PASS);
    if (state->offer_by == NOBODY && !state->draw_offered)
        WL_LIST(l->to, A_OFFER_DRAW);
}

static size_t universal_legal(const void *setup, const void *state_, int32_t seat, wl_action *out, size_t cap)
{
    const universal_state *state = state_;
    wl_listing to = {out, cap, 0};
    lister l = {setup, state, seat, 0, &to};

    if (state->phase == OVER || seat >= SEATS_MAX || (state->in >> seat & 1) == 0)
        return 0;
    l.n_area = WL_SIZE(&state->area[seat]);
    if (state->seat == seat)
        list_turn(&l);
    if (state->offer_by != NOBODY && state->offer_by != seat && (state->offer_accepted >> seat & 1) == 0) {
        WL_LIST(&to, A_ACCEPT_DRAW);
        WL_LIST(&to, A_DECLINE_DRAW);
    }
    WL_LIST(&to, A_RESIGN);
    return to.n;
}

/* ==== 7. The listing's slots ========================================================================================= */

/* Random play wants one action of several hundred. So whatever a seat might post has a number, from the kinds of its pieces
 * alone and legal or not: a legal action has exactly one. Where a piece could go is counted by its reach, and doubled, for a
 * move may carry a conquest. */
typedef struct slots {
    const universal_setup *setup;
    const universal_state *state;
    int32_t seat;
    int32_t n_own, n_dead;
    int32_t moves[KINDS]; /* of a piece of this kind */
    int32_t all[KINDS];   /* moves, then its conquest, then its abilities */
} slots;
_Static_assert(sizeof(slots) <= sizeof(wl_slots), "there is room for them");

static const int32_t ANYTIME[] = {A_ACCEPT_DRAW, A_DECLINE_DRAW, A_RESIGN};
static const int32_t IN_TURN[] = {A_PASS, A_OFFER_DRAW, A_SACRIFICE};
enum { N_ANYTIME = sizeof ANYTIME / sizeof ANYTIME[0], N_IN_TURN = sizeof IN_TURN / sizeof IN_TURN[0] };

static void lay_out(slots *s, const universal_setup *setup, const universal_state *state, int32_t seat)
{
    const int32_t own_area = MIGHTY_OF[seat].jumps_in_own_area ? WL_SIZE(&state->area[seat]) : 0;

    *s = (slots){setup, state, seat, WL_SIZE(&state->of[seat]), WL_SIZE(&state->dead), {0}, {0}};
    for (int32_t kind = 0; kind < KINDS; kind++)
        s->moves[kind] = 2 * KIND[kind].reach;
    s->moves[MIGHTY] = 2 * (MIGHTY_OF[seat].reach + own_area);
    memcpy(s->all, s->moves, sizeof s->all);
    if (state->moves_left != 0)
        return;
    for (int32_t kind = 0; kind < KINDS; kind++)
        s->all[kind]++;
    s->all[WIZARD] += 8 * s->n_own + 8 * s->n_dead + 8; /* summon, necromancy, curse */
    s->all[PSIONIC] += 8;
    if (seat == MAJORA) {
        s->all[ANGEL]++;
        s->all[MECHA]++;
    }
    if (seat == CHAOS)
        s->all[DEMON] += 8;
    if (seat == EVIL)
        s->all[MIGHTY] += 8 * s->n_dead;
}

static size_t universal_slots(const void *setup, const void *state_, int32_t seat, wl_slots *room)
{
    const universal_state *state = state_;
    int32_t n = N_ANYTIME, id;
    slots s;

    lay_out(&s, setup, state, seat);
    memcpy(room, &s, sizeof s);
    if (seat != state->seat)
        return N_ANYTIME;
    EACH_PIECE(state, seat, id)
        n += s.all[state->pieces[id].kind];
    return (size_t)(n + N_IN_TURN + (seat == BALANCE ? WL_SIZE(&state->taken) : 0));
}

static int32_t nth_id(const ids *set, int32_t n)
{
    int32_t id;
    WL_EACH(set, id)
        if (n-- == 0)
            return id;
    return 0;
}

static int32_t nth_space(const spaces *set, int32_t n)
{
    int32_t space;
    WL_EACH(set, space)
        if (n-- == 0)
            return space;
    return WL_UNKNOWN;
}

/* So far in a direction, or off the board. */
static int32_t along(int32_t from, step s, int32_t far)
{
    const int32_t f = file_of(from) + far * s.df;
    const int32_t r = rank_of(from) + far * s.dr;
    return on_board(f, r) ? r * FILES + f : WL_UNKNOWN;
}

static int32_t nth_slide(int32_t from, uint32_t ways, int32_t far, int32_t n)
{
    for (int32_t skip = n / far; skip > 0; skip--)
        ways &= ways - 1;
    return along(from, DIRECTION[wl_lowest(ways)], n % far + 1);
}

static int32_t nth_in_window(int32_t from, uint64_t window, int32_t n)
{
    int32_t bit;

    for (; n > 0; n--)
        window &= window - 1;
    bit = __builtin_ctzll(window);
    return along(from, (step){(int8_t)(bit % WIDE - NEAR), (int8_t)(bit / WIDE - NEAR)}, 1);
}

/* Destinations are numbered by geometry. Good's Mighty: spaces off its own area in its reach, then its own. */
static int32_t nth_destination(const slots *s, const piece *p, int32_t n)
{
    const kind_rule *kind = &KIND[p->kind];
    const mighty_rule *mighty = &MIGHTY_OF[s->seat];
    int32_t to, far;

    switch (kind->movement) {
    case SLIDE: return nth_slide(p->space, kind->ways, kind->boosted ? kind->boosted : kind->basic, n);
    case LEAP: return nth_in_window(p->space, LEAPS[n < 8 ? kind->basic : kind->boosted], n % 8);
    case RING: return nth_in_window(p->space, n < RING_2_ROWS ? RINGS_2[n].to : RINGS_3[n - RING_2_ROWS].to, 0);
    default: break;
    }
    if (mighty->jump_far > 0) {
        far = 2 * mighty->jump_far + 1;
        return along(p->space, (step){(int8_t)(n % far - mighty->jump_far), (int8_t)(n / far - mighty->jump_far)}, 1);
    }
    if (n >= mighty->reach)
        return nth_space(&s->state->area[s->seat], n - mighty->reach);
    to = nth_slide(p->space, mighty->ways, mighty->far, n);
    return mighty->jumps_in_own_area && to >= 0 && WL_HAS(&s->state->area[s->seat], to) ? WL_UNKNOWN : to;
}

/* The first piece on a line, if it is near enough. */
static int32_t end_of_line(const universal_state *state, int32_t from, step s)
{
    for (int32_t far = 1; far <= LINE_FAR; far++) {
        const int32_t to = along(from, s, far);
        if (to < 0 || state->at[to] != 0)
            return to;
    }
    return WL_UNKNOWN;
}

static wl_action ability_slot(const slots *s, int32_t id, int32_t n)
{
    const universal_state *state = s->state;
    const piece *p = &state->pieces[id];
    const step way = SURROUNDING[n % 8];
    const int32_t beside = along(p->space, way, 1);

    if (p->kind == ANGEL || p->kind == MECHA)
        return (wl_action){A_PROMOTE, {id}};
    if (p->kind == DEMON)
        return (wl_action){A_BREED, {id, beside, PAY_AUTO}};
    if (p->kind == PSIONIC)
        return (wl_action){A_SEIZE, {id, end_of_line(state, p->space, way), PAY_AUTO}};
    n /= 8;
    if (n < s->n_dead)
        return (wl_action){A_NECROMANCY, {id, nth_id(&state->dead, n), beside, PAY_AUTO}};
    n -= s->n_dead;
    if (n < s->n_own)
        return (wl_action){A_SUMMON, {id, nth_id(&state->of[s->seat], n), beside, PAY_AUTO}};
    return (wl_action){A_CURSE, {id, end_of_line(state, p->space, way), PAY_AUTO}};
}

static wl_action piece_slot(const slots *s, int32_t id, int32_t n)
{
    const piece *p = &s->state->pieces[id];

    if (n < s->moves[p->kind])
        return (wl_action){A_MOVE, {id, nth_destination(s, p, n / 2), n % 2 ? 1 : WL_ABSENT}};
    n -= s->moves[p->kind];
    return n == 0 ? (wl_action){A_CONQUER, {id}} : ability_slot(s, id, n - 1);
}

static wl_action turn_slot(const slots *s, int32_t n)
{
    int32_t id;

    if (n < N_IN_TURN)
        return (wl_action){IN_TURN[n], {IN_TURN[n] == A_SACRIFICE ? PAY_AUTO : 0}};
    n -= N_IN_TURN;
    EACH_PIECE(s->state, s->seat, id) {
        const int32_t n_its = s->all[s->state->pieces[id].kind];
        if (n < n_its)
            return piece_slot(s, id, n);
        n -= n_its;
    }
    return (wl_action){A_FREEZE, {nth_space(&s->state->taken, n)}};
}

static int32_t universal_slot(const wl_slots *room, size_t slot, wl_action *out)
{
    wl_post post = {0};
    slots s;

    memcpy(&s, room, sizeof s);
    post.actor = s.seat;
    if (slot < N_ANYTIME)
        post.action.type = ANYTIME[slot];
    else
        post.action = turn_slot(&s, (int32_t)slot - N_ANYTIME);
    *out = post.action;
    return universal_check(s.setup, s.state, &post) == WL_OK;
}

/* ==== 9. End of the match ============================================================================================ */

/* What a rule works on. */
typedef struct match {
    const universal_setup *setup;
    universal_state *state;
    wl_event *event;
} match;

#define EFFECT(m, type, ...) WL_PUBLIC((m)->event, type, __VA_ARGS__)

/* An effect that is progress (5). */
#define PROGRESS(m, type, ...) ((m)->state->progress = 1, EFFECT(m, type, __VA_ARGS__))

static void finish(const match *m, uint32_t winners, int32_t reason)
{
    m->state->phase = OVER;
    m->state->winners = (uint8_t)winners;
    m->state->reason = (uint8_t)reason;
    m->state->offer_by = NOBODY;
    m->state->offer_accepted = 0;
    EFFECT(m, E_FINISHED, winners, reason);
}

static void lapse_offer(const match *m)
{
    if (m->state->offer_by == NOBODY)
        return;
    EFFECT(m, E_DRAW_LAPSED, m->state->offer_by);
    m->state->offer_by = NOBODY;
    m->state->offer_accepted = 0;
}

/* The psionic that holds a thrall. */
static int32_t holder_of(const universal_state *state, int32_t thrall)
{
    int32_t id;
    EACH_PIECE(state, state->pieces[thrall].seat, id)
        if (state->pieces[id].holds == thrall)
            return id;
    return 0;
}

static void release(const match *m, int32_t thrall)
{
    piece *p = &m->state->pieces[thrall];

    change_side(m->state, thrall, p->origin);
    p->origin = NOBODY;
    p->conquering = p->frozen = 0;
    EFFECT(m, E_RELEASED, thrall, p->space, p->seat);
}

/* A psionic leaves, and lets go. */
static void let_go(const match *m, int32_t psionic)
{
    const int32_t thrall = m->state->pieces[psionic].holds;

    m->state->pieces[psionic].holds = 0;
    if (thrall != 0)
        release(m, thrall);
}

/* 9, Eliminating, steps 3 and 4: thralls that came from F stay for good; what is F's goes. */
static void remove_faction(universal_state *state, int32_t faction)
{
    for (int32_t id = 1; id < state->next_id; id++) {
        piece *p = &state->pieces[id];
        if (p->where == ON_BOARD && p->origin == faction) {
            state->pieces[holder_of(state, id)].holds = 0;
            p->origin = NOBODY;
        }
    }
    for (int32_t id = 1; id < state->next_id; id++) {
        piece *p = &state->pieces[id];
        if (p->where == NOWHERE || p->seat != faction)
            continue;
        if (p->where == ON_BOARD)
            lift_piece(state, id);
        else
            WL_REMOVE(&state->dead, id);
        memset(p, 0, sizeof *p);
    }
}

/* 9, Eliminating. */
static void eliminate(const match *m, int32_t faction, int32_t reason)
{
    universal_state *state = m->state;
    int32_t id;

    state->in = (uint8_t)(state->in & ~wl_bit(faction));
    state->out[state->n_out++] = (out_row){state->number, (uint8_t)faction, (uint8_t)reason, {0}};
    PROGRESS(m, E_ELIMINATED, faction, reason);
    EACH_PIECE(state, faction, id)
        if (state->pieces[id].kind == PSIONIC)
            let_go(m, id);
    remove_faction(state, faction);
    memset(&state->area[faction], 0, sizeof state->area[faction]);
    lapse_offer(m);
    for (int32_t i = 0; i < m->setup->n_order; i++) {
        const uint32_t side = m->setup->side[m->setup->order[i]];
        if ((state->in & ~side) == 0) {
            finish(m, side, reason);
            return;
        }
    }
}

/* 9, Cleanup. `lost`: the faction whose Mighty died, or NOBODY. */
static void clean_up(const match *m, int32_t lost)
{
    if (lost != NOBODY)
        eliminate(m, lost, BY_MIGHTY);
    for (int32_t i = 0; i < m->setup->n_order && m->state->phase == PLAY; i++) {
        const int32_t seat = m->setup->order[i];
        if ((m->state->in >> seat & 1) && WL_IS_EMPTY(&m->state->area[seat]))
            eliminate(m, seat, BY_AREA);
    }
}

/* ==== 6. Turn ======================================================================================================= */

static void earn_merit(const match *m, int32_t id)
{
    piece *p = &m->state->pieces[id];

    if (!m->setup->veterans || p->merits == MERITS_MAX)
        return;
    p->merits++;
    if (p->merits == m->setup->veteran_merits)
        EFFECT(m, E_VETERAN, id, p->space);
}

static void give_space(universal_state *state, int32_t space, int32_t seat)
{
    for (int32_t other = 0; other < SEATS_MAX; other++)
        WL_REMOVE(&state->area[other], space);
    WL_ADD(&state->area[seat], space);
}

/* 6, start of the turn, step 3. */
static void go_on_conquering(const match *m, int32_t id)
{
    universal_state *state = m->state;
    piece *p = &state->pieces[id];
    int32_t previous;

    p->conquering--;
    if (p->conquering > 0) {
        EFFECT(m, E_CONQUEST_PROGRESS, id, p->space, p->conquering);
        return;
    }
    previous = owner_of(state, p->space);
    give_space(state, p->space, p->seat);
    PROGRESS(m, E_CONQUERED, id, p->space, p->seat, previous == NOBODY ? WL_WORD_ABSENT : previous);
    earn_merit(m, id);
}

/* 6, start of the turn. */
static void start_turn(const match *m, int32_t seat)
{
    universal_state *state = m->state;
    int32_t id;

    state->seat = (uint8_t)seat;
    state->number++;
    state->freeze_used = state->moves_left = state->moved = state->draw_offered = state->progress = 0;
    EFFECT(m, E_TURN, seat, state->number);
    if (state->offer_by == seat)
        lapse_offer(m);
    EACH_PIECE(state, seat, id)
        if (state->pieces[id].conquering)
            go_on_conquering(m, id);
    clean_up(m, NOBODY);
}

/* 6, end of the turn. */
static void end_turn(const match *m)
{
    universal_state *state = m->state;
    const int32_t limit = m->setup->quiet_limit;
    int32_t id;

    EACH_PIECE(state, state->seat, id)
        if (state->pieces[id].frozen) {
            state->pieces[id].frozen = 0;
            EFFECT(m, E_THAWED, id, state->pieces[id].space);
        }
    if (state->progress)
        state->quiet = 0;
    else if (state->quiet < QUIET_MAX)
        state->quiet++;
    if (limit > 0 && state->quiet >= limit) {
        finish(m, 0, BY_QUIET);
        return;
    }
    start_turn(m, next_seat(m->setup, state, state->seat));
}

/* ==== 7. Resolution ================================================================================================= */

/* The first `cost` own spaces: those without an own piece first, then the farthest from the Mighty, then in canonical order. */
static spaces cheapest(const universal_state *state, int32_t seat, int32_t cost)
{
    const int32_t mighty = state->pieces[mighty_of(state, seat)].space;
    uint32_t key[COST_MAX];
    int32_t n = 0, space;
    spaces chosen = {{0}};

    WL_EACH(&state->area[seat], space) {
        const int32_t id = state->at[space];
        const uint32_t own = id != 0 && state->pieces[id].seat == seat;
        const uint32_t k = own << 16 | (uint32_t)(31 - distance(space, mighty)) << 10 | (uint32_t)space;
        int32_t at = n < cost ? n++ : cost;
        for (; at > 0 && key[at - 1] > k; at--)
            if (at < cost)
                key[at] = key[at - 1];
        if (at < cost)
            key[at] = k;
    }
    for (int32_t i = 0; i < n; i++)
        WL_ADD(&chosen, (int32_t)(key[i] & 1023));
    return chosen;
}

static void pay(const match *m, int32_t seat, int32_t cost, int32_t how, const int32_t *items)
{
    universal_state *state = m->state;
    const int32_t c = cost_for(seat, cost);
    spaces chosen = {{0}};
    int32_t space;

    if (c == 0)
        return;
    if (how == PAY_AUTO)
        chosen = cheapest(state, seat, c);
    else
        for (int32_t i = 0; i < c; i++)
            WL_ADD(&chosen, items[i]);
    for (int i = 0; i < WORDS; i++)
        state->area[seat].word[i] &= ~chosen.word[i];
    state->progress = 1;
    if (!wl_wanted(m->event))
        return;
    wl_open_record(m->event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0, E_PAID);
    wl_put(m->event, seat);
    wl_put(m->event, WL_SIZE(&chosen));
    WL_EACH(&chosen, space)
        wl_put(m->event, space);
    wl_close_record(m->event);
}

static void break_conquest(const match *m, int32_t id)
{
    piece *p = &m->state->pieces[id];

    if (p->conquering)
        EFFECT(m, E_CONQUEST_BROKEN, id, p->space);
    p->conquering = 0;
}

/* 7.1, 7.2. */
static void start_conquest(const match *m, int32_t id)
{
    piece *p = &m->state->pieces[id];
    const kind_rule *kind = &KIND[p->kind];
    int32_t turns = region_of(p->space) == MIDDLE ? kind->conquest_middle : kind->conquest_region;

    if (is_veteran(m->setup, p) && turns > 1)
        turns--;
    p->conquering = (uint8_t)turns;
    EFFECT(m, E_CONQUEST_STARTED, id, p->space, turns);
}

/* Death by capture or curse. Returns the faction that has lost its Mighty with it, or NOBODY. */
static int32_t die(const match *m, int32_t id, int32_t effect, int32_t by)
{
    universal_state *state = m->state;
    piece *p = &state->pieces[id];
    const int32_t whose = p->seat;

    state->progress = 1;
    wl_record(m->event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0,
              WL_EFFECT_LIKE(E_CAPTURED, effect, id, p->kind, p->seat, p->space, by));
    if (p->origin != NOBODY)
        state->pieces[holder_of(state, id)].holds = 0;
    let_go(m, id);
    lift_piece(state, id);
    *p = (piece){
        .where = DEAD,
        .kind = p->kind,
        .seat = p->origin != NOBODY ? p->origin : p->seat,
        .origin = NOBODY,
    };
    WL_ADD(&state->dead, id);
    return p->kind == MIGHTY ? whose : NOBODY;
}

/* 7.1. Returns the faction that has lost its Mighty, or NOBODY. */
static int32_t move(const match *m, const int32_t *field)
{
    universal_state *state = m->state;
    const int32_t id = field[0], to = field[1];
    const int32_t seat = state->pieces[id].seat;
    const int32_t taken = state->at[to];
    int32_t lost = NOBODY;

    break_conquest(m, id);
    if (taken != 0)
        lost = die(m, taken, E_CAPTURED, id);
    EFFECT(m, E_MOVED, id, state->pieces[id].space, to);
    shift_piece(state, id, to);
    if (taken != 0 && seat == MAJORA && state->promotions < PROMOTIONS_MAX) {
        state->promotions++;
        EFFECT(m, E_PROMOTION_EARNED, state->promotions);
    }
    if (taken != 0)
        earn_merit(m, id);
    if (field[2] == 1)
        start_conquest(m, id);
    if (state->moves_left == 2) {
        state->moves_left = 1;
        state->moved = (uint8_t)id;
    }
    return lost;
}

static void promote(const match *m, int32_t id) /* 7.3 */
{
    piece *p = &m->state->pieces[id];

    m->state->promotions--;
    PROGRESS(m, E_PROMOTED, id, p->space, p->kind);
    p->kind = COMMANDER;
}

static void breed(const match *m, const int32_t *field) /* 7.4 */
{
    universal_state *state = m->state;
    const int32_t id = state->next_id++;

    state->breedings_left--;
    state->pieces[id] = (piece){.kind = DEMON, .seat = CHAOS, .origin = NOBODY};
    put_piece(state, id, field[1]);
    EFFECT(m, E_BRED, id, field[0], field[1]);
}

static void summon(const match *m, const int32_t *field) /* 7.5 */
{
    break_conquest(m, field[1]);
    EFFECT(m, E_SUMMONED, field[1], m->state->pieces[field[1]].space, field[2], field[0]);
    shift_piece(m->state, field[1], field[2]);
}

static void raise(const match *m, const int32_t *field) /* 7.6 */
{
    WL_REMOVE(&m->state->dead, field[1]);
    put_piece(m->state, field[1], field[2]);
    EFFECT(m, E_RAISED, field[1], m->state->pieces[field[1]].kind, field[2], field[0]);
}

static void seize(const match *m, const int32_t *field) /* 7.8 */
{
    universal_state *state = m->state;
    piece *psionic = &state->pieces[field[0]];
    const int32_t id = state->at[field[1]];
    piece *p = &state->pieces[id];
    const int32_t previous = p->seat;

    if (p->origin != NOBODY)
        state->pieces[holder_of(state, id)].holds = 0;
    else
        p->origin = p->seat;
    change_side(state, id, psionic->seat);
    p->conquering = p->frozen = 0;
    if (p->origin == p->seat)
        p->origin = NOBODY; /* it has come home */
    else
        psionic->holds = (uint8_t)id;
    PROGRESS(m, E_SEIZED, id, p->kind, p->space, previous, p->seat, field[0]);
}

static void freeze(const match *m, int32_t space) /* 7.9 */
{
    m->state->freeze_used = 1;
    m->state->pieces[m->state->at[space]].frozen = 1;
    EFFECT(m, E_FROZEN, m->state->at[space], space);
}

static void answer_draw(const match *m, int32_t seat, int accepted) /* 7.12 */
{
    universal_state *state = m->state;

    wl_record(m->event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0,
              WL_EFFECT_LIKE(E_DRAW_ACCEPTED, accepted ? E_DRAW_ACCEPTED : E_DRAW_DECLINED, seat));
    if (!accepted) {
        state->offer_by = NOBODY;
        state->offer_accepted = 0;
        return;
    }
    state->offer_accepted = (uint8_t)(state->offer_accepted | wl_bit(seat));
    if ((state->in & ~wl_bit(state->offer_by) & ~state->offer_accepted) == 0)
        finish(m, 0, BY_AGREEMENT);
}

/* The cost of an action, before the discount. */
static int32_t cost_of(const universal_setup *setup, const universal_state *state, const wl_action *a)
{
    switch (a->type) {
    case A_BREED: return BREED_COST;
    case A_SUMMON: return SUMMON_COST;
    case A_NECROMANCY: return KIND[state->pieces[a->field[1]].kind].necromancy;
    case A_CURSE: return CURSE_COST;
    case A_SEIZE: return setup->psionic_cost;
    case A_SACRIFICE: return SACRIFICE_COST;
    default: return 0;
    }
}

/* A piece that an action names, for an explanation: the field that names it, its kind, seat and space; -1 for what is not. */
static size_t name_piece(const universal_state *state, int32_t field, int32_t id, wl_word *out)
{
    const piece *p = wl_between(1, id, IDS - 1) ? &state->pieces[id] : NULL;
    const int known = p != NULL && p->where != 0;

    out[0] = field;
    out[1] = known ? p->kind : -1;
    out[2] = known ? p->seat : -1;
    out[3] = known && p->where == ON_BOARD ? p->space : -1;
    return 4;
}

/* What stands on a space, likewise: its kind and seat. */
static size_t name_target(const universal_state *state, int32_t space, wl_word *out)
{
    const int32_t id = state->at[space];
    out[0] = id == 0 ? -1 : state->pieces[id].kind;
    out[1] = id == 0 ? -1 : state->pieces[id].seat;
    return 2;
}

/* What a refusal leaves unsaid. The words by code:
 *
 *   not_your_turn         seat in turn
 *   cannot_pay            cost, spaces owned                    bad_payment           cost, fault, its place, owner of the space
 *   cannot_conquer        space, its owner                      immune, illegal_target, wrong_kind of seize   name_target
 *   no_such_ability       of a faction: -1, the faction         limit_reached         breedings left
 *   no_such_dead          its cause in `where`: 0 no piece, 1 on the board, 2 dead, of another seat
 *   others                name_piece, of the field at fault     already_holding       and what it holds
 */
static size_t universal_explain(const void *setup, const void *state_, const wl_post *post, int32_t error, wl_word *out)
{
    const universal_state *state = state_;
    const wl_action *action = &post->action;
    const int32_t type = action->type, first = action->field[0], second = action->field[1];
    const act a = {setup, state, post->actor, action->field, post->items};
    const int of_faction = type == A_PROMOTE || type == A_BREED || type == A_FREEZE || type == A_SACRIFICE;
    int32_t at;

    switch (error) {
    case WL_E_NOT_YOUR_TURN: out[0] = state->seat; return 1;
    case CANNOT_PAY:
    case BAD_PAYMENT:
        out[0] = cost_for(a.seat, cost_of(setup, state, action));
        out[1] = WL_SIZE(&state->area[a.seat]);
        if (error == CANNOT_PAY)
            return 2;
        out[1] = payment_fault(&a, (int32_t)out[0], action->field[FIELDS_OF[type].pay], &at);
        out[2] = at;
        out[3] = out[1] == NOT_OWN ? owner_of(state, a.items[at]) : NOBODY;
        return 4;
    case CANNOT_CONQUER:
        out[0] = type == A_MOVE ? second : state->pieces[first].space;
        out[1] = owner_of(state, (int32_t)out[0]);
        return 2;
    case LIMIT_REACHED: out[0] = state->breedings_left; return 1;
    case IMMUNE: return name_target(state, second, out);
    case ILLEGAL_TARGET: return name_target(state, type == A_FREEZE ? first : second, out);
    case NO_SUCH_ABILITY:
        if (!of_faction)
            return name_piece(state, 0, first, out);
        out[0] = -1;
        out[1] = type == A_PROMOTE ? MAJORA : type == A_BREED ? CHAOS : type == A_FREEZE ? BALANCE : GOOD;
        return 2;
    case PIECE_CONQUERING:
        name_piece(state, of_faction ? -1 : 0, of_faction ? mighty_of(state, a.seat) : first, out);
        return 4;
    case ALREADY_HOLDING: name_piece(state, 0, first, out); out[4] = state->pieces[first].holds; return 5;
    case WRONG_KIND:
        if (type == A_SEIZE)
            return name_target(state, second, out);
        at = type == A_SUMMON || type == A_NECROMANCY;
        return name_piece(state, at, at ? second : first, out);
    case PIECE_FROZEN: return name_piece(state, type == A_SUMMON, type == A_SUMMON ? second : first, out);
    case NO_SUCH_PIECE:
    case WL_E_NOT_YOUR_PIECE:
        at = type == A_SUMMON && check_named(&a, first) == WL_OK;
        return name_piece(state, at, at ? second : first, out);
    case NO_SUCH_DEAD: return name_piece(state, 1, second, out);
    case ALREADY_MOVED:
    case ALREADY_CONQUERING:
    case WL_E_ILLEGAL_DESTINATION: return name_piece(state, 0, first, out);
    default: return 0;
    }
}

static int32_t universal_apply(const void *setup_, void *state_, const wl_post *post, wl_draws *draws, wl_event *event)
{
    const match m = {setup_, state_, event};
    const wl_action *a = &post->action;
    universal_state *state = state_;
    const int32_t seat = post->actor == WL_SERVER ? a->field[0] : post->actor;
    const int consuming = a->type == A_MOVE ? state->moves_left != 2 : a->type <= A_SEIZE || a->type == A_PASS;
    int32_t lost = NOBODY;

    (void)draws; /* nothing is random */
    if (FIELDS_OF[a->type].pay >= 0)
        pay(&m, seat, cost_of(m.setup, state, a), a->field[FIELDS_OF[a->type].pay], post->items);
    switch (a->type) {
    case A_MOVE: lost = move(&m, a->field); break;
    case A_CONQUER: start_conquest(&m, a->field[0]); break;
    case A_PROMOTE: promote(&m, a->field[0]); break;
    case A_BREED: breed(&m, a->field); break;
    case A_SUMMON: summon(&m, a->field); break;
    case A_NECROMANCY: raise(&m, a->field); break;
    case A_CURSE: lost = die(&m, state->at[a->field[1]], E_CURSED, a->field[0]); break;
    case A_SEIZE: seize(&m, a->field); break;
    case A_FREEZE: freeze(&m, a->field[0]); break;
    case A_SACRIFICE:
        EFFECT(&m, E_SACRIFICED, seat);
        state->moves_left = 2;
        break;
    case A_PASS: EFFECT(&m, E_PASSED, seat); break;
    case A_OFFER_DRAW:
        state->draw_offered = 1;
        state->offer_by = (uint8_t)seat;
        EFFECT(&m, E_DRAW_OFFERED, seat);
        break;
    case A_ACCEPT_DRAW:
    case A_DECLINE_DRAW: answer_draw(&m, seat, a->type == A_ACCEPT_DRAW); break;
    case A_RESIGN: eliminate(&m, seat, BY_RESIGNATION); break;
    default: eliminate(&m, seat, BY_TIMEOUT); break;
    }
    if (state->phase == PLAY)
        clean_up(&m, lost);
    if (state->phase == PLAY && seat == state->seat && (consuming || (state->in >> seat & 1) == 0))
        end_turn(&m);
    return WL_OK;
}

/* ==== Traces ========================================================================================================= */

/* The spaces of the straight line to `to`, which is `far` away. */
static void trace_line(int32_t from, int32_t to, int32_t far, wl_trace *trace)
{
    const int32_t df = (file_of(to) - file_of(from)) / far, dr = (rank_of(to) - rank_of(from)) / far;

    for (int32_t i = 1; i <= far; i++)
        wl_pass(trace, from + i * (dr * FILES + df));
}

/* The spaces of the first free path of a ring move (3), the nearer ones first. */
static void trace_ring(const universal_state *state, int32_t from, int32_t to, wl_trace *trace)
{
    const int32_t df = file_of(to) - file_of(from), dr = rank_of(to) - rank_of(from);
    const int wide = wl_abs(df) == NEAR || wl_abs(dr) == NEAR;
    const ring_rule *rules = wide ? RINGS_3 : RINGS_2;
    uint64_t free = 0;

    for (int32_t i = 0; i < (wide ? RING_3_ROWS : RING_2_ROWS) && free == 0; i++)
        for (int32_t path = 0; path < 3 && free == 0 && rules[i].to == WINDOW(df, dr); path++) {
            free = rules[i].path[path];
            for (uint64_t left = free; left != 0; left &= left - 1)
                if (state->at[space_in_window(from, __builtin_ctzll(left))] != 0) {
                    free = 0;
                    break;
                }
        }
    for (int32_t far = 1; far < NEAR; far++)
        for (uint64_t left = free; left != 0; left &= left - 1) {
            const int32_t space = space_in_window(from, __builtin_ctzll(left));
            if (distance(from, space) == far)
                wl_pass(trace, space);
        }
    wl_pass(trace, to);
}

/* Is the line from here to there straight, with nothing between? Then its length, else 0. */
static int32_t free_line(const universal_state *state, int32_t from, int32_t to)
{
    const int32_t df = file_of(to) - file_of(from), dr = rank_of(to) - rank_of(from);
    const int32_t far = distance(from, to);

    if (far == 0 || (df != 0 && dr != 0 && wl_abs(df) != wl_abs(dr)))
        return 0;
    for (int32_t i = 1; i < far; i++)
        if (state->at[from + i * (dr / far * FILES + df / far)] != 0)
            return 0;
    return far;
}

/* How a piece goes: what slides along a line, a knight by the ring, and all others leap. */
static void trace_move(const universal_state *state, const piece *p, int32_t to, wl_trace *trace)
{
    const kind_rule *kind = &KIND[p->kind];
    const int straight = file_of(to) == file_of(p->space) || rank_of(to) == rank_of(p->space);
    const int mighty = kind->movement == AS_ITS_FACTION;
    const uint32_t ways = mighty ? MIGHTY_OF[p->seat].ways : kind->movement == SLIDE ? kind->ways : 0;
    const int32_t far = (ways & (straight ? ORTHOGONAL : DIAGONAL)) != 0 ? free_line(state, p->space, to) : 0;
    const int near = distance(p->space, to) <= NEAR;

    if (far > 0 && !(mighty && far > MIGHTY_OF[p->seat].far))
        trace_line(p->space, to, far, trace);
    else if (kind->movement == RING && near)
        trace_ring(state, p->space, to, trace);
    else
        wl_pass(trace, to);
}

/* What goes where is passed; a curse and a seizure pass their line. Pieces that are captured or cursed are taken, those that
 * are seized or frozen are hit. */
static void trace_piece(const universal_state *before, const wl_action *a, wl_trace *trace)
{
    const int32_t at = FIELDS_OF[a->type].space;
    const int32_t to = at >= 0 ? a->field[at] : 0;
    const int32_t id = a->type == A_FREEZE ? 0 : a->field[a->type == A_SUMMON ? 1 : 0];
    const piece *p;
    int32_t met;

    if (at < 0 || !wl_between(0, to, SPACES - 1) || !wl_between(0, id, IDS - 1))
        return;
    met = before->at[to];
    p = &before->pieces[id];
    if (a->type == A_FREEZE && met != 0)
        wl_touch(trace, WL_TRACE_HITS, to, met);
    if (p->where != ON_BOARD || p->space == to)
        return;
    if (a->type == A_MOVE)
        trace_move(before, p, to, trace);
    if (a->type == A_SUMMON || a->type == A_BREED || a->type == A_NECROMANCY)
        wl_pass(trace, to);
    if ((a->type == A_CURSE || a->type == A_SEIZE) && free_line(before, p->space, to) > 0)
        trace_line(p->space, to, distance(p->space, to), trace);
    if ((a->type == A_MOVE || a->type == A_CURSE) && met != 0)
        wl_touch(trace, WL_TRACE_TAKES, to, met);
    if (a->type == A_SEIZE && met != 0)
        wl_touch(trace, WL_TRACE_HITS, to, met);
}

/* The spaces that are given up for it. */
static void trace_payment(const universal_setup *setup, const universal_state *before, const wl_post *post, wl_trace *trace)
{
    const wl_action *a = &post->action;
    const int32_t at = FIELDS_OF[a->type].pay;
    spaces chosen = {{0}};
    int32_t cost, space;

    if (at < 0 || (a->type == A_NECROMANCY && !wl_between(1, a->field[1], IDS - 1)))
        return;
    cost = cost_for(before->seat, cost_of(setup, before, a));
    if (a->field[at] == PAY_AUTO)
        chosen = cheapest(before, before->seat, cost);
    else
        for (int32_t i = 0; i < cost && a->field[at] == cost && i < (int32_t)post->n_items; i++)
            if (wl_between(0, post->items[i], SPACES - 1))
                WL_ADD(&chosen, post->items[i]);
    WL_EACH(&chosen, space)
        wl_touch(trace, WL_TRACE_PAYS, space, WL_ABSENT);
}

/* Nothing is hidden: what an event takes is what stood there before and does not stand there any more. */
static void universal_trace(const void *setup, const void *before_, const void *after_, const wl_post *post, wl_trace *trace)
{
    const universal_state *before = before_, *after = after_;
    int32_t space;

    if (post->action.type >= ACTIONS)
        return;
    trace_piece(before, &post->action, trace);
    trace_payment(setup, before, post, trace);
    if (after == NULL)
        return;
    trace->n[WL_TRACE_TAKES] = 0;
    WL_EACH(&before->taken, space)
        if (after->pieces[before->at[space]].where != ON_BOARD)
            wl_touch(trace, WL_TRACE_TAKES, space, before->at[space]);
}

/* ==== 8. Visibility ================================================================================================= */

static uint32_t universal_to_act(const void *setup, const void *state_)
{
    const universal_state *state = state_;
    (void)setup;
    return state->phase == PLAY ? wl_bit(state->seat) : 0;
}

static int32_t universal_observe(const void *setup, const void *state_, int32_t viewer, void *view_)
{
    const universal_state *state = state_;
    universal_view *view = view_;
    int32_t id;

    view->viewer = viewer;
    view->to_act = universal_to_act(setup, state);
    for (int32_t seat = 0; seat < SEATS_MAX; seat++) {
        const spaces near = boosted_spaces(state, seat);
        EACH_PIECE(state, seat, id)
            if (is_boosted(setup, &state->pieces[id], &near))
                view->boosted[id >> 6] |= (uint64_t)1 << (id & 63);
    }
    memcpy(&view->state, state, sizeof *state);
    return WL_OK;
}

static uint32_t universal_disclosure(const void *setup, const void *state)
{
    (void)setup;
    return ((const universal_state *)state)->phase == OVER ? WL_DISCLOSE_OVER : 0;
}

/* ==== 4. Options ==================================================================================================== */

/* Turn order and sides follow from mode, pairing and factions. */
static void derive_order(universal_setup *setup)
{
    setup->n_order = 0;
    memset(setup->order, 0, sizeof setup->order);
    memset(setup->side, 0, sizeof setup->side);
    if (setup->mode == DOUBLE) {
        const uint32_t pair = wl_bit(MAJORA) | wl_bit(ALLY_OF_MAJORA[setup->pairing]);
        for (int i = 0; i < 4; i++) {
            const uint8_t seat = DOUBLE_ORDER[setup->pairing][i];
            setup->order[setup->n_order++] = seat;
            setup->side[seat] = (uint8_t)(pair >> seat & 1 ? pair : CORNERS & ~pair);
        }
        return;
    }
    for (int32_t seat = 0; seat < SEATS_MAX; seat++)
        if (setup->plays >> seat & 1) {
            setup->order[setup->n_order++] = (uint8_t)seat;
            setup->side[seat] = (uint8_t)wl_bit(seat);
        }
}

static int32_t read_options(universal_setup *setup, int32_t *first, wl_words *words)
{
    const wl_word verdict = wl_next(words);
    const wl_word mode = wl_or_else(wl_next(words), OPTION[O_MODE].otherwise);
    const wl_word plays = wl_or_else(wl_next(words), mode == DOUBLE ? CORNERS : EVERYBODY);
    wl_word value[OPTIONS] = {mode};
    wl_word first_;

    memset(setup, 0, sizeof *setup);
    for (int32_t i = O_MODE + 1; i < OPTIONS; i++)
        value[i] = wl_or_else(wl_next(words), OPTION[i].otherwise);
    first_ = value[O_FIRST];
    if (words->overrun || verdict != 0)
        return WL_E_INVALID_OPTIONS;
    for (int32_t i = 0; i < OPTIONS; i++)
        if (i != O_FIRST && !WL_IN_RANGE(i, value[i]))
            return WL_E_INVALID_OPTIONS;
    if (!wl_between(0, plays, EVERYBODY) || wl_popcount((uint32_t)plays) < 2)
        return WL_E_INVALID_OPTIONS;
    if (mode == DOUBLE && plays != CORNERS)
        return WL_BLAME(words, WL_E_INVALID_OPTIONS, NOTE_FACTIONS);
    if (mode == STANDARD && value[O_PAIRING] != OPPOSITE)
        return WL_BLAME(words, WL_E_INVALID_OPTIONS, NOTE_PAIRING);
    setup->quiet_limit = (uint16_t)value[O_QUIET_LIMIT];
    setup->mode = (uint8_t)mode;
    setup->pairing = (uint8_t)value[O_PAIRING];
    setup->plays = (uint8_t)plays;
    setup->breeding_limit = (uint8_t)value[O_BREEDING_LIMIT];
    setup->psionics = (uint8_t)value[O_PSIONICS];
    setup->psionic_cost = (uint8_t)value[O_PSIONIC_COST];
    setup->veterans = (uint8_t)value[O_VETERANS];
    setup->veteran_merits = (uint8_t)value[O_VETERAN_MERITS];
    derive_order(setup);
    if (first_ == WL_WORD_ABSENT)
        *first = setup->order[0];
    else if (wl_between(0, first_, SEATS_MAX - 1) && (plays >> first_ & 1))
        *first = (int32_t)first_;
    else
        return WL_BLAME(words, WL_E_INVALID_OPTIONS, NOTE_FIRST);
    return WL_OK;
}

static void normal_start(universal_state *state, const universal_setup *setup, int32_t first)
{
    const int32_t end = setup->psionics ? FIRST_NEW_ID : FIRST_PSIONIC;

    state->number = 1;
    state->seat = (uint8_t)first;
    state->next_id = FIRST_NEW_ID;
    state->breedings_left = setup->breeding_limit;
    state->in = setup->plays;
    state->offer_by = NOBODY;
    for (int32_t id = 1; id < end; id++) {
        const int32_t seat = initial_seat(id);
        if ((setup->plays >> seat & 1) == 0)
            continue;
        state->pieces[id] = (piece){.kind = INITIAL[id].kind, .seat = (uint8_t)seat, .origin = NOBODY};
        put_piece(state, id, INITIAL[id].space);
    }
    give_regions(state->area, setup->plays);
}

/* ==== 10. Position ================================================================================================== */

static int32_t universal_check_options(wl_words *options, wl_words *position)
{
    universal_setup setup;
    universal_state state = {0};
    int32_t first;
    const int32_t error = read_options(&setup, &first, options);

    return error != WL_OK || position == NULL ? error : universal_load_position(&setup, &state, first, position);
}

static int32_t universal_init(void *setup, void *state_, wl_words *options, wl_words *position, wl_draws *draws,
                              wl_event *event)
{
    universal_state *state = state_;
    const match m = {setup, state, event};
    int32_t first;
    int32_t error = read_options(setup, &first, options);

    (void)draws;
    if (error == WL_OK && position != NULL)
        error = universal_load_position(setup, state, first, position);
    if (error != WL_OK)
        return error;
    if (position == NULL)
        normal_start(state, setup, first);
    EFFECT(&m, E_TURN, state->seat, state->number);
    return WL_OK;
}

/* ==== Soundness ===================================================================================================== */

static int32_t universal_sound_setup(const void *setup_)
{
    const universal_setup *setup = setup_;
    universal_setup same = *setup;

    if (setup->mode > DOUBLE || setup->pairing >= PAIRINGS || setup->plays > EVERYBODY || wl_popcount(setup->plays) < 2)
        return 0;
    if (setup->mode == DOUBLE && setup->plays != CORNERS)
        return 0;
    if (setup->quiet_limit > QUIET_MAX || setup->breeding_limit > BREEDINGS_MAX)
        return 0;
    if (setup->psionics > 1 || setup->psionic_cost > COST_MAX || setup->veterans > 1)
        return 0;
    if (!wl_between(1, setup->veteran_merits, VETERAN_MERITS_MAX))
        return 0;
    derive_order(&same);
    return same.n_order == setup->n_order && memcmp(same.order, setup->order, sizeof same.order) == 0 &&
           memcmp(same.side, setup->side, sizeof same.side) == 0;
}

/* Room to count on in a playout, which looks at its first state only. */
enum { COUNTER_MAX = 2000000000 };

static int sound_turn(const universal_setup *setup, const universal_state *state)
{
    const uint32_t bit = state->offer_by < NOBODY ? wl_bit(state->offer_by) : 0;

    if (state->phase > OVER || state->reason > BY_QUIET || (state->winners & ~setup->plays) != 0)
        return 0;
    if (!wl_between(1, state->number, COUNTER_MAX) || state->seat >= SEATS_MAX || (setup->plays >> state->seat & 1) == 0)
        return 0;
    if (state->phase == PLAY && (state->in >> state->seat & 1) == 0)
        return 0;
    if (state->freeze_used > 1 || state->moves_left > 2 || state->draw_offered > 1 || state->progress > 1)
        return 0;
    if (!wl_between(FIRST_NEW_ID, state->next_id, IDS) || state->promotions > PROMOTIONS_MAX || state->quiet > QUIET_MAX)
        return 0;
    if (state->breedings_left > BREEDINGS_MAX || state->offer_by > NOBODY)
        return 0;
    if ((bit & ~state->in) != 0 || (state->offer_accepted & (~state->in | bit)) != 0)
        return 0;
    return bit != 0 ? (state->in & ~bit & ~state->offer_accepted) != 0 : state->offer_accepted == 0;
}

static int sound_out(const universal_setup *setup, const universal_state *state)
{
    uint32_t out = 0;

    if (state->n_out > SEATS_MAX)
        return 0;
    for (int32_t i = 0; i < state->n_out; i++) {
        const out_row *o = &state->out[i];
        if (o->seat >= SEATS_MAX || (out >> o->seat & 1) || o->reason > BY_TIMEOUT || !wl_between(0, o->number, COUNTER_MAX))
            return 0;
        out |= wl_bit(o->seat);
    }
    return (out & ~setup->plays) == 0 && state->in == (setup->plays & ~out) &&
           (state->phase == OVER || two_sides_are_in(setup, state->in));
}

static int sound_areas(const universal_state *state)
{
    spaces seen = {{0}};

    for (int32_t seat = 0; seat < SEATS_MAX; seat++) {
        const spaces *area = &state->area[seat];
        for (int i = 0; i < WORDS; i++) {
            const uint64_t board = i < SPACES / 64 ? ~(uint64_t)0 : ((uint64_t)1 << SPACES % 64) - 1;
            if ((area->word[i] & (seen.word[i] | ~board)) != 0)
                return 0;
            seen.word[i] |= area->word[i];
        }
        if ((state->in >> seat & 1) ? state->phase == PLAY && WL_IS_EMPTY(area) : !WL_IS_EMPTY(area))
            return 0;
    }
    return 1;
}

static int sound_piece(const universal_state *state, int32_t id)
{
    const piece *p = &state->pieces[id];

    if (p->where == NOWHERE)
        return (p->space | p->kind | p->seat | p->conquering | p->frozen | p->merits | p->origin | p->holds) == 0;
    if (p->where > DEAD || p->kind >= KINDS || p->seat >= SEATS_MAX || (state->in >> p->seat & 1) == 0)
        return 0;
    if (p->where == DEAD)
        return (p->space | p->conquering | p->frozen | p->merits | p->holds) == 0 && p->origin == NOBODY && p->kind != MIGHTY;
    if (p->space >= SPACES || state->at[p->space] != id || p->conquering > CONQUEST_TURNS_MAX || p->frozen > 1)
        return 0;
    if (p->origin > NOBODY)
        return 0;
    if (p->origin != NOBODY && (p->origin == p->seat || (state->in >> p->origin & 1) == 0 || !is_seizable(p->kind)))
        return 0;
    if (p->holds != 0) {
        const piece *held = &state->pieces[p->holds];
        if (p->kind != PSIONIC || p->holds >= state->next_id || held->where != ON_BOARD)
            return 0;
        if (held->seat != p->seat || held->origin >= NOBODY)
            return 0;
    }
    return 1;
}

/* Pieces, and what follows from them: every thrall has one holder, every faction one Mighty, `at` and `of` agree. */
static int sound_pieces(const universal_state *state)
{
    ids of[SEATS_MAX] = {{{0}}};
    ids dead = {{0}};
    int32_t mighties[SEATS_MAX] = {0};
    uint8_t holders[IDS] = {0};
    spaces taken = {{0}};
    int32_t n_standing = 0, n_at = 0, n_thralls = 0, n_holders = 0;

    for (int32_t id = 0; id < state->next_id; id++) {
        const piece *p = &state->pieces[id];
        if (!sound_piece(state, id) || (id == 0 && p->where != NOWHERE))
            return 0;
        if (p->where == DEAD)
            WL_ADD(&dead, id);
        if (p->where != ON_BOARD)
            continue;
        n_standing++;
        WL_ADD(&of[p->seat], id);
        WL_ADD(&taken, p->space);
        mighties[p->seat] += p->kind == MIGHTY;
        n_thralls += p->origin != NOBODY;
        if (p->holds == 0)
            continue;
        n_holders++;
        if (holders[p->holds]++ != 0)
            return 0;
    }
    for (int32_t space = 0; space < SPACES; space++)
        n_at += state->at[space] != 0;
    for (int32_t seat = 0; seat < SEATS_MAX; seat++)
        if (mighties[seat] != (state->in >> seat & 1))
            return 0;
    if (state->moves_left == 1 ? state->moved == 0 || state->moved >= state->next_id : state->moved != 0)
        return 0;
    return n_at == n_standing && n_thralls == n_holders && memcmp(of, state->of, sizeof of) == 0 &&
           memcmp(&dead, &state->dead, sizeof dead) == 0 && memcmp(&taken, &state->taken, sizeof taken) == 0;
}

static int32_t universal_sound_state(const void *setup, const void *state)
{
    return sound_turn(setup, state) && sound_out(setup, state) && sound_areas(state) && sound_pieces(state);
}

/* ==== The game ====================================================================================================== */

static int32_t universal_seats_in(const void *setup)
{
    (void)setup;
    return SEATS_MAX; /* a seat's number does not depend on who else plays; one that does not play is as one that is out */
}

static int32_t universal_phase(const void *state) { return ((const universal_state *)state)->phase; }

/* Thinking time starts with every turn. */
static int64_t universal_clock(const void *setup, const void *state_, int32_t seat)
{
    const universal_state *state = state_;
    return universal_to_act(setup, state) >> seat & 1 ? state->number : 0;
}

static wl_result universal_result(const void *state_)
{
    const universal_state *state = state_;
    const wl_result result = {state->phase == OVER, state->reason, state->winners};
    return result;
}

static const wl_game UNIVERSAL = {
    WL_PARTS(universal),
    .name = "universal",
    .rules_version = 1,
    .items_max = COST_MAX,
    .phases = PHASES,
    .reasons = REASONS,
    /* The largest event: all pieces thaw, are released or conquer, each with an effect or two of at most eleven words. */
    .event_words_max = 3 * 11 * IDS + 1024,
    .draws_max = 0,
    .reconfigure = NULL, /* the book allows no change of options during play */
    .slots = universal_slots,
    .slot = universal_slot,
    .trace = universal_trace,
    .sample = universal_sample,
    .evaluate = universal_evaluate,
    .numbering = &universal_numbering,
};

const wl_game *const wl_games_universal[] = {&UNIVERSAL, NULL};
