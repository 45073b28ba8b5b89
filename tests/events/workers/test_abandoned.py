"""Lobbies that nobody comes to any more end by themselves, once, and no others do."""

from __future__ import annotations

import asyncio

import pytest

from tests.events.table import ADA, BATTLE, BOB, SPECTATOR, Hands, Table, table_at
from tests.servers import AnyRedis
from warlog_events.match.commands import (
    Competitive,
    CreateMatch,
    LeaveSeat,
    Prepare,
    Propose,
    TakeSeat,
)
from warlog_events.match.match import Match
from warlog_events.redis import keys
from warlog_events.workers.abandoned import BATCH, Abandoned
from warlog_events.workers.projector import Projector

DAY = 86_400


async def lobby(table: Table, **more: object) -> Match:
    return (await table.matches.new.create(CreateMatch("hex", BATTLE, {"red": "me"}, **more), ADA)).match  # type: ignore[arg-type]


async def look(table: Table, seconds: int = DAY) -> int:
    await Projector(table.connection, table.store).catch_up()
    return await Abandoned(table.connection, table.matches, table.world, seconds).step()


async def test_a_lobby_ends_when_nothing_has_happened_in_it_for_long_enough(own_redis: AnyRedis) -> None:
    hands = Hands("lobby")
    async with table_at(own_redis.url, world=hands.world) as table:
        match = await lobby(table)
        hidden = await lobby(table, visibility="private", mode="competitive")
        hands.now_ms += DAY * 1000 - 1
        assert await look(table) == 0
        hands.now_ms += 1
        assert await look(table) == 2
        match, hidden = await table.load(match), await table.load(hidden)
        assert (match.status, match.version, hidden.status) == ("aborted", 2, "aborted")
        event = (await table.events(match, SPECTATOR))[-1]
        assert event == {
            "version": 2,
            "type": "match_aborted",
            "at": event["at"],
            "reason": "abandoned",
        }
        assert await look(table) == 0
        assert await look(table, 1) == 0
        await table.forget()
        assert (await table.load(match)).status == "aborted"


async def test_whatever_happens_in_a_lobby_keeps_it(own_redis: AnyRedis) -> None:
    hands = Hands("recent")
    async with table_at(own_redis.url, world=hands.world) as table:
        match = await lobby(table)
        for command, player in (
            (TakeSeat("blue"), BOB),
            (Prepare("blue"), BOB),
            (LeaveSeat("blue"), BOB),
            (Propose(Competitive()), ADA),
            (TakeSeat("blue"), BOB),
        ):
            hands.now_ms += DAY * 1000 - 1
            await table.do(match, command, player)
            assert await look(table) == 0
        hands.now_ms += DAY * 1000 - 1
        await table.do(match, Prepare("red"), ADA)
        match = (await table.do(match, Prepare("blue"), BOB)).match
        hands.now_ms += 100 * DAY * 1000
        assert await look(table) == 0
        assert (await table.load(match)).status == "playing"


async def test_a_projection_that_lags_behind_ends_no_lobby_that_has_moved_on(own_redis: AnyRedis) -> None:
    hands = Hands("lagging")
    async with (
        table_at(own_redis.url, world=hands.world) as table,
        table_at(own_redis.url, world=hands.world) as other,
    ):
        match = await lobby(table)
        await Projector(table.connection, table.store).catch_up()
        hands.now_ms += 2 * DAY * 1000
        await other.do(match, TakeSeat("blue"), BOB)
        assert await Abandoned(table.connection, table.matches, table.world, DAY).step() == 0
        assert (await table.load(match)).status == "lobby"


async def test_several_workers_end_each_of_many_lobbies_once_and_a_broken_one_stops_nobody(
    own_redis: AnyRedis,
) -> None:
    hands = Hands("workers")
    async with (
        table_at(own_redis.url, world=hands.world) as one,
        table_at(own_redis.url, world=hands.world) as two,
    ):
        matches = [await lobby(one) for _ in range(BATCH + 20)]
        broken = matches.pop(0)
        await one.connection.pipe.call("HSET", keys.match_state(broken.id), "frozen", "for a test")
        await Projector(one.connection, one.store).catch_up()
        hands.now_ms += DAY * 1000
        workers = [Abandoned(t.connection, t.matches, t.world, DAY) for t in (one, two, one)]
        count = sum(await asyncio.gather(*(worker.step() for worker in workers)))
        while ended := sum(await asyncio.gather(*(worker.step() for worker in workers))):
            count += ended
        assert count == len(matches)
        for match in matches:
            assert [event.type for event in await one.store.events(match.id)] == [
                "match_created",
                "match_aborted",
            ]
        assert await one.store.tail(broken.id) == (1, broken.chain)


@pytest.mark.usefixtures("rash")
async def test_a_process_whose_clock_is_ahead_ends_no_lobby_too_early(own_redis: AnyRedis) -> None:
    async with table_at(own_redis.url) as table, table_at(own_redis.url) as ahead:
        match = await lobby(table)
        ahead.world.offset_ms += 2 * DAY * 1000
        assert await look(ahead) == 0
        assert (await table.load(match)).status == "lobby"


async def test_with_zero_lobbies_stay_for_ever(own_redis: AnyRedis) -> None:
    hands = Hands("for ever")
    async with table_at(own_redis.url, world=hands.world) as table:
        await lobby(table)
        hands.now_ms += 10_000 * DAY * 1000
        assert await look(table, 0) == 0
