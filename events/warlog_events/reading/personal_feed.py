"""Personal feeds: each new notice for a player, to everyone who follows as that player.

One `PersonalFeeds` per process. The notifier (workers/notifier.py) writes a notice into its player's stream in Redis
and publishes it in the same step; here it is given to the feeds that are open in this process. The ids of a stream have
no gaps, so a feed notices when it has missed something, and reads the stream. Once a minute all streams are kept for
longer and compared with what was told, in case a message was lost unnoticed.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple, Self

import msgspec
from redis.exceptions import ResponseError

from ..clock_and_random import World
from ..errors import TryAgain, WarlogError
from ..redis import keys
from ..redis.append_notices import Watch
from ..redis.connection import Connection
from .feed import FeedClosed, SlowReader

log = logging.getLogger("warlog.feeds")

KEPT_MS = 3_600_000  # for which a stream is kept when nobody follows any more, and how old a backlog may be
RENEW_SECONDS = 60.0
LATELY_MS = 90_000  # for somebody who follows, the time until which his stream is kept was set that lately
RENEWED_AT_ONCE = 100
RETRY_SECONDS = 0.5
PAGE_NOTICES = 100
NOTICES_MAX = 100  # that may wait for one reader


class NoticeId(NamedTuple):
    """began   when the player's stream was begun, in ms: another one after it was forgotten or lost
    number  without gaps from 1 on; 0: since the beginning
    """

    began: int
    number: int

    def __str__(self) -> str:
        return f"{self.began}-{self.number}"


class Item(NamedTuple):
    """type  of the notice; or, with no body, `ready` (nothing was asked for) or `reset` (what was asked for is not
    known any more): what follows is new
    """

    id: NoticeId
    type: str
    body: bytes


_Message = msgspec.msgpack.Decoder(list[tuple[str, int, int, str, int, str]])


class PersonalFeeds:
    def __init__(
        self, connection: Connection, watch: Watch, world: World, fed: Callable[[int], None]
    ) -> None:
        """`fed(at)` is called for each notice that is handed to feeds, with the time of its event in ms."""
        self._pipe = connection.pipe
        self._watch = watch
        self._world = world
        self._fed = fed
        self._feeds: dict[str, set[PersonalFeed]] = {}
        self._look = asyncio.Event()
        self._keeping: asyncio.Task[None] | None = None
        watch.subscribe(keys.NOTIFIED, self._received, self._look.set)

    def feed(self, player: str, after: NoticeId | None) -> PersonalFeed:
        """What comes after that notice; None: after now."""
        return PersonalFeed(self, player, after)

    @property
    def open(self) -> int:
        return sum(map(len, self._feeds.values()))

    def enter(self, feed: PersonalFeed) -> None:
        self._feeds.setdefault(feed.player, set()).add(feed)
        if self._keeping is None:
            self._keeping = asyncio.create_task(self._keep(), name="warlog personal feeds")

    def leave(self, feed: PersonalFeed) -> None:
        feeds = self._feeds.get(feed.player, set())
        feeds.discard(feed)
        if not feeds:
            self._feeds.pop(feed.player, None)

    async def close(self) -> None:
        for feeds in self._feeds.values():
            for feed in feeds:
                feed.close()
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.wait([self._keeping])

    # -- what Redis has

    async def newest(self, players: Sequence[str]) -> list[NoticeId]:
        """Of each the newest notice; their streams are begun where there are none, and kept for longer."""
        streams = [
            keys.personal_feeds("kept"),
            *(keys.personal_feeds(f"feed:{player}") for player in players),
        ]
        now = self._world.now_ms() if self._world.is_fixed else ""
        reply = await self._pipe.script("personal_feed", streams, (KEPT_MS, now, *players))
        return [NoticeId(began, number) for began, number in zip(reply[::2], reply[1::2], strict=True)]

    async def followed_lately(self, players: Iterable[str]) -> list[bool]:
        """Does somebody follow as this player, or did a moment ago, in any process?"""
        kept = await self._pipe.many(("ZSCORE", keys.personal_feeds("kept"), player) for player in players)
        since = self._world.now_ms() + KEPT_MS - LATELY_MS
        return [until is not None and float(until) > since for until in kept]

    async def after(self, player: str, id: NoticeId) -> list[Item] | None:
        """The first PAGE_NOTICES notices after that one. None: what came after it is not known any more, or is too
        old; or there never was such a notice."""
        stream = keys.personal_feeds(f"feed:{player}")
        entries = await self._pipe.call("XRANGE", stream, str(id), "+", "COUNT", PAGE_NOTICES + 1)
        if not entries or entries[0][0] != str(id).encode():
            return None
        oldest = self._world.now_ms() - KEPT_MS
        items = []
        for entry_id, fields in entries[1:]:
            type_, at, body = fields[1::2]
            if int(at) < oldest:
                return None
            began, _, number = entry_id.partition(b"-")
            items.append(Item(NoticeId(int(began), int(number)), type_.decode(), body))
        return items

    async def _keep(self) -> None:
        """For ever."""
        complained = False
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(RENEW_SECONDS):
                    await self._look.wait()
            self._look.clear()
            try:
                players = [*self._feeds]
                for start in range(0, len(players), RENEWED_AT_ONCE):
                    some = players[start : start + RENEWED_AT_ONCE]
                    for player, newest in zip(some, await self.newest(some), strict=True):
                        for feed in self._feeds.get(player, ()):
                            feed.compare(newest)
                complained = False
            except (WarlogError, ResponseError) as error:
                if not complained:
                    log.warning("personal feeds cannot be kept for longer now: %s", error)
                complained = True
                self._look.set()
                await asyncio.sleep(RETRY_SECONDS)

    # -- what Redis says

    def _received(self, message: bytes) -> None:
        rows = _Message.decode(message)
        if not rows:  # all streams have been dropped
            self._look.set()
        for player, began, number, type_, at, body in rows:
            feeds = self._feeds.get(player)
            if feeds:
                item = Item(NoticeId(began, number), type_, body.encode())
                for feed in feeds:
                    feed.offer(item)
                self._fed(at)


class PersonalFeed(AsyncIterator[Item]):
    """An endless iterator of what comes after a notice, each once and in order, unless a `reset` says that some are
    lost. Raises SlowReader, FeedClosed."""

    def __init__(self, feeds: PersonalFeeds, player: str, after: NoticeId | None) -> None:
        self.player = player
        self._feeds = feeds
        self._waiting: deque[Item] = deque()
        self._tail = after  # id of the last item that was queued
        self._entered = False  # the stream is known to be kept
        self._behind = True  # what comes after the tail has to be read
        self._missed = False  # something came while reading
        self._slow = False
        self._closed: str | None = None
        self._news: asyncio.Future[None] | None = None

    def offer(self, item: Item) -> None:
        tail = self._tail
        if self._closed is not None or (tail is not None and item.id[0] == tail[0] and item.id[1] <= tail[1]):
            return
        if self._behind or tail is None or item.id != (tail[0], tail[1] + 1):
            self._behind = self._missed = True
        elif len(self._waiting) >= NOTICES_MAX:
            self._slow = True
            self._waiting.clear()
        else:
            self._waiting.append(item)
            self._tail = item.id
        self._wake()

    def compare(self, newest: NoticeId) -> None:
        """Reads if there is anything newer than was offered."""
        tail = self._tail
        if tail is not None and (newest[0] != tail[0] or newest[1] > tail[1]):
            self._behind = self._missed = True
            self._wake()

    def close(self, code: str = "shutdown") -> None:
        """Ends it from outside: what waits is still delivered, then FeedClosed."""
        self._closed = self._closed or code
        self._wake()

    async def __aenter__(self) -> Self:
        self._feeds.enter(self)
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._feeds.leave(self)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Item:
        while True:
            if self._slow:
                raise SlowReader
            if self._waiting:
                return self._waiting.popleft()
            if self._closed is not None:
                raise FeedClosed(self._closed)
            if self._behind:
                await self._catch_up()
            else:
                await self._wait()

    def _wake(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)

    async def _wait(self) -> None:
        self._news = asyncio.get_running_loop().create_future()
        try:
            await self._news
        finally:
            self._news = None

    async def _catch_up(self) -> None:
        self._missed = False
        try:
            items = await self._read()
        except TryAgain:
            await asyncio.sleep(RETRY_SECONDS)
            return
        except WarlogError as error:
            self.close(error.code)
            return
        self._waiting += items
        if items:
            self._tail = items[-1].id
        self._behind = self._missed or len(items) == PAGE_NOTICES

    async def _read(self) -> list[Item]:
        if not self._entered:
            (newest,) = await self._feeds.newest([self.player])
            self._entered = True
            if self._tail is None:
                return [Item(newest, "ready", b"")]
        assert self._tail is not None
        items = await self._feeds.after(self.player, self._tail)
        if items is None:
            (newest,) = await self._feeds.newest([self.player])
            return [Item(newest, "reset", b"")]
        return items
