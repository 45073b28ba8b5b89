/* core.c: the public entry points. They check what comes from outside, so that game files may rely on it. */
#include "game.h"

static int aligned(const void *p) { return p != NULL && (uintptr_t)p % 8 == 0; }

/* Setup and state may be any bytes (a poisoned snapshot, a fuzzer): nothing below runs on unsound ones. */
static int32_t check_bytes(const wl_game *game, const void *setup, const void *state)
{
    if (game == NULL || !aligned(setup) || !aligned(state))
        return WL_E_ARGUMENT;
    if (!game->sound_setup(setup) || !game->sound_state(setup, state))
        return WL_E_STATE;
    return WL_OK;
}

int32_t wl_check_state(const wl_game *game, const void *setup, const void *state)
{
    const int32_t error = check_bytes(game, setup, state);

    if (error != WL_OK)
        return error;
    if (!wl_is_canonical(game->setup_layout, setup, game->setup_size))
        return WL_E_STATE;
    return wl_is_canonical(game->state_layout, state, game->state_size) ? WL_OK : WL_E_STATE;
}

static int32_t check_post(const wl_game *game, const wl_post *post)
{
    if (post == NULL || post->n_items < 0 || (post->n_items > 0 && post->items == NULL))
        return WL_E_ARGUMENT;
    if (post->actor != WL_SERVER && (post->actor < 0 || post->actor >= WL_SEATS_MAX))
        return WL_E_ARGUMENT;
    if (post->n_items > game->items_max)
        return WL_E_ARGUMENT;
    return WL_OK;
}

static int32_t check_draws(const wl_draws *draws)
{
    if (draws == NULL || draws->next != 0 || draws->n_used != 0 || draws->error != WL_OK)
        return WL_E_ARGUMENT;
    if (draws->recorded == NULL && draws->n_recorded > 0)
        return WL_E_ARGUMENT;
    return WL_OK;
}

static void begin_event(wl_event *event)
{
    event->n_words = 0;
    event->error = WL_OK;
    event->hides = 0;
}

/* After a step: did draws and records work out? */
static int32_t verdict(const wl_draws *draws, const wl_event *event)
{
    if (draws->error != WL_OK)
        return draws->error;
    if (draws->entropy == NULL && draws->next != draws->n_recorded)
        return WL_E_DRAWS;
    return event->error;
}

static wl_words words_of(const wl_word *words, size_t n)
{
    const wl_words list = {.words = words, .n_words = words == NULL ? 0 : n};
    return list;
}

int32_t wl_check_options(const wl_game *game, const wl_word *options, size_t n_options, const wl_word *position,
                         size_t n_position)
{
    wl_words o = words_of(options, n_options);
    wl_words p = words_of(position, n_position);

    if (game == NULL || options == NULL)
        return WL_E_ARGUMENT;
    return game->check_options(&o, position == NULL ? NULL : &p);
}

int64_t wl_explain_start(const wl_game *game, const wl_word *options, size_t n_options, const wl_word *position,
                         size_t n_position, wl_word *out)
{
    wl_words o = words_of(options, n_options);
    wl_words p = words_of(position, n_position);
    const wl_words *from;

    if (game == NULL || options == NULL || out == NULL)
        return WL_E_ARGUMENT;
    if (game->check_options(&o, position == NULL ? NULL : &p) == WL_OK)
        return 0;
    from = o.n_note > 0 ? &o : &p;
    memcpy(out, from->note, sizeof from->note);
    return from->n_note;
}

int32_t wl_init(const wl_game *game, void *setup, void *state, const wl_word *options, size_t n_options,
                const wl_word *position, size_t n_position, wl_draws *draws, wl_event *event)
{
    wl_words o = words_of(options, n_options);
    wl_words p = words_of(position, n_position);
    int32_t error;

    if (!aligned(setup) || !aligned(state) || event == NULL)
        return WL_E_ARGUMENT;
    error = wl_check_options(game, options, n_options, position, n_position);
    if (error == WL_OK)
        error = check_draws(draws);
    if (error != WL_OK)
        return error;
    memset(setup, 0, game->setup_size);
    memset(state, 0, game->state_size);
    begin_event(event);
    error = game->init(setup, state, &o, position == NULL ? NULL : &p, draws, event);
    return error != WL_OK ? error : verdict(draws, event);
}

int32_t wl_reconfigure(const wl_game *game, void *setup, void *state, const wl_word *options, size_t n_options)
{
    wl_words o = words_of(options, n_options);
    const int32_t error = check_bytes(game, setup, state);

    if (error != WL_OK)
        return error;
    if (options == NULL)
        return WL_E_ARGUMENT;
    return game->reconfigure == NULL ? WL_E_INVALID_OPTIONS : game->reconfigure(setup, state, &o);
}

int32_t wl_seats(const wl_game *game, const void *setup)
{
    if (game == NULL || !aligned(setup))
        return WL_E_ARGUMENT;
    return game->sound_setup(setup) ? game->seats_in(setup) : WL_E_STATE;
}

int32_t wl_phase(const wl_game *game, const void *setup, const void *state)
{
    const int32_t error = check_bytes(game, setup, state);
    return error != WL_OK ? error : game->phase(state);
}

int32_t wl_to_act(const wl_game *game, const void *setup, const void *state)
{
    const int32_t error = check_bytes(game, setup, state);
    return error != WL_OK ? error : (int32_t)game->to_act(setup, state);
}

int32_t wl_result_of(const wl_game *game, const void *setup, const void *state, wl_result *result)
{
    const int32_t error = check_bytes(game, setup, state);
    if (error != WL_OK || result == NULL)
        return error != WL_OK ? error : WL_E_ARGUMENT;
    *result = game->result(state);
    return WL_OK;
}

/* Of a sound state. */
static wl_turn turn_of(const wl_game *game, const void *setup, const void *state)
{
    wl_turn turn = {0};

    turn.disclosure = (int64_t)game->disclosure(setup, state);
    turn.to_act = (int32_t)game->to_act(setup, state);
    turn.phase = game->phase(state);
    turn.result = game->result(state);
    return turn;
}

int32_t wl_turn_of(const wl_game *game, const void *setup, const void *state, wl_turn *turn)
{
    const int32_t error = check_bytes(game, setup, state);
    if (error != WL_OK || turn == NULL)
        return error != WL_OK ? error : WL_E_ARGUMENT;
    *turn = turn_of(game, setup, state);
    return WL_OK;
}

int32_t wl_copy(const wl_game *game, void *to, const void *from)
{
    if (game == NULL || !aligned(to) || !aligned(from))
        return WL_E_ARGUMENT;
    wl_write_used(to, wl_used_bytes(game->state_layout, to), from, wl_used_bytes(game->state_layout, from));
    return WL_OK;
}

int64_t wl_clock(const wl_game *game, const void *setup, const void *state, int32_t seat)
{
    const int32_t error = check_bytes(game, setup, state);
    if (error != WL_OK)
        return error;
    if (seat < 0 || seat >= game->seats_in(setup))
        return WL_E_ARGUMENT;
    return game->clock(setup, state, seat);
}

int64_t wl_disclosure(const wl_game *game, const void *setup, const void *state)
{
    const int32_t error = check_bytes(game, setup, state);
    return error != WL_OK ? error : (int64_t)game->disclosure(setup, state);
}

int32_t wl_check(const wl_game *game, const void *setup, const void *state, const wl_post *post)
{
    int32_t error = check_bytes(game, setup, state);
    if (error == WL_OK)
        error = check_post(game, post);
    return error != WL_OK ? error : game->check(setup, state, post);
}

int64_t wl_explain(const wl_game *game, const void *setup, const void *state, const wl_post *post, void *view, wl_word *out)
{
    int32_t error = check_bytes(game, setup, state);
    const void *seen;

    if (error == WL_OK)
        error = check_post(game, post);
    if (error != WL_OK || out == NULL)
        return error != WL_OK ? error : WL_E_ARGUMENT;
    if (game->explain == NULL || post->actor == WL_SERVER || post->actor >= game->seats_in(setup))
        return 0;
    error = wl_observe(game, setup, state, post->actor, view);
    if (error != WL_OK)
        return error;
    seen = (const uint8_t *)view + game->view_state_offset;
    error = wl_check(game, setup, seen, post);
    if (error == WL_OK || error == WL_E_STATE || error == WL_E_ARGUMENT)
        return error;
    return (int64_t)game->explain(setup, seen, post, error, out);
}

int64_t wl_legal(const wl_game *game, const void *setup, const void *state, int32_t seat, wl_action *out, size_t cap)
{
    const int32_t error = check_bytes(game, setup, state);
    if (error != WL_OK)
        return error;
    if (seat < 0 || seat > WL_SPECTATOR || (out == NULL && cap > 0))
        return WL_E_ARGUMENT;
    if (seat >= game->seats_in(setup))
        return 0;
    return (int64_t)game->legal(setup, state, seat, out, cap);
}

/* All that wl_apply and wl_after ask before anything is changed: first of the bytes, then of the rules: `game->check` is
 * hex_check of games/hex.c, say (WL_PARTS in game.h). */
static int32_t check_step(const wl_game *game, const void *setup, const void *state, const wl_post *post,
                          const wl_draws *draws, const wl_event *event)
{
    int32_t error = check_bytes(game, setup, state);

    if (error == WL_OK)
        error = check_post(game, post);
    if (error == WL_OK)
        error = check_draws(draws);
    if (error != WL_OK || event == NULL)
        return error != WL_OK ? error : WL_E_ARGUMENT;
    return game->check(setup, state, post);
}

/* An action that has passed; the caller keeps a copy to go back to. */
static int32_t resolve(const wl_game *game, const void *setup, void *state, const wl_post *post, wl_draws *draws,
                       wl_event *event)
{
    int32_t error;

    begin_event(event);
    error = game->apply(setup, state, post, draws, event);
    return error != WL_OK ? error : verdict(draws, event);
}

int32_t wl_apply(const wl_game *game, const void *setup, void *state, const wl_post *post, wl_draws *draws,
                 wl_event *event)
{
    _Alignas(8) uint8_t before[WL_STATE_MAX];
    int32_t error = check_step(game, setup, state, post, draws, event);
    size_t used;

    if (error != WL_OK)
        return error;
    used = wl_used_bytes(game->state_layout, state);
    memcpy(before, state, used);
    error = resolve(game, setup, state, post, draws, event);
    if (error != WL_OK)
        wl_write_used(state, game->state_size, before, used);
    return error;
}

int32_t wl_after(const wl_game *game, const void *setup, const void *before, void *after, const wl_post *post, wl_draws *draws,
                 wl_event *event, wl_outcome *outcome)
{
    int32_t error = check_step(game, setup, before, post, draws, event);
    uint64_t hash;

    if (error != WL_OK)
        return error;
    if (outcome == NULL || !aligned(after) || after == before)
        return WL_E_ARGUMENT;
    wl_copy(game, after, before);
    error = resolve(game, setup, after, post, draws, event);
    if (error != WL_OK) {
        wl_write_used(after, game->state_size, before, wl_used_bytes(game->state_layout, before));
        return error;
    }
    hash = wl_hash(game, after);
    *outcome = (wl_outcome){
        .turn = turn_of(game, setup, after),
        .n_words = (uint32_t)event->n_words,
        .n_used = (uint32_t)draws->n_used,
        .hides = event->hides,
    };
    for (size_t i = 0; i < sizeof outcome->hash; i++)
        outcome->hash[i] = (uint8_t)(hash >> (56 - 8 * i));
    return WL_OK;
}

int32_t wl_observe(const wl_game *game, const void *setup, const void *state, int32_t viewer, void *view)
{
    const int32_t error = check_bytes(game, setup, state);

    if (error != WL_OK)
        return error;
    if (!aligned(view))
        return WL_E_ARGUMENT;
    if (viewer != WL_SPECTATOR && (viewer < 0 || viewer >= game->seats_in(setup)))
        return WL_E_ARGUMENT;
    memset(view, 0, game->view_size);
    return game->observe(setup, state, viewer, view);
}
