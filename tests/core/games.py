"""What the generic suites of the core run on: every game of the build and its files. A new game is found by them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from _pytest.mark import ParameterSet

import warlog_core
from tests.turns import by_turns

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


@cache
def starts() -> tuple[tuple[str, dict[str, Any], Any], ...]:
    """(game, options, Position or None): each start of the vectors that is not refused, and of the playthroughs."""
    found: dict[str, tuple[str, dict[str, Any], Any]] = {}
    for vector in vectors():
        if "expect_setup_error" not in vector:
            start = (vector["game"], vector.get("options", {}), vector.get("position"))
            found[digest(start)] = start
    for path in playthroughs():
        with path.open(encoding="utf-8") as file:
            first = json.loads(file.readline())
        start = (first["game"], first["options"], first.get("position"))
        found[digest(start)] = start
    return tuple(found.values())


def walks(of: Iterable[str] = GAMES, every: int = 4) -> list[ParameterSet]:
    """Starts as parameters of a test that plays on from each at random. A short run tries one in `every`, by game."""
    found = [one for one in starts() if one[0] in of]
    return by_turns(found, every, kind=lambda one: one[0], name=lambda one: f"{one[0]}-{found.index(one)}")


# What some books do otherwise than the rest, where the generic suites have to know.


def quiet_action(name: str) -> dict[str, Any]:
    """What any seat may do at the normal start, once, without a draw."""
    return {"type": "ready"} if name == "junqi" else {"type": "resign"}


def server_ends(name: str, seat: str) -> dict[str, Any]:
    """What the server posts to put a seat out, in any phase."""
    return {"type": "flee" if name == "junqi" else "timeout", "seat": seat}


def options_with_position(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a match that goes on from its own Position: those of the start alone are left out (junqi 10.6)."""
    return {option: value for option, value in options.items() if option != "layouts"}


def as_listed(name: str, action: dict[str, Any], board: list[str]) -> dict[str, Any]:
    """The action as a listing would have it: junqi lists a swap once, and takes it either way round (7.1)."""
    if name == "junqi" and action["type"] == "swap" and action["a"] in board and action["b"] in board:
        a, b = sorted((action["a"], action["b"]), key=board.index)
        return {"type": "swap", "a": a, "b": b}
    return action
