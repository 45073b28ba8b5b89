"""The tables that hex.c and its codec hold, against the rule book's data and prose, cell by cell."""

from __future__ import annotations

import json
import re
from importlib import resources
from typing import Any

import msgspec
import pytest

import warlog_core
from warlog_core import Refused

GAME = warlog_core.game("hex")
BOOK: dict[str, Any] = json.loads(
    resources.files("warlog_core").joinpath("rules/hex.json").read_text(encoding="utf-8")
)


def zeros(size: int) -> bytes:
    return bytes(size)


def test_the_default_roster_is_the_books() -> None:
    state = GAME.new(draws=zeros)
    assert state.view("red", plain=True)["roster"] == BOOK["roster"]


def test_the_fields_of_the_roster_come_in_the_books_order() -> None:
    order = [parameter["name"] for parameter in BOOK["unit_parameters"]]
    for unit in GAME.new(draws=zeros).view("red", plain=True)["roster"]:
        assert list(unit) == [name for name in order if name in unit]


@pytest.mark.parametrize("preset", BOOK["presets"], ids=lambda preset: preset["preset"])
def test_a_named_preset_is_the_books_army(preset: dict[str, Any]) -> None:
    state = GAME.new(draws=zeros)
    event = state.apply("red", {"type": "recruit_preset", "preset": preset["preset"]})
    assert msgspec.to_builtins(event.effects[0]) == {
        "type": "army_submitted",
        "seat": "red",
        "army": preset["army"],
    }


def test_names_and_their_order_are_the_books() -> None:
    raw = GAME.raw
    assert list(GAME.seats) == BOOK["seats"]
    assert list(raw.phases) == BOOK["phases"]
    assert list(raw.reasons) == BOOK["reasons"]
    assert [effect.name for effect in raw.effects] == BOOK["effect_types"]
    assert [action.name for action in raw.actions] == [row["type"] for row in BOOK["action_types"]]
    assert {action.name for action in raw.actions if action.server_only} == {"timeout"}
    codes = {*BOOK["action_errors"], *BOOK["option_errors"], *BOOK["position_errors"]}
    assert set(raw.errors) <= codes
    shared = {"match_over", "malformed_action", "unknown_space", "invalid_options", "invalid_position"}
    shared |= {"wrong_phase", "not_your_turn", "not_your_piece", "illegal_destination"}
    assert codes <= {*raw.errors, *shared}


def test_the_codecs_actions_and_effects_have_the_books_types_and_fields_in_the_books_order() -> None:
    for union, rows in (
        (GAME.codec.action_type, BOOK["action_types"]),
        (GAME.codec.effect_type, BOOK["effect_types"]),
    ):
        structs = union.__args__
        wanted = [row if isinstance(row, str) else row["type"] for row in rows]
        assert [struct.__struct_config__.tag for struct in structs] == wanted
        for struct, row in zip(structs, rows, strict=True):
            if isinstance(row, dict):
                assert [f for f in struct.__struct_encode_fields__ if f != "open"] == row["fields"]


def test_defaults_types_and_ranges_of_the_options_are_the_books() -> None:
    schema = GAME.schema("options")["properties"]
    assert list(schema) == [option["name"] for option in BOOK["options"]]
    for option in BOOK["options"]:
        described = schema[option["name"]]
        assert described.get("default") == option.get("default"), option
        if option["type"] == "integer":
            assert (described["minimum"], described["maximum"]) == (option["min"], option["max"])
        if option["type"] == "enum":
            assert sorted(described["enum"]) == sorted(option["values"])
    assert GAME.full_options({}) == {o["name"]: o["default"] for o in BOOK["options"] if "default" in o}


def test_the_texts_of_the_options_are_the_books() -> None:
    section = GAME.rules().partition("### 4.1 Options")[2].partition("\n### ")[0]
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([^|]+) \|$", section, flags=re.MULTILINE)
    schema = GAME.schema("options")["properties"]
    assert {name: schema[name]["description"] for name in schema} == dict(rows)


@pytest.mark.parametrize(
    "option", [o for o in BOOK["options"] if o["type"] == "integer"], ids=lambda o: o["name"]
)
def test_an_integer_option_is_accepted_up_to_its_bounds_and_not_beyond(option: dict[str, Any]) -> None:
    # With three seats a zone has half the ranks; the smallest boards hold few stacks.
    base: dict[str, Any] = {"max_stacks": 1, "army_points": 1000}
    for value in (option["min"], option["max"]):
        more: dict[str, Any] = {"teams": "none"} if option["name"] == "seats" else {}
        if option["name"] == "max_stacks":
            more = {"deploy_depth": 3}
        if option["name"] == "army_points":
            more = {"roster": [{**BOOK["roster"][0], "cost": 1}]}
        GAME.check_options({**base, **more, option["name"]: value})
    for value in (
        option["min"] - 1,
        option["max"] + 1,
        True,
        float(option["min"]),
        str(option["min"]),
        None,
        2**70,
    ):
        with pytest.raises(Refused) as refused:
            GAME.check_options({**base, option["name"]: value})
        assert refused.value.code == "invalid_options"


def test_the_spaces_their_coordinates_and_neighbours_are_the_books() -> None:
    spaces = GAME.describe()["board"]["spaces"]
    assert [space["id"] for space in spaces] == [space["id"] for space in BOOK["board"]["spaces"]]
    for space, wanted in zip(spaces, BOOK["board"]["spaces"], strict=True):
        around = wanted["neighbours"]
        order = [around[d] for d in BOOK["board"]["neighbour_order"] if d in around]
        assert space["neighbours"] == order
        assert space["x"] == wanted["file"] + (0.5 if wanted["rank"] % 2 == 0 else 0)
        for other in spaces:
            if other["id"] in order:
                apart = ((other["x"] - space["x"]) ** 2 + (other["y"] - space["y"]) ** 2) ** 0.5
                assert apart == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_zones_of_the_default_board_are_the_books(seats: int) -> None:
    state = GAME.new(options={"seats": seats, "deployment": "chosen", "army": "preset"}, draws=zeros)
    assert {seat: state.view(seat, plain=True)["zone"] for seat in state.seats} == BOOK["default_zones"][
        str(seats)
    ]
    assert "zone" not in state.view("spectator", plain=True)


@pytest.mark.parametrize("teams", ["none", "pairs"])
def test_the_sides_are_the_books(teams: str) -> None:
    state = GAME.new(options={"seats": 4, "teams": teams}, draws=zeros)
    sides = {entry["seat"]: entry["side"] for entry in state.view("red", plain=True)["seats"]}
    assert sides == BOOK["sides"][teams]
