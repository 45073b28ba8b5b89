/* junqi_options.h: the options of junqi that are one word each; private to the game's C files.
 * Made by make_options.py from warlog_core/rules/junqi.json, where they are to be changed. */
#ifndef WARLOG_JUNQI_OPTIONS_H
#define WARLOG_JUNQI_OPTIONS_H

#include "../game.h"

/* clang-format off */
enum {
    O_MODE,
    O_PLAYERS,
    O_WINGS,
    O_OPEN_ALLIES,
    O_MOVE_SECONDS,
    O_MAX_TIMEOUTS,
    O_FLEE_SECONDS,
    O_MIN_STEPS_DRAW,
    O_MIN_STEPS_RESIGN,
    O_MIN_STEPS_SCORE,
    O_QUIET_LIMIT,
    O_MINES_GUARD_FLAG,
    O_WIN_POINTS,
    O_FLEE_FACTOR,
    O_DOUBLING_FROM_LEVEL,
    O_STAKE,
    O_GOLD_CAP,
    OPTIONS
};

/* The greatest numbers, for what has as many places. */
enum {
    O_PLAYERS_MAX = 4,
    O_MOVE_SECONDS_MAX = 3600,
    O_MAX_TIMEOUTS_MAX = 100,
    O_FLEE_SECONDS_MAX = 3600,
    O_MIN_STEPS_DRAW_MAX = 1000,
    O_MIN_STEPS_RESIGN_MAX = 1000,
    O_MIN_STEPS_SCORE_MAX = 1000,
    O_QUIET_LIMIT_MAX = 1000,
    O_WIN_POINTS_MAX = 1000,
    O_FLEE_FACTOR_MAX = 10,
    O_DOUBLING_FROM_LEVEL_MAX = 21,
    O_STAKE_MAX = 1000000000,
    O_GOLD_CAP_MAX = 100,
};

static const wl_option OPTION[OPTIONS] = {
    [O_MODE] = {0, 1, 0, 0},
    [O_PLAYERS] = {2, 4, 4, 2},
    [O_WINGS] = {0, 1, 1, 1},
    [O_OPEN_ALLIES] = {0, 1, 0, 0},
    [O_MOVE_SECONDS] = {0, 3600, 30, 30},
    [O_MAX_TIMEOUTS] = {1, 100, 5, 5},
    [O_FLEE_SECONDS] = {0, 3600, 60, 60},
    [O_MIN_STEPS_DRAW] = {0, 1000, 40, 40},
    [O_MIN_STEPS_RESIGN] = {0, 1000, 40, 40},
    [O_MIN_STEPS_SCORE] = {0, 1000, 40, 30},
    [O_QUIET_LIMIT] = {0, 1000, 70, 70},
    [O_MINES_GUARD_FLAG] = {0, 1, 1, 1},
    [O_WIN_POINTS] = {0, 1000, 2, 1},
    [O_FLEE_FACTOR] = {1, 10, 2, 2},
    [O_DOUBLING_FROM_LEVEL] = {2, 21, 5, 5},
    [O_STAKE] = {0, 1000000000, 0, 0},
    [O_GOLD_CAP] = {1, 100, 5, 5},
};
/* clang-format on */

#endif
