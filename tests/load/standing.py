"""What settling finished matches costs, and reading a leaderboard: over a plain Redis, in one process.

Processor time is that of this process alone; round trips are the turns of the event loop in which commands are sent.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import Any

from tests.events.standing.desk import Desk
from tests.events.table import make_accounts, table_at
from tests.servers import RedisServer
from warlog_events.match.model import Player
from warlog_events.redis import keys
from warlog_events.standing.ratings import MU, UNIT, Rating
from warlog_events.standing.standings import Standings, member

MATCHES, PLAYERS = 200, 100_000
POOL = ("hex", "duel")


async def figures(show: Callable[[str, str], None]) -> None:
    with RedisServer(fsync="no") as redis:
        async with table_at(redis.url) as table:
            await _settling(Desk(table), show)
            await redis_bytes(table.connection.redis, show)
    with RedisServer(fsync="no") as redis:
        async with table_at(redis.url) as table:
            await _reading(Desk(table).standings, table.connection, show)


async def _settling(desk: Desk, show: Callable[[str, str], None]) -> None:
    rng = random.Random(1)
    people = [Player(f"pl_{number:04}", f"player {number}") for number in range(20)]
    await make_accounts(desk.table.connection, *people)
    lengths = []
    for _ in range(MATCHES):
        one, other = rng.sample(people, 2)
        lengths.append((await desk.duel(rng, (one, other), actions=40)).version)
    await desk.bookkeeper.catch_up()
    trips = _RoundTrips(desk.table.connection.pipe)
    began = time.process_time()
    await desk.settler.catch_up()
    spent = time.process_time() - began
    show(f"settling, {sum(lengths) // MATCHES} events a match", f"{spent * 1000 / MATCHES:.2f} ms processor")
    show("  Redis round trips of a match", f"{trips.count / MATCHES:.1f}")


async def redis_bytes(redis: Any, show: Callable[[str, str], None]) -> None:
    names = [name async for name in redis.scan_iter(match=keys.standing("*"))]
    total = sum([await redis.memory_usage(name) for name in names])
    log = await redis.memory_usage(keys.standing("log"))
    show("Redis, the log, a match", f"{log / MATCHES:.0f} bytes")
    show("Redis, all else, a player and match", f"{(total - log) / MATCHES / 2:.0f} bytes")


async def _reading(standings: Standings, connection: Any, show: Callable[[str, str], None]) -> None:
    rng, now = random.Random(2), int(time.time() * 1000)
    field, board = " ".join(POOL), keys.standing("board:" + " ".join(POOL))
    ids = [f"pl_{number:016}" for number in range(PLAYERS)]
    before = (await connection.redis.info("memory"))["used_memory"]
    for start in range(0, PLAYERS, 1000):
        commands: list[tuple[Any, ...]] = []
        for player in ids[start : start + 1000]:
            rating = Rating(MU + rng.randrange(-10 * UNIT, 10 * UNIT), rng.randrange(UNIT, 6 * UNIT), now, 20)
            commands += [
                ("HSET", keys.standing(f"ratings:{player}"), field, rating.text),
                ("ZADD", board, 0, member(player, rating)),
            ]
        await connection.pipe.many(commands, write=True)
    used = (await connection.redis.info("memory"))["used_memory"] - before
    show(f"Redis, a rating of {PLAYERS} players", f"{used / PLAYERS:.0f} bytes")
    _, after = await standings.board(*POOL, None, 50)
    for title, call in (
        ("a page of 50", lambda: standings.board(*POOL, after, 50)),
        ("one's own place", lambda: standings.place(rng.choice(ids), *POOL)),
        ("the ratings of a player", lambda: standings.ratings(rng.choice(ids))),
    ):
        show(f"{title}, of {PLAYERS} players", f"{await _each_ms(call):.2f} ms processor")


async def _each_ms(call: Callable[[], Awaitable[object]], times: int = 200) -> float:
    began = time.process_time()
    for _ in range(times):
        await call()
    return (time.process_time() - began) * 1000 / times


class _RoundTrips:
    """Counts the turns of the event loop in which something is sent."""

    def __init__(self, pipe: Any) -> None:
        self.count = 0
        send, in_turn = pipe.send, False

        def turn_is_over() -> None:
            nonlocal in_turn
            in_turn = False

        def counted(*words: Any, **more: Any) -> Any:
            nonlocal in_turn
            if not in_turn:
                in_turn, self.count = True, self.count + 1
                asyncio.get_running_loop().call_soon(turn_is_over)
            return send(*words, **more)

        pipe.send = counted
