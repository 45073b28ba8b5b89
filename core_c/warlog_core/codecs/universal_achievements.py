"""What a match of Universal Chess earns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from warlog_core import achievements
from warlog_core.state import State

LAND = 80  # of the 400 spaces


class Tally(achievements.Tally):
    TIMES: ClassVar = {
        "mighty_hunter": ("mighty", 1),
        "two_mighties": ("mighty", 2),
        "hunter": ("captured", 10),
        "settler": ("conquered", 20),
        "breeder": ("bred", 1),
        "necromancer": ("raised", 3),
        "summoner": ("summoned", 10),
        "curse": ("cursed", 1),
        "freezer": ("frozen", 5),
        "promotion": ("promoted", 1),
        "sacrifice": ("sacrificed", 1),
    }

    def on_captured(self, actor: str, effect: Any) -> None:
        self.counts[actor, "captured"] += 1
        self.counts[actor, "mighty"] += effect.kind == "mighty"
        self.counts[effect.seat, "lost"] += 1

    def on_conquered(self, actor: str, effect: Any) -> None:
        self.counts[effect.seat, "conquered"] += 1

    def on_bred(self, actor: str, effect: Any) -> None:
        self.counts[actor, "bred"] += 1

    def on_raised(self, actor: str, effect: Any) -> None:
        self.counts[actor, "raised"] += 1

    def on_summoned(self, actor: str, effect: Any) -> None:
        self.counts[actor, "summoned"] += 1

    def on_cursed(self, actor: str, effect: Any) -> None:
        self.counts[actor, "cursed"] += 1
        self.counts[effect.seat, "lost"] += 1

    def on_frozen(self, actor: str, effect: Any) -> None:
        self.counts[actor, "frozen"] += 1

    def on_promoted(self, actor: str, effect: Any) -> None:
        self.counts[actor, "promoted"] += 1

    def on_sacrificed(self, actor: str, effect: Any) -> None:
        self.counts[actor, "sacrificed"] += 1

    def earned(self, seat: str, won: bool, end: State) -> Iterator[str]:
        yield from super().earned(seat, won, end)
        if not won:
            return
        if self.counts[seat, "lost"] <= 3:
            yield "few_losses"
        if not self.counts[seat, "mighty"]:
            yield "clean_hands"
        if len(end.view("spectator").area.get(seat, ())) >= LAND:
            yield "landlord"
