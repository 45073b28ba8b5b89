"""Ratings: how strong a player is in one pool of a game, as μ (the estimate) and σ (its uncertainty), by Plackett and
Luce.

Everything is a whole number of ten-thousandths, so that what is stored is the same on every machine. σ grows by the
same amount for each day without a match. Therefore time changes the order of nobody: whoever is before another one by
μ − 3σ stays so until one of them plays (`order`).
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec

ALGORITHM = "plackett_luce/1"
"""Another one wherever the same matches would give other numbers."""

UNIT = 10_000
MU, SIGMA_MAX = 25 * UNIT, 83_333  # of a new player
SIGMA_PROVISIONAL = (
    62_500  # from which on a rating says too little for a leaderboard; ten matches of two players
)
SIGMA_PER_DAY = 100
DAY_MS = 86_400_000
_MEAN, _POINTS = 1_500, 60  # what people are shown: 1500 for μ = 25, and 60 for each whole one


class Rating(msgspec.Struct, frozen=True):
    """at       of the newest match, ms; 0: none
    matches  that moved it
    """

    mu: int = MU
    sigma: int = SIGMA_MAX
    at: int = 0
    matches: int = 0

    def aged(self, now: int) -> "Rating":
        """As it is then, with the uncertainty of the time since its newest match: to be shown or to compute with, not
        to be aged once more."""
        grown = self.sigma + max(0, now - self.at) * SIGMA_PER_DAY // DAY_MS
        return Rating(self.mu, min(SIGMA_MAX, grown), self.at, self.matches) if self.at else self

    @property
    def is_provisional(self) -> bool:
        return self.sigma >= SIGMA_PROVISIONAL

    @property
    def provisional_at(self) -> int:
        """When it becomes provisional if no match comes before, ms."""
        days_left = max(0, SIGMA_PROVISIONAL - self.sigma)
        return self.at + -(-days_left * DAY_MS // SIGMA_PER_DAY)

    @property
    def order(self) -> int:
        """By which players are compared, at any time: μ − 3σ as it would have been in 1970."""
        return self.mu - 3 * self.sigma + 3 * SIGMA_PER_DAY * self.at // DAY_MS

    @property
    def text(self) -> str:
        """As it is stored."""
        return f"{self.mu} {self.sigma} {self.at} {self.matches}"

    @classmethod
    def parse(cls, text: bytes | None) -> "Rating":
        """None: of who has played no match yet."""
        return cls() if text is None else cls(*map(int, text.split()))

    @property
    def shown(self) -> int:
        """The number that people see."""
        return _MEAN + _POINTS * (self.mu - MU) // UNIT

    def json(self) -> dict[str, Any]:
        """What everybody may see."""
        return {
            "rating": self.shown,
            "deviation": _POINTS * self.sigma // UNIT,
            "mu": self.mu / UNIT,
            "sigma": self.sigma / UNIT,
        }


def rate(teams: Sequence[Sequence[Rating]], ranks: Sequence[int], at: int) -> list[list[Rating]]:
    """The ratings of all players after a match that ended at `at`. ranks: of each team, the best is 0; equal ones have
    drawn."""
    model = _model()
    before = _Teams(
        [[model.rating(mu=one.mu / UNIT, sigma=one.sigma / UNIT) for one in team] for team in teams]
    )
    after = model.rate(before, ranks=[float(rank) for rank in ranks])
    return [
        [
            Rating(round(now.mu * UNIT), min(SIGMA_MAX, round(now.sigma * UNIT)), at, was.matches + 1)
            for was, now in zip(team, new, strict=True)
        ]
        for team, new in zip(teams, after, strict=True)
    ]


class _Teams(list[list[Any]]):
    """Made for one call of the model, which would copy every rating first: that takes a third of its time."""

    def __deepcopy__(self, memo: dict[int, Any]) -> "_Teams":
        return self


@cache
def _model() -> Any:
    from openskill.models import PlackettLuce  # takes 60 ms, and most processes settle nothing

    return PlackettLuce()
