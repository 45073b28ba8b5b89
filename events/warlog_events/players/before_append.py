"""What must be done elsewhere before events of a match are appended: gold is set aside, a quota is charged, the
absence of players is watched. If the append then fails, this is given back later (stakes.py, quotas.py)."""

from collections.abc import Mapping

from ..errors import QuotaExceeded, Refused
from ..match.draft import Draft
from ..match.match import Match
from ..match.stakes import AccountsBrought, AccountsNeeded
from .challenges import Challenges
from .presence import Presence
from .quotas import Quotas
from .stakes import Stakes


class BeforeAppend:
    """`stakes` None: players bring nothing. `quotas` None: there may be any number of everything. `presence` None:
    nobody's absence is watched. `challenges` None: everybody may challenge everybody."""

    def __init__(
        self,
        stakes: Stakes | None,
        quotas: Quotas | None,
        presence: Presence | None,
        challenges: Challenges | None = None,
    ) -> None:
        self._challenges = challenges
        self._stakes = stakes
        self._quotas = quotas
        self._presence = presence

    async def accounts(self, draft: Draft, needed: AccountsNeeded) -> Mapping[str, AccountsBrought]:
        """What the players who are needed bring, by id."""
        if self._stakes is None:
            return dict.fromkeys(needed.players, AccountsBrought())
        return await self._stakes.brought(draft.match_id, draft.game, needed)

    async def check_import(self, player: str) -> None:
        """Before the work of one. Raises QuotaExceeded."""
        if self._quotas is not None:
            await self._quotas.check_import(player)

    async def check_rematch(self, match: Match, proposer: str) -> None:
        """Before one is proposed. Raises NotChallenged."""
        if self._challenges is not None:
            await self._challenges.check_rematch(match, proposer)

    async def check_seat(self, match: Match, player: str) -> None:
        """Before the player takes a seat of a lobby, or joins it. Raises NotChallenged."""
        if self._challenges is not None:
            await self._challenges.check_seat(match, player)

    async def secure(self, draft: Draft) -> None:
        """Sets gold aside for the draft's events; a match that is to start is watched from now on.

        Raises Refused (insufficient_gold, too_few_matches)."""
        if self._stakes is not None:
            await self._stakes.secure(draft.before, draft.match)
        began = draft.before is not None and draft.before.flee_seconds is not None
        if self._presence is not None and draft.match.flee_seconds is not None and not began:
            await self._presence.watch(draft.match)

    async def charge(self, draft: Draft) -> None:
        """A new match is charged to the player who makes it, and secured.

        Raises QuotaExceeded, Refused, NotChallenged."""
        if self._challenges is not None:
            await self._challenges.reserve(draft.match)
        try:
            if self._quotas is not None:
                await self._quotas.reserve(draft.match)
            await self.secure(draft)
        except (QuotaExceeded, Refused):
            if self._quotas is not None:
                await self._quotas.release(draft.match)
            raise
