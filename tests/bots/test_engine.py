"""The engine on a real server: every game, and what disturbs it."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing, suppress
from typing import Any

import msgspec
import pytest

import warlog_core
from tests.bots.conftest import SECONDS_MAX, Hall, match_once
from tests.core.games import GAMES
from tests.servers import WarlogServer
from tests.web.cuts import Network
from warlog_bots import Engine, Thinker
from warlog_bots import engine as engines
from warlog_bots.manners import any_of
from warlog_bots.memory import Memory
from warlog_bots.thinker import Question
from warlog_client import (
    ActionTakenEvent,
    AsyncClient,
    Match,
    Seen,
    Undo,
    VersionConflict,
    YourTurnNotice,
)
from warlog_core import Belief, Choice, State

BATTLE = {"width": 11, "height": 7, "army": "preset", "round_limit": 3, "obstacle_count": 4}
OPTIONS: dict[str, Any] = {"hex": BATTLE, "junqi": {"players": 2, "wings": "closed"}}


ALLIES: tuple[str, dict[str, Any]] = ("junqi", {})  # two against two


@pytest.mark.parametrize(("game", "options"), [*((game, OPTIONS.get(game, {})) for game in GAMES), ALLIES])
async def test_bots_come_to_a_match_that_they_are_invited_to_and_play_it(
    hall: Hall, game: str, options: dict[str, Any]
) -> None:
    host, _ = await hall.person("host")
    seats = [seat.id for seat in (await host.game(game, options)).seats]
    invited = {seat: await hall.bot(1) for seat in seats}
    made = await host.create_match(game, invited, options=options)
    match = await match_once(host, made.match.id, lambda match: match.status == "playing")
    far = match.version + 40
    await match_once(host, match.id, lambda match: match.version >= far or match.status == "finished")


class Gate(Thinker):
    """Thinks when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.let = asyncio.Event()
        self.questions: list[Question] = []

    async def think(self, question: Question) -> Choice | None:
        self.questions.append(question)
        self.asked.set()
        await self.let.wait()
        return await super().think(question)


async def begun(hall: Hall, bot: str, **how: Any) -> tuple[AsyncClient, Match]:
    """A person with the first seat, and his match against the bot, in which the turn is the bot's."""
    person, _ = await hall.person("person")
    made = await person.create_match("hex", {"red": "me", "blue": bot}, **{"options": BATTLE, **how})
    await person.prepare(made.match.id, "red")
    await match_once(person, made.match.id, lambda match: match.status == "playing")
    return person, await passed(person, made.match.id)


async def passed(person: AsyncClient, match: str, seat: str = "red") -> Match:
    """The person acts until it is the bot's turn, or the match is over."""
    while True:
        found = await match_once(person, match, lambda one: one.to_act or one.status == "finished")
        if seat not in found.to_act:
            return found
        listed = await person.actions(match, seat)
        action = any_of(listed.actions, listed.version)
        assert action is not None
        with suppress(VersionConflict):
            await person.act(match, seat, action, if_match=listed.version)


async def acted(person: AsyncClient, match: Match) -> Match:
    """When the bot has acted, after the version that is given, in a match that is not over."""
    assert match.status != "finished", match.result
    return await match_once(person, match.id, lambda one: one.version > match.version)


async def test_a_match_that_is_taken_back_while_the_bot_thinks_is_thought_about_anew(hall: Hall) -> None:
    gate = Gate()
    person, match = await begun(hall, await hall.bot(thinker=gate), consent="none")
    await asyncio.wait_for(gate.asked.wait(), SECONDS_MAX)
    back = await person.propose(match.id, Undo(to=match.version))
    assert back.type == "time_travelled"
    gate.let.set()
    match = await acted(person, await passed(person, match.id))
    assert gate.figures.conflicts == 1
    newest = [event async for event in person.events(match.id, after=back.version)]
    assert any(isinstance(event, ActionTakenEvent) and event.seat == "blue" for event in newest)
    assert gate.figures.failures == 0


class Held(AsyncClient):
    """Hands on what it has read of a match when it is let."""

    asked: asyncio.Event
    let: asyncio.Event

    async def match(self, match: str) -> Match:  # pyright: ignore[reportIncompatibleVariableOverride]
        found = await super().match(match)
        self.asked.set()
        await self.let.wait()
        return found


@pytest.mark.parametrize(
    "late", [False, True], ids=["no other notice", "the notice of the turn before is late"]
)
async def test_a_turn_that_begins_while_the_match_is_read_is_not_forgotten(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    """What was read may be from before the notice of it."""
    monkeypatch.setattr(engines, "FIRST_SURVEYS_SECONDS", (0.0,))  # the next one would find the turn,
    monkeypatch.setattr(engines, "LOBBY_LOOK_SECONDS", 600.0)  # as would this
    _, player = await hall.person("bot")
    slow = Held(hall.url, hall.tokens[player])
    slow.asked, slow.let = asyncio.Event(), asyncio.Event()
    slow.let.set()
    hall.clients.append(slow)
    thinker = Thinker()
    engine = Engine(slow, thinker, level=1)
    running = asyncio.create_task(engine.run())
    person, match = await begun(hall, player)
    match = await acted(person, match)  # the engine knows its seats now
    while "red" not in match.to_act:
        match = await acted(person, match)
    slow.let.clear()
    slow.asked.clear()
    if late:
        engine._tables[match.id].turns["blue"] = time.monotonic()
    engine._take_up(match, True)  # as it does every two minutes
    await asyncio.wait_for(slow.asked.wait(), SECONDS_MAX)
    async with aclosing(slow.personal_feed()) as feed:
        await anext(feed)
        match = await passed(person, match.id)
        async for notice in feed:
            if isinstance(notice, YourTurnNotice) and notice.version == match.version:
                break
    await asyncio.sleep(0.3)  # the engine has heard it, too
    slow.let.set()
    await match_once(person, match.id, lambda one: one.version > match.version, seconds=20)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await thinker.close()


async def test_a_bot_that_dies_in_the_midst_of_a_search_twice_loses_no_match(hall: Hall) -> None:
    client, bot = await hall.person("bot")
    engines = [hall.play(client, thinker=Gate())]
    person, match = await begun(hall, bot)
    for _ in range(2):
        gate = Gate()
        engines.append(hall.play(client, thinker=gate))
        engines[-2].cancel()
        await asyncio.wait_for(gate.asked.wait(), SECONDS_MAX)
    engines[-1].cancel()
    hall.play(client)
    await acted(person, match)


async def test_what_the_search_does_not_find_is_chosen_from_the_listing(
    hall: Hall, caplog: pytest.LogCaptureFixture
) -> None:
    class Lost(Thinker):
        async def think(self, question: Question) -> Choice | None:
            raise warlog_core.BadState("what was seen cannot be")

    class Empty(Thinker):
        async def think(self, question: Question) -> Choice | None:
            return None

    class Wrong(Thinker):
        async def think(self, question: Question) -> Choice | None:
            choice = await super().think(question)
            assert choice is not None
            return msgspec.structs.replace(choice, action={"type": "move", "stack": 99, "path": ["e5"]})

    lost = Lost()
    for thinker in (lost, Empty(), Wrong()):
        person, match = await begun(hall, await hall.bot(thinker=thinker))
        await acted(person, match)
    assert lost.figures.failures >= 1
    assert "the search fails for what blue sees at version" in caplog.text


async def test_a_bot_leaves_what_never_starts(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "LOBBY_LOOK_SECONDS", 0.2)
    monkeypatch.setattr(engines, "LOBBY_SECONDS", 1.0)
    bot = await hall.bot()
    person, _ = await hall.person("person")
    made = await person.create_match("hex", {"blue": bot}, options=BATTLE)  # nobody takes the other seat
    await match_once(person, made.match.id, lambda one: any(place.prepared for place in one.seats))
    left = await match_once(person, made.match.id, lambda one: not any(place.player for place in one.seats))
    assert left.status == "lobby"


async def test_a_process_has_only_so_many_beliefs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all its engines together."""

    async def known(memory: Memory, seen: Seen, state: State, due: float) -> Belief:
        return Belief(seen.seat, 1)

    monkeypatch.setattr(Memory, "up_to", known)
    monkeypatch.setattr(engines, "MEMORIES_MAX", 1)
    thinker, warlog = Thinker(), AsyncClient("http://127.0.0.1:9")  # which is asked for nothing
    state = warlog_core.game("junqi").new(options={"players": 2}, draws=bytes)
    tables = [engines.Table(name) for name in ("one", "two")]

    async def belief_at(table: engines.Table) -> Belief | None:
        seen = Seen(table.id, 1, 1, "south", "junqi", 1, state.setup, state.data, "00")
        return await Engine(warlog, thinker, level=6)._belief(table, seen, state, time.monotonic())

    assert await belief_at(tables[0]) is not None
    assert await belief_at(tables[1]) is None
    tables[0].memories.clear()  # as when a match is over
    assert await belief_at(tables[1]) is not None
    await thinker.close()
    await warlog.close()


async def test_connections_that_are_cut_stop_no_match(hall: Hall, warlog_server: WarlogServer) -> None:
    _, bot = await hall.person("bot")
    with Network(warlog_server.url) as network:
        hall.play(hall.client(hall.tokens[bot], network.url))
        person, match = await begun(hall, bot)
        for _ in range(3):
            match = await passed(person, (await acted(person, match)).id)
            network.cut()
            network.mend()
        network.lose_an_answer()
        match = await passed(person, (await acted(person, match)).id)
        assert await acted(person, match)
