"""Live feeds: every event once and in order, wherever a reader comes from and whoever writes."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio

from tests.events.hand import opened
from tests.events.table import ADA, ALL, BATTLE, BOB, HIDDEN, SPECTATOR, Hands, Table, choice, table_at
from tests.servers import AnyRedis, RedisServer
from warlog_events.errors import Unconfirmed
from warlog_events.match.commands import Act, CreateMatch, Options, Prepare, Propose, TakeSeat, Undo
from warlog_events.match.match import Match, rfc3339
from warlog_events.match.model import Reader
from warlog_events.match_settings import MatchSettings
from warlog_events.reading.feed import Feed, FeedClosed, Item, SlowReader
from warlog_events.redis.store import Append


@pytest_asyncio.fixture
async def table(redis_server: AnyRedis) -> AsyncIterator[Table]:
    async with table_at(redis_server.url, settings=MatchSettings(feed_events_max=8)) as table:
        yield table


async def take(feed: Feed, count: int) -> list[dict[str, Any]]:
    found = []
    for _ in range(count):
        version, name, data = await asyncio.wait_for(anext(feed), 5)
        event = json.loads(data)
        assert (version, name) == (event["version"], event["type"])
        found.append(event)
    return found


async def nothing_more(feed: Feed) -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(anext(feed), 0.1)


def as_in_events(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: v for k, v in event.items() if k not in ("to_act", "deadlines")} for event in events]


async def test_a_feed_gives_the_past_then_follows_and_says_the_same_as_events(table: Table) -> None:
    rng = random.Random(1)
    match = await table.play(await table.hot_seat(), 5, rng)
    async with table.matches.feed(match, ALL, 0) as feed:
        found = await take(feed, match.version)
        match = await table.play(match, 6, rng)
        match = await table.undo(match, 4)
        match = await table.finish(match)
        found += await take(feed, 8)
        await nothing_more(feed)
    assert as_in_events(found) == await table.events(match)
    assert [event["to_act"] for event in found[:2]] == [
        [],
        (await table.matches.past.state_at(match, 2)).to_act,
    ]
    assert found[-1]["to_act"] == []


async def test_a_feed_that_is_cut_at_any_event_resumes_without_gap_or_double(table: Table) -> None:
    rng = random.Random(2)
    match = await table.play(await table.hot_seat(), 6, rng)
    for cut in range(match.version + 1):
        async with table.matches.feed(match, ALL, 0) as feed:
            first = await take(feed, cut)
        match = await table.play(match, 1, rng)  # while nobody listens
        async with table.matches.feed(match, ALL, cut) as feed:
            rest = await take(feed, match.version - cut)
            await nothing_more(feed)
        assert [event["version"] for event in first + rest] == list(range(1, match.version + 1))


async def test_an_abandoned_wait_loses_nothing(table: Table) -> None:
    rng = random.Random(3)
    match = await table.hot_seat()
    async with table.matches.feed(match, ALL, 0) as feed:
        versions: list[int] = []
        patience = itertools.cycle((0.0003, 0.0003, 1.0))
        while len(versions) < 20:
            if match.version < 20:
                match = await table.play(match, 1, rng)
            try:
                versions.append((await asyncio.wait_for(anext(feed), next(patience)))[0])
            except TimeoutError:
                continue
    assert versions == list(range(1, 21))


async def test_what_another_process_appends_arrives_too(table: Table, redis_server: AnyRedis) -> None:
    rng = random.Random(4)
    async with table_at(redis_server.url) as other:
        match = await table.hot_seat()
        async with (
            table.matches.feed(match, ALL, 0) as here,
            other.matches.feed(match, SPECTATOR, 2) as there,
        ):
            for step in range(10):
                match = await (table if step % 3 else other).play(match, 1, rng)
            assert [event["version"] for event in await take(here, 12)] == list(range(1, 13))
            assert [event["version"] for event in await take(there, 10)] == list(range(3, 13))
            await nothing_more(here)
            await nothing_more(there)


async def test_what_is_read_late_tells_the_time_at_which_it_was_read(own_redis: AnyRedis) -> None:
    """A client counts down from `now`: after a while without Redis it must not be that of the event."""
    writer, reader = Hands("writer"), Hands("reader")
    async with (
        table_at(own_redis.url, world=writer.world) as there,
        table_at(own_redis.url, world=reader.world) as here,
    ):
        match = await there.hot_seat(move_seconds=60)
        async with here.matches.feed(await here.load(match), ALL, match.version) as feed:
            await nothing_more(feed)
            for late_ms, told_ms in ((400, 0), (30_000, 30_000)):
                reader.now_ms = writer.now_ms + late_ms
                match = await there.act(match, *choice(match, random.Random(1)))
                [event] = await take(feed, 1)
                assert event["now"] == rfc3339(writer.now_ms + told_ms)
                assert event["deadlines"] == {match.to_act[0]: rfc3339(writer.now_ms + 60_000)}


async def test_what_is_appended_here_is_neither_told_to_this_process_nor_read_back(
    table: Table, redis_server: AnyRedis
) -> None:
    rng = random.Random(7)
    match = await table.play(await table.hot_seat(), 2, rng)
    async with opened(redis_server.url) as other, table.matches.feed(match, ALL, match.version) as feed:
        everything: Any = (await other.redis.initialize()).pubsub()
        await everything.psubscribe("*")
        assert await everything.get_message(timeout=2)
        await nothing_more(feed)
        reads = table.counts.redis_reads
        match = await table.play(match, 8, rng)
        assert [event["version"] for event in await take(feed, 8)] == list(range(5, 13))
        assert await everything.get_message(timeout=0.1) is None
        assert table.counts.redis_reads == reads
        await everything.aclose()


async def test_an_append_with_an_unclear_end_is_in_the_feeds_of_who_made_it() -> None:
    """Redis has it, no replica confirms it, and nobody else will speak of it here."""
    rng = random.Random(8)
    with RedisServer(fsync="no") as server:
        async with table_at(server.url) as clear:
            match = await clear.play(await clear.hot_seat(), 2, rng)
        settings: dict[str, Any] = {"durability": "replicated", "replicas": 1, "wait_ms": 20}
        async with table_at(server.url, connection=settings) as table:
            match = await table.load(match)
            async with table.matches.feed(match, ALL, match.version) as feed:
                await nothing_more(feed)
                for version in range(match.version + 1, match.version + 6):
                    with pytest.raises(Unconfirmed):
                        await table.play(await table.load(match), 1, rng)
                    assert [event["version"] for event in await take(feed, 1)] == [version]
                await nothing_more(feed)


async def test_an_append_whose_caller_has_gone_is_in_the_feeds(table: Table) -> None:
    rng = random.Random(9)
    match = await table.play(await table.hot_seat(), 2, rng)
    async with table.matches.feed(match, ALL, match.version) as feed:
        await nothing_more(feed)
        for _ in range(5):
            appends = table.counts.redis_appends
            calling = asyncio.create_task(table.play(match, 1, rng))
            while table.counts.redis_appends == appends:
                await asyncio.sleep(0)
            calling.cancel()
            with pytest.raises(asyncio.CancelledError):
                await calling
            assert [event["version"] for event in await take(feed, 1)] == [match.version + 1]
            match = await table.load(match)


async def test_an_append_that_was_read_back_before_it_was_answered_is_in_the_feeds(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(10)
    match = await table.play(await table.hot_seat(), 2, rng)
    append = table.store.append

    async def slow(what: Append) -> None:
        await append(what)
        await table.load(match)

    async with table.matches.feed(match, ALL, match.version) as feed:
        await nothing_more(feed)
        monkeypatch.setattr(table.store, "append", slow)
        after = await table.play(match, 3, rng)
        assert [event["version"] for event in await take(feed, 3)] == [
            *range(match.version + 1, after.version + 1)
        ]


async def test_a_slow_reader_is_cut_off_and_can_come_back_and_nobody_waits_for_him(table: Table) -> None:
    rng = random.Random(5)
    match = await table.hot_seat()
    async with table.matches.feed(match, ALL, 2) as slow, table.matches.feed(match, ALL, 2) as quick:
        match = await table.play(match, 1, rng)
        assert (await take(slow, 1))[0]["version"] == 3
        for version in range(4, 14):
            match = await table.play(match, 1, rng)
            assert [event["version"] for event in await take(quick, 1)] == (
                [3] if version == 4 else [version - 1]
            )
        with pytest.raises(SlowReader):
            await take(slow, 20)
    async with table.matches.feed(match, ALL, 3) as again:
        assert [event["version"] for event in await take(again, 10)] == list(range(4, 14))


async def test_whoever_takes_events_at_once_and_whoever_waits_for_them_get_each_once_and_in_order(
    table: Table,
) -> None:
    """The connection takes an event only while the iterator waits, and the iterator gets what it refuses."""
    rng = random.Random(6)
    match = await table.play(await table.hot_seat(), 3, rng)
    order: list[tuple[str, int]] = []

    def push(item: Item) -> bool:
        if taken := rng.random() < 0.5:
            order.append(("pushed", item[0]))
        return taken

    async def read(feed: Feed) -> None:
        async for version, _, _ in feed:
            order.append(("read", version))
            await asyncio.sleep(rng.choice([0, 0.002]))  # now it waits when the next comes, now it does not

    async with table.matches.feed(match, ALL, 0) as feed:
        feed.write_at_once = push
        reading = asyncio.create_task(read(feed))
        while len(order) < 60:
            match = await (
                table.undo(match, 3) if match.is_over else table.play(match, rng.randint(1, 4), rng)
            )
            await asyncio.sleep(rng.choice([0, 0.005]))
            while match.version > len(order) + 3:  # else the reader would be a slow one
                await asyncio.sleep(0.001)
        reading.cancel()
    assert [version for _, version in order] == list(range(1, len(order) + 1))
    assert {how for how, version in order if version > 4} == {"pushed", "read"}


async def test_each_reader_gets_what_his_seat_may_know_and_equal_readers_share_the_bytes(
    table: Table,
) -> None:
    match = await table.duel(HIDDEN)
    readers = [Reader(("red",), ADA.id), Reader(("blue",), BOB.id), SPECTATOR, SPECTATOR]
    feeds = [table.matches.feed(match, reader, match.version) for reader in readers]
    for feed in feeds:
        await feed.__aenter__()
        await nothing_more(feed)
    army = {"type": "recruit", "army": [{"unit": "wolf", "count": 3}]}
    match = await table.act(match, "red", army)
    red, blue, one, another = [(await asyncio.wait_for(anext(feed), 5))[2] for feed in feeds]
    assert b"wolf" in red
    assert b"wolf" not in blue + one
    assert one is another
    assert json.loads(blue)["action"] == {"type": "recruit"}
    for feed in feeds:
        await feed.__aexit__(None, None, None)


async def test_the_lobby_is_on_the_feed_with_what_becomes_of_it(table: Table) -> None:
    match = (
        await table.matches.new.create(CreateMatch("hex", BATTLE, {"red": "me"}, move_seconds=60), ADA)
    ).match
    async with table.matches.feed(match, Reader(), 0) as feed:
        await table.do(match, TakeSeat("blue"), BOB)
        await table.do(match, Prepare("red"), ADA)
        match = (await table.do(match, Prepare("blue"), BOB)).match
        done = await table.do(match, Propose(Undo(match.version)), ADA)
        found = await take(feed, 5)
    assert [event["type"] for event in found] == [
        "match_created",
        "seat_taken",
        "seat_prepared",
        "match_started",
        "proposal_made",
    ]
    assert found[1]["player"] == {"id": BOB.id, "name": "bob"}
    assert found[3]["to_act"] == done.match.to_act
    assert list(found[4]["deadlines"]) == done.match.to_act


async def test_feeds_end_with_the_process_and_say_so(table: Table) -> None:
    match = await table.hot_seat()
    async with table.matches.feed(match, ALL, 0) as feed:
        await take(feed, 1)
        await table.matches.close()
        await take(feed, 1)
        with pytest.raises(FeedClosed) as closed:
            await take(feed, 1)
        assert closed.value.code == "shutdown"


async def test_a_feed_of_a_match_that_contradicts_itself_ends(table: Table, redis_server: AnyRedis) -> None:
    from warlog_events.redis import keys

    match = await table.play(await table.hot_seat(), 3, random.Random(6))
    async with table.matches.feed(match, ALL, match.version) as feed:
        await nothing_more(feed)
        fields = {
            "type": "seat_left",
            "seat": "",
            "by": "",
            "at": "1",
            "body": "{}",
            "draws": "",
            "chain": "f",
        }
        forged = [word for field in {**fields, "hash": ""}.items() for word in field]
        await table.connection.pipe.call("XADD", keys.events(match.id), f"{match.version + 1}-0", *forged)
        await table.connection.pipe.call(
            "PUBLISH", table.connection.channel, f"{match.id} {match.version + 1}"
        )
        with pytest.raises(FeedClosed) as closed:
            await take(feed, 1)
        assert closed.value.code == "integrity_error"


async def test_many_readers_and_writers_at_once_see_one_order(table: Table) -> None:
    match = await table.hot_seat()
    target = 40

    async def follow() -> list[int]:
        async with table.matches.feed(match, ALL, 0) as feed:
            return [event["version"] for event in await take(feed, target)]

    async def write(seed: int) -> None:
        rng = random.Random(seed)
        now: Match = match
        from warlog_events import errors

        while now.version < target:
            try:
                now = (await table.do(now, Act(*choice(now, rng)))).match
            except (errors.VersionConflict, errors.Refused):
                now = await table.load(now)
            await asyncio.sleep(0)

    followers = [asyncio.create_task(follow()) for _ in range(10)]
    await asyncio.gather(*(write(seed) for seed in range(4)))
    for follower in followers:
        assert await follower == list(range(1, target + 1))


async def test_a_secret_position_is_in_the_feed_of_who_made_it_whoever_else_follows(table: Table) -> None:
    other = await table.hot_seat(HIDDEN)
    other = await table.act(other, "red", {"type": "recruit_preset", "preset": "auto"})
    assert other.state is not None
    position = other.state.position(plain=True)
    match = (await table.matches.new.create(CreateMatch("hex", HIDDEN), ADA)).match  # she sits nowhere
    readers = [Reader(), Reader((), ADA.id), Reader((), BOB.id)]
    async with AsyncExitStack() as open_feeds:
        feeds = [await open_feeds.enter_async_context(table.matches.feed(match, r, 1)) for r in readers]
        for feed in feeds:
            await nothing_more(feed)
        match = (await table.do(match, Propose(Options(position=position)))).match
        for feed, reader in zip(feeds, readers, strict=True):
            (event,) = as_in_events(await take(feed, 1))
            assert event == (await table.events(match, reader))[-1]
            assert ("position" in event) == (reader.player == ADA.id)
