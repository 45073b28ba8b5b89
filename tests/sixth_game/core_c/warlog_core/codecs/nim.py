"""Nim: the codec of the toy in tests/test_sixth_game.py. Words are those at the head of `src/games/nim.c`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import iter_unpack
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, to_builtins

from warlog_core.binding import OUT_OF_RANGE, WORD_ABSENT, WORD_OUT_OF_RANGE, WORD_UNKNOWN, RawGame
from warlog_core.codecs import MALFORMED_RECORD, ActionRecord, Result
from warlog_core.jsonvalue import is_integer

SEATS = ("red", "blue")
REASONS = ("last_taken", "resigned", "timeout")
Seat = Literal["red", "blue"]


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of a match (4)."""

    heap: Annotated[int, Meta(ge=1, le=1000, description="how many there are")] = 21


class Take(Struct, frozen=True, tag="take", forbid_unknown_fields=True):
    """Take one to three from the heap (7)."""

    count: Annotated[int, Meta(ge=1, le=3)]


class Resign(Struct, frozen=True, tag="resign", forbid_unknown_fields=True):
    """Give up (7)."""


class Timeout(Struct, frozen=True, tag="timeout", forbid_unknown_fields=True):
    """Posted by the server alone (7)."""

    seat: Seat


Action = Take | Resign | Timeout


class MatchStarted(Struct, frozen=True, tag="match_started", forbid_unknown_fields=True):
    heap: int
    seat: str


class Taken(Struct, frozen=True, tag="taken", forbid_unknown_fields=True):
    seat: str
    count: int
    heap: int


class Resigned(Struct, frozen=True, tag="resigned", forbid_unknown_fields=True):
    seat: str
    reason: str


class MatchEnded(Struct, frozen=True, tag="match_ended", forbid_unknown_fields=True):
    result: Result


Effect = MatchStarted | Taken | Resigned | MatchEnded


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


def _word(value: object) -> int | None:
    """The word of an integer, None for what is none."""
    if not is_integer(value):
        return None
    assert isinstance(value, int)
    return value if abs(value) < 2**31 - 16 else WORD_OUT_OF_RANGE


class Codec:
    """The codec of `nim`."""

    title = "Nim"
    seats_are_numbered_by = "match"
    spectators = "open"
    action_type = Action
    effect_type = Effect
    view_type = View
    position_type = Position
    options_type = Options

    def __init__(self, raw: RawGame) -> None:
        """Nothing of the layouts is needed beforehand: all fields are read by name."""

    def options_words(self, options: object) -> list[int]:
        if type(options) is not dict or options.keys() - {"heap"}:
            return [1, WORD_ABSENT]
        heap = _word(options["heap"]) if "heap" in options else WORD_ABSENT
        return [1, WORD_ABSENT] if heap is None else [0, heap]

    def position_words(self, options: object, position: object) -> list[int]:
        if type(position) is not dict or position.keys() != {"heap", "seat"}:
            return [1, 0, 0]
        heap, seat = _word(position["heap"]), position["seat"]
        if heap is None or type(seat) is not str:
            return [1, 0, 0]
        return [0, heap, SEATS.index(seat) if seat in SEATS else WORD_UNKNOWN]

    def labels(self, options: object) -> bytes:
        return b""

    def full_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return {"heap": 21, **options}

    def board(self, options: Mapping[str, Any]) -> dict[str, Any]:
        heap = {"id": "heap", "x": 0.0, "y": 0.0, "region": None, "neighbours": []}
        return {"kind": "heap", "levels": ["ground"], "spaces": [heap]}

    def pieces(self, options: Mapping[str, Any]) -> list[Any]:
        return []

    def presets(self, options: Mapping[str, Any]) -> list[Any]:
        return []

    def tables(self, setup: Mapping[str, Any], labels: bytes) -> Tables:
        return Tables()


class Tables:
    """Every match has the same names."""

    seats = SEATS

    def record(self, action: object) -> ActionRecord:
        plain = to_builtins(action) if isinstance(action, Struct) else action
        if type(plain) is not dict:
            return MALFORMED_RECORD
        match plain.get("type"), {name: value for name, value in plain.items() if name != "type"}:
            case "take", {"count": count, **more} if not more and type(count) is int and abs(count) < 2**63:
                return (0, count if abs(count) < 2**31 - 16 else OUT_OF_RANGE, 0, 0, 0, 0, 0, 0), ()
            case "resign", {**more} if not more:
                return (1, 0, 0, 0, 0, 0, 0, 0), ()
            case "timeout", {"seat": "red" | "blue" as seat, **more} if not more:
                return (2, SEATS.index(seat), 0, 0, 0, 0, 0, 0), ()
        return MALFORMED_RECORD

    def action(self, record: Sequence[int], items: Sequence[int]) -> Struct:
        if record[0] == 0:
            return Take(record[1])
        return Resign() if record[0] == 1 else Timeout("blue" if record[1] else "red")

    def listing(self, listing: bytes) -> list[Any]:
        return [self.action(record, ()) for record in iter_unpack("=8i", listing)]

    def action_alt(self, kind: int, words: Sequence[int]) -> dict[str, Any]:
        raise AssertionError("no action of nim has another form")

    def effect(self, kind: int, words: Sequence[int]) -> Struct:
        match kind:
            case 0:
                return MatchStarted(words[0], SEATS[words[1]])
            case 1:
                return Taken(SEATS[words[0]], words[1], words[2])
            case 2:
                return Resigned(SEATS[words[0]], REASONS[words[1]])
            case _:
                winners = [seat for i, seat in enumerate(SEATS) if words[0] >> i & 1]
                return MatchEnded(Result(winners, REASONS[words[1]]))

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
