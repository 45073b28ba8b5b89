"""From Redis into memory: matches that are not there yet, and what is new of the others.

`Loader` never holds a lock over the network. Two tasks may load or refresh the same match at once; what comes
second finds the work done and adds nothing.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping
from time import perf_counter

import msgspec
from msgspec.structs import replace

from ..errors import Accepted, IntegrityError, UnknownMatch, WarlogError
from ..match.draft import challenges_lapse
from ..match.entropy import commitment
from ..match.match import Match, milliseconds
from ..match.replay import Replay
from ..match.stored import StoredEvent, follows
from ..match.timeline import Forgotten
from ..match_settings import MatchSettings
from ..redis.idempotency import Key
from ..redis.store import Store
from ..statistics import Counts
from . import snapshot
from .cache import Cache, CachedMatch
from .integrity import Integrity
from .names import Names

log = logging.getLogger("warlog.matches")

PAGE_EVENTS = 500
SLICE_EVENTS = 64  # that are replayed at once: a long match must not hold up everybody else
WHOLE_AT_ONCE = 2  # loads from the first event on
DAMAGED_MAX = 16  # damaged matches that are kept in memory as far as they can be read


class _SummaryRest(msgspec.Struct):
    version: int
    deadlines: dict[str, str] = {}


_rest = msgspec.json.Decoder(_SummaryRest)


class _Id(msgspec.Struct):
    id: str


class _Seat(msgspec.Struct):
    player: _Id | None = None


class _Joined(msgspec.Struct):
    player: _Id


class _Members(msgspec.Struct):
    """Of a summary, what says who may know of the match."""

    visibility: str
    mode: str
    creator: _Id
    seats: list[_Seat]
    joined: list[_Joined] = []


_members = msgspec.json.Decoder(_Members)


def _deadlines(match: Match, rest: _SummaryRest | None) -> dict[str, int]:
    """No event has the deadlines of a running match. Redis has them in the rest of the summary, as the last append set
    them."""
    if match.status == "lobby":
        return challenges_lapse(match.fold)
    if rest is None or not match.terms.clocked or match.status != "playing":
        return {}
    try:
        return {seat: milliseconds(at) for seat, at in rest.deadlines.items()}
    except ValueError as error:
        raise IntegrityError(f"its deadlines cannot be read: {error}") from error


def _whole(match_id: str) -> str:
    """The key of a full load in the table of loads under way."""
    return f"{match_id} whole"


async def _fed(replay: Replay, events: list[StoredEvent], names: Mapping[str, str]) -> None:
    """Raises what `Replay.feed` raises."""
    for start in range(0, len(events), SLICE_EVENTS):
        replay.feed(events[start : start + SLICE_EVENTS], names)
        if start + SLICE_EVENTS < len(events):
            await asyncio.sleep(0)


class Loader:
    def __init__(
        self,
        store: Store,
        cache: Cache,
        counts: Counts,
        integrity: Integrity,
        settings: MatchSettings,
    ) -> None:
        self.store = store
        self.cache = cache
        self.counts = counts
        self.integrity = integrity
        self.names = Names(store, counts)
        self.checkpoint_every = settings.checkpoint_every_events
        self.snapshot_every = settings.snapshot_every_events
        self._loading: dict[str, asyncio.Task[CachedMatch]] = {}
        self._writing: set[asyncio.Task[None]] = set()
        self._whole = asyncio.Semaphore(WHOLE_AT_ONCE)
        self._damaged: OrderedDict[str, Match] = OrderedDict()

    def in_memory(self, match_id: str) -> CachedMatch | None:
        """The match if it is in memory, as it is there."""
        cached = self.cache.get(match_id)
        if cached is None:
            self.counts.cache_misses += 1
        else:
            self.counts.cache_hits += 1
        return cached

    def game_name(self, match_id: str) -> str:
        """Of a match in memory; "" for any other."""
        cached = self.cache.get(match_id)
        return "" if cached is None else cached.match.game_name

    def forget(self, player: str) -> None:
        """A player has left for good: no match in memory knows the name."""
        self.names.forget(player)
        for match in self.cache.all_newest:
            if player in match.people.members:
                self.cache.drop(match.id)

    async def current(self, match_id: str, *, fresh: bool) -> CachedMatch:
        """The match, loaded if need be. fresh: with all that Redis has by now. Raises UnknownMatch, IntegrityError."""
        cached = self.in_memory(match_id)
        if cached is None:
            return await self.cold(match_id)
        if fresh:
            return await self._guarded(match_id, self.refresh(cached))
        return cached

    async def cold(self, match_id: str, *, whole: bool = False) -> CachedMatch:
        """From the newest snapshot, or `whole`, from the first event on, so that the timeline forgets nothing. With all
        that Redis has by now."""
        if not self.store.is_id(match_id):
            raise UnknownMatch()
        await self.integrity.check(match_id)
        self._damaged.pop(match_id, None)  # it has been repaired, if it was damaged
        if whole:
            name, work = _whole(match_id), self._cold_whole
        else:
            name, work = match_id, self._cold
        # A load that is under way may have read the events before the newest was appended.
        joined = name in self._loading
        cached = await self._shared(name, lambda: self._guarded(match_id, work(match_id)))
        return await self._guarded(match_id, self.refresh(cached)) if joined else cached

    def is_loading_whole(self, match_id: str) -> bool:
        return _whole(match_id) in self._loading

    async def _shared(self, name: str, work: Callable[[], Coroutine[None, None, CachedMatch]]) -> CachedMatch:
        """Those who want the same at the same time wait for one load."""
        task = self._loading.get(name)
        if task is None:
            task = asyncio.create_task(work())
            self._loading[name] = task
            task.add_done_callback(lambda _: self._loading.pop(name, None))
        return await asyncio.shield(task)

    async def accepted(self, match_id: str, player_id: str, key: Key | None) -> Accepted | None:
        """What was kept of the command that used this key before; None if none did. Raises IdempotencyKeyReused."""
        if key is None or not self.store.is_id(match_id):
            return None
        self.counts.redis_reads += 1
        return await self.store.accepted(match_id, player_id, key.key, key.digest)

    async def as_of(self, match: Match, accepted: Accepted) -> Match:
        """The match as it was when that was accepted, with the deadlines of that time. Replays it from its first
        event on."""
        if accepted.version == match.version:
            return match
        then = await self.at(match.id, accepted.version)
        return Match(then.fold, then.game, then.timeline, then.state, accepted.deadlines)

    async def at(self, match_id: str, version: int) -> Match:
        """As it was after this version, without deadlines, replayed from its first event on. Raises UnknownMatch,
        IntegrityError."""
        async with self._whole:
            return await self._replayed(match_id, version)

    # ---- damaged matches

    async def readable(self, match_id: str) -> Match:
        """The match as it is now; a damaged one as it was before the first event that cannot be believed.

        Raises UnknownMatch, IntegrityError where the first event is that one."""
        try:
            match = (await self.current(match_id, fresh=True)).match
        except IntegrityError:
            return await self.up_to_damage(match_id)
        self._damaged.pop(match_id, None)
        return match

    async def up_to_damage(self, match_id: str) -> Match:
        """A damaged match, as it was before its first damaged event. Raises IntegrityError if nothing can be read."""
        match = self._damaged.get(match_id)
        if match is None:
            match = (await self._shared(f"{match_id} damaged", lambda: self._up_to_damage(match_id))).match
        return match

    async def _up_to_damage(self, match_id: str) -> CachedMatch:
        match, last = None, 0
        while match is None:
            try:
                async with self._whole:
                    match = await self._replayed(match_id, last)
            except IntegrityError as error:
                bad = error.first_bad
                if bad <= 1 or (last and bad > last):
                    raise
                last = bad - 1
        # Later events, which cannot be read, may have hidden more.
        summary = await self._members_of(match_id)
        if summary is None or summary.mode != "casual":
            fold = replace(match.fold, mode="competitive")
            match = Match(fold, match.game, match.timeline, match.state, {})
        self._damaged[match_id] = match
        if len(self._damaged) > DAMAGED_MAX:
            self._damaged.popitem(last=False)
        return CachedMatch(match, {})

    async def _replayed(self, match_id: str, last: int) -> Match:
        """From the first event to version `last`, 0 for the end."""
        replay = Replay(match_id, None, self.counts, every=self.checkpoint_every)
        while not last or replay.version < last:
            limit = min(PAGE_EVENTS, last - replay.version) if last else PAGE_EVENTS
            events = await self.store.events(match_id, replay.version, limit)
            await _fed(replay, events, await self.names.of(events))
            if replay.version == 0:
                raise UnknownMatch()
            if len(events) < limit:
                break
        return replay.match()

    async def may_know_damaged(self, match_id: str, player_id: str | None) -> bool:
        """May this player know of a match that cannot be read, or not to its end? The summary of its newest version
        says who came to it later."""
        try:
            match = await self.up_to_damage(match_id)
        except WarlogError:
            match = None
        if match is not None and match.may_know(player_id):
            return True
        return await self._by_summary(match_id, player_id, strangers=match is None)

    async def came_later(self, match: Match, player_id: str | None) -> bool:
        """May this player know of a match that, as far as it can be read, was private and without him?"""
        damaged = self._damaged.get(match.id) is match
        return damaged and await self._by_summary(match.id, player_id, strangers=False)

    async def _by_summary(self, match_id: str, player_id: str | None, *, strangers: bool) -> bool:
        summary = await self._members_of(match_id)
        if summary is None:
            return False
        members = {summary.creator.id, *(seat.player.id for seat in summary.seats if seat.player is not None)}
        members.update(entry.player.id for entry in summary.joined)
        return player_id in members or (strangers and summary.visibility == "public")

    async def _members_of(self, match_id: str) -> _Members | None:
        raw = await self.store.summary(match_id)
        try:
            return None if raw is None else _members.decode(raw)
        except (ValueError, msgspec.MsgspecError):
            return None

    # ---- loading

    async def refresh(self, cached: CachedMatch) -> CachedMatch:
        """Adds what is new. The newest event that we know is read again, with the one before it, to see that Redis
        still has it as we know it."""
        match = cached.match
        anchored = match.version > 1
        events, rest = await self._read(match.id, match.version - 1 - anchored, clocked=match.terms.clocked)
        newest = events[anchored] if len(events) > anchored else None
        chain = events[0].chain if anchored and events else ""
        if newest is None or newest.version != match.version or newest.chain != match.chain:
            raise IntegrityError(f"event {match.version} is not in Redis as it was written")
        if not follows(chain, newest):
            raise IntegrityError(f"event {match.version} is not as it was written", first_bad=match.version)
        before = cached.match.version
        while True:
            if any(event.version > before and b'"seed_commitment"' in event.body for event in events):
                # Before the event itself is taken over: whoever acts after it draws from the new seed.
                found = await self._secrets(match.id)
                cached.secrets = cached.secrets | found
            names = await self.names.of(event for event in events if event.version > cached.match.version)
            try:
                self._extend(cached, events, names, rest)
            except Forgotten:
                return await self.cold(match.id, whole=True)
            if len(events) < PAGE_EVENTS and (rest is None or rest.version <= cached.match.version):
                break
            deadlines_version = 0 if rest is None else rest.version
            clocked = rest is not None
            events, rest = await self._read(
                match.id, cached.match.version, clocked=clocked, deadlines_version=deadlines_version
            )
        if cached.match.version > before:
            self.cache.put(cached)
            self.snapshot_if_due(cached)
        return cached

    def _extend(
        self,
        cached: CachedMatch,
        events: list[StoredEvent],
        names: Mapping[str, str],
        rest: _SummaryRest | None,
    ) -> None:
        """Adds what is new among `events` to the match in memory. Raises Forgotten: then it has to be loaded anew."""
        new = [event for event in events if event.version > cached.match.version]
        match, deadlines, stored_summary_start = (
            cached.match,
            cached.match.deadlines,
            cached.match.stored_summary_start,
        )
        if new:
            replay = Replay(match.id, match, self.counts, every=self.checkpoint_every)
            try:
                replay.feed(new, names)
            except Forgotten:
                self.cache.drop(match.id)
                raise
            match = replay.match()
        if rest is not None and rest.version == match.version:
            deadlines = _deadlines(match, rest)
        elif match.status != "playing":
            deadlines = _deadlines(match, None)
        if new or deadlines != cached.match.deadlines:
            cached.match = Match(match.fold, match.game, match.timeline, match.state, deadlines, match.terms)
            # The same: then the writer of the new events has not changed it.
            if stored_summary_start == cached.match.summary_start_json():
                cached.match.stored_summary_start = stored_summary_start

    async def _read(
        self, match_id: str, after: int, *, clocked: bool, deadlines_version: int = 0
    ) -> tuple[list[StoredEvent], _SummaryRest | None]:
        """A page of events and, of a match with a clock, the deadlines; in one round trip.

        `deadlines_version`: the version that was read beside the deadlines before. Raises IntegrityError if the events
        end before it."""
        self.counts.redis_reads += 1
        if not clocked:
            return await self.store.events(match_id, after, PAGE_EVENTS), None
        events, raw = await asyncio.gather(
            self.store.events(match_id, after, PAGE_EVENTS), self.store.summary_rest(match_id)
        )
        if not events and after < deadlines_version:
            raise IntegrityError(
                f"{match_id}: Redis knows version {deadlines_version} and ends at {after}: history is lost"
            )
        try:
            return events, None if raw is None else _rest.decode(raw)
        except (ValueError, msgspec.MsgspecError) as error:
            raise IntegrityError(f"its deadlines cannot be read: {error}") from error

    async def _secrets(self, match_id: str) -> dict[str, str]:
        """Seed commitment → seed in hex, each the seed that was committed to."""
        try:
            found = await self.store.secrets(match_id)
            if all(commitment(bytes.fromhex(seed)) == name for name, seed in found.items()):
                return found
        except ValueError:
            pass
        raise IntegrityError("a secret seed is not the one that was committed to")

    async def _cold_whole(self, match_id: str) -> CachedMatch:
        async with self._whole:
            return await self._cold(match_id, True)

    async def _cold(self, match_id: str, whole: bool = False) -> CachedMatch:
        began = perf_counter()
        self.counts.redis_reads += 1
        written, secrets = await asyncio.gather(self.store.snapshot(match_id), self._secrets(match_id))
        match = None if whole or written is None else await self._from_snapshot(match_id, written)
        snapshot_version = 0 if match is None else match.version
        replay = Replay(match_id, match, self.counts, every=self.checkpoint_every)
        rest = None
        while True:
            clocked = replay.version > 0 and replay.match().terms.clocked
            deadlines_version = 0 if rest is None else rest.version
            events, rest = await self._read(
                match_id, replay.version, clocked=clocked, deadlines_version=deadlines_version
            )
            try:
                await _fed(replay, events, await self.names.of(events))
            except Forgotten:
                return await self._cold_whole(match_id)
            if replay.version == 0:
                raise UnknownMatch()
            match = replay.match()
            if len(events) == PAGE_EVENTS:
                await asyncio.sleep(0)  # a long match must not hold up everybody else
            elif not match.terms.clocked or (clocked and (rest is None or rest.version <= match.version)):
                break
        if any(name not in secrets for _, name in match.timeline.seeds):
            secrets = await self._secrets(match_id)  # one was drawn after the first look
        deadlines = _deadlines(match, rest)
        cached = CachedMatch(
            Match(match.fold, match.game, match.timeline, match.state, deadlines, match.terms),
            secrets,
            snapshot_version,
        )
        newest = self.cache.newest(match_id)
        if newest is None or newest.version <= match.version:
            self.cache.put(cached)
        self.snapshot_if_due(cached)
        self.counts.loads.add(perf_counter() - began)
        return cached

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

    def snapshot_if_due(self, cached: CachedMatch) -> None:
        """Writes the match down whole, in the background, when it has grown enough since the last time."""
        match = cached.match
        if match.version < self.snapshot_every or match.state is None:
            return
        # Who loads an older snapshot and finds a leap back to before it has to read everything.
        jumps = match.timeline.jumps
        leapt = jumps and jumps[-1] > cached.snapshot_version and match.version > self.snapshot_every
        if match.version - cached.snapshot_version < self.snapshot_every and not leapt:
            return
        since, cached.snapshot_version = cached.snapshot_version, match.version
        task = asyncio.create_task(self._write_down(match, since))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def _write_down(self, match: Match, since: int) -> None:
        """Only of what Redis has, too: damage in the events since the last snapshot would be hidden by a new one."""
        try:
            await self.integrity.compare(match, since)
            await self.store.put_snapshot(match.id, snapshot.dump(match))
        except IntegrityError:
            return
        except WarlogError as error:
            log.warning("%s: no snapshot: %s", match.id, error)

    async def settle(self) -> None:
        """Waits for snapshots under way."""
        if self._writing:
            await asyncio.wait(self._writing)

    async def _guarded(self, match_id: str, work: Coroutine[None, None, CachedMatch]) -> CachedMatch:
        try:
            return await work
        except IntegrityError as error:
            await self.integrity.freeze(match_id, error)
            raise
