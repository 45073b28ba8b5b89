"""Reading a match's past: a page of its events with what the rules made of each, by replaying that page."""

from collections.abc import Iterator
from typing import Any

import msgspec

from warlog_core import Event, State

from ..errors import IntegrityError
from ..match.match import Match
from ..match.model import (
    ActionTaken,
    Body,
    MatchStarted,
    OptionsChanged,
    PositionEdited,
    Reader,
    TimeTravelled,
)
from ..match.replay import UNREADABLE, start_of, state_at
from ..match.stored import StoredEvent
from ..match.timeline import Timeline
from ..match.upcast import body_of
from ..statistics import Counts


class ReplayedEvent(msgspec.Struct, eq=False):
    """An event with all that is known of it.

    core   what the rules made of it (actions, starts and edits only)
    state  after it, None in the lobby; not to be kept, it moves on
    shown  forms in which it has been shown, for readers who get the same (visible.py)
    public its JSON where everybody gets the same, once it has been made (visible.py)
    public_live, live  the same for feeds and answers; `live` by reader (visible.live_json)
    """

    stored: StoredEvent
    body: Body
    core: Event | None
    state: State | None
    shown: dict[object, dict[str, Any]] = {}
    public: bytes | None = None
    public_live: bytes | None = None
    live: dict[Reader, tuple[dict[str, Any], bytes]] = {}


def tell(match: Match, line: Timeline, events: list[StoredEvent], counts: Counts) -> Iterator[ReplayedEvent]:
    """Replays successive versions. `line`: the match's timeline, with nothing forgotten. Raises IntegrityError,
    Forgotten."""
    state: State | None = None
    for stored in events:
        body = body_of(stored)
        core: Event | None = None
        version = stored.version
        try:
            match body:
                case ActionTaken(action=action):
                    if state is None:
                        state = state_at(line, match.game, version - 1, counts)
                    counts.core_calls += 1
                    core = state.apply(stored.seat, action, stored.draws or [])
                case MatchStarted():
                    state = _start(match, line, stored, match.fold.position, counts)
                    core = state.started
                case PositionEdited(position=position):
                    state = _start(match, line, stored, position, counts)
                    core = state.started
                case TimeTravelled() | OptionsChanged() if version > match.fold.started > 0:
                    state = state_at(line, match.game, version, counts)
                case _ if state is None and version > match.fold.started > 0:
                    state = state_at(line, match.game, version, counts)
        except UNREADABLE as error:
            detail = f"event {version} cannot be replayed: {error}"
            raise IntegrityError(detail, version=version, first_bad=version) from error
        if state is not None and state.hash != stored.hash:
            detail = f"event {version}: another state than recorded"
            raise IntegrityError(detail, version=version, first_bad=version)
        yield ReplayedEvent(stored, body, core, state)


def _start(match: Match, line: Timeline, stored: StoredEvent, position: object, counts: Counts) -> State:
    counts.core_calls += 1
    options = line.base_of(stored.version).options
    return start_of(match.game, options, match.fold.filled, position, stored.draws or [])
