"""Why something was refused: a sentence and a place for everything, and nothing that the asking seat may not know."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import pytest

import warlog_core
from tests.core.explained import assert_action_explained, assert_explained
from tests.core.games import GAMES, lines, playthroughs, starts
from warlog_core import BadState, Explanation, Refused, explain
from warlog_core.codecs import service_data

VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    7,
    10**30,
    1.0,
    "",
    "a1",
    "laser",
    [],
    ["a1"],
    [3],
    {},
    {"x": 1},
)


def spoilt(action: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """An action with one field left out, added, or changed."""
    given = dict(action)
    name = rng.choice([*given, "more"])
    if name in given and rng.random() < 0.2:
        del given[name]
    else:
        given[name] = rng.choice(VALUES)
    return given


@pytest.mark.parametrize("name", GAMES)
def test_every_code_of_a_game_has_a_sentence(name: str) -> None:
    game = warlog_core.game(name)
    assert set(game.raw.errors) <= set(game.errors)
    for code, sentence in game.errors.items():
        assert sentence.endswith("."), (code, sentence)
        if "errors" in service_data(name):
            assert sentence != code.replace("_", " ").capitalize() + ".", f"{code} has no sentence of its own"
    assert set(service_data(name).get("pathless", ())) <= set(game.errors)
    assert game.describe()["errors"] == game.errors


@pytest.mark.parametrize("name", GAMES)
def test_a_refused_action_is_explained_from_what_its_seat_may_know(name: str, seed: int) -> None:
    """Whatever is wrong with it, the state and the view of it give the same explanation."""
    game, rng = warlog_core.game(name), random.Random(seed)
    for _ in range(6):
        _, options, position = rng.choice([start for start in starts() if start[0] == name])
        state = game.new(options=options, position=position, draws=rng.randbytes)
        state.playout(rng.getrandbits(63), rng.randrange(120), play_on=True)
        posted = [action for seat in state.seats for action in state.legal(seat, plain=True)]
        for seat in state.seats:
            seen = state.seen_by(seat)
            for _ in range(60):
                action = spoilt(rng.choice(posted), rng) if posted else {"type": "resign"}
                code = state.check(seat, action)
                if code is not None:
                    assert_action_explained(state, seat, action, code)
                    with suppress(BadState):  # some games observe no state from which something is hidden
                        assert state.explain(seat, action, code) == seen.explain(seat, action, code)


@pytest.mark.parametrize("name", GAMES)
def test_malformed_actions_say_which_field_and_what_was_expected(name: str, seed: int) -> None:
    rng = random.Random(seed)
    path = next(path for path in playthroughs() if path.stem.startswith(name))
    first, *steps = lines(path)
    game = warlog_core.game(name)
    state = game.new(options=first["options"], position=first.get("position"), draws=first["draws"])
    n = 0
    for step in steps:
        if step["seat"] == "server":
            continue
        for _ in range(3):
            action = spoilt(step["action"], rng)
            if state.check(state.seats[0], action) == "malformed_action":
                why = state.explain(state.seats[0], action, "malformed_action")
                assert_explained(why, action)
                assert why.path or "errors" not in service_data(name), (action, why)
                n += 1
    assert n > 0


@pytest.mark.parametrize("name", GAMES)
def test_an_unknown_type_of_action_offers_those_that_players_post(name: str) -> None:
    state = warlog_core.game(name).new(draws=bytes)
    why = state.explain(state.seats[0], {"type": "dance"}, "malformed_action")
    assert why.path == "/type"
    assert why.members["allowed"] == [
        action.name for action in state.game.raw.actions if not action.server_only
    ]


@pytest.mark.parametrize("name", GAMES)
def test_unknown_options_name_the_nearest_and_others_their_range(name: str) -> None:
    game = warlog_core.game(name)
    schema = explain.schema_of(game.codec.options_type)
    properties = schema["properties"]
    for option, part in properties.items():
        with pytest.raises(Refused) as refused:
            game.check_options({option + "x": 1})
        why = refused.value.explanation
        assert_explained(why, {"options": {option + "x": 1}})
        assert why is not None
        assert why.path == f"/options/{option}x"
        assert f'Did you mean "{option}"?' in why.detail
        if "maximum" in part:
            with pytest.raises(Refused) as refused:
                game.check_options({option: part["maximum"] + 1})
            why = refused.value.explanation
            assert why is not None
            assert (why.path, why.members["maximum"]) == (f"/options/{option}", part["maximum"])


def test_a_number_of_a_hundred_digits_is_said_to_be_too_large() -> None:
    state = warlog_core.game("hex").new(options={"army": "preset"}, draws=bytes)
    why = state.explain("red", {"type": "move", "piece": 10**99, "to": "a1"}, "malformed_action")
    assert why == Explanation("The number is too large.", {}, "/piece")


FORGED = (
    " - at `$[%s]" % ("9" * 5000),
    " - at `key` in `$",
    " - at `key` in `$.type",
    " - at `key` in `$.nothing",
    " - at `$.type",
    "x` - at `$.type",
    "x` - at `key` in `$.type",
    "type` - at `$",
    " - at `$[٣]",
    "two\nlines",
)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("field", FORGED)
def test_no_name_of_a_field_passes_for_a_place(name: str, field: str) -> None:
    """The checker of forms quotes a name in the sentence in which it says where that stands."""
    game = warlog_core.game(name)
    state = game.new(draws=bytes)
    for given in ({"type": "resign", field: 1}, {field: 1, "type": "resign"}):
        why = state.explain(state.seats[0], given, "malformed_action")
        assert why.path in ("", explain.pointer(field)), why
        assert "has no field" in why.detail
    for options, position in (({field: 1}, None), ({}, {field: 1})):
        with pytest.raises(Refused) as caught:
            game.check_options(options, position)
        assert caught.value.explanation is not None
        where = "/options" if position is None else "/position"
        assert caught.value.explanation.path in (where, where + explain.pointer(field))


def test_an_explanation_is_short_whatever_is_refused() -> None:
    game = warlog_core.game("hex")
    state = game.new(draws=bytes)
    long = "x" * 200_000
    for given in (
        {"type": "defend", "piece": 1, long: 1},
        {"type": long},
        {"type": "recruit", "army": [{"unit": long, "count": 1}]},
        {"type": "recruit", "army": [{"unit": "archer", "count": 1, long: 1}]},
        {"type": "defend", "piece": long},
    ):
        code = state.check("red", given)
        assert code is not None
        why = state.explain("red", given, code)
        assert len(why.detail) + len(why.path) + sum(len(str(fact)) for fact in why.members.values()) < 4000
        assert why.path in ("", "/type", "/piece", "/army/0", "/army/0/unit")
