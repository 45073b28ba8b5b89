"""Figures of many matches and long ones: `python -m tests.load.bench --only scale`.

Paced matches think between two commands, so that the figures are those of a server with room to spare; commands per
second of its processor count the serving processes alone. A `Solo` knows the state itself and asks for nothing.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

import warlog_core
from tests.load.bench import (
    GIVES_UP,
    OPTIONS,
    UNLIMITED,
    Battle,
    FloorBattle,
    Tally,
    cpu_seconds,
    floor_server,
    serving_processes,
    show,
    sizes,
)
from tests.load.wire import Wire
from tests.servers import WarlogServer
from tests.service.figures import figure
from warlog_events.redis import keys
from warlog_events.redis.connection import open_redis

PACES_SECONDS = (5.0, 1.0)  # mean, between two commands of a match
LIVE_MATCHES = 10_000
COLD_EVENTS = 2_000
LATE, EARLY = 10_000, 10


def served(data: Path, workers: int = 0) -> WarlogServer:
    arguments = ["--workers", str(workers)] if workers else []
    return WarlogServer(data, arguments=arguments, environment=UNLIMITED)


async def paced(name: str, matches: int, workers: int, seconds: float, pace: float) -> None:
    """Beside the floor at the same pace, where one process serves."""
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), workers) as server:
        battles = [Battle(server.url, name, seed) for seed in range(matches)]
        for battle in battles:
            await battle.open()
        pids = serving_processes(server.pid)
        idle = await _idle(pids)
        ours = await _keep_pace(battles, pids, seconds, pace)
        print(
            ours.line(f"  {matches:>5}, {pace:g} s, {workers} workers").partition("   Redis")[0], flush=True
        )
        show("  its processes without any command", f"{100 * idle:.1f} % of a core")
        if workers > 1:
            return
        request, answer, event, entry = await sizes(server, Path(folder), name)
    with (
        tempfile.TemporaryDirectory() as folder,
        floor_server(Path(folder), entry, answer, event) as (url, pid),
    ):
        floors = [FloorBattle(url, number, request, name) for number in range(matches)]
        for floor in floors:
            await floor.open()
        bare = await _keep_pace(floors, [pid], seconds, pace)
        print(bare.line(f"  {matches:>5}, {pace:g} s, floor").partition("   Redis")[0], flush=True)
        share = (len(ours.latencies) / ours.server_cpu) / (len(bare.latencies) / bare.server_cpu)
        show("  share of the floor", f"{100 * share:.0f} %")


async def _keep_pace(
    battles: Sequence[Battle | FloorBattle], pids: list[int], seconds: float, pace: float
) -> Tally:
    tally = Tally()
    before, start = sum(map(cpu_seconds, pids)), time.perf_counter()

    async def keep_on(battle: Battle | FloorBattle, dice: random.Random) -> None:
        await asyncio.sleep(dice.uniform(0, pace))
        while (left := start + seconds - time.perf_counter()) > 0:
            await battle.step(tally)
            await asyncio.sleep(min(dice.expovariate(1 / pace), left))

    await asyncio.gather(*(keep_on(battle, random.Random(i)) for i, battle in enumerate(battles)))
    tally.wall = time.perf_counter() - start
    tally.server_cpu = sum(map(cpu_seconds, pids)) - before
    return tally


async def _idle(pids: list[int], seconds: float = 5.0) -> float:
    before = sum(map(cpu_seconds, pids))
    await asyncio.sleep(seconds)
    return (sum(map(cpu_seconds, pids)) - before) / seconds


class Solo:
    """A match of one player against himself, who knows its state; one that ends is taken back to its start."""

    def __init__(self, wire: Wire, name: str, seed: int) -> None:
        self._wire = wire
        self._game = warlog_core.game(name)
        self._dice = random.Random(seed)

    async def open(self) -> None:
        options = OPTIONS.get(self._game.name, {})
        seats = dict.fromkeys(self._game.seats_for(options), "me")
        body = {"game": self._game.name, "options": options, "seats": seats, "consent": "none"}
        made: Any = await self._wire.json("POST", "/v1/matches", body)
        self.match, self.version = str(made["match"]["id"]), int(made["match"]["version"])
        page: Any = await self._wire.json("GET", f"/v1/matches/{self.match}/events")
        started = next(event for event in page["events"] if event["type"] == "match_started")
        self._start = self._game.new(options=options, draws=started["draws"])
        self._state = self._start.copy()

    async def step(self) -> None:
        path, state = f"/v1/matches/{self.match}/commands", self._state
        if state.result is not None:
            done: Any = await self._wire.json(
                "POST", path, {"type": "propose", "proposal": {"kind": "undo", "to": 2}}
            )
            self._state = self._start.copy()
        else:
            seat = state.to_act[0]
            actions = [a for a in state.legal(seat) if a.__struct_config__.tag not in GIVES_UP]
            action = msgspec.to_builtins(self._dice.choice(actions))
            done = await self._wire.json("POST", path, {"type": "act", "seat": seat, "action": action})
            state.apply(seat, action, draws=done["draws"])
        self.version = int(done["version"])

    async def play_to(self, version: int) -> None:
        while self.version < version:
            await self.step()


async def player(url: str) -> str:
    wire = await Wire.open(url)
    account = await wire.json("POST", "/v1/players", {"name": "bench"})
    wire.close()
    return str(account["token"])


async def memory(name: str) -> None:
    """Of a started match with five actions, in the serving process and in Redis."""
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as server:
        connection = await open_redis(None, folder)
        try:
            token = await player(server.url)
            warm = Solo(await Wire.open(server.url, token), name, 0)
            await warm.open()
            await warm.play_to(warm.version + 5)
            process = _resident(server.pid)
            redis = int((await connection.redis.info("memory"))["used_memory"])
            wires = [await Wire.open(server.url, token) for _ in range(20)]

            async def make(number: int) -> None:
                for i in range(number, LIVE_MATCHES, len(wires)):
                    solo = Solo(wires[number], name, i)
                    await solo.open()
                    await solo.play_to(solo.version + 5)

            await asyncio.gather(*map(make, range(len(wires))))
            held = figure(server, "warlog_cache_matches") - 1
            show(
                f"process memory per match, {held:,.0f} in memory",
                f"{(_resident(server.pid) - process) / held:,.0f} bytes",
            )
            used = int((await connection.redis.info("memory"))["used_memory"]) - redis
            show(f"Redis memory per match, {LIVE_MATCHES:,} live", f"{used / LIVE_MATCHES:,.0f} bytes")
        finally:
            await connection.close()


def _resident(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * 4096


async def cold(name: str) -> None:
    """The first view of a match after the process was started, with its snapshot and without."""
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as server:
        token = await player(server.url)
        solos = [Solo(await Wire.open(server.url, token), name, seed) for seed in range(4)]
        for solo in solos:
            await solo.open()
        await asyncio.gather(*(solo.play_to(COLD_EVENTS) for solo in solos[1:]))
        for title in ("with its snapshot", "without a snapshot"):
            server.stop()
            server.start()
            if title.startswith("without"):
                connection = await open_redis(None, folder)
                for solo in solos:
                    await connection.redis.delete(keys.snapshot(solo.match))
                await connection.close()
            wire = await Wire.open(server.url, token)
            times = []
            for solo in solos:  # the first one, which is short, makes the process warm
                start = time.perf_counter()
                await wire.json("GET", f"/v1/matches/{solo.match}/view")
                times.append(1000 * (time.perf_counter() - start))
            show(f"first view of a cold match of {COLD_EVENTS:,}, {title}", f"{sorted(times[1:])[1]:.1f} ms")


async def late(name: str) -> None:
    """Blocks of commands to a long match and to short ones by turns; the server's processor time for each."""
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as server:
        token = await player(server.url)
        wire = await Wire.open(server.url, token)
        long = Solo(wire, name, 1)
        await long.open()
        await long.play_to(LATE)
        spent = {"long": 0.0, "short": 0.0}
        for _ in range(10):
            before = cpu_seconds(server.pid)
            await long.play_to(long.version + 300)
            spent["long"] += cpu_seconds(server.pid) - before
            short = [Solo(wire, name, 1) for _ in range(20)]
            for solo in short:
                await solo.open()
                await solo.play_to(EARLY)
            before = cpu_seconds(server.pid)
            for solo in short:
                await solo.play_to(solo.version + 15)
            spent["short"] += cpu_seconds(server.pid) - before
        show(f"processor per command at event {EARLY}", f"{spent['short'] / 3000 * 1e6:.0f} µs")
        show(f"processor per command at event {LATE:,}", f"{spent['long'] / 3000 * 1e6:.0f} µs")
        show("the one in terms of the other (aim: at most 1.1)", f"{spent['long'] / spent['short']:.2f}")


async def figures_of_scale(name: str, seconds: float) -> None:
    print(f"many matches, {name}: a command every 5 s, and every second, in each (mean)")
    for workers in (1, 2):
        for pace in PACES_SECONDS:
            for matches in (100, 1_000):
                await paced(name, matches, workers, seconds, pace)
    print("memory, cold and long matches")
    await memory(name)
    await cold(name)
    await late(name)
