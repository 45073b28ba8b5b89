/* Weaponized Chess under the common fuzzer: any valid options, sometimes nonsense. */
#include "fuzz.h"

static size_t start(fuzzer *f, wl_word *words, size_t cap)
{
    /* 4.4: the lowest and the highest value of each option, in order. */
    static const int RANGE[][2] = {
        {0, 2}, {0, 2}, {0, 3}, {0, 3}, {0, 2}, {0, 0}, {1, 8}, {1, 8}, {1, 8}, {1, 8}, {1, 9}, {1, 9}, {0, 9},
        {0, 9}, {1, 9}, {1, 9}, {1, 255}, {1, 99}, {1, 99}, {1, 99}, {1, 99}, {1, 99}, {1, 99}, {1, 9}, {0, 1},
        {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 2}, {0, 2},
        {0, 2},
    };
    enum { SUB_JET_COMBAT = 1 + 5, MOVEMENT = 1, RESTRICTION = 1 + 4, MOVE_ONLY = 2 };
    size_t n = 0;

    (void)cap;
    words[n++] = 0;
    for (size_t i = 0; i < sizeof RANGE / sizeof RANGE[0]; i++)
        words[n++] = below(f, 2) ? WL_WORD_ABSENT : RANGE[i][0] + below(f, RANGE[i][1] - RANGE[i][0] + 1);
    if (words[RESTRICTION] == MOVE_ONLY && words[MOVEMENT] > 0)
        words[SUB_JET_COMBAT] = below(f, 2);
    if (below(f, 8) == 0)
        for (int i = below(f, 4); i >= 0; i--)
            words[below(f, (int64_t)n)] = hostile_word(f);
    return n;
}

int main(int argc, char **argv) { return fuzz("wec", start, argc, argv); }
