"""Problem documents (RFC 9457): what an exception becomes."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Mapping
from typing import Any

from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

import warlog_core
from warlog_core.errors import Refused as CoreRefused
from warlog_core.errors import UnknownGame as CoreUnknownGame
from warlog_events import errors
from warlog_service import logs
from warlog_service.codes import CODES, status_of
from warlog_service.responses import PRIVATE, PROBLEM, Answer, encode

log = logging.getLogger("warlog")


def problem(code: str, detail: str = "", *, status: int | None = None, **extra: Any) -> Answer:
    """The document for a code of the table, or for one of a rule book with its status. Without `detail` it says what
    the code says in general."""
    number = CODES[code].status if status is None else status
    document: dict[str, Any] = {
        "type": f"https://warlog.dev/problems/{code}",
        "title": code.replace("_", " ").capitalize(),
        "status": number,
        "code": code,
        "detail": detail or CODES[code].text,
    }
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
            detail = f"There is no game {errors.named(str(error))}."
            return problem("unknown_game", detail, allowed=list(warlog_core.games()))
        case CoreRefused():
            return _of_ours(errors.refused(error))
        case ValidationException():
            return problem("bad_parameter", _which(error.extra))
        case HTTPException():
            return _of_litestar(error)
    log.error("a request failed for a reason of ours", exc_info=error)
    return problem("internal_error")


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
    extra: dict[str, Any] = {"path": error.path} if error.path else {}
    extra.update(error.extra)
    if error.version is not None:
        extra["version"] = error.version
    # What is damaged stands in the log, and is not for players to see.
    detail = error.text if isinstance(error, errors.IntegrityError) else error.detail
    answer = problem(error.code, detail, status=status_of(type(error)), **extra)
    waiting_helps = not isinstance(error, errors.QuotaExceeded) or error.retry_after > 0
    if isinstance(error, errors.TooManyRequests | errors.TryAgain) and waiting_helps:
        answer.headers.append((b"retry-after", b"%d" % math.ceil(error.retry_after)))
    if isinstance(error, errors.Unauthenticated):
        answer.headers.append((b"www-authenticate", b"Bearer"))
    if isinstance(error, errors.BodyTooLarge):
        answer.headers.append((b"connection", b"close"))  # the rest of the body is not read
    if isinstance(error, errors.IntegrityError) and error.reported:
        logs.say_no_more()
    return answer


def _of_litestar(error: HTTPException) -> Answer:
    match error.status_code:
        case 404:
            return problem("unknown_route", _no_such_call())
        case 405:
            answer = problem("method_not_allowed")
            known = (error.headers or {}).get("allow", "")
            answer.headers.append((b"allow", allow(known.replace(",", " ").split())))
            return answer
        case status if status < 500:
            return problem("malformed_request", status=status)
    log.error("a request failed in the framework", exc_info=error)
    return problem("internal_error")


def _no_such_call() -> str:
    scope = logs.REQUEST.get()
    if scope is None:
        return ""
    asked = f"{scope['method']} {scope['path']}"
    hint = " Give the client an address that ends before `/v1`." if "/v1/v1/" in scope["path"] else ""
    return f"There is no call {errors.named(asked)}; `/v1/openapi.json` lists all calls.{hint}"


def _which(extra: object) -> str:
    """Litestar's list of {message, key, source} as one sentence that names the parameter."""
    rows = [row for row in extra if isinstance(row, Mapping)] if isinstance(extra, list) else []
    return f"The parameter {errors.named(rows[0].get('key', ''))} is not valid." if rows else ""
