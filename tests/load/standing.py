"""What settling finished matches costs, and reading a leaderboard: over a plain Redis, in one process.

Processor time is that of this process alone; round trips are the turns of the event loop in which commands are sent.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote

from tests.events.standing.desk import Desk
from tests.events.table import Table, make_accounts, table_at
from tests.load.bench import UNLIMITED, cpu_seconds
from tests.load.wire import Wire
from tests.servers import RedisServer, WarlogServer
from warlog_events.match.model import Player
from warlog_events.redis import keys
from warlog_events.standing.ratings import MU, UNIT, Rating
from warlog_events.standing.standings import Standings, member
from warlog_events.workers.settler import BATCH

MATCHES, ALONE, PLAYERS, ASKED = 200, 50, 100_000, 1_000
CREATED_AT = "2026-01-01T00:00:00.000Z"
POOL = ("hex", "duel")


async def figures(show: Callable[[str, str], None]) -> None:
    with RedisServer(fsync="no") as redis:
        async with table_at(redis.url) as table:
            await _settling(Desk(table), show)
            await redis_bytes(table.connection.redis, show)
    with RedisServer(fsync="no") as redis:
        async with table_at(redis.url) as table:
            await _fill(table.connection, show)
            await _reading(Desk(table).standings, show)
        with (
            tempfile.TemporaryDirectory(prefix="warlog-standing-") as data,
            WarlogServer(Path(data), redis=redis.url, environment=UNLIMITED) as server,
        ):
            await _over_http(server, redis.url, show)


async def _settling(desk: Desk, show: Callable[[str, str], None]) -> None:
    rng = random.Random(1)
    people = [Player(f"pl_{number:04}", f"player {number}") for number in range(20)]
    await make_accounts(desk.table.connection, *people)
    await desk.duel(rng, (people[0], people[1]))
    await desk.catch_up()  # Redis knows the scripts, and openskill is loaded
    for title, count, times in (("together", BATCH, MATCHES // BATCH), ("alone", 1, ALONE)):
        spent, trips, events = [], 0, 0
        for _ in range(times):
            for _ in range(count):
                one, other = rng.sample(people, 2)
                events += (await desk.duel(rng, (one, other), actions=40)).version
            await desk.bookkeeper.catch_up()
            with round_trips(desk.table.connection.pipe) as found:
                began = time.process_time()
                await desk.settler.step()
                spent.append((time.process_time() - began) * 1000 / count)
            trips = max(trips, found.count)
        # Others may use the machine, too, so the least is shown as well.
        each = f"{min(spent):.2f} ms processor each at least, {median(spent):.2f} in the middle"
        show(f"settling {count} {title}, Hex Tactics, {events // times // count} events", each)
        show("  Redis round trips of a pass, at most", f"{trips}")


async def redis_bytes(redis: Any, show: Callable[[str, str], None]) -> None:
    names = [name async for name in redis.scan_iter(match=keys.standing("*"))]
    total = sum([await redis.memory_usage(name) for name in names])
    settled = 1 + MATCHES + ALONE
    log = await redis.memory_usage(keys.standing("log"))
    show("Redis, the log, a match", f"{log / settled:.0f} bytes")
    show("Redis, all else, a player and match", f"{(total - log) / settled / 2:.0f} bytes")


IDS = [f"pl_{number:016}" for number in range(PLAYERS)]


async def _fill(connection: Any, show: Callable[[str, str], None]) -> None:
    rng, now = random.Random(2), int(time.time() * 1000)
    field, board = " ".join(POOL), keys.standing("board:" + " ".join(POOL))
    for start in range(0, PLAYERS, 1000):
        names = [
            ("HSET", keys.player(one), "name", f"player {one}", "created_at", CREATED_AT)
            for one in IDS[start : start + 1000]
        ]
        await connection.pipe.many(names, write=True)
    before = (await connection.redis.info("memory"))["used_memory"]
    for start in range(0, PLAYERS, 1000):
        commands: list[tuple[Any, ...]] = []
        for player in IDS[start : start + 1000]:
            rating = Rating(MU + rng.randrange(-10 * UNIT, 10 * UNIT), rng.randrange(UNIT, 6 * UNIT), now, 20)
            commands += [
                ("HSET", keys.standing(f"ratings:{player}"), field, rating.text),
                ("ZADD", board, 0, member(player, rating)),
            ]
        await connection.pipe.many(commands, write=True)
    used = (await connection.redis.info("memory"))["used_memory"] - before
    show(f"Redis, a rating of {PLAYERS} players", f"{used / PLAYERS:.0f} bytes")


async def _reading(standings: Standings, show: Callable[[str, str], None]) -> None:
    rng = random.Random(3)
    _, after = await standings.board(*POOL, None, 50)
    for title, call in (
        ("a page of 50", lambda: standings.board(*POOL, after, 50)),
        ("one's own place", lambda: standings.place(rng.choice(IDS), *POOL)),
        ("the ratings of a player", lambda: standings.ratings(rng.choice(IDS))),
    ):
        show(f"{title}, of {PLAYERS} players", f"{await _each_ms(call):.2f} ms processor")


async def _over_http(server: WarlogServer, redis_url: str, show: Callable[[str, str], None]) -> None:
    """The processor time of the serving process for a request, less what it takes while nobody asks."""
    path = "/v1/games/{}/leaderboard?pool={}&limit=50".format(*POOL)
    async with table_at(redis_url) as table:
        board = Desk(table).standings
        _, after = await board.board(*POOL, None, 50)
        stranger = await Wire.open(server.url)
        ada = await stranger.json("POST", "/v1/players", {"name": "ada"})
        token, own = str(ada["token"]), str(ada["player"]["id"])  # type: ignore[index]
        await _play(table, Player(own, "ada"))
        rating = Rating(MU, UNIT, int(time.time() * 1000), 20)
        await table.connection.pipe.call(
            "HSET", keys.standing(f"ratings:{own}"), " ".join(POOL), rating.text, write=True
        )
        line = ("ZADD", keys.standing("board:" + " ".join(POOL)), 0, member(own, rating))
        await table.connection.pipe.call(*line, write=True)
    player = await Wire.open(server.url, token)
    profile, together = f"/v1/players/{own}", 0.0
    for title, wire, asked in (
        ("a page of 50", stranger, f"{path}&after={quote(str(after))}"),
        ("a page of 50 with one's own place", player, path),
        ("one's own place with a page of 1", player, f"{path[:-2]}1"),
        ("a profile's account", stranger, profile),
        ("a profile's ratings", stranger, f"{profile}/ratings"),
        ("a profile's achievements", stranger, f"{profile}/achievements"),
        ("a profile's statistics", stranger, f"{profile}/statistics"),
    ):
        idle, began = cpu_seconds(server.pid), time.perf_counter()
        await asyncio.sleep(5)
        idle = (cpu_seconds(server.pid) - idle) / (time.perf_counter() - began)
        busy, began = cpu_seconds(server.pid), time.perf_counter()
        for _ in range(ASKED):
            await wire.json("GET", asked)
        passed = time.perf_counter() - began
        spent = 1000 * (cpu_seconds(server.pid) - busy - idle * passed) / ASKED
        together += spent if title.startswith("a profile's") else 0
        show(f"{title}, of {PLAYERS} players, over HTTP", f"{spent:.2f} ms processor of the server")
    show("a profile, its four calls", f"{together:.2f} ms processor of the server")


async def _play(table: Table, player: Player) -> None:
    """Makes him a profile."""
    rng, desk = random.Random(3), Desk(table)
    others = [Player(f"pl_other_{number}", f"other {number}") for number in range(10)]
    await make_accounts(table.connection, *others)
    for number in range(50):
        await desk.duel(rng, (player, others[number % 10]), actions=40)
    await desk.catch_up()


async def _each_ms(call: Callable[[], Awaitable[object]], times: int = 200) -> float:
    began = time.process_time()
    for _ in range(times):
        await call()
    return (time.process_time() - began) * 1000 / times


class RoundTrips:
    count = 0


@contextmanager
def round_trips(pipe: Any) -> Iterator[RoundTrips]:
    """Counts the turns of the event loop in which something is sent."""
    found, send, in_turn = RoundTrips(), pipe.send, False

    def turn_is_over() -> None:
        nonlocal in_turn
        in_turn = False

    def counted(*words: Any, **more: Any) -> Any:
        nonlocal in_turn
        if not in_turn:
            in_turn, found.count = True, found.count + 1
            asyncio.get_running_loop().call_soon(turn_is_over)
        return send(*words, **more)

    pipe.send = counted
    try:
        yield found
    finally:
        del pipe.send
