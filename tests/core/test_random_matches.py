"""Random matches of every game over random options, each step replayed to the same bytes and hashes.

`WARLOG_MATCHES` matches of each game; the soak plays a thousand.
"""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

import warlog_core
from tests.core.games import GAMES
from warlog_core import Game, Refused, State, Step

STEPS_MAX = 1500  # some books set no end to a match
GIVING_UP = 0.003  # how often a seat may resign or offer a draw where there is something else to do


def simple_options(game: Game) -> dict[str, dict[str, Any]]:
    """The options whose values the schema tells outright: numbers, booleans, enumerations."""
    schema = game.schema("options")
    definitions = schema["$defs"]
    found = {
        name: definitions[one["$ref"].rsplit("/", 1)[1]] if "$ref" in one else one
        for name, one in schema["properties"].items()
    }
    return {n: one for n, one in found.items() if "enum" in one or one.get("type") in ("integer", "boolean")}


def value(rng: random.Random, schema: dict[str, Any]) -> object:
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if schema["type"] == "boolean":
        return rng.random() < 0.5
    low, high = schema["minimum"], schema["maximum"]
    return rng.randint(low, min(high, low + rng.choice((3, 30, 3000))))


def random_start(game: Game, rng: random.Random) -> tuple[State, dict[str, object]]:
    """Some options changed at random; tried again until the book allows them together."""
    known = simple_options(game)
    while True:
        names = rng.sample(sorted(known), rng.randint(0, len(known)))
        options = {name: value(rng, known[name]) for name in names}
        try:
            return game.new(options=options, draws=rng.randbytes), options
        except Refused:
            continue


def play(game: Game, rng: random.Random) -> int:
    """One match; the number of its steps."""
    state, options = random_start(game, rng)
    start, steps = state.copy(), list[Step]()
    while state.result is None and len(steps) < STEPS_MAX:
        seat = rng.choice(state.to_act)
        actions = [a for a in state.legal(seat, plain=True) if not a.get("open")]
        willing = [a for a in actions if a["type"] not in ("resign", "offer_draw", "accept_draw")]
        action = rng.choice(willing if willing and rng.random() > GIVING_UP else actions)
        event = state.apply(seat, action, draws=rng.randbytes)
        steps.append(Step(seat, action, event.draws, state.hash))
    start.replay(steps)
    assert start.data == state.data, options
    return len(steps)


def play_many(name: str, seed: int, matches: int) -> None:
    rng, game = random.Random(f"{seed} {name}"), warlog_core.game(name)
    assert sum(play(game, rng) for _ in range(matches)) > 2 * matches


@pytest.mark.parametrize("name", GAMES)
def test_options_that_do_not_go_together_are_refused_with_the_option_at_fault(name: str, seed: int) -> None:
    rng, game = random.Random(f"{seed} {name}"), warlog_core.game(name)
    known = simple_options(game)
    for _ in range(500):
        names = rng.sample(sorted(known), rng.randint(0, min(5, len(known))))
        options = {one: value(rng, known[one]) for one in names}
        try:
            game.new(options=options, draws=rng.randbytes)
        except Refused as error:
            found = error.explanation
            assert found is not None
            assert found.path.startswith("/options/"), (options, found)


@pytest.mark.parametrize("name", GAMES)
def test_random_matches_are_replayed_to_the_same_hashes(name: str, seed: int) -> None:
    play_many(name, seed, 4)


@pytest.mark.soak
@pytest.mark.parametrize("name", GAMES)
def test_a_thousand_random_matches_are_replayed_to_the_same_hashes(name: str, seed: int) -> None:
    play_many(name, seed, int(os.environ.get("WARLOG_MATCHES", "1000")))
