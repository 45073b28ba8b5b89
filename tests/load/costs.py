"""What one of each thing costs a server, measured: `python -m tests.load.costs`. The model of tests/load/capacity.py
goes by what this prints.

A *move* is what a person's client asks for in his turn, all five games alike: the match, the view, the listing, a
command under an idempotency key, and its event at the feeds of all seats.
"""

from __future__ import annotations

import asyncio
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clients.bots.random_bot import choose

from tests.load.beginnings import BEGINNINGS
from tests.load.bench import UNLIMITED, cpu_seconds, serving_processes, show
from tests.load.people import Followers, registered, resident
from tests.load.wire import EventStream, Wire
from tests.servers import RedisServer, WarlogServer
from warlog_events.redis.connection import open_redis

AT_ONCE, MOVES = 40, 25  # matches, and moves of each that are measured
IDLE_SECONDS = 5.0
FOLLOWERS, HEARTBEAT_MS, PLAYERS = 1_000, 2_000, 2_000


@dataclass
class Seat:
    name: str
    wire: Wire
    feed: EventStream


class Table:
    """A match that people have begun: each with a seat, ready, and with a feed."""

    def __init__(self, match: str, seats: list[Seat], version: int) -> None:
        self._path = f"/v1/matches/{match}"
        self._version = version
        self.seats = seats

    @classmethod
    async def begin(cls, url: str, first: dict[str, Any], tokens: list[str]) -> Table:
        names = first["seats"]
        wires = [await Wire.open(url, token) for token in tokens]
        spec = {"game": first["game"], "options": first["options"], "consent": "none"}
        spec["seats"] = {names[0]: "me", **dict.fromkeys(names[1:], "open")}
        if first.get("position"):
            spec["position"] = first["position"]
        made: Any = await wires[0].json("POST", "/v1/matches", spec)
        path = f"/v1/matches/{made['match']['id']}"
        for name, wire in zip(names[1:], wires[1:], strict=True):
            await wire.json("PUT", f"{path}/seats/{name}", {})
        for name, wire in zip(names, wires, strict=True):
            await wire.json("POST", f"{path}/commands", {"type": "prepare", "seat": name})
        shown: Any = await wires[0].json("GET", path)
        version = shown["match"]["version"]
        seats = []
        for name, wire, token in zip(names, wires, tokens, strict=True):
            feed = await Wire.open(url, token)
            seats.append(Seat(name, wire, await feed.events(f"{path}/feed?seat={name}&after={version}")))
        return cls(made["match"]["id"], seats, version)

    async def move(self, dice: random.Random) -> bool:
        """False: the match is over."""
        shown: Any = await self.seats[0].wire.json("GET", self._path)
        if not shown["match"]["to_act"]:
            return False
        seat = next(one for one in self.seats if one.name == shown["match"]["to_act"][0])
        await seat.wire.json("GET", f"{self._path}/view?seat={seat.name}")
        listed: Any = await seat.wire.json("GET", f"{self._path}/actions?seat={seat.name}")
        command = {"type": "act", "seat": seat.name, "action": choose(listed["actions"], dice)}
        key = f"{self._path} {self._version}"
        await seat.wire.json("POST", f"{self._path}/commands", command, key)
        for one in self.seats:
            await one.feed.next()
        self._version += 1
        return True

    @property
    def sent_bytes(self) -> tuple[int, int]:
        """By the service: in answers, on feeds."""
        return sum(one.wire.received_bytes for one in self.seats), sum(
            one.feed.received_bytes for one in self.seats
        )


class Meter:
    """What servers over one Redis have spent: seconds of processor of the service and of Redis, its bytes of memory and
    of its append-only file, and the service's memory."""

    def __init__(self, servers: list[WarlogServer], redis: int, info: Any) -> None:
        self._serving = [pid for server in servers for pid in serving_processes(server.pid)]
        self._redis, self._info = redis, info
        self.idle = (0.0, 0.0)  # cores: of the service, of Redis

    async def read(self) -> tuple[float, float, int, int, int]:
        found: Any = await self._info()
        service = sum(map(cpu_seconds, self._serving))
        memory = sum(map(resident, self._serving))
        stored = int(found["used_memory"]), int(found["aof_current_size"])
        return service, cpu_seconds(self._redis), *stored, memory

    async def rest(self) -> None:
        began, before = time.perf_counter(), await self.read()
        await asyncio.sleep(IDLE_SECONDS)
        now, took = await self.read(), time.perf_counter() - began
        self.idle = (now[0] - before[0]) / took, (now[1] - before[1]) / took

    async def show(self, what: str, before: tuple[float, ...], began: float, count: int) -> None:
        now, took = await self.read(), time.perf_counter() - began
        service, redis = (
            1000 * (now[i] - before[i] - self.idle[i] * took) / count for i in (0, 1)
        )  # less what they take anyway
        show(f"  {what}: ms of the service, of Redis", f"{service:.2f}, {redis:.3f}")
        stored = ", ".join(f"{(now[i] - before[i]) / count:,.0f}" for i in (2, 3, 4))
        show("    bytes: Redis, append-only file, memory of the service", stored)


async def account(url: str) -> str:
    stranger = await Wire.open(url)
    made: Any = await stranger.json("POST", "/v1/players", {"name": "cost"})
    stranger.close()
    return str(made["token"])


@contextmanager
def worker(redis: str) -> Iterator[int]:
    """The pid of a `warlog worker`, which does the background work."""
    command = [sys.executable, "-m", "warlog_service", "worker", "--redis", redis]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert process.stdout is not None
        process.stdout.readline()  # it works
        yield process.pid
    finally:
        process.terminate()
        process.wait(20)


async def moves(servers: int, workers: int, *, apart: bool = False) -> None:
    """Each match is played at one of the servers; its connections come to any of the server's workers. `apart`: a
    process of its own does the background work."""
    dice = random.Random(1)
    with ExitStack() as stack:
        redis = stack.enter_context(RedisServer(fsync="everysec"))
        arguments = ["--workers", str(workers)] if workers > 1 else []
        started = [
            stack.enter_context(
                WarlogServer(
                    Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="warlog-costs-"))),
                    redis=redis.url,
                    arguments=arguments,
                    environment={**UNLIMITED, "WARLOG_BACKGROUND": str(not apart).lower()},
                )
            )
            for _ in range(servers)
        ]
        connection = await open_redis(redis.url, Path())
        meter = Meter(started, redis.pid, connection.redis.info)
        background = stack.enter_context(worker(redis.url)) if apart else 0
        print(f"{servers} servers over one Redis, each of {workers} serving processes")
        await asyncio.sleep(1)
        await meter.rest()
        show("  idle: cores of the service, of Redis", f"{meter.idle[0]:.4f}, {meter.idle[1]:.4f}")
        firsts = [dice.choice(BEGINNINGS[name]) for name in BEGINNINGS for _ in range(AT_ONCE // 5)]
        urls = [started[number % servers].url for number in range(AT_ONCE)]
        tokens = [
            [await account(url) for _ in first["seats"]] for url, first in zip(urls, firsts, strict=True)
        ]
        began, before = time.perf_counter(), await meter.read()
        tables = [await Table.begin(*one) for one in zip(urls, firsts, tokens, strict=True)]
        seats = sum(len(table.seats) for table in tables) / AT_ONCE
        await meter.show(f"to begin a match of {seats:.2f} seats (mean)", before, began, AT_ONCE)
        spent = cpu_seconds(background) if apart else 0.0
        began, before = time.perf_counter(), await meter.read()
        sent = [table.sent_bytes for table in tables]
        count = sum(await asyncio.gather(*(_play(table, dice) for table in tables)))
        await meter.show(
            f"a move, {count / (time.perf_counter() - began):,.0f} a second", before, began, count
        )
        if apart:
            await asyncio.sleep(1)  # until it has caught up
            show("    the worker's ms", f"{1000 * (cpu_seconds(background) - spent) / count:.3f}")
        answers, feeds = (
            sum(table.sent_bytes[i] - was[i] for table, was in zip(tables, sent, strict=True)) / count
            for i in (0, 1)
        )
        show("    bytes sent: answers, feeds", f"{answers:,.0f}, {feeds:,.0f}")
        await connection.close()


async def _play(table: Table, dice: random.Random) -> int:
    for number in range(MOVES):
        if not await table.move(dice):
            return number
    return MOVES


async def people() -> None:
    """Who follow their own feeds."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    environment = {**UNLIMITED, "WARLOG_FEED_HEARTBEAT_MS": str(HEARTBEAT_MS)}
    with (
        tempfile.TemporaryDirectory(prefix="warlog-costs-") as data,
        RedisServer(fsync="everysec") as redis,
        WarlogServer(Path(data), redis=redis.url, environment=environment) as server,
    ):
        connection = await open_redis(redis.url, Path(data))
        meter = Meter([server], redis.pid, connection.redis.info)
        await meter.rest()
        began, before = time.perf_counter(), await meter.read()
        tokens = await registered(server.url, PLAYERS)
        await asyncio.sleep(2)
        await meter.show("a player", before, began, PLAYERS)
        followers = Followers(server.url)
        began, before = time.perf_counter(), await meter.read()
        for start in range(0, FOLLOWERS, 100):
            await asyncio.gather(*map(followers.follow, tokens[start : start + 100]))
        await asyncio.sleep(3)
        await meter.show("a feed, opened", before, began, FOLLOWERS)
        began, before, heard = time.perf_counter(), await meter.read(), followers.received
        await asyncio.sleep(2 * IDLE_SECONDS)
        await meter.show("a heartbeat", before, began, followers.received - heard)
        followers.close()
        await connection.close()


async def main() -> None:
    for servers, workers in ((1, 1), (1, 2), (2, 1)):
        await moves(servers, workers)
    await moves(1, 1, apart=True)
    await people()


if __name__ == "__main__":
    asyncio.run(main())
