"""Who is away for too long flees, whether he was ever there or not: by the beats of the processes that serve."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from tests.events.table import ADA, BOB, SPECTATOR, Hands, Table, table_at
from tests.servers import RedisServer
from warlog_events import errors
from warlog_events.match.commands import Act, CreateMatch, Prepare, TakeSeat, Wanted
from warlog_events.match.match import Match
from warlog_events.match.model import Mode, Player
from warlog_events.players.presence import WATCHED_AGAIN_MS, sign
from warlog_events.redis import keys
from warlog_events.workers.absence import LATE_MS, LOBBY_MS, UNKNOWN_MS, Absence

CEC, DAN = Player("pl_cec", "cec"), Player("pl_dan", "dan")
SEATS = {"south": ADA, "east": BOB, "north": CEC, "west": DAN}
FLEE_MS = 60_000


@pytest.fixture
def own_redis() -> Iterator[RedisServer]:
    with RedisServer(fsync="no") as server:
        yield server


class Hall:
    """Two serving processes and one that looks who is gone, by a clock that is moved by hand."""

    def __init__(self, table: Table, other: Table, hands: Hands) -> None:
        self.table, self.other, self.hands = table, other, hands
        self.one, self.two = table.presence, other.presence
        self.absence = Absence(table.connection, table.matches, hands.world)

    async def pass_(self, ms: int, *here: tuple[Match, Player]) -> int:
        """Time passes, in beats of both processes; how many seats have fled. `here`: who asks now and then."""
        fled = 0
        for _ in range(ms // 1000):
            self.hands.now_ms += 1000
            for match, player in here:
                self.two.note_call(match, player.id)
            await self.one.beat()
            await self.two.beat()
            fled += await self.absence.step()
        return fled

    async def match(self, mode: Mode = "competitive", *, start: bool = True, **options: object) -> Match:
        """A match in the lobby, or one in which play has begun."""
        options = {"flee_seconds": FLEE_MS // 1000, "move_seconds": 0, **options}
        spec = CreateMatch("junqi", options, {"south": "me"}, mode)
        match = (await self.table.matches.new.create(spec, ADA)).match
        for seat, player in list(SEATS.items())[1:]:
            match = (await self.table.do(match, TakeSeat(seat), player)).match
        return await self.play(await self.start(match)) if start else match

    async def start(self, match: Match) -> Match:
        """Into the layout phase: since its start nobody has asked for anything."""
        for seat, player in SEATS.items():
            match = (await self.table.do(match, Prepare(seat), player)).match
        return match

    async def play(self, match: Match) -> Match:
        for seat, player in SEATS.items():
            match = (await self.table.do(match, Act(seat, {"type": "ready"}), player)).match
        return match

    async def fled(self, match: Match) -> tuple[str, ...]:
        return (await self.table.matches.newest(match.id)).fold.fled


@pytest.fixture
async def hall(own_redis: RedisServer, request: pytest.FixtureRequest) -> AsyncIterator[Hall]:
    hands = Hands(request.node.name)
    async with (
        table_at(own_redis.url, world=hands.world) as table,
        table_at(own_redis.url, world=hands.world) as other,
    ):
        yield Hall(table, other, hands)


def others(match: Match, *away: Player) -> list[tuple[Match, Player]]:
    """Everybody but these."""
    return [(match, player) for player in SEATS.values() if player not in away]


async def test_who_has_been_away_for_so_long_flees_once_and_not_before(hall: Hall) -> None:
    match = await hall.match()
    for presence, player in ((hall.one, ADA), (hall.two, BOB), (hall.two, CEC), (hall.two, DAN)):
        presence.enter(match, player.id)
    await hall.pass_(100_000)
    assert await hall.fled(match) == ()
    hall.two.leave(sign(match.id, BOB.id))
    assert await hall.pass_(FLEE_MS) == 0
    assert await hall.pass_(LATE_MS + 1_000) == 1
    assert await hall.fled(match) == ("east",)
    event = (await hall.table.events(await hall.table.load(match), SPECTATOR))[-1]
    assert (event["seat"], event["action"]) == ("server", {"type": "flee", "seat": "east"})
    assert await hall.pass_(200_000) == 0


async def test_who_was_never_there_flees_when_his_time_since_the_start_is_over(hall: Hall) -> None:
    """In 0.1 absence began with a player's first feed."""
    match = await hall.match(start=False)
    assert await hall.pass_(200_000) == 0
    match = await hall.start(match)
    assert await hall.pass_(FLEE_MS, *others(match, CEC)) == 0
    assert await hall.pass_(LATE_MS + 1_000, *others(match, CEC)) == 1
    match = await hall.table.load(match)
    assert (match.fold.fled, match.status) == (("north",), "finished")
    assert match.fold.result is not None
    assert match.fold.result.reason == "aborted"


async def test_a_match_to_which_nobody_ever_comes_ends(hall: Hall) -> None:
    players = list(SEATS.values())
    options: dict[str, object] = {"flee_seconds": FLEE_MS // 1000}
    match_id = hall.table.store.new_match_id()
    match = await hall.table.matches.new.create_paired(
        match_id, Wanted("junqi", options, "competitive"), players
    )
    assert await hall.pass_(FLEE_MS) == 0
    assert await hall.pass_(LATE_MS + 1_000) == 1
    assert (await hall.table.matches.newest(match.id)).status == "finished"


async def test_every_call_about_the_match_at_any_process_is_a_sign_and_one_about_another_is_none(
    hall: Hall,
) -> None:
    match, another = await hall.match(), await hall.match()
    matches = hall.other.matches

    async def refused() -> None:
        with pytest.raises(errors.Refused):
            await matches.player_commands.execute(match.id, Act("south", {"type": "ready"}), ADA)

    for call in (
        lambda: matches.admission.load(match.id, ADA.id),  # view, actions, events, summary …
        lambda: matches.admission.load(match.id, ADA.id, fresh=False),
        refused,
    ):
        assert await hall.pass_(50_000, *others(match, ADA), *others(another)) == 0
        await call()
    assert await hall.pass_(50_000, *others(match, ADA), *others(another)) == 0
    assert await hall.pass_(15_000, *others(match, ADA), *others(another)) == 1
    assert (await hall.fled(match), await hall.fled(another)) == (("south",), ())


async def test_a_feed_is_presence_for_as_long_as_one_is_open_at_any_process(hall: Hall) -> None:
    match = await hall.match()
    entered = [presence.enter(match, ADA.id) for presence in (hall.one, hall.two, hall.two)]
    for one in entered:
        assert one == sign(match.id, ADA.id)
    hall.one.leave(sign(match.id, ADA.id))
    hall.two.leave(sign(match.id, ADA.id))
    assert await hall.pass_(200_000, *others(match, ADA)) == 0
    hall.two.leave(sign(match.id, ADA.id))
    assert await hall.pass_(FLEE_MS, *others(match, ADA)) == 0
    assert await hall.pass_(LATE_MS + 1_000, *others(match, ADA)) == 1


async def test_after_time_in_which_nobody_was_served_everybody_has_his_full_time_again(hall: Hall) -> None:
    match = await hall.match()
    assert await hall.pass_(30_000) == 0
    hall.hands.now_ms += 3_600_000
    assert await hall.absence.step() == 0  # a worker that is there before the first server is
    assert await hall.pass_(FLEE_MS, *others(match, BOB)) == 0
    assert await hall.pass_(LATE_MS + 1_000, *others(match, BOB)) == 1
    assert await hall.fled(match) == ("east",)


async def test_while_nobody_serves_a_worker_alone_makes_nobody_flee(hall: Hall) -> None:
    """`warlog worker` goes on when every server is down: nobody can show that he is there."""
    match = await hall.match()
    assert await hall.pass_(1_000) == 0
    for _ in range(400):
        hall.hands.now_ms += 1_000
        assert await hall.absence.step() == 0
    assert await hall.pass_(FLEE_MS) == 0
    assert await hall.fled(match) == ()


@pytest.mark.usefixtures("rash")
async def test_a_worker_whose_clock_is_ahead_makes_nobody_flee_too_early(own_redis: RedisServer) -> None:
    async with table_at(own_redis.url) as table, table_at(own_redis.url) as ahead:
        hall = Hall(table, ahead, Hands("not used"))
        match = await hall.match()
        await hall.one.beat()
        ahead.world.offset_ms += FLEE_MS + LATE_MS + 4_000
        absence = Absence(ahead.connection, ahead.matches, ahead.world)
        assert await absence._flee(match.id, "south", table.world.now_ms() + FLEE_MS) == 0
        assert await hall.fled(match) == ()


async def test_another_worker_goes_on_where_one_has_stopped(hall: Hall) -> None:
    match = await hall.match()
    assert await hall.pass_(40_000, *others(match, ADA)) == 0
    hall.absence = Absence(hall.other.connection, hall.other.matches, hall.hands.world)
    assert await hall.pass_(30_000, *others(match, ADA)) == 1
    assert await hall.fled(match) == ("south",)


async def test_two_workers_at_once_make_nobody_flee_twice(hall: Hall) -> None:
    matches = [await hall.match() for _ in range(10)]
    other = Absence(hall.other.connection, hall.other.matches, hall.hands.world)
    for _ in range(20):
        hall.hands.now_ms += 5_000
        for match in matches:
            for there, player in others(match, ADA):
                hall.two.note_call(there, player.id)
        await hall.one.beat()
        await hall.two.beat()
    fled = await asyncio.gather(hall.absence.step(), other.step())
    assert sum(fled) == len(matches)
    for match in matches:
        assert await hall.fled(match) == ("south",)


async def test_a_match_is_watched_again_when_redis_has_lost_that(hall: Hall) -> None:
    match = await hall.match()
    await hall.pass_(1_000)
    await hall.table.connection.redis.delete(keys.presence("watched"), keys.presence("seen"))
    assert await hall.pass_(FLEE_MS, *others(match, BOB)) == 0
    assert await hall.pass_(WATCHED_AGAIN_MS, *others(match, BOB)) == 1
    assert await hall.fled(match) == ("east",)


async def test_what_version_0_1_watched_is_watched_as_a_match(hall: Hall) -> None:
    match = await hall.match()
    watched = keys.presence("watched")
    await hall.table.connection.redis.delete(watched)
    await hall.table.connection.redis.zadd(watched, {sign(match.id, ADA.id): hall.hands.now_ms})
    assert await hall.pass_(FLEE_MS + LATE_MS + 1_000, *others(match, BOB)) == 1
    assert await hall.fled(match) == ("east",)
    assert await hall.table.connection.redis.zrange(watched, 0, -1) == [match.id.encode()]


async def test_a_start_that_is_under_way_or_was_refused_is_watched_until_it_comes(hall: Hall) -> None:
    match = await hall.match(start=False)
    redis, watched = hall.table.connection.redis, keys.presence("watched")
    unknown = hall.table.store.new_match_id()
    await redis.zadd(watched, {match.id: hall.hands.now_ms, unknown: hall.hands.now_ms})
    assert await hall.pass_(LOBBY_MS) == 0
    assert await redis.zcard(watched) == 2
    await hall.pass_(UNKNOWN_MS + LOBBY_MS)
    assert await redis.zrange(watched, 0, -1) == [match.id.encode()]
    match = await hall.start(match)
    assert await hall.pass_(FLEE_MS, *others(match, ADA)) == 0
    assert await hall.pass_(LATE_MS + LOBBY_MS, *others(match, ADA)) == 1


async def test_a_feed_that_is_open_since_the_lobby_counts_after_the_start(hall: Hall) -> None:
    match = await hall.match(start=False)
    assert hall.one.enter(match, ADA.id) is not None
    assert await hall.pass_(100_000) == 0
    match = await hall.start(match)
    assert await hall.pass_(200_000, *others(match, ADA)) == 0
    hall.one.leave(sign(match.id, ADA.id))
    assert await hall.pass_(FLEE_MS + LATE_MS + 1_000, *others(match, ADA)) == 1


async def test_nobody_flees_from_casual_imported_or_finished_matches_or_when_he_is_out_already(
    hall: Hall,
) -> None:
    casual = await hall.match("casual")
    over = await hall.match(min_steps_resign=0)
    out = await hall.match(min_steps_resign=0)
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
    imported = (await hall.table.matches.new.import_record(record, ADA)).match
    assert hall.one.enter(imported, ADA.id) is None
    assert hall.one.enter(casual, ADA.id) is None
    assert await hall.pass_(200_000, *others(await hall.table.load(out), ADA)) == 0
    for match in (casual, over, out, imported):
        assert await hall.fled(match) == ()


async def test_only_what_matters_is_kept_and_only_while_it_does(hall: Hall) -> None:
    casual, match = await hall.match("casual"), await hall.match()
    for _ in range(3):
        for one in (casual, match):
            await hall.table.matches.admission.load(one.id, ADA.id)
            await hall.table.matches.admission.load(one.id, "pl_stranger")
        await hall.pass_(1_000)
    redis = hall.table.connection.redis
    seen = await redis.zrange(keys.presence("seen"), 0, -1)
    assert sorted(seen) == sorted(sign(match.id, player.id).encode() for player in SEATS.values())
    assert await redis.zrange(keys.presence("watched"), 0, -1) == [match.id.encode()]
    await hall.pass_(200_000)
    assert (await hall.table.matches.newest(match.id)).status == "finished"
    await hall.pass_(1_000)
    assert await redis.zcard(keys.presence("watched")) == 0
