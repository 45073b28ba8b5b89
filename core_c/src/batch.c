/* batch.c: many steps in one call, to keep slower languages out of hot loops. */
#include "game.h"

int32_t wl_replay(const wl_game *game, const void *setup, void *state, const wl_step *steps, size_t n_steps,
                  const int32_t *items, size_t n_items, const int32_t *draws, size_t n_draws, size_t *failed,
                  void *checkpoints, size_t every, size_t n_checkpoints)
{
    _Alignas(8) uint8_t before[WL_STATE_MAX];
    size_t item = 0;
    size_t draw = 0;
    size_t kept = 0;
    int32_t error = wl_check_state(game, setup, state);

    if (error != WL_OK)
        return error;
    if (failed == NULL || (steps == NULL && n_steps > 0) || (items == NULL && n_items > 0))
        return WL_E_ARGUMENT;
    if ((draws == NULL && n_draws > 0) || (checkpoints != NULL && every == 0))
        return WL_E_ARGUMENT;
    for (size_t i = 0; i < n_steps; i++) {
        const wl_step *step = &steps[i];
        wl_event unwanted = {0};
        wl_draws recorded = {0};
        wl_post post;

        *failed = i;
        if (step->n_items < 0 || (size_t)step->n_items > n_items - item)
            return WL_E_ARGUMENT;
        if (step->n_draws < 0 || (size_t)step->n_draws > n_draws - draw)
            return WL_E_ARGUMENT;
        post = (wl_post){step->actor, step->n_items, step->action, step->n_items > 0 ? items + item : NULL};
        recorded.recorded = step->n_draws > 0 ? draws + draw : NULL;
        recorded.n_recorded = (size_t)step->n_draws;
        if (step->hash != 0)
            memcpy(before, state, game->state_size);
        error = wl_apply(game, setup, state, &post, &recorded, &unwanted);
        if (error != WL_OK)
            return error;
        if (step->hash != 0 && wl_hash(game, state) != step->hash) {
            memcpy(state, before, game->state_size);
            return WL_E_HASH;
        }
        item += (size_t)step->n_items;
        draw += (size_t)step->n_draws;
        if (checkpoints != NULL && (i + 1) % every == 0 && kept < n_checkpoints) {
            memcpy((uint8_t *)checkpoints + kept * game->state_size, state, game->state_size);
            kept++;
        }
    }
    *failed = n_steps;
    return WL_OK;
}

int64_t wl_advance(const wl_game *game, const void *setup, void *state, const wl_post *post, wl_draws *draws,
                   wl_action *out, size_t cap, int32_t *seat)
{
    wl_event unwanted = {0};
    uint32_t seats;
    int32_t error;

    if (seat == NULL || (out == NULL && cap > 0))
        return WL_E_ARGUMENT;
    error = post != NULL ? wl_apply(game, setup, state, post, draws, &unwanted) : wl_check_state(game, setup, state);
    if (error != WL_OK)
        return error;
    seats = game->to_act(setup, state); /* sound: it has just been checked, and apply keeps it so */
    *seat = seats != 0 ? wl_lowest(seats) : -1;
    return seats != 0 ? (int64_t)game->legal(setup, state, *seat, out, cap) : 0;
}

/* ---- random play --------------------------------------------------------------------------------------------------- */

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static uint32_t below(uint64_t *state, uint32_t n) { return (uint32_t)((splitmix64(state) >> 32) * n >> 32); }

static int is_open(const wl_action *action)
{
    for (int i = 0; i < WL_ACTION_FIELDS; i++)
        if (action->field[i] == WL_OPEN)
            return 1;
    return 0;
}

static int may_choose(const wl_game *game, const wl_action *action, uint32_t flags)
{
    return !is_open(action) && !((flags & WL_PLAY_ON) && (game->actions[action->type].flags & WL_GIVES_UP));
}

/* Most actions may be chosen, and one in a few slots is filled. */
enum { TRIES = 64 };

/* A random action of those that may be chosen, found without a listing; NULL if none was met, which says nothing yet. */
static const wl_action *draw_slot(const wl_game *game, const void *setup, const void *state, int32_t seat, wl_action *action,
                                  uint32_t flags, uint64_t *random)
{
    wl_slots room;
    const size_t n = game->slots(setup, state, seat, &room);

    for (int tries = 0; tries < TRIES; tries++)
        if (game->slot(&room, below(random, (uint32_t)n), action) && may_choose(game, action, flags))
            return action;
    return NULL;
}

/* A random action of those that may be chosen, or NULL. */
static const wl_action *choose(const wl_game *game, const wl_action *actions, size_t n, uint32_t flags,
                               uint64_t *random)
{
    for (int tries = 0; tries < TRIES; tries++) {
        const wl_action *a = &actions[below(random, (uint32_t)n)];
        if (may_choose(game, a, flags))
            return a;
    }
    for (size_t i = 0; i < n; i++) /* few may be chosen: the first of them will do */
        if (may_choose(game, &actions[i], flags))
            return &actions[i];
    for (size_t i = 0; i < n; i++)
        if (!is_open(&actions[i]))
            return &actions[i];
    return NULL;
}

/* A random seat of these, as a bit. */
static uint32_t pick(uint32_t seats, uint64_t *random)
{
    for (uint32_t skip = below(random, (uint32_t)wl_popcount(seats)); skip > 0; skip--)
        seats &= seats - 1;
    return seats & (~seats + 1);
}

/* A random action of a random seat that is to act, which goes to `*actor`; a seat with nothing but an open template gives way
 * to another. NULL if there is none at all. */
static const wl_action *choose_any(const wl_game *game, const void *setup, const void *state, uint32_t flags, uint64_t *random,
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

enum { ENTROPY_WORDS = 24, ENTROPY_WORDS_MAX = 2048 };

static int32_t play(const wl_game *game, const void *setup, void *state, const wl_post *post, uint64_t *random)
{
    _Alignas(8) uint8_t before[WL_STATE_MAX];
    uint64_t block[ENTROPY_WORDS_MAX / 2];
    size_t n = ENTROPY_WORDS / 2;

    if (game->draws_max == 0) { /* nothing in its play is random, so nothing can go wrong */
        wl_event unwanted = {0};
        wl_draws none = {0};
        return game->apply(setup, state, post, &none, &unwanted);
    }
    memcpy(before, state, game->state_size);
    for (;; n *= 4) {
        wl_event unwanted = {0};
        wl_draws draws = {0};
        int32_t error;

        if (n > ENTROPY_WORDS_MAX / 2)
            n = ENTROPY_WORDS_MAX / 2;
        for (size_t i = 0; i < n; i++)
            block[i] = splitmix64(random);
        draws.entropy = (const uint8_t *)block;
        draws.n_entropy = n * sizeof block[0];
        error = game->apply(setup, state, post, &draws, &unwanted);
        if (error == WL_OK)
            error = draws.error;
        if (error == WL_OK)
            return WL_OK;
        memcpy(state, before, game->state_size);
        if (error != WL_E_ENTROPY || n == ENTROPY_WORDS_MAX / 2)
            return error;
    }
}

int64_t wl_playout(const wl_game *game, const void *setup, void *state, uint64_t seed, int64_t max, uint32_t flags,
                   wl_action *actions, size_t cap)
{
    uint64_t random = seed;
    int64_t taken = 0;
    int32_t error = wl_check_state(game, setup, state);

    if (error != WL_OK)
        return error;
    if (actions == NULL || cap == 0 || cap > INT32_MAX)
        return WL_E_ARGUMENT;
    while (taken < max) {
        wl_post post = {0};
        const wl_action *action = choose_any(game, setup, state, flags, &random, actions, cap, &post.actor);

        if (action == NULL)
            break;
        post.action = *action;
        error = play(game, setup, state, &post, &random);
        if (error != WL_OK)
            return error;
        taken++;
    }
    return taken;
}

/* ---- counting --------------------------------------------------------------------------------------------------------- */

static int64_t count(const wl_game *game, const void *setup, const void *state, int32_t depth, uint8_t *states,
                     wl_action *actions, size_t cap)
{
    static const uint8_t zeros[4 * ENTROPY_WORDS_MAX];
    int64_t total = 0;

    for (uint32_t seats = game->to_act(setup, state); seats != 0; seats &= seats - 1) {
        wl_post post = {0};
        size_t n;

        post.actor = wl_lowest(seats);
        n = game->legal(setup, state, post.actor, actions, cap);
        if (n > cap)
            return WL_E_SPACE;
        for (size_t i = 0; i < n; i++) {
            wl_event unwanted = {0};
            wl_draws draws = {0};
            int64_t below_it;
            int32_t error;

            if (is_open(&actions[i]))
                continue;
            if (depth == 1) {
                total++;
                continue;
            }
            post.action = actions[i];
            draws.entropy = zeros;
            draws.n_entropy = sizeof zeros;
            memcpy(states, state, game->state_size);
            error = game->apply(setup, states, &post, &draws, &unwanted);
            if (error == WL_OK)
                error = draws.error;
            if (error != WL_OK)
                return error;
            below_it = count(game, setup, states, depth - 1, states + game->state_size, actions + cap, cap);
            if (below_it < 0)
                return below_it;
            total += below_it;
        }
    }
    return total;
}

int64_t wl_count(const wl_game *game, const void *setup, const void *state, int32_t depth, void *states,
                 wl_action *actions, size_t cap)
{
    const int32_t error = wl_check_state(game, setup, state);

    if (error != WL_OK)
        return error;
    if (depth < 0 || depth > 64 || states == NULL || (uintptr_t)states % 8 != 0 || actions == NULL)
        return WL_E_ARGUMENT;
    return depth == 0 ? 1 : count(game, setup, state, depth, states, actions, cap);
}
