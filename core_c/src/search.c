/* search.c: computer opponents (warlog.h, section 9): one search for all games, by the interface alone. */
#include "playing.h"

enum {
    LISTED_MAX = 4096, /* of a longer listing the rest is not looked at */
    DEPTH_MAX = 64,    /* actions down the tree */
    LOOKAHEAD = 12,
    CANDIDATES = 8,
};

/* An action that was tried after those above it. Nodes are numbered from 1; 0 is none. */
typedef struct node {
    wl_action action;
    int32_t actor;
    uint32_t first, next; /* the first action after it, and the next one beside it */
    uint32_t visits;
    uint32_t possible; /* how often it could have been chosen */
    uint32_t zero_;
    uint64_t sum; /* of the values to its actor */
} node;

typedef struct search {
    const wl_game *game;
    const void *setup;
    int32_t seat, lookahead, candidates;
    uint64_t random;
    uint8_t *world, *tried; /* states */
    wl_action *actions;     /* room for LISTED_MAX */
    node *nodes;            /* the root is node 0 */
    uint32_t n_nodes, cap;
} search;

/* ---- integers ------------------------------------------------------------------------------------------------------ */

/* The square root, rounded down. */
static uint32_t root_of(uint64_t x)
{
    uint64_t root = 0;

    for (uint64_t bit = (uint64_t)1 << 62; bit != 0; bit >>= 2) {
        if (x >= root + bit) {
            x -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    return (uint32_t)root;
}

/* The natural logarithm of n >= 1, times 65536; between powers of two on a straight line. */
static uint64_t logarithm(uint32_t n)
{
    const uint32_t power = 31 - (uint32_t)__builtin_clz(n);
    const uint64_t rest = (((uint64_t)n << 16) >> power) - 65536;

    return ((((uint64_t)power << 16) + rest) * 45426) >> 16; /* ln 2 = 45426 / 65536 */
}

/* ---- values ---------------------------------------------------------------------------------------------------------- */

static void value_of(const search *s, const void *state, int32_t *value)
{
    const wl_result result = s->game->result(state);

    memset(value, 0, WL_SEATS_MAX * sizeof *value);
    if (!result.over) {
        s->game->evaluate(s->setup, state, value);
        return;
    }
    for (int32_t seat = 0; seat < WL_SEATS_MAX; seat++)
        value[seat] = result.winners == 0 ? WL_EVEN : (result.winners & wl_bit(seat)) != 0 ? WL_WON : WL_LOST;
}

/* ---- the tree -------------------------------------------------------------------------------------------------------- */

static int same_action(const wl_action *a, const wl_action *b) { return memcmp(a, b, sizeof *a) == 0; }

static const node *child_with(const search *s, const node *parent, int32_t actor, const wl_action *action)
{
    for (uint32_t i = parent->first; i != 0; i = s->nodes[i].next)
        if (s->nodes[i].actor == actor && same_action(&s->nodes[i].action, action))
            return &s->nodes[i];
    return NULL;
}

/* The mean value of a child, and a bonus that shrinks with its visits (the upper confidence bound of UCT). */
static uint64_t promise(const node *child)
{
    const uint64_t doubt = root_of((logarithm(child->possible) << 16) / child->visits); /* times 65536 */

    return child->sum / child->visits + doubt / 2;
}

/* So many actions are tried at a node that was visited so often. */
static uint32_t width(uint32_t visits) { return 2 * root_of(visits) + 1; }

/* The child of `parent` that promises most, of those that are possible in the world; `*n` is how many are. */
static node *best_child(search *s, const node *parent, int32_t actor, uint32_t *n)
{
    node *best = NULL;
    uint64_t most = 0;

    *n = 0;
    for (uint32_t i = parent->first; i != 0; i = s->nodes[i].next) {
        node *child = &s->nodes[i];
        const wl_post post = {.actor = actor, .action = child->action};

        if (child->actor != actor || s->game->check(s->setup, s->world, &post) != WL_OK)
            continue;
        child->possible++;
        (*n)++;
        if (best == NULL || promise(child) > most) {
            best = child;
            most = promise(child);
        }
    }
    return best;
}

/* Of some actions that were not tried yet the one that is best for the actor at a glance; 0 if all were. */
static int find_new(search *s, const node *parent, int32_t actor, wl_action *found)
{
    const size_t listed = s->game->legal(s->setup, s->world, actor, s->actions, LISTED_MAX);
    size_t n = 0;
    int32_t most = -1;

    for (size_t i = 0; i < listed && i < LISTED_MAX; i++)
        if (wl_may_choose(s->game, &s->actions[i], WL_PLAY_ON) && child_with(s, parent, actor, &s->actions[i]) == NULL)
            s->actions[n++] = s->actions[i];
    for (int32_t tries = 0; tries < s->candidates && n > 0; tries++) {
        const uint32_t at = wl_below(&s->random, (uint32_t)n);
        const wl_post post = {.actor = actor, .action = s->actions[at]};
        int32_t value[WL_SEATS_MAX];

        s->actions[at] = s->actions[--n];
        if (s->candidates > 1) {
            wl_copy(s->game, s->tried, s->world);
            if (wl_play(s->game, s->setup, s->tried, &post, &s->random) != WL_OK)
                continue;
            value_of(s, s->tried, value);
        } else {
            value[actor] = 0;
        }
        if (value[actor] > most) {
            most = value[actor];
            *found = post.action;
        }
    }
    return most >= 0;
}

static node *add_child(search *s, node *parent, int32_t actor, const wl_action *action)
{
    node *child;

    if (s->n_nodes == s->cap)
        return NULL;
    child = &s->nodes[s->n_nodes];
    *child = (node){.action = *action, .actor = actor, .next = parent->first, .possible = 1};
    parent->first = s->n_nodes++;
    return child;
}

/* Down the tree, and one action further, in the world; then some actions at random. The nodes on the way go to `path`. */
static int32_t walk(search *s, node **path)
{
    int32_t depth = 0;
    int is_new = 0;

    path[depth++] = s->nodes;
    while (depth < DEPTH_MAX && !is_new) {
        const uint32_t seats = s->game->to_act(s->setup, s->world);
        node *parent = path[depth - 1];
        int32_t actor;
        uint32_t n;
        node *child;
        wl_action found = {0};
        wl_post post = {0};

        if (seats == 0)
            break;
        actor = depth == 1 ? s->seat : wl_lowest(seats);
        child = best_child(s, parent, actor, &n);
        if (n < width(parent->visits) && find_new(s, parent, actor, &found)) {
            node *added = add_child(s, parent, actor, &found);
            is_new = added != NULL;
            child = is_new ? added : child;
        }
        if (child == NULL)
            break;
        post.actor = actor;
        post.action = child->action;
        if (wl_play(s->game, s->setup, s->world, &post, &s->random) != WL_OK)
            break;
        path[depth++] = child;
    }
    for (int32_t i = 0; i < s->lookahead; i++) {
        wl_post post = {0};
        const wl_action *action =
            wl_choose_any(s->game, s->setup, s->world, WL_PLAY_ON, &s->random, s->actions, LISTED_MAX, &post.actor);

        if (action == NULL)
            break;
        post.action = *action;
        if (wl_play(s->game, s->setup, s->world, &post, &s->random) != WL_OK)
            break;
    }
    return depth;
}

static int32_t iterate(search *s, const void *seen)
{
    node *path[DEPTH_MAX];
    int32_t value[WL_SEATS_MAX];
    int32_t depth;
    int32_t error;

    wl_copy(s->game, s->world, seen);
    error = wl_imagine(s->game, s->setup, s->world, s->seat, &s->random);
    if (error != WL_OK)
        return error;
    depth = walk(s, path);
    value_of(s, s->world, value);
    for (int32_t i = 0; i < depth; i++) {
        path[i]->visits++;
        if (i > 0)
            path[i]->sum += (uint64_t)value[path[i]->actor];
    }
    return WL_OK;
}

/* ---- the answer ------------------------------------------------------------------------------------------------------ */

static const node *most_visited(const search *s, const node *parent)
{
    const node *most = NULL;

    for (uint32_t i = parent->first; i != 0; i = s->nodes[i].next)
        if (most == NULL || s->nodes[i].visits > most->visits)
            most = &s->nodes[i];
    return most;
}

static wl_choice choice_of(const search *s, const node *chosen)
{
    wl_choice choice = {.action = chosen->action, .visits = chosen->visits};
    const node *next = chosen;

    choice.value = (int32_t)(chosen->sum / (chosen->visits > 0 ? chosen->visits : 1));
    while (choice.n_line < WL_LINE_MAX && (next = most_visited(s, next)) != NULL) {
        choice.actor[choice.n_line] = next->actor;
        choice.line[choice.n_line++] = next->action;
    }
    return choice;
}

/* Into their order: the most visited first, of equals the one that was tried first. */
static size_t write_choices(const search *s, wl_choice *out, size_t cap)
{
    size_t n = 0;

    for (uint32_t i = s->nodes->first; i != 0; i = s->nodes[i].next, n++) {
        size_t place = n < cap ? n : cap;
        while (place > 0 && out[place - 1].visits <= (int64_t)s->nodes[i].visits) {
            if (place < cap)
                out[place] = out[place - 1];
            place--;
        }
        if (place < cap)
            out[place] = choice_of(s, &s->nodes[i]);
    }
    return n;
}

/* ---- entry points ------------------------------------------------------------------------------------------------------ */

static int plays(const wl_game *game) { return game != NULL && game->sample != NULL && game->evaluate != NULL; }

int32_t wl_sample(const wl_game *game, const void *setup, const void *seen, int32_t viewer, uint64_t seed, void *out)
{
    const int32_t error = wl_check_state(game, setup, seen);
    uint64_t random = seed;

    if (error != WL_OK)
        return error;
    if (!plays(game) || out == NULL || (uintptr_t)out % 8 != 0 || viewer < 0 || viewer > WL_SPECTATOR)
        return WL_E_ARGUMENT;
    memcpy(out, seen, game->state_size);
    return wl_imagine(game, setup, out, viewer, &random);
}

int32_t wl_evaluate(const wl_game *game, const void *setup, const void *state, int32_t *value)
{
    const int32_t error = wl_check_state(game, setup, state);
    const search s = {.game = game, .setup = setup};

    if (error != WL_OK)
        return error;
    if (!plays(game) || value == NULL)
        return WL_E_ARGUMENT;
    value_of(&s, state, value);
    return game->seats_in(setup);
}

int64_t wl_search(const wl_game *game, const void *setup, const void *seen, int32_t seat, const wl_search_settings *settings,
                  void *arena, size_t n_arena, wl_choice *out, size_t cap)
{
    int32_t error = wl_check_state(game, setup, seen);
    search s = {.game = game, .setup = setup, .seat = seat};
    size_t used;
    size_t room;

    if (error != WL_OK)
        return error;
    if (!plays(game) || settings == NULL || settings->iterations < 0 || settings->lookahead < 0 || settings->candidates < 0)
        return WL_E_ARGUMENT;
    if (seat < 0 || seat >= game->seats_in(setup) || arena == NULL || (uintptr_t)arena % 8 != 0 || (out == NULL && cap > 0))
        return WL_E_ARGUMENT;
    if ((game->to_act(setup, seen) & wl_bit(seat)) == 0)
        return 0;
    used = 2 * game->state_size + LISTED_MAX * sizeof(wl_action);
    if (n_arena < used + 2 * sizeof(node))
        return WL_E_SPACE;
    s.world = arena;
    s.tried = s.world + game->state_size;
    s.actions = (wl_action *)(void *)(s.tried + game->state_size);
    s.nodes = (node *)(void *)(s.actions + LISTED_MAX);
    room = (n_arena - used) / sizeof(node);
    s.cap = room < UINT32_MAX / 2 ? (uint32_t)room : UINT32_MAX / 2;
    s.n_nodes = 1;
    s.nodes[0] = (node){.actor = WL_SERVER};
    s.random = settings->seed;
    s.lookahead = settings->lookahead > 0 ? settings->lookahead : LOOKAHEAD;
    s.candidates = settings->candidates > 0 ? settings->candidates : CANDIDATES;
    memset(s.world, 0, 2 * game->state_size);
    for (int64_t i = 0; i < settings->iterations; i++) {
        error = iterate(&s, seen);
        if (error != WL_OK)
            return error;
    }
    return (int64_t)write_choices(&s, out, cap);
}
