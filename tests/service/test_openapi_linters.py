"""The OpenAPI document is clean under three linters, and every part of it has a text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from tests import node

DOCUMENT = Path(__file__).parents[2] / "docs" / "openapi.json"
Json = dict[str, Any]


@pytest.fixture(scope="module")
def document() -> Json:
    found: Json = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    return found


def test_it_is_valid_openapi(document: Json) -> None:
    assert [str(error) for error in OpenAPIV31SpecValidator(document).iter_errors()] == []


def test_redocly_finds_nothing() -> None:
    said = node.run("redocly", "lint", "--format=json", str(DOCUMENT), capture_output=True)
    assert json.loads(said.stdout)["problems"] == [], said.stdout + said.stderr
    assert said.returncode == 0, said.stderr


def test_spectral_finds_nothing() -> None:
    how = ["--ruleset", "spectral.yaml", "--fail-severity=hint", "--quiet"]
    said = node.run("spectral", "lint", *how, str(DOCUMENT), capture_output=True)
    assert said.returncode == 0, said.stdout + said.stderr


def untold(document: Json) -> Iterator[str]:
    """What has no text."""
    for name, component in document["components"]["schemas"].items():
        if not component.get("description"):
            yield name
        for field, schema in component.get("properties", {}).items():
            if not schema.get("description"):
                yield f"{name}.{field}"
    for name, answer in document["components"]["responses"].items():
        yield from unsaid(name, answer)
    tags = {tag["name"] for tag in document["tags"] if tag["description"]}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            where = f"{method} {path}"
            if not {*operation["tags"]} <= tags or not operation["description"]:
                yield where
            yield from unsaid(where, operation["responses"])
            for parameter in operation["parameters"]:
                if not parameter.get("description"):
                    yield f"{where} {parameter['name']}"


def unsaid(where: str, node: Any) -> Iterator[str]:
    """The properties of schemas that stand in the middle of something, and have no text."""
    if isinstance(node, list):
        for one in node:
            yield from unsaid(where, one)
    elif isinstance(node, dict):
        for name, inner in node.items():
            if name == "properties":
                yield from (f"{where} {field}" for field, one in inner.items() if not one.get("description"))
            elif name not in ("example", "examples"):
                yield from unsaid(where, inner)


def test_every_component_property_parameter_call_and_tag_has_a_text(document: Json) -> None:
    assert [*untold(document)] == []
    del document["components"]["schemas"]["MatchSummary"]["properties"]["mode"]["description"]
    assert [*untold(document)] == ["MatchSummary.mode"]


def requested(document: Json) -> set[str]:
    """The components that requests are made of."""
    from warlog_service.openapi.components import reached

    bodies = [
        operation["requestBody"]
        for methods in document["paths"].values()
        for operation in methods.values()
        if "requestBody" in operation
    ]
    return reached(document["components"]["schemas"], bodies)


#: of which fields that are not known are let be
OPEN = {"Record", "RecordBot", "RecordEvent", "RecordSetup", "LogEntry", "Result", "WrittenHistory"}


def test_a_time_has_its_format_and_the_text_that_was_written_for_it(document: Json) -> None:
    schemas = document["components"]["schemas"]
    for name, one in schemas.items():
        for field, inner in one.get("properties", {}).items():
            assert ("RFC 3339" in json.dumps(inner)) <= ('"date-time"' in json.dumps(inner)), (name, field)
    assert schemas["RecordEvent"]["properties"]["at"]["description"].startswith("when it happened")


def test_requests_are_closed_and_answers_are_open(document: Json) -> None:
    sent = requested(document)
    for name, component in document["components"]["schemas"].items():
        closed = component.get("additionalProperties") is False
        if "properties" in component:
            assert closed == (name in sent - OPEN), name


def test_an_object_without_properties_says_what_it_may_hold(document: Json) -> None:
    def look(where: str, schema: Any) -> Iterator[str]:
        if isinstance(schema, dict):
            if schema.get("type") == "object" and not {"properties", "additionalProperties"} & {*schema}:
                yield where
            for key, inner in schema.items():
                if key not in ("example", "enum"):
                    yield from look(f"{where}/{key}", inner)
        elif isinstance(schema, list):
            for index, inner in enumerate(schema):
                yield from look(f"{where}/{index}", inner)

    assert [*look("#", document["components"]), *look("#/paths", document["paths"])] == []


def test_a_body_is_required_where_not_all_of_it_may_be_left_out(document: Json) -> None:
    optional = {
        operation["operationId"]
        for methods in document["paths"].values()
        for operation in methods.values()
        if not operation.get("requestBody", {"required": True})["required"]
    }
    assert optional == {"post_token", "put_seat", "post_join"}
