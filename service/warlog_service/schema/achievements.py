"""Answers about achievements and statistics."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from warlog_service.schema.common import Time


class Achievement(Struct, frozen=True, forbid_unknown_fields=True):
    """An achievement that players can earn."""

    key: Annotated[str, Meta(description="with the game in front, or `any`: `any.first_win`")]
    game: Annotated[str | None, Meta(description="null: all games share it")]
    name: Annotated[str, Meta(description="for display")]
    text: Annotated[str, Meta(description="what is to be done")]
    count: Annotated[int, Meta(description="in how many matches", ge=1)]


class Achievements(Struct, frozen=True, forbid_unknown_fields=True):
    """All achievements."""

    achievements: Annotated[list[Achievement], Meta(description="first those that the games share")]


class EarnedAchievement(Achievement, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An achievement that a player has."""

    at: Time
    match: Annotated[
        str | None, Meta(description="that earned it; null: it was private, and you are not the player")
    ]


class BegunAchievement(Achievement, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An achievement that takes several matches, of which some have been played."""

    times: Annotated[int, Meta(description="matches so far, fewer than `count`", ge=1)]


class OwnAchievements(Struct, frozen=True, forbid_unknown_fields=True):
    """Of one player."""

    achievements: Annotated[list[EarnedAchievement], Meta(description="the newest first")]
    begun: Annotated[list[BegunAchievement], Meta(description="not yet earned")]


class SeatOutcomes(Struct, frozen=True, forbid_unknown_fields=True):
    """Matches from one seat, in one pool."""

    pool: Annotated[str | None, Meta(description="key of the pool; null: options of no pool")]
    seat: str
    won: int
    drawn: int
    lost: int


class MatchLength(Struct, frozen=True, forbid_unknown_fields=True):
    """How long matches were."""

    actions: Annotated[float, Meta(description="by players, in the mean")]
    longest: Annotated[int, Meta(description="actions of the longest match")]
    seconds: Annotated[float, Meta(description="from the start to the end, in the mean")]


class Favourite(Struct, frozen=True, forbid_unknown_fields=True):
    """An opening or purchase."""

    name: Annotated[str, Meta(description="in the words of the game: a unit, a piece type, a first action")]
    times: Annotated[int, Meta(description="how often")]


class Statistics(Struct, frozen=True, forbid_unknown_fields=True):
    game: str
    played: Annotated[int, Meta(description="counted matches")]
    seats: Annotated[list[SeatOutcomes], Meta(description="by pool and seat")]
    length: MatchLength
    favourites: Annotated[list[Favourite], Meta(description="at most ten, the most frequent first")]


class GameStatistics(Statistics, frozen=True, forbid_unknown_fields=True):
    """Of everybody."""


class PlayerStatistics(Statistics, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Of one player in one game."""

    won: int
    drawn: int
    lost: int
    streak: Annotated[int, Meta(description="matches won one after the other until now")]
    best_streak: Annotated[int, Meta(description="the longest such streak")]


class OwnStatistics(Struct, frozen=True, forbid_unknown_fields=True):
    """Of one player."""

    statistics: Annotated[list[PlayerStatistics], Meta(description="of each game that he has played")]
