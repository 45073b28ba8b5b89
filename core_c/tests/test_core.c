/* What warlog.h promises of draws, errors, hashes and the registry, without any language above it. */
#include "warlog.h"

#include "game.h"

#include <stdio.h>
#include <stdlib.h>

static int failures = 0;

#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                    \
            failures++;                                                                                               \
        }                                                                                                             \
    } while (0)

enum { ACTIONS_CAP = 4096 };

/* A battle of Hex Tactics. */
typedef struct match {
    const wl_game *game;
    void *setup, *state;
    wl_action *actions;
} match;

static match begin_with(const wl_word *options, size_t n_options)
{
    static const uint8_t entropy[1024] = {7, 1, 9, 4, 3};
    match m = {.game = NULL};
    wl_draws draws = {.entropy = entropy, .n_entropy = sizeof entropy};
    wl_event event = {0};

    for (int32_t i = 0; m.game == NULL && wl_game_at(i) != NULL; i++)
        if (strcmp(wl_game_at(i)->name, "hex") == 0)
            m.game = wl_game_at(i);
    m.setup = calloc(1, m.game->setup_size);
    m.state = calloc(1, m.game->state_size);
    m.actions = calloc(ACTIONS_CAP, sizeof *m.actions);
    CHECK(wl_init(m.game, m.setup, m.state, options, n_options, NULL, 0, &draws, &event) == WL_OK);
    return m;
}

/* Two preset armies, without obstacles. */
static match begin(void)
{
    wl_word options[21] = {0};

    for (int i = 1; i < 18; i++)
        options[i] = WL_WORD_ABSENT;
    options[5] = 0; /* obstacles: none */
    options[9] = 1; /* army: preset */
    return begin_with(options, 21);
}

/* Four armies of so many equal stacks that a round needs more draws than random play gives a step at first. */
enum { STACKS = 12 };
static match begin_large(void)
{
    wl_word options[22 + 4 * (2 + 2 * STACKS)] = {0};
    wl_word *army = options + 22;

    for (int i = 2; i < 18; i++)
        options[i] = WL_WORD_ABSENT;
    options[1] = 4;       /* seats */
    options[3] = 25;      /* width */
    options[4] = 19;      /* height */
    options[5] = 0;       /* obstacles: none */
    options[8] = 0;       /* deployment */
    options[9] = 2;       /* armies are given */
    options[11] = STACKS; /* max_stacks */
    options[19] = 1;
    options[21] = 4; /* armies */
    for (int seat = 0; seat < 4; seat++) {
        *army++ = seat;
        *army++ = STACKS;
        for (int i = 0; i < STACKS; i++) {
            *army++ = 0; /* militia */
            *army++ = 20;
        }
    }
    return begin_with(options, sizeof options / sizeof options[0]);
}

static void end(match *m)
{
    free(m->setup);
    free(m->state);
    free(m->actions);
}

static void the_hash_is_xxh64(void)
{
    CHECK(wl_hash_bytes("", 0) == 0xef46db3751d8e999u);
    CHECK(wl_hash_bytes("abc", 3) == 0x44bc2cf5ad770999u);
}

static void a_word_that_would_favour_small_values_is_rejected(void)
{
    /* For n = 3 the words from 0xffffffff on are rejected; the next one, 5, gives 2. */
    static const uint8_t block[8] = {0xff, 0xff, 0xff, 0xff, 5, 0, 0, 0};
    int32_t used[4];
    wl_draws draws = {.entropy = block, .n_entropy = sizeof block, .used = used, .cap = 4};

    CHECK(wl_draw(&draws, 3) == 2);
    CHECK(draws.n_used == 1 && used[0] == 2 && draws.error == WL_OK);
    CHECK(wl_draw(&draws, 3) == 0 && draws.error == WL_E_ENTROPY);
}

static void recorded_draws_are_taken_in_order_and_must_lie_in_range(void)
{
    static const int32_t record[3] = {4, 0, 6};
    wl_draws draws = {.recorded = record, .n_recorded = 3};

    CHECK(wl_draw(&draws, 5) == 4 && wl_draw(&draws, 2) == 0);
    CHECK(wl_draw(&draws, 6) == 0 && draws.error == WL_E_DRAWS);
}

static void an_error_leaves_the_state_as_it_was(void)
{
    match m = begin();
    void *before = malloc(m.game->state_size);
    const int32_t seat = __builtin_ctz((uint32_t)wl_to_act(m.game, m.setup, m.state));
    const int64_t n = wl_legal(m.game, m.setup, m.state, seat, m.actions, ACTIONS_CAP);
    static const int32_t superfluous[1] = {0};
    int tried = 0;

    memcpy(before, m.state, m.game->state_size);
    for (int64_t i = 0; i < n; i++) { /* whatever is listed: a draw too many makes it fail after it has resolved */
        const wl_post post = {.actor = seat, .action = m.actions[i]};
        wl_draws draws = {.recorded = superfluous, .n_recorded = 1};
        wl_event event = {0};
        if (strcmp(m.game->actions[m.actions[i].type].name, "move") != 0)
            continue;
        CHECK(wl_apply(m.game, m.setup, m.state, &post, &draws, &event) == WL_E_DRAWS);
        CHECK(memcmp(before, m.state, m.game->state_size) == 0);
        tried++;
    }
    CHECK(tried > 0);
    free(before);
    end(&m);
}

static void a_step_into_another_state_leaves_the_first_and_can_be_repeated(void)
{
    match m = begin();
    const size_t size = m.game->state_size;
    void *before = malloc(size);
    void *after = calloc(1, size);
    const int32_t seat = __builtin_ctz((uint32_t)wl_to_act(m.game, m.setup, m.state));
    static const int32_t superfluous[1] = {0};
    wl_post post = {.actor = seat};
    wl_outcome outcome;

    CHECK(wl_legal(m.game, m.setup, m.state, seat, m.actions, ACTIONS_CAP) > 0);
    post.action = m.actions[0];
    memcpy(before, m.state, size);
    for (int times = 0; times < 3; times++) {
        wl_draws draws = {.recorded = times == 1 ? superfluous : NULL, .n_recorded = times == 1};
        wl_event event = {0};
        const int32_t error = wl_after(m.game, m.setup, m.state, after, &post, &draws, &event, &outcome);
        CHECK(error == (times == 1 ? WL_E_DRAWS : WL_OK));
        CHECK(memcmp(before, m.state, size) == 0);
        CHECK((memcmp(before, after, size) == 0) == (error != WL_OK));
        CHECK(error != WL_OK || outcome.hash[7] == (wl_hash(m.game, after) & 0xff));
    }
    {
        wl_draws draws = {0};
        wl_event event = {0};
        CHECK(wl_after(m.game, m.setup, m.state, m.state, &post, &draws, &event, &outcome) == WL_E_ARGUMENT);
        CHECK(wl_after(m.game, m.setup, m.state, after, &post, &draws, &event, NULL) == WL_E_ARGUMENT);
        CHECK(memcmp(before, m.state, size) == 0);
    }
    free(before);
    free(after);
    end(&m);
}

static void random_play_comes_to_an_end_and_is_the_same_again_from_the_same_seed(void)
{
    match a = begin();
    match b = begin();
    wl_result result;

    CHECK(wl_playout(a.game, a.setup, a.state, 42, 100000, WL_PLAY_ON, a.actions, ACTIONS_CAP) > 10);
    CHECK(wl_playout(b.game, b.setup, b.state, 42, 100000, WL_PLAY_ON, b.actions, ACTIONS_CAP) > 10);
    CHECK(memcmp(a.state, b.state, a.game->state_size) == 0);
    CHECK(wl_result_of(a.game, a.setup, a.state, &result) == WL_OK && result.over);
    CHECK(wl_to_act(a.game, a.setup, a.state) == 0);
    end(&a);
    end(&b);
}

static int64_t turns_of(const match *m)
{
    const int32_t seat = __builtin_ctz((uint32_t)wl_to_act(m->game, m->setup, m->state));
    return wl_clock(m->game, m->setup, m->state, seat);
}

static void a_step_for_which_the_first_draws_do_not_suffice_is_taken_once(void)
{
    match m = begin_large();
    int64_t turns = turns_of(&m);

    for (uint64_t seed = 1; seed <= 6 * 4 * STACKS; seed++) {
        CHECK(wl_playout(m.game, m.setup, m.state, seed, 1, WL_PLAY_ON, m.actions, ACTIONS_CAP) == 1);
        CHECK(wl_check_state(m.game, m.setup, m.state) == WL_OK);
        CHECK(turns_of(&m) == ++turns);
    }
    end(&m);
}

static void a_copy_over_a_longer_state_leaves_nothing_of_it_and_says_the_same_of_itself(void)
{
    match shorter = begin();
    match longer = begin();
    wl_turn turn;
    wl_result result;

    wl_playout(shorter.game, shorter.setup, shorter.state, 7, 100000, WL_PLAY_ON, shorter.actions, ACTIONS_CAP);
    CHECK(wl_copy(longer.game, longer.state, shorter.state) == WL_OK);
    CHECK(memcmp(longer.state, shorter.state, shorter.game->state_size) == 0);
    CHECK(wl_turn_of(longer.game, longer.setup, longer.state, &turn) == WL_OK);
    CHECK(wl_result_of(shorter.game, shorter.setup, shorter.state, &result) == WL_OK);
    CHECK(memcmp(&turn.result, &result, sizeof result) == 0);
    CHECK(turn.to_act == wl_to_act(shorter.game, shorter.setup, shorter.state));
    CHECK(turn.phase == wl_phase(shorter.game, shorter.setup, shorter.state));
    CHECK(turn.disclosure == wl_disclosure(shorter.game, shorter.setup, shorter.state));
    CHECK(wl_copy(longer.game, NULL, shorter.state) == WL_E_ARGUMENT);
    end(&shorter);
    end(&longer);
}

static void a_count_of_depth_one_is_the_length_of_the_listing(void)
{
    match m = begin();
    const int32_t seat = __builtin_ctz((uint32_t)wl_to_act(m.game, m.setup, m.state));
    const int64_t n = wl_legal(m.game, m.setup, m.state, seat, m.actions, ACTIONS_CAP);
    void *states = malloc(m.game->state_size);

    CHECK(n > 1 && wl_count(m.game, m.setup, m.state, 1, states, m.actions, ACTIONS_CAP) == n);
    CHECK(wl_count(m.game, m.setup, m.state, 1, states, m.actions, 1) == WL_E_SPACE);
    free(states);
    end(&m);
}

static void bytes_that_are_not_in_use_must_be_zero(void)
{
    match m = begin();
    uint8_t *last = (uint8_t *)m.state + m.game->state_size - 8;

    CHECK(wl_check_state(m.game, m.setup, m.state) == WL_OK);
    *last = 1;
    CHECK(wl_check_state(m.game, m.setup, m.state) == WL_E_STATE);
    end(&m);
}

/* wl_used_bytes goes back from the last field to one that is in use. */
static void no_field_of_a_state_lies_behind_a_later_one_that_may_end_it(void)
{
    for (int32_t i = 0; wl_game_at(i) != NULL; i++) {
        const wl_field *layout = wl_game_at(i)->state_layout;
        const wl_field *f = layout;

        while (f[1].name != NULL)
            f++;
        for (int ends = 1; ends; f--) {
            for (const wl_field *e = layout; e < f; e++)
                CHECK(e->offset + (size_t)e->count * e->size <= f->offset);
            ends = f > layout && f->n_size != 0;
        }
    }
}

static void every_error_has_the_name_of_its_code(void)
{
    const match m = begin();

    CHECK(strcmp(wl_error_name(m.game, WL_E_MATCH_OVER), "match_over") == 0);
    CHECK(strcmp(wl_error_name(m.game, WL_E_GAME), m.game->errors[0]) == 0);
    CHECK(strcmp(wl_error_name(m.game, -100000), "unknown_error") == 0);
    CHECK(wl_game_at(-1) == NULL && wl_game_at(1000) == NULL);
    end((match *)&m);
}

int main(void)
{
    the_hash_is_xxh64();
    a_word_that_would_favour_small_values_is_rejected();
    recorded_draws_are_taken_in_order_and_must_lie_in_range();
    an_error_leaves_the_state_as_it_was();
    a_step_into_another_state_leaves_the_first_and_can_be_repeated();
    random_play_comes_to_an_end_and_is_the_same_again_from_the_same_seed();
    a_step_for_which_the_first_draws_do_not_suffice_is_taken_once();
    a_copy_over_a_longer_state_leaves_nothing_of_it_and_says_the_same_of_itself();
    a_count_of_depth_one_is_the_length_of_the_listing();
    bytes_that_are_not_in_use_must_be_zero();
    no_field_of_a_state_lies_behind_a_later_one_that_may_end_it();
    every_error_has_the_name_of_its_code();
    printf("test_core: %s\n", failures == 0 ? "ok" : "FAILED");
    return failures != 0;
}
