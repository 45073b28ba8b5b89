"""The vocabulary of Hex Tactics: its names, and the Structs of its JSON (`rules/hex.md`, 10), in the book's order."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType, field

from warlog_core.codecs import ActionStruct, Result
from warlog_core.codecs._options import options_struct

# ---- names (sections 2 to 5): a name's number is its place -------------------------------------------------

Seat = Literal["red", "blue", "green", "yellow"]
Phase = Literal["recruit", "deploy", "play", "over"]
Status = Literal["in", "eliminated", "resigned"]
Movement = Literal["walk", "leap", "fly"]
SkillKind = Literal["none", "heal", "summon"]
Kind = Literal["melee", "ranged", "retaliation"]
LeaveReason = Literal["resigned", "timeout"]

SEATS: tuple[Seat, ...] = get_args(Seat)
PHASES: tuple[Phase, ...] = get_args(Phase)
STATUSES: tuple[Status, ...] = get_args(Status)
MOVEMENTS: tuple[Movement, ...] = get_args(Movement)
SKILLS: tuple[SkillKind, ...] = get_args(SkillKind)
KINDS: tuple[Kind, ...] = get_args(Kind)
LEAVE_REASONS: tuple[LeaveReason, ...] = get_args(LeaveReason)
PRESETS = ("auto", "host", "rangers", "coven", "talons")
REASONS = ("elimination", "resigned", "timeout", "draw_agreed", "round_limit")

WIDTH_MAX, HEIGHT_MAX = 25, 19
ROW = 32  # a space is (rank - 1) * 32 + column
SPACE_IDS = {
    f"{chr(ord('a') + column)}{row + 1}": row * ROW + column
    for row in range(HEIGHT_MAX)
    for column in range(WIDTH_MAX)
}
SPACE_NAMES = [""] * (HEIGHT_MAX * ROW)
for _name, _number in SPACE_IDS.items():
    SPACE_NAMES[_number] = _name

Space = Annotated[str, Meta(pattern="^[a-y]([1-9]|1[0-9])$", description="a space id such as g5 (2.1)")]
Piece = Annotated[int, Meta(ge=1, description="a stack's id")]

# ---- 3. pieces ---------------------------------------------------------------------------------------------


class UnitType(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A unit type (3.1). The four skill fields are there exactly when they apply."""

    id: Annotated[str, Meta(pattern="^[a-z][a-z0-9_]{0,31}$", description="name of the type in every JSON")]
    name: Annotated[str, Meta(min_length=1, max_length=40, description="for display")]
    level: Annotated[int, Meta(ge=1, le=10, description="strengthens skills")]
    initiative: Annotated[int, Meta(ge=0, le=99, description="higher acts earlier in the round")]
    hp: Annotated[int, Meta(ge=1, le=9999, description="hit points of one unit")]
    move: Annotated[int, Meta(ge=0, le=99, description="greatest path length of one move")]
    movement: Annotated[Movement, Meta(description="section 2.6")]
    range: Annotated[int, Meta(ge=1, le=99, description="attack range, in distance")]
    attack: Annotated[int, Meta(ge=0, le=9999, description="base attack of one unit")]
    spread: Annotated[
        int, Meta(ge=0, le=9999, description="random part of one unit's attack, at most `attack`")
    ]
    shooter: Annotated[bool, Meta(description="true: shooter; false: melee type")]
    retaliations: Annotated[int, Meta(ge=0, le=99, description="retaliations between two of its turns")]
    skill: Annotated[SkillKind, Meta(description="the one active skill, if any")]
    skill_range: (
        Annotated[int, Meta(ge=0, le=99, description="only with a skill: greatest distance")] | UnsetType
    ) = UNSET
    skill_power: Annotated[int, Meta(ge=1, le=1000, description="only with a skill: see 7.9")] | UnsetType = (
        UNSET
    )
    skill_uses: (
        Annotated[
            int, Meta(ge=0, le=99, description="only with a skill: uses per stack and battle; 0 = no limit")
        ]
        | UnsetType
    ) = UNSET
    summon_unit: (
        Annotated[str, Meta(description="id of a type whose skill is not `summon`; only with `summon`")]
        | UnsetType
    ) = UNSET
    cost: Annotated[int, Meta(ge=0, le=99999, description="points for one unit; 0 = cannot be recruited")]


class Stack(Struct, frozen=True, kw_only=True, gc=False):
    """A stack (3.3). `space` is missing where section 8 hides it."""

    id: int
    seat: str
    unit: str
    space: str | UnsetType = UNSET
    count: int
    start_count: int
    top_hp: int
    defending: bool
    waited: bool
    retaliations_used: int
    skill_used: int
    summoned: bool


class ArmyEntry(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """So many units of one type: one stack."""

    unit: str
    count: Annotated[int, Meta(ge=1, le=9999)]


# ---- 10.1 options ------------------------------------------------------------------------------------------


Options = options_struct(
    "hex",
    "The options of a match (4.1). All fields are optional.",
    {
        "obstacle_spaces": list[Space],
        "armies": dict[Seat, list[ArmyEntry]],
        "roster": Annotated[list[UnitType], Meta(min_length=1, max_length=40)],
    },
)

# ---- 10.2 actions, in the order of table 7.1 ---------------------------------------------------------------


class Recruit(ActionStruct, frozen=True, tag="recruit"):
    """Submit an army, finally (7.3). Listed as `{"type": "recruit", "open": true}`; `open` is never posted."""

    army: list[ArmyEntry] | UnsetType = UNSET
    open: bool | UnsetType = UNSET


# ---- 10.3 view ---------------------------------------------------------------------------------------------


class Board(Struct, frozen=True):
    width: int
    height: int
    obstacles: list[str]


class SeatView(Struct, frozen=True):
    """A seat as a viewer sees it; which fields are there follows from the phase (10.3)."""

    seat: str
    side: int
    status: Status
    submitted: bool | UnsetType = UNSET
    army: list[ArmyEntry] | UnsetType = UNSET
    ready: bool | UnsetType = UNSET
    draw_offer: bool | UnsetType = UNSET
    draw_used: bool | UnsetType = UNSET


class View(Struct, frozen=True, kw_only=True):
    """What a seat or a spectator may know (10.3)."""

    game: Literal["hex"] = "hex"
    viewer: str
    phase: Phase
    to_act: list[str]
    result: Result | UnsetType = UNSET
    round: int
    board: Board
    roster: list[UnitType]
    seats: list[SeatView]
    stacks: list[Stack]
    queue: list[int]
    active: int | UnsetType = UNSET
    zone: list[str] | UnsetType = UNSET


# ---- 10.4 effects ------------------------------------------------------------------------------------------


class StackSpace(Struct, frozen=True, gc=False):
    id: int
    space: str


# ---- 10.6 Position -----------------------------------------------------------------------------------------


class PositionStack(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A stack of a Position (10.6): `id` in all stacks or in none."""

    id: int | UnsetType = UNSET
    seat: Seat
    unit: str
    space: Space
    count: Annotated[int, Meta(ge=1, le=9999)]
    start_count: int | UnsetType = UNSET
    top_hp: int | UnsetType = UNSET
    defending: bool = False
    waited: bool = False
    retaliations_used: int = 0
    skill_used: int = 0
    summoned: bool = False


class PositionSeat(Struct, frozen=True, forbid_unknown_fields=True):
    """A seat of a Position (10.6). Which fields belong follows from the phase."""

    seat: Seat
    status: Status | UnsetType = UNSET
    army: list[ArmyEntry] | UnsetType = UNSET
    ready: bool | UnsetType = UNSET
    draw_offer: bool | UnsetType = UNSET
    draw_used: bool | UnsetType = UNSET


class Position(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole state of a match that is not over (10.6)."""

    phase: Literal["recruit", "deploy", "play"] = "play"
    round: Annotated[int, Meta(ge=0, le=999999999)] | UnsetType = UNSET
    obstacles: list[Space] = field(default_factory=list)
    stacks: list[PositionStack] = field(default_factory=list)
    queue: list[int] | UnsetType = UNSET
    next_id: Annotated[int, Meta(ge=1, le=1000000000)] | UnsetType = UNSET
    seats: list[PositionSeat] = field(default_factory=list)
