"""Events that are made but not yet appended: the only place where an event is written down.

A draft holds a match and the events that have been written on it. Nothing of it touches the match from which it began
until `commit`, so it can be thrown away after a conflict.
"""

from collections.abc import Callable, Mapping

import msgspec
from msgspec.structs import replace

from warlog_core import Event, Game, State

from . import policy
from .entropy import SEED_BYTES, commitment, entropy
from .fold import Fold, created, evolve
from .match import Match, Terms
from .model import (
    TYPES,
    ActionTaken,
    Body,
    Ending,
    MatchCreated,
    MatchStarted,
    OptionsChanged,
    Player,
    PositionEdited,
    Result,
    TimeTravelled,
    encode,
)
from .names import names_in, without_names
from .stakes import AccountsBrought
from .stored import StoredEvent, chain_of
from .timeline import Base, Timeline
from .upcast import body_of

# Their bodies hold JSON that a client sent. They are read back from what is stored, so that this process has them as
# every other reads them, with sorted keys.
AS_POSTED = {"match_created", "proposal_made", "options_changed", "position_edited"}
LEAPS = {"time_travelled", "position_edited"}
CHALLENGE_MS = 24 * 3_600_000  # for which a challenge waits for its answer
_ZEROS = bytes(2048), bytes(128)


class Written(msgspec.Struct, eq=False):
    """One event of a draft.

    resolved  what the rules made of it
    left      of an undo or edit: flags of what its old line had disclosed; else 0
    """

    stored: StoredEvent
    body: Body
    resolved: Event | None
    left: int


class Draft:
    """at, by        time and author of every event of this draft
    before        the match before the first of them; None: the match is new
    match         the match after what has been written so far: each event that is written replaces it. Not set before
                  the first event of a new match
    secrets       commitment → seed in hex: all that the match has, with those made here
    new_secrets   those made here
    brought       player id → what he comes with, as far as that has been asked for
    overtaken     the match of the round before (`Matches.attempt`), if another writer appended to it first; else None
    not_before    Redis does not append this before that time, in ms by its clock; 0: it appends it at once
    """

    def __init__(
        self,
        match_id: str,
        game: Game,
        before: Match | None,
        at: int,
        by: str,
        secrets: dict[str, str],
        token_bytes: Callable[[int], bytes],
        checkpoint_every: int = 32,
        brought: Mapping[str, AccountsBrought] | None = None,
        overtaken: Match | None = None,
    ) -> None:
        self.match_id = match_id
        self.game = game
        self._newest = before  # `match`, or None
        if before is not None:
            self.match = before
        self.at = at
        self.by = by
        self.secrets = secrets  # not ours: another one takes its place when something is added
        self.new_secrets: dict[str, str] = {}
        self.written: list[Written] = []
        self.token_bytes = token_bytes
        self.brought = brought or {}
        self.overtaken = overtaken
        self.not_before = 0
        self.before = before
        self._timeline = Timeline(checkpoint_every) if before is None else before.timeline
        self._own_timeline = before is None
        self._pending: Written | None = None

    @property
    def version(self) -> int:
        """Of the event that is written next."""
        return 1 if self._newest is None else self._newest.version + 1

    def new_seed(self) -> str:
        """Draws a secret seed; gives its commitment."""
        seed = self.token_bytes(SEED_BYTES)
        name = commitment(seed)
        self.new_secrets[name] = seed.hex()
        self.secrets = {**self.secrets, name: seed.hex()}
        return name

    def draw(self, count: int, seed: str | None = None) -> bytes:
        """So many bytes of entropy for the next event. `seed`: the commitment that this event itself makes, else the
        newest on the current line."""
        secret = bytes.fromhex(self.secrets[seed or self.match.fold.seed])
        return entropy(self.match_id, secret, self.version)(count)

    def ending(self, state: State) -> Ending | None:
        """What the next event publishes if this state is the end of the match: every seed that is not known yet."""
        result = state.result
        if result is None:
            return None
        known = self.match.fold.published
        seeds = {name: seed for name, seed in sorted(self.secrets.items()) if name not in known}
        settlement = policy.settlement(self.game, state)
        return Ending(Result(list(result.winners), result.reason), seeds, settlement)

    def new_seed_if_published(self) -> str | None:
        """A new seed's commitment if everybody knows the one in force; else None."""
        fold = self.match.fold
        return self.new_seed() if fold.seed in fold.published else None

    def new_bot_seeds(self) -> dict[str, str]:
        """Likewise for each house bot whose seed everybody knows: seat → commitment."""
        fold = self.match.fold
        return {seat: self.new_seed() for seat, name in fold.bots.items() if name in fold.published}

    def travel(self, to: int, state: State, player: Player, proposal: int | None = None) -> None:
        """Writes that what was after event `to` (`state`) is current again.

        If the newest seed on that line is known already, the event brings a new one, unless play is over there
        anyway; and so for each house bot."""
        self._flush()
        fold, ending = self.match.fold, self.ending(state)
        known = self._timeline.seed_of(to) in fold.published
        seed = self.new_seed() if known and ending is None else None
        bots = self.new_bot_seeds() if ending is None else {}
        self.write(TimeTravelled(to, player, proposal, seed, ending, bots), state=state)

    def write(
        self,
        body: Body,
        *,
        seat: str = "",
        draws: list[int] | None = None,
        state: State | None = None,
        resolved: Event | None = None,
        by: str | None = None,
        at: int | None = None,
    ) -> None:
        """Adds one event. `state` is the core's after it, None where it stays as it was."""
        if self._pending is not None:
            self._flush()
        before, raw = self._newest, encode(without_names(body))
        type_ = TYPES[type(body)]
        at, by = self.at if at is None else at, self.by if by is None else by
        version, previous, state_hash = 1, "", ""
        if before is not None:
            fold = before.fold
            version, previous, state_hash = fold.version + 1, fold.chain, fold.hash
        if state is not None:
            state_hash = state.hash
        chain = chain_of(previous, version, type_, seat, by, at, raw, draws, state_hash)
        stored = StoredEvent(version, type_, seat, by, at, raw, draws, chain, state_hash)
        if type_ in AS_POSTED:
            body = body_of(stored, names_in(body))
        left = before.disclosure if type_ in LEAPS and before is not None else 0
        written = Written(stored, body, resolved, left)
        self._newest = self.match = self._after(before, stored, body, state)
        self.written.append(written)
        self._pending = written

    def copy_events_of(self, other: "Draft", at: int) -> None:
        """Writes the events of another draft of the same new match, as happening at `at` (ms).

        An event's time is checked when it is appended, and replaying a long record takes longer than it may be off."""
        chain = ""
        for written in other.written:
            e = written.stored
            chain = chain_of(chain, e.version, e.type, e.seat, e.by, at, e.body, e.draws, e.hash)
            stored = StoredEvent(e.version, e.type, e.seat, e.by, at, e.body, e.draws, chain, e.hash)
            self.written.append(Written(stored, written.body, written.resolved, written.left))
        match = other.match
        started_at = at if match.fold.started_version else 0
        fold = replace(match.fold, chain=chain, created_at=at, updated_at=at, started_at=started_at)
        deadlines = {seat: deadline - other.at + at for seat, deadline in match.deadlines.items()}
        self._newest = self.match = Match(
            fold, match.game, match.timeline, match.state, deadlines, match.terms, match.people
        )
        self.at = at
        self.secrets, self.new_secrets = other.secrets, other.new_secrets
        self._timeline = other._timeline
        self._pending = None if other._pending is None else self.written[-1]

    def commit(self) -> Match:
        """The events have been appended: the timeline learns of them. Gives the match after them."""
        match = self.match
        if self._pending is not None:
            extend(self._timeline, self._pending, match.fold, match.state)
            self._pending = None
        return match

    def _after(self, before: Match | None, stored: StoredEvent, body: Body, state: State | None) -> Match:
        fold = fold_after(
            None if before is None else before.fold, self.match_id, stored, body, self._timeline
        )
        terms = None if before is None else before.terms
        if terms is None or not terms.fit(fold):
            terms = Terms(self.game, fold)
        if state is None and before is not None:
            state = before.state
        deadlines: Mapping[str, int] = {}
        if terms.clocked and state is not None and fold.status == "playing":
            restart = stored.type in LEAPS
            deadlines = deadlines_after(None if restart else before, terms, fold.seats, state, stored.at)
        elif fold.challenged:
            deadlines = challenges_lapse(fold)
        people = None if before is None or not before.people.fit(fold) else before.people
        match = Match(fold, self.game, self._timeline, state, deadlines, terms, people)
        if before is not None and terms is before.terms and stored.type == "action_taken":
            match.summary_start = before.summary_start
        return match

    def _flush(self) -> None:
        """A second event needs the first in the timeline, which then must be one of our own."""
        if self._pending is None:
            return
        if not self._own_timeline:
            self._timeline = self._timeline.copy()
            self._own_timeline = True
        match = self.match
        extend(self._timeline, self._pending, match.fold, match.state)
        self._pending = None
        self._newest = self.match = Match(
            match.fold, match.game, self._timeline, match.state, match.deadlines, match.terms
        )


def fold_after(fold: Fold | None, match_id: str, stored: StoredEvent, body: Body, line: Timeline) -> Fold:
    """The facts after an event, from those before it (None: it is the first)."""
    if isinstance(body, ActionTaken) and fold is not None:
        return evolve(fold, stored, body, options=fold.options, seed=fold.seed)
    if isinstance(body, MatchCreated):
        return created(match_id, stored, body)
    assert fold is not None
    options, seed = fold.options, fold.seed
    if isinstance(body, TimeTravelled):
        options, seed = line.base_of(body.to).options, body.seed_commitment or line.seed_of(body.to)
    elif isinstance(body, PositionEdited):
        seed = body.seed_commitment or seed
    return evolve(fold, stored, body, options=options, seed=seed)


def extend(line: Timeline, written: Written, fold: Fold, state: State | None) -> None:
    """The timeline after an event that is now a fact. `state`: the core's after it."""
    stored = written.stored
    version = stored.version
    if stored.type == "action_taken":
        line.add_step(stored)
        if line.since_checkpoint >= line.every and state is not None:
            line.add_checkpoint(version, packed(state.data))
        return
    if written.left:
        line.leave(version - 1, written.left)
    match written.body:
        case MatchCreated(seed_commitment=seed):
            line.add_seed(version, seed)
        case TimeTravelled(to=to, seed_commitment=commitment_made):
            assert state is not None
            line.add_jump(version, to, packed(state.data))
            if commitment_made is not None:
                line.add_seed(version, commitment_made)
        case MatchStarted() | PositionEdited() | OptionsChanged() if fold.started_version:
            assert state is not None
            line.add_base(Base(version, fold.options, packed(state.setup)), packed(state.data))
            if isinstance(written.body, PositionEdited) and written.body.seed_commitment is not None:
                line.add_seed(version, written.body.seed_commitment)


def packed(data: bytes) -> bytes:
    """A state's bytes as they are kept: without trailing zeros, which `Game.load` puts back."""
    end = len(data)
    for zeros in _ZEROS:  # `rstrip` alone looks at them one by one, and they are most of a state
        while data.endswith(zeros, 0, end):
            end -= len(zeros)
    return data[:end].rstrip(b"\0")


def challenges_lapse(fold: Fold) -> dict[str, int]:
    """Each challenged seat's deadline in ms."""
    return dict.fromkeys(fold.challenged, fold.created_at + CHALLENGE_MS)


def deadlines_after(
    before: Match | None, terms: Terms, seats: tuple[str, ...], state: State, at: int
) -> dict[str, int]:
    """Each seat's deadline in ms after an event at `at`: the old one while the seat's `clock()` stays what it was, a
    new one when that changes. While seats set up, the old one for as long as the seat is to act in the same phase.

    `before` None: everybody's time starts anew."""
    setup = terms.setup_phase(state)
    seconds = terms.setup_seconds if setup else terms.move_seconds
    was = None if before is None else before.state
    if was is not None and terms.setup_phase(was) != setup:
        was = None
    found: dict[str, int] = {}
    if not seconds:
        return found
    for seat in state.to_act if setup else seats:
        clock = state.clock(seat)
        if setup or clock:
            old = None if before is None else before.deadlines.get(seat)
            running = was is not None and (seat in was.to_act if setup else was.clock(seat) == clock)
            found[seat] = old if running and old is not None else at + seconds * 1000
    return found
