"""What must hold of Weaponized Chess whatever is played: random options, random Positions, random actions."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.core.games import lines, playthroughs, vectors
from tests.core.wec_positions import GAME, SEATS, check_invariants, kinds_of, random_start
from tests.turns import by_turns
from warlog_core import State
from warlog_core.codecs.wec_structs import DIRECTIONS, KINDS, LEVELS, SQUARES, WEAPONS

MATCHES = 12


def start(rng: random.Random) -> State:
    options, position = random_start(rng)
    return GAME.new(options=options, position=position)


def choose(rng: random.Random, listing: list[dict[str, Any]]) -> dict[str, Any]:
    """Acts rather than talk, and every type of act as likely as another."""
    acts = [a for a in listing if a["type"] not in ("resign", "offer_draw", "accept_draw", "decline_draw")]
    kind = rng.choice(sorted({a["type"] for a in acts}))
    return rng.choice([a for a in acts if a["type"] == kind])


@pytest.mark.parametrize("match", by_turns(range(MATCHES), 3))
def test_nothing_is_lost_or_doubled_and_every_state_loads_again(match: int, seed: int) -> None:
    rng = random.Random(f"{seed} {match}")
    state = start(rng)
    position = state.position(plain=True)
    articles = kinds_of(position)
    check_invariants(state, articles)
    for _ in range(120):
        if not state.to_act:
            break
        state.apply(state.to_act[0], choose(rng, state.legal(state.to_act[0], plain=True)))
        check_invariants(state, articles)


RECORDED = [(path.stem, path) for path in playthroughs() if path.stem.startswith("wec-")]


def check_every_step(state: State, steps: list[dict[str, Any]]) -> None:
    articles = kinds_of(state.position(plain=True))
    check_invariants(state, articles)
    for step in steps:
        if "action" in step and "error" not in step and "expect_error" not in step:
            state.apply(step["seat"], step["action"])
            check_invariants(state, articles)


@pytest.mark.parametrize("name", [name for name, _ in RECORDED])
def test_nothing_is_lost_or_doubled_in_any_recorded_match(name: str) -> None:
    first, *steps = lines(dict(RECORDED)[name])
    check_every_step(GAME.new(options=first["options"], position=first.get("position")), steps)


def test_nothing_is_lost_or_doubled_in_any_example_of_the_book() -> None:
    for vector in vectors():
        if vector["game"] == "wec" and "expect_setup_error" not in vector:
            state = GAME.new(options=vector.get("options", {}), position=vector.get("position"))
            check_every_step(state, vector["steps"])


def anything(rng: random.Random, field: str, ids: list[int]) -> Any:
    """A well-formed value for a field of an action."""
    if field in ("piece", "carry", "from"):
        return rng.choice(ids)
    if field == "squares":
        return sorted(rng.sample(SQUARES, rng.randint(0, 3)), key=SQUARES.index)
    return rng.choice(
        {
            "to": SQUARES,
            "target": SQUARES,
            "level": LEVELS,
            "direction": DIRECTIONS,
            "weapon": WEAPONS,
            "path": ("beeline", "port", "starboard"),
            "article": KINDS,
            "for": KINDS,
        }[field]
    )


@pytest.mark.parametrize("match", by_turns(range(MATCHES), 3))
def test_what_is_listed_is_accepted_and_what_is_not_listed_is_refused(match: int, seed: int) -> None:
    rng = random.Random(f"{seed} {match} listed")
    state = start(rng)
    for _ in range(60):
        if not state.to_act:
            break
        seat = state.to_act[0]
        listing = state.legal(seat, plain=True)
        known = {repr(action) for action in listing}
        assert len(known) == len(listing), "an action is listed once"
        ids = [p["piece"] for p in state.view(seat, plain=True)["pieces"]]
        for action in listing:
            assert state.check(seat, action) is None, action
        for action in rng.choices(listing, k=60):
            fields = [field for field in action if field != "type"]
            if fields:
                near = {**action, (field := rng.choice(fields)): anything(rng, field, ids)}
                if action["type"] == "exchange":
                    near["to"] = rng.choice(ids)
                assert (state.check(seat, near) is None) == (repr(near) in known), near
        other = SEATS[1 - SEATS.index(seat)]
        assert {a["type"] for a in state.legal(other, plain=True)} <= {
            "accept_draw",
            "decline_draw",
            "resign",
        }
        state.apply(seat, choose(rng, listing))


@pytest.mark.parametrize("match", by_turns(range(MATCHES), 3))
def test_every_ghost_is_of_something_that_was_seen(match: int, seed: int) -> None:
    rng = random.Random(f"{seed} {match} ghosts")
    state = start(rng)
    for _ in range(150):
        if not state.to_act:
            break
        before = {seat: state.view(seat, plain=True) for seat in SEATS}
        state.apply(state.to_act[0], choose(rng, state.legal(state.to_act[0], plain=True)))
        for seat in SEATS if state.to_act else ():
            known = [
                (p["type"], p["at"], p["level"]) for p in (*before[seat]["enemies"], *before[seat]["pieces"])
            ]
            for ghost in state.view(seat, plain=True)["ghosts"]:
                if ghost not in before[seat]["ghosts"]:
                    assert (ghost["type"], ghost["at"], ghost["level"]) in known
                    assert ghost["turn"] == before[seat]["turn"]


def test_the_end_of_a_match_leaves_no_ghosts_and_shows_all() -> None:
    state = GAME.new()
    state.apply("black", {"type": "resign"})
    for viewer in (*SEATS, "spectator"):
        view = state.view(viewer, plain=True)
        assert view["ghosts"] == []
        assert sum(p["type"] == "aaa" for p in (*view["enemies"], *view["pieces"])) == 4


@pytest.mark.parametrize("match", range(4))
def test_an_option_change_in_play_keeps_the_board(match: int, seed: int) -> None:
    rng = random.Random(f"{seed} {match} options")
    state = GAME.new()
    state.playout(rng.getrandbits(40), 60, play_on=True)
    if not state.to_act:
        return
    before = state.position(plain=True)
    state.reconfigure({"white_government": "theocracy", "stealth": False, "tank_range": 8})
    after = state.position(plain=True)
    assert state.view("black").options.stealth is False
    for old, new in zip(before["pieces"], after["pieces"], strict=True):
        if old["seat"] == "white" and old["type"] in ("king", "queen"):
            old["type"] = {"king": "avatar", "queen": "acolyte"}[old["type"]]
        assert old == new
    waiting = [p["type"] for p in after["reinforcements"] if p["seat"] == "white"]
    assert "queen" not in waiting
    for bad in ({"weapons": "none"}, {"reinforcements": "more"}, {"xxx_boxes": "none"}, {"tank_range": 9}):
        data = state.data
        with pytest.raises(Exception, match="invalid_options"):
            state.reconfigure(bad)
        assert state.data == data
