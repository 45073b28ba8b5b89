"""A match of every pool of every game is rated there: all its players, partners alike."""

from __future__ import annotations

import random
from typing import Any

import pytest

import warlog_core
from tests.events.standing.desk import Desk
from tests.events.table import make_accounts, table_at
from tests.servers import AnyRedis
from warlog_core.codecs import service_data
from warlog_events.match import policy
from warlog_events.match.commands import CreateMatch, Prepare
from warlog_events.match.model import Player
from warlog_events.standing.ratings import MU

POOLS = [
    (game, pool)
    for game in warlog_core.games()
    for pool in service_data(game).get("rated", {}).get("pools", {})
]
READY = {"type": "ready"}  # as the army lies
MORE: dict[tuple[str, str], dict[str, Any]] = {
    ("confrontation", "melee"): {"seats": 4},
    ("hex", "duel"): {"army": "preset"},
    ("hex", "melee"): {"army": "preset", "seats": 3},
    ("hex", "pairs"): {"army": "preset"},
    ("universal", "some"): {"factions": ["majora", "good", "evil"]},
}
"""Options without which a match would be in a pool before this one, or would only be bought for."""


@pytest.mark.parametrize(("game", "pool"), POOLS)
async def test_who_wins_gains_and_who_loses_loses(own_redis: AnyRedis, game: str, pool: str) -> None:
    options = {**service_data(game)["rated"]["pools"][pool]["options"], **MORE.get((game, pool), {})}
    seats = warlog_core.game(game).seats_for(options)
    team = {one["id"]: one["team"] for one in warlog_core.game(game).describe(options)["seats"]}
    holders = {seat: Player(f"pl_{seat}", seat) for seat in seats}
    if options.get("mode") == "double":  # of Universal Chess: a player has the two factions of a team
        holders = {seat: Player(f"pl_{team[seat]}", f"player {team[seat]}") for seat in seats}
    me, *others = {player.id: player for player in holders.values()}.values()
    async with table_at(own_redis.url) as table:
        await make_accounts(table.connection, me, *others)
        desk, rng = Desk(table), random.Random(f"{game} {pool}")
        given = {seat: "me" if player == me else player.id for seat, player in holders.items()}
        spec = CreateMatch(game, options, given, mode="competitive")
        match = (await table.matches.new.create(spec, me, players={one.id: one for one in others})).match
        for seat, player in holders.items():
            match = (await table.do(match, Prepare(seat), player)).match
        while match.state is not None and match.state.check(match.to_act[0], READY) is None:
            match = await table.act(match, match.to_act[0], READY)
        match = await table.play(match, 3 * policy.rated(warlog_core.game(game)).actions_min + 60, rng)
        while not match.is_over:
            match = await table.finish(match)
        await desk.catch_up()
        (entry,) = [one async for one in desk.standings.log(0, 10)]
        assert (entry.settled.pool, entry.settled.unrated) == (pool, "")
        assert match.fold.result is not None
        winners = {
            holder.id  # a partner wins also if he was beaten before
            for seat, holder in holders.items()
            if any(team[seat] == team[one] for one in match.fold.result.winners)
        }
        assert {change.player for change in entry.settled.changes} == {me.id, *[one.id for one in others]}
        for change in entry.settled.changes:
            assert change.before[0] == MU
            if winners:
                assert (change.after[0] > MU) == (change.player in winners), entry.settled
