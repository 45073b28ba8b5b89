"""Why something was refused: a sentence, a JSON Pointer to the part at fault, and facts as fields.

What is wrong with the form of an action, of options or of a Position is found here, for every game: the Structs of its
codec are the schema. What is wrong by the rules is the game's own business (`Explaining`, `ExplainingStart`): the core
gives words, the codec makes a sentence of them. Where neither has more to say, the sentence of the code stands alone.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any

import msgspec
from msgspec.structs import replace

from warlog_core.errors import Explanation
from warlog_core.jsonvalue import INT64_MAX, INT64_MIN

# A sentence for each code of CONVENTIONS.md; a game's own are in its `rules/<game>_service.json`.
SENTENCES = {
    "match_over": "The match is over.",
    "malformed_action": "The action does not have the form that this game asks for.",
    "unknown_space": "There is no such space on the board.",
    "invalid_options": "No match can have these options.",
    "invalid_position": "The Position is invalid.",
    "wrong_phase": "This action does not belong to the present phase of the match.",
    "not_your_turn": "It is not this seat's turn.",
    "not_your_piece": "This seat has no such piece.",
    "illegal_destination": "The piece cannot go to that space.",
}
# msgspec says last where the fault is, in names of fields and numbers alone. What is before may quote anything.
_AT = re.compile(r"(`key` in )?`\$((?:\.\w+|\[(?:\d{1,9}|\.\.\.)\])+)`", re.ASCII)
_STEP = re.compile(r"\.(\w+)|\[(\d+|\.\.\.)\]", re.ASCII)
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_EXPECTED = re.compile(r"Expected `(?P<types>[^`]+)`(?P<rest>.*)", re.DOTALL)
_NAMES = {
    "int": "an integer",
    "float": "a number",
    "str": "a string",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_KEYS_TRIED_MAX = 40  # of a mapping, to find the one with the fault
_ALLOWED_MAX = 40  # names that are listed in a sentence or a field
# Characters of a sentence, of a path and of a text in a field: a refusal is not as long as what it refuses.
_DETAIL_MAX, _PATH_MAX, _TEXT_MAX = 2000, 400, 200


@cache
def schema_of(type_: Any) -> dict[str, Any]:
    """The JSON Schema of a Struct, or of a union of Structs, self-contained. That of a Struct begins with its
    fields."""
    (schema,), definitions = msgspec.json.schema_components(
        [type_], ref_template="#/$defs/{name}", schema_hook=_anything
    )
    if "$ref" in schema:
        schema = definitions.pop(schema["$ref"].rpartition("/")[2])  # no codec's Struct contains itself
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "$defs": definitions}


def _anything(type_: type) -> dict[str, Any]:
    """The schema of a field whose content the Struct leaves open (`object`)."""
    return {"description": "anything"}  # msgspec takes no empty schema


def pointer(*steps: str | int) -> str:
    """The JSON Pointer (RFC 6901) of these steps from the top."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def below(path: str, explanation: Explanation) -> Explanation:
    """The same, where what it speaks of stands at `path`."""
    return replace(explanation, path=path + explanation.path)


def printable(explanation: Explanation) -> Explanation:
    """The same where it is short and UTF-8 can say it. JSON has texts with lone surrogates, which then stand escaped;
    a path that names something long ends before it."""
    path = explanation.path
    while len(path) > _PATH_MAX:
        path = path.rpartition("/")[0]
    members = {name: _shortened(value, _TEXT_MAX) for name, value in explanation.members.items()}
    explanation = Explanation(_shortened(explanation.detail, _DETAIL_MAX), members, path)
    try:
        msgspec.json.encode(explanation)
    except UnicodeEncodeError:
        plain: Any = _escaped(msgspec.to_builtins(explanation))
        return Explanation(**plain)
    return explanation


def _shortened(value: Any, most: int) -> Any:
    return value[: most - 1] + "…" if isinstance(value, str) and len(value) > most else value


def _escaped(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case list():
            return [_escaped(member) for member in value]
        case dict():
            return {_escaped(key): _escaped(member) for key, member in value.items()}
    return value


def quoted(value: object) -> str:
    """A value as it stands in JSON, shortened."""
    text = json.dumps(value[:40] if isinstance(value, str) else value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "…"


def one_of(names: Sequence[object]) -> str:
    """`"a", "b" or "c"`, as JSON values."""
    shown = [quoted(name) for name in names[:_ALLOWED_MAX]]
    if len(names) > _ALLOWED_MAX:
        return ", ".join(shown) + " …"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def nearest(name: str, names: Sequence[str]) -> str:
    """` Did you mean "x"?` where a known name is near, else nothing."""
    if len(name) > _TEXT_MAX:
        return ""
    found = difflib.get_close_matches(name, names, 1, cutoff=0.7)
    return f" Did you mean {quoted(found[0])}?" if found else ""


def of_form(
    value: object, type_: Any, what: str, lacks: str = "", unoffered: Collection[str] = ()
) -> Explanation | None:
    """What is wrong with the form of `value`, which should be a `type_` (Structs); None: nothing.

    `what` begins a sentence about the whole: "The action"; `lacks` one about an unknown field of it: "The action has no
    field". `path` begins at `value`. `unoffered`: values of `type` that are not named where an unknown one is given."""
    try:
        msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
        message = str(error)
    except (RecursionError, OverflowError, UnicodeEncodeError):
        return _too_large(value)
    else:
        return _too_large(value)
    fault, steps, of_key = _placed(value, message, type_)
    if of_key:
        return _key(fault, value, steps)
    return _sentence(fault, value, steps, schema_of(type_), what, lacks or f"{what} has no field", unoffered)


def of_template(action: object) -> Explanation | None:
    """Of a listed template that was posted as it is; None for any other action."""
    if not isinstance(action, dict) or "open" not in action:
        return None
    return Explanation("This is a template, to be filled in: open is never posted.", {}, "/open")


def _too_large(value: object, steps: tuple[str | int, ...] = ()) -> Explanation | None:
    """Of an integer that no 64 bits hold: JSON has such numbers, no game has."""
    if type(value) is int and not INT64_MIN <= value <= INT64_MAX:
        return Explanation("The number is too large.", {}, pointer(*steps))
    if len(steps) > 8:
        return None
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    found = (_too_large(member, (*steps, key)) for key, member in members)
    return next((one for one in found if one is not None), None)


def _placed(value: object, message: str, type_: Any) -> tuple[str, list[str | int], bool]:
    """msgspec's message as what is wrong, the steps to where it is, and whether it is a key there.

    Nothing that the message quotes is taken for a place: an unknown field at the top may be called "x` - at `$.y"."""
    fault, _, place = message.rpartition(" - at ")
    at = _AT.fullmatch(place)
    if at is None:
        return message, [], False
    steps = _steps(at[2], value, message, type_)
    if unknown := _UNKNOWN.fullmatch(fault):
        there = _value_at(value, steps)
        if not isinstance(there, dict) or unknown[1] not in there:
            return message, [], False
    elif fault.startswith("Object contains unknown field"):
        return message, [], False
    return fault, steps, at[1] is not None


def _steps(path: str, value: Any, message: str, type_: Any) -> list[str | int]:
    """msgspec's path as steps. It writes `[...]` for the key of a mapping: that is the first one with which alone the
    message is the same. Where it is a key itself that is wrong, the steps end at the mapping."""
    steps: list[str | int] = []
    for name, index in _STEP.findall(path):
        if index == "...":
            key = None if message.endswith(f"`key` in `${path}`") else _faulty(value, steps, message, type_)
            if key is None:
                break
            steps.append(key)
        else:
            steps.append(name if name else int(index))
    return steps


def _faulty(value: Any, steps: Sequence[str | int], message: str, type_: Any) -> str | None:
    """The key of the mapping at `steps` under which the fault is."""
    mapping = _value_at(value, steps)
    for key in islice(mapping, _KEYS_TRIED_MAX) if isinstance(mapping, dict) else ():
        try:
            msgspec.convert(_with(value, steps, {key: mapping[key]}), type_)
        except msgspec.ValidationError as error:
            if str(error) == message:
                return str(key)
    return None


def _with(value: Any, steps: Sequence[str | int], member: object) -> Any:
    """`value` with another member at this place."""
    if not steps:
        return member
    copied = value.copy()
    copied[steps[0]] = _with(value[steps[0]], steps[1:], member)
    return copied


def _key(fault: str, value: object, steps: list[str | int]) -> Explanation:
    """Of a name of a mapping that is none of its names; msgspec says which only where there is a list of them."""
    known = re.fullmatch(r"Invalid enum value '(.*)'", fault, re.DOTALL)
    name = known[1] if known else next(iter(_value_at(value, steps)), "")
    where = f"{quoted(steps[-1])} has" if steps else "There is"
    return Explanation(f"{where} no entry {quoted(name)}.", {}, pointer(*steps, name))


def _sentence(
    fault: str,
    value: object,
    steps: list[str | int],
    schema: Mapping[str, Any],
    what: str,
    lacks: str,
    unoffered: Collection[str],
) -> Explanation:
    at = _value_at(value, steps)
    part = schema_at(schema, value, steps)
    subject = f"{quoted(steps[-1])}" if steps and isinstance(steps[-1], str) else what
    if steps and isinstance(steps[-1], int):
        subject = (
            f"Entry {steps[-1] + 1} of {quoted(steps[-2])}" if len(steps) > 1 else f"Entry {steps[-1] + 1}"
        )
    if missing := re.fullmatch(r"Object missing required field `(.*)`", fault):
        names = list(part.get("required", ()))
        return Explanation(
            f"{subject} lacks the field {quoted(missing[1])}.",
            {"needed": names} if names else {},
            pointer(*steps, missing[1]),
        )
    if unknown := _UNKNOWN.fullmatch(fault):
        names = sorted(part.get("properties", {}))
        hint = nearest(unknown[1], names)
        return Explanation(
            f"{f'{subject} has no field' if steps else lacks} {quoted(unknown[1])}.{hint}",
            {"allowed": names[:_ALLOWED_MAX]},
            pointer(*steps, unknown[1]),
        )
    if fault.startswith(("Invalid enum value", "Invalid value")):
        allowed = list(part.get("enum", ()))
        if not allowed and steps:
            types = _types(schema_at(schema, value, steps[:-1], whole=True), steps[-1])
            allowed = [name for name in types if name not in unoffered]
        noun = str(steps[-1]).replace("_", " ") if steps and isinstance(steps[-1], str) else "value"
        hint = nearest(at, [name for name in allowed if isinstance(name, str)]) if isinstance(at, str) else ""
        said = hint or (f" It may be {one_of(allowed)}." if allowed else "")
        return Explanation(
            f"There is no {noun} {quoted(at)}.{said}",
            {"allowed": allowed} if allowed else {},
            pointer(*steps),
        )
    members = {name: part[name] for name in ("minimum", "maximum") if name in part}
    if members and type(at) is int:
        return Explanation(f"{subject} is {at}, but must be {_range(members)}.", members, pointer(*steps))
    lengths = {name: part[key] for name, key in _LENGTHS if key in part}
    if lengths and isinstance(at, list | str) and "length" in fault:
        unit = "entries" if isinstance(at, list) else "characters"
        return Explanation(
            f"{subject} has {len(at)} {unit}, but must have {_range(lengths)}.", lengths, pointer(*steps)
        )
    if (expected := _EXPECTED.match(fault)) and not (isinstance(at, str) and "matching" in fault):
        wanted = " or ".join(_NAMES.get(name.strip(), name.strip()) for name in expected["types"].split("|"))
        return Explanation(f"{subject} must be {wanted}, not {_kind(at)}.", members, pointer(*steps))
    return Explanation(f"{subject} cannot be {quoted(at)}.", members, pointer(*steps))


_LENGTHS = (
    ("minimum", "minItems"),
    ("maximum", "maxItems"),
    ("minimum", "minLength"),
    ("maximum", "maxLength"),
)


def _range(members: Mapping[str, Any]) -> str:
    match members:
        case {"minimum": low, "maximum": high}:
            return f"from {low} to {high}"
        case {"minimum": low}:
            return f"at least {low}"
    return f"at most {members['maximum']}"


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool() | int() | float():
            return quoted(value)
        case str():
            return "a string"
        case list() | tuple():
            return "a list"
    return "an object"


def _value_at(value: Any, steps: Sequence[str | int]) -> Any:
    """None where there is nothing."""
    for step in steps:
        try:
            value = value[step]
        except (LookupError, TypeError):
            return None
    return value


def schema_at(
    schema: Mapping[str, Any], value: object, steps: Sequence[str | int], *, whole: bool = False
) -> Mapping[str, Any]:
    """The part of a JSON Schema that `value` has to fit at this place; empty where it says nothing. Of a union that
    member is taken which `value` names by its `type`; with `whole` the last one stays a union."""
    part = _resolved(schema, schema)
    for index, step in enumerate((*steps, None)):
        if not (whole and index == len(steps)):
            part = _member(schema, part, value)
        if step is None:
            return part
        inner = part.get("properties", {}).get(step) if isinstance(step, str) else part.get("items")
        if inner is None:
            inner = part.get("additionalProperties")
        if not isinstance(inner, Mapping):
            return {}
        part = _resolved(schema, inner)
        value = _value_at(value, [step])
    return part


def _resolved(schema: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
    """`part`, or what it refers to, with what stands beside the reference."""
    while "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        part = {**schema["$defs"][name], **{key: value for key, value in part.items() if key != "$ref"}}
    return part


def _member(schema: Mapping[str, Any], part: Mapping[str, Any], value: object) -> Mapping[str, Any]:
    if "anyOf" not in part:
        return part
    mapping = part.get("discriminator", {}).get("mapping")
    if mapping is not None:
        given = value.get(part["discriminator"]["propertyName"]) if isinstance(value, dict) else None
        known = isinstance(given, str) and given in mapping
        return _resolved(schema, {"$ref": mapping[given]}) if known else part
    members = [_resolved(schema, member) for member in part["anyOf"]]
    solid = [member for member in members if member.get("type") != "null"]
    return solid[0] if len(solid) == 1 else part


def _types(part: Mapping[str, Any], field: str | int) -> list[str]:
    """The values of the field by which the members of a union are told apart."""
    discriminator = part.get("discriminator", {})
    return list(discriminator["mapping"]) if discriminator.get("propertyName") == field else []
