/* vector.h: what numbering.c does for vector.c. Nothing is checked: the state is sound, the game has a numbering. */
#ifndef WARLOG_VECTOR_H
#define WARLOG_VECTOR_H

#include "game.h"

void wl_number_match(const wl_game *game, const void *setup, wl_index *index);

/* The number of a legal action, or WL_E_NUMBER. */
int32_t wl_encode_legal(const wl_game *game, const void *setup, const void *state, const wl_index *index, int32_t seat,
                        const wl_action *action);

/* The legal action with this number; or WL_E_NUMBER. */
int32_t wl_decode_legal(const wl_game *game, const void *setup, const void *state, const wl_index *index, int32_t seat,
                        int32_t number, wl_action *out);

/* Calls `see` with the number of each action of this listing that may be chosen by these `flags` and has one. */
void wl_each_number(const wl_game *game, const void *setup, const void *state, const wl_index *index, int32_t seat,
                    uint32_t flags, const wl_action *actions, size_t n, void (*see)(void *, int32_t), void *to);

/* The planes of what `seat` knows, by way of `view`, which is zero before and after: most of a view is not in use. */
void wl_draw_planes(const wl_game *game, const void *setup, const void *state, const wl_index *index, int32_t seat, void *view,
                    float *out);

#endif
