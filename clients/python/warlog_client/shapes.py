"""The JSON inside a game's description, and of proposals, as `TypedDict`s for editors and type checkers.

When the program runs, it is plain JSON, and may hold more than stands here: fields that only one game has, or that a
newer service knows.
"""

from typing import Any, Literal, NotRequired, Required, TypedDict

from .literals import ActionKind, ActionMeaning, Drawing

# ---- the board


class Rows(TypedDict):
    height: float
    offset: float


class Axes(TypedDict):
    """What the coordinates of spaces mean; `rows` only where the spaces are hexagons."""

    x: Literal["right"]
    y: Literal["up"]
    unit: Literal["space"]
    rows: NotRequired[Rows]


class SpaceKind(TypedDict):
    """A kind of space or of edge. `shade` and `shape` (of a space) and `line` (of an edge) say how it is drawn."""

    key: str
    name: str
    text: str
    shade: NotRequired[Literal["dark", "light", "quiet", "strong"]]
    shape: NotRequired[Literal["circle", "field", "house"]]
    line: NotRequired[Literal["double", "single"]]


class Arc(TypedDict):
    """The quarter of a circle, between the two spaces."""

    center: list[float]
    radius: float


Edge = TypedDict("Edge", {"from": str, "to": str, "kind": str, "arc": NotRequired[Arc]})
"""Joins two spaces; drawn straight, or as the quarter of a circle where it has an `arc`."""


class Region(TypedDict):
    """A part of the board with a name; `home`: the seat whose it is."""

    id: str
    name: str
    home: NotRequired[str]


class Direction(TypedDict):
    """One step: `dr` spaces upwards and `dc` to the right."""

    name: str
    dr: int
    dc: int


# ---- how a view is drawn


class Veil(TypedDict):
    """A thing whose `field` has one of these values may be unseen by others; `option`: only with this option on."""

    field: str
    values: list[str]
    option: NotRequired[str]


Layer = TypedDict(
    "Layer",
    {
        "from": str,
        "draw": Drawing,
        "catalogue": NotRequired[str],
        "id": NotRequired[str],
        "space": NotRequired[str],
        "spaces": NotRequired[str],
        "on": NotRequired[str],
        "level": NotRequired[str],
        "owner": NotRequired[str | list[str]],
        "type": NotRequired[str],
        "badge": NotRequired[str],
        "marks": NotRequired[list[str]],
        "mark": NotRequired[str],
        "hidden": NotRequired[str],
        "direction": NotRequired[str],
        "keyed": NotRequired[Literal["owner", "type"]],
        "refers": NotRequired[str],
        "carried": NotRequired[bool],
        "veiled": NotRequired[list[Veil]],
    },
)
"""Where in a view something is, and how it is drawn. `from` is a path of field names, separated by dots, that goes
through lists; the other fields name fields of what is found there, `space`, `level` and `owner` also of the objects
around it. `owner` may be several, of which the first that is there counts."""

# ---- what is filled in


class Amount(TypedDict):
    """The least and the greatest number."""

    min: int
    max: int


class EntryKeys(TypedDict):
    """How the fields of an entry of a list are called."""

    type: str
    count: str


class ForEach(TypedDict):
    """A type of a budget's field."""

    field: str
    type: str


class Slot(TypedDict):
    """A place of a layout, and what may stand there; by seat it is another space."""

    types: list[str]
    spaces: dict[str, str]


Within = TypedDict("Within", {"from": str, "spaces": str})
"""Where in a view something stands: each entry of `from` has it in the field `spaces`."""

OfPiece = TypedDict("OfPiece", {"field": str, "from": str, "id": str, "type": str})
"""The type of the piece that another `field` names; the view has it in the list `from`."""


class Budget(TypedDict):
    """So many of each type in `costs`, which together cost `limit` at most; an object by type, or, with `entry`, a list
    of entries. `free` comes by itself, and counts towards `max_pieces`."""

    fill: Literal["budget"]
    limit: int
    costs: dict[str, int]
    count: Amount
    free: NotRequired[dict[str, int]]
    max_pieces: NotRequired[int]
    entry: NotRequired[EntryKeys]
    entries: NotRequired[Amount]
    required: NotRequired[bool]
    catalogue: NotRequired[str]


class Lists(TypedDict):
    """A list of choices for each piece of a type that is bought; each choice beyond `included` costs `cost`."""

    fill: Literal["lists"]
    of: list[str]
    for_each: ForEach
    length: Amount
    included: int
    cost: int
    required: NotRequired[bool]
    catalogue: NotRequired[str]


class Number(TypedDict):
    """A number; each costs `cost` from the budget."""

    fill: Literal["number"]
    min: int
    max: int
    cost: NotRequired[int]
    required: NotRequired[bool]


class Choice(TypedDict):
    """One of these."""

    fill: Literal["choice"]
    of: list[str]
    required: NotRequired[bool]
    catalogue: NotRequired[str]


class Slots(TypedDict):
    """A list with one type for each slot, of each type exactly as many as `counts` says."""

    fill: Literal["slots"]
    slots: list[Slot]
    counts: dict[str, int]
    required: NotRequired[bool]
    catalogue: NotRequired[str]


Area = TypedDict(
    "Area",
    {
        "fill": Literal["area"],
        "sizes": list[int],
        "connected": bool,
        "not": list[str],
        "not_in": NotRequired[list[Within]],
        "required": NotRequired[bool],
    },
)
"""Different spaces, as many as one of `sizes` says, none of them in `not`, nor where the view has those of `not_in`."""

Payment = TypedDict(
    "Payment",
    {
        "fill": Literal["payment"],
        "spaces_of": Literal["seat"],
        "from": str,
        "count": int | dict[str, int],
        "by": NotRequired[OfPiece],
        "seats": NotRequired[dict[str, int | dict[str, int]]],
        "auto": NotRequired[str],
        "required": NotRequired[bool],
        "catalogue": NotRequired[str],
    },
)
"""So many spaces of the seat, in any order, or the word `auto`, which lets the rules choose."""

Form = Budget | Lists | Number | Choice | Slots | Area | Payment
"""How a field is filled in, told apart by `fill`. `catalogue` has the words of what may be chosen."""


class DescribedAction(TypedDict):
    """A type of action.

    properties   JSON Schemas of its fields, each with a `role` (but for `type`), choices with a `catalogue`
    kind         play; setup: before play; answer: to another's draw offer; meta: giving up, offering a draw, the clock
    means        of `meta` and `answer`: what it does to the match; `resign` ends the seat's part for good
    label        for a button
    clicks       the order in which a person gives the fields
    open         it is listed as a template, which `form` says how to fill in
    final        of templates: whether what is posted stands; else the template stays listed, and may be posted again
    server_only  posted by the server, never listed
    """

    title: str
    type: Literal["object"]
    properties: dict[str, dict[str, Any]]
    required: list[str]
    kind: ActionKind
    means: NotRequired[ActionMeaning]
    label: str
    clicks: list[str]
    open: NotRequired[bool]
    final: NotRequired[bool]
    server_only: NotRequired[bool]
    form: NotRequired[dict[str, Form]]


class Stop(TypedDict):
    """Fields of an effect: one with a space or several, and the one with its level."""

    space: str
    level: NotRequired[str]


class DescribedEffect(TypedDict):
    """A type of effect, or of something that an effect contains, which has no `said`.

    properties  JSON Schemas of its fields, each with a `role` (but for `type`), words with a `catalogue`
    said        what happened, in English: `{field}` stands for the value of a field; what stands in `[ … ]` is left out
                where one of its fields is absent, false, 0 or an empty list
    alone       said in addition where an event shows no other effect, after a dash
    way         where it happened, in order
    """

    title: str
    type: Literal["object"]
    properties: dict[str, dict[str, Any]]
    required: NotRequired[list[str]]
    said: NotRequired[str]
    alone: NotRequired[str]
    way: NotRequired[list[Stop]]


DescribedSchema = TypedDict(
    "DescribedSchema",
    {
        "title": str,
        "type": Literal["object"],
        "properties": dict[str, dict[str, Any]],
        "required": NotRequired[list[str]],
        "$defs": dict[str, dict[str, Any]],
    },
)
"""A JSON Schema of objects. Beside an `enum` whose words are keys of a catalogue stands its key, as `catalogue`."""


class CatalogueEntry(TypedDict):
    """An entry of a catalogue. The game's own fields (numbers, costs, ranges) stand beside these: `entry.get("cost")`.

    key     as it stands in views and actions
    symbol  one to three letters or a glyph
    text    a sentence for a player
    levels  of pieces: the levels of the board on which it can be without help
    height  of levels: how high it lies; the board's first is 0
    """

    key: str
    name: str
    symbol: str
    text: str
    levels: NotRequired[list[str]]
    height: NotRequired[int]


# ---- proposals, as events and matches have them


class ProposedUndo(TypedDict):
    """To go back, or to another line: play goes on from what was after version `to`."""

    kind: Literal["undo"]
    to: int


_Options = TypedDict("_Options", {"with": Literal["position"], "import": dict[str, Any] | None}, total=False)


class ProposedOptions(_Options, total=False):
    """Other options (only the changes) or, in the lobby, another beginning. `with` is "position", where there is one
    that you may not see; `views`: by seat, the start as your seats would see it."""

    kind: Required[Literal["options"]]
    options: dict[str, Any]
    position: dict[str, Any] | None
    scenario: str
    views: dict[str, dict[str, Any]]


_Edit = TypedDict("_Edit", {"with": Literal["position"]}, total=False)


class ProposedEdit(_Edit, total=False):
    """To go on from another Position."""

    kind: Required[Literal["edit"]]
    position: dict[str, Any]
    views: dict[str, dict[str, Any]]


class ProposedCompetitive(TypedDict):
    """To make the match competitive, for good."""

    kind: Literal["competitive"]


class ProposedAbort(TypedDict):
    """To end the match in the lobby."""

    kind: Literal["abort"]


class ProposedRematch(TypedDict):
    """To play again after the end, with rotated seats."""

    kind: Literal["rematch"]


Proposed = (
    ProposedOptions | ProposedUndo | ProposedEdit | ProposedCompetitive | ProposedAbort | ProposedRematch
)
"""What is proposed, told apart by `kind`."""


class PlayerName(TypedDict):
    id: str
    name: str
    bot: NotRequired[bool]


class OpenPart(TypedDict):
    """What an open proposal has beside what is proposed. version: of its event, by which it is accepted or rejected.
    accepted, waiting_for: ids of players."""

    version: int
    player: PlayerName
    accepted: list[str]
    waiting_for: list[str]


class OpenOptions(OpenPart, ProposedOptions): ...


class OpenUndo(OpenPart, ProposedUndo): ...


class OpenEdit(OpenPart, ProposedEdit): ...


class OpenCompetitive(OpenPart, ProposedCompetitive): ...


class OpenAbort(OpenPart, ProposedAbort): ...


class OpenRematch(OpenPart, ProposedRematch): ...


OpenProposal = OpenOptions | OpenUndo | OpenEdit | OpenCompetitive | OpenAbort | OpenRematch
"""The open proposal of a match, told apart by `kind`."""
