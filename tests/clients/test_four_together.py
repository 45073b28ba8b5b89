"""Four people at a board: they lay out in secret, play against a running clock over the live feed, one loses his
connection and comes back, one lets his time run out too often, the match ends, ranks and gold are settled, and all of
it is public."""

from __future__ import annotations

import asyncio
import random
from contextlib import AsyncExitStack, aclosing, suppress
from itertools import pairwise
from typing import Any

from tests.clients.test_service import register, until_over
from tests.servers import WarlogServer
from warlog_client import (
    ActionTakenEvent,
    AsyncClient,
    Event,
    MatchStartedEvent,
    RuleRefused,
    TooLate,
    VersionConflict,
)

SEATS = ("south", "east", "north", "west")
STAKE = 10
OPTIONS: dict[str, Any] = {
    "move_seconds": 2,
    "flee_seconds": 30,
    "stake": STAKE,
    "min_steps_resign": 0,
    "min_steps_score": 0,
    "quiet_limit": 0,
}
SECONDS_MAX = 120


class Person:
    """Plays a seat by feed and listing. `asleep`: he watches and does nothing."""

    def __init__(
        self, warlog: AsyncClient, match: str, seat: str, rng: random.Random, *, asleep: bool = False
    ) -> None:
        self.warlog, self.match, self.seat, self.rng, self.asleep = warlog, match, seat, rng, asleep
        self.seen: list[Event] = []
        self.left: list[float] = []  # seconds, by the server's own time
        self.west_is_out = asyncio.Event()

    async def follow(self, *, until: int = 0) -> None:
        """From what he has not seen yet to the end; or to so many more events of play, and then his line breaks."""
        after = self.seen[-1].version if self.seen else 0
        more = 0
        async with aclosing(self.warlog.feed(self.match, seat=self.seat, after=after)) as feed:
            async for event in feed:
                self.seen.append(event)
                if event.result is not None:
                    return
                more += any(effect["type"] == "turn" for effect in effects(event))
                if any(effect["type"] == "defeat" and effect["seat"] == "west" for effect in effects(event)):
                    self.west_is_out.set()
                if until and more >= until:
                    return
                for deadline in event.deadlines.values():
                    assert event.now is not None
                    self.left.append((deadline - event.now).total_seconds())
                if self.seat in event.to_act and not self.asleep:
                    await self.move()

    async def move(self) -> None:
        listed = [
            one for one in (await self.warlog.actions(self.match, self.seat)).actions if one["type"] == "move"
        ]
        if listed:
            with suppress(RuleRefused, VersionConflict, TooLate):  # the clock, or somebody else, was faster
                await self.warlog.act(self.match, self.seat, self.rng.choice(listed))


async def test_a_match_of_four_from_the_first_seat_to_the_public_replay(
    warlog_server: WarlogServer, seed: int
) -> None:
    rng = random.Random(seed)
    async with AsyncExitStack() as stack:
        url = warlog_server.url
        clients = [await stack.enter_async_context(AsyncClient(url, register(url, seat))) for seat in SEATS]
        stranger = await stack.enter_async_context(AsyncClient(url))
        before = [(await client.account()).player for client in clients]
        wanted = {seat: "me" if seat == "south" else "open" for seat in SEATS}
        made = await clients[0].create_match("junqi", wanted, options=OPTIONS, mode="competitive")
        match = made.match.id
        for client, seat in list(zip(clients, SEATS, strict=True))[1:]:
            await client.take_seat(match, seat)
        assert [(await client.account()).held for client in clients] == [5 * STAKE] * 4
        for client, seat in zip(clients, SEATS, strict=True):
            await client.prepare(match, seat)
        people = {
            seat: Person(client, match, seat, rng, asleep=seat == "west")
            for client, seat in zip(clients, SEATS, strict=True)
        }
        watching = asyncio.create_task(until_over(stranger, match))
        for person in people.values():  # each lays out as he likes; nobody else sees more than that he did
            swaps = (await person.warlog.actions(match, person.seat)).actions
            swap = rng.choice([one for one in swaps if one["type"] == "swap"])
            await person.warlog.act(match, person.seat, swap)
        hidden = [event async for event in stranger.events(match) if did(event).get("type") == "swap"]
        assert [(did(event), effects(event)) for event in hidden] == [({"type": "swap"}, [])] * 4
        for person in people.values():
            await person.warlog.act(match, person.seat, {"type": "ready"})

        async def north() -> None:
            await people["north"].follow(until=6)
            await asyncio.sleep(3)  # his turn may come and go meanwhile
            await people["north"].follow()

        async def east() -> None:
            playing = asyncio.create_task(people["east"].follow())
            await people["east"].west_is_out.wait()
            await clients[1].act(match, "east", {"type": "resign"})
            await playing

        async with asyncio.timeout(SECONDS_MAX):
            await asyncio.gather(people["south"].follow(), east(), north(), people["west"].follow())
            seen_by_all = await watching

        versions = [event.version for event in seen_by_all]
        assert versions == list(range(1, versions[-1] + 1))
        for person in people.values():  # also to who was away, every event came once and in order
            assert [event.version for event in person.seen] == versions
        outs = [event for event in seen_by_all if did(event) == {"type": "timeout", "seat": "west"}]
        assert len(outs) == 5
        assert all((later.at - earlier.at).total_seconds() >= 2 for earlier, later in pairwise(outs))
        assert all(0 <= left <= 2 for person in people.values() for left in person.left[-20:])
        end = await stranger.match(match)
        assert end.result is not None
        assert (end.result.winners, end.result.reason) == (["south", "north"], "resigned")
        assert not any(did(event) == {"type": "flee", "seat": "north"} for event in seen_by_all)

        accounts = [(await client.account()) for client in clients]
        assert [one.held for one in accounts] == [0] * 4
        assert [one.player.gold - was.gold for one, was in zip(accounts, before, strict=True)] == [
            STAKE,
            -STAKE,
            STAKE,
            -STAKE,
        ]
        scores = {seat: standing(one) for seat, one in zip(SEATS, accounts, strict=True)}
        assert scores == {"south": 2, "east": -2, "north": 2, "west": -2}
        table = [row async for row in stranger.leaderboard("junqi")]
        assert {row.player.id: row.score for row in table}.items() >= {
            account.player.id: standing(account) for account in accounts
        }.items()

        replay = [event async for event in stranger.events(match)]
        told = [did(event) for event in replay if did(event).get("type") == "swap"]
        assert all({"a", "b"} <= action.keys() for action in told)
        assert (await stranger.verify(match)).status == "verified"


def did(event: Event) -> dict[str, Any]:
    """The action of an event; empty where it is hidden, and where the event is no action."""
    return (event.action if isinstance(event, ActionTakenEvent) else None) or {}


def effects(event: Event) -> list[dict[str, Any]]:
    return event.effects if isinstance(event, ActionTakenEvent | MatchStartedEvent) else []


def standing(account: Any) -> int | None:
    (found,) = (one for one in account.player.games if one.game == "junqi")
    score: int | None = found.score
    return score
