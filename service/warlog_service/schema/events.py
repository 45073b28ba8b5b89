"""Events as readers see them (`warlog_events.reading.visible`), also in feeds. What a reader may not know is absent."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Union

from msgspec import UNSET, Meta, Struct, UnsetType

from warlog_events.match.model import Search
from warlog_service.schema.common import (
    FREE,
    BotInMatch,
    GameEffect,
    GameOptions,
    GamePosition,
    GameView,
    Json,
    PlayerName,
    Result,
    Time,
    component,
)

GameSeenAction = Annotated[Json, component("GameSeenAction", "absent where you may not see it at all")]
Proposed = Annotated[
    int | None,
    Meta(description="version of the proposal that was accepted; null: it needed nobody's consent"),
]
Draws = Annotated[list[int], Meta(description="the numbers that were drawn for this event, in order")]
Effects = Annotated[list[GameEffect], Meta(description="what it led to, as far as you may see it, in order")]
Commitment = Annotated[
    str, Meta(description="`sha256:` and the SHA-256 of the secret seed of the next draws, in hex")
]
With = Annotated[
    Literal["position"], Meta(description="stands where there is a Position that you may not see")
]
Uncounted = Annotated[
    list[str],
    Meta(description="why not: options beyond what counts (by name), `position`, `same_players`, `bots`"),
]


Bots = Annotated[
    dict[str, BotInMatch], Meta(description="by seat: bots of the house that commit themselves to new seeds")
]


RENAMED = {"with_": "with", "record": "import"}


class EventBase(Struct, frozen=True, kw_only=True, tag_field="type", rename=RENAMED):
    version: Annotated[int, Meta(ge=1, description="the number of the event in its match")]
    at: Time


class HeldSeat(Struct, frozen=True):
    """A seat, and who holds it."""

    seat: Annotated[str, Meta(description="name of the seat")]
    player: Annotated[PlayerName | None, Meta(description="null: nobody")]


class RecordSummary(Struct, frozen=True):
    """Identifies the record from which the match is to go on."""

    events: Annotated[int, Meta(description="how many events it has")]
    match: Annotated[str, Meta(description="id of the match that it is of")] | UnsetType = UNSET
    options: GameOptions | UnsetType = UNSET


class Ends(EventBase, frozen=True, kw_only=True):
    """What the event that ends the match publishes."""

    result: Annotated[Result, Meta(description="with the event that ends the match")] | UnsetType = UNSET
    seeds: (
        Annotated[
            dict[str, str],
            Meta(description="when the match is over: commitment → seed in hex, those not known before"),
        ]
        | UnsetType
    ) = UNSET
    settlement: (
        Annotated[
            Json,
            Meta(description="how points and gold move, as the rule book defines it", extra_json_schema=FREE),
        ]
        | UnsetType
    ) = UNSET


class MatchCreatedEvent(EventBase, frozen=True, kw_only=True, tag="match_created"):
    """A match was created; its lobby is open."""

    game: Annotated[str, Meta(description="name of the game")]
    rules_version: Annotated[int, Meta(description="version of the rules that the match is played by")]
    mode: Annotated[
        Literal["casual", "competitive"], Meta(description="in a casual match the players may go back")
    ]
    options: GameOptions
    consent: Annotated[Literal["all", "none"], Meta(description="who must accept a proposal")]
    move_seconds: Annotated[
        int,
        Meta(
            description="seconds for each turn, as requested; 0: not requested. In a game with an option of this name "
            "the option applies instead: the summary's `move_seconds` is the value in force"
        ),
    ]
    setup_seconds: Annotated[int, Meta(description="seconds for setting up; 0: no limit")]
    visibility: Annotated[Literal["public", "private"], Meta(description="who can see the match")]
    seating: Annotated[Literal["direct", "wish"], Meta(description="how seats are taken")]
    open_record: Annotated[bool, Meta(description="may everybody have the complete record while it runs?")]
    seats: Annotated[list[HeldSeat], Meta(description="in seat order")]
    creator: Annotated[PlayerName, Meta(description="who created the match")]
    seed_commitment: Commitment
    position: GamePosition | UnsetType = UNSET
    with_: With | UnsetType = UNSET
    imported: (
        Annotated[str, Meta(description="id of the match of the imported record; empty: it has none")]
        | UnsetType
    ) = UNSET
    rematch_of: Annotated[str, Meta(description="the match after which this one is")] | UnsetType = UNSET
    bots: Bots | UnsetType = UNSET


class PlayerJoinedEvent(EventBase, frozen=True, kw_only=True, tag="player_joined"):
    """Somebody joined a match whose seats are given by wish."""

    player: Annotated[PlayerName, Meta(description="who joined")]
    wish: Annotated[str | None, Meta(description="the seat that he would like; null: any")]


class SeatsAssignedEvent(EventBase, frozen=True, kw_only=True, tag="seats_assigned"):
    """The last player joined, and all have got their seats."""

    player: Annotated[PlayerName, Meta(description="who joined last")]
    wish: Annotated[str | None, Meta(description="the seat that he wished; null: any")]
    seats: Annotated[list[HeldSeat], Meta(description="who has got which seat")]
    draws: Draws


class SeatTakenEvent(EventBase, frozen=True, kw_only=True, tag="seat_taken"):
    """A player took a seat in the lobby."""

    seat: Annotated[str, Meta(description="the seat that was taken")]
    player: Annotated[PlayerName, Meta(description="who took it, or was given it")]
    bots: Bots | UnsetType = UNSET


class SeatLeftEvent(EventBase, frozen=True, kw_only=True, tag="seat_left"):
    """A seat in the lobby is free again."""

    seat: Annotated[str, Meta(description="the seat that is free")]


class SeatPreparedEvent(EventBase, frozen=True, kw_only=True, tag="seat_prepared"):
    """A seat in the lobby is prepared; when all are, the match starts."""

    seat: Annotated[str, Meta(description="the seat that is prepared")]


class ChallengeDeclinedEvent(EventBase, frozen=True, kw_only=True, tag="challenge_declined"):
    """Somebody does not take the seats that the maker of the match gave to him: they are free again."""

    seats: Annotated[list[str], Meta(description="the seats that are free")]
    reason: Annotated[
        Literal["later", "options", "not_now", "lapsed"],
        Meta(description="why; `lapsed`: nobody answered within a day"),
    ]
    player: Annotated[PlayerName, Meta(description="who declines; absent: it has lapsed")] | UnsetType = UNSET


class MatchStartedEvent(EventBase, frozen=True, kw_only=True, tag="match_started"):
    """The match begins."""

    seat: Annotated[str, Meta(description="the seat that was prepared last")] | UnsetType = UNSET
    draws: Draws | UnsetType = UNSET
    effects: Effects
    counted: (
        Annotated[bool, Meta(description="competitive: does the match move points and gold?")] | UnsetType
    ) = UNSET
    uncounted: Uncounted | UnsetType = UNSET
    filled: (
        Annotated[
            Json,
            Meta(
                description="when the match is over: options that the server alone sets",
                extra_json_schema=FREE,
            ),
        ]
        | UnsetType
    ) = UNSET


class ActionTakenEvent(Ends, frozen=True, kw_only=True, tag="action_taken"):
    """A seat, or `server` (a clock that ran out), did something in the game."""

    seat: Annotated[str, Meta(description="who acted: a seat, or `server`")]
    action: GameSeenAction | UnsetType = UNSET
    draws: Draws | UnsetType = UNSET
    effects: Effects
    search: (
        Annotated[Search, Meta(description="when the match is over: how a bot of the house found the action")]
        | UnsetType
    ) = UNSET


class ProposedOptions(Struct, frozen=True, tag_field="kind", tag="options", rename=RENAMED):
    """Other options or, in the lobby, another beginning."""

    options: (
        Annotated[
            Json,
            Meta(
                description="changes to the options in force; null takes one back to its default",
                extra_json_schema=FREE,
            ),
        ]
        | UnsetType
    ) = UNSET
    position: (
        Annotated[
            GamePosition | None, Meta(description="where the match is to begin; null: the normal start")
        ]
        | UnsetType
    ) = UNSET
    scenario: Annotated[str, Meta(description="id of the scenario that it comes from")] | UnsetType = UNSET
    with_: With | UnsetType = UNSET
    views: (
        Annotated[dict[str, GameView], Meta(description="by seat: the start as your seats would see it")]
        | UnsetType
    ) = UNSET
    record: (
        Annotated[RecordSummary | None, Meta(description="a record to go on from; null: no longer")]
        | UnsetType
    ) = UNSET


class ProposedUndo(Struct, frozen=True, tag_field="kind", tag="undo"):
    """To go back, or to another line."""

    to: Annotated[int, Meta(description="play goes on from what was after this version")]


class ProposedEdit(Struct, frozen=True, tag_field="kind", tag="edit", rename=RENAMED):
    """To go on from another Position."""

    position: GamePosition | UnsetType = UNSET
    with_: With | UnsetType = UNSET
    views: (
        Annotated[dict[str, GameView], Meta(description="by seat: the start as your seats would see it")]
        | UnsetType
    ) = UNSET


class ProposedCompetitive(Struct, frozen=True, tag_field="kind", tag="competitive"):
    """To make the match competitive, for good."""


class ProposedAbort(Struct, frozen=True, tag_field="kind", tag="abort"):
    """To end the match in the lobby."""


class ProposedRematch(Struct, frozen=True, tag_field="kind", tag="rematch"):
    """To play again after the end, with rotated seats."""


WhatIsProposed = (
    ProposedOptions | ProposedUndo | ProposedEdit | ProposedCompetitive | ProposedAbort | ProposedRematch
)


class ProposalMadeEvent(EventBase, frozen=True, kw_only=True, tag="proposal_made"):
    """A player proposed something. It is open until it is accepted by all others, rejected, replaced by another, or
    lapses with the next action or change of seats, of which no event of its own tells."""

    player: Annotated[PlayerName, Meta(description="who proposed it")]
    proposal: Annotated[WhatIsProposed, Meta(description="what is proposed, as far as you may know it")]
    replaces: (
        Annotated[int, Meta(description="version of the proposal that was open until then")] | UnsetType
    ) = UNSET


class ProposalAcceptedEvent(EventBase, frozen=True, kw_only=True, tag="proposal_accepted"):
    """A player accepted, and others still have to. The last acceptance gives the proposed event instead."""

    player: Annotated[PlayerName, Meta(description="who accepted")]
    proposal: Annotated[int, Meta(description="version of the proposal")]


class ProposalRejectedEvent(EventBase, frozen=True, kw_only=True, tag="proposal_rejected"):
    """A player rejected the proposal, or its proposer withdrew it."""

    player: Annotated[PlayerName, Meta(description="who rejected it")]
    proposal: Annotated[int, Meta(description="version of the proposal")]


class Agreed(EventBase, frozen=True, kw_only=True):
    player: Annotated[PlayerName, Meta(description="who proposed it")]
    proposal: Proposed


class OptionsChangedEvent(Agreed, frozen=True, kw_only=True, tag="options_changed"):
    """The options or the beginning have changed."""

    options: GameOptions
    seats: Annotated[list[str], Meta(description="the seats that these options give, in seat order")]
    prepared: (
        Annotated[list[str], Meta(description="in the lobby: the seats that stay prepared")] | UnsetType
    ) = UNSET
    position: GamePosition | UnsetType = UNSET
    with_: With | UnsetType = UNSET
    record: (
        Annotated[RecordSummary, Meta(description="the record that the match goes on from")] | UnsetType
    ) = UNSET


class TimeTravelledEvent(Ends, frozen=True, kw_only=True, tag="time_travelled"):
    """The match went back to its state after event `to`."""

    player: Annotated[PlayerName, Meta(description="who proposed it; absent in an import")] | UnsetType = (
        UNSET
    )
    proposal: Proposed
    to: Annotated[int, Meta(description="the version that play goes on from")]
    seed_commitment: Commitment | UnsetType = UNSET
    bots: Bots | UnsetType = UNSET


class PositionEditedEvent(Agreed, frozen=True, kw_only=True, tag="position_edited"):
    """The match goes on from another Position, as a new one."""

    position: GamePosition | UnsetType = UNSET
    with_: With | UnsetType = UNSET
    seed_commitment: Commitment | UnsetType = UNSET
    draws: Draws | UnsetType = UNSET
    effects: Effects
    bots: Bots | UnsetType = UNSET


class BecameCompetitiveEvent(Agreed, frozen=True, kw_only=True, tag="became_competitive"):
    """The match is competitive from now on."""

    setup_seconds: (
        Annotated[int, Meta(description="seconds for setting up from now on; absent: as before")] | UnsetType
    ) = UNSET
    counted: Annotated[bool, Meta(description="false: it moves no points and no gold")] | UnsetType = UNSET
    uncounted: Uncounted | UnsetType = UNSET


class RematchAgreedEvent(Agreed, frozen=True, kw_only=True, tag="rematch_agreed"):
    """There is a new match of the same players."""

    match: Annotated[str, Meta(description="id of the new match")]


class MatchAbortedEvent(EventBase, frozen=True, kw_only=True, tag="match_aborted"):
    """The match ended without a result."""

    player: Annotated[PlayerName, Meta(description="who proposed it")] | UnsetType = UNSET
    proposal: Proposed | UnsetType = UNSET
    reason: (
        Annotated[
            Literal["abandoned", "nobody_ready", "declined"],
            Meta(description="why it was ended; absent: its players agreed"),
        ]
        | UnsetType
    ) = UNSET


EVENTS: tuple[type[Struct], ...] = (
    MatchCreatedEvent,
    PlayerJoinedEvent,
    SeatsAssignedEvent,
    SeatTakenEvent,
    SeatLeftEvent,
    SeatPreparedEvent,
    ChallengeDeclinedEvent,
    MatchStartedEvent,
    ActionTakenEvent,
    ProposalMadeEvent,
    ProposalAcceptedEvent,
    ProposalRejectedEvent,
    OptionsChangedEvent,
    TimeTravelledEvent,
    PositionEditedEvent,
    BecameCompetitiveEvent,
    RematchAgreedEvent,
    MatchAbortedEvent,
)


class Turn(Struct, frozen=True):
    """What feeds and the answer to a command have beside an event."""

    to_act: Annotated[list[str], Meta(description="the seats that are to act after this event")]
    deadlines: Annotated[
        dict[str, Time],
        Meta(
            description="by seat, only with the match's newest event: when the time to act ends; else empty"
        ),
    ]
    now: Annotated[Time, Meta(description="beside deadlines: the server's time")] | UnsetType = UNSET


class Heartbeat(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="heartbeat"):
    """`data` of `heartbeat`, which comes every 15 seconds."""


class Closing(Struct, frozen=True, tag_field="type", tag="closing"):
    """`data` of `closing`, the last event of a stream."""

    code: Annotated[
        str,
        Meta(
            description="why the stream ends: `slow_reader`, `shutdown`, `reader_changed` (you hold other seats), "
            "`over` (of a pairing: it has ended), or a problem's code"
        ),
    ]


Event = Annotated[Json, component("Event")]
LiveEvent = Annotated[Json, component("LiveEvent")]
MatchFeed = Annotated[Json, component("MatchFeed")]
PairingFeed = Annotated[Json, component("PairingFeed")]


class Events(Struct, frozen=True, forbid_unknown_fields=True):
    events: Annotated[list[Event], Meta(description="in the order of their versions")]
    next: Annotated[int | None, Meta(description="`after` of the next page; null: there is none now")]
    version: Annotated[int, Meta(description="the match's newest version")]


ANY_EVENT: Any = Union[EVENTS]  # noqa: UP007
FEEDS: dict[str, tuple[tuple[str, ...], str]] = {
    "MatchFeed": (
        ("LiveEvent", "Heartbeat", "Closing"),
        "`data` of one event of the stream, told apart by `type`, which is the stream's `event`, too: an event of the "
        "match, `heartbeat` or `closing`.",
    ),
    "PairingFeed": (
        ("ChangedEntry", "Heartbeat", "Closing"),
        "`data` of one event of the stream, told apart by `type`, which is the stream's `event`, too: the entry, "
        "`heartbeat` or `closing`.",
    ),
    "PersonalFeed": (
        ("Notice", "Heartbeat", "Closing"),
        "`data` of one event of the stream, told apart by `type`, which is the stream's `event`, too: a notice, "
        "`heartbeat` or `closing`.",
    ),
}
"""What streams send, by the name of the component: the components that it is one of, and a text."""
