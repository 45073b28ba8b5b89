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

/* The action of this number, if there is one; whether it is legal is another matter. */
static int decode(const wl_game *game, const void *setup, const void *state, const wl_index *index, int32_t seat,
                  int32_t number, wl_action *out)
{
    int32_t digit[WL_DIGITS_MAX];
    int32_t family = index->n_families - 1;

    if (number < 0 || number >= index->n_actions)
        return 0;
    while (index->first[family] > number)
        family--;
    number -= index->first[family];
    for (int32_t d = WL_DIGITS_MAX - 1; d >= 0; d--) {
        digit[d] = number % index->size[family][d];
        number /= index->size[family][d];
    }
    memset(out, 0, sizeof *out);
    out->type = game->numbering->families[family].type;
    return game->numbering->decode(index, setup, state, seat, family, digit, out);
}

static int is_legal(const wl_game *game, const void *setup, const void *state, int32_t seat, const wl_action *action)
{
    const wl_post post = {.actor = seat, .action = *action};
    return game->check(setup, state, &post) == WL_OK;
}

int32_t wl_check_number(const wl_game *game, const void *setup, const void *state, const wl_index *index, int32_t seat,
                        int32_t number)
{
    wl_action action;

    if (!decode(game, setup, state, index, seat, number, &action))
        return WL_E_NUMBER;
    return is_legal(game, setup, state, seat, &action) ? WL_OK : WL_E_NUMBER;
}

void wl_decode_legal(const wl_game *game, const void *setup, const void *state, const wl_index *index, int32_t seat,
                      int32_t number, wl_action *out)
{
    decode(game, setup, state, index, seat, number, out);
    assert(is_legal(game, setup, state, seat, out));
}

wl_types wl_types_of(const wl_game *game)
{
    wl_types types = {0, 0};

    for (int32_t t = 0; game->actions[t].name != NULL; t++) {
        assert(t < 64);
        types.gives_up |= (uint64_t)((game->actions[t].flags & WL_GIVES_UP) != 0) << t;
        for (uint32_t p = 0; p < game->actions[t].n_parameters; p++)
            types.has_list |= (uint64_t)(game->actions[t].parameters[p].many != 0) << t;
    }
    return types;
}

/* May it be chosen, where actions of the types `left_out` may not? Only one with a list can be an open template. */
static inline int may_choose(const wl_action *action, uint64_t left_out, uint64_t has_list)
{
    if (((left_out | has_list) >> action->type & 1) == 0)
        return 1;
    return (left_out >> action->type & 1) == 0 && !wl_is_open(action);
}

/* Is there anything to choose but giving up? */
static int may_play_on(const wl_types *types, const wl_action *actions, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (may_choose(&actions[i], types->gives_up, types->has_list))
            return 1;
    return 0;
}

size_t wl_number_all(const wl_game *game, const void *setup, const void *state, const wl_index *index, const wl_types *types,
                     int32_t seat, uint32_t flags, const wl_action *actions, size_t n, int32_t *out)
{
    const wl_numbering *numbering = game->numbering;
    const uint64_t left_out = (flags & WL_PLAY_ON) && may_play_on(types, actions, n) ? types->gives_up : 0;
    const uint64_t has_list = types->has_list;
    size_t found = 0;

    for (size_t i = 0; i < n; i++) {
        if (!may_choose(&actions[i], left_out, has_list))
            continue;
        const int32_t number = number_of(numbering, setup, state, index, seat, &actions[i]);
        out[found] = number;
        found += number >= 0;
    }
    return found;
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
    int32_t error = begin(game, setup, state, seat, &index);

    if (error != WL_OK || out == NULL)
        return error != WL_OK ? error : WL_E_ARGUMENT;
    error = wl_check_number(game, setup, state, &index, seat, number);
    if (error == WL_OK)
        wl_decode_legal(game, setup, state, &index, seat, number, out);
    return error;
}

int64_t wl_numbers(const wl_game *game, const void *setup, const void *state, int32_t seat, uint32_t flags, wl_action *actions,
                   int32_t *out, size_t cap)
{
    wl_index index;
    wl_types types;
    const int32_t error = begin(game, setup, state, seat, &index);
    size_t n, kept = 0;

    if (error != WL_OK)
        return error;
    if (actions == NULL || out == NULL)
        return WL_E_ARGUMENT;
    n = game->legal(setup, state, seat, actions, cap);
    if (n > cap)
        return WL_E_SPACE;
    types = wl_types_of(game);
    n = wl_number_all(game, setup, state, &index, &types, seat, flags, actions, n, out);
    /* Each once. Listings are nearly in the order of the numbers, so that few have to be looked for. */
    for (size_t i = 0, greatest = 0; i < n; i++) {
        const int32_t number = out[i];
        size_t same = (size_t)number < greatest ? 0 : kept;
        while (same < kept && out[same] != number)
            same++;
        if (same == kept)
            out[kept++] = number;
        greatest = (size_t)number >= greatest ? (size_t)number + 1 : greatest;
    }
    return (int64_t)kept;
}

/* A few planes at a time, some KB: the instruction that memset takes for long runs is slower where they lie in a cache. */
static void clear_planes(float *out, int32_t n_planes, size_t cells)
{
    const int32_t at_once = 1 + 256 / (int32_t)cells;

    for (int32_t plane = 0; plane < n_planes; plane += at_once) {
        const int32_t n = n_planes - plane < at_once ? n_planes - plane : at_once;
        memset(out + (size_t)plane * cells, 0, (size_t)n * cells * sizeof *out);
    }
}

void wl_draw_planes(const wl_game *game, const void *setup, const void *state, const wl_index *index, int32_t seat, void *view,
                    float *out)
{
    wl_sheet sheet = {out, index->rows * index->columns, 0};
    const void *known = (const uint8_t *)view + game->view_state_offset;

    game->observe(setup, state, seat, view);
    clear_planes(out, index->n_planes, (size_t)sheet.cells);
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
