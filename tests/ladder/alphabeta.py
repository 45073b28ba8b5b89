"""Would alpha-beta play better than the search? For games in which nothing is hidden and nothing random happens.

    python -m tests.ladder.alphabeta universal --states 4600 --share 0.05 --matches 20 --width 12

A search of level 8, with a part of its iterations, plays against alpha-beta with iterative deepening, which may look at
so many states for each action: choose as many as the search evaluates in the same time in C (docs/STRENGTH.md has
iterations and samples a second). Both judge by `evaluate`. Alpha-beta looks further at the best `--width` actions
of each state alone, by their value at a glance; 0: at all."""

from __future__ import annotations

import argparse
import random
from collections import Counter

import warlog_core
from tests.ladder.matches import number_of, points_of, sides_of
from tests.ladder.players import player
from tests.ladder.statistics import Score
from tests.ladder.tables import TABLES
from warlog_core import Refused, State
from warlog_core.levels import complete_actions, prepared_action

DEPTH_MAX = 20

Tried = tuple[float, object, State]
"""What is known of its value to the seat that searches, an action, and what comes of it."""


class SpentError(Exception):
    """It has looked at as many states as it may."""


class AlphaBeta:
    def __init__(self, sides: dict[str, int], states: int, width: int) -> None:
        self.depths = Counter[int]()
        """That were searched completely → for how many actions."""
        self._sides, self._states, self._width = sides, states, width
        self._left = 0
        self._root = ""

    def action(self, state: State, seat: str) -> object:
        self._root, self._left = seat, self._states
        tried = self._tried(state, seat)[: self._width or None]
        for depth in range(2, DEPTH_MAX):
            found = list[Tried]()
            try:
                for _, action, after in tried:
                    low = max((value for value, _, _ in found), default=-1.0)
                    found.append((self._value(after, depth, low, 2.0), action, after))
            except SpentError:
                # The best of the depth before was looked at first: what has seemed better since, counts.
                self.depths[depth - 1] += 1
                tried = found or tried
                return max(tried, key=lambda one: one[0])[1]
            tried = sorted(found, key=lambda one: -one[0])
        return tried[0][1]

    def _tried(self, state: State, seat: str) -> list[Tried]:
        """All actions of the seat with what comes of them, the best for its side first."""
        found = list[Tried]()
        for action in complete_actions(state, seat):
            try:
                after, _ = state.after(seat, action, draws=bytes)
            except Refused:
                continue
            found.append((self._worth(after), action, after))
        self._left -= len(found)
        return sorted(found, key=lambda one: one[0] * self._sign(seat))

    def _sign(self, seat: str) -> int:
        """Of values where the best are to come first."""
        return -1 if self._sides[seat] == self._sides[self._root] else 1

    def _worth(self, state: State) -> float:
        """To the seat that searches."""
        if state.result is None:
            return state.evaluate()[self._root]
        winners = state.result.winners
        return (
            0.5 if not winners else float(any(self._sides[one] == self._sides[self._root] for one in winners))
        )

    def _value(self, state: State, depth: int, low: float, high: float) -> float:
        """Of a state after `depth` - 1 actions more, within `low` and `high`."""
        if state.result is not None or depth == 1:
            return self._worth(state)
        if self._left <= 0:
            raise SpentError
        seat = state.to_act[0]
        tried = self._tried(state, seat)
        best = None
        for value, _, after in tried[: self._width or None]:
            found = value if depth == 2 else self._value(after, depth - 1, low, high)
            if self._sign(seat) < 0:
                best = found if best is None else max(best, found)
                low = max(low, best)
            else:
                best = found if best is None else min(best, found)
                high = min(high, best)
            if low >= high:
                break
        return self._worth(state) if best is None else best


def play(name: str, first: bool, states: int, width: int, share: float, seed: int) -> tuple[float, AlphaBeta]:
    """Points of alpha-beta, which has the first seat's side or the other."""
    table = TABLES[name]
    rng = random.Random(f"{name} {seed}")
    state = warlog_core.game(table.game).new(options=table.options, draws=rng.randbytes)
    sides = sides_of(table, state)
    ours = AlphaBeta(sides, states, width)
    search = player("8", share, bytearray(16 << 20))
    for number in range(table.actions_max):
        if state.result is not None:
            break
        seat = state.to_act[0]
        seen, dice = state.seen_by(seat), number_of(f"{seed} {number}")
        if (sides[seat] == 0) is first:
            action = prepared_action(seen, seat, random.Random(dice)) or ours.action(seen, seat)
        else:
            action = search(seen, seat, dice, None)
        state.apply(seat, action, draws=rng.randbytes)
    points = points_of(state, sides)
    return (points if first else 1 - points), ours


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.ladder.alphabeta",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("table", choices=sorted(TABLES))
    parser.add_argument("--states", type=int, default=4600, help="for each action (%(default)s)")
    parser.add_argument("--width", type=int, default=0)
    parser.add_argument("--share", type=float, default=0.05, help="of level 8's iterations (%(default)s)")
    parser.add_argument("--matches", type=int, default=20)
    given = parser.parse_args()
    score, depths = Score(), Counter[int]()
    for seed in range(1, given.matches // 2 + 1):
        for first in (True, False):
            points, ours = play(given.table, first, given.states, given.width, given.share, seed)
            score = score.plus(points)
            depths += ours.depths
            low, high = score.interval()
            print(
                f"{score.won}, {score.drawn}, {score.lost}: {100 * score.share:.0f} % ({100 * low:.0f} to"
                f" {100 * high:.0f}); depths {dict(sorted(depths.items()))}",
                flush=True,
            )


if __name__ == "__main__":
    main()
