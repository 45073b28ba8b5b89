"""What Confrontation says of what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

import warlog_core
from warlog_core import Refused

GAME = warlog_core.game("confrontation")
SEATS = [{"seat": "white"}, {"seat": "black"}]
PIECES: list[dict[str, Any]] = [
    {"id": 1, "seat": "white", "type": "king", "at": "e1"},
    {"id": 2, "seat": "white", "type": "rook", "at": "d2"},
    {"id": 3, "seat": "white", "type": "bishop", "at": "c1", "spells": ["fireball"]},
    {"id": 11, "seat": "black", "type": "king", "at": "e8"},
    {"id": 12, "seat": "black", "type": "pawn", "at": "h7"},
]
POSITION: dict[str, Any] = {"seats": SEATS, "pieces": PIECES, "active": "white"}


def shopping(**options: Any) -> warlog_core.State:
    return GAME.new(options=options, draws=bytes)


@pytest.mark.parametrize(
    ("options", "action", "code", "detail", "path"),
    [
        ({}, {"type": "army", "pieces": {"queen": 9}}, "too_many_points", None, "/pieces"),
        (
            {},
            {"type": "army", "pieces": {"pawn": 15}},
            "too_many_pieces",
            "With its King and free Pawns this army has 19 pieces, but at most 16 are allowed.",
            "/pieces",
        ),
        (
            {},
            {"type": "army", "pieces": {"bishop": 1}},
            "bad_spells",
            "There must be as many lists of spells as Bishops are bought: this army has 0, but must have 1.",
            "/bishops",
        ),
        (
            {},
            {"type": "army", "pieces": {"bishop": 1}, "bishops": [["heal", "heal"], ["heal", "heal"]]},
            "bad_spells",
            "There must be as many lists of spells as Bishops are bought: this army has 2, but must have 1.",
            "/bishops",
        ),
        *[
            (
                {},
                {"type": "army", "pieces": {"rook": 1, "pawn": wrong}},
                "malformed_action",
                detail,
                "/pieces/pawn",
            )
            for wrong, detail in [
                (1.5, '"pawn" must be an integer, not 1.5.'),
                ("1", '"pawn" must be an integer, not a string.'),
                (None, '"pawn" must be an integer, not null.'),
                (-1, '"pawn" is -1, but must be from 0 to 60.'),
                (61, '"pawn" is 61, but must be from 0 to 60.'),
            ]
        ],
        (
            {"spells_per_bishop": 2},
            {"type": "army", "pieces": {"bishop": 1}, "bishops": [["heal"]]},
            "bad_spells",
            "A Bishop must have from 2 to 99 spells, but this one has 1.",
            "/bishops/0",
        ),
        (
            {"races": True},
            {"type": "army", "pieces": {}},
            "race_required",
            "With the option races an army has a race.",
            "/race",
        ),
        (
            {},
            {"type": "army", "pieces": {}, "race": "orcs"},
            "race_not_allowed",
            "Without the option races an army has neither race nor tokens.",
            "/race",
        ),
        (
            {},
            {"type": "army", "pieces": {"king": 1}},
            "malformed_action",
            '"pieces" has no entry "king".',
            "/pieces/king",
        ),
        ({}, {"type": "army"}, "malformed_action", 'The action lacks the field "pieces".', "/pieces"),
    ],
)
def test_a_refused_army_says_what_is_wrong(
    options: Any, action: Any, code: str, detail: str | None, path: str
) -> None:
    state = shopping(**options)
    assert state.check("white", action) == code
    why = state.explain("white", action, code)
    assert why.path == path
    if detail is None:
        assert (
            why.detail
            == f"This army costs {why.members['cost']} points, but there are {why.members['budget']}."
        )
        assert why.members["cost"] > why.members["budget"] == 15
    else:
        assert why.detail == detail


@pytest.mark.parametrize(
    ("action", "code", "detail", "path"),
    [
        ({"type": "move", "piece": 9, "to": "d3"}, "unknown_piece", "There is no piece 9.", "/piece"),
        ({"type": "move", "piece": 11, "to": "d3"}, "not_your_piece", "Piece 11 belongs to Black.", "/piece"),
        (
            {"type": "move", "piece": 2, "to": "h8"},
            "illegal_destination",
            "The rook on d2 cannot go to h8.",
            "/to",
        ),
        ({"type": "move", "piece": 2, "to": "z8"}, "unknown_space", 'The board has no space "z8".', "/to"),
        (
            {"type": "cast", "piece": 2, "spell": "panic", "target": "e8"},
            "not_a_bishop",
            "The rook on d2 casts no spells: only a bishop does.",
            "/piece",
        ),
        (
            {"type": "cast", "piece": 3, "spell": "panic", "target": "e8"},
            "spell_not_known",
            "The bishop on c1 does not know panic, or has cast it.",
            "/spell",
        ),
        (
            {"type": "cast", "piece": 3, "spell": "fireball", "target": "e8"},
            "illegal_target",
            "On e8 there is no enemy piece that fireball could reach within 4 spaces in a free straight line.",
            "/target",
        ),
        (
            {"type": "cast", "piece": 3, "spell": "fireball"},
            "malformed_action",
            'The spell fireball is cast with "target".',
            "/target",
        ),
        ({"type": "rise", "piece": 2, "to": "a5"}, "wrong_race", "Only Demons rise from Hell.", "/type"),
        (
            {"type": "place", "piece": 2, "to": "a1"},
            "wrong_phase",
            "The action place does not belong here: now a turn is played.",
            "/type",
        ),
        (
            {"type": "end_turn"},
            "action_required",
            "An action is possible, so the turn cannot end yet.",
            "/type",
        ),
    ],
)
def test_a_refused_act_says_what_is_wrong(action: Any, code: str, detail: str, path: str) -> None:
    state = GAME.new(options={}, position=POSITION)
    assert state.check("white", action) == code
    why = state.explain("white", action, code)
    assert (why.detail, why.path) == (detail, path)


@pytest.mark.parametrize(
    ("options", "position", "detail", "path"),
    [
        (
            {"terrain_areas": [{"kind": "rough", "spaces": ["d4", "d5", "e4", "e5"]}]},
            None,
            'The option "terrain_areas" needs the option "terrain" to be "custom".',
            "/options/terrain_areas",
        ),
        (
            {"terrain": "custom", "terrain_areas": [{"kind": "rough", "spaces": ["d4", "e5"]}]},
            None,
            "Area 1 must have 4 or 8 spaces connected by their sides, none of them in another area.",
            "/options/terrain_areas/0",
        ),
        ({"spell_table": {"heal": {"range": 3}}}, None, None, "/options/spell_table/heal/range"),
        (
            {},
            {**POSITION, "seats": SEATS[:1]},
            "A Position has an entry for each of the 2 seats.",
            "/position/seats",
        ),
        (
            {},
            {**POSITION, "active": "red"},
            "The active seat is alive and in this match.",
            "/position/active",
        ),
        (
            {},
            {**POSITION, "pieces": [*PIECES, PIECES[1]]},
            "The rook 2 has an id that stands twice.",
            "/position/pieces/5/id",
        ),
        (
            {},
            {**POSITION, "pieces": [*PIECES, {**PIECES[1], "id": 4}]},
            "The rook 4 stands on a space that is taken.",
            "/position/pieces/5/at",
        ),
        (
            {},
            {**POSITION, "pieces": PIECES[1:]},
            "Every seat that is alive has exactly one King on the board.",
            "/position/pieces",
        ),
        ({}, {**POSITION, "acted": [2]}, "More pieces have acted than actions are spent.", "/position/acted"),
    ],
)
def test_refused_options_and_positions_name_their_place(
    options: Any, position: Any, detail: str | None, path: str
) -> None:
    with pytest.raises(Refused) as refused:
        GAME.check_options(options, position)
    why = refused.value.explanation
    assert why is not None
    assert why.path == path
    assert detail in (None, why.detail)
