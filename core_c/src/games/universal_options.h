/* universal_options.h: the options of universal that are one word each; private to the game's C files.
 * Made by make_options.py from warlog_core/rules/universal.json, where they are to be changed. */
#ifndef WARLOG_UNIVERSAL_OPTIONS_H
#define WARLOG_UNIVERSAL_OPTIONS_H

#include "../game.h"

/* clang-format off */
enum {
    O_MODE,
    O_PAIRING,
    O_FIRST,
    O_QUIET_LIMIT,
    O_BREEDING_LIMIT,
    O_PSIONICS,
    O_PSIONIC_COST,
    O_VETERANS,
    O_VETERAN_MERITS,
    OPTIONS
};

/* The greatest numbers, for what has as many places. */
enum {
    O_QUIET_LIMIT_MAX = 10000,
    O_BREEDING_LIMIT_MAX = 20,
    O_PSIONIC_COST_MAX = 20,
    O_VETERAN_MERITS_MAX = 20,
};

static const wl_option OPTION[OPTIONS] = {
    [O_MODE] = {0, 1, 0, 0},
    [O_PAIRING] = {0, 2, 0, 0},
    [O_FIRST] = {0, 4, WL_WORD_ABSENT, WL_WORD_ABSENT},
    [O_QUIET_LIMIT] = {0, 10000, 200, 200},
    [O_BREEDING_LIMIT] = {0, 20, 4, 4},
    [O_PSIONICS] = {0, 1, 0, 0},
    [O_PSIONIC_COST] = {0, 20, 6, 6},
    [O_VETERANS] = {0, 1, 0, 0},
    [O_VETERAN_MERITS] = {1, 20, 3, 3},
};
/* clang-format on */

#endif
