"""Answers about players: accounts, tokens, ranks, and what they have saved."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from warlog_service.schema.common import Bot, GameOptions, Json, PlayerName, Time


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
    bot: Bot | UnsetType = UNSET


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


Algorithm = Annotated[str, Meta(description="name and version; numbers of another one cannot be compared")]


class RatingValue(Struct, frozen=True, forbid_unknown_fields=True):
    """How strong a player is in one pool."""

    rating: Annotated[int, Meta(description="what people are shown: 1500 is where everybody begins")]
    deviation: Annotated[
        int, Meta(description="its uncertainty: two times of three it is right within ± this much")
    ]
    mu: Annotated[float, Meta(description="the estimate, as the algorithm has it")]
    sigma: Annotated[
        float, Meta(description="its standard deviation; it grows with each day without a match")
    ]


class Rating(RatingValue, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A player's rating in one pool, as it is now."""

    game: str
    pool: str
    provisional: Annotated[
        bool, Meta(description="true: too uncertain for the leaderboard; more matches are needed")
    ]
    algorithm: Algorithm
    matches: Annotated[int, Meta(description="how many matches moved it")]
    last_match_at: Time


class Ratings(Struct, frozen=True, forbid_unknown_fields=True):
    """Of every pool in which the player has had a rated match."""

    ratings: list[Rating]


class RatingChange(Struct, frozen=True, forbid_unknown_fields=True):
    """What one match did to a rating."""

    match: Annotated[str | None, Meta(description="its id; null: it was private, and you are not the player")]
    at: Annotated[Time, Meta(description="when the match ended")]
    before: Annotated[
        RatingValue, Meta(description="with the uncertainty of the time since the match before")
    ]
    after: RatingValue
    algorithm: Algorithm


class RatingHistory(Struct, frozen=True, forbid_unknown_fields=True):
    game: str
    pool: str
    algorithm: Annotated[str, Meta(description="of ratings as they are now")]
    changes: Annotated[list[RatingChange], Meta(description="the oldest first")]
    next: Annotated[int | None, Meta(description="`after` of the next page; null: there is none")]


class Placed(Struct, frozen=True, forbid_unknown_fields=True):
    """A line of a leaderboard: by points `score` and `rank`, by rating `rating`."""

    place: Annotated[
        int | None, Meta(description="the best is 1; null, in `you` alone: your rating is provisional")
    ]
    player: PlayerName
    score: int | UnsetType = UNSET
    rank: Json | UnsetType | None = UNSET
    rating: Rating | UnsetType = UNSET


class Leaderboard(Struct, frozen=True, forbid_unknown_fields=True):
    game: str
    players: list[Placed]
    next: str | None
    pool: Annotated[str, Meta(description="absent: by points, not by ratings")] | UnsetType = UNSET
    you: (
        Annotated[
            Placed | None,
            Meta(description="with `pool` and a token: your own line; null: you have no rating there"),
        ]
        | UnsetType
    ) = UNSET


class FoundPlayers(Struct, frozen=True, forbid_unknown_fields=True):
    """Players whose names begin with what was asked for."""

    players: Annotated[list[PlayerName], Meta(description="by name")]
    next: str | None


class Related(Struct, frozen=True, forbid_unknown_fields=True):
    """A player whom you follow, or have blocked."""

    player: PlayerName
    since: Annotated[Time, Meta(description="when you began")]


class WatchableMatch(Struct, frozen=True, forbid_unknown_fields=True):
    """A running match that everybody may watch."""

    match: Annotated[str, Meta(description="id of the match")]
    game: str
    mode: Annotated[
        Literal["casual", "competitive"], Meta(description="in a casual match the players may go back")
    ]


class Followed(Struct, frozen=True, forbid_unknown_fields=True):
    """A player whom you follow."""

    player: PlayerName
    since: Annotated[Time, Meta(description="since when you follow")]
    here: Annotated[bool, Meta(description="the personal feed is open, or was until a moment ago")]
    matches: Annotated[
        list[WatchableMatch], Meta(description="what is played now, the newest first; at most 3")
    ]


class Following(Struct, frozen=True, forbid_unknown_fields=True):
    """The players whom you follow."""

    players: Annotated[list[Followed], Meta(description="the latest first")]
    next: str | None


class Blocked(Struct, frozen=True, forbid_unknown_fields=True):
    """The players whom you have blocked."""

    players: Annotated[list[Related], Meta(description="the latest first")]
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
    options: GameOptions
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


class HouseBot(Struct, frozen=True, forbid_unknown_fields=True):
    """A level of the house's bots. `bot:5` names it where a match is made."""

    level: Annotated[int, Meta(description="1, for beginners, to 8")]
    player: PlayerName
    ratings: Annotated[list[Rating], Meta(description="of each pool in which it has had a rated match")]


class BotsOfGame(Struct, frozen=True, forbid_unknown_fields=True):
    """How the house's bots play a game."""

    game: str
    search: Annotated[bool, Meta(description="false: they play at random")]
    iterations: Annotated[
        dict[str, int], Meta(description="by level: most iterations of the search for an action")
    ]


class Bots(Struct, frozen=True, forbid_unknown_fields=True):
    """The bots of the house."""

    alive: Annotated[bool, Meta(description="does a program play for them at present?")]
    bots: list[HouseBot]
    games: list[BotsOfGame]
