"""The worker that settles finished matches for the standing of their players: ratings, statistics, achievements.

It follows the ledger's journal, in which each match that is over stands once (workers/bookkeeper.py): the number of its
entry there is its number in the order of settlement. What a match did to ratings is written into a log of its own, and
folded in the same step (standing/standings.py). What is not folded of the log, after `warlog rebuild` or in a build
with another form, is folded first, by the same functions.
"""

import asyncio
import logging

from msgspec.structs import replace

from ..clock_and_random import World
from ..errors import IntegrityError, UnknownMatch
from ..match.match import Match
from ..match.stored import StoredEvent
from ..matches import Matches
from ..players.ledger import JOURNAL_PAGE, Ledger
from ..redis.activity_reader import Follower, Passed
from ..standing.counting import Tallied, Teller
from ..standing.settled import (
    Facts,
    Settled,
    changes_of,
    counted_of,
    counts,
    facts_of,
    played,
    settle,
    still_true,
)
from ..standing.standings import FOREIGN, Logged, Standings, commands_of

log = logging.getLogger("warlog.settler")

SETTLE = "settle"  # of the journal's entries
LAPSE_SECONDS = 60.0
PAGE_EVENTS = 500


class Settler(Follower):
    """matches_per_day: rated ones of the same two opponents in one game; 0: any number."""

    def __init__(
        self,
        matches: Matches,
        ledger: Ledger,
        standings: Standings,
        world: World,
        *,
        matches_per_day: int = 0,
    ) -> None:
        super().__init__()
        self._matches = matches
        self._ledger = ledger
        self._standings = standings
        self._world = world
        self._matches_per_day = matches_per_day
        self._read = 0  # of the journal: up to this entry there is nothing to settle
        self._lapsed = -LAPSE_SECONDS

    async def step(self) -> Passed:
        """Folds what the log has left to fold; if nothing, settles a page of the journal."""
        folded, last = await self._standings.folded()
        if folded is None:
            await self._standings.reset()
            folded, last = await self._standings.folded()
        if folded is None or folded == FOREIGN:  # another process is at it
            return Passed(0, {}, {})
        if folded < last:
            return await self._fold_again(folded, last)
        await self._lapse(folded)
        return await self._settle_page(folded)

    async def rebuild(self) -> int:
        """Makes everything anew from the log and the matches; gives the number of entries."""
        await self._standings.reset()
        count = 0
        while True:
            folded, last = await self._standings.folded()
            if folded is None or folded >= last or folded == FOREIGN:
                await self._standings.lapse(folded or 0, self._world.now_ms())
                return count
            count += (await self._fold_again(folded, last)).new

    # ---- the log, once more

    async def _fold_again(self, folded: int, last: int) -> Passed:
        count = 0
        async for entry in self._standings.log(folded, last):
            if not await self._fold(folded, entry):
                return Passed(count, {0: folded}, {0: last})
            folded, count = entry.number, count + 1
        await self._standings.forget_gone()
        return Passed(count, {0: folded}, {0: last})

    async def _fold(self, folded: int, entry: Logged) -> bool:
        facts = await self._facts(entry.match, entry.version) if entry.version else entry.settled
        if isinstance(facts, Settled):
            return await self._standings.fold(folded, entry, [], is_new=False)
        before, settled = await self._standings.before(facts), entry.settled
        if settled.pool and not still_true(settled.changes, before.ratings, settled.at):
            settled = Settled(settled.at, settled.pool, changes=changes_of(facts, before.ratings))
        return await self._standings.fold(
            folded, entry, commands_of(facts, settled, before, is_new=False), is_new=False
        )

    # ---- what is new

    async def _settle_page(self, folded: int) -> Passed:
        entries = await self._ledger.journal(max(folded, self._read))
        count, newest = 0, entries[-1].number if entries else folded
        for entry in entries:
            if entry.kind == SETTLE:
                if not await self._settle(folded, entry.number, entry.match):
                    return Passed(count, {0: folded}, {0: newest})
                folded, count = entry.number, count + 1
        self._read = newest
        more = len(entries) == JOURNAL_PAGE
        return Passed(count, {0: newest}, {0: newest + more * JOURNAL_PAGE})

    async def _settle(self, folded: int, number: int, match_id: str) -> bool:
        """False if another process was faster."""
        facts = await self._facts(match_id)
        if isinstance(facts, Settled):
            entry = Logged(number, match_id, 0, facts)
            return await self._standings.fold(folded, entry, [], is_new=True)
        before = await self._standings.before(facts)
        settled = settle(facts, before.ratings, before.met, self._matches_per_day)
        entry = Logged(number, match_id, facts.version, settled)
        return await self._standings.fold(
            folded, entry, commands_of(facts, settled, before, is_new=True), is_new=True
        )

    async def _facts(self, match_id: str, version: int = 0) -> Facts | Settled:
        """Of the match, as it was at this version (0: as it is). Or why it counts nowhere: its end was taken back, or,
        with a line in the log, its record does not verify."""
        try:
            match = await self._match(match_id, version)
            events: list[StoredEvent] = []
            for after in range(0, match.version, PAGE_EVENTS):
                events += await self._matches.past.stored(match, after, PAGE_EVENTS)
        except (IntegrityError, UnknownMatch) as error:
            return self._damaged(match_id, error)
        if not match.is_over:
            return Settled(unrated="undone")
        of = played(events, match.started_at_version)
        facts = facts_of(match, of)
        if not counts(match, of, facts):
            return facts
        try:
            tallied = await self._tallied(match, events, len(facts.sides))
        except IntegrityError as error:
            return self._damaged(match_id, error)
        return replace(facts, counted=counted_of(match, of, facts, tallied))

    def _damaged(self, match_id: str, error: Exception) -> Settled:
        log.error("%s: its record does not verify, so it counts nowhere: %s", match_id, error)
        return Settled(unrated="damaged")

    async def _tallied(self, match: Match, events: list[StoredEvent], sides: int) -> Tallied:
        teller = Teller(match)
        await self._matches.past.replay(match, events, teller.take)
        return teller.end(sides)

    async def _match(self, match_id: str, version: int) -> Match:
        cached = self._matches.cache.newest(match_id)
        if cached is not None and (cached.is_over if not version else cached.version == version):
            return cached
        return await self._matches.at(match_id, version)

    async def _lapse(self, folded: int) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._lapsed >= LAPSE_SECONDS:
            await self._standings.lapse(folded, self._world.now_ms())
            self._lapsed = now
