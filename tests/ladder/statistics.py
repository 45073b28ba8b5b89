"""When a question is settled, and what the answers are worth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

SETTLED = math.log(0.95 / 0.05)  # Wald's bounds for errors of 5 % of either kind
DOUBT = 0.25  # a match that is added as won, and one as lost, each with this weight: no share is quite 0 or 1


class Score(Struct, frozen=True):
    """Wins, draws and losses of one player against another."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def n(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def share(self) -> float:
        return (self.won + self.drawn / 2) / self.n if self.n else 0.5

    def plus(self, points: float) -> Score:
        return Score(self.won + (points == 1), self.drawn + (points == 0.5), self.lost + (points == 0))

    def __add__(self, other: Score) -> Score:
        return Score(self.won + other.won, self.drawn + other.drawn, self.lost + other.lost)

    def interval(self, z: float = 1.96) -> tuple[float, float]:
        """Wilson's 95 % interval of the share; a draw counts as half a match won."""
        n, p = self.n, self.share
        if n == 0:
            return 0.0, 1.0
        middle, width = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, (middle - width) / (1 + z * z / n)), min(1.0, (middle + width) / (1 + z * z / n))


def likelihood(score: Score, low: float, high: float) -> float:
    """The logarithm of how much likelier a share of `high` is than one of `low`, by the normal approximation that the
    tests of chess engines use."""
    won, lost = score.won + DOUBT, score.lost + DOUBT
    n = won + score.drawn + lost
    mean = (won + score.drawn / 2) / n
    variance = (won + score.drawn / 4) / n - mean * mean
    return n * (high - low) * (2 * mean - low - high) / (2 * variance)


def is_settled(score: Score, low: float, high: float) -> bool:
    """Is it at least `high` or at most `low`? (Both sides of a pair of matches are played, so `n` is even.)"""
    return score.n >= 8 and abs(likelihood(score, low, high)) >= SETTLED


def ratings(scores: Mapping[tuple[str, str], Score], fixed: str) -> dict[str, tuple[float, float]]:
    """Elo of every player and its standard error, that of `fixed` being 0: the likeliest by the results of all."""
    names = sorted({name for pair in scores for name in pair} - {fixed})
    place = {name: i for i, name in enumerate(names)}
    elo = [0.0] * len(names)
    slope: list[list[float]] = []
    for _ in range(100):
        gradient = [0.0] * len(names)
        slope = [[1e-9 * (i == j) for j in range(len(names))] for i in range(len(names))]
        for (one, two), score in scores.items():
            i, j = place.get(one), place.get(two)
            difference = (0.0 if i is None else elo[i]) - (0.0 if j is None else elo[j])
            expected = 1 / (1 + 10 ** (-difference / 400))
            n = score.n + 2 * DOUBT
            surplus = score.won + score.drawn / 2 + DOUBT - n * expected
            weight = n * expected * (1 - expected) * math.log(10) / 400
            for a, sign in ((i, 1), (j, -1)):
                if a is None:
                    continue
                gradient[a] += sign * surplus
                for b, other in ((i, 1), (j, -1)):
                    if b is not None:
                        slope[a][b] += sign * other * weight
        step = solved(slope, gradient)
        elo = [old + max(-200.0, min(200.0, new)) for old, new in zip(elo, step, strict=True)]
        if max(map(abs, step), default=0.0) < 0.01:
            break
    errors = [
        math.sqrt(
            max(0.0, solved(slope, [float(i == j) for j in range(len(names))])[i]) / (math.log(10) / 400)
        )
        for i in range(len(names))
    ]
    return {fixed: (0.0, 0.0)} | {name: (elo[i], errors[i]) for name, i in place.items()}


def solved(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """The solution of a system of linear equations, by elimination."""
    n = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(n):
        best = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[best] = rows[best], rows[i]
        for k in range(n):
            if k != i and rows[k][i]:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [rows[i][n] / rows[i][i] for i in range(n)]
