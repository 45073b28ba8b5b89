"""Lobbies that nobody comes to any more: aborted after a while. Several workers may run; each lobby ends once.

The lobby's projection says which matches to look at. The match itself says whether anything has happened since, and
its version decides which worker's event counts."""

import asyncio
import logging

from ..clock_and_random import World
from ..errors import TryAgain, report
from ..match.draft import Draft
from ..match.model import MatchAborted
from ..matches import Matches
from ..redis import keys
from ..redis.connection import Connection

log = logging.getLogger("warlog.lobbies")

PAUSE_SECONDS = 1.0
BATCH = 100
PATIENCE_MS = 3_600_000  # before a lobby that could not be ended is tried again


class Abandoned:
    """`idle_seconds` 0: lobbies stay for ever."""

    def __init__(self, connection: Connection, matches: Matches, world: World, idle_seconds: int) -> None:
        self._pipe = connection.pipe
        self._matches = matches
        self._world = world
        self._idle_ms = idle_seconds * 1000
        self._failed: dict[str, int] = {}  # → when to try again

    async def run(self) -> None:
        """For ever; ends only with Unavailable, and may then be started again."""
        while True:
            await self.step()
            await asyncio.sleep(PAUSE_SECONDS)

    async def step(self) -> int:
        """One look at all lobbies; gives the number of those that were ended here."""
        if not self._idle_ms:
            return 0
        now = self._world.now_ms()
        self._failed = {match: at for match, at in self._failed.items() if at > now}
        count = offset = 0
        while True:
            found = await self._pipe.call(
                *("ZRANGEBYSCORE", keys.lobby("lobbies"), "-inf", now - self._idle_ms),
                *("LIMIT", offset, BATCH),
            )
            for match in found:
                count += await self._end(match.decode(), now)
            if len(found) < BATCH:
                return count
            offset += BATCH

    async def _end(self, match_id: str, now: int) -> bool:
        if match_id in self._failed:
            return False
        try:
            return await self._abort(match_id)
        except TryAgain:
            raise
        except Exception as error:
            report(log, error, "%s: this abandoned lobby could not be aborted", match_id)
            self._failed[match_id] = now + PATIENCE_MS
            return False

    async def _abort(self, match_id: str) -> bool:
        """True if this call did it."""

        def write_events(draft: Draft) -> None:
            draft.not_before = draft.match.fold.updated_at + self._idle_ms
            if draft.match.status == "lobby" and draft.not_before <= self._world.now_ms():
                draft.write(MatchAborted(reason="abandoned"))

        if await self._matches.execute_as_server(match_id, write_events) is None:
            return False
        self._matches.counts.abandoned += 1
        return True
