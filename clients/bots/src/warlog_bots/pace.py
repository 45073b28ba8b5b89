"""How long a search may take: people wait, clocks run, and a processor core is shared. Nothing here reads a clock."""

from __future__ import annotations

from collections.abc import Iterable

ANSWER_SECONDS = 2.5
"""After which a decision is to be answered, from when the bot has heard of it. What comes on top (reading, posting, a
search that takes longer than expected) has as long again: nobody waits longer than five seconds."""
CLOCK_SHARE = 0.4
"""Of the time that is left on a seat's clock."""
SEARCH_SECONDS_MAX = 1.0
RESERVE_SECONDS = 0.02
"""Kept free for each decision that waits: its messages are read and written by the same core."""
BURST_SECONDS = 3.0
"""Of processor time that may be saved up."""


def due_at(now: float, left: float | None) -> float:
    """When a decision that came at `now` is to be answered. `left`: on its clock, in seconds."""
    return now + (ANSWER_SECONDS if left is None else max(0.0, min(ANSWER_SECONDS, left * CLOCK_SHARE)))


def share(now: float, dues: Iterable[float]) -> float:
    """The longest time in seconds that each search may take so that all end when they are due, one after the other, the
    most urgent first; 0 where that is impossible, and never more than SEARCH_SECONDS_MAX."""
    fair = min(
        ((due - now) / place - RESERVE_SECONDS for place, due in enumerate(sorted(dues), 1)),
        default=SEARCH_SECONDS_MAX,
    )
    return min(max(fair, 0.0), SEARCH_SECONDS_MAX)


class Budget:
    """Processor seconds per second. What is not spent is saved up, to BURST_SECONDS."""

    def __init__(self, per_second: float, now: float) -> None:
        self._per_second = per_second
        self._saved = BURST_SECONDS
        self._at = now

    def left(self, now: float) -> float:
        self._saved = min(BURST_SECONDS, self._saved + (now - self._at) * self._per_second)
        self._at = now
        return max(0.0, self._saved)

    def spend(self, seconds: float) -> None:
        self._saved -= seconds


class Speeds:
    """What an iteration costs: in a match as in its last search, in a new one as in the others of its game."""

    def __init__(self) -> None:
        self._of: dict[str, float] = {}

    def iterations(self, match: str, game: str, seconds: float) -> int | None:
        """That take so many seconds. None: no match of this game has been searched."""
        each = self._of.get(match) or self._of.get(game)
        return None if each is None else int(seconds / each)

    def learn(self, match: str, game: str, iterations: int, seconds: float) -> None:
        each = seconds / iterations
        self._of[match] = each
        self._of[game] = 0.7 * self._of.get(game, each) + 0.3 * each

    def forget(self, match: str) -> None:
        self._of.pop(match, None)
