"""What Weaponized Chess refuses: options, Positions and actions, each with the code of its row (wec 7.10, 10.5)."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.core.games import vectors
from tests.core.wec_positions import GAME
from warlog_core import Refused
from warlog_core.codecs import wec_notation
from warlog_core.codecs.wec_structs import SQUARES

HUGE = int("9" * 100)
KINGS = [
    {"id": 90, "seat": "black", "type": "king", "at": "e1"},
    {"id": 91, "seat": "white", "type": "king", "at": "f10"},
]
AAA = {"id": 1, "seat": "black", "type": "aaa", "at": "d4"}
TANK = {"id": 2, "seat": "black", "type": "tank", "at": "b2", "hand": "left"}
JET = {"id": 3, "seat": "white", "type": "jet", "at": "d7", "level": "air"}
PAWN = {"id": 4, "seat": "black", "type": "stealth_pawn", "at": "g4"}
SAM = {"kind": "sam", "seat": "black", "at": "d5", "direction": "n"}


def position(*pieces: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"pieces": [*KINGS, *pieces], **fields}


def code_of(options: Any, start: Any = None) -> str:
    """The code with which both questions refuse, "ok" if neither does."""

    def answer(question: Callable[..., object]) -> str:
        try:
            question(options=options, position=start)
        except Refused as refused:
            return refused.code
        return "ok"

    code = answer(GAME.check_options)
    assert answer(GAME.new) == code
    return code


@pytest.mark.parametrize(
    "options",
    [
        [],
        "wec",
        {"Movement": "weaponized"},
        {"movement": "chess"},
        {"movement": None},
        {"tank_range": 0},
        {"tank_range": 9},
        {"tank_range": True},
        {"tank_range": 7.0},
        {"tank_range": HUGE},
        {"stun_duration": 256},
        {"flame_rate": 100},
        {"stealth": 1},
        {"sub_jet_combat": True},
        {"sub_jet_combat": True, "movement": "standard_chess"},
        {"sub_jet_combat": True, "action_restriction": "move_only"},
    ],
)
def test_options_that_cannot_be(options: Any) -> None:
    assert code_of(options) == "invalid_options"


@pytest.mark.parametrize(
    ("start", "code"),
    [
        (position(), "ok"),
        # 1. malformed
        ([], "invalid_position"),
        ({}, "invalid_position"),
        (position(turn=0), "invalid_position"),
        (position(turn=1000001), "invalid_position"),
        (position(turn="1"), "invalid_position"),
        (position(idle_turns=2), "invalid_position"),
        (position({**AAA, "id": 0}), "invalid_position"),
        (position({**AAA, "id": 32768}), "invalid_position"),
        (position({**AAA, "id": True}), "invalid_position"),
        (position({**AAA, "id": HUGE}), "invalid_position"),
        (position({**AAA, "at": "k1"}), "invalid_position"),
        (position({**AAA, "level": "space"}), "invalid_position"),
        (position({**AAA, "type": "bishop"}), "invalid_position"),
        (position({**AAA, "articles": ["sword"]}), "invalid_position"),
        (position({**AAA, "articles": [{"kind": "flame", "ready_turn": 202}]}), "invalid_position"),
        (position({**AAA, "ready_turns": {"bicycle": 1}}), "invalid_position"),
        (position({**AAA, "stunned_until": 514}), "invalid_position"),
        (position({**AAA, "revealed_until": 3}), "invalid_position"),
        (position({k: v for k, v in AAA.items() if k != "seat"}), "invalid_position"),
        (position(activation_squares={"black": ["a8"]}), "invalid_position"),
        (position(activation_squares={"black": ["b8", "a8"], "white": []}), "invalid_position"),
        (position(activation_squares={"black": ["a8", "a8"], "white": []}), "invalid_position"),
        (
            position(ghosts={"black": [{"type": "aaa", "at": "a1", "level": "sub", "turn": 2}]}),
            "invalid_position",
        ),
        (
            position(ghosts={"black": [{"type": "aaa", "at": "a1", "level": "sub", "turn": 1}] * 65}),
            "invalid_position",
        ),
        (position(turn_state={"acted": [5]}), "invalid_position"),
        (position(turn_state={"fires": 3}), "invalid_position"),
        (position(turn_state={"hits": [{"piece": 90, "flame": 256}]}), "invalid_position"),
        (position(turn_state={"hits": [{"piece": 90, "sword": 1}]}), "invalid_position"),
        (position(AAA, {**TANK, "id": 1}, draw_offer="red"), "invalid_position"),
        # 2. ids and numbers
        (position(AAA, {**TANK, "id": 1}), "duplicate_id"),
        (
            position(AAA, reinforcements=[{"id": 1, "seat": "black", "type": "sub", "at": "a8"}]),
            "duplicate_id",
        ),
        (
            position(
                reinforcements=[
                    {"id": i, "seat": "black", "type": "sub", "at": "a8"} for i in range(100, 227)
                ]
            ),
            "too_many_pieces",
        ),
        # 3. pieces
        (position({**TANK, "hand": "left", "unmoved": True}), "bad_piece"),
        (position({**AAA, "hand": "left"}), "bad_piece"),
        (position({**AAA, "level": "air"}), "bad_piece"),
        (position({**AAA, "lock": 91}), "bad_piece"),
        (position({**PAWN, "lock": 91}), "ok"),
        (position({**PAWN, "lock": 90}), "bad_piece"),
        (position({**PAWN, "lock": 5}), "bad_piece"),
        (position({**PAWN, "lock": HUGE}), "bad_piece"),
        (position({**AAA, "articles": [{"kind": "flame", "lock": 91}]}), "bad_piece"),
        (position({**AAA, "articles": [{"kind": "anti_stealth", "lock": 91}]}), "ok"),
        (position({**AAA, "ready_turns": {"flame": 1}}), "bad_piece"),
        (
            position(
                {
                    **AAA,
                    "articles": ["jump_pack"],
                    "journey": {"article": "jump_pack", "to": "d4", "path": "beeline", "remaining": []},
                }
            ),
            "bad_piece",
        ),
        (
            position(articles=[{"at": "a1", "articles": [{"kind": "anti_stealth", "lock": 91}]}]),
            "bad_article",
        ),
        # 4. cells
        (position(TANK, {**TANK, "id": 3}), "cell_overfull"),
        (position(AAA, {**AAA, "id": 3}, {**AAA, "id": 5}), "cell_overfull"),
        (position(AAA, {**AAA, "id": 3, "seat": "white"}), "ok"),
        # 5. articles
        (position({**AAA, "articles": ["flame", "flame"]}), "bad_article"),
        (position({**AAA, "articles": ["flame", "flame", "xxx"]}), "ok"),
        (position({**AAA, "articles": ["flame", "flame", "xxx", "xxx"]}), "bad_article"),
        (position({**AAA, "type": "xxx_pawn", "articles": ["xxx", "flame", "flame"]}), "bad_article"),
        (
            position(
                {**AAA, "journey": {"article": "bicycle", "to": "d5", "path": "beeline", "remaining": ["d5"]}}
            ),
            "bad_article",
        ),
        (
            position(
                {
                    **AAA,
                    "articles": ["bicycle"],
                    "journey": {"article": "bicycle", "to": "d4", "path": "beeline", "remaining": []},
                }
            ),
            "bad_article",
        ),
        (position(articles=[{"at": "a1", "articles": []}]), "bad_article"),
        (
            position(articles=[{"at": "a1", "articles": ["xxx"]}, {"at": "a1", "articles": ["xxx"]}]),
            "bad_article",
        ),
        # 6. too many of them
        (
            position(
                {**AAA, "articles": ["flame"]},
                articles=[{"at": at, "articles": ["xxx", "xxx"]} for at in SQUARES],
            ),
            "too_many_articles",
        ),
        # 7. projectiles
        (position(AAA, JET, projectiles=[{**SAM, "target": 3}]), "ok"),
        (position(AAA, JET, projectiles=[{**SAM, "target": 1}]), "bad_projectile"),
        (position(AAA, {**JET, "level": "ground"}, projectiles=[{**SAM, "target": 3}]), "bad_projectile"),
        (position(JET, projectiles=[{**SAM, "at": "d7"}]), "bad_projectile"),
        (position(projectiles=[{**SAM, "strength": 4}]), "bad_projectile"),
        (position(projectiles=[{**SAM, "strength": HUGE}]), "bad_projectile"),
        (position(projectiles=[SAM] * 65), "bad_projectile"),
        # 8. reinforcements
        (
            position(
                reinforcements=[{"id": 5, "seat": "black", "type": "sub", "at": "a8"}],
                activation_squares={"black": ["b8"], "white": ["a8"]},
            ),
            "bad_reinforcement",
        ),
        (
            position(reinforcements=[{"id": 5, "seat": "black", "type": "tank", "at": "a8"}]),
            "bad_reinforcement",
        ),
        # 9. primaries
        ({"pieces": [KINGS[0]]}, "missing_primary"),
        ({"pieces": [KINGS[0]], "turn_state": {"primary_lost": {"white": "primary_converted"}}}, "ok"),
    ],
)
def test_a_position_has_the_code_of_the_first_row_that_fails(start: Any, code: str) -> None:
    assert code_of({}, start) == code


def test_the_sixty_fifth_projectile_is_refused() -> None:
    missiles = [{**SAM, "kind": "torpedo", "at": "a9", "direction": "e", "fresh": True}] * 64
    state = GAME.new(position=position(AAA, projectiles=missiles))
    fire = {"type": "fire", "piece": 1, "weapon": "sam_launcher", "direction": "n"}
    assert state.check("black", fire) == "too_many_projectiles"
    state = GAME.new(position=position(AAA, projectiles=missiles[1:]))
    assert state.check("black", fire) is None


def test_a_reinforcement_needs_an_empty_square() -> None:
    start = position(
        {**TANK, "at": "a8", "hand": "right"},
        {"id": 5, "seat": "black", "type": "sub", "at": "a8"},
        reinforcements=[{"id": 57, "seat": "black", "type": "jet", "at": "a8"}],
    )
    state = GAME.new(position=start)
    state.apply("black", {"type": "move", "piece": 2, "to": "a9", "level": "ground"})
    assert state.check("black", {"type": "reinforce", "piece": 57}) == "square_not_empty"


def test_every_code_of_play_is_met_in_some_example_or_here() -> None:
    met = {"competitive"}  # the service's own (6.5)
    met |= {"too_many_pieces", "too_many_articles", "too_many_projectiles", "square_not_empty"}  # above
    for vector in vectors():
        if vector["game"] == "wec":
            met |= {vector.get("expect_setup_error", "")}
            met |= {step.get("expect_error", "") for step in vector["steps"]}
    assert set(GAME.raw.errors) <= met


@pytest.mark.parametrize(
    "action",
    [
        None,
        [],
        {"type": "fly"},
        {"type": "move", "piece": 1, "to": "d5"},
        {"type": "move", "piece": True, "to": "d5", "level": "ground"},
        {"type": "move", "piece": 1.0, "to": "d5", "level": "ground"},
        {"type": "move", "piece": 1, "to": "d5", "level": "space"},
        {"type": "move", "piece": 1, "to": ["d5"], "level": "ground"},
        {"type": "doze", "piece": 1, "squares": ["b2", "a2"], "direction": "n"},
        {"type": "doze", "piece": 1, "squares": ["a2", "a2"], "direction": "n"},
        {"type": "doze", "piece": 1, "squares": "a2", "direction": "n"},
        {"type": "fire", "piece": 1, "weapon": "flame", "target": "d5"},
        {"type": "fire", "piece": 1, "weapon": "rocket_launcher", "target": "d5"},
        {"type": "fire", "piece": 1, "weapon": "limited_rocket", "direction": "n"},
        {"type": "fire", "piece": 1, "weapon": "bicycle", "to": "d5"},
        {"type": "fire", "piece": 1, "weapon": "flame", "to": "d5", "path": "beeline"},
        {"type": "exchange", "from": 1, "to": 1, "article": "flame"},
        {"type": "exchange", "from": 1, "to": 2, "article": "flame", "for": "flame"},
        {"type": "exchange", "from": 2, "to": 1, "article": "flame", "for": "stun"},
        {"type": "exchange", "from": HUGE, "to": HUGE, "article": "flame"},
        {"type": "end_turn", "seat": "black"},
        {"type": "timeout", "seat": "white"},
    ],
)
def test_a_malformed_action_is_malformed_for_either_seat(action: Any) -> None:
    state = GAME.new()
    assert state.check("black", action) == "malformed_action"
    assert state.check("white", action) == "malformed_action"


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ({"type": "move", "piece": HUGE, "to": "d5", "level": "ground"}, "not_your_piece"),
        ({"type": "move", "piece": -1, "to": "d5", "level": "ground"}, "not_your_piece"),
        ({"type": "move", "piece": 1, "to": "z9", "level": "ground"}, "unknown_space"),
        ({"type": "doze", "piece": 1, "squares": ["z9", "a1", "a1"], "direction": "n"}, "unknown_space"),
        (
            {"type": "doze", "piece": 2, "squares": ["a1", "c1", "a2", "b2", "c2"], "direction": "n"},
            "illegal_group",
        ),
        ({"type": "exchange", "from": HUGE, "to": HUGE + 1, "article": "flame"}, "not_your_piece"),
        ({"type": "reinforce", "piece": HUGE}, "no_such_reinforcement"),
    ],
)
def test_numbers_and_names_that_mean_nothing(action: Any, code: str) -> None:
    assert GAME.new().check("black", action) == code


def test_a_damaged_history_is_refused_and_never_more(seed: int) -> None:
    rng = random.Random(seed)
    vector = next(v for v in vectors() if v["game"] == "wec" and v["name"] == "doze_group")
    start = GAME.new(options=vector["options"], position=copy.deepcopy(vector["position"]))
    text = wec_notation.write(start, [(s["seat"], s["action"]) for s in vector["steps"]])
    text += "2W MV:K(10,6)->(9,6),FI1:SL/AAA(1,1)=>JE^(4,4)\n"
    codes = set()
    for _ in range(400):
        at = rng.randrange(len(text))
        damaged = text[:at] + rng.choice('MVBW:->^v(),#?"{}1290 \n') + text[at + rng.randint(0, 3) :]
        try:
            wec_notation.read(GAME, damaged)
        except Refused as refused:
            codes.add(refused.code)
    assert codes == {"invalid_position"}
