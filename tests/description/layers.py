"""What the layers of a description find in a view, with all that is needed to draw it; no game is known here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

Json = dict[str, Any]
BACK = {"symbol": "?", "name": "unknown"}
NOTHING = {"symbol": "", "name": ""}
"""The entries of what shows its back, and of what has no type."""


class Thing(NamedTuple):
    """Something in a view, with what its layer and the description say of it."""

    draw: str
    spaces: list[str]
    level: str
    owner: Json
    entry: Json  # of the catalogue
    badge: str
    marks: str
    direction: str
    held: bool  # by the piece on its space
    tray: str | None  # title of the tray in which it lies


def find(view: Any, path: str, around: Json | None = None) -> Iterator[tuple[Any, dict[str, Any]]]:
    """What a path leads to: each value, and the fields of it and of the objects around it."""
    if isinstance(view, list):
        for one in view:
            yield from find(one, path, around)
        return
    fields = {**(around or {}), **(view if isinstance(view, dict) else {})}
    name, _, rest = path.partition(".")
    if not path:
        yield view, fields
    elif isinstance(view, dict) and name in view:
        yield from find(view[name], rest, fields)


def things(layer: Json, view: Any) -> Iterator[tuple[Any, dict[str, Any]]]:
    """As `find`, for a layer: an object that is `keyed` is opened, its keys then being owners or types."""
    for found, fields in find(view, layer["from"]):
        if "keyed" not in layer:
            yield found, fields
            continue
        for key, value in found.items():
            for one in value if isinstance(value, list) else [value]:
                yield one, {**fields, f"keyed {layer['keyed']}": key}


def drawn(described: Json, view: Any) -> Iterator[Thing]:
    """Everything that is drawn, in this order. What a layer only refers to is found by the other layer."""
    for layer in described["look"]:
        for value, fields in things(layer, view):
            if "refers" in layer:
                other = next(one for one in described["look"] if one["from"] == layer["refers"])
                for meant, around in things(other, view):
                    if around.get(other["id"]) == value:
                        yield _thing(described, {**other, **layer}, meant, around)
                continue
            thing = _thing(described, layer, value, fields)
            if thing.entry is not NOTHING or "type" not in layer:
                yield thing


def _thing(described: Json, layer: Json, value: Any, fields: Json) -> Thing:
    def get(name: str) -> Any:
        """The field that the layer calls so: of several the first that is there."""
        names = layer.get(name)
        there = [one for one in (names if isinstance(names, list) else [names]) if one in fields]
        return fields[there[0]] if there else fields.get(f"keyed {name}")

    def mark(field: str) -> str:
        said = fields.get(field)
        entry = marks.get(f"{field}.{said}" if isinstance(said, str) else field, {})
        return f"{entry.get('symbol', '')}{said if type(said) is int else ''}" if said else ""

    marks = {entry["key"]: entry for entry in described["marks"]}
    owners = {one["id"]: one for one in (*described["seats"], *described["owners"])}
    catalogue = {entry["key"]: entry for entry in described[layer.get("catalogue", "pieces")]}
    levels, draw, owner = described["board"]["levels"], layer["draw"], owners.get(get("owner"), {})
    text = value if isinstance(value, str) else None
    space = text if text and "space" not in layer else layer.get("on") or get("space")
    spaces = [*([space] if space else []), *(get("spaces") or [])]
    type_ = text if text and draw in ("tray", "heap") else get("type")
    shown = "hidden" not in layer or layer["hidden"] in fields
    title = ("" if "refers" in layer else owner.get("name"), marks.get(layer.get("mark"), {}).get("name"))
    return Thing(
        draw=draw,
        spaces=spaces,
        level=get("level") if get("level") in levels else levels[0],
        owner=owner,
        entry=catalogue.get(type_, NOTHING) if shown else BACK,
        badge=str(value if isinstance(value, int) else fields.get(layer.get("badge", ""), "")),
        marks="".join(map(mark, layer.get("marks", ()))),
        direction=get("direction"),
        held=layer.get("carried", False),
        tray=": ".join(filter(None, title)) if draw == "tray" or (draw == "piece" and not spaces) else None,
    )
