/* confrontation.c: Confrontation, by the rule book warlog_core/rules/confrontation.md. Section numbers are the book's. Entry
 * points: confrontation_check (is an action legal?), confrontation_apply, confrontation_observe (what each seat sees) and the
 * others of the table CONFRONTATION at the end (WL_PARTS of ../game.h); what they use stands above them.
 *
 * Spaces are numbered (rank - 1) * 8 + file, both files and spaces from 0 (a1 = 0, b1 = 1, a2 = 8), so that the canonical order
 * is the numeric one and a set of spaces is one 64-bit word. Types, spells, races, terrain kinds and treasures are rows of the
 * book's lists. A seat is its place in the match's own list of seats (with two seats black is 1, with three it is 2).
 *
 * Option words:   verdict (1: malformed), seats, army_points, free_pawns, actions_per_turn, spells_per_bishop, spell_cost,
 *                 leadership_bonus, weapon_mastery_bonus, hold_bonus, enhancement_bonus, races, race_tokens, race_token_cost,
 *                 treasure, terrain, turn_limit; per type: move, combat, cost; per spell: combat, range;
 *                 n, and per area: kind, n, spaces.
 * Position words: see confrontation_position.c.
 * Army items:     number of pawns, rooks, knights, bishops, queens (each may be absent), length of `bishops` (may be absent);
 *                 the lengths of its first ARMY_BISHOPS_MAX lists, then their spells one after the other.
 * Explanations:   of actions at conf_explain, of options and Positions at the enum PART of confrontation.h;
 *                 codecs/confrontation_explain.py reads them.
 */
#include "confrontation.h"

/* ==== 3. Pieces ================================================================================================== */

/* clang-format off */
static const type_rule DEFAULT_TYPE[TYPES] = {
    /*             move combat cost */
    [KING]   = {   1,   3,     0 }, /* one, free, never bought */
    [PAWN]   = {   2,   1,     1 },
    [ROOK]   = {   4,   2,     3 },
    [KNIGHT] = {   5,   2,     3 },
    [BISHOP] = {   4,   2,     4 },
    [QUEEN]  = {   6,   3,     5 },
};

static const spell_rule DEFAULT_SPELL[SPELLS] = {
    /*                combat range */
    [FIREBALL]  = {   3,     4 },
    [HEAL]      = {   0,     0 },
    [HURT]      = {   4,     3 },
    [JUDGEMENT] = {   2,     0 }, /* its Range is 1 and no option */
    [PANIC]     = {   0,     4 },
};
static const uint8_t HAS_COMBAT[SPELLS] = { [FIREBALL] = 1, [HURT] = 1, [JUDGEMENT] = 1 };
static const uint8_t HAS_RANGE[SPELLS]  = { [FIREBALL] = 1, [HURT] = 1, [PANIC] = 1 };
/* clang-format on */

static int is_common(int32_t type) { return type == PAWN || type == ROOK || type == KNIGHT; } /* Heal, Live Again */

/* ==== 4. Setup and options ======================================================================================= */

enum { TERRAIN_OFF, TERRAIN_CUSTOM, TERRAIN_PLAYERS };

/* 4.4. */
enum { PRESET_BISHOPS_MAX = 3, PRESET_SPELLS_MAX = 3, END_OF_LIST = SPELLS };
static const struct {
    uint8_t pieces[ARMY_TYPES]; /* pawns, rooks, knights, bishops, queens */
    uint8_t bishops[PRESET_BISHOPS_MAX][PRESET_SPELLS_MAX + 1];
} PRESET[PRESETS] = {
    [CLASSIC] = {{0, 1, 1, 1, 1}, {{FIREBALL, HEAL, END_OF_LIST}}},
    [HORDE] = {{12, 0, 0, 0, 0}, {{0}}},
    [CAVALRY] = {{0, 0, 5, 0, 0}, {{0}}},
    [BASTION] = {{0, 5, 0, 0, 0}, {{0}}},
    [COVEN] = {{0, 0, 0, 3, 0},
               {{FIREBALL, HURT, JUDGEMENT, END_OF_LIST},
                {HEAL, HURT, PANIC, END_OF_LIST},
                {FIREBALL, HEAL, PANIC, END_OF_LIST}}},
    [LEVY] = {{0, 0, 0, 0, 0}, {{0}}},
};

/* ==== 5. State =================================================================================================== */

/* Where Fury stands (7.9). */
enum { NO_FURY, FIRST_ASKED, FIRST_FOUGHT, SECOND_ASKED, SECOND_FOUGHT };

typedef struct conf_view {
    int32_t viewer;
    uint32_t to_act;
    conf_state state;
} conf_view;

static const wl_field TYPE_FIELDS[] = {
    WL_FIELD(type_rule, move), WL_FIELD(type_rule, combat), WL_FIELD(type_rule, cost), WL_FIELDS_END,
};
static const wl_field SPELL_FIELDS[] = {WL_FIELD(spell_rule, combat), WL_FIELD(spell_rule, range), WL_FIELDS_END};

static const wl_field SETUP_FIELDS[] = {
    WL_FIELD(conf_setup, turn_limit),
    WL_FIELD(conf_setup, n_seats),
    WL_FIELD(conf_setup, army_points),
    WL_FIELD(conf_setup, free_pawns),
    WL_FIELD(conf_setup, actions_per_turn),
    WL_FIELD(conf_setup, spells_per_bishop),
    WL_FIELD(conf_setup, spell_cost),
    WL_FIELD(conf_setup, leadership_bonus),
    WL_FIELD(conf_setup, weapon_mastery_bonus),
    WL_FIELD(conf_setup, hold_bonus),
    WL_FIELD(conf_setup, enhancement_bonus),
    WL_FIELD(conf_setup, races),
    WL_FIELD(conf_setup, race_tokens),
    WL_FIELD(conf_setup, race_token_cost),
    WL_FIELD(conf_setup, treasure),
    WL_FIELD(conf_setup, terrain),
    WL_ALL_ROWS(conf_setup, types, TYPE_FIELDS),
    WL_ALL_ROWS(conf_setup, spells, SPELL_FIELDS),
    WL_FIELDS_END,
};

static const wl_field PIECE_FIELDS[] = {
    WL_FIELD(piece, id),     WL_FIELD(piece, strength), WL_FIELD(piece, combat_bonus),
    WL_FIELD(piece, move_bonus), WL_FIELD(piece, seat), WL_FIELD(piece, type),
    WL_FIELD(piece, status), WL_FIELD(piece, at),       WL_ARRAY(piece, spells),
    WL_FIELDS_END,
};

static const wl_field AREA_FIELDS[] = {WL_FIELD(area, spaces), WL_FIELD(area, kind), WL_FIELDS_END};

static const wl_field ARMY_FIELDS[] = {
    WL_FIELD(army, given),        WL_FIELD(army, n_bishops), WL_FIELD(army, race),
    WL_FIELD(army, extra_tokens), WL_FIELD(army, n_spells),  WL_ARRAY(army, pieces),
    WL_ARRAY(army, lengths),      WL_ARRAY(army, spells),    WL_FIELDS_END,
};

static const wl_field WORK_FIELDS[] = {
    WL_FIELD(work, attack_rating), WL_FIELD(work, defend_rating), WL_ARRAY(work, target_rating),
    WL_FIELD(work, mover),         WL_FIELD(work, attacker),      WL_FIELD(work, defender),
    WL_FIELD(work, loser),         WL_FIELD(work, trigger),       WL_FIELD(work, first),
    WL_ARRAY(work, target),        WL_FIELD(work, pending),       WL_FIELD(work, owner),
    WL_FIELD(work, by),            WL_FIELD(work, from),          WL_FIELD(work, space),
    WL_FIELD(work, hold),          WL_FIELD(work, asked),         WL_FIELD(work, attack_die),
    WL_FIELD(work, defend_die),    WL_FIELD(work, fury),          WL_FIELD(work, swift),
    WL_FIELD(work, n_targets),     WL_FIELD(work, next_target),   WL_FIELDS_END,
};

static const wl_field STATE_LAYOUT[] = {
    WL_FIELD(conf_state, turn),
    WL_FIELD(conf_state, decisions),
    WL_ARRAY(conf_state, race_tokens),
    WL_ARRAY(conf_state, race),
    WL_FIELD(conf_state, phase),
    WL_FIELD(conf_state, reason),
    WL_FIELD(conf_state, winners),
    WL_FIELD(conf_state, revealed),
    WL_FIELD(conf_state, alive),
    WL_FIELD(conf_state, submitted),
    WL_FIELD(conf_state, chooser),
    WL_FIELD(conf_state, active),
    WL_FIELD(conf_state, actions_left),
    WL_FIELD(conf_state, draw_offered),
    WL_COUNTED(conf_state, order, n_order),
    WL_COUNTED(conf_state, acted, n_acted),
    WL_FIELD(conf_state, n_order),
    WL_FIELD(conf_state, n_acted),
    WL_FIELD(conf_state, next_id),
    WL_FIELD(conf_state, n_queue),
    WL_FIELD(conf_state, n_pieces),
    WL_FIELD(conf_state, n_areas),
    WL_ROW(conf_state, work, WORK_FIELDS),
    WL_ROWS(conf_state, areas, n_areas, AREA_FIELDS),
    WL_ALL_ROWS(conf_state, armies, ARMY_FIELDS),
    WL_ROWS(conf_state, pieces, n_pieces, PIECE_FIELDS),
    WL_COUNTED(conf_state, roster, next_id),
    WL_COUNTED(conf_state, queue, n_queue),
    WL_FIELDS_END,
};

static const wl_field VIEW_LAYOUT[] = {WL_FIELD(conf_view, viewer), WL_FIELD(conf_view, to_act), WL_FIELDS_END};

/* ==== Names ====================================================================================================== */

static const char *const SEATS[] = {"white", "red", "black", "blue", NULL};
static const char *const PHASES[] = {"army", "order", "terrain", "setup", "play", "over", NULL};

enum { /* reasons, 9 */
    KING_DEFEATED, ARMY_DESTROYED, RESIGNED, TIMED_OUT, DRAW_AGREED, TURN_LIMIT, STALEMATE, N_REASONS
};
static const char *const REASONS[] = {
    "king_defeated", "army_destroyed", "resigned", "timeout", "draw_agreed", "turn_limit", "stalemate", NULL,
};

WL_ACTION_TYPES(ACTION_ROWS);

/* Effects (10.4): X(constant, name, field ...). */
#define EFFECT_ROWS(X)                                                                                                \
    X(E_ARMY_SUBMITTED, army_submitted, WL_SEAT(seat))                                                                \
    X(E_ARMIES_REVEALED, armies_revealed, WL_MANY(army, armies))                                                      \
    X(E_ORDER_ROLL, order_roll, WL_MANY(roll, rolls))                                                                 \
    X(E_ORDER_WINNER, order_winner, WL_SEAT(seat))                                                                    \
    X(E_ORDER_CHOSEN, order_chosen, WL_SEAT(seat), WL_MANY(seat, play_order))                                         \
    X(E_TERRAIN_PLACED, terrain_placed, WL_SEAT(seat), WL_OF(terrain, kind), WL_MANY(space, spaces))                  \
    X(E_TERRAIN_SKIPPED, terrain_skipped, WL_SEAT(seat))                                                              \
    X(E_PLACED, placed, WL_PIECE(piece), WL_SPACE(to))                                                                \
    X(E_TURN_STARTED, turn_started, WL_SEAT(seat), WL_NUMBER(turn))                                                   \
    X(E_TURN_SKIPPED, turn_skipped, WL_SEAT(seat), WL_NUMBER(turn))                                                   \
    X(E_TURN_ENDED, turn_ended, WL_SEAT(seat))                                                                        \
    X(E_TOKEN_SPENT, token_spent, WL_SEAT(seat), WL_OF(race, race), WL_NUMBER(left))                                  \
    X(E_MOVED, moved, WL_PIECE(piece), WL_SPACE(from), WL_SPACE(to))                                                  \
    X(E_RISEN, risen, WL_PIECE(piece), WL_SPACE(from), WL_SPACE(to))                                                  \
    X(E_SPELL_CAST, spell_cast, WL_PIECE(piece), WL_OF(spell, spell), WL_MAYBE(space, target))                        \
    X(E_HEALED, healed, WL_PIECE(piece), WL_SPACE(to))                                                                \
    X(E_PANICKED, panicked, WL_PIECE(piece), WL_SPACE(from), WL_SPACE(to))                                            \
    X(E_BATTLE_STARTED, battle_started, WL_PIECE(attacker), WL_PIECE(defender), WL_OF(by, by), WL_SPACE(from),        \
      WL_SPACE(space))                                                                                                \
    X(E_ROLLED, rolled, WL_NUMBER(attack_rating), WL_NUMBER(attack_die), WL_NUMBER(defend_rating),                    \
      WL_NUMBER(defend_die))                                                                                          \
    X(E_REROLLED, rerolled, WL_SEAT(seat), WL_NUMBER(die), WL_NUMBER(kept))                                           \
    X(E_BATTLE_RESULT, battle_result, WL_NUMBER(attack_total), WL_NUMBER(defend_total), WL_OF(outcome, outcome))      \
    X(E_STRENGTH_USED, strength_used, WL_PIECE(piece), WL_NUMBER(left))                                               \
    X(E_DEFEATED, defeated, WL_PIECE(piece), WL_SPACE(at))                                                            \
    X(E_LIVED_AGAIN, lived_again, WL_PIECE(piece), WL_SPACE(to))                                                      \
    X(E_REMOVED, removed, WL_PIECE(piece), WL_OF(removal, reason))                                                    \
    X(E_TREASURE, treasure, WL_SEAT(seat), WL_PIECE(piece), WL_OF(treasure, treasure), WL_FLAG(applied))              \
    X(E_RECRUITED, recruited, WL_PIECE(piece), WL_SPACE(to))                                                          \
    X(E_ELIMINATED, eliminated, WL_SEAT(seat), WL_OF(leave_reason, reason))                                           \
    X(E_DRAW_OFFERED, draw_offered, WL_SEAT(seat))                                                                    \
    X(E_DRAW_ACCEPTED, draw_accepted, WL_SEAT(seat))                                                                  \
    X(E_DRAW_DECLINED, draw_declined, WL_SEAT(seat))                                                                  \
    X(E_MATCH_OVER, match_over, WL_OF(seats, winners), WL_OF(reason, reason))
WL_EFFECTS(EFFECT_ROWS);
enum { ATTACKER_WINS, DEFENDER_WINS, DRAWN };           /* battle_result */
enum { BECAUSE_DEFEATED, BECAUSE_ELIMINATED };          /* removed */

static const char *const ERROR_NAMES[] = WL_ERROR_NAMES(ERRORS);

/* ==== Lines and zones (2) ======================================================================================== */

/* Line k (from 1) of a seat. */
static spaces line_of(const conf_setup *setup, int32_t seat, int32_t k)
{
    switch (EDGE[setup->n_seats][seat]) {
    case BOTTOM: return RANK_1 << 8 * (k - 1);
    case LEFT: return FILE_A << (k - 1);
    case TOP: return RANK_1 << 8 * (LINES - k);
    default: return FILE_A << (LINES - k);
    }
}

static spaces home_line(const conf_setup *setup, int32_t seat) { return line_of(setup, seat, 1); }
static spaces zone_of(const conf_setup *setup, int32_t seat) { return line_of(setup, seat, 1) | line_of(setup, seat, 2); }

/* ==== Pieces in the state ======================================================================================== */

static spaces terrain_of(const conf_state *state, int32_t kind)
{
    spaces set = 0;
    for (int32_t i = 0; i < state->n_areas; i++)
        if (state->areas[i].kind == kind)
            set |= state->areas[i].spaces;
    return set;
}

static board board_of(const conf_state *state)
{
    board b = {0};

    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *p = &state->pieces[i];
        if (p->status == BOARD)
            b.own[p->seat] |= space_bit(p->at);
    }
    b.taken = b.own[0] | b.own[1] | b.own[2] | b.own[3];
    for (int32_t i = 0; i < state->n_areas; i++)
        b.terrain[state->areas[i].kind] |= state->areas[i].spaces;
    return b;
}

/* The piece with this id, or NULL when it is removed or never was. */
static piece *find(const conf_state *state, int64_t id)
{
    int32_t low = 0;
    int32_t high = state->n_pieces;

    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (state->pieces[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < state->n_pieces && state->pieces[low].id == id)
        return (piece *)&state->pieces[low];
    return NULL;
}

static piece *on_board(const conf_state *state, int64_t id)
{
    piece *p = find(state, id);
    return p != NULL && p->status == BOARD ? p : NULL;
}

static piece *piece_at(const conf_state *state, int32_t space)
{
    for (int32_t i = 0; i < state->n_pieces; i++)
        if (state->pieces[i].status == BOARD && state->pieces[i].at == space)
            return (piece *)&state->pieces[i];
    return NULL;
}

static void drop_piece(conf_state *state, piece *p)
{
    const piece *end = &state->pieces[--state->n_pieces];
    memmove(p, p + 1, (size_t)(end - p) * sizeof *p);
    memset(&state->pieces[state->n_pieces], 0, sizeof *p);
}

static int has_power(const conf_state *state, int32_t seat, int32_t race)
{
    return state->race[seat] == race && state->race_tokens[seat] > 0;
}

/* ==== 7.6 Reach ================================================================================================== */

/* What one direction adds. Inlined with each direction as a constant: this is where random play spends half its time. */
static inline __attribute__((always_inline)) spaces ray(const board *b, const piece *p, int32_t points, int32_t direction)
{
    const spaces own = b->own[p->seat];
    const spaces rough = b->terrain[ROUGH];
    const int leaps = p->type == KNIGHT;
    spaces here = space_bit(p->at);
    spaces reached = 0;

    for (int32_t left = points; left > 0;) {
        int32_t cost;
        here = step(here, direction);
        cost = here & rough ? 2 : 1;
        if (here & b->taken) {
            reached |= here & ~own;
            if (!leaps)
                break;
        } else {
            if (here == 0 || left < cost || (p->type == KING && cost == 2))
                break;
            reached |= here;
        }
        if (here & b->terrain[BARRIER])
            break;
        left -= cost;
    }
    return reached;
}

static spaces reach(const conf_setup *setup, const board *b, const piece *p)
{
    const int32_t points = setup->types[p->type].move + p->move_bonus;

    return ray(b, p, points, 0) | ray(b, p, points, 1) | ray(b, p, points, 2) | ray(b, p, points, 3) |
           ray(b, p, points, 4) | ray(b, p, points, 5) | ray(b, p, points, 6) | ray(b, p, points, 7);
}

void conf_reaches(const conf_setup *setup, const conf_state *state, spaces *reached)
{
    const board b = board_of(state);

    for (int32_t i = 0; i < state->n_pieces; i++)
        reached[i] = state->pieces[i].status == BOARD ? reach(setup, &b, &state->pieces[i]) : 0;
}

/* ==== 7.7 Spells ================================================================================================= */

/* Spaces within `range` of `from` with a shortest king-path that no barrier cuts. Every shortest path to a space at distance d
 * goes through spaces at distance 1, 2 ... d - 1, so the paths are followed ring by ring. */
static spaces spell_range(const board *b, int32_t from, int32_t range)
{
    spaces ball = space_bit(from);
    spaces front = ball;
    spaces within = 0;

    for (int32_t d = 1; d <= range; d++) {
        front = around(front) & ~ball;
        ball |= around(ball);
        within |= front;
        front &= ~b->terrain[BARRIER];
    }
    return within;
}

static spaces enemies(const board *b, int32_t seat) { return b->taken & ~b->own[seat]; }

/* Where a piece of a seat may be put on its home line (Panic). */
static spaces retreats(const conf_setup *setup, const board *b, const piece *p)
{
    const spaces empty = home_line(setup, p->seat) & ~b->taken;
    return p->type == KING ? empty & ~b->terrain[ROUGH] : empty;
}

static spaces rise_spaces(const board *b, const piece *p)
{
    return ~b->taken & (p->type == KING ? ~b->terrain[ROUGH] : ~(spaces)0);
}

/* The targets of a spell other than Heal; of Judgement, all that it strikes. */
static spaces spell_targets(const conf_setup *setup, const conf_state *state, const board *b, const piece *bishop,
                            int32_t spell)
{
    const int32_t range = spell == JUDGEMENT ? 1 : setup->spells[spell].range;
    const spaces reached = spell == JUDGEMENT ? around(space_bit(bishop->at)) : spell_range(b, bishop->at, range);
    const spaces found = reached & enemies(b, bishop->seat) & ~b->terrain[COUNTERSPELL];
    spaces left = found;

    if (spell == PANIC)
        for (spaces rest = found; rest != 0; rest &= rest - 1)
            if (retreats(setup, b, piece_at(state, first_of(rest))) == 0)
                left &= ~(rest & (~rest + 1));
    return left;
}

/* The first id after `after` of a removed Pawn, Rook or Knight of the seat (with `pawns_only`: Pawn); 0 if there is none. */
static int32_t next_removed(const conf_state *state, int32_t seat, int32_t after, int pawns_only)
{
    for (int32_t id = after + 1; id < state->next_id; id++)
        if (state->roster[id] != 0 && seat_of(state, id) == seat &&
            (pawns_only ? type_of(state, id) == PAWN : is_common(type_of(state, id))) && find(state, id) == NULL)
            return id;
    return 0;
}

static int can_cast(const conf_setup *setup, const conf_state *state, const board *b, const piece *bishop)
{
    for (int32_t spell = 0; spell < SPELLS; spell++) {
        if (bishop->spells[spell] == 0)
            continue;
        if (spell == HEAL ? (zone_of(setup, bishop->seat) & ~b->taken) != 0 && next_removed(state, bishop->seat, 0, 0) != 0
                          : spell_targets(setup, state, b, bishop, spell) != 0)
            return 1;
    }
    return 0;
}

/* ==== 6. Turn, what is possible ================================================================================== */

static int may_act(const conf_state *state, const piece *p)
{
    return p->seat == state->active && p->status == BOARD && state->actions_left > 0 && !has_acted(state, p->id);
}

static int may_rise(const conf_state *state, const board *b, const piece *p)
{
    return p->seat == state->active && p->status == BOARD && has_power(state, p->seat, DEMONS) &&
           !has(b->terrain[COUNTERSPELL], p->at);
}

/* Whether the active seat has a legal move or cast. */
static int has_action(const conf_setup *setup, const conf_state *state, const board *b)
{
    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *p = &state->pieces[i];
        if (may_act(state, p) && (reach(setup, b, p) != 0 || (p->type == BISHOP && can_cast(setup, state, b, p))))
            return 1;
    }
    return 0;
}

static int has_rise(const conf_state *state, const board *b)
{
    if (!has_power(state, state->active, DEMONS))
        return 0;
    for (int32_t i = 0; i < state->n_pieces; i++)
        if (may_rise(state, b, &state->pieces[i]) && rise_spaces(b, &state->pieces[i]) != 0)
            return 1;
    return 0;
}

/* 7.9: the enemies that this piece can attack by a fury move of the open or coming decision. */
static spaces fury_targets(const conf_setup *setup, const conf_state *state, const board *b, const piece *p)
{
    const piece *trigger = find(state, state->work.trigger);

    if (trigger == NULL || p->seat != trigger->seat || p->status != BOARD || p->id == trigger->id)
        return 0;
    if (state->work.fury >= FIRST_FOUGHT && p->id == state->work.first)
        return 0;
    return has(b->terrain[COUNTERSPELL], p->at) ? 0 : reach(setup, b, p) & enemies(b, p->seat);
}

/* How many pieces have a fury move; stops counting at `enough`. */
static int32_t furious(const conf_setup *setup, const conf_state *state, int32_t enough)
{
    const board b = board_of(state);
    int32_t n = 0;

    for (int32_t i = 0; i < state->n_pieces && n < enough; i++)
        n += fury_targets(setup, state, &b, &state->pieces[i]) != 0;
    return n;
}

/* ==== Resolution ================================================================================================= */

/* The match in the middle of an event. */
typedef struct match {
    const conf_setup *setup;
    conf_state *state;
    wl_draws *draws;
    wl_event *event;
} match;

static void end_match(match *m, uint32_t winners, int32_t reason)
{
    conf_state *state = m->state;

    state->phase = OVER;
    state->winners = (uint8_t)winners;
    state->reason = (uint8_t)reason;
    WL_PUBLIC(m->event, E_MATCH_OVER, winners, reason);
}

/* All open procedures stop (7.8 ELIMINATE, 7.12). */
static void drop_work(conf_state *state)
{
    memset(&state->work, 0, sizeof state->work);
    memset(state->queue, 0, state->n_queue * sizeof state->queue[0]);
    state->n_queue = 0;
}

static void open_decision(match *m, int32_t kind, int32_t owner)
{
    m->state->work.pending = (uint8_t)kind;
    m->state->work.owner = (uint8_t)owner;
}

static void close_decision(match *m) { open_decision(m, NOTHING, 0); }

static void spend_token(match *m, int32_t seat)
{
    conf_state *state = m->state;
    state->race_tokens[seat]--;
    WL_PUBLIC(m->event, E_TOKEN_SPENT, seat, state->race[seat], state->race_tokens[seat]);
}

/* 7.8 ELIMINATE. */
static void eliminate(match *m, int32_t seat, int32_t reason)
{
    conf_state *state = m->state;

    for (int32_t i = 0; i < state->n_pieces;)
        if (state->pieces[i].seat == seat) {
            WL_PUBLIC(m->event, E_REMOVED, state->pieces[i].id, BECAUSE_ELIMINATED);
            drop_piece(state, &state->pieces[i]);
        } else {
            i++;
        }
    state->alive &= (uint8_t)~wl_bit(seat);
    WL_PUBLIC(m->event, E_ELIMINATED, seat, reason);
    if (wl_popcount(state->alive) == 1)
        end_match(m, state->alive, reason);
}

/* ---- 6.1, 6.2 --------------------------------------------------------------------------------------------------- */

/* The next live seat in play order after `seat`, cyclically. */
static int32_t next_in_order(const conf_state *state, int32_t seat)
{
    int32_t at = 0;

    while (at < state->n_order && state->order[at] != seat)
        at++;
    for (int32_t i = 1; i <= state->n_order; i++) {
        const int32_t next = state->order[(at + i) % state->n_order];
        if (is_alive(state, next))
            return next;
    }
    return seat;
}

/* START TURN; `first` at the very first turn. */
static void start_turn(match *m, int first)
{
    conf_state *state = m->state;

    for (int32_t skipped = 0;;) {
        board b;
        state->turn++;
        if (m->setup->turn_limit > 0 && state->turn > m->setup->turn_limit) {
            end_match(m, 0, TURN_LIMIT);
            return;
        }
        state->active = (uint8_t)(first ? later_in_order(state, -1) : next_in_order(state, state->active));
        first = 0;
        state->actions_left = m->setup->actions_per_turn;
        memset(state->acted, 0, sizeof state->acted);
        state->n_acted = 0;
        state->draw_offered = 0;
        b = board_of(state);
        if (has_action(m->setup, state, &b) || has_rise(state, &b))
            break;
        WL_PUBLIC(m->event, E_TURN_SKIPPED, state->active, state->turn);
        if (++skipped == wl_popcount(state->alive)) {
            end_match(m, 0, STALEMATE);
            return;
        }
    }
    WL_PUBLIC(m->event, E_TURN_STARTED, state->active, state->turn);
}

static void end_turn(match *m)
{
    WL_PUBLIC(m->event, E_TURN_ENDED, m->state->active);
    start_turn(m, 0);
}

/* NEXT STEP. */
static void next_step(match *m)
{
    conf_state *state = m->state;

    drop_work(state);
    if (state->phase == OVER)
        return;
    if (is_alive(state, state->active)) {
        const board b = board_of(state);
        if (has_action(m->setup, state, &b) || has_rise(state, &b))
            return;
    }
    end_turn(m);
}

/* ---- 7.10 Treasure ---------------------------------------------------------------------------------------------- */

static int recruit_is_possible(const match *m, int32_t seat, spaces taken)
{
    return (zone_of(m->setup, seat) & ~taken) != 0 &&
           (next_removed(m->state, seat, 0, 1) != 0 || m->state->next_id < ROSTER_MAX) && m->state->n_pieces < PIECES_MAX;
}

static void recruit(match *m, int32_t seat, spaces taken)
{
    conf_state *state = m->state;
    const spaces home = home_line(m->setup, seat) & ~taken;
    const int32_t to = first_of(home != 0 ? home : line_of(m->setup, seat, 2) & ~taken);
    int32_t id = next_removed(state, seat, 0, 1);

    if (id == 0) {
        id = state->next_id;
        enter_in_roster(state, id, seat, PAWN);
    }
    put_on(add_piece(state, id), to);
    WL_PUBLIC(m->event, E_RECRUITED, id, to);
}

static piece *scroll_reader(const conf_state *state, int32_t seat)
{
    for (int32_t i = 0; i < state->n_pieces; i++)
        if (state->pieces[i].seat == seat && state->pieces[i].type == BISHOP && state->pieces[i].status == BOARD)
            return (piece *)&state->pieces[i];
    return NULL;
}

static int32_t spells_known(const piece *bishop)
{
    int32_t n = 0;
    for (int32_t spell = 0; spell < SPELLS; spell++)
        n += bishop->spells[spell];
    return n;
}

/* Step 9 of a battle that a piece of type `loser` has lost. */
static void treasure(match *m, int32_t winner_id, int32_t loser)
{
    conf_state *state = m->state;
    piece *winner = find(state, winner_id);
    piece *reader;
    int32_t seat;
    int32_t found;
    int applied = 1;
    spaces taken;

    if (!m->setup->treasure || state->phase == OVER || winner == NULL)
        return;
    if (loser != KNIGHT && loser != BISHOP && loser != QUEEN)
        return;
    seat = winner->seat;
    taken = board_of(state).taken;
    found = wl_draw(m->draws, TREASURES);
    switch (found) {
    case SWORD: winner->combat_bonus++; break;
    case ARMOUR:
        applied = winner->strength == 0;
        if (applied)
            winner->strength = 1;
        break;
    case BOOTS: winner->move_bonus++; break;
    case SCROLL:
        reader = scroll_reader(state, seat);
        applied = reader != NULL && spells_known(reader) < BISHOP_SPELLS_MAX;
        if (applied)
            reader->spells[FIREBALL]++;
        break;
    case BANNER:
        if (m->setup->races)
            state->race_tokens[seat]++;
        else
            winner->combat_bonus++;
        break;
    default: applied = recruit_is_possible(m, seat, taken); break;
    }
    WL_PUBLIC(m->event, E_TREASURE, seat, winner_id, found, applied);
    if (found == RECRUIT && applied)
        recruit(m, seat, taken);
}

/* ---- 7.8 BATTLE ------------------------------------------------------------------------------------------------- */

/* Leadership at a space: 1 when another own Queen stands next to it. */
static int32_t led(const conf_state *state, const piece *p, int32_t space)
{
    const spaces near = around(space_bit(space));

    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *q = &state->pieces[i];
        if (q->type == QUEEN && q->seat == p->seat && q->status == BOARD && q->id != p->id && has(near, q->at))
            return 1;
    }
    return 0;
}

/* What a piece brings into any battle. */
static int32_t own_rating(const match *m, const piece *p, int32_t space)
{
    return m->setup->types[p->type].combat + p->combat_bonus + led(m->state, p, space) * m->setup->leadership_bonus;
}

static int32_t enhancement(const match *m, int32_t space)
{
    return has(terrain_of(m->state, ENHANCEMENT), space) ? m->setup->enhancement_bonus : 0;
}

static const uint8_t SPELL_OF[BYS] = {[BY_FIREBALL] = FIREBALL, [BY_HURT] = HURT, [BY_JUDGEMENT] = JUDGEMENT};

/* Step 8 for a seat that has lost a piece of this type. */
static void check_elimination(match *m, int32_t seat, int32_t type)
{
    if (type == KING) {
        eliminate(m, seat, KING_DEFEATED);
        return;
    }
    for (int32_t i = 0; i < m->state->n_pieces; i++) {
        const piece *p = &m->state->pieces[i];
        if (p->seat == seat && p->status == BOARD && p->type != KING)
            return;
    }
    eliminate(m, seat, ARMY_DESTROYED);
}

static int32_t winner_of(const work *w, int32_t loser) { return loser == w->attacker ? w->defender : w->attacker; }

/* Steps 7 (end) and 8: the loser is removed. */
static void remove_fallen(match *m, int32_t id)
{
    conf_state *state = m->state;

    drop_piece(state, find(state, id));
    WL_PUBLIC(m->event, E_REMOVED, id, BECAUSE_DEFEATED);
    check_elimination(m, seat_of(state, id), type_of(state, id));
}

/* Steps 7 (end), 8 and 9. */
static void bury(match *m, int32_t id)
{
    remove_fallen(m, id);
    treasure(m, winner_of(&m->state->work, id), type_of(m->state, id));
}

/* LOSS of a piece that has fallen; `stood`: the space where it was. */
static void lose(match *m, int32_t id, int32_t stood)
{
    conf_state *state = m->state;
    const piece *p = find(state, id);
    const board b = board_of(state);

    if (has_power(state, p->seat, UNDEAD) && is_common(p->type) && !has(b.terrain[COUNTERSPELL], stood) &&
        (home_line(m->setup, p->seat) & ~b.taken) != 0) {
        state->work.loser = (uint16_t)id;
        open_decision(m, LIVE_AGAIN, p->seat);
    } else {
        bury(m, id);
    }
}

static void fall(match *m, piece *p)
{
    WL_PUBLIC(m->event, E_DEFEATED, p->id, p->at);
    p->status = FALLEN;
    p->at = 0;
}

/* The queue of 7.9. Only Orcs ever get anything out of it, and a seat's race never changes. */
static void remember_winner(match *m, const piece *winner)
{
    conf_state *state = m->state;
    if (state->race[winner->seat] == ORCS && state->n_queue < QUEUE_MAX)
        state->queue[state->n_queue++] = winner->id;
}

/* Steps 5 to 7. */
static void settle(match *m)
{
    conf_state *state = m->state;
    work *w = &state->work;
    piece *a = find(state, w->attacker);
    piece *d = find(state, w->defender);
    const int32_t attack = w->attack_rating + w->attack_die;
    const int32_t defend = w->defend_rating + w->defend_die;
    const int32_t outcome = attack > defend ? ATTACKER_WINS : attack < defend ? DEFENDER_WINS : DRAWN;
    piece *loser = outcome == ATTACKER_WINS ? d : outcome == DEFENDER_WINS && w->by == BY_MOVE ? a : NULL;

    WL_PUBLIC(m->event, E_BATTLE_RESULT, attack, defend, outcome);
    if (loser != NULL && loser->strength > 0) {
        loser->strength--;
        WL_PUBLIC(m->event, E_STRENGTH_USED, loser->id, loser->strength);
        return;
    }
    if (outcome == DRAWN)
        return;
    remember_winner(m, outcome == ATTACKER_WINS ? a : d);
    if (loser == NULL) /* a spell withstood */
        return;
    fall(m, loser);
    if (loser == d && w->by == BY_MOVE) {
        a->at = w->space;
        WL_PUBLIC(m->event, E_MOVED, a->id, w->from, w->space);
    }
    lose(m, loser->id, loser == d ? w->space : w->from);
}

/* Step 4: may this side ask for its die again? */
static int is_lucky(const match *m, int32_t side)
{
    const conf_state *state = m->state;
    const work *w = &state->work;
    const piece *p = find(state, side == 0 ? w->attacker : w->defender);
    const int32_t attack = w->attack_rating + w->attack_die;
    const int32_t defend = w->defend_rating + w->defend_die;

    return has_power(state, p->seat, HUMANS) && !(w->asked >> side & 1) &&
           !has(terrain_of(state, COUNTERSPELL), side == 0 ? w->from : w->space) &&
           (side == 0 ? attack <= defend : defend <= attack) && (side == 0 ? w->attack_die : w->defend_die) < 6;
}

static void luck(match *m)
{
    work *w = &m->state->work;

    for (int32_t side = 0; side < 2; side++)
        if (is_lucky(m, side)) {
            w->asked |= (uint8_t)wl_bit(side);
            open_decision(m, LUCK, seat_of(m->state, side == 0 ? w->attacker : w->defender));
            return;
        }
    settle(m);
}

/* Step 3. The rating of a Judgement's target has been fixed before. */
static void roll(match *m)
{
    work *w = &m->state->work;
    const piece *a = find(m->state, w->attacker);
    const piece *d = find(m->state, w->defender);

    if (w->by == BY_MOVE) {
        w->attack_rating = own_rating(m, a, w->from) + enhancement(m, w->from);
        w->attack_rating += a->type == KNIGHT ? m->setup->weapon_mastery_bonus : 0;
        w->defend_rating = own_rating(m, d, w->space) + enhancement(m, w->space);
        w->defend_rating += w->hold ? m->setup->hold_bonus : 0;
    } else {
        w->attack_rating = m->setup->spells[SPELL_OF[w->by]].combat;
        if (w->by != BY_JUDGEMENT)
            w->defend_rating = own_rating(m, d, w->space);
    }
    w->attack_die = (uint8_t)(wl_draw(m->draws, 6) + 1);
    w->defend_die = (uint8_t)(wl_draw(m->draws, 6) + 1);
    WL_PUBLIC(m->event, E_ROLLED, w->attack_rating, w->attack_die, w->defend_rating, w->defend_die);
    luck(m);
}

/* Steps 1 and 2. */
static void battle(match *m, const piece *a, const piece *d, int32_t by)
{
    work *w = &m->state->work;

    w->attacker = a->id;
    w->defender = d->id;
    w->by = (uint8_t)by;
    w->from = a->at;
    w->space = d->at;
    w->hold = w->asked = 0;
    WL_PUBLIC(m->event, E_BATTLE_STARTED, a->id, d->id, by, a->at, d->at);
    if (by == BY_MOVE && has_power(m->state, d->seat, DWARVES) && !has(terrain_of(m->state, COUNTERSPELL), d->at))
        open_decision(m, HOLD, d->seat);
    else
        roll(m);
}

/* ---- 7.9 FINISH ACTION ------------------------------------------------------------------------------------------ */

/* The next battle of a Judgement, if there is one. */
static int next_judgement(match *m)
{
    conf_state *state = m->state;
    work *w = &state->work;
    const piece *bishop = on_board(state, w->mover);

    while (bishop != NULL && w->next_target < w->n_targets) {
        const int32_t i = w->next_target++;
        const piece *d = on_board(state, w->target[i]);
        if (d == NULL || d->seat == bishop->seat)
            continue;
        w->defend_rating = w->target_rating[i];
        battle(m, bishop, d, BY_JUDGEMENT);
        return 1;
    }
    return 0;
}

/* Takes winners off the queue until one of them opens a Fury. */
static int next_fury(match *m)
{
    conf_state *state = m->state;
    work *w = &state->work;

    while (state->n_queue > 0) {
        const piece *q = on_board(state, state->queue[0]);
        state->n_queue--;
        memmove(state->queue, state->queue + 1, state->n_queue * sizeof state->queue[0]);
        state->queue[state->n_queue] = 0;
        if (q == NULL || !has_power(state, q->seat, ORCS) || has(terrain_of(state, COUNTERSPELL), q->at))
            continue;
        w->trigger = q->id;
        w->first = 0;
        w->fury = NO_FURY;
        if (furious(m->setup, state, 2) < 2)
            continue;
        w->fury = FIRST_ASKED;
        open_decision(m, FURY, q->seat);
        return 1;
    }
    return 0;
}

/* Swift Movement of the piece that has moved. */
static int ask_swift(match *m)
{
    conf_state *state = m->state;
    const piece *p = on_board(state, state->work.mover);
    const int asked = state->work.swift;

    state->work.swift = 0;
    if (asked && p != NULL && p->seat == state->active && has_power(state, p->seat, ELVES)) {
        const board b = board_of(state);
        if (!has(b.terrain[COUNTERSPELL], p->at) && reach(m->setup, &b, p) != 0) {
            open_decision(m, SWIFT, p->seat);
            return 1;
        }
    }
    return 0;
}

/* Goes on with the action until somebody has to decide, or it is finished. */
static void go_on(match *m)
{
    conf_state *state = m->state;
    work *w = &state->work;

    while (state->phase != OVER && w->pending == NOTHING) {
        if (next_judgement(m))
            continue;
        if (w->fury == FIRST_FOUGHT && furious(m->setup, state, 1) > 0) {
            w->fury = SECOND_ASKED;
            open_decision(m, FURY, seat_of(state, w->trigger));
            return;
        }
        w->fury = NO_FURY;
        if (next_fury(m) || ask_swift(m))
            return;
        next_step(m);
        return;
    }
    if (state->phase == OVER)
        drop_work(state);
}

/* A piece goes to a space of its reach: an empty one, or into battle. */
static void go(match *m, piece *p, int32_t to)
{
    const piece *enemy = piece_at(m->state, to);

    if (enemy != NULL) {
        battle(m, p, enemy, BY_MOVE);
    } else {
        WL_PUBLIC(m->event, E_MOVED, p->id, p->at, to);
        p->at = (uint8_t)to;
    }
}

/* ==== 7.1 Armies ================================================================================================= */

static army preset_army(int32_t preset, int32_t race)
{
    army a;

    memset(&a, 0, sizeof a);
    a.given = 1;
    a.race = (uint8_t)(race == WL_ABSENT ? NOT_GIVEN : race);
    a.extra_tokens = NOT_GIVEN;
    for (int32_t i = 0; i < ARMY_TYPES; i++)
        a.pieces[i] = PRESET[preset].pieces[i] > 0 ? PRESET[preset].pieces[i] : NOT_GIVEN;
    a.n_bishops = a.pieces[BISHOP - PAWN];
    for (int32_t i = 0; a.n_bishops != NOT_GIVEN && i < a.n_bishops; i++)
        for (const uint8_t *spell = PRESET[preset].bishops[i]; *spell != END_OF_LIST; spell++) {
            a.spells[a.n_spells++] = *spell;
            a.lengths[i]++;
        }
    return a;
}

static int is_number_or_absent(int32_t value) { return value == WL_ABSENT || wl_between(0, value, POINTS_MAX); }

/* The form of an `army` record (7, check 2): what the codec has not been able to refuse. */
static int32_t check_army_form(const wl_post *post)
{
    const int32_t *f = post->action.field;

    if ((f[1] != WL_ABSENT && !wl_between(0, f[1], RACES - 1)) || !is_number_or_absent(f[2]))
        return WL_E_MALFORMED_ACTION;
    if (f[0] != WL_ABSENT)
        return wl_between(0, f[0], PRESETS - 1) && f[2] == WL_ABSENT ? WL_OK : WL_E_MALFORMED_ACTION;
    if (post->n_items < ARMY_HEAD)
        return WL_E_MALFORMED_ACTION;
    for (int32_t i = 0; i < ARMY_TYPES; i++)
        if (!is_number_or_absent(post->items[i]))
            return WL_E_MALFORMED_ACTION;
    return WL_OK;
}

/* The army of a well-formed record, or the first of its faults (7.1). */
static int32_t read_army(const conf_setup *setup, const wl_post *post, army *a)
{
    const int32_t *f = post->action.field;
    const int32_t *items = post->items;
    int32_t n_bishops;
    int32_t n_spells = 0;
    int32_t error;

    if (f[0] != WL_ABSENT) {
        *a = preset_army(f[0], f[1]);
        return check_army(setup, a);
    }
    memset(a, 0, sizeof *a);
    a->given = 1;
    a->race = (uint8_t)(f[1] == WL_ABSENT ? NOT_GIVEN : f[1]);
    a->extra_tokens = (uint8_t)(f[2] == WL_ABSENT ? NOT_GIVEN : f[2]);
    for (int32_t i = 0; i < ARMY_TYPES; i++)
        a->pieces[i] = (uint8_t)(items[i] == WL_ABSENT ? NOT_GIVEN : items[i]);
    n_bishops = items[ARMY_TYPES] == WL_ABSENT ? 0 : items[ARMY_TYPES];
    error = check_army_size(setup, a, n_bishops);
    if (error != WL_OK)
        return error;
    a->n_bishops = (uint8_t)(items[ARMY_TYPES] == WL_ABSENT ? NOT_GIVEN : n_bishops);
    if (post->n_items < ARMY_HEAD + n_bishops)
        return WL_E_MALFORMED_ACTION;
    for (int32_t i = 0; i < n_bishops; i++) {
        const int32_t length = items[ARMY_HEAD + i];
        if (!wl_between(setup->spells_per_bishop, length, BISHOP_SPELLS_MAX))
            return BAD_SPELLS;
        a->lengths[i] = (uint8_t)length;
        n_spells += length;
    }
    error = check_army_race(setup, a);
    if (error != WL_OK)
        return error;
    if (n_spells > ARMY_SPELLS_MAX) /* more than any points can buy */
        return TOO_MANY_POINTS;
    a->n_spells = (uint8_t)n_spells;
    if (cost_of(setup, a) > setup->army_points)
        return TOO_MANY_POINTS;
    if (post->n_items < ARMY_HEAD + n_bishops + n_spells)
        return WL_E_MALFORMED_ACTION;
    for (int32_t i = 0; i < n_spells; i++) {
        if (!wl_between(0, items[ARMY_HEAD + n_bishops + i], SPELLS - 1))
            return WL_E_MALFORMED_ACTION;
        a->spells[i] = (uint8_t)items[ARMY_HEAD + n_bishops + i];
    }
    return WL_OK;
}

/* 4.2: the pieces of one seat's army, with the words of `armies_revealed`. */
static void create_pieces(match *m, int32_t seat)
{
    conf_state *state = m->state;
    const army *a = &state->armies[seat];
    const uint8_t *spell = a->spells;
    int32_t n = 1 + m->setup->free_pawns;
    int32_t bishop = 0;

    for (int32_t type = PAWN; type < TYPES; type++)
        n += bought(a, type);
    wl_put(m->event, seat);
    wl_put(m->event, cost_of(m->setup, a));
    wl_put(m->event, m->setup->races ? a->race : WL_WORD_ABSENT);
    wl_put(m->event, m->setup->race_tokens + extra_tokens(a));
    wl_put(m->event, n);
    for (int32_t type = KING; type < TYPES; type++) {
        const int32_t count = type == KING ? 1 : bought(a, type) + (type == PAWN ? m->setup->free_pawns : 0);
        for (int32_t i = 0; i < count; i++) {
            piece *p;
            enter_in_roster(state, state->next_id, seat, type);
            p = add_piece(state, state->next_id - 1);
            if (type == BISHOP)
                for (int32_t k = a->lengths[bishop++]; k > 0; k--)
                    p->spells[*spell++]++;
            wl_put(m->event, p->id);
            wl_put(m->event, type);
            for (int32_t k = 0; type == BISHOP && k < SPELLS; k++)
                wl_put(m->event, p->spells[k]);
        }
    }
    if (m->setup->races) {
        state->race[seat] = a->race;
        state->race_tokens[seat] = m->setup->race_tokens + extra_tokens(a);
    }
}

/* 4.3. With a source of draws that is stuck the passes would never end: they do when it fails. */
static int32_t order_roll(match *m)
{
    uint32_t contenders = m->state->alive;

    while (wl_popcount(contenders) > 1 && m->draws->error == WL_OK) {
        uint32_t best = 0;
        int32_t highest = 0;
        wl_open_record(m->event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0, E_ORDER_ROLL);
        wl_put(m->event, wl_popcount(contenders));
        for (uint32_t left = contenders; left != 0; left &= left - 1) {
            const int32_t seat = wl_lowest(left);
            const int32_t die = wl_draw(m->draws, 6) + 1;
            wl_put(m->event, seat);
            wl_put(m->event, die);
            if (die > highest)
                best = 0;
            if (die >= highest) {
                best |= wl_bit(seat);
                highest = die;
            }
        }
        wl_close_record(m->event);
        contenders = best;
    }
    return wl_lowest(contenders);
}

/* 7.1, steps 2 to 5. */
static void reveal_when_complete(match *m)
{
    conf_state *state = m->state;

    if ((state->alive & ~state->submitted) != 0)
        return;
    wl_open_record(m->event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0, E_ARMIES_REVEALED);
    wl_put(m->event, wl_popcount(state->alive));
    for (int32_t seat = 0; seat < m->setup->n_seats; seat++)
        if (is_alive(state, seat))
            create_pieces(m, seat);
    wl_close_record(m->event);
    memset(state->armies, 0, sizeof state->armies);
    state->revealed = state->alive;
    state->submitted = 0;
    state->phase = ORDER;
    state->chooser = (uint8_t)order_roll(m);
    WL_PUBLIC(m->event, E_ORDER_WINNER, state->chooser);
}

static void submit(match *m, int32_t seat, const wl_post *post)
{
    conf_state *state = m->state;

    wl_record(m->event, WL_REC_ACTION, wl_bit(seat), wl_bit(seat), A_ARMY, NULL, 0);
    wl_record(m->event, WL_REC_ACTION_ALT, WL_ALL_VIEWERS, 0, A_ARMY, NULL, 0);
    read_army(m->setup, post, &state->armies[seat]);
    state->submitted |= (uint8_t)wl_bit(seat);
    WL_PUBLIC(m->event, E_ARMY_SUBMITTED, seat);
    reveal_when_complete(m);
}

/* ==== 7.2 to 7.4 ================================================================================================= */

static void put_seats(wl_event *event, const uint8_t *seats, int32_t n)
{
    wl_put(event, n);
    for (int32_t i = 0; i < n; i++)
        wl_put(event, seats[i]);
}

/* 7.2. */
static void choose_order(match *m, int32_t position)
{
    conf_state *state = m->state;
    uint8_t live[SEATS_MAX] = {0};
    int32_t n = 0;
    int32_t i = 0;

    for (int32_t seat = 0; seat < m->setup->n_seats; seat++)
        if (is_alive(state, seat)) {
            if (seat == state->chooser)
                i = n;
            live[n++] = (uint8_t)seat;
        }
    for (int32_t k = 0; k < n; k++)
        state->order[k] = live[(i - position + 1 + n + k) % n];
    state->n_order = (uint8_t)n;
    wl_open_record(m->event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0, E_ORDER_CHOSEN);
    wl_put(m->event, state->chooser);
    put_seats(m->event, state->order, n);
    wl_close_record(m->event);
    state->chooser = 0;
    state->phase = m->setup->terrain == TERRAIN_PLAYERS ? TERRAIN : SETUP;
    state->active = state->order[0];
}

/* Phases terrain and setup: the next live seat in play order, or the next phase. */
static void next_placer(match *m)
{
    conf_state *state = m->state;
    const int32_t next = later_in_order(state, state->active);

    if (next >= 0) {
        state->active = (uint8_t)next;
    } else if (state->phase == TERRAIN) {
        state->phase = SETUP;
        state->active = (uint8_t)later_in_order(state, -1);
    } else {
        state->phase = PLAY;
        start_turn(m, 1);
    }
}

static spaces all_terrain(const conf_state *state)
{
    spaces set = 0;
    for (int32_t i = 0; i < state->n_areas; i++)
        set |= state->areas[i].spaces;
    return set;
}

static spaces all_zones(const conf_setup *setup)
{
    spaces set = 0;
    for (int32_t seat = 0; seat < setup->n_seats; seat++)
        set |= zone_of(setup, seat);
    return set;
}

enum { SMALL_AREA = 4, LARGE_AREA = 8 };

/* 7.3; `zones` are those that the area must keep clear of, `old` what has terrain already. */
static int32_t check_area(spaces set, int64_t length, spaces zones, spaces old)
{
    spaces region = set & (~set + 1);

    if ((length != SMALL_AREA && length != LARGE_AREA) || __builtin_popcountll(set) != length)
        return BAD_TERRAIN_SIZE;
    for (int32_t i = 0; i < length; i++)
        region |= across_sides(region) & set;
    if (region != set)
        return TERRAIN_NOT_CONNECTED;
    if (set & zones)
        return TERRAIN_IN_ZONE;
    return set & old ? TERRAIN_OVERLAP : WL_OK;
}

/* How many of its spaces a posted area has among the items: a longer list has a fault anyway. */
static int32_t n_posted(const wl_post *post)
{
    const int32_t length = post->action.field[0];
    return length < LARGE_AREA ? length : LARGE_AREA;
}

static spaces posted_area(const wl_post *post)
{
    spaces set = 0;
    for (int32_t i = 0; i < n_posted(post); i++)
        set |= space_bit(post->items[i]);
    return set;
}

static void put_area(wl_event *event, int32_t kind, spaces set)
{
    wl_put(event, kind);
    wl_put(event, __builtin_popcountll(set));
    for (; set != 0; set &= set - 1)
        wl_put(event, first_of(set));
}

/* 7.4: where the seat may place a piece. */
static spaces placing_spaces(const conf_setup *setup, const board *b, int32_t seat)
{
    spaces empty = zone_of(setup, seat) & ~b->taken;
    for (int32_t k = 3; empty == 0 && k <= LINES; k++)
        empty = line_of(setup, seat, k) & ~b->taken;
    return empty;
}

static int has_reserve(const conf_state *state, int32_t seat)
{
    for (int32_t i = 0; i < state->n_pieces; i++)
        if (state->pieces[i].seat == seat && state->pieces[i].status == RESERVE)
            return 1;
    return 0;
}

/* ==== 7. Checks ================================================================================================== */

static uint32_t conf_to_act(const void *setup, const void *state_)
{
    const conf_state *state = state_;

    (void)setup;
    switch (state->phase) {
    case ARMY: return state->alive & ~(uint32_t)state->submitted;
    case ORDER: return wl_bit(state->chooser);
    case OVER: return 0;
    case PLAY:
        if (state->work.pending != NOTHING)
            return wl_bit(state->work.owner);
        /* fall through */
    default: return wl_bit(state->active);
    }
}

/* The last column of the table in 7, without what is checked later. */
static int belongs(const conf_state *state, int32_t type)
{
    const int32_t pending = state->work.pending;
    const int open_play = state->phase == PLAY && pending == NOTHING;

    switch (type) {
    case A_ARMY: return state->phase == ARMY;
    case A_CHOOSE_ORDER: return state->phase == ORDER;
    case A_PLACE_TERRAIN:
    case A_SKIP_TERRAIN: return state->phase == TERRAIN;
    case A_PLACE: return state->phase == SETUP;
    case A_MOVE:
    case A_CAST: return open_play && state->actions_left > 0;
    case A_RISE:
    case A_END_TURN:
    case A_OFFER_DRAW: return open_play;
    case A_HOLD: return pending == HOLD;
    case A_LUCK: return pending == LUCK;
    case A_LIVE_AGAIN: return pending == LIVE_AGAIN;
    case A_RETREAT: return pending == PANICKED;
    case A_FURY: return pending == FURY;
    case A_SWIFT: return pending == SWIFT;
    case A_CHARGE: return pending == RISEN;
    case A_ACCEPT_DRAW:
    case A_DECLINE_DRAW: return pending == DRAW_OFFER;
    default: /* decline */
        return pending == HOLD || pending == LUCK || pending == LIVE_AGAIN || pending == SWIFT || pending == RISEN ||
               (pending == FURY && state->work.fury == FIRST_ASKED);
    }
}

/* The field that holds a space, for the types that have one; -1 for the others. */
static int32_t space_field(const wl_action *a)
{
    switch (a->type) {
    case A_PLACE:
    case A_MOVE:
    case A_RISE:
    case A_FURY: return 1;
    case A_LIVE_AGAIN:
    case A_RETREAT:
    case A_SWIFT:
    case A_CHARGE: return 0;
    case A_CAST: return a->field[1] == HEAL ? 3 : a->field[1] == JUDGEMENT ? -1 : 2;
    default: return -1;
    }
}

/* Checks 2 and 3. */
static int32_t check_form(const conf_setup *setup, const wl_post *post)
{
    const wl_action *a = &post->action;
    int32_t space;

    if (a->type < 0 || a->type >= ACTIONS || (a->type == A_TIMEOUT) != (post->actor == WL_SERVER))
        return WL_E_MALFORMED_ACTION;
    switch (a->type) {
    case A_ARMY: return check_army_form(post);
    case A_TIMEOUT: return wl_between(0, a->field[0], setup->n_seats - 1) ? WL_OK : WL_E_MALFORMED_ACTION;
    case A_CAST:
        if (!wl_between(0, a->field[1], SPELLS - 1))
            return WL_E_MALFORMED_ACTION;
        break;
    case A_PLACE_TERRAIN:
        if (!wl_between(0, a->field[1], KINDS - 1) || a->field[0] < 0 || post->n_items < n_posted(post))
            return WL_E_MALFORMED_ACTION;
        for (int32_t i = 0; i < n_posted(post); i++)
            if (!wl_between(0, post->items[i], SPACES - 1))
                return WL_E_UNKNOWN_SPACE;
        return WL_OK;
    default: break;
    }
    space = space_field(a);
    return space < 0 || wl_between(0, a->field[space], SPACES - 1) ? WL_OK : WL_E_UNKNOWN_SPACE;
}

/* unknown_piece, not_your_piece. */
static int32_t check_owner(const conf_state *state, int32_t seat, int32_t id)
{
    if (!exists(state, id))
        return UNKNOWN_PIECE;
    return seat_of(state, id) == seat ? WL_OK : WL_E_NOT_YOUR_PIECE;
}

/* The same, then piece_not_on_board. */
static int32_t check_piece(const conf_state *state, int32_t seat, int32_t id)
{
    const int32_t error = check_owner(state, seat, id);

    if (error != WL_OK)
        return error;
    return on_board(state, id) != NULL ? WL_OK : PIECE_NOT_ON_BOARD;
}

static int32_t destination(spaces reached, int32_t to) { return has(reached, to) ? WL_OK : WL_E_ILLEGAL_DESTINATION; }

/* 7.4. */
static int32_t check_place(const conf_setup *setup, const conf_state *state, int32_t seat, const wl_action *a)
{
    const board b = board_of(state);
    const int32_t error = check_owner(state, seat, a->field[0]);
    const piece *p;

    if (error != WL_OK)
        return error;
    p = find(state, a->field[0]);
    if (p == NULL || p->status != RESERVE)
        return ALREADY_PLACED;
    return destination(placing_spaces(setup, &b, seat), a->field[1]);
}

/* 7.6. */
static int32_t check_move(const conf_setup *setup, const conf_state *state, int32_t seat, const wl_action *a)
{
    const int32_t error = check_piece(state, seat, a->field[0]);
    const board b = board_of(state);

    if (error != WL_OK)
        return error;
    if (has_acted(state, a->field[0]))
        return ALREADY_ACTED;
    return destination(reach(setup, &b, find(state, a->field[0])), a->field[1]);
}

/* 7.7. */
static int32_t check_cast(const conf_setup *setup, const conf_state *state, int32_t seat, const wl_action *a)
{
    const int32_t error = check_piece(state, seat, a->field[0]);
    const int32_t spell = a->field[1];
    const int32_t revived = a->field[2];
    const board b = board_of(state);
    const piece *p;
    spaces targets;

    if (error != WL_OK)
        return error;
    p = find(state, a->field[0]);
    if (p->type != BISHOP)
        return NOT_A_BISHOP;
    if (has_acted(state, p->id))
        return ALREADY_ACTED;
    if (p->spells[spell] == 0)
        return SPELL_NOT_KNOWN;
    if (spell == HEAL) {
        if (!exists(state, revived) || seat_of(state, revived) != seat || !is_common(type_of(state, revived)) ||
            find(state, revived) != NULL)
            return CANNOT_HEAL;
        return destination(zone_of(setup, seat) & ~b.taken, a->field[3]);
    }
    targets = spell_targets(setup, state, &b, p, spell);
    if (spell == JUDGEMENT)
        return targets != 0 ? WL_OK : ILLEGAL_TARGET;
    return has(targets, a->field[2]) ? WL_OK : ILLEGAL_TARGET;
}

/* 7.11. */
static int32_t check_rise(const conf_state *state, int32_t seat, const wl_action *a)
{
    const board b = board_of(state);
    const piece *p;
    int32_t error;

    if (state->race[seat] != DEMONS)
        return WRONG_RACE;
    if (state->race_tokens[seat] == 0)
        return NO_TOKENS;
    error = check_piece(state, seat, a->field[0]);
    if (error != WL_OK)
        return error;
    p = find(state, a->field[0]);
    if (has(b.terrain[COUNTERSPELL], p->at))
        return IMMUNE_SPACE;
    return destination(rise_spaces(&b, p), a->field[1]);
}

/* 7.9, step 2. */
static int32_t check_fury(const conf_setup *setup, const conf_state *state, int32_t seat, const wl_action *a)
{
    const int32_t error = check_piece(state, seat, a->field[0]);
    const work *w = &state->work;
    const board b = board_of(state);
    const piece *p;

    if (error != WL_OK)
        return error;
    p = find(state, a->field[0]);
    if (p->id == w->trigger || (w->fury == SECOND_ASKED && p->id == w->first))
        return ALREADY_ACTED;
    if (has(b.terrain[COUNTERSPELL], p->at))
        return IMMUNE_SPACE;
    return destination(fury_targets(setup, state, &b, p), a->field[1]);
}

/* 7.12. */
static int32_t check_end_turn(const conf_setup *setup, const conf_state *state)
{
    const board b = board_of(state);
    return has_action(setup, state, &b) ? ACTION_REQUIRED : WL_OK;
}

/* Where the owner of the open decision may go: live_again, retreat, swift, charge. */
static spaces answer_spaces(const conf_setup *setup, const conf_state *state)
{
    const work *w = &state->work;
    const board b = board_of(state);

    switch (w->pending) {
    case LIVE_AGAIN: return home_line(setup, w->owner) & ~b.taken;
    case PANICKED: return retreats(setup, &b, find(state, w->defender));
    default: return reach(setup, &b, find(state, w->mover));
    }
}

/* 7, in its order. */
static int32_t conf_check(const void *setup_, const void *state_, const wl_post *post)
{
    const conf_setup *setup = setup_;
    const conf_state *state = state_;
    const wl_action *a = &post->action;
    int32_t seat = post->actor;
    int32_t error;
    army unused;

    if (state->phase == OVER)
        return WL_E_MATCH_OVER;
    error = check_form(setup, post);
    if (error != WL_OK)
        return error;
    if (a->type == A_TIMEOUT)
        seat = a->field[0];
    if (!is_alive(state, seat))
        return SEAT_OUT;
    if (a->type == A_RESIGN || a->type == A_TIMEOUT)
        return WL_OK;
    if (a->type == A_ARMY && state->phase == ARMY && (state->submitted >> seat & 1))
        return ALREADY_SUBMITTED;
    if (!(conf_to_act(setup, state) >> seat & 1))
        return WL_E_NOT_YOUR_TURN;
    if (!belongs(state, a->type))
        return WL_E_WRONG_PHASE;
    switch (a->type) {
    case A_ARMY: return read_army(setup, post, &unused);
    case A_CHOOSE_ORDER: return wl_between(1, a->field[0], wl_popcount(state->alive)) ? WL_OK : BAD_PLACE;
    case A_PLACE_TERRAIN: return check_area(posted_area(post), a->field[0], all_zones(setup), all_terrain(state));
    case A_PLACE: return check_place(setup, state, seat, a);
    case A_MOVE: return check_move(setup, state, seat, a);
    case A_CAST: return check_cast(setup, state, seat, a);
    case A_RISE: return check_rise(state, seat, a);
    case A_LIVE_AGAIN:
    case A_RETREAT:
    case A_SWIFT:
    case A_CHARGE: return destination(answer_spaces(setup, state), a->field[0]);
    case A_FURY: return check_fury(setup, state, seat, a);
    case A_END_TURN: return check_end_turn(setup, state);
    case A_OFFER_DRAW: return state->draw_offered ? DRAW_ALREADY_OFFERED : WL_OK;
    default: return WL_OK;
    }
}

/* What a refusal leaves unsaid; `state` is what the actor sees. The words by code:
 *
 *   wrong_phase         phase, open decision       not_your_turn       seats that are to act, as bits
 *   too_many_pieces     pieces, greatest number    bad_spells          index in `bishops` or -1, spells or lists, how many are due
 *   too_many_points     cost or -1, budget         bad_place           greatest place
 *   illegal_target      range, or -1               not_your_piece      its seat
 *   terrain_overlap     the first space with terrain
 *   the rest            type of the piece, its space or -1 */
static size_t conf_explain(const void *setup_, const void *state_, const wl_post *post, int32_t error, wl_word *out)
{
    const conf_setup *setup = setup_;
    const conf_state *state = state_;
    const wl_action *a = &post->action;
    const piece *p;
    army posted = {0};

    switch (error) {
    case WL_E_WRONG_PHASE:
        out[0] = state->phase;
        out[1] = state->phase == PLAY ? state->work.pending : NOTHING;
        return 2;
    case WL_E_NOT_YOUR_TURN: out[0] = conf_to_act(setup, state); return 1;
    case TOO_MANY_PIECES:
        read_army(setup, post, &posted);
        out[0] = 1 + setup->free_pawns;
        for (int32_t type = PAWN; type < TYPES; type++)
            out[0] += bought(&posted, type);
        out[1] = ARMY_CAP;
        return 2;
    case BAD_SPELLS:
        read_army(setup, post, &posted);
        out[0] = -1;
        out[1] = given_or_none(posted.n_bishops);
        out[2] = bought(&posted, BISHOP);
        for (int32_t i = 0; i < out[2] && out[1] == out[2]; i++) {
            const int32_t length = a->field[0] != WL_ABSENT ? posted.lengths[i] : post->items[ARMY_HEAD + i];
            if (!wl_between(setup->spells_per_bishop, length, BISHOP_SPELLS_MAX)) {
                out[0] = i;
                out[1] = length;
                out[2] = setup->spells_per_bishop;
                break;
            }
        }
        return 3;
    case TOO_MANY_POINTS:
        read_army(setup, post, &posted);
        out[0] = posted.given || a->field[0] != WL_ABSENT ? cost_of(setup, &posted) : -1;
        out[1] = setup->army_points;
        return 2;
    case BAD_PLACE: out[0] = wl_popcount(state->alive); return 1;
    case TERRAIN_OVERLAP: out[0] = first_of(posted_area(post) & all_terrain(state)); return 1;
    case ILLEGAL_TARGET: out[0] = HAS_RANGE[a->field[1]] ? setup->spells[a->field[1]].range : -1; return 1;
    case WL_E_NOT_YOUR_PIECE: out[0] = seat_of(state, a->field[0]); return 1;
    case ALREADY_PLACED:
    case ALREADY_ACTED:
    case NOT_A_BISHOP:
    case SPELL_NOT_KNOWN:
    case IMMUNE_SPACE:
    case PIECE_NOT_ON_BOARD:
    case WL_E_ILLEGAL_DESTINATION:
        if (a->type == A_LIVE_AGAIN || a->type == A_RETREAT || a->type == A_SWIFT || a->type == A_CHARGE)
            return 0;
        p = on_board(state, a->field[0]);
        out[0] = type_of(state, a->field[0]);
        out[1] = p == NULL ? -1 : p->at;
        return 2;
    default: return 0;
    }
}

/* ==== 7. Resolution, type by type ================================================================================ */

static void count_action(conf_state *state, int32_t id)
{
    state->acted[state->n_acted++] = (uint16_t)id;
    state->actions_left--;
}

/* 7.6. */
static void move(match *m, int32_t id, int32_t to)
{
    conf_state *state = m->state;

    count_action(state, id);
    state->work.mover = (uint16_t)id;
    state->work.swift = 1;
    go(m, find(state, id), to);
    go_on(m);
}

/* Judgement: the targets in (rank, file) order, their ratings fixed (7.7). */
static void fix_targets(match *m, spaces targets)
{
    conf_state *state = m->state;
    work *w = &state->work;

    for (; targets != 0; targets &= targets - 1) {
        const piece *p = piece_at(state, first_of(targets));
        w->target[w->n_targets] = p->id;
        w->target_rating[w->n_targets++] = own_rating(m, p, p->at);
    }
}

/* 7.7. */
static void heal(match *m, int32_t id, int32_t to)
{
    put_on(add_piece(m->state, id), to);
    WL_PUBLIC(m->event, E_HEALED, id, to);
}

static void cast(match *m, const wl_action *a)
{
    conf_state *state = m->state;
    piece *bishop = find(state, a->field[0]);
    const int32_t spell = a->field[1];
    const int has_target = spell == FIREBALL || spell == HURT || spell == PANIC;
    const board b = board_of(state);

    count_action(state, bishop->id);
    state->work.mover = bishop->id;
    bishop->spells[spell]--;
    WL_PUBLIC(m->event, E_SPELL_CAST, bishop->id, spell, has_target ? a->field[2] : WL_WORD_ABSENT);
    switch (spell) {
    case FIREBALL: battle(m, bishop, piece_at(state, a->field[2]), BY_FIREBALL); break;
    case HURT: battle(m, bishop, piece_at(state, a->field[2]), BY_HURT); break;
    case HEAL: heal(m, a->field[2], a->field[3]); break;
    case JUDGEMENT: fix_targets(m, spell_targets(m->setup, state, &b, bishop, JUDGEMENT)); break;
    default:
        state->work.defender = piece_at(state, a->field[2])->id;
        open_decision(m, PANICKED, seat_of(state, state->work.defender));
        break;
    }
    go_on(m);
}

/* 7.11. */
static void rise(match *m, int32_t seat, int32_t id, int32_t to)
{
    conf_state *state = m->state;
    piece *p = find(state, id);
    board b;

    spend_token(m, seat);
    WL_PUBLIC(m->event, E_RISEN, id, p->at, to);
    p->at = (uint8_t)to;
    b = board_of(state);
    if (!has(b.terrain[COUNTERSPELL], to) && reach(m->setup, &b, p) != 0) {
        state->work.mover = (uint16_t)id;
        open_decision(m, RISEN, seat);
    } else {
        next_step(m);
    }
}

/* 7.8, LOSS. */
static void live_again(match *m, int32_t to)
{
    conf_state *state = m->state;
    work *w = &state->work;
    piece *p = find(state, w->loser);
    const int32_t seat = p->seat;
    const int32_t type = p->type;
    const int32_t winner = winner_of(w, w->loser);

    spend_token(m, seat);
    put_on(p, to);
    WL_PUBLIC(m->event, E_LIVED_AGAIN, p->id, to);
    w->loser = 0;
    close_decision(m);
    treasure(m, winner, type);
    go_on(m);
}

/* 7.8, step 4. */
static void use_luck(match *m, int32_t seat)
{
    work *w = &m->state->work;
    uint8_t *die = seat == seat_of(m->state, w->attacker) ? &w->attack_die : &w->defend_die;
    int32_t rolled;

    close_decision(m);
    spend_token(m, seat);
    rolled = wl_draw(m->draws, 6) + 1;
    if (rolled > *die)
        *die = (uint8_t)rolled;
    WL_PUBLIC(m->event, E_REROLLED, seat, rolled, *die);
    luck(m);
    go_on(m);
}

/* 7.8, step 2. */
static void hold(match *m, int32_t seat)
{
    close_decision(m);
    spend_token(m, seat);
    m->state->work.hold = 1;
    roll(m);
    go_on(m);
}

/* 7.7, Panic: the piece runs home. */
static void retreat(match *m, int32_t to)
{
    piece *p = find(m->state, m->state->work.defender);

    close_decision(m);
    WL_PUBLIC(m->event, E_PANICKED, p->id, p->at, to);
    p->at = (uint8_t)to;
    go_on(m);
}

/* 7.9 step 3, and 7.11: the charge of a piece that has risen costs nothing more. */
static void go_again(match *m, int32_t seat, int32_t type, int32_t to)
{
    close_decision(m);
    if (type == A_SWIFT)
        spend_token(m, seat);
    go(m, find(m->state, m->state->work.mover), to);
    go_on(m);
}

/* 7.9, step 2. */
static void fury(match *m, int32_t seat, int32_t id, int32_t to)
{
    conf_state *state = m->state;
    work *w = &state->work;
    const int first = w->fury == FIRST_ASKED;

    if (first) {
        spend_token(m, seat);
        w->first = (uint16_t)id;
    }
    w->fury = first ? FIRST_FOUGHT : SECOND_FOUGHT;
    close_decision(m);
    go(m, find(state, id), to);
    go_on(m);
}

static void decline(match *m)
{
    work *w = &m->state->work;
    const int32_t kind = w->pending;
    const int32_t loser = w->loser;

    close_decision(m);
    switch (kind) {
    case HOLD: roll(m); break;
    case LUCK: luck(m); break;
    case LIVE_AGAIN:
        w->loser = 0;
        bury(m, loser);
        break;
    case FURY: w->fury = NO_FURY; break;
    case RISEN: next_step(m); return;
    default: break; /* swift */
    }
    go_on(m);
}

/* ---- 7.12 ------------------------------------------------------------------------------------------------------- */

/* The draw offer goes on to the next live seat after `seat`; when that is the active one, all have accepted. */
static void ask_next_about_draw(match *m, int32_t seat)
{
    conf_state *state = m->state;
    const int32_t next = next_in_order(state, seat);

    close_decision(m);
    if (next == state->active)
        end_match(m, 0, DRAW_AGREED);
    else
        open_decision(m, DRAW_OFFER, next);
}

static void offer_draw(match *m, int32_t seat)
{
    m->state->draw_offered = 1;
    WL_PUBLIC(m->event, E_DRAW_OFFERED, seat);
    open_decision(m, DRAW_OFFER, next_in_order(m->state, seat));
}

static void accept_draw(match *m, int32_t seat)
{
    WL_PUBLIC(m->event, E_DRAW_ACCEPTED, seat);
    ask_next_about_draw(m, seat);
}

static void decline_draw(match *m, int32_t seat)
{
    WL_PUBLIC(m->event, E_DRAW_DECLINED, seat);
    close_decision(m);
}

static int is_combatant(const conf_state *state, int32_t seat)
{
    const work *w = &state->work;

    if (w->pending != HOLD && w->pending != LUCK && w->pending != LIVE_AGAIN)
        return 0;
    return seat_of(state, w->attacker) == seat || seat_of(state, w->defender) == seat;
}

/* Case 5: the decision, the battle and the rest of the action are dropped. */
static void drop_action(match *m)
{
    const work *w = &m->state->work;

    if (w->pending == LIVE_AGAIN && find(m->state, w->loser) != NULL)
        remove_fallen(m, w->loser);
    next_step(m);
}

static void leave_in_play(match *m, int32_t seat)
{
    conf_state *state = m->state;
    work *w = &state->work;

    if (w->pending == DRAW_OFFER && seat != state->active) {
        if (seat == w->owner)
            ask_next_about_draw(m, seat);
    } else if (seat == state->active || (w->pending != NOTHING && seat == w->owner) || is_combatant(state, seat)) {
        drop_action(m);
    } else if (w->pending == FURY && w->fury == SECOND_ASKED && furious(m->setup, state, 1) == 0) {
        close_decision(m);
        w->fury = NO_FURY;
        go_on(m);
    }
}

/* resign and timeout. */
static void leave(match *m, int32_t seat, int32_t reason)
{
    conf_state *state = m->state;

    if (state->phase == ARMY) {
        memset(&state->armies[seat], 0, sizeof state->armies[seat]);
        state->submitted &= (uint8_t)~wl_bit(seat);
    }
    eliminate(m, seat, reason);
    switch (state->phase) {
    case ARMY: reveal_when_complete(m); break;
    case ORDER:
        while (!is_alive(state, state->chooser))
            state->chooser = (uint8_t)((state->chooser + 1) % m->setup->n_seats);
        break;
    case TERRAIN:
    case SETUP:
        if (seat == state->active)
            next_placer(m);
        break;
    case PLAY: leave_in_play(m, seat); break;
    default: break;
    }
}

/* 1 unless the state is that of a view which hides an army: such a one can be listed from, not played on. */
static int is_whole(const conf_state *state)
{
    for (int32_t seat = 0; seat < SEATS_MAX; seat++)
        if ((state->submitted >> seat & 1) && !state->armies[seat].given)
            return 0;
    return 1;
}

/* 7.3. */
static void place_terrain(match *m, int32_t seat, const wl_post *post)
{
    const spaces set = posted_area(post);

    add_area(m->state, post->action.field[1], set);
    wl_open_record(m->event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0, E_TERRAIN_PLACED);
    wl_put(m->event, seat);
    put_area(m->event, post->action.field[1], set);
    wl_close_record(m->event);
    next_placer(m);
}

static void skip_terrain(match *m, int32_t seat)
{
    WL_PUBLIC(m->event, E_TERRAIN_SKIPPED, seat);
    next_placer(m);
}

/* 7.4. */
static void place(match *m, int32_t seat, int32_t id, int32_t to)
{
    put_on(find(m->state, id), to);
    WL_PUBLIC(m->event, E_PLACED, id, to);
    if (!has_reserve(m->state, seat))
        next_placer(m);
}

static void act(match *m, int32_t seat, const wl_post *post)
{
    const wl_action *a = &post->action;
    const int32_t first = a->field[0];

    switch (a->type) {
    case A_ARMY: submit(m, seat, post); break;
    case A_CHOOSE_ORDER: choose_order(m, first); break;
    case A_PLACE_TERRAIN: place_terrain(m, seat, post); break;
    case A_SKIP_TERRAIN: skip_terrain(m, seat); break;
    case A_PLACE: place(m, seat, first, a->field[1]); break;
    case A_MOVE: move(m, first, a->field[1]); break;
    case A_CAST: cast(m, a); break;
    case A_RISE: rise(m, seat, first, a->field[1]); break;
    case A_HOLD: hold(m, seat); break;
    case A_LUCK: use_luck(m, seat); break;
    case A_LIVE_AGAIN: live_again(m, first); break;
    case A_RETREAT: retreat(m, first); break;
    case A_FURY: fury(m, seat, first, a->field[1]); break;
    case A_SWIFT:
    case A_CHARGE: go_again(m, seat, a->type, first); break;
    case A_DECLINE: decline(m); break;
    case A_END_TURN: end_turn(m); break;
    case A_OFFER_DRAW: offer_draw(m, seat); break;
    case A_ACCEPT_DRAW: accept_draw(m, seat); break;
    case A_DECLINE_DRAW: decline_draw(m, seat); break;
    case A_RESIGN: leave(m, seat, RESIGNED); break;
    default: leave(m, first, TIMED_OUT); break;
    }
}

static int32_t conf_apply(const void *setup, void *state_, const wl_post *post, wl_draws *draws, wl_event *event)
{
    conf_state *state = state_;
    match m = {setup, state, draws, event};
    const int32_t phase = state->phase;
    const int64_t turn = state->turn;
    const uint32_t to_act = conf_to_act(setup, state);

    if (!is_whole(state))
        return WL_E_STATE;
    act(&m, post->actor, post);
    if (state->phase == OVER) {
        drop_work(state);
        memset(state->armies, 0, sizeof state->armies); /* of a match that ended before the reveal: never shown (8) */
        state->submitted = 0;
    }
    /* All seats buy at the same time; afterwards thinking time starts whenever the match turns to another seat, phase or turn. */
    if (state->phase != phase || state->turn != turn || (phase != ARMY && conf_to_act(setup, state) != to_act))
        state->decisions++;
    return WL_OK;
}

/* ==== 7. Listing ================================================================================================= */

/* One action for each space of `to`; the space is the second field of some types, the first of others. */
static void list_to(wl_listing *l, int32_t type, int32_t id, spaces to)
{
    for (; to != 0; to &= to - 1)
        WL_LIST(l, type, id, first_of(to));
}

static void list_answers(wl_listing *l, int32_t type, spaces to)
{
    for (; to != 0; to &= to - 1)
        WL_LIST(l, type, first_of(to));
}

static void list_armies(wl_listing *l, const conf_setup *setup)
{
    WL_LIST(l, A_ARMY, WL_OPEN);
    for (int32_t preset = 0; preset < PRESETS; preset++) {
        const army a = preset_army(preset, setup->races ? DEMONS : WL_ABSENT);
        if (check_army(setup, &a) != WL_OK)
            continue;
        if (!setup->races)
            WL_LIST(l, A_ARMY, preset, WL_ABSENT, WL_ABSENT);
        for (int32_t race = 0; setup->races && race < RACES; race++)
            WL_LIST(l, A_ARMY, preset, race, WL_ABSENT);
    }
}

static void list_heals(wl_listing *l, const conf_setup *setup, const conf_state *state, const board *b, const piece *bishop)
{
    const spaces empty = zone_of(setup, bishop->seat) & ~b->taken;

    for (int32_t id = 0; (id = next_removed(state, bishop->seat, id, 0)) != 0;)
        for (spaces to = empty; to != 0; to &= to - 1)
            WL_LIST(l, A_CAST, bishop->id, HEAL, id, first_of(to));
}

static void list_casts(wl_listing *l, const conf_setup *setup, const conf_state *state, const board *b, const piece *bishop)
{
    for (int32_t spell = 0; spell < SPELLS; spell++) {
        spaces targets;
        if (bishop->spells[spell] == 0)
            continue;
        if (spell == HEAL) {
            list_heals(l, setup, state, b, bishop);
            continue;
        }
        targets = spell_targets(setup, state, b, bishop, spell);
        if (spell == JUDGEMENT) {
            if (targets != 0)
                WL_LIST(l, A_CAST, bishop->id, JUDGEMENT);
            continue;
        }
        for (; targets != 0; targets &= targets - 1)
            WL_LIST(l, A_CAST, bishop->id, spell, first_of(targets));
    }
}

/* The active seat without an open decision. */
static void list_turn(wl_listing *l, const conf_setup *setup, const conf_state *state)
{
    const board b = board_of(state);
    const piece *end = state->pieces + state->n_pieces;
    int nothing_to_do;

    for (const piece *p = state->pieces; p < end; p++)
        if (may_act(state, p))
            list_to(l, A_MOVE, p->id, reach(setup, &b, p));
    for (const piece *p = state->pieces; p < end; p++)
        if (p->type == BISHOP && may_act(state, p))
            list_casts(l, setup, state, &b, p);
    nothing_to_do = l->n == 0;
    for (const piece *p = state->pieces; p < end; p++)
        if (may_rise(state, &b, p))
            list_to(l, A_RISE, p->id, rise_spaces(&b, p));
    if (nothing_to_do)
        WL_LIST(l, A_END_TURN);
    if (!state->draw_offered)
        WL_LIST(l, A_OFFER_DRAW);
}

/* The owner of the open decision. */
static void list_decision(wl_listing *l, const conf_setup *setup, const conf_state *state)
{
    switch (state->work.pending) {
    case HOLD: WL_LIST(l, A_HOLD); break;
    case LUCK: WL_LIST(l, A_LUCK); break;
    case LIVE_AGAIN: list_answers(l, A_LIVE_AGAIN, answer_spaces(setup, state)); break;
    case PANICKED: list_answers(l, A_RETREAT, answer_spaces(setup, state)); break;
    case SWIFT: list_answers(l, A_SWIFT, answer_spaces(setup, state)); break;
    case RISEN: list_answers(l, A_CHARGE, answer_spaces(setup, state)); break;
    case FURY: {
        const board b = board_of(state);
        for (int32_t i = 0; i < state->n_pieces; i++)
            list_to(l, A_FURY, state->pieces[i].id, fury_targets(setup, state, &b, &state->pieces[i]));
        break;
    }
    default:
        WL_LIST(l, A_ACCEPT_DRAW);
        WL_LIST(l, A_DECLINE_DRAW);
        break;
    }
    if (belongs(state, A_DECLINE))
        WL_LIST(l, A_DECLINE);
}

static void list_placings(wl_listing *l, const conf_setup *setup, const conf_state *state)
{
    const board b = board_of(state);
    const spaces to = placing_spaces(setup, &b, state->active);

    for (int32_t i = 0; i < state->n_pieces; i++)
        if (state->pieces[i].seat == state->active && state->pieces[i].status == RESERVE)
            list_to(l, A_PLACE, state->pieces[i].id, to);
}

static size_t conf_legal(const void *setup_, const void *state_, int32_t seat, wl_action *out, size_t cap)
{
    const conf_setup *setup = setup_;
    const conf_state *state = state_;
    wl_listing l = {out, cap, 0};

    if (state->phase == OVER || !is_alive(state, seat))
        return 0;
    if (conf_to_act(setup, state) >> seat & 1) {
        switch (state->phase) {
        case ARMY: list_armies(&l, setup); break;
        case ORDER:
            for (int32_t position = 1; position <= wl_popcount(state->alive); position++)
                WL_LIST(&l, A_CHOOSE_ORDER, position);
            break;
        case TERRAIN:
            WL_LIST(&l, A_PLACE_TERRAIN, WL_OPEN);
            WL_LIST(&l, A_SKIP_TERRAIN);
            break;
        case SETUP: list_placings(&l, setup, state); break;
        default:
            if (state->work.pending != NOTHING)
                list_decision(&l, setup, state);
            else
                list_turn(&l, setup, state);
            break;
        }
    }
    WL_LIST(&l, A_RESIGN);
    return l.n;
}

/* ==== Traces ===================================================================================================== */

static void touch_at(const conf_state *state, int32_t space, wl_trace *trace)
{
    const piece *p = piece_at(state, space);

    if (p != NULL)
        wl_touch(trace, WL_TRACE_HITS, space, p->id);
}

/* A move goes in a straight line (7.6); an enemy at its end is battled with. */
static void trace_line(const conf_state *before, const piece *p, int32_t to, wl_trace *trace)
{
    const int32_t df = to % 8 - p->at % 8, dr = to / 8 - p->at / 8;
    const int32_t far = wl_abs(df) > wl_abs(dr) ? wl_abs(df) : wl_abs(dr);

    if (far == 0 || (df != 0 && dr != 0 && wl_abs(df) != wl_abs(dr)))
        return;
    for (int32_t i = 1; i <= far; i++)
        wl_pass(trace, p->at + i * (dr / far * 8 + df / far));
    touch_at(before, to, trace);
}

static void trace_spell(const conf_setup *setup, const conf_state *before, const piece *bishop, const wl_action *a, wl_trace *trace)
{
    if (a->field[1] == JUDGEMENT) {
        const board b = board_of(before);
        for (spaces left = spell_targets(setup, before, &b, bishop, JUDGEMENT); left != 0; left &= left - 1)
            touch_at(before, first_of(left), trace);
    } else if (a->field[1] != HEAL) {
        touch_at(before, a->field[2], trace);
    }
}

/* What was on the board before and is not any more is taken; from the reveal on nothing is hidden (8). */
static void trace_fallen(const conf_state *before, const conf_state *after, wl_trace *trace)
{
    for (int32_t i = 0; i < before->n_pieces; i++) {
        const piece *p = &before->pieces[i];
        if (p->status == BOARD && on_board(after, p->id) == NULL)
            wl_touch(trace, WL_TRACE_TAKES, p->at, p->id);
    }
}

static void conf_trace(const void *setup_, const void *before_, const void *after, const wl_post *post, wl_trace *trace)
{
    const conf_setup *setup = setup_;
    const conf_state *before = before_;
    const wl_action *a = &post->action;
    const int32_t space = a->type < ACTIONS ? space_field(a) : -1;
    const int answers = a->type == A_SWIFT || a->type == A_CHARGE;
    const int32_t id = answers ? before->work.mover : a->type == A_RETREAT ? before->work.defender : a->field[0];
    const piece *p = on_board(before, id);
    const int32_t to = space < 0 ? 0 : a->field[space];

    if ((a->type == A_PLACE || a->type == A_LIVE_AGAIN) && wl_between(0, to, SPACES - 1))
        wl_pass(trace, to);
    else if (p != NULL && wl_between(0, to, SPACES - 1)) {
        if (a->type == A_MOVE || a->type == A_FURY || answers)
            trace_line(before, p, to, trace);
        else if (a->type == A_RISE || a->type == A_RETREAT)
            wl_pass(trace, to);
        else if (a->type == A_CAST && p->type == BISHOP && wl_between(0, a->field[1], SPELLS - 1))
            trace_spell(setup, before, p, a, trace);
    }
    if (after != NULL)
        trace_fallen(before, after, trace);
}

/* ==== 8. Visibility ============================================================================================== */

static int32_t conf_observe(const void *setup, const void *state_, int32_t viewer, void *view_)
{
    const conf_state *state = state_;
    conf_view *view = view_;
    conf_state *known = &view->state;

    view->viewer = viewer;
    view->to_act = conf_to_act(setup, state);
    if (state->phase != ARMY) { /* nothing is hidden any more */
        *known = *state;
        return WL_OK;
    }
    known->phase = state->phase;
    known->alive = state->alive;
    known->submitted = state->submitted;
    known->next_id = state->next_id;
    memcpy(known->race, state->race, sizeof state->race);
    known->n_areas = state->n_areas;
    memcpy(known->areas, state->areas, state->n_areas * sizeof state->areas[0]);
    if (viewer < SEATS_MAX)
        known->armies[viewer] = state->armies[viewer];
    return WL_OK;
}

/* The seats whose armies have been revealed; and the end, which opens nothing more (8). */
static uint32_t conf_disclosure(const void *setup, const void *state_)
{
    const conf_state *state = state_;
    (void)setup;
    return state->revealed | (state->phase == OVER ? WL_DISCLOSE_OVER : 0);
}

/* ==== 4.1 Options ================================================================================================ */

enum { MOVE_MAX = 7, COMBAT_MAX = 9, COST_MAX = 20, RANGE_MAX = 7 };

/* What the options make: the setup, and the terrain that lies there from the start. */
typedef struct start {
    conf_setup setup;
    area areas[AREAS_MAX];
    int32_t n_areas;
} start;

/* A number of a table: absent it stays as it is. */
static int table_number(uint8_t *into, wl_words *words, int64_t low, int64_t high, int allowed)
{
    const wl_word value = wl_next(words);

    if (value == WL_WORD_ABSENT)
        return 1;
    if (!allowed || !wl_between(low, value, high))
        return 0;
    *into = (uint8_t)value;
    return 1;
}

static int read_tables(conf_setup *setup, wl_words *words)
{
    memcpy(setup->types, DEFAULT_TYPE, sizeof DEFAULT_TYPE);
    memcpy(setup->spells, DEFAULT_SPELL, sizeof DEFAULT_SPELL);
    for (int32_t type = 0; type < TYPES; type++) {
        type_rule *t = &setup->types[type];
        if (!table_number(&t->move, words, 1, MOVE_MAX, 1) || !table_number(&t->combat, words, 0, COMBAT_MAX, 1) ||
            !table_number(&t->cost, words, 1, COST_MAX, type != KING)) {
            WL_BLAME(words, WL_E_INVALID_OPTIONS, PART_PIECE_TABLE, type);
            return 0;
        }
    }
    for (int32_t spell = 0; spell < SPELLS; spell++) {
        spell_rule *s = &setup->spells[spell];
        if (!table_number(&s->combat, words, 0, COMBAT_MAX, HAS_COMBAT[spell]) ||
            !table_number(&s->range, words, 1, RANGE_MAX, HAS_RANGE[spell])) {
            WL_BLAME(words, WL_E_INVALID_OPTIONS, PART_SPELL_TABLE, spell);
            return 0;
        }
    }
    return 1;
}

static int32_t read_options(start *s, wl_words *words)
{
    conf_setup *setup = &s->setup;
    const wl_word verdict = wl_next(words);
    wl_word value[OPTIONS];
    wl_word n_areas;
    spaces old = 0;

    memset(s, 0, sizeof *s);
    for (int32_t i = 0; i < OPTIONS; i++) {
        value[i] = wl_or_else(wl_next(words), OPTION[i].otherwise);
        if (!WL_IN_RANGE(i, value[i]))
            return WL_BLAME(words, WL_E_INVALID_OPTIONS, PART_OPTION, i);
    }
    if (verdict != 0 || !read_tables(setup, words))
        return WL_E_INVALID_OPTIONS;
    setup->n_seats = (uint8_t)value[O_SEATS];
    setup->army_points = (uint8_t)value[O_ARMY_POINTS];
    setup->free_pawns = (uint8_t)value[O_FREE_PAWNS];
    setup->actions_per_turn = (uint8_t)value[O_ACTIONS_PER_TURN];
    setup->spells_per_bishop = (uint8_t)value[O_SPELLS_PER_BISHOP];
    setup->spell_cost = (uint8_t)value[O_SPELL_COST];
    setup->leadership_bonus = (uint8_t)value[O_LEADERSHIP_BONUS];
    setup->weapon_mastery_bonus = (uint8_t)value[O_WEAPON_MASTERY_BONUS];
    setup->hold_bonus = (uint8_t)value[O_HOLD_BONUS];
    setup->enhancement_bonus = (uint8_t)value[O_ENHANCEMENT_BONUS];
    setup->races = (uint8_t)value[O_RACES];
    setup->race_tokens = (uint8_t)value[O_RACE_TOKENS];
    setup->race_token_cost = (uint8_t)value[O_RACE_TOKEN_COST];
    setup->treasure = (uint8_t)value[O_TREASURE];
    setup->terrain = (uint8_t)value[O_TERRAIN];
    setup->turn_limit = (int32_t)value[O_TURN_LIMIT];
    n_areas = wl_next(words);
    if (words->overrun || n_areas < 0)
        return WL_E_INVALID_OPTIONS;
    if (n_areas > 0 && setup->terrain != TERRAIN_CUSTOM)
        return WL_BLAME(words, WL_E_INVALID_OPTIONS, PART_AREAS_UNWANTED, 0);
    for (wl_word i = 0; i < n_areas; i++) {
        wl_word kind;
        wl_word n;
        spaces set;
        if (!read_area(words, &kind, &set, &n) || check_area(set, n, 0, old) != WL_OK)
            return WL_BLAME(words, WL_E_INVALID_OPTIONS, PART_OPTION_AREA, i);
        old |= set;
        s->areas[s->n_areas].spaces = set;
        s->areas[s->n_areas++].kind = (uint8_t)kind;
    }
    return WL_OK;
}

/* ==== Start of the match ========================================================================================= */

static int32_t conf_check_options(wl_words *options, wl_words *position)
{
    start s;
    conf_state state;
    const int32_t error = read_options(&s, options);

    if (error != WL_OK || position == NULL)
        return error;
    return conf_load_position(&s.setup, &state, position);
}

static int32_t conf_init(void *setup, void *state_, wl_words *options, wl_words *position, wl_draws *draws,
                         wl_event *event)
{
    conf_state *state = state_;
    match m = {setup, state, draws, event};
    start s;
    int32_t error = read_options(&s, options);

    if (error != WL_OK)
        return error;
    memcpy(setup, &s.setup, sizeof s.setup);
    if (position != NULL) {
        error = conf_load_position(setup, state, position);
        if (error == WL_OK)
            next_step(&m);
        return error;
    }
    blank(state);
    state->alive = (uint8_t)(wl_bit(s.setup.n_seats) - 1);
    state->n_areas = (uint8_t)s.n_areas;
    memcpy(state->areas, s.areas, (size_t)s.n_areas * sizeof s.areas[0]);
    return WL_OK;
}

/* ==== Soundness ================================================================================================== */

static int32_t conf_sound_setup(const void *setup_)
{
    const conf_setup *setup = setup_;

    if (!WL_IN_RANGE(O_SEATS, setup->n_seats) || !WL_IN_RANGE(O_ARMY_POINTS, setup->army_points))
        return 0;
    if (!WL_IN_RANGE(O_FREE_PAWNS, setup->free_pawns) || !WL_IN_RANGE(O_ACTIONS_PER_TURN, setup->actions_per_turn))
        return 0;
    if (!WL_IN_RANGE(O_SPELLS_PER_BISHOP, setup->spells_per_bishop) || !WL_IN_RANGE(O_SPELL_COST, setup->spell_cost))
        return 0;
    if (!WL_IN_RANGE(O_RACES, setup->races) || !WL_IN_RANGE(O_RACE_TOKENS, setup->race_tokens) ||
        !WL_IN_RANGE(O_RACE_TOKEN_COST, setup->race_token_cost))
        return 0;
    if (!WL_IN_RANGE(O_TREASURE, setup->treasure) || !WL_IN_RANGE(O_TERRAIN, setup->terrain) ||
        !WL_IN_RANGE(O_TURN_LIMIT, setup->turn_limit))
        return 0;
    for (int32_t type = 0; type < TYPES; type++)
        if (!wl_between(1, setup->types[type].move, MOVE_MAX) || !wl_between(type != KING, setup->types[type].cost, COST_MAX))
            return 0;
    for (int32_t spell = 0; spell < SPELLS; spell++)
        if (setup->spells[spell].range > RANGE_MAX)
            return 0;
    return 1;
}

/* Room to count on in a playout, which looks at its first state only. */
static const int64_t COUNTER_MAX = 1000000000;

static int sound_roster(const conf_setup *setup, const conf_state *state)
{
    if (!wl_between(1, state->next_id, ROSTER_MAX) || state->roster[0] != 0)
        return 0;
    for (int32_t id = 1; id < state->next_id; id++)
        if (state->roster[id] > setup->n_seats * TYPES)
            return 0;
    return 1;
}

static int sound_pieces(const conf_state *state)
{
    const int reserves = state->phase != ARMY && state->phase != PLAY;
    spaces taken = 0;
    int32_t last = 0;

    if (state->n_pieces > (reserves && state->phase != OVER ? SPACES : PIECES_MAX))
        return 0;
    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *p = &state->pieces[i];
        if (p->id <= last || !exists(state, p->id) || p->seat != seat_of(state, p->id) || p->type != type_of(state, p->id))
            return 0;
        if (!is_alive(state, p->seat) || (p->type != BISHOP && spells_known(p) > 0) || spells_known(p) > BISHOP_SPELLS_MAX)
            return 0;
        if (p->status == BOARD) {
            if (p->at >= SPACES || has(taken, p->at))
                return 0;
            taken |= space_bit(p->at);
        } else if (p->at != 0 || (p->status == RESERVE ? !reserves : p->status != FALLEN)) {
            return 0;
        } else if (p->status == FALLEN && state->phase != OVER &&
                   (state->work.pending != LIVE_AGAIN || state->work.loser != p->id)) {
            return 0;
        }
        last = p->id;
    }
    return 1;
}

static int sound_armies(const conf_setup *setup, const conf_state *state)
{
    for (int32_t seat = 0; seat < SEATS_MAX; seat++) {
        const army *a = &state->armies[seat];
        int32_t n = 0;
        if (!a->given) {
            const army none = {0};
            if (memcmp(a, &none, sizeof none) != 0)
                return 0;
            continue;
        }
        if (a->given > 1 || !(state->submitted >> seat & 1))
            return 0;
        for (int32_t i = 0; i < ARMY_TYPES; i++)
            if (a->pieces[i] != NOT_GIVEN && a->pieces[i] > POINTS_MAX)
                return 0;
        if (a->race != NOT_GIVEN && a->race >= RACES)
            return 0;
        if (a->extra_tokens != NOT_GIVEN && a->extra_tokens > POINTS_MAX)
            return 0;
        if (a->n_spells > ARMY_SPELLS_MAX || check_army(setup, a) != WL_OK)
            return 0;
        for (int32_t i = 0; i < ARMY_BISHOPS_MAX; i++) {
            if (i >= bought(a, BISHOP) && a->lengths[i] != 0)
                return 0;
            n += a->lengths[i];
        }
        if (n != a->n_spells)
            return 0;
        for (int32_t i = 0; i < ARMY_SPELLS_MAX; i++)
            if (i < n ? a->spells[i] >= SPELLS : a->spells[i] != 0)
                return 0;
    }
    return 1;
}

/* The seats in play order: all live ones, from the choice on. */
static int sound_order(const conf_setup *setup, const conf_state *state)
{
    uint32_t seats = 0;

    if (state->n_order > setup->n_seats || state->active >= setup->n_seats || state->chooser >= setup->n_seats)
        return 0;
    for (int32_t i = 0; i < state->n_order; i++) {
        if (state->order[i] >= setup->n_seats || (seats >> state->order[i] & 1))
            return 0;
        seats |= wl_bit(state->order[i]);
    }
    if (state->phase == ORDER)
        return is_alive(state, state->chooser);
    if (state->phase == TERRAIN || state->phase == SETUP)
        return (state->alive & ~seats) == 0 && is_alive(state, state->active);
    if (state->phase == PLAY)
        return (state->alive & ~seats) == 0 && (seats >> state->active & 1);
    return 1;
}

static int is_sound_rating(int32_t rating) { return wl_between(0, rating, COUNTER_MAX); }

/* The open decision, and everything needed to go on from it. */
static int sound_work(const conf_state *state)
{
    const work *w = &state->work;
    const work none = {0};
    const piece *a = find(state, w->attacker);
    const piece *d = find(state, w->defender);
    const piece *p = on_board(state, w->mover);

    if (state->phase != PLAY || w->pending == NOTHING)
        return memcmp(w, &none, sizeof none) == 0 && state->n_queue == 0 &&
               (state->phase != PLAY || is_alive(state, state->active));
    if (w->pending >= DECISIONS || w->owner >= SEATS_MAX || !is_alive(state, w->owner))
        return 0;
    if (w->by >= BYS || w->from >= SPACES || w->space >= SPACES || w->hold > 1 || w->asked > 3 || w->swift > 1)
        return 0;
    if (w->attack_die > 6 || w->defend_die > 6 || !is_sound_rating(w->attack_rating) || !is_sound_rating(w->defend_rating))
        return 0;
    if (w->fury > SECOND_FOUGHT || w->n_targets > TARGETS_MAX || w->next_target > w->n_targets)
        return 0;
    for (int32_t i = 0; i < TARGETS_MAX; i++)
        if (!is_sound_rating(w->target_rating[i]))
            return 0;
    if ((w->fury == FIRST_ASKED || w->fury == SECOND_ASKED) != (w->pending == FURY))
        return 0;
    if (w->fury != NO_FURY && !exists(state, w->trigger))
        return 0;
    switch (w->pending) {
    case HOLD:
    case LUCK:
        if (a == NULL || d == NULL || a->status != BOARD || d->status != BOARD || a->seat == d->seat)
            return 0;
        if (w->pending == HOLD)
            return w->owner == d->seat && w->by == BY_MOVE && has_power(state, w->owner, DWARVES);
        return (w->owner == a->seat || w->owner == d->seat) && has_power(state, w->owner, HUMANS) && w->attack_die > 0 &&
               w->defend_die > 0;
    case LIVE_AGAIN: {
        const piece *loser = find(state, w->loser);
        if (a == NULL || d == NULL || a->seat == d->seat || loser == NULL || (loser != a && loser != d))
            return 0;
        return loser->status == FALLEN && loser->seat == w->owner && has_power(state, w->owner, UNDEAD);
    }
    case PANICKED: return d != NULL && d->status == BOARD && d->seat == w->owner;
    case FURY: {
        const piece *q = on_board(state, w->trigger);
        return q != NULL && q->seat == w->owner && (w->fury == SECOND_ASKED || has_power(state, w->owner, ORCS));
    }
    case SWIFT: return p != NULL && p->seat == w->owner && has_power(state, w->owner, ELVES);
    case RISEN: return p != NULL && p->seat == w->owner;
    default: return w->owner != state->active && is_alive(state, state->active);
    }
}

static int32_t conf_sound_state(const void *setup_, const void *state_)
{
    const conf_setup *setup = setup_;
    const conf_state *state = state_;
    const uint32_t seats = wl_bit(setup->n_seats) - 1;
    spaces old = 0;

    if (state->phase > OVER || state->reason >= N_REASONS || (state->winners & ~seats) || (state->revealed & ~seats))
        return 0;
    if ((state->alive & ~seats) || (state->submitted & ~(uint32_t)state->alive) || state->draw_offered > 1)
        return 0;
    if (wl_popcount(state->alive) < (state->phase == OVER ? 1 : 2) || (state->phase != ARMY && state->submitted != 0))
        return 0;
    if (state->phase == ARMY && (state->submitted == state->alive || state->n_pieces > 0 || state->next_id != 1))
        return 0;
    if (!wl_between(0, state->turn, INT64_MAX / 2) || !wl_between(0, state->decisions, INT64_MAX / 2))
        return 0;
    if (state->actions_left > setup->actions_per_turn || state->n_acted > setup->actions_per_turn - state->actions_left)
        return 0;
    if (state->n_areas > AREAS_MAX || state->n_queue > QUEUE_MAX)
        return 0;
    for (int32_t i = 0; i < state->n_areas; i++) {
        if (state->areas[i].kind >= KINDS || state->areas[i].spaces == 0 || (state->areas[i].spaces & old))
            return 0;
        old |= state->areas[i].spaces;
    }
    for (int32_t seat = 0; seat < SEATS_MAX; seat++)
        if (state->race[seat] > NO_RACE || !wl_between(0, state->race_tokens[seat], COUNTER_MAX))
            return 0;
    if (!sound_order(setup, state) || !sound_roster(setup, state) || !sound_pieces(state) || !sound_armies(setup, state))
        return 0;
    if (state->phase == SETUP && !has_reserve(state, state->active))
        return 0;
    return sound_work(state);
}

/* ==== The game =================================================================================================== */

static int32_t conf_seats_in(const void *setup) { return ((const conf_setup *)setup)->n_seats; }
static int32_t conf_phase(const void *state) { return ((const conf_state *)state)->phase; }

/* Thinking time starts with the match, and whenever the match turns to a seat: a phase, a turn, a decision. */
static int64_t conf_clock(const void *setup, const void *state, int32_t seat)
{
    return conf_to_act(setup, state) >> seat & 1 ? 1 + ((const conf_state *)state)->decisions : 0;
}

static wl_result conf_result(const void *state_)
{
    const conf_state *state = state_;
    const wl_result result = {state->phase == OVER, state->reason, state->winners};
    return result;
}

enum { DRAWS_MAX = 1024 }; /* 256 ties of four seats in the order roll: once in 10^150 matches */

static const wl_game CONFRONTATION = {
    WL_PARTS(conf),
    .name = "confrontation",
    .rules_version = 1,
    .items_max = ARMY_ITEMS_MAX,
    .phases = PHASES,
    .reasons = REASONS,
    /* The reveal: 64 pieces of up to 7 words; a pass of the order roll with two contenders: 5 + 1 + 4 words for 2 draws. */
    .event_words_max = 64 * 7 + 1024 + 10 * DRAWS_MAX / 2,
    .draws_max = DRAWS_MAX,
    .reconfigure = NULL, /* the book allows no change of options during play */
    .trace = conf_trace,
    .sample = conf_sample,
    .evaluate = conf_evaluate,
    .numbering = &conf_numbering,
};

const wl_game *const wl_games_confrontation[] = {&CONFRONTATION, NULL};
