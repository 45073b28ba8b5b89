"""`warlog serve --workers N`: one listening socket, N processes that accept from it, and this one beside them.

    SIGTERM, SIGINT   every worker finishes what it has begun, then all is over
    SIGHUP            one worker after the other is replaced by a new one, which runs the code that is installed now

The sockets stay open here as long as this process lives, so a connection that comes while workers change waits in the
kernel's queue and is accepted by the next: on the public one by any worker, on that of a place's metrics by the worker
in that place. The embedded Redis is started here and nowhere else. A worker that dies, or no longer answers, is
replaced; what was durable is all that the others need to go on with its matches.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import signal
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

import msgspec

from warlog_events.redis.connection import Connection, open_redis
from warlog_service import server
from warlog_service.settings import PORT_MAX, BadSettings, Settings
from warlog_service.sockets import bound, url_of
from warlog_service.worker import Boot

log = logging.getLogger("warlog.supervisor")

START_SECONDS_MAX = 60.0
END_SECONDS_MAX = 30.0  # more than a worker gives its connections (server.py)
ASK_EVERY_SECONDS = 5.0
SILENCE_SECONDS_MAX = 30.0
PAUSE_SECONDS_MIN, PAUSE_SECONDS_MAX = 0.1, 30.0  # before a worker that died young is replaced
YOUNG_SECONDS = 10.0


class DidNotStart(Exception):
    """A worker ended, or said nothing, at the very start. It has said why itself."""


class Worker:
    """A serving process, as its supervisor sees it."""

    def __init__(self, process: asyncio.subprocess.Process, number: str) -> None:
        self._process = process
        self.number = number
        self._is_up = asyncio.Event()
        self._started_at = self._heard_at = time.monotonic()
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, boot: Boot) -> Self:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "warlog_service.worker"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            pass_fds=[boot.listener, boot.metrics],
            start_new_session=True,  # a Ctrl-C is for the supervisor, which tells the workers
        )
        worker = cls(process, boot.number)
        worker._say(msgspec.json.encode(boot))
        return worker

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def age_seconds(self) -> float:
        return time.monotonic() - self._started_at

    async def comes_up(self) -> bool:
        """True when it accepts connections; False when it has ended, or nothing has come of it."""
        waiting = [asyncio.ensure_future(self._is_up.wait()), self._listening]
        await asyncio.wait(waiting, timeout=START_SECONDS_MAX, return_when=asyncio.FIRST_COMPLETED)
        waiting[0].cancel()
        return self._is_up.is_set() and not self._listening.done()

    async def gone(self) -> int:
        """Its exit code, when it has ended, by itself or, since it no longer answered, by a kill."""
        while True:
            with suppress(TimeoutError):
                return await asyncio.wait_for(self._process.wait(), ASK_EVERY_SECONDS)
            self._say(b"")
            patience = SILENCE_SECONDS_MAX if self._is_up.is_set() else START_SECONDS_MAX
            if time.monotonic() - self._heard_at > patience:
                log.error("worker %d has not answered for %.0f seconds and is killed", self.pid, patience)
                self._kill()

    async def end(self) -> None:
        """Lets it finish what it has begun; kills it if that takes too long."""
        with suppress(ProcessLookupError):
            self._process.terminate()
        try:
            await asyncio.wait_for(self._process.wait(), END_SECONDS_MAX)
        except TimeoutError:
            log.error("worker %d does not end and is killed", self.pid)
            self._kill()
            await self._process.wait()

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()

    def _say(self, line: bytes) -> None:
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():
            self._process.stdin.write(line + b"\n")

    async def _listen(self) -> None:
        """Until its standard output ends. Its first line says that it listens, the others that it lives."""
        assert self._process.stdout is not None
        while await self._process.stdout.readline():
            self._heard_at = time.monotonic()
            self._is_up.set()


class Supervisor:
    def __init__(self, settings: Settings, listener: socket.socket, metrics: Sequence[socket.socket]) -> None:
        """`settings` are the workers'; there are as many as sockets for `metrics`, one for each place."""
        self._settings = settings
        self._listener = listener
        self._metrics = metrics
        self._ended = [0] * len(metrics)  # by themselves, in each place
        self._places: list[Worker] = []  # the worker that serves in each place
        self._all: set[Worker] = set()  # also those that are coming and going
        self._change = asyncio.Lock()  # held while a place gets another worker
        self._wanted = asyncio.Event()  # a rolling restart

    async def start(self) -> None:
        """Raises DidNotStart."""
        self._places = [await self._new(place) for place in range(len(self._metrics))]
        if not all(await asyncio.gather(*(worker.comes_up() for worker in self._places))):
            raise DidNotStart

    async def keep(self) -> None:
        """For ever: there is a living worker in every place."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._roll_when_wanted())
            for place in range(len(self._places)):
                tasks.create_task(self._keep_place(place))

    async def end(self) -> None:
        await asyncio.gather(*(worker.end() for worker in self._all))

    def roll(self) -> None:
        """Every worker is replaced, one after the other; after that once more, if one is under way."""
        self._wanted.set()

    async def _new(self, place: int) -> Worker:
        taken = {worker.number for worker in self._all}
        number = next(number for number in map(str, itertools.count()) if number not in taken)
        listener, metrics = self._listener.fileno(), self._metrics[place].fileno()
        worker = await Worker.start(Boot(self._settings, listener, metrics, number, self._ended[place]))
        self._all.add(worker)
        return worker

    async def _keep_place(self, place: int) -> None:
        pause = PAUSE_SECONDS_MIN
        while True:
            worker = self._places[place]
            code = await worker.gone()
            self._all.discard(worker)
            if self._places[place] is not worker:
                continue  # it went because another has come
            self._ended[place] += 1
            log.error("worker %d ended with code %d after %.0f s", worker.pid, code, worker.age_seconds)
            pause = PAUSE_SECONDS_MIN if worker.age_seconds > YOUNG_SECONDS else pause * 2
            await asyncio.sleep(min(pause, PAUSE_SECONDS_MAX))
            async with self._change:
                if self._places[place] is worker:
                    self._places[place] = await self._new(place)

    async def _roll_when_wanted(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            for place in range(len(self._places)):
                async with self._change:
                    if not await self._replace(place):
                        break

    async def _replace(self, place: int) -> bool:
        old, new = self._places[place], await self._new(place)
        if not await new.comes_up():
            log.error("a new worker does not come up: the old ones stay")
            await new.end()
            self._all.discard(new)
            return False
        self._places[place] = new
        log.info("worker %d takes the place of %d", new.pid, old.pid)
        await old.end()
        self._all.discard(old)
        return True


async def supervise(settings: Settings) -> None:
    """Until SIGTERM or SIGINT. Raises OSError (an address), BadSettings, DidNotStart, and what `open_redis` raises."""
    if settings.metrics_port + settings.workers - 1 > PORT_MAX:
        raise BadSettings(f"WARLOG_METRICS_PORT: there are not {settings.workers} ports from there on")
    listener = bound(settings.host, settings.port)
    metrics = [
        bound(settings.metrics_host, settings.metrics_port and settings.metrics_port + place)
        for place in range(settings.workers)
    ]
    redis: Connection | None = None
    if settings.redis is None:
        redis = await open_redis(
            None,
            Path(settings.data),
            settings.durability,
            buckets=settings.buckets,
            memory_bytes=settings.redis_bytes_max,
            ballast_bytes=settings.ballast_bytes,
        )
        path = (await redis.locate()).path
        settings = msgspec.structs.replace(settings, redis=f"unix://{path}")
    supervisor = Supervisor(settings, listener, metrics)
    loop = asyncio.get_running_loop()
    keeping = asyncio.current_task()
    assert keeping is not None
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, keeping.cancel)
    loop.add_signal_handler(signal.SIGHUP, supervisor.roll)
    try:
        await supervisor.start()
        heard = server.listening(listener, [f"{url_of(one)}/metrics" for one in metrics])
        print(msgspec.json.encode(heard).decode(), flush=True)
        await supervisor.keep()
    except asyncio.CancelledError:
        keeping.uncancel()
    finally:
        await supervisor.end()
        for one in (listener, *metrics):
            one.close()
        if redis is not None:
            await redis.close()
