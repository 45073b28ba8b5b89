"""A table to play at: a process's `Matches` over a real Redis, a few players, and random play."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from msgspec import to_builtins

from tests.events.hand import opened
from warlog_events.clock_and_random import World
from warlog_events.lookups import ScenarioLookup
from warlog_events.match.commands import Act, CreateMatch, Propose, Undo
from warlog_events.match.match import Match
from warlog_events.match.model import Player, Reader
from warlog_events.match_settings import MatchSettings
from warlog_events.matches import Matches
from warlog_events.players.presence import Presence
from warlog_events.redis import keys
from warlog_events.redis.append_notices import Watch
from warlog_events.redis.connection import Connection
from warlog_events.redis.store import Store
from warlog_events.results import Done

ADA = Player("pl_ada", "ada")
BOB = Player("pl_bob", "bob")
EVE = Player("pl_eve", "eve")
DAN = Player("pl_dan", "dan")
SPECTATOR = Reader()
ALL = Reader(("red", "blue"), ADA.id)

# A battle at once, without hidden phases; and one that begins with both.
BATTLE: dict[str, object] = {"army": "preset", "width": 9, "height": 7, "obstacle_count": 2}
HIDDEN: dict[str, object] = {"army": "recruit", "deployment": "chosen", "width": 9, "height": 7}


class Hands:
    """A world whose clock is moved by hand."""

    def __init__(self, name: str) -> None:
        fixed = World.fixed(f"hands/{name}")
        self.now_ms = fixed.now_ms()
        self.world = World(lambda: self.now_ms, fixed.token_bytes, is_fixed=True)


class Table:
    """One process's view of Redis. Several tables over one Redis are several processes."""

    def __init__(
        self,
        connection: Connection,
        world: World,
        settings: MatchSettings | None,
        watch: Watch,
        scenario: ScenarioLookup | None = None,
    ) -> None:
        self.connection = connection
        self.world = world
        self.store = Store(connection, world)
        self.presence = Presence(connection, world)
        self.matches = Matches(
            self.store, world, watch=watch, settings=settings, scenario=scenario, presence=self.presence
        )
        self.counts = self.matches.counts

    async def hot_seat(self, options: dict[str, object] | None = None, **more: Any) -> Match:
        """A running match in which ada holds both seats."""
        spec = CreateMatch("hex", BATTLE if options is None else options, {"red": "me", "blue": "me"}, **more)
        return (await self.matches.new.create(spec, ADA)).match

    async def duel(self, options: dict[str, object] | None = None, **more: Any) -> Match:
        """A running match of ada (red) against bob (blue)."""
        from warlog_events.match.commands import Prepare

        seats = {"red": "me", "blue": BOB.id}
        spec = CreateMatch("hex", BATTLE if options is None else options, seats, **more)
        match = (await self.matches.new.create(spec, ADA, players={BOB.id: BOB})).match
        await self.do(match, Prepare("red"), ADA)
        return (await self.do(match, Prepare("blue"), BOB)).match

    async def answer(self, done: Done, player: Player = ADA) -> bytes:
        """To the command, also where it is a repeat."""
        if done.accepted is not None:
            done = await self.matches.player_commands.first_answer(done.match, done.accepted)
        return done.event_answer(done.reader(player.id))

    async def do(self, match: Match, command: Any, player: Player = ADA, **more: Any) -> Done:
        return await self.matches.player_commands.execute(match.id, command, player, **more)

    async def act(self, match: Match, seat: str, action: dict[str, Any], **more: Any) -> Match:
        """By whoever holds the seat."""
        return (await self.do(match, Act(seat, action), match.holders[seat], **more)).match

    async def undo(self, match: Match, to: int, player: Player = ADA) -> Match:
        return (await self.do(match, Propose(Undo(to)), player)).match

    async def play(self, match: Match, count: int, rng: random.Random) -> Match:
        """`count` random actions at most; nobody gives up."""
        for _ in range(count):
            if match.is_over:
                break
            match = await self.act(match, *choice(match, rng))
        return match

    async def finish(self, match: Match) -> Match:
        return await self.act(match, match.to_act[0], {"type": "resign"})

    async def finish_playing(self, match: Match) -> Match:
        """The match as it is now, over."""
        match = await self.load(match)
        return match if match.is_over else await self.finish(match)

    async def load(self, match: Match) -> Match:
        return await self.matches.admission.load(match.id, ADA.id)

    async def events(self, match: Match, reader: Reader = ALL) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = to_builtins(await self.matches.past.events(match, reader, 0, 100_000))
        return found

    async def as_0_1_stored(self, match_id: str) -> None:
        """What is stored beside the events takes the form that it had in 0.1."""
        state, summary = keys.match_state(match_id), await self.store.summary(match_id)
        assert summary is not None
        await self.connection.redis.hdel(state, "frame", "moving", "index", "invited")
        await self.connection.redis.hset(state, "summary", summary)

    async def forget(self) -> None:
        """Every hot match leaves memory."""
        await self.matches.loader.settle()
        self.matches.cache.clear()


def choice(match: Match, rng: random.Random) -> tuple[str, dict[str, Any]]:
    """A seat that is to act, and one of its actions; no open template, nobody gives up."""
    assert match.state is not None
    seat = rng.choice(match.to_act)
    actions = [
        action
        for action in match.state.legal(seat, plain=True)
        if action["type"] not in ("resign", "offer_draw", "accept_draw", "recruit") and not action.get("open")
    ]
    return seat, rng.choice(actions)


async def make_accounts(connection: Connection, *players: Player) -> None:
    """Events hold ids alone: who reads them takes the names from the accounts."""
    for player in players:
        await connection.pipe.call("HSET", keys.player(player.id), "name", player.name, "created_at", 0)


@asynccontextmanager
async def table_at(
    url: str,
    *,
    settings: MatchSettings | None = None,
    world: World | None = None,
    scenario: ScenarioLookup | None = None,
    connection: Mapping[str, Any] = {},
) -> AsyncIterator[Table]:
    """`connection`: of `open_redis`."""
    async with opened(url, **connection) as opened_:
        watch = Watch(opened_)
        table = Table(opened_, world or World.real(), settings, watch, scenario)
        await make_accounts(opened_, ADA, BOB, EVE, DAN)
        try:
            yield table
        finally:
            await table.matches.close()
            await watch.close()
