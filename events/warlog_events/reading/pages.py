"""Reading the stored events of a match, in pages, each event with what the rules made of it.

Every call is handed a head and tells of what that head knows, whatever has been appended since.
"""

from collections.abc import Callable
from typing import TypeVar

from warlog_core import State

from ..errors import IntegrityError, NoView, UnknownVersion
from ..match import replay
from ..match.match import Match
from ..match.stored import StoredEvent
from ..match.timeline import Forgotten, Timeline
from ..memory.loading import Loader
from ..threads import Threads
from .replayed import ReplayedEvent, tell

T = TypeVar("T")

PAGE_EVENTS = 500  # that are replayed at once, before others have their turn


class Pages:
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

    async def each(
        self, match: Match, after: int, limit: int, use: Callable[[Match, ReplayedEvent], T]
    ) -> list[T]:
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

    async def whole(self, match: Match) -> Match:
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
                return use((await self.whole(match)).timeline)
        except IntegrityError as error:
            await self._loader.integrity.freeze(match.id, error)
            raise
