"""What the event layer asks of Universal Chess: who is on whose side, and whether a Position hides anything."""

from __future__ import annotations

from typing import Any

import pytest

import warlog_core
from warlog_events.match.policy import position_is_open, sides

GAME = warlog_core.game("universal")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"majora": 0, "chaos": 1, "good": 2, "evil": 3, "balance": 4}),
        ({"factions": ["balance", "chaos"]}, {"chaos": 0, "balance": 1}),
        ({"mode": "double"}, {"majora": 0, "good": 0, "chaos": 1, "evil": 1}),
        ({"mode": "double", "pairing": "rows"}, {"majora": 0, "evil": 0, "chaos": 1, "good": 1}),
        ({"mode": "double", "pairing": "columns"}, {"majora": 0, "chaos": 0, "good": 1, "evil": 1}),
    ],
    ids=repr,
)
def test_the_seats_of_a_side_may_be_held_by_one_player(
    options: dict[str, Any], expected: dict[str, int]
) -> None:
    assert sides(GAME, options, None) == expected


def test_a_position_hides_nothing() -> None:
    position = GAME.new().position(plain=True)
    assert position_is_open(GAME, position)
