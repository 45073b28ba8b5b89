/* Confrontation under the common fuzzer: mostly sensible options, sometimes nonsense. */
#include "fuzz.h"

static size_t start(fuzzer *f, wl_word *words, size_t cap)
{
    const int terrain = below(f, 3);
    size_t n = 0;

    (void)cap;
    words[n++] = 0;
    words[n++] = 2 + below(f, 3);
    words[n++] = below(f, 61); /* army_points */
    words[n++] = 1 + below(f, 8);
    words[n++] = 1 + below(f, 4);
    words[n++] = below(f, 4); /* spells_per_bishop */
    words[n++] = 1 + below(f, 3);
    words[n++] = below(f, 4);
    words[n++] = below(f, 5);
    words[n++] = below(f, 5);
    words[n++] = below(f, 5);
    words[n++] = below(f, 3) > 0; /* races */
    words[n++] = below(f, 11);
    words[n++] = 1 + below(f, 3);
    words[n++] = below(f, 2); /* treasure */
    words[n++] = terrain;
    words[n++] = below(f, 2) * below(f, 60); /* turn_limit */
    for (int i = 0; i < 6; i++) {
        words[n++] = below(f, 3) ? ABSENT : 1 + below(f, 7);
        words[n++] = below(f, 3) ? ABSENT : below(f, 10);
        words[n++] = i == 0 || below(f, 3) ? ABSENT : 1 + below(f, 6);
    }
    for (int i = 0; i < 5; i++) {
        words[n++] = i == 1 || i == 4 || below(f, 2) ? ABSENT : below(f, 10);
        words[n++] = i == 1 || i == 3 || below(f, 2) ? ABSENT : 1 + below(f, 7);
    }
    words[n++] = terrain == 1 ? 4 : 0;
    for (int kind = 0; terrain == 1 && kind < 4; kind++) {
        words[n++] = kind;
        words[n++] = 4;
        for (int i = 0; i < 4; i++)
            words[n++] = 16 + 8 * kind + i;
    }
    spoil(f, words, n, 8, 4);
    return n;
}

/* A crowd in the middle of the board, every seat alive; nearly always possible with two seats and races, sometimes not quite. */
static size_t position(fuzzer *f, wl_word *words, size_t cap)
{
    const int pieces = 6 + below(f, 7);
    size_t n = 0;

    (void)cap;
    words[n++] = 0;
    words[n++] = 2 * below(f, 2); /* white or black to act */
    words[n++] = below(f, 4) ? 1 : INT32_MAX;
    words[n++] = ABSENT;
    words[n++] = below(f, 2);
    words[n++] = 2;
    for (int seat = 0; seat < 2; seat++) {
        words[n++] = 2 * seat;
        words[n++] = ABSENT;
        words[n++] = below(f, 6);
        words[n++] = below(f, 4);
    }
    words[n++] = 0; /* play_order */
    words[n++] = 0;
    words[n++] = 0; /* acted */
    words[n++] = pieces;
    for (int i = 0; i < pieces; i++) {
        const int type = i < 2 ? 0 : 1 + below(f, 5);
        const int removed = i >= 6 && below(f, 4) == 0;
        words[n++] = i + 1;
        words[n++] = i % 2 * 2;
        words[n++] = type;
        words[n++] = removed ? 3 : 1;
        words[n++] = removed ? ABSENT : i / 4 * 8 + 16 + 2 * (i % 4) + below(f, 2);
        words[n++] = removed || below(f, 4) ? ABSENT : 1;
        words[n++] = removed || below(f, 4) ? ABSENT : below(f, 1000);
        words[n++] = removed || below(f, 4) ? ABSENT : below(f, 8);
        words[n++] = removed || type != 4 ? ABSENT : 10;
        for (int spell = 0; spell < 5; spell++)
            words[n++] = 2;
    }
    words[n++] = 1;
    words[n++] = below(f, 4);
    words[n++] = 2;
    words[n++] = 16 + below(f, 8);
    words[n++] = 24 + below(f, 16);
    spoil(f, words, n, 4, 1);
    return n;
}

int main(int argc, char **argv) { return fuzz("confrontation", start, position, argc, argv); }
