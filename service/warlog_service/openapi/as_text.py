"""The document as Markdown, for terminals and for programs that read: the guide, then each call in a few lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from warlog_service.openapi.games import Json


def as_text(document: Json) -> str:
    shared = document["components"]["responses"]
    lines = [document["info"]["description"], "", "# Calls", ""]
    lines += [
        "Each with its parameters (a star: required), what it takes and answers (names are components of"
    ]
    lines += ["`/v1/openapi.json`), and the codes of its refusals.", ""]
    for tag in document["tags"]:
        lines += [f"## {tag['name']}", "", tag["description"], ""]
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                if tag["name"] in operation["tags"]:
                    lines += [f"### {method.upper()} {path}", "", operation["description"], ""]
                    lines += [*_call(operation, shared), ""]
    return "\n".join(lines)


def _call(operation: Json, shared: Json) -> Iterator[str]:
    for one in operation["parameters"]:
        star = "*" if one["required"] else ""
        yield f"* `{one['name']}`{star} ({one['in']}): {one['description']}"
    if "requestBody" in operation:
        yield f"* takes {_named(operation['requestBody'])}"
    refused: dict[str, list[str]] = {}
    for status, answer in operation["responses"].items():
        found = shared[answer["$ref"].rpartition("/")[2]] if "$ref" in answer else answer
        if status[0] in "23":
            yield f"* answers {status} {_named(found)}".rstrip()
        elif status != "default":
            refused[status] = [*_codes(found)]
    if refused:
        listed = "; ".join(f"{status} {', '.join(codes)}" for status, codes in refused.items())
        yield f"* refuses with {listed}"


def _named(one: Json) -> str:
    """What a body or an answer is: a component, or a type of content."""
    for kind, content in one.get("content", {}).items():
        schema = content["schema"]
        found = schema.get("contentSchema", schema)
        names = [part["$ref"].rpartition("/")[2] for part in found.get("anyOf", [found]) if "$ref" in part]
        stands = " or ".join(f"`{name}`" for name in names)
        return stands or "a JSON object" if kind == "application/json" else f"{kind} {stands}".rstrip()
    return ""


def _codes(answer: Json) -> Iterator[str]:
    code: Any = answer["content"]["application/problem+json"]["schema"]["allOf"][1]["properties"]["code"]
    for one in code.get("anyOf", [code]):
        yield from (f"`{word}`" for word in one.get("enum", ["a code of the rule book"]))
