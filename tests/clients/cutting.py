"""A small real HTTP server that does to connections what networks do: cuts them, at any byte, or says nothing."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

import msgspec


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
