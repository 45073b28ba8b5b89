"""Every record that is given can be imported: of every game, however its seats are held, at every stage."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
import pytest_asyncio

import warlog_core
from tests.core.games import GAMES, lines, playthroughs
from tests.description.player import NoRoom
from tests.description.player import Player as Hand
from tests.events.table import ADA, BOB, DAN, EVE, Table, make_accounts, table_at
from tests.servers import AnyRedis
from warlog_events import errors
from warlog_events.match.commands import (
    Abort,
    Act,
    CreateMatch,
    Edit,
    Join,
    Prepare,
    Propose,
    TakeSeat,
    Undo,
)
from warlog_events.match.match import Match
from warlog_events.match.model import Player

Json = dict[str, Any]
IAN = Player("pl_ian", "ian")
PLAYERS = [ADA, BOB, DAN, EVE, IAN]
STRANGER = Player("pl_stranger", "stranger")
SEATINGS = ("a hot seat", "shared out", "invitations", "wishes", "an open record", "competitive")
GIVING_UP = {"resign", "offer_draw", "accept_draw"}


@pytest_asyncio.fixture
async def table(redis_server: AnyRedis) -> AsyncIterator[Table]:
    async with table_at(redis_server.url) as table:
        await make_accounts(table.connection, IAN, STRANGER)
        yield table


def starts(game: str) -> list[tuple[Json, Any]]:
    """(options, Position or None): the standard ones, and those of the published matches."""
    firsts = [lines(path)[0] for path in playthroughs()]
    return [({}, None)] + [(one["options"], one.get("position")) for one in firsts if one["game"] == game]


class Recorded:
    """A match that is played at random, and whose record its players and a stranger ask for again and again.

    given  the records that were given and imported, by whether the match was `running`, `over` or `taken back`"""

    match: Match

    def __init__(self, table: Table, game: str, seating: str, rng: random.Random) -> None:
        self.table, self.rng, self.game, self.seating = table, rng, warlog_core.game(game), seating
        competitive = seating == "competitive"
        self.options, self.position = starts(game)[0] if competitive else rng.choice(starts(game))
        described = self.game.describe(self.options)
        self.hand = Hand(json.loads(msgspec.json.encode(described)), rng)
        self.ended_at = 0
        self.given: Counter[str] = Counter()

    async def create(self) -> None:
        """In the lobby, all seats taken; but a hot seat starts at once."""
        seats = self.game.seats_for(self.options)
        wanted = {"a hot seat": "me", "invitations": "invite"}.get(self.seating, "open")
        wishes = self.seating == "wishes"
        spec = CreateMatch(
            self.game.name,
            self.options,
            {} if wishes else dict.fromkeys(seats, wanted),
            mode="competitive" if self.seating == "competitive" else "casual",
            consent="none",
            position=msgspec.UNSET if self.position is None else self.position,
            seating="wish" if wishes else "direct",
            open_record=self.seating == "an open record",
        )
        made = await self.table.matches.new.create(spec, ADA)
        self.match = made.match
        if wanted == "me":
            return
        people = PLAYERS[:3] if self.seating in ("shared out", "an open record") else PLAYERS
        for number, seat in enumerate(seats):
            player, secret = people[number % len(people)], made.invitations.get(seat, "")
            await self.do(Join(seats[0]) if wishes else TakeSeat(seat, secret), player)

    async def do(self, command: Any, player: Player) -> None:
        self.match = (await self.table.do(self.match, command, player)).match
        if self.match.is_over:
            self.ended_at = self.match.version

    async def start(self) -> None:
        self.match = await self.table.load(self.match)
        for seat in self.match.seats:
            if self.match.status == "lobby":
                await self.do(Prepare(seat), self.match.holders[seat])

    async def play(self, count: int) -> None:
        """So many actions at most; nobody gives up."""
        for _ in range(count):
            if self.match.is_over:
                return
            assert self.match.state is not None
            seat = self.rng.choice(self.match.to_act)
            listing = self.match.state.legal(seat, plain=True)
            types = sorted({one["type"] for one in listing} - GIVING_UP)
            view = self.match.state.view(seat, plain=True)
            try:
                action = self.hand.act(view, listing, seat, self.rng.choice(types))
            except NoRoom:
                continue
            await self.do(Act(seat, action), self.match.holders[seat])

    async def finish(self) -> None:
        """Everybody gives up who may."""
        while not self.match.is_over:
            assert self.match.state is not None
            for seat in self.match.to_act:
                if self.match.state.check(seat, {"type": "resign"}) is None:
                    await self.do(Act(seat, {"type": "resign"}), self.match.holders[seat])
                    break
            else:
                await self.play(1)

    def given_to(self, player: Player) -> tuple[str, int] | type[errors.WarlogError]:
        """Until which version he may have the record; else the error."""
        match = self.match
        if not match.started_at_version:
            return errors.WrongStatus
        if match.is_over:
            return "over", match.version
        all_seats = {holder.id for holder in match.holders.values()} == {player.id}
        if all_seats or self.seating == "an open record":
            return "running", match.version
        return ("taken back", self.ended_at) if self.ended_at else errors.Hidden

    async def ask(self) -> None:
        for player in (ADA, BOB, STRANGER):
            expected = self.given_to(player)
            if isinstance(expected, type):
                with pytest.raises((expected, errors.NoSpectators)):
                    await self.table.matches.past.export(self.match, self.match.reader(player.id))
                continue
            stage, until = expected
            exported = await self.table.matches.past.export(self.match, self.match.reader(player.id))
            state = await self.table.matches.past.state_at(self.match, until)
            for _ in range(2):  # the import's own record, too
                record = json.loads(msgspec.json.encode(exported))
                imported = (await self.table.matches.new.import_record(record, STRANGER)).match
                assert imported.state is not None
                assert imported.state.data == state.data
                assert imported.is_over == (state.result is not None)
                assert {*imported.holders.values()} == {STRANGER}
                exported = await self.table.matches.past.export(imported, imported.reader(STRANGER.id))
            self.given[stage] += 1


@pytest.mark.parametrize("seating", SEATINGS)
@pytest.mark.parametrize("game", GAMES)
async def test_a_record_that_is_given_can_be_imported(
    table: Table, game: str, seating: str, seed: int
) -> None:
    played = Recorded(table, game, seating, random.Random(f"export {game} {seating} {seed}"))
    await played.create()
    await played.ask()
    await played.start()
    await played.ask()
    await played.play(15)
    await played.ask()
    casual, holder = seating != "competitive", next(iter(played.match.holders.values()))
    if casual:
        middle = (played.match.started_at_version + played.match.version) // 2
        await played.do(Propose(Undo(middle)), holder)
        await played.ask()
        await played.play(3)
        assert played.match.state is not None
        if (position := played.match.state.position(plain=True)) is not None:
            await played.do(Propose(Edit(position)), holder)
            await played.play(2)
            await played.ask()
    await played.finish()
    await played.ask()
    if casual:
        await played.do(Propose(Undo(played.match.version - 1)), holder)
        await played.ask()
        await played.play(2)
        await played.ask()
    assert played.given["over"]
    assert bool(played.given["running"]) == (seating in ("a hot seat", "an open record"))
    assert bool(played.given["taken back"]) == (seating not in ("an open record", "competitive"))


@pytest.mark.parametrize("game", GAMES)
async def test_a_match_that_never_began_has_no_record(table: Table, game: str, seed: int) -> None:
    played = Recorded(table, game, "shared out", random.Random(f"aborted {game} {seed}"))
    await played.create()
    for player in {*played.match.holders.values()}:
        if played.match.status == "lobby":
            await played.do(Propose(Abort()), player)
    await played.ask()
