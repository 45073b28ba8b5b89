"""Actions as numbers and what a seat knows as planes, for programs that learn (docs/RESEARCH.md).

>>> import warlog_core
>>> game = warlog_core.game("hex")
>>> state = game.new(options={"width": 7, "height": 5, "army": "preset", "obstacles": "none"}, draws=bytes)
>>> numbering = game.numbering(state)
>>> numbering.n_actions
1092
>>> seat = state.to_act[0]
>>> number = numbering.numbers(state, seat)[0]
>>> number == numbering.encode(state, seat, numbering.decode(state, seat, number))
True
>>> numbering.shape
(26, 5, 7)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from warlog_core.binding import RawNumbering, Record, record_of
from warlog_core.errors import BadNumber

if TYPE_CHECKING:
    from warlog_core.rule_set import RuleSet
    from warlog_core.state import State


class Digit(Struct, frozen=True):
    """One of the numbers that give an action within its family: from 0 to `size` - 1."""

    name: str
    size: int


class Family(Struct, frozen=True):
    """Actions of one type that are given by the same digits, of which the first counts most.

    The first of them has the number `first`, and there are `size` of them."""

    name: str
    action: str
    first: int
    digits: tuple[Digit, ...]

    @property
    def size(self) -> int:
        size = 1
        for digit in self.digits:
            size *= digit.size
        return size


class Plane(Struct, frozen=True):
    """One plane of the observations."""

    name: str
    meaning: str


class Numbering:
    """The numbers of the actions of a match, and the planes of its views. They follow from its options.

    Threads may share it."""

    def __init__(self, rules: RuleSet, state: State) -> None:
        self._raw = RawNumbering(rules.raw, state._raw)
        self.game = rules.name
        self.rules_version = rules.rules_version
        self.n_actions = self._raw.n_actions
        self.families = tuple(
            Family(name, action, first, tuple(Digit(*digit) for digit in digits))
            for name, action, first, digits in self._raw.families
        )
        self.planes = tuple(Plane(*plane) for plane in self._raw.planes)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Planes, rows, columns."""
        return len(self.planes), self._raw.rows, self._raw.columns

    def encode(self, state: State, seat: str, action: object) -> int:
        """The number of a legal action. Raises BadNumber where it is not legal, or has none: an open template."""
        record, items = state._tables.record(action)
        if items:
            record = _as_listed(state, seat, action)
        return self._raw.encode(state._raw, state._seat_number(seat), record)

    def decode(self, state: State, seat: str, number: int, *, plain: bool = False) -> Any:
        """The legal action with this number, as `State.legal` gives it. Raises BadNumber."""
        key = self._raw.decode(state._raw, state._seat_number(seat), number)
        (action,) = state._tables.listing(key)
        return msgspec.to_builtins(action) if plain else action

    def numbers(self, state: State, seat: str, *, play_on: bool = False) -> list[int]:
        """The numbers of what the seat may do, each once, in the order of `State.legal`.

        `play_on` leaves out resigning and draw offers where there is another action."""
        return self._raw.numbers(state._raw, state._seat_number(seat), play_on)

    def observe(self, state: State, seat: str) -> memoryview[float]:
        """What the seat knows, as planes: 32-bit floats from 0 to 1 in the order of `shape`."""
        planes = memoryview(self._raw.draw(state._raw, state._seat_number(seat)))
        return planes.cast("f", self.shape)

    def describe(self, number: int) -> dict[str, Any]:
        """The family and the digits of any number, whatever is legal. Raises BadNumber.

        `{"family": "move", "to": 17}`"""
        if not 0 <= number < self.n_actions:
            raise BadNumber(f"numbers go from 0 to {self.n_actions - 1}")
        family = next(family for family in reversed(self.families) if family.first <= number)
        rest, digits = number - family.first, {}
        for digit in reversed(family.digits):
            rest, digits[digit.name] = divmod(rest, digit.size)
        return {"family": family.name} | {digit.name: digits[digit.name] for digit in family.digits}


def _as_listed(state: State, seat: str, action: object) -> Record:
    """The record of a preset that was given by its parts. Raises BadNumber."""
    listing, given = state.listing(seat), msgspec.to_builtins(action)
    for index in range(len(listing)):
        if msgspec.to_builtins(listing[index]) == given:
            return record_of(listing.key(index))
    raise BadNumber("an action that is made up of its parts has no number, but for a preset")
