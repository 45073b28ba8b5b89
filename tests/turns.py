"""A short run tries some of many tests that are alike, a run with another seed others; the soak tries all the rest."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet

SEED = int(os.environ.get("WARLOG_SEED") or 0)  # conftest.py has set it
T = TypeVar("T")


def by_turns(
    values: Iterable[T],
    every: int,
    *,
    kind: Callable[[T], Hashable] = lambda value: 0,
    name: Callable[[T], str] = str,
) -> list[ParameterSet]:
    """Parameters: of the values of each kind one in `every` is tried in a short run, and at least one."""
    given = list(values)
    sizes = Counter(map(kind, given))
    numbers: Counter[Hashable] = Counter()
    found = []
    for value in given:
        of = kind(value)
        is_tried = numbers[of] % every == SEED % min(every, sizes[of])
        numbers[of] += 1
        arguments = value if isinstance(value, tuple) else (value,)
        found.append(pytest.param(*arguments, id=name(value), marks=() if is_tried else pytest.mark.soak))
    return found
