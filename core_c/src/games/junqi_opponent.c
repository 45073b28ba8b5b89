/* junqi_opponent.c: what computer opponents need of Siguo Junqi (warlog.h, section 9). */
#include "junqi.h"

/* ==== What may be there ================================================================================================ */

enum { TYPES_ALL = (1 << TYPES) - 1, IMMOVABLE = 1 << FLAG | 1 << MINE, TRIES = 64, FRONT_BOMBS = 4 };

/* The places that the hidden pieces of an army may have: spaces, then places off the board (OFF), each with the types that are
 * possible there, as bits, and the type that it was given. */
typedef struct places {
    int32_t n, n_on_board;
    uint8_t space[ARMY], given[ARMY];
    uint16_t may[ARMY];
    uint8_t left[TYPES]; /* pieces of each type that have no place yet */
} places;

static int share_a_line(int32_t from, int32_t to)
{
    for (const on_line *a = THROUGH[from]; a->place != 0; a++)
        for (const on_line *b = THROUGH[to]; b->place != 0; b++)
            if (a->line == b->line)
                return 1;
    return 0;
}

/* What the last move tells of the piece that stands where it led. */
static uint16_t types_that_moved(const junqi_state *state, int32_t army)
{
    const int32_t from = state->path[0], to = state->path[state->n_path - 1];
    uint32_t may = TYPES_ALL;

    if (state->last_outcome == DEFENDER)
        return army == state->last_seat ? TYPES_ALL : TYPES_ALL & ~(1 << FLAG | 1 << BOMB);
    if (army != state->last_seat)
        return TYPES_ALL;
    may &= ~(uint32_t)IMMOVABLE;
    if (state->last_outcome == ATTACKER)
        may &= ~(1u << BOMB);
    if (state->n_path > 2 && !share_a_line(from, to))
        may = 1 << ENGINEER;
    return (uint16_t)may;
}

/* May the army have made a step? A seat whose time is up loses its turn, and a seat that is out has none. */
static int may_have_moved(const junqi_setup *setup, const junqi_state *state, int32_t army)
{
    const int32_t turns_before = (army - state->first + setup->n_seats) % setup->n_seats;
    int32_t skipped = 0;

    for (int32_t seat = 0; seat < setup->n_seats; seat++)
        skipped += state->seats[seat].timeouts > 0 || state->seats[seat].status != ALIVE;
    return state->steps > (skipped > 0 ? 0 : turns_before);
}

/* The types that the army's rules and its place in the match allow on a space. */
static uint16_t types_on(const junqi_setup *setup, const junqi_state *state, int32_t army, int32_t space)
{
    const int32_t cell = own_cell(setup, army, space);
    uint32_t may = TYPES_ALL;

    for (int32_t type = 0; type < TYPES; type++)
        if ((state->phase == LAYOUT || !PIECE_TYPE[type].moves) && (cell < 0 || !may_stand(type, cell)))
            may &= ~wl_bit(type);
    return (uint16_t)may;
}

static int is_front(const junqi_setup *setup, int32_t army, int32_t space)
{
    const int32_t cell = own_cell(setup, army, space);
    return cell >= 0 && (FRONT_CELLS >> cell & 1);
}

/* The places of the army's hidden pieces; 0 if there are too many of anything. `heed`: the last move, and that no layout has a
 * bomb on line 1 (4.2). One goes there in play, after the army's first step, in one of a few samples. */
static int find_places(const junqi_setup *setup, const junqi_state *state, int32_t army, int heed, wl_draws *draws, places *p)
{
    const int moved = heed && state->last_kind == MOVE_STEP;
    const int front_bombs = !heed || (may_have_moved(setup, state, army) && wl_draw(draws, FRONT_BOMBS) == 0);
    int32_t shown = 0, revealed = 0;

    memset(p, 0, sizeof *p);
    for (int32_t type = 0; type < TYPES; type++)
        p->left[type] = PIECE_TYPE[type].count;
    for (int32_t space = 0; space < SPACES; space++) {
        const int32_t occupant = state->board[space];
        if (occupant == EMPTY || occupant == WALL || army_of(occupant) != army)
            continue;
        if (type_of(occupant) == NONE) {
            if (p->n == ARMY)
                return 0;
            p->may[p->n] = types_on(setup, state, army, space);
            if (!front_bombs && is_front(setup, army, space))
                p->may[p->n] &= (uint16_t)~(1 << BOMB);
            if (moved && space == state->path[state->n_path - 1])
                p->may[p->n] &= types_that_moved(state, army);
            p->space[p->n++] = (uint8_t)space;
        } else {
            if (p->left[type_of(occupant)]-- == 0)
                return 0;
            revealed |= type_of(occupant) == FLAG;
            shown++;
        }
    }
    if (p->n + shown > ARMY)
        return 0;
    for (p->n_on_board = p->n; p->n + shown < ARMY; p->n++) {
        p->space[p->n] = OFF;
        p->may[p->n] = TYPES_ALL & ~(1 << FLAG);
    }
    for (int32_t i = 0; i < p->n; i++) /* the flag is shown when the field marshal is lost, and not before */
        if ((p->space[i] == OFF) != revealed)
            p->may[i] &= (uint16_t)~(1 << FIELD_MARSHAL);
    memset(p->given, NONE, sizeof p->given);
    return 1;
}

/* Every piece of the type to one of the free places that allow it; 0 if there are not enough. */
static int give_type(places *p, int32_t type, wl_draws *draws)
{
    for (; p->left[type] > 0; p->left[type]--) {
        uint8_t fit[ARMY];
        int32_t n = 0;

        for (int32_t i = 0; i < p->n; i++)
            if (p->given[i] == NONE && (p->may[i] >> type & 1) != 0)
                fit[n++] = (uint8_t)i;
        if (n == 0)
            return 0;
        p->given[fit[n > 1 ? wl_draw(draws, n) : 0]] = (uint8_t)type;
    }
    return 1;
}

/* The types that may not go everywhere, then a shuffle of the others; 0 if they do not fit like that. */
static int give_types(places *p, wl_draws *draws)
{
    uint8_t others[ARMY];
    int32_t n = 0;

    for (int32_t i = 0; i < p->n; i++)
        if (p->may[i] == 1 << ENGINEER && p->left[ENGINEER] > 0) {
            p->given[i] = ENGINEER;
            p->left[ENGINEER]--;
        }
    if (!give_type(p, FLAG, draws) || !give_type(p, MINE, draws) || !give_type(p, FIELD_MARSHAL, draws) ||
        !give_type(p, BOMB, draws))
        return 0;
    for (int32_t type = 0; type < TYPES; type++)
        for (; p->left[type] > 0; p->left[type]--)
            others[n++] = (uint8_t)type;
    for (int32_t i = 0; i < p->n; i++) {
        int32_t which;
        if (p->given[i] != NONE)
            continue;
        if (n == 0)
            return 0;
        which = n > 1 ? wl_draw(draws, n) : 0;
        if ((p->may[i] >> others[which] & 1) == 0)
            return 0;
        p->given[i] = others[which];
        others[which] = others[--n];
    }
    return n == 0;
}

/* Ids for the pieces of an army whose types are known: of each type the smallest that are free. */
static void number_pieces(junqi_state *state, int32_t army)
{
    for (int32_t space = 0; space < SPACES; space++) {
        const int32_t occupant = state->board[space];
        int32_t id;
        if (!wl_between(KNOWN + TYPES * army, occupant, KNOWN + TYPES * army + TYPES - 1))
            continue;
        id = piece_id(army, type_of(occupant), 0);
        while (id < piece_id(army, type_of(occupant), PIECE_TYPE[type_of(occupant)].count) &&
               (state->at[id] != OFF || (id < 64 && (state->lost[0] >> id & 1) != 0)))
            id++;
        if (id < piece_id(army, type_of(occupant), PIECE_TYPE[type_of(occupant)].count))
            put(state, id, space);
    }
}

/* Standard mode: the types of an army that the viewer does not see. What the last move and the layout tell goes by the rules; a
 * Position may be otherwise, and where nothing else fits they are not heeded. */
static int imagine_army(const junqi_setup *setup, junqi_state *state, int32_t army, wl_draws *draws)
{
    places p;

    for (int32_t tries = 0; tries < TRIES && draws->error == WL_OK; tries++) {
        if (!find_places(setup, state, army, tries < TRIES / 2, draws, &p))
            return 0;
        if (p.n_on_board > 0 && !give_types(&p, draws))
            continue;
        for (int32_t i = 0; i < p.n_on_board; i++)
            state->board[p.space[i]] = (uint8_t)(KNOWN + TYPES * army + p.given[i]);
        number_pieces(state, army);
        return 1;
    }
    return 0;
}

/* Flip mode: a shuffle of all pieces that are neither lost nor seen. */
static int imagine_flips(junqi_state *state, wl_draws *draws)
{
    uint8_t left[2 * ARMY];
    int32_t n = 0;

    number_pieces(state, RED);
    number_pieces(state, BLACK);
    for (int32_t piece = 1; piece <= 2 * ARMY; piece++)
        if (state->at[piece] == OFF && (state->lost[0] >> piece & 1) == 0)
            left[n++] = (uint8_t)piece;
    for (int32_t space = 0; space < SPACES; space++) {
        int32_t which;
        if (state->board[space] != FACE_DOWN_PIECE)
            continue;
        if (n == 0)
            return 0;
        which = n > 1 ? wl_draw(draws, n) : 0;
        put(state, left[which], space);
        left[which] = left[--n];
    }
    return n == 0;
}

static int imagine(const junqi_setup *setup, junqi_state *state, wl_draws *draws)
{
    if (setup->mode == FLIP)
        return imagine_flips(state, draws);
    for (int32_t army = 0; army < setup->n_seats; army++)
        if (!imagine_army(setup, state, army, draws))
            return 0;
    return 1;
}

int32_t junqi_sample(const void *setup_, void *state_, int32_t viewer, wl_draws *draws)
{
    const junqi_setup *setup = setup_;
    junqi_state *state = state_;
    const junqi_state seen = *state;

    (void)viewer;
    if (!state->veiled)
        return WL_OK;
    for (int32_t tries = 0; tries < TRIES && draws->error == WL_OK; tries++) {
        *state = seen;
        if (!imagine(setup, state, draws))
            return draws->error != WL_OK ? draws->error : WL_E_STATE;
        if (state->phase != PLAY || has_move(setup, state, state->turn) || has_face_down(state))
            break; /* a seat that has no move is never in turn */
    }
    state->veiled = 0;
    state->lost[0] = 0;
    return WL_OK;
}

/* May the piece of this army stand there, by the layout and by the last move? */
static int may_be(const junqi_setup *setup, const junqi_state *state, int32_t army, int32_t type, int32_t space)
{
    uint32_t may = types_on(setup, state, army, space);

    if (state->last_kind == MOVE_STEP && space == state->path[state->n_path - 1])
        may &= types_that_moved(state, army);
    if (!may_have_moved(setup, state, army) && is_front(setup, army, space))
        may &= ~wl_bit(BOMB);
    return (int)(may >> type & 1);
}

/* Two pieces that are not seen change places: of one army, or face down. */
int32_t junqi_vary(const void *setup_, const void *seen_, void *state_, wl_draws *draws)
{
    const junqi_setup *setup = setup_;
    const junqi_state *seen = seen_;
    junqi_state *state = state_;
    uint8_t hidden[SPACES];
    int32_t n = 0;

    for (int32_t space = 0; space < SPACES; space++) {
        const int32_t occupant = seen->board[space];
        if (occupant != EMPTY && occupant != WALL && (occupant == FACE_DOWN_PIECE || type_of(occupant) == NONE))
            hidden[n++] = (uint8_t)space;
    }
    for (int32_t tries = 0; n > 1 && tries < TRIES && draws->error == WL_OK; tries++) {
        const int32_t a = hidden[wl_draw(draws, n)], b = hidden[wl_draw(draws, n)];
        const int32_t one = state->board[a], other = state->board[b];
        if (setup->mode == STANDARD) {
            if (army_of(one) != army_of(other) || type_of(one) == type_of(other) ||
                !may_be(setup, state, army_of(one), type_of(one), b) || !may_be(setup, state, army_of(one), type_of(other), a))
                continue;
        } else if (army_of(one) == army_of(other) && type_of(one) == type_of(other)) {
            continue;
        }
        put(state, one, b);
        put(state, other, a);
        return WL_OK;
    }
    return draws->error != WL_OK ? draws->error : WL_E_STATE;
}

/* ==== What it is worth ================================================================================================= */

/* A piece on the board; the flag stands for having an army at all. */
static const int16_t WORTH[TYPES] = {
    [FLAG] = 100, [FIELD_MARSHAL] = 100, [GENERAL] = 80,   [MAJOR_GENERAL] = 60, [BRIGADIER] = 45, [COLONEL] = 33,
    [MAJOR] = 24, [CAPTAIN] = 12,        [LIEUTENANT] = 7, [ENGINEER] = 9,       [BOMB] = 40,      [MINE] = 15,
};

/* What it is worth besides that a movable piece, but for an engineer, is so far from an enemy flag: as many steps as it were
 * without railways. */
static const int16_t NEARNESS[] = {0, 100, 50, 30, 18, 12, 8, 6, 5, 4, 3, 3, 2, 2, 1, 1, 0};
enum { FAR = sizeof NEARNESS / sizeof NEARNESS[0] - 1 };

/* 2.2. */
static void locate(int32_t space, int32_t *x, int32_t *y)
{
    const int32_t line = space % ARMY_SPACES / 5 + 1, column = space % 5 + 1;

    switch (space / ARMY_SPACES) {
    case 0: *x = 5 + column, *y = 6 - line; return;
    case 1: *x = 10 + line, *y = 5 + column; return;
    case 2: *x = 11 - column, *y = 10 + line; return;
    case 3: *x = 6 - line, *y = 11 - column; return;
    default: *x = 6 + 2 * ((space - PALACES) % 3), *y = 6 + 2 * ((space - PALACES) / 3); return;
    }
}

static int32_t apart(int32_t a, int32_t b) { return a < b ? b - a : a - b; }

/* Of the pieces of an army: what they are, how near they are to flags of enemies, and that headquarters hold them fast. */
static int64_t strength_of(const junqi_setup *setup, const junqi_state *state, int32_t army, int32_t seat)
{
    int64_t sum = 0;
    int32_t flag_x[SEATS_MAX], flag_y[SEATS_MAX];
    int32_t n_flags = 0;

    for (int32_t other = 0; other < setup->n_seats; other++) {
        const int32_t flag = state->at[piece_id(other, FLAG, 0)];
        const int32_t owner = across(setup, state, other);
        if (flag == OFF || owner == NONE || team_of(owner) == team_of(seat) || is_down(state, flag))
            continue;
        locate(flag, &flag_x[n_flags], &flag_y[n_flags]);
        n_flags++;
    }
    for (int32_t piece = ARMY * army + 1; piece <= ARMY * (army + 1); piece++) {
        const int32_t space = state->at[piece], type = TYPE_OF[piece];
        int32_t x, y;
        if (space == OFF)
            continue;
        if (!PIECE_TYPE[type].moves || is_down(state, space)) {
            sum += WORTH[type];
            continue;
        }
        if (setup->mode == STANDARD && kind_of(space) == HEADQUARTERS) {
            sum += WORTH[type] / 4;
            continue;
        }
        sum += WORTH[type];
        if (type == ENGINEER) /* the railway takes it anywhere: it would go out alone, and be taken */
            continue;
        locate(space, &x, &y);
        for (int32_t i = 0; i < n_flags; i++) {
            const int32_t dx = apart(x, flag_x[i]), dy = apart(y, flag_y[i]);
            const int32_t steps = (dx > dy ? dx : dy) + (dx > 0 && dy > 0); /* no diagonal leads into a headquarters */
            sum += NEARNESS[steps < FAR ? steps : FAR];
        }
    }
    return sum;
}

void junqi_evaluate(const void *setup_, const void *state_, int32_t *value)
{
    const junqi_setup *setup = setup_;
    const junqi_state *state = state_;
    int64_t strength[2] = {1, 1}; /* of the teams */
    int64_t first;

    for (int32_t seat = 0; seat < setup->n_seats; seat++) {
        const int32_t army = across(setup, state, seat);
        if (army != NONE && state->seats[seat].status == ALIVE)
            strength[team_of(seat)] += strength_of(setup, state, army, seat);
    }
    for (int32_t team = 0; team < 2; team++)
        strength[team] = strength[team] * strength[team] * strength[team]; /* a little more wins much oftener */
    first = strength[0] * WL_WON / (strength[0] + strength[1]);
    for (int32_t seat = 0; seat < setup->n_seats; seat++)
        value[seat] = (int32_t)(team_of(seat) == 0 ? first : WL_WON - first);
}
