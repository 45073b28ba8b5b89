"""Server-Sent Events: what all open streams have in common, whatever they tell."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, nullcontext, suppress

from litestar.types import Receive, Scope, Send

from warlog_events.errors import Unavailable, WarlogError
from warlog_events.players.accounts import Caller
from warlog_events.reading.feed import SlowReader
from warlog_service import auth
from warlog_service.backend import Service
from warlog_service.requests import until_gone
from warlog_service.responses import PRIVATE, ClientConnection, chunk, connection_of

HEARTBEAT = b'event: heartbeat\ndata: {"type":"heartbeat"}\n\n'
CHUNK = chunk(HEARTBEAT)
TOGETHER_SECONDS = 0.05  # heartbeats that are due within this time are sent at once
HEADERS = [(b"content-type", b"text/event-stream"), *PRIVATE, (b"x-accel-buffering", b"no")]


class EventStream(ABC):
    """One answer, for as long as it is open; an ASGI application. It counts among the feeds of its caller (or of his
    address, without a token), and ends when he leaves or loses his token, or at shutdown.

    The task of the request writes, and waits for the connection while its buffer is full. A second one sends
    heartbeats, and notices what ends the stream from outside."""

    def __init__(self, service: Service, caller: Caller | None) -> None:
        self._service = service
        self._caller = caller
        self._writing = False
        self._written = 0  # how often
        self._stuck = False

    @abstractmethod
    async def follow(self, scope: Scope, send: Send) -> str:
        """Writes what there is to tell until the stream ends; gives the code with which it does."""

    @abstractmethod
    def close(self, code: str) -> None:
        """End it from outside, after what waits has been delivered."""

    async def write(self, send: Send, chunk: bytes, *, more: bool = True) -> None:
        self._writing = True
        await send({"type": "http.response.body", "body": chunk, "more_body": more})
        self._writing = False
        self._written += 1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        service, state = self._service, scope["state"]
        state["status"], state["stream"] = 200, True
        if state.get("head"):
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            await self.write(send, b"", more=False)
            return
        if service.closing:  # perhaps only since it was asked for: nobody would tell it to end any more
            raise Unavailable("The server is going down; connect again soon.")
        who = self._caller.id if self._caller else auth.address(self._service, scope)
        service.limits.feeds.enter(who)
        service.feeds.add(self)
        writer = asyncio.current_task()
        assert writer is not None
        connection = connection_of(scope)
        companion = asyncio.create_task(self._accompany(receive, send, connection, writer))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            code = SlowReader.code  # if it is cut
            try:
                with self._while_valid():
                    if await self._revoked():  # since it was looked at
                        self.close("unauthenticated")
                    code = await self.follow(scope, send)
                await self.write(send, _closing(code), more=False)
            except asyncio.CancelledError:
                if not self._stuck or connection is None:
                    raise
                connection.cut(_closing(code))
            service.metrics.feeds_closed.labels(code).inc()
        finally:
            companion.cancel()
            service.feeds.discard(self)
            service.limits.feeds.leave(who)

    async def _accompany(
        self, receive: Receive, send: Send, connection: ClientConnection | None, writer: asyncio.Task[object]
    ) -> None:
        """Heartbeats, and the end of a connection that is gone, or stuck for a whole heartbeat."""
        leaving = asyncio.create_task(self._close_when_gone(receive))
        full, written = False, 0
        try:
            while True:
                was_full, had_written = full, written
                await asyncio.sleep(_until_beat(self._service.settings.feed_heartbeat_ms / 1000))
                full, written = self._is_full(connection), self._written
                if full and was_full and written == had_written:
                    self._stuck = True
                    writer.cancel()
                    return
                if await self._revoked():
                    self.close("unauthenticated")
                elif not self._is_full(connection):  # a heartbeat that waits would not see that nothing moves
                    await self._beat(send, connection)
        finally:
            leaving.cancel()

    async def _close_when_gone(self, receive: Receive) -> None:
        await until_gone(receive)
        self.close("gone")

    async def _beat(self, send: Send, connection: ClientConnection | None) -> None:
        if connection is None or not connection.push(CHUNK):
            await send({"type": "http.response.body", "body": HEARTBEAT, "more_body": True})

    def _while_valid(self) -> AbstractContextManager[None]:
        """Within it the stream is closed as soon as the token is revoked."""
        if self._caller is None:
            return nullcontext()
        accounts = self._service.backend.accounts
        return accounts.staying(self._caller, lambda: self.close("unauthenticated"))

    def _is_full(self, connection: ClientConnection | None) -> bool:
        return self._writing or (connection is not None and connection.is_full())

    async def _revoked(self) -> bool:
        """Has the token been revoked, here or elsewhere? Redis being away is no reason to end."""
        with suppress(WarlogError):
            return self._caller is not None and not await self._service.backend.accounts.valid(self._caller)
        return False


def _until_beat(seconds: float) -> float:
    """`seconds`, lengthened to end at a multiple of TOGETHER_SECONDS: many streams wake up a process less often."""
    due = asyncio.get_running_loop().time() + seconds
    return seconds + -due % TOGETHER_SECONDS


def _closing(code: str) -> bytes:
    return b'event: closing\ndata: {"type":"closing","code":"%b"}\n\n' % code.encode()
