"""The vocabulary of Weaponized Chess: its names, and the Structs of its JSON (`rules/wec.md`, 10), in book order."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType, field

from warlog_core.codecs import ActionStruct, Result
from warlog_core.codecs._options import options_struct

# ---- names (sections 2 to 4): a name's number is its place -------------------------------------------------

Seat = Literal["black", "white"]
Level = Literal["ground", "air", "sub"]
Direction = Literal["n", "ne", "e", "se", "s", "sw", "w", "nw"]
Hand = Literal["left", "right"]
Path = Literal["beeline", "port", "starboard"]
PieceType = Literal[
    "rocket_pawn", "stun_pawn", "flame_pawn", "conversion_pawn", "xxx_pawn", "stealth_pawn", "sam_torpedo_pawn",
    "tank", "dozer", "cleric", "chopper", "jet", "sub", "destroyer", "aaa", "king", "dictator", "avatar", "president",
    "queen", "assassin", "acolyte", "prime_minister",
]  # fmt: skip
ArticleKind = Literal[
    "flame", "stun", "conversion", "rocket_launcher", "sam_launcher", "torpedo_launcher", "stealth", "anti_flame",
    "anti_stun", "anti_conversion", "anti_rocket", "anti_sam", "anti_torpedo", "anti_stealth", "bicycle", "jump_pack",
    "scuba", "xxx",
]  # fmt: skip
Weapon = Literal[
    "flame", "stun", "conversion", "rocket_launcher", "sam_launcher", "torpedo_launcher", "limited_rocket", "bicycle",
    "jump_pack", "scuba",
]  # fmt: skip
Transport = Literal["bicycle", "jump_pack", "scuba"]
ProjectileKind = Literal["rocket", "sam", "torpedo"]
MoveCause = Literal["move", "carry", "doze", "journey", "fall"]
LossCause = Literal["taken", "flame", "rocket", "sam", "torpedo", "stun", "conversion", "crash"]

SEATS: tuple[Seat, ...] = get_args(Seat)
LEVELS: tuple[Level, ...] = get_args(Level)
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
# rank, file of one step
DIRECTION_STEPS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
HANDS: tuple[Hand, ...] = get_args(Hand)  # numbered from 1; 0 is none
PATHS: tuple[Path, ...] = get_args(Path)
# Types and kinds are numbered from 1, as in the book's tables; 0 is none.
TYPES: tuple[PieceType, ...] = get_args(PieceType)
KINDS: tuple[ArticleKind, ...] = get_args(ArticleKind)
WEAPONS: tuple[Weapon, ...] = get_args(Weapon)
# Abilities with a countdown; those of each type stand in the book's order (3.1).
WEAPON_ABILITIES = (*KINDS[:6], "limited_rocket")
INHERENT_WEAPONS: dict[str, tuple[str, ...]] = dict.fromkeys(TYPES, ()) | {
    "rocket_pawn": ("rocket_launcher",),
    "stun_pawn": ("stun",),
    "flame_pawn": ("flame",),
    "conversion_pawn": ("conversion",),
    "sam_torpedo_pawn": ("sam_launcher", "torpedo_launcher"),
    "tank": ("flame",),
    "cleric": ("conversion",),
    "chopper": ("stun",),
    "jet": ("sam_launcher", "limited_rocket"),
    "sub": ("torpedo_launcher", "limited_rocket"),
    "destroyer": ("torpedo_launcher",),
    "aaa": ("sam_launcher",),
}
TRANSPORTS: tuple[Transport, ...] = get_args(Transport)
PROJECTILES: tuple[ProjectileKind, ...] = get_args(ProjectileKind)
HITS = ("flame", "stun", "conversion", "rocket", "sam", "torpedo")
MOVE_CAUSES: tuple[MoveCause, ...] = get_args(MoveCause)
LOSS_CAUSES: tuple[LossCause, ...] = get_args(LossCause)
REASONS = ("primary_destroyed", "primary_converted", "resigned", "timeout", "draw_agreed", "no_moves")
LOSSES = ("primary_destroyed", "primary_converted")

FILES = 10
SQUARES = tuple(f"{chr(ord('a') + file)}{rank + 1}" for rank in range(FILES) for file in range(FILES))
SQUARE_NUMBERS = {name: number for number, name in enumerate(SQUARES)}

Square = Annotated[str, Meta(pattern="^[a-j]([1-9]|10)$", description="a square such as e5 (2)")]
PieceId = Annotated[int, Meta(description="the id of an own piece")]

# ---- 10.1 options (4.4) ------------------------------------------------------------------------------------

Options = options_struct(
    "wec", "The options of a match (4.4). All fields are optional; the defaults are the standard game."
)

# ---- 10.2 actions, in the order of the table in 7 ------------------------------------------------------------


class Doze(ActionStruct, frozen=True, tag="doze"):
    """The Move of the turn: a dozer, its companion and all on `squares` go one step (7.2)."""

    piece: PieceId
    squares: Annotated[list[Square], Meta(description="sorted by rank, then file; may be empty")]
    direction: Direction


# ---- 10.3 view -----------------------------------------------------------------------------------------------


class ArticleView(Struct, frozen=True, gc=False):
    """An article. `ready_in`: own turns until it may fire, left out when it may."""

    kind: str
    ready_in: int | UnsetType = UNSET


class JourneyView(Struct, frozen=True, kw_only=True):
    """An own piece's journey; of an enemy's only the article."""

    article: str
    to: str | UnsetType = UNSET
    path: str | UnsetType = UNSET
    remaining: list[str] | UnsetType = UNSET


class PieceView(Struct, frozen=True, kw_only=True):
    """A piece as its viewer sees it; `piece`, `acted` and `fired` on own pieces only."""

    piece: int | UnsetType = UNSET
    seat: Seat
    type: str
    at: str
    level: Level
    hand: Hand | UnsetType = UNSET
    unmoved: bool | UnsetType = UNSET
    articles: list[ArticleView] | UnsetType = UNSET
    ready_in: dict[str, int] | UnsetType = UNSET
    stun: int | UnsetType = UNSET
    acted: bool | UnsetType = UNSET
    fired: bool | UnsetType = UNSET
    journey: JourneyView | UnsetType = UNSET


class Heap(Struct, frozen=True):
    """The loose articles of a square, in slot order."""

    at: str
    articles: list[ArticleView]


class Projectile(Struct, frozen=True, gc=False):
    """A projectile in flight."""

    kind: str
    seat: Seat
    at: str
    level: Level
    direction: Direction
    strength: int
    homing: bool


class Reinforcement(Struct, frozen=True, gc=False):
    """An own reinforcement that waits."""

    piece: int
    type: str
    at: str
    hand: Hand | UnsetType = UNSET


class Ghost(Struct, frozen=True, gc=False):
    """Where an enemy piece was seen last (8.5)."""

    type: PieceType
    at: Square
    level: Level
    turn: Annotated[int, Meta(ge=1)]


class TurnState(Struct, frozen=True):
    """What the seat to act has used of its turn."""

    moved: bool
    fires: int
    pick_ups: int
    drops: int
    exchanges: int
    reinforces: int
    vacated: list[str]


class View(Struct, frozen=True, kw_only=True):
    """What a seat or a spectator may know (10.3)."""

    game: Literal["wec"] = "wec"
    viewer: str
    phase: Literal["play", "over"]
    to_act: list[str]
    result: Result | UnsetType = UNSET
    turn: int
    options: Options  # type: ignore[valid-type]
    draw_offer: Seat | UnsetType = UNSET
    turn_state: TurnState | UnsetType = UNSET
    pieces: list[PieceView]
    enemies: list[PieceView]
    articles: list[Heap]
    projectiles: list[Projectile]
    reinforcements: list[Reinforcement]
    activation_squares: dict[Seat, list[str]]
    ghosts: list[Ghost]


# ---- 10.5 Position -------------------------------------------------------------------------------------------

_Id = Annotated[int, Meta(ge=1, le=32767)]
_HalfTurn = Annotated[int, Meta(ge=0)]


class PositionArticle(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An article that is not ready, or has a lock (carried anti_stealth only: the target's id)."""

    kind: ArticleKind
    ready_turn: _HalfTurn | UnsetType = UNSET
    lock: int | UnsetType = UNSET


PositionArticles = list[ArticleKind | PositionArticle]


class PositionJourney(Struct, frozen=True, forbid_unknown_fields=True):
    """`remaining`: the squares still to visit."""

    article: Transport
    to: Square
    path: Path
    remaining: list[Square]


class PositionPiece(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A piece on the board. Half-turn numbers are absolute."""

    id: _Id
    seat: Seat
    type: PieceType
    at: Square
    level: Level = "ground"
    hand: Hand | UnsetType = UNSET
    unmoved: bool | UnsetType = UNSET
    articles: PositionArticles | UnsetType = UNSET
    ready_turns: dict[str, _HalfTurn] | UnsetType = UNSET
    lock: int | UnsetType = UNSET
    stunned_until: _HalfTurn | UnsetType = UNSET
    revealed_until: _HalfTurn | UnsetType = UNSET
    journey: PositionJourney | UnsetType = UNSET


class PositionHeap(Struct, frozen=True, forbid_unknown_fields=True):
    """One or two loose articles of a square."""

    at: Square
    articles: PositionArticles


class PositionProjectile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`target`: the id it homes on. `fresh`: created in this half-turn."""

    kind: ProjectileKind
    seat: Seat
    at: Square
    direction: Direction
    strength: int = 1
    target: int | UnsetType = UNSET
    fresh: bool | UnsetType = UNSET


class PositionReinforcement(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reinforcement that waits."""

    id: _Id
    seat: Seat
    type: PieceType
    at: Square
    hand: Hand | UnsetType = UNSET


class PositionTurnState(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The half-turn under way; every field is optional. Lists of ids name the marked pieces."""

    moved: bool | UnsetType = UNSET
    fires: Annotated[int, Meta(ge=0, le=2)] | UnsetType = UNSET
    pick_ups: Annotated[int, Meta(ge=0, le=1)] | UnsetType = UNSET
    drops: Annotated[int, Meta(ge=0, le=1)] | UnsetType = UNSET
    exchanges: Annotated[int, Meta(ge=0, le=1)] | UnsetType = UNSET
    reinforces: Annotated[int, Meta(ge=0, le=1)] | UnsetType = UNSET
    vacated: list[Square] | UnsetType = UNSET
    acted: list[_Id] | UnsetType = UNSET
    fired: list[_Id] | UnsetType = UNSET
    moved_pieces: list[_Id] | UnsetType = UNSET
    converted: list[_Id] | UnsetType = UNSET
    travelled: list[_Id] | UnsetType = UNSET
    hits: list[dict[str, int]] | UnsetType = UNSET
    primary_lost: dict[Seat, Literal["primary_destroyed", "primary_converted"]] | UnsetType = UNSET


class Position(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The complete state of a running match, the options apart (10.5)."""

    turn: Annotated[int, Meta(ge=1, le=1000000)] = 1
    to_move: Seat = "black"
    idle_turns: Annotated[int, Meta(ge=0, le=1)] = 0
    pieces: list[PositionPiece]
    articles: list[PositionHeap] = field(default_factory=list)
    projectiles: list[PositionProjectile] = field(default_factory=list)
    reinforcements: list[PositionReinforcement] = field(default_factory=list)
    activation_squares: dict[Seat, list[Square]] | UnsetType = UNSET
    ghosts: dict[Seat, list[Ghost]] | UnsetType = UNSET
    draw_offer: Seat | UnsetType = UNSET
    turn_state: PositionTurnState | UnsetType = UNSET
