"""The names of players whom events name by id alone, from their accounts."""

from collections.abc import Iterable, Mapping

from ..match.bots import HOUSE, house
from ..match.names import unnamed
from ..match.stored import StoredEvent
from ..redis.store import Store
from ..statistics import Counts

REMEMBERED_MAX = 50_000
NOBODY: Mapping[str, str] = {}


class Names:
    """What a process knows of names. They never change, so that what is remembered is never wrong."""

    def __init__(self, store: Store, counts: Counts) -> None:
        self._store = store
        self._counts = counts
        self._known: dict[str, str] = {}

    async def of(self, events: Iterable[StoredEvent]) -> Mapping[str, str]:
        """Player id → name, of all players whose names the events do not say; "" for one without an account.

        One round trip where somebody is not known yet. Raises Unavailable."""
        players = unnamed(events)
        if not players:
            return NOBODY
        found = {player: self._known[player] for player in players if player in self._known}
        found |= {player: house(HOUSE[player]).name for player in players if player in HOUSE}
        if missing := sorted(players.difference(found)):
            self._counts.redis_reads += 1
            new = await self._store.names(missing)
            found |= dict.fromkeys(missing, "") | new
            if len(self._known) + len(new) > REMEMBERED_MAX:
                self._known.clear()
            self._known |= new
        return found
