"""Work on whole matches (verify, export, import, the history of a long match): a few at a time, the others in a queue,
of which no caller and no address gets all places. Results are cached by version, because they never change.

Beyond the bounds a request is refused at once, with `Retry-After`: 429 where the caller has too many under way himself,
503 where all have. The same holds for the bytes of large bodies and answers, counted as they come, whatever
`Content-Length` says.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import NamedTuple, Self

from litestar.types import Receive, Scope, Send

from warlog_events.errors import TooManyRequests, Unavailable
from warlog_service.responses import LARGE_BYTES, Answer
from warlog_service.settings import Settings

CALLER_RETRY_SECONDS = 2.0
RETRY_SECONDS = 10.0
KEPT_SHARE = 4  # results may be kept up to a fourth of `heavy_bytes_max`
OWN_SHARE = 4  # a caller or an address holds at most a fourth of it
ADDRESS_SHARE = 2  # the callers of one address have at most half of all places


class Asker(NamedTuple):
    """By whom work is counted: the player, and the address that he comes from. Without a token both are the address."""

    caller: str
    address: str


class Result(NamedTuple):
    """A body, and the version after which the next page begins, None where there is none."""

    body: bytes
    next: int | None = None


class Heavy:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._turns = asyncio.Semaphore(settings.heavy_at_once)
        self._of: Counter[str] = Counter()  # caller or address → its requests under way
        self.held_by: Counter[str] = Counter()  # caller or address → of `held_bytes`
        self._making: dict[Hashable, asyncio.Task[Result]] = {}
        self._kept: OrderedDict[Hashable, Result] = OrderedDict()
        self.under_way = 0  # requests that wait, or are worked on
        self.kept_bytes = 0
        self.held_bytes = 0  # of bodies that are being read, and of large answers that are being sent

    async def result(self, who: Asker, key: Hashable, make: Callable[[], Awaitable[Result]]) -> Result:
        """What `make` gives; made once for all who ask for the same `key` at the same time, and kept for later.

        Raises TooManyRequests, Unavailable, and what `make` raises."""
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
            return kept
        with self.place(who), self._counted():
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
    async def turn(self, who: Asker) -> AsyncIterator[None]:
        """One of the few places for such work, waited for in the queue. Raises TooManyRequests, Unavailable."""
        with self.place(who):
            async with self.queued():
                yield

    @asynccontextmanager
    async def queued(self) -> AsyncIterator[None]:
        """`turn` for who has a place already. Raises Unavailable."""
        with self._counted():
            async with self._turns:
                yield

    @contextmanager
    def _counted(self) -> Iterator[None]:
        if self.under_way >= self._places:
            raise _busy()
        self.under_way += 1
        try:
            yield
        finally:
            self.under_way -= 1

    @contextmanager
    def place(self, who: Asker) -> Iterator[None]:
        """One of the caller's own places, which others do not need: to be taken before a body is read.
        Raises TooManyRequests."""
        most = self._settings.heavy_per_caller
        limits = {who.address: max(most, self._places // ADDRESS_SHARE)} | {who.caller: most}
        for name, limit in limits.items():
            if most and self._of[name] >= limit:
                whose = "yours" if name == who.caller else "your address"
                raise TooManyRequests(
                    CALLER_RETRY_SECONDS,
                    "heavy_per_caller" if name == who.caller else "heavy_per_address",
                    f"There may be {limit} such requests of {whose} at a time. Wait for an answer first.",
                )
        self._of.update(limits.keys())
        try:
            yield
        finally:
            _take(self._of, dict.fromkeys(limits, 1))

    def holding(self, who: Asker) -> Held:
        """Counts the bytes in memory for one request."""
        return Held(self, self._settings.heavy_bytes_max, who)

    @property
    def _places(self) -> int:
        return self._settings.heavy_at_once + self._settings.heavy_waiting


class Held:
    """The bytes of one request that are in memory, given back when the context ends. The first LARGE_BYTES do not
    count, as on other routes: there is always room for small imports."""

    def __init__(self, heavy: Heavy, most: int, who: Asker) -> None:
        self._heavy = heavy
        self._most = most
        self._who = set(who)
        self._come = self._size = 0

    def add(self, more: int) -> None:
        """So many more have come. Raises TooManyRequests where the caller or his address holds too many, Unavailable
        where all do; alone a request may hold any number."""
        heavy = self._heavy
        self._come += more
        more = max(0, self._come - LARGE_BYTES) - self._size
        for name in self._who:
            others = heavy.held_by[name] - self._size
            if others and more and others + self._size + more > self._most // OWN_SHARE:
                raise TooManyRequests(
                    CALLER_RETRY_SECONDS,
                    "heavy_bytes_max",
                    "Other large requests of yours, or of your address, are under way. Wait until they end.",
                )
        others = heavy.held_bytes - self._size
        if others and more and others + self._size + more > self._most:
            raise _busy()
        self._size += more
        heavy.held_bytes += more
        for name in self._who:
            heavy.held_by[name] += more

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._heavy.held_bytes -= self._size
        _take(self._heavy.held_by, dict.fromkeys(self._who, self._size))


class Large:
    """An answer that may be large: its bytes are counted for as long as the reader takes. An ASGI application."""

    def __init__(self, heavy: Heavy, who: Asker, answer: Answer) -> None:
        self._heavy = heavy
        self._who = who
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._heavy.holding(self._who) as held:
            held.add(len(self._answer.body))
            await self._answer(scope, receive, send)


def _take(counter: Counter[str], less: dict[str, int]) -> None:
    """Callers of whom there is nothing left are forgotten."""
    counter.subtract(less)
    for name in less:
        if not counter[name]:
            del counter[name]


def _busy() -> Unavailable:
    busy = Unavailable("The server is working on too many whole matches; come again later.")
    busy.retry_after = RETRY_SECONDS
    return busy
