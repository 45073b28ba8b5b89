"""Whether real answers are what the OpenAPI document says: every value fits its component, and has no property that the
document does not describe."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec

from warlog_service.openapi import games

DOCUMENT = Path(__file__).parents[2] / "docs" / "openapi.json"
REF = "#/components/schemas/"
TURN = ("to_act", "deadlines", "now")
OPEN_PROPOSAL = ("version", "player", "accepted", "waiting_for")


@cache
def strict(game: str) -> dict[str, Any]:
    """The document made now, in which every object is closed, and a component of any game is that of this one."""
    from warlog_service.openapi.__main__ import text

    document: dict[str, Any] = msgspec.json.decode(text())
    schemas = document["components"]["schemas"]
    for kind in games.KINDS:
        schemas[f"Game{kind}"] = {"$ref": f"{REF}{games.prefix_of(game)}{kind}"}
    for name, common in games.COMMON.items():
        schemas[name] = _joined(schemas[common], schemas[f"{games.prefix_of(game)}{name}"])
    for one in schemas.values():
        _close(one)
    return document


def _joined(common: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """One object, which can be closed."""
    assert not common["properties"].keys() & own["properties"].keys()
    return {
        **common,
        "properties": {**common["properties"], **own["properties"]},
        "required": [*common["required"], *own["required"]],
    }


def _close(node: Any) -> None:
    if isinstance(node, list):
        for one in node:
            _close(one)
    elif isinstance(node, dict):
        if "properties" in node and isinstance(node["properties"], dict):
            node.setdefault("additionalProperties", False)
        for one in node.values():
            _close(one)


@cache
def _validator(game: str, component: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(
        {"$ref": f"{REF}{component}", "components": strict(game)["components"]}
    )


def check(game: str, component: str, value: Any) -> None:
    """Raises AssertionError unless the value is wholly described by this component."""
    for error in _validator(game, component).iter_errors(value):
        raise AssertionError(f"{component} {value}: {error.instance_path}: {error.message}")


def check_live(game: str, event: dict[str, Any]) -> None:
    """An event of a feed, or of the answer to a command: a component that is made of two."""
    check(game, "Turn", {name: event[name] for name in TURN if name in event})
    check(game, "Event", {name: value for name, value in event.items() if name not in TURN})


def check_match(game: str, match: dict[str, Any]) -> None:
    """A summary, whose open proposal is made of two components."""
    found = copy.copy(match)
    proposal = found["proposal"]
    if proposal is not None:
        found["proposal"] = None
        check(game, "OpenProposal", {name: proposal[name] for name in OPEN_PROPOSAL})
        rest = {name: value for name, value in proposal.items() if name not in OPEN_PROPOSAL}
        check(game, f"Proposed{rest['kind'].title()}", rest)
    check(game, "Match", found)


class Seen:
    """Checks values of a game, and collects the types that it has seen of each component."""

    def __init__(self, game: str) -> None:
        self._game = game
        self.types: dict[str, set[str]] = {}

    def __call__(self, component: str, value: Any) -> None:
        if isinstance(value, dict) and isinstance(value.get("type"), str):
            self.types.setdefault(component, set()).add(value["type"])
        check(self._game, component, value)


def types_of(game: str, component: str) -> Iterator[str]:
    """The types that a union of the game tells apart."""
    prefix = games.prefix_of(game)
    schemas = strict(game)["components"]["schemas"]
    yield from schemas[f"{prefix}{component}"]["discriminator"]["mapping"]
