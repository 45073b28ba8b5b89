"""uvicorn as Warlog runs it: problems instead of plain text, bounded headers, one line that says the address."""

from __future__ import annotations

import asyncio
import os
import socket
from typing import Any, Protocol

import msgspec
import uvicorn
import uvloop
from litestar.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from warlog_service import problems
from warlog_service.settings import Settings


class Front(Protocol):
    """What is served: an ASGI application that can end its feeds."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def close_feeds(self) -> None: ...


class WarlogProtocol(HttpToolsProtocol):
    """HTTP/1.1 whose own refusals carry a code, and which does not collect headers without end."""

    header_bytes_max = 32_768

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._header_bytes = 0

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        self._count(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        self._count(len(name) + len(value) + 4)

    def _count(self, more: int) -> None:
        self._header_bytes += more
        if self._header_bytes > self.header_bytes_max:
            raise ValueError("headers too large")  # comes out of the parser as HttpParserError

    def send_400_response(self, msg: str) -> None:
        # The client sees this only if it has sent its whole request; a connection with unread input is reset.
        if self._header_bytes > self.header_bytes_max:
            answer = problems.problem(
                "headers_too_large", f"more than {self.header_bytes_max} bytes of headers"
            )
        else:
            answer = problems.problem("malformed_request", "this is not HTTP/1.1")
        lines = [b"HTTP/1.1 %d Bad Request" % answer.status]
        lines += [b"%s: %s" % header for header in answer.headers]
        lines += [b"content-length: %d" % len(answer.body), b"connection: close", b"", answer.body]
        self.transport.write(b"\r\n".join(lines))
        self.transport.close()


class Listening(msgspec.Struct, tag="listening", tag_field="event"):
    """The one line on stdout, for whoever started the server with port 0."""

    url: str
    pid: int


class Server(uvicorn.Server):
    """Says where it listens, and lets open feeds end themselves before it waits for connections to close."""

    def __init__(self, config: uvicorn.Config, front: Front) -> None:
        super().__init__(config)
        self._front = front

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            shown = f"[{host}]" if ":" in host else host
            print(msgspec.json.encode(Listening(f"http://{shown}:{port}", os.getpid())).decode(), flush=True)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._front.close_feeds()
        await super().shutdown(sockets)
        self._captured_signals.clear()  # uvicorn would raise them again; to have been asked to end is no failure


def config(app: Front, settings: Settings) -> uvicorn.Config:
    protocol = type("Configured", (WarlogProtocol,), {"header_bytes_max": settings.header_bytes_max})
    options: dict[str, Any] = {
        "host": settings.host,
        "port": settings.port,
        "loop": "uvloop",
        "http": protocol,
        "ws": "none",
        "lifespan": "off",  # serve() starts and stops what the application stands on
        "access_log": False,
        "log_level": "warning",
        "server_header": False,
        "date_header": settings.test_world is None,
        "proxy_headers": False,
        "timeout_keep_alive": 75,
        "timeout_graceful_shutdown": 10,
    }
    return uvicorn.Config(app, **options)  # type: ignore[arg-type]  # ASGI as Litestar and as uvicorn spell it


async def serve(front: Front, settings: Settings) -> None:
    """Until SIGTERM or SIGINT. What fails at the start (Redis, a port in use) is raised, or ends the process with a word."""
    await front.start()
    try:
        await Server(config(front, settings), front).serve()
    finally:
        await front.stop()


def run(front: Front, settings: Settings) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(front, settings))
