"""The newest head of each, in memory, the least recently used leaving first."""

from collections import OrderedDict

from ..match.match import Match

_WEIGHT_OF_A_MATCH = 20_000  # bytes beside its timeline, roughly: state, facts, options


class CachedMatch:
    """match        the newest head that this process knows
    secrets      commitment → seed in hex
    snapshot_version  version of the newest snapshot that is known to exist, 0 for none
    """

    def __init__(self, match: Match, secrets: dict[str, str], snapshot_version: int = 0) -> None:
        self.match = match
        self.secrets = secrets
        self.snapshot_version = snapshot_version
        self.weight = 0


class Cache:
    """`weight_max` in bytes, roughly. At least one match stays, however heavy."""

    def __init__(self, weight_max: int) -> None:
        self.weight_max = weight_max
        self.weight = 0
        self._hot: OrderedDict[str, CachedMatch] = OrderedDict()

    def __len__(self) -> int:
        return len(self._hot)

    def get(self, match_id: str) -> CachedMatch | None:
        hot = self._hot.get(match_id)
        if hot is not None:
            self._hot.move_to_end(match_id)
        return hot

    def head(self, match_id: str) -> Match | None:
        """The newest head, without having been used."""
        hot = self._hot.get(match_id)
        return None if hot is None else hot.match

    @property
    def heads(self) -> list[Match]:
        """All of them, without having been used."""
        return [hot.match for hot in self._hot.values()]

    def put(self, hot: CachedMatch) -> None:
        """Also to be called when a match has grown, which has been asked for before."""
        match_id = hot.match.id
        if (old := self._hot.get(match_id)) is not hot:
            if old is not None:
                self.weight -= old.weight
            hot.weight = 0
            self._hot[match_id] = hot
            self._hot.move_to_end(match_id)
        weight = hot.match.timeline.weight + _WEIGHT_OF_A_MATCH
        self.weight += weight - hot.weight
        hot.weight = weight
        while self.weight > self.weight_max and len(self._hot) > 1:
            _, gone = self._hot.popitem(last=False)
            self.weight -= gone.weight

    def drop(self, match_id: str) -> None:
        gone = self._hot.pop(match_id, None)
        if gone is not None:
            self.weight -= gone.weight

    def clear(self) -> None:
        self._hot.clear()
        self.weight = 0
