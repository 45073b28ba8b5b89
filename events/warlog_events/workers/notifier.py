"""Hands the notices of appends to the people whom they concern.

An append writes its notices into the activity of its bucket, and does no more for personal feeds. This worker reads the
activity of all buckets many times a second and writes what is new into the feeds of those who follow theirs: feeds and
checkpoints in one script, so that each notice enters a feed once and in order, however many of these workers run and
wherever they are killed. The serving processes are told by the same script (reading/personal_feed.py).

What settled matches have made of ratings, and earned, comes in the same way from the news of standings, once a second.
"""

import asyncio
import logging
from typing import Any

import msgspec

from ..match import notices as notices_
from ..match.bots import HOUSE
from ..match.match import rfc3339
from ..redis import keys
from ..redis.connection import Connection
from ..redis.notices_reader import NewNotices, NoticesReader
from ..redis.wire import Word
from ..standing.counting import catalogue
from ..standing.ratings import Rating
from ..standing.standings import News, news_after

log = logging.getLogger("warlog.notifier")

PAUSE_SECONDS = 0.025
IDLE_PAUSE_SECONDS = 0.5  # while nobody follows his feed, or bots of the house alone to whom nothing happens
QUIET_SECONDS = 60.0  # after which nothing happens
TIDY_SECONDS = 1.0  # between two looks at who follows, and at what lies unread
BATCH = 100  # activity entries of a bucket that are read in one pass
KEPT_ENTRIES = 100  # of a personal feed; some more until Redis drops a block of them
DROPPED_AT_ONCE = 500  # feeds
NEWS = "news"  # beside the buckets: the id of the last entry that has been read


class Notifier:
    def __init__(self, connection: Connection) -> None:
        self._pipe = connection.pipe
        self._reader = NoticesReader(connection)
        self._buckets = connection.buckets
        self._known: dict[int, int] = {}  # bucket → number of the last activity entry that has been looked at
        self._stored: dict[int, int] = {}  # bucket → the same as Redis has it
        self._read_news = ""
        self._tidied = 0.0
        self._told = -QUIET_SECONDS  # when there was a notice
        self.hurries = False  # somebody waits for notices

    async def run(self) -> None:
        """For ever; ends only with an error, and may then be started again."""
        self._known = {}
        while True:
            more = await self.step()
            if not more:
                await asyncio.sleep(PAUSE_SECONDS if self.hurries else IDLE_PAUSE_SECONDS)

    async def step(self) -> bool:
        """One pass over all buckets that can be reached. True if there may be more at once."""
        if not self._known:
            await self._begin()
        now = asyncio.get_running_loop().time()
        tidy = now - self._tidied >= TIDY_SECONDS
        news = await self._reader.read(self._known, BATCH, check=tidy)
        for new in news:
            if new.lost:
                await self._lose(new)
        rows = [row for new in news for row in new.rows]
        if rows:
            self._told = now
        moved = {new.bucket: new.reached for new in news}
        if rows or tidy:
            moved = self._known | moved
            unread = [bucket for bucket, number in moved.items() if number != self._stored.get(bucket, 0)]
            if unread and not await self._write({bucket: moved[bucket] for bucket in unread}, rows):
                self._known = {}  # another process has read on; from where it is now
                return True
        self._known |= moved
        if tidy:
            self._tidied = now
            if not await self._tell_news():
                self._known = {}
                return True
            self.hurries = await self._is_followed(now)
        return any(new.more for new in news)

    async def _is_followed(self, now: float) -> bool:
        """Does it matter how soon notices come? The house's bots always follow: alone they count while something
        happens."""
        followers = await self._pipe.call("ZRANGE", keys.personal_feeds("kept"), 0, len(HOUSE))
        if all(player.decode() in HOUSE for player in followers):
            return bool(followers) and now - self._told < QUIET_SECONDS
        return True

    async def _begin(self) -> None:
        flat = await self._pipe.call("HGETALL", keys.personal_feeds("read"))
        read = dict(zip(flat[::2], flat[1::2], strict=True))
        self._read_news = read.pop(NEWS.encode(), b"").decode()
        self._stored = {int(bucket): int(number) for bucket, number in read.items()}
        self._known = {bucket: self._stored.get(bucket, 0) for bucket in range(self._buckets)}

    async def _write(self, moved: dict[int, int], rows: list[tuple[str, int, bytes]]) -> bool:
        """False, and nothing is written, if another process has moved a checkpoint."""
        arguments: list[str | int | bytes] = [
            keys.personal_feeds("feed:"),
            KEPT_ENTRIES,
            keys.NOTIFIED,
            len(moved),
        ]
        for bucket, number in moved.items():
            arguments += (bucket, self._stored.get(bucket, 0), number)
        for match_id, version, raw in rows:
            notices = notices_.decode(raw)
            for notice in notices.notices:
                body = notices_.json_of(match_id, version, notices, notice)
                arguments += (notice.player, notice.kind, notices.at, body)
        if await self._pipe.script("notify", [keys.personal_feeds("read")], arguments) < 0:
            return False
        self._stored |= moved
        return True

    async def _tell_news(self) -> bool:
        """False if another process has read on."""
        while page := await news_after(self._pipe, self._read_news):
            reached = page[-1][0]
            notices = [
                word
                for _, news in page
                if not news.key or news.key in catalogue()  # else another build's
                for word in (news.player, news.kind, news.at, news_json(news))
            ]
            arguments: list[Word] = [keys.personal_feeds("feed:"), KEPT_ENTRIES, keys.NOTIFIED, 1]
            arguments += [NEWS, self._read_news or 0, reached, *notices]
            if await self._pipe.script("notify", [keys.personal_feeds("read")], arguments) < 0:
                return False
            self._read_news = reached
        return True

    async def _lose(self, new: NewNotices) -> None:
        """Entries of a bucket are gone that nobody has read, because no process did this work for too long, or Redis
        has lost its end. Anybody may have missed something: all feeds end, and begin anew with `reset`."""
        while players := await self._pipe.call("ZRANGE", keys.personal_feeds("kept"), 0, DROPPED_AT_ONCE - 1):
            feeds = (keys.personal_feeds(f"feed:{player.decode()}") for player in players)
            await self._pipe.call("DEL", *feeds, write=True)
            await self._pipe.call("ZREM", keys.personal_feeds("kept"), *players, write=True)
            log.warning(
                "bucket %d: activity was lost before it was read; personal feeds begin anew", new.bucket
            )
        await self._pipe.call("PUBLISH", keys.NOTIFIED, b"\x90", write=True)


def news_json(news: News) -> bytes:
    """As its reader gets it: a member of `schema.Notice`."""
    shown: dict[str, Any] = {
        "type": news.kind,
        "match": news.match,
        "game": news.game,
        "version": news.version,
        "at": rfc3339(news.at),
        "seats": news.seats,
    }
    if news.key:
        one = catalogue()[news.key]
        shown["achievement"] = {"key": news.key, "name": one.name, "text": one.text}
    elif news.unrated:
        shown["reason"] = news.unrated
    else:
        before, after = Rating(*news.before), Rating(*news.after)
        shown |= {"pool": news.pool, "before": before.json(), "after": after.json()}
    return msgspec.json.encode(shown)
