"""A Struct for each body, query and answer of the API. `openapi/` makes the OpenAPI document from them.

Bodies forbid unknown fields. Options, positions, actions, effects and views of a game are any JSON here; their schemas
are in `GET /v1/games/{game}`. Answers are rendered from what `warlog_events` returns; tests compare them with these
Structs.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from warlog_core import Trace, description
from warlog_core.actions import DescribedActions
from warlog_events.workers.pairing import Entry

Version = Annotated[int, Meta(ge=0, le=2**53, description="the number of an event of the match")]
Cursor = Annotated[str, Meta(max_length=200, description="`next` of the previous page")]
Limit = Annotated[int, Meta(ge=1, description="the most that a page may have; the server may send fewer")]
Seat = Annotated[str, Meta(max_length=32)]
Time = Annotated[str, Meta(description="RFC 3339, UTC")]
Json = dict[str, Any]

# ---------------------------------------------------------------- queries


class Page(Struct, frozen=True):
    after: Cursor | None = None
    limit: Limit = 50


class VersionPage(Struct, frozen=True):
    after: Version = 0
    limit: Limit = 100


class MatchesQuery(Struct, frozen=True):
    game: str | None = None
    status: Literal["lobby", "playing", "finished", "aborted"] | None = None
    mode: Literal["casual", "competitive"] | None = None
    player: Annotated[str, Meta(description="a player id, or `me`")] | None = None
    open: Annotated[bool, Meta(description="only matches with a seat that anybody may take")] = False
    options: (
        Annotated[str, Meta(description="options of `game` as JSON: only matches that have these values")]
        | None
    ) = None
    turn: (
        Annotated[
            Literal["mine", "others"],
            Meta(description="only your running matches: those in which you are to act, or the others"),
        ]
        | None
    ) = None
    watchable: Annotated[bool, Meta(description="only running matches that a spectator may follow")] = False
    after: Cursor | None = None
    limit: Limit = 50


class PairingQuery(Struct, frozen=True):
    wait: Annotated[
        int, Meta(ge=0, description="seconds, at most 30, for which the answer waits for a change")
    ] = 0


class LayoutsQuery(Struct, frozen=True):
    after: Annotated[str, Meta(max_length=40, description="`next` of the previous page")] | None = None
    limit: Limit = 50


class ScenariosQuery(Struct, frozen=True):
    game: str | None = None
    mine: bool = False
    after: Cursor | None = None
    limit: Limit = 50


class ImportQuery(Struct, frozen=True):
    visibility: Annotated[
        Literal["public", "private"], Meta(description="`private`: only you can see that the match exists")
    ] = "public"


class GameQuery(Struct, frozen=True):
    options: Annotated[str, Meta(description="options as JSON; absent: the defaults")] | None = None


class ViewQuery(Struct, frozen=True):
    seat: Annotated[Seat, Meta(description="a seat you hold, `all`, or absent: the spectator")] | None = None
    at: Version | None = None


class PositionQuery(Struct, frozen=True):
    seat: Annotated[Seat, Meta(description="a seat you hold")]
    at: Version | None = None


class ActionsQuery(Struct, frozen=True):
    seat: Seat
    at: Version | None = None
    after: Annotated[
        int, Meta(ge=0, description="number of actions to skip: `next` of a list that was cut")
    ] = 0
    type: Annotated[str, Meta(description="only actions of this type")] | None = None
    piece: Annotated[int, Meta(description="only actions with this piece")] | None = None
    trace: Annotated[bool, Meta(description="also `traces`: where each action leads")] = False


class TraceQuery(Struct, frozen=True):
    at: Annotated[Version, Meta(description="the event whose trace is wanted")]
    seat: Annotated[Seat, Meta(description="a seat you hold; absent: the spectator")] | None = None


class EventsQuery(Struct, frozen=True):
    seat: Annotated[
        list[Seat], Meta(max_length=8, description="seats you hold; absent: all that you hold")
    ] = []
    after: Version = 0
    limit: Limit = 100


class HistoryQuery(Struct, frozen=True):
    seat: Annotated[list[Seat], Meta(max_length=8)] = []
    after: Version = 0
    limit: Limit = 1000


class FeedQuery(Struct, frozen=True):
    seat: Annotated[
        list[Seat], Meta(max_length=8, description="seats you hold; absent: all that you hold")
    ] = []
    after: Version | None = None


# ---------------------------------------------------------------- bodies


class NewPlayer(Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(min_length=1, max_length=40)]


class NewToken(Struct, frozen=True, forbid_unknown_fields=True):
    label: Annotated[str, Meta(max_length=80)] = ""
    scopes: Annotated[list[Literal["play", "admin"]], Meta(min_length=1, max_length=2)] = field(
        default_factory=lambda: ["play"]
    )


class SeatClaim(Struct, frozen=True, forbid_unknown_fields=True):
    invitation: Annotated[str, Meta(max_length=200)] | None = None


class Wish(Struct, frozen=True, forbid_unknown_fields=True):
    wish: Seat | None = None


class NewLayout(Struct, frozen=True, forbid_unknown_fields=True):
    layout: object


class NewOwnOptions(Struct, frozen=True, forbid_unknown_fields=True):
    options: Annotated[Json, Meta(description="an option that is left out has its default")]


class NewScenario(Struct, frozen=True, forbid_unknown_fields=True):
    """Without a Position, a match from the scenario begins with the game's own setup."""

    game: Annotated[str, Meta(max_length=64)]
    name: Annotated[str, Meta(min_length=1, max_length=80)]
    position: Json | None = None
    options: Json = {}
    visibility: Literal["public", "private"] = "private"


class PositionCheck(Struct, frozen=True, forbid_unknown_fields=True):
    position: Json
    options: Json = {}


# ---------------------------------------------------------------- answers


class Standing(Struct, frozen=True, forbid_unknown_fields=True):
    """Competitive matches of one game. A match from which the player fled is also counted as won, drawn or lost. A game
    without points has no score and no rank."""

    game: str
    won: int
    drawn: int
    lost: int
    fled: int
    score: int | UnsetType = UNSET
    rank: Annotated[Json, Meta(description="`level`, `name` and more, by the rule book")] | UnsetType = UNSET


class Account(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    name: str
    created_at: Time
    gold: Annotated[int, Meta(description="all gold, including what is set aside for running matches")]
    games: list[Standing]


class PlayerCreated(Struct, frozen=True, forbid_unknown_fields=True):
    """The token is never shown again."""

    player: Account
    token: str
    scopes: list[str]


class AccountAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    player: Account


class MyAccount(Struct, frozen=True, forbid_unknown_fields=True):
    player: Account
    held: Annotated[int, Meta(description="how much of the gold is set aside for running matches")]


class Placed(Struct, frozen=True, forbid_unknown_fields=True):
    place: int
    player: PlayerName
    score: int
    rank: Json | None


class Leaderboard(Struct, frozen=True, forbid_unknown_fields=True):
    game: str
    players: list[Placed]
    next: str | None


class Layout(Struct, frozen=True, forbid_unknown_fields=True):
    game: str
    name: str
    layout: Annotated[Any, Meta(description="a layout as the rule book defines it")]
    saved_at: Time


class LayoutAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    layout: Layout


class Layouts(Struct, frozen=True, forbid_unknown_fields=True):
    layouts: list[Layout]
    next: str | None


class OwnOptions(Struct, frozen=True, forbid_unknown_fields=True):
    game: str
    name: str
    options: Annotated[Json, Meta(description="as they were saved, without defaults")]
    options_text: Annotated[str, Meta(description="how they differ from the standard, for people")]
    saved_at: Time


class OwnOptionsAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    options: OwnOptions


class OwnOptionsList(Struct, frozen=True, forbid_unknown_fields=True):
    options: list[OwnOptions]


class Token(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    label: str
    scopes: list[str]
    created_at: Time
    expires_at: Time | None
    """Of the session of a browser; null: it lasts until it is revoked."""


class Session(Struct, frozen=True, forbid_unknown_fields=True):
    """The session of a browser. Its token is in a cookie."""

    id: str
    scopes: list[str]
    created_at: Time
    expires_at: Time


class TokenCreated(Struct, frozen=True, forbid_unknown_fields=True):
    token: str
    id: str
    label: str
    scopes: list[str]
    created_at: Time
    expires_at: Time | None


class Tokens(Struct, frozen=True, forbid_unknown_fields=True):
    tokens: list[Token]
    next: str | None


class PlayerName(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    name: str


class SeatInMatch(Struct, frozen=True, forbid_unknown_fields=True):
    seat: str
    player: PlayerName | None
    prepared: bool
    by_invitation: bool | UnsetType = UNSET


class Result(Struct, frozen=True):
    winners: list[str]
    reason: str


class Proposal(Struct, frozen=True):
    """The open proposal, named by its version. It also has the fields of its kind, as far as you may know them."""

    version: int
    player: PlayerName
    kind: str
    accepted: list[str]
    waiting_for: list[str]


class Joined(Struct, frozen=True, forbid_unknown_fields=True):
    player: PlayerName
    wish: str | None


class Match(Struct, frozen=True, forbid_unknown_fields=True):
    """The summary of a match. `version` is the number of its newest event."""

    id: str
    game: str
    rules_version: int
    mode: str
    status: str
    version: int
    options: Json
    options_text: Annotated[str, Meta(description="how the options differ from the standard, for people")]
    consent: str
    move_seconds: int
    setup_seconds: Annotated[
        int,
        Meta(
            description="seconds that a seat has for setting up; 0: no limit, or a game without setup phases"
        ),
    ]
    visibility: str
    seating: str
    seats: list[SeatInMatch]
    to_act: list[str]
    deadlines: dict[str, Time]
    proposal: Proposal | None
    result: Result | None
    seed_commitment: str | None
    creator: PlayerName
    created_at: Time
    updated_at: Time
    now: (
        Annotated[Time, Meta(description="beside deadlines: the server's time at this answer")] | UnsetType
    ) = UNSET
    beginning: Annotated[Json, Meta(description="in the lobby: how the match will begin")] | UnsetType = UNSET
    joined: list[Joined] | UnsetType = UNSET
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
                description="why not: options outside the range that counts (by name), `position`, `same_players`"
            ),
        ]
        | UnsetType
    ) = UNSET
    imported: bool | UnsetType = UNSET
    rematch_of: str | UnsetType = UNSET
    rematch: str | UnsetType = UNSET
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


class Event(Struct, frozen=True):
    """One event as you may see it. The fields after `at` depend on the type; what you may not know is absent."""

    version: int
    type: str
    at: Time
    seat: str | UnsetType = UNSET
    action: Json | UnsetType = UNSET
    draws: list[int] | UnsetType = UNSET
    effects: list[Json] | UnsetType = UNSET
    replaces: (
        Annotated[int, Meta(description="proposal_made: version of the proposal that was open until then")]
        | UnsetType
    ) = UNSET
    prepared: (
        Annotated[list[str], Meta(description="options_changed in the lobby: the seats that stay prepared")]
        | UnsetType
    ) = UNSET


class LiveEvent(Event, frozen=True, kw_only=True):
    """An event as feeds give it, and the answer to a command."""

    to_act: Annotated[list[str], Meta(description="the seats that are to act after this event")]
    deadlines: Annotated[dict[str, Time], Meta(description="only with the match's newest event, else empty")]
    now: Annotated[Time, Meta(description="beside deadlines: the server's time")] | UnsetType = UNSET


class View(Struct, frozen=True, forbid_unknown_fields=True):
    """`view` is as the rule book defines it. With `seat=all`, `position` replaces it, or, if the book has no Position
    for this state, the `views` of all seats."""

    version: int
    at: int
    seat: str
    view: Json | UnsetType = UNSET
    position: Json | UnsetType | None = UNSET
    views: dict[str, Json] | UnsetType = UNSET


class SeenPosition(Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    at: int
    seat: str
    position: Annotated[
        Json | None,
        Meta(description="null: the match is over, or the rule book has no Position for this state"),
    ]


class Actions(Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    at: int
    seat: str
    total: int
    actions: list[Json]
    traces: (
        Annotated[
            list[Trace], Meta(description="with `trace`: the trace of each action of `actions`, in order")
        ]
        | UnsetType
    ) = UNSET
    next: int | UnsetType = UNSET


class EventTrace(Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    at: int
    seat: str
    trace: Annotated[
        Trace | None,
        Meta(description="null: the event is no action, or this seat did not see the whole action"),
    ]


class Events(Struct, frozen=True, forbid_unknown_fields=True):
    events: list[Event]
    next: int | None
    version: int


class Node(Struct, frozen=True, forbid_unknown_fields=True):
    """The first version has no parent."""

    version: int
    parent: int | UnsetType = UNSET


class Timeline(Struct, frozen=True, forbid_unknown_fields=True):
    head: int
    nodes: list[Node]
    next: int | None


class Board(Struct, frozen=True):
    board: description.DescribedBoard
    seats: list[str]


class Record(Struct, frozen=True):
    """The complete record of a match; `POST /v1/matches/import` accepts it."""

    warlog_record: int
    game: str
    rules_version: int
    seats: list[str]
    options: Json
    events: list[Json]


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


class GameSummary(Struct, frozen=True):
    game: str
    name: str
    rules_version: int


class Games(Struct, frozen=True, forbid_unknown_fields=True):
    games: list[GameSummary]


class Game(Struct, frozen=True):
    """Enough for a client that does not know the game to draw it, to build its inputs, and to explain it.

    Each name in `catalogues` is a further key with a list of `CatalogueEntry`. What else is there are tables of the
    game's own."""

    game: str
    name: str
    rules_version: int
    axes: description.Axes
    seats: list[description.DescribedSeat]
    owners: list[description.Owner]
    spectators: str
    board: description.DescribedBoard
    pieces: list[description.CatalogueEntry]
    marks: Annotated[
        list[description.CatalogueEntry],
        Meta(description="what the layers of `look` mark: states, badges, kinds of spaces"),
    ]
    catalogues: Annotated[
        list[str], Meta(description="the keys of all catalogues, `pieces` and `marks` among them")
    ]
    look: Annotated[list[description.Layer], Meta(description="how a view is drawn, in this order")]
    not_drawn: Annotated[
        dict[str, str], Meta(description="paths of a view with spaces or pieces that no layer draws, and why")
    ]
    guide: Annotated[str, Meta(description="a guide for players, Markdown; the whole book is at `rules`")]
    options: Json
    options_text: Annotated[
        str, Meta(description="how the requested options differ from the standard, for people")
    ]
    actions: Annotated[
        DescribedActions,
        Meta(description="JSON Schema of what can be posted; each action with how to give it"),
    ]
    effects: Json
    view: Json
    errors: Annotated[dict[str, str], Meta(description="each code of the rule book, with its sentence")]
    setup: (
        Annotated[
            dict[str, Json],
            Meta(
                description="the start as the spectator and each seat see it; absent if the start is random",
            ),
        ]
        | UnsetType
    ) = UNSET
    counted: (
        Annotated[
            Json,
            Meta(
                description="for each option the `min` and `max` within which competitive matches move points and gold"
            ),
        ]
        | UnsetType
    ) = UNSET


class Scenario(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    game: str
    name: str
    options: Json
    position: Annotated[Json | None, Meta(description="null: the scenario has options only")]
    owner: str
    visibility: str
    created_at: Time


class ScenarioAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    scenario: Scenario


class ListedScenario(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    game: str
    name: str
    owner: str
    visibility: str
    created_at: Time


class Scenarios(Struct, frozen=True, forbid_unknown_fields=True):
    scenarios: list[ListedScenario]
    next: str | None


class Fine(Struct, frozen=True, forbid_unknown_fields=True):
    ok: bool


class Health(Struct, frozen=True, forbid_unknown_fields=True):
    status: str


class Problem(Struct, frozen=True):
    """RFC 9457. `code` is stable; `detail` is for people and may change. All other members are facts, present if the
    server knows them; a code of a rule book may have more."""

    type: str
    title: str
    status: int
    code: Annotated[str, Meta(description="stable; docs/ERRORS.md lists all codes")]
    detail: Annotated[str, Meta(description="what is wrong, in one sentence for people")]
    path: (
        Annotated[str, Meta(description="JSON Pointer to the part of the request's body that is at fault")]
        | UnsetType
    ) = UNSET
    version: Annotated[int, Meta(description="the match's newest version")] | UnsetType = UNSET
    minimum: Annotated[int | float, Meta(description="the least that is allowed")] | UnsetType = UNSET
    maximum: Annotated[int | float, Meta(description="the most that is allowed")] | UnsetType = UNSET
    allowed: Annotated[list[Any], Meta(description="the values that are allowed")] | UnsetType = UNSET
    have: Annotated[int, Meta(description="the present amount or number")] | UnsetType = UNSET
    needed: (
        Annotated[Any, Meta(description="the amount that is needed, or the names of what is needed")]
        | UnsetType
    ) = UNSET
    cost: Annotated[int, Meta(description="the cost of what was asked for")] | UnsetType = UNSET
    budget: Annotated[int, Meta(description="the amount available to pay the cost")] | UnsetType = UNSET
    space: Annotated[Any, Meta(description="the space that is at fault")] | UnsetType = UNSET
    piece: Annotated[Any, Meta(description="the piece that is at fault")] | UnsetType = UNSET
    seat: Annotated[str, Meta(description="the seat that is at fault")] | UnsetType = UNSET
    line: Annotated[int, Meta(description="the line of a history, from 1")] | UnsetType = UNSET
    record_version: Annotated[int, Meta(description="the version of the record")] | UnsetType = UNSET
    player: Annotated[str, Meta(description="the id of the player whom the refusal concerns")] | UnsetType = (
        UNSET
    )
    quota: Annotated[str, Meta(description="quota_exceeded: the quota's name")] | UnsetType = UNSET
    limit: (
        Annotated[
            Any,
            Meta(description="too_many_requests: the limit's name; quota_exceeded: the number allowed"),
        ]
        | UnsetType
    ) = UNSET
