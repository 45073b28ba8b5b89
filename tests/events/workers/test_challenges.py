"""Challenges that nobody answers lapse after a day: by whichever clock comes first, once, wherever it is killed."""

from __future__ import annotations

import asyncio

from tests.events.table import ADA, BATTLE, BOB, Hands, Table, table_at
from tests.servers import AnyRedis
from warlog_events.match.commands import CreateMatch, Prepare
from warlog_events.match.draft import CHALLENGE_MS
from warlog_events.match.match import Match
from warlog_events.workers.clock import Clock

SEATS = {"red": "me", "blue": BOB.id}


async def challenged(table: Table) -> Match:
    made = await table.matches.new.create(CreateMatch("hex", BATTLE, SEATS), ADA, players={BOB.id: BOB})
    return made.match


async def test_a_challenge_lapses_after_a_day_once_however_many_clocks_there_are(own_redis: AnyRedis) -> None:
    hands = Hands("lapses")
    async with table_at(own_redis.url, world=hands.world) as table:
        clocks = [Clock(table.store, table.matches, hands.world) for _ in range(3)]
        match = await challenged(table)
        assert match.deadlines == {"blue": hands.now_ms + CHALLENGE_MS}
        await table.forget()
        assert (await table.load(match)).deadlines == match.deadlines
        hands.now_ms += CHALLENGE_MS
        assert sum(await asyncio.gather(*(clock.step() for clock in clocks))) == 0
        hands.now_ms += 1
        assert sum(await asyncio.gather(*(clock.step() for clock in clocks))) == 1
        match = await table.load(match)
        assert (match.status, match.deadlines) == ("aborted", {})
        types = [event["type"] for event in await table.events(match)]
        assert types == ["match_created", "challenge_declined", "match_aborted"]
        assert (await table.events(match))[1]["reason"] == "lapsed"
        assert sum(await asyncio.gather(*(clock.step() for clock in clocks))) == 0


async def test_what_was_answered_does_not_lapse(own_redis: AnyRedis) -> None:
    hands = Hands("answered")
    async with table_at(own_redis.url, world=hands.world) as table:
        clock = Clock(table.store, table.matches, hands.world)
        match = await challenged(table)
        match = (await table.do(match, Prepare("blue"), BOB)).match
        assert match.deadlines == {}
        hands.now_ms += CHALLENGE_MS + 1
        assert await clock.step() == 0
        assert (await table.load(match)).status == "lobby"
