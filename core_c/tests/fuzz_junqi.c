/* Siguo Junqi under the common fuzzer: mostly sensible options and Positions, sometimes nonsense. */
#include "warlog.h"

/* A swap is listed once and taken either way round (7.1). */
static void order_swap(wl_action *action)
{
    const int32_t a = action->field[0];

    if (action->type != 0 || a <= action->field[1])
        return;
    action->field[0] = action->field[1];
    action->field[1] = a;
}
#define AS_LISTED(action) order_swap(action)

#include "fuzz.h"

enum { OPTION_COUNT = 17, ARMY = 25, TYPES = 12 };
static const int8_t LAYOUT[ARMY] = {1, 2, 3, 3, 4, 10, 10, 4, 5, 5, 6, 6, 7, 7, 7, 11, 11, 11, 8, 8, 8, 0, 9, 9, 9};

static int mode; /* of the options made last: a Position that is made for them fits it */

static size_t start(fuzzer *f, wl_word *words, size_t cap)
{
    const int players = (mode = below(f, 3) == 0) || below(f, 2) ? 2 : 4;
    size_t n = 0;

    (void)cap;
    words[n++] = 0;
    for (int i = 0; i < OPTION_COUNT; i++)
        words[n++] = ABSENT;
    words[1] = mode;
    words[2] = players;
    words[3] = players == 2 && !mode ? below(f, 2) : ABSENT;
    words[4] = players == 4 ? below(f, 2) : ABSENT;
    words[6] = 1 + below(f, 3); /* max_timeouts */
    words[8] = below(f, 4);
    words[9] = below(f, 4);
    words[10] = below(f, 30);
    words[11] = below(f, 2) ? 0 : 5 + below(f, 40); /* quiet_limit */
    words[12] = below(f, 2);
    words[14] = 1 + below(f, 10);
    words[15] = 2 + below(f, 20);
    words[16] = below(f, 3) ? 0 : below(f, 1000000000);
    for (int i = 0; i < 8; i++) /* scores, balances */
        words[n++] = players == 2 && i % 2 ? ABSENT : i < 4 ? hostile(f) % 1000000 : 1000000000000;
    words[n++] = !mode && below(f, 8) == 0;
    if (words[n - 1])
        for (int ground = 0; ground < 4; ground++) {
            const int given = (players == 4 || ground % 2 == 0) && below(f, 2);
            words[n++] = given ? ARMY : ABSENT;
            for (int i = 0; given && i < ARMY; i++)
                words[n++] = LAYOUT[i];
        }
    spoil(f, words, n, 8, 4);
    return n;
}

/* Flags at home, one offer, a last move, and a crowd strewn over the grounds of south and north, in flip mode half of it face
 * down; sometimes not quite fit for four seats. */
static size_t position(fuzzer *f, wl_word *words, size_t cap)
{
    const int crowd = 2 + below(f, 21);
    size_t n = 0;

    (void)cap;
    words[n++] = 0;
    words[n++] = 1;
    words[n++] = 2 * below(f, 2); /* turn */
    words[n++] = below(f, 2) ? ABSENT : 0;
    words[n++] = below(f, 100);
    words[n++] = below(f, 4);
    words[n++] = mode; /* colors */
    words[n++] = mode;
    words[n++] = 0;
    words[n++] = 1; /* seats */
    words[n++] = 2;
    words[n++] = 0;
    words[n++] = ABSENT;
    words[n++] = ABSENT;
    words[n++] = below(f, 2) ? 0 : ABSENT;
    words[n++] = below(f, 2);
    words[n++] = crowd + 2;
    for (int i = 0; i < crowd + 2; i++) {
        words[n++] = ABSENT;
        words[n++] = mode ? ABSENT : i % 2 * 2;
        words[n++] = mode ? i % 2 : ABSENT;
        words[n++] = i / 2;
        words[n++] = i < 2 ? 26 + 60 * i : i - 2 + 60 * below(f, 2);
        words[n++] = mode ? below(f, 2) : ABSENT;
    }
    words[n++] = below(f, 2); /* offer */
    words[n++] = 2 * below(f, 2);
    words[n++] = 0;
    words[n++] = below(f, 2); /* last_move */
    words[n++] = below(f, 2) * 2;
    words[n++] = 0;
    words[n++] = 5;
    words[n++] = below(f, 5) ? ABSENT : below(f, 4);
    words[n++] = 3;
    words[n++] = 0;
    words[n++] = 120;
    words[n++] = 5;
    spoil(f, words, n, 8, 1);
    return n;
}

int main(int argc, char **argv) { return fuzz("junqi", start, position, argc, argv); }
