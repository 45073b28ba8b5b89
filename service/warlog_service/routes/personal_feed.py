"""The feed of a person: what happens to him in all his matches."""

from __future__ import annotations

import re

from litestar import get
from litestar.types import Scope, Send

from warlog_events.errors import BadParameter
from warlog_events.players.accounts import Caller
from warlog_events.reading.feed import FeedClosed, SlowReader
from warlog_events.reading.personal_feed import Item, NoticeId, PersonalFeed
from warlog_service import auth, schema
from warlog_service.backend import Service, service_of
from warlog_service.openapi import call
from warlog_service.requests import AnyRequest, asked, header
from warlog_service.sse import EventStream

ASK = b'"ask":["/v1/matches?player=me&status=lobby","/v1/matches?player=me&status=playing"]'

_notice_id = re.compile(r"([1-9][0-9]{0,14})-(0|[1-9][0-9]{0,14})", re.ASCII).fullmatch


@get(
    "/players/me/feed",
    opt=call(
        query=schema.PersonalFeedQuery,
        answer="text/event-stream",
        stream=schema.PersonalFeed,
        headers=("Last-Event-ID of a notice",),
        token=True,
    ),
)
async def get_personal_feed(request: AnyRequest) -> PersonalStream:
    """Server-Sent Events: what happens to you in all your matches.

    `challenged`, `accepted`, `declined`, `seated`, `match_started`, `your_turn`, `draw_offered`, `proposal`,
    `proposal_over`, `match_over`, `rating_changed`, `not_rated`, `achievement`. Ignore types that you do not know:
    more will come. A change of a match gives one notice of each type, however many seats you hold, also if you made
    it yourself.

    `ready` comes first if you send no `Last-Event-ID`: now ask for your matches; what happens from then on follows.
    With it, all notices after that id come first. If they are not known any more (at least the last 100 are kept, for
    an hour), or the id is of no notice of yours, you get `reset` instead: ask for your matches again, at the paths in
    `ask`; what happens from then on follows. Both have an id.

    `heartbeat` comes every 15 seconds. The last event, `closing`, says why the stream ends: `slow_reader`, `shutdown`,
    or a problem's code."""
    scope = request.scope
    query = asked(scope, schema.PersonalFeedQuery)
    service = service_of(scope)
    caller = await auth.caller(service, scope)
    last = header(scope, b"last-event-id")
    after = _after(last, "`Last-Event-ID`") if last else _after(query.after, "`after`")
    return PersonalStream(service, caller, after)


class PersonalStream(EventStream):
    """One open personal feed."""

    def __init__(self, service: Service, caller: Caller, after: NoticeId | None) -> None:
        super().__init__(service, caller)
        self._feed: PersonalFeed = service.backend.personal_feeds.feed(caller.id, after)

    def close(self, code: str) -> None:
        self._feed.close(code)

    async def follow(self, scope: Scope, send: Send) -> str:
        traffic = self._service.metrics.traffic
        try:
            async with self._feed:
                async for item in self._feed:
                    await self.write(send, _sse(item))
                    traffic.feed_events += 1
        except SlowReader as slow:
            return slow.code
        except FeedClosed as closed:
            return closed.code
        return "shutdown"


def _sse(item: Item) -> bytes:
    kind = item.type.encode()
    body = item.body or b'{"type":"%b",%b}' % (kind, ASK)
    return b"id: %d-%d\nevent: %b\ndata: %b\n\n" % (*item.id, kind, body)


def _after(given: str | None, name: str) -> NoticeId | None:
    if not given:
        return None
    found = _notice_id(given)
    if found is None:
        raise BadParameter(f"{name} must be the id of an event of this feed, such as 1764000000000-17.")
    return NoticeId(int(found[1]), int(found[2]))


handlers = [get_personal_feed]
