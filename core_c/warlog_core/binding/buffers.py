"""What the calls write into: made once for each game and thread, since the compiled functions run without the
interpreter's lock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from warlog_core._core import ffi, lib
from warlog_core.binding.numbers import DRAWS, EXCERPT_HEAD, SEATS_MAX, TURN, Draws
from warlog_core.binding.values import RawEffect, RawEvent
from warlog_core.errors import BadDraws

LISTING_ACTIONS = 4096  # room at first; a longer listing gets more
ENTROPY_BYTES = 128  # the first block: the draws of any ordinary event
ENTROPY_BYTES_MAX = 1 << 20  # a sound source needs far less; one that is stuck must not hang us


class Buffers:
    """What calls for one game in one thread write into, with their places as numbers where structs are packed."""

    def __init__(self, game: Any) -> None:
        self.items = ffi.new("int32_t[]", max(1, game.items_max))
        self.post = ffi.new("wl_post *")
        self.post.items = self.items
        self.post_bytes = ffi.buffer(self.post)
        self.used = ffi.new("int32_t[]", max(1, game.draws_max))
        self.entropy = ffi.new("uint8_t[]", ENTROPY_BYTES)
        self.draws = ffi.new("wl_draws *")
        self.draws_bytes = ffi.buffer(self.draws)
        self._out = (address(self.used), max(1, int(game.draws_max)), 0, 0, 0, 0)
        self.no_draws = DRAWS.pack(0, 0, 0, 0, *self._out)
        self.no_entropy = DRAWS.pack(address(self.entropy), 0, 0, 0, *self._out)
        self.words = ffi.new("wl_word[]", game.event_words_max)
        self.event = ffi.new("wl_event *", {"words": self.words, "cap": game.event_words_max})
        self.unwanted = ffi.new("wl_event *")
        self.turn = ffi.new("wl_turn *")
        self.turn_bytes = ffi.buffer(self.turn, TURN.size)
        self.outcome = ffi.new("wl_outcome *")
        self.outcome_bytes = ffi.buffer(self.outcome)
        self.explanation = ffi.new("wl_word[]", lib.WL_EXPLAIN_MAX)
        self.view = ffi.new("wl_word[]", (game.view_size + 7) // 8)
        self.view_bytes = ffi.buffer(self.view)
        self.later = ffi.new("wl_word[]", (game.view_size + 7) // 8)
        self._event_words_max = int(game.event_words_max)
        self._excerpt = ffi.new("wl_excerpt *")
        self._excerpt_words: Any = None
        self.traces_cap = 0
        self._kept: Any = None
        self.grow(LISTING_ACTIONS)

    def grow(self, actions: int) -> None:
        self.actions_cap = actions
        self.actions = ffi.new("wl_action[]", actions)
        self.actions_bytes = ffi.buffer(self.actions)

    def make_room(self, numbers: int) -> None:
        """For so many numbers of traces, which few threads ask for."""
        self.traces_cap = numbers
        self.traces = ffi.new("int32_t[]", numbers)

    def excerpt(self, wanted: bytes, first: int, every: int, n_values: int) -> Any:
        """Where a replay writes effects of these types, and the values of so many states; few threads ask for it."""
        self._wanted = ffi.from_buffer("uint8_t[]", wanted)
        self._values = ffi.new("int32_t[]", max(1, n_values) * SEATS_MAX)
        self._excerpt.types, self._excerpt.values = self._wanted, self._values
        self._excerpt.first, self._excerpt.every, self._excerpt.values_cap = first, every, n_values
        if self._excerpt_words is None:
            self.grow_excerpt()
        return self._excerpt

    def grow_excerpt(self) -> None:
        self._excerpt.cap = 2 * self._excerpt.cap or self._event_words_max
        self._excerpt_words = ffi.new("wl_word[]", self._excerpt.cap)
        self._excerpt.words = self._excerpt_words

    def effects(self) -> list[RawEffect]:
        """Those that a replay has just written."""
        end = self._excerpt.n_words
        words = ffi.unpack(self._excerpt_words, end) if end else []
        at, effects = 0, list[RawEffect]()
        while at < end:
            next_ = at + words[at]
            effects.append((words[at + 1], words[at + 2], words[at + EXCERPT_HEAD : next_]))
            at = next_
        return effects

    def values(self) -> list[list[int]]:
        """Likewise, by the numbers of seats."""
        n, size = self._excerpt.n_values, SEATS_MAX
        numbers = ffi.unpack(self._values, n * size) if n else []
        return [numbers[i * size : (i + 1) * size] for i in range(n)]

    def offer(self, draws: Draws) -> None:
        """Makes these draws, or an empty block of entropy, ready for a call.

        Most actions draw nothing, and a block costs more than an action: `offer_more` when it was not enough."""
        if callable(draws):
            self.draws_bytes[:] = self.no_entropy
        elif not draws:
            self.draws_bytes[:] = self.no_draws
        else:
            check_recorded(draws, None)
            self._kept = ffi.new("int32_t[]", draws)
            self.draws_bytes[:] = DRAWS.pack(0, 0, address(self._kept), len(draws), *self._out)

    def offer_more(self, entropy: Callable[[int], bytes]) -> None:
        """A longer block of entropy than the one that has run out."""
        size = max(ENTROPY_BYTES, self.draws.n_entropy * 8)
        if size > ENTROPY_BYTES_MAX:
            raise BadDraws("the source of entropy never ends the event")
        block = entropy(size)
        if len(block) < size:
            raise BadDraws("the source of entropy gave too few bytes")
        if size == ENTROPY_BYTES:
            ffi.memmove(self.entropy, block, size)
            self.draws_bytes[:] = self.no_entropy
            self.draws.n_entropy = size
        else:
            self._kept = ffi.new("uint8_t[]", bytes(block[:size]))
            self.draws_bytes[:] = DRAWS.pack(address(self._kept), size, 0, 0, *self._out)

    def raw_event(self) -> RawEvent:
        """What the call did that has just succeeded."""
        event, n_used = self.event, self.draws.n_used
        used = ffi.unpack(self.used, n_used) if n_used else []
        return ffi.unpack(self.words, event.n_words), used, event.hides == 0


class PerThread(threading.local):
    def __init__(self, game: Any) -> None:
        self.buffers = Buffers(game)


def address(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))


def check_recorded(draws: Sequence[int], index: int | None) -> None:
    # Records come from strangers too: neither `true` nor a huge number is a draw.
    for draw in draws:
        if type(draw) is not int or not 0 <= draw < 2**31:
            raise BadDraws("a recorded draw is no draw", index)
