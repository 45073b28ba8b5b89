"""The vocabulary of Siguo Junqi: its names, and the Structs of its JSON (`rules/junqi.md`, 10), in the book's order."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType, field

from warlog_core.codecs import ActionStruct, Result
from warlog_core.codecs._options import options_struct

# ---- names (sections 1 to 6): a name's number is its place -------------------------------------------------

Seat = Literal["south", "east", "north", "west"]
Mode = Literal["standard", "flip"]
Phase = Literal["layout", "play", "over"]
Status = Literal["alive", "defeated"]
Cause = Literal["flag_captured", "no_moves", "last_piece", "timeout", "resigned", "fled"]
Outcome = Literal["attacker", "defender", "both"]
Color = Literal["red", "black"]
Face = Literal["up", "down"]
PieceType = Literal[
    "flag",
    "field_marshal",
    "general",
    "major_general",
    "brigadier",
    "colonel",
    "major",
    "captain",
    "lieutenant",
    "engineer",
    "bomb",
    "mine",
]

SEATS: tuple[Seat, ...] = get_args(Seat)
SEATS_OF: dict[int, tuple[Seat, ...]] = {4: SEATS, 2: ("south", "north")}
MODES: tuple[Mode, ...] = get_args(Mode)
PHASES: tuple[Phase, ...] = get_args(Phase)
STATUSES: tuple[Status, ...] = get_args(Status)
CAUSES: tuple[Cause, ...] = get_args(Cause)
REASONS = (*CAUSES, "draw_agreed", "quiet_limit", "aborted")
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)  # from 1: no battle is 0
COLORS: tuple[Color, ...] = get_args(Color)
FACES: tuple[Face, ...] = get_args(Face)
TYPES: tuple[PieceType, ...] = get_args(PieceType)

ARMY = 25
SPACE_NAMES = (
    *(f"{ground}{line}{column}" for ground in "SENW" for line in range(1, 7) for column in range(1, 6)),
    *(f"C{row}{column}" for row in range(1, 4) for column in range(1, 4)),
)
SPACE_IDS = {name: number for number, name in enumerate(SPACE_NAMES)}

Space = Annotated[
    str, Meta(pattern="^([SENW][1-6][1-5]|C[1-3][1-3])$", description="a space id such as S11 (2.1)")
]
Piece = Annotated[int, Meta(description="a piece's id, 1 to 100 (3)")]
LayoutTypes = Annotated[
    list[PieceType], Meta(description="25 piece types, one for each space that is not a camp (4.2)")
]

# ---- 10.1 options ------------------------------------------------------------------------------------------

Options = options_struct(
    "junqi",
    "The options of a match (4.1). All fields are optional.",
    {
        "layouts": dict[Seat, LayoutTypes],
        "scores": dict[Seat, Annotated[int, Meta(ge=-1000000000, le=1000000000)]],
        "balances": dict[Seat, Annotated[int, Meta(ge=0, le=1000000000000)]],
    },
    dependent=("players", "wings", "layouts", "min_steps_score", "win_points"),
)

# ---- 10.2 actions, in the order of table 7.1 ---------------------------------------------------------------


class Layout(ActionStruct, frozen=True, tag="layout"):
    """Lay the army out anew (7.3), as often as you like until `ready`, which makes it final. Listed as
    `{"type": "layout", "open": true}`; `open` is never posted."""

    layout: LayoutTypes | UnsetType = UNSET
    open: bool | UnsetType = UNSET


# ---- 10.4 view ---------------------------------------------------------------------------------------------


class SeatView(Struct, frozen=True, kw_only=True):
    """`count`: its pieces on the board; flip mode: of its colour, once that is known."""

    seat: Seat
    team: str
    status: Status
    cause: Cause | UnsetType = UNSET
    ready: bool
    timeouts: int
    offered: bool
    count: int | UnsetType = UNSET
    flag_revealed: bool | UnsetType = UNSET


class PieceView(Struct, frozen=True, kw_only=True, gc=False):
    """A piece on the board, as far as the viewer may know it (8)."""

    piece: int | UnsetType = UNSET
    seat: Seat | UnsetType = UNSET
    color: Color | UnsetType = UNSET
    type: PieceType | UnsetType = UNSET
    at: str
    face: Face | UnsetType = UNSET


class LostPiece(Struct, frozen=True, kw_only=True, gc=False):
    """A lost piece that the viewer may know."""

    piece: int | UnsetType = UNSET
    seat: Seat | UnsetType = UNSET
    color: Color | UnsetType = UNSET
    type: PieceType


class Offer(Struct, frozen=True):
    """The pending draw offer."""

    by: Seat
    accepted: list[Seat]
    waiting: list[Seat]


class LastMove(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The last step: a move, or a flip, which has `seat` and `at` alone. `outcome` only after a battle."""

    seat: Seat
    origin: Space | UnsetType = field(name="from", default=UNSET)
    to: Space | UnsetType = UNSET
    path: Annotated[list[Space], Meta(min_length=2)] | UnsetType = UNSET
    outcome: Outcome | UnsetType = UNSET
    at: Space | UnsetType = UNSET


class Gold(Struct, frozen=True):
    """A gold room: what is at stake. `frozen` is the amount taken out of every seat's balance."""

    stake: int
    multiplier: int
    frozen: int


class SettledScore(Struct, frozen=True):
    """A seat's points (9.3). `level` is that of `after`."""

    seat: Seat
    before: int
    delta: int
    after: int
    level: int


class Account(Struct, frozen=True):
    """A seat's gold (9.4); `net` is `received` less `paid`."""

    seat: Seat
    paid: int
    received: int
    net: int


class SettledGold(Struct, frozen=True):
    """The ledger of the match (9.4). All `net` and `house` together are 0."""

    stake: int
    multiplier: int
    accounts: list[Account]
    house: int


class Settlement(Struct, frozen=True):
    """What the end of the match did to points and, in a gold room, to gold (9.3, 9.4)."""

    multiplier: int
    scores: list[SettledScore]
    gold: SettledGold | UnsetType = UNSET


class Colors(Struct, frozen=True, forbid_unknown_fields=True):
    """Flip mode: whose colour is which."""

    south: Color
    north: Color


class View(Struct, frozen=True, kw_only=True):
    """What a seat or a spectator may know (10.4)."""

    game: Literal["junqi"] = "junqi"
    viewer: str
    phase: Phase
    to_act: list[Seat]
    result: Result | UnsetType = UNSET
    mode: Mode
    players: int
    move_seconds: int
    steps: int
    quiet_steps: int
    first: Seat | UnsetType = UNSET
    seats: list[SeatView]
    colors: Colors | UnsetType = UNSET
    pieces: list[PieceView]
    lost: list[LostPiece]
    offer: Offer | UnsetType = UNSET
    last_move: LastMove | UnsetType = UNSET
    gold: Gold | UnsetType = UNSET
    settlement: Settlement | UnsetType = UNSET


# ---- 10.6 Position -----------------------------------------------------------------------------------------

_Steps = Annotated[int, Meta(ge=0, le=1000000)]


class PositionSeat(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A seat of a Position. `cause` if and only if it is defeated, `ready` only in phase `layout`."""

    seat: Seat
    status: Status = "alive"
    cause: Cause | UnsetType = UNSET
    ready: bool | UnsetType = UNSET
    timeouts: Annotated[int, Meta(ge=0, le=100)] = 0
    offered: bool = False


class PositionPiece(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A piece of a Position: in standard mode `seat`, in flip mode `color` and `face` (`up` if left out)."""

    piece: int | UnsetType = UNSET
    seat: Seat | UnsetType = UNSET
    color: Color | UnsetType = UNSET
    type: PieceType
    at: Space
    face: Face | UnsetType = UNSET


class PositionOffer(Struct, frozen=True, forbid_unknown_fields=True):
    """A pending draw offer."""

    by: Seat
    accepted: list[Seat] = field(default_factory=list)


class Position(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole state of a match that is not over (10.6)."""

    phase: Literal["layout", "play"] = "play"
    turn: Seat | UnsetType = UNSET
    first: Seat | UnsetType = UNSET
    steps: _Steps = 0
    quiet_steps: _Steps = 0
    seats: list[PositionSeat] = field(default_factory=list)
    colors: Colors | UnsetType = UNSET
    pieces: list[PositionPiece]
    offer: PositionOffer | UnsetType = UNSET
    last_move: LastMove | UnsetType = UNSET
