/* wec_numbering.c: actions as numbers, and planes of what a seat knows (warlog.h, section 10).
 *
 * The board is 10 by 10: a cell is a square. A square may hold several pieces of a seat, so a piece is given by its id, which it keeps
 * for the whole match, from 0; articles that are given away by their place among those that the piece carries; a group of a dozer by
 * the squares around it, as bits from south-west to north-east. */
#include "wec.h"

enum { AIMED = 6, HOMING = 3, TRANSPORTS = 3, PATHS = 3, GROUPS = 256, EXCHANGED = CARRIED_MAX + 1 };

#define FAMILY_ROWS(X)                                                                                                \
    X(N_MOVE, move, A_MOVE, "piece", "to", "level", "carries")                                                        \
    X(N_DOZE, doze, A_DOZE, "dozer", "group", "direction")                                                            \
    X(N_FIRE, fire, A_FIRE, "piece", "weapon", "direction")                                                           \
    X(N_FIRE_AT, fire_at, A_FIRE, "piece", "launcher", "target")                                                      \
    X(N_TRAVEL, travel, A_FIRE, "piece", "transport", "to", "path")                                                   \
    X(N_PICK_UP, pick_up, A_PICK_UP, "piece", "article")                                                              \
    X(N_DROP, drop, A_DROP, "piece", "article")                                                                       \
    X(N_EXCHANGE, exchange, A_EXCHANGE, "giver", "receiver", "given", "for")                                          \
    X(N_REINFORCE, reinforce, A_REINFORCE, "piece")                                                                   \
    X(N_END_TURN, end_turn, A_END_TURN, NULL)                                                                         \
    X(N_OFFER_DRAW, offer_draw, A_OFFER_DRAW, NULL)                                                                   \
    X(N_ACCEPT_DRAW, accept_draw, A_ACCEPT_DRAW, NULL)                                                                \
    X(N_DECLINE_DRAW, decline_draw, A_DECLINE_DRAW, NULL)                                                             \
    X(N_RESIGN, resign, A_RESIGN, NULL)
WL_FAMILIES(FAMILY_ROWS);

#define TYPE_PLANES(X, side, text)                                                                                    \
    X(P_##side##_ROCKET_PAWN, side##_rocket_pawn, text " rocket pawn")                                                \
    X(P_##side##_STUN_PAWN, side##_stun_pawn, text " stun pawn")                                                      \
    X(P_##side##_FLAME_PAWN, side##_flame_pawn, text " flame pawn")                                                   \
    X(P_##side##_CONVERSION_PAWN, side##_conversion_pawn, text " conversion pawn")                                    \
    X(P_##side##_XXX_PAWN, side##_xxx_pawn, text " XXX pawn")                                                         \
    X(P_##side##_STEALTH_PAWN, side##_stealth_pawn, text " stealth pawn")                                             \
    X(P_##side##_SAM_TORPEDO_PAWN, side##_sam_torpedo_pawn, text " SAM torpedo pawn")                                 \
    X(P_##side##_TANK, side##_tank, text " tank")                                                                     \
    X(P_##side##_DOZER, side##_dozer, text " dozer")                                                                  \
    X(P_##side##_CLERIC, side##_cleric, text " cleric")                                                               \
    X(P_##side##_CHOPPER, side##_chopper, text " chopper")                                                            \
    X(P_##side##_JET, side##_jet, text " jet")                                                                        \
    X(P_##side##_SUBMARINE, side##_submarine, text " submarine")                                                      \
    X(P_##side##_DESTROYER, side##_destroyer, text " destroyer")                                                      \
    X(P_##side##_AAA, side##_aaa, text " AAA")                                                                        \
    X(P_##side##_KING, side##_king, text " king")                                                                     \
    X(P_##side##_DICTATOR, side##_dictator, text " dictator")                                                         \
    X(P_##side##_AVATAR, side##_avatar, text " avatar")                                                               \
    X(P_##side##_PRESIDENT, side##_president, text " president")                                                      \
    X(P_##side##_QUEEN, side##_queen, text " queen")                                                                  \
    X(P_##side##_ASSASSIN, side##_assassin, text " assassin")                                                         \
    X(P_##side##_ACOLYTE, side##_acolyte, text " acolyte")                                                            \
    X(P_##side##_PRIME_MINISTER, side##_prime_minister, text " prime minister")                                       \
    X(P_##side##_AIR, side##_air, text " piece in the air")                                                           \
    X(P_##side##_SUB, side##_sub, text " piece below the ground")                                                     \
    X(P_##side##_STUNNED, side##_stunned, text " piece that is stunned for n half-turns, as n / (n + 3)")             \
    X(P_##side##_TRAVELLING, side##_travelling, text " piece on a journey")                                           \
    X(P_##side##_UNMOVED, side##_unmoved, text " piece that has not moved yet")                                       \
    X(P_##side##_ARMED, side##_armed, text " piece with articles")                                                    \
    X(P_##side##_ROCKET, side##_rocket, text " rocket in flight")                                                     \
    X(P_##side##_SAM, side##_sam, text " SAM in flight")                                                              \
    X(P_##side##_TORPEDO, side##_torpedo, text " torpedo in flight")                                                  \
    X(P_##side##_ACTIVATION, side##_activation, "a square where " text " reinforcement may be called")

#define ARTICLE_PLANES(X, what, text)                                                                                 \
    X(P_##what##_FLAME, what##_flame, text " flame")                                                                  \
    X(P_##what##_STUN, what##_stun, text " stun")                                                                     \
    X(P_##what##_CONVERSION, what##_conversion, text " conversion")                                                   \
    X(P_##what##_ROCKET_LAUNCHER, what##_rocket_launcher, text " rocket launcher")                                    \
    X(P_##what##_SAM_LAUNCHER, what##_sam_launcher, text " SAM launcher")                                             \
    X(P_##what##_TORPEDO_LAUNCHER, what##_torpedo_launcher, text " torpedo launcher")                                 \
    X(P_##what##_STEALTH, what##_stealth, text " stealth")                                                            \
    X(P_##what##_ANTI_FLAME, what##_anti_flame, text " anti-flame")                                                   \
    X(P_##what##_ANTI_STUN, what##_anti_stun, text " anti-stun")                                                      \
    X(P_##what##_ANTI_CONVERSION, what##_anti_conversion, text " anti-conversion")                                    \
    X(P_##what##_ANTI_ROCKET, what##_anti_rocket, text " anti-rocket")                                                \
    X(P_##what##_ANTI_SAM, what##_anti_sam, text " anti-SAM")                                                         \
    X(P_##what##_ANTI_TORPEDO, what##_anti_torpedo, text " anti-torpedo")                                             \
    X(P_##what##_ANTI_STEALTH, what##_anti_stealth, text " anti-stealth")                                             \
    X(P_##what##_BICYCLE, what##_bicycle, text " bicycle")                                                            \
    X(P_##what##_JUMP_PACK, what##_jump_pack, text " jump pack")                                                      \
    X(P_##what##_SCUBA, what##_scuba, text " SCUBA")                                                                  \
    X(P_##what##_XXX, what##_xxx, text " XXX box")

#define PLANE_ROWS(X)                                                                                                 \
    TYPE_PLANES(X, own, "an own")                                                                                     \
    TYPE_PLANES(X, enemy, "an enemy")                                                                                 \
    ARTICLE_PLANES(X, carried, "somebody carries a")                                                                  \
    ARTICLE_PLANES(X, loose, "on the ground lies a")                                                                  \
    X(P_READY, ready, "an own piece with a weapon of its type that is ready")                                         \
    X(P_GHOST, ghost, "where the seat last saw a piece that it sees no more")                                         \
    X(P_WAITING, waiting, "an own reinforcement waits for this square")                                               \
    X(P_MOVED, moved, "everywhere: the seat has moved in this turn")                                                  \
    X(P_FIRES, fires, "everywhere: shots n in this turn, as n / 2")                                                   \
    X(P_WHITE, white, "everywhere: the seat is white")                                                                \
    X(P_TURN, turn, "everywhere: half-turns n, as n / (n + 50)")                                                      \
    X(P_DRAW_OFFERED, draw_offered, "everywhere: somebody offers a draw")
WL_PLANES(PLANE_ROWS);
enum { OF_A_SIDE = P_enemy_ROCKET_PAWN - P_own_ROCKET_PAWN };
_Static_assert(P_own_PRIME_MINISTER - P_own_ROCKET_PAWN == PRIME_MINISTER - ROCKET_PAWN, "planes of types stand in their order");
_Static_assert(P_carried_XXX - P_carried_FLAME == XXX - FLAME, "and those of articles in theirs");

static void shape(const void *setup, int32_t *rows, int32_t *columns)
{
    (void)setup;
    *rows = *columns = FILES;
}

/* How many pieces, and dozers among them, a match begins with: no others come later. */
static int32_t count_start(const wec_setup *setup, int only_dozers)
{
    _Alignas(8) wec_state start = {0};
    int32_t n = 0;

    wec_standard_start(setup, &start);
    for (int32_t i = 0; i < start.n_pieces; i++)
        n += !only_dozers || start.pieces[i].type == DOZER;
    return n > 0 ? n : 1;
}

static int32_t size(const void *setup, int32_t family, int32_t digit)
{
    static const int32_t OTHERS[FAMILIES][WL_DIGITS_MAX] = { /* but the first, which is a piece */
        [N_MOVE] = {0, SQUARES, LEVELS, 2},
        [N_DOZE] = {0, GROUPS, DIRECTIONS},
        [N_FIRE] = {0, AIMED, DIRECTIONS},
        [N_FIRE_AT] = {0, HOMING, SQUARES},
        [N_TRAVEL] = {0, TRANSPORTS, SQUARES, PATHS},
        [N_PICK_UP] = {0, KINDS},
        [N_DROP] = {0, KINDS},
        [N_EXCHANGE] = {0, 0, CARRIED_MAX, EXCHANGED},
    };
    const int32_t n = OTHERS[family][digit];
    return n != 0 ? n : count_start(setup, family == N_DOZE);
}

/* The place of an article among the kinds that a piece carries, and back: NO_ARTICLE where there are not so many. */
static int32_t place_of_kind(const piece *p, int32_t kind) { return wl_popcount(p->kinds & (A(kind) - 1)); }

static int32_t kind_at(const piece *p, int32_t place)
{
    for (uint32_t kinds = p->kinds; kinds != 0; kinds &= kinds - 1)
        if (place-- == 0)
            return wl_lowest(kinds);
    return NO_ARTICLE;
}

/* The dozers of a seat that stand before this piece. */
static int32_t dozers_before(const wec_state *state, int32_t seat, int32_t id)
{
    int32_t n = 0;
    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *p = &state->pieces[i];
        n += p->seat == seat && p->type == DOZER && p->id < id;
    }
    return n;
}

static int32_t nth_dozer(const wec_state *state, int32_t seat, int32_t n)
{
    for (int32_t i = 0; i < state->n_pieces; i++)
        if (state->pieces[i].seat == seat && state->pieces[i].type == DOZER && n-- == 0)
            return i;
    return -1;
}

/* The squares around one, as bits: south-west, south, south-east, west, east, north-west, north, north-east. */
static int32_t bit_of(int32_t centre, int32_t square)
{
    const int32_t block = (rank_of(square) - rank_of(centre) + 1) * 3 + file_of(square) - file_of(centre) + 1;
    return block > 4 ? block - 1 : block;
}

static int32_t square_of(int32_t centre, int32_t bit)
{
    const int32_t block = bit < 4 ? bit : bit + 1;
    return away(centre, block / 3 - 1, block % 3 - 1);
}

static int32_t encode_doze(const wl_index *index, const wec_state *state, int32_t seat, const wl_action *a)
{
    const int32_t centre = state->pieces[place_of(state, a->field[F_PIECE])].square;
    int32_t group = 0;

    for (int32_t i = 0; i < a->field[F_N_SQUARES]; i++)
        group |= 1 << bit_of(centre, a->field[F_SQUARES + i]);
    return WL_NUMBERED(index, N_DOZE, dozers_before(state, seat, a->field[F_PIECE]), group, a->field[F_DOZE_DIRECTION]);
}

static int32_t encode_fire(const wl_index *index, const wl_action *a)
{
    const int32_t weapon = a->field[F_WEAPON];
    const int32_t piece = a->field[F_PIECE] - 1;

    if (weapon >= W_BICYCLE)
        return WL_NUMBERED(index, N_TRAVEL, piece, weapon - W_BICYCLE, a->field[F_GOAL], a->field[F_PATH]);
    if (a->field[F_DIRECTION] != WL_ABSENT)
        return WL_NUMBERED(index, N_FIRE, piece, weapon, a->field[F_DIRECTION]);
    return WL_NUMBERED(index, N_FIRE_AT, piece, weapon - (W_LIMITED_ROCKET - HOMING + 1), a->field[F_TARGET]);
}

static int32_t encode_exchange(const wl_index *index, const wec_state *state, const wl_action *a)
{
    const piece *from = &state->pieces[place_of(state, a->field[F_FROM])];
    const piece *to = &state->pieces[place_of(state, a->field[F_RECEIVER])];

    return WL_NUMBERED(index, N_EXCHANGE, from->id - 1, to->id - 1, place_of_kind(from, a->field[F_GIVEN]),
                     a->field[F_FOR] == WL_ABSENT ? CARRIED_MAX : place_of_kind(to, a->field[F_FOR]));
}

static int32_t encode_article(const wl_index *index, const wl_action *a, int32_t family)
{
    return WL_NUMBERED(index, family, a->field[F_PIECE] - 1, a->field[F_ARTICLE] - FLAME);
}

static int32_t encode(const wl_index *index, const void *setup, const void *state_, int32_t seat, const wl_action *a)
{
    const wec_state *state = state_;

    (void)setup;
    switch (a->type) {
    case A_MOVE:
        return WL_NUMBERED(index, N_MOVE, a->field[F_PIECE] - 1, a->field[F_TO], a->field[F_LEVEL],
                         a->field[F_CARRY] != WL_ABSENT);
    case A_DOZE: return encode_doze(index, state, seat, a);
    case A_FIRE: return encode_fire(index, a);
    case A_PICK_UP: return encode_article(index, a, N_PICK_UP);
    case A_DROP: return encode_article(index, a, N_DROP);
    case A_EXCHANGE: return encode_exchange(index, state, a);
    case A_REINFORCE: return WL_NUMBERED(index, N_REINFORCE, a->field[F_PIECE] - 1);
    default: return WL_PLAIN;
    }
}

/* Another piece of the seat in the cell of this one: its id, or WL_ABSENT. */
static int32_t companion_of(const wec_state *state, int32_t id)
{
    const int32_t place = place_of(state, id);

    for (int32_t i = 0; place >= 0 && i < state->n_pieces; i++) {
        const piece *p = &state->pieces[place], *other = &state->pieces[i];
        if (i != place && other->seat == p->seat && other->square == p->square && other->level == p->level && on_board(p))
            return other->id;
    }
    return WL_ABSENT;
}

static int decode_doze(const wec_state *state, int32_t seat, const int32_t *digit, int32_t *f)
{
    const int32_t place = nth_dozer(state, seat, digit[0]);
    int32_t n = 0;

    if (place < 0 || wl_popcount((uint32_t)digit[1]) > DOZE_SQUARES_MAX)
        return 0;
    f[F_PIECE] = state->pieces[place].id;
    for (int32_t bit = 0; bit < 8; bit++)
        if (digit[1] >> bit & 1) {
            const int32_t square = on_board(&state->pieces[place]) ? square_of(state->pieces[place].square, bit) : -1;
            if (square < 0)
                return 0;
            f[F_SQUARES + n++] = square;
        }
    f[F_N_SQUARES] = n;
    f[F_DOZE_DIRECTION] = digit[2];
    return 1;
}

static int decode_exchange(const wec_state *state, const int32_t *digit, int32_t *f)
{
    const int32_t from = place_of(state, digit[0] + 1);
    const int32_t to = place_of(state, digit[1] + 1);

    if (from < 0 || to < 0)
        return 0;
    f[F_FROM] = digit[0] + 1;
    f[F_RECEIVER] = digit[1] + 1;
    f[F_GIVEN] = kind_at(&state->pieces[from], digit[2]);
    f[F_FOR] = digit[3] == CARRIED_MAX ? WL_ABSENT : kind_at(&state->pieces[to], digit[3]);
    return f[F_GIVEN] != NO_ARTICLE && f[F_FOR] != NO_ARTICLE;
}

static int32_t decode(const wl_index *index, const void *setup, const void *state_, int32_t seat, int32_t family,
                      const int32_t *digit, wl_action *out)
{
    const wec_state *state = state_;
    int32_t *f = out->field;

    (void)index;
    (void)setup;
    if (family <= N_REINFORCE)
        f[F_PIECE] = digit[0] + 1;
    switch (family) {
    case N_MOVE:
        f[F_TO] = digit[1];
        f[F_LEVEL] = digit[2];
        f[F_CARRY] = digit[3] ? companion_of(state, f[F_PIECE]) : WL_ABSENT;
        return !digit[3] || f[F_CARRY] != WL_ABSENT;
    case N_DOZE: return decode_doze(state, seat, digit, f);
    case N_FIRE:
        f[F_WEAPON] = digit[1];
        f[F_DIRECTION] = digit[2];
        f[F_TARGET] = f[F_GOAL] = f[F_PATH] = WL_ABSENT;
        return 1;
    case N_FIRE_AT:
        f[F_WEAPON] = digit[1] + W_LIMITED_ROCKET - HOMING + 1;
        f[F_TARGET] = digit[2];
        f[F_DIRECTION] = f[F_GOAL] = f[F_PATH] = WL_ABSENT;
        return 1;
    case N_TRAVEL:
        f[F_WEAPON] = W_BICYCLE + digit[1];
        f[F_GOAL] = digit[2];
        f[F_PATH] = digit[3];
        f[F_DIRECTION] = f[F_TARGET] = WL_ABSENT;
        return 1;
    case N_PICK_UP:
    case N_DROP: f[F_ARTICLE] = digit[1] + FLAME; return 1;
    case N_EXCHANGE: return decode_exchange(state, digit, f);
    default: return 1;
    }
}

static int has_ready_weapon(const piece *p)
{
    for (int32_t i = 0; i < 2; i++)
        if (TYPE[p->type].weapon[i] != NO_ARTICLE && p->ready[i] == 0)
            return 1;
    return 0;
}

static void draw_piece(const piece *p, int own, wl_sheet *sheet)
{
    const int32_t cell = p->square;
    const int32_t side = own ? 0 : OF_A_SIDE;

    if (p->type != NO_TYPE)
        wl_mark(sheet, side + P_own_ROCKET_PAWN + p->type - ROCKET_PAWN, cell, 1);
    if (p->level != GROUND)
        wl_mark(sheet, side + (p->level == AIR ? P_own_AIR : P_own_SUB), cell, 1);
    if (p->stun > 0)
        wl_mark(sheet, side + P_own_STUNNED, cell, wl_squash(p->stun, 3));
    if (p->transport != NO_ARTICLE)
        wl_mark(sheet, side + P_own_TRAVELLING, cell, 1);
    if (p->marks & UNMOVED)
        wl_mark(sheet, side + P_own_UNMOVED, cell, 1);
    if (p->n_articles > 0)
        wl_mark(sheet, side + P_own_ARMED, cell, 1);
    if (own && has_ready_weapon(p))
        wl_mark(sheet, P_READY, cell, 1);
    for (int32_t i = 0; i < p->n_articles; i++)
        if (p->articles[i].kind != NO_ARTICLE)
            wl_mark(sheet, P_carried_FLAME + p->articles[i].kind - FLAME, cell, 1);
}

static void draw_squares(const wec_state *state, int32_t seat, wl_sheet *sheet)
{
    for (int32_t square = 0; square < SQUARES; square++) {
        for (int32_t slot = 0; slot < 2; slot++)
            if (state->loose[square].kind[slot] != NO_ARTICLE)
                wl_mark(sheet, P_loose_FLAME + state->loose[square].kind[slot] - FLAME, square, 1);
        for (int32_t other = 0; other < SEATS_N; other++)
            if (state->activation[2 * other + square / 64] >> square % 64 & 1)
                wl_mark(sheet, (other == seat ? 0 : OF_A_SIDE) + P_own_ACTIVATION, square, 1);
    }
}

static void observe(const void *setup, const void *state_, int32_t seat, wl_sheet *sheet)
{
    const wec_state *state = state_;
    const ghost *ghosts = seat == BLACK ? state->black_ghosts : state->white_ghosts;

    (void)setup;
    draw_squares(state, seat, sheet);
    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *p = &state->pieces[i];
        if (on_board(p))
            draw_piece(p, p->seat == seat, sheet);
        else if (p->level == WAITING && p->seat == seat)
            wl_mark(sheet, P_WAITING, p->square, 1);
    }
    for (int32_t i = 0; i < state->n_projectiles; i++) {
        const projectile *m = &state->projectiles[i];
        wl_mark(sheet, (m->seat == seat ? 0 : OF_A_SIDE) + P_own_ROCKET + m->kind, m->square, 1);
    }
    for (int32_t i = 0; i < state->n_ghosts[seat]; i++)
        wl_mark(sheet, P_GHOST, ghosts[i].square, 1);
    wl_fill(sheet, P_MOVED, state->moved != 0);
    wl_fill(sheet, P_FIRES, (float)state->fires / 2);
    wl_fill(sheet, P_WHITE, seat == WHITE);
    wl_fill(sheet, P_TURN, wl_squash(state->turn, 50));
    wl_fill(sheet, P_DRAW_OFFERED, state->draw_offer != 0);
}

const wl_numbering wec_numbering = {FAMILY, PLANE, shape, size, encode, decode, observe};
