"""A match that contradicts itself, or of which Redis has lost something: it is frozen, with one line in the log, and
from then on can only be read, up to its last good version (loading.py).

Damage is found in three ways. Whatever is read from Redis is checked: each event must follow on the one before it, and
the newest must be the one in memory. Redis may come back from an absence, or another server take over, without what was
acknowledged last; everything that a process knows, because it is in memory or was shown to somebody, is then compared
with what is there. And every match in memory is compared with its stored events from time to time, and always before a
snapshot is made of it.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress

from ..errors import Frozen, IntegrityError, WarlogError
from ..match.match import Match
from ..match.stored import StoredEvent, follows
from ..redis.store import Store
from ..statistics import Counts
from .cache import Cache

log = logging.getLogger("warlog.matches")

COMPARED_AT_ONCE = 200
FOUND_MAX = 10_000  # damaged matches that are remembered
PAGE_EVENTS = 500
PAUSE_SECONDS = 0.1  # after each page that is compared in the background: at most 5,000 events a second

Tail = tuple[str, int, str]
"""(match, version, chain) of the newest event that this process has in memory, or has shown to somebody."""


class Integrity:
    def __init__(
        self,
        store: Store,
        cache: Cache,
        counts: Counts,
        *,
        shown: Callable[[], Iterable[Tail]],
        broken: Callable[[str], None],
    ) -> None:
        """`shown` gives the newest event of each match that somebody is being shown; `broken` is told each match
        that is frozen here."""
        self._store = store
        self._cache = cache
        self._counts = counts
        self._shown = shown
        self._broken = broken
        self._comparing: set[asyncio.Task[None]] = set()
        self._found: OrderedDict[str, IntegrityError] = OrderedDict()  # match → what was found first
        store.on_return(self._returned)

    async def freeze(self, match_id: str, error: IntegrityError) -> None:
        """Nothing is appended to the match any more. Counted and logged once per match."""
        self._cache.drop(match_id)
        self._broken(match_id)
        if error.reported or match_id in self._found:
            error.reported = True
            return
        self._found[match_id] = error.with_traceback(None)
        if len(self._found) > FOUND_MAX:
            self._found.popitem(last=False)
        self._counts.integrity_errors += 1
        log.critical("INTEGRITY ERROR, the match is frozen: %s: %s", match_id, error.detail)
        if isinstance(error, Frozen):
            return
        try:
            await self._store.freeze(match_id, error.detail)
        except WarlogError as failure:
            log.critical("%s could not be frozen: %s", match_id, failure)

    async def check(self, match_id: str) -> None:
        """Raises IntegrityError for a match in which damage was found here, for as long as it is frozen: who repairs
        it in Redis also takes `frozen` away."""
        found = self._found.get(match_id)
        if found is None:
            return
        if await self._store.frozen(match_id) is None:
            self._found.pop(match_id, None)
        elif not isinstance(found, Frozen):
            again = IntegrityError(found.detail, version=found.version, first_bad=found.first_bad)
            again.reported = True
            raise again

    async def events(self, match: Match, after: int, limit: int) -> list[StoredEvent]:
        """Events of `match` after version `after`, at most `limit`, each of which follows on the one before it.

        Raises IntegrityError (and does not freeze the match)."""
        last = min(match.version, after + limit)
        if after >= last:
            return []
        anchored = after > 0  # with the event before them, whose chain they continue
        found = await self._store.events(match.id, after - anchored, last - after + anchored)
        chain, expected = "", after - anchored + 1
        for event in found:
            if event.version != expected:
                break
            if expected > after and not follows(chain, event):
                raise IntegrityError(f"event {expected} is not as it was written", first_bad=expected)
            chain, expected = event.chain, expected + 1
        if expected <= last:
            raise IntegrityError(f"event {expected} is gone: history is lost", first_bad=expected)
        if last == match.version and chain != match.chain:
            raise IntegrityError(f"event {last} is another one than was known", first_bad=last)
        return found[anchored:]

    async def compare(
        self, match: Match, after: int = 0, pause: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        """The stored events after version `after` with what is known of the match: the chain of its newest event
        stands for all of them. `pause` is called after each page. Raises IntegrityError, having frozen the match."""
        try:
            for start in range(after, match.version, PAGE_EVENTS):
                await self.events(match, start, PAGE_EVENTS)
                if pause is not None:
                    await pause()
        except IntegrityError as error:
            await self.freeze(match.id, error)
            raise

    async def compare_all(self, pause: Callable[[], Awaitable[None]] | None = None) -> None:
        """Every match in memory, once. Raises Unavailable."""
        for match_id in [match.id for match in self._cache.all_newest]:
            match = self._cache.newest(match_id)  # the newest by now, if it is still there
            if match is not None:
                with suppress(IntegrityError):
                    await self.compare(match, 0, pause)

    async def compare_for_ever(self, every_seconds: float, sleep: Callable[[float], Awaitable[None]]) -> None:
        """Every match in memory, one after the other, and again after so many seconds."""
        while True:
            await self.compare_all(lambda: sleep(PAUSE_SECONDS))
            await sleep(every_seconds)

    async def contradicts(self, match_id: str, version: int, why: str) -> None:
        """Event `version` is not what was known of it: the match is frozen."""
        await self.freeze(match_id, IntegrityError(f"event {version} is {why}: history is lost"))

    def close(self) -> None:
        for task in self._comparing:
            task.cancel()

    def _returned(self, affected: Callable[[str], bool]) -> None:
        tails = {(match.id, match.version, match.chain) for match in self._cache.all_newest}
        tails |= {*self._shown()}
        # Sorted by match: the order must not depend on chains, which depend on what is hidden.
        task = asyncio.create_task(self._compare_all([one for one in sorted(tails) if affected(one[0])]))
        self._comparing.add(task)
        task.add_done_callback(self._comparing.discard)

    async def _compare_all(self, tails: list[Tail]) -> None:
        for i in range(0, len(tails), COMPARED_AT_ONCE):
            part = tails[i : i + COMPARED_AT_ONCE]
            self._counts.redis_reads += 1
            results = await asyncio.gather(*(self._compare(*one) for one in part), return_exceptions=True)
            for (match_id, _, _), result in zip(part, results, strict=True):
                if isinstance(result, Exception):
                    log.warning("%s: what Redis has of it could not be looked at: %s", match_id, result)

    async def _compare(self, match_id: str, version: int, chain: str) -> None:
        try:
            events = await self._store.events(match_id, version - 1, 1)
        except IntegrityError as error:
            await self.freeze(match_id, error)
            return
        if not events or events[0].version != version:
            await self.contradicts(match_id, version, "gone")
        elif events[0].chain != chain:
            await self.contradicts(match_id, version, "another one than was known")
