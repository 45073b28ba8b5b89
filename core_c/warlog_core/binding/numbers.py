"""What stands for what in the core's numbers, and how its records are packed (warlog.h)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import lru_cache

from warlog_core._core import ffi, lib

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
WON: int = lib.WL_WON  # what a state is worth to a seat whose side has won
SPECTATOR: int = lib.WL_SPECTATOR
SERVER: int = lib.WL_SERVER
DISCLOSE_OVER: int = lib.WL_DISCLOSE_OVER
ALL_VIEWERS: int = lib.WL_ALL_VIEWERS
REC_EFFECT: int = lib.WL_REC_EFFECT
REC_EFFECT_ALT: int = lib.WL_REC_EFFECT_ALT
REC_ACTION: int = lib.WL_REC_ACTION
REC_ACTION_ALT: int = lib.WL_REC_ACTION_ALT
REC_HEAD: int = lib.WL_REC_HEAD
EXCERPT_HEAD: int = lib.WL_EXCERPT_HEAD

# Where draws come from: the recorded ones (replay), or entropy(n), the first n bytes of an endless block (live).
Draws = Sequence[int] | Callable[[int], bytes]
# A wl_action: the type and seven fields.
Record = tuple[int, int, int, int, int, int, int, int]

ACTION_BYTES: int = ffi.sizeof("wl_action")
ACTION = struct.Struct("=8i")
ACTOR = struct.Struct("=ii")
POST = struct.Struct("=10i")  # the items' place follows, and is set once
DRAWS = struct.Struct("@PNPNPNNNii8x")  # without a generator, which is for the core's own play
OPEN_BYTES = struct.pack("=i", OPEN)
TURN = struct.Struct("=qiiiiI")
OUTCOME = struct.Struct("=8sqiiiiI4xIIi")


@lru_cache(maxsize=256)
def step_layout(n: int) -> struct.Struct:
    """Of so many wl_step, one after the other: packed at once, which takes half as long as one by one."""
    return struct.Struct("=" + n * "iiii8iQ")
