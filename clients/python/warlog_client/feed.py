"""A feed without any I/O: what was received so far, how to ask for the rest, and when to give up.

The two clients open the stream, read it and sleep; what that means for the feed is decided here. Splitting a
stream into Server-Sent Events is httpx-sse's work: it hands on an event only when its blank line has come, so
one that was cut anywhere before is asked for again and never seen twice.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

import httpx
import msgspec
from httpx_sse import ServerSentEvent, SSEError

from .errors import BrokenFeed, ServiceUnavailable, UnexpectedReply, Unreachable
from .events import Event, Notice, read_event, read_notice
from .models import Seats
from .request import Retry, path, query

T = TypeVar("T")


class StreamEnded(Exception):
    """The stream is over, by the server's `closing` or because it left something out; ask again."""


Survivable = (httpx.TransportError, ServiceUnavailable, StreamEnded)
"""What a feed goes on after."""


class Follower(ABC, Generic[T]):
    """One reader's place in one feed."""

    def __init__(self, path: str, silence_s: float, retry: Retry) -> None:
        self._path = path
        self._timeout = httpx.Timeout(silence_s, connect=10.0)
        self._retry = retry
        self._failures = 0

    @abstractmethod
    def request(self) -> dict[str, Any]:
        """The arguments for `httpx.Client.stream`: from the last event received on."""

    def _request(self, last: str | None, **asked: Any) -> dict[str, Any]:
        headers = {"Accept": "text/event-stream", "Cache-Control": "no-store"}
        if last is not None:
            headers["Last-Event-ID"] = last
        return {"url": self._path, "params": query(**asked), "headers": headers, "timeout": self._timeout}

    def receive(self, message: ServerSentEvent) -> T | None:
        """The event to hand on; None for heartbeats and for what was received before.

        Raises StreamEnded when the server closes the stream or leaves something out; BrokenFeed when it does so
        again at the same place."""
        if message.event == "closing":
            raise StreamEnded(message.data)
        self._failures = 0
        if message.event == "heartbeat" or not message.data:
            return None
        try:
            return self._read(message)
        except msgspec.DecodeError as error:
            raise UnexpectedReply(f"{self._path}: {error}") from error

    @abstractmethod
    def _read(self, message: ServerSentEvent) -> T | None: ...

    def interrupted(self, error: Exception) -> float:
        """The seconds to wait before asking again.

        Raises what interrupted it after too many interruptions in a row without a word between them."""
        if isinstance(error, SSEError):
            raise UnexpectedReply(f"{self._path}: {error}") from error
        self._failures += 1
        if self._failures < self._retry.attempts:
            return self._retry.wait(self._failures, error)
        if isinstance(error, ServiceUnavailable):
            raise error
        raise Unreachable(f"{self._path}: {error!r}") from error


class MatchFollower(Follower[Event]):
    """Of a match: ids are versions, which have no gaps. What is sent again is dropped; but where a connection begins
    with an old version, the match has lost those after it."""

    def __init__(self, match: str, seat: Seats, after: int, silence_s: float, retry: Retry) -> None:
        super().__init__(path("matches", match, "feed"), silence_s, retry)
        self._after = after
        self._seat = seat
        self._gap_after: int | None = None
        self._asked_before = False
        self._begins = True  # the next event is the first of its connection

    def request(self) -> dict[str, Any]:
        self._begins = True
        if self._asked_before:
            return self._request(str(self._after), seat=self._seat)
        self._asked_before = True
        return self._request(None, seat=self._seat, after=self._after)

    def _read(self, message: ServerSentEvent) -> Event | None:
        event = read_event(message.data)
        begins, self._begins = self._begins, False
        if event.version <= self._after and not begins:
            return None
        if event.version != self._after + 1:
            gap = f"version {event.version} came after {self._after}"
            if self._gap_after == self._after:
                raise BrokenFeed(f"{self._path}: {gap}")
            self._gap_after = self._after
            raise StreamEnded(gap)
        self._after = event.version
        return event


class NoticeFollower(Follower[Notice]):
    """Of a player: the server says itself when notices are lost (`reset`)."""

    def __init__(self, after: str | None, silence_s: float, retry: Retry) -> None:
        super().__init__(path("players", "me", "feed"), silence_s, retry)
        self._after = after

    def request(self) -> dict[str, Any]:
        return self._request(self._after)

    def _read(self, message: ServerSentEvent) -> Notice | None:
        notice = read_notice(message.data)
        if not message.id:
            return None
        self._after = message.id
        return msgspec.structs.replace(notice, id=message.id)
