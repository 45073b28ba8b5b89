"""A small HTTP/1.1 client for load: one keep-alive connection, no library between it and the socket.

httpx costs more per request than the server does; on two cores it would measure itself.
"""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

import msgspec


class Wire:
    """Requests on one connection, one after another."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, headers: bytes) -> None:
        self._reader = reader
        self._writer = writer
        self._headers = headers
        self.sent_bytes = 0  # bodies
        self.received_bytes = 0  # bodies

    @classmethod
    async def open(cls, url: str, token: str | None = None) -> Wire:
        parts = urlsplit(url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port, limit=1 << 24)
        headers = f"host: {parts.netloc}\r\ncontent-type: application/json\r\n"
        if token:
            headers += f"authorization: Bearer {token}\r\n"
        return cls(reader, writer, headers.encode())

    async def request(
        self, method: str, path: str, body: bytes | None = None, key: str = ""
    ) -> tuple[int, bytes]:
        """Status and body. key: an Idempotency-Key, "" for none."""
        head = b"%s %s HTTP/1.1\r\n%b" % (method.encode(), path.encode(), self._headers)
        if key:
            head += b"idempotency-key: %b\r\n" % key.encode()
        if body is not None:
            head += b"content-length: %d\r\n" % len(body)
            self.sent_bytes += len(body)
        self._writer.write(head + b"\r\n" + (body or b""))
        status, length = await self._head()
        answer = await self._reader.readexactly(length)
        self.received_bytes += length
        return status, answer

    async def json(self, method: str, path: str, body: object = None, key: str = "") -> dict[str, object]:
        """The decoded answer of a request that must succeed."""
        raw = None if body is None else msgspec.json.encode(body)
        status, answer = await self.request(method, path, raw, key)
        if status >= 300:
            raise RuntimeError(f"{method} {path}: {status} {answer[:500]!r}")
        decoded: dict[str, object] = msgspec.json.decode(answer)
        return decoded

    async def _head(self) -> tuple[int, int]:
        head = await self._reader.readuntil(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        length = 0
        for line in lines[1:]:
            if line[:15].lower() == b"content-length:":
                length = int(line[15:])
        return int(lines[0].split(b" ", 2)[1]), length

    async def events(self, path: str) -> EventStream:
        """Turns this connection into the reader of a feed."""
        self._writer.write(
            b"GET %s HTTP/1.1\r\n%baccept: text/event-stream\r\n\r\n" % (path.encode(), self._headers)
        )
        status, _ = await self._head()
        if status != 200:
            raise RuntimeError(f"GET {path}: {status}")
        return EventStream(self._reader, self._writer)

    def close(self) -> None:
        self._writer.close()


class EventStream:
    """The data of Server-Sent Events, out of a chunked body."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._text = b""
        self.received_bytes = 0

    async def next(self) -> bytes:
        """The data of the next event that is not a heartbeat."""
        while True:
            end = self._text.find(b"\n\n")
            while end < 0:
                size = int(await self._reader.readuntil(b"\r\n"), 16)
                if size == 0:
                    raise ConnectionError("the feed has ended")
                chunk = await self._reader.readexactly(size + 2)
                self._text += chunk[:-2]
                self.received_bytes += size
                end = self._text.find(b"\n\n")
            block, self._text = self._text[:end], self._text[end + 2 :]
            if b"event: heartbeat" not in block and (at := block.find(b"data: ")) >= 0:
                return block[at + 6 :]

    def close(self) -> None:
        self._writer.close()
