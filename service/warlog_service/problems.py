"""Problem documents (RFC 9457): the one place that knows which refusal has which HTTP status."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Mapping
from typing import Any

from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from warlog_core.errors import Refused as CoreRefused
from warlog_core.errors import UnknownGame as CoreUnknownGame
from warlog_events import errors
from warlog_service import logs
from warlog_service.responses import PRIVATE, PROBLEM, Answer, encode

log = logging.getLogger("warlog")

STATUS: dict[type[Exception], int] = {
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

DAMAGED = "this match is damaged: it takes no commands any more, and can be read as far as it is sound"
"""What is damaged stands in the log, and is not for players to see."""

TRANSPORT: dict[str, int] = {
    "malformed_request": 400,
    "unknown_route": 404,
    "method_not_allowed": 405,
    "request_timeout": 408,
    "headers_too_large": 431,
    "internal_error": 500,
}
"""Codes of requests that no call of the API ever saw; `internal_error` is a bug of ours."""


def problem(code: str, detail: str = "", *, status: int | None = None, **extra: Any) -> Answer:
    """The document for a code of the transport, or for any other code with its status."""
    number = TRANSPORT[code] if status is None else status
    document: dict[str, Any] = {
        "type": f"https://warlog.dev/problems/{code}",
        "title": code.replace("_", " ").capitalize(),
        "status": number,
        "code": code,
    }
    if detail:
        document["detail"] = detail
    document.update(extra)
    return Answer(number, [PROBLEM, *PRIVATE], encode(document))


def allow(methods: Iterable[str]) -> bytes:
    """The value of `Allow` for a route with these methods."""
    known = {*methods, "OPTIONS"} | ({"HEAD"} if "GET" in methods else set())
    return ", ".join(sorted(known)).encode()


def of(error: Exception) -> Answer:
    """The answer to a request that ended in this exception."""
    match error:
        case errors.WarlogError():
            return _of_ours(error)
        case CoreUnknownGame():
            return problem("unknown_game", str(error), status=404)
        case CoreRefused():
            return _of_ours(errors.refused(error))
        case ValidationException():
            return problem("bad_parameter", _which(error.extra), status=400)
        case HTTPException():
            return _of_litestar(error)
    log.error("a request failed for a reason of ours", exc_info=error)
    return problem("internal_error", "this is a fault of the server, not of the request")


class ProblemResponse(Response[bytes]):
    """An Answer in the only form that Litestar takes from an exception handler."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(content=b"")
        self.answer = answer

    def to_asgi_response(self, *_: Any, **__: Any) -> Any:
        return self.answer


def handler(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Litestar's hook for every exception of a handler or of its router."""
    answer = of(error)
    request.app.state["service"].metrics.refused(answer)
    return ProblemResponse(answer)


def _of_ours(error: errors.WarlogError) -> Answer:
    status = next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
    extra: dict[str, Any] = {"path": error.path} if error.path else {}
    extra.update(error.extra)
    if error.version is not None:
        extra["version"] = error.version
    detail = DAMAGED if isinstance(error, errors.IntegrityError) else error.detail
    answer = problem(error.code, detail, status=status, **extra)
    waiting_helps = not isinstance(error, errors.QuotaExceeded) or error.retry_after > 0
    if isinstance(error, errors.TooManyRequests | errors.TryAgain) and waiting_helps:
        answer.headers.append((b"retry-after", b"%d" % math.ceil(error.retry_after)))
    if isinstance(error, errors.Unauthenticated):
        answer.headers.append((b"www-authenticate", b"Bearer"))
    if isinstance(error, errors.BodyTooLarge):
        answer.headers.append((b"connection", b"close"))  # the rest of the body is not read
    if isinstance(error, errors.IntegrityError) and error.told:
        logs.say_no_more()
    return answer


def _of_litestar(error: HTTPException) -> Answer:
    match error.status_code:
        case 404:
            return problem("unknown_route", "there is no such call; see /v1/openapi.json")
        case 405:
            answer = problem("method_not_allowed")
            known = (error.headers or {}).get("allow", "")
            answer.headers.append((b"allow", allow(known.replace(",", " ").split())))
            return answer
        case status if status < 500:
            return problem("malformed_request", error.detail, status=status)
    log.error("a request failed in the framework", exc_info=error)
    return problem("internal_error", "this is a fault of the server, not of the request")


def _which(extra: object) -> str:
    """Litestar's list of {message, key, source} as one line that names the parameter."""
    if not isinstance(extra, list):
        return ""
    rows = [row for row in extra if isinstance(row, Mapping)]
    return "; ".join(f"{row.get('key', '')}: {row.get('message', '')}" for row in rows)
