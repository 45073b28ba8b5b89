"""The processes that play the house's bots: started, watched, replaced when they die, ended with this one.

They are programs of their own (`python -m warlog_bots.house`), at low priority, and know the service by its public URL
alone. Each plays its share of the matches; what a dead one had begun, its successor goes on with.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

import msgspec
from msgspec import Struct

from warlog_events.match.bots import LEVELS
from warlog_events.players.house import token_of

log = logging.getLogger("warlog.bots")

ASK_EVERY_SECONDS = 5.0
SILENCE_SECONDS_MAX = 60.0  # a search of a starved process may take long
END_SECONDS_MAX = 5.0
PAUSE_SECONDS_MIN, PAUSE_SECONDS_MAX = (
    0.2,
    30.0,
)  # before a process that died is replaced; longer if it died young
YOUNG_SECONDS = 10.0


class Figures(Struct, frozen=True):
    """Of one process since it began, as it tells them (warlog_bots/thinker.py)."""

    searches: int = 0
    iterations: int = 0
    search_ms: float = 0.0
    waiting: int = 0
    analyses: int = 0
    conflicts: int = 0
    failures: int = 0
    late: int = 0


class Bots:
    def __init__(self, processes: int, budget: float, *, json: bool = True) -> None:
        """`budget`: processor seconds per second, of each process."""
        self.processes = processes
        self.ended = 0  # processes that ended by themselves
        self._budget = budget
        self._json = json
        self._now = [Figures()] * processes
        self._before = [Figures()] * processes  # of the processes that are gone

    def total(self, name: str) -> float:
        """Of a figure, or `ended`, over all processes that there have been."""
        if name == "ended":
            return float(self.ended)
        return float(sum(getattr(one, name) for one in (*self._before, *self._now)))

    def waiting(self) -> float:
        """Decisions that wait for a search now."""
        return sum(one.waiting for one in self._now)

    async def keep(self, url: str, secret: Callable[[], Awaitable[str]]) -> None:
        """For ever: so many processes play on this service. `secret`: the house's, asked for before each start, because
        a process ends when it is void."""
        async with asyncio.TaskGroup() as tasks:
            for place in range(self.processes):
                tasks.create_task(self._keep_one(place, url, secret))

    async def _keep_one(self, place: int, url: str, secret: Callable[[], Awaitable[str]]) -> None:
        pause = PAUSE_SECONDS_MIN
        while True:
            began = time.monotonic()
            known = await secret()
            tokens = {level: token_of(known, level) for level in LEVELS}
            boot = {"url": url, "tokens": tokens, "place": place, "of": self.processes}
            boot |= {"budget": self._budget, "json": self._json}
            code = await self._run(place, msgspec.json.encode(boot))
            age = time.monotonic() - began
            self.ended += 1
            log.error("bots %d ended with code %d after %.0f s", place, code, age)
            pause = PAUSE_SECONDS_MIN if age > YOUNG_SECONDS else min(pause * 2, PAUSE_SECONDS_MAX)
            await asyncio.sleep(pause)

    async def _run(self, place: int, boot: bytes) -> int:
        """One process from its beginning to its end; its exit code."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "warlog_bots.house"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # a Ctrl-C is for this process, which tells the others
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(boot + b"\n")
            while process.returncode is None:
                with suppress(ConnectionError):
                    process.stdin.write(b"\n")
                    await process.stdin.drain()
                try:
                    line = await asyncio.wait_for(process.stdout.readline(), SILENCE_SECONDS_MAX)
                except TimeoutError:
                    log.error("bots %d have not answered for %.0f s", place, SILENCE_SECONDS_MAX)
                    break
                if not line:
                    break
                self._now[place] = msgspec.json.decode(line, type=Figures)
                with suppress(TimeoutError):
                    await asyncio.wait_for(process.wait(), ASK_EVERY_SECONDS)
        finally:
            await self._end(process)
            self._keep_figures(place)
        return process.returncode or 0

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), END_SECONDS_MAX)
        except (TimeoutError, asyncio.CancelledError) as error:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            if isinstance(error, asyncio.CancelledError):
                raise

    def _keep_figures(self, place: int) -> None:
        was, now = self._before[place], self._now[place]
        summed = {
            name: getattr(was, name) + getattr(now, name)
            for name in Figures.__struct_fields__
            if name != "waiting"
        }
        self._before[place], self._now[place] = Figures(**summed), Figures()
