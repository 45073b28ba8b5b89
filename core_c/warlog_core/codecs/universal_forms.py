"""The forms of Universal Chess: the spaces that are paid for an ability (`rules/universal.md`, 7, Payment)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from warlog_core.actions import Count, Form, OfPiece, Payment
from warlog_core.codecs import book_data

_BOOK = book_data("universal")
_HALVING = [faction["id"] for faction in _BOOK["factions"] if "half_cost" in faction]
_BY_KIND = {
    kind["id"]: kind["necromancy_cost"] for kind in _BOOK["kinds"] if kind.get("necromancy_cost") is not None
}


def forms(options: Mapping[str, Any], board: Mapping[str, Any]) -> dict[str, dict[str, Form]]:
    found: dict[str, dict[str, Form]] = {}
    kinds = {kind: cost for kind, cost in _BY_KIND.items() if kind != "psionic" or options["psionics"]}
    for ability in _BOOK["abilities"]:
        by_kind = ability.get("cost") == "necromancy_cost"
        cost: Count = kinds if by_kind else ability.get("cost", options.get(ability.get("cost_option")))
        if cost == 0 and "cost_option" not in ability:
            continue
        pay = Payment(
            spaces_of="seat",
            from_="area",
            count=cost,
            by=OfPiece("raised", "dead", "id", "kind") if by_kind else UNSET,
            seats={seat: _halved(cost) for seat in _HALVING},
            auto="auto",
            catalogue="pieces" if by_kind else UNSET,
        )
        found[ability["action"]] = {"pay": pay}
    return found


def _halved(cost: Count) -> Count:
    return {kind: (one + 1) // 2 for kind, one in cost.items()} if isinstance(cost, dict) else (cost + 1) // 2
