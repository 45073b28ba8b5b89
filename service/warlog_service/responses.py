"""Answers as the server sends them: a status, a prepared list of headers and bytes that were rendered once.

Litestar takes an ASGI application as a handler's result and sends it as it is; its own Response would build
header objects, a media type and an encoder for each answer anew.
"""

from __future__ import annotations

from typing import Any, Protocol

import msgspec
from litestar.types import HTTPResponseBodyEvent, HTTPResponseStartEvent, Receive, Scope, Send

Headers = list[tuple[bytes, bytes]]

JSON = (b"content-type", b"application/json")
PROBLEM = (b"content-type", b"application/problem+json")
TEXT = (b"content-type", b"text/plain; charset=utf-8")
MARKDOWN = (b"content-type", b"text/markdown; charset=utf-8")
PRIVATE: Headers = [(b"cache-control", b"private, no-store"), (b"vary", b"Authorization, Cookie")]
"""What depends on who asks is kept by nobody."""
PUBLIC: Headers = [(b"cache-control", b"no-cache"), (b"vary", b"Authorization, Cookie")]
"""What everybody gets alike may be kept, and is asked for again with its ETag."""

BODILESS = (204, 304)
LARGE_BYTES = 256 * 1024
"""Larger answers are sent in pieces of this size."""

encode = msgspec.json.Encoder().encode


CONNECTION = "warlog.connection"
"""The ASGI extension (`scope["extensions"]`) by which our own server (server.py) offers `ClientConnection`."""


class ClientConnection(Protocol):
    """The connection of a request, for what `receive` and `send` do in pieces that are awaited one by one. Who is
    told no may ask the same of `receive` and `send`: nothing has been done."""

    def take_body(self) -> bytes | None:
        """The whole body, where all of it has come; the next call gets None."""
        ...

    def answer(self, answer: Answer) -> bool:
        """Writes a whole answer, where that is possible at once."""
        ...

    def add_headers(self, headers: Headers) -> None:
        """The answer to the request has these headers, too."""
        ...

    def push(self, piece: bytes) -> bool:
        """Writes the next piece of a streaming answer that has begun, made by `chunk`. False: the connection is full
        or gone. No one can call `send` who is not a coroutine."""
        ...

    def is_full(self) -> bool:
        """Would `send` wait for the peer to take something?"""
        ...

    def cut(self, piece: bytes) -> None:
        """Ends a streaming answer that the peer does not read, and the connection: `piece`, which has not been through
        `chunk`, is the last one. Waits for no room; the peer has a bounded time to take what waits."""
        ...


def connection_of(scope: Scope) -> ClientConnection | None:
    """None under any other server."""
    try:
        connection: ClientConnection = scope["extensions"][CONNECTION]  # type: ignore[index, assignment]
    except (KeyError, TypeError):
        return None
    return connection


def chunk(piece: bytes) -> bytes:
    """A piece of a body as it is sent where nobody knows the whole length (RFC 9112, 7.1)."""
    return b"%x\r\n%b\r\n" % (len(piece), piece)


class Answer(msgspec.Struct, gc=False):
    """One whole answer; an ASGI application."""

    status: int
    headers: Headers
    body: bytes

    def write_now(self, scope: Scope) -> bool:
        """Writes it without being awaited. False: that is not possible, and nothing has been done."""
        connection = connection_of(scope)
        if len(self.body) > LARGE_BYTES or connection is None or not connection.answer(self):
            return False
        scope["state"]["status"] = self.status  # for the metrics
        return True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.write_now(scope):
            return
        scope["state"]["status"] = self.status
        headers = self.headers
        if self.status not in BODILESS:
            headers = [*headers, (b"content-length", b"%d" % len(self.body))]
        start: HTTPResponseStartEvent = {
            "type": "http.response.start",
            "status": self.status,
            "headers": headers,
        }
        await send(start)
        # In pieces, each of which waits until the connection has room: it would keep a copy of what it has not sent.
        left = memoryview(self.body)
        while True:
            piece, left = bytes(left[:LARGE_BYTES]), left[LARGE_BYTES:]
            body: HTTPResponseBodyEvent = {
                "type": "http.response.body",
                "body": piece,
                "more_body": len(left) > 0,
            }
            await send(body)
            if not left:
                return


def private(content: Any, status: int = 200, *extra: tuple[bytes, bytes]) -> Answer:
    """JSON for this caller alone."""
    return Answer(status, [JSON, *PRIVATE, *extra], encode(content))


def public(content: Any, *extra: tuple[bytes, bytes]) -> Answer:
    """JSON that is the same for everybody."""
    return Answer(200, [JSON, *PUBLIC, *extra], encode(content))


def not_modified(tag: bytes, caching: Headers) -> Answer:
    """304: the reader's copy is still right."""
    return Answer(304, [*caching, (b"etag", tag)], b"")


def matches(if_none_match: str | None, tag: bytes) -> bool:
    """Does an If-None-Match header name this entity tag? (RFC 9110, 13.1.2: weak comparison)"""
    if not if_none_match:
        return False
    wanted = tag.decode("ascii")
    return any(one.strip().removeprefix("W/") in ("*", wanted) for one in if_none_match.split(","))
