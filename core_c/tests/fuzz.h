/* fuzz.h: what every game must survive. A game's fuzz_<game>.c says how its matches start and calls `fuzz`. */
#ifndef WARLOG_FUZZ_H
#define WARLOG_FUZZ_H

#include "warlog.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACTIONS_CAP = 1 << 16, WORDS_CAP = 1 << 16, DRAWS_CAP = 1 << 12, HOSTILE_WORDS = 256, TYPES_MAX = 128 };

/* A book may list an action in one of the forms in which it takes it: this makes that form of the others. */
#ifndef AS_LISTED
#define AS_LISTED(action) ((void)(action))
#endif

typedef struct fuzzer {
    const wl_game *game;
    uint64_t random;
    uint64_t *setup, *state, *other, *view; /* 64-bit for alignment */
    uint64_t *later;                        /* a second view */
    uint64_t *after;                        /* a state, of this match or of one before, or zero */
    wl_action *actions, *seen;
    wl_word *words;
    int32_t draws[DRAWS_CAP];
} fuzzer;

/* Whatever a seed makes of the start: options in `words`, returns their number; a Position or none. */
typedef size_t (*start_maker)(fuzzer *f, wl_word *words, size_t cap);

static uint64_t next_random(fuzzer *f)
{
    uint64_t z = f->random += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static int32_t below(fuzzer *f, int64_t n) { return (int32_t)(next_random(f) % (uint64_t)n); }

#define REQUIRE(condition)                                                                                            \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                           \
            exit(1);                                                                                                  \
        }                                                                                                             \
    } while (0)

/* An integer that likes the edges. */
static int32_t hostile(fuzzer *f)
{
    static const int32_t EDGES[] = {0, 1, -1, 2, INT32_MIN, INT32_MIN + 1, INT32_MIN + 2, INT32_MIN + 3, INT32_MAX, 255, 65535};
    switch (below(f, 4)) {
    case 0: return EDGES[below(f, sizeof EDGES / sizeof EDGES[0])];
    case 1: return below(f, 700);
    case 2: return below(f, 40);
    default: return (int32_t)next_random(f);
    }
}

static wl_word hostile_word(fuzzer *f)
{
    static const wl_word EDGES[] = {INT64_MIN, INT64_MIN + 1, INT64_MIN + 2, INT64_MAX, 0, 1, -1};
    return below(f, 4) == 0 ? EDGES[below(f, sizeof EDGES / sizeof EDGES[0])] : hostile(f);
}

static const wl_word ABSENT = WL_WORD_ABSENT;

/* One time in `one_in` a few of the words, `most` of them at the most, become nonsense. */
static void spoil(fuzzer *f, wl_word *words, size_t n, int one_in, int most)
{
    if (below(f, one_in) == 0)
        for (int i = most > 1 ? below(f, most) : 0; i >= 0; i--)
            words[below(f, (int64_t)n)] = hostile_word(f);
}

static void entropy(fuzzer *f, uint8_t *block, size_t size)
{
    for (size_t i = 0; i < size; i++)
        block[i] = (uint8_t)next_random(f);
}

static int is_open(const wl_action *action)
{
    int open = 0;
    for (int i = 0; i < WL_ACTION_FIELDS; i++)
        open |= action->field[i] == WL_OPEN;
    return open;
}

static int listed(const fuzzer *f, const wl_action *action, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (memcmp(&f->actions[i], action, sizeof *action) == 0)
            return 1;
    return 0;
}

static int hides(const wl_word *words, size_t n)
{
    int found = 0;
    for (size_t i = 0; i < n; i += (size_t)words[i])
        found |= words[i + 1] != WL_REC_EFFECT || words[i + 2] != WL_ALL_VIEWERS;
    return found;
}

/* wl_after from a sound state, time after time, is what copying, wl_apply, wl_turn_of and wl_hash are. */
static void compare_after(fuzzer *f, const wl_post *post, const uint8_t *block, size_t size)
{
    static uint8_t held[WL_STATE_MAX];
    static wl_word words[WORDS_CAP];
    static int32_t used[DRAWS_CAP];
    const wl_game *g = f->game;

    for (int times = 0; times < 2; times++) {
        wl_draws draws = {.entropy = block, .n_entropy = size, .used = used, .cap = DRAWS_CAP};
        wl_draws plain_draws = {.entropy = block, .n_entropy = size, .used = f->draws, .cap = DRAWS_CAP};
        wl_event event = {.words = words, .cap = WORDS_CAP};
        wl_event plain = {.words = f->words, .cap = WORDS_CAP};
        wl_outcome outcome;
        wl_turn turn;
        int32_t error;

        memcpy(f->other, f->state, g->state_size);
        memcpy(held, f->after, g->state_size);
        error = wl_after(g, f->setup, f->state, f->after, post, &draws, &event, &outcome);
        REQUIRE(memcmp(f->other, f->state, g->state_size) == 0);
        REQUIRE(wl_apply(g, f->setup, f->other, post, &plain_draws, &plain) == error);
        if (error != WL_OK) {
            const int untouched = memcmp(f->after, held, g->state_size) == 0;
            REQUIRE(untouched || memcmp(f->after, f->state, g->state_size) == 0);
            REQUIRE(untouched || error == WL_E_ENTROPY);
            continue;
        }
        REQUIRE(memcmp(f->after, f->other, g->state_size) == 0);
        for (int i = 0; i < 8; i++)
            REQUIRE(outcome.hash[i] == (uint8_t)(wl_hash(g, f->other) >> (56 - 8 * i)));
        REQUIRE(wl_turn_of(g, f->setup, f->other, &turn) == WL_OK);
        REQUIRE(outcome.turn.disclosure == turn.disclosure && outcome.turn.to_act == turn.to_act);
        REQUIRE(outcome.turn.phase == turn.phase);
        REQUIRE(memcmp(&outcome.turn.result, &turn.result, sizeof turn.result) == 0);
        REQUIRE(outcome.n_words == plain.n_words && outcome.n_used == plain_draws.n_used);
        REQUIRE(memcmp(words, f->words, outcome.n_words * sizeof words[0]) == 0);
        REQUIRE(memcmp(used, f->draws, outcome.n_used * sizeof used[0]) == 0);
        REQUIRE(outcome.hides == hides(words, outcome.n_words) && plain.hides == outcome.hides);
    }
}

static uint64_t belief[WL_BELIEF_MIN / sizeof(uint64_t)];

/* A few iterations for this seat, as it is said of wl_search: 0 or more, or an error. */
static int64_t search(fuzzer *f, const void *setup, const void *seen, int32_t seat)
{
    static uint64_t arena[WL_ARENA_MIN / sizeof(uint64_t)];
    const wl_search_settings settings = {.seed = next_random(f),
                                         .iterations = below(f, 12),
                                         .candidates = below(f, 6),
                                         .root_candidates = below(f, 40),
                                         .glances = below(f, 4),
                                         .widening = below(f, 300),
                                         .idle = below(f, 5000)};
    wl_search_settings stopped = settings;
    const uint8_t stop = 1;
    wl_choice choices[4];

    stopped.stop = &stop;
    stopped.iterations++;
    REQUIRE(wl_search(f->game, setup, seen, seat, &stopped, arena, sizeof arena, NULL, 0) <= 0);
    return wl_search(f->game, setup, seen, seat, &settings, arena, sizeof arena, choices, sizeof choices / sizeof choices[0]);
}

enum { FLOATS_MAX = 1 << 17 };
static float planes[FLOATS_MAX];

static void call_numbering(fuzzer *f, const void *setup, const void *state, int32_t who, const wl_action *action)
{
    wl_action decoded;
    wl_index index;

    if (wl_index_of(f->game, setup, &index) != WL_OK)
        return;
    REQUIRE(index.n_planes * index.rows * index.columns <= FLOATS_MAX);
    wl_encode(f->game, setup, state, who, action);
    wl_decode(f->game, setup, state, who, hostile(f), &decoded);
    wl_decode(f->game, setup, state, who, below(f, index.n_actions), &decoded);
    wl_planes(f->game, setup, state, who, f->view, planes);
}

/* Every number of a legal action is that of an action that is legal and has it; any other is refused. Planes lie from 0 to 1. */
static void examine_numbers(fuzzer *f, int32_t seat)
{
    static int32_t numbers[ACTIONS_CAP];
    const wl_game *g = f->game;
    wl_action action;
    wl_index index;
    int64_t n;
    int32_t other;

    if (wl_index_of(g, f->setup, &index) != WL_OK)
        return;
    n = wl_numbers(g, f->setup, f->state, seat, 0, f->actions, numbers, ACTIONS_CAP);
    REQUIRE(n >= 0);
    other = below(f, index.n_actions);
    for (int64_t i = 0; i < n; i++) {
        if (numbers[i] == other)
            other = -1;
        if (i % 8 != 0)
            continue;
        REQUIRE(numbers[i] >= 0 && numbers[i] < index.n_actions);
        REQUIRE(wl_decode(g, f->setup, f->state, seat, numbers[i], &action) == WL_OK);
        REQUIRE(wl_encode(g, f->setup, f->state, seat, &action) == numbers[i]);
    }
    REQUIRE(wl_decode(g, f->setup, f->state, seat, other, &action) == WL_E_NUMBER);
    REQUIRE(wl_planes(g, f->setup, f->state, seat, f->view, planes) == WL_OK);
    for (int32_t i = 0; i < index.n_planes * index.rows * index.columns; i++)
        REQUIRE(planes[i] >= 0 && planes[i] <= 1);
}

/* Every entry point on these bytes, whatever they are: answers, but never a crash. */
static void call_everything(fuzzer *f, const void *setup, void *state)
{
    const wl_game *g = f->game;
    uint8_t block[64];
    int32_t items[256];
    wl_result result;
    size_t failed;

    entropy(f, block, sizeof block);
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
        items[i] = hostile(f);
    wl_seats(g, setup);
    wl_phase(g, setup, state);
    wl_to_act(g, setup, state);
    wl_disclosure(g, setup, state);
    wl_result_of(g, setup, state, &result);
    wl_hash(g, state);
    for (int32_t who = -1; who <= WL_SERVER + 1; who++) {
        wl_action a;
        wl_draws draws = {.entropy = block, .n_entropy = sizeof block, .used = f->draws, .cap = DRAWS_CAP};
        wl_event event = {.words = f->words, .cap = WORDS_CAP};
        wl_post post = {.actor = who, .n_items = below(f, g->items_max + 2), .items = items};
        wl_step step = {.actor = who};
        const uint8_t types[TYPES_MAX] = {1, 0, 1};
        wl_excerpt excerpt = {.types = types, .words = f->words, .cap = (size_t)below(f, 2) * WORDS_CAP};
        wl_outcome outcome;
        wl_clock(g, setup, state, who);
        wl_observe(g, setup, state, who, f->view);
        wl_legal(g, setup, state, who, f->actions, (size_t)below(f, 200));
        a.type = below(f, 20) - 1;
        for (int i = 0; i < WL_ACTION_FIELDS; i++)
            a.field[i] = hostile(f);
        post.action = step.action = a;
        wl_check(g, setup, state, &post);
        wl_explain(g, setup, state, &post, f->view, f->words);
        wl_traces(g, setup, state, who, f->view, &a, 1, f->draws, DRAWS_CAP);
        wl_trace_event(g, setup, state, f->state, who, &post, f->view, f->later, f->draws, DRAWS_CAP);
        wl_after(g, setup, state, f->other, &post, &draws, &event, &outcome);
        draws = (wl_draws){.entropy = block, .n_entropy = sizeof block, .used = f->draws, .cap = DRAWS_CAP};
        wl_sample(g, setup, state, who, next_random(f), f->other);
        wl_evaluate(g, setup, state, items);
        search(f, setup, state, who);
        if (wl_belief_begin(g, who, 1, belief, sizeof belief) == WL_OK)
            for (int times = 0; times < 2; times++)
                wl_belief_see(g, setup, state, belief, sizeof belief);
        call_numbering(f, setup, state, who, &post.action);
        wl_replay(g, setup, state, &step, 1, NULL, 0, NULL, 0, &failed, NULL, 0, 0, who % 2 ? &excerpt : NULL);
        wl_apply(g, setup, state, &post, &draws, &event);
    }
    wl_playout(g, setup, state, next_random(f), 3, 0, f->actions, ACTIONS_CAP);
}

/* Every listed action is in exactly one slot, and nothing else is in any. */
static void examine_slots(fuzzer *f, int32_t seat, int64_t n)
{
    const wl_game *g = f->game;
    wl_slots room;
    const size_t n_slots = g->slots(f->setup, f->state, seat, &room);
    int64_t n_open = 0;
    int64_t n_filled = 0;

    for (int64_t i = 0; i < n; i++)
        n_open += is_open(&f->actions[i]);
    for (size_t i = 0; i < n_slots; i++) {
        if (!g->slot(&room, i, &f->seen[n_filled]))
            continue;
        REQUIRE(listed(f, &f->seen[n_filled], n));
        for (int64_t k = 0; k < n_filled; k++)
            REQUIRE(memcmp(&f->seen[k], &f->seen[n_filled], sizeof f->seen[0]) != 0);
        n_filled++;
    }
    REQUIRE(n_filled == n - n_open);
}

/* `other` is what a viewer knows, `view` its whole view: a sample looks the same to it, and can be played on. */
static void examine_opponent(fuzzer *f, int32_t viewer)
{
    const wl_game *g = f->game;
    int32_t value[WL_SEATS_MAX];

    if (g->sample == NULL)
        return;
    REQUIRE(wl_sample(g, f->setup, f->other, viewer, next_random(f), f->after) == WL_OK);
    REQUIRE(wl_check_state(g, f->setup, f->after) == WL_OK);
    REQUIRE(wl_observe(g, f->setup, f->after, viewer, f->later) == WL_OK);
    REQUIRE(memcmp(f->view, f->later, g->view_size) == 0);
    REQUIRE(wl_evaluate(g, f->setup, f->after, value) == wl_seats(g, f->setup));
    for (int32_t i = 0; i < wl_seats(g, f->setup); i++)
        REQUIRE(value[i] >= WL_LOST && value[i] <= WL_WON);
    if (viewer != WL_SPECTATOR)
        REQUIRE(search(f, f->setup, f->other, viewer) >= 0);
    REQUIRE(wl_playout(g, f->setup, f->after, next_random(f), 2, 0, f->seen, ACTIONS_CAP) >= 0);
}

/* The next version for `viewer`, whose belief this is: each of its worlds, of which some are looked at, looks the same to him. */
static void examine_belief(fuzzer *f, int32_t viewer)
{
    static uint64_t arena[WL_ARENA_MIN / sizeof(uint64_t)];
    const wl_search_settings settings = {.seed = 1, .belief = belief, .n_belief = sizeof belief, .iterations = 3};
    const wl_game *g = f->game;
    int64_t n;

    REQUIRE(wl_observe(g, f->setup, f->state, viewer, f->view) == WL_OK);
    memcpy(f->other, (uint8_t *)f->view + g->view_state_offset, g->state_size);
    n = wl_belief_see(g, f->setup, f->other, belief, sizeof belief);
    REQUIRE(n >= 0 && wl_belief_world(g, belief, sizeof belief, 0, NULL) == n);
    REQUIRE(wl_belief_world(g, belief, sizeof belief, n, f->after) == WL_E_ARGUMENT);
    for (int tries = 0; n > 0 && tries < 3; tries++) {
        REQUIRE(wl_belief_world(g, belief, sizeof belief, below(f, n), f->after) == n);
        REQUIRE(wl_check_state(g, f->setup, f->after) == WL_OK);
        REQUIRE(wl_observe(g, f->setup, f->after, viewer, f->later) == WL_OK);
        REQUIRE(memcmp(f->view, f->later, g->view_size) == 0);
    }
    REQUIRE(wl_search(g, f->setup, f->other, viewer, &settings, arena, sizeof arena, NULL, 0) >= 0);
}

/* What holds of every sound state: views agree with the whole, hostile posts change nothing unless they are listed. */
static void examine(fuzzer *f)
{
    const wl_game *g = f->game;
    const int32_t seats = wl_seats(g, f->setup);
    int32_t items[64];

    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
        items[i] = hostile(f);
    REQUIRE(wl_check_state(g, f->setup, f->state) == WL_OK);
    for (int32_t seat = 0; seat < seats; seat++)
        examine_numbers(f, seat);
    REQUIRE(wl_observe(g, f->setup, f->state, WL_SPECTATOR, f->view) == WL_OK);
    memcpy(f->other, (uint8_t *)f->view + g->view_state_offset, g->state_size);
    examine_opponent(f, WL_SPECTATOR);
    for (int32_t seat = 0; seat < seats; seat++) {
        const int64_t n = wl_legal(g, f->setup, f->state, seat, f->actions, ACTIONS_CAP);
        REQUIRE(n >= 0 && n < ACTIONS_CAP);
        REQUIRE(wl_observe(g, f->setup, f->state, seat, f->view) == WL_OK);
        memcpy(f->other, (uint8_t *)f->view + g->view_state_offset, g->state_size);
        REQUIRE(wl_legal(g, f->setup, f->other, seat, f->seen, ACTIONS_CAP) == n);
        REQUIRE(memcmp(f->actions, f->seen, (size_t)n * sizeof f->actions[0]) == 0);
        REQUIRE(wl_traces(g, f->setup, f->state, seat, f->view, f->actions, (size_t)n, NULL, 0) >= 6 * n);
        examine_opponent(f, seat);
        wl_playout(g, f->setup, f->other, next_random(f), 4, 0, f->seen, ACTIONS_CAP); /* goes, or is refused */
        for (int64_t i = 0; i < n; i++) {
            const wl_post post = {.actor = seat, .action = f->actions[i]};
            REQUIRE((wl_check(g, f->setup, f->state, &post) == WL_OK) != is_open(&f->actions[i]));
        }
        if (g->slots != NULL && n > 0)
            examine_slots(f, seat, n);
        for (int tries = 0; tries < 40; tries++) {
            const int32_t n_items = below(f, 2) * below(f, g->items_max < 64 ? g->items_max + 1 : 64);
            wl_post post = {.actor = seat, .n_items = n_items, .items = items};
            int32_t refused;
            if (n > 0 && below(f, 2)) /* near misses are better than noise */
                post.action = f->actions[below(f, n)];
            else
                post.action.type = below(f, 20) - 1;
            post.action.field[below(f, 4)] = hostile(f);
            refused = wl_check(g, f->setup, f->state, &post);
            REQUIRE(wl_trace_event(g, f->setup, f->state, f->state, below(f, seats), &post, f->view, f->later, NULL, 0) > 0);
            compare_after(f, &post, (const uint8_t *)items, sizeof items);
            if (refused == WL_OK)
                AS_LISTED(&post.action);
            if (refused == WL_OK && post.n_items == 0)
                for (int k = 0; k < WL_ACTION_FIELDS; k++) /* fields that the type does not have are not looked at */
                    if (!listed(f, &post.action, n))
                        post.action.field[WL_ACTION_FIELDS - 1 - k] = 0;
            if (refused == WL_OK && post.n_items == 0)
                REQUIRE(listed(f, &post.action, n));
            if (refused != WL_OK) {
                const int64_t n_words = wl_explain(g, f->setup, f->state, &post, f->view, f->words);
                wl_draws draws = {.entropy = (const uint8_t *)items, .n_entropy = sizeof items};
                wl_event event = {.words = f->words, .cap = WORDS_CAP};
                REQUIRE(n_words >= 0 && n_words <= WL_EXPLAIN_MAX);
                memcpy(f->other, f->state, g->state_size);
                REQUIRE(wl_apply(g, f->setup, f->state, &post, &draws, &event) == refused);
                REQUIRE(memcmp(f->other, f->state, g->state_size) == 0);
            }
        }
    }
}

/* The step that led from `other` to `state`, replayed: wl_replay gives its whole effects, those alone that are wanted. */
static void compare_excerpt(fuzzer *f, const wl_post *post, const wl_draws *draws, const wl_event *event)
{
    static wl_word room[WORDS_CAP];
    uint8_t types[TYPES_MAX];
    wl_step step = {post->actor, post->n_items, (int32_t)draws->n_used, 0, post->action, 0};
    int32_t values[WL_SEATS_MAX], worth[WL_SEATS_MAX];
    wl_excerpt excerpt = {.types = types, .words = room, .cap = f->game->event_words_max, .values = values, .first = 1, .every = 1, .values_cap = 1};
    size_t failed;
    size_t at = 0;

    for (size_t i = 0; i < sizeof types; i++)
        types[i] = (uint8_t)below(f, 9);
    REQUIRE(wl_replay(f->game, f->setup, f->other, &step, 1, post->items, (size_t)post->n_items, draws->used, draws->n_used, &failed,
                      NULL, 0, 0, &excerpt) == WL_OK);
    if (wl_evaluate(f->game, f->setup, f->state, worth) > 0)
        REQUIRE(excerpt.n_values == 1 && memcmp(worth, values, (size_t)wl_seats(f->game, f->setup) * sizeof *worth) == 0);
    else
        REQUIRE(excerpt.n_values == 0);
    for (size_t next, i = 0; i < event->n_words; i = next) {
        const wl_word *record = event->words + i;
        const size_t n = (size_t)record[0] - WL_REC_HEAD;

        next = i + (size_t)record[0];
        if (record[1] != WL_REC_EFFECT || !types[record[4]] || n + 1 < types[record[4]])
            continue;
        REQUIRE(room[at] == (wl_word)(WL_EXCERPT_HEAD + n) && room[at + 1] == 0 && room[at + 2] == record[4]);
        REQUIRE(memcmp(room + at + WL_EXCERPT_HEAD, record + WL_REC_HEAD, n * sizeof *room) == 0);
        at += WL_EXCERPT_HEAD + n;
    }
    REQUIRE(at == excerpt.n_words);
}

/* Random play to the end of the match, each step replayed from its draws into the same bytes. */
static void play_through(fuzzer *f, int64_t max)
{
    const wl_game *g = f->game;
    const int believes = g->sample != NULL && below(f, 4) == 0;
    const int32_t viewer = below(f, wl_seats(g, f->setup));

    if (believes)
        REQUIRE(wl_belief_begin(g, viewer, next_random(f), belief, sizeof belief) == WL_OK);
    for (int64_t ply = 0; ply < max; ply++) {
        const uint32_t seats = (uint32_t)wl_to_act(g, f->setup, f->state);
        uint8_t block[1 << 13];
        wl_post post = {0};
        int64_t n;

        if (ply < 8 || below(f, 8) == 0)
            examine(f);
        if (believes)
            examine_belief(f, viewer);
        if (seats == 0)
            break;
        do
            post.actor = below(f, WL_SEATS_MAX);
        while ((seats >> post.actor & 1) == 0);
        n = wl_legal(g, f->setup, f->state, post.actor, f->actions, ACTIONS_CAP);
        REQUIRE(n > 0);
        do
            post.action = f->actions[below(f, 8) ? below(f, n) : n - 1]; /* the last is what ends a long phase */
        while (post.action.field[0] == WL_OPEN || ((g->actions[post.action.type].flags & WL_GIVES_UP) && below(f, 40)));
        for (size_t size = 16;; size *= 8) {
            wl_draws draws = {.entropy = block, .n_entropy = size, .used = f->draws, .cap = DRAWS_CAP};
            wl_draws again = {.recorded = f->draws};
            wl_event event = {.words = f->words, .cap = WORDS_CAP};
            wl_event unwanted = {0};
            int32_t error;
            REQUIRE(size <= sizeof block);
            entropy(f, block, size);
            compare_after(f, &post, block, size);
            memcpy(f->other, f->state, g->state_size);
            error = wl_apply(g, f->setup, f->state, &post, &draws, &event);
            if (error == WL_E_ENTROPY) {
                REQUIRE(memcmp(f->other, f->state, g->state_size) == 0);
                continue;
            }
            REQUIRE(error == WL_OK);
            REQUIRE(event.n_words <= g->event_words_max && draws.n_used <= g->draws_max);
            again.n_recorded = draws.n_used;
            if (below(f, 2))
                compare_excerpt(f, &post, &draws, &event);
            else
                REQUIRE(wl_apply(g, f->setup, f->other, &post, &again, &unwanted) == WL_OK);
            REQUIRE(memcmp(f->other, f->state, g->state_size) == 0);
            break;
        }
    }
}

/* ---- vectors --------------------------------------------------------------------------------------------------------- */

enum { VECTOR = 4, VECTOR_STEPS = 24 };

/* A vector of n matches, the arrays exactly as long as they must be. */
typedef struct fleet {
    uint64_t *memory;
    size_t n_memory, n_floats, n_masks;
    int32_t n;
    wl_columns out;
    const int32_t *actions; /* of this step */
    int32_t answer, failed;
} fleet;

static int32_t assemble(fuzzer *f, fleet *v, int32_t n, int32_t first, const wl_word *options, size_t n_options, const wl_index *index)
{
    const wl_vector_settings settings = {.seed = 7, .steps_max = 9, .first = first};
    const size_t seats = (size_t)f->game->seats_in(f->setup);

    v->n = n;
    v->n_memory = wl_vector_size(f->game, n, n_options);
    v->n_floats = (size_t)n * (size_t)(index->n_planes * index->rows * index->columns);
    v->n_masks = (size_t)n * (size_t)index->n_actions;
    v->memory = malloc(v->n_memory);
    v->out.observations = malloc(v->n_floats * sizeof(float));
    v->out.masks = malloc(v->n_masks);
    v->out.rewards = calloc((size_t)n * seats, sizeof(float));
    v->out.ends = calloc((size_t)n, 1);
    v->out.seats = calloc((size_t)n, sizeof(int32_t));
    REQUIRE(v->memory && v->out.observations && v->out.masks && v->out.rewards && v->out.ends && v->out.seats);
    return wl_vector_begin(f->game, v->memory, v->n_memory, n, options, n_options, &settings, &v->out);
}

static void dissolve(fleet *v)
{
    free(v->memory), free(v->out.observations), free(v->out.masks), free(v->out.rewards), free(v->out.ends), free(v->out.seats);
}

static void *look(void *fleet_)
{
    fleet *v = fleet_;
    v->answer = wl_vector_check(v->memory, v->n_memory, v->actions, &v->failed);
    return NULL;
}

static void *take(void *fleet_)
{
    fleet *v = fleet_;
    v->answer = wl_vector_step(v->memory, v->n_memory, NULL, &v->out, &v->failed);
    return NULL;
}

static void both(fleet *halves, void *(*work)(void *))
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        REQUIRE(pthread_create(&threads[i], NULL, work, &halves[i]) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

/* A number of a match: mostly one that its mask shows. */
static int32_t some_number(fuzzer *f, const uint8_t *mask, int32_t n_actions, int spoiled)
{
    int32_t at = below(f, n_actions);

    if (spoiled)
        return below(f, 2) ? hostile(f) : at - below(f, 2) * below(f, 2) * n_actions;
    REQUIRE(memchr(mask, 1, (size_t)n_actions) != NULL); /* and so has any seat later */
    while (!mask[at])
        at = (at + 1) % n_actions;
    return at;
}

static void require_same(const fleet *whole, const fleet *half, int32_t first, const wl_index *index, size_t seats)
{
    const size_t from = (size_t)first, n = (size_t)half->n, masks = (size_t)index->n_actions, floats = half->n_floats / n;

    REQUIRE(memcmp(half->out.masks, whole->out.masks + from * masks, n * masks) == 0);
    REQUIRE(memcmp(half->out.observations, whole->out.observations + from * floats, n * floats * sizeof(float)) == 0);
    REQUIRE(memcmp(half->out.rewards, whole->out.rewards + from * seats, n * seats * sizeof(float)) == 0);
    REQUIRE(memcmp(half->out.ends, whole->out.ends + from, n) == 0);
    REQUIRE(memcmp(half->out.seats, whole->out.seats + from, n * sizeof(int32_t)) == 0);
}

/* The same matches as one vector and as two in threads, with numbers that are hostile now and then. A number is taken if the mask
 * shows it; where one of a step is refused, no match is stepped. */
static void examine_vectors(fuzzer *f, const wl_word *options, size_t n_options)
{
    fleet whole = {0}, halves[2] = {{0}, {0}};
    int32_t actions[VECTOR], failed;
    wl_index index;

    if (wl_index_of(f->game, f->setup, &index) != WL_OK)
        return;
    const size_t seats = (size_t)f->game->seats_in(f->setup);
    const int32_t begun = assemble(f, &whole, VECTOR, 0, options, n_options, &index);
    REQUIRE(begun != WL_E_STUCK); /* whatever the options, a seat that begins has a choice with a number */
    for (int32_t i = 0; i < 2; i++)
        REQUIRE(assemble(f, &halves[i], VECTOR / 2, i * VECTOR / 2, options, n_options, &index) == begun);
    for (int step = 0; begun == WL_OK && step < VECTOR_STEPS; step++) {
        const int spoiled = below(f, 3) == 0;
        int32_t wrong = -1;
        for (int32_t i = VECTOR - 1; i >= 0; i--) {
            const uint8_t *mask = whole.out.masks + (size_t)i * (size_t)index.n_actions;
            actions[i] = some_number(f, mask, index.n_actions, spoiled && below(f, 2));
            if (actions[i] < 0 || actions[i] >= index.n_actions || !mask[actions[i]])
                wrong = i;
        }
        for (int32_t i = 0; i < 2; i++) {
            halves[i].actions = actions + i * VECTOR / 2;
            REQUIRE(wl_vector_step(halves[i].memory, halves[i].n_memory, NULL, &halves[i].out, &failed) == WL_E_ARGUMENT);
        }
        both(halves, look);
        for (int32_t i = 0; i < 2; i++) {
            const int32_t first = i * VECTOR / 2;
            int legal = 1;
            for (int32_t m = first; m < first + VECTOR / 2; m++)
                legal &= actions[m] >= 0 && actions[m] < index.n_actions &&
                         whole.out.masks[(size_t)m * (size_t)index.n_actions + (size_t)actions[m]];
            REQUIRE(halves[i].answer == (legal ? WL_OK : WL_E_NUMBER));
        }
        if (wrong < 0)
            both(halves, take);
        REQUIRE(wl_vector_step(whole.memory, whole.n_memory, actions, &whole.out, &failed) == (wrong < 0 ? WL_OK : WL_E_NUMBER));
        REQUIRE(wrong < 0 || failed == wrong);
        for (int32_t i = 0; i < 2; i++) {
            if (wrong >= 0) /* what has been looked at is not taken later */
                wl_vector_check(halves[i].memory, halves[i].n_memory, (const int32_t[]){-1, -1}, &failed);
            REQUIRE(wrong >= 0 || halves[i].answer == WL_OK);
            require_same(&whole, &halves[i], i * VECTOR / 2, &index, seats);
        }
    }
    dissolve(&whole), dissolve(&halves[0]), dissolve(&halves[1]);
}

static void corrupt(fuzzer *f, uint8_t *bytes, size_t size)
{
    for (int n = below(f, 6); n >= 0; n--)
        bytes[below(f, (int64_t)size)] = (uint8_t)(below(f, 2) ? next_random(f) : (uint64_t)below(f, 4));
}

static int fuzz(const char *name, start_maker make, start_maker make_position, int argc, char **argv)
{
    fuzzer f = {.random = argc > 1 ? strtoull(argv[1], NULL, 10) : 1};
    const int64_t rounds = argc > 2 ? strtoll(argv[2], NULL, 10) : 200;
    const int only_vectors = argc > 3; /* for the thread sanitizer: nothing else has threads */
    int64_t started = 0;

    for (int32_t i = 0; f.game == NULL && wl_game_at(i) != NULL; i++)
        if (strcmp(wl_game_at(i)->name, name) == 0)
            f.game = wl_game_at(i);
    REQUIRE(f.game != NULL);
    f.setup = calloc(1, f.game->setup_size);
    f.state = calloc(1, f.game->state_size);
    f.other = calloc(1, f.game->state_size);
    f.after = calloc(1, f.game->state_size);
    f.view = calloc(1, f.game->view_size);
    f.later = calloc(1, f.game->view_size);
    f.actions = calloc(ACTIONS_CAP, sizeof(wl_action));
    f.seen = calloc(ACTIONS_CAP, sizeof(wl_action));
    f.words = calloc(WORDS_CAP, sizeof(wl_word));
    REQUIRE(f.setup && f.state && f.other && f.after && f.view && f.later && f.actions && f.seen && f.words);
    for (int64_t round = 0; round < rounds; round++) {
        wl_word options[HOSTILE_WORDS];
        wl_word position[HOSTILE_WORDS];
        uint8_t block[4096];
        const size_t n = make(&f, options, HOSTILE_WORDS);
        const int with_position = below(&f, 3) == 0;
        size_t n_position;
        wl_draws draws = {.entropy = block, .n_entropy = sizeof block};
        wl_event event = {.words = f.words, .cap = WORDS_CAP};

        entropy(&f, block, sizeof block);
        for (size_t i = 0; i < HOSTILE_WORDS; i++)
            position[i] = hostile_word(&f);
        position[0] = 0;
        n_position = below(&f, 2) ? make_position(&f, position, HOSTILE_WORDS) : (size_t)below(&f, HOSTILE_WORDS);
        const int64_t n_note = wl_explain_start(f.game, options, n, with_position ? position : NULL,
                                                with_position ? n_position : 0, f.words);
        REQUIRE(n_note >= 0 && n_note <= WL_EXPLAIN_MAX);
        if (wl_init(f.game, f.setup, f.state, options, n, with_position ? position : NULL, with_position ? n_position : 0,
                    &draws, &event) == WL_OK) {
            started++;
            if (!with_position && (only_vectors || below(&f, 4) == 0))
                examine_vectors(&f, options, n);
            if (only_vectors)
                continue;
            play_through(&f, 60);
        }
        if (only_vectors)
            continue;
        corrupt(&f, (uint8_t *)f.state, f.game->state_size);
        call_everything(&f, f.setup, f.state);
        corrupt(&f, (uint8_t *)f.setup, f.game->setup_size);
        call_everything(&f, f.setup, f.state);
        for (size_t i = 0; i < f.game->state_size; i++)
            ((uint8_t *)f.state)[i] = (uint8_t)next_random(&f);
        call_everything(&f, f.setup, f.state);
    }
    REQUIRE(started > rounds / 20);
    printf("%s: %lld rounds, %lld matches begun\n", name, (long long)rounds, (long long)started);
    free(f.setup), free(f.state), free(f.other), free(f.after), free(f.view), free(f.later), free(f.actions), free(f.seen), free(f.words);
    return 0;
}

#endif
