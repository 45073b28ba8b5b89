"""The whole document.

Litestar's own generator reads signatures; ours decode bodies with `warlog_core.loads` (an integer of a hundred digits
must reach the rule book) and return bytes that were rendered once, so a route says itself what it takes and answers.
The examples are what a server in a fixed test world really answered: `tests/service/make_examples.py` records them.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

import msgspec
from litestar import Litestar

import warlog_core
from warlog_service import limit_table
from warlog_service.browsers import COOKIE
from warlog_service.codes import TRANSPORT
from warlog_service.openapi.as_text import as_text
from warlog_service.openapi.calls import calls
from warlog_service.openapi.components import close_requests, describe, reached, say_defaults
from warlog_service.openapi.components import components as made
from warlog_service.openapi.operations import code_list, header_list, headers, operation, share_answers
from warlog_service.openapi.words import OF_ANY_ANSWER, TAGS
from warlog_service.responses import encode


def recorded() -> dict[str, Any]:
    """operation id → {"path", "body"?, "status", "answer"} as recorded; empty before the first recording."""
    file = resources.files("warlog_service").joinpath("examples.json")
    return msgspec.json.decode(file.read_bytes()) if file.is_file() else {}


def guide() -> str:
    """docs/GUIDE.md and docs/CLIENTS.md, of which this package has a copy without links to files that no server has."""
    return resources.files("warlog_service").joinpath("guide.md").read_text(encoding="utf-8").strip()


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
        query = {} if one.query is None else components[one.query.__name__]
        if one.query is not None:
            queries.add(one.query.__name__)
        example = examples.get(handler.fn.__name__, {})
        paths.setdefault(path, {})[method.lower()] = operation(path, handler, one, schema_of, query, example)
    components = {name: one for name, one in sorted(components.items()) if name not in queries}
    bodies = [one["requestBody"] for path in paths.values() for one in path.values() if "requestBody" in one]
    close_requests(components, reached(components, bodies))
    describe(components)
    say_defaults(components)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Warlog",
            "version": warlog_core.__version__,
            "summary": "A server for board war-games",
            "description": f"{guide()}\n\n# Refusals\n\nEvery refusal is a problem "
            "document with a stable `code` and a `detail` for people. Codes of a game's rule book have status 422; "
            "`errors` of `GET /v1/games/{game}` explains them. A request that is no call of the API is refused with:"
            f"\n\n{code_list(TRANSPORT, with_status=True)}\n\n# Headers of any answer\n\nThe headers of each call "
            f"are listed there. Any answer may have these, too:\n\n{header_list(OF_ANY_ANSWER)}\n\n# Limits\n\n"
            f"As they are unless the operator of a server has set others.\n\n{limit_table.for_clients()}",
            "contact": {"name": "Warlog", "url": "https://warlog.dev"},
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/", "description": "The server that this document comes from."}],
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": components,
            "responses": share_answers(paths),
            "headers": headers(),
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A token of `POST /v1/players` or `POST /v1/tokens`.",
                },
                "session": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": COOKIE,
                    "description": "The cookie of `POST /v1/sessions`, for pages of this server: a request that a page "
                    "of another origin has made is refused (`cross_origin`).",
                },
            },
        },
    }


@cache
def rendered(app: Litestar) -> bytes:
    """The document as JSON, made once."""
    return encode(document(app))


@cache
def rendered_text(app: Litestar) -> bytes:
    """The document as Markdown, made once."""
    return as_text(msgspec.json.decode(rendered(app))).encode()
