/* universal_numbering.c: actions as numbers, and planes of what a seat knows (warlog.h, section 10).
 *
 * The board is 20 by 20: a cell is a space. A piece is given by its space, and where it goes by how many ranks and files away that is;
 * the Mighty, of which a seat has one, may go further and has families of its own. Who summons, raises or curses has no digit where it
 * makes no difference: it is the first who can. Payments are those that the rules choose. */
#include "universal.h"

enum { FAR = 5, STEPS = 2 * FAR + 1, WAYS = 8 };

#define FAMILY_ROWS(X)                                                                                                \
    X(N_MOVE, move, A_MOVE, "from", "ranks", "files")                                                                 \
    X(N_MOVE_CONQUER, move_conquer, A_MOVE, "from", "ranks", "files")                                                 \
    X(N_MIGHTY_MOVE, mighty_move, A_MOVE, "to")                                                                       \
    X(N_MIGHTY_CONQUER, mighty_conquer, A_MOVE, "to")                                                                 \
    X(N_CONQUER, conquer, A_CONQUER, "at")                                                                            \
    X(N_PROMOTE, promote, A_PROMOTE, "at")                                                                            \
    X(N_BREED, breed, A_BREED, "from", "way")                                                                         \
    X(N_SUMMON, summon, A_SUMMON, "from", "to")                                                                       \
    X(N_NECROMANCY, necromancy, A_NECROMANCY, "kind", "to")                                                           \
    X(N_CURSE, curse, A_CURSE, "target")                                                                              \
    X(N_SEIZE, seize, A_SEIZE, "from", "way")                                                                         \
    X(N_FREEZE, freeze, A_FREEZE, "target")                                                                           \
    X(N_SACRIFICE, sacrifice, A_SACRIFICE, NULL)                                                                      \
    X(N_PASS, pass, A_PASS, NULL)                                                                                     \
    X(N_OFFER_DRAW, offer_draw, A_OFFER_DRAW, NULL)                                                                   \
    X(N_ACCEPT_DRAW, accept_draw, A_ACCEPT_DRAW, NULL)                                                                \
    X(N_DECLINE_DRAW, decline_draw, A_DECLINE_DRAW, NULL)                                                             \
    X(N_RESIGN, resign, A_RESIGN, NULL)
WL_FAMILIES(FAMILY_ROWS);

#define PLANE_ROWS(X)                                                                                                 \
    X(P_OWN, own, "a piece of the seat")                                                                              \
    X(P_FRIEND, friend, "a piece of its allies")                                                                      \
    X(P_ENEMY, enemy, "a piece of an opponent")                                                                       \
    X(P_MIGHTY, mighty, "a mighty")                                                                                   \
    X(P_COMMANDER, commander, "a commander")                                                                          \
    X(P_WIZARD, wizard, "a wizard")                                                                                   \
    X(P_PSIONIC, psionic, "a psionic")                                                                                \
    X(P_DRAGON, dragon, "a dragon")                                                                                   \
    X(P_MECHA, mecha, "a mecha")                                                                                      \
    X(P_KNIGHT, knight, "a knight")                                                                                   \
    X(P_ANGEL, angel, "an angel")                                                                                     \
    X(P_DEMON, demon, "a demon")                                                                                      \
    X(P_CONQUERING, conquering, "a piece that conquers for n more turns, as n / 5")                                   \
    X(P_FROZEN, frozen, "a frozen piece")                                                                             \
    X(P_MERITS, merits, "a piece with n merits, as n / (n + 3)")                                                      \
    X(P_THRALL, thrall, "a thrall")                                                                                   \
    X(P_HOLDS, holds, "a psionic that holds a thrall")                                                                \
    X(P_OWN_AREA, own_area, "area of the seat")                                                                       \
    X(P_FRIEND_AREA, friend_area, "area of its allies")                                                               \
    X(P_ENEMY_AREA, enemy_area, "area of an opponent")                                                                \
    X(P_MAJORA, majora, "everywhere: the seat is majora")                                                             \
    X(P_CHAOS, chaos, "everywhere: the seat is chaos")                                                                \
    X(P_GOOD, good, "everywhere: the seat is good")                                                                   \
    X(P_EVIL, evil, "everywhere: the seat is evil")                                                                   \
    X(P_BALANCE, balance, "everywhere: the seat is balance")                                                          \
    X(P_PROMOTIONS, promotions, "everywhere: promotions n, as n / (n + 3)")                                           \
    X(P_BREEDINGS, breedings, "everywhere: breedings left n, as n / (n + 3)")                                         \
    X(P_MOVED, moved, "the piece that has moved in this turn, while another may move")                                \
    X(P_SECOND_MOVE, second_move, "everywhere: the turn may only go on with a move, or pass")                         \
    X(P_QUIET, quiet, "everywhere: quiet turns n, as n / (n + 50)")                                                   \
    X(P_DRAW_OFFERED, draw_offered, "everywhere: somebody offers a draw")
WL_PLANES(PLANE_ROWS);
_Static_assert(P_DEMON - P_MIGHTY == DEMON - MIGHTY, "planes of kinds stand in the order of the kinds");
_Static_assert(P_BALANCE - P_MAJORA == BALANCE - MAJORA, "and those of seats in that of the seats");

static void shape(const void *setup, int32_t *rows, int32_t *columns)
{
    (void)setup;
    *rows = RANKS;
    *columns = FILES;
}

static int32_t size(const void *setup, int32_t family, int32_t digit)
{
    (void)setup;
    if (digit > 0 && (family == N_MOVE || family == N_MOVE_CONQUER))
        return STEPS;
    if (digit == 1 && (family == N_BREED || family == N_SEIZE))
        return WAYS;
    return digit == 0 && family == N_NECROMANCY ? KINDS : SPACES;
}

static int32_t sign(int32_t x) { return (x > 0) - (x < 0); }

/* The place in SURROUNDING of the way from one space to another, on a line with it. */
static int32_t way_of(int32_t from, int32_t to)
{
    int32_t way = 0;
    while (SURROUNDING[way].df != sign(file_of(to) - file_of(from)) || SURROUNDING[way].dr != sign(rank_of(to) - rank_of(from)))
        way++;
    return way;
}

static int32_t encode_move(const wl_index *index, const universal_state *state, const wl_action *a)
{
    const piece *p = &state->pieces[a->field[0]];
    const int conquers = a->field[2] == 1;

    if (p->kind == MIGHTY)
        return WL_NUMBERED(index, conquers ? N_MIGHTY_CONQUER : N_MIGHTY_MOVE, a->field[1]);
    return WL_NUMBERED(index, conquers ? N_MOVE_CONQUER : N_MOVE, p->space, rank_of(a->field[1]) - rank_of(p->space) + FAR,
                     file_of(a->field[1]) - file_of(p->space) + FAR);
}

static int32_t encode(const wl_index *index, const void *setup, const void *state_, int32_t seat, const wl_action *a)
{
    const universal_state *state = state_;
    const int32_t at = wl_between(1, a->field[0], IDS - 1) ? state->pieces[a->field[0]].space : 0;

    (void)setup;
    (void)seat;
    switch (a->type) {
    case A_MOVE: return encode_move(index, state, a);
    case A_CONQUER: return WL_NUMBERED(index, N_CONQUER, at);
    case A_PROMOTE: return WL_NUMBERED(index, N_PROMOTE, at);
    case A_BREED: return WL_NUMBERED(index, N_BREED, at, way_of(at, a->field[1]));
    case A_SUMMON: return WL_NUMBERED(index, N_SUMMON, state->pieces[a->field[1]].space, a->field[2]);
    case A_NECROMANCY: return WL_NUMBERED(index, N_NECROMANCY, state->pieces[a->field[1]].kind, a->field[2]);
    case A_CURSE: return WL_NUMBERED(index, N_CURSE, a->field[1]);
    case A_SEIZE: return WL_NUMBERED(index, N_SEIZE, at, way_of(at, a->field[1]));
    case A_FREEZE: return WL_NUMBERED(index, N_FREEZE, a->field[0]);
    default: return WL_PLAIN;
    }
}

/* The space so many ranks and files away, or -1. */
static int32_t away(int32_t space, int32_t ranks, int32_t files)
{
    const int32_t f = file_of(space) + files;
    const int32_t r = rank_of(space) + ranks;
    return on_board(f, r) ? r * FILES + f : -1;
}

/* The first piece that stands on the line from a space, or -1 where it ends. */
static int32_t end_of_line(const universal_state *state, int32_t space, int32_t way)
{
    do
        space = away(space, SURROUNDING[way].dr, SURROUNDING[way].df);
    while (space >= 0 && state->at[space] == 0);
    return space;
}

/* Is `to` the end of a free line from `from`? */
static int sees(const universal_state *state, int32_t from, int32_t to)
{
    const int32_t df = wl_abs(file_of(to) - file_of(from));
    const int32_t dr = wl_abs(rank_of(to) - rank_of(from));
    return from != to && (df == 0 || dr == 0 || df == dr) && end_of_line(state, from, way_of(from, to)) == to;
}

/* The first piece of the seat, of those that may do such a thing, that is not conquering and stands right: 0 if there is none. */
static int32_t first_user(const universal_state *state, int32_t seat, int32_t type, int32_t to, int32_t raised)
{
    for (int32_t id = 1; id < state->next_id; id++) {
        const piece *p = &state->pieces[id];
        const int fits = p->kind == WIZARD ? raised != COMMANDER : p->kind == MIGHTY && seat == EVIL && type == A_NECROMANCY;
        if (p->where != ON_BOARD || p->seat != seat || p->conquering || !fits)
            continue;
        if (type == A_CURSE ? sees(state, p->space, to) : distance(p->space, to) == 1)
            return id;
    }
    return 0;
}

static int32_t mighty_of(const universal_state *state, int32_t seat)
{
    int32_t id;
    WL_EACH(&state->of[seat], id)
        if (state->pieces[id].kind == MIGHTY)
            return id;
    return 0;
}

static int32_t first_dead(const universal_state *state, int32_t seat, int32_t kind)
{
    int32_t id;
    WL_EACH(&state->dead, id)
        if (state->pieces[id].seat == seat && state->pieces[id].kind == kind)
            return id;
    return 0;
}

static int32_t decode(const wl_index *index, const void *setup, const void *state_, int32_t seat, int32_t family,
                      const int32_t *digit, wl_action *out)
{
    const universal_state *state = state_;
    int32_t *f = out->field;
    int32_t to = 0;

    (void)index;
    (void)setup;
    switch (family) {
    case N_MOVE:
    case N_MOVE_CONQUER:
        f[0] = state->at[digit[0]];
        f[1] = to = away(digit[0], digit[1] - FAR, digit[2] - FAR);
        f[2] = family == N_MOVE ? WL_ABSENT : 1;
        return to >= 0 && f[0] != 0 && state->pieces[f[0]].kind != MIGHTY;
    case N_MIGHTY_MOVE:
    case N_MIGHTY_CONQUER:
        f[0] = mighty_of(state, seat);
        f[1] = digit[0];
        f[2] = family == N_MIGHTY_MOVE ? WL_ABSENT : 1;
        return 1;
    case N_CONQUER:
    case N_PROMOTE: f[0] = state->at[digit[0]]; return 1;
    case N_BREED:
        f[0] = state->at[digit[0]];
        f[1] = to = away(digit[0], SURROUNDING[digit[1]].dr, SURROUNDING[digit[1]].df);
        f[2] = PAY_AUTO;
        return to >= 0;
    case N_SUMMON:
        f[0] = first_user(state, seat, A_SUMMON, digit[1], -1);
        f[1] = state->at[digit[0]];
        f[2] = digit[1];
        f[3] = PAY_AUTO;
        return 1;
    case N_NECROMANCY:
        f[0] = first_user(state, seat, A_NECROMANCY, digit[1], digit[0]);
        f[1] = first_dead(state, seat, digit[0]);
        f[2] = digit[1];
        f[3] = PAY_AUTO;
        return 1;
    case N_CURSE:
        f[0] = first_user(state, seat, A_CURSE, digit[0], -1);
        f[1] = digit[0];
        f[2] = PAY_AUTO;
        return 1;
    case N_SEIZE:
        f[0] = state->at[digit[0]];
        f[1] = to = end_of_line(state, digit[0], digit[1]);
        f[2] = PAY_AUTO;
        return to >= 0;
    case N_FREEZE: f[0] = digit[0]; return 1;
    case N_SACRIFICE: f[0] = PAY_AUTO; return 1;
    default: return 1;
    }
}

/* 0: the seat itself, 1: an ally, 2: an opponent. */
static int32_t standing(const universal_setup *setup, int32_t seat, int32_t other)
{
    return other == seat ? 0 : setup->side[seat] >> other & 1 ? 1 : 2;
}

static void draw_piece(const universal_setup *setup, const piece *p, int32_t seat, wl_sheet *sheet)
{
    const int32_t cell = p->space;

    wl_mark(sheet, P_OWN + standing(setup, seat, p->seat), cell, 1);
    wl_mark(sheet, P_MIGHTY + p->kind - MIGHTY, cell, 1);
    wl_mark(sheet, P_CONQUERING, cell, (float)p->conquering / CONQUEST_TURNS_MAX);
    wl_mark(sheet, P_FROZEN, cell, p->frozen != 0);
    wl_mark(sheet, P_MERITS, cell, wl_squash(p->merits, 3));
    wl_mark(sheet, P_THRALL, cell, p->origin != NOBODY);
    wl_mark(sheet, P_HOLDS, cell, p->holds != 0);
}

static void observe(const void *setup_, const void *state_, int32_t seat, wl_sheet *sheet)
{
    const universal_setup *setup = setup_;
    const universal_state *state = state_;
    int32_t space;

    for (int32_t id = 1; id < state->next_id; id++)
        if (state->pieces[id].where == ON_BOARD)
            draw_piece(setup, &state->pieces[id], seat, sheet);
    for (int32_t other = 0; other < SEATS_MAX; other++)
        WL_EACH(&state->area[other], space)
            wl_mark(sheet, P_OWN_AREA + standing(setup, seat, other), space, 1);
    if (state->moves_left == 1 && state->moved != 0 && state->pieces[state->moved].where == ON_BOARD)
        wl_mark(sheet, P_MOVED, state->pieces[state->moved].space, 1);
    wl_fill(sheet, P_MAJORA + seat, 1);
    wl_fill(sheet, P_PROMOTIONS, wl_squash(state->promotions, 3));
    wl_fill(sheet, P_BREEDINGS, wl_squash(state->breedings_left, 3));
    wl_fill(sheet, P_SECOND_MOVE, state->moves_left == 1);
    wl_fill(sheet, P_QUIET, wl_squash(state->quiet, 50));
    wl_fill(sheet, P_DRAW_OFFERED, state->offer_by != NOBODY);
}

const wl_numbering universal_numbering = {FAMILY, PLANE, shape, size, encode, decode, observe};
