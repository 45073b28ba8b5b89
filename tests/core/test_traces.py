"""Traces: where an action leads, as one viewer sees it, of listed actions and of those that were taken."""

from __future__ import annotations

import random
from typing import Any

import pytest

import warlog_core
from tests.core.games import GAMES
from warlog_core import Trace

TRACED = [name for name in GAMES if warlog_core.game(name).raw.has_traces]


def touched(trace: Trace) -> list[Any]:
    return [*trace.hits, *trace.takes, *(trace.risk or ())]


def check_trace(name: str, trace: Trace, spaces: set[str], levels: list[str]) -> None:
    assert set(trace.path) <= spaces, name
    assert {one.space for one in touched(trace)} <= spaces
    if len(levels) > 1:
        assert trace.levels is not None
        assert len(list(trace.levels or ())) == len(trace.path)
    else:
        assert not trace.levels


@pytest.mark.parametrize("name", GAMES)
def test_a_listing_has_as_many_traces_and_they_are_made_of_what_the_seat_sees(name: str, seed: int) -> None:
    game = warlog_core.game(name)
    board = game.board()
    spaces, rng = {space["id"] for space in board["spaces"]}, random.Random(seed)
    found = 0
    for _ in range(6):
        state = game.new(draws=rng.randbytes)
        while state.play_randomly(rng, rng.randrange(1, 12)):
            for seat in state.seats:
                traces = state.traces(seat)
                assert len(traces) == len(state.legal(seat))
                assert traces == state.seen_by(seat).traces(seat)
                for trace in traces:
                    check_trace(name, trace, spaces, board["levels"])
                found += sum(trace.path != [] for trace in traces)
            assert state.traces("spectator") == []
            if rng.random() < 0.1:
                break
    assert found > 100 or name not in TRACED


@pytest.mark.parametrize("name", GAMES)
def test_an_event_has_a_trace_for_every_viewer_made_of_its_views_alone(name: str, seed: int) -> None:
    """Every viewer gets the same from the states in his views, which have nothing else in them."""
    game = warlog_core.game(name)
    rng = random.Random(seed)
    for _ in range(4):
        state = game.new(draws=rng.randbytes)
        for _ in range(80):
            if state.result is not None:
                break
            before = state.copy()
            seat = rng.choice(state.to_act)
            listing = [one for one in state.legal(seat, plain=True) if not one.get("open")]
            action = rng.choice(listing)
            state.apply(seat, action, draws=rng.randbytes)
            for viewer in ("spectator", *state.seats):
                trace = before.trace_to(state, seat, action, viewer)
                assert trace == before.seen_by(viewer).trace_to(state.seen_by(viewer), seat, action, viewer)


def stack(id_: int, seat: str, unit: str, space: str, **more: Any) -> dict[str, Any]:
    return {"id": id_, "seat": seat, "unit": unit, "space": space, "count": 10, **more}


def hex_state(**more: Any) -> warlog_core.State:
    stacks = [
        stack(1, "red", "swordsman", "d5"),
        stack(2, "blue", "archer", "f5", **more),
        stack(3, "red", "acolyte", "c5", top_hp=3),
        stack(4, "blue", "wolf", "k9"),
    ]
    return warlog_core.game("hex").new(
        options={"obstacles": "none"}, position={"stacks": stacks, "queue": [1, 3, 2, 4]}
    )


def trace_of(state: warlog_core.State, seat: str, action: dict[str, Any]) -> Trace:
    return state.traces(seat)[state.legal(seat, plain=True).index(action)]


def test_a_stack_that_moves_and_attacks_has_its_path_and_the_stack_that_it_hits() -> None:
    state = hex_state()
    action = {"type": "move_attack", "piece": 1, "to": "e5", "target": "f5"}
    trace = trace_of(state, "red", action)
    assert (trace.path, [(one.space, one.piece) for one in trace.hits], trace.takes) == (
        ["e5"],
        [("f5", 2)],
        [],
    )
    before = state.copy()
    event = state.apply("red", action, draws=[0, 0])
    assert [effect.path for effect in event.effects if hasattr(effect, "path")] == [["e5"]]
    assert before.trace_to(state, "red", action, "blue") == trace


def test_a_stack_that_was_destroyed_is_taken() -> None:
    state = hex_state(count=1, top_hp=1)
    action = {"type": "move_attack", "piece": 1, "to": "e5", "target": "f5"}
    before = state.copy()
    state.apply("red", action, draws=lambda size: bytes(size))
    (taken,) = before.trace_to(state, "red", action, "spectator").takes
    assert (taken.space, taken.piece) == ("f5", 2)
    assert trace_of(before, "red", action).takes == []  # the dice are not thrown yet


def test_where_another_deploys_in_secret_has_no_trace() -> None:
    game = warlog_core.game("hex")
    state = game.new(options={"army": "preset", "deployment": "chosen", "obstacles": "none"}, draws=bytes)
    before, action = state.copy(), state.legal("red", plain=True)[0]
    state.apply("red", action)
    assert before.trace_to(state, "red", action, "red").path == [action["to"]]
    assert before.trace_to(state, "red", action, "blue").path == []
    assert before.trace_to(state, "red", action, "spectator").path == []


def test_hostile_actions_have_empty_traces() -> None:
    for name in GAMES:
        state = warlog_core.game(name).new(draws=bytes)
        seat = state.seats[0]
        wrong: tuple[Any, ...] = (
            {},
            7,
            {"type": "x"},
            {"type": "move", "piece": 2**70, "to": "zz"},
            {"type": "resign"},
        )
        for action in wrong:
            assert state.trace_to(state, seat, action, seat) == Trace([], [], []), name
