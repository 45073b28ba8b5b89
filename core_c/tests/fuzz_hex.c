/* Hex Tactics under the common fuzzer: mostly sensible options, sometimes nonsense. */
#include "fuzz.h"

static size_t start(fuzzer *f, wl_word *words, size_t cap)
{
    const int seats = 2 + below(f, 3);
    size_t n = 0;

    (void)cap;
    words[n++] = 0;
    words[n++] = seats;
    words[n++] = seats == 4 ? below(f, 2) : 0;
    words[n++] = 7 + below(f, 19);
    words[n++] = 5 + below(f, 15);
    words[n++] = below(f, 2) ? 2 : 0; /* obstacles */
    words[n++] = below(f, 41);
    words[n++] = 1 + below(f, 3);
    words[n++] = below(f, 2);     /* deployment */
    words[n++] = below(f, 2);     /* army: recruit or preset */
    words[n++] = 10 + below(f, 3000);
    words[n++] = 1 + below(f, 4); /* max_stacks */
    words[n++] = below(f, 5);
    words[n++] = below(f, 101);
    words[n++] = below(f, 101);
    words[n++] = below(f, 101);
    words[n++] = below(f, 2) * below(f, 10);
    words[n++] = below(f, 2);
    words[n++] = 0; /* the default roster */
    words[n++] = 0;
    words[n++] = 0; /* no obstacle spaces */
    spoil(f, words, n, 8, 4);
    return n;
}

/* A Position in phase play that is nearly always possible with two seats on the smallest board, and sometimes not quite. */
static size_t position(fuzzer *f, wl_word *words, size_t cap)
{
    const int stacks = 2 + below(f, 8);
    size_t n = 0;

    (void)cap;
    words[n++] = 0;
    words[n++] = 2; /* play */
    words[n++] = below(f, 4) ? 1 + below(f, 5) : 999999999;
    words[n++] = below(f, 4) ? ABSENT : 1000000000;
    words[n++] = below(f, 2); /* queue */
    words[n++] = 1;
    words[n++] = 2 * 32 + 3;
    words[n++] = stacks;
    for (int i = 0; i < stacks; i++) {
        const wl_word count = 1 + below(f, 9999);
        words[n++] = i + 1;
        words[n++] = i % 2;
        words[n++] = below(f, 16);
        words[n++] = i / 4 * 2 * 32 + i % 4 + below(f, 3) % 2 * 32;
        words[n++] = count;
        words[n++] = count + below(f, (int64_t)(10000 - count));
        for (int k = 6; k < 12; k++)
            words[n++] = ABSENT;
    }
    words[n++] = words[4] ? stacks : 0;
    for (int i = 0; words[4] && i < stacks; i++)
        words[n++] = i + 1;
    words[n++] = 0;
    spoil(f, words, n, 4, 1);
    return n;
}

int main(int argc, char **argv) { return fuzz("hex", start, position, argc, argv); }
