"""What the generic suites of the core run on: every game of the build and its files. A new game is found by them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import warlog_core

TESTS = Path(__file__).resolve().parent.parent
GAMES = warlog_core.games()


def vectors() -> list[dict[str, Any]]:
    return [
        vector
        for name in GAMES
        for vector in json.loads((TESTS / "vectors" / f"{name}.json").read_text(encoding="utf-8"))
    ]


def playthroughs() -> list[Path]:
    """The published random matches (README.md beside them)."""
    return [path for name in GAMES for path in sorted((TESTS / "playthroughs").glob(f"{name}-*.jsonl"))]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def digest(value: Any) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of the canonical JSON text."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def starts() -> list[tuple[str, dict[str, Any], Any]]:
    """(game, options, Position or None): each start of the vectors that is not refused, and of the playthroughs."""
    found: dict[str, tuple[str, dict[str, Any], Any]] = {}
    for vector in vectors():
        if "expect_setup_error" not in vector:
            start = (vector["game"], vector.get("options", {}), vector.get("position"))
            found[digest(start)] = start
    for path in playthroughs():
        first = lines(path)[0]
        start = (first["game"], first["options"], first.get("position"))
        found[digest(start)] = start
    return list(found.values())
