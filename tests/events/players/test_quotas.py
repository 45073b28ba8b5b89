"""Reservations of matches, on every Redis: counted together by all processes, and looked through when they are full."""

from __future__ import annotations

import asyncio

import pytest

from tests.events.table import ADA, BATTLE, Hands, table_at
from tests.servers import AnyRedis
from warlog_events.errors import QuotaExceeded
from warlog_events.match.commands import CreateMatch
from warlog_events.matches import Matches
from warlog_events.players.quotas import DAY_MS, ORPHAN_MS, Quotas, QuotaSettings
from warlog_events.redis import keys

SETTINGS = QuotaSettings(matches_per_player=3, matches_per_day=5)


async def test_however_many_ask_together_no_more_are_reserved_than_may_be(own_redis: AnyRedis) -> None:
    hands = Hands("together")
    async with table_at(own_redis.url, world=hands.world) as table:
        matches = [await table.hot_seat() for _ in range(6)]
        (player,) = {match.fold.creator.id for match in matches}
        pipe = table.connection.pipe
        one, other = (Quotas(table.connection, hands.world, table.store, SETTINGS) for _ in range(2))
        asked = [(one, other)[number % 2].reserve(match) for number, match in enumerate(matches)]
        done = await asyncio.gather(*asked, return_exceptions=True)
        refused = [answer for answer in done if isinstance(answer, QuotaExceeded)]
        assert [answer for answer in done if answer not in refused] == [None] * 3
        for answer in refused:
            assert answer.extra == {"quota": "matches_per_player", "have": 3, "limit": 3, "player": player}
        assert await pipe.call("ZCARD", keys.open_matches(player, "matches")) == 3
        # Asked again for what has been reserved, as after a conflict, it is no more than it was.
        await one.reserve(matches[0])
        with pytest.raises(QuotaExceeded):
            await other.reserve(matches[5])
        await one.release(matches[1])
        await other.reserve(matches[5])
        with pytest.raises(QuotaExceeded, match=r"5 new matches today"):
            await other.reserve(matches[5])


async def test_what_never_came_to_be_is_taken_out_when_there_is_no_room(own_redis: AnyRedis) -> None:
    hands = Hands("orphans")
    async with table_at(own_redis.url, world=hands.world) as table:
        match = await table.hot_seat()
        key = keys.open_matches(match.fold.creator.id, "matches")
        dead = [table.store.new_match_id() for _ in range(3)]
        for one in dead:
            await table.connection.pipe.call("ZADD", key, hands.now_ms, one, write=True)
        with pytest.raises(QuotaExceeded):
            await Quotas(table.connection, hands.world, table.store, SETTINGS).reserve(match)
        hands.now_ms += ORPHAN_MS + 1
        await Quotas(table.connection, hands.world, table.store, SETTINGS).reserve(match)
        assert await table.connection.pipe.call("ZRANGE", key, 0, -1) == [match.id.encode()]


async def test_a_match_is_charged_once_though_the_clock_was_off_and_it_was_tried_again(
    own_redis: AnyRedis,
) -> None:
    async with table_at(own_redis.url) as table:
        table.world.offset_ms += 60_000
        days = {table.world.now_ms() // DAY_MS + after for after in (-1, 0, 1)}
        quotas = Quotas(table.connection, table.world, table.store, SETTINGS)
        matches = Matches(table.store, table.world, quotas=quotas)
        made = await matches.new.create(CreateMatch("hex", BATTLE, {"red": "me", "blue": "me"}), ADA)
        assert matches.counts.redis_appends == 2
        assert made.match.version == 2
        spent = [
            await table.connection.pipe.call("GET", keys.spent_today(ADA.id, "matches", day)) for day in days
        ]
        assert [one for one in spent if one is not None] == [b"1"]
        await matches.close()
