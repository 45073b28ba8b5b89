"""Events are for ever: matches as they were stored once are read, replayed and verified by every later version.

The records under tests/records are never made again. A new form of an event gets a record of its own:
`python -m tests.events.match.test_stored_forms NAME [FUNCTION …]` writes them, and refuses to overwrite.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from pathlib import Path

import msgspec
import pytest

from tests.events.table import ADA, BATTLE, BOB, EVE, SPECTATOR, Table, table_at
from tests.servers import RedisServer
from warlog_events import errors
from warlog_events.clock_and_random import World
from warlog_events.match.commands import (
    Accept,
    Act,
    Competitive,
    CreateMatch,
    Edit,
    Join,
    LeaveSeat,
    Options,
    Prepare,
    Propose,
    Reject,
    Rematch,
    TakeSeat,
    Undo,
)
from warlog_events.match.model import BODIES, Player, Reader, Search, encode
from warlog_events.match.records import parse_record
from warlog_events.match.replay import Replay
from warlog_events.match.stored import StoredEvent, chain_of
from warlog_events.match.upcast import body_of
from warlog_events.match.verify import entries_of, verify_record
from warlog_events.statistics import Counts

RECORDS = sorted((Path(__file__).parents[2] / "records").glob("*.json"))
# A lobby that is aborted never becomes a record, and neither does what only competitive play in other games writes.
NEVER_RECORDED = {"match_aborted"}


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_match_that_was_stored_once_is_still_verified_and_comes_to_the_same_state(path: Path) -> None:
    raw = json.loads(path.read_text())
    final_hash = raw.pop("final_hash")
    verdict = verify_record(raw)
    # What came with an import has no seed of ours.
    imported = raw["setup"].get("seed", 0) is None
    assert (verdict.status, verdict.detail) == ("unseeded" if imported else "verified", "")
    replay = Replay(raw["match"], None, Counts())
    replay.feed(entries_of(parse_record(raw)))
    assert replay.fold is not None
    assert replay.fold.hash == final_hash
    assert msgspec.to_builtins(replay.fold.result) == raw["result"]


def test_every_type_of_event_is_among_them() -> None:
    records = [json.loads(path.read_text()) for path in RECORDS]
    found = {entry["type"] for record in records for entry in record["log"]} | {"action_taken"}
    assert found == set(BODIES) - NEVER_RECORDED


def test_a_type_or_a_body_that_was_never_written_is_an_integrity_error() -> None:
    for type_, body in (
        ("match_exploded", b"{}"),
        ("seat_taken", b"{}"),
        ("seat_taken", b"["),
        ("seat_taken", b'{"player":7}'),
    ):
        with pytest.raises(errors.IntegrityError):
            body_of(StoredEvent(3, type_, "red", "pl", 0, body, None, "", ""))


def test_rules_that_this_build_does_not_have_are_no_contradiction() -> None:
    raw = json.loads(RECORDS[0].read_text())
    first = entries_of(parse_record(raw))[0]
    body = json.loads(first.body)
    body["rules_version"] = 99
    with pytest.raises(errors.IntegrityError):  # the chain sees it
        Replay(raw["match"], None, Counts()).feed([msgspec.structs.replace(first, body=encode(body))])
    chain = chain_of("", 1, first.type, first.seat, first.by, first.at, encode(body), first.draws, first.hash)
    foreign = msgspec.structs.replace(first, body=encode(body), chain=chain)
    with pytest.raises(errors.Unavailable):
        Replay(raw["match"], None, Counts()).feed([foreign])


def test_a_field_of_a_later_version_is_tolerated() -> None:
    body_of(StoredEvent(3, "seat_left", "red", "pl", 0, b'{"reason":"tired"}', None, "", ""))


# ---- making one


async def everything_directly(table: Table) -> str:
    """Seats taken directly; every kind of proposal; an edit, several lines and ends; a rematch agreed."""
    rng = random.Random(1)
    match = (await table.matches.new.create(CreateMatch("hex", BATTLE, {"red": "me"}), ADA)).match
    await table.do(match, TakeSeat("blue"), EVE)
    await table.do(match, LeaveSeat("blue"), EVE)
    await table.do(match, TakeSeat("blue"), BOB)
    done = await table.do(match, Propose(Options(options={"round_limit": 40})), BOB)
    await table.do(match, Accept(done.version), ADA)
    await table.do(match, Prepare("red"), ADA)
    match = (await table.do(match, Prepare("blue"), BOB)).match
    match = await table.play(match, 8, rng)
    done = await table.do(match, Propose(Undo(10)), ADA)
    await table.do(match, Reject(done.version), BOB)
    done = await table.do(match, Propose(Undo(10)), ADA)
    match = (await table.do(match, Accept(done.version), BOB)).match
    match = await table.play(match, 4, rng)
    assert match.state is not None
    position = match.state.position(plain=True)
    match = await table.finish(match)
    done = await table.do(match, Propose(Edit(position)), BOB)
    match = (await table.do(match, Accept(done.version), ADA)).match
    match = await table.finish(await table.play(match, 6, rng))
    done = await table.do(match, Propose(Rematch()), ADA)
    await table.do(match, Accept(done.version), BOB)
    return match.id


async def wishes(table: Table) -> str:
    """Four seats by wish, two of them contested; competitive; one of three accepts at a time."""
    spec = CreateMatch("hex", {"seats": 4, "army": "preset", "army_preset": "auto"}, seating="wish")
    match = (await table.matches.new.create(spec, ADA)).match
    players = [ADA, BOB, EVE, Player("pl_dan", "dan")]
    for player, wish in zip(players, ("blue", "blue", "blue", None), strict=True):
        match = (await table.do(match, Join(wish), player)).match
    proposal = (await table.do(match, Propose(Competitive()), EVE)).version
    for player in (ADA, BOB, players[3]):
        match = (await table.do(match, Accept(proposal), player)).match
    for seat in match.seats:
        match = (await table.do(match, Prepare(seat), match.holders[seat])).match
    match = await table.play(match, 5, random.Random(2))
    while not match.is_over:
        match = await table.finish(match)
    return match.id


async def saved_match(table: Table) -> str:
    """A match of two goes on in another lobby; a Position that hides something is proposed there, and an edit."""
    seats = {"black": "me", "white": BOB.id}
    spec = CreateMatch("wec", {}, seats)
    match = (await table.matches.new.create(spec, ADA, players={BOB.id: BOB})).match
    for seat, player in (("black", ADA), ("white", BOB)):
        match = (await table.do(match, Prepare(seat), player)).match
    match = await table.play(match, 9, random.Random(3))
    record = msgspec.to_builtins(await table.matches.past.export(match, Reader(match.seats, BOB.id)))
    assert match.state is not None
    position = match.state.position(plain=True)
    match = (await table.matches.new.create(spec, ADA, players={BOB.id: BOB})).match
    done = await table.do(match, Propose(Options(options={"flame_range": 2}, position=position)), BOB)
    await table.do(match, Reject(done.version), ADA)
    done = await table.do(match, Propose(Options(record=record)), BOB)
    match = (await table.do(match, Accept(done.version), ADA)).match
    for seat, player in (("black", ADA), ("white", BOB)):
        match = (await table.do(match, Prepare(seat), player)).match
    match = await table.play(match, 5, random.Random(4))
    done = await table.do(match, Propose(Edit(position)), ADA)
    match = (await table.do(match, Accept(done.version), BOB)).match
    match = await table.finish(await table.play(match, 5, random.Random(5)))
    return match.id


async def bots(table: Table) -> str:
    """Two house bots, one of whom gets its seat in the lobby; an end that is taken back, a Position, another end."""
    match = (
        await table.matches.new.create(CreateMatch("hex", BATTLE, {"red": "bot:5"}, consent="none"), ADA)
    ).match
    match = (await table.do(match, TakeSeat("blue", player="bot:2"), ADA)).match
    for iterations in (0, 40, 80):
        assert match.state is not None
        (seat,) = match.to_act
        action = next(one for one in match.state.legal(seat, plain=True) if not one.get("open"))
        match = (await table.do(match, Act(seat, action, Search(iterations, 2)), match.holders[seat])).match
    position = match.state.position(plain=True) if match.state else {}
    match = await table.finish(match)
    match = (await table.do(match, Propose(Undo(5)), match.holders["red"])).match
    match = await table.finish(match)
    match = (await table.do(match, Propose(Edit(position)), match.holders["blue"])).match
    return (await table.finish(match)).id


async def make(name: str, only: list[str]) -> None:
    folder = Path(__file__).parents[2] / "records"
    with RedisServer(fsync="no") as server:
        async with table_at(server.url, world=World.fixed(f"stored forms/{name}")) as table:
            for write in (everything_directly, wishes, saved_match, bots):
                if only and write.__name__ not in only:
                    continue
                match = await table.matches.admission.load(await write(table), None)
                record = await table.matches.past.export(match, SPECTATOR)
                record["final_hash"] = match.fold.hash
                with (folder / f"{name}-{write.__name__}.json").open("x") as file:
                    json.dump(json.loads(msgspec.json.encode(record)), file, indent=1)
                    file.write("\n")


if __name__ == "__main__":
    asyncio.run(make(sys.argv[1], sys.argv[2:]))
