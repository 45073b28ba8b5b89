"""Computer opponents: what a game's `sample` and `evaluate` promise, and the search above them."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest

import warlog_core
from tests.core.games import GAMES, starts
from tests.core.test_properties import entropy_of, names, random_line, start
from warlog_core import State

PLAYED = [name for name in GAMES if warlog_core.game(name).raw.has_search]
STARTS = [one for one in starts() if one[0] in PLAYED]
SAMPLES = 3
GREEDY_MATCHES = 6


def line(name: str, options: Any, position: Any, seed: object, actions_max: int) -> list[State]:
    """Copies of the states of a random match, one now and then."""
    rng = random.Random(f"{seed} {name} {json.dumps(options, sort_keys=True)}")
    state = start(warlog_core.game(name), options, position, rng)
    draws = entropy_of(rng)
    found = [state.copy()]
    for seat, action in random_line(state, rng, actions_max):
        state.apply(seat, action, draws=draws())
        if rng.random() < 0.15:
            found.append(state.copy())
    return found


@pytest.mark.parametrize(("name", "options", "position"), STARTS, ids=names(STARTS))
def test_a_sample_is_a_state_that_the_viewer_cannot_tell_from_the_true_one(
    name: str, options: Any, position: Any, seed: int
) -> None:
    rng = random.Random(f"{seed} samples")
    for state in line(name, options, position, seed, 60):
        for seat in (*state.seats, "spectator"):
            seen = state.seen_by(seat)
            for _ in range(SAMPLES):
                sampled = seen.sample(seat, rng.getrandbits(64))
                assert sampled.view(seat) == state.view(seat)
                assert sampled.seen_by(seat).data == seen.data
                assert sampled.legal(seat) == state.legal(seat)
                warlog_core.game(name).load(sampled.setup, sampled.data)  # sound and canonical
            assert seen.sample(seat, 7).data == seen.sample(seat, 7).data


@pytest.mark.parametrize(("name", "options", "position"), STARTS, ids=names(STARTS))
def test_a_value_is_a_chance_and_allies_share_it(name: str, options: Any, position: Any, seed: int) -> None:
    for state in line(name, options, position, seed, 40):
        values = state.evaluate()
        assert list(values) == list(state.seats)
        assert all(0 <= value <= 1 for value in values.values())
        if state.result is not None and state.result.winners:
            assert {seat for seat, value in values.items() if value == 1} == set(state.result.winners)


def opening(name: str, seed: object) -> State:
    """A match in which play has begun, by random actions; the same for the same seed."""
    game = warlog_core.game(name)
    for attempt in range(100):
        rng = random.Random(f"{seed} {attempt} {name}")
        state = game.new(options=OPTIONS.get(name, {}), draws=rng.randbytes)
        for seat, action in random_line(state, rng, rng.randrange(40, 60)):
            state.apply(seat, action, draws=rng.randbytes)
        if state.result is None:
            return state
    raise AssertionError


OPTIONS: dict[str, Any] = {"hex": {"army": "preset"}, "junqi": {"players": 2, "wings": "closed"}}


@pytest.mark.parametrize("name", PLAYED)
def test_the_same_view_seed_and_iterations_give_the_same_choice(name: str, seed: int) -> None:
    state = opening(name, seed)
    seat = state.to_act[0]
    chosen = [
        warlog_core.search(state.seen_by(seat), seat, seed=5, iterations=300, arena=bytearray(size))
        for size in (1 << 20, 1 << 21)
    ]
    assert chosen[0] is not None
    assert chosen[0] == chosen[1]
    assert chosen[0].action in state.legal(seat)
    assert sum(one.visits for one in chosen[0].lines) <= 300
    others = {repr(warlog_core.search(state.seen_by(seat), seat, seed=s, iterations=50)) for s in range(5)}
    assert len(others) > 1


@pytest.mark.parametrize("name", PLAYED)
def test_what_a_seat_may_not_know_is_not_in_its_choice(name: str, seed: int) -> None:
    """Two worlds that look the same to the seat: the true one, and another in which what is hidden is shuffled."""
    state = opening(name, seed)
    seat = state.to_act[0]
    other = state.seen_by(seat).sample(seat, 99)
    one, two = (
        warlog_core.search(world.seen_by(seat), seat, seed=3, iterations=100) for world in (state, other)
    )
    assert one == two


@pytest.mark.parametrize("name", PLAYED)
def test_full_memory_stops_the_tree_and_not_the_search(name: str, seed: int) -> None:
    state = opening(name, seed)
    seat = state.to_act[0]
    choice = warlog_core.search(state.seen_by(seat), seat, seed=1, iterations=2_000, arena=bytearray(1 << 18))
    assert choice is not None
    with pytest.raises(warlog_core.CoreError, match="no_room"):
        warlog_core.search(state.seen_by(seat), seat, seed=1, iterations=1, arena=bytearray(1 << 10))


@pytest.mark.parametrize("name", PLAYED)
def test_the_search_beats_random_play(name: str) -> None:
    """By a few iterations, to the end of the match or to a limit, then by who stands better."""
    points = 0.0
    arena = bytearray(1 << 21)
    for match in range(GREEDY_MATCHES):
        rng = random.Random(f"{name} {match}")
        state = warlog_core.game(name).new(options=OPTIONS.get(name, {}), draws=rng.randbytes)
        ours = state.seats[match % len(state.seats)]
        for _ in range(250):
            if state.result is not None:
                break
            seat = state.to_act[0]
            choice = None
            if seat == ours:
                choice = warlog_core.search(
                    state.seen_by(seat), seat, seed=rng.getrandbits(32), iterations=60, arena=arena
                )
            if choice is None:
                seat, action = next(random_line(state, rng, 1))
                state.apply(seat, action, draws=rng.randbytes)
            else:
                state.apply(seat, choice.action, draws=rng.randbytes)
        value = state.evaluate()
        best_other = max(worth for seat, worth in value.items() if seat != ours)
        points += value[ours] > best_other
    assert points >= GREEDY_MATCHES - 2


FRONT, REAR = "1", ("5", "6")


def test_each_type_that_a_hidden_piece_may_be_comes_up() -> None:
    """Junqi's layout rules (4.2): before play everywhere, in play for what cannot move."""
    rng = random.Random(1)
    game = warlog_core.game("junqi")
    state = game.new(options={"players": 2}, draws=rng.randbytes)
    types = {piece["type"] for piece in state.position(plain=True)["pieces"]}
    for phase in ("layout", "play"):
        assert state.phase == phase
        hidden = state.seen_by("south")
        found: dict[str, set[str]] = {}
        for seed in range(600):
            for piece in hidden.sample("south", seed).position(plain=True)["pieces"]:
                found.setdefault(piece["at"], set()).add(piece["type"])
        for place in (place for place in found if place.startswith("N")):
            impossible = {"flag"} if place not in ("N62", "N64") else set()
            if not place[1:].startswith(REAR):
                impossible.add("mine")
            if phase == "layout" and place[1:].startswith(FRONT):
                impossible.add("bomb")
            assert found[place] == types - impossible, place
        for seat in state.to_act if phase == "layout" else ():
            state.apply(seat, {"type": "ready"}, draws=rng.randbytes)


def test_what_has_just_moved_is_nothing_that_never_moves() -> None:
    rng = random.Random(2)
    state = warlog_core.game("junqi").new(options={"players": 2}, draws=rng.randbytes)
    moved = 0
    for seat in state.seats:
        state.apply(seat, {"type": "ready"}, draws=rng.randbytes)
    while state.result is None and moved < GREEDY_MATCHES:
        seat, action = next(random_line(state, rng, 1))
        state.apply(seat, action, draws=rng.randbytes)
        last = state.view("south", plain=True)["last_move"]
        if last["seat"] == "south" or last.get("outcome", "attacker") != "attacker":
            continue
        moved += 1
        for seed in range(100):
            pieces = state.seen_by("south").sample("south", seed).position(plain=True)["pieces"]
            assert {one["type"] for one in pieces if one["at"] == last["to"]}.isdisjoint(("flag", "mine"))
    assert moved == GREEDY_MATCHES


def test_each_piece_that_may_lie_face_down_comes_up_and_no_other() -> None:
    rng = random.Random(3)
    state = warlog_core.game("junqi").new(options={"mode": "flip"}, draws=rng.randbytes)
    lost: list[Any] = []
    while len(lost) < GREEDY_MATCHES and state.result is None:
        seat, action = next(random_line(state, rng, 1))
        state.apply(seat, action, draws=rng.randbytes)
        lost = state.view("south", plain=True)["lost"]
    position = state.position(plain=True)
    down = {one["at"] for one in position["pieces"] if one["face"] == "down"}
    true = Counter((one["color"], one["type"]) for one in position["pieces"] if one["at"] in down)
    places: dict[tuple[str, str], set[str]] = {}
    for seed in range(600):
        pieces = [
            one
            for one in state.seen_by("south").sample("south", seed).position(plain=True)["pieces"]
            if one["at"] in down
        ]
        assert Counter((one["color"], one["type"]) for one in pieces) == true
        for one in pieces:
            places.setdefault((one["color"], one["type"]), set()).add(one["at"])
    assert len(down) > 1
    assert all(found == down for found in places.values())


ZONE_SPACES = 22


def test_each_place_where_a_hidden_stack_may_stand_comes_up() -> None:
    rng = random.Random(1)
    state = warlog_core.game("hex").new(
        options={"army": "preset", "deployment": "chosen"}, draws=rng.randbytes
    )
    assert state.phase == "deploy"
    hidden = state.seen_by(state.seats[0])
    places: Counter[str] = Counter()
    for seed in range(600):
        position = hidden.sample(state.seats[0], seed).position(plain=True)
        theirs = [stack["space"] for stack in position["stacks"] if stack["seat"] == state.seats[1]]
        assert len(set(theirs)) == len(theirs)
        places.update(theirs)
    assert len(places) == ZONE_SPACES


def army_of(state: State, seat: str) -> Any:
    return next(one for one in state.view(seat, plain=True)["seats"] if one["seat"] == seat)["army"]


def test_each_army_that_may_have_been_submitted_comes_up() -> None:
    """Confrontation: pieces, spells, races, tokens and points that are kept; its seat could have submitted each."""
    rng = random.Random(1)
    game = warlog_core.game("confrontation")
    state = game.new(options={"races": True, "seats": 3}, draws=rng.randbytes)
    empty = state.copy()
    for seat in ("white", "red"):
        state.apply(seat, {"type": "army", "pieces": {"pawn": 1}, "race": "elves"}, draws=rng.randbytes)
    hidden = state.seen_by("red")
    found: dict[str, set[Any]] = {"race": set(), "extra_tokens": set(), "spells": set(), "pieces": set()}
    counts: dict[str, set[int]] = {}
    for seed in range(2_000):
        sampled = hidden.sample("red", seed)
        assert army_of(sampled, "red") == army_of(state, "red")
        army = army_of(sampled, "white")
        assert empty.check("white", {"type": "army", **army}) is None, army
        found["race"].add(army["race"])
        found["extra_tokens"].add(army.get("extra_tokens", 0))
        found["spells"].update(spell for bishop in army.get("bishops", ()) for spell in bishop)
        found["pieces"].add(tuple(sorted(army["pieces"].items())))
        for piece, count in army["pieces"].items():
            counts.setdefault(piece, set()).add(count)
    assert found["race"] == {"demons", "dwarves", "elves", "humans", "orcs", "undead"}
    assert found["spells"] == {"fireball", "heal", "hurt", "judgement", "panic"}
    assert {0, 1, 2, 3} <= found["extra_tokens"]
    assert () in found["pieces"]
    for piece, most in {"pawn": 4, "rook": 3, "knight": 3, "bishop": 2, "queen": 2}.items():
        assert set(range(1, most + 1)) <= counts[piece]
