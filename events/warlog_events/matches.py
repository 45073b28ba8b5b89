"""Matches: what the service calls. One `Matches` per process.

`Matches.attempt` is the one write path: it loads a match, lets `decide` write events on a draft, appends and publishes
them, and begins again if somebody was faster. A player's command, the server's own event, a new match, an import and a
rematch differ in their `decide`. No lock is held over the network: the append finds out who was first.

A `Match` is a value: the match as it was after one version. A newer one replaces it in the cache.
"""

import asyncio
from collections.abc import Callable, Mapping

import warlog_core

from .clock_and_random import World
from .errors import ClockSkew, IntegrityError, Repeated, TryAgain, VersionConflict, WarlogError
from .lookups import Lookups, ScenarioLookup
from .match.draft import Draft
from .match.match import Match
from .match.model import SERVER, STRANGER, Reader
from .match.stakes import AccountsBrought, AccountsNeeded
from .match.timeline import Forgotten
from .memory.cache import Cache, CachedMatch
from .memory.integrity import Integrity
from .memory.loading import Loader
from .new_matches import NewMatches
from .player_commands import PlayerCommands
from .players.before_append import BeforeAppend
from .players.presence import Presence
from .players.quotas import Quotas
from .players.stakes import Stakes
from .reading.admission import Admission
from .reading.feed import Feed, Hub
from .reading.past import Past
from .reading.replayed import ReplayedEvent
from .redis.append_notices import Watch
from .redis.idempotency import Idempotency
from .redis.store import Append, Store
from .results import Decide, Done, Key, MatchSettings
from .statistics import Counts
from .threads import Threads
from .workers.lobby import index_json

TRIES = 100
CLOCK_TRIES = 5  # of a new match, each with the time of the moment
HEAVY_AT_ONCE = 2


class Matches:
    """load, readable               a match for a reader (reading/admission.py)
    create, seat, import_record  new matches (new_matches.py)
    execute, again               a player's command, and a repeated one (player_commands.py)
    past                         reading what has happened (reading/past.py)
    integrity                    what is in memory compared with what is stored (memory/integrity.py)
    counts                       what has been done here (statistics.py)
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
        heavy: Threads | None = None,
        brief: Threads | None = None,
    ) -> None:
        """`watch` None: feeds follow this process's own appends alone. `heavy`, `brief`: threads for whole matches
        (verifying, importing), which take seconds, and for pages of a notation."""
        self._heavy = heavy or Threads("heavy", HEAVY_AT_ONCE)
        self._brief = brief or Threads("brief", HEAVY_AT_ONCE)
        self.store = store
        self.world = world
        self.settings = settings or MatchSettings()
        self.counts = Counts()
        self.cache = Cache(self.settings.hot_bytes_max)
        self.integrity = Integrity(
            store,
            self.cache,
            self.counts,
            shown=lambda: self._hub.positions,
            broken=lambda match_id: self._hub.broken(match_id),
        )
        self._loader = Loader(
            store,
            self.cache,
            self.counts,
            self.integrity,
            checkpoint_every=self.settings.checkpoint_every_events,
            snapshot_every=self.settings.snapshot_every_events,
        )
        admission = Admission(store, self._loader, presence)
        self.load, self.readable = admission.load, admission.readable
        lookups = Lookups(self.load, scenario, self._heavy)
        self._before = before = BeforeAppend(stakes, quotas, presence)
        new = NewMatches(self.attempt, store, world, lookups, before, self._heavy, self.settings)
        self.create, self.seat, self.import_record = new.create, new.seat, new.import_record
        self.past = Past(self._loader, self._heavy, self._brief)
        commands = PlayerCommands(
            self.attempt, self._loader, self.past, admission, lookups, before, presence, new, self.settings
        )
        self.execute, self.again = commands.execute, commands.again
        self._hub = Hub(
            self.past,
            watch,
            self.settings.feed_events_max,
            world.now_ms,
            fed=lambda at: self.counts.feed_lags.add(max(world.now_ms() - at, 0) / 1000),
            forked=self.integrity.contradicts,
        )

    # ---- reading

    async def head(self, match_id: str) -> Match:
        """The newest version, for workers: private or not. Raises UnknownMatch, IntegrityError."""
        return (await self._loader.hot(match_id, fresh=True)).match

    def game_name(self, match_id: str) -> str:
        """Of a match in memory; "" for any other."""
        hot = self.cache.get(match_id)
        return "" if hot is None else hot.match.game_name

    def feed(self, match: Match, reader: Reader, after: int) -> Feed:
        """What comes after version `after`, for as long as the reader wants (feed.py)."""
        return self._hub.feed(match, reader, after)

    @property
    def feed_events_waiting(self) -> int:
        return self._hub.waiting

    async def execute_as_server(self, match_id: str, decide: Callable[[Draft], None]) -> Match | None:
        """The server's own event: `decide` writes it on a draft of the newest version, or nothing if there is no
        reason any more. The match after it, or None.

        Raises UnknownMatch, IntegrityError, TryAgain, WrongStatus (voided), Refused."""

        async def decided(draft: Draft) -> None:
            decide(draft)

        done = await self.attempt(match_id, decided, SERVER, fresh=True)
        return None if done.appended is None else done.match

    # ---- the write path

    async def attempt(
        self,
        match_id: str,
        decide: Decide,
        by: str,
        *,
        game: warlog_core.Game | None = None,
        fresh: bool = False,
        key: Key | None = None,
        acting: str | None = None,
    ) -> Done:
        """Loads the match, lets `decide` write events on a draft, appends them atomically, publishes them; and again if
        somebody was faster.

        by      the author: a player's id or SERVER
        game    of a match that is to be made; None: there is one
        fresh   Redis is asked first whether there is anything newer than in memory
        key     under which it is kept that this command was accepted
        acting  the seat whose deadline must not have passed

        Raises what `decide` raises for the newest version, and what `Store.append` raises."""
        hot = await self._loader.hot(match_id, fresh=fresh) if game is None else None
        brought: Mapping[str, AccountsBrought] = {}
        beaten: Match | None = None
        for number in range(TRIES):
            draft = self._draft(match_id, hot, game, by, brought, beaten)
            try:
                await decide(draft)
            except AccountsNeeded as needed:
                brought = await self._before.accounts(draft, needed)
                continue
            except Forgotten:
                hot = await self._loader.cold(match_id, whole=True)
                continue
            except WarlogError:
                if draft.began is None:
                    raise
                # Perhaps only what is in memory is old, or the same command was accepted before.
                earlier = await self._loader.accepted(match_id, by, key)
                hot = await self._loader.hot(match_id, fresh=True)
                if earlier is not None:
                    return Done(hot.match, earlier=earlier)
                if hot.match.version == draft.began.version:
                    raise
                continue
            if not draft.written:
                return Done(draft.match)
            try:
                await self._append(draft, key, acting)
            except VersionConflict:
                if hot is None:
                    raise
                self.counts.conflicts += 1
                beaten = draft.began
                hot = await self._loader.hot(match_id, fresh=hot.match is beaten)
                continue
            except ClockSkew:
                if hot is not None:
                    # The time of the newest event may be damaged: then loading raises IntegrityError.
                    hot = await self._loader.hot(match_id, fresh=True)
                elif number >= CLOCK_TRIES:
                    raise
                continue
            except Repeated as repeated:
                hot = await self._loader.hot(match_id, fresh=True)
                return Done(hot.match, earlier=repeated.accepted)
            return self._publish(hot, draft)
        newest = 0 if hot is None else hot.match.version
        raise VersionConflict("Too many others act in this match at once; try again.", version=newest)

    def _draft(
        self,
        match_id: str,
        hot: CachedMatch | None,
        game: warlog_core.Game | None,
        by: str,
        brought: Mapping[str, AccountsBrought],
        beaten: Match | None,
    ) -> Draft:
        world, every = self.world.token_bytes, self.settings.checkpoint_every_events
        if hot is None:
            assert game is not None
            return Draft(match_id, game, None, self.store.at(), by, {}, world, every, brought)
        match = hot.match
        at = self.store.at(match.fold.updated_at)
        # By position: a class is called with names through a dict of them.
        return Draft(match_id, match.game, match, at, by, hot.secrets, world, every, brought, beaten)

    async def _append(self, draft: Draft, key: Key | None, acting: str | None) -> None:
        """Raises what Store.append raises."""
        match, before = draft.match, draft.began
        self.counts.redis_appends += 1
        match.stored_frame = frame = match.frame_json()
        stored = before.stored_frame if before is not None and before.status == match.status else b""
        known = stored == frame and match.status != "lobby"
        clocked = before is None or bool(match.deadlines or before.deadlines)
        append = Append(
            match=draft.match_id,
            expected_version=0 if before is None else before.version,
            expected_chain="" if before is None else before.fold.chain,
            events=[one.stored for one in draft.written],
            moving=match.moving_json(STRANGER),
            frame=b"" if known else frame,
            index=b"" if known else index_json(match),
            status=match.status,
            to_act=match.to_act,
            secrets=draft.new_secrets,
            idempotency=None if key is None else Idempotency(draft.by, key.key, key.digest, match.deadlines),
            deadlines=match.deadlines if clocked else None,
            acting_seat=acting if clocked else None,
            invited=match.fold.invitations if before is None else {},
        )
        try:
            await self.store.append(append)
        except ClockSkew:
            raise
        except (TryAgain, asyncio.CancelledError):
            # Whether it was appended is not known. Nothing in memory is trusted any more, and our own feeds look for
            # themselves, over the same connection and so after the append: no other process tells them of it.
            self.cache.drop(draft.match_id)
            self._hub.catch_up(draft.match_id)
            raise
        except IntegrityError as error:
            await self.integrity.freeze(draft.match_id, error)
            raise

    def _publish(self, hot: CachedMatch | None, draft: Draft) -> Done:
        """The events are durable: the cache gets the match after them, then the feeds of this process get them."""
        last = draft.written[-1]
        event = ReplayedEvent(last.stored, last.body, last.resolved, draft.match.state)
        if hot is None:
            hot = CachedMatch(draft.commit(), draft.secrets)
        elif hot.match.version >= draft.match.version:
            self._hub.catch_up(draft.match_id)  # a refresh has read them meanwhile, but has told nobody
            return Done(draft.match, event)
        else:
            hot.match = draft.commit()
            hot.secrets = draft.secrets
        self.cache.put(hot)
        self._loader.keep(hot)
        if len(draft.written) == 1:
            self._hub.publish(hot.match, event)
        else:
            self._hub.catch_up(draft.match_id)
        return Done(hot.match, event)

    async def close(self) -> None:
        """Waits for snapshots under way and ends every feed."""
        self._hub.close()
        self.integrity.close()
        await self._loader.settle()
        self._heavy.close()
        self._brief.close()
