"""May this player know that there is such a match? Answered before anything of it is loaded.

A member, or anybody who asks for a public match, is let in at once if the match is in memory. Everybody else costs one
round trip to Redis, whether the match is private, unknown or in memory: so neither the refusal nor its time tells a
stranger that there is a private match. Nothing is replayed for this question, and damage is not noticed. A player who
is let in is still checked against the match itself, once that is loaded.
"""

from ..errors import IntegrityError, UnknownMatch
from ..match.commands import AnyCommand, TakeSeat
from ..match.match import Match
from ..match.model import encode
from ..match.seating import invitation_hash
from ..memory.loading import Loader
from ..players.presence import Presence
from ..redis.store import Store

_UNKNOWN: tuple[str, frozenset[str]] = ("private", frozenset())


class Admission:
    """Matches for players who may know of them. `presence` None: calls are not noted."""

    def __init__(self, store: Store, loader: Loader, presence: Presence | None) -> None:
        self._store = store
        self._loader = loader
        self._presence = presence

    async def admit(self, match_id: str, player_id: str | None, command: AnyCommand | None = None) -> None:
        """Asks Redis, unless the match is in memory and may be known to the player. A seat of a private match may be
        taken by the player who brings its invitation (`command`). Raises UnknownMatch."""
        if may_know_in_memory(self._loader.cache.newest(match_id), player_id):
            return
        self._loader.counts.redis_reads += 1
        member = b"" if player_id is None else encode(player_id)
        invited = b""
        if isinstance(command, TakeSeat):
            invited = b"%b:%b" % (encode(command.seat), encode(invitation_hash(command.invitation)))
        if not self._store.is_id(match_id) or not await self._store.admits(match_id, member, invited):
            raise UnknownMatch()

    async def load(self, match_id: str, player_id: str | None, *, fresh: bool = True) -> Match:
        """The newest version. fresh=True asks Redis whether there is anything newer (one round trip); otherwise a
        match in memory is given as it is. Raises UnknownMatch, also to a non-member of a private match;
        IntegrityError."""
        await self.admit(match_id, player_id)
        try:
            match = (await self._loader.current(match_id, fresh=fresh)).match
        except IntegrityError:
            await self.check_known_though_damaged(match_id, player_id)
            raise
        if not match.may_know(player_id):
            raise UnknownMatch()
        self._note_call(match, player_id)
        return match

    async def readable(self, match_id: str, player_id: str | None) -> Match:
        """The newest version; of a damaged match, the last one before the damage. For reading alone.

        Raises UnknownMatch, IntegrityError where nothing of it can be read."""
        await self.admit(match_id, player_id)
        try:
            match = await self._loader.readable(match_id)
        except IntegrityError:
            await self.check_known_though_damaged(match_id, player_id)
            raise
        if not match.may_know(player_id) and not await self._loader.came_later(match, player_id):
            raise UnknownMatch()
        self._note_call(match, player_id)
        return match

    def _note_call(self, match: Match, player_id: str | None) -> None:
        if player_id is not None and self._presence is not None:
            self._presence.note_call(match, player_id)

    async def check_known_though_damaged(self, match_id: str, player_id: str | None) -> None:
        """Whether a player may know of a match comes before what is wrong with it. Raises UnknownMatch."""
        if not await self._loader.may_know_damaged(match_id, player_id):
            raise UnknownMatch() from None


def may_know_in_memory(match: Match | None, player_id: str | None) -> bool:
    """`Match.may_know` of a match in memory; False where it is not there. Takes the same steps for a private match as
    for none, so that their time is the same."""
    visibility, members = _UNKNOWN if match is None else (match.fold.visibility, match.people.members)
    return player_id in members or visibility == "public"
