"""The C beside a plain reading of the book (wec_reference.py): random matches from random Positions with random
options, in which every listing, error code, effect and view must be the same."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import msgspec
import pytest

from tests.core.test_wec_properties import anything
from tests.core.wec_positions import (
    GAME,
    SEATS,
    check_invariants,
    crowded_position,
    kinds_of,
    random_options,
    random_position,
)
from tests.core.wec_reference import Match
from warlog_core import State

VIEWERS = (*SEATS, "spectator")
TALK = ("offer_draw", "accept_draw", "decline_draw", "resign")


def compare(state: State, match: Match, where: str) -> None:
    for viewer in VIEWERS:
        assert state.view(viewer, plain=True) == match.view(viewer), f"{where}: view of {viewer}"
    for seat in SEATS:
        assert state.legal(seat, plain=True) == match.legal(seat), f"{where}: listing of {seat}"


def try_wrong(state: State, match: Match, rng: random.Random, where: str) -> None:
    """Actions near to listed ones, most of them illegal: the code must be the same."""
    seat = state.to_act[0]
    listing = state.legal(seat, plain=True)
    ids = [p["piece"] for p in state.view(seat, plain=True)["pieces"]]
    ids += [p["id"] for p in state.position(plain=True)["reinforcements"]] + [1]
    for action in rng.choices(listing, k=30):
        fields = [name for name in action if name != "type"]
        if not fields:
            continue
        changed = rng.choice(fields)
        near = {**action, changed: anything(rng, changed, ids)}
        if action["type"] == "exchange":
            near["to"] = rng.choice(ids)
            if near["to"] == near["from"] or near.get("for") == near["article"]:
                continue
            if "for" in near and near["to"] < near["from"]:
                continue
        if action["type"] == "fire" and changed == "weapon":
            forms = {
                "flame": "direction",
                "limited_rocket": "target",
                "bicycle": "to",
                "jump_pack": "to",
                "scuba": "to",
            }
            both = near["weapon"] in ("sam_launcher", "torpedo_launcher") and "to" not in near
            if not both and forms.get(near["weapon"], "direction") not in near:
                continue
        assert state.check(seat, near) == match.check(seat, near), f"{where}: {near}"


def rarest(rng: random.Random, state: State, seat: str, met: Counter[str]) -> dict[str, Any]:
    """Of a few actions the one that leads to what has been met least."""
    forms: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for action in state.legal(seat, plain=True):
        if action["type"] not in TALK or rng.random() < 0.01:
            form = (action["type"], action.get("weapon"), "target" in action, "carry" in action)
            forms.setdefault(form, []).append(action)
    found: list[tuple[int, dict[str, Any]]] = []
    for action in [rng.choice(rng.choice(list(forms.values()))) for _ in range(10)]:
        effects = msgspec.to_builtins(state.copy().apply(seat, action).effects)
        kinds = [
            f"{action['type']} {e['type']} {e.get('cause', '')} {e.get('seat', '') == seat}" for e in effects
        ]
        found.append((min((met[kind] for kind in kinds), default=1000), action))
        met.update(set(kinds))
    return min(found, key=lambda one: one[0])[1]


def play_both(rng: random.Random, steps: int) -> None:
    options = random_options(rng)
    position = crowded_position(rng, options)
    if rng.random() < 0.5:
        position = random_position(rng, options, rng.choice((10, 24, 40)))
    elif rng.random() < 0.2:
        position = GAME.new(options=options).position(plain=True)
    state = GAME.new(options=options, position=position)
    match = Match(options, position)
    met: Counter[str] = Counter()
    articles = kinds_of(state.position(plain=True))
    compare(state, match, "at the start")
    for n in range(steps):
        if not state.to_act:
            break
        try_wrong(state, match, rng, f"step {n}")
        seat = state.to_act[0]
        action = rarest(rng, state, seat, met)
        where = f"step {n}, {seat} {action}"
        event = state.apply(seat, action)
        told = match.apply(seat, action)
        assert msgspec.to_builtins(event.effects) == [t.whole for t in told], where
        for viewer in VIEWERS:
            forms = [t.forms[viewer] for t in told if t.forms[viewer] is not None]
            assert msgspec.to_builtins(event.visible(viewer, 0).effects) == forms, f"{where}, to {viewer}"
        compare(state, match, where)
        check_invariants(state, articles)
        if rng.random() < 0.1 and state.to_act:  # what was written down goes on alike
            match = Match(options, state.position(plain=True))


@pytest.mark.parametrize("number", range(2))
def test_the_book_read_plainly_gives_the_same_match(number: int, seed: int) -> None:
    play_both(random.Random(f"{seed} {number} reference"), 30)


@pytest.mark.soak
@pytest.mark.parametrize("number", range(200))
def test_the_book_read_plainly_gives_the_same_match_for_long(number: int, seed: int) -> None:
    play_both(random.Random(f"{seed} {number} reference"), 120)
