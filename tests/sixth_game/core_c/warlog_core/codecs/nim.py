"""Nim: the codec of the toy in tests/test_sixth_game.py. Words are those at the head of `src/games/nim.c`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType

from warlog_core.binding import RawGame
from warlog_core.codecs import Result
from warlog_core.codecs._actions import ListedActions
from warlog_core.codecs._base import BaseCodec, BaseTables
from warlog_core.codecs._names import members
from warlog_core.codecs._signatures import NUMBER, Actions, Effects, Kind, Kinds, table
from warlog_core.codecs._words import (
    int64_field,
    int_word,
    name_word,
    numbered,
    object_of,
    optional_word,
    with_verdict,
)

Seat = Literal["red", "blue"]
SEATS: tuple[Seat, ...] = get_args(Seat)
REASONS = ("last_taken", "resigned", "timeout")


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of a match (4)."""

    heap: Annotated[int, Meta(ge=1, le=1000, description="how many there are")] = 21


class View(Struct, frozen=True, kw_only=True):
    """What anybody may know (10)."""

    game: Literal["nim"] = "nim"
    viewer: str
    phase: Literal["play", "over"]
    to_act: list[str]
    result: Result | UnsetType = UNSET
    heap: int


class Position(Struct, frozen=True, forbid_unknown_fields=True):
    """A match that is not over (10)."""

    heap: Annotated[int, Meta(ge=1, le=1000)]
    seat: Seat


def _options_words(options: object) -> list[int]:
    return [optional_word(object_of(options, (), ("heap",)), "heap", int_word)]


def _position_words(position: object) -> list[int]:
    given = object_of(position, ("heap", "seat"))
    return [int_word(given["heap"]), name_word(numbered(SEATS))(given["seat"])]


class Codec(BaseCodec):
    """The codec of `nim`."""

    title = "Nim"
    view_type = View
    position_type = Position
    options_type = Options

    def __init__(self, raw: RawGame) -> None:
        """Nothing of the layouts is needed beforehand: all fields are read by name."""
        actions, effects = Actions(raw.actions, _KINDS, _ACTION_TEXTS), Effects(raw.effects, _KINDS)
        self.action_type, self.effect_type = actions.union, effects.union
        self.encoders = actions.encoders(_KINDS)
        self._makers = actions.makers(_KINDS)
        self.listed = ListedActions(self.made)
        self.effects = effects.decoders(_KINDS)

    def made(self, record: Sequence[int]) -> Any:
        """The Struct of an action's record."""
        return self._makers[record[0]](record)

    def options_words(self, options: object) -> list[int]:
        return with_verdict(_options_words, options)

    def position_words(self, options: object, position: object) -> list[int]:
        return with_verdict(_position_words, position)

    def full_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return {"heap": 21, **options}

    def board(self, options: Mapping[str, Any]) -> dict[str, Any]:
        heap = {"id": "heap", "x": 0.0, "y": 0.0, "region": None, "neighbours": []}
        return {"kind": "heap", "levels": ["ground"], "spaces": [heap]}

    def pieces(self, options: Mapping[str, Any]) -> list[Any]:
        return []

    def tables(self, setup: Mapping[str, Any], labels: bytes) -> Tables:
        return Tables(self)


def _result(words: Iterator[int]) -> Result:
    return Result(members(next(words), SEATS), REASONS[next(words)])


# What the numbers of each kind of field stand for; `src/games/nim.c` says which fields actions and effects have.
_KINDS: Kinds = {
    "number": NUMBER._replace(read=int64_field, posted=Annotated[int, Meta(ge=1, le=3)]),
    "seat": table(SEATS, of=str)._replace(posted=Seat),
    "reason": table(REASONS, of=str),
    "result": Kind(take=_result, type=Result),
}
_ACTION_TEXTS = {
    "take": "Take one to three from the heap (7).",
    "resign": "Give up (7).",
    "timeout": "Posted by the server alone (7).",
}


class Tables(BaseTables):
    """Every match has the same names."""

    seats = SEATS

    def __init__(self, codec: Codec) -> None:
        super().__init__(codec.encoders, codec.effects, codec.listed)
        self._codec = codec

    def action(self, record: Sequence[int], items: Sequence[int]) -> Struct:
        struct: Struct = self._codec.made(record)
        return struct

    def view(self, viewer: str, fields: Mapping[str, Any]) -> Struct:
        over = fields["phase"] == 1
        return View(
            viewer=viewer,
            phase="over" if over else "play",
            to_act=[] if over else [SEATS[fields["turn"]]],
            result=Result([SEATS[fields["winner"]]], REASONS[fields["reason"]]) if over else UNSET,
            heap=fields["heap"],
        )

    def position(self, fields: Mapping[str, Any]) -> Struct:
        return Position(fields["heap"], "blue" if fields["turn"] else "red")
