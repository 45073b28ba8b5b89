"""The core of Confrontation beside the plain reading of its book in confrontation_book.py."""

from __future__ import annotations

import itertools
import os
import random
from typing import Any

import msgspec
import pytest

import warlog_core
from tests.core.confrontation_book import (
    FIELDS,
    SPACES,
    SPELL_FIELDS,
    SPELLS,
    TYPES,
    Judge,
    Reading,
    Table,
)
from tests.core.games import starts
from tests.turns import by_turns

GAME = warlog_core.game("confrontation")
MATCHES = int(os.environ.get("WARLOG_MATCHES", "60"))
STARTS = [(options, position) for name, options, position in starts() if name == "confrontation"]


@pytest.mark.parametrize("i", by_turns(range(len(STARTS)), 3))
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


# ---- what actions do -----------------------------------------------------------------------------------------------

SEATS = {2: ["white", "black"], 3: ["white", "red", "black"], 4: ["white", "red", "black", "blue"]}
RACES = ["demons", "dwarves", "elves", "humans", "orcs", "undead"]


def random_options(rng: random.Random) -> dict[str, Any]:
    return {
        "seats": rng.choice((2, 2, 3, 4)),
        "races": rng.random() < 0.8,
        "treasure": rng.random() < 0.6,
        "actions_per_turn": rng.choice((1, 2, 2, 4)),
        "turn_limit": rng.choice((0, 0, 0, 6)),
        **{
            name: rng.randrange(4)
            for name in ("leadership_bonus", "weapon_mastery_bonus", "hold_bonus", "enhancement_bonus")
        },
    }


def random_position(rng: random.Random, options: dict[str, Any]) -> dict[str, Any]:
    """A crowded board with terrain of every kind, where armies are small and races have a few tokens."""
    seats: list[dict[str, Any]] = [{"seat": seat} for seat in SEATS[options["seats"]]]
    if options["races"]:
        some = rng.sample(RACES, 2)
        seats = [{**seat, "race": rng.choice(some), "race_tokens": rng.randrange(4)} for seat in seats]
    places = rng.sample(SPACES, 64)
    pieces: list[dict[str, Any]] = []
    for seat in SEATS[options["seats"]]:
        for n, kind in enumerate(["king", *rng.choices(TYPES[1:], k=rng.randrange(1, 9))]):
            piece: dict[str, Any] = {"id": len(pieces) + 1, "seat": seat, "type": kind, "at": places.pop()}
            if kind == "bishop":
                piece["spells"] = rng.choices(SPELLS, k=rng.randrange(4))
            if rng.random() < 0.2:
                piece[rng.choice(("strength", "combat_bonus", "move_bonus"))] = rng.randrange(1, 3)
            if n > 1 and rng.random() < 0.2:
                piece = {"id": piece["id"], "seat": seat, "type": kind, "status": "removed"}
            pieces.append(piece)
    bare = rng.sample(SPACES, 40)
    kinds = rng.sample(("barrier", "counterspell", "enhancement", "rough"), rng.randrange(5))
    terrain = [{"kind": kind, "spaces": [bare.pop() for _ in range(rng.randrange(1, 10))]} for kind in kinds]
    return {"seats": seats, "pieces": pieces, "terrain": terrain}


def rare_first(rng: random.Random, listed: list[dict[str, Any]], taken: set[str]) -> dict[str, Any]:
    """A listed action of a random kind, an attack more often than not; draws and resignations seldom."""
    seldom = {"resign": 0.02, "offer_draw": 0.03, "decline": 0.6}
    kinds = sorted({action["type"] for action in listed} - {k for k, p in seldom.items() if rng.random() > p})
    kind = rng.choice(kinds or ["resign"])
    chosen = [action for action in listed if action["type"] == kind]
    attacks = [action for action in chosen if action.get("to") in taken]
    return rng.choice(attacks if attacks and rng.random() < 0.8 else chosen)


def slip(rng: random.Random, action: dict[str, Any], seat: str, view: dict[str, Any]) -> dict[str, Any]:
    """A plausible action that is mostly wrong; seldom one that is none at all."""
    own = [piece["id"] for piece in view["pieces"] if piece["seat"] == seat]
    bishops = [piece["id"] for piece in view["pieces"] if piece["seat"] == seat and piece["type"] == "bishop"]
    ids = [piece["id"] for piece in view["pieces"]]
    taken = [piece["at"] for piece in view["pieces"] if "at" in piece]
    spell = rng.choice(SPELLS)
    fields: dict[str, Any] = {
        "piece": rng.choice(
            (rng.choice(own), rng.choice(own), rng.choice(bishops or own), rng.choice((*ids, 0, 99)))
        ),
        "revive": rng.choice((*own, *ids)),
        "to": rng.choice((action.get("to", "a1"), rng.choice(SPACES), rng.choice(taken))),
        "target": rng.choice((*taken, rng.choice(SPACES))),
        "position": 1,
        "kind": "rough",
        "spaces": ["a1"],
        "seat": rng.choice(SEATS[4]),
        "spell": spell,
        "pieces": {},
    }
    wrong: dict[str, Any] = {
        "piece": rng.choice(("1", 2**31, 1.0)), "revive": None, "to": rng.choice(("i1", "", 3)), "target": "a9",
        "type": "fly", "spell": "sleep", "seat": "green", "kind": "swamp", "spaces": ["z1"],
    }  # fmt: skip
    kind = rng.choice((action["type"], rng.choice((*FIELDS, "move", "cast", "rise", "fury", "army"))))
    names = FIELDS.get(kind, ("pieces",))
    slipped = {"type": kind, **{field: fields[field] for field in names}}
    if kind == "cast":
        names = ("piece", "spell", *SPELL_FIELDS[spell])
        slipped = {"type": kind, **{field: fields[field] for field in names}}
    if kind == action["type"] and action.get("spell", spell) == spell:  # most of it is right
        slipped |= {field: action[field] for field in action if rng.random() < 0.6}
    if rng.random() < 0.1:
        field = rng.choice(list(wrong))
        slipped[field] = wrong[field]
    return {field: slipped[field] for field in slipped if rng.random() < 0.99}


@pytest.mark.parametrize("matches", [20, pytest.param(MATCHES, marks=pytest.mark.soak)])
def test_what_actions_do_and_why_they_are_refused_is_as_the_plain_reading_has_it(
    matches: int, seed: int
) -> None:
    rng = random.Random(seed)
    seen: set[str] = set()
    for number in range(10 * MATCHES):
        if number >= matches and len(seen) > 45:  # with some seeds, what is rare needs more matches
            break
        options = random_options(rng)
        full = GAME.full_options(options)
        state = GAME.new(options=options, position=random_position(rng, options))
        if not state.to_act:
            continue
        table = Table(state.view("spectator", plain=True), full)
        for _ in range(60):
            if not state.to_act:
                break
            view = state.view("spectator", plain=True)
            (poster,) = state.to_act
            alive = [seat["seat"] for seat in view["seats"] if seat["alive"]]
            action = rare_first(rng, state.legal(poster, plain=True), {p.get("at") for p in view["pieces"]})
            if rng.random() < 0.02:
                poster, action = "server", {"type": "timeout", "seat": rng.choice(alive)}
            elif "pending" in view and rng.random() < 0.04:
                poster, action = rng.choice(alive), {"type": "resign"}
            judge = Judge(view, full, table.fury_of[-1] if table.fury_of else 0)
            for _ in range(5):
                who = rng.choice(view["to_act"] if rng.random() < 0.9 else (*state.seats, "server"))
                wrong = slip(rng, action, view["to_act"][0], view)
                code = judge.code(who, wrong)
                assert state.check(who, wrong) == code, (who, wrong, view)
                seen.add(code or "legal")
            assert judge.code(poster, action) is None
            event = state.apply(poster, action, draws=rng.randbytes)
            table.take(poster, action, event.draws)
            assert msgspec.to_builtins(event.effects) == table.effects, (poster, action, view)
            assert state.view("spectator", plain=True) == {**table.view(), "viewer": "spectator"}, (
                action,
                view,
            )
            seen |= {effect["type"] for effect in table.effects}
            seen.add(view.get("pending", {}).get("kind", ""))
    assert len(seen) > 45, seen
