"""Reading the stored events of a match, in pages, each event with what the rules made of it.

Every call gets a `Match`, the match after one version, and reads no further than that version.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from itertools import islice
from typing import TypeVar

from warlog_core import State

from ..errors import IntegrityError, NoView, UnknownVersion
from ..match import replay
from ..match.match import Match
from ..match.stored import StoredEvent
from ..match.timeline import Forgotten, Timeline
from ..memory.loading import Loader
from ..threads import Threads
from .replayed import EventWithState, Run, replay_events, replay_runs

T = TypeVar("T")

PAGE_EVENTS = 100  # that are read from Redis at once
SLICE_EVENTS = 25  # that are replayed at once, which takes 1 to 3 ms, before others have their turn
RUNS = 3  # likewise of RUN_EVENTS each, where nothing is shown of them


def check_version(match: Match, version: int) -> None:
    """Raises UnknownVersion."""
    if not 0 < version <= match.version:
        raise UnknownVersion(
            f"This match has the versions 1 to {match.version}.",
            version=match.version,
            extra={"minimum": 1, "maximum": match.version},
        )


class Pages:
    def __init__(self, loader: Loader, heavy_threads: Threads, brief_threads: Threads) -> None:
        """`heavy_threads`: for what takes seconds. `brief_threads`: for a page of a notation."""
        self.brief_threads = brief_threads
        self._heavy_threads = heavy_threads
        self.store = loader.store
        self._loader = loader
        self._counts = loader.counts
        self._turn = asyncio.Lock()

    async def state_at(self, match: Match, version: int) -> State:
        """The state after `version`; the caller's own. Raises NoView before the start, UnknownVersion beyond the
        newest."""
        check_version(match, version)
        if match.state is None or version < match.started_at_version:
            raise NoView("The board does not exist before the match starts.", version=match.version)
        if version == match.version:
            return match.state.copy()

        async def state(line: Timeline) -> State:
            return await self._in_turn(lambda: replay.state_at(line, match.game, version, self._counts))

        return await self._with_line(match, state)

    def is_deep(self, match: Match, version: int) -> bool:
        """Has the match to be replayed from its first event on, in order to read `version`? Not if that is being
        done already."""
        forgotten = 0 < version <= match.timeline.known_from
        return forgotten and not self._loader.is_loading_whole(match.id)

    async def each(
        self, match: Match, after: int, limit: int, use: Callable[[Match, EventWithState], T]
    ) -> list[T]:
        """`use` of every event after `after`, at most `limit`, with what the rules made of it. It may be called
        for an event anew, and so must not add up."""
        found: list[T] = []
        last = min(match.version, after + limit)
        for start in range(after, last, PAGE_EVENTS):
            events = await self.stored(match, start, min(PAGE_EVENTS, last - start))
            names = await self._loader.names.of(events)

            async def shown(
                line: Timeline, events: list[StoredEvent] = events, names: Mapping[str, str] = names
            ) -> list[T]:
                replayed, page = replay_events(match, line, events, names, self._counts), list[T]()
                for _ in range(0, len(events), SLICE_EVENTS):
                    page += await self._in_turn(
                        lambda: [use(match, event) for event in islice(replayed, SLICE_EVENTS)]
                    )
                return page

            found += await self._with_line(match, shown)
        return found

    async def replay(
        self,
        match: Match,
        events: list[StoredEvent],
        types: Mapping[int, int],
        every: int,
        use: Callable[[Run], object],
    ) -> None:
        """`use` of each run of these events (replay_runs), once and in order. They are all of a match's that never
        went back. Raises IntegrityError, having frozen the match."""
        runs = replay_runs(match, events, types, every, self._counts)

        def slice_() -> int:
            return len([use(run) for run in islice(runs, RUNS)])

        try:
            while await self._in_turn(slice_) == RUNS:
                pass
        except IntegrityError as error:
            await self._loader.integrity.freeze(match.id, error)
            raise

    async def _in_turn(self, work: Callable[[], T]) -> T:
        """`work` of a few milliseconds. However many read the past, the event loop does one such piece in each of its
        rounds: those who play wait for no more than that."""
        async with self._turn:
            try:
                return work()
            finally:
                await asyncio.sleep(0)

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
        """The match, or a newer version of it, with a timeline that has forgotten nothing."""
        if match.timeline.known_from == 0:
            return match
        cached = self._loader.cache.get(match.id)
        if (
            cached is not None
            and cached.match.timeline.known_from == 0
            and cached.match.version >= match.version
        ):
            return cached.match
        return (await self._loader.cold(match.id, whole=True)).match

    async def _with_line(self, match: Match, use: Callable[[Timeline], Awaitable[T]]) -> T:
        """`use` of a timeline that has not forgotten what it needs. A contradiction freezes the match."""
        try:
            try:
                return await use(match.timeline)
            except Forgotten:
                return await use((await self.whole(match)).timeline)
        except IntegrityError as error:
            await self._loader.integrity.freeze(match.id, error)
            raise
