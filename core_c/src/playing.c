/* playing.c: what random play and the search have in common. */
#include "playing.h"

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

/* ---- steps, starts and samples with random draws ---------------------------------------------------------------------- */

/* What a game says, or else what went wrong with its draws: a game may find there that nothing fits. */
static int32_t outcome(int32_t error, const wl_draws *draws) { return error != WL_OK ? error : draws->error; }

int32_t wl_play(const wl_game *game, const void *setup, void *state, const wl_post *post, uint64_t *random)
{
    int drew;

    return wl_play_noting(game, setup, state, post, random, &drew);
}

int32_t wl_play_noting(const wl_game *game, const void *setup, void *state, const wl_post *post, uint64_t *random, int *drew)
{
    wl_event unwanted = {0};
    wl_draws draws = {.random = random};
    const int32_t error = game->apply(setup, state, post, &draws, &unwanted);

    *drew = draws.n_used > 0;
    return outcome(error, &draws);
}

int32_t wl_start(const wl_game *game, void *setup, void *state, const wl_word *options, size_t n_options, uint64_t *random)
{
    wl_event unwanted = {0};
    wl_draws draws = {.random = random};
    wl_words words = {.words = options, .n_words = n_options};

    memset(state, 0, wl_used_bytes(game->state_layout, state));
    memset(setup, 0, game->setup_size);
    return outcome(game->init(setup, state, &words, NULL, &draws, &unwanted), &draws);
}

int32_t wl_imagine(const wl_game *game, const void *setup, void *state, int32_t viewer, uint64_t *random)
{
    wl_draws draws = {.random = random};
    const int32_t error = outcome(game->sample(setup, state, viewer, &draws), &draws);

    if (error != WL_OK)
        return error;
    return game->sound_state(setup, state) ? WL_OK : WL_E_STATE; /* bytes from outside may have holes that nothing sound can fill */
}

int32_t wl_vary(const wl_game *game, const void *setup, const void *seen, void *state, uint64_t *random)
{
    wl_draws draws = {.random = random};

    return outcome(game->vary(setup, seen, state, &draws), &draws);
}
