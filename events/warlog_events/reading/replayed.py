"""Reading a match's past: a page of its events with what the rules made of each, by replaying that page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from warlog_core import Event, State, Step

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
from ..match.replay import UNREADABLE, broken, replay_run, start_of, state_at
from ..match.stored import StoredEvent
from ..match.timeline import Timeline
from ..match.upcast import body_of
from ..statistics import Counts


class EventWithState(msgspec.Struct, eq=False):
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
) -> Iterator[EventWithState]:
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
            raise broken(version, f"it cannot be replayed: {error}") from error
        if state is not None and state.hash != stored.hash:
            raise broken(version, "another state than recorded")
        yield EventWithState(stored, body, resolved, state)


RUN_EVENTS = 80  # that are replayed in one core call


class Run(NamedTuple):
    """The start of a match, which has no steps; or actions that follow on each other, replayed in one core call.

    state    after it, with `started` at the start
    effects, values  as `State.replay_effects` gives them
    """

    state: State
    steps: Sequence[Step] = ()
    effects: Sequence[tuple[str, int, Any]] = ()
    values: Sequence[Mapping[str, float]] = ()


def replay_runs(
    match: Match, events: Iterable[StoredEvent], types: Mapping[int, int], every: int, counts: Counts
) -> Iterator[Run]:
    """Replays a match that never went back, of which these are all events. Raises IntegrityError.

    types  of the effects that are wanted
    every  values of states are wanted where the number of start and actions can be divided by this, as RUN_EVENTS can
    """
    state: State | None = None
    taken, before = list[StoredEvent](), ""
    for stored in events:
        if stored.type == "action_taken":
            taken.append(stored)
            is_sound = state is not None and stored.hash != ""  # the core compares hashes
        else:
            if stored.type == "match_started":
                try:
                    state = _start(match, match.timeline, stored, match.fold.position, counts)
                except UNREADABLE as error:
                    raise broken(stored.version, f"it cannot be replayed: {error}") from error
                before = state.hash
            is_sound = stored.hash == before
        if not is_sound:
            raise broken(stored.version, "another state than recorded")
        before = stored.hash
    if state is None:
        return
    yield Run(state)
    at, end = 0, RUN_EVENTS - 1
    while at < len(taken):
        run = _run(state, taken[at:end], types, every, every if at else every - 1)
        counts.core_calls += 1
        yield run
        state, at, end = run.state, end, end + RUN_EVENTS


def _run(state: State, taken: Sequence[StoredEvent], types: Mapping[int, int], every: int, first: int) -> Run:
    steps = []
    for stored in taken:
        body = body_of(stored)
        assert isinstance(body, ActionTaken)
        steps.append(Step(stored.seat, body.action, stored.draws or (), stored.hash))
    after, found = replay_run(
        state, taken, steps, lambda copy: copy.replay_effects(steps, types, every, first)
    )
    return Run(after, steps, *found)


def _start(match: Match, line: Timeline, stored: StoredEvent, position: object, counts: Counts) -> State:
    counts.core_calls += 1
    options = line.base_of(stored.version).options
    return start_of(match.game, options, match.fold.filled, position, stored.draws or [])
