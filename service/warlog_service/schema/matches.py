"""Answers about matches."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from warlog_core import Trace
from warlog_events.match.records import LogEntry, RecordEvent, RecordSetup
from warlog_events.workers.pairing import Entry
from warlog_service.schema.common import (
    BotInMatch,
    GameOptions,
    GamePosition,
    GameView,
    Json,
    PlayerName,
    Result,
    Time,
    component,
)

Proposal = Annotated[Json, component("Proposal")]
GameAction = Annotated[Json, component("GameAction")]


class SeatInMatch(Struct, frozen=True, forbid_unknown_fields=True):
    """A seat of a match."""

    seat: Annotated[str, Meta(description="name of the seat")]
    player: Annotated[PlayerName | None, Meta(description="who holds it; null: nobody")]
    prepared: Annotated[bool, Meta(description="in the lobby: ready to start the match as it is")]
    by_invitation: (
        Annotated[bool, Meta(description="true: only who has the invitation may take it")] | UnsetType
    ) = UNSET
    challenged: (
        Annotated[
            bool,
            Meta(
                description="true: the maker of the match has given the seat away, and the player has not answered"
            ),
        ]
        | UnsetType
    ) = UNSET


class OpenProposal(Struct, frozen=True):
    """The open proposal, named by its version."""

    version: Annotated[int, Meta(description="of the event `proposal_made`")]
    player: Annotated[PlayerName, Meta(description="who proposed it")]
    accepted: Annotated[
        list[str],
        Meta(description="ids of the players who have accepted, without the proposer, who need not"),
    ]
    waiting_for: Annotated[list[str], Meta(description="ids of the players who have not answered yet")]


class Joined(Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody who joined a match whose seats are given by wish."""

    player: Annotated[PlayerName, Meta(description="who joined")]
    wish: Annotated[str | None, Meta(description="the seat that he would like; null: any")]


class Beginning(Struct, frozen=True):
    """How a match in the lobby will begin."""

    kind: Annotated[
        Literal["standard", "position", "import"],
        Meta(description="from the game's own setup, from a Position, or where a record ends"),
    ]
    position: GamePosition | UnsetType = UNSET
    views: (
        Annotated[dict[str, GameView], Meta(description="by seat: the start as your seats would see it")]
        | UnsetType
    ) = UNSET
    events: Annotated[int, Meta(description="import: how many events the record has")] | UnsetType = UNSET
    match: Annotated[str, Meta(description="import: id of the match of the record")] | UnsetType = UNSET
    options: GameOptions | UnsetType = UNSET


class Match(Struct, frozen=True, forbid_unknown_fields=True):
    """The summary of a match."""

    id: Annotated[str, Meta(description="id of the match")]
    game: Annotated[str, Meta(description="name of the game")]
    rules_version: Annotated[int, Meta(description="version of the rules that the match is played by")]
    mode: Annotated[
        Literal["casual", "competitive"], Meta(description="in a casual match the players may go back")
    ]
    status: Annotated[
        Literal["lobby", "playing", "finished", "aborted"], Meta(description="how far the match is")
    ]
    version: Annotated[int, Meta(description="the number of its newest event")]
    options: GameOptions
    options_text: Annotated[str, Meta(description="how the options differ from the standard, for people")]
    consent: Annotated[
        Literal["all", "none"], Meta(description="who must accept a proposal: all other players, or nobody")
    ]
    move_seconds: Annotated[int, Meta(description="seconds for each turn; 0: no limit")]
    setup_seconds: Annotated[
        int,
        Meta(
            description="seconds that a seat has for setting up; 0: no limit, or a game without setup phases"
        ),
    ]
    visibility: Annotated[
        Literal["public", "private"], Meta(description="private: only its players can see that it exists")
    ]
    seating: Annotated[
        Literal["direct", "wish"], Meta(description="players take seats, or join with a wish for one")
    ]
    seats: Annotated[list[SeatInMatch], Meta(description="in seat order")]
    to_act: Annotated[list[str], Meta(description="the seats that are to act")]
    deadlines: Annotated[dict[str, Time], Meta(description="by seat: when the time to act ends")]
    proposal: Annotated[Proposal | None, Meta(description="the open proposal; null: there is none")]
    result: Annotated[Result | None, Meta(description="null: the match is not over")]
    seed_commitment: Annotated[
        str | None,
        Meta(
            description="`sha256:` and the SHA-256 of the secret seed of the next draws, in hex; null: published"
        ),
    ]
    creator: Annotated[PlayerName, Meta(description="who created the match")]
    created_at: Annotated[Time, Meta(description="when it was created")]
    updated_at: Annotated[Time, Meta(description="when its newest event happened")]
    now: (
        Annotated[Time, Meta(description="beside deadlines: the server's time at this answer")] | UnsetType
    ) = UNSET
    beginning: Annotated[Beginning, Meta(description="only in the lobby")] | UnsetType = UNSET
    joined: (
        Annotated[list[Joined], Meta(description="in a lobby with `seating` wish: who has joined")]
        | UnsetType
    ) = UNSET
    counted: (
        Annotated[
            bool,
            Meta(
                description="from the start of a competitive match with points on: does it move points and gold?"
            ),
        ]
        | UnsetType
    ) = UNSET
    uncounted: (
        Annotated[
            list[str],
            Meta(
                description="why not: options beyond what counts (by name), `position`, `same_players`, `bots`"
            ),
        ]
        | UnsetType
    ) = UNSET
    imported: Annotated[bool, Meta(description="true: it began as an import of a record")] | UnsetType = UNSET
    rematch_of: Annotated[str, Meta(description="id of the match that it is a rematch of")] | UnsetType = (
        UNSET
    )
    rematch: Annotated[str, Meta(description="id of the match that is its rematch")] | UnsetType = UNSET
    bots: Annotated[dict[str, BotInMatch], Meta(description="by seat: the bots of the house")] | UnsetType = (
        UNSET
    )
    open_record: Annotated[
        bool,
        Meta(
            description="everybody may have the complete record, notation and position while the match runs"
        ),
    ] = False


class MatchAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    match: Match


class MatchCreated(Struct, frozen=True, forbid_unknown_fields=True):
    """The invitations are never shown again."""

    match: Match
    invitations: dict[str, str]


class Matches(Struct, frozen=True, forbid_unknown_fields=True):
    matches: list[Match]
    next: str | None


class PairingAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    entry: Entry


class Pairings(Struct, frozen=True, forbid_unknown_fields=True):
    entries: list[Entry]


class View(Struct, frozen=True, forbid_unknown_fields=True):
    """`view` is as the rule book defines it. With `seat=all`, `position` replaces it, or, if the book has no Position
    for this state, the `views` of all seats."""

    version: int
    at: int
    seat: str
    view: GameView | UnsetType = UNSET
    position: (
        Annotated[
            GamePosition | None, Meta(description="`seat=all`: the whole state; null: the match is over")
        ]
        | UnsetType
    ) = UNSET
    views: (
        Annotated[
            dict[str, GameView], Meta(description="`seat=all`, where the book has no Position: by seat")
        ]
        | UnsetType
    ) = UNSET


class SeenPosition(Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    at: int
    seat: str
    position: Annotated[
        GamePosition | None,
        Meta(description="null: the match is over, or the rule book has no Position for this state"),
    ]


class Seen(Struct, frozen=True, forbid_unknown_fields=True):
    """A seat's view as the rules library (`warlog_core`) reads it."""

    match: str
    version: Annotated[int, Meta(description="the newest")]
    at: Annotated[int, Meta(description="the version that is shown")]
    seat: str
    game: str
    rules_version: int
    setup: Annotated[bytes, Meta(description="what never changes in a match; base64")]
    state: Annotated[bytes, Meta(description="the state as far as the seat knows it; base64")]
    seed: (
        Annotated[str, Meta(description="for a bot of the house alone: its secret seed, in hex")] | UnsetType
    ) = UNSET


class Listing(Struct, frozen=True):
    """What every list of actions has beside them."""

    version: int
    at: int
    seat: str
    total: int
    traces: (
        Annotated[
            list[Trace], Meta(description="with `trace`: the trace of each action of `actions`, in order")
        ]
        | UnsetType
    ) = UNSET
    next: int | UnsetType = UNSET


Actions = Annotated[Json, component("Actions")]


class Here(Struct, frozen=True, forbid_unknown_fields=True):
    """Who of a match's players is here."""

    here: Annotated[list[str], Meta(description="the seats whose players are here now")]


class EventTrace(Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    at: int
    seat: str
    trace: Annotated[
        Trace | None,
        Meta(description="null: the event is no action, or this seat did not see the whole action"),
    ]


class ExpectedAction(Struct, frozen=True, forbid_unknown_fields=True):
    """What would follow."""

    seat: str
    action: GameAction


class FoundAction(Struct, frozen=True):
    """An action that the search has looked at."""

    action: GameAction
    value: Annotated[float, Meta(description="how likely the seat's side is to win after it: 0 to 1")]
    visits: Annotated[
        int,
        Meta(description="how often the search went there; 0: it comes from a book, or there was no choice"),
    ]
    line: Annotated[list[ExpectedAction], Meta(description="what is expected to follow")]


class AnalysedAction(FoundAction, frozen=True, forbid_unknown_fields=True, kw_only=True):
    trace: Annotated[
        Trace | None, Meta(description="where it leads, as far as the seat sees; null: it is not listed")
    ]


class Analysis(Struct, frozen=True, forbid_unknown_fields=True):
    """What the computer would do as a seat. `warlog_core.play` finds it again, with level 8, this seed and
    `openings=False`."""

    version: Annotated[int, Meta(description="the newest")]
    at: Annotated[int, Meta(description="the version that was looked at")]
    seat: str
    actions: Annotated[list[AnalysedAction], Meta(description="the best one first")]
    seed: Annotated[int, Meta(description="of the search")]
    iterations: Annotated[int, Meta(description="of the search; 0: there was nothing to search for")]


class AnalysisTask(Struct, frozen=True):
    """For a program of the house: what a seat knows, and for how long to search."""

    match: str
    game: str
    rules_version: int
    setup: bytes
    state: bytes
    seat: str
    seed: int
    iterations: int
    lines: int


class AnalysisDone(Struct, frozen=True):
    """What it has found, the best action first. `failed`: no state fits what the seat knows."""

    found: list[FoundAction] = []
    iterations: int = 0
    failed: bool = False


class Node(Struct, frozen=True, forbid_unknown_fields=True):
    """The first version has no parent."""

    version: int
    parent: int | UnsetType = UNSET


class Timeline(Struct, frozen=True, forbid_unknown_fields=True):
    head: int
    nodes: list[Node]
    next: int | None


class ExportedRecord(Struct, frozen=True):
    """The complete record of a match; `POST /v1/matches/import` accepts it."""

    warlog_record: Annotated[int, Meta(description="version of the form of records: 1")]
    match: Annotated[str, Meta(description="id of the match")]
    game: Annotated[str, Meta(description="name of the game")]
    rules_version: Annotated[int, Meta(description="version of the rules that the match is played by")]
    seats: Annotated[list[str], Meta(description="in seat order")]
    options: GameOptions
    seed_commitments: Annotated[
        list[str], Meta(description="of each seed: `sha256:` and its SHA-256, in hex")
    ]
    setup: RecordSetup
    events: Annotated[list[RecordEvent], Meta(description="all actions of all lines")]
    position: GamePosition | UnsetType = UNSET
    seeds: (
        Annotated[list[str], Meta(description="when the match is over: the secret seeds, in hex")] | UnsetType
    ) = UNSET
    head: Annotated[int, Meta(description="version after which it goes on; absent: the last")] | UnsetType = (
        UNSET
    )
    result: Annotated[Result, Meta(description="when the match is over")] | UnsetType = UNSET
    log: (
        Annotated[list[LogEntry], Meta(description="all other events, with which the chain can be checked")]
        | UnsetType
    ) = UNSET


class Imported(Struct, frozen=True, forbid_unknown_fields=True):
    """`versions` maps each version of the record to the version in the new match."""

    match: Match
    versions: dict[str, int]


class Verdict(Struct, frozen=True, forbid_unknown_fields=True):
    """`unseeded`: the replay agrees, but no seed is known from which all draws could be checked."""

    status: Literal["verified", "unseeded", "failed"]
    events: int
    version: int | None
    detail: str
