"""Every test of the SDK runs once with the blocking client and once with the asyncio one."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from contextlib import aclosing
from itertools import islice
from typing import Any, Literal

import pytest

from warlog_client import AsyncClient, Client, Event, Retry

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
        if self.kind == "sync":
            with Client(url, token, retry=retry) as client:
                return list(islice(client.feed(match, **how), count))
        return asyncio.run(self._follow(url, match, count, token, retry, how))

    async def _follow(
        self, url: str, match: str, count: int, token: str | None, retry: Retry, how: dict[str, Any]
    ) -> list[Event]:
        events: list[Event] = []
        async with (
            AsyncClient(url, token, retry=retry) as client,
            aclosing(client.feed(match, **how)) as feed,
        ):
            async for event in feed:
                events.append(event)
                if len(events) == count:
                    break
        return events


@pytest.fixture(params=["sync", "async"])
def speaker(request: pytest.FixtureRequest) -> Speaker:
    return Speaker(request.param)
