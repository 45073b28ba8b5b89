"""The queries of the API."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from warlog_service.schema.common import At, Cursor, Limit, Seat, Version

# How long a page may be at most, whatever `limit` asks for.
EVENTS_MAX = 1_000
NODES_MAX = 5_000
LINES_MAX = 5_000
ACTIONS_MAX = 20_000
PEOPLE_MAX = 50
ENTRIES_MAX = 200
"""Of all other lists."""


class Page(Struct, frozen=True):
    after: Cursor | None = None
    limit: Limit = 50


class PlayersQuery(Struct, frozen=True):
    name: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=40,
            description="how the name begins; the case of letters does not matter",
        ),
    ]
    after: Annotated[str, Meta(max_length=400, description="`next` of the previous page")] | None = None
    limit: Limit = 50


class LeaderboardQuery(Struct, frozen=True):
    pool: (
        Annotated[
            str, Meta(description="by rating in this pool of the game; absent: by points, where it has any")
        ]
        | None
    ) = None
    after: Cursor | None = None
    limit: Limit = 50


class HistoryPage(Struct, frozen=True):
    after: Annotated[int, Meta(ge=0, description="number of changes to skip: `next` of the page before")] = 0
    limit: Limit = 100


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
    options: (
        Annotated[
            str,
            Meta(description="options as JSON; absent: the defaults. What is no JSON is a `bad_parameter`"),
        ]
        | None
    ) = None


class ViewQuery(Struct, frozen=True):
    seat: Annotated[Seat, Meta(description="a seat you hold, `all`, or absent: the spectator")] | None = None
    at: At | None = None


class PositionQuery(Struct, frozen=True):
    seat: Annotated[Seat, Meta(description="a seat you hold")]
    at: At | None = None


class SeenQuery(Struct, frozen=True):
    seat: Annotated[Seat, Meta(description="a seat you hold; any, if you may see everything")]
    at: At | None = None


class ActionsQuery(Struct, frozen=True):
    seat: Seat
    at: At | None = None
    after: Annotated[
        int, Meta(ge=0, description="number of actions to skip: `next` of a list that was cut")
    ] = 0
    type: Annotated[str, Meta(description="only actions of this type")] | None = None
    piece: Annotated[int, Meta(description="only actions with this piece")] | None = None
    trace: Annotated[bool, Meta(description="also `traces`: where each action leads")] = False


class TraceQuery(Struct, frozen=True):
    at: Annotated[At, Meta(description="the event whose trace is wanted")]
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
    after: Annotated[Version, Meta(description="only events after this version")] | None = None


class PersonalFeedQuery(Struct, frozen=True):
    after: (
        Annotated[
            str, Meta(max_length=40, description="the id of a notice, where you cannot send `Last-Event-ID`")
        ]
        | None
    ) = None
