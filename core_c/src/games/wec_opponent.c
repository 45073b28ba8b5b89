/* wec_opponent.c: what computer opponents need of Weaponized Chess (warlog.h, section 9). */
#include "wec.h"

/* ==== What may be there ==========================================================================================
 *
 * A view leaves out the enemy's pieces that are not seen, ids, locks, who is revealed for how long, hits, half of what countdowns
 * say, journeys' ways and what is not ended yet of a half-turn. Most matches begin by the standard setup, and where nothing in
 * the view speaks against it, it tells which pieces and articles there must be: what is seen nowhere is hidden, waits or is lost.
 *
 * Pieces are put down one by one, each where the whole then still looks the same; one that fits nowhere is lost. So there is
 * always an answer. Until the end the pieces of the view stand first, and those that are made up behind them.
 *
 * What is possible but seldom comes up seldom: a hidden enemy beside a piece of the viewer in a mixed cell (7.3.4), a primary that
 * was lost while its seat has another one, a reveal of a piece that everybody sees anyway. */

enum { TRIES = 32, NEAR_TRIES = 12, NAMES = 256, STUN_USUAL = 8 /* half-turns */ };

typedef struct guess {
    const wec_setup *setup;
    wec_state *state;
    int32_t viewer;
    wl_draws *draws;
    int32_t n_seen;      /* pieces of the view */
    set hidden;          /* places of those that the viewer must not see */
    int32_t n_articles;  /* of all */
    int standard;        /* may the match have begun by the standard setup? */
    int32_t spare[KINDS]; /* then: articles that are seen nowhere */
    wec_state start;     /* and the start */
    uint8_t named[NAMES]; /* ids that are taken */
    uint32_t bits;        /* drawn, and how many are left */
    int32_t n_bits;
} guess;

/* 1 once in 2^power times. */
static int rarely(guess *g, int32_t power)
{
    uint32_t low;

    if (g->n_bits < power) {
        g->bits = (uint32_t)wl_draw(g->draws, 1 << 30);
        g->n_bits = 30;
    }
    low = g->bits & ((1u << power) - 1);
    g->bits >>= power;
    g->n_bits -= power;
    return low == 0;
}

static int32_t below(guess *g, int32_t n) { return n > 1 ? wl_draw(g->draws, n) : 0; }

static int is_foreign(const guess *g, const piece *p) { return p->seat != g->viewer; }

static int is_stealthy(const guess *g, const piece *p)
{
    return OPT(g->setup, STEALTH) && (abilities(p) & A(STEALTH)) && (!is_primary(p->type) || OPT(g->setup, KING_STEALTH));
}

/* Does the viewer see what he saw, and nothing more? */
static int looks_the_same(const guess *g)
{
    set unseen[SEATS_N];

    wec_unseen(g->setup, g->state, unseen);
    for (int32_t k = 0; k < 2; k++) {
        const uint64_t by_black = g->viewer == WHITE ? 0 : unseen[BLACK].word[k];
        const uint64_t by_white = g->viewer == BLACK ? 0 : unseen[WHITE].word[k];
        if ((by_black | by_white) != g->hidden.word[k])
            return 0;
    }
    return 1;
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

static int is_piece_of_start(const piece *s, const piece *p) { return s->type == p->type && s->hand == p->hand; }

/* The id of a piece of the start that this one may be, and that no other is: of its seat, or else converted. 0 if there is none. */
static int32_t find_name(const guess *g, const piece *p)
{
    for (int32_t converted = 0; converted < 2; converted++)
        for (int32_t i = 0; i < g->start.n_pieces; i++) {
            const piece *s = &g->start.pieces[i];
            if ((s->seat != p->seat) == converted && is_piece_of_start(s, p) && !g->named[s->id])
                return s->id;
        }
    return 0;
}

static int32_t new_name(guess *g, int32_t first)
{
    while (first < NAMES - 1 && g->named[first])
        first++;
    g->named[first] = 1;
    return first;
}

static void count_articles(const wec_state *state, int32_t n[KINDS])
{
    memset(n, 0, KINDS * sizeof n[0]);
    for (int32_t i = 0; i < SQUARES; i++)
        for (int32_t k = 0; k < 2; k++)
            n[state->loose[i].kind[k]]++;
    for (int32_t i = 0; i < state->n_pieces; i++)
        for (int32_t k = 0; k < state->pieces[i].n_articles; k++)
            n[state->pieces[i].articles[k].kind]++;
}

/* Gives a name to each piece that the viewer sees without one: always the same, so that the search meets the same actions again.
 * 0 if some piece cannot be of the standard setup. */
static int name_as_at_start(guess *g)
{
    memset(g->named, 0, sizeof g->named);
    for (int32_t i = 0; i < g->n_seen; i++) {
        const piece *p = &g->state->pieces[i];
        if (p->id == 0)
            continue;
        if (p->id > g->start.n_pieces || !is_piece_of_start(&g->start.pieces[p->id - 1], p))
            return 0;
        g->named[p->id] = 1;
    }
    for (int32_t i = 0; i < g->n_seen; i++) {
        piece *p = &g->state->pieces[i];
        if (p->id != 0)
            continue;
        p->id = (uint16_t)find_name(g, p);
        if (p->id == 0)
            return 0;
        g->named[p->id] = 1;
    }
    return 1;
}

static void name_pieces(guess *g)
{
    uint16_t given[PIECES_MAX];
    int32_t seen[KINDS], all[KINDS];

    wec_standard_start(g->setup, &g->start);
    count_articles(g->state, seen);
    count_articles(&g->start, all);
    g->standard = memcmp(g->state->activation, g->start.activation, sizeof g->start.activation) == 0;
    g->n_articles = 0;
    for (int32_t kind = FLAME; kind < KINDS; kind++) {
        g->spare[kind] = all[kind] - seen[kind];
        g->standard &= g->spare[kind] >= 0;
        g->n_articles += seen[kind];
    }
    for (int32_t i = 0; i < g->n_seen; i++)
        given[i] = g->state->pieces[i].id;
    g->standard = g->standard && name_as_at_start(g);
    if (g->standard)
        return;
    memset(g->named, 0, sizeof g->named);
    g->named[0] = 1;
    for (int32_t i = 0; i < g->n_seen; i++)
        if (given[i] < NAMES)
            g->named[given[i]] = 1;
    for (int32_t i = 0; i < g->n_seen; i++)
        g->state->pieces[i].id = (uint16_t)(given[i] != 0 ? given[i] : new_name(g, 1));
}

/* ---- Why is it seen? ---------------------------------------------------------------------------------------------- */

/* The locks of a piece: that of its own anti_stealth first, then those of its articles. NULL past the last. */
static uint16_t *lock_of(piece *p, int32_t i)
{
    int32_t n = 0;

    if ((TYPE[p->type].inherent & A(ANTI_STEALTH)) && n++ == i)
        return &p->lock;
    for (int32_t k = 0; k < p->n_articles; k++)
        if (p->articles[k].kind == ANTI_STEALTH && n++ == i)
            return &p->articles[k].lock;
    return NULL;
}

/* The stealth pawns of the standard setup are locked on each other, as long as they live and keep their sides. */
static void lock_as_at_start(guess *g, piece *p)
{
    const int32_t id = p->id;

    if (g->standard && id <= g->start.n_pieces && p->seat == g->start.pieces[id - 1].seat && OPT(g->setup, STEALTH_LOCK_ON))
        p->lock = g->start.pieces[id - 1].lock;
}

/* Locks a free anti_stealth of the other side on the piece; 0 if there is none. */
static int lock_any(guess *g, const piece *p)
{
    uint16_t *slots[PIECES_MAX];
    int32_t n = 0;

    if (!OPT(g->setup, STEALTH_LOCK_ON))
        return 0;
    for (int32_t i = 0; i < g->n_seen; i++) {
        piece *q = &g->state->pieces[i];
        uint16_t *lock;
        if (q->seat == p->seat || !on_board(q) || !(abilities(q) & A(ANTI_STEALTH)))
            continue;
        for (int32_t k = 0; (lock = lock_of(q, k)) != NULL; k++)
            if (*lock == 0 && n < PIECES_MAX)
                slots[n++] = lock;
    }
    if (n > 0)
        *slots[below(g, n)] = p->id;
    return n > 0;
}

/* Makes that what is seen can be seen: by a lock, or because it has been revealed. */
static void explain_what_is_seen(guess *g)
{
    set unseen[SEATS_N];

    wec_unseen(g->setup, g->state, unseen);
    for (int32_t i = 0; i < g->n_seen; i++) {
        piece *p = &g->state->pieces[i];
        if (!is_foreign(g, p) || !on_board(p))
            continue;
        if (WL_HAS(&unseen[1 - p->seat], i)) {
            if (rarely(g, 2) || p->level == SUB || !lock_any(g, p))
                p->revealed = (uint8_t)(1 + rarely(g, 1));
        } else if (rarely(g, p->level == SUB || is_stealthy(g, p) ? 2 : 7)) {
            p->revealed = (uint8_t)(1 + rarely(g, 1));
        }
    }
}

/* Of the viewer's own pieces: who has fired is revealed, and any other may be. */
static void reveal_own(guess *g)
{
    for (int32_t i = 0; i < g->n_seen; i++) {
        piece *p = &g->state->pieces[i];
        const int matters = p->level == SUB || is_stealthy(g, p);
        if (is_foreign(g, p) || !on_board(p))
            continue;
        if ((p->marks & FIRED) && OPT(g->setup, REVEAL_ON_FIRE))
            p->revealed = REVEALED_TURNS;
        else if (rarely(g, !matters ? 7 : p->stun > 0 ? 1 : 4))
            p->revealed = (uint8_t)(1 + rarely(g, 1));
    }
}

/* ---- Hidden pieces ------------------------------------------------------------------------------------------------ */

/* May the piece stand there? In a cell of the viewer's piece only after a partial conversion (7.3.4), which is rare. */
static int is_room(guess *g, const piece *p)
{
    int32_t others = 0;

    for (int32_t i = 0; i < g->state->n_pieces; i++) {
        const piece *q = &g->state->pieces[i];
        if (q->square != p->square || q->level != p->level)
            continue;
        if (others > 0 || !(TYPE[p->type].coexisting || TYPE[q->type].coexisting))
            return 0;
        if (q->seat != p->seat && !rarely(g, 3))
            return 0;
        others++;
    }
    for (int32_t i = 0; i < g->state->n_projectiles; i++)
        if (g->state->projectiles[i].square == p->square && g->state->projectiles[i].kind == p->level)
            return 0;
    return 1;
}

/* Adds a piece that the viewer does not see; 0 if he would. */
static int add_hidden(guess *g, const piece *p)
{
    wec_state *state = g->state;
    const int32_t place = state->n_pieces;

    if (place == PIECES_MAX || !is_room(g, p) || g->n_articles + p->n_articles > ARTICLES_MAX)
        return 0;
    state->pieces[state->n_pieces++] = *p;
    WL_ADD(&g->hidden, place);
    if (looks_the_same(g)) {
        g->n_articles += p->n_articles;
        for (int32_t k = 0; k < p->n_articles; k++)
            g->spare[p->articles[k].kind]--;
        return 1;
    }
    WL_REMOVE(&g->hidden, place);
    memset(&state->pieces[--state->n_pieces], 0, sizeof state->pieces[0]);
    return 0;
}

static int has_spare(const guess *g, int32_t kind) { return !g->standard || g->spare[kind] > 0; }

static void give(piece *p, int32_t kind)
{
    p->articles[p->n_articles++] = (article){(uint8_t)kind, 0, 0};
    note_kinds(p);
}

/* Takes the piece under water to a sub of its side; 0 if there is none. */
static int go_aboard(guess *g, piece *p)
{
    int32_t subs[PIECES_MAX];
    int32_t n = 0;

    for (int32_t i = 0; i < g->state->n_pieces; i++) {
        const piece *q = &g->state->pieces[i];
        if (q->seat == p->seat && q->type == SUBMARINE && q->level == SUB)
            subs[n++] = q->square;
    }
    if (n == 0)
        return 0;
    p->square = (uint8_t)subs[below(g, n)];
    p->level = SUB;
    return 1;
}

/* A journey's way is its rider's own affair: a few squares in one direction, or between two. */
static void imagine_journey(guess *g, piece *p)
{
    const int32_t d = below(g, DIRECTIONS);
    const int32_t side = rarely(g, 1) ? 1 : DIRECTIONS - 1;
    const int32_t most = p->transport == BICYCLE ? 1 + below(g, STEPS_MAX) : below(g, STEPS_MAX + 1);
    int32_t at = p->square;
    uint32_t n = 0;

    p->steps = 0;
    for (; (int32_t)n < most; n++) {
        int32_t to = rarely(g, 1) ? (d + side) % DIRECTIONS : d;
        if (neighbour(at, to) < 0)
            to = d;
        if (neighbour(at, to) < 0)
            break;
        at = neighbour(at, to);
        p->steps |= (uint32_t)to << (3 * n);
    }
    p->path = (uint8_t)below(g, 1 + STARBOARD);
    for (int32_t to = 0; n == 0 && p->transport == BICYCLE; to++) /* off the edge: but it goes somewhere */
        if (neighbour(p->square, to) >= 0) {
            p->steps = (uint32_t)to;
            n = 1;
        }
    p->steps |= n << 28;
}

/* Chooses how the piece is hidden, of the ways that its type has. 0: it cannot be so. */
static int choose_cover(guess *g, piece *p)
{
    enum { IN_THE_OPEN, DIVED, ABOARD, DIVING, USUAL = 6, WAYS_MAX = 2 * USUAL + 2 };
    const int keeps_dry = !OPT(g->setup, SUBMERSION) || (is_primary(p->type) && !OPT(g->setup, KING_SUB));
    const int cloaks = OPT(g->setup, STEALTH) && (!is_primary(p->type) || OPT(g->setup, KING_STEALTH));
    const int inherent = (TYPE[p->type].inherent & A(STEALTH)) != 0;
    int32_t ways[WAYS_MAX];
    int32_t n = 0;

    for (int32_t k = 0; cloaks && k < (inherent ? USUAL : has_spare(g, STEALTH)); k++)
        ways[n++] = IN_THE_OPEN;
    for (int32_t k = 0; !keeps_dry && p->type == SUBMARINE && k < USUAL; k++)
        ways[n++] = DIVED;
    if (!keeps_dry && p->type != SUBMARINE)
        ways[n++] = ABOARD;
    if (!keeps_dry && p->type != SUBMARINE && has_spare(g, SCUBA))
        ways[n++] = DIVING;
    if (n == 0)
        return 0;
    switch (ways[below(g, n)]) {
    case IN_THE_OPEN:
        if (!inherent)
            give(p, STEALTH);
        p->level = (uint8_t)(TYPE[p->type].native != GROUND && rarely(g, 1) ? TYPE[p->type].native : GROUND);
        return 1;
    case DIVED: p->level = SUB; return 1;
    case ABOARD: return go_aboard(g, p);
    default:
        give(p, SCUBA);
        p->level = SUB;
        p->transport = SCUBA;
        return 1;
    }
}

/* What has befallen the piece of late: it has fired, or was stunned. */
static void wear(guess *g, piece *p)
{
    for (int32_t k = 0; k < 2; k++)
        if (TYPE[p->type].weapon[k] != NO_ARTICLE && rarely(g, 3))
            p->ready[k] = (uint8_t)(1 + below(g, 2 * rate_of(g->setup, TYPE[p->type].weapon[k])));
    if (rarely(g, 5))
        p->stun = (uint16_t)(1 + below(g, STUN_USUAL));
}

/* Hides a piece of this seat and type somewhere: mostly not far from its square. 0 if no place was found. */
static int hide(guess *g, const piece *p, int32_t radius)
{
    for (int32_t tries = 0; tries < TRIES && g->draws->error == WL_OK; tries++) {
        const int32_t range = tries < NEAR_TRIES && !rarely(g, 4) ? radius : FILES;
        const int32_t r = rank_of(p->square) - range + below(g, 2 * range + 1);
        const int32_t f = file_of(p->square) - range + below(g, 2 * range + 1);
        piece q = *p;

        if (!wl_between(0, r, FILES - 1) || !wl_between(0, f, FILES - 1))
            continue;
        q.square = (uint8_t)(r * FILES + f);
        if (!choose_cover(g, &q))
            continue;
        wear(g, &q);
        if (q.transport != NO_ARTICLE)
            imagine_journey(g, &q);
        if (add_hidden(g, &q))
            return 1;
    }
    return 0;
}

/* A piece of this seat and type: one of the start that is seen nowhere, if there is one. Its square is that of the start. */
static piece missing_piece(guess *g, int32_t seat, int32_t type)
{
    piece p;

    memset(&p, 0, sizeof p);
    p.seat = (uint8_t)seat;
    p.type = (uint8_t)type;
    p.square = (uint8_t)below(g, SQUARES);
    if (TYPE[type].handed)
        p.hand = (uint8_t)(LEFT_HAND + rarely(g, 1));
    for (int32_t i = 0; g->standard && i < g->start.n_pieces; i++) {
        const piece *s = &g->start.pieces[i];
        if (s->seat != seat || s->type != type || g->named[s->id])
            continue;
        p.id = s->id;
        p.hand = s->hand;
        p.square = s->square;
        break;
    }
    if (p.id == 0)
        p.id = (uint16_t)new_name(g, g->standard ? g->start.n_pieces + 1 : 1);
    g->named[p.id] = 1;
    lock_as_at_start(g, &p);
    return p;
}

static int hide_new(guess *g, int32_t seat, int32_t type, int32_t square, int32_t radius)
{
    piece p = missing_piece(g, seat, type);

    if (square >= 0)
        p.square = (uint8_t)square;
    if (hide(g, &p, radius))
        return 1;
    g->named[p.id] = 0;
    return 0;
}

/* Is something seen aloft that nothing keeps there? Then what carries it is hidden in its cell. */
static void hide_carriers(guess *g)
{
    for (int32_t i = 0; i < g->n_seen; i++) {
        const piece *p = &g->state->pieces[i];
        int carried = !is_foreign(g, p) || !on_board(p) || is_native(p->type, p->level) || p->transport != NO_ARTICLE;
        piece carrier;

        for (int32_t k = 0; !carried && k < g->state->n_pieces; k++) {
            const piece *q = &g->state->pieces[k];
            carried = q->seat == p->seat && q->square == p->square && q->level == p->level && carries_at(q->type, p->level);
        }
        if (carried)
            continue;
        carrier = missing_piece(g, p->seat, p->level == AIR ? CHOPPER : SUBMARINE);
        carrier.square = p->square;
        carrier.level = p->level;
        if (p->level == SUB && add_hidden(g, &carrier))
            continue;
        give(&carrier, STEALTH);
        if (!add_hidden(g, &carrier))
            g->named[carrier.id] = 0;
    }
}

static int ghost_of(const guess *g, int32_t type)
{
    const ghost *ghosts;

    if (g->viewer >= SEATS_N)
        return 0;
    ghosts = ghosts_of(g->state, g->viewer);
    for (int32_t i = 0; i < g->state->n_ghosts[g->viewer]; i++)
        if (ghosts[i].type == type)
            return 1;
    return 0;
}

/* A seat without a primary has lost it in this half-turn, or it is hidden. What vanished has left a ghost; what was destroyed has
 * not. Two primaries, and one of them just converted: the other seat's is lost. */
static void find_primaries(guess *g)
{
    wec_state *state = g->state;
    const int acted = g->viewer != state->to_move || state->moved || state->fires > 0;

    for (int32_t seat = BLACK; seat <= WHITE; seat++) {
        int32_t n[SEATS_N] = {0, 0};
        int converted = 0;
        int32_t lost = LOST_DESTROYED;

        for (int32_t i = 0; i < state->n_pieces; i++) {
            const piece *p = &state->pieces[i];
            if (!on_board(p) || !is_primary(p->type))
                continue;
            n[p->seat]++;
            converted |= p->seat != seat && (p->marks & CONVERTED) != 0;
        }
        if (converted || (n[1 - seat] > 1 && n[seat] == 0))
            lost = LOST_CONVERTED;
        if (n[seat] > 0 && !converted) { /* the standard setup has one for each, so that all are there */
            if (acted && !(g->standard && n[BLACK] + n[WHITE] > 1) && rarely(g, 6))
                state->primary_lost[seat] = (uint8_t)(rarely(g, 1) ? LOST_CONVERTED : LOST_DESTROYED);
            continue;
        }
        if (n[seat] == 0 && !converted && seat != g->viewer) {
            const int32_t type = KING + g->setup->option[O_BLACK_GOVERNMENT + seat];
            if ((!acted || ghost_of(g, type) || rarely(g, 3)) && hide_new(g, seat, type, -1, FILES))
                continue;
        }
        state->primary_lost[seat] = (uint8_t)lost;
    }
}

/* What has vanished is not far away, as a rule. */
static void find_ghosts(guess *g)
{
    const wec_state *state = g->state;
    const ghost *ghosts;

    if (g->viewer >= SEATS_N)
        return;
    ghosts = ghosts_of(g->state, g->viewer);
    for (int32_t i = 0; i < state->n_ghosts[g->viewer]; i++) {
        const int32_t since = (int32_t)(state->turn - ghosts[i].turn);
        const int32_t radius = since < 0 || since > 2 * FILES ? FILES : 1 + since / 2;
        if (!is_primary(ghosts[i].type) && !rarely(g, 4))
            hide_new(g, 1 - g->viewer, ghosts[i].type, ghosts[i].square, radius);
    }
}

/* How many of sixteen pieces are left of those that cannot hide for long. */
static int32_t sixteenths_left(const guess *g, int32_t seat)
{
    int32_t n = 0;
    int32_t left = 0;

    for (int32_t i = 0; i < g->start.n_pieces; i++) {
        const piece *s = &g->start.pieces[i];
        if (s->seat != seat || s->level == WAITING || s->type == AAA || s->type == SUBMARINE)
            continue;
        n++;
        left += g->named[s->id];
    }
    return n > 0 ? 16 * left / n : 0;
}

/* Pieces of the standard setup that are seen nowhere and left no ghost. An AAA is hidden from the first; others are lost, as a
 * rule, but a spectator has no ghosts. */
static void find_missing(guess *g, int32_t seat)
{
    const int32_t left = sixteenths_left(g, seat);
    const int has_ghosts = g->viewer < SEATS_N;

    for (int32_t i = 0; i < g->start.n_pieces; i++) {
        const piece *s = &g->start.pieces[i];
        int32_t radius = FILES;

        if (s->seat != seat || g->named[s->id] || is_primary(s->type))
            continue;
        if (s->type == AAA && s->level != WAITING) {
            if (below(g, 16) >= left)
                continue;
            radius = g->state->turn < 8 * FILES ? (int32_t)g->state->turn / 8 : FILES;
        } else if (!rarely(g, s->type == AAA ? 4 : has_ghosts ? 7 : s->type == SUBMARINE ? 2 : 6)) {
            continue;
        }
        hide_new(g, seat, s->type, -1, radius);
    }
}

/* Any piece at all may be hidden where a Position has begun the match. */
static void find_any(guess *g, int32_t seat)
{
    while (rarely(g, 1) && g->draws->error == WL_OK) {
        static const uint8_t usual[] = {AAA, SUBMARINE};
        hide_new(g, seat, rarely(g, 1) ? usual[rarely(g, 1)] : ROCKET_PAWN + below(g, TYPES - ROCKET_PAWN), -1, FILES);
    }
}

/* ---- What waits, and what is carried -------------------------------------------------------------------------------- */

static void add_waiting(guess *g, piece p)
{
    p.level = WAITING;
    p.lock = 0;
    if (g->state->n_pieces < PIECES_MAX)
        g->state->pieces[g->state->n_pieces++] = p;
}

/* The enemy's reinforcements. */
static void find_waiting(guess *g, int32_t seat)
{
    for (int32_t i = 0; g->standard && i < g->start.n_pieces; i++) {
        const piece *s = &g->start.pieces[i];
        if (s->seat == seat && s->level == WAITING && !g->named[s->id] && !rarely(g, 4)) {
            add_waiting(g, *s);
            g->named[s->id] = 1;
        }
    }
    for (int32_t square = 0; !g->standard && square < SQUARES; square++) {
        piece p;
        if (!wl_has(&g->state->activation[2 * seat], square) || rarely(g, 1))
            continue;
        p = missing_piece(g, seat, ROCKET_PAWN + below(g, TYPES - ROCKET_PAWN));
        p.square = (uint8_t)square;
        add_waiting(g, p);
    }
}

static void hand_out(guess *g, int32_t kind)
{
    piece *p = &g->state->pieces[g->n_seen + below(g, g->state->n_pieces - g->n_seen)];
    const piece before = *p;

    if (p->n_articles == CARRIED_MAX || p->n_articles + 1 > capacity(p->type, p->kinds | A(kind)) || g->n_articles >= ARTICLES_MAX)
        return;
    give(p, kind);
    if (looks_the_same(g))
        g->n_articles++;
    else
        *p = before;
}

/* Hidden pieces carry what is on no square and no piece that is seen; or just anything. */
static void hand_out_articles(guess *g)
{
    const int32_t n_hidden = g->state->n_pieces - g->n_seen;

    for (int32_t kind = FLAME; g->standard && n_hidden > 0 && kind < KINDS; kind++)
        for (int32_t n = g->spare[kind]; n > 0; n--)
            hand_out(g, kind);
    for (int32_t i = 0; !g->standard && i < n_hidden; i++)
        if (rarely(g, 2))
            hand_out(g, FLAME + below(g, KINDS - FLAME));
}

/* ---- Small things that are not seen --------------------------------------------------------------------------------- */

/* A countdown as it may be, of which `shown` is seen: every second half-turn does not show. */
static int32_t half_turns(guess *g, int32_t shown, int32_t acts, int32_t most)
{
    if (shown == 0 || shown == most)
        return shown;
    /* as it is after an own act; else an article or a piece has changed sides */
    return rarely(g, 3) ? shown - (acts ? 1 : 0) : shown + (acts ? 0 : 1);
}

static void imagine_countdowns(guess *g)
{
    wec_state *state = g->state;

    for (int32_t i = 0; i < g->n_seen; i++) {
        piece *p = &state->pieces[i];
        const int acts = p->seat == state->to_move;
        for (int32_t k = 0; k < 2; k++)
            p->ready[k] = (uint8_t)half_turns(g, p->ready[k], acts, HALF_TURNS_READY_MAX);
        for (int32_t k = 0; k < p->n_articles; k++)
            p->articles[k].ready = (uint8_t)half_turns(g, p->articles[k].ready, acts, HALF_TURNS_READY_MAX);
        p->stun = (uint16_t)half_turns(g, p->stun, acts, HALF_TURNS_STUN_MAX);
    }
    for (int32_t square = 0; square < SQUARES; square++)
        for (int32_t k = 0; k < 2; k++)
            if (state->loose[square].ready[k] != 0 && rarely(g, 1))
                state->loose[square].ready[k]--;
}

/* A piece of this seat on the board, and at this level if it is not LEVELS; -1 if there is none. */
static int32_t any_piece(guess *g, int32_t seat, int32_t level)
{
    uint8_t places[PIECES_MAX];
    int32_t n = 0;

    for (int32_t i = 0; i < g->state->n_pieces; i++) {
        const piece *p = &g->state->pieces[i];
        if (p->seat == seat && on_board(p) && (level == LEVELS || p->level == level))
            places[n++] = (uint8_t)i;
    }
    return n > 0 ? places[below(g, n)] : -1;
}

static void imagine_locks(guess *g)
{
    wec_state *state = g->state;

    for (int32_t i = 0; OPT(g->setup, STEALTH_LOCK_ON) && i < state->n_pieces; i++) {
        piece *p = &state->pieces[i];
        uint16_t *lock;
        if (!on_board(p) || !(abilities(p) & A(ANTI_STEALTH)))
            continue;
        for (int32_t k = 0; (lock = lock_of(p, k)) != NULL; k++) {
            const int inherited = g->standard && lock == &p->lock;
            const int32_t place = *lock != 0 || inherited || rarely(g, 1) ? -1 : any_piece(g, 1 - p->seat, LEVELS);
            if (place < 0 || !is_stealthy(g, &state->pieces[place]))
                continue;
            *lock = state->pieces[place].id;
            if (!looks_the_same(g))
                *lock = 0;
        }
    }
}

/* Locks on what is not there any more. */
static void clear_locks(guess *g)
{
    for (int32_t i = 0; i < g->n_seen; i++) {
        piece *p = &g->state->pieces[i];
        int found = p->lock == 0;
        for (int32_t k = 0; !found && k < g->state->n_pieces; k++)
            found = g->state->pieces[k].id == p->lock && on_board(&g->state->pieces[k]) && g->state->pieces[k].seat != p->seat;
        if (!found)
            p->lock = 0;
    }
}

/* Targets of what homes; and of the latest launches of the seat to act, which may be of this half-turn. */
static void imagine_projectiles(guess *g)
{
    wec_state *state = g->state;
    int32_t fires = state->fires;

    for (int32_t i = state->n_projectiles - 1; i >= 0; i--) {
        projectile *m = &state->projectiles[i];
        if (fires > 0 && m->seat == state->to_move && rarely(g, 1)) {
            m->fresh = 1;
            fires--;
        }
        if (m->target != 0) {
            int32_t place = any_piece(g, 1 - m->seat, m->kind);
            if (place < 0) /* it is lost, and that will come out */
                place = any_piece(g, 1 - m->seat, LEVELS);
            if (place >= 0)
                m->target = state->pieces[place].id;
        }
    }
}

/* What the seat to act has done, to those who may not know it. */
static void imagine_turn(guess *g)
{
    wec_state *state = g->state;
    int32_t square = -1;

    state->moved = (uint8_t)rarely(g, 1);
    state->fires = (uint8_t)(rarely(g, 2) + rarely(g, 2));
    state->pick_ups = (uint8_t)rarely(g, 3);
    state->drops = (uint8_t)rarely(g, 4);
    state->exchanges = (uint8_t)rarely(g, 4);
    state->reinforces = (uint8_t)rarely(g, 5);
    for (int32_t i = 0; i < state->moved + state->fires; i++) {
        const int32_t place = any_piece(g, state->to_move, LEVELS);
        if (place >= 0)
            state->pieces[place].marks |= i < state->moved ? ACTED | MOVED : ACTED | FIRED;
        if (place >= 0 && i < state->moved)
            square = neighbour(state->pieces[place].square, below(g, DIRECTIONS));
    }
    if (square >= 0)
        wl_add(state->vacated, square);
}

/* Who has fired may have hit somebody beside him who could bear it. */
static void imagine_hits(guess *g)
{
    wec_state *state = g->state;

    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *p = &state->pieces[i];
        for (int32_t hit = HIT_FLAME; (p->marks & FIRED) && hit <= HIT_CONVERSION; hit++) {
            piece *q;
            int32_t place;
            if (!(abilities(p) & A(FLAME + hit)) || rarely(g, 1) || (place = any_piece(g, 1 - p->seat, p->level)) < 0)
                continue;
            q = &state->pieces[place];
            if (distance(p->square, q->square) <= 1 && (abilities(q) & A(ANTI_FLAME + hit)))
                q->hits[hit] = 1;
        }
    }
}

/* Pieces by ascending id. */
static void put_in_order(wec_state *state)
{
    piece pieces[PIECES_MAX];
    uint32_t order[PIECES_MAX];
    const int32_t n = state->n_pieces;

    for (int32_t i = 0; i < n; i++) {
        const uint32_t key = (uint32_t)state->pieces[i].id << 8 | (uint32_t)i;
        int32_t at = i;
        for (; at > 0 && order[at - 1] > key; at--)
            order[at] = order[at - 1];
        order[at] = key;
    }
    memcpy(pieces, state->pieces, (size_t)n * sizeof pieces[0]);
    for (int32_t i = 0; i < n; i++)
        state->pieces[i] = pieces[order[i] & 0xff];
}

static void imagine_pieces(guess *g)
{
    hide_carriers(g);
    find_primaries(g);
    find_ghosts(g);
    for (int32_t seat = BLACK; seat <= WHITE; seat++)
        if (seat != g->viewer) {
            if (g->standard)
                find_missing(g, seat);
            else
                find_any(g, seat);
        }
    hand_out_articles(g);
    for (int32_t seat = BLACK; seat <= WHITE; seat++)
        if (seat != g->viewer)
            find_waiting(g, seat);
}

int32_t wec_sample(const void *setup, void *state_, int32_t viewer, wl_draws *draws)
{
    wec_state *state = state_;
    guess g;

    if (!state->knower)
        return WL_OK; /* it is whole */
    memset(&g, 0, sizeof g);
    g.setup = setup;
    g.state = state;
    g.viewer = viewer;
    g.draws = draws;
    g.n_seen = state->n_pieces;
    state->knower = 0;
    name_pieces(&g);
    imagine_countdowns(&g);
    for (int32_t i = 0; i < g.n_seen; i++) {
        piece *p = &state->pieces[i];
        if (is_foreign(&g, p) && p->transport != NO_ARTICLE)
            imagine_journey(&g, p);
        lock_as_at_start(&g, p);
    }
    if (!state->over) {
        explain_what_is_seen(&g);
        if (viewer != state->to_move)
            imagine_turn(&g);
        imagine_pieces(&g);
        clear_locks(&g);
        imagine_locks(&g);
        reveal_own(&g);
        imagine_hits(&g);
        imagine_projectiles(&g);
        state->idle_turns = (uint8_t)(state->turn > 1 && rarely(&g, 5));
        if (!looks_the_same(&g))
            return WL_E_STATE;
    }
    put_in_order(state);
    return WL_OK;
}

/* ==== What it is worth =========================================================================================== */

/* In hundredths of a pawn. */
static const int16_t WORTH[TYPES] = {
    [ROCKET_PAWN] = 100,  [STUN_PAWN] = 120, [FLAME_PAWN] = 120, [CONVERSION_PAWN] = 160, [XXX_PAWN] = 100, [STEALTH_PAWN] = 110,
    [SAM_TORPEDO_PAWN] = 100, [TANK] = 450, [DOZER] = 120, [CLERIC] = 500, [CHOPPER] = 350, [JET] = 200, [SUBMARINE] = 200,
    [DESTROYER] = 120, [AAA] = 150, [QUEEN] = 900, [ASSASSIN] = 900, [ACOLYTE] = 900, [PRIME_MINISTER] = 900,
};

/* What it is worth to come one square nearer to the enemy's primary. */
static const int16_t DRIVE[TYPES] = {
    [ROCKET_PAWN] = 2, [STUN_PAWN] = 3, [FLAME_PAWN] = 3, [CONVERSION_PAWN] = 5, [TANK] = 4, [CLERIC] = 5, [CHOPPER] = 4,
    [QUEEN] = 6,
    [ASSASSIN] = 6, [ACOLYTE] = 6, [PRIME_MINISTER] = 6,
};

static const int16_t ARTICLE_WORTH[KINDS] = {
    [FLAME] = 50, [STUN] = 50, [CONVERSION] = 70, [ROCKET_LAUNCHER] = 35, [SAM_LAUNCHER] = 15, [TORPEDO_LAUNCHER] = 15,
    [STEALTH] = 40,
    [ANTI_FLAME] = 20, [ANTI_STUN] = 20, [ANTI_CONVERSION] = 30, [ANTI_ROCKET] = 15, [ANTI_SAM] = 5, [ANTI_TORPEDO] = 5,
    [ANTI_STEALTH] = 15, [BICYCLE] = 5, [JUMP_PACK] = 10, [SCUBA] = 10, [XXX] = 25,
};

enum { UNREADY = 30, JOURNEY = 40 /* it cannot act, and may crash */, WAITS = 12 /* a reinforcement is worth one in so many */, SHIELD = 150, PREY_MAX = 200 };
enum { HALF = 300 /* so much ahead is half way from even to won */, MATE = 24000, MATE_NEXT = 9000, MATE_AHEAD = 600 };

typedef struct army {
    int32_t worth;
    int32_t primary; /* its place, -1: none that the enemy sees */
    int32_t n_movers;
    uint8_t movers[PIECES_MAX]; /* places of those that may take much, or strike the enemy's primary after a Move */
    int32_t strength[HIT_KINDS][2]; /* the two strongest that are beside the enemy's primary, weapon by weapon */
    int32_t place[HIT_KINDS];       /* whose the first is */
    int32_t mates;  /* can it destroy or convert the primary in its next turn? */
    int32_t prey;   /* the most that one Move can take */
} army;

/* How many weapons of this kind the piece can fire in the next turn of its seat. */
static int32_t strength_of(const piece *p, int32_t hit, int acts)
{
    const int32_t kind = FLAME + hit;
    const int32_t limit = acts ? 0 : 1; /* half-turns */
    int32_t n = 0;

    if (!(abilities(p) & A(kind)))
        return 0;
    for (int32_t i = 0; i < 2; i++)
        n += TYPE[p->type].weapon[i] == kind && p->ready[i] <= limit;
    for (int32_t i = 0; i < p->n_articles; i++)
        n += p->articles[i].kind == kind && p->articles[i].ready <= limit;
    return n;
}

/* So many hits does the piece bear. */
static int32_t defence_of(const piece *p, int32_t hit)
{
    int32_t n = (TYPE[p->type].inherent & A(ANTI_FLAME + hit)) != 0;

    for (int32_t i = 0; i < p->n_articles; i++)
        n += p->articles[i].kind == ANTI_FLAME + hit;
    return n - p->hits[hit];
}

/* Does this weapon destroy or convert what is beside it at this level, if the firer is at that? */
static int can_strike(int32_t hit, int32_t from, int32_t level)
{
    if (hit == HIT_FLAME || hit == HIT_CONVERSION)
        return from == level;
    return hit != HIT_STUN && hit - HIT_ROCKET == level;
}

static int is_stunned(const piece *p, int acts) { return p->stun > (acts ? 0 : 1); }

static int32_t worth_of(const piece *p, int acts)
{
    int32_t worth = WORTH[p->type];

    if (p->level == WAITING)
        return worth / WAITS;
    for (int32_t i = 0; i < 2; i++)
        worth -= p->ready[i] > 0 ? UNREADY : 0;
    for (int32_t i = 0; i < p->n_articles; i++)
        worth += ARTICLE_WORTH[p->articles[i].kind] / (p->articles[i].ready > 0 ? 2 : 1); /* dropping it is no gain */
    worth -= p->transport != 0 ? JOURNEY : 0;
    if (is_primary(p->type)) {
        for (int32_t hit = HIT_FLAME; hit <= HIT_ROCKET; hit++)
            worth += hit != HIT_STUN && defence_of(p, hit) > 0 ? SHIELD : 0;
        return worth;
    }
    return is_stunned(p, acts) ? worth / 2 : worth;
}

/* Notes what a piece adds to its side. `prey` is the enemy's primary, or NULL. */
static void enlist(const wec_setup *setup, const wec_state *state, army *a, int32_t place, const piece *prey)
{
    const piece *p = &state->pieces[place];
    const int acts = p->seat == state->to_move;
    int32_t far;

    a->worth += worth_of(p, acts);
    if (!on_board(p) || is_stunned(p, acts) || (p->marks & CONVERTED))
        return;
    far = prey != NULL ? distance(p->square, prey->square) : FILES;
    a->worth += (FILES - far) * DRIVE[p->type];
    if (is_native(p->type, p->level) && !(p->marks & TRAVELLED) &&
        (p->type == TANK || p->type == CLERIC || p->type == CHOPPER || is_secondary(p->type) || far <= 3 ||
         (far <= 4 && OPT(setup, SUB_JET_COMBAT))))
        a->movers[a->n_movers++] = (uint8_t)place;
    if (prey == NULL || far > 1 || (acts && (p->marks & FIRED)))
        return;
    for (int32_t hit = HIT_FLAME; hit < HIT_KINDS; hit++) {
        const int32_t strength = can_strike(hit, p->level, prey->level) ? strength_of(p, hit, acts) : 0;
        if (strength > a->strength[hit][0]) {
            a->strength[hit][1] = a->strength[hit][0];
            a->strength[hit][0] = strength;
            a->place[hit] = place;
        } else if (strength > a->strength[hit][1]) {
            a->strength[hit][1] = strength;
        }
    }
}

/* Is the primary struck down by what is beside it, and by this piece (or -1), which comes beside it? */
static int is_struck(const wec_state *state, const army *a, int32_t fires, int32_t comer, const piece *prey)
{
    for (int32_t hit = HIT_FLAME; fires > 0 && hit < HIT_KINDS; hit++) {
        const piece *p = comer >= 0 ? &state->pieces[comer] : NULL;
        const int acts = prey->seat != state->to_move;
        int32_t strength = a->strength[hit][0] + (fires > 1 ? a->strength[hit][1] : 0);

        if (p != NULL) {
            const int idle = !can_strike(hit, p->level, prey->level) || (acts && (p->marks & FIRED));
            const int32_t own = idle ? 0 : strength_of(p, hit, acts);
            const int32_t other = a->strength[hit][0] > 0 && a->place[hit] == comer ? a->strength[hit][1] : a->strength[hit][0];
            strength = own > 0 ? own + (fires > 1 ? other : 0) : 0;
        }
        if (strength > 0 && strength > defence_of(prey, hit))
            return 1;
    }
    return 0;
}

/* Looks what one Move of this seat takes, and whether its turn ends the match. */
static void look_ahead(const wec_setup *setup, const wec_state *state, int32_t seat, army *a, const piece *prey)
{
    const int acts = seat == state->to_move;
    const int32_t fires = OPT(setup, ACTION_RESTRICTION) == MOVE_ONLY ? 0 : acts ? 2 - state->fires : 2;
    const int moves_and_fires = OPT(setup, ACTION_RESTRICTION) == RESTRICT_NOTHING;
    wec_moves moves[PIECES_MAX];
    set around = {{0, 0}};

    a->mates = prey != NULL && is_struck(state, a, fires, -1, prey);
    if (a->mates || (acts && state->moved) || a->n_movers == 0)
        return;
    for (int32_t d = 0; prey != NULL && d < DIRECTIONS; d++)
        if (neighbour(prey->square, d) >= 0)
            WL_ADD(&around, neighbour(prey->square, d));
    wec_find_moves(setup, state, seat, a->movers, a->n_movers, moves);
    for (int32_t i = 0; i < a->n_movers; i++) {
        const piece *p = &state->pieces[a->movers[i]];
        if (prey != NULL && WL_HAS(&moves[i].to[prey->level], prey->square))
            a->mates = 1;
        for (int32_t k = 0; prey != NULL && !a->mates && moves_and_fires && k < 2; k++)
            if (moves[i].to[p->level].word[k] & around.word[k])
                a->mates = is_struck(state, a, fires, a->movers[i], prey);
        if (a->mates)
            return;
        for (int32_t k = 0; k < state->n_pieces; k++) {
            const piece *q = &state->pieces[k];
            if (q->seat != seat && on_board(q) && WORTH[q->type] > a->prey && WL_HAS(&moves[i].to[q->level], q->square))
                a->prey = WORTH[q->type];
        }
    }
}

void wec_evaluate(const void *setup_, const void *state_, int32_t *value)
{
    const wec_setup *setup = setup_;
    const wec_state *state = state_;
    const int32_t acting = state->to_move;
    const piece *prey[SEATS_N] = {NULL, NULL}; /* of the other seat */
    army armies[SEATS_N];
    set unseen[SEATS_N];
    int32_t ahead;

    memset(armies, 0, sizeof armies);
    wec_unseen(setup, state, unseen);
    for (int32_t i = 0; i < state->n_pieces; i++) {
        const piece *p = &state->pieces[i];
        if (is_primary(p->type) && on_board(p) && !WL_HAS(&unseen[1 - p->seat], i))
            prey[1 - p->seat] = p;
    }
    for (int32_t i = 0; i < state->n_pieces; i++)
        enlist(setup, state, &armies[state->pieces[i].seat], i, prey[state->pieces[i].seat]);
    look_ahead(setup, state, acting, &armies[acting], prey[acting]);
    ahead = armies[acting].worth - armies[1 - acting].worth;
    if (state->primary_lost[acting]) {
        ahead = -MATE * 2;
    } else if (state->primary_lost[1 - acting]) {
        ahead = MATE * 2;
    } else if (armies[acting].mates) {
        ahead += MATE;
    } else {
        look_ahead(setup, state, 1 - acting, &armies[1 - acting], prey[1 - acting]);
        ahead += armies[acting].prey / 2;
        if (armies[1 - acting].mates)
            ahead -= state->moved ? MATE_NEXT : MATE_AHEAD;
        else
            ahead -= armies[1 - acting].prey / (state->moved ? 2 : 8);
    }
    value[acting] = WL_EVEN + (int32_t)((int64_t)(WL_WON - WL_EVEN) * ahead / (wl_abs(ahead) + HALF));
    value[1 - acting] = WL_WON - value[acting];
}
