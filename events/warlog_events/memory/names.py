"""The names of players whom events name by id alone, from their accounts."""

from collections.abc import Iterable, Mapping

from ..match.bots import HOUSE, house
from ..match.names import SOMEBODY, players_in
from ..match.stored import StoredEvent
from ..redis.store import Store
from ..statistics import Counts

REMEMBERED_MAX = 50_000
NOBODY: Mapping[str, str] = {}


class Names:
    """What a process knows of names. They do not change, until their players leave for good (`forget`)."""

    def __init__(self, store: Store, counts: Counts) -> None:
        self._store = store
        self._counts = counts
        self._known: dict[str, str] = {}

    async def of(self, events: Iterable[StoredEvent]) -> Mapping[str, str]:
        """Player id → name, of all players in the events; "" for one without an account, SOMEBODY for one who has left
        for good.

        One round trip where somebody is not known yet. Raises Unavailable."""
        players = players_in(events)
        if not players:
            return NOBODY
        found = {player: self._known[player] for player in players if player in self._known}
        found |= {player: house(HOUSE[player]).name for player in players if player in HOUSE}
        if missing := sorted(players.difference(found)):
            self._counts.redis_reads += 1
            new = await self._store.names(missing)
            new = {player: name or SOMEBODY for player, name in new.items()}
            found |= dict.fromkeys(missing, "") | new
            if len(self._known) + len(new) > REMEMBERED_MAX:
                self._known.clear()
            self._known |= new
        return found

    def forget(self, player: str) -> None:
        """He has left for good."""
        self._known.pop(player, None)
