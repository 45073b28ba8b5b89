"""The rule books' worked examples (tests/vectors), each under its own name."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

import warlog_core
from tests.core.games import vectors
from tests.core.patterns import differences, has_path, same
from warlog_core import Event, State

VECTORS = vectors()


def name_of(vector: dict[str, Any]) -> str:
    return f"{vector['game']}-{vector['name']}"


def visible_effects(event: Event, viewer: str, state: State) -> list[Any]:
    return list(msgspec.to_builtins(event.visible(viewer, state.disclosure).effects))


def check_listing(expected: dict[str, Any], listing: list[dict[str, Any]], viewer: str) -> None:
    unknown = expected.keys() - {"exactly", "include", "exclude", "count", "destinations"}
    assert not unknown, f"a listing's field that this runner does not know: {unknown}"
    if "exactly" in expected:
        assert same(listing, expected["exactly"]), f"{viewer}: {listing}"
    for action in expected.get("include", []):
        assert any(same(action, listed) for listed in listing), f"{viewer}: {action} is not listed"
    for action in expected.get("exclude", []):
        assert not any(same(action, listed) for listed in listing), f"{viewer}: {action} is listed"
    if isinstance(expected.get("count"), int):
        assert len(listing) == expected["count"]
    else:
        for kind, number in expected.get("count", {}).items():
            assert sum(action["type"] == kind for action in listing) == number, f"{viewer}: {kind}"
    for piece, spaces in expected.get("destinations", {}).items():
        moves = [
            action["to"]
            for action in listing
            if action["type"] == "move" and action["piece"] == int(piece) and "conquer" not in action
        ]
        assert moves == spaces, f"{viewer}: piece {piece}"


def check_expectations(holder: dict[str, Any], state: State) -> None:
    for viewer, pattern in holder.get("expect", {}).items():
        assert differences(pattern, state.view(viewer, plain=True)) == [], viewer
    for viewer, expected in holder.get("expect_actions", {}).items():
        check_listing(expected, state.legal(viewer, plain=True), viewer)


@pytest.mark.parametrize("vector", VECTORS, ids=name_of)
def test_the_rule_books_example(vector: dict[str, Any]) -> None:
    known = {
        "name",
        "about",
        "game",
        "options",
        "position",
        "draws",
        "expect_setup_error",
        "expect_setup_effects",
    }
    known |= {"steps", "expect", "expect_actions", "expect_absent", "expect_history", "expect_history_for"}
    assert vector.keys() <= known
    game = warlog_core.game(vector["game"])
    options, position, draws = vector.get("options", {}), vector.get("position"), vector.get("draws", [])
    if "expect_setup_error" in vector:
        with pytest.raises(warlog_core.Refused) as refused:
            game.new(options=options, position=position, draws=draws)
        assert refused.value.code == vector["expect_setup_error"]
        with pytest.raises(warlog_core.Refused) as refused:
            game.check_options(options, position)
        assert refused.value.code == vector["expect_setup_error"]
        return
    game.check_options(options, position)
    state = game.new(options=options, position=position, draws=draws)
    assert state.started is not None
    assert state.started.draws == draws
    if "expect_setup_effects" in vector:
        assert (
            differences(vector["expect_setup_effects"], visible_effects(state.started, "spectator", state))
            == []
        )
    events = [play_step(state, step) for step in vector.get("steps", [])]
    check_expectations(vector, state)
    for viewer, paths in vector.get("expect_absent", {}).items():
        view = state.view(viewer, plain=True)
        assert [path for path in paths if has_path(view, path)] == [], viewer
    del events  # histories are checked by the games that have a notation of their own


def play_step(state: State, step: dict[str, Any]) -> Event | None:
    known = {"seat", "action", "draws", "expect_error", "expect_effects", "expect_effects_for"}
    known |= {"expect_action_for", "expect", "expect_actions", "about"}
    assert step.keys() <= known
    seat, event = step["seat"], None
    if "expect_error" in step:
        before = state.data
        assert state.check(seat, step["action"]) == step["expect_error"]
        with pytest.raises(warlog_core.Refused) as refused:
            state.apply(seat, step["action"], draws=step.get("draws", []))
        assert refused.value.code == step["expect_error"]
        assert state.data == before
    elif "action" in step:
        assert state.check(seat, step["action"]) is None
        event = state.apply(seat, step["action"], draws=step.get("draws", []))
        assert event.draws == step.get("draws", [])
        assert same(event.action, step["action"])
        if "expect_effects" in step:
            viewer = "spectator" if seat == "server" else seat
            assert differences(step["expect_effects"], visible_effects(event, viewer, state)) == []
        for viewer, effects in step.get("expect_effects_for", {}).items():
            assert differences(effects, visible_effects(event, viewer, state)) == [], viewer
        for viewer, action in step.get("expect_action_for", {}).items():
            assert differences(action, event.visible(viewer, state.disclosure).action) == [], viewer
    check_expectations(step, state)
    return event
