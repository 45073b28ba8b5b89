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

/* The last arguments of wl_record for an effect: its type, a constant of WL_EFFECTS, and its fields, each of one word. Where the
 * type is computed, `shape` is the constant of one that has the same fields. */
#define WL_EFFECT(type, ...) WL_EFFECT_LIKE(type, type, __VA_ARGS__)
#define WL_EFFECT_LIKE(shape, type, ...) (WL_HAS_FIELDS(shape, __VA_ARGS__), type), WL_ARGS(__VA_ARGS__)
#define WL_HAS_FIELDS(type, ...)                                                                                      \
    (void)sizeof(struct {                                                                                             \
        _Static_assert(sizeof((const wl_word[]){__VA_ARGS__}) / sizeof(wl_word) == type##_FIELDS,                     \
                       "these are not as many fields as the effect has");                                             \
        int unused;                                                                                                   \
    })

/* An effect that everybody may see. */
#define WL_PUBLIC(event, type, ...) wl_record(event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0, WL_EFFECT(type, __VA_ARGS__))

/* ---- signatures ------------------------------------------------------------------------------------------------- */

/* What a game's actions and effects are is stated once: in a macro of rows X(constant, name, flags, field ...) for the actions,
 * and of rows X(constant, name, field ...) for the effects.
 *
 *     #define EFFECT_ROWS(X)                                                                        \
 *         X(E_TAKEN, taken, WL_SEAT(seat), WL_NUMBER(count), WL_NUMBER(heap))
 *     WL_EFFECTS(EFFECT_ROWS);
 *
 * WL_ACTIONS makes the constants, ACTIONS (how many there are) and ACTION_TYPES for wl_game.actions (WL_ACTION_CONSTANTS the first
 * two alone, for a header, WL_ACTION_TYPES the table); WL_EFFECTS the constants,
 * EFFECTS for wl_game.effects, and for each effect the number of its fields, to which WL_EFFECT holds its arguments. */
#define WL_ACTIONS(ROWS)                                                                                              \
    WL_ACTION_CONSTANTS(ROWS);                                                                                        \
    WL_ACTION_TYPES(ROWS)
#define WL_ACTION_CONSTANTS(ROWS) enum { ROWS(WL_ACTION_CONSTANT) ACTIONS }
#define WL_ACTION_TYPES(ROWS)                                                                                         \
    static const wl_signature ACTION_TYPES[] = {ROWS(WL_ACTION_ROW)[ACTIONS] = {NULL, 0, 0, {{NULL, NULL, 0, 0}}}}
#define WL_EFFECTS(ROWS)                                                                                              \
    enum { ROWS(WL_EFFECT_CONSTANT) EFFECT_TYPES };                                                                   \
    enum { ROWS(WL_EFFECT_FIELDS) };                                                                                  \
    static const wl_signature EFFECTS[] = {ROWS(WL_EFFECT_ROW)[EFFECT_TYPES] = {NULL, 0, 0, {{NULL, NULL, 0, 0}}}}
#define WL_ACTION_CONSTANT(constant, ...) constant,
#define WL_EFFECT_CONSTANT(constant, ...) constant,
#define WL_N_FIELDS(...) (sizeof((const wl_parameter[]){{NULL, NULL, 0, 0}, __VA_ARGS__}) / sizeof(wl_parameter) - 1)
#define WL_EFFECT_FIELDS(constant, name, ...) constant##_FIELDS = WL_N_FIELDS(__VA_ARGS__),
#define WL_ACTION_ROW(constant, name, flags, ...) [constant] = {#name, flags, WL_N_FIELDS(__VA_ARGS__), {__VA_ARGS__}},
#define WL_EFFECT_ROW(constant, name, ...) [constant] = {#name, 0, WL_N_FIELDS(__VA_ARGS__), {__VA_ARGS__}},

/* Fields: of a kind, one that may be absent, a list, a list that may be absent; and the kinds that games share. */
#define WL_OF(kind, name) {#name, #kind, 0, 0}
#define WL_MAYBE(kind, name) {#name, #kind, 0, 1}
#define WL_MANY(kind, name) {#name, #kind, 1, 0}
#define WL_MAYBE_MANY(kind, name) {#name, #kind, 1, 1}
#define WL_SPACE(name) WL_OF(space, name)
#define WL_PIECE(name) WL_OF(piece, name)
#define WL_SEAT(name) WL_OF(seat, name)
#define WL_NUMBER(name) WL_OF(number, name)
#define WL_FLAG(name) WL_OF(flag, name)

/* ---- listings --------------------------------------------------------------------------------------------------- */

/* Where `legal` writes: actions for which there is no room are counted all the same. */
typedef struct wl_listing {
    wl_action *out;
    size_t cap, n;
} wl_listing;

static inline void wl_list(wl_listing *l, int32_t type, int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int32_t f,
                           int32_t g)
{
    if (l->n < l->cap) { /* field by field: a record made elsewhere and copied takes longer */
        wl_action *out = &l->out[l->n];
        out->type = type;
        out->field[0] = a;
        out->field[1] = b;
        out->field[2] = c;
        out->field[3] = d;
        out->field[4] = e;
        out->field[5] = f;
        out->field[6] = g;
    }
    l->n++;
}

/* WL_LIST(listing, type, field ...): fields that are not named are 0. */
#define WL_LIST(...) WL_LIST_FIELDS(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0)
#define WL_LIST_FIELDS(l, type, a, b, c, d, e, f, g, ...) wl_list(l, type, a, b, c, d, e, f, g)

/* ---- traces ------------------------------------------------------------------------------------------------------ */

static inline void wl_pass(wl_trace *trace, int32_t step)
{
    if (trace->n_path < WL_TRACE_PATH_MAX)
        trace->path[trace->n_path++] = step;
}

/* list: WL_TRACE_HITS ... */
static inline void wl_touch(wl_trace *trace, int32_t list, int32_t step, int32_t piece)
{
    if (trace->n[list] < WL_TRACE_TOUCHED_MAX)
        trace->touched[list][trace->n[list]++] = (wl_touched){step, piece};
}

/* ---- planes ------------------------------------------------------------------------------------------------------ */

/* The tables of families and planes are made of rows X(constant, name, ...) like those of actions; their constants likewise. */
#define WL_FAMILIES(ROWS)                                                                                             \
    enum { ROWS(WL_FAMILY_CONSTANT) FAMILIES };                                                                       \
    static const wl_family FAMILY[] = {ROWS(WL_FAMILY_ROW){NULL, 0, {NULL}}};                                         \
    _Static_assert((int)FAMILIES <= (int)WL_FAMILIES_MAX, "they fit into a wl_index")
#define WL_FAMILY_CONSTANT(constant, ...) constant,
#define WL_FAMILY_ROW(constant, name, type, ...) {#name, type, {__VA_ARGS__}},
#define WL_PLANES(ROWS)                                                                                               \
    enum { ROWS(WL_PLANE_CONSTANT) PLANES };                                                                          \
    static const wl_plane PLANE[] = {ROWS(WL_PLANE_ROW){NULL, NULL}}
#define WL_PLANE_CONSTANT(constant, ...) constant,
#define WL_PLANE_ROW(constant, name, meaning) {#name, meaning},

/* The number of an action: WL_NUMBERED(index, family, digit ...), or WL_E_NUMBER where a digit is out of range: a Position may have
 * more than any start. */
#define WL_NUMBERED(index, ...)                                                                                       \
    WL_NUMBERED_BY(index, sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t) - 1, __VA_ARGS__, 0, 0, 0, 0)
#define WL_NUMBERED_BY(index, n_digits, family, a, b, c, d, ...) wl_number_of(index, n_digits, family, a, b, c, d)

/* Puts a digit behind a number. Notes one that is out of range, after which the number may be anything. */
static inline uint32_t wl_append(uint32_t number, int32_t digit, int32_t size, int *is_outside)
{
    *is_outside |= (uint32_t)digit >= (uint32_t)size;
    return number * (uint32_t)size + (uint32_t)digit;
}

static inline int32_t wl_number_of(const wl_index *index, size_t n_digits, int32_t family, int32_t a, int32_t b, int32_t c,
                                   int32_t d)
{
    const int32_t *size = index->size[family];
    int is_outside = 0;
    uint32_t number = 0;

    if (n_digits > 0)
        number = wl_append(number, a, size[0], &is_outside);
    if (n_digits > 1)
        number = wl_append(number, b, size[1], &is_outside);
    if (n_digits > 2)
        number = wl_append(number, c, size[2], &is_outside);
    if (n_digits > 3)
        number = wl_append(number, d, size[3], &is_outside);
    return is_outside ? WL_E_NUMBER : index->first[family] + (int32_t)number;
}

/* A number on one space of a plane ... */
static inline void wl_mark(wl_sheet *sheet, int32_t plane, int32_t cell, float value)
{
    sheet->out[(size_t)plane * (size_t)sheet->cells + (size_t)cell] = value;
}

/* ... and on all, for what is no matter of spaces. */
static inline void wl_fill(wl_sheet *sheet, int32_t plane, float value)
{
    float *at = sheet->out + (size_t)plane * (size_t)sheet->cells;
    int32_t left = value != 0 ? sheet->cells : 0;

    for (; left >= 4; left -= 4, at += 4) /* which the compiler makes one */
        at[0] = at[1] = at[2] = at[3] = value;
    for (; left > 0; left--, at++)
        *at = value;
}

/* A number without a bound as one below 1: `half` becomes one half. */
static inline float wl_squash(int64_t x, int64_t half) { return (float)x / (float)(x + half); }

/* ---- error codes ------------------------------------------------------------------------------------------------- */

/* A game's own codes are a table of rows X(constant, code) in a macro. From it come the constants, and the names for
 * wl_game.errors. */
#define WL_ERROR_CONSTANTS(TABLE)                                                                                     \
    enum { TABLE(WL_ERROR_ROW) WL_ERROR_ROWS };                                                                       \
    enum { TABLE(WL_ERROR_CONSTANT) }
#define WL_ERROR_NAMES(TABLE) {TABLE(WL_ERROR_NAME) NULL}
#define WL_ERROR_ROW(constant, code) ROW_##constant,
#define WL_ERROR_CONSTANT(constant, code) constant = WL_E_GAME - ROW_##constant,
#define WL_ERROR_NAME(constant, code) #code,

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

static inline wl_word wl_or_else(wl_word word, wl_word otherwise) { return word == WL_WORD_ABSENT ? otherwise : word; }

/* Leaves a note on what is wrong with these options or this Position, for wl_explain_start, and gives `error` back. The first
 * note stays. WL_BLAME(words, error, word ...): what the words mean stands at the head of the game's file. */
static inline int32_t wl_blame(wl_words *words, int32_t error, const wl_word *note, size_t n)
{
    assert(n <= WL_EXPLAIN_MAX);
    if (words->n_note == 0) {
        memcpy(words->note, note, n * sizeof *note);
        words->n_note = (int32_t)n;
    }
    return error;
}
#define WL_BLAME(words, error, ...) wl_blame(words, error, WL_ARGS(__VA_ARGS__))

/* An option that is one word: its range, and its default. Where the book gives two defaults the second is `second`. The table
 * OPTION of a game's options is made from the book's data (make_options.py). */
typedef struct wl_option {
    wl_word low, high, otherwise, second;
} wl_option;

/* Does the value lie in the range of this option, a row of the game's table OPTION? */
#define WL_IN_RANGE(row, value) wl_between(OPTION[row].low, value, OPTION[row].high)

/* ---- structs ------------------------------------------------------------------------------------------------------ */

/* 1 when every byte of the struct that its layout does not show as used is zero. */
int wl_is_canonical(const wl_field *layout, const void *bytes, size_t size);

/* Where the used part of the struct ends; what comes after it is zero. */
size_t wl_used_bytes(const wl_field *layout, const void *bytes);

/* Copies all but the elements of top-level lists that are not in use; what lies in their place in `to` stays. */
void wl_copy_used(const wl_field *layout, void *to, const void *from);

/* Writes `used` bytes of `from` over `to`, of which `to_used` may be other than zero. */
void wl_write_used(void *to, size_t to_used, const void *from, size_t used);

/* ---- the game ----------------------------------------------------------------------------------------------------- */

/* The members of a wl_game that game files call alike: tables (SEATS, SETUP_FIELDS ...), structs (hex_setup, hex_state, hex_view
 * with a member `state`) and functions (hex_check_options ... hex_sound_state). What a game does otherwise it sets itself. */
/* clang-format off */
#define WL_PARTS(game)                                                                                                \
    .seats = SEATS, .errors = ERROR_NAMES, .actions = ACTION_TYPES, .effects = EFFECTS,                               \
    .setup_size = sizeof(game##_setup), .state_size = sizeof(game##_state), .view_size = sizeof(game##_view),         \
    .setup_layout = SETUP_FIELDS, .state_layout = STATE_LAYOUT, .view_layout = VIEW_LAYOUT,                           \
    .view_state_offset = offsetof(game##_view, state),                                                                \
    .check_options = game##_check_options, .init = game##_init, .seats_in = game##_seats_in, .phase = game##_phase,   \
    .to_act = game##_to_act, .clock = game##_clock, .check = game##_check, .explain = game##_explain,                 \
    .legal = game##_legal, .apply = game##_apply, .disclosure = game##_disclosure, .observe = game##_observe,         \
    .result = game##_result, .sound_setup = game##_sound_setup, .sound_state = game##_sound_state
/* clang-format on */

/* ---- small things ------------------------------------------------------------------------------------------------ */

static inline int wl_between(wl_word low, wl_word value, wl_word high) { return low <= value && value <= high; }

static inline int32_t wl_abs(int32_t x) { return x < 0 ? -x : x; }

static inline uint32_t wl_bit(int32_t i) { return (uint32_t)1 << i; }

/* The lowest set bit's index; bits must not be 0. */
static inline int32_t wl_lowest(uint32_t bits) { return __builtin_ctz(bits); }

static inline int32_t wl_popcount(uint32_t bits) { return __builtin_popcount(bits); }

/* ---- sets --------------------------------------------------------------------------------------------------------- */

/* A set of the numbers 0 ... members-1 (spaces, ids): bit m % 64 of word[m / 64] is m.
 *
 *     typedef WL_SET(SPACES) spaces;
 *
 * The macros take a pointer to such a set, the functions its words. */
#define WL_SET(members) struct { uint64_t word[((members) + 63) / 64]; }

static inline int wl_has(const uint64_t *word, int32_t m) { return (int)(word[m >> 6] >> (m & 63) & 1); }
static inline void wl_add(uint64_t *word, int32_t m) { word[m >> 6] |= (uint64_t)1 << (m & 63); }
static inline void wl_remove(uint64_t *word, int32_t m) { word[m >> 6] &= ~((uint64_t)1 << (m & 63)); }

static inline int32_t wl_size(const uint64_t *word, size_t n_words)
{
    int32_t n = 0;
    for (size_t i = 0; i < n_words; i++)
        n += __builtin_popcountll(word[i]);
    return n;
}

static inline int wl_is_empty(const uint64_t *word, size_t n_words)
{
    uint64_t any = 0;
    for (size_t i = 0; i < n_words; i++)
        any |= word[i];
    return any == 0;
}

#define WL_HAS(set, m) wl_has((set)->word, m)
#define WL_ADD(set, m) wl_add((set)->word, m)
#define WL_REMOVE(set, m) wl_remove((set)->word, m)
#define WL_SIZE(set) wl_size((set)->word, sizeof (set)->word / sizeof (set)->word[0])
#define WL_IS_EMPTY(set) wl_is_empty((set)->word, sizeof (set)->word / sizeof (set)->word[0])

/* for (each member, ascending). The set may lose the member at hand while the loop runs. */
#define WL_EACH(set, member)                                                                                          \
    for (int32_t w_ = 0; w_ < (int32_t)(sizeof(set)->word / sizeof(set)->word[0]); w_++)                              \
        for (uint64_t bits_ = (set)->word[w_];                                                                        \
             bits_ != 0 && ((member) = w_ * 64 + __builtin_ctzll(bits_), 1); bits_ &= bits_ - 1)

#endif
