"""What a seat of Hex Tactics may not know does not change one byte of what it gets (8): two worlds, one secret."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

import warlog_core
from warlog_core import Event, State

GAME = warlog_core.game("hex")
RECRUITING = {"obstacles": "none", "seats": 3, "max_stacks": 4}
PAIR = [{"unit": "wolf", "count": 5}, {"unit": "archer", "count": 3}]
DEPLOYED: dict[str, Any] = {
    "seats": 3, "deployment": "chosen", "obstacles": "none", "army": "given", "max_stacks": 4,
    "armies": {"red": PAIR, "blue": PAIR, "green": PAIR},
}  # fmt: skip


def known(state: State, event: Event, viewer: str) -> bytes:
    """Everything that `viewer` gets: the event, the view, the listing, who may act, the clocks."""
    listing = state.legal(viewer) if viewer != "spectator" else []
    clocks = [state.clock(seat) for seat in state.seats]
    visible = event.visible(viewer, state.disclosure)
    return msgspec.json.encode([visible, state.view(viewer), listing, state.to_act, clocks, state.phase])


def both(worlds: list[State], seat: str, actions: list[dict[str, Any]], outsiders: tuple[str, ...]) -> None:
    """Each world's own action; those outside must get the same bytes."""
    events = [world.apply(seat, action, draws=bytes) for world, action in zip(worlds, actions, strict=True)]
    for viewer in outsiders:
        one, other = (known(world, event, viewer) for world, event in zip(worlds, events, strict=True))
        assert one == other, viewer


def recruit(*army: tuple[str, int]) -> dict[str, Any]:
    return {"type": "recruit", "army": [{"unit": unit, "count": count} for unit, count in army]}


@pytest.mark.parametrize(
    "actions",
    [
        [recruit(("wolf", 5)), recruit(("giant", 3), ("archer", 9), ("golem", 1))],
        [recruit(("wolf", 5)), {"type": "recruit_preset", "preset": "host"}],
        [{"type": "recruit_preset", "preset": "coven"}, {"type": "recruit_preset", "preset": "talons"}],
    ],
    ids=["two armies", "own army or preset", "two presets"],
)
def test_an_army_that_is_in_is_no_secret_to_its_owner_alone(actions: list[dict[str, Any]]) -> None:
    worlds = [GAME.new(options=RECRUITING) for _ in range(2)]
    both(worlds, "blue", actions, ("red", "green", "spectator"))
    assert worlds[0].view("blue") != worlds[1].view("blue")
    # Whatever the others do next, and even when the owner leaves before the armies are shown.
    both(worlds, "red", [recruit(("wolf", 1))] * 2, ("green", "spectator"))
    both(worlds, "blue", [{"type": "resign"}] * 2, ("red", "green", "spectator"))
    both(worlds, "green", [recruit(("archer", 1))] * 2, ("red", "blue", "green", "spectator"))
    assert worlds[0].phase == "play"


def test_the_armies_are_public_when_the_last_one_is_in() -> None:
    state = GAME.new(options={"obstacles": "none"})
    state.apply("red", recruit(("wolf", 5)))
    event = state.apply("blue", recruit(("giant", 3)), draws=bytes)
    for viewer in ("red", "spectator"):
        visible = event.visible(viewer, state.disclosure)
        assert visible.action == {"type": "recruit"}
        types = [effect.__struct_config__.tag for effect in visible.effects]
        assert types == ["army_submitted", "armies_revealed", "round_started", "turn_started"]
        assert msgspec.to_builtins(visible.effects[0]) == {"type": "army_submitted", "seat": "blue"}
        assert [stack.unit for stack in visible.effects[1].stacks] == ["wolf", "giant"]


@pytest.mark.parametrize(
    "actions",
    [
        [{"type": "place", "piece": 3, "to": "o7"}, {"type": "place", "piece": 4, "to": "n11"}],
        # One changes places with the other, one does not.
        [{"type": "place", "piece": 3, "to": "o10"}, {"type": "place", "piece": 3, "to": "n10"}],
    ],
    ids=["two stacks", "with and without a change of places"],
)
def test_where_a_seat_deploys_is_its_own_secret_until_all_are_ready(actions: list[dict[str, Any]]) -> None:
    worlds = [GAME.new(options=DEPLOYED, draws=bytes) for _ in range(2)]
    assert {stack.space for stack in worlds[0].view("blue").stacks[2:4]} == {"o8", "o10"}
    both(worlds, "blue", actions, ("red", "green", "spectator"))
    assert worlds[0].view("blue") != worlds[1].view("blue")
    for seat in ("red", "blue"):
        both(worlds, seat, [{"type": "ready"}] * 2, ("red", "green", "spectator"))
    both(worlds, "green", [{"type": "resign"}] * 2, ())
    assert worlds[0].phase == "play"
    assert worlds[0].view("red") != worlds[1].view("red"), "now it is public"


def test_a_seat_that_leaves_while_it_deploys_takes_its_secret_with_it() -> None:
    worlds = [GAME.new(options=DEPLOYED, draws=bytes) for _ in range(2)]
    both(
        worlds,
        "blue",
        [{"type": "place", "piece": 3, "to": to} for to in ("o7", "n7")],
        ("red", "green", "spectator"),
    )
    both(worlds, "blue", [{"type": "resign"}] * 2, ("red", "blue", "green", "spectator"))
    for seat in ("red", "green"):
        both(worlds, seat, [{"type": "ready"}] * 2, ("red", "blue", "green", "spectator"))
    assert worlds[0].phase == "play"


def test_a_secret_placing_has_no_effects_for_others_and_an_action_of_its_type_alone() -> None:
    state = GAME.new(options=DEPLOYED, draws=bytes)
    event = state.apply("blue", {"type": "place", "piece": 3, "to": "o7"})
    for viewer in ("red", "green", "spectator"):
        visible = event.visible(viewer, state.disclosure)
        assert (visible.action, visible.effects) == ({"type": "place"}, [])
    assert event.visible("blue", state.disclosure).action == event.action


def test_the_start_of_a_deployment_shows_each_seat_its_own_spaces_only() -> None:
    state = GAME.new(options=DEPLOYED, draws=bytes)
    assert state.started is not None
    for viewer in (*state.seats, "spectator"):
        (revealed,) = [
            msgspec.to_builtins(effect)
            for effect in state.started.visible(viewer, state.disclosure).effects
            if effect.__struct_config__.tag == "armies_revealed"
        ]
        assert {stack["seat"] for stack in revealed["stacks"] if "space" in stack} == {viewer} - {"spectator"}


def test_a_hidden_army_or_place_of_the_view_is_blank_in_the_bytes_behind_it() -> None:
    """`seen_by` is made from the C view alone: what it forgets to fill in is hidden, never leaked."""
    state = GAME.new(options=RECRUITING)
    state.apply("blue", recruit(("giant", 3)))
    for viewer, armies in (("red", 0), ("blue", 1), ("spectator", 0)):
        fields = GAME.raw.state_fields(state.seen_by(viewer)._raw)
        assert sum(map(len, fields["seats.army"])) == armies
