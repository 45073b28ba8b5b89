/* common.c: records of events and lists of words. */
#include "game.h"

void wl_put(wl_event *event, wl_word word)
{
    if (event->words == NULL)
        return;
    if (event->n_words >= event->cap) {
        event->error = WL_E_SPACE;
        return;
    }
    event->words[event->n_words++] = word;
}

void wl_open_record(wl_event *event, int32_t kind, uint32_t audience, uint32_t unlock, int32_t type)
{
    if (event->words == NULL)
        return;
    if (kind != WL_REC_EFFECT || audience != WL_ALL_VIEWERS)
        event->hides = 1;
    event->open_ = event->n_words;
    wl_put(event, 0); /* the length, known when the record is closed */
    wl_put(event, kind);
    wl_put(event, audience);
    wl_put(event, unlock);
    wl_put(event, type);
}

void wl_close_record(wl_event *event)
{
    if (event->words == NULL || event->error != WL_OK)
        return;
    event->words[event->open_] = (wl_word)(event->n_words - event->open_);
}

void wl_record(wl_event *event, int32_t kind, uint32_t audience, uint32_t unlock, int32_t type, const wl_word *words,
               size_t n)
{
    if (event->words == NULL)
        return;
    wl_open_record(event, kind, audience, unlock, type);
    for (size_t i = 0; i < n; i++)
        wl_put(event, words[i]);
    wl_close_record(event);
}

const wl_word *wl_next_list(wl_words *words, wl_word count, size_t width)
{
    const size_t left = words->n_words - words->next;
    const wl_word *list = words->words + words->next;

    if (count < 0 || (uint64_t)count > left / width) {
        words->overrun = 1;
        words->next = words->n_words;
        return NULL;
    }
    words->next += (size_t)count * width;
    return list;
}
