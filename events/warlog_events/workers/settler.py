"""The worker that settles finished matches for the standing of their players: ratings, statistics, achievements.

It follows the ledger's journal, in which each match that is over stands once (workers/bookkeeper.py): the number of its
entry there is its number in the order of settlement. What a match did to ratings is written into a log of its own, and
folded in the same step (standing/standings.py). What is not folded of the log, after `warlog rebuild` or in a build
with another form, is folded first, by the same functions.

Matches are settled in batches, each with one round trip for their events, one for their players and one for the step;
within a batch each match sees what those before it have made of the players.
"""

import asyncio
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from msgspec.structs import replace

from ..clock_and_random import World
from ..errors import IntegrityError, UnknownMatch, WarlogError, report
from ..match.match import Match
from ..match.stored import StoredEvent
from ..matches import Matches
from ..players.ledger import JOURNAL_PAGE, Ledger
from ..players.ledger import Entry as JournalEntry
from ..reading.replayed import Run
from ..redis.activity_reader import ActivityReader, Passed
from ..standing.counting import JUDGED_EVERY, Teller
from ..standing.settled import (
    Facts,
    Settled,
    counted_of,
    counts,
    facts_of,
    played,
    rated,
    settle,
    still_true,
)
from ..standing.standings import FOREIGN, Commands, Known, Logged, Standings, commands_of

log = logging.getLogger("warlog.settler")

SETTLE = "settle"  # of the journal's entries
LAPSE_SECONDS = 60.0
PAGE_EVENTS = 500
BATCH, BATCH_EVENTS = 25, 3_000  # matches that are settled at once, and their events
STEPS_AT_ONCE = 8  # that are made, in some 1 ms, before others have their turn


class _Failed(Exception):
    """What counts a match raised `error`: a bug in a game's tally, say."""

    def __init__(self, error: Exception) -> None:
        self.error = error


@contextmanager
def _counting() -> Iterator[None]:
    try:
        yield
    except WarlogError:
        raise
    except Exception as error:
        raise _Failed(error) from error


class _Due(NamedTuple):
    """A match to be folded. settled: what the log has of it; None: it is not in the log yet. version: of the match when
    it was settled; 0: as it is."""

    number: int
    match: str
    version: int = 0
    settled: Settled | None = None


class Settler(ActivityReader):
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
        self._may_have_lost = False  # Redis has been away: entries of the journal up to `_read` may be others
        matches.store.on_return(self._redis_returned)
        self._lapsed = -LAPSE_SECONDS

    async def step(self) -> Passed:
        """Folds what the log has left to fold; if nothing, settles a page of the journal."""
        if self._may_have_lost:
            folded, _ = await self._standings.folded()
            self._read, self._may_have_lost = max(folded or 0, 0), False
        (folded, last), entries = await asyncio.gather(
            self._standings.folded(), self._ledger.journal(self._read)
        )
        if folded is None:
            await self._standings.reset()
            folded, last = await self._standings.folded()
        if folded is None or folded == FOREIGN:  # another process is at it
            return Passed(0, {}, {})
        if folded < last:
            return await self._fold_again(folded, last)
        await self._lapse(folded)
        return await self._settle_page(folded, entries)

    def _redis_returned(self, affected: object) -> None:
        self._may_have_lost = True

    async def rebuild(self) -> int:
        """Makes everything anew from the log and the matches; gives the number of entries.

        Raises Unavailable, and leaves all as it is, where a match is in an archive that cannot be read here."""
        await self._check_archive()
        await self._standings.reset()
        count = 0
        while True:
            folded, last = await self._standings.folded()
            if folded is None or folded >= last or folded == FOREIGN:
                await self._standings.lapse(folded or 0, self._world.now_ms())
                return count
            count += (await self._fold_again(folded, last)).new

    async def _check_archive(self) -> None:
        if self._matches.store.has_archive:
            return
        _, last = await self._standings.folded()
        counted = [entry.match async for entry in self._standings.log(0, last) if entry.version]
        for start in range(0, len(counted), JOURNAL_PAGE):
            await self._matches.store.check_here(counted[start : start + JOURNAL_PAGE])

    async def _fold_again(self, folded: int, last: int) -> Passed:
        """The log, once more."""
        count, due = 0, list[_Due]()
        async for entry in self._standings.log(folded, last):
            due.append(_Due(*entry))
            if len(due) < BATCH and entry.number < last:
                continue
            done, folded = await self._fold_all(folded, due)
            count += done
            if done < len(due):  # another process was faster
                return Passed(count, {0: folded}, {0: last})
            due = []
        await self._standings.forget_gone()
        return Passed(count, {0: folded}, {0: last})

    async def _settle_page(self, folded: int, entries: list[JournalEntry]) -> Passed:
        """What is new."""
        newest = max(folded, entries[-1].number if entries else self._read)
        due = [_Due(one.number, one.match) for one in entries if one.kind == SETTLE and one.number > folded]
        count, folded = await self._fold_all(folded, due)
        if count < len(due):  # another process was faster
            return Passed(count, {0: folded}, {0: newest})
        self._read = newest
        end = await self._ledger.journal_end() if len(entries) == JOURNAL_PAGE else newest
        return Passed(count, {0: newest}, {0: max(newest, end)})

    async def _fold_all(self, folded: int, due: Sequence[_Due]) -> tuple[int, int]:
        """How many of these were folded, and the number of the last; fewer than all if another process was faster."""
        count = 0
        while count < len(due):
            steps = await self._steps(due[count : count + BATCH])
            if not await self._standings.fold(folded, steps, is_new=due[count].settled is None):
                break
            folded, count = steps[-1][0].number, count + len(steps)
        return count, folded

    async def _steps(self, due: Sequence[_Due]) -> list[tuple[Logged, Commands]]:
        """What is made of the first of these matches: of at least one, and of no more after one that cannot be
        counted."""
        loaded, events = list[Match | Settled](), 0
        for match in await asyncio.gather(*map(self._loaded, due)):
            loaded.append(match)
            events += match.version if isinstance(match, Match) else 0
            if events >= BATCH_EVENTS:
                break
        found = [await self._facts(one) for one in await asyncio.gather(*map(self._with_events, loaded))]
        known = await self._standings.known([facts for facts in found if isinstance(facts, Facts)])
        steps: list[tuple[Logged, Commands]] = []
        for one, facts in zip(due, found, strict=False):
            try:
                steps.append(self._step(one, facts, known))
            except Exception as error:
                steps.append((self._uncounted(one, self._failed(one.match, error)), []))
                break  # `known` may have half of it
            if len(steps) % STEPS_AT_ONCE == 0:
                await asyncio.sleep(0)
        return steps

    def _step(self, one: _Due, facts: Facts | Settled, known: Known) -> tuple[Logged, Commands]:
        if isinstance(facts, Settled):
            return self._uncounted(one, facts), []
        before = known.before(facts)
        settled = one.settled
        if settled is None:
            settled = settle(facts, before.ratings, before.met, self._matches_per_day)
        elif settled.pool and not still_true(settled.changes, before.ratings, settled.at):
            settled = rated(facts, before.ratings)
        commands = commands_of(facts, settled, before, is_new=one.settled is None)
        known.take(facts, settled)
        return Logged(one.number, one.match, facts.version, settled), commands

    def _uncounted(self, one: _Due, settled: Settled) -> Logged:
        return Logged(one.number, one.match, 0, settled)

    async def _loaded(self, one: _Due) -> Match | Settled:
        """The match as it was at this version (0: as it is), or why it counts nowhere."""
        if one.settled is not None and not one.version:
            return one.settled
        try:
            match = await self._match(one.match, one.version)
        except (IntegrityError, UnknownMatch) as error:
            return self._damaged(one.match, error)
        return match if match.is_over else Settled(unrated="undone")

    async def _match(self, match_id: str, version: int) -> Match:
        cached = self._matches.cache.newest(match_id)
        if cached is not None and (cached.is_over if not version else cached.version == version):
            return cached
        match = await self._matches.newest(match_id)
        return match if version in (0, match.version) else await self._matches.loader.at(match_id, version)

    async def _with_events(self, match: Match | Settled) -> tuple[Match, list[StoredEvent]] | Settled:
        """A match with its events."""
        if isinstance(match, Settled):
            return match
        try:
            events: list[StoredEvent] = []
            for after in range(0, match.version, PAGE_EVENTS):
                events += await self._matches.past.stored(match, after, PAGE_EVENTS)
        except (IntegrityError, UnknownMatch) as error:
            return self._damaged(match.id, error)
        return match, events

    async def _facts(self, found: tuple[Match, list[StoredEvent]] | Settled) -> Facts | Settled:
        """Of a match. Or why it counts nowhere, with a line in the log: its record does not verify, or what counts it
        fails."""
        if isinstance(found, Settled):
            return found
        match, events = found
        try:
            return await self._counted(match, events)
        except (IntegrityError, UnknownMatch) as error:
            return self._damaged(match.id, error)
        except _Failed as failed:
            return self._failed(match.id, failed.error)

    async def _counted(self, match: Match, events: list[StoredEvent]) -> Facts:
        with _counting():
            of = played(events, match.started_at_version)
            facts = facts_of(match, of)
            if not counts(match, of, facts):
                return facts
            teller = Teller(match)

        def take(run: Run) -> None:
            with _counting():
                teller.take(run)

        await self._matches.past.replay(match, events, teller.types, JUDGED_EVERY, take)
        with _counting():
            return replace(facts, counted=counted_of(match, of, facts, teller.end(len(facts.sides))))

    def _damaged(self, match_id: str, error: Exception) -> Settled:
        log.error("%s: its record does not verify, so it counts nowhere: %s", match_id, error)
        return Settled(unrated="damaged")

    def _failed(self, match_id: str, error: Exception) -> Settled:
        report(log, error, "%s: it cannot be counted, so it counts nowhere", match_id)
        return Settled(unrated="failed")

    async def _lapse(self, folded: int) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._lapsed >= LAPSE_SECONDS:
            await self._standings.lapse(folded, self._world.now_ms())
            self._lapsed = now
