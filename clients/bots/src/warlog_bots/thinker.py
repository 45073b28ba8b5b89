"""What a process computes for its matches: one thing at a time, in a thread of its own, the most urgent first."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar
from weakref import WeakSet

from msgspec import Struct

import warlog_core
from warlog_core import Belief, Choice, State, Stop, Stopped
from warlog_core.opponent import ARENA_BYTES

from .pace import Budget, Speeds, share

ITERATIONS_MIN = 16
"""However many wait."""
TRIAL_ITERATIONS = 64
"""Of the first search in a game, whose speed is not known."""
REMEMBER_SECONDS = 0.06
"""A belief takes up a version only where it may take as long: the median is 0.05, the longest was 0.1."""

T = TypeVar("T")


class Question(Struct, frozen=True, eq=False):
    """seen  what the seat knows
    due   when it is to be answered, by `time.monotonic`
    belief   of the seat, which saw `seen` last; None: it goes by what it sees
    """

    match: str
    seen: State
    seat: str
    level: int
    seed: int
    due: float
    belief: Belief | None = None


class Figures(Struct):
    """Since the process began. `waiting`: what is in the queue now."""

    searches: int = 0
    iterations: int = 0
    search_ms: float = 0.0
    waiting: int = 0
    analyses: int = 0
    conflicts: int = 0
    failures: int = 0
    late: int = 0


class Thinker:
    def __init__(self, budget: float = 1.0) -> None:
        """`budget`: processor seconds per second."""
        self.figures = Figures()
        self.budget = Budget(budget, time.monotonic())
        self.memories: WeakSet[object] = WeakSet()
        """What has a belief, of all matches that are played in the process."""
        self._speeds = Speeds()
        self._queue: list[tuple[float, int, Callable[[float], Any], asyncio.Future[Any]]] = []
        self._numbers = itertools.count()
        self._thread = ThreadPoolExecutor(1, "warlog search")
        self._working: asyncio.Task[None] | None = None
        self._arena: bytearray | None = (
            None  # not before the first search: a process without matches is small
        )

    async def think(self, question: Question) -> Choice | None:
        """None: the seat can choose nothing. Raises what `warlog_core.play` raises. Cancelled, it breaks off the
        search."""
        stop = Stop()
        try:
            return await self._in_turn(question.due, partial(self._search, question, stop))
        finally:
            stop.set()

    async def remember(self, belief: Belief, seen: State, due: float) -> bool:
        """What the belief's seat has seen next, before a decision that is due then. False: there is no time for that,
        and the belief has not changed. Raises what `warlog_core.remember` raises."""

        def remember(seconds: float) -> bool:
            if seconds < REMEMBER_SECONDS:
                return False
            warlog_core.remember(belief, seen)
            return True

        return await self._in_turn(due, remember)

    def forget(self, match: str) -> None:
        """The match is over."""
        self._speeds.forget(match)

    async def close(self) -> None:
        """Whoever waits for an answer is to be cancelled first: then nothing is under way that takes long."""
        if self._working is not None:
            self._working.cancel()
        await asyncio.to_thread(self._thread.shutdown)

    async def _in_turn(self, due: float, work: Callable[[float], T]) -> T:
        """What `work` returns. The thread calls it when all that is more urgent has been done, with the seconds that it
        may take."""
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._queue, (due, next(self._numbers), work, answer))
        self.figures.waiting = len(self._queue)
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work())
        return await answer

    async def _work(self) -> None:
        """Until nobody waits."""
        loop = asyncio.get_running_loop()
        while self._queue:
            seconds = self._seconds()
            _, _, work, answer = heapq.heappop(self._queue)
            self.figures.waiting = len(self._queue)
            if answer.cancelled():
                continue
            try:
                found, spent = await loop.run_in_executor(self._thread, _timed, work, seconds)
            except Exception as error:
                if not answer.done():
                    answer.set_exception(error)
            else:
                self.budget.spend(spent)
                if not answer.done():
                    answer.set_result(found)

    def _seconds(self) -> float:
        now = time.monotonic()
        return min(share(now, (due for due, *_ in self._queue)), self.budget.left(now))

    def _search(self, question: Question, stop: Stop, seconds: float) -> Choice | None:
        """None as well where it was broken off."""
        game = question.seen.game.name
        if self._arena is None:
            self._arena = bytearray(ARENA_BYTES)
        wanted = self._speeds.iterations(question.match, game, seconds)
        iterations = TRIAL_ITERATIONS if wanted is None else max(ITERATIONS_MIN, wanted)
        began = time.perf_counter()
        choice: Choice | None = None
        with suppress(Stopped):
            choice = warlog_core.play(
                question.seen,
                question.seat,
                level=question.level,
                seed=question.seed,
                iterations=min(iterations, warlog_core.level(game, question.level).iterations),
                belief=question.belief,
                arena=self._arena,
                stop=stop,
            )
        took = time.perf_counter() - began
        if choice is not None and choice.iterations:
            self._speeds.learn(question.match, game, choice.iterations, took)
            self.figures.iterations += choice.iterations
        self.figures.searches += 1
        self.figures.search_ms += 1000 * took
        return choice


def _timed(work: Callable[[float], T], seconds: float) -> tuple[T, float]:
    """Also the processor seconds that it took."""
    spent = time.thread_time()
    return work(seconds), time.thread_time() - spent
