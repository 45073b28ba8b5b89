"""The command: `python -m tests.ladder --help`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, as_completed, wait
from pathlib import Path

import msgspec
from msgspec import Struct

import warlog_core
from tests.ladder import __doc__ as usage
from tests.ladder import many_seats
from tests.ladder.many_seats import play_shared
from tests.ladder.matches import Played, play_match, time_level
from tests.ladder.report import Result, version_of, write_reports
from tests.ladder.statistics import Score, is_settled
from tests.ladder.tables import TABLES
from warlog_core import LEVELS

RESULTS = Path("ladder-results.jsonl")
SHARE = 20  # no player searches longer than level 8 by this


class Question(Struct, frozen=True):
    """Is the share of points of the first player at least `high`, or at most `low`?"""

    table: str
    players: tuple[str, str]
    low: float
    high: float
    share: float


def questions(tables: list[str], pairs: list[str], full: bool) -> list[Question]:
    asked = []
    for table in tables:
        for pair in pairs:
            one, _, two = pair.partition(":")
            low, high = bounds(one, two)
            asked.append(Question(table, (one, two), low, high, share_of(table, (one, two), full)))
    return asked


def bounds(one: str, two: str) -> tuple[float, float]:
    """What is asked of a pair: of the first level that it is for beginners, of the last that it plays well."""
    if two == "random":
        return (0.6, 0.7) if one == "1" else (0.93, 0.98)
    if two == "greedy":
        return 0.75, 0.85
    return (0.5, 0.5) if one == two else (0.5, 0.6)


def share_of(table: str, players: tuple[str, str], full: bool) -> float:
    """Part of their iterations that both levels of a pair may use."""
    game = TABLES[table].game
    most = warlog_core.level(game, 8).iterations / SHARE
    longest = max(
        (warlog_core.level(game, int(one)).iterations for one in players if one.isdecimal()), default=1
    )
    return 1.0 if full else min(1.0, most / longest)


PAIRS = [
    "1:random", "8:random", "8:greedy", "8:7", "7:6", "6:5", "5:4", "4:3", "3:2", "2:1",
    "4:random", "4:greedy", "2:random", "6:greedy", "8:8",
    "iterations=800:iterations=400", "iterations=400:iterations=200",
]  # fmt: skip
FULL_PAIRS = ["8:random", "8:greedy", "8:7"]


def batch(question: Question, seed: int, version: str) -> list[Played]:
    """Two matches from the same seed, with seats swapped; of a player with itself they would be the same match."""
    one, two = question.players
    table = TABLES[question.table]
    return [
        play_match(question.table, table, players, (question.share, question.share), seed, version)
        for players in dict.fromkeys([(one, two), (two, one)])
    ]


def score_of(question: Question, results: Sequence[Result], version: str) -> tuple[Score, int]:
    """So far, by this version of the numbers; and the next seed."""
    score, seeds = Score(), set[int]()
    for played in results:
        if not isinstance(played, Played) or (played.table, played.version) != (question.table, version):
            continue
        if played.shares[0] != question.share:
            continue
        if played.players == question.players:
            score = score.plus(played.points)
        elif played.players == question.players[::-1]:
            score = score.plus(1 - played.points)
        else:
            continue
        seeds.add(played.seed)
    return score, max(seeds, default=0) + 1


def results_of(path: Path) -> list[Result]:
    if not path.exists():
        return []
    return [msgspec.json.decode(line, type=Result) for line in path.read_bytes().splitlines()]


def measure(tables: list[str], path: Path, actions: int) -> None:
    """How long level 8 takes for an action, all along a few matches in which a quicker level plays both sides."""
    for name in tables:
        timed = time_level(name, TABLES[name], LEVELS[-1], actions, version_of(TABLES[name].game))
        with path.open("ab") as file:
            file.write(msgspec.json.encode(timed) + b"\n")
        print(f"{name:14} level {timed.level}: {timed.median:.0f} ms, 99 % within {timed.slowest:.0f} ms")


def share_out(names: list[str], path: Path, matches: int, processes: int) -> None:
    """So many matches at each table for more than two sides, of level 8 on all seats, at a twentieth."""
    jobs = [
        (name, seed, version_of(many_seats.TABLES[name].game))
        for seed in range(1, matches + 1)
        for name in names
    ]
    with ProcessPoolExecutor(processes) as pool, path.open("ab") as file:
        asked = [
            pool.submit(play_shared, name, str(LEVELS[-1]), 1 / SHARE, seed, version)
            for name, seed, version in jobs
        ]
        for future in as_completed(asked):
            file.write(msgspec.json.encode(future.result()) + b"\n")
            file.flush()
    print(f"{matches} matches each of {', '.join(names)}")


def run(
    asked: list[Question], path: Path, matches: int, minutes: float, processes: int, settle: bool
) -> None:
    """Plays until every question is settled, or has had so many matches, or time is up. What has fewest goes first."""
    known = results_of(path)
    versions = {question.table: version_of(TABLES[question.table].game) for question in asked}
    scores: dict[Question, Score] = {}
    seeds: dict[Question, int] = {}
    for question in asked:
        scores[question], seeds[question] = score_of(question, known, versions[question.table])
    under_way: dict[Future[list[Played]], Question] = {}
    ends = time.monotonic() + 60 * minutes

    def next_question() -> Question | None:
        def counted(question: Question) -> int:
            return scores[question].n + 2 * sum(other == question for other in under_way.values())

        left = [
            question
            for question in asked
            if counted(question) < matches
            and not (settle and is_settled(scores[question], question.low, question.high))
        ]
        return min(left, key=counted, default=None)

    with ProcessPoolExecutor(processes) as pool, path.open("ab") as file:
        while True:
            while len(under_way) < processes and time.monotonic() < ends and (asks := next_question()):
                future = pool.submit(batch, asks, seeds[asks], versions[asks.table])
                seeds[asks] += 1
                under_way[future] = asks
            if not under_way:
                break
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                question = under_way.pop(future)
                for played in future.result():
                    file.write(msgspec.json.encode(played) + b"\n")
                    won = played.points if played.players == question.players else 1 - played.points
                    scores[question] = scores[question].plus(won)
                file.flush()
    for question in asked:
        score = scores[question]
        low, high = score.interval()
        pair = " : ".join(question.players)
        print(
            f"{question.table:14} {pair:40} {score.won:3} + {score.drawn:3} = {score.lost:3} -"
            f"  {100 * score.share:5.1f} % ({100 * low:.0f} to {100 * high:.0f})"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.ladder", description=usage, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", action="append", choices=sorted(TABLES), help="these tables alone")
    parser.add_argument(
        "--pair", action="append", metavar="A:B", help='levels, "random", "greedy", or settings'
    )
    parser.add_argument("--matches", type=int, default=60, help="at most so many of each pair (%(default)s)")
    parser.add_argument("--minutes", type=float, default=30, help="at most so long (%(default)s)")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--full", action="store_true", help="levels search as long as they may")
    parser.add_argument("--all", action="store_true", help="play on when a question is settled")
    parser.add_argument(
        "--results", type=Path, default=RESULTS, help="JSON lines; a run goes on where they end"
    )
    parser.add_argument(
        "--report", action="store_true", help="write the documents from the results, and play nothing"
    )
    parser.add_argument(
        "--times", type=int, metavar="ACTIONS", help="measure level 8 over so many actions of each table"
    )
    parser.add_argument(
        "--seats", type=int, metavar="MATCHES", help="play so many at each table for more than two sides"
    )
    given = parser.parse_args()
    if given.report:
        write_reports(results_of(given.results))
        return
    if given.times:
        measure(given.game or list(TABLES), given.results, given.times)
        return
    if given.seats:
        games = {TABLES[table].game for table in given.game or TABLES}
        names = [name for name, table in many_seats.TABLES.items() if table.game in games]
        share_out(names, given.results, given.seats, given.processes)
        return
    pairs = given.pair or (FULL_PAIRS if given.full else PAIRS)
    asked = questions(given.game or list(TABLES), pairs, given.full)
    run(asked, given.results, given.matches, given.minutes, given.processes, not given.all)


if __name__ == "__main__":
    main()
