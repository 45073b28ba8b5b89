"""Who plays in the ladder. Each player sees what its seat may know, and nothing more."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import msgspec

import warlog_core
from warlog_core import LEVELS, Belief, State
from warlog_core.levels import complete_actions, opponent_of, prepared_action

Player = Callable[[State, str, int, Belief | None], Any]
"""`player(seen, seat, seed, belief)` is an action, or None where it knows none."""

GREEDY_WORLDS = 3
OPENING = 12
"""Actions of a side, after its preparation."""


def player(name: str, share: float, arena: bytearray) -> Player:
    """A player by its name: "random", "greedy", "1" ... "8", or a search: "iterations=400,trust=4", with the game's own
    settings but for those that are named, and "iterations=400,belief=1" with a belief. "iterations=400,opening=10"
    searches ten times as long in its first actions: as if it had a book of them.

    share  what part of its iterations a level may use"""
    if name == "random":
        return play_at_random
    if name == "greedy":
        return play_greedily
    if name.isdecimal():
        number = int(name)
        assert number in LEVELS

        def play(seen: State, seat: str, seed: int, belief: Belief | None) -> Any:
            count = round(warlog_core.level(seen.game.name, number).iterations * share)
            choice = warlog_core.play(
                seen, seat, level=number, seed=seed, iterations=count, belief=belief, arena=arena
            )
            return None if choice is None else choice.action

        return play
    settings = numbers_of(name)
    settings.pop("belief", 0)  # whether one is given
    iterations, opening = settings.pop("iterations"), settings.pop("opening", 1)
    searched = itertools.count()

    def search(seen: State, seat: str, seed: int, belief: Belief | None) -> Any:
        prepared = prepared_action(seen, seat, random.Random(seed))
        if prepared is not None:
            return prepared
        how = msgspec.structs.replace(opponent_of(seen.game.name).settings, **settings)
        count = iterations * (opening if next(searched) < OPENING else 1)
        choice = warlog_core.search(
            seen, seat, seed=seed, arena=arena, iterations=count, settings=how, belief=belief
        )
        return play_at_random(seen, seat, seed, None) if choice is None else choice.action

    return search


def numbers_of(name: str) -> dict[str, int]:
    """What a search is named by: "iterations=400,trust=4"; nothing of other players."""
    pairs = (one.partition("=") for one in name.split(","))
    return {key: int(value) for key, _, value in pairs if value}


def remembers(name: str, game: str) -> bool:
    """Does this player have a belief?"""
    if name.isdecimal():
        return warlog_core.level(game, int(name)).belief
    return bool(numbers_of(name).get("belief", 0))


def play_at_random(seen: State, seat: str, seed: int, belief: Belief | None) -> Any:
    """It prepares as the levels without a book do: else it would change its layout until the match is cut off."""
    rng = random.Random(seed)
    prepared = prepared_action(seen, seat, rng, book=False)
    if prepared is not None:
        return prepared
    actions = complete_actions(seen, seat)
    return rng.choice(actions) if actions else None


def play_greedily(seen: State, seat: str, seed: int, belief: Belief | None) -> Any:
    """What looks best after one action, on average over a few worlds and dice. It prepares as the levels do."""
    rng = random.Random(seed)
    prepared = prepared_action(seen, seat, rng)
    if prepared is not None:
        return prepared
    actions = complete_actions(seen, seat)
    if not actions:
        return None
    worlds = [seen.sample(seat, rng.getrandbits(32)) for _ in range(GREEDY_WORLDS)]
    if len({world.data for world in worlds}) == 1 and not seen.game.raw.row.draws_max:
        worlds = worlds[:1]
    values = [sum(_after(world, seat, action, rng) for world in worlds) for action in actions]
    best = max(values)
    return rng.choice([action for action, value in zip(actions, values, strict=True) if value == best])


def _after(world: State, seat: str, action: Any, rng: random.Random) -> float:
    after = world.copy()
    after.apply(seat, action, draws=rng.randbytes)
    return after.evaluate()[seat]
