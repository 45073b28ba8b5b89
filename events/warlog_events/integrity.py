"""A match that contradicts itself, or of which Redis has lost something: it is frozen, loudly, and shown to nobody.

Redis may come back from an absence, or another server take over, without what was acknowledged last. So everything
that a process knows, because it is in memory or was shown to somebody, is then compared with what is there, before
somebody goes on from either.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable

from .cache import Cache
from .counts import Counts
from .errors import IntegrityError, WarlogError
from .store import Store

log = logging.getLogger("warlog.matches")

COMPARED_AT_ONCE = 200

Known = tuple[str, int, str]
"""(match, version, chain) of an event."""


class Integrity:
    def __init__(
        self,
        store: Store,
        cache: Cache,
        counts: Counts,
        *,
        shown: Callable[[], Iterable[Known]],
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
        store.on_return(self._returned)

    async def freeze(self, match_id: str, error: IntegrityError) -> None:
        """Nothing is appended to the match any more."""
        self._counts.integrity_errors += 1
        self._cache.drop(match_id)
        self._broken(match_id)
        log.critical("INTEGRITY ERROR, the match is frozen: %s: %s", match_id, error.detail)
        try:
            await self._store.freeze(match_id, error.detail)
        except WarlogError as failure:
            log.critical("%s could not be frozen: %s", match_id, failure)

    async def contradicts(self, match_id: str, version: int, why: str) -> None:
        """Event `version` is not what was known of it: the match is frozen."""
        await self.freeze(match_id, IntegrityError(f"{match_id}: event {version} is {why}: history is lost"))

    def close(self) -> None:
        for task in self._comparing:
            task.cancel()

    def _returned(self, affected: Callable[[str], bool]) -> None:
        known = {(match.id, match.version, match.chain) for match in self._cache.heads}
        known |= {*self._shown()}
        task = asyncio.create_task(self._compare_all([one for one in known if affected(one[0])]))
        self._comparing.add(task)
        task.add_done_callback(self._comparing.discard)

    async def _compare_all(self, known: list[Known]) -> None:
        for i in range(0, len(known), COMPARED_AT_ONCE):
            part = known[i : i + COMPARED_AT_ONCE]
            self._counts.redis_reads += 1
            results = await asyncio.gather(*(self._compare(*one) for one in part), return_exceptions=True)
            for (match_id, _, _), result in zip(part, results, strict=True):
                if isinstance(result, Exception):
                    log.warning("%s: what Redis has of it could not be looked at: %s", match_id, result)

    async def _compare(self, match_id: str, version: int, chain: str) -> None:
        events = await self._store.events(match_id, version - 1, 1)
        if not events or events[0].version != version:
            await self.contradicts(match_id, version, "gone")
        elif events[0].chain != chain:
            await self.contradicts(match_id, version, "another one than was known")
