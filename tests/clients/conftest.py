"""Every test of the SDK runs once with the blocking client and once with the asyncio one."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from contextlib import aclosing
from itertools import islice
from typing import Any, Literal

import pytest

from warlog_client import AsyncClient, Client, Event, Notice, Retry

AT_ONCE = Retry(attempts=4, wait_s=0.0)


class Speaker:
    """One sort of client behind blocking calls, so that a test is written once."""

    def __init__(self, kind: Literal["sync", "async"]) -> None:
        self.kind = kind

    def call(
        self, url: str, do: Callable[[Any], Any], *, token: str | None = None, retry: Retry = AT_ONCE
    ) -> Any:
        """What `do(client)` gives; an iterator is read to its end."""
        if self.kind == "sync":
            with Client(url, token, retry=retry) as client:
                result = do(client)
                return list(result) if inspect.isgenerator(result) else result
        return asyncio.run(self._await(url, do, token, retry))

    async def _await(self, url: str, do: Callable[[Any], Any], token: str | None, retry: Retry) -> Any:
        async with AsyncClient(url, token, retry=retry) as client:
            result = do(client)
            return [item async for item in result] if inspect.isasyncgen(result) else await result

    def follow(
        self,
        url: str,
        match: str,
        count: int,
        *,
        token: str | None = None,
        retry: Retry = AT_ONCE,
        **how: Any,
    ) -> list[Event]:
        """The next `count` events of a feed."""
        return self.take(url, lambda client: client.feed(match, **how), count, token, retry)

    def follow_personal(
        self, url: str, count: int, *, token: str | None = None, retry: Retry = AT_ONCE, **how: Any
    ) -> list[Notice]:
        """The next `count` notices."""
        return self.take(url, lambda client: client.personal_feed(**how), count, token, retry)

    def take(
        self, url: str, feed: Callable[[Any], Any], count: int, token: str | None, retry: Retry
    ) -> list[Any]:
        if self.kind == "sync":
            with Client(url, token, retry=retry) as client:
                return list(islice(feed(client), count))
        return asyncio.run(self._take(url, feed, count, token, retry))

    async def _take(
        self, url: str, followed: Callable[[Any], Any], count: int, token: str | None, retry: Retry
    ) -> list[Any]:
        events: list[Any] = []
        async with (
            AsyncClient(url, token, retry=retry) as client,
            aclosing(followed(client)) as feed,
        ):
            async for event in feed:
                events.append(event)
                if len(events) == count:
                    break
        return events


@pytest.fixture(params=["sync", "async"])
def speaker(request: pytest.FixtureRequest) -> Speaker:
    return Speaker(request.param)
