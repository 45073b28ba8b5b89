"""The two clients: what `endpoints` and `namespaces` describe is sent; `request` says when to wait, `feed` how to
follow."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from functools import cache
from types import TracebackType
from typing import Self, TypeVar

import httpx
from httpx_sse import EventSource

from .events import Event, Notice
from .feed import Follower, MatchFollower, NoticeFollower, StreamEnded, Survivable
from .models import PairingEntry, Seats
from .namespaces import Calls
from .request import Outcome, Page, Request, Retry, exchange, refusal

T = TypeVar("T")

TIMEOUT_S = 10.0
WAIT_S = 5
"""For which a waiting player's question stays open; no more than half of the timeout."""
SILENCE_S = 40.0
"""A feed that is silent for longer than two heartbeats and a bit is taken for dead."""


# Every feed keeps a connection to itself for as long as it lasts, so there is no limit to them here.
_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=20)


@cache
def _tls() -> ssl.SSLContext:
    """One for the process: reading the certificates takes longer than twenty calls do."""
    return httpx.create_ssl_context()


def _headers(token: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


class Client(Calls):
    """Warlog, blocking. `url` is the service's, without `/v1`; without a token one reads public things only.
    `transport`: how httpx is to reach it, for a proxy or in tests.

    May be shared between threads. Holds connections: close it, or use it in a `with` statement."""

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
        retry: Retry | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._http = httpx.Client(
            base_url=url,
            headers=_headers(token),
            timeout=timeout_s,
            limits=_LIMITS,
            verify=_tls(),
            transport=transport,
        )
        self._retry = retry or Retry()
        self._wait_s = max(1, min(WAIT_S, int(timeout_s / 2)))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def send(self, request: Request[T]) -> T:
        """One call, repeated where that is safe."""
        course = exchange(request, self._retry)
        wait = next(course)
        while True:
            time.sleep(wait)
            try:
                outcome: Outcome = self._http.request(
                    request.method,
                    request.path,
                    params=request.query,
                    headers=request.headers,
                    content=request.body,
                    timeout=request.timeout_s or self._http.timeout,
                )
            except httpx.TransportError as error:
                outcome = error
            try:
                wait = course.send(outcome)
            except StopIteration as done:
                reply: T = done.value
                return reply

    def pages(self, first: Request[Page[T]]) -> Iterator[T]:
        """The items of a page and of all that follow it, each page asked for when it is needed."""
        request: Request[Page[T]] | None = first
        while request is not None:
            page = self.send(request)
            yield from page.items
            request = page.rest

    def paired(self, entry: str) -> PairingEntry:
        """Waits until the entry is over: with a match, it is to be hoped (`status`, `match`)."""
        while not (found := self.pairing(entry, wait_s=self._wait_s)).is_over:
            pass
        return found

    def feed(
        self, match: str, *, seat: Seats = None, after: int = 0, silence_s: float = SILENCE_S
    ) -> Iterator[Event]:
        """Every event after that version as these seats may see it, once and in order, then
        each new one as it happens, without end; leave the loop when you have seen enough.

        Reconnects by itself and goes on after the last event received. Raises the refusal of the service,
        BrokenFeed, or Unreachable once it has tried as often as `retry` says without receiving anything."""
        return self._follow(MatchFollower(match, seat, after, silence_s, self._retry))

    def personal_feed(self, *, after: str | None = None, silence_s: float = SILENCE_S) -> Iterator[Notice]:
        """What happens to you in all your matches, once and in order, without end; leave the loop when you have seen
        enough.

        Without `after` (the `id` of a notice) it begins with `ready`: ask for your matches then, and what happens from
        then on follows. `reset` comes where notices have been lost: ask for your matches again. Ignore types that you
        do not know. Reconnects by itself, and raises as `feed` does."""
        return self._follow(NoticeFollower(after, silence_s, self._retry))

    def _follow(self, follower: Follower[T]) -> Iterator[T]:
        while True:
            lost: Exception = StreamEnded()
            try:
                with self._http.stream("GET", **follower.request()) as response:
                    if not response.is_success:
                        response.read()
                        raise refusal(response)
                    for message in EventSource(response).iter_sse():
                        if (event := follower.receive(message)) is not None:
                            yield event
            except Survivable as error:
                lost = error
            time.sleep(follower.interrupted(lost))


class AsyncClient(Calls):
    """Warlog for asyncio; otherwise as `Client`. Close it, or use it in an `async with` statement."""

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
        retry: Retry | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._http = httpx.AsyncClient(
            base_url=url,
            headers=_headers(token),
            timeout=timeout_s,
            limits=_LIMITS,
            verify=_tls(),
            transport=transport,
        )
        self._retry = retry or Retry()
        self._wait_s = max(1, min(WAIT_S, int(timeout_s / 2)))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def send(self, request: Request[T]) -> T:
        """One call, repeated where that is safe."""
        course = exchange(request, self._retry)
        wait = next(course)
        while True:
            await asyncio.sleep(wait)
            try:
                outcome: Outcome = await self._http.request(
                    request.method,
                    request.path,
                    params=request.query,
                    headers=request.headers,
                    content=request.body,
                    timeout=request.timeout_s or self._http.timeout,
                )
            except httpx.TransportError as error:
                outcome = error
            try:
                wait = course.send(outcome)
            except StopIteration as done:
                reply: T = done.value
                return reply

    async def pages(self, first: Request[Page[T]]) -> AsyncIterator[T]:
        """The items of a page and of all that follow it, each page asked for when it is needed."""
        request: Request[Page[T]] | None = first
        while request is not None:
            page = await self.send(request)
            for item in page.items:
                yield item
            request = page.rest

    async def paired(self, entry: str) -> PairingEntry:
        """As `Client.paired`."""
        while not (found := await self.pairing(entry, wait_s=self._wait_s)).is_over:
            pass
        return found

    def feed(
        self, match: str, *, seat: Seats = None, after: int = 0, silence_s: float = SILENCE_S
    ) -> AsyncGenerator[Event, None]:
        """As `Client.feed`. Where the loop is left early, `contextlib.aclosing` around the feed closes its
        connection at once instead of some time later."""
        return self._follow(MatchFollower(match, seat, after, silence_s, self._retry))

    def personal_feed(
        self, *, after: str | None = None, silence_s: float = SILENCE_S
    ) -> AsyncGenerator[Notice, None]:
        """As `Client.personal_feed`; for leaving the loop early, as `feed`."""
        return self._follow(NoticeFollower(after, silence_s, self._retry))

    async def _follow(self, follower: Follower[T]) -> AsyncGenerator[T, None]:
        while True:
            lost: Exception = StreamEnded()
            try:
                async with self._http.stream("GET", **follower.request()) as response:
                    if not response.is_success:
                        await response.aread()
                        raise refusal(response)
                    async for message in EventSource(response).aiter_sse():
                        if (event := follower.receive(message)) is not None:
                            yield event
            except Survivable as error:
                lost = error
            await asyncio.sleep(follower.interrupted(lost))
