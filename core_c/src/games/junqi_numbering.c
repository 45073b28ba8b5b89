/* junqi_numbering.c: actions as numbers, and planes of what a seat knows (warlog.h, section 10).
 *
 * Spaces of numbers are those of this board by their index, without the wings where these are closed; planes are the 17 by 17 grid in
 * which the book draws the board. A piece is given by its space. */
#include "junqi.h"

enum { GRID = 17 };

#define FAMILY_ROWS(X)                                                                                                \
    X(N_SWAP, swap, A_SWAP, "own_a", "own_b")                                                                         \
    X(N_READY, ready, A_READY, NULL)                                                                                  \
    X(N_MOVE, move, A_MOVE, "from", "to")                                                                             \
    X(N_FLIP, flip, A_FLIP, "at")                                                                                     \
    X(N_OFFER_DRAW, offer_draw, A_OFFER_DRAW, NULL)                                                                   \
    X(N_ACCEPT_DRAW, accept_draw, A_ACCEPT_DRAW, NULL)                                                                \
    X(N_DECLINE_DRAW, decline_draw, A_DECLINE_DRAW, NULL)                                                             \
    X(N_RESIGN, resign, A_RESIGN, NULL)
WL_FAMILIES(FAMILY_ROWS);

#define PLANE_ROWS(X)                                                                                                 \
    X(P_SPACE, space, "a space of this board")                                                                        \
    X(P_CAMP, camp, "a camp")                                                                                         \
    X(P_HEADQUARTERS, headquarters, "a headquarters")                                                                 \
    X(P_OWN, own, "a piece of the seat's army")                                                                       \
    X(P_NEXT, next, "a piece of the next seat's army: an enemy")                                                      \
    X(P_OPPOSITE, opposite, "a piece of the army after that: the ally among four seats, the enemy of two")  \
    X(P_LAST, last, "a piece of the last army: an enemy")                                                             \
    X(P_NO_ARMY, no_army, "a piece face down")                                                                        \
    X(P_UNKNOWN, unknown, "a piece whose type the seat does not know")                                                \
    X(P_FLAG, flag, "a flag")                                                                                         \
    X(P_FIELD_MARSHAL, field_marshal, "a field marshal")                                                              \
    X(P_GENERAL, general, "a general")                                                                                \
    X(P_MAJOR_GENERAL, major_general, "a major general")                                                              \
    X(P_BRIGADIER, brigadier, "a brigadier")                                                                          \
    X(P_COLONEL, colonel, "a colonel")                                                                                \
    X(P_MAJOR, major, "a major")                                                                                      \
    X(P_CAPTAIN, captain, "a captain")                                                                                \
    X(P_LIEUTENANT, lieutenant, "a lieutenant")                                                                       \
    X(P_ENGINEER, engineer, "an engineer")                                                                            \
    X(P_BOMB, bomb, "a bomb")                                                                                         \
    X(P_MINE, mine, "a mine")                                                                                         \
    X(P_LAST_PATH, last_path, "on the path of the last move")                                                         \
    X(P_LAYING_OUT, laying_out, "everywhere: the phase is layout")                                                    \
    X(P_STEPS, steps, "everywhere: steps n of the match, as n / (n + 200)")                                           \
    X(P_QUIET, quiet, "everywhere: quiet steps n, as n / (n + 35)")                                                   \
    X(P_DRAW_OFFERED, draw_offered, "everywhere: somebody offers a draw")
WL_PLANES(PLANE_ROWS);
_Static_assert(P_MINE - P_FLAG == MINE - FLAG, "planes of types stand in the order of the types");

static void shape(const void *setup, int32_t *rows, int32_t *columns)
{
    (void)setup;
    *rows = *columns = GRID;
}

static int32_t n_spaces(const junqi_setup *setup) { return setup->closed ? SPACES - 2 * ARMY_SPACES : SPACES; }

/* A space among those of this board, and back. */
static int32_t place_of(const junqi_setup *setup, int32_t space)
{
    if (!setup->closed)
        return space;
    return space >= PALACES ? space - 2 * ARMY_SPACES : space / (2 * ARMY_SPACES) * ARMY_SPACES + space % ARMY_SPACES;
}

static int32_t space_of(const junqi_setup *setup, int32_t place)
{
    if (!setup->closed)
        return place;
    return place >= 2 * ARMY_SPACES ? place + 2 * ARMY_SPACES : place / ARMY_SPACES * 2 * ARMY_SPACES + place % ARMY_SPACES;
}

/* Where the book draws a space (rules/junqi.json): an army has its front line beside the midst. */
static int32_t cell_of(int32_t space)
{
    static const struct {
        int8_t x, y, column_x, column_y, line_x, line_y;
    } ARMY_AT[SEATS_MAX] = {{6, 5, 1, 0, 0, -1}, {11, 6, 0, 1, 1, 0}, {10, 11, -1, 0, 0, 1}, {5, 10, 0, -1, -1, 0}};
    int32_t x, y;

    if (space >= PALACES) {
        x = 6 + (space - PALACES) % 3 * 2;
        y = 6 + (space - PALACES) / 3 * 2;
    } else {
        const int32_t line = space % ARMY_SPACES / 5;
        const int32_t column = space % 5;
        x = ARMY_AT[space / ARMY_SPACES].x + ARMY_AT[space / ARMY_SPACES].column_x * column +
            ARMY_AT[space / ARMY_SPACES].line_x * line;
        y = ARMY_AT[space / ARMY_SPACES].y + ARMY_AT[space / ARMY_SPACES].column_y * column +
            ARMY_AT[space / ARMY_SPACES].line_y * line;
    }
    return y * GRID + x;
}

static int32_t size(const void *setup, int32_t family, int32_t digit)
{
    (void)digit;
    return family == N_SWAP ? ARMY_SPACES : n_spaces(setup);
}

static int32_t encode(const wl_index *index, const void *setup_, const void *state_, int32_t seat, const wl_action *a)
{
    const junqi_setup *setup = setup_;
    const junqi_state *state = state_;

    switch (a->type) {
    case A_SWAP: {
        const int32_t x = own_cell(setup, seat, a->field[0]);
        const int32_t y = own_cell(setup, seat, a->field[1]);
        return WL_NUMBERED(index, N_SWAP, x < y ? x : y, x < y ? y : x); /* the other way round it is the same */
    }
    case A_MOVE: return WL_NUMBERED(index, N_MOVE, place_of(setup, state->at[a->field[0]]), place_of(setup, a->field[1]));
    case A_FLIP: return WL_NUMBERED(index, N_FLIP, place_of(setup, a->field[0]));
    default: return WL_PLAIN;
    }
}

static int32_t decode(const wl_index *index, const void *setup_, const void *state_, int32_t seat, int32_t family,
                      const int32_t *digit, wl_action *out)
{
    const junqi_setup *setup = setup_;
    const junqi_state *state = state_;

    (void)index;
    switch (family) {
    case N_SWAP:
        if (digit[0] >= digit[1])
            return 0;
        out->field[0] = ARMY_SPACES * ground_of(setup, seat) + digit[0];
        out->field[1] = ARMY_SPACES * ground_of(setup, seat) + digit[1];
        return 1;
    case N_MOVE: {
        const int32_t piece = state->board[space_of(setup, digit[0])];
        if (piece < 1 || piece > PIECES)
            return 0;
        out->field[0] = piece;
        out->field[1] = space_of(setup, digit[1]);
        return 1;
    }
    case N_FLIP: out->field[0] = space_of(setup, digit[0]); return 1;
    default: return 1;
    }
}

static void observe(const void *setup_, const void *state_, int32_t seat, wl_sheet *sheet)
{
    const junqi_setup *setup = setup_;
    const junqi_state *state = state_;
    const int32_t army = across(setup, state, seat);
    const int32_t armies = setup->mode == FLIP ? 2 : setup->n_seats;
    const int32_t apart = armies == 4 ? 1 : 2; /* of two the enemy is the opposite one */

    for (int32_t place = 0; place < n_spaces(setup); place++) {
        const int32_t space = space_of(setup, place);
        const int32_t occupant = state->board[space];
        const int32_t cell = cell_of(space);
        wl_mark(sheet, P_SPACE, cell, 1);
        wl_mark(sheet, P_CAMP, cell, kind_of(space) == CAMP);
        wl_mark(sheet, P_HEADQUARTERS, cell, kind_of(space) == HEADQUARTERS);
        if (occupant == EMPTY || occupant == WALL)
            continue;
        if (army_of(occupant) == NONE || is_down(state, space))
            wl_mark(sheet, P_NO_ARMY, cell, 1);
        else
            wl_mark(sheet, P_OWN + apart * ((army_of(occupant) - (army == NONE ? 0 : army) + armies) % armies), cell, 1);
        if (type_of(occupant) == NONE || is_down(state, space))
            wl_mark(sheet, P_UNKNOWN, cell, 1);
        else
            wl_mark(sheet, P_FLAG + type_of(occupant) - FLAG, cell, 1);
    }
    for (int32_t i = 0; i < state->n_path; i++)
        wl_mark(sheet, P_LAST_PATH, cell_of(state->path[i]), 1);
    wl_fill(sheet, P_LAYING_OUT, state->phase == LAYOUT);
    wl_fill(sheet, P_STEPS, wl_squash(state->steps, 200));
    wl_fill(sheet, P_QUIET, wl_squash(state->quiet_steps, 35));
    wl_fill(sheet, P_DRAW_OFFERED, state->offer_by != NONE);
}

const wl_numbering junqi_numbering = {FAMILY, PLANE, shape, size, encode, decode, observe};
