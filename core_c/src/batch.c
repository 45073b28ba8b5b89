/* batch.c: many steps in one call, to keep slower languages out of hot loops. */
#include "playing.h"

/* The event of a step was written behind the excerpt: the effects that are wanted of it move up, without the rest of their heads. */
static void keep_wanted(wl_excerpt *excerpt, size_t n_words, size_t step)
{
    const wl_word *record = excerpt->words + excerpt->n_words;
    const wl_word *end = record + n_words;

    for (const wl_word *next; record < end; record = next) {
        const size_t n_arguments = (size_t)record[0] - WL_REC_HEAD;
        const wl_word type = record[WL_REC_HEAD - 1];

        next = record + record[0];
        if (record[1] == WL_REC_EFFECT && excerpt->types[type] && n_arguments >= excerpt->types[type] - 1u) {
            wl_word *to = excerpt->words + excerpt->n_words;

            to[0] = (wl_word)(WL_EXCERPT_HEAD + n_arguments);
            to[1] = (wl_word)step;
            to[2] = type;
            memmove(to + WL_EXCERPT_HEAD, record + WL_REC_HEAD, n_arguments * sizeof *to);
            excerpt->n_words += WL_EXCERPT_HEAD + n_arguments;
        }
    }
}

static void keep_value(const wl_game *game, const void *setup, const void *state, wl_excerpt *excerpt, size_t n_steps)
{
    if (excerpt->n_values < excerpt->values_cap && n_steps % excerpt->every == excerpt->first % excerpt->every)
        if (wl_evaluate(game, setup, state, excerpt->values + excerpt->n_values * WL_SEATS_MAX) > 0)
            excerpt->n_values++;
}

int32_t wl_replay(const wl_game *game, const void *setup, void *state, const wl_step *steps, size_t n_steps,
                  const int32_t *items, size_t n_items, const int32_t *draws, size_t n_draws, size_t *failed,
                  void *checkpoints, size_t every, size_t n_checkpoints, wl_excerpt *excerpt)
{
    _Alignas(8) uint8_t before[WL_STATE_MAX];
    size_t item = 0;
    size_t draw = 0;
    size_t kept = 0;
    size_t used = 0;
    int32_t error = wl_check_state(game, setup, state);

    if (error != WL_OK)
        return error;
    if (failed == NULL || (steps == NULL && n_steps > 0) || (items == NULL && n_items > 0))
        return WL_E_ARGUMENT;
    if ((draws == NULL && n_draws > 0) || (checkpoints != NULL && every == 0))
        return WL_E_ARGUMENT;
    if (excerpt != NULL && (excerpt->types == NULL || excerpt->words == NULL))
        return WL_E_ARGUMENT;
    if (excerpt != NULL && excerpt->values_cap > 0 && (excerpt->values == NULL || excerpt->every == 0))
        return WL_E_ARGUMENT;
    if (excerpt != NULL)
        excerpt->n_words = excerpt->n_values = 0;
    for (size_t i = 0; i < n_steps; i++) {
        const wl_step *step = &steps[i];
        wl_event event = {0};
        wl_draws recorded = {0};
        wl_post post;

        *failed = i;
        if (step->n_items < 0 || (size_t)step->n_items > n_items - item)
            return WL_E_ARGUMENT;
        if (step->n_draws < 0 || (size_t)step->n_draws > n_draws - draw)
            return WL_E_ARGUMENT;
        if (excerpt != NULL) {
            event.words = excerpt->words + excerpt->n_words;
            event.cap = excerpt->cap - excerpt->n_words;
            if (event.cap < game->event_words_max)
                return WL_E_SPACE;
        }
        post = (wl_post){step->actor, step->n_items, step->action, step->n_items > 0 ? items + item : NULL};
        recorded.recorded = step->n_draws > 0 ? draws + draw : NULL;
        recorded.n_recorded = (size_t)step->n_draws;
        if (step->hash != 0) {
            used = wl_used_bytes(game->state_layout, state);
            memcpy(before, state, used);
        }
        error = wl_apply(game, setup, state, &post, &recorded, &event);
        if (error != WL_OK)
            return error;
        if (step->hash != 0 && wl_hash(game, state) != step->hash) {
            wl_write_used(state, game->state_size, before, used);
            return WL_E_HASH;
        }
        if (excerpt != NULL) {
            keep_wanted(excerpt, event.n_words, i);
            keep_value(game, setup, state, excerpt, i + 1);
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
        const wl_action *action = wl_choose_any(game, setup, state, flags, &random, actions, cap, &post.actor);

        if (action == NULL)
            break;
        post.action = *action;
        error = wl_play(game, setup, state, &post, &random);
        if (error != WL_OK)
            return error;
        taken++;
    }
    return taken;
}

/* ---- counting --------------------------------------------------------------------------------------------------------- */

enum { ZEROS = 8192 }; /* bytes of entropy, more than any action draws */

static int64_t count(const wl_game *game, const void *setup, const void *state, int32_t depth, uint8_t *states,
                     wl_action *actions, size_t cap)
{
    static const uint8_t zeros[ZEROS];
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

            if (wl_is_open(&actions[i]))
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
