"""Random matches of Universal Chess over random options: replayed to the same hashes, gone on with from their views."""

from __future__ import annotations

import os
import random
from typing import Any

import warlog_core
from warlog_core import Step

GAME = warlog_core.game("universal")
# `WARLOG_MATCHES=1000` for the long run.
MATCHES = int(os.environ.get("WARLOG_MATCHES", "25"))


def random_options(rng: random.Random) -> dict[str, Any]:
    options: dict[str, Any] = {
        "quiet_limit": rng.choice((0, 10, 60, 200)),
        "breeding_limit": rng.randrange(21),
        "psionics": rng.random() < 0.5,
        "psionic_cost": rng.randrange(21),
        "veterans": rng.random() < 0.5,
        "veteran_merits": rng.randrange(1, 5),
    }
    if rng.random() < 0.3:
        return {**options, "mode": "double", "pairing": rng.choice(("opposite", "rows", "columns"))}
    factions = rng.sample(GAME.seats, rng.randrange(2, 6))
    return {**options, "factions": factions, "first": rng.choice(factions)}


def test_random_matches_are_replayed_to_the_same_hashes_and_go_on_from_their_views(seed: int) -> None:
    rng = random.Random(seed)
    n_over = 0
    for _ in range(MATCHES):
        options = random_options(rng)
        state = GAME.new(options=options)
        start, steps = state.copy(), list[Step]()
        while state.to_act and len(steps) < 2500:
            seat = state.to_act[0]
            if rng.random() < 0.002:
                action: Any = {"type": "timeout", "seat": rng.choice(state.to_act)}
                state.apply("server", action)
                steps.append(Step("server", action, (), state.hash))
                continue
            listing = state.listing(seat)
            n_giving_up = 2 if len(listing) > 3 else 0  # offer_draw and resign stand last
            action = listing[rng.randrange(max(1, len(listing) - n_giving_up))]
            state.apply(seat, action)
            steps.append(Step(seat, action, (), state.hash))
            if len(steps) % 100 == 50 and state.to_act:
                again = GAME.new(options=options, position=state.view("spectator", plain=True))
                assert (again.data, again.hash) == (state.data, state.hash)
        assert start.replay(steps) == []
        assert start.data == state.data
        n_over += state.result is not None
    assert n_over
