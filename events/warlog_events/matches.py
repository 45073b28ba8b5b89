"""Matches: what the service calls. One `Matches` per process.

`Matches.attempt` is the one write path: it loads a match, calls a function that writes events on a draft, appends and
publishes them, and begins again if another writer was faster. A player's command (player_commands.py), the server's own
event, a new match, an import and a rematch (new_matches.py) differ in that function. No lock is held over the network:
the append finds out who was first. A `Match` is a value, the match after one version; the cache has the newest one.
"""

import asyncio
from collections.abc import Callable, Mapping

import warlog_core

from .appending import append_of
from .clock_and_random import World
from .errors import ClockSkew, IntegrityError, Repeated, TryAgain, VersionConflict, WarlogError
from .lookups import Lookups, ScenarioLookup
from .match.draft import Draft
from .match.match import Match
from .match.model import SERVER, Reader
from .match.stakes import AccountsBrought, AccountsNeeded
from .match.timeline import Forgotten
from .match_settings import MatchSettings
from .memory.cache import Cache, CachedMatch
from .memory.integrity import Integrity
from .memory.loading import Loader
from .new_matches import NewMatches
from .player_commands import PlayerCommands
from .players.before_append import BeforeAppend
from .players.challenges import Challenges
from .players.presence import Presence
from .players.quotas import Quotas
from .players.stakes import Stakes
from .reading.admission import Admission
from .reading.feed import Feed, Hub
from .reading.past import Past
from .reading.replayed import EventWithState
from .redis import keys
from .redis.append_notices import Watch
from .redis.claims import Claims
from .redis.idempotency import Key
from .redis.store import Store
from .results import Done, WriteEvents
from .statistics import Counts
from .threads import Threads

ROUNDS = 100  # of `attempt`
CLOCK_ROUNDS = 5  # after so many, a ClockSkew is raised instead of tried again
HEAVY_AT_ONCE = 2


class Matches:
    """player_commands  execute, first_answer: a player's command, and a repeated one (player_commands.py)
    new              create, create_paired, import_record: new matches (new_matches.py)
    admission        load, readable: a match for a reader (reading/admission.py)
    loader           matches as they are in memory and in Redis (memory/loading.py)
    past             reading what has happened (reading/past.py)
    integrity        what is in memory compared with what is stored (memory/integrity.py)
    counts           what has been done here (statistics.py)
    """

    def __init__(
        self,
        store: Store,
        world: World,
        *,
        watch: Watch | None = None,
        scenario: ScenarioLookup | None = None,
        stakes: Stakes | None = None,
        quotas: Quotas | None = None,
        settings: MatchSettings | None = None,
        presence: Presence | None = None,
        challenges: Challenges | None = None,
        claims: Claims | None = None,
        heavy_threads: Threads | None = None,
        brief_threads: Threads | None = None,
    ) -> None:
        """`watch` None: feeds follow this process's own appends alone. `heavy_threads`: for whole
        matches (verifying, importing), which take seconds; `brief_threads`: for pages of a notation."""
        self._heavy_threads = heavy_threads or Threads("heavy", HEAVY_AT_ONCE)
        self._brief_threads = brief_threads or Threads("brief", HEAVY_AT_ONCE)
        self.store = store
        self.world = world
        self.settings = settings or MatchSettings()
        self.counts = Counts()
        self.cache = Cache(self.settings.hot_bytes_max)
        self.integrity = Integrity(
            store,
            self.cache,
            self.counts,
            shown=lambda: self._hub.offered,
            broken=lambda match_id: self._hub.broken(match_id),
        )
        self.loader = Loader(store, self.cache, self.counts, self.integrity, self.settings)
        self.admission = Admission(store, self.loader, presence)
        lookups = Lookups(self.admission.load, scenario, self._heavy_threads)
        self._before_append = before_append = BeforeAppend(stakes, quotas, presence, challenges)
        self.new = NewMatches(
            self.attempt,
            self.loader,
            store,
            claims or Claims(store.connection, world),
            world,
            lookups,
            before_append,
            self._heavy_threads,
            self.settings,
        )
        self.past = Past(self.loader, self._heavy_threads, self._brief_threads)
        self.player_commands = PlayerCommands(
            self.attempt,
            self.loader,
            self.past,
            self.admission,
            lookups,
            before_append,
            presence,
            self.new,
            self.settings,
        )
        self._hub = Hub(
            self.past,
            watch,
            self.settings.feed_events_max,
            world.now_ms,
            handed_out=lambda at: self.counts.feed_lags.add(max(world.now_ms() - at, 0) / 1000),
            contradicts=self.integrity.contradicts,
        )
        if watch is not None:
            watch.subscribe(keys.LEFT, lambda player: self.loader.forget(player.decode()), lambda: None)

    # ---- the write path

    async def attempt(
        self,
        match_id: str,
        write_events: WriteEvents,
        by: str,
        *,
        game: warlog_core.Game | None = None,
        fresh: bool = False,
        key: Key | None = None,
        acting_seat: str | None = None,
    ) -> Done:
        """Loads the match, lets `write_events` write events on a draft, appends them atomically and publishes them.

        by           the author: a player's id or SERVER
        game         of a match that is to be made; None: there is one
        fresh        Redis is asked first whether there is anything newer than in memory
        key          under which it is kept that this command was accepted
        acting_seat  whose deadline must not have passed

        What makes it begin again (an action without conflict is through after one round), and with what:
        AccountsNeeded   to write the event, accounts of players are needed: with those
        Forgotten        the timeline in memory does not reach back far enough: with the match loaded as a whole
        WarlogError      a refusal, but Redis has something newer than was in memory: with that
        VersionConflict  of the append, as another writer was faster: with his events
        ClockSkew        our clock differed from Redis's and was set: with a new time, in the first rounds

        What ends it: nothing was written; the events are appended (`_take_over`); or the command was accepted before
        (`Done.accepted`).

        Raises what `write_events` raises for the newest version, and what `Store.append` raises."""
        cached = await self.loader.current(match_id, fresh=fresh) if game is None else None
        brought: Mapping[str, AccountsBrought] = {}
        overtaken: Match | None = None  # another writer appended to it before us
        for n in range(ROUNDS):
            before = None if cached is None else cached.match
            played = game if before is None else before.game
            assert played is not None
            draft = Draft(
                match_id,
                played,
                before,
                at=self.store.append_time(0 if before is None else before.fold.updated_at),
                by=by,
                secrets={} if cached is None else cached.secrets,
                token_bytes=self.world.token_bytes,
                checkpoint_every=self.settings.checkpoint_every_events,
                brought=brought,
                overtaken=overtaken,
            )
            try:
                await write_events(draft)
            except AccountsNeeded as needed:
                brought = await self._before_append.accounts(draft, needed)
                continue
            except Forgotten:
                cached = await self.loader.cold(match_id, whole=True)
                continue
            except WarlogError:
                if before is None:  # a new match
                    raise
                # Perhaps only what is in memory is old, or the same command was accepted before.
                accepted = await self.loader.accepted(match_id, by, key)
                cached = await self.loader.current(match_id, fresh=True)
                if accepted is not None:
                    return Done(cached.match, accepted=accepted)
                if cached.match.version == before.version:
                    raise
                continue
            if not draft.written:
                return Done(draft.match)
            try:
                await self._append(draft, key, acting_seat)
            except VersionConflict:
                if cached is None:
                    raise
                self.counts.conflicts += 1
                overtaken = before
                # `cached` is shared: another task may have put a newer match into it. Redis is asked only if none has.
                cached = await self.loader.current(match_id, fresh=cached.match is overtaken)
                continue
            except ClockSkew:
                if n >= CLOCK_ROUNDS:
                    raise
                if cached is not None:
                    # The time of the newest event may be damaged: then loading raises IntegrityError.
                    cached = await self.loader.current(match_id, fresh=True)
                continue
            except Repeated as repeated:
                cached = await self.loader.current(match_id, fresh=True)
                return Done(cached.match, accepted=repeated.accepted)
            return self._take_over(cached, draft)
        newest = 0 if cached is None else cached.match.version
        raise VersionConflict("Too many others act in this match at once; try again.", version=newest)

    async def _append(self, draft: Draft, key: Key | None, acting_seat: str | None) -> None:
        self.counts.redis_appends += 1
        try:
            await self.store.append(append_of(draft, key, acting_seat))
        except ClockSkew:  # a TryAgain, too, but one after which nothing has been appended
            raise
        except (TryAgain, asyncio.CancelledError):
            # Cancelled or Unconfirmed: it may have been appended. Unavailable: it was not, but Redis may come back
            # without what it had. So the match will be loaded anew.
            self.cache.drop(draft.match_id)
            # `Watch` does not notice our own appends, so the feeds look: over the same connection, after the append.
            self._hub.catch_up(draft.match_id)
            raise
        except IntegrityError as error:
            await self.integrity.freeze(draft.match_id, error)
            raise

    def _take_over(self, cached: CachedMatch | None, draft: Draft) -> Done:
        """The events are durable: the match after them goes into the cache, into a snapshot if one is due, and the
        events to the feeds of this process."""
        last = draft.written[-1]
        event = EventWithState(last.stored, last.body, last.resolved, draft.match.state)
        if cached is None:
            cached = CachedMatch(draft.commit(), draft.secrets)  # `commit` puts the events on the timeline
        elif cached.match.version >= draft.match.version:
            # A refresh has read the events meanwhile, perhaps more of them, and put them on the timeline. It tells no
            # feed, so the feeds look; the answer is the match after our events.
            self._hub.catch_up(draft.match_id)
            return Done(draft.match, event)
        else:
            cached.match = draft.commit()
            cached.secrets = draft.secrets
        self.cache.put(cached)
        self.loader.snapshot_if_due(cached)
        if len(draft.written) == 1:
            self._hub.publish(cached.match, event)
        else:  # `event` is the last one only: the feeds read them all from the stream
            self._hub.catch_up(draft.match_id)
        return Done(cached.match, event)

    async def execute_as_server(self, match_id: str, write_events: Callable[[Draft], None]) -> Match | None:
        """The server's own event: `write_events` writes it on a draft of the newest version, or nothing if there is no
        reason any more. The match after it, or None.

        Raises UnknownMatch, IntegrityError, TryAgain, WrongStatus (voided), Refused."""

        async def write(draft: Draft) -> None:
            write_events(draft)

        done = await self.attempt(match_id, write, SERVER, fresh=True)
        return None if done.appended is None else done.match

    # ---- reading

    async def newest(self, match_id: str) -> Match:
        """The newest version, for workers: private or not. Raises UnknownMatch, IntegrityError."""
        return (await self.loader.current(match_id, fresh=True)).match

    def feed(self, match: Match, reader: Reader, after: int) -> Feed:
        """What comes after version `after`, for as long as the reader wants (feed.py)."""
        return self._hub.feed(match, reader, after)

    @property
    def feed_events_waiting(self) -> int:
        return self._hub.waiting

    async def close(self) -> None:
        """Waits for snapshots under way and ends every feed."""
        self._hub.close()
        self.integrity.close()
        await self.loader.settle()
        self._heavy_threads.close()
        self._brief_threads.close()
