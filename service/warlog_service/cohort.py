"""Commands that come in one turn of the loop, taken together: first all are decided, then all are sent to Redis; whose
replies come together are finished together, and then answered together.

A task for each would take one command through all of that before it begins with the next; in steps, what a step needs
is still in the processor's caches for the next command, and neither a task nor a coroutine is made where nothing has
to be awaited but one reply. Where more has to be (a token or a match that is not in memory, a body that is still
coming, a refusal, another reply than "done") a command goes on alone, by `Matches.execute`."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from litestar.types import HTTPScope, Receive, Scope, Send

from warlog_events.errors import Unavailable
from warlog_events.match.commands import Act
from warlog_events.matches import Begun
from warlog_events.redis.pipe import Reply
from warlog_service import auth, problems
from warlog_service.backend import Service
from warlog_service.logs import REQUEST
from warlog_service.requests import body_at_hand
from warlog_service.responses import Answer, Wire
from warlog_service.routes import commands
from warlog_service.routes.commands import Asked

log = logging.getLogger("warlog")

Answered = Callable[[HTTPScope, float], None]
"""Is told of every request that has been answered, and when it began (`time.perf_counter`)."""


class Cohort:
    def __init__(self, service: Service, answered: Answered) -> None:
        self.service = service
        self.answered = answered
        self._new: list[Order] = []
        self._replied: list[Order] = []

    def take(self, scope: HTTPScope, wire: Wire, match_id: str) -> None:
        """Sees to a request from the next turn of the loop on, when its body will mostly have come."""
        if not self._new:
            asyncio.get_running_loop().call_soon(self._begin)
        self._new.append(Order(self, scope, wire, match_id))

    def _begin(self) -> None:
        orders, self._new = self._new, []
        decided = [order for order in orders if order.decide()]
        for order in decided:
            order.send()

    def replied(self, order: Order) -> None:
        if not self._replied:
            asyncio.get_running_loop().call_soon(self._finish)
        self._replied.append(order)

    def _finish(self) -> None:
        orders, self._replied = self._replied, []
        finished = [order for order in orders if order.finish()]
        for order in finished:
            order.answer()


class Order:
    """One command on its way; to the pipe it is the promise of the reply."""

    __slots__ = (
        "_answer",
        "_asked",
        "_begun",
        "_cohort",
        "_failure",
        "_match_id",
        "_reply",
        "_scope",
        "_started",
        "_told",
        "_wire",
    )

    def __init__(self, cohort: Cohort, scope: HTTPScope, wire: Wire, match_id: str) -> None:
        self._cohort = cohort
        self._scope = scope
        self._wire = wire
        self._match_id = match_id
        self._started = time.perf_counter()
        self._asked: Asked | None = None
        self._begun: Begun | None = None
        self._reply: Reply = None
        self._failure: Exception | None = None
        self._told = False
        self._answer: Answer | None = None

    # ---- the steps; each gives False where the order has gone another way

    def decide(self) -> bool:
        service, scope = self._cohort.service, self._scope
        REQUEST.set(scope)
        try:
            caller = auth.known(service, scope)
            if caller is None:
                return self._go_alone()
            service.limits.commands.spend(caller.player.id)
            self._asked = asked = Asked(caller.player)
            body = body_at_hand(scope, service.settings.body_bytes_max)
            if body is None:
                return self._go_alone()
            asked.read(scope, body)
            if isinstance(asked.command, Act):
                self._begun = service.backend.matches.begin(
                    self._match_id, asked.command, asked.caller, asked.expected_version, asked.key
                )
        except Exception as error:
            return self._refuse(error)
        begun = self._begun
        return self._go_alone() if begun is None or begun.refusal is not None else True

    def send(self) -> None:
        assert self._begun is not None
        REQUEST.set(self._scope)
        try:
            self._cohort.service.backend.matches.send(self._begun, self)
        except Unavailable as error:
            self.set_exception(error)
        except Exception as error:
            self._refuse(error)

    def finish(self) -> bool:
        begun, service = self._begun, self._cohort.service
        assert begun is not None
        REQUEST.set(self._scope)
        try:
            if self._failure is None:
                done = service.backend.matches.finish(begun, self._reply)
                if done is not None:
                    self._answer = commands.answer_of(service, done)
                    return True
            begun.reply = asyncio.get_running_loop().create_future()
            if self._failure is None:
                begun.reply.set_result(self._reply)
            else:
                begun.reply.set_exception(self._failure)
                self._failure = None  # it holds, by its traceback, whoever it goes through
        except Exception as error:
            return self._refuse(error)
        return self._go_alone()

    def answer(self) -> None:
        answer, scope = self._answer, self._scope
        assert answer is not None
        REQUEST.set(scope)
        try:
            written = answer.written(scope)
        except Exception:
            log.exception("an answer could not be written")  # and the others of the batch get theirs
            written = False
        if written:
            self._cohort.answered(scope, self._started)
        else:
            self._wire.run(self.alone)

    # ---- the other ways

    def _refuse(self, error: Exception) -> bool:
        REQUEST.set(self._scope)
        self._answer = problems.of(error)
        self._cohort.service.metrics.refused(self._answer)
        self.answer()
        return False

    def _go_alone(self) -> bool:
        self._wire.run(self.alone)
        return False

    async def alone(self, scope: Scope, receive: Receive, send: Send) -> None:
        """What is left of it, as an ASGI application; the scope is its own."""
        REQUEST.set(self._scope)
        service = self._cohort.service
        answer = self._answer
        if answer is None:
            try:
                answer = await commands.command(
                    service, scope, receive, self._match_id, asked=self._asked, begun=self._begun
                )
            except Exception as error:
                answer = problems.of(error)
                service.metrics.refused(answer)
        if not answer.written(scope):
            await answer(scope, receive, send)
        self._cohort.answered(self._scope, self._started)

    # ---- pipe.Promise

    def done(self) -> bool:
        """Who has asked may have gone, but the order goes on until it is told; it is told once."""
        return self._told

    def set_result(self, result: Reply, /) -> None:
        self._told = True
        self._reply = result
        self._cohort.replied(self)

    def set_exception(self, exception: Exception, /) -> None:
        self._told = True
        self._failure = exception
        self._cohort.replied(self)
