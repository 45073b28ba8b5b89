"""One seed from beginning to end: workers, players, readers, faults; then calm, and the checks."""

from __future__ import annotations

import asyncio
import gc
import logging
import random
import time
import traceback
import warnings
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from tests.service.junqi import TWO
from tests.simulate import checks
from tests.simulate.clients import HEX, QUEUE, Client, Player, junqi
from tests.simulate.faults import Fault, Faults, drawn
from tests.simulate.history import History
from tests.simulate.loop import VirtualLoop
from tests.simulate.network import Network
from tests.simulate.redis_process import RedisProcess
from tests.simulate.timeline import Timeline
from tests.simulate.worker import Apps, Worker, begin_numbers, settings_for
from warlog_events.errors import WarlogError
from warlog_service.settings import Durability

PLAYERS = 4
DESTROYED = "destroyed but it is pending"
PLAY_S = 24.0  # for so long there are faults
CALM_S = 30.0  # after which all that is not over yet is an error
SETTLE_S = 15.0  # a silent connection is noticed within seven seconds; then feeds come to the end


class Report(msgspec.Struct, frozen=True):
    seed: int
    digest: str
    faults: list[Fault]
    findings: list[str]
    lines: list[str]
    hours: float
    seconds: float
    figures: dict[str, int]


class Seen:
    """What clients got, each of them, and when the first secret came out."""

    def __init__(self) -> None:
        self.got: dict[str, list[tuple[float, bytes]]] = {}
        self.until = 0.0


class Run:
    """What all that takes part in one seed can get at."""

    def __init__(
        self,
        seed: int,
        redis: RedisProcess,
        faults: Sequence[Fault] | None,
        kinds: Sequence[str],
        swapped: bool,
    ) -> None:
        self.seed = seed
        self.swapped = swapped
        self.redis = redis
        rng = random.Random(f"{seed}/plan")
        thread_rng = random.Random(f"{seed}/threads")
        self.loop = VirtualLoop(lambda: 0.0005 + thread_rng.expovariate(1000))
        self.loop.set_exception_handler(self._unforeseen)
        self.timeline = Timeline(self.loop.time)
        self.note = self.timeline.note
        self.history = History()
        self.network = Network(self.loop, redis, random.Random(f"{seed}/network"), self.timeline)
        self.network.history = self.history
        promises: tuple[Durability, ...] = ("everysec", "everysec", "always", "replicated")
        self.durability = rng.choice(promises)
        self.network.replica.count = int(self.durability == "replicated")
        settings = settings_for(redis.path, self.durability)
        names = [f"worker {letter}" for letter in "abc"[: rng.choice((2, 2, 3))]]
        self.workers = [Worker(self.loop, self.network, settings, f"{seed}", name) for name in names]
        self.has_proxy = random.Random(f"{seed}/proxy").random() < 0.25
        self.players = [Player(self, f"player {i + 1}") for i in range(PLAYERS)]
        self.reader = Client(self, "reader")
        self.faults = Faults(self, drawn(self, rng, kinds) if faults is None else faults)
        self.ending = False
        self.calm_at = PLAY_S
        self.follows: list[asyncio.Task[Any]] = []
        self.tasks: list[asyncio.Task[Any]] = []
        self.findings: list[str] = []
        self.unforeseen: list[str] = []  # what no check was made for

    def _unforeseen(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """An exception that nobody has caught."""
        error = context.get("exception")
        if isinstance(error, WarlogError):  # one that callers know of: nobody waited for it any more
            return
        if DESTROYED in context["message"] and self.faults.happened.get("killed"):  # a dead process's
            return
        where = "" if error is None else "".join(traceback.format_exception(error)[-3:])
        self.unforeseen.append(f"{context['message']}: {error!r} {where}")

    @property
    def now(self) -> float:
        return self.loop.time()

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = self.loop.create_task(work)
        self.tasks.append(task)
        return task

    async def whole(self) -> None:
        for worker in self.workers:
            worker.start()
        await asyncio.sleep(0.5)
        await asyncio.gather(*(player.register() for player in self.players))
        await self.reader.register()
        self.faults.begin()
        games = [self.start(game) for game in (self._hex(), self._junqi(), self._pairs())]
        await asyncio.sleep(PLAY_S)
        await self.faults.heal()
        self.ending, self.calm_at = True, self.now
        self.note("calm: all faults are over")
        over, late = await asyncio.wait(games, timeout=CALM_S)
        for game in over:
            game.result()
        if late:
            self.unforeseen.append(
                f"{len(late)} of the players' games are not over {CALM_S:.0f} s after the last fault"
            )
        await asyncio.sleep(SETTLE_S)
        for follows in self.follows:
            follows.cancel()
        self.findings += await checks.all_of(self)

    # One match after the other: how matches begin and end is what faults should hit, too.

    async def _hex(self) -> None:
        red, blue = self.players[:2]
        while not self.ending:
            match = await red.create({**HEX, "seats": {"red": "me", "blue": "open"}})
            if match:
                await self._sit(match, {"red": red, "blue": blue})
            await red.pause(1.0)
            red, blue = blue, red

    async def _junqi(self) -> None:
        south, north = self.players[2:]
        while not self.ending:
            match = await south.create(junqi(stake=50))
            if match:
                await self._sit(match, {TWO[0]: south, TWO[1]: north})
            await south.pause(1.0)

    async def _pairs(self) -> None:
        async def one(player: Player) -> None:
            while not self.ending:
                match = await player.pair(QUEUE)
                summary = await player.summary(match) if match else None
                if summary is not None:
                    seats = [held["seat"] for held in summary["seats"] if held["player"]["id"] == player.id]
                    self.history.matches.setdefault(match, []).append(player.id)
                    for seat in seats:
                        self.follows.append(self.start(player.follow(match, (seat,))))
                        await player.play(match, seat)
                await player.pause(2.0)

        await asyncio.gather(*(one(player) for player in self.players))

    async def _sit(self, match: str, seats: dict[str, Player]) -> None:
        self.history.matches[match] = [player.id for player in seats.values()]
        first, *others = seats
        for seat in others:
            await self._done(seats[seat], match, {}, f"/matches/{match}/seats/{seat}", "PUT")
        for seat, player in seats.items():
            await self._done(player, match, {"type": "prepare", "seat": seat})
        follows = [self.start(player.follow(match, (seat,))) for seat, player in seats.items()]
        if first == TWO[0]:
            await seats[first].arrange(match, first, "colonel" if self.swapped else "major")
        if first == "red":
            follows.append(self.start(self.reader.follow(match, ())))
        self.follows += follows
        await asyncio.gather(*(player.play(match, seat) for seat, player in seats.items()))

    async def _done(
        self, player: Player, match: str, body: dict[str, Any], path: str = "", method: str = "POST"
    ) -> None:
        while (await player.command(match, body, path, method)).outcome == "unknown":
            pass


def run(
    seed: int,
    redis: RedisProcess,
    faults: Sequence[Fault] | None = None,
    kinds: Sequence[str] = (),
    *,
    swapped: bool = False,
    seen: Seen | None = None,
) -> Report:
    """faults   these instead of those that the seed draws
    kinds    of which they are drawn; none: of all
    swapped  the world in which two pieces that only their owner knows stand otherwise
    seen     to be filled
    """
    began = time.perf_counter()
    redis.reset()
    begin_numbers()
    gc.freeze()
    gc.disable()
    one = Run(seed, redis, faults, kinds, swapped)
    main = one.loop.create_task(one.whole())
    with Apps():
        try:
            one.loop.run_until_complete(main)
        except BaseException:  # of the simulation itself
            _sweep(one)
            raise
    one.findings += one.history.broken + one.unforeseen
    figures = {
        "commands of Redis": one.network.commands,
        "steps": one.loop.steps,
        "commands": len(one.history.commands),
        "done": sum(command.outcome == "done" for command in one.history.commands),
        "unknown": sum(command.outcome == "unknown" for command in one.history.commands),
        "feed events": sum(len(reading.events) for reading in one.history.readings),
    }
    report = Report(
        seed,
        one.timeline.digest,
        list(one.faults.planned),
        one.findings,
        one.timeline.written,
        one.now / 3600,
        time.perf_counter() - began,
        figures,
    )
    if seen is not None:
        seen.got, seen.until = one.timeline.got, _first_battle(one)
    _sweep(one)
    return report


def _first_battle(one: Run) -> float:
    """Until then nothing that anybody may know depends on where which rank stands: of a match that is over everything
    may be known."""
    times = [
        at
        for reading in one.history.readings
        if reading.seats and reading.seats[0] in TWO
        for _, _, data, at in reading.events
        if data.get("result") or any(effect["type"] == "battle" for effect in data.get("effects", ()))
    ]
    return min([*times, one.calm_at])


def _sweep(one: Run) -> None:
    """What was killed, or is still under way, ends without a word."""
    one.loop.set_exception_handler(lambda loop, context: None)
    logging.disable()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for task in sorted(asyncio.all_tasks(one.loop), key=lambda task: task.get_name()):
            task._log_destroy_pending = False  # type: ignore[attr-defined]
            coroutine: Any = task.get_coro()
            with suppress(BaseException):
                coroutine.close()
        one.loop.forget()
        for link in [*one.network.links]:
            link.real.close()
        for worker in one.workers:
            worker.keep.clear()
        one.tasks.clear()
        one.loop.close()
        gc.enable()
        gc.collect()
    logging.disable(logging.NOTSET)
