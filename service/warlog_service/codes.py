"""Every code that the service itself gives: its HTTP status, what it says in general, and the facts that its problem
documents may carry. What a code of an exception says stands at its class (warlog_events.errors).

The codes of a game's rule book are 422, and their sentences are in `GET /v1/games/{game}` (`errors`). The OpenAPI
document is made from this table; tests hold docs/ERRORS.md and the classes of the Python client to it.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from warlog_events import errors

STATUS: dict[type[errors.WarlogError], int] = {
    errors.BadRequest: 400,
    errors.Unauthenticated: 401,
    errors.Forbidden: 403,
    errors.Unknown: 404,
    errors.Conflict: 409,
    errors.BodyTooLarge: 413,
    errors.Refused: 422,
    errors.TooManyRequests: 429,
    errors.IntegrityError: 500,
    errors.TryAgain: 503,
}
"""By the nearest ancestor: a subclass may stand beside its parent."""


class Code(msgspec.Struct, frozen=True):
    """facts: members beside `detail`, `path` and `version`"""

    status: int
    text: str
    facts: tuple[str, ...] = ()


TRANSPORT = {
    "malformed_request": Code(400, "This request is not valid HTTP/1.1."),
    "unknown_route": Code(404, "There is no such call; `/v1/openapi.json` lists all calls."),
    "method_not_allowed": Code(
        405, "This path does not support this method; `Allow` lists the methods that it supports."
    ),
    "request_timeout": Code(408, "The request did not arrive completely in time."),
    "headers_too_large": Code(
        431, "The request target, the headers, or the chunk framing of the body is too large."
    ),
    "internal_error": Code(500, "This is a fault of the server, not of the request."),
}
"""Codes of requests that no call of the API ever saw; `internal_error` is a bug of ours."""


def status_of(kind: type[errors.WarlogError]) -> int:
    return next(STATUS[parent] for parent in kind.__mro__ if parent in STATUS)


def _classes(kind: type[errors.WarlogError]) -> Iterator[type[errors.WarlogError]]:
    for child in kind.__subclasses__():
        yield child
        yield from _classes(child)


# A child that shares its parent's code (Frozen, ClockSkew) says nothing new of it.
CODES: dict[str, Code] = {
    kind.code: Code(status_of(kind), kind.text, kind.facts)
    for kind in _classes(errors.WarlogError)
    if "code" in vars(kind)
}
CODES |= {code: Code(422, text, errors.REFUSAL_FACTS) for code, text in errors.REFUSALS.items()}
CODES |= TRANSPORT


def markdown() -> str:
    """docs/ERRORS.md."""
    rows = [
        f"| {code.status} | `{name}` | {code.text} | {', '.join(f'`{fact}`' for fact in code.facts)} |"
        for name, code in sorted(CODES.items(), key=lambda item: (item[1].status, item[0]))
    ]
    return "\n".join([_HEAD, *rows, ""])


_HEAD = """# What a refusal says

Every refusal is a problem document (RFC 9457, `application/problem+json`). `code` is stable and for programs; `detail`
is one sentence for people. If a part of the request's body is at fault, `path` (a JSON Pointer) names it; `version` is
the match's newest version where that matters. The other members (`facts`) are there when the server knows them.

These are the codes of the service. Each game's rule book has further codes, all with status 422: `GET
/v1/games/{game}` (`errors`) and the OpenAPI document list them with a sentence each.

`python -m warlog_service.codes > docs/ERRORS.md` writes this page.

| status | code | what it says in general | facts |
|---|---|---|---|"""


if __name__ == "__main__":
    print(markdown(), end="")
