"""What bots answer to their opponents' proposals, on a real server."""

from __future__ import annotations

import asyncio

import pytest

from tests.bots.conftest import SECONDS_MAX, Hall, match_once
from tests.bots.test_engine import BATTLE, Gate, acted, begun, passed
from warlog_bots import Thinker, manners
from warlog_bots.thinker import Question
from warlog_client import (
    Abort,
    ActionTakenEvent,
    AsyncClient,
    ChangeOptions,
    MakeCompetitive,
    Match,
    Rematch,
    Undo,
)
from warlog_core import Choice


async def waiting_for(person: AsyncClient, match: str) -> Match:
    """The match in its person's turn, in which the bot does not act: nothing else can come first."""
    return await match_once(person, match, lambda one: "red" in one.to_act)


async def test_a_bot_agrees_to_go_back_and_plays_on_from_there(hall: Hall) -> None:
    person, match = await begun(hall, await hall.bot())
    match = await waiting_for(person, match.id)
    await person.propose(match.id, Undo(to=match.version - 1))
    back = await match_once(person, match.id, lambda one: one.version > match.version and not one.proposal)
    events = [event async for event in person.events(match.id, after=match.version)]
    assert "time_travelled" in {event.type for event in events}
    await acted(person, await passed(person, back.id))


async def test_a_bot_does_not_let_a_match_count(hall: Hall) -> None:
    person, _ = await hall.person("person")
    lobby = await person.create_match("hex", {"red": "me", "blue": await hall.bot()}, options=BATTLE)
    match = await match_once(person, lobby.match.id, lambda one: one.seats[1].prepared)
    made = await person.propose(match.id, MakeCompetitive())
    await match_once(person, match.id, lambda one: one.proposal is None)
    events = [event async for event in person.events(match.id, after=made.version)]
    assert events[0].type == "proposal_rejected"


async def test_a_bot_agrees_to_other_options_and_is_prepared_again(hall: Hall) -> None:
    bot = await hall.bot()
    person, _ = await hall.person("person")
    made = await person.create_match("hex", {"red": "me", "blue": bot}, options=BATTLE)
    prepared = await match_once(person, made.match.id, lambda one: one.seats[1].prepared)
    await person.propose(prepared.id, ChangeOptions({"round_limit": 5}))
    changed = await match_once(person, prepared.id, lambda one: one.options["round_limit"] == 5)
    await match_once(person, changed.id, lambda one: one.seats[1].prepared)
    await person.prepare(changed.id, "red")
    await match_once(person, changed.id, lambda one: one.status == "playing")


async def test_a_bot_lets_a_lobby_be_ended(hall: Hall) -> None:
    person, _ = await hall.person("person")
    made = await person.create_match("hex", {"red": "me", "blue": await hall.bot()}, options=BATTLE)
    await match_once(person, made.match.id, lambda one: one.seats[1].prepared)
    await person.propose(made.match.id, Abort())
    await match_once(person, made.match.id, lambda one: one.status == "aborted")


async def test_a_bot_accepts_a_rematch_and_plays_it(hall: Hall) -> None:
    person, match = await begun(hall, await hall.bot())
    await waiting_for(person, match.id)
    await person.act(match.id, "red", {"type": "resign"})
    await match_once(person, match.id, lambda one: one.status == "finished")
    await person.propose(match.id, Rematch())
    agreed = await match_once(person, match.id, lambda one: one.rematch)
    assert agreed.rematch is not None
    again = await person.match(agreed.rematch)
    (mine,) = (place.seat for place in again.seats if place.player and place.player.name == "person")
    if again.status == "lobby":
        await person.prepare(again.id, mine)
    await match_once(person, again.id, lambda one: one.status == "playing")


async def test_a_proposal_that_others_are_to_answer_is_left_to_them(hall: Hall) -> None:
    """Three seats: the bot agrees, the third player has not answered. An action would take the proposal away."""
    bot = await hall.bot()
    ada, _ = await hall.person("ada")
    bob, bob_id = await hall.person("bob")
    options = {"army": "preset", "seats": 3}
    seats = [seat.id for seat in (await ada.game("hex", options)).seats]
    made = await ada.create_match("hex", dict(zip(seats, ["me", bob_id, bot], strict=True)), options=options)
    await ada.prepare(made.match.id, seats[0])
    await bob.prepare(made.match.id, seats[1])
    match = await match_once(ada, made.match.id, lambda one: one.status == "playing")
    asked = await ada.propose(match.id, Undo(to=match.version))
    agreed = await match_once(
        ada, match.id, lambda one: one.proposal is not None and len(one.proposal["waiting_for"]) == 1
    )
    assert agreed.proposal is not None
    assert agreed.proposal["version"] == asked.version
    await bob.accept(match.id, asked.version)
    await match_once(ada, match.id, lambda one: one.proposal is None)
    assert "time_travelled" in [event.type async for event in ada.events(match.id, after=asked.version)]


LONG = {**BATTLE, "round_limit": 100}


def uneven(red: int, blue: int) -> dict[str, object]:
    """A battle of so many golems against so many, far from each other."""
    sides = enumerate((("red", red, "a1"), ("blue", blue, "k7")), 1)
    stacks = [
        {"id": number, "seat": seat, "unit": "golem", "space": space, "count": count, "start_count": count}
        for number, (seat, count, space) in sides
    ]
    return {"phase": "play", "round": 1, "obstacles": [], "stacks": stacks}


@pytest.mark.parametrize(("red", "blue", "answer"), [(40, 1, "accept_draw"), (1, 40, "decline_draw")])
async def test_a_bot_accepts_a_draw_when_it_stands_worse_and_declines_it_when_better(
    hall: Hall, red: int, blue: int, answer: str
) -> None:
    """The offer comes in the bot's turn."""
    gate = Gate()
    bot = await hall.bot(5, thinker=gate)
    person, match = await begun(hall, bot, options=LONG, position=uneven(red, blue))
    await asyncio.wait_for(gate.asked.wait(), SECONDS_MAX)
    offered = await person.act(match.id, "red", {"type": "offer_draw"})
    gate.let.set()
    await match_once(person, match.id, lambda one: one.version > offered.version)
    events = [event async for event in person.events(match.id, after=offered.version)]
    first = events[0]
    assert isinstance(first, ActionTakenEvent)
    assert first.action is not None
    assert (first.seat, first.action["type"]) == ("blue", answer)


class Twice(Thinker):
    """Thinks no third time."""

    def __init__(self) -> None:
        super().__init__()
        self._left = 2

    async def think(self, question: Question) -> Choice | None:
        if self._left == 0:
            await asyncio.Event().wait()
        self._left -= 1
        return await super().think(question)


async def test_a_bot_offers_a_draw_and_the_match_ends_when_it_is_accepted(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When nothing has moved for long: here after two decisions, as if all values were even."""
    monkeypatch.setattr(manners, "EVEN_FOR", 2)
    monkeypatch.setattr(manners, "EVEN", 0.5)
    bot = await hall.bot(8, thinker=Twice())  # what it did next could end the round, and the offer with it
    person, match = await begun(hall, bot, options=LONG, position=uneven(10, 10))
    match = await passed(person, (await acted(person, match)).id)
    offered = await acted(person, match)
    events = [event async for event in person.events(match.id, after=match.version)]
    assert isinstance(events[0], ActionTakenEvent)
    assert events[0].action == {"type": "offer_draw"}
    assert offered.to_act == ["blue"]
    await person.act(match.id, "red", {"type": "accept_draw"})
    match = await match_once(person, match.id, lambda one: one.status == "finished")
    assert match.result is not None
    assert (match.result.winners, match.result.reason) == ([], "draw_agreed")


async def test_a_bot_resigns_what_has_been_lost_for_long(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manners, "LOST_FOR", 2)
    monkeypatch.setattr(manners, "LOST_TURNS", 1)
    person, match = await begun(hall, await hall.bot(8), options=LONG, position=uneven(40, 1))
    while match.status != "finished":
        match = await passed(person, (await acted(person, match)).id)
    assert match.result is not None
    assert (match.result.winners, match.result.reason) == (["red"], "resigned")


async def test_a_bot_with_two_seats_resigns_with_both(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manners, "LOST_FOR", 1)
    monkeypatch.setattr(manners, "LOST_TURNS", 1)
    monkeypatch.setattr(manners, "LOST", 1.0)
    bot = await hall.bot()
    person, _ = await hall.person("person")
    mine = ["majora", "good"]
    seats = dict.fromkeys(mine, "me") | dict.fromkeys(["chaos", "evil"], bot)
    made = await person.create_match("universal", seats, options={"mode": "double"})
    for seat in mine:
        await person.prepare(made.match.id, seat)
    while True:
        match = await match_once(
            person, made.match.id, lambda one: one.status == "finished" or bool({*one.to_act} & {*mine})
        )
        if match.status == "finished":
            break
        await passed(person, match.id, match.to_act[0])
    assert match.result is not None
    assert (match.result.winners, match.result.reason) == (mine, "resigned")
