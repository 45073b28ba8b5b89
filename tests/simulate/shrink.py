"""A failure with as few faults as will do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.simulate.faults import Fault

RUNS_MAX = 24

Fails = Callable[[Sequence[Fault]], bool]


def shrunk(faults: Sequence[Fault], fails: Fails, runs_max: int = RUNS_MAX) -> list[Fault]:
    """Leaves out halves, then quarters, and so on down to single faults, for as long as it still fails."""
    kept = [*faults]
    if fails([]):
        return []
    runs, size = 1, max(1, len(kept) // 2)
    while runs < runs_max:
        without_some = False
        start = 0
        while start < len(kept) and runs < runs_max:
            fewer = kept[:start] + kept[start + size :]
            runs += 1
            if len(fewer) < len(kept) and fails(fewer):
                kept, without_some = fewer, True
            else:
                start += size
        if size == 1 and not without_some:
            break
        size = max(1, size // 2)
    return kept
