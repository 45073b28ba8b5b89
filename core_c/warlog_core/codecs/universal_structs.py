"""The vocabulary of Universal Chess: names, and the Structs of its JSON (`rules/universal.md`, 10), in order."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType, field

from warlog_core.codecs import ActionStruct, EffectStruct, Result, union_of

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


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of a match (4). All fields are optional."""

    mode: Annotated[Mode, Meta(description="`double` is the two-player game with two factions each")] = (
        "standard"
    )
    factions: (
        Annotated[
            list[Seat],
            Meta(
                min_length=2,
                max_length=5,
                description="which factions play; the order of the array has no meaning",
            ),
        ]
        | UnsetType
    ) = UNSET
    pairing: Annotated[Pairing, Meta(description="`double` only: who plays together")] = "opposite"
    first: Annotated[Seat, Meta(description="who begins")] | UnsetType = UNSET
    quiet_limit: Annotated[
        int,
        Meta(ge=0, le=10000, description="turns without progress until the match is drawn; 0 = never"),
    ] = 200
    breeding_limit: Annotated[int, Meta(ge=0, le=20, description="uses of Demon Breeding per match")] = 4
    psionics: Annotated[bool, Meta(description="every faction also gets one Psionic")] = False
    psionic_cost: Annotated[int, Meta(ge=0, le=20, description="cost of Mind Seizure")] = 6
    veterans: Annotated[bool, Meta(description="capture- and conquest-promotions (below)")] = False
    veteran_merits: Annotated[int, Meta(ge=1, le=20, description="merits that make a veteran")] = 3


# ---- actions, in the order of the table of section 7 -------------------------------------------------------


class Move(ActionStruct, frozen=True, tag="move"):
    """Go to a space, capturing what stands there, and perhaps declare its conquest (7.1)."""

    piece: Piece
    to: Space
    conquer: Literal[True] | UnsetType = UNSET


class Conquer(ActionStruct, frozen=True, tag="conquer"):
    """Declare the conquest of the space on which the piece stands (7.2)."""

    piece: Piece


class Promote(ActionStruct, frozen=True, tag="promote"):
    """Majora: an angel or a mecha becomes a Commander (7.3)."""

    piece: Piece


class Breed(ActionStruct, frozen=True, tag="breed"):
    """Chaos: a new demon beside a demon (7.4)."""

    piece: Piece
    to: Space
    pay: Pay


class Summon(ActionStruct, frozen=True, tag="summon"):
    """A wizard calls an own piece to its side (7.5)."""

    piece: Piece
    summoned: Piece
    to: Space
    pay: Pay


class Necromancy(ActionStruct, frozen=True, tag="necromancy"):
    """A wizard, or Evil's Mighty, brings an own dead piece back (7.6)."""

    piece: Piece
    raised: Piece
    to: Space
    pay: Pay


class Curse(ActionStruct, frozen=True, tag="curse"):
    """A wizard kills an opposing piece on a free line of at most four (7.7)."""

    piece: Piece
    target: Space
    pay: Pay


class Seize(ActionStruct, frozen=True, tag="seize"):
    """A psionic takes over an opposing piece on a free line of at most four (7.8)."""

    piece: Piece
    target: Space
    pay: Pay


class Freeze(ActionStruct, frozen=True, tag="freeze"):
    """Balance: an opposing piece cannot move in its owner's next turn (7.9). The turn goes on."""

    target: Space


class Sacrifice(ActionStruct, frozen=True, tag="sacrifice"):
    """Good: this turn has two moves of two different pieces (7.10)."""

    pay: Pay


class Pass(ActionStruct, frozen=True, tag="pass"):
    """Forgo the second sacrificial move, or the turn when no move is legal (7.11)."""


class OfferDraw(ActionStruct, frozen=True, tag="offer_draw"):
    """Offer a draw, once per turn (7.12). The turn goes on."""


class AcceptDraw(ActionStruct, frozen=True, tag="accept_draw"):
    """Accept the draw on offer (7.12)."""


class DeclineDraw(ActionStruct, frozen=True, tag="decline_draw"):
    """End the offer for all (7.12)."""


class Resign(ActionStruct, frozen=True, tag="resign"):
    """The faction leaves the match (7.13)."""


class Timeout(ActionStruct, frozen=True, tag="timeout"):
    """Posted by the server alone: as `resign` of `seat`, with a reason of its own (7.13)."""

    seat: Seat


Action = union_of(ActionStruct, globals())

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


# ---- effects -----------------------------------------------------------------------------------------------


class TurnStarted(EffectStruct, frozen=True, tag="turn"):
    seat: Seat
    number: int


class Paid(EffectStruct, frozen=True, tag="paid"):
    """These spaces are neutral now."""

    seat: Seat
    spaces: list[str]


class Moved(EffectStruct, frozen=True, tag="moved"):
    piece: int
    origin: str = field(name="from")
    to: str


class Captured(EffectStruct, frozen=True, tag="captured"):
    """`seat`: whose it was; `by`: the id of the capturing piece."""

    piece: int
    kind: Kind
    seat: Seat
    at: str
    by: int


class PromotionEarned(EffectStruct, frozen=True, tag="promotion_earned"):
    """`promotions`: the new number of unused promotions."""

    promotions: int


class Veteran(EffectStruct, frozen=True, tag="veteran"):
    piece: int
    at: str


class ConquestStarted(EffectStruct, frozen=True, tag="conquest_started"):
    piece: int
    at: str
    turns: int


class ConquestBroken(EffectStruct, frozen=True, tag="conquest_broken"):
    piece: int
    at: str


class ConquestProgress(EffectStruct, frozen=True, tag="conquest_progress"):
    piece: int
    at: str
    left: int


class Conquered(EffectStruct, frozen=True, tag="conquered"):
    """`previous`: the owner until now; absent if the space was neutral."""

    piece: int
    at: str
    seat: Seat
    previous: Seat | UnsetType = UNSET


class Promoted(EffectStruct, frozen=True, tag="promoted"):
    """`kind`: the former kind."""

    piece: int
    at: str
    kind: Kind


class Bred(EffectStruct, frozen=True, tag="bred"):
    """`piece`: the new one."""

    piece: int
    parent: int
    at: str


class Summoned(EffectStruct, frozen=True, tag="summoned"):
    piece: int
    origin: str = field(name="from")
    to: str
    by: int


class Raised(EffectStruct, frozen=True, tag="raised"):
    piece: int
    kind: Kind
    at: str
    by: int


class Cursed(EffectStruct, frozen=True, tag="cursed"):
    piece: int
    kind: Kind
    seat: Seat
    at: str
    by: int


class Seized(EffectStruct, frozen=True, tag="seized"):
    piece: int
    kind: Kind
    at: str
    previous: Seat
    seat: Seat
    by: int


class Released(EffectStruct, frozen=True, tag="released"):
    """`seat`: whose it is again."""

    piece: int
    at: str
    seat: Seat


class Frozen(EffectStruct, frozen=True, tag="frozen"):
    piece: int
    at: str


class Thawed(EffectStruct, frozen=True, tag="thawed"):
    piece: int
    at: str


class Sacrificed(EffectStruct, frozen=True, tag="sacrificed"):
    seat: Seat


class Passed(EffectStruct, frozen=True, tag="passed"):
    seat: Seat


class Eliminated(EffectStruct, frozen=True, tag="eliminated"):
    seat: Seat
    reason: OutReason


class DrawOffered(EffectStruct, frozen=True, tag="draw_offered"):
    seat: Seat


class DrawAccepted(EffectStruct, frozen=True, tag="draw_accepted"):
    seat: Seat


class DrawDeclined(EffectStruct, frozen=True, tag="draw_declined"):
    seat: Seat


class DrawLapsed(EffectStruct, frozen=True, tag="draw_lapsed"):
    """`seat`: the offerer."""

    seat: Seat


class Finished(EffectStruct, frozen=True, tag="finished"):
    winners: list[str]
    reason: str


Effect = union_of(EffectStruct, globals())

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
