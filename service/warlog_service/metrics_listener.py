"""`GET /metrics` on a port of its own: the figures of one process, for Prometheus and for nobody else.

The public port does not have them: they are for operators (docs/SECURITY.md). Each worker of a supervisor has a port,
too, the supervisor's setting plus the worker's place; a worker that replaces another takes over its socket, so that
to Prometheus a restart is an ordinary reset of counters.

What is spoken is the least of HTTP that Prometheus needs: one request without a body, one answer, and the connection
is closed. Each connection gets so many bytes and seconds, and there is room for so many at once.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress

from prometheus_client import CollectorRegistry, generate_latest

from warlog_service.sockets import url_of

HEAD_BYTES_MAX = 8192
SECONDS_MAX = 5.0  # from the connection to the answer's last byte
CONNECTIONS_MAX = 16

TEXT = "text/plain; version=0.0.4; charset=utf-8"


class MetricsListener:
    def __init__(self, registry: CollectorRegistry, listener: socket.socket) -> None:
        self._registry = registry
        self._listener = listener
        self._server: asyncio.Server | None = None
        self._connections = 0
        self.url = f"{url_of(listener)}/metrics"

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._serve, sock=self._listener, limit=HEAD_BYTES_MAX)

    def close(self) -> None:
        """No further connection is accepted here; those that wait are for the next process on this socket."""
        if self._server is None:
            self._listener.close()
        else:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections += 1
        try:
            if self._connections <= CONNECTIONS_MAX:
                with suppress(
                    TimeoutError, asyncio.LimitOverrunError, asyncio.IncompleteReadError, ConnectionError
                ):
                    async with asyncio.timeout(SECONDS_MAX):
                        writer.write(self._answer(await reader.readuntil(b"\r\n\r\n")))
                        await writer.drain()
        finally:
            self._connections -= 1
            writer.close()

    def _answer(self, head: bytes) -> bytes:
        method, _, rest = head.partition(b" ")
        path = rest.partition(b" ")[0].partition(b"?")[0]
        if path != b"/metrics":
            return _response("404 Not Found", b"Only /metrics is here.\n")
        if method != b"GET":
            return _response("405 Method Not Allowed", b"Only GET is allowed.\n", "allow: GET\r\n")
        return _response("200 OK", generate_latest(self._registry))


def _response(status: str, body: bytes, more: str = "") -> bytes:
    head = (
        f"HTTP/1.1 {status}\r\ncontent-type: {TEXT}\r\ncontent-length: {len(body)}\r\n"
        f"cache-control: no-store\r\nconnection: close\r\n{more}\r\n"
    )
    return head.encode() + body
