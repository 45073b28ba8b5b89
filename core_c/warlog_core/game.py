"""The public surface of the rules core: `game("hex").new(...)` gives a State, which is asked and acted upon.

    >>> state = game("hex").new(options={"army": "preset"}, draws=os.urandom)
    >>> seat = state.to_act[0]
    >>> event = state.apply(seat, state.legal(seat)[0], draws=os.urandom)
    >>> event.visible("spectator", state.disclosure).effects

Seats, viewers and actions are names and Structs (or plain JSON values) here, numbers below.
"""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib import resources
from typing import Any, overload

import msgspec
from msgspec import Struct

from warlog_core import actions, binding, description, explain, selfplay
from warlog_core.binding import Draws, RawGame, RawState, RawStep, RawTurn
from warlog_core.codecs import (
    Codec,
    Explaining,
    ExplainingStart,
    Notation,
    Result,
    Tables,
    codec_for,
    service_data,
)
from warlog_core.codecs._actions import plain as plain_action
from warlog_core.errors import Explanation, Refused, UnknownGame, UnknownSeat
from warlog_core.options_text import options_text
from warlog_core.traces import NOTHING, Trace, decoded

SERVER = "server"
SPECTATOR = "spectator"
_TABLES_KEPT = 512
_encode = msgspec.json.Encoder().encode
_encode_sorted = msgspec.json.Encoder(order="sorted").encode
_REC_HEAD, _REC_EFFECT = binding.REC_HEAD, binding.REC_EFFECT


class Step(Struct, frozen=True):
    """One recorded step for `State.replay`. `hash` is the state's afterwards (16 hex digits), "" to compare none."""

    actor: str
    action: object
    draws: Sequence[int] = ()
    hash: str = ""


class Scenario(Struct, frozen=True, forbid_unknown_fields=True):
    """A named start. `id` is unique within its game and stays; `position` None: the game's own setup."""

    id: str
    name: str
    options: dict[str, Any]
    position: dict[str, Any] | None = None


class Visible(Struct, frozen=True):
    """What one reader may know of an event: None is nothing; redacted forms where the book has them."""

    action: dict[str, Any] | None
    draws: list[int] | None
    effects: list[Any]


class Event(Struct, eq=False):
    """What an accepted action (or the start) did. Effects are decoded when they are first asked for."""

    _game: Game
    _tables: Tables
    actor: str
    _record: tuple[Sequence[int], Sequence[int]] | None
    _words: list[int]
    draws: list[int]
    hides_nothing: bool  # everybody may know all of it, whatever has been disclosed
    _action: dict[str, Any] | None = None
    _action_struct: Struct | None = None
    _records: list[tuple[int, int, int, int, list[int]]] | None = None
    _effects: list[Any] | None = None
    _public: Visible | None = None  # what everybody sees of an event that hides nothing

    @property
    def action(self) -> dict[str, Any] | None:
        """The action as posted, plain, its fields in the book's order; None for the start."""
        if self._action is None and self._record is not None:
            self._action = msgspec.to_builtins(self.struct())
        return self._action

    @property
    def action_json(self) -> bytes:
        """`action` as JSON, made anew for everybody who asks, as are the next two."""
        return _encode(self.struct())

    @property
    def action_sorted_json(self) -> bytes:
        """`action` as JSON with its keys in alphabetical order, those of what is inside it likewise."""
        return _encode_sorted(self.struct())

    @property
    def effects_json(self) -> bytes:
        """`effects` as JSON."""
        return _encode(self.effects)

    @property
    def effects(self) -> list[Any]:
        """Every effect, whole, in order: Structs of the game's codec."""
        if self._effects is None:
            effect, words, at, end = self._tables.effect, self._words, 0, len(self._words)
            self._effects = []
            while at < end:
                next_ = at + words[at]
                if words[at + 1] == _REC_EFFECT:
                    self._effects.append(effect(words[at + _REC_HEAD - 1], words[at + _REC_HEAD : next_]))
                at = next_
        return self._effects

    def visible(self, viewer: str | Iterable[str], disclosed: int) -> Visible:
        """The event as `viewer` may know it when `disclosed` is the match's disclosure.

        A viewer is a seat or "spectator", or several seats whose knowledge somebody has together. An event without
        secrets gives the same object to everybody. Raises UnknownSeat."""
        bit = 0
        for one in (viewer,) if isinstance(viewer, str) else viewer:
            bit |= 1 << self._game.viewer_number(one, self._tables.seats)
        if self.hides_nothing:
            if self._public is None:
                self._public = Visible(self.action, self.draws, self.effects)
            return self._public
        action, draws = self.action, self.draws
        effects: list[Any] = []
        whole = self.effects
        n_whole = 0
        taken = False
        shown_action: dict[str, Any] | None = action
        shown_draws: list[int] | None = draws
        for kind, audience, unlock, type_, words in self._split():
            may = bool(audience & bit or unlock & disclosed)
            if kind == binding.REC_EFFECT:
                taken = may
                if may:
                    effects.append(whole[n_whole])
                n_whole += 1
            elif kind == binding.REC_EFFECT_ALT:
                if may and not taken:
                    taken = True
                    effects.append(self._tables.effect(type_, words))
            elif kind == binding.REC_ACTION:
                taken = may
                shown_action = action if may else None
            elif kind == binding.REC_ACTION_ALT:
                if may and not taken:
                    taken = True
                    shown_action = self._tables.action_alt(type_, words)
            else:
                shown_draws = draws if may else None
        return Visible(shown_action, shown_draws, effects)

    def forms(self, viewer: str) -> list[tuple[Any, Any | None]]:
        """Each whole effect, with the form that `viewer` was given of it at the time (None: nothing)."""
        bit = 1 << self._game.viewer_number(viewer, self._tables.seats)
        found: list[tuple[Any, Any | None]] = []
        whole = iter(self.effects)
        for kind, audience, _, type_, words in self._split():
            if kind == binding.REC_EFFECT:
                effect = next(whole)
                found.append((effect, effect if audience & bit else None))
            elif kind == binding.REC_EFFECT_ALT and audience & bit and found[-1][1] is None:
                found[-1] = (found[-1][0], self._tables.effect(type_, words))
        return found

    def struct(self) -> Struct | None:
        """The action as a Struct of the game's codec; None for the start."""
        if self._action_struct is None and self._record is not None:
            self._action_struct = self._tables.action(*self._record)
        return self._action_struct

    def _split(self) -> list[tuple[int, int, int, int, list[int]]]:
        """The records as (kind, audience, unlock, type, arguments)."""
        if self._records is None:
            records = []
            words, at, end = self._words, 0, len(self._words)
            while at < end:
                length, kind, audience, unlock, type_ = words[at : at + _REC_HEAD]
                records.append((kind, audience, unlock, type_, words[at + _REC_HEAD : at + length]))
                at += length
            self._records = records
        return self._records


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

    def __init__(self, game: Game, raw: RawState, setup: bytes, tables: Tables) -> None:
        self.game = game
        self._turn: RawTurn | None = None  # what the state says of itself, until it changes
        self._hash: str | None = None  # likewise
        self.started: Event | None = None
        self._raw_game = game.raw
        self._raw = raw
        self._setup = setup
        self._tables = tables

    # ---- what it is ----

    @property
    def setup(self) -> bytes:
        """What `Game.load` needs beside `data`; never changes but by `reconfigure`."""
        return self._setup

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
            found = explain.of_form(given, self.game.codec.action_type, "The action") or explain.of_template(
                given
            )
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
        return self.game.traces_of(self._raw_game.traces(self._raw, number, listing))

    def trace_to(self, after: State, actor: str, action: object, viewer: str) -> Trace:
        """What the action did that led from this state to `after`, made from what `viewer` saw before and after it."""
        if not self._raw_game.has_traces:
            return NOTHING
        number = self.game.viewer_number(viewer, self._tables.seats)
        record, items = self._tables.record(action)
        numbers = self._raw_game.trace_event(
            self._raw, after._raw, number, self._actor_number(actor), record, items
        )
        (trace,) = self.game.traces_of(numbers)
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
        return self._raw_game.state_fields(self._raw)

    def seen_by(self, viewer: str) -> State:
        """A state of what `viewer` knows, blank elsewhere: `legal` on it gives the same to that viewer."""
        number = binding.SPECTATOR if viewer == SPECTATOR else self._seat_number(viewer)
        return State(self.game, self._raw_game.seen_state(self._raw, number), self._setup, self._tables)

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

        As `copy` and `apply`, in one core call: this state stays what it is. Raises Refused and BadDraws."""
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
        actor_number, record = self._actor_number, self._tables.record
        # One at a time: ten thousand live tuples would keep the collector busy.
        raw_steps: Iterator[RawStep] = (
            (actor_number(step.actor), *record(step.action), step.draws, int(step.hash or "0", 16))
            for step in steps
        )
        return self._raw_game.replay(self._raw, raw_steps, len(steps), every)

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


class Game:
    """A game under one rules version."""

    def __init__(self, raw: RawGame, codec: Codec) -> None:
        self.raw = raw
        self.codec = codec
        self.name = raw.name
        self.rules_version = raw.rules_version
        self.seats = raw.seats
        self._actors: dict[tuple[str, ...], dict[str, int]] = {}
        self._viewers: dict[tuple[str, ...], dict[str, int]] = {}
        self._bits: dict[tuple[int, tuple[str, ...]], tuple[str, ...]] = {}
        self._tables: OrderedDict[bytes, Tables] = OrderedDict()

    @cached_property
    def fingerprint(self) -> str:
        """Names the layout of setup and state: stored bytes are good only under the same one."""
        return f"{self.raw.fingerprint:016x}"

    @property
    def notation(self) -> Notation | None:
        """The game's own notation, if its codec has one; None: that of CONVENTIONS.md."""
        return getattr(self.codec, "notation", None)

    # ---- starting ----

    def check_options(self, options: object, position: object | None = None) -> None:
        """Raises Refused with the book's code unless a match with these options (from this Position) is possible."""
        try:
            self.raw.check_options(*self._words(options, position))
        except Refused as error:
            error.explanation = self.explain_start(options, position, error.code)
            raise

    @cached_property
    def errors(self) -> dict[str, str]:
        """Every code with which this game refuses, and a sentence for it."""
        own, unused = (service_data(self.name).get(key, {}) for key in ("errors", "unused"))
        return {
            code: own.get(code) or explain.SENTENCES.get(code) or code.replace("_", " ").capitalize() + "."
            for code in (*explain.SENTENCES, *self.raw.errors)
            if code not in unused
        }

    def explain_start(self, options: object, position: object | None, code: str) -> Explanation:
        """What lies behind the `code` with which these options or this Position have been refused."""
        found = self._explained_start(options, position, code)
        blamed = "/position" if position is not None and "position" in code else "/options"
        return explain.printable(found or Explanation(self.errors[code], {}, blamed))

    def _explained_start(self, options: object, position: object | None, code: str) -> Explanation | None:
        lacks = f"{self.codec.title} has no option"
        found = explain.of_form(options, self.codec.options_type, "The options", lacks)
        if found is not None:
            return explain.below("/options", found)
        found = (
            None if position is None else explain.of_form(position, self.codec.position_type, "The Position")
        )
        if found is not None:
            return explain.below("/position", found)
        if not isinstance(self.codec, ExplainingStart) or not isinstance(options, dict):
            return None
        return self.codec.explain_start(
            options, position, code, self.raw.explain_start(*self._words(options, position))
        )

    def new(self, *, options: object = None, position: object | None = None, draws: Draws = ()) -> State:
        """The start of a match; `state.started` is its event. Raises Refused and BadDraws. No options: the defaults."""
        options = {} if options is None else options
        try:
            raw, (words, drawn, hides_nothing) = self.raw.init(*self._words(options, position), draws)
        except Refused as error:
            error.explanation = self.explain_start(options, position, error.code)
            raise
        setup = self.raw.setup_bytes(raw) + self.codec.labels(options)
        tables = self.tables(raw, setup)
        state = State(self, raw, setup, tables)
        state.started = Event(self, tables, SERVER, None, words, drawn, hides_nothing)
        return state

    def load(self, setup: bytes, state: bytes) -> State:
        """The State of `State.setup` and `State.data`; trailing zero bytes may have been lost. Raises BadState."""
        raw = self.raw.load(setup[: self.raw.setup_size], state)
        setup = setup.ljust(self.raw.setup_size, b"\0")
        return State(self, raw, setup, self.tables(raw, setup))

    # ---- about the game ----

    def seats_for(self, options: object) -> tuple[str, ...]:
        """The seats of a match with these options. Raises Refused."""
        return self.new(options=options, draws=_zeros).seats

    def full_options(self, options: Any) -> dict[str, Any]:
        """These valid options with every default, in the book's order; without those that nobody may know."""
        return self.codec.full_options(options)

    def options_text(self, options: Mapping[str, Any], known: Mapping[str, Any] | None = None) -> str:
        """How these valid options differ from the standard, for people. `known`: the full options that may be told, if
        not all."""
        full = self.full_options(options) if known is None else known
        given = {name: full[name] for name in full if name in options}
        words = service_data(self.name).get("option_words", {})
        return options_text(given, self._standard_options, words)

    @cached_property
    def _standard_options(self) -> dict[str, Any]:
        return self.full_options({})

    def board(self, options: Any = None) -> dict[str, Any]:
        """Geometry for a match with these options: spaces, coordinates, adjacency. Raises Refused."""
        options = {} if options is None else options
        self.check_options(options)
        return description.board(self.name, self.codec.board(self.codec.full_options(options)))

    def describe(self, options: Any = None) -> dict[str, Any]:
        """All that is needed to draw the game without knowing it (`schema.Game` of the service). Raises Refused."""
        options = {} if options is None else options
        board = self.board(options)
        full = self.codec.full_options(options)
        view = self.schema("view")
        return {
            "game": self.name,
            "name": self.codec.title,
            "rules_version": self.rules_version,
            "axes": description.axes(self.name),
            "seats": description.seats(self.name, self._teams(options), board),
            "owners": description.owners(self.name),
            "spectators": self.codec.spectators,
            "board": board,
            "options": self.schema("options"),
            "options_text": self.options_text(options),
            "position": self.schema("position"),
            "actions": actions.described(
                self.schema("action"),
                self.raw.actions,
                actions.notes_of(self.name),
                actions.forms_of(self.name, full, board),
            ),
            "effects": self.schema("effect"),
            "view": view,
            "presets": self.codec.presets(full),
            "errors": self.errors,
            **self._setup(options),
            **description.catalogues(
                self.name, self.codec.pieces(full), self._catalogues(full), board["levels"]
            ),
            "look": description.layers(self.name, view, (space["id"] for space in board["spaces"])),
            "not_drawn": description.look_of(self.name).not_drawn,
            "guide": description.guide_of(self.name),
        }

    def _teams(self, options: Any) -> dict[str, Any]:
        """Seat → what is the same for seats that win and lose together: by the codec, or else by the view."""
        own = getattr(self.codec, "sides", None)
        state = self.new(options=options, draws=_zeros)
        if own is not None:
            sides = own(self.codec.full_options(options))
            return {seat: sides[seat] for seat in state.seats}
        shown: Any = state.view(SPECTATOR, plain=True).get("seats", [])
        sides = {entry["seat"]: entry["side"] for entry in shown if "side" in entry}
        return {seat: sides.get(seat, seat) for seat in state.seats}

    def _setup(self, options: Any) -> dict[str, Any]:
        """`setup`: the start that these options give, as the spectator and each seat see it; nothing where draws
        decide it."""
        state = self.new(options=options, draws=_zeros)
        if state.started is None or state.started.draws:
            return {}
        return {"setup": {viewer: state.view(viewer, plain=True) for viewer in (SPECTATOR, *state.seats)}}

    def _catalogues(self, full: dict[str, Any]) -> dict[str, Any]:
        """What a game has beside pieces and presets (spells, say), by name: the codec's, if it has any."""
        own = getattr(self.codec, "catalogues", None)
        return {} if own is None else dict(own(full))

    def schema(self, what: str) -> dict[str, Any]:
        """The JSON Schema of "options", "position", "action", "effect" or "view", self-contained."""
        types = {
            "options": self.codec.options_type,
            "position": self.codec.position_type,
            "action": self.codec.action_type,
            "effect": self.codec.effect_type,
            "view": self.codec.view_type,
        }
        return explain.schema_of(types[what])

    def rules(self) -> str:
        """The rule book, Markdown."""
        return resources.files("warlog_core").joinpath(f"rules/{self.name}.md").read_text(encoding="utf-8")

    def data(self) -> bytes:
        """The rule book's data file (JSON), as it is."""
        return resources.files("warlog_core").joinpath(f"rules/{self.name}.json").read_bytes()

    @cached_property
    def scenarios(self) -> tuple[Scenario, ...]:
        """Named starts that are shipped with the rules, in `rules/<game>_scenarios.json` where the game has any."""
        file = resources.files("warlog_core").joinpath(f"rules/{self.name}_scenarios.json")
        if not file.is_file():
            return ()
        return tuple(msgspec.json.decode(file.read_bytes(), type=list[Scenario]))

    # ---- used by State and Event ----

    def traces_of(self, numbers: Sequence[int]) -> list[Trace]:
        """The core's numbers as traces, with the codec's names."""
        codec = self.codec
        return decoded(numbers, getattr(codec, "trace_spaces", ()), getattr(codec, "trace_levels", ()))

    def actor_number(self, actor: str, seats: tuple[str, ...]) -> int:
        """The number of an actor in a match of these seats. Raises UnknownSeat."""
        try:
            return self._actors[seats][actor]
        except KeyError:
            return self._number(self._actors, actor, seats, {SERVER: binding.SERVER})

    def seats_of(self, bits: int, seats: tuple[str, ...]) -> tuple[str, ...]:
        """The seats, of a match of these, whose actor's bit is set."""
        known = self._bits.get((bits, seats))
        if known is None:
            known = tuple(seat for seat in seats if bits >> self.actor_number(seat, seats) & 1)
            self._bits[bits, seats] = known
        return known

    def viewer_number(self, viewer: str, seats: tuple[str, ...]) -> int:
        """The number of a viewer in a match of these seats. Raises UnknownSeat."""
        try:
            return self._viewers[seats][viewer]
        except KeyError:
            return self._number(self._viewers, viewer, seats, {SPECTATOR: binding.SPECTATOR})

    def _number(
        self,
        known: dict[tuple[str, ...], dict[str, int]],
        who: str,
        seats: tuple[str, ...],
        other: dict[str, int],
    ) -> int:
        """The numbers that the game's C file goes by (Codec.seats_are_numbered_by)."""
        if seats not in known:
            if self.codec.seats_are_numbered_by == "game":
                numbers = {seat: number for number, seat in enumerate(self.seats)}
            else:  # all that the match leaves out share the last number
                absent = dict.fromkeys(self.seats, binding.SEATS_MAX - 1)
                numbers = absent | {seat: number for number, seat in enumerate(seats)}
            known[seats] = numbers | other
        try:
            return known[seats][who]
        except KeyError:
            raise UnknownSeat(who) from None

    def tables(self, raw: RawState, setup: bytes) -> Tables:
        """The names of the match with this setup. A few are kept: reading them costs more than most calls."""
        tables = self._tables.get(setup)
        if tables is None:
            labels = setup[self.raw.setup_size :]
            tables = self.codec.tables(self.raw.setup_fields(raw), labels)
            self._tables[setup] = tables
            while len(self._tables) > _TABLES_KEPT:
                self._tables.popitem(last=False)
        return tables

    def _words(self, options: object, position: object | None) -> tuple[list[int], list[int] | None]:
        return self.codec.options_words(options), (
            None if position is None else self.codec.position_words(options, position)
        )


def _zeros(size: int) -> bytes:
    """Entropy for questions whose answer no draw can change."""
    return bytes(size)


@cache
def _games() -> dict[str, dict[int, Game]]:
    """Name → rules version → game, the newest version first."""
    found: dict[str, dict[int, Game]] = {}
    for raw in binding.raw_games():
        found.setdefault(raw.name, {})[raw.rules_version] = Game(raw, codec_for(raw))
    return found


def games() -> tuple[str, ...]:
    """The names of the games in this build, sorted."""
    return tuple(sorted(_games()))


def game(name: str, rules_version: int | None = None) -> Game:
    """A game by name, under its newest rules version or the one asked for. Raises UnknownGame."""
    versions = _games().get(name)
    if versions is None:
        raise UnknownGame(name)
    if rules_version is None:
        return next(iter(versions.values()))
    if rules_version not in versions:
        raise UnknownGame(f"{name}, rules version {rules_version}")
    return versions[rules_version]
