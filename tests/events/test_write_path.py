"""One command from the match in memory to the event in Redis, whatever else happens in between."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

import warlog_core
from tests.events.table import ADA, BOB, EVE, HIDDEN, SPECTATOR, Table, choice, table_at
from tests.servers import AnyRedis, RedisServer
from warlog_events import errors
from warlog_events.clock_and_random import World
from warlog_events.match.commands import Act, CreateMatch
from warlog_events.match.match import Match
from warlog_events.matches import CLOCK_ROUNDS
from warlog_events.redis import keys
from warlog_events.redis.idempotency import Key
from warlog_events.results import Done


@pytest_asyncio.fixture
async def table(redis_server: AnyRedis) -> AsyncIterator[Table]:
    async with table_at(redis_server.url) as table:
        yield table


async def test_what_is_answered_and_stored_does_not_depend_on_what_is_in_memory() -> None:
    games = {"hex": HIDDEN, "confrontation": {}, "universal": {}, "wec": {}}
    with RedisServer(fsync="no") as one, RedisServer(fsync="no") as two:
        async with (
            table_at(one.url, world=World.fixed("path")) as warm,
            table_at(two.url, world=World.fixed("path")) as cold,
        ):
            for game, options in games.items():
                seats = warlog_core.game(game).new(options=options, draws=os.urandom).seats
                spec = CreateMatch(game, options, dict.fromkeys(seats, "me"))
                match = (await warm.matches.new.create(spec, ADA)).match
                await cold.matches.new.create(spec, ADA)
                rng = random.Random(game)
                for number in range(60):
                    if match.is_over:
                        break
                    seat, action = choice(match, rng)
                    if number % 3 == 0:
                        await cold.forget()
                    done = await warm.do(match, Act(seat, action))
                    again = await cold.do(match, Act(seat, action))
                    assert again.event_answer(again.reader(ADA.id)) == done.event_answer(done.reader(ADA.id))
                    assert again.match.summary(SPECTATOR) == done.match.summary(SPECTATOR)
                    match = done.match
                assert await cold.store.events(match.id) == await warm.store.events(match.id)
                assert await cold.store.summary(match.id) == await warm.store.summary(match.id)


async def is_registered(table: Table, match: Match) -> None:
    """Waits until Redis knows that the match is followed here, and until what is then read has been asked for."""
    pipe = table.connection.pipe
    async with asyncio.timeout(5):
        while not await pipe.call("ZCARD", keys.followers(match.id)):
            await asyncio.sleep(0.005)
        for _ in range(3):
            await pipe.ping()


async def test_a_feed_of_the_same_process_has_the_event_as_soon_as_the_answer_is_there(table: Table) -> None:
    match = await table.hot_seat()
    async with table.matches.feed(match, SPECTATOR, match.version) as feed:
        reads = 0
        for number in range(6):
            done = await table.do(match, Act(*choice(match, random.Random(1))))
            assert (await asyncio.wait_for(anext(feed), 5))[0] == done.version == match.version + 1
            match = done.match
            if number == 0:  # the feed itself begins with reads
                await is_registered(table, match)
                reads = table.counts.redis_reads
            assert table.counts.redis_reads == reads, "handed over, not read"


async def test_a_refusal_leaves_the_match_as_it_was_and_says_why_each_time(table: Table) -> None:
    match = await table.duel()
    mover = match.to_act[0]
    other = next(seat for seat in match.seats if seat != mover)
    holder = match.holders
    for seat, action, player, version, code in (
        (mover, {"type": "fly"}, holder[mover], None, "malformed_action"),
        (other, {"type": "defend", "piece": 1}, holder[other], None, "not_your_turn"),
        (mover, {"type": "resign"}, EVE, None, "not_your_seat"),
        ("green", {"type": "resign"}, ADA, None, "unknown_seat"),
        (mover, {"type": "resign"}, holder[mover], match.version - 1, "version_conflict"),
    ):
        for _ in range(2):
            calls = table.counts.core_calls
            with pytest.raises(errors.WarlogError) as refused:
                await table.do(match, Act(seat, action), player, if_match=version)
            assert refused.value.code == code
            assert table.counts.core_calls <= calls + 1
    assert (await table.load(match)).version == match.version


async def test_a_match_that_is_not_in_memory_is_loaded(table: Table) -> None:
    match = await table.hot_seat()
    await table.forget()
    assert (await table.do(match, Act("red", {"type": "resign"}))).version == match.version + 1
    with pytest.raises(errors.UnknownMatch):
        await table.matches.player_commands.execute("m_000_aaaaaaaaaaaaaaaa", Act("red", {}), ADA)


async def test_of_two_that_were_decided_on_the_same_version_one_is_done_and_the_other_decided_anew(
    table: Table,
) -> None:
    match = await table.duel()
    mover = match.to_act[0]
    command = Act(mover, choice(match, random.Random(2))[1])
    conflicts = table.counts.conflicts
    ends = await asyncio.gather(
        *[table.do(match, command, match.holders[mover]) for _ in range(2)], return_exceptions=True
    )
    assert table.counts.conflicts == conflicts + 1
    done = [end.version for end in ends if isinstance(end, Done)]
    assert done[0] == match.version + 1
    assert len(done) == 2 or isinstance(ends[1], errors.Refused | errors.VersionConflict)
    assert (await table.load(match)).version == done[-1]


async def test_of_two_with_the_same_if_match_the_later_one_is_a_conflict(table: Table) -> None:
    match = await table.hot_seat()
    command = Act(*choice(match, random.Random(3)))
    one, two = await asyncio.gather(
        *[table.do(match, command, if_match=match.version) for _ in range(2)], return_exceptions=True
    )
    assert isinstance(one, Done)
    assert isinstance(two, errors.VersionConflict)
    assert two.version == one.version == match.version + 1


async def test_a_process_that_has_not_heard_of_the_first_time_gives_its_answer_too(
    redis_server: AnyRedis,
) -> None:
    async with table_at(redis_server.url) as one, table_at(redis_server.url) as two:
        match = await one.hot_seat()
        await two.load(match)
        command, key = Act(*choice(match, random.Random(4))), Key("k", "digest")
        done = await one.do(match, command, key=key)
        again = await two.do(match, command, key=key)
        assert await two.answer(again) == await one.answer(done)
        await two.forget()
        match = await two.load(match)
        with pytest.raises(errors.IdempotencyKeyReused):
            await two.do(match, Act(*choice(match, random.Random(5))), key=Key("k", "another"))
        assert (await one.load(match)).version == done.version


async def test_a_redis_that_has_forgotten_the_script_is_sent_it_whole(table: Table) -> None:
    match = await table.hot_seat()
    await table.connection.pipe.call("SCRIPT", "FLUSH")
    done = await table.do(match, Act(*choice(match, random.Random(6))))
    assert (await table.load(match)).version == done.version == match.version + 1


async def test_without_redis_a_command_is_refused_and_memory_is_not_trusted(own_redis: AnyRedis) -> None:
    if not isinstance(own_redis, RedisServer):
        pytest.skip("only a plain one can be killed here")
    async with table_at(own_redis.url) as table:
        match = await table.hot_seat()
        own_redis.kill()
        with pytest.raises(errors.TryAgain):
            await table.do(match, Act(*choice(match, random.Random(7))))
        assert table.matches.cache.get(match.id) is None
        own_redis.start()
        async with asyncio.timeout(20):
            while not await table.connection.pipe.ping():
                await asyncio.sleep(0.05)
        assert (await table.load(match)).version in (match.version, match.version + 1)


async def test_the_deadlines_of_two_players_are_stored_with_each_action(table: Table) -> None:
    match = await table.duel(move_seconds=50)
    for seed in range(6):
        if match.is_over:
            break
        match = await table.act(match, *choice(match, random.Random(seed)))
        stored = await table.connection.pipe.call("ZRANGE", _deadlines(match), 0, -1, "WITHSCORES")
        ours = dict(zip(stored[::2], stored[1::2], strict=True))
        assert {
            seat: int(ours[f"{match.id} {seat}".encode()])
            for seat in match.seats
            if f"{match.id} {seat}".encode() in ours
        } == match.deadlines
    assert match.holders["blue"] == BOB


def _deadlines(match: Match) -> str:
    bucket = keys.bucket_of(match.id)
    assert bucket is not None
    return keys.deadlines(bucket)


async def test_where_the_clock_of_redis_disagrees_for_good_that_is_said(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await table.hot_seat()
    tried = 0

    async def disagrees(what: object) -> None:
        nonlocal tried
        tried += 1
        raise errors.ClockSkew

    monkeypatch.setattr(table.store, "append", disagrees)
    with pytest.raises(errors.ClockSkew):
        await table.act(match, *choice(match, random.Random(1)))
    assert tried == CLOCK_ROUNDS + 1
