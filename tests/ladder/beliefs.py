"""What a belief is worth: a search that remembers what its seat has seen against one that does not.

python -m tests.ladder.beliefs junqi --iterations 100"""

from __future__ import annotations

import argparse
import itertools
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import warlog_core
from tests.ladder.matches import Table, points_of, sides_of
from tests.ladder.statistics import Score, is_settled
from tests.ladder.tables import TABLES
from warlog_core import Belief
from warlog_core.levels import complete_actions, opponent_of, prepared_action

ARENA = bytearray(8 << 20)
NO_WORSE, BETTER = 0.5, 0.56  # between these shares the test may answer either way
AT_RANDOM = 4  # the first actions of play, so that no two matches are alike


def play(table: Table, iterations: int, seed: int, side: int) -> float:
    """A match in which the seats of `side` have beliefs: their points."""
    rng = random.Random(f"{table.game} {seed}")
    state = warlog_core.game(table.game).new(options=table.options, draws=rng.randbytes)
    sides, beliefs = sides_of(table, state), dict[str, Belief]()
    settings, opening = opponent_of(table.game).settings, AT_RANDOM
    for _ in range(table.actions_max):
        if state.result is not None:
            break
        seat = state.to_act[0]
        seen = state.seen_by(seat)
        action = prepared_action(seen, seat, rng)
        if action is None and not beliefs:
            beliefs = {one: Belief(one, rng.getrandbits(63)) for one in state.seats if sides[one] == side}
            for one, belief in beliefs.items():
                belief.see(state.seen_by(one))
        if action is None and opening > 0:
            action, opening = rng.choice(complete_actions(seen, seat)), opening - 1
        if action is None:
            choice = warlog_core.search(
                seen,
                seat,
                seed=rng.getrandbits(63),
                iterations=iterations,
                settings=settings,
                belief=beliefs.get(seat),
                arena=ARENA,
            )
            action = rng.choice(complete_actions(seen, seat)) if choice is None else choice.action
        state.apply(seat, action, draws=rng.randbytes)
        for one, belief in beliefs.items():
            belief.see(state.seen_by(one))
    points = points_of(state, sides)
    return points if side == 0 else 1 - points


def matches(count: int, seed: int) -> Iterator[tuple[int, int]]:
    """Each start twice, for both sides."""
    return itertools.product(range(seed, seed + count // 2), (0, 1))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.ladder.beliefs", description=__doc__)
    parser.add_argument("table", choices=sorted(TABLES))
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--matches", type=int, default=1000, help="at most (%(default)s)")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    score = Score()
    with ProcessPoolExecutor(given.processes) as pool:
        while score.n < given.matches and not is_settled(score, NO_WORSE, BETTER):
            seeds, of = zip(*matches(2 * given.processes, given.seed + score.n // 2), strict=True)
            for points in pool.map(partial(play, TABLES[given.table], given.iterations), seeds, of):
                score = score.plus(points)
            low, high = score.interval()
            print(f"{100 * score.share:.1f} % ({100 * low:.1f} to {100 * high:.1f}) of {score.n}", flush=True)
    print("settled" if is_settled(score, NO_WORSE, BETTER) else "open")


if __name__ == "__main__":
    main()
