/* draws.c: integers from a block of entropy, from a generator, or from a record (warlog.h, section 5). */
#include "playing.h"

static int32_t fail(wl_draws *draws, int32_t error)
{
    if (draws->error == WL_OK)
        draws->error = error;
    return 0;
}

static uint32_t next_word(wl_draws *draws)
{
    if (draws->random != NULL)
        return wl_random_word(draws->random);
    const uint8_t *b = draws->entropy + draws->next;
    draws->next += 4;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

int32_t wl_draw(wl_draws *draws, int64_t n)
{
    int32_t value;

    assert(n >= 2);
    assert(n <= INT32_MAX);
    if (draws->error != WL_OK)
        return 0;
    if (draws->entropy != NULL || draws->random != NULL) {
        /* Words at or above the greatest multiple of n would favour the small values: rejected. */
        const uint64_t limit = ((uint64_t)1 << 32) / (uint64_t)n * (uint64_t)n;
        uint64_t w;
        do {
            if (draws->random == NULL && draws->n_entropy - draws->next < 4)
                return fail(draws, WL_E_ENTROPY);
            w = next_word(draws);
        } while (w >= limit);
        value = (int32_t)(w % (uint64_t)n);
    } else {
        if (draws->next >= draws->n_recorded) {
            draws->asked = (int32_t)n;
            return fail(draws, WL_E_DRAWS);
        }
        value = draws->recorded[draws->next++];
        if (value < 0 || value >= n)
            return fail(draws, WL_E_DRAWS);
    }
    if (draws->used != NULL) {
        if (draws->n_used >= draws->cap)
            return fail(draws, WL_E_SPACE);
        draws->used[draws->n_used] = value;
    }
    draws->n_used++;
    return value;
}
