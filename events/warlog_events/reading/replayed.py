"""Reading a match's past: a page of its events with what the rules made of each, by replaying that page."""

from collections.abc import Iterator, Mapping
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

    resolved  what the rules made of it: action, draws, effects (actions, starts and edits only)
    state     after it, None in the lobby. Replaying the next event changes this object: copy it to keep it

    What has been encoded of it, kept for the next reader who gets the same (visible.py):

    shown        what is seen of an action → its form in `/events`
    public       its JSON where everybody gets the same
    public_live  that for feeds and answers
    live         reader → his form for feeds and answers, and its JSON
    """

    stored: StoredEvent
    body: Body
    resolved: Event | None
    state: State | None
    shown: dict[object, dict[str, Any]] = {}
    public: bytes | None = None
    public_live: bytes | None = None
    live: dict[Reader, tuple[dict[str, Any], bytes]] = {}


def replay_events(
    match: Match, line: Timeline, events: list[StoredEvent], names: Mapping[str, str], counts: Counts
) -> Iterator[ReplayedEvent]:
    """Replays successive versions. Raises IntegrityError, Forgotten.

    line   the match's timeline, with nothing forgotten
    names  of the players that the events do not name (names.py)"""
    state: State | None = None
    for stored in events:
        body = body_of(stored, names)
        resolved: Event | None = None
        version = stored.version
        try:
            match body:
                case ActionTaken(action=action):
                    if state is None:
                        state = state_at(line, match.game, version - 1, counts)
                    counts.core_calls += 1
                    resolved = state.apply(stored.seat, action, stored.draws or [])
                case MatchStarted():
                    state = _start(match, line, stored, match.fold.position, counts)
                    resolved = state.started
                case PositionEdited(position=position):
                    state = _start(match, line, stored, position, counts)
                    resolved = state.started
                case TimeTravelled() | OptionsChanged() if version > match.fold.started_version > 0:
                    state = state_at(line, match.game, version, counts)
                case _ if state is None and version > match.fold.started_version > 0:
                    state = state_at(line, match.game, version, counts)
        except UNREADABLE as error:
            detail = f"event {version} cannot be replayed: {error}"
            raise IntegrityError(detail, version=version, first_bad=version) from error
        if state is not None and state.hash != stored.hash:
            detail = f"event {version}: another state than recorded"
            raise IntegrityError(detail, version=version, first_bad=version)
        yield ReplayedEvent(stored, body, resolved, state)


def _start(match: Match, line: Timeline, stored: StoredEvent, position: object, counts: Counts) -> State:
    counts.core_calls += 1
    options = line.base_of(stored.version).options
    return start_of(match.game, options, match.fold.filled, position, stored.draws or [])
