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
    if (below(f, 8) == 0)
        for (int i = below(f, 4); i >= 0; i--)
            words[below(f, (int64_t)n)] = hostile_word(f);
    return n;
}

int main(int argc, char **argv) { return fuzz("hex", start, argc, argv); }
