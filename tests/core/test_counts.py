"""How many action sequences of each length exist (tests/counts): a slip in the rules shows up as a wrong number."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import warlog_core
from tests.core.games import TESTS
from warlog_core import State

COUNTS: list[dict[str, Any]] = [
    {"game": path.stem, **row}
    for path in sorted((TESTS / "counts").glob("*.json"))
    for row in json.loads(path.read_text(encoding="utf-8"))
]


def count_slowly(state: State, depth: int) -> int:
    """What `State.count` counts, by listing and acting one by one."""
    if depth == 0:
        return 1
    total = 0
    for seat in state.to_act:
        for action in state.legal(seat):
            if getattr(action, "open", None) is not True:
                after = state.copy()
                after.apply(seat, action, draws=bytes)
                total += count_slowly(after, depth - 1)
    return total


@pytest.mark.parametrize("row", COUNTS, ids=lambda row: f"{row['game']}-{row['name']}")
def test_there_are_as_many_sequences_as_the_table_says(row: dict[str, Any]) -> None:
    game = warlog_core.game(row["game"])
    state = game.new(options=row["options"], position=row.get("position"), draws=bytes)
    assert [state.count(depth) for depth in range(1, len(row["counts"]) + 1)] == row["counts"]


@pytest.mark.parametrize("row", COUNTS, ids=lambda row: f"{row['game']}-{row['name']}")
def test_counting_in_c_is_listing_and_acting_one_by_one(row: dict[str, Any], seed: int) -> None:
    rng = random.Random(seed)
    game = warlog_core.game(row["game"])
    state = game.new(options=row["options"], position=row.get("position"), draws=bytes)
    state.playout(rng.getrandbits(60), rng.randrange(4), play_on=True)
    assert state.count(2) == count_slowly(state, 2)
