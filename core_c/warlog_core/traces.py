"""Traces: where an action leads, as one viewer sees it. The core makes them (warlog.h, 8); here they get names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from warlog_core.binding import ABSENT

_LEVEL_SHIFT = 16  # WL_STEP
_SPACE_MASK = (1 << _LEVEL_SHIFT) - 1


class Touched(Struct, frozen=True, gc=False):
    """A piece that an action touches."""

    space: Annotated[str, Meta(description="where it stands")]
    piece: Annotated[int, Meta(description="its id, if the viewer knows it")] | UnsetType = UNSET
    level: Annotated[str, Meta(description="its level, on boards with more than one")] | UnsetType = UNSET


class Trace(Struct, frozen=True, gc=False):
    """Where an action leads, as far as one viewer sees it."""

    path: Annotated[list[str], Meta(description="the spaces passed, in order, without the first")]
    hits: Annotated[list[Touched], Meta(description="the pieces that are struck, battled with or healed")]
    takes: Annotated[list[Touched], Meta(description="the pieces that leave the board")]
    levels: (
        Annotated[list[str], Meta(description="the level at each space of `path`, on boards with levels")]
        | UnsetType
    ) = UNSET
    risk: Annotated[list[Touched], Meta(description="the pieces seen that stand in the way")] | UnsetType = (
        UNSET
    )


NOTHING = Trace([], [], [])


def decoded(numbers: Sequence[int], spaces: Sequence[str], levels: Sequence[str]) -> list[Trace]:
    """The traces of `numbers`, of which the core has written one after the other."""
    found: list[Trace] = []
    append, at, end = found.append, 0, len(numbers)
    while at < end:
        n_path, n_hits, n_takes, n_risks = numbers[at : at + 4]
        at += 4
        steps = numbers[at : at + n_path]
        at += n_path
        n_touched = n_hits + n_takes + n_risks
        if not n_touched and not (levels and steps):
            append(Trace([spaces[step] for step in steps], [], []) if steps else NOTHING)
            continue
        touched = _touched(numbers[at : at + 2 * n_touched], spaces, levels)
        at += 2 * n_touched
        hits, takes = [next(touched) for _ in range(n_hits)], [next(touched) for _ in range(n_takes)]
        append(
            Trace(
                [spaces[step & _SPACE_MASK] for step in steps],
                hits,
                takes,
                [levels[step >> _LEVEL_SHIFT] for step in steps] if levels and steps else UNSET,
                list(touched) if n_risks else UNSET,
            )
        )
    return found


def _touched(numbers: Sequence[int], spaces: Sequence[str], levels: Sequence[str]) -> Iterator[Touched]:
    for at in range(0, len(numbers), 2):
        step, piece = numbers[at], numbers[at + 1]
        yield Touched(
            spaces[step & _SPACE_MASK],
            UNSET if piece == ABSENT else piece,
            levels[step >> _LEVEL_SHIFT] if levels else UNSET,
        )
