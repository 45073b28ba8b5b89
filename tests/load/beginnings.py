"""How matches of each game begin, as their published playthroughs do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

STARTS = Path(__file__).parents[1] / "playthroughs"


def beginnings() -> dict[str, list[dict[str, Any]]]:
    """By game, how its published matches begin: seats, options and perhaps a Position."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(STARTS.glob("*.jsonl")):
        with path.open("rb") as lines:
            first = msgspec.json.decode(next(lines))
        found.setdefault(first["game"], []).append(first)
    return found


BEGINNINGS = beginnings()
