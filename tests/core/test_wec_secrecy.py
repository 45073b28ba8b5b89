"""Swapped worlds (wec 8, "The promise"): states that differ only in what a seat cannot know are the same to it."""

from __future__ import annotations

import copy
import random
from typing import Any

import msgspec
import pytest

from tests.core.test_wec_properties import anything, choose
from tests.core.wec_positions import GAME, SEATS, TYPE, random_start, view_options
from tests.turns import by_turns
from warlog_core import Refused, State
from warlog_core.codecs import Step, wec_notation
from warlog_core.codecs.wec_structs import KINDS, LEVELS, SQUARES, TYPES

WORLDS = 25
PRIMARIES = ("king", "dictator", "avatar", "president")


def enemy_pieces(position: dict[str, Any], seat: str) -> list[dict[str, Any]]:
    return [p for p in position["pieces"] if p["seat"] != seat]


def unseen(state: State, seat: str) -> list[int]:
    """Ids of the enemy's pieces that the seat does not see; of like pieces of one cell none is named."""
    position = state.position(plain=True)
    seen = [(p["type"], p["at"], p["level"]) for p in state.view(seat, plain=True)["enemies"]]
    return [p["id"] for p in enemy_pieces(position, seat) if (p["type"], p["at"], p["level"]) not in seen]


def rename(position: dict[str, Any], seat: str, rng: random.Random) -> dict[int, int]:
    """New ids for everything that is the enemy's."""
    theirs = [p for p in (*position["pieces"], *position["reinforcements"]) if p["seat"] != seat]
    own = {p["id"] for p in (*position["pieces"], *position["reinforcements"]) if p["seat"] == seat}
    names = rng.sample([i for i in range(1, 400) if i not in own], len(theirs))
    renamed = dict(zip((p["id"] for p in theirs), names, strict=True))
    for piece in theirs:
        piece["id"] = renamed[piece["id"]]
    for piece in position["pieces"]:
        if "lock" in piece:
            piece["lock"] = renamed.get(piece["lock"], piece["lock"])
        for article in piece.get("articles", []):
            if isinstance(article, dict) and "lock" in article:
                article["lock"] = renamed.get(article["lock"], article["lock"])
    for missile in position["projectiles"]:
        if "target" in missile:
            missile["target"] = renamed.get(missile["target"], missile["target"])
    turn_state = position.get("turn_state", {})
    for name in ("acted", "fired", "moved_pieces", "converted", "travelled"):
        if name in turn_state:
            turn_state[name] = [renamed.get(i, i) for i in turn_state[name]]
    for entry in turn_state.get("hits", []):
        entry["piece"] = renamed.get(entry["piece"], entry["piece"])
    return renamed


def forget(position: dict[str, Any], ids: set[int]) -> None:
    """Takes pieces off the board, with every lock and mark on them."""
    position["pieces"] = [p for p in position["pieces"] if p["id"] not in ids]
    for piece in position["pieces"]:
        if piece.get("lock") in ids:
            del piece["lock"]
        for article in piece.get("articles", []):
            if isinstance(article, dict) and article.get("lock") in ids:
                del article["lock"]
    turn_state = position.get("turn_state", {})
    for name in ("acted", "fired", "moved_pieces", "converted", "travelled"):
        if name in turn_state:
            turn_state[name] = [i for i in turn_state[name] if i not in ids]
    if "hits" in turn_state:
        turn_state["hits"] = [entry for entry in turn_state["hits"] if entry["piece"] not in ids]


def change_secrets(position: dict[str, Any], seat: str, rng: random.Random) -> None:
    """What the enemy alone knows, the pieces on the board apart."""
    other = SEATS[1 - SEATS.index(seat)]
    for waiting in position["reinforcements"]:
        if waiting["seat"] == other and not TYPE[waiting["type"]]["handed"]:
            waiting["type"] = rng.choice([t for t in TYPES if not TYPE[t]["handed"]])
    if position["to_move"] == other:
        position["turn_state"] = {
            "fires": rng.randint(0, 2),
            "moved": rng.random() < 0.5,
            "vacated": rng.sample(SQUARES, 3),
        }
    position["idle_turns"] = rng.randint(0, 1)
    ghosts = position.setdefault("ghosts", {})
    ghosts[other] = [
        {"type": rng.choice(TYPES), "at": rng.choice(SQUARES), "level": rng.choice(LEVELS), "turn": 1}
    ]
    for piece in enemy_pieces(position, seat):
        piece.pop("lock", None)
        if "journey" in piece and piece["journey"]["article"] != "bicycle":
            piece["journey"] = {**piece["journey"], "to": piece["at"], "remaining": []}


def change_unseen(position: dict[str, Any], seat: str, hidden: set[int], rng: random.Random) -> None:
    """The pieces that the seat does not see: some go, some move, some carry other things."""
    targets = {missile.get("target") for missile in position["projectiles"]}
    gone = {i for i in hidden if rng.random() < 0.3 and i not in targets}
    forget(position, gone)
    for piece in position["pieces"]:
        if piece["id"] not in hidden:
            continue
        if rng.random() < 0.4:
            piece["at"] = rng.choice(SQUARES)
        if rng.random() < 0.3 and "journey" not in piece:
            piece["articles"] = [rng.choice([kind for kind in KINDS if kind != "xxx"])]


def other_worlds(state: State, seat: str, rng: random.Random) -> list[State]:
    """States that the seat cannot tell from this one."""
    position = state.position(plain=True)
    hidden = set(unseen(state, seat))
    found = []
    for _ in range(4):
        other = copy.deepcopy(position)
        if rng.random() < 0.7:
            change_secrets(other, seat, rng)
        if rng.random() < 0.7:
            change_unseen(other, seat, hidden, rng)
        moved = {p["id"] for p in other["pieces"] if p["id"] in hidden}
        renamed = rename(other, seat, rng)
        try:
            world = GAME.new(options=view_options(state), position=other)
        except Refused:
            continue  # what was changed cannot be (an unsupported passenger, say)
        if {renamed[i] for i in moved} <= set(unseen(world, seat)):  # ... and is still hidden where it went
            found.append(world)
    return found


@pytest.mark.parametrize("world", by_turns(range(WORLDS), 3))
def test_views_listings_and_errors_are_the_same_in_worlds_that_the_seat_cannot_tell_apart(
    world: int, seed: int
) -> None:
    rng = random.Random(f"{seed} {world}")
    options, position = random_start(rng)
    state = GAME.new(options=options, position=position)
    for _ in range(rng.randrange(3, 30)):
        if not state.to_act:
            return
        state.apply(state.to_act[0], choose(rng, state.legal(state.to_act[0], plain=True)))
    if not state.to_act:
        return
    for seat in SEATS:
        view, listing = state.view(seat, plain=True), state.legal(seat, plain=True)
        ids = [p["piece"] for p in view["pieces"]]
        for other in other_worlds(state, seat, rng):
            assert other.view(seat, plain=True) == view
            assert other.legal(seat, plain=True) == listing
            assert other.seen_by(seat).data == state.seen_by(seat).data
            for action in rng.choices(listing, k=30):
                fields = [field for field in action if field != "type"]
                if fields:
                    field = rng.choice(fields)
                    near = {**action, field: anything(rng, field, ids)}
                    assert other.check(seat, near) == state.check(seat, near), near


def visible(state: State, actor: str, action: dict[str, Any], viewer: str) -> tuple[Any, Any]:
    event = state.apply(actor, action)
    seen = event.visible(viewer, 0)
    effects = msgspec.to_builtins(seen.effects)
    for effect in effects:
        # A swap is posted with the lower id first (7), so which side its effect begins with is the ids' doing.
        if effect["type"] == "exchanged" and "for" in effect:
            turned = {
                "from_at": effect["to_at"],
                "to_at": effect["from_at"],
                "article": effect["for"],
                "for": effect["article"],
            }
            effect |= min(
                turned, {name: effect[name] for name in turned}, key=lambda sides: sorted(sides.items())
            )
    return seen.action, effects


@pytest.mark.parametrize("world", by_turns(range(WORLDS), 3))
def test_ids_of_the_enemy_change_nothing_that_a_seat_is_told(world: int, seed: int) -> None:
    rng = random.Random(f"{seed} {world} ids")
    options, position = random_start(rng)
    state = GAME.new(options=options, position=position)
    seat = rng.choice(SEATS)
    known = state.position(plain=True)
    renamed = rename(known, seat, rng)
    like = [(p["seat"], p["type"], p["at"], p["level"]) for p in known["pieces"]]
    if len(set(like)) < len(like):
        return  # of like pieces the id decides which comes first, and hidden things may tell them apart then
    other = GAME.new(options=options, position=known)
    began, began_other = state.copy(), other.copy()
    steps: list[Step] = []
    twins: list[Step] = []
    for _ in range(80):
        assert other.view(seat, plain=True) == state.view(seat, plain=True)
        assert other.view("spectator", plain=True) == state.view("spectator", plain=True)
        if not state.to_act:
            break
        actor = state.to_act[0]
        action = choose(rng, state.legal(actor, plain=True))
        twin = dict(action)
        if actor != seat:
            own = {
                **renamed,
                **{
                    p["piece"]: p["piece"]
                    for p in state.view(actor, plain=True)["pieces"]
                    if p["piece"] not in renamed
                },
            }
            for field in ("piece", "carry", "from", *(("to",) if action["type"] == "exchange" else ())):
                if field in twin:
                    twin[field] = own[twin[field]]
            if twin["type"] == "exchange" and "for" in twin and twin["from"] > twin["to"]:
                twin |= {
                    "from": twin["to"],
                    "to": twin["from"],
                    "article": twin["for"],
                    "for": twin["article"],
                }
        steps.append((actor, action))
        twins.append((actor, twin))
        told, told_twin = visible(state, actor, action, seat), visible(other, actor, twin, seat)
        assert told == told_twin, action
        if any(effect["type"] == "converted" for effect in told[1]):
            break  # the id has come to the seat's own side
    if not any("for" in action for _, action in steps):
        history = wec_notation.turn_lines(began, steps, seat)
        assert wec_notation.turn_lines(began_other, twins, seat) == history


@pytest.mark.parametrize("world", by_turns(range(WORLDS), 3))
def test_no_foreign_effect_or_view_has_an_id(world: int, seed: int) -> None:
    rng = random.Random(f"{seed} {world} effects")
    options, position = random_start(rng)
    state = GAME.new(options=options, position=position)
    for _ in range(80):
        if not state.to_act:
            break
        actor = state.to_act[0]
        event = state.apply(actor, choose(rng, state.legal(actor, plain=True)))
        for viewer in (*SEATS, "spectator"):
            shown = event.visible(viewer, 0)
            assert (shown.action is None) == (viewer != actor)
            for effect in msgspec.to_builtins(shown.effects):
                owner = effect.get("seat", actor)
                if owner != viewer or viewer == "spectator":
                    assert "piece" not in effect, effect
                if effect["type"] == "exchanged":
                    assert ("from" in effect) == (viewer == actor)
                if effect["type"] in ("bumped", "locked"):
                    assert viewer == actor
        if not state.to_act:
            break
        for seat in SEATS:
            assert all("piece" not in p for p in state.view(seat, plain=True)["enemies"])
