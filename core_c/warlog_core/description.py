"""How a game describes itself (`GET /v1/games/{game}`): what its own files say, and a default for what they leave out.

A game's share stands in `rules/<game>_look.json` (a `Look`), `rules/<game>_guide.md`, and its codec, whose `board`,
`pieces` and `catalogues` depend on the options. A game without these two files is still described whole: colours and
patterns are given in turn, symbols are made of names, and layers are found in the schema of its view.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import chain, count
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

Pattern = Literal["plain", "stripes", "dots", "grid", "rings", "waves", "checks", "bars"]
PATTERNS: tuple[Pattern, ...] = ("plain", "stripes", "dots", "grid", "rings", "waves", "checks", "bars")
Drawing = Literal[
    "fill",
    "block",
    "outline",
    "highlight",
    "area",
    "heap",
    "piece",
    "ghost",
    "arrow",
    "ring",
    "trail",
    "tray",
]
_DRAWING = (
    "`fill` colours spaces as their owner; `block` is closed to all; `outline` and `highlight` mark spaces; `area` is "
    "ground of a type; `heap` lies on a space, or on its piece (`carried`); `ghost` was seen there before; `ring` "
    "marks one space or piece; `trail` is a line through `space` and then `spaces`; `tray` is beside the board, even "
    "with a space, as is a piece without one"
)
Field = str | UnsetType
_COLOURS = ("#c0392b", "#2f6fd0", "#2c9a4b", "#e0b020", "#8e44ad", "#16a085", "#7f8c8d", "#d35400")
Colour = Annotated[str, Meta(pattern="^#[0-9a-f]{6}$")]


class Rows(Struct, frozen=True, forbid_unknown_fields=True):
    """How the rows of a board of hexagons, which stand on a corner, lie: `height` above each other, every second one
    moved right by `offset`."""

    height: float
    offset: float


class Axes(Struct, frozen=True, omit_defaults=True):
    """What the coordinates of the spaces mean; `rows` only where the spaces are hexagons."""

    x: Literal["right"]
    y: Literal["up"]
    unit: Annotated[Literal["space"], Meta(description="1 is the distance from a space to the next")]
    rows: Rows | UnsetType = UNSET


class SeatLook(Struct, frozen=True, forbid_unknown_fields=True):
    """What a game's file says of a seat, or of another owner of pieces."""

    name: str
    colour: Colour
    pattern: Pattern
    facing: Literal[0, 90, 180, 270] = 0


class DescribedSeat(Struct, frozen=True):
    """A seat of the match that the options give."""

    id: str
    name: Annotated[str, Meta(description="for display")]
    colour: Annotated[
        str,
        Meta(
            description="of its pieces, as #rrggbb; write on it in what can be read, it may be white or dark"
        ),
    ]
    pattern: Annotated[Pattern, Meta(description="tells the seat from others without colour")]
    team: Annotated[int, Meta(description="seats with the same number win and lose together")]
    facing: Annotated[
        int, Meta(description="degrees by which the board is turned clockwise so that this seat sits below")
    ]
    home: Annotated[list[str], Meta(description="the spaces on which the seat begins or sets up")]


class Owner(Struct, frozen=True):
    """Who may own something in a view besides the seats."""

    id: str
    name: str
    colour: str
    pattern: Pattern


class Space(Struct, frozen=True):
    """A space, with the coordinates of its centre. A game may say more of it."""

    id: str
    x: float
    y: float
    kind: Annotated[str, Meta(description="key of one of `space_kinds`")]
    region: Annotated[
        str | None, Meta(description="id of one of `regions`, parts of the board that never change")
    ]
    zone: Annotated[list[str], Meta(description="the seats that begin or set up here")]
    neighbours: list[str]


class SpaceKind(Struct, frozen=True):
    """A kind of space or of edge. `shade` and `shape` (of a space) and `line` (of an edge) say how it is drawn."""

    key: str
    name: str
    text: str
    shade: Literal["light", "dark", "quiet", "strong"] = "light"
    shape: Literal["field", "circle", "house"] = "field"
    line: Literal["single", "double"] = "single"


class Arc(Struct, frozen=True):
    """The quarter of a circle, between the two spaces."""

    center: Annotated[list[float], Meta(description="x and y")]
    radius: Annotated[float, Meta(description="in the unit of the axes")]


class Edge(Struct, frozen=True, rename={"origin": "from"}):
    """Joins two spaces; drawn straight, or as the quarter of a circle where it has an `arc`."""

    origin: str
    to: str
    kind: Annotated[str, Meta(description="key of one of `edge_kinds`")]
    arc: Arc | UnsetType = UNSET


class Region(Struct, frozen=True):
    """A part of the board with a name; `home`: the seat whose it is, in games that have such."""

    id: str
    name: str
    home: str | UnsetType = UNSET


class Direction(Struct, frozen=True):
    """`dr` is a step upwards, `dc` one to the right."""

    name: str
    dr: int
    dc: int


class DescribedBoard(Struct, frozen=True):
    """`kind`: `square` and `hex` boards have fields side by side; else spaces are points, joined by `edges`."""

    kind: str
    levels: Annotated[
        list[str],
        Meta(
            description="every space has each; on the first most pieces stand. How they lie above each other stands in "
            "the catalogue `levels`, as `height`"
        ),
    ]
    spaces: list[Space]
    space_kinds: list[SpaceKind]
    edges: list[Edge]
    edge_kinds: list[SpaceKind]
    regions: list[Region]
    directions: Annotated[list[Direction], Meta(description="only where views or actions name directions")]


class CatalogueEntry(Struct, frozen=True):
    """An entry of a catalogue. The game's own fields (numbers, costs, ranges) follow."""

    key: Annotated[str, Meta(description="as it stands in views and actions; unique in its catalogue")]
    name: Annotated[str, Meta(description="for display")]
    symbol: Annotated[str, Meta(description="one to three letters or a glyph; unique in its catalogue")]
    text: Annotated[str, Meta(description="one sentence for a player")]
    levels: (
        Annotated[
            list[str], Meta(description="pieces: the levels of the board on which it can be without help")
        ]
        | UnsetType
    ) = UNSET
    height: (
        Annotated[int, Meta(description="levels: how high it lies; the board's first is 0")] | UnsetType
    ) = UNSET


class DescribedSchema(Struct, frozen=True, kw_only=True):
    """A JSON Schema of objects. Beside an `enum` whose words are keys of a catalogue stands its key, as
    `catalogue`."""

    title: Annotated[str, Meta(description="name of the Struct")]
    type: Literal["object"]
    properties: Annotated[dict[str, Any], Meta(description="the schema of each field")]
    required: Annotated[list[str], Meta(description="fields that must be given; absent: none")] = []
    defs: Annotated[dict[str, Any], Meta(description="the schemas that `$ref` refers to")] = msgspec.field(
        name="$defs"
    )


class Veil(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A thing with one of these values may be unseen by others. `option`: only in matches with this option on."""

    field: Annotated[str, Meta(description="a field, or a path through lists, as `articles.kind`")]
    values: list[str]
    option: Field = UNSET


class Layer(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename={"source": "from"}):
    """Where in a view something is, and how it is drawn.

    `from` is a path of field names, separated by dots. It goes through lists: `seats.army` is each entry of the `army`
    of each of `seats`, and each entry of a list in it. The other fields name fields of what is found there; `space`,
    `level` and `owner` also fields of the objects around it, the nearest first. What is found may be a text: a space,
    or in a `tray` and a carried `heap` a type; or a number: an id for `refers`, or else a badge. A layer whose path is
    not in the view draws nothing."""

    source: Annotated[str, Meta(description="path in the view")]
    draw: Annotated[Drawing, Meta(description=_DRAWING)]
    catalogue: Annotated[str, Meta(description="the catalogue that has the `type`")] = "pieces"
    id: Field = UNSET
    space: Annotated[Field, Meta(description="the field with the space")] = UNSET
    spaces: Annotated[Field, Meta(description="the field with a list of spaces")] = UNSET
    on: Annotated[Field, Meta(description="the space, where it is always the same")] = UNSET
    level: Field = UNSET
    owner: Annotated[
        str | list[str] | UnsetType,
        Meta(description="the field with a seat or one of `owners`; of several the first that is there"),
    ] = UNSET
    type: Annotated[
        Field,
        Meta(
            description="the field with the key of an entry of `catalogue`; what lacks it is not drawn, unless `hidden`"
        ),
    ] = UNSET
    badge: Annotated[Field, Meta(description="the field with a number to be written on it")] = UNSET
    marks: Annotated[
        list[str],
        Meta(
            description="fields whose mark is shown unless they are false, 0 or absent; of a text the mark "
            "`field.text`, if there is one; of a number the mark with the number"
        ),
    ] = []
    mark: Annotated[Field, Meta(description="the entry of `marks` that says what the layer is")] = UNSET
    hidden: Annotated[Field, Meta(description="the field without which the thing shows its back")] = UNSET
    direction: Annotated[Field, Meta(description="the field with one of `board.directions`")] = UNSET
    keyed: Annotated[
        Literal["owner", "type"] | UnsetType,
        Meta(
            description="what is found is an object, and this is what its keys are; its values, or the entries of "
            "those that are lists, are the things: spaces, or numbers as badges"
        ),
    ] = UNSET
    refers: Annotated[
        Field,
        Meta(
            description="the `from` of another layer, whose `id` this is: the thing is what is found there, drawn with "
            "this `draw`"
        ),
    ] = UNSET
    carried: Annotated[bool, Meta(description="the piece on the space holds it")] = False
    veiled: Annotated[
        list[Veil], Meta(description="what of an own piece says that others may not see it; one is enough")
    ] = []


class SceneLook(Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of `rules/<game>_scenes.json`: a Position with the standard options, for a section of the guide."""

    under: Annotated[str, Meta(description="the heading of the guide under which it belongs")]
    text: Annotated[str, Meta(description="what there is to see in it, for a player")]
    position: dict[str, Any]


class EditorLook(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a Position is drawn and edited. Paths are those of layers."""

    layers: Annotated[list[Layer], Meta(description="how a Position is drawn, as `look` draws a view")]
    turn: Annotated[Field, Meta(description="path of the field with the seat whose turn it is")] = UNSET
    references: Annotated[
        list[str],
        Meta(
            description="paths of fields with the `id` of something: when that is taken away, so are these fields, "
            "or the entry in a list"
        ),
    ] = []
    derived: Annotated[
        list[str],
        Meta(
            description="paths of fields that follow from the rest when they are left out. `start` is without them. "
            "Leave out those of the whole Position when something comes or goes, and those of a piece when its "
            "type, owner or badge is changed"
        ),
    ] = []
    given: Annotated[
        dict[str, dict[str, Any]],
        Meta(description="type → the fields that a new piece needs beside its place and owner"),
    ] = {}


class Look(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`rules/<game>_look.json`.

    regions, spaces, edges  words and looks of the parts of the board, kinds of spaces, kinds of edges
    editor                  how a Position is edited
    words                   catalogue → key → what an entry has beside what the codec says
    not_drawn               path in a view → why no layer draws the spaces or pieces there
    """

    rows: Rows | UnsetType = UNSET
    seats: dict[str, SeatLook] = {}
    owners: dict[str, SeatLook] = {}
    regions: dict[str, dict[str, Any]] = {}
    spaces: dict[str, dict[str, Any]] = {}
    edges: dict[str, dict[str, Any]] = {}
    words: dict[str, dict[str, dict[str, Any]]] = {}
    layers: list[Layer] | None = None
    not_drawn: dict[str, str] = {}
    editor: EditorLook | None = None


@cache
def look_of(game: str) -> Look:
    """What the game's file says; nothing where it has none."""
    file = resources.files("warlog_core").joinpath(f"rules/{game}_look.json")
    return msgspec.json.decode(file.read_bytes(), type=Look) if file.is_file() else Look()


@cache
def guide_of(game: str) -> str:
    """The player's guide, Markdown; "" where the game has none."""
    file = resources.files("warlog_core").joinpath(f"rules/{game}_guide.md")
    return file.read_text(encoding="utf-8") if file.is_file() else ""


@cache
def scenes_of(game: str) -> list[SceneLook]:
    """Boards that belong into the guide; none where the game brings none."""
    file = resources.files("warlog_core").joinpath(f"rules/{game}_scenes.json")
    return msgspec.json.decode(file.read_bytes(), type=list[SceneLook]) if file.is_file() else []


def axes(game: str) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(Axes("right", "up", "space", look_of(game).rows))
    return plain


def seats(game: str, teams: Mapping[str, Any], board: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The seats, in the order of `teams`: each with what tells it from the others, its team, and its home."""
    looks = look_of(game).seats
    numbers = {team: number for number, team in enumerate(dict.fromkeys(teams.values()))}
    found = []
    for index, (seat, team) in enumerate(teams.items()):
        look = looks.get(seat) or SeatLook(
            named(seat), _COLOURS[index % len(_COLOURS)], PATTERNS[index % len(PATTERNS)]
        )
        home = [space["id"] for space in board["spaces"] if seat in space["zone"]]
        found.append(
            {
                "id": seat,
                "name": look.name,
                "colour": look.colour,
                "pattern": look.pattern,
                "team": numbers[team],
                "facing": look.facing,
                "home": home,
            }
        )
    return found


def owners(game: str) -> list[dict[str, Any]]:
    return [
        {"id": id_, "name": look.name, "colour": look.colour, "pattern": look.pattern}
        for id_, look in look_of(game).owners.items()
    ]


def board(game: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The codec's board, with everything that a board has in every game."""
    look = look_of(game)
    spaces = [{"kind": "plain", "zone": [], **space} for space in given["spaces"]]
    edges = given.get("edges", [])
    regions = [
        *given.get("regions", ({"id": id_} for id_ in dict.fromkeys(s["region"] for s in spaces) if id_))
    ]
    return {
        "directions": [],
        "edges": edges,
        **given,
        "regions": [{"name": named(r["id"]), **r, **look.regions.get(r["id"], {})} for r in regions],
        "spaces": spaces,
        "space_kinds": _kinds(look.spaces, (space["kind"] for space in spaces)),
        "edge_kinds": _kinds(look.edges, (edge["kind"] for edge in edges)),
    }


def _kinds(looks: Mapping[str, Mapping[str, Any]], used: Iterable[str]) -> list[dict[str, Any]]:
    return [{"key": key, "name": named(key), "text": "", **looks.get(key, {})} for key in dict.fromkeys(used)]


def catalogues(
    game: str, pieces: Sequence[Mapping[str, Any]], more: Mapping[str, Any], levels: Sequence[str]
) -> dict[str, Any]:
    """`pieces` and the further catalogues in one shape, `marks` last, and `catalogues`: the names of all of them.

    What is no list of objects stays as it is: a table of the game's own, not a catalogue."""
    words = look_of(game).words
    lists = {"pieces": pieces} | {name: rows for name, rows in more.items() if _is_catalogue(rows)}
    lists["marks"] = [{"key": key} for key in words.get("marks", {})]
    found: dict[str, Any] = {name: table for name, table in more.items() if name not in lists}
    for name, rows in lists.items():
        same = {"levels": [*levels]} if name == "pieces" and len(levels) == 1 else {}
        found[name] = entries(rows, words.get(name, {}), **same)
    return found | {"catalogues": [*lists]}


def naming_catalogues(schema: Mapping[str, Any], described: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON Schema in which each enum whose words are keys of a catalogue of `described` has its key beside it, as
    `catalogue`: the first that has them all. An enum of one word says what an object is, and needs none."""
    keys = {name: {entry["key"] for entry in described[name]} for name in described["catalogues"]}

    def named_in(node: Any) -> Any:
        if isinstance(node, list):
            return [named_in(one) for one in node]
        if not isinstance(node, dict):
            return node
        found = {field: named_in(one) for field, one in node.items()}
        words = {word for word in node.get("enum", ()) if word is not None}
        name = next((name for name, known in keys.items() if len(words) > 1 and words <= known), None)
        return found if name is None else {**found, "catalogue": name}

    return named_in(schema)  # type: ignore[no-any-return]


def _is_catalogue(rows: object) -> bool:
    return isinstance(rows, list) and all(isinstance(row, dict) for row in rows)


def entries(
    rows: Sequence[Mapping[str, Any]], words: Mapping[str, Mapping[str, Any]], **same: Any
) -> list[dict[str, Any]]:
    """Each row with `key`, `name`, `symbol`, `text` before its own fields. Its first text is its key."""
    keys = [
        str(row.get("key") or next(value for value in row.values() if isinstance(value, str))) for row in rows
    ]
    said = [{**row, **words.get(key, {})} for key, row in zip(keys, rows, strict=True)]
    names = [one.get("name") or named(key) for key, one in zip(keys, said, strict=True)]
    symbols = _symbols([one.get("symbol") for one in said], names)
    return [
        {"key": key, "name": name, "symbol": symbol, "text": one.get("text") or f"{name}.", **same}
        | {field: value for field, value in one.items() if field not in ("key", "name", "symbol", "text")}
        for key, name, symbol, one in zip(keys, names, symbols, said, strict=True)
    ]


def _symbols(given: Sequence[str | None], names: Sequence[str]) -> list[str]:
    """Those given; for the others letters of the name, or else numbers, so that no two are the same."""
    taken = {symbol.casefold() for symbol in given if symbol}
    found = []
    for index, (symbol, name) in enumerate(zip(given, names, strict=True)):
        if not symbol:
            letters = [letter for letter in name if letter.isalnum()] or ["?"]
            made = [letters[0] + other for other in letters[1:]] + [letters[0]]
            symbol = next(one for one in chain(made, map(str, count(index))) if one.casefold() not in taken)
            symbol = symbol.capitalize()
            taken.add(symbol.casefold())
        found.append(symbol)
    return found


def named(key: str) -> str:
    """A key as a name: `field_marshal` is "Field marshal"."""
    return key.replace("_", " ").capitalize()


def layers(
    game: str, view: Mapping[str, Any], spaces: Iterable[str], options: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The game's layers under these full options, or those that the schema of its view suggests."""
    own = look_of(game).layers
    plain: list[dict[str, Any]] = msgspec.to_builtins(_suggested(view, {*spaces}) if own is None else own)
    for layer in plain:
        if "veiled" in layer:
            layer["veiled"] = [veil for veil in layer["veiled"] if options.get(veil.get("option"), True)]
    return plain


def editor(game: str, position: Mapping[str, Any], spaces: Iterable[str], seats: Iterable[str]) -> EditorLook:
    """The game's own, or what the schema of its Position suggests."""
    own = look_of(game).editor
    if own is not None:
        return own
    known = {*seats}
    fields = _resolved(position, position)["properties"]
    turn = next((name for name, part in fields.items() if known and {*part.get("enum", ())} >= known), UNSET)
    return EditorLook(layers=_suggested(position, {*spaces}), turn=turn)


def _suggested(schema: Mapping[str, Any], spaces: set[str]) -> list[Layer]:
    """A list whose entries have a space holds pieces; a number with the name of a space says how much lies there."""
    properties = _resolved(schema, schema)["properties"]
    found = []
    for name, part in properties.items():
        fields = _resolved(schema, part.get("items", {})).get("properties", {})
        space = _first(fields, ("space", "at"))
        if space:
            found.append(
                Layer(
                    name,
                    "piece",
                    id=_first(fields, ("id", "piece")),
                    space=space,
                    owner=_first(fields, ("seat", "owner")),
                    type=_first(fields, ("type", "kind", "unit")),
                    badge=_first(fields, ("count", "strength")),
                )
            )
        elif name in spaces:
            found.append(Layer(name, "heap", on=name))
    return found


def _first(fields: Iterable[str], wanted: Sequence[str]) -> str | UnsetType:
    return next((name for name in wanted if name in fields), UNSET)


def _resolved(schema: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in part:
        part = schema["$defs"][part["$ref"].rsplit("/", 1)[1]]
    return part
