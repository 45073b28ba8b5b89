"""A slow, plain listing of Universal Chess, from the rule book alone and reading only the view, beside the core's.

Spaces are pairs (file, rank) as in the book; nothing is precomputed, nothing is shared with universal.c.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

import warlog_core
from tests.core.games import starts

GAME = warlog_core.game("universal")
STARTS = [(options, position) for name, options, position in starts() if name == "universal"]
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


@pytest.mark.parametrize(("options", "position"), STARTS, ids=[f"start-{i}" for i in range(len(STARTS))])
def test_the_listing_is_that_of_the_plain_reader(options: Any, position: Any, seed: int) -> None:
    rng = random.Random(f"{seed} {json.dumps(options, sort_keys=True)}")
    state = GAME.new(options=options, position=position)
    full = GAME.full_options(options)
    for _ in range(8):
        reader = Reader(state.view("spectator", plain=True), full)
        for seat in state.seats:
            assert state.legal(seat, plain=True) == reader.legal(seat)
        for piece in reader.view["pieces"]:
            assert reader.boosted(piece) is ("boosted" in piece)
        if not state.to_act:
            break
        # Kinds of actions are taken equally often, so that the rare ones occur.
        seat = state.to_act[0]
        listed = state.legal(seat, plain=True)
        kinds = sorted({action["type"] for action in listed} - {"resign", "offer_draw", "accept_draw"})
        kind = rng.choice(kinds or ["resign"])
        action = rng.choice([action for action in listed if action["type"] == kind])
        event = state.apply(seat, action)
        if action.get("pay") == "auto" and getattr(event.effects[0], "spaces", None):
            spaces = event.effects[0].spaces
            assert spaces == expected_auto(reader, seat, len(spaces))
        state.playout(rng.getrandbits(60), rng.choice((0, 0, 1, 5, 40)), play_on=True)
