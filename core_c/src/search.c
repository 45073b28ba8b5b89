/* search.c: computer opponents (warlog.h, section 9): one search for all games, by the interface alone. */
#include "playing.h"

enum {
    LISTED_MAX = 4096, /* of a longer listing the rest is not looked at */
    DEPTH_MAX = 64,    /* actions down the tree */
    LOOKAHEAD = 4, /* and the other numbers of wl_search_settings that are not given */
    CARE = 4,
    CANDIDATES = 8,
    ROOT_CANDIDATES = 64,
    EXPLORATION = 100,
    WIDENING = 200,
    SPREAD = 8192, /* before anything has been seen */
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
    int32_t seat, lookahead, care, candidates, root_candidates, exploration, widening;
    uint64_t n_values, sum, squares; /* of the values to the seat */
    uint64_t spread;                 /* their standard deviation */
    uint64_t random;
    uint8_t *world, *tried; /* states */
    wl_action *actions;     /* room for LISTED_MAX */
    node *nodes;            /* the root is node 0 */
    const void *belief;     /* NULL where there is none, or nothing is hidden */
    size_t n_belief;
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

/* Notes the value of an iteration: how much is at stake tells how large a doubt is. */
static void note_value(search *s, uint64_t value)
{
    uint64_t mean;

    s->n_values++;
    s->sum += value;
    s->squares += value * value;
    mean = s->sum / s->n_values;
    s->spread = root_of(s->squares / s->n_values - mean * mean) + 1;
}

/* What the action is worth to its actor at a glance; -1 if it cannot be taken. Leaves the state after it in `tried`. */
static int32_t glance(search *s, const wl_post *post)
{
    int32_t value[WL_SEATS_MAX];

    wl_copy(s->game, s->tried, s->world);
    if (wl_play(s->game, s->setup, s->tried, post, &s->random) != WL_OK)
        return -1;
    value_of(s, s->tried, value);
    return value[post->actor];
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

/* The mean value of a child, and a bonus that shrinks with its visits: the upper confidence bound of UCT, measured by the spread
 * of the values of this search. */
static uint64_t promise(const search *s, const node *child)
{
    const uint64_t doubt = root_of((logarithm(child->possible) << 16) / child->visits); /* times 65536 */

    return child->sum / child->visits + ((doubt * s->spread) >> 16) * (uint64_t)s->exploration / 100;
}

/* So many actions are tried at a node that was visited so often. */
static uint32_t width(const search *s, uint32_t visits)
{
    return (uint32_t)((uint64_t)s->widening * root_of((uint64_t)visits << 16) / 25600) + 1; /* 100 times 256 */
}

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
        if (best == NULL || promise(s, child) > most) {
            best = child;
            most = promise(s, child);
        }
    }
    return best;
}

/* Of some actions that were not tried yet the one that is best for the actor at a glance; 0 if all were. */
static int find_new(search *s, const node *parent, int32_t actor, wl_action *found)
{
    const size_t listed = s->game->legal(s->setup, s->world, actor, s->actions, LISTED_MAX);
    const int32_t candidates = parent == s->nodes ? s->root_candidates : s->candidates;
    size_t n = 0;
    int32_t most = -1;

    for (size_t i = 0; i < listed && i < LISTED_MAX; i++)
        if (wl_may_choose(s->game, &s->actions[i], WL_PLAY_ON) && child_with(s, parent, actor, &s->actions[i]) == NULL)
            s->actions[n++] = s->actions[i];
    for (int32_t tries = 0; tries < candidates && n > 0; tries++) {
        const uint32_t at = wl_below(&s->random, (uint32_t)n);
        const wl_post post = {.actor = actor, .action = s->actions[at]};
        const int32_t value = candidates > 1 ? glance(s, &post) : 0;

        s->actions[at] = s->actions[--n];
        if (value > most) {
            most = value;
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

/* One action further below the tree: of a few at random of one seat the best at a glance. 0 if there is none. */
static int look_ahead(search *s)
{
    wl_post best = {0};
    int32_t most = -1;

    for (int32_t tries = 0; tries < s->care; tries++) {
        wl_post post = {0};
        const wl_action *action =
            wl_choose_any(s->game, s->setup, s->world, WL_PLAY_ON, &s->random, s->actions, LISTED_MAX, &post.actor);
        int32_t value;

        if (action == NULL)
            return 0;
        post.action = *action;
        if (tries > 0 && post.actor != best.actor)
            continue;
        value = s->care > 1 ? glance(s, &post) : 0;
        if (tries == 0 || value > most) {
            most = value;
            best = post;
        }
    }
    return wl_play(s->game, s->setup, s->world, &best, &s->random) == WL_OK;
}

/* Down the tree, and one action further, in the world; then some actions below it. The nodes on the way go to `path`. */
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
        if (n < width(s, parent->visits) && find_new(s, parent, actor, &found)) {
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
    for (int32_t i = 0; i < s->lookahead && look_ahead(s); i++)
        ;
    return depth;
}

static int32_t iterate(search *s, const void *seen)
{
    node *path[DEPTH_MAX];
    int32_t value[WL_SEATS_MAX];
    int32_t depth;

    if (s->belief != NULL) {
        wl_believe(s->game, s->belief, s->n_belief, s->world, &s->random);
    } else {
        int32_t error;
        wl_copy(s->game, s->world, seen);
        error = wl_imagine(s->game, s->setup, s->world, s->seat, &s->random);
        if (error != WL_OK)
            return error;
    }
    depth = walk(s, path);
    value_of(s, s->world, value);
    note_value(s, (uint64_t)value[s->seat]);
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

static int32_t given(int32_t number, int32_t usual) { return number > 0 ? number : usual; }

static int are_settings(const wl_search_settings *s)
{
    return s != NULL && s->iterations >= 0 && s->lookahead >= 0 && s->care >= 0 && s->candidates >= 0 &&
           s->root_candidates >= 0 && s->exploration >= 0 && s->widening >= 0;
}

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
    if (!plays(game) || !are_settings(settings))
        return WL_E_ARGUMENT;
    if (seat < 0 || seat >= game->seats_in(setup) || arena == NULL || (uintptr_t)arena % 8 != 0 || (out == NULL && cap > 0))
        return WL_E_ARGUMENT;
    if ((game->to_act(setup, seen) & wl_bit(seat)) == 0)
        return 0;
    if (settings->belief != NULL) {
        error = wl_check_belief(game, setup, seen, seat, settings->belief, settings->n_belief);
        if (error < 0)
            return error;
        s.belief = error > 0 ? settings->belief : NULL;
        s.n_belief = settings->n_belief;
    }
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
    s.lookahead = given(settings->lookahead, LOOKAHEAD);
    s.care = given(settings->care, CARE);
    s.candidates = given(settings->candidates, CANDIDATES);
    s.root_candidates = given(settings->root_candidates, ROOT_CANDIDATES);
    s.exploration = given(settings->exploration, EXPLORATION);
    s.widening = given(settings->widening, WIDENING);
    s.spread = SPREAD;
    memset(s.world, 0, 2 * game->state_size);
    for (int64_t i = 0; i < settings->iterations; i++) {
        error = iterate(&s, seen);
        if (error != WL_OK)
            return error;
    }
    return (int64_t)write_choices(&s, out, cap);
}
