/* hex_opponent.c: what computer opponents need of Hex Tactics (warlog.h, section 9). */
#include "hex.h"

/* ==== What may be there ================================================================================================ */

/* After each stack an army ends with a chance of one in so many, though there is room and points are left. */
enum { SPARING = 16 };

/* An army that the seat may have submitted: units at random until no type can be paid for, or sooner (SPARING). */
static void imagine_army(const hex_setup *setup, seat_state *seat, wl_draws *draws)
{
    int64_t points = setup->army_points;
    army a = {0};

    while (a.n < setup->max_stacks && draws->error == WL_OK) {
        int32_t fit[UNITS_MAX];
        int32_t n = 0;
        int64_t most;
        int32_t u;

        for (int32_t i = 0; i < setup->n_units; i++)
            if (setup->units[i].cost > 0 && setup->units[i].cost <= points)
                fit[n++] = i;
        if (n == 0 || (a.n > 0 && wl_draw(draws, SPARING) == 0))
            break;
        u = fit[n > 1 ? wl_draw(draws, n) : 0];
        most = points / setup->units[u].cost;
        most = most < COUNT_MAX ? most : COUNT_MAX;
        a.entry[a.n] = (entry){(uint16_t)u, (uint16_t)(1 + (most > 1 ? wl_draw(draws, most) : 0))};
        points -= (int64_t)a.entry[a.n].count * setup->units[u].cost;
        a.n++;
    }
    store_army(seat, &a);
}

/* A free space in the zone of its seat for each stack that is not seen. */
static void imagine_places(const hex_setup *setup, hex_state *state, wl_draws *draws)
{
    spaces taken = state->obstacles;

    for (int32_t i = 0; i < state->n_stacks; i++)
        if (state->stacks[i].space != HIDDEN)
            add(&taken, state->stacks[i].space);
    for (int32_t i = 0; i < state->n_stacks; i++) {
        const zone z = zone_of(setup, state->stacks[i].seat);
        int32_t free[SPACES_MAX];
        int32_t n = 0;

        if (state->stacks[i].space != HIDDEN)
            continue;
        for (int32_t r = z.first_row; r <= z.last_row; r++)
            for (int32_t c = z.first_column; c <= z.last_column; c++)
                if (!has(&taken, space_at(c, r)))
                    free[n++] = space_at(c, r);
        if (n == 0) {
            draws->error = WL_E_STATE;
            return;
        }
        state->stacks[i].space = (uint16_t)free[n > 1 ? wl_draw(draws, n) : 0];
        add(&taken, state->stacks[i].space);
    }
}

int32_t hex_sample(const void *setup_, void *state_, int32_t viewer, wl_draws *draws)
{
    const hex_setup *setup = setup_;
    hex_state *state = state_;

    (void)viewer;
    for (int32_t seat = 0; state->phase == RECRUIT && seat < setup->n_seats; seat++)
        if (state->seats[seat].submitted && state->seats[seat].n_army == 0)
            imagine_army(setup, &state->seats[seat], draws);
    if (state->phase == DEPLOY)
        imagine_places(setup, state, draws);
    return WL_OK;
}

/* ==== What it is worth ================================================================================================= */

/* What so many hit points of a unit have cost, in hundredths of a point. Summoned units cost nothing and count as 2. */
static int64_t worth(const unit *u, int64_t hp) { return 100 * (u->cost > 0 ? u->cost : 2) * hp / u->hp; }

/* Of all units of a stack. */
static int64_t hit_points(const unit *u, const stack *s) { return (int64_t)(s->count - 1) * u->hp + s->top_hp; }

/* In percent. TO_ACT and ACTED: how much of what its best blow would take is added to a stack's worth, before and after its turn in
 * this round. ENGAGED: what a shooter beside an enemy loses, because it cannot shoot. */
enum { TO_ACT = 40, ACTED = 20, ENGAGED = 12 };

/* In thousandths of its worth: what a stack loses for each space between it and the nearest enemy, of SIGHT at most; or stacks with
 * nobody in reach would wander. */
enum { AWAY = 3, SIGHT = 40 };

/* In thousandths: how much less an advantage counts for each space between a stack and the nearest enemy, on average, and at most. Who
 * strikes first gains, so both sides would stay out of reach: the stronger one has to come. But what is as good as decided, with less
 * than OPEN for one side, fades the less. */
enum { FADING = 30, FADED_MAX = 900, OPEN = WL_WON / 10 };

/* Strengths up to this can be squared and multiplied by WL_WON in 64 bits. Given armies may be stronger, and are scaled down. */
enum { LARGE = 1 << 24 };

/* What the next blow of a stack would take from an enemy, on average; 0 if the enemy is farther away than it can go and reach. A
 * shooter that is not beside the enemy is taken to shoot. */
static int64_t blow(const hex_setup *setup, const stack *s, const stack *t, int32_t far)
{
    const unit *u = &setup->units[s->unit], *enemy = &setup->units[t->unit];
    const int64_t left = hit_points(enemy, t);
    int64_t damage = (int64_t)u->attack * s->count;

    if (far > u->move + u->range)
        return 0;
    if (u->shooter && far == 1)
        damage = damage * setup->shooter_melee_percent / 100;
    if (t->defending)
        damage = damage * setup->defend_percent / 100;
    return worth(enemy, damage < left ? damage : left);
}

/* What a stack is worth, with the best blow that it could strike, and how far the nearest enemy is. */
typedef struct standing {
    int64_t strength;
    int32_t away;
} standing;

/* `acts`: is it still to act in this round? */
static standing stand(const hex_setup *setup, const hex_state *state, const stack *s, int acts)
{
    const unit *u = &setup->units[s->unit];
    int64_t sum = worth(u, hit_points(u, s));
    int64_t best = 0;
    int32_t nearest = SIGHT;
    int engaged = 0;

    for (int32_t i = 0; i < state->n_stacks; i++) {
        const stack *t = &state->stacks[i];
        const int32_t far = distance(s->space, t->space);
        int64_t takes;
        if (side_of(setup, t->seat) == side_of(setup, s->seat))
            continue;
        takes = blow(setup, s, t, far);
        best = takes > best ? takes : best;
        engaged |= far == 1;
        nearest = far < nearest ? far : nearest;
    }
    sum -= sum * AWAY * nearest / 1000;
    if (engaged && u->shooter)
        sum -= sum * ENGAGED / 100;
    return (standing){sum + best * (acts ? TO_ACT : ACTED) / 100, nearest};
}

void hex_evaluate(const void *setup_, const void *state_, int32_t *value)
{
    const hex_setup *setup = setup_;
    const hex_state *state = state_;
    int64_t strength[SEATS_MAX] = {0}; /* by side */
    int64_t all = 0, total = 0, spaces_away = 0;
    int64_t faded, even;
    int32_t shift = 0, sides = 0;
    uint8_t acts[STACKS_MAX] = {0};

    for (int32_t i = 0; i < state->n_queue; i++)
        acts[state->queue[i]] = 1;
    for (int32_t i = 0; i < state->n_stacks; i++) {
        const stack *s = &state->stacks[i];
        standing one;
        if (state->seats[s->seat].status != IN)
            continue;
        one = stand(setup, state, s, acts[i]);
        strength[side_of(setup, s->seat)] += one.strength;
        total += one.strength;
        spaces_away += one.strength * one.away;
    }
    for (int32_t side = 0; side < SEATS_MAX; side++)
        while (strength[side] >> shift > LARGE)
            shift++;
    for (int32_t side = 0; side < SEATS_MAX; side++) {
        strength[side] >>= shift;
        strength[side] = strength[side] * strength[side] / 1024; /* who has twice as much wins more than twice as often */
        all += strength[side];
        sides += strength[side] > 0;
    }
    even = sides > 0 ? WL_WON / sides : WL_EVEN;
    faded = total > 0 ? FADING * spaces_away / total : 0;
    faded = faded < FADED_MAX ? faded : FADED_MAX;
    for (int32_t seat = 0; seat < setup->n_seats; seat++) {
        const int64_t now = all > 0 ? strength[side_of(setup, seat)] * WL_WON / all : WL_EVEN;
        const int64_t open = now < WL_WON - now ? now : WL_WON - now;
        value[seat] = (int32_t)(now + (even - now) * faded * (open < OPEN ? open : OPEN) / OPEN / 1000);
    }
}
