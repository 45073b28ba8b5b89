"""Reading what has happened to a match: boards, events, the tree of lines, the history, the record, the verdict.

Every call is handed a head and tells of what that head knows, whatever has been appended since.
"""

from collections.abc import Callable
from typing import TypeVar

from warlog_core import State

from . import history, replay
from .errors import IntegrityError, NoView, UnknownVersion, WrongStatus
from .export import check_export, export_match
from .head import Match
from .loading import Loader
from .model import STRANGER, Reader
from .pages import Told, tell
from .store import StoredEvent
from .threads import Threads
from .timeline import Forgotten, Timeline
from .verify import Verdict, verify_record
from .visible import event_json

T = TypeVar("T")

PAGE_EVENTS = 500  # that are replayed at once, before others have their turn


class Past:
    def __init__(self, loader: Loader, heavy: Threads, brief: Threads) -> None:
        """`heavy`: for what takes seconds. `brief`: for a page of a notation."""
        self.brief = brief
        self._heavy = heavy
        self.store = loader.store
        self._loader = loader
        self._counts = loader.counts

    async def state_at(self, match: Match, version: int) -> State:
        """The state after `version`; the caller's own. Raises NoView before the start, UnknownVersion beyond the
        newest."""
        if not 0 < version <= match.version:
            raise UnknownVersion(f"versions 1 to {match.version} are there", version=match.version)
        if match.state is None or version < match.started_at_version:
            raise NoView("there is no board before the start", version=match.version)
        if version == match.version:
            return match.state.copy()
        return await self._with_line(
            match, lambda line: replay.state_at(line, match.game, version, self._counts)
        )

    async def each(self, match: Match, after: int, limit: int, use: Callable[[Match, Told], T]) -> list[T]:
        """`use` of every event after `after`, at most `limit`, with what the rules made of it. It may be called
        for an event anew, and so must not add up."""
        found: list[T] = []
        last = min(match.version, after + limit)
        for start in range(after, last, PAGE_EVENTS):
            events = await self.stored(match, start, min(PAGE_EVENTS, last - start))

            def shown(line: Timeline, events: list[StoredEvent] = events) -> list[T]:
                return [use(match, told) for told in tell(match, line, events, self._counts)]

            found += await self._with_line(match, shown)
        return found

    async def stored(self, match: Match, after: int, limit: int) -> list[StoredEvent]:
        """Events after version `after` as they are stored, each checked to follow on the one before it. Raises
        IntegrityError, having frozen the match."""
        self._counts.redis_reads += 1
        try:
            return await self._loader.integrity.events(match, after, limit)
        except IntegrityError as error:
            await self._loader.integrity.freeze(match.id, error)
            raise

    async def each_now(
        self, match_id: str, after: int, limit: int, use: Callable[[Match, Told], T]
    ) -> list[T]:
        """As `each`, of the match as it is now."""
        return await self.each((await self._loader.hot(match_id, fresh=True)).match, after, limit, use)

    async def events(
        self, match: Match, reader: Reader, after: int = 0, limit: int = 100
    ) -> list[dict[str, object]]:
        """Events `after`+1 … as `reader` may see them today, every version, in the form of API.md."""
        return await self.each(match, after, limit, lambda match, told: event_json(match, told, reader))

    def timeline(self, match: Match, after: int = 0, limit: int = 100) -> list[dict[str, object]]:
        """`{"version", "parent"}` of the versions after `after`; the first has no parent."""
        last = min(match.version, after + limit)
        nodes: list[dict[str, object]] = []
        for version in range(after + 1, last + 1):
            parent = match.timeline.parent(version)
            nodes.append({"version": version} if parent is None else {"version": version, "parent": parent})
        return nodes

    async def history(
        self, match: Match, reader: Reader, after: int = 0, limit: int = 1000
    ) -> tuple[str, int | None]:
        """The notation of the current line from after version `after`, at most `limit` lines, and the version
        after which to go on, None at the end."""
        return await history.lines(self, match, await self._whole(match), reader, after, limit)

    async def export(self, match: Match, reader: Reader) -> dict[str, object]:
        """The record (API.md). Seeds, hashes and chain are in it once the match is over.

        Raises WrongStatus in the lobby, Hidden to who may not know all of a running match."""
        return await export_match(self, match, await self._whole(match), reader)

    def check_export(self, match: Match, reader: Reader) -> None:
        """Raises what `export` raises before it begins."""
        check_export(match, reader)

    async def archived(self, match: Match) -> dict[str, object]:
        """The record of a match that has started and is over or aborted, for the archive: no route gives it."""
        return await export_match(self, match, await self._whole(match), STRANGER, for_archive=True)

    async def verify(self, match: Match) -> Verdict:
        """Everything that is stored, from the first event on. Raises WrongStatus unless the match is over."""
        self.check_verify(match)
        return await self._heavy.run(verify_record, await self.export(match, STRANGER))

    def check_verify(self, match: Match) -> None:
        """Raises WrongStatus."""
        if not match.is_over:
            raise WrongStatus("a match can be verified when it is over", version=match.version)

    async def _whole(self, match: Match) -> Match:
        """A head whose timeline forgets nothing: the same or a newer one."""
        if match.timeline.known_from == 0:
            return match
        hot = self._loader.cache.get(match.id)
        if hot is not None and hot.match.timeline.known_from == 0 and hot.match.version >= match.version:
            return hot.match
        return (await self._loader.cold(match.id, whole=True)).match

    async def _with_line(self, match: Match, use: Callable[[Timeline], T]) -> T:
        """`use` of a timeline that has not forgotten what it needs. A contradiction freezes the match."""
        try:
            try:
                return use(match.timeline)
            except Forgotten:
                return use((await self._whole(match)).timeline)
        except IntegrityError as error:
            await self._loader.integrity.freeze(match.id, error)
            raise
