/* universal_opponent.c: what computer opponents need of Universal Chess (warlog.h, section 9). */
#include "universal.h"

/* Nothing is hidden. */
int32_t universal_sample(const void *setup, void *state, int32_t viewer, wl_draws *draws)
{
    (void)setup;
    (void)state;
    (void)viewer;
    (void)draws;
    return WL_OK;
}

/* What a piece is worth, in tenths of a space of one's area. A Mighty is worth everything, so only its dangers count. */
static const int64_t WORTH[KINDS] = {
    [MIGHTY] = 300, [COMMANDER] = 90, [WIZARD] = 65, [PSIONIC] = 80, [DRAGON] = 45,
    [MECHA] = 45,   [KNIGHT] = 45,    [ANGEL] = 30,  [DEMON] = 30,
};
enum { SPACE_WORTH = 10, FROZEN_COST = 10, THREAT_COST = 25, NEAR = 3 };

/* Pieces of other sides that stand near this space. */
static int32_t threats(const universal_state *state, uint32_t side, int32_t space)
{
    int32_t found = 0;

    for (int32_t dr = -NEAR; dr <= NEAR; dr++)
        for (int32_t df = -NEAR; df <= NEAR; df++)
            if (on_board(file_of(space) + df, rank_of(space) + dr)) {
                const int32_t id = state->at[space + dr * FILES + df];
                found += id != 0 && (side >> state->pieces[id].seat & 1) == 0;
            }
    return found;
}

static int64_t strength(const universal_setup *setup, const universal_state *state, int32_t seat)
{
    int64_t sum = SPACE_WORTH * WL_SIZE(&state->area[seat]);
    int32_t id;

    WL_EACH(&state->of[seat], id) {
        const piece *p = &state->pieces[id];
        sum += WORTH[p->kind] - (p->frozen > 0 ? FROZEN_COST : 0);
        if (p->conquering > 0) /* the sooner the space is won, the more it counts already */
            sum += SPACE_WORTH - 2 * (p->conquering < SPACE_WORTH / 2 ? p->conquering : SPACE_WORTH / 2);
        if (p->kind == MIGHTY)
            sum -= THREAT_COST * threats(state, setup->side[seat], p->space);
    }
    return sum > 1 ? sum : 1;
}

void universal_evaluate(const void *setup_, const void *state_, int32_t *value)
{
    const universal_setup *setup = setup_;
    const universal_state *state = state_;
    int64_t own[SEATS_MAX] = {0};
    int64_t of_side[SEATS_MAX] = {0}; /* of the side of this seat */
    int64_t all = 0;

    for (int32_t seat = 0; seat < SEATS_MAX; seat++)
        if (state->in >> seat & 1)
            own[seat] = strength(setup, state, seat);
    for (int32_t seat = 0; seat < SEATS_MAX; seat++) {
        for (int32_t ally = 0; ally < SEATS_MAX; ally++)
            of_side[seat] += setup->side[seat] >> ally & 1 ? own[ally] : 0;
        of_side[seat] = of_side[seat] * of_side[seat] / 64;
        if (setup->side[seat] != 0 && wl_lowest(setup->side[seat]) == seat)
            all += of_side[seat];
    }
    for (int32_t seat = 0; seat < SEATS_MAX; seat++)
        value[seat] = all > 0 ? (int32_t)(of_side[seat] * WL_WON / all) : WL_EVEN;
}
