"""The live feed: Server-Sent Events, each new event as its reader may see it."""

from __future__ import annotations

from litestar import get
from litestar.params import FromPath
from litestar.types import Scope, Send

from warlog_events.errors import BadParameter, WarlogError
from warlog_events.match.match import Match
from warlog_events.match.model import Reader
from warlog_events.players.accounts import Caller
from warlog_events.reading.feed import Feed, FeedClosed, Item, SlowReader
from warlog_service import auth, schema
from warlog_service.backend import Service, service_of
from warlog_service.openapi import call
from warlog_service.requests import AnyRequest, asked, header
from warlog_service.responses import ClientConnection, chunk, connection_of
from warlog_service.routes.reading import VIEWER_ERRORS, reader_of
from warlog_service.sse import EventStream

MEMBERSHIP = {
    "seat_taken",
    "seat_left",
    "challenge_declined",
    "seats_assigned",
    "match_started",
    "options_changed",
    "became_competitive",
}
"""Events with which a reader may come to know more or less than before."""


@get(
    "/matches/{match_id:str}/feed",
    opt=call(
        query=schema.FeedQuery,
        answer="text/event-stream",
        stream=schema.MatchFeed,
        headers=("Last-Event-ID",),
        errors=VIEWER_ERRORS,
    ),
)
async def get_feed(request: AnyRequest, match_id: FromPath[str]) -> Stream:
    """Server-Sent Events: at once all events after `Last-Event-ID` (or `after`), then each new event. Without either,
    all events. From a version that is not there yet, it goes on as from the newest.

    Each has the lines `id`, `event` and `data`, which is JSON in one line; `heartbeat` and `closing` have no `id`.

    The id of an event is its version. `now`, beside `deadlines`, is the server's time: compute countdowns from it, not
    from your own clock. `heartbeat` comes every 15 seconds. When the server ends a stream, a last event `closing` says
    why: `slow_reader`, `shutdown`, `reader_changed` (you hold other seats than before), or a problem's code."""
    scope = request.scope
    query = asked(scope, schema.FeedQuery)
    service = service_of(scope)
    caller = await auth.caller_or_none(service, scope)
    match = await service.backend.matches.admission.load(match_id, caller.id if caller else None)
    reader = reader_of(match, caller.id if caller else None, query.seat)
    after = _last_event_id(scope)
    if after is None:
        after = 0 if query.after is None else query.after
    return Stream(service, match, caller, reader, query.seat, after)


class Stream(EventStream):
    """One open feed. It also ends if its reader falls behind or his seats change.

    While the task of the request waits for the connection, the bounded queue of the `Feed` fills, and only this reader
    notices. While it waits for news and the connection has room, an event goes straight to the connection (`_push`),
    and the task is not woken."""

    def __init__(
        self,
        service: Service,
        match: Match,
        caller: Caller | None,
        reader: Reader,
        seats: list[str],
        after: int,
    ) -> None:
        super().__init__(service, caller)
        self._match = match
        self._reader = reader
        self._seats = seats
        self._after = min(after, match.version)
        self._feed: Feed | None = None
        self._close_code: str | None = None
        self._connection: ClientConnection | None = None
        self._entered: str | None = None  # Presence.enter

    def close(self, code: str) -> None:
        self._close_code = self._close_code or code
        if self._feed is not None:
            self._feed.close(code)

    async def follow(self, scope: Scope, send: Send) -> str:
        backend = self._service.backend
        self._connection = connection_of(scope)
        self._enter(self._match)
        try:
            async with backend.matches.feed(self._match, self._reader, self._after) as self._feed:
                if self._close_code is not None:
                    self._feed.close(self._close_code)
                if self._connection is not None:
                    self._feed.write_at_once = self._push
                return await self._tell(self._feed, send)
        finally:
            if self._entered is not None:
                backend.presence.leave(self._entered)

    async def _tell(self, feed: Feed, send: Send) -> str:
        """Writes events until the feed ends; the answer is why it did."""
        traffic = self._service.metrics.traffic
        try:
            async for version, name, data in feed:
                # Before it is shown: to whom it is another reader's event, it comes when he asks again as that reader.
                if name in MEMBERSHIP and (code := await self._lost()):
                    return code
                await self.write(send, _sse(version, name, data))
                traffic.feed_events += 1
        except SlowReader as slow:
            return slow.code
        except FeedClosed as closed:
            return closed.code
        return "shutdown"

    def _push(self, item: Item) -> bool:
        """An event while `_tell` waits. False: it has to be looked at first, or to wait until there is room."""
        if item.type in MEMBERSHIP or self._connection is None or not self._connection.push(_chunk(item)):
            return False
        self._service.metrics.traffic.feed_events += 1
        return True

    async def _lost(self) -> str | None:
        """Why this reader may not go on as he is: his membership or his seats are no longer what they were."""
        player = self._caller.id if self._caller else None
        try:
            match = await self._service.backend.matches.admission.load(self._match.id, player, fresh=False)
            reader = reader_of(match, player, self._seats)
        except WarlogError as error:
            return error.code
        if reader != self._reader:
            return "reader_changed"
        self._enter(match)
        return None

    def _enter(self, match: Match) -> None:
        """The reader is there for as long as his feed is open, as soon as the match is one in which that matters."""
        if self._entered is None and self._caller is not None:
            self._entered = self._service.backend.presence.enter(match, self._caller.id)


def _sse(version: int, name: str, data: bytes) -> bytes:
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (version, name.encode(), data)


_newest: tuple[Item, bytes] = Item(0, "", b""), b""


def _chunk(item: Item) -> bytes:
    """Most events go to several feeds, one after the other: the last one made is kept."""
    global _newest
    made_of, made = _newest
    if made_of is not item:
        made = chunk(_sse(*item))
        _newest = item, made
    return made


def _last_event_id(scope: Scope) -> int | None:
    given = header(scope, b"last-event-id")
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and len(given) <= 15):
        raise BadParameter("`Last-Event-ID` must be a version.")
    return int(given)


handlers = [get_feed]
