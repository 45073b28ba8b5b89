"""OpenTelemetry traces, where the setting `traces` asks for them: a span for each request, in it each wait for Redis.

The usual variables say where they go, how many are kept and what the service is called: OTEL_EXPORTER_OTLP_ENDPOINT,
OTEL_TRACES_SAMPLER, OTEL_SERVICE_NAME. A caller's `traceparent` is continued. The libraries are the extra
`warlog[traces]`; this module is imported where traces are wanted and nowhere else, so nobody else pays for them.

Feeds have no spans: they last as long as their readers like.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

from litestar.enums import ScopeType
from litestar.types import HTTPScope, Receive, Scope, Send

from warlog_service import logs
from warlog_service.app import Front
from warlog_service.backend import Backend
from warlog_service.settings import BadSettings, Settings

try:
    from opentelemetry import propagate, trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
except ImportError as error:
    raise BadSettings(f"WARLOG_TRACES needs the extra `warlog[traces]` ({error})") from error

P = ParamSpec("P")
T = TypeVar("T")


class TracedFront(Front):
    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        resource = Resource({SERVICE_NAME: "warlog"}).merge(OTELResourceDetector().detect())
        self._provider = TracerProvider(resource=resource)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = self._provider.get_tracer("warlog")
        self.service.on_backend = self._trace
        self.stop = self._stop
        for handler in logging.getLogger().handlers:
            handler.addFilter(_TraceId())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP or scope["path"].endswith("/feed"):
            await super().__call__(scope, receive, send)
            return
        carrier = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        with self._tracer.start_as_current_span(
            scope["method"], propagate.extract(carrier), trace.SpanKind.SERVER, _asked(scope)
        ) as span:
            await super().__call__(scope, receive, send)
            route = str(scope.get("path_template", "none"))
            status = int(scope["state"].get("status", 0))
            span.update_name(f"{scope['method']} {route}")
            span.set_attributes({"http.route": route, "http.response.status_code": status})
            if status >= 500:
                span.set_status(trace.StatusCode.ERROR)

    async def _stop(self) -> None:
        await self.service.stop()
        await asyncio.to_thread(self._provider.shutdown)

    def _trace(self, backend: Backend) -> None:
        """What a request may wait for."""
        for name in ("append", "events", "snapshot"):
            setattr(backend.store, name, self._timed(f"redis {name}", getattr(backend.store, name)))

    def _timed(self, name: str, call: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
        @functools.wraps(call)
        async def timed(*args: P.args, **kwargs: P.kwargs) -> T:
            # A conflict or a repetition comes out of the append as an exception, and is nothing wrong.
            with self._tracer.start_as_current_span(
                name, record_exception=False, set_status_on_exception=False
            ):
                return await call(*args, **kwargs)

        return timed


def _asked(scope: HTTPScope) -> dict[str, str]:
    """As the logs: the method, the match and the request's id, and nothing else that the caller sent."""
    known = {"http.request.method": str(scope["method"])}
    if match := logs.match_of(scope):
        known["warlog.match"] = match
    if request_id := logs.request_id_of(scope):
        known["warlog.request_id"] = request_id
    return known


class _TraceId(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        context = trace.get_current_span().get_span_context()
        if context.is_valid:
            record.trace_id = trace.format_trace_id(context.trace_id)
        return True
