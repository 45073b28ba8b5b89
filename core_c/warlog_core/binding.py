"""The only file that touches the compiled module. No rule is here, and nothing above sees a cdata object.

Each function of warlog.h is crossed once per question, with buffers that are made once per game and thread (the
compiled functions run without the interpreter's lock, so threads must not share them). Every negative answer becomes
its exception in `RawGame.failure`, and nowhere else.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from msgspec import Struct

from warlog_core._core import ffi, lib
from warlog_core.errors import BadDraws, BadState, CoreError, HashMismatch, Refused
from warlog_core.layout import Field, Layout

ABSENT: int = lib.WL_ABSENT
UNKNOWN: int = lib.WL_UNKNOWN
OUT_OF_RANGE: int = lib.WL_OUT_OF_RANGE
OPEN: int = lib.WL_OPEN
WORD_ABSENT: int = lib.WL_WORD_ABSENT
WORD_UNKNOWN: int = lib.WL_WORD_UNKNOWN
WORD_OUT_OF_RANGE: int = lib.WL_WORD_OUT_OF_RANGE
MALFORMED: int = lib.WL_MALFORMED
ACTION_FIELDS: int = lib.WL_ACTION_FIELDS
SEATS_MAX: int = lib.WL_SEATS_MAX
SPECTATOR: int = lib.WL_SPECTATOR
SERVER: int = lib.WL_SERVER
DISCLOSE_OVER: int = lib.WL_DISCLOSE_OVER
ALL_VIEWERS: int = lib.WL_ALL_VIEWERS
REC_EFFECT: int = lib.WL_REC_EFFECT
REC_EFFECT_ALT: int = lib.WL_REC_EFFECT_ALT
REC_ACTION: int = lib.WL_REC_ACTION
REC_ACTION_ALT: int = lib.WL_REC_ACTION_ALT
REC_HEAD: int = lib.WL_REC_HEAD

# Where draws come from: the recorded ones (replay), or entropy(n), the first n bytes of an endless block (live).
Draws = Sequence[int] | Callable[[int], bytes]
# A wl_action: the type and seven fields.
Record = tuple[int, int, int, int, int, int, int, int]

ACTION_BYTES: int = ffi.sizeof("wl_action")
_ACTION = struct.Struct("=8i")
_ACTOR = struct.Struct("=ii")
_POST = struct.Struct("=10i")  # the items' place follows, and is set once
_DRAWS = struct.Struct("@PNPNPNNNii")
_STEP = struct.Struct("=iiii8iQ")
_LISTING_ACTIONS = 4096  # room at first; a longer listing gets more
_TRACE_NUMBERS = 16384  # room for traces at first; longer ones get more
OPEN_BYTES = struct.pack("=i", OPEN)
_TURN = struct.Struct("=qiiiiI")
_OUTCOME = struct.Struct("=8sqiiiiI4xIIi")
_SPARE_STATES = 256  # per game
_ENTROPY_BYTES = 128  # the first block: the draws of any ordinary event
_ENTROPY_BYTES_MAX = 1 << 20  # a sound source needs far less; one that is stuck must not hang us


@dataclass(frozen=True, slots=True)
class Parameter:
    """A field of an action or an effect: of which kind its number is, and whether it is a list or may be absent."""

    name: str
    kind: str
    many: bool
    optional: bool


@dataclass(frozen=True, slots=True)
class Signature:
    """A type of action or effect, as the game's C file states it (warlog.h, wl_signature).

    `gives_up`: resigning and draw offers, which random play can leave out."""

    name: str
    parameters: tuple[Parameter, ...]
    server_only: bool
    gives_up: bool


# One step for `replay`: actor, record, items, draws and the hash, of which 0 is not compared.
RawStep = tuple[int, Record, Sequence[int], Sequence[int], int]


# What a step did: the event's records (as words), the draws used, and whether anything is hidden from anybody.
RawEvent = tuple[list[int], list[int], bool]


class RawState:
    """The bytes of one match: a setup that never changes (and is shared by copies) and a state of its own.

    `spare`: where the memory of a copy goes when nobody needs it any more. A server copies a state for every action,
    and making room for all that its longest lists could need costs more than to copy what is there."""

    __slots__ = ("buffer", "setup", "spare", "state")

    def __init__(self, setup: Any, state: Any, buffer: Any, spare: list[Any] | None = None) -> None:
        self.setup = setup
        self.state = state
        self.buffer = buffer
        self.spare = spare

    def __del__(self) -> None:
        if self.spare is not None and len(self.spare) < _SPARE_STATES:
            self.spare.append((self.state, self.buffer))


class RawTurn(Struct, frozen=True, gc=False):
    """What a state says of itself; seats as bits, `reason` and `phase` as rows of their tables."""

    disclosure: int
    to_act: int
    phase: int
    over: int
    reason: int
    winners: int


class _Buffers:
    """What calls for one game in one thread write into, with their places as numbers where structs are packed."""

    def __init__(self, game: Any) -> None:
        self.items = ffi.new("int32_t[]", max(1, game.items_max))
        self.post = ffi.new("wl_post *")
        self.post.items = self.items
        self.post_bytes = ffi.buffer(self.post)
        self.used = ffi.new("int32_t[]", max(1, game.draws_max))
        self.entropy = ffi.new("uint8_t[]", _ENTROPY_BYTES)
        self.draws = ffi.new("wl_draws *")
        self.draws_bytes = ffi.buffer(self.draws)
        self._out = (_address(self.used), max(1, int(game.draws_max)), 0, 0, 0, 0)
        self.no_draws = _DRAWS.pack(0, 0, 0, 0, *self._out)
        self.no_entropy = _DRAWS.pack(_address(self.entropy), 0, 0, 0, *self._out)
        self.words = ffi.new("wl_word[]", game.event_words_max)
        self.event = ffi.new("wl_event *", {"words": self.words, "cap": game.event_words_max})
        self.unwanted = ffi.new("wl_event *")
        self.turn = ffi.new("wl_turn *")
        self.turn_bytes = ffi.buffer(self.turn, _TURN.size)
        self.outcome = ffi.new("wl_outcome *")
        self.outcome_bytes = ffi.buffer(self.outcome)
        self.explanation = ffi.new("wl_word[]", lib.WL_EXPLAIN_MAX)
        self.view = ffi.new("wl_word[]", (game.view_size + 7) // 8)
        self.view_bytes = ffi.buffer(self.view)
        self.later = ffi.new("wl_word[]", (game.view_size + 7) // 8)
        self.traces_cap = 0
        self._kept: Any = None
        self.grow(_LISTING_ACTIONS)

    def grow(self, actions: int) -> None:
        self.actions_cap = actions
        self.actions = ffi.new("wl_action[]", actions)
        self.actions_bytes = ffi.buffer(self.actions)

    def make_room(self, numbers: int) -> None:
        """For so many numbers of traces, which few threads ask for."""
        self.traces_cap = numbers
        self.traces = ffi.new("int32_t[]", numbers)

    def offer(self, draws: Draws) -> None:
        """Makes these draws, or an empty block of entropy, ready for a call.

        Most actions draw nothing, and a block costs more than an action: `offer_more` when it was not enough."""
        if callable(draws):
            self.draws_bytes[:] = self.no_entropy
        elif not draws:
            self.draws_bytes[:] = self.no_draws
        else:
            _check_recorded(draws, None)
            self._kept = ffi.new("int32_t[]", draws)
            self.draws_bytes[:] = _DRAWS.pack(0, 0, _address(self._kept), len(draws), *self._out)

    def offer_more(self, entropy: Callable[[int], bytes]) -> None:
        """A longer block of entropy than the one that has run out."""
        size = max(_ENTROPY_BYTES, self.draws.n_entropy * 8)
        if size > _ENTROPY_BYTES_MAX:
            raise BadDraws("the source of entropy never ends the event")
        block = entropy(size)
        if len(block) < size:
            raise BadDraws("the source of entropy gave too few bytes")
        if size == _ENTROPY_BYTES:
            ffi.memmove(self.entropy, block, size)
            self.draws_bytes[:] = self.no_entropy
            self.draws.n_entropy = size
        else:
            self._kept = ffi.new("uint8_t[]", bytes(block[:size]))
            self.draws_bytes[:] = _DRAWS.pack(_address(self._kept), size, 0, 0, *self._out)

    def raw_event(self) -> RawEvent:
        """What the call did that has just succeeded."""
        event, n_used = self.event, self.draws.n_used
        used = ffi.unpack(self.used, n_used) if n_used else []
        return ffi.unpack(self.words, event.n_words), used, event.hides == 0


class _PerThread(threading.local):
    def __init__(self, game: Any) -> None:
        self.buffers = _Buffers(game)


class RawGame:
    """One row of the registry: a game under one rules version. Numbers in, numbers out."""

    def __init__(self, game: Any) -> None:
        self.row = game
        self.name: str = _text(game.name)
        self.rules_version: int = game.rules_version
        self.items_max: int = game.items_max
        self.seats = _texts(game.seats)
        self.phases = _texts(game.phases)
        self.reasons = _texts(game.reasons)
        self.errors = _texts(game.errors)
        self.effects = _signatures(game.effects)
        self.actions = _signatures(game.actions)
        self.has_traces: bool = game.trace != ffi.NULL
        self.setup_size: int = game.setup_size
        self.state_size: int = game.state_size
        self.view_size: int = game.view_size
        self.view_state_offset: int = game.view_state_offset
        self.setup_layout = Layout(_fields(game.setup_layout), game.setup_size)
        self.state_layout = Layout(_fields(game.state_layout), game.state_size)
        self.view_layout = Layout(_fields(game.view_layout), game.view_size)
        self._local = _PerThread(game)
        self._spare: list[Any] = []

    @cached_property
    def fingerprint(self) -> int:
        """Differs when the layout of setup or state does."""
        return int(lib.wl_fingerprint(self.row))

    # ---- starting and loading ----

    def check_options(self, options: Sequence[int], position: Sequence[int] | None) -> None:
        """Raises Refused."""
        code = lib.wl_check_options(self.row, *_words(options), *_words(position))
        if code:
            raise self.failure(code)

    def explain_start(self, options: Sequence[int], position: Sequence[int] | None) -> list[int]:
        """The core's note on refused options or a refused Position, as words; empty where there is none."""
        out = self._local.buffers.explanation
        n = self._count(lib.wl_explain_start(self.row, *_words(options), *_words(position), out))
        return ffi.unpack(out, n) if n else []

    def init(
        self, options: Sequence[int], position: Sequence[int] | None, draws: Draws
    ) -> tuple[RawState, RawEvent]:
        """The start: its state and its event. Raises Refused and BadDraws."""
        raw = self._blank()
        b = self._local.buffers
        option_words, position_words = _words(options), _words(position)
        b.offer(draws)
        while code := lib.wl_init(
            self.row, raw.setup, raw.state, *option_words, *position_words, b.draws, b.event
        ):
            self._more_entropy_or_raise(b, draws, code)
        return raw, b.raw_event()

    def load(self, setup: bytes, state: bytes) -> RawState:
        """A state from its bytes; missing bytes at either's end are zeros. Raises BadState."""
        if len(setup) > self.setup_size or len(state) > self.state_size:
            raise BadState("too many bytes")
        raw = self._blank()
        ffi.memmove(raw.setup, setup, len(setup))
        ffi.memmove(raw.state, state, len(state))
        code = lib.wl_check_state(self.row, raw.setup, raw.state)
        if code:
            raise self.failure(code)
        return raw

    def copy(self, raw: RawState) -> RawState:
        copy = self._room(raw)
        code = lib.wl_copy(self.row, copy.state, raw.state)
        if code:
            raise self.failure(code)
        return copy

    def setup_bytes(self, raw: RawState) -> bytes:
        return bytes(ffi.buffer(raw.setup, self.setup_size))

    def reconfigure(self, raw: RawState, options: Sequence[int]) -> None:
        # The setup is shared with copies, so the change is made in new bytes and kept only if it is allowed.
        changed = self._blank()
        ffi.memmove(changed.setup, raw.setup, self.setup_size)
        ffi.memmove(changed.state, raw.state, self.state_size)
        code = lib.wl_reconfigure(self.row, changed.setup, changed.state, *_words(options))
        if code:
            raise self.failure(code)
        raw.setup, raw.state, raw.buffer = changed.setup, changed.state, changed.buffer

    # ---- questions ----

    def turn(self, raw: RawState) -> RawTurn:
        b = self._local.buffers
        code = lib.wl_turn_of(self.row, raw.setup, raw.state, b.turn)
        if code:
            raise self.failure(code)
        return RawTurn(*_TURN.unpack(b.turn_bytes))

    def clock(self, raw: RawState, seat: int) -> int:
        return self._count(lib.wl_clock(self.row, raw.setup, raw.state, seat))

    def hash(self, raw: RawState) -> int:
        return int(lib.wl_hash(self.row, raw.state))

    def check(self, raw: RawState, actor: int, record: Record, items: Sequence[int]) -> str | None:
        """The first failing check's code, or None."""
        b = self._local.buffers
        self._post(b, actor, record, items)
        code = lib.wl_check(self.row, raw.setup, raw.state, b.post)
        if not code:
            return None
        failure = self.failure(code)
        if isinstance(failure, Refused):
            return failure.code
        raise failure

    def explain(self, raw: RawState, actor: int, record: Record, items: Sequence[int]) -> list[int]:
        """What the core adds to the code of a refused action, as words; empty for nothing."""
        b = self._local.buffers
        self._post(b, actor, record, items)
        n = self._count(lib.wl_explain(self.row, raw.setup, raw.state, b.post, b.view, b.explanation))
        return ffi.unpack(b.explanation, n) if n else []

    def legal(self, raw: RawState, seat: int) -> bytes:
        """The listing of `seat`, ACTION_BYTES for each action."""
        b = self._local.buffers
        while True:
            n: int = lib.wl_legal(self.row, raw.setup, raw.state, seat, b.actions, b.actions_cap)
            if n < 0:
                raise self.failure(n)
            if n <= b.actions_cap:
                listing: bytes = b.actions_bytes[: n * ACTION_BYTES]
                return listing
            b.grow(n)

    def traces(self, raw: RawState, seat: int, listing: bytes) -> list[int]:
        """The traces of a listing of `seat`, as the numbers of wl_traces."""
        b = self._local.buffers
        actions, n_actions = ffi.from_buffer("wl_action[]", listing), len(listing) // ACTION_BYTES

        def call() -> int:
            n: int = lib.wl_traces(
                self.row, raw.setup, raw.state, seat, b.view, actions, n_actions, b.traces, b.traces_cap
            )
            return n

        return self._numbers(b, call)

    def trace_event(
        self,
        before: RawState,
        after: RawState,
        viewer: int,
        actor: int,
        record: Record,
        items: Sequence[int],
    ) -> list[int]:
        """The trace of an action that was taken, as the numbers of wl_trace_event."""
        b = self._local.buffers

        def call() -> int:
            self._post(b, actor, record, items)
            n: int = lib.wl_trace_event(
                self.row,
                before.setup,
                before.state,
                after.state,
                viewer,
                b.post,
                b.view,
                b.later,
                b.traces,
                b.traces_cap,
            )
            return n

        return self._numbers(b, call)

    def _numbers(self, b: _Buffers, call: Callable[[], int]) -> list[int]:
        """What `call` writes into the buffer for traces, for which room is made."""
        if not b.traces_cap:
            b.make_room(_TRACE_NUMBERS)
        while (n := self._count(call())) > b.traces_cap:
            b.make_room(n)
        numbers: list[int] = ffi.unpack(b.traces, n) if n else []
        return numbers

    def view(self, raw: RawState, viewer: int) -> dict[str, Any]:
        """The fields of the view, by the view's layout, and with the state's for its inner state."""
        b = self._local.buffers
        code = lib.wl_observe(self.row, raw.setup, raw.state, viewer, b.view)
        if code:
            raise self.failure(code)
        return {
            **self.state_layout.read(b.view_bytes, self.view_state_offset),
            **self.view_layout.read(b.view_bytes),
        }

    def seen_state(self, raw: RawState, viewer: int) -> RawState:
        """The state inside the view: what `viewer` knows, blank elsewhere."""
        b = self._local.buffers
        code = lib.wl_observe(self.row, raw.setup, raw.state, viewer, b.view)
        if code:
            raise self.failure(code)
        state = ffi.new("wl_word[]", (self.state_size + 7) // 8)
        start = self.view_state_offset
        ffi.memmove(state, b.view_bytes[start : start + self.state_size], self.state_size)
        return RawState(raw.setup, state, ffi.buffer(state, self.state_size))

    def setup_fields(self, raw: RawState) -> dict[str, Any]:
        return self.setup_layout.read(self.setup_bytes(raw))

    def state_fields(self, raw: RawState) -> dict[str, Any]:
        return self.state_layout.read(raw.buffer)

    # ---- acting ----

    def apply(
        self, raw: RawState, actor: int, record: Record, items: Sequence[int], draws: Draws
    ) -> RawEvent:
        """Takes the action in place; gives its event. Raises Refused and BadDraws; the state is then what it was."""
        b = self._local.buffers
        self._post(b, actor, record, items)
        b.offer(draws)
        while code := lib.wl_apply(self.row, raw.setup, raw.state, b.post, b.draws, b.event):
            self._more_entropy_or_raise(b, draws, code)
        return b.raw_event()

    def after(
        self, raw: RawState, actor: int, record: Record, items: Sequence[int], draws: Draws
    ) -> tuple[RawState, RawEvent, RawTurn, str]:
        """The state after the action, its event, and the new state's turn and hash (as it is written).

        Raises Refused and BadDraws."""
        b = self._local.buffers
        self._post(b, actor, record, items)
        b.offer(draws)
        new = self._room(raw)
        while code := lib.wl_after(
            self.row, raw.setup, raw.state, new.state, b.post, b.draws, b.event, b.outcome
        ):
            self._more_entropy_or_raise(b, draws, code)
        hash_, *turn, n_words, n_used, hides = _OUTCOME.unpack_from(b.outcome_bytes)
        used = ffi.unpack(b.used, n_used) if n_used else []
        return new, (ffi.unpack(b.words, n_words), used, hides == 0), RawTurn(*turn), hash_.hex()

    def take(self, raw: RawState, actor: int, action: bytes, draws: Draws) -> None:
        """As `apply` with the ACTION_BYTES of a listed action, when nobody wants to know what it did."""
        b = self._local.buffers
        b.post_bytes[: 8 + ACTION_BYTES] = _ACTOR.pack(actor, 0) + action
        b.offer(draws)
        while code := lib.wl_apply(self.row, raw.setup, raw.state, b.post, b.draws, b.unwanted):
            self._more_entropy_or_raise(b, draws, code)

    def replay(self, raw: RawState, steps: Iterable[RawStep], n_steps: int, every: int) -> list[bytes]:
        """Applies recorded steps in one call; gives the state's bytes after every `every` of them (0: none).

        On a failure the state is that before the failing step."""
        packed = bytearray(_STEP.size * n_steps)
        items: list[int] = []
        draws: list[int] = []
        for index, (actor, record, its_items, its_draws, its_hash) in enumerate(steps):
            n_items = 0
            if its_items:
                n_items = min(len(its_items), self.items_max)
                items += its_items[:n_items]
            if its_draws:
                _check_recorded(its_draws, index)
                draws += its_draws
            at = index * _STEP.size
            _STEP.pack_into(packed, at, actor, n_items, len(its_draws), 0, *record, its_hash)
        n_checkpoints = n_steps // every if every else 0
        checkpoints = ffi.new("wl_word[]", max(1, (n_checkpoints * self.state_size + 7) // 8))
        failed = ffi.new("size_t *")
        code = lib.wl_replay(
            self.row,
            raw.setup,
            raw.state,
            ffi.cast("wl_step *", ffi.from_buffer(packed)) if n_steps else ffi.NULL,
            n_steps,
            ffi.new("int32_t[]", items or [0]),
            len(items),
            ffi.new("int32_t[]", draws or [0]),
            len(draws),
            failed,
            checkpoints if n_checkpoints else ffi.NULL,
            every,
            n_checkpoints,
        )
        if code:
            raise self.failure(code, failed[0])
        size = self.state_size
        whole = ffi.buffer(checkpoints)
        return [bytes(whole[i * size : (i + 1) * size]) for i in range(n_checkpoints)]

    def playout(self, raw: RawState, seed: int, actions_max: int, play_on: bool) -> int:
        b = self._local.buffers
        flags = lib.WL_PLAY_ON if play_on else 0
        return self._count(
            lib.wl_playout(
                self.row,
                raw.setup,
                raw.state,
                seed,
                actions_max,
                flags,
                b.actions,
                b.actions_cap,
            )
        )

    def count(self, raw: RawState, depth: int) -> int:
        cap = self._local.buffers.actions_cap
        levels = max(1, depth)
        states = ffi.new("wl_word[]", (self.state_size * levels + 7) // 8)
        actions = ffi.new("wl_action[]", cap * levels)
        return self._count(lib.wl_count(self.row, raw.setup, raw.state, depth, states, actions, cap))

    # ---- the crossing itself ----

    def _blank(self) -> RawState:
        setup = ffi.new("wl_word[]", (self.setup_size + 7) // 8)
        state = ffi.new("wl_word[]", (self.state_size + 7) // 8)
        return RawState(setup, state, ffi.buffer(state, self.state_size))

    def _room(self, raw: RawState) -> RawState:
        """Room for another state of the same match: what is there is another state, or zero."""
        try:
            state, buffer = self._spare.pop()
        except IndexError:
            state = ffi.new("wl_word[]", (self.state_size + 7) // 8)
            buffer = ffi.buffer(state, self.state_size)
        return RawState(raw.setup, state, buffer, self._spare)

    def _post(self, b: _Buffers, actor: int, record: Record, items: Sequence[int]) -> None:
        n_items = len(items)
        if n_items:
            n_items = min(n_items, self.items_max)
            b.items[0:n_items] = items[:n_items]
        _POST.pack_into(b.post_bytes, 0, actor, n_items, *record)

    def _more_entropy_or_raise(self, b: _Buffers, draws: Draws, code: int) -> None:
        """After a failed call: offers a longer block of entropy, if that was all that was missing, else raises."""
        if code != lib.WL_E_ENTROPY or not callable(draws):
            raise self.failure(code)
        b.offer_more(draws)

    def _count(self, answer: int) -> int:
        if answer < 0:
            raise self.failure(answer)
        return answer

    def failure(self, code: int, index: int | None = None) -> CoreError:
        """The exception of a negative answer. `index` is that of the failing step in a replay."""
        if code == lib.WL_E_DRAWS or code == lib.WL_E_ENTROPY:
            return BadDraws("the recorded draws do not fit the event", index)
        if code == lib.WL_E_STATE:
            return BadState(f"not a state of {self.name}")
        if code == lib.WL_E_HASH and index is not None:
            return HashMismatch(index)
        name = _text(lib.wl_error_name(self.row, code))
        if code in (lib.WL_E_ARGUMENT, lib.WL_E_SPACE, lib.WL_E_HASH):
            return CoreError(name)
        return Refused(name, index)


def raw_games() -> list[RawGame]:
    """Every game of this build, under every rules version; of one name the newest first."""
    games: list[RawGame] = []
    while (game := lib.wl_game_at(len(games))) != ffi.NULL:
        games.append(RawGame(game))
    return games


def hash_bytes(data: bytes) -> int:
    """XXH64 of any bytes, with seed 0."""
    return int(lib.wl_hash_bytes(data, len(data)))


_BLOCK_BYTES = 1 << 14  # entropy at a time, for some hundreds of events


class Loop:
    """Plays on a state in place, one core call a turn, where every listing is wanted and no event.

        n = loop.begin()
        while n:
            n = loop.take(index)      # of the n actions in `loop.listing`

    `listing` is the whole buffer: the first n times ACTION_BYTES of it are this turn's. The seat is the lowest that
    is to act."""

    def __init__(self, game: RawGame, raw: RawState, entropy: Callable[[int], bytes]) -> None:
        self._game, self._raw, self._entropy = game, raw, entropy
        self._row = game.row
        self._post = ffi.new("wl_post *")
        self._draws = ffi.new("wl_draws *")
        self._draws_bytes = ffi.buffer(self._draws)
        self._seat = ffi.new("int32_t *")
        self._block = ffi.new("uint8_t[]", _BLOCK_BYTES)
        self._block_at = _address(self._block)
        self._used_bytes = _BLOCK_BYTES
        self._grow(_LISTING_ACTIONS)

    def _grow(self, actions: int) -> None:
        self._cap = actions
        self._actions = ffi.new("wl_action[]", actions)
        self.listing = ffi.buffer(self._actions)

    def begin(self) -> int:
        return self._more(ffi.NULL, lib.WL_E_ENTROPY)

    def take(self, index: int) -> int:
        post, draws, raw = self._post, self._draws, self._raw
        post.actor = self._seat[0]
        post.action = self._actions[index]
        if draws.next:  # most actions draw nothing, and leave the block as it is
            self._used_bytes += draws.next
            self._offer()
        n: int = lib.wl_advance(
            self._row, raw.setup, raw.state, post, draws, self._actions, self._cap, self._seat
        )
        return n if 0 <= n <= self._cap else self._more(post, n)

    def _offer(self) -> None:
        """What is left of the block, to the next call."""
        left = _BLOCK_BYTES - self._used_bytes
        self._draws_bytes[:] = _DRAWS.pack(self._block_at + self._used_bytes, left, 0, 0, 0, 0, 0, 0, 0, 0)

    def _more(self, post: Any, n: int) -> int:
        """After a call that had too little: entropy (a new block), or room for the listing. Else the exception."""
        raw = self._raw
        for _ in range(3):
            if n == lib.WL_E_ENTROPY:
                ffi.buffer(self._block)[:] = self._entropy(_BLOCK_BYTES)
                self._used_bytes = 0
                self._offer()
            elif n < 0:
                raise self._game.failure(n)
            else:
                self._grow(n)
                post = ffi.NULL  # the action has been taken; only the listing is wanted again
            n = lib.wl_advance(
                self._row, raw.setup, raw.state, post, self._draws, self._actions, self._cap, self._seat
            )
            if 0 <= n <= self._cap:
                return n
        raise BadDraws("an event that no block of entropy satisfies")


def listing_keys(listing: bytes) -> tuple[bytes, ...]:
    """The ACTION_BYTES of each action of a listing."""
    return _keys(len(listing) // ACTION_BYTES).unpack(listing)


def record_of(key: bytes) -> Record:
    """The numbers of one action of a listing."""
    record: Record = _ACTION.unpack(key)
    return record


@cache
def _keys(n: int) -> struct.Struct:
    return struct.Struct(f"{ACTION_BYTES}s" * n)


def _address(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))


def _words(words: Sequence[int] | None) -> tuple[Any, int]:
    return (ffi.NULL, 0) if words is None else (ffi.new("wl_word[]", words), len(words))


def _check_recorded(draws: Sequence[int], index: int | None) -> None:
    # Records come from strangers too: neither `true` nor a huge number is a draw.
    for draw in draws:
        if type(draw) is not int or not 0 <= draw < 2**31:
            raise BadDraws("a recorded draw is no draw", index)


def _text(name: Any) -> str:
    text = ffi.string(name)
    assert isinstance(text, bytes)
    return text.decode()


def _texts(names: Any) -> tuple[str, ...]:
    found: list[str] = []
    while names[len(found)] != ffi.NULL:
        found.append(_text(names[len(found)]))
    return tuple(found)


def _signatures(rows: Any) -> tuple[Signature, ...]:
    found: list[Signature] = []
    while (row := rows[len(found)]).name != ffi.NULL:
        parameters = (row.parameters[i] for i in range(row.n_parameters))
        found.append(
            Signature(
                _text(row.name),
                tuple(
                    Parameter(_text(p.name), _text(p.kind), bool(p.many), bool(p.optional))
                    for p in parameters
                ),
                bool(row.flags & lib.WL_SERVER_ONLY),
                bool(row.flags & lib.WL_GIVES_UP),
            )
        )
    return tuple(found)


def _fields(layout: Any) -> tuple[Field, ...]:
    found: list[Field] = []
    while (f := layout[len(found)]).name != ffi.NULL:
        row = _fields(f.row) if f.row != ffi.NULL else None
        found.append(
            Field(_text(f.name), f.offset, f.size, f.count, bool(f.is_signed), f.n_size, f.n_offset, row)
        )
    return tuple(found)
