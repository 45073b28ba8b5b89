"""Players who leave for good: everything of their own is deleted; in what others keep of them they are somebody.

    begin ──▶ on record; tokens, name and place in the index are gone
      └─▶ first pass, at once: matches are left, pairing, gold, what was saved, names beside the events of matches
            └─▶ second pass, AGAIN_MS later: the same once more, for what was under way in some process

Each step may be repeated, so it does not matter where a process dies: the one with the lease goes on. There is no
way back once the record is there.

Events hold ids alone, and stay as they are. Of 0.1 they hold names, over which their chain runs: these stay stored, and
are shown to nobody (names.py), but in the `log` of a record, which has what is stored.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

import warlog_core

from ..clock_and_random import World
from ..errors import (
    TryAgain,
    UnknownPlayer,
    WarlogError,
    WrongName,
    WrongStatus,
    report,
)
from ..match.decide import leave_for_good
from ..match.draft import Draft
from ..match.model import Player
from ..match.names import SOMEBODY
from ..matches import Matches
from ..players.accounts import Accounts, Caller
from ..players.ledger import Ledger
from ..players.quotas import DAY_MS, OPEN
from ..players.scenarios import Scenarios
from ..redis import keys
from ..redis.connection import Connection
from ..redis.idempotency import Key
from ..redis.wire import Word
from .pairing import Pairing

log = logging.getLogger("warlog.leaving")

PAUSE_SECONDS = 0.5
AGAIN_MS = 120_000  # longer than any request and any load of a match
PATIENCE_MS = 10_000  # before a pass that failed is tried again
BATCH = 100

Forget = Callable[[str], Awaitable[object]]
"""Deletes what is kept of the player with this id; however often."""


class Leaving:
    def __init__(
        self,
        connection: Connection,
        world: World,
        matches: Matches,
        accounts: Accounts,
        ledger: Ledger,
        scenarios: Scenarios,
        pairing: Pairing,
        catch_up: Callable[[], Awaitable[object]],
        also: Sequence[Forget] = (),
    ) -> None:
        """catch_up  the lists of matches and the accounts know what was appended before
        also      what else is kept of players, and how it is deleted
        """
        self._pipe = connection.pipe
        self._world = world
        self._matches = matches
        self._accounts = accounts
        self._ledger = ledger
        self._scenarios = scenarios
        self._pairing = pairing
        self._catch_up = catch_up
        self._also = also

    async def begin(self, caller: Caller, name: str, key: Key | None) -> None:
        """The caller leaves for good. Raises WrongName unless he repeats his name."""
        if name != caller.name:
            raise WrongName(path="/name")
        await self._pipe.call("ZADD", keys.leaving(), self._world.now_ms(), f"1 {caller.id}", write=True)
        if key is not None:
            await self._accounts.keep_gone(caller, key)
        await self._accounts.erase(caller.player)
        await self._tell(caller.id)

    async def run(self) -> None:
        """For ever; ends only with Unavailable, and may then be started again."""
        while True:
            if await self.step() == 0:
                await asyncio.sleep(PAUSE_SECONDS)

    async def step(self) -> int:
        """The passes that are due; gives the number of those that were done."""
        now, count = self._world.now_ms(), 0
        due = await self._pipe.call("ZRANGEBYSCORE", keys.leaving(), "-inf", now, "LIMIT", 0, BATCH)
        for member in due:
            number, _, player = member.decode().partition(" ")
            try:
                await self._pass(player)
            except TryAgain:
                raise
            except Exception as error:
                report(log, error, "%s: deleting this account failed", player)
                await self._pipe.call("ZADD", keys.leaving(), now + PATIENCE_MS, member, write=True)
                continue
            done: list[tuple[Word, ...]] = [("ZREM", keys.leaving(), member)]
            if number == "1":
                done.append(("ZADD", keys.leaving(), now + AGAIN_MS, f"2 {player}"))
            await self._pipe.atomically(done)
            count += 1
        return count

    async def _pass(self, player: str) -> None:
        with suppress(UnknownPlayer):  # else the process died in `begin`
            await self._accounts.erase(await self._accounts.named(player))
        await self._tell(player)
        await self._pairing.forget(player)
        await self._catch_up()
        listed = await self._listed(player)
        for match in listed:
            await self._leave_match(match, player)
        await self._catch_up()
        if not await self._ledger.close(player, [*warlog_core.games()]):
            raise WrongStatus("Gold is still set aside for a match.")
        for forget in self._also:
            await forget(player)
        await self._scenarios.delete_all(player)
        await self._pipe.call("DEL", *self._own_keys(player), write=True)
        await self._pipe.call("DEL", keys.personal_feeds(f"feed:{player}"), write=True)
        await self._pipe.call("ZREM", keys.personal_feeds("kept"), player, write=True)
        for match in listed:
            await self._matches.store.forget_name(match, player, SOMEBODY)

    def _own_keys(self, player: str) -> list[str]:
        """All in the player's slot."""
        games, today = [*warlog_core.games()], self._world.now_ms() // DAY_MS
        return [
            keys.tokens(player),
            *(keys.related(player, how) for how in ("following", "blocked")),
            *(keys.layouts(player, game) for game in games),
            *(keys.options(player, game) for game in games),
            *(keys.open_matches(player, what) for what in OPEN),
            *(
                keys.spent_today(player, what, day)
                for what in ("matches", "imports")
                for day in (today - 1, today)
            ),
        ]

    async def _listed(self, player: str) -> list[str]:
        """The ids of all matches in which he has a part."""
        found: list[str] = []
        bound = "-"
        while True:
            listed = keys.lobby(f"listed:of:{player}")
            page = await self._pipe.call("ZRANGEBYLEX", listed, bound, "+", "LIMIT", 0, BATCH)
            found += [member.decode().partition(" ")[2] for member in page]
            if len(page) < BATCH:
                return found
            bound = f"({page[-1].decode()}"

    async def _leave_match(self, match_id: str, player: str) -> None:
        """A match that cannot be left (damaged, or its rules have no way out) is logged; the others go on."""

        async def write_events(draft: Draft) -> None:
            leave_for_good(draft, Player(player))

        [raw] = await self._matches.store.summaries([match_id])
        if raw is None or (b'"status":"lobby"' not in raw and b'"status":"playing"' not in raw):
            return
        try:
            await self._matches.attempt(match_id, write_events, player, fresh=True)
        except TryAgain:
            raise
        except WarlogError as error:
            report(log, error, "%s cannot be left", match_id)

    async def _tell(self, player: str) -> None:
        """Every process forgets the name."""
        self._matches.loader.forget(player)
        await self._pipe.call("PUBLISH", keys.LEFT, player, write=True)
