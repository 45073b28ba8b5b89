/* confrontation_options.h: the options of confrontation that are one word each; private to the game's C files.
 * Made by make_options.py from warlog_core/rules/confrontation.json, where they are to be changed. */
#ifndef WARLOG_CONFRONTATION_OPTIONS_H
#define WARLOG_CONFRONTATION_OPTIONS_H

#include "../game.h"

/* clang-format off */
enum {
    O_SEATS,
    O_ARMY_POINTS,
    O_FREE_PAWNS,
    O_ACTIONS_PER_TURN,
    O_SPELLS_PER_BISHOP,
    O_SPELL_COST,
    O_LEADERSHIP_BONUS,
    O_WEAPON_MASTERY_BONUS,
    O_HOLD_BONUS,
    O_ENHANCEMENT_BONUS,
    O_RACES,
    O_RACE_TOKENS,
    O_RACE_TOKEN_COST,
    O_TREASURE,
    O_TERRAIN,
    O_TURN_LIMIT,
    OPTIONS
};

/* The greatest numbers, for what has as many places. */
enum {
    O_SEATS_MAX = 4,
    O_ARMY_POINTS_MAX = 60,
    O_FREE_PAWNS_MAX = 8,
    O_ACTIONS_PER_TURN_MAX = 4,
    O_SPELLS_PER_BISHOP_MAX = 6,
    O_SPELL_COST_MAX = 10,
    O_LEADERSHIP_BONUS_MAX = 3,
    O_WEAPON_MASTERY_BONUS_MAX = 4,
    O_HOLD_BONUS_MAX = 4,
    O_ENHANCEMENT_BONUS_MAX = 4,
    O_RACE_TOKENS_MAX = 10,
    O_RACE_TOKEN_COST_MAX = 10,
    O_TURN_LIMIT_MAX = 10000,
};

static const wl_option OPTION[OPTIONS] = {
    [O_SEATS] = {2, 4, 2, 2},
    [O_ARMY_POINTS] = {0, 60, 15, 15},
    [O_FREE_PAWNS] = {1, 8, 3, 3},
    [O_ACTIONS_PER_TURN] = {1, 4, 2, 2},
    [O_SPELLS_PER_BISHOP] = {0, 6, 2, 2},
    [O_SPELL_COST] = {1, 10, 1, 1},
    [O_LEADERSHIP_BONUS] = {0, 3, 1, 1},
    [O_WEAPON_MASTERY_BONUS] = {0, 4, 2, 2},
    [O_HOLD_BONUS] = {0, 4, 2, 2},
    [O_ENHANCEMENT_BONUS] = {0, 4, 1, 1},
    [O_RACES] = {0, 1, 0, 0},
    [O_RACE_TOKENS] = {0, 10, 3, 3},
    [O_RACE_TOKEN_COST] = {1, 10, 1, 1},
    [O_TREASURE] = {0, 1, 0, 0},
    [O_TERRAIN] = {0, 2, 0, 0},
    [O_TURN_LIMIT] = {0, 10000, 0, 0},
};
/* clang-format on */

#endif
