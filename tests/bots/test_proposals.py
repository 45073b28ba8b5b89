"""What bots answer to their opponents' proposals, on a real server."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

import warlog_core
from tests.bots.conftest import SECONDS_MAX, Hall, match_once
from tests.bots.test_engine import BATTLE, Gate, acted, begun, passed
from tests.core.games import GAMES
from warlog_bots import engine as engines
from warlog_bots import manners
from warlog_bots.manners import any_of
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


@pytest.mark.parametrize(("red", "blue", "answer"), [(40, 1, "accept_draw"), (1, 40, "decline_draw")])
async def test_a_bot_answers_an_offered_draw_out_of_turn(
    hall: Hall, red: int, blue: int, answer: str
) -> None:
    """Its person waits for that, and does not move."""
    person, match = await begun(hall, await hall.bot(5), options=LONG, position=uneven(red, blue))
    match = await waiting_for(person, match.id)
    offered = await person.act(match.id, "red", {"type": "offer_draw"})
    assert offered.to_act == ["red"]
    answered = await match_once(person, match.id, lambda one: one.version > offered.version)
    (said,) = [event async for event in person.events(match.id, after=offered.version)]
    assert isinstance(said, ActionTakenEvent)
    assert (said.seat, said.action) == ("blue", {"type": answer})
    assert answered.status == ("finished" if answer == "accept_draw" else "playing")


@pytest.mark.parametrize("game", GAMES)
async def test_in_every_game_a_bot_answers_the_offer_of_a_draw(hall: Hall, game: str) -> None:
    """In some the offer is gone with the next step of who has made it. The bot holds all other seats."""
    bot = await hall.bot(1)
    person, _ = await hall.person("person")
    options: dict[str, object] = {"players": 2, "min_steps_draw": 0} if game == "junqi" else {}
    seat, *others = warlog_core.game(game).seats_for(options)
    made = await person.create_match(game, {seat: "me", **dict.fromkeys(others, bot)}, options=options)
    await person.prepare(made.match.id, seat)
    while True:
        match = await match_once(
            person, made.match.id, lambda one: seat in one.to_act or one.status == "finished"
        )
        listed = await person.actions(match.id, seat)
        if any(action["type"] == "offer_draw" for action in listed.actions):
            break
        action = any_of(listed.actions, listed.version)
        assert action is not None
        await person.act(match.id, seat, action)
    offered = await person.act(match.id, seat, {"type": "offer_draw"})
    await match_once(person, match.id, lambda one: one.version > offered.version)
    said = [event async for event in person.events(match.id, after=offered.version)]
    assert isinstance(said[0], ActionTakenEvent)
    assert said[0].seat in others
    (effect, *_) = said[0].effects  # actions are not shown to everybody in every game
    assert "accept" in effect["type"] or "decline" in effect["type"]


async def test_a_draw_that_was_offered_while_no_program_played_is_answered(hall: Hall) -> None:
    client, bot = await hall.person("bot")
    first = hall.play(client)
    person, match = await begun(hall, bot)
    match = await waiting_for(person, match.id)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    offered = await person.act(match.id, "red", {"type": "offer_draw"})
    hall.play(client)
    await match_once(person, match.id, lambda one: one.version > offered.version)
    (said,) = [event async for event in person.events(match.id, after=offered.version)]
    assert isinstance(said, ActionTakenEvent)
    assert said.seat == "blue"


async def after_an_offer(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> tuple[AsyncClient, Match]:
    """A bot has offered a draw, since nothing has moved for long: here after two decisions, as if all values were
    even."""
    monkeypatch.setattr(manners, "EVEN_FOR", 2)
    monkeypatch.setattr(manners, "EVEN", 0.5)
    bot = await hall.bot(8)
    person, match = await begun(hall, bot, options=LONG, position=uneven(10, 10))
    async with asyncio.timeout(SECONDS_MAX):
        while True:  # the bot may have acted, and even have waited long enough, before anybody looks
            events = [event async for event in person.events(match.id, after=0)]
            for event in events:
                if isinstance(event, ActionTakenEvent) and event.action == {"type": "offer_draw"}:
                    return person, msgspec.structs.replace(match, version=event.version)
            if "red" in (await person.match(match.id)).to_act:
                await passed(person, match.id)
            await asyncio.sleep(0.02)


async def test_a_bot_that_has_offered_a_draw_waits_for_the_answer(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it did next could take the offer off the table."""
    person, match = await after_an_offer(hall, monkeypatch)
    await asyncio.sleep(1)
    waiting = await person.match(match.id)
    assert (waiting.version, waiting.to_act) == (match.version, ["blue"])
    await person.act(match.id, "red", {"type": "accept_draw"})
    match = await match_once(person, match.id, lambda one: one.status == "finished")
    assert match.result is not None
    assert (match.result.winners, match.result.reason) == ([], "draw_agreed")


async def test_a_bot_whose_draw_is_declined_or_not_answered_plays_on(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "OFFER_LOOK_SECONDS", 0.1)
    person, match = await after_an_offer(hall, monkeypatch)
    declined = await person.act(match.id, "red", {"type": "decline_draw"})
    match = await match_once(person, match.id, lambda one: one.version > declined.version)
    events = [event async for event in person.events(match.id, after=declined.version)]
    assert isinstance(events[0], ActionTakenEvent)
    assert events[0].seat == "blue"

    monkeypatch.setattr(engines, "PATIENCE_SECONDS", 0.5)
    person, match = await after_an_offer(hall, monkeypatch)
    await acted(person, match)


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
