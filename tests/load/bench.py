"""The figures of `make bench`, each beside its floor or its aim from the same run.

    python -m tests.load.bench [--seconds 6] [--concurrency 1,10,100] [--game hex]

Two cores are shared by the server, its Redis and this program, so the throughput that is compared is per second of the
server's own CPU time. Latencies run from the sending of a command to the arrival of its event at both players' feeds.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

import warlog_core
from tests.load.wire import EventStream, Wire
from tests.servers import WarlogServer
from warlog_events.redis.connection import open_redis

GIVES_UP = {"resign", "offer_draw", "accept_draw", "decline_draw"}
UNLIMITED = {"WARLOG_COUNTED_ANY_OPTIONS": "true"} | {
    f"WARLOG_{limit}": "0"
    for limit in (
        "REQUESTS_PER_CALLER",
        "REQUESTS_PER_ADDRESS",
        "COMMANDS_PER_CALLER",
        "ACCOUNTS_PER_ADDRESS",
        "FEEDS_PER_CALLER",
        "LOBBIES_PER_PLAYER",
        "MATCHES_PER_PLAYER",
        "MATCHES_PER_DAY",
        "IMPORTS_PER_DAY",
        "STAKE_MATCHES_MIN",
        "COUNTED_MATCHES_PER_DAY",
    )
}
READY = {"type": "ready"}
OPTIONS: dict[str, dict[str, object]] = {"hex": {"army": "preset"}}
"""Options that let a match begin without an open template."""

# ---- the core -----------------------------------------------------------------------------------------------------


def per_second(work: Callable[[], int], seconds: float = 1.0) -> float:
    """How many units of `work` (which says how many it did) fit into a second of CPU time."""
    done, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        done += work()
    return done / spent


def begin(game: warlog_core.Game, seed: int) -> warlog_core.State:
    """A match in which play begins: where layouts are declared ready they are, since shuffling them is no play."""
    rng = random.Random(seed)
    state = game.new(options=OPTIONS.get(game.name, {}), draws=rng.randbytes)
    for seat in state.seats:
        if state.check(seat, READY) is None:
            state.apply(seat, READY, draws=rng.randbytes)
    return state


def figures_of_the_core(name: str) -> None:
    game = warlog_core.game(name)
    start = begin(game, 1)
    seeds = iter(range(1, 10**9))

    def playout() -> int:
        return start.copy().playout(next(seeds), 1_000_000)

    def playout_to_the_end() -> int:
        return start.copy().playout(next(seeds), 1_000_000, play_on=True)

    def ply_by_ply() -> int:
        return start.copy().play_randomly(random.Random(next(seeds)))

    print(
        f"core, {name} (aims: 1,000,000 plies/s in C, 320,000 from Python with listing; OpenSpiel 80,000–860,000)"
    )
    show("random plies per second, C, every action", f"{per_second(playout):,.0f}")
    show("random plies per second, C, played on", f"{per_second(playout_to_the_end):,.0f}")
    show("plies per second from Python, with every listing", f"{per_second(ply_by_ply):,.0f}")
    seat = start.to_act[0]
    for title, work in (
        ("view as Struct, from Python", lambda: start.view(seat)),
        ("listing as Structs, from Python", lambda: start.legal(seat)),
        ("copy of a state", start.copy),
        ("load of a state from its bytes", lambda: game.load(start.setup, start.data)),
        ("hash of a state", lambda: game.raw.hash(start._raw)),
    ):
        show(title, f"{1e6 / per_second(repeat(work)):.2f} µs")
    record = recorded(game, 400)
    replay = per_second(lambda: len(begin(game, 1).replay(record)) * 0 + 1)
    show(f"replay of {len(record)} events (aim: 1 ms for 400)", f"{1000 / replay:.3f} ms")


def repeat(work: Callable[[], object], times: int = 200) -> Callable[[], int]:
    def many() -> int:
        for _ in range(times):
            work()
        return times

    return many


def recorded(game: warlog_core.Game, length: int) -> list[Any]:
    """Steps of a random match of this length, or of the longest of fifty where none lasts so long."""
    longest: list[Any] = []
    for seed in range(50):
        dice = random.Random(seed)
        state = begin(game, 1)
        steps: list[Any] = []
        while state.result is None and len(steps) < length:
            seat = state.to_act[0]
            actions = [action for action in state.legal(seat, plain=True) if not action.get("open")]
            willing = [action for action in actions if action["type"] not in GIVES_UP]
            event = state.apply(seat, dice.choice(willing or actions), draws=dice.randbytes)
            steps.append(warlog_core.Step(seat, event.action, event.draws))
        longest = max(longest, steps, key=len)
        if len(longest) == length:
            break
    return longest


# ---- the server ---------------------------------------------------------------------------------------------------


def cpu_seconds(pid: int) -> float:
    """User and system time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def serving_processes(pid: int) -> list[int]:
    """The workers of a supervisor; the process itself if there is none."""
    workers = [
        child
        for child in children(pid)
        if b"warlog_service.worker" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
    return workers or [pid]


@dataclass
class Tally:
    """What a level of concurrency gave. Latencies in seconds; sizes in bytes."""

    latencies: list[float] = field(default_factory=list)
    requests: int = 0
    answers: int = 0
    events: int = 0
    wall: float = 0.0
    server_cpu: float = 0.0
    redis_cpu: float = 0.0

    def percentile(self, share: float) -> float:
        ordered = sorted(self.latencies)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    def line(self, title: str) -> str:
        n = len(self.latencies)
        return (
            f"{title:<26}{n / self.wall:>8,.0f}/s {n / self.server_cpu:>8,.0f} per CPU-s"
            f"   p50 {self.percentile(0.5):6.2f}  p95 {self.percentile(0.95):6.2f}  p99 {self.percentile(0.99):6.2f} ms"
            f"   Redis {self.redis_cpu / n * 1e6:.0f} µs"
        )


class Play:
    """What a player's program does beside its requests: it knows the state, chooses an action and follows the event.

    The floor's players do the same, for the machine's cores and caches are shared with whoever makes the load."""

    def __init__(self, name: str, seed: int) -> None:
        self.game = warlog_core.game(name)
        self.dice = random.Random(seed)

    def begin(self, draws: Any) -> None:
        self.state = self.game.new(options=OPTIONS.get(self.game.name, {}), draws=draws)

    def choose(self) -> tuple[str, bytes]:
        """Who acts, and the command."""
        self.seat = self.state.to_act[0]
        listing = self.state.listing(self.seat)
        while True:
            self.action = listing[self.dice.randrange(len(listing))]
            if self.action.__struct_config__.tag not in GIVES_UP:
                break
        return self.seat, msgspec.json.encode({"type": "act", "seat": self.seat, "action": self.action})

    def follow(self, event: bytes, draws: Any = None) -> int:
        """The version of the event in which that action was taken. `draws`: where the event has none of its own."""
        told = msgspec.json.decode(event)
        self.state.apply(self.seat, self.action, draws=told["draws"] if draws is None else draws)
        return int(told["version"])


@dataclass
class Table:
    """A match that has begun, and what both players hear of it."""

    match: str
    draws: list[int]
    version: int
    feeds: list[EventStream]


class Battle:
    """Matches of two players, one after the other, driven over REST. The next ones are made between two measurements
    (`prepare`): what is measured is commands and their delivery."""

    def __init__(self, url: str, name: str, seed: int) -> None:
        self._url = url
        self._play = Play(name, seed)
        self._wires: list[Wire] = []
        self._next: list[Table] = []
        self._used = 0

    async def open(self) -> None:
        for _ in range(2):
            account = await (wire := await Wire.open(self._url)).json(
                "POST", "/v1/players", {"name": "bench"}
            )
            wire.close()
            self._wires.append(await Wire.open(self._url, str(account["token"])))
        self._sit(await self._new_match())

    @property
    def match(self) -> str:
        return self._table.match

    async def prepare(self) -> None:
        """Half as many matches more than were needed since the last time, and one."""
        wanted, self._used = 1 + self._used * 3 // 2, 0
        while len(self._next) < wanted:
            self._next.append(await self._new_match())

    def _sit(self, table: Table) -> None:
        self._table = table
        self._version = table.version
        self._play.begin(table.draws)
        self._used += 1

    async def _new_match(self) -> Table:
        first, second = self._wires
        game = self._play.game
        seats = {game.seats[0]: "me", game.seats[1]: "open"}
        body = {"game": game.name, "options": OPTIONS.get(game.name, {}), "seats": seats, "consent": "none"}
        made: Any = await first.json("POST", "/v1/matches", body)
        match = made["match"]["id"]
        await second.json("PUT", f"/v1/matches/{match}/seats/{game.seats[1]}", {})
        for wire, seat in zip(self._wires, game.seats, strict=False):
            await wire.json("POST", f"/v1/matches/{match}/commands", {"type": "prepare", "seat": seat})
        page: Any = await first.json("GET", f"/v1/matches/{match}/events")
        started = next(e for e in page["events"] if e["type"] == "match_started")
        feeds = []
        for wire, seat in zip(self._wires, game.seats, strict=False):
            token = str(wire._headers, "ascii").rpartition("Bearer ")[2].strip()
            feed = await Wire.open(self._url, token)
            feeds.append(await feed.events(f"/v1/matches/{match}/feed?seat={seat}&after={page['version']}"))
        return Table(match, started["draws"], page["version"], feeds)

    async def step(self, tally: Tally) -> None:
        """One action, and its arrival at both feeds."""
        play = self._play
        if play.state.result is not None:
            for feed in self._table.feeds:
                feed.close()
            self._sit(self._next.pop() if self._next else await self._new_match())
        feeds = self._table.feeds
        seat, body = play.choose()
        wire = self._wires[play.game.seats.index(seat)]
        before = [feed.received_bytes for feed in feeds]
        start = time.perf_counter()
        status, answer = await wire.request("POST", f"/v1/matches/{self.match}/commands", body)
        if status != 201:
            raise RuntimeError(f"{status} {answer!r}")
        shown = [await feed.next() for feed in feeds]
        tally.latencies.append(time.perf_counter() - start)
        tally.requests += len(body)
        tally.answers += len(answer)
        tally.events += sum(feed.received_bytes - was for feed, was in zip(feeds, before, strict=True)) // 2
        version = play.follow(shown[0])
        assert version == self._version + 1, (version, self._version)
        self._version = version


class FloorBattle:
    """As many bytes over the bare route, from a player who plays as well."""

    def __init__(self, url: str, number: int, request: int, name: str) -> None:
        self._url = url
        self._path = f"/floor/{number}"
        self._body = b"x" * request
        self._play = Play(name, number)
        self._play.begin(self._play.dice.randbytes)

    async def open(self) -> None:
        self._wires = [await Wire.open(self._url) for _ in range(3)]
        self._feeds = [await wire.events(f"{self._path}/feed") for wire in self._wires[1:]]

    async def prepare(self) -> None:
        """Nothing has to be made."""

    async def step(self, tally: Tally) -> None:
        play = self._play
        if play.state.result is not None:
            play.begin(play.dice.randbytes)
        play.choose()
        start = time.perf_counter()
        status, answer = await self._wires[0].request("POST", f"{self._path}/commands", self._body)
        if status != 201:
            raise RuntimeError(f"{status} {answer!r}")
        shown = [await feed.next() for feed in self._feeds]
        tally.latencies.append(time.perf_counter() - start)
        play.follow(shown[0], play.dice.randbytes)


async def drive(pid: int, battles: list[Battle] | list[FloorBattle], seconds: float, tally: Tally) -> None:
    """Plays all of them for so long, and adds what came of it to the tally."""
    for battle in battles:
        await battle.prepare()
    processes = children(pid)
    cpu, redis = cpu_seconds(pid), sum(map(cpu_seconds, processes))
    start = time.perf_counter()

    async def keep_on(battle: Battle | FloorBattle) -> None:
        while time.perf_counter() - start < seconds:
            await battle.step(tally)

    await asyncio.gather(*(keep_on(battle) for battle in battles))
    tally.wall += time.perf_counter() - start
    tally.server_cpu += cpu_seconds(pid) - cpu
    tally.redis_cpu += sum(map(cpu_seconds, processes)) - redis


async def entry_bytes(data: Path, match: str) -> int:
    """Mean size of the fields of this match's stream entries."""
    connection = await open_redis(None, data)
    try:
        entries: Any = await connection.redis.xrevrange(f"warlog:{{b{match[2:5]}}}:{match}:events", count=100)
    finally:
        await connection.close()
    return sum(len(name) + len(value) for _, fields in entries for name, value in fields.items()) // len(
        entries
    )


async def sizes(server: WarlogServer, data: Path, name: str) -> tuple[int, int, int, int]:
    """Mean bytes of a request, an answer, a feed event and a stream entry, from a second of play."""
    first, seen = Battle(server.url, name, 0), Tally()
    await first.open()
    await drive(server.pid, [first], 1.0, seen)
    n = len(seen.latencies)
    return seen.requests // n, seen.answers // n, seen.events // n, await entry_bytes(data, first.match)


@contextmanager
def floor_server(data: Path, *sizes: int) -> Iterator[tuple[str, int]]:
    """The floor's URL and process id."""
    port_file = data / "port"
    arguments = [str(port_file), str(data), *map(str, sizes)]
    process = subprocess.Popen([sys.executable, "-m", "tests.load.floor", *arguments])
    try:
        while not port_file.exists() or not port_file.read_text():
            if process.poll() is not None:
                raise RuntimeError("the floor did not start")
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port_file.read_text()}", process.pid
    finally:
        process.terminate()
        process.wait(20)


async def figures_of_the_server(name: str, levels: list[int], seconds: float) -> None:
    """Warlog and its floor take turns, second by second, so that whatever else the machine does burdens both alike."""
    print(
        f"server, {name}: a command and its delivery to both feeds, append-only file on (aim: 70 % of the floor)"
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory() as floor_folder,
        WarlogServer(Path(folder), environment=UNLIMITED) as server,
    ):
        request, answer, event, entry = await sizes(server, Path(folder), name)
        with floor_server(Path(floor_folder), entry, answer, event) as (url, pid):
            for level in levels:
                battles = [Battle(server.url, name, seed) for seed in range(level)]
                floors = [FloorBattle(url, i + 1000 * level, request, name) for i in range(level)]
                for battle in battles:
                    await battle.open()
                for bare in floors:
                    await bare.open()
                # Once before anything counts: how many matches a second takes is known then.
                await drive(server.pid, battles, 1.0, Tally())
                await drive(pid, floors, 1.0, Tally())
                ours, floor = Tally(), Tally()
                for _ in range(max(1, round(seconds))):
                    await drive(server.pid, battles, 1.0, ours)
                    await drive(pid, floors, 1.0, floor)
                print(ours.line(f"  {level:>4} matches, warlog"))
                print(floor.line(f"  {level:>4} matches, floor"))
                share = (len(ours.latencies) / ours.server_cpu) / (len(floor.latencies) / floor.server_cpu)
                show(f"share of the floor at {level}", f"{100 * share:.0f} %")
        show("bytes: request, answer, feed event, stream entry", f"{request}, {answer}, {event}, {entry}")


async def figures_of_long_matches(name: str) -> None:
    print("long matches")
    with tempfile.TemporaryDirectory() as folder, WarlogServer(Path(folder), environment=UNLIMITED) as server:
        for length in (20, 2000):
            match, wire, version = await hot_seat(server.url, name, length)
            path = f"/v1/matches/{match}/commands"
            times = await timed(lambda to: wire.json("POST", path, undo(to)), spread(5, version, 30))  # noqa: B023
            show(
                f"undo to any version of a match of {length:,} events",
                f"p50 {times[15]:.2f} ms, worst {times[-1]:.2f} ms",
            )
            looks = await timed(
                lambda at: wire.json("GET", f"/v1/matches/{match}/view?at={at}"),  # noqa: B023
                spread(5, version, 30),
            )
            show(f"view at any version of {length:,}", f"p50 {looks[15]:.2f} ms, worst {looks[-1]:.2f} ms")
        match, wire, version = await hot_seat(server.url, name, 400)
        wire.received_bytes = 0
        await wire.json("GET", f"/v1/matches/{match}")
        await wire.json("GET", f"/v1/matches/{match}/view")
        await wire.json("GET", f"/v1/matches/{match}/actions?seat={warlog_core.game(name).seats[0]}")
        synced, wire.received_bytes = wire.received_bytes, 0
        after = 0
        while after < version:
            page: Any = await wire.json("GET", f"/v1/matches/{match}/events?after={after}&limit=100")
            after = page["events"][-1]["version"]
        show("re-sync after 400 events: match, view and actions", f"{synced:,} bytes")
        show("the same as 400 events", f"{wire.received_bytes:,} bytes")


MEMORY_MATCHES = 5
# Of each match: up to here nothing is counted, so that the first snapshot lies before (later ones take its place), and
# then so many events, which is many for each node of a stream: Redis makes a node of 4 KB at once.
MEMORY_FROM, MEMORY_EVENTS = 105, 240


async def figures_of_memory(names: Sequence[str]) -> None:
    """What Redis needs for one more event: how much its `used_memory`, without the buffers of clients and of the
    append-only file, grows while matches are played on, which is all keys together with their tables; and MEMORY USAGE,
    which rounds up, of the keys of each kind. The activity streams do not reach the
    length from which on they are trimmed, so that each event is charged with its whole entry."""
    print("Redis memory per further event, all keys together (aims: 300 bytes, 400 with an idempotency key)")
    for name in names:
        with (
            tempfile.TemporaryDirectory() as folder,
            WarlogServer(Path(folder), environment=UNLIMITED) as server,
        ):
            played = [await hot_seat(server.url, name, MEMORY_FROM) for _ in range(MEMORY_MATCHES)]
            connection = await open_redis(None, Path(folder))
            try:
                for keyed in (False, True):
                    before, kinds = await memory_used(connection.redis)
                    for match, wire, _ in played:
                        await play_hot_seat(wire, match, name, MEMORY_EVENTS, keyed=keyed)
                    after, now = await memory_used(connection.redis)
                    n = MEMORY_MATCHES * MEMORY_EVENTS
                    grown = {kind: (now[kind] - kinds.get(kind, 0)) / n for kind in now}
                    parts = ", ".join(f"{kind} {size:.0f}" for kind, size in grown.items() if abs(size) >= 1)
                    show(
                        f"{name}, {'with' if keyed else 'without'} a key",
                        f"{(after - before) / n:.0f} ({parts})",
                    )
            finally:
                await connection.close()


async def memory_used(redis: Any) -> tuple[int, dict[str, int]]:
    """Bytes in all, and those of the keys by their kind."""
    info = await redis.info("memory")
    used = info["used_memory"] - info["mem_clients_normal"] - info["mem_aof_buffer"]
    kinds: dict[str, int] = {}
    async for key in redis.scan_iter(count=1000):
        kind = re.sub(r".*}:(m_[^:]*:)?([a-z]*).*", r"\2", key.decode())
        kinds[kind] = kinds.get(kind, 0) + int(await redis.memory_usage(key, samples=0) or 0)
    return used, kinds


def undo(to: int) -> dict[str, object]:
    return {"type": "propose", "proposal": {"kind": "undo", "to": to}}


def spread(low: int, high: int, n: int) -> list[int]:
    return random.Random(1).choices(range(low, high), k=n)


async def timed(call: Callable[[int], Awaitable[object]], arguments: list[int]) -> list[float]:
    """Milliseconds of each call, ascending."""
    times = []
    for argument in arguments:
        start = time.perf_counter()
        await call(argument)
        times.append(1000 * (time.perf_counter() - start))
    return sorted(times)


async def hot_seat(url: str, name: str, length: int) -> tuple[str, Wire, int]:
    """A match of one player against himself with this many events."""
    account = await (wire := await Wire.open(url)).json("POST", "/v1/players", {"name": "bench"})
    wire.close()
    own = await Wire.open(url, str(account["token"]))
    game = warlog_core.game(name)
    options = OPTIONS.get(name, {})
    seats = dict.fromkeys(game.seats_for(options), "me")
    made: Any = await own.json("POST", "/v1/matches", {"game": name, "options": options, "seats": seats})
    match = made["match"]["id"]
    return match, own, 2 + await play_hot_seat(own, match, name, length - 2)


async def play_hot_seat(wire: Wire, match: str, name: str, events: int, keyed: bool = False) -> int:
    """Plays on by the server's own listings; a match that ends is taken back to its start. Returns the events made.

    keyed   each command with an Idempotency-Key of its own"""
    dice = random.Random(match)
    path = f"/v1/matches/{match}"
    for _ in range(events):
        key = str(uuid.uuid4()) if keyed else ""
        summary: Any = (await wire.json("GET", path))["match"]
        if summary["result"] is not None:
            await wire.json("POST", f"{path}/commands", undo(2), key)
            continue
        seat = summary["to_act"][0]
        listed: Any = await wire.json("GET", f"{path}/actions?seat={seat}")
        action = dice.choice(
            [a for a in listed["actions"] if a["type"] not in GIVES_UP and not a.get("open")]
        )
        await wire.json("POST", f"{path}/commands", {"type": "act", "seat": seat, "action": action}, key)
    return events


# ---- printing -----------------------------------------------------------------------------------------------------


def show(title: str, value: str) -> None:
    print(f"  {title:<58}{value}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--concurrency", default="1,10,100,1000")
    parser.add_argument("--game", help="default: the core of every game, and the server with hex")
    parser.add_argument(
        "--only",
        choices=(
            "core",
            "server",
            "long",
            "memory",
            "scale",
            "cluster",
            "people",
            "bots",
            "standing",
            "traces",
            "vectors",
        ),
    )
    parser.add_argument("--people", type=int, default=10_000, help="who follow their own feeds")
    arguments = parser.parse_args()
    if arguments.only in (None, "core"):
        for name in [arguments.game] if arguments.game else warlog_core.games():
            figures_of_the_core(name)
    levels = [int(level) for level in arguments.concurrency.split(",")]
    if arguments.only in (None, "server"):
        asyncio.run(figures_of_the_server(arguments.game or "hex", levels, arguments.seconds))
    if arguments.only in (None, "long"):
        asyncio.run(figures_of_long_matches(arguments.game or "hex"))
    if arguments.only in (None, "memory"):
        asyncio.run(figures_of_memory([arguments.game] if arguments.game else warlog_core.games()))
    if arguments.only == "cluster":
        from tests.load.across import figures_of_a_cluster

        asyncio.run(figures_of_a_cluster(arguments.game or "hex", levels, arguments.seconds))
    if arguments.only == "standing":
        from tests.load import standing

        asyncio.run(standing.figures(show))
    if arguments.only == "people":
        from tests.load.people import figures_of_people

        asyncio.run(figures_of_people(arguments.people, arguments.seconds))
    if arguments.only in (None, "traces"):
        from tests.load import traces

        asyncio.run(traces.figures(show))
    if arguments.only in (None, "bots"):
        from tests.load import opponents

        asyncio.run(opponents.idle(60, 1))
        asyncio.run(opponents.measure(opponents.arguments().parse_args(["--core", "0"])))
    if arguments.only in (None, "vectors"):
        from tests.load import vectors

        vectors.figures(show)
    if arguments.only == "scale":
        from tests.load.scale import figures_of_scale

        asyncio.run(figures_of_scale(arguments.game or "hex", arguments.seconds))


if __name__ == "__main__":
    main()
