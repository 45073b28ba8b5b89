"""What a seat of Confrontation may not know does not change one byte of what it gets (8): two worlds, one secret."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

import warlog_core
from warlog_core import Event, State
from warlog_core.binding import DISCLOSE_OVER

GAME = warlog_core.game("confrontation")
QUEENS = {"type": "army", "pieces": {"queen": 2}}
MAGES = {"type": "army", "pieces": {"bishop": 1, "pawn": 0}, "bishops": [["panic", "heal", "heal"]]}
LEVY: dict[str, Any] = {"type": "army", "pieces": {}}


def dice(*draws: int) -> list[int]:
    return list(draws)


def known(state: State, event: Event, viewer: str) -> bytes:
    """Everything that `viewer` gets: the event, the view, the listing, who may act, the clocks."""
    listing = state.legal(viewer) if viewer != "spectator" else []
    clocks = [state.clock(seat) for seat in state.seats]
    visible = event.visible(viewer, state.disclosure)
    return msgspec.json.encode([visible, state.view(viewer), listing, state.to_act, clocks, state.phase])


def both(
    worlds: list[State], seat: str, actions: list[dict[str, Any]], outsiders: tuple[str, ...], draws: Any = ()
) -> None:
    """Each world's own action; those outside must get the same bytes."""
    events = [world.apply(seat, action, draws=draws) for world, action in zip(worlds, actions, strict=True)]
    for viewer in outsiders:
        one, other = (known(world, event, viewer) for world, event in zip(worlds, events, strict=True))
        assert one == other, viewer


@pytest.mark.parametrize("secret", [[QUEENS, MAGES], [QUEENS, LEVY], [MAGES, LEVY]], ids=str)
def test_an_army_that_is_in_is_no_secret_to_its_owner_alone(secret: list[dict[str, Any]]) -> None:
    worlds = [GAME.new(options={"seats": 3}) for _ in range(2)]
    both(worlds, "red", secret, ("white", "black", "spectator"))
    assert worlds[0].view("red") != worlds[1].view("red")
    assert worlds[0].view("red", plain=True)["seats"][1]["army"] == {
        name: value for name, value in secret[0].items() if name != "type"
    }
    both(worlds, "white", [LEVY] * 2, ("white", "black", "spectator"))
    # Its owner leaves before the reveal and takes the secret along; the owner itself sees it in its own action only.
    both(worlds, "red", [{"type": "resign"}] * 2, ("white", "red", "black", "spectator"))
    both(worlds, "black", [LEVY] * 2, ("white", "red", "black", "spectator"), dice(3, 2))
    assert worlds[0].phase == "order"
    assert worlds[0].data == worlds[1].data


def test_refusals_tell_others_nothing_about_an_army() -> None:
    worlds = [GAME.new(options={"seats": 3}) for _ in range(2)]
    both(worlds, "red", [QUEENS, MAGES], ())
    for action in (
        LEVY,
        QUEENS,
        {"type": "place", "piece": 1, "to": "a1"},
        {"type": "move", "piece": 1, "to": "a1"},
    ):
        for seat in worlds[0].seats:
            assert worlds[0].check(seat, action) == worlds[1].check(seat, action)


def test_army_actions_become_public_with_the_reveal_and_only_those_of_the_live_seats() -> None:
    state = GAME.new(options={"seats": 4})
    events = {
        "white": state.apply("white", QUEENS),
        "red": state.apply("red", MAGES),
    }
    state.apply("red", {"type": "resign"})
    assert state.disclosure == 0
    events["black"] = state.apply("black", LEVY)
    events["blue"] = state.apply("blue", MAGES, draws=dice(3, 2, 1))
    assert state.disclosure == 0b1101
    shown = {
        viewer: {seat: event.visible(viewer, state.disclosure).action for seat, event in events.items()}
        for viewer in (*state.seats, "spectator")
    }
    hidden = {"type": "army"}
    for viewer in ("white", "black", "blue", "spectator"):
        assert shown[viewer] == {"white": QUEENS, "red": hidden, "black": LEVY, "blue": MAGES}
    assert shown["red"]["red"] == MAGES
    while state.to_act:
        state.apply("server", {"type": "timeout", "seat": state.to_act[0]})
    assert state.disclosure == 0b1101 | DISCLOSE_OVER
    assert events["red"].visible("white", state.disclosure).action == hidden


def test_the_armies_of_a_match_that_ended_before_the_reveal_are_never_shown() -> None:
    worlds = [GAME.new() for _ in range(2)]
    first = [world.apply("white", army) for world, army in zip(worlds, (QUEENS, MAGES), strict=True)]
    both(worlds, "black", [{"type": "resign"}] * 2, ("white", "black", "spectator"))
    assert worlds[0].phase == "over"
    assert worlds[0].data == worlds[1].data, "nothing of the army is kept"
    for viewer in ("black", "spectator"):
        for world, event in zip(worlds, first, strict=True):
            assert event.visible(viewer, world.disclosure).action == {"type": "army"}
    assert first[0].visible("white", worlds[0].disclosure).action == QUEENS


def test_a_hidden_army_is_blank_in_the_bytes_behind_the_view() -> None:
    state = GAME.new(options={"seats": 3})
    state.apply("red", QUEENS)
    for viewer, armies in (("white", 0), ("red", 1), ("spectator", 0)):
        seen = state.seen_by(viewer)
        fields = GAME.raw.state_fields(seen._raw)
        assert sum(any(row) for row in fields["armies"]) == armies
    with pytest.raises(warlog_core.BadState):
        state.seen_by("white").apply("white", LEVY)


def test_after_the_reveal_all_views_are_equal_but_for_the_viewer() -> None:
    state = GAME.new(options={"races": True, "treasure": True, "seats": 3})
    for seat in state.seats:
        state.apply(seat, state.legal(seat)[2], draws=lambda size: bytes(range(1, 256)) * (size // 255 + 1))
    for seed in range(200):
        if not state.to_act:
            break
        views = [state.view(viewer, plain=True) for viewer in (*state.seats, "spectator")]
        assert all({**view, "viewer": ""} == {**views[0], "viewer": ""} for view in views)
        state.playout(seed, 1, play_on=True)
