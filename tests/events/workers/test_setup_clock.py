"""The time for setting up: who is late is out, one after the other; if nobody is ready the match is aborted."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.events.table import ADA, BOB, HIDDEN, Hands, Table, choice, table_at
from tests.servers import AnyRedis
from warlog_events import errors
from warlog_events.match.commands import (
    Accept,
    Act,
    Competitive,
    CreateMatch,
    Prepare,
    Propose,
    Rematch,
)
from warlog_events.match.match import Match
from warlog_events.match.model import STRANGER, Player
from warlog_events.memory.archive import Archive, Files
from warlog_events.workers.archiver import Archiver
from warlog_events.workers.clock import Clock

WOLVES: dict[str, Any] = {"type": "recruit", "army": [{"unit": "wolf", "count": 3}]}
PLAYERS = (ADA, BOB, Player("pl_cec", "cec"), Player("pl_dan", "dan"))


class Room:
    """A table with a clock that is moved by hand."""

    def __init__(self, table: Table, hands: Hands) -> None:
        self.table, self.hands = table, hands
        self.clock = Clock(table.store, table.matches, hands.world)

    async def pass_(self, ms: int) -> None:
        """Time passes, and the clock worker looks until nothing is due any more."""
        self.hands.now_ms += ms
        while await self.clock.step():
            pass

    async def sit(self, game: str, options: dict[str, object], seats: list[str], **more: Any) -> Match:
        """A match that has started, each seat held by another player."""
        holders = dict(zip(seats, PLAYERS, strict=False))
        spec = CreateMatch(game, options, {seat: one.id for seat, one in holders.items()}, **more)
        match = (await self.table.matches.new.create(spec, ADA, players={p.id: p for p in PLAYERS})).match
        for seat, player in holders.items():
            match = (await self.table.do(match, Prepare(seat), player)).match
        return match

    async def told(self, match: Match) -> list[tuple[str, object]]:
        """What the server did."""
        events = await self.table.events(await self.table.load(match), STRANGER)
        return [(event["type"], event.get("action")) for event in events if event.get("seat") == "server"]


@pytest.fixture
async def room(own_redis: AnyRedis, request: pytest.FixtureRequest) -> AsyncIterator[Room]:
    hands = Hands(request.node.name)
    async with table_at(own_redis.url, world=hands.world) as table:
        yield Room(table, hands)


async def test_who_has_not_bought_in_time_loses_and_not_before(room: Room) -> None:
    table = room.table
    match = await table.hot_seat(HIDDEN, setup_seconds=60)
    first = room.hands.now_ms + 60_000
    assert match.deadlines == {"red": first, "blue": first}
    room.hands.now_ms += 59_000
    match = await table.act(match, "red", WOLVES)
    assert match.deadlines == {"blue": first}  # another's purchase gives nobody more time
    await table.forget()
    assert (await table.load(match)).deadlines == {"blue": first}
    await room.pass_(1_000)
    assert not (await table.load(match)).is_over
    room.hands.now_ms += 1
    with pytest.raises(errors.TooLate):
        await table.act(match, "blue", WOLVES)
    await room.pass_(0)
    match = await table.load(match)
    assert match.fold.result is not None
    assert (match.fold.result.winners, match.fold.result.reason) == (["red"], "timeout")
    assert match.deadlines == {}
    assert (await table.matches.past.verify(match)).status == "verified"


async def test_each_phase_of_setting_up_has_its_own_time_and_play_that_of_moves(room: Room) -> None:
    table = room.table
    match = await table.hot_seat(HIDDEN, setup_seconds=60, move_seconds=7)
    room.hands.now_ms += 50_000
    for seat in ("red", "blue"):
        match = await table.act(match, seat, WOLVES)
    assert match.state is not None
    assert match.state.phase == "deploy"
    assert match.deadlines == dict.fromkeys(("red", "blue"), room.hands.now_ms + 60_000)
    room.hands.now_ms += 50_000
    for seat in ("red", "blue"):
        match = await table.act(match, seat, {"type": "ready"})
    assert match.deadlines == {match.to_act[0]: room.hands.now_ms + 7_000}
    match = await table.undo(match, match.started_at_version)
    assert match.deadlines == dict.fromkeys(("red", "blue"), room.hands.now_ms + 60_000)  # clocks restart


async def test_several_late_seats_are_taken_in_seat_order_each_by_its_own_event(room: Room) -> None:
    seats = ["red", "blue", "green", "yellow"]
    match = await room.sit("hex", {"army": "recruit", "seats": 4}, seats, setup_seconds=60)
    match = await room.table.act(match, "blue", WOLVES)
    await room.pass_(60_001)
    late = [("action_taken", {"type": "timeout", "seat": seat}) for seat in ("red", "green", "yellow")]
    assert await room.told(match) == late
    match = await room.table.load(match)
    assert match.fold.result is not None
    assert match.fold.result.winners == ["blue"]


async def test_if_nobody_is_ready_the_match_is_aborted_and_gives_nothing_away(
    room: Room, tmp_path: Path
) -> None:
    table = room.table
    match = await room.sit("hex", HIDDEN, ["red", "blue"], mode="competitive", setup_seconds=60)
    before = match.version
    await room.pass_(60_001)
    match = await table.load(match)
    assert (match.status, match.version, match.to_act, match.deadlines) == ("aborted", before + 1, [], {})
    assert match.fold.result is None
    event = (await table.events(match, STRANGER))[-1]
    assert (event["type"], event["reason"]) == ("match_aborted", "nobody_ready")
    assert "seeds" not in event
    with pytest.raises(errors.WrongStatus):
        await table.act(match, "red", WOLVES)
    with pytest.raises(errors.Hidden):
        await table.matches.past.export(match, match.reader(ADA.id))
    await room.pass_(10**9)
    assert (await table.load(match)).version == match.version
    # It leaves for the archive whole, and comes back to the byte.
    stored = await table.store.events(match.id)
    table.store._archive = Archive(Files(str(tmp_path)))
    outcome = await Archiver(table.matches, table.store._archive.files).archive(match.id)
    assert outcome.status == "archived", outcome.detail
    await table.forget()
    assert await table.store.events(match.id) == stored
    assert (await table.load(match)).status == "aborted"


async def test_where_setting_up_goes_by_turns_the_seat_to_act_has_the_time(room: Room) -> None:
    match = await room.sit("confrontation", {}, ["white", "black"], setup_seconds=60)
    rng = random.Random(5)
    for _ in range(2):
        room.hands.now_ms += 20_000
        match = await room.table.act(match, *choice(match, rng))
    while match.state is not None and match.state.phase != "setup":
        room.hands.now_ms += 50_000
        assert list(match.deadlines) == match.to_act
        match = await room.table.act(match, *choice(match, rng))
    (seat,) = match.to_act
    deadline = room.hands.now_ms + 60_000
    while match.to_act == [seat]:  # one piece after the other, all within the seat's one time
        assert match.deadlines == {seat: deadline}
        room.hands.now_ms += 1_000
        match = await room.table.act(match, *choice(match, rng))
    (other,) = match.to_act
    assert match.deadlines == {other: room.hands.now_ms + 60_000}
    await room.pass_(60_001)
    assert await room.told(match) == [("action_taken", {"type": "timeout", "seat": other})]
    match = await room.table.load(match)
    assert match.fold.result is not None
    assert match.fold.result.winners == [seat]


async def test_who_has_not_laid_out_in_time_is_taken_to_have_fled(room: Room) -> None:
    seats = ["south", "east", "north", "west"]
    options: dict[str, object] = {"move_seconds": 0}
    match = await room.sit("junqi", options, seats, mode="competitive", setup_seconds=60)
    assert set(match.deadlines) == set(seats)
    for seat in ("south", "west"):
        match = await room.table.act(match, seat, {"type": "ready"})
    assert set(match.deadlines) == {"east", "north"}
    await room.pass_(60_001)
    assert await room.told(match) == [("action_taken", {"type": "flee", "seat": "east"})]
    match = await room.table.load(match)
    assert match.fold.result is not None
    assert (match.fold.result.winners, match.fold.result.reason) == ([], "aborted")
    assert (match.fold.fled, match.fold.settlement) == (("east",), None)
    # Who is ready in time plays without any clock here.
    match = await room.sit("junqi", options, seats, mode="competitive", setup_seconds=60)
    for seat in seats:
        match = await room.table.act(match, seat, {"type": "ready"})
    assert match.deadlines == {}
    await room.pass_(10**9)
    assert (await room.table.load(match)).status == "playing"


async def test_competitive_matches_have_300_seconds_and_others_what_they_ask_for(room: Room) -> None:
    async def seconds(game: str, **more: Any) -> object:
        made = await room.table.matches.new.create(CreateMatch(game, **more), ADA)
        return made.match.summary(STRANGER)["setup_seconds"]

    assert await seconds("junqi", mode="competitive") == 300
    assert await seconds("junqi", mode="competitive", setup_seconds=0) == 0
    assert await seconds("junqi") == 0
    assert await seconds("hex", setup_seconds=20) == 20
    for game in ("wec", "universal"):  # which have no such phases
        assert await seconds(game, mode="competitive") == 0
        assert await seconds(game, setup_seconds=20) == 0
    for wrong in (-1, 10**9):
        with pytest.raises(errors.BadParameter) as refused:
            await seconds("hex", setup_seconds=wrong)
        assert refused.value.path == "/setup_seconds"


async def test_without_a_limit_and_after_an_import_one_may_take_any_time(room: Room) -> None:
    table = room.table
    free = await table.hot_seat(HIDDEN)
    played = await table.hot_seat(HIDDEN, setup_seconds=60)
    record: Any = await table.matches.past.export(
        await table.act(played, "red", WOLVES), played.reader(ADA.id)
    )
    imported = (await table.matches.new.import_record(record, ADA)).match
    assert imported.summary(STRANGER)["setup_seconds"] == 0
    for match in (free, imported):
        assert match.deadlines == {}
    await room.pass_(10**9)
    for match in (free, imported):
        assert (await table.load(match)).version == match.version


async def test_a_casual_match_that_becomes_competitive_gets_a_limit_and_a_rematch_keeps_it(
    room: Room,
) -> None:
    table = room.table
    spec = CreateMatch("hex", HIDDEN, {"red": "me", "blue": BOB.id})
    match = (await table.matches.new.create(spec, ADA, players={BOB.id: BOB})).match
    proposed = await table.do(match, Propose(Competitive()), ADA)
    match = (await table.do(match, Accept(proposed.version), BOB)).match
    assert match.summary(STRANGER)["setup_seconds"] == 300
    assert (await table.events(match, STRANGER))[-1]["setup_seconds"] == 300
    for seat, player in (("red", ADA), ("blue", BOB)):
        match = (await table.do(match, Prepare(seat), player)).match
    match = (await table.do(match, Act("red", {"type": "resign"}), ADA)).match
    proposed = await table.do(match, Propose(Rematch()), ADA)
    match = (await table.do(match, Accept(proposed.version), BOB)).match
    assert match.fold.rematch is not None
    again = await table.matches.admission.load(match.fold.rematch, ADA.id)
    assert again.summary(STRANGER)["setup_seconds"] == 300


async def test_the_matchs_move_seconds_are_those_of_the_games_own_option(room: Room) -> None:
    async def made(game: str, options: dict[str, object], **more: Any) -> tuple[int, object]:
        match = (await room.table.matches.new.create(CreateMatch(game, options, **more), ADA)).match
        return match.move_seconds, match.terms.known.get("move_seconds")

    assert await made("junqi", {}, move_seconds=60) == (60, 60)
    assert await made("junqi", {}, move_seconds=0) == (0, 0)
    assert await made("junqi", {"move_seconds": 60}, move_seconds=60) == (60, 60)
    assert await made("junqi", {"move_seconds": None}, move_seconds=60) == (60, 60)
    assert await made("junqi", {"move_seconds": 45}) == (45, 45)
    assert await made("junqi", {}) == (30, 30)
    assert await made("hex", {}, move_seconds=60) == (60, None)
    for other in (45, 60.0, True, "60"):
        with pytest.raises(errors.BadParameter) as refused:
            await made("junqi", {"move_seconds": other}, move_seconds=60)
        assert refused.value.path == "/move_seconds"
