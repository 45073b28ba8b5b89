"""`State.after` is `copy` and `apply` in one, and what an event says of itself is what its records say."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

import warlog_core
from tests.core.games import lines, playthroughs, walks
from tests.core.test_properties import entropy_of, random_line, start
from warlog_core import BadDraws, Event, Refused, State

WALKS = walks()
SORTED = msgspec.json.Encoder(order="sorted")


def all_of(state: State) -> tuple[Any, ...]:
    """Everything that a state says without being asked about a viewer."""
    return (
        state.data,
        state.setup,
        state.hash,
        state.phase,
        state.to_act,
        state.result,
        state.disclosure,
        [state.clock(seat) for seat in state.seats],
    )


def told(event: Event, state: State) -> tuple[Any, ...]:
    """Everything that an event tells, to whom it may concern."""
    viewers = (*state.seats, "spectator", state.seats)
    return (
        event.actor,
        event.action,
        event.draws,
        event.effects,
        event.hides_nothing,
        event.action_json,
        event.action_sorted_json,
        event.effects_json,
        [event.visible(viewer, flags) for viewer in viewers for flags in (0, state.disclosure)],
        [event.forms(viewer) for viewer in (*state.seats, "spectator")],
    )


@pytest.mark.parametrize(("name", "options", "position"), WALKS)
def test_after_is_copy_and_apply_and_leaves_the_state_as_it_is(
    name: str, options: Any, position: Any, seed: int
) -> None:
    rng = random.Random(f"{seed} {name} {json.dumps(options, sort_keys=True)}")
    game = warlog_core.game(name)
    source = entropy_of(rng)
    state = start(game, options, position, rng)
    for seat, action in random_line(state, rng, 40):
        block = source()
        before = all_of(state)
        with pytest.raises(Refused):
            state.after(seat, {"type": "no such action"}, block)
        after, event = state.after(seat, action, block)
        with pytest.raises(BadDraws):
            state.after(seat, action, [*event.draws, 0])
        assert all_of(state) == before
        held = state.copy()
        plain = held.apply(seat, action, block)
        assert all_of(after) == all_of(held)
        assert all_of(after) == all_of(game.load(after.setup, after.data)), (
            "what it knows is what its bytes say"
        )
        assert told(event, after) == told(plain, held)
        again, repeated = state.after(seat, action, event.draws)
        assert (again.data, repeated.effects) == (after.data, event.effects)
        state.apply(seat, action, block)


@pytest.mark.parametrize(("name", "options", "position"), WALKS)
def test_an_event_hides_nothing_exactly_when_everybody_gets_all_of_it_at_once(
    name: str, options: Any, position: Any, seed: int
) -> None:
    rng = random.Random(f"{seed} {name} {json.dumps(options, sort_keys=True)}")
    source = entropy_of(rng)
    state = start(warlog_core.game(name), options, position, rng)
    assert state.started is not None
    events = [state.started]
    for seat, action in random_line(state, rng, 40):
        events.append(state.apply(seat, action, source()))
    for event in events:
        whole = (event.action, event.draws, event.effects)
        for viewer in (*state.seats, "spectator"):
            seen = event.visible(viewer, 0)
            if event.hides_nothing:
                assert (seen.action, seen.draws, seen.effects) == whole
                assert [form for _, form in event.forms(viewer)] == event.effects


@pytest.mark.parametrize(("name", "options", "position"), WALKS)
def test_the_json_of_an_event_is_that_of_its_plain_values(
    name: str, options: Any, position: Any, seed: int
) -> None:
    """To the byte: what is stored is hashed, and every reader gets the same text."""
    rng = random.Random(f"{seed} {name} {json.dumps(options, sort_keys=True)}")
    source = entropy_of(rng)
    state = start(warlog_core.game(name), options, position, rng)
    assert state.started is not None
    assert state.started.action_json == state.started.action_sorted_json == b"null"
    for seat, action in random_line(state, rng, 40):
        upside_down = dict(reversed(action.items()))
        event = state.apply(seat, upside_down, source())
        assert event.action == action
        assert event.action_json == msgspec.json.encode(action)
        assert event.action_sorted_json == SORTED.encode(action) == SORTED.encode(upside_down)
        assert event.effects_json == msgspec.json.encode(msgspec.to_builtins(event.effects))


@pytest.mark.parametrize("path", playthroughs(), ids=lambda path: path.stem)
def test_what_was_published_is_written_as_it_was_posted(path: Path) -> None:
    """Every kind of action that the playthroughs have, those that no listing shows whole (an army, a layout) too."""
    first, *steps = lines(path)
    state = warlog_core.game(first["game"]).new(
        options=first["options"], position=first.get("position"), draws=first["draws"]
    )
    for step in steps:
        if "error" not in step:
            state, event = state.after(step["seat"], step["action"], step["draws"])
            assert event.action == step["action"]
            assert event.action_json == msgspec.json.encode(event.action)
            assert event.action_sorted_json == SORTED.encode(step["action"])


def test_a_state_forgets_what_it_knows_of_itself_when_it_changes() -> None:
    game = warlog_core.game("hex")
    begun = game.new(options={"army": "preset", "obstacles": "none"}, draws=random.Random(5).randbytes)
    listed = begun.legal(begun.to_act[0])[0]
    changes: dict[str, Callable[[State], object]] = {
        "apply": lambda s: s.apply(s.to_act[0], listed, random.Random(1).randbytes),
        "take": lambda s: s.take(s.listing(s.to_act[0]), 0, random.Random(1).randbytes),
        "replay": lambda s: s.replay([warlog_core.Step(s.to_act[0], listed)]),
        "playout": lambda s: s.playout(3, 5, play_on=True),
        "play_randomly": lambda s: s.play_randomly(random.Random(1), 5),
    }
    for name, change in changes.items():
        state = begun.copy()
        held = all_of(state)
        change(state)
        assert all_of(state) == all_of(game.load(state.setup, state.data)), name
        assert state.hash != held[2], name
        assert all_of(begun) == held


def test_new_options_make_a_state_forget_its_hash() -> None:
    game = warlog_core.game("wec")
    state = game.new(draws=random.Random(5).randbytes)
    assert state.hash
    assert state.result is None
    state.reconfigure(game.full_options({}))
    assert all_of(state) == all_of(game.load(state.setup, state.data))


def test_a_refused_action_leaves_room_for_the_next_one() -> None:
    """The memory of a state that came to nothing is used again: nothing of it may be left over."""
    game = warlog_core.game("hex")
    state = game.new(options={"army": "preset"}, draws=random.Random(2).randbytes)
    rng = random.Random(7)
    for _ in range(60):
        if not state.to_act:
            break
        seat = state.to_act[0]
        listed = rng.choice(state.legal(seat))
        draws = state.copy().apply(seat, listed, rng.randbytes).draws
        with pytest.raises(BadDraws):
            state.after(seat, listed, [*draws, 0])  # resolved, and then refused for what was not drawn
        state, _ = state.after(seat, listed, draws)
        assert state.data == game.load(state.setup, state.data).data
