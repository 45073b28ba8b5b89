"""What a match of Nim earns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from warlog_core import achievements
from warlog_core.state import State


class Tally(achievements.Tally):
    TIMES: ClassVar = {"greedy": ("threes", 2)}

    def on_taken(self, actor: str, effect: Any) -> None:
        self.counts[effect.seat, "threes"] += effect.count == 3

    def earned(self, seat: str, won: bool, end: State) -> Iterator[str]:
        yield from super().earned(seat, won, end)
        if won and end.result is not None and end.result.reason == "last_taken":
            yield "last_word"
