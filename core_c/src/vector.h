/* vector.h: what numbering.c does for vector.c. Nothing is checked: the state is sound, the game has a numbering. */
#ifndef WARLOG_VECTOR_H
#define WARLOG_VECTOR_H

#include "game.h"

void wl_number_match(const wl_game *game, const void *setup, wl_index *index);

/* The number of a legal action, or WL_E_NUMBER. */
int32_t wl_encode_legal(const wl_game *game, const void *setup, const void *state, const wl_index *index, int32_t seat,
                        const wl_action *action);

/* WL_OK where there is a legal action with this number, else WL_E_NUMBER. */
int32_t wl_check_number(const wl_game *game, const void *setup, const void *state, const wl_index *index, int32_t seat,
                        int32_t number);

/* The action of this number, of which wl_check_number or wl_number_all have said that it is legal in this state. */
void wl_decode_legal(const wl_game *game, const void *setup, const void *state, const wl_index *index, int32_t seat, int32_t number,
                     wl_action *out);

/* Types of a game's actions, as bits: those that give up, and those with a list, which alone can be open templates. */
typedef struct wl_types {
    uint64_t gives_up, has_list;
} wl_types;
wl_types wl_types_of(const wl_game *game);

/* The number of each action of this listing that may be chosen by these `flags` and has one, to `out` (room for n). Returns how many
 * there are; actions with the same effect have the same. */
size_t wl_number_all(const wl_game *game, const void *setup, const void *state, const wl_index *index, const wl_types *types,
                     int32_t seat, uint32_t flags, const wl_action *actions, size_t n, int32_t *out);

/* The planes of what `seat` knows, by way of `view`, which is zero before and after: most of a view is not in use. */
void wl_draw_planes(const wl_game *game, const void *setup, const void *state, const wl_index *index, int32_t seat, void *view,
                    float *out);

#endif
