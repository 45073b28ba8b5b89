/* hex.c: Hex Tactics, by the rule book warlog_core/rules/hex.md. Section numbers are the book's. Entry points: hex_check (is an
 * action legal?), hex_apply, hex_observe (what each seat sees) and the others of the table HEX at the end (WL_PARTS of
 * ../game.h); what they use stands above them.
 * An attack: hex_check, check_turn_action, check_target; then hex_apply, turn_action, attack, strike, leave, end_check,
 * end_turn, next_turn, start_turn. Each stands above the one that calls it.
 *
 * Spaces are numbered row * 32 + column, both from 0 (a1 = 0, b1 = 1, a2 = 32), so that the canonical order is the
 * numeric one and sets of spaces are one 32-bit word per row. Units are rows of the roster, presets and all enumerations
 * rows of the book's lists.
 *
 * Option words:   verdict (1: malformed), seats, teams, width, height, obstacles, obstacle_count, deploy_depth, deployment,
 *                 army, army_points, max_stacks, army_preset, shooter_melee_percent, defend_percent, min_damage, round_limit,
 *                 limit_result, roster verdict, armies verdict (LIST_ABSENT ...);
 *                 n, obstacle spaces; with a roster: n, types of 16 words; with armies: n, and per seat: seat, n, (unit, count).
 * Position words: see hex_position.c.
 *
 * Explanations of actions (hex_explain) and notes on options and Positions (the NOTE_ constants of hex.h) are lists of words that
 * codecs/hex_explain.py reads.
 */
#include "hex.h"

/* ==== 3. Pieces ===================================================================================================== */

/* 3.2, in roster order; laid out to be compared with the book. */
/* clang-format off */
static const unit DEFAULT_ROSTER[] = {
    /*                  cost   hp  atk  spr  pow  lvl ini mov mode  rng sht ret skill    srg use summons */
    /* militia     */ {    6,  10,   3,   1,   0,   1,  4,  4, WALK,  1,  0,  1, NO_SKILL, 0,  0,  0, {0} },
    /* archer      */ {    7,   8,   3,   1,   0,   1,  6,  3, WALK,  8,  1,  1, NO_SKILL, 0,  0,  0, {0} },
    /* wolf        */ {    9,  12,   4,   2,   0,   2,  9,  7, WALK,  1,  0,  1, NO_SKILL, 0,  0,  0, {0} },
    /* pikeman     */ {    8,  14,   4,   1,   0,   2,  5,  4, WALK,  2,  0,  1, NO_SKILL, 0,  0,  0, {0} },
    /* acolyte     */ {   10,  12,   3,   1,   3,   2,  6,  4, WALK,  1,  0,  1, HEAL,     4,  3,  0, {0} },
    /* swordsman   */ {   16,  30,   8,   2,   0,   3,  5,  5, WALK,  1,  0,  1, NO_SKILL, 0,  0,  0, {0} },
    /* crossbowman */ {   15,  16,   7,   2,   0,   3,  7,  4, WALK, 10,  1,  1, NO_SKILL, 0,  0,  0, {0} },
    /* panther     */ {   13,  18,   7,   2,   0,   3, 10,  6, LEAP,  1,  0,  1, NO_SKILL, 0,  0,  0, {0} },
    /* griffin     */ {   16,  26,   6,   3,   0,   3,  9,  7, FLY,   1,  0,  2, NO_SKILL, 0,  0,  0, {0} },
    /* golem       */ {   23,  60,   9,   1,   0,   4,  3,  3, WALK,  1,  0,  2, NO_SKILL, 0,  0,  0, {0} },
    /* cavalry     */ {   27,  40,  14,   4,   0,   4,  8,  8, WALK,  1,  0,  1, NO_SKILL, 0,  0,  0, {0} },
    /* mage        */ {   24,  24,  14,   6,   0,   4,  8,  4, WALK,  7,  1,  1, NO_SKILL, 0,  0,  0, {0} },
    /* necromancer */ {   27,  30,  10,   3,  20,   5,  6,  4, WALK,  6,  1,  1, SUMMON,   3,  2, 15, {0} },
    /* giant       */ {   54, 120,  30,   8,   0,   6,  4,  4, WALK,  1,  0,  1, NO_SKILL, 0,  0,  0, {0} },
    /* dragon      */ {  145, 220,  55,  12,   0,   7, 11,  9, FLY,   1,  0,  2, NO_SKILL, 0,  0,  0, {0} },
    /* skeleton    */ {    0,   6,   2,   1,   0,   1,  4,  4, WALK,  1,  0,  1, NO_SKILL, 0,  0,  0, {0} },
};
/* clang-format on */
enum { DEFAULT_UNITS = sizeof DEFAULT_ROSTER / sizeof DEFAULT_ROSTER[0] };
enum {
    MILITIA, ARCHER, WOLF, PIKEMAN, ACOLYTE, SWORDSMAN, CROSSBOWMAN, PANTHER, GRIFFIN, GOLEM, CAVALRY, MAGE,
    NECROMANCER, GIANT, DRAGON, SKELETON,
};

/* 4.3: the named presets, made for 1000 points of the default roster; `auto` is computed. */
enum { PRESET_POINTS = 1000, PRESET_ENTRIES = 6 };
static const entry PRESET_ARMY[PRESETS][PRESET_ENTRIES] = {
    [PRESET_HOST] = {{SWORDSMAN, 15}, {ARCHER, 20}, {CAVALRY, 7}, {ACOLYTE, 10}, {GOLEM, 7}, {GRIFFIN, 10}},
    [PRESET_RANGERS] = {{ARCHER, 32}, {CROSSBOWMAN, 20}, {MAGE, 9}, {MILITIA, 20}, {WOLF, 15}},
    [PRESET_COVEN] = {{NECROMANCER, 9}, {ACOLYTE, 10}, {GOLEM, 12}, {GIANT, 4}, {PANTHER, 12}},
    [PRESET_TALONS] = {{DRAGON, 2}, {GRIFFIN, 18}, {WOLF, 19}, {CAVALRY, 9}},
};

/* ==== 5. State ====================================================================================================== */

/* What a viewer may know: the same struct, and what is derived. */
typedef struct hex_view {
    int32_t viewer;
    uint32_t to_act;
    int32_t active; /* id of the active stack, 0 if there is none */
    uint8_t side[SEATS_MAX];
    uint8_t has_zone, zone_first_column, zone_last_column, zone_first_row, zone_last_row;
    uint8_t zero_[3];
    hex_state state;
} hex_view;

static const wl_field UNIT_FIELDS[] = {
    WL_FIELD(unit, cost),      WL_FIELD(unit, hp),          WL_FIELD(unit, attack),     WL_FIELD(unit, spread),
    WL_FIELD(unit, skill_power), WL_FIELD(unit, level),     WL_FIELD(unit, initiative), WL_FIELD(unit, move),
    WL_FIELD(unit, movement),  WL_FIELD(unit, range),       WL_FIELD(unit, shooter),    WL_FIELD(unit, retaliations),
    WL_FIELD(unit, skill),     WL_FIELD(unit, skill_range), WL_FIELD(unit, skill_uses), WL_FIELD(unit, summon_unit),
    WL_FIELDS_END,
};

static const wl_field SETUP_FIELDS[] = {
    WL_FIELD(hex_setup, army_points),
    WL_FIELD(hex_setup, round_limit),
    WL_FIELD(hex_setup, n_seats),
    WL_FIELD(hex_setup, teams),
    WL_FIELD(hex_setup, width),
    WL_FIELD(hex_setup, height),
    WL_FIELD(hex_setup, deploy_depth),
    WL_FIELD(hex_setup, deployment),
    WL_FIELD(hex_setup, army),
    WL_FIELD(hex_setup, max_stacks),
    WL_FIELD(hex_setup, army_preset),
    WL_FIELD(hex_setup, shooter_melee_percent),
    WL_FIELD(hex_setup, defend_percent),
    WL_FIELD(hex_setup, min_damage),
    WL_FIELD(hex_setup, limit_result),
    WL_FIELD(hex_setup, own_roster),
    WL_FIELD(hex_setup, n_units),
    WL_ROWS(hex_setup, units, n_units, UNIT_FIELDS),
    WL_FIELDS_END,
};

static const wl_field STACK_FIELDS[] = {
    WL_FIELD(stack, id),          WL_FIELD(stack, skill_used), WL_FIELD(stack, space),
    WL_FIELD(stack, count),       WL_FIELD(stack, start_count), WL_FIELD(stack, top_hp),
    WL_FIELD(stack, unit),        WL_FIELD(stack, retaliations_used), WL_FIELD(stack, seat),
    WL_FIELD(stack, defending),   WL_FIELD(stack, waited),     WL_FIELD(stack, summoned),
    WL_FIELDS_END,
};

static const wl_field ENTRY_FIELDS[] = {WL_FIELD(entry, unit), WL_FIELD(entry, count), WL_FIELDS_END};

static const wl_field SEAT_FIELDS[] = {
    WL_FIELD(seat_state, status),     WL_FIELD(seat_state, submitted), WL_FIELD(seat_state, ready),
    WL_FIELD(seat_state, draw_offer), WL_FIELD(seat_state, draw_used), WL_FIELD(seat_state, n_army),
    WL_ROWS(seat_state, army, n_army, ENTRY_FIELDS), WL_FIELDS_END,
};

static const wl_field SPACES_FIELDS[] = {WL_ARRAY(spaces, row), WL_FIELDS_END};

static const wl_field STATE_LAYOUT[] = {
    WL_FIELD(hex_state, turns),
    WL_FIELD(hex_state, round),
    WL_FIELD(hex_state, next_id),
    WL_FIELD(hex_state, phase),
    WL_FIELD(hex_state, reason),
    WL_FIELD(hex_state, winners),
    WL_FIELD(hex_state, n_stacks),
    WL_FIELD(hex_state, n_queue),
    WL_ROW(hex_state, obstacles, SPACES_FIELDS),
    WL_ALL_ROWS(hex_state, seats, SEAT_FIELDS),
    WL_COUNTED(hex_state, queue, n_queue),
    WL_ROWS(hex_state, stacks, n_stacks, STACK_FIELDS),
    WL_FIELDS_END,
};

static const wl_field VIEW_LAYOUT[] = {
    WL_FIELD(hex_view, viewer),
    WL_FIELD(hex_view, to_act),
    WL_FIELD(hex_view, active),
    WL_ARRAY(hex_view, side),
    WL_FIELD(hex_view, has_zone),
    WL_FIELD(hex_view, zone_first_column),
    WL_FIELD(hex_view, zone_last_column),
    WL_FIELD(hex_view, zone_first_row),
    WL_FIELD(hex_view, zone_last_row),
    WL_FIELDS_END,
};

/* ==== Names ========================================================================================================= */

static const char *const SEATS[] = {"red", "blue", "green", "yellow", NULL};
static const char *const PHASES[] = {"recruit", "deploy", "play", "over", NULL};
static const char *const REASONS[] = {"elimination", "resigned", "timeout", "draw_agreed", "round_limit", NULL};

WL_ACTION_TYPES(ACTION_ROWS);

/* Effects (10.4): X(constant, name, field ...). */
#define EFFECT_ROWS(X)                                                                                                \
    X(E_MATCH_STARTED, match_started, WL_MANY(space, obstacles))                                                      \
    X(E_ARMY_SUBMITTED, army_submitted, WL_SEAT(seat), WL_MAYBE_MANY(entry, army))                                    \
    X(E_ARMIES_REVEALED, armies_revealed, WL_MANY(stack, stacks))                                                     \
    X(E_PLACED, placed, WL_PIECE(piece), WL_SPACE(from), WL_SPACE(to), WL_MAYBE(piece, swapped))                      \
    X(E_SEAT_READY, seat_ready, WL_SEAT(seat))                                                                        \
    X(E_DEPLOYMENT_REVEALED, deployment_revealed, WL_MANY(place, stacks))                                             \
    X(E_ROUND_STARTED, round_started, WL_NUMBER(round), WL_MANY(piece, queue))                                        \
    X(E_TURN_STARTED, turn_started, WL_PIECE(piece), WL_SEAT(seat), WL_FLAG(resumed))                                 \
    X(E_MOVED, moved, WL_PIECE(piece), WL_SPACE(from), WL_SPACE(to), WL_MANY(space, path))                            \
    X(E_ATTACKED, attacked, WL_PIECE(piece), WL_PIECE(target_piece), WL_SPACE(from), WL_SPACE(at),                    \
      WL_OF(kind, kind), WL_NUMBER(base), WL_NUMBER(roll), WL_NUMBER(damage), WL_NUMBER(killed),                      \
      WL_NUMBER(count), WL_NUMBER(top_hp))                                                                            \
    X(E_DESTROYED, destroyed, WL_PIECE(piece), WL_SPACE(space))                                                       \
    X(E_SEAT_ELIMINATED, seat_eliminated, WL_SEAT(seat))                                                              \
    X(E_HEALED, healed, WL_PIECE(piece), WL_PIECE(target_piece), WL_SPACE(at), WL_NUMBER(restored),                   \
      WL_NUMBER(revived), WL_NUMBER(count), WL_NUMBER(top_hp))                                                        \
    X(E_SUMMONED, summoned, WL_PIECE(piece), WL_OF(stack, stack))                                                     \
    X(E_DEFENDED, defended, WL_PIECE(piece))                                                                          \
    X(E_WAITED, waited, WL_PIECE(piece))                                                                              \
    X(E_DRAW_OFFERED, draw_offered, WL_SEAT(seat))                                                                    \
    X(E_DRAW_ACCEPTED, draw_accepted, WL_SEAT(seat))                                                                  \
    X(E_DRAW_DECLINED, draw_declined, WL_SEAT(seat))                                                                  \
    X(E_RESIGNED, resigned, WL_SEAT(seat), WL_OF(leave_reason, reason), WL_MANY(piece, removed))                      \
    X(E_MATCH_ENDED, match_ended, WL_OF(result, result))
WL_EFFECTS(EFFECT_ROWS);

static const char *const ERROR_NAMES[] = WL_ERROR_NAMES(ERRORS);

/* ==== Sets of spaces (2.1 - 2.6) ===================================================================================== */

static uint32_t full_row(const hex_setup *setup) { return wl_bit(setup->width) - 1; }

static void whole_board(const hex_setup *setup, spaces *out)
{
    *out = (spaces){{0}};
    for (int32_t r = 0; r < setup->height; r++)
        out->row[r] = full_row(setup);
}

/* Adds to `set` its neighbours that lie in `pass`; 0 when there are none to add. Rows of even rank (odd r) are shifted right
 * (2.2): a space of column c touches columns c-1 and c of the rows beside an unshifted row, c and c+1 beside a shifted one. */
static int spread(const hex_setup *setup, const spaces *pass, spaces *set)
{
    const int32_t height = setup->height;
    uint32_t below = 0; /* the row before this one, as it was */
    uint32_t any = 0;

    for (int32_t r = 0; r < height; r++) {
        const uint32_t own = set->row[r];
        const uint32_t beside = below | (r + 1 < height ? set->row[r + 1] : 0);
        const uint32_t slanted = beside << 1 >> (r % 2 * 2);
        const uint32_t grown = own | ((own << 1 | own >> 1 | beside | slanted) & pass->row[r]);
        set->row[r] = grown;
        below = own;
        any |= grown ^ own;
    }
    return any != 0;
}

/* By rows, as sets are written: the processor waits where a whole set is read that has just been written so. */
static void copy(const hex_setup *setup, const spaces *set, spaces *out)
{
    *out = (spaces){{0}};
    for (int32_t r = 0; r < setup->height; r++)
        out->row[r] = set->row[r];
}

/* Takes out of `set` what is not in `kept`. */
static void keep(const hex_setup *setup, const spaces *kept, spaces *set)
{
    for (int32_t r = 0; r < setup->height; r++)
        set->row[r] &= kept->row[r];
}

/* The spaces of the board that are not in `set`. */
static void others(const hex_setup *setup, const spaces *set, spaces *out)
{
    *out = (spaces){{0}};
    for (int32_t r = 0; r < setup->height; r++)
        out->row[r] = full_row(setup) & ~set->row[r];
}

static int same(const hex_setup *setup, const spaces *a, const spaces *b)
{
    uint32_t difference = 0;
    for (int32_t r = 0; r < setup->height; r++)
        difference |= a->row[r] ^ b->row[r];
    return difference == 0;
}

/* The columns of row `r`, which is no further away, that lie within `range` of `from`: distance() told row by row. Without a branch,
 * since there is no guessing where the pieces stand; columns beyond the board may be among them. */
static inline uint32_t within(int32_t from, int32_t range, int32_t r)
{
    const int32_t dr = r - row_of(from);
    const int32_t middle = column_of(from) - row_of(from) / 2 + r / 2;
    const int32_t first = middle - range - (dr < 0 ? dr : 0);
    const int32_t last = middle + range - (dr > 0 ? dr : 0);
    const int32_t low = first > 0 ? first : 0;
    const int32_t high = last < STRIDE - 1 ? last : STRIDE - 1;

    return (uint32_t)(((uint64_t)2 << high) - 1) & UINT32_MAX << low;
}

/* 1 when the spaces that are not in `blocked` form one connected region (4.1, 4.2). */
static int connected(const hex_setup *setup, const spaces *blocked)
{
    spaces open, region = {{0}};

    others(setup, blocked, &open);
    for (int32_t r = 0; r < setup->height; r++)
        if (open.row[r] != 0) {
            region.row[r] = open.row[r] & (~open.row[r] + 1);
            break;
        }
    while (spread(setup, &open, &region))
        ;
    return same(setup, &region, &open);
}

/* ==== Stacks and sides (3.3, 3.4) ===================================================================================== */

static int friends(const hex_setup *setup, const stack *a, const stack *b)
{
    return side_of(setup, a->seat) == side_of(setup, b->seat);
}

static const unit *unit_of(const hex_setup *setup, const stack *s) { return &setup->units[s->unit]; }

static int64_t total_of(const hex_setup *setup, const stack *s)
{
    return (int64_t)(s->count - 1) * unit_of(setup, s)->hp + s->top_hp;
}

static int64_t loss_of(const hex_setup *setup, const stack *s)
{
    return (int64_t)s->start_count * unit_of(setup, s)->hp - total_of(setup, s);
}

/* Count and wound of a stack that has `total` > 0 hit points left (7.6 STRIKE, 7.9 heal). */
static void set_total(const hex_setup *setup, stack *s, int64_t total)
{
    const int64_t hp = unit_of(setup, s)->hp;
    const int64_t count = (total + hp - 1) / hp;
    s->count = (uint16_t)count;
    s->top_hp = (uint16_t)(total - (count - 1) * hp);
}

static int32_t stack_at(const hex_state *state, int32_t space)
{
    for (int32_t i = 0; i < state->n_stacks; i++)
        if (state->stacks[i].space == space)
            return i;
    return -1;
}

static const stack *active_stack(const hex_state *state)
{
    return state->phase == PLAY && state->n_queue > 0 ? &state->stacks[state->queue[0]] : NULL;
}

/* The spaces with stacks of this seat's enemies. */
static void enemies_of(const hex_setup *setup, const hex_state *state, int32_t seat, spaces *out)
{
    *out = (spaces){{0}};
    for (int32_t i = 0; i < state->n_stacks; i++) {
        const stack *s = &state->stacks[i];
        if (s->space != HIDDEN) /* no branch for the side, which there is no guessing */
            out->row[row_of(s->space)] |= (uint32_t)(side_of(setup, s->seat) != side_of(setup, seat)) << column_of(s->space);
    }
}

/* 2.4: on the board, no obstacle, no stack. */
static void free_spaces(const hex_setup *setup, const hex_state *state, spaces *out)
{
    others(setup, &state->obstacles, out);
    for (int32_t i = 0; i < state->n_stacks; i++)
        if (state->stacks[i].space != HIDDEN)
            take_out(out, state->stacks[i].space);
}

/* ==== Paths (2.6) ====================================================================================================== */

/* What a step of this stack may pass through: `free` or more, and its own space, which it starts from. */
static void passable(const hex_setup *setup, const hex_state *state, const stack *s, const spaces *free, spaces *out)
{
    const int32_t movement = unit_of(setup, s)->movement;

    if (movement == FLY)
        whole_board(setup, out);
    else if (movement == LEAP)
        others(setup, &state->obstacles, out);
    else
        copy(setup, free, out);
    add(out, s->space);
}

/* The free spaces that a stack reaches by a path of at most its `move` steps; once `to` is among them it looks no further. */
static void reach(const hex_setup *setup, const hex_state *state, const stack *s, const spaces *free, int32_t to, spaces *out)
{
    spaces pass;
    int32_t left = unit_of(setup, s)->move;

    passable(setup, state, s, free, &pass);
    *out = (spaces){{0}};
    add(out, s->space);
    while (left > 0 && !has(out, to) && spread(setup, &pass, out))
        left--;
    keep(setup, free, out);
}

/* The neighbour in direction 0 ... 5 of the neighbour order (2.2), or -1. */
static int32_t neighbour(const hex_setup *setup, int32_t space, int32_t direction)
{
    static const int8_t COLUMN[2][6] = {{-1, 0, -1, 1, -1, 0}, {0, 1, -1, 1, 0, 1}}; /* odd rank, even rank */
    static const int8_t ROW[6] = {-1, -1, 0, 0, 1, 1};
    const int32_t c = column_of(space) + COLUMN[row_of(space) % 2][direction];
    const int32_t r = row_of(space) + ROW[direction];
    return c < 0 || c >= setup->width || r < 0 || r >= setup->height ? -1 : space_at(c, r);
}

/* The path of a stack to `to`, which it reaches: the spaces entered, in order. Returns their number.
 *
 * Waves of equal D(x) go out from the destination until one holds the start; then the path runs down the waves, each time
 * to the first neighbour in the neighbour order. */
static int32_t path(const hex_setup *setup, const hex_state *state, const stack *s, int32_t to, int32_t *out)
{
    spaces free, pass;
    spaces wave[UINT8_MAX + 1]; /* wave[d]: spaces with D <= d; `move` is at most 99 */
    int32_t d = 0;
    int32_t x = s->space;
    int32_t n = 0;

    free_spaces(setup, state, &free);
    passable(setup, state, s, &free, &pass);
    memset(&wave[0], 0, sizeof wave[0]);
    add(&wave[0], to);
    for (; !has(&wave[d], s->space); d++) {
        if (d == UINT8_MAX)
            return 0;
        wave[d + 1] = wave[d];
        if (!spread(setup, &pass, &wave[d + 1]))
            return 0;
    }
    for (; d > 0; d--)
        for (int32_t direction = 0; direction < 6; direction++) {
            const int32_t y = neighbour(setup, x, direction);
            if (y >= 0 && has(&wave[d - 1], y)) {
                x = out[n++] = y;
                break;
            }
        }
    return n;
}

/* ==== 4. Setup and options ============================================================================================= */

enum { LIST_ABSENT, LIST_GIVEN, LIST_MALFORMED }; /* verdicts on roster and armies */

/* Everything the option words say: the setup, and what only the start of the match needs. */
typedef struct start {
    hex_setup setup;
    int32_t obstacles;
    int32_t obstacle_count;
    wl_word n_obstacle_spaces;
    const wl_word *obstacle_spaces;
    wl_word n_armies;
    wl_words armies;
} start;

/* So many of a unit, or as many as there may be; of none there is no entry. */
static void add_entry(army *a, uint16_t unit, int64_t count)
{
    if (count > 0)
        a->entry[a->n++] = (entry){unit, (uint16_t)(count < COUNT_MAX ? count : COUNT_MAX)};
}

/* 4.3, `auto`: the points in equal shares for units from all over the roster, or else as many as they buy of the cheapest. */
static army auto_army(const hex_setup *setup)
{
    const int64_t points = setup->army_points;
    army a = {0};
    uint16_t recruitable[UNITS_MAX];
    uint16_t cheapest;
    int32_t n = 0;
    int32_t n_stacks;

    for (int32_t u = 0; u < setup->n_units; u++)
        if (setup->units[u].cost >= 1)
            recruitable[n++] = (uint16_t)u;
    if (n == 0)
        return a;
    n_stacks = setup->max_stacks < n ? setup->max_stacks : n;
    for (int32_t i = 0; i < n_stacks; i++) {
        const uint16_t u = recruitable[i * n / n_stacks];
        add_entry(&a, u, points / n_stacks / setup->units[u].cost);
    }
    if (a.n > 0)
        return a;
    cheapest = recruitable[0];
    for (int32_t i = 1; i < n; i++)
        if (setup->units[recruitable[i]].cost < setup->units[cheapest].cost)
            cheapest = recruitable[i];
    add_entry(&a, cheapest, points / setup->units[cheapest].cost); /* option errors see to it that somebody can be bought */
    return a;
}

/* 4.3: the army of a preset, or one without entries when it is not available. */
static army preset_army(const hex_setup *setup, int32_t preset)
{
    army a = {0};

    if (preset == PRESET_AUTO)
        return auto_army(setup);
    for (int32_t i = 0; !setup->own_roster && i < PRESET_ENTRIES && a.n < setup->max_stacks; i++) {
        const entry e = PRESET_ARMY[preset][i];
        add_entry(&a, e.unit, (int64_t)e.count * setup->army_points / PRESET_POINTS);
    }
    return a;
}

/* One unit type of a given roster (3.1); 16 words in the order of the book's table. */
static int read_unit(unit *u, const wl_word *w, wl_word n_units)
{
    const int skilled = w[10] == HEAL || w[10] == SUMMON;

    if (!wl_between(1, w[0], 10) || !wl_between(0, w[1], 99) || !wl_between(1, w[2], 9999) || !wl_between(0, w[3], 99))
        return 0;
    if (!wl_between(WALK, w[4], FLY) || !wl_between(1, w[5], 99) || !wl_between(0, w[6], 9999) || !wl_between(0, w[7], w[6]))
        return 0;
    if (!wl_between(0, w[8], 1) || !wl_between(0, w[9], 99) || !wl_between(NO_SKILL, w[10], SUMMON) ||
        !wl_between(0, w[15], 99999))
        return 0;
    if (skilled && (!wl_between(w[10] == SUMMON, w[11], 99) || !wl_between(1, w[12], 1000) || !wl_between(0, w[13], 99)))
        return 0;
    if (w[10] == SUMMON && !wl_between(0, w[14], n_units - 1))
        return 0;
    *u = (unit){
        .level = (uint8_t)w[0],
        .initiative = (uint8_t)w[1],
        .hp = (uint16_t)w[2],
        .move = (uint8_t)w[3],
        .movement = (uint8_t)w[4],
        .range = (uint8_t)w[5],
        .attack = (uint16_t)w[6],
        .spread = (uint16_t)w[7],
        .shooter = (uint8_t)w[8],
        .retaliations = (uint8_t)w[9],
        .skill = (uint8_t)w[10],
        .skill_range = (uint8_t)(skilled ? w[11] : 0),
        .skill_power = (uint16_t)(skilled ? w[12] : 0),
        .skill_uses = (uint8_t)(skilled ? w[13] : 0),
        .summon_unit = (uint8_t)(w[10] == SUMMON ? w[14] : 0),
        .cost = (int32_t)w[15],
    };
    return 1;
}

enum { UNIT_WORDS = 16 };

static int32_t read_roster(hex_setup *setup, wl_words *words, wl_word verdict)
{
    int recruitable = 0;

    if (verdict == LIST_ABSENT) {
        setup->n_units = DEFAULT_UNITS;
        memcpy(setup->units, DEFAULT_ROSTER, sizeof DEFAULT_ROSTER);
    } else {
        const wl_word n = verdict == LIST_GIVEN ? wl_next(words) : 0;
        const wl_word *w = wl_next_list(words, n, UNIT_WORDS);
        if (w == NULL || !wl_between(1, n, UNITS_MAX))
            return BAD_ROSTER; /* the codec sees to it, and says so */
        setup->n_units = (uint8_t)n;
        for (wl_word i = 0; i < n; i++)
            if (!read_unit(&setup->units[i], w + i * UNIT_WORDS, n))
                return WL_BLAME(words, BAD_ROSTER, NOTE_UNIT, i);
        for (wl_word i = 0; i < n; i++)
            if (setup->units[i].skill == SUMMON && setup->units[setup->units[i].summon_unit].skill == SUMMON)
                return WL_BLAME(words, BAD_ROSTER, NOTE_SUMMONER, i);
    }
    for (int32_t u = 0; u < setup->n_units; u++)
        recruitable |= wl_between(1, setup->units[u].cost, setup->army_points);
    if (!recruitable &&
        (setup->army == ARMY_RECRUIT || (setup->army == ARMY_PRESET && setup->army_preset == PRESET_AUTO)))
        return WL_BLAME(words, BAD_ROSTER, NOTE_NOT_RECRUITABLE);
    return WL_OK;
}

/* The army of one seat among the given armies: cursor at its seat word. */
static int32_t read_given_army(const hex_setup *setup, wl_words *words, wl_word index, int32_t *seat, army *a)
{
    const wl_word s = wl_next(words);
    const wl_word n = wl_next(words);
    const wl_word *w = wl_next_list(words, n, 2);

    if (!wl_between(0, s, setup->n_seats - 1))
        return WL_BLAME(words, BAD_ARMIES, NOTE_ARMY_SEAT, index);
    if (w == NULL || !wl_between(1, n, setup->max_stacks))
        return WL_BLAME(words, BAD_ARMIES, NOTE_ARMY_SIZE, index, setup->max_stacks);
    *seat = (int32_t)s;
    a->n = (int32_t)n;
    for (wl_word i = 0; i < n; i++) {
        if (!wl_between(0, w[2 * i], setup->n_units - 1) || !wl_between(1, w[2 * i + 1], COUNT_MAX))
            return WL_BLAME(words, BAD_ARMIES, NOTE_ARMY_ENTRY, index, i);
        a->entry[i] = (entry){(uint16_t)w[2 * i], (uint16_t)w[2 * i + 1]};
    }
    return WL_OK;
}

static int32_t check_given_armies(const start *s, wl_words *notes, wl_word verdict)
{
    wl_words words = s->armies;
    uint32_t seen = 0;

    if (s->setup.army != ARMY_GIVEN)
        return WL_OK;
    if (verdict != LIST_GIVEN || s->n_armies != s->setup.n_seats)
        return WL_BLAME(notes, BAD_ARMIES, NOTE_ARMIES, s->setup.n_seats);
    for (int32_t i = 0; i < s->setup.n_seats; i++) {
        army a;
        int32_t seat;
        if (read_given_army(&s->setup, &words, i, &seat, &a) != WL_OK)
            return wl_blame(notes, BAD_ARMIES, words.note, (size_t)words.n_note);
        if ((seen & wl_bit(seat)) != 0)
            return WL_BLAME(notes, BAD_ARMIES, NOTE_ARMY_SEAT, i);
        seen |= wl_bit(seat);
    }
    return WL_OK;
}

static int32_t check_obstacles(const start *s, wl_words *notes)
{
    const spaces zones = all_zones(&s->setup);
    spaces set = {{0}};

    if (s->obstacles != OBSTACLES_LIST)
        return WL_OK;
    for (wl_word i = 0; i < s->n_obstacle_spaces; i++) {
        const wl_word space = s->obstacle_spaces[i];
        if (!on_board(&s->setup, space))
            return WL_BLAME(notes, BAD_OBSTACLES, NOTE_OBSTACLE, i, 0);
        if (has(&set, (int32_t)space) || has(&zones, (int32_t)space))
            return WL_BLAME(notes, BAD_OBSTACLES, NOTE_OBSTACLE, i, has(&set, (int32_t)space) ? 1 : 2);
        add(&set, (int32_t)space);
    }
    return connected(&s->setup, &set) ? WL_OK : WL_BLAME(notes, BAD_OBSTACLES, NOTE_SPLIT);
}

/* 4.1: the options, their errors in the book's order. */
static int32_t read_options(start *s, wl_words *words)
{
    hex_setup *setup = &s->setup;
    const wl_word verdict = wl_next(words);
    wl_word value[OPTIONS];
    wl_word roster_verdict;
    wl_word armies_verdict;
    int32_t stacks_max;
    int32_t error;

    memset(s, 0, sizeof *s);
    for (int32_t i = 0; i < OPTIONS; i++)
        value[i] = wl_or_else(wl_next(words), OPTION[i].otherwise);
    roster_verdict = wl_next(words);
    armies_verdict = wl_next(words);
    s->n_obstacle_spaces = wl_next(words);
    if (verdict != 0 || words->overrun)
        return WL_E_INVALID_OPTIONS;
    s->obstacle_spaces = wl_next_list(words, s->n_obstacle_spaces, 1);
    if (s->obstacle_spaces == NULL || s->n_obstacle_spaces > INT32_MAX)
        return WL_E_INVALID_OPTIONS;
    for (int32_t i = 0; i < OPTIONS; i++)
        if (!WL_IN_RANGE(i, value[i]))
            return WL_E_INVALID_OPTIONS;

    setup->n_seats = (uint8_t)value[O_SEATS];
    setup->teams = (uint8_t)value[O_TEAMS];
    setup->width = (uint8_t)value[O_WIDTH];
    setup->height = (uint8_t)value[O_HEIGHT];
    setup->deploy_depth = (uint8_t)value[O_DEPLOY_DEPTH];
    setup->deployment = (uint8_t)value[O_DEPLOYMENT];
    setup->army = (uint8_t)value[O_ARMY];
    setup->army_points = (int32_t)value[O_ARMY_POINTS];
    setup->max_stacks = (uint8_t)value[O_MAX_STACKS];
    setup->army_preset = (uint8_t)value[O_ARMY_PRESET];
    setup->shooter_melee_percent = (uint8_t)value[O_SHOOTER_MELEE_PERCENT];
    setup->defend_percent = (uint8_t)value[O_DEFEND_PERCENT];
    setup->min_damage = (uint8_t)value[O_MIN_DAMAGE];
    setup->round_limit = (int32_t)value[O_ROUND_LIMIT];
    setup->limit_result = (uint8_t)value[O_LIMIT_RESULT];
    setup->own_roster = roster_verdict != LIST_ABSENT;
    s->obstacles = (int32_t)value[O_OBSTACLES];
    s->obstacle_count = (int32_t)value[O_OBSTACLE_COUNT];

    if (setup->army == ARMY_PRESET && setup->army_preset != PRESET_AUTO && preset_army(setup, setup->army_preset).n == 0)
        return WL_BLAME(words, WL_E_INVALID_OPTIONS, NOTE_PRESET);
    if (setup->teams && setup->n_seats < 4)
        return WL_BLAME(words, WL_E_INVALID_OPTIONS, NOTE_TEAMS);
    stacks_max = setup->deploy_depth * (setup->n_seats == 2 ? setup->height : setup->height / 2);
    if (setup->max_stacks > stacks_max)
        return WL_BLAME(words, WL_E_INVALID_OPTIONS, NOTE_STACKS, stacks_max);
    error = read_roster(setup, words, roster_verdict);
    if (error != WL_OK)
        return error;
    s->n_armies = armies_verdict == LIST_GIVEN ? wl_next(words) : 0;
    s->armies = *words;
    error = check_given_armies(s, words, armies_verdict);
    return error != WL_OK ? error : check_obstacles(s, words);
}

/* ==== Effects ======================================================================================================= */

/* The match in the middle of an event. */
typedef struct match {
    const hex_setup *setup;
    hex_state *state;
    wl_draws *draws;
    wl_event *event;
} match;

static void put_stack(wl_event *event, const stack *s, int with_space)
{
    wl_put(event, s->id);
    wl_put(event, s->seat);
    wl_put(event, s->unit);
    wl_put(event, with_space ? s->space : WL_WORD_ABSENT);
    wl_put(event, s->count);
    wl_put(event, s->start_count);
    wl_put(event, s->top_hp);
    wl_put(event, s->defending);
    wl_put(event, s->waited);
    wl_put(event, s->retaliations_used);
    wl_put(event, s->skill_used);
    wl_put(event, s->summoned);
}

enum { EVERYBODY = -1, NOBODY = -2 }; /* whose stacks are shown with their spaces */

static void put_armies_revealed(wl_event *event, const hex_state *state, int32_t kind, uint32_t audience, uint32_t unlock,
                                int32_t owner)
{
    wl_open_record(event, kind, audience, unlock, E_ARMIES_REVEALED);
    wl_put(event, state->n_stacks);
    for (int32_t i = 0; i < state->n_stacks; i++)
        put_stack(event, &state->stacks[i], owner == EVERYBODY || state->stacks[i].seat == owner);
    wl_close_record(event);
}

/* In phase deploy each seat gets the spaces of its own stacks only, until the match is over (8). */
static void effect_armies_revealed(const match *m)
{
    const hex_state *state = m->state;

    if (!wl_wanted(m->event))
        return;
    if (state->phase != DEPLOY) {
        put_armies_revealed(m->event, state, WL_REC_EFFECT, WL_ALL_VIEWERS, 0, EVERYBODY);
        return;
    }
    put_armies_revealed(m->event, state, WL_REC_EFFECT, 0, WL_DISCLOSE_OVER, EVERYBODY);
    for (int32_t seat = 0; seat < m->setup->n_seats; seat++)
        put_armies_revealed(m->event, state, WL_REC_EFFECT_ALT, wl_bit(seat), 0, seat);
    put_armies_revealed(m->event, state, WL_REC_EFFECT_ALT, wl_bit(WL_SPECTATOR), 0, NOBODY);
}

static void put_spaces(wl_event *event, const hex_setup *setup, const spaces *set)
{
    wl_word n = 0;
    for (int32_t r = 0; r < setup->height; r++)
        n += wl_popcount(set->row[r]);
    wl_put(event, n);
    for (int32_t r = 0; r < setup->height; r++)
        for (uint32_t left = set->row[r]; left != 0; left &= left - 1)
            wl_put(event, space_at(wl_lowest(left), r));
}

static void put_queue(wl_event *event, const hex_state *state)
{
    wl_put(event, state->n_queue);
    for (int32_t i = 0; i < state->n_queue; i++)
        wl_put(event, state->stacks[state->queue[i]].id);
}

/* ==== 9. End of the match ============================================================================================ */

static uint32_t seats_in(const hex_setup *setup, const hex_state *state)
{
    uint32_t in = 0;
    for (int32_t seat = 0; seat < setup->n_seats; seat++)
        if (state->seats[seat].status == IN)
            in |= wl_bit(seat);
    return in;
}

/* The seats of a side that win with it: all but those that resigned (9.2). */
static uint32_t winners_of(const hex_setup *setup, const hex_state *state, int32_t side)
{
    uint32_t winners = 0;
    for (int32_t seat = 0; seat < setup->n_seats; seat++)
        if (side_of(setup, seat) == side && state->seats[seat].status != RESIGNED)
            winners |= wl_bit(seat);
    return winners;
}

static void end_match(const match *m, uint32_t winners, int32_t reason)
{
    hex_state *state = m->state;

    state->phase = OVER;
    memset(state->queue, 0, sizeof state->queue);
    state->n_queue = 0;
    state->winners = (uint8_t)winners;
    state->reason = (uint8_t)reason;
    wl_record(m->event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0, E_MATCH_ENDED, WL_ARGS(winners, reason)); /* two words: a result */
}

/* 6.6 END-CHECK. Returns 1 when the match has ended. */
static int end_check(const match *m, int32_t reason)
{
    hex_state *state = m->state;
    const uint32_t in = seats_in(m->setup, state);
    const int32_t side = in == 0 ? -1 : side_of(m->setup, wl_lowest(in));

    for (int32_t seat = 0; seat < m->setup->n_seats; seat++)
        if ((in & wl_bit(seat)) != 0 && side_of(m->setup, seat) != side)
            return 0;
    end_match(m, side < 0 ? 0 : winners_of(m->setup, state, side), reason);
    return 1;
}

/* 9.3. */
static void end_by_round_limit(const match *m)
{
    hex_state *state = m->state;
    int64_t sum[SEATS_MAX] = {0};
    int32_t best = 0;
    int ties = 0;

    if (m->setup->limit_result == 0) {
        end_match(m, 0, BY_ROUND_LIMIT);
        return;
    }
    for (int32_t i = 0; i < state->n_stacks; i++)
        sum[side_of(m->setup, state->stacks[i].seat)] += total_of(m->setup, &state->stacks[i]);
    for (int32_t side = 1; side < SEATS_MAX; side++)
        if (sum[side] > sum[best])
            best = side;
    for (int32_t side = 0; side < SEATS_MAX; side++)
        ties += sum[side] == sum[best];
    end_match(m, ties > 1 ? 0 : winners_of(m->setup, state, best), BY_ROUND_LIMIT);
}

/* ==== 6. Turn ======================================================================================================== */

/* 6.3 START-TURN. */
static void start_turn(const match *m)
{
    hex_state *state = m->state;
    stack *s = &state->stacks[state->queue[0]];

    if (!s->waited) {
        s->defending = 0;
        s->retaliations_used = 0;
    }
    state->turns++;
    WL_PUBLIC(m->event, E_TURN_STARTED, s->id, s->seat, s->waited);
}

static void clear_offers(hex_state *state)
{
    for (int32_t seat = 0; seat < SEATS_MAX; seat++)
        state->seats[seat].draw_offer = 0;
}

enum { INITIATIVES = 100 };

static int32_t group_of(const hex_setup *setup, const stack *s) { return INITIATIVES - 1 - unit_of(setup, s)->initiative; }

/* 6.2 START-ROUND(k). */
static void start_round(const match *m, int32_t k)
{
    hex_state *state = m->state;
    uint16_t start[INITIATIVES + 1] = {0}; /* of each group in the queue, groups by initiative descending */
    uint16_t fill[INITIATIVES];
    int32_t first = INITIATIVES, last = 0; /* groups with anybody in them */

    state->round = k;
    clear_offers(state);
    for (int32_t seat = 0; seat < SEATS_MAX; seat++)
        state->seats[seat].draw_used = 0;
    for (int32_t i = 0; i < state->n_stacks; i++) {
        const int32_t g = group_of(m->setup, &state->stacks[i]);
        state->stacks[i].waited = 0;
        start[g + 1]++; /* counts, one place further on */
        first = g < first ? g : first;
        last = g > last ? g : last;
    }
    for (int32_t g = first; g <= last; g++) {
        fill[g] = start[g];
        start[g + 1] = (uint16_t)(start[g + 1] + start[g]);
    }
    for (int32_t i = 0; i < state->n_stacks; i++)
        state->queue[fill[group_of(m->setup, &state->stacks[i])]++] = (uint16_t)i;
    state->n_queue = state->n_stacks;
    for (int32_t g = first; g <= last; g++) {
        uint16_t *group = state->queue + start[g];
        for (int32_t i = start[g + 1] - start[g] - 1; i > 0; i--) {
            const int32_t j = wl_draw(m->draws, i + 1);
            const uint16_t other = group[j];
            group[j] = group[i];
            group[i] = other;
        }
    }
    if (wl_wanted(m->event)) {
        wl_open_record(m->event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0, E_ROUND_STARTED);
        wl_put(m->event, k);
        put_queue(m->event, state);
        wl_close_record(m->event);
    }
    start_turn(m);
}

static void drop_front(hex_state *state)
{
    state->n_queue--;
    memmove(state->queue, state->queue + 1, state->n_queue * sizeof state->queue[0]);
    state->queue[state->n_queue] = 0;
}

/* 6.4 END-TURN, steps 2 and 3: the stack that acted is no longer in the queue. */
static void next_turn(const match *m)
{
    hex_state *state = m->state;

    if (state->n_queue > 0)
        start_turn(m);
    else if (m->setup->round_limit > 0 && state->round >= m->setup->round_limit)
        end_by_round_limit(m);
    else
        start_round(m, state->round + 1);
}

/* 6.5: takes a stack out of the state and the queue; the others keep their order. */
static void remove_stack(hex_state *state, int32_t place)
{
    int32_t kept = 0;

    for (int32_t i = 0; i < state->n_queue; i++)
        if (state->queue[i] != place)
            state->queue[kept++] = (uint16_t)(state->queue[i] - (state->queue[i] > place));
    if (kept < state->n_queue)
        state->queue[kept] = 0;
    state->n_queue = (uint16_t)kept;
    state->n_stacks--;
    memmove(&state->stacks[place], &state->stacks[place + 1],
            (size_t)(state->n_stacks - place) * sizeof state->stacks[0]);
    memset(&state->stacks[state->n_stacks], 0, sizeof state->stacks[0]);
}

static int has_stacks(const hex_state *state, int32_t seat)
{
    for (int32_t i = 0; i < state->n_stacks; i++)
        if (state->stacks[i].seat == seat)
            return 1;
    return 0;
}

/* 6.5, for a stack that was destroyed: it leaves, and perhaps its seat with it. (`resign` needs remove_stack alone.) */
static void leave(const match *m, int32_t place)
{
    hex_state *state = m->state;
    const int32_t seat = state->stacks[place].seat;

    remove_stack(state, place);
    if (state->seats[seat].status == IN && !has_stacks(state, seat)) {
        state->seats[seat].status = ELIMINATED;
        clear_offers(state);
        WL_PUBLIC(m->event, E_SEAT_ELIMINATED, seat);
    }
}

/* ==== Start of the match (4.4) ====================================================================================== */

/* AUTO-DEPLOY for one seat. */
static void auto_deploy(hex_state *state, const hex_setup *setup, int32_t seat)
{
    const zone z = zone_of(setup, seat);
    const int32_t inward = z.outermost == z.first_column ? 1 : -1;
    const int32_t h = z.last_row - z.first_row + 1;
    int32_t column = z.outermost;
    int32_t left = 0;
    int32_t place = 0;

    for (int32_t i = 0; i < state->n_stacks; i++)
        left += state->stacks[i].seat == seat;
    for (; left > 0; column += inward) {
        const int32_t m = h < left ? h : left;
        for (int32_t i = 0; i < m; place++)
            if (state->stacks[place].seat == seat) {
                state->stacks[place].space = (uint16_t)space_at(column, z.first_row + (2 * i + 1) * h / (2 * m));
                i++;
            }
        left -= m;
    }
}

/* REVEAL: the submitted, preset or given armies become stacks. */
static void reveal(const match *m)
{
    hex_state *state = m->state;

    for (int32_t seat = 0; seat < m->setup->n_seats; seat++) {
        seat_state *s = &state->seats[seat];
        if (s->status == IN)
            for (int32_t i = 0; i < s->n_army; i++)
                state->stacks[state->n_stacks++] =
                    new_stack(m->setup, state->next_id++, seat, s->army[i].unit, s->army[i].count);
        memset(s->army, 0, sizeof s->army);
        s->n_army = s->submitted = 0;
    }
    for (int32_t seat = 0; seat < m->setup->n_seats; seat++)
        auto_deploy(state, m->setup, seat);
    state->phase = m->setup->deployment ? DEPLOY : PLAY;
    effect_armies_revealed(m);
    if (state->phase == PLAY)
        start_round(m, 1);
}

/* 6.1: after the last seat is ready. */
static void open_battle(const match *m)
{
    hex_state *state = m->state;

    state->phase = PLAY;
    for (int32_t seat = 0; seat < SEATS_MAX; seat++)
        state->seats[seat].ready = 0;
    if (wl_wanted(m->event)) {
        wl_open_record(m->event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0, E_DEPLOYMENT_REVEALED);
        wl_put(m->event, state->n_stacks);
        for (int32_t i = 0; i < state->n_stacks; i++) {
            wl_put(m->event, state->stacks[i].id);
            wl_put(m->event, state->stacks[i].space);
        }
        wl_close_record(m->event);
    }
    start_round(m, 1);
}

/* 4.2. */
static void draw_obstacles(hex_state *state, const hex_setup *setup, int32_t wanted, wl_draws *draws)
{
    const spaces zones = all_zones(setup);
    int16_t candidates[SPACES_MAX];
    int32_t n = 0;

    for (int32_t r = 0; r < setup->height; r++)
        for (int32_t c = 0; c < setup->width; c++)
            if (!has(&zones, space_at(c, r)))
                candidates[n++] = (int16_t)space_at(c, r);
    for (int32_t found = 0; found < wanted && n > 0;) {
        const int32_t j = n > 1 ? wl_draw(draws, n) : 0;
        spaces with = state->obstacles;
        add(&with, candidates[j]);
        n--;
        memmove(&candidates[j], &candidates[j + 1], (size_t)(n - j) * sizeof candidates[0]);
        if (connected(setup, &with)) {
            state->obstacles = with;
            found++;
        }
    }
}

static void effect_match_started(const match *m)
{
    const hex_state *state = m->state;

    if (!wl_wanted(m->event))
        return;
    wl_open_record(m->event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0, E_MATCH_STARTED);
    put_spaces(m->event, m->setup, &state->obstacles);
    wl_close_record(m->event);
}

static void normal_start(const match *m, const start *s)
{
    hex_state *state = m->state;
    wl_words armies = s->armies;

    state->next_id = 1;
    for (wl_word i = 0; s->obstacles == OBSTACLES_LIST && i < s->n_obstacle_spaces; i++)
        add(&state->obstacles, (int32_t)s->obstacle_spaces[i]);
    if (s->obstacles == OBSTACLES_RANDOM)
        draw_obstacles(state, m->setup, s->obstacle_count, m->draws);
    effect_match_started(m);
    if (m->setup->army == ARMY_RECRUIT)
        return;
    for (int32_t i = 0; i < m->setup->n_seats; i++) {
        int32_t seat = i;
        army a;
        if (m->setup->army == ARMY_PRESET)
            a = preset_army(m->setup, m->setup->army_preset);
        else if (read_given_army(m->setup, &armies, i, &seat, &a) != WL_OK)
            return; /* read_options has checked them */
        store_army(&state->seats[seat], &a);
    }
    reveal(m);
}

/* ==== 7. Actions ====================================================================================================== */

/* 7.6: the range at which a stack attacks from where it stands. */
static int32_t effective_range(const hex_setup *setup, const hex_state *state, const stack *s)
{
    const unit *u = unit_of(setup, s);

    if (!u->shooter)
        return u->range;
    for (int32_t i = 0; i < state->n_stacks; i++)
        if (!friends(setup, s, &state->stacks[i]) && distance(s->space, state->stacks[i].space) == 1)
            return 1;
    return u->range;
}

/* 7.7: the range at which a stack attacks after it has moved. */
static int32_t range_after_moving(const hex_setup *setup, const stack *s)
{
    return unit_of(setup, s)->shooter ? 1 : unit_of(setup, s)->range;
}

static int offer_is_open(const hex_state *state)
{
    int open = 0;
    for (int32_t seat = 0; seat < SEATS_MAX; seat++)
        open |= state->seats[seat].draw_offer;
    return open;
}

static int32_t check_place(const hex_setup *setup, const hex_state *state, int32_t seat, const wl_action *a)
{
    const int32_t place = place_of(state, a->field[0]);
    const int32_t to = a->field[1];

    if (state->seats[seat].ready)
        return ALREADY_READY;
    if (place < 0 || state->stacks[place].seat != seat)
        return WL_E_NOT_YOUR_PIECE;
    if (!on_board(setup, to))
        return WL_E_UNKNOWN_SPACE;
    if (!in_zone(setup, seat, to))
        return OUTSIDE_ZONE;
    return state->stacks[place].space == to ? WL_E_ILLEGAL_DESTINATION : WL_OK;
}

static int32_t check_move(const hex_setup *setup, const hex_state *state, const stack *s, int32_t to)
{
    spaces free, reached;

    if (!on_board(setup, to))
        return WL_E_UNKNOWN_SPACE;
    if (to == s->space)
        return WL_E_ILLEGAL_DESTINATION;
    free_spaces(setup, state, &free);
    if (!has(&free, to))
        return SPACE_BLOCKED;
    reach(setup, state, s, &free, to, &reached);
    return has(&reached, to) ? WL_OK : OUT_OF_REACH;
}

/* An enemy of `s` on `target`, struck from `from` over at most `range`. */
static int32_t check_target(const hex_setup *setup, const hex_state *state, const stack *s, int32_t from, int32_t target,
                            int32_t range)
{
    int32_t place;

    if (!on_board(setup, target))
        return WL_E_UNKNOWN_SPACE;
    place = stack_at(state, target);
    if (place < 0)
        return NO_TARGET;
    if (friends(setup, s, &state->stacks[place]))
        return NOT_AN_ENEMY;
    return distance(from, target) > range ? OUT_OF_RANGE : WL_OK;
}

static int32_t check_skill(const hex_setup *setup, const hex_state *state, const stack *s, int32_t target)
{
    const unit *u = unit_of(setup, s);
    int32_t place;

    if (u->skill == NO_SKILL)
        return SKILL_MISSING;
    if (u->skill_uses > 0 && s->skill_used >= u->skill_uses)
        return NO_USES_LEFT;
    if (!on_board(setup, target))
        return WL_E_UNKNOWN_SPACE;
    place = stack_at(state, target);
    if (u->skill == SUMMON) {
        if (place >= 0 || has(&state->obstacles, target))
            return SPACE_BLOCKED;
        return distance(s->space, target) > u->skill_range ? OUT_OF_RANGE : WL_OK;
    }
    if (place < 0)
        return NO_TARGET;
    if (!friends(setup, s, &state->stacks[place]))
        return NOT_A_FRIEND;
    if (distance(s->space, target) > u->skill_range)
        return OUT_OF_RANGE;
    return loss_of(setup, &state->stacks[place]) == 0 ? NOTHING_TO_HEAL : WL_OK;
}

static int32_t check_turn_action(const hex_setup *setup, const hex_state *state, int32_t seat, const wl_action *a)
{
    const stack *s = active_stack(state);
    int32_t error;

    if (s == NULL || s->seat != seat)
        return WL_E_NOT_YOUR_TURN;
    if (a->field[0] != s->id)
        return NOT_ACTIVE_PIECE;
    switch (a->type) {
    case A_MOVE: return check_move(setup, state, s, a->field[1]);
    case A_ATTACK:
        return check_target(setup, state, s, s->space, a->field[1], effective_range(setup, state, s));
    case A_MOVE_ATTACK:
        error = check_move(setup, state, s, a->field[1]);
        if (error != WL_OK)
            return error;
        return check_target(setup, state, s, a->field[1], a->field[2], range_after_moving(setup, s));
    case A_SKILL: return check_skill(setup, state, s, a->field[1]);
    case A_WAIT: return s->waited ? ALREADY_WAITED : WL_OK;
    default: return WL_OK; /* defend */
    }
}

static const uint8_t PHASES_OF[] = { /* 7.1: the phases of each type, as bits */
    [A_RECRUIT] = 1 << RECRUIT,
    [A_RECRUIT_PRESET] = 1 << RECRUIT,
    [A_PLACE] = 1 << DEPLOY,
    [A_READY] = 1 << DEPLOY,
    [A_MOVE] = 1 << PLAY,
    [A_ATTACK] = 1 << PLAY,
    [A_MOVE_ATTACK] = 1 << PLAY,
    [A_SKILL] = 1 << PLAY,
    [A_DEFEND] = 1 << PLAY,
    [A_WAIT] = 1 << PLAY,
    [A_OFFER_DRAW] = 1 << PLAY,
    [A_ACCEPT_DRAW] = 1 << PLAY,
    [A_DECLINE_DRAW] = 1 << PLAY,
    [A_RESIGN] = 1 << RECRUIT | 1 << DEPLOY | 1 << PLAY,
    [A_TIMEOUT] = 1 << RECRUIT | 1 << DEPLOY | 1 << PLAY,
};

/* 7.2, in its order. */
static int32_t hex_check(const void *setup_, const void *state_, const wl_post *post)
{
    const hex_setup *setup = setup_;
    const hex_state *state = state_;
    const wl_action *a = &post->action;
    const int from_server = post->actor == WL_SERVER;
    int32_t seat = post->actor;

    if (state->phase == OVER)
        return WL_E_MATCH_OVER;
    if (a->type < 0 || a->type >= ACTIONS || (a->type == A_TIMEOUT) != from_server)
        return WL_E_MALFORMED_ACTION;
    if (a->type == A_RECRUIT && a->field[0] < 0) /* an open template is no army */
        return WL_E_MALFORMED_ACTION;
    if (from_server) {
        seat = a->field[0];
        if (!wl_between(0, seat, SEATS_MAX - 1))
            return WL_E_MALFORMED_ACTION;
    }
    if (seat >= setup->n_seats)
        return UNKNOWN_SEAT;
    if (state->seats[seat].status != IN)
        return SEAT_OUT;
    if ((PHASES_OF[a->type] >> state->phase & 1) == 0)
        return WL_E_WRONG_PHASE;
    switch (a->type) {
    case A_RECRUIT:
        if (state->seats[seat].submitted)
            return ALREADY_SUBMITTED;
        return check_army(setup, a->field[0], post->items, post->n_items);
    case A_RECRUIT_PRESET:
        if (state->seats[seat].submitted)
            return ALREADY_SUBMITTED;
        if (!wl_between(0, a->field[0], PRESETS - 1))
            return UNKNOWN_PRESET;
        return preset_army(setup, a->field[0]).n == 0 ? UNKNOWN_PRESET : WL_OK;
    case A_PLACE: return check_place(setup, state, seat, a);
    case A_READY: return state->seats[seat].ready ? ALREADY_READY : WL_OK;
    case A_OFFER_DRAW:
        return state->seats[seat].draw_used || offer_is_open(state) ? DRAW_ALREADY_OFFERED : WL_OK;
    case A_ACCEPT_DRAW:
    case A_DECLINE_DRAW:
        return !offer_is_open(state) || state->seats[seat].draw_offer ? NO_DRAW_OFFER : WL_OK;
    case A_RESIGN:
    case A_TIMEOUT: return WL_OK;
    default: return check_turn_action(setup, state, seat, a);
    }
}

/* What a refusal leaves unsaid; `state` is what the actor sees. The words by code, `at` an index of the army:
 *
 *   seat_out              status                                wrong_phase           phase
 *   not_your_turn         seat in turn, or -1                   not_active_piece      id, unit and space of the active stack
 *   too_many_stacks       greatest number                       already_submitted     none
 *   unknown_unit, not_recruitable, bad_count   at               too_expensive         cost, budget
 *   unknown_preset        presets that are there, as bits       draw codes            is there an offer?
 *   not_your_piece        seat of the piece, or -1
 *
 * and in a turn after the active stack's unit and space: what a space holds (its unit and seat, or -1, -1 for an obstacle or
 * nothing), or range and distance. */
static size_t hex_explain(const void *setup_, const void *state_, const wl_post *post, int32_t error, wl_word *out)
{
    const hex_setup *setup = setup_;
    const hex_state *state = state_;
    const wl_action *a = &post->action;
    const stack *s = active_stack(state);
    const int32_t seat = post->actor;
    int32_t from, target, place;

    switch (error) {
    case SEAT_OUT: out[0] = state->seats[seat].status; return 1;
    case WL_E_WRONG_PHASE: out[0] = state->phase; return 1;
    case WL_E_NOT_YOUR_TURN: out[0] = s == NULL ? -1 : s->seat; return 1;
    case TOO_MANY_STACKS: out[0] = setup->max_stacks; return 1;
    case UNKNOWN_UNIT:
    case NOT_RECRUITABLE:
    case BAD_COUNT:
        for (int32_t n = 1; n <= a->field[0]; n++)
            if (check_army(setup, n, post->items, post->n_items) == error) {
                out[0] = n - 1;
                return 1;
            }
        return 0;
    case TOO_EXPENSIVE:
        out[0] = 0;
        for (int32_t i = 0; i < a->field[0]; i++)
            out[0] += (wl_word)post->items[2 * i + 1] * setup->units[post->items[2 * i]].cost;
        out[1] = setup->army_points;
        return 2;
    case UNKNOWN_PRESET:
        out[0] = 0;
        for (int32_t preset = 0; preset < PRESETS; preset++)
            out[0] |= (wl_word)(preset_army(setup, preset).n > 0) << preset;
        return 1;
    case DRAW_ALREADY_OFFERED:
    case NO_DRAW_OFFER: out[0] = offer_is_open(state); return 1;
    case WL_E_NOT_YOUR_PIECE:
        place = place_of(state, a->field[0]);
        out[0] = place < 0 ? -1 : state->stacks[place].seat;
        return 1;
    default: break;
    }
    if (s == NULL)
        return 0;
    out[0] = s->unit;
    out[1] = s->space;
    if (error == NOT_ACTIVE_PIECE) {
        out[2] = s->id;
        return 3;
    }
    from = a->type == A_MOVE_ATTACK ? a->field[1] : s->space;
    target = a->type == A_MOVE_ATTACK ? a->field[2] : a->field[1];
    switch (error) {
    case OUT_OF_REACH:
        out[2] = unit_of(setup, s)->move;
        out[3] = distance(s->space, a->field[1]);
        return 4;
    case OUT_OF_RANGE:
        out[2] = a->type == A_SKILL         ? unit_of(setup, s)->skill_range
                 : a->type == A_MOVE_ATTACK ? range_after_moving(setup, s)
                                            : effective_range(setup, state, s);
        out[3] = distance(from, target);
        return 4;
    case NO_USES_LEFT: out[2] = unit_of(setup, s)->skill_uses; return 3;
    case SPACE_BLOCKED: target = a->field[1]; break;
    case NOT_AN_ENEMY:
    case NOT_A_FRIEND:
    case NOTHING_TO_HEAL: break;
    default: return 2;
    }
    place = stack_at(state, target);
    out[2] = place < 0 ? -1 : state->stacks[place].unit;
    out[3] = place < 0 ? -1 : state->stacks[place].seat;
    return 4;
}

/* ---- resolution --------------------------------------------------------------------------------------------------- */

/* 7.6 STRIKE, steps 1 to 4, of S from this space, by this roll. */
static int64_t damage_of(const hex_setup *setup, const stack *s, int32_t from, const stack *t, int64_t roll)
{
    const unit *u = unit_of(setup, s);
    int64_t damage = (int64_t)u->attack * s->count + roll;

    if (u->shooter && distance(from, t->space) == 1)
        damage = damage * setup->shooter_melee_percent / 100;
    if (t->defending)
        damage = damage * setup->defend_percent / 100;
    return damage < setup->min_damage ? setup->min_damage : damage;
}

/* 7.6 STRIKE(S, T, kind) of the stacks at these places in `stacks`. Returns 1 when T was destroyed. */
static int strike(const match *m, int32_t attacker, int32_t defender, int32_t kind)
{
    hex_state *state = m->state;
    const stack *s = &state->stacks[attacker];
    stack *t = &state->stacks[defender];
    const unit *u = unit_of(m->setup, s);
    const int64_t base = (int64_t)u->attack * s->count;
    const int64_t w = (int64_t)u->spread * s->count;
    const int64_t roll = w > 0 ? wl_draw(m->draws, 2 * w + 1) - w : 0;
    const int64_t old_count = t->count;
    const int64_t damage = damage_of(m->setup, s, s->space, t, roll);
    const int64_t rest = total_of(m->setup, t) - damage;

    if (rest > 0)
        set_total(m->setup, t, rest);
    WL_PUBLIC(m->event, E_ATTACKED, s->id, t->id, s->space, t->space, kind, base, roll, damage,
              rest > 0 ? old_count - t->count : old_count, rest > 0 ? t->count : 0, rest > 0 ? t->top_hp : 0);
    if (rest > 0)
        return 0;
    WL_PUBLIC(m->event, E_DESTROYED, t->id, t->space);
    leave(m, defender);
    return 1;
}

/* 6.4 END-TURN after a turn action of the stack with this id, which is the first in the queue unless a retaliation has
 * destroyed it. */
static void end_turn(const match *m, int32_t id)
{
    hex_state *state = m->state;

    if (state->n_queue > 0 && state->stacks[state->queue[0]].id == id)
        drop_front(state);
    next_turn(m);
}

/* 7.6, resolution. */
static void attack(const match *m, int32_t id, int32_t target)
{
    hex_state *state = m->state;
    const int32_t attacker = place_of(state, id);
    const int32_t defender = stack_at(state, target);
    const int shot = unit_of(m->setup, &state->stacks[attacker])->shooter &&
                     distance(state->stacks[attacker].space, target) > 1;

    if (!strike(m, attacker, defender, shot ? RANGED : MELEE) && !shot) { /* nobody has left: the places still hold */
        stack *t = &state->stacks[defender];
        if (t->retaliations_used < unit_of(m->setup, t)->retaliations) {
            t->retaliations_used++;
            strike(m, defender, attacker, RETALIATION);
        }
    }
    if (!end_check(m, BY_ELIMINATION))
        end_turn(m, id);
}

/* 7.5 step 1. */
static void go(const match *m, stack *s, int32_t to)
{
    hex_state *state = m->state;
    const int32_t from = s->space;

    if (wl_wanted(m->event)) {
        int32_t step[UINT8_MAX + 1]; /* `path` enters at most UINT8_MAX spaces */
        const int32_t n = path(m->setup, state, s, to, step);
        wl_open_record(m->event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0, E_MOVED);
        wl_put(m->event, s->id);
        wl_put(m->event, from);
        wl_put(m->event, to);
        wl_put(m->event, n);
        for (int32_t i = 0; i < n; i++)
            wl_put(m->event, step[i]);
        wl_close_record(m->event);
    }
    s->space = (uint16_t)to;
}

/* 7.9. */
static void use_skill(const match *m, stack *s, int32_t target)
{
    hex_state *state = m->state;
    const unit *u = unit_of(m->setup, s);
    const int64_t power = (int64_t)u->skill_power * u->level * s->count;

    s->skill_used++;
    if (u->skill == HEAL) {
        stack *t = &state->stacks[stack_at(state, target)];
        const int64_t loss = loss_of(m->setup, t);
        const int64_t restored = power < loss ? power : loss;
        const int64_t old_count = t->count;
        set_total(m->setup, t, total_of(m->setup, t) + restored);
        WL_PUBLIC(m->event, E_HEALED, s->id, t->id, t->space, restored, t->count - old_count, t->count, t->top_hp);
    } else {
        const int64_t units = power / 100;
        const int64_t count = units < 1 ? 1 : units > COUNT_MAX ? COUNT_MAX : units;
        stack *t = &state->stacks[state->n_stacks++];
        *t = new_stack(m->setup, state->next_id++, s->seat, u->summon_unit, count);
        t->space = (uint16_t)target;
        t->summoned = 1;
        if (wl_wanted(m->event)) {
            wl_open_record(m->event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0, E_SUMMONED);
            wl_put(m->event, s->id);
            put_stack(m->event, t, 1);
            wl_close_record(m->event);
        }
    }
}

/* 7.4, with the secrecy of 8. */
static void place_stack(const match *m, int32_t seat, int32_t id, int32_t to)
{
    hex_state *state = m->state;
    stack *s = &state->stacks[place_of(state, id)];
    const int32_t other = stack_at(state, to);
    const int32_t from = s->space;

    if (other >= 0)
        state->stacks[other].space = (uint16_t)from;
    s->space = (uint16_t)to;
    wl_record(m->event, WL_REC_ACTION, wl_bit(seat), WL_DISCLOSE_OVER, A_PLACE, NULL, 0);
    wl_record(m->event, WL_REC_ACTION_ALT, WL_ALL_VIEWERS, 0, A_PLACE, NULL, 0);
    wl_record(m->event, WL_REC_EFFECT, wl_bit(seat), WL_DISCLOSE_OVER, E_PLACED,
              WL_ARGS(id, from, to, other >= 0 ? state->stacks[other].id : WL_WORD_ABSENT));
}

/* Seats in phase recruit or deploy that still have to decide. */
static uint32_t undecided(const hex_setup *setup, const hex_state *state)
{
    uint32_t seats = seats_in(setup, state);
    for (int32_t seat = 0; seat < setup->n_seats; seat++)
        if (state->phase == RECRUIT ? state->seats[seat].submitted : state->seats[seat].ready)
            seats &= ~wl_bit(seat);
    return seats;
}

/* 7.3, with the secrecy of 8. */
static void submit(const match *m, int32_t seat, const army *a, int32_t type)
{
    hex_state *state = m->state;

    store_army(&state->seats[seat], a);
    wl_record(m->event, WL_REC_ACTION, wl_bit(seat), WL_DISCLOSE_OVER, type, NULL, 0);
    wl_record(m->event, WL_REC_ACTION_ALT, WL_ALL_VIEWERS, 0, A_RECRUIT, NULL, 0);
    wl_open_record(m->event, WL_REC_EFFECT, wl_bit(seat), WL_DISCLOSE_OVER, E_ARMY_SUBMITTED);
    wl_put(m->event, seat);
    wl_put(m->event, a->n);
    for (int32_t i = 0; i < a->n; i++) {
        wl_put(m->event, a->entry[i].unit);
        wl_put(m->event, a->entry[i].count);
    }
    wl_close_record(m->event);
    wl_record(m->event, WL_REC_EFFECT_ALT, WL_ALL_VIEWERS, 0, WL_EFFECT(E_ARMY_SUBMITTED, seat, WL_WORD_ABSENT));
    if (undecided(m->setup, state) == 0)
        reveal(m);
}

/* 7.10 resign and timeout. */
static void resign(const match *m, int32_t seat, int32_t reason)
{
    hex_state *state = m->state;
    const stack *active = active_stack(state);
    const int was_active = active != NULL && active->seat == seat;
    wl_word removed[STACKS_MAX + 3];
    size_t n = 0;

    state->seats[seat].status = RESIGNED;
    clear_offers(state);
    for (int32_t i = 0; i < state->n_stacks;)
        if (state->stacks[i].seat == seat) {
            removed[3 + n++] = state->stacks[i].id;
            remove_stack(state, i);
        } else {
            i++;
        }
    removed[0] = seat;
    removed[1] = reason == BY_TIMEOUT;
    removed[2] = (wl_word)n;
    wl_record(m->event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0, E_RESIGNED, removed, n + 3);
    if (end_check(m, reason))
        return;
    if (state->phase == RECRUIT && undecided(m->setup, state) == 0)
        reveal(m);
    else if (state->phase == DEPLOY && undecided(m->setup, state) == 0)
        open_battle(m);
    else if (was_active)
        next_turn(m);
}

static int everybody_agrees(const hex_setup *setup, const hex_state *state)
{
    for (int32_t seat = 0; seat < setup->n_seats; seat++)
        if (state->seats[seat].status == IN && !state->seats[seat].draw_offer)
            return 0;
    return 1;
}

static void turn_action(const match *m, const wl_action *a)
{
    hex_state *state = m->state;
    const int32_t id = a->field[0];
    stack *s = &state->stacks[state->queue[0]];

    switch (a->type) {
    case A_ATTACK: attack(m, id, a->field[1]); return;
    case A_MOVE_ATTACK:
        go(m, s, a->field[1]);
        attack(m, id, a->field[2]);
        return;
    case A_WAIT:
        s->waited = 1;
        memmove(state->queue, state->queue + 1, (size_t)(state->n_queue - 1) * sizeof state->queue[0]);
        state->queue[state->n_queue - 1] = (uint16_t)(s - state->stacks);
        WL_PUBLIC(m->event, E_WAITED, id);
        start_turn(m);
        return;
    case A_MOVE: go(m, s, a->field[1]); break;
    case A_SKILL: use_skill(m, s, a->field[1]); break;
    default: /* A_DEFEND */
        s->defending = 1;
        WL_PUBLIC(m->event, E_DEFENDED, id);
        break;
    }
    end_turn(m, id);
}

/* 1 unless the state is that of a view which hides armies or spaces: such a one can be listed from, not played on. */
static int is_whole(const hex_state *state)
{
    for (int32_t seat = 0; state->phase == RECRUIT && seat < SEATS_MAX; seat++)
        if (state->seats[seat].submitted && state->seats[seat].n_army == 0)
            return 0;
    for (int32_t i = 0; state->phase == DEPLOY && i < state->n_stacks; i++)
        if (state->stacks[i].space == HIDDEN)
            return 0;
    return 1;
}

/* Resolves an action that hex_check has let through (7.3 to 7.10). The turn actions, which `default` takes, are in
 * turn_action. */
static int32_t hex_apply(const void *setup, void *state_, const wl_post *post, wl_draws *draws, wl_event *event)
{
    hex_state *state = state_;
    const match m = {setup, state, draws, event};
    const wl_action *a = &post->action;
    const int32_t seat = post->actor;

    if (!is_whole(state))
        return WL_E_STATE;
    switch (a->type) {
    case A_RECRUIT: {
        army posted = {.n = a->field[0]};
        for (int32_t i = 0; i < posted.n; i++)
            posted.entry[i] = (entry){(uint16_t)post->items[2 * i], (uint16_t)post->items[2 * i + 1]};
        submit(&m, seat, &posted, a->type);
        break;
    }
    case A_RECRUIT_PRESET: {
        const army preset = preset_army(setup, a->field[0]);
        submit(&m, seat, &preset, a->type);
        break;
    }
    case A_PLACE: place_stack(&m, seat, a->field[0], a->field[1]); break;
    case A_READY:
        state->seats[seat].ready = 1;
        WL_PUBLIC(event, E_SEAT_READY, seat);
        if (undecided(setup, state) == 0)
            open_battle(&m);
        break;
    case A_OFFER_DRAW:
        state->seats[seat].draw_offer = state->seats[seat].draw_used = 1;
        WL_PUBLIC(event, E_DRAW_OFFERED, seat);
        break;
    case A_ACCEPT_DRAW:
        state->seats[seat].draw_offer = 1;
        WL_PUBLIC(event, E_DRAW_ACCEPTED, seat);
        if (everybody_agrees(setup, state))
            end_match(&m, 0, BY_AGREEMENT);
        break;
    case A_DECLINE_DRAW:
        clear_offers(state);
        WL_PUBLIC(event, E_DRAW_DECLINED, seat);
        break;
    case A_RESIGN: resign(&m, seat, BY_RESIGNATION); break;
    case A_TIMEOUT: resign(&m, a->field[0], BY_TIMEOUT); break;
    default: turn_action(&m, a); break;
    }
    return WL_OK;
}

/* ---- 7.11 Listing --------------------------------------------------------------------------------------------------- */

static void list_recruit(wl_listing *l, const hex_setup *setup)
{
    WL_LIST(l, A_RECRUIT, WL_OPEN);
    for (int32_t preset = 0; preset < PRESETS; preset++)
        if (preset_army(setup, preset).n > 0)
            WL_LIST(l, A_RECRUIT_PRESET, preset);
}

static void list_deploy(wl_listing *l, const hex_setup *setup, const hex_state *state, int32_t seat)
{
    const zone z = zone_of(setup, seat);

    for (int32_t i = 0; i < state->n_stacks; i++)
        if (state->stacks[i].seat == seat)
            for (int32_t r = z.first_row; r <= z.last_row; r++)
                for (int32_t c = z.first_column; c <= z.last_column; c++)
                    if (space_at(c, r) != state->stacks[i].space)
                        WL_LIST(l, A_PLACE, state->stacks[i].id, space_at(c, r));
    WL_LIST(l, A_READY);
}

/* The spaces of `set` within `range` of `from`, in order, each as the last space of an action. */
static void list_targets(wl_listing *l, const hex_setup *setup, const spaces *set, int32_t from, int32_t range, int32_t type,
                         int32_t id, int32_t to)
{
    const int32_t first = row_of(from) - range > 0 ? row_of(from) - range : 0;
    const int32_t last = row_of(from) + range < setup->height - 1 ? row_of(from) + range : setup->height - 1;

    for (int32_t r = first; r <= last; r += 2)
        for (uint64_t left = two_rows(set->row[r] & within(from, range, r),
                                      r < last ? set->row[r + 1] & within(from, range, r + 1) : 0);
             left != 0; left &= left - 1) {
            const int32_t target = space_in(left, r);
            if (to < 0)
                WL_LIST(l, type, id, target);
            else
                WL_LIST(l, type, id, to, target);
        }
}

static void list_moves(wl_listing *l, const hex_setup *setup, const stack *s, const spaces *reached)
{
    for (int32_t r = 0; r < setup->height; r += 2)
        for (uint64_t left = rows_from(setup, reached, r); left != 0; left &= left - 1)
            WL_LIST(l, A_MOVE, s->id, space_in(left, r));
}

static void list_move_attacks(wl_listing *l, const hex_setup *setup, const stack *s, const spaces *reached,
                              const spaces *enemies)
{
    const int32_t range = range_after_moving(setup, s);
    spaces board, near; /* near: everything within range of some enemy */

    whole_board(setup, &board);
    copy(setup, enemies, &near);
    for (int32_t step = 0; step < range && spread(setup, &board, &near); step++)
        ;
    keep(setup, reached, &near);
    for (int32_t r = 0; r < setup->height; r += 2)
        for (uint64_t left = rows_from(setup, &near, r); left != 0; left &= left - 1) {
            const int32_t to = space_in(left, r);
            list_targets(l, setup, enemies, to, range, A_MOVE_ATTACK, s->id, to);
        }
}

static void list_skill(wl_listing *l, const hex_setup *setup, const hex_state *state, const stack *s, const spaces *free)
{
    const unit *u = unit_of(setup, s);
    spaces targets = {{0}};

    if (u->skill == NO_SKILL || (u->skill_uses > 0 && s->skill_used >= u->skill_uses))
        return;
    if (u->skill == SUMMON)
        targets = *free;
    else
        for (int32_t i = 0; i < state->n_stacks; i++)
            if (friends(setup, s, &state->stacks[i]) && loss_of(setup, &state->stacks[i]) > 0)
                add(&targets, state->stacks[i].space);
    list_targets(l, setup, &targets, s->space, u->skill_range, A_SKILL, s->id, -1);
}

static void list_turn(wl_listing *l, const hex_setup *setup, const hex_state *state, const stack *s)
{
    spaces enemies, free, reached;

    enemies_of(setup, state, s->seat, &enemies);
    free_spaces(setup, state, &free);
    reach(setup, state, s, &free, NOWHERE, &reached);
    list_moves(l, setup, s, &reached);
    list_targets(l, setup, &enemies, s->space, effective_range(setup, state, s), A_ATTACK, s->id, -1);
    list_move_attacks(l, setup, s, &reached, &enemies);
    list_skill(l, setup, state, s, &free);
    WL_LIST(l, A_DEFEND, s->id);
    if (!s->waited)
        WL_LIST(l, A_WAIT, s->id);
}

static size_t hex_legal(const void *setup_, const void *state_, int32_t seat, wl_action *out, size_t cap)
{
    const hex_setup *setup = setup_;
    const hex_state *state = state_;
    const seat_state *own = &state->seats[seat];
    wl_listing l = {out, cap, 0};

    if (state->phase == OVER || own->status != IN)
        return 0;
    if (state->phase == RECRUIT && !own->submitted)
        list_recruit(&l, setup);
    if (state->phase == DEPLOY && !own->ready)
        list_deploy(&l, setup, state, seat);
    if (state->phase == PLAY) {
        const stack *s = active_stack(state);
        if (s != NULL && s->seat == seat)
            list_turn(&l, setup, state, s);
        if (!own->draw_used && !offer_is_open(state))
            WL_LIST(&l, A_OFFER_DRAW);
        if (offer_is_open(state) && !own->draw_offer) {
            WL_LIST(&l, A_ACCEPT_DRAW);
            WL_LIST(&l, A_DECLINE_DRAW);
        }
    }
    WL_LIST(&l, A_RESIGN);
    return l.n;
}

/* ==== Traces ========================================================================================================= */

static void trace_target(const hex_state *before, int32_t target, wl_trace *trace)
{
    const int32_t place = stack_at(before, target);

    if (place >= 0)
        wl_touch(trace, WL_TRACE_HITS, target, before->stacks[place].id);
}

enum { LEAST, MIDDLE, MOST, ROLLS }; /* as in wl_harm */

/* The blow of a stack, which may have come to it in as many states, at another; `left` is what remains of that. */
static void trace_blow(const hex_setup *setup, const stack s[ROLLS], int32_t from, const stack *t, int32_t to, stack left[ROLLS],
                       wl_trace *trace)
{
    wl_harm *harm = &trace->harm[trace->n_harm++];

    harm->to = (wl_touched){to, t->id};
    for (int32_t roll = LEAST; roll < ROLLS; roll++) {
        const int64_t w = (int64_t)unit_of(setup, &s[roll])->spread * s[roll].count;
        const int64_t damage = s[roll].count == 0 ? 0 : damage_of(setup, &s[roll], from, t, (roll - MIDDLE) * w);
        const int64_t rest = total_of(setup, t) - damage;
        left[roll] = *t;
        if (rest > 0)
            set_total(setup, &left[roll], rest);
        else
            left[roll].count = 0;
        harm->damage[roll] = (int32_t)(damage < INT32_MAX ? damage : INT32_MAX);
        harm->killed[roll] = t->count - left[roll].count;
    }
}

/* What an attack from this space would do, and what the answer to it (7.6). */
static void trace_attack(const hex_setup *setup, const hex_state *before, const stack *s, int32_t from, int32_t target,
                         wl_trace *trace)
{
    const int32_t place = stack_at(before, target);
    const stack attacker[ROLLS] = {*s, *s, *s};
    const stack *t = &before->stacks[place < 0 ? 0 : place];
    stack left[ROLLS], answering[ROLLS], gone[ROLLS], struck;

    if (place < 0)
        return;
    trace_blow(setup, attacker, from, t, target, left, trace);
    if ((unit_of(setup, s)->shooter && distance(from, target) > 1) || left[LEAST].count == 0 ||
        t->retaliations_used >= unit_of(setup, t)->retaliations)
        return;
    for (int32_t roll = LEAST; roll < ROLLS; roll++)
        answering[roll] = left[MOST - roll]; /* the stronger the blow, the weaker the answer */
    struck = *s;
    struck.space = (uint16_t)from;
    trace_blow(setup, answering, target, &struck, from, gone, trace);
}

/* A stack goes by its path, which is the one of `go`; what it strikes, shoots at or heals is hit. */
static void trace_stack(const hex_setup *setup, const hex_state *before, const wl_action *a, int is_planned, wl_trace *trace)
{
    const int goes = a->type == A_MOVE || a->type == A_MOVE_ATTACK;
    int32_t place;

    if (a->type != A_PLACE && a->type != A_ATTACK && a->type != A_SKILL && !goes)
        return;
    place = place_of(before, a->field[0]);
    if (place < 0 || before->stacks[place].space == HIDDEN || !on_board(setup, a->field[1]))
        return;
    if (goes)
        trace->n_path = path(setup, before, &before->stacks[place], a->field[1], trace->path);
    else if (a->type == A_PLACE)
        wl_pass(trace, a->field[1]);
    else
        trace_target(before, a->field[1], trace);
    if (a->type == A_MOVE_ATTACK)
        trace_target(before, a->field[2], trace);
    if (is_planned && a->type == A_ATTACK)
        trace_attack(setup, before, &before->stacks[place], before->stacks[place].space, a->field[1], trace);
    if (is_planned && a->type == A_MOVE_ATTACK)
        trace_attack(setup, before, &before->stacks[place], a->field[1], a->field[2], trace);
}

static void hex_trace(const void *setup, const void *before_, const void *after, const wl_post *post, wl_trace *trace)
{
    const hex_state *before = before_;

    trace_stack(setup, before, &post->action, after == NULL, trace);
    for (int32_t i = 0; after != NULL && i < before->n_stacks; i++) {
        const stack *s = &before->stacks[i];
        const int moved = trace->n_path > 0 && s->id == post->action.field[0];
        if (s->space != HIDDEN && place_of(after, s->id) < 0)
            wl_touch(trace, WL_TRACE_TAKES, moved ? trace->path[trace->n_path - 1] : s->space, s->id);
    }
}

/* ==== 8. Visibility ================================================================================================== */

static uint32_t hex_to_act(const void *setup, const void *state_)
{
    const hex_state *state = state_;
    const stack *s = active_stack(state);

    if (state->phase == RECRUIT || state->phase == DEPLOY)
        return undecided(setup, state);
    return s != NULL ? wl_bit(s->seat) : 0;
}

static int32_t hex_observe(const void *setup_, const void *state_, int32_t viewer, void *view_)
{
    const hex_setup *setup = setup_;
    const hex_state *state = state_;
    hex_view *view = view_;
    hex_state *known = &view->state;
    const stack *active = active_stack(state);

    view->viewer = viewer;
    view->to_act = hex_to_act(setup, state);
    view->active = active != NULL ? active->id : 0;
    for (int32_t seat = 0; seat < setup->n_seats; seat++)
        view->side[seat] = (uint8_t)(side_of(setup, seat) + 1);
    if (state->phase == DEPLOY && viewer < setup->n_seats && state->seats[viewer].status == IN) {
        const zone z = zone_of(setup, viewer);
        view->has_zone = 1;
        view->zone_first_column = (uint8_t)z.first_column;
        view->zone_last_column = (uint8_t)z.last_column;
        view->zone_first_row = (uint8_t)z.first_row;
        view->zone_last_row = (uint8_t)z.last_row;
    }

    known->phase = state->phase;
    known->round = state->round;
    known->next_id = state->next_id; /* no secret: the ids in use are public */
    known->reason = state->reason;
    known->winners = state->winners;
    known->obstacles = state->obstacles;
    for (int32_t seat = 0; seat < setup->n_seats; seat++) {
        const seat_state *s = &state->seats[seat];
        known->seats[seat].status = s->status;
        known->seats[seat].submitted = s->submitted;
        known->seats[seat].ready = s->ready;
        known->seats[seat].draw_offer = s->draw_offer;
        known->seats[seat].draw_used = s->draw_used;
        if (state->phase == RECRUIT && seat == viewer) {
            known->seats[seat].n_army = s->n_army;
            memcpy(known->seats[seat].army, s->army, sizeof s->army);
        }
    }
    known->n_stacks = state->n_stacks;
    memcpy(known->stacks, state->stacks, state->n_stacks * sizeof state->stacks[0]);
    if (state->phase == DEPLOY)
        for (int32_t i = 0; i < known->n_stacks; i++)
            if (known->stacks[i].seat != viewer)
                known->stacks[i].space = HIDDEN;
    known->n_queue = state->n_queue;
    memcpy(known->queue, state->queue, state->n_queue * sizeof state->queue[0]);
    return WL_OK;
}

static uint32_t hex_disclosure(const void *setup, const void *state)
{
    (void)setup;
    return ((const hex_state *)state)->phase == OVER ? WL_DISCLOSE_OVER : 0;
}

/* ==== Start of the match ============================================================================================== */

static int32_t hex_check_options(wl_words *options, wl_words *position)
{
    hex_state state = {0};
    start s;
    const int32_t error = read_options(&s, options);

    return error != WL_OK || position == NULL ? error : hex_load_position(&s.setup, &state, position);
}

static int32_t hex_init(void *setup, void *state_, wl_words *options, wl_words *position, wl_draws *draws,
                        wl_event *event)
{
    hex_state *state = state_;
    const match m = {setup, state, draws, event};
    start s;
    int32_t error = read_options(&s, options);

    if (error == WL_OK && position != NULL)
        error = hex_load_position(&s.setup, state, position);
    if (error != WL_OK)
        return error;
    memcpy(setup, &s.setup, sizeof s.setup);
    if (position == NULL) {
        normal_start(&m, &s);
        return WL_OK;
    }
    effect_match_started(&m);
    if (state->phase != RECRUIT)
        effect_armies_revealed(&m);
    if (state->phase == PLAY && state->n_queue == 0) /* none was given */
        start_round(&m, state->round);
    return WL_OK;
}

/* ==== Soundness ======================================================================================================= */

static int32_t hex_sound_setup(const void *setup_)
{
    const hex_setup *setup = setup_;

    if (!WL_IN_RANGE(O_SEATS, setup->n_seats) || !WL_IN_RANGE(O_TEAMS, setup->teams))
        return 0;
    if (!WL_IN_RANGE(O_WIDTH, setup->width) || !WL_IN_RANGE(O_HEIGHT, setup->height))
        return 0;
    if (!WL_IN_RANGE(O_DEPLOY_DEPTH, setup->deploy_depth) || !WL_IN_RANGE(O_MAX_STACKS, setup->max_stacks))
        return 0;
    if (setup->max_stacks > setup->deploy_depth * (setup->n_seats == 2 ? setup->height : setup->height / 2))
        return 0; /* AUTO-DEPLOY would run out of the zone */
    if (setup->army_points < 0 || !WL_IN_RANGE(O_ARMY_PRESET, setup->army_preset))
        return 0;
    if (!wl_between(1, setup->n_units, UNITS_MAX))
        return 0;
    if (!setup->own_roster && setup->n_units < DEFAULT_UNITS) /* the named presets name them */
        return 0;
    for (int32_t i = 0; i < setup->n_units; i++) {
        const unit *u = &setup->units[i];
        if (u->hp < 1 || u->initiative >= INITIATIVES || u->move > 99 || u->movement > FLY || u->skill > SUMMON)
            return 0;
        if (u->summon_unit >= setup->n_units || u->cost < 0 || u->spread > u->attack)
            return 0;
    }
    return 1;
}

/* Room to count on in a playout, which looks at its first state only; honest matches stay below a thousand millions. */
enum { COUNTER_MAX = 2000000000 };

static int sound_seat(const hex_setup *setup, const hex_state *state, int32_t seat)
{
    const seat_state *s = &state->seats[seat];

    if (seat >= setup->n_seats)
        return (s->status | s->submitted | s->ready | s->draw_offer | s->draw_used | s->n_army) == 0;
    if (s->status > RESIGNED || s->submitted > 1 || s->ready > 1 || s->draw_offer > 1 || s->draw_used > 1)
        return 0;
    if (s->n_army > setup->max_stacks)
        return 0;
    for (int32_t i = 0; i < s->n_army; i++)
        if (s->army[i].unit >= setup->n_units || !wl_between(1, s->army[i].count, COUNT_MAX))
            return 0;
    return 1;
}

/* A stack by itself; where it stands is for `sound_stacks`. */
static int sound_stack(const hex_setup *setup, const stack *s)
{
    if (s->seat >= setup->n_seats || s->unit >= setup->n_units)
        return 0;
    if (!wl_between(1, s->count, COUNT_MAX) || !wl_between(s->count, s->start_count, COUNT_MAX))
        return 0;
    if (!wl_between(1, s->top_hp, unit_of(setup, s)->hp) || !wl_between(0, s->skill_used, COUNTER_MAX))
        return 0;
    return s->retaliations_used <= unit_of(setup, s)->retaliations && s->defending <= 1 && s->waited <= 1 && s->summoned <= 1;
}

/* Ids ascend, no two stacks share a space, and in a battle every seat that is in has one. */
static int sound_stacks(const hex_setup *setup, const hex_state *state)
{
    spaces taken = state->obstacles;
    uint32_t with_stacks = 0;
    int32_t last = 0;

    for (int32_t i = 0; i < state->n_stacks; i++) {
        const stack *s = &state->stacks[i];
        if (s->id <= last || !sound_stack(setup, s))
            return 0;
        if (s->space == HIDDEN ? state->phase != DEPLOY : !on_board(setup, s->space) || has(&taken, s->space))
            return 0;
        if (s->space != HIDDEN)
            add(&taken, s->space);
        with_stacks |= wl_bit(s->seat);
        last = s->id;
    }
    if (state->next_id <= last || (state->phase == RECRUIT && state->n_stacks > 0))
        return 0;
    return (state->phase != DEPLOY && state->phase != PLAY) || with_stacks == seats_in(setup, state);
}

/* On the board, and before the battle not in the zones, into which stacks come. */
static int sound_obstacles(const hex_setup *setup, const hex_state *state)
{
    const uint32_t full = full_row(setup);
    const spaces none = {{0}};
    spaces blocked;

    for (int32_t r = 0; r < ROWS_MAX; r++)
        if ((state->obstacles.row[r] & ~(r < setup->height ? full : 0)) != 0)
            return 0;
    if (state->phase != RECRUIT && state->phase != DEPLOY)
        return 1;
    blocked = all_zones(setup);
    keep(setup, &state->obstacles, &blocked);
    return same(setup, &blocked, &none);
}

/* No stack stands in it twice; there is one in phase play alone. */
static int sound_queue(const hex_state *state)
{
    uint32_t queued[STACKS_MAX / 32 + 1] = {0};

    for (int32_t i = 0; i < state->n_queue; i++) {
        const int32_t place = state->queue[i];
        if (place >= state->n_stacks || (queued[place / 32] & wl_bit(place % 32)) != 0)
            return 0;
        queued[place / 32] |= wl_bit(place % 32);
    }
    return state->phase == PLAY ? state->n_queue > 0 : state->n_queue == 0;
}

static int32_t hex_sound_state(const void *setup_, const void *state_)
{
    const hex_setup *setup = setup_;
    const hex_state *state = state_;

    if (state->phase > OVER || state->reason > BY_ROUND_LIMIT || !wl_between(0, state->round, COUNTER_MAX))
        return 0;
    if (!wl_between(1, state->next_id, COUNTER_MAX) || !wl_between(0, state->turns, INT64_MAX / 2))
        return 0;
    if (state->n_stacks > STACKS_MAX || state->n_queue > state->n_stacks || state->winners >= 1 << SEATS_MAX)
        return 0;
    for (int32_t seat = 0; seat < SEATS_MAX; seat++)
        if (!sound_seat(setup, state, seat))
            return 0;
    return sound_obstacles(setup, state) && sound_stacks(setup, state) && sound_queue(state);
}

/* ==== The game ======================================================================================================== */

static int32_t hex_seats_in(const void *setup) { return ((const hex_setup *)setup)->n_seats; }
static int32_t hex_phase(const void *state) { return ((const hex_state *)state)->phase; }

/* Thinking time starts with the match, with the deployment, and with every turn of a stack of the seat. */
static int64_t hex_clock(const void *setup, const void *state_, int32_t seat)
{
    const hex_state *state = state_;

    if ((hex_to_act(setup, state) >> seat & 1) == 0)
        return 0;
    return state->phase == PLAY ? 3 + state->turns : 1 + state->phase;
}

static wl_result hex_result(const void *state_)
{
    const hex_state *state = state_;
    const wl_result result = {state->phase == OVER, state->reason, state->winners};
    return result;
}

static const wl_game HEX = {
    WL_PARTS(hex),
    .name = "hex",
    .rules_version = 1,
    .items_max = 2 * ARMY_MAX,
    .phases = PHASES,
    .reasons = REASONS,
    /* The largest event reveals all stacks in six forms, then the deployment and the round's queue. */
    .event_words_max = 6 * (STACK_WORDS * STACKS_MAX + 8) + 4 * STACKS_MAX + 1024,
    .draws_max = 2 * SPACES_MAX,
    .reconfigure = NULL, /* the book allows no change of options during play */
    .trace = hex_trace,
    .sample = hex_sample,
    .evaluate = hex_evaluate,
    .numbering = &hex_numbering,
};

const wl_game *const wl_games_hex[] = {&HEX, NULL};
