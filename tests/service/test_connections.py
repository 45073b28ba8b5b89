"""What comes over one connection: requests in pieces and several at once, and answers to clients that are slow or gone.

An answer is the same, byte for byte, whether it takes the short way or uvicorn's own."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import pytest
from litestar.types import Receive, Scope, Send

from tests.servers import WarlogServer
from tests.service.api import UNLIMITED, Api
from tests.service.waiting import eventually
from tests.service.wire import Reply, read_reply
from warlog_service.requests import header, read_body
from warlog_service.responses import JSON, PUBLIC, Answer
from warlog_service.server import Server, config
from warlog_service.settings import Settings

BODY_MAX = 2_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarlogServer]:
    environment = {**UNLIMITED, "WARLOG_BODY_BYTES_MAX": str(BODY_MAX)}
    with WarlogServer(tmp_path_factory.mktemp("warlog"), environment=environment) as running:
        yield running


class Line:
    """A connection on which bytes are sent and answers read."""

    def __init__(self, url: str, receive_bytes: int | None = None) -> None:
        parts = urlsplit(url)
        self.socket = socket.socket()
        if receive_bytes is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.settimeout(10)
        self.socket.connect((parts.hostname or "", parts.port or 80))
        self._held = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.socket.close()

    def send(self, *packets: bytes) -> None:
        for packet in packets:
            self.socket.sendall(packet)
            if packet is not packets[-1]:
                time.sleep(0.05)

    def reply(self, *, head: bool = False) -> Reply:
        reply, self._held = read_reply(self.socket, self._held, bodiless=head)
        return reply

    def is_closed(self) -> bool:
        """Waits for it."""
        return self._held == b"" and self.socket.recv(1) == b""


def post(ada: Api, match: str, command: dict[str, Any], *headers: str, chunked: bool = False) -> bytes:
    body = json.dumps(command).encode()
    lines = [
        f"POST /v1/matches/{match}/commands HTTP/1.1",
        "host: x",
        f"authorization: Bearer {ada.token}",
        *headers,
        "transfer-encoding: chunked" if chunked else f"content-length: {len(body)}",
    ]
    if chunked:
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def resign(seat: str, size: int = 0) -> dict[str, Any]:
    """A command whose JSON has at least `size` bytes."""
    command: dict[str, Any] = {"type": "act", "seat": seat, "action": {"type": "resign"}}
    return command | ({"x": "x" * (size - len(json.dumps(command)) - 9)} if size else {})


def version(ada: Api, match: str) -> int:
    return int(ada.match(match)["version"])


def test_a_command_may_come_in_any_pieces(server: WarlogServer, api: Api) -> None:
    ada = api.player()
    for chunked in (False, True):
        whole = post(ada, ada.alone(), resign("red"), chunked=chunked)
        body = whole.index(b"\r\n\r\n") + 4
        for cuts in ((), (10,), (body,), (body + 20,), (60, body, body + 1, len(whole) - 1)):
            match = ada.alone()
            request = post(ada, match, resign("red"), chunked=chunked)
            starts = (0, *cuts)
            with Line(server.url) as line:
                line.send(*(request[a:b] for a, b in zip(starts, (*cuts, len(request)), strict=True)))
                reply = line.reply()
            assert reply.status == 201, (cuts, reply)
            assert json.loads(reply.body)["action"] == {"type": "resign"}
            assert ada.match(match)["status"] == "finished"


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("packets", [1, 2])
def test_a_body_that_is_too_large_is_refused_however_it_comes(
    server: WarlogServer, api: Api, chunked: bool, packets: int
) -> None:
    ada = api.player()
    match = ada.alone()
    request = post(ada, match, resign("red", BODY_MAX + 1), chunked=chunked)
    cut = request.index(b"\r\n\r\n") + 500
    with Line(server.url) as line:
        line.send(*([request] if packets == 1 else [request[:cut], request[cut:]]))
        reply = line.reply()
        assert (reply.status, reply.code) == (413, "body_too_large")
        assert reply.headers["connection"] == "close"
        assert packets == 2 or line.is_closed()
    assert version(ada, match) == 2


def test_a_body_of_just_the_largest_size_is_read(server: WarlogServer, api: Api) -> None:
    ada = api.player()
    request = post(ada, ada.alone(), resign("red", BODY_MAX))
    assert len(request) - request.index(b"\r\n\r\n") - 4 == BODY_MAX
    with Line(server.url) as line:
        line.send(request)
        assert line.reply().code != "body_too_large"


def test_commands_in_one_packet_are_answered_in_their_order(server: WarlogServer, api: Api) -> None:
    ada = api.player()
    matches = [ada.alone() for _ in range(3)]
    first = post(ada, matches[0], resign("red"))
    again = post(ada, matches[0], resign("red"))
    nobody = first.replace(b"authorization", b"x-authorizat1on")
    second, third = post(ada, matches[1], resign("blue")), post(ada, matches[2], resign("blue"))
    with Line(server.url) as line:
        line.send(b"".join((first, again, nobody, second, third[:-5])), third[-5:])
        replies = [line.reply() for _ in range(5)]
        assert [reply.status for reply in replies] == [201, 422, 401, 201, 201]
        done = [json.loads(reply.body)["action"] for reply in replies if reply.status == 201]
        assert done == [{"type": "resign"}] * 3
        seats = [json.loads(reply.body)["seat"] for reply in replies if reply.status == 201]
        assert seats == ["red", "blue", "blue"]
        ids = [reply.headers["x-request-id"] for reply in replies]
        assert len(set(ids)) == 5
        line.send(post(ada, matches[0], resign("red"), "x-request-id: mine"))
        assert line.reply().headers["x-request-id"] == "mine"


def test_a_client_that_leaves_before_the_answer_has_still_made_his_command(
    server: WarlogServer, api: Api
) -> None:
    ada = api.player()
    for _ in range(5):
        match = ada.alone()
        with Line(server.url) as line:
            line.send(post(ada, match, resign("red")))
        eventually(lambda: ada.match(match)["status"] == "finished")  # noqa: B023
        half = ada.alone()
        with Line(server.url) as line:
            line.send(post(ada, half, resign("red"))[:-3])
        assert version(ada, half) == 2


def test_a_client_who_does_not_read_gets_everything_when_he_does(server: WarlogServer, api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    document = api.get("/openapi.json").content
    count = 12_000_000 // len(document)  # more than the buffers on both sides hold
    with Line(server.url, receive_bytes=4096) as line:
        for _ in range(count):
            line.send(b"GET /v1/openapi.json HTTP/1.1\r\nhost: x\r\n\r\n")
        line.send(post(ada, match, resign("red")))
        time.sleep(0.3)
        assert version(ada, match) == 2  # the connection is full: what is behind has to wait
        for _ in range(count):
            assert line.reply().body == document
        assert line.reply().status == 201


def test_a_head_is_the_head_of_a_get_and_nothing_comes_after_it(server: WarlogServer, api: Api) -> None:
    with Line(server.url) as line:
        line.send(b"GET /v1/games/hex HTTP/1.1\r\nhost: x\r\nx-request-id: a\r\n\r\n")
        got = line.reply()
        tag = got.headers["etag"].encode()
        line.send(
            b"HEAD /v1/games/hex HTTP/1.1\r\nhost: x\r\nx-request-id: a\r\n\r\n"
            b"GET /v1/games/hex HTTP/1.1\r\nhost: x\r\nif-none-match: " + tag + b"\r\n\r\n"
            b"GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n"
        )
        headed, unchanged, live = line.reply(head=True), line.reply(head=True), line.reply()
        assert {**headed.headers, "date": ""} == {**got.headers, "date": ""}
        assert (unchanged.status, "content-length" in unchanged.headers) == (304, False)
        assert (live.status, live.body) == (200, b'{"status":"live"}')


def test_who_waits_to_be_told_to_continue_is_told(server: WarlogServer, api: Api) -> None:
    ada = api.player()
    request = post(ada, ada.alone(), resign("red"), "expect: 100-continue")
    body = request.index(b"\r\n\r\n") + 4
    with Line(server.url) as line:
        line.send(request[:body])
        assert line.reply(head=True).status == 100
        line.send(request[body:])
        assert line.reply().status == 201


def test_a_command_during_the_shutdown_is_answered_as_the_last_one(tmp_path: Path) -> None:
    environment = {**UNLIMITED, "WARLOG_DRAIN_MS": "2000"}
    with WarlogServer(tmp_path, environment=environment) as running, Api(running.url) as api:
        ada = api.player()
        matches = [ada.alone() for _ in range(3)]
        with Line(running.url) as used, Line(running.url) as fresh:
            used.send(post(ada, matches[0], resign("red")))
            assert "connection" not in used.reply().headers
            running.send(signal.SIGTERM)
            time.sleep(0.5)
            for line, match in ((used, matches[1]), (fresh, matches[2])):
                line.send(post(ada, match, resign("red")))
                reply = line.reply()
                assert (reply.status, reply.headers["connection"]) == (201, "close")
                assert line.is_closed()


# ---- the protocol, under an application of a few lines ----

ANSWERS = {
    "/plain": Answer(200, [JSON, *PUBLIC], b'{"some":"thing"}'),
    "/empty": Answer(200, [JSON], b""),
    "/large": Answer(201, [JSON, (b"etag", b'"1"')], b"x" * 3_000_000),
    "/nothing": Answer(204, [], b""),
    "/unchanged": Answer(304, [*PUBLIC, (b"etag", b'"1"')], b""),
    "/upper": Answer(405, [(b"Allow", b"GET, HEAD")], b"{}"),
    "/last": Answer(413, [JSON, (b"connection", b"close")], b"{}"),
    "/broken": Answer(200, [(b"location", b"/a\r\nset-cookie: b")], b"{}"),
    "/odd": Answer(599, [JSON], b"{}"),
}


class Few:
    """Gives one of ANSWERS, with `?asgi` over nothing but ASGI."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["query_string"] == b"asgi":
            scope["extensions"] = {}
        if scope["path"] == "/echo":
            body = await read_body(scope, receive, 1_000_000)
            await asyncio.sleep(float(header(scope, b"x-sleep") or 0))
            await Answer(200, [JSON], body)(scope, receive, send)
        else:
            await ANSWERS[scope["path"]](scope, receive, send)

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def close_feeds(self) -> None: ...


@pytest.fixture
async def few() -> AsyncIterator[int]:
    """The port of a server of `Few`, whose connections may be idle for a second."""
    settings = config(Few(), Settings(port=0, test_world="the same"))
    settings.timeout_keep_alive = 1
    server = Server(settings, Few())
    settings.load()
    server.lifespan = settings.lifespan_class(settings)
    await server.startup()
    ticking = asyncio.create_task(server.main_loop())
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    await ticking
    await server.shutdown()


async def sent(port: int, request: bytes) -> bytes:
    """All that comes back until the connection is closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    answer = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    return answer


@pytest.mark.parametrize("path", ANSWERS)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
@pytest.mark.parametrize("version", ["1.1", "1.0"])
async def test_an_answer_is_the_same_bytes_on_either_way(
    few: int, path: str, method: str, version: str
) -> None:
    def request(query: str) -> bytes:
        return f"{method} {path}{query} HTTP/{version}\r\nhost: x\r\nx-request-id: a\r\n\r\n".encode()

    last = b"GET /last HTTP/1.1\r\nhost: x\r\n\r\n"
    short, long = await sent(few, request("") + last), await sent(few, request("?asgi") + last)
    assert short == long
    assert await sent(few, request("") * 3 + last) == await sent(few, request("?asgi") * 3 + last)
    assert short.startswith(b"HTTP/1.1 ") or path == "/broken"
    assert b"set-cookie" not in short


async def test_a_body_is_the_same_on_either_way(few: int) -> None:
    for size in (0, 1, 70_000, 1_000_000):
        body = bytes(range(256)) * 4_000
        for query in (b"", b"?asgi"):
            request = b"POST /echo%b HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n%b" % (
                query,
                size,
                body[:size],
            )
            answer = await sent(few, request * 2 + b"GET /last HTTP/1.1\r\nhost: x\r\n\r\n")
            assert answer.count(b"HTTP/1.1 200 OK") == 2
            assert answer.count(b"\r\n\r\n" + body[:size] + b"HTTP/1.1 ") == 2


async def test_a_connection_is_closed_when_it_has_been_idle_for_long_and_not_before(few: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", few)
    loop = asyncio.get_running_loop()

    async def ask(seconds: float) -> None:
        writer.write(b"POST /echo HTTP/1.1\r\nhost: x\r\nx-sleep: %f\r\ncontent-length: 0\r\n\r\n" % seconds)
        assert (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)).startswith(b"HTTP/1.1 200")

    for pause in (0.0, 0.7, 0.7):
        await asyncio.sleep(pause)
        await ask(0)
    await ask(1.5)  # longer than it may be idle
    await asyncio.sleep(0.7)
    await ask(0)
    answered = loop.time()
    assert await asyncio.wait_for(reader.read(), 10) == b""
    assert 0.9 < loop.time() - answered < 2
    writer.close()
