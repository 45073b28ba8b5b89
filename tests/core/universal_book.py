"""Universal Chess once more, slow and plain: from the rule book alone, on nothing but the view.

A Reader lists what is legal, a Judge says why something is not, a Player takes actions and tells their effects. Spaces
are pairs (file, rank) as in the book; nothing is precomputed, nothing is shared with universal.c.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

Space = tuple[int, int]
BOARD: list[Space] = [(f, r) for r in range(1, 21) for f in range(1, 21)]
ORTHOGONAL: list[Space] = [(0, 1), (1, 0), (0, -1), (-1, 0)]
DIAGONAL: list[Space] = [(1, 1), (1, -1), (-1, -1), (-1, 1)]
STRENGTH = {
    "mighty": 1, "commander": 2, "wizard": 3, "psionic": 3, "dragon": 4, "mecha": 4, "knight": 4, "angel": 5,
    "demon": 5,
}  # fmt: skip
NECROMANCY = {
    "angel": 2, "demon": 2, "knight": 3, "mecha": 3, "dragon": 3, "wizard": 5, "psionic": 5, "commander": 6,
}  # fmt: skip


def space(name: str) -> Space:
    return ord(name[0]) - 96, int(name[1:])


def name(s: Space) -> str:
    return f"{chr(96 + s[0])}{s[1]}"


def canonical(s: Space) -> tuple[int, int]:
    return s[1], s[0]


def distance(a: Space, b: Space) -> int:
    return max(abs(a[0] - b[0]), abs(a[1] - b[1]))


def surrounding(s: Space) -> list[Space]:
    return [other for other in BOARD if distance(s, other) == 1]


class Reader:
    """The book's words, answered from a view."""

    def __init__(self, view: dict[str, Any], options: dict[str, Any]) -> None:
        self.view = view
        self.options = options
        self.pieces = {space(piece["space"]): piece for piece in view["pieces"]}
        self.owner = {space(s): seat for seat, spaces in view["area"].items() for s in spaces}

    def allied(self, seat: str, other: str | None) -> bool:
        return seat == other or any(seat in team and other in team for team in self.view.get("teams", []))

    def empty(self, s: Space) -> bool:
        return s in BOARD and s not in self.pieces

    def boosted(self, piece: dict[str, Any]) -> bool:
        if piece["kind"] in ("mighty", "commander"):
            return False
        if self.options["veterans"] and piece["merits"] >= self.options["veteran_merits"]:
            return True
        return any(
            other["kind"] == "commander" and other["seat"] == piece["seat"] and "conquering" not in other
            for s, other in self.pieces.items()
            if distance(s, space(piece["space"])) == 1
        )

    # ---- 3. moving ----

    def slides(self, start: Space, directions: list[Space], far: int) -> Iterator[Space]:
        for df, dr in directions:
            for n in range(1, far + 1):
                s = (start[0] + n * df, start[1] + n * dr)
                if s not in BOARD:
                    break
                yield s
                if s in self.pieces:
                    break

    def ring(self, start: Space, far: int) -> Iterator[Space]:
        """By king-steps, each one along the longer axis and zero or one along the other, as the book has it."""
        for end in BOARD:
            if distance(start, end) == far and self.way(start, end, far):
                yield end

    def way(self, at: Space, end: Space, far: int) -> bool:
        df, dr = end[0] - at[0], end[1] - at[1]
        longer_is_file = abs(df) == far
        long, other = (df, dr) if longer_is_file else (dr, df)
        sign, sign_other = (1 if long > 0 else -1), (other > 0) - (other < 0)
        for asides in itertools.product((0, 1), repeat=far):
            if sum(asides) != abs(other):
                continue
            along, across, free = 0, 0, True
            for n, aside in enumerate(asides):
                along, across = along + sign, across + aside * sign_other
                step = (at[0] + along, at[1] + across) if longer_is_file else (at[0] + across, at[1] + along)
                free = free and (n == far - 1 or self.empty(step))
            if free:
                return True
        return False

    def reach(self, piece: dict[str, Any]) -> set[Space]:
        at, boost = space(piece["space"]), self.boosted(piece)
        kind, seat = piece["kind"], piece["seat"]
        both = ORTHOGONAL + DIAGONAL
        has_room = any(self.empty(s) for s in surrounding(at))
        if kind == "mighty":
            found: set[Space] = set()
            if seat == "majora":
                found |= set(self.slides(at, ORTHOGONAL, 19))
            if seat == "evil":
                found |= set(self.slides(at, DIAGONAL, 19))
            if seat == "balance":
                found |= set(self.slides(at, both, 8))
            if seat == "good":
                found |= set(self.slides(at, both, 5))
                if self.owner.get(at) == "good" and has_room:
                    found |= {s for s, owner in self.owner.items() if owner == "good"}
            if seat == "chaos" and has_room:
                found |= {s for s in BOARD if 1 <= distance(at, s) <= 6}
            return found
        if kind == "knight":
            return {*self.ring(at, 2), *(self.ring(at, 3) if boost else ())}
        if kind == "dragon":
            far = (2, 3) if boost else (2,)
            return {
                s for s in BOARD if sorted((abs(s[0] - at[0]), abs(s[1] - at[1]))) in [[1, n] for n in far]
            }
        directions = {"angel": DIAGONAL, "demon": ORTHOGONAL}.get(kind, both)
        basic = {"commander": 5, "wizard": 1, "psionic": 1}.get(kind, 2)
        return set(self.slides(at, directions, basic + boost))

    def moves(self, seat: str) -> Iterator[tuple[dict[str, Any], Space]]:
        moved = self.view["turn"].get("sacrifice", {}).get("moved")
        for piece in self.view["pieces"]:
            if piece["seat"] != seat or "frozen" in piece or piece["id"] == moved:
                continue
            for to in sorted(self.reach(piece) - {space(piece["space"])}, key=canonical):
                target = self.pieces.get(to)
                if target is not None:
                    if self.allied(seat, target["seat"]):
                        continue
                    stronger = STRENGTH[target["kind"]] < STRENGTH[piece["kind"]]
                    if self.owner.get(to) == target["seat"] and stronger:
                        continue
                yield piece, to

    # ---- 7. the listing ----

    def can_pay(self, seat: str, cost: int) -> bool:
        return len(self.view["area"][seat]) >= (-(-cost // 2) if seat == "balance" else cost)

    def lines(self, seat: str, at: Space) -> list[Space]:
        ends = [list(self.slides(at, [d], 4)) for d in ORTHOGONAL + DIAGONAL]
        found = [line[-1] for line in ends if line and line[-1] in self.pieces]
        return sorted((s for s in found if not self.allied(seat, self.pieces[s]["seat"])), key=canonical)

    def legal(self, seat: str) -> list[dict[str, Any]]:
        if self.view["phase"] == "over" or seat not in self.view["area"]:
            return []
        found = list(self.turn(seat)) if self.view["turn"]["seat"] == seat else []
        offer = self.view.get("draw_offer")
        if offer and offer["by"] != seat and seat not in offer["accepted"]:
            found += [{"type": "accept_draw"}, {"type": "decline_draw"}]
        return [*found, {"type": "resign"}]

    def turn(self, seat: str) -> Iterator[dict[str, Any]]:
        turn = self.view["turn"]
        moves = list(self.moves(seat))
        for piece, to in moves:
            yield {"type": "move", "piece": piece["id"], "to": name(to)}
            if not self.allied(seat, self.owner.get(to)):
                yield {"type": "move", "piece": piece["id"], "to": name(to), "conquer": True}
        if "sacrifice" not in turn:
            yield from self.others(seat, moves != [])
        if not moves or turn.get("sacrifice", {}).get("moves_left") == 1:
            yield {"type": "pass"}
        if "draw_offer" not in self.view and "draw_offered" not in turn:
            yield {"type": "offer_draw"}

    def others(self, seat: str, can_move: bool) -> Iterator[dict[str, Any]]:
        own = [piece for piece in self.view["pieces"] if piece["seat"] == seat]
        free = [piece for piece in own if "conquering" not in piece]
        has_mighty = any(piece["kind"] == "mighty" for piece in free)
        beside = {p["id"]: [name(s) for s in surrounding(space(p["space"])) if self.empty(s)] for p in own}
        for piece in own:
            if "conquering" not in piece and not self.allied(seat, self.owner.get(space(piece["space"]))):
                yield {"type": "conquer", "piece": piece["id"]}
        if seat == "majora" and has_mighty and self.view["promotions"]:
            for piece in own:
                if piece["kind"] in ("angel", "mecha"):
                    yield {"type": "promote", "piece": piece["id"]}
        may_breed = seat == "chaos" and has_mighty and self.view["breedings_left"] and self.can_pay(seat, 3)
        if may_breed and self.view["next_id"] < 256:
            for piece in own:
                if piece["kind"] == "demon":
                    for to in beside[piece["id"]]:
                        yield {"type": "breed", "piece": piece["id"], "to": to, "pay": "auto"}
        wizards = [piece for piece in free if piece["kind"] == "wizard"]
        light = ("dragon", "mecha", "knight", "angel", "demon")
        for wizard, piece in itertools.product(wizards if self.can_pay(seat, 1) else [], own):
            if piece["kind"] in light and "frozen" not in piece:
                for to in beside[wizard["id"]]:
                    action = {"type": "summon", "piece": wizard["id"], "summoned": piece["id"]}
                    yield {**action, "to": to, "pay": "auto"}
        for caster, dead in itertools.product(free, self.view["dead"]):
            if caster["kind"] != "wizard" and not (caster["kind"] == "mighty" and seat == "evil"):
                continue
            if dead["seat"] != seat or not self.can_pay(seat, NECROMANCY[dead["kind"]]):
                continue
            if caster["kind"] == "wizard" and dead["kind"] == "commander":
                continue
            for to in beside[caster["id"]]:
                action = {"type": "necromancy", "piece": caster["id"], "raised": dead["id"]}
                yield {**action, "to": to, "pay": "auto"}
        for wizard in wizards if self.can_pay(seat, 3) else []:
            for s in self.lines(seat, space(wizard["space"])):
                yield {"type": "curse", "piece": wizard["id"], "target": name(s), "pay": "auto"}
        for piece in free if self.can_pay(seat, self.options["psionic_cost"]) else []:
            if piece["kind"] == "psionic" and "holds" not in piece:
                for s in self.lines(seat, space(piece["space"])):
                    if self.pieces[s]["kind"] not in ("mighty", "psionic"):
                        yield {"type": "seize", "piece": piece["id"], "target": name(s), "pay": "auto"}
        if seat == "balance" and has_mighty and "freeze_used" not in self.view["turn"]:
            for s in sorted(self.pieces, key=canonical):
                if not self.allied(seat, self.pieces[s]["seat"]) and "frozen" not in self.pieces[s]:
                    yield {"type": "freeze", "target": name(s)}
        if seat == "good" and has_mighty and can_move and self.can_pay(seat, 5):
            yield {"type": "sacrifice", "pay": "auto"}


def expected_auto(reader: Reader, seat: str, cost: int) -> list[str]:
    """7, payment: the spaces that `auto` takes, in (rank, file) order."""
    mighty = next(s for s, p in reader.pieces.items() if p["seat"] == seat and p["kind"] == "mighty")

    def key(s: Space) -> Any:
        with_own = s in reader.pieces and reader.pieces[s]["seat"] == seat
        return with_own, -distance(s, mighty), canonical(s)

    ordered = sorted((s for s, owner in reader.owner.items() if owner == seat), key=key)
    return [name(s) for s in sorted(ordered[:cost], key=canonical)]


# ---- 7. order of checks ------------------------------------------------------------------------------------------

SEATS = ("majora", "chaos", "good", "evil", "balance")
FIELDS = {
    "move": ("piece", "to"), "conquer": ("piece",), "promote": ("piece",), "breed": ("piece", "to", "pay"),
    "summon": ("piece", "summoned", "to", "pay"), "necromancy": ("piece", "raised", "to", "pay"),
    "curse": ("piece", "target", "pay"), "seize": ("piece", "target", "pay"), "freeze": ("target",),
    "sacrifice": ("pay",), "pass": (), "offer_draw": (), "accept_draw": (), "decline_draw": (), "resign": (),
    "timeout": ("seat",),
}  # fmt: skip
TYPES = tuple(FIELDS)


class Fault(Exception):
    """The code of the first failing check."""


def require(condition: object, code: str) -> None:
    if not condition:
        raise Fault(code)


def well_formed(field: str, value: object) -> bool:
    match field:
        case "piece" | "summoned" | "raised":
            return type(value) is int
        case "to" | "target":
            return type(value) is str
        case "pay":
            return value == "auto" or (type(value) is list and all(type(s) is str for s in value))
        case "conquer":
            return value is True
        case _:
            return value in SEATS


def exists(s: str) -> bool:
    return s[:1].isalpha() and s[1:].isdigit() and s == name(space(s)) and space(s) in BOARD


class Judge(Reader):
    """Which code an action is refused with."""

    def code(self, poster: str, action: dict[str, Any]) -> str | None:
        try:
            self.common(poster, action)
            self.of_type(action.get("seat", poster), action)
        except Fault as fault:
            return str(fault)
        return None

    def common(self, poster: str, action: dict[str, Any]) -> None:
        require(self.view["phase"] == "play", "match_over")
        require(action.get("type") in TYPES, "malformed_action")
        kind = action["type"]
        given = set(action) - {"type"}
        require(given - ({"conquer"} if kind == "move" else set()) == set(FIELDS[kind]), "malformed_action")
        require(all(well_formed(field, action[field]) for field in given), "malformed_action")
        require((kind == "timeout") == (poster == "server"), "malformed_action")
        pay = action.get("pay", [])
        named = [action[f] for f in ("to", "target") if f in action] + (pay if pay != "auto" else [])
        require(all(exists(s) for s in named), "unknown_space")
        seat = action.get("seat", poster)
        require(seat in self.view["area"], "seat_out")
        number = TYPES.index(kind) + 1
        require(number > 12 or seat == self.view["turn"]["seat"], "not_your_turn")
        require(not 2 <= number <= 10 or "sacrifice" not in self.view["turn"], "only_moves")

    def named(self, seat: str, id_: int) -> dict[str, Any]:
        found = [piece for piece in self.view["pieces"] if piece["id"] == id_]
        require(found, "no_such_piece")
        require(found[0]["seat"] == seat, "not_your_piece")
        return dict(found[0])

    def mighty(self, seat: str, faction: str) -> None:
        require(seat == faction, "no_such_ability")
        mighty = next(p for p in self.view["pieces"] if p["seat"] == seat and p["kind"] == "mighty")
        require("conquering" not in mighty, "piece_conquering")

    def user(self, seat: str, id_: int, *kinds: str) -> dict[str, Any]:
        piece = self.named(seat, id_)
        require(piece["kind"] in kinds, "no_such_ability")
        require("conquering" not in piece, "piece_conquering")
        return piece

    def payment(self, seat: str, cost: int, pay: Any) -> None:
        due = -(-cost // 2) if seat == "balance" else cost
        own = self.view["area"][seat]
        require(len(own) >= due, "cannot_pay")
        require(pay == "auto" or (len(pay) == due == len(set(pay)) and set(pay) <= set(own)), "bad_payment")

    def beside(self, piece: dict[str, Any], to: str) -> None:
        s = space(to)
        require(distance(space(piece["space"]), s) == 1 and self.empty(s), "illegal_destination")

    def foe(self, seat: str, s: Space) -> dict[str, Any] | None:
        piece = self.pieces.get(s)
        return None if piece is None or self.allied(seat, piece["seat"]) else piece

    def of_type(self, seat: str, action: dict[str, Any]) -> None:
        getattr(self, f"check_{action['type']}", lambda *_: None)(seat, action)

    def check_move(self, seat: str, a: dict[str, Any]) -> None:
        piece, to = self.named(seat, a["piece"]), space(a["to"])
        require(self.view["turn"].get("sacrifice", {}).get("moved") != piece["id"], "already_moved")
        require("frozen" not in piece, "piece_frozen")
        target = self.pieces.get(to)
        require(to in self.reach(piece) and to != space(piece["space"]), "illegal_destination")
        require(target is None or not self.allied(seat, target["seat"]), "illegal_destination")
        if target is not None and self.owner.get(to) == target["seat"]:
            require(STRENGTH[piece["kind"]] <= STRENGTH[target["kind"]], "immune")
        require("conquer" not in a or not self.allied(seat, self.owner.get(to)), "cannot_conquer")

    def check_conquer(self, seat: str, a: dict[str, Any]) -> None:
        piece = self.named(seat, a["piece"])
        require("conquering" not in piece, "already_conquering")
        require(not self.allied(seat, self.owner.get(space(piece["space"]))), "cannot_conquer")

    def check_promote(self, seat: str, a: dict[str, Any]) -> None:
        self.mighty(seat, "majora")
        require(self.view["promotions"], "no_promotions")
        require(self.named(seat, a["piece"])["kind"] in ("angel", "mecha"), "wrong_kind")

    def check_breed(self, seat: str, a: dict[str, Any]) -> None:
        self.mighty(seat, "chaos")
        require(self.view["breedings_left"] and self.view["next_id"] < 256, "limit_reached")
        demon = self.named(seat, a["piece"])
        require(demon["kind"] == "demon", "wrong_kind")
        self.beside(demon, a["to"])
        self.payment(seat, 3, a["pay"])

    def check_summon(self, seat: str, a: dict[str, Any]) -> None:
        wizard = self.user(seat, a["piece"], "wizard")
        summoned = self.named(seat, a["summoned"])
        require(summoned["kind"] not in ("mighty", "commander", "wizard", "psionic"), "wrong_kind")
        require("frozen" not in summoned, "piece_frozen")
        self.beside(wizard, a["to"])
        self.payment(seat, 1, a["pay"])

    def check_necromancy(self, seat: str, a: dict[str, Any]) -> None:
        caster = self.user(seat, a["piece"], "wizard", *(("mighty",) if seat == "evil" else ()))
        dead = [d for d in self.view["dead"] if d["id"] == a["raised"] and d["seat"] == seat]
        require(dead, "no_such_dead")
        require(dead[0]["kind"] != "commander" or caster["kind"] != "wizard", "wrong_kind")
        self.beside(caster, a["to"])
        self.payment(seat, NECROMANCY[dead[0]["kind"]], a["pay"])

    def check_curse(self, seat: str, a: dict[str, Any]) -> None:
        wizard = self.user(seat, a["piece"], "wizard")
        require(space(a["target"]) in self.lines(seat, space(wizard["space"])), "illegal_target")
        self.payment(seat, 3, a["pay"])

    def check_seize(self, seat: str, a: dict[str, Any]) -> None:
        psionic = self.user(seat, a["piece"], "psionic")
        require("holds" not in psionic, "already_holding")
        target = space(a["target"])
        require(target in self.lines(seat, space(psionic["space"])), "illegal_target")
        require(self.pieces[target]["kind"] not in ("mighty", "psionic"), "wrong_kind")
        self.payment(seat, self.options["psionic_cost"], a["pay"])

    def check_freeze(self, seat: str, a: dict[str, Any]) -> None:
        self.mighty(seat, "balance")
        require("freeze_used" not in self.view["turn"], "already_used")
        target = self.foe(seat, space(a["target"]))
        require(target, "illegal_target")
        require("frozen" not in (target or {}), "already_frozen")

    def check_sacrifice(self, seat: str, a: dict[str, Any]) -> None:
        self.mighty(seat, "good")
        require(next(self.moves(seat), None), "no_moves")
        self.payment(seat, 5, a["pay"])

    def check_pass(self, seat: str, a: dict[str, Any]) -> None:
        first_made = self.view["turn"].get("sacrifice", {}).get("moves_left") == 1
        require(first_made or next(self.moves(seat), None) is None, "pass_not_allowed")

    def check_offer_draw(self, seat: str, a: dict[str, Any]) -> None:
        require("draw_offer" not in self.view, "offer_open")
        require("draw_offered" not in self.view["turn"], "already_used")

    def check_accept_draw(self, seat: str, a: dict[str, Any]) -> None:
        offer = self.view.get("draw_offer")
        require(offer and offer["by"] != seat, "no_offer")
        require(seat not in (offer or {})["accepted"], "already_used")

    check_decline_draw = check_accept_draw


# ---- 6, 7, 9. resolution -----------------------------------------------------------------------------------------

PROGRESS = {"captured", "cursed", "conquered", "paid", "promoted", "seized", "eliminated"}


class Player:
    """Takes legal actions. `effects` are those of the last one, `view()` is what the spectator sees after it."""

    def __init__(self, view: dict[str, Any], options: dict[str, Any]) -> None:
        self.options = options
        self.v = deepcopy(view)
        self.turn = self.v["turn"]
        self.pieces = {p["id"]: {k: x for k, x in p.items() if k != "boosted"} for p in self.v["pieces"]}
        self.dead = {d["id"]: d for d in self.v["dead"]}
        self.area = {seat: set(spaces) for seat, spaces in self.v["area"].items()}
        self.effects: list[dict[str, Any]] = []

    def view(self) -> dict[str, Any]:
        area = {
            seat: sorted(self.area[seat], key=lambda s: canonical(space(s)))
            for seat in self.v["order"]
            if seat in self.area
        }
        view = {
            **self.v,
            "turn": self.turn,
            "pieces": [self.pieces[i] for i in sorted(self.pieces)],
            "dead": [self.dead[i] for i in sorted(self.dead)],
            "area": area,
        }
        reader = Reader(view, self.options)
        view["pieces"] = [{**p, "boosted": True} if reader.boosted(p) else p for p in view["pieces"]]
        return view

    def emit(self, effect: str, /, **fields: Any) -> None:
        self.effects.append({"type": effect, **fields})
        if effect in PROGRESS:
            self.turn["progress"] = True

    def over(self) -> bool:
        return bool(self.v["phase"] == "over")

    def owner(self, s: str) -> str | None:
        return next((seat for seat, spaces in self.area.items() if s in spaces), None)

    def side(self, seat: str) -> list[str]:
        return next((team for team in self.v.get("teams", []) if seat in team), [seat])

    # ---- 7. common frame ----

    def take(self, poster: str, action: dict[str, Any]) -> None:
        self.effects = []
        seat, kind = action.get("seat", poster), action["type"]
        first_of_two = kind == "move" and self.turn.get("sacrifice") == {"moves_left": 2}
        consuming = TYPES.index(kind) < 8 or kind == "pass"
        if "pay" in action:
            self.pay(seat, action)
        lost = getattr(self, kind)(seat, action)
        if not self.over():
            self.clean_up(lost)
        if not self.over() and seat == self.turn["seat"]:
            if seat not in self.area or (consuming and not first_of_two):
                self.end_turn(seat)

    def pay(self, seat: str, action: dict[str, Any]) -> None:
        costs = {"breed": 3, "summon": 1, "curse": 3, "seize": self.options["psionic_cost"], "sacrifice": 5}
        cost = costs.get(action["type"])
        if cost is None:
            cost = NECROMANCY[self.dead[action["raised"]]["kind"]]
        due = (cost + 1) // 2 if seat == "balance" else cost
        if due == 0:
            return
        spaces = action["pay"]
        if spaces == "auto":
            spaces = expected_auto(Reader(self.view(), self.options), seat, due)
        self.area[seat] -= set(spaces)
        self.emit("paid", seat=seat, spaces=sorted(spaces, key=lambda s: canonical(space(s))))

    def at(self, s: str) -> dict[str, Any] | None:
        return next((piece for piece in self.pieces.values() if piece["space"] == s), None)

    def die(self, piece: dict[str, Any], effect: str, by: int) -> str | None:
        del self.pieces[piece["id"]]
        fields = {key: piece[key] for key in ("kind", "seat")}
        self.emit(effect, piece=piece["id"], **fields, at=piece["space"], by=by)
        if "origin" in piece:
            self.free_holder(piece["id"])
        whose = piece.get("origin", piece["seat"])
        self.dead[piece["id"]] = {"id": piece["id"], "kind": piece["kind"], "seat": whose}
        if "holds" in piece:
            self.release(self.pieces[piece["holds"]])
        return str(piece["seat"]) if piece["kind"] == "mighty" else None

    def free_holder(self, thrall: int) -> None:
        (holder,) = (piece for piece in self.pieces.values() if piece.get("holds") == thrall)
        del holder["holds"]

    def release(self, thrall: dict[str, Any]) -> None:
        thrall["seat"] = thrall.pop("origin")
        thrall.pop("conquering", None)
        thrall.pop("frozen", None)
        self.emit("released", piece=thrall["id"], at=thrall["space"], seat=thrall["seat"])

    def merit(self, piece: dict[str, Any]) -> None:
        if self.options["veterans"] and piece["merits"] < 255:
            piece["merits"] += 1
            if piece["merits"] == self.options["veteran_merits"]:
                self.emit("veteran", piece=piece["id"], at=piece["space"])

    def break_off(self, piece: dict[str, Any]) -> None:
        if piece.pop("conquering", 0):
            self.emit("conquest_broken", piece=piece["id"], at=piece["space"])

    def declare(self, piece: dict[str, Any]) -> None:
        f, r = space(piece["space"])
        corner = (f <= 7 or f >= 14) and (r <= 7 or r >= 14)
        in_region = corner or abs(2 * f - 21) + abs(2 * r - 21) <= 6
        turns = {"mighty": 2, "commander": 3}.get(piece["kind"], 4) + in_region
        if self.options["veterans"] and piece["merits"] >= self.options["veteran_merits"]:
            turns = max(1, turns - 1)
        piece["conquering"] = turns
        self.emit("conquest_started", piece=piece["id"], at=piece["space"], turns=turns)

    # ---- 7.1 to 7.13 ----

    def move(self, seat: str, a: dict[str, Any]) -> str | None:
        piece, target, lost = self.pieces[a["piece"]], self.at(a["to"]), None
        self.break_off(piece)
        if target is not None:
            lost = self.die(target, "captured", piece["id"])
        self.emit("moved", piece=piece["id"], **{"from": piece["space"]}, to=a["to"])
        piece["space"] = a["to"]
        if target is not None:
            if seat == "majora" and self.v["promotions"] < 1000:
                self.v["promotions"] += 1
                self.emit("promotion_earned", promotions=self.v["promotions"])
            self.merit(piece)
        if "conquer" in a:
            self.declare(piece)
        if self.turn.get("sacrifice") == {"moves_left": 2}:
            self.turn["sacrifice"] = {"moves_left": 1, "moved": piece["id"]}
        return lost

    def conquer(self, seat: str, a: dict[str, Any]) -> None:
        self.declare(self.pieces[a["piece"]])

    def promote(self, seat: str, a: dict[str, Any]) -> None:
        piece = self.pieces[a["piece"]]
        self.v["promotions"] -= 1
        self.emit("promoted", piece=piece["id"], at=piece["space"], kind=piece["kind"])
        piece["kind"] = "commander"

    def breed(self, seat: str, a: dict[str, Any]) -> None:
        self.v["breedings_left"] -= 1
        id_ = self.v["next_id"]
        self.v["next_id"] += 1
        self.pieces[id_] = {"id": id_, "kind": "demon", "seat": seat, "space": a["to"]}
        if self.options["veterans"]:
            self.pieces[id_]["merits"] = 0
        self.emit("bred", piece=id_, parent=a["piece"], at=a["to"])

    def summon(self, seat: str, a: dict[str, Any]) -> None:
        piece = self.pieces[a["summoned"]]
        self.break_off(piece)
        self.emit("summoned", piece=piece["id"], **{"from": piece["space"]}, to=a["to"], by=a["piece"])
        piece["space"] = a["to"]

    def necromancy(self, seat: str, a: dict[str, Any]) -> None:
        dead = self.dead.pop(a["raised"])
        self.pieces[dead["id"]] = {"id": dead["id"], "kind": dead["kind"], "seat": seat, "space": a["to"]}
        if self.options["veterans"]:
            self.pieces[dead["id"]]["merits"] = 0
        self.emit("raised", piece=dead["id"], kind=dead["kind"], at=a["to"], by=a["piece"])

    def curse(self, seat: str, a: dict[str, Any]) -> str | None:
        target = self.at(a["target"])
        assert target is not None
        return self.die(target, "cursed", a["piece"])

    def seize(self, seat: str, a: dict[str, Any]) -> None:
        target = self.at(a["target"])
        assert target is not None
        previous = target["seat"]
        target.pop("conquering", None)
        target.pop("frozen", None)
        if "origin" in target:
            self.free_holder(target["id"])
        else:
            target["origin"] = previous
        target["seat"] = seat
        if target["origin"] == seat:
            del target["origin"]
        else:
            self.pieces[a["piece"]]["holds"] = target["id"]
        fields = {"kind": target["kind"], "at": target["space"], "previous": previous, "seat": seat}
        self.emit("seized", piece=target["id"], **fields, by=a["piece"])

    def freeze(self, seat: str, a: dict[str, Any]) -> None:
        target = self.at(a["target"])
        assert target is not None
        target["frozen"] = self.turn["freeze_used"] = True
        self.emit("frozen", piece=target["id"], at=target["space"])

    def sacrifice(self, seat: str, a: dict[str, Any]) -> None:
        self.emit("sacrificed", seat=seat)
        self.turn["sacrifice"] = {"moves_left": 2}

    def offer_draw(self, seat: str, a: dict[str, Any]) -> None:
        self.turn["draw_offered"] = True
        self.v["draw_offer"] = {"by": seat, "accepted": []}
        self.emit("draw_offered", seat=seat)

    def accept_draw(self, seat: str, a: dict[str, Any]) -> None:
        offer = self.v["draw_offer"]
        self.emit("draw_accepted", seat=seat)
        offer["accepted"] = [s for s in self.v["order"] if s in offer["accepted"] or s == seat]
        if set(self.area) <= {offer["by"], *offer["accepted"]}:
            self.finish([], "draw_agreed")

    def decline_draw(self, seat: str, a: dict[str, Any]) -> None:
        self.emit("draw_declined", seat=seat)
        del self.v["draw_offer"]

    def resign(self, seat: str, a: dict[str, Any]) -> None:
        self.eliminate(seat, "resigned")

    def timeout(self, seat: str, a: dict[str, Any]) -> None:
        self.eliminate(seat, "timeout")

    # ---- 6. turn ----

    def end_turn(self, seat: str) -> None:
        for id_ in sorted(self.pieces):
            piece = self.pieces[id_]
            if piece["seat"] == seat and piece.pop("frozen", False):
                self.emit("thawed", piece=id_, at=piece["space"])
        self.v["quiet"] = 0 if "progress" in self.turn else min(10000, self.v["quiet"] + 1)
        if 0 < self.options["quiet_limit"] <= self.v["quiet"]:
            self.finish([], "quiet_limit")
            return
        order = self.v["order"]
        later = order[order.index(seat) + 1 :] + order[: order.index(seat) + 1]
        self.start_turn(next(s for s in later if s in self.area))

    def start_turn(self, seat: str) -> None:
        self.turn = {"seat": seat, "number": self.turn["number"] + 1}
        self.v["to_act"] = [seat]
        self.emit("turn", seat=seat, number=self.turn["number"])
        if self.v.get("draw_offer", {}).get("by") == seat:
            self.lapse()
        for id_ in sorted(self.pieces):
            piece = self.pieces[id_]
            if piece["seat"] == seat and "conquering" in piece:
                self.conquest(piece)
        self.clean_up(None)

    def conquest(self, piece: dict[str, Any]) -> None:
        piece["conquering"] -= 1
        id_, s, seat = piece["id"], piece["space"], piece["seat"]
        if piece["conquering"]:
            self.emit("conquest_progress", piece=id_, at=s, left=piece["conquering"])
            return
        del piece["conquering"]
        previous = self.owner(s)
        if previous is not None:
            self.area[previous].remove(s)
        self.area[seat].add(s)
        was = {} if previous is None else {"previous": previous}
        self.emit("conquered", piece=id_, at=s, seat=seat, **was)
        self.merit(piece)

    def lapse(self) -> None:
        if "draw_offer" in self.v:
            self.emit("draw_lapsed", seat=self.v.pop("draw_offer")["by"])

    # ---- 9. end of the match ----

    def clean_up(self, lost: str | None) -> None:
        if lost is not None:
            self.eliminate(lost, "mighty_lost")
        for seat in self.v["order"]:
            if not self.over() and seat in self.area and not self.area[seat]:
                self.eliminate(seat, "no_area")

    def eliminate(self, seat: str, reason: str) -> None:
        self.v["out"].append({"seat": seat, "reason": reason, "turn": self.turn["number"]})
        self.emit("eliminated", seat=seat, reason=reason)
        for id_ in sorted(self.pieces):
            piece = self.pieces[id_]
            if piece["seat"] == seat and "holds" in piece:
                self.release(self.pieces[piece.pop("holds")])
        for piece in self.pieces.values():
            if piece.get("origin") == seat:
                del piece["origin"]
                self.free_holder(piece["id"])
        self.pieces = {i: piece for i, piece in self.pieces.items() if piece["seat"] != seat}
        self.dead = {i: piece for i, piece in self.dead.items() if piece["seat"] != seat}
        del self.area[seat]
        self.lapse()
        sides = [self.side(s) for s in self.area]
        if all(side == sides[0] for side in sides):
            self.finish([s for s in self.v["order"] if s in sides[0]], reason)

    def finish(self, winners: list[str], reason: str) -> None:
        self.v |= {"phase": "over", "to_act": [], "result": {"winners": winners, "reason": reason}}
        self.v.pop("draw_offer", None)
        self.emit("finished", winners=winners, reason=reason)


def _passed(self: Player, seat: str, a: dict[str, Any]) -> None:
    self.emit("passed", seat=seat)


setattr(Player, "pass", _passed)  # a keyword of Python's
