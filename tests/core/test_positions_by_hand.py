"""Positions that somebody has made by hand, as in the editor: where a match can begin, computer opponents play it."""

from __future__ import annotations

import random
from copy import deepcopy
from typing import Any

import msgspec
import pytest

import warlog_core
from tests.core.test_properties import entropy_of, random_line
from tests.core.test_search import OPTIONS, PLAYED
from warlog_core import Refused, State

POSITIONS = 20
"""Of each game, that a match can begin from."""


def tables_of(value: Any) -> list[list[dict[str, Any]]]:
    """All lists of objects in it that are not empty: pieces, stacks, articles …"""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    found = [table for part in parts for table in tables_of(part)]
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        found.append(value)
    return found


def changed(position: Any, rng: random.Random) -> Any:
    """Rows are left out, are given a value of another row, or exchange one with it."""
    position = deepcopy(position)
    for _ in range(rng.choice((1, 1, 2, 4, 8, 20))):
        tables = tables_of(position)
        if not tables:
            break
        table = rng.choice(tables)
        one, other = rng.choice(table), rng.choice(table)
        if rng.random() < 0.35:
            table.remove(one)
        elif differing := [key for key in one if key in other and one[key] != other[key]]:
            key = rng.choice(differing)
            one[key], other[key] = other[key], one[key] if rng.random() < 0.5 else other[key]
    return position


def positions(name: str, rng: random.Random) -> list[Any]:
    """Of a random match, from before the first action on."""
    state = warlog_core.game(name).new(options=OPTIONS.get(name, {}), draws=rng.randbytes)
    draws, found = entropy_of(rng), [state.position()]
    for number, (seat, action) in enumerate(random_line(state, rng, 50)):
        state.apply(seat, action, draws=draws())
        if number % 8 == 0:
            found.append(state.position())
    return [msgspec.to_builtins(position) for position in found]


def begun(name: str, rng: random.Random) -> list[State]:
    """Matches that begin from changed Positions."""
    game, states = warlog_core.game(name), list[State]()
    while len(states) < POSITIONS:
        for position in positions(name, rng):
            try:
                state = game.new(
                    options=OPTIONS.get(name, {}), position=changed(position, rng), draws=rng.randbytes
                )
            except Refused:
                continue
            if state.result is None:
                states.append(state)
    return states


@pytest.mark.parametrize("name", PLAYED)
def test_computer_opponents_play_from_any_position_that_is_accepted(name: str, seed: int) -> None:
    """The true state itself fits what its seats see, and so a search finds a world, and in it an action."""
    rng = random.Random(f"{seed} {name} by hand")
    for state in begun(name, rng):
        for seat in state.seats:
            seen = warlog_core.game(name).load(state.public_setup, state.seen_by(seat).data)
            assert seen.sample(seat, rng.getrandbits(64)).seen_by(seat).data == seen.data
            if seat in state.to_act:
                choice = warlog_core.play(seen, seat, level=8, seed=rng.getrandbits(64), iterations=20)
                assert choice is not None
                assert state.check(seat, choice.action) is None
