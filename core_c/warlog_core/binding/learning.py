"""Actions as numbers, what a seat knows as planes, and vectors of matches (warlog.h, section 10)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from warlog_core._core import ffi, lib
from warlog_core.binding.buffers import LISTING_ACTIONS
from warlog_core.binding.numbers import ACTION, Record
from warlog_core.binding.raw_game import RawGame
from warlog_core.binding.registry import text_of
from warlog_core.binding.values import RawState
from warlog_core.errors import CoreError, NotNumbered


class _Buffers(threading.local):
    """What the core writes into; of each thread its own, since others go on while the core is at work."""

    def __init__(self, view_size: int) -> None:
        self.view = ffi.new("wl_word[]", (view_size + 7) // 8)
        self.action = ffi.new("wl_action *")
        self.grow(LISTING_ACTIONS)

    def grow(self, cap: int) -> None:
        self.cap = cap
        self.listing = ffi.new("wl_action[]", cap)
        self.numbers = ffi.new("int32_t[]", cap)


class RawNumbering:
    """The numbering of a match with this setup: wl_index, and the names of the game's tables."""

    def __init__(self, game: RawGame, raw: RawState) -> None:
        if not game.has_numbering:
            raise NotNumbered(f"the actions of {game.name} have no numbers")
        self._game = game
        table = game.row.numbering
        index = ffi.new("wl_index *")
        self._require(lib.wl_index_of(game.row, raw.setup, index))
        self.n_actions: int = index.n_actions
        self.rows: int = index.rows
        self.columns: int = index.columns
        # Of each family its name, type of action, first number, and the names and sizes of its digits.
        self.families: list[tuple[str, str, int, list[tuple[str, int]]]] = []
        for i in range(index.n_families):
            family = table.families[i]
            digits = [
                (text_of(family.digit[d]), int(index.size[i][d]))
                for d in range(lib.WL_DIGITS_MAX)
                if family.digit[d] != ffi.NULL
            ]
            self.families.append(
                (text_of(family.name), game.actions[family.type].name, int(index.first[i]), digits)
            )
        self.planes = [
            (text_of(table.planes[i].name), text_of(table.planes[i].meaning)) for i in range(index.n_planes)
        ]
        self._buffers = _Buffers(game.view_size)

    def _require(self, answer: int) -> int:
        if answer < 0:
            raise self._game.failure(answer)
        return answer

    def encode(self, raw: RawState, seat: int, record: Record) -> int:
        """The number of a legal action. Raises BadNumber."""
        action = self._buffers.action
        ffi.buffer(action)[:] = ACTION.pack(*record)
        return self._require(lib.wl_encode(self._game.row, raw.setup, raw.state, seat, action))

    def decode(self, raw: RawState, seat: int, number: int) -> bytes:
        """The bytes of the legal action with this number. Raises BadNumber."""
        within = number if 0 <= number < self.n_actions else -1
        action = self._buffers.action
        self._require(lib.wl_decode(self._game.row, raw.setup, raw.state, seat, within, action))
        return bytes(ffi.buffer(action))

    def numbers(self, raw: RawState, seat: int, play_on: bool) -> list[int]:
        flags, b = lib.WL_PLAY_ON if play_on else 0, self._buffers
        while True:
            n: int = lib.wl_numbers(
                self._game.row, raw.setup, raw.state, seat, flags, b.listing, b.numbers, b.cap
            )
            if n != lib.WL_E_SPACE:
                break
            b.grow(b.cap * 4)
        return ffi.unpack(b.numbers, n) if self._require(n) else []

    def draw(self, raw: RawState, seat: int) -> bytes:
        """The planes of what the seat knows: 32-bit floats, plane by plane, row by row."""
        out = bytearray(4 * len(self.planes) * self.rows * self.columns)
        code = lib.wl_planes(
            self._game.row,
            raw.setup,
            raw.state,
            seat,
            self._buffers.view,
            ffi.cast("float *", ffi.from_buffer(out)),
        )
        self._require(code)
        return bytes(out)


class VectorSettings(NamedTuple):
    """wl_vector_settings."""

    seed: int
    steps_max: int
    first: int
    play_on: bool


class RawVector:
    """Matches that are stepped in one call.

    The columns are arrays, checked by the caller and kept here: anything with a buffer but a memoryview. With
    memoryviews CPython 3.11 crashed in its garbage collector, perhaps clearing them while cffi had their buffers."""

    def __init__(
        self,
        game: RawGame,
        n: int,
        options: Sequence[int],
        settings: VectorSettings,
        columns: Sequence[Any],
    ) -> None:
        self._game = game
        self._size: int = lib.wl_vector_size(game.row, n, len(options))
        if not self._size:
            raise CoreError("a vector has at least one match")
        self._memory = ffi.new("wl_word[]", self._size // 8)
        self._failed = ffi.new("int32_t *")
        self._kept = [None if column is None else ffi.from_buffer(column) for column in columns]
        self._columns = ffi.new("wl_columns *")
        names = ("observations", "masks", "rewards", "ends", "seats")
        types = ("float *", "uint8_t *", "float *", "uint8_t *", "int32_t *")
        for name, ctype, kept in zip(names, types, self._kept, strict=True):
            if kept is not None:
                setattr(self._columns, name, ffi.cast(ctype, kept))
        flags = lib.WL_PLAY_ON if settings.play_on else 0
        given = ffi.new("wl_vector_settings *", (settings.seed, settings.steps_max, settings.first, flags))
        code = lib.wl_vector_begin(
            game.row,
            self._memory,
            self._size,
            n,
            ffi.new("wl_word[]", options),
            len(options),
            given,
            self._columns,
        )
        if code:
            raise game.failure(code)

    def step(self, actions: Any) -> None:
        """Takes these actions, 32-bit numbers. Raises BadNumber, when nothing has changed, and Busy."""
        self._step(ffi.from_buffer("int32_t[]", actions))

    def check(self, actions: Any) -> None:
        """Looks at these actions for `take`. Raises BadNumber and Busy."""
        numbers = ffi.from_buffer("int32_t[]", actions)
        self._require(lib.wl_vector_check(self._memory, self._size, numbers, self._failed))

    def take(self) -> None:
        """Takes the actions that `check` has let through just before. Raises Busy."""
        self._step(ffi.NULL)

    def _step(self, numbers: Any) -> None:
        self._require(lib.wl_vector_step(self._memory, self._size, numbers, self._columns, self._failed))

    def _require(self, code: int) -> None:
        if code:
            raise self._game.failure(code, self._failed[0] if code == lib.WL_E_NUMBER else None)
