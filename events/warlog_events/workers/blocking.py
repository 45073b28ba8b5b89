"""A player blocks another: the challenges of the other that wait for the player's answer are declined."""

from contextlib import suppress

import msgspec
from msgspec.structs import replace

from ..errors import IntegrityError, NoChallenge, UnknownMatch
from ..match.commands import Decline
from ..match.model import Player
from ..matches import Matches
from ..players.relations import Related, Relations
from .lobby import Lobby
from .pairing import Pairing

PAGE = 50


class _Lobbies(msgspec.Struct, frozen=True):
    """A query of the caller's own lobbies (lobby.Query)."""

    game: str | None = None
    status: str | None = "lobby"
    mode: str | None = None
    player: str | None = "me"
    open: bool = False
    turn: str | None = None
    watchable: bool = False
    after: str | None = None


class _Player(msgspec.Struct):
    id: str


class _Seat(msgspec.Struct):
    player: _Player | None
    challenged: bool = False


class _Summary(msgspec.Struct):
    """What of a lobby's summary is looked at here."""

    id: str
    creator: _Player
    seats: list[_Seat]

    def challenges(self, player: str) -> bool:
        return any(seat.challenged and seat.player == _Player(player) for seat in self.seats)


_summary = msgspec.json.Decoder(_Summary)


class Blocking:
    def __init__(self, relations: Relations, pairing: Pairing, lobby: Lobby, matches: Matches) -> None:
        self._relations = relations
        self._pairing = pairing
        self._lobby = lobby
        self._matches = matches

    async def block(self, player: Player, other: str) -> Related:
        """However often. Challenges of the other that wait for the player are declined, and the block is not told.

        Raises UnknownPlayer, BadParameter, QuotaExceeded."""
        blocked = await self._relations.add("blocked", player.id, other)
        await self._pairing.avoid(player.id)
        for match in await self._challenges(other, player.id):
            with suppress(
                NoChallenge, UnknownMatch, IntegrityError
            ):  # it is over, or cannot be taken any more
                await self._matches.player_commands.execute(match, Decline("not_now"), player)
        return blocked

    async def _challenges(self, maker: str, player: str) -> list[str]:
        """The matches in which the maker has given the player a seat, and waits for his answer."""
        found: list[str] = []
        query = _Lobbies()
        while True:
            page, after = await self._lobby.matches(query, player, PAGE)
            lobbies = map(_summary.decode, page)
            found += [one.id for one in lobbies if one.creator.id == maker and one.challenges(player)]
            if after is None:
                return found
            query = replace(query, after=after)
