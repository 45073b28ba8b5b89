"""Whom an append concerns, and what he is told."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator
from typing import Any, get_args

import pytest
import pytest_asyncio

from tests.events.table import ADA, BATTLE, BOB, EVE, HIDDEN, Table, choice, table_at
from tests.servers import AnyRedis
from warlog_events.clock_and_random import World
from warlog_events.match import notices
from warlog_events.match.commands import (
    Abort,
    Accept,
    CreateMatch,
    Join,
    LeaveSeat,
    Prepare,
    Proposal,
    Propose,
    Reject,
    Rematch,
    TakeSeat,
    Undo,
)
from warlog_events.match.match import Match
from warlog_events.match.model import BODIES
from warlog_events.redis import keys

REDIS_KINDS = ("plain",)
Row = tuple[int, str, str, tuple[str, ...]]


@pytest_asyncio.fixture
async def table(redis_server: AnyRedis, request: pytest.FixtureRequest) -> AsyncIterator[Table]:
    async with table_at(redis_server.url, world=World.fixed(f"notices/{request.node.name}")) as table:
        yield table


async def stored(table: Table, match: Match) -> list[tuple[int, notices.Notices]]:
    """By version, the notices of the appends to a match as the activity has them."""
    bucket = keys.bucket_of(match.id)
    assert bucket is not None
    entries = await table.connection.pipe.call("XRANGE", keys.activity(bucket), "-", "+")
    fields = [dict(zip(flat[::2], flat[1::2], strict=True)) for _, flat in entries]
    return [
        (int(one[b"version"]), notices.decode(one[b"notices"]))
        for one in fields
        if one[b"match"].decode() == match.id and one[b"notices"]
    ]


async def told(table: Table, match: Match) -> list[Row]:
    """(version, kind, player, seats) of every notice."""
    return [
        (version, one.kind, one.player, tuple(one.seats))
        for version, some in await stored(table, match)
        for one in some.notices
    ]


async def bodies(table: Table, match: Match) -> list[dict[str, Any]]:
    return [
        json.loads(notices.json_of(match.id, version, some, one))
        for version, some in await stored(table, match)
        for one in some.notices
    ]


async def test_a_match_from_its_seats_to_its_end(table: Table) -> None:
    match = await table.duel()
    (first,) = match.to_act
    while match.to_act == [first]:
        match = await table.act(match, *defend(match))
    turned, (second,) = match.version, match.to_act
    match = await table.finish(match)
    of = {seat: holder.id for seat, holder in match.holders.items()}
    assert await told(table, match) == [
        (1, "seated", ADA.id, ("red",)),
        (1, "challenged", BOB.id, ("blue",)),
        (3, "match_started", ADA.id, ("red",)),
        (3, "match_started", BOB.id, ("blue",)),
        (3, "your_turn", of[first], (first,)),
        (turned, "your_turn", of[second], (second,)),
        (match.version, "match_over", ADA.id, ("red",)),
        (match.version, "match_over", BOB.id, ("blue",)),
    ]
    *_, over = await bodies(table, match)
    assert over == {
        "type": "match_over",
        "match": match.id,
        "game": "hex",
        "version": match.version,
        "at": over["at"],
        "seats": ["blue"],
        "status": "finished",
        "result": {"winners": [first], "reason": "resigned"},
    }


async def test_who_holds_all_seats_is_told_once_that_the_match_waits_for_him(table: Table) -> None:
    match = await table.play(await table.hot_seat(), 12, random.Random(1))
    kinds = [(kind, seats) for _, kind, _, seats in await told(table, match)]
    assert kinds[:2] == [("seated", ("red", "blue")), ("match_started", ("red", "blue"))]
    assert [kind for kind, _ in kinds[2:]] == ["your_turn"]


async def test_who_takes_a_second_seat_is_not_seated_again(table: Table) -> None:
    match = (await table.matches.new.create(CreateMatch("hex", BATTLE, {"red": "me"}), ADA)).match
    await table.do(match, TakeSeat("blue"), ADA)
    await table.do(match, LeaveSeat("blue"), ADA)
    match = (await table.do(match, TakeSeat("blue"), BOB)).match
    assert await told(table, match) == [(1, "seated", ADA.id, ("red",)), (4, "seated", BOB.id, ("blue",))]


async def test_taking_back_makes_it_somebodys_turn_again_also_if_it_was_his(table: Table) -> None:
    match = await table.duel()
    started, (first,) = match.version, match.to_act
    me = match.holders[first]
    match = await table.act(match, *defend(match))
    match = (await table.do(match, Propose(Undo(started)), me)).match
    asked = match.version
    match = (await table.do(match, Accept(asked), other(me))).match
    assert match.to_act == [first]
    rows = [row for row in await told(table, match) if row[0] >= asked]
    (seat_of_other,) = match.seats_of(other(me).id)
    assert rows == [
        (asked, "proposal", other(me).id, (seat_of_other,)),
        (match.version, "proposal_over", me.id, (first,)),
        (match.version, "your_turn", me.id, (first,)),
    ]


async def test_a_draw_is_offered_to_whoever_may_answer_in_turn_or_not(table: Table) -> None:
    match = await table.duel()
    (first,) = match.to_act
    (second,) = {"red", "blue"} - {first}
    offers = list[Row]()
    for seat, of in ((first, second), (second, first)):
        match = await table.act(match, seat, {"type": "offer_draw"})
        offers.append((match.version, "draw_offered", match.holders[of].id, (of,)))
        match = await table.act(match, of, {"type": "decline_draw"})
    assert [row for row in await told(table, match) if row[1] == "draw_offered"] == offers
    *_, last = await bodies(table, match)
    assert last == {
        "type": "draw_offered",
        "match": match.id,
        "game": "hex",
        "version": match.version - 1,
        "at": last["at"],
        "seats": [first],
    }


async def test_of_an_offered_draw_those_seats_are_told_that_can_accept_it(table: Table) -> None:
    """Not the seat that offers it, and no seat that has resigned. Bob holds two seats and gets one notice."""
    seats = {"red": "me", "blue": BOB.id, "green": BOB.id, "yellow": "me"}
    spec = CreateMatch("hex", {"army": "preset", "seats": 4}, seats)
    match = (await table.matches.new.create(spec, ADA, players={BOB.id: BOB})).match
    for seat in match.seats:
        match = (await table.do(match, Prepare(seat), BOB if seats[seat] == BOB.id else ADA)).match
    match = await table.act(match, "yellow", {"type": "resign"})
    match = await table.act(match, "red", {"type": "offer_draw"})
    rows = [row for row in await told(table, match) if row[1] == "draw_offered"]
    assert rows == [(match.version, "draw_offered", BOB.id, ("blue", "green"))]
    match = await table.act(match, "blue", {"type": "decline_draw"})
    match = await table.act(match, "green", {"type": "offer_draw"})
    rows = [row for row in await told(table, match) if row[1] == "draw_offered"][1:]
    assert sorted(rows) == [
        (match.version, "draw_offered", ADA.id, ("red",)),
        (match.version, "draw_offered", BOB.id, ("blue",)),
    ]


async def test_a_finished_match_that_is_taken_back_waits_again_but_does_not_begin_again(table: Table) -> None:
    match = await table.duel(consent="none")
    started = match.version
    match = await table.undo(await table.finish(match), started)
    assert [row[1] for row in await told(table, match) if row[0] > started] == [
        "match_over",
        "match_over",
        "your_turn",
    ]


async def test_a_proposal_is_for_the_others_and_once(table: Table) -> None:
    match = await table.duel()
    match = await table.act(match, *defend(match))
    match = (await table.do(match, Propose(Undo(match.version)), ADA)).match
    first = match.version
    match = (await table.do(match, Propose(Undo(match.started_at_version)), BOB)).match
    second = match.version
    match = (await table.do(match, Reject(second), ADA)).match
    rows = [row for row in await told(table, match) if row[1] == "proposal"]
    assert rows == [(first, "proposal", BOB.id, ("blue",)), (second, "proposal", ADA.id, ("red",))]
    asked = [one["proposal"] for one in await bodies(table, match) if one["type"] == "proposal"]
    assert asked == ["undo", "undo"]


async def test_who_has_proposed_something_hears_what_became_of_it(table: Table) -> None:
    match = await table.duel()
    match = await table.act(match, *defend(match))
    start = match.started_at_version
    match = (await table.do(match, Propose(Undo(start)), ADA)).match
    match = (await table.do(match, Propose(Undo(match.version)), BOB)).match  # instead of hers
    match = (await table.do(match, Reject(match.version), ADA)).match
    match = (await table.do(match, Propose(Undo(start)), ADA)).match
    match = await table.act(match, *defend(match))
    match = (await table.do(match, Propose(Undo(start)), BOB)).match
    match = (await table.do(match, Accept(match.version), ADA)).match
    over = [one for one in await bodies(table, match) if one["type"] == "proposal_over"]
    assert [(one["seats"], one["proposal"], one["outcome"]) for one in over] == [
        (["red"], "undo", "lapsed"),
        (["blue"], "undo", "rejected"),
        (["red"], "undo", "lapsed"),
        (["blue"], "undo", "accepted"),
    ]
    assert over[-1]["version"] == match.version


@pytest.mark.parametrize("kind", notices.DONE)
def test_every_kind_of_proposal_takes_effect_by_an_event(kind: str) -> None:
    assert kind in {form.__struct_config__.tag for form in get_args(Proposal)}
    assert notices.DONE[kind] in BODIES


async def test_who_joined_and_who_made_the_match_hear_that_the_lobby_is_over(table: Table) -> None:
    spec = CreateMatch("hex", BATTLE, seating="wish")
    match = (await table.matches.new.create(spec, ADA)).match
    match = (await table.do(match, Join("red"), EVE)).match
    match = (await table.do(match, Propose(Abort()), ADA)).match
    assert await told(table, match) == [
        (match.version, "match_over", ADA.id, ()),
        (match.version, "match_over", EVE.id, ()),
    ]
    (over, _) = await bodies(table, match)
    assert (over["status"], over["result"]) == ("aborted", None)


async def test_whom_the_maker_of_a_lobby_gives_a_seat_is_challenged_and_may_leave(table: Table) -> None:
    seats = {"red": "me", "blue": BOB.id}
    made = CreateMatch("hex", BATTLE, seats, visibility="private")
    match = (await table.matches.new.create(made, ADA, players={BOB.id: BOB})).match
    assert (await table.matches.admission.load(match.id, BOB.id)).seats_of(BOB.id) == ("blue",)
    match = (await table.do(match, LeaveSeat("blue"), BOB)).match
    assert await told(table, match) == [
        (1, "seated", ADA.id, ("red",)),
        (1, "challenged", BOB.id, ("blue",)),
        (2, "declined", ADA.id, ("blue",)),
        (2, "declined", BOB.id, ("blue",)),
    ]
    assert "reason" not in (await bodies(table, match))[-1]
    assert not match.may_know(BOB.id)


async def test_who_plays_again_is_seated(table: Table) -> None:
    match = await table.finish_playing(await table.duel())
    await table.do(match, Propose(Rematch()))
    proposal = (await table.load(match)).fold.proposal
    assert proposal is not None
    done = await table.do(match, Accept(proposal.version), BOB)
    again = await table.matches.admission.load(str(done.match.fold.rematch), ADA.id)
    assert {kind for _, kind, _, _ in await told(table, again)} == {"seated"}


async def test_who_is_given_a_seat_by_lot_is_seated(table: Table) -> None:
    match = (await table.matches.new.create(CreateMatch("hex", BATTLE, seating="wish"), ADA)).match
    await table.do(match, Join(None), EVE)
    match = (await table.do(match, Join(None), BOB)).match
    assert {(kind, player) for _, kind, player, _ in await told(table, match) if kind == "seated"} == {
        ("seated", EVE.id),
        ("seated", BOB.id),
    }


async def test_a_turn_has_its_deadline(table: Table) -> None:
    match = await table.duel(move_seconds=60)
    (turn,) = [one for one in await bodies(table, match) if one["type"] == "your_turn"]
    assert turn["deadline"] == match.deadlines_json()[turn["seats"][0]]


async def test_two_hidden_layouts_are_two_turns_and_the_first_that_is_ready_tells_nothing(
    table: Table,
) -> None:
    match = await table.duel(HIDDEN)
    assert sorted(match.to_act) == ["blue", "red"]
    turns = [row for row in await told(table, match) if row[1] == "your_turn"]
    assert {(player, seats) for _, _, player, seats in turns} == {(ADA.id, ("red",)), (BOB.id, ("blue",))}
    version = match.version
    match = await table.act(match, "red", {"type": "recruit_preset", "preset": "host"})
    assert [row for row in await told(table, match) if row[0] > version] == []


@pytest.mark.parametrize("seed", range(3))
async def test_everything_that_random_matches_tell_is_what_their_versions_say(
    table: Table, seed: int
) -> None:
    """Reconciled: who waits before and after each event, by the matches themselves."""
    rng = random.Random(seed)
    match = await table.duel(consent="none")
    expected: list[tuple[int, str, str]] = []
    known: Match = match
    start = match.version
    for _ in range(60):
        if match.is_over or rng.random() < 0.1:
            match, leap = await table.undo(match, rng.randint(start, match.version - 1)), True
        elif rng.random() < 0.05:
            match, leap = await table.finish(match), False
        else:
            match, leap = await table.act(match, *choice(match, rng)), False
        now, before = waits(match), set() if leap else waits(known)
        expected += [(match.version, "your_turn", player) for player in now - before]
        if match.is_over and not known.is_over:
            expected += [(match.version, "match_over", player) for player in (ADA.id, BOB.id)]
        known = match
    rows = [
        (version, kind, player) for version, kind, player, _ in await told(table, match) if version > start
    ]
    assert sorted(rows) == sorted(expected)
    assert [version for version, _, _ in rows] == sorted(version for version, _, _ in rows)


def waits(match: Match) -> set[str]:
    """For whom the match waits."""
    return set() if match.is_over else {match.holders[seat].id for seat in match.to_act}


def other(player: Any) -> Any:
    return BOB if player == ADA else ADA


def defend(match: Match) -> tuple[str, dict[str, Any]]:
    assert match.state is not None
    (seat,) = match.to_act
    (action,) = [one for one in match.state.legal(seat, plain=True) if one["type"] == "defend"]
    return seat, action
