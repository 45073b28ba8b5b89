/* hex_numbering.c: actions as numbers, and planes of what a seat knows (warlog.h, section 10).
 *
 * The board is height by width: cell = row * width + column, a1 first. The piece of an action is the active stack, but for `place`,
 * which names it by the cell of its zone. */
#include "hex.h"

#define FAMILY_ROWS(X)                                                                                                \
    X(N_RECRUIT_PRESET, recruit_preset, A_RECRUIT_PRESET, "preset")                                                   \
    X(N_PLACE, place, A_PLACE, "zone_from", "zone_to")                                                                \
    X(N_READY, ready, A_READY, NULL)                                                                                  \
    X(N_MOVE, move, A_MOVE, "to")                                                                                     \
    X(N_ATTACK, attack, A_ATTACK, "target")                                                                           \
    X(N_MOVE_ATTACK, move_attack, A_MOVE_ATTACK, "to", "target_rows", "target_columns")                               \
    X(N_SKILL, skill, A_SKILL, "target")                                                                              \
    X(N_DEFEND, defend, A_DEFEND, NULL)                                                                               \
    X(N_WAIT, wait, A_WAIT, NULL)                                                                                     \
    X(N_OFFER_DRAW, offer_draw, A_OFFER_DRAW, NULL)                                                                   \
    X(N_ACCEPT_DRAW, accept_draw, A_ACCEPT_DRAW, NULL)                                                                \
    X(N_DECLINE_DRAW, decline_draw, A_DECLINE_DRAW, NULL)                                                             \
    X(N_RESIGN, resign, A_RESIGN, NULL)
WL_FAMILIES(FAMILY_ROWS);

#define PLANE_ROWS(X)                                                                                                 \
    X(P_OWN, own, "a stack of the seat")                                                                              \
    X(P_FRIEND, friend, "a stack of another seat of its side")                                                        \
    X(P_ENEMY, enemy, "a stack of an enemy")                                                                          \
    X(P_ACTIVE, active, "the active stack")                                                                           \
    X(P_UNITS, units, "units n of the stack, as n / (n + 20)")                                                        \
    X(P_HIT_POINTS, hit_points, "hit points n of the whole stack, as n / (n + 200)")                                  \
    X(P_ATTACK, attack, "attack n of the whole stack, as n / (n + 50)")                                               \
    X(P_MOVE, move, "movement n of its type, as n / (n + 5)")                                                         \
    X(P_INITIATIVE, initiative, "initiative n of its type, as n / (n + 10)")                                          \
    X(P_RANGE, range, "range n of its type, as n / (n + 5)")                                                          \
    X(P_SHOOTER, shooter, "its type shoots")                                                                          \
    X(P_LEAPS, leaps, "its type leaps")                                                                               \
    X(P_FLIES, flies, "its type flies")                                                                               \
    X(P_RETALIATES, retaliates, "it may retaliate again in this round")                                               \
    X(P_HEALS, heals, "its type heals")                                                                               \
    X(P_SUMMONS, summons, "its type summons")                                                                         \
    X(P_SKILL_USED, skill_used, "how often n it has used its skill, as n / (n + 1)")                                  \
    X(P_DEFENDING, defending, "it defends")                                                                           \
    X(P_WAITED, waited, "it has waited")                                                                              \
    X(P_SOON, soon, "its place n in the queue, as 1 / (n + 1); 0 when it is not in the queue")                        \
    X(P_OBSTACLE, obstacle, "an obstacle")                                                                            \
    X(P_ZONE, zone, "the deployment zone of the seat")                                                                \
    X(P_RECRUITING, recruiting, "everywhere: the phase is recruit")                                                   \
    X(P_DEPLOYING, deploying, "everywhere: the phase is deploy")                                                      \
    X(P_ROUND, round, "everywhere: the round n, as n / (n + 10)")                                                     \
    X(P_DRAW_OFFERED, draw_offered, "everywhere: somebody offers a draw")
WL_PLANES(PLANE_ROWS);

static void shape(const void *setup_, int32_t *rows, int32_t *columns)
{
    const hex_setup *setup = setup_;
    *rows = setup->height;
    *columns = setup->width;
}

static int32_t cell_of(const hex_setup *setup, int32_t space) { return row_of(space) * setup->width + column_of(space); }
static int32_t space_of(const hex_setup *setup, int32_t cell) { return space_at(cell % setup->width, cell / setup->width); }

/* The cells of a zone, row by row; those of all seats have as many. */
static int32_t zone_size(const hex_setup *setup) { return setup->deploy_depth * (setup->n_seats > 2 ? setup->height / 2 : setup->height); }

static int32_t zone_cell(const hex_setup *setup, int32_t seat, int32_t space)
{
    const zone z = zone_of(setup, seat);
    return (row_of(space) - z.first_row) * setup->deploy_depth + column_of(space) - z.first_column;
}

static int32_t zone_space(const hex_setup *setup, int32_t seat, int32_t cell)
{
    const zone z = zone_of(setup, seat);
    return space_at(z.first_column + cell % setup->deploy_depth, z.first_row + cell / setup->deploy_depth);
}

/* How far the target of a move_attack may lie from where the stack goes: rows and columns differ by no more. */
static int32_t reach_after_moving(const hex_setup *setup)
{
    int32_t most = 1;
    for (int32_t u = 0; u < setup->n_units; u++)
        if (!setup->units[u].shooter && setup->units[u].range > most)
            most = setup->units[u].range;
    return most < COLUMNS_MAX ? most : COLUMNS_MAX;
}

/* The same of a match that has its index. */
static int32_t reach_of(const wl_index *index) { return index->size[N_MOVE_ATTACK][1] / 2; }

static int32_t size(const void *setup_, int32_t family, int32_t digit)
{
    const hex_setup *setup = setup_;

    if (family == N_RECRUIT_PRESET)
        return PRESETS;
    if (family == N_PLACE)
        return zone_size(setup);
    return digit == 0 ? setup->width * setup->height : 2 * reach_after_moving(setup) + 1;
}

/* The family of each type that is numbered by a cell alone; 0, which is recruit_preset, for the others. */
static const uint8_t CELL_FAMILY[ACTIONS] = {[A_MOVE] = N_MOVE, [A_ATTACK] = N_ATTACK, [A_SKILL] = N_SKILL};

static int32_t encode(const wl_index *index, const void *setup_, const void *state_, int32_t seat, const wl_action *a)
{
    const hex_setup *setup = setup_;
    const hex_state *state = state_;

    if (CELL_FAMILY[a->type]) /* most are such: asked first, since the processor guesses it */
        return WL_NUMBERED(index, CELL_FAMILY[a->type], cell_of(setup, a->field[1]));
    switch (a->type) {
    case A_RECRUIT_PRESET: return WL_NUMBERED(index, N_RECRUIT_PRESET, a->field[0]);
    case A_PLACE:
        return WL_NUMBERED(index, N_PLACE, zone_cell(setup, seat, state->stacks[place_of(state, a->field[0])].space),
                         zone_cell(setup, seat, a->field[1]));
    case A_MOVE_ATTACK:
        return WL_NUMBERED(index, N_MOVE_ATTACK, cell_of(setup, a->field[1]),
                         row_of(a->field[2]) - row_of(a->field[1]) + reach_of(index),
                         column_of(a->field[2]) - column_of(a->field[1]) + reach_of(index));
    case A_DEFEND: return WL_NUMBERED(index, N_DEFEND);
    case A_WAIT: return WL_NUMBERED(index, N_WAIT);
    default: return WL_PLAIN;
    }
}

/* The id of the seat's stack on a space, or 0. */
static int32_t stack_on(const hex_state *state, int32_t seat, int32_t space)
{
    for (int32_t i = 0; i < state->n_stacks; i++)
        if (state->stacks[i].space == space && state->stacks[i].seat == seat)
            return state->stacks[i].id;
    return 0;
}

static int32_t decode(const wl_index *index, const void *setup_, const void *state_, int32_t seat, int32_t family,
                      const int32_t *digit, wl_action *out)
{
    const hex_setup *setup = setup_;
    const hex_state *state = state_;

    if (family == N_RECRUIT_PRESET) {
        out->field[0] = digit[0];
    } else if (family == N_PLACE) {
        out->field[0] = stack_on(state, seat, zone_space(setup, seat, digit[0]));
        out->field[1] = zone_space(setup, seat, digit[1]);
    } else if (family >= N_MOVE && family <= N_WAIT) {
        if (state->phase != PLAY || state->n_queue == 0)
            return 0;
        out->field[0] = state->stacks[state->queue[0]].id;
        out->field[1] = family <= N_SKILL ? space_of(setup, digit[0]) : 0;
    }
    if (family == N_MOVE_ATTACK) {
        const int32_t reach = reach_of(index);
        const int32_t row = row_of(out->field[1]) + digit[1] - reach;
        const int32_t column = column_of(out->field[1]) + digit[2] - reach;
        if (row < 0 || row >= setup->height || column < 0 || column >= setup->width)
            return 0;
        out->field[2] = space_at(column, row);
    }
    return 1;
}

/* x / (x + half), which is wl_squash, of all that a byte may hold: a division of each number of each stack takes longer. */
#define FOUR(x, half)                                                                                                 \
    (float)(x) / (float)((x) + (half)), (float)((x) + 1) / (float)((x) + 1 + (half)),                                 \
        (float)((x) + 2) / (float)((x) + 2 + (half)), (float)((x) + 3) / (float)((x) + 3 + (half))
#define SIXTEEN(x, half) FOUR(x, half), FOUR((x) + 4, half), FOUR((x) + 8, half), FOUR((x) + 12, half)
#define SIXTY_FOUR(x, half) SIXTEEN(x, half), SIXTEEN((x) + 16, half), SIXTEEN((x) + 32, half), SIXTEEN((x) + 48, half)
#define BYTES(half) {SIXTY_FOUR(0, half), SIXTY_FOUR(64, half), SIXTY_FOUR(128, half), SIXTY_FOUR(192, half)}
static const float HALF_AT_5[UINT8_MAX + 1] = BYTES(5);
static const float HALF_AT_10[UINT8_MAX + 1] = BYTES(10);

/* A stack is at random of one sort or another: the processor guesses, and then waits, where there is a branch for each. */
static const float YES[] = {0, 1};

static void draw_stack(const hex_setup *setup, const stack *s, int32_t seats_plane, wl_sheet *sheet)
{
    const unit *u = &setup->units[s->unit];
    const int32_t cell = cell_of(setup, s->space);
    const int32_t hit_points = s->count > 0 ? (s->count - 1) * u->hp + s->top_hp : 0;
    const int32_t number[] = {s->count, hit_points, s->count * u->attack, s->skill_used};
    static const int32_t HALF[] = {20, 200, 50, 1};
    float squashed[4]; /* wl_squash of all four in one division */

    for (int32_t i = 0; i < 4; i++)
        squashed[i] = (float)number[i] / (float)(number[i] + HALF[i]);
    wl_mark(sheet, seats_plane, cell, 1);
    wl_mark(sheet, P_UNITS, cell, squashed[0]);
    wl_mark(sheet, P_HIT_POINTS, cell, squashed[1]);
    wl_mark(sheet, P_ATTACK, cell, squashed[2]);
    wl_mark(sheet, P_MOVE, cell, HALF_AT_5[u->move]);
    wl_mark(sheet, P_INITIATIVE, cell, HALF_AT_10[u->initiative]);
    wl_mark(sheet, P_RANGE, cell, HALF_AT_5[u->range]);
    wl_mark(sheet, P_SHOOTER, cell, YES[u->shooter != 0]);
    wl_mark(sheet, P_LEAPS, cell, YES[u->movement == LEAP]);
    wl_mark(sheet, P_FLIES, cell, YES[u->movement == FLY]);
    wl_mark(sheet, P_RETALIATES, cell, YES[s->retaliations_used < u->retaliations]);
    wl_mark(sheet, P_HEALS, cell, YES[u->skill == HEAL]);
    wl_mark(sheet, P_SUMMONS, cell, YES[u->skill == SUMMON]);
    wl_mark(sheet, P_SKILL_USED, cell, squashed[3]);
    wl_mark(sheet, P_DEFENDING, cell, YES[s->defending != 0]);
    wl_mark(sheet, P_WAITED, cell, YES[s->waited != 0]);
}

static void observe(const void *setup_, const void *state_, int32_t seat, wl_sheet *sheet)
{
    const hex_setup *setup = setup_;
    const hex_state *state = state_;
    const zone z = zone_of(setup, seat);
    int32_t plane_of[SEATS_MAX];
    int offered = 0;

    for (int32_t other = 0; other < setup->n_seats; other++)
        plane_of[other] = other == seat ? P_OWN : side_of(setup, other) == side_of(setup, seat) ? P_FRIEND : P_ENEMY;
    for (int32_t i = 0; i < state->n_stacks; i++)
        if (state->stacks[i].space != HIDDEN)
            draw_stack(setup, &state->stacks[i], plane_of[state->stacks[i].seat], sheet);
    for (int32_t i = 0; i < state->n_queue; i++) {
        const stack *s = &state->stacks[state->queue[i]];
        if (s->space == HIDDEN)
            continue;
        wl_mark(sheet, P_SOON, cell_of(setup, s->space), 1.0f / (float)(i + 1));
        if (i == 0 && state->phase == PLAY)
            wl_mark(sheet, P_ACTIVE, cell_of(setup, s->space), 1);
    }
    for (int32_t r = 0; r < setup->height; r += 2)
        for (uint64_t left = rows_from(setup, &state->obstacles, r); left != 0; left &= left - 1)
            wl_mark(sheet, P_OBSTACLE, cell_of(setup, space_in(left, r)), 1);
    for (int32_t r = z.first_row; r <= z.last_row; r++)
        for (int32_t c = z.first_column; c <= z.last_column; c++)
            wl_mark(sheet, P_ZONE, r * setup->width + c, 1);
    for (int32_t other = 0; other < setup->n_seats; other++)
        offered |= state->seats[other].draw_offer;
    wl_fill(sheet, P_RECRUITING, state->phase == RECRUIT);
    wl_fill(sheet, P_DEPLOYING, state->phase == DEPLOY);
    wl_fill(sheet, P_ROUND, wl_squash(state->round, 10));
    wl_fill(sheet, P_DRAW_OFFERED, (float)offered);
}

const wl_numbering hex_numbering = {FAMILY, PLANE, shape, size, encode, decode, observe};
