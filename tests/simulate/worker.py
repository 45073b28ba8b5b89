"""The processes of Warlog: the service's own code, each with a machine of its own, whose clock may be wrong."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import logging
from typing import Any

from litestar import Litestar

import warlog_service.app
from tests.simulate.loop import Process, VirtualLoop
from tests.simulate.network import Network
from tests.simulate.redis_process import EPOCH_US
from warlog_events.clock_and_random import World
from warlog_events.reading.feed import Feed
from warlog_events.standing import standings
from warlog_service.app import Front
from warlog_service.backend import Service
from warlog_service.settings import Durability, Settings
from warlog_service.sse import EventStream

BUCKETS = 2
UNLIMITED: dict[str, Any] = {
    "counted_any_options": True,
    "requests_per_caller": 0,
    "requests_per_address": 0,
    "commands_per_caller": 0,
    "accounts_per_address": 0,
    "failures_per_address": 0,
    "stake_matches_min": 0,
    "counted_matches_per_day": 0,
}


def settings_for(redis_path: str, durability: Durability) -> Settings:
    return Settings(
        redis=f"unix://{redis_path}",
        durability=durability,
        buckets=BUCKETS,
        bots=0,
        compare_seconds=5.0,
        pairing_seconds=30,
        **UNLIMITED,
    )


class Machine:
    """What a process takes from outside: time that may jump and drift, and random bytes that the seed decides."""

    def __init__(self, loop: VirtualLoop, seed: str) -> None:
        self._loop = loop
        self._seed = seed
        self._asked = 0
        self.ahead_s = 0.0
        self.fast = 0.0  # seconds gained in each second
        self._fast_since = 0.0

    def drift(self, fast: float) -> None:
        now = self._loop.time()
        self.ahead_s += self.fast * (now - self._fast_since)
        self.fast, self._fast_since = fast, now

    def clock_ms(self) -> int:
        now = self._loop.time()
        wrong = self.ahead_s + self.fast * (now - self._fast_since)
        return EPOCH_US // 1000 + int((now + wrong) * 1000)

    def random(self, count: int) -> bytes:
        self._asked += 1
        return hashlib.shake_256(f"{self._seed}/{self._asked}".encode()).digest(count)

    @property
    def world(self) -> World:
        return World(self.clock_ms, self.random, is_fixed=False)


class Worker:
    """One place for a process: when it is killed another one begins there."""

    def __init__(self, loop: VirtualLoop, network: Network, settings: Settings, seed: str, name: str) -> None:
        self._loop = loop
        self._network = network
        self.settings = settings
        self._seed = seed
        self.name = name
        self.starts = 0
        self.machine = Machine(loop, "")
        self.process: Process
        self.front: Front
        self.keep: list[Any] = []  # the dead: what is freed later runs no `finally` in the midst of a seed

    def start(self) -> None:
        self.starts += 1
        ahead = self.machine.ahead_s
        self.machine = Machine(self._loop, f"{self._seed}/{self.name}/{self.starts}")
        self.machine.ahead_s = ahead
        self.process = Process(self.name, self._loop)
        self._network.timeline.note(f"{self.name} starts")

        def make() -> Front:
            service = Service(self.settings, self._loop.time, serves=True, machine=self.machine.world)
            return Front(self.settings, service)

        self.front = self.process.context.run(make)
        self.keep.append(self.front)
        self.run(self.front.start())

    @property
    def backend(self) -> Any:
        return self.front.service._backend

    def run(self, work: Any) -> asyncio.Task[Any]:
        """In the process's own context."""
        task = self._loop.create_task(work, context=self.process.context.copy())
        self.keep.append(task)
        return task

    def kill(self) -> None:
        self._network.timeline.note(f"{self.name} is killed")
        self.process.kill()

    async def stop(self) -> None:
        """As the operator does."""

        async def stop() -> None:
            await self.front.close_feeds()
            await self.front.stop()

        await self.run(stop())


_made = warlog_service.app.create_app
_apps: list[Litestar] = []


class Apps:
    """Litestar takes half a second to make an application: each is used again with another service."""

    def __init__(self) -> None:
        self._free = [*_apps]

    def __enter__(self) -> None:
        warlog_service.app.create_app = self._create_app

    def __exit__(self, *exc: object) -> None:
        warlog_service.app.create_app = _made

    def _create_app(self, service: Service) -> Litestar:
        if not self._free:
            _apps.append(_made(service))
            return _apps[-1]
        app = self._free.pop()
        app.state["service"] = service
        return app


logging.getLogger("warlog").setLevel(logging.CRITICAL + 1)


def _numbered(self: Any) -> int:
    """In a set, objects come in the order of their addresses, which is another one in each run."""
    number: int | None = self.__dict__.get("simulated_number")
    if number is None:
        number = self.__dict__["simulated_number"] = next(_numbers)
    return number


_numbers = itertools.count()


def begin_numbers() -> None:
    """What processes count outside of their objects begins anew with each seed."""
    global _numbers
    _numbers = itertools.count()
    standings._resets = itertools.count()


for kept_in_sets in (Feed, EventStream):
    kept_in_sets.__hash__ = _numbered  # type: ignore[method-assign]
