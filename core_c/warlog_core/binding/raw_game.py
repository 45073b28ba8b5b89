"""A game in numbers: a method for each function of warlog.h."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from warlog_core._core import ffi, lib
from warlog_core.binding.buffers import Buffers, PerThread, check_recorded
from warlog_core.binding.numbers import ACTION_BYTES, ACTOR, OUTCOME, POST, TURN, Draws, Record, step_layout
from warlog_core.binding.registry import fields_of, signatures_of, text_of, texts_of
from warlog_core.binding.values import RawChoice, RawEffect, RawEvent, RawState, RawStep, RawTurn
from warlog_core.errors import (
    BadDraws,
    BadNumber,
    BadState,
    Busy,
    CoreError,
    HashMismatch,
    NotNumbered,
    Refused,
    Stopped,
)
from warlog_core.layout import Field, Fields, Layout

TRACE_NUMBERS = 16384  # room for traces at first; longer ones get more


class RawGame:
    """One row of the registry: a game under one rules version. Numbers in, numbers out."""

    def __init__(self, game: Any) -> None:
        self.row = game
        self.name: str = text_of(game.name)
        self.rules_version: int = game.rules_version
        self.items_max: int = game.items_max
        self.seats = texts_of(game.seats)
        self.phases = texts_of(game.phases)
        self.reasons = texts_of(game.reasons)
        self.errors = texts_of(game.errors)
        self.effects = signatures_of(game.effects)
        self.actions = signatures_of(game.actions)
        self.draws_max: int = game.draws_max
        self.has_traces: bool = game.trace != ffi.NULL
        self.has_numbering: bool = game.numbering != ffi.NULL
        self.has_search: bool = game.sample != ffi.NULL and game.evaluate != ffi.NULL
        self.setup_size: int = game.setup_size
        self.state_size: int = game.state_size
        self.view_size: int = game.view_size
        self.view_state_offset: int = game.view_state_offset
        self.setup_layout = Layout(fields_of(game.setup_layout), game.setup_size)
        self.state_layout = Layout(fields_of(game.state_layout), game.state_size)
        self.view_layout = Layout(_seen_fields(game), game.view_size)
        self._local = PerThread(game)
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
        return RawTurn(*TURN.unpack(b.turn_bytes))

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

    def _numbers(self, b: Buffers, call: Callable[[], int]) -> list[int]:
        """What `call` writes into the buffer for traces, for which room is made."""
        if not b.traces_cap:
            b.make_room(TRACE_NUMBERS)
        while (n := self._count(call())) > b.traces_cap:
            b.make_room(n)
        numbers: list[int] = ffi.unpack(b.traces, n) if n else []
        return numbers

    def view(self, raw: RawState, viewer: int) -> Fields:
        """The fields of the view, and of the state inside it."""
        b = self._local.buffers
        code = lib.wl_observe(self.row, raw.setup, raw.state, viewer, b.view)
        if code:
            raise self.failure(code)
        return self.view_layout.read(bytes(b.view_bytes))

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
        return self.setup_layout.read(self.setup_bytes(raw)).whole()

    def state_fields(self, raw: RawState) -> Fields:
        return self.state_layout.read(bytes(raw.buffer))

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
        hash_, *turn, n_words, n_used, hides = OUTCOME.unpack_from(b.outcome_bytes)
        used = ffi.unpack(b.used, n_used) if n_used else []
        return new, (ffi.unpack(b.words, n_words), used, hides == 0), RawTurn(*turn), hash_.hex()

    def take(self, raw: RawState, actor: int, action: bytes, draws: Draws) -> None:
        """As `apply` with the ACTION_BYTES of a listed action, when nobody wants to know what it did."""
        b = self._local.buffers
        b.post_bytes[: 8 + ACTION_BYTES] = ACTOR.pack(actor, 0) + action
        b.offer(draws)
        while code := lib.wl_apply(self.row, raw.setup, raw.state, b.post, b.draws, b.unwanted):
            self._more_entropy_or_raise(b, draws, code)

    def replay(self, raw: RawState, steps: Iterable[RawStep], n_steps: int, every: int) -> list[bytes]:
        """Applies recorded steps in one call; gives the state's bytes after every `every` of them (0: none).

        On a failure the state is that before the failing step."""
        n_checkpoints = n_steps // every if every else 0
        checkpoints = ffi.new("wl_word[]", max(1, (n_checkpoints * self.state_size + 7) // 8))
        into = (checkpoints, every, n_checkpoints, ffi.NULL) if n_checkpoints else (ffi.NULL, 0, 0, ffi.NULL)
        self._replay(raw, self._packed(steps, n_steps), into)
        size = self.state_size
        whole = ffi.buffer(checkpoints)
        return [bytes(whole[i * size : (i + 1) * size]) for i in range(n_checkpoints)]

    def replay_excerpt(
        self, raw: RawState, steps: Iterable[RawStep], n_steps: int, wanted: bytes, first: int, every: int
    ) -> tuple[list[RawEffect], list[list[int]]]:
        """Applies recorded steps as `replay` does; gives the whole effects that are `wanted` (wl_excerpt.types),
        and what the states after `first` steps and after every `every` from there are worth, where the game
        evaluates."""
        packed, before, b = self._packed(steps, n_steps), self.copy(raw), self._local.buffers
        n_values = (n_steps - first) // every + 1 if n_steps >= first else 0
        excerpt = b.excerpt(wanted, first, every, n_values)
        while not self._replay(raw, packed, (ffi.NULL, 0, 0, excerpt)):
            lib.wl_copy(self.row, raw.state, before.state)
            b.grow_excerpt()
        return b.effects(), b.values()

    def _packed(self, steps: Iterable[RawStep], n_steps: int) -> tuple[Any, int, Any, int, Any, int]:
        """As wl_replay takes them: steps, items and draws, each with its number."""
        numbers: list[int] = []
        items: list[int] = []
        draws: list[int] = []
        for index, (actor, record, its_items, its_draws, its_hash) in enumerate(steps):
            n_items = 0
            if its_items:
                n_items = min(len(its_items), self.items_max)
                items += its_items[:n_items]
            if its_draws:
                check_recorded(its_draws, index)
                draws += its_draws
            numbers += [actor, n_items, len(its_draws), 0, *record, its_hash]
        packed = ffi.new("wl_step[]", max(1, n_steps))
        step_layout(n_steps).pack_into(ffi.buffer(packed), 0, *numbers)
        return (
            packed,
            n_steps,
            ffi.new("int32_t[]", items or [0]),
            len(items),
            ffi.new("int32_t[]", draws or [0]),
            len(draws),
        )

    def _replay(
        self, raw: RawState, packed: tuple[Any, int, Any, int, Any, int], into: tuple[Any, int, int, Any]
    ) -> bool:
        """False: the excerpt needs more room."""
        failed = ffi.new("size_t *")
        code = lib.wl_replay(self.row, raw.setup, raw.state, *packed, failed, *into)
        if code and code != lib.WL_E_SPACE:
            raise self.failure(code, failed[0])
        return not code

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

    # ---- computer opponents ----

    def sample(self, seen: RawState, viewer: int, seed: int) -> RawState:
        """A whole state that `viewer`, who knows `seen`, cannot tell from the true one. Raises BadState."""
        state = ffi.new("wl_word[]", (self.state_size + 7) // 8)
        code = lib.wl_sample(self.row, seen.setup, seen.state, viewer, seed, state)
        if code:
            raise self._nothing_fits(code)
        return RawState(seen.setup, state, ffi.buffer(state, self.state_size))

    def evaluate(self, raw: RawState) -> list[int]:
        """What the state is worth to each seat, 0 ... 65535."""
        values = ffi.new("int32_t[]", lib.WL_SEATS_MAX)
        n = self._count(lib.wl_evaluate(self.row, raw.setup, raw.state, values))
        return ffi.unpack(values, n) if n else []

    def search(
        self,
        seen: RawState,
        seat: int,
        seed: int,
        iterations: int,
        numbers: Sequence[int],
        arena: Any,
        belief: Any = None,
        stop: Any = None,
    ) -> list[RawChoice]:
        """wl_search; `numbers`: the settings after the iterations. Raises BadState where nothing fits what was seen,
        Stopped."""
        believed = (ffi.NULL, 0) if belief is None else (ffi.from_buffer(belief), len(belief))
        stopped = ffi.NULL if stop is None else ffi.from_buffer("uint8_t[]", stop)
        settings = ffi.new("wl_search_settings *", (seed, *believed, stopped, iterations, *numbers))
        memory = ffi.from_buffer(arena, require_writable=True)
        cap = 16

        def call() -> int:
            n: int = lib.wl_search(
                self.row, seen.setup, seen.state, seat, settings, memory, len(arena), choices, cap
            )
            return n

        choices = ffi.new("wl_choice[]", cap)
        n = call()
        if n < 0:
            raise self._nothing_fits(n)
        return [_choice(choices[i]) for i in range(min(n, cap))]

    def belief(self, viewer: int, seed: int) -> bytearray:
        """wl_belief_begin: the memory of a belief."""
        memory = bytearray(lib.WL_BELIEF_USUAL)
        code = lib.wl_belief_begin(self.row, viewer, seed, ffi.from_buffer(memory), len(memory))
        if code:
            raise self.failure(code)
        return memory

    def belief_see(self, memory: bytearray, seen: RawState) -> int:
        """wl_belief_see. Raises BadState where nothing fits what was seen."""
        n: int = lib.wl_belief_see(self.row, seen.setup, seen.state, ffi.from_buffer(memory), len(memory))
        if n < 0:
            raise self._nothing_fits(n)
        return n

    def belief_world(self, memory: bytearray, like: RawState, i: int) -> RawState:
        """wl_belief_world."""
        state = ffi.new("wl_word[]", (self.state_size + 7) // 8)
        self._count(lib.wl_belief_world(self.row, ffi.from_buffer(memory), len(memory), i, state))
        return RawState(like.setup, state, ffi.buffer(state, self.state_size))

    def _nothing_fits(self, code: int) -> CoreError:
        if code == lib.WL_E_STATE:
            return BadState(f"no state of {self.name} fits what was seen")
        return self.failure(code)

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

    def _post(self, b: Buffers, actor: int, record: Record, items: Sequence[int]) -> None:
        n_items = len(items)
        if n_items:
            n_items = min(n_items, self.items_max)
            b.items[0:n_items] = items[:n_items]
        POST.pack_into(b.post_bytes, 0, actor, n_items, *record)

    def _more_entropy_or_raise(self, b: Buffers, draws: Draws, code: int) -> None:
        """After a failed call: offers a longer block of entropy, if that was all that was missing, else raises."""
        if code == lib.WL_E_DRAWS:
            raise BadDraws("the recorded draws do not fit the event", asked=b.draws.asked)
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
        name = text_of(lib.wl_error_name(self.row, code))
        if code == lib.WL_E_NUMBER:
            return BadNumber("this is the number of no legal action", index)
        if code == lib.WL_E_BUSY:
            return Busy("another thread is at work on this vector")
        if code == lib.WL_E_STOPPED:
            return Stopped("nobody wants the answer of this search any more")
        if code == lib.WL_E_STUCK:
            return NotNumbered(f"a seat of {self.name} would have nothing to choose but an open template")
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


def _choice(choice: Any) -> RawChoice:
    line = [(choice.actor[i], bytes(ffi.buffer(ffi.addressof(choice.line[i])))) for i in range(choice.n_line)]
    return bytes(ffi.buffer(ffi.addressof(choice, "action"))), choice.visits, choice.value, line


def _seen_fields(game: Any) -> list[Field]:
    """The fields of the view, and behind them those of the state inside it that the view has none of the same name
    for."""
    header, at = fields_of(game.view_layout), game.view_state_offset
    names = {field.name for field in header}
    inside = (field for field in fields_of(game.state_layout) if field.name not in names)
    return [
        *header,
        *(replace(field, offset=field.offset + at, n_offset=field.n_offset + at) for field in inside),
    ]


def _words(words: Sequence[int] | None) -> tuple[Any, int]:
    return (ffi.NULL, 0) if words is None else (ffi.new("wl_word[]", words), len(words))
