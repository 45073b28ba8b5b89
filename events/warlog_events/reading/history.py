"""The history of the current line, as far as the reader may know it: in the game's own notation if it has one
(wec 10.6), else one line per action (warlog_core/notation.py)."""

from bisect import bisect_right
from collections.abc import Callable

import msgspec

import warlog_core
from warlog_core import State
from warlog_core.codecs import Notation

from ..match.match import Match
from ..match.model import SPECTATOR, ActionTaken, Reader, Result
from ..match.timeline import Step, Timeline
from .pages import Pages
from .replayed import EventWithState
from .visible import visible

OWN_LINES_MAX = 500  # a line of a notation may be several actions, each played again


async def lines(
    pages: Pages, match: Match, whole: Match, reader: Reader, after: int, limit: int
) -> tuple[str, int | None]:
    """`whole`: the match, with a timeline that has forgotten nothing. See Past.history."""
    reader = match.informed(reader)
    notation = match.game.notation
    if notation is not None:
        return await _own_lines(pages, match, whole.timeline, notation, reader, after, limit)
    found: list[str] = []
    wanted = [v for v in whole.timeline.recorded_on_path(match.version) if v > after] if match.state else []
    more = wanted[limit] if len(wanted) > limit else None
    wanted = wanted[:limit]
    for first, last in _runs(wanted):
        texts = await pages.each(match, first - 1, last - first + 1, _line_for(reader))
        found += [text for text in texts if text is not None]
    result = match.fold.result
    if more is None and result is not None:
        found.append(warlog_core.history_result(result.winners, result.reason))
    text = "".join(f"{line}\n" for line in found)
    return text, None if more is None else wanted[-1]


def _line_for(reader: Reader) -> Callable[[Match, EventWithState], str | None]:
    def line(match: Match, event: EventWithState) -> str | None:
        if not isinstance(event.body, ActionTaken) or event.resolved is None:
            return None
        seen = visible(match, event.stored.version, event.resolved, reader)
        return warlog_core.history_line(
            event.stored.version, event.stored.seat, seen.action, seen.draws, seen.effects
        )

    return line


async def _own_lines(
    pages: Pages,
    match: Match,
    line: Timeline,
    notation: Notation,
    reader: Reader,
    after: int,
    limit: int,
) -> tuple[str, int | None]:
    """Whole lines: those whose last action comes after version `after`. An edit or an option change begins a new
    section, with a head of its own; the sections of the current line follow one another."""
    if match.state is None:
        return "", None
    viewer = _viewer(match, reader)
    page = _Page(line, notation, match.version, after, min(limit, OWN_LINES_MAX))
    found: list[str] = []
    for part in page.parts:
        start = await pages.state_at(match, part.before)
        begin = await pages.state_at(match, part.base) if part.has_head else None
        head_viewer = None if match.is_open_book(part.base) else viewer
        found += await pages.brief_threads.run(_written, notation, part, begin, start, head_viewer, viewer)
        result: Result | None = None
        if part.is_last and page.more is None:
            result = match.fold.result
        elif part.last:  # an edit goes on from a match that is over, too
            ended = (await pages.state_at(match, part.last)).result
            result = None if ended is None else Result(list(ended.winners), ended.reason)
        if result is not None:
            found.append(notation.result_line(result.winners, result.reason))
    return "".join(f"{text}\n" for text in found), page.more


def _written(
    notation: Notation,
    part: "_Part",
    begin: State | None,
    start: State,
    head_viewer: str | None,
    viewer: str | None,
) -> list[str]:
    """`begin`: the section's first state, where its head is wanted. `start`: that before the first line."""
    found = [] if begin is None else notation.head_lines(begin, head_viewer, later=part.is_later)
    taken = [(step.actor, step.action) for step in part.taken]
    disclosed, rest = taken[: part.disclosed], taken[part.disclosed :]
    if disclosed:
        found += notation.turn_lines(start, disclosed, None)
        start = start.copy()
        for actor, action in disclosed:
            start.apply(actor, action)
    return found + notation.turn_lines(start, rest, viewer)


def _viewer(match: Match, reader: Reader) -> str | None:
    """The seat (or spectator) whose knowledge limits the history; None: no limit."""
    if match.knows_all(reader):
        return None
    if len(reader.seats) > 1:  # of two sides, which together know all of each other
        return None
    return reader.seats[0] if reader.seats else SPECTATOR


class _Part(msgspec.Struct):
    """Successive lines of one section.

    base      version of the event that began the section
    is_later  an option change or an edit began it, not the start of the match
    is_last   it is the section in which the match now stands
    before    version after which `taken` were played
    has_head  its head stands above these lines
    last      version of the section's last action, where the part reaches so far and another section follows; else 0
    disclosed  how many of `taken` stand in whole lines that an earlier end of the match has disclosed
    """

    base: int
    is_later: bool
    is_last: bool
    before: int
    has_head: bool
    taken: list[Step]
    last: int = 0
    disclosed: int = 0


class _Page:
    """Some successive lines, section by section; the head of a later section counts as one line.

    more    version after which the next page begins, None at the end
    """

    def __init__(self, line: Timeline, notation: Notation, head: int, after: int, limit: int) -> None:
        self._line = line
        self._notation = notation
        self._left = limit
        self.parts: list[_Part] = []
        self.more: int | None = None
        sections = _sections(line, head)
        for number, (base, versions) in enumerate(sections):
            newest, is_last = (versions or [base])[-1], number == len(sections) - 1
            if after >= newest and not is_last:
                continue
            if self._left == 0:
                base, versions = sections[number - 1]
                self.more = (versions or [base])[-1]
                return
            has_head = after < base
            self._left -= has_head and number > 0
            self._add(_Part(base, number > 0, is_last, base, has_head, []), versions, after)
            if self.more is not None:
                return
            if not is_last:
                self.parts[-1].last = newest

    def _add(self, part: _Part, versions: list[int], after: int) -> None:
        """The lines of one section, as many as there is room for."""
        first = bisect_right(versions, after)
        while first > 0 and not self._notation.ends_line(self._step(versions[first - 1]).action):
            first -= 1
        part.before = versions[first - 1] if first else part.base
        self.parts.append(part)
        for at in range(first, len(versions)):
            if self._left == 0:
                self.more = versions[at - 1] if at else part.base
                return
            step = self._step(versions[at])
            if not self._notation.is_silent(step.action):
                part.taken.append(step)
            if self._notation.ends_line(step.action):
                self._left -= 1
                if versions[at] <= self._line.over_until:
                    part.disclosed = len(part.taken)

    def _step(self, version: int) -> Step:
        found = self._line.step(version)
        assert found is not None  # a section has actions only
        return found


def _sections(line: Timeline, head: int) -> list[tuple[int, list[int]]]:
    """The bases on the path of `head`, each with the actions after it."""
    bases = {base.version for base in line.bases}
    sections: list[tuple[int, list[int]]] = []
    for version in line.recorded_on_path(head):
        if version in bases:
            sections.append((version, []))
        else:
            sections[-1][1].append(version)
    return sections


def _runs(versions: list[int]) -> list[tuple[int, int]]:
    """Successive versions as (first, last)."""
    runs: list[tuple[int, int]] = []
    for version in versions:
        if runs and version == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], version)
        else:
            runs.append((version, version))
    return runs
