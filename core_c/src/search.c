/* search.c: computer opponents (warlog.h, section 9): one search for all games, by the interface alone. */
#include "playing.h"

enum {
    LISTED_MAX = 4096, /* of a longer listing the rest is not looked at */
    DEPTH_MAX = 64,    /* actions down the tree */
    KEPT = 8,          /* of the candidates at a node below the root */
    ANSWERS = 8,       /* of each seat are remembered that were good elsewhere */
    CANDIDATES = 64,   /* and the other numbers of wl_search_settings that are not given */
    ROOT_CANDIDATES = LISTED_MAX,
    GLANCES = 16,
    THROWS = 6, /* below the root an action that draws is looked at so often, or the lucky ones would seem the best */
    TRUST = 8,
    EXPLORATION = 50,
    WIDENING = 100,
    SPREAD = 8192, /* before anything has been seen */
    IDLE = 1000,   /* so much worse seems, at a glance, what gains nothing and leaves its seat to act: it can be left out */
};

/* What an action is worth to its actor at a glance, and what it costs since it gains nothing (`idle` of wl_search_settings). */
typedef struct glimpse {
    uint32_t value, cost;
} glimpse;

/* An action that was tried after those above it. Nodes are numbered from 1; 0 is none. */
typedef struct node {
    wl_action action;
    int32_t actor;
    uint32_t first, next; /* the first action after it, and the next one beside it */
    uint32_t visits;
    glimpse prior;      /* at a glance */
    uint32_t fruitless; /* its visits when no more actions were found to come after it */
    uint64_t sum, costs; /* of the values to its actor; of what idle actions from here on cost him, at most the values */
} node;

typedef struct search {
    const wl_game *game;
    const void *setup, *seen;
    int32_t seat, candidates, root_candidates, glances, trust, exploration, widening, idle;
    uint64_t n_values, sum, squares; /* of the values to the seat */
    uint64_t spread;                 /* their standard deviation */
    uint64_t random;
    uint8_t *world, *tried; /* states */
    wl_action *actions;     /* room for LISTED_MAX */
    glimpse *glanced;       /* likewise: what they are worth at a glance */
    node *nodes;            /* the root is node 0 */
    wl_action answers[WL_SEATS_MAX][ANSWERS];
    uint32_t n_answers[WL_SEATS_MAX]; /* so far */
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

/* What the action is worth to its actor at a glance, 0 if it cannot be taken; and did it draw anything? `before`: what the world
 * is worth to the actor without it. */
static glimpse glance(search *s, const wl_post *post, int32_t before, int *drew)
{
    int32_t value[WL_SEATS_MAX];
    int32_t after;

    wl_copy(s->game, s->tried, s->world);
    if (wl_play_noting(s->game, s->setup, s->tried, post, &s->random, drew) != WL_OK)
        return (glimpse){0, 0};
    value_of(s, s->tried, value);
    after = value[post->actor];
    if (after > before || (s->game->to_act(s->setup, s->tried) & wl_bit(post->actor)) == 0)
        return (glimpse){(uint32_t)after, 0};
    return (glimpse){(uint32_t)(after > IDLE ? after - IDLE : 0), (uint32_t)s->idle};
}

/* Adds the mean of as many throws of the dice, where it throws any. */
static void glance_often(search *s, const wl_post *post, int32_t before, uint32_t throws, glimpse *sum)
{
    int drew;
    glimpse all = glance(s, post, before, &drew);

    throws = drew ? throws : 1;
    for (uint32_t i = 1; i < throws; i++) {
        const glimpse one = glance(s, post, before, &drew);
        all.value += one.value;
        all.cost += one.cost;
    }
    sum->value += all.value / throws;
    sum->cost += all.cost / throws;
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

/* The mean value of a child, less its costs; its value at a glance counts as `trust` visits. */
static uint64_t mean_of(const node *child, uint64_t trust)
{
    return (child->sum - child->costs + trust * child->prior.value) / (child->visits + trust);
}

/* The mean, and a bonus that shrinks with the visits: the upper confidence bound of UCT, measured by the spread of the values of
 * this search. `log`: of the visits of its parent. */
static uint64_t promise(const search *s, const node *child, uint64_t log)
{
    const uint64_t doubt = root_of((log << 16) / (child->visits + (uint64_t)s->trust)); /* times 65536 */

    return mean_of(child, (uint64_t)s->trust) + ((doubt * s->spread) >> 16) * (uint64_t)s->exploration / 100;
}

/* So many actions are tried at a node that was visited so often. */
static uint32_t width(const search *s, uint32_t visits)
{
    return (uint32_t)((uint64_t)s->widening * root_of((uint64_t)visits << 16) / 25600) + 1; /* 100 times 256 */
}

/* Of the first `most` children of `parent` that are possible in the world the one that promises most; `*n` is how many are. */
static node *best_child(search *s, const node *parent, int32_t actor, uint32_t most, uint32_t *n)
{
    const uint64_t log = logarithm(parent->visits + 1);
    node *best = NULL;
    uint64_t promised = 0;

    *n = 0;
    for (uint32_t i = parent->first; i != 0 && *n < most; i = s->nodes[i].next) {
        node *child = &s->nodes[i];
        const wl_post post = {.actor = actor, .action = child->action};
        uint64_t now;

        if (child->actor != actor || s->game->check(s->setup, s->world, &post) != WL_OK)
            continue;
        (*n)++;
        now = promise(s, child, log);
        if (best == NULL || now > promised) {
            best = child;
            promised = now;
        }
    }
    return best;
}

static int32_t imagine(search *s)
{
    if (s->belief != NULL) {
        wl_believe(s->game, s->belief, s->n_belief, s->world, &s->random);
        return WL_OK;
    }
    wl_copy(s->game, s->world, s->seen);
    return wl_imagine(s->game, s->setup, s->world, s->seat, &s->random);
}

/* Has it been the best answer of the seat elsewhere, not long ago? */
static int is_answer(const search *s, int32_t actor, const wl_action *action)
{
    for (uint32_t i = 0; i < ANSWERS && i < s->n_answers[actor]; i++)
        if (same_action(&s->answers[actor][i], action))
            return 1;
    return 0;
}

static void remember_answer(search *s, int32_t actor, const wl_action *action)
{
    if (!is_answer(s, actor, action))
        s->answers[actor][s->n_answers[actor]++ % ANSWERS] = *action;
}

static void swap_actions(wl_action *a, wl_action *b)
{
    const wl_action kept = *a;

    *a = *b;
    *b = kept;
}

/* Puts `most` actions of the seat that are not children yet to the front of the list: what was a good answer elsewhere, then
 * any at random, so that of equals not those are taken that a game lists first. Returns how many there are. */
static uint32_t find_untried(search *s, const node *parent, int32_t actor, uint32_t most)
{
    const size_t listed = s->game->legal(s->setup, s->world, actor, s->actions, LISTED_MAX);
    uint32_t n = 0, first = 0;

    for (size_t i = 0; i < listed && i < LISTED_MAX; i++)
        if (wl_may_choose(s->game, &s->actions[i], WL_PLAY_ON) && child_with(s, parent, actor, &s->actions[i]) == NULL)
            s->actions[n++] = s->actions[i];
    most = n < most ? n : most;
    for (uint32_t i = 0; i < n && first < most; i++)
        if (is_answer(s, actor, &s->actions[i]))
            swap_actions(&s->actions[first++], &s->actions[i]);
    for (; first < most; first++)
        swap_actions(&s->actions[first], &s->actions[first + wl_below(&s->random, n - first)]);
    return most;
}

/* A child for action `i` of the list, behind the one that was last. */
static uint32_t add_child(search *s, node *parent, uint32_t last, int32_t actor, uint32_t i)
{
    s->nodes[s->n_nodes] = (node){.action = s->actions[i], .actor = actor, .prior = s->glanced[i]};
    if (last == 0)
        parent->first = s->n_nodes;
    else
        s->nodes[last].next = s->n_nodes;
    return s->n_nodes++;
}

/* In this world, which is made of what is seen, is nothing hidden, and nothing random in the game's play? */
static int is_certain(const search *s)
{
    return s->game->draws_max == 0 && memcmp(s->world, s->seen, s->game->state_size) == 0;
}

/* What `n` actions of the list are worth to the actor at a glance, on the average over some worlds if it is the root's. */
static int32_t judge(search *s, int32_t actor, uint32_t n, int32_t glances)
{
    int32_t error = WL_OK;
    int32_t pass = 0;
    int32_t before[WL_SEATS_MAX];

    memset(s->glanced, 0, n * sizeof *s->glanced);
    do {
        value_of(s, s->world, before);
        for (uint32_t i = 0; i < n; i++) {
            const wl_post post = {.actor = actor, .action = s->actions[i]};
            glance_often(s, &post, before[actor], glances > 1 ? 1 : THROWS, &s->glanced[i]);
        }
        pass++;
        if (pass < glances)
            error = imagine(s);
    } while (pass < glances && error == WL_OK && !is_certain(s));
    for (uint32_t i = 0; i < n; i++) {
        s->glanced[i].value /= (uint32_t)pass;
        s->glanced[i].cost /= (uint32_t)pass;
    }
    return error;
}

/* Puts the best of the actions `from` to `n` of the list to their front. */
static void bring_best(search *s, uint32_t from, uint32_t n)
{
    uint32_t best = from;
    glimpse kept;

    for (uint32_t i = from + 1; i < n; i++)
        if (s->glanced[i].value > s->glanced[best].value)
            best = i;
    kept = s->glanced[best];
    s->glanced[best] = s->glanced[from];
    s->glanced[from] = kept;
    swap_actions(&s->actions[from], &s->actions[best]);
}

/* Children for the best of some actions that have none yet, the best first: 1. 0 if there are no such actions, or there is no room;
 * or an error. */
static int32_t widen(search *s, node *parent, int32_t actor)
{
    const int is_root = parent == s->nodes;
    const int32_t candidates = is_root ? s->root_candidates : s->candidates;
    const uint32_t n = s->n_nodes < s->cap ? find_untried(s, parent, actor, (uint32_t)candidates) : 0;
    int32_t error = WL_OK;
    uint32_t last = 0;

    if (n == 0)
        return 0;
    s->glanced[0] = (glimpse){WL_EVEN, 0};
    if (candidates > 1)
        error = judge(s, actor, n, is_root ? s->glances : 1);
    if (error != WL_OK)
        return error;
    for (uint32_t i = parent->first; i != 0; i = s->nodes[i].next)
        last = i;
    for (uint32_t i = 0; i < n && (is_root || i < KEPT) && s->n_nodes < s->cap; i++) {
        bring_best(s, i, n);
        last = add_child(s, parent, last, actor, i);
    }
    if (!is_root)
        remember_answer(s, actor, &s->actions[0]);
    return 1;
}

/* Down the tree, and from a new node one action further, in the world. The nodes on the way go to `path`; returns how many there
 * are, or an error. */
static int32_t walk(search *s, node **path)
{
    int32_t depth = 0;
    int is_new = 0;

    path[depth++] = s->nodes;
    while (depth < DEPTH_MAX && !is_new) {
        const uint32_t seats = s->game->to_act(s->setup, s->world);
        node *parent = path[depth - 1];
        const uint32_t most = width(s, parent->visits);
        int32_t actor;
        uint32_t n;
        node *child;
        wl_post post = {0};

        if (seats == 0)
            break;
        actor = depth == 1 ? s->seat : wl_lowest(seats);
        child = best_child(s, parent, actor, most, &n);
        if (n == 0 || (n < most && parent->visits >= 2 * parent->fruitless)) {
            const int32_t widened = widen(s, parent, actor);
            if (widened < 0)
                return widened;
            if (widened > 0)
                child = best_child(s, parent, actor, most, &n);
            else
                parent->fruitless = parent->visits;
        }
        if (child == NULL)
            break;
        is_new = parent->visits == 0 && depth > 1;
        post.actor = actor;
        post.action = child->action;
        if (wl_play(s->game, s->setup, s->world, &post, &s->random) != WL_OK)
            break;
        path[depth++] = child;
    }
    return depth;
}

static int32_t iterate(search *s)
{
    node *path[DEPTH_MAX];
    int32_t value[WL_SEATS_MAX], costs[WL_SEATS_MAX] = {0};
    int32_t depth;
    const int32_t error = imagine(s);

    if (error != WL_OK)
        return error;
    depth = walk(s, path);
    if (depth < 0)
        return depth;
    value_of(s, s->world, value);
    note_value(s, (uint64_t)value[s->seat]);
    for (int32_t i = depth - 1; i > 0; i--) {
        const int32_t actor = path[i]->actor;
        const int32_t left = value[actor] - costs[actor];
        costs[actor] += (int32_t)path[i]->prior.cost < left ? (int32_t)path[i]->prior.cost : left;
        path[i]->visits++;
        path[i]->sum += (uint64_t)value[actor];
        path[i]->costs += (uint64_t)costs[actor];
    }
    path[0]->visits++;
    return WL_OK;
}

/* ---- the answer ------------------------------------------------------------------------------------------------------ */

/* The child that was visited most, the first of equals; NULL if none was. */
static const node *most_visited(const search *s, const node *parent)
{
    const node *most = NULL;

    for (uint32_t i = parent->first; i != 0; i = s->nodes[i].next)
        if (s->nodes[i].visits > (most == NULL ? 0 : most->visits))
            most = &s->nodes[i];
    return most;
}

static wl_choice choice_of(const search *s, const node *chosen)
{
    wl_choice choice = {.action = chosen->action, .visits = chosen->visits};
    const node *next = chosen;

    choice.value = (int32_t)(chosen->sum / chosen->visits);
    while (choice.n_line < WL_LINE_MAX && (next = most_visited(s, next)) != NULL) {
        choice.actor[choice.n_line] = next->actor;
        choice.line[choice.n_line++] = next->action;
    }
    return choice;
}

/* How good an action seems: those that were visited half as often as another or more come first, by their mean; then the others,
 * by their visits. Where all have few visits the mean tells more than they. */
static uint64_t rank_of(const search *s, const node *child, uint32_t most)
{
    return child->visits >= most - most / 2 ? ((uint64_t)1 << 32) + mean_of(child, (uint64_t)s->trust) : child->visits;
}

/* In the answer: of equals the one that seemed better at a glance, which was added first. */
static int comes_before(const search *s, const node *a, const node *b, uint32_t most)
{
    const uint64_t rank_a = rank_of(s, a, most), rank_b = rank_of(s, b, most);

    return rank_a != rank_b ? rank_a > rank_b : a < b;
}

/* The actions that were visited, the best first. Returns how many there are. */
static size_t write_choices(const search *s, wl_choice *out, size_t cap)
{
    const node *first = most_visited(s, s->nodes);
    const uint32_t most = first == NULL ? 0 : first->visits;
    const node *last = NULL; /* the one written before */
    size_t n = 0;

    for (uint32_t i = s->nodes->first; i != 0; i = s->nodes[i].next)
        n += s->nodes[i].visits > 0;
    for (size_t place = 0; place < n && place < cap; place++) {
        const node *best = NULL;
        for (uint32_t i = s->nodes->first; i != 0; i = s->nodes[i].next) {
            const node *child = &s->nodes[i];
            if (child->visits == 0 || (last != NULL && !comes_before(s, last, child, most)))
                continue;
            if (best == NULL || comes_before(s, child, best, most))
                best = child;
        }
        out[place] = choice_of(s, best);
        last = best;
    }
    return n;
}

/* ---- entry points ------------------------------------------------------------------------------------------------------ */

static int32_t given(int32_t number, int32_t usual) { return number > 0 ? number : usual; }

static int are_settings(const wl_search_settings *s)
{
    return s != NULL && s->iterations >= 0 && s->candidates >= 0 && s->root_candidates >= 0 && s->glances >= 0 && s->trust >= 0 &&
           s->exploration >= 0 && s->widening >= 0 && s->idle >= 0 && s->idle <= WL_WON;
}

static int is_stopped(const wl_search_settings *s)
{
    return s->stop != NULL && __atomic_load_n(s->stop, __ATOMIC_RELAXED) != 0;
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
    used = 2 * game->state_size + LISTED_MAX * (sizeof(wl_action) + sizeof(glimpse));
    if (n_arena < used + 2 * sizeof(node))
        return WL_E_SPACE;
    s.world = arena;
    s.tried = s.world + game->state_size;
    s.actions = (wl_action *)(void *)(s.tried + game->state_size);
    s.glanced = (glimpse *)(void *)(s.actions + LISTED_MAX);
    s.nodes = (node *)(void *)(s.glanced + LISTED_MAX);
    s.seen = seen;
    room = (n_arena - used) / sizeof(node);
    s.cap = room < UINT32_MAX / 2 ? (uint32_t)room : UINT32_MAX / 2;
    s.n_nodes = 1;
    s.nodes[0] = (node){.actor = WL_SERVER};
    s.random = settings->seed;
    s.candidates = given(settings->candidates, CANDIDATES);
    s.root_candidates = given(settings->root_candidates, ROOT_CANDIDATES);
    s.exploration = given(settings->exploration, EXPLORATION);
    s.widening = given(settings->widening, WIDENING);
    s.glances = given(settings->glances, GLANCES);
    s.trust = given(settings->trust, TRUST);
    s.idle = settings->idle;
    s.spread = SPREAD;
    memset(s.world, 0, 2 * game->state_size);
    for (int64_t i = 0; i < settings->iterations; i++) {
        if (is_stopped(settings))
            return WL_E_STOPPED;
        error = iterate(&s);
        if (error != WL_OK)
            return error;
    }
    return (int64_t)write_choices(&s, out, cap);
}
