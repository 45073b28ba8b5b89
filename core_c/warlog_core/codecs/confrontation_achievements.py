"""What a match of Confrontation earns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from warlog_core import achievements
from warlog_core.state import State


class Tally(achievements.Tally):
    TIMES: ClassVar = {
        "underdog": ("underdog", 1),
        "bulwark": ("held", 3),
        "attacker": ("attacks", 5),
        "pawn_storm": ("by pawn", 3),
        "regicide": ("beat king", 1),
        "queen_hunter": ("beat queen", 1),
        "fire": ("by spell", 1),
        "healer": ("healed", 2),
        "panic": ("panic", 1),
        "power": ("power", 2),
        "treasure": ("treasure", 1),
    }

    def __init__(self, start: State) -> None:
        super().__init__(start)
        self.type: dict[int, str] = {}  # of each piece
        self.owner: dict[int, str] = {}
        self.spent: dict[str, int] = {}
        self.bought: dict[str, list[str]] = {}
        self.battle: Any = None
        self.rolled: Any = None

    def on_armies_revealed(self, actor: str, effect: Any) -> None:
        for army in effect.armies:
            self.spent[army.seat] = army.spent
            self.bought[army.seat] = [piece.type for piece in army.pieces]
            for piece in army.pieces:
                self.type[piece.id], self.owner[piece.id] = piece.type, army.seat

    def on_recruited(self, actor: str, effect: Any) -> None:
        self.type[effect.piece], self.owner[effect.piece] = "pawn", actor

    def on_battle_started(self, actor: str, effect: Any) -> None:
        self.battle = effect

    def on_rolled(self, actor: str, effect: Any) -> None:
        self.rolled = effect

    def on_battle_result(self, actor: str, effect: Any) -> None:
        attacker, defender = self.owner[self.battle.attacker], self.owner[self.battle.defender]
        won = effect.outcome == "attacker"
        self.counts[attacker, "attacks"] += won
        self.counts[attacker, "underdog"] += (
            won and self.rolled.attack_rating <= self.rolled.defend_rating - 2
        )
        self.counts[defender, "held"] += effect.outcome == "defender"

    def on_defeated(self, actor: str, effect: Any) -> None:
        battle = self.battle
        won, lost = battle.attacker, battle.defender
        if effect.piece == won:
            won, lost = lost, won
        seat = self.owner[won]
        self.counts[seat, f"beat {self.type[lost]}"] += 1
        self.counts[seat, f"by {self.type[won]}"] += 1
        self.counts[seat, "by spell"] += battle.by != "move" and won == battle.attacker
        self.counts[self.owner[lost], "lost"] += 1

    def on_healed(self, actor: str, effect: Any) -> None:
        self.counts[actor, "healed"] += 1

    def on_panicked(self, actor: str, effect: Any) -> None:
        self.counts[actor, "panic"] += 1

    def on_token_spent(self, actor: str, effect: Any) -> None:
        self.counts[effect.seat, "power"] += 1

    def on_treasure(self, actor: str, effect: Any) -> None:
        self.counts[effect.seat, "treasure"] += effect.applied

    def earned(self, seat: str, won: bool, end: State) -> Iterator[str]:
        yield from super().earned(seat, won, end)
        if not won:
            return
        if not self.counts[seat, "lost"]:
            yield "untouched"
        if all(self.spent[seat] < spent for other, spent in self.spent.items() if other != seat):
            yield "smallest_army"
        if end.result is not None and end.result.reason == "army_destroyed":
            yield "no_one_left"
        if len(self.seats) > 2:
            yield "many_enemies"

    def favourites(self, seat: str) -> Iterator[str]:
        yield from sorted(set(self.bought.get(seat, ())) - {"king"})
