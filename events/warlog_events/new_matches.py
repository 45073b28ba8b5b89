"""Matches that did not exist before: made by a player, by pairing, of a record, or as a rematch.

Each writes its first events on an empty draft, which `Matches.attempt` appends."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

import msgspec

import warlog_core

from .clock_and_random import World
from .errors import Accepted, BadParameter, IdempotencyKeyReused, TryAgain, VersionConflict, WarlogError
from .lookups import Lookups
from .match import records
from .match.commands import CreateMatch, Wanted
from .match.creation import (
    INVITATION_BYTES,
    Created,
    Imported,
    begin,
    begin_import,
    begin_paired,
    begin_rematch,
    check_import,
    game_of,
    invitation,
)
from .match.decide import too_long
from .match.draft import Draft
from .match.match import Match
from .match.model import SERVER, Player
from .match_settings import MatchSettings
from .memory.loading import Loader
from .players.before_append import BeforeAppend
from .redis.claims import Claim, Claims, Outlived
from .redis.idempotency import Key
from .redis.keys import match_id_of
from .redis.store import Store
from .results import Attempt, Done
from .threads import Threads

T = TypeVar("T")


class NewMatches:
    def __init__(
        self,
        attempt: Attempt,
        loader: Loader,
        store: Store,
        claims: Claims,
        world: World,
        lookups: Lookups,
        before_append: BeforeAppend,
        heavy_threads: Threads,
        settings: MatchSettings,
    ) -> None:
        self._attempt = attempt
        self._loader = loader
        self._claims = claims
        self._store = store
        self._world = world
        self._lookups = lookups
        self._before_append = before_append
        self._heavy_threads = heavy_threads
        self._settings = settings

    async def create(
        self,
        spec: CreateMatch,
        caller: Player,
        *,
        players: Mapping[str, Player] | None = None,
        key: Key | None = None,
    ) -> Created:
        """`players` names the player ids that occur in `spec.seats` (the caller looks them up). With a `key` that was
        used before, what was created then, as it was then.

        Raises UnknownGame, Refused (options, position), UnknownSeat, UnknownPlayer, UnknownScenario, BadParameter,
        Competitive (seats of several sides for one player), IdempotencyKeyReused."""
        if key is None:
            done, invitations = await self._create(
                self._store.new_match_id(),
                spec,
                caller,
                players or {},
                lambda seat: self._world.token_bytes(INVITATION_BYTES),
            )
            return Created(done.match, invitations)

        def secret_of(claim: Claim) -> Callable[[str], bytes]:
            return lambda seat: claim.secret(f"invitation {seat}", INVITATION_BYTES)

        async def make(match_id: str, claim: Claim) -> Done:
            done, _ = await self._create(match_id, spec, caller, players or {}, secret_of(claim), key)
            return done

        match, claim = await self._once(caller, key, make)
        return Created(match, {seat: invitation(secret_of(claim)(seat)) for seat in match.fold.invitations})

    async def _create(
        self,
        match_id: str,
        spec: CreateMatch,
        caller: Player,
        players: Mapping[str, Player],
        secret_of: Callable[[str], bytes],
        key: Key | None = None,
    ) -> tuple[Done, dict[str, str]]:
        """The match with the invitations to it."""
        beginning = None
        if isinstance(spec.scenario, str):
            if not isinstance(spec.position, msgspec.UnsetType):
                raise BadParameter("Give at most one of `position` and `scenario`.", path="/scenario")
            beginning = await self._lookups.scenario(spec.scenario, caller, spec.game)

        def first_events(draft: Draft) -> dict[str, str]:
            return begin(draft, spec, caller, players, beginning, secret_of)

        return await self._make(match_id, game_of(spec.game), caller.id, first_events, key)

    async def _once(
        self, caller: Player, key: Key, make: Callable[[str, Claim], Awaitable[Done]]
    ) -> tuple[Match, Claim]:
        """The match that `make` makes with this id, or that it made for an earlier request with this key, as it was
        then."""

        async def made(claim: Claim) -> tuple[Match, Claim]:
            match_id = match_id_of(claim.id(""), self._store.buckets)
            accepted = await self._loader.accepted(match_id, caller.id, key) if claim.known else None
            if accepted is None:
                try:
                    done = await make(match_id, claim)
                except (TryAgain, IdempotencyKeyReused):
                    raise
                except WarlogError as error:
                    # Perhaps an equal request, in another process, was faster.
                    accepted = await self._loader.accepted(match_id, caller.id, key)
                    if accepted is None and isinstance(error, VersionConflict):
                        raise Outlived() from error
                    if accepted is None:
                        raise
                else:
                    if done.accepted is None:
                        return done.match, claim
                    accepted = done.accepted
            return await self._as_of(match_id, accepted), claim

        return await self._claims.once(caller.id, key.key, key.digest, made)

    async def _as_of(self, match_id: str, accepted: Accepted) -> Match:
        now = await self._loader.current(match_id, fresh=True)
        return await self._loader.as_of(now.match, accepted)

    async def create_paired(self, match_id: str, wanted: Wanted, players: Sequence[Player]) -> Match:
        """The match of players who were paired (pairing.py), which starts at once.

        Raises VersionConflict where it has been made before, WrongStatus where it has been voided, Refused where
        a player may not sit down (`extra["player"]` names him)."""

        def first_events(draft: Draft) -> None:
            begin_paired(draft, wanted, players)

        done, _ = await self._make(match_id, game_of(wanted.game), SERVER, first_events)
        return done.match

    async def rematch(self, match_id: str, match: Match, caller: Player) -> None:
        """The rematch of `match`, unless it is there from an earlier try, here or in another process."""

        def first_events(draft: Draft) -> None:
            begin_rematch(draft, match)

        with suppress(VersionConflict):
            await self._make(match_id, game_of(match.game_name), caller.id, first_events)

    async def _make(
        self,
        match_id: str,
        game: warlog_core.Game,
        by: str,
        first_events: Callable[[Draft], T],
        key: Key | None = None,
    ) -> tuple[Done, T]:
        """The match, and what `first_events` returned. It is charged once, however often it is tried."""
        charged = False
        returned: list[T] = []

        async def write_events(draft: Draft) -> None:
            nonlocal charged
            returned.append(first_events(draft))
            if not charged:
                await self._before_append.charge(draft)
                charged = True

        done = await self._attempt(match_id, write_events, by, game=game, key=key)
        return done, returned[-1]

    async def import_record(
        self,
        record: Mapping[str, object],
        caller: Player,
        *,
        visibility: str = "public",
        key: Key | None = None,
    ) -> Imported:
        """A casual match whose seats are all the caller's, replayed and checked event by event. With a `key` that was
        used before, what was imported then, as it was then.

        Raises MalformedBody (not a record), BodyTooLarge (more events than one append takes), UnknownGame, Refused
        with the rule book's code, or with `bad_record` where draws, hashes, chain or versions do not fit
        (`extra["record_version"]` says where)."""
        if key is None:
            done, found = await self._import(self._store.new_match_id(), record, caller, visibility)
            return Imported(done.match, found)
        versions: dict[str, int] | None = None

        async def make(match_id: str, claim: Claim) -> Done:
            nonlocal versions
            done, versions = await self._import(match_id, record, caller, visibility, key)
            return done

        match, _ = await self._once(caller, key, make)
        if versions is None:  # made by another request: the record tells them
            _, versions = await self._replayed(match.id, record, caller, visibility)
        return Imported(match, versions)

    async def _import(
        self,
        match_id: str,
        record: Mapping[str, object],
        caller: Player,
        visibility: str,
        key: Key | None = None,
    ) -> tuple[Done, dict[str, int]]:
        self._store.check_growth(match_id)  # before all the work; the append checks it again
        await self._before_append.check_import(caller.id)
        replayed, versions = await self._replayed(match_id, record, caller, visibility)
        await self._before_append.charge(replayed)

        async def write_events(draft: Draft) -> None:
            await self._heavy_threads.run(lambda: draft.copy_events_of(replayed, self._store.append_time()))

        done = await self._attempt(match_id, write_events, caller.id, game=replayed.game, key=key)
        return done, versions

    async def _replayed(
        self, match_id: str, record: Mapping[str, object], caller: Player, visibility: str
    ) -> tuple[Draft, dict[str, int]]:
        """The match on a draft; the record's version, as text → the match's."""
        # In threads: thousands of actions take a while, for which no other request may wait.
        parsed = await self._heavy_threads.run(records.parse_record, record)
        if 0 < self._settings.events_per_match < len(parsed.events):
            raise too_long(len(parsed.events), self._settings.events_per_match)
        await self._heavy_threads.run(check_import, parsed, record)
        game = game_of(parsed.game, parsed.rules_version)
        replayed = Draft(
            match_id,
            game,
            None,
            self._store.append_time(),
            caller.id,
            {},
            self._world.token_bytes,
            self._settings.checkpoint_every_events,
        )
        versions = await self._heavy_threads.run(begin_import, replayed, parsed, caller, visibility)
        return replayed, {str(old): new for old, new in versions.items()}
