"""Random matches of Weaponized Chess to their end, over random options: each is replayed to the same hashes."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.core.wec_positions import GAME, random_options
from warlog_core import State, Step

ACTIONS_MAX = 100_000
TALK = ("resign", "offer_draw", "accept_draw", "decline_draw")


def articles_in(state: State) -> Counter[str]:
    """Carried and loose, by kind, as any spectator of the end may count them."""
    view = state.copy()
    if view.result is None:
        view.apply("black", {"type": "resign"})
    seen = view.view("spectator", plain=True)
    holders = [*seen["enemies"], *seen["articles"]]
    return Counter(article["kind"] for holder in holders for article in holder.get("articles", []))


def play_and_replay(seed: str) -> int:
    """The number of actions."""
    rng = random.Random(seed)
    options = random_options(rng)
    start = GAME.new(options=options)
    state = start.copy()
    steps: list[Step] = []
    while state.result is None and len(steps) < ACTIONS_MAX:
        seat = state.to_act[0]
        acts = [a for a in state.legal(seat) if a.__struct_config__.tag not in TALK]
        action = state.apply(seat, rng.choice(acts)).action
        steps.append(Step(seat, action, hash=state.hash))
        GAME.load(state.setup, state.data)  # raises BadState unless every index, cell and count is sound
    assert state.result is not None, f"{seed}: {options} is not over after {ACTIONS_MAX} actions"
    assert articles_in(state) == articles_in(start), seed
    again = start.copy()
    again.replay(steps)  # compares every hash
    assert (again.data, again.result) == (state.data, state.result), seed
    assert start.data == GAME.new(options=options).data
    return len(steps)


@pytest.mark.parametrize("match", range(5))
def test_a_random_match_comes_to_its_end_and_is_replayed(match: int, seed: int) -> None:
    play_and_replay(f"{seed} {match}")


@pytest.mark.soak
def test_a_thousand_random_matches_come_to_their_end_and_are_replayed(seed: int) -> None:
    for match in range(1000):
        play_and_replay(f"{seed} {match}")
