"""A slow, plain reading of Weaponized Chess (rules/wec.md), section by section, beside the C.

Written from the book: half-turn numbers are absolute as there, a listing is every action that one can think of put
through the checks in the book's order, and what each viewer is told of an effect is judged when it happens."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Square = tuple[int, int]  # rank, file, both from 1
Cell = tuple[Square, str]

BOOK: Json = json.loads(
    (Path(__file__).parents[2] / "core_c/warlog_core/rules/wec.json").read_text(encoding="utf-8")
)
SEATS = ("black", "white")
LEVELS = ("ground", "air", "sub")
DIRECTIONS = {d["name"]: (d["dr"], d["dc"]) for d in BOOK["board"]["directions"]}
TYPES = [spec["type"] for spec in BOOK["piece_types"]]
TYPE: dict[str, Json] = {spec["type"]: spec for spec in BOOK["piece_types"]}
KINDS = [spec["kind"] for spec in BOOK["articles"]]
WEAPONS = BOOK["fire_weapons"]
LAUNCHERS = {"rocket_launcher": "rocket", "sam_launcher": "sam", "torpedo_launcher": "torpedo"}
FLIES_AT = {"rocket": "ground", "sam": "air", "torpedo": "sub"}
TRANSPORTS = {"bicycle": "ground", "jump_pack": "air", "scuba": "sub"}
HITS = ("flame", "stun", "conversion", "rocket", "sam", "torpedo")
HAS_COUNTDOWN = ("flame", "stun", "conversion", *LAUNCHERS, "limited_rocket")
ACTIONS = [*BOOK["action_types"]]


def square(name: str) -> Square:
    return int(name[1:]), ord(name[0]) - ord("a") + 1


def name(at: Square) -> str:
    return f"{chr(ord('a') + at[1] - 1)}{at[0]}"


EVERY = [(r, f) for r in range(1, 11) for f in range(1, 11)]


def on_board(at: Square) -> bool:
    return 1 <= at[0] <= 10 and 1 <= at[1] <= 10


def plus(at: Square, dr: int, df: int) -> Square:
    return at[0] + dr, at[1] + df


def distance(a: Square, b: Square) -> int:
    return max(abs(a[0] - b[0]), abs(a[1] - b[1]))


def sign(x: int) -> int:
    return (x > 0) - (x < 0)


def other(seat: str) -> str:
    return SEATS[1 - SEATS.index(seat)]


def forward(seat: str) -> int:
    return 1 if seat == "black" else -1


class Error(Exception):
    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def require(holds: object, code: str) -> None:
    if not holds:
        raise Error(code)


@dataclass(eq=False)
class Article:
    kind: str
    ready_turn: int = 0
    lock: int | None = None


@dataclass(eq=False)
class Journey:
    article: str
    to: Square
    path: str
    remaining: list[Square]


@dataclass(eq=False)
class Piece:
    id: int
    seat: str
    type: str
    at: Square
    level: str = "ground"
    hand: str | None = None
    unmoved: bool = False
    articles: list[Article] = field(default_factory=list)
    ready_turns: dict[str, int] = field(default_factory=dict)
    lock: int | None = None
    stunned_until: int = 0
    revealed_until: int = 0
    journey: Journey | None = None
    hits: Counter[str] = field(default_factory=Counter)
    acted: bool = False
    fired: bool = False
    moved_piece: bool = False
    converted: bool = False
    travelled: bool = False

    @property
    def spec(self) -> Json:
        return TYPE[self.type]

    @property
    def cell(self) -> Cell:
        return self.at, self.level

    @property
    def coexisting(self) -> bool:
        return bool(self.spec["coexisting"])

    @property
    def primary(self) -> bool:
        return bool(self.spec["class"] == "primary")

    @property
    def secondary(self) -> bool:
        return bool(self.spec["class"] == "secondary")

    def native(self, level: str) -> bool:
        return level in self.spec["native"]

    def count(self, kind: str) -> int:
        return (kind in self.spec["inherent"]) + sum(a.kind == kind for a in self.articles)

    def has(self, kind: str) -> bool:
        return self.count(kind) > 0


@dataclass(eq=False)
class Missile:
    kind: str
    seat: str
    at: Square
    direction: str
    strength: int = 1
    target: int | None = None
    fresh: bool = False

    @property
    def cell(self) -> Cell:
        return self.at, FLIES_AT[self.kind]


def capacity(type_: str, kinds: list[str]) -> int:
    return 2 if type_ == "xxx_pawn" else 3 if "xxx" in kinds else 1


@dataclass
class ReplayedEvent:
    """An effect, whole, and as each viewer got it."""

    whole: Json
    forms: dict[str, Json | None]


class Match:
    """A match from a Position on. `apply` gives the effects; `legal`, `view`, `position` are the book's."""

    def __init__(self, options: Json, position: Json) -> None:
        self.options: Json = {
            spec["name"]: options.get(spec["name"], spec["default"]) for spec in BOOK["options"]
        }
        self.turn: int = position.get("turn", 1)
        self.to_move: str = position.get("to_move", "black")
        self.idle_turns: int = position.get("idle_turns", 0)
        self.pieces: list[Piece] = [_piece(entry) for entry in position["pieces"]]
        self.loose: dict[Square, list[Article]] = {
            square(entry["at"]): [_article(a) for a in entry["articles"]]
            for entry in position.get("articles", [])
        }
        self.missiles = [
            Missile(
                m["kind"], m["seat"], square(m["at"]), m["direction"], m.get("strength", 1), m.get("target"),
                m.get("fresh", False),
            )
            for m in position.get("projectiles", [])
        ]  # fmt: skip
        self.waiting = [
            Piece(r["id"], r["seat"], r["type"], square(r["at"]), hand=r.get("hand"))
            for r in position.get("reinforcements", [])
        ]
        given = position.get("activation_squares")
        self.activation: dict[str, list[Square]] = {
            seat: [square(s) for s in given[seat]]
            if given is not None
            else sorted({p.at for p in self.waiting if p.seat == seat})
            for seat in SEATS
        }
        self.ghosts: dict[str, list[Json]] = {
            seat: sorted(position.get("ghosts", {}).get(seat, []), key=_ghost_order) for seat in SEATS
        }
        self.draw_offer: str | None = position.get("draw_offer")
        state = position.get("turn_state", {})
        self.moved: bool = state.get("moved", False)
        self.fires: int = state.get("fires", 0)
        self.pick_ups: int = state.get("pick_ups", 0)
        self.drops: int = state.get("drops", 0)
        self.exchanges: int = state.get("exchanges", 0)
        self.reinforces: int = state.get("reinforces", 0)
        self.vacated: set[Square] = {square(s) for s in state.get("vacated", [])}
        self.primary_lost: dict[str, str] = dict(state.get("primary_lost", {}))
        for mark, attribute in (
            ("acted", "acted"), ("fired", "fired"), ("moved_pieces", "moved_piece"), ("converted", "converted"),
            ("travelled", "travelled"),
        ):  # fmt: skip
            for id_ in state.get(mark, []):
                setattr(self.piece(id_), attribute, True)
        for entry in state.get("hits", []):
            self.piece(entry["piece"]).hits.update({k: v for k, v in entry.items() if k != "piece"})
        self.result: Json | None = None
        self.told: list[ReplayedEvent] = []

    # ---- who is where ----

    def piece(self, id_: int) -> Piece:
        return next(p for p in self.pieces if p.id == id_)

    def find(self, id_: int | None) -> Piece | None:
        return next((p for p in self.pieces if p.id == id_), None)

    def in_cell(self, cell: Cell) -> list[Piece]:
        return self.in_order([p for p in self.pieces if p.cell == cell])

    def base(self, seat: str) -> int:
        return self.turn if seat == self.to_move else self.turn + 1

    def left(self, seat: str, until: int) -> int:
        return max(0, -((self.base(seat) - until) // 2))

    def in_order(self, pieces: list[Piece]) -> list[Piece]:
        """Section 2, Piece order."""

        def key(p: Piece) -> tuple[Any, ...]:
            return (
                p.at,
                LEVELS.index(p.level),
                SEATS.index(p.seat),
                TYPES.index(p.type),
                (None, "left", "right").index(p.hand),
                [KINDS.index(a.kind) for a in p.articles],
                [self.left(p.seat, a.ready_turn) for a in p.articles],
                [self.left(p.seat, p.ready_turns.get(ability, 0)) for ability in p.spec["inherent"]],
                self.left(p.seat, p.stunned_until) if self.turn < p.stunned_until else 0,
                p.unmoved,
                -1 if p.journey is None else KINDS.index(p.journey.article),
                p.id,
            )

        return sorted(pieces, key=key)

    # ---- 8.1, 8.2 ----

    def stealthy(self, p: Piece) -> bool:
        o = self.options
        return bool(o["stealth"] and p.has("stealth") and (not p.primary or o["king_stealth"]))

    def sees(self, seat: str, p: Piece) -> bool:
        o = self.options
        if p.seat == seat or self.result is not None or self.turn <= p.revealed_until:
            return True
        own = [q for q in self.pieces if q.seat == seat]
        locks = {q.lock for q in own} | {a.lock for q in own for a in q.articles}
        counter = (o["stealth_lock_on"] and p.id in locks) or (
            o["stealth_range_detection"]
            and any(
                q.has("anti_stealth") and distance(q.at, p.at) <= o["stealth_detection_range"] for q in own
            )
        )
        s = self.stealthy(p) and not counter
        if p.level != "sub":
            return not s
        m = o["submersion"] and not any(
            q.has("torpedo_launcher") and distance(q.at, p.at) <= o["submersion_detection_range"] for q in own
        )
        return not (s or m) if o["dominance"] == "stealth" else not m

    def viewer_sees(self, viewer: str, p: Piece) -> bool:
        return self.sees(other(p.seat) if viewer == "spectator" else viewer, p)

    # ---- 8.4: who is told what ----

    def tell(
        self, owner: str, whole: Json, shown: Json | None, *, hidden_ids: tuple[str, ...] = ("piece",)
    ) -> None:
        """Whole to the owner, `shown` to the other seat and to spectators, without ids."""
        form = None if shown is None else {k: v for k, v in shown.items() if k not in hidden_ids}
        self.told.append(ReplayedEvent(whole, {owner: whole, other(owner): form, "spectator": form}))

    def tell_all(self, effect: Json) -> None:
        self.told.append(ReplayedEvent(effect, dict.fromkeys((*SEATS, "spectator"), effect)))

    def tell_only(self, seat: str, effect: Json) -> None:
        self.told.append(ReplayedEvent(effect, {seat: effect, other(seat): None, "spectator": None}))

    @staticmethod
    def ref(p: Piece) -> Json:
        return {"seat": p.seat, "piece_type": p.type, "piece": p.id}

    def about(self, type_: str, p: Piece, **fields: Any) -> Json:
        return {"type": type_, **self.ref(p), "at": name(p.at), "level": p.level, **fields}

    # ---- 2: enterable; 3.3: movement ----

    def enterable(self, p: Piece, cell: Cell, *, seen_by: str | None = None) -> bool:
        if not on_board(cell[0]):
            return False
        there = [q for q in self.in_cell(cell) if q is not p and (seen_by is None or self.sees(seen_by, q))]
        if any(q.seat != p.seat for q in there):
            return False
        return not there or (len(there) == 1 and (p.coexisting or there[0].coexisting))

    def takeable(self, seat: str, cell: Cell) -> bool:
        there = [q for q in self.in_cell(cell) if self.sees(seat, q)]
        return any(q.seat != seat for q in there) and all(q.seat != seat for q in there)

    def clear(self, seat: str, cell: Cell) -> bool:
        return not any(self.sees(seat, q) for q in self.in_cell(cell))

    def destinations(self, p: Piece) -> dict[Cell, list[tuple[Cell, bool]]]:
        """Each legal destination with its way: cell by cell, and whether that step is combat."""
        found: dict[Cell, list[tuple[Cell, bool]]] = {}
        for way, may_enter, may_take in self._ways(p):
            end = way[-1][0]
            if not all(on_board(cell[0]) for cell, _ in way) or end in found:
                continue
            if not all(self.clear(p.seat, cell) for cell, _ in way[:-1]):
                continue
            if (may_enter and self.enterable(p, end, seen_by=p.seat)) or (
                may_take and self.takeable(p.seat, end)
            ):
                found[end] = way
        return found

    def _ways(self, p: Piece) -> Iterator[tuple[list[tuple[Cell, bool]], bool, bool]]:
        """(cells with their combat, may it enter, may it take) of everything that the type could do."""
        o, level = self.options, p.level
        paths = BOOK["paths"][o["movement"]]
        combat = o["sub_jet_combat"]

        def arm(
            cells: list[list[int]], count: int, combats: int
        ) -> Iterator[tuple[list[tuple[Cell, bool]], bool, bool]]:
            for n in range(1, min(count, len(cells)) + 1):
                way = [((plus(p.at, *cells[i]), level), i < combats) for i in range(n)]
                yield way, True, n <= combats

        if p.type == "tank":
            for one in paths["tank"][p.hand]:
                yield from arm(one["cells"], o["tank_range"], 8)
        elif p.type == "cleric":
            for one in paths["cleric"][p.hand]:
                yield from arm(one["cells"], o["cleric_range"], 8)
        elif p.secondary:
            for one in paths["secondary"]["tank_arms"]:
                yield from arm(one["cells"], o["queen_tank_range"], 8)
            for one in paths["secondary"]["cleric_arms"]:
                yield from arm(one["cells"], o["queen_cleric_range"], 8)
        elif p.type == "chopper":
            for leap in paths["chopper"][p.hand]:
                to = plus(p.at, *leap["leap"])
                for route in leap["routes"]:
                    start: list[Cell] = [(p.at, "air")] if level == "ground" else []
                    middle: list[Cell] = [(plus(p.at, *via), "air") for via in route]
                    if level == "ground":
                        yield [(cell, True) for cell in (*start, *middle, (to, "air"))], True, True
                    yield (
                        [(cell, True) for cell in (*start, *middle, (to, "air"), (to, "ground"))],
                        True,
                        True,
                    )
        elif p.spec["class"] == "pawn":
            cells = paths["pawn"]
            if o["movement"] == "mass_destruction":
                cells = cells[o["pawn_style"]]
            f = forward(p.seat)
            for kind, enter, take in (
                ("move_only", True, False),
                ("attack_only", False, True),
                ("both", True, True),
            ):
                for dr, df in cells.get(kind, []):
                    yield [((plus(p.at, f * dr, f * df), level), True)], enter, take
            for double in cells.get("double", []) if p.unmoved else []:
                via, to = (plus(p.at, f * dr, f * df) for dr, df in (double["via"], double["to"]))
                yield [((via, level), True), ((to, level), True)], True, False
        elif p.type == "jet":
            yield [((p.at, "air" if level == "ground" else "ground"), combat)], True, combat
            if level == "air":
                for dr, df in DIRECTIONS.values():
                    yield from arm([[dr, df], [2 * dr, 2 * df]], 2, 1 if combat else 0)
        elif p.type == "sub":
            yield [((p.at, "sub" if level == "ground" else "ground"), combat)], True, combat
            for step in DIRECTIONS.values():
                yield from arm([list(step)], 1, 1 if combat else 0)
        else:
            for step in DIRECTIONS.values():
                yield from arm([list(step)], 1, 1 if p.primary else 0)

    # ---- 7: the order of checks ----

    def check(self, seat: str, a: Json) -> str | None:
        """The error code, or None. Only well-formed actions are asked about."""
        try:
            self._check(seat, a)
        except Error as error:
            return error.code
        return None

    def _check(self, seat: str, a: Json) -> None:
        require(self.result is None, "match_over")
        kind, o = a["type"], self.options
        if kind == "resign":
            return
        if kind in ("accept_draw", "decline_draw"):
            require(self.draw_offer == other(seat), "no_draw_offer")
            return
        require(seat == self.to_move, "not_your_turn")
        if kind == "offer_draw":
            require(self.draw_offer is None, "draw_already_offered")
            return
        if kind == "end_turn":
            require(self.moved or not self.can_move(), "must_move")
            return
        require(o["action_restriction"] != "move_only" or kind in ("move", "doze"), "restricted")
        match kind:
            case "move" | "doze":
                require(not self.moved, "already_moved")
            case "fire":
                require(self.fires < 2, "no_fires_left")
            case "pick_up":
                require(not self.pick_ups, "already_picked_up")
            case "drop":
                require(not self.drops, "already_dropped")
            case "exchange":
                require(not self.exchanges, "already_exchanged")
            case "reinforce":
                require(not self.reinforces, "already_reinforced")
        if kind == "reinforce":
            self._check_reinforce(seat, a)
            return
        p = self._actor(seat, a["from"] if kind == "exchange" else a["piece"])
        q = self._actor(seat, a["to"]) if kind == "exchange" else p
        match kind:
            case "move":
                self._check_move(p, a)
            case "doze":
                self._check_doze(p, a)
            case "fire":
                self._check_fire(p, a)
            case "pick_up":
                require(p.level == "ground", "not_on_ground")
                require(any(x.kind == a["article"] for x in self.loose.get(p.at, [])), "no_such_article")
                kinds = [x.kind for x in p.articles] + [a["article"]]
                require(len(kinds) <= capacity(p.type, kinds), "over_capacity")
            case "drop":
                self._check_gives(p, a["article"])
                require(len(self.loose.get(p.at, [])) < 2, "no_room")
                kinds = [x.kind for x in p.articles]
                kinds.remove(a["article"])
                require(len(kinds) <= capacity(p.type, kinds), "over_capacity")
            case "exchange":
                self._check_exchange(p, q, a)

    def _actor(self, seat: str, id_: int) -> Piece:
        p = self.find(id_)
        require(p is not None and p.seat == seat, "not_your_piece")
        assert p is not None
        require(self.turn >= p.stunned_until, "piece_stunned")
        require(not p.converted, "piece_just_converted")
        require(
            not (p.acted and self.options["action_restriction"] == "one_act_per_piece"), "piece_already_acted"
        )
        return p

    def can_move(self) -> bool:
        """6.4: has the acting seat a legal move or doze?"""
        return any(True for kind in ("move", "doze") for _ in self._legal_of(self.to_move, kind))

    def _check_move(self, p: Piece, a: Json) -> None:
        require(not p.travelled, "piece_in_transport")
        require(p.native(p.level), "cannot_move_here")
        end: Cell = (square(a["to"]), a["level"])
        require(end in self.destinations(p), "illegal_destination")
        friends = [q for q in self.in_cell(p.cell) if q is not p and q.seat == p.seat]
        if "carry" in a:
            q = self.find(a["carry"])
            require(p.type in ("chopper", "sub") and q in friends, "illegal_carry")
            assert q is not None
            require(not q.travelled, "illegal_carry")
            require(not any(x.seat == p.seat for x in self.in_cell(end)), "illegal_carry")
            if q.primary:
                o = self.options
                require(o["king_air"] or p.type != "chopper", "king_restricted")
                require(o["king_sub"] or end[1] != "sub", "king_restricted")
        elif p.level != "ground":
            require(all(q.native(q.level) or q.journey for q in friends), "illegal_carry")

    def _check_doze(self, p: Piece, a: Json) -> None:
        require(p.type == "dozer" and p.level == "ground", "not_a_dozer")
        home = self.in_cell(p.cell)
        require(any(q is not p and q.seat == p.seat for q in home), "no_companion")
        seen: list[Piece] = []
        squares = [square(s) for s in a["squares"]]
        for at in squares:
            here = [q for q in self.in_cell((at, "ground")) if self.sees(p.seat, q)]
            require(distance(at, p.at) == 1 and here, "illegal_group")
            seen += here
        require(len(seen) <= 4, "illegal_group")
        require(self.options["doze_enemies"] or all(q.seat == p.seat for q in seen), "illegal_group")
        group = [q for q in home + seen if q.seat == p.seat]
        require(not any(q.travelled for q in group), "piece_in_transport")
        require(self._dozes(p, squares, a["direction"], seen_by=p.seat), "doze_blocked")

    def _dozes(self, p: Piece, squares: list[Square], direction: str, *, seen_by: str | None) -> bool:
        """7.2: is the translated position valid, really or as seen?"""

        def there(at: Square) -> list[Piece]:
            return [q for q in self.in_cell((at, "ground")) if seen_by is None or self.sees(seen_by, q)]

        group = {p.at, *squares}
        for at in group:
            to = plus(at, *DIRECTIONS[direction])
            if not on_board(to):
                return False
            staying = [] if to in group else there(to)
            arriving = there(at)
            every = arriving + staying
            if len(every) > 2 or (len(every) == 2 and not any(q.coexisting for q in every)):
                return False
            if staying and len({q.seat for q in every}) > 1:
                return False
        return True

    def ready(self, p: Piece, kind: str) -> int:
        """3.2, Strength: how many weapons of the kind are ready."""
        inherent = kind in p.spec["inherent"] and p.ready_turns.get(kind, 0) <= self.turn
        return inherent + sum(a.kind == kind and a.ready_turn <= self.turn for a in p.articles)

    def _check_fire(self, p: Piece, a: Json) -> None:
        o, weapon = self.options, a["weapon"]
        require(not p.fired, "piece_already_fired")
        require(p.has(weapon), "no_such_weapon")
        require(self.ready(p, weapon), "weapon_not_ready")
        if weapon in LAUNCHERS:
            require(len(self.missiles) < 64, "too_many_projectiles")
        if weapon in TRANSPORTS:
            require(p.journey is None, "journey_in_progress")
            require(not p.moved_piece, "piece_already_moved")
            aloft = not o["transport_ground_only"] and weapon != "bicycle" and p.level == TRANSPORTS[weapon]
            require(p.level == "ground" or aloft, "not_on_ground")
            dr, df = (abs(x - y) for x, y in zip(square(a["to"]), p.at, strict=True))
            require(square(a["to"]) != p.at, "illegal_target")
            require(a["path"] == "beeline" or 0 < min(dr, df) < max(dr, df), "illegal_target")
            if p.primary:
                require(o["king_air"] or weapon != "jump_pack", "king_restricted")
                require(o["king_sub"] or weapon != "scuba", "king_restricted")
        elif "direction" in a:
            require(on_board(plus(p.at, *DIRECTIONS[a["direction"]])), "illegal_target")
        else:
            reach = o["jet_rocket_range"] if weapon == "limited_rocket" else o["homing_range"]
            level = "ground" if weapon == "limited_rocket" else FLIES_AT[LAUNCHERS[weapon]]
            to = square(a["target"])
            require(distance(p.at, to) <= reach and self._target(p, (to, level)), "illegal_target")

    def _target(self, p: Piece, cell: Cell) -> Piece | None:
        """The first seen enemy of the cell."""
        return next((q for q in self.in_cell(cell) if q.seat != p.seat and self.sees(p.seat, q)), None)

    def _check_gives(self, p: Piece, kind: str) -> None:
        count = sum(x.kind == kind for x in p.articles)
        require(count, "no_such_article")
        in_use = p.journey is not None and p.journey.article == kind and count == 1
        require(not in_use, "article_in_use")

    def _check_exchange(self, p: Piece, q: Piece, a: Json) -> None:
        near = distance(p.at, q.at) <= 1 and p.level == q.level
        require(near or p.secondary or q.secondary, "too_far")
        mine, theirs = [x.kind for x in p.articles], [x.kind for x in q.articles]
        require(a["article"] in mine and ("for" not in a or a["for"] in theirs), "no_such_article")
        self._check_gives(p, a["article"])
        if "for" in a:
            self._check_gives(q, a["for"])
            theirs.remove(a["for"])
            mine.append(a["for"])
        mine.remove(a["article"])
        theirs.append(a["article"])
        require(
            len(mine) <= capacity(p.type, mine) and len(theirs) <= capacity(q.type, theirs), "over_capacity"
        )

    def _check_reinforce(self, seat: str, a: Json) -> None:
        p = next((p for p in self.waiting if p.id == a["piece"] and p.seat == seat), None)
        require(p is not None, "no_such_reinforcement")
        assert p is not None
        require(p.at in self.vacated, "not_activated")
        require(self.clear(seat, (p.at, "ground")), "square_not_empty")

    # ---- 7: listing ----

    def legal(self, seat: str) -> list[Json]:
        return [a for kind in ACTIONS for a in self._legal_of(seat, kind)]

    def _legal_of(self, seat: str, kind: str) -> Iterator[Json]:
        for a in self._thinkable(seat, kind):
            if self.check(seat, a) is None:
                yield a

    def _thinkable(self, seat: str, kind: str) -> Iterator[Json]:
        """Every well-formed action of the kind that has any chance, in canonical order."""
        own = sorted((p for p in self.pieces if p.seat == seat), key=lambda p: p.id)
        ids = [p.id for p in own]
        squares = [name(at) for at in EVERY]
        if seat != self.to_move and kind not in ("accept_draw", "decline_draw", "resign"):
            return
        match kind:
            case "move":
                for p in own:
                    ends = {(end[0], LEVELS.index(end[1])) for end in self.destinations(p)}
                    for at, level in sorted(ends):
                        to = {"type": "move", "piece": p.id, "to": name(at), "level": LEVELS[level]}
                        yield to
                        yield from ({**to, "carry": q.id} for q in own if q.at == p.at and q is not p)
            case "doze":
                for p in own:
                    if p.type != "dozer":
                        continue
                    around = [name(at) for at in EVERY if distance(at, p.at) == 1]
                    held = [s for s in around if self.in_cell((square(s), "ground"))]
                    groups = [list(g) for n in range(5) for g in combinations(held, n)]
                    for group in sorted(groups, key=lambda g: [square(s) for s in g]):
                        for direction in DIRECTIONS:
                            yield {"type": "doze", "piece": p.id, "squares": group, "direction": direction}
            case "fire":
                for p in own:
                    for weapon in WEAPONS:
                        if not p.has(weapon):
                            continue
                        fire = {"type": "fire", "piece": p.id, "weapon": weapon}
                        if weapon in TRANSPORTS:
                            yield from (
                                {**fire, "to": to, "path": path}
                                for to in squares
                                for path in ("beeline", "port", "starboard")
                            )
                            continue
                        if weapon != "limited_rocket":
                            yield from ({**fire, "direction": direction} for direction in DIRECTIONS)
                        if weapon in ("limited_rocket", "sam_launcher", "torpedo_launcher"):
                            yield from ({**fire, "target": to} for to in squares)
            case "pick_up" | "drop":
                yield from ({"type": kind, "piece": i, "article": article} for i in ids for article in KINDS)
            case "exchange":
                for p in own:
                    for q in own:
                        for article in [k for k in KINDS if any(x.kind == k for x in p.articles)]:
                            give = {"type": kind, "from": p.id, "to": q.id, "article": article}
                            if p is q:
                                continue
                            yield give
                            if p.id < q.id:
                                yield from ({**give, "for": back} for back in KINDS if back != article)
            case "reinforce":
                yield from ({"type": kind, "piece": p.id} for p in sorted(self.waiting, key=lambda p: p.id))
            case _:
                yield {"type": kind}

    # ---- 7: common procedures ----

    def reveal(self, p: Piece) -> None:
        p.revealed_until = self.turn + 1

    def place(self, p: Piece, cell: Cell, *, journey: bool = False) -> None:
        """Displace, without its effect."""
        if p.level == "ground" and p.at != cell[0] and p.seat == self.to_move:
            self.vacated.add(p.at)
        p.at, p.level = cell
        p.unmoved = False
        if not journey:
            p.journey = None

    def displace(
        self, p: Piece, cell: Cell, cause: str, *, journey: bool = False, reveals: bool = False
    ) -> None:
        was, before = p.cell, self.sees(other(p.seat), p)
        self.place(p, cell, journey=journey)
        if reveals:
            self.reveal(p)
        self.effect_moved(p, was, before, cause)

    def effect_moved(self, p: Piece, was: Cell, before: bool, cause: str) -> None:
        after = self.sees(other(p.seat), p)
        whole = {
            "type": "moved", **self.ref(p), "from": name(was[0]), "from_level": was[1], "to": name(p.at),
            "to_level": p.level, "cause": cause,
        }  # fmt: skip
        shown: Json | None = None
        if before and after:
            shown = whole
        elif before or after:
            at, level = was if before else p.cell
            type_ = "vanished" if before else "appeared"
            shown = {"type": type_, "seat": p.seat, "piece_type": p.type, "at": name(at), "level": level}
        self.tell(p.seat, whole, shown)

    def spill(self, p: Piece) -> None:
        f = forward(p.seat)

        def order() -> Iterator[Square]:
            yield p.at
            for k in range(1, 10):
                rows = [[(k, r) for r in range(-k, k + 1)]]
                rows += [[(ahead, -k), (ahead, k)] for ahead in range(k - 1, -k, -1)]
                rows += [[(-k, r) for r in range(-k, k + 1)]]
                for row in rows:
                    for ahead, right in row:
                        yield plus(p.at, f * ahead, f * right)

        for article in p.articles:
            at = next(s for s in order() if on_board(s) and len(self.loose.get(s, [])) < 2)
            article.lock = None
            self.loose.setdefault(at, []).append(article)
            self.tell_all({"type": "article_landed", "at": name(at), "article": article.kind})
        p.articles = []

    def lose_primary(self, p: Piece, how: str) -> None:
        if p.primary:
            self.primary_lost.setdefault(p.seat, how)
            self.tell_all({"type": "primary_lost", "seat": p.seat})

    def destroy(self, p: Piece, cause: str, by: str | None) -> None:
        shown = self.sees(other(p.seat), p) or by == other(p.seat)
        whole = self.about("destroyed", p, cause=cause)
        self.tell(p.seat, whole, whole if shown else None)
        self.told_destroyed.update({(p.id, p.seat)} | ({(p.id, other(p.seat))} if shown else set()))
        self.pieces.remove(p)
        self.lose_primary(p, "primary_destroyed")
        self.spill(p)
        self.forget(p.id)

    def forget(self, id_: int) -> None:
        for q in self.pieces:
            q.lock = None if q.lock == id_ else q.lock
            for a in q.articles:
                a.lock = None if a.lock == id_ else a.lock
        for m in self.missiles:
            m.target = None if m.target == id_ else m.target

    def fall(self, p: Piece, cause: str, by: str | None) -> None:
        if self.enterable(p, (p.at, "ground")):
            self.displace(p, (p.at, "ground"), "fall")
        else:
            self.destroy(p, cause, by)

    def carried(self, p: Piece) -> bool:
        carrier = {"air": "chopper", "sub": "sub"}[p.level]
        return any(q is not p and q.seat == p.seat and q.type == carrier for q in self.in_cell(p.cell))

    def stun(self, p: Piece) -> None:
        own = p.seat == self.to_move
        before = self.sees(other(p.seat), p)
        if not own:
            self.reveal(p)
        following = self.turn + (2 if own else 1)
        p.stunned_until = max(p.stunned_until, following + 2 * self.options["stun_duration"])
        whole = self.about("stunned", p, stun=self.left(p.seat, p.stunned_until))
        shown = before or self.sees(other(p.seat), p) or not own
        self.tell(p.seat, whole, whole if shown else None)
        aloft = p.journey is not None and p.level != "ground"
        p.journey = None
        self.spill(p)
        if aloft and not p.native(p.level) and not self.carried(p):
            self.fall(p, "stun", self.to_move)

    def hit(self, p: Piece, effect: str, strength: int) -> bool:
        p.hits[effect] += strength
        return p.hits[effect] > p.count(f"anti_{effect}")

    def settle(self) -> None:
        changed = True
        while changed:
            changed = False
            for m in list(self.missiles):
                there = self.in_cell(m.cell)
                if not there:
                    continue
                changed = True
                self.tell_all(self.about_missile("projectile_hit", m))
                self.missiles.remove(m)
                for p in there:
                    if self.hit(p, m.kind, m.strength):
                        self.destroy(p, m.kind, m.seat)
            for p in self.in_order([p for p in self.pieces if p.level != "ground"]):
                if p in self.pieces and p.level != "ground" and not p.native(p.level):
                    if p.journey is None and not self.carried(p):
                        changed = True
                        self.fall(p, "crash", None)
            for m in self.missiles:
                target = self.find(m.target)
                if m.target is not None and (
                    target is None or target.level != FLIES_AT[m.kind] or target.seat == m.seat
                ):
                    m.target, changed = None, True
            for q in self.pieces:
                holders: list[Piece | Article] = [q, *q.articles]
                for holder in holders:
                    locked = self.find(holder.lock)
                    if holder.lock is not None and (locked is None or locked.seat == q.seat):
                        holder.lock, changed = None, True

    def about_missile(self, type_: str, m: Missile) -> Json:
        return {
            "type": type_, "kind": m.kind, "seat": m.seat, "at": name(m.at), "level": FLIES_AT[m.kind],
            "direction": m.direction, "strength": m.strength,
        }  # fmt: skip

    # ---- 7: resolution ----

    def apply(self, seat: str, a: Json) -> list[ReplayedEvent]:
        """An action that `check` accepts; gives its effects. `seat` may be `server`, for a timeout."""
        self.told = []
        self.told_destroyed: set[tuple[int, str]] = set()
        self.told_converted: set[int] = set()
        before = {p.id: (p.type, p.cell) for p in self.pieces}
        saw = {v: {p.id for p in self.pieces if self.sees(v, p)} for v in SEATS}
        turn = self.turn
        resolve: Callable[[str, Json], None] = getattr(self, f"do_{a['type']}")
        resolve(seat, a)
        if a["type"] not in ("end_turn", "resign", "timeout", "offer_draw", "accept_draw", "decline_draw"):
            self.settle()
        self.update_ghosts(before, saw, turn)
        return self.told

    def update_ghosts(self, before: dict[int, tuple[str, Cell]], saw: dict[str, set[int]], turn: int) -> None:
        if self.result is not None:
            self.ghosts = {seat: [] for seat in SEATS}
            return
        now = {p.id: p for p in self.pieces}
        for v in SEATS:
            sees = {p.id for p in self.pieces if self.sees(v, p)}
            for id_, (type_, _) in before.items():
                if id_ in saw[v]:
                    continue
                if id_ in sees or (id_, v) in self.told_destroyed or id_ in self.told_converted:
                    first = next((g for g in self.ghosts[v] if g["type"] == type_), None)
                    if first is not None:
                        self.ghosts[v].remove(first)
            for id_, (type_, (at, level)) in before.items():
                if id_ not in saw[v] or id_ in sees:
                    continue
                if id_ in now or (id_, v) not in self.told_destroyed:
                    self.ghosts[v].append({"type": type_, "at": name(at), "level": level, "turn": turn})
            self.ghosts[v].sort(key=_ghost_order)

    def do_move(self, seat: str, a: Json) -> None:
        p = self.piece(a["piece"])
        carried = self.piece(a["carry"]) if "carry" in a else None
        way = self.destinations(p)[square(a["to"]), a["level"]]
        hidden = {q.id for q in self.pieces if not self.sees(seat, q)}
        stop: Cell = p.cell
        for i, (cell, combat) in enumerate(way):
            there = self.in_cell(cell)
            met = [q for q in there if q.seat != seat and (q.id in hidden or i == len(way) - 1)]
            if met and combat and not any(q.seat == seat for q in there):
                self.take(p, carried, cell)
                break
            if met:
                if stop != p.cell:
                    self.arrive(p, carried, stop)
                for q in [q for q in there if q.seat != seat]:
                    self.reveal(q)
                self.tell_only(seat, {"type": "bumped", "at": name(cell[0]), "level": cell[1]})
                break
            stop = cell
        else:
            self.arrive(p, carried, stop)
        self.moved = p.acted = p.moved_piece = True

    def arrive(self, p: Piece, carried: Piece | None, cell: Cell, *, reveals: bool = False) -> None:
        self.displace(p, cell, "move", reveals=reveals)
        if carried is not None:
            self.displace(carried, cell, "carry")

    def take(self, p: Piece, carried: Piece | None, cell: Cell) -> None:
        victims = self.in_cell(cell)
        self.arrive(p, carried, cell, reveals=self.options["reveal_on_take"])
        for q in victims:
            self.destroy(q, "taken", p.seat)

    def do_doze(self, seat: str, a: Json) -> None:
        p = self.piece(a["piece"])
        squares = [square(s) for s in a["squares"]]
        group = sorted({p.at, *squares})
        members = self.in_order([q for at in group for q in self.in_cell((at, "ground"))])
        unseen = {q.id for q in self.pieces if not self.sees(seat, q)}
        forbidden = not self.options["doze_enemies"] and any(q.id in unseen for q in members)
        step = DIRECTIONS[a["direction"]]
        if not forbidden and self._dozes(p, squares, a["direction"], seen_by=None):
            was = [(q, q.cell, self.sees(other(q.seat), q)) for q in members]
            for q in members:
                self.place(q, (plus(q.at, *step), "ground"))
            for q, cell, before in was:
                self.effect_moved(q, cell, before, "doze")
        else:
            targets = sorted({plus(at, *step) for at in group} - set(group))
            if not self.bump(seat, targets, unseen):
                self.bump(seat, group, unseen)
        self.moved = p.acted = p.moved_piece = True

    def bump(self, seat: str, squares: list[Square], unseen: set[int]) -> bool:
        found = False
        for at in squares:
            met = [q for q in self.in_cell((at, "ground")) if q.seat != seat and q.id in unseen]
            for q in met:
                self.reveal(q)
            if met:
                found = True
                self.tell_only(seat, {"type": "bumped", "at": name(at), "level": "ground"})
        return found

    def do_fire(self, seat: str, a: Json) -> None:
        p, o, weapon = self.piece(a["piece"]), self.options, a["weapon"]
        self.fires += 1
        p.fired = p.acted = True
        strength = 1
        if weapon in TRANSPORTS:
            p.travelled = True
        elif weapon == "limited_rocket":
            strength += self.discharge(p, "limited_rocket", "rocket") - 1
            strength += self.discharge(p, "rocket_launcher", "rocket")
        else:
            strength = self.discharge(p, weapon, str(LAUNCHERS.get(weapon, weapon)))
        if o["reveal_on_fire"]:
            self.reveal(p)
        rest = {k: a[k] for k in ("direction", "target", "to", "path") if k in a}
        whole = self.about("fired", p, weapon=weapon, strength=strength, **rest)
        seen = self.sees(other(seat), p)
        self.tell(seat, whole, whole if seen else None, hidden_ids=("piece", "to", "path"))
        step = DIRECTIONS[a["direction"]] if "direction" in a else (0, 0)
        level = p.level
        match weapon:
            case "flame":
                at = p.at
                for _ in range(o["flame_range"]):
                    at = plus(at, *step)
                    for q in self.in_cell((at, level)):
                        if self.hit(q, "flame", strength):
                            self.destroy(q, "flame", seat)
            case "stun":
                at = p.at
                for _ in range(o["stun_range"]):
                    at = plus(at, *step)
                    if there := self.in_cell((at, level)):
                        for q in there:
                            if self.hit(q, "stun", strength):
                                self.stun(q)
                        break
            case "conversion":
                self.convert(seat, (plus(p.at, *step), level), strength)
            case "limited_rocket":
                for q in self.in_cell((square(a["target"]), "ground")):
                    if q is not p and self.hit(q, "rocket", strength):
                        self.destroy(q, "rocket", seat)
            case "bicycle" | "jump_pack" | "scuba":
                p.journey = Journey(
                    weapon, square(a["to"]), a["path"], path(p.at, square(a["to"]), a["path"])
                )
                started = self.about("journey_started", p, article=weapon)
                self.tell(seat, started, started if self.sees(other(seat), p) else None)
                self.step(p)
            case _:
                self.launch(p, weapon, strength, a)

    def discharge(self, p: Piece, kind: str, rate: str) -> int:
        until = self.turn + 2 * int(self.options[f"{rate}_rate"])
        n = 0
        if kind in p.spec["inherent"] and p.ready_turns.get(kind, 0) <= self.turn:
            p.ready_turns[kind] = until
            n += 1
        for article in p.articles:
            if article.kind == kind and article.ready_turn <= self.turn:
                article.ready_turn = until
                n += 1
        return n

    def convert(self, seat: str, cell: Cell, strength: int) -> None:
        over = [q for q in self.in_cell(cell) if q.seat != seat and self.hit(q, "conversion", strength)]
        for q in over:
            effect = self.about("converted", q, to_seat=seat)
            self.tell(q.seat, effect, effect)
            self.told_converted.add(q.id)
            self.lose_primary(q, "primary_converted")
            q.seat, q.unmoved, q.converted, q.lock = seat, False, True, None
            for article in q.articles:
                article.lock = None
        there = self.in_cell(cell)
        if cell[1] == "ground" or len({q.seat for q in there}) < 2:
            return
        carrier = {"air": "chopper", "sub": "sub"}[cell[1]]
        lost = [
            q
            for q in there
            if not q.native(cell[1])
            and q.journey is None
            and any(x.type == carrier and x.seat != q.seat for x in there)
            and not any(x.type == carrier and x.seat == q.seat and x is not q for x in there)
        ]
        for q in lost:
            self.destroy(q, "conversion", seat)

    def launch(self, p: Piece, weapon: str, strength: int, a: Json) -> None:
        kind = LAUNCHERS[weapon]
        if "direction" in a:
            direction, target = a["direction"], None
            at = plus(p.at, *DIRECTIONS[direction])
        else:
            to = square(a["target"])
            found = self._target(p, (to, FLIES_AT[kind]))
            assert found is not None
            target = found.id
            direction = towards(p.at, to) or ("n" if p.seat == "black" else "s")
            at = p.at if to == p.at else plus(p.at, *DIRECTIONS[direction])
        m = Missile(kind, p.seat, at, direction, strength, target, True)
        self.missiles.append(m)
        self.tell_all(self.about_missile("projectile_created", m))

    def step(self, p: Piece) -> None:
        j = p.journey
        assert j is not None
        level = TRANSPORTS[j.article]
        if p.level != level:
            cell: Cell = (p.at, level)
        elif j.remaining:
            cell = (j.remaining[0], level)
        else:
            cell = (p.at, "ground")
        if self.enterable(p, cell):
            if cell[0] != p.at:
                j.remaining.pop(0)
            self.displace(p, cell, "journey", journey=True)
            if p.level == "ground" and not j.remaining:
                ended = self.about("journey_ended", p, article=j.article)
                self.tell(p.seat, ended, ended if self.sees(other(p.seat), p) else None)
                p.journey = None
            return
        crashed = self.about("crashed", p, article=j.article)
        self.tell(p.seat, crashed, crashed if self.sees(other(p.seat), p) else None)
        p.journey = None
        if p.level == "ground":
            if j.article == "bicycle" and any(q.seat != p.seat for q in self.in_cell(cell)):
                self.destroy(p, "crash", None)
        elif not p.native(p.level) and not self.carried(p):
            self.fall(p, "crash", None)

    def choose(self, articles: list[Article], kind: str) -> Article:
        """3.2, Choice of instance."""
        return min(
            (a for a in articles if a.kind == kind),
            key=lambda a: (max(a.ready_turn, self.turn), a.lock is not None, articles.index(a)),
        )

    def lock_on(self, p: Piece, article: Article) -> None:
        if article.kind != "anti_stealth" or not self.options["stealth_lock_on"]:
            return
        hidden = [
            q for q in self.pieces if q.seat != p.seat and self.stealthy(q) and not self.sees(p.seat, q)
        ]
        for q in sorted(self.in_order(hidden), key=lambda q: distance(p.at, q.at))[:1]:
            article.lock = q.id
            if self.sees(p.seat, q):
                self.tell_only(p.seat, {"type": "locked", "piece": p.id, "at": name(q.at), "level": q.level})

    def do_pick_up(self, seat: str, a: Json) -> None:
        p = self.piece(a["piece"])
        before = self.sees(other(seat), p)
        article = self.choose(self.loose[p.at], a["article"])
        self.loose[p.at].remove(article)
        p.articles.append(article)
        self.pick_ups, p.acted = 1, True
        whole = {"type": "picked_up", **self.ref(p), "at": name(p.at), "article": article.kind}
        gone = {"type": "article_gone", "at": name(p.at), "article": article.kind}
        self.tell(seat, whole, whole if before or self.sees(other(seat), p) else gone)
        self.lock_on(p, article)

    def do_drop(self, seat: str, a: Json) -> None:
        p = self.piece(a["piece"])
        before = self.sees(other(seat), p)
        article = self.choose(p.articles, a["article"])
        p.articles.remove(article)
        article.lock = None
        self.loose.setdefault(p.at, []).append(article)
        self.drops, p.acted = 1, True
        whole = {"type": "dropped", **self.ref(p), "at": name(p.at), "article": article.kind}
        landed = {"type": "article_landed", "at": name(p.at), "article": article.kind}
        self.tell(seat, whole, whole if before or self.sees(other(seat), p) else landed)

    def do_exchange(self, seat: str, a: Json) -> None:
        p, q = self.piece(a["from"]), self.piece(a["to"])
        before = self.sees(other(seat), p) and self.sees(other(seat), q)
        given = self.choose(p.articles, a["article"])
        back = self.choose(q.articles, a["for"]) if "for" in a else None
        p.articles.remove(given)
        given.lock = None
        if back is not None:
            q.articles.remove(back)
            back.lock = None
            p.articles.append(back)
        q.articles.append(given)
        self.exchanges, p.acted, q.acted = 1, True, True
        whole: Json = {"type": "exchanged", "seat": seat, "article": given.kind}
        if back is not None:
            whole["for"] = back.kind
        whole |= {"from_at": name(p.at), "to_at": name(q.at), "from": p.id, "to": q.id}
        seen = before and self.sees(other(seat), p) and self.sees(other(seat), q)
        self.tell(seat, whole, whole if seen else None, hidden_ids=("from", "to"))
        if back is not None:
            self.lock_on(p, back)
        self.lock_on(q, given)

    def do_reinforce(self, seat: str, a: Json) -> None:
        p = next(p for p in self.waiting if p.id == a["piece"])
        self.reinforces = 1
        if there := self.in_cell((p.at, "ground")):
            for q in there:
                self.reveal(q)
            self.tell_only(seat, {"type": "bumped", "at": name(p.at), "level": "ground"})
            return
        self.waiting.remove(p)
        self.pieces.append(p)
        whole = {"type": "reinforced", **self.ref(p), "at": name(p.at)}
        self.tell(seat, whole, whole if self.sees(other(seat), p) else None)

    def do_end_turn(self, seat: str, a: Json) -> None:
        for p in self.in_order([p for p in self.pieces if p.seat == seat and p.journey and not p.travelled]):
            if p in self.pieces and p.journey is not None:
                self.step(p)
                self.settle()
        for m in [m for m in self.missiles if m.seat == seat and not m.fresh]:
            for _ in range(self.options["projectile_speed"]):
                if m in self.missiles:
                    self.fly(m)
        for loser in (seat, other(seat)):
            if loser in self.primary_lost:
                self.end([other(loser)], self.primary_lost[loser])
                return
        self.idle_turns = 0 if self.moved else self.idle_turns + 1
        if self.idle_turns == 2:
            self.end([], "no_moves")
            return
        for p in self.pieces:
            p.hits.clear()
            p.acted = p.fired = p.moved_piece = p.converted = p.travelled = False
        for m in self.missiles:
            m.fresh = False
        if self.draw_offer == other(seat):
            self.draw_offer = None
        self.moved = False
        self.fires = self.pick_ups = self.drops = self.exchanges = self.reinforces = 0
        self.vacated, self.primary_lost = set(), {}
        self.turn += 1
        self.to_move = other(seat)
        self.tell_all({"type": "turn_ended", "seat": seat, "turn": self.turn})

    def fly(self, m: Missile) -> None:
        target = self.find(m.target)
        if target is not None:
            m.direction = towards(m.at, target.at) or m.direction
        to = plus(m.at, *DIRECTIONS[m.direction])
        if not on_board(to):
            self.tell_all(self.about_missile("projectile_left", m))
            self.missiles.remove(m)
            return
        m.at = to
        self.tell_all(self.about_missile("projectile_moved", m))
        self.settle()

    def end(self, winners: list[str], reason: str) -> None:
        self.result = {"winners": winners, "reason": reason}
        self.tell_all({"type": "match_ended", "result": self.result})

    def do_offer_draw(self, seat: str, a: Json) -> None:
        self.draw_offer = seat
        self.tell_all({"type": "draw_offered", "seat": seat})

    def do_accept_draw(self, seat: str, a: Json) -> None:
        self.draw_offer = None
        self.end([], "draw_agreed")

    def do_decline_draw(self, seat: str, a: Json) -> None:
        self.draw_offer = None
        self.tell_all({"type": "draw_declined", "seat": seat})

    def do_resign(self, seat: str, a: Json) -> None:
        self.end([other(seat)], "resigned")

    def do_timeout(self, seat: str, a: Json) -> None:
        self.end([other(a["seat"])], "timeout")

    # ---- 10.3 ----

    def view(self, viewer: str) -> Json:
        acting = self.result is None and viewer == self.to_move
        own = sorted((p for p in self.pieces if p.seat == viewer), key=lambda p: p.id)
        enemies = [p for p in self.pieces if p.seat != viewer and self.viewer_sees(viewer, p)]
        view: Json = {
            "game": "wec",
            "viewer": viewer,
            "phase": "play" if self.result is None else "over",
            "to_act": [self.to_move] if self.result is None else [],
            "turn": self.turn,
            "options": self.options,
            "pieces": [self.shown(p, viewer) for p in own],
            "enemies": [self.shown(p, viewer) for p in self.in_order(enemies)],
            "articles": [
                {"at": name(at), "articles": [self.article_json(a, self.turn) for a in self.loose[at]]}
                for at in sorted(self.loose)
                if self.loose[at]
            ],
            "projectiles": [
                {
                    "kind": m.kind, "seat": m.seat, "at": name(m.at), "level": FLIES_AT[m.kind],
                    "direction": m.direction, "strength": m.strength, "homing": m.target is not None,
                }
                for m in self.missiles
            ],
            "reinforcements": [
                {"piece": p.id, "type": p.type, "at": name(p.at), **({"hand": p.hand} if p.hand else {})}
                for p in sorted(self.waiting, key=lambda p: p.id)
                if p.seat == viewer
            ],
            "activation_squares": {seat: [name(at) for at in self.activation[seat]] for seat in SEATS},
            "ghosts": self.ghosts.get(viewer, []),
        }  # fmt: skip
        if self.result is not None:
            view["result"] = self.result
        elif self.draw_offer is not None:
            view["draw_offer"] = self.draw_offer
        if acting:
            view["turn_state"] = {
                "moved": self.moved, "fires": self.fires, "pick_ups": self.pick_ups, "drops": self.drops,
                "exchanges": self.exchanges, "reinforces": self.reinforces,
                "vacated": [name(at) for at in sorted(self.vacated)],
            }  # fmt: skip
        return view

    def article_json(self, a: Article, base: int) -> Json:
        left = -((base - a.ready_turn) // 2)
        return {"kind": a.kind, **({"ready_in": left} if left > 0 else {})}

    def shown(self, p: Piece, viewer: str) -> Json:
        own, base = p.seat == viewer, self.base(p.seat)
        shown: Json = {"seat": p.seat, "type": p.type, "at": name(p.at), "level": p.level}
        if own:
            shown["piece"] = p.id
        if p.hand:
            shown["hand"] = p.hand
        if p.unmoved:
            shown["unmoved"] = True
        if p.articles:
            shown["articles"] = [self.article_json(a, base) for a in p.articles]
        countdowns = {w: self.left(p.seat, t) for w, t in p.ready_turns.items() if self.left(p.seat, t)}
        if countdowns:
            shown["ready_in"] = countdowns
        if self.turn < p.stunned_until and (stun := self.left(p.seat, p.stunned_until)):
            shown["stun"] = stun
        if own and self.result is None and p.seat == self.to_move:
            shown |= {mark: True for mark in ("acted", "fired") if getattr(p, mark)}
        if p.journey:
            shown["journey"] = {"article": p.journey.article}
            if own:
                remaining = [name(at) for at in p.journey.remaining]
                shown["journey"] |= {"to": name(p.journey.to), "path": p.journey.path, "remaining": remaining}
        return shown


def _ghost_order(ghost: Json) -> tuple[Any, ...]:
    return ghost["turn"], square(ghost["at"]), LEVELS.index(ghost["level"]), TYPES.index(ghost["type"])


def _article(entry: Any) -> Article:
    if isinstance(entry, str):
        return Article(entry)
    return Article(entry["kind"], entry.get("ready_turn", 0), entry.get("lock"))


def _piece(entry: Json) -> Piece:
    journey = entry.get("journey")
    return Piece(
        id=entry["id"],
        seat=entry["seat"],
        type=entry["type"],
        at=square(entry["at"]),
        level=entry.get("level", "ground"),
        hand=entry.get("hand"),
        unmoved=entry.get("unmoved", False),
        articles=[_article(a) for a in entry.get("articles", [])],
        ready_turns=dict(entry.get("ready_turns", {})),
        lock=entry.get("lock"),
        stunned_until=entry.get("stunned_until", 0),
        revealed_until=entry.get("revealed_until", 0),
        journey=None
        if journey is None
        else Journey(
            journey["article"],
            square(journey["to"]),
            journey["path"],
            [square(s) for s in journey["remaining"]],
        ),
    )


def towards(a: Square, b: Square) -> str | None:
    way = sign(b[0] - a[0]), sign(b[1] - a[1])
    return next((d for d, step in DIRECTIONS.items() if step == way), None)


def path(start: Square, to: Square, kind: str) -> list[Square]:
    """7.3.7, Path: the squares to visit."""
    dr, df = to[0] - start[0], to[1] - start[1]
    n, m = max(abs(dr), abs(df)), min(abs(dr), abs(df))
    along = (sign(dr), 0) if abs(dr) >= abs(df) else (0, sign(df))
    aside = (0, sign(df)) if abs(dr) >= abs(df) else (sign(dr), 0)
    if kind == "beeline":
        offsets = [(i, (2 * i * m + n - 1) // (2 * n)) for i in range(1, n + 1)]
        return [
            (start[0] + i * along[0] + k * aside[0], start[1] + i * along[1] + k * aside[1])
            for i, k in offsets
        ]
    diagonals_first = (kind == "port") == (df * sign(dr) - dr * sign(df) > 0)
    diagonals, straights = [(sign(dr), sign(df))] * m, [along] * (n - m)
    squares, at = [], start
    for step in diagonals + straights if diagonals_first else straights + diagonals:
        at = plus(at, *step)
        squares.append(at)
    return squares
