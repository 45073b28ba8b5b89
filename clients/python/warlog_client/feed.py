"""A feed without any I/O: what was received so far, how to ask for the rest, and when to give up.

The two clients open the stream, read it and sleep; what that means for the feed is decided here. Splitting a
stream into Server-Sent Events is httpx-sse's work: it hands on an event only when its blank line has come, so
one that was cut anywhere before is asked for again and never seen twice.
"""

from __future__ import annotations

from typing import Any

import httpx
import msgspec
from httpx_sse import ServerSentEvent, SSEError

from .errors import BrokenFeed, ServiceUnavailable, UnexpectedReply, Unreachable
from .models import Event, Seats
from .request import Retry, path, query

_decode_event = msgspec.json.Decoder(Event).decode


class StreamEnded(Exception):
    """The stream is over, by the server's `closing` or because it left something out; ask again."""


Survivable = (httpx.TransportError, ServiceUnavailable, StreamEnded)
"""What a feed goes on after."""


class Follower:
    """One reader's place in one feed."""

    def __init__(self, match: str, seat: Seats, after: int, silence_s: float, retry: Retry) -> None:
        self._after = after
        self._path = path("matches", match, "feed")
        self._seat = seat
        self._timeout = httpx.Timeout(silence_s, connect=10.0)
        self._retry = retry
        self._failures = 0
        self._gap_after: int | None = None
        self._asked_before = False

    def request(self) -> dict[str, Any]:
        """The arguments for `httpx.Client.stream`: from the last event received on."""
        headers = {"Accept": "text/event-stream", "Cache-Control": "no-store"}
        after = None if self._asked_before else self._after
        if self._asked_before:
            headers["Last-Event-ID"] = str(self._after)
        self._asked_before = True
        return {
            "url": self._path,
            "params": query(seat=self._seat, after=after),
            "headers": headers,
            "timeout": self._timeout,
        }

    def receive(self, message: ServerSentEvent) -> Event | None:
        """The event to hand on; None for heartbeats and for what was received before.

        Raises StreamEnded when the server closes the stream or leaves a version out; BrokenFeed when it does
        so again at the same place."""
        if message.event == "closing":
            raise StreamEnded(message.data)
        self._failures = 0
        if message.event == "heartbeat" or not message.data:
            return None
        try:
            event = _decode_event(message.data)
        except msgspec.DecodeError as error:
            raise UnexpectedReply(f"{self._path}: {error}") from error
        if event.version <= self._after:
            return None
        if event.version > self._after + 1:
            gap = f"version {event.version} came after {self._after}"
            if self._gap_after == self._after:
                raise BrokenFeed(f"{self._path}: {gap}")
            self._gap_after = self._after
            raise StreamEnded(gap)
        self._after = event.version
        return event

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
