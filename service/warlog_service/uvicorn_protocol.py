"""HTTP/1.1 on one connection: a subclass of uvicorn's protocol for httptools, and everything of uvicorn we rely on.

httptools (llhttp) splits the bytes into requests; uvicorn keeps a `RequestResponseCycle` for each. This file adds what
both leave open: bounds in bytes and seconds for all that a peer can send, the checks of RFC 9112 that the parser does
not make, refusals with a code, and a short way for plain answers. `tests/service/test_http.py` says section by section
how the RFC is met.
"""

from __future__ import annotations

import asyncio
import inspect
import itertools
import math
import re
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, cast

import httptools
import uvicorn
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT, FlowControl
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from warlog_service import problems
from warlog_service.requests import by_name
from warlog_service.responses import BODILESS, CONNECTION, Answer, Headers, chunk

HOOKS: dict[type, dict[str, str]] = {
    HttpToolsProtocol: {
        "connection_made": "transport",
        "connection_lost": "exc",
        "on_message_begin": "",
        "on_headers_complete": "",
        "on_body": "body",
        "on_message_complete": "",
        "on_response_complete": "",
        "pause_writing": "",
        "resume_writing": "",
        "timeout_keep_alive_handler": "",
        "_should_upgrade": "",
        "_start_asgi_task": "cycle app",
        "_unset_keepalive_if_required": "",
    },
    RequestResponseCycle: {"run_asgi": "app", "send": "message", "receive": ""},
    FlowControl: {"pause_reading": "", "resume_reading": ""},
}
"""The methods of uvicorn that are overridden or called here, each with its parameters."""


def check_hooks(hooks: dict[type, dict[str, str]]) -> None:
    """Raises ImportError where uvicorn has other methods than those."""
    for owner, methods in hooks.items():
        for name, parameters in methods.items():
            method = getattr(owner, name, None)
            if method is None or [*inspect.signature(method).parameters] != ["self", *parameters.split()]:
                raise ImportError(
                    f"Warlog overrides {owner.__name__}.{name}({parameters.replace(' ', ', ')}) of uvicorn, which "
                    f"version {uvicorn.__version__} does not have: install one that Warlog's pyproject.toml admits"
                )


check_hooks(HOOKS)

HEADERS_MAX = 128
"""Lines of a head. Each costs some 200 bytes while its request is served, however short it is. They are counted after
each slice, and when all are there."""
SLICE = 16_384
"""So many bytes are parsed at a time. While a pipelined request waits for its turn the bytes behind it are kept as they
are, and the peer is not read from when they are more than that: each would become a hundred of cycles and headers."""
FRAMING_BYTES_PER_BODY_BYTE = 8
"""A body in chunks of one byte has five bytes of framing (sizes, line ends, extensions) for each of its own."""
UNREAD_BYTES_MAX = 262_144
"""After an answer that did not wait for the body so much of it is read and dropped; then the connection is closed."""
LINGER_SECONDS = 2.0
"""After the last answer on a connection its input is read and dropped for so long. A connection that is closed with
unread input is reset, which may destroy the answer on its way (RFC 9112, 9.6)."""

_CONTROL = re.compile(rb"[\x00-\x1f\x7f]").search
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}").fullmatch
_HOST = re.compile(rb"(?:[A-Za-z0-9._~!$&'()*+,;=%-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?").fullmatch
_ABSOLUTE = re.compile(rb"https?://([^/?]*)(/[^?]*)?(\?.*)?", re.IGNORECASE | re.DOTALL).fullmatch
_LOOKED_AT = frozenset((b"host", b"expect", b"transfer-encoding"))

_requests = itertools.count(1)

TurnedAway = Callable[[str, Answer], Answer]
"""Told of a refusal before there is a request that the application could see: the peer's address and the answer.
Returns the answer to send."""


class WarlogProtocol(HttpToolsProtocol):
    """One connection. To the application it is also the `ClientConnection` of the request that is being answered."""

    header_bytes_max = 32_768
    request_seconds_max = 60.0
    request_prefix: bytes | None = b""  # of the ids for requests that bring none; None: they get none
    turned_away: TurnedAway
    draining = False  # set for all connections at once: the request that is being answered is the last one

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # Not as defaults of the class: reading those is slow.

        # the request that is coming in
        self._in_head = True
        self._head_bytes = 0  # so far
        self._around_bytes = (
            0  # of chunk sizes, chunk extensions and trailers that no body bytes have paid for
        )
        self._whole = False  # has the request that was begun last come to its end?
        self._completed = False  # has any request come to its end since the timer was set?
        self._patience: asyncio.TimerHandle | None = None
        self._host: bytes | None = None
        self._chunked = False
        self._fault: Answer | None = None  # what is wrong with it, where we know more than the parser
        self._upgrading = False  # the parser has stopped behind its head
        self._replaying = False  # a new parser is fed a head with the same framing
        self._held: Any = None  # the application for a request whose body, a short one, is still coming

        # the connection
        self._rest = b""  # came while reading was paused, and has not been parsed
        self._refusal: Answer | None = None  # nothing is parsed any more; this is the last answer
        self._ended = False  # it has been sent
        self._unread_bytes = 0  # of a body, or of anything behind the last answer, that were dropped
        # The request that is being answered, or was last; uvicorn's `cycle` is the newest, and may have come behind it.
        self._served: RequestResponseCycle | None = None
        self._idle_since = math.inf  # loop time; inf: it is not idle
        self._reader_check: asyncio.TimerHandle | None = None  # while the peer does not read what we send
        self._unsent_bytes = 0  # at the last check
        self._serving: asyncio.Task[None]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast(asyncio.Transport, transport))
        self.flow = _Flow(cast(asyncio.Transport, transport), self)
        self._extensions: Any = {CONNECTION: self}
        self._patience = self.loop.call_later(self.request_seconds_max, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._patience, self.timeout_keep_alive_task, self._reader_check):
            if timer is not None:
                timer.cancel()
        if (served := self._served) is not None and not served.response_complete:
            served.disconnected = True
            served.message_event.set()
            if self._held is not None:
                served.on_response = _nothing
        super().connection_lost(exc)
        # Scopes and the flow refer to the connection, which refers to them: without this only the garbage collector
        # would free them.
        self._extensions.clear()
        cast(_Flow, self.flow).protocol = None

    # ---- what comes in

    def data_received(self, data: bytes) -> None:
        if self._refusal is not None:
            self._drop(len(data))
        elif self._rest or self.pipeline:
            self._rest += data
            if len(self._rest) > SLICE:
                self.flow.pause_reading()
        elif len(data) <= SLICE:
            self._feed(data)
        else:
            self._parse(data)

    def parse_rest(self) -> None:
        """Called when that may have become possible."""
        if self._rest and self._refusal is None and not self.pipeline and not self.flow.read_paused:
            rest, self._rest = self._rest, b""
            self._parse(rest)

    def keeps_enough(self) -> bool:
        return bool(self.pipeline) and len(self._rest) > SLICE

    def _parse(self, data: bytes) -> None:
        at = 0
        while at < len(data) and not self.pipeline and not self.flow.read_paused:
            self._feed(data[at : at + SLICE])
            if self._refusal is not None or self.transport.is_closing():
                return
            at += SLICE
        self._rest = data[at:]

    def _feed(self, data: bytes) -> None:
        self._idle_since = math.inf
        if self._in_head:
            self._head_bytes += len(data)
        else:
            self._around_bytes += len(data)
        try:
            self._execute(data)
        except httptools.HttpParserError:
            self._refuse(self._fault or self._malformed("This request is not valid HTTP/1.1."))
            return
        self._wait_for_the_rest()
        # The parser keeps to itself what has not ended yet, so this is counted here. What belongs to something else
        # and came in the same slice does not matter.
        if self._in_head:
            if self._head_bytes > self.header_bytes_max:
                self._refuse(self._too_large())
            elif self.headers is not None and len(self.headers) > HEADERS_MAX:
                self._refuse(self._too_many())
        elif self._around_bytes > self.header_bytes_max:
            self._refuse(self._too_large("The chunk sizes, chunk extensions and trailers"))
        elif self.cycle.response_complete:
            self._drop(len(data))

    def _execute(self, data: bytes) -> None:
        while data:
            try:
                self.parser.feed_data(data)
                return
            except httptools.HttpParserUpgrade as upgrade:
                self._decline_upgrade()
                data = data[upgrade.args[0] :]

    def _wait_for_the_rest(self) -> None:
        """Each request has `request_seconds_max` to come in whole, from its first byte or the end of the one before."""
        begun = not self._whole or self._head_bytes > 0
        if self._patience is not None and (self._completed or not begun):
            self._patience.cancel()
            self._patience = None
        self._completed = False
        if begun and self._patience is None:
            self._patience = self.loop.call_later(self.request_seconds_max, self._give_up)

    def _give_up(self) -> None:
        self._patience = None
        if self.flow.read_paused:  # it is we who do not read
            self._patience = self.loop.call_later(self.request_seconds_max, self._give_up)
        elif not self.transport.is_closing():
            self._refuse(
                problems.problem(
                    "request_timeout",
                    f"The request was not complete after {self.request_seconds_max:g} seconds.",
                )
            )

    def _decline_upgrade(self) -> None:
        """A request to upgrade is an ordinary one (RFC 9110, 7.8), and its body is its body. But the parser stops
        behind its head, and would take the body for the next request: a new parser is told how the body is framed."""
        self._upgrading = False
        head = [b"POST / HTTP/%b" % self.scope["http_version"].encode()]
        framing = (b"content-length", b"transfer-encoding")
        head += [b"%b: %b" % header for header in self.headers if header[0] in framing]
        if not self.cycle.keep_alive:
            head.append(b"connection: close")
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        url = self.url
        self._replaying = True
        self.parser.feed_data(b"\r\n".join([*head, b"", b""]))
        self._replaying = False
        self.url = url

    def _should_upgrade(self) -> bool:
        return False

    # ---- what the parser says

    def on_message_begin(self) -> None:
        if self._replaying:
            return
        self._whole = False
        self._host = self._fault = None
        self._chunked = False
        self._unread_bytes = 0
        super().on_message_begin()
        self.scope["extensions"] = self._extensions

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_head:
            return  # trailers must not be merged into the headers (RFC 9110, 6.5.1), and nobody wants them
        name, value = name.lower(), value.rstrip(b" \t")
        if name in _LOOKED_AT:
            self._look_at(name, value)
        self.headers.append((name, value))

    def _look_at(self, name: bytes, value: bytes) -> None:
        if name == b"expect":
            self.expect_100_continue = value.lower() == b"100-continue"
        elif name == b"host":
            if self._host is not None:
                self._wrong(self._malformed("The request has more than one `Host`."))
            if not _is_host(value):
                self._wrong(self._malformed("`Host` is no host with an optional port."))
            self._host = value
        else:
            if self._chunked or value.lower() != b"chunked":
                self._wrong(self._malformed("`Transfer-Encoding` may only be `chunked`, and only once."))
            self._chunked = True

    def on_headers_complete(self) -> None:
        if self._replaying:
            return
        if self._head_bytes > self.header_bytes_max:  # perhaps; a body may have come with them
            head_bytes = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
            if head_bytes > self.header_bytes_max:
                self._wrong(self._too_large())
        if len(self.headers) > HEADERS_MAX:
            self._wrong(self._too_many())
        self._in_head = False
        self._head_bytes = 0
        version = self.parser.get_http_version()
        if version == "1.0":
            self.expect_100_continue = False  # RFC 9110, 10.1.1
            if self._chunked:
                self._wrong(self._malformed("`Transfer-Encoding` does not exist in HTTP/1.0."))
        elif version != "1.1":
            self._wrong(self._malformed("The version of the protocol is neither HTTP/1.0 nor HTTP/1.1."))
        elif self._host is None:
            self._wrong(self._malformed("The request has no `Host`."))
        self._upgrading = self.parser.should_upgrade()
        self._check_target()
        scope: Any = self.scope
        scope["state"]["headers"] = by_name(self.headers)  # for requests.header
        super().on_headers_complete()
        self._name_request()
        if self.pipeline:
            cast(_Flow, self.flow).go_on()  # to notice when the peer goes; what comes is kept (data_received)
        # Who expects to be told to continue, and gets another answer, may send the body or not: what comes next could
        # be taken for either.
        if self.draining or self.expect_100_continue:
            self.cycle.keep_alive = False

    def _check_target(self) -> None:
        url = self.url
        if url[:1] != b"/":
            absolute = _ABSOLUTE(url)
            if absolute is not None and _is_host(absolute[1]):
                url = self.url = (absolute[2] or b"/") + (absolute[3] or b"")
            else:
                self._wrong(self._malformed("The target of the request is no path."))
        # The parser takes every CONNECT for an upgrade.
        if b"#" in url or (self._upgrading and self.parser.get_method() == b"CONNECT"):
            self._wrong(self._malformed("The target of the request is no path."))

    def _name_request(self) -> None:
        """The id under which it is found again in answers, logs and traces: the caller's, if it looks like one."""
        scope: Any = self.scope
        state = scope["state"]
        request_id = None
        if b"x-request-id" in state["headers"]:
            given = (value for name, value in self.headers if name == b"x-request-id")
            request_id = next(filter(_REQUEST_ID, given), None)
        if request_id is None:
            if self.request_prefix is None:
                return
            request_id = b"%b-%x" % (self.request_prefix, next(_requests))
        state["request_id"] = request_id
        self.cycle.default_headers = [*self.cycle.default_headers, (b"x-request-id", request_id)]

    def on_body(self, body: bytes) -> None:
        if self._around_bytes:
            paid = len(body) * (FRAMING_BYTES_PER_BODY_BYTE + 1)
            self._around_bytes = max(0, self._around_bytes - paid)
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self._upgrading:
            return  # that was the end of the head
        self._in_head = self._whole = self._completed = True
        self._around_bytes = 0
        self.cycle.more_body = False  # uvicorn does not say so of a request that was answered before its end
        super().on_message_complete()
        if self._held is not None:
            self._begin(self._held)

    # ---- refusals of what is no request

    def _wrong(self, answer: Answer) -> None:
        """In a callback of the parser. Raises: it comes out of the parser as HttpParserError."""
        self._fault = answer
        raise ValueError

    def _malformed(self, detail: str) -> Answer:
        return problems.problem("malformed_request", detail)

    def _too_large(self, what: str = "The target and the headers") -> Answer:
        return problems.problem("headers_too_large", f"{what} have more than {self.header_bytes_max} bytes.")

    def _too_many(self) -> Answer:
        return problems.problem("headers_too_large", f"The request has more than {HEADERS_MAX} header lines.")

    def _refuse(self, answer: Answer) -> None:
        """Nothing more is read as HTTP. The requests that came before are answered first."""
        if self._refusal is not None or self.transport.is_closing():
            return
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
        self._rest = b""
        self._refusal = self.turned_away(self.client[0] if self.client else "", answer)
        newest = self.cycle
        if newest is not None and newest.more_body:
            self._abandon(newest)
        if not self.pipeline and (self._served is None or self._is_over(self._served)):
            self._end()
        else:
            cast(_Flow, self.flow).go_on()

    def _abandon(self, cycle: RequestResponseCycle) -> None:
        """It will never be whole. Its application, if that has begun, hears of a disconnect."""
        if self.pipeline and self.pipeline[0][0] is cycle:
            self.pipeline.popleft()
            return
        if self._held is not None:
            self._held = None
            cycle.on_response = _nothing
        if cycle.response_started:
            self._refusal = _SILENCE  # in the middle of another answer, or behind it
        cycle.disconnected = True
        cycle.waiting_for_100_continue = False
        cycle.message_event.set()

    def _is_over(self, cycle: RequestResponseCycle) -> bool:
        return cycle.response_complete or cycle.disconnected

    def _end(self) -> None:
        """The last answer on this connection."""
        answer = self._refusal
        assert answer is not None
        self._ended = True
        if answer is not _SILENCE:
            headers = [*self.server_state.default_headers, *answer.headers]
            lines = [b"HTTP/1.1 %d Refused" % answer.status, *(b"%b: %b" % header for header in headers)]
            lines += [b"content-length: %d" % len(answer.body), b"connection: close", b"", answer.body]
            self.transport.write(b"\r\n".join(lines))
        self._unread_bytes = 0
        with suppress(OSError, RuntimeError):  # gone already
            self.transport.write_eof()
        cast(_Flow, self.flow).go_on()
        self._patience = self.loop.call_later(LINGER_SECONDS, self.transport.close)

    def _drop(self, count: int) -> None:
        self._unread_bytes += count
        if self._unread_bytes > UNREAD_BYTES_MAX and not self.transport.is_closing():
            if self._refusal is not None and not self._ended:
                self.flow.pause_reading()  # there are answers to come
            else:
                self.transport.close()

    # ---- the application

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
        headers = scope["state"]["headers"]
        length = headers.get(b"content-length")
        if length is None:
            return b"transfer-encoding" in headers
        return cycle.waiting_for_100_continue or int(length) > HIGH_WATER_LIMIT

    def _begin(self, app: Any) -> None:
        self._held = None
        assert self._served is not None
        self._serving = self.loop.create_task(self._serve(self._served, app))
        self.tasks.add(self._serving)

    async def _serve(self, cycle: RequestResponseCycle, app: Any) -> None:
        """As uvicorn's `run_asgi`, which is called wherever the application has not answered."""
        task = self._serving
        send = cycle.send if cycle.scope["http_version"] == "1.1" else partial(_send_unchunked, cycle)
        try:
            await app(cycle.scope, cycle.receive, send)
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
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        elif self._refusal is not None:
            self._end()
            return
        else:
            self._idle_since = self.loop.time()
            if self.timeout_keep_alive_task is None:
                self._look_again_in(self.timeout_keep_alive)
        if self.flow.read_paused or self._rest:
            self.flow.resume_reading()
            self.parse_rest()

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

    # A peer that does not read its answers holds them in memory: it must take something every `request_seconds_max`.

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unsent_bytes = self.transport.get_write_buffer_size()
        self._reader_check = self.loop.call_later(self.request_seconds_max, self._check_reader)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._reader_check is not None:
            self._reader_check.cancel()
            self._reader_check = None

    def _check_reader(self) -> None:
        unsent = self.transport.get_write_buffer_size()
        if unsent >= self._unsent_bytes:
            self._reader_check = None
            self.transport.abort()
        else:
            self._unsent_bytes = unsent
            self._reader_check = self.loop.call_later(self.request_seconds_max, self._check_reader)

    # ---- responses.ClientConnection, over what uvicorn keeps of the request that is being served. Whatever is out of
    # the ordinary goes uvicorn's own way: a connection that is full, gone or about to be closed, an answer without a
    # body, a client that waits for `100 Continue`. There is no object for each request: that and the request would
    # refer to each other, and only the garbage collector would free them.

    def take_body(self) -> bytes | None:
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

    def add_headers(self, headers: Headers) -> None:
        cycle = self._served
        assert cycle is not None
        cycle.default_headers = [*cycle.default_headers, *headers]

    def push(self, piece: bytes) -> bool:
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
        self.transport.write(piece)
        return True

    def is_full(self) -> bool:
        return self.flow.write_paused

    def cut(self, piece: bytes) -> None:
        cycle = self._served
        assert cycle is not None
        if cycle.response_complete or cycle.disconnected or self.transport.is_closing():
            return
        self.transport.write(chunk(piece) + chunk(b"") if cycle.chunked_encoding else piece)
        cycle.response_complete = True
        cycle.message_event.set()
        self.transport.close()
        for timer in (self._patience, self._reader_check):
            if timer is not None:
                timer.cancel()
        self._patience = self.loop.call_later(self.request_seconds_max, self.transport.abort)
        cycle.on_response()


class _Flow(FlowControl):
    """Under uvicorn reading goes on after each answer and each `receive`, so that a peer can have any number of
    requests waiting."""

    def __init__(self, transport: asyncio.Transport, protocol: WarlogProtocol) -> None:
        super().__init__(transport)
        self.protocol: WarlogProtocol | None = protocol

    def resume_reading(self) -> None:
        protocol = self.protocol
        if self.read_paused and protocol is not None and not protocol.keeps_enough():
            super().resume_reading()
            protocol.parse_rest()

    def go_on(self) -> None:
        super().resume_reading()


_SILENCE = Answer(0, [], b"")
"""A refusal that is not sent, since an answer has begun."""


# Applications, and an `on_response`, for `_serve`.


async def _unanswered(scope: Any, receive: Any, send: Any) -> None:
    pass


async def _failed(error: BaseException, scope: Any, receive: Any, send: Any) -> None:
    raise error


async def _send_unchunked(cycle: RequestResponseCycle, message: Any) -> None:
    """`cycle.send` for HTTP/1.0, which does not know chunks (RFC 9112, 6.1): what has no length ends with the
    connection."""
    scope: Any = cycle.scope
    if message["type"] == "http.response.start":
        if all(name.lower() != b"content-length" for name, _ in message["headers"]):
            cycle.chunked_encoding = False
            scope["state"]["unchunked"] = True
    elif "unchunked" in scope["state"]:
        # What uvicorn compares with: enough for this piece, or just so much for the last one.
        cycle.expected_content_length = len(message["body"]) + message["more_body"]
    await cycle.send(message)


def _nothing() -> None:
    pass


@lru_cache(maxsize=256)
def _is_host(host: bytes) -> bool:
    return _HOST(host) is not None


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
