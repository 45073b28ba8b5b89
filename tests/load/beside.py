"""What common work costs in another tree and in this one, which take turns: `python -m tests.load.beside OTHER`

OTHER is the root of another checkout of Warlog, 0.1 or newer, with an environment in `.venv`. A round runs this file
with `--rows` in each of the two; of each figure the best of all rounds is printed. So nothing here may need what 0.1
does not have.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LEVELS = (1, 10, 100)
SECONDS = 3
OPTIONS: dict[str, dict[str, object]] = {"hex": {"army": "preset"}}
STEPS = 100  # of a match whose views are measured
MATCHES, EVENTS = 8, 150  # whose memory is measured, and by how many they grow
LESS_IS_BETTER = ("µs", "bytes")


def core() -> Iterator[tuple[str, float]]:
    """Views along matches, random plies, and plies with a listing before each."""
    for name in ("hex", "confrontation", "junqi", "universal", "wec"):
        spent = []
        for seed in range(5):
            state = begun(name, seed)
            dice = random.Random(seed)
            for _ in range(STEPS):
                state.play_randomly(dice, 1)
                if not state.to_act:
                    break
                seat, began = state.to_act[0], time.process_time_ns()
                state.view(seat)
                spent.append(time.process_time_ns() - began)
        yield f"view as Structs, {name}, µs", sorted(spent)[len(spent) // 4] / 1e3
    plies, seconds = 0, 0.0
    for seed in range(40):
        state, start = begun("wec", seed), time.process_time()
        plies += state.playout(seed, 20_000, play_on=False)
        seconds += time.process_time() - start
    yield "random plies of wec in C, every action, a second", plies / seconds
    for name in ("confrontation", "universal", "wec"):
        rates = []
        for seed in range(8):
            state, dice = begun(name, seed), random.Random(seed)
            start = time.process_time()
            played = state.play_randomly(dice, 4_000)
            rates.append(played / (time.process_time() - start))
        yield f"plies from Python with listing, {name}, a second", max(rates)


def begun(name: str, seed: int) -> Any:
    import warlog_core

    return warlog_core.game(name).new(options=OPTIONS.get(name, {}), draws=random.Random(seed).randbytes)


async def service(report: Callable[[str, float], None]) -> None:
    """Of a server with an embedded Redis, per second of its processor."""
    from tests.load import bench
    from tests.load.wire import Wire

    async def person(name: str) -> Any:
        wire = await Wire.open(server.url)
        account: Any = await wire.json("POST", "/v1/players", {"name": name})
        wire.close()
        return await Wire.open(server.url, str(account["token"]))

    async def rate(times: int, work: Callable[[], Awaitable[object]]) -> float:
        before = bench.cpu_seconds(server.pid)
        for _ in range(times):
            await work()
        return times / (bench.cpu_seconds(server.pid) - before)

    async def create() -> None:
        body = {"game": "hex", "options": OPTIONS["hex"], "seats": {"red": "me", "blue": "open"}}
        made: Any = await ada.json("POST", "/v1/matches", body)
        await ben.json("PUT", f"/v1/matches/{made['match']['id']}/seats/blue", {})

    async def view() -> None:
        await wire.json("GET", f"/v1/matches/{match}/view?seat=red")

    with serving() as server:
        ada, ben = await person("ada"), await person("ben")
        await rate(50, create)
        report("matches created, with two seats taken", max([await rate(150, create) for _ in range(3)]))
        match, wire, _ = await bench.hot_seat(server.url, "hex", 20)
        await rate(100, view)
        report("views of hex", max([await rate(600, view) for _ in range(3)]))
        report("Redis's memory per further event, bytes", await memory_per_event(server))
    for level in LEVELS:
        with serving() as server:
            battles = [bench.Battle(server.url, "hex", seed) for seed in range(level)]
            for battle in battles:
                await battle.open()
            await bench.drive(server.pid, battles, 1.0, bench.Tally())
            tally = bench.Tally()
            for _ in range(SECONDS):
                await bench.drive(server.pid, battles, 1.0, tally)
            done = len(tally.latencies)
            report(f"delivered commands, {level} matches", done / tally.server_cpu)
            if level == LEVELS[-1]:
                both = tally.server_cpu + tally.redis_cpu
                report(f"delivered commands, {level} matches, of server and Redis", done / both)
                report(f"Redis's processor per command, {level} matches, µs", 1e6 * tally.redis_cpu / done)


@contextmanager
def serving() -> Iterator[Any]:
    from tests.load.bench import UNLIMITED
    from tests.servers import WarlogServer

    with (
        tempfile.TemporaryDirectory() as folder,
        WarlogServer(Path(folder), environment=UNLIMITED) as server,
    ):
        server.folder = Path(folder)  # type: ignore[attr-defined]
        yield server


async def memory_per_event(server: Any) -> float:
    """How much all keys of Redis together grow for one event of a match of hex, without an idempotency key."""
    from redis.asyncio import Redis

    from tests.load import bench

    matches = [await bench.hot_seat(server.url, "hex", EVENTS) for _ in range(MATCHES)]
    used: list[int] = []
    async with Redis(unix_socket_path=str(server.folder / "redis.sock")) as redis:
        for _ in range(2):
            info: Any = await redis.info("memory")
            used.append(info["used_memory"] - info["mem_clients_normal"] - info["mem_aof_buffer"])
            for match, wire, _ in matches[: MATCHES if len(used) == 1 else 0]:
                await bench.play_hot_seat(wire, match, "hex", EVENTS)
    return (used[1] - used[0]) / (MATCHES * EVENTS)


async def rows() -> None:
    """Prints each figure of the tree in whose root it runs, as a line of JSON."""

    def report(title: str, value: float) -> None:
        print(json.dumps([title, value]), flush=True)

    for title, value in core():
        report(title, value)
    await service(report)


def best(title: str, values: list[float]) -> float:
    return min(values) if title.endswith(LESS_IS_BETTER) else max(values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", nargs="?", type=Path, help="root of another checkout")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--rows", action="store_true", help="the figures of the tree in the working directory"
    )
    given = parser.parse_args()
    if given.rows:
        asyncio.run(rows())
        return
    if given.other is None:
        parser.error("which other checkout?")
    found: dict[str, tuple[list[float], list[float]]] = {}
    trees = (given.other.resolve(), ROOT)
    for _ in range(given.rounds):
        for at, tree in enumerate(trees):
            command = [str(tree / ".venv" / "bin" / "python"), "-P", __file__, "--rows"]
            where = {**os.environ, "PYTHONPATH": str(tree)}
            told = subprocess.run(
                command, cwd=tree, env=where, check=True, stdout=subprocess.PIPE, text=True
            ).stdout
            for title, value in map(json.loads, told.splitlines()):
                found.setdefault(title, ([], []))[at].append(value)
    for title, (theirs, ours) in found.items():
        print(f"  {title:<70}{best(title, theirs):>12,.1f}{best(title, ours):>12,.1f}")


if __name__ == "__main__":
    main()
