"""Effects tell everything: a reader of Universal Chess who has one view and then only the effects knows the next view.

The published matches are recorded without their effects; their views are, so the effects are checked against these.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

import warlog_core
from tests.core.games import lines, playthroughs

GAME = warlog_core.game("universal")
PATHS = [path for path in playthroughs() if path.stem.startswith("universal-")]
PROGRESS = {"captured", "cursed", "conquered", "paid", "promoted", "seized", "eliminated"}


class Follower:
    """What a reader makes of effects. Fields as in the view, but pieces, dead and areas by id and as sets."""

    def __init__(self, view: dict[str, Any], options: dict[str, Any]) -> None:
        self.options = options
        self.view = {k: v for k, v in view.items() if k not in ("pieces", "dead", "area", "viewer")}
        self.view["out"] = list(view["out"])
        self.turn = dict(view["turn"])
        self.pieces = {p["id"]: {k: v for k, v in p.items() if k != "boosted"} for p in view["pieces"]}
        self.dead = {piece["id"]: piece for piece in view["dead"]}
        self.area = {seat: set(spaces) for seat, spaces in view["area"].items()}

    def state(self) -> dict[str, Any]:
        view = {**self.view, "turn": self.turn, "pieces": self.pieces, "dead": self.dead, "area": self.area}
        return {key: value for key, value in view.items() if key != "to_act"}

    def read(self, effect: dict[str, Any]) -> None:
        kind = effect["type"]
        if kind in PROGRESS:
            self.turn["progress"] = True
        getattr(self, kind, self.plain)(effect)

    def plain(self, e: dict[str, Any]) -> None:
        assert e["type"] in ("passed", "veteran"), e
        if e["type"] == "veteran":
            piece = self.pieces[e["piece"]]
            assert (piece["merits"], piece["space"]) == (self.options["veteran_merits"], e["at"])

    def turn_(self, e: dict[str, Any]) -> None:
        self.view["quiet"] = 0 if "progress" in self.turn else min(10000, self.view["quiet"] + 1)
        self.turn = {"seat": e["seat"], "number": e["number"]}

    def paid(self, e: dict[str, Any]) -> None:
        assert set(e["spaces"]) <= self.area[e["seat"]]
        self.area[e["seat"]] -= set(e["spaces"])

    def go(self, e: dict[str, Any]) -> None:
        piece = self.pieces[e["piece"]]
        assert piece["space"] == e["from"]
        assert "conquering" not in piece, "a conquest is broken first"
        piece["space"] = e["to"]

    def moved(self, e: dict[str, Any]) -> None:
        self.go(e)
        if self.turn.get("sacrifice") == {"moves_left": 2}:
            self.turn["sacrifice"] = {"moves_left": 1, "moved": e["piece"]}

    def summoned(self, e: dict[str, Any]) -> None:
        assert self.pieces[e["by"]]["kind"] == "wizard"
        self.go(e)

    def captured(self, e: dict[str, Any]) -> None:
        piece = self.pieces.pop(e["piece"])
        assert all(piece[key] == e[key] for key in ("kind", "seat"))
        assert piece["space"] == e["at"]
        self.drop_holder(e["piece"])
        self.dead[e["piece"]] = {
            "id": e["piece"],
            "kind": e["kind"],
            "seat": piece.get("origin", piece["seat"]),
        }
        if e["type"] == "captured":
            self.merit(e["by"])

    cursed = captured

    def drop_holder(self, thrall: int) -> None:
        for piece in self.pieces.values():
            if piece.get("holds") == thrall:
                del piece["holds"]

    def merit(self, piece: int) -> None:
        if self.options["veterans"]:
            self.pieces[piece]["merits"] = min(255, self.pieces[piece]["merits"] + 1)

    def promotion_earned(self, e: dict[str, Any]) -> None:
        self.view["promotions"] += 1
        assert self.view["promotions"] == e["promotions"]

    def conquest_started(self, e: dict[str, Any]) -> None:
        assert self.pieces[e["piece"]]["space"] == e["at"]
        self.pieces[e["piece"]]["conquering"] = e["turns"]

    def conquest_progress(self, e: dict[str, Any]) -> None:
        self.pieces[e["piece"]]["conquering"] -= 1
        assert self.pieces[e["piece"]]["conquering"] == e["left"] > 0

    def conquest_broken(self, e: dict[str, Any]) -> None:
        del self.pieces[e["piece"]]["conquering"]
        assert self.pieces[e["piece"]]["space"] == e["at"]

    def conquered(self, e: dict[str, Any]) -> None:
        assert self.pieces[e["piece"]].pop("conquering") == 1
        owners = [seat for seat, spaces in self.area.items() if e["at"] in spaces]
        assert owners == ([e["previous"]] if "previous" in e else [])
        for owner in owners:
            self.area[owner].remove(e["at"])
        self.area[e["seat"]].add(e["at"])
        self.merit(e["piece"])

    def promoted(self, e: dict[str, Any]) -> None:
        assert self.pieces[e["piece"]]["kind"] == e["kind"]
        self.pieces[e["piece"]]["kind"] = "commander"
        self.view["promotions"] -= 1

    def new(self, id_: int, kind: str, seat: str, space: str) -> None:
        merits = {"merits": 0} if self.options["veterans"] else {}
        self.pieces[id_] = {"id": id_, "kind": kind, "seat": seat, "space": space, **merits}

    def bred(self, e: dict[str, Any]) -> None:
        assert e["piece"] == self.view["next_id"]
        self.view["next_id"] += 1
        self.view["breedings_left"] -= 1
        self.new(e["piece"], "demon", self.pieces[e["parent"]]["seat"], e["at"])

    def raised(self, e: dict[str, Any]) -> None:
        dead = self.dead.pop(e["piece"])
        assert dead["seat"] == self.pieces[e["by"]]["seat"]
        self.new(e["piece"], dead["kind"], dead["seat"], e["at"])

    def seized(self, e: dict[str, Any]) -> None:
        piece = self.pieces[e["piece"]]
        assert (piece["seat"], piece["space"]) == (e["previous"], e["at"])
        self.drop_holder(e["piece"])
        piece.setdefault("origin", e["previous"])
        piece["seat"] = e["seat"]
        self.free(piece)
        if piece["origin"] == e["seat"]:
            del piece["origin"]
        else:
            self.pieces[e["by"]]["holds"] = e["piece"]

    def free(self, piece: dict[str, Any]) -> None:
        piece.pop("conquering", None)
        piece.pop("frozen", None)

    def released(self, e: dict[str, Any]) -> None:
        piece = self.pieces[e["piece"]]
        assert piece.pop("origin") == e["seat"]
        piece["seat"] = e["seat"]
        self.free(piece)
        self.drop_holder(e["piece"])

    def frozen(self, e: dict[str, Any]) -> None:
        self.pieces[e["piece"]]["frozen"] = True
        self.turn["freeze_used"] = True

    def thawed(self, e: dict[str, Any]) -> None:
        del self.pieces[e["piece"]]["frozen"]

    def sacrificed(self, e: dict[str, Any]) -> None:
        self.turn["sacrifice"] = {"moves_left": 2}

    def eliminated(self, e: dict[str, Any]) -> None:
        """What is its own goes without effects of its own, when its thralls have been released."""
        self.leaving = e["seat"]
        self.view["out"].append({"seat": e["seat"], "reason": e["reason"], "turn": self.turn["number"]})
        del self.area[e["seat"]]

    def leave(self) -> None:
        seat, self.leaving = self.leaving, ""
        if not seat:
            return
        for id_, piece in self.pieces.items():
            if piece.get("origin") == seat:
                del piece["origin"]
                self.drop_holder(id_)
        self.pieces = {i: piece for i, piece in self.pieces.items() if piece["seat"] != seat}
        self.dead = {i: piece for i, piece in self.dead.items() if piece["seat"] != seat}

    leaving = ""

    def draw_offered(self, e: dict[str, Any]) -> None:
        self.view["draw_offer"] = {"by": e["seat"], "accepted": []}
        self.turn["draw_offered"] = True

    def draw_accepted(self, e: dict[str, Any]) -> None:
        offer = self.view["draw_offer"]
        accepted = {*offer["accepted"], e["seat"]}
        order = [seat for seat in self.view["order"] if seat in accepted]
        self.view["draw_offer"] = {**offer, "accepted": order}

    def draw_declined(self, e: dict[str, Any]) -> None:
        del self.view["draw_offer"]

    def draw_lapsed(self, e: dict[str, Any]) -> None:
        assert self.view.pop("draw_offer")["by"] == e["seat"]

    def finished(self, e: dict[str, Any]) -> None:
        self.view.pop("draw_offer", None)
        self.view |= {"phase": "over", "result": {"winners": e["winners"], "reason": e["reason"]}}
        if e["reason"] == "quiet_limit":
            self.view["quiet"] += 1


def follow(follower: Follower, effects: list[dict[str, Any]]) -> None:
    for effect in effects:
        if effect["type"] not in ("released", "draw_lapsed", "finished"):
            follower.leave()
        if effect["type"] == "turn":
            follower.turn_(effect)
        else:
            follower.read(effect)
    follower.leave()


def known(view: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    return Follower(view, options).state()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_the_effects_of_a_published_match_lead_from_each_view_to_the_next(path: Path) -> None:
    first, *steps = lines(path)
    options = GAME.full_options(first["options"])
    state = GAME.new(options=first["options"], position=first.get("position"))
    follower = Follower(state.view("spectator", plain=True), options)
    for step in steps:
        if "error" not in step:
            event = state.apply(step["seat"], step["action"])
            follow(follower, msgspec.to_builtins(event.effects))
            assert follower.state() == known(state.view("spectator", plain=True), options), step["n"]


def test_effects_lead_from_view_to_view_in_random_matches_with_all_kinds_of_actions(seed: int) -> None:
    follow_random_matches(seed)


def test_effects_of_every_kind_lead_from_view_to_view() -> None:
    assert {effect.name for effect in GAME.raw.effects} == follow_random_matches(
        5
    )  # with which every kind comes up


def follow_random_matches(seed: int) -> set[str]:
    """Gives the types of the effects that came up."""
    rng = random.Random(seed)
    seen: set[str] = set()
    for _ in range(25):
        options: dict[str, Any] = {
            "psionics": True,
            "psionic_cost": rng.randrange(4),
            "veterans": rng.random() < 0.5,
            "veteran_merits": rng.randrange(1, 4),
            "quiet_limit": rng.choice((5, 200)),
            **rng.choice(({}, {"mode": "double"}, {"factions": ["majora", "good", "balance"]})),
        }
        full = GAME.full_options(options)
        state = GAME.new(options=options)
        for _ in range(12):
            state.playout(rng.getrandbits(60), rng.randrange(30), play_on=True)
            follower = Follower(state.view("spectator", plain=True), full)
            for _ in range(6):
                if not state.to_act:
                    break
                seat = rng.choice(state.seats) if rng.random() < 0.05 else state.to_act[0]
                listed = state.legal(seat, plain=True)
                if not listed:
                    continue
                kind = rng.choice(sorted({action["type"] for action in listed} - {"resign"}) or ["resign"])
                action = rng.choice([action for action in listed if action["type"] == kind])
                effects = msgspec.to_builtins(state.apply(seat, action).effects)
                follow(follower, effects)
                assert follower.state() == known(state.view("spectator", plain=True), full), (seat, action)
                seen |= {effect["type"] for effect in effects}
    return seen
