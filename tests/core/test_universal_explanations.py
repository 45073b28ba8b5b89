"""What Universal Chess says of what it refuses; test_universal_refusals.py has the sentences about payments."""

from __future__ import annotations

from typing import Any

import pytest

import warlog_core
from warlog_core import Explanation, Refused

GAME = warlog_core.game("universal")
PIECES: list[dict[str, Any]] = [
    {"id": 1, "kind": "mighty", "seat": "majora", "space": "a1"},
    {"id": 4, "kind": "wizard", "seat": "majora", "space": "c1"},
    {"id": 5, "kind": "angel", "seat": "majora", "space": "d1", "frozen": True},
    {"id": 35, "kind": "mighty", "seat": "good", "space": "t20"},
    {"id": 36, "kind": "angel", "seat": "good", "space": "s20"},
]
POSITION: dict[str, Any] = {
    "pieces": PIECES,
    "area": {"majora": ["a1"], "good": ["t20"]},
    "turn": {"seat": "majora", "number": 1},
}
OPTIONS = {"factions": ["majora", "good"]}


@pytest.mark.parametrize(
    ("action", "code", "why"),
    [
        (
            {"type": "move", "piece": 99, "to": "b2"},
            "no_such_piece",
            ("Piece 99 does not exist.", {"piece": 99}, "/piece"),
        ),
        (
            {"type": "move", "piece": 36, "to": "b2"},
            "not_your_piece",
            ("The angel on s20 belongs to Good.", {"piece": 36, "space": "s20"}, "/piece"),
        ),
        (
            {"type": "move", "piece": 5, "to": "b2"},
            "piece_frozen",
            ("The angel on d1 is frozen.", {"piece": 5, "space": "d1"}, "/piece"),
        ),
        (
            {"type": "move", "piece": 1, "to": "t1"},
            "illegal_destination",
            ("The mighty on a1 does not reach t1.", {"piece": 1, "space": "t1"}, "/to"),
        ),
        (
            {"type": "conquer", "piece": 1},
            "cannot_conquer",
            (
                "a1 cannot be conquered: it belongs to Majora, of the same side.",
                {"space": "a1", "seat": "majora"},
                "/piece",
            ),
        ),
        (
            {"type": "freeze", "target": "t20"},
            "no_such_ability",
            ("Only Balance can freeze.", {"seat": "balance"}, "/type"),
        ),
        (
            {"type": "curse", "piece": 5, "target": "t20", "pay": "auto"},
            "no_such_ability",
            ("The angel on d1 cannot curse.", {"piece": 5, "space": "d1"}, "/piece"),
        ),
        (
            {"type": "curse", "piece": 4, "target": "c3", "pay": "auto"},
            "illegal_target",
            ("No piece stands on c3.", {"space": "c3"}, "/target"),
        ),
        (
            {"type": "necromancy", "piece": 4, "raised": 36, "to": "c2", "pay": "auto"},
            "no_such_dead",
            ("The angel 36 is not dead: it stands on s20.", {"piece": 36}, "/raised"),
        ),
        (
            {"type": "timeout", "seat": "good"},
            "malformed_action",
            ("Only the server posts a timeout.", {}, "/type"),
        ),
    ],
)
def test_a_refused_action_names_the_piece_the_space_and_the_field(action: Any, code: str, why: Any) -> None:
    state = GAME.new(options=OPTIONS, position=POSITION)
    assert state.check("majora", action) == code
    assert state.explain("majora", action, code) == Explanation(*why)


def test_whose_turn_it_is() -> None:
    state = GAME.new(options=OPTIONS, position=POSITION)
    why = state.explain("good", {"type": "pass"}, "not_your_turn")
    assert why == Explanation("It is the turn of Majora.", {"seat": "majora"})


def without(id_: int) -> list[dict[str, Any]]:
    return [piece for piece in PIECES if piece["id"] != id_]


@pytest.mark.parametrize(
    ("options", "position", "detail", "path"),
    [
        ({"pairing": "rows"}, None, "A pairing belongs to the mode double.", "/options/pairing"),
        ({**OPTIONS, "first": "evil"}, None, "Evil does not play, so it cannot begin.", "/options/first"),
        ({"factions": ["good", "good"]}, None, 'The faction "good" stands twice.', "/options/factions/1"),
        (
            OPTIONS,
            {**POSITION, "pieces": without(1)},
            "Majora has 0 Mighty pieces, but every seat that is in has exactly one.",
            "/position/pieces",
        ),
        (
            OPTIONS,
            {**POSITION, "pieces": [*PIECES, {**PIECES[1], "id": 6}]},
            "Two pieces stand on c1.",
            "/position/pieces/5/space",
        ),
        (
            OPTIONS,
            {**POSITION, "area": {"majora": ["a1", "a1"], "good": ["t20"]}},
            "A space of Majora has an owner already.",
            "/position/area/majora/1",
        ),
        (
            OPTIONS,
            {**POSITION, "area": {"majora": ["a1"], "good": []}},
            "Good is in, but owns no space.",
            "/position/area/good",
        ),
        (
            OPTIONS,
            {**POSITION, "next_id": 91, "dead": [{"id": 95, "kind": "demon", "seat": "good"}]},
            '"next_id" must be at least 96.',
            "/position/next_id",
        ),
    ],
)
def test_refused_options_and_positions_name_their_place(
    options: Any, position: Any, detail: str, path: str
) -> None:
    with pytest.raises(Refused) as refused:
        GAME.check_options(options, position)
    why = refused.value.explanation
    assert why is not None
    assert (why.detail, why.path) == (detail, path)
