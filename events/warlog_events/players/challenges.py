"""Who may challenge whom, and who may sit with whom.

A match may be made with a seat for somebody unless one of the two has blocked the other, or he has too many challenges.
Where one has blocked the other, neither proposes a rematch, nor takes a seat in a lobby in which the other is.

The challenged player is not asked before, so what others may lay before him is bounded. A player who is refused does
not hear why.
"""

from collections.abc import Iterable

from warlog_core.explain import pointer

from ..errors import NotChallenged, QuotaExceeded
from ..match.match import Match
from ..match.model import Player
from .quotas import Quotas
from .relations import Relations

YOU_HAVE = "You have blocked this player. Unblock the player first."
NOT_WITH_YOU = "A player of this match does not play with you at present."
YOU_HAVE_HERE = "You have blocked a player of this match. Unblock the player first."


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
        await self._check(proposer, match.holders.values(), "/proposal", YOU_HAVE)

    async def check_seat(self, match: Match, player: str) -> None:
        """The player is about to take a seat of a lobby, or to join it. Raises NotChallenged."""
        fold = match.fold
        people = [fold.creator, *fold.holders.values(), *(one.player for one in fold.joined)]
        await self._check(player, people, "", YOU_HAVE_HERE, NOT_WITH_YOU)

    async def _check(
        self, player: str, people: Iterable[Player], path: str, he_has: str, they_have: str = ""
    ) -> None:
        others = {other.id: other for other in people if other.id != player}
        if not others:
            return
        blocked = set(await self._relations.blocked(player))
        blocked_by = await self._relations.blocked_by(player, [*others])
        for other in others.values():
            if other.id in blocked:
                raise _refused(other, path, he_has)
            if other.id in blocked_by:
                raise _refused(other, path, they_have)


def _refused(player: Player, path: str, detail: str = "") -> NotChallenged:
    return NotChallenged(detail, path=path, extra={"player": player.id})
