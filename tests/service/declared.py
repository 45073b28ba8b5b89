"""Whether an answer is one of those that the OpenAPI document lists for its call: status, code, headers."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from warlog_service.codes import CODES

Json = dict[str, Any]
DOCUMENT = Path(__file__).parents[2] / "docs" / "openapi.json"
OF_A_RULE_BOOK = "a code of a rule book"


@cache
def document() -> Json:
    found: Json = json.loads(DOCUMENT.read_bytes())
    return found


@cache
def _paths() -> list[tuple[re.Pattern[str], Json]]:
    """Those without parameters first: `players/me` is not `players/{player_id}`."""
    paths = sorted(document()["paths"].items(), key=lambda path: path[0].count("{"))
    return [(re.compile(re.sub(r"{\w+}", "[^/]+", path)), calls) for path, calls in paths]


@cache
def of_no_call() -> set[str]:
    """The codes of requests that are none of the calls."""
    return {*_listed("Refusals")}


@cache
def of_any_answer() -> set[str]:
    """The headers that are not listed with each call."""
    return {name.lower() for names in _listed("Headers of any answer") for name in names.split(", ")}


def _listed(section: str) -> list[str]:
    text = document()["info"]["description"].partition(f"\n# {section}\n")[2].partition("\n# ")[0]
    found = re.findall(r"^\* `([^`]+)`", text, flags=re.MULTILINE)
    assert found, section
    return found


def check(response: httpx.Response) -> None:
    """Raises AssertionError unless the document has the answer."""
    path, method = response.request.url.path, response.request.method.lower()
    calls = next((calls for pattern, calls in _paths() if pattern.fullmatch(path)), {})
    said = f"{method} {path}: {response.status_code} {response.text[:300]}"
    problem = response.headers.get("content-type") == "application/problem+json"
    if problem and response.json()["code"] in of_no_call():
        return
    answers = answers_of(document(), calls[method])
    assert str(response.status_code) in answers, said
    answer = answers[str(response.status_code)]
    declared = {name.lower() for name in answer["headers"]} | of_any_answer()
    assert {*response.headers} <= declared, (said, {*response.headers} - declared)
    if problem:
        (content,) = answer["content"].values()
        code = response.json()["code"]
        assert {code, code if code in CODES else OF_A_RULE_BOOK} & codes(content["schema"]), said


def answers_of(document: Json, operation: Json) -> Json:
    """By status, those that calls share among them."""
    shared = document["components"]["responses"]
    return {
        status: shared[answer["$ref"].rpartition("/")[2]] if "$ref" in answer else answer
        for status, answer in operation["responses"].items()
    }


def codes(schema: Json) -> set[str]:
    """Those that the schema of a problem allows. A rule book's may be of a game that the document does not know."""
    code = schema["allOf"][1]["properties"]["code"]
    return {
        each
        for one in code.get("anyOf", [code])
        for each in one.get("enum", [OF_A_RULE_BOOK, *of_rule_books()])
    }


@cache
def of_rule_books() -> set[str]:
    components = document()["components"]["schemas"]
    games = [name["$ref"].rpartition("/")[2] for name in components["GameCode"]["anyOf"]]
    return {one["const"] for game in games for one in components[game]["oneOf"]}
