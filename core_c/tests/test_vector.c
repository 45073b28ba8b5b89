/* What warlog.h promises of vectors: matches that begin again, refusals that change nothing, and threads. `make asan` runs this
 * under the thread sanitizer, too. */
#include "warlog.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                    \
            failures++;                                                                                               \
        }                                                                                                             \
    } while (0)

enum { MATCHES = 8, OPTIONS = 21, ACTIONS_MAX = 1 << 11, PLANES_MAX = 1 << 11, SEATS = 2 };

/* Matches of Hex Tactics on the smallest board, and the arrays of one vector of them. */
typedef struct fleet {
    const wl_game *game;
    size_t n_memory;
    uint64_t *memory;
    int32_t n, n_actions;
    float *observations, rewards[MATCHES * SEATS];
    uint8_t *masks, ends[MATCHES];
    int32_t seats[MATCHES], actions[MATCHES];
    wl_columns out;
    uint64_t random;
    int64_t ended, cut;
} fleet;

static const wl_game *hex(void)
{
    for (int32_t i = 0; wl_game_at(i) != NULL; i++)
        if (strcmp(wl_game_at(i)->name, "hex") == 0)
            return wl_game_at(i);
    abort();
}

static void begin(fleet *f, int32_t n, int32_t first, int64_t steps_max)
{
    const wl_vector_settings settings = {.seed = 5, .steps_max = steps_max, .first = first, .flags = WL_PLAY_ON};
    wl_word options[OPTIONS] = {0};

    memset(f, 0, sizeof *f);
    for (int i = 1; i < 18; i++)
        options[i] = WL_WORD_ABSENT;
    options[3] = 7; /* width */
    options[4] = 5; /* height */
    options[5] = 0; /* obstacles: none */
    options[9] = 1; /* army: preset */
    f->game = hex();
    f->n = n;
    f->n_memory = wl_vector_size(f->game, n, OPTIONS);
    f->memory = calloc(1, f->n_memory);
    f->observations = calloc((size_t)n * PLANES_MAX, sizeof *f->observations);
    f->masks = calloc((size_t)n, ACTIONS_MAX);
    f->out = (wl_columns){f->observations, f->masks, f->rewards, f->ends, f->seats};
    f->random = (uint64_t)first + 1;
    CHECK(wl_vector_begin(f->game, f->memory, f->n_memory, n, options, OPTIONS, &settings, &f->out) == WL_OK);
}

static void end(fleet *f)
{
    free(f->memory);
    free(f->observations);
    free(f->masks);
}

static uint32_t below(fleet *f, uint32_t n)
{
    f->random = f->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((f->random >> 33) % n);
}

/* An action of each match at random, of those that the masks show. How long a mask is stands in the vector's index: here it is told. */
static void choose(fleet *f, int32_t n_actions)
{
    for (int32_t i = 0; i < f->n; i++) {
        const uint8_t *mask = f->masks + (size_t)i * (size_t)n_actions;
        uint32_t n = 0, skip;
        int32_t at = 0;
        for (int32_t a = 0; a < n_actions; a++)
            n += mask[a];
        CHECK(n > 0);
        skip = below(f, n);
        while (!mask[at] || skip-- > 0)
            at++;
        f->actions[i] = at;
    }
}

static int32_t numbers_of_hex(void)
{
    const wl_game *game = hex();
    uint64_t *setup = calloc(1, game->setup_size), *state = calloc(1, game->state_size);
    uint8_t block[1024] = {3};
    wl_word options[OPTIONS] = {0};
    wl_draws draws = {.entropy = block, .n_entropy = sizeof block};
    wl_event event = {0};
    wl_index index = {0};

    for (int i = 1; i < 18; i++)
        options[i] = WL_WORD_ABSENT;
    options[3] = 7;
    options[4] = 5;
    options[5] = 0;
    options[9] = 1;
    CHECK(wl_init(game, setup, state, options, OPTIONS, NULL, 0, &draws, &event) == WL_OK);
    CHECK(wl_index_of(game, setup, &index) == WL_OK);
    CHECK(index.n_actions <= ACTIONS_MAX && index.n_planes * index.rows * index.columns <= PLANES_MAX);
    free(setup);
    free(state);
    return index.n_actions;
}

static void play(fleet *f, int32_t n_actions, int32_t steps)
{
    for (int32_t i = 0; i < steps; i++) {
        int32_t failed = -1;
        choose(f, n_actions);
        CHECK(wl_vector_step(f->memory, f->n_memory, f->actions, &f->out, &failed) == WL_OK);
        for (int32_t m = 0; m < f->n; m++) {
            const float sum = f->rewards[SEATS * m] + f->rewards[SEATS * m + 1];
            CHECK(sum == 0);
            f->ended += f->ends[m] == WL_ENDED;
            f->cut += f->ends[m] == WL_CUT;
        }
    }
}

static void matches_end_and_begin_again(int32_t n_actions)
{
    fleet f;

    begin(&f, MATCHES, 0, 0);
    play(&f, n_actions, 600);
    CHECK(f.ended > 0 && f.cut == 0);
    end(&f);
    begin(&f, MATCHES, 0, 7);
    play(&f, n_actions, 14);
    CHECK(f.cut == 2 * MATCHES);
    end(&f);
}

static void a_number_that_is_not_legal_changes_nothing(int32_t n_actions)
{
    static const int32_t WRONG[] = {-1, INT32_MIN, INT32_MAX};
    fleet f;
    uint64_t *before;
    int32_t failed = -1;

    begin(&f, MATCHES, 0, 0);
    before = malloc(f.n_memory);
    for (int i = 0; i < 3; i++) {
        choose(&f, n_actions);
        f.actions[3] = WRONG[i];
        memcpy(before, f.memory, f.n_memory);
        CHECK(wl_vector_step(f.memory, f.n_memory, f.actions, &f.out, &failed) == WL_E_NUMBER);
        CHECK(failed == 3);
        play(&f, n_actions, 1);
    }
    CHECK(wl_vector_step(f.memory, f.n_memory, NULL, &f.out, &failed) == WL_E_ARGUMENT);
    CHECK(wl_vector_step(f.memory, f.n_memory - 8, f.actions, &f.out, &failed) == WL_E_ARGUMENT);
    free(before);
    end(&f);
}

static int32_t take(fleet *f, const wl_columns *out)
{
    int32_t failed = -1;
    return wl_vector_step(f->memory, f->n_memory, f->actions, out, &failed);
}

/* Giving up is left out of masks, and legal. */
static void a_legal_number_that_is_in_no_mask_is_taken(int32_t n_actions)
{
    fleet f;

    begin(&f, MATCHES, 0, 0);
    for (int32_t i = 0; i < f.n; i++) {
        f.actions[i] = n_actions - 1; /* resign */
        CHECK(f.masks[(i + 1) * n_actions - 1] == 0);
    }
    CHECK(take(&f, &f.out) == WL_OK);
    for (int32_t i = 0; i < f.n; i++)
        CHECK(f.ends[i] == WL_ENDED && f.rewards[SEATS * i] + f.rewards[SEATS * i + 1] == 0 && f.rewards[SEATS * i] != 0);
    end(&f);
}

/* Whether masks are wanted or not: the same numbers are refused, of those in the mask before them, too. */
static void what_a_mask_showed_is_forgotten_after_a_step(int32_t n_actions)
{
    fleet f, blind;
    int64_t refused = 0;

    begin(&f, 1, 0, 0);
    begin(&blind, 1, 0, 0);
    blind.out.masks = NULL;
    for (int32_t i = 0; i < 200; i++) {
        const int32_t before = f.actions[0]; /* legal a step ago */
        if (i > 0 && !f.masks[before]) {
            blind.actions[0] = before;
            CHECK(take(&blind, &blind.out) == WL_E_NUMBER);
            refused++;
        }
        choose(&f, n_actions);
        blind.actions[0] = f.actions[0];
        CHECK(take(&f, &f.out) == WL_OK && take(&blind, &blind.out) == WL_OK);
        CHECK(memcmp(f.rewards, blind.rewards, sizeof f.rewards) == 0 && f.seats[0] == blind.seats[0]);
    }
    CHECK(refused > 0);
    end(&f);
    end(&blind);
}

/* ---- threads --------------------------------------------------------------------------------------------------------- */

typedef struct worker {
    pthread_t thread;
    fleet *fleet;
    int32_t n_actions;
    int64_t busy, done;
} worker;

static void *play_alone(void *argument)
{
    worker *w = argument;
    play(w->fleet, w->n_actions, 200);
    return NULL;
}

static void threads_with_vectors_of_their_own_play_what_one_would(int32_t n_actions)
{
    fleet whole, half[2];
    worker workers[2];

    begin(&whole, MATCHES, 0, 0);
    for (int32_t i = 0; i < 2; i++) {
        begin(&half[i], MATCHES / 2, i * MATCHES / 2, 0);
        CHECK(memcmp(half[i].masks, whole.masks + (size_t)(i * MATCHES / 2) * (size_t)n_actions,
                     (size_t)(MATCHES / 2) * (size_t)n_actions) == 0);
        workers[i] = (worker){.fleet = &half[i], .n_actions = n_actions};
        pthread_create(&workers[i].thread, NULL, play_alone, &workers[i]);
    }
    for (int32_t i = 0; i < 2; i++) {
        pthread_join(workers[i].thread, NULL);
        end(&half[i]);
    }
    end(&whole);
}

/* Steps the vector of another thread, with arrays of its own: all of it is refused but what does not meet. */
static void *push_in(void *argument)
{
    worker *w = argument;
    int32_t wrong[MATCHES], failed;
    const wl_columns none = {0};

    memset(wrong, 0xff, sizeof wrong); /* never legal, so that nothing is changed where the call is let in */
    for (int32_t i = 0; i < 20000; i++) {
        const int32_t error = wl_vector_step(w->fleet->memory, w->fleet->n_memory, wrong, &none, &failed);
        CHECK(error == WL_E_BUSY || error == WL_E_NUMBER);
        w->busy += error == WL_E_BUSY;
    }
    return NULL;
}

static void *play_pushed(void *argument)
{
    worker *w = argument;

    for (int32_t i = 0; i < 400; i++) {
        int32_t failed = -1, error;
        choose(w->fleet, w->n_actions);
        do
            error = wl_vector_step(w->fleet->memory, w->fleet->n_memory, w->fleet->actions, &w->fleet->out, &failed);
        while (error == WL_E_BUSY);
        CHECK(error == WL_OK);
        w->done += error == WL_OK;
    }
    return NULL;
}

static void two_threads_on_one_vector_get_an_error(int32_t n_actions)
{
    fleet f;
    worker workers[2];

    begin(&f, MATCHES, 0, 0);
    workers[0] = workers[1] = (worker){.fleet = &f, .n_actions = n_actions};
    pthread_create(&workers[0].thread, NULL, play_pushed, &workers[0]);
    pthread_create(&workers[1].thread, NULL, push_in, &workers[1]);
    pthread_join(workers[0].thread, NULL);
    pthread_join(workers[1].thread, NULL);
    CHECK(workers[0].done == 400);
    end(&f);
}

int main(void)
{
    const int32_t n_actions = numbers_of_hex();

    matches_end_and_begin_again(n_actions);
    a_number_that_is_not_legal_changes_nothing(n_actions);
    a_legal_number_that_is_in_no_mask_is_taken(n_actions);
    what_a_mask_showed_is_forgotten_after_a_step(n_actions);
    threads_with_vectors_of_their_own_play_what_one_would(n_actions);
    two_threads_on_one_vector_get_an_error(n_actions);
    printf("%d failures\n", failures);
    return failures > 0;
}
