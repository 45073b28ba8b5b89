"""What `GET /v1/games/{game}` says of actions: enough to build an input for each without knowing the game.

The JSON Schema of an action is that of its Struct; each field gets a role, each type a kind, a label and an order of
clicks, and what a person fills in himself a form. All of it has a default by the game's signatures. A game says what
is different in `rules/<game>_actions.json` (an `ActionNotes`), and which forms its options give in
`codecs/<game>_forms.py` (a function `forms` of the full options and the board: type → field → form).
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from warlog_core.binding import Parameter, Signature

Role = Literal["piece", "tray_piece", "space", "spaces", "direction", "choice", "number", "seat"]
ActionKind = Literal["play", "setup", "answer", "meta"]
Meaning = Literal["resign", "offer_draw", "accept_draw", "decline_draw"]
Json = dict[str, Any]

# The names of these actions are the same in every game (CONVENTIONS.md).
_MEANINGS: Mapping[str, Meaning] = {name: name for name in get_args(Meaning)}
_ANSWERS = frozenset(("accept_draw", "decline_draw"))
_ROLE_OF_KIND: Mapping[str, Role] = {
    "piece": "piece",
    "space": "space",
    "seat": "seat",
    "number": "number",
    "direction": "direction",
}

# ---- forms ---------------------------------------------------------------------------------------------------


Catalogue = (
    Annotated[str, Meta(description="the key of the catalogue that has the words of its choices")] | UnsetType
)


class Amount(Struct, frozen=True, forbid_unknown_fields=True):
    """The least and the greatest number."""

    min: int
    max: int


class EntryKeys(Struct, frozen=True, forbid_unknown_fields=True):
    """How the fields of an entry of the list are called."""

    type: str
    count: str


class Budget(Struct, frozen=True, tag_field="fill", tag="budget", omit_defaults=True):
    """So many of each type in `costs`, which together cost `limit` at most. Other fields with a `cost` pay from the
    same limit; a form has at most one budget. The value is an object by type, which need not have all of them
    (`{"bishop": 2, "pawn": 4}`), or, with `entry`, a list of such entries, in which a type may come up again
    (`[{"unit": "wolf", "count": 12}]`)."""

    limit: int
    costs: Annotated[dict[str, int], Meta(description="of one, by type; no other type may be given")]
    count: Annotated[Amount, Meta(description="how many of one type, or in one entry")]
    free: Annotated[
        dict[str, int], Meta(description="what comes by itself; it counts towards `max_pieces`")
    ] = {}
    max_pieces: Annotated[int, Meta(description="the most of all types together")] | UnsetType = UNSET
    entry: EntryKeys | UnsetType = UNSET
    entries: Annotated[Amount, Meta(description="the length of the list")] | UnsetType = UNSET
    required: bool = True
    catalogue: Catalogue = UNSET


class ForEach(Struct, frozen=True, forbid_unknown_fields=True):
    """A type of a budget's field."""

    field: str
    type: str


class Lists(Struct, frozen=True, tag_field="fill", tag="lists", omit_defaults=True):
    """A list of choices for each piece of a type that is bought, in any order; what is `free` in the budget has none. A
    choice may stand in a list more than once. Each choice beyond `included` has a `cost`. The value for two bishops:
    `[["heal", "panic"], ["hurt", "hurt", "heal"]]`."""

    of: list[str]
    for_each: ForEach
    length: Amount
    included: int
    cost: int
    required: Annotated[bool, Meta(description="false: it may be left out where there is no such piece")] = (
        True
    )
    catalogue: Catalogue = UNSET


class Number(Struct, frozen=True, tag_field="fill", tag="number", omit_defaults=True):
    """A number; each costs `cost` from the budget."""

    min: int
    max: int
    cost: int = 0
    required: bool = True


class Choice(Struct, frozen=True, tag_field="fill", tag="choice", omit_defaults=True):
    """One of these: `"barrier"`."""

    of: list[str]
    required: bool = True
    catalogue: Catalogue = UNSET


class Slot(Struct, frozen=True, forbid_unknown_fields=True):
    """A place of a layout. Seen from each seat it is another space."""

    types: Annotated[list[str], Meta(description="what may stand there")]
    spaces: Annotated[dict[str, str], Meta(description="by seat")]


class Slots(Struct, frozen=True, tag_field="fill", tag="slots", omit_defaults=True):
    """A list with one type for each slot, of each type exactly as many as `counts` says: `["colonel", "bomb", …]`."""

    slots: list[Slot]
    counts: dict[str, int]
    required: bool = True
    catalogue: Catalogue = UNSET


class Within(Struct, frozen=True, rename={"from_": "from"}):
    """Where in a view something stands: each entry of `from` (a path of keys, parted by dots) has it in that field."""

    from_: str
    spaces: str


class Area(Struct, frozen=True, tag_field="fill", tag="area", omit_defaults=True):
    """Different spaces, as many as one of the `sizes` says: `["c3", "c4", "d4", "d5"]`."""

    sizes: list[int]
    connected: Annotated[
        bool, Meta(description="from each to each by steps of length 1 between their centres")
    ]
    not_: Annotated[list[str], Meta(description="spaces that may not be in it")] = msgspec.field(name="not")
    not_in: Annotated[list[Within], Meta(description="likewise, as the view shows them")] = []
    required: bool = True


class OfPiece(Struct, frozen=True, rename={"from_": "from"}):
    """The count goes by the type of the piece that another field names: that of the entry of `view[from]` whose `id` is
    the action's `field`."""

    field: str
    from_: str
    id: str
    type: str


Count = int | dict[str, int]


class Payment(Struct, frozen=True, tag_field="fill", tag="payment", omit_defaults=True):
    """So many different spaces of the seat, in any order (`["k7", "k8"]`), or the word that lets the rules choose. The
    spaces that there are: `view[from][seat]`."""

    spaces_of: Literal["seat"]
    from_: Annotated[str, Meta(description="where in the view they are, by seat")] = msgspec.field(
        name="from"
    )
    count: Annotated[Count, Meta(description="how many; by the type of a piece where `by` is there")]
    by: OfPiece | UnsetType = UNSET
    seats: Annotated[dict[str, Count], Meta(description="for the seats that pay another count")] = {}
    auto: Annotated[str, Meta(description="the word instead of a list")] | UnsetType = UNSET
    required: bool = True
    catalogue: Annotated[str, Meta(description="that of the types in `count`")] | UnsetType = UNSET


Form = Budget | Lists | Number | Choice | Slots | Area | Payment

# ---- what is described ---------------------------------------------------------------------------------------


class Variant(Struct, frozen=True, forbid_unknown_fields=True):
    """Of fields that do not all belong together: with these values of a field, exactly these others are given. `label`:
    what the action is called then, where that is not what its type is called."""

    when: dict[str, list[str]]
    fields: list[str]
    label: str = ""


class ActionNotes(Struct, frozen=True, forbid_unknown_fields=True):
    """What a game's file says of its actions; all by type.

    catalogues  of fields whose values are words: the catalogue that has them
    redacted  of types that are hidden from others: the fields that they see, each with the field of the same shape
    """

    labels: dict[str, str] = {}
    kinds: dict[str, ActionKind] = {}
    roles: dict[str, dict[str, Role]] = {}
    catalogues: dict[str, dict[str, str]] = {}
    clicks: dict[str, list[str]] = {}
    again: Annotated[list[str], Meta(description="templates that may be filled in again")] = []
    variants: dict[str, list[Variant]] = {}
    redacted: dict[str, dict[str, str]] = {}


class DescribedField(Struct, frozen=True, kw_only=True):
    """The JSON Schema of a field; an action's own fields have a role (all but `type`)."""

    role: Annotated[Role, Meta(description="how a person gives it")] | UnsetType = UNSET
    catalogue: (
        Annotated[
            str,
            Meta(
                description="of choices: the key of the catalogue that has their words, those inside a list or an "
                "object, too. A choice without one is a number or true"
            ),
        ]
        | UnsetType
    ) = UNSET
    description: str | UnsetType = UNSET


class DescribedAction(Struct, frozen=True, kw_only=True):
    """The JSON Schema of a type of action, or of something that an action contains, which has no `kind`."""

    title: str
    type: Literal["object"]
    properties: dict[str, DescribedField]
    required: list[str] = []
    kind: (
        Annotated[
            ActionKind,
            Meta(
                description="`play`; `setup`: before play; `answer`: to another's draw offer; `meta`: offering a draw, "
                "giving up, the clock. A client that chooses by itself takes `play` and `setup`, and an `answer` where "
                "the list has neither. One that chooses at random should choose the type first, then an action of this "
                "type: a list may have hundreds of moves beside one action that ends the turn."
            ),
        ]
        | UnsetType
    ) = UNSET
    means: (
        Annotated[
            Meaning,
            Meta(
                description="of `meta` and `answer`: what the action does to the match; in every game the same. "
                "`resign` ends this seat's part for good: a client should ask before it posts one. Absent where "
                "`server_only` is there."
            ),
        ]
        | UnsetType
    ) = UNSET
    label: Annotated[str, Meta(description="for a button")] | UnsetType = UNSET
    clicks: (
        Annotated[
            list[str],
            Meta(
                description="the order in which a person gives the fields. Choose a value among those of the listed "
                "actions that are left, and go on with those that have it; an action without the field is such a "
                "choice, too"
            ),
        ]
        | UnsetType
    ) = UNSET
    server_only: Annotated[bool, Meta(description="posted by the server, never listed")] | UnsetType = UNSET
    open: (
        Annotated[bool, Meta(description='listed as `"open": true`, to be filled in by `form`')] | UnsetType
    ) = UNSET
    final: (
        Annotated[
            bool,
            Meta(
                description="of templates: true: what is posted stands; false: until the seat declares that it is "
                "ready, the template stays listed, and what is posted replaces what was"
            ),
        ]
        | UnsetType
    ) = UNSET
    form: (
        Annotated[
            dict[str, Form],
            Meta(
                description="the fields that a person fills in; in a template no others may be given. Where the action "
                "is no template, the listed value stands for them, and another that the form allows may take its place"
            ),
        ]
        | UnsetType
    ) = UNSET


class Discriminator(Struct, frozen=True):
    property_name: str = msgspec.field(name="propertyName")
    mapping: Annotated[
        dict[str, str],
        Meta(description="type of action → where its schema is: `#/$defs/Move` is `Move` of `$defs`"),
    ]


class DescribedActions(Struct, frozen=True):
    """A JSON Schema of the actions that can be posted, with more keywords."""

    any_of: list[dict[str, str]] = msgspec.field(name="anyOf")
    discriminator: Discriminator
    defs: dict[str, DescribedAction] = msgspec.field(name="$defs")


# ---- making it -----------------------------------------------------------------------------------------------


@cache
def notes_of(game: str) -> ActionNotes:
    """What the game's file says; nothing where there is none."""
    file = resources.files("warlog_core").joinpath(f"rules/{game}_actions.json")
    return msgspec.json.decode(file.read_bytes(), type=ActionNotes) if file.is_file() else ActionNotes()


def forms_of(game: str, options: Mapping[str, Any], board: Mapping[str, Any]) -> dict[str, dict[str, Form]]:
    """The forms that these full options give: type → field → form."""
    name = f"warlog_core.codecs.{game}_forms"
    if importlib.util.find_spec(name) is None:
        return {}
    made: dict[str, dict[str, Form]] = importlib.import_module(name).forms(options, board)
    return made


def described(
    schema: Mapping[str, Any],
    signatures: Sequence[Signature],
    notes: ActionNotes,
    forms: Mapping[str, Mapping[str, Form]],
    words: Mapping[str, str],
) -> Json:
    """The schema of the Structs, as `DescribedActions`; nothing of `schema` is changed. `words`: what fields are, where
    no Struct says it."""
    definitions = dict(schema["$defs"])
    mapping = schema["discriminator"]["mapping"] if "discriminator" in schema else {}
    for signature in signatures:
        name = mapping[signature.name].rpartition("/")[2]
        own = _action(definitions[name], signature, notes, forms.get(signature.name, {}))
        for field, said in own["properties"].items():
            text = words.get(f"{name}.{field}") or words.get(field)
            if text is not None and field != "type":
                own["properties"][field] = {"description": text, **said}
        definitions[name] = own
    return {**schema, "$defs": definitions}


def _action(
    schema: Mapping[str, Any], signature: Signature, notes: ActionNotes, form: Mapping[str, Form]
) -> Json:
    type_, parameters = signature.name, signature.parameters
    roles, variants = notes.roles.get(type_, {}), notes.variants.get(type_, [])
    catalogues = notes.catalogues.get(type_, {})
    template = "open" in schema["properties"]
    properties = {name: value for name, value in schema["properties"].items() if name != "open"}
    for parameter in parameters:
        role = roles.get(parameter.name) or _role(parameter)
        properties[parameter.name] = {**properties[parameter.name], "role": role}
        if parameter.name in catalogues:
            properties[parameter.name]["catalogue"] = catalogues[parameter.name]
    required = [
        parameter.name
        for parameter in parameters
        if not parameter.optional or (parameter.name in form and form[parameter.name].required)
    ]
    found: Json = {
        **schema,
        "properties": properties,
        "required": ["type", *required],
        "kind": notes.kinds.get(type_) or _kind(signature),
        "label": notes.labels.get(type_) or type_.replace("_", " ").capitalize(),
        "clicks": notes.clicks.get(type_) or [parameter.name for parameter in parameters],
    }
    if type_ in _MEANINGS:
        found["means"] = _MEANINGS[type_]
    if variants:
        found["oneOf"] = [_variant(variant, variants) for variant in variants]
    if signature.server_only:
        found["server_only"] = True
    if template:
        found["open"] = True
        found["final"] = type_ not in notes.again
    if form:
        found["form"] = msgspec.to_builtins(dict(form))
    return found


def _variant(variant: Variant, variants: Sequence[Variant]) -> Json:
    """A JSON Schema that lets through what belongs to this variant; a schema `false` lets nothing through."""
    others = sorted({field for other in variants for field in other.fields} - {*variant.fields})
    given: Json = {field: {"enum": values} for field, values in variant.when.items()}
    return {
        **({"title": variant.label} if variant.label else {}),
        "properties": {**given, **dict.fromkeys(others, False)},
        "required": [*variant.when, *variant.fields],
    }


def _role(parameter: Parameter) -> Role:
    if parameter.kind == "space" and parameter.many:
        return "spaces"
    return _ROLE_OF_KIND.get(parameter.kind, "choice")


def _kind(signature: Signature) -> ActionKind:
    if signature.name in _ANSWERS:
        return "answer"
    return "meta" if signature.gives_up or signature.server_only else "play"
