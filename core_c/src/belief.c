/* belief.c: what a seat has seen, from event to event, as particles (warlog.h, section 9); by the interface alone. */
#include "playing.h"

enum {
    LISTED_MAX = 2048,   /* of a longer listing the rest is not looked at */
    WORLDS_MAX = 4096,
    REMEMBERED_MAX = 512, /* versions */
    DRAWN_FROM = 32,      /* versions ago at most, new worlds are drawn */
    THOROUGH = 16,       /* worlds at most of which all actions are tried, to learn which one was taken */
    TRIALS = 64,         /* actions tried for each world that is moved on, as long as nobody knows which it was */
    TRIALS_KNOWN = 8,    /* and when it is known what it was in others */
    TRIALS_DRAWN = 4, TRIALS_DRAWN_MIN = 2048, /* for each new world; at least so many for all */
    TRIALS_VARIED = 32768,
    RENEWED = 1200, /* worlds drawn with each version, each to be replaced by a variation of itself */
    VARIED = 2, /* one in so many of all: fewer are made more by variation */
    FEW = 8,             /* one in so many of all: new worlds are drawn */
    DRAWN_AT_ONCE = 8,   /* of which the one that has agreed for longest is taken */
};

/* How a version came about: the one action that explains it, or none that is known. */
typedef struct step {
    int32_t is_known, actor;
    wl_action action;
} step;

/* What stands at the front of the memory. */
typedef struct head {
    uint64_t fingerprint; /* of the game */
    uint64_t setup;       /* its hash */
    uint64_t random;
    int32_t viewer, n_worlds;
    int32_t n_seen, newest; /* versions that are remembered, and where the last of them stands */
    int64_t version;        /* of the last of them, counted from the belief's own beginning */
} head;

/* The parts of the memory. */
typedef struct belief {
    const wl_game *game;
    const void *setup;
    head *head;
    wl_action *actions; /* a listing: LISTED_MAX, with their actors */
    uint8_t *actors;
    step *steps;   /* REMEMBERED_MAX; steps[i] led to what stands at i */
    uint8_t *seen; /* that many states */
    int64_t *since; /* of each world, the version from which on it has agreed */
    uint8_t *view, *tried, *kept;
    uint8_t *worlds; /* states, `cap` of them */
    uint8_t *origins; /* what they were at first, where the game can vary that; else NULL */
    size_t stride;
    int32_t cap, remembered;
    int32_t trials; /* left */
} belief;

static size_t rounded(size_t n) { return (n + 7) / 8 * 8; }

/* 0 where the memory is too small for anything. */
static int open_memory(belief *b, const wl_game *game, const void *setup, void *memory, size_t n_memory)
{
    uint8_t *at = memory;
    const size_t stride = rounded(game->state_size);
    const size_t fixed = sizeof(head) + LISTED_MAX * (sizeof(wl_action) + 1) + REMEMBERED_MAX * sizeof(step) +
                         WORLDS_MAX * sizeof(int64_t) + rounded(game->view_size) + 2 * stride;
    const size_t each = (game->vary != NULL ? 2 : 1) * stride;
    size_t left;

    if (n_memory < fixed + 8 * stride)
        return 0;
    left = n_memory - fixed; /* a quarter of it for what was seen */
    *b = (belief){.game = game, .setup = setup, .head = memory, .stride = stride};
    b->remembered = left / 4 / stride < REMEMBERED_MAX ? (int32_t)(left / 4 / stride) : REMEMBERED_MAX;
    left -= (size_t)b->remembered * stride;
    b->cap = left / each < WORLDS_MAX ? (int32_t)(left / each) : WORLDS_MAX;
    b->since = (int64_t *)(void *)(at += sizeof(head));
    b->actions = (wl_action *)(void *)(at += WORLDS_MAX * sizeof(int64_t));
    b->steps = (step *)(void *)(at += LISTED_MAX * sizeof(wl_action));
    b->actors = at += REMEMBERED_MAX * sizeof(step);
    b->view = at += LISTED_MAX;
    b->tried = at += rounded(game->view_size);
    b->kept = at += stride;
    b->seen = at += stride;
    b->worlds = at += (size_t)b->remembered * stride;
    b->origins = game->vary != NULL ? at + (size_t)b->cap * stride : NULL;
    return b->cap >= FEW;
}

static uint8_t *world_of(const belief *b, int32_t i) { return b->worlds + (size_t)i * b->stride; }

static uint8_t *origin_of(const belief *b, int32_t i) { return b->origins + (size_t)i * b->stride; }

/* What was seen so many versions ago, and where that stands. */
static int32_t place_of(const belief *b, int32_t ago)
{
    return (b->head->newest + b->remembered - ago) % b->remembered;
}
static uint8_t *seen_at(const belief *b, int32_t place) { return b->seen + (size_t)place * b->stride; }

/* ---- from one version to the next ---------------------------------------------------------------------------------------- */

static int agrees(const belief *b, const void *world, const void *seen)
{
    const wl_game *game = b->game;

    if (game->phase(world) != game->phase(seen) || game->to_act(b->setup, world) != game->to_act(b->setup, seen))
        return 0;
    memset(b->view, 0, game->view_size);
    if (game->observe(b->setup, world, b->head->viewer, b->view) != WL_OK)
        return 0;
    return memcmp(b->view + game->view_state_offset, seen, game->state_size) == 0;
}

/* Takes the action in `tried`, a copy of `world`: does that look like `seen`? */
static int explains(belief *b, const void *world, const void *seen, int32_t actor, const wl_action *action)
{
    const wl_post post = {.actor = actor, .action = *action};

    if (b->game->check(b->setup, world, &post) != WL_OK)
        return 0;
    wl_copy(b->game, b->tried, world);
    return wl_play(b->game, b->setup, b->tried, &post, &b->head->random) == WL_OK && agrees(b, b->tried, seen);
}

/* What anybody may do in this world: seats, whether they are to act or not, and the server. */
static int32_t list_actions(belief *b, const void *world)
{
    const wl_game *game = b->game;
    const int32_t seats = game->seats_in(b->setup);
    size_t n = 0;

    for (int32_t seat = 0; seat < seats; seat++) {
        const size_t listed = game->legal(b->setup, world, seat, b->actions + n, LISTED_MAX - n);
        const size_t end = n + (listed < LISTED_MAX - n ? listed : LISTED_MAX - n);
        for (size_t i = n; i < end; i++)
            if (!wl_is_open(&b->actions[i])) {
                b->actions[n] = b->actions[i];
                b->actors[n++] = (uint8_t)seat;
            }
    }
    for (int32_t type = 0; game->actions[type].name != NULL; type++)
        for (int32_t seat = 0; (game->actions[type].flags & WL_SERVER_ONLY) && seat < seats && n < LISTED_MAX; seat++) {
            b->actions[n] = (wl_action){.type = type, .field = {seat}};
            b->actors[n++] = WL_SERVER;
        }
    return (int32_t)n;
}

/* The same, but perhaps for one field: what pieces are called may differ from world to world. */
static int is_alike(const wl_action *a, const wl_action *b)
{
    int32_t differ = a->type != b->type;

    for (int32_t i = 0; i < WL_ACTION_FIELDS; i++)
        differ += a->field[i] != b->field[i];
    return a->type == b->type && differ <= 1;
}

/* The next action to be tried of `n` that are listed, which goes to the end of the list: one like that which is known if there is
 * one, else any. */
static void choose(belief *b, const step *known, int32_t n)
{
    int32_t at = -1;
    wl_action action;
    uint8_t actor;

    for (int32_t i = n - 1; known->is_known && at < 0 && i >= 0; i--)
        if (b->actors[i] == known->actor && is_alike(&b->actions[i], &known->action))
            at = i;
    if (at < 0)
        at = (int32_t)wl_below(&b->head->random, (uint32_t)n);
    action = b->actions[at];
    actor = b->actors[at];
    b->actions[at] = b->actions[n - 1];
    b->actors[at] = b->actors[n - 1];
    b->actions[n - 1] = action;
    b->actors[n - 1] = actor;
}

/* Moves a world on by an action after which it looks like `seen`, chosen at random where there are several; 0 if there is none.
 * The one that is known from other worlds is tried first, and what is like it. `thorough`: all are tried, and if one alone
 * explains it, that goes to `known`; returns how many did. */
static int32_t move_on(belief *b, void *world, const void *seen, step *known, int thorough)
{
    int32_t n, n_found = 0;
    step found = {0};

    if (known->is_known && explains(b, world, seen, known->actor, &known->action)) {
        wl_copy(b->game, world, b->tried);
        return 1;
    }
    if (b->trials <= 0)
        return 0;
    n = list_actions(b, world);
    for (; n > 0 && (n_found == 0 || thorough) && b->trials > 0; n--) {
        step now;

        choose(b, known, n);
        now = (step){1, b->actors[n - 1], b->actions[n - 1]};
        b->trials--;
        if (!explains(b, world, seen, now.actor, &now.action))
            continue;
        n_found++;
        if (n_found == 1 || wl_below(&b->head->random, (uint32_t)n_found) == 0)
            wl_copy(b->game, b->kept, b->tried);
        found = now;
    }
    if (n_found == 0)
        return 0;
    if (thorough && n_found == 1)
        *known = found;
    wl_copy(b->game, world, b->kept);
    return n_found;
}

static void move_worlds_on(belief *b)
{
    const void *seen = seen_at(b, b->head->newest);
    step *known = &b->steps[b->head->newest];
    int32_t n = 0;
    int32_t thorough = THOROUGH;

    b->trials = TRIALS * b->head->n_worlds;
    for (int32_t i = 0; i < b->head->n_worlds; i++) {
        const int all = !known->is_known && thorough > 0;
        const int32_t moved = move_on(b, world_of(b, i), seen, known, all);
        thorough = moved > 1 ? 0 : thorough - all;
        if (known->is_known && b->trials > TRIALS_KNOWN * b->head->n_worlds)
            b->trials = TRIALS_KNOWN * b->head->n_worlds;
        if (!moved)
            continue;
        b->since[n] = b->since[i];
        if (n < i)
            wl_copy(b->game, world_of(b, n), world_of(b, i));
        if (n < i && b->origins != NULL)
            wl_copy(b->game, origin_of(b, n), origin_of(b, i));
        n++;
    }
    b->head->n_worlds = n;
}

/* ---- new worlds ------------------------------------------------------------------------------------------------------------ */

/* Moves a world that looks as it did so many versions ago on to now; 0 if it does not come to look as now. */
static int follow(belief *b, int32_t ago, void *world)
{
    for (int32_t k = ago - 1; k >= 0; k--) {
        b->trials--;
        if (!move_on(b, world, seen_at(b, place_of(b, k)), &b->steps[place_of(b, k)], 0))
            return 0;
    }
    return 1;
}

/* A new world that has agreed since so many versions ago: 1. 0: there is no room, or it has not; or an error. */
static int32_t add_world(belief *b, int32_t ago)
{
    const int32_t place = b->head->n_worlds;
    int32_t error;

    if (place == b->cap)
        return 0;
    wl_copy(b->game, world_of(b, place), seen_at(b, place_of(b, ago)));
    error = wl_imagine(b->game, b->setup, world_of(b, place), b->head->viewer, &b->head->random);
    if (error != WL_OK) {
        memset(world_of(b, place), 0, b->stride);
        return ago == 0 ? error : 0;
    }
    if (b->origins != NULL)
        wl_copy(b->game, origin_of(b, place), world_of(b, place));
    if (!follow(b, ago, world_of(b, place)))
        return 0;
    b->since[b->head->n_worlds++] = b->head->version - ago;
    return 1;
}

/* Of some worlds, drawn at random, the one that has agreed for longest. */
static int32_t draw_world(const belief *b, uint64_t *random)
{
    const uint32_t n = (uint32_t)b->head->n_worlds;
    uint32_t best = wl_below(random, n);

    for (int32_t k = 1; k < DRAWN_AT_ONCE; k++) {
        const uint32_t other = wl_below(random, n);
        best = b->since[other] < b->since[best] ? other : best;
    }
    return (int32_t)best;
}

/* A new world, at the end, from this one: with a small change where it began, if it can go the whole way since then. */
static int vary_world(belief *b, int32_t from)
{
    const int32_t place = b->head->n_worlds;
    const int64_t ago = b->head->version - b->since[from];
    const void *seen;

    b->trials--;
    if (ago >= b->head->n_seen)
        return 0; /* it is forgotten what was seen then */
    seen = seen_at(b, place_of(b, (int32_t)ago));
    wl_copy(b->game, origin_of(b, place), origin_of(b, from));
    if (wl_vary(b->game, b->setup, seen, origin_of(b, place), &b->head->random) != WL_OK ||
        !b->game->sound_state(b->setup, origin_of(b, place)) || !agrees(b, origin_of(b, place), seen)) {
        memset(origin_of(b, place), 0, b->stride);
        return 0;
    }
    wl_copy(b->game, world_of(b, place), origin_of(b, place));
    if (!follow(b, (int32_t)ago, world_of(b, place)))
        return 0;
    b->since[b->head->n_worlds++] = b->since[from];
    return 1;
}

/* Worlds that agreed for long descend from few, and believe too firmly what these have in common. So with each version they
 * wander, a small change at a time, among all that agree (resample-move: Gilks and Berzuini, 2001). */
static void renew_worlds(belief *b)
{
    b->trials = TRIALS_VARIED;
    for (int32_t k = 0; k < RENEWED && b->trials > 0 && b->head->n_worlds > 0 && b->head->n_worlds < b->cap; k++) {
        const int32_t from = (int32_t)wl_below(&b->head->random, (uint32_t)b->head->n_worlds);
        int32_t last;

        if (!vary_world(b, from))
            continue;
        last = --b->head->n_worlds;
        wl_copy(b->game, world_of(b, from), world_of(b, last));
        wl_copy(b->game, origin_of(b, from), origin_of(b, last));
    }
}

static void vary_worlds(belief *b)
{
    b->trials = TRIALS_VARIED;
    while (b->head->n_worlds > 0 && b->head->n_worlds < b->cap / VARIED && b->trials > 0)
        vary_world(b, draw_world(b, &b->head->random));
}

/* New worlds: of those that agree with as much as is remembered, or with a part of it, as many as are found in time; then
 * such as agree with the last version alone. */
static int32_t draw_worlds(belief *b)
{
    const int32_t oldest = b->head->n_seen <= DRAWN_FROM ? b->head->n_seen - 1 : DRAWN_FROM;
    int32_t error = 1;

    b->trials = TRIALS_DRAWN * b->cap > TRIALS_DRAWN_MIN ? TRIALS_DRAWN * b->cap : TRIALS_DRAWN_MIN;
    for (int32_t tries = 0; oldest > 0 && b->trials > 0 && b->head->n_worlds < b->cap / 2; tries++)
        add_world(b, tries % 2 == 0 ? oldest : (int32_t)wl_below(&b->head->random, (uint32_t)oldest) + 1);
    while (error > 0 && b->head->n_worlds < (oldest > 0 ? b->cap / FEW : b->cap))
        error = add_world(b, 0);
    return error < 0 ? error : WL_OK;
}

/* ---- entry points ------------------------------------------------------------------------------------------------------------ */

/* Is nothing hidden from the viewer? Then a sample of what he sees is what he sees. An error where nothing fits. */
static int32_t is_whole(belief *b, const void *seen)
{
    int32_t error;

    if (b->game->to_act(b->setup, seen) == 0)
        return 1; /* it is over */
    wl_copy(b->game, b->kept, seen);
    error = wl_imagine(b->game, b->setup, b->kept, b->head->viewer, &b->head->random);
    return error != WL_OK ? error : memcmp(b->kept, seen, b->game->state_size) == 0;
}

static int is_of_this(const belief *b)
{
    return b->head->fingerprint == wl_fingerprint(b->game) && wl_between(0, b->head->viewer, WL_SEATS_MAX - 1) &&
           wl_between(0, b->head->n_worlds, b->cap) && wl_between(0, b->head->n_seen, b->remembered) &&
           wl_between(0, b->head->newest, b->remembered - 1);
}

int32_t wl_belief_begin(const wl_game *game, int32_t viewer, uint64_t seed, void *memory, size_t n_memory)
{
    belief b;

    if (game == NULL || game->sample == NULL || memory == NULL || (uintptr_t)memory % 8 != 0 || viewer < 0 ||
        viewer >= WL_SEATS_MAX)
        return WL_E_ARGUMENT;
    if (!open_memory(&b, game, NULL, memory, n_memory))
        return WL_E_SPACE;
    memset(memory, 0, n_memory);
    *b.head = (head){.fingerprint = wl_fingerprint(game), .random = seed, .viewer = viewer};
    return WL_OK;
}

int64_t wl_belief_see(const wl_game *game, const void *setup, const void *seen, void *memory, size_t n_memory)
{
    int32_t error = wl_check_state(game, setup, seen);
    uint64_t setup_hash;
    belief b;

    if (error != WL_OK)
        return error;
    setup_hash = wl_hash_bytes(setup, game->setup_size);
    if (game->sample == NULL || memory == NULL || (uintptr_t)memory % 8 != 0 ||
        !open_memory(&b, game, setup, memory, n_memory) || !is_of_this(&b) || b.head->viewer >= game->seats_in(setup))
        return WL_E_ARGUMENT;
    error = is_whole(&b, seen);
    if (error != 0 || b.head->setup != setup_hash) /* other options count from here on */
        b.head->n_worlds = b.head->n_seen = 0;
    b.head->setup = setup_hash;
    if (error != 0)
        return error < 0 ? error : 0;
    b.head->newest = (b.head->newest + 1) % b.remembered;
    wl_copy(game, seen_at(&b, b.head->newest), seen);
    b.steps[b.head->newest] = (step){0};
    if (b.head->n_seen < b.remembered)
        b.head->n_seen++;
    b.head->version++;
    move_worlds_on(&b);
    if (b.origins != NULL) {
        renew_worlds(&b);
        vary_worlds(&b);
    }
    if (b.head->n_worlds < b.cap / FEW) {
        error = draw_worlds(&b);
        if (error != WL_OK) {
            b.head->n_worlds = b.head->n_seen = 0;
            return error;
        }
    }
    return b.head->n_worlds;
}

int64_t wl_belief_world(const wl_game *game, const void *memory, size_t n_memory, int64_t i, void *out)
{
    belief b;

    if (game == NULL || memory == NULL || (uintptr_t)memory % 8 != 0 ||
        !open_memory(&b, game, NULL, (void *)(uintptr_t)memory, n_memory) || !is_of_this(&b) || (out != NULL && (i < 0 || i >= b.head->n_worlds)))
        return WL_E_ARGUMENT;
    if (out != NULL)
        memcpy(out, world_of(&b, (int32_t)i), game->state_size);
    return b.head->n_worlds;
}

int32_t wl_check_belief(const wl_game *game, const void *setup, const void *seen, int32_t viewer, const void *memory,
                        size_t n_memory)
{
    belief b;

    if ((uintptr_t)memory % 8 != 0 || !open_memory(&b, game, NULL, (void *)(uintptr_t)memory, n_memory) || !is_of_this(&b) ||
        b.head->viewer != viewer)
        return WL_E_ARGUMENT;
    if (b.head->n_worlds == 0)
        return 0;
    if (b.head->setup != wl_hash_bytes(setup, game->setup_size))
        return WL_E_ARGUMENT;
    return memcmp(seen_at(&b, b.head->newest), seen, game->state_size) == 0 ? b.head->n_worlds : WL_E_ARGUMENT;
}

void wl_believe(const wl_game *game, const void *memory, size_t n_memory, void *world, uint64_t *random)
{
    belief b;

    open_memory(&b, game, NULL, (void *)(uintptr_t)memory, n_memory);
    wl_copy(game, world, world_of(&b, draw_world(&b, random)));
}
