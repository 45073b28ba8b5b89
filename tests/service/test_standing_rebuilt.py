"""Standing as workers made it that were killed while they settled is what `warlog rebuild` makes: from the same Redis,
and from a backup in others that were empty: a plain one, an embedded one, a cluster. All of it by the commands
themselves."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import warlog_core
from tests import warm
from tests.cluster import RedisCluster
from tests.events.standing.desk import DUEL, Desk
from tests.events.table import Table, make_accounts, table_at
from tests.servers import RedisServer
from tests.service.api import UNLIMITED
from warlog_events.match.commands import CreateMatch, Prepare
from warlog_events.match.model import Player
from warlog_events.redis import keys
from warlog_events.standing.standings import KEPT

EMBEDDED = "embedded:"  # before the data folder, as tests/events/hand.py has it
PLAYED: dict[str, dict[str, object]] = {
    "hex": DUEL,
    "wec": {"movement": "weaponized"},
    "universal": {},
    "junqi": {"players": 2},
    "confrontation": {},
}
"""Options of a pool of each game."""
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
    place = ["--data", url.removeprefix(EMBEDDED)] if url.startswith(EMBEDDED) else ["--redis", url]
    command = [sys.executable, "-m", "warlog_service", "rebuild", *place]
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


async def over(table: Table, rng: random.Random, people: Sequence[Player]) -> None:
    """A rated match of any game, which some of these play at random and give up when they can."""
    game, options = rng.choice([*PLAYED.items()])
    seats = warlog_core.game(game).seats_for(options)
    players = dict(zip(seats, rng.sample(people, len(seats)), strict=True))
    first = players[seats[0]]
    named = {seat: player.id for seat, player in players.items()} | {seats[0]: "me"}
    spec = CreateMatch(game, options, named, mode="competitive")
    by_id = {player.id: player for player in players.values()}
    match = (await table.matches.new.create(spec, first, players=by_id)).match
    for seat, player in players.items():
        match = (await table.do(match, Prepare(seat), player)).match
    match = await table.play(match, rng.choice((5, 16, 40)), rng)
    while not match.is_over:
        assert match.state is not None
        seat = match.to_act[0]
        can = {action["type"] for action in match.state.legal(seat, plain=True)}
        way_on = next((type_ for type_ in ("resign", "ready") if type_ in can), None)
        match = await (
            table.play(match, 1, rng) if way_on is None else table.act(match, seat, {"type": way_on})
        )


async def played_under_kills(table: Table, url: str, kills: int, matches: int, rng: random.Random) -> int:
    """So many matches between some players, or more, while three workers at a time settle them and are killed soon
    after they have begun. How many there are at last."""
    people = [Player(f"pl_{number}", f"player {number}") for number in range(PLAYERS)]
    await make_accounts(table.connection, *people)
    count = 0

    async def play() -> None:
        nonlocal count
        if count - await settled(table) >= WAITING_MAX:
            await asyncio.sleep(0.02)
            return
        await over(table, rng, people)
        count += 1

    def moves_on(after: int) -> Callable[[], Awaitable[bool]]:
        async def holds() -> bool:
            return await settled(table) > after

        return holds

    async def reached(aim: int) -> bool:
        return count >= aim

    async def all_settled() -> bool:
        return await settled(table) == count

    for _ in range(kills):
        with workers(url, 3):
            await until(moves_on(await settled(table)), play)
            await until(partial(reached, count + matches // kills), play)
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


@contextmanager
def elsewhere(kinds: Sequence[str], folder: Path) -> Iterator[list[str]]:
    """The addresses of an empty Redis of each kind."""
    with ExitStack() as stack:
        made = {
            "plain": lambda: stack.enter_context(RedisServer(fsync="no")).url,
            "embedded": lambda: f"{EMBEDDED}{folder / 'data'}",
            "cluster": lambda: stack.enter_context(RedisCluster()).url,
        }
        yield [made[kind]() for kind in kinds]


@pytest.mark.parametrize(
    ("kills", "matches", "kinds"),
    [
        (3, 0, ["plain"]),
        pytest.param(60, 5_000, ["plain", "embedded", "cluster"], marks=pytest.mark.soak),
    ],
)
async def test_after_kills_a_rebuild_makes_the_same_bytes_here_and_from_a_backup(
    kills: int, matches: int, kinds: Sequence[str], seed: int, tmp_path: Path
) -> None:
    rng = random.Random(seed)
    with RedisServer(fsync="no") as here, elsewhere(kinds, tmp_path) as others:
        async with table_at(here.url) as table:
            count = await played_under_kills(table, here.url, kills, matches, rng)
            assert count >= matches
            await table.connection.pipe.call("SADD", keys.standing("gone"), "pl_0", write=True)
            desk = Desk(table)
            await desk.standings.forget("pl_0")
            before = await desk.everything()
            assert len(before["log"]) == count
            assert len({name.split()[0] for name in before if name.startswith("history:")}) == PLAYERS - 1
            derived = [keys.standing(name) for name in before if name not in KEPT]
            await table.connection.pipe.call(
                "DEL", *derived, write=True
            )  # what is made is not what was there
            await rebuild(here.url)
            assert await desk.everything() == before
            for url in others:
                async with table_at(url) as other:
                    await copied(table, other)
                    await rebuild(url)
                    assert without_news(await Desk(other).everything()) == without_news(before)
