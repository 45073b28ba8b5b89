"""Each achievement that all games share is earned by real matches, by the last of them and not before; and again by a
rebuild."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

import warlog_core
from tests.events.standing.desk import DUEL, Desk
from tests.events.table import ADA, BOB, DAN, EVE, make_accounts, table_at
from tests.servers import AnyRedis
from warlog_events.match import policy
from warlog_events.match.bots import house
from warlog_events.match.commands import CreateMatch, Prepare
from warlog_events.match.match import Match
from warlog_events.match.model import Player
from warlog_events.standing.counting import BEHIND, JUDGED_EVERY, MARATHON, UPSET, catalogue

HEX, WEC = "hex", "wec"
RED, BLUE = "red", "blue"
OPTIONS: dict[str, dict[str, Any]] = {
    "hex": DUEL,
    "junqi": {"players": 2},
    "universal": {"factions": ["majora", "good"]},
}
"""Of a pool; of the other games the usual ones are."""
READY = {"type": "ready"}
ENOUGH = policy.rated(warlog_core.game(HEX)).actions_min

Scenario = Callable[[Desk, random.Random], AsyncIterator[Match]]
"""Matches one after the other; ada earns it by the last."""
SCENARIOS: dict[str, Scenario] = {}


def scenario(one: Scenario) -> Scenario:
    SCENARIOS[one.__name__.strip("_")] = one
    return one


async def begun(desk: Desk, game: str = HEX, *players: Player) -> Match:
    """A competitive match of two, in play."""
    one, other = players or (ADA, BOB)
    options = OPTIONS.get(game, {})
    seats = warlog_core.game(game).seats_for(options)
    spec = CreateMatch(game, options, dict(zip(seats, ("me", other.id), strict=True)), mode="competitive")
    match = (await desk.table.matches.new.create(spec, one, players={other.id: other})).match
    for seat, player in zip(seats, (one, other), strict=True):
        match = (await desk.table.do(match, Prepare(seat), player)).match
    while match.state is not None and match.state.check(match.to_act[0], READY) is None:
        match = await desk.table.act(match, match.to_act[0], READY)
    return match


async def waited(desk: Desk, match: Match, count: int) -> Match:
    """So many actions more, none of which does anything."""
    for _ in range(count):
        (seat,) = match.to_act
        assert match.state is not None
        action = next(one for one in match.state.legal(seat, plain=True) if one["type"] == "defend")
        match = await desk.table.act(match, seat, action)
    return match


async def given_up(desk: Desk, match: Match, loser: str) -> Match:
    while match.to_act != [loser]:
        match = await waited(desk, match, 1)
    return await desk.table.act(match, loser, {"type": "resign"})


async def won(desk: Desk, seat: str = RED, players: tuple[Player, Player] = (ADA, BOB)) -> Match:
    """From this seat."""
    match = await waited(desk, await begun(desk, HEX, *players), ENOUGH)
    return await given_up(desk, match, BLUE if seat == RED else RED)


async def lost(desk: Desk) -> Match:
    return await won(desk, BLUE)


@scenario
async def first_win(desk: Desk, rng: random.Random) -> AsyncIterator[Match]:
    yield await lost(desk)
    yield await won(desk)


@scenario
async def ten_matches(desk: Desk, rng: random.Random) -> AsyncIterator[Match]:
    for _ in range(10):
        yield await desk.duel(rng)


@scenario
async def hundred_matches(desk: Desk, rng: random.Random) -> AsyncIterator[Match]:
    for _ in range(100):
        yield await desk.duel(rng, actions=ENOUGH)


@scenario
async def five_games(desk: Desk, rng: random.Random) -> AsyncIterator[Match]:
    *games, last = warlog_core.games()
    for game in (*games, *games, last):
        match = await desk.table.play(await begun(desk, game), 70, rng)
        while not match.is_over:
            match = await desk.table.finish(match)
        yield match


@scenario
async def streak(desk: Desk, rng: random.Random) -> AsyncIterator[Match]:
    yield await won(desk)
    yield await won(desk)
    yield await lost(desk)
    for _ in range(5):
        yield await won(desk)


@scenario
async def both_sides(desk: Desk, rng: random.Random) -> AsyncIterator[Match]:
    yield await won(desk)
    yield await won(desk)
    yield await won(desk, BLUE, (BOB, ADA))


@scenario
async def comeback(desk: Desk, rng: random.Random) -> AsyncIterator[Match]:
    """Ada only defends, until the computer has seen her lose for long enough to have been asked; then bob gives up."""

    def chance(match: Match) -> float:
        return 2 * match.state.evaluate()[RED] if match.state else 1.0

    match, low = await begun(desk), 0
    assert chance(match) > BEHIND
    while low <= JUDGED_EVERY:
        match = await (attacked(desk, match, rng) if match.to_act == [BLUE] else waited(desk, match, 1))
        if match.is_over:
            match, low = await begun(desk), 0
        low = low + 1 if chance(match) < BEHIND else 0
    yield await won(desk)
    yield await given_up(desk, match, BLUE)


async def attacked(desk: Desk, match: Match, rng: random.Random) -> Match:
    """If there is somebody to be attacked."""
    assert match.state is not None
    actions = match.state.legal(match.to_act[0], plain=True)
    attacks = [one for one in actions if one["type"] == "attack"]
    moves = [one for one in actions if one["type"] == "move"]
    return await desk.table.act(match, match.to_act[0], rng.choice(attacks or moves or actions[:1]))


@scenario
async def favourite_falls(desk: Desk, rng: random.Random) -> AsyncIterator[Match]:
    """Eve beats dan until she stands above ada by so much; ada has beaten her before."""
    yield await won(desk, RED, (ADA, EVE))
    for _ in range(6):
        yield await won(desk, RED, (EVE, DAN))
        yield await won(desk, RED, (BOB, ADA))
    hers, ours = [(await desk.standings.rating(one.id, HEX, "duel")).shown for one in (EVE, ADA)]
    assert hers - ours >= UPSET
    yield await won(desk, RED, (ADA, EVE))


@scenario
async def strongest_bot(desk: Desk, rng: random.Random) -> AsyncIterator[Match]:
    async def beaten(level: int) -> Match:
        spec = CreateMatch(HEX, DUEL, {RED: "me", BLUE: f"bot:{level}"}, consent="none")
        match = (await desk.table.matches.new.create(spec, ADA)).match
        if match.status == "lobby":
            match = (await desk.table.do(match, Prepare(RED), ADA)).match
        return await given_up(desk, await waited(desk, match, ENOUGH), BLUE)

    yield await beaten(7)
    yield await beaten(8)


@scenario
async def swift(desk: Desk, rng: random.Random) -> AsyncIterator[Match]:
    async def after(actions: int) -> Match:
        """A match of so many, the last by bob."""
        while True:
            match = await waited(desk, await begun(desk), actions - 1)
            if match.to_act == [BLUE]:
                return await given_up(desk, match, BLUE)
            await desk.table.finish(match)  # ada has lost it

    yield await after(2 * ENOUGH)
    yield await after(2 * ENOUGH - 1)


@scenario
async def marathon(desk: Desk, rng: random.Random) -> AsyncIterator[Match]:
    for actions in (MARATHON - 1, MARATHON):
        yield await desk.table.finish(await waited(desk, await begun(desk), actions - 1))


@scenario
async def peace(desk: Desk, rng: random.Random) -> AsyncIterator[Match]:
    async def offered(answer: str) -> Match:
        while True:
            match = await desk.table.play(await begun(desk, WEC), 20, rng)
            if not match.is_over:
                break
        (seat,) = match.to_act
        match = await desk.table.act(match, seat, {"type": "offer_draw"})
        (other,) = {*match.seats} - {seat}
        return await desk.table.act(match, other, {"type": answer})

    yield await desk.table.finish(await offered("decline_draw"))
    yield await offered("accept_draw")


@pytest.mark.parametrize(
    "key", [pytest.param(key, marks=[pytest.mark.soak] * (key == "hundred_matches")) for key in SCENARIOS]
)
async def test_it_is_earned_by_the_last_of_these_matches_and_again_by_a_rebuild(
    own_redis: AnyRedis, key: str
) -> None:
    async with table_at(own_redis.url) as table:
        await make_accounts(table.connection, *map(house, (7, 8)))
        desk, played = Desk(table), list[str]()
        async for match in SCENARIOS[key](desk, random.Random(key)):
            await desk.catch_up()
            played.append(match.id)
        unrated = {one.match: one.settled.unrated async for one in desk.standings.log(0, 1000)}
        assert {unrated[one] for one in played} <= {"", "casual"}  # whole matches
        earned = {one.key: one.match for one in await desk.standings.achievements(ADA.id, own=True)}
        assert earned[f"any.{key}"] == played[-1]
        before = await desk.everything()
        await table.forget()
        await desk.settler.rebuild()
        assert await desk.everything() == before


def test_every_shared_achievement_has_its_matches() -> None:
    assert {key for key in catalogue() if key.startswith("any.")} == {f"any.{key}" for key in SCENARIOS}
