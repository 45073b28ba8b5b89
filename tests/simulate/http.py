"""Requests over the simulated network: ASGI calls whose request and answer arrive late, in part, or not at all."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from typing import Any

from tests.simulate.loop import VirtualLoop
from tests.simulate.network import Cut, Network
from tests.simulate.worker import Worker
from warlog_service.requests import by_name
from warlog_service.responses import CONNECTION, Answer, Headers

PATIENCE_S = 8.0
UNREAD_BYTES_MAX = 6_000  # between server and reader


class Lost(Exception):
    """No answer: whether the request was carried out is not known."""


class Answered:
    def __init__(self, status: int, body: bytes) -> None:
        self.status = status
        self.body = body

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """Of a problem; "" of none."""
        return str(self.json["code"]) if self.status >= 400 else ""


class Exchange:
    """One request and its answer, on a connection of its own. To the application it is also the `Wire`."""

    def __init__(
        self,
        network: Network,
        worker: Worker,
        who: str,
        method: str,
        path: str,
        headers: Headers,
        body: bytes,
    ) -> None:
        self._network = network
        self._loop: VirtualLoop = network.loop
        self._worker = worker
        self._process = worker.process
        self._front = worker.front
        self.who = who
        self._body: bytes | None = body
        path, _, query = path.partition("?")
        self._scope: Any = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": headers,
            "client": ("10.0.0.1", 40_000),
            "server": ("warlog", 80),
            "state": {"headers": by_name(headers), "request_id": b""},
            "extensions": {CONNECTION: self},
        }
        self._at = 0.0
        self._gone = False  # the client, or the connection
        self._unread = 0
        self._room: asyncio.Future[None] | None = None
        self._disconnected = self._loop.create_future()
        self.status = 0
        self.came: deque[bytes] = deque()
        self.whole = False
        self.lost = False
        self._news: asyncio.Future[None] | None = None
        self.cut_on: Cut | None = None

    # -- the client's side

    def begin(self) -> None:
        self._network.later(self._later(), self._arrive)

    def _later(self) -> float:
        self._at = max(self._at, self._loop.time() + self._network.latency(self.who))
        return self._at

    async def news(self) -> None:
        """Until something has come."""
        self._news = self._loop.create_future()
        await self._news

    def taken(self, size: int) -> None:
        self._unread -= size
        if self._room is not None and self._unread < UNREAD_BYTES_MAX and not self._room.done():
            self._loop.call_soon(self._make_room, self._room, context=self._process.context)

    def hang_up(self) -> None:
        if not self._gone:
            self._gone = True
            self._loop.call_soon(self._tell_end, context=self._process.context)

    # -- under way

    def _arrive(self) -> None:
        if self.cut_on == "before" or not self._process.alive:
            self._network.later(self._later(), self._lose)
            return
        self._process.on_death.append(self._died)
        self._loop.call_soon(self._serve, context=self._process.context)

    def _died(self) -> None:
        self._network.later(self._later() + 1e-6, self._lose)

    def _lose(self) -> None:
        if not self.whole:
            self.lost = True
            self.hang_up()
            self._wake()

    def _wake(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)

    def _deliver(self, status: int, piece: bytes, whole: bool) -> None:
        if self.cut_on == "after":
            self._network.later(self._later(), self._lose)
            return
        if self._gone:
            return
        self._unread += len(piece)
        self._network.later(self._later(), self._receive, status, piece, whole)

    def _receive(self, status: int, piece: bytes, whole: bool) -> None:
        if self.lost:
            return
        self._network.timeline.came(self.who, status, piece)
        self.status = status or self.status
        if piece:
            self.came.append(piece)
        self.whole = whole
        if whole and self._died in self._process.on_death:
            self._process.on_death.remove(self._died)
        self._wake()

    # -- the server's side, in the process's context

    def _serve(self) -> None:
        self._worker.run(self._served())

    async def _served(self) -> None:
        await self._front(self._scope, self._receive_message, self._send)
        if not self._scope["state"].get("stream"):
            self._tell_end()

    def _tell_end(self) -> None:
        if not self._disconnected.done():
            self._disconnected.set_result(None)
        if self._room is not None:
            self._make_room(self._room)

    def _make_room(self, room: asyncio.Future[None]) -> None:
        if not room.done():
            room.set_result(None)

    async def _receive_message(self) -> Any:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await asyncio.shield(self._disconnected)
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self._deliver(message["status"], b"", False)
            return
        if self.is_full() and not self._gone:
            self._room = self._loop.create_future()
            await self._room
        self._deliver(0, message["body"], not message.get("more_body"))

    def take_body(self) -> bytes | None:
        body, self._body = self._body, None
        return body

    def answer(self, answer: Answer) -> bool:
        self._deliver(answer.status, answer.body, True)
        return True

    def add_headers(self, headers: Headers) -> None: ...

    def push(self, piece: bytes) -> bool:
        if self.is_full() or self._gone:
            return False
        self._deliver(0, piece.partition(b"\r\n")[2][:-2], False)
        return True

    def is_full(self) -> bool:
        return self._unread >= UNREAD_BYTES_MAX

    def cut(self, piece: bytes) -> None:
        self._deliver(0, piece, True)
