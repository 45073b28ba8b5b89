"""What Weaponized Chess says of what it refuses."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest

import warlog_core
from warlog_core import Explanation, Refused
from warlog_core.codecs import wec_notation

GAME = warlog_core.game("wec")
PIECES: list[dict[str, Any]] = [
    {"id": 1, "seat": "black", "type": "king", "at": "a1"},
    {"id": 2, "seat": "black", "type": "tank", "at": "d4", "hand": "left"},
    {"id": 3, "seat": "black", "type": "stealth_pawn", "at": "d7"},
    {"id": 4, "seat": "black", "type": "dozer", "at": "h1"},
    {"id": 5, "seat": "black", "type": "flame_pawn", "at": "b2", "stunned_until": 4},
    {"id": 9, "seat": "white", "type": "king", "at": "j10"},
]


def standing(**more: Any) -> warlog_core.State:
    return GAME.new(options={}, position={"pieces": PIECES, **more})


def test_a_path_is_blocked_where_something_stands_in_it() -> None:
    """The first thing on the way that would lead there over an empty board."""
    state = standing()
    ways = [
        action["to"]
        for action in state.legal("black", plain=True)
        if action["type"] == "move" and action["piece"] == 2
    ]
    beyond = GAME.new(options={}, position={"pieces": [piece for piece in PIECES if piece["id"] != 3]})
    free = [
        action["to"]
        for action in beyond.legal("black", plain=True)
        if action["type"] == "move" and action["piece"] == 2
    ]
    shut = [to for to in free if to not in ways and to != "d7"]
    assert shut
    for to in shut:
        action = {"type": "move", "piece": 2, "to": to, "level": "ground"}
        assert state.check("black", action) == "illegal_destination"
        assert state.explain("black", action, "illegal_destination") == Explanation(
            f"The tank on d4 does not reach {to}: its path is blocked on d7.",
            {"piece": 2, "space": "d7"},
            "/to",
        )


@pytest.mark.parametrize(
    ("action", "code", "detail", "path"),
    [
        (
            {"type": "move", "piece": 2, "to": "d7", "level": "ground"},
            "illegal_destination",
            "The tank on d4 does not reach d7: a piece of its own side is there.",
            "/to",
        ),
        (
            {"type": "move", "piece": 2, "to": "j3", "level": "ground"},
            "illegal_destination",
            "The tank on d4 does not reach j3: it does not move that way.",
            "/to",
        ),
        (
            {"type": "move", "piece": 9, "to": "j9", "level": "ground"},
            "not_your_piece",
            "This seat has no piece 9 on the board.",
            "/piece",
        ),
        (
            {"type": "move", "piece": 5, "to": "b3", "level": "ground"},
            "piece_stunned",
            "The flame pawn on b2 is stunned for 4 half-turns.",
            "/piece",
        ),
        (
            {"type": "move", "piece": 2, "to": "z9", "level": "ground"},
            "unknown_space",
            'The board has no square "z9".',
            "/to",
        ),
        (
            {"type": "doze", "piece": 2, "squares": [], "direction": "n"},
            "not_a_dozer",
            "The tank on d4 is no dozer on the ground.",
            "/piece",
        ),
        (
            {"type": "doze", "piece": 4, "squares": [], "direction": "n"},
            "no_companion",
            "The dozer on h1 dozes only with another piece on its square.",
            "/piece",
        ),
        (
            {"type": "fire", "piece": 2, "weapon": "stun", "direction": "n"},
            "no_such_weapon",
            "The tank on d4 has no stun.",
            "/weapon",
        ),
        (
            {"type": "fire", "piece": 2, "weapon": "bicycle", "direction": "n"},
            "malformed_action",
            'The bicycle is fired with "to" and "path", without "direction".',
            "/direction",
        ),
        (
            {"type": "fire", "piece": 2, "weapon": "laser", "direction": "n"},
            "malformed_action",
            None,
            "/weapon",
        ),
        (
            {"type": "pick_up", "piece": 2, "article": "scuba"},
            "no_such_article",
            "No scuba lies on d4.",
            "/article",
        ),
        (
            {"type": "drop", "piece": 2, "article": "scuba"},
            "no_such_article",
            "The tank on d4 carries no scuba.",
            "/article",
        ),
        (
            {"type": "exchange", "from": 1, "to": 2, "article": "scuba"},
            "too_far",
            "These pieces are too far apart: they exchange side by side, on one level, or with a secondary.",
            "/to",
        ),
        (
            {"type": "exchange", "from": 2, "to": 2, "article": "scuba"},
            "malformed_action",
            "A piece exchanges with another one.",
            "/to",
        ),
        (
            {"type": "reinforce", "piece": 7},
            "no_such_reinforcement",
            "No reinforcement 7 of this seat waits.",
            "/piece",
        ),
        ({"type": "end_turn"}, "must_move", "A piece must move before the turn can end.", "/type"),
        ({"type": "accept_draw"}, "no_draw_offer", "The other seat has offered no draw.", ""),
    ],
)
def test_a_refused_act_says_what_is_wrong(action: Any, code: str, detail: str | None, path: str) -> None:
    state = standing()
    assert state.check("black", action) == code
    why = state.explain("black", action, code)
    assert why.path == path
    if detail is None:
        assert why.detail.startswith('There is no weapon "laser".')
        assert "flame" in why.members["allowed"]
    else:
        assert why.detail == detail


def test_a_hidden_piece_is_not_said_to_be_in_the_way() -> None:
    """The board with it gives the same explanations as the board without."""
    hidden = {"id": 8, "seat": "white", "type": "stealth_pawn", "at": "d6"}
    for action in (
        {"type": "move", "piece": 2, "to": "d10", "level": "ground"},
        {"type": "move", "piece": 2, "to": "j3", "level": "ground"},
        {"type": "fire", "piece": 2, "weapon": "stun", "direction": "n"},
    ):
        without, beside = standing(), standing(pieces=[*PIECES, hidden])
        code = without.check("black", action)
        assert code == beside.check("black", action)
        assert code is not None
        assert without.explain("black", action, code) == beside.explain("black", action, code)


@pytest.mark.parametrize(
    ("position", "detail", "path"),
    [
        (
            {"pieces": [*PIECES, PIECES[0]]},
            "The king 1 has an id that stands twice.",
            "/position/pieces/6/id",
        ),
        ({"pieces": [{**PIECES[1], "hand": None}]}, None, "/position/pieces/0/hand"),
        (
            {"pieces": [PIECES[0], {"id": 2, "seat": "black", "type": "tank", "at": "d4"}]},
            "The tank 2 needs a hand exactly if its type has one.",
            "/position/pieces/1/hand",
        ),
        (
            {"pieces": PIECES[:-1]},
            "White has no primary, and primary_lost does not say that it was lost.",
            "/position/pieces",
        ),
        (
            {"pieces": PIECES, "turn_state": {"acted": [77]}},
            '"turn_state" names piece 77, which is not on the board.',
            "/position/turn_state",
        ),
    ],
)
def test_a_refused_position_names_the_piece_and_its_field(
    position: Any, detail: str | None, path: str
) -> None:
    with pytest.raises(Refused) as refused:
        GAME.check_options({}, position)
    why = refused.value.explanation
    assert why is not None
    assert why.path == path
    assert detail in (None, why.detail)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "A history begins with WEC 1."),
        ("WEC 1\nfoo\n", 2, "The second line has the OPTIONS."),
        ("WEC 1\nOPTIONS {}\n1 B nonsense\n", 3, "It is no line of this notation"),
        ('WEC 1\nOPTIONS {"tank_rnge": 1}\n', 2, 'Did you mean "tank_range"?'),
        ('WEC 1\nOPTIONS {}\nPOSITION {"pieces": []}\n', 3, "The rules refuse it with missing_primary."),
    ],
)
def test_a_history_that_cannot_be_read_names_the_line(text: str, line: int, said: str) -> None:
    assert GAME.notation is not None
    with pytest.raises(Refused) as refused:
        GAME.notation.read(GAME, text)
    why = refused.value.explanation
    assert why is not None
    assert (refused.value.code, why.path, why.members) == ("invalid_position", "/history", {"line": line})
    assert said in why.detail


SEEN = {"type": "sub", "at": "e5", "level": "air", "turn": 1}


@pytest.mark.parametrize(
    ("ghosts", "path", "said"),
    [
        ({"white": [SEEN], "black": [SEEN, {**SEEN, "at": ""}]}, "/black/1/at", '"at" cannot be "".'),
        ({"white": [SEEN], "black": 5}, "/black", '"black" must be a list, not 5.'),
        ({"green": [SEEN]}, "/green", '"ghosts" has no entry "green".'),
    ],
)
def test_a_fault_under_a_key_of_a_mapping_names_the_key(ghosts: object, path: str, said: str) -> None:
    position = {**GAME.describe({})["editor"]["start"], "ghosts": ghosts}
    with pytest.raises(Refused) as refused:
        GAME.check_options({}, position)
    why = refused.value.explanation
    assert why is not None
    assert (why.path, why.detail) == (f"/position/ghosts{path}", said)


def test_a_line_that_no_turn_can_have_is_not_compared_with_one() -> None:
    """While a pattern is tried no other thread runs."""
    assert GAME.notation is not None
    line = "1B MV:-,FI1:" + "," * 300_000 + ":"
    start = process_time()
    assert wec_notation._TURN.fullmatch(line) is None
    trying = process_time() - start
    start = process_time()
    with pytest.raises(Refused):
        GAME.notation.read(GAME, f"WEC 1\nOPTIONS {{}}\n{line}\n")
    assert process_time() - start < trying / 3
