"""uvicorn as Warlog runs it: one line on stdout says the address; at the end no answer that is on its way is lost."""

from __future__ import annotations

import asyncio
import gc
import os
import secrets
import socket
from contextlib import suppress
from typing import Any, Protocol, cast

import msgspec
import uvicorn
import uvloop
from litestar.types import Receive, Scope, Send

from warlog_service.responses import Answer
from warlog_service.settings import Settings
from warlog_service.sockets import local_url_of, url_of
from warlog_service.uvicorn_protocol import WarlogProtocol

IDLE_SECONDS = 75
"""After which a connection without a request is closed. A proxy in front keeps it for less time (RUNBOOK.md)."""


class Front(Protocol):
    """What is served: an ASGI application that can end its feeds. It may have a `turned_away` (uvicorn_protocol.py:
    TurnedAway), `metrics_urls`, and `listens_on`, which is told how this machine reaches it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def close_feeds(self) -> None: ...


def _as_it_is(address: str, answer: Answer) -> Answer:
    return answer


class Listening(msgspec.Struct, tag="listening", tag_field="event"):
    """The one line on stdout, for whoever started the server with port 0. `metrics`: one URL for each worker."""

    url: str
    pid: int
    metrics: list[str]


class Server(uvicorn.Server):
    """Says where it listens, and lets go of its connections without losing what is on its way over them."""

    def __init__(self, config: uvicorn.Config, front: Front, drain_ms: int = 0) -> None:
        super().__init__(config)
        self._front = front
        self._drain_seconds = drain_ms / 1000

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            listener = self.servers[0].sockets[0]
            heard = listening(listener, getattr(self._front, "metrics_urls", []))
            getattr(self._front, "listens_on", lambda url: None)(local_url_of(listener))
            print(msgspec.json.encode(heard).decode(), flush=True)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """New connections go elsewhere, or are refused. On those that are open each request that comes is answered
        as the last one, feeds end with a word, and what is still idle after a while is closed."""
        for server in self.servers:
            server.close()
        for listener in sockets or ():
            listener.close()
        cast(type[WarlogProtocol], self.config.http_protocol_class).draining = True
        for connection in cast(set[WarlogProtocol], self.server_state.connections):
            if connection.cycle is not None:
                connection.cycle.keep_alive = False
        await self._front.close_feeds()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._drain_seconds):
                while self.server_state.connections:
                    await asyncio.sleep(0.02)
        await super().shutdown(sockets)
        self._captured_signals.clear()  # uvicorn would raise them again; to have been asked to end is no failure


def listening(listener: socket.socket, metrics: list[str]) -> Listening:
    return Listening(url_of(listener), os.getpid(), metrics)


def config(app: Front, settings: Settings) -> uvicorn.Config:
    protocol = type(
        "Configured",
        (WarlogProtocol,),
        {
            "header_bytes_max": settings.header_bytes_max,
            "request_seconds_max": settings.request_seconds_max,
            "turned_away": staticmethod(getattr(app, "turned_away", _as_it_is)),
            # A test world answers the same requests with the same bytes.
            "request_prefix": secrets.token_hex(4).encode() if settings.test_world is None else None,
        },
    )
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
        "timeout_keep_alive": IDLE_SECONDS,
        "timeout_graceful_shutdown": 10,
    }
    return uvicorn.Config(app, **options)


async def serve(front: Front, settings: Settings, listener: socket.socket | None = None) -> None:
    """Until SIGTERM or SIGINT. What fails at the start (Redis, a port in use) is raised, or ends the process
    with a word. `listener`: of a supervisor, instead of one of our own."""
    await front.start()
    # Objects made at the start are frozen, and small thresholds keep each collection short. A full collection is rare:
    # neither requests nor connections make cycles.
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 20, 2_000)
    try:
        server = Server(config(front, settings), front, settings.drain_ms)
        await server.serve(None if listener is None else [listener])
    finally:
        await front.stop()


def run(front: Front, settings: Settings, listener: socket.socket | None = None) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(front, settings, listener))
