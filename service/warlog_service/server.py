"""uvicorn as Warlog runs it: problems instead of plain text, bounded headers, one line that says the address."""

from __future__ import annotations

import asyncio
import gc
import itertools
import math
import os
import re
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, Protocol, cast

import msgspec
import uvicorn
import uvloop
from litestar.types import HTTPScope, Receive, Scope, Send
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from warlog_service import problems
from warlog_service.answers import BODILESS, WIRE, Answer, Wire
from warlog_service.requests import by_name
from warlog_service.settings import Settings

_CONTROL = re.compile(rb"[\x00-\x1f\x7f]").search
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}").fullmatch
_requests = itertools.count(1)


AtOnce = Callable[[HTTPScope, Wire], bool]
"""Whether it sees to this request from the next turn of the loop on, by the wire alone and without being awaited."""


class Front(Protocol):
    """What is served: an ASGI application that can end its feeds, and may have an `AtOnce` of this name."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def close_feeds(self) -> None: ...


class WarlogProtocol(HttpToolsProtocol):
    """HTTP/1.1 whose own refusals carry a code, and which waits for no request, and collects no headers,
    without end. To the application it is also its `Wire`."""

    header_bytes_max = 32_768
    request_seconds_max = 60.0
    request_prefix: bytes | None = b""  # of the ids that requests get which bring none; None: they get none
    at_once: AtOnce
    draining = False  # set for all connections at once: no further request after the one that is answered
    _in_head = True
    _head_bytes = 0  # of the request that is coming in
    _whole = False  # has the request that was begun come to its end?
    _patience: asyncio.TimerHandle | None = None
    _held: Any = None  # the application for a request whose body, a short one, is still coming
    _serving: asyncio.Task[None]
    # The request that is being answered, or was last; uvicorn's `cycle` is the newest, which may have come behind it.
    _served: RequestResponseCycle | None = None
    _idle_since = math.inf  # loop time; inf: it is not idle

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast(asyncio.Transport, transport))
        self._extensions: Any = {WIRE: self}
        self._patience = self.loop.call_later(self.request_seconds_max, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._patience is not None:
            self._patience.cancel()
        if self.timeout_keep_alive_task is not None:
            self.timeout_keep_alive_task.cancel()
        if (served := self._served) is not None and not served.response_complete:
            served.disconnected = True
            served.message_event.set()
            if self._held is not None:
                served.on_response = _nothing
        super().connection_lost(exc)
        self._extensions.clear()  # scopes hold the connection by it, and it holds them: nothing for the collector

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._whole:
            if self._patience is not None:
                self._patience.cancel()
                self._patience = None
        elif self._patience is None:
            self._patience = self.loop.call_later(self.request_seconds_max, self._give_up)
        # The parser keeps to itself what has not ended yet, so this is counted here; a body in the same
        # packet is no matter.
        if self._in_head and self._head_bytes > self.header_bytes_max and not self.transport.is_closing():
            self._refuse(problems.problem("headers_too_large", f"more than {self.header_bytes_max} bytes"))

    def on_message_begin(self) -> None:
        self._whole = False
        super().on_message_begin()
        self.scope["extensions"] = self._extensions

    def on_headers_complete(self) -> None:
        self._in_head = False
        if self._head_bytes > self.header_bytes_max:  # perhaps; a body may have come with them
            self._head_bytes = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
            if self._head_bytes > self.header_bytes_max:
                raise ValueError("headers too large")  # comes out of the parser as HttpParserError
        super().on_headers_complete()
        self._name_request()
        if self.draining:
            self.cycle.keep_alive = False
        if self._held is not None and self._is_long():
            self._begin(self._held)

    def _name_request(self) -> None:
        """The id under which it is found again in answers, logs and traces: the caller's, if it looks like one."""
        scope: Any = self.scope
        state = scope["state"]
        named = state["headers"] = by_name(self.headers)  # for requests.header
        request_id = None
        if b"x-request-id" in named:
            given = (value for name, value in self.headers if name == b"x-request-id")
            request_id = next(filter(_REQUEST_ID, given), None)
        if request_id is None:
            if self.request_prefix is None:
                return
            request_id = b"%b-%x" % (self.request_prefix, next(_requests))
        state["request_id"] = request_id
        self.cycle.default_headers = [*self.cycle.default_headers, (b"x-request-id", request_id)]

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._served = cycle
        if cycle.more_body and not self._is_long():
            self._held = app  # the end mostly comes in the same packet
        else:
            self._begin(app)

    def _is_long(self) -> bool:
        """May the body be more than uvicorn takes before somebody reads it, or does the client wait for a word?"""
        cycle = self._served
        assert cycle is not None
        scope: Any = cycle.scope
        headers = scope["state"].get("headers")
        if headers is None:
            return False  # asked again when they are there
        length = headers.get(b"content-length")
        if length is None:
            return b"transfer-encoding" in headers
        return cycle.waiting_for_100_continue or int(length) > HIGH_WATER_LIMIT

    def _begin(self, app: Any) -> None:
        self._held = None
        assert self._served is not None
        scope: Any = self._served.scope
        if app is not self.app or not self.at_once(scope, self):
            self.run(app)

    def run(self, app: Any) -> None:
        assert self._served is not None
        self._serving = self.loop.create_task(self._serve(self._served, app))
        self.tasks.add(self._serving)

    async def _serve(self, cycle: RequestResponseCycle, app: Any) -> None:
        """As uvicorn's `run_asgi`, which has its say wherever the application has not answered."""
        task = self._serving
        try:
            await app(cycle.scope, cycle.receive, cycle.send)
            if not (cycle.response_complete or cycle.disconnected):
                await cycle.run_asgi(_unanswered)
        except BaseException as error:
            await cycle.run_asgi(partial(_failed, error))
        finally:
            cycle.on_response = _nothing
            self.tasks.discard(task)

    # As in uvicorn an idle connection is closed after `timeout_keep_alive` seconds; but one timer looks now and then
    # since when it has been idle, instead of one for each answer.

    def on_response_complete(self) -> None:
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        if self.flow.read_paused:
            self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        else:
            self._idle_since = self.loop.time()
            if self.timeout_keep_alive_task is None:
                self._look_again_in(self.timeout_keep_alive)

    def _unset_keepalive_if_required(self) -> None:
        self._idle_since = math.inf

    def timeout_keep_alive_handler(self) -> None:
        self.timeout_keep_alive_task = None
        if self._idle_since == math.inf:
            return  # the answer that is being made begins anew
        left = self._idle_since + self.timeout_keep_alive - self.loop.time()
        if left > 0:
            self._look_again_in(left)
        else:
            super().timeout_keep_alive_handler()

    def _look_again_in(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(seconds, self.timeout_keep_alive_handler)

    # answers.Wire, over what uvicorn keeps of the request that is being served. Whatever is out of the ordinary goes
    # uvicorn's own way: a connection that is full, gone or about to be closed, an answer without a body, a client
    # that waits for `100 Continue`. The connection is the `Wire`, and not an object for each request: that
    # and the request would hold each other, and wait for the collector.

    def body(self) -> bytes | None:
        cycle = self._served
        assert cycle is not None
        if cycle.more_body or cycle.disconnected or cycle.waiting_for_100_continue or self.flow.read_paused:
            return None
        cycle.message_event.clear()  # what `receive` waits for next is the end of the connection
        return bytes(cycle.body)

    def answer(self, answer: Answer) -> bool:
        cycle = self._served
        assert cycle is not None
        if (
            cycle.response_started
            or cycle.disconnected
            or self.transport.is_closing()
            or self.flow.write_paused
            or not cycle.keep_alive
            or cycle.waiting_for_100_continue
            or answer.status in BODILESS
            or cycle.scope["method"] == "HEAD"
            or (lines := _plain_lines(tuple(answer.headers))) is None
        ):
            return False
        head = STATUS_LINE[answer.status]
        for header in cycle.default_headers:
            head += b"%b: %b\r\n" % header
        body = answer.body
        self.transport.write(b"%b%bcontent-length: %d\r\n\r\n%b" % (head, lines, len(body), body))
        cycle.response_started = cycle.response_complete = True
        cycle.message_event.set()
        cycle.on_response()
        cycle.on_response = _nothing  # it holds the connection, which holds the request
        return True

    def push(self, chunk: bytes) -> bool:
        cycle = self._served
        assert cycle is not None
        if (
            self.flow.write_paused
            or self.transport.is_closing()
            or not cycle.chunked_encoding
            or cycle.response_complete
            or cycle.disconnected
        ):
            return False
        self.transport.write(chunk)
        return True

    def on_message_complete(self) -> None:
        self._in_head = self._whole = True
        self._head_bytes = 0
        super().on_message_complete()
        if self._held is not None:
            self._begin(self._held)

    def send_400_response(self, msg: str) -> None:
        if self._head_bytes > self.header_bytes_max:
            self._refuse(problems.problem("headers_too_large", f"more than {self.header_bytes_max} bytes"))
        else:
            self._refuse(problems.problem("malformed_request", "this is not HTTP/1.1"))

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self._refuse(
                problems.problem("request_timeout", f"not whole after {self.request_seconds_max:g} seconds")
            )

    def _refuse(self, answer: Answer) -> None:
        """The client sees it if it has sent its whole request; a connection with unread input is reset."""
        lines = [b"HTTP/1.1 %d Refused" % answer.status, *(b"%b: %b" % header for header in answer.headers)]
        lines += [b"content-length: %d" % len(answer.body), b"connection: close", b"", answer.body]
        self.transport.write(b"\r\n".join(lines))
        self.transport.close()


# Applications, and an `on_response`, for `_serve`.


async def _unanswered(scope: Any, receive: Any, send: Any) -> None:
    pass


async def _failed(error: BaseException, scope: Any, receive: Any, send: Any) -> None:
    raise error


def _nothing() -> None:
    pass


def _never(scope: HTTPScope, wire: Wire) -> bool:
    return False


@lru_cache(maxsize=256)
def _plain_lines(headers: tuple[tuple[bytes, bytes], ...]) -> bytes | None:
    """None where one of them is not plain."""
    lines = [line for header in headers if (line := _plain_line(header)) is not None]
    return b"".join(lines) if len(lines) == len(headers) else None


@lru_cache(maxsize=256)
def _plain_line(header: tuple[bytes, bytes]) -> bytes | None:
    """None: uvicorn has to look at it, as it says what becomes of the connection, or is no header at all."""
    name, value = header[0].lower(), header[1]
    if name == b"connection" or _CONTROL(name) or _CONTROL(value):
        return None
    return b"%b: %b\r\n" % (name, value)


class Listening(msgspec.Struct, tag="listening", tag_field="event"):
    """The one line on stdout, for whoever started the server with port 0."""

    url: str
    pid: int


class Server(uvicorn.Server):
    """Says where it listens, and lets go of its connections without losing what is on its way over them."""

    def __init__(self, config: uvicorn.Config, front: Front, drain_ms: int = 0) -> None:
        super().__init__(config)
        self._front = front
        self._drain_seconds = drain_ms / 1000

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            print(msgspec.json.encode(listening(self.servers[0].sockets[0])).decode(), flush=True)

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


def listening(listener: socket.socket) -> Listening:
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return Listening(f"http://{shown}:{port}", os.getpid())


def config(app: Front, settings: Settings) -> uvicorn.Config:
    protocol = type(
        "Configured",
        (WarlogProtocol,),
        {
            "header_bytes_max": settings.header_bytes_max,
            "request_seconds_max": settings.request_seconds_max,
            "at_once": staticmethod(getattr(app, "at_once", _never)),
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
        "timeout_keep_alive": 75,
        "timeout_graceful_shutdown": 10,
    }
    return uvicorn.Config(app, **options)


async def serve(front: Front, settings: Settings, listener: socket.socket | None = None) -> None:
    """Until SIGTERM or SIGINT. What fails at the start (Redis, a port in use) is raised, or ends the process
    with a word. `listener`: of a supervisor, instead of one of our own."""
    await front.start()
    # What is there now stays. The collector looks at what is new, in portions for which nobody has to wait long, and
    # hardly ever at everything: neither requests nor connections make cycles.
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
