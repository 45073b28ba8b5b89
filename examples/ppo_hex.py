"""PPO learns Hex Tactics on a field of 7 by 5 against random play, with NumPy alone.

    python examples/ppo_hex.py                    # some minutes: learning.svg, how often it wins against random play
    python examples/ppo_hex.py --updates 3        # seconds, to see that it runs

One network plays the first seat of every match, the other seat plays at random. Needs `pip install "warlog-core[zoo]"`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warlog_core import zoo
from warlog_core.zoo.vectors import Vector

Array = NDArray[np.float32]

OPTIONS = {"width": 7, "height": 5, "army": "preset", "obstacles": "none", "round_limit": 30}
MATCHES, STEPS, HIDDEN = 64, 128, 128
GAMMA, LAMBDA, CLIP, RATE, EPOCHS, BATCH, BONUS = 0.99, 0.95, 0.2, 1e-3, 4, 512, 0.005


class Network:
    """Two layers, from which go what the actions are worth to each other and what the state is worth; Adam."""

    def __init__(self, inputs: int, actions: int, rng: np.random.Generator) -> None:
        def layer(a: int, b: int, scale: float) -> Array:
            drawn: Array = (rng.standard_normal((a, b)) * scale / np.sqrt(a)).astype(np.float32)
            return drawn

        self.weights = [layer(inputs, HIDDEN, 1.4), layer(HIDDEN, HIDDEN, 1.4), layer(HIDDEN, actions, 0.01)]
        self.weights += [layer(HIDDEN, 1, 1.0)]
        self.weights += [np.zeros(n, np.float32) for n in (HIDDEN, HIDDEN, actions, 1)]
        self.means = [np.zeros_like(w) for w in self.weights]
        self.squares = [np.zeros_like(w) for w in self.weights]
        self.n_steps = 0

    def forward(self, seen: Array, masks: NDArray[np.uint8]) -> tuple[Array, Array, list[Array]]:
        """Chances of the actions, values, and what the way back needs."""
        first, second, policy, value, *biases = self.weights
        a = np.maximum(seen @ first + biases[0], 0)
        b = np.maximum(a @ second + biases[1], 0)
        scores = np.where(masks, b @ policy + biases[2], -1e9)
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        return scores / scores.sum(axis=1, keepdims=True), (b @ value + biases[3])[:, 0], [a, b]

    def learn(self, seen: Array, kept: list[Array], scores: Array, values: Array) -> None:
        """One step down the gradients of scores and values."""
        a, b = kept
        at_b = (scores @ self.weights[2].T + values[:, None] @ self.weights[3].T) * (b > 0)
        at_a = (at_b @ self.weights[1].T) * (a > 0)
        slopes = [seen.T @ at_a, a.T @ at_b, b.T @ scores, b.T @ values[:, None]]
        slopes += [at_a.sum(axis=0), at_b.sum(axis=0), scores.sum(axis=0), values.sum(keepdims=True)]
        length = np.sqrt(sum(float((slope**2).sum()) for slope in slopes))
        self.n_steps += 1
        for w, slope, mean, square in zip(self.weights, slopes, self.means, self.squares, strict=True):
            slope *= min(1.0, 0.5 / (length + 1e-8))
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
            w -= (
                RATE * (mean / (1 - 0.9**self.n_steps)) / (np.sqrt(square / (1 - 0.999**self.n_steps)) + 1e-8)
            )


class Experience:
    """What the learner saw and did in a stretch of play, match by match, until the next reward."""

    def __init__(self, vector: Vector, rng: np.random.Generator) -> None:
        self.vector, self.rng = vector, rng
        self.open: list[list[dict[str, Any]]] = [[] for _ in range(vector.n)]
        self.won: list[float] = []

    def play(self, network: Network, steps: int) -> list[dict[str, Any]]:
        """Plays so long; gives the learner's decisions of matches that have ended, with what they were worth."""
        done: list[dict[str, Any]] = []
        arrays = self.vector.arrays
        for _ in range(steps):
            mine = arrays.seats == 0
            chances = arrays.masks / arrays.masks.sum(axis=1, keepdims=True)
            seen = arrays.observations.reshape(self.vector.n, -1)[mine]
            values = np.zeros(self.vector.n, np.float32)
            if mine.any():
                chances[mine], values[mine], _ = network.forward(seen, arrays.masks[mine])
            chosen = (chances.cumsum(axis=1) > self.rng.random((self.vector.n, 1)) * 0.999999).argmax(axis=1)
            for row, i in enumerate(np.flatnonzero(mine)):
                decision = {"seen": seen[row].copy(), "mask": arrays.masks[i].copy(), "action": chosen[i]}
                self.open[i].append(decision | {"chance": chances[i, chosen[i]], "value": values[i]})
            self.vector.step(chosen)
            for i in np.flatnonzero(arrays.ends):
                reward = float(arrays.rewards[i, 0])
                self.won.append(reward)
                _judge(self.open[i], reward)
                done += self.open[i]
                self.open[i] = []
        return done


def _judge(decisions: list[dict[str, Any]], reward: float) -> None:
    """What each decision of a match brought beyond what had been expected: generalised advantages."""
    advantage, following = 0.0, 0.0
    for i, decision in enumerate(reversed(decisions)):
        surprise = (reward if i == 0 else 0.0) + GAMMA * following - decision["value"]
        advantage = surprise + GAMMA * LAMBDA * advantage
        following = decision["value"]
        decision["advantage"] = advantage
        decision["target"] = advantage + decision["value"]


def improve(network: Network, decisions: list[dict[str, Any]], rng: np.random.Generator) -> None:
    """PPO's clipped steps over these decisions."""
    stacked = {key: np.array([d[key] for d in decisions]) for key in decisions[0]}
    gain = stacked["advantage"]
    gain = (gain - gain.mean()) / (gain.std() + 1e-8)
    for _ in range(EPOCHS):
        order = rng.permutation(len(decisions))
        for at in range(0, len(order), BATCH):
            rows = order[at : at + BATCH]
            n = len(rows)
            chances, values, kept = network.forward(stacked["seen"][rows], stacked["mask"][rows])
            taken = np.zeros_like(chances)
            taken[np.arange(n), stacked["action"][rows]] = 1
            ratio = (chances * taken).sum(axis=1) / stacked["chance"][rows]
            clipped = np.where(gain[rows] > 0, ratio > 1 + CLIP, ratio < 1 - CLIP)
            push = np.where(clipped, 0, gain[rows] * ratio)[:, None]
            logs = np.log(chances + 1e-12)
            entropy = -(chances * logs).sum(axis=1, keepdims=True)
            slopes = -push * (taken - chances) + BONUS * chances * (logs + entropy)
            errors = 0.5 * (values - stacked["target"][rows])
            network.learn(
                stacked["seen"][rows], kept, (slopes / n).astype(np.float32), (errors / n).astype(np.float32)
            )


def curve(shares: list[float]) -> str:
    """A picture of the learning curve, as SVG: the share of points against random play, by update."""
    width, height, left = 640, 320, 40
    n = max(1, len(shares) - 1)
    points = " ".join(
        f"{left + i * (width - left - 10) / n:.1f},{(1 - s) * (height - 40) + 10:.1f}"
        for i, s in enumerate(shares)
    )
    marks = "".join(
        f'<line x1="{left}" x2="{width - 10}" y1="{y}" y2="{y}" stroke="#ccc"/>'
        f'<text x="4" y="{y + 4}" font-size="12">{share:.0%}</text>'
        for share in (0, 0.5, 1)
        for y in [(1 - share) * (height - 40) + 10]
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">'
        f'<rect width="{width}" height="{height}" fill="white"/>{marks}'
        f'<polyline points="{points}" fill="none" stroke="#1f5fa8" stroke-width="2"/>'
        f'<text x="{left}" y="{height - 8}" font-size="12">share of points against random play, over '
        f"{len(shares)} updates of {MATCHES * STEPS} actions</text></svg>\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="PPO on a small field of Hex Tactics.")
    parser.add_argument("--updates", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--picture", type=Path, default=Path("learning.svg"))
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    vector = zoo.vector("hex", MATCHES, options=OPTIONS, seed=arguments.seed, max_cycles=600)
    network = Network(int(np.prod(vector.numbering.shape)), vector.numbering.n_actions, rng)
    experience, shares = Experience(vector, rng), []
    for update in range(1, arguments.updates + 1):
        decisions = experience.play(network, STEPS)
        recent = experience.won[-200:]
        shares.append(0.5 + 0.5 * float(np.mean(recent)) if recent else 0.5)
        if decisions:
            improve(network, decisions, rng)
        print(
            f"update {update}: {shares[-1]:.0%} of the points in the last {len(recent)} matches", flush=True
        )
    arguments.picture.write_text(curve(shares), encoding="utf-8")


if __name__ == "__main__":
    main()
