"""How a finished match counts in statistics and for achievements. Values and functions only.

What the events of a match say of its seats is found once (`Tallied`); what that means for a player depends on what he
has played before.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple

import msgspec

import warlog_core
from warlog_core.achievements import Achievement, Tally, achievements_of, read, tally, tally_of

from ..match import policy
from ..match.bots import HOUSE, LEVELS, house, is_bot
from ..match.match import Match
from ..reading.replayed import Run
from .ratings import Rating
from .statistics import Career, OwnStatistics, Statistics

SHARED = "any"  # in place of a game's name
LEVEL_MIN = 5  # of the house's bots: matches with a weaker one count nowhere
BEHIND = 1 / 3  # of an even chance
JUDGED_EVERY = 8  # of start and actions
UPSET, MARATHON, STREAK = 200, 300, 5


class Tallied(msgspec.Struct, frozen=True):
    """seat → keys of the game's achievements, names of favourites; and the seats that won though they were behind."""

    earned: Mapping[str, Sequence[str]] = {}
    favourites: Mapping[str, Sequence[str]] = {}
    came_back: Collection[str] = ()


class Seated(NamedTuple):
    seat: str
    player: str
    outcome: str


class Counted(msgspec.Struct, frozen=True):
    """Of a match that counts.

    seats   of every player
    ms      from start to end
    fair    its options are those of a pool, or its game has no pools: achievements may be earned
    reason  why it ended
    """

    seats: Sequence[Seated]
    actions: int
    ms: int
    fair: bool
    reason: str
    tallied: Tallied


class Teller:
    """Goes through a match, run by run from its start on, for `Tallied`.

    types  of the effects that it wants to be told of, with the worth of the state after every `JUDGED_EVERY`th event
    """

    def __init__(self, match: Match) -> None:
        self._match = match
        self.types = tally_of(match.game_name).types(match.game.raw)
        self._tally: Tally | None = None
        self._lowest: dict[str, float] = {}

    def take(self, run: Run) -> None:
        if self._tally is None:
            self._tally = tally(self._match.game, run.state)
            if run.state.started is not None:
                self._tally.take(run.state.started)
        self._tally.take_steps(run.steps, run.effects)
        for values in run.values:
            for seat, value in values.items():
                self._lowest[seat] = min(value, self._lowest.get(seat, 1.0))

    def end(self, sides: int) -> Tallied:
        match = self._match
        if self._tally is None or match.state is None or match.fold.result is None:
            return Tallied()
        winners = match.fold.result.winners
        return Tallied(
            {seat: [*self._tally.earned(seat, seat in winners, match.state)] for seat in match.seats},
            {seat: [*self._tally.favourites(seat)] for seat in match.seats},
            [seat for seat in winners if self._lowest.get(seat, 1.0) * sides < BEHIND],
        )


def is_strong(player: str) -> bool:
    """A bot of the house against which matches count."""
    return HOUSE.get(player, 0) >= LEVEL_MIN


def may_count(mode: str, players: Collection[str]) -> bool:
    """Does a match of these players count, if nothing else is against it? Competitive ones do, and those of one person
    against bots of the house; with weak bots none."""
    bots = {player for player in players if player in HOUSE}
    if not all(map(is_strong, bots)):
        return False
    return mode == "competitive" or (bool(bots) and len(set(players) - bots) == 1)


def is_fair(match: Match, pool: str) -> bool:
    return bool(pool) or not policy.rated(match.game).pools


@cache
def catalogue() -> dict[str, Achievement]:
    """All achievements: those that the games share (`any.first_win`), then each game's (`<game>.<key>`). Raises
    ValueError for data that are wrong."""
    name = "shared_achievements.json"
    raw = resources.files(__package__ or __name__).joinpath(name).read_bytes()
    shared = {f"{SHARED}.{key}": one for key, one in read(f"standing/{name}", raw).items()}
    own = {f"{game}.{key}": one for game in warlog_core.games() for key, one in achievements_of(game).items()}
    return shared | own


def done_by(
    player: str,
    counted: Counted,
    statistics: OwnStatistics,
    ratings: Mapping[str, Rating],
    actions_min: int,
) -> Iterator[str]:
    """The shared achievements of which this match is one time. statistics: with this match; ratings: before it, none of
    a match that is not rated."""
    own = [one for one in counted.seats if one.player == player]
    yield "ten_matches"
    yield "hundred_matches"
    if counted.actions >= MARATHON:
        yield "marathon"
    if counted.reason == "draw_agreed":
        yield "peace"
    if own[0].outcome != "won":
        return
    yield "first_win"
    if statistics.streak == STREAK:
        yield "streak"
    if statistics.seats_won > 1:
        yield "both_sides"
    if any(one.seat in counted.tallied.came_back for one in own):
        yield "comeback"
    if counted.actions < 2 * actions_min:
        yield "swift"
    beaten = {one.player for one in counted.seats if one.outcome == "lost"}
    if house(max(LEVELS)).id in beaten:
        yield "strongest_bot"
    if ratings and any(ratings[other].shown - ratings[player].shown >= UPSET for other in beaten):
        yield "favourite_falls"


class KnownStatistics(NamedTuple):
    """What there is of statistics: of everybody in the game, and by player; of bots of the house nothing."""

    everyone: Statistics
    own: dict[str, OwnStatistics]
    careers: dict[str, Career]


class Award(NamedTuple):
    """key: with the game, or `any`, in front."""

    player: str
    key: str


def count_match(
    game: str,
    pool: str,
    counted: Counted,
    before: KnownStatistics,
    ratings: Mapping[str, Rating],
) -> list[Award]:
    """Changes what there was before the match; gives what is earned by it."""
    before.everyone.count(counted.actions, counted.ms)
    for seat, player, outcome in counted.seats:
        favourites = counted.tallied.favourites.get(seat, ())
        before.everyone.count_seat(pool, seat, outcome, favourites)
        if player in before.own:
            before.own[player].count_seat(pool, seat, outcome, favourites)
    awards: list[Award] = []
    for player, own in before.own.items():
        own.count(counted.actions, counted.ms)
        own.count_outcome(next(one.outcome for one in counted.seats if one.player == player))
        if counted.fair and not is_bot(player):
            awards += _earned(player, game, counted, before, ratings)
    return awards


def _earned(
    player: str, game: str, counted: Counted, before: KnownStatistics, ratings: Mapping[str, Rating]
) -> list[Award]:
    own, career = before.own[player], before.careers[player]
    shared = [*done_by(player, counted, own, ratings, policy.rated(warlog_core.game(game)).actions_min)]
    if game not in career.games:
        career.games.append(game)
        shared.append("five_games")
    of_game = {
        key
        for one in counted.seats
        if one.player == player
        for key in counted.tallied.earned.get(one.seat, ())
    }
    return [*_times(player, SHARED, shared, career.times), *_times(player, game, sorted(of_game), own.times)]


def _times(player: str, of: str, keys: Sequence[str], times: dict[str, int]) -> list[Award]:
    """Each of these was done once more; gives those that are earned by it."""
    awards = []
    for key in keys:
        times[key] = times.get(key, 0) + 1
        if times[key] == catalogue()[f"{of}.{key}"].count:
            awards.append(Award(player, f"{of}.{key}"))
    return awards
