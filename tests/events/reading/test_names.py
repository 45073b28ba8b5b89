"""Events hold players' ids, and their names are taken from the accounts: what is shown does not depend on which process
wrote an event, nor on whether 0.1 wrote it, with the name."""

from __future__ import annotations

import json
import random
import typing
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from tests.events.match.test_stored_forms import RECORDS, everything_directly, saved_match, wishes
from tests.events.reading.test_feed import take
from tests.events.table import ADA, BOB, DAN, EVE, SPECTATOR, Table, table_at
from tests.servers import AnyRedis
from warlog_events.match import draft
from warlog_events.match.commands import CreateMatch, Join, Options, Prepare, Propose, TakeSeat
from warlog_events.match.fold import evolve
from warlog_events.match.model import BODIES, Player, SeatsAssigned
from warlog_events.match.names import BY_SEAT, ONE, SOMEBODY
from warlog_events.match.names import players_in as players_of
from warlog_events.match.records import parse_record
from warlog_events.match.replay import Replay
from warlog_events.match.stored import StoredEvent
from warlog_events.match.upcast import body_of
from warlog_events.match.verify import entries_of, verify_record
from warlog_events.memory import names
from warlog_events.redis import keys
from warlog_events.statistics import Counts

NAMES = {player.id: player.name for player in (ADA, BOB, EVE, DAN)}


def with_names_as_0_1(monkeypatch: pytest.MonkeyPatch) -> None:
    """Events are written as in 0.1."""
    monkeypatch.setattr(draft, "without_names", lambda body: body)


def players_in(value: Any) -> list[dict[str, Any]]:
    """Every object with the `id` of one of the players, wherever it stands."""
    if isinstance(value, list):
        return [player for one in value for player in players_in(one)]
    if not isinstance(value, dict):
        return []
    mine = [value] if value.get("id") in NAMES else []
    return mine + [player for one in value.values() for player in players_in(one)]


def test_every_field_of_a_body_that_holds_players_is_known_to_be_one() -> None:
    for body in BODIES.values():
        for field, type_ in typing.get_type_hints(body).items():
            if "Player" in str(type_):
                assert field in (BY_SEAT if "dict" in str(type_) else ONE), (body, field)


@pytest.mark.parametrize("write", [everything_directly, wishes, saved_match])
async def test_no_new_event_holds_a_name_and_every_process_shows_it(
    own_redis: AnyRedis, write: Callable[[Table], Awaitable[str]]
) -> None:
    async with table_at(own_redis.url) as one, table_at(own_redis.url) as two:
        match = await one.matches.admission.load(await write(one), None)
        stored = await one.store.events(match.id)
        found = players_in([json.loads(event.body) for event in stored])
        assert {player["id"] for player in found} >= {ADA.id, BOB.id}
        assert all(player == {"id": player["id"]} for player in found)

        there = await two.matches.admission.load(match.id, None)
        assert there.summary_json(SPECTATOR) == match.summary_json(SPECTATOR)
        assert (there.fold.holders, there.fold.joined) == (match.fold.holders, match.fold.joined)
        events = await one.events(match, SPECTATOR)
        assert await two.events(there, SPECTATOR) == events
        shown = players_in([events, match.summary(SPECTATOR)])
        assert len(shown) > 5
        assert all(player["name"] == NAMES[player["id"]] for player in shown)

        record = msgspec.to_builtins(await two.matches.past.export(there, SPECTATOR))
        assert all("name" not in player for player in players_in(record))
        assert verify_record(record).status in ("verified", "unseeded")
        assert verify_record(record).detail == ""


async def test_the_answer_and_every_feed_show_the_names(own_redis: AnyRedis) -> None:
    async with table_at(own_redis.url) as one, table_at(own_redis.url) as two:
        match = (await one.matches.new.create(CreateMatch("hex", {}, {"red": "me"}), ADA)).match
        async with two.matches.feed(await two.load(match), SPECTATOR, 1) as feed:
            for command, player in (
                (TakeSeat("blue"), BOB),
                (Propose(Options(options={"round_limit": 40})), BOB),
            ):
                done = await one.do(match, command, player)
                told = json.loads(msgspec.json.encode(done.event(SPECTATOR)))
                assert told["player"] == {"id": BOB.id, "name": BOB.name}
                (event,) = await take(feed, 1)
                assert event["player"] == told["player"]
                there = await two.load(match)  # it had the match in memory
                assert there.version == done.version
                assert there.summary_json(SPECTATOR) == done.match.summary_json(SPECTATOR)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_stored_name_stays_and_only_a_missing_one_is_looked_up(path: Any) -> None:
    raw = json.loads(path.read_text())
    raw.pop("final_hash")
    entries = entries_of(parse_record(raw))
    others = {player: f"other {player}" for player in NAMES.keys() | players_of(entries)}
    replay = Replay(raw["match"], None, Counts())
    replay.feed(entries, others)
    assert replay.fold is not None
    named = b'"name"' in entries[0].body
    assert players_of(entries) >= {player.id for player in replay.fold.holders.values()}
    assert {player.name for player in replay.fold.holders.values()} <= {
        *(NAMES if named else others).values()
    }


async def test_a_match_that_0_1_began_goes_on_with_ids(
    own_redis: AnyRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with table_at(own_redis.url) as one, table_at(own_redis.url) as two:
        with monkeypatch.context() as before:
            with_names_as_0_1(before)
            spec = CreateMatch("hex", {"seats": 4, "army": "preset", "army_preset": "auto"}, seating="wish")
            match = (await one.matches.new.create(spec, ADA)).match
            match = (await one.do(match, Join("blue"), BOB)).match
        for player, wish in ((ADA, "blue"), (EVE, None), (DAN, "red")):
            match = (await two.do(match, Join(wish), player)).match
        assert len(match.holders) == 4
        for seat in match.seats:
            match = (await two.do(match, Prepare(seat), match.holders[seat])).match
        match = await two.play(match, 5, random.Random(2))
        while not match.is_over:
            match = await two.finish(match)
        bodies = [event.body for event in await one.store.events(match.id)]
        assert [b'"name"' in body for body in bodies] == [True, True, *[False] * (len(bodies) - 2)]
        await one.forget()
        here = await one.load(match)
        assert here.summary_json(SPECTATOR) == match.summary_json(SPECTATOR)
        events = await one.events(here, SPECTATOR)
        assert events == await two.events(match, SPECTATOR)
        assert all(player["name"] == NAMES[player["id"]] for player in players_in(events))
        record = msgspec.to_builtins(await one.matches.past.export(here, SPECTATOR))
        assert verify_record(record).status == "verified"


async def test_who_has_left_for_good_is_somebody_also_where_0_1_stored_the_name(
    own_redis: AnyRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with table_at(own_redis.url) as one, table_at(own_redis.url) as two:
        with monkeypatch.context() as before:
            with_names_as_0_1(before)
            match = await one.duel()
        assert any(b'"bob"' in event.body for event in await one.store.events(match.id))
        await one.connection.redis.hset(keys.player(BOB.id), "name", "")
        one.matches.loader.forget(BOB.id)
        for table in (one, two):
            there = await table.load(match)
            shown = [there.summary(SPECTATOR), await table.events(there, SPECTATOR)]
            assert {player["name"] for player in players_in(shown) if player["id"] == BOB.id} == {SOMEBODY}
            assert {player["name"] for player in players_in(shown) if player["id"] == ADA.id} == {ADA.name}
        await one.store.forget_name(match.id, BOB.id, SOMEBODY)
        [kept] = await one.store.summaries([match.id])
        assert kept is not None
        assert b'"bob"' not in kept

        # Its record keeps the stored bytes, which the chain covers, and they alone tell the name (docs/SECURITY.md).
        over = await one.load(match)
        while not over.is_over:
            over = await one.finish(over)
        record = msgspec.to_builtins(await one.matches.past.export(over, SPECTATOR))
        assert verify_record(record).status == "verified"
        log = record.pop("log")
        assert '"bob"' in json.dumps(log)
        assert '"bob"' not in json.dumps(record)


async def test_names_are_asked_for_once_and_are_right_however_few_are_remembered(
    own_redis: AnyRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with table_at(own_redis.url) as one, table_at(own_redis.url) as two:
        match = await one.matches.admission.load(await wishes(one), None)
        stored = await one.store.events(match.id)
        known, reads = two.matches.loader.names, two.counts.redis_reads
        assert await known.of(stored) == NAMES
        assert two.counts.redis_reads == reads + 1
        assert await known.of(stored) == NAMES
        assert await known.of([event for event in stored if event.type == "action_taken"]) == {}
        assert two.counts.redis_reads == reads + 1

        monkeypatch.setattr(names, "REMEMBERED_MAX", 1)
        assert await known.of(stored) == NAMES
        await two.connection.redis.delete(keys.player(DAN.id))
        fresh = names.Names(two.store, Counts())
        assert await fresh.of(stored) == NAMES | {DAN.id: ""}
        await two.connection.redis.hset(keys.player(DAN.id), "name", DAN.name)
        assert await fresh.of(stored) == NAMES  # a missing name is asked for again
        joined = [event for event in stored if event.type == "player_joined"]
        assert len(joined) == 3
        for event in joined:
            assert await fresh.of([event]) == {event.by: NAMES[event.by]}
            fresh._known.pop(event.by)
        for event in joined:
            await fresh.of([event])
            assert len(fresh._known) == 1


def test_an_event_that_cannot_be_read_names_nobody() -> None:
    deep = b'{"x":' + b"[" * 100_000
    for body in (b"{", b'{"player":7}', b'{"holders":[]}', b"\xff", b"[" * 100_000, deep):
        assert players_of([StoredEvent(3, "seat_taken", "red", "pl", 0, body, None, "", "")]) == set()


def test_names_are_not_taken_from_what_a_player_posted() -> None:
    body = b'{"player":{"id":"pl_ada"},"proposal":{"kind":"x","player":{"id":"pl_eve"}}}'
    stored = StoredEvent(3, "proposal_made", "", "pl_ada", 0, body, None, "", "")
    assert players_of([stored]) == {"pl_ada"}
    made: Any = body_of(stored, NAMES)
    assert made.player == Player("pl_ada", "ada")
    assert made.proposal == {"kind": "x", "player": {"id": "pl_eve"}}


def test_a_creator_without_a_seat_is_named_too() -> None:
    body = (
        b'{"creator":{"id":"pl_ada"},"holders":{"red":{"id":"pl_bob"},"blue":{"id":"pl_eve","name":"eve"}}}'
    )
    stored = StoredEvent(1, "match_created", "", "pl_ada", 0, body, None, "", "")
    assert players_of([stored]) == {"pl_ada", "pl_bob", "pl_eve"}


def test_who_stays_in_his_seat_stays_prepared_whether_or_not_his_name_is_known() -> None:
    raw = json.loads(next(path for path in RECORDS if path.stem == "hex-2-wishes").read_text())
    entries = entries_of(parse_record(raw))
    replay = Replay(raw["match"], None, Counts())
    replay.feed([entry for entry in entries if entry.version <= 5])
    fold = replay.fold
    assert fold is not None
    assert {player.name for player in fold.holders.values()} == {""}
    fold = msgspec.structs.replace(fold, prepared=("red", "blue"))
    known = {seat: Player(player.id, NAMES[player.id]) for seat, player in fold.holders.items()}
    known["blue"] = Player("pl_other", "other")
    again = evolve(fold, entries[4], SeatsAssigned(ADA, known), options=fold.options, seed=fold.seed)
    assert again.prepared == ("red",)
