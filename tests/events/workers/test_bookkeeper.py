"""The bookkeeper's sweep: holds whose command died are given back, whatever else it meets on its way."""

from __future__ import annotations

import warlog_core
from tests.events.table import ADA, BOB, Hands, Table, table_at
from tests.servers import AnyRedis
from warlog_events.clock_and_random import World
from warlog_events.match.commands import CreateMatch, Prepare
from warlog_events.players.layouts import Library
from warlog_events.players.ledger import Hold, Ledger
from warlog_events.players.stakes import Stakes
from warlog_events.redis import keys
from warlog_events.workers.bookkeeper import ORPHAN_MS, Bookkeeper


def books(table: Table, world: World) -> tuple[Ledger, Bookkeeper]:
    ledger = Ledger(table.connection, world)
    stakes = Stakes(ledger, Library(table.connection, world))
    return ledger, Bookkeeper(table.store, table.matches, stakes, world)


async def test_a_match_that_cannot_be_looked_at_does_not_stop_the_sweep(own_redis: AnyRedis) -> None:
    """It did, and as the worker began with a sweep each time it was started again, nothing was settled any more."""
    hands = Hands("sweep")
    async with table_at(own_redis.url, world=hands.world) as table:
        ledger, bookkeeper = books(table, hands.world)
        damaged, other = await table.hot_seat(), await table.hot_seat()
        left = Hold("red", ADA.id, 5, 0)
        await ledger.hold(damaged.id, left)
        hands.now_ms += 1  # the oldest is looked at first
        await ledger.hold(other.id, Hold("red", BOB.id, 5, 0))
        await table.connection.pipe.call(
            "HSET", keys.ledger(f"account:{ADA.id}"), "held", "no number", write=True
        )
        hands.now_ms += ORPHAN_MS + 1
        await bookkeeper.sweep()
        assert await ledger.holds([damaged.id, other.id]) == [[left], []]


async def test_the_hold_of_a_match_that_never_came_to_be_is_given_back(own_redis: AnyRedis) -> None:
    hands = Hands("orphan")
    async with table_at(own_redis.url, world=hands.world) as table:
        ledger, bookkeeper = books(table, hands.world)
        match, hold = table.store.new_match_id(), Hold("red", ADA.id, 5, 0)
        await ledger.hold(match, hold)
        await bookkeeper.sweep()
        assert await ledger.holds([match]) == [[hold]]  # the match may be about to be made
        hands.now_ms += ORPHAN_MS + 1
        await bookkeeper.sweep()
        assert await ledger.holds([match]) == [[]]


async def test_the_layouts_with_which_play_began_are_kept_also_where_an_action_alone_began_it(
    own_redis: AnyRedis,
) -> None:
    """To an action that ends a phase no index entry belongs, since the lobby finds the match by what it did before."""
    world = World.real()
    async with table_at(own_redis.url) as table:
        _, bookkeeper = books(table, world)
        library, players = Library(table.connection, world), [ADA.id, BOB.id]
        game = warlog_core.game("junqi")
        options: dict[str, object] = {"players": 2}
        one, other = game.seats_for(options)
        spec = CreateMatch("junqi", options, {one: "me", other: BOB.id})
        match = (await table.matches.new.create(spec, ADA, players={BOB.id: BOB})).match
        for seat in (one, other):
            match = (await table.do(match, Prepare(seat), match.holders[seat])).match
        match = await table.act(match, one, {"type": "ready"})
        await bookkeeper.catch_up()
        assert await library.last(players, "junqi") == {}
        await table.act(match, other, {"type": "ready"})
        await bookkeeper.catch_up()
        assert set(await library.last(players, "junqi")) == {*players}


async def test_what_redis_has_lost_of_a_settlement_is_done_again(own_redis: AnyRedis) -> None:
    """Simulated, seed 1005: the end of a match was in Redis's file, its settlement was not, and the process that had
    made it never looked at the match again."""
    world = World.real()
    async with table_at(own_redis.url) as table:
        ledger, bookkeeper = books(table, world)
        match = await table.duel(mode="competitive")
        await table.act(match, "red", {"type": "resign"})
        assert (await bookkeeper.step()).new
        assert await ledger.settled([match.id]) == [True]
        lost = await table.connection.redis.keys(keys.ledger("*"))
        await table.connection.redis.delete(*lost)
        await bookkeeper.step()
        assert await ledger.settled([match.id]) == [False]  # it does not look where it has been
        table.connection._returns(lambda key: True)
        await table.connection.redis.delete(*await table.connection.redis.keys(keys.ledger("*")))
        await bookkeeper.step()
        assert await ledger.settled([match.id]) == [True]
