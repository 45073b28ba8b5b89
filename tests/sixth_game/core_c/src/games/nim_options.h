/* nim_options.h: the options of nim that are one word each; private to the game's C files.
 * Made by make_options.py from warlog_core/rules/nim.json, where they are to be changed. */
#ifndef WARLOG_NIM_OPTIONS_H
#define WARLOG_NIM_OPTIONS_H

#include "../game.h"

/* clang-format off */
enum {
    O_HEAP,
    OPTIONS
};

/* The greatest numbers, for what has as many places. */
enum {
    O_HEAP_MAX = 1000,
};

static const wl_option OPTION[OPTIONS] = {
    [O_HEAP] = {1, 1000, 21, 21},
};
/* clang-format on */

#endif
