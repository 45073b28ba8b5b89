"""Clock workers as operating-system processes of their own, without the lease that keeps all but one of them idle: each
deadline fires once, whoever dies and comes again."""

from __future__ import annotations

import asyncio
import collections
import itertools
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from tests.events.table import ADA, SPECTATOR, Table, table_at
from tests.servers import RedisServer
from warlog_events.match.commands import Act, CreateMatch
from warlog_events.match.match import Match, milliseconds
from warlog_events.workers.clock import Clock

MATCHES = 12
TIMEOUTS = 3
# Four seats, each out with its third time-out; nobody moves, and the fourth defeat is the end of a team.
OPTIONS: dict[str, object] = {"move_seconds": 1, "max_timeouts": TIMEOUTS}


@pytest.fixture
def own_redis() -> Iterator[RedisServer]:
    with RedisServer(fsync="no") as server:
        yield server


async def hot_seat(table: Table) -> Match:
    spec = CreateMatch("junqi", OPTIONS, dict.fromkeys(("south", "east", "north", "west"), "me"))
    match = (await table.matches.new.create(spec, ADA)).match
    for seat in match.seats:
        match = (await table.do(match, Act(seat, {"type": "ready"}))).match
    return match


def worker(url: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", __name__, url])


async def test_two_processes_and_a_restart_time_everybody_out_exactly_once(own_redis: RedisServer) -> None:
    async with table_at(own_redis.url) as table:
        matches = [await hot_seat(table) for _ in range(MATCHES)]
        workers = [worker(own_redis.url), worker(own_redis.url)]
        try:
            await asyncio.sleep(3)
            workers[0].kill()
            workers[0].wait()
            await asyncio.sleep(1.5)
            workers[1].kill()
            workers[1].wait()
            before = [(await table.load(match)).version for match in matches]
            await asyncio.sleep(1.5)  # nobody minds the clock
            assert [(await table.load(match)).version for match in matches] == before
            workers = [worker(own_redis.url), worker(own_redis.url)]
            deadline = time.monotonic() + 60
            while not all([(await table.load(match)).is_over for match in matches]):
                assert time.monotonic() < deadline
                await asyncio.sleep(0.2)
        finally:
            for one in workers:
                one.kill()
                one.wait()
        for match in matches:
            match = await table.load(match)
            events = [one for one in await table.events(match, SPECTATOR) if one.get("seat") == "server"]
            assert all(one["action"]["type"] == "timeout" for one in events)
            # A time-out gives the turn to the next seat, whose deadline is later: two for one deadline would name one
            # seat twice, and would be refused by the rules; both would show here.
            order = [one["action"]["seat"] for one in events]
            started = match.seats.index(order[0])
            counts = collections.Counter(order)
            expected = [match.seats[(started + i) % 4] for i in range(4 * TIMEOUTS)]
            assert order == expected[: len(order)]
            assert counts[order[0]] == TIMEOUTS
            assert [one["effects"][0]["timeouts"] for one in events] == [
                1 + i // 4 for i in range(len(order))
            ]
            times = [milliseconds(one["at"]) for one in events]
            assert all(later - earlier >= 1_000 for earlier, later in itertools.pairwise(times))
            assert (await table.matches.past.verify(match)).status == "verified"


async def main(url: str) -> None:
    async with table_at(url) as table:
        await Clock(table.store, table.matches, table.world).run()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
