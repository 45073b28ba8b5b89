/* hex_options.h: the options of hex that are one word each; private to the game's C files.
 * Made by make_options.py from warlog_core/rules/hex.json, where they are to be changed. */
#ifndef WARLOG_HEX_OPTIONS_H
#define WARLOG_HEX_OPTIONS_H

#include "../game.h"

/* clang-format off */
enum {
    O_SEATS,
    O_TEAMS,
    O_WIDTH,
    O_HEIGHT,
    O_OBSTACLES,
    O_OBSTACLE_COUNT,
    O_DEPLOY_DEPTH,
    O_DEPLOYMENT,
    O_ARMY,
    O_ARMY_POINTS,
    O_MAX_STACKS,
    O_ARMY_PRESET,
    O_SHOOTER_MELEE_PERCENT,
    O_DEFEND_PERCENT,
    O_MIN_DAMAGE,
    O_ROUND_LIMIT,
    O_LIMIT_RESULT,
    OPTIONS
};

/* The greatest numbers, for what has as many places. */
enum {
    O_SEATS_MAX = 4,
    O_WIDTH_MAX = 25,
    O_HEIGHT_MAX = 19,
    O_OBSTACLE_COUNT_MAX = 40,
    O_DEPLOY_DEPTH_MAX = 3,
    O_ARMY_POINTS_MAX = 100000,
    O_MAX_STACKS_MAX = 21,
    O_SHOOTER_MELEE_PERCENT_MAX = 100,
    O_DEFEND_PERCENT_MAX = 100,
    O_MIN_DAMAGE_MAX = 100,
    O_ROUND_LIMIT_MAX = 999,
};

static const wl_option OPTION[OPTIONS] = {
    [O_SEATS] = {2, 4, 2, 2},
    [O_TEAMS] = {0, 1, 0, 0},
    [O_WIDTH] = {7, 25, 15, 15},
    [O_HEIGHT] = {5, 19, 11, 11},
    [O_OBSTACLES] = {0, 2, 2, 2},
    [O_OBSTACLE_COUNT] = {0, 40, 6, 6},
    [O_DEPLOY_DEPTH] = {1, 3, 2, 2},
    [O_DEPLOYMENT] = {0, 1, 0, 0},
    [O_ARMY] = {0, 2, 0, 0},
    [O_ARMY_POINTS] = {10, 100000, 1000, 1000},
    [O_MAX_STACKS] = {1, 21, 7, 7},
    [O_ARMY_PRESET] = {0, 4, 1, 1},
    [O_SHOOTER_MELEE_PERCENT] = {0, 100, 50, 50},
    [O_DEFEND_PERCENT] = {0, 100, 50, 50},
    [O_MIN_DAMAGE] = {0, 100, 1, 1},
    [O_ROUND_LIMIT] = {0, 999, 0, 0},
    [O_LIMIT_RESULT] = {0, 1, 0, 0},
};
/* clang-format on */

#endif
