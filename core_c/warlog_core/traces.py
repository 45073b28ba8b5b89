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


class Harm(Struct, frozen=True, gc=False):
    """What a blow of a listed action does by the middle one of its rolls, and between which bounds. The first is the
    action's own; what follows are the answers to it: the stronger the blow, the weaker they are."""

    space: Annotated[str, Meta(description="where the piece stands that is struck")]
    damage: Annotated[int, Meta(description="in hit points, by the middle roll")]
    damage_min: Annotated[int, Meta(description="by the least roll")]
    damage_max: Annotated[int, Meta(description="by the greatest roll")]
    killed: Annotated[int, Meta(description="how many units of the piece fall by the middle roll")]
    killed_min: Annotated[int, Meta(description="by the least roll")]
    killed_max: Annotated[int, Meta(description="by the greatest roll")]
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
    harm: (
        Annotated[list[Harm], Meta(description="of a listed action: what its blows do, in their order")]
        | UnsetType
    ) = UNSET


NOTHING = Trace([], [], [])


def decoded(numbers: Sequence[int], spaces: Sequence[str], levels: Sequence[str]) -> list[Trace]:
    """The traces of `numbers`, of which the core has written one after the other."""
    found: list[Trace] = []
    append, at, end = found.append, 0, len(numbers)
    while at < end:
        n_path, n_hits, n_takes, n_risks, n_harm = numbers[at : at + 5]
        at += 5
        steps = numbers[at : at + n_path]
        at += n_path
        n_touched = n_hits + n_takes + n_risks
        if not n_touched and not n_harm and not (levels and steps):
            append(Trace([spaces[step] for step in steps], [], []) if steps else NOTHING)
            continue
        touched = _touched(numbers[at : at + 2 * n_touched], spaces, levels)
        at += 2 * n_touched
        blows = numbers[at : at + 8 * n_harm]
        at += 8 * n_harm
        hits, takes = [next(touched) for _ in range(n_hits)], [next(touched) for _ in range(n_takes)]
        append(
            Trace(
                [spaces[step & _SPACE_MASK] for step in steps],
                hits,
                takes,
                [levels[step >> _LEVEL_SHIFT] for step in steps] if levels and steps else UNSET,
                list(touched) if n_risks else UNSET,
                list(_harm(blows, spaces, levels)) if n_harm else UNSET,
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


def _harm(numbers: Sequence[int], spaces: Sequence[str], levels: Sequence[str]) -> Iterator[Harm]:
    for at in range(0, len(numbers), 8):
        (to,) = _touched(numbers[at : at + 2], spaces, levels)
        damage_min, damage, damage_max, killed_min, killed, killed_max = numbers[at + 2 : at + 8]
        yield Harm(
            to.space, damage, damage_min, damage_max, killed, killed_min, killed_max, to.piece, to.level
        )
