"""Matches that did not exist before: made by a player, by pairing, of a record, or as a rematch.

Each writes its first events on an empty draft, which `Matches.attempt` appends."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

import msgspec

import warlog_core

from .clock_and_random import World
from .errors import BadParameter, VersionConflict
from .lookups import Lookups
from .match import records
from .match.commands import CreateMatch, Wanted
from .match.creation import (
    Created,
    Imported,
    begin,
    begin_import,
    begin_paired,
    begin_rematch,
    check_import,
    game_of,
)
from .match.decide import too_long
from .match.draft import Draft
from .match.match import Match
from .match.model import SERVER, Player
from .players.before_append import BeforeAppend
from .redis.store import Store
from .results import Attempt, MatchSettings
from .threads import Threads

T = TypeVar("T")


class NewMatches:
    def __init__(
        self,
        attempt: Attempt,
        store: Store,
        world: World,
        lookups: Lookups,
        before: BeforeAppend,
        heavy: Threads,
        settings: MatchSettings,
    ) -> None:
        self._attempt = attempt
        self._store = store
        self._world = world
        self._lookups = lookups
        self._before = before
        self._heavy = heavy
        self._settings = settings

    async def create(
        self, spec: CreateMatch, caller: Player, *, players: Mapping[str, Player] | None = None
    ) -> Created:
        """`players` names the player ids that occur in `spec.seats` (the caller looks them up).

        Raises UnknownGame, Refused (options, position), UnknownSeat, UnknownPlayer, UnknownScenario, BadParameter,
        Competitive (seats of several sides for one player)."""
        beginning = None
        if isinstance(spec.scenario, str):
            if not isinstance(spec.position, msgspec.UnsetType):
                raise BadParameter("Give at most one of `position` and `scenario`.", path="/scenario")
            beginning = await self._lookups.scenario(spec.scenario, caller, spec.game)

        def first_events(draft: Draft) -> dict[str, str]:
            return begin(draft, spec, caller, players or {}, beginning)

        return Created(
            *await self._make(self._store.new_match_id(), game_of(spec.game), caller.id, first_events)
        )

    async def create_paired(self, match_id: str, wanted: Wanted, players: Sequence[Player]) -> Match:
        """The match of players who were paired (pairing.py), which starts at once.

        Raises VersionConflict where it has been made before, WrongStatus where it has been voided, Refused where
        a player may not sit down (`extra["player"]` names him)."""

        def first_events(draft: Draft) -> None:
            begin_paired(draft, wanted, players)

        match, _ = await self._make(match_id, game_of(wanted.game), SERVER, first_events)
        return match

    async def rematch(self, match_id: str, match: Match, caller: Player) -> None:
        """The rematch of `match`, unless it is there from an earlier try, here or in another process."""

        def first_events(draft: Draft) -> None:
            begin_rematch(draft, match)

        with suppress(VersionConflict):
            await self._make(match_id, game_of(match.game_name), caller.id, first_events)

    async def _make(
        self, match_id: str, game: warlog_core.Game, by: str, first_events: Callable[[Draft], T]
    ) -> tuple[Match, T]:
        """The match, and what `first_events` returned. It is charged once, however often it is tried."""
        charged = False
        returned: list[T] = []

        async def write_events(draft: Draft) -> None:
            nonlocal charged
            returned.append(first_events(draft))
            if not charged:
                await self._before.charge(draft)
                charged = True

        done = await self._attempt(match_id, write_events, by, game=game)
        return done.match, returned[-1]

    async def import_record(
        self, record: Mapping[str, object], caller: Player, *, visibility: str = "public"
    ) -> Imported:
        """A casual match whose seats are all the caller's, replayed and checked event by event.

        Raises MalformedBody (not a record), BodyTooLarge (more events than one append takes), UnknownGame, Refused
        with the rule book's code, or with `bad_record` where draws, hashes, chain or versions do not fit
        (`extra["record_version"]` says where)."""
        match_id = self._store.new_match_id()
        self._store.check_growth(match_id)  # before all the work; the append checks it again
        await self._before.check_import(caller.id)
        # In threads: thousands of actions take a while, for which no other request may wait.
        parsed = await self._heavy.run(records.parse_record, record)
        if 0 < self._settings.events_per_match < len(parsed.events):
            raise too_long(len(parsed.events), self._settings.events_per_match)
        await self._heavy.run(check_import, parsed, record)
        game = game_of(parsed.game, parsed.rules_version)
        replayed = Draft(
            match_id,
            game,
            None,
            self._store.at(),
            caller.id,
            {},
            self._world.token_bytes,
            self._settings.checkpoint_every_events,
        )
        versions = await self._heavy.run(begin_import, replayed, parsed, caller, visibility)
        await self._before.charge(replayed)

        async def write_events(draft: Draft) -> None:
            await self._heavy.run(lambda: draft.take_over(replayed, self._store.at()))

        done = await self._attempt(match_id, write_events, caller.id, game=game)
        return Imported(done.match, {str(old): new for old, new in versions.items()})
