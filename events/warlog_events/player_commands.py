"""Executes a player's command: checks that he may know of the match (reading/admission.py), writes the events by
match/decide.py (`write_events`), and appends them by `Matches.attempt`."""

from collections.abc import Awaitable

from .errors import Accepted, IntegrityError, WarlogError
from .lookups import Lookups
from .match.commands import Act, AnyCommand, Join, Propose, Rematch, TakeSeat
from .match.decide import check_known, check_length, check_proposal_bytes, check_version, decide_command
from .match.draft import Draft
from .match.match import Match
from .match.model import Player
from .match.proposals import NOTHING, DecisionContext, Found
from .match_settings import MatchSettings
from .memory.loading import Loader
from .new_matches import NewMatches
from .players.before_append import BeforeAppend
from .players.presence import Presence
from .reading.admission import Admission
from .reading.past import Past
from .redis.idempotency import Key
from .results import Attempt, Done


class PlayerCommands:
    def __init__(
        self,
        attempt: Attempt,
        loader: Loader,
        past: Past,
        admission: Admission,
        lookups: Lookups,
        before_append: BeforeAppend,
        presence: Presence | None,
        new: NewMatches,
        settings: MatchSettings,
    ) -> None:
        self._attempt = attempt
        self._loader = loader
        self._past = past
        self._admission = admission
        self._lookups = lookups
        self._before_append = before_append
        self._presence = presence
        self._new = new
        self._settings = settings

    async def execute(
        self,
        match_id: str,
        command: AnyCommand,
        player: Player,
        if_match: int | None = None,
        key: Key | None = None,
    ) -> Done:
        """Appends what the command leads to: one event, seldom two, or all events of a record where a `prepare`
        starts a match from it.

        if_match  the version that the match must have, if the sender names one

        If `key` was used before, nothing is appended and `Done.accepted` is set: `first_answer` gives what it got then.

        Raises the errors that warlog_service/routes/commands.py lists for each of its routes."""
        try:
            try:
                await self._admission.admit(match_id, player.id, command)
                found = NOTHING
                if isinstance(command, Propose):
                    command, found = await self._lookups.proposed(match_id, command, player)
            except WarlogError:
                # The same command may have been accepted before: the player left the match by it, or what it names has
                # gone since.
                accepted = await self._loader.accepted(match_id, player.id, key)
                if accepted is None:
                    raise
                return Done((await self._loader.current(match_id, fresh=True)).match, accepted=accepted)
            return await self._attempt_command(match_id, command, player, if_match, key, found)
        except IntegrityError:
            # Who may not know of the match gets UnknownMatch instead.
            await self._admission.check_known_though_damaged(match_id, player.id)
            raise

    def _attempt_command(
        self,
        match_id: str,
        command: AnyCommand,
        player: Player,
        if_match: int | None,
        key: Key | None,
        found: Found,
    ) -> Awaitable[Done]:
        context = DecisionContext(self._loader.counts, self._loader.store.rematch_id, found)
        # `draft.at` of the first call of `write_events`. For `check_version`, what others appended before that time is
        # older than this command.
        first_decided_ms = 0
        rematch: str | None = None  # that an earlier call has made

        async def write_events(draft: Draft) -> None:
            nonlocal first_decided_ms, rematch
            first_decided_ms = first_decided_ms or draft.at
            before = draft.match  # nothing is written yet
            # First: any other refusal would tell that there is such a match. `admit` asked the same of memory or Redis,
            # before anything was loaded; only the loaded match is sure.
            check_known(before, command, player)
            if self._presence is not None:
                self._presence.note_call(before, player.id)
            check_version(draft, command, if_match, first_decided_ms)
            decide_command(draft, command, player, context)
            # From here on `draft.match` is the match after the event.
            check_proposal_bytes(draft, self._settings.proposal_bytes_per_match)
            check_length(draft, command, self._settings.events_per_match)
            if isinstance(command, Act):
                return
            if isinstance(command, Propose) and isinstance(command.proposal, Rematch):
                await self._before_append.check_rematch(before, player.id)
            if isinstance(command, Join) or (isinstance(command, TakeSeat) and not command.player):
                await self._before_append.check_seat(before, player.id)
            # What follows is for commands that may start a match, or agree on a rematch.
            await self._before_append.secure(draft)
            agreed = draft.match.fold.rematch
            if agreed is not None and agreed not in (before.fold.rematch, rematch):
                await self._new.rematch(agreed, before, player)
                rematch = agreed

        return self._attempt(
            match_id,
            write_events,
            player.id,
            key=key,
            acting_seat=command.seat if isinstance(command, Act) else None,
        )

    async def first_answer(self, match: Match, accepted: Accepted) -> Done:
        """What `execute` returned when the command that is now repeated was accepted.

        match     as it is now
        accepted  what was kept under the key (`Done.accepted`)

        Raises IntegrityError, and UnknownMatch if the match was archived while it was read."""
        match = await self._loader.as_of(match, accepted)
        [event] = await self._past.each(match, match.version - 1, 1, lambda _, event: event)
        return Done(match, event)
