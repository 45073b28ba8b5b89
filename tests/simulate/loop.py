# What asyncio does not declare is used here, and nowhere else: its handles, and its two queues of them.
# mypy: disable-error-code="attr-defined,override"
# pyright: reportAttributeAccessIssue=false, reportIncompatibleMethodOverride=false
"""An event loop whose time is a number: it never waits, it goes on to the next thing that is due.

A `Process` is one simulated operating system process. What runs in its context (tasks, callbacks, timers, and whatever
they start) belongs to it: when it is killed nothing of it runs any more, no `finally` either; when it stands still
all of it waits.
"""

from __future__ import annotations

import asyncio
import heapq
import selectors
from asyncio import events
from collections.abc import Callable, Iterable
from contextvars import Context, ContextVar, copy_context
from typing import Any

PROCESS: ContextVar[Process | None] = ContextVar("PROCESS", default=None)


class Deadlock(RuntimeError):
    """Nothing is due, and nothing will ever be."""


class Process:
    """name     for the timeline
    context  of everything that it does
    """

    def __init__(self, name: str, loop: VirtualLoop) -> None:
        self.name = name
        self.alive = True
        self.steps_left: int | None = None  # until it is killed; None: nobody kills it
        self.on_death: list[Callable[[], None]] = []
        self._loop = loop
        self._waiting: list[events.Handle] | None = None  # while it stands still
        self.context = Context()
        self.context.run(PROCESS.set, self)

    def kill(self) -> None:
        if self.alive:
            self.alive = False
            for told in self.on_death:
                told()

    def stand_still(self) -> None:
        if self._waiting is None:
            self._waiting = []

    def go_on(self) -> None:
        waiting, self._waiting = self._waiting or [], None
        self._loop.enqueue(waiting)

    def may_run(self, handle: events.Handle) -> bool:
        if not self.alive:
            return False
        if self._waiting is not None:
            self._waiting.append(handle)
            return False
        if self.steps_left is not None:
            self.steps_left -= 1
            if self.steps_left < 0:
                self.kill()
                return False
        return True


class _Handle(events.Handle):
    __slots__ = ("process",)

    def _run(self) -> None:
        if self.process.may_run(self):
            super()._run()


class _Timer(events.TimerHandle):
    """Of two that are due at the same time the one that was made first comes first."""

    __slots__ = ("number", "process")

    def __lt__(self, other: Any) -> bool:
        return bool((self._when, self.number) < (other._when, other.number))

    def _run(self) -> None:
        if self.process is None or self.process.may_run(self):
            super()._run()


class _Clock(selectors.SelectSelector):
    """Instead of waiting, time goes on. There are no sockets to look at."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise Deadlock("everybody waits for somebody else")
        self.now += max(timeout, 0.0)
        return []


async def _no_network(factory: Callable[[], asyncio.BaseProtocol], path: str | None) -> Any:
    raise OSError("there is no network")


class _NoServer:
    """What a simulated process listens on besides HTTP: nobody connects."""

    def close(self) -> None: ...


class VirtualLoop(asyncio.SelectorEventLoop):
    """dial            what a connection to a unix socket becomes: (protocol factory, path) → (transport, protocol)
    thread_seconds  how long work in a thread takes
    """

    def __init__(self, thread_seconds: Callable[[], float]) -> None:
        self._clock = _Clock()
        super().__init__(self._clock)
        self._clock_resolution = 1e-9
        self._thread_seconds = thread_seconds
        self.dial: Callable[..., Any] = _no_network
        self.steps = 0
        self._timers = 0

    def forget(self) -> None:
        """Nothing is due any more."""
        self._ready.clear()
        self._scheduled.clear()

    def time(self) -> float:
        return self._clock.now

    def enqueue(self, handles: Iterable[events.Handle]) -> None:
        self._ready.extend(handles)

    def _call_soon(
        self, callback: Callable[..., Any], args: Any, context: Context | None = None
    ) -> events.Handle:
        context = copy_context() if context is None else context
        process = context.get(PROCESS)
        self.steps += 1
        handle: events.Handle
        if process is None:
            handle = events.Handle(callback, args, self, context)
        else:
            handle = _Handle(callback, args, self, context)
            handle.process = process
        self._ready.append(handle)
        return handle

    def call_at(
        self, when: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> events.TimerHandle:
        context = copy_context() if context is None else context
        timer = _Timer(when, callback, args, self, context)
        timer.process = context.get(PROCESS)
        self._timers += 1
        timer.number = self._timers
        heapq.heappush(self._scheduled, timer)
        timer._scheduled = True
        return timer

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:
        """The work is done at once; the loop hears of it after as long as it might have taken."""
        future = self.create_future()
        try:
            done, failed = func(*args), None
        except BaseException as error:
            done, failed = None, error

        def settle() -> None:
            if not future.done():
                if failed is None:
                    future.set_result(done)
                else:
                    future.set_exception(failed)

        self.call_later(self._thread_seconds(), settle)
        return future

    async def create_unix_connection(
        self, protocol_factory: Callable[[], asyncio.BaseProtocol], path: str | None = None, **options: Any
    ) -> tuple[asyncio.Transport, asyncio.BaseProtocol]:
        found: tuple[asyncio.Transport, asyncio.BaseProtocol] = await self.dial(protocol_factory, path)
        return found

    async def create_server(self, *arguments: Any, **options: Any) -> Any:
        return _NoServer()
