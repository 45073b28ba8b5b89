"""The schemas of the document: the Structs of bodies and answers, what each game brings, and what joins them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from inspect import cleandoc
from typing import Any, get_args, get_type_hints

import msgspec

from warlog_events.match.records import Record
from warlog_events.workers.pairing import Entry
from warlog_service import schema
from warlog_service.openapi import games
from warlog_service.openapi.games import REF, Json, any_json, name_in, ref
from warlog_service.openapi.words import PROPERTIES
from warlog_service.schema import events
from warlog_service.schema.matches import OpenProposal

_MARK = "x-component"
DEFAULT_SAID_MAX = 60  # characters; a longer one is a table of the game


def components(forms: Iterable[Any]) -> tuple[dict[Any, Json], Json]:
    """The schema of each of these types, and all components."""
    wanted = {
        *forms,
        schema.Problem,
        Record,
        schema.WrittenHistory,
        schema.Turn,
        schema.Heartbeat,
        schema.Closing,
    }
    wanted |= {events.ANY_EVENT, schema.ANY_NOTICE, events.WhatIsProposed, OpenProposal, schema.Listing}
    ordered = sorted(wanted, key=str)
    schemas, found = msgspec.json.schema_components(
        ordered, schema_hook=any_json, ref_template=f"{REF}{{name}}"
    )
    schema_of = {form: _resolved(one) for form, one in zip(ordered, schemas, strict=True)}
    found = {name: _resolved(one) for name, one in found.items()}
    for one in found.values():
        one.pop("title", None)  # the name again
    found["Game"]["additionalProperties"] = {
        "description": "What only this game has: each further catalogue a list of `CatalogueEntry`, and tables."
    }
    of_games = games.components() | games.narrowed(found)
    for name, more in (_joined(schema_of) | of_games).items():
        assert name not in found, f"two components are called {name}"
        found[name] = more
    return schema_of, found


def _joined(schema_of: dict[Any, Json]) -> Json:
    """Components that are made of others.

    Where one is joined with a union, the union's members are named: tools take a reference to a schema with a
    `discriminator` for inheritance, and give the joined one a `type` of its own."""
    joined: Json = {
        "Event": {
            "description": "An event of a match as you may see it, told apart by `type`.",
            **schema_of[events.ANY_EVENT],
        },
        "LiveEvent": {
            "description": "An event as feeds give it, and the answer to a command.",
            "allOf": [{"anyOf": schema_of[events.ANY_EVENT]["anyOf"]}, ref("Turn")],
        },
        "ChangedEntry": {
            "description": "An entry as it is now; its `type` is its `status`.",
            "allOf": [ref("Entry"), _typed(get_args(get_type_hints(Entry)["status"]))],
        },
        "Notice": {
            "description": "What a personal feed tells, told apart by `type`. More types will come; ignore those that "
            "you do not know.",
            **schema_of[schema.ANY_NOTICE],
        },
        "Import": {
            "description": "A record, or a match in its game's notation.",
            "anyOf": [ref("Record"), ref("WrittenHistory")],
        },
        "Actions": games.joined("Actions", "The legal actions of a seat"),
        "Proposal": {
            "description": "The open proposal of a match, told apart by `kind`: as far as you may know it.",
            "allOf": [ref("OpenProposal"), {"anyOf": schema_of[events.WhatIsProposed]["anyOf"]}],
        },
    }
    told_apart = {
        "Heartbeat": ["heartbeat"],
        "Closing": ["closing"],
        "LiveEvent": [*schema_of[events.ANY_EVENT]["discriminator"]["mapping"]],
        "Notice": [*schema_of[schema.ANY_NOTICE]["discriminator"]["mapping"]],
        "ChangedEntry": joined["ChangedEntry"]["allOf"][1]["properties"]["type"]["enum"],
    }
    for name, (members, text) in events.FEEDS.items():
        mapping = {type_: f"{REF}{member}" for member in members for type_ in told_apart[member]}
        joined[name] = {
            "description": text,
            "anyOf": [ref(member) for member in members],
            "discriminator": {"propertyName": "type", "mapping": mapping},
        }
    return joined


def _typed(types: Iterable[str]) -> Json:
    kind = {"description": "says which it is", "type": "string", "enum": [*types]}
    return {"type": "object", "properties": {"type": kind}, "required": ["type"]}


def _resolved(node: Any) -> Any:
    """With references where a type is marked by `schema.common.component`."""
    if isinstance(node, list):
        return [_resolved(one) for one in node]
    if not isinstance(node, dict):
        return node
    if _MARK in node:
        text = {"description": node["description"]} if "description" in node else {}
        return {**ref(node[_MARK]), **text}
    return {name: _resolved(one) for name, one in node.items()}


def referenced(node: Any) -> Iterator[str]:
    """The names of the components that are referred to here, some more than once."""
    if isinstance(node, list):
        for one in node:
            yield from referenced(one)
    elif isinstance(node, dict):
        for name, one in node.items():
            if name == "$ref" and isinstance(one, str):
                yield name_in(node)
            elif name not in ("discriminator", "example", "examples"):
                yield from referenced(one)


def reached(found: Json, roots: Any) -> set[str]:
    """The components that are needed for what is said in `roots`."""
    known: set[str] = set()
    left = [*referenced(roots)]
    while left:
        name = left.pop()
        if name not in known:
            known.add(name)
            left += referenced(found[name])
    return known


def close_requests(found: Json, requests: set[str]) -> None:
    """Only what is sent in requests is closed: answers may get further fields one day. Objects that may have any say
    so."""
    of_games = games.components().keys()
    for name, one in found.items():
        if name in requests and name in of_games and "properties" in one:
            one["additionalProperties"] = False
        _open(one, everything=name not in requests)


def _open(node: Any, *, everything: bool) -> None:
    if isinstance(node, list):
        for one in node:
            _open(one, everything=everything)
    elif isinstance(node, dict):
        if everything and node.get("additionalProperties") is False and "properties" in node:
            del node["additionalProperties"]
        if node.get("type") == "object" and "properties" not in node:
            node.setdefault("additionalProperties", True)
        for name, one in node.items():
            if name != "example":
                _open(one, everything=everything)


def describe(found: Json) -> None:
    """A text for every component and property that has none."""
    for name, one in found.items():
        if "description" not in one and name in PROPERTIES:
            one["description"] = PROPERTIES[name]
        if "description" in one:
            one["description"] = cleandoc(one["description"])
        for field, inner in one.get("properties", {}).items():
            if isinstance(inner, dict) and "description" not in inner:
                if text := _text(name, field, inner):
                    inner["description"] = text


def say_defaults(found: Json) -> None:
    """Every default is said in the text of its property. Code generators take the keyword `default` for a promise that
    the value is there, and then demand it in requests, too."""
    for one in found.values():
        for inner in one.get("properties", {}).values():
            if isinstance(inner, dict) and "default" in inner:
                default = inner.pop("default")
                if default not in (None, "", [], {}):
                    told = default if isinstance(default, str) else json.dumps(default)
                    said = f"`{told}`" if len(told) <= DEFAULT_SAID_MAX else "as in the rule book"
                    inner["description"] = f"{inner['description']} (default: {said})"


def _text(component: str, field: str, inner: Json) -> str:
    if field in ("type", "kind", "fill") and len(inner.get("enum", ())) == 1:
        return "says which it is"
    said = next((one["description"] for one in inner.get("anyOf", ()) if "description" in one), "")
    return PROPERTIES.get(f"{component}.{field}") or said or PROPERTIES.get(field) or ""
