"""`warlog archive`: what has been over for long enough is verified, written to the archive and leaves Redis.

The order is what keeps everything safe: replay, write, flush, read back, and only then, in one script, the tombstone in
place of the match. A process that dies on the way leaves a file that no tombstone names, and the match where it was.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, Literal

import msgspec

from ..errors import TryAgain, WarlogError
from ..match.match import Match
from ..match.stored import StoredEvent
from ..match.verify import verify_record
from ..matches import Matches
from ..memory.archive import Damaged, Files, content_of
from ..reading.export import lobby_record
from ..redis.store import Store


class Aged(msgspec.Struct):
    """Of a summary, what says whether a match is to be archived."""

    status: str
    updated_at: str


class Outcome(msgspec.Struct, frozen=True):
    """archived  `bytes` is the size of the file
    changed   somebody played on, or archived it, in the meantime: it is as it was
    failed    it is not what it says; `detail` says why, and it stays where it is
    """

    match: str
    status: Literal["archived", "changed", "failed"]
    bytes: int = 0
    detail: str = ""


_aged = msgspec.json.Decoder(Aged)


class Archiver:
    def __init__(self, matches: Matches, files: Files) -> None:
        self._matches = matches
        self._store: Store = matches.store
        self._files = files

    async def count(self) -> int:
        """How many matches `candidates` will look at, about."""
        return await self._store.count()

    async def candidates(self, before: str) -> AsyncIterator[tuple[int, list[str]]]:
        """Batches of (how many were looked at, those that were over before that time and are still in Redis).

        before   RFC 3339, as in summaries"""
        for bucket in range(self._store.buckets):
            async for matches in self._store.matches(bucket):
                yield len(matches), await self._old(matches, before)

    async def _old(self, matches: Sequence[str], before: str) -> list[str]:
        found: dict[str, None] = {}
        for match, (raw, archived) in zip(matches, await self._store.standings(matches), strict=True):
            if raw is not None and not archived:
                aged = _aged.decode(raw)
                if aged.status in ("finished", "aborted") and aged.updated_at < before:
                    found[match] = None  # a scan may give a match twice
        return list(found)

    async def archive(self, match_id: str) -> Outcome:
        """Raises TryAgain (Redis is away: nothing has changed, or all of it), OSError of the archive."""
        try:
            match = await self._matches.newest(match_id)
            if match.status not in ("finished", "aborted"):
                return Outcome(match_id, "changed")
            if (reason := await self._store.frozen(match_id)) is not None:
                return Outcome(match_id, "failed", detail=f"frozen: {reason}")
            record = await self._record(match)
            content = msgspec.json.encode(record)
            await self._check(match, record, content)
            tombstone, size = await asyncio.to_thread(self._files.write, match_id, match.version, content)
        except TryAgain:
            raise
        except (WarlogError, Damaged, ValueError, LookupError) as error:
            return Outcome(match_id, "failed", detail=str(error) or type(error).__name__)
        if await self._store.bury(match_id, match.version, match.chain, str(tombstone)):
            return Outcome(match_id, "archived", size)
        return Outcome(match_id, "changed")

    async def _record(self, match: Match) -> dict[str, Any]:
        if match.fold.started_version:
            return await self._matches.past.archived(match)
        return lobby_record(match, await self._events(match), await self._store.secrets(match.id))

    async def _events(self, match: Match) -> list[StoredEvent]:
        found: list[StoredEvent] = []
        while len(found) < match.version:
            page = await self._store.events(match.id, len(found))
            if not page:
                raise ValueError("events are missing")
            found += page
        return found[: match.version]

    async def _check(self, match: Match, record: dict[str, Any], content: bytes) -> None:
        """Verified by replay, and nothing is lost by making the stream again from it. Raises ValueError."""
        verdict = await asyncio.to_thread(verify_record, record)
        if verdict.status == "failed":
            raise ValueError(f"version {verdict.version}: {verdict.detail}")
        again = await asyncio.to_thread(content_of, content)
        if again.events != await self._events(match):
            raise ValueError("the record does not give back the events as they are stored")
        if again.secrets != await self._store.secrets(match.id):
            raise ValueError("the record does not give back the seeds")
