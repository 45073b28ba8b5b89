"""What is to be drawn of a view, found by the layers of a game's `look`. No game is known here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from .descriptions import Game, GameSeat
from .models import Given, Json

if TYPE_CHECKING:
    from .shapes import CatalogueEntry, Layer
else:
    CatalogueEntry = Layer = Json


class Drawn(Struct, frozen=True, kw_only=True):
    """One thing that is to be drawn, as `layer["draw"]` says.

    spaces     where: none beside the board, several for a `trail` and for pieces that cover more than one
    level      one of the board's; None: the first
    owner      of the game's `seats` or `owners`; None: nobody has it, or nobody knows whose it is
    entry      of the layer's catalogue: its `symbol`, `name` and `text`; None for what has no type or shows its back
    back       it shows its back: what it is may not be known
    veiled     it is one's own, and others may not see it
    badge      to be written on it, perhaps empty
    marks      what else is to be seen of it; symbol and name have the number where there is one
    direction  one of the board's `directions`
    tray       the title of the tray beside the board in which it lies
    value      what stands in the view
    """

    layer: Layer
    spaces: list[str]
    level: str | None
    owner: GameSeat | None
    entry: CatalogueEntry | None
    back: bool
    veiled: bool
    badge: str
    marks: list[CatalogueEntry]
    direction: str | None
    tray: str | None
    id: int | str | None
    value: Any


def drawn(
    game: Game, view: Given, *, look: Sequence[Layer] | None = None, beside: str = ""
) -> Iterator[Drawn]:
    """Everything that is to be drawn of a view, in this order. How things that share a space are arranged is yours to
    choose: side by side, or a board for each `level`.

    look    other layers than those of the view, as `editor` has them for a Position
    beside  in the title of a tray, after its owner, what it is where that has no name, such as `beside the board`"""
    finder = _Finder(game, game.look if look is None else look, beside)
    for layer in finder.look:
        yield from finder.drawn(layer, view)


def find(value: Any, path: str, around: Json | None = None) -> Iterator[tuple[Any, Json]]:
    """Each value to which a path leads through objects and lists; with the fields of it and of those around it."""
    if isinstance(value, list):
        for one in value:
            yield from find(one, path, around)
        return
    fields = {**(around or {}), **(value if isinstance(value, dict) else {})}
    name, _, rest = path.partition(".")
    if not path:
        yield value, fields
    elif isinstance(value, dict) and name in value:
        yield from find(value[name], rest, fields)


def found_by(layer: Layer, view: Given) -> Iterator[tuple[Any, Json]]:
    """What a layer finds; of an object that is `keyed` each of its values, its key being `keyed owner` or `keyed type`
    in the fields."""
    for value, fields in find(view, layer["from"]):
        if "keyed" not in layer:
            yield value, fields
            continue
        for key, held in value.items():
            yield from find(held, "", {**fields, f"keyed {layer['keyed']}": key})


class _Finder:
    def __init__(self, game: Game, look: Sequence[Layer], beside: str) -> None:
        self.look = look
        self._game = game
        self._beside = beside
        self._spaces = {space.id for space in game.board.spaces}
        self._owners = {one.id: one for one in (*game.seats, *game.owners)}
        self._entries = {
            name: {entry["key"]: entry for entry in game.catalogue(name)} for name in game.catalogues
        }

    def drawn(self, layer: Layer, view: Given) -> Iterator[Drawn]:
        for value, fields in found_by(layer, view):
            thing = (
                self._referred(layer, value, view) if "refers" in layer else self._plain(layer, value, fields)
            )
            if thing is not None:
                yield thing

    def _plain(self, layer: Layer, value: Any, fields: Json) -> Drawn | None:
        own = value if isinstance(value, dict) else {}
        type_ = self._first(layer, "type", fields)
        if type_ is None and isinstance(value, str) and layer["draw"] in ("tray", "heap"):
            type_ = value
        back = "hidden" in layer and layer["hidden"] not in fields
        if "type" in layer and "hidden" not in layer and type_ is None:
            return None
        spaces = self._where(layer, value, fields)
        owner = self._owners.get(self._first(layer, "owner", fields))
        is_beside = layer["draw"] == "tray" or (layer["draw"] == "piece" and not spaces)
        badge = own.get(layer.get("badge", "")) if not isinstance(value, int) else value
        return Drawn(
            layer=layer,
            spaces=spaces,
            level=level if (level := fields.get(layer.get("level", ""))) in self._game.board.levels else None,
            owner=owner,
            entry=None if back else self._entry(layer.get("catalogue", "pieces"), type_),
            back=back,
            veiled=any(
                said in veil["values"]
                for veil in layer.get("veiled", ())
                for said, _ in find(fields, veil["field"])
            ),
            badge="" if badge is None else str(badge),
            marks=[*self._marks(layer, own)],
            direction=fields.get(layer.get("direction", "")),
            tray=self._title(layer, owner) if is_beside else None,
            id=fields.get(layer.get("id", "")),
            value=value,
        )

    def _where(self, layer: Layer, value: Any, fields: Json) -> list[str]:
        space = layer["on"] if "on" in layer else fields.get(layer["space"]) if "space" in layer else value
        more = fields.get(layer.get("spaces", ""), [])
        return [one for one in (space, *more) if isinstance(one, str) and one in self._spaces]

    def _marks(self, layer: Layer, own: Json) -> Iterator[CatalogueEntry]:
        for mark in layer.get("marks", ()):
            if said := own.get(mark):
                entry = self._entry("marks", f"{mark}.{said}") or self._entry("marks", mark)
                if entry is None:
                    continue
                if type(said) is int:
                    entry = entry.copy()
                    entry["symbol"] += str(said)
                    entry["name"] += f" {said}"
                yield entry

    def _referred(self, layer: Layer, id_: Any, view: Given) -> Drawn | None:
        """What another layer finds, drawn in the way of this one."""
        other = next(one for one in self.look if one["from"] == layer.get("refers"))
        for value, fields in found_by(other, view):
            if fields.get(other.get("id", "")) == id_:
                is_beside = layer["draw"] == "tray"
                tray = self._title(layer, None) if is_beside else None
                thing = self._plain(other, value, fields)
                if thing is None or not (is_beside or thing.spaces):
                    return None
                return replace(thing, layer={**other, "draw": "tray"} if is_beside else layer, tray=tray)
        return None

    def _title(self, layer: Layer, owner: GameSeat | None) -> str:
        mark = self._entry("marks", layer.get("mark"))
        parts = (owner.name if owner else "", mark["name"] if mark else self._beside)
        return ": ".join(filter(None, parts))

    def _entry(self, catalogue: str, key: Any) -> CatalogueEntry | None:
        return self._entries.get(catalogue, {}).get(key)

    @staticmethod
    def _first(layer: Layer, name: str, fields: Json) -> Any:
        """The first of the fields that a layer names which is there."""
        named: Any = layer.get(name, [])
        there = [fields[one] for one in ([named] if isinstance(named, str) else named) if one in fields]
        return there[0] if there else fields.get(f"keyed {name}")
