"""What a match of Siguo Junqi earns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from warlog_core import achievements
from warlog_core.state import State


class Tally(achievements.Tally):
    TIMES: ClassVar = {
        "flag": ("flag", 1),
        "sapper": ("mine", 2),
        "bomb_marshal": ("bombed", 1),
        "marshal_hunter": ("field_marshal", 1),
        "attacker": ("attacks", 8),
        "fortress": ("repelled", 5),
        "trades": ("traded", 5),
        "express": ("express", 1),
        "opener": ("flipped", 15),
    }
    LONG: ClassVar = {"move": 11}

    def __init__(self, start: State) -> None:
        super().__init__(start)
        self.battle: Any = None  # the newest, whose losses follow
        self.lost: list[tuple[str, str]] = []  # in it: seat, kind

    def on_battle(self, actor: str, effect: Any) -> None:
        self.battle, self.lost = effect, []
        attacker, defender = effect.attacker, effect.defender
        self.counts[attacker, "attacks"] += effect.outcome == "attacker"
        self.counts[defender, "repelled"] += effect.outcome == "defender"
        for seat in (attacker, defender):
            self.counts[seat, "traded"] += effect.outcome == "both"

    def on_lost(self, actor: str, effect: Any) -> None:
        battle = self.battle
        by = battle.attacker if effect.seat == battle.defender else battle.defender
        self.counts[effect.seat, f"lost {effect.kind}"] += 1
        if effect.kind == "mine":  # a bomb clears mines, too
            self.counts[by, "mine"] += battle.outcome == "attacker"
        else:
            self.counts[by, effect.kind] += 1
        self.lost.append((effect.seat, effect.kind))
        for seat, kind in self.lost:
            for other, otherkind in self.lost:
                if (kind, otherkind) == ("bomb", "field_marshal") and seat != other:
                    self.counts[seat, "bombed"] += 1

    def on_move(self, actor: str, effect: Any) -> None:
        self.counts[effect.seat, "express"] += len(effect.path) >= self.LONG["move"]

    def on_flip(self, actor: str, effect: Any) -> None:
        self.counts[effect.seat, "flipped"] += 1

    def earned(self, seat: str, won: bool, end: State) -> Iterator[str]:
        yield from super().earned(seat, won, end)
        if not won:
            return
        if not self.counts[seat, "lost field_marshal"]:
            yield "marshal_lives"
        if not self.counts[seat, "lost bomb"]:
            yield "bombs_kept"
        own = next(one for one in end.view("spectator").seats if one.seat == seat)
        if own.status == "defeated":
            yield "partner"
        elif own.count <= 5:
            yield "last_five"
        if self.counts[seat, "flag"]:
            yield "flag_win"
