"""What a browser adds: pages of other origins (CORS), and the session cookie of Warlog's own pages.

Other origins send a token in `Authorization`; `WARLOG_CORS_ORIGINS` names those whose pages may read the answers. A
session is for pages that come from this server. Its cookie is sent by the browser by itself, so a request that
has it counts as its player's only if the browser says that a page of the same origin made it.
"""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import urlsplit

from litestar.types import HTTPScope, Scope, Send

from warlog_service.origins import Origins
from warlog_service.requests import header
from warlog_service.responses import Answer, Headers, connection_of

COOKIE = "warlog_session"
PREFLIGHT_SECONDS = 86_400
ALLOWED = (
    b"Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id"
)
EXPOSED = b"Allow, ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"
METHODS = b"GET, HEAD, POST, PUT, DELETE, OPTIONS"


class Cors:
    """Which origins' pages may read answers. Never with cookies: `Access-Control-Allow-Credentials` is not sent."""

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self.allows_any = bool(origins)

    def headers(self, scope: Scope) -> Headers:
        """What every answer to this request has beside its own headers."""
        if not self.allows_any:
            return []
        # Answers differ by origin, also those to requests without one: a shared cache must know.
        every = self._origins.every
        vary = [] if every else [(b"vary", b"Origin")]
        origin = header(scope, b"origin")
        if origin is None or origin not in self._origins:
            return vary
        allowed = b"*" if every else origin.encode("latin-1")
        return [
            *vary,
            (b"access-control-allow-origin", allowed),
            (b"access-control-expose-headers", EXPOSED),
        ]

    def preflight(self, scope: HTTPScope) -> Answer | None:
        """The answer to a browser that asks before it sends; None if this is no such question, or of an origin that
        may not."""
        if scope["method"] != "OPTIONS" or header(scope, b"access-control-request-method") is None:
            return None
        if not any(name == b"access-control-allow-origin" for name, _ in self.headers(scope)):
            return None
        return Answer(
            204,
            [
                (b"access-control-allow-methods", METHODS),
                (b"access-control-allow-headers", ALLOWED),
                (b"access-control-max-age", b"%d" % PREFLIGHT_SECONDS),
            ],
            b"",
        )


def with_headers(scope: Scope, send: Send, headers: Headers) -> Send:
    """Every answer to this request has these headers, too. The `send` to use from here on."""
    connection = connection_of(scope)
    if connection is not None:
        connection.add_headers(headers)
        return send

    async def send_with(message: object) -> None:
        if message["type"] == "http.response.start":  # type: ignore[index]
            message = {**message, "headers": [*message["headers"], *headers]}  # type: ignore[dict-item, index]
        await send(message)  # type: ignore[arg-type]

    return send_with


def session_token(scope: Scope) -> str | None:
    """The token in the request's session cookie, if it has one."""
    sent = header(scope, b"cookie")
    if sent is None or COOKIE not in sent:
        return None
    try:
        cookie = SimpleCookie(sent).get(COOKIE)
    except CookieError:
        return None
    return None if cookie is None else cookie.value


def is_same_origin(scope: Any) -> bool:
    """Did a page of this server make the request, or, for a GET, did a person type the address?

    `Sec-Fetch-Site` is what a page cannot write. A browser that is too old to send it is believed by `Origin`, which
    must be the host that was asked.
    """
    site = header(scope, b"sec-fetch-site")
    if site is not None:
        typed = site == "none" and scope["method"] in ("GET", "HEAD")
        return site == "same-origin" or typed
    origin, host = header(scope, b"origin"), header(scope, b"host")
    return origin is not None and host is not None and urlsplit(origin).netloc == host


def is_secure(scope: Scope) -> bool:
    """Was the page loaded over TLS? Behind a proxy only the browser knows; a POST says it in `Origin`."""
    return (header(scope, b"origin") or "").startswith("https://")


def cookie(token: str, seconds: int, *, secure: bool) -> tuple[bytes, bytes]:
    """The header that gives a browser its session; with no token the one that takes it away."""
    text = f"{COOKIE}={token}; Path=/v1; Max-Age={seconds}; HttpOnly; SameSite=Strict"
    return b"set-cookie", (text + "; Secure" * secure).encode("ascii")
