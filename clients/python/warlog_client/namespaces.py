"""The calls by subject: `client.matches.create` is `client.create_match`. Most namespaces can be called themselves:
`client.matches(game="hex")` lists matches.

As in `endpoints`, a method here only describes its request.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterator
from typing import Any, Protocol, Self, TypeVar, overload

from . import descriptions, models
from .endpoints import PAGE, Endpoints
from .events import Event, Notice
from .literals import MatchStatus, Mode, Turn
from .methods import Namespace, endpoint, paged
from .models import Json, Seats
from .request import Page, Request, field_as, get, nothing, pages_of

C = TypeVar("C", covariant=True)

_ENTRY = field_as(models.PairingEntry, "entry")
_GAMES = field_as(list[descriptions.GameName], "games")
_OWN_OPTIONS = field_as(models.OwnOptions, "options")


class _Blocking(Protocol):
    """What `Client` does with calls that are more than one request."""

    def feed(self, match: str, *, seat: Seats = None, after: int = 0) -> Iterator[Event]: ...
    def personal_feed(self, *, after: str | None = None) -> Iterator[Notice]: ...
    def paired(self, entry: str) -> models.PairingEntry: ...


class _Awaited(Protocol):
    """The same of `AsyncClient`."""

    def feed(self, match: str, *, seat: Seats = None, after: int = 0) -> AsyncGenerator[Event, None]: ...
    def personal_feed(self, *, after: str | None = None) -> AsyncGenerator[Notice, None]: ...
    def paired(self, entry: str) -> Coroutine[Any, Any, models.PairingEntry]: ...


class Players(Namespace[C]):
    """Accounts."""

    create = Endpoints.create_player
    me = Endpoints.me
    account = Endpoints.account
    leave_for_good = Endpoints.leave_for_good
    get = Endpoints.player
    find = Endpoints.find_players
    following = Endpoints.following
    follow = Endpoints.follow
    unfollow = Endpoints.unfollow
    blocked = Endpoints.blocked
    block = Endpoints.block
    unblock = Endpoints.unblock
    bots = Endpoints.bots
    ratings = Endpoints.ratings
    rating_history = Endpoints.rating_history
    achievements = Endpoints.achievements
    statistics = Endpoints.statistics

    @overload
    def feed(self: Players[_Blocking], *, after: str | None = None) -> Iterator[Notice]: ...
    @overload
    def feed(self: Players[_Awaited], *, after: str | None = None) -> AsyncGenerator[Notice, None]: ...
    def feed(
        self: Players[_Blocking] | Players[_Awaited], *, after: str | None = None
    ) -> Iterator[Notice] | AsyncGenerator[Notice, None]:
        """What happens to you in all your matches; `Client.personal_feed`."""
        return self._client.personal_feed(after=after)


class Tokens(Namespace[C]):
    """The tokens of one's own account."""

    @paged
    def __call__(self) -> Request[Page[models.Token]]:
        """The player's tokens, without their secrets."""
        return pages_of(models.Token, "tokens", get(nothing, "tokens"))

    create = Endpoints.create_token
    revoke = Endpoints.revoke_token


class Layouts(Namespace[C]):
    """One's own starting layouts."""

    @paged
    def __call__(self, game: str, *, limit: int = PAGE) -> Request[Page[models.Layout]]:
        """One's own starting layouts of a game, by name."""
        return pages_of(models.Layout, "layouts", get(nothing, "players", "me", "layouts", game, limit=limit))

    get = Endpoints.layout
    save = Endpoints.save_layout
    load = Endpoints.load_layout
    delete = Endpoints.delete_layout


class OwnOptions(Namespace[C]):
    """Sets of options of one's own."""

    @endpoint
    def __call__(self, game: str, name: str) -> Request[models.OwnOptions]:
        """Raises UnknownOptions."""
        return get(_OWN_OPTIONS, "players", "me", "options", game, name)

    list = Endpoints.own_options_list
    save = Endpoints.save_own_options
    delete = Endpoints.delete_own_options


class Games(Namespace[C]):
    """What can be played."""

    @endpoint
    def __call__(self) -> Request[list[descriptions.GameName]]:
        """All games."""
        return get(_GAMES, "games")

    get = Endpoints.game
    rules = Endpoints.rules
    data = Endpoints.rule_data
    check_position = Endpoints.check_position
    leaderboard = Endpoints.leaderboard
    own_place = Endpoints.own_place
    statistics = Endpoints.game_statistics
    achievements = Endpoints.all_achievements


class Matches(Namespace[C]):
    """Matches: their making, seats, commands, boards and records."""

    @paged
    def __call__(
        self,
        *,
        game: str | None = None,
        status: MatchStatus | None = None,
        mode: Mode | None = None,
        player: str | None = None,
        open: bool = False,
        options: Json | None = None,
        turn: Turn | None = None,
        watchable: bool = False,
        limit: int = PAGE,
    ) -> Request[Page[models.Match]]:
        """Matches that the caller may see, the newest first.

        player     an id or `me`
        open       only those with a seat that anybody may take
        options    only those of `game` that have these values
        turn       only the caller's running ones: `mine`, in which he is to act, or `others`
        watchable  only running ones that a spectator may follow"""
        filters = {"game": game, "status": status, "mode": mode, "player": player, "turn": turn}
        flags = {"open": open or None, "watchable": watchable or None}
        first = get(nothing, "matches", **filters, **flags, options=options, limit=limit)
        return pages_of(models.Match, "matches", first)

    create = Endpoints.create_match
    import_record = Endpoints.import_record
    get = Endpoints.match

    take_seat = Endpoints.take_seat
    leave_seat = Endpoints.leave_seat
    decline = Endpoints.decline
    join = Endpoints.join

    act = Endpoints.act
    prepare = Endpoints.prepare
    propose = Endpoints.propose
    accept = Endpoints.accept
    reject = Endpoints.reject

    view = Endpoints.view
    whole = Endpoints.whole
    actions = Endpoints.actions
    seen_position = Endpoints.seen_position
    seen = Endpoints.seen
    analysis = Endpoints.analysis
    here = Endpoints.here
    trace = Endpoints.trace
    board = Endpoints.board
    events = Endpoints.events
    timeline = Endpoints.timeline
    history = Endpoints.history
    export = Endpoints.export
    verify = Endpoints.verify

    @overload
    def feed(
        self: Matches[_Blocking], match: str, *, seat: Seats = None, after: int = 0
    ) -> Iterator[Event]: ...
    @overload
    def feed(
        self: Matches[_Awaited], match: str, *, seat: Seats = None, after: int = 0
    ) -> AsyncGenerator[Event, None]: ...
    def feed(
        self: Matches[_Blocking] | Matches[_Awaited], match: str, *, seat: Seats = None, after: int = 0
    ) -> Iterator[Event] | AsyncIterator[Event]:
        """As `Client.feed`."""
        return self._client.feed(match, seat=seat, after=after)


class Pairing(Namespace[C]):
    """Quick pairing."""

    @endpoint
    def __call__(self, entry: str, *, wait_s: int = 0) -> Request[models.PairingEntry]:
        """How an entry stands. `wait_s`: how long the answer may wait for something to happen; keep it below the
        client's timeout. Who does not ask for a minute is taken for gone."""
        return get(_ENTRY, "pairing", entry, wait=wait_s or None)

    enter = Endpoints.pair
    list = Endpoints.pairings
    leave = Endpoints.leave_pairing

    @overload
    def wait(self: Pairing[_Blocking], entry: str) -> models.PairingEntry: ...
    @overload
    def wait(self: Pairing[_Awaited], entry: str) -> Coroutine[Any, Any, models.PairingEntry]: ...
    def wait(
        self: Pairing[_Blocking] | Pairing[_Awaited], entry: str
    ) -> models.PairingEntry | Coroutine[Any, Any, models.PairingEntry]:
        """As `Client.paired`."""
        return self._client.paired(entry)


class Scenarios(Namespace[C]):
    """Saved positions."""

    @paged
    def __call__(
        self, *, game: str | None = None, mine: bool = False, limit: int = PAGE
    ) -> Request[Page[models.Scenario]]:
        """The saved positions that the caller may see, or his own only."""
        first = get(nothing, "scenarios", game=game, mine=mine or None, limit=limit)
        return pages_of(models.Scenario, "scenarios", first)

    create = Endpoints.create_scenario
    get = Endpoints.scenario
    delete = Endpoints.delete_scenario


class Calls(Endpoints):
    """All calls, flat and by subject."""

    @property
    def players(self) -> Players[Self]:
        return Players(self)

    @property
    def tokens(self) -> Tokens[Self]:
        return Tokens(self)

    @property
    def layouts(self) -> Layouts[Self]:
        return Layouts(self)

    @property
    def own_options(self) -> OwnOptions[Self]:
        return OwnOptions(self)

    @property
    def games(self) -> Games[Self]:
        return Games(self)

    @property
    def matches(self) -> Matches[Self]:
        return Matches(self)

    @property
    def pairing(self) -> Pairing[Self]:
        return Pairing(self)

    @property
    def scenarios(self) -> Scenarios[Self]:
        return Scenarios(self)
