"""What goes into the calls and comes out: plain values, and the memory of a state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from warlog_core.binding.numbers import Record

SPARE_STATES = 256  # per game


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


# An effect of a replay: the step's index, type and arguments.
RawEffect = tuple[int, int, list[int]]


# An action that a search has looked at: its bytes, visits, value, and what would follow: actors and actions.
RawChoice = tuple[bytes, int, int, list[tuple[int, bytes]]]


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
        if self.spare is not None and len(self.spare) < SPARE_STATES:
            self.spare.append((self.state, self.buffer))


class RawTurn(Struct, frozen=True, gc=False):
    """What a state says of itself; seats as bits, `reason` and `phase` as rows of their tables."""

    disclosure: int
    to_act: int
    phase: int
    over: int
    reason: int
    winners: int
