"""The matches in memory, each after its newest version that this process knows; the least recently used leave first."""

from collections import OrderedDict

from ..match.match import Match

_WEIGHT_OF_A_MATCH = 20_000  # bytes beside its timeline, roughly: state, facts, options


class CachedMatch:
    """match        after the newest version that this process knows
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
        self._cached: OrderedDict[str, CachedMatch] = OrderedDict()

    def __len__(self) -> int:
        return len(self._cached)

    def get(self, match_id: str) -> CachedMatch | None:
        cached = self._cached.get(match_id)
        if cached is not None:
            self._cached.move_to_end(match_id)
        return cached

    def newest(self, match_id: str) -> Match | None:
        """The match; it does not count as used."""
        cached = self._cached.get(match_id)
        return None if cached is None else cached.match

    @property
    def all_newest(self) -> list[Match]:
        """All of them; they do not count as used."""
        return [cached.match for cached in self._cached.values()]

    def put(self, cached: CachedMatch) -> None:
        """Also to be called when a match has grown, which has been asked for before."""
        match_id = cached.match.id
        if (old := self._cached.get(match_id)) is not cached:
            if old is not None:
                self.weight -= old.weight
            cached.weight = 0
            self._cached[match_id] = cached
            self._cached.move_to_end(match_id)
        weight = cached.match.timeline.weight + _WEIGHT_OF_A_MATCH
        self.weight += weight - cached.weight
        cached.weight = weight
        while self.weight > self.weight_max and len(self._cached) > 1:
            _, gone = self._cached.popitem(last=False)
            self.weight -= gone.weight

    def drop(self, match_id: str) -> None:
        gone = self._cached.pop(match_id, None)
        if gone is not None:
            self.weight -= gone.weight

    def clear(self) -> None:
        self._cached.clear()
        self.weight = 0
