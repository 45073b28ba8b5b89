"""The forms of Hex Tactics: an army of stacks against a budget (`rules/hex.md`, 7.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from warlog_core.actions import Amount, Budget, EntryKeys, Form
from warlog_core.codecs import book_data

_ROSTER = book_data("hex")["roster"]


def forms(options: Mapping[str, Any], board: Mapping[str, Any]) -> dict[str, dict[str, Form]]:
    roster = options.get("roster", _ROSTER)
    budget = Budget(
        limit=options["army_points"],
        costs={unit["id"]: unit["cost"] for unit in roster if unit["cost"] > 0},
        count=Amount(1, 9999),
        entry=EntryKeys("unit", "count"),
        entries=Amount(1, options["max_stacks"]),
        catalogue="pieces",
    )
    return {"recruit": {"army": budget}}
