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
        words[n++] = below(f, 2) ? ABSENT : RANGE[i][0] + below(f, RANGE[i][1] - RANGE[i][0] + 1);
    if (words[RESTRICTION] == MOVE_ONLY && words[MOVEMENT] > 0)
        words[SUB_JET_COMBAT] = below(f, 2);
    spoil(f, words, n, 8, 4);
    return n;
}

enum { TRANSPORTS = 15, XXX = 18, TYPES_N = 23 };

static size_t piece(fuzzer *f, wl_word *w, int id, int type, int square, int level)
{
    const int handed = type == 8 || type == 10 || type == 11; /* tank, cleric, chopper */
    const int n_articles = below(f, 4);
    size_t n = 0;

    w[n++] = id;
    w[n++] = id % 2;
    w[n++] = type;
    w[n++] = square;
    w[n++] = level;
    w[n++] = handed ? 1 + below(f, 2) : ABSENT;
    w[n++] = ABSENT;                                      /* unmoved */
    w[n++] = type == 6 ? 1 + (id % 2) : ABSENT;           /* a lock on a king, of the other side if it fits */
    w[n++] = below(f, 4) ? ABSENT : below(f, 5);          /* stunned_until */
    w[n++] = below(f, 4) ? ABSENT : below(f, 3);          /* revealed_until */
    for (int i = 0; i < 7 + 3; i++)
        w[n++] = ABSENT; /* countdowns; no journey */
    w[n++] = n_articles;
    for (int i = 0; i < n_articles; i++) {
        w[n++] = i == 0 && n_articles > 1 ? XXX : below(f, 2) ? 1 + below(f, XXX) : TRANSPORTS + below(f, 3);
        w[n++] = ABSENT;
        w[n++] = ABSENT;
    }
    w[n++] = 0;
    return n;
}

/* Two kings and a few pieces in a corner, at their native levels, some on one square: mostly possible. */
static size_t position(fuzzer *f, wl_word *words, size_t cap)
{
    const int n_pieces = 2 + below(f, 5);
    size_t n = 0;

    (void)cap;
    words[n++] = 0;
    words[n++] = 1 + below(f, 3); /* turn */
    words[n++] = below(f, 2);
    words[n++] = 0;
    words[n++] = ABSENT;
    words[n++] = 0;
    for (int i = 0; i < 8; i++)
        words[n++] = ABSENT; /* turn state */
    for (int i = 0; i < 9; i++) /* vacated, marks, hits, activation squares, ghosts, projectiles, reinforcements, heaps */
        words[n++] = 0;
    words[n++] = n_pieces;
    for (int i = 0; i < n_pieces; i++) {
        const int type = i < 2 ? 16 : 1 + below(f, TYPES_N);
        const int native = type == 11 || type == 12 ? 1 : type == 13 ? 2 : 0;
        const int square = i < 2 ? 99 * i : below(f, 3) * 10 + below(f, 3) + 11;
        n += piece(f, words + n, i + 1, type, square, i < 2 ? 0 : below(f, 2) * native);
    }
    spoil(f, words, n, 4, 1);
    return n;
}

int main(int argc, char **argv) { return fuzz("wec", start, position, argc, argv); }
