"""Work on whole matches (verify, export, import, the history of a long match): a few at a time, the others in a queue,
neither for one caller alone. What a version of a match has led to is kept, because it never changes.

Beyond the bounds a request is refused at once, with `Retry-After`: 429 where the caller has too many under way himself,
503 where all have.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import NamedTuple

from litestar.types import Receive, Scope, Send

from warlog_events.errors import TooManyRequests, Unavailable
from warlog_service.responses import LARGE_BYTES, Answer
from warlog_service.settings import Settings

CALLER_RETRY_SECONDS = 2.0
RETRY_SECONDS = 10.0
KEPT_SHARE = 4  # results may be kept up to a fourth of `heavy_bytes_max`


class Result(NamedTuple):
    """A body, and the version after which the next page begins, None where there is none."""

    body: bytes
    next: int | None = None


class Heavy:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._turns = asyncio.Semaphore(settings.heavy_at_once)
        self._of: dict[str, int] = {}  # caller or address → its requests under way
        self._making: dict[Hashable, asyncio.Task[Result]] = {}
        self._kept: OrderedDict[Hashable, Result] = OrderedDict()
        self.under_way = 0  # requests that wait, or are worked on
        self.kept_bytes = 0
        self.held_bytes = 0  # of bodies that are being read, and of large answers that are being sent

    async def result(self, who: str, key: Hashable, make: Callable[[], Awaitable[Result]]) -> Result:
        """What `make` gives; made once for all who ask for the same `key` at the same time, and kept for later.

        Raises TooManyRequests, Unavailable, and what `make` raises."""
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
            return kept
        with self.admitted(who):
            task = self._making.get(key)
            if task is None:
                task = self._making[key] = asyncio.create_task(self._make(key, make))
                task.add_done_callback(lambda _: self._making.pop(key, None))
            return await asyncio.shield(task)

    async def _make(self, key: Hashable, make: Callable[[], Awaitable[Result]]) -> Result:
        async with self._turns:
            result = await make()
        most = self._settings.heavy_bytes_max // KEPT_SHARE
        if len(result.body) <= most:
            self._kept[key] = result
            self.kept_bytes += len(result.body)
            while self.kept_bytes > most:
                _, gone = self._kept.popitem(last=False)
                self.kept_bytes -= len(gone.body)
        return result

    @asynccontextmanager
    async def turn(self, who: str) -> AsyncIterator[None]:
        """One of the few places for such work, waited for in the queue. Raises TooManyRequests, Unavailable."""
        with self.admitted(who):
            async with self._turns:
                yield

    @contextmanager
    def admitted(self, who: str) -> Iterator[None]:
        """One of the places in the queue. Raises TooManyRequests, Unavailable."""
        settings = self._settings
        own = self._of.get(who, 0)
        if settings.heavy_per_caller and own >= settings.heavy_per_caller:
            raise TooManyRequests(
                CALLER_RETRY_SECONDS,
                "heavy_per_caller",
                f"at most {settings.heavy_per_caller} such requests of yours at a time: wait for their answers",
            )
        if self.under_way >= settings.heavy_at_once + settings.heavy_waiting:
            raise _busy()
        self._of[who] = own + 1
        self.under_way += 1
        try:
            yield
        finally:
            self.under_way -= 1
            left = self._of.pop(who) - 1
            if left:
                self._of[who] = left

    @contextmanager
    def holding(self, size: int) -> Iterator[None]:
        """So many bytes in memory for one request. Raises Unavailable where too many are already."""
        if self.held_bytes and self.held_bytes + size > self._settings.heavy_bytes_max:
            raise _busy()
        self.held_bytes += size
        try:
            yield
        finally:
            self.held_bytes -= size


class Large:
    """An answer that may be large: its bytes are counted for as long as the reader takes. An ASGI application."""

    def __init__(self, heavy: Heavy, answer: Answer) -> None:
        self._heavy = heavy
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        size = len(self._answer.body)
        with self._heavy.holding(size if size > LARGE_BYTES else 0):
            await self._answer(scope, receive, send)


def _busy() -> Unavailable:
    busy = Unavailable("too many whole matches are being worked on: come again later")
    busy.retry_after = RETRY_SECONDS
    return busy
