"""The list of matches: public ones by game and status, everybody's own; the newest first.

A match stands in up to four public sorted sets (any or its game × any or its status) and in one for each of its
players. Other filters are applied while reading. What is shown of a match is its summary, as it is now.
"""

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from .. import keys
from ..connect import Connection
from ..errors import BadParameter
from ..head import milliseconds

if TYPE_CHECKING:
    from .projector import Projector

CHUNK = 100
# Entries looked at for one page, and those of the same ms; a page may end early and go on after.
SCANNED_MAX = 2000


class Index(msgspec.Struct, frozen=True):
    """What a match is found by. `open`: anybody may take a seat. `players`: all who may know of it."""

    game: str
    status: str
    mode: str
    public: bool
    open: bool
    players: list[str]
    created_at: int


class Query(Protocol):
    """None: any. `after`: the cursor that the page before gave."""

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
    def after(self) -> str | None: ...


def index_of(summary: Mapping[str, Any]) -> Index:
    """From a spectator's summary of the match (head.Match.summary)."""
    seats = summary["seats"]
    players = {seat["player"]["id"] for seat in seats if seat["player"] is not None}
    players |= {entry["player"]["id"] for entry in summary.get("joined", ())}
    is_open = summary["status"] == "lobby" and any(
        seat["player"] is None and not seat.get("by_invitation", False) for seat in seats
    )
    return Index(
        summary["game"],
        summary["status"],
        summary["mode"],
        summary["visibility"] == "public",
        is_open,
        sorted(players | {summary["creator"]["id"]}),
        milliseconds(summary["created_at"]),
    )


_index = msgspec.json.Decoder(Index)


class Lobby:
    """With a projector, what has been appended before the question is in the answer; else it may lag a moment."""

    def __init__(self, connection: Connection, projector: "Projector | None" = None) -> None:
        self._pipe = connection.pipe
        self._projector = projector

    async def matches(
        self, query: Query, caller: str | None, limit: int
    ) -> tuple[list[msgspec.Raw], str | None]:
        """At most `limit` summaries (JSON) of public matches and of the caller's own, and the cursor of the next
        page."""
        if self._projector is not None:
            await self._projector.catch_up()
        player = caller if query.player == "me" else query.player
        found: list[str] = []
        last: str | None = None
        scanned = 0
        more = False
        async for member, raw in self._members(query, player, caller):
            if scanned >= SCANNED_MAX and member.partition(" ")[0] != str(last).partition(" ")[0]:
                more = True
                if len(found) < limit:
                    # `last` may be a match that the caller may not know of: only its time is told.
                    last = str(last).partition(" ")[0]
                break
            fits = raw is not None and _fits(_index.decode(raw.partition(b" ")[2]), query, player, caller)
            if fits and len(found) == limit:
                more = True  # said only of what the caller may see: there may be private ones of others below
                break
            scanned += 1
            if fits:
                found.append(member.partition(" ")[2])
            if fits or len(found) < limit:
                last = member
        replies = await self._pipe.many(("HGET", keys.match_state(match), "summary") for match in found)
        return [msgspec.Raw(raw) for raw in replies if raw is not None], last if more else None

    async def _members(
        self, query: Query, player: str | None, caller: str | None
    ) -> AsyncIterator[tuple[str, bytes | None]]:
        """Every candidate once, the newest first, with its index entry."""
        if player is not None:
            sets = [keys.lobby(f"listed:of:{player}")]
        else:
            sets = [keys.lobby(f"listed:{query.game or '*'}:{query.status or '*'}")]
            if caller is not None:
                sets.append(keys.lobby(f"listed:of:{caller}"))
        bound = "+"
        if query.after is not None:
            _check_cursor(query.after)
            bound = f"({query.after}"
        while True:
            chunks = await self._pipe.many(
                ("ZREVRANGEBYLEX", key, bound, "-", "LIMIT", 0, CHUNK) for key in sets
            )
            # Of two lists only the part above the higher of their ends is complete.
            ends = [chunk[-1] for chunk in chunks if len(chunk) == CHUNK]
            end = max(ends, default=b"")
            members = sorted({member for chunk in chunks for member in chunk if member >= end}, reverse=True)
            if members:
                ids = [member.partition(b" ")[2] for member in members]
                entries = await self._pipe.call("HMGET", keys.lobby("index"), *ids)
                for member, entry in zip(members, entries, strict=True):
                    yield member.decode(), entry
            if not ends:
                return
            bound = f"({end.decode()}"


def _fits(index: Index, query: Query, player: str | None, caller: str | None) -> bool:
    return (
        (index.public or caller in index.players)
        and (query.game is None or index.game == query.game)
        and (query.status is None or index.status == query.status)
        and (query.mode is None or index.mode == query.mode)
        and (player is None or player in index.players)
        and (not query.open or index.open)
    )


def _check_cursor(cursor: str) -> None:
    created, space, match = cursor.partition(" ")
    if len(created) != 13 or not created.isdigit() or (space and keys.bucket_of(match) is None):
        raise BadParameter("`after` is not a cursor of this list")
