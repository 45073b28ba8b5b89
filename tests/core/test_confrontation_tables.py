"""The tables that confrontation.c and its codec hold, against the rule book's data, cell by cell."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import msgspec
import pytest

import warlog_core
from tests.core.games import TESTS
from warlog_core import Refused
from warlog_core.codecs import confrontation_structs as structs

GAME = warlog_core.game("confrontation")
BOOK: dict[str, Any] = json.loads(
    resources.files("warlog_core").joinpath("rules/confrontation.json").read_text(encoding="utf-8")
)


def setup_of(options: dict[str, Any]) -> dict[str, Any]:
    state = GAME.new(options=options)
    fields: dict[str, Any] = GAME.raw.setup_fields(state._raw)
    return fields


def test_names_and_their_order_are_the_books() -> None:
    raw = GAME.raw
    assert list(GAME.seats) == BOOK["seat_order"]
    assert list(raw.phases) == BOOK["phases"]
    assert list(raw.reasons) == BOOK["reasons"]
    assert [effect.name for effect in raw.effects] == BOOK["effects"]
    names = [row["type"] for row in BOOK["actions"]] + [row["type"] for row in BOOK["server_actions"]]
    assert [action.name for action in raw.actions] == names
    assert {action.name for action in raw.actions if action.server_only} == {"timeout"}
    codes = {*BOOK["errors"], *BOOK["position_errors"]}
    assert set(raw.errors) <= codes
    shared = {"match_over", "malformed_action", "unknown_space", "invalid_options", "invalid_position"}
    shared |= {"wrong_phase", "not_your_turn", "not_your_piece", "illegal_destination"}
    assert codes <= {*raw.errors, *shared}
    assert list(structs.SPACE_NAMES) == BOOK["board"]["spaces"]
    assert list(structs.TYPES) == [row["type"] for row in BOOK["types"]]
    assert list(structs.SPELL_NAMES) == [row["spell"] for row in BOOK["spells"]]
    assert list(structs.RACE_NAMES) == [row["race"] for row in BOOK["races"]]
    assert list(structs.KINDS) == BOOK["terrain_kinds"]
    assert list(structs.TREASURES) == [row["treasure"] for row in BOOK["treasures"]]
    assert list(structs.DECISIONS) == BOOK["pending_kinds"]
    assert {str(n): list(seats) for n, seats in structs.SEATS_OF.items()} == BOOK["seats_used"]


def test_the_fields_of_the_actions_come_in_the_books_order() -> None:
    for row, struct in zip(BOOK["actions"], GAME.codec.action_type.__args__, strict=False):
        assert [name for name in struct.__struct_fields__ if name != "open"] == row["fields"]
        assert ("open" in struct.__struct_fields__) == row["open"]


def test_the_values_of_types_and_spells_are_the_books() -> None:
    setup = setup_of({})
    for row, entry in zip(setup["types"], BOOK["types"], strict=True):
        assert row == (entry["move"], entry["combat"], entry.get("cost", 0))
    for row, entry in zip(setup["spells"], BOOK["spells"], strict=True):
        reach = 0 if entry["spell"] == "judgement" else entry.get("range", 0)
        assert row == (entry.get("combat", 0), reach)


NUMBERS = [spec for spec in BOOK["options"] if spec["type"] == "integer"]


@pytest.mark.parametrize("spec", NUMBERS, ids=lambda spec: spec["name"])
def test_an_option_has_the_books_range_default_and_type(spec: dict[str, Any]) -> None:
    name = spec["name"]
    for value in (spec["min"], spec["max"]):
        GAME.check_options({name: value})
    for value in (
        spec["min"] - 1,
        spec["max"] + 1,
        str(spec["min"]),
        float(spec["min"]),
        True,
        None,
        10**100,
    ):
        with pytest.raises(Refused) as refused:
            GAME.check_options({name: value})
        assert refused.value.code == "invalid_options"
    assert GAME.new(options={name: spec["default"]}).setup == GAME.new().setup
    assert GAME.full_options({})[name] == spec["default"]


def test_the_tables_of_the_options_have_the_books_ranges() -> None:
    fields = {"move": (1, 7), "combat": (0, 9), "cost": (1, 20), "range": (1, 7)}
    for table, key in (("piece_table", "types"), ("spell_table", "spells")):
        default = next(spec["default"] for spec in BOOK["options"] if spec["name"] == table)
        names = [entry[key[:-1]] for entry in BOOK[key]]
        for name in names:
            for field, (low, high) in fields.items():
                allowed = field in default.get(name, {})
                for value in (low - 1, low, high, high + 1, None, True, "1"):
                    legal = allowed and value in (low, high) and type(value) is int
                    options = {table: {name: {field: value}}}
                    if legal:
                        GAME.check_options(options)
                        assert GAME.full_options(options)[table][name][field] == value
                    else:
                        with pytest.raises(Refused):
                            GAME.check_options(options)
        wrong: dict[str, Any]
        for wrong in ({table: []}, {table: {"dragon": {}}}, {table: {names[0]: []}}, {table: None}):
            with pytest.raises(Refused):
                GAME.check_options(wrong)


@pytest.mark.parametrize(
    "areas",
    [
        [{"kind": "swamp", "spaces": ["c4", "d4", "e4", "f4"]}],
        [{"kind": "rough", "spaces": ["c4", "d4", "e4"]}],
        [{"kind": "rough", "spaces": ["c4", "d4", "e4", "e4"]}],
        [{"kind": "rough", "spaces": ["c4", "d5", "e4", "f4"]}],
        [{"kind": "rough", "spaces": ["c4", "d4", "e4", "i4"]}],
        [{"kind": "rough", "spaces": ["h4", "a5", "b5", "c5"]}],
        [{"kind": "rough"}],
        [{"kind": "rough", "spaces": ["c4", "d4", "e4", "f4"], "more": 1}],
        [
            {"kind": "rough", "spaces": ["c4", "d4", "e4", "f4"]},
            {"kind": "barrier", "spaces": ["f4", "f5", "f6", "f7"]},
        ],
        {},
        [None],
        [{"kind": "rough", "spaces": "c4d4"}],
    ],
    ids=str,
)
def test_areas_that_break_a_check_are_no_options(areas: Any) -> None:
    with pytest.raises(Refused) as refused:
        GAME.check_options({"terrain": "custom", "terrain_areas": areas})
    assert refused.value.code == "invalid_options"


def test_the_presets_are_the_books_and_listed_as_complete_actions() -> None:
    listed = [action for action in GAME.new().legal("white", plain=True) if "pieces" in action]
    assert listed == [
        {"type": "army", "pieces": preset["pieces"]}
        | ({"bishops": preset["bishops"]} if preset["bishops"] else {})
        for preset in BOOK["preset_armies"]
    ]
    raced = GAME.new(options={"races": True}).legal("black", plain=True)
    assert [action["race"] for action in raced[1:7]] == [row["race"] for row in BOOK["races"]]
    assert len(raced) == 1 + 6 * 6 + 1
    assert {preset["key"]: preset["cost"] for preset in GAME.describe()["presets"]} == {
        "classic": 15, "horde": 12, "cavalry": 15, "bastion": 15, "coven": 15, "levy": 0,
    }  # fmt: skip


def test_two_classic_armies_are_created_as_the_book_prints_them() -> None:
    state = GAME.new()
    classic = state.legal("white")[1]
    state.apply("white", classic)
    event = state.apply("black", classic, draws=[1, 0])
    revealed = msgspec.to_builtins(event.effects[1])
    assert revealed["armies"] == BOOK["initial_setup"]["example_two_seats_classic"]


def test_the_books_position_is_one() -> None:
    state = GAME.new(position=BOOK["sample_position"])
    assert GAME.new(position=state.position(plain=True)).data == state.data


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_lines_and_zones_are_the_books(seats: int) -> None:
    """Read off placements: the zone, and when it is full, line 3 and so on."""
    state = GAME.new(options={"seats": seats, "free_pawns": 8, "army_points": 60})
    for seat in state.seats:
        army = {"type": "army", "pieces": {"pawn": 7}}
        state.apply(seat, army, draws=[5, 4, 3, 2][:seats] if seat == state.seats[-1] else [])
    state.apply("white", {"type": "choose_order", "position": 1})
    lines = {row["seat"]: row["lines"] for row in BOOK["seats"]}
    taken: set[str] = set()
    while state.phase == "setup":
        (seat,) = state.to_act
        first = {action["to"] for action in state.legal(seat, plain=True) if action["type"] == "place"}
        zone = [space for space in BOOK["board"]["spaces"] if space in lines[seat][0] + lines[seat][1]]
        empty = set(zone) - taken
        further = [set(line) - taken for line in lines[seat][2:]]
        assert first == (empty or next(line for line in further if line))
        action = state.legal(seat)[0]
        taken.add(action.to)
        state.apply(seat, action)
    assert len(taken) == 16 * seats


def test_the_description_tells_spells_races_terrain_and_treasures_with_texts() -> None:
    described = GAME.describe({"races": True, "piece_table": {"pawn": {"combat": 2}}})
    assert [row["type"] for row in described["pieces"]] == list(structs.TYPES)
    assert described["pieces"][1]["combat"] == 2
    assert all(row["ability"] for row in described["pieces"])
    for catalogue, key, names in (
        ("spells", "spell", structs.SPELL_NAMES),
        ("races", "race", structs.RACE_NAMES),
        ("terrain", "kind", structs.KINDS),
        ("treasures", "treasure", structs.TREASURES),
    ):
        assert [row[key] for row in described[catalogue]] == list(names)
        assert all(row["text"] for row in described[catalogue])
    options = described["options"]["properties"]
    assert list(options) == [spec["name"] for spec in BOOK["options"]]
    for spec in BOOK["options"]:
        assert options[spec["name"]]["default"] == spec["default"], spec["name"]
        assert options[spec["name"]].get("description"), spec["name"]


def test_the_copies_of_the_book_are_whole() -> None:
    assert GAME.rules().startswith("# Confrontation\n")
    assert len(json.loads((TESTS / "vectors" / "confrontation.json").read_text(encoding="utf-8"))) == 134
