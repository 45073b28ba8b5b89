"""Operations: is the process alive, can it work; and the document of all calls."""

from __future__ import annotations

from litestar import get

from warlog_service import schema
from warlog_service.backend import service_of
from warlog_service.openapi import call, rendered
from warlog_service.requests import AnyRequest
from warlog_service.responses import JSON, PUBLIC, Answer

NOT_KEPT = (b"cache-control", b"no-store")


@get("/health/live", opt=call(answer=schema.Health, errors=("headers_too_large",), counts_for="nobody"))
async def get_live(request: AnyRequest) -> Answer:
    """Is the process alive? Redis is not asked."""
    return Answer(200, [JSON, NOT_KEPT], b'{"status":"live"}')


@get(
    "/health/ready",
    opt=call(
        answer=schema.Health, errors=("headers_too_large", "unavailable", "disk_full"), counts_for="nobody"
    ),
)
async def get_ready(request: AnyRequest) -> Answer:
    """Can the process take commands now?

    503 while Redis does not answer, while it cannot save (disk or memory full), and while the process shuts down."""
    await service_of(request.scope).check_ready()
    return Answer(200, [JSON, NOT_KEPT], b'{"status":"ready"}')


@get("/openapi.json", opt=call(answer=schema.Document, errors=("headers_too_large",), counts_for="nobody"))
async def get_openapi(request: AnyRequest) -> Answer:
    """This document."""
    # Made once, which takes a quarter of a second: in a thread, so that matches go on.
    body = await service_of(request.scope).backend.heavy_threads.run(rendered, request.app)
    return Answer(200, [JSON, *PUBLIC], body)


operations = [get_live, get_ready]
# Also under /v1, for those who were told that everything is; the document names them once (openapi.calls).
handlers = [get_openapi, *operations]
