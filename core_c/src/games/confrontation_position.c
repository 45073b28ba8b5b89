/* confrontation_position.c: how a Position of Confrontation becomes a state (10.6).
 *
 * Position words: verdict, active, turn, actions_left, draw_offered; n, seats of 4 words (seat, alive, race, race_tokens);
 *                 play_order given, n, seats; n, acted; n, pieces of 14 words; n, and per area: kind, n, spaces.
 *                 Seats of a Position are numbered as in the longest roster, since it may name one that is not in the match.
 */
#include "confrontation.h"

/* ==== 10.6 Position ============================================================================================== */

enum { SEAT_WORDS = 4 };
enum { /* a piece; its spells are given as their number (or absent) and how many there are of each */
    W_ID, W_SEAT, W_TYPE, W_STATUS, W_AT, W_STRENGTH, W_COMBAT, W_MOVE, W_N_SPELLS, W_SPELLS,
    PIECE_WORDS = W_SPELLS + SPELLS
};
enum { NUMBER_MAX = 999 };

typedef struct position {
    wl_word active, turn, actions_left, draw_offered;
    wl_word n_seats, has_order, n_order, n_acted, n_pieces, n_areas;
    const wl_word *seats, *order, *acted, *pieces;
    wl_words areas;
} position;

static int32_t read_position(position *p, wl_words *words)
{
    wl_words areas;
    const wl_word verdict = wl_next(words);

    p->active = wl_next(words);
    p->turn = wl_next(words);
    p->actions_left = wl_next(words);
    p->draw_offered = wl_next(words);
    p->n_seats = wl_next(words);
    p->seats = wl_next_list(words, p->n_seats, SEAT_WORDS);
    p->has_order = wl_next(words);
    p->n_order = wl_next(words);
    p->order = wl_next_list(words, p->n_order, 1);
    p->n_acted = wl_next(words);
    p->acted = wl_next_list(words, p->n_acted, 1);
    p->n_pieces = wl_next(words);
    p->pieces = wl_next_list(words, p->n_pieces, PIECE_WORDS);
    p->n_areas = wl_next(words);
    p->areas = areas = *words;
    if (verdict != 0 || words->overrun || p->n_areas < 0)
        return WL_E_INVALID_POSITION;
    for (wl_word i = 0; i < p->n_areas; i++) { /* the form comes before everything else */
        wl_word kind;
        wl_word n;
        spaces set;
        if (!read_area(&areas, &kind, &set, &n))
            return BAD_POSITION(WL_E_INVALID_POSITION, PART_AREA, i);
    }
    return WL_OK;
}

/* A seat's place in the match, from its place in the longest roster; -1 when it is not in the match. */
static int32_t seat_in_match(const conf_setup *setup, wl_word seat)
{
    for (int32_t i = 0; i < setup->n_seats; i++)
        if (EDGE[setup->n_seats][i] == seat)
            return i;
    return -1;
}

static int32_t load_seats(const conf_setup *setup, conf_state *state, const position *p, wl_words *words)
{
    if (p->n_seats != setup->n_seats)
        return BAD_POSITION(BAD_SEATS, PART_SEATS, setup->n_seats);
    for (int32_t i = 0; i < setup->n_seats; i++) {
        if (seat_in_match(setup, p->seats[i * SEAT_WORDS]) != i)
            return BAD_POSITION(BAD_SEATS, PART_SEAT, i);
        if (wl_or_else(p->seats[i * SEAT_WORDS + 1], 1) != 0)
            state->alive |= (uint8_t)wl_bit(i);
    }
    if (wl_popcount(state->alive) < 2)
        return BAD_POSITION(BAD_SEATS, PART_ALIVE, 0);
    for (int32_t i = 0; i < setup->n_seats; i++) {
        const wl_word race = p->seats[i * SEAT_WORDS + 2];
        const wl_word tokens = p->seats[i * SEAT_WORDS + 3];
        const int none = race == WL_WORD_ABSENT && tokens == WL_WORD_ABSENT;
        if (none) {
            if (setup->races && is_alive(state, i))
                return BAD_POSITION(BAD_RACE, PART_RACE, i);
            continue;
        }
        if (!setup->races || !wl_between(0, race, RACES - 1) || !wl_between(0, tokens, NUMBER_MAX))
            return BAD_POSITION(BAD_RACE, PART_RACE, i);
        state->race[i] = (uint8_t)race;
        state->race_tokens[i] = (int32_t)tokens;
    }
    return WL_OK;
}

static int32_t load_order(const conf_setup *setup, conf_state *state, const position *p, wl_words *words)
{
    uint32_t seats = 0;

    if (!p->has_order) {
        for (int32_t seat = 0; seat < setup->n_seats; seat++)
            state->order[state->n_order++] = (uint8_t)seat;
        return WL_OK;
    }
    for (wl_word i = 0; i < p->n_order; i++) {
        const int32_t seat = seat_in_match(setup, p->order[i]);
        if (seat < 0 || (seats >> seat & 1))
            return BAD_POSITION(BAD_PLAY_ORDER, PART_ORDER, i);
        seats |= wl_bit(seat);
        state->order[state->n_order++] = (uint8_t)seat;
    }
    return (state->alive & ~seats) == 0 ? WL_OK : BAD_POSITION(BAD_PLAY_ORDER, PART_ORDER_SEATS, 0);
}

static int32_t load_turn(const conf_setup *setup, conf_state *state, const position *p, wl_words *words)
{
    const int32_t active = p->active == WL_WORD_ABSENT ? later_in_order(state, -1) : seat_in_match(setup, p->active);
    const wl_word actions_left = wl_or_else(p->actions_left, setup->actions_per_turn);

    state->turn = wl_or_else(p->turn, 1);
    if (active < 0 || !is_alive(state, active))
        return BAD_POSITION(BAD_ACTIVE, PART_ACTIVE, 0);
    state->active = (uint8_t)active;
    if (!wl_between(1, state->turn, setup->turn_limit > 0 ? setup->turn_limit : INT32_MAX))
        return BAD_POSITION(BAD_TURN, PART_TURN, setup->turn_limit);
    if (!wl_between(0, actions_left, setup->actions_per_turn))
        return BAD_POSITION(BAD_ACTIONS_LEFT, PART_ACTIONS_LEFT, setup->actions_per_turn);
    state->actions_left = (uint8_t)actions_left;
    state->draw_offered = wl_or_else(p->draw_offered, 0) != 0;
    return WL_OK;
}

static int is_bonus(wl_word value, int board)
{
    return value == WL_WORD_ABSENT || wl_between(0, value, board ? NUMBER_MAX : 0);
}

/* One piece of a Position: duplicate_id, bad_piece, duplicate_space. */
static int32_t load_piece(const conf_setup *setup, conf_state *state, const wl_word *w, spaces *taken)
{
    const int32_t seat = seat_in_match(setup, w[W_SEAT]);
    const wl_word status = wl_or_else(w[W_STATUS], BOARD);
    const int board = status == BOARD;
    int32_t n_spells = 0;
    piece *p;

    if (wl_between(1, w[W_ID], POSITION_ID_MAX) && exists(state, w[W_ID]))
        return DUPLICATE_ID;
    if (!wl_between(1, w[W_ID], POSITION_ID_MAX) || seat < 0 || (!board && status != REMOVED))
        return BAD_PIECE;
    if (!wl_between(KING, w[W_TYPE], QUEEN) || (w[W_AT] != WL_WORD_ABSENT) != board || (board && !is_alive(state, seat)))
        return BAD_PIECE;
    if (!is_bonus(w[W_STRENGTH], board) || !is_bonus(w[W_COMBAT], board) || !is_bonus(w[W_MOVE], board))
        return BAD_PIECE;
    if (w[W_N_SPELLS] != WL_WORD_ABSENT) {
        if (!board || w[W_TYPE] != BISHOP || !wl_between(0, w[W_N_SPELLS], BISHOP_SPELLS_MAX))
            return BAD_PIECE;
        for (int32_t i = 0; i < SPELLS; i++) {
            if (!wl_between(0, w[W_SPELLS + i], BISHOP_SPELLS_MAX))
                return BAD_PIECE;
            n_spells += (int32_t)w[W_SPELLS + i];
        }
        if (n_spells != w[W_N_SPELLS])
            return BAD_PIECE;
    }
    if (board && !wl_between(0, w[W_AT], SPACES - 1))
        return BAD_PIECE;
    if (board && has(*taken, (int32_t)w[W_AT]))
        return DUPLICATE_SPACE;
    enter_in_roster(state, (int32_t)w[W_ID], seat, (int32_t)w[W_TYPE]);
    if (!board)
        return WL_OK;
    *taken |= space_bit((int32_t)w[W_AT]);
    p = add_piece(state, (int32_t)w[W_ID]);
    put_on(p, (int32_t)w[W_AT]);
    p->strength = (uint16_t)wl_or_else(w[W_STRENGTH], p->strength);
    p->combat_bonus = (uint16_t)wl_or_else(w[W_COMBAT], 0);
    p->move_bonus = (uint16_t)wl_or_else(w[W_MOVE], 0);
    for (int32_t i = 0; i < SPELLS && w[W_N_SPELLS] != WL_WORD_ABSENT; i++)
        p->spells[i] = (uint8_t)w[W_SPELLS + i];
    return WL_OK;
}

/* king_count, lone_king. */
static int32_t check_kings(const conf_setup *setup, const conf_state *state, wl_words *words)
{
    int32_t kings[SEATS_MAX] = {0};
    int32_t kings_on_board[SEATS_MAX] = {0};
    int32_t others[SEATS_MAX] = {0};

    for (int32_t id = 1; id < state->next_id; id++)
        if (state->roster[id] != 0)
            kings[seat_of(state, id)] += type_of(state, id) == KING;
    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *p = &state->pieces[i];
        *(p->type == KING ? &kings_on_board[p->seat] : &others[p->seat]) += 1;
    }
    for (int32_t seat = 0; seat < setup->n_seats; seat++)
        if (kings[seat] > 1 || (is_alive(state, seat) && kings_on_board[seat] != 1))
            return BAD_POSITION(KING_COUNT, PART_KINGS, seat);
    for (int32_t seat = 0; seat < setup->n_seats; seat++)
        if (is_alive(state, seat) && others[seat] == 0)
            return BAD_POSITION(LONE_KING, PART_LONE_KING, seat);
    return WL_OK;
}

static int32_t load_acted(const conf_setup *setup, conf_state *state, const position *p, wl_words *words)
{
    if (p->n_acted > setup->actions_per_turn - state->actions_left)
        return BAD_POSITION(BAD_ACTED, PART_ACTED, -1);
    for (wl_word i = 0; i < p->n_acted; i++) {
        if (!exists(state, p->acted[i]) || seat_of(state, p->acted[i]) != state->active)
            return BAD_POSITION(BAD_ACTED, PART_ACTED, i);
        if (has_acted(state, (int32_t)p->acted[i]))
            return BAD_POSITION(BAD_ACTED, PART_ACTED, i);
        state->acted[state->n_acted++] = (uint16_t)p->acted[i];
    }
    return WL_OK;
}

static int32_t load_terrain(conf_state *state, const position *p, wl_words *words)
{
    wl_words areas = p->areas;
    spaces old = 0;

    for (wl_word i = 0; i < p->n_areas; i++) {
        wl_word kind;
        wl_word n;
        spaces set;
        read_area(&areas, &kind, &set, &n);
        if (n < 1 || __builtin_popcountll(set) != n || (set & old))
            return BAD_POSITION(BAD_TERRAIN, PART_AREA, i);
        old |= set;
        add_area(state, (int32_t)kind, set);
    }
    return WL_OK;
}

/* The checks of 10.6, in order, which make the state as they go. */
int32_t conf_load_position(const conf_setup *setup, conf_state *state, wl_words *words)
{
    position p;
    spaces taken = 0;
    int32_t error = read_position(&p, words);

    blank(state);
    state->phase = PLAY;
    if (error == WL_OK)
        error = load_seats(setup, state, &p, words);
    if (error == WL_OK)
        error = load_order(setup, state, &p, words);
    if (error == WL_OK)
        error = load_turn(setup, state, &p, words);
    for (wl_word i = 0; error == WL_OK && i < p.n_pieces; i++)
        if ((error = load_piece(setup, state, p.pieces + i * PIECE_WORDS, &taken)) != WL_OK)
            BAD_POSITION(error, PART_PIECE, i);
    if (error == WL_OK)
        error = check_kings(setup, state, words);
    if (error == WL_OK)
        error = load_acted(setup, state, &p, words);
    if (error == WL_OK)
        error = load_terrain(state, &p, words);
    if (error == WL_OK)
        state->revealed = (uint8_t)(wl_bit(setup->n_seats) - 1); /* there are no army actions to hide */
    return error;
}
