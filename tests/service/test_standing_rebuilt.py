"""Standing as workers made it that were killed while they settled is what `warlog rebuild` makes: from the same Redis,
and from a backup in another one that was empty. All of it by the commands themselves."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from typing import Any

import pytest

from tests import warm
from tests.events.standing.desk import Desk
from tests.events.table import Table, make_accounts, table_at
from tests.servers import RedisServer
from tests.service.api import UNLIMITED
from warlog_events.match.model import Player
from warlog_events.redis import keys
from warlog_events.standing.standings import KEPT

PLAYERS = 8
WAITING_MAX = 40  # matches that are over and not settled
BACKUP = (
    "warlog:{b???}:*:events",
    "warlog:{b???}:*:secrets",
    "warlog:{ledger}:*",
    "warlog:player:*",
    keys.BUCKETS,
    keys.standing("log"),
    keys.standing("gone"),
)
"""What deploy/RUNBOOK.md says cannot be rebuilt, of what these matches have."""
MAY_BE_LOST = "news"


@contextmanager
def workers(url: str, count: int) -> Iterator[None]:
    """So many, which are killed afterwards."""
    environment = {**os.environ, **UNLIMITED}
    running = [
        warm.start("warlog_service", ["worker", "--redis", url], environment, None) for _ in range(count)
    ]
    try:
        yield
    finally:
        for process in running:
            process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL


async def rebuild(url: str) -> None:
    command = [sys.executable, "-m", "warlog_service", "rebuild", "--redis", url]
    done = await asyncio.create_subprocess_exec(
        *command, env={**os.environ, **UNLIMITED}, stdout=subprocess.DEVNULL
    )
    assert await done.wait() == 0


async def until(holds: Callable[[], Awaitable[bool]], meanwhile: Callable[[], Awaitable[object]]) -> None:
    async with asyncio.timeout(120):
        while not await holds():
            await meanwhile()


async def settled(table: Table) -> int:
    return int(await table.connection.pipe.call("XLEN", keys.standing("log")))


async def played_under_kills(table: Table, url: str, kills: int, rng: random.Random) -> int:
    """Matches between some players, while two workers at a time settle them and are killed soon after they have begun.
    How many there are at last."""
    desk = Desk(table)
    people = [Player(f"pl_{number}", f"player {number}") for number in range(PLAYERS)]
    await make_accounts(table.connection, *people)
    count = 0

    async def play() -> None:
        nonlocal count
        if count - await settled(table) >= WAITING_MAX:
            await asyncio.sleep(0.02)
            return
        one, other = rng.sample(people, 2)
        await desk.duel(rng, (one, other), actions=rng.choice((5, 12, 16)))
        count += 1

    def moves_on(after: int) -> Callable[[], Awaitable[bool]]:
        async def holds() -> bool:
            return await settled(table) > after

        return holds

    async def all_settled() -> bool:
        return await settled(table) == count

    for _ in range(kills):
        with workers(url, 2):
            await until(moves_on(await settled(table)), play)
            for _ in range(rng.randrange(3)):
                await play()
        # The next ones need not wait until the dead ones' leases are over.
        await table.connection.pipe.call("DEL", *map(keys.lease, ("bookkeeper", "settler")), write=True)
    with workers(url, 1):
        await until(all_settled, lambda: asyncio.sleep(0.05))
    return count


async def copied(source: Table, target: Table) -> None:
    """A backup of what cannot be rebuilt."""
    pipe, cursor = source.connection.pipe, b"0"
    while True:
        cursor, names = await pipe.call("SCAN", cursor, "MATCH", "warlog:*", "COUNT", 1000)
        for name in names:
            if any(fnmatch(name.decode(), pattern) for pattern in BACKUP):
                value = await pipe.call("DUMP", name)
                await target.connection.pipe.call("RESTORE", name, 0, value, "REPLACE", write=True)
        if cursor == b"0":
            return


def without_news(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name != MAY_BE_LOST}


@pytest.mark.parametrize("kills", [3, pytest.param(60, marks=pytest.mark.soak)])
async def test_after_kills_a_rebuild_makes_the_same_bytes_here_and_from_a_backup(
    kills: int, seed: int
) -> None:
    rng = random.Random(seed)
    with RedisServer(fsync="no") as here, RedisServer(fsync="no") as elsewhere:
        async with table_at(here.url) as table, table_at(elsewhere.url) as other:
            count = await played_under_kills(table, here.url, kills, rng)
            await table.connection.pipe.call("SADD", keys.standing("gone"), "pl_0", write=True)
            desk = Desk(table)
            await desk.standings.forget("pl_0")
            before = await desk.everything()
            assert len(before["log"]) == count
            assert len([name for name in before if name.startswith("history:")]) == PLAYERS - 1
            derived = [keys.standing(name) for name in before if name not in KEPT]
            await table.connection.pipe.call(
                "DEL", *derived, write=True
            )  # what is made is not what was there
            await rebuild(here.url)
            assert await desk.everything() == before
            await copied(table, other)
            await rebuild(elsewhere.url)
            assert without_news(await Desk(other).everything()) == without_news(before)
