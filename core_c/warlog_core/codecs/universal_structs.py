"""The vocabulary of Universal Chess: names, and the Structs of its JSON (`rules/universal.md`, 10), in order."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType, field

from warlog_core.codecs import Result
from warlog_core.codecs._options import options_struct

# ---- names (sections 1 to 4): a name's number is its place -------------------------------------------------

Seat = Literal["majora", "chaos", "good", "evil", "balance"]
Phase = Literal["play", "over"]
Mode = Literal["standard", "double"]
Pairing = Literal["opposite", "rows", "columns"]
Kind = Literal["mighty", "commander", "wizard", "psionic", "dragon", "mecha", "knight", "angel", "demon"]
OutReason = Literal["mighty_lost", "no_area", "resigned", "timeout"]

SEATS: tuple[Seat, ...] = get_args(Seat)
PHASES: tuple[Phase, ...] = get_args(Phase)
MODES: tuple[Mode, ...] = get_args(Mode)
PAIRINGS: tuple[Pairing, ...] = get_args(Pairing)
KINDS: tuple[Kind, ...] = get_args(Kind)
OUT_REASONS: tuple[OutReason, ...] = get_args(OutReason)
REASONS = (*OUT_REASONS, "draw_agreed", "quiet_limit")

FILES, RANKS = 20, 20
SPACE_NAMES = tuple(f"{chr(ord('a') + file)}{rank + 1}" for rank in range(RANKS) for file in range(FILES))
SPACE_IDS = {name: number for number, name in enumerate(SPACE_NAMES)}

Space = Annotated[str, Meta(pattern="^[a-t]([1-9]|1[0-9]|20)$", description="a space id such as k10 (2)")]
Piece = Annotated[int, Meta(description="a piece's id, 1 to 255")]
Pay = Annotated[
    Literal["auto"] | list[Space],
    Meta(
        description="the own spaces that are paid, as many as the ability costs; `auto` lets the rules choose (7)"
    ),
]

# ---- options -----------------------------------------------------------------------------------------------


Options = options_struct(
    "universal", "The options of a match (4). All fields are optional.", dependent=("factions",)
)

# ---- view --------------------------------------------------------------------------------------------------


class SacrificeView(Struct, frozen=True, forbid_unknown_fields=True):
    """A sacrificial turn: `moved` is the piece of the first move, once that is made."""

    moves_left: int
    moved: int | UnsetType = UNSET


class Turn(Struct, frozen=True, forbid_unknown_fields=True):
    """The turn in progress; flags are true or absent."""

    seat: Seat
    number: Annotated[int, Meta(ge=1, le=1000000000)]
    freeze_used: Literal[True] | UnsetType = UNSET
    sacrifice: SacrificeView | UnsetType = UNSET
    draw_offered: Literal[True] | UnsetType = UNSET
    progress: Literal[True] | UnsetType = UNSET


class PieceView(Struct, frozen=True, gc=False):
    """A piece on the board. `boosted` is derived; `merits` only with the option `veterans`, and then always."""

    id: int
    kind: Kind
    seat: Seat
    space: str
    conquering: int | UnsetType = UNSET
    frozen: Literal[True] | UnsetType = UNSET
    boosted: Literal[True] | UnsetType = UNSET
    origin: Seat | UnsetType = UNSET
    holds: int | UnsetType = UNSET
    merits: int | UnsetType = UNSET


class DeadPiece(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A dead piece; `seat`: to whose dead it belongs."""

    id: int
    kind: Kind
    seat: Seat


class OutView(Struct, frozen=True):
    """An eliminated faction; `turn` is the number of the turn in which it went."""

    seat: Seat
    reason: OutReason
    turn: int


class DrawOffer(Struct, frozen=True, forbid_unknown_fields=True):
    """An open offer: whose, and who has accepted so far."""

    by: Seat
    accepted: list[Seat]


class View(Struct, frozen=True, kw_only=True):
    """What everybody may know: all. Only `viewer` differs."""

    game: Literal["universal"] = "universal"
    viewer: str
    phase: Phase
    to_act: list[str]
    result: Result | UnsetType = UNSET
    mode: Mode
    order: list[Seat]
    teams: list[list[Seat]] | UnsetType = UNSET
    turn: Turn
    pieces: list[PieceView]
    dead: list[DeadPiece]
    area: dict[str, list[str]]
    out: list[OutView]
    promotions: int | UnsetType = UNSET
    breedings_left: int | UnsetType = UNSET
    quiet: int
    next_id: int
    draw_offer: DrawOffer | UnsetType = UNSET


# ---- Position ----------------------------------------------------------------------------------------------


class PositionPiece(Struct, frozen=True, forbid_unknown_fields=True):
    """A piece of a Position: as in the view."""

    id: int
    kind: Kind
    seat: Seat
    space: Space
    conquering: int | UnsetType = UNSET
    frozen: Literal[True] | UnsetType = UNSET
    boosted: Annotated[Any, Meta(description="ignored")] | UnsetType = UNSET
    origin: Seat | UnsetType = UNSET
    holds: int | UnsetType = UNSET
    merits: Annotated[int, Meta(ge=0, le=255)] | UnsetType = UNSET


class PositionOut(Struct, frozen=True, forbid_unknown_fields=True):
    """An eliminated faction of a Position."""

    seat: Seat
    reason: OutReason = "resigned"
    turn: Annotated[int, Meta(ge=0, le=1000000000)] = 0


_Ignored = Annotated[Any, Meta(description="allowed, so that a view is a Position, and ignored")]


class Position(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A complete state as a start (10). A running match's view is one."""

    game: _Ignored | UnsetType = UNSET
    viewer: _Ignored | UnsetType = UNSET
    phase: _Ignored | UnsetType = UNSET
    to_act: _Ignored | UnsetType = UNSET
    result: _Ignored | UnsetType = UNSET
    mode: _Ignored | UnsetType = UNSET
    order: _Ignored | UnsetType = UNSET
    teams: _Ignored | UnsetType = UNSET
    turn: Turn | UnsetType = UNSET
    pieces: list[PositionPiece]
    dead: list[DeadPiece] = field(default_factory=list)
    area: dict[Seat, list[Space]] | UnsetType = UNSET
    out: list[PositionOut] = field(default_factory=list)
    promotions: Annotated[int, Meta(ge=0, le=1000)] = 0
    breedings_left: Annotated[int, Meta(ge=0, le=20)] | UnsetType = UNSET
    quiet: Annotated[int, Meta(ge=0, le=10000)] = 0
    next_id: Annotated[int, Meta(ge=91, le=256)] | UnsetType = UNSET
    draw_offer: DrawOffer | UnsetType = UNSET
