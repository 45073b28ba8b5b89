/* game.h: what a game file uses. Private to the core; the public interface is include/warlog.h. */
#ifndef WARLOG_GAME_H
#define WARLOG_GAME_H

#include "warlog.h"

#include <assert.h>
#include <string.h>

/* ---- draws ---------------------------------------------------------------------------------------------------- */

/* A uniform integer 0 ... n-1, n >= 2. After a failure (no more entropy, a wrong record) it answers 0 and the whole call
 * fails afterwards, so that game files need no error path for draws. */
int32_t wl_draw(wl_draws *draws, int64_t n);

/* ---- events ---------------------------------------------------------------------------------------------------- */

/* 1 when somebody wants the records: costly arguments (a path, say) need not be made otherwise. */
static inline int wl_wanted(const wl_event *event) { return event->words != NULL; }

/* One record, written in pieces (for lists) ... */
void wl_open_record(wl_event *event, int32_t kind, uint32_t audience, uint32_t unlock, int32_t type);
void wl_put(wl_event *event, wl_word word);
void wl_close_record(wl_event *event);

/* ... or at once. */
void wl_record(wl_event *event, int32_t kind, uint32_t audience, uint32_t unlock, int32_t type, const wl_word *words,
               size_t n);

#define WL_ARGS(...) (const wl_word[]){__VA_ARGS__}, sizeof((const wl_word[]){__VA_ARGS__}) / sizeof(wl_word)

/* An effect that everybody may see. */
#define WL_PUBLIC(event, type, ...) wl_record(event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0, type, WL_ARGS(__VA_ARGS__))

/* ---- words ------------------------------------------------------------------------------------------------------ */

static inline wl_word wl_next(wl_words *words)
{
    if (words->next < words->n_words)
        return words->words[words->next++];
    words->overrun = 1;
    return WL_WORD_ABSENT;
}

/* A list of `count` entries of `width` words each: their place, with the cursor moved past it. NULL, and an overrun,
 * when the count is negative or the words are not there. */
const wl_word *wl_next_list(wl_words *words, wl_word count, size_t width);

/* ---- structs ------------------------------------------------------------------------------------------------------ */

/* 1 when every byte of the struct that its layout does not show as used is zero. */
int wl_is_canonical(const wl_field *layout, const void *bytes, size_t size);

/* Where the used part of the struct ends; what comes after it is zero. */
size_t wl_used_bytes(const wl_field *layout, const void *bytes);

/* ---- small things ------------------------------------------------------------------------------------------------ */

static inline uint32_t wl_bit(int32_t i) { return (uint32_t)1 << i; }

/* The lowest set bit's index; bits must not be 0. */
static inline int32_t wl_lowest(uint32_t bits) { return __builtin_ctz(bits); }

static inline int32_t wl_popcount(uint32_t bits) { return __builtin_popcount(bits); }

#endif
