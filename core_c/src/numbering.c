/* numbering.c: actions as numbers, what a seat knows as planes (warlog.h, section 10). */
#include "playing.h"
#include "vector.h"

static int32_t count_planes(const wl_numbering *numbering)
{
    int32_t n = 0;
    while (numbering->planes[n].name != NULL)
        n++;
    return n;
}

void wl_number_match(const wl_game *game, const void *setup, wl_index *index)
{
    const wl_numbering *numbering = game->numbering;
    int64_t first = 0;

    memset(index, 0, sizeof *index);
    numbering->board(setup, &index->rows, &index->columns);
    index->n_planes = count_planes(numbering);
    for (int32_t f = 0; numbering->families[f].name != NULL; f++) {
        int64_t size = 1;
        for (int32_t d = 0; d < WL_DIGITS_MAX; d++) {
            index->size[f][d] = numbering->families[f].digit[d] != NULL ? numbering->size(setup, f, d) : 1;
            size *= index->size[f][d];
        }
        index->first[f] = (int32_t)first;
        first += size;
        index->n_families = f + 1;
    }
    assert(first <= INT32_MAX);
    index->n_actions = (int32_t)first;
}

/* The number of the family without digits of this type of action, or WL_E_NUMBER. */
static int32_t plain_number(const wl_family *families, const wl_index *index, int32_t type)
{
    for (int32_t f = 0; families[f].name != NULL; f++)
        if (families[f].type == type && families[f].digit[0] == NULL)
            return index->first[f];
    return WL_E_NUMBER;
}

static inline int32_t number_of(const wl_numbering *numbering, const void *setup, const void *state, const wl_index *index,
                                int32_t seat, const wl_action *action)
{
    const int32_t number = numbering->encode(index, setup, state, seat, action);

    return number != WL_PLAIN ? number : plain_number(numbering->families, index, action->type);
}

int32_t wl_encode_legal(const wl_game *game, const void *setup, const void *state, const wl_index *index, int32_t seat,
                        const wl_action *action)
{
    return number_of(game->numbering, setup, state, index, seat, action);
}

int32_t wl_decode_legal(const wl_game *game, const void *setup, const void *state, const wl_index *index, int32_t seat,
                        int32_t number, wl_action *out)
{
    int32_t digit[WL_DIGITS_MAX];
    int32_t family = index->n_families - 1;
    wl_post post = {0};

    if (number < 0 || number >= index->n_actions)
        return WL_E_NUMBER;
    while (index->first[family] > number)
        family--;
    number -= index->first[family];
    for (int32_t d = WL_DIGITS_MAX - 1; d >= 0; d--) {
        digit[d] = number % index->size[family][d];
        number /= index->size[family][d];
    }
    post.actor = seat;
    post.action.type = game->numbering->families[family].type;
    if (!game->numbering->decode(index, setup, state, seat, family, digit, &post.action))
        return WL_E_NUMBER;
    if (game->check(setup, state, &post) != WL_OK)
        return WL_E_NUMBER;
    *out = post.action;
    return WL_OK;
}

/* Is there anything to choose but giving up? */
static int may_play_on(const wl_game *game, const wl_action *actions, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (wl_may_choose(game, &actions[i], WL_PLAY_ON))
            return 1;
    return 0;
}

/* Only an action with a list can be an open template. */
static int has_list(const wl_signature *type)
{
    for (uint32_t p = 0; p < type->n_parameters; p++)
        if (type->parameters[p].many)
            return 1;
    return 0;
}

void wl_each_number(const wl_game *game, const void *setup, const void *state, const wl_index *index, int32_t seat,
                    uint32_t flags, const wl_action *actions, size_t n, void (*see)(void *, int32_t), void *to)
{
    int32_t type = WL_MALFORMED; /* that of the action before: what follows from it is looked up once for all of the type */
    int is_left_out = 0, may_be_open = 0;

    if ((flags & WL_PLAY_ON) && !may_play_on(game, actions, n))
        flags &= ~(uint32_t)WL_PLAY_ON;
    for (size_t i = 0; i < n; i++) {
        if (actions[i].type != type) {
            type = actions[i].type;
            is_left_out = (flags & WL_PLAY_ON) && (game->actions[type].flags & WL_GIVES_UP);
            may_be_open = has_list(&game->actions[type]);
        }
        if (is_left_out || (may_be_open && wl_is_open(&actions[i])))
            continue;
        const int32_t number = number_of(game->numbering, setup, state, index, seat, &actions[i]);
        if (number >= 0)
            see(to, number);
    }
}

/* ---- of one match -------------------------------------------------------------------------------------------------- */

int32_t wl_index_of(const wl_game *game, const void *setup, wl_index *index)
{
    const int32_t seats = wl_seats(game, setup);

    if (seats < 0)
        return seats;
    if (game->numbering == NULL || index == NULL)
        return WL_E_ARGUMENT;
    wl_number_match(game, setup, index);
    return WL_OK;
}

/* A sound state, a seat of it, and its index. */
static int32_t begin(const wl_game *game, const void *setup, const void *state, int32_t seat, wl_index *index)
{
    const int32_t over = wl_phase(game, setup, state);

    if (over < 0)
        return over;
    if (seat < 0 || seat >= game->seats_in(setup))
        return WL_E_ARGUMENT;
    return wl_index_of(game, setup, index);
}

int32_t wl_encode(const wl_game *game, const void *setup, const void *state, int32_t seat, const wl_action *action)
{
    wl_index index;
    const int32_t error = begin(game, setup, state, seat, &index);
    const wl_post post = {.actor = seat, .action = action != NULL ? *action : (wl_action){WL_MALFORMED, {0}}};

    if (error != WL_OK)
        return error;
    if (wl_is_open(&post.action) || game->check(setup, state, &post) != WL_OK)
        return WL_E_NUMBER;
    return wl_encode_legal(game, setup, state, &index, seat, action);
}

int32_t wl_decode(const wl_game *game, const void *setup, const void *state, int32_t seat, int32_t number, wl_action *out)
{
    wl_index index;
    const int32_t error = begin(game, setup, state, seat, &index);

    if (error != WL_OK || out == NULL)
        return error != WL_OK ? error : WL_E_ARGUMENT;
    return wl_decode_legal(game, setup, state, &index, seat, number, out);
}

typedef struct numbers {
    int32_t *out, greatest;
    size_t n, cap;
} numbers;

/* Listings are nearly in the order of the numbers, so that few have to be looked for. */
static void note(void *to_, int32_t number)
{
    numbers *to = to_;

    for (size_t i = 0; number <= to->greatest && i < to->n; i++)
        if (to->out[i] == number)
            return;
    to->greatest = number > to->greatest ? number : to->greatest;
    assert(to->n < to->cap);
    to->out[to->n++] = number;
}

int64_t wl_numbers(const wl_game *game, const void *setup, const void *state, int32_t seat, uint32_t flags, wl_action *actions,
                   int32_t *out, size_t cap)
{
    numbers found = {out, -1, 0, cap};
    wl_index index;
    const int32_t error = begin(game, setup, state, seat, &index);
    size_t n;

    if (error != WL_OK)
        return error;
    if (actions == NULL || out == NULL)
        return WL_E_ARGUMENT;
    n = game->legal(setup, state, seat, actions, cap);
    if (n > cap)
        return WL_E_SPACE;
    wl_each_number(game, setup, state, &index, seat, flags, actions, n, note, &found);
    return (int64_t)found.n;
}

void wl_draw_planes(const wl_game *game, const void *setup, const void *state, const wl_index *index, int32_t seat, void *view,
                    float *out)
{
    wl_sheet sheet = {out, index->rows * index->columns, 0};
    const void *known = (const uint8_t *)view + game->view_state_offset;

    game->observe(setup, state, seat, view);
    memset(out, 0, sizeof *out * (size_t)index->n_planes * (size_t)sheet.cells);
    game->numbering->observe(setup, known, seat, &sheet);
    memset(view, 0, game->view_state_offset + wl_used_bytes(game->state_layout, known));
}

int32_t wl_planes(const wl_game *game, const void *setup, const void *state, int32_t seat, void *view, float *out)
{
    wl_index index;
    const int32_t error = begin(game, setup, state, seat, &index);

    if (error != WL_OK)
        return error;
    if (view == NULL || (uintptr_t)view % 8 != 0 || out == NULL)
        return WL_E_ARGUMENT;
    memset(view, 0, game->view_size);
    wl_draw_planes(game, setup, state, &index, seat, view, out);
    return WL_OK;
}
