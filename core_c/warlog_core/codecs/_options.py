"""The options of a game, out of the book's data (`rules/<game>.json`): their Struct, and the readers of their words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from warlog_core.codecs import book_data, service_data
from warlog_core.codecs._words import Reader, bool_word, numbered

_LITERAL: Any = Literal  # of values that no type checker knows
_NONE: Mapping[str, Any] = {}


def _name(spec: Mapping[str, Any]) -> str:
    return str(spec["name"] if "name" in spec else spec["id"])


def options_struct(
    game: str, doc: str, types: Mapping[str, Any] = _NONE, dependent: Collection[str] = ()
) -> Any:
    """The Struct of a game's options, all of which may be left out. Their texts are in `rules/<game>_service.json`.

    doc        its docstring
    types      option → its type, where the book's data does not tell it as range, values or items
    dependent  options with a default that depends on others, or that must sometimes be left out
    """
    texts = service_data(game)["options"]
    fields: list[tuple[str, Any, Any]] = []
    for spec in book_data(game)["options"]:
        name, default = _name(spec), spec.get("default")
        type_: Any = types.get(name) or _type(spec)
        type_ = Annotated[type_, Meta(description=texts[name])]
        if default is None or name in dependent:
            fields.append((name, type_ | UnsetType, UNSET))
        else:
            fields.append((name, type_, msgspec.convert(default, type_)))
    return msgspec.defstruct(
        "Options", fields, frozen=True, forbid_unknown_fields=True, namespace={"__doc__": doc}
    )


def _type(spec: Mapping[str, Any]) -> Any:
    if "items" in spec:
        item: Any = _LITERAL[tuple(spec["items"])]
        return Annotated[list[item], Meta(min_length=spec["min"], max_length=spec["max"])]
    if "values" in spec:
        return _LITERAL[tuple(spec["values"])]
    if spec["type"] == "boolean":
        return bool
    return Annotated[int, Meta(ge=spec["min"], le=spec["max"])]


def option_readers(
    specs: Iterable[Mapping[str, Any]],
    integer: Reader,
    name: Callable[[Mapping[str, int]], Reader],
    special: Mapping[str, Reader] | None = None,
) -> dict[str, Reader]:
    """The options of a game that are one word each, in the order of the book's data, which says of what type they are.

    `special` are those whose type says too little. What is more than a word is left out."""
    found: dict[str, Reader] = {}
    for spec in specs:
        option = _name(spec)
        if special and option in special:
            found[option] = special[option]
        elif spec["type"] == "boolean":
            found[option] = bool_word
        elif spec["type"] == "integer":
            found[option] = integer
        elif "values" in spec:
            found[option] = name(numbered(spec["values"]))
    return found
