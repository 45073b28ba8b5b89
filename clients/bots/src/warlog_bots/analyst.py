"""Analyses for readers of matches: a program of the house takes one after the other, from any reader.

Matches come first. An analysis is searched for in a thread of its own, of lower priority than that of matches, and
begins only while much of the processor time is saved up that searches for matches may take.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
from msgspec import Struct

import warlog_core
from warlog_client import AsyncClient, Unauthenticated, WarlogError
from warlog_client.request import json_as, post, send
from warlog_core import Choice, Line, Stop, Stopped

from .pace import BURST_SECONDS
from .thinker import Thinker

log = logging.getLogger("warlog.bots")

NICE = 3
"""Beyond the process's own, which is 10: half the weight of a search for a match. With the last priority, 19, a machine
that is busy with other things left it so little that readers waited in vain."""
LEVEL = 8
SPARE_SECONDS = BURST_SECONDS / 2
"""Of processor time, which must be saved up."""
BEAT_SECONDS = 1.0
"""Between two words to the service that the analysis goes on. After four seconds of silence another program gets it."""
PAUSE_SECONDS = 2.0
"""After a failure."""


class Task(Struct, frozen=True):
    """What is to be analysed, as the service says it."""

    match: str
    game: str
    rules_version: int
    setup: bytes
    state: bytes
    seat: str
    seed: int
    iterations: int
    lines: int


class Taken(Struct, frozen=True):
    id: str
    number: int
    task: Task


class _Offer(Struct, frozen=True):
    analysis: Taken | None


class _Heard(Struct, frozen=True):
    wanted: bool


TAKE = send("POST", json_as(_Offer), "bots", "analyses")


class Analyst:
    def __init__(self, warlog: AsyncClient, thinker: Thinker) -> None:
        """`thinker`: of the same process, whose budget this shares."""
        self._warlog = warlog
        self._thinker = thinker
        self._thread = ThreadPoolExecutor(1, "warlog analysis", initializer=_step_back)

    async def run(self) -> None:
        """For ever. Raises Unauthenticated."""
        while True:
            try:
                await self._spare()
                offer = await self._warlog.send(TAKE)
                if offer.analysis is not None:
                    await self._analyse(offer.analysis)
            except Unauthenticated:
                raise
            except WarlogError as error:
                log.warning("analyses: %s", error)
                await asyncio.sleep(PAUSE_SECONDS)

    async def _spare(self) -> None:
        while self._thinker.budget.left(time.monotonic()) < SPARE_SECONDS:
            await asyncio.sleep(BEAT_SECONDS / 10)

    async def _analyse(self, taken: Taken) -> None:
        where = ("bots", "analyses", taken.id, str(taken.number))
        loop = asyncio.get_running_loop()
        stop = Stop()
        work = loop.run_in_executor(self._thread, found, taken.task, stop)
        try:
            while not (await asyncio.wait([work], timeout=BEAT_SECONDS))[0]:
                if not (await self._warlog.send(send("POST", json_as(_Heard), *where))).wanted:
                    break
        finally:
            stop.set()
            done, spent = await work
            self._thinker.budget.spend(spent)
        if done is not None:
            self._thinker.figures.analyses += 1
            await self._warlog.send(post(json_as(_Heard), *where, body=done))


def _step_back() -> None:
    """On Linux priorities are those of threads."""
    os.nice(NICE)


def found(task: Task, stop: Stop) -> tuple[dict[str, Any] | None, float]:
    """What the service is to be told, None if nobody wants to know; and the processor seconds that it took."""
    spent = time.thread_time()
    try:
        state = warlog_core.game(task.game, task.rules_version).load(task.setup, task.state)
        choice = warlog_core.play(
            state,
            task.seat,
            level=LEVEL,
            seed=task.seed,
            iterations=task.iterations,
            stop=stop,
            openings=False,
        )
    except Stopped:
        return None, time.thread_time() - spent
    except warlog_core.CoreError:
        log.exception("%s: what %s knows cannot be analysed", task.match, task.seat)
        return {"failed": True}, time.thread_time() - spent
    done = {} if choice is None else {"found": _lines(choice, task.lines), "iterations": choice.iterations}
    return done, time.thread_time() - spent


def _lines(choice: Choice, most: int) -> list[dict[str, Any]]:
    """What was not searched for has no lines."""
    lines = choice.lines or [Line(choice.action, choice.value, choice.visits, [])]
    return [
        {
            "action": msgspec.to_builtins(line.action),
            "value": line.value,
            "visits": line.visits,
            "line": [
                {"seat": seat, "action": msgspec.to_builtins(action)} for seat, action in line.continuation
            ],
        }
        for line in lines[:most]
    ]
