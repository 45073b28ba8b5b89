"""Random play: one match as PettingZoo has it, then many at a time in NumPy arrays.

    python examples/random_play.py                                    # Hex Tactics on a field of 7 by 5
    python examples/random_play.py --game junqi --options '{"players": 2}' --steps 2000

Prints how the match ended, and how often each seat of the many won. Needs `pip install "warlog-core[zoo]"`.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np

from warlog_core import zoo

SMALL = {"width": 7, "height": 5, "army": "preset"}


def one_match(game: str, options: dict[str, Any], seed: int) -> str:
    """Plays a match in PettingZoo's interface; says how long it was and what it brought each agent."""
    env = zoo.env(game, options=options)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    rewards, n_actions = dict.fromkeys(env.agents, 0.0), 0
    for agent in env.agent_iter():
        _observation, reward, terminated, truncated, info = env.last()
        rewards[agent] += reward
        if terminated or truncated:
            env.step(None)
        else:
            env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
            n_actions += 1
    brought = ", ".join(f"{agent} {reward:+.0f}" for agent, reward in rewards.items())
    return f"one match of {n_actions} actions: {brought}"


def many_matches(game: str, options: dict[str, Any], n: int, steps: int, seed: int, threads: int) -> str:
    """Steps n matches so many times; says how many have ended, who won them, and how fast it went."""
    vector = zoo.vector(game, n, options=options, seed=seed, threads=threads, max_cycles=2000)
    rng = np.random.default_rng(seed)
    arrays, ended, won, stepping = vector.arrays, 0, np.zeros(len(vector.seats), int), 0.0
    for _ in range(steps):
        chosen = (rng.random(arrays.masks.shape, np.float32) * arrays.masks).argmax(axis=1)
        began = time.perf_counter()
        vector.step(chosen)
        stepping += time.perf_counter() - began
        over = arrays.ends != 0
        ended += int(over.sum())
        won += (arrays.rewards[over] > 0).sum(axis=0)
    vector.close()
    winners = ", ".join(f"{seat} {wins}" for seat, wins in zip(vector.seats, won, strict=True))
    return (
        f"{n} matches at a time: {n * steps} actions, {ended} matches ended, won: {winners}; "
        f"{n * steps / stepping:,.0f} actions per second"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Random play, one match and many.")
    parser.add_argument("--game", default="hex")
    parser.add_argument("--options", type=json.loads, default=SMALL, help="as JSON")
    parser.add_argument("--matches", type=int, default=64)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    game, options, seed = arguments.game, arguments.options, arguments.seed
    print(one_match(game, options, seed))
    print(many_matches(game, options, arguments.matches, arguments.steps, seed, arguments.threads))


if __name__ == "__main__":
    main()
