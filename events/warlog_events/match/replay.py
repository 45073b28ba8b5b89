"""From stored events back to a match. Everything is checked on the way: versions, chain, the rules' own verdict
and the hashes.

What does not come out as it was recorded raises IntegrityError and is never papered over.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from time import perf_counter
from typing import NoReturn, TypeVar

import warlog_core
from warlog_core import CoreError, Draws, Game, State, Step, UnknownGame

from ..errors import IntegrityError, Unavailable
from ..statistics import Counts
from . import policy
from .draft import Written, extend, fold_after, packed
from .match import Match
from .model import (
    ActionTaken,
    Body,
    MatchCreated,
    MatchStarted,
    OptionsChanged,
    PositionEdited,
    TimeTravelled,
)
from .stored import StoredEvent, follows
from .timeline import Forgotten, Timeline
from .upcast import body_of

T = TypeVar("T")

UNREADABLE = (
    CoreError,
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    RecursionError,
)
"""What code that trusts stored events raises where they are not to be trusted."""


def state_at(line: Timeline, game: Game, version: int, counts: Counts) -> State:
    """The state after `version`: a checkpoint and one run of at most `every` steps. Raises Forgotten,
    IntegrityError."""
    path = line.path(version)
    try:
        state = game.load(line.base_of(version).setup, line.checkpoint(path.checkpoint))
        counts.core_calls += 1
        if path.steps:
            counts.core_calls += 1
            state.replay([_core_step(line, at) for at in path.steps])
    except CoreError as error:
        _contradiction(version, error)
    return state


def start_of(
    game: Game, options: Mapping[str, object], filled: Mapping[str, object], position: object, draws: Draws
) -> State:
    """The core's start of a match (or its new start from an edited Position). Raises CoreError."""
    options = {**options, **filled}
    if position is not None:
        options = policy.without_setup(game, options)
    return game.new(options=options, position=position, draws=draws)


def replay_run(
    state: State, run: Sequence[StoredEvent], steps: Sequence[Step], replay: Callable[[State], T]
) -> tuple[State, T]:
    """The state after actions that follow on each other, and what `replay` gives, which takes them all as `steps` on
    the state that it gets. Raises IntegrityError with the first event that cannot be replayed."""
    after = state.copy()
    try:
        return after, replay(after)
    except UNREADABLE as error:
        index = getattr(error, "index", None)
        bad = run[_first_bad(state, steps) if index is None else index]
        raise broken(bad.version, f"it cannot be replayed: {error}") from error


def _first_bad(state: State, steps: Sequence[Step]) -> int:
    """Of steps that cannot be replayed as a whole: one by one."""
    after = state.copy()
    for index, step in enumerate(steps):
        try:
            after.replay([step])
        except UNREADABLE:
            return index
    return len(steps) - 1


class Replay:
    """Feeds stored events to a match. `match` None: from the first event on. Actions are replayed run by run, in
    one core call each."""

    def __init__(self, match_id: str, match: Match | None, counts: Counts, *, every: int = 32) -> None:
        self.match_id = match_id
        self.counts = counts
        self.fold = None if match is None else match.fold
        self.line = Timeline(every) if match is None else match.timeline
        self._game = None if match is None else match.game
        self._state = None if match is None else match.state
        self._run: list[StoredEvent] = []
        self._at_run_start = 0

    @property
    def version(self) -> int:
        return 0 if self.fold is None else self.fold.version

    def feed(self, events: Iterable[StoredEvent], names: Mapping[str, str] = {}) -> None:
        """`names`: of the players that the events do not name (names.py).

        Raises IntegrityError; Forgotten where a time travel leads before what the timeline knows. Then throw
        this away."""
        began = perf_counter()
        version = self.version + 1
        try:
            for stored in events:
                version = stored.version
                self._check_link(stored)
                body = body_of(stored, names)
                if isinstance(body, ActionTaken):
                    self._step(stored, body)
                else:
                    self._finish_run()
                    self._apply(stored, body)
            self._finish_run()
        except Forgotten as error:
            if self.line.known_from:
                raise
            raise broken(version, "it leads to before the start") from error
        except UNREADABLE as error:
            raise broken(version, f"it cannot be read: {error}") from error
        self.counts.replays.add(perf_counter() - began)

    def match(self) -> Match:
        """What has been fed so far, without deadlines."""
        assert self.fold is not None
        assert self._game is not None
        return Match(self.fold, self._game, self.line, self._state, {})

    def _check_link(self, stored: StoredEvent) -> None:
        chain = "" if self.fold is None else self.fold.chain
        missing = self.version + 1
        if stored.version != missing:
            raise IntegrityError(f"event {missing} is missing", version=self.version, first_bad=missing)
        if not follows(chain, stored):
            raise broken(stored.version, "it does not continue the chain")

    def _step(self, stored: StoredEvent, body: ActionTaken) -> None:
        if self._state is None:
            raise broken(stored.version, "an action before the start")
        if not self._run:
            self._at_run_start = self.version
        self._run.append(stored)
        self._add(Written(stored, body, None, 0))

    def _finish_run(self) -> None:
        """One core call for all actions since the last event of another kind."""
        run, self._run = self._run, []
        if not run:
            return
        assert self._state is not None
        line, every = self.line, self.line.every
        before = line.since_checkpoint - len(run)
        if before and before + len(run) > every:
            line.add_checkpoint(self._at_run_start, packed(self._state.data))
            before = 0
        self.counts.core_calls += 1
        steps = [_core_step(line, stored.version) for stored in run]
        self._state, found = replay_run(self._state, run, steps, lambda state: state.replay(steps, every))
        for number, data in enumerate(found, 1):
            line.add_checkpoint(run[number * every - 1].version, packed(data))
        line.since_checkpoint = len(run) % every if found else before + len(run)

    def _apply(self, stored: StoredEvent, body: Body) -> None:
        left = 0
        if isinstance(body, TimeTravelled | PositionEdited) and self._state is not None:
            left = self._state.disclosure
        try:
            state = self._state_after(stored, body)
        except CoreError as error:
            _contradiction(stored.version, error)
        expected = "" if state is None else state.hash
        if stored.hash != expected:
            raise broken(stored.version, "another state than recorded")
        self._state = state
        self._add(Written(stored, body, None, left))

    def _state_after(self, stored: StoredEvent, body: Body) -> State | None:
        if isinstance(body, MatchCreated):
            try:
                self._game = warlog_core.game(body.game, body.rules_version)
            except UnknownGame as error:
                # Nothing is wrong with the match: another build plays it (during a roll-out, say).
                raise Unavailable(f"This server does not play the game {body.game} of this match.") from error
            return None
        fold, game = self.fold, self._game
        if fold is None or game is None:
            raise broken(stored.version, "the first event is not match_created")
        self.counts.core_calls += 1
        match body:
            case MatchStarted():
                fold = fold_after(fold, self.match_id, stored, body, self.line)
                return start_of(game, fold.options, fold.filled, fold.position, stored.draws or [])
            case PositionEdited(position=position):
                return start_of(game, fold.options, fold.filled, position, stored.draws or [])
            case TimeTravelled(to=to):
                return state_at(self.line, game, to, self.counts)
            case OptionsChanged(options=options) if self._state is not None:
                state = self._state.copy()
                state.reconfigure({**options, **fold.filled})
                return state
        self.counts.core_calls -= 1
        return self._state

    def _add(self, written: Written) -> None:
        fold = fold_after(self.fold, self.match_id, written.stored, written.body, self.line)
        extend(self.line, written, fold, None if isinstance(written.body, ActionTaken) else self._state)
        self.fold = fold


def _core_step(line: Timeline, version: int) -> Step:
    step = line.step(version)
    assert step is not None
    return Step(step.actor, step.action, step.draws, step.hash)


def broken(version: int, why: str) -> IntegrityError:
    return IntegrityError(f"event {version}: {why}", version=version, first_bad=version)


def _contradiction(version: int, error: CoreError) -> NoReturn:
    raise broken(version, f"it cannot be replayed: {error}") from error
