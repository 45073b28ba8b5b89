"""How long people wait for the house's bots: many matches, each of one person against one bot, and one process of bots.

    python -m tests.load.opponents --matches 200,300 --seconds 60 --level 8 --think 4 --core 0
    python -m tests.load.opponents --idle 120      # what a server with bots costs while they sit in no match

Exit code 1 if somebody has waited for more than five seconds, or a bot has lost on time.

A person acts at random, some seconds after it is his turn (`--think`, the mean). What is measured runs from the event
after which only a bot is to act, to the next one. `--core 0` binds the bots to a core. Several numbers of matches are
measured one after the other, each on a server of its own, until somebody has waited too long.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import msgspec
from clients.bots.random_bot import choose

import warlog_core
from tests.ladder.matches import Idle, Served
from tests.load.bench import UNLIMITED, children, cpu_seconds, show
from tests.load.wire import Wire
from tests.servers import WarlogServer

SECONDS_MAX = 5.0
OPENING_AT_ONCE = 20
STARTING_SECONDS = 10.0
OPTIONS: dict[str, Any] = {"junqi": {"players": 2, "wings": "closed"}, "hex": {"army": "preset"}}


class Person:
    def __init__(self, url: str, game: str, level: int, think: float, seed: int, move_seconds: int) -> None:
        self.waits: list[float] = []
        self.timeouts = 0
        self.matches = 0
        self._url, self._game, self._level, self._think = url, game, level, think
        self._dice = random.Random(seed)
        self._move_seconds = move_seconds

    async def come(self) -> None:
        stranger = await Wire.open(self._url)
        made: Any = await stranger.json("POST", "/v1/players", {"name": "load"})
        stranger.close()
        self._token = str(made["token"])
        self._wire = await Wire.open(self._url, self._token)

    async def play(self) -> None:
        """One match after the other."""
        while True:
            await self._match()

    async def _match(self) -> None:
        options = OPTIONS.get(self._game, {})
        seats = warlog_core.game(self._game).seats_for(options)
        wanted = dict(zip(seats, ["me", *[f"bot:{self._level}"] * (len(seats) - 1)], strict=True))
        body: dict[str, Any] = {"game": self._game, "options": options, "seats": wanted}
        if self._move_seconds:
            body["move_seconds"] = self._move_seconds
        made: Any = await self._wire.json("POST", "/v1/matches", body)
        match, seat = made["match"]["id"], seats[0]
        self.matches += 1
        reader = await Wire.open(self._url, self._token)
        feed = await reader.events(f"/v1/matches/{match}/feed?after=1&seat={seat}")
        since: float | None = None  # when all that the match waits for became a bot's decision
        while True:
            event = json.loads(await feed.next())
            action = event.get("action") or {}
            self.timeouts += action.get("type") == "timeout" and action.get("seat") != seat
            if since is not None:
                self.waits.append(time.perf_counter() - since)
                since = None
            if not event["to_act"]:
                break
            if seat not in event["to_act"]:
                since = time.perf_counter()
                continue
            await asyncio.sleep(self._dice.expovariate(1 / self._think))
            await self._act(match, seat)
        feed.close()

    async def _act(self, match: str, seat: str) -> None:
        """Refused where the match has moved on; its newest event is still to be read then."""
        listed: Any = await self._wire.json("GET", f"/v1/matches/{match}/actions?seat={seat}")
        if not listed["actions"]:
            return
        act = {"type": "act", "seat": seat, "action": choose(listed["actions"], self._dice)}
        await self._wire.request("POST", f"/v1/matches/{match}/commands", json.dumps(act).encode())


def of_bots(pid: int) -> list[int]:
    return [
        child
        for child in children(pid)
        if "warlog_bots" in Path(f"/proc/{child}/cmdline").read_text(errors="replace")
    ]


def figures(server: WarlogServer) -> dict[str, float]:
    text = urllib.request.urlopen(server.metrics[0]).read().decode()
    lines = (line.rsplit(" ", 1) for line in text.splitlines() if line.startswith("warlog_bot_"))
    return {name: float(value) for name, value in lines}


async def idle(seconds: float, bots: int) -> Idle:
    """A server without bots, then one with them."""
    with tempfile.TemporaryDirectory(prefix="warlog-bots-") as data:
        shares = {}
        for count in (0, bots):
            folder = Path(data, str(count))
            with WarlogServer(folder, environment={**UNLIMITED, "WARLOG_BOTS": str(count)}) as server:
                await asyncio.sleep(STARTING_SECONDS)
                pids = [server.pid, *children(server.pid)]
                shares[count] = await shares_of(pids, seconds)
                print(
                    f"  {count} processes of bots, no match: {shares[count]:.2f} % of a core, of all processes"
                )
        show("for having bots", f"{shares[bots] - shares[0]:.2f} % of a core")
        return Idle(shares[bots] - shares[0])


async def shares_of(pids: list[int], seconds: float) -> float:
    """Per cent of a core, of all of them together."""
    before, began = sum(map(cpu_seconds, pids)), time.perf_counter()
    await asyncio.sleep(seconds)
    return 100 * (sum(map(cpu_seconds, pids)) - before) / (time.perf_counter() - began)


async def measure(given: argparse.Namespace) -> list[Served]:
    """Up to the first number of matches with which somebody waits too long, or a bot loses on time."""
    found: list[Served] = []
    for matches in map(int, given.matches.split(",")):
        found.append(await measure_matches(given, matches))
        if not is_good(found[-1]):
            break
    return found


def is_good(served: Served) -> bool:
    return served.longest <= SECONDS_MAX and served.timeouts == 0


async def measure_matches(given: argparse.Namespace, matches: int) -> Served:
    with (
        tempfile.TemporaryDirectory(prefix="warlog-bots-") as data,
        WarlogServer(Path(data), environment={**UNLIMITED, "WARLOG_BOTS": str(given.bots)}) as server,
    ):
        games = itertools.cycle(given.games.split(","))
        people = [
            Person(server.url, next(games), given.level, given.think, number, given.move_seconds)
            for number in range(matches)
        ]
        while len(of_bots(server.pid)) < given.bots:
            await asyncio.sleep(0.1)
        await asyncio.sleep(STARTING_SECONDS)
        if given.core is not None:
            for pid in of_bots(server.pid):
                os.sched_setaffinity(pid, {given.core})
        playing = []
        for start in range(0, len(people), OPENING_AT_ONCE):
            some = people[start : start + OPENING_AT_ONCE]
            await asyncio.gather(*(person.come() for person in some))
            playing += [asyncio.create_task(person.play()) for person in some]
        await asyncio.sleep(given.settle)
        for person in people:
            person.waits.clear()
        pids = {"server": server.pid, **{f"bots {n}": pid for n, pid in enumerate(of_bots(server.pid))}}
        before, counted, began = (
            {n: cpu_seconds(pid) for n, pid in pids.items()},
            figures(server),
            time.time(),
        )
        await asyncio.sleep(given.seconds)
        took = time.time() - began
        after = figures(server)
        failed = [task for task in playing if task.done()]
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        for task in failed:
            task.result()
        print(f"  {matches} matches of {given.games} against level {given.level}:")
        waits = sorted(wait for person in people for wait in person.waits)
        median, last, longest = waits[len(waits) // 2], waits[int(0.99 * len(waits))], waits[-1]
        show("actions of bots that a match waited for", f"{len(waits):,}, {len(waits) / took:.1f} a second")
        show("its wait, median, p99, longest", f"{median:.2f}, {last:.2f}, {longest:.2f} s")
        timeouts = sum(person.timeouts for person in people)
        show(f"time-outs of bots, of clocks of {given.move_seconds} s", str(timeouts))
        more = {name: after[name] - counted[name] for name in counted}
        searches = more["warlog_bot_searches_total"]
        iterations = more["warlog_bot_iterations_total"]
        show("searches", f"{searches:,.0f}, of {iterations / max(searches, 1):,.0f} iterations")
        show(
            "late, conflicts, failures",
            ", ".join(
                f"{more[f'warlog_bot_{name}_total']:.0f}" for name in ("late", "conflicts", "failures")
            ),
        )
        shares = [f"{n} {100 * (cpu_seconds(pid) - before[n]) / took:.0f} %" for n, pid in pids.items()]
        show("of a core", ", ".join(shares))
        return Served(
            matches,
            given.level,
            given.move_seconds,
            len(waits),
            median,
            last,
            longest,
            iterations / max(searches, 1),
            timeouts,
        )


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--matches", default="200", help="at once; several numbers, with commas between them")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--settle", type=float, default=20, help="before it is measured")
    parser.add_argument("--level", type=int, default=8)
    parser.add_argument("--think", type=float, default=4, help="mean seconds of a person's thinking")
    parser.add_argument("--bots", type=int, default=1, help="processes")
    parser.add_argument("--core", type=int, help="on which they run, all of them")
    parser.add_argument("--move-seconds", type=int, default=20, help="clock of each action; 0: none")
    parser.add_argument("--games", default="hex,junqi,universal,wec,confrontation")
    parser.add_argument("--results", type=Path, help="also of the ladder: JSON lines, for docs/STRENGTH.md")
    parser.add_argument("--idle", type=float, default=0, help="seconds without a match, instead of matches")
    return parser


def main() -> None:
    parser = arguments()
    given = parser.parse_args()
    if given.results and not given.idle and (given.core is None or given.bots != 1):
        parser.error("--results are of one process on one core: give --core, and no --bots")
    if given.idle:
        found: list[Served | Idle] = [asyncio.run(idle(given.idle, given.bots))]
    else:
        found = [*asyncio.run(measure(given))]
    if given.results is not None:
        with given.results.open("ab") as file:
            file.writelines(msgspec.json.encode(one) + b"\n" for one in found)
    if not all(isinstance(one, Idle) or is_good(one) for one in found):
        sys.exit(1)


if __name__ == "__main__":
    main()
