"""Options, Positions and actions of Hex Tactics that are wrong in shape: each has its own code, whatever the bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import warlog_core
from warlog_core import Refused, loads

GAME = warlog_core.game("hex")
KNIGHT: dict[str, Any] = {
    "id": "knight", "name": "Knight", "level": 1, "initiative": 5, "hp": 10, "move": 1, "movement": "walk", "range": 1,
    "attack": 5, "spread": 0, "shooter": False, "retaliations": 0, "skill": "none", "cost": 10,
}  # fmt: skip
HEALER = {**KNIGHT, "skill": "heal", "skill_range": 0, "skill_power": 1, "skill_uses": 0}
CALLER = {**HEALER, "id": "caller", "skill": "summon", "skill_range": 1, "summon_unit": "knight"}
ARMY = [{"unit": "wolf", "count": 5}]
HUGE = int("9" * 100)


def zeros(size: int) -> bytes:
    return bytes(size)


def without(entry: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in names}


def code_of(options: Any, position: Any = None) -> str:
    """The code with which both questions refuse, "ok" if neither does."""

    def answer(question: Callable[..., object], **more: Any) -> str:
        try:
            question(options=options, position=position, **more)
        except Refused as refused:
            return refused.code
        return "ok"

    code = answer(GAME.check_options)
    assert answer(GAME.new, draws=zeros) == code
    return code


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], "invalid_options"),
        ("hex", "invalid_options"),
        (True, "invalid_options"),
        ({"Seats": 2}, "invalid_options"),
        ({"seats": HUGE}, "invalid_options"),
        ({"seats": 2**63}, "invalid_options"),
        ({"teams": "trios"}, "invalid_options"),
        ({"teams": 1}, "invalid_options"),
        ({"teams": None}, "invalid_options"),
        ({"obstacle_spaces": "g5"}, "invalid_options"),
        ({"obstacle_spaces": [5]}, "invalid_options"),
        ({"obstacle_spaces": ["g5", None]}, "invalid_options"),
        ({"obstacle_spaces": ["nowhere", "g5", "g5"]}, "ok"),  # only looked at with `list`
        ({"obstacles": "list", "obstacle_spaces": ["nowhere"]}, "bad_obstacles"),
        ({"obstacles": "list", "obstacle_spaces": ["g05"]}, "bad_obstacles"),
        ({"obstacles": "list", "obstacle_spaces": ["G5"]}, "bad_obstacles"),
        ({"obstacles": "list", "obstacle_spaces": ["g٥"]}, "bad_obstacles"),
        ({"obstacles": "list", "obstacle_spaces": ["\ud800"]}, "bad_obstacles"),
        ({"obstacles": "list", "obstacle_spaces": ["g5", "g5"]}, "bad_obstacles"),
        ({"obstacles": "list", "obstacle_spaces": ["g12"]}, "bad_obstacles"),
        ({"obstacles": "list", "obstacle_spaces": ["p1"]}, "bad_obstacles"),
        ({"obstacles": "list"}, "ok"),
        ({"roster": None}, "bad_roster"),
        ({"roster": []}, "bad_roster"),
        ({"roster": {}}, "bad_roster"),
        ({"roster": [None]}, "bad_roster"),
        ({"roster": [KNIGHT]}, "ok"),
        ({"roster": [KNIGHT, KNIGHT]}, "bad_roster"),
        ({"roster": [{**KNIGHT, "id": f"k{i}"} for i in range(40)]}, "ok"),
        ({"roster": [{**KNIGHT, "id": f"k{i}"} for i in range(41)]}, "bad_roster"),
        *(({"roster": [without(KNIGHT, name)]}, "bad_roster") for name in KNIGHT),
        *(({"roster": [{**KNIGHT, name: None}]}, "bad_roster") for name in KNIGHT),
        ({"roster": [{**KNIGHT, "colour": "red"}]}, "bad_roster"),
        ({"roster": [{**KNIGHT, "level": 1.0}]}, "bad_roster"),
        ({"roster": [{**KNIGHT, "level": True}]}, "bad_roster"),
        ({"roster": [{**KNIGHT, "level": HUGE}]}, "bad_roster"),
        ({"roster": [{**KNIGHT, "shooter": 1}]}, "bad_roster"),
        ({"roster": [{**KNIGHT, "movement": "swim"}]}, "bad_roster"),
        ({"roster": [{**KNIGHT, "skill": "sing"}]}, "bad_roster"),
        ({"roster": [{**KNIGHT, "skill": ["none"]}]}, "bad_roster"),
        ({"roster": [{**KNIGHT, "id": "Knight"}]}, "bad_roster"),
        ({"roster": [{**KNIGHT, "id": "knight\n"}]}, "bad_roster"),
        ({"roster": [{**KNIGHT, "id": "k" * 32}]}, "ok"),
        ({"roster": [{**KNIGHT, "id": "k" * 33}]}, "bad_roster"),
        ({"roster": [{**KNIGHT, "name": ""}]}, "bad_roster"),
        ({"roster": [{**KNIGHT, "name": "𝔎" * 40}]}, "ok"),
        ({"roster": [{**KNIGHT, "name": "𝔎" * 41}]}, "bad_roster"),
        ({"roster": [{**KNIGHT, "name": "\ud800"}]}, "bad_roster"),  # no text: it could never be sent back
        ({"roster": [{**KNIGHT, "spread": 6}]}, "bad_roster"),
        ({"roster": [{**KNIGHT, "skill_range": 1}]}, "bad_roster"),
        ({"roster": [HEALER]}, "ok"),
        ({"roster": [{**HEALER, "summon_unit": "knight"}]}, "bad_roster"),
        ({"roster": [without(HEALER, "skill_uses")]}, "bad_roster"),
        ({"roster": [KNIGHT, CALLER]}, "ok"),
        ({"roster": [CALLER, KNIGHT]}, "ok"),
        ({"roster": [KNIGHT, {**CALLER, "skill_range": 0}]}, "bad_roster"),
        ({"roster": [KNIGHT, {**CALLER, "summon_unit": "caller"}]}, "bad_roster"),
        ({"roster": [KNIGHT, {**CALLER, "summon_unit": "nobody"}]}, "bad_roster"),
        ({"roster": [KNIGHT, without(CALLER, "summon_unit")]}, "bad_roster"),
        ({"roster": [{**KNIGHT, "cost": 0}]}, "bad_roster"),
        ({"roster": "knight", "colour": 1}, "invalid_options"),  # the options come first
        ({"armies": "anything at all"}, "ok"),  # not looked at unless `army` is `given`
        ({"army": "given"}, "bad_armies"),
        ({"army": "given", "armies": None}, "bad_armies"),
        ({"army": "given", "armies": {"red": ARMY}}, "bad_armies"),
        ({"army": "given", "armies": {"red": ARMY, "blue": ARMY}}, "ok"),
        ({"army": "given", "armies": {"red": ARMY, "blue": ARMY, "green": ARMY}}, "bad_armies"),
        ({"army": "given", "armies": {"red": ARMY, "purple": ARMY}}, "bad_armies"),
        ({"army": "given", "armies": {"red": ARMY, "blue": []}}, "bad_armies"),
        ({"army": "given", "armies": {"red": ARMY, "blue": [{"unit": "wolf"}]}}, "bad_armies"),
        ({"army": "given", "armies": {"red": ARMY, "blue": [{"unit": "wolf", "count": 0}]}}, "bad_armies"),
        ({"army": "given", "armies": {"red": ARMY, "blue": [{"unit": "wolf", "count": True}]}}, "bad_armies"),
        ({"army": "given", "armies": {"red": ARMY, "blue": [{"unit": "wolf", "count": HUGE}]}}, "bad_armies"),
        ({"army": "given", "armies": {"red": ARMY, "blue": [{"unit": "wolf", "count": 1, "x": 1}]}}, "bad_armies"),
        ({"army": "given", "armies": {"red": ARMY, "blue": [{"unit": "nobody", "count": 1}]}}, "bad_armies"),
        ({"army": "given", "armies": {"red": ARMY, "blue": ARMY * 8}}, "bad_armies"),
        ({"army": "given", "armies": {"red": ARMY, "blue": ARMY * 100000}}, "bad_armies"),
        ({"army": "given", "roster": [KNIGHT], "armies": {"red": ARMY, "blue": ARMY}}, "bad_armies"),
        ({"army": "given", "roster": [None], "armies": None}, "bad_roster"),
    ],
    ids=lambda value: repr(value)[:60],
)  # fmt: skip
def test_options_are_refused_with_the_first_code_that_fits(options: Any, code: str) -> None:
    assert code_of(options) == code


RED = {"seat": "red", "unit": "wolf", "space": "c3", "count": 5}
BLUE = {"seat": "blue", "unit": "wolf", "space": "e3", "count": 5}


def recruited(*army: Any) -> dict[str, Any]:
    return {"phase": "recruit", "seats": [{"seat": "red", "army": list(army)}]}


def play(**more: Any) -> dict[str, Any]:
    return {"stacks": [RED, BLUE], **more}


def red(**more: Any) -> dict[str, Any]:
    return {"stacks": [{**RED, **more}, BLUE]}


@pytest.mark.parametrize(
    ("position", "code"),
    [
        (play(), "ok"),
        ([], "invalid_position"),
        ("play", "invalid_position"),
        (play(colour=1), "invalid_position"),
        (play(round=True), "invalid_position"),
        (play(round=1.0), "invalid_position"),
        (play(round=None), "invalid_position"),
        (play(round=2**63), "invalid_position"),  # fits no 64 bits: no integer
        (play(round=2**63 - 1), "position_bad_phase"),
        (play(round=0), "position_bad_phase"),
        (play(phase="over"), "position_bad_phase"),
        (play(phase="tea"), "position_bad_phase"),
        (play(phase=None), "invalid_position"),
        (play(phase=7), "invalid_position"),
        (play(phase="recruit", queue=[1]), "invalid_position"),
        (play(phase="tea", queue=[1], seats=[{"seat": "red", "ready": True}]), "position_bad_phase"),
        (play(seats=[{"seat": "red", "ready": True}]), "invalid_position"),
        (play(seats=[{"seat": "red", "army": []}]), "invalid_position"),
        (play(seats=[{"status": "in"}]), "invalid_position"),
        (play(seats=[{"seat": "red", "status": None}]), "invalid_position"),
        (play(seats=[{"seat": "red", "status": "asleep"}]), "position_bad_seat"),
        (play(seats=[{"seat": "purple"}]), "position_bad_seat"),
        (play(seats=[{"seat": "red"}, {"seat": "red"}]), "position_bad_seat"),
        (play(seats=[{"seat": "red", "draw_offer": 1}]), "invalid_position"),
        (play(seats=["red"]), "invalid_position"),
        (play(obstacles=["z9"]), "position_bad_obstacles"),
        (play(obstacles=[9]), "invalid_position"),
        (play(obstacles=None), "invalid_position"),
        (play(next_id=1), "position_bad_id"),
        (play(next_id="3"), "invalid_position"),
        (play(queue=None), "invalid_position"),
        (play(queue=[]), "position_bad_queue"),
        (play(queue=[1, 1]), "position_bad_queue"),
        (play(queue=[True]), "invalid_position"),
        (play(queue=[2**62 + 1]), "position_bad_queue"),
        (play(queue=[2**63]), "invalid_position"),
        (red(id=1), "position_bad_id"),
        (red(count="5"), "invalid_position"),
        (red(count=0), "position_bad_value"),
        (red(count=2**63 - 1), "position_bad_value"),
        (red(unit="nobody"), "position_unknown_unit"),
        (red(unit=3), "invalid_position"),
        (red(seat="green"), "position_bad_seat"),
        (red(space="nowhere"), "position_bad_space"),
        (red(space="\ud800"), "position_bad_space"),
        (red(space=["c3"]), "invalid_position"),
        (red(top_hp=13), "position_bad_value"),
        (red(defending=0), "invalid_position"),
        (red(colour="grey"), "invalid_position"),
        *(
            ({"stacks": [without(RED, name), BLUE]}, "invalid_position")
            for name in ("seat", "unit", "space", "count")
        ),
        ({"stacks": [RED, None]}, "invalid_position"),
        ({"stacks": {}}, "invalid_position"),
        (recruited(*ARMY), "ok"),
        (recruited(), "position_bad_value"),
        ({"phase": "recruit", "seats": [{"seat": "red", "army": None}]}, "invalid_position"),
        (recruited({"unit": "wolf"}), "invalid_position"),
        (recruited({"unit": "wolf", "count": 2**70}), "invalid_position"),
        (recruited({"unit": "wolf", "count": 2**60}), "position_bad_value"),
        (recruited({"unit": "elk", "count": 1}), "position_bad_value"),
        (recruited(*ARMY * 100000), "position_bad_value"),
    ],
    ids=lambda value: repr(value)[:70],
)  # fmt: skip
def test_positions_are_refused_with_the_first_code_that_fits(position: Any, code: str) -> None:
    assert code_of({}, position) == code


def recruiting() -> warlog_core.State:
    return GAME.new(options={"obstacles": "none"})


def battle() -> warlog_core.State:
    return GAME.new(options={"obstacles": "none"}, position=play(queue=[1, 2]))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"type": "move", "piece": 1, "to": "d3"}', None),
        ('{"to": "d3", "piece": 1, "type": "move"}', None),
        ('{"type": "move", "piece": 1.0, "to": "d3"}', "malformed_action"),
        ('{"type": "move", "piece": 1e0, "to": "d3"}', "malformed_action"),
        ('{"type": "move", "piece": true, "to": "d3"}', "malformed_action"),
        ('{"type": "move", "piece": "1", "to": "d3"}', "malformed_action"),
        ('{"type": "move", "piece": null, "to": "d3"}', "malformed_action"),
        ('{"type": "move", "piece": 1, "to": null}', "malformed_action"),
        ('{"type": "move", "piece": 1, "to": 3}', "malformed_action"),
        ('{"type": "move", "piece": 1, "to": ["d3"]}', "malformed_action"),
        ('{"type": "move", "piece": 1}', "malformed_action"),
        ('{"type": "move", "piece": 1, "target": "d3"}', "malformed_action"),
        ('{"type": "move", "piece": 1, "to": "d3", "target": "e3"}', "malformed_action"),
        ('{"type": "move", "piece": 1, "to": "d3", "open": true}', "malformed_action"),
        ('{"type": "move", "piece": 1, "to": "\\ud800"}', "unknown_space"),
        ('{"type": "move", "piece": 1, "to": ""}', "unknown_space"),
        ('{"type": "move", "piece": 1, "to": "d３"}', "unknown_space"),
        ('{"type": "move", "piece": 1, "to": "p1"}', "unknown_space"),
        ('{"type": "move", "piece": 0, "to": "d3"}', "not_active_piece"),
        ('{"type": "move", "piece": -1, "to": "d3"}', "not_active_piece"),
        ('{"type": "move", "piece": 4294967297, "to": "d3"}', "not_active_piece"),
        ('{"type": "move", "piece": 9223372036854775807, "to": "d3"}', "not_active_piece"),
        ('{"type": "move", "piece": -9223372036854775808, "to": "d3"}', "not_active_piece"),
        ('{"type": "move", "piece": 9223372036854775808, "to": "d3"}', "malformed_action"),
        ('{"type": "move", "piece": ' + "1" * 100 + ', "to": "d3"}', "malformed_action"),
        ('{"type": "move", "piece": ' + "1" * 10000 + ', "to": "d3"}', "malformed_action"),
        ('{"type": "move", "piece": -2147483648, "to": "d3"}', "not_active_piece"),
        ('{"type": "move", "piece": -2147483647, "to": "d3"}', "not_active_piece"),
        ('{"type": "attack", "piece": 1, "target": "e3"}', "out_of_range"),
        ('{"type": "move_attack", "piece": 1, "to": "d3", "target": "e3"}', None),
        ('{"type": "move_attack", "piece": 1, "target": "e3"}', "malformed_action"),
        ('{"type": "defend", "piece": 1}', None),
        ('{"type": "defend"}', "malformed_action"),
        ('{"type": "timeout", "seat": "red"}', "malformed_action"),  # posted by a seat
        ('{"type": "resign", "reason": "tea"}', "malformed_action"),
        ("{}", "malformed_action"),
        ("[]", "malformed_action"),
        ("null", "malformed_action"),
    ],
    ids=lambda value: repr(value)[:70],
)
def test_a_turn_action_of_the_wrong_shape_is_malformed_and_a_wrong_value_is_judged(
    text: str, code: str | None
) -> None:
    assert battle().check("red", loads(text)) == code


def test_an_unknown_unit_is_told_which_may_be_recruited() -> None:
    state = recruiting()
    wrong = {"type": "recruit", "army": [{"unit": "unicorn", "count": 1}]}
    allowed = state.explain("red", wrong, "unknown_unit").members["allowed"]
    assert {"wolf", "militia"} <= set(allowed)
    assert "skeleton" not in allowed  # it is summoned
    for unit in allowed:
        assert state.check("red", {"type": "recruit", "army": [{"unit": unit, "count": 1}]}) is None


@pytest.mark.parametrize(
    ("army", "code"),
    [
        ([{"unit": "wolf", "count": 1}], None),
        ([], "empty_army"),
        ([{"unit": "wolf", "count": 1}] * 8, "too_many_stacks"),
        ([{"unit": "wolf", "count": 1}] * 100000, "too_many_stacks"),
        ([{"unit": "unicorn", "count": 1}], "unknown_unit"),
        ([{"unit": "\ud800", "count": 1}], "unknown_unit"),
        ([{"unit": "skeleton", "count": 1}], "not_recruitable"),
        ([{"unit": "wolf", "count": 0}], "bad_count"),
        ([{"unit": "wolf", "count": -(2**63)}], "bad_count"),
        ([{"unit": "wolf", "count": 2**31 - 1}], "bad_count"),
        ([{"unit": "wolf", "count": 2**63 - 1}], "bad_count"),
        ([{"unit": "wolf", "count": 2**63}], "malformed_action"),
        ([{"unit": "wolf", "count": 9999}], "too_expensive"),
        ([{"unit": "wolf", "count": True}], "malformed_action"),
        ([{"unit": "wolf", "count": 1, "open": True}], "malformed_action"),
        ([{"unit": "wolf", "count": 1}, None], "malformed_action"),
        ([{"unit": 5, "count": 1}], "malformed_action"),
        ([{"unit": "unicorn", "count": 0}] * 7 + [{"unit": "wolf"}], "malformed_action"),
        ({}, "malformed_action"),
        (None, "malformed_action"),
        ("wolf", "malformed_action"),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_a_posted_army_is_malformed_or_judged_entry_by_entry(army: Any, code: str | None) -> None:
    assert recruiting().check("red", {"type": "recruit", "army": army}) == code


def test_the_listed_template_is_not_an_action() -> None:
    state = recruiting()
    assert state.legal("red", plain=True)[0] == {"type": "recruit", "open": True}
    assert state.check("red", {"type": "recruit", "open": True}) == "malformed_action"
    assert state.check("red", {"type": "recruit"}) == "malformed_action"
    assert state.check("red", {"type": "recruit", "army": ARMY, "open": True}) == "malformed_action"


@pytest.mark.parametrize("seat", ["purple", "", "Red", 1, None, "\ud800"])
def test_the_servers_timeout_names_one_of_the_four_seats(seat: Any) -> None:
    assert recruiting().check("server", {"type": "timeout", "seat": seat}) == "malformed_action"


def test_the_server_posts_nothing_but_timeout_and_for_a_seat_of_the_match_only() -> None:
    state = recruiting()
    assert state.check("server", {"type": "timeout", "seat": "red"}) is None
    assert state.check("server", {"type": "timeout", "seat": "green"}) == "unknown_seat"
    assert state.check("server", {"type": "resign"}) == "malformed_action"
    assert state.check("green", {"type": "resign"}) == "unknown_seat"


def test_a_finished_match_answers_match_over_to_anything() -> None:
    state = recruiting()
    state.apply("red", {"type": "resign"})
    for actor in ("red", "blue", "green", "server"):
        actions: list[Any] = [
            None,
            [],
            {},
            {"type": "resign"},
            {"type": "move", "piece": HUGE},
            {"type": "tea"},
        ]
        for action in actions:
            assert state.check(actor, action) == "match_over"


def test_the_default_match_cannot_be_changed_while_it_runs() -> None:
    state = recruiting()
    before = state.data
    with pytest.raises(Refused) as refused:
        state.reconfigure({"round_limit": 3})
    assert refused.value.code == "invalid_options"
    assert state.data == before


@pytest.mark.parametrize(
    "labels",
    [
        b"[",
        b"null",
        b"[[]]",
        b'[["knight", 1]]',
        b'[["knight", "Knight"], ["knight", "K"]]',
        b"[" * 9000,
        b"\xff",
        b"",
    ],
    ids=lambda labels: repr(labels)[:30],
)
def test_damaged_names_of_a_roster_are_a_bad_state(labels: bytes) -> None:
    options = {"roster": [KNIGHT, {**KNIGHT, "id": "k2"}]}
    state = GAME.new(options=options, draws=zeros)
    names = state.setup[GAME.raw.setup_size :]
    assert GAME.load(state.setup, state.data).view("red") == state.view("red")
    with pytest.raises(warlog_core.BadState):
        GAME.load(state.setup.removesuffix(names) + labels, state.data)
    with pytest.raises(warlog_core.BadState):
        GAME.load(GAME.new(draws=zeros).setup + names, state.data)
