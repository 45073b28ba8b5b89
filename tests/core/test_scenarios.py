"""The scenarios that are shipped with the rules: each is accepted by the core, and can be played to its end."""

from __future__ import annotations

import random

import pytest

import warlog_core
from warlog_core import Game, Scenario

SHIPPED = [
    pytest.param(game, scenario, id=f"{name}-{scenario.id}")
    for name in warlog_core.games()
    for game in [warlog_core.game(name)]
    for scenario in game.scenarios
]


@pytest.mark.parametrize(("game", "scenario"), SHIPPED)
def test_a_shipped_scenario_is_valid_and_playable(game: Game, scenario: Scenario, seed: int) -> None:
    assert scenario.id.isidentifier()
    assert 0 < len(scenario.name) <= 80
    game.check_options(scenario.options, scenario.position)
    for n in range(5):
        rng = random.Random(f"{seed} {n}")
        state = game.new(options=scenario.options, position=scenario.position, draws=rng.randbytes)
        assert len(state.legal(state.to_act[0])) > 50
        played = state.play_randomly(rng, 20_000)
        assert state.result is not None, f"seed {seed}, {n}: not over after {played} actions"


def test_ids_and_names_are_given_once() -> None:
    for name in warlog_core.games():
        scenarios = warlog_core.game(name).scenarios
        assert len({one.id for one in scenarios}) == len({one.name for one in scenarios}) == len(scenarios)


def test_the_standard_setup_of_wec_is_always_among_them() -> None:
    standard = warlog_core.game("wec").scenarios[0]
    assert (standard.id, standard.options, standard.position) == ("standard", {}, None)
