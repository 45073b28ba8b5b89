"""The history in the game's own notation: the current line, as far as the reader may know it (CONVENTIONS.md,
"Notation")."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import warlog_core

from .head import Match
from .model import ActionTaken, Reader
from .pages import Told
from .visible import visible

if TYPE_CHECKING:
    from .match import Matches


async def lines(
    matches: "Matches", match: Match, whole: Match, reader: Reader, after: int, limit: int
) -> tuple[str, int | None]:
    """`whole`: a head of the same match whose timeline forgets nothing. See Matches.history."""
    found: list[str] = []
    wanted = [v for v in whole.timeline.recorded_on_path(match.version) if v > after] if match.state else []
    more = wanted[limit] if len(wanted) > limit else None
    wanted = wanted[:limit]
    for first, last in _runs(wanted):
        texts = await matches.each_of(match, first - 1, last - first + 1, _line_for(reader))
        found += [text for text in texts if text is not None]
    result = match.fold.result
    if more is None and result is not None:
        found.append(warlog_core.history_result(result.winners, result.reason))
    text = "".join(f"{line}\n" for line in found)
    return text, None if more is None else wanted[-1]


def _line_for(reader: Reader) -> Callable[[Match, Told], str | None]:
    def line(match: Match, told: Told) -> str | None:
        if not isinstance(told.body, ActionTaken) or told.core is None:
            return None
        seen = visible(match, told.stored.version, told.core, reader)
        return warlog_core.history_line(
            told.stored.version, told.stored.seat, seen.action, seen.draws, seen.effects
        )

    return line


def _runs(versions: list[int]) -> list[tuple[int, int]]:
    """Successive versions as (first, last)."""
    runs: list[tuple[int, int]] = []
    for version in versions:
        if runs and version == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], version)
        else:
            runs.append((version, version))
    return runs
