"""Steps of random play a second, with observations and masks: our vectors and environments, and those of others.

All take turns, a second each, three rounds; the medians are shown: steps per second of processor, and per second of the
clock, which is what threads are for. Processor time is that of the whole process, all its threads together. Only steps
count: which action is taken is chosen outside of them. A peer that is not installed is named with what installs it.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from warlog_core import zoo
from warlog_core.zoo import openspiel

ROUNDS, SECONDS, MATCHES = 3, 1.0, 256
SMALL: dict[str, Any] = {"width": 7, "height": 5, "army": "preset"}


class Watch:
    """Seconds of processor and of the clock that passed within."""

    def __init__(self) -> None:
        self.processor = self.clock = 0.0

    def __enter__(self) -> None:
        self._processor, self._clock = time.process_time(), time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.processor += time.process_time() - self._processor
        self.clock += time.perf_counter() - self._clock


# Plays for so long with this watch around each step; how many steps there were.
Play = Callable[[float, Watch], int]


def figures(show: Callable[[str, str], None]) -> None:
    print("random play with observations and masks, steps per second of processor (of the clock)")
    plays: dict[str, Play] = {}
    for title, make in {**_ours(), **_peers()}.items():
        try:
            plays[title] = make()
        except ImportError as missing:
            show(title, f"not measured: {missing}")
    seen: dict[str, list[tuple[float, float]]] = {title: [] for title in plays}
    for _ in range(ROUNDS):
        for title, play in plays.items():
            watch = Watch()
            steps = play(SECONDS, watch)
            seen[title].append((steps / watch.processor, steps / watch.clock))
    for title, rates in seen.items():
        processor, clock = map(statistics.median, zip(*rates, strict=True))
        show(title, f"{processor:,.0f} ({clock:,.0f})")


OURS: dict[str, tuple[str, dict[str, Any]]] = {
    "hex 7 by 5": ("hex", SMALL),
    "hex": ("hex", {"army": "preset"}),
    "junqi, 2 players": ("junqi", {"players": 2}),
    "confrontation": ("confrontation", {}),
    "universal": ("universal", {}),
    "wec": ("wec", {}),
}


def _ours() -> dict[str, Callable[[], Play]]:
    return {
        f"vector of {MATCHES}, {title}, {threads} thread{'s' * (threads > 1)}": partial(
            _vector, *start, threads
        )
        for title, start in OURS.items()
        for threads in (1, 2)
    } | {
        "PettingZoo, hex 7 by 5": lambda: _aec(zoo.env("hex", options=SMALL)),
        "OpenSpiel, hex 7 by 5": lambda: _spiel(openspiel.load("hex", SMALL)),
    }


def _peers() -> dict[str, Callable[[], Play]]:
    return {
        "PettingZoo, its chess": _pettingzoo_chess,
        "OpenSpiel, its chess": _openspiel_chess,
        f"Pgx, its chess, {MATCHES} at a time": lambda: _pgx("chess"),
        f"Pgx, its gardner_chess (5 by 5), {MATCHES} at a time": lambda: _pgx("gardner_chess"),
    }


def _vector(game: str, options: dict[str, Any], threads: int) -> Play:
    vector = zoo.vector(game, MATCHES, options=options, seed=1, threads=threads)
    rng = np.random.default_rng(1)

    def play(seconds: float, watch: Watch) -> int:
        steps, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            legal = map(np.flatnonzero, vector.arrays.masks.view(bool))
            chosen = np.array([numbers[rng.integers(len(numbers))] for numbers in legal], np.int32)
            with watch:
                vector.step(chosen)
            steps += MATCHES
        return steps

    return play


def _aec(env: Any) -> Play:
    """The step, and `last` with observation and mask."""
    rng = random.Random(1)
    seeds = iter(range(1_000_000))

    def play(seconds: float, watch: Watch) -> int:
        steps, began = 0, time.perf_counter()
        env.reset(seed=next(seeds))
        while time.perf_counter() - began < seconds:
            with watch:
                observation, _, terminated, truncated, info = env.last()
            if terminated or truncated:
                env.reset(seed=next(seeds))
                continue
            mask = info.get("action_mask")
            mask = observation["action_mask"] if mask is None else mask
            action = int(rng.choice(np.flatnonzero(mask)))
            with watch:
                env.step(action)
            steps += 1
        return steps

    return play


def _pettingzoo_chess() -> Play:
    try:
        from pettingzoo.classic import chess_v6
    except ImportError as error:
        raise ImportError("pip install chess pygame") from error
    return _aec(chess_v6.env())


def _openspiel_chess() -> Play:
    import pyspiel

    return _spiel(pyspiel.load_game("chess"))


def _spiel(game: Any) -> Play:
    """The step, the mask of legal actions, and the tensor of what the player to act knows. Draws are part of a step."""
    rng = random.Random(1)
    tensor = game.get_type().provides_observation_tensor

    def play(seconds: float, watch: Watch) -> int:
        steps, began = 0, time.perf_counter()
        state = game.new_initial_state()
        while time.perf_counter() - began < seconds:
            with watch:
                while state.is_chance_node():
                    state.apply_action(rng.choice(state.chance_outcomes())[0])
                over = state.is_terminal()
                legal = [] if over else state.legal_actions()
                if not over:
                    state.legal_actions_mask()
                    if tensor:
                        state.observation_tensor(state.current_player())
            if over:
                state = game.new_initial_state()
                continue
            action = rng.choice(legal)
            with watch:
                state.apply_action(action)
            steps += 1
        return steps

    return play


def _pgx(name: str) -> Play:
    try:
        jax, pgx, wrappers = map(import_module, ("jax", "pgx", "pgx.experimental"))
    except ImportError as error:
        raise ImportError("pip install pgx 'jax[cpu]'") from error
    env = pgx.make(name)
    init = jax.jit(jax.vmap(env.init))
    step = jax.jit(jax.vmap(wrappers.auto_reset(env.step, env.init)))

    def choose(key: Any, state: Any) -> Any:
        noise = jax.random.uniform(key, state.legal_action_mask.shape)
        return (noise * state.legal_action_mask).argmax(axis=1)

    choice = jax.jit(choose)
    state = init(jax.random.split(jax.random.PRNGKey(1), MATCHES))
    key = jax.random.PRNGKey(2)
    keys = jax.random.split(key, MATCHES)
    state = jax.block_until_ready(step(state, choice(key, state), keys))  # compiled before anything counts

    def play(seconds: float, watch: Watch) -> int:
        nonlocal state, key
        steps, began = 0, time.perf_counter()
        while steps == 0 or time.perf_counter() - began < seconds:
            key, one, other = jax.random.split(key, 3)
            actions = jax.block_until_ready(choice(one, state))
            keys = jax.block_until_ready(jax.random.split(other, MATCHES))
            with watch:
                state = jax.block_until_ready(step(state, actions, keys))
            steps += MATCHES
        return steps

    return play
