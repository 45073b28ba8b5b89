/* wec.c: Weaponized Chess, by the rule book warlog_core/rules/wec.md. Section numbers are the book's. Entry points: wec_check
 * (is an action legal?), wec_apply, wec_observe (what each seat sees) and the others of the table WEC at the end (WL_PARTS of
 * ../game.h); what they use stands above them.
 *
 * Option words:   verdict (1: malformed), then 39 words in the order of table 4.4 (booleans 0 or 1).
 * Position words: see wec_position.c.
 * Action fields:  move       piece, to, level, carry or WL_ABSENT
 *                 doze       piece, n, four squares (0 past the n-th), direction
 *                 fire       piece, weapon, direction, target, to, path; those that its form lacks are WL_ABSENT
 *                 pick_up    piece, article          drop       piece, article
 *                 exchange   from, to, article, for or WL_ABSENT
 *                 reinforce  piece                   timeout    seat
 * A doze of more than four squares is never legal; the codec says n and the first four. An unknown square among any number stands
 * in the first place.
 */
#include "wec.h"
#include "wec_paths.h"

/* ==== Layouts ==================================================================================================== */

/* What a viewer may know: the same state, and what is derived. Countdowns of this state are twice the number shown. */
typedef struct wec_view {
    int32_t viewer;
    uint32_t to_act;
    wec_state state;
} wec_view;

static const wl_field SETUP_FIELDS[] = {WL_ARRAY(wec_setup, option), WL_FIELDS_END};

static const wl_field ARTICLE_FIELDS[] = {
    WL_FIELD(article, kind), WL_FIELD(article, ready), WL_FIELD(article, lock), WL_FIELDS_END,
};

static const wl_field PIECE_FIELDS[] = {
    WL_FIELD(piece, steps),     WL_FIELD(piece, kinds),  WL_FIELD(piece, id),     WL_FIELD(piece, lock),  WL_FIELD(piece, stun),
    WL_FIELD(piece, seat),      WL_FIELD(piece, type),   WL_FIELD(piece, square), WL_FIELD(piece, level),
    WL_FIELD(piece, hand),      WL_FIELD(piece, marks),  WL_FIELD(piece, revealed), WL_ARRAY(piece, ready),
    WL_FIELD(piece, transport), WL_FIELD(piece, path),   WL_ARRAY(piece, hits),  WL_FIELD(piece, n_articles),
    WL_ROWS(piece, articles, n_articles, ARTICLE_FIELDS), WL_FIELDS_END,
};

static const wl_field HEAP_FIELDS[] = {WL_ARRAY(heap, kind), WL_ARRAY(heap, ready), WL_FIELDS_END};

static const wl_field PROJECTILE_FIELDS[] = {
    WL_FIELD(projectile, kind),      WL_FIELD(projectile, seat),     WL_FIELD(projectile, square),
    WL_FIELD(projectile, direction), WL_FIELD(projectile, strength), WL_FIELD(projectile, fresh),
    WL_FIELD(projectile, target),    WL_FIELDS_END,
};

static const wl_field GHOST_FIELDS[] = {
    WL_FIELD(ghost, turn), WL_FIELD(ghost, square), WL_FIELD(ghost, level), WL_FIELD(ghost, type), WL_FIELDS_END,
};

/* Two counters side by side: each list of ghosts has the one of its seat. */
#define GHOST_ROWS(list, seat)                                                                                        \
    {#list, offsetof(wec_state, list), sizeof(ghost), GHOSTS_MAX, 0, 1, offsetof(wec_state, n_ghosts) + (seat), GHOST_FIELDS}

static const wl_field STATE_LAYOUT[] = {
    WL_ARRAY(wec_state, activation),
    WL_ARRAY(wec_state, vacated),
    WL_FIELD(wec_state, turn),
    WL_FIELD(wec_state, to_move),
    WL_FIELD(wec_state, over),
    WL_FIELD(wec_state, reason),
    WL_FIELD(wec_state, winners),
    WL_FIELD(wec_state, knower),
    WL_FIELD(wec_state, idle_turns),
    WL_FIELD(wec_state, draw_offer),
    WL_FIELD(wec_state, moved),
    WL_FIELD(wec_state, fires),
    WL_FIELD(wec_state, pick_ups),
    WL_FIELD(wec_state, drops),
    WL_FIELD(wec_state, exchanges),
    WL_FIELD(wec_state, reinforces),
    WL_ARRAY(wec_state, primary_lost),
    WL_FIELD(wec_state, n_pieces),
    WL_FIELD(wec_state, n_projectiles),
    WL_ARRAY(wec_state, n_ghosts),
    WL_ALL_ROWS(wec_state, loose, HEAP_FIELDS),
    WL_ROWS(wec_state, pieces, n_pieces, PIECE_FIELDS),
    WL_ROWS(wec_state, projectiles, n_projectiles, PROJECTILE_FIELDS),
    GHOST_ROWS(black_ghosts, BLACK),
    GHOST_ROWS(white_ghosts, WHITE),
    WL_FIELDS_END,
};

static const wl_field VIEW_LAYOUT[] = {
    WL_FIELD(wec_view, viewer),
    WL_FIELD(wec_view, to_act),
    WL_FIELDS_END,
};

/* ==== Names ====================================================================================================== */

static const char *const SEATS[] = {"black", "white", NULL};
static const char *const PHASES[] = {"play", "over", NULL};
static const char *const REASONS[] = {"primary_destroyed", "primary_converted", "resigned", "timeout",
                                      "draw_agreed",       "no_moves",          NULL};

WL_ACTION_TYPES(ACTION_ROWS);

static int32_t weapon_kind(int32_t weapon)
{
    if (weapon < W_LIMITED_ROCKET)
        return FLAME + weapon;
    return weapon == W_LIMITED_ROCKET ? LIMITED_ROCKET : BICYCLE + weapon - W_BICYCLE;
}
/* Which weapons these abilities are: bits in the order of weapons. */
static uint32_t weapons_of(uint32_t able)
{
    return (able >> FLAME & 0x3f) | (able >> LIMITED_ROCKET & 1) << W_LIMITED_ROCKET | (able >> BICYCLE & 7) << W_BICYCLE;
}
static int is_launcher(int32_t kind) { return kind >= ROCKET_LAUNCHER && kind <= TORPEDO_LAUNCHER; }
static int is_transport(int32_t kind) { return kind >= BICYCLE && kind <= SCUBA; }

/* Effects (10.4): X(constant, name, field ...). */
#define A_PIECE WL_SEAT(seat), WL_OF(type, piece_type), WL_MAYBE(piece, piece)
#define A_PROJECTILE                                                                                                  \
    WL_OF(projectile, kind), WL_SEAT(seat), WL_SPACE(at), WL_OF(level, level), WL_OF(direction, direction), WL_NUMBER(strength)
#define EFFECT_ROWS(X)                                                                                                \
    X(E_MOVED, moved, A_PIECE, WL_SPACE(from), WL_OF(level, from_level), WL_SPACE(to), WL_OF(level, to_level),        \
      WL_OF(move_cause, cause))                                                                                       \
    X(E_VANISHED, vanished, WL_SEAT(seat), WL_OF(type, piece_type), WL_SPACE(at), WL_OF(level, level))                \
    X(E_APPEARED, appeared, WL_SEAT(seat), WL_OF(type, piece_type), WL_SPACE(at), WL_OF(level, level))                \
    X(E_BUMPED, bumped, WL_SPACE(at), WL_OF(level, level))                                                            \
    X(E_DESTROYED, destroyed, A_PIECE, WL_SPACE(at), WL_OF(level, level), WL_OF(loss_cause, cause))                   \
    X(E_STUNNED, stunned, A_PIECE, WL_SPACE(at), WL_OF(level, level), WL_NUMBER(stun))                                \
    X(E_CONVERTED, converted, A_PIECE, WL_SPACE(at), WL_OF(level, level), WL_SEAT(to_seat))                           \
    X(E_FIRED, fired, A_PIECE, WL_SPACE(at), WL_OF(level, level), WL_OF(weapon, weapon), WL_NUMBER(strength),         \
      WL_MAYBE(direction, direction), WL_MAYBE(space, target), WL_MAYBE(space, to), WL_MAYBE(path, path))             \
    X(E_PROJECTILE_CREATED, projectile_created, A_PROJECTILE)                                                         \
    X(E_PROJECTILE_MOVED, projectile_moved, A_PROJECTILE)                                                             \
    X(E_PROJECTILE_HIT, projectile_hit, A_PROJECTILE)                                                                 \
    X(E_PROJECTILE_LEFT, projectile_left, A_PROJECTILE)                                                               \
    X(E_ARTICLE_LANDED, article_landed, WL_SPACE(at), WL_OF(article, article))                                        \
    X(E_ARTICLE_GONE, article_gone, WL_SPACE(at), WL_OF(article, article))                                            \
    X(E_PICKED_UP, picked_up, A_PIECE, WL_SPACE(at), WL_OF(article, article))                                         \
    X(E_DROPPED, dropped, A_PIECE, WL_SPACE(at), WL_OF(article, article))                                             \
    X(E_EXCHANGED, exchanged, WL_SEAT(seat), WL_OF(article, article), WL_MAYBE(article, for), WL_SPACE(from_at),      \
      WL_SPACE(to_at), WL_MAYBE(piece, from), WL_MAYBE(piece, to))                                                    \
    X(E_LOCKED, locked, WL_PIECE(piece), WL_SPACE(at), WL_OF(level, level))                                           \
    X(E_REINFORCED, reinforced, A_PIECE, WL_SPACE(at))                                                                \
    X(E_JOURNEY_STARTED, journey_started, A_PIECE, WL_SPACE(at), WL_OF(level, level), WL_OF(transport, article))      \
    X(E_JOURNEY_ENDED, journey_ended, A_PIECE, WL_SPACE(at), WL_OF(level, level), WL_OF(transport, article))          \
    X(E_CRASHED, crashed, A_PIECE, WL_SPACE(at), WL_OF(level, level), WL_OF(transport, article))                      \
    X(E_PRIMARY_LOST, primary_lost, WL_SEAT(seat))                                                                    \
    X(E_DRAW_OFFERED, draw_offered, WL_SEAT(seat))                                                                    \
    X(E_DRAW_DECLINED, draw_declined, WL_SEAT(seat))                                                                  \
    X(E_TURN_ENDED, turn_ended, WL_SEAT(seat), WL_NUMBER(turn))                                                       \
    X(E_MATCH_ENDED, match_ended, WL_OF(result, result))
WL_EFFECTS(EFFECT_ROWS);
enum { BY_MOVE, BY_CARRY, BY_DOZE, BY_JOURNEY, BY_FALL };                                      /* causes of `moved` */
enum { OF_TAKING, OF_FLAME, OF_ROCKET, OF_SAM, OF_TORPEDO, OF_STUN, OF_CONVERSION, OF_CRASH }; /* causes of `destroyed` */
enum { NOBODY = -1 };                                                                          /* "caused by" */

static const char *const ERROR_NAMES[] = WL_ERROR_NAMES(WEC_ERRORS);

/* ==== 2. Piece order ============================================================================================= */

/* 5: what is displayed of so many half-turns left, to whom they belong being to act or not. */
static int32_t own_turns(const wec_state *state, int32_t seat, int32_t half_turns)
{
    return (half_turns + (seat == state->to_move)) / 2;
}

/* Below 0 when `a` comes before `b` (section 2). Only what shows is compared, and the id last of all (R77). */
static int32_t in_piece_order(const wec_state *state, const piece *a, const piece *b)
{
    int32_t difference = a->square - b->square;

    if (difference == 0)
        difference = a->level - b->level;
    if (difference == 0)
        difference = a->seat - b->seat;
    if (difference == 0)
        difference = a->type - b->type;
    if (difference == 0)
        difference = a->hand - b->hand;
    for (int32_t i = 0; difference == 0 && (i < a->n_articles || i < b->n_articles); i++)
        difference = (i < a->n_articles ? a->articles[i].kind : 0) - (i < b->n_articles ? b->articles[i].kind : 0);
    for (int32_t i = 0; difference == 0 && i < a->n_articles; i++)
        difference = own_turns(state, a->seat, a->articles[i].ready) - own_turns(state, b->seat, b->articles[i].ready);
    for (int32_t i = 0; difference == 0 && i < 2; i++)
        difference = own_turns(state, a->seat, a->ready[i]) - own_turns(state, b->seat, b->ready[i]);
    if (difference == 0)
        difference = own_turns(state, a->seat, a->stun) - own_turns(state, b->seat, b->stun);
    if (difference == 0)
        difference = (a->marks & UNMOVED) - (b->marks & UNMOVED);
    if (difference == 0)
        difference = a->transport - b->transport;
    return difference != 0 ? difference : a->id - b->id;
}

/* A list of places in `pieces`. */
typedef struct places {
    int32_t n;
    uint8_t at[PIECES_MAX];
} places;

static void sort_places(const wec_state *state, places *list)
{
    for (int32_t i = 1; i < list->n; i++) {
        const uint8_t place = list->at[i];
        int32_t k = i;
        for (; k > 0 && in_piece_order(state, &state->pieces[place], &state->pieces[list->at[k - 1]]) < 0; k--)
            list->at[k] = list->at[k - 1];
        list->at[k] = place;
    }
}

/* ==== 8.1 Seen =================================================================================================== */

/* Stealth that works: the option is on, the bearer is no primary (or king_stealth). */
static int is_stealthy(const wec_setup *setup, const piece *p)
{
    return OPT(setup, STEALTH) && (abilities(p) & A(STEALTH)) && (!is_primary(p->type) || OPT(setup, KING_STEALTH));
}

/* A seat's means to see what is hidden: made when the first hidden piece asks for it, for most boards hide few. */
typedef struct watch {
    int32_t made, n_locks, n_detectors, n_listeners;
    uint16_t locks[PIECES_MAX * (1 + CARRIED_MAX)]; /* ids that an anti_stealth is locked on */
    uint8_t detectors[PIECES_MAX];                  /* squares of pieces with anti_stealth, where it sees by range */
    uint8_t listeners[PIECES_MAX];                  /* squares of pieces with a torpedo launcher */
} watch;

enum { WATCHERS = A(ANTI_STEALTH) | A(TORPEDO_LAUNCHER) };

static void open_watch(watch *w) { w->made = 1, w->n_locks = w->n_detectors = w->n_listeners = 0; }

/* A piece of the watching seat, on the board. */
static void add_watcher(watch *w, const wec_setup *setup, const piece *q)
{
    if (abilities(q) & A(TORPEDO_LAUNCHER))
        w->listeners[w->n_listeners++] = q->square;
    if ((abilities(q) & A(ANTI_STEALTH)) == 0)
        return;
    if (OPT(setup, STEALTH_RANGE_DETECTION))
        w->detectors[w->n_detectors++] = q->square;
    if (!OPT(setup, STEALTH_LOCK_ON))
        return;
    w->locks[w->n_locks] = q->lock;
    w->n_locks += q->lock != 0;
    for (int32_t k = 0; k < q->n_articles; k++) {
        w->locks[w->n_locks] = q->articles[k].lock;
        w->n_locks += q->articles[k].lock != 0;
    }
}

static void make_watch(watch *w, const wec_setup *setup, const wec_state *state, int32_t viewer)
{
    open_watch(w);
    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *q = &state->pieces[i];
        if (q->seat == viewer && (abilities(q) & WATCHERS) && on_board(q))
            add_watcher(w, setup, q);
    }
}

static int defeats_stealth(const watch *w, const wec_setup *setup, const piece *p)
{
    for (int32_t i = 0; i < w->n_locks; i++)
        if (w->locks[i] == p->id)
            return 1;
    for (int32_t i = 0; i < w->n_detectors; i++)
        if (distance(w->detectors[i], p->square) <= OPT(setup, STEALTH_DETECTION_RANGE))
            return 1;
    return 0;
}

static int detects_below(const watch *w, const wec_setup *setup, const piece *p)
{
    for (int32_t i = 0; i < w->n_listeners; i++)
        if (distance(w->listeners[i], p->square) <= OPT(setup, SUBMERSION_DETECTION_RANGE))
            return 1;
    return 0;
}

static int is_concealed(watch *w, const wec_setup *setup, const wec_state *state, int32_t viewer, const piece *p)
{
    const int stealthy = is_stealthy(setup, p);

    if (!stealthy && p->level != SUB)
        return 0;
    if (!w->made)
        make_watch(w, setup, state, viewer);
    if (p->level == SUB) {
        const int below = OPT(setup, SUBMERSION) && !detects_below(w, setup, p);
        if (below || OPT(setup, DOMINANCE) == DOMINANCE_SUBMERSION)
            return below;
    }
    return stealthy && !defeats_stealth(w, setup, p);
}

/* What neither stealth nor water covers, and what has been revealed, everybody sees. */
static int may_be_hidden(const piece *p) { return (p->level == SUB || (abilities(p) & A(STEALTH))) && !p->revealed; }

/* Does this seat see the piece, which is on the board? */
static int sees(const wec_setup *setup, const wec_state *state, int32_t viewer, const piece *p)
{
    watch w;

    if (p->seat == viewer || !may_be_hidden(p) || state->over || state->knower)
        return 1;
    w.made = 0;
    return !is_concealed(&w, setup, state, viewer, p);
}

/* The same as `sees` for each piece and seat, in one pass. */
void wec_unseen(const wec_setup *setup, const wec_state *state, set hidden[SEATS_N])
{
    watch by[SEATS_N];
    places doubtful;

    memset(hidden, 0, SEATS_N * sizeof hidden[0]);
    if (state->over || state->knower)
        return;
    open_watch(&by[BLACK]);
    open_watch(&by[WHITE]);
    doubtful.n = 0;
    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *p = &state->pieces[i];
        if (!on_board(p))
            continue;
        if (abilities(p) & WATCHERS)
            add_watcher(&by[p->seat], setup, p);
        if (may_be_hidden(p))
            doubtful.at[doubtful.n++] = (uint8_t)i;
    }
    for (int32_t i = 0; i < doubtful.n; i++) {
        const piece *p = &state->pieces[doubtful.at[i]];
        if (is_concealed(&by[1 - p->seat], setup, state, 1 - p->seat, p))
            WL_ADD(&hidden[1 - p->seat], doubtful.at[i]);
    }
}

/* ==== The board as somebody sees it ============================================================================== */

enum { EMPTY = 0xff };
typedef struct board {
    uint8_t at[CELLS][2]; /* places in `pieces`; one alone stands first */
} board;

static void clear_board(board *b) { memset(b, EMPTY, sizeof *b); }

static void put_on(board *b, const piece *p, int32_t place)
{
    uint8_t *at = b->at[cell_of(p->square, p->level)];
    assert(at[1] == EMPTY);
    at[at[0] != EMPTY] = (uint8_t)place;
}

/* A piece that is being taken has left the board already, to make room for its taker. */
static void take_off(board *b, const piece *p, int32_t place)
{
    uint8_t *at = b->at[cell_of(p->square, p->level)];
    if (at[0] == place) {
        at[0] = at[1];
        at[1] = EMPTY;
    } else if (at[1] == place)
        at[1] = EMPTY;
}

/* The pieces of a cell, in piece order. */
static places pieces_in(const wec_state *state, const board *b, int32_t cell)
{
    places list;
    list.n = 0;
    for (int32_t k = 0; k < 2 && b->at[cell][k] != EMPTY; k++)
        list.at[list.n++] = b->at[cell][k];
    if (list.n == 2 && in_piece_order(state, &state->pieces[list.at[0]], &state->pieces[list.at[1]]) > 0) {
        list.at[0] = b->at[cell][1];
        list.at[1] = b->at[cell][0];
    }
    return list;
}

/* Can this seat name the piece? In what somebody else knows (a view's state) it has no id, and cannot act. */
static int is_own(const piece *p, int32_t seat) { return p->seat == seat && p->id != 0 && on_board(p); }

/* What the acting seat goes by: its own pieces and those it sees. Sets of squares by level. */
typedef struct sight {
    const wec_setup *setup;
    const wec_state *state;
    int32_t seat;
    board board;
    set occupied[LEVELS]; /* not clear as seen */
    set own[LEVELS], enemy[LEVELS];
    set enterable[LEVELS][2]; /* as seen, by a piece that is not coexisting, or is */
    set takeable[LEVELS];
} sight;

static void look(sight *s, const wec_setup *setup, const wec_state *state, int32_t seat)
{
    const int all = state->over || state->knower;
    set two[LEVELS], coexisting[LEVELS];
    places doubtful;
    watch w;

    s->setup = setup;
    s->state = state;
    s->seat = seat;
    clear_board(&s->board);
    memset(s->own, 0, sizeof s->own);
    memset(s->enemy, 0, sizeof s->enemy);
    memset(two, 0, sizeof two);
    memset(coexisting, 0, sizeof coexisting);
    open_watch(&w);
    doubtful.n = 0;
    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *p = &state->pieces[i];
        if (!on_board(p))
            continue;
        if (p->seat != seat) {
            if (may_be_hidden(p) && !all) {
                doubtful.at[doubtful.n++] = (uint8_t)i;
                continue;
            }
            WL_ADD(&s->enemy[p->level], p->square);
        } else {
            if (abilities(p) & WATCHERS)
                add_watcher(&w, setup, p);
            WL_ADD(WL_HAS(&s->own[p->level], p->square) ? &two[p->level] : &s->own[p->level], p->square);
            if (TYPE[p->type].coexisting)
                WL_ADD(&coexisting[p->level], p->square);
        }
        put_on(&s->board, p, i);
    }
    for (int32_t i = 0; i < doubtful.n; i++) {
        const piece *p = &state->pieces[doubtful.at[i]];
        if (is_concealed(&w, setup, state, seat, p))
            continue;
        WL_ADD(&s->enemy[p->level], p->square);
        put_on(&s->board, p, doubtful.at[i]);
    }
    for (int32_t l = 0; l < LEVELS; l++)
        for (int32_t k = 0; k < 2; k++) {
            const uint64_t single = s->own[l].word[k] & ~two[l].word[k];
            const uint64_t free = ~s->own[l].word[k];
            s->occupied[l].word[k] = s->own[l].word[k] | s->enemy[l].word[k];
            s->takeable[l].word[k] = s->enemy[l].word[k] & ~s->own[l].word[k];
            s->enterable[l][0].word[k] = (free | (single & coexisting[l].word[k])) & ~s->enemy[l].word[k];
            s->enterable[l][1].word[k] = (free | single) & ~s->enemy[l].word[k];
        }
}

/* The other own piece in this piece's cell, or -1. */
static int32_t companion_of(const sight *s, const piece *p, int32_t place)
{
    const uint8_t *at = s->board.at[cell_of(p->square, p->level)];
    for (int32_t k = 0; k < 2; k++)
        if (at[k] != EMPTY && at[k] != place && is_own(&s->state->pieces[at[k]], p->seat))
            return at[k];
    return -1;
}

/* The squares at most so far away. */
static set near(int32_t square, int32_t range)
{
    const int32_t r = rank_of(square);
    const int32_t f = file_of(square);
    const int32_t first = f > range ? f - range : 0;
    const int32_t last = f + range < FILES - 1 ? f + range : FILES - 1;
    const uint64_t row = (((uint64_t)2 << last) - 1) & ~(((uint64_t)1 << first) - 1);
    set squares = {{0, 0}};

    for (int32_t rank = r > range ? r - range : 0; rank < FILES && rank <= r + range; rank++) {
        const int32_t at = rank * FILES;
        if (at < 64)
            squares.word[0] |= row << at;
        if (at + FILES > 64)
            squares.word[1] |= at < 64 ? row >> (64 - at) : row << (at - 64);
    }
    return squares;
}

/* ==== 3.3 Movement on the board ================================================================================== */

/* The cells of a Move in order, the last being the destination; the first `n_combat` of them are combat steps. */
typedef struct route {
    int32_t n, n_combat;
    int16_t cell[ARM_CELLS + 2];
} route;

/* A search for destinations: all of them, or the way to one. */
typedef struct search {
    const sight *s;
    const piece *p;
    int32_t coexisting; /* 1 if the piece is of a coexisting type */
    set found[LEVELS];
    int32_t wanted; /* a cell, or -1: all */
    route *way;     /* to it */
} search;

/* Is this cell a destination, and the one that was looked for? */
static inline int arrives(search *f, int32_t square, int32_t level, int may_enter, int may_take)
{
    if (!(may_enter && WL_HAS(&f->s->enterable[level][f->coexisting], square)) &&
        !(may_take && WL_HAS(&f->s->takeable[level], square)))
        return 0;
    WL_ADD(&f->found[level], square);
    return cell_of(square, level) == f->wanted;
}

static int finish(search *f, int32_t n, int32_t n_combat)
{
    f->way->n = n;
    f->way->n_combat = n_combat;
    return 1;
}

/* One arm on the piece's own level: every cell is a destination, and every piece seen ends it. */
static int walk_arm(search *f, const offset *cells, int32_t n, int32_t n_combat)
{
    const int32_t level = f->p->level;
    const int32_t rank = rank_of(f->p->square);
    const int32_t file = file_of(f->p->square);

    for (int32_t i = 0; i < n; i++) {
        const uint32_t r = (uint32_t)(rank + cells[i].dr);
        const uint32_t c = (uint32_t)(file + cells[i].dc);
        const int32_t square = (int32_t)(r * FILES + c);
        if (r >= FILES || c >= FILES)
            return 0;
        if (f->way != NULL)
            f->way->cell[i] = (int16_t)cell_of(square, level);
        if (arrives(f, square, level, 1, i < n_combat))
            return finish(f, i + 1, n_combat);
        if (WL_HAS(&f->s->occupied[level], square))
            return 0;
    }
    return 0;
}

static int walk_arms(search *f, const offset arms[ARMS][ARM_CELLS], int32_t range)
{
    for (int32_t i = 0; i < ARMS; i++)
        if (walk_arm(f, arms[i], range, range))
            return 1;
    return 0;
}

/* The left and right tank arms, then the left and right cleric arms. */
static int walk_secondary(search *f)
{
    const wec_setup *setup = f->s->setup;
    const int32_t movement = OPT(setup, MOVEMENT);

    for (int32_t hand = LEFT; hand <= RIGHT; hand++)
        if (walk_arms(f, TANK_ARMS[movement][hand], OPT(setup, QUEEN_TANK_RANGE)))
            return 1;
    for (int32_t hand = LEFT; hand <= RIGHT; hand++)
        if (walk_arms(f, CLERIC_ARMS[movement][hand], OPT(setup, QUEEN_CLERIC_RANGE)))
            return 1;
    return 0;
}

/* One cell in any of eight directions: all at once, for nothing can be in the way. */
static int step_anywhere(search *f, int32_t combat)
{
    const int32_t level = f->p->level;
    const int32_t from = f->p->square;
    const set around = near(from, 1);

    for (int32_t k = 0; k < 2; k++) {
        const uint64_t take = combat ? f->s->takeable[level].word[k] : 0;
        f->found[level].word[k] |= around.word[k] & (f->s->enterable[level][f->coexisting].word[k] | take);
    }
    WL_REMOVE(&f->found[level], from);
    if (f->wanted < 0 || f->wanted / SQUARES != level || !WL_HAS(&f->found[level], f->wanted % SQUARES))
        return 0;
    f->way->cell[0] = (int16_t)f->wanted;
    return finish(f, 1, combat);
}

/* A jet in the air: one or two cells straight in any of eight directions. */
static int fly_straight(search *f, int32_t n_combat)
{
    for (uint32_t left = open_directions(f->p->square); left != 0; left &= left - 1) {
        const int32_t d = wl_lowest(left);
        const int8_t dr = DIRECTION[d].dr;
        const int8_t dc = DIRECTION[d].dc;
        const offset cells[] = {{dr, dc}, {(int8_t)(2 * dr), (int8_t)(2 * dc)}};
        if (walk_arm(f, cells, 2, n_combat))
            return 1;
    }
    return 0;
}

/* Straight up or down within the square. */
static int walk_vertical(search *f, int32_t level, int combat)
{
    if (f->way != NULL)
        f->way->cell[0] = (int16_t)cell_of(f->p->square, level);
    return arrives(f, f->p->square, level, 1, combat) && finish(f, 1, combat);
}

static int walk_pawn(search *f)
{
    const wec_setup *setup = f->s->setup;
    const int32_t movement = OPT(setup, MOVEMENT);
    const pawn_cells *c = &PAWN_CELLS[movement < MASS_DESTRUCTION ? movement : MASS_DESTRUCTION + OPT(setup, PAWN_STYLE)];
    const int32_t forward = forward_of(f->p->seat);
    const int32_t from = f->p->square;
    const struct {
        const offset *cells;
        int32_t n, enter, take;
    } kinds[] = {{c->move, c->n_move, 1, 0}, {c->attack, c->n_attack, 0, 1}, {c->both, c->n_both, 1, 1}};

    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (int32_t i = 0; i < kinds[k].n; i++) {
            const int32_t square = away(from, forward * kinds[k].cells[i].dr, forward * kinds[k].cells[i].dc);
            if (square < 0 || !arrives(f, square, GROUND, kinds[k].enter, kinds[k].take))
                continue;
            f->way->cell[0] = (int16_t)square;
            return finish(f, 1, 1);
        }
    for (int32_t i = 0; i < c->n_double && (f->p->marks & UNMOVED); i++) {
        const offset first = c->two_steps[i].via;
        const offset second = c->two_steps[i].to;
        const int32_t via = away(from, forward * first.dr, forward * first.dc);
        const int32_t square = away(from, forward * second.dr, forward * second.dc);
        if (via < 0 || square < 0 || WL_HAS(&f->s->occupied[GROUND], via) || !arrives(f, square, GROUND, 1, 0))
            continue;
        f->way->cell[0] = (int16_t)via;
        f->way->cell[1] = (int16_t)square;
        return finish(f, 2, 2);
    }
    return 0;
}

/* The first candidate route to this leap whose cells before the last are clear as seen:
 *
 *        air      a . . b       up, king steps at air level, and down again if it ends on the ground
 *        ground   ^     v
 */
static int leap_route(const sight *s, const piece *p, const leap *l, int32_t to, int32_t level, route *way)
{
    for (int32_t i = 0; i < l->n_routes; i++) {
        int clear = 1;
        way->n = 0;
        if (p->level == GROUND)
            way->cell[way->n++] = (int16_t)cell_of(p->square, AIR);
        for (int32_t k = 0; k < l->n_vias; k++) /* between two squares of the board: on the board */
            way->cell[way->n++] = (int16_t)cell_of(away(p->square, l->via[i][k].dr, l->via[i][k].dc), AIR);
        if (level == GROUND)
            way->cell[way->n++] = (int16_t)cell_of(to, AIR);
        for (int32_t k = 0; k < way->n && clear; k++)
            clear = !WL_HAS(&s->occupied[AIR], way->cell[k] - SQUARES);
        if (!clear)
            continue;
        way->cell[way->n++] = (int16_t)cell_of(to, level);
        way->n_combat = way->n;
        return 1;
    }
    return 0;
}

static int walk_chopper(search *f)
{
    const leap *leaps = CHOPPER_LEAPS[OPT(f->s->setup, MOVEMENT)][f->p->hand == RIGHT_HAND];
    route tried;

    for (int32_t i = 0; i < LEAPS; i++) {
        const int32_t to = away(f->p->square, leaps[i].to.dr, leaps[i].to.dc);
        if (to < 0)
            continue;
        for (int32_t level = GROUND; level <= (f->p->level == GROUND ? AIR : GROUND); level++) {
            if (!leap_route(f->s, f->p, &leaps[i], to, level, &tried) || !arrives(f, to, level, 1, 1))
                continue;
            *f->way = tried;
            return 1;
        }
    }
    return 0;
}

/* The destinations of a piece that is native at its level, or the way to `wanted`; 1 when that was found. */
static int explore(search *f)
{
    const wec_setup *setup = f->s->setup;
    const piece *p = f->p;
    const int32_t movement = OPT(setup, MOVEMENT);
    const int combat = OPT(setup, SUB_JET_COMBAT);

    switch (p->type) {
    case TANK: return walk_arms(f, TANK_ARMS[movement][p->hand == RIGHT_HAND], OPT(setup, TANK_RANGE));
    case CLERIC: return walk_arms(f, CLERIC_ARMS[movement][p->hand == RIGHT_HAND], OPT(setup, CLERIC_RANGE));
    case CHOPPER: return walk_chopper(f);
    case JET:
        if (walk_vertical(f, p->level == GROUND ? AIR : GROUND, combat))
            return 1;
        return p->level == AIR && fly_straight(f, combat);
    case SUBMARINE:
        return walk_vertical(f, p->level == GROUND ? SUB : GROUND, combat) || step_anywhere(f, combat);
    case DOZER:
    case DESTROYER:
    case AAA: return step_anywhere(f, 0);
    default:
        if (is_pawn(p->type))
            return walk_pawn(f);
        return is_primary(p->type) ? step_anywhere(f, 1) : walk_secondary(f);
    }
}

static void find_destinations(const sight *s, const piece *p, set found[LEVELS])
{
    search f = {s, p, TYPE[p->type].coexisting, {{{0, 0}}}, -1, NULL};
    explore(&f);
    memcpy(found, f.found, sizeof f.found);
}

void wec_find_moves(const wec_setup *setup, const wec_state *state, int32_t seat, const uint8_t *places, int32_t n,
                    wec_moves *found)
{
    sight s;

    look(&s, setup, state, seat);
    for (int32_t i = 0; i < n; i++)
        find_destinations(&s, &state->pieces[places[i]], found[i].to);
}

static int find_way(const sight *s, const piece *p, int32_t cell, route *way)
{
    search f = {s, p, TYPE[p->type].coexisting, {{{0, 0}}}, cell, way};
    return explore(&f);
}

/* ==== 7. Actions: the order of checks ============================================================================ */

static int is_square(int32_t x) { return wl_between(0, x, SQUARES - 1) || x == WL_UNKNOWN; }
static int is_direction(int32_t x) { return wl_between(0, x, DIRECTIONS - 1); }

static int is_fire_form(const int32_t *field)
{
    const int32_t kind = wl_between(0, field[F_WEAPON], WEAPONS_N - 1) ? weapon_kind(field[F_WEAPON]) : NO_ARTICLE;
    const int direction = field[F_DIRECTION] != WL_ABSENT;
    const int target = field[F_TARGET] != WL_ABSENT;
    const int journey = field[F_GOAL] != WL_ABSENT || field[F_PATH] != WL_ABSENT;

    if (kind == NO_ARTICLE || direction + target + journey != 1)
        return 0;
    if (direction)
        return is_direction(field[F_DIRECTION]) && kind <= TORPEDO_LAUNCHER;
    if (target)
        return is_square(field[F_TARGET]) && (kind == SAM_LAUNCHER || kind == TORPEDO_LAUNCHER || kind == LIMITED_ROCKET);
    return is_transport(kind) && is_square(field[F_GOAL]) && wl_between(BEELINE, field[F_PATH], STARBOARD);
}

static int is_doze_form(const int32_t *field)
{
    const int32_t n = field[F_N_SQUARES];
    const int32_t *squares = field + F_SQUARES;

    if (n < 0 || !is_direction(field[F_DOZE_DIRECTION]))
        return 0;
    if (n > 0 && squares[0] == WL_UNKNOWN)
        return 1;
    for (int32_t i = 0; i < DOZE_SQUARES_MAX; i++) {
        if (i >= n ? squares[i] != 0 : !wl_between(0, squares[i], SQUARES - 1))
            return 0;
        if (i > 0 && i < n && squares[i] <= squares[i - 1])
            return 0;
    }
    return 1;
}

static int is_kind(int32_t x) { return wl_between(FLAME, x, XXX); }

/* What the codec could not see: it knows names and shapes, this knows numbers. */
static int is_well_formed(const wl_post *post)
{
    const int32_t *field = post->action.field;

    if ((post->action.type == A_TIMEOUT) != (post->actor == WL_SERVER))
        return 0;
    switch (post->action.type) {
    case A_MOVE: return is_square(field[F_TO]) && wl_between(GROUND, field[F_LEVEL], SUB);
    case A_DOZE: return is_doze_form(field);
    case A_FIRE: return is_fire_form(field);
    case A_PICK_UP:
    case A_DROP: return is_kind(field[F_ARTICLE]);
    case A_EXCHANGE:
        if (!is_kind(field[F_GIVEN]) || (field[F_FOR] != WL_ABSENT && !is_kind(field[F_FOR])))
            return 0;
        if (field[F_GIVEN] == field[F_FOR])
            return 0;
        if (field[F_FROM] == WL_OUT_OF_RANGE || field[F_RECEIVER] == WL_OUT_OF_RANGE)
            return 1; /* the codec has compared them */
        return field[F_FROM] < field[F_RECEIVER] || (field[F_FROM] > field[F_RECEIVER] && field[F_FOR] == WL_ABSENT);
    case A_TIMEOUT: return wl_between(BLACK, field[0], WHITE);
    default: return wl_between(0, post->action.type, ACTIONS - 1);
    }
}

static int names_unknown_space(const wl_action *a)
{
    switch (a->type) {
    case A_MOVE: return a->field[F_TO] == WL_UNKNOWN;
    case A_DOZE: return a->field[F_N_SQUARES] > 0 && a->field[F_SQUARES] == WL_UNKNOWN;
    case A_FIRE: return a->field[F_TARGET] == WL_UNKNOWN || a->field[F_GOAL] == WL_UNKNOWN;
    default: return 0;
    }
}

/* The number of acts of this kind that are left in the half-turn. */
static int32_t check_quota(const wec_state *state, int32_t type)
{
    switch (type) {
    case A_MOVE:
    case A_DOZE: return state->moved ? ALREADY_MOVED : WL_OK;
    case A_FIRE: return state->fires >= 2 ? NO_FIRES_LEFT : WL_OK;
    case A_PICK_UP: return state->pick_ups ? ALREADY_PICKED_UP : WL_OK;
    case A_DROP: return state->drops ? ALREADY_DROPPED : WL_OK;
    case A_EXCHANGE: return state->exchanges ? ALREADY_EXCHANGED : WL_OK;
    default: return state->reinforces ? ALREADY_REINFORCED : WL_OK;
    }
}

/* 6.2, 6.3: may this own piece act at all? */
static int32_t check_actor(const wec_setup *setup, const piece *p)
{
    if (p->stun > 0)
        return PIECE_STUNNED;
    if (p->marks & CONVERTED)
        return PIECE_JUST_CONVERTED;
    if ((p->marks & ACTED) && OPT(setup, ACTION_RESTRICTION) == ONE_ACT_PER_PIECE)
        return PIECE_ALREADY_ACTED;
    return WL_OK;
}

/* The place of the seat's own piece with this id on the board, or -1. */
static int32_t own_piece(const wec_state *state, int32_t seat, int32_t id)
{
    const int32_t place = place_of(state, id);
    return place >= 0 && is_own(&state->pieces[place], seat) ? place : -1;
}

/* ---- 7.1 `move` ------------------------------------------------------------------------------------------------- */

/* Would its companion, left behind, be lost? Then it has to come along. */
static int must_carry(const piece *p, const piece *companion)
{
    return p->level != GROUND && !is_native(companion->type, p->level) && !companion->transport;
}

/* May `carried` come along to this cell? The destination is legal, and `carried` is the mover's companion. */
static int32_t check_carry(const sight *s, const piece *p, const piece *carried, int32_t to, int32_t level)
{
    if (!is_carrier(p->type) || (carried->marks & TRAVELLED) || WL_HAS(&s->own[level], to))
        return ILLEGAL_CARRY;
    if (!is_primary(carried->type))
        return WL_OK;
    if (p->type == CHOPPER && !OPT(s->setup, KING_AIR))
        return KING_RESTRICTED;
    return level == SUB && !OPT(s->setup, KING_SUB) ? KING_RESTRICTED : WL_OK;
}

static int32_t check_mover(const piece *p)
{
    if (p->marks & TRAVELLED)
        return PIECE_IN_TRANSPORT;
    return is_native(p->type, p->level) ? WL_OK : CANNOT_MOVE_HERE;
}

static int32_t check_move(const sight *s, int32_t place, const int32_t *field)
{
    const piece *p = &s->state->pieces[place];
    const int32_t companion = companion_of(s, p, place);
    const int32_t error = check_mover(p);
    route way;

    if (error != WL_OK)
        return error;
    if (!find_way(s, p, cell_of(field[F_TO], field[F_LEVEL]), &way))
        return WL_E_ILLEGAL_DESTINATION;
    if (field[F_CARRY] == WL_ABSENT)
        return companion >= 0 && must_carry(p, &s->state->pieces[companion]) ? ILLEGAL_CARRY : WL_OK;
    if (companion < 0 || s->state->pieces[companion].id != field[F_CARRY])
        return ILLEGAL_CARRY;
    return check_carry(s, p, &s->state->pieces[companion], field[F_TO], field[F_LEVEL]);
}

/* ---- 7.2 `doze` ------------------------------------------------------------------------------------------------- */

/* The dozer's square and its neighbours, as bits of a block:      6 7 8
 * the order of the bits is that of the squares.                   3 4 5
 *                                                                 0 1 2   */
enum { BLOCK = 9, CENTRE = 4 };

typedef struct block {
    int8_t square[BLOCK];       /* -1 off the board */
    uint8_t n[BLOCK];           /* pieces on its ground */
    uint8_t blocked[BLOCK];     /* directions, as bits, that its pieces can in no case go */
    uint16_t needs[DIRECTIONS]; /* squares whose pieces can go that way if the next square goes too */
} block;

/* How far on in the block the next square of a direction is, and the squares that have one there. */
static const int8_t BLOCK_STEP[DIRECTIONS] = {3, 4, 1, -2, -3, -4, -1, 2};
static const uint16_t BLOCK_INNER[DIRECTIONS] = {0x03f, 0x01b, 0x0db, 0x0d8, 0x1f8, 0x1b0, 0x1b6, 0x036};

static int32_t count_in(const board *b, int32_t cell) { return (b->at[cell][0] != EMPTY) + (b->at[cell][1] != EMPTY); }

/* May all pieces on the ground of one square join those that stay on that of another? */
static int may_join(const wec_state *state, const board *b, int32_t from, int32_t to)
{
    const piece *p, *q;

    if (count_in(b, to) == 0)
        return 1;
    if (count_in(b, from) + count_in(b, to) > 2)
        return 0;
    p = &state->pieces[b->at[from][0]];
    q = &state->pieces[b->at[to][0]];
    return p->seat == q->seat && (TYPE[p->type].coexisting || TYPE[q->type].coexisting);
}

/* The block around a dozer, as this board has it. Only squares with pieces are worked out. */
static void make_block(block *k, const wec_state *state, const board *b, int32_t centre)
{
    memset(k, 0, sizeof *k);
    for (int32_t bit = 0; bit < BLOCK; bit++) {
        const int32_t square = away(centre, bit / 3 - 1, bit % 3 - 1);
        k->square[bit] = (int8_t)square;
        k->n[bit] = square < 0 ? 0 : (uint8_t)count_in(b, square);
        if (k->n[bit] == 0)
            continue;
        k->blocked[bit] = (uint8_t)~open_directions(square);
        for (uint32_t open = open_directions(square); open != 0; open &= open - 1) {
            const int32_t d = wl_lowest(open);
            if (may_join(state, b, square, square + STEP[d]))
                continue;
            if (BLOCK_INNER[d] & wl_bit(bit))
                k->needs[d] |= (uint16_t)wl_bit(bit);
            else
                k->blocked[bit] |= (uint8_t)wl_bit(d);
        }
    }
}

/* Do the squares that need the next square to go too have it in the group? */
static int has_what_it_needs(const block *k, uint32_t group, int32_t direction)
{
    const uint32_t stuck = group & k->needs[direction];
    const int32_t step = BLOCK_STEP[direction];
    return ((step > 0 ? stuck << step : stuck >> -step) & ~group) == 0;
}

/* Is the translated position valid? Whole squares move, so only target squares outside the group matter. */
static int can_doze(const block *k, uint32_t group, int32_t direction)
{
    for (uint32_t left = group; left != 0; left &= left - 1)
        if (k->blocked[wl_lowest(left)] & wl_bit(direction))
            return 0;
    return has_what_it_needs(k, group, direction);
}

static int is_dozer_at_work(const piece *p) { return p->type == DOZER && p->level == GROUND; }

/* Squares of the block that may be chosen, and those that hold an own transport firer. */
static uint32_t choosable(const sight *s, const block *k, uint32_t *travellers)
{
    uint32_t bits = 0;

    *travellers = 0;
    for (int32_t bit = 0; bit < BLOCK; bit++) {
        const int32_t square = k->square[bit];
        if (square < 0 || k->n[bit] == 0)
            continue;
        for (int32_t i = 0; i < k->n[bit]; i++) {
            const piece *p = &s->state->pieces[s->board.at[square][i]];
            if (is_own(p, s->seat) && (p->marks & TRAVELLED))
                *travellers |= wl_bit(bit);
        }
        if (bit != CENTRE && (OPT(s->setup, DOZE_ENEMIES) || !WL_HAS(&s->enemy[GROUND], square)))
            bits |= wl_bit(bit);
    }
    return bits;
}

static int32_t check_doze(const sight *s, int32_t place, const int32_t *field)
{
    const piece *p = &s->state->pieces[place];
    uint32_t group = wl_bit(CENTRE);
    uint32_t travellers, may;
    int32_t n = 0;
    block k;

    if (!is_dozer_at_work(p))
        return NOT_A_DOZER;
    if (companion_of(s, p, place) < 0)
        return NO_COMPANION;
    if (field[F_N_SQUARES] > DOZE_SQUARES_MAX)
        return ILLEGAL_GROUP;
    make_block(&k, s->state, &s->board, p->square);
    may = choosable(s, &k, &travellers);
    for (int32_t i = 0; i < field[F_N_SQUARES]; i++) {
        const int32_t square = field[F_SQUARES + i];
        const int32_t dr = rank_of(square) - rank_of(p->square);
        const int32_t df = file_of(square) - file_of(p->square);
        const int32_t bit = (dr + 1) * 3 + df + 1;
        if (distance(square, p->square) != 1 || (may & wl_bit(bit)) == 0)
            return ILLEGAL_GROUP;
        n += k.n[bit];
        group |= wl_bit(bit);
    }
    if (n > DOZE_SQUARES_MAX)
        return ILLEGAL_GROUP;
    if (group & travellers)
        return PIECE_IN_TRANSPORT;
    return can_doze(&k, group, field[F_DOZE_DIRECTION]) ? WL_OK : DOZE_BLOCKED;
}

/* ---- 7.3 `fire` ------------------------------------------------------------------------------------------------- */

/* The place of an inherent weapon among the type's two, or -1. */
static int32_t inherent_weapon(int32_t type, int32_t kind)
{
    for (int32_t i = 0; i < 2; i++)
        if (TYPE[type].weapon[i] == kind)
            return i;
    return -1;
}

static int32_t count_carried(const piece *p, int32_t kind)
{
    int32_t n = 0;
    for (int32_t i = 0; i < p->n_articles; i++)
        n += p->articles[i].kind == kind;
    return n;
}

/* 3.2, Strength: how many weapons of the kind are ready. */
static int32_t count_ready(const piece *p, int32_t kind)
{
    const int32_t inherent = inherent_weapon(p->type, kind);
    int32_t n = inherent >= 0 && p->ready[inherent] == 0;
    for (int32_t i = 0; i < p->n_articles; i++)
        n += p->articles[i].kind == kind && p->articles[i].ready == 0;
    return n;
}

/* 7.3.1: may the piece fire this weapon at all? */
static int32_t check_weapon(const sight *s, const piece *p, int32_t kind)
{
    if (p->marks & FIRED)
        return PIECE_ALREADY_FIRED;
    if ((abilities(p) & A(kind)) == 0)
        return NO_SUCH_WEAPON;
    if (count_ready(p, kind) == 0)
        return WEAPON_NOT_READY;
    if (is_launcher(kind) && s->state->n_projectiles >= PROJECTILES_MAX)
        return TOO_MANY_PROJECTILES;
    if (!is_transport(kind))
        return WL_OK;
    if (p->transport)
        return JOURNEY_IN_PROGRESS;
    if (p->marks & MOVED)
        return PIECE_ALREADY_MOVED;
    if (p->level != GROUND && (OPT(s->setup, TRANSPORT_GROUND_ONLY) || p->level != transport_level(kind)))
        return NOT_ON_GROUND;
    return WL_OK;
}

/* 7.3.5, 7.3.6: is there something to aim at on this square? */
static int is_target(const sight *s, const piece *p, int32_t kind, int32_t square)
{
    if (kind == LIMITED_ROCKET)
        return distance(p->square, square) <= OPT(s->setup, JET_ROCKET_RANGE) && WL_HAS(&s->enemy[GROUND], square);
    return distance(p->square, square) <= OPT(s->setup, HOMING_RANGE) && WL_HAS(&s->enemy[kind - ROCKET_LAUNCHER], square);
}

/* 7.3.7: port and starboard are there when the way is neither straight nor diagonal. */
static int is_path(int32_t from, int32_t to, int32_t path)
{
    const int32_t r = wl_abs(rank_of(to) - rank_of(from));
    const int32_t f = wl_abs(file_of(to) - file_of(from));
    return from != to && (path == BEELINE || (r > 0 && f > 0 && r != f));
}

static int32_t check_king_transport(const sight *s, const piece *p, int32_t kind)
{
    if (is_primary(p->type) && ((kind == JUMP_PACK && !OPT(s->setup, KING_AIR)) || (kind == SCUBA && !OPT(s->setup, KING_SUB))))
        return KING_RESTRICTED;
    return WL_OK;
}

static int32_t check_fire(const sight *s, int32_t place, const int32_t *field)
{
    const piece *p = &s->state->pieces[place];
    const int32_t kind = weapon_kind(field[F_WEAPON]);
    const int32_t error = check_weapon(s, p, kind);

    if (error != WL_OK)
        return error;
    if (field[F_DIRECTION] != WL_ABSENT)
        return neighbour(p->square, field[F_DIRECTION]) >= 0 ? WL_OK : ILLEGAL_TARGET;
    if (field[F_TARGET] != WL_ABSENT)
        return is_target(s, p, kind, field[F_TARGET]) ? WL_OK : ILLEGAL_TARGET;
    if (!is_path(p->square, field[F_GOAL], field[F_PATH]))
        return ILLEGAL_TARGET;
    return check_king_transport(s, p, kind);
}

/* ---- 7.4 - 7.6 Article acts ------------------------------------------------------------------------------------- */

/* Within capacity after giving away one of kind `given` and getting one of kind `got` (NO_ARTICLE: none). */
static int fits(const piece *p, int32_t given, int32_t got)
{
    uint32_t kinds = got == NO_ARTICLE ? 0 : A(got);
    int32_t n = got != NO_ARTICLE;

    for (int32_t i = 0; i < p->n_articles; i++) {
        if (p->articles[i].kind == given) {
            given = NO_ARTICLE;
            continue;
        }
        kinds |= A(p->articles[i].kind);
        n++;
    }
    return n <= capacity(p->type, kinds);
}

/* The journey's own article may not leave; a second one of its kind may. */
static int is_in_use(const piece *p, int32_t kind) { return p->transport == kind && count_carried(p, kind) == 1; }

static int lies_on(const wec_state *state, int32_t square, int32_t kind)
{
    return state->loose[square].kind[0] == kind || state->loose[square].kind[1] == kind;
}

static int32_t check_pick_up(const wec_state *state, int32_t place, int32_t kind)
{
    const piece *p = &state->pieces[place];

    if (p->level != GROUND)
        return NOT_ON_GROUND;
    if (!lies_on(state, p->square, kind))
        return NO_SUCH_ARTICLE;
    return fits(p, NO_ARTICLE, kind) ? WL_OK : OVER_CAPACITY;
}

static int32_t check_drop(const wec_state *state, int32_t place, int32_t kind)
{
    const piece *p = &state->pieces[place];

    if (count_carried(p, kind) == 0)
        return NO_SUCH_ARTICLE;
    if (is_in_use(p, kind))
        return ARTICLE_IN_USE;
    if (state->loose[p->square].kind[1] != NO_ARTICLE)
        return NO_ROOM;
    return fits(p, kind, NO_ARTICLE) ? WL_OK : OVER_CAPACITY;
}

static int is_in_reach(const piece *p, const piece *q)
{
    if (is_secondary(p->type) || is_secondary(q->type))
        return 1;
    return p->level == q->level && distance(p->square, q->square) <= 1;
}

/* `back` is NO_ARTICLE when nothing comes back. */
static int32_t check_exchange(const piece *from, const piece *to, int32_t given, int32_t back)
{
    if (!is_in_reach(from, to))
        return TOO_FAR;
    if (count_carried(from, given) == 0 || (back != NO_ARTICLE && count_carried(to, back) == 0))
        return NO_SUCH_ARTICLE;
    if (is_in_use(from, given) || (back != NO_ARTICLE && is_in_use(to, back)))
        return ARTICLE_IN_USE;
    return fits(from, given, back) && fits(to, back, given) ? WL_OK : OVER_CAPACITY;
}

/* ---- 7.7 `reinforce` -------------------------------------------------------------------------------------------- */

static int32_t own_reinforcement(const wec_state *state, int32_t seat, int32_t id)
{
    const int32_t place = place_of(state, id);
    return place >= 0 && state->pieces[place].seat == seat && state->pieces[place].level == WAITING ? place : -1;
}

static int is_vacated(const wec_state *state, int32_t square)
{
    return wl_has(state->vacated, square);
}

static int32_t check_reinforce(const sight *s, int32_t place)
{
    if (place < 0)
        return NO_SUCH_REINFORCEMENT;
    if (!is_vacated(s->state, s->state->pieces[place].square))
        return NOT_ACTIVATED;
    return WL_HAS(&s->occupied[GROUND], s->state->pieces[place].square) ? SQUARE_NOT_EMPTY : WL_OK;
}

/* ---- 7.8 `end_turn`: is there a Move or doze? (6.4) ------------------------------------------------------------- */

static void list_moves(wl_listing *l, const sight *s, int32_t place);
static void list_dozes(wl_listing *l, const sight *s, int32_t place);

static int may_end_turn(const sight *s)
{
    wl_listing l = {NULL, 0, 0};

    if (s->state->moved)
        return 1;
    for (int32_t i = 0; i < s->state->n_pieces; i++) {
        const piece *p = &s->state->pieces[i];
        if (!is_own(p, s->seat) || check_actor(s->setup, p) != WL_OK)
            continue;
        list_moves(&l, s, i);
        if (l.n == 0)
            list_dozes(&l, s, i);
        if (l.n > 0)
            return 0;
    }
    return 1;
}

/* ---- all together ----------------------------------------------------------------------------------------------- */

static int32_t check_act(const wec_setup *setup, const wec_state *state, int32_t seat, const wl_action *a)
{
    const int32_t *field = a->field;
    int32_t place = -1;
    int32_t other = -1;
    int32_t error;
    sight s;

    if (a->type != A_END_TURN && a->type != A_REINFORCE) {
        place = own_piece(state, seat, field[F_PIECE]);
        if (place < 0)
            return WL_E_NOT_YOUR_PIECE;
        error = check_actor(setup, &state->pieces[place]);
        if (error != WL_OK)
            return error;
    }
    if (a->type == A_EXCHANGE) {
        other = own_piece(state, seat, field[F_RECEIVER]);
        if (other < 0)
            return WL_E_NOT_YOUR_PIECE;
        error = check_actor(setup, &state->pieces[other]);
        if (error != WL_OK)
            return error;
        return check_exchange(&state->pieces[place], &state->pieces[other], field[F_GIVEN],
                              field[F_FOR] == WL_ABSENT ? NO_ARTICLE : field[F_FOR]);
    }
    look(&s, setup, state, seat);
    switch (a->type) {
    case A_MOVE: return check_move(&s, place, field);
    case A_DOZE: return check_doze(&s, place, field);
    case A_FIRE: return check_fire(&s, place, field);
    case A_PICK_UP: return check_pick_up(state, place, field[F_ARTICLE]);
    case A_DROP: return check_drop(state, place, field[F_ARTICLE]);
    case A_REINFORCE: return check_reinforce(&s, own_reinforcement(state, seat, field[F_PIECE]));
    default: return may_end_turn(&s) ? WL_OK : MUST_MOVE;
    }
}

static int32_t wec_check(const void *setup_, const void *state_, const wl_post *post)
{
    const wec_setup *setup = setup_;
    const wec_state *state = state_;
    const wl_action *a = &post->action;
    const int32_t seat = post->actor;

    if (seat != WL_SERVER && seat >= SEATS_N)
        return WL_E_ARGUMENT;
    if (state->over)
        return WL_E_MATCH_OVER;
    if (!is_well_formed(post))
        return WL_E_MALFORMED_ACTION;
    if (names_unknown_space(a))
        return WL_E_UNKNOWN_SPACE;
    if (a->type == A_RESIGN || a->type == A_TIMEOUT)
        return WL_OK;
    if (a->type == A_ACCEPT_DRAW || a->type == A_DECLINE_DRAW)
        return state->draw_offer == 1 + (1 - seat) ? WL_OK : NO_DRAW_OFFER;
    if (seat != state->to_move)
        return WL_E_NOT_YOUR_TURN;
    if (a->type == A_OFFER_DRAW)
        return state->draw_offer ? DRAW_ALREADY_OFFERED : WL_OK;
    if (a->type != A_END_TURN) {
        const int32_t error = check_quota(state, a->type);
        if (OPT(setup, ACTION_RESTRICTION) == MOVE_ONLY && a->type != A_MOVE && a->type != A_DOZE)
            return RESTRICTED;
        if (error != WL_OK)
            return error;
    }
    return check_act(setup, state, seat, a);
}

/* ==== 7. Why an act is refused ================================================================================== */

/* Why a Move does not lead to a cell: no way leads there even over an empty board; something stands in the way; a piece of one's
 * own, or one that cannot be taken, is at its end; only an enemy could be taken there. */
enum { WAY_NONE, WAY_BLOCKED, WAY_OWN, WAY_UNTAKEABLE, WAY_ONLY_TO_TAKE };

/* Writes the reason and, of WAY_BLOCKED, the square and level of the first piece in the way. */
static size_t explain_way(const sight *s, const piece *p, int32_t to, int32_t level, wl_word *out)
{
    static const set everywhere = {{~(uint64_t)0, ((uint64_t)1 << (SQUARES - 64)) - 1}};
    sight empty = *s;
    route way;

    memset(empty.occupied, 0, sizeof empty.occupied);
    memset(empty.own, 0, sizeof empty.own);
    memset(empty.enemy, 0, sizeof empty.enemy);
    memset(empty.takeable, 0, sizeof empty.takeable);
    for (int32_t l = 0; l < LEVELS; l++)
        empty.enterable[l][0] = empty.enterable[l][1] = everywhere;
    out[1] = out[2] = -1;
    if (find_way(&empty, p, cell_of(to, level), &way)) {
        for (int32_t k = 0; k < way.n - 1; k++)
            if (WL_HAS(&s->occupied[way.cell[k] / SQUARES], way.cell[k] % SQUARES)) {
                out[0] = WAY_BLOCKED;
                out[1] = way.cell[k] % SQUARES;
                out[2] = way.cell[k] / SQUARES;
                return 3;
            }
        out[0] = WL_HAS(&s->own[level], to) ? WAY_OWN : WAY_UNTAKEABLE;
        return 3;
    }
    empty.takeable[level] = everywhere;
    out[0] = find_way(&empty, p, cell_of(to, level), &way) ? WAY_ONLY_TO_TAKE : WAY_NONE;
    return 3;
}

/* The field that names a piece, and its type, square and level: the first four words. */
static size_t name_piece(const piece *p, int32_t field, wl_word *out)
{
    out[0] = field;
    out[1] = p->type;
    out[2] = p->square;
    out[3] = p->level;
    return 4;
}

/* Half-turns until the first weapon of this kind is ready. */
static int32_t half_turns_until_ready(const piece *p, int32_t kind)
{
    const int32_t inherent = inherent_weapon(p->type, kind);
    int32_t least = inherent >= 0 ? p->ready[inherent] : HALF_TURNS_READY_MAX;
    for (int32_t i = 0; i < p->n_articles; i++)
        if (p->articles[i].kind == kind && p->articles[i].ready < least)
            least = p->articles[i].ready;
    return least;
}

/* Of an exchange, whose field is at fault: 1 where it is that of the second piece. */
static int second_is_at_fault(const wec_setup *setup, const wec_state *state, int32_t seat, const int32_t *field)
{
    const int32_t place = own_piece(state, seat, field[F_FROM]);
    return place >= 0 && check_actor(setup, &state->pieces[place]) == WL_OK;
}

/* What a refusal leaves unsaid; `state` is what the actor sees. The words by code:
 *
 *   not_your_turn           seat in turn            not_your_piece          1 if it is the second piece of an exchange
 *   not_activated, square_not_empty   square        illegal_group           index in the list
 *   the rest                field that names the piece, its type, square, level; and then
 *       piece_stunned       half-turns left         illegal_destination     WAY_NONE ..., square, level
 *       illegal_carry       id of the companion or 0, does it have to come along?
 *       weapon_not_ready    half-turns left         illegal_target          greatest range (0 for none), distance
 *       no_such_article, article_in_use, over_capacity      0: of what is given or taken; 1: of what comes back, or the other's */
static size_t wec_explain(const void *setup_, const void *state_, const wl_post *post, int32_t error, wl_word *out)
{
    const wec_setup *setup = setup_;
    const wec_state *state = state_;
    const wl_action *a = &post->action;
    const int32_t *field = a->field;
    const int32_t seat = post->actor;
    const int exchange = a->type == A_EXCHANGE;
    int32_t place, second = 0, kind;
    const piece *p, *q;
    sight s;

    if (error == WL_E_NOT_YOUR_TURN) {
        out[0] = state->to_move;
        return 1;
    }
    if (seat != state->to_move || a->type >= A_END_TURN)
        return 0;
    if (error == NOT_ACTIVATED || error == SQUARE_NOT_EMPTY) {
        out[0] = state->pieces[own_reinforcement(state, seat, field[F_PIECE])].square;
        return 1;
    }
    if (a->type == A_REINFORCE)
        return 0;
    if (exchange)
        second = second_is_at_fault(setup, state, seat, field);
    if (error == WL_E_NOT_YOUR_PIECE) {
        out[0] = second;
        return 1;
    }
    place = own_piece(state, seat, field[exchange && second ? F_RECEIVER : F_PIECE]);
    if (place < 0)
        return 0;
    p = &state->pieces[place];
    name_piece(p, second, out);
    look(&s, setup, state, seat);
    switch (error) {
    case PIECE_STUNNED: out[4] = p->stun; return 5;
    case WL_E_ILLEGAL_DESTINATION: return 4 + explain_way(&s, p, field[F_TO], field[F_LEVEL], out + 4);
    case ILLEGAL_CARRY:
        kind = companion_of(&s, p, place);
        out[4] = kind < 0 ? 0 : state->pieces[kind].id;
        out[5] = kind >= 0 && must_carry(p, &state->pieces[kind]);
        return 6;
    case ILLEGAL_GROUP:
        for (int32_t n = 0; n < field[F_N_SQUARES] && n < DOZE_SQUARES_MAX; n++) {
            int32_t tried[WL_ACTION_FIELDS];
            memcpy(tried, field, sizeof tried);
            tried[F_N_SQUARES] = n + 1;
            if (check_doze(&s, place, tried) == ILLEGAL_GROUP) {
                out[0] = n;
                return 1;
            }
        }
        out[0] = DOZE_SQUARES_MAX;
        return 1;
    case WEAPON_NOT_READY: out[4] = half_turns_until_ready(p, weapon_kind(field[F_WEAPON])); return 5;
    case ILLEGAL_TARGET:
        kind = weapon_kind(field[F_WEAPON]);
        out[4] = field[F_TARGET] == WL_ABSENT ? 0
                 : kind == LIMITED_ROCKET     ? OPT(setup, JET_ROCKET_RANGE)
                                              : OPT(setup, HOMING_RANGE);
        out[5] = field[F_TARGET] == WL_ABSENT ? 0 : distance(p->square, field[F_TARGET]);
        return 6;
    case NO_SUCH_ARTICLE:
    case ARTICLE_IN_USE:
    case OVER_CAPACITY:
        out[4] = 0;
        if (exchange) {
            p = &state->pieces[own_piece(state, seat, field[F_FROM])];
            q = &state->pieces[own_piece(state, seat, field[F_RECEIVER])];
            out[4] = error == NO_SUCH_ARTICLE  ? count_carried(p, field[F_GIVEN]) > 0
                     : error == ARTICLE_IN_USE ? !is_in_use(p, field[F_GIVEN])
                                               : fits(p, field[F_GIVEN], field[F_FOR] == WL_ABSENT ? NO_ARTICLE : field[F_FOR]);
            name_piece(out[4] ? q : p, (int32_t)out[4], out);
        }
        return 5;
    default: return 4;
    }
}

/* ==== 7. Listing ================================================================================================= */

static void list_moves(wl_listing *l, const sight *s, int32_t place)
{
    const piece *p = &s->state->pieces[place];
    const int32_t companion = companion_of(s, p, place);
    const piece *carried = companion >= 0 ? &s->state->pieces[companion] : NULL;
    const int alone = carried == NULL || !must_carry(p, carried);
    const int may_carry = carried != NULL && is_carrier(p->type);
    set found[LEVELS], squares;
    int32_t to;

    if (check_mover(p) != WL_OK)
        return;
    find_destinations(s, p, found);
    if (alone && !may_carry && WL_IS_EMPTY(&found[AIR]) && WL_IS_EMPTY(&found[SUB])) { /* most of the time */
        WL_EACH(&found[GROUND], to)
            WL_LIST(l, A_MOVE, p->id, to, GROUND, WL_ABSENT);
        return;
    }
    for (int32_t k = 0; k < 2; k++)
        squares.word[k] = found[GROUND].word[k] | found[AIR].word[k] | found[SUB].word[k];
    WL_EACH(&squares, to) {
        for (int32_t level = GROUND; level <= SUB; level++) {
            if (!WL_HAS(&found[level], to))
                continue;
            if (alone)
                WL_LIST(l, A_MOVE, p->id, to, level, WL_ABSENT);
            if (may_carry && check_carry(s, p, carried, to, level) == WL_OK)
                WL_LIST(l, A_MOVE, p->id, to, level, carried->id);
        }
    }
}

/* All groups that extend `group`, whose last square is bit `last`: each list of squares before those it is a prefix of.
 * `open` are the directions that no square of the group blocks: more squares never open one again. */
static void list_groups(wl_listing *l, const block *k, const piece *p, uint32_t may, uint32_t group, uint32_t open, int32_t last,
                        int32_t n_pieces)
{
    int32_t squares[DOZE_SQUARES_MAX] = {0};
    int32_t n = 0;

    for (uint32_t left = group & ~wl_bit(CENTRE); left != 0; left &= left - 1)
        squares[n++] = k->square[wl_lowest(left)];
    for (uint32_t left = open; left != 0; left &= left - 1)
        if (has_what_it_needs(k, group, wl_lowest(left)))
            WL_LIST(l, A_DOZE, p->id, n, squares[0], squares[1], squares[2], squares[3], wl_lowest(left));
    for (int32_t bit = last + 1; bit < BLOCK; bit++)
        if ((may & wl_bit(bit)) && (open & ~(uint32_t)k->blocked[bit]) && n_pieces + k->n[bit] <= DOZE_SQUARES_MAX)
            list_groups(l, k, p, may, group | wl_bit(bit), open & ~(uint32_t)k->blocked[bit], bit, n_pieces + k->n[bit]);
}

static void list_dozes(wl_listing *l, const sight *s, int32_t place)
{
    const piece *p = &s->state->pieces[place];
    uint32_t travellers, may;
    block k;

    if (!is_dozer_at_work(p) || companion_of(s, p, place) < 0)
        return;
    make_block(&k, s->state, &s->board, p->square);
    may = choosable(s, &k, &travellers);
    if ((travellers & wl_bit(CENTRE)) == 0)
        list_groups(l, &k, p, may & ~travellers, wl_bit(CENTRE), 0xffu & ~(uint32_t)k.blocked[CENTRE], -1, 0);
}

/* Squares with something to aim at, ascending. */
static void list_targets(wl_listing *l, const sight *s, const piece *p, int32_t weapon, int32_t kind)
{
    const set *enemies = &s->enemy[kind == LIMITED_ROCKET ? GROUND : kind - ROCKET_LAUNCHER];
    set targets;
    int32_t square;

    if (WL_IS_EMPTY(enemies))
        return;
    targets = near(p->square, kind == LIMITED_ROCKET ? OPT(s->setup, JET_ROCKET_RANGE) : OPT(s->setup, HOMING_RANGE));
    targets.word[0] &= enemies->word[0];
    targets.word[1] &= enemies->word[1];
    WL_EACH(&targets, square)
        if (is_target(s, p, kind, square))
            WL_LIST(l, A_FIRE, p->id, weapon, WL_ABSENT, square, WL_ABSENT, WL_ABSENT);
}

static void list_weapon(wl_listing *l, const sight *s, const piece *p, int32_t weapon)
{
    const int32_t kind = weapon_kind(weapon);

    if (check_weapon(s, p, kind) != WL_OK)
        return;
    if (is_transport(kind)) {
        for (int32_t to = 0; to < SQUARES && check_king_transport(s, p, kind) == WL_OK; to++) {
            const int32_t last = is_path(p->square, to, STARBOARD) ? STARBOARD : BEELINE;
            for (int32_t path = BEELINE; path <= last && to != p->square; path++)
                WL_LIST(l, A_FIRE, p->id, weapon, WL_ABSENT, WL_ABSENT, to, path);
        }
        return;
    }
    if (kind != LIMITED_ROCKET)
        for (uint32_t open = open_directions(p->square); open != 0; open &= open - 1)
            WL_LIST(l, A_FIRE, p->id, weapon, wl_lowest(open), WL_ABSENT, WL_ABSENT, WL_ABSENT);
    if (kind >= SAM_LAUNCHER)
        list_targets(l, s, p, weapon, kind);
}

static void list_fires(wl_listing *l, const sight *s, int32_t place)
{
    const piece *p = &s->state->pieces[place];

    if (p->marks & FIRED)
        return;
    for (uint32_t armed = weapons_of(abilities(p)); armed != 0; armed &= armed - 1)
        list_weapon(l, s, p, wl_lowest(armed));
}

static void list_pick_ups(wl_listing *l, const wec_state *state, int32_t place)
{
    const piece *p = &state->pieces[place];
    const uint8_t *kind = state->loose[p->square].kind;
    const int32_t first = kind[1] != NO_ARTICLE && kind[1] < kind[0];

    for (int32_t i = 0; i < 2 && kind[0] != NO_ARTICLE; i++) {
        const int32_t k = kind[i ^ first];
        if (k != NO_ARTICLE && !(i == 1 && kind[0] == kind[1]) && check_pick_up(state, place, k) == WL_OK)
            WL_LIST(l, A_PICK_UP, p->id, k);
    }
}

static void list_drops(wl_listing *l, const wec_state *state, int32_t place)
{
    const piece *p = &state->pieces[place];

    for (uint32_t kinds = p->kinds; kinds != 0; kinds &= kinds - 1)
        if (check_drop(state, place, wl_lowest(kinds)) == WL_OK)
            WL_LIST(l, A_DROP, p->id, wl_lowest(kinds));
}

static void list_exchange(wl_listing *l, const piece *from, const piece *to)
{
    for (uint32_t kinds = from->kinds; kinds != 0; kinds &= kinds - 1) {
        const int32_t given = wl_lowest(kinds);
        if (check_exchange(from, to, given, NO_ARTICLE) == WL_OK)
            WL_LIST(l, A_EXCHANGE, from->id, to->id, given, WL_ABSENT);
        if (from->id > to->id)
            continue;
        for (uint32_t others = to->kinds & ~A(given); others != 0; others &= others - 1)
            if (check_exchange(from, to, given, wl_lowest(others)) == WL_OK)
                WL_LIST(l, A_EXCHANGE, from->id, to->id, given, wl_lowest(others));
    }
}

static void list_exchanges(wl_listing *l, const wec_state *state, const piece *from, const places *actors)
{
    const int reaches_all = is_secondary(from->type);
    const set close = near(from->square, 1);

    for (int32_t i = 0; i < actors->n; i++) {
        const piece *to = &state->pieces[actors->at[i]];
        if (reaches_all || (WL_HAS(&close, to->square) && to->level == from->level) || is_secondary(to->type))
            if (to != from)
                list_exchange(l, from, to);
    }
}

/* A seat's own pieces that may act, and its reinforcements of which a piece has left the square, by ascending id. */
typedef struct muster {
    places actors, activated;
} muster;

static void call_up(muster *m, const wec_setup *setup, const wec_state *state, int32_t seat)
{
    m->actors.n = m->activated.n = 0;
    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *p = &state->pieces[i];
        if (p->seat != seat)
            continue;
        if (is_own(p, seat) && check_actor(setup, p) == WL_OK)
            m->actors.at[m->actors.n++] = (uint8_t)i;
        if (p->level == WAITING && is_vacated(state, p->square))
            m->activated.at[m->activated.n++] = (uint8_t)i;
    }
}

/* Acts with articles, for which nobody needs to look around. */
static void list_article_acts(wl_listing *l, const wec_state *state, const places *actors)
{
    places holders; /* those that carry anything */

    holders.n = 0;
    for (int32_t i = 0; i < actors->n; i++)
        if (state->pieces[actors->at[i]].n_articles > 0)
            holders.at[holders.n++] = actors->at[i];
    if (!state->pick_ups)
        for (int32_t i = 0; i < actors->n; i++)
            list_pick_ups(l, state, actors->at[i]);
    if (!state->drops)
        for (int32_t i = 0; i < holders.n; i++)
            list_drops(l, state, holders.at[i]);
    if (!state->exchanges)
        for (int32_t i = 0; i < holders.n; i++)
            list_exchanges(l, state, &state->pieces[holders.at[i]], actors);
}

static void list_turn(wl_listing *l, const wec_setup *setup, const wec_state *state, int32_t seat)
{
    const int acts = OPT(setup, ACTION_RESTRICTION) != MOVE_ONLY;
    const int may_fire = acts && state->fires < 2;
    muster m;
    sight s;

    call_up(&m, setup, state, seat);
    const int may_reinforce = acts && !state->reinforces && m.activated.n > 0;
    if (!state->moved || may_fire || may_reinforce)
        look(&s, setup, state, seat);
    for (int32_t i = 0; i < m.actors.n && !state->moved; i++)
        list_moves(l, &s, m.actors.at[i]);
    for (int32_t i = 0; i < m.actors.n && !state->moved; i++)
        list_dozes(l, &s, m.actors.at[i]);
    const int may_end = l->n == 0; /* 6.4, or moved already */
    for (int32_t i = 0; i < m.actors.n && may_fire; i++)
        list_fires(l, &s, m.actors.at[i]);
    if (acts)
        list_article_acts(l, state, &m.actors);
    for (int32_t i = 0; i < m.activated.n && may_reinforce; i++)
        if (check_reinforce(&s, m.activated.at[i]) == WL_OK)
            WL_LIST(l, A_REINFORCE, state->pieces[m.activated.at[i]].id);
    if (may_end)
        WL_LIST(l, A_END_TURN);
}

static size_t wec_legal(const void *setup, const void *state_, int32_t seat, wl_action *out, size_t cap)
{
    const wec_state *state = state_;
    wl_listing l = {out, cap, 0};

    if (state->over)
        return 0;
    if (seat == state->to_move) {
        list_turn(&l, setup, state, seat);
        if (!state->draw_offer)
            WL_LIST(&l, A_OFFER_DRAW);
    }
    if (state->draw_offer == 1 + (1 - seat)) {
        WL_LIST(&l, A_ACCEPT_DRAW);
        WL_LIST(&l, A_DECLINE_DRAW);
    }
    WL_LIST(&l, A_RESIGN);
    return l.n;
}

/* ==== 7. Resolution: common procedures =========================================================================== */

/* An act being resolved. Pieces keep their places until it is over: those lost are GONE. */
typedef struct play {
    const wec_setup *setup;
    wec_state *state;
    wl_event *event;
    board board;            /* all pieces */
    set aloft;              /* pieces that are, or were in this act, in the air or below */
    set gone;               /* pieces lost */
    set destroyed[SEATS_N]; /* those of them whose `destroyed` that seat was given whole (8.5) */
    set converted;          /* pieces whose `converted` both seats were given */
} play;

/* Who is shown an effect about a piece, its owner apart: the other seat, and with it the spectators (8.4). */
static uint32_t others_of(int32_t owner) { return wl_bit(1 - owner) | wl_bit(WL_SPECTATOR); }

static int is_seen_by_other(const play *g, const piece *p) { return sees(g->setup, g->state, 1 - p->seat, p); }

enum { REF = 3 }; /* the words of a reference to a piece: seat, type, id */
#define REFERENCE(p) (p)->seat, (p)->type, (p)->id

/* An effect about a piece: whole to its owner, without the id to the others if they are shown it. */
static void tell(const play *g, int32_t owner, int shown, int32_t type, const wl_word *words, size_t n)
{
    wl_word other[16];

    wl_record(g->event, WL_REC_EFFECT, wl_bit(owner), WL_DISCLOSE_OVER, type, words, n);
    if (!shown || !wl_wanted(g->event))
        return;
    assert(n >= REF && n <= sizeof other / sizeof other[0]);
    memcpy(other, words, n * sizeof words[0]);
    other[REF - 1] = WL_WORD_ABSENT;
    wl_record(g->event, WL_REC_EFFECT_ALT, others_of(owner), 0, type, other, n);
}

/* The same, and another form for those who are not shown it. */
static void tell_else(const play *g, int32_t owner, int32_t type, const wl_word *words, size_t n)
{
    wl_record(g->event, WL_REC_EFFECT_ALT, others_of(owner), 0, type, words, n);
}

static void reveal(piece *p) { p->revealed = REVEALED_TURNS; }

static void end_journey(piece *p)
{
    p->transport = NO_ARTICLE;
    p->path = 0;
    p->steps = 0;
}

/* ---- Displace --------------------------------------------------------------------------------------------------- */

/* Where a piece was, and whether the other side saw it there. */
typedef struct before {
    int32_t square, level, seen;
} before;

static before before_of(const play *g, const piece *p)
{
    return (before){p->square, p->level, is_seen_by_other(g, p)};
}

static void effect_moved(const play *g, const piece *p, const before *was, int32_t cause)
{
    const int now_seen = is_seen_by_other(g, p);

    tell(g, p->seat, was->seen && now_seen,
         WL_EFFECT(E_MOVED, REFERENCE(p), was->square, was->level, p->square, p->level, cause));
    if (was->seen && !now_seen)
        tell_else(g, p->seat, WL_EFFECT(E_VANISHED, p->seat, p->type, was->square, was->level));
    if (!was->seen && now_seen)
        tell_else(g, p->seat, WL_EFFECT(E_APPEARED, p->seat, p->type, p->square, p->level));
}

/* Displace without the effect and without the board. */
static void change_place(play *g, piece *p, int32_t square, int32_t level, int32_t cause)
{
    if (p->level == GROUND && p->square != square && p->seat == g->state->to_move)
        wl_add(g->state->vacated, p->square);
    p->square = (uint8_t)square;
    p->level = (uint8_t)level;
    p->marks &= (uint8_t)~UNMOVED;
    if (level != GROUND)
        WL_ADD(&g->aloft, (int32_t)(p - g->state->pieces));
    if (cause != BY_JOURNEY)
        end_journey(p);
}

/* `reveals`: a take that reveals its mover does so from this displacement on (7, Take). */
static void displace_and_reveal(play *g, int32_t place, int32_t square, int32_t level, int32_t cause, int reveals)
{
    piece *p = &g->state->pieces[place];
    const before was = before_of(g, p);

    take_off(&g->board, p, place);
    change_place(g, p, square, level, cause);
    put_on(&g->board, p, place);
    if (reveals)
        reveal(p);
    effect_moved(g, p, &was, cause);
}

static void displace(play *g, int32_t place, int32_t square, int32_t level, int32_t cause)
{
    displace_and_reveal(g, place, square, level, cause, 0);
}

/* 2, Enterable, for what is really there. */
static int is_really_enterable(const play *g, int32_t place, int32_t square, int32_t level)
{
    const piece *p = &g->state->pieces[place];
    const uint8_t *at = g->board.at[cell_of(square, level)];
    int32_t n = 0;
    int coexisting = TYPE[p->type].coexisting;

    for (int32_t k = 0; k < 2; k++) {
        if (at[k] == EMPTY || at[k] == place)
            continue;
        if (g->state->pieces[at[k]].seat != p->seat)
            return 0;
        coexisting |= TYPE[g->state->pieces[at[k]].type].coexisting;
        n++;
    }
    return n == 0 || (n == 1 && coexisting);
}

/* Is a friendly carrier in the same cell (not counting the piece itself)? */
static int is_carried(const play *g, int32_t place)
{
    const piece *p = &g->state->pieces[place];
    const uint8_t *at = g->board.at[cell_of(p->square, p->level)];

    for (int32_t k = 0; k < 2; k++)
        if (at[k] != EMPTY && at[k] != place && g->state->pieces[at[k]].seat == p->seat &&
            carries_at(g->state->pieces[at[k]].type, p->level))
            return 1;
    return 0;
}

/* ---- Spill ------------------------------------------------------------------------------------------------------ */

static int has_room(const wec_state *state, int32_t square) { return square >= 0 && state->loose[square].kind[1] == NO_ARTICLE; }

static void lay(wec_state *state, int32_t square, const article *a)
{
    heap *h = &state->loose[square];
    const int32_t slot = h->kind[0] != NO_ARTICLE;
    h->kind[slot] = a->kind;
    h->ready[slot] = a->ready;
}

/* The square so far ahead and to the right as the owner looks, or -1. */
static int32_t ahead(int32_t square, int32_t seat, int32_t forward, int32_t right)
{
    const int32_t f = forward_of(seat);
    return away(square, f * forward, f * right);
}

/* The first square with room: the own one, then ring by ring, as the owner looks:
 *
 *                              front row   1 2 3
 *        ring 1                            4 . 5   left before right, row by row backwards
 *                              back row    6 7 8
 */
static int32_t room_near(const wec_state *state, int32_t square, int32_t seat)
{
    if (has_room(state, square))
        return square;
    for (int32_t k = 1; k < FILES; k++)
        for (int32_t f = k; f >= -k; f--) {
            const int32_t stride = f == k || f == -k ? 1 : 2 * k;
            for (int32_t r = -k; r <= k; r += stride)
                if (has_room(state, ahead(square, seat, f, r)))
                    return ahead(square, seat, f, r);
        }
    return -1;
}

static void spill(play *g, piece *p)
{
    for (int32_t i = 0; i < p->n_articles; i++) {
        const int32_t to = room_near(g->state, p->square, p->seat);
        assert(to >= 0); /* 200 articles at most, and room for 200 (R68) */
        lay(g->state, to, &p->articles[i]);
        WL_PUBLIC(g->event, E_ARTICLE_LANDED, to, p->articles[i].kind);
    }
    memset(p->articles, 0, sizeof p->articles);
    p->n_articles = 0;
    p->kinds = 0;
}

/* ---- Destroy, StunPiece ----------------------------------------------------------------------------------------- */

static void lose_primary(play *g, const piece *p, int32_t how)
{
    if (!is_primary(p->type))
        return;
    if (g->state->primary_lost[p->seat] == NOT_LOST)
        g->state->primary_lost[p->seat] = (uint8_t)how;
    WL_PUBLIC(g->event, E_PRIMARY_LOST, p->seat);
}

static void clear_locks_on(wec_state *state, int32_t id)
{
    for (int32_t i = 0; i < state->n_pieces; i++) {
        piece *p = &state->pieces[i];
        if (p->lock == id)
            p->lock = 0;
        for (int32_t k = 0; k < p->n_articles; k++)
            if (p->articles[k].lock == id)
                p->articles[k].lock = 0;
    }
}

/* `by`: the seat that caused it, or NOBODY. */
static void destroy(play *g, int32_t place, int32_t cause, int32_t by)
{
    piece *p = &g->state->pieces[place];
    const int shown = is_seen_by_other(g, p) || by == 1 - p->seat;
    const int32_t id = p->id;

    WL_ADD(&g->destroyed[p->seat], place);
    if (shown)
        WL_ADD(&g->destroyed[1 - p->seat], place);
    tell(g, p->seat, shown, WL_EFFECT(E_DESTROYED, REFERENCE(p), p->square, p->level, cause));
    take_off(&g->board, p, place);
    WL_ADD(&g->gone, place);
    p->level = GONE;
    lose_primary(g, p, LOST_DESTROYED);
    spill(g, p);
    p->lock = 0;
    clear_locks_on(g->state, id);
    for (int32_t i = 0; i < g->state->n_projectiles; i++)
        if (g->state->projectiles[i].target == id)
            g->state->projectiles[i].target = 0;
}

/* It comes to the ground of its square if it can, or is lost. */
static void fall(play *g, int32_t place, int32_t cause, int32_t by)
{
    const int32_t square = g->state->pieces[place].square;

    if (is_really_enterable(g, place, square, GROUND))
        displace(g, place, square, GROUND, BY_FALL);
    else
        destroy(g, place, cause, by);
}

static void stun_piece(play *g, int32_t place)
{
    wec_state *state = g->state;
    piece *p = &state->pieces[place];
    const int own = p->seat == state->to_move;
    const int seen_before = is_seen_by_other(g, p);
    const int32_t half_turns = (own ? 2 : 1) + 2 * OPT(g->setup, STUN_DURATION);
    const int aloft = p->transport && p->level != GROUND && !is_native(p->type, p->level);

    if (!own)
        reveal(p);
    if (p->stun < half_turns)
        p->stun = (uint16_t)half_turns;
    /* The acting seat caused it: shown to it whoever owns the piece. */
    tell(g, p->seat, seen_before || is_seen_by_other(g, p) || !own,
         WL_EFFECT(E_STUNNED, REFERENCE(p), p->square, p->level, own_turns(state, p->seat, p->stun)));
    end_journey(p);
    spill(g, p);
    if (aloft && !is_carried(g, place))
        fall(g, place, OF_STUN, state->to_move);
}

/* 3.2, Hits: 1 when the count is now greater than the defence. */
static int hit(piece *p, int32_t kind, int32_t strength)
{
    const int32_t anti = ANTI_FLAME + kind;
    const int32_t defence = ((TYPE[p->type].inherent & A(anti)) != 0) + count_carried(p, anti);
    const int32_t hits = p->hits[kind] + strength;

    p->hits[kind] = (uint8_t)(hits < 255 ? hits : 255); /* far above any defence */
    return hits > defence;
}

/* ---- Settle ----------------------------------------------------------------------------------------------------- */

static void effect_projectile(const play *g, int32_t type, const projectile *m)
{
    wl_record(g->event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0,
              WL_EFFECT_LIKE(E_PROJECTILE_MOVED, type, m->kind, m->seat, m->square, m->kind, m->direction, m->strength));
}

static void remove_projectile(wec_state *state, int32_t i)
{
    state->n_projectiles--;
    memmove(&state->projectiles[i], &state->projectiles[i + 1],
            (size_t)(state->n_projectiles - i) * sizeof state->projectiles[0]);
    memset(&state->projectiles[state->n_projectiles], 0, sizeof state->projectiles[0]);
}

/* Takes projectile i off the board and hits everything in its cell, if anything is. */
static int detonate(play *g, int32_t i)
{
    const projectile m = g->state->projectiles[i];
    const int32_t cell = cell_of(m.square, m.kind);
    places list;

    if (g->board.at[cell][0] == EMPTY)
        return 0;
    list = pieces_in(g->state, &g->board, cell);
    effect_projectile(g, E_PROJECTILE_HIT, &m);
    remove_projectile(g->state, i);
    for (int32_t k = 0; k < list.n; k++)
        if (hit(&g->state->pieces[list.at[k]], HIT_ROCKET + m.kind, m.strength))
            destroy(g, list.at[k], OF_ROCKET + m.kind, m.seat);
    return 1;
}

static int has_nothing_below(const play *g, int32_t place)
{
    const piece *p = &g->state->pieces[place];
    return on_board(p) && !is_native(p->type, p->level) && !p->transport && !is_carried(g, place);
}

static int settle_falls(play *g)
{
    places list;
    int32_t aloft;

    list.n = 0;
    WL_EACH(&g->aloft, aloft)
        if (has_nothing_below(g, aloft))
            list.at[list.n++] = (uint8_t)aloft;
    sort_places(g->state, &list);
    for (int32_t i = 0; i < list.n; i++)
        if (has_nothing_below(g, list.at[i]))
            fall(g, list.at[i], OF_CRASH, NOBODY);
    return list.n > 0;
}

/* A homing target that has left the level, is gone, or has become the projectile's own side's. */
static void settle_homing(wec_state *state)
{
    for (int32_t i = 0; i < state->n_projectiles; i++) {
        projectile *m = &state->projectiles[i];
        const int32_t place = m->target == 0 ? -1 : place_of(state, m->target);
        if (place < 0 || state->pieces[place].level != m->kind || state->pieces[place].seat == m->seat)
            m->target = 0;
    }
}

static void settle_lock(const wec_state *state, int32_t seat, uint16_t *lock)
{
    const int32_t place = *lock == 0 ? -1 : place_of(state, *lock);
    if (place < 0 || !on_board(&state->pieces[place]) || state->pieces[place].seat == seat)
        *lock = 0;
}

static void settle_locks(wec_state *state)
{
    for (int32_t i = 0; i < state->n_pieces; i++) {
        piece *p = &state->pieces[i];
        if ((abilities(p) & A(ANTI_STEALTH)) == 0)
            continue; /* nothing else locks */
        if (p->lock != 0)
            settle_lock(state, p->seat, &p->lock);
        for (int32_t k = 0; k < p->n_articles; k++)
            if (p->articles[k].lock != 0)
                settle_lock(state, p->seat, &p->articles[k].lock);
    }
}

static void settle(play *g)
{
    int changed = 1;

    while (changed) {
        changed = 0;
        for (int32_t i = 0; i < g->state->n_projectiles;) {
            if (detonate(g, i))
                changed = 1;
            else
                i++;
        }
        changed |= settle_falls(g);
    }
    settle_homing(g->state); /* these two change nothing that the others look at */
    if (!WL_IS_EMPTY(&g->converted)) /* whose target is gone, Destroy has cleared */
        settle_locks(g->state);
}

/* ==== 7.1 `move` ================================================================================================= */

static int holds_enemy(const play *g, int32_t seat, int32_t cell)
{
    for (int32_t k = 0; k < 2; k++)
        if (g->board.at[cell][k] != EMPTY && g->state->pieces[g->board.at[cell][k]].seat != seat)
            return 1;
    return 0;
}

static int holds_friend(const play *g, int32_t seat, int32_t cell)
{
    return holds_enemy(g, 1 - seat, cell);
}

/* The enemies in a cell that the seat ran into are revealed to it. */
static void bump(play *g, int32_t seat, int32_t cell)
{
    for (int32_t k = 0; k < 2; k++)
        if (g->board.at[cell][k] != EMPTY && g->state->pieces[g->board.at[cell][k]].seat != seat)
            reveal(&g->state->pieces[g->board.at[cell][k]]);
    wl_record(g->event, WL_REC_EFFECT, wl_bit(seat), WL_DISCLOSE_OVER, WL_EFFECT(E_BUMPED, cell % SQUARES, cell / SQUARES));
}

static void arrive(play *g, int32_t mover, int32_t carried, int32_t cell, int reveals)
{
    displace_and_reveal(g, mover, cell % SQUARES, cell / SQUARES, BY_MOVE, reveals);
    if (carried >= 0)
        displace(g, carried, cell % SQUARES, cell / SQUARES, BY_CARRY);
}

/* Take: the mover and what it carries are displaced into the cell, then all that was there is destroyed. */
static void take(play *g, int32_t mover, int32_t carried, int32_t cell)
{
    const places list = pieces_in(g->state, &g->board, cell);

    for (int32_t i = 0; i < list.n; i++)
        take_off(&g->board, &g->state->pieces[list.at[i]], list.at[i]);
    arrive(g, mover, carried, cell, OPT(g->setup, REVEAL_ON_TAKE));
    for (int32_t i = 0; i < list.n; i++)
        destroy(g, list.at[i], OF_TAKING, g->state->pieces[mover].seat);
}

/* Cell by cell: the first with an unseen enemy, or the last with any, ends the walk in a take or in a bump. */
static void walk(play *g, int32_t mover, int32_t carried, const route *way)
{
    const piece *p = &g->state->pieces[mover];
    const int32_t seat = p->seat;
    int32_t last = cell_of(p->square, p->level);
    const int32_t origin = last;

    for (int32_t i = 0; i < way->n; last = way->cell[i], i++) {
        const int32_t cell = way->cell[i];
        if (!holds_enemy(g, seat, cell)) /* all before the last were clear as seen: an enemy there is unseen */
            continue;
        if (i < way->n_combat && !holds_friend(g, seat, cell)) {
            take(g, mover, carried, cell);
            return;
        }
        if (last != origin)
            arrive(g, mover, carried, last, 0);
        bump(g, seat, cell);
        return;
    }
    arrive(g, mover, carried, last, 0);
}

/* ... and what marks the mover, or the dozer. */
static void mark_moved(play *g, int32_t mover)
{
    g->state->moved = 1;
    g->state->pieces[mover].marks |= ACTED | MOVED;
}

static void resolve_move(play *g, int32_t seat, const int32_t *field)
{
    const int32_t mover = own_piece(g->state, seat, field[F_PIECE]);
    const int32_t carried = field[F_CARRY] == WL_ABSENT ? -1 : own_piece(g->state, seat, field[F_CARRY]);
    route way;
    sight s;

    look(&s, g->setup, g->state, seat);
    find_way(&s, &g->state->pieces[mover], cell_of(field[F_TO], field[F_LEVEL]), &way);
    walk(g, mover, carried, &way);
    mark_moved(g, mover);
}

/* ==== 7.2 `doze` ================================================================================================= */

/* Puts the whole group one step on, all at once: "before" is before the whole doze, "after" after it (R86). */
static void push(play *g, const places *members, int32_t direction)
{
    before was[2 * BLOCK];

    for (int32_t i = 0; i < members->n; i++)
        was[i] = before_of(g, &g->state->pieces[members->at[i]]);
    for (int32_t i = 0; i < members->n; i++)
        take_off(&g->board, &g->state->pieces[members->at[i]], members->at[i]);
    for (int32_t i = 0; i < members->n; i++) {
        piece *p = &g->state->pieces[members->at[i]];
        change_place(g, p, neighbour(p->square, direction), GROUND, BY_DOZE);
        put_on(&g->board, p, members->at[i]);
    }
    for (int32_t i = 0; i < members->n; i++)
        effect_moved(g, &g->state->pieces[members->at[i]], &was[i], BY_DOZE);
}

/* Unseen enemies on the ground of these squares are revealed and reported, square by square; 1 if there were any. */
static int bump_unseen(play *g, int32_t seat, const set *squares, const set *hidden)
{
    int32_t square;
    int found = 0;

    WL_EACH(squares, square) {
        int unseen = 0;
        for (int32_t k = 0; k < 2; k++) {
            const int32_t place = g->board.at[square][k];
            if (place != EMPTY && WL_HAS(hidden, place)) {
                reveal(&g->state->pieces[place]);
                unseen = 1;
            }
        }
        if (unseen)
            wl_record(g->event, WL_REC_EFFECT, wl_bit(seat), WL_DISCLOSE_OVER, WL_EFFECT(E_BUMPED, square, GROUND));
        found |= unseen;
    }
    return found;
}

static void resolve_doze(play *g, int32_t seat, const int32_t *field)
{
    const int32_t dozer = own_piece(g->state, seat, field[F_PIECE]);
    const int32_t centre = g->state->pieces[dozer].square;
    const int32_t direction = field[F_DOZE_DIRECTION];
    set squares = {{0, 0}};
    set targets = {{0, 0}};
    uint32_t group = 0;
    int forbidden = 0; /* an unseen enemy goes along, and none may */
    set hidden[SEATS_N];
    places members;
    block k;

    wec_unseen(g->setup, g->state, hidden);
    make_block(&k, g->state, &g->board, centre);
    WL_ADD(&squares, centre);
    for (int32_t i = 0; i < field[F_N_SQUARES]; i++)
        WL_ADD(&squares, field[F_SQUARES + i]);
    members.n = 0;
    for (int32_t bit = 0; bit < BLOCK; bit++) {
        const int32_t square = k.square[bit];
        if (square < 0 || !WL_HAS(&squares, square))
            continue;
        group |= wl_bit(bit);
        for (int32_t i = 0; i < k.n[bit]; i++) {
            const int32_t place = g->board.at[square][i];
            members.at[members.n++] = (uint8_t)place;
            forbidden |= WL_HAS(&hidden[seat], place) && !OPT(g->setup, DOZE_ENEMIES);
        }
        if (neighbour(square, direction) >= 0)
            WL_ADD(&targets, neighbour(square, direction));
    }
    if (!forbidden && can_doze(&k, group, direction)) {
        sort_places(g->state, &members);
        push(g, &members, direction);
    } else {
        for (int32_t i = 0; i < 2; i++)
            targets.word[i] &= ~squares.word[i];
        if (!bump_unseen(g, seat, &targets, &hidden[seat]))
            bump_unseen(g, seat, &squares, &hidden[seat]);
    }
    mark_moved(g, dozer);
}

/* ==== 7.3 `fire` ================================================================================================= */

/* Every ready weapon of the kind is fired; gives their number. */
static int32_t discharge(piece *p, int32_t kind, int32_t half_turns)
{
    const int32_t inherent = inherent_weapon(p->type, kind);
    int32_t n = 0;

    if (inherent >= 0 && p->ready[inherent] == 0) {
        p->ready[inherent] = (uint8_t)half_turns;
        n++;
    }
    for (int32_t i = 0; i < p->n_articles; i++)
        if (p->articles[i].kind == kind && p->articles[i].ready == 0) {
            p->articles[i].ready = (uint8_t)half_turns;
            n++;
        }
    return n;
}

/* 7.3.2 */
static void burn(play *g, int32_t from, int32_t level, int32_t direction, int32_t strength)
{
    const int32_t seat = g->state->to_move;

    for (int32_t i = 0; i < OPT(g->setup, FLAME_RANGE); i++) {
        places list;
        from = neighbour(from, direction);
        if (from < 0)
            return;
        list = pieces_in(g->state, &g->board, cell_of(from, level));
        for (int32_t k = 0; k < list.n; k++)
            if (hit(&g->state->pieces[list.at[k]], HIT_FLAME, strength))
                destroy(g, list.at[k], OF_FLAME, seat);
    }
}

/* 7.3.3: the first cell that holds anything stops the beam. */
static void beam(play *g, int32_t from, int32_t level, int32_t direction, int32_t strength)
{
    for (int32_t i = 0; i < OPT(g->setup, STUN_RANGE); i++) {
        places list;
        from = neighbour(from, direction);
        if (from < 0)
            return;
        list = pieces_in(g->state, &g->board, cell_of(from, level));
        for (int32_t k = 0; k < list.n; k++)
            if (hit(&g->state->pieces[list.at[k]], HIT_STUN, strength))
                stun_piece(g, list.at[k]);
        if (list.n > 0)
            return;
    }
}

static void change_sides(play *g, int32_t place)
{
    piece *p = &g->state->pieces[place];
    const int32_t old = p->seat;

    WL_ADD(&g->converted, place);
    tell(g, old, 1, WL_EFFECT(E_CONVERTED, REFERENCE(p), p->square, p->level, 1 - old));
    lose_primary(g, p, LOST_CONVERTED);
    p->seat = (uint8_t)(1 - old);
    p->marks = (uint8_t)((p->marks & ~UNMOVED) | CONVERTED);
    p->lock = 0;
    for (int32_t i = 0; i < p->n_articles; i++)
        p->articles[i].lock = 0;
}

/* A piece in a mixed cell off the ground that only the other side's carrier keeps up. */
static int has_lost_its_carrier(const play *g, int32_t place)
{
    const piece *p = &g->state->pieces[place];
    const uint8_t *at = g->board.at[cell_of(p->square, p->level)];
    const piece *other = &g->state->pieces[at[0] == place ? at[1] : at[0]];

    return !is_native(p->type, p->level) && !p->transport && other->seat != p->seat && carries_at(other->type, p->level);
}

/* 7.3.4 */
static void convert(play *g, int32_t square, int32_t level, int32_t strength)
{
    const int32_t seat = g->state->to_move;
    const int32_t cell = cell_of(square, level);
    const places list = pieces_in(g->state, &g->board, cell);
    places converted;
    uint32_t lost = 0;

    converted.n = 0;
    for (int32_t i = 0; i < list.n; i++) {
        piece *p = &g->state->pieces[list.at[i]];
        if (p->seat != seat && hit(p, HIT_CONVERSION, strength))
            converted.at[converted.n++] = list.at[i];
    }
    for (int32_t i = 0; i < converted.n; i++)
        change_sides(g, converted.at[i]);
    if (level == GROUND || list.n < 2)
        return;
    const places now = pieces_in(g->state, &g->board, cell); /* the order has the seat in it */
    for (int32_t i = 0; i < now.n; i++)
        lost |= has_lost_its_carrier(g, now.at[i]) ? wl_bit(i) : 0;
    for (int32_t i = 0; i < now.n; i++)
        if (lost & wl_bit(i))
            destroy(g, now.at[i], OF_CONVERSION, seat);
}

/* 7.3.5 */
static void launch(play *g, const piece *p, int32_t kind, int32_t strength, const int32_t *field)
{
    wec_state *state = g->state;
    projectile m = {(uint8_t)(kind - ROCKET_LAUNCHER), p->seat, p->square, 0, (uint8_t)strength, 1, 0};

    if (field[F_DIRECTION] != WL_ABSENT) {
        m.direction = (uint8_t)field[F_DIRECTION];
        m.square = (uint8_t)neighbour(p->square, m.direction);
    } else {
        const int32_t target = field[F_TARGET];
        const places list = pieces_in(state, &g->board, cell_of(target, m.kind));
        for (int32_t i = 0; i < list.n && m.target == 0; i++) {
            const piece *q = &state->pieces[list.at[i]];
            if (q->seat != p->seat && sees(g->setup, state, p->seat, q))
                m.target = q->id;
        }
        m.direction = (uint8_t)(p->seat == BLACK ? 0 : 4); /* forward: n or s */
        for (int32_t d = 0; d < DIRECTIONS && target != p->square; d++)
            if (DIRECTION[d].dr == sign(rank_of(target) - rank_of(p->square)) &&
                DIRECTION[d].dc == sign(file_of(target) - file_of(p->square)))
                m.direction = (uint8_t)d;
        if (target != p->square)
            m.square = (uint8_t)neighbour(p->square, m.direction);
    }
    state->projectiles[state->n_projectiles++] = m;
    effect_projectile(g, E_PROJECTILE_CREATED, &m);
}

/* 7.3.6 */
static void strike(play *g, int32_t firer, int32_t square, int32_t strength)
{
    const places list = pieces_in(g->state, &g->board, cell_of(square, GROUND));

    for (int32_t i = 0; i < list.n; i++)
        if (list.at[i] != firer && hit(&g->state->pieces[list.at[i]], HIT_ROCKET, strength))
            destroy(g, list.at[i], OF_ROCKET, g->state->to_move);
}

/* ---- 7.3.7 Transports ------------------------------------------------------------------------------------------- */

/* Which way step i (from 1) of the path goes; dr and df are the whole way's. */
static int32_t path_direction(int32_t dr, int32_t df, int32_t path, int32_t i)
{
    const int32_t r = wl_abs(dr);
    const int32_t f = wl_abs(df);
    const int32_t n = r > f ? r : f;
    const int32_t m = r > f ? f : r;
    int sideways; /* does this step go along the shorter axis too? */

    if (path == BEELINE)
        sideways = (2 * i * m + n - 1) / (2 * n) > (2 * (i - 1) * m + n - 1) / (2 * n);
    else if ((path == PORT) == (df * sign(dr) - dr * sign(df) > 0)) /* diagonals first */
        sideways = i <= m;
    else
        sideways = i > n - m;
    for (int32_t d = 0; d < DIRECTIONS; d++)
        if (DIRECTION[d].dr == (r >= f || sideways ? sign(dr) : 0) && DIRECTION[d].dc == (f >= r || sideways ? sign(df) : 0))
            return d;
    return 0;
}

static void effect_journey(const play *g, int32_t type, const piece *p, int32_t kind)
{
    tell(g, p->seat, is_seen_by_other(g, p), WL_EFFECT_LIKE(E_CRASHED, type, REFERENCE(p), p->square, p->level, kind));
}

static void crash(play *g, int32_t place, int32_t blocked_cell)
{
    piece *p = &g->state->pieces[place];
    const int32_t kind = p->transport;

    effect_journey(g, E_CRASHED, p, kind);
    end_journey(p);
    if (p->level == GROUND) {
        if (kind == BICYCLE && holds_enemy(g, p->seat, blocked_cell))
            destroy(g, place, OF_CRASH, NOBODY);
    } else if (!is_native(p->type, p->level) && !is_carried(g, place))
        fall(g, place, OF_CRASH, NOBODY);
}

/* One step: up or down at first, then square by square, at last to the ground. */
static void step_journey(play *g, int32_t place)
{
    piece *p = &g->state->pieces[place];
    const int32_t kind = p->transport;
    const int32_t level = transport_level(kind);
    const int starts = p->level != level;
    const int lands = !starts && steps_left(p) == 0;
    const int32_t to = starts || lands ? p->square : neighbour(p->square, next_direction(p));
    const int32_t to_level = lands ? GROUND : level;

    if (to < 0 || !is_really_enterable(g, place, to, to_level)) {
        crash(g, place, to < 0 ? cell_of(p->square, p->level) : cell_of(to, to_level));
        return;
    }
    if (!starts && !lands)
        p->steps = steps_after(p->steps);
    displace(g, place, to, to_level, BY_JOURNEY);
    if (to_level == GROUND && steps_left(p) == 0) {
        effect_journey(g, E_JOURNEY_ENDED, p, kind);
        end_journey(p);
    }
}

static void set_out(play *g, int32_t place, int32_t kind, int32_t goal, int32_t path)
{
    piece *p = &g->state->pieces[place];
    const int32_t dr = rank_of(goal) - rank_of(p->square);
    const int32_t df = file_of(goal) - file_of(p->square);
    const int32_t n = distance(p->square, goal);

    p->transport = (uint8_t)kind;
    p->path = (uint8_t)path;
    p->steps = (uint32_t)n << 28;
    for (int32_t i = 0; i < n; i++)
        p->steps |= (uint32_t)path_direction(dr, df, path, i + 1) << (3 * i);
    effect_journey(g, E_JOURNEY_STARTED, p, kind);
    step_journey(g, place);
}

/* ---- 7.3.1 Common ----------------------------------------------------------------------------------------------- */

static wl_word or_absent(int32_t field) { return field == WL_ABSENT ? WL_WORD_ABSENT : field; }

static void effect_fired(const play *g, const piece *p, int32_t strength, const int32_t *field)
{
    const int shown = is_seen_by_other(g, p);
    wl_word words[] = {REFERENCE(p), p->square, p->level, field[F_WEAPON], strength, or_absent(field[F_DIRECTION]),
                       or_absent(field[F_TARGET]), or_absent(field[F_GOAL]), or_absent(field[F_PATH])};
    enum { WORDS = sizeof words / sizeof words[0] };

    tell(g, p->seat, 0, E_FIRED, words, WORDS);
    if (!shown)
        return;
    words[REF - 1] = words[WORDS - 2] = words[WORDS - 1] = WL_WORD_ABSENT; /* nor where a transport goes */
    tell_else(g, p->seat, E_FIRED, words, WORDS);
}

static void resolve_fire(play *g, int32_t seat, const int32_t *field)
{
    const int32_t place = own_piece(g->state, seat, field[F_PIECE]);
    const int32_t kind = weapon_kind(field[F_WEAPON]);
    const int32_t direction = field[F_DIRECTION];
    piece *p = &g->state->pieces[place];
    int32_t strength = 1;

    g->state->fires++;
    p->marks |= FIRED | ACTED;
    if (is_transport(kind))
        p->marks |= TRAVELLED;
    else
        strength = discharge(p, kind, 2 * rate_of(g->setup, kind));
    if (kind == LIMITED_ROCKET)
        strength += discharge(p, ROCKET_LAUNCHER, 2 * rate_of(g->setup, kind));
    if (OPT(g->setup, REVEAL_ON_FIRE))
        reveal(p);
    effect_fired(g, p, strength, field);
    switch (kind) {
    case FLAME: burn(g, p->square, p->level, direction, strength); break;
    case STUN: beam(g, p->square, p->level, direction, strength); break;
    case CONVERSION: convert(g, neighbour(p->square, direction), p->level, strength); break;
    case LIMITED_ROCKET: strike(g, place, field[F_TARGET], strength); break;
    case BICYCLE:
    case JUMP_PACK:
    case SCUBA: set_out(g, place, kind, field[F_GOAL], field[F_PATH]); break;
    default: launch(g, p, kind, strength, field); break;
    }
}

/* ==== 7.4 - 7.6 Article acts ===================================================================================== */

/* 3.2, Choice of instance: the soonest ready, without a lock before with one, the lowest slot. */
static int32_t choose_carried(const piece *p, int32_t kind)
{
    int32_t best = -1;
    for (int32_t i = 0; i < p->n_articles; i++) {
        const article *a = &p->articles[i];
        if (a->kind != kind)
            continue;
        if (best < 0 || a->ready < p->articles[best].ready ||
            (a->ready == p->articles[best].ready && a->lock == 0 && p->articles[best].lock != 0))
            best = i;
    }
    return best;
}

/* Takes the article out of its slot; later ones move down. Its lock ends. */
static article remove_carried(piece *p, int32_t slot)
{
    article taken = p->articles[slot];

    p->n_articles--;
    for (int32_t i = slot; i < p->n_articles; i++)
        p->articles[i] = p->articles[i + 1];
    memset(&p->articles[p->n_articles], 0, sizeof taken);
    note_kinds(p);
    taken.lock = 0;
    return taken;
}

static article remove_loose(wec_state *state, int32_t square, int32_t kind)
{
    heap *h = &state->loose[square];
    const int32_t slot = h->kind[0] != kind || (h->kind[1] == kind && h->ready[1] < h->ready[0]);
    const article taken = {(uint8_t)kind, h->ready[slot], 0};

    if (slot == 0) {
        h->kind[0] = h->kind[1];
        h->ready[0] = h->ready[1];
    }
    h->kind[1] = h->ready[1] = 0;
    return taken;
}

static void append(piece *p, article a)
{
    p->articles[p->n_articles++] = a;
    p->kinds |= A(a.kind);
}

/* 8.2: the anti_stealth in the last slot, just received, locks on the nearest unseen stealthed enemy. */
static void lock_on(play *g, int32_t place)
{
    wec_state *state = g->state;
    piece *p = &state->pieces[place];
    const piece *best = NULL;

    if (p->articles[p->n_articles - 1].kind != ANTI_STEALTH || !OPT(g->setup, STEALTH_LOCK_ON))
        return;
    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *q = &state->pieces[i];
        int32_t closer;
        if (q->seat == p->seat || !on_board(q) || !is_stealthy(g->setup, q) || sees(g->setup, state, p->seat, q))
            continue;
        closer = best == NULL ? -1 : distance(p->square, q->square) - distance(p->square, best->square);
        if (closer < 0 || (closer == 0 && in_piece_order(state, q, best) < 0))
            best = q;
    }
    if (best == NULL)
        return;
    p->articles[p->n_articles - 1].lock = best->id;
    if (sees(g->setup, state, p->seat, best))
        wl_record(g->event, WL_REC_EFFECT, wl_bit(p->seat), WL_DISCLOSE_OVER,
                  WL_EFFECT(E_LOCKED, p->id, best->square, best->level));
}

static void resolve_pick_up(play *g, int32_t seat, const int32_t *field)
{
    const int32_t place = own_piece(g->state, seat, field[F_PIECE]);
    const int32_t kind = field[F_ARTICLE];
    piece *p = &g->state->pieces[place];
    const int seen_before = is_seen_by_other(g, p);

    append(p, remove_loose(g->state, p->square, kind));
    g->state->pick_ups = 1;
    p->marks |= ACTED;
    if (seen_before || is_seen_by_other(g, p))
        tell(g, seat, 1, WL_EFFECT(E_PICKED_UP, REFERENCE(p), p->square, kind));
    else {
        tell(g, seat, 0, WL_EFFECT(E_PICKED_UP, REFERENCE(p), p->square, kind));
        tell_else(g, seat, WL_EFFECT(E_ARTICLE_GONE, p->square, kind));
    }
    lock_on(g, place);
}

static void resolve_drop(play *g, int32_t seat, const int32_t *field)
{
    const int32_t place = own_piece(g->state, seat, field[F_PIECE]);
    const int32_t kind = field[F_ARTICLE];
    piece *p = &g->state->pieces[place];
    const int seen_before = is_seen_by_other(g, p);
    const article dropped = remove_carried(p, choose_carried(p, kind));

    lay(g->state, p->square, &dropped);
    g->state->drops = 1;
    p->marks |= ACTED;
    if (seen_before || is_seen_by_other(g, p))
        tell(g, seat, 1, WL_EFFECT(E_DROPPED, REFERENCE(p), p->square, kind));
    else {
        tell(g, seat, 0, WL_EFFECT(E_DROPPED, REFERENCE(p), p->square, kind));
        tell_else(g, seat, WL_EFFECT(E_ARTICLE_LANDED, p->square, kind));
    }
}

static void resolve_exchange(play *g, int32_t seat, const int32_t *field)
{
    const int32_t place = own_piece(g->state, seat, field[F_FROM]);
    const int32_t other = own_piece(g->state, seat, field[F_RECEIVER]);
    piece *p = &g->state->pieces[place];
    piece *q = &g->state->pieces[other];
    const int swap = field[F_FOR] != WL_ABSENT;
    const int seen_before = is_seen_by_other(g, p) && is_seen_by_other(g, q);
    const article given = remove_carried(p, choose_carried(p, field[F_GIVEN]));
    const article back = swap ? remove_carried(q, choose_carried(q, field[F_FOR])) : (article){0, 0, 0};
    wl_word words[] = {seat, field[F_GIVEN], or_absent(field[F_FOR]), p->square, q->square, p->id, q->id};
    enum { WORDS = sizeof words / sizeof words[0] };

    append(q, given);
    if (swap)
        append(p, back);
    g->state->exchanges = 1;
    p->marks |= ACTED;
    q->marks |= ACTED;
    wl_record(g->event, WL_REC_EFFECT, wl_bit(seat), WL_DISCLOSE_OVER, E_EXCHANGED, words, WORDS);
    if (seen_before && is_seen_by_other(g, p) && is_seen_by_other(g, q)) {
        words[WORDS - 2] = words[WORDS - 1] = WL_WORD_ABSENT;
        tell_else(g, seat, E_EXCHANGED, words, WORDS);
    }
    if (swap)
        lock_on(g, place);
    lock_on(g, other);
}

/* ==== 7.7 `reinforce` ============================================================================================ */

static void resolve_reinforce(play *g, int32_t seat, const int32_t *field)
{
    const int32_t place = own_reinforcement(g->state, seat, field[F_PIECE]);
    piece *p = &g->state->pieces[place];

    g->state->reinforces = 1;
    if (g->board.at[p->square][0] != EMPTY) { /* empty as seen, but not really */
        bump(g, seat, p->square);
        return;
    }
    p->level = GROUND;
    put_on(&g->board, p, place);
    tell(g, seat, is_seen_by_other(g, p), WL_EFFECT(E_REINFORCED, REFERENCE(p), p->square));
}

/* ==== 7.8 `end_turn` ============================================================================================= */

static void end_match(play *g, uint32_t winners, int32_t reason)
{
    wec_state *state = g->state;

    state->over = 1;
    state->winners = (uint8_t)winners;
    state->reason = (uint8_t)reason;
    wl_record(g->event, WL_REC_EFFECT, WL_ALL_VIEWERS, 0, E_MATCH_ENDED, WL_ARGS(winners, reason)); /* two words: a result */
}

/* 1. One step for each journey of the acting seat. */
static void run_journeys(play *g)
{
    wec_state *state = g->state;
    places list;

    list.n = 0;
    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *p = &state->pieces[i];
        if (p->seat == state->to_move && on_board(p) && p->transport && (p->marks & TRAVELLED) == 0)
            list.at[list.n++] = (uint8_t)i;
    }
    sort_places(state, &list);
    for (int32_t i = 0; i < list.n; i++)
        if (on_board(&state->pieces[list.at[i]]) && state->pieces[list.at[i]].transport) {
            step_journey(g, list.at[i]);
            settle(g);
        }
}

/* Turns towards the target: (sign of the ranks, sign of the files) between them. */
static void aim(const wec_state *state, projectile *m)
{
    const int32_t place = m->target == 0 ? -1 : place_of(state, m->target);

    if (place < 0)
        return;
    for (int32_t d = 0; d < DIRECTIONS; d++)
        if (DIRECTION[d].dr == sign(rank_of(state->pieces[place].square) - rank_of(m->square)) &&
            DIRECTION[d].dc == sign(file_of(state->pieces[place].square) - file_of(m->square)))
            m->direction = (uint8_t)d;
}

/* What `fresh` says while projectiles run; it is 0 or 1 outside. */
enum { TO_RUN = 2, RUNNING = 4 };

/* One square. Gives the projectile's place in the list afterwards, -1 when it is no longer there. */
static int32_t advance(play *g, int32_t i)
{
    wec_state *state = g->state;
    projectile *m = &state->projectiles[i];
    int32_t to;

    aim(state, m);
    to = neighbour(m->square, m->direction);
    if (to < 0) {
        effect_projectile(g, E_PROJECTILE_LEFT, m);
        remove_projectile(state, i);
        return -1;
    }
    m->square = (uint8_t)to;
    effect_projectile(g, E_PROJECTILE_MOVED, m);
    settle(g);
    for (i = state->n_projectiles - 1; i >= 0 && state->projectiles[i].fresh != RUNNING; i--)
        ;
    return i;
}

/* 2. The acting seat's projectiles of earlier half-turns, by ascending id. Others may go off meanwhile. */
static void run_projectiles(play *g)
{
    wec_state *state = g->state;

    for (int32_t i = 0; i < state->n_projectiles; i++)
        if (state->projectiles[i].seat == state->to_move && !state->projectiles[i].fresh)
            state->projectiles[i].fresh = TO_RUN;
    for (int32_t i = 0; i < state->n_projectiles; i++) {
        if (state->projectiles[i].fresh != TO_RUN)
            continue;
        state->projectiles[i].fresh = RUNNING;
        for (int32_t n = 0; n < OPT(g->setup, PROJECTILE_SPEED) && i >= 0; n++)
            i = advance(g, i);
        if (i >= 0)
            state->projectiles[i].fresh = 0;
        i = -1; /* from the front again: it may have moved up in the list */
    }
}

/* 3. The outcome (section 9); 1 when the match is over. */
static int decide(play *g)
{
    wec_state *state = g->state;
    const int32_t acting = state->to_move;
    const int32_t loser = state->primary_lost[acting] ? acting : 1 - acting;

    if (!state->primary_lost[loser])
        return 0;
    end_match(g, wl_bit(1 - loser), state->primary_lost[loser] == LOST_DESTROYED ? BY_DESTRUCTION : BY_CONVERSION);
    return 1;
}

static uint8_t one_less(uint8_t n) { return n > 0 ? n - 1 : 0; }

/* 5. and 6.: everything that is counted in half-turns comes one nearer. */
static void next_half_turn(wec_state *state)
{
    for (int32_t i = 0; i < state->n_pieces; i++) {
        piece *p = &state->pieces[i];
        memset(p->hits, 0, sizeof p->hits);
        p->marks &= (uint8_t)~MARKS_OF_A_TURN;
        p->revealed = one_less(p->revealed);
        p->ready[0] = one_less(p->ready[0]);
        p->ready[1] = one_less(p->ready[1]);
        p->stun = (uint16_t)(p->stun > 0 ? p->stun - 1 : 0);
        for (int32_t k = 0; k < p->n_articles; k++)
            p->articles[k].ready = one_less(p->articles[k].ready);
    }
    for (int32_t square = 0; square < SQUARES; square++)
        for (int32_t k = 0; k < 2; k++)
            state->loose[square].ready[k] = one_less(state->loose[square].ready[k]);
    for (int32_t i = 0; i < state->n_projectiles; i++)
        state->projectiles[i].fresh = 0;
    if (state->draw_offer == 1 + (1 - state->to_move))
        state->draw_offer = 0;
    state->vacated[0] = state->vacated[1] = 0;
    state->moved = state->fires = state->pick_ups = state->drops = state->exchanges = state->reinforces = 0;
    state->primary_lost[BLACK] = state->primary_lost[WHITE] = NOT_LOST;
    state->turn++;
    state->to_move = (uint8_t)(1 - state->to_move);
}

static void resolve_end_turn(play *g)
{
    wec_state *state = g->state;
    const int32_t seat = state->to_move;

    run_journeys(g);
    run_projectiles(g);
    if (decide(g))
        return;
    state->idle_turns = (uint8_t)(state->moved ? 0 : state->idle_turns + 1);
    if (state->idle_turns >= 2) {
        end_match(g, 0, BY_NO_MOVES);
        return;
    }
    next_half_turn(state);
    WL_PUBLIC(g->event, E_TURN_ENDED, seat, state->turn);
}

/* ==== 8.5 Ghosts ================================================================================================= */

static int ghost_order(const ghost *a, const ghost *b)
{
    if (a->turn != b->turn)
        return a->turn < b->turn ? -1 : 1;
    if (a->square != b->square)
        return a->square - b->square;
    return a->level != b->level ? a->level - b->level : a->type - b->type;
}

static void remove_ghost(wec_state *state, int32_t seat, int32_t i)
{
    ghost *list = ghosts_of(state, seat);
    state->n_ghosts[seat]--;
    memmove(&list[i], &list[i + 1], (size_t)(state->n_ghosts[seat] - i) * sizeof *list);
    memset(&list[state->n_ghosts[seat]], 0, sizeof *list);
}

static void add_ghost(wec_state *state, int32_t seat, ghost g)
{
    ghost *list = ghosts_of(state, seat);
    int32_t i;

    if (state->n_ghosts[seat] == GHOSTS_MAX) /* as many as a Position may have: the oldest goes */
        remove_ghost(state, seat, 0);
    for (i = state->n_ghosts[seat]++; i > 0 && ghost_order(&list[i - 1], &g) > 0; i--)
        list[i] = list[i - 1];
    list[i] = g;
}

/* The board as both seats had it when the action began. */
typedef struct memory {
    uint32_t turn;
    set hidden[SEATS_N];
    uint8_t square[PIECES_MAX], level[PIECES_MAX];
} memory;

static void update_ghosts(play *g, const memory *was, const set *hidden_now, int32_t seat)
{
    wec_state *state = g->state;
    set found, lost;
    int32_t place;

    for (int32_t k = 0; k < 2; k++) { /* by places; of what is gone none is hidden now */
        const uint64_t told = g->destroyed[seat].word[k] | g->converted.word[k];
        const uint64_t seen_now = ~hidden_now->word[k] & ~g->gone.word[k];
        found.word[k] = was->hidden[seat].word[k] & (seen_now | told);
        lost.word[k] = ~was->hidden[seat].word[k] & (hidden_now->word[k] | (g->gone.word[k] & ~g->destroyed[seat].word[k]));
    }
    WL_EACH(&found, place)
        for (int32_t i = 0; i < state->n_ghosts[seat]; i++)
            if (ghosts_of(state, seat)[i].type == state->pieces[place].type) {
                remove_ghost(state, seat, i);
                break;
            }
    WL_EACH(&lost, place)
        if (was->level[place] <= SUB) /* not a reinforcement that has just come */
            add_ghost(state, seat, (ghost){was->turn, was->square[place], was->level[place], state->pieces[place].type, 0});
}

/* ==== 7. All together ============================================================================================ */

/* Pieces lost in this act leave the list. */
static void close_ranks(wec_state *state)
{
    int32_t n = 0;

    for (int32_t i = 0; i < state->n_pieces; i++) {
        if (state->pieces[i].level == GONE)
            continue;
        if (n < i)
            state->pieces[n] = state->pieces[i];
        n++;
    }
    memset(&state->pieces[n], 0, (size_t)(state->n_pieces - n) * sizeof state->pieces[0]);
    state->n_pieces = (uint8_t)n;
}

/* Puts all pieces on the board, and remembers where they are. */
static void set_up(play *g, memory *was)
{
    const wec_state *state = g->state;

    was->turn = state->turn;
    clear_board(&g->board);
    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *p = &state->pieces[i];
        was->square[i] = p->square;
        was->level[i] = p->level;
        if (!on_board(p))
            continue;
        put_on(&g->board, p, i);
        if (p->level != GROUND)
            WL_ADD(&g->aloft, i);
    }
}

static void resolve(play *g, int32_t seat, const wl_action *a)
{
    switch (a->type) {
    case A_MOVE: resolve_move(g, seat, a->field); break;
    case A_DOZE: resolve_doze(g, seat, a->field); break;
    case A_FIRE: resolve_fire(g, seat, a->field); break;
    case A_PICK_UP: resolve_pick_up(g, seat, a->field); break;
    case A_DROP: resolve_drop(g, seat, a->field); break;
    case A_EXCHANGE: resolve_exchange(g, seat, a->field); break;
    case A_REINFORCE: resolve_reinforce(g, seat, a->field); break;
    default: resolve_end_turn(g); return;
    }
    settle(g);
}

/* 7.9: nothing on the board changes. */
static int resolve_talk(play *g, int32_t seat, const wl_action *a)
{
    wec_state *state = g->state;

    switch (a->type) {
    case A_OFFER_DRAW:
        state->draw_offer = (uint8_t)(1 + seat);
        WL_PUBLIC(g->event, E_DRAW_OFFERED, seat);
        return 1;
    case A_ACCEPT_DRAW:
        state->draw_offer = 0;
        end_match(g, 0, BY_AGREEMENT);
        return 1;
    case A_DECLINE_DRAW:
        state->draw_offer = 0;
        WL_PUBLIC(g->event, E_DRAW_DECLINED, seat);
        return 1;
    case A_RESIGN: end_match(g, wl_bit(1 - seat), BY_RESIGNATION); return 1;
    case A_TIMEOUT: end_match(g, wl_bit(1 - a->field[0]), BY_TIMEOUT); return 1;
    default: return 0;
    }
}

static void forget_ghosts(wec_state *state)
{
    memset(state->black_ghosts, 0, sizeof state->black_ghosts);
    memset(state->white_ghosts, 0, sizeof state->white_ghosts);
    state->n_ghosts[BLACK] = state->n_ghosts[WHITE] = 0;
}

static int32_t wec_apply(const void *setup, void *state_, const wl_post *post, wl_draws *draws, wl_event *event)
{
    wec_state *state = state_;
    play g;
    memory was;

    (void)draws; /* nothing in play is random */
    g.setup = setup;
    g.state = state;
    g.event = event;
    memset(&g.aloft, 0, sizeof g.aloft);
    memset(&g.gone, 0, sizeof g.gone);
    memset(g.destroyed, 0, sizeof g.destroyed);
    memset(&g.converted, 0, sizeof g.converted);
    /* The action is its seat's own affair; what the server does is everybody's (8.4). */
    if (post->actor != WL_SERVER)
        wl_record(event, WL_REC_ACTION, wl_bit(post->actor), WL_DISCLOSE_OVER, 0, NULL, 0);
    if (!resolve_talk(&g, post->actor, &post->action)) {
        wec_unseen(setup, state, was.hidden);
        set_up(&g, &was);
        resolve(&g, post->actor, &post->action);
        if (!state->over) {
            set hidden[SEATS_N];
            wec_unseen(setup, state, hidden);
            update_ghosts(&g, &was, &hidden[BLACK], BLACK);
            update_ghosts(&g, &was, &hidden[WHITE], WHITE);
        }
        if (!WL_IS_EMPTY(&g.gone))
            close_ranks(state);
    }
    if (state->over)
        forget_ghosts(state);
    return WL_OK;
}

/* ==== Traces ===================================================================================================== */

/* The trace of an own piece's act, as its seat sees the board. */
typedef struct tracing {
    const sight *s;
    const wec_state *after; /* NULL: it is only listed */
    const piece *p;
    wl_trace *trace;
    int spares_own; /* does it do nothing to own pieces? */
} tracing;

static int32_t step_of(int32_t square, int32_t level) { return WL_STEP(square, level); }

/* Does a piece of this seat and type stand in the cell afterwards? */
static int stands_after(const wec_state *after, const piece *p)
{
    for (int32_t i = 0; i < after->n_pieces; i++) {
        const piece *q = &after->pieces[i];
        if (on_board(q) && q->seat == p->seat && q->type == p->type && q->square == p->square && q->level == p->level)
            return 1;
    }
    return 0;
}

/* The pieces seen in a cell, all but the acting one: enemies are hit, own ones are also a risk; what is gone is taken. Returns
 * how many there are. */
static int32_t strike_cell(const tracing *t, int32_t square, int32_t level, int kills)
{
    const uint8_t *at = t->s->board.at[cell_of(square, level)];
    int32_t n = 0;

    for (int32_t k = 0; k < 2 && at[k] != EMPTY; k++) {
        const piece *q = &t->s->state->pieces[at[k]];
        const int32_t id = q->id != 0 ? q->id : WL_ABSENT;
        if (q == t->p || (t->spares_own && q->seat == t->s->seat))
            continue;
        n++;
        wl_touch(t->trace, WL_TRACE_HITS, step_of(square, level), id);
        if (q->seat == t->s->seat)
            wl_touch(t->trace, WL_TRACE_RISKS, step_of(square, level), id);
        if (kills && t->after != NULL && !stands_after(t->after, q))
            wl_touch(t->trace, WL_TRACE_TAKES, step_of(square, level), id);
    }
    return n;
}

/* A Move takes what is seen at its end. After it the trace ends where the mover has come to. */
static void trace_move(const tracing *t, const int32_t *field)
{
    const int32_t mover = t->after == NULL ? -1 : own_piece(t->after, t->s->seat, t->p->id);
    const piece *now = mover < 0 ? NULL : &t->after->pieces[mover];
    const int32_t end = now == NULL ? -1 : cell_of(now->square, now->level);
    const uint8_t *at;
    route way;

    if (!wl_between(0, field[F_TO], SQUARES - 1) || !wl_between(GROUND, field[F_LEVEL], SUB) || check_mover(t->p) != WL_OK ||
        !find_way(t->s, t->p, cell_of(field[F_TO], field[F_LEVEL]), &way) || end == cell_of(t->p->square, t->p->level))
        return;
    for (int32_t i = 0; i < way.n; i++) {
        wl_pass(t->trace, step_of(way.cell[i] % SQUARES, way.cell[i] / SQUARES));
        if (way.cell[i] == end && i + 1 < way.n)
            return; /* something unseen was in the way */
    }
    at = t->s->board.at[cell_of(field[F_TO], field[F_LEVEL])];
    for (int32_t k = 0; k < 2 && at[k] != EMPTY; k++)
        if (t->s->state->pieces[at[k]].seat != t->s->seat)
            wl_touch(t->trace, WL_TRACE_TAKES, step_of(field[F_TO], field[F_LEVEL]), WL_ABSENT);
}

/* Fire along a line; it ends at the first piece seen, if `stops`. */
static void trace_line(const tracing *t, int32_t level, int32_t direction, int32_t range, int stops, int kills)
{
    int32_t square = t->p->square;

    for (int32_t i = 0; i < range; i++) {
        square = neighbour(square, direction);
        if (square < 0)
            return;
        wl_pass(t->trace, step_of(square, level));
        if (strike_cell(t, square, level, kills) > 0 && stops)
            return;
    }
}

/* A journey: up or down, square by square, and to the ground. The first piece seen in the way is a risk. */
static void trace_journey(const tracing *t, int32_t kind, int32_t goal, int32_t path)
{
    const int32_t level = transport_level(kind), from = t->p->square;
    const int32_t dr = rank_of(goal) - rank_of(from), df = file_of(goal) - file_of(from), n = distance(from, goal);
    int32_t square = from;

    for (int32_t i = t->p->level == level; i <= n + (level != GROUND); i++) {
        const int32_t now = i > n ? GROUND : level;
        const uint8_t *at;
        if (i > 0 && i <= n)
            square = neighbour(square, path_direction(dr, df, path, i));
        if (square < 0)
            return;
        wl_pass(t->trace, step_of(square, now));
        at = t->s->board.at[cell_of(square, now)];
        for (int32_t k = 0; k < 2 && at[k] != EMPTY; k++) {
            const piece *q = &t->s->state->pieces[at[k]];
            if (q != t->p)
                wl_touch(t->trace, WL_TRACE_RISKS, step_of(square, now), q->id != 0 ? q->id : WL_ABSENT);
        }
        if (t->trace->n[WL_TRACE_RISKS] > 0)
            return;
    }
}

static void trace_fire(const tracing *t, const int32_t *field)
{
    const int32_t kind = weapon_kind(field[F_WEAPON]), direction = field[F_DIRECTION];
    const int32_t level = is_launcher(kind) ? kind - ROCKET_LAUNCHER : t->p->level;

    if (kind == LIMITED_ROCKET)
        strike_cell(t, field[F_TARGET], GROUND, 1);
    else if (is_transport(kind) && is_path(t->p->square, field[F_GOAL], field[F_PATH]))
        trace_journey(t, kind, field[F_GOAL], field[F_PATH]);
    else if (direction == WL_ABSENT && is_launcher(kind))
        strike_cell(t, field[F_TARGET], level, 0);
    else if (direction != WL_ABSENT)
        trace_line(t, level, direction,
                   kind == FLAME        ? OPT(t->s->setup, FLAME_RANGE)
                   : kind == STUN       ? OPT(t->s->setup, STUN_RANGE)
                   : kind == CONVERSION ? 1
                                        : FILES,
                   kind != FLAME, kind == FLAME);
}

static int names_a_square(int32_t x) { return wl_between(0, x, SQUARES - 1); }

static int may_be_traced(const wl_post *post)
{
    const int32_t *field = post->action.field;

    if (post->action.type >= ACTIONS || post->actor >= SEATS_N || !is_well_formed(post))
        return 0;
    if (post->action.type == A_FIRE)
        return field[F_DIRECTION] != WL_ABSENT || names_a_square(field[F_TARGET]) || names_a_square(field[F_GOAL]);
    return post->action.type == A_MOVE || post->action.type == A_DOZE;
}

static void wec_trace(const void *setup, const void *before_, const void *after, const wl_post *post, wl_trace *trace)
{
    const wec_state *before = before_;
    const int32_t *field = post->action.field;
    const int32_t place = may_be_traced(post) ? own_piece(before, post->actor, field[F_PIECE]) : -1;
    sight s;

    if (place < 0)
        return;
    look(&s, setup, before, post->actor);
    const int converts = post->action.type == A_FIRE && weapon_kind(field[F_WEAPON]) == CONVERSION;
    const tracing t = {&s, after, &before->pieces[place], trace, converts};
    if (post->action.type == A_MOVE)
        trace_move(&t, field);
    else if (post->action.type == A_FIRE)
        trace_fire(&t, field);
    else if (neighbour(t.p->square, field[F_DOZE_DIRECTION]) >= 0)
        wl_pass(trace, step_of(neighbour(t.p->square, field[F_DOZE_DIRECTION]), GROUND));
}

/* ==== 8. Visibility: views ======================================================================================= */

static uint32_t wec_to_act(const void *setup, const void *state_)
{
    const wec_state *state = state_;
    (void)setup;
    return state->over ? 0 : wl_bit(state->to_move);
}

/* What is left of a countdown, as far as it shows: twice the number of the view. */
static int32_t shown(const wec_state *state, int32_t seat, int32_t half_turns) { return 2 * own_turns(state, seat, half_turns); }

/* Everything a seen piece shows about itself, and of an own piece also what its owner alone may know. */
static void show_piece(const wec_state *state, const piece *p, int own, piece *out)
{
    out->seat = p->seat;
    out->type = p->type;
    out->square = p->square;
    out->level = p->level;
    out->hand = p->hand;
    out->marks = p->marks & UNMOVED;
    out->stun = (uint16_t)shown(state, p->seat, p->stun);
    out->n_articles = p->n_articles;
    out->kinds = p->kinds;
    out->transport = p->transport;
    for (int32_t i = 0; i < 2; i++)
        out->ready[i] = (uint8_t)shown(state, p->seat, p->ready[i]);
    for (int32_t i = 0; i < p->n_articles; i++) {
        out->articles[i].kind = p->articles[i].kind;
        out->articles[i].ready = (uint8_t)shown(state, p->seat, p->articles[i].ready);
    }
    if (!own)
        return;
    out->id = p->id;
    out->path = p->path;
    out->steps = p->steps;
    if (p->seat == state->to_move && !state->over)
        out->marks = p->marks;
}

static void show_foreign(const wec_setup *setup, const wec_state *state, int32_t viewer, wec_state *known)
{
    set hidden[SEATS_N];
    places list;

    wec_unseen(setup, state, hidden);
    list.n = 0;
    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *p = &state->pieces[i];
        /* A spectator sees what the other seat sees. */
        if (p->seat != viewer && on_board(p) && !WL_HAS(&hidden[1 - p->seat], i))
            list.at[list.n++] = (uint8_t)i;
    }
    sort_places(state, &list);
    for (int32_t i = 0; i < list.n; i++)
        show_piece(state, &state->pieces[list.at[i]], 0, &known->pieces[known->n_pieces++]);
}

static int32_t wec_observe(const void *setup, const void *state_, int32_t viewer, void *view_)
{
    const wec_state *state = state_;
    wec_view *view = view_;
    wec_state *known = &view->state;

    view->viewer = viewer;
    view->to_act = wec_to_act(setup, state);
    known->knower = 1;
    known->turn = state->turn;
    known->to_move = state->to_move;
    known->over = state->over;
    known->reason = state->reason;
    known->winners = state->winners;
    known->draw_offer = state->over ? 0 : state->draw_offer; /* 7.9: it ends with the match */
    memcpy(known->activation, state->activation, sizeof state->activation);
    for (int32_t square = 0; square < SQUARES; square++)
        for (int32_t k = 0; k < 2; k++) {
            known->loose[square].kind[k] = state->loose[square].kind[k];
            known->loose[square].ready[k] = (uint8_t)shown(state, state->to_move, state->loose[square].ready[k]);
        }
    known->n_projectiles = state->n_projectiles;
    for (int32_t i = 0; i < state->n_projectiles; i++) {
        const projectile *m = &state->projectiles[i];
        known->projectiles[i] = (projectile){m->kind, m->seat, m->square, m->direction, m->strength, 0,
                                             (uint16_t)(m->target ? HIDDEN_ID : 0)};
    }
    if (viewer < SEATS_N) {
        if (viewer == state->to_move) {
            memcpy(known->vacated, state->vacated, sizeof state->vacated);
            known->moved = state->moved;
            known->fires = state->fires;
            known->pick_ups = state->pick_ups;
            known->drops = state->drops;
            known->exchanges = state->exchanges;
            known->reinforces = state->reinforces;
        }
        known->n_ghosts[viewer] = state->n_ghosts[viewer];
        memcpy(ghosts_of(known, viewer), viewer == BLACK ? state->black_ghosts : state->white_ghosts,
               state->n_ghosts[viewer] * sizeof(ghost));
        for (int32_t i = 0; i < state->n_pieces; i++)
            if (state->pieces[i].seat == viewer)
                show_piece(state, &state->pieces[i], 1, &known->pieces[known->n_pieces++]);
    }
    show_foreign(setup, state, viewer, known);
    return WL_OK;
}

static uint32_t wec_disclosure(const void *setup, const void *state)
{
    (void)setup;
    return ((const wec_state *)state)->over ? WL_DISCLOSE_OVER : 0;
}

/* ==== The game =================================================================================================== */

static int32_t wec_seats_in(const void *setup)
{
    (void)setup;
    return SEATS_N;
}

static int32_t wec_phase(const void *state) { return ((const wec_state *)state)->over; }

/* A seat thinks anew whenever the half-turn becomes its own. */
static int64_t wec_clock(const void *setup, const void *state_, int32_t seat)
{
    const wec_state *state = state_;
    return wec_to_act(setup, state) & wl_bit(seat) ? (int64_t)state->turn : 0;
}

static wl_result wec_result(const void *state_)
{
    const wec_state *state = state_;
    const wl_result result = {state->over, state->reason, state->winners};
    return result;
}

static const wl_game WEC = {
    WL_PARTS(wec),
    .name = "wec",
    .rules_version = 1,
    .items_max = 0,
    .phases = PHASES,
    .reasons = REASONS,
    /* An end_turn: 64 projectiles move nine squares each and hit; every piece takes a step, is lost and spills: below 2000
     * effects, few of them with two forms, of some 12 words. */
    .event_words_max = 1 << 15,
    .draws_max = 0,
    .reconfigure = wec_reconfigure,
    .trace = wec_trace,
    .sample = wec_sample,
    .evaluate = wec_evaluate,
    .numbering = &wec_numbering,
};

const wl_game *const wl_games_wec[] = {&WEC, NULL};
