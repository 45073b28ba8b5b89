"""What Hex Tactics says of what it refuses: the sentence, the facts and the place."""

from __future__ import annotations

from typing import Any

import pytest

import warlog_core
from warlog_core import Explanation, Refused, State

GAME = warlog_core.game("hex")
STACKS = [
    {"seat": "red", "unit": "crossbowman", "space": "c3", "count": 5},
    {"seat": "red", "unit": "wolf", "space": "c5", "count": 5},
    {"seat": "blue", "unit": "wolf", "space": "h3", "count": 5},
    {"seat": "blue", "unit": "swordsman", "space": "n3", "count": 5},
]


def battle(**more: Any) -> State:
    position = {"stacks": STACKS, "obstacles": ["d3"], "queue": [1, 2, 3, 4], **more}
    return GAME.new(options={"army": "preset"}, position=position, draws=bytes)


def recruiting() -> State:
    return GAME.new(options={"army": "recruit", "army_points": 100, "max_stacks": 3}, draws=bytes)


def said(state: State, seat: str, action: Any) -> tuple[str, Explanation]:
    code = state.check(seat, action)
    assert code is not None
    return code, state.explain(seat, action, code)


@pytest.mark.parametrize(
    ("action", "code", "detail", "path", "members"),
    [
        (
            {"type": "defend", "piece": 2},
            "not_active_piece",
            "The stack in turn is 1, the {0} on c3.",
            "/piece",
            {"piece": 1, "space": "c3"},
        ),
        (
            {"type": "move", "piece": 1, "to": "z9"},
            "unknown_space",
            'This board has no space "z9".',
            "/to",
            {"space": "z9"},
        ),
        (
            {"type": "move", "piece": 1, "to": "c3"},
            "illegal_destination",
            "The stack stands on c3 already.",
            "/to",
            {"space": "c3"},
        ),
        (
            {"type": "move", "piece": 1, "to": "d3"},
            "space_blocked",
            "d3 is taken: an obstacle stands there.",
            "/to",
            {"space": "d3"},
        ),
        (
            {"type": "move", "piece": 1, "to": "c5"},
            "space_blocked",
            "c5 is taken: a wolf of red stands there.",
            "/to",
            {"space": "c5"},
        ),
        (
            {"type": "attack", "piece": 1, "target": "e5"},
            "no_target",
            "No stack stands on e5.",
            "/target",
            {"space": "e5"},
        ),
        (
            {"type": "attack", "piece": 1, "target": "c5"},
            "not_an_enemy",
            "The wolf on c5 is no enemy: it belongs to red.",
            "/target",
            {"space": "c5", "seat": "red"},
        ),
        ({"type": "skill", "piece": 1, "target": "c5"}, "no_skill", "A {0} has no skill.", "/type", {}),
        (
            {"type": "ready"},
            "wrong_phase",
            "The action ready belongs to another time: it is taken while armies are deployed, "
            "but now the battle is fought.",
            "/type",
            {},
        ),
        ({"type": "accept_draw"}, "no_draw_offer", "No draw is offered.", "", {}),
        (
            {"type": "timeout", "seat": "red"},
            "malformed_action",
            "Only the server posts a timeout.",
            "/type",
            {},
        ),
    ],
)
def test_a_refused_action_in_the_battle(
    action: Any, code: str, detail: str, path: str, members: dict[str, Any]
) -> None:
    why = said(battle(), "red", action)
    assert why == (code, Explanation(detail.format("crossbowman"), members, path))


def test_out_of_reach_and_out_of_range_say_how_far() -> None:
    code, why = said(battle(), "red", {"type": "move", "piece": 1, "to": "o11"})
    assert (code, why.path) == ("out_of_reach", "/to")
    assert f"moves {why.members['have']} spaces and does not reach o11" in why.detail
    code, why = said(battle(queue=[2, 1, 3, 4]), "red", {"type": "attack", "piece": 2, "target": "n3"})
    assert (code, why.path) == ("out_of_range", "/target")
    assert why.detail == f"From c5 the wolf reaches 1 spaces, but n3 is {why.members['needed']} away."
    assert said(battle(), "blue", {"type": "defend", "piece": 3})[1] == Explanation(
        "It is the turn of red.", {"seat": "red"}
    )


@pytest.mark.parametrize(
    ("army", "code", "path", "members"),
    [
        ([], "empty_army", "/army", {"minimum": 1}),
        ([{"unit": "wolf", "count": 1}] * 4, "too_many_stacks", "/army", {"have": 4, "maximum": 3}),
        (
            [{"unit": "wolf", "count": 1}, {"unit": "wolf", "count": 0}],
            "bad_count",
            "/army/1/count",
            {"minimum": 1, "maximum": 9999},
        ),
        ([{"unit": "wolf", "count": 9999}], "too_expensive", "/army", {"budget": 100}),
    ],
)
def test_a_refused_army_names_its_entry(army: Any, code: str, path: str, members: dict[str, Any]) -> None:
    found, why = said(recruiting(), "red", {"type": "recruit", "army": army})
    assert (found, why.path) == (code, path)
    assert why.members.items() >= members.items()


@pytest.mark.parametrize(
    ("options", "detail", "path"),
    [
        ({"teams": "pairs"}, "Teams of pairs need four seats.", "/options/teams"),
        (
            {"obstacles": "list", "obstacle_spaces": ["g5", "g5"]},
            "The obstacle g5 is there twice.",
            "/options/obstacle_spaces/1",
        ),
        ({"army": "given"}, '"armies" must give an army to each of the 2 seats.', "/options/army"),
        (
            {"army": "given", "armies": {"red": [], "blue": []}},
            "The army of red has 0 stacks, but must have from 1 to 7.",
            "/options/armies/red",
        ),
    ],
)
def test_refused_options_name_the_option(options: Any, detail: str, path: str) -> None:
    with pytest.raises(Refused) as refused:
        GAME.check_options(options)
    why = refused.value.explanation
    assert why is not None
    assert (why.detail, why.path) == (detail, path)


@pytest.mark.parametrize(
    ("position", "detail", "path"),
    [
        ({"stacks": [*STACKS, STACKS[0]]}, "Two stacks stand on c3.", "/position/stacks/4/space"),
        ({"stacks": [{**STACKS[0], "space": "a99"}]}, '"space" cannot be "a99".', "/position/stacks/0/space"),
        (
            {"stacks": STACKS, "queue": [9]},
            "The queue names stack 9, which is not there.",
            "/position/queue/0",
        ),
        ({"stacks": STACKS, "phase": "deploy"}, "These options have no deployment.", "/position/phase"),
        ({"stacks": STACKS[:2]}, "Fewer than two sides are in the match.", "/position/seats"),
        (
            {"stacks": [{**STACKS[0], "top_hp": 999}]},
            "The top_hp of this crossbowman is from 1 to 16, not 999.",
            "/position/stacks/0/top_hp",
        ),
    ],
)
def test_a_refused_position_names_the_stack_and_its_field(position: Any, detail: str, path: str) -> None:
    with pytest.raises(Refused) as refused:
        GAME.check_options({"army": "preset"}, position)
    why = refused.value.explanation
    assert why is not None
    assert (why.detail, why.path) == (detail, path)
