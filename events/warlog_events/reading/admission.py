"""May this player know that there is such a match? Answered before anything of it is loaded.

To others a private match is like one that never was: the same refusal, and as soon. So the question goes to Redis for
either, though the match be in memory, and costs one round trip. Nothing is replayed for it, and what may be wrong with
the match is not noticed. Who is let in is still to be held against the match itself.
"""

from ..errors import UnknownMatch
from ..match.commands import AnyCommand, TakeSeat
from ..match.decide import invitation_hash
from ..match.match import Match
from ..match.model import encode
from ..redis.store import Store

_UNKNOWN: tuple[str, frozenset[str]] = ("private", frozenset())


def may_know_at_hand(match: Match | None, player_id: str | None) -> bool:
    """Match.may_know of a match in memory; False where it is not there, after as many steps."""
    visibility, members = _UNKNOWN if match is None else (match.fold.visibility, match.members)
    return player_id in members or visibility == "public"


async def admit(
    store: Store, match_id: str, player_id: str | None, command: AnyCommand | None = None
) -> None:
    """Raises UnknownMatch. A seat of a private match may be taken by who brings its invitation (`command`)."""
    member = b"" if player_id is None else encode(player_id)
    invited = b""
    if isinstance(command, TakeSeat):
        invited = b"%b:%b" % (encode(command.seat), encode(invitation_hash(command.invitation)))
    if not store.is_id(match_id) or not await store.admits(match_id, member, invited):
        raise UnknownMatch()
