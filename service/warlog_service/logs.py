"""What the process says on standard error: one JSON object per line, or, to somebody at a terminal, lines of text.

Whatever is logged while a request is served has the request's id and its match. No token, no invitation and no name
ever gets here: of a request only the method, the template of its path, the match and the id are written down.
"""

from __future__ import annotations

import logging
import math
import re
import sys
import time
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, cast

from pythonjsonlogger.msgspec import MsgspecFormatter

from warlog_service.settings import LogFormat

if TYPE_CHECKING:
    from litestar.types import HTTPScope

REQUEST: ContextVar[HTTPScope | None] = ContextVar("request", default=None)
"""The request that is being served; looked into only when something is logged."""

access = logging.getLogger("warlog.access")

_match_of = re.compile(r"/v1/matches/(m_[0-9a-z_]+)").match


class About(logging.Filter):
    """Adds to a record what request it is about."""

    def filter(self, record: logging.LogRecord) -> bool:
        if (scope := REQUEST.get()) is not None:
            record.request_id = request_id_of(scope)
            if match := match_of(scope):
                record.match = match
        return True


def request_id_of(scope: HTTPScope) -> str:
    given: bytes = cast(Any, scope)["state"].get("request_id", b"")
    return given.decode()


def match_of(scope: HTTPScope) -> str | None:
    found = _match_of(scope["path"])
    return found[1] if found else None


def say_no_more() -> None:
    """The failure of the request that is being served is known, and gets no line in the access log."""
    if (scope := REQUEST.get()) is not None:
        cast(Any, scope)["state"]["known_failure"] = True


def answered(scope: HTTPScope, status: int, seconds: float) -> None:
    """The access log's line for a request."""
    fields = {
        "method": scope["method"],
        "route": scope.get("path_template", "none"),
        "status": status,
        "milliseconds": round(seconds * 1000, 3),
    }
    access.info("%(method)s %(route)s %(status)d", fields, extra=fields)


TURNED_AWAY_EVERY_SECONDS = 60.0
_said_at = -math.inf
_unsaid = 0


def turned_away(status: int) -> None:
    """One line a minute, however many there are, and whatever their status: a flood of them meets its limit soon, and
    is 429 from then on."""
    global _said_at, _unsaid
    now = time.monotonic()
    if now - _said_at < TURNED_AWAY_EVERY_SECONDS:
        _unsaid += 1
        return
    fields = {"status": status, "unsaid": _unsaid}
    _said_at, _unsaid = now, 0
    access.warning("refused as invalid HTTP: %(status)d, and %(unsaid)d more before", fields, extra=fields)


def is_json(form: LogFormat) -> bool:
    """auto: text at a terminal, else JSON."""
    return form == "json" or (form == "auto" and not sys.stderr.isatty())


def configure(form: LogFormat = "auto", worker: str | None = None) -> None:
    """For the whole process."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(About())
    if not is_json(form):
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    else:
        handler.setFormatter(
            MsgspecFormatter(
                "%(levelname)s %(name)s %(message)s",
                timestamp="time",
                rename_fields={"levelname": "level", "name": "logger", "exc_info": "exception"},
                static_fields={} if worker is None else {"worker": worker},
            )
        )
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
