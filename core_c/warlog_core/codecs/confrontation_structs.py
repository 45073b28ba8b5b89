"""The vocabulary of Confrontation: its names, and the Structs of its JSON (`rules/confrontation.md`, 10), in order."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType, field

from warlog_core.codecs import ActionStruct, Result
from warlog_core.codecs._options import options_struct

# ---- names (sections 2 to 5): a name's number is its place -------------------------------------------------

Seat = Literal["white", "red", "black", "blue"]
Phase = Literal["army", "order", "terrain", "setup", "play", "over"]
Type = Literal["king", "pawn", "rook", "knight", "bishop", "queen"]
BoughtType = Literal["pawn", "rook", "knight", "bishop", "queen"]
Status = Literal["reserve", "board", "fallen", "removed"]
Spell = Literal["fireball", "heal", "hurt", "judgement", "panic"]
Race = Literal["demons", "dwarves", "elves", "humans", "orcs", "undead"]
Kind = Literal["barrier", "counterspell", "enhancement", "rough"]
Treasure = Literal["sword", "armour", "boots", "scroll", "banner", "recruit"]
By = Literal["move", "fireball", "hurt", "judgement"]
Decision = Literal["hold", "luck", "live_again", "panic", "fury", "swift", "risen", "draw_offer"]
Outcome = Literal["attacker", "defender", "draw"]
RemovedReason = Literal["defeated", "eliminated"]
LeaveReason = Literal["king_defeated", "army_destroyed", "resigned", "timeout"]

SEATS: tuple[Seat, ...] = get_args(Seat)
SEATS_OF: dict[int, tuple[Seat, ...]] = {2: ("white", "black"), 3: SEATS[:3], 4: SEATS}
PHASES: tuple[Phase, ...] = get_args(Phase)
TYPES: tuple[Type, ...] = get_args(Type)
BOUGHT_TYPES: tuple[BoughtType, ...] = get_args(BoughtType)
STATUSES: tuple[Status, ...] = get_args(Status)
SPELL_NAMES: tuple[Spell, ...] = get_args(Spell)
RACE_NAMES: tuple[Race, ...] = get_args(Race)
KINDS: tuple[Kind, ...] = get_args(Kind)
TREASURES: tuple[Treasure, ...] = get_args(Treasure)
BYS: tuple[By, ...] = get_args(By)
DECISIONS: tuple[Decision, ...] = get_args(Decision)
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
REMOVED_REASONS: tuple[RemovedReason, ...] = get_args(RemovedReason)
LEAVE_REASONS: tuple[LeaveReason, ...] = get_args(LeaveReason)
REASONS = (*LEAVE_REASONS, "draw_agreed", "turn_limit", "stalemate")

# A space is (rank - 1) * 8 + file, both from 0.
SPACE_NAMES = [f"{chr(ord('a') + space % 8)}{space // 8 + 1}" for space in range(64)]
SPACE_IDS = {name: space for space, name in enumerate(SPACE_NAMES)}

Space = Annotated[str, Meta(pattern="^[a-h][1-8]$", description="a space id such as d5 (2)")]
Piece = Annotated[int, Meta(description="a piece's id")]

# ---- 10.1 options ------------------------------------------------------------------------------------------

_Move = Annotated[int, Meta(ge=1, le=7, description="spaces of movement")]
_Combat = Annotated[int, Meta(ge=0, le=9, description="rating in battle")]
_Cost = Annotated[int, Meta(ge=1, le=20, description="price in Army points")]
_Range = Annotated[int, Meta(ge=1, le=7, description="greatest king-distance of the target")]


class KingRule(Struct, frozen=True, forbid_unknown_fields=True):
    """Values of the King, which is never bought."""

    move: _Move | UnsetType = UNSET
    combat: _Combat | UnsetType = UNSET


class PieceRule(Struct, frozen=True, forbid_unknown_fields=True):
    """Values of a piece type; what is left out keeps its default."""

    move: _Move | UnsetType = UNSET
    combat: _Combat | UnsetType = UNSET
    cost: _Cost | UnsetType = UNSET


class PieceTable(Struct, frozen=True, forbid_unknown_fields=True):
    """Values that differ from those of section 3."""

    king: KingRule | UnsetType = UNSET
    pawn: PieceRule | UnsetType = UNSET
    rook: PieceRule | UnsetType = UNSET
    knight: PieceRule | UnsetType = UNSET
    bishop: PieceRule | UnsetType = UNSET
    queen: PieceRule | UnsetType = UNSET


class BattleSpellRule(Struct, frozen=True, forbid_unknown_fields=True):
    combat: _Combat | UnsetType = UNSET
    range: _Range | UnsetType = UNSET


class JudgementRule(Struct, frozen=True, forbid_unknown_fields=True):
    combat: _Combat | UnsetType = UNSET


class PanicRule(Struct, frozen=True, forbid_unknown_fields=True):
    range: _Range | UnsetType = UNSET


class HealRule(Struct, frozen=True, forbid_unknown_fields=True):
    """Heal has no numbers."""


class SpellTable(Struct, frozen=True, forbid_unknown_fields=True):
    """Values of spells that differ from those of section 3."""

    fireball: BattleSpellRule | UnsetType = UNSET
    heal: HealRule | UnsetType = UNSET
    hurt: BattleSpellRule | UnsetType = UNSET
    judgement: JudgementRule | UnsetType = UNSET
    panic: PanicRule | UnsetType = UNSET


class Area(Struct, frozen=True, forbid_unknown_fields=True):
    """Spaces with one kind of terrain (7.5)."""

    kind: Kind
    spaces: list[Space]


Options = options_struct(
    "confrontation",
    "The options of a match (4.1). All fields are optional.",
    {"piece_table": PieceTable, "spell_table": SpellTable, "terrain_areas": list[Area]},
)

# ---- 10.2 actions, in the order of table 7 -----------------------------------------------------------------


Count = Annotated[int, Meta(ge=0, le=60)]
Pieces = dict[BoughtType, Count]


class Army(ActionStruct, frozen=True, tag="army"):
    """Submit an army, finally (7.1). Listed as presets and once with `open`, which is never posted."""

    pieces: Pieces | UnsetType = UNSET
    bishops: list[list[Spell]] | UnsetType = UNSET
    race: Race | UnsetType = UNSET
    extra_tokens: Count | UnsetType = UNSET
    open: bool | UnsetType = UNSET


class PlaceTerrain(ActionStruct, frozen=True, tag="place_terrain"):
    """Place an area of 4 or 8 connected spaces outside all zones (7.3). Listed with `open`, which is never posted."""

    kind: Kind | UnsetType = UNSET
    spaces: list[Space] | UnsetType = UNSET
    open: bool | UnsetType = UNSET


class Cast(ActionStruct, frozen=True, tag="cast"):
    """Cast a spell (7.7): `target` with fireball, hurt, panic; `revive` and `to` with heal; nothing with judgement."""

    piece: Piece
    spell: Spell
    target: Space | UnsetType = UNSET
    revive: Piece | UnsetType = UNSET
    to: Space | UnsetType = UNSET


# ---- 10.3 view ---------------------------------------------------------------------------------------------


class PostedArmy(Struct, frozen=True):
    """A seat's own army as it was posted, without `type`."""

    pieces: Pieces
    bishops: list[list[Spell]] | UnsetType = UNSET
    race: Race | UnsetType = UNSET
    extra_tokens: int | UnsetType = UNSET


class SeatView(Struct, frozen=True):
    """A seat; which fields are there follows from the phase (10.3)."""

    seat: Seat
    alive: bool
    submitted: bool | UnsetType = UNSET
    army: PostedArmy | UnsetType = UNSET
    race: Race | UnsetType = UNSET
    race_tokens: int | UnsetType = UNSET


class PieceView(Struct, frozen=True, kw_only=True, gc=False):
    """A piece (3). `at` on the board only, numbers only when above 0, `spells` of Bishops that are not removed."""

    id: int
    seat: Seat
    type: Type
    status: Status
    at: str | UnsetType = UNSET
    strength: int | UnsetType = UNSET
    combat_bonus: int | UnsetType = UNSET
    move_bonus: int | UnsetType = UNSET
    spells: list[Spell] | UnsetType = UNSET


class Battle(Struct, frozen=True, kw_only=True):
    """The battle that an open decision is about; ratings and the dice that count for `luck` only."""

    attacker: int
    defender: int
    by: By
    origin: str = field(name="from")
    space: str
    attack_rating: int | UnsetType = UNSET
    defend_rating: int | UnsetType = UNSET
    attack_die: int | UnsetType = UNSET
    defend_die: int | UnsetType = UNSET


class Pending(Struct, frozen=True, kw_only=True):
    """The open decision: its kind, the seat that owns it, and what it is about (6.3)."""

    kind: Decision
    seat: Seat
    battle: Battle | UnsetType = UNSET
    piece: int | UnsetType = UNSET
    at: str | UnsetType = UNSET
    trigger: int | UnsetType = UNSET
    stage: int | UnsetType = UNSET
    by: Seat | UnsetType = UNSET


class View(Struct, frozen=True, kw_only=True):
    """What a seat or a spectator may know (10.3)."""

    game: Literal["confrontation"] = "confrontation"
    viewer: str
    phase: Phase
    to_act: list[str]
    result: Result | UnsetType = UNSET
    seats: list[SeatView]
    terrain: list[Area]
    pieces: list[PieceView]
    chooser: Seat | UnsetType = UNSET
    play_order: list[Seat] | UnsetType = UNSET
    turn: int | UnsetType = UNSET
    active: Seat | UnsetType = UNSET
    actions_left: int | UnsetType = UNSET
    acted: list[int] | UnsetType = UNSET
    draw_offered: bool | UnsetType = UNSET
    pending: Pending | UnsetType = UNSET


# ---- 10.4 effects ------------------------------------------------------------------------------------------


class RevealedPiece(Struct, frozen=True, gc=False):
    """A piece of a revealed army; `spells` for Bishops."""

    id: int
    type: Type
    spells: list[Spell] | UnsetType = UNSET


class RevealedArmy(Struct, frozen=True, kw_only=True):
    """A seat's army; `race` and `race_tokens` when races are on."""

    seat: Seat
    spent: int
    race: Race | UnsetType = UNSET
    race_tokens: int | UnsetType = UNSET
    pieces: list[RevealedPiece]


class Roll(Struct, frozen=True, gc=False):
    seat: Seat
    die: int


# ---- 10.6 Position -----------------------------------------------------------------------------------------

_Number = Annotated[int, Meta(ge=0, le=999)]


class PositionSeat(Struct, frozen=True, forbid_unknown_fields=True):
    """A seat of a Position; `race` and `race_tokens` when races are on."""

    seat: Seat
    alive: bool = True
    race: Race | UnsetType = UNSET
    race_tokens: _Number | UnsetType = UNSET


class PositionPiece(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A piece of a Position; a Rook on the board has strength 1 unless it says otherwise."""

    id: Annotated[int, Meta(ge=1, le=9999)]
    seat: Seat
    type: Type
    status: Literal["board", "removed"] = "board"
    at: Space | UnsetType = UNSET
    strength: _Number | UnsetType = UNSET
    combat_bonus: _Number | UnsetType = UNSET
    move_bonus: _Number | UnsetType = UNSET
    spells: list[Spell] | UnsetType = UNSET


class Position(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole state of a match in phase `play` without an open decision (10.6)."""

    seats: list[PositionSeat]
    play_order: list[Seat] | UnsetType = UNSET
    active: Seat | UnsetType = UNSET
    turn: Annotated[int, Meta(ge=1)] = 1
    actions_left: Annotated[int, Meta(ge=0, le=4)] | UnsetType = UNSET
    acted: list[Piece] = field(default_factory=list)
    draw_offered: bool = False
    pieces: list[PositionPiece]
    terrain: list[Area] = field(default_factory=list)
