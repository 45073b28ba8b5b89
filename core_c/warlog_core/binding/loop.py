"""Playing on a state in place, for random matches from Python; and listings as bytes."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache
from typing import Any

from warlog_core._core import ffi, lib
from warlog_core.binding.buffers import LISTING_ACTIONS, address
from warlog_core.binding.numbers import ACTION, ACTION_BYTES, DRAWS, Record
from warlog_core.binding.raw_game import RawGame
from warlog_core.binding.values import RawState
from warlog_core.errors import BadDraws

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
        self._block_at = address(self._block)
        self._used_bytes = _BLOCK_BYTES
        self._grow(LISTING_ACTIONS)

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
        self._draws_bytes[:] = DRAWS.pack(self._block_at + self._used_bytes, left, 0, 0, 0, 0, 0, 0, 0, 0)

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
    record: Record = ACTION.unpack(key)
    return record


@cache
def _keys(n: int) -> struct.Struct:
    return struct.Struct(f"{ACTION_BYTES}s" * n)
