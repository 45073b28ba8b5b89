/* wec_position.c: how a match of Weaponized Chess begins (4 and 10.5), how its options change (6.5), and what makes bytes a state.
 *
 * Position words: verdict (1: malformed), turn, to_move, idle_turns, draw_offer, activation squares given;
 *                 turn state: moved, fires, pick_ups, drops, exchanges, reinforces, primary_lost of black, of white (1 destroyed,
 *                 2 converted); n, vacated squares; n, marks (mark, id); n, hits (id, kind, count);
 *                 n, activation squares of black; n, of white; n, ghosts (seat, type, square, level, turn);
 *                 n, projectiles (kind, seat, square, direction, strength, target, fresh);
 *                 n, reinforcements (id, seat, type, square, hand);
 *                 n, and per loose heap: square, n, articles (kind, ready_turn, lock);
 *                 n, and per piece: id, seat, type, square, level, hand, unmoved, lock, stunned_until, revealed_until,
 *                 ready_turns of the six weapons and the limited rocket, transport, to, path;
 *                 n, articles (kind, ready_turn, lock); n, remaining squares.
 * What is absent is WL_WORD_ABSENT. Names are right here, for the codec answers for them; numbers may be anything.
 */
#include "wec.h"

/* ==== 4.4 Options ================================================================================================ */

static int32_t read_options(wec_setup *setup, wl_words *words)
{
    memset(setup, 0, sizeof *setup);
    if (wl_next(words) != 0)
        return WL_E_INVALID_OPTIONS;
    for (int32_t i = 0; i < OPTIONS; i++) {
        const wl_word word = wl_or_else(wl_next(words), OPTION[i].otherwise);
        if (!WL_IN_RANGE(i, word))
            return WL_E_INVALID_OPTIONS;
        setup->option[i] = (uint8_t)word;
    }
    if (words->overrun)
        return WL_E_INVALID_OPTIONS;
    if (OPT(setup, SUB_JET_COMBAT) && (OPT(setup, ACTION_RESTRICTION) != MOVE_ONLY || OPT(setup, MOVEMENT) == 0))
        return WL_E_INVALID_OPTIONS;
    return WL_OK;
}

static int32_t government_of(const wec_setup *setup, int32_t seat)
{
    return setup->option[O_BLACK_GOVERNMENT + seat];
}

/* The seat's own primary or secondary for any of that class. */
static int32_t under_government(const wec_setup *setup, int32_t seat, int32_t type)
{
    if (is_primary(type))
        return KING + government_of(setup, seat);
    return is_secondary(type) ? QUEEN + government_of(setup, seat) : type;
}

/* ==== 4.1 - 4.3 The standard setup =============================================================================== */

typedef struct start_piece {
    uint8_t square, type, hand;
} start_piece;
#define SQ(file, rank) (((rank)-1) * FILES + (file) - 'a')

/* Black's, by id from 1. White's is the same rotated by half a turn. */
static const start_piece START_PIECES[] = {
    {SQ('a', 1), TANK, RIGHT_HAND}, {SQ('b', 1), DOZER, 0}, {SQ('b', 1), SUBMARINE, 0}, {SQ('c', 1), CLERIC, LEFT_HAND},
    {SQ('d', 1), CHOPPER, RIGHT_HAND}, {SQ('d', 1), JET, 0}, {SQ('e', 1), KING, 0}, {SQ('f', 1), QUEEN, 0},
    {SQ('g', 1), CHOPPER, LEFT_HAND}, {SQ('g', 1), JET, 0}, {SQ('h', 1), CLERIC, RIGHT_HAND}, {SQ('i', 1), DOZER, 0},
    {SQ('i', 1), SUBMARINE, 0}, {SQ('j', 1), TANK, LEFT_HAND},
    {SQ('a', 2), ROCKET_PAWN, 0}, {SQ('b', 2), STUN_PAWN, 0}, {SQ('c', 2), FLAME_PAWN, 0}, {SQ('c', 2), AAA, 0},
    {SQ('d', 2), CONVERSION_PAWN, 0}, {SQ('d', 2), DESTROYER, 0}, {SQ('e', 2), STEALTH_PAWN, 0}, {SQ('f', 2), XXX_PAWN, 0},
    {SQ('g', 2), CONVERSION_PAWN, 0}, {SQ('g', 2), DESTROYER, 0}, {SQ('h', 2), FLAME_PAWN, 0}, {SQ('h', 2), AAA, 0},
    {SQ('i', 2), STUN_PAWN, 0}, {SQ('j', 2), ROCKET_PAWN, 0},
};
enum { START_N = sizeof START_PIECES / sizeof START_PIECES[0] };

/* Black's reinforcements, by id from 57; White's from 67. */
static const start_piece START_REINFORCEMENTS[] = {
    {SQ('a', 8), TANK, RIGHT_HAND}, {SQ('b', 8), SUBMARINE, 0}, {SQ('c', 8), CLERIC, LEFT_HAND}, {SQ('d', 8), JET, 0},
    {SQ('e', 8), QUEEN, 0}, {SQ('f', 8), DOZER, 0}, {SQ('g', 8), JET, 0}, {SQ('h', 8), AAA, 0}, {SQ('i', 8), SUBMARINE, 0},
    {SQ('j', 8), DESTROYER, 0},
};
enum { REINFORCEMENTS_N = sizeof START_REINFORCEMENTS / sizeof START_REINFORCEMENTS[0] };

/* 4.2, rank by rank from the third to the eighth: slot 0, slot 1 of each square. */
/* clang-format off */
static const uint8_t START_ARTICLES[6][FILES][2] = {
    {{ANTI_STEALTH}, {TORPEDO_LAUNCHER}, {BICYCLE, SAM_LAUNCHER}, {JUMP_PACK}, {SCUBA}, {SCUBA}, {JUMP_PACK}, {BICYCLE, SAM_LAUNCHER}, {TORPEDO_LAUNCHER}, {STEALTH}},
    {{ANTI_TORPEDO}, {ANTI_STEALTH}, {SAM_LAUNCHER}, {ANTI_STUN}, {ANTI_FLAME}, {ANTI_ROCKET}, {ANTI_CONVERSION}, {SAM_LAUNCHER}, {ANTI_STEALTH}, {ANTI_TORPEDO}},
    {{TORPEDO_LAUNCHER}, {STEALTH}, {ANTI_SAM}, {STUN}, {XXX, FLAME}, {XXX, ROCKET_LAUNCHER}, {CONVERSION}, {ANTI_SAM}, {STEALTH}, {TORPEDO_LAUNCHER}},
    {{TORPEDO_LAUNCHER}, {STEALTH}, {ANTI_SAM}, {CONVERSION}, {XXX, ROCKET_LAUNCHER}, {XXX, FLAME}, {STUN}, {ANTI_SAM}, {STEALTH}, {TORPEDO_LAUNCHER}},
    {{ANTI_TORPEDO}, {ANTI_STEALTH}, {SAM_LAUNCHER}, {ANTI_CONVERSION}, {ANTI_ROCKET}, {ANTI_FLAME}, {ANTI_STUN}, {SAM_LAUNCHER}, {ANTI_STEALTH}, {ANTI_TORPEDO}},
    {{STEALTH}, {TORPEDO_LAUNCHER}, {BICYCLE, SAM_LAUNCHER}, {JUMP_PACK}, {SCUBA}, {SCUBA}, {JUMP_PACK}, {BICYCLE, SAM_LAUNCHER}, {TORPEDO_LAUNCHER}, {ANTI_STEALTH}},
};
/* clang-format on */
static const uint8_t EXTRA_XXX_SQUARES[] = {SQ('d', 4), SQ('g', 4), SQ('d', 7), SQ('g', 7)};

static int is_weapon(int32_t kind) { return wl_between(FLAME, kind, TORPEDO_LAUNCHER); }

static void start_articles(wec_state *state, const wec_setup *setup)
{
    for (int32_t square = SQ('a', 3); square <= SQ('j', 8); square++) {
        const uint8_t *standard = START_ARTICLES[rank_of(square) - 2][file_of(square)];
        heap *h = &state->loose[square];
        int32_t n = 0;
        for (int32_t i = 0; i < 2 && standard[i] != NO_ARTICLE; i++) {
            if (is_weapon(standard[i]) && OPT(setup, WEAPONS) == NONE_OF_THEM)
                continue;
            if (standard[i] == XXX && OPT(setup, XXX_BOXES) == NONE_OF_THEM)
                continue;
            h->kind[n++] = standard[i];
        }
        if (is_weapon(standard[0]) && standard[1] == NO_ARTICLE && OPT(setup, WEAPONS) == MORE_OF_THEM)
            h->kind[1] = standard[0];
    }
    for (size_t i = 0; i < sizeof EXTRA_XXX_SQUARES && OPT(setup, XXX_BOXES) == MORE_OF_THEM; i++) {
        heap *h = &state->loose[EXTRA_XXX_SQUARES[i]];
        h->kind[h->kind[0] != NO_ARTICLE] = XXX;
    }
}

static piece *start_piece_of(wec_state *state, const wec_setup *setup, const start_piece *s, int32_t seat, int32_t id,
                             int32_t level)
{
    piece *p = &state->pieces[state->n_pieces++];

    p->id = (uint16_t)id;
    p->seat = (uint8_t)seat;
    p->type = (uint8_t)under_government(setup, seat, s->type);
    p->square = (uint8_t)(seat == BLACK ? s->square : SQUARES - 1 - s->square);
    p->level = (uint8_t)level;
    p->hand = s->hand;
    return p;
}

static void start_reinforcements(wec_state *state, const wec_setup *setup)
{
    int32_t id = 2 * START_N;
    int32_t extra = 2 * START_N + 2 * REINFORCEMENTS_N;

    if (OPT(setup, REINFORCEMENTS) == NONE_OF_THEM)
        return;
    for (int32_t seat = BLACK; seat <= WHITE; seat++)
        for (int32_t i = 0; i < REINFORCEMENTS_N; i++) {
            const piece *p = start_piece_of(state, setup, &START_REINFORCEMENTS[i], seat, ++id, WAITING);
            wl_add(&state->activation[2 * seat], p->square);
        }
    for (int32_t seat = BLACK; seat <= WHITE && OPT(setup, REINFORCEMENTS) == MORE_OF_THEM; seat++)
        for (int32_t i = 0; i < REINFORCEMENTS_N; i++)
            if (START_REINFORCEMENTS[i].hand == NO_HAND)
                start_piece_of(state, setup, &START_REINFORCEMENTS[i], seat, ++extra, WAITING);
}

void wec_standard_start(const wec_setup *setup, wec_state *state)
{
    int32_t id = 0;
    int32_t locked[SEATS_N] = {0, 0};

    state->turn = 1;
    for (int32_t seat = BLACK; seat <= WHITE; seat++)
        for (int32_t i = 0; i < START_N; i++) {
            piece *p = start_piece_of(state, setup, &START_PIECES[i], seat, ++id, GROUND);
            if (is_pawn(p->type))
                p->marks = UNMOVED;
            if (p->type == STEALTH_PAWN)
                locked[seat] = state->n_pieces - 1;
        }
    if (OPT(setup, STEALTH_LOCK_ON))
        for (int32_t seat = BLACK; seat <= WHITE; seat++)
            state->pieces[locked[seat]].lock = state->pieces[locked[1 - seat]].id;
    start_articles(state, setup);
    start_reinforcements(state, setup);
}

/* ==== 10.5 Position ============================================================================================== */

enum { TURN_LIMIT = 1000000 };
enum { W_KIND, W_READY, W_LOCK, ARTICLE_WORDS };
enum { W_MISSILE, W_SEAT, W_SQUARE, W_DIRECTION, W_STRENGTH, W_TARGET, W_FRESH, PROJECTILE_WORDS };
enum { R_ID, R_SEAT, R_TYPE, R_SQUARE, R_HAND, REINFORCEMENT_WORDS };
enum { G_SEAT, G_TYPE, G_SQUARE, G_LEVEL, G_TURN, GHOST_WORDS };
enum { READY_WORDS = 7 };

typedef struct given_piece {
    wl_word id, seat, type, square, level, hand, unmoved, lock, stunned_until, revealed_until;
    wl_word ready[READY_WORDS];
    wl_word transport, to, path, n_articles, n_remaining;
    const wl_word *articles, *remaining;
} given_piece;

/* The Position's words, found but not judged. */
typedef struct position {
    wl_word turn, to_move, idle_turns, draw_offer, activation_given;
    wl_word moved, fires, pick_ups, drops, exchanges, reinforces, primary_lost[SEATS_N];
    wl_word n_vacated, n_marks, n_hits, n_activation[SEATS_N], n_ghosts, n_projectiles, n_reinforcements, n_heaps, n_pieces;
    const wl_word *vacated, *marks, *hits, *activation[SEATS_N], *ghosts, *projectiles, *reinforcements;
    wl_words heaps, pieces; /* cursors */
    int32_t n;
    given_piece piece[PIECES_MAX];
    uint64_t squares[SEATS_N * 2]; /* activation squares */
} position;

/* What is at fault in a Position: the row of PARTS in codecs/wec_explain.py, and the index in that list where it is one; behind
 * them, of a piece, why (PIECE_HAND ...). */
enum {
    PART_TURN, PART_TO_MOVE, PART_IDLE_TURNS, PART_DRAW_OFFER, PART_TURN_STATE, PART_ACTIVATION, PART_GHOSTS, PART_PROJECTILES,
    PART_REINFORCEMENTS, PART_ARTICLES, PART_PIECES, PART_MARKS, PART_HITS
};
enum { PIECE_OK, PIECE_HAND, PIECE_UNMOVED, PIECE_FALLS, PIECE_JOURNEY_LEVEL, PIECE_LOCK, PIECE_ARTICLE_LOCK, PIECE_READY };

/* ---- 1. Malformed ----------------------------------------------------------------------------------------------- */

static given_piece next_piece(wl_words *words)
{
    given_piece p;
    p.id = wl_next(words);
    p.seat = wl_next(words);
    p.type = wl_next(words);
    p.square = wl_next(words);
    p.level = wl_next(words);
    p.hand = wl_next(words);
    p.unmoved = wl_next(words);
    p.lock = wl_next(words);
    p.stunned_until = wl_next(words);
    p.revealed_until = wl_next(words);
    for (int32_t i = 0; i < READY_WORDS; i++)
        p.ready[i] = wl_next(words);
    p.transport = wl_next(words);
    p.to = wl_next(words);
    p.path = wl_next(words);
    p.n_articles = wl_next(words);
    p.articles = wl_next_list(words, p.n_articles, ARTICLE_WORDS);
    p.n_remaining = wl_next(words);
    p.remaining = wl_next_list(words, p.n_remaining, 1);
    return p;
}

typedef struct given_heap {
    wl_word square, n;
    const wl_word *articles;
} given_heap;

static given_heap next_heap(wl_words *words)
{
    given_heap h;
    h.square = wl_next(words);
    h.n = wl_next(words);
    h.articles = wl_next_list(words, h.n, ARTICLE_WORDS);
    return h;
}

static int absent_or(wl_word low, wl_word x, wl_word high) { return x == WL_WORD_ABSENT || wl_between(low, x, high); }
static int is_square(wl_word x) { return wl_between(0, x, SQUARES - 1); }

static int are_articles(const position *p, const wl_word *articles, wl_word n)
{
    for (wl_word i = 0; i < n; i++) {
        const wl_word *a = articles + i * ARTICLE_WORDS;
        if (!wl_between(FLAME, a[W_KIND], XXX) || !absent_or(0, a[W_READY], p->turn + HALF_TURNS_READY_MAX))
            return 0;
    }
    return 1;
}

static int is_piece(const position *p, const given_piece *g)
{
    if (!wl_between(1, g->id, ID_MAX) || !wl_between(BLACK, g->seat, WHITE) || !wl_between(ROCKET_PAWN, g->type, PRIME_MINISTER))
        return 0;
    if (!is_square(g->square) || !wl_between(GROUND, g->level, SUB) || !absent_or(LEFT_HAND, g->hand, RIGHT_HAND))
        return 0;
    if (!absent_or(0, g->unmoved, 1) || !absent_or(0, g->stunned_until, p->turn + HALF_TURNS_STUN_MAX))
        return 0;
    if (!absent_or(0, g->revealed_until, p->turn + 1) || !are_articles(p, g->articles, g->n_articles))
        return 0;
    for (int32_t i = 0; i < READY_WORDS; i++)
        if (!absent_or(0, g->ready[i], p->turn + HALF_TURNS_READY_MAX))
            return 0;
    for (wl_word i = 0; i < g->n_remaining; i++)
        if (!is_square(g->remaining[i]))
            return 0;
    if (g->transport == WL_WORD_ABSENT)
        return 1;
    return wl_between(BICYCLE, g->transport, SCUBA) && is_square(g->to) && wl_between(0, g->path, 2);
}

static int is_turn_state(const position *p)
{
    if (!absent_or(0, p->moved, 1) || !absent_or(0, p->fires, 2) || !absent_or(0, p->pick_ups, 1) || !absent_or(0, p->drops, 1))
        return 0;
    if (!absent_or(0, p->exchanges, 1) || !absent_or(0, p->reinforces, 1))
        return 0;
    for (int32_t seat = BLACK; seat <= WHITE; seat++)
        if (!absent_or(LOST_DESTROYED, p->primary_lost[seat], LOST_CONVERTED))
            return 0;
    for (wl_word i = 0; i < p->n_vacated; i++)
        if (!is_square(p->vacated[i]))
            return 0;
    for (wl_word i = 0; i < p->n_hits; i++)
        if (!wl_between(HIT_FLAME, p->hits[3 * i + 1], HIT_TORPEDO) || !wl_between(1, p->hits[3 * i + 2], 255))
            return 0;
    return 1;
}

/* Leaves a note on what is malformed, and says no. */
static int blamed(wl_words *notes, int32_t part, wl_word i)
{
    WL_BLAME(notes, WL_E_INVALID_POSITION, part, i);
    return 0;
}

static int are_lists(const position *p, wl_words *notes)
{
    wl_word ghosts[SEATS_N] = {0, 0};

    for (int32_t seat = BLACK; seat <= WHITE; seat++)
        for (wl_word i = 0; i < p->n_activation[seat]; i++)
            if (!is_square(p->activation[seat][i]) || (i > 0 && p->activation[seat][i] <= p->activation[seat][i - 1]))
                return blamed(notes, PART_ACTIVATION, 0);
    for (wl_word i = 0; i < p->n_ghosts; i++) {
        const wl_word *g = p->ghosts + i * GHOST_WORDS;
        if (!wl_between(BLACK, g[G_SEAT], WHITE) || !wl_between(ROCKET_PAWN, g[G_TYPE], PRIME_MINISTER) ||
            !is_square(g[G_SQUARE]))
            return blamed(notes, PART_GHOSTS, 0);
        if (!wl_between(GROUND, g[G_LEVEL], SUB) || !wl_between(1, g[G_TURN], p->turn) || ++ghosts[g[G_SEAT]] > GHOSTS_MAX)
            return blamed(notes, PART_GHOSTS, 0);
    }
    for (wl_word i = 0; i < p->n_projectiles; i++) {
        const wl_word *m = p->projectiles + i * PROJECTILE_WORDS;
        if (!wl_between(ROCKET, m[W_MISSILE], TORPEDO) || !wl_between(BLACK, m[W_SEAT], WHITE) || !is_square(m[W_SQUARE]))
            return blamed(notes, PART_PROJECTILES, i);
        if (!wl_between(0, m[W_DIRECTION], DIRECTIONS - 1) || !absent_or(0, m[W_FRESH], 1))
            return blamed(notes, PART_PROJECTILES, i);
    }
    for (wl_word i = 0; i < p->n_reinforcements; i++) {
        const wl_word *r = p->reinforcements + i * REINFORCEMENT_WORDS;
        if (!wl_between(1, r[R_ID], ID_MAX) || !wl_between(BLACK, r[R_SEAT], WHITE) ||
            !wl_between(ROCKET_PAWN, r[R_TYPE], PRIME_MINISTER))
            return blamed(notes, PART_REINFORCEMENTS, i);
        if (!is_square(r[R_SQUARE]) || !absent_or(LEFT_HAND, r[R_HAND], RIGHT_HAND))
            return blamed(notes, PART_REINFORCEMENTS, i);
    }
    return 1;
}

typedef WL_SET(ID_MAX + 1) id_set; /* of ids that have been met */

static int has_id(const id_set *ids, wl_word id) { return wl_between(1, id, ID_MAX) && WL_HAS(ids, (int32_t)id); }

/* The words up to the loose heaps, found but not judged. */
static void find_words(position *p, wl_words *words)
{
    p->turn = wl_or_else(wl_next(words), 1);
    p->to_move = wl_or_else(wl_next(words), BLACK);
    p->idle_turns = wl_or_else(wl_next(words), 0);
    p->draw_offer = wl_next(words);
    p->activation_given = wl_next(words);
    p->moved = wl_next(words);
    p->fires = wl_next(words);
    p->pick_ups = wl_next(words);
    p->drops = wl_next(words);
    p->exchanges = wl_next(words);
    p->reinforces = wl_next(words);
    for (int32_t seat = BLACK; seat <= WHITE; seat++)
        p->primary_lost[seat] = wl_next(words);
    p->n_vacated = wl_next(words);
    p->vacated = wl_next_list(words, p->n_vacated, 1);
    p->n_marks = wl_next(words);
    p->marks = wl_next_list(words, p->n_marks, 2);
    p->n_hits = wl_next(words);
    p->hits = wl_next_list(words, p->n_hits, 3);
    for (int32_t seat = BLACK; seat <= WHITE; seat++) {
        p->n_activation[seat] = wl_next(words);
        p->activation[seat] = wl_next_list(words, p->n_activation[seat], 1);
    }
    p->n_ghosts = wl_next(words);
    p->ghosts = wl_next_list(words, p->n_ghosts, GHOST_WORDS);
    p->n_projectiles = wl_next(words);
    p->projectiles = wl_next_list(words, p->n_projectiles, PROJECTILE_WORDS);
    p->n_reinforcements = wl_next(words);
    p->reinforcements = wl_next_list(words, p->n_reinforcements, REINFORCEMENT_WORDS);
    p->n_heaps = wl_next(words);
}

static int32_t read_position(position *p, wl_words *words)
{
    id_set ids = {{0}};
    wl_words cursor;

    memset(p, 0, sizeof *p);
    if (wl_next(words) != 0) /* the codec's verdict */
        return WL_E_INVALID_POSITION;
    find_words(p, words);
    if (words->overrun || p->n_heaps < 0)
        return WL_E_INVALID_POSITION;
    if (!wl_between(1, p->turn, TURN_LIMIT))
        return WL_BLAME(words, WL_E_INVALID_POSITION, PART_TURN, 0);
    if (!wl_between(BLACK, p->to_move, WHITE))
        return WL_BLAME(words, WL_E_INVALID_POSITION, PART_TO_MOVE, 0);
    if (!wl_between(0, p->idle_turns, 1))
        return WL_BLAME(words, WL_E_INVALID_POSITION, PART_IDLE_TURNS, 0);
    if (!absent_or(BLACK, p->draw_offer, WHITE))
        return WL_BLAME(words, WL_E_INVALID_POSITION, PART_DRAW_OFFER, 0);
    if (!is_turn_state(p))
        return WL_BLAME(words, WL_E_INVALID_POSITION, PART_TURN_STATE, 0);
    if (!are_lists(p, words))
        return WL_E_INVALID_POSITION;
    p->heaps = *words;
    for (wl_word i = 0; i < p->n_heaps && !words->overrun; i++) {
        const given_heap h = next_heap(words);
        if (words->overrun || !is_square(h.square) || !are_articles(p, h.articles, h.n))
            return WL_BLAME(words, WL_E_INVALID_POSITION, PART_ARTICLES, i);
    }
    p->n_pieces = wl_next(words);
    if (words->overrun || p->n_pieces < 0)
        return WL_E_INVALID_POSITION;
    p->pieces = cursor = *words;
    for (wl_word i = 0; i < p->n_pieces; i++) {
        const given_piece g = next_piece(&cursor);
        if (cursor.overrun || !is_piece(p, &g))
            return WL_BLAME(words, WL_E_INVALID_POSITION, PART_PIECES, i, PIECE_OK);
        WL_ADD(&ids, (int32_t)g.id);
    }
    for (wl_word i = 0; i < p->n_marks; i++)
        if (!has_id(&ids, p->marks[2 * i + 1]) || !wl_between(ACTED, p->marks[2 * i], TRAVELLED))
            return WL_BLAME(words, WL_E_INVALID_POSITION, PART_MARKS, p->marks[2 * i + 1]);
    for (wl_word i = 0; i < p->n_hits; i++)
        if (!has_id(&ids, p->hits[3 * i]))
            return WL_BLAME(words, WL_E_INVALID_POSITION, PART_HITS, p->hits[3 * i]);
    return WL_OK;
}

/* ---- 2. Ids, and how many --------------------------------------------------------------------------------------- */

static int32_t check_ids(position *p, wl_words *notes)
{
    id_set ids = {{0}};
    wl_words cursor = p->pieces;

    for (wl_word i = 0; i < p->n_pieces + p->n_reinforcements; i++) {
        const wl_word id = i < p->n_pieces ? next_piece(&cursor).id
                                           : p->reinforcements[(i - p->n_pieces) * REINFORCEMENT_WORDS + R_ID];
        if (has_id(&ids, id))
            return i < p->n_pieces ? WL_BLAME(notes, DUPLICATE_ID, PART_PIECES, i, PIECE_OK)
                                   : WL_BLAME(notes, DUPLICATE_ID, PART_REINFORCEMENTS, i - p->n_pieces);
        WL_ADD(&ids, (int32_t)id);
    }
    if (p->n_pieces + p->n_reinforcements > PIECES_MAX)
        return WL_BLAME(notes, TOO_MANY_PIECES, PART_PIECES, -1, PIECE_OK);
    cursor = p->pieces;
    for (p->n = 0; p->n < p->n_pieces; p->n++)
        p->piece[p->n] = next_piece(&cursor);
    return WL_OK;
}

/* ---- 3. and 4. Pieces and cells --------------------------------------------------------------------------------- */

static const given_piece *find_piece(const position *p, wl_word id)
{
    for (int32_t i = 0; i < p->n; i++)
        if (p->piece[i].id == id)
            return &p->piece[i];
    return NULL;
}

static int in_one_cell(const given_piece *a, const given_piece *b)
{
    return a != b && a->square == b->square && a->level == b->level;
}

static int is_kept_up(const position *p, const given_piece *g)
{
    if (is_native((int32_t)g->type, (int32_t)g->level))
        return 1;
    if (g->transport != WL_WORD_ABSENT && transport_level((int32_t)g->transport) == g->level)
        return 1;
    for (int32_t i = 0; i < p->n; i++) {
        const given_piece *q = &p->piece[i];
        if (in_one_cell(g, q) && q->seat == g->seat && carries_at((int32_t)q->type, (int32_t)g->level))
            return 1;
    }
    return 0;
}

/* A lock must be on an enemy piece of the board. */
static int is_lock(const position *p, const given_piece *g, wl_word target)
{
    const given_piece *q = find_piece(p, target);
    return q != NULL && q->seat != g->seat;
}

/* PIECE_OK, or what is wrong. */
static int32_t fault_of_piece(const position *p, const given_piece *g)
{
    const type_rule *rule = &TYPE[g->type];

    if ((g->hand != WL_WORD_ABSENT) != rule->handed)
        return PIECE_HAND;
    if (wl_or_else(g->unmoved, 0) && !is_pawn((int32_t)g->type))
        return PIECE_UNMOVED;
    if (!is_kept_up(p, g))
        return PIECE_FALLS;
    if (g->transport != WL_WORD_ABSENT && transport_level((int32_t)g->transport) != g->level)
        return PIECE_JOURNEY_LEVEL;
    if (g->lock != WL_WORD_ABSENT && (!(rule->inherent & A(ANTI_STEALTH)) || !is_lock(p, g, g->lock)))
        return PIECE_LOCK;
    for (wl_word i = 0; i < g->n_articles; i++) {
        const wl_word *a = g->articles + i * ARTICLE_WORDS;
        if (a[W_LOCK] != WL_WORD_ABSENT && (a[W_KIND] != ANTI_STEALTH || !is_lock(p, g, a[W_LOCK])))
            return PIECE_ARTICLE_LOCK;
    }
    for (int32_t i = 0; i < READY_WORDS; i++) {
        const int32_t kind = i < HIT_KINDS ? FLAME + i : LIMITED_ROCKET;
        if (g->ready[i] != WL_WORD_ABSENT && rule->weapon[0] != kind && rule->weapon[1] != kind)
            return PIECE_READY;
    }
    return PIECE_OK;
}

static int32_t check_pieces(const position *p, wl_words *notes)
{
    wl_words heaps = p->heaps;

    for (int32_t i = 0; i < p->n; i++)
        if (fault_of_piece(p, &p->piece[i]) != PIECE_OK)
            return WL_BLAME(notes, BAD_PIECE, PART_PIECES, i, fault_of_piece(p, &p->piece[i]));
    for (wl_word i = 0; i < p->n_heaps; i++) {
        const given_heap h = next_heap(&heaps);
        for (wl_word k = 0; k < h.n; k++)
            if (h.articles[k * ARTICLE_WORDS + W_LOCK] != WL_WORD_ABSENT)
                return WL_BLAME(notes, BAD_ARTICLE, PART_ARTICLES, i);
    }
    for (int32_t i = 0; i < p->n; i++) {
        int32_t others = 0;
        int coexisting = TYPE[p->piece[i].type].coexisting;
        for (int32_t k = 0; k < p->n; k++)
            if (in_one_cell(&p->piece[i], &p->piece[k])) {
                others++;
                coexisting |= TYPE[p->piece[k].type].coexisting;
            }
        if (others > 1 || (others == 1 && !coexisting))
            return WL_BLAME(notes, CELL_OVERFULL, PART_PIECES, i, PIECE_OK);
    }
    return WL_OK;
}

/* ---- 5. and 6. Articles ----------------------------------------------------------------------------------------- */

static uint32_t given_kinds(const given_piece *g)
{
    uint32_t kinds = 0;
    for (wl_word i = 0; i < g->n_articles; i++)
        kinds |= A((int32_t)g->articles[i * ARTICLE_WORDS + W_KIND]);
    return kinds;
}

static int is_good_journey(const given_piece *g)
{
    wl_word at = g->square;

    if (g->transport == WL_WORD_ABSENT)
        return 1;
    if (!(given_kinds(g) & A((int32_t)g->transport)) || g->n_remaining > STEPS_MAX)
        return 0;
    if (g->transport == BICYCLE && g->n_remaining == 0)
        return 0;
    for (wl_word i = 0; i < g->n_remaining; i++) {
        if (distance((int32_t)at, (int32_t)g->remaining[i]) != 1)
            return 0;
        at = g->remaining[i];
    }
    return at == g->to;
}

static int32_t check_articles(const position *p, wl_words *notes)
{
    wl_words heaps = p->heaps;
    set met = {{0, 0}};
    wl_word n = 0;

    for (int32_t i = 0; i < p->n; i++) {
        const given_piece *g = &p->piece[i];
        if (g->n_articles > capacity((int32_t)g->type, given_kinds(g)) || !is_good_journey(g))
            return WL_BLAME(notes, BAD_ARTICLE, PART_PIECES, i, PIECE_OK);
        n += g->n_articles;
    }
    for (wl_word i = 0; i < p->n_heaps; i++) {
        const given_heap h = next_heap(&heaps);
        if (!wl_between(1, h.n, 2) || WL_HAS(&met, (int32_t)h.square))
            return WL_BLAME(notes, BAD_ARTICLE, PART_ARTICLES, i);
        WL_ADD(&met, (int32_t)h.square);
        n += h.n;
    }
    return n > ARTICLES_MAX ? WL_BLAME(notes, TOO_MANY_ARTICLES, PART_PIECES, -1, PIECE_OK) : WL_OK;
}

/* ---- 7. to 9. --------------------------------------------------------------------------------------------------- */

static int is_good_projectile(const position *p, const wl_word *m)
{
    const given_piece *target = find_piece(p, m[W_TARGET]);

    if (m[W_TARGET] != WL_WORD_ABSENT) {
        if (target == NULL || target->seat == m[W_SEAT] || target->level != m[W_MISSILE] || m[W_MISSILE] == ROCKET)
            return 0;
    }
    if (!wl_between(1, wl_or_else(m[W_STRENGTH], 1), 3))
        return 0;
    for (int32_t i = 0; i < p->n; i++)
        if (p->piece[i].square == m[W_SQUARE] && p->piece[i].level == m[W_MISSILE])
            return 0;
    return 1;
}

static void find_activation(position *p)
{
    for (int32_t seat = BLACK; seat <= WHITE; seat++)
        for (wl_word i = 0; i < p->n_activation[seat]; i++)
            wl_add(&p->squares[2 * seat], (int32_t)p->activation[seat][i]);
    for (wl_word i = 0; i < p->n_reinforcements && !p->activation_given; i++) {
        const wl_word *r = p->reinforcements + i * REINFORCEMENT_WORDS;
        wl_add(&p->squares[2 * r[R_SEAT]], (int32_t)r[R_SQUARE]);
    }
}

static int is_good_reinforcement(const position *p, const wl_word *r)
{
    int32_t n = 0;
    int handed = 0;

    for (wl_word i = 0; i < p->n_reinforcements; i++) {
        const wl_word *q = p->reinforcements + i * REINFORCEMENT_WORDS;
        if (q[R_SEAT] != r[R_SEAT] || q[R_SQUARE] != r[R_SQUARE])
            continue;
        n++;
        handed |= TYPE[q[R_TYPE]].handed;
    }
    if (n > (handed ? 1 : 2) || (r[R_HAND] != WL_WORD_ABSENT) != TYPE[r[R_TYPE]].handed)
        return 0;
    return (int)(p->squares[2 * r[R_SEAT] + (r[R_SQUARE] >> 6)] >> (r[R_SQUARE] & 63) & 1);
}

static int32_t check_rest(position *p, wl_words *notes)
{
    int primaries[SEATS_N] = {0, 0};

    if (p->n_projectiles > PROJECTILES_MAX)
        return WL_BLAME(notes, BAD_PROJECTILE, PART_PROJECTILES, -1);
    for (wl_word i = 0; i < p->n_projectiles; i++)
        if (!is_good_projectile(p, p->projectiles + i * PROJECTILE_WORDS))
            return WL_BLAME(notes, BAD_PROJECTILE, PART_PROJECTILES, i);
    find_activation(p);
    for (wl_word i = 0; i < p->n_reinforcements; i++)
        if (!is_good_reinforcement(p, p->reinforcements + i * REINFORCEMENT_WORDS))
            return WL_BLAME(notes, BAD_REINFORCEMENT, PART_REINFORCEMENTS, i);
    for (int32_t i = 0; i < p->n; i++)
        primaries[p->piece[i].seat] |= is_primary((int32_t)p->piece[i].type);
    for (int32_t seat = BLACK; seat <= WHITE; seat++)
        if (!primaries[seat] && p->primary_lost[seat] == WL_WORD_ABSENT)
            return WL_BLAME(notes, MISSING_PRIMARY, PART_PIECES, -1, PIECE_OK, seat);
    return WL_OK;
}

static int32_t check_position(position *p, wl_words *words)
{
    int32_t error = read_position(p, words);

    if (error == WL_OK)
        error = check_ids(p, words);
    if (error == WL_OK)
        error = check_pieces(p, words);
    if (error == WL_OK)
        error = check_articles(p, words);
    return error != WL_OK ? error : check_rest(p, words);
}

/* ---- A checked Position becomes the state ----------------------------------------------------------------------- */

/* Half-turns from `turn` to this one; what is past is 0. */
static wl_word left_until(const position *p, wl_word half_turn)
{
    const wl_word until = wl_or_else(half_turn, 0);
    return until > p->turn ? until - p->turn : 0;
}

static uint32_t steps_of(const given_piece *g)
{
    uint32_t steps = (uint32_t)g->n_remaining << 28;
    int32_t at = (int32_t)g->square;

    for (int32_t i = 0; i < (int32_t)g->n_remaining; i++) {
        for (int32_t d = 0; d < DIRECTIONS; d++)
            if (neighbour(at, d) == g->remaining[i])
                steps |= (uint32_t)d << (3 * i);
        at = (int32_t)g->remaining[i];
    }
    return steps;
}

static piece piece_of(const position *p, const given_piece *g)
{
    piece out;

    memset(&out, 0, sizeof out);
    out.id = (uint16_t)g->id;
    out.seat = (uint8_t)g->seat;
    out.type = (uint8_t)g->type;
    out.square = (uint8_t)g->square;
    out.level = (uint8_t)g->level;
    out.hand = (uint8_t)wl_or_else(g->hand, NO_HAND);
    out.marks = wl_or_else(g->unmoved, 0) ? UNMOVED : 0;
    out.lock = (uint16_t)wl_or_else(g->lock, 0);
    out.stun = (uint16_t)left_until(p, g->stunned_until);
    out.revealed = (uint8_t)(wl_or_else(g->revealed_until, 0) >= p->turn ? wl_or_else(g->revealed_until, 0) - p->turn + 1 : 0);
    for (int32_t i = 0; i < READY_WORDS; i++)
        for (int32_t k = 0; k < 2; k++)
            if (TYPE[g->type].weapon[k] == (i < HIT_KINDS ? FLAME + i : LIMITED_ROCKET))
                out.ready[k] = (uint8_t)left_until(p, g->ready[i]);
    out.n_articles = (uint8_t)g->n_articles;
    for (int32_t i = 0; i < out.n_articles; i++) {
        const wl_word *a = g->articles + i * ARTICLE_WORDS;
        out.articles[i] = (article){(uint8_t)a[W_KIND], (uint8_t)left_until(p, a[W_READY]), (uint16_t)wl_or_else(a[W_LOCK], 0)};
    }
    note_kinds(&out);
    if (g->transport != WL_WORD_ABSENT) {
        out.transport = (uint8_t)g->transport;
        out.path = (uint8_t)g->path;
        out.steps = steps_of(g);
    }
    return out;
}

/* Among the others by ascending id. */
static void insert(wec_state *state, const piece *p)
{
    int32_t at = state->n_pieces++;
    for (; at > 0 && state->pieces[at - 1].id > p->id; at--)
        state->pieces[at] = state->pieces[at - 1];
    state->pieces[at] = *p;
}

static void insert_ghost(wec_state *state, const wl_word *w)
{
    const ghost g = {(uint32_t)w[G_TURN], (uint8_t)w[G_SQUARE], (uint8_t)w[G_LEVEL], (uint8_t)w[G_TYPE], 0};
    ghost *list = ghosts_of(state, (int32_t)w[G_SEAT]);
    int32_t at = state->n_ghosts[w[G_SEAT]]++;

    for (; at > 0; at--) { /* 10.3: by turn, square, level, type */
        const ghost *q = &list[at - 1];
        const int32_t cell = q->square * LEVELS + q->level - (g.square * LEVELS + g.level);
        if (q->turn < g.turn || (q->turn == g.turn && (cell < 0 || (cell == 0 && q->type <= g.type))))
            break;
        list[at] = *q;
    }
    list[at] = g;
}

static void start_turn_state(wec_state *state, const position *p)
{
    state->moved = (uint8_t)wl_or_else(p->moved, 0);
    state->fires = (uint8_t)wl_or_else(p->fires, 0);
    state->pick_ups = (uint8_t)wl_or_else(p->pick_ups, 0);
    state->drops = (uint8_t)wl_or_else(p->drops, 0);
    state->exchanges = (uint8_t)wl_or_else(p->exchanges, 0);
    state->reinforces = (uint8_t)wl_or_else(p->reinforces, 0);
    for (int32_t seat = BLACK; seat <= WHITE; seat++)
        state->primary_lost[seat] = (uint8_t)wl_or_else(p->primary_lost[seat], NOT_LOST);
    for (wl_word i = 0; i < p->n_vacated; i++)
        wl_add(state->vacated, (int32_t)p->vacated[i]);
    for (wl_word i = 0; i < p->n_marks; i++)
        state->pieces[place_of(state, (int32_t)p->marks[2 * i + 1])].marks |= (uint8_t)p->marks[2 * i];
    for (wl_word i = 0; i < p->n_hits; i++)
        state->pieces[place_of(state, (int32_t)p->hits[3 * i])].hits[p->hits[3 * i + 1]] = (uint8_t)p->hits[3 * i + 2];
}

static void position_start(wec_state *state, const position *p)
{
    wl_words heaps = p->heaps;

    state->turn = (uint32_t)p->turn;
    state->to_move = (uint8_t)p->to_move;
    state->idle_turns = (uint8_t)p->idle_turns;
    state->draw_offer = (uint8_t)(wl_or_else(p->draw_offer, -1) + 1);
    memcpy(state->activation, p->squares, sizeof p->squares);
    for (int32_t i = 0; i < p->n; i++) {
        const piece made = piece_of(p, &p->piece[i]);
        insert(state, &made);
    }
    for (wl_word i = 0; i < p->n_reinforcements; i++) {
        const wl_word *r = p->reinforcements + i * REINFORCEMENT_WORDS;
        piece made;
        memset(&made, 0, sizeof made);
        made.id = (uint16_t)r[R_ID];
        made.seat = (uint8_t)r[R_SEAT];
        made.type = (uint8_t)r[R_TYPE];
        made.square = (uint8_t)r[R_SQUARE];
        made.level = WAITING;
        made.hand = (uint8_t)wl_or_else(r[R_HAND], NO_HAND);
        insert(state, &made);
    }
    for (wl_word i = 0; i < p->n_heaps; i++) {
        const given_heap h = next_heap(&heaps);
        for (wl_word k = 0; k < h.n; k++) {
            state->loose[h.square].kind[k] = (uint8_t)h.articles[k * ARTICLE_WORDS + W_KIND];
            state->loose[h.square].ready[k] = (uint8_t)left_until(p, h.articles[k * ARTICLE_WORDS + W_READY]);
        }
    }
    for (wl_word i = 0; i < p->n_projectiles; i++) {
        const wl_word *m = p->projectiles + i * PROJECTILE_WORDS;
        state->projectiles[state->n_projectiles++] = (projectile){
            (uint8_t)m[W_MISSILE], (uint8_t)m[W_SEAT], (uint8_t)m[W_SQUARE], (uint8_t)m[W_DIRECTION],
            (uint8_t)wl_or_else(m[W_STRENGTH], 1), (uint8_t)wl_or_else(m[W_FRESH], 0), (uint16_t)wl_or_else(m[W_TARGET], 0)};
    }
    for (wl_word i = 0; i < p->n_ghosts; i++)
        insert_ghost(state, p->ghosts + i * GHOST_WORDS);
    start_turn_state(state, p);
}

/* ==== Entry points =============================================================================================== */

int32_t wec_check_options(wl_words *options, wl_words *position_words)
{
    wec_setup setup;
    position p;
    const int32_t error = read_options(&setup, options);

    if (error != WL_OK || position_words == NULL)
        return error;
    return check_position(&p, position_words);
}

int32_t wec_init(void *setup, void *state, wl_words *options, wl_words *position_words, wl_draws *draws, wl_event *event)
{
    position p;
    int32_t error = read_options(setup, options);

    (void)draws;
    (void)event; /* the start has no effects */
    if (error == WL_OK && position_words != NULL)
        error = check_position(&p, position_words);
    if (error != WL_OK)
        return error;
    if (position_words != NULL)
        position_start(state, &p);
    else
        wec_standard_start(setup, state);
    return WL_OK;
}

/* 6.5: three options made the initial position and stay as they are; a new government replaces its pieces. */
int32_t wec_reconfigure(void *setup_, void *state_, wl_words *options)
{
    wec_setup *setup = setup_;
    wec_state *state = state_;
    wec_setup changed;
    const int32_t error = read_options(&changed, options);

    if (error != WL_OK)
        return error;
    for (int32_t i = O_REINFORCEMENTS; i <= O_XXX_BOXES; i++)
        if (changed.option[i] != setup->option[i])
            return WL_E_INVALID_OPTIONS;
    for (int32_t i = 0; i < state->n_pieces; i++) {
        piece *p = &state->pieces[i];
        if (government_of(setup, p->seat) != government_of(&changed, p->seat))
            p->type = (uint8_t)under_government(&changed, p->seat, p->type);
    }
    *setup = changed;
    return WL_OK;
}

/* ==== Soundness ================================================================================================== */

int32_t wec_sound_setup(const void *setup_)
{
    const wec_setup *setup = setup_;

    for (int32_t i = 0; i < OPTIONS; i++)
        if (!WL_IN_RANGE(i, setup->option[i]))
            return 0;
    return 1;
}

/* A journey's squares are on the board, and it has none without a transport. */
static int is_sound_journey(const piece *p)
{
    int32_t at = p->square;
    uint32_t steps = p->steps;

    if (p->transport == NO_ARTICLE)
        return p->steps == 0 && p->path == 0;
    if (p->transport < BICYCLE || p->transport > SCUBA || p->path > 2 || steps_left(p) > STEPS_MAX)
        return 0;
    for (; steps >> 28 > 0 && at >= 0; steps = steps_after(steps))
        at = neighbour(at, (int32_t)(steps & 7));
    return at >= 0 && steps == 0;
}

static int is_sound_piece(const piece *p)
{
    uint32_t kinds = 0;

    if (p->seat > WHITE || p->type < ROCKET_PAWN || p->type > PRIME_MINISTER || p->square >= SQUARES || p->level > WAITING)
        return 0;
    if (p->hand > RIGHT_HAND || p->marks >= 2 * UNMOVED || p->revealed > REVEALED_TURNS || p->stun > HALF_TURNS_STUN_MAX)
        return 0;
    if (p->n_articles > CARRIED_MAX || !is_sound_journey(p))
        return 0;
    if (p->ready[0] > HALF_TURNS_READY_MAX || p->ready[1] > HALF_TURNS_READY_MAX)
        return 0;
    for (int32_t i = 0; i < p->n_articles; i++) {
        if (p->articles[i].kind < FLAME || p->articles[i].kind > XXX || p->articles[i].ready > HALF_TURNS_READY_MAX)
            return 0;
        kinds |= A(p->articles[i].kind);
    }
    return p->kinds == kinds;
}

static int are_squares(const uint64_t *w) { return w[1] >> (SQUARES - 64) == 0; }

static int is_sound_ghost(const ghost *g)
{
    return g->square < SQUARES && g->level <= SUB && g->type >= ROCKET_PAWN && g->type <= PRIME_MINISTER;
}

/* Pieces and loose articles: ids ascend, no cell holds three, and there are not too many articles. */
static int are_sound_pieces(const wec_state *state)
{
    uint8_t in_cell[CELLS] = {0};
    int32_t n_articles = 0;
    int32_t last = 0;

    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *p = &state->pieces[i];
        if (!is_sound_piece(p))
            return 0;
        if (!state->knower && p->id <= last)
            return 0;
        last = p->id;
        n_articles += p->n_articles;
        if (on_board(p) && ++in_cell[cell_of(p->square, p->level)] > 2)
            return 0;
    }
    for (int32_t i = 0; i < SQUARES; i++) {
        const heap *h = &state->loose[i];
        if (h->kind[0] > XXX || h->kind[1] > XXX || (h->kind[0] == NO_ARTICLE && h->kind[1] != NO_ARTICLE))
            return 0;
        if (h->ready[0] > HALF_TURNS_READY_MAX || h->ready[1] > HALF_TURNS_READY_MAX)
            return 0;
        n_articles += (h->kind[0] != NO_ARTICLE) + (h->kind[1] != NO_ARTICLE);
    }
    return n_articles <= ARTICLES_MAX;
}

static int are_sound_projectiles(const wec_state *state)
{
    for (int32_t i = 0; i < state->n_projectiles; i++) {
        const projectile *m = &state->projectiles[i];
        if (m->kind > TORPEDO || m->seat > WHITE || m->square >= SQUARES || m->direction >= DIRECTIONS || m->fresh > 1)
            return 0;
        if (m->strength < 1 || m->strength > 3)
            return 0;
    }
    return 1;
}

static int are_sound_ghosts(const wec_state *state)
{
    for (int32_t seat = BLACK; seat <= WHITE; seat++) {
        const ghost *list = seat == BLACK ? state->black_ghosts : state->white_ghosts;
        if (state->n_ghosts[seat] > GHOSTS_MAX)
            return 0;
        for (int32_t i = 0; i < state->n_ghosts[seat]; i++)
            if (!is_sound_ghost(&list[i]))
                return 0;
    }
    return 1;
}

int32_t wec_sound_state(const void *setup, const void *state_)
{
    const wec_state *state = state_;

    (void)setup;
    if (state->turn < 1 || state->turn > TURN_MAX || state->to_move > WHITE || state->over > 1 || state->reason >= REASONS_N)
        return 0;
    if (state->winners > 3 || state->knower > 1 || state->idle_turns > 2 || state->draw_offer > SEATS_N)
        return 0;
    if (state->moved > 1 || state->fires > 2 || state->pick_ups > 1 || state->drops > 1 || state->exchanges > 1)
        return 0;
    if (state->reinforces > 1 || state->primary_lost[BLACK] > LOST_CONVERTED || state->primary_lost[WHITE] > LOST_CONVERTED)
        return 0;
    if (!are_squares(state->activation) || !are_squares(state->activation + 2) || !are_squares(state->vacated))
        return 0;
    if (state->n_pieces > PIECES_MAX || state->n_projectiles > PROJECTILES_MAX)
        return 0;
    return are_sound_pieces(state) && are_sound_projectiles(state) && are_sound_ghosts(state);
}
