"""What networks do to connections: a small real HTTP server that cuts them, at any byte, or says nothing; and a proxy
before a server of Warlog that cuts its feeds."""

from __future__ import annotations

import re
import socket
import socketserver
import subprocess
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
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
from warlog_client import Client


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


ASKED = re.compile(rb"(?:GET|POST) /v1/matches/([^/]+)/(feed|commands)[? ]")
SECONDS_MAX = 1_200  # of a bot that plays a whole match of each game


@dataclass
class _Connection:
    """Of the proxy.

    match  that the newest request is about, if it is a command or asks for a feed
    left   bytes until the cut"""

    client: socket.socket
    server: socket.socket
    match: str = ""
    left: int = 2**62
    answer_is_lost: bool = False


class CuttingProxy:
    """Passes connections on to a server, cuts every feed of a match after some bytes, and kills the server in between.

    kills_at  the commands of a match, counted from 1, at which the server is killed and started again. By turns such a
              command does not reach the server, and takes effect without an answer.
    cuts      how many feeds of each match were cut
    kills     how often the server was killed at a command of each match
    """

    def __init__(self, server: WarlogServer, rng: Random, kills_at: Container[int]) -> None:
        self.cuts: Counter[str] = Counter()
        self.kills: Counter[str] = Counter()
        self._server = server
        self._port = int(server.url.rpartition(":")[2])
        self._rng = rng
        self._kills_at = kills_at
        self._commands: Counter[str] = Counter()
        # Any event comes through the longest, so three failures in a row are the most.
        self._lengths: defaultdict[str, cycle[int]] = defaultdict(lambda: cycle([1, 700, 3_000, 50_000]))
        self._answer_is_lost = cycle(rng.sample([False, True], 2))
        self._one_at_a_time = threading.Lock()
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
        with suppress(OSError), client, socket.create_connection(("127.0.0.1", self._port)) as server:
            both = _Connection(client, server)
            there = threading.Thread(target=self._ask, args=(both,), daemon=True)
            there.start()
            with suppress(OSError):
                while both.left > 0 and (data := server.recv(65536)):
                    if both.answer_is_lost:
                        break
                    client.sendall(data[: both.left])
                    both.left -= len(data)
            self._lose_answer(both)
            if both.left <= 0:
                self.cuts[both.match] += 1
            for end in (client, server):
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)  # wakes the other thread, too
            there.join()
            # Another match's kill may have ended this connection just before the command came.
            self._lose_answer(both)

    def _lose_answer(self, both: _Connection) -> None:
        if both.answer_is_lost:
            both.answer_is_lost = False
            self._restart(both.match)

    def _ask(self, both: _Connection) -> None:
        with suppress(OSError):
            while data := both.client.recv(65536):
                if asked := ASKED.match(data):
                    both.match = asked[1].decode()
                    if asked[2] == b"feed":
                        both.left = next(self._lengths[both.match]) + self._rng.randrange(300)
                    elif self._is_fatal(both.match):
                        both.answer_is_lost = next(self._answer_is_lost)
                        if not both.answer_is_lost:
                            self._restart(both.match)
                            return
                both.server.sendall(data)
            both.server.shutdown(socket.SHUT_WR)

    def _is_fatal(self, match: str) -> bool:
        with self._one_at_a_time:
            self._commands[match] += 1
            return self._commands[match] in self._kills_at

    def _restart(self, match: str) -> None:
        with self._one_at_a_time:
            self._server.kill()
            self._server.start()
            self.kills[match] += 1


def plays_though_cut(
    command: Sequence[str], folder: Path, server: WarlogServer, seed: int, moves: int | None = None
) -> None:
    """Runs a bot that plays a match of each game while its feeds are cut and the server is killed, then compares what
    the bot says (`GAME MATCH ACTIONS` for each match) with what the server has.

    command  of the bot; the address that it is to play at, the seed and `moves` are appended
    moves    so many actions of each match, with a kill in the middle; None: each match to its end, with a kill at the
             4th, 12th, 24th, … command"""
    kills_at = {moves // 2} if moves else {2 * n * (n + 1) for n in range(1, 100)}
    with closing(CuttingProxy(server, Random(seed), kills_at)) as proxy:
        bot = subprocess.run(
            [*command, proxy.url, str(seed), *([str(moves)] if moves else [])],
            cwd=folder,
            stdout=subprocess.PIPE,
            text=True,
            timeout=SECONDS_MAX,
        )
    assert bot.returncode == 0, f"seed {seed}"
    played = [line.split() for line in bot.stdout.splitlines()]
    assert [game for game, _, _ in played] == [*warlog_core.games()]
    with Client(server.url) as stranger:
        for game, match, actions in played:
            end = stranger.match(match)
            said = f"{game}: {actions} actions, {proxy.kills[match]} kills, {proxy.cuts[match]} cuts, "
            said += end.result.reason if end.result else end.status
            print(said)
            events = list(stranger.events(match))
            assert [event.version for event in events] == list(range(1, end.version + 1)), said
            assert sum(event.type == "action_taken" for event in events) == int(actions), said
            if end.result is None:
                assert int(actions) == moves, said
            else:
                assert stranger.verify(match).status == "verified", said
            assert proxy.kills[match] >= (1 if moves else 3), said
            assert proxy.cuts[match] >= (2 if moves else 4), said
