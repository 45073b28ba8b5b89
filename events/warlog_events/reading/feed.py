"""Live feeds: each new event of a match, to everyone who follows it, as he may see it.

One `Hub` per process. An event that this process appends goes through `Hub.publish` to the feeds of its match. Of what
another process appends, `Watch` (redis/append_notices.py) calls `Hub._moved`, and the hub reads it once for all.
Readers who get the same share the encoded bytes. A reader who is behind reads for himself; one for whom too many events
wait is cut off. Nobody waits for anybody.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import NamedTuple, Self

from ..errors import IntegrityError, TryAgain, WarlogError
from ..match.match import Match
from ..match.model import STRANGER, Reader
from ..match.stored import StoredEvent, follows
from ..redis.append_notices import Watch
from .past import Past
from .replayed import EventWithState
from .visible import live_json, public_json

log = logging.getLogger("warlog.feeds")

PAGE_EVENTS = 100
RETRY_SECONDS = 0.5
LATE_MS = 1_000


class Item(NamedTuple):
    """An event as one reader gets it: its version, its type, and the JSON of `/events` with `to_act` and, of the
    newest, `deadlines` (`live_json`)."""

    version: int
    type: str
    json: bytes


class SlowReader(Exception):
    """More events waited for this reader than he may leave waiting. He can come back with Last-Event-ID."""

    code = "slow_reader"


class FeedClosed(Exception):
    """The process goes down, or the match can no longer be read. `code` says why: shutdown, integrity_error …"""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class _Followed:
    """A match that somebody follows.

    offered   every event up to this version has been offered
    chain     that event's: what is offered next must follow on it
    moved     what `Watch` calls with a version, 0 for "look for yourself"
    pull      the task that reads what is new, while there is one
    again     it is to read once more: something came meanwhile
    """

    def __init__(self, offered: int, chain: str, moved: Callable[[int], None]) -> None:
        self.offered = offered
        self.chain = chain
        self.moved = moved
        self.feeds: set[Feed] = set()
        self.pull: asyncio.Task[None] | None = None
        self.again = False


class _Forms(NamedTuple):
    """An event, encoded for all who follow.

    for_all    for everybody alike; None: each gets what he may see
    by_reader  then, for each reader
    """

    stored: StoredEvent
    for_all: Item | None
    by_reader: dict[Reader, Item]


class Hub:
    """The matches that are followed in this process, and who follows them."""

    def __init__(
        self,
        past: Past,
        watch: Watch | None,
        events_max: int,
        now_ms: Callable[[], int],
        *,
        handed_out: Callable[[int], None],
        contradicts: Callable[[str, int, str], Awaitable[None]],
    ) -> None:
        """`watch` None: only what this process appends is noticed.

        handed_out   is called for each event that is given to feeds, with its time in ms
        contradicts  `Integrity.contradicts`, where Redis has another event than was shown
        """
        self._past = past
        self._watch = watch
        self._events_max = events_max
        self._now_ms = now_ms
        self._handed_out = handed_out
        self._contradicts = contradicts
        self._followed: dict[str, _Followed] = {}

    def publish(self, match: Match, event: EventWithState) -> None:
        """One event has just been appended here; it is the newest of `match`. Gives it to every feed of the match."""
        followed = self._followed.get(match.id)
        if followed is None:
            return
        version = event.stored.version
        if version == followed.offered + 1:
            # The append has compared the chain.
            followed.offered, followed.chain = version, event.stored.chain
            _offer(followed, _forms_for(match, event, followed.feeds))
            self._handed_out(event.stored.at)
        else:  # events before it are not offered yet, or `_pull` has offered it already
            self._moved(match.id, version)

    def catch_up(self, match_id: str) -> None:
        """For what this process has appended, or may have, which `Watch` does not notice: reads what is new."""
        self._moved(match_id, 0)

    def _moved(self, match_id: str, version: int) -> None:
        """Starts `_pull`, unless `version` has been offered already. 0: perhaps there is something new."""
        followed = self._followed.get(match_id)
        if followed is None or 0 < version <= followed.offered:
            return
        followed.again = True
        if followed.pull is None:
            followed.pull = asyncio.create_task(self._pull(match_id, followed))

    async def _pull(self, match_id: str, followed: _Followed) -> None:
        """Reads and replays what is new, once for all who follow, and offers it to them."""
        try:
            while followed.again:
                followed.again = False
                events = await self._past.each_now(
                    match_id,
                    followed.offered,
                    PAGE_EVENTS,
                    lambda match, event: _forms_for(
                        match, event, followed.feeds, self._now_if_late(match, event)
                    ),
                )
                for forms in events:
                    stored = forms.stored
                    if stored.version == followed.offered + 1:
                        if not follows(followed.chain, stored):
                            await self._contradicts(match_id, followed.offered, "another one than was shown")
                            return
                        followed.offered, followed.chain = stored.version, stored.chain
                        self._handed_out(stored.at)
                    # Where `publish` has offered it meanwhile, feeds pass it over.
                    _offer(followed, forms)
                followed.again = followed.again or len(events) == PAGE_EVENTS
        except TryAgain as error:
            log.warning("%s: %s", match_id, error)  # when Redis is back, Watch calls `_moved` again
        except WarlogError as error:
            code = error.code if isinstance(error, IntegrityError) else "unavailable"
            for feed in followed.feeds:
                feed.close(code)
        finally:
            followed.pull = None

    def _now_if_late(self, match: Match, event: EventWithState) -> int | None:
        """`now_ms` for the newest event if it is read long after it happened, as Redis was away: a client's countdown
        begins at `now`."""
        now = self._now_ms()
        return now if event.stored.version == match.version and now - event.stored.at > LATE_MS else None

    def feed(self, match: Match, reader: Reader, after: int) -> Feed:
        return Feed(self, match, reader, after, self._events_max)

    def enter(self, feed: Feed) -> None:
        match_id = feed.match_id
        followed = self._followed.get(match_id)
        if followed is None:
            followed = _Followed(
                feed.began_version, feed.began_chain, lambda version: self._moved(match_id, version)
            )
            self._followed[match_id] = followed
            if self._watch is not None:
                self._watch.watch(match_id, followed.moved)
        followed.feeds.add(feed)

    def leave(self, feed: Feed) -> None:
        followed = self._followed.get(feed.match_id)
        if followed is None:
            return
        followed.feeds.discard(feed)
        if not followed.feeds:
            del self._followed[feed.match_id]
            if self._watch is not None:
                self._watch.unwatch(feed.match_id, followed.moved)
            if followed.pull is not None:
                followed.pull.cancel()

    async def read(self, feed: Feed, after: int, limit: int) -> list[Item]:
        """For one reader who is behind."""
        return await self._past.each_now(
            feed.match_id,
            after,
            limit,
            lambda match, event: _item(match, event, feed.reader, self._now_ms()),
        )

    @property
    def waiting(self) -> int:
        """How many events wait for all readers."""
        return sum(feed.waiting for followed in self._followed.values() for feed in followed.feeds)

    @property
    def offered(self) -> list[tuple[str, int, str]]:
        """(match, version, chain) of the newest event that was offered, of every match that is followed."""
        return [(match_id, one.offered, one.chain) for match_id, one in self._followed.items()]

    def broken(self, match_id: str) -> None:
        """The match contradicts itself: nobody is shown anything more of it."""
        followed = self._followed.get(match_id)
        if followed is not None:
            for feed in followed.feeds:
                feed.close(IntegrityError.code)

    def close(self) -> None:
        for followed in self._followed.values():
            if followed.pull is not None:
                followed.pull.cancel()
            for feed in followed.feeds:
                feed.close("shutdown")


def _forms_for(
    match: Match, event: EventWithState, feeds: Iterable[Feed], now_ms: int | None = None
) -> _Forms:
    """`now_ms`: as for `live_json`."""
    if public_json(event) is not None:  # a stranger gets what all get
        return _Forms(event.stored, _item(match, event, STRANGER, now_ms), {})
    readers = {feed.reader for feed in feeds}
    return _Forms(event.stored, None, {reader: _item(match, event, reader, now_ms) for reader in readers})


def _item(match: Match, event: EventWithState, reader: Reader, now_ms: int | None) -> Item:
    return Item(event.stored.version, event.stored.type, live_json(match, event, reader, now_ms))


def _offer(followed: _Followed, forms: _Forms) -> None:
    """Gives the event to every feed, encoded for its reader."""
    for feed in followed.feeds:
        # None: this reader came while `Hub._pull` read the events. He reads this one for himself, as every feed begins.
        item = forms.for_all or forms.by_reader.get(feed.reader)
        if item is not None:
            feed.offer(item)


class Feed(AsyncIterator[Item]):
    """An endless iterator of (version, type, JSON): every version after `after`, once and in order.

    The JSON is the event of `/events` with `to_act` and, of the newest, `deadlines` after it.

        async with matches.feed(match, reader, after) as feed:
            async for version, type, data in feed: ...

    `__anext__` may be abandoned (asyncio.wait_for, for a heartbeat) without losing an event. Raises SlowReader,
    FeedClosed.

    write_at_once  `Stream._push` (warlog_service/routes/feed.py), set by `Stream.follow`, and called while the iterator
                   waits: it writes the item straight to the connection, and the task that iterates is not woken. If it
                   answers False, the iterator gets the item. Most events of most feeds find somebody waiting."""

    def __init__(self, hub: Hub, match: Match, reader: Reader, after: int, events_max: int) -> None:
        self.reader = reader
        self.match_id = match.id
        self.began_version = match.version
        self.began_chain = match.chain
        self._hub = hub
        self._events_max = events_max
        self._queue: deque[Item] = deque()
        self._given = after  # version of the last event that was queued, or written at once
        self._behind = True  # what comes after `_given` has to be read: so every feed begins
        # Something came that was not next. `_read_behind` clears it before it reads, and so sees what came meanwhile.
        self._missed = False
        self._slow = False
        self._closed: str | None = None
        # While the iterator waits, which it does with an empty queue.
        self._wakeup: asyncio.Future[None] | None = None
        self.write_at_once: Callable[[Item], bool] | None = None

    def offer(self, item: Item) -> None:
        """The next event, from the hub: to the connection, into the queue, or to be read later."""
        if self._closed is not None or item.version <= self._given:
            return
        if item.version > self._given + 1:
            self._behind = self._missed = True
        elif (
            self.write_at_once is not None
            and (wakeup := self._wakeup) is not None
            and not wakeup.done()
            and self.write_at_once(item)
        ):
            self._given += 1
            return
        elif len(self._queue) >= self._events_max:
            self._slow = True
            self._queue.clear()
        else:
            self._queue.append(item)
            self._given += 1
        self._wake()

    def _wake(self) -> None:
        if self._wakeup is not None and not self._wakeup.done():
            self._wakeup.set_result(None)

    def close(self, code: str = "shutdown") -> None:
        """Ends it from outside: what waits is still delivered, then FeedClosed."""
        self._closed = self._closed or code
        self._wake()

    @property
    def waiting(self) -> int:
        return len(self._queue)

    async def __aenter__(self) -> Self:
        self._hub.enter(self)
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._hub.leave(self)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Item:
        while True:
            if self._slow:
                raise SlowReader
            if self._queue:
                return self._queue.popleft()
            if self._closed is not None:
                raise FeedClosed(self._closed)
            if self._behind:
                await self._read_behind()
            else:
                await self._wait()

    async def _wait(self) -> None:
        self._wakeup = asyncio.get_running_loop().create_future()
        try:
            await self._wakeup
        finally:
            self._wakeup = None

    async def _read_behind(self) -> None:
        self._missed = False
        try:
            items = await self._hub.read(self, self._given, PAGE_EVENTS)
        except TryAgain:
            await asyncio.sleep(RETRY_SECONDS)
            return
        except WarlogError as error:
            self.close(error.code)
            return
        for item in items:
            if item.version == self._given + 1:
                self._queue.append(item)
                self._given += 1
        self._behind = self._missed or len(items) == PAGE_EVENTS
