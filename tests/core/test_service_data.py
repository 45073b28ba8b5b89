"""What the service needs to know of a game beside its rule book: rules/<game>_service.json."""

from __future__ import annotations

import pytest

import warlog_core
from tests.core.games import GAMES
from warlog_core.codecs import service_data


def test_a_game_without_the_file_has_none_of_it() -> None:
    assert service_data("no_such_game") == {}


@pytest.mark.parametrize("name", GAMES)
def test_every_game_with_the_file_says_in_a_sentence_what_it_is(name: str) -> None:
    about = warlog_core.game(name).describe()["about"]
    if not service_data(name):
        assert about == ""
        return
    assert 40 < len(about) <= 130
    assert about.endswith(".")


@pytest.mark.parametrize("name", GAMES)
def test_phases_of_setting_up_are_phases_of_the_game_and_not_play(name: str) -> None:
    phases = service_data(name).get("setup_phases", [])
    assert set(phases) <= set(warlog_core.game(name).raw.phases) - {"play", "over"}
    assert len(set(phases)) == len(phases)


def test_layout_purchase_deployment_and_terrain_are_setting_up() -> None:
    named = {name: service_data(name).get("setup_phases", []) for name in GAMES}
    assert {name: phases for name, phases in named.items() if phases} == {
        "junqi": ["layout"],
        "hex": ["recruit", "deploy"],
        "confrontation": ["army", "order", "terrain", "setup"],
    }
