"""What a player's actions cost it, as longer searches see it.

    python -m tests.ladder.losses confrontation greedy 8 --matches 40

Wherever a player takes another action than a judge would, a search with more iterations, both are tried a few times:
the loss is the mean difference between what further searches say of the states after them, as chances of winning.
Losses are added up over a match. Who loses nothing should beat an opponent by what that one loses: of a player that
gives away 0.2 in each match it should win about 70 %."""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from statistics import mean, stdev

from msgspec import Struct

import warlog_core
from tests.ladder.matches import ARENA, Table, number_of, points_of, sides_of
from tests.ladder.players import play_at_random, player, remembers
from tests.ladder.tables import TABLES
from warlog_core import State
from warlog_core.levels import opponent_of, prepared_action


class Judge(Struct, frozen=True):
    """iterations  of the search that says which action is the best
    after       and of those that say how a state is
    times       that an action is tried, each with dice and worlds of its own"""

    iterations: int
    after: int
    times: int


class Lost(Struct, frozen=True):
    """What a player lost in a match, in chances of winning, by how many of its actions; and its points."""

    chances: float
    others: int
    actions: int
    points: float


def play(table: Table, players: tuple[str, str], judge: Judge, seed: int) -> tuple[Lost, Lost]:
    """What each of the players lost in a match; of an even seed the first player has the first side, of the next one
    the second, from the same start. The players have no beliefs."""
    rng = random.Random(f"{table.game} {seed // 2}")  # the same with the seats swapped
    state = warlog_core.game(table.game).new(options=table.options, draws=rng.randbytes)
    sides = sides_of(table, state)
    who = [player(name, 1.0, ARENA) for name in players]
    lost, others, actions = [0.0, 0.0], [0, 0], [0, 0]
    first = seed % 2  # the side of the first player
    for number in range(table.actions_max):
        if state.result is not None:
            break
        seat = state.to_act[0]
        one = sides[seat] ^ first
        seen, drawn = state.seen_by(seat), number_of(f"{seed} {number}")
        action = who[one](seen, seat, drawn, None)
        if action is None:
            action = play_at_random(seen, seat, drawn, None)
        elif prepared_action(seen, seat, random.Random(drawn)) is None:
            best = searched(seen, seat, judge.iterations, drawn + 1)
            actions[one] += 1
            if best is not None and best.action != action:
                others[one] += 1
                values = [
                    value_after(seen, seat, tried, judge.after, sides, drawn + again)
                    for again in range(judge.times)
                    for tried in (best.action, action)
                ]
                lost[one] += mean(values[::2]) - mean(values[1::2])
        state.apply(seat, action, draws=rng.randbytes)
    points = points_of(state, sides)
    of_first = points if first == 0 else 1 - points
    return (
        Lost(lost[0], others[0], actions[0], of_first),
        Lost(lost[1], others[1], actions[1], 1 - of_first),
    )


def searched(seen: State, seat: str, iterations: int, seed: int) -> warlog_core.Choice | None:
    settings = opponent_of(seen.game.name).settings
    return warlog_core.search(seen, seat, seed=seed, iterations=iterations, settings=settings, arena=ARENA)


def value_after(
    seen: State, seat: str, action: object, iterations: int, sides: dict[str, int], seed: int
) -> float:
    """How likely the seat's side is to win once it has taken the action, in one of the worlds that it may be in."""
    after = seen.sample(seat, seed)
    after.apply(seat, action, draws=random.Random(seed).randbytes)
    if after.result is not None:
        points = points_of(after, sides)
        return points if sides[seat] == 0 else 1 - points
    next_seat = after.to_act[0]
    choice = searched(after.seen_by(next_seat), next_seat, iterations, seed)
    value = after.evaluate()[next_seat] if choice is None else choice.value
    return value if sides[next_seat] == sides[seat] else 1 - value


def _said(losses: list[Lost]) -> Iterator[str]:
    chances = [one.chances for one in losses]
    error = stdev(chances) / len(chances) ** 0.5
    actions, others = sum(one.actions for one in losses), sum(one.others for one in losses)
    yield f"{100 * mean(one.points for one in losses):.0f} % of the points"
    yield f"{actions / len(losses):.1f} actions in a match, {100 * others / actions:.0f} % not the judge's"
    yield f"chances lost in a match {mean(chances):.3f} ± {error:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.ladder.losses", description=__doc__)
    parser.add_argument("table", choices=sorted(TABLES))
    parser.add_argument("players", nargs=2, help="levels, random, greedy, or iterations=...")
    parser.add_argument("--matches", type=int, default=40)
    parser.add_argument("--judge", type=int, default=4000, help="iterations (%(default)s)")
    parser.add_argument("--after", type=int, default=400, help="iterations of each look ahead (%(default)s)")
    parser.add_argument("--times", type=int, default=12, help="looks at each action (%(default)s)")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if any(remembers(name, TABLES[given.table].game) for name in given.players):
        parser.error("levels that have a belief cannot be judged: the judge has none")
    judge = Judge(given.judge, given.after, given.times)
    players: tuple[str, str] = tuple(given.players)
    found: list[tuple[Lost, Lost]] = []
    with ProcessPoolExecutor(given.processes) as pool:
        seeds = range(2 * given.seed, 2 * given.seed + given.matches)
        jobs = [pool.submit(play, TABLES[given.table], players, judge, seed) for seed in seeds]
        for job in jobs:
            found.append(job.result())
            if len(found) > 1:
                print(len(found), "matches")
                for name, losses in zip(players, zip(*found, strict=True), strict=True):
                    print(f"  {name}: {'; '.join(_said([*losses]))}", flush=True)


if __name__ == "__main__":
    main()
