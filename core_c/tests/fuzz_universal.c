/* Universal Chess under the common fuzzer: mostly sensible options, sometimes nonsense. */
#include "fuzz.h"

enum { COST = 8 }; /* the word psionic_cost */
enum { MIGHTY, COMMANDER, WIZARD, PSIONIC, KINDS = 9 };

/* A seizure that costs nothing may be paid with an empty list, which no listing holds: the cost is never 0 here. */
static size_t start(fuzzer *f, wl_word *words, size_t cap)
{
    const int mode = below(f, 3) == 0;
    const int factions = below(f, 32);
    size_t n = 0;

    (void)cap;
    words[n++] = 0;
    words[n++] = mode;
    words[n++] = mode || below(f, 2) ? ABSENT : factions;
    words[n++] = mode ? below(f, 3) : 0;
    words[n++] = below(f, 4) ? ABSENT : below(f, 5);
    words[n++] = below(f, 2) ? 200 : below(f, 30);
    words[n++] = below(f, 21);
    words[n++] = below(f, 4) != 0;
    words[n++] = 1 + below(f, 20);
    words[n++] = below(f, 2);
    words[n++] = 1 + below(f, 3);
    spoil(f, words, n, 8, 4);
    if (words[COST] == 0)
        words[COST] = 6;
    return n;
}

/* Mighties and pieces of all kinds close together in the middle, for the four corner factions or all five: often possible,
 * and sometimes not quite. Every seat owns a few spaces of a rank of its own; a thrall comes with its holder. */
static size_t position(fuzzer *f, wl_word *words, size_t cap)
{
    const int seats = 4 + below(f, 2);
    const int others = below(f, 10);
    const int dead = below(f, 3);
    const int pair = below(f, 2);
    size_t n = 0;
    int id = 1;

    (void)cap;
    words[n++] = 0;
    words[n++] = below(f, 3);   /* promotions */
    words[n++] = below(f, 21);  /* breedings_left */
    words[n++] = below(f, 300); /* quiet */
    words[n++] = below(f, 4) ? ABSENT : 91 + below(f, 166);
    words[n++] = 1; /* the turn: of good in the midst of a sacrifice, or any */
    words[n] = below(f, seats), n++;
    words[n++] = below(f, 4) ? 1 + below(f, 500) : 1000000000;
    words[n] = words[6] == 4 && below(f, 2) ? 1 : ABSENT, n++;
    words[n] = words[6] == 2 && below(f, 2), n++;
    words[n] = words[9] ? 1 + below(f, 2) : ABSENT, n++;
    words[n] = words[9] && words[10] == 1 ? 3 : ABSENT, n++;
    words[n++] = below(f, 4) ? ABSENT : 1;
    words[n++] = below(f, 2) ? ABSENT : 1;
    words[n] = below(f, 4) == 0, n++;
    words[n] = words[14] ? below(f, 3) : ABSENT, n++;
    words[n] = words[14] && words[15] != 3 ? below(f, 2) : 0, n++;
    if (words[16])
        words[n++] = 3;
    words[n++] = seats + others + 2 * pair;
    for (int i = 0; i < seats + others; i++, id++) {
        words[n++] = id;
        words[n++] = i < seats ? MIGHTY : 1 + below(f, KINDS - 1);
        words[n++] = i < seats ? i : below(f, seats);
        words[n++] = (5 + id / 6) * 20 + 7 + id % 6 + below(f, 2) * 5 * 20; /* two blocks of six files */
        words[n++] = below(f, 3) ? ABSENT : 1 + below(f, 5);
        words[n++] = below(f, 5) ? ABSENT : 1;
        words[n++] = ABSENT;
        words[n++] = ABSENT;
        words[n++] = ABSENT;
    }
    for (int i = 0; i < 2 * pair; i++, id++) { /* a psionic of majora's and its thrall */
        words[n++] = id;
        words[n++] = i == 0 ? PSIONIC : 4 + below(f, 5);
        words[n++] = 0;
        words[n++] = (1 + i) * 20 + 12;
        words[n++] = ABSENT;
        words[n++] = ABSENT;
        words[n++] = i == 0 ? ABSENT : 1 + below(f, 3);
        words[n++] = i == 0 ? id + 1 : ABSENT;
        words[n++] = ABSENT;
    }
    words[n++] = dead;
    for (int i = 0; i < dead; i++, id++) {
        words[n++] = id;
        words[n++] = below(f, 3) ? 4 + below(f, 5) : 1 + below(f, 2);
        words[n++] = below(f, seats);
    }
    words[n++] = 0; /* out */
    words[n++] = 1;
    words[n++] = seats;
    for (int seat = 0; seat < seats; seat++) {
        const int spaces = 1 + below(f, 5);
        words[n++] = seat;
        words[n++] = spaces;
        for (int i = 0; i < spaces; i++)
            words[n++] = (15 + seat) * 20 + i;
    }
    spoil(f, words, n, 4, 1);
    return n;
}

int main(int argc, char **argv) { return fuzz("universal", start, position, argc, argv); }
