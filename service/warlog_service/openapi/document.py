"""The document: paths, components, examples.

Litestar's own generator reads signatures; ours decode bodies with `warlog_core.loads` (an integer of a hundred digits
must reach the rule book) and return bytes that were rendered once, so a route says here what it takes and answers.
The examples are what a server in a fixed test world really answered: `tests/service/make_examples.py` records them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import msgspec
from litestar import Litestar
from litestar.handlers import HTTPRouteHandler

import warlog_core
from warlog_service.codes import CODES, TRANSPORT, Code
from warlog_service.openapi.calls import Call, calls
from warlog_service.openapi.components import components as made
from warlog_service.openapi.components import open_answers, reached
from warlog_service.openapi.games import ref
from warlog_service.responses import encode
from warlog_service.schema import Problem

ALWAYS = ("bad_parameter", "unauthenticated", "too_many_requests", "unavailable", "disk_full")
WITH_A_BODY = ("malformed_body", "body_too_large")
OF_A_MATCH = ("integrity_error", "unconfirmed")


def recorded() -> dict[str, Any]:
    """operation id → {"path", "body"?, "status", "answer"} as recorded; empty before the first recording."""
    file = resources.files("warlog_service").joinpath("examples.json")
    return msgspec.json.decode(file.read_bytes()) if file.is_file() else {}


def document(app: Litestar) -> dict[str, Any]:
    """OpenAPI 3.1 of every call."""
    # Litestar keeps methods in a set, whose order is another in each process.
    described = sorted(calls(app), key=lambda one: one[:2])
    forms = {
        form
        for _, _, _, one in described
        for form in (one.query, one.body, one.answer, one.stream)
        if form and not isinstance(form, str)
    }
    schema_of, components = made(forms)
    examples = recorded()
    paths: dict[str, dict[str, Any]] = {}
    queries: set[str] = set()
    for method, path, handler, one in described:
        operation: dict[str, Any] = {
            "operationId": handler.fn.__name__,
            "tags": [path.split("/")[2] if path.startswith("/v1/") else "operations"],
            "summary": _first_line(handler),
            "description": _text(handler),
            "parameters": [
                {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                for name in _names(path)
            ],
            "security": [{"token": []}] if one.token else [{}, {"token": []}],
        }
        if one.query is not None:
            queries.add(one.query.__name__)
            operation["parameters"] += _parameters(components[one.query.__name__])
        operation["parameters"] += [
            {"name": name, "in": "header", "schema": {"type": "string"}} for name in one.headers
        ]
        example = examples.get(handler.fn.__name__, {})
        if one.body is not None:
            operation["requestBody"] = {
                "content": {"application/json": _content(schema_of[one.body], example.get("body"))}
            }
        operation["responses"] = _responses(one, schema_of, example)
        paths.setdefault(path, {})[method.lower()] = operation
    bodies = [one["requestBody"] for path in paths.values() for one in path.values() if "requestBody" in one]
    open_answers(components, reached(components, bodies))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Warlog",
            "version": warlog_core.__version__,
            "description": "A server for board war-games. Every refusal is a problem document with a stable `code` "
            "and a `detail` for people. Codes of a game's rule book have status 422; `errors` of "
            "`GET /v1/games/{game}` explains them. A request that is no call of the API is refused with:\n\n"
            f"{_list(TRANSPORT)}",
        },
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": {name: schema for name, schema in sorted(components.items()) if name not in queries},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


@cache
def rendered(app: Litestar) -> bytes:
    """The document as JSON, made once."""
    return encode(document(app))


def _responses(one: Call, schema_of: dict[Any, Any], example: dict[str, Any]) -> dict[str, Any]:
    if one.status == 204:
        done: dict[str, Any] = {"description": "done"}
    elif isinstance(one.answer, str):
        content = {"schema": {"type": "string"}}
        if one.stream is not None:
            content["schema"] |= {
                "contentMediaType": "application/json",
                "contentSchema": schema_of[one.stream],
            }
        done = {"description": "the text", "content": {one.answer: content}}
    else:
        done = {
            "description": "done",
            "content": {"application/json": _content(schema_of[one.answer], example.get("answer"))},
        }
    return {str(one.status): done, **_problems(one, schema_of[Problem])}


def _problems(one: Call, problem: dict[str, Any]) -> dict[str, Any]:
    """By status: the codes that the call may answer, and what each says. `default` is what no call answers itself."""
    named = [*one.errors, *ALWAYS, *(WITH_A_BODY if one.body is not None else ())]
    if "unknown_match" in one.errors:
        named += OF_A_MATCH if one.token else OF_A_MATCH[:1]
    by_status: dict[int, dict[str, Code]] = {}
    more = [
        f"and {words}; `errors` of `GET /v1/games/{{game}}` lists them" for words in named if " " in words
    ]
    for code in sorted(code for code in named if " " not in code):
        by_status.setdefault(CODES[code].status, {})[code] = CODES[code]
    if more:
        by_status.setdefault(422, {})
    answers = {}
    for status, codes in sorted(by_status.items()):
        lines = [_list(codes)] if codes else []
        allowed: list[dict[str, Any]] = [{"enum": [*codes]}] if codes else []
        if status == 422 and more:
            lines += more
            allowed.append(ref("GameCode"))
        code = allowed[0] if len(allowed) == 1 else {"anyOf": allowed}
        schema = {"allOf": [problem, {"properties": {"code": code}}]}
        answers[str(status)] = _problem("\n\n".join(lines), schema)
    return answers | {"default": _problem("any other problem", problem)}


def _problem(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/problem+json": {"schema": schema}}}


def _list(codes: Mapping[str, Code]) -> str:
    """In Markdown."""
    return "\n".join(f"* `{name}`: {code.text}" for name, code in codes.items())


def _content(schema: dict[str, Any], example: Any) -> dict[str, Any]:
    return {"schema": schema} if example is None else {"schema": schema, "example": example}


def _parameters(component: dict[str, Any]) -> list[dict[str, Any]]:
    required = component.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": schema}
        for name, schema in component["properties"].items()
    ]


def _names(path: str) -> list[str]:
    return [part[1:-1] for part in path.split("/") if part.startswith("{")]


def _text(handler: HTTPRouteHandler) -> str:
    lines = (handler.fn.__doc__ or "").strip().splitlines()
    return "\n".join(line.strip() for line in lines)


def _first_line(handler: HTTPRouteHandler) -> str:
    return _text(handler).split("\n", 1)[0].rstrip(".")
