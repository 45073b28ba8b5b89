/* confrontation_numbering.c: actions as numbers, and planes of what a seat knows (warlog.h, section 10).
 *
 * The board is 8 by 8: a cell is a space. A piece on the board is given by its space, one in reserve by its place among those of the
 * seat, a removed one by its type. Armies are bought as presets, and terrain is not placed: both are open templates. */
#include "confrontation.h"

enum { TARGETED = 3 }; /* fireball, hurt, panic */
static const uint8_t TARGETED_SPELL[TARGETED] = {FIREBALL, HURT, PANIC};
static const uint8_t TARGETED_PLACE[SPELLS] = {[FIREBALL] = 0, [HURT] = 1, [PANIC] = 2};

#define FAMILY_ROWS(X)                                                                                                \
    X(N_ARMY, army, A_ARMY, "preset", "race")                                                                         \
    X(N_CHOOSE_ORDER, choose_order, A_CHOOSE_ORDER, "position")                                                       \
    X(N_SKIP_TERRAIN, skip_terrain, A_SKIP_TERRAIN, NULL)                                                             \
    X(N_PLACE, place, A_PLACE, "in_reserve", "to")                                                                    \
    X(N_MOVE, move, A_MOVE, "from", "to")                                                                             \
    X(N_CAST, cast, A_CAST, "from", "spell", "target")                                                                \
    X(N_JUDGEMENT, judgement, A_CAST, "from")                                                                         \
    X(N_HEAL, heal, A_CAST, "from", "type", "to")                                                                     \
    X(N_RISE, rise, A_RISE, "from", "to")                                                                             \
    X(N_HOLD, hold, A_HOLD, NULL)                                                                                     \
    X(N_LUCK, luck, A_LUCK, NULL)                                                                                     \
    X(N_LIVE_AGAIN, live_again, A_LIVE_AGAIN, "to")                                                                   \
    X(N_RETREAT, retreat, A_RETREAT, "to")                                                                            \
    X(N_FURY, fury, A_FURY, "from", "to")                                                                             \
    X(N_SWIFT, swift, A_SWIFT, "to")                                                                                  \
    X(N_CHARGE, charge, A_CHARGE, "to")                                                                               \
    X(N_DECLINE, decline, A_DECLINE, NULL)                                                                            \
    X(N_END_TURN, end_turn, A_END_TURN, NULL)                                                                         \
    X(N_OFFER_DRAW, offer_draw, A_OFFER_DRAW, NULL)                                                                   \
    X(N_ACCEPT_DRAW, accept_draw, A_ACCEPT_DRAW, NULL)                                                                \
    X(N_DECLINE_DRAW, decline_draw, A_DECLINE_DRAW, NULL)                                                             \
    X(N_RESIGN, resign, A_RESIGN, NULL)
WL_FAMILIES(FAMILY_ROWS);

#define PLANE_ROWS(X)                                                                                                 \
    X(P_OWN, own, "a piece of the seat")                                                                              \
    X(P_NEXT, next, "a piece of the seat after it")                                                                   \
    X(P_SECOND, second, "a piece of the second seat after it")                                                        \
    X(P_THIRD, third, "a piece of the third seat after it")                                                           \
    X(P_KING, king, "a king")                                                                                         \
    X(P_PAWN, pawn, "a pawn")                                                                                         \
    X(P_ROOK, rook, "a rook")                                                                                         \
    X(P_KNIGHT, knight, "a knight")                                                                                   \
    X(P_BISHOP, bishop, "a bishop")                                                                                   \
    X(P_QUEEN, queen, "a queen")                                                                                      \
    X(P_STRENGTH, strength, "a piece of strength n, as n / (n + 1)")                                                  \
    X(P_COMBAT_BONUS, combat_bonus, "a combat bonus n, as n / (n + 1)")                                               \
    X(P_MOVE_BONUS, move_bonus, "a move bonus n, as n / (n + 1)")                                                     \
    X(P_ACTED, acted, "a piece that has acted in this turn")                                                          \
    X(P_FIREBALL, fireball, "spells n of this kind, as n / (n + 1)")                                                  \
    X(P_HEAL, heal, "likewise")                                                                                       \
    X(P_HURT, hurt, "likewise")                                                                                       \
    X(P_JUDGEMENT, judgement, "likewise")                                                                             \
    X(P_PANIC, panic, "likewise")                                                                                     \
    X(P_BARRIER, barrier, "terrain")                                                                                  \
    X(P_COUNTERSPELL, counterspell, "terrain")                                                                        \
    X(P_ENHANCEMENT, enhancement, "terrain")                                                                          \
    X(P_ROUGH, rough, "terrain")                                                                                      \
    X(P_ATTACKER, attacker, "the attacker of a battle in which something is to be decided")                           \
    X(P_DEFENDER, defender, "its defender")                                                                           \
    X(P_ASKED_HOLD, asked_hold, "everywhere: is the battle to be held?")                                              \
    X(P_ASKED_LUCK, asked_luck, "everywhere: luck?")                                                                  \
    X(P_ASKED_LIVE_AGAIN, asked_live_again, "everywhere: is the loser to live again?")                                \
    X(P_ASKED_RETREAT, asked_retreat, "everywhere: where to from panic?")                                             \
    X(P_ASKED_FURY, asked_fury, "everywhere: fury?")                                                                  \
    X(P_ASKED_SWIFT, asked_swift, "everywhere: swift?")                                                               \
    X(P_ASKED_CHARGE, asked_charge, "everywhere: is the risen piece to charge?")                                      \
    X(P_ASKED_DRAW, asked_draw, "everywhere: a draw?")                                                                \
    X(P_ACTIONS_LEFT, actions_left, "everywhere: actions left n, as n / (n + 1)")                                     \
    X(P_RACE_TOKENS, race_tokens, "everywhere: race tokens n of the seat, as n / (n + 1)")                            \
    X(P_BUYING, buying, "everywhere: the phase is army")                                                              \
    X(P_ORDERING, ordering, "everywhere: the phase is order")                                                         \
    X(P_TERRAIN, terrain, "everywhere: the phase is terrain")                                                         \
    X(P_SETTING_UP, setting_up, "everywhere: the phase is setup")                                                     \
    X(P_RESERVE, reserve, "everywhere: pieces n of the seat in reserve, as n / (n + 8)")
WL_PLANES(PLANE_ROWS);
_Static_assert(P_QUEEN - P_KING == QUEEN - KING && P_PANIC - P_FIREBALL == PANIC - FIREBALL && P_ROUGH - P_BARRIER == ROUGH - BARRIER,
               "planes stand in the order of types, spells and terrain");
_Static_assert(P_ASKED_DRAW - P_ASKED_HOLD == DRAW_OFFER - HOLD, "and of what is to be decided");

static void shape(const void *setup, int32_t *rows, int32_t *columns)
{
    (void)setup;
    *rows = *columns = LINES;
}

static int32_t size(const void *setup, int32_t family, int32_t digit)
{
    (void)setup;
    if (family == N_ARMY)
        return digit == 0 ? PRESETS : RACES + 1;
    if (family == N_CHOOSE_ORDER)
        return SEATS_MAX;
    if (family == N_PLACE && digit == 0)
        return PIECES_MAX;
    if (family == N_CAST && digit == 1)
        return TARGETED;
    return family == N_HEAL && digit == 1 ? TYPES : SPACES;
}

static const piece *find(const conf_state *state, int32_t id)
{
    for (int32_t i = 0; i < state->n_pieces; i++)
        if (state->pieces[i].id == id)
            return &state->pieces[i];
    return NULL;
}

static int32_t encode_cast(const wl_index *index, const conf_state *state, const wl_action *a)
{
    const int32_t from = find(state, a->field[0])->at;

    if (a->field[1] == JUDGEMENT)
        return WL_NUMBERED(index, N_JUDGEMENT, from);
    if (a->field[1] == HEAL)
        return WL_NUMBERED(index, N_HEAL, from, type_of(state, a->field[2]), a->field[3]);
    return WL_NUMBERED(index, N_CAST, from, TARGETED_PLACE[a->field[1]], a->field[2]);
}

/* The pieces of a seat in reserve that stand before this one. */
static int32_t place_in_reserve(const conf_state *state, int32_t seat, int32_t id)
{
    int32_t n = 0;
    for (int32_t i = 0; i < state->n_pieces && state->pieces[i].id < id; i++)
        n += state->pieces[i].seat == seat && state->pieces[i].status == RESERVE;
    return n;
}

static int32_t encode_from_to(const wl_index *index, const conf_state *state, const wl_action *a, int32_t family)
{
    return WL_NUMBERED(index, family, find(state, a->field[0])->at, a->field[1]);
}

static int32_t encode(const wl_index *index, const void *setup, const void *state_, int32_t seat, const wl_action *a)
{
    const conf_state *state = state_;

    (void)setup;
    switch (a->type) {
    case A_ARMY:
        if (a->field[0] == WL_ABSENT)
            return WL_PLAIN;
        return WL_NUMBERED(index, N_ARMY, a->field[0], a->field[1] == WL_ABSENT ? RACES : a->field[1]);
    case A_CHOOSE_ORDER: return WL_NUMBERED(index, N_CHOOSE_ORDER, a->field[0] - 1);
    case A_PLACE: return WL_NUMBERED(index, N_PLACE, place_in_reserve(state, seat, a->field[0]), a->field[1]);
    case A_MOVE: return encode_from_to(index, state, a, N_MOVE);
    case A_CAST: return encode_cast(index, state, a);
    case A_RISE: return encode_from_to(index, state, a, N_RISE);
    case A_LIVE_AGAIN: return WL_NUMBERED(index, N_LIVE_AGAIN, a->field[0]);
    case A_RETREAT: return WL_NUMBERED(index, N_RETREAT, a->field[0]);
    case A_FURY: return encode_from_to(index, state, a, N_FURY);
    case A_SWIFT: return WL_NUMBERED(index, N_SWIFT, a->field[0]);
    case A_CHARGE: return WL_NUMBERED(index, N_CHARGE, a->field[0]);
    default: return WL_PLAIN;
    }
}

/* The id of the seat's piece on a space, or 0. */
static int32_t piece_on(const conf_state *state, int32_t seat, int32_t space)
{
    for (int32_t i = 0; i < state->n_pieces; i++)
        if (state->pieces[i].status == BOARD && state->pieces[i].at == space && state->pieces[i].seat == seat)
            return state->pieces[i].id;
    return 0;
}

static int32_t nth_in_reserve(const conf_state *state, int32_t seat, int32_t n)
{
    for (int32_t i = 0; i < state->n_pieces; i++)
        if (state->pieces[i].seat == seat && state->pieces[i].status == RESERVE && n-- == 0)
            return state->pieces[i].id;
    return 0;
}

static int32_t first_removed(const conf_state *state, int32_t seat, int32_t type)
{
    for (int32_t id = 1; id < state->next_id; id++)
        if (state->roster[id] != 0 && seat_of(state, id) == seat && type_of(state, id) == type && find(state, id) == NULL)
            return id;
    return 0;
}

static int32_t decode(const wl_index *index, const void *setup, const void *state_, int32_t seat, int32_t family,
                      const int32_t *digit, wl_action *out)
{
    const conf_state *state = state_;
    int32_t *f = out->field;

    (void)index;
    (void)setup;
    switch (family) {
    case N_ARMY:
        f[0] = digit[0];
        f[1] = digit[1] == RACES ? WL_ABSENT : digit[1];
        f[2] = WL_ABSENT;
        return 1;
    case N_CHOOSE_ORDER: f[0] = digit[0] + 1; return 1;
    case N_PLACE:
        f[0] = nth_in_reserve(state, seat, digit[0]);
        f[1] = digit[1];
        return 1;
    case N_MOVE:
    case N_RISE:
    case N_FURY:
        f[0] = piece_on(state, seat, digit[0]);
        f[1] = digit[1];
        return 1;
    case N_CAST:
        f[0] = piece_on(state, seat, digit[0]);
        f[1] = TARGETED_SPELL[digit[1]];
        f[2] = digit[2];
        return 1;
    case N_JUDGEMENT:
        f[0] = piece_on(state, seat, digit[0]);
        f[1] = JUDGEMENT;
        return 1;
    case N_HEAL:
        f[0] = piece_on(state, seat, digit[0]);
        f[1] = HEAL;
        f[2] = first_removed(state, seat, digit[1]);
        f[3] = digit[2];
        return f[2] != 0;
    case N_LIVE_AGAIN:
    case N_RETREAT:
    case N_SWIFT:
    case N_CHARGE: f[0] = digit[0]; return 1;
    default: return 1;
    }
}

static void draw_piece(const conf_state *state, const piece *p, int32_t owner, wl_sheet *sheet)
{
    wl_mark(sheet, P_OWN + owner, p->at, 1);
    wl_mark(sheet, P_KING + p->type - KING, p->at, 1);
    wl_mark(sheet, P_STRENGTH, p->at, wl_squash(p->strength, 1));
    wl_mark(sheet, P_COMBAT_BONUS, p->at, wl_squash(p->combat_bonus, 1));
    wl_mark(sheet, P_MOVE_BONUS, p->at, wl_squash(p->move_bonus, 1));
    wl_mark(sheet, P_ACTED, p->at, (float)has_acted(state, p->id));
    for (int32_t spell = 0; spell < SPELLS; spell++)
        wl_mark(sheet, P_FIREBALL + spell, p->at, wl_squash(p->spells[spell], 1));
}

static void draw_fighter(const conf_state *state, int32_t id, int32_t plane, wl_sheet *sheet)
{
    const piece *p = id != 0 ? find(state, id) : NULL;
    if (p != NULL && p->status == BOARD)
        wl_mark(sheet, plane, p->at, 1);
}

static void observe(const void *setup_, const void *state_, int32_t seat, wl_sheet *sheet)
{
    const conf_setup *setup = setup_;
    const conf_state *state = state_;
    int32_t in_reserve = 0;

    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *p = &state->pieces[i];
        if (p->status == BOARD)
            draw_piece(state, p, (p->seat - seat + setup->n_seats) % setup->n_seats, sheet);
        in_reserve += p->status == RESERVE && p->seat == seat;
    }
    for (int32_t i = 0; i < state->n_areas; i++)
        for (spaces left = state->areas[i].spaces; left != 0; left &= left - 1)
            wl_mark(sheet, P_BARRIER + state->areas[i].kind - BARRIER, first_of(left), 1);
    draw_fighter(state, state->work.attacker, P_ATTACKER, sheet);
    draw_fighter(state, state->work.defender, P_DEFENDER, sheet);
    if (state->work.pending != NOTHING)
        wl_fill(sheet, P_ASKED_HOLD + state->work.pending - HOLD, 1);
    wl_fill(sheet, P_ACTIONS_LEFT, wl_squash(state->actions_left, 1));
    wl_fill(sheet, P_RACE_TOKENS, wl_squash(state->race_tokens[seat], 1));
    wl_fill(sheet, P_BUYING, state->phase == ARMY);
    wl_fill(sheet, P_ORDERING, state->phase == ORDER);
    wl_fill(sheet, P_TERRAIN, state->phase == TERRAIN);
    wl_fill(sheet, P_SETTING_UP, state->phase == SETUP);
    wl_fill(sheet, P_RESERVE, wl_squash(in_reserve, 8));
}

const wl_numbering conf_numbering = {FAMILY, PLANE, shape, size, encode, decode, observe};
