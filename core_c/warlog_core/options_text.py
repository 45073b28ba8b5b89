"""How a match's options differ from the standard ones, as one line for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

STANDARD = "The standard options."
LIST_CHARACTERS_MAX = 60  # a longer list (a map, a roster) is only said to be there


def options_text(given: Mapping[str, Any], standard: Mapping[str, Any], words: Mapping[str, str]) -> str:
    """`Flame range 2 (standard 1); stealth off (standard on).` Names that are not given are not looked at.

    given     valid options with the values in force, of those that somebody set
    standard  every option that has a default, with it
    words     option → what people call it, where that is not its name with spaces
    """
    found = [
        text
        for name, value in given.items()
        for text in _differences(words.get(name, _spoken(name)), value, standard.get(name))
    ]
    if not found:
        return STANDARD
    text = "; ".join(found)
    return f"{text[0].upper()}{text[1:]}."


def _differences(name: str, value: Any, usual: Any) -> Iterator[str]:
    """One text for an option that differs; of a table, one for each entry that differs."""
    if value == usual:
        return
    if isinstance(value, Mapping) and (isinstance(usual, Mapping) or _is_flat(value)):
        for key, entry in value.items():
            yield from _differences(f"{name} {_spoken(key)}", entry, (usual or {}).get(key))
        return
    yield f"{name} {_value(value)}" + ("" if usual is None else f" (standard {_value(usual)})")


def _is_flat(table: Mapping[str, Any]) -> bool:
    return all(isinstance(entry, str | int) for entry in table.values())


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        return _spoken(value)
    if isinstance(value, list):
        if not value:
            return "none"
        if all(isinstance(entry, str | int) for entry in value):
            text = ", ".join(_value(entry) for entry in value)
            if len(text) <= LIST_CHARACTERS_MAX:
                return text
        return "of its own"
    return "of its own" if isinstance(value, Mapping) else str(value)
