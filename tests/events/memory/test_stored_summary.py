"""The summary of a match as Redis has it, in two parts, of which most appends write one: it is always what the match
itself says, whichever process wrote which part, and also where 0.1 wrote it."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

import warlog_core
from tests.events.table import ADA, BOB, EVE, SPECTATOR, Table, choice, table_at
from tests.events.workers.test_lobby import Query, projector
from tests.servers import AnyRedis
from warlog_events import errors
from warlog_events.match.commands import (
    Abort,
    Accept,
    CreateMatch,
    Join,
    Options,
    Prepare,
    Propose,
    Rematch,
    TakeSeat,
    Undo,
)
from warlog_events.match.match import Match
from warlog_events.redis import keys
from warlog_events.workers.lobby import Lobby


async def assert_stored(table: Table, match: Match) -> None:
    """What Redis has, and the list shows, is the newest summary, byte for byte."""
    summary = msgspec.json.encode(match.summary(SPECTATOR))
    assert await table.store.summary(match.id) == summary == match.summary_json(SPECTATOR)
    page, _ = await Lobby(table.connection, projector(table).catch_up).matches(Query(), ADA.id, 100)
    assert [bytes(shown) for shown in page].count(summary) == 1


@pytest.mark.parametrize("game", warlog_core.games())
async def test_in_every_game_and_status_the_list_shows_what_the_match_says(
    own_redis: AnyRedis, game: str
) -> None:
    async with table_at(own_redis.url) as one, table_at(own_redis.url) as two:
        seats = warlog_core.game(game).seats_for({})
        spec = CreateMatch(game, {}, dict.fromkeys(seats[1:], "me"), move_seconds=600)
        match = (await one.matches.new.create(spec, ADA)).match
        await assert_stored(one, match)
        match = (await two.do(match, TakeSeat(seats[0]), BOB)).match
        await assert_stored(one, match)
        for seat in seats:
            match = (await one.do(match, Prepare(seat), match.holders[seat])).match
        assert match.status == "playing"
        await assert_stored(one, match)
        rng = random.Random(3)
        for table in (one, one, two, one, two, two):
            match = await table.play(await table.load(match), 1, rng)
            await assert_stored(two, match)
        done = await two.do(match, Propose(Undo(match.version - 1)), BOB)
        await assert_stored(one, done.match)
        match = (await one.do(match, Accept(done.version), ADA)).match
        await assert_stored(one, match)
        while not match.is_over:
            try:
                match = await two.finish(await two.load(match))
            except errors.Refused:  # not in this phase
                match = await two.act(match, *choice(match, rng))
        assert match.deadlines == {}
        await assert_stored(one, match)
        done = await one.do(match, Propose(Rematch()), ADA)
        match = (await two.do(match, Accept(done.version), BOB)).match
        assert match.fold.rematch is not None
        await assert_stored(one, match)

        wish = (await one.matches.new.create(CreateMatch(game, seating="wish"), ADA)).match
        for table, player in ((one, ADA), (two, EVE)):
            wish = (await table.do(wish, Join(seats[0]), player)).match
            await assert_stored(one, wish)
        done = await one.do(wish, Propose(Abort()), ADA)
        await assert_stored(one, done.match)
        if done.match.status != "aborted":  # both sit already
            done = await two.do(wish, Accept(done.version), EVE)
        assert done.match.status == "aborted"
        await assert_stored(two, done.match)


async def test_what_changes_seldom_is_written_when_it_changes_and_only_then(own_redis: AnyRedis) -> None:
    """Two processes take turns; each must notice what the other has changed in between."""
    async with table_at(own_redis.url) as one, table_at(own_redis.url) as two:
        rng = random.Random(4)
        seats = {"black": "me", "white": "me"}
        match = (await one.matches.new.create(CreateMatch("wec", {}, seats), ADA)).match
        match = await one.play(match, 1, rng)
        redis: Any = one.connection.redis
        state = keys.match_state(match.id)
        match = await two.play(await two.load(match), 1, rng)  # loaded: it cannot know what is stored
        for table in (two, one, two):
            before = await redis.hmget(state, "frame", "index")
            await redis.hdel(state, "frame", "index")
            match = await table.play(await table.load(match), 1, rng)
            assert await redis.hmget(state, "frame", "index") == [None, None]
            await redis.hset(state, mapping=dict(zip(("frame", "index"), before, strict=True)))
            await assert_stored(one, match)
        for table, reach in ((one, 2), (two, 3), (one, 2), (two, 3), (two, 2), (one, 3)):
            match = (await table.do(match, Propose(Options(options={"tank_range": reach})))).match
            await assert_stored(one, match)
        match = (await one.do(match, Propose(Undo(match.version - 5)))).match
        await assert_stored(one, match)


async def test_a_match_of_0_1_is_listed_loaded_and_played_on(own_redis: AnyRedis) -> None:
    async with table_at(own_redis.url) as one, table_at(own_redis.url) as two:
        match = await one.play(await one.duel(move_seconds=600), 3, random.Random(5))
        await one.as_0_1_stored(match.id)
        await assert_stored(one, match)
        match = await two.load(match)
        assert match.deadlines
        assert match.deadlines == (await one.load(match)).deadlines
        await assert_stored(two, match)
        match = await two.play(match, 2, random.Random(6))
        await assert_stored(two, match)
        assert not await one.connection.redis.hexists(keys.match_state(match.id), "summary")
