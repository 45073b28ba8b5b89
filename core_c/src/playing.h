/* playing.h: what random play and the search have in common. Private to the core. */
#ifndef WARLOG_PLAYING_H
#define WARLOG_PLAYING_H

#include "game.h"

/* A random word from a generator (SplitMix64) whose state is `*random`. */
static inline uint32_t wl_random_word(uint64_t *random)
{
    uint64_t z = *random += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ z >> 31) >> 32);
}

/* A random number 0 ... n-1. */
static inline uint32_t wl_below(uint64_t *random, uint32_t n) { return (uint32_t)((uint64_t)wl_random_word(random) * n >> 32); }

/* A template, to be filled in? */
static inline int wl_is_open(const wl_action *action)
{
    for (int i = 0; i < WL_ACTION_FIELDS; i++)
        if (action->field[i] == WL_OPEN)
            return 1;
    return 0;
}

/* Is it no template, nor by these `flags` (WL_PLAY_ON) to be left out? */
static inline int wl_may_choose(const wl_game *game, const wl_action *action, uint32_t flags)
{
    return !((flags & WL_PLAY_ON) && (game->actions[action->type].flags & WL_GIVES_UP)) && !wl_is_open(action);
}

/* A random action of a random seat that is to act, which goes to `*actor`; a seat with nothing but an open template gives way
 * to another. NULL if there is none at all. `actions` is working room; longer listings are cut to `cap`. */
const wl_action *wl_choose_any(const wl_game *game, const void *setup, const void *state, uint32_t flags, uint64_t *random,
                               wl_action *actions, size_t cap, int32_t *actor);

/* Takes a legal action, with random draws. On an error the state may be anything. */
int32_t wl_play(const wl_game *game, const void *setup, void *state, const wl_post *post, uint64_t *random);

/* The same; and did it draw anything? */
int32_t wl_play_noting(const wl_game *game, const void *setup, void *state, const wl_post *post, uint64_t *random, int *drew);

/* The start of a match with these options, which wl_check_options has let through, with random draws: wl_init over a match or over
 * zero. On an error setup and state may be anything. */
int32_t wl_start(const wl_game *game, void *setup, void *state, const wl_word *options, size_t n_options, uint64_t *random);

/* Makes `state`, which is what `viewer` knows, whole, with random draws. 0 or an error, and then it may be anything. */
int32_t wl_imagine(const wl_game *game, const void *setup, void *state, int32_t viewer, uint64_t *random);

/* Changes a whole state that looks like `seen` a little. 0 or an error, and then it may be anything. */
int32_t wl_vary(const wl_game *game, const void *setup, const void *seen, void *state, uint64_t *random);

/* How many worlds a belief (of this viewer, who sees `seen` now) has to choose from, 0 where nothing is hidden; or an error. */
int32_t wl_check_belief(const wl_game *game, const void *setup, const void *seen, int32_t viewer, const void *memory,
                        size_t n_memory);

/* One of them, at random, to `world` (a state, or zero): the longer it has agreed with what was seen, the sooner. */
void wl_believe(const wl_game *game, const void *memory, size_t n_memory, void *world, uint64_t *random);

#endif
