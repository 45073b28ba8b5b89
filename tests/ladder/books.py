"""Books of armies and layouts, found by playing them against each other.

    python -m tests.ladder.books hex        # the best of the book, of what is listed, and of some random ones

Candidates are what a listing offers, what the book has, and templates filled in at random. They meet in rounds, by a
short search on both sides and with seats swapped; after each round the weaker half is dropped. What counts is matches
won: one that is cut off is worth nothing to either side, or armies that only hold out would come first. Those that are
left then play against what is chosen without a book. What wins goes into `book` of `rules/<game>_opponent.json`, by
hand.
"""

from __future__ import annotations

import argparse
import itertools
import random
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import msgspec

import warlog_core
from tests.description.player import NoRoom, Player
from tests.ladder.matches import ARENA, Table, points_of, sides_of
from tests.ladder.statistics import Score
from tests.ladder.tables import TABLES
from warlog_core import State
from warlog_core.levels import complete_actions, opponent_of, prepared_action

Prepare = Callable[[State, str, random.Random], Any]


def candidates(table: Table, count: int, rng: random.Random) -> list[dict[str, Any]]:
    """Every complete preparation that is listed, what the book has, and `count` templates filled in at random."""
    game = warlog_core.game(table.game)
    state = game.new(options=table.options, draws=rng.randbytes)
    opponent = opponent_of(table.game)
    seat, kinds = state.to_act[0], opponent.from_book
    listed = [one for one in state.legal(seat, plain=True) if one["type"] in kinds]
    found = [one for one in listed if not one.get("open")]
    known = [entry.action for entry in opponent.book if state.check(seat, entry.action) is None]
    found += [one for one in known if one not in found]
    wanted = len(found) + count
    filler = Player(game.describe(table.options), rng)
    while len(found) < wanted:
        kind = rng.choice([one["type"] for one in listed if one.get("open")])
        try:
            action = {
                "type": kind,
                **filler.filled(filler.types[kind]["form"], state.view(seat, plain=True), seat),
            }
        except NoRoom:
            continue
        if state.check(seat, action) is None:
            found.append(action)
    return found


def chosen(action: dict[str, Any] | None, seen: State, seat: str, rng: random.Random) -> Any:
    """This preparation once; else, and where it is None, what a level without a book does."""
    opponent = opponent_of(seen.game.name)
    listed = {one["type"] for one in map(msgspec.to_builtins, complete_actions(seen, seat))}
    if action is not None and seen.check(seat, action) is None:
        return action
    if listed & {*opponent.finish}:
        return {"type": next(kind for kind in opponent.finish if kind in listed)}
    return None if action is not None else prepared_action(seen, seat, rng, book=False)


def play(table: Table, iterations: int, pair: tuple[Any, Any], seed: int) -> tuple[float, float]:
    """A match between two preparations: points of each. The first has the side of the first seat."""
    rng = random.Random(f"{seed}")
    state = warlog_core.game(table.game).new(options=table.options, draws=rng.randbytes)
    sides, prepared = sides_of(table, state), set[str]()
    for number in range(table.actions_max):
        if state.result is not None:
            break
        seat = state.to_act[0]
        seen = state.seen_by(seat)
        action = chosen(None if seat in prepared else pair[sides[seat]], seen, seat, rng)
        prepared.add(seat)
        if action is None:
            how = opponent_of(table.game).settings
            choice = warlog_core.search(
                seen, seat, seed=number, iterations=iterations, arena=ARENA, settings=how
            )
            action = rng.choice(complete_actions(seen, seat)) if choice is None else choice.action
        state.apply(seat, action, draws=rng.randbytes)
    if state.result is None:
        return 0.0, 0.0
    points = points_of(state, sides)
    return points, 1 - points


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.ladder.books", description=__doc__)
    parser.add_argument("table", choices=sorted(TABLES))
    parser.add_argument("--count", type=int, default=24, help="templates filled in at random (%(default)s)")
    parser.add_argument("--keep", type=int, default=4)
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--meetings", type=int, default=3, help="of each candidate in a round, each twice")
    parser.add_argument(
        "--proof", type=int, default=40, help="matches of those that are left against the usual choice"
    )
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    table, rng = TABLES[given.table], random.Random(given.seed)
    left, seeds = candidates(table, given.count, rng), itertools.count(1000 * given.seed)
    with ProcessPoolExecutor(2) as pool:
        while len(left) > given.keep:
            scores = [Score() for _ in left]
            meetings = []
            for _ in range(given.meetings):
                order = rng.sample(range(len(left)), len(left))
                meetings += [(a, b) for a, b in zip(order, order[1:] + order[:1], strict=True)]
            pairs = [pair for a, b in meetings for pair in ((a, b), (b, a))]
            numbers = [number for number in itertools.islice(seeds, len(meetings)) for _ in range(2)]
            points = pool.map(
                partial(play, table, given.iterations), [(left[a], left[b]) for a, b in pairs], numbers
            )
            for (a, b), (ours, theirs) in zip(pairs, points, strict=True):
                scores[a], scores[b] = scores[a].plus(ours), scores[b].plus(theirs)
            best = sorted(range(len(left)), key=lambda i: -scores[i].share)
            for i in best:
                written = msgspec.json.encode(left[i]).decode()
                print(f"{100 * scores[i].share:5.1f} % of {scores[i].n}  {written}", flush=True)
            print(flush=True)
            left = [left[i] for i in best[: max(given.keep, len(left) // 2)]]
        both = []
        for number in range(given.proof // 2):
            action = rng.choice(left)
            both += [((action, None), number), ((None, action), number)]
        proof = Score()
        points = pool.map(partial(play, table, given.iterations), *zip(*both, strict=True))
        for (pair, _), each in zip(both, points, strict=True):
            proof = proof.plus(each[pair[0] is None])
    low, high = proof.interval()
    share = f"{100 * proof.share:.0f} % ({100 * low:.0f} to {100 * high:.0f})"
    print(f"the {len(left)} best against what is chosen without a book: {share} of {proof.n}")


if __name__ == "__main__":
    main()
