/* hex_position.c: how a Position of Hex Tactics becomes a state (10.6).
 *
 * Position words: verdict, phase, round, next_id, queue given; n, obstacles; n, stacks of 12 words; n, queue;
 *                 n, and per seat: seat, status, army given, ready, draw_offer, draw_used, n, (unit, count).
 */
#include "hex.h"

/* ==== 10.6 Position =================================================================================================== */

/* A seat entry of the Position's `seats`. */
typedef struct seat_words {
    wl_word seat, status, has_army, ready, draw_offer, draw_used, n_army;
    const wl_word *army;
} seat_words;

/* The Position words, found but not judged. `n_entries` seat entries start at `entries`. */
typedef struct position {
    wl_word phase, round, next_id, has_queue;
    wl_word n_obstacles, n_stacks, n_queue, n_entries;
    const wl_word *obstacles, *stacks, *queue;
    wl_words *notes;
    wl_words entries;
    wl_word given[SEATS_MAX]; /* a seat's entry was given */
    seat_words seat[SEATS_MAX];
} position;

static seat_words next_entry(wl_words *words)
{
    seat_words e;
    e.seat = wl_next(words);
    e.status = wl_next(words);
    e.has_army = wl_next(words);
    e.ready = wl_next(words);
    e.draw_offer = wl_next(words);
    e.draw_used = wl_next(words);
    e.n_army = wl_next(words);
    e.army = wl_next_list(words, e.n_army, 2);
    return e;
}

/* Row 1: shape, and fields that do not belong to the phase. */
static int32_t read_position(position *p, wl_words *words)
{
    wl_words entries;

    memset(p, 0, sizeof *p);
    p->notes = words;
    if (wl_next(words) != 0) /* the codec's verdict */
        return WL_E_INVALID_POSITION;
    p->phase = wl_or_else(wl_next(words), PLAY);
    p->round = wl_next(words);
    p->next_id = wl_next(words);
    p->has_queue = wl_next(words);
    if (words->overrun)
        return WL_E_INVALID_POSITION;
    p->n_obstacles = wl_next(words);
    p->obstacles = wl_next_list(words, p->n_obstacles, 1);
    p->n_stacks = wl_next(words);
    p->stacks = wl_next_list(words, p->n_stacks, STACK_WORDS);
    p->n_queue = wl_next(words);
    p->queue = wl_next_list(words, p->n_queue, 1);
    p->n_entries = wl_next(words);
    p->entries = entries = *words;
    if (words->overrun || p->n_entries < 0 || (!p->has_queue && p->n_queue > 0))
        return WL_E_INVALID_POSITION; /* no words of our codec's */
    for (wl_word i = 0; i < p->n_entries; i++) {
        const seat_words e = next_entry(&entries);
        if (entries.overrun)
            return WL_E_INVALID_POSITION;
        if (!wl_between(RECRUIT, p->phase, PLAY))
            continue;
        if ((e.has_army != 0 && p->phase != RECRUIT) || (e.ready != WL_WORD_ABSENT && p->phase != DEPLOY))
            return WL_BLAME(words, WL_E_INVALID_POSITION, NOTE_FORM);
        if ((e.draw_offer != WL_WORD_ABSENT || e.draw_used != WL_WORD_ABSENT) && p->phase != PLAY)
            return WL_BLAME(words, WL_E_INVALID_POSITION, NOTE_FORM);
    }
    if (p->has_queue && wl_between(RECRUIT, p->phase, DEPLOY))
        return WL_BLAME(words, WL_E_INVALID_POSITION, NOTE_FORM);
    return WL_OK;
}

static int32_t check_position_seats(const hex_setup *setup, position *p)
{
    wl_words entries = p->entries;

    for (wl_word i = 0; i < p->n_entries; i++) {
        const seat_words e = next_entry(&entries);
        if (!wl_between(0, e.seat, setup->n_seats - 1) || p->given[e.seat])
            return WL_BLAME(p->notes, POSITION_BAD_SEAT, NOTE_SEAT, i);
        if (e.status != WL_WORD_ABSENT && !wl_between(IN, e.status, RESIGNED))
            return WL_BLAME(p->notes, POSITION_BAD_SEAT, NOTE_SEAT, i);
        p->given[e.seat] = 1;
        p->seat[e.seat] = e;
    }
    for (wl_word i = 0; i < p->n_stacks; i++)
        if (!wl_between(0, p->stacks[i * STACK_WORDS + W_SEAT], setup->n_seats - 1))
            return WL_BLAME(p->notes, POSITION_BAD_SEAT, NOTE_STACK_SEAT, i);
    return WL_OK;
}

static int32_t check_position_obstacles(const hex_setup *setup, const position *p, spaces *obstacles)
{
    const spaces zones = all_zones(setup);

    for (wl_word i = 0; i < p->n_obstacles; i++) {
        const wl_word space = p->obstacles[i];
        if (!on_board(setup, space) || has(obstacles, (int32_t)space))
            return WL_BLAME(p->notes, POSITION_BAD_OBSTACLES, NOTE_OBSTACLE, i, on_board(setup, space));
        if (p->phase != PLAY && has(&zones, (int32_t)space))
            return WL_BLAME(p->notes, POSITION_BAD_OBSTACLES, NOTE_OBSTACLE, i, 2);
        add(obstacles, (int32_t)space);
    }
    return WL_OK;
}

static int32_t check_position_ids(position *p)
{
    wl_word greatest = 0;
    wl_word given = 0;

    for (wl_word i = 0; i < p->n_stacks; i++) {
        const wl_word id = p->stacks[i * STACK_WORDS + W_ID];
        if (id == WL_WORD_ABSENT)
            continue;
        given++;
        if (!wl_between(1, id, ID_MAX))
            return WL_BLAME(p->notes, POSITION_BAD_ID, NOTE_STACK_ID, i, 0);
        greatest = id > greatest ? id : greatest;
        for (wl_word j = 0; j < i; j++)
            if (p->stacks[j * STACK_WORDS + W_ID] == id)
                return WL_BLAME(p->notes, POSITION_BAD_ID, NOTE_STACK_ID, i, 1);
    }
    if (given != 0 && given != p->n_stacks)
        return WL_BLAME(p->notes, POSITION_BAD_ID, NOTE_SOME_IDS);
    if (given == 0)
        greatest = p->n_stacks;
    p->next_id = wl_or_else(p->next_id, greatest + 1);
    if (p->next_id <= greatest || !wl_between(1, p->next_id, ID_MAX + 1))
        return WL_BLAME(p->notes, POSITION_BAD_ID, NOTE_NEXT_ID, greatest + 1);
    return p->phase == RECRUIT && p->next_id != 1 ? WL_BLAME(p->notes, POSITION_BAD_ID, NOTE_NEXT_ID, 1) : WL_OK;
}

static int32_t check_position_stacks(const hex_setup *setup, const position *p, const spaces *obstacles)
{
    spaces taken = {{0}};

    for (wl_word i = 0; i < p->n_stacks; i++)
        if (!wl_between(0, p->stacks[i * STACK_WORDS + W_UNIT], setup->n_units - 1))
            return WL_BLAME(p->notes, POSITION_UNKNOWN_UNIT, NOTE_STACK_UNIT, i);
    for (wl_word i = 0; i < p->n_stacks; i++) {
        const wl_word *w = p->stacks + i * STACK_WORDS;
        if (!on_board(setup, w[W_SPACE]) || has(obstacles, (int32_t)w[W_SPACE]))
            return WL_BLAME(p->notes, POSITION_BAD_SPACE, NOTE_STACK_SPACE, i, on_board(setup, w[W_SPACE]));
        if (p->phase == DEPLOY && !in_zone(setup, (int32_t)w[W_SEAT], (int32_t)w[W_SPACE]))
            return WL_BLAME(p->notes, POSITION_BAD_SPACE, NOTE_STACK_SPACE, i, 2);
    }
    for (wl_word i = 0; i < p->n_stacks; i++) {
        const int32_t space = (int32_t)p->stacks[i * STACK_WORDS + W_SPACE];
        if (has(&taken, space))
            return WL_BLAME(p->notes, POSITION_OVERLAP, NOTE_STACK_OVERLAP, i);
        add(&taken, space);
    }
    return WL_OK;
}

static int32_t check_position_values(const hex_setup *setup, const position *p)
{
    for (wl_word i = 0; i < p->n_stacks; i++) {
        const wl_word *w = p->stacks + i * STACK_WORDS;
        const unit *u = &setup->units[w[W_UNIT]];
        const wl_word used = wl_or_else(w[W_SKILL_USED], 0);
        const wl_word used_max = u->skill == NO_SKILL ? 0 : u->skill_uses > 0 ? u->skill_uses : ID_MAX;
        if (!wl_between(1, w[W_COUNT], COUNT_MAX))
            return WL_BLAME(p->notes, POSITION_BAD_VALUE, NOTE_STACK_COUNT, i, COUNT_MAX);
        if (!wl_between(w[W_COUNT], wl_or_else(w[W_START_COUNT], w[W_COUNT]), COUNT_MAX))
            return WL_BLAME(p->notes, POSITION_BAD_VALUE, NOTE_STACK_START, i, w[W_COUNT], COUNT_MAX);
        if (!wl_between(1, wl_or_else(w[W_TOP_HP], u->hp), u->hp))
            return WL_BLAME(p->notes, POSITION_BAD_VALUE, NOTE_STACK_HP, i, u->hp);
        if (!wl_between(0, wl_or_else(w[W_RETALIATIONS], 0), u->retaliations))
            return WL_BLAME(p->notes, POSITION_BAD_VALUE, NOTE_STACK_RETALIATIONS, i, u->retaliations);
        if (!wl_between(0, used, used_max))
            return WL_BLAME(p->notes, POSITION_BAD_VALUE, NOTE_STACK_SKILL, i, used_max);
    }
    for (int32_t seat = 0; seat < setup->n_seats; seat++) {
        const seat_words *e = &p->seat[seat];
        int32_t items[2 * ARMY_MAX];
        if (!p->given[seat] || !e->has_army)
            continue;
        for (wl_word i = 0; i < 2 * e->n_army && i < 2 * ARMY_MAX; i++)
            items[i] = wl_between(INT32_MIN, e->army[i], INT32_MAX) ? (int32_t)e->army[i] : WL_OUT_OF_RANGE;
        if (check_army(setup, e->n_army, items, 2 * ARMY_MAX) != WL_OK)
            return WL_BLAME(p->notes, POSITION_BAD_VALUE, NOTE_SEAT_ARMY, seat);
    }
    return WL_OK;
}

static int has_position_stacks(const position *p, int32_t seat)
{
    for (wl_word i = 0; i < p->n_stacks; i++)
        if (p->stacks[i * STACK_WORDS + W_SEAT] == seat)
            return 1;
    return 0;
}

static int32_t position_status(const position *p, int32_t seat)
{
    const int32_t otherwise = p->phase == PLAY && !has_position_stacks(p, seat) ? ELIMINATED : IN;
    return p->given[seat] ? (int32_t)wl_or_else(p->seat[seat].status, otherwise) : otherwise;
}

static int32_t check_position_statuses(const hex_setup *setup, const position *p)
{
    uint32_t sides = 0;
    int undecided_seats = 0;
    int disagreeing = 0;
    int offers = 0;
    int offerers = 0;
    int eliminated = 0;
    int offer_of_one_out = 0;

    for (int32_t seat = 0; seat < setup->n_seats; seat++) {
        const seat_words *e = &p->seat[seat];
        const int32_t status = position_status(p, seat);
        const int given = p->given[seat] != 0;
        const int offer = given && wl_or_else(e->draw_offer, 0) != 0;
        const int decided = given && (p->phase == RECRUIT ? e->has_army != 0 : wl_or_else(e->ready, 0) != 0);
        if (p->phase != RECRUIT && has_position_stacks(p, seat) != (status == IN))
            return WL_BLAME(p->notes, POSITION_BAD_STATUS, NOTE_SEAT_STACKS, seat, status != IN);
        if (status == IN)
            sides |= wl_bit(side_of(setup, seat));
        undecided_seats += status == IN && !decided;
        disagreeing += status == IN && !offer;
        eliminated += status == ELIMINATED;
        offers += offer;
        offerers += offer && wl_or_else(e->draw_used, 0) != 0;
        offer_of_one_out += offer && status != IN;
    }
    if (wl_popcount(sides) < 2)
        return WL_BLAME(p->notes, POSITION_BAD_STATUS, NOTE_ONE_SIDE);
    if (p->phase != PLAY && undecided_seats == 0)
        return WL_BLAME(p->notes, POSITION_BAD_STATUS, NOTE_DECIDED);
    if (p->phase != PLAY)
        return eliminated > 0 ? WL_BLAME(p->notes, POSITION_BAD_STATUS, NOTE_ELIMINATED) : WL_OK;
    if (offer_of_one_out > 0)
        return WL_BLAME(p->notes, POSITION_BAD_STATUS, NOTE_OFFER, 0);
    if (disagreeing == 0 || (offers > 0 && offerers == 0))
        return WL_BLAME(p->notes, POSITION_BAD_STATUS, NOTE_OFFER, disagreeing == 0 ? 1 : 2);
    return WL_OK;
}

/* The place in the Position's list of the stack with this id; without ids they are 1, 2, 3 ... */
static wl_word position_stack(const position *p, wl_word id)
{
    if (p->n_stacks > 0 && p->stacks[W_ID] == WL_WORD_ABSENT)
        return wl_between(1, id, p->n_stacks) ? id - 1 : -1;
    for (wl_word i = 0; i < p->n_stacks; i++)
        if (p->stacks[i * STACK_WORDS + W_ID] == id)
            return i;
    return -1;
}

static int32_t check_position_queue(const position *p)
{
    if (!p->has_queue)
        return WL_OK;
    if (p->n_queue == 0)
        return WL_BLAME(p->notes, POSITION_BAD_QUEUE, NOTE_QUEUE);
    for (wl_word i = 0; i < p->n_queue; i++) {
        if (position_stack(p, p->queue[i]) < 0)
            return WL_BLAME(p->notes, POSITION_BAD_QUEUE, NOTE_QUEUE_STACK, i, 0);
        for (wl_word j = 0; j < i; j++)
            if (p->queue[j] == p->queue[i])
                return WL_BLAME(p->notes, POSITION_BAD_QUEUE, NOTE_QUEUE_STACK, i, 1);
    }
    return WL_OK;
}

/* The rows of 10.6, in order; afterwards `p` has its defaults filled in. */
static int32_t check_position(const hex_setup *setup, position *p, wl_words *words)
{
    spaces obstacles = {{0}};
    int32_t error = read_position(p, words);

    if (error != WL_OK)
        return error;
    if (!wl_between(RECRUIT, p->phase, PLAY))
        return WL_BLAME(words, POSITION_BAD_PHASE, NOTE_PHASE, 0);
    if (p->phase == RECRUIT && (setup->army != ARMY_RECRUIT || p->n_stacks > 0))
        return WL_BLAME(words, POSITION_BAD_PHASE, NOTE_PHASE, setup->army != ARMY_RECRUIT ? 1 : 2);
    if (p->phase == DEPLOY && !setup->deployment)
        return WL_BLAME(words, POSITION_BAD_PHASE, NOTE_PHASE, 3);
    p->round = wl_or_else(p->round, p->phase == PLAY);
    if (p->phase == PLAY ? !wl_between(1, p->round, ID_MAX) : p->round != 0)
        return WL_BLAME(words, POSITION_BAD_PHASE, NOTE_ROUND, p->phase == PLAY, p->phase == PLAY ? ID_MAX : 0);
    error = check_position_seats(setup, p);
    if (error == WL_OK)
        error = check_position_obstacles(setup, p, &obstacles);
    if (error == WL_OK)
        error = check_position_ids(p);
    if (error == WL_OK)
        error = check_position_stacks(setup, p, &obstacles);
    if (error == WL_OK)
        error = check_position_values(setup, p);
    if (error == WL_OK)
        error = check_position_statuses(setup, p);
    return error != WL_OK ? error : check_position_queue(p);
}

static stack position_stack_of(const hex_setup *setup, const wl_word *w, wl_word id)
{
    stack s = new_stack(setup, (int32_t)id, (int32_t)w[W_SEAT], (int32_t)w[W_UNIT], w[W_COUNT]);
    s.space = (uint16_t)w[W_SPACE];
    s.start_count = (uint16_t)wl_or_else(w[W_START_COUNT], w[W_COUNT]);
    s.top_hp = (uint16_t)wl_or_else(w[W_TOP_HP], s.top_hp);
    s.defending = wl_or_else(w[W_DEFENDING], 0) != 0;
    s.waited = wl_or_else(w[W_WAITED], 0) != 0;
    s.retaliations_used = (uint16_t)wl_or_else(w[W_RETALIATIONS], 0);
    s.skill_used = (int32_t)wl_or_else(w[W_SKILL_USED], 0);
    s.summoned = wl_or_else(w[W_SUMMONED], 0) != 0;
    return s;
}

/* A checked Position becomes the state. */
static void position_start(const hex_setup *setup, hex_state *state, const position *p)
{
    state->phase = (uint8_t)p->phase;
    state->round = (int32_t)p->round;
    state->next_id = (int32_t)p->next_id;
    for (wl_word i = 0; i < p->n_obstacles; i++)
        add(&state->obstacles, (int32_t)p->obstacles[i]);
    for (wl_word i = 0; i < p->n_stacks; i++) { /* sorted by id as they come in */
        const wl_word *w = p->stacks + i * STACK_WORDS;
        const stack s = position_stack_of(setup, w, wl_or_else(w[W_ID], i + 1));
        int32_t at = state->n_stacks++;
        for (; at > 0 && state->stacks[at - 1].id > s.id; at--)
            state->stacks[at] = state->stacks[at - 1];
        state->stacks[at] = s;
    }
    for (wl_word i = 0; i < p->n_queue; i++)
        state->queue[state->n_queue++] = (uint16_t)place_of(state, p->queue[i]);
    for (int32_t seat = 0; seat < setup->n_seats; seat++) {
        const seat_words *e = &p->seat[seat];
        seat_state *s = &state->seats[seat];
        s->status = (uint8_t)position_status(p, seat);
        if (!p->given[seat])
            continue;
        s->ready = wl_or_else(e->ready, 0) != 0;
        s->draw_offer = wl_or_else(e->draw_offer, 0) != 0;
        s->draw_used = wl_or_else(e->draw_used, 0) != 0;
        if (e->has_army) {
            army a = {.n = (int32_t)e->n_army};
            for (int32_t i = 0; i < a.n; i++)
                a.entry[i] = (entry){(uint16_t)e->army[2 * i], (uint16_t)e->army[2 * i + 1]};
            store_army(s, &a);
        }
    }
}

int32_t hex_load_position(const hex_setup *setup, hex_state *state, wl_words *words)
{
    position p;
    const int32_t error = check_position(setup, &p, words);

    if (error == WL_OK)
        position_start(setup, state, &p);
    return error;
}
