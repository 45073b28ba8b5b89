"""Who may challenge whom: a match may be made with a seat for somebody unless one of the two has blocked the other, or
he has too many challenges. Nor is a rematch proposed where one has blocked the other.

The challenged player is not asked before, so what others may lay before him is bounded. Who is refused does not hear
why.
"""

from warlog_core.explain import pointer

from ..errors import NotChallenged, QuotaExceeded
from ..match.match import Match
from ..match.model import Player
from .quotas import Quotas
from .relations import Relations

YOU_HAVE = "You have blocked this player. Unblock the player first."


class Challenges:
    def __init__(self, relations: Relations, quotas: Quotas) -> None:
        self._relations = relations
        self._quotas = quotas

    async def reserve(self, match: Match) -> None:
        """`match` is about to be made. Raises NotChallenged."""
        fold = match.fold
        players = {fold.holders[seat].id: seat for seat in reversed(fold.challenged)}
        if not players:
            return
        blocked = set(await self._relations.blocked(fold.creator.id))
        blocked_by = await self._relations.blocked_by(fold.creator.id, [*players])
        for player, seat in players.items():
            if player in blocked:
                raise _refused(fold.holders[seat], pointer("seats", seat), YOU_HAVE)
            if player in blocked_by:
                raise _refused(fold.holders[seat], pointer("seats", seat))
        for player, seat in players.items():
            try:
                await self._quotas.reserve_challenge(player, match.id)
            except QuotaExceeded:
                raise _refused(fold.holders[seat], pointer("seats", seat)) from None

    async def check_rematch(self, match: Match, proposer: str) -> None:
        """Raises NotChallenged."""
        others = {holder.id: holder for holder in match.holders.values() if holder.id != proposer}
        blocked = set(await self._relations.blocked(proposer))
        blocked_by = await self._relations.blocked_by(proposer, [*others])
        for other, holder in others.items():
            if other in blocked:
                raise _refused(holder, "/proposal", YOU_HAVE)
            if other in blocked_by:
                raise _refused(holder, "/proposal")


def _refused(player: Player, path: str, detail: str = "") -> NotChallenged:
    return NotChallenged(detail, path=path, extra={"player": player.id})
