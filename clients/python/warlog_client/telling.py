"""What events did, in words: the sentences of a game's description, filled in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .descriptions import Game
from .drawing import Drawn
from .models import Given

_PART = re.compile(r"\[([^\]]*)\]|([^\[]+)")
_FIELD = re.compile(r"\{(\w+)\}")


def piece_names(things: Iterable[Drawn]) -> dict[int | str, str]:
    """The names of all pieces among these things, as `drawn` finds them in a view, by their ids: `"Red Knight"`."""
    return {
        one.id: f"{one.owner.name} {one.entry['name']}" if one.owner else one.entry["name"]
        for one in things
        if one.id is not None and one.entry is not None and one.layer["draw"] in ("piece", "tray")
    }


def told(game: Game, effect: Given, names: Mapping[int | str, str] = {}) -> str:
    """What an effect did, as a sentence in English.

    `names` has the names of pieces by their ids (`piece_names`); a piece that is not in it is called by its id, as
    `#3`. Of an effect that the description does not have, the sentence is its type."""
    type_ = str(effect.get("type"))
    if type_ not in game.effects["discriminator"]["mapping"]:
        return _spaced(type_)
    described = game.effect(type_)
    if "said" not in described:
        return _spaced(type_)
    properties = described["properties"]

    def value(found: re.Match[str]) -> str:
        field = found[1]
        return _value(game, properties.get(field, {}), effect.get(field), names)

    def part(found: re.Match[str]) -> str:
        maybe, always = found.groups()
        if maybe is not None and not all(effect.get(field) for field in _FIELD.findall(maybe)):
            return ""
        return _FIELD.sub(value, always if maybe is None else maybe)

    return _PART.sub(part, described["said"])


def _spaced(key: str) -> str:
    return key.replace("_", " ")


def _value(game: Game, field: Mapping[str, Any], value: Any, names: Mapping[int | str, str]) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(_value(game, field, one, names) for one in value)
    if isinstance(value, dict):
        inside = value.values()
        return " ".join(_value(game, field if _is_number(one) else {}, one, names) for one in inside)
    role = field.get("role")
    if role == "piece":
        return names.get(value) or f"#{value}"
    for owner in (*game.seats, *game.owners):
        if owner.id == value:
            return owner.name
    if role == "space" or _is_number(value):
        return str(value)
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return _name(game, field.get("catalogue"), value) or _spaced(text)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _name(game: Game, catalogue: str | None, key: object) -> str | None:
    """By the entry with this key in the catalogue that is named, or else in any."""
    for one in (*([catalogue] if catalogue in game.catalogues else []), *game.catalogues):
        for entry in game.catalogue(one):
            if entry["key"] == key:
                return entry["name"]
    return None
