"""Which error comes first, and what is refused at all: armies, areas, Positions (confrontation 7.1, 7.3, 10.6)."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import warlog_core
from warlog_core import Refused

GAME = warlog_core.game("confrontation")


FREE_MAGES: dict[str, Any] = {"spells_per_bishop": 0, "piece_table": {"bishop": {"cost": 1}}}


def army(**fields: Any) -> dict[str, Any]:
    return {"type": "army", **fields}


@pytest.mark.parametrize(
    ("options", "action", "code"),
    [
        ({}, army(), "malformed_action"),
        ({}, army(pieces=[]), "malformed_action"),
        ({}, army(pieces={"king": 1}), "malformed_action"),
        ({}, army(pieces={"pawn": -1}), "malformed_action"),
        ({}, army(pieces={"pawn": 61}), "malformed_action"),
        ({}, army(pieces={"pawn": True}), "malformed_action"),
        ({}, army(pieces={"pawn": 1.0}), "malformed_action"),
        ({}, army(pieces={"pawn": 10**30}), "malformed_action"),
        ({}, army(pieces={}, bishops={}), "malformed_action"),
        ({}, army(pieces={}, bishops=[["sleep"]]), "malformed_action"),
        ({}, army(pieces={}, bishops=["heal"]), "malformed_action"),
        ({}, army(pieces={}, bishops=None), "malformed_action"),
        ({}, army(pieces={}, race="gnomes"), "malformed_action"),
        ({}, army(pieces={}, extra_tokens=61), "malformed_action"),
        ({}, army(pieces={}, extra_tokens=-1), "malformed_action"),
        ({}, army(pieces={}, open=True), "malformed_action"),
        ({}, army(open=True), "malformed_action"),
        # (a) before (b) before (c) before (d)
        ({}, army(pieces={"bishop": 60}, race="elves"), "too_many_pieces"),
        ({}, army(pieces={"bishop": 12}, bishops=[["heal"] * 200] * 30, race="elves"), "bad_spells"),
        ({}, army(pieces={"bishop": 12}, bishops=[["heal"] * 99] * 12, race="elves"), "race_not_allowed"),
        ({}, army(pieces={"bishop": 12}, bishops=[["heal"] * 99] * 12), "too_many_points"),
        ({}, army(pieces={"bishop": 1}, bishops=[["heal"] * 100]), "bad_spells"),
        ({}, army(pieces={}, bishops=[["heal", "heal"]]), "bad_spells"),
        ({}, army(pieces={"bishop": 2}, bishops=[["heal", "heal"]]), "bad_spells"),
        ({}, army(pieces={}, extra_tokens=1), "race_not_allowed"),
        ({}, army(pieces={}, extra_tokens=0), None),
        ({}, army(pieces={"pawn": 12}), None),
        ({"free_pawns": 8}, army(pieces={"pawn": 8}), "too_many_pieces"),
        ({"races": True}, army(pieces={}), "race_required"),
        ({"races": True}, army(pieces={"queen": 9}), "race_required"),
        ({"races": True}, army(pieces={"queen": 3}, race="orcs", extra_tokens=1), "too_many_points"),
        ({"races": True, "army_points": 0}, army(pieces={}, race="orcs"), None),
        ({"spells_per_bishop": 0}, army(pieces={"bishop": 3}, bishops=[[], ["heal"], ["hurt", "panic"]]), None),
        ({"spells_per_bishop": 0}, army(pieces={"bishop": 3}, bishops=[[], ["heal"], ["hurt"] * 3]), "too_many_points"),
        (FREE_MAGES, army(pieces={"bishop": 12}, bishops=[[]] * 12), None),
    ],
    ids=str,
)  # fmt: skip
def test_an_army_is_refused_for_the_first_of_its_faults(
    options: dict[str, Any], action: dict[str, Any], code: str | None
) -> None:
    state = GAME.new(options=options)
    assert state.check("white", action) == code
    if code is None:
        event = state.apply("white", action)
        assert event.action == action
        assert state.view("white", plain=True)["seats"][0]["army"] == {
            name: value for name, value in action.items() if name != "type"
        }


def test_the_dearest_armies_that_points_can_buy_fit_the_state() -> None:
    cheap = {
        "free_pawns": 1,
        "army_points": 60,
        "spells_per_bishop": 6,
        "piece_table": {"bishop": {"cost": 1}},
    }
    lists = [["panic"] * 52] + [["hurt"] * 6] * 13
    action = army(pieces={"bishop": 14}, bishops=lists)
    state = GAME.new(options=cheap)
    state.apply("white", action)
    assert state.view("white", plain=True)["seats"][0]["army"]["bishops"] == lists
    more = army(pieces={"bishop": 14}, bishops=[["panic"] * 53, *lists[1:]])
    assert state.check("black", more) == "too_many_points"
    event = state.apply("black", action, draws=[0, 1])
    assert event.effects[1].armies[0].spent == 60


@pytest.mark.parametrize(
    ("kind", "spaces", "code"),
    [
        ("rough", [], "bad_terrain_size"),
        ("rough", ["c3", "c4", "c5"], "bad_terrain_size"),
        ("rough", ["c3", "c4", "c5", "c5"], "bad_terrain_size"),
        ("rough", ["c3"] * 500, "bad_terrain_size"),
        ("rough", ["c3", "c4", "c5", "c6", "d3"], "bad_terrain_size"),
        ("rough", ["c3"] * 500 + ["z9"], "unknown_space"),
        ("rough", ["z9"], "unknown_space"),
        ("rough", ["c3", "d4", "e5", "f6"], "terrain_not_connected"),
        ("rough", ["h4", "a5", "b5", "c5"], "terrain_not_connected"),
        ("rough", ["c2", "c3", "c4", "c5"], "terrain_in_zone"),
        ("rough", ["a3", "a4", "b3", "b4"], None),
        ("barrier", ["c3", "c4", "c5", "c6", "d3", "d4", "d5", "d6"], None),
        ("rough", ["c6", "c3", "c5", "c4"], None),
        ("lava", ["z9"], "malformed_action"),
        ("rough", "c3", "malformed_action"),
        ("rough", [3], "malformed_action"),
        ("rough", [["c3"]], "malformed_action"),
        (None, ["c3", "c4", "c5", "c6"], "malformed_action"),
    ],
    ids=str,
)
def test_an_area_is_refused_for_the_first_of_its_faults(kind: Any, spaces: Any, code: str | None) -> None:
    state = GAME.new(options={"terrain": "players"})
    for seat in state.seats:
        state.apply(seat, army(pieces={}), draws=[1, 0] if seat == "black" else [])
    state.apply("white", {"type": "choose_order", "position": 1})
    action = {"type": "place_terrain", "kind": kind, "spaces": spaces}
    assert state.check("white", action) == code
    if code is None:
        assert state.apply("white", action).action == action
        area = {"kind": kind, "spaces": sorted(spaces, key=lambda space: (space[1], space[0]))}
        assert state.view("black", plain=True)["terrain"] == [area]
        assert state.check("black", action) == "terrain_overlap"
        why = state.explain("black", action, "terrain_overlap")
        assert why.detail == f"{why.members['space']} has terrain already."
        assert why.path == f"/spaces/{spaces.index(why.members['space'])}"
    if code == "terrain_in_zone":
        why = state.explain("white", action, code)
        assert (
            why.detail == f"{why.members['space']} lies in the zone of White, where no terrain may be placed."
        )
        assert why.path == f"/spaces/{spaces.index(why.members['space'])}"


@pytest.mark.parametrize("position", [0, 3, -1, 2**31 - 1, -(2**31), -(2**31) + 3])
def test_a_place_that_is_none_is_bad(position: int) -> None:
    state = GAME.new()
    for seat in state.seats:
        state.apply(seat, army(pieces={}), draws=[1, 0] if seat == "black" else [])
    assert state.check("white", {"type": "choose_order", "position": position}) == "bad_place"
    assert state.check("white", {"type": "choose_order", "position": 2**31}) == "malformed_action"


GOOD: dict[str, Any] = {
    "seats": [{"seat": "white"}, {"seat": "black"}],
    "pieces": [
        {"id": 1, "seat": "white", "type": "king", "at": "a1"},
        {"id": 2, "seat": "white", "type": "bishop", "at": "b1", "spells": ["panic", "heal"]},
        {"id": 3, "seat": "black", "type": "king", "at": "h8"},
        {"id": 9999, "seat": "black", "type": "rook", "at": "a8"},
        {"id": 7, "seat": "white", "type": "pawn", "status": "removed"},
    ],
    "acted": [2], "actions_left": 1,
    "terrain": [{"kind": "rough", "spaces": ["h1"]}],
}  # fmt: skip


def changed(path: list[Any], value: Any) -> dict[str, Any]:
    """GOOD with the value at the path replaced, or, for ..., taken away."""
    position = copy.deepcopy(GOOD)
    place: Any = position
    for name in path[:-1]:
        place = place[name]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return position


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        (["turn"], 5, None),
        (["seats"], ..., "invalid_position"),
        (["pieces"], ..., "invalid_position"),
        (["pieces"], {}, "invalid_position"),
        (["more"], 1, "invalid_position"),
        (["turn"], "1", "invalid_position"),
        (["turn"], 2**31, "invalid_position"),
        (["turn"], True, "invalid_position"),
        (["draw_offered"], 1, "invalid_position"),
        (["active"], "green", "invalid_position"),
        (["pieces", 0, "id"], ..., "invalid_position"),
        (["pieces", 0, "more"], 1, "invalid_position"),
        (["pieces", 0, "at"], "a9", "invalid_position"),
        (["pieces", 0, "status"], "gone", "invalid_position"),
        (["pieces", 1, "spells"], ["sleep"], "invalid_position"),
        (["terrain", 0, "kind"], "lava", "invalid_position"),
        (["terrain", 0, "spaces"], ..., "invalid_position"),
        (["seats", 0, "seat"], "black", "bad_seats"),
        (["seats", 1, "seat"], "red", "bad_seats"),
        (["seats", 1, "alive"], False, "bad_seats"),
        (["seats"], [{"seat": "white"}, {"seat": "black"}, {"seat": "blue"}], "bad_seats"),
        (["seats", 0, "race"], "orcs", "bad_race"),
        (["seats", 0, "race_tokens"], 0, "bad_race"),
        (["play_order"], ["white"], "bad_play_order"),
        (["play_order"], [], "bad_play_order"),
        (["play_order"], ["white", "black", "white"], "bad_play_order"),
        (["play_order"], ["white", "black", "red"], "bad_play_order"),
        (["active"], "red", "bad_active"),
        (["turn"], 0, "bad_turn"),
        (["turn"], -1, "bad_turn"),
        (["actions_left"], 3, "bad_actions_left"),
        (["actions_left"], -1, "bad_actions_left"),
        (["pieces", 1, "id"], 1, "duplicate_id"),
        (["pieces", 4, "id"], 9999, "duplicate_id"),
        (["pieces", 0, "id"], 0, "bad_piece"),
        (["pieces", 0, "id"], 10000, "bad_piece"),
        (["pieces", 0, "seat"], "red", "bad_piece"),
        (["pieces", 0, "status"], "reserve", "bad_piece"),
        (["pieces", 0, "status"], "fallen", "bad_piece"),
        (["pieces", 0, "status"], "removed", "bad_piece"),
        (["pieces", 0, "at"], ..., "bad_piece"),
        (["pieces", 4, "at"], "c3", "bad_piece"),
        (["pieces", 4, "strength"], 1, "bad_piece"),
        (["pieces", 4, "strength"], 0, None),
        (["pieces", 4, "spells"], [], "bad_piece"),
        (["pieces", 3, "spells"], [], "bad_piece"),
        (["pieces", 3, "strength"], 1000, "bad_piece"),
        (["pieces", 3, "combat_bonus"], -1, "bad_piece"),
        (["pieces", 3, "move_bonus"], 999, None),
        (["pieces", 1, "spells"], ["heal"] * 99, None),
        (["pieces", 1, "spells"], ["heal"] * 100, "bad_piece"),
        (["pieces", 1, "at"], "a1", "duplicate_space"),
        (["pieces", 1, "type"], "king", "bad_piece"),
        (["pieces", 4, "type"], "king", "king_count"),
        (["pieces", 0, "type"], "queen", "king_count"),
        (["pieces", 3, "seat"], "white", "lone_king"),
        (["acted"], [1, 2], "bad_acted"),
        (["acted"], [3], "bad_acted"),
        (["acted"], [8], "bad_acted"),
        (["acted"], [-1], "bad_acted"),
        (["acted"], [7], None),
        (["terrain", 0, "spaces"], [], "bad_terrain"),
        (["terrain", 0, "spaces"], ["c3", "c3"], "bad_terrain"),
    ],
    ids=str,
)
def test_a_position_is_refused_for_the_first_of_its_faults(
    path: list[Any], value: Any, code: str | None
) -> None:
    position = changed(path, value)
    if code is None:
        assert GAME.new(position=position).position() is not None
    else:
        with pytest.raises(Refused) as refused:
            GAME.new(position=position)
        assert refused.value.code == code


def test_a_position_may_name_every_id_there_is() -> None:
    pieces = [{"id": i, "seat": "black", "type": "pawn", "status": "removed"} for i in range(10, 9999)]
    position = {**GOOD, "pieces": [*GOOD["pieces"], *pieces]}
    state = GAME.new(position=position)
    assert len(state.view("white").pieces) == 5 + len(pieces)
    assert GAME.load(state.setup, state.data).hash == state.hash
    assert GAME.new(position=state.position(plain=True)).data == state.data


def test_a_recruit_after_the_greatest_id_of_a_position_has_the_next() -> None:
    pieces = [
        {"id": 1, "seat": "white", "type": "king", "at": "a1"},
        {"id": 2, "seat": "white", "type": "queen", "at": "d4"},
        {"id": 3, "seat": "black", "type": "king", "at": "h8"},
        {"id": 4, "seat": "black", "type": "knight", "at": "d5"},
        {"id": 9999, "seat": "black", "type": "pawn", "at": "a7"},
    ]
    state = GAME.new(options={"treasure": True}, position={"seats": GOOD["seats"], "pieces": pieces})
    event = state.apply("white", {"type": "move", "piece": 2, "to": "d5"}, draws=[5, 0, 5])
    assert event.effects[-1].piece == 10000
    state.apply("white", {"type": "move", "piece": 10000, "to": "b3"})
