"""What each game brings to the document: its options, Positions, actions, effects and views as named components.

Of a game `wec` they are called `WecOptions`, `WecAction` … and what these are made of `WecPieceView` …, all from the
Structs of its codec. For answers about any game there is `GameAction` … : that of one of the games. The name of no game
stands here: they are found by their files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

import warlog_core
from warlog_core import actions
from warlog_core.codecs import Codec
from warlog_core.description import named
from warlog_core.words import words_of

Json = dict[str, Any]

REF = "#/components/schemas/"
KINDS: Mapping[str, str] = {
    "Options": "The options of a match of {title}.",
    "Position": "A Position of {title}: the state of a match that is not over.",
    "Action": "An action of {title}, as it is posted.",
    "ListedAction": "An action of {title}, as it is listed: to be posted as it is, or a template to be filled in.",
    "SeenAction": "An action of {title} as a reader sees it: of a hidden action only a part.",
    "Effect": "What an action of {title} led to.",
    "View": "A match of {title}, as a seat or a spectator sees it.",
}

COMMON: Mapping[str, str] = {
    "Actions": "Listing",
    "Match": "MatchSummary",
    "Scenario": "ScenarioSummary",
    "Entry": "EntrySummary",
}
"""Answers whose fields differ by game → the component with the fields that are the same in every game."""


def any_json(form: type) -> Json:
    """`object`: any JSON, which the rule book judges."""
    if form is object:
        return {"description": "any JSON value"}
    raise NotImplementedError


def ref(name: str) -> Json:
    return {"$ref": f"{REF}{name}"}


def name_in(reference: Json) -> str:
    """Of the component."""
    name: str = reference["$ref"].removeprefix(REF)
    return name


def prefix_of(game: str) -> str:
    """What the names of its components begin with."""
    return "".join(word.capitalize() for word in game.split("_"))


def components() -> Json:
    """Those of all games, and of each kind the union of all."""
    found: Json = {}
    for game in warlog_core.games():
        found |= _of_game(game)
    for kind, text in KINDS.items():
        if kind == "ListedAction":
            continue  # a list of actions says of which game they are
        members = of_each(kind)
        found[f"Game{kind}"] = {
            "description": text.format(title="one of the games"),
            "anyOf": members,
            **_told_apart(found, map(name_in, members)),
        }
    found["GameCode"] = {
        "description": "A code of the rule book of one of the games.",
        "anyOf": of_each("Code"),
    }
    return found


def of_each(kind: str) -> list[Json]:
    """References to the components of this kind, of all games."""
    return [ref(f"{prefix_of(game)}{kind}") for game in warlog_core.games()]


def joined(name: str, text: str) -> Json:
    """The component of an answer about any game: what it has in every game, and what differs."""
    return {
        "description": f"{text}, told apart by `game`.",
        "allOf": [ref(COMMON[name]), {"anyOf": of_each(name)}],
    }


def narrowed(found: Json) -> Json:
    """The components of each Struct of COMMON: what it has in every game, and for each game the rest. The Struct's own
    component is taken away."""
    made: Json = {}
    for name in COMMON.keys() & found.keys():
        whole = found.pop(name)
        text, fields = whole["description"].rstrip("."), whole["properties"]
        differs = {"game": {}} | {field: one for field, one in fields.items() if _of_any_game(one)}
        made[name] = joined(name, text)
        made[COMMON[name]] = {
            **whole,
            "description": f"{text}: what it has in every game.",
            "properties": {field: one for field, one in fields.items() if field not in differs},
            "required": [field for field in whole["required"] if field not in differs],
        }
        for game in warlog_core.games():
            made[f"{prefix_of(game)}{name}"] = {
                "type": "object",
                "description": f"{text}: what it has in {warlog_core.game(game).codec.title} alone.",
                "properties": {field: _narrowed(one, prefix_of(game)) for field, one in differs.items()}
                | {"game": _only(game)},
                "required": [field for field in whole["required"] if field in differs],
            }
    return made


def _of_any_game(node: Any) -> bool:
    """Is there a reference to a component of any game here?"""
    return bool(_narrowed(node, "") != node)


def _narrowed(node: Any, prefix: str) -> Any:
    """With the components of one game where those of any game are referred to."""
    if isinstance(node, list):
        return [_narrowed(one, prefix) for one in node]
    if not isinstance(node, dict):
        return node
    changed = {name: _narrowed(one, prefix) for name, one in node.items()}
    if "$ref" in node and (kind := name_in(node).removeprefix("Game")) in KINDS:
        changed |= ref(f"{prefix}{kind}")
    return changed


def _only(game: str) -> Json:
    return {"enum": [game], "description": "name of the game"}


def _told_apart(found: Json, members: Iterable[str]) -> Json:
    """A discriminator, where each of these has a `game` of its own."""
    mapping = {}
    for member in members:
        game = found[member].get("properties", {}).get("game", {}).get("enum")
        if not game:
            return {}
        mapping[game[0]] = f"{REF}{member}"
    return {"discriminator": {"propertyName": "game", "mapping": mapping}}


def _of_game(game: str) -> Json:
    known, prefix = warlog_core.game(game), prefix_of(game)
    codec: Codec = known.codec
    forms = {
        "Options": codec.options_type,
        "Position": codec.position_type,
        "Action": codec.action_type,
        "Effect": codec.effect_type,
        "View": codec.view_type,
    }
    schemas, structs = msgspec.json.schema_components(
        list(forms.values()), ref_template=f"{REF}{prefix}{{name}}", schema_hook=any_json
    )
    found: Json = {f"{prefix}{name}": schema for name, schema in structs.items()}
    for schema in found.values():
        schema.pop("title", None)  # the name of a Struct; a component has its own
    for kind, schema in zip(forms, schemas, strict=True):
        name = f"{prefix}{kind}"
        if schema != ref(name):
            assert name not in found, f"{game} has a Struct {kind} that is something else"
            found[name] = schema
        found[name].setdefault("description", KINDS[kind].format(title=codec.title))
    view = found[f"{prefix}View"]
    view["required"] += [
        name for name, schema in view["properties"].items() if "default" in schema
    ]  # always sent
    found |= _actions(known, prefix, found)
    words = words_of(game)
    for name, component in found.items():
        bare = name.removeprefix(prefix)
        component.setdefault("description", f"{codec.title}: {named(_spaced(bare)).lower()}.")
        for field, schema in component.get("properties", {}).items():
            if "description" not in schema:
                schema["description"] = (
                    words.get(f"{bare}.{field}") or words.get(field) or named(field).lower()
                )
    found[f"{prefix}Code"] = {
        "type": "string",
        "description": f"A code with which the rules of {codec.title} refuse something.",
        "oneOf": [{"const": code, "description": text} for code, text in known.errors.items()],
    }
    return found


def _spaced(name: str) -> str:
    """`ArmySubmitted` as words."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", name)


def _actions(game: warlog_core.Game, prefix: str, found: Json) -> Json:
    """Templates, and hidden actions, apart from the actions that can be posted."""
    union = found[f"{prefix}Action"]
    mapping = union["discriminator"]["mapping"] if "discriminator" in union else {}
    redacted = actions.notes_of(game.name).redacted
    templates: Json = {}
    hidden: Json = {}
    for signature in game.raw.actions:
        name = mapping[signature.name].removeprefix(REF)
        schema = found[name]
        bare = name.removeprefix(prefix)
        properties = schema["properties"]
        if properties.pop("open", None) is not None:
            templates[f"{prefix}Open{bare}"] = {
                "type": "object",
                "description": f"Stands in a listing for every `{signature.name}`; fill it in to post it.",
                "properties": {"type": properties["type"], "open": {"const": True}},
                "required": ["type", "open"],
            }
            needed = [parameter.name for parameter in signature.parameters if not parameter.optional]
            schema["required"] = ["type", *needed]
        if signature.name in redacted:
            kept = {"type": "type", **redacted[signature.name]}
            hidden[f"{prefix}Seen{bare}"] = {
                "type": "object",
                "description": f"What is seen of a `{signature.name}` by a reader who may not see all of it.",
                "properties": {name: properties[like] for name, like in kept.items()},
                "required": [*kept],
            }
    made = {**templates, **hidden}
    for kind, more in (("ListedAction", templates), ("SeenAction", hidden)):
        made[f"{prefix}{kind}"] = {
            "description": KINDS[kind].format(title=game.codec.title),
            "anyOf": [*union["anyOf"], *map(ref, more)],
        }
    made[f"{prefix}Actions"] = {
        "type": "object",
        "description": f"A list of actions of {game.codec.title}.",
        "properties": {
            "game": _only(game.name),
            "actions": {
                "type": "array",
                "items": ref(f"{prefix}ListedAction"),
                "description": "the actions, at most 20,000 in one answer",
            },
        },
        "required": ["game", "actions"],
    }
    return made
