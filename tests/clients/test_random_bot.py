"""What the random bot chooses, and how it behaves when the match does not wait for it."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from clients.bots.random_bot import choose

MOVES = [{"type": "move", "piece": 1, "to": f"{column}5"} for column in "abcdefgh"]
ATTACK = {"type": "attack", "piece": 1, "target": "g5"}
LAST = [{"type": "offer_draw"}, {"type": "accept_draw"}, {"type": "resign"}]


def test_an_attack_among_many_moves_is_chosen_as_often_as_a_move(seed: int) -> None:
    rng = random.Random(seed)
    chosen = Counter(choose([*MOVES, ATTACK, *LAST], rng)["type"] for _ in range(2000))
    assert set(chosen) == {"move", "attack"}
    assert 800 < chosen["attack"] < 1200, f"seed {seed}"


def test_a_bot_ends_a_match_only_when_nothing_else_is_left(seed: int) -> None:
    rng = random.Random(seed)
    assert {choose([*LAST, ATTACK], rng)["type"] for _ in range(200)} == {"attack"}
    assert {choose(LAST, rng)["type"] for _ in range(200)} == {"offer_draw", "accept_draw", "resign"}
    assert choose([{"type": "decline_draw"}, *LAST], rng) == {"type": "decline_draw"}


def test_a_template_is_never_posted_but_the_preset_beside_it(seed: int) -> None:
    template, preset = {"type": "recruit", "open": True}, {"type": "recruit_preset", "preset": "host"}
    assert choose([template, preset, {"type": "resign"}], random.Random(seed)) == preset
    with pytest.raises(LookupError):
        choose([template], random.Random(seed))
