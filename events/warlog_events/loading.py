"""From Redis into memory: cold matches, and what is new of hot ones.

`Loader` never holds a lock over the network. Two tasks may load or refresh the same match at once; what comes
second finds the work done and adds nothing.
"""

import asyncio
import logging
from collections.abc import Coroutine
from time import perf_counter

import msgspec

from . import snapshot
from .cache import Cache, Hot
from .counts import Counts
from .errors import IntegrityError, UnknownMatch, WarlogError
from .head import Match, milliseconds
from .integrity import Integrity
from .replay import Replay
from .store import Store, StoredEvent
from .timeline import Forgotten

log = logging.getLogger("warlog.matches")

PAGE_EVENTS = 500


class _Summary(msgspec.Struct):
    version: int
    deadlines: dict[str, str] = {}


_summary = msgspec.json.Decoder(_Summary)


def _deadlines(match: Match, summary: _Summary) -> dict[str, int]:
    """They follow another process's clock and are no events: of what is stored, the summary has them."""
    if not match.settings.clocked or match.status != "playing":
        return {}
    return {seat: milliseconds(at) for seat, at in summary.deadlines.items()}


class Loader:
    def __init__(
        self,
        store: Store,
        cache: Cache,
        counts: Counts,
        integrity: Integrity,
        *,
        checkpoint_every: int,
        snapshot_every: int,
    ) -> None:
        self.store = store
        self.cache = cache
        self.counts = counts
        self.integrity = integrity
        self.checkpoint_every = checkpoint_every
        self.snapshot_every = snapshot_every
        self._loading: dict[str, asyncio.Task[Hot]] = {}
        self._writing: set[asyncio.Task[None]] = set()

    def known(self, match_id: str) -> Hot | None:
        """The match if it is in memory, as it is there."""
        hot = self.cache.get(match_id)
        if hot is None:
            self.counts.cache_misses += 1
        else:
            self.counts.cache_hits += 1
        return hot

    async def hot(self, match_id: str, *, fresh: bool) -> Hot:
        """The match, loaded if need be. fresh: with all that Redis has by now. Raises UnknownMatch, IntegrityError."""
        hot = self.known(match_id)
        if hot is None:
            return await self.cold(match_id)
        if fresh:
            return await self._guarded(match_id, self.refresh(hot))
        return hot

    async def cold(self, match_id: str, *, whole: bool = False) -> Hot:
        """From the newest snapshot, or `whole`, from the first event on, so that the timeline forgets nothing."""
        if not self.store.is_id(match_id):
            raise UnknownMatch("no such match")
        name = f"{match_id} whole" if whole else match_id
        task = self._loading.get(name)
        if task is None:
            task = asyncio.create_task(self._guarded(match_id, self._cold(match_id, whole)))
            self._loading[name] = task
            task.add_done_callback(lambda _: self._loading.pop(name, None))
        return await asyncio.shield(task)

    async def refresh(self, hot: Hot) -> Hot:
        """Adds what is new. The newest event that we know is read again, to see that Redis still has it as we
        know it."""
        match = hot.match
        events, summary = await self._read(match.id, match.version - 1, clocked=match.settings.clocked)
        if not events or events[0].version != match.version or events[0].chain != match.chain:
            raise IntegrityError(f"{match.id}: event {match.version} is not in Redis as it was written")
        before = hot.match.version
        while True:
            if any(event.version > before and b'"seed_commitment"' in event.body for event in events):
                # Before the event itself is taken over: whoever acts after it draws from the new seed.
                found = await self.store.secrets(match.id)
                hot.secrets = hot.secrets | found
            try:
                self._extend(hot, events, summary)
            except Forgotten:
                return await self.cold(match.id, whole=True)
            if len(events) < PAGE_EVENTS and (summary is None or summary.version <= hot.match.version):
                break
            told = 0 if summary is None else summary.version
            clocked = summary is not None
            events, summary = await self._read(match.id, hot.match.version, clocked=clocked, told=told)
        if hot.match.version > before:
            self.cache.put(hot)
            self.keep(hot)
        return hot

    def _extend(self, hot: Hot, events: list[StoredEvent], summary: _Summary | None) -> None:
        """What of `events` is new is added to the head. Raises Forgotten: then this head is of no use any more."""
        new = [event for event in events if event.version > hot.match.version]
        match, deadlines = hot.match, hot.match.deadlines
        if new:
            replay = Replay(match.id, match, self.counts, every=self.checkpoint_every)
            try:
                replay.feed(new)
            except Forgotten:
                self.cache.drop(match.id)
                raise
            match = replay.match()
        if summary is not None and summary.version == match.version:
            deadlines = _deadlines(match, summary)
        elif match.status != "playing":
            deadlines = {}
        if new or deadlines != hot.match.deadlines:
            hot.match = Match(match.fold, match.game, match.timeline, match.state, deadlines, match.settings)

    async def _read(
        self, match_id: str, after: int, *, clocked: bool, told: int = 0
    ) -> tuple[list[StoredEvent], _Summary | None]:
        """A page of events and, of a match with a clock, the summary with the deadlines; in one round trip.

        `told`: the version of the summary that was read before. Raises IntegrityError if the events end before it."""
        self.counts.redis_reads += 1
        if not clocked:
            return await self.store.events(match_id, after, PAGE_EVENTS), None
        events, raw = await asyncio.gather(
            self.store.events(match_id, after, PAGE_EVENTS), self.store.summary(match_id)
        )
        if not events and after < told:
            raise IntegrityError(
                f"{match_id}: Redis knows version {told} and ends at {after}: history is lost"
            )
        return events, None if raw is None else _summary.decode(raw)

    async def _cold(self, match_id: str, whole: bool) -> Hot:
        began = perf_counter()
        self.counts.redis_reads += 1
        written, secrets = await asyncio.gather(self.store.snapshot(match_id), self.store.secrets(match_id))
        match = None if whole or written is None else await self._from_snapshot(match_id, written)
        snapshot_at = 0 if match is None else match.version
        replay = Replay(match_id, match, self.counts, every=self.checkpoint_every)
        summary = None
        while True:
            clocked = replay.version > 0 and replay.match().settings.clocked
            told = 0 if summary is None else summary.version
            events, summary = await self._read(match_id, replay.version, clocked=clocked, told=told)
            try:
                replay.feed(events)
            except Forgotten:
                return await self._cold(match_id, True)
            if replay.version == 0:
                raise UnknownMatch("no such match")
            match = replay.match()
            if len(events) == PAGE_EVENTS:
                await asyncio.sleep(0)  # a long match must not hold up everybody else
            elif not match.settings.clocked or (
                clocked and (summary is None or summary.version <= match.version)
            ):
                break
        if any(name not in secrets for _, name in match.timeline.seeds):
            secrets = await self.store.secrets(match_id)  # one was drawn after the first look
        deadlines = {} if summary is None else _deadlines(match, summary)
        hot = Hot(
            Match(match.fold, match.game, match.timeline, match.state, deadlines, match.settings),
            secrets,
            snapshot_at,
        )
        self.cache.put(hot)
        self.keep(hot)
        self.counts.loads.add(perf_counter() - began)
        return hot

    async def _from_snapshot(self, match_id: str, written: bytes) -> Match | None:
        """None, and the snapshot is deleted, if it is not what it says."""
        try:
            version = snapshot.version_of(written)
            self.counts.redis_reads += 1
            entries = await self.store.events(match_id, version - 1, 1)
            if not entries or entries[0].version != version:
                raise snapshot.SnapshotRefused("the stream has no such version")
            self.counts.core_calls += 1
            return snapshot.load(written, entries[0], match_id, self.checkpoint_every)
        except snapshot.SnapshotRefused as refused:
            log.error("%s: a snapshot is refused and deleted: %s", match_id, refused)
            self.counts.snapshots_refused += 1
            await self.store.delete_snapshot(match_id)
            return None

    # ---- snapshots

    def keep(self, hot: Hot) -> None:
        """Writes the match down whole, in the background, when it has grown enough since the last time."""
        match = hot.match
        if match.version < self.snapshot_every or match.state is None:
            return
        # Who loads an older snapshot and finds a leap back to before it has to read everything.
        jumps = match.timeline.jumps
        leapt = jumps and jumps[-1] > hot.snapshot_at and match.version > self.snapshot_every
        if match.version - hot.snapshot_at < self.snapshot_every and not leapt:
            return
        hot.snapshot_at = match.version
        task = asyncio.create_task(self._write_down(match))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def _write_down(self, match: Match) -> None:
        try:
            await self.store.put_snapshot(match.id, snapshot.dump(match))
        except WarlogError as error:
            log.warning("%s: no snapshot: %s", match.id, error)

    async def settle(self) -> None:
        """Waits for snapshots under way."""
        if self._writing:
            await asyncio.wait(self._writing)

    async def _guarded(self, match_id: str, work: Coroutine[None, None, Hot]) -> Hot:
        try:
            return await work
        except IntegrityError as error:
            await self.integrity.freeze(match_id, error)
            raise
