"""What goes into `Matches` beside commands, and what comes out."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import msgspec

from warlog_core import Game

from .match.draft import Draft
from .match.match import Match, at_time
from .match.model import Reader
from .reading.replayed import ReplayedEvent
from .reading.visible import event_json, public_json


class Key(msgspec.Struct, frozen=True):
    """An Idempotency-Key with a digest of the request (any text that differs when the body or the route does)."""

    key: str
    digest: str


class MatchSettings(msgspec.Struct, frozen=True):
    """hot_bytes_max               memory for hot matches, roughly
    checkpoint_every_events     most events that looking back at a version has to replay
    snapshot_every_events       how often a match is written down whole
    feed_events_max             events that may wait for one slow reader
    proposal_bytes_per_match    of all proposals of a match and of what they changed; 0: any number
    events_per_match            beyond which players only end a match; 0: any number
    """

    hot_bytes_max: int = 256 * 1024 * 1024
    checkpoint_every_events: int = 32
    snapshot_every_events: int = 100
    feed_events_max: int = 256
    proposal_bytes_per_match: int = 0
    events_per_match: int = 0


_ANSWER = b'{"version":%d,"event":%b,"match":%b}'


class Done:
    """What an attempt led to.

    version   the match's newest at that moment
    match     the match after it
    told      the event, the first one if there are several; None: nothing was appended
    answer    to the command; for a repeated key the bytes of the first time
    repeated  True: nothing was appended now, only `answer` is there (`match` and `version` are those of now)
    """

    def __init__(self, match: Match, told: ReplayedEvent | None, answer: bytes = b"") -> None:
        self.match = match
        self.version = match.version
        self.told = told
        self.answer = answer
        self.repeated = told is None

    @classmethod
    def of(cls, draft: Draft) -> "Done":
        """Of events that are written and not appended yet."""
        first = draft.written[0]
        return cls(draft.match, ReplayedEvent(first.stored, first.body, first.core, draft.match.state))

    def event(self, reader: Reader) -> dict[str, object]:
        """The event as `reader` may see it, in the form of API.md. Not for a repeat."""
        assert self.told is not None
        return event_json(self.match, self.told, reader)

    def body(self, player_id: str) -> dict[str, object]:
        """`{"version", "event", "match"}` of API.md, for the player who sent the command."""
        reader = Reader(self.match.seats_of(player_id), player_id)
        return {
            "version": self.version,
            "event": self.event(reader),
            "match": self.match.summary_at(reader, self.match.fold.updated_at),
        }

    def json(self, player_id: str) -> bytes:
        """`body`, encoded."""
        match, told = self.match, self.told
        event = None if told is None else public_json(told)
        if event is not None and match.is_alike_for_all:
            summary = match.public_summary_json()
        else:
            reader = Reader(match.seats_of(player_id), player_id)
            summary = match.summary_json(reader)
            if event is None:
                event = msgspec.json.encode(self.event(reader))
        if match.deadlines:
            summary = at_time(summary, match.fold.updated_at)
        return _ANSWER % (self.version, event, summary)


Decide = Callable[[Draft], Awaitable[None]]
"""Writes events on a draft of the newest match that is known, or none; raises what is to be refused. It may be called
several times, each time with another draft."""


class Attempt(Protocol):
    """`Matches.attempt`."""

    async def __call__(
        self,
        match_id: str,
        decide: Decide,
        by: str,
        *,
        game: Game | None = None,
        fresh: bool = False,
        key: Key | None = None,
        acting: str | None = None,
        answer: Callable[[Done], bytes] | None = None,
    ) -> Done: ...
