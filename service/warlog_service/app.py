"""The application: all routes under `/v1`, and in front of them what all requests have in common."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from litestar import Litestar, Request, Response, Router
from litestar.datastructures import State
from litestar.enums import ScopeType
from litestar.exceptions import MethodNotAllowedException, NotFoundException
from litestar.handlers import HTTPRouteHandler, route
from litestar.types import HTTPScope, Receive, Scope, Send

from warlog_events.errors import TooManyRequests
from warlog_service import auth, logs, problems
from warlog_service.backend import Service, service_of
from warlog_service.browsers import Cors, with_headers
from warlog_service.logs import REQUEST
from warlog_service.origins import Origins
from warlog_service.requests import AnyRequest
from warlog_service.responses import Answer
from warlog_service.routes import (
    achievements,
    analysis,
    bots,
    commands,
    docs,
    feed,
    games,
    health,
    layouts,
    matches,
    own_options,
    pairing,
    people,
    personal_feed,
    players,
    reading,
    records,
    scenarios,
    sessions,
    standings,
    web,
)
from warlog_service.settings import Settings

SHUTDOWN_SECONDS = 2.0
COMMANDS = re.compile(r"/v1/matches/([^/]+)/commands").fullmatch
COMMANDS_TEMPLATE = "/v1/matches/{match_id}/commands"


class Front:
    """The outermost ASGI application: counts and times requests, answers HEAD as GET without the body, ends feeds."""

    def __init__(self, settings: Settings, service: Service | None = None) -> None:
        """`service`: with these settings; None: a new one."""
        self.service = service or Service(settings, serves=True)
        self._access_share = settings.access_log
        self._cors = Cors(Origins(settings.cors_origins))
        self.app = create_app(self.service)
        self.start = self.service.start
        self.stop = self.service.stop

    @property
    def metrics_urls(self) -> list[str]:
        return self.service.metrics_urls

    def listens_on(self, url: str) -> None:
        self.service.listens_on(url)

    def turned_away(self, address: str, answer: Answer) -> Answer:
        """Counts the refusal of something that is no request, which costs its address as much as a request; the answer
        to send."""
        limits = self.service.limits
        try:
            limits.addresses.spend(limits.proxies.client(address, ()))
        except TooManyRequests as error:
            answer = problems.of(error)
        self.service.metrics.refused(answer)
        logs.turned_away(answer.status)
        return answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self.app(scope, receive, send)
            return
        REQUEST.set(scope)
        method = scope["method"]
        if method == "HEAD":
            scope = scope.copy()
            scope["method"] = "GET"
            scope["state"]["head"] = True
        started = time.perf_counter()
        if self._cors.allows_any:
            headers = self._cors.headers(scope)
            send = with_headers(scope, send, headers)
            if (preflight := self._cors.preflight(scope)) is not None:
                await self._answer_preflight(preflight, scope, receive, send)
                self._answered(scope, started, method)
                return
        if method == "POST" and (found := COMMANDS(scope["path"])):
            # Past Litestar, whose routing and bookkeeping cost as much as all the rest of this folder.
            scope["path_template"] = COMMANDS_TEMPLATE
            try:
                answer = await commands.run_command(self.service, scope, receive, found[1])
            except Exception as error:
                answer = problems.of(error)
                self.service.metrics.refused(answer)
            if not answer.write_now(scope):
                await answer(scope, receive, send)
        elif "//" in scope["path"]:  # which Litestar would take for a single slash
            answer = problems.of(_no_route(self.service, scope, NotFoundException()))
            self.service.metrics.refused(answer)
            await answer(scope, receive, send)
        else:
            await self.app(scope, receive, send)  # uvicorn leaves the body out of the answer to a HEAD
        self._answered(scope, started, method)

    async def _answer_preflight(self, answer: Answer, scope: Scope, receive: Receive, send: Send) -> None:
        """It comes without a token, and is limited as such."""
        try:
            auth.spend_one(self.service.limits.addresses, auth.address(self.service, scope), scope)
        except TooManyRequests as error:
            answer = problems.of(error)
            self.service.metrics.refused(answer)
        await answer(scope, receive, send)

    def _answered(self, scope: HTTPScope, started: float, method: str) -> None:
        state: Any = scope["state"]
        status = state.get("status", 0)
        seconds = -1.0 if "stream" in state else time.perf_counter() - started
        template: Any = scope.get("path_template", "none")
        self.service.metrics.traffic.answered(method, template, status, seconds)
        if (status >= 500 and "known_failure" not in state) or (
            self._access_share and random.random() < self._access_share
        ):
            logs.answered(scope, status, time.perf_counter() - started)

    async def close_feeds(self) -> None:
        """Every feed gets its `closing`; who does not read it is cut off after a moment."""
        self.service.closing = True
        self.service.hide_metrics()
        for stream in list(self.service.feeds):
            stream.close("shutdown")
        with suppress(TimeoutError):
            async with asyncio.timeout(SHUTDOWN_SECONDS):
                while self.service.feeds:
                    await asyncio.sleep(0.02)


def create_app(service: Service) -> Litestar:
    modules = (
        players,
        standings,
        achievements,
        bots,
        layouts,
        own_options,
        people,
        games,
        matches,
        pairing,
        commands,
        reading,
        analysis,
        feed,
        personal_feed,
        records,
        scenarios,
        sessions,
        health,
        docs,
    )
    handlers: list[HTTPRouteHandler] = [handler for module in modules for handler in module.handlers]
    v1 = Router("/v1", route_handlers=[*_options(handlers), *handlers])
    outside: list[HTTPRouteHandler] = [*health.operations, *web.pages]
    return Litestar(
        [v1, *_options(outside), *outside],
        state=State({"service": service}),
        exception_handlers={Exception: _refused},
        openapi_config=None,  # openapi/
        logging_config=None,
        request_max_body_size=None,  # requests.read_body
    )


def _refused(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Litestar's hook for every exception of a handler or of its router."""
    if isinstance(error, NotFoundException | MethodNotAllowedException):
        error = _no_route(service_of(request.scope), request.scope, error)
    return problems.handler(request, error)


def _no_route(service: Service, scope: Scope, error: Exception) -> Exception:
    """What becomes of a request to a route that does not exist, which is limited like any other: `error`, or
    TooManyRequests."""
    try:
        auth.spend(service, scope)
    except TooManyRequests as too_many:
        return too_many
    return error


def _options(handlers: Iterable[HTTPRouteHandler]) -> list[HTTPRouteHandler]:
    """For each path of these a handler of OPTIONS that lists all its methods. Litestar's own lists those of the first
    handler."""
    methods: dict[str, set[str]] = {}
    for handler in handlers:
        for path in handler.paths:
            methods.setdefault(path, set()).update(handler.http_methods)
    return [_answers_options(path, problems.allow(known)) for path, known in methods.items()]


def _answers_options(path: str, allowed: bytes) -> HTTPRouteHandler:
    @route(path, http_method="OPTIONS", status_code=200)  # Litestar wants to know it; the answer has its own
    async def options(request: AnyRequest) -> Answer:
        await auth.caller_or_none(service_of(request.scope), request.scope)
        return Answer(204, [(b"allow", allowed)], b"")

    return options
