"""A match in play: what it is, what one may ask of it, and actions.

Seats, viewers and actions are names and Structs (or plain JSON values) here, numbers below.

>>> import warlog_core
>>> options = {"width": 7, "height": 5, "army": "preset", "obstacles": "none"}
>>> state = warlog_core.game("hex").new(options=options, draws=bytes)  # entropy that is all zero
>>> state.phase, state.to_act
('play', ['blue'])
>>> state.check("red", {"type": "wait", "piece": 1})
'not_your_turn'
>>> wait = next(action for action in state.legal("blue") if type(action).__name__ == "Wait")
>>> event = state.apply("blue", wait)
>>> [type(effect).__name__ for effect in event.effects]
['Waited', 'TurnStarted']
>>> state.view("spectator").round
1
>>> again = state.copy()
>>> again.playout(1, 10, play_on=True), again.hash == state.hash
(10, False)
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, overload

import msgspec
from msgspec import Struct

from warlog_core import binding, explain, selfplay
from warlog_core.binding import Draws, RawGame, RawState, RawStep, RawTurn
from warlog_core.codecs import Explaining, Result, Tables
from warlog_core.codecs._actions import plain as plain_action
from warlog_core.errors import Explanation, Refused, UnknownSeat
from warlog_core.event import Event
from warlog_core.rule_set import SERVER, SPECTATOR, RuleSet
from warlog_core.traces import NOTHING, Trace


class Step(Struct, frozen=True):
    """One recorded step for `State.replay`. `hash` is the state's afterwards (16 hex digits), "" to compare none."""

    actor: str
    action: object
    draws: Sequence[int] = ()
    hash: str = ""


class Replayed(NamedTuple):
    """What `State.replay_effects` gives.

    effects  actor, type and whole effect of each, in order
    values   of some states as `State.evaluate` gives them; none where the game does not evaluate
    """

    effects: list[tuple[str, int, Any]]
    values: list[dict[str, float]]


class Listing(Sequence[Any]):
    """The legal actions of a seat, each decoded when it is looked at."""

    __slots__ = ("_listing", "_tables", "seat")

    def __init__(self, tables: Tables, seat: int, listing: bytes) -> None:
        self._tables = tables
        self._listing = listing
        self.seat = seat

    def __len__(self) -> int:
        return len(self._listing) // binding.ACTION_BYTES

    def key(self, index: int) -> bytes:
        """The action's bytes. Raises IndexError."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self._listing[index * binding.ACTION_BYTES : (index + 1) * binding.ACTION_BYTES]

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return self._tables.listing(self._listing)[index]
        return self._tables.listing(self.key(index if index >= 0 else index + len(self)))[0]


class State:
    """A match in play. Owns its bytes: a copy is a copy."""

    __slots__ = ("_hash", "_raw", "_raw_game", "_setup", "_tables", "_turn", "game", "started")

    def __init__(self, game: RuleSet, raw: RawState, setup: bytes, tables: Tables) -> None:
        self.game = game
        self._turn: RawTurn | None = None  # what the state says of itself, until it changes
        self._hash: str | None = None  # likewise
        self.started: Event | None = None
        self._raw_game: RawGame = game.raw  # binding/raw_game.py
        self._raw = raw
        self._setup = setup
        self._tables = tables

    # ---- what it is ----

    @property
    def setup(self) -> bytes:
        """What `Game.load` needs beside `data`; never changes but by `reconfigure`."""
        return self._setup

    @property
    def public_setup(self) -> bytes:
        """`setup` for whoever gets `seen_by` as bytes: with usual values in place of what nobody may know before the
        end."""
        secrets = getattr(self.game.codec, "setup_secrets", None)
        if secrets is None:
            return self._setup
        raw, size = self._raw_game, self._raw_game.setup_size
        return (
            raw.setup_layout.replace(self._setup[:size], secrets(raw.setup_fields(self._raw)))
            + self._setup[size:]
        )

    @property
    def data(self) -> bytes:
        """The state's bytes. Equal states have equal bytes."""
        return bytes(self._raw.buffer)

    @property
    def hash(self) -> str:
        """The stored hash, 16 hexadecimal digits."""
        if self._hash is None:
            self._hash = f"{self._raw_game.hash(self._raw):016x}"
        return self._hash

    @property
    def seats(self) -> tuple[str, ...]:
        return self._tables.seats

    @property
    def phase(self) -> str:
        return self._raw_game.phases[self._now().phase]

    @property
    def to_act(self) -> list[str]:
        """The seats for whose decision the match waits, in seat order."""
        return list(self.game.seats_of(self._now().to_act, self._tables.seats))

    @property
    def result(self) -> Result | None:
        turn = self._now()
        if not turn.over:
            return None
        winners = self.game.seats_of(turn.winners, self._tables.seats)
        return Result(list(winners), self._raw_game.reasons[turn.reason])

    @property
    def disclosure(self) -> int:
        """Flags of what the rules have disclosed, for `Event.visible`."""
        return self._now().disclosure

    def clock(self, seat: str) -> int:
        """Changes exactly when this seat's thinking time starts anew; 0 while it has nothing to decide."""
        return self._raw_game.clock(self._raw, self._seat_number(seat))

    # ---- questions ----

    def check(self, actor: str, action: object) -> str | None:
        """The code with which `apply` would refuse, or None. `actor` is a seat or "server"."""
        return self._raw_game.check(self._raw, self._actor_number(actor), *self._tables.record(action))

    def explain(self, actor: str, action: object, code: str) -> Explanation:
        """What lies behind the `code` with which `apply` has refused.

        Holds nothing that the actor could not know: the core looks at his view alone."""
        given = plain_action(action)
        words: list[int] = []
        found = None
        if code == "match_over":
            return Explanation(self.game.errors[code])  # nothing else has been looked at
        if code == "malformed_action":
            ours = {signature.name for signature in self._raw_game.actions if signature.server_only}
            found = explain.of_form(
                given, self.game.codec.action_type, "The action", unoffered=ours
            ) or explain.of_template(given)
        elif given is not None:
            record, items = self._tables.record(given)
            words = self._raw_game.explain(self._raw, self._actor_number(actor), record, items)
        if found is None and given is not None and isinstance(self._tables, Explaining):
            found = self._tables.explain(given, code, words)
        return explain.printable(found or Explanation(self.game.errors[code]))

    def legal(self, seat: str, *, plain: bool = False) -> list[Any]:
        """Every action `seat` may take now, in canonical order (rule books, 7); empty for a spectator.

        Structs of the game's codec, or plain JSON values. Costs one core call."""
        listing = self._raw_game.legal(self._raw, self.game.viewer_number(seat, self._tables.seats))
        actions = self._tables.listing(listing)
        return msgspec.to_builtins(actions) if plain else actions

    def traces(self, seat: str) -> list[Trace]:
        """For each action of `legal(seat)` where it leads, as far as the seat sees it; empty ones where the game has
        no traces."""
        number = self.game.viewer_number(seat, self._tables.seats)
        listing = self._raw_game.legal(self._raw, number)
        if not self._raw_game.has_traces or not listing:
            return [NOTHING] * (len(listing) // binding.ACTION_BYTES)
        numbers = self._raw_game.traces(self._raw, number, listing)
        return self.game.traces_of(numbers, lambda: self.view(seat), self.seats, taken=False)

    def trace_to(self, after: State, actor: str, action: object, viewer: str) -> Trace:
        """What the action did that led from this state to `after`, made from what `viewer` saw before and after it."""
        if not self._raw_game.has_traces:
            return NOTHING
        number = self.game.viewer_number(viewer, self._tables.seats)
        record, items = self._tables.record(action)
        numbers = self._raw_game.trace_event(
            self._raw, after._raw, number, self._actor_number(actor), record, items
        )
        (trace,) = self.game.traces_of(numbers, lambda: self.view(viewer), self.seats, taken=True)
        return trace

    def view(self, viewer: str, *, plain: bool = False) -> Any:
        """What `viewer` (a seat of the match, or "spectator") may know: the game's Struct, or plain JSON values."""
        number = binding.SPECTATOR if viewer == SPECTATOR else self._seat_number(viewer)
        fields = self._raw_game.view(self._raw, number)
        view = self._tables.view(viewer, fields)
        return msgspec.to_builtins(view) if plain else view

    def position(self, *, plain: bool = False) -> Any:
        """The whole state as the book's Position (server knowledge).

        None once the match is over, and wherever the book has no Position for such a state."""
        if self.result is not None:
            return None
        position = self._tables.position(self._raw_game.state_fields(self._raw))
        return msgspec.to_builtins(position) if plain and position is not None else position

    def position_seen_by(self, seat: str) -> dict[str, Any] | None:
        """What this seat knows of the match as a Position, plain: what an editor begins with.

        What the seat does not know (where a piece is, or which) is not in it, and so it need not be a Position that a
        match can be played from. None where `position` is."""
        if self.result is not None:
            return None
        number = self._seat_number(seat)
        known = self._raw_game.state_fields(self._raw_game.seen_state(self._raw, number))
        seen: dict[str, Any] | None = msgspec.to_builtins(self._tables.position(known))
        completed = getattr(self.game.codec, "seen_position", None)
        return seen if seen is None or completed is None else completed(seen)

    def fields(self) -> dict[str, Any]:
        """The numbers of the C state, by the names of its layout (server knowledge), also once the match is over."""
        return self._raw_game.state_fields(self._raw).whole()

    def seen_by(self, viewer: str) -> State:
        """A state of what `viewer` knows, blank elsewhere: `legal`, `view` and `seen_by` on it give that viewer the
        same."""
        number = binding.SPECTATOR if viewer == SPECTATOR else self._seat_number(viewer)
        return State(self.game, self._raw_game.seen_state(self._raw, number), self._setup, self._tables)

    # ---- computer opponents ----

    def sample(self, viewer: str, seed: int) -> State:
        """Of a state that was `seen_by` this viewer: a whole one that he cannot tell from the true one. Which one
        depends on the seed.

        Raises BadState where none fits, CoreError where the game does not sample."""
        raw = self._raw_game.sample(self._raw, self.game.viewer_number(viewer, self._tables.seats), seed)
        return State(self.game, raw, self._setup, self._tables)

    def evaluate(self) -> dict[str, float]:
        """How likely the side of each seat is to win, 0 to 1: by judgement, or by the result of a match that is over.

        Raises CoreError where the game does not evaluate."""
        values = self._raw_game.evaluate(self._raw)
        return {seat: values[self._actor_number(seat)] / binding.WON for seat in self.seats}

    # ---- acting ----

    def apply(self, actor: str, action: object, draws: Draws = ()) -> Event:
        """Takes the action, changing this state. On Refused or BadDraws nothing has changed.

        `draws`: recorded integers, or entropy(n) giving the first n bytes of the event's block."""
        record, items = self._tables.record(action)
        self._turn = self._hash = None
        words, drawn, hides_nothing = self._raw_game.apply(
            self._raw, self._actor_number(actor), record, items, draws
        )
        return Event(self.game, self._tables, actor, (record, items), words, drawn, hides_nothing)

    def after(self, actor: str, action: object, draws: Draws = ()) -> tuple[State, Event]:
        """The state after the action, which knows its hash and its turn already, and what the action did.

        As `copy` and `apply`, in one core call, or two where the action draws (Buffers.offer): this state stays what it
        is. Raises Refused and BadDraws."""
        game, tables = self.game, self._tables
        record, items = tables.record(action)
        number = game.actor_number(actor, tables.seats)
        raw, (words, drawn, hides_nothing), turn, hash_ = self._raw_game.after(
            self._raw, number, record, items, draws
        )
        state = State(game, raw, self._setup, tables)
        state._turn, state._hash = turn, hash_
        return state, Event(game, tables, actor, (record, items), words, drawn, hides_nothing)

    def reconfigure(self, options: object) -> None:
        """New options for a match in play. Raises Refused where the book allows none, or not these."""
        self._turn = self._hash = None
        try:
            self._raw_game.reconfigure(self._raw, self.game.codec.options_words(options))
        except Refused as error:
            error.explanation = self.game.explain_start(options, None, error.code)
            raise
        self._setup = self._raw_game.setup_bytes(self._raw) + self.game.codec.labels(options)
        self._tables = self.game.tables(self._raw, self._setup)

    def copy(self) -> State:
        state = State(self.game, self._raw_game.copy(self._raw), self._setup, self._tables)
        state._turn, state._hash = self._turn, self._hash
        return state

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        return self.copy()

    # ---- many at once ----

    def listing(self, seat: str) -> Listing:
        """As `legal`, but nothing is decoded before it is looked at: for `take`."""
        number = self.game.viewer_number(seat, self._tables.seats)
        return Listing(self._tables, number, self._raw_game.legal(self._raw, number))

    def take(self, listing: Listing, index: int, draws: Draws = ()) -> None:
        """Takes the action at `index` of a listing of this very state, making no event. Raises Refused and BadDraws."""
        self._turn = self._hash = None
        self._raw_game.take(self._raw, listing.seat, listing.key(index), draws)

    def play_randomly(self, rng: random.Random, actions_max: int = 1_000_000, *, play_on: bool = True) -> int:
        """Random play from Python, with every listing, until the match is over or `actions_max` actions are taken.

        Gives their number. `play_on` leaves out resigning and draw offers where there is another action; open templates
        are never chosen. `playout` does the same in C, much faster."""
        self._turn = self._hash = None
        return selfplay.play_randomly(self._raw_game, self._raw, rng, actions_max, play_on)

    def replay(self, steps: Sequence[Step], every: int = 0) -> list[bytes]:
        """Takes recorded steps in one core call; gives `data` after every `every` steps.

        Raises Refused, BadDraws or HashMismatch with the failing step's `index`; the state is then that before it."""
        self._turn = self._hash = None
        return self._raw_game.replay(self._raw, self._raw_steps(steps), len(steps), every)

    def replay_effects(
        self, steps: Sequence[Step], types: Mapping[int, int], every: int = 1, first: int = 0
    ) -> Replayed:
        """Takes recorded steps as `replay` does; gives their effects of these types, and what states are worth.

        types          by their places in `raw.effects` of the game: how many numbers (each entry of a list is one) an
                       effect must have at least, 0 for any
        every, first   of the states after `first` steps (0: `every`), and after every `every` from there"""
        self._turn = self._hash = None
        raw, tables = self._raw_game, self._tables
        wanted = bytes(types.get(type_, -1) + 1 for type_ in range(len(raw.effects)))
        found, values = raw.replay_excerpt(
            self._raw, self._raw_steps(steps), len(steps), wanted, first or every, every
        )
        numbers = [(seat, self._actor_number(seat)) for seat in tables.seats]
        return Replayed(
            [(steps[step].actor, type_, tables.effect(type_, words)) for step, type_, words in found],
            [{seat: value[number] / binding.WON for seat, number in numbers} for value in values],
        )

    def _raw_steps(self, steps: Sequence[Step]) -> Iterator[RawStep]:
        actor_number, seats, record = self.game.actor_number, self._tables.seats, self._tables.record
        # One at a time: ten thousand live tuples would keep the collector busy.
        for step in steps:
            numbers, items = record(step.action)
            yield actor_number(step.actor, seats), numbers, items, step.draws, int(step.hash or "0", 16)

    def playout(self, seed: int, actions_max: int, *, play_on: bool = False) -> int:
        """Random play in C, changing this state, until the match is over or `actions_max` actions are taken.

        Gives their number. `play_on` leaves out resigning and draw offers. Open templates are never chosen."""
        self._turn = self._hash = None
        return self._raw_game.playout(self._raw, seed, actions_max, play_on)

    def count(self, depth: int) -> int:
        """The number of sequences of `depth` listed actions, every draw being 0."""
        return self._raw_game.count(self._raw, depth)

    def _actor_number(self, actor: str) -> int:
        return self.game.actor_number(actor, self._tables.seats)

    def _seat_number(self, seat: str) -> int:
        if seat not in self._tables.seats:
            raise UnknownSeat(seat)
        return self._actor_number(seat)

    def _now(self) -> RawTurn:
        turn = self._turn
        if turn is None:
            turn = self._turn = self._raw_game.turn(self._raw)
        return turn


def new_state(rules: RuleSet, options: object, position: object | None = None, draws: Draws = ()) -> State:
    """The start of a match; `started` is its event. Raises Refused and BadDraws."""
    try:
        raw, (words, drawn, hides_nothing) = rules.raw.init(*rules.words(options, position), draws)
    except Refused as error:
        error.explanation = rules.explain_start(options, position, error.code)
        raise
    setup = rules.raw.setup_bytes(raw) + rules.codec.labels(options)
    tables = rules.tables(raw, setup)
    state = State(rules, raw, setup, tables)
    state.started = Event(rules, tables, SERVER, None, words, drawn, hides_nothing)
    return state


def loaded_state(rules: RuleSet, setup: bytes, data: bytes) -> State:
    """The State of `State.setup` and `State.data`; trailing zero bytes may have been lost. Raises BadState."""
    raw = rules.raw.load(setup[: rules.raw.setup_size], data)
    setup = setup.ljust(rules.raw.setup_size, b"\0")
    return State(rules, raw, setup, rules.tables(raw, setup))
