/* vector.c: many matches that are stepped together, into arrays of the caller (warlog.h, section 10).
 *
 *      .--------------------------------------------------------------------------------.
 *      | head | options | listing | its numbers | view | per match: its own, setup, state |
 *      '--------------------------------------------------------------------------------'
 *
 * Threads take vectors of their own: `busy` is there to find out that one does not. */
#include "playing.h"
#include "vector.h"

#include <stdatomic.h>

enum { LISTING_MAX = 1 << 14, SHOWN_MAX = 1 << 9, MAGIC = 0x574c5645 };

typedef struct head {
    const wl_game *game;
    size_t n_memory, n_options;
    int64_t steps_max;
    size_t options_at, listing_at, numbers_at, view_at, match_at, match_size, setup_at, state_at; /* bytes from the start */
    int32_t magic, n;
    uint32_t flags;
    int32_t n_seats;
    uint32_t playing; /* the seats that can do anything: a game may have more than play in these matches */
    atomic_int busy;
    int32_t checked; /* the matches have actions that wl_vector_check has let through */
    wl_types types;
    wl_index index;
} head;

/* A match; its setup and its state come behind it. */
typedef struct match {
    uint64_t random;
    int64_t steps;
    int32_t seat;
    int32_t number;  /* of the action that is to be taken: a legal one */
    int32_t n_shown; /* how many of the numbers in its mask are remembered */
    int32_t shown[SHOWN_MAX + 1];
} match;
_Static_assert(sizeof(match) % 8 == 0, "setup and state are aligned behind it");

static size_t rounded(size_t size) { return (size + 7) / 8 * 8; }

static void lay_out(head *h, const wl_game *game, int32_t n, size_t n_options)
{
    memset(h, 0, sizeof *h);
    h->game = game;
    h->n = n;
    h->n_options = n_options;
    h->options_at = rounded(sizeof *h);
    h->listing_at = h->options_at + n_options * sizeof(wl_word);
    h->numbers_at = h->listing_at + LISTING_MAX * sizeof(wl_action);
    h->view_at = h->numbers_at + LISTING_MAX * sizeof(int32_t);
    h->match_at = h->view_at + rounded(game->view_size);
    h->setup_at = sizeof(match);
    h->state_at = h->setup_at + rounded(game->setup_size);
    h->match_size = h->state_at + rounded(game->state_size);
    h->n_memory = h->match_at + (size_t)n * h->match_size;
}

size_t wl_vector_size(const wl_game *game, int32_t n, size_t n_options)
{
    head h;

    if (game == NULL || n < 1 || n_options > 1 << 16)
        return 0;
    lay_out(&h, game, n, n_options);
    return h.n_memory;
}

static void *part(head *h, size_t at) { return (uint8_t *)h + at; }
static match *match_at(head *h, int32_t i) { return part(h, h->match_at + (size_t)i * h->match_size); }
static void *setup_of(head *h, match *m) { return (uint8_t *)m + h->setup_at; }
static void *state_of(head *h, match *m) { return (uint8_t *)m + h->state_at; }

/* ---- a match --------------------------------------------------------------------------------------------------------- */

static int32_t start_match(head *h, match *m)
{
    const wl_word *options = part(h, h->options_at);
    uint32_t to_act;
    int32_t error;

    m->steps = 0;
    error = wl_start(h->game, setup_of(h, m), state_of(h, m), options, h->n_options, &m->random);
    if (error != WL_OK)
        return error;
    to_act = h->game->to_act(setup_of(h, m), state_of(h, m));
    m->seat = to_act != 0 ? wl_lowest(to_act) : 0;
    return WL_OK;
}

/* The mask of a match. Its numbers are remembered: they are legal, and most actions are among them. */
static void show_mask(head *h, match *m, uint8_t *mask)
{
    wl_action *listing = part(h, h->listing_at);
    int32_t *numbers = part(h, h->numbers_at);
    size_t n = h->game->legal(setup_of(h, m), state_of(h, m), m->seat, listing, LISTING_MAX);

    n = n < LISTING_MAX ? n : LISTING_MAX;
    n = wl_number_all(h->game, setup_of(h, m), state_of(h, m), &h->index, &h->types, m->seat, h->flags, listing, n, numbers);
    memset(mask, 0, (size_t)h->index.n_actions);
    m->n_shown = (int32_t)(n < SHOWN_MAX ? n : SHOWN_MAX);
    for (int32_t i = 0; i < m->n_shown; i++)
        mask[m->shown[i] = numbers[i]] = 1;
    for (size_t i = SHOWN_MAX; i < n; i++)
        mask[numbers[i]] = 1;
}

/* Observation, mask and seat of a match, each where it is wanted. */
static void show(head *h, match *m, int32_t i, const wl_columns *out)
{
    const wl_index *index = &h->index;
    const size_t n_planes = (size_t)index->n_planes * (size_t)index->rows * (size_t)index->columns;

    if (out->observations != NULL)
        wl_draw_planes(h->game, setup_of(h, m), state_of(h, m), index, m->seat, part(h, h->view_at),
                       out->observations + (size_t)i * n_planes);
    if (out->masks != NULL)
        show_mask(h, m, out->masks + (size_t)i * (size_t)index->n_actions);
    if (out->seats != NULL)
        out->seats[i] = m->seat;
}

static void reward(const head *h, const wl_result *result, float *rewards)
{
    const uint32_t winners = result->over ? result->winners & h->playing : 0;
    const uint32_t losers = winners != 0 ? h->playing & ~winners : 0;

    for (int32_t seat = 0; seat < h->n_seats; seat++)
        rewards[seat] = losers == 0 ? 0 : (float)(winners >> seat & 1) - (float)(losers >> seat & 1);
}

/* Takes the action of a match and begins another where that ends it. */
static int32_t step_match(head *h, match *m, int32_t i, const wl_columns *out)
{
    wl_post post = {.actor = m->seat};
    wl_result result;
    uint8_t end;
    int32_t error;

    wl_decode_legal(h->game, setup_of(h, m), state_of(h, m), &h->index, m->seat, m->number, &post.action);
    m->n_shown = 0;
    error = wl_play(h->game, setup_of(h, m), state_of(h, m), &post, &m->random);
    if (error != WL_OK)
        return error;
    m->steps++;
    result = h->game->result(state_of(h, m));
    end = result.over ? WL_ENDED : h->steps_max > 0 && m->steps >= h->steps_max ? WL_CUT : 0;
    if (out->rewards != NULL)
        reward(h, &result, out->rewards + (size_t)i * (size_t)h->n_seats);
    if (out->ends != NULL)
        out->ends[i] = end;
    if (end)
        error = start_match(h, m);
    else
        m->seat = wl_lowest(h->game->to_act(setup_of(h, m), state_of(h, m)));
    return error;
}

/* ---- all of them ------------------------------------------------------------------------------------------------------ */

/* Notes which seats play. WL_E_STUCK where one that begins has nothing to choose that has a number. */
static int32_t look_at_start(head *h)
{
    match *m = match_at(h, 0);
    wl_action *listing = part(h, h->listing_at);
    const uint32_t seats = h->game->to_act(setup_of(h, m), state_of(h, m));

    for (int32_t seat = 0; seat < h->n_seats; seat++) {
        const size_t n = h->game->legal(setup_of(h, m), state_of(h, m), seat, listing, LISTING_MAX);
        int numbered = (seats >> seat & 1) == 0;
        if (n > 0 || !numbered)
            h->playing |= wl_bit(seat);
        for (size_t i = 0; i < n && i < LISTING_MAX && !numbered; i++)
            numbered = wl_may_choose(h->game, &listing[i], WL_PLAY_ON) &&
                       wl_encode_legal(h->game, setup_of(h, m), state_of(h, m), &h->index, seat, &listing[i]) >= 0;
        if (!numbered)
            return WL_E_STUCK;
    }
    return WL_OK;
}

int32_t wl_vector_begin(const wl_game *game, void *memory, size_t n_memory, int32_t n, const wl_word *options, size_t n_options,
                        const wl_vector_settings *settings, const wl_columns *out)
{
    head *h = memory;
    int32_t error;

    if (game == NULL || game->numbering == NULL || memory == NULL || (uintptr_t)memory % 8 != 0 || out == NULL)
        return WL_E_ARGUMENT;
    if (settings == NULL || settings->steps_max < 0 || settings->first < 0)
        return WL_E_ARGUMENT;
    if (n < 1 || n_options > 1 << 16 || n_memory < wl_vector_size(game, n, n_options))
        return WL_E_SPACE;
    error = wl_check_options(game, options, n_options, NULL, 0);
    if (error != WL_OK)
        return error;
    lay_out(h, game, n, n_options);
    h->steps_max = settings->steps_max;
    h->flags = settings->flags;
    memcpy(part(h, h->options_at), options, n_options * sizeof *options);
    memset(part(h, h->view_at), 0, game->view_size);
    for (int32_t i = 0; i < n; i++) {
        match *m = match_at(h, i);
        memset(m, 0, h->match_size);
        m->random = settings->seed + 0xD1B54A32D192ED03u * ((uint64_t)settings->first + (uint64_t)i + 1);
        error = start_match(h, m);
        if (error != WL_OK)
            return error;
    }
    h->types = wl_types_of(game);
    h->n_seats = game->seats_in(setup_of(h, match_at(h, 0)));
    wl_number_match(game, setup_of(h, match_at(h, 0)), &h->index);
    error = look_at_start(h);
    if (error != WL_OK)
        return error;
    for (int32_t i = 0; i < n; i++)
        show(h, match_at(h, i), i, out);
    h->magic = MAGIC;
    return WL_OK;
}

static int was_shown(const match *m, int32_t number)
{
    for (int32_t i = 0; i < m->n_shown; i++)
        if (m->shown[i] == number)
            return 1;
    return 0;
}

/* Each match gets the number of its action. One that its mask does not show may be legal all the same: the rules say it. */
static int32_t look_at_numbers(head *h, const int32_t *actions, int32_t *failed)
{
    int32_t error = WL_OK;

    for (int32_t i = 0; i < h->n && error == WL_OK; i++) {
        match *m = match_at(h, i);
        *failed = i;
        m->number = actions[i];
        if (!was_shown(m, actions[i]))
            error = wl_check_number(h->game, setup_of(h, m), state_of(h, m), &h->index, m->seat, actions[i]);
    }
    h->checked = error == WL_OK;
    return error;
}

static int32_t take_actions(head *h, const wl_columns *out, int32_t *failed)
{
    int32_t error = WL_OK;

    h->checked = 0;
    for (int32_t i = 0; i < h->n && error == WL_OK; i++) {
        match *m = match_at(h, i);
        *failed = i;
        error = step_match(h, m, i, out);
        if (error == WL_OK)
            show(h, m, i, out);
    }
    return error;
}

/* WL_OK: these bytes are a vector, and nobody else is at work on it until `leave`. */
static int32_t enter(head *h, size_t n_memory)
{
    if (h == NULL || (uintptr_t)h % 8 != 0 || n_memory < sizeof *h || h->magic != MAGIC || n_memory < h->n_memory)
        return WL_E_ARGUMENT;
    return atomic_exchange_explicit(&h->busy, 1, memory_order_acquire) ? WL_E_BUSY : WL_OK;
}

static void leave(head *h) { atomic_store_explicit(&h->busy, 0, memory_order_release); }

int32_t wl_vector_check(void *memory, size_t n_memory, const int32_t *actions, int32_t *failed)
{
    head *h = memory;
    int32_t error;

    if (actions == NULL || failed == NULL)
        return WL_E_ARGUMENT;
    error = enter(h, n_memory);
    if (error != WL_OK)
        return error;
    error = look_at_numbers(h, actions, failed);
    leave(h);
    return error;
}

int32_t wl_vector_step(void *memory, size_t n_memory, const int32_t *actions, const wl_columns *out, int32_t *failed)
{
    head *h = memory;
    int32_t error;

    if (out == NULL || failed == NULL)
        return WL_E_ARGUMENT;
    error = enter(h, n_memory);
    if (error != WL_OK)
        return error;
    if (actions != NULL)
        error = look_at_numbers(h, actions, failed);
    else if (!h->checked)
        error = WL_E_ARGUMENT;
    if (error == WL_OK)
        error = take_actions(h, out, failed);
    leave(h);
    return error;
}
