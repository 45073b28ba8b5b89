"""A notice reaches its player's feed once and in order, whoever hands it on and wherever he dies; or the feed says that
something is lost."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import pytest_asyncio

from tests.events.table import ADA, BOB, EVE, Table, table_at
from tests.servers import AnyRedis
from warlog_events.clock_and_random import World
from warlog_events.match.bots import house
from warlog_events.match.match import Match
from warlog_events.match.model import encode
from warlog_events.reading import personal_feed
from warlog_events.reading.feed import FeedClosed, SlowReader
from warlog_events.reading.personal_feed import Item, NoticeId, PersonalFeed, PersonalFeeds
from warlog_events.redis import keys
from warlog_events.redis.append_notices import Watch
from warlog_events.standing.standings import News
from warlog_events.workers.notifier import KEPT_ENTRIES, Notifier


@asynccontextmanager
async def process(table: Table) -> AsyncIterator[PersonalFeeds]:
    """In which people follow their feeds."""
    watch = Watch(table.connection)
    feeds = PersonalFeeds(table.connection, watch, table.world, lambda at: None)
    try:
        yield feeds
    finally:
        await feeds.close()
        await watch.close()


@pytest_asyncio.fixture
async def table(own_redis: AnyRedis) -> AsyncIterator[Table]:
    async with table_at(own_redis.url) as table:
        yield table


@pytest_asyncio.fixture
async def feeds(table: Table) -> AsyncIterator[PersonalFeeds]:
    async with process(table) as feeds:
        yield feeds


async def take(feed: PersonalFeed, count: int) -> list[Item]:
    async with asyncio.timeout(10):
        return [await anext(feed) for _ in range(count)]


async def work(notifier: Notifier) -> None:
    while await notifier.step():
        pass


def told(items: list[Item]) -> list[tuple[str, int]]:
    return [(item.type, json.loads(item.body)["version"]) for item in items]


async def hurries(table: Table) -> bool:
    """A new notifier, which has looked once."""
    notifier = Notifier(table.connection)
    await work(notifier)
    return notifier.hurries


async def test_bots_of_the_house_hurry_it_only_while_something_happens(
    table: Table, feeds: PersonalFeeds
) -> None:
    assert not await hurries(table)
    async with feeds.feed(house(5).id, None) as bot:
        await take(bot, 1)
        assert not await hurries(table)
        await table.duel()
        assert await hurries(table)
        assert not await hurries(table)
        async with feeds.feed(ADA.id, None) as person:
            await take(person, 1)
            assert await hurries(table)


async def busy(table: Table, turns: int, seed: int = 1) -> tuple[Match, list[tuple[str, int]]]:
    """A duel with random actions, and what ada is told of it, by the versions of the match."""
    match = await table.duel(consent="none")
    expected = [("seated", 1), ("match_started", 3)]
    before: set[str] = set()
    rng = random.Random(seed)
    while True:
        waits = set() if match.is_over else {match.holders[seat].id for seat in match.to_act}
        if ADA.id in waits - before:
            expected.append(("your_turn", match.version))
        if match.is_over:
            return match, [*expected, ("match_over", match.version)]
        before = waits
        match = await table.play(match, 1, rng) if match.version < turns else await table.finish(match)


async def stream(table: Table, player: str) -> list[tuple[str, dict[bytes, bytes]]]:
    entries = await table.connection.pipe.call("XRANGE", keys.personal_feeds(f"feed:{player}"), "-", "+")
    return [(id.decode(), dict(zip(flat[::2], flat[1::2], strict=True))) for id, flat in entries]


async def test_a_feed_begins_with_ready_and_follows(table: Table, feeds: PersonalFeeds) -> None:
    notifier = Notifier(table.connection)
    await work(notifier)
    async with feeds.feed(ADA.id, None) as feed:
        (ready,) = await take(feed, 1)
        assert (ready.type, ready.id.number) == ("ready", 0)
        _, expected = await busy(table, 30)
        await work(notifier)
        items = await take(feed, len(expected))
    assert told(items) == expected
    assert [item.id for item in items] == [
        NoticeId(ready.id.began, number) for number in range(1, len(expected) + 1)
    ]


async def test_an_achievement_that_only_another_build_knows_is_passed_over(
    table: Table, feeds: PersonalFeeds
) -> None:
    """Of a game, or with a key, that this build does not have. Those after it are told."""
    async with feeds.feed(ADA.id, None) as feed:
        await take(feed, 1)
        for key in ("chess.mate", "any.first_win"):
            news = encode(News(ADA.id, key, "m_1", "hex", 9, 0, ["red"]))
            await table.connection.pipe.call("XADD", keys.standing("news"), "*", "body", news)
        await work(Notifier(table.connection))
        (item,) = await take(feed, 1)
    assert json.loads(item.body)["achievement"]["key"] == "any.first_win"


async def test_who_follows_nothing_costs_no_memory(table: Table, feeds: PersonalFeeds) -> None:
    async with feeds.feed(ADA.id, None) as feed:
        await take(feed, 1)
        await busy(table, 10)
        await work(Notifier(table.connection))
    assert len(await stream(table, ADA.id)) > 3
    assert await stream(table, BOB.id) == []
    ttl = await table.connection.pipe.call("PTTL", keys.personal_feeds(f"feed:{ADA.id}"))
    assert 0 < ttl <= personal_feed.KEPT_MS


async def test_cut_anywhere_it_goes_on_in_another_process(table: Table, feeds: PersonalFeeds) -> None:
    async with feeds.feed(ADA.id, None) as feed:
        (ready,) = await take(feed, 1)
        _, expected = await busy(table, 20)
        await work(Notifier(table.connection))
        whole = await take(feed, len(expected))
    async with process(table) as others:
        for cut, after in enumerate([ready.id, *(item.id for item in whole)]):
            async with others.feed(ADA.id, after) as feed:
                assert await take(feed, len(whole) - cut) == whole[cut:]


async def reset(feeds: PersonalFeeds, after: NoticeId) -> Item:
    async with feeds.feed(ADA.id, after) as feed:
        (item,) = await take(feed, 1)
    assert (item.type, item.body) == ("reset", b"")
    return item


async def test_what_is_not_known_is_reset_and_goes_on(table: Table, feeds: PersonalFeeds) -> None:
    notifier = Notifier(table.connection)
    async with feeds.feed(ADA.id, None) as feed:
        (ready,) = await take(feed, 1)
    await busy(table, 5)
    await work(notifier)
    newest = (await feeds.newest([ADA.id]))[0]
    assert newest.number > 2
    for after in (
        NoticeId(newest.began, newest.number + 1),  # from the future
        NoticeId(newest.began + 1, 1),
        NoticeId(ready.id.began - 1, 0),  # of a stream that has been forgotten
        NoticeId(10**14, 10**14),
    ):
        assert (await reset(feeds, after)).id == newest
    async with feeds.feed(ADA.id, NoticeId(1, 1)) as feed:
        await take(feed, 1)
        _, expected = await busy(table, 5)
        await work(notifier)
        assert told(await take(feed, len(expected))) == expected


async def test_the_backlog_is_bounded_by_number(table: Table, feeds: PersonalFeeds) -> None:
    async with feeds.feed(ADA.id, None) as feed:
        (ready,) = await take(feed, 1)
    row = (ADA.id, "your_turn", table.world.now_ms(), b'{"version":1}')
    script, checkpoint = table.connection.pipe.script, [keys.personal_feeds("read")]
    for _ in range(20):
        rows = [word for _ in range(50) for word in row]
        await script("notify", checkpoint, (keys.personal_feeds("feed:"), KEPT_ENTRIES, "none", 0, *rows))
    kept = [NoticeId(*map(int, id.split("-"))) for id, _ in await stream(table, ADA.id)]
    assert KEPT_ENTRIES <= len(kept) < KEPT_ENTRIES + 100
    await reset(feeds, ready.id)
    await reset(feeds, NoticeId(ready.id.began, kept[0].number - 1))
    async with feeds.feed(ADA.id, kept[0]) as feed:
        assert [item.id for item in await take(feed, len(kept) - 1)] == kept[1:]


async def test_the_backlog_is_bounded_by_age(
    table: Table, feeds: PersonalFeeds, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with feeds.feed(ADA.id, None) as feed:
        (ready,) = await take(feed, 1)
        _, expected = await busy(table, 5)
        await work(Notifier(table.connection))
        items = await take(feed, len(expected))
    later = World(
        lambda: table.world.now_ms() + personal_feed.KEPT_MS + 1, table.world.token_bytes, is_fixed=True
    )
    monkeypatch.setattr(feeds, "_world", later)
    await reset(feeds, ready.id)
    async with feeds.feed(ADA.id, items[-1].id) as feed:  # nothing is missed
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await anext(feed)


async def test_a_notifier_that_dies_before_or_after_it_writes_loses_and_doubles_nothing(
    table: Table, feeds: PersonalFeeds, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(Exception):
        pass

    async def dies_before(self: Notifier, moved: dict[int, int], rows: Any) -> bool:
        raise Killed

    async def dies_after(self: Notifier, moved: dict[int, int], rows: Any) -> bool:
        await write(self, moved, rows)
        raise Killed

    write = Notifier._write
    async with feeds.feed(ADA.id, None) as feed:
        await take(feed, 1)
        for dies in (dies_before, dies_after):
            _, expected = await busy(table, 12)
            with monkeypatch.context() as patched:
                patched.setattr(Notifier, "_write", dies)
                with pytest.raises(Killed):
                    await work(Notifier(table.connection))
            await work(Notifier(table.connection))
            assert told(await take(feed, len(expected))) == expected
    assert len(await stream(table, ADA.id)) == 1 + feed._tail.number  # type: ignore[union-attr]


async def test_of_two_notifiers_one_writes(table: Table, feeds: PersonalFeeds) -> None:
    async with feeds.feed(ADA.id, None) as feed:
        await take(feed, 1)
        first, second = Notifier(table.connection), Notifier(table.connection)
        for _ in range(3):
            _, expected = await busy(table, 12)
            await asyncio.gather(work(first), work(second), work(Notifier(table.connection)))
            assert told(await take(feed, len(expected))) == expected


async def test_a_lost_message_is_noticed(
    table: Table, feeds: PersonalFeeds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(personal_feed, "RENEW_SECONDS", 0.1)
    async with feeds.feed(ADA.id, None) as feed, feeds.feed(ADA.id, None) as second:
        await take(feed, 1)
        await take(second, 1)
        with monkeypatch.context() as patched:
            patched.setattr(PersonalFeed, "offer", lambda self, item: None)
            _, expected = await busy(table, 12)
            await work(Notifier(table.connection))
            assert told(await take(feed, len(expected))) == expected
        assert told(await take(second, len(expected))) == expected


async def test_a_notice_after_a_lost_one_shows_that_it_is_missing(
    table: Table, feeds: PersonalFeeds, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long before all feeds are compared with what is stored."""
    offer, lost = PersonalFeed.offer, 0

    def loses(self: PersonalFeed, item: Item) -> None:
        nonlocal lost
        if item.id.number % 3 == 1:
            lost += 1
        else:
            offer(self, item)

    monkeypatch.setattr(PersonalFeed, "offer", loses)
    async with feeds.feed(ADA.id, None) as feed:
        await take(feed, 1)
        _, expected = await busy(table, 20)
        await work(Notifier(table.connection))
        until = len(expected) - (len(expected) % 3 == 1)
        assert told(await take(feed, until)) == expected[:until]
        assert lost > 1


async def test_activity_that_is_gone_before_it_was_read_resets_every_feed(
    table: Table, feeds: PersonalFeeds
) -> None:
    notifier = Notifier(table.connection)
    async with feeds.feed(ADA.id, None) as feed, feeds.feed(EVE.id, None) as eves:
        await take(feed, 1)
        await take(eves, 1)
        match, _ = await busy(table, 6)
        bucket = keys.bucket_of(match.id)
        assert bucket is not None
        await work(notifier)
        match, _ = await busy(table, 6)
        bucket = keys.bucket_of(match.id)
        await table.connection.pipe.call("XTRIM", keys.activity(bucket or 0), "MAXLEN", 1)
        await work(notifier)
        async with asyncio.timeout(10):
            while (await anext(feed)).type != "reset":
                pass
        assert [item.type for item in await take(eves, 1)] == ["reset"]
        _, expected = await busy(table, 6)
        await work(notifier)
        assert told(await take(feed, len(expected))) == expected


async def test_a_reader_who_falls_behind_is_cut_off_and_one_that_is_closed_gets_what_waits(
    table: Table, feeds: PersonalFeeds
) -> None:
    async with feeds.feed(ADA.id, None) as slow, feeds.feed(ADA.id, None) as closed:
        await take(slow, 1)
        (ready,) = await take(closed, 1)
        for number in range(1, personal_feed.NOTICES_MAX + 2):
            item = Item(NoticeId(ready.id.began, number), "your_turn", b"{}")
            slow.offer(item)
            if number < 3:
                closed.offer(item)
        closed.close("shutdown")
        with pytest.raises(SlowReader):
            await take(slow, 1)
        assert [item.id.number for item in await take(closed, 2)] == [1, 2]
        with pytest.raises(FeedClosed):
            await take(closed, 1)
