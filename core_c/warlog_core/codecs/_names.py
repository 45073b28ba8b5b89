"""From the small numbers of C records back to names: what the codecs of all games share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Member = TypeVar("Member")


def members(bits: int, names: Sequence[Member]) -> list[Member]:
    """Those of the names whose bits are set, in their order. A set of seats or of spaces may be of any size."""
    found = []
    while bits:
        lowest = bits & -bits
        found.append(names[lowest.bit_length() - 1])
        bits ^= lowest
    return found


def joined(words: Sequence[int], size: int = 64) -> int:
    """The bits of a set that is spread over words of `size` bits, the lowest first."""
    return sum(word << size * i for i, word in enumerate(words))
