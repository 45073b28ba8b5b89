"""The list of matches: public ones by game and status, everybody's own; the newest first.

A match stands in up to four public sorted sets (any or its game × any or its status) and in two for each of its
players (any or its status). Other filters are applied while reading. What is shown of a match is its summary, as it
is now; options and whose turn it is are looked up there, too, because actions change them and are not projected.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

import warlog_core

from ..errors import BadParameter, named
from ..match import policy
from ..match.lobby_entry import LobbyEntry
from ..redis import keys
from ..redis.connection import Connection
from ..redis.store import ask_summary, summary_of

CHUNK = 100
# Entries looked at for one page, and those of the same ms; a page may end early and go on after. Fewer where each
# one's summary has to be read.
SCANNED_MAX = 2000
SUMMARIES_MAX = 400
# A page ends once it is this long, ten times what a full one mostly is; and so many summaries are read at a time.
PAGE_BYTES = 2_000_000
READ = 50
LOOKED_AT = 20  # running matches of a player, for those that may be watched


class Watchable(msgspec.Struct, frozen=True):
    """A running match that everybody may follow."""

    match: str
    game: str
    mode: str


class Query(Protocol):
    """None: any.

    options    names and values that the match has, defaults included
    turn       of the caller's running matches: those in which he is to act, or the others
    watchable  running, and a spectator may follow it
    after      the cursor that the page before gave
    """

    @property
    def game(self) -> str | None: ...
    @property
    def status(self) -> str | None: ...
    @property
    def mode(self) -> str | None: ...
    @property
    def player(self) -> str | None: ...
    @property
    def open(self) -> bool: ...
    @property
    def turn(self) -> str | None: ...
    @property
    def watchable(self) -> bool: ...
    @property
    def after(self) -> str | None: ...


_entry = msgspec.json.Decoder(LobbyEntry)


class _Seat(msgspec.Struct):
    seat: str
    player: dict[str, Any] | None


class _Summary(msgspec.Struct):
    """What of a summary is looked at here."""

    options: dict[str, msgspec.Raw]
    seats: list[_Seat]
    to_act: list[str]


_summary = msgspec.json.Decoder(_Summary)


class Lobby:
    """With `catch_up` (of a Projector), an answer knows what was appended before the question; without it, it may lag
    behind."""

    def __init__(
        self, connection: Connection, catch_up: Callable[[], Awaitable[object]] | None = None
    ) -> None:
        self._pipe = connection.pipe
        self._catch_up = catch_up

    async def matches(
        self,
        query: Query,
        caller: str | None,
        limit: int,
        options: Mapping[str, object] | None = None,
    ) -> tuple[list[msgspec.Raw], str | None]:
        """At most `limit` summaries (JSON) of public matches and of the caller's own, and the cursor of the next
        page. Raises BadParameter, UnknownGame (options of a game that is none)."""
        search = _Search(query, caller, options)
        if self._catch_up is not None:
            await self._catch_up()
        found: list[tuple[str, bytes | None]] = []  # members, some with their summaries
        last = ""
        scanned = 0
        async for chunk in self._chunks(search):
            summaries = await self._read(chunk, search) if search.deep else {}
            for member, index in chunk:
                if scanned >= search.scanned_max and _moment(member) != _moment(last):
                    # `last` may be a match that the caller may not know of: only its time is told.
                    return await self._page(found, _moment(last) if len(found) < limit else last)
                match = _match(member)
                fits = search.fits(index) and (not search.deep or search.fits_summary(summaries.get(match)))
                if fits and len(found) == limit:
                    # Said only of what the caller may see: there may be private ones of others below.
                    return await self._page(found, last)
                scanned += 1
                if fits:
                    found.append((member, summaries.get(match)))
                if fits or len(found) < limit:
                    last = member
        return await self._page(found, None)

    async def watchable(self, players: Sequence[str], most: int) -> list[list[Watchable]]:
        """Of each of the players, the newest running matches that everybody may watch, `most` at most."""
        if self._catch_up is not None:
            await self._catch_up()
        newest = ("+", "-", "LIMIT", 0, LOOKED_AT)
        listed = await self._pipe.many(
            ("ZREVRANGEBYLEX", keys.lobby(f"listed:of:{player}:playing"), *newest) for player in players
        )
        of_players = [[_match(member.decode()) for member in members] for members in listed]
        asked = sorted({match for matches in of_players for match in matches})
        entries = await self._pipe.call("HMGET", keys.lobby("index"), *asked) if asked else []
        known: dict[str, Watchable] = {}
        for match, entry in zip(asked, entries, strict=True):
            index = None if entry is None else _entry.decode(entry.partition(b" ")[2])
            if index is not None and index.status == "playing" and index.public and _watchable(index):
                known[match] = Watchable(match, index.game, index.mode)
        return [[known[match] for match in matches if match in known][:most] for matches in of_players]

    async def _page(
        self, found: list[tuple[str, bytes | None]], after: str | None
    ) -> tuple[list[msgspec.Raw], str | None]:
        """The summaries, of which some have been read already, as far as they are not too long for one page."""
        page: list[msgspec.Raw] = []
        size = 0
        for start in range(0, len(found), READ):
            part = found[start : start + READ]
            missing = iter(await self._summaries([_match(member) for member, raw in part if raw is None]))
            for member, raw in part:
                summary = next(missing) if raw is None else raw
                page += [] if summary is None else [msgspec.Raw(summary)]
                size += len(summary or b"")
                if size >= PAGE_BYTES and member != found[-1][0]:
                    return page, member
        return page, after

    async def _read(
        self, chunk: list[tuple[str, LobbyEntry | None]], search: "_Search"
    ) -> dict[str, bytes | None]:
        """Summaries of those that may be what is asked for."""
        matches = [_match(member) for member, index in chunk if search.fits(index)]
        return dict(zip(matches, await self._summaries(matches), strict=True))

    async def _summaries(self, matches: list[str]) -> list[bytes | None]:
        return [summary_of(reply) for reply in await self._pipe.many(map(ask_summary, matches))]

    async def _chunks(self, search: "_Search") -> AsyncIterator[list[tuple[str, LobbyEntry | None]]]:
        """Every candidate once, the newest first, with its index entry."""
        bound = search.bound
        while True:
            chunks = await self._pipe.many(
                ("ZREVRANGEBYLEX", key, bound, "-", "LIMIT", 0, CHUNK) for key in search.sets
            )
            # Of two lists only the part above the higher of their ends is complete.
            ends = [chunk[-1] for chunk in chunks if len(chunk) == CHUNK]
            end = max(ends, default=b"")
            members = sorted({member for chunk in chunks for member in chunk if member >= end}, reverse=True)
            if members:
                ids = [member.partition(b" ")[2] for member in members]
                entries = await self._pipe.call("HMGET", keys.lobby("index"), *ids)
                yield [
                    (member.decode(), None if entry is None else _entry.decode(entry.partition(b" ")[2]))
                    for member, entry in zip(members, entries, strict=True)
                ]
            if not ends:
                return
            bound = f"({end.decode()}"


class _Search:
    """A query of one caller: in which sorted sets to look, from where on, and what fits.

    deep  the summary has to be looked at, too
    """

    def __init__(self, query: Query, caller: str | None, options: Mapping[str, object] | None) -> None:
        self._query = query
        self._caller = caller
        self._player = caller if query.player == "me" or query.turn is not None else query.player
        self._status = "playing" if query.turn is not None or query.watchable else query.status
        if query.turn is not None and query.player not in (None, "me"):
            raise BadParameter("`turn` is for your own matches; leave `player` out, or give `me`.")
        if self._status != (query.status or self._status):
            raise BadParameter(
                "`turn` and `watchable` are for running matches; leave `status` out, or give `playing`."
            )
        self._options = _encoded_options(query.game, options) if options else {}
        self.deep = bool(self._options) or query.turn is not None
        self.scanned_max = SUMMARIES_MAX if self.deep else SCANNED_MAX
        status = "" if self._status is None else f":{self._status}"
        if self._player is not None:
            self.sets = [keys.lobby(f"listed:of:{self._player}{status}")]
        else:
            self.sets = [keys.lobby(f"listed:{query.game or '*'}:{self._status or '*'}")]
            if caller is not None:
                self.sets.append(keys.lobby(f"listed:of:{caller}{status}"))
        self.bound = "+"
        if query.after is not None:
            _check_cursor(query.after)
            self.bound = f"({query.after}"

    def fits(self, index: LobbyEntry | None) -> bool:
        query = self._query
        return (
            index is not None
            and (index.public or self._caller in index.players)
            and (query.game is None or index.game == query.game)
            and (self._status is None or index.status == self._status)
            and (query.mode is None or index.mode == query.mode)
            and (self._player is None or self._player in index.players)
            and (not query.open or index.open)
            and (not query.watchable or _watchable(index))
        )

    def fits_summary(self, raw: bytes | None) -> bool:
        if raw is None:
            return False
        summary = _summary.decode(raw)
        if any(_sorted(summary.options.get(name)) != value for name, value in self._options.items()):
            return False
        if self._query.turn is None:
            return True
        mine = {seat.seat for seat in summary.seats if seat.player and seat.player["id"] == self._player}
        return bool(mine) and mine.isdisjoint(summary.to_act) == (self._query.turn == "others")


def _watchable(index: LobbyEntry) -> bool:
    """Of a running match: may a spectator follow it?"""
    if index.mode == "casual":
        return True
    try:
        return policy.spectators_may_watch(warlog_core.game(index.game))
    except warlog_core.UnknownGame:
        return False


_sorting = msgspec.json.Encoder(order="sorted")


def _sorted(raw: msgspec.Raw | None) -> bytes | None:
    """One text for equal JSON values: 1 is not true, nor 1.0."""
    return None if raw is None else _sorting.encode(msgspec.json.decode(raw))


def _encoded_options(game: str | None, options: Mapping[str, object]) -> dict[str, bytes]:
    if game is None:
        raise BadParameter("`options` needs `game` beside it, the game whose options they are.")
    unknown = options.keys() - policy.option_names(warlog_core.game(game))
    if unknown:
        raise BadParameter(f"The game {game} has no option {named(min(unknown))}.")
    return {name: _sorting.encode(value) for name, value in options.items()}


def _moment(member: str) -> str:
    return member.partition(" ")[0]


def _match(member: str) -> str:
    return member.partition(" ")[2]


def _check_cursor(cursor: str) -> None:
    created, space, match = cursor.partition(" ")
    if len(created) != 13 or not created.isdigit() or (space and keys.bucket_of(match) is None):
        raise BadParameter("`after` is no cursor of this list.")
