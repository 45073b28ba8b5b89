"""Accounts that an engine plays for, and people who sit across from them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.servers import WarlogServer
from warlog_bots import Engine, Thinker
from warlog_client import AsyncClient, Match, Retry

AT_ONCE = Retry(attempts=20, wait_s=0.02, wait_s_max=0.5)
SECONDS_MAX = 60.0


class Hall:
    """Players of one server. Closed with the test."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.clients: list[AsyncClient] = []
        self.tokens: dict[str, str] = {}  # by id of the account
        self._tasks: list[asyncio.Task[None]] = []
        self._thinkers: list[Thinker] = []

    async def person(self, name: str) -> tuple[AsyncClient, str]:
        """A client with a new account, and the account's id."""
        async with AsyncClient(self.url) as stranger:
            made = await stranger.create_player(name)
        self.tokens[made.player.id] = made.token
        return self.client(made.token), made.player.id

    async def bot(self, level: int = 2, **how: Any) -> str:
        """The id of a new account that an engine plays for."""
        client, player = await self.person(f"bot {level}")
        self.play(client, level, **how)
        return player

    def play(
        self, client: AsyncClient, level: int = 2, thinker: Thinker | None = None, **how: Any
    ) -> asyncio.Task[None]:
        """An engine of its own for this account."""
        thinker = thinker or Thinker()
        self._thinkers.append(thinker)
        task = asyncio.create_task(Engine(client, thinker, level=level, **how).run())
        self._tasks.append(task)
        return task

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for thinker in self._thinkers:
            await thinker.close()
        for client in self.clients:
            await client.close()

    def client(self, token: str, url: str | None = None) -> AsyncClient:
        client = AsyncClient(url or self.url, token, retry=AT_ONCE)
        self.clients.append(client)
        return client


@asynccontextmanager
async def hall_of(url: str) -> AsyncIterator[Hall]:
    hall = Hall(url)
    try:
        yield hall
    finally:
        await hall.close()


@pytest.fixture
async def hall(warlog_server: WarlogServer) -> AsyncIterator[Hall]:
    async with hall_of(warlog_server.url) as one:
        yield one


async def match_once(
    warlog: AsyncClient, match: str, holds: Callable[[Match], object], seconds: float = SECONDS_MAX
) -> Match:
    """The match, when this holds of it."""
    async with asyncio.timeout(seconds):
        while True:
            found = await warlog.match(match)
            if holds(found):
                return found
            await asyncio.sleep(0.05)
