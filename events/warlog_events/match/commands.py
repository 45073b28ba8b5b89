"""What a player may ask of a match, in the imperative. A command may be refused; the event it leads to
(model.py) is a fact.

These Structs are the bodies of the API: decode with `msgspec.convert(warlog_core.loads(body), Command)`, so that
what is inside `action`, `options` and `position` reaches the rules core as it was sent (1 apart from 1.0,
integers of any size).
"""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from .model import DeclineReason, Search


def _game(kind: str, text: str) -> Meta:
    """Any JSON here: the rule book judges it. The OpenAPI document has the schemas of all games at its place."""
    return Meta(description=text, extra_json_schema={"x-component": f"Game{kind}"})


Json = dict[str, object]
GivenOptions = Annotated[Json, _game("Options", "options of the game; what is left out has its default")]
Position = Annotated[Json, _game("Position", "where the match begins, instead of the game's own setup")]
Seat = Annotated[str, Meta(description="a seat that you hold")]
ProposalVersion = Annotated[int, Meta(description="version of the event `proposal_made`")]
Mode = Annotated[
    Literal["casual", "competitive"], Meta(description="in a casual match the players may go back")
]
SECONDS_MAX = 30 * 24 * 3600
_SECONDS = {"minimum": 0, "maximum": SECONDS_MAX}  # creation.py refuses others, with the bounds

MoveSeconds = Annotated[
    int,
    Meta(
        description="seconds for each turn, 0 for no limit; in a game with an option of that name it is that option",
        extra_json_schema=_SECONDS,
    ),
]
SetupSeconds = Annotated[
    int,
    Meta(
        description="seconds that a seat may take for layout, purchase, deployment and terrain, 0 for no limit; "
        "absent: 300 in a competitive match, no limit in a casual one. It holds in the phases that the game names",
        extra_json_schema=_SECONDS,
    ),
]
GameName = Annotated[str, Meta(description="name of the game")]


class Act(Struct, tag="act", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """A seat does something in the game. `action` is the rule book's business, whatever JSON value it is."""

    seat: Seat
    action: Annotated[object, _game("Action", "what the seat does")]
    search: (
        Annotated[Search, Meta(description="for house bots alone: how it was found; shown after the end")]
        | UnsetType
    ) = UNSET


class Prepare(Struct, tag="prepare", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Prepares a seat in the lobby. The last one starts the match."""

    seat: Seat


class Options(Struct, tag="options", tag_field="kind", frozen=True, forbid_unknown_fields=True):
    """Other options; before the start also another beginning (one of the last three at most; null takes it back)."""

    options: (
        Annotated[
            Json,
            Meta(
                description="changes to the options in force; null takes one back to its default",
                extra_json_schema={"additionalProperties": True},
            ),
        ]
        | UnsetType
    ) = UNSET
    position: (
        Annotated[Position | None, Meta(description="where to begin; null: the normal start")] | UnsetType
    ) = UNSET
    scenario: (
        Annotated[
            str, Meta(description="id of a scenario: its options and Position replace those of the match")
        ]
        | UnsetType
    ) = UNSET
    record: (
        Annotated[
            Annotated[Json, Meta(extra_json_schema={"x-component": "Record"})] | None,
            Meta(description="a record whose match is to go on here after the start; null: no longer"),
        ]
        | UnsetType
    ) = msgspec.field(default=UNSET, name="import")


class Undo(Struct, tag="undo", tag_field="kind", frozen=True, forbid_unknown_fields=True):
    """Play goes on from what was after event `to` (from `match_started` on, of any line)."""

    to: Annotated[int, Meta(description="the version after which play goes on")]


class Edit(Struct, tag="edit", tag_field="kind", frozen=True, forbid_unknown_fields=True):
    """Play goes on from this Position as a new match would."""

    position: Annotated[Json, _game("Position", "where play goes on")]


class Competitive(Struct, tag="competitive", tag_field="kind", frozen=True, forbid_unknown_fields=True):
    """The match becomes competitive, for good."""


class Abort(Struct, tag="abort", tag_field="kind", frozen=True, forbid_unknown_fields=True):
    """The match ends in the lobby, without a result."""


class Rematch(Struct, tag="rematch", tag_field="kind", frozen=True, forbid_unknown_fields=True):
    """A new match of the same players with the same settings, after this one is over. Each gets another's seat."""


Proposal = Options | Undo | Edit | Competitive | Abort | Rematch


class Propose(Struct, tag="propose", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Takes effect when every other player who holds a seat has accepted; at once where there is none, or with the
    consent `none`. Until then it is open: the next proposal replaces it, and it lapses with the next action or change
    of seats. The proposer need not accept it; with `reject` he withdraws it."""

    proposal: Annotated[Proposal, Meta(description="what you propose")]


class Accept(Struct, tag="accept", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """`proposal` is the version of its `proposal_made`."""

    proposal: ProposalVersion


class Reject(Struct, tag="reject", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Also how a proposer withdraws."""

    proposal: ProposalVersion


Command = Act | Prepare | Propose | Accept | Reject
"""What `POST /matches/{id}/commands` takes."""


class TakeSeat(Struct, tag="take_seat", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """`PUT /matches/{id}/seats/{seat}`. `player`: the house bot that gets the seat (`bot:5`); "": the sender."""

    seat: str
    invitation: str = ""
    player: str = ""


class LeaveSeat(Struct, tag="leave_seat", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """`DELETE /matches/{id}/seats/{seat}`."""

    seat: str


class Join(Struct, tag="join", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """`POST /matches/{id}/join`, with `"seating": "wish"`. Joining again changes the wish."""

    wish: str | None = None


class Decline(Struct, tag="decline", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """`POST /matches/{id}/decline`: all seats that the maker of the match gave to the sender."""

    reason: Annotated[
        DeclineReason,
        Meta(description="`later`: ask again; `options`: not with these options; `not_now`: no"),
    ]


AnyCommand = Command | TakeSeat | LeaveSeat | Join | Decline
"""What `PlayerCommands.execute` takes from a player."""


class CreateMatch(Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /matches`."""

    game: GameName
    options: GivenOptions = {}
    seats: Annotated[
        dict[str, str],
        Meta(
            description="seat → `me`, `open`, `invite`, a player id, or `bot:1` to `bot:8` for a bot of the house; a "
            "seat that is not named is open. In a competitive match a player holds seats of one side only, and "
            "with a bot of the house it moves no rating but the bot's"
        ),
    ] = {}
    mode: Mode = "casual"
    consent: Annotated[
        Literal["all", "none"], Meta(description="who must accept a proposal: all other players, or nobody")
    ] = "all"
    move_seconds: MoveSeconds | UnsetType = UNSET
    visibility: Annotated[
        Literal["public", "private"], Meta(description="private: only its players can see that it exists")
    ] = "public"
    seating: Annotated[
        Literal["direct", "wish"],
        Meta(
            description="wish: nobody takes a seat directly, players join with a wish (`seats` then stays empty)"
        ),
    ] = "direct"
    position: Annotated[Position | None, Meta(description="null: the game's own setup")] | UnsetType = UNSET
    scenario: (
        Annotated[
            str, Meta(description="id of a scenario, instead of `position`; `options` change the scenario's")
        ]
        | UnsetType
    ) = UNSET
    setup_seconds: SetupSeconds | UnsetType = UNSET
    open_record: Annotated[
        bool,
        Meta(
            description="everybody may have the complete record and position of the running match; casual alone"
        ),
    ] = False


class Wanted(Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /pairing`: the match that a player wants, as in `POST /matches`. Seats are given by lot."""

    game: GameName
    options: GivenOptions = {}
    mode: Mode = "casual"
    move_seconds: MoveSeconds | UnsetType = UNSET
    setup_seconds: SetupSeconds | UnsetType = UNSET
