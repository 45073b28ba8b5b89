"""Finished matches count in statistics and for achievements: once, and to the same bytes after a rebuild."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

import pytest

from tests.events.standing.desk import DUEL, Desk
from tests.events.standing.test_settler import damage
from tests.events.table import ADA, BOB, EVE, make_accounts, table_at
from tests.servers import AnyRedis
from warlog_core import Event
from warlog_core.achievements import tally, tally_of
from warlog_events.match.bots import house
from warlog_events.match.commands import CreateMatch, Prepare
from warlog_events.match.match import Match
from warlog_events.match.model import Player
from warlog_events.reading.pages import RUNS
from warlog_events.reading.replayed import RUN_EVENTS, EventWithState, Run
from warlog_events.standing.counting import (
    JUDGED_EVERY,
    MARATHON,
    Counted,
    KnownStatistics,
    Seated,
    Tallied,
    Teller,
    catalogue,
    count_match,
    may_count,
)
from warlog_events.standing.ratings import UNIT, Rating
from warlog_events.standing.statistics import FAVOURITES_MAX, Career, OwnStatistics, Statistics

HEX = "hex"


async def keys_of(desk: Desk, player: Player) -> set[str]:
    return {one.key for one in await desk.standings.achievements(player.id, own=True)}


async def statistics_of(desk: Desk, player: Player) -> dict[str, Any] | None:
    games, _ = await desk.standings.own_statistics(player.id)
    return games[HEX].json() if HEX in games else None


def sides(match: Match) -> tuple[Player, Player]:
    """Who won, who lost."""
    assert match.fold.result is not None
    (winner,) = match.fold.result.winners
    (loser,) = set(match.seats) - {winner}
    return match.holders[winner], match.holders[loser]


async def against_bot(desk: Desk, level: int, rng: random.Random, *, undo: bool = False) -> Match:
    """A casual match of ada against a bot of the house, who plays at random here and gives up in the end."""
    spec = CreateMatch(HEX, DUEL, {"red": "me", "blue": f"bot:{level}"}, consent="none")
    match = (await desk.table.matches.new.create(spec, ADA)).match
    if match.status == "lobby":
        match = (await desk.table.do(match, Prepare("red"), ADA)).match
    match = await desk.table.play(match, 10, rng)
    if undo:
        match = await desk.table.undo(match, match.version - 3)
    match = await desk.table.play(match, 20, rng)
    while not match.is_over and match.to_act != ["blue"]:
        match = await desk.table.play(match, 1, rng)
    return match if match.is_over else await desk.table.act(match, "blue", {"type": "resign"})


async def test_a_match_counts_for_both_and_for_the_game_with_what_it_has_earned(own_redis: AnyRedis) -> None:
    async with table_at(own_redis.url) as table:
        desk = Desk(table)
        match = await desk.duel(random.Random(1), actions=2000)
        await desk.catch_up()
        winner, loser = sides(match)
        won, lost = await statistics_of(desk, winner), await statistics_of(desk, loser)
        assert won is not None
        assert lost is not None
        assert (won["played"], won["won"], won["lost"], won["streak"]) == (1, 1, 0, 1)
        assert (lost["played"], lost["won"], lost["lost"], lost["streak"]) == (1, 0, 1, 0)
        (seat,) = won["seats"]
        assert (seat["pool"], seat["won"]) == ("duel", 1)
        assert match.holders[seat["seat"]] == winner
        assert won["length"]["longest"] == won["length"]["actions"] > 20
        assert "cavalry" in [one["name"] for one in won["favourites"]]
        everybody = (await desk.standings.statistics(HEX)).json()
        assert everybody["played"] == 1
        assert sorted((one["won"], one["lost"]) for one in everybody["seats"]) == [(0, 1), (1, 0)]
        assert "any.first_win" in await keys_of(desk, winner)
        assert "any.first_win" not in await keys_of(desk, loser)
        assert any(key.startswith("hex.") for key in await keys_of(desk, winner))
        for one in await desk.standings.achievements(winner.id, own=False):
            assert (one.match, one.at) == (match.id, match.fold.updated_at)


async def test_runs_tell_of_a_long_match_what_its_events_tell_one_by_one(own_redis: AnyRedis) -> None:
    async with table_at(own_redis.url) as table:
        desk = Desk(table)
        match = await desk.duel(random.Random(1), actions=2000)
        assert match.state is not None
        assert match.fold.result is not None
        teller, runs, past = Teller(match), list[Run](), table.matches.past
        stored = await past.stored(match, 0, match.version)
        await past.replay(match, stored, teller.types, JUDGED_EVERY, runs.append)
        for run in runs:
            teller.take(run)
        told = teller.end(2)

        def one(_: Match, event: EventWithState) -> tuple[dict[str, float], Event] | None:
            return (event.state.evaluate(), event.resolved) if event.state and event.resolved else None

        found = [row for row in await past.each(match, 0, match.version, one) if row is not None]
        values, events = [values for values, _ in found], [event for _, event in found]
        assert len(events) > RUNS * RUN_EVENTS
        assert [(step.actor, step.action) for run in runs for step in run.steps] == [
            (event.actor, event.action) for event in events[1:]
        ]
        names = {match.game.raw.effects[number].name for number in teller.types}
        least = tally_of(match.game_name).LONG
        assert [(actor, effect) for run in runs for actor, _, effect in run.effects] == [
            (event.actor, effect)
            for event in events[1:]
            for effect in event.effects
            if (name := effect.__struct_config__.tag) in names
            and (name not in least or len(effect.path) >= least[name])
        ]
        assert [one for run in runs for one in run.values] == values[JUDGED_EVERY - 1 :: JUDGED_EVERY]
        one_by_one = tally(match.game, runs[0].state)
        for event in events:
            one_by_one.take(event)
        winners = match.fold.result.winners
        for seat in match.seats:
            earned = [*one_by_one.earned(seat, seat in winners, match.state)]
            assert told.earned[seat] == earned
            assert told.favourites[seat] == [*one_by_one.favourites(seat)]
        assert any(told.earned.values())
        await desk.catch_up()
        for seat, player in match.holders.items():
            own = {key for key in await keys_of(desk, player) if key.startswith(f"{HEX}.")}
            all_ = {f"{HEX}.{key}" for key in told.earned[seat]}
            assert own == {key for key in all_ if catalogue()[key].count == 1}


async def test_of_a_private_match_strangers_see_the_achievement_without_the_match(
    own_redis: AnyRedis,
) -> None:
    async with table_at(own_redis.url) as table:
        desk = Desk(table)
        winner, _ = sides(await desk.duel(random.Random(2), visibility="private"))
        await desk.catch_up()
        for own in (True, False):
            found = await desk.standings.achievements(winner.id, own=own)
            assert found
            assert all((one.match is not None) == own for one in found)


async def test_what_counts_nowhere(own_redis: AnyRedis) -> None:
    """Casual matches of people, short ones, weak bots, what was taken back, damaged records; and other options earn
    nothing."""
    rng = random.Random(3)
    async with table_at(own_redis.url) as table:
        await make_accounts(table.connection, house(4), house(5), house(8))
        desk = Desk(table)
        await desk.duel(rng, mode="casual")
        await desk.duel(rng, actions=3)
        await against_bot(desk, 4, rng)
        await against_bot(desk, 5, rng, undo=True)
        damaged = await desk.duel(rng)
        await desk.bookkeeper.catch_up()
        await damage(table.connection.redis, damaged.id)
        await desk.catch_up()
        assert await statistics_of(desk, ADA) is None
        assert await keys_of(desk, ADA) == set()
        assert (await desk.standings.statistics(HEX)).matches == 0
        await desk.duel(rng, options={"army": "preset", "width": 9}, actions=2000)  # of no pool
        await desk.catch_up()
        own = await statistics_of(desk, ADA)
        assert own is not None
        assert own["seats"][0]["pool"] is None
        assert await keys_of(desk, ADA) == set()


async def test_a_bot_of_level_5_counts_and_has_nothing_of_its_own(own_redis: AnyRedis) -> None:
    async with table_at(own_redis.url) as table:
        await make_accounts(table.connection, house(5), house(8))
        desk = Desk(table)
        await against_bot(desk, 5, random.Random(4))
        await desk.catch_up()
        own = await statistics_of(desk, ADA)
        assert own is not None
        assert own["won"] == 1
        assert "any.first_win" in await keys_of(desk, ADA)
        assert "any.strongest_bot" not in await keys_of(desk, ADA)
        assert await statistics_of(desk, house(5)) is None
        assert await desk.standings.ratings(ADA.id) == {}
        await against_bot(desk, 8, random.Random(5))
        await desk.catch_up()
        assert "any.strongest_bot" in await keys_of(desk, ADA)


async def test_the_same_two_earn_nothing_more_that_day(own_redis: AnyRedis) -> None:
    rng = random.Random(6)
    async with table_at(own_redis.url) as table:
        desk = Desk(table, matches_per_day=2)
        for _ in range(4):
            await desk.duel(rng)
            await desk.catch_up()
        own = await statistics_of(desk, ADA)
        assert own is not None
        assert own["played"] == 2


async def test_a_rebuild_counts_again_to_the_same_bytes_and_tells_nobody_again(own_redis: AnyRedis) -> None:
    rng = random.Random(7)
    async with table_at(own_redis.url) as table:
        await make_accounts(table.connection, house(6))
        desk = Desk(table, matches_per_day=3)
        for number in range(8):
            await desk.duel(
                rng, rng.choice(((ADA, BOB), (BOB, EVE), (EVE, ADA))), actions=rng.choice((4, 60))
            )
            if number % 4 == 0:
                await against_bot(desk, 6, rng)
        await desk.catch_up()
        before = await desk.everything()
        assert {"statistics", f"statistics:{ADA.id}", f"achievements:{ADA.id}", "news"} <= set(before)
        await table.forget()
        await desk.settler.rebuild()
        assert await desk.everything() == before


async def test_who_leaves_for_good_has_neither_achievements_nor_statistics_also_after_a_rebuild(
    own_redis: AnyRedis,
) -> None:
    async with table_at(own_redis.url) as table:
        desk = Desk(table)
        rng = random.Random(8)
        while not await keys_of(desk, ADA):  # until ada has won: chance decides who is to act and gives up
            await desk.duel(rng)
            await desk.catch_up()
        everybody = (await desk.standings.statistics(HEX)).json()
        await desk.standings.forget(ADA.id)
        for _ in range(2):
            assert await keys_of(desk, ADA) == set()
            assert await statistics_of(desk, ADA) is None
            assert await statistics_of(desk, BOB) is not None
            assert (await desk.standings.statistics(HEX)).json() == everybody
            await desk.settler.rebuild()


# ---- the shared achievements, by what a match was


def counted(*seats: tuple[str, str, str], **more: Any) -> Counted:
    given: dict[str, Any] = {
        "actions": 40,
        "ms": 1000,
        "fair": True,
        "reason": "elimination",
        "tallied": Tallied(),
    }
    return Counted([Seated(*seat) for seat in seats], **{**given, **more})


def earned(
    *matches: tuple[str, Counted], ratings: Mapping[str, Rating] = {}, player: str = ADA.id
) -> list[str]:
    """What this player earns by these matches, in order. Each is (game, what counts)."""
    by_game: dict[str, KnownStatistics] = {}
    careers: dict[str, Career] = {}
    found: list[str] = []
    for game, one in matches:
        people = [seat.player for seat in one.seats if seat.player not in (house(8).id,)]
        there = by_game.setdefault(game, KnownStatistics(Statistics(), {}, careers))
        for person in people:
            there.own.setdefault(person, OwnStatistics())
            careers.setdefault(person, Career())
        now = KnownStatistics(there.everyone, {person: there.own[person] for person in people}, careers)
        found += [
            award.key for award in count_match(game, "duel", one, now, ratings) if award.player == player
        ]
    return found


WIN = counted(("red", ADA.id, "won"), ("blue", BOB.id, "lost"))
LOSS = counted(("red", ADA.id, "lost"), ("blue", BOB.id, "won"))
GAMES = ("confrontation", "hex", "junqi", "universal", "wec")


@pytest.mark.parametrize(
    ("key", "almost", "last"),
    [
        ("first_win", [LOSS], WIN),
        ("ten_matches", [LOSS] * 9, WIN),
        ("hundred_matches", [LOSS] * 99, LOSS),
        ("streak", [WIN] * 2 + [LOSS] + [WIN] * 4, WIN),
        ("both_sides", [WIN] * 3, counted(("blue", ADA.id, "won"), ("red", BOB.id, "lost"))),
        ("comeback", [WIN], counted(*WIN.seats, tallied=Tallied(came_back=["red"]))),
        ("strongest_bot", [WIN], counted(("red", ADA.id, "won"), ("blue", house(8).id, "lost"))),
        ("swift", [WIN], counted(*WIN.seats, actions=23)),
        ("marathon", [counted(*WIN.seats, actions=MARATHON - 1)], counted(*LOSS.seats, actions=MARATHON)),
        ("peace", [WIN], counted(("red", ADA.id, "drawn"), ("blue", BOB.id, "drawn"), reason="draw_agreed")),
    ],
)
def test_a_shared_achievement_is_earned_by_the_last_of_these_matches(
    key: str, almost: list[Counted], last: Counted
) -> None:
    assert f"any.{key}" not in earned(*[(HEX, one) for one in almost])
    found = earned(*[(HEX, one) for one in (*almost, last, last)])
    assert found.count(f"any.{key}") == 1


def test_five_games_are_needed_for_all_rounder() -> None:
    assert "any.five_games" not in earned(*[(game, LOSS) for game in (*GAMES[:4], *GAMES[:4])])
    assert "any.five_games" in earned(*[(game, LOSS) for game in GAMES])


def test_an_upset_needs_two_hundred_points() -> None:
    near, far = (Rating(mu=25 * UNIT + points * UNIT // 60) for points in (190, 210))
    assert "any.favourite_falls" not in earned((HEX, WIN), ratings={ADA.id: Rating(), BOB.id: near})
    assert "any.favourite_falls" in earned((HEX, WIN), ratings={ADA.id: Rating(), BOB.id: far})
    assert "any.favourite_falls" not in earned((HEX, LOSS), ratings={ADA.id: Rating(), BOB.id: far})


def test_options_of_no_pool_earn_nothing_and_still_count() -> None:
    assert earned((HEX, counted(*WIN.seats, fair=False))) == []


def test_a_game_s_own_achievement_may_take_several_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    one = counted(*WIN.seats, tallied=Tallied(earned={"red": ["untouched"], "blue": ["riposte"]}))
    assert earned((HEX, one), (HEX, one)).count("hex.untouched") == 1
    assert "hex.riposte" not in earned((HEX, one))
    assert "hex.riposte" in earned((HEX, one), player=BOB.id)


def test_every_shared_achievement_is_tested_here() -> None:
    tested = {"five_games", "favourite_falls"}
    for mark in test_a_shared_achievement_is_earned_by_the_last_of_these_matches.pytestmark:  # type: ignore[attr-defined]
        tested |= {case[0] for case in mark.args[1]}
    assert {key for key in catalogue() if key.startswith("any.")} == {f"any.{key}" for key in tested}


def test_which_players_make_a_match_that_may_count() -> None:
    strong, weak = house(5).id, house(4).id
    assert may_count("competitive", [ADA.id, BOB.id])
    assert may_count("competitive", [ADA.id, strong])
    assert not may_count("competitive", [ADA.id, weak])
    assert may_count("casual", [ADA.id, strong, house(8).id])
    assert not may_count("casual", [ADA.id, strong, weak])
    assert not may_count("casual", [ADA.id, BOB.id, strong])
    assert not may_count("casual", [ADA.id, BOB.id])


def test_favourites_are_bounded() -> None:
    statistics = Statistics()
    statistics.count_seat("", "red", "won", [f"opening {number}" for number in range(FAVOURITES_MAX + 50)])
    statistics.count_seat("", "red", "won", ["opening 7", "another"])
    assert len(statistics.favourites) == FAVOURITES_MAX
    assert statistics.json()["favourites"][0] == {"name": "opening 7", "times": 2}
    assert len(json.dumps(statistics.json())) < 2000
