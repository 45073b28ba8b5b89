"""Requests byte by byte, for what no HTTP library would send."""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import urlsplit


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def code(self) -> str | None:
        """The problem's code, if this is a problem document."""
        if self.headers.get("content-type") != "application/problem+json" or not self.body:
            return None
        problem: dict[str, Any] = json.loads(self.body)
        return str(problem["code"])


def exchange(url: str, request: bytes, timeout: float = 10) -> Reply | None:
    """What comes back for these bytes; None if the connection is closed without a word. An event stream's
    body is not read."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=timeout) as wire:
        with suppress(
            BrokenPipeError, ConnectionResetError
        ):  # an answer may have come before the request was out
            wire.sendall(request)
        try:
            return read_reply(wire)[0]
        except (ConnectionResetError, EOFError):
            return None


def read_reply(wire: socket.socket, held: bytes = b"", *, bodiless: bool = False) -> tuple[Reply, bytes]:
    """The next answer, and what has come behind it. `held`: what had come before; `bodiless`: no body follows,
    whatever the head says."""
    while b"\r\n\r\n" not in held:
        held += _more(wire)
    head, _, body = held.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
    if headers.get("content-type") == "text/event-stream":
        return Reply(int(first.split()[1]), headers, body), b""
    length = 0 if bodiless else int(headers.get("content-length", "0"))
    while len(body) < length:
        body += _more(wire)
    return Reply(int(first.split()[1]), headers, body[:length]), body[length:]


def _more(wire: socket.socket) -> bytes:
    data = wire.recv(65536)
    if not data:
        raise EOFError
    return data
