"""The games as games of OpenSpiel, held to OpenSpiel's own tests."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import numbers, openspiel_playthroughs

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel for this Python")

from absl import flags  # noqa: E402
from open_spiel.python.algorithms import ismcts, mcts, sample_some_states  # noqa: E402

from warlog_core import Refused  # noqa: E402
from warlog_core.zoo import openspiel  # noqa: E402

SMALL = {"width": 7, "height": 5, "army": "preset"}


def decided(game: Any, rng: random.Random, actions: int) -> Any:
    """A state of a player, after so many actions at random."""
    state = game.new_initial_state()
    while state.is_chance_node() or (actions > 0 and not state.is_terminal()):
        actions -= not state.is_chance_node()
        outcomes = (
            [o for o, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        )
        state.apply_action(rng.choice(outcomes))
    return state


@pytest.mark.parametrize(
    ("name", "options"),
    [(name, options) for name in numbers.OPTIONS for options in numbers.OPTIONS[name][:2]],
)
def test_a_game_passes_openspiels_api_test(name: str, options: dict[str, Any]) -> None:
    game = openspiel.load(name, options, max_game_length=6)
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


@pytest.fixture(scope="module", params=sorted(numbers.OPTIONS))
def sampled(request: pytest.FixtureRequest) -> Any:
    """OpenSpiel's class of tests for games whose tree is too large, with states of a game of ours."""
    # It loads SciPy, which is not asked of every process that collects tests.
    from open_spiel.integration_tests import api_test

    name = request.param
    options = SMALL if name == "hex" else numbers.OPTIONS[name][1]
    game = openspiel.load(name, options, max_game_length=5)
    random.seed(1)  # sample_some_states draws from there
    states = sample_some_states.sample_some_states(game, max_states=12)
    given = {"game": game, "game_name": name, "game_type": game.get_type(), "some_states": states}
    return type("Sampled", (api_test.EnforceAPIOnPartialTreeBase,), given)


def test_a_game_passes_openspiels_api_test_of_large_games(sampled: Any) -> None:
    checks = [name for name in dir(sampled) if name.startswith("test_")]
    assert len(checks) >= 5
    for check in checks:
        getattr(sampled(check), check)()


@pytest.mark.parametrize(
    ("name", "options"), [("hex", SMALL), ("junqi", {"players": 2}), ("confrontation", {}), ("universal", {})]
)
def test_histories_are_no_longer_than_the_game_says(name: str, options: dict[str, Any]) -> None:
    game = openspiel.load(name, options, max_game_length=5)
    state = decided(game, random.Random(1), 5)
    chance = sum(item.player == pyspiel.PlayerId.CHANCE for item in state.full_history())
    assert state.is_terminal()
    assert len(state.full_history()) == chance + 5
    assert chance <= game.max_chance_nodes_in_history()
    assert len(state.full_history()) <= game.max_history_length()
    assert state.move_number() <= game.max_move_number()
    if name == "junqi":
        assert chance > game.max_game_length()  # the layouts are drawn


def test_a_seat_that_does_not_play_is_no_player() -> None:
    game = openspiel.load("universal", {"factions": ["majora", "evil"]}, gives_up=True)
    state = game.new_initial_state()
    while not state.is_terminal():
        resigning = [a for a in state.legal_actions() if "resign" in state.action_to_string(a)]
        state.apply_action(resigning[0] if resigning else state.legal_actions()[0])
    assert sorted(state.returns()) == [-1, 1]


def test_every_game_has_a_playthrough() -> None:
    assert set(openspiel_playthroughs.MATCHES) == set(numbers.OPTIONS)


@pytest.mark.parametrize("name", sorted(openspiel_playthroughs.MATCHES))
def test_the_recorded_playthrough_is_played_again_line_by_line(name: str, tmp_path: Path) -> None:
    # Here, since every process of pytest collects this file: it imports SciPy, which takes a second.
    from open_spiel.python.algorithms import generate_playthrough

    if not flags.FLAGS.is_parsed():
        flags.FLAGS(["test"])
    path = tmp_path / f"{name}.txt"
    path.write_text(openspiel_playthroughs.recorded(name), encoding="utf-8")
    recorded, again = generate_playthrough.replay(str(path))
    length = openspiel_playthroughs.MATCHES[name][1]
    assert recorded.count('# Apply action "') >= length  # and the draws
    assert f"MaxGameLength() = {length}\n" in recorded
    assert "IsTerminal() = True" in recorded
    for line, (before, now) in enumerate(zip(recorded.splitlines(), again.splitlines(), strict=True), 1):
        assert now == before, f"line {line}"


# Matches that end by their rules, long before they are too long.
ENDING: list[tuple[str, dict[str, Any]]] = [
    ("confrontation", {"turn_limit": 30}),
    ("hex", SMALL | {"round_limit": 12, "limit_result": "hit_points"}),
    ("junqi", {"mode": "flip"}),
    ("junqi", {"players": 2, "quiet_limit": 12}),
    ("universal", {"factions": ["majora", "evil"], "quiet_limit": 10}),
    ("wec", {}),
]


@pytest.mark.parametrize(("name", "options"), ENDING, ids=str)
def test_a_match_comes_to_its_natural_end(name: str, options: dict[str, Any]) -> None:
    game = openspiel.load(name, options, max_game_length=20_000)
    state = decided(game, random.Random(1), 20_000)
    assert state.is_terminal()
    assert state.current_player() == pyspiel.PlayerId.TERMINAL
    assert state.legal_actions() == []
    result = state.match.result
    assert result is not None
    won = [1.0 if seat in result.winners else -1.0 for seat in state.match.seats]
    assert state.returns() == (won if result.winners else [0.0] * len(won))


def test_openspiels_random_simulation_plays_a_match_to_its_natural_end() -> None:
    game = openspiel.load("hex", SMALL | {"round_limit": 4, "limit_result": "hit_points"})
    pyspiel.random_sim_test(game, num_sims=2, serialize=False, verbose=False)


# How many actions until something is hidden; None: nothing ever is.
HIDDEN_AFTER: list[tuple[str, dict[str, Any], int | None]] = [
    ("confrontation", {"seats": 3}, 2),
    ("confrontation", {}, 1),
    ("hex", {"seats": 3}, 2),
    ("junqi", {}, 10),
    ("junqi", {"players": 2}, 10),
    ("junqi", {"mode": "flip"}, 3),
    ("universal", {}, None),
    ("wec", {}, 40),
]


def test_every_game_is_resampled() -> None:
    assert {name for name, _, _ in HIDDEN_AFTER} == set(numbers.OPTIONS)


@pytest.mark.parametrize(("name", "options", "actions"), HIDDEN_AFTER, ids=str)
def test_a_resampled_state_looks_the_same_to_the_player(
    name: str, options: dict[str, Any], actions: int | None, seed: int
) -> None:
    rng = random.Random(f"{seed} resample {name}")
    game = openspiel.load(name, options)
    different = told_apart = 0
    for _ in range(5):
        state = decided(game, rng, 10 if actions is None else actions)
        player = state.current_player()
        other = state.resample_from_infostate(player, rng.random)
        assert other.observation_string(player) == state.observation_string(player)
        assert other.information_state_string(player) == state.information_state_string(player)
        assert other.observation_tensor(player) == state.observation_tensor(player)
        assert other.legal_actions() == state.legal_actions()
        different += str(other) != str(state)
        told_apart += any(  # a control: who knows more can tell the states apart
            other.observation_string(who) != state.observation_string(who)
            for who in range(game.num_players())
        )
    assert (different > 0) == (actions is not None)
    seen_by_nobody = options.get("mode") == "flip"
    assert told_apart > 0 or different == 0 or seen_by_nobody


def test_ismcts_of_openspiel_plays() -> None:
    game = openspiel.load("hex", SMALL, max_game_length=40)
    state = decided(game, random.Random(1), 4)
    bot = ismcts.ISMCTSBot(
        game=game,
        uct_c=1.0,
        evaluator=mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=np.random.RandomState(1)),
        max_simulations=4,
        random_state=np.random.RandomState(2),
    )
    assert bot.step(state) in state.legal_actions()


def test_information_states_of_different_pasts_are_different() -> None:
    game = openspiel.load("hex", SMALL)
    first, second = (decided(game, random.Random(n), 3) for n in (1, 2))
    assert first.information_state_string(0) != second.information_state_string(0)
    assert first.information_state_string(0) == first.clone().information_state_string(0)


def test_wrong_options_and_players_are_errors() -> None:
    with pytest.raises((Refused, pyspiel.SpielError), match="invalid_options"):
        openspiel.load("hex", {"width": 3})
    state = decided(openspiel.load("hex", SMALL), random.Random(1), 0)
    for player in (-1, 2):
        with pytest.raises(pyspiel.SpielError, match="player >= 0 and player < 2"):
            state.observation_string(player)


def test_a_program_that_has_used_openspiel_ends_well() -> None:
    code = "from warlog_core.zoo import openspiel as o; o.load('hex').new_initial_state()"
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == 0


def test_what_the_numbers_do_not_cover_is_said_at_creation() -> None:
    assert openspiel.load("confrontation", {"terrain": "players"}).start.presets_only == (
        "army",
        "place_terrain",
    )
    assert openspiel.load("hex", {"army": "preset"}).start.presets_only == ()
