/* warlog.h: the rules core of Warlog, and its manual.
 *
 * A *match* is one play of a *game*. A *seat* is a side in it. What a seat does is an *action*; an accepted action
 * becomes an *event* with the random *draws* it consumed and its *effects*. The *state* is everything, a *view* what one
 * seat (or a spectator) may know of it. The rule books under warlog_core/rules are the contract.
 *
 *
 * 1. Memory
 *
 * The core allocates nothing, keeps nothing between calls, reads no clock and has no random generator. The caller
 * brings every byte. Each game has two flat structs without pointers, whose sizes wl_game tells:
 *
 *   setup   what never changes in a match: tables and numbers that follow from the options. Immutable after wl_init.
 *   state   everything else. A copy is memcpy, equality is memcmp: every byte is defined, padding is named and zero.
 *
 * Both are described by a *layout*: a table of their fields, from which the canonical hash, the fingerprint for
 * snapshots and the decoding above the boundary are made. The order of a layout is part of the rules version.
 *
 *      .---------------------------------------------------------------.
 *      | setup (const)        | state                                  |
 *      | options, tables      | phase, round, stacks[n_stacks], ...    |
 *      '---------------------------------------------------------------'
 *
 *
 * 2. Words
 *
 * Whatever is of open size crosses as a list of 64-bit words: options, a Position, the effects of an event. Strings
 * never cross: the codec above turns names and spaces into the small numbers of the game file, and back. What cannot
 * be turned has a reserved value, so that the book, not the codec, decides which error comes first:
 *
 *   WL_ABSENT        the field is not there
 *   WL_UNKNOWN       a name or space that does not exist
 *   WL_OUT_OF_RANGE  an integer too large in size to matter (a hundred digits, say)
 *
 * The layout of a game's option words and Position words is written at the head of its file.
 *
 *
 * 3. Actions
 *
 * An action is a fixed record of 32 bytes: a type (its row in the game's action table) and up to seven fields in the
 * book's order, with the reserved values above (as 32-bit numbers). An action with a list (an army, a layout, a
 * payment) is followed by *items*: the true length of the list is one of its fields, and at least the first N items are
 * there, where N is wl_game.items_max. A listing consists of bare records; an open template has the field
 * WL_OPEN in place of the list's length. Fields and items that a type does not have are not looked at. What the codec
 * finds malformed (unknown type, wrong JSON type, a field too many) arrives as the type WL_MALFORMED, so that match_over
 * still wins over it.
 *
 *
 * 4. Who
 *
 * An *actor* is a seat (0 ... seats-1, its place among the seats of this match, in the book's order) or WL_SERVER. A
 * *viewer* is a seat or WL_SPECTATOR.
 * A set of viewers is a bit mask: bit s for seat s, bit WL_SPECTATOR for the spectator.
 *
 *
 * 5. Draws
 *
 * Rules ask for draw(n), a uniform integer 0 ... n-1. Live, the caller hands in a block of entropy: the next 32-bit
 * little-endian word w is rejected while w >= floor(2^32 / n) * n, and the draw is w mod n. In replay the caller hands in the
 * recorded draws: each must lie in range, all must be used and no more be asked for (WL_E_DRAWS). A block that runs out is
 * WL_E_ENTROPY; the caller repeats with a longer one (wl_apply and wl_after leave the state untouched, wl_init begins anew).
 *
 *
 * 6. Events and who may see what
 *
 * wl_apply and wl_after write, besides the new state, a list of *records* (words), because visibility is judged just before
 * and after each effect and cannot be found out later. A record is
 *
 *      [ length | kind | audience | unlock | type | argument ... ]        length counts all of them
 *
 *   WL_REC_EFFECT        an effect, whole
 *   WL_REC_EFFECT_ALT    another form of the last whole effect, for those who do not get it whole
 *   WL_REC_ACTION        the action as it was posted (no arguments; the caller has it)
 *   WL_REC_ACTION_ALT    another form of the action
 *   WL_REC_DRAWS         who may see the draws (no arguments)
 *
 * A viewer gets, of each whole record followed by its alternatives, the first whose audience holds the viewer, or whose
 * unlock has a bit in common with the *disclosure* of the match (wl_disclosure: flags that are set when the rules disclose
 * something, such as the end of the match); if there is none, nothing. So a form of an effect that is forgotten hides
 * something. It is the other way round for action and draws: without a record they are public, and a game that hides one must
 * write its record. Of most events everybody gets everything, which wl_event.hides tells without a look at the records.
 *
 *
 * 7. Errors
 *
 * Every function answers 0 or a positive count, or a negative number: one of wl_error below, or WL_E_GAME - i for row i of the
 * game's own table. wl_error_name gives the rule book's code. An illegal action is normal and leaves the state byte for byte as
 * it was. Every entry point takes any bytes: hostile states, actions and lists are refused, never followed.
 *
 * A code says what is wrong, but not always with what: wl_explain (of actions) and wl_explain_start (of options and Positions)
 * tell more, as words that the game's file describes and its codec puts into a sentence. They are asked after a refusal.
 * wl_explain looks at the actor's view alone.
 *
 *
 * 8. Traces
 *
 * A *trace* says where an action leads: the steps that are passed, in order, and the pieces that are hit, that are taken, and
 * that stand in the way; the spaces that are given up for it; and, before it is taken, what harm its blows do, which the dice
 * decide within bounds. wl_traces makes those of a listing, wl_trace_event that of an action that was taken. Both look at views
 * alone: what the viewer does not see is in no trace.
 *
 *
 * 9. Computer opponents
 *
 * wl_search finds a good action for a seat from what that seat knows, the state inside its view, and from nothing else. A game
 * brings two functions for it: `sample` makes of what a viewer knows a whole state that he could not tell from the true one,
 * `evaluate` says how likely each seat's side is to win. The search samples such a state, walks down the tree of actions that it
 * has tried so far, one action further than it has been before and the best answer to that, evaluates where this has led, and
 * notes the value on all actions on its way; then it begins again with another sample. Of the actions that it walked through
 * most often the one with the best values is chosen (information-set Monte Carlo tree search: Cowling, Powley, Whitehouse
 * 2012). It computes with integers alone: the same view, seed and number of iterations give the same answer on every machine.
 *
 * Which actions are tried, and in which order, is decided *at a glance*: by `evaluate` right after the action. At the root every
 * action is looked at like that, in several worlds where anything is hidden or random, and so the search begins as a player who
 * looks one action ahead; further down some at random, of which the best go into the tree. (One that draws is looked at with
 * several throws, or those that were lucky once would seem the best.) The longer a node has been visited, the more of them are
 * considered (progressive widening). A glance counts as some visits of the action.
 *
 * An action is *idle* if it gains nothing at a glance and leaves its seat to act: it could be left out. It seems a little worse at a
 * glance, and where the settings say so it costs its seat something in each walk through it. For a walk that is made longer by idle
 * actions ends before the enemy has answered, which looks better than it is, and so they would seem worth while. What a choice is said
 * to be worth leaves the costs out.
 *
 * A sample agrees with what the viewer sees now, and forgets what he saw before: who has moved, what beat what. A *belief* does
 * not (a particle filter). wl_belief_see is called with each version that the viewer sees, in order. A belief is many worlds,
 * whole states. With each version every world is moved on by an action after which it looks as the viewer sees it; one that has
 * no such action is thrown away. Where few are left, new ones are drawn: sampled as of some versions ago and moved on from there,
 * or as of now; and where the game brings `vary`, made of those that are left, as they were at first, by small changes that agree
 * with all that was seen since. In such a game many worlds are replaced so with each version, however many are left: else all would
 * descend from few, and agree on more than was seen. A search that is given the belief takes its worlds from it, those that have
 * agreed for long more often. The same seed and the same versions make the same belief, byte for byte.
 *
 *
 * 10. Numbers for learning
 *
 * Programs that learn want an action to be a number below a fixed bound, and what a seat knows to be an array. A game that brings a
 * wl_numbering has both. They are part of the rules version.
 *
 * Actions fall into *families*, each of one type, and an action of a family is given by a few *digits* (where from, where to), whose
 * sizes follow from the setup. The families stand one after the other, and within one the first digit counts most:
 *
 *      number = first of the family + (digit 0 * size of digit 1 + digit 1) * size of digit 2 + digit 2 ...
 *
 * So a number means the same in every state of a match, whatever else is legal. A piece is given by where it stands where that tells
 * pieces apart. Actions that differ in nothing that matters (which of two equal pieces in reserve is placed) share a number, which
 * decodes to the first of them in canonical order. What is no listed record, such as an army that is made up of its parts, has none:
 * open templates are played through presets alone.
 *
 * An observation is a stack of planes, each as large as the board, of numbers from 0 to 1 that are made of the seat's view and of
 * nothing else. Seats are counted from the one that looks.
 *
 * A *vector* is many matches that are stepped together, each restarted when it is over.
 */
#ifndef WARLOG_H
#define WARLOG_H

#include <stddef.h>
#include <stdint.h>

typedef int64_t wl_word;

#define WL_ABSENT INT32_MIN
#define WL_UNKNOWN (INT32_MIN + 1)
#define WL_OUT_OF_RANGE (INT32_MIN + 2)
#define WL_OPEN (INT32_MIN + 3)
/* In option and Position words, where 32-bit values are honest numbers, the same four stand at the far end. */
#define WL_WORD_ABSENT INT64_MIN
#define WL_WORD_UNKNOWN (INT64_MIN + 1)
#define WL_WORD_OUT_OF_RANGE (INT64_MIN + 2)

enum {
    WL_SEATS_MAX = 8,
    WL_SPECTATOR = 8, /* a viewer */
    WL_SERVER = 9,    /* an actor */
    WL_ALL_VIEWERS = 0x1ff,
    WL_MALFORMED = -1,     /* an action type: the codec's verdict */
    WL_ACTION_FIELDS = 7,
    WL_STATE_MAX = 16384,  /* bytes; no game's state is larger */
    WL_EXPLAIN_MAX = 8,    /* words; no explanation is longer */
};

/* Errors that are not a game's own. The first group are codes of CONVENTIONS.md, the second are faults of the caller. */
enum wl_error {
    WL_OK = 0,
    WL_E_MATCH_OVER = -1,         /* match_over */
    WL_E_MALFORMED_ACTION = -2,   /* malformed_action */
    WL_E_UNKNOWN_SPACE = -3,      /* unknown_space */
    WL_E_INVALID_OPTIONS = -4,    /* invalid_options */
    WL_E_INVALID_POSITION = -5,   /* invalid_position */
    WL_E_WRONG_PHASE = -6,        /* wrong_phase */
    WL_E_NOT_YOUR_TURN = -7,      /* not_your_turn */
    WL_E_NOT_YOUR_PIECE = -8,     /* not_your_piece */
    WL_E_ILLEGAL_DESTINATION = -9, /* illegal_destination */

    WL_E_ENTROPY = -32,  /* entropy_exhausted: call again with a longer block */
    WL_E_DRAWS = -33,    /* bad_draws: recorded draws out of range, too few or too many */
    WL_E_STATE = -34,    /* bad_state: these bytes are no state of this game */
    WL_E_ARGUMENT = -35, /* bad_argument: an actor, viewer, length or pointer that cannot be */
    WL_E_SPACE = -36,    /* no_room: the output buffer is too small */
    WL_E_HASH = -37,     /* hash_mismatch: replay gave another state than recorded */
    WL_E_NUMBER = -38,   /* bad_number: the number of no action, or of one that is not legal now */
    WL_E_BUSY = -39,     /* busy: another thread is at work on this vector */
    WL_E_STUCK = -40,    /* no_numbered_action: a seat is to act and none of its actions has a number */
    WL_E_STOPPED = -41,  /* stopped: a search whose answer nobody wants any more */

    WL_E_GAME = -64, /* WL_E_GAME - i: row i of the game's own error table */
};

/* Record kinds, section 6. */
enum {
    WL_REC_EFFECT = 0,
    WL_REC_EFFECT_ALT = 1,
    WL_REC_ACTION = 2,
    WL_REC_ACTION_ALT = 3,
    WL_REC_DRAWS = 4,
    WL_REC_HEAD = 5, /* words before the arguments */
};

/* A disclosure flag that every game shares: the match is over. Bits 0 ... 30 are the game's own. */
#define WL_DISCLOSE_OVER 0x80000000u

typedef struct wl_action {
    int32_t type;
    int32_t field[WL_ACTION_FIELDS];
} wl_action;

/* What an actor posted. `items` follow the action where it has a list; `n_items` of them are there. */
typedef struct wl_post {
    int32_t actor;
    int32_t n_items;
    wl_action action;
    const int32_t *items;
} wl_post;

/* Where draws come from, and where those used go. Zero it, then give entropy, recorded draws, or (the core's own random play) the
 * state of a generator. */
typedef struct wl_draws {
    const uint8_t *entropy;  /* live: a block, or NULL in replay */
    size_t n_entropy;        /* bytes */
    const int32_t *recorded; /* replay */
    size_t n_recorded;
    int32_t *used; /* out: the draws in asking order; room for `cap` */
    size_t cap;
    size_t n_used; /* out */
    size_t next;   /* private: bytes or draws consumed so far */
    int32_t error; /* private: the first thing that went wrong */
    int32_t asked; /* out: how many values the draw had for which there was no record; 0: none was missing */
    uint64_t *random; /* private: SplitMix64, which never runs out */
} wl_draws;

/* Where the records of an event go (section 6). `words` NULL: they are not wanted, only the state is. */
typedef struct wl_event {
    wl_word *words;
    size_t cap;     /* words */
    size_t n_words; /* out */
    size_t open_;   /* private: start of the record being written */
    int32_t error;  /* private */
    int32_t hides;  /* out: 1 if a record is anything but a whole effect for all viewers; 0: everybody gets everything */
} wl_event;

/* A list of words read from the front; reading past the end gives WL_WORD_ABSENT and sets `overrun`. `check_options` may leave a
 * note on what it refuses (WL_BLAME in game.h). */
typedef struct wl_words {
    const wl_word *words;
    size_t n_words;
    size_t next;
    int32_t overrun;
    int32_t n_note;
    wl_word note[WL_EXPLAIN_MAX];
} wl_words;

/* One field of a layout. A scalar has count 1. Rows are structs: `row` describes them, and the field `n_name` of the same
 * struct says how many of the `count` rows are in use (the rest are zero, and neither hashed nor decoded). Behind the last field of
 * a state that is in use all is zero: from its last field that is always in use on, fields lie in the order of the layout. */
typedef struct wl_field {
    const char *name; /* NULL ends a layout */
    uint32_t offset;  /* bytes */
    uint16_t size;    /* bytes of one element */
    uint16_t count;   /* elements */
    uint16_t is_signed;
    uint16_t n_size;   /* bytes of the counter; 0: all are in use */
    uint32_t n_offset; /* where the counter lies */
    const struct wl_field *row; /* NULL: plain integers */
} wl_field;

#define WL_IS_SIGNED(type) ((type) - 1 < (type) 1)
#define WL_MEMBER(s, f) (((s *) 0)->f)
/* clang-format off */
#define WL_FIELD(s, f) { #f, offsetof(s, f), sizeof WL_MEMBER(s, f), 1, WL_IS_SIGNED(__typeof__(WL_MEMBER(s, f))), 0, 0, NULL }
#define WL_ARRAY(s, f) { #f, offsetof(s, f), sizeof WL_MEMBER(s, f)[0], sizeof WL_MEMBER(s, f) / sizeof WL_MEMBER(s, f)[0], \
                         WL_IS_SIGNED(__typeof__(WL_MEMBER(s, f)[0])), 0, 0, NULL }
#define WL_COUNTED(s, f, n) { #f, offsetof(s, f), sizeof WL_MEMBER(s, f)[0], sizeof WL_MEMBER(s, f) / sizeof WL_MEMBER(s, f)[0], \
                         WL_IS_SIGNED(__typeof__(WL_MEMBER(s, f)[0])), sizeof WL_MEMBER(s, n), offsetof(s, n), NULL }
#define WL_ROWS(s, f, n, fields) { #f, offsetof(s, f), sizeof WL_MEMBER(s, f)[0], sizeof WL_MEMBER(s, f) / sizeof WL_MEMBER(s, f)[0], \
                         0, sizeof WL_MEMBER(s, n), offsetof(s, n), fields }
#define WL_ALL_ROWS(s, f, fields) { #f, offsetof(s, f), sizeof WL_MEMBER(s, f)[0], sizeof WL_MEMBER(s, f) / sizeof WL_MEMBER(s, f)[0], \
                         0, 0, 0, fields }
#define WL_ROW(s, f, fields) { #f, offsetof(s, f), sizeof WL_MEMBER(s, f), 1, 0, 0, 0, fields }
#define WL_FIELDS_END { NULL, 0, 0, 0, 0, 0, 0, NULL }
/* clang-format on */

enum { WL_PARAMETERS_MAX = 11 };

/* A field of an action or an effect, as its JSON has it. `kind` names what its number is a number of: "space", "piece", "seat",
 * "number", "flag", or something of the game's own, a table of names above all; the codec knows the kinds. */
typedef struct wl_parameter {
    const char *name, *kind;
    int32_t many;     /* 1: a list; its length stands before it */
    int32_t optional; /* 1: may be absent */
} wl_parameter;

/* A type of action (in the book's canonical order) or of effect: its name and its fields, in the order of their numbers. */
typedef struct wl_signature {
    const char *name; /* NULL ends a table */
    uint32_t flags;   /* of an action */
    uint32_t n_parameters;
    wl_parameter parameters[WL_PARAMETERS_MAX];
} wl_signature;

enum {
    WL_SERVER_ONLY = 1, /* posted by the server alone, never listed */
    WL_GIVES_UP = 2,    /* resigning and draw offers: random play leaves them out on request */
};

/* What a state is worth to a seat. */
enum { WL_LOST = 0, WL_WON = 65535, WL_EVEN = 32768 };

typedef struct wl_result {
    int32_t over;
    int32_t reason;   /* row of the game's table of reasons */
    uint32_t winners; /* seats */
} wl_result;

/* Private notes of a game's `slots`. */
typedef struct wl_slots {
    uint64_t room[16];
} wl_slots;

/* A step of a trace: a space, and on boards with levels the level above it. */
#define WL_STEP(space, level) ((space) | (level) << 16)

enum { WL_TRACE_PATH_MAX = 256, WL_TRACE_TOUCHED_MAX = 64, WL_TRACE_HARM_MAX = 8 };
enum { WL_TRACE_HITS, WL_TRACE_TAKES, WL_TRACE_RISKS, WL_TRACE_PAYS, WL_TRACE_LISTS }; /* the lists of a trace beside its path */

/* A piece that an action touches: where it stands, and its id, or WL_ABSENT where nobody or the viewer does not know one. */
typedef struct wl_touched {
    int32_t step, piece;
} wl_touched;

/* A blow at a piece: its damage and how many of the piece's units fall, by the least, the middle and the greatest roll. */
typedef struct wl_harm {
    wl_touched to;
    int32_t damage[3], killed[3];
} wl_harm;

/* What is too much for a list is left out. */
typedef struct wl_trace {
    int32_t n_path;
    int32_t n[WL_TRACE_LISTS];
    int32_t path[WL_TRACE_PATH_MAX]; /* without the step where it begins */
    wl_touched touched[WL_TRACE_LISTS][WL_TRACE_TOUCHED_MAX];
    int32_t n_harm;
    wl_harm harm[WL_TRACE_HARM_MAX]; /* in the order of the blows */
} wl_trace;

enum { WL_FAMILIES_MAX = 24, WL_DIGITS_MAX = 4, WL_PLAIN = -1 };

/* Actions of one type that are given by the same digits. `digit` are their names, NULL after the last. */
typedef struct wl_family {
    const char *name; /* NULL ends a table */
    int32_t type;     /* of the actions: a row of the game's table */
    const char *digit[WL_DIGITS_MAX];
} wl_family;

/* A plane of the observations: what a number in it tells of the space where it stands, or of the match. */
typedef struct wl_plane {
    const char *name; /* NULL ends a table */
    const char *meaning;
} wl_plane;

/* Where planes are written, all 0 at first: `cells` numbers each. */
typedef struct wl_sheet {
    float *out;
    int32_t cells, zero_;
} wl_sheet;

/* The numbering of a match: it follows from the setup. */
typedef struct wl_index {
    int32_t n_actions, n_families, n_planes, rows, columns;
    int32_t first[WL_FAMILIES_MAX];
    int32_t size[WL_FAMILIES_MAX][WL_DIGITS_MAX]; /* of each digit; 1 where there is none */
} wl_index;

/* What a game fills in for section 10. Of setup, state, view and action the functions may rely on what those of wl_game may. */
typedef struct wl_numbering {
    const wl_family *families;
    const wl_plane *planes;
    void (*board)(const void *setup, int32_t *rows, int32_t *columns);
    /* How many values this digit of this family has; at least 1. */
    int32_t (*size)(const void *setup, int32_t family, int32_t digit);
    /* The number of an action that is legal for `seat`, by WL_NUMBERED of game.h, or WL_E_NUMBER; WL_PLAIN of types that have at most
     * a family without digits. */
    int32_t (*encode)(const wl_index *index, const void *setup, const void *state, int32_t seat, const wl_action *action);
    /* The other way round: the fields of an action whose type is set. 1, or 0 where these digits are no action in this state; that it
     * is legal is for wl_check to say. */
    int32_t (*decode)(const wl_index *index, const void *setup, const void *state, int32_t seat, int32_t family, const int32_t *digit,
                      wl_action *out);
    /* Fills the planes of this view of a seat; `state` is the one inside the view. */
    void (*observe)(const void *setup, const void *state, int32_t seat, wl_sheet *sheet);
} wl_numbering;

/* What a game fills in. Every function may rely on a sound setup and state (core.c has checked them; batch calls check the
 * first, and `apply` keeps a sound state sound), `apply` also on an action that `check` has let through or `legal` has listed,
 * `explain` on the error of `check`; and on nothing else. `observe`, `init` write blank structs; `apply` may leave `state` in
 * any condition on an error, the caller restores it. */
typedef struct wl_game {
    const char *name;
    int32_t rules_version;
    int32_t items_max;             /* most list items an action needs (section 3) */
    const char *const *seats;      /* the longest roster, NULL at the end */
    const char *const *phases;     /* NULL at the end */
    const char *const *reasons;    /* NULL at the end */
    const char *const *errors;     /* the game's own codes, NULL at the end */
    const wl_signature *actions, *effects;

    size_t setup_size, state_size, view_size; /* bytes */
    const wl_field *setup_layout, *state_layout;
    const wl_field *view_layout;  /* the header of derived values alone */
    size_t view_state_offset;     /* where in the view the struct with the state's layout lies */
    size_t event_words_max;   /* room that is always enough for one event */
    size_t draws_max;         /* likewise */

    /* 0 or the book's code; asks for no draw. `position` NULL: the normal start. */
    int32_t (*check_options)(wl_words *options, wl_words *position);
    /* The start of the match. Writes setup and state, both zeroed before. Options and position have been checked. */
    int32_t (*init)(void *setup, void *state, wl_words *options, wl_words *position, wl_draws *draws, wl_event *event);
    /* New options for a match in play, or NULL where the book allows none. */
    int32_t (*reconfigure)(void *setup, void *state, wl_words *options);
    int32_t (*seats_in)(const void *setup); /* how many seats this match has */
    int32_t (*phase)(const void *state);
    uint32_t (*to_act)(const void *setup, const void *state); /* seats, as bits */
    int64_t (*clock)(const void *setup, const void *state, int32_t seat);
    int32_t (*check)(const void *setup, const void *state, const wl_post *post);
    /* What `check` found wrong, whose answer is `error`: at most WL_EXPLAIN_MAX words, or 0. NULL: there is never more to say. */
    size_t (*explain)(const void *setup, const void *state, const wl_post *post, int32_t error, wl_word *out);
    size_t (*legal)(const void *setup, const void *state, int32_t seat, wl_action *out, size_t cap);
    /* Where listings are long, random play need not make them: *slots* are numbered places, and every legal action of a seat
     * but an open template is in exactly one. `slots` tells their number, and notes in `room` what `slot` needs to know of this
     * state; `slot` writes what would be in one, and returns 1 if that is legal. So a random slot, drawn again while it is
     * empty, is a random action, each as likely as any other. NULL: random play lists. */
    size_t (*slots)(const void *setup, const void *state, int32_t seat, wl_slots *room);
    int32_t (*slot)(const wl_slots *room, size_t slot, wl_action *out);
    int32_t (*apply)(const void *setup, void *state, const wl_post *post, wl_draws *draws, wl_event *event);
    uint32_t (*disclosure)(const void *setup, const void *state);
    int32_t (*observe)(const void *setup, const void *state, int32_t viewer, void *view);
    wl_result (*result)(const void *state);
    /* Adds to an empty trace where this action leads. `before` is the state inside the view of somebody, who need not be the
     * actor and may not see all that the action names; `after` likewise after the action, NULL when it is only listed. NULL:
     * traces are empty. */
    void (*trace)(const void *setup, const void *before, const void *after, const wl_post *post, wl_trace *trace);
    /* Computer opponents, section 9; NULL for both: none but random ones. `sample` fills the holes of `state`, which is the state
     * inside the view of `viewer`: observed again it is byte for byte the same view. Each state that is possible comes up in the
     * end. Answers 0, or WL_E_STATE where nothing fits. */
    int32_t (*sample)(const void *setup, void *state, int32_t viewer, wl_draws *draws);
    /* How likely the side of each seat is to win a match that is not over: WL_LOST ... WL_WON. Judgement, not rules. */
    void (*evaluate)(const void *setup, const void *state, int32_t *value);
    /* Changes `state`, a whole one that looks to somebody like `seen`, a little, and still it looks so: for beliefs. NULL: they do
     * without. Answers 0, or an error where nothing can be changed. */
    int32_t (*vary)(const void *setup, const void *seen, void *state, wl_draws *draws);
    const struct wl_numbering *numbering; /* section 10; NULL: none */
    int32_t (*sound_setup)(const void *setup);                    /* 1 if no entry point can be led astray by it */
    int32_t (*sound_state)(const void *setup, const void *state); /* likewise: every index in bounds, counts consistent */
} wl_game;

/* ---- registry ------------------------------------------------------------------------------------------------ */

/* The games of this build; NULL past the last. A name may occur with several rules versions, newest first. */
const wl_game *wl_game_at(int32_t index);

/* The rule book's code for an error, "ok" for 0 or more. Never NULL. */
const char *wl_error_name(const wl_game *game, int32_t error);

/* ---- one match ------------------------------------------------------------------------------------------------ */

/* Is a match with these options, from this Position, possible? `position` NULL: the normal start. Needs no draws. */
int32_t wl_check_options(const wl_game *game, const wl_word *options, size_t n_options, const wl_word *position,
                         size_t n_position);

/* What lies behind a refusal by wl_check_options: the number of words written to `out` (room for WL_EXPLAIN_MAX), which are the
 * game's note on the options, or else that on the Position; 0 when there is none. */
int64_t wl_explain_start(const wl_game *game, const wl_word *options, size_t n_options, const wl_word *position,
                         size_t n_position, wl_word *out);

/* The start of a match (rule books, 4). Checks, then fills `setup` and `state`. Draws and event as in wl_apply. */
int32_t wl_init(const wl_game *game, void *setup, void *state, const wl_word *options, size_t n_options,
                const wl_word *position, size_t n_position, wl_draws *draws, wl_event *event);

/* Changes the options of a match in play. WL_E_INVALID_OPTIONS where the book allows no such change. */
int32_t wl_reconfigure(const wl_game *game, void *setup, void *state, const wl_word *options, size_t n_options);

int32_t wl_seats(const wl_game *game, const void *setup);                          /* seats in this match */
int32_t wl_phase(const wl_game *game, const void *setup, const void *state);       /* row of the game's phases */
int32_t wl_to_act(const wl_game *game, const void *setup, const void *state);      /* seats as bits, or an error */
int32_t wl_result_of(const wl_game *game, const void *setup, const void *state, wl_result *result);

/* A number that changes exactly when this seat's thinking time starts anew; 0 while it has nothing to decide. */
int64_t wl_clock(const wl_game *game, const void *setup, const void *state, int32_t seat);

/* Flags of what the rules have disclosed (section 6). */
int64_t wl_disclosure(const wl_game *game, const void *setup, const void *state);

/* 0, or the first failing check in the book's order. Agrees exactly with wl_legal. */
int32_t wl_check(const wl_game *game, const void *setup, const void *state, const wl_post *post);

/* What lies behind a refusal: the number of words written to `out` (room for WL_EXPLAIN_MAX), 0 when there is nothing to add or
 * the server posted. `view` is room for a view of this game: all is said from what the actor may know. */
int64_t wl_explain(const wl_game *game, const void *setup, const void *state, const wl_post *post, void *view, wl_word *out);

/* Every legal action of `seat` in canonical order: writes at most `cap`, returns how many there are. */
int64_t wl_legal(const wl_game *game, const void *setup, const void *state, int32_t seat, wl_action *out, size_t cap);

/* The traces of these actions of `seat` (those of its listing), one after the other. Of each: how many numbers it has, this one
 * counted; the lengths of path, hits, takes, risks, pays and harm; then the path's steps, then step and piece of each entry of
 * the four lists, then of each blow step and piece, the three numbers of damage and the three of killed. `view` is room for a view.
 * Writes at most `cap` numbers, returns how many there are. */
int64_t wl_traces(const wl_game *game, const void *setup, const void *state, int32_t seat, void *view,
                  const wl_action *actions, size_t n_actions, int32_t *out, size_t cap);

/* Likewise the trace of an action that led from `before` to `after`, as `viewer` saw it. `view` and `later` are room for views. */
int64_t wl_trace_event(const wl_game *game, const void *setup, const void *before, const void *after, int32_t viewer,
                       const wl_post *post, void *view, void *later, int32_t *out, size_t cap);

/* What everybody wants to know after a step, in one crossing of the boundary. */
typedef struct wl_turn {
    int64_t disclosure;
    int32_t to_act; /* seats as bits */
    int32_t phase;
    wl_result result;
} wl_turn;
int32_t wl_turn_of(const wl_game *game, const void *setup, const void *state, wl_turn *turn);

/* Copies a state of the same match, or of any, over `to`, which is a state or zero. A match seldom uses all the room that its
 * longest lists could need; only what is used is touched. */
int32_t wl_copy(const wl_game *game, void *to, const void *from);

/* Takes an action, changing `state` in place.
 *
 * draws  in/out: entropy or recorded draws; afterwards the draws used.
 * event  out:    the records of section 6, or not wanted.
 *
 * Returns WL_OK or an error, and then `state` is byte for byte what it was. */
int32_t wl_apply(const wl_game *game, const void *setup, void *state, const wl_post *post, wl_draws *draws,
                 wl_event *event);

/* What follows from a step, for who wants all of it at once. */
typedef struct wl_outcome {
    uint8_t hash[8]; /* wl_hash of the new state, the highest byte first, as it is written */
    wl_turn turn;    /* wl_turn_of the new state */
    uint32_t n_words, n_used; /* those of the event and of the draws */
    int32_t hides;            /* likewise of the event */
    int32_t zero_;
} wl_outcome;

/* wl_copy, wl_apply, wl_turn_of and wl_hash in one crossing of the boundary: takes an action in a copy of `before`, which is
 * written over `after` (a state or zero, as for wl_copy, and another place than `before`).
 *
 * `before` is never changed. On an error `after` is a state or zero still, and the call may be made again: with a longer block
 * after WL_E_ENTROPY. */
int32_t wl_after(const wl_game *game, const void *setup, const void *before, void *after, const wl_post *post, wl_draws *draws,
                 wl_event *event, wl_outcome *outcome);

/* What `viewer` may know. wl_legal and wl_check for `viewer` on the state inside the view answer as on the whole state, and
 * so does wl_observe; wl_apply and the batch calls refuse a state from which something is hidden (WL_E_STATE). */
int32_t wl_observe(const wl_game *game, const void *setup, const void *state, int32_t viewer, void *view);

/* WL_OK if these bytes are a state (with its setup) as this core writes it, else WL_E_STATE: every index in bounds, every
 * count consistent, every byte that is not in use zero. The other functions look at the bytes in use alone. */
int32_t wl_check_state(const wl_game *game, const void *setup, const void *state);

/* The stored hash: XXH64 over the little-endian encoding of the fields in layout order. */
uint64_t wl_hash(const wl_game *game, const void *state);

/* XXH64 of any bytes, as the hash above uses it. */
uint64_t wl_hash_bytes(const void *bytes, size_t size);

/* A number that differs when the layout of setup or state does: snapshots carry it. */
uint64_t wl_fingerprint(const wl_game *game);

/* ---- many at once ----------------------------------------------------------------------------------------------- */

/* One step of a recorded match, for wl_replay. Items and draws lie in common arrays, in order. */
typedef struct wl_step {
    int32_t actor;
    int32_t n_items;
    int32_t n_draws;
    int32_t zero_;
    wl_action action;
    uint64_t hash; /* expected after the step; 0: not compared */
} wl_step;

/* What wl_replay writes down of the steps: the whole effects of some types, one after the other, each as
 *
 *      [ length | step | type | argument ... ]        length counts all of them, step is the index of the step
 *
 * and what some states are worth, as wl_evaluate says, WL_SEATS_MAX numbers each; none where the game does not evaluate. */
typedef struct wl_excerpt {
    const uint8_t *types; /* for each row of the game's table of effects: 0 if it is not wanted, n + 1 with n arguments or more */
    wl_word *words;
    size_t cap;     /* words; at least the game's event_words_max */
    size_t n_words; /* out */
    int32_t *values;
    size_t first, every; /* the states after step `first` (1 ... every), and after every `every` steps from there */
    size_t values_cap;   /* for how many of them there is room */
    size_t n_values;     /* out: of how many there are */
} wl_excerpt;

enum { WL_EXCERPT_HEAD = 3 }; /* words before the arguments */

/* Applies `n_steps` steps. On an error the state is that before the failing step, whose index is in `*failed`.
 * `checkpoints` (may be NULL) receives a copy of the state after every `every` steps. `excerpt` (may be NULL) receives effects;
 * WL_E_SPACE before a step for whose event there may be no room in it. */
int32_t wl_replay(const wl_game *game, const void *setup, void *state, const wl_step *steps, size_t n_steps,
                  const int32_t *items, size_t n_items, const int32_t *draws, size_t n_draws, size_t *failed,
                  void *checkpoints, size_t every, size_t n_checkpoints, wl_excerpt *excerpt);

/* One turn of a loop that plays: takes `post` (NULL at first), then lists for the lowest seat that is to act, which goes to
 * `*seat` (-1 when nobody is). Returns the listing's length as wl_legal does. On an error the state is what it was. */
int64_t wl_advance(const wl_game *game, const void *setup, void *state, const wl_post *post, wl_draws *draws,
                   wl_action *out, size_t cap, int32_t *seat);

enum {
    WL_PLAY_ON = 1, /* wl_playout: choose no action that is marked WL_GIVES_UP while there is another */
};

/* Random play from `state` until the match is over or `max` actions are taken; returns the number taken. Open
 * templates are not chosen. `actions` is working room for `cap` listed actions; longer listings are cut to it. The
 * generator (SplitMix64 from `seed`) belongs to this function alone; rules never see it. */
int64_t wl_playout(const wl_game *game, const void *setup, void *state, uint64_t seed, int64_t max, uint32_t flags,
                   wl_action *actions, size_t cap);

/* The number of sequences of `depth` listed actions (open templates left out) by the seats that are to act, every draw being 0.
 * A match that ends earlier counts no longer sequence. `states` is room for `depth` states, `actions` for `cap` per level. */
int64_t wl_count(const wl_game *game, const void *setup, const void *state, int32_t depth, void *states,
                 wl_action *actions, size_t cap);

/* ---- computer opponents (section 9) ------------------------------------------------------------------------------- */

/* A whole state that `viewer` cannot tell from the true one, to `out`. `seen` is the state inside his view. WL_E_STATE if there is
 * none, WL_E_ARGUMENT where the game does not sample. */
int32_t wl_sample(const wl_game *game, const void *setup, const void *seen, int32_t viewer, uint64_t seed, void *out);

/* What a whole state is worth to each seat, to `value` (room for WL_SEATS_MAX): by the result where the match is over. Returns the
 * number of seats; WL_E_ARGUMENT where the game does not evaluate. */
int32_t wl_evaluate(const wl_game *game, const void *setup, const void *state, int32_t *value);

enum { WL_LINE_MAX = 8, WL_ARENA_MIN = 1 << 18 };

/* How a search goes about it; 0 where a number is not given takes the usual one. */
typedef struct wl_search_settings {
    uint64_t seed;
    const void *belief; /* of the seat, which saw `seen` last; or NULL */
    size_t n_belief;    /* bytes of its memory */
    const uint8_t *stop; /* or NULL: once it is not 0, the search ends with WL_E_STOPPED; another thread may set it */
    int64_t iterations;
    int32_t candidates;      /* actions, at random, of which the best at a glance are added to the tree */
    int32_t root_candidates; /* likewise at its root */
    int32_t glances;         /* worlds over which a glance at the root is averaged, where anything is hidden or random */
    int32_t trust;           /* a glance counts as so many visits */
    int32_t exploration;     /* how much weight doubt has: per cent of the values' standard deviation */
    int32_t widening;        /* per cent: at a node that was visited n times about `widening / 100 * sqrt(n)` actions are tried */
    int32_t idle;            /* what an action costs its seat that gains nothing at a glance and leaves it to act; of WL_WON */
} wl_search_settings;

/* An action that was looked at. */
typedef struct wl_choice {
    wl_action action;
    int64_t visits;
    int32_t value;  /* to the seat */
    int32_t n_line; /* what would follow */
    int32_t actor[WL_LINE_MAX];
    wl_action line[WL_LINE_MAX];
} wl_choice;

/* The best actions of `seat` by what it knows, `seen`: the state inside its view. Writes at most `cap` to `out`, the best
 * first, and returns how many were looked at; 0 where the seat has none but open templates. `arena` is the search's memory, of
 * `n_arena` bytes: where it is full the tree grows no more. WL_E_SPACE where it is too small for anything (WL_ARENA_MIN is not),
 * WL_E_ARGUMENT where the game has no sample and evaluate, WL_E_STATE where nothing fits what was seen, WL_E_STOPPED. */
int64_t wl_search(const wl_game *game, const void *setup, const void *seen, int32_t seat, const wl_search_settings *settings,
                  void *arena, size_t n_arena, wl_choice *out, size_t cap);

enum { WL_BELIEF_MIN = 1 << 19, WL_BELIEF_USUAL = 1 << 21 };

/* Begins a belief of this viewer, a seat, in `memory`, which is its own from now on and no other function's. WL_E_SPACE where that
 * is too small (WL_BELIEF_MIN is not), WL_E_ARGUMENT where the game does not sample. */
int32_t wl_belief_begin(const wl_game *game, int32_t viewer, uint64_t seed, void *memory, size_t n_memory);

/* The next version: `seen`, the state inside the viewer's view. Returns how many worlds there are, 0 where nothing is hidden from
 * him; WL_E_STATE where nothing fits what was seen. Where the options have changed it begins anew. */
int64_t wl_belief_see(const wl_game *game, const void *setup, const void *seen, void *memory, size_t n_memory);

/* World `i` of the belief, to `out` (a state's room; NULL: it is not wanted). Returns how many there are. */
int64_t wl_belief_world(const wl_game *game, const void *memory, size_t n_memory, int64_t i, void *out);

/* ---- numbers for learning (section 10) --------------------------------------------------------------------------------- */

/* WL_E_ARGUMENT where the game brings no numbering. */
int32_t wl_index_of(const wl_game *game, const void *setup, wl_index *index);

/* The number of a legal action of `seat`, or WL_E_NUMBER where it has none. */
int32_t wl_encode(const wl_game *game, const void *setup, const void *state, int32_t seat, const wl_action *action);

/* The legal action of `seat` with this number, to `out`; or WL_E_NUMBER. */
int32_t wl_decode(const wl_game *game, const void *setup, const void *state, int32_t seat, int32_t number, wl_action *out);

/* The numbers of the legal actions of `seat`, in the order of its listing, each once, to `out` (room for `cap`). Returns how many
 * there are. `actions` is working room for as many listed actions; WL_E_SPACE where that does not suffice. WL_PLAY_ON leaves out
 * what gives up, where there is another. */
int64_t wl_numbers(const wl_game *game, const void *setup, const void *state, int32_t seat, uint32_t flags, wl_action *actions,
                   int32_t *out, size_t cap);

/* The planes of what `seat` knows, to `out`: planes * rows * columns numbers. `view` is room for a view. */
int32_t wl_planes(const wl_game *game, const void *setup, const void *state, int32_t seat, void *view, float *out);

enum { WL_ENDED = 1, WL_CUT = 2 }; /* ends: the match is over; it was too long */

/* What the caller wants to know of each of the n matches of a vector: of the seat that is to act, its planes and a 1 for each action
 * that it may take; what the last step brought each seat; whether it ended the match, of which another has begun then. NULL where it
 * is not wanted. */
typedef struct wl_columns {
    float *observations; /* n * planes * rows * columns */
    uint8_t *masks;      /* n * actions */
    float *rewards;      /* n * seats: 1 for who has won, -1 for who has lost, 0 in a draw, before the end, and for who does not play */
    uint8_t *ends;       /* n: 0, WL_ENDED or WL_CUT */
    int32_t *seats;      /* n: who is to act */
} wl_columns;

/* The bytes that a vector of n matches takes. */
size_t wl_vector_size(const wl_game *game, int32_t n, size_t n_options);

/* How a vector goes about it. */
typedef struct wl_vector_settings {
    uint64_t seed;
    int64_t steps_max; /* actions after which a match is cut; 0: none is */
    int32_t first;     /* the place of its first match in a larger vector, of which it is a part */
    uint32_t flags;    /* WL_PLAY_ON: masks leave out what gives up, where there is another action */
} wl_vector_settings;

/* Begins n matches with these options in `memory`, which is aligned to 8 bytes and the vector's own from now on. The draws of a
 * match come from the seed and its place alone, so that matches do not depend on how they are divided among threads. */
int32_t wl_vector_begin(const wl_game *game, void *memory, size_t n_memory, int32_t n, const wl_word *options, size_t n_options,
                        const wl_vector_settings *settings, const wl_columns *out);

/* Takes an action in each match: n numbers. Every one is looked at before the first is taken: after WL_E_NUMBER nothing has changed,
 * and `*failed` is the place of the match. One thread at a time: the others get WL_E_BUSY. */
int32_t wl_vector_step(void *memory, size_t n_memory, const int32_t *actions, const wl_columns *out, int32_t *failed);

/* Looks at n numbers and takes no action: WL_OK, or WL_E_NUMBER with the place of the match in `*failed`. After WL_OK the next
 * wl_vector_step takes these actions if its `actions` are NULL. So threads that share the matches of one step among vectors of
 * their own can look at all numbers before any of them takes an action. */
int32_t wl_vector_check(void *memory, size_t n_memory, const int32_t *actions, int32_t *failed);

#endif
