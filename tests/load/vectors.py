"""Steps of random play a second, with observations and masks: our vectors and environments, and those of others.

All take turns, a second each, three rounds; the median is shown. Processor time is that of the whole process, all its
threads together, within the step alone: which action is taken is chosen outside of it. A peer that is not installed is
named with what installs it.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from warlog_core import zoo
from warlog_core.zoo import openspiel

ROUNDS, SECONDS, MATCHES = 3, 1.0, 256
SMALL: dict[str, Any] = {"width": 7, "height": 5, "army": "preset"}

# Plays for so long; how many steps, and how many seconds of processor they took.
Play = Callable[[float], tuple[int, float]]


def figures(show: Callable[[str, str], None]) -> None:
    print("random play with observations and masks, steps per second of processor")
    plays: dict[str, Play] = {}
    for title, make in {**_ours(), **_peers()}.items():
        try:
            plays[title] = make()
        except ImportError as missing:
            show(title, f"not measured: {missing}")
    seen: dict[str, list[float]] = {title: [] for title in plays}
    for _ in range(ROUNDS):
        for title, play in plays.items():
            steps, spent = play(SECONDS)
            seen[title].append(steps / spent)
    for title, rates in seen.items():
        show(title, f"{statistics.median(rates):,.0f}")


def _ours() -> dict[str, Callable[[], Play]]:
    return {
        f"vector of {MATCHES}, hex 7 by 5": lambda: _vector("hex", SMALL),
        f"vector of {MATCHES}, hex": lambda: _vector("hex", {"army": "preset"}),
        f"vector of {MATCHES}, junqi, 2 players": lambda: _vector("junqi", {"players": 2}),
        f"vector of {MATCHES}, confrontation": lambda: _vector("confrontation", {}),
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


def _vector(game: str, options: dict[str, Any]) -> Play:
    vector = zoo.vector(game, MATCHES, options=options, seed=1)
    rng = np.random.default_rng(1)

    def play(seconds: float) -> tuple[int, float]:
        steps, spent, began = 0, 0.0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            masks = vector.arrays.masks
            chosen = (rng.random(masks.shape, np.float32) * masks).argmax(axis=1)
            at = time.process_time()
            vector.step(chosen)
            spent += time.process_time() - at
            steps += MATCHES
        return steps, spent

    return play


def _aec(env: Any) -> Play:
    """The step, and `last` with observation and mask."""
    rng = random.Random(1)
    seeds = iter(range(1_000_000))

    def play(seconds: float) -> tuple[int, float]:
        steps, spent, began = 0, 0.0, time.perf_counter()
        env.reset(seed=next(seeds))
        while time.perf_counter() - began < seconds:
            at = time.process_time()
            observation, _, terminated, truncated, info = env.last()
            spent += time.process_time() - at
            if terminated or truncated:
                env.reset(seed=next(seeds))
                continue
            mask = info.get("action_mask")
            mask = observation["action_mask"] if mask is None else mask
            action = int(rng.choice(np.flatnonzero(mask)))
            at = time.process_time()
            env.step(action)
            spent += time.process_time() - at
            steps += 1
        return steps, spent

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

    def play(seconds: float) -> tuple[int, float]:
        steps, spent, began = 0, 0.0, time.perf_counter()
        state = game.new_initial_state()
        while time.perf_counter() - began < seconds:
            at = time.process_time()
            while state.is_chance_node():
                state.apply_action(rng.choice(state.chance_outcomes())[0])
            if state.is_terminal():
                spent += time.process_time() - at
                state = game.new_initial_state()
                continue
            legal = state.legal_actions()
            state.legal_actions_mask()
            if tensor:
                state.observation_tensor(state.current_player())
            spent += time.process_time() - at
            action = rng.choice(legal)
            at = time.process_time()
            state.apply_action(action)
            spent += time.process_time() - at
            steps += 1
        return steps, spent

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

    def play(seconds: float) -> tuple[int, float]:
        nonlocal state, key
        steps, spent, began = 0, 0.0, time.perf_counter()
        while steps == 0 or time.perf_counter() - began < seconds:
            key, one, other = jax.random.split(key, 3)
            actions = jax.block_until_ready(choice(one, state))
            keys = jax.block_until_ready(jax.random.split(other, MATCHES))
            at = time.process_time()
            state = jax.block_until_ready(step(state, actions, keys))
            spent += time.process_time() - at
            steps += MATCHES
        return steps, spent

    return play
