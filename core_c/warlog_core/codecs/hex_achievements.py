"""What a match of Hex Tactics earns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from warlog_core import achievements
from warlog_core.state import State


class Tally(achievements.Tally):
    TIMES: ClassVar = {
        "early_blood": ("early", 1),
        "sharpshooter": ("ranged", 3),
        "riposte": ("retaliation", 1),
        "harvest": ("harvest", 1),
        "healer": ("revived", 5),
        "summoner": ("summoned", 1),
        "long_march": ("march", 1),
    }
    LONG: ClassVar = {"moved": 8}

    def __init__(self, start: State) -> None:
        super().__init__(start)
        self.owner: dict[int, str] = {}  # of each stack
        self.bought: dict[str, list[str]] = {seat: [] for seat in self.seats}  # units
        self.standing = dict.fromkeys(self.seats, 0)  # stacks
        self.round = 0
        self.striker: tuple[str, str] = ("", "")  # the seat of the newest blow, and its kind

    def on_armies_revealed(self, actor: str, effect: Any) -> None:
        for stack in effect.stacks:
            self._add(stack)
            self.bought[stack.seat].append(stack.unit)

    def _add(self, stack: Any) -> None:
        self.owner[stack.id] = stack.seat
        self.standing[stack.seat] += 1

    def on_round_started(self, actor: str, effect: Any) -> None:
        self.round = effect.round

    def on_attacked(self, actor: str, effect: Any) -> None:
        seat = self.owner[effect.piece]
        self.striker = seat, effect.kind
        self.counts[seat, "harvest"] += effect.killed >= 10

    def on_destroyed(self, actor: str, effect: Any) -> None:
        seat, kind = self.striker
        loser = self.owner[effect.piece]
        self.standing[loser] -= 1
        self.counts[loser, "lost"] += 1
        self.counts[seat, kind] += 1
        self.counts[seat, "early"] += self.round <= 3

    def on_healed(self, actor: str, effect: Any) -> None:
        self.counts[actor, "revived"] += effect.revived

    def on_summoned(self, actor: str, effect: Any) -> None:
        self._add(effect.stack)
        self.counts[actor, "summoned"] += 1

    def on_moved(self, actor: str, effect: Any) -> None:
        self.counts[actor, "march"] += len(effect.path) >= self.LONG["moved"]

    def on_waited(self, actor: str, effect: Any) -> None:
        self.counts[actor, "waited"] += 1

    def on_defended(self, actor: str, effect: Any) -> None:
        self.counts[actor, "defended"] += 1

    def earned(self, seat: str, won: bool, end: State) -> Iterator[str]:
        counts = self.counts
        yield from super().earned(seat, won, end)
        if not won:
            return
        if not counts[seat, "lost"]:
            yield "untouched"
        if self.standing[seat] == 1:
            yield "last_stack"
        if counts[seat, "waited"] >= 5:
            yield "patience"
        if counts[seat, "defended"] >= 5:
            yield "shield_wall"
        if len(self.seats) > 2:
            yield "many_enemies"
        if end.result is not None and end.result.reason == "round_limit":
            yield "on_points"

    def favourites(self, seat: str) -> Iterator[str]:
        yield from sorted(set(self.bought[seat]))
