"""What a game says of its effects: each has a sentence that can be made of what its events hold."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

import warlog_core
from tests.core.games import lines, playthroughs
from warlog_core import effects

ROLES = ("piece", "space", "level", "direction", "seat", "number", "dice", "choice")


def described(name: str) -> dict[str, Any]:
    """Type → its schema."""
    schema = warlog_core.game(name).describe()["effects"]
    msgspec.convert(schema, effects.DescribedEffects)
    mapping = schema["discriminator"]["mapping"]
    return {type_: schema["$defs"][where.rpartition("/")[2]] for type_, where in mapping.items()}


@pytest.mark.parametrize("name", warlog_core.games())
def test_every_effect_has_a_sentence_of_its_own_fields_and_a_way(name: str) -> None:
    for type_, effect in described(name).items():
        fields = effect["properties"].keys() - {"type"}
        assert set(re.findall(r"\{(\w+)\}", effect["said"])) <= fields, type_
        always = re.sub(r"\[[^\[\]]*\]", "", effect["said"])
        assert set(re.findall(r"\{(\w+)\}", always)) <= {*effect["required"]}, type_
        assert re.sub(r"\[[^\[\]]*\]|\{\w+\}", "", effect["said"]).strip(), type_
        for field in fields:
            assert effect["properties"][field]["role"] in ROLES
        for stop in effect["way"]:
            assert effect["properties"][stop["space"]]["role"] == "space"
            assert "level" not in stop or effect["properties"][stop["level"]]["role"] == "level"


@pytest.mark.parametrize("name", warlog_core.games())
def test_what_a_games_file_says_of_effects_names_effects_and_fields_that_there_are(name: str) -> None:
    notes = effects.notes_of(name)
    types = described(name)
    for part in (notes.said, notes.dice, notes.way):
        assert part.keys() <= types.keys()
    for part in (notes.dice, notes.way):
        for type_, fields in part.items():
            assert {*fields} <= types[type_]["properties"].keys()


@pytest.mark.parametrize("name", warlog_core.games())
def test_every_word_of_an_effect_that_a_catalogue_has_is_found_there(name: str) -> None:
    """`true` of an effect is no word, and what several catalogues have is found in the one that is named."""
    whole = warlog_core.game(name).describe()
    keys = {one: {entry["key"] for entry in whole[one]} for one in whole["catalogues"]}
    for type_, effect in described(name).items():
        for field, schema in effect["properties"].items():
            words = set(schema.get("enum", ())) if schema.get("role") in ("choice", "level") else set()
            named = schema.get("catalogue")
            if named is not None:
                assert not words or words & keys[named], (
                    type_,
                    field,
                )  # what there is may depend on the options
            else:
                assert not words or not any(words <= of for of in keys.values()), (type_, field)


@pytest.mark.parametrize("path", playthroughs(), ids=lambda path: path.stem)
def test_a_sentence_needs_only_what_the_effect_holds(path: Any) -> None:
    first, *steps = lines(path)
    types, whole = described(first["game"]), warlog_core.game(first["game"]).describe(first["options"])
    keys = {one: {entry["key"] for entry in whole[one]} for one in whole["catalogues"]}
    board = {space["id"] for space in warlog_core.game(first["game"]).board(first["options"])["spaces"]}
    for effect in (effect for step in steps for effect in step.get("effects") or []):
        said = re.sub(r"\[[^\[\]]*\]", "", types[effect["type"]]["said"])
        assert set(re.findall(r"\{(\w+)\}", said)) <= effect.keys(), effect
        for field, value in effect.items():
            named = types[effect["type"]]["properties"][field].get("catalogue")
            assert (
                named is None
                or value is None
                or {*([value] if isinstance(value, str) else value)} <= keys[named]
            )
        for stop in types[effect["type"]]["way"]:
            spaces = effect.get(stop["space"], [])
            assert {*([spaces] if isinstance(spaces, str) else spaces)} <= board
