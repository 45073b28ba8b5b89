"""What networks do to connections: a small real HTTP server that cuts them, at any byte, or says nothing; and a proxy
before a server of Warlog that cuts its feeds."""

from __future__ import annotations

import socket
import socketserver
import subprocess
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

import msgspec

import warlog_core
from tests.servers import WarlogServer


@dataclass(frozen=True)
class Received:
    """One request, as it came in."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes


Answer = Callable[[Received], bytes | Iterable[bytes]]
"""What is written for a request before the connection is closed; an iterable may sleep between its parts."""


@dataclass
class CuttingServer:
    """Answers each connection's one request by `answer`, remembers it in `received`, and closes the connection."""

    answer: Answer
    received: list[Received] = field(default_factory=list)
    port: int = 0

    def __enter__(self) -> Self:
        outer = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                request = _read(self.rfile)
                if request is None:
                    return
                outer.received.append(request)
                parts = outer.answer(request)
                try:
                    for part in [parts] if isinstance(parts, bytes) else parts:
                        self.wfile.write(part)
                except (BrokenPipeError, ConnectionResetError):
                    pass  # the client had enough

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = True
            daemon_threads = True
            request_queue_size = 64

        self._server = Server(("127.0.0.1", self.port), Handler)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def _read(stream: Any) -> Received | None:
    line = stream.readline().decode()
    if not line:
        return None
    method, target, _ = line.split(" ")
    headers: dict[str, str] = {}
    while (header := stream.readline().decode().strip()) != "":
        name, _, value = header.partition(":")
        headers[name.lower()] = value.strip()
    body = stream.read(int(headers.get("content-length", "0")))
    url = urlsplit(target)
    return Received(method, url.path, parse_qs(url.query), headers, body)


def reply(status: int, body: object = None, **headers: str) -> bytes:
    """A whole HTTP answer with a JSON body; `headers` with underscores for dashes."""
    content = b"" if body is None else msgspec.json.encode(body)
    lines = [f"HTTP/1.1 {status} Whatever", "Connection: close", f"Content-Length: {len(content)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + content


def always(answer: bytes) -> Answer:
    return lambda request: answer


def problem(status: int, code: str, **more: Any) -> dict[str, Any]:
    """The body of a problem document."""
    return {
        "type": f"https://warlog.dev/problems/{code}",
        "title": code,
        "status": status,
        "code": code,
        **more,
    }


STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"


def sse(event: Mapping[str, Any], newline: str = "\n") -> bytes:
    """An event of a match as the feed writes it."""
    data = msgspec.json.encode(event).decode()
    return newline.join(
        [f"id: {event['version']}", f"event: {event['type']}", f"data: {data}", "", ""]
    ).encode()


class CuttingProxy:
    """Passes connections on to a server, and cuts every feed after some bytes."""

    def __init__(self, port: int, rng: Random) -> None:
        self.cuts = 0
        self._upstream = port
        self._rng = rng
        # Any event comes through the longest, so three failures in a row are the most.
        self._cuts_after = cycle([1, 700, 3_000, 50_000])
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        with suppress(OSError), client, socket.create_connection(("127.0.0.1", self._upstream)) as server:
            both = (client, server)
            left = [2**62]  # bytes until the cut
            there = threading.Thread(target=self._ask, args=(client, server, left), daemon=True)
            there.start()
            with suppress(OSError):
                while left[0] > 0 and (data := server.recv(65536)):
                    client.sendall(data[: left[0]])
                    left[0] -= len(data)
            self.cuts += left[0] <= 0
            for end in both:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)  # wakes the other thread, too
            there.join()

    def _ask(self, client: socket.socket, server: socket.socket, left: list[int]) -> None:
        with suppress(OSError):
            while data := client.recv(65536):
                if b"/feed" in data.partition(b"\r\n")[0]:
                    left[0] = next(self._cuts_after) + self._rng.randrange(300)
                server.sendall(data)
            server.shutdown(socket.SHUT_WR)


def plays_though_cut(
    command: Callable[[str], list[str]], folder: Path, server: WarlogServer, rng: Random
) -> None:
    """Runs a bot that plays a match of each game, while its feeds are cut and, in the middle of two matches, the server
    is killed and started again. It writes `GAME half` in the middle of each match and `GAME VERSION` at its end.

    command  of the bot, with the address that it is to play at"""
    with closing(CuttingProxy(int(server.url.rpartition(":")[2]), rng)) as proxy:
        bot = subprocess.Popen(command(proxy.url), cwd=folder, stdout=subprocess.PIPE, text=True)
        assert bot.stdout is not None
        try:
            played: dict[str, int] = {}
            for line in bot.stdout:
                name, how_far = line.split()
                if how_far != "half":
                    played[name] = int(how_far)
                elif len(played) in (1, 3):
                    server.kill()
                    server.start()
            assert bot.wait(60) == 0
        finally:
            bot.kill()
            bot.wait()
        assert sorted(played) == [*warlog_core.games()]
        assert all(version > 5 for version in played.values()), played
        assert proxy.cuts >= len(played)
