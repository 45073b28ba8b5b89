"""The history of the current line, as far as the reader may know it: in the game's own notation if it has one
(wec 10.6), else one line per action (CONVENTIONS.md, "Notation")."""

import asyncio
from bisect import bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING

import warlog_core
from warlog_core.codecs import Notation

from . import customs
from .head import Match
from .model import SPECTATOR, ActionTaken, Reader
from .pages import Told
from .timeline import Step, Timeline
from .visible import visible

if TYPE_CHECKING:
    from .past import Past

OWN_LINES_MAX = 500  # a line of a notation may be several actions, each played again


async def lines(
    past: "Past", match: Match, whole: Match, reader: Reader, after: int, limit: int
) -> tuple[str, int | None]:
    """`whole`: a head of the same match whose timeline forgets nothing. See Past.history."""
    notation = match.game.notation
    if notation is not None:
        return await _own_lines(past, match, whole.timeline, notation, reader, after, limit)
    found: list[str] = []
    wanted = [v for v in whole.timeline.recorded_on_path(match.version) if v > after] if match.state else []
    more = wanted[limit] if len(wanted) > limit else None
    wanted = wanted[:limit]
    for first, last in _runs(wanted):
        texts = await past.each(match, first - 1, last - first + 1, _line_for(reader))
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


async def _own_lines(
    past: "Past",
    match: Match,
    line: Timeline,
    notation: Notation,
    reader: Reader,
    after: int,
    limit: int,
) -> tuple[str, int | None]:
    """Whole lines: those whose last action comes after version `after`. An edit or an option change begins anew."""
    if match.state is None:
        return "", None
    viewer = _viewer(match, reader)
    base = line.base_of(match.version).version
    steps = _Page(line, notation, match.version, max(after, base), min(limit, OWN_LINES_MAX))
    begin = await past.state_at(match, base)
    start = begin if steps.before == base else await past.state_at(match, steps.before)

    def written() -> list[str]:
        found = notation.head_lines(begin, viewer) if after < base else []
        taken = [(step.actor, step.action) for step in steps.taken]
        return found + notation.turn_lines(start, taken, viewer)

    found = await asyncio.to_thread(written)
    result = match.fold.result
    if steps.more is None and result is not None:
        found.append(notation.result_line(result.winners, result.reason))
    return "".join(f"{text}\n" for text in found), steps.more


def _viewer(match: Match, reader: Reader) -> str | None:
    """Whose knowledge bounds the history; None: nobody's."""
    if match.is_over or (match.mode == "casual" and customs.open_when_casual(match.game)):
        return None
    if len(reader.seats) > 1:  # of two sides, which together know all of each other
        return None
    return reader.seats[0] if reader.seats else SPECTATOR


class _Page:
    """The steps of some successive lines.

    before  version after which they were played
    more    version after which the next page begins, None at the end
    """

    def __init__(self, line: Timeline, notation: Notation, head: int, after: int, limit: int) -> None:
        base = line.base_of(head).version
        versions = [v for v in line.recorded_on_path(head) if v > base]

        def step(at: int) -> Step:
            found = line.step(versions[at])
            assert found is not None  # after the newest base there are actions only
            return found

        first = bisect_right(versions, after)
        while first > 0 and not notation.ends_line(step(first - 1).action):
            first -= 1
        self.before = versions[first - 1] if first else base
        self.taken: list[Step] = []
        self.more: int | None = None
        lines = 0
        for at in range(first, len(versions)):
            if lines == limit:
                self.more = versions[at - 1]
                break
            one = step(at)
            if not notation.is_silent(one.action):
                self.taken.append(one)
            lines += notation.ends_line(one.action)


def _runs(versions: list[int]) -> list[tuple[int, int]]:
    """Successive versions as (first, last)."""
    runs: list[tuple[int, int]] = []
    for version in versions:
        if runs and version == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], version)
        else:
            runs.append((version, version))
    return runs
