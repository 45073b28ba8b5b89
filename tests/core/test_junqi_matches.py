"""Whole random matches of Siguo Junqi in all its modes: what must hold after every action, and the same match twice."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from typing import Any

import pytest

import warlog_core
from warlog_core import State, Step

GAME = warlog_core.game("junqi")
MODES: tuple[dict[str, Any], ...] = (
    {},
    {"open_allies": True},
    {"players": 2},
    {"players": 2, "wings": "closed"},
    {"mode": "flip"},
    {"mode": "flip", "mines_guard_flag": False},
)
STEPS_MAX = 3000


def random_options(mode: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Limits that are reached, some gold, some points."""
    seats = GAME.seats_for(mode)
    return {
        **mode,
        "max_timeouts": rng.randint(1, 4),
        "min_steps_draw": rng.randrange(60),
        "min_steps_resign": rng.randrange(60),
        "quiet_limit": rng.choice((0, 20, 70, 200)),
        "stake": rng.choice((0, 100)),
        "balances": dict.fromkeys(seats, 10**6),
        "scores": {seat: rng.choice((-3, 40, 120, 9000)) for seat in seats},
    }


def next_action(state: State, rng: random.Random) -> tuple[str, dict[str, Any]]:
    """Anything that a seat or the server may do; mostly steps, and few swaps before play."""
    if state.phase == "layout":
        seat = rng.choice(state.to_act)
        swaps = [a for a in state.legal(seat, plain=True) if a["type"] == "swap"]
        return seat, rng.choice(swaps) if swaps and rng.random() < 0.5 else {"type": "ready"}
    (turn,) = state.to_act
    chance = rng.random()
    if chance < 0.01:
        return "server", {"type": "timeout", "seat": turn}
    if chance < 0.012:
        alive = [e["seat"] for e in state.view("spectator", plain=True)["seats"] if e["status"] == "alive"]
        return "server", {"type": "flee", "seat": rng.choice(alive)}
    if chance < 0.06:
        seat = rng.choice(state.seats)
        asides = [a for a in state.legal(seat, plain=True) if a["type"] not in ("move", "flip")]
        if asides and (asides[-1]["type"] != "resign" or rng.random() < 0.2):
            return seat, rng.choice(asides)
    return turn, rng.choice([a for a in state.legal(turn, plain=True) if a["type"] in ("move", "flip")])


def examine(state: State, options: dict[str, Any]) -> None:
    """Sections 2 to 6: what holds of every state that play leads to."""
    full = GAME.full_options(options)
    view, fields = state.view("spectator", plain=True), state.fields()
    flip = full["mode"] == "flip"
    GAME.load(state.setup, state.data)
    on_board = {piece: at for piece, at in enumerate(fields["at"]) if at != 0xFF}
    assert len(set(on_board.values())) == len(on_board), "two pieces on one space"
    assert all(fields["board"][at] == piece for piece, at in on_board.items())
    assert sum(1 for occupant in fields["board"] if occupant not in (0, 0xFF)) == len(on_board)
    assert len(view["pieces"]) == len(on_board)
    alive = {entry["seat"] for entry in view["seats"] if entry["status"] == "alive"}
    assert all(("cause" in entry) is (entry["seat"] not in alive) for entry in view["seats"])
    assert all(entry["timeouts"] < full["max_timeouts"] for entry in view["seats"] if entry["seat"] in alive)
    if view["phase"] == "over":
        assert state.to_act == []
        assert set(view["result"]["winners"]) in (
            set(),
            {"south", "north"} & set(state.seats),
            {"east", "west"},
            {"south"},
            {"north"},
        )
        assert ("settlement" in view) is (view["result"]["reason"] != "aborted")
        assert "offer" not in view
        return
    if "offer" in view:
        offer = view["offer"]
        assert offer["waiting"]
        assert {offer["by"], *offer["accepted"], *offer["waiting"]} == alive
    if view["phase"] == "layout":
        assert len(on_board) == 25 * len(state.seats)
        return
    (turn,) = view["to_act"]
    assert turn in alive
    assert any(action["type"] in ("move", "flip") for action in state.legal(turn, plain=True))
    assert not full["quiet_limit"] or view["quiet_steps"] < full["quiet_limit"]
    teams = {entry["team"] for entry in view["seats"] if entry["seat"] in alive}
    assert len(teams) == 2
    for army, seat in enumerate(state.seats):
        flag = 25 * army + 1
        if flip:
            assert flag in on_board
        else:
            assert (flag in on_board) is (seat in alive)
            own = [piece for piece in on_board if flag <= piece < flag + 25]
            assert bool(own) is (seat in alive)


def play(mode: dict[str, Any], rng: random.Random) -> str:
    """One match, examined after every action and replayed; how it ended."""
    options = random_options(mode, rng)
    state = GAME.new(options=options, draws=rng.randbytes)
    start, steps = state.copy(), list[Step]()
    while state.to_act and len(steps) < STEPS_MAX:
        seat, action = next_action(state, rng)
        event = state.apply(seat, action, draws=rng.randbytes)
        steps.append(Step(seat, action, event.draws, state.hash))
        examine(state, options)
    start.replay(steps)
    assert start.data == state.data
    return state.result.reason if state.result else "unfinished"


@pytest.mark.parametrize("mode", MODES, ids=json.dumps)
def test_random_matches_hold_what_the_book_says_and_are_replayed(mode: dict[str, Any], seed: int) -> None:
    rng = random.Random(f"{seed} {mode}")
    reasons = [play(mode, rng) for _ in range(4)]
    assert reasons.count("unfinished") < 4


@pytest.mark.soak
def test_a_thousand_random_matches_of_all_modes_end_in_all_ways(seed: int) -> None:
    rng = random.Random(seed)
    n_matches = int(os.environ.get("WARLOG_MATCHES", "1000"))
    reasons = Counter(play(MODES[index % len(MODES)], rng) for index in range(n_matches))
    wanted = {"flag_captured", "no_moves", "timeout", "resigned", "fled", "draw_agreed", "quiet_limit"}
    assert reasons.keys() >= wanted, reasons
