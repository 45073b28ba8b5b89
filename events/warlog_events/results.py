"""What an attempt to write leads to."""

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
from .redis.idempotency import Key


class Done:
    """What an attempt led to.

    match     after it
    appended  the event, the last one where there are several; None: nothing was appended
    accepted  what is kept of the first acceptance, if this repeats a command. Then nothing was appended, `match` is the
              newest, and `PlayerCommands.first_answer` gives the first answer
    """

    def __init__(
        self, match: Match, appended: EventWithState | None = None, accepted: Accepted | None = None
    ) -> None:
        self.match = match
        self.appended = appended
        self.accepted = accepted

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
        acting_seat: str | None = None,
    ) -> Done: ...
