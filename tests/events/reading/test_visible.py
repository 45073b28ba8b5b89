"""What leaves the server of a match: two worlds that differ only in a secret look the same to who may not know it."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import msgspec
import pytest

from tests.events.table import ADA, BOB, EVE, HIDDEN, SPECTATOR, Table, table_at
from tests.servers import AnyRedis, RedisServer
from warlog_events import errors
from warlog_events.clock_and_random import World
from warlog_events.match.commands import (
    Accept,
    Act,
    CreateMatch,
    Options,
    Prepare,
    Propose,
    TakeSeat,
    Undo,
)
from warlog_events.match.match import Match
from warlog_events.match.model import BODIES, ActionTaken, Reader
from warlog_events.reading.visible import SHOWN

RED, BLUE = Reader(("red",), ADA.id), Reader(("blue",), BOB.id)


def test_every_event_type_says_what_of_it_is_shown() -> None:
    assert {*SHOWN, ActionTaken} == set(BODIES.values())


async def everything_for(table: Table, match: Match, reader: Reader) -> bytes:
    """All that this reader can get of a match, as bytes."""
    found: list[Any] = [match.summary(reader), match.disclosure_stamp(), table.matches.past.timeline(match)]
    found.append(await table.events(match, reader))
    found.append(await table.matches.past.history(match, reader))
    with pytest.raises(errors.Hidden) as refused:
        await table.matches.past.export(match, reader)
    found += [refused.value.detail, refused.value.version, refused.value.extra]
    async with table.matches.feed(match, reader, 0) as feed:
        found += [(await asyncio.wait_for(anext(feed), 5))[2].decode() for _ in range(match.version)]
    assert match.state is not None
    for version in range(match.started_at_version, match.version + 1):
        state = await table.matches.past.state_at(match, version)
        for viewer in reader.seats or ("spectator",):
            found += [state.view(viewer), state.legal(viewer) if reader.seats else None]
    return msgspec.json.encode(found)


async def same_start(table: Table) -> Match:
    """A hidden army phase, then a hidden deployment; red's secrets are still to come."""
    seats = {"red": "me", "blue": BOB.id}
    match = (
        await table.matches.new.create(CreateMatch("hex", HIDDEN, seats), ADA, players={BOB.id: BOB})
    ).match
    await table.do(match, Prepare("red"), ADA)
    return (await table.do(match, Prepare("blue"), BOB)).match


@pytest.mark.parametrize("phase", ["recruit", "deploy"])
async def test_two_worlds_that_differ_in_a_secret_of_red_are_the_same_bytes_for_everybody_else(
    phase: str,
) -> None:
    answers: list[list[bytes]] = []
    for secret in (0, 1):
        # The same fixed world over its own Redis: ids, times and seeds are equal.
        with RedisServer(fsync="no") as server:
            async with table_at(server.url, world=World.fixed("two worlds")) as table:
                match = await same_start(table)
                seen = [await everything_for(table, match, reader) for reader in (BLUE, SPECTATOR)]
                army = [{"unit": "wolf", "count": 3 if phase == "deploy" else 3 + 4 * secret}]
                done = await table.matches.player_commands.execute(
                    match.id, Act("red", {"type": "recruit", "army": army}), ADA
                )
                if phase == "deploy":
                    army = [{"unit": "archer", "count": 3}]
                    match = await table.act(match, "blue", {"type": "recruit", "army": army})
                    action = {"type": "place", "piece": 1, "to": ("a2", "b5")[secret]}
                    done = await table.matches.player_commands.execute(match.id, Act("red", action), ADA)
                match = done.match
                mine = await everything_for(table, match, RED)
                seen += [await everything_for(table, match, reader) for reader in (BLUE, SPECTATOR)]
                await table.forget()
                match = await table.load(match)
                seen += [await everything_for(table, match, reader) for reader in (BLUE, SPECTATOR)]
                answers.append([*seen, mine])
    (*one, mine_one), (*two, mine_two) = answers
    assert mine_one != mine_two  # red sees the difference
    assert one == two


async def test_after_the_end_everybody_gets_everything(redis_server: AnyRedis) -> None:
    async with table_at(redis_server.url) as table:
        match = await same_start(table)
        army = {"type": "recruit", "army": [{"unit": "wolf", "count": 3}]}
        match = await table.act(match, "red", army)
        match = await table.act(match, "blue", {"type": "resign"})
        for reader in (RED, BLUE, SPECTATOR):
            events = await table.events(match, reader)
            assert events[-2]["action"] == army
            assert events[-2]["effects"] == [{"type": "army_submitted", "seat": "red", "army": army["army"]}]
            record = await table.matches.past.export(match, reader)
            assert record["seeds"]


async def test_a_position_is_shown_to_who_made_it_and_to_others_only_if_it_holds_no_secret(
    redis_server: AnyRedis,
) -> None:
    async with table_at(redis_server.url) as table:
        hidden: dict[str, object] = {
            "phase": "recruit",
            "seats": [{"seat": "red", "army": [{"unit": "wolf", "count": 5}]}],
        }
        match = (await table.matches.new.create(CreateMatch("hex", HIDDEN, {"red": "me"}), ADA)).match
        await table.do(match, TakeSeat("blue"), BOB)
        done = await table.do(match, Propose(Options(position=hidden)), ADA)
        mine, other = Reader(("red",), ADA.id), Reader(("blue",), BOB.id)
        assert "wolf" in str(done.match.summary(mine))
        for reader in (other, SPECTATOR, Reader((), EVE.id)):
            assert "wolf" not in str(done.match.summary(reader))
            assert "wolf" not in str(await table.events(done.match, reader))
        match = (await table.do(match, Accept(done.version), BOB)).match
        await table.do(match, Prepare("red"), ADA)
        match = (await table.do(match, Prepare("blue"), BOB)).match
        for reader in (other, SPECTATOR):
            text = str(match.summary(reader)) + str(await table.events(match, reader))
            with pytest.raises(errors.Hidden):
                await table.matches.past.export(match, reader)
            assert "wolf" not in text


async def test_the_tree_of_a_match_betrays_no_more_than_versions(redis_server: AnyRedis) -> None:
    async with table_at(redis_server.url) as table:
        match = await table.play(await table.hot_seat(), 4, random.Random(1))
        match = (await table.do(match, Propose(Undo(4)))).match
        assert {frozenset(node) for node in table.matches.past.timeline(match)} == {
            frozenset({"version"}),
            frozenset({"version", "parent"}),
        }


async def test_who_holds_every_seat_sees_what_each_of_them_sees(redis_server: AnyRedis) -> None:
    async with table_at(redis_server.url) as table:
        match = await table.hot_seat({**HIDDEN, "army": "preset"})
        started = (await table.events(match, Reader(("red", "blue"), ADA.id)))[1]
        stacks = started["effects"][1]["stacks"]
        assert {stack["seat"] for stack in stacks if "space" in stack} == {"red", "blue"}
        started = (await table.events(match, Reader(("red",), ADA.id)))[1]
        stacks = started["effects"][1]["stacks"]
        assert {stack["seat"] for stack in stacks if "space" in stack} == {"red"}
