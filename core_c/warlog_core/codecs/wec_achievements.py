"""What a match of Weaponized Chess earns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from warlog_core import achievements
from warlog_core.codecs.wec_structs import LOSS_CAUSES as CAUSES
from warlog_core.state import State


class Tally(achievements.Tally):
    TIMES: ClassVar = {
        "arsonist": ("flame", 3),
        "rocketeer": ("rocket", 1),
        "flak": ("sam", 1),
        "torpedo": ("torpedo", 1),
        "stunning": ("stunned", 5),
        "convert": ("converted", 1),
        "landing": ("journey", 1),
        "reserves": ("reinforced", 3),
        "collector": ("picked_up", 10),
        "barter": ("swapped", 1),
    }

    def __init__(self, start: State) -> None:
        super().__init__(start)
        self.cause = ""  # of the newest loss

    def on_destroyed(self, actor: str, effect: Any) -> None:
        self.cause = effect.cause
        by = next(seat for seat in self.seats if seat != effect.seat)
        self.counts[by, effect.cause] += 1
        self.counts[effect.seat, effect.piece_type] += 1

    def on_stunned(self, actor: str, effect: Any) -> None:
        self.counts[actor, "stunned"] += effect.seat != actor

    def on_converted(self, actor: str, effect: Any) -> None:
        self.cause = "conversion"
        self.counts[effect.to_seat, "converted"] += 1
        self.counts[effect.seat, effect.piece_type] += 1

    def on_journey_ended(self, actor: str, effect: Any) -> None:
        self.counts[effect.seat, "journey"] += 1

    def on_reinforced(self, actor: str, effect: Any) -> None:
        self.counts[effect.seat, "reinforced"] += 1

    def on_picked_up(self, actor: str, effect: Any) -> None:
        self.counts[effect.seat, "picked_up"] += 1

    def on_exchanged(self, actor: str, effect: Any) -> None:
        self.counts[effect.seat, "swapped"] += isinstance(effect.for_, str)

    def on_primary_lost(self, actor: str, effect: Any) -> None:
        self.counts[effect.seat, f"primary lost by {self.cause}"] += 1

    def earned(self, seat: str, won: bool, end: State) -> Iterator[str]:
        yield from super().earned(seat, won, end)
        if not won:
            return
        if not self.counts[seat, "tank"]:
            yield "both_tanks"
        (enemy,) = (other for other in self.seats if other != seat)
        ended = {cause for cause in CAUSES if self.counts[enemy, f"primary lost by {cause}"]}
        if "taken" in ended:
            yield "by_hand"
        if "conversion" in ended:
            yield "new_faith"
        if "torpedo" in ended:
            yield "torpedo_win"
        if ended & {"flame", "rocket", "sam", "torpedo"}:
            yield "by_weapon"
