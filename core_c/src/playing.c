/* playing.c: what random play and the search have in common. */
#include "playing.h"

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

uint32_t wl_below(uint64_t *state, uint32_t n) { return (uint32_t)((splitmix64(state) >> 32) * n >> 32); }

/* Most actions may be chosen, and one in a few slots is filled. */
enum { TRIES = 64 };

/* A random action of those that may be chosen, found without a listing; NULL if none was met, which says nothing yet. */
static const wl_action *draw_slot(const wl_game *game, const void *setup, const void *state, int32_t seat, wl_action *action,
                                  uint32_t flags, uint64_t *random)
{
    wl_slots room;
    const size_t n = game->slots(setup, state, seat, &room);

    for (int tries = 0; tries < TRIES; tries++)
        if (game->slot(&room, wl_below(random, (uint32_t)n), action) && wl_may_choose(game, action, flags))
            return action;
    return NULL;
}

/* A random action of those that may be chosen, or NULL. */
static const wl_action *choose(const wl_game *game, const wl_action *actions, size_t n, uint32_t flags,
                               uint64_t *random)
{
    for (int tries = 0; tries < TRIES; tries++) {
        const wl_action *a = &actions[wl_below(random, (uint32_t)n)];
        if (wl_may_choose(game, a, flags))
            return a;
    }
    for (size_t i = 0; i < n; i++) /* few may be chosen: the first of them will do */
        if (wl_may_choose(game, &actions[i], flags))
            return &actions[i];
    for (size_t i = 0; i < n; i++)
        if (!wl_is_open(&actions[i]))
            return &actions[i];
    return NULL;
}

/* A random seat of these, as a bit. */
static uint32_t pick(uint32_t seats, uint64_t *random)
{
    for (uint32_t skip = wl_below(random, (uint32_t)wl_popcount(seats)); skip > 0; skip--)
        seats &= seats - 1;
    return seats & (~seats + 1);
}

const wl_action *wl_choose_any(const wl_game *game, const void *setup, const void *state, uint32_t flags, uint64_t *random,
                               wl_action *actions, size_t cap, int32_t *actor)
{
    const wl_action *action = NULL;
    uint32_t left = game->to_act(setup, state);

    while (left != 0 && action == NULL) {
        const uint32_t seat = pick(left, random);
        left &= ~seat;
        *actor = wl_lowest(seat);
        if (game->slots != NULL)
            action = draw_slot(game, setup, state, *actor, actions, flags, random);
        if (action == NULL) {
            const size_t n = game->legal(setup, state, *actor, actions, cap);
            if (n > 0)
                action = choose(game, actions, n < cap ? n : cap, flags, random);
        }
    }
    return action;
}

/* What a step or a sample may draw. A longer block is made where a shorter one has run out. */
typedef struct block {
    uint64_t words[ENTROPY_WORDS_MAX / 2];
    size_t n;
} block;

static wl_draws fill(block *b, size_t n, uint64_t *random)
{
    wl_draws draws = {0};

    b->n = n < ENTROPY_WORDS_MAX / 2 ? n : ENTROPY_WORDS_MAX / 2;
    for (size_t i = 0; i < b->n; i++)
        b->words[i] = splitmix64(random);
    draws.entropy = (const uint8_t *)b->words;
    draws.n_entropy = b->n * sizeof b->words[0];
    return draws;
}

/* Would a longer block have helped? */
static int is_short(const block *b, int32_t error) { return error == WL_E_ENTROPY && b->n < ENTROPY_WORDS_MAX / 2; }

int32_t wl_play(const wl_game *game, const void *setup, void *state, const wl_post *post, uint64_t *random)
{
    int drew;

    return wl_play_noting(game, setup, state, post, random, &drew);
}

int32_t wl_play_noting(const wl_game *game, const void *setup, void *state, const wl_post *post, uint64_t *random, int *drew)
{
    _Alignas(8) uint8_t before[WL_STATE_MAX];
    block b;
    int32_t error;

    *drew = 0;
    if (game->draws_max == 0) { /* nothing in its play is random, so nothing can go wrong */
        wl_event unwanted = {0};
        wl_draws none = {0};
        return game->apply(setup, state, post, &none, &unwanted);
    }
    wl_copy_used(game->state_layout, before, state);
    for (size_t n = ENTROPY_WORDS / 2;; n *= 4) {
        wl_event unwanted = {0};
        wl_draws draws = fill(&b, n, random);

        error = game->apply(setup, state, post, &draws, &unwanted);
        if (error == WL_OK)
            error = draws.error;
        *drew = draws.next > 0;
        if (error == WL_OK)
            return WL_OK;
        memset(state, 0, game->state_size);
        wl_copy_used(game->state_layout, state, before);
        if (!is_short(&b, error))
            return error;
    }
}

int32_t wl_start(const wl_game *game, void *setup, void *state, const wl_word *options, size_t n_options, uint64_t *random)
{
    block b;

    for (size_t n = ENTROPY_WORDS;; n *= 4) {
        wl_event unwanted = {0};
        wl_draws draws = fill(&b, n, random);
        const int32_t error = wl_init(game, setup, state, options, n_options, NULL, 0, &draws, &unwanted);

        if (!is_short(&b, error))
            return error;
    }
}

int32_t wl_imagine(const wl_game *game, const void *setup, void *state, int32_t viewer, uint64_t *random)
{
    _Alignas(8) uint8_t seen[WL_STATE_MAX];
    block b;
    int32_t error;

    memcpy(seen, state, game->state_size);
    for (size_t n = ENTROPY_WORDS;; n *= 4) {
        wl_draws draws = fill(&b, n, random);

        error = game->sample(setup, state, viewer, &draws);
        if (error == WL_OK)
            error = draws.error;
        if (error == WL_OK) /* bytes from outside may have holes that nothing sound can fill */
            return game->sound_state(setup, state) ? WL_OK : WL_E_STATE;
        if (!is_short(&b, error))
            return error;
        memcpy(state, seen, game->state_size);
    }
}

int32_t wl_vary(const wl_game *game, const void *setup, const void *seen, void *state, uint64_t *random)
{
    block b;
    wl_draws draws = fill(&b, ENTROPY_WORDS, random);
    const int32_t error = game->vary(setup, seen, state, &draws);

    return error == WL_OK ? draws.error : error;
}
