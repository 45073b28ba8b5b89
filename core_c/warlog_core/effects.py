"""What `GET /v1/games/{game}` says of effects: enough to tell what an event did, in words and on the board.

The JSON Schema of an effect is that of its Struct; each of its fields gets a role, each type a sentence and the way
along which it is shown. All of it has a default by the game's signatures. A game says what is different in
`rules/<game>_effects.json` (an `EffectNotes`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from warlog_core.actions import Discriminator
from warlog_core.binding import Parameter, Signature

EffectRole = Literal["piece", "space", "level", "direction", "seat", "number", "dice", "choice"]
Json = dict[str, Any]

_ROLES: Mapping[str, EffectRole] = {
    "piece": "piece",
    "space": "space",
    "level": "level",
    "direction": "direction",
    "seat": "seat",
    "seats": "seat",
    "number": "number",
}
_SAID = (
    "what happened, for people, in English: `{field}` stands for the value of a field; what stands in `[ … ]` is left "
    "out where one of its fields is absent, false, 0 or an empty list"
)


class Stop(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Fields of an effect: one with a space or several, and the one with its level."""

    space: str
    level: str | UnsetType = UNSET


class EffectNotes(Struct, frozen=True, forbid_unknown_fields=True):
    """What a game's file says of its effects; all by type, but for the catalogues.

    said  sentences, as `DescribedEffect.said`
    alone what is said of it in addition, as `DescribedEffect.alone`
    dice  the fields with what was thrown: numbers, or objects with a seat and a number
    way   the fields with spaces along which it is shown, where that is not all of them in their order
    catalogues  of fields whose values are words, in any effect: the catalogue that has them
    """

    said: dict[str, str] = {}
    alone: dict[str, str] = {}
    dice: dict[str, list[str]] = {}
    way: dict[str, list[str]] = {}
    catalogues: dict[str, str] = {}


class DescribedEffectField(Struct, frozen=True, kw_only=True):
    """The JSON Schema of a field; an effect's own fields have a role (all but `type`)."""

    role: (
        Annotated[
            EffectRole,
            Meta(
                description="what the value is; `dice`: what was thrown, a number or a list of objects with one; "
                "`choice`: a word, mostly the key of an entry of a catalogue"
            ),
        ]
        | UnsetType
    ) = UNSET
    catalogue: (
        Annotated[
            str,
            Meta(
                description="the key of the catalogue that has its words. A choice without one has words of its own"
            ),
        ]
        | UnsetType
    ) = UNSET
    description: str | UnsetType = UNSET


class DescribedEffect(Struct, frozen=True, kw_only=True):
    """The JSON Schema of a type of effect, or of something that an effect contains, which has no `said`."""

    title: str
    type: Literal["object"]
    properties: dict[str, DescribedEffectField]
    required: list[str] = []
    said: Annotated[str, Meta(description=_SAID)] | UnsetType = UNSET
    alone: (
        Annotated[
            str, Meta(description="said in addition where an event shows no other effect, after a dash")
        ]
        | UnsetType
    ) = UNSET
    way: (
        Annotated[list[Stop], Meta(description="where it happened, in order: from the first to the last")]
        | UnsetType
    ) = UNSET


class DescribedEffects(Struct, frozen=True):
    """A JSON Schema of the effects of events, with more keywords."""

    any_of: list[dict[str, str]] = msgspec.field(name="anyOf")
    discriminator: Discriminator
    defs: dict[str, DescribedEffect] = msgspec.field(name="$defs")


@cache
def notes_of(game: str) -> EffectNotes:
    """What the game's file says; nothing where there is none."""
    file = resources.files("warlog_core").joinpath(f"rules/{game}_effects.json")
    return msgspec.json.decode(file.read_bytes(), type=EffectNotes) if file.is_file() else EffectNotes()


def described(schema: Mapping[str, Any], signatures: Sequence[Signature], notes: EffectNotes) -> Json:
    """The schema of the Structs, as `DescribedEffects`; nothing of `schema` is changed."""
    definitions = dict(schema["$defs"])
    mapping = schema["discriminator"]["mapping"] if "discriminator" in schema else {}
    for signature in signatures:
        name = mapping[signature.name].rpartition("/")[2]
        definitions[name] = _effect(definitions[name], signature, notes)
    return {**schema, "$defs": definitions}


def _effect(schema: Mapping[str, Any], signature: Signature, notes: EffectNotes) -> Json:
    type_, parameters = signature.name, signature.parameters
    dice = notes.dice.get(type_, [])
    properties = dict(schema["properties"])
    for parameter in parameters:
        role = "dice" if parameter.name in dice else _ROLES.get(parameter.kind, "choice")
        properties[parameter.name] = {**properties[parameter.name], "role": role}
        if parameter.name in notes.catalogues:
            properties[parameter.name]["catalogue"] = notes.catalogues[parameter.name]
    way = [stop for stop in _stops(parameters) if stop.space in notes.way.get(type_, [stop.space])]
    return {
        **schema,
        "properties": properties,
        "said": notes.said.get(type_) or _sentence(signature),
        **({"alone": notes.alone[type_]} if type_ in notes.alone else {}),
        "way": msgspec.to_builtins(way),
    }


def _stops(parameters: Sequence[Parameter]) -> list[Stop]:
    """Each field with spaces. A level belongs to the space before it."""
    found = []
    for parameter, after in zip(parameters, [*parameters[1:], None], strict=True):
        if _ROLES.get(parameter.kind) == "space":
            has_level = after is not None and after.kind == "level"
            found.append(Stop(parameter.name, after.name if after and has_level else UNSET))
    return found


def _sentence(signature: Signature) -> str:
    """`turn_started` with a seat and a number is "Turn started: {seat}, turn {turn}"; lists of things are left out."""
    label = signature.name.replace("_", " ").capitalize()
    parts = [
        f"{{{p.name}}}"
        if _ROLES.get(p.kind, "choice") != "number"
        else f"{p.name.replace('_', ' ')} {{{p.name}}}"
        for p in signature.parameters
        if not p.many
    ]
    return f"{label}: {', '.join(parts)}" if parts else label
