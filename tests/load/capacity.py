"""How much a Warlog needs: a model of processor, memory, disk and network, and what gives out first.

    python -m tests.load.capacity --here 1000000 --matches 100000 --pace 10
    python -m tests.load.capacity --sizes                         # deploy/SIZES.md
    python -m tests.load.capacity --check load-report/over_time.json --matches 1000 --pace 7.2

It goes by what one of each thing costs (`Costs`: measured by tests/load/costs.py, on the machine that docs/CAPACITY.md
names; a core is a core of that machine).
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from tests.load.over_time import Course, read

KB, MB, GB = 1e3, 1e6, 1e9
FULL = 0.7  # of a core that may be busy: what is above answers late
REDIS_FULL = 0.5  # Redis has one thread, which everybody waits for
DAY = 86_400.0


@dataclass(frozen=True)
class Costs:
    """ms of a core, bytes. `elsewhere`: what a move costs in each further process that has the match in memory."""

    move_ms: float = 2.47
    move_redis_ms: float = 0.266
    elsewhere_ms: float = 0.81
    begin_ms: float = 11.6
    begin_redis_ms: float = 2.18
    heartbeat_ms: float = 0.08
    idle: float = 0.008  # cores of a process
    idle_redis: float = 0.002
    process_bytes: float = 85 * MB
    match_bytes: float = 28 * KB  # in the memory of each process that has it
    feed_bytes: float = 20 * KB
    redis_player_bytes: float = 1_350
    redis_here_bytes: float = 4_560  # of a player who follows his own feed
    redis_match_bytes: float = 12_100
    redis_event_bytes: float = 380
    file_match_bytes: float = 18_100
    file_event_bytes: float = 1_200
    redis_archived_bytes: float = 2_000  # what stays of a match for good
    archive_event_bytes: float = 50
    background_ms: float = 0.104  # of a move, in the one process that does the background work
    sent_move_bytes: float = 12_800
    sent_heartbeat_bytes: float = 90  # with its packet
    cluster: float = (
        2.2  # times the processor of Redis, with a replica for each primary (docs/PERFORMANCE.md)
    )


@dataclass(frozen=True)
class Demand:
    """matches: at a time. pace: seconds between two moves of a match. here: players who follow their own feed.
    events: of a match in the mean."""

    players: float
    here: float
    matches: float
    pace: float
    seats: float = 2.55
    events: float = 150

    @property
    def moves(self) -> float:
        """A second."""
        return self.matches / self.pace

    @property
    def begun(self) -> float:
        """Matches a second."""
        return self.moves / self.events


@dataclass(frozen=True)
class Size:
    """workers: serving processes. by_match: a proxy sends all requests for a match to one of them. redis: primaries."""

    name: str
    workers: int
    redis: int
    by_match: bool
    redis_bytes: float
    days: float  # that a finished match stays in Redis
    heartbeat_seconds: float = 15


class Need(NamedTuple):
    """cores of the service and of the busiest Redis; bytes of one process, of one Redis, of its file in a day."""

    service: float
    redis: float
    process_bytes: float
    redis_bytes: float
    file_bytes: float
    background: float  # cores of the process that does the background work
    sent_bytes: float  # a second
    archive_bytes: float  # a day
    grows_bytes: float  # each Redis in a day, by what stays of archived matches


def processes_of_a_match(size: Size, demand: Demand) -> float:
    """That have it in memory, in the mean: each seat has two connections."""
    if size.by_match:
        return 1.0
    return size.workers * (1.0 - math.pow(1.0 - 1.0 / size.workers, 2 * demand.seats))


def need(demand: Demand, size: Size, costs: Costs) -> Need:
    holders = processes_of_a_match(size, demand)
    beats = (demand.here + demand.matches * demand.seats) / size.heartbeat_seconds
    feeds = demand.here + demand.matches * demand.seats
    service = (
        demand.moves * (costs.move_ms + (holders - 1) * costs.elsewhere_ms)
        + demand.begun * costs.begin_ms
        + beats * costs.heartbeat_ms
    ) / 1000 + size.workers * costs.idle
    redis = (demand.moves * costs.move_redis_ms + demand.begun * costs.begin_redis_ms) / 1000
    finished = demand.begun * size.days * DAY
    stored = (
        demand.players * costs.redis_player_bytes
        + demand.here * costs.redis_here_bytes
        + (demand.matches / 2 + finished) * demand.events * costs.redis_event_bytes  # running ones: half way
        + (demand.matches + finished) * costs.redis_match_bytes
    )
    written = demand.moves * costs.file_event_bytes + demand.begun * costs.file_match_bytes
    return Need(
        service,
        redis * (costs.cluster if size.redis > 1 else 1) / size.redis + costs.idle_redis,
        costs.process_bytes
        + (demand.matches * holders * costs.match_bytes + feeds * costs.feed_bytes) / size.workers,
        stored / size.redis,
        written * DAY / size.redis,
        demand.moves * costs.background_ms / 1000 + costs.idle,
        demand.moves * costs.sent_move_bytes + beats * costs.sent_heartbeat_bytes,
        demand.moves * costs.archive_event_bytes * DAY,
        demand.begun * costs.redis_archived_bytes * DAY / size.redis,
    )


def limits(found: Need, size: Size) -> Iterator[tuple[float, str]]:
    """How full each thing is (1: full), and its name."""
    yield found.service / (FULL * size.workers), "processor of the serving processes"
    yield found.redis / REDIS_FULL, "processor of Redis"
    yield found.redis_bytes / size.redis_bytes, "memory of Redis"
    yield found.background / FULL, "the process of the background work"


def good_for(size: Size, costs: Costs, demand: Demand) -> tuple[Demand, str]:
    """The same demand, as many times as the size can bear, and what is full then."""

    def times(factor: float) -> Demand:
        return replace(
            demand,
            players=demand.players * factor,
            here=demand.here * factor,
            matches=demand.matches * factor,
        )

    low, high = 0.0, 1.0
    while max(limits(need(times(high), size, costs), size))[0] < 1:
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if max(limits(need(times(middle), size, costs), size))[0] < 1 else (low, middle)
        )
    return times(low), max(limits(need(times(low), size, costs), size))[1]


SIZES = (
    Size("one machine", workers=4, redis=1, by_match=False, redis_bytes=4 * GB, days=1),
    Size("three machines", workers=8, redis=1, by_match=True, redis_bytes=16 * GB, days=1 / 24),
    Size("a cluster", workers=20, redis=6, by_match=True, redis_bytes=16 * GB, days=1 / 24),
)
TYPICAL = Demand(players=10_000, here=1_000, matches=300, pace=10)
"""Of which a size bears so many times: a third of those who are here play."""


def smallest(demand: Demand, costs: Costs, redis_bytes: float, *, by_match: bool, days: float) -> Size:
    """Serving processes and primaries that this takes."""
    size = Size("", 1, 1, by_match, redis_bytes, days)
    while True:
        full = {name: share for share, name in limits(need(demand, size, costs), size)}
        short = {name for name, share in full.items() if share > 1}
        if not short & {"processor of the serving processes", "processor of Redis", "memory of Redis"}:
            return size
        size = replace(
            size,
            workers=max(size.workers, math.ceil(size.workers * full["processor of the serving processes"])),
            redis=size.redis + bool(short & {"processor of Redis", "memory of Redis"}),
        )


def told(demand: Demand, size: Size, costs: Costs) -> list[tuple[str, str]]:
    found = need(demand, size, costs)
    return [
        ("moves a second", f"{demand.moves:,.0f}"),
        ("serving processes", f"{size.workers}, {found.service / size.workers:.0%} of a core each"),
        ("of each, memory", f"{found.process_bytes / GB:,.1f} GB"),
        ("Redis primaries", f"{size.redis}, {found.redis:.0%} of a core each"),
        ("of each, memory", f"{found.redis_bytes / GB:,.1f} GB"),
        ("of each, what stays of archived matches", f"{found.grows_bytes / GB:,.2f} GB more each day"),
        ("of each, append-only file before it is rewritten", f"{found.file_bytes / GB:,.0f} GB a day"),
        ("sent to clients", f"{8 * found.sent_bytes / 1e6:,.0f} Mbit a second"),
        ("archive", f"{found.archive_bytes / GB:,.1f} GB a day"),
        (
            "full first",
            "; ".join(f"{name} {share:.0%}" for share, name in sorted(limits(found, size), reverse=True)),
        ),
    ]


def sizes() -> str:
    """deploy/SIZES.md."""
    rows = []
    for size in SIZES:
        demand, full = good_for(size, Costs(), TYPICAL)
        found = need(demand, size, Costs())
        rows.append(
            f"| {size.name} | {size.workers} | {size.redis} | {size.redis_bytes / GB:.0f} GB | "
            f"{'by match' if size.by_match else 'anywhere'} | {_round(demand.matches)} | {_round(demand.here)} | "
            f"{_round(demand.moves)} | {found.process_bytes / GB:.1f} GB | {full} |"
        )
    page = (Path(__file__).parent / "sizes.md").read_text("utf-8")
    return page.format(
        rows="\n".join(rows), pace=f"{TYPICAL.pace:g}", full=f"{FULL:.0%}", redis=f"{REDIS_FULL:.0%}"
    )


def _round(number: float) -> str:
    digits = max(0, math.floor(math.log10(number)) - 1)
    return f"{round(number, -digits):,.0f}"


def check(course: Course, demand: Demand, workers: int, costs: Costs) -> list[tuple[str, str]]:
    """The model beside what a load test has measured in its steady part."""
    steady = [one for one in course.windows if one.at > course.steady]
    rate = sum(sum(one.commands.values()) for one in steady) / len(steady)
    size = Size("", workers, 1, False, 4 * GB, 0)
    wanted = need(replace(demand, pace=demand.matches / rate), size, costs)
    service, redis = (
        sum(share for one in steady for name, share in one.processor.items() if (name == "Redis") is is_redis)
        / len(steady)
        for is_redis in (False, True)
    )
    return [
        ("commands a second", f"{rate:.1f}"),
        ("cores of the service: measured, by the model", f"{service:.2f}, {wanted.service:.2f}"),
        ("cores of Redis: measured, by the model", f"{redis:.3f}, {wanted.redis:.3f}"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--players", type=float, help="accounts; default: as many as are here")
    parser.add_argument("--here", type=float, default=1000)
    parser.add_argument("--matches", type=float, default=300, help="at a time")
    parser.add_argument("--pace", type=float, default=10, help="seconds between two moves of a match")
    parser.add_argument("--events", type=float, default=150, help="of a match")
    parser.add_argument("--days", type=float, default=1, help="until a finished match is archived")
    parser.add_argument("--redis-gb", type=float, default=16, help="memory of one Redis")
    parser.add_argument("--workers", type=int, default=2, help="with --check")
    parser.add_argument("--sizes", action="store_true")
    parser.add_argument("--check", type=Path)
    given = parser.parse_args()
    demand = Demand(
        given.players or given.here,
        given.here,
        given.matches,
        given.pace,
        events=given.events,
    )
    if given.sizes:
        print(sizes(), end="")
        return
    if given.check:
        course = read(given.check)
        if course is None:
            parser.error(f"{given.check}: no report of a load test")
        rows = check(course, demand, given.workers, Costs())
        print("\n".join(f"{name:<55}{value}" for name, value in rows))
        return
    for by_match in (True, False):
        print("requests for a match come to one process:" if by_match else "requests come to any process:")
        size = smallest(demand, Costs(), given.redis_gb * GB, by_match=by_match, days=given.days)
        print("\n".join(f"  {name:<53}{value}" for name, value in told(demand, size, Costs())))


if __name__ == "__main__":
    main()
