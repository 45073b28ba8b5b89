/* confrontation_opponent.c: what computer opponents need of Confrontation (warlog.h, section 9). */
#include "confrontation.h"

/* ==== What may be there ==========================================================================================
 *
 * Only armies are hidden, and only until every seat has submitted one (8). */

enum { STOPS = 24 /* one purchase in so many is not made, and the rest of the points is kept */ };

/* What can be bought: the types of pieces, a spell more for one of the bishops, a race token. */
enum { BUY_SPELL = TYPES, BUY_TOKEN, PURCHASES };

static int32_t price(const conf_setup *setup, int32_t purchase)
{
    if (purchase == BUY_SPELL)
        return setup->spell_cost;
    return purchase == BUY_TOKEN ? setup->race_token_cost : setup->types[purchase].cost;
}

static int may_buy(const conf_setup *setup, const army *a, int32_t purchase, int32_t n_pieces)
{
    if (cost_of(setup, a) + price(setup, purchase) > setup->army_points)
        return 0;
    if (purchase == BUY_SPELL)
        return bought(a, BISHOP) > 0 && a->n_spells < ARMY_SPELLS_MAX;
    if (purchase == BUY_TOKEN)
        return setup->races && extra_tokens(a) < POINTS_MAX;
    return n_pieces < ARMY_CAP && (purchase != BISHOP || a->n_spells + setup->spells_per_bishop <= ARMY_SPELLS_MAX);
}

static void buy(const conf_setup *setup, army *a, int32_t purchase, wl_draws *draws)
{
    const int32_t n_bishops = bought(a, BISHOP);

    if (purchase == BUY_SPELL) {
        const int32_t bishop = n_bishops > 1 ? wl_draw(draws, n_bishops) : 0;
        if (a->lengths[bishop] < BISHOP_SPELLS_MAX) {
            a->lengths[bishop]++;
            a->n_spells++;
        }
    } else if (purchase == BUY_TOKEN) {
        a->extra_tokens = (uint8_t)(extra_tokens(a) + 1);
    } else {
        a->pieces[purchase - PAWN] = (uint8_t)(bought(a, purchase) + 1);
    }
    if (purchase == BISHOP) {
        a->lengths[n_bishops] = setup->spells_per_bishop;
        a->n_spells += setup->spells_per_bishop;
        a->n_bishops = (uint8_t)(n_bishops + 1);
    }
}

/* An army that the seat may have submitted: purchases at random until the points are spent, seldom fewer. */
static army imagine_army(const conf_setup *setup, wl_draws *draws)
{
    int32_t n_pieces = 1 + setup->free_pawns;
    army a;

    memset(&a, 0, sizeof a);
    a.given = 1;
    a.n_bishops = a.extra_tokens = NOT_GIVEN;
    a.race = (uint8_t)(setup->races ? wl_draw(draws, RACES) : NOT_GIVEN);
    memset(a.pieces, NOT_GIVEN, sizeof a.pieces);
    while (draws->error == WL_OK) {
        int32_t fit[PURCHASES];
        int32_t n = 0;
        int32_t purchase;

        for (int32_t i = PAWN; i < PURCHASES; i++)
            if (may_buy(setup, &a, i, n_pieces))
                fit[n++] = i;
        if (n == 0 || wl_draw(draws, STOPS) == 0)
            break;
        purchase = fit[n > 1 ? wl_draw(draws, n) : 0];
        buy(setup, &a, purchase, draws);
        n_pieces += purchase < TYPES;
    }
    for (int32_t i = 0; i < a.n_spells; i++)
        a.spells[i] = (uint8_t)wl_draw(draws, SPELLS);
    return a;
}

int32_t conf_sample(const void *setup, void *state_, int32_t viewer, wl_draws *draws)
{
    conf_state *state = state_;

    (void)viewer;
    for (int32_t seat = 0; seat < SEATS_MAX; seat++)
        if ((state->submitted >> seat & 1) && !state->armies[seat].given)
            state->armies[seat] = imagine_army(setup, draws);
    return WL_OK;
}

/* ==== What it is worth ===========================================================================================
 *
 * A seat is strong by its pieces and as likely as its King is to live through the enemies' next turns. */

enum {
    /* What a piece is worth: by its Move and Combat, which the options may change, and by what it has gained. */
    BASE = 200, BY_MOVE_POINT = 25, BY_COMBAT = 100, BY_STRENGTH = 100, BY_SPELL = 70, BY_TOKEN = 70,
    NEARER = 8, /* one space nearer to an enemy King */
    BONUS_MAX = 20, SPELLS_COUNTED = 3, /* more of them adds nothing */
    DICE = 36, SURE = 1024,
};

static int32_t at_most(int32_t n, int32_t most) { return n < most ? n : most; }

/* Of 36 throws those in which an attacker whose rating is so much greater wins. */
static int32_t throws_won(int32_t ahead)
{
    int32_t n = 0;

    for (int32_t die = 1; die <= 6; die++) {
        const int32_t below = die + ahead - 1; /* dice of the defender that it beats */
        n += below < 0 ? 0 : below > 6 ? 6 : below;
    }
    return n;
}

/* What the evaluation knows of a state. */
typedef struct survey {
    const conf_setup *setup;
    const conf_state *state;
    spaces reached[PIECES_MAX];
    spaces led[SEATS_MAX]; /* beside a Queen */
    spaces enhanced, counterspell;
    const piece *king[SEATS_MAX]; /* on the board */
} survey;

static int32_t apart(int32_t a, int32_t b)
{
    const int32_t files = wl_abs(a % 8 - b % 8), ranks = wl_abs(a / 8 - b / 8);
    return files > ranks ? files : ranks;
}

/* What a piece brings into any battle (7.8); that two Queens may lead each other is left out. */
static int32_t rating(const survey *s, const piece *p)
{
    const int led = p->type != QUEEN && has(s->led[p->seat], p->at);

    return s->setup->types[p->type].combat + p->combat_bonus + led * s->setup->leadership_bonus;
}

/* Of 36 throws those by which an action of this piece defeats the King; 0 if it cannot be attacked. */
static int32_t threat(const survey *s, int32_t place, const piece *king)
{
    const conf_setup *setup = s->setup;
    const piece *p = &s->state->pieces[place];
    const int32_t far = apart(p->at, king->at);
    const int dwarves = s->state->race[king->seat] == DWARVES && s->state->race_tokens[king->seat] > 0;
    int32_t defence = rating(s, king);
    int32_t most = 0;

    for (int32_t spell = 0; spell < SPELLS; spell++) {
        const int32_t range = spell == JUDGEMENT ? 1 : setup->spells[spell].range;
        const int32_t won = throws_won(setup->spells[spell].combat - defence);
        if (p->spells[spell] > 0 && spell != HEAL && spell != PANIC && far <= range && !has(s->counterspell, king->at))
            most = won > most ? won : most;
    }
    if (has(s->reached[place], king->at)) {
        int32_t attack = rating(s, p) + (p->type == KNIGHT ? setup->weapon_mastery_bonus : 0);
        int32_t won;
        attack += has(s->enhanced, p->at) ? setup->enhancement_bonus : 0;
        defence += has(s->enhanced, king->at) ? setup->enhancement_bonus : 0;
        won = throws_won(attack - defence - (dwarves ? setup->hold_bonus : 0));
        most = won > most ? won : most;
    }
    return king->strength > 0 ? most / 4 : most;
}

/* How likely the King of this seat is to live through the next turn of that enemy, of SURE. */
static int32_t survival(const survey *s, int32_t seat, int32_t enemy)
{
    const conf_state *state = s->state;
    const int is_play = state->phase == PLAY;
    const int acts = enemy == (is_play ? state->active : state->order[0]); /* next, once all pieces are placed */
    const int32_t actions = acts && is_play ? state->actions_left : s->setup->actions_per_turn;
    int32_t best[ACTED_MAX] = {0}; /* throws won by the enemy's best actions, the greatest first */
    int32_t safe = SURE;

    if ((!is_play && state->phase != SETUP) || s->king[seat] == NULL)
        return SURE;
    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *p = &state->pieces[i];
        int32_t won;
        if (p->seat != enemy || p->status != BOARD || (acts && has_acted(state, p->id)))
            continue;
        won = threat(s, i, s->king[seat]);
        for (int32_t k = 0; k < actions; k++)
            if (won > best[k]) {
                const int32_t next = best[k];
                best[k] = won;
                won = next;
            }
    }
    for (int32_t k = 0; k < actions; k++)
        safe = safe * (DICE - best[k]) / DICE;
    if (!is_play)
        return (3 * SURE + safe) / 4; /* much may change until then */
    return acts ? safe : (SURE + safe) / 2; /* who is not to act yet may be stopped */
}

static int64_t worth(const survey *s, const piece *p)
{
    const type_rule *type = &s->setup->types[p->type];
    const int32_t moves = type->move + at_most(p->move_bonus, BONUS_MAX);
    const int32_t combat = type->combat + at_most(p->combat_bonus, BONUS_MAX);
    int64_t sum = BY_MOVE_POINT * moves + BY_COMBAT * combat;
    int32_t nearest = LINES;

    sum += p->strength > 0 ? BY_STRENGTH : 0;
    sum += p->type == KNIGHT ? BY_COMBAT * s->setup->weapon_mastery_bonus / 4 : 0;
    for (int32_t spell = 0; spell < SPELLS; spell++)
        sum += BY_SPELL * at_most(p->spells[spell], SPELLS_COUNTED);
    if (p->status != BOARD || p->type == KING)
        return sum;
    for (int32_t enemy = 0; enemy < SEATS_MAX; enemy++)
        if (enemy != p->seat && s->king[enemy] != NULL && apart(p->at, s->king[enemy]->at) < nearest)
            nearest = apart(p->at, s->king[enemy]->at);
    return sum + NEARER * (LINES - nearest);
}

static void look_round(survey *s)
{
    const conf_state *state = s->state;

    conf_reaches(s->setup, state, s->reached);
    for (int32_t i = 0; i < state->n_areas; i++) {
        s->enhanced |= state->areas[i].kind == ENHANCEMENT ? state->areas[i].spaces : 0;
        s->counterspell |= state->areas[i].kind == COUNTERSPELL ? state->areas[i].spaces : 0;
    }
    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *p = &state->pieces[i];
        if (p->status == BOARD && p->type == KING)
            s->king[p->seat] = p;
        if (p->status == BOARD && p->type == QUEEN)
            s->led[p->seat] |= around(space_bit(p->at));
    }
}

void conf_evaluate(const void *setup_, const void *state_, int32_t *value)
{
    const conf_setup *setup = setup_;
    const conf_state *state = state_;
    survey s = {.setup = setup, .state = state};
    int64_t strength[SEATS_MAX] = {0};
    int64_t all = 0;

    look_round(&s);
    for (int32_t i = 0; i < state->n_pieces; i++)
        strength[state->pieces[i].seat] += worth(&s, &state->pieces[i]);
    for (int32_t seat = 0; seat < setup->n_seats; seat++) {
        if (!is_alive(state, seat)) {
            strength[seat] = 0;
            continue;
        }
        strength[seat] += BASE + (state->race[seat] < NO_RACE ? BY_TOKEN * at_most(state->race_tokens[seat], BONUS_MAX) : 0);
        strength[seat] = strength[seat] * strength[seat] / 64; /* who has twice as much wins more than twice as often */
        for (int32_t enemy = 0; enemy < setup->n_seats; enemy++)
            if (enemy != seat && is_alive(state, enemy))
                strength[seat] = strength[seat] * survival(&s, seat, enemy) / SURE;
        all += strength[seat];
    }
    for (int32_t seat = 0; seat < setup->n_seats; seat++)
        value[seat] = all > 0 ? (int32_t)(strength[seat] * WL_WON / all) : WL_EVEN;
}
