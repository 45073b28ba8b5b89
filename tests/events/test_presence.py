"""Who is away for too long flees: by the beats of the processes that serve, and by nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from tests.events.table import ADA, BOB, SPECTATOR, Hands, Table, table_at
from tests.servers import RedisServer
from warlog_events.commands import Act, CreateMatch, Prepare, TakeSeat
from warlog_events.head import Match
from warlog_events.model import Player
from warlog_events.presence import LOBBY_MS, SILENCE_MS, Absence, Presence

CEC, DAN = Player("pl_cec", "cec"), Player("pl_dan", "dan")
SEATS = {"south": ADA, "east": BOB, "north": CEC, "west": DAN}
LATE_MS = 2_000  # what a beat may bring late


@pytest.fixture
def own_redis() -> Iterator[RedisServer]:
    with RedisServer(fsync="no") as server:
        yield server


class Hall:
    """Two serving processes and one that looks who is gone, by a clock that is moved by hand."""

    def __init__(self, table: Table, hands: Hands) -> None:
        self.table, self.hands = table, hands
        self.one, self.two = (Presence(table.connection, hands.world) for _ in range(2))
        self.absence = Absence(table.connection, table.matches, hands.world)

    async def pass_(self, ms: int) -> int:
        """Time passes, in beats of both processes; how many seats have fled."""
        fled = 0
        for _ in range(ms // 500):
            self.hands.now_ms += 500
            await self.one.beat()
            await self.two.beat()
            fled += await self.absence.step()
        return fled

    async def match(self, mode: str = "competitive", *, start: bool = True, **options: object) -> Match:
        spec = CreateMatch("junqi", {"flee_seconds": 60, "move_seconds": 0, **options}, {"south": "me"}, mode)  # type: ignore[arg-type]
        match = (await self.table.matches.create(spec, ADA)).match
        for seat, player in list(SEATS.items())[1:]:
            match = (await self.table.do(match, TakeSeat(seat), player)).match
        return await self.start(match) if start else match

    async def start(self, match: Match) -> Match:
        for seat, player in SEATS.items():
            match = (await self.table.do(match, Prepare(seat), player)).match
        for seat, player in SEATS.items():
            match = (await self.table.do(match, Act(seat, {"type": "ready"}), player)).match
        return match

    async def fled(self, match: Match) -> tuple[str, ...]:
        return (await self.table.load(match)).fold.fled


@pytest.fixture
async def hall(own_redis: RedisServer, request: pytest.FixtureRequest) -> AsyncIterator[Hall]:
    hands = Hands(request.node.name)
    async with table_at(own_redis.url, world=hands.world) as table:
        yield Hall(table, hands)


async def test_who_has_been_away_for_so_long_flees_once_and_not_before(hall: Hall) -> None:
    match = await hall.match()
    for presence, player in ((hall.one, ADA), (hall.two, BOB)):
        presence.enter(player.id)
        await presence.watch(match, player.id)
    await hall.pass_(100_000)
    assert await hall.fled(match) == ()
    hall.two.leave(BOB.id)
    assert await hall.pass_(60_000) == 0
    assert await hall.pass_(LATE_MS + 1_000) == 1
    assert await hall.fled(match) == ("east",)
    event = (await hall.table.events(await hall.table.load(match), SPECTATOR))[-1]
    assert (event["seat"], event["action"]) == ("server", {"type": "flee", "seat": "east"})
    assert await hall.pass_(200_000) == 0


async def test_who_never_had_a_feed_may_be_silent(hall: Hall) -> None:
    match = await hall.match()
    assert await hall.pass_(600_000) == 0
    hall.one.called(ADA.id)
    assert await hall.pass_(600_000) == 0
    assert await hall.fled(match) == ()


async def test_any_call_and_any_feed_at_any_process_is_presence(hall: Hall) -> None:
    match = await hall.match()
    hall.one.enter(ADA.id)
    await hall.one.watch(match, ADA.id)
    hall.one.leave(ADA.id)
    for _ in range(10):
        assert await hall.pass_(50_000) == 0
        hall.two.called(ADA.id)
    hall.two.enter(ADA.id)  # a feed of another match, say
    hall.two.enter(ADA.id)
    hall.two.leave(ADA.id)
    assert await hall.pass_(200_000) == 0
    hall.two.leave(ADA.id)
    assert await hall.pass_(65_000) == 1


async def test_time_in_which_nobody_is_served_is_nobodys_absence(hall: Hall) -> None:
    match = await hall.match()
    await hall.one.watch(match, ADA.id)
    hall.one.called(ADA.id)
    assert await hall.pass_(30_000) == 0
    hall.hands.now_ms += 3_600_000
    assert await hall.pass_(60_000) == 0  # everybody has his full time again
    assert await hall.pass_(LATE_MS + SILENCE_MS) == 1


async def test_another_worker_goes_on_where_one_has_stopped(hall: Hall) -> None:
    match = await hall.match()
    await hall.one.watch(match, ADA.id)
    hall.one.called(ADA.id)
    assert await hall.pass_(40_000) == 0
    hall.absence = Absence(hall.table.connection, hall.table.matches, hall.hands.world)
    assert await hall.pass_(30_000) == 1
    assert await hall.fled(match) == ("south",)


async def test_two_workers_at_once_make_nobody_flee_twice(hall: Hall, own_redis: RedisServer) -> None:
    matches = [await hall.match() for _ in range(10)]
    async with table_at(own_redis.url, world=hall.hands.world) as table:
        other = Absence(table.connection, table.matches, hall.hands.world)
        for match in matches:
            await hall.one.watch(match, ADA.id)
        await hall.one.beat()
        hall.hands.now_ms += 1_000
        await hall.one.beat()
        hall.hands.now_ms += SILENCE_MS - 1_000
        for _ in range(20):
            await hall.one.beat()
            hall.hands.now_ms += 5_000
        fled = await asyncio.gather(hall.absence.step(), other.step())
        assert sum(fled) == len(matches)
    for match in matches:
        assert await hall.fled(match) == ("south",)


async def test_absence_counts_from_the_start_also_for_who_followed_the_lobby_alone(hall: Hall) -> None:
    match = await hall.match(start=False)
    await hall.one.watch(match, ADA.id)
    hall.one.called(ADA.id)
    assert await hall.pass_(300_000) == 0
    match = await hall.start(match)
    assert await hall.pass_(60_000) == 0
    assert await hall.pass_(LATE_MS + LOBBY_MS) == 1
    assert await hall.fled(match) == ("south",)


async def test_nobody_flees_from_casual_imported_or_finished_matches_or_when_he_is_out_already(
    hall: Hall,
) -> None:
    casual = await hall.match("casual")
    over = await hall.match(min_steps_resign=0)
    out = await hall.match(min_steps_resign=0)
    for match in (casual, over, out):
        await hall.one.watch(match, ADA.id)
    for match in (over, out):
        assert match.state is not None
        seat = match.to_act[0]
        move = next(one for one in match.state.legal(seat, plain=True) if one["type"] == "move")
        await hall.table.act(match, seat, move)
        await hall.table.act(match, "south", {"type": "resign"})
    await hall.table.act(over, "north", {"type": "resign"})
    record = await hall.table.matches.past.export(
        await hall.table.load(over), (await hall.table.load(over)).reader(None)
    )
    imported = (await hall.table.matches.import_record(record, ADA)).match
    await hall.one.watch(imported, ADA.id)
    assert await hall.pass_(200_000) == 0
    for match in (casual, over, out, imported):
        assert await hall.fled(match) == ()
