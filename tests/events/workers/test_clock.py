"""Thinking time: deadlines per seat, and the clock worker that ends what has run out, exactly once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

import pytest

from tests.events.table import ADA, ALL, BATTLE, BOB, HIDDEN, SPECTATOR, Hands, Table, choice, table_at
from tests.servers import AnyRedis
from warlog_events import errors
from warlog_events.match.commands import Act, CreateMatch
from warlog_events.match.decide import act_as_server, end_setup
from warlog_events.match.draft import Draft
from warlog_events.match.match import Match
from warlog_events.match.model import SERVER
from warlog_events.redis import keys
from warlog_events.workers import clock
from warlog_events.workers.clock import Clock


async def test_the_deadline_is_that_of_the_seat_to_act_and_moves_with_its_clock(
    own_redis: AnyRedis,
) -> None:
    hands = Hands("moves")
    async with table_at(own_redis.url, world=hands.world) as table:
        match = await table.hot_seat(move_seconds=60)
        rng = random.Random(1)
        for _ in range(10):
            assert list(match.deadlines) == match.to_act
            assert match.deadlines[match.to_act[0]] == hands.now_ms + 60_000
            hands.now_ms += 7_000
            match = await table.act(match, *choice(match, rng))
        shown = match.summary(SPECTATOR)["deadlines"]
        assert list(shown) == match.to_act  # type: ignore[call-overload]
        await table.forget()
        again = await table.load(match)
        assert again.deadlines == match.deadlines
        again = await table.undo(again, 4)
        assert again.deadlines == {again.to_act[0]: hands.now_ms + 60_000}  # clocks restart
        assert (await table.finish(again)).deadlines == {}


async def test_seats_that_think_at_the_same_time_each_have_their_own_deadline(own_redis: AnyRedis) -> None:
    hands = Hands("same time")
    async with table_at(own_redis.url, world=hands.world) as table:
        match = await table.hot_seat(HIDDEN, move_seconds=60)
        first = hands.now_ms + 60_000
        assert match.deadlines == {"red": first, "blue": first}
        hands.now_ms += 10_000
        match = await table.act(match, "red", {"type": "recruit", "army": [{"unit": "wolf", "count": 3}]})
        assert match.deadlines == {"blue": first}


async def test_too_late_is_too_late_and_then_the_time_out_happens(own_redis: AnyRedis) -> None:
    hands = Hands("late")
    async with table_at(own_redis.url, world=hands.world) as table:
        clock = Clock(table.store, table.matches, hands.world)
        match = await table.hot_seat(move_seconds=60)
        seat = match.to_act[0]
        hands.now_ms += 60_000
        assert await clock.step() == 0
        match = await table.act(match, *choice(match, random.Random(2)))  # in the last moment
        seat = match.to_act[0]
        hands.now_ms += 60_001
        with pytest.raises(errors.TooLate):
            await table.do(match, Act(*choice(match, random.Random(2))))
        assert await clock.step() == 1
        match = await table.load(match)
        event = (await table.events(match))[-1]
        assert (event["type"], event["seat"]) == ("action_taken", "server")
        assert event["action"] == {"type": "timeout", "seat": seat}
        assert event["result"]["reason"] == "timeout"
        assert await clock.step() == 0
        assert (await table.matches.past.verify(match)).status == "verified"


async def test_each_deadline_fires_once_however_many_workers_there_are(own_redis: AnyRedis) -> None:
    hands = Hands("workers")
    async with (
        table_at(own_redis.url, world=hands.world) as one,
        table_at(own_redis.url, world=hands.world) as two,
        table_at(own_redis.url, world=hands.world) as three,
    ):
        tables = [one, two, three]
        matches = [await one.hot_seat(move_seconds=30) for _ in range(20)]
        hands.now_ms += 30_001
        clocks = [Clock(table.store, table.matches, hands.world) for table in tables]
        fired = await asyncio.gather(*(clock.step() for clock in clocks))
        assert sum(fired) == len(matches)
        for match in matches:
            stored = await one.store.events(match.id)
            assert [event.seat for event in stored[2:]] == ["server"]
        assert await asyncio.gather(*(clock.step() for clock in clocks)) == [0, 0, 0]


async def played(table: Table) -> Match:
    return await table.hot_seat(move_seconds=60)


async def set_up(table: Table) -> Match:
    return await table.hot_seat(HIDDEN, setup_seconds=60)


async def set_up_by_one(table: Table) -> Match:
    match = await table.hot_seat(HIDDEN, setup_seconds=60)
    return await table.act(match, "red", {"type": "recruit", "army": [{"unit": "wolf", "count": 3}]})


async def challenged(table: Table) -> Match:
    spec = CreateMatch("hex", BATTLE, {"red": "me", "blue": BOB.id})
    return (await table.matches.new.create(spec, ADA, players={BOB.id: BOB})).match


@pytest.mark.usefixtures("rash")
@pytest.mark.parametrize("make", [played, set_up, set_up_by_one, challenged])
async def test_a_process_whose_clock_is_ahead_times_nobody_out_before_the_deadline_by_redis(
    own_redis: AnyRedis, make: Callable[[Table], Awaitable[Match]], caplog: pytest.LogCaptureFixture
) -> None:
    async with table_at(own_redis.url) as table, table_at(own_redis.url) as ahead:
        match = await make(table)
        late_ms = max(match.deadlines.values()) - table.world.now_ms() + 60_000
        ahead.world.offset_ms += late_ms
        clock = Clock(ahead.store, ahead.matches, ahead.world)
        assert await clock.step() == 0
        assert (await table.load(match)).version == match.version
        assert abs(ahead.world.offset_ms) < late_ms / 2  # it has been set
        assert await clock.step() == 0
        assert not caplog.records


async def test_a_match_that_ends_because_nobody_is_ready_waits_for_the_last_of_those_who_are_late(
    own_redis: AnyRedis,
) -> None:
    async with table_at(own_redis.url) as table:
        made = await set_up(table)
        deadlines = {"red": 1_000, "blue": 2_000}
        match = Match(made.fold, made.game, made.timeline, made.state, deadlines, made.terms)
        draft = Draft(match.id, match.game, match, 3_000, SERVER, {}, table.world.token_bytes)
        end_setup(draft, 3_000)
        assert (draft.written[-1].stored.type, draft.not_before) == ("match_aborted", 2_001)


async def test_where_clocks_differ_by_seconds_the_time_out_comes_after_the_deadline_by_redis(
    own_redis: AnyRedis,
) -> None:
    async with table_at(own_redis.url) as table, table_at(own_redis.url) as ahead:
        match = await table.hot_seat(move_seconds=2)
        ((seat, deadline),) = match.deadlines.items()
        clock = Clock(ahead.store, ahead.matches, ahead.world)
        ahead.world.offset_ms += 4_000
        while await clock.step() == 0:
            await asyncio.sleep(0.05)
        seconds, micros = await table.connection.redis.time()
        assert seconds * 1000 + micros // 1000 > deadline
        event = (await table.events(await table.load(match)))[-1]
        assert event["action"] == {"type": "timeout", "seat": seat}


async def test_a_deadline_that_has_moved_meanwhile_does_not_fire(own_redis: AnyRedis) -> None:
    hands = Hands("moved")
    async with table_at(own_redis.url, world=hands.world) as table:
        match = await table.hot_seat(move_seconds=30)
        ((seat, deadline),) = match.deadlines.items()
        hands.now_ms += 29_000
        match = await table.act(match, *choice(match, random.Random(3)))
        hands.now_ms += 2_000
        clock = Clock(table.store, table.matches, hands.world)
        assert not await clock.time_out(match.id, seat, deadline)
        assert not await clock.time_out(match.id, seat, match.deadlines.get(seat, 0))
        assert (await table.load(match)).version == match.version


async def test_imported_matches_and_those_without_a_limit_have_no_clock(own_redis: AnyRedis) -> None:
    hands = Hands("none")
    async with table_at(own_redis.url, world=hands.world) as table:
        match = await table.play(await table.hot_seat(), 3, random.Random(4))
        assert match.deadlines == {}
        record = await table.matches.past.export(match, ALL)
        made = await table.matches.new.import_record(record, ADA)
        assert made.match.deadlines == {}
        hands.now_ms += 10**9
        await Clock(table.store, table.matches, hands.world).step()
        for untouched in (match, made.match):
            assert (await table.load(untouched)).version == untouched.version


async def test_a_match_at_which_we_stumble_does_not_stop_the_clock_of_the_others(
    own_redis: AnyRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what was foreseen did not; for anything else the clock began anew, at the same match, for ever."""
    hands = Hands("stumble")
    async with table_at(own_redis.url, world=hands.world) as table:
        first, other = [await table.hot_seat(move_seconds=seconds) for seconds in (29, 30)]

        def stumbling(draft: Draft, action: dict[str, object]) -> None:
            assert draft.match_id != first.id
            act_as_server(draft, action)

        monkeypatch.setattr(clock, "act_as_server", stumbling)
        hands.now_ms += 30_001
        assert await Clock(table.store, table.matches, hands.world).step() == 1
        assert (await table.load(first)).version == first.version
        assert (await table.load(other)).is_over


async def test_a_frozen_match_does_not_stop_the_clock_of_the_others(own_redis: AnyRedis) -> None:
    hands = Hands("frozen")
    async with table_at(own_redis.url, world=hands.world) as table:
        frozen, other = [await table.hot_seat(move_seconds=30) for _ in range(2)]
        await table.store.freeze(frozen.id, "for this test")
        hands.now_ms += 30_001
        clock = Clock(table.store, table.matches, hands.world)
        assert await clock.step() == 1
        assert (await table.load(other)).is_over
        assert await clock.step() == 0


async def test_frozen_matches_do_not_keep_others_of_their_bucket_waiting(
    own_redis: AnyRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their deadlines are the oldest, and stay; of each bucket only so many are read."""
    monkeypatch.setattr(clock, "BATCH", 1)
    hands = Hands("crowd")
    async with table_at(own_redis.url, world=hands.world) as table:
        first_of: dict[int | None, Match] = {}
        while True:
            match = await table.hot_seat(move_seconds=30)
            hands.now_ms += 1
            frozen = first_of.setdefault(keys.bucket_of(match.id), match)
            if frozen is not match:
                break
        await table.store.freeze(frozen.id, "for this test")
        hands.now_ms += 30_001
        worker = Clock(table.store, table.matches, hands.world)
        assert await worker.step() == len(first_of) - 1
        assert await worker.step() == 1
        assert (await table.load(match)).is_over


async def test_a_thinking_time_is_bounded(own_redis: AnyRedis) -> None:
    async with table_at(own_redis.url) as table:
        for seconds in (-1, 10**9):
            with pytest.raises(errors.BadParameter):
                await table.matches.new.create(CreateMatch("hex", BATTLE, move_seconds=seconds), ADA)
