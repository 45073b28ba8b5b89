"""What a client is told of a game: schemas that every real thing fits, geometry, and the plain history."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import msgspec
import pytest

import warlog_core
from tests.core.games import GAMES, lines, playthroughs, starts
from warlog_core import Refused, history_line, history_result


@pytest.mark.parametrize("name", GAMES)
def test_the_description_is_plain_json_with_all_the_api_promises(name: str) -> None:
    described = warlog_core.game(name).describe()
    assert json.loads(msgspec.json.encode(described)) == described
    promised = [
        "game",
        "name",
        "rules_version",
        "seats",
        "spectators",
        "board",
        "pieces",
        "options",
        "actions",
    ]
    assert {*promised, "effects", "view", "presets"} <= described.keys()
    spaces = {space["id"]: space for space in described["board"]["spaces"]}
    assert len(spaces) == len(described["board"]["spaces"])
    for space in spaces.values():
        assert space.keys() >= {"id", "x", "y", "region", "neighbours"}
        for other in space["neighbours"]:
            assert space["id"] in spaces[other]["neighbours"]
    for schema in ("options", "position", "actions", "effects", "view"):
        if schema in described:
            jsonschema.Draft202012Validator.check_schema(described[schema])


@pytest.mark.parametrize("path", playthroughs(), ids=lambda path: path.stem)
def test_every_real_view_effect_action_option_and_position_fits_its_schema(path: Any) -> None:
    first, *steps = lines(path)
    game = warlog_core.game(first["game"])
    fits = {
        what: jsonschema.Draft202012Validator(game.schema(what))
        for what in ("options", "position", "action", "effect", "view")
    }
    fits["options"].validate(first["options"])
    fits["options"].validate(game.full_options(first["options"]))
    state = game.new(options=first["options"], position=first.get("position"), draws=first["draws"])
    for step in steps[:: max(1, len(steps) // 12)]:
        seat = step["seat"] if step["seat"] in state.seats else state.seats[0]  # not the server
        fits["view"].validate(state.view(seat, plain=True))
        if state.position() is not None:
            fits["position"].validate(state.position(plain=True))
        for action in state.legal(seat, plain=True)[:20]:
            fits["action"].validate(action)
        for effect in step.get("effects") or []:
            fits["effect"].validate(effect)
        assert not fits["action"].is_valid({"type": "move", "piece": 1, "to": "a1", "more": 1})
        state = game.load(state.setup, state.data)
        state.playout(step["n"], 3)


def is_part_of(given: Any, full: Any) -> bool:
    """What is given stands in the full value, inside tables too."""
    if isinstance(given, dict):
        return all(name in full and is_part_of(value, full[name]) for name, value in given.items())
    return bool(given == full)


@pytest.mark.parametrize("name", GAMES)
def test_full_options_keep_what_is_given_and_start_the_same_match(name: str) -> None:
    game = warlog_core.game(name)
    for _, options, position in [entry for entry in starts() if entry[0] == name]:
        full = game.full_options(options)
        assert is_part_of(options, full)
        assert game.full_options(full) == full
        one = game.new(options=options, position=position, draws=bytes)
        other = game.new(options=full, position=position, draws=bytes)
        assert (one.setup, one.data) == (other.setup, other.data)


@pytest.mark.parametrize("name", GAMES)
def test_questions_about_options_that_are_wrong_are_refused(name: str) -> None:
    game = warlog_core.game(name)
    for ask in (game.describe, game.board, game.seats_for, game.check_options):
        with pytest.raises(Refused) as refused:
            ask({"no_such_option": 1})
        assert refused.value.code == "invalid_options"


@pytest.mark.parametrize("name", GAMES)
def test_the_rule_book_comes_with_the_rules(name: str) -> None:
    assert warlog_core.game(name).rules().startswith("# ")


def test_a_line_of_history_is_as_the_conventions_print_it() -> None:
    attack = {"type": "attack", "piece": 3, "target": "g5"}
    effects: list[dict[str, Any]] = [{"type": "damage"}, {"type": "killed"}]
    assert (
        history_line(14, "red", attack, [3], effects)
        == "14. red attack piece=3 target=g5 [3] (damage, killed)"
    )
    assert (
        history_line(2, "server", {"type": "timeout", "seat": "blue"}, [], [])
        == "2. server timeout seat=blue"
    )
    army = {"type": "recruit", "army": [{"unit": "wolf", "count": 2}]}
    assert history_line(3, "red", army, None, []) == '3. red recruit army=[{"count":2,"unit":"wolf"}]'
    layout = {"type": "layout", "layout": ["captain", "mine"], "open": True, "at": [1, 2]}
    assert history_line(4, "red", layout, [], []) == "4. red layout layout=captain,mine open=true at=1,2"
    assert history_line(5, "red", None, None, []) == "5. red"
    assert history_result(["red", "green"], "elimination") == "result red,green elimination"
    assert history_result([], "draw_agreed") == "result - draw_agreed"


def test_a_history_of_real_events_names_draws_and_effects() -> None:
    game = warlog_core.game("hex")
    position = {
        "stacks": [
            {"id": 1, "seat": "red", "unit": "swordsman", "space": "d5", "count": 10},
            {"id": 2, "seat": "blue", "unit": "swordsman", "space": "e5", "count": 10},
        ],
        "queue": [1, 2],
    }
    state = game.new(position=position)
    event = state.apply("red", {"target": "e5", "piece": 1, "type": "attack"}, draws=[12, 16])
    line = history_line(3, "red", event.action, event.draws, event.effects)
    assert line == "3. red attack piece=1 target=e5 [12, 16] (attacked, attacked, turn_started)"
