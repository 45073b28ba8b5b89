"""Traces: where an action leads, as one viewer sees it. The core makes them (warlog.h, 8); here they get names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from warlog_core.binding import ABSENT
from warlog_core.description import Layer

_LEVEL_SHIFT = 16  # WL_STEP
_SPACE_MASK = (1 << _LEVEL_SHIFT) - 1
_PATH = 7  # where in a trace's numbers its path begins

OwnerOf = Callable[[int | UnsetType, str, str | UnsetType], str | UnsetType]


class Touched(Struct, frozen=True, gc=False):
    """A piece that an action touches."""

    space: Annotated[str, Meta(description="where it stands")]
    piece: Annotated[int, Meta(description="its id, if the viewer knows it")] | UnsetType = UNSET
    level: Annotated[str, Meta(description="its level, on boards with more than one")] | UnsetType = UNSET
    owner: Annotated[str, Meta(description="its seat, if the viewer sees whose it is")] | UnsetType = UNSET


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

    path: Annotated[
        list[str],
        Meta(
            description="the spaces passed, in order, without the first; or where something comes onto the board"
        ),
    ]
    hits: Annotated[list[Touched], Meta(description="the pieces that are struck, battled with or healed")]
    takes: Annotated[list[Touched], Meta(description="the pieces that leave the board")]
    levels: (
        Annotated[list[str], Meta(description="the level at each space of `path`, on boards with levels")]
        | UnsetType
    ) = UNSET
    risk: (
        Annotated[
            list[Touched],
            Meta(description="the pieces seen that stand in the way, in games where one can fail by them"),
        ]
        | UnsetType
    ) = UNSET
    harm: (
        Annotated[list[Harm], Meta(description="of a listed action: what its blows do, in their order")]
        | UnsetType
    ) = UNSET
    pays: (
        Annotated[list[str], Meta(description="the spaces that are given up for it, in the board's order")]
        | UnsetType
    ) = UNSET


NOTHING = Trace([], [], [])


class Owners:
    """Whose the pieces are that a view shows, by the layers in which its game draws pieces. The view is made when a
    trace touches a piece.

    seat_of  what stands for a seat in this view (a colour, say)"""

    def __init__(
        self,
        view: Callable[[], Any],
        layers: Iterable[Layer],
        seats: Sequence[str],
        seat_of: Callable[[Any], Mapping[str, str]],
    ) -> None:
        self._view = view
        self._layers = [layer for layer in layers if layer.draw == "piece" and layer.owner is not UNSET]
        self._seats = seats
        self._seat_of = seat_of

    def of(self, piece: int | UnsetType, space: str, level: str | UnsetType) -> str | UnsetType:
        """Of the piece with this id, or else of the one that stands there."""
        by_id, by_place = self._known
        return by_place.get((space, level), UNSET) if piece is UNSET else by_id.get(piece, UNSET)

    def of_id(self, piece: int | UnsetType, space: str, level: str | UnsetType) -> str | UnsetType:
        """As `of`, where the place alone does not tell."""
        return UNSET if piece is UNSET else self._known[0].get(piece, UNSET)

    @cached_property
    def _known(self) -> tuple[dict[int, str], dict[tuple[Any, Any], str]]:
        view = self._view()
        seat_of = {**self._seat_of(view), **{seat: seat for seat in self._seats}}
        by_id: dict[int, str] = {}
        by_place: dict[tuple[Any, Any], str] = {}
        for layer in self._layers:
            fields = [layer.owner] if isinstance(layer.owner, str) else layer.owner or ()
            id_field, space_field, level_field = layer.id, layer.space, layer.level
            for piece in getattr(view, layer.source, None) or ():
                for field in fields:
                    given = getattr(piece, field, UNSET)
                    if given is not UNSET:
                        break
                else:
                    continue
                owner = seat_of.get(given)
                if owner is None:
                    continue
                if id_field and isinstance(id_ := getattr(piece, id_field, UNSET), int):
                    by_id[id_] = owner
                if space_field:
                    level = getattr(piece, level_field, UNSET) if level_field else UNSET
                    by_place[getattr(piece, space_field, UNSET), level] = owner
        return by_id, by_place


def decoded(
    numbers: Sequence[int],
    spaces: Sequence[str],
    levels: Sequence[str],
    owners: Owners,
    *,
    taken: bool = False,
) -> list[Trace]:
    """The traces of `numbers`, of which the core has written one after the other.

    taken  the action was taken: of pieces that have left the board, two may have stood at one place"""
    words = tuple(numbers)
    owner_of_taken = owners.of_id if taken else owners.of
    known: dict[tuple[int, ...], Trace] = {}  # many actions of a listing lead to the same place
    found: list[Trace] = []
    at, end = 0, len(words)
    while at < end:
        record = words[at : at + words[at]]
        at += len(record)
        if (trace := known.get(record)) is None:
            known[record] = trace = _trace(record, spaces, levels, owners.of, owner_of_taken)
        found.append(trace)
    return found


def _trace(
    record: tuple[int, ...],
    spaces: Sequence[str],
    levels: Sequence[str],
    owner_of: OwnerOf,
    owner_of_taken: OwnerOf,
) -> Trace:
    """One trace of its numbers: their length, six counts, then what they count."""
    _, n_path, n_hits, n_takes, n_risks, n_pays, n_harm = record[:_PATH]
    steps = record[_PATH : (hits_at := _PATH + n_path)]
    path = [spaces[step & _SPACE_MASK] for step in steps]
    if len(record) == hits_at and not levels:
        return Trace(path, [], [])
    takes_at = hits_at + 2 * n_hits
    risks_at = takes_at + 2 * n_takes
    pays_at = risks_at + 2 * n_risks
    harm_at = pays_at + 2 * n_pays
    return Trace(
        path,
        _touched(record[hits_at:takes_at], spaces, levels, owner_of),
        _touched(record[takes_at:risks_at], spaces, levels, owner_of_taken),
        [levels[step >> _LEVEL_SHIFT] for step in steps] if levels and steps else UNSET,
        _touched(record[risks_at:pays_at], spaces, levels, owner_of) if n_risks else UNSET,
        list(_harm(record[harm_at:], spaces, levels)) if n_harm else UNSET,
        [spaces[step & _SPACE_MASK] for step in record[pays_at:harm_at:2]] if n_pays else UNSET,
    )


def _touched(
    numbers: Sequence[int],
    spaces: Sequence[str],
    levels: Sequence[str],
    owner_of: OwnerOf,
) -> list[Touched]:
    """Two numbers each: place and piece."""
    found = []
    for at in range(0, len(numbers), 2):
        step, piece = numbers[at], numbers[at + 1]
        space = spaces[step & _SPACE_MASK]
        level = levels[step >> _LEVEL_SHIFT] if levels else UNSET
        known = UNSET if piece == ABSENT else piece
        found.append(Touched(space, known, level, owner_of(known, space, level)))
    return found


def _nobody(*_: object) -> UnsetType:
    return UNSET


def _harm(numbers: Sequence[int], spaces: Sequence[str], levels: Sequence[str]) -> Iterator[Harm]:
    for at in range(0, len(numbers), 8):
        (to,) = _touched(numbers[at : at + 2], spaces, levels, _nobody)
        damage_min, damage, damage_max, killed_min, killed, killed_max = numbers[at + 2 : at + 8]
        yield Harm(
            to.space, damage, damage_min, damage_max, killed, killed_min, killed_max, to.piece, to.level
        )
