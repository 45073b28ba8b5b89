"""The table of the service's codes: whole, in plain words, and the same in the page and in the Python client."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import warlog_client
import warlog_events
import warlog_service
from tests.service import declared
from tests.service.api import INTERNALS, Api, is_sentence, ok
from warlog_client.errors import Problem, problem_class
from warlog_core import explain
from warlog_events import errors
from warlog_events.redis import capacity, cluster, wire
from warlog_service.app import Front
from warlog_service.codes import CODES, TRANSPORT, markdown
from warlog_service.openapi import calls
from warlog_service.settings import Settings

ROOT = Path(__file__).parents[2]
RULES = 422


@cache
def sources() -> list[tuple[str, ast.Call, str]]:
    """(place, call, name of what is called) of every call in the source of events and service."""
    found: list[tuple[str, ast.Call, str]] = []
    for package in (warlog_events, warlog_service):
        folder = Path(package.__file__ or "").parent
        for path in sorted(folder.rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call):
                    called = node.func
                    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
                    found.append((f"{path.relative_to(folder.parent)}:{node.lineno}", node, name))
    return found


def classes(kind: type[errors.WarlogError] = errors.WarlogError) -> Iterator[type[errors.WarlogError]]:
    for child in kind.__subclasses__():
        yield child
        yield from classes(child)


def literal(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def test_every_code_that_the_service_gives_is_in_the_table() -> None:
    given = {kind.code for kind in classes() if "code" in vars(kind)}
    for where, call, name in sources():
        if name in ("Refused", "explained", "problem", "close") and call.args:
            code = literal(call.args[0])
            # Feeds close with words of their own, and a variable carries a code of the core.
            if code is not None and name != "close":
                assert code in CODES, where
                given.add(code)
    assert given >= set(TRANSPORT)
    for _, _, handler, one in calls(Front(Settings()).app):
        assert {code for code in one.errors if " " not in code} <= set(CODES), handler.fn.__name__
    assert len(given) > 40


@pytest.mark.parametrize("code", sorted(CODES))
def test_what_a_code_says_in_general_is_a_sentence(code: str) -> None:
    assert is_sentence(CODES[code].text), CODES[code].text
    assert 400 <= CODES[code].status < 600


def ends(node: ast.expr) -> tuple[str, str]:
    """How a detail begins and ends, as far as the source says so; "" where it does not."""
    match node:
        case ast.Constant(value=str(text)):
            return text[:1], text[-1:]
        case ast.JoinedStr(values=[first, *_, last]):
            return (ends(first)[0] or ""), (ends(last)[1] or "")
        case ast.JoinedStr(values=[only]):
            return ends(only)
    return "", ""


def test_every_refusal_in_the_source_begins_and_ends_as_a_sentence() -> None:
    """Those of damage are for the log: players are told the one sentence of the code."""
    for_players = {
        kind.__name__: 1 if issubclass(kind, errors.Refused) else 2 if kind is errors.TooManyRequests else 0
        for kind in classes()
        if not issubclass(kind, errors.IntegrityError) and kind is not errors.QuotaExceeded
    }
    for_players |= {"QuotaExceeded": 3, "bad_record": 1, "_Wrong": 1}
    seen = 0
    for where, call, name in sources():
        index = for_players.get(name, -1)
        if not 0 <= index < len(call.args):
            continue
        first, last = ends(call.args[index])
        assert not first or first.isupper() or first in "`\"'", where
        assert not last or last in ".?", where
        said = [node.value for node in ast.walk(call.args[index]) if isinstance(node, ast.Constant)]
        assert not INTERNALS.search(" ".join(map(str, said))), where
        seen += bool(first)
    assert seen > 100


def test_what_redis_says_and_where_it_is_stands_in_the_log_alone() -> None:
    error = wire.away("no connection to Redis: [Errno 111] 127.0.0.1:6379")
    assert "127.0.0.1" in str(error)
    told = {wire.AWAY, cluster.PART_AWAY, cluster.MOVING, capacity.MEMORY_FULL, capacity.CROWDED}
    for detail in told | {error.detail} | {*capacity._STATES.values()}:
        assert is_sentence(detail), detail


def test_the_page_has_the_table() -> None:
    page = (ROOT / "docs" / "ERRORS.md").read_text("utf-8")
    assert page == markdown(), "python -m warlog_service.codes > docs/ERRORS.md"


def leaves(kind: type[Problem] = Problem) -> Iterator[type[Problem]]:
    for child in kind.__subclasses__():
        yield child
        yield from leaves(child)


def test_the_python_client_has_a_class_for_each_code_that_says_the_same() -> None:
    expected = {code for code, known in CODES.items() if known.status != RULES and code not in TRANSPORT}
    known = {leaf.known_code or "body_too_large" * (leaf.__name__ == "BodyTooLarge") for leaf in leaves()}
    assert known - {""} == expected
    for code in expected:
        leaf = problem_class(CODES[code].status, code)
        assert leaf.__name__ == "".join(word.capitalize() for word in code.split("_"))
        assert inspect.getdoc(leaf) == CODES[code].text
        assert getattr(warlog_client, leaf.__name__) is leaf


def test_the_openapi_document_lists_each_calls_codes_with_their_sentences(api: Api) -> None:
    document = ok(api.get("/openapi.json"))
    said = declared.answers_of(document, document["paths"]["/v1/matches/{match_id}/commands"]["post"])
    assert "* `no_proposal`: No proposal is open: it has been decided on" in said["409"]["description"]
    schema = said["409"]["content"]["application/problem+json"]["schema"]
    assert "no_proposal" in schema["allOf"][1]["properties"]["code"]["enum"]
    games = said["422"]["content"]["application/problem+json"]["schema"]["allOf"][1]["properties"]["code"]
    assert {"$ref": "#/components/schemas/GameCode"} in games["anyOf"]
    of_any = document["components"]["schemas"]["GameCode"]["anyOf"]
    assert {"$ref": "#/components/schemas/HexCode"} in of_any
    of_hex = {
        one["const"]: one["description"] for one in document["components"]["schemas"]["HexCode"]["oneOf"]
    }
    assert of_hex == ok(api.get("/games/hex"))["errors"]
    assert of_hex.items() >= {"match_over": explain.SENTENCES["match_over"]}.items()
    for path, methods in document["paths"].items():
        # Health and the document itself are answered at any time, and know no caller.
        always = (
            {"default"}
            if path.startswith("/health") or path == "/v1/openapi.json"
            else {"429", "503", "default"}
        )
        for operation in methods.values():
            answers = declared.answers_of(document, operation)
            problems = [one for status, one in answers.items() if status[0] in "45d"]
            assert all("application/problem+json" in one["content"] for one in problems)
            assert always <= answers.keys()
    assert "JSON Pointer" in document["components"]["schemas"]["Problem"]["properties"]["path"]["description"]


def test_each_call_that_saves_something_says_that_it_may_be_unconfirmed_and_no_other_does() -> None:
    """Whatever a call writes may be lost on its way to Redis or back."""
    saving, unconfirmed = set[str](), set[str]()
    for methods in declared.document()["paths"].values():
        for method, operation in methods.items():
            if method != "get" and operation["operationId"] not in ("post_analysis", "post_position_check"):
                saving.add(operation["operationId"])
            answer = declared.answers_of(declared.document(), operation).get("503")
            if answer and "unconfirmed" in declared.codes(
                answer["content"]["application/problem+json"]["schema"]
            ):
                unconfirmed.add(operation["operationId"])
    assert unconfirmed == saving
    assert len(saving) > 20


def test_only_calls_without_a_seat_are_refused_to_spectators() -> None:
    """A seat is its holder's or another's, and nobody is a spectator of his own match."""
    for path, methods in declared.document()["paths"].items():
        for operation in methods.values():
            seat = [one for one in operation["parameters"] if one["name"] == "seat"]
            needed = any(one["required"] for one in seat)
            said = str(declared.answers_of(declared.document(), operation).get("403"))
            assert not (needed and "no_spectators" in said), path
