"""A slow, plain reading of Confrontation beside the C: reach, spells, powers, the listing of turns and decisions.

Written from the book alone (2, 6, 7.5 to 7.11), on names of spaces and the public view; random play looks for
disagreement."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

import warlog_core
from tests.core.games import starts

GAME = warlog_core.game("confrontation")
STARTS = [(options, position) for name, options, position in starts() if name == "confrontation"]
FILES, RANKS = "abcdefgh", "12345678"
SPACES = [file + rank for rank in RANKS for file in FILES]
DIRECTIONS = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
TYPES = ["king", "pawn", "rook", "knight", "bishop", "queen"]
SPELLS = ["fireball", "heal", "hurt", "judgement", "panic"]


def step(space: str, direction: tuple[int, int]) -> str | None:
    file, rank = FILES.index(space[0]) + direction[0], RANKS.index(space[1]) + direction[1]
    return FILES[file] + RANKS[rank] if 0 <= file < 8 and 0 <= rank < 8 else None


def king_distance(a: str, b: str) -> int:
    return max(abs(FILES.index(a[0]) - FILES.index(b[0])), abs(int(a[1]) - int(b[1])))


class Reading:
    """One view, read slowly."""

    def __init__(self, view: dict[str, Any], options: dict[str, Any]) -> None:
        self.view = view
        self.options = options
        self.terrain = {space: area["kind"] for area in view["terrain"] for space in area["spaces"]}
        self.at = {piece["at"]: piece for piece in view["pieces"] if piece["status"] == "board"}
        self.seats = [seat["seat"] for seat in view["seats"]]

    def line(self, seat: str, k: int) -> list[str]:
        edges = {
            "white": [file + RANKS[k - 1] for file in FILES],
            "black": [file + RANKS[8 - k] for file in FILES],
            "red": [FILES[k - 1] + rank for rank in RANKS],
            "blue": [FILES[8 - k] + rank for rank in RANKS],
        }
        return edges[seat]

    def zone(self, seat: str) -> list[str]:
        both = {*self.line(seat, 1), *self.line(seat, 2)}
        return [space for space in SPACES if space in both]

    def reach(self, piece: dict[str, Any]) -> list[str]:
        found = set()
        king, knight = piece["type"] == "king", piece["type"] == "knight"
        for direction in DIRECTIONS:
            points = self.options["piece_table"][piece["type"]]["move"] + piece.get("move_bonus", 0)
            space = step(piece["at"], direction)
            while space is not None:
                rough = self.terrain.get(space) == "rough"
                passing = 2 if rough else 1
                other = self.at.get(space)
                if other is None:
                    if points < passing or (king and rough):
                        break
                    found.add(space)
                else:
                    if other["seat"] != piece["seat"] and points >= 1:
                        found.add(space)
                    if not knight:
                        break
                if self.terrain.get(space) == "barrier" or points < passing:
                    break
                points -= passing
                space = step(space, direction)
        return [space for space in SPACES if space in found]

    def path_is_open(self, start: str, end: str) -> bool:
        """Some row of exactly king_distance steps has no barrier strictly between its ends."""
        if king_distance(start, end) <= 1:
            return True
        return any(
            self.terrain.get(near) != "barrier" and self.path_is_open(near, end)
            for near in (step(start, direction) for direction in DIRECTIONS)
            if near is not None and king_distance(near, end) == king_distance(start, end) - 1
        )

    def is_target(self, bishop: dict[str, Any], spell: str, space: str) -> bool:
        target = self.at.get(space)
        if target is None or target["seat"] == bishop["seat"] or self.terrain.get(space) == "counterspell":
            return False
        if spell == "judgement":
            return king_distance(bishop["at"], space) == 1
        if king_distance(bishop["at"], space) > self.options["spell_table"][spell]["range"]:
            return False
        if not self.path_is_open(bishop["at"], space):
            return False
        return spell != "panic" or bool(self.retreats(target))

    def retreats(self, piece: dict[str, Any]) -> list[str]:
        king = piece["type"] == "king"
        line = [space for space in SPACES if space in self.line(piece["seat"], 1) and space not in self.at]
        return [space for space in line if not (king and self.terrain.get(space) == "rough")]

    def casts(self, bishop: dict[str, Any]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for spell in SPELLS:
            cast = {"type": "cast", "piece": bishop["id"], "spell": spell}
            if spell not in bishop["spells"]:
                continue
            if spell == "heal":
                removed = [
                    piece["id"]
                    for piece in self.view["pieces"]
                    if piece["seat"] == bishop["seat"]
                    and piece["status"] == "removed"
                    and piece["type"] in ("pawn", "rook", "knight")
                ]
                empty = [space for space in self.zone(bishop["seat"]) if space not in self.at]
                found += [{**cast, "revive": id_, "to": to} for id_ in removed for to in empty]
            else:
                targets = [space for space in SPACES if self.is_target(bishop, spell, space)]
                if spell == "judgement":
                    found += [cast] if targets else []
                else:
                    found += [{**cast, "target": space} for space in targets]
        return found

    def turn(self) -> list[dict[str, Any]]:
        """6.2: what the active seat may do."""
        view = self.view
        own = [piece for piece in self.at.values() if piece["seat"] == view["active"]]
        own.sort(key=lambda piece: int(piece["id"]))
        ready = [piece for piece in own if view["actions_left"] > 0 and piece["id"] not in view["acted"]]
        actions = [{"type": "move", "piece": p["id"], "to": to} for p in ready for to in self.reach(p)]
        for piece in ready:
            if piece["type"] == "bishop":
                actions += self.casts(piece)
        seat = next(seat for seat in view["seats"] if seat["seat"] == view["active"])
        rises = []
        if seat.get("race") == "demons" and seat["race_tokens"] > 0:
            for piece in own:
                if self.terrain.get(piece["at"]) != "counterspell":
                    rises += [
                        {"type": "rise", "piece": piece["id"], "to": to}
                        for to in SPACES
                        if to not in self.at
                        and not (piece["type"] == "king" and self.terrain.get(to) == "rough")
                    ]
        end = [] if actions else [{"type": "end_turn"}]
        offer = [] if view["draw_offered"] else [{"type": "offer_draw"}]
        return [*actions, *rises, *end, *offer, {"type": "resign"}]

    def decision(self) -> list[dict[str, Any]]:
        """6.3: the answers of the seat that must decide."""
        pending = self.view["pending"]
        kind, seat = pending["kind"], pending["seat"]
        pieces = {piece["id"]: piece for piece in self.view["pieces"]}
        decline = [{"type": "decline"}]
        answers: list[dict[str, Any]]
        if kind in ("hold", "luck"):
            answers = [{"type": kind}, *decline]
        elif kind == "live_again":
            line = self.line(seat, 1)
            empty = [space for space in SPACES if space in line and space not in self.at]
            answers = [{"type": kind, "to": space} for space in empty] + decline
        elif kind == "panic":
            answers = [{"type": "retreat", "to": to} for to in self.retreats(pieces[pending["piece"]])]
        elif kind in ("swift", "risen"):
            answer = "swift" if kind == "swift" else "charge"
            answers = [{"type": answer, "to": to} for to in self.reach(pieces[pending["piece"]])] + decline
        elif kind == "draw_offer":
            answers = [{"type": "accept_draw"}, {"type": "decline_draw"}]
        else:
            answers = [
                {"type": "fury", "piece": piece["id"], "to": to}
                for piece in sorted(self.at.values(), key=lambda piece: int(piece["id"]))
                if piece["seat"] == seat
                and piece["id"] != pending["trigger"]
                and self.terrain.get(piece["at"]) != "counterspell"
                for to in self.reach(piece)
                if to in self.at and self.at[to]["seat"] != seat
            ]
            answers += decline if pending["stage"] == 1 else []
        return [*answers, {"type": "resign"}]


@pytest.mark.parametrize("i", range(len(STARTS)), ids=str)
def test_every_listing_in_play_is_that_of_the_plain_reading(i: int, seed: int) -> None:
    options, position = STARTS[i]
    rng = random.Random(f"{seed} {i}")
    state = GAME.new(options=options, position=position)
    full = GAME.full_options(options)
    first_of_fury: dict[str, Any] = {}
    for _ in range(45):
        if not state.to_act:
            break
        (*_, seat) = state.to_act
        view = state.view("spectator", plain=True)
        listed = state.legal(seat, plain=True)
        if view["phase"] == "play":
            reading = Reading(view, full)
            if "pending" not in view:
                expected = reading.turn()
            else:
                expected = reading.decision()
                assert view["to_act"] == [view["pending"]["seat"]]
                if view["pending"]["kind"] == "fury" and view["pending"]["stage"] == 2:
                    expected = [a for a in expected if a.get("piece") != first_of_fury["piece"]]
            assert listed == expected
            for other in state.seats:
                alive = next(entry["alive"] for entry in view["seats"] if entry["seat"] == other)
                if other != seat:
                    assert state.legal(other, plain=True) == ([{"type": "resign"}] if alive else [])
        attacks = [
            a for a in listed if a["type"] not in ("resign", "decline", "offer_draw") and not a.get("open")
        ]
        action = rng.choice(attacks or [a for a in listed if not a.get("open")])
        if action["type"] == "fury":
            first_of_fury = action
        state.apply(seat, action, draws=rng.randbytes)


def test_the_reach_of_every_type_among_random_terrain_is_that_of_the_plain_reading(seed: int) -> None:
    rng = random.Random(f"{seed} reach")
    for _ in range(60):
        spaces = rng.sample(SPACES, 20)
        bare = rng.sample(SPACES, 36)
        terrain = [
            {"kind": kind, "spaces": bare[9 * n : 9 * n + 9]}
            for n, kind in enumerate(("barrier", "rough", "counterspell", "rough"))
        ]
        pieces: list[dict[str, Any]] = [
            {
                "id": n + 1,
                "seat": ("white", "black")[n % 2],
                "at": at,
                "type": "king" if n < 2 else rng.choice(TYPES[1:]),
            }
            for n, at in enumerate(spaces)
        ]
        for piece in pieces:
            piece["move_bonus"] = rng.choice((0, 0, 1, 3))
            if piece["type"] == "bishop":
                piece["spells"] = SPELLS
        position = {
            "seats": [{"seat": "white"}, {"seat": "black"}],
            "pieces": pieces,
            "terrain": terrain,
        }
        state = GAME.new(position=position)
        view = state.view("spectator", plain=True)
        if state.result is None:
            expected = Reading(view, GAME.full_options({})).turn()
            assert state.legal(view["active"], plain=True) == expected


def test_hostile_casts_are_accepted_exactly_when_they_are_listed(seed: int) -> None:
    rng = random.Random(f"{seed} casts")
    pieces: list[dict[str, Any]] = [
        {"id": 1, "seat": "white", "type": "king", "at": "a1"},
        {"id": 2, "seat": "white", "type": "bishop", "at": "d4", "spells": SPELLS},
        {"id": 3, "seat": "white", "type": "pawn", "status": "removed"},
        {"id": 4, "seat": "white", "type": "queen", "status": "removed"},
        {"id": 5, "seat": "black", "type": "king", "at": "h8"},
        {"id": 6, "seat": "black", "type": "pawn", "at": "e5"},
        {"id": 7, "seat": "black", "type": "rook", "at": "d8"},
        {"id": 8, "seat": "black", "type": "rook", "status": "removed"},
    ]
    position = {"seats": [{"seat": "white"}, {"seat": "black"}], "pieces": pieces}
    state = GAME.new(position=position)
    listed = [action for action in state.legal("white", plain=True) if action["type"] == "cast"]
    fields = {
        "fireball": ["target"],
        "hurt": ["target"],
        "panic": ["target"],
        "heal": ["revive", "to"],
        "judgement": [],
    }
    spaces = ["a2", "e5", "d8", "h8", "d4", "z1", "h1", 3, None]
    ids = [-(2**31), -1, 0, 1, 2, 3, 4, 6, 8, 9, 2**31 - 1, 2**31, "3", True, None]
    n_accepted = 0
    for spell, piece in itertools.product([*SPELLS, "sleep", 1], ids):
        names = fields.get(spell, ["target"]) if isinstance(spell, str) else ["to"]
        for values in itertools.product(*([*spaces] if name != "revive" else ids for name in names)):
            action = {"type": "cast", "piece": piece, "spell": spell, **dict(zip(names, values, strict=True))}
            accepted = state.check("white", action) is None
            assert accepted == any(action == entry and type(piece) is int for entry in listed), action
            n_accepted += accepted
            if accepted:
                extra = rng.choice(["target", "revive", "to"])
                if extra not in action:
                    assert state.check("white", {**action, extra: "a1"}) == "malformed_action"
    assert n_accepted
