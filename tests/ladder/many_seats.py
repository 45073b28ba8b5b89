"""Tables at which every seat plays for itself: how often each one wins. What a level is worth is not asked there."""

from __future__ import annotations

import random

from msgspec import Struct

import warlog_core
from tests.ladder.matches import ARENA, Table, number_of
from tests.ladder.players import player

TABLES = {
    "confrontation-four": Table("confrontation", {"seats": 4}, 400),
    "hex-four": Table("hex", {"seats": 4}, 800),
    "universal-five": Table("universal", {}, 800),
}


class Shared(Struct, frozen=True, tag="shared"):
    """A match in which all seats have the same player. `winners` has none if it was drawn or cut off."""

    table: str
    player: str
    share: float
    seed: int
    seats: list[str]
    winners: list[str]
    reason: str
    actions: int
    version: str


def play_shared(name: str, who: str, share: float, seed: int, version: str) -> Shared:
    table = TABLES[name]
    rng = random.Random(f"{name} {seed}")
    state = warlog_core.game(table.game).new(options=table.options, draws=rng.randbytes)
    chosen_by, actions = player(who, share, ARENA), 0
    while state.result is None and actions < table.actions_max:
        seat = state.to_act[0]
        action = chosen_by(state.seen_by(seat), seat, number_of(f"{seed} {actions}"), None)
        state.apply(seat, action, draws=rng.randbytes)
        actions += 1
    over = state.result
    return Shared(
        name,
        who,
        share,
        seed,
        list(state.seats),
        [] if over is None else list(over.winners),
        "cut off" if over is None else over.reason,
        actions,
        version,
    )
