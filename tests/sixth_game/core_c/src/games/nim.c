/* nim.c: Nim, the toy of tests/test_sixth_game.py: what a whole game file looks like in its smallest form.
 *
 * Option words:   0 verdict (0 fine, 1 malformed)   1 heap (WL_WORD_ABSENT, WL_WORD_OUT_OF_RANGE)
 * Position words: 0 verdict   1 heap   2 seat (WL_WORD_UNKNOWN) */
#include "game.h"

/* ---- tables (rules/nim.md, 3 and 7) ------------------------------------------------------------------------------- */

/* X(constant, name, flags, field ...) */
#define ACTION_ROWS(X)                                                                                                \
    X(TAKE, take, 0, WL_NUMBER(count))                                                                                \
    X(RESIGN, resign, WL_GIVES_UP)                                                                                    \
    X(TIMEOUT, timeout, WL_SERVER_ONLY, WL_SEAT(seat))
WL_ACTIONS(ACTION_ROWS);

/* X(constant, name, field ...) */
#define EFFECT_ROWS(X)                                                                                                \
    X(MATCH_STARTED, match_started, WL_NUMBER(heap), WL_SEAT(seat))                                                   \
    X(TAKEN, taken, WL_SEAT(seat), WL_NUMBER(count), WL_NUMBER(heap))                                                 \
    X(RESIGNED, resigned, WL_SEAT(seat), WL_OF(reason, reason))                                                       \
    X(MATCH_ENDED, match_ended, WL_OF(result, result))
WL_EFFECTS(EFFECT_ROWS);

enum { LAST_TAKEN, GAVE_UP, TIMED_OUT };
static const char *const REASONS[] = {"last_taken", "resigned", "timeout", NULL};

enum { PLAY, OVER };
static const char *const PHASES[] = {"play", "over", NULL};

static const char *const SEATS[] = {"red", "blue", NULL};
enum { HEAP_MAX = 1000, HEAP_DEFAULT = 21, TAKE_MAX = 3 };

#define ERRORS(X) X(BAD_COUNT, bad_count)
WL_ERROR_CONSTANTS(ERRORS);
static const char *const ERROR_NAMES[] = WL_ERROR_NAMES(ERRORS);

/* ---- setup and state (5) -------------------------------------------------------------------------------------------- */

typedef struct nim_setup {
    int32_t heap;
    int32_t zero_;
} nim_setup;

typedef struct nim_state {
    int32_t heap;
    int32_t turn;   /* the seat to act */
    int32_t takes;  /* taken so far: the clock */
    int32_t phase;
    int32_t winner; /* once over */
    int32_t reason;
} nim_state;

static const wl_field SETUP_LAYOUT[] = {WL_FIELD(nim_setup, heap), WL_FIELDS_END};
static const wl_field STATE_LAYOUT[] = {
    WL_FIELD(nim_state, heap),  WL_FIELD(nim_state, turn),   WL_FIELD(nim_state, takes),
    WL_FIELD(nim_state, phase), WL_FIELD(nim_state, winner), WL_FIELD(nim_state, reason),
    WL_FIELDS_END,
};
static const wl_field VIEW_LAYOUT[] = {WL_FIELDS_END}; /* nothing is hidden: the view is the state */

static int32_t sound_setup(const void *setup)
{
    const nim_setup *s = setup;
    return wl_between(1, s->heap, HEAP_MAX) && s->zero_ == 0;
}

static int32_t sound_state(const void *setup, const void *state)
{
    const nim_state *s = state;
    (void)setup;
    return wl_between(0, s->heap, HEAP_MAX) && wl_between(0, s->turn, 1) && wl_between(0, s->takes, HEAP_MAX) &&
           wl_between(PLAY, s->phase, OVER) && (s->heap > 0 || s->phase == OVER) && wl_between(0, s->winner, 1) &&
           wl_between(LAST_TAKEN, s->reason, TIMED_OUT);
}

/* ---- setup (4) -------------------------------------------------------------------------------------------------------- */

static int32_t check_options(wl_words *options, wl_words *position)
{
    const wl_word malformed = wl_next(options);
    const wl_word heap = wl_or_else(wl_next(options), HEAP_DEFAULT);

    if (malformed != 0 || !wl_between(1, heap, HEAP_MAX))
        return WL_E_INVALID_OPTIONS;
    if (position == NULL)
        return WL_OK;
    if (wl_next(position) != 0 || !wl_between(1, wl_next(position), HEAP_MAX) || !wl_between(0, wl_next(position), 1))
        return WL_E_INVALID_POSITION;
    return WL_OK;
}

static int32_t init(void *setup, void *state, wl_words *options, wl_words *position, wl_draws *draws, wl_event *event)
{
    nim_setup *fixed = setup;
    nim_state *s = state;

    wl_next(options);
    fixed->heap = (int32_t)wl_or_else(wl_next(options), HEAP_DEFAULT);
    if (position == NULL) {
        s->heap = fixed->heap;
        s->turn = wl_draw(draws, 2);
    } else {
        wl_next(position);
        s->heap = (int32_t)wl_next(position);
        s->turn = (int32_t)wl_next(position);
    }
    WL_PUBLIC(event, MATCH_STARTED, s->heap, s->turn);
    return WL_OK;
}

/* ---- turn (6) --------------------------------------------------------------------------------------------------------- */

static int32_t seats_in(const void *setup)
{
    (void)setup;
    return 2;
}

static int32_t phase(const void *state) { return ((const nim_state *)state)->phase; }

static uint32_t to_act(const void *setup, const void *state)
{
    const nim_state *s = state;
    (void)setup;
    return s->phase == PLAY ? wl_bit(s->turn) : 0;
}

static int64_t clock_of(const void *setup, const void *state, int32_t seat)
{
    const nim_state *s = state;
    (void)setup;
    return s->phase == PLAY && s->turn == seat ? s->takes + 1 : 0;
}

/* ---- actions (7) -------------------------------------------------------------------------------------------------------- */

static int32_t check(const void *setup, const void *state, const wl_post *post)
{
    const nim_state *s = state;
    const wl_action *a = &post->action;

    (void)setup;
    if (s->phase == OVER)
        return WL_E_MATCH_OVER;
    if (a->type < TAKE || a->type > TIMEOUT || (a->type == TIMEOUT) != (post->actor == WL_SERVER))
        return WL_E_MALFORMED_ACTION;
    if (a->type == TIMEOUT)
        return wl_between(0, a->field[0], 1) ? WL_OK : WL_E_MALFORMED_ACTION;
    if (post->actor > 1)
        return WL_E_MALFORMED_ACTION;
    if (a->type == RESIGN)
        return WL_OK;
    if (post->actor != s->turn)
        return WL_E_NOT_YOUR_TURN;
    return wl_between(1, a->field[0], TAKE_MAX) && a->field[0] <= s->heap ? WL_OK : BAD_COUNT;
}

static size_t legal(const void *setup, const void *state, int32_t seat, wl_action *out, size_t cap)
{
    const nim_state *s = state;
    wl_listing l = {out, cap, 0};

    (void)setup;
    if (s->phase == OVER)
        return 0;
    if (seat == s->turn)
        for (int32_t count = 1; count <= TAKE_MAX && count <= s->heap; count++)
            WL_LIST(&l, TAKE, count);
    WL_LIST(&l, RESIGN);
    return l.n;
}

static void end(nim_state *s, int32_t winner, int32_t reason, wl_event *event)
{
    s->phase = OVER;
    s->winner = winner;
    s->reason = reason;
    /* A result is one field of two words, which WL_PUBLIC would refuse. */
    wl_record(event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0, MATCH_ENDED, WL_ARGS(wl_bit(winner), reason));
}

static int32_t apply(const void *setup, void *state, const wl_post *post, wl_draws *draws, wl_event *event)
{
    nim_state *s = state;
    const wl_action *a = &post->action;

    (void)setup;
    (void)draws;
    if (a->type == TAKE) {
        s->heap -= a->field[0];
        s->takes++;
        WL_PUBLIC(event, TAKEN, s->turn, a->field[0], s->heap);
        if (s->heap == 0)
            end(s, s->turn, LAST_TAKEN, event);
        else
            s->turn = 1 - s->turn;
    } else {
        const int32_t loser = a->type == TIMEOUT ? a->field[0] : post->actor;
        const int32_t reason = a->type == TIMEOUT ? TIMED_OUT : GAVE_UP;
        WL_PUBLIC(event, RESIGNED, loser, reason);
        end(s, 1 - loser, reason, event);
    }
    return WL_OK;
}

/* ---- visibility and end (8, 9) -------------------------------------------------------------------------------------------- */

static uint32_t disclosure(const void *setup, const void *state)
{
    (void)setup;
    return phase(state) == OVER ? WL_DISCLOSE_OVER : 0;
}

static int32_t observe(const void *setup, const void *state, int32_t viewer, void *view)
{
    (void)setup;
    (void)viewer;
    memcpy(view, state, sizeof(nim_state));
    return WL_OK;
}

static wl_result result(const void *state)
{
    const nim_state *s = state;
    const wl_result running = {0, 0, 0};
    const wl_result over = {1, s->reason, wl_bit(s->winner)};
    return s->phase == OVER ? over : running;
}

static const wl_game NIM_1 = {
    .name = "nim",
    .rules_version = 1,
    .seats = SEATS,
    .phases = PHASES,
    .reasons = REASONS,
    .errors = ERROR_NAMES,
    .actions = ACTION_TYPES,
    .effects = EFFECTS,
    .setup_size = sizeof(nim_setup),
    .state_size = sizeof(nim_state),
    .view_size = sizeof(nim_state),
    .setup_layout = SETUP_LAYOUT,
    .state_layout = STATE_LAYOUT,
    .view_layout = VIEW_LAYOUT,
    .event_words_max = 32,
    .draws_max = 1,
    .check_options = check_options,
    .init = init,
    .seats_in = seats_in,
    .phase = phase,
    .to_act = to_act,
    .clock = clock_of,
    .check = check,
    .legal = legal,
    .apply = apply,
    .disclosure = disclosure,
    .observe = observe,
    .result = result,
    .sound_setup = sound_setup,
    .sound_state = sound_state,
};

const wl_game *const wl_games_nim[] = {&NIM_1, NULL};
