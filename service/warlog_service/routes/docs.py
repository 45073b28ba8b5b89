"""The OpenAPI document for people: as text, and a page that shows it with Redoc, which comes from this package. No
other host is asked, and the page's Content-Security-Policy forbids it."""

from __future__ import annotations

import gzip
from functools import cache
from hashlib import sha256
from importlib import resources

from litestar import get

from warlog_service import auth
from warlog_service.backend import service_of
from warlog_service.openapi import call, rendered_text
from warlog_service.requests import AnyRequest, header
from warlog_service.responses import Answer, Headers, matches, not_modified

CACHING: Headers = [(b"cache-control", b"no-cache"), (b"vary", b"Authorization, Cookie, Accept-Encoding")]
POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
    b"worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# Redoc makes its styles in the page, and its search in a worker that it makes of its own text.
PAGE = b"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Warlog: the API</title>
<style>body { margin: 0 }</style>
</head>
<body>
<redoc spec-url="openapi.json"></redoc>
<noscript>As text: <a href="docs.md">docs.md</a>; the document: <a href="openapi.json">openapi.json</a>.</noscript>
<script src="docs/redoc.js"></script>
</body>
</html>
"""
SAFE: Headers = [(b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer")]


@get("/docs", opt=call(answer="text/html", headers=("If-None-Match",), sends=("ETag",)))
async def get_docs(request: AnyRequest) -> Answer:
    """A page that shows this document."""
    kind = [(b"content-type", b"text/html; charset=utf-8"), (b"content-security-policy", POLICY)]
    return await _kept(request, PAGE, kind)


@get("/docs.md", opt=call(answer="text/markdown", headers=("If-None-Match",), sends=("ETag",)))
async def get_docs_text(request: AnyRequest) -> Answer:
    """This document as Markdown, without its schemas: the guide, and each call with what it takes, answers and
    refuses."""
    kind = [(b"content-type", b"text/markdown; charset=utf-8")]
    return await _kept(
        request, await service_of(request.scope).backend.heavy_threads.run(rendered_text, request.app), kind
    )


@get("/docs/redoc.js", opt=call(answer="text/javascript", headers=("If-None-Match",), sends=("ETag",)))
async def get_docs_script(request: AnyRequest) -> Answer:
    """The script of that page: Redoc, an open-source program."""
    kind = [(b"content-type", b"text/javascript; charset=utf-8")]
    packed = _script()
    if "gzip" in (header(request.scope, b"accept-encoding") or ""):
        return await _kept(request, packed, [*kind, (b"content-encoding", b"gzip")])
    return await _kept(request, gzip.decompress(packed), kind)


async def _kept(request: AnyRequest, body: bytes, kind: Headers) -> Answer:
    await auth.caller_or_none(service_of(request.scope), request.scope)
    tag = b'"%b"' % sha256(body).hexdigest()[:16].encode()
    if matches(header(request.scope, b"if-none-match"), tag):
        return not_modified(tag, CACHING)
    return Answer(200, [*kind, *CACHING, *SAFE, (b"etag", tag)], body)


@cache
def _script() -> bytes:
    return resources.files("warlog_service").joinpath("redoc/redoc.standalone.js.gz").read_bytes()


handlers = [get_docs, get_docs_text, get_docs_script]
