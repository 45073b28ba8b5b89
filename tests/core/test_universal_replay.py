"""Random matches of Universal Chess over random options: replayed to the same hashes, gone on with from their views."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import warlog_core
from warlog_core import State, Step

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


@pytest.mark.parametrize("matches", [6, pytest.param(MATCHES, marks=pytest.mark.soak)])
def test_random_matches_are_replayed_to_the_same_hashes_and_go_on_from_their_views(
    matches: int, seed: int
) -> None:
    rng = random.Random(seed)
    n_over = 0
    for number in range(10 * MATCHES):
        if number >= matches and n_over:
            break
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


def after(state: State, take: Callable[[State], object]) -> bytes:
    copy = state.copy()
    take(copy)
    return copy.data


@pytest.mark.parametrize("plies", [0, 90, 400])
@pytest.mark.parametrize("play_on", [False, True])
def test_random_play_takes_every_listed_action_as_often_as_any_other(plies: int, play_on: bool) -> None:
    """Random play in C makes no listing. An action is known by the state it leads to, which few share with another."""
    each = 60
    state = GAME.new(options={"psionics": True})
    state.playout(3, plies, play_on=True)
    (seat,) = state.to_act
    giving_up = ("resign", "offer_draw") if play_on else ()
    actions = [action for action in state.legal(seat, plain=True) if action["type"] not in giving_up]
    assert len(actions) > 150
    listed = Counter(after(state, lambda copy, a=action: copy.apply(seat, a)) for action in actions)  # type: ignore[misc]
    taken = Counter(
        after(state, lambda copy, n=number: copy.playout(n, 1, play_on=play_on))  # type: ignore[misc]
        for number in range(each * len(actions))
    )
    assert taken.keys() == listed.keys()
    # Poisson-like: five deviations either way, for every one and for their scatter.
    scatter = {key: (taken[key] - each * n) ** 2 / (each * n) for key, n in listed.items()}
    assert max(scatter.values()) < 25
    assert abs(sum(scatter.values()) - len(scatter)) < 5 * (2 * len(scatter)) ** 0.5
