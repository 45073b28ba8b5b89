"""Analyses of boards: questions of readers, which the programs of the house's bots answer.

The programs may run anywhere, and reach any process of the service over HTTP; so the questions wait in Redis
(redis/lua/analysis.lua). The reader's process keeps his question alive: it is deleted when he disconnects or that
process ends. If a program dies with a question, another program gets it, once.
"""

import asyncio
import time
from contextlib import suppress

from msgspec import Struct

from .clock_and_random import World
from .errors import TooManyRequests, Unavailable
from .redis import keys
from .redis.connection import Connection
from .redis.wire import Reply

WAITING_MAX = 32
PATIENCE_SECONDS = 20.0
SILENT_MS = 4_000
LOOK_EVERY_SECONDS = 0.25  # for what happens in other processes
CALLER_RETRY_SECONDS = 1.0
RETRY_SECONDS = 10.0


class Taken(Struct, frozen=True):
    """A question that a program has taken. `number`: the first program's is 1."""

    id: str
    number: int
    question: bytes


class Analyses:
    def __init__(self, connection: Connection, world: World, *, silent_ms: int = SILENT_MS) -> None:
        """`silent_ms`: a program of which nothing has been heard for so long is dead."""
        self._silent_ms = silent_ms
        self._pipe = connection.pipe
        self._world = world
        self._news = asyncio.Event()

    async def ask(self, who: str, question: bytes) -> bytes:
        """The answer of a program. `who`: the player, or the address of somebody without an account.

        Raises TooManyRequests, Unavailable."""
        id = self._world.new_id("an_")
        match await self._step("ask", id, who, question, WAITING_MAX):
            case b"busy":
                detail = "One analysis at a time: your last one is not finished."
                raise TooManyRequests(CALLER_RETRY_SECONDS, "analyses_per_caller", detail)
            case b"full":
                raise _unavailable("Too many analyses are waiting for the computer; come again later.")
        self._tell()
        try:
            return await self._answer(id)
        finally:
            with suppress(Unavailable):
                await asyncio.shield(self._step("drop", id))

    async def _answer(self, id: str) -> bytes:
        ends = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < ends:
            news = self._news
            match await self._step("look", id, self._silent_ms):
                case [answer]:
                    return bytes(answer)
                case b"died":
                    raise _unavailable("The program that was analysing this failed twice; try again later.")
                case b"gone":
                    break
            await _soon(news)
        raise _unavailable(
            "The computer has no time for an analysis now: matches come first. Try again later."
        )

    async def take(self, seconds: float) -> Taken | None:
        """For a program: the next question; None where none comes within so many seconds."""
        ends = time.monotonic() + seconds
        while True:
            news = self._news
            if (found := await self._step("take")) is not None:
                id, number, question = found
                return Taken(str(id, "ascii"), number, bytes(question))
            if time.monotonic() >= ends:
                return None
            await _soon(news)

    async def beat(self, id: str, number: int) -> bool:
        """The program is still at it. False: nobody waits for it any more."""
        return bool(await self._step("beat", id, number))

    async def answer(self, id: str, number: int, answer: bytes) -> bool:
        """False as above."""
        known = bool(await self._step("answer", id, number, answer))
        self._tell()
        return known

    async def _step(self, *words: str | int | bytes) -> Reply:
        return await self._pipe.script(
            "analysis", [keys.analyses("waiting")], (keys.analyses(""), *words), write=False
        )

    def _tell(self) -> None:
        """Those who wait in this process look at once."""
        self._news.set()
        self._news = asyncio.Event()


async def _soon(news: asyncio.Event) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(LOOK_EVERY_SECONDS):
            await news.wait()


def _unavailable(detail: str) -> Unavailable:
    error = Unavailable(detail)
    error.retry_after = RETRY_SECONDS
    return error
