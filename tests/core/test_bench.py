"""Micro-benchmarks of the core, run by `make bench`; skipped by default. A match of Hex Tactics thirty actions old."""

from __future__ import annotations

import hashlib
import random
from typing import Any

import msgspec
import pytest

import warlog_core
from tests.core.games import GAMES, TESTS, lines
from tests.ladder.matches import time_level
from tests.ladder.tables import TABLES
from warlog_core import LEVELS, State, Step

Benchmark = Any  # pytest-benchmark's fixture has no types
OPPONENTS = [name for name in GAMES if warlog_core.game(name).raw.has_search]
OPTIONS: dict[str, Any] = {"hex": {"army": "preset"}, "junqi": {"players": 2}}


@pytest.fixture
def state() -> State:
    state = warlog_core.game("hex").new(options={"army": "preset"}, draws=bytes)
    state.playout(1, 30, play_on=True)
    while not any(action["type"] == "attack" for action in state.legal(state.to_act[0], plain=True)):
        state.playout(1, 1, play_on=True)
    return state


def an_action(state: State, kind: str) -> dict[str, Any]:
    return next(action for action in state.legal(state.to_act[0], plain=True) if action["type"] == kind)


def test_copy(benchmark: Benchmark, state: State) -> None:
    benchmark(state.copy)


def test_load(benchmark: Benchmark, state: State) -> None:
    setup, data = state.setup, state.data
    benchmark(warlog_core.game("hex").load, setup, data)


def test_hash(benchmark: Benchmark, state: State) -> None:
    benchmark(lambda: state.game.raw.hash(state._raw))


def test_view_in_c(benchmark: Benchmark, state: State) -> None:
    benchmark(state.seen_by, "red")


def test_view(benchmark: Benchmark, state: State) -> None:
    benchmark(state.view, "red")


def test_view_as_json(benchmark: Benchmark, state: State) -> None:
    benchmark(lambda: msgspec.json.encode(state.view("red")))


def test_listing_not_decoded(benchmark: Benchmark, state: State) -> None:
    benchmark(state.listing, state.to_act[0])


def test_listing(benchmark: Benchmark, state: State) -> None:
    benchmark(state.legal, state.to_act[0])


def test_check(benchmark: Benchmark, state: State) -> None:
    benchmark(state.check, state.to_act[0], an_action(state, "move"))


def test_copy_and_move_with_effects(benchmark: Benchmark, state: State) -> None:
    seat, action = state.to_act[0], an_action(state, "move")
    benchmark(lambda: state.copy().apply(seat, action).effects)


def test_copy_and_attack_with_entropy_and_what_both_sides_see(benchmark: Benchmark, state: State) -> None:
    seat, action = state.to_act[0], an_action(state, "attack")

    def act() -> None:
        after = state.copy()
        event = after.apply(seat, action, draws=lambda size: hashlib.shake_256(b"seed").digest(size))
        event.visible("red", after.disclosure)
        event.visible("blue", after.disclosure)

    benchmark(act)


@pytest.mark.parametrize("n_steps", [400, 10_000])
def test_replay(benchmark: Benchmark, n_steps: int) -> None:
    """A match of so many events in one call, hashes compared, from steps as they are stored."""
    rng = random.Random(4)
    state = warlog_core.game("hex").new(options={"army": "preset"}, draws=bytes)
    start, steps = state.copy(), list[Step]()
    while len(steps) < n_steps:
        seat = state.to_act[0]
        kinds = (
            ("move", "defend") if len(steps) < n_steps - 200 else ("move", "defend", "attack", "move_attack")
        )
        action = rng.choice([a for a in state.legal(seat, plain=True) if a["type"] in kinds])
        steps.append(Step(seat, action, state.apply(seat, action, draws=rng.randbytes).draws, state.hash))
        if state.result is not None:
            break
    benchmark(lambda: start.copy().replay(steps))


def test_a_thousand_random_actions_in_c(benchmark: Benchmark) -> None:
    start = warlog_core.game("hex").new(options={"army": "preset"}, draws=bytes)

    def play() -> None:
        n_taken, seed = 0, 0
        while n_taken < 1000:
            n_taken += start.copy().playout(seed, 1000 - n_taken, play_on=True)
            seed += 1

    benchmark(play)


def test_a_thousand_random_actions_from_python_with_listings(benchmark: Benchmark) -> None:
    start = warlog_core.game("hex").new(options={"army": "preset"}, draws=bytes)
    rng = random.Random(1)

    def play() -> None:
        n_taken = 0
        while n_taken < 1000:
            n_taken += start.copy().play_randomly(rng, 1000 - n_taken)

    benchmark(play)


def test_a_published_match_step_by_step_with_all_views_and_listings(benchmark: Benchmark) -> None:
    first, *steps = lines(TESTS / "playthroughs" / "hex-4.jsonl")

    def play() -> None:
        state = warlog_core.game("hex").new(options=first["options"], draws=first["draws"])
        for step in steps:
            state.apply(step["seat"], step["action"], draws=step["draws"])
            for seat in state.seats:
                state.view(seat)
                state.legal(seat)

    benchmark(play)


@pytest.mark.parametrize("name", OPPONENTS)
def test_a_thousand_iterations_of_a_search(
    benchmark: Benchmark, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    seen, seat = seen_in_play(name)
    arena = bytearray(8 << 20)
    benchmark(warlog_core.search, seen, seat, seed=1, iterations=1_000, arena=arena)
    with capsys.disabled():
        print(f"\n{name}: {len(arena.rstrip(bytes(1))):,} bytes of arena for 1,000 iterations")


@pytest.mark.parametrize("table", TABLES)
def test_an_action_of_level_8(benchmark: Benchmark, table: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One round measures 40 positions. Median and 99th percentile are printed; the table has the time of all."""
    timed = benchmark.pedantic(time_level, (table, TABLES[table], LEVELS[-1], 40, ""))
    with capsys.disabled():
        print(
            f"\n{table}: {timed.median:.0f} ms for an action of level 8, 99 % within {timed.slowest:.0f} ms"
        )


@pytest.mark.parametrize("name", OPPONENTS)
def test_a_sample_of_what_a_seat_may_not_know(benchmark: Benchmark, name: str) -> None:
    seen, seat = seen_in_play(name)
    benchmark(seen.sample, seat, 1)


def seen_in_play(name: str) -> tuple[State, str]:
    """By the seat that is to act, sixty actions after the start."""
    state = warlog_core.game(name).new(options=OPTIONS.get(name, {}), draws=random.Random(1).randbytes)
    state.playout(1, 60, play_on=True)
    seat = state.to_act[0]
    return state.seen_by(seat), seat


@pytest.mark.parametrize("game", ["gin_rummy", "hearts", "leduc_poker"])
def test_a_thousand_iterations_of_the_search_of_openspiel(benchmark: Benchmark, game: str) -> None:
    """Its IS-MCTS, with one random playout to the end for each, in the middle of a match with hidden cards: no game of
    ours is among its own. Needs `pip install open_spiel`."""
    spiel = pytest.importorskip("pyspiel", reason="pip install open_spiel")
    rng = random.Random(1)
    state = spiel.load_game(game).new_initial_state()
    while state.is_chance_node():
        state.apply_action(rng.choice(state.legal_actions()))
    bot = spiel.ISMCTSBot(
        1,
        spiel.RandomRolloutEvaluator(1, 1),
        2.0,
        1_000,
        -1,
        spiel.ISMCTSFinalPolicyType.NORMALIZED_VISIT_COUNT,
        False,
        False,
    )
    benchmark(bot.step, state)
