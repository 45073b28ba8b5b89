"""The OpenAPI document: complete, in itself consistent, and its examples are what a server answers."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import msgspec
import pytest

import warlog_core
from tests.servers import WarlogServer
from tests.service import declared
from tests.service.api import Api, ok
from tests.service.make_examples import FILE, HEADERS, WORLD, play
from warlog_service import schema
from warlog_service.browsers import COOKIE
from warlog_service.openapi import calls, recorded
from warlog_service.openapi.__main__ import text

COMMITTED = Path(__file__).parents[2] / "docs" / "openapi.json"

OF_THE_DOCUMENT = ("# Refusals", "# Headers of any answer", "# Limits")

CALLS = """
POST /v1/players, GET /v1/players/me, GET /v1/players/{player_id}, POST /v1/tokens, GET /v1/tokens, DELETE
/v1/tokens/{token_id},
GET /v1/games, GET /v1/games/{game}, GET /v1/games/{game}/rules, POST /v1/matches, GET /v1/matches, GET
/v1/matches/{match_id},
PUT /v1/matches/{match_id}/seats/{seat}, DELETE /v1/matches/{match_id}/seats/{seat}, POST
/v1/matches/{match_id}/commands,
GET /v1/matches/{match_id}/view, GET /v1/matches/{match_id}/actions, GET /v1/matches/{match_id}/events,
GET /v1/matches/{match_id}/timeline, GET /v1/matches/{match_id}/board, GET /v1/matches/{match_id}/history,
GET /v1/matches/{match_id}/feed, GET /v1/matches/{match_id}/export, POST /v1/matches/import, POST
/v1/matches/{match_id}/join,
GET /v1/players/me/feed,
POST /v1/pairing, GET /v1/pairing, GET /v1/pairing/{entry_id}, DELETE /v1/pairing/{entry_id}, GET
/v1/pairing/{entry_id}/feed,
POST /v1/scenarios, GET /v1/scenarios, GET /v1/scenarios/{scenario_id}, DELETE /v1/scenarios/{scenario_id},
POST /v1/games/{game}/positions/check, GET /health/live, GET /health/ready
"""


def test_every_call_of_the_design_is_described_and_answers(api: Api) -> None:
    document = ok(api.get("/openapi.json"))
    assert document["info"]["version"] == warlog_core.__version__
    described = {
        f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods
    }
    assert set(re.findall(r"[A-Z]+ /[^,\s]+", CALLS)) <= described
    for path, methods in document["paths"].items():
        for operation in methods.values():
            assert 3 < len(operation["summary"]) <= 120
            limited = path.startswith("/v1/") and path != "/v1/openapi.json"
            assert ("429" in operation["responses"]) == limited


def test_the_committed_document_is_the_one_that_is_made_now(api: Api) -> None:
    assert COMMITTED.read_bytes() == text(), f"`make openapi` writes {COMMITTED.name}"
    assert msgspec.json.decode(COMMITTED.read_bytes()) == ok(api.get("/openapi.json"))


def test_the_document_has_the_guide_without_links_into_the_sources(api: Api) -> None:
    pages = (COMMITTED.with_name(name) for name in ("GUIDE.md", "CLIENTS.md"))
    guide = "".join(page.read_text(encoding="utf-8") for page in pages)
    copy = (resources.files("warlog_service") / "guide.md").read_text(encoding="utf-8")
    assert copy == re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]+\)", r"\1", guide), "`make openapi` copies it"
    text = ok(api.get("/openapi.json"))["info"]["description"]
    assert [line for line in guide.splitlines() if line.startswith("#")] == [
        line for line in text.splitlines() if line.startswith("#") and line not in OF_THE_DOCUMENT
    ]
    assert re.findall(r"\]\((?!https?:)", text) == []


@pytest.mark.parametrize(
    ("status", "code", "sent"),
    [
        (401, "unauthenticated", {"Authorization": "Bearer nobody's"}),
        (403, "cross_origin", {"Cookie": f"{COOKIE}=nobody's", "Sec-Fetch-Site": "cross-site"}),
    ],
)
def test_a_call_says_that_it_refuses_a_caller_exactly_if_it_does(
    api: Api, status: int, code: str, sent: dict[str, str]
) -> None:
    document = ok(api.get("/openapi.json"))
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            url = api.url + re.sub(r"{\w+}", "x", path)
            needed = {
                one["name"]: "1"
                for one in operation["parameters"]
                if one["required"] and one["in"] == "query"
            }
            answer = httpx.request(method, url, params=needed, headers=sent, content=b"{}")
            refused = answer.status_code == status and answer.json()["code"] == code
            schema = declared.answers_of(document, operation).get(str(status), {}).get("content", {})
            assert refused == (f"'{code}'" in str(schema)), (method, path, answer.text[:300])


def test_the_personal_feed_names_every_notice(api: Api) -> None:
    document = api.get("/openapi.json").json()
    told = document["paths"]["/v1/players/me/feed"]["get"]["description"]
    for type_ in document["components"]["schemas"]["Notice"]["discriminator"]["mapping"]:
        assert f"`{type_}`" in told


def test_every_reference_leads_somewhere(api: Api) -> None:
    document = ok(api.get("/openapi.json"))
    components = document["components"]["schemas"]
    text = api.get("/openapi.json").text
    for name in re.findall(r'"#/components/schemas/([^"]+)"', text):
        assert name in components
    used = re.findall(r'"#/components/responses/([^"]+)"', text)
    assert {*used} == document["components"]["responses"].keys()
    assert all(used.count(name) > 15 for name in used)


def test_the_examples_are_what_a_server_answers(tmp_path: Path) -> None:
    """Recorded by `python -m tests.service.make_examples`; the same world gives the same bytes."""
    with WarlogServer(tmp_path, environment=WORLD) as server:
        session = play(server.url)
        assert session.kept == recorded(), f"record {FILE.name} anew"
        operations = {
            operation["operationId"]: operation["responses"]
            for methods in ok(Api(server.url).get("/openapi.json"))["paths"].values()
            for operation in methods.values()
        }
    for operation, sent in ((name, session.headers.get(name, set())) for name in session.kept):
        done = next(one for status, one in operations[operation].items() if status in ("200", "201", "204"))
        said = {name.lower() for name in done["headers"]} & HEADERS
        assert sent <= said <= sent | {"link"}, operation  # which comes where there is a next page


def test_every_answer_has_an_example_and_it_fits_its_schema(api: Api) -> None:
    document = ok(api.get("/openapi.json"))
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for response in declared.answers_of(document, operation).values():
                for media, content in response.get("content", {}).items():
                    if media != "application/problem+json":
                        _check(document, content, operation["operationId"])
            body = operation.get("requestBody")
            if body:
                _check(document, body["content"]["application/json"], f"{method} {path}")


def _check(document: dict[str, Any], content: dict[str, Any], operation: str) -> None:
    assert "example" in content, operation
    assert '"$ref"' not in str(content["example"]).replace("'", '"'), "tools would follow it"
    whole = {**content["schema"], "components": document["components"]}
    jsonschema.validate(content["example"], whole)


@cache
def forms() -> dict[str, Any]:
    """What each operation answers."""
    from warlog_service.app import Front
    from warlog_service.settings import Settings

    return {handler.fn.__name__: call.answer for _, _, handler, call in calls(Front(Settings()).app)}


@pytest.mark.parametrize("operation", sorted(recorded()))
def test_an_example_has_the_fields_of_its_struct_and_no_others(operation: str) -> None:
    answer = recorded()[operation].get("answer")
    if answer is not None and (form := forms()[operation]) is not schema.Json:
        msgspec.convert(answer, form)
