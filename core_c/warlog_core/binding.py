"""The only file that touches the compiled module. No rule is here, and nothing above sees a cdata object.

Each function of warlog.h is crossed once per question, with buffers that are made once per game and thread (the
compiled functions run without the interpreter's lock, so threads must not share them). Every negative answer becomes
its exception in `_failure`, and nowhere else.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

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
SPECTATOR: int = lib.WL_SPECTATOR
SERVER: int = lib.WL_SERVER
DISCLOSE_OVER: int = lib.WL_DISCLOSE_OVER

REC_EFFECT: int = lib.WL_REC_EFFECT
REC_EFFECT_ALT: int = lib.WL_REC_EFFECT_ALT
REC_ACTION: int = lib.WL_REC_ACTION
REC_ACTION_ALT: int = lib.WL_REC_ACTION_ALT
REC_DRAWS: int = lib.WL_REC_DRAWS
REC_HEAD: int = lib.WL_REC_HEAD

# Where draws come from: the recorded ones (replay), or entropy(n), the first n bytes of an endless block (live).
Draws = Sequence[int] | Callable[[int], bytes]
# A wl_action: the type and seven fields.
Record = tuple[int, int, int, int, int, int, int, int]

ACTION_BYTES: int = ffi.sizeof("wl_action")
_ACTION = struct.Struct("=8i")
_POST = struct.Struct("=ii8i")  # the items' place follows, and is set once
_DRAWS = struct.Struct("@PNPNPNNNii")
_STEP = struct.Struct("=iiii8iQ")
_LISTING_ACTIONS = 4096  # room at first; a longer listing gets more
_ENTROPY_BYTES_MAX = 1 << 20  # a sound source needs far less; one that is stuck must not hang us


@dataclass(frozen=True, slots=True)
class ActionType:
    """A row of the book's action table. `gives_up`: resigning and draw offers, which random play can leave out."""

    name: str
    server_only: bool
    gives_up: bool


@dataclass(frozen=True, slots=True)
class RawStep:
    """One step for `replay`: `hash` 0 is not compared."""

    actor: int
    record: Record
    items: Sequence[int]
    draws: Sequence[int]
    hash: int


class RawState:
    """The bytes of one match: a setup that never changes (and is shared by copies) and a state of its own."""

    __slots__ = ("buffer", "setup", "state")

    def __init__(self, setup: Any, state: Any, buffer: Any) -> None:
        self.setup = setup
        self.state = state
        self.buffer = buffer


class _Scratch(threading.local):
    """Buffers for one game in one thread."""

    def __init__(self, game: Any) -> None:
        self.items = ffi.new("int32_t[]", max(1, game.items_max))
        self.post = ffi.new("wl_post *")
        self.post.items = self.items
        self.post_bytes = ffi.buffer(self.post)
        self.used = ffi.new("int32_t[]", max(1, game.draws_max))
        self.used_bytes = ffi.buffer(self.used)
        self.draws = ffi.new("wl_draws *")
        self.draws_bytes = ffi.buffer(self.draws)
        self.used_at = _address(self.used)
        self.draws_cap = max(1, int(game.draws_max))
        self.entropy = ffi.new("uint8_t[]", 4096)
        self.entropy_at = _address(self.entropy)
        self.words = ffi.new("wl_word[]", game.event_words_max)
        self.words_bytes = ffi.buffer(self.words)
        self.event = ffi.new("wl_event *")
        self.event.words = self.words
        self.event.cap = game.event_words_max
        self.result = ffi.new("wl_result *")
        self.view = ffi.new("wl_word[]", (game.view_size + 7) // 8)
        self.view_bytes = ffi.buffer(self.view)
        self.grow(_LISTING_ACTIONS)

    def grow(self, actions: int) -> None:
        self.actions_cap = actions
        self.actions = ffi.new("wl_action[]", actions)
        self.actions_bytes = ffi.buffer(self.actions)


class RawGame:
    """One row of the registry: a game under one rules version. Numbers in, numbers out."""

    def __init__(self, game: Any) -> None:
        self._game = game
        self.name: str = _text(game.name)
        self.rules_version: int = game.rules_version
        self.items_max: int = game.items_max
        self.seats = _texts(game.seats)
        self.phases = _texts(game.phases)
        self.reasons = _texts(game.reasons)
        self.errors = _texts(game.errors)
        self.effects = _texts(game.effects)
        self.actions = _action_types(game.actions)
        self.setup_size: int = game.setup_size
        self.state_size: int = game.state_size
        self.view_size: int = game.view_size
        self.view_state_offset: int = game.view_state_offset
        self.setup_layout = Layout(_fields(game.setup_layout), game.setup_size)
        self.state_layout = Layout(_fields(game.state_layout), game.state_size)
        self.view_layout = Layout(_fields(game.view_layout), game.view_size)
        self._scratch = _Scratch(game)

    @cached_property
    def fingerprint(self) -> int:
        """Differs when the layout of setup or state does."""
        return int(lib.wl_fingerprint(self._game))

    # ---- starting and loading ----

    def check_options(self, options: Sequence[int], position: Sequence[int] | None) -> None:
        code = lib.wl_check_options(self._game, *_words(options), *_words(position))
        if code:
            raise self._failure(code)

    def init(
        self, options: Sequence[int], position: Sequence[int] | None, draws: Draws
    ) -> tuple[RawState, list[int], list[int]]:
        """The start: its state, records (as words) and draws used."""
        raw = self._blank()
        scratch = self._scratch
        option_words, position_words = _words(options), _words(position)

        def start() -> int:
            return int(
                lib.wl_init(
                    self._game,
                    raw.setup,
                    raw.state,
                    *option_words,
                    *position_words,
                    scratch.draws,
                    scratch.event,
                )
            )

        self._with_draws(start, draws)
        return raw, *self._outcome()

    def load(self, setup: bytes, state: bytes) -> RawState:
        """A state from its bytes; missing bytes at either's end are zeros. Raises BadState."""
        if len(setup) > self.setup_size or len(state) > self.state_size:
            raise BadState("too many bytes")
        raw = self._blank()
        ffi.memmove(raw.setup, setup, len(setup))
        ffi.memmove(raw.state, state, len(state))
        code = lib.wl_check_state(self._game, raw.setup, raw.state)
        if code:
            raise self._failure(code)
        return raw

    def copy(self, raw: RawState) -> RawState:
        state = ffi.new("wl_word[]", (self.state_size + 7) // 8)
        ffi.memmove(state, raw.state, self.state_size)
        return RawState(raw.setup, state, ffi.buffer(state, self.state_size))

    def setup_bytes(self, raw: RawState) -> bytes:
        return bytes(ffi.buffer(raw.setup, self.setup_size))

    def reconfigure(self, raw: RawState, options: Sequence[int]) -> None:
        # The setup is shared with copies, so the change is made in new bytes and kept only if it is allowed.
        changed = self._blank()
        ffi.memmove(changed.setup, raw.setup, self.setup_size)
        ffi.memmove(changed.state, raw.state, self.state_size)
        code = lib.wl_reconfigure(self._game, changed.setup, changed.state, *_words(options))
        if code:
            raise self._failure(code)
        raw.setup, raw.state, raw.buffer = changed.setup, changed.state, changed.buffer

    # ---- questions ----

    def seats_in(self, raw: RawState) -> int:
        return self._count(lib.wl_seats(self._game, raw.setup))

    def phase(self, raw: RawState) -> int:
        return self._count(lib.wl_phase(self._game, raw.setup, raw.state))

    def to_act(self, raw: RawState) -> int:
        return self._count(lib.wl_to_act(self._game, raw.setup, raw.state))

    def disclosure(self, raw: RawState) -> int:
        return self._count(lib.wl_disclosure(self._game, raw.setup, raw.state))

    def clock(self, raw: RawState, seat: int) -> int:
        return self._count(lib.wl_clock(self._game, raw.setup, raw.state, seat))

    def result(self, raw: RawState) -> tuple[int, int] | None:
        """None while the match runs, then the winners as bits and the row of the reason."""
        result = self._scratch.result
        code = lib.wl_result_of(self._game, raw.setup, raw.state, result)
        if code:
            raise self._failure(code)
        return (result.winners, result.reason) if result.over else None

    def hash(self, raw: RawState) -> int:
        return int(lib.wl_hash(self._game, raw.state))

    def check(self, raw: RawState, actor: int, record: Record, items: Sequence[int]) -> str | None:
        """The first failing check's code, or None."""
        scratch = self._scratch
        self._post(scratch, actor, record, items)
        code = lib.wl_check(self._game, raw.setup, raw.state, scratch.post)
        if not code:
            return None
        failure = self._failure(code)
        if isinstance(failure, Refused):
            return failure.code
        raise failure

    def legal(self, raw: RawState, seat: int) -> bytes:
        """The listing of `seat`, ACTION_BYTES for each action."""
        scratch = self._scratch
        while True:
            n: int = lib.wl_legal(
                self._game, raw.setup, raw.state, seat, scratch.actions, scratch.actions_cap
            )
            if n < 0:
                raise self._failure(n)
            if n <= scratch.actions_cap:
                return bytes(scratch.actions_bytes[: n * ACTION_BYTES])
            scratch.grow(n)

    def view(self, raw: RawState, viewer: int) -> dict[str, Any]:
        """The fields of the view, by the view's layout, and with the state's for its inner state."""
        scratch = self._scratch
        code = lib.wl_observe(self._game, raw.setup, raw.state, viewer, scratch.view)
        if code:
            raise self._failure(code)
        return {
            **self.state_layout.read(scratch.view_bytes, self.view_state_offset),
            **self.view_layout.read(scratch.view_bytes),
        }

    def seen_state(self, raw: RawState, viewer: int) -> RawState:
        """The state inside the view: what `viewer` knows, blank elsewhere."""
        scratch = self._scratch
        code = lib.wl_observe(self._game, raw.setup, raw.state, viewer, scratch.view)
        if code:
            raise self._failure(code)
        state = ffi.new("wl_word[]", (self.state_size + 7) // 8)
        start = self.view_state_offset
        ffi.memmove(state, scratch.view_bytes[start : start + self.state_size], self.state_size)
        return RawState(raw.setup, state, ffi.buffer(state, self.state_size))

    def setup_fields(self, raw: RawState) -> dict[str, Any]:
        return self.setup_layout.read(self.setup_bytes(raw))

    def state_fields(self, raw: RawState) -> dict[str, Any]:
        return self.state_layout.read(raw.buffer)

    # ---- acting ----

    def apply(
        self, raw: RawState, actor: int, record: Record, items: Sequence[int], draws: Draws
    ) -> tuple[list[int], list[int]]:
        """Takes the action in place; gives the event's records (as words) and the draws used."""
        scratch = self._scratch
        self._post(scratch, actor, record, items)

        def act() -> int:
            return int(
                lib.wl_apply(self._game, raw.setup, raw.state, scratch.post, scratch.draws, scratch.event)
            )

        self._with_draws(act, draws)
        return self._outcome()

    def replay(self, raw: RawState, steps: Sequence[RawStep], every: int) -> list[bytes]:
        """Applies recorded steps in one call; gives the state's bytes after every `every` of them (0: none).

        On a failure the state is that before the failing step."""
        packed = bytearray()
        items: list[int] = []
        draws: list[int] = []
        for index, step in enumerate(steps):
            n_items = min(len(step.items), self.items_max)
            packed += _STEP.pack(step.actor, n_items, len(step.draws), 0, *step.record, step.hash)
            items += step.items[:n_items]
            _check_recorded(step.draws, index)
            draws += step.draws
        n_checkpoints = len(steps) // every if every else 0
        checkpoints = ffi.new("wl_word[]", max(1, (n_checkpoints * self.state_size + 7) // 8))
        failed = ffi.new("size_t *")
        code = lib.wl_replay(
            self._game,
            raw.setup,
            raw.state,
            ffi.cast("wl_step *", ffi.from_buffer(packed)) if steps else ffi.NULL,
            len(steps),
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
            raise self._failure(code, failed[0])
        size = self.state_size
        whole = ffi.buffer(checkpoints)
        return [bytes(whole[i * size : (i + 1) * size]) for i in range(n_checkpoints)]

    def playout(self, raw: RawState, seed: int, actions_max: int, play_on: bool) -> int:
        scratch = self._scratch
        flags = lib.WL_PLAY_ON if play_on else 0
        return self._count(
            lib.wl_playout(
                self._game,
                raw.setup,
                raw.state,
                seed,
                actions_max,
                flags,
                scratch.actions,
                scratch.actions_cap,
            )
        )

    def count(self, raw: RawState, depth: int) -> int:
        cap = self._scratch.actions_cap
        levels = max(1, depth)
        states = ffi.new("wl_word[]", (self.state_size * levels + 7) // 8)
        actions = ffi.new("wl_action[]", cap * levels)
        return self._count(lib.wl_count(self._game, raw.setup, raw.state, depth, states, actions, cap))

    # ---- the crossing itself ----

    def _blank(self) -> RawState:
        setup = ffi.new("wl_word[]", (self.setup_size + 7) // 8)
        state = ffi.new("wl_word[]", (self.state_size + 7) // 8)
        return RawState(setup, state, ffi.buffer(state, self.state_size))

    def _post(self, scratch: _Scratch, actor: int, record: Record, items: Sequence[int]) -> None:
        n_items = len(items)
        if n_items:
            n_items = min(n_items, self.items_max)
            scratch.items[0:n_items] = items[:n_items]
        _POST.pack_into(scratch.post_bytes, 0, actor, n_items, *record)

    def _with_draws(self, call: Callable[[], int], draws: Draws) -> None:
        """Runs `call` with these draws; asks for longer and longer blocks of entropy while it runs out."""
        scratch = self._scratch
        if not callable(draws):
            recorded = 0
            if draws:
                _check_recorded(draws, None)
                array = ffi.new("int32_t[]", draws)
                recorded = _address(array)
            _DRAWS.pack_into(
                scratch.draws_bytes,
                0,
                0,
                0,
                recorded,
                len(draws),
                scratch.used_at,
                scratch.draws_cap,
                0,
                0,
                0,
                0,
            )
            code = call()
            if code:
                raise self._failure(code)
            return
        # Most actions draw nothing, and a block costs more than an action: the first try has an empty one.
        at, size = scratch.entropy_at, 0
        while True:
            _DRAWS.pack_into(
                scratch.draws_bytes, 0, at, size, 0, 0, scratch.used_at, scratch.draws_cap, 0, 0, 0, 0
            )
            code = call()
            if not code:
                return
            if code != lib.WL_E_ENTROPY:
                raise self._failure(code)
            size = max(128, size * 8)
            if size > _ENTROPY_BYTES_MAX:
                raise BadDraws("the source of entropy never ends the event")
            block = draws(size)
            if len(block) < size:
                raise BadDraws("the source of entropy gave too few bytes")
            if size <= 4096:
                ffi.memmove(scratch.entropy, block, size)
            else:
                long_block = ffi.new("uint8_t[]", bytes(block))
                at = _address(long_block)

    def _outcome(self) -> tuple[list[int], list[int]]:
        scratch = self._scratch
        words: list[int] = (
            memoryview(scratch.words_bytes).cast("B")[: scratch.event.n_words * 8].cast("q").tolist()
        )
        n_used: int = scratch.draws.n_used
        return words, list(struct.unpack_from(f"={n_used}i", scratch.used_bytes)) if n_used else []

    def _count(self, answer: int) -> int:
        if answer < 0:
            raise self._failure(answer)
        return answer

    def _failure(self, code: int, index: int | None = None) -> CoreError:
        if code == lib.WL_E_DRAWS or code == lib.WL_E_ENTROPY:
            return BadDraws("the recorded draws do not fit the event", index)
        if code == lib.WL_E_STATE:
            return BadState(f"not a state of {self.name}")
        if code == lib.WL_E_HASH and index is not None:
            return HashMismatch(index)
        name = _text(lib.wl_error_name(self._game, code))
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


def split_actions(listing: bytes) -> list[Record]:
    """The records of a listing."""
    return list(_ACTION.iter_unpack(listing))


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


def _action_types(types: Any) -> tuple[ActionType, ...]:
    found: list[ActionType] = []
    while (row := types[len(found)]).name != ffi.NULL:
        found.append(
            ActionType(
                _text(row.name), bool(row.flags & lib.WL_SERVER_ONLY), bool(row.flags & lib.WL_GIVES_UP)
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
