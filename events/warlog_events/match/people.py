"""Who sits where in a match, and whose match it is."""

from .fold import Fold


class People:
    """Worked out once for as long as nobody comes or goes: no action changes it.

    seated   player's id → his seats, in seat order
    members  ids of those who hold a seat, have joined, or created the match
    players  how many different players hold a seat
    """

    def __init__(self, fold: Fold) -> None:
        self._seats, self._holders, self._joined = fold.seats, fold.holders, fold.joined
        of: dict[str, tuple[str, ...]] = {}
        for seat in fold.seats:
            if seat in fold.holders:
                player = fold.holders[seat].id
                of[player] = (*of.get(player, ()), seat)
        self.seated = of
        self.players = len(of)
        self.members = frozenset({*of, *(entry.player.id for entry in fold.joined), fold.creator.id})

    def seats_of(self, player_id: str | None) -> tuple[str, ...]:
        """In seat order."""
        return () if player_id is None else self.seated.get(player_id, ())

    def fit(self, fold: Fold) -> bool:
        """Do they hold for this match still?"""
        return self._holders is fold.holders and self._joined is fold.joined and self._seats is fold.seats
