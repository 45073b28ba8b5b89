"""What Siguo Junqi says of what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

import warlog_core
from warlog_core import Explanation, Refused

GAME = warlog_core.game("junqi")
TWO = {"players": 2}
PIECES: list[dict[str, Any]] = [
    {"seat": "south", "type": "flag", "at": "S62"},
    {"seat": "south", "type": "mine", "at": "S61"},
    {"seat": "south", "type": "major", "at": "S31"},
    {"seat": "south", "type": "captain", "at": "S11"},
    {"seat": "north", "type": "flag", "at": "N62"},
    {"seat": "north", "type": "captain", "at": "N11"},
]
LAYOUT = [
    "field_marshal", "general", "major_general", "major_general", "brigadier",
    "bomb", "bomb", "brigadier",
    "colonel", "colonel", "major", "major",
    "captain", "captain", "captain",
    "mine", "mine", "mine", "lieutenant", "lieutenant",
    "lieutenant", "flag", "engineer", "engineer", "engineer",
]  # fmt: skip


def position(**more: Any) -> dict[str, Any]:
    return {"turn": "south", "pieces": PIECES, **more}


def test_the_spaces_of_the_position_are_the_books() -> None:
    """So that the tests below speak of what they mean."""
    GAME.check_options(TWO, position())


@pytest.mark.parametrize(
    ("action", "code", "detail", "path"),
    [
        ({"type": "move", "piece": 23, "to": "S21"}, "immovable_piece", "A mine never moves.", "/piece"),
        (
            {"type": "move", "piece": 99, "to": "S21"},
            "not_your_piece",
            "This seat has no piece 99 to move.",
            "/piece",
        ),
        ({"type": "resign"}, "too_early", "Giving up is possible from step 41 on; this is step 0.", ""),
        (
            {"type": "offer_draw"},
            "too_early",
            "A draw offer is possible from step 41 on; this is step 0.",
            "",
        ),
        (
            {"type": "ready"},
            "wrong_phase",
            "The action ready belongs to another phase of the match: now the battle is on.",
            "/type",
        ),
        ({"type": "flip", "at": "S11"}, "wrong_mode", "There is no flip in the mode standard.", "/type"),
        ({"type": "layout"}, "malformed_action", 'The action lacks the field "layout".', "/layout"),
    ],
)
def test_a_refused_action_says_what_is_wrong(action: Any, code: str, detail: str, path: str) -> None:
    state = GAME.new(options=TWO, position=position())
    assert state.check("south", action) == code
    why = state.explain("south", action, code)
    assert (why.detail, why.path) == (detail, path)


def laid(**changes: str) -> list[str]:
    layout = list(LAYOUT)
    for place, type_ in changes.items():
        layout[int(place[1:])] = type_
    return layout


@pytest.mark.parametrize(
    ("layout", "detail", "path"),
    [
        (LAYOUT[:-1], "A layout has 25 pieces, this one has 24.", "/layout"),
        (laid(_0="bomb", _5="field_marshal"), "A bomb may not stand in the first line.", "/layout/0"),
        (laid(_5="mine", _15="bomb"), "A mine must stand in the last two lines.", "/layout/5"),
        (
            laid(_0="flag", _21="field_marshal"),
            "The flag must stand in a headquarters: slot 21 or 23, counted from 0.",
            "/layout/0",
        ),
        (laid(_10="captain"), "An army has 2 of the type major, this layout has 1.", "/layout"),
    ],
)
def test_an_illegal_layout_names_the_place(layout: list[str], detail: str, path: str) -> None:
    state = GAME.new(options=TWO, draws=bytes)
    action = {"type": "layout", "layout": layout}
    assert state.check("south", action) == "illegal_layout"
    why = state.explain("south", action, "illegal_layout")
    assert (why.detail, why.path) == (detail, path)
    with pytest.raises(Refused) as refused:
        GAME.check_options({**TWO, "layouts": {"south": layout}})
    assert refused.value.explanation is not None
    assert refused.value.explanation.detail == detail
    assert refused.value.explanation.path == "/options/layouts/south" + path.removeprefix("/layout")


@pytest.mark.parametrize(
    ("options", "given", "detail", "path"),
    [
        ({"mode": "flip", "players": 4}, None, "In the mode flip there are 2 players.", "/options/players"),
        ({"wings": "open"}, None, "The option wings belongs to two players.", "/options/wings"),
        (
            {**TWO, "stake": 10},
            None,
            "With a stake the option balances must say how much gold south has: it is missing.",
            "/options/balances",
        ),
        (
            {**TWO, "stake": 10, "balances": {"south": 10, "north": 99}},
            None,
            "South has 10 gold, but 50 could be lost in this match.",
            "/options/balances/south",
        ),
        (TWO, position(pieces=[*PIECES, PIECES[3]]), "Two pieces stand on S11.", "/position/pieces/6/at"),
        (TWO, position(pieces=PIECES[1:]), "The flag of South is missing.", "/position/pieces"),
        (
            TWO,
            position(turn="east"),
            "In play turn names a seat of the match, and while armies are laid out there is none.",
            "/position/turn",
        ),
        (
            TWO,
            position(seats=[{"seat": "south", "status": "defeated", "cause": "resigned"}]),
            "Every seat of South and North is defeated: the match would be over.",
            "/position/seats",
        ),
    ],
)
def test_refused_options_and_positions_name_their_place(
    options: Any, given: Any, detail: str, path: str
) -> None:
    with pytest.raises(Refused) as refused:
        GAME.check_options(options, given)
    why = refused.value.explanation
    assert isinstance(why, Explanation)
    assert (why.detail, why.path) == (detail, path)
