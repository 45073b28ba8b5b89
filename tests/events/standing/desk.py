"""Who settles, over a table of the tests; and everything that is made of the settled matches, to be compared."""

from __future__ import annotations

import random
from typing import Any

from tests.events.table import ADA, BOB, Table
from warlog_events.clock_and_random import World
from warlog_events.match.commands import CreateMatch, Prepare
from warlog_events.match.match import Match
from warlog_events.match.model import Player
from warlog_events.players.layouts import Library
from warlog_events.players.ledger import Ledger
from warlog_events.players.stakes import Stakes
from warlog_events.redis import keys
from warlog_events.standing.standings import Standings
from warlog_events.workers.bookkeeper import Bookkeeper
from warlog_events.workers.settler import Settler

DUEL: dict[str, object] = {"army": "preset"}
"""Options of a pool."""


class Desk:
    def __init__(self, table: Table, world: World | None = None, matches_per_day: int = 0) -> None:
        world = world or World.real()
        self.table = table
        self.ledger = Ledger(table.connection, world)
        stakes = Stakes(self.ledger, Library(table.connection, world))
        self.bookkeeper = Bookkeeper(table.store, table.matches, stakes, world)
        self.standings = Standings(table.connection, world)
        self.settler = Settler(
            table.matches, self.ledger, self.standings, world, matches_per_day=matches_per_day
        )

    async def catch_up(self) -> None:
        await self.bookkeeper.catch_up()
        await self.settler.catch_up()

    async def duel(
        self,
        rng: random.Random,
        players: tuple[Player, Player] = (ADA, BOB),
        *,
        actions: int = 20,
        options: dict[str, object] = DUEL,
        **more: Any,
    ) -> Match:
        """A match between these two that is over; whoever is to act after so many actions gives up."""
        red, blue = players
        spec = CreateMatch("hex", options, {"red": "me", "blue": blue.id}, **{"mode": "competitive", **more})
        match = (await self.table.matches.new.create(spec, red, players={blue.id: blue})).match
        for seat, player in (("red", red), ("blue", blue)):
            match = (await self.table.do(match, Prepare(seat), player)).match
        match = await self.table.play(match, actions, rng)
        return match if match.is_over else await self.table.finish(match)

    async def everything(self) -> dict[str, Any]:
        """All that is made of the log, and the log."""
        found: dict[str, Any] = {}
        redis, prefix = self.table.connection.redis, keys.standing("")
        cursor = b"0"
        while True:
            cursor, names = await self.table.connection.pipe.call(
                "SCAN", cursor, "MATCH", keys.standing("*"), "COUNT", 1000
            )
            for raw in names:
                name = raw.decode()
                match await redis.type(name):
                    case b"hash" | "hash":
                        value: Any = await redis.hgetall(name)
                    case b"list" | "list":
                        value = await redis.lrange(name, 0, -1)
                    case b"set" | "set":
                        value = await redis.smembers(name)
                    case b"zset" | "zset":
                        value = await redis.zrange(name, 0, -1, withscores=True)
                    case _:
                        value = await redis.xrange(name)
                found[name.removeprefix(prefix)] = value
            if cursor == b"0":
                return found
