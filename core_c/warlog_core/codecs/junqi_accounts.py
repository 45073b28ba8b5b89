"""Siguo Junqi and its players' accounts: points, ranks and gold (9), and the layouts they keep (4.2)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from typing import Any

from warlog_core.accounts import Standing
from warlog_core.codecs import book_data
from warlog_core.codecs.junqi_structs import SEATS, SEATS_OF

_BOOK = book_data("junqi")
_DEFAULTS = {spec["name"]: spec.get("default") for spec in _BOOK["options"]}
_RANKS: list[dict[str, Any]] = _BOOK["ranks"]
_THRESHOLDS = [rank["threshold"] for rank in _RANKS[1:]]
_SCORE_MAX = 10**9  # the ranges of 4.1
_BALANCE_MAX = 10**12
_LAYOUT_CELLS: list[str] = _BOOK["layout"]["cells"]


def seats_of(options: Mapping[str, Any]) -> tuple[str, ...]:
    """The seats that these options give, if they are valid (4.1)."""
    return SEATS_OF[2 if options.get("players", 2 if options.get("mode") == "flip" else 4) == 2 else 4]


class Accounting:
    """warlog_core.accounts.Accounting."""

    def ranks(self) -> list[dict[str, Any]]:
        return _RANKS

    def rank(self, score: int) -> dict[str, Any]:
        """9.2"""
        return _RANKS[bisect_right(_THRESHOLDS, score)]

    def hold(self, options: Mapping[str, Any]) -> int:
        """Sitting down needs the greatest amount that can be frozen (9.4.1)."""
        stake, cap = options.get("stake", 0), options.get("gold_cap", _DEFAULTS["gold_cap"])
        fine = type(stake) is int and type(cap) is int and 0 <= stake <= 10**9 and 1 <= cap <= 100
        return stake * cap if fine else 0

    def options(self, options: Mapping[str, Any], standing: Callable[[str], Standing]) -> dict[str, Any]:
        seats = {seat: standing(seat) for seat in seats_of(options)}
        scores = {seat: max(-_SCORE_MAX, min(one.score, _SCORE_MAX)) for seat, one in seats.items()}
        if not options.get("stake"):
            return {"scores": scores}
        return {
            "scores": scores,
            "balances": {seat: min(one.gold, _BALANCE_MAX) for seat, one in seats.items()},
        }

    def balances_missing(self, options: Mapping[str, Any]) -> str:
        """4.1: needed for every seat when there is a stake."""
        missing = options.get("stake") and set(seats_of(options)) - options.get("balances", {}).keys()
        return "balances" if missing else ""

    def frozen(self, view: Mapping[str, Any]) -> int:
        """9.4.2"""
        gold: Mapping[str, int] = view.get("gold", {})
        return gold.get("frozen", 0)

    def settlement(self, view: Mapping[str, Any]) -> dict[str, Any] | None:
        """9.3, 9.4; none of a match that was aborted."""
        found: dict[str, Any] | None = view.get("settlement")
        return found


class LayoutRules:
    """warlog_core.accounts.LayoutRules."""

    def options(
        self, options: Mapping[str, Any], position: object | None, layouts: Mapping[str, Any]
    ) -> dict[str, Any]:
        """A Position leaves no room for layouts (10.6), nor does flip mode (4.1)."""
        if not layouts or position is not None or options.get("mode") == "flip":
            return {}
        return {"layouts": {**layouts, **options.get("layouts", {})}}

    def laid(self, position: Mapping[str, Any]) -> dict[str, Any] | None:
        """Of flip mode nothing, of a standard match every seat's 25 types in the order of 4.2."""
        if position["phase"] == "layout":
            return None
        lies = {piece["at"]: piece for piece in position["pieces"]}
        found: dict[str, Any] = {}
        for seat in SEATS:
            pieces = [lies.get(f"{seat[0].upper()}{cell}", {}) for cell in _LAYOUT_CELLS]
            if all(piece.get("seat") == seat for piece in pieces):
                found[seat] = [piece["type"] for piece in pieces]
        return found
