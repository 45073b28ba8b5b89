"""An action in steps (`begin`, `send`, `finish`) is what `execute` makes of it, and where it cannot go on in steps,
`execute` goes on."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

import warlog_core
from tests.events.table import ADA, BOB, EVE, HIDDEN, SPECTATOR, Table, choice, table_at
from tests.servers import AnyRedis, RedisServer
from warlog_events import errors
from warlog_events.clock_and_random import World
from warlog_events.match.commands import Act, CreateMatch
from warlog_events.match.match import Match
from warlog_events.match.model import Player
from warlog_events.matches import Begun
from warlog_events.redis.store import DONE
from warlog_events.results import Done, Key


@pytest_asyncio.fixture
async def table(redis_server: AnyRedis) -> AsyncIterator[Table]:
    async with table_at(redis_server.url) as table:
        yield table


class ReplayedEvent:
    """A promise that is no future."""

    def __init__(self) -> None:
        self.reply: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def done(self) -> bool:
        return False

    def set_result(self, result: object, /) -> None:
        self.reply.set_result(result)

    def set_exception(self, exception: Exception, /) -> None:
        self.reply.set_exception(exception)


def begin(
    table: Table,
    match: Match,
    seat: str,
    action: object,
    player: Player = ADA,
    version: int | None = None,
    key: Key | None = None,
) -> tuple[Act, Begun]:
    command = Act(seat, action)
    begun = table.matches.begin(match.id, command, player, version, key)
    assert begun is not None
    return command, begun


async def sent(table: Table, begun: Begun) -> Done | None:
    """As the service does it."""
    told = ReplayedEvent()
    try:
        table.matches.send(begun, told)
    except errors.Unavailable as error:
        told.set_exception(error)
    begun.reply = told.reply
    await asyncio.wait([told.reply])
    return None if told.reply.exception() else table.matches.finish(begun, told.reply.result())


async def test_a_match_in_steps_is_the_same_bytes_as_by_execute() -> None:
    games = {"hex": HIDDEN, "confrontation": {}, "universal": {}, "wec": {}}
    with RedisServer(fsync="no") as one, RedisServer(fsync="no") as two:
        async with (
            table_at(one.url, world=World.fixed("steps")) as whole,
            table_at(two.url, world=World.fixed("steps")) as stepped,
        ):
            for game, options in games.items():
                seats = warlog_core.game(game).new(options=options, draws=os.urandom).seats
                spec = CreateMatch(game, options, dict.fromkeys(seats, "me"))
                match = (await whole.matches.create(spec, ADA)).match
                await stepped.matches.create(spec, ADA)
                rng = random.Random(game)
                for _ in range(60):
                    if match.is_over:
                        break
                    seat, action = choice(match, rng)
                    done = await whole.do(match, Act(seat, action))
                    _, begun = begin(stepped, match, seat, action)
                    in_steps = await sent(stepped, begun)
                    assert in_steps is not None
                    assert in_steps.answer == done.answer
                    assert in_steps.match.summary(SPECTATOR) == done.match.summary(SPECTATOR)
                    match = done.match
                assert await stepped.store.events(match.id) == await whole.store.events(match.id)
                assert await stepped.store.summary(match.id) == await whole.store.summary(match.id)


async def test_a_feed_is_told_of_what_is_finished_in_steps(table: Table) -> None:
    match = await table.hot_seat()
    async with table.matches.feed(match, SPECTATOR, match.version) as feed:
        _, begun = begin(table, match, *choice(match, random.Random(1)))
        done = await sent(table, begun)
        assert done is not None
        assert (await asyncio.wait_for(anext(feed), 5))[0] == done.version == match.version + 1


async def test_what_is_refused_is_refused_by_execute_for_the_same_reason(table: Table) -> None:
    match = await table.duel()
    mover = match.to_act[0]
    other = next(seat for seat in match.seats if seat != mover)
    holder = match.holders
    for seat, action, player, version in (
        (mover, {"type": "fly"}, holder[mover], None),
        (other, {"type": "defend", "piece": 1}, holder[other], None),
        (mover, {"type": "resign"}, EVE, None),
        ("green", {"type": "resign"}, ADA, None),
        (mover, {"type": "resign"}, holder[mover], match.version - 1),
    ):
        with pytest.raises(errors.WarlogError) as expected:
            await table.do(match, Act(seat, action), player, expected_version=version)
        calls = table.counts.core_calls
        command, begun = begin(table, match, seat, action, player, version)
        assert begun.refusal is not None
        with pytest.raises(errors.WarlogError) as refused:
            await table.do(match, command, player, expected_version=version, begun=begun)
        assert refused.value.code == expected.value.code
        assert table.counts.core_calls <= calls + 1
    assert (await table.load(match)).version == match.version


async def test_a_private_match_stays_unknown(table: Table) -> None:
    match = await table.duel(visibility="private")
    command = Act("red", {"type": "resign"})
    assert table.matches.begin(match.id, command, EVE, None, None) is None  # as of a match that never was
    with pytest.raises(errors.UnknownMatch):
        await table.do(match, command, EVE)


async def test_a_match_that_is_not_in_memory_is_left_to_execute(table: Table) -> None:
    match = await table.hot_seat()
    await table.forget()
    assert table.matches.begin(match.id, Act("red", {"type": "resign"}), ADA, None, None) is None
    assert table.matches.begin("m_000_aaaaaaaaaaaaaaaa", Act("red", {}), ADA, None, None) is None


async def test_of_two_that_were_begun_on_the_same_version_one_is_done_and_the_other_decided_anew(
    table: Table,
) -> None:
    match = await table.duel()
    mover = match.to_act[0]
    player = match.holders[mover]
    first, second = (
        begin(table, match, mover, action, player) for action in [choice(match, random.Random(2))[1]] * 2
    )
    one, two = await asyncio.gather(sent(table, first[1]), sent(table, second[1]))
    assert one is not None
    assert two is None
    conflicts = table.counts.conflicts
    try:
        again = await table.do(match, second[0], player, begun=second[1])
    except (errors.Refused, errors.VersionConflict):
        versions = match.version + 1
    else:
        versions = again.version
    assert table.counts.conflicts == conflicts + 1
    assert (await table.load(match)).version == versions


async def test_with_a_stale_if_match_the_later_one_is_a_conflict(table: Table) -> None:
    match = await table.hot_seat()
    seat, action = choice(match, random.Random(3))
    command, begun = begin(table, match, seat, action, version=match.version)
    await table.act(match, seat, action)
    assert await sent(table, begun) is None
    with pytest.raises(errors.VersionConflict):
        await table.do(match, command, expected_version=match.version, begun=begun)


async def test_a_repetition_gets_the_first_answer_and_another_body_none(table: Table) -> None:
    match = await table.hot_seat()
    seat, action = choice(match, random.Random(4))
    key = Key("k", "digest")
    _, begun = begin(table, match, seat, action, key=key)
    done = await sent(table, begun)
    assert done is not None
    await table.forget()
    older = await table.load(match)
    command, again = begin(table, older, *choice(older, random.Random(5)), key=key)
    if again.refusal is None:
        assert await sent(table, again) is None
    repeated = await table.do(match, command, key=key, begun=again)
    assert repeated.repeated
    assert repeated.answer == done.answer
    command, other = begin(table, older, *choice(older, random.Random(5)), key=Key("k", "another"))
    if other.refusal is None:
        assert await sent(table, other) is None
    with pytest.raises(errors.IdempotencyKeyReused):
        await table.do(match, command, key=Key("k", "another"), begun=other)
    assert (await table.load(match)).version == done.version


async def test_a_redis_that_has_forgotten_the_script_is_sent_it_whole(table: Table) -> None:
    match = await table.hot_seat()
    await table.connection.pipe.call("SCRIPT", "FLUSH")
    command, begun = begin(table, match, *choice(match, random.Random(6)))
    if await sent(table, begun) is None:  # in a cluster it was another node's
        assert (await table.do(match, command, begun=begun)).version == match.version + 1
    assert (await table.load(match)).version == match.version + 1


async def test_without_redis_the_end_is_told_and_memory_is_not_trusted(own_redis: AnyRedis) -> None:
    if not isinstance(own_redis, RedisServer):
        pytest.skip("only a plain one can be killed here")
    async with table_at(own_redis.url) as table:
        match = await table.hot_seat()
        command, begun = begin(table, match, *choice(match, random.Random(7)))
        own_redis.kill()
        assert await sent(table, begun) is None
        with pytest.raises(errors.TryAgain):
            await table.do(match, command, begun=begun)
        assert table.matches.cache.get(match.id) is None
        own_redis.start()
        async with asyncio.timeout(20):
            while not await table.connection.pipe.ping():
                await asyncio.sleep(0.05)
        assert (await table.load(match)).version in (match.version, match.version + 1)


def test_what_the_script_says_is_done() -> None:
    assert DONE == [b"done"]


async def test_two_players_actions_in_steps_keep_their_deadlines(table: Table) -> None:
    match = await table.duel(move_seconds=50)
    for seed in range(6):
        if match.is_over:
            break
        seat, action = choice(match, random.Random(seed))
        _, begun = begin(table, match, seat, action, match.holders[seat])
        done = await sent(table, begun)
        assert done is not None
        match = done.match
        stored = await table.connection.pipe.call("ZRANGE", _deadlines(match), 0, -1, "WITHSCORES")
        ours = dict(zip(stored[::2], stored[1::2], strict=True))
        assert {
            seat: int(ours[f"{match.id} {seat}".encode()])
            for seat in match.seats
            if f"{match.id} {seat}".encode() in ours
        } == match.deadlines
    assert match.holders["blue"] == BOB


def _deadlines(match: Match) -> str:
    from warlog_events.redis import keys

    bucket = keys.bucket_of(match.id)
    assert bucket is not None
    return keys.deadlines(bucket)
