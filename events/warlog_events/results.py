"""What goes into `Matches` beside commands, and what comes out."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import msgspec

from warlog_core import Game

from .errors import Accepted
from .match.draft import Draft
from .match.match import Match
from .match.model import Reader
from .reading.replayed import EventWithState
from .reading.visible import event_json, live_json


class Key(msgspec.Struct, frozen=True):
    """An Idempotency-Key with a digest of the request (any text that differs when the body or the route does)."""

    key: str
    digest: str


class MatchSettings(msgspec.Struct, frozen=True):
    """hot_bytes_max               for matches in memory, roughly
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


class Done:
    """What an attempt led to.

    match     after it
    appended  the event, the last one where there are several; None: nothing was appended
    earlier   set: this is a repeat of a command that was accepted then. Nothing was appended now, `match` is that
              of now, and `PlayerCommands.first_answer` gives what the first attempt gave
    """

    def __init__(
        self, match: Match, appended: EventWithState | None = None, earlier: Accepted | None = None
    ) -> None:
        self.match = match
        self.appended = appended
        self.earlier = earlier

    @property
    def version(self) -> int:
        return self.match.version

    def reader(self, player_id: str) -> Reader:
        """The reader that the sender of the command is after it, with all seats that he then holds."""
        return Reader(self.match.seats_of(player_id), player_id)

    def event(self, reader: Reader) -> dict[str, object]:
        """What was appended, in the form of `schema.Event`, as `reader` may see it."""
        assert self.appended is not None
        return event_json(self.match, self.appended, reader)

    def event_answer(self, reader: Reader) -> bytes:
        """The answer to a command: the event in the same bytes as the feed of the player who sent it."""
        assert self.appended is not None
        return live_json(self.match, self.appended, reader)

    def match_answer(self, reader: Reader) -> bytes:
        """`schema.MatchAnswer`: the answer where a seat was taken or left."""
        summary = self.match.summary_at(reader, self.match.fold.updated_at)
        return msgspec.json.encode({"match": summary})


WriteEvents = Callable[[Draft], Awaitable[None]]
"""Writes events on a draft of the newest match that is known, or none; raises what is to be refused. It may be called
several times, each time with another draft."""


class Attempt(Protocol):
    """`Matches.attempt`."""

    async def __call__(
        self,
        match_id: str,
        write_events: WriteEvents,
        by: str,
        *,
        game: Game | None = None,
        fresh: bool = False,
        key: Key | None = None,
        acting: str | None = None,
    ) -> Done: ...
