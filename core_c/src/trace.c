/* trace.c: traces of actions (warlog.h, 8). Views are made here, so that a game's `trace` never sees more. */
#include "game.h"

/* Where the numbers of traces go; those for which there is no room are counted all the same. */
typedef struct numbers {
    int32_t *out;
    size_t cap, n;
} numbers;

static void put(numbers *to, int32_t number)
{
    if (to->n < to->cap)
        to->out[to->n] = number;
    to->n++;
}

static void put_trace(numbers *to, const wl_trace *trace)
{
    const size_t begun = to->n;

    put(to, 0); /* the length, when it is known */
    put(to, trace->n_path);
    for (int32_t list = 0; list < WL_TRACE_LISTS; list++)
        put(to, trace->n[list]);
    put(to, trace->n_harm);
    for (int32_t i = 0; i < trace->n_path; i++)
        put(to, trace->path[i]);
    for (int32_t list = 0; list < WL_TRACE_LISTS; list++)
        for (int32_t i = 0; i < trace->n[list]; i++) {
            put(to, trace->touched[list][i].step);
            put(to, trace->touched[list][i].piece);
        }
    for (int32_t i = 0; i < trace->n_harm; i++) {
        const wl_harm *harm = &trace->harm[i];
        put(to, harm->to.step);
        put(to, harm->to.piece);
        for (int32_t roll = 0; roll < 3; roll++)
            put(to, harm->damage[roll]);
        for (int32_t roll = 0; roll < 3; roll++)
            put(to, harm->killed[roll]);
    }
    if (begun < to->cap)
        to->out[begun] = (int32_t)(to->n - begun);
}

static void add_trace(numbers *to, const wl_game *game, const void *setup, const void *before, const void *after,
                      const wl_post *post)
{
    wl_trace trace;

    trace.n_path = trace.n_harm = 0;
    memset(trace.n, 0, sizeof trace.n);
    if (game->trace != NULL && wl_between(0, post->action.type, INT32_MAX))
        game->trace(setup, before, after, post, &trace);
    put_trace(to, &trace);
}

/* The state inside the view, which is sound, or else an error. */
static int32_t seen_of(const wl_game *game, const void *setup, const void *state, int32_t viewer, void *view, const void **seen)
{
    const int32_t error = wl_observe(game, setup, state, viewer, view);

    if (error != WL_OK)
        return error;
    *seen = (const uint8_t *)view + game->view_state_offset;
    return game->sound_state(setup, *seen) ? WL_OK : WL_E_STATE;
}

int64_t wl_traces(const wl_game *game, const void *setup, const void *state, int32_t seat, void *view,
                  const wl_action *actions, size_t n_actions, int32_t *out, size_t cap)
{
    numbers to = {out, cap, 0};
    const void *seen;
    const int32_t error = seen_of(game, setup, state, seat, view, &seen);

    if (error != WL_OK)
        return error;
    if ((actions == NULL && n_actions > 0) || (out == NULL && cap > 0))
        return WL_E_ARGUMENT;
    for (size_t i = 0; i < n_actions; i++) {
        const wl_post post = {.actor = seat, .action = actions[i]};
        add_trace(&to, game, setup, seen, NULL, &post);
    }
    return (int64_t)to.n;
}

int64_t wl_trace_event(const wl_game *game, const void *setup, const void *before, const void *after, int32_t viewer,
                       const wl_post *post, void *view, void *later, int32_t *out, size_t cap)
{
    numbers to = {out, cap, 0};
    const void *seen, *seen_later;
    int32_t error = seen_of(game, setup, before, viewer, view, &seen);

    if (error == WL_OK)
        error = seen_of(game, setup, after, viewer, later, &seen_later);
    if (error != WL_OK)
        return error;
    if (post == NULL || (out == NULL && cap > 0) || post->n_items < 0 || post->n_items > game->items_max ||
        (post->n_items > 0 && post->items == NULL))
        return WL_E_ARGUMENT;
    if (post->actor != WL_SERVER && !wl_between(0, post->actor, game->seats_in(setup) - 1))
        return WL_E_ARGUMENT;
    add_trace(&to, game, setup, seen, seen_later, post);
    return (int64_t)to.n;
}
