"""What goes wrong, when: drawn by the seed before the run begins, so that a list can be cut down and run again."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

import msgspec

from tests.simulate.network import USUAL_S, Cut
from warlog_events.redis.store import AT_TOLERANCE_MS

if TYPE_CHECKING:
    from tests.simulate.clients import Client
    from tests.simulate.run import Run
    from tests.simulate.worker import Worker

FIRST_S, LAST_S = 1.2, 22.0
FLUSHED_EVERY_S = 2.0  # with `everysec` a crash of the machine may take so much
STEPS_MAX = 40
SLOWER_S = (0.1, 1.5, 6.0)  # with the last one leases pass on while their holder goes on working


class Fault(msgspec.Struct, frozen=True):
    """kind, whom it concerns (a worker, a client; "" Redis), when, for how long, and one more number."""

    at: float
    kind: str
    whom: str = ""
    lasts: float = 0.0
    much: float = 0.0

    def __str__(self) -> str:
        lasts = f", for {self.lasts:.2f} s" if self.lasts else ""
        much = f", {self.much:g}" if self.much else ""
        return f"{self.at:7.3f}  {self.kind}{' of ' if self.whom else ''}{self.whom}{lasts}{much}"


class Loss(msgspec.Struct, frozen=True):
    """Redis came back at `at` with what it had at `reached`."""

    reached: float
    at: float


def drawn(run: Run, rng: random.Random, among: Sequence[str] = ()) -> list[Fault]:
    """Most seeds have many faults of a few kinds: a mixture of everything hides what two kinds do together."""
    kinds = sorted(Faults.KINDS)
    if run.durability != "replicated":
        kinds.remove("replica is stuck")
        kinds.remove("fail-over")
    chosen = [*among] or rng.sample(kinds, rng.randrange(2, 6))
    faults = [_one(run, rng, rng.choice(chosen)) for _ in range(rng.randrange(4, 25))]
    return sorted(faults, key=lambda fault: fault.at)


def _one(run: Run, rng: random.Random, kind: str) -> Fault:
    at = round(rng.uniform(FIRST_S, LAST_S), 3)
    worker = rng.choice(run.workers).name
    client = rng.choice([*run.players, run.reader]).name
    lasts = round(min(0.05 + rng.expovariate(0.5), 12.0), 3)
    whom, much = worker, 0.0
    match kind:
        case "delay" | "reordering":
            much = round(rng.choice(SLOWER_S) * rng.uniform(0.1, 1), 3)
        case "cut before a batch" | "cut after a batch" | "half-open connection":
            lasts = 0.0
        case "killed":
            much = rng.randrange(STEPS_MAX)
        case "clock jumps":
            lasts, much = 0.0, round(rng.choice((AT_TOLERANCE_MS / 1000, 20)) * rng.uniform(-1, 1), 3)
        case "clock drifts":
            much = round(rng.uniform(-0.2, 0.2), 3)
        case "request cut before" | "answer cut":
            whom, lasts, much = client, 0.0, rng.randrange(1, 4)
        case "slow reader":
            whom = client
        case "Redis is killed" | "memory is full" | "replica is stuck":
            whom = ""
        case "Redis's machine crashes" | "fail-over":
            whom, much = "", round(rng.uniform(0, FLUSHED_EVERY_S), 3)
    return Fault(at, kind, whom, lasts, much)


class Faults:
    """losses   what Redis has come back without"""

    def __init__(self, run: Run, planned: Sequence[Fault]) -> None:
        self._run = run
        self.planned = planned
        self.losses: list[Loss] = []
        self.happened: dict[str, int] = {}

    def begin(self) -> None:
        loop = self._run.loop
        for fault in self.planned:
            loop.call_at(max(fault.at, loop.time()), self._happens, fault)

    def _happens(self, fault: Fault) -> None:
        self._run.note(f"FAULT {fault}")
        self.happened[fault.kind] = self.happened.get(fault.kind, 0) + 1
        self.KINDS[fault.kind](self, fault)

    def _later(self, seconds: float, then: Callable[..., None], *arguments: object) -> None:
        self._run.loop.call_later(seconds, then, *arguments)

    def _worker(self, fault: Fault) -> Worker:
        return next((one for one in self._run.workers if one.name == fault.whom), self._run.workers[0])

    def _client(self, fault: Fault) -> Client:
        run = self._run
        return next(one for one in [*run.players, run.reader] if one.name == fault.whom)

    # ---- the network

    def _delay(self, fault: Fault) -> None:
        """Everything between this process and Redis, or a client, takes up to so much longer."""
        extra = self._run.network.extra
        extra[fault.whom] = extra.get(fault.whom, 0.0) + fault.much
        self._later(fault.lasts, self._no_delay, fault)

    def _no_delay(self, fault: Fault) -> None:
        extra = self._run.network.extra
        extra[fault.whom] = max(0.0, extra.get(fault.whom, 0.0) - fault.much)

    def _reorder(self, fault: Fault) -> None:
        """One connection of a process is late, the others are not."""
        links = self._run.network.links_of(fault.whom)
        if links:
            link = links[int(fault.much * 1000) % len(links)]
            link.extra = fault.much
            self._later(fault.lasts, setattr, link, "extra", 0.0)

    def _cut(self, fault: Fault, how: Cut) -> None:
        for link in self._run.network.links_of(fault.whom):
            link.cut_next = how

    def _half_open(self, fault: Fault) -> None:
        for link in self._run.network.links_of(fault.whom):
            link.silent = True

    def _dark(self, fault: Fault) -> None:
        """What is open stays silent for good, as after a firewall has forgotten it; what is new has to wait."""
        self._half_open(fault)
        self._run.network.dark.add(fault.whom)
        self._later(fault.lasts, self._run.network.dark.discard, fault.whom)

    def _cut_request(self, fault: Fault, how: Cut) -> None:
        self._client(fault).cut_next.extend(how for _ in range(int(fault.much)))

    def _slow(self, fault: Fault) -> None:
        client = self._client(fault)
        client.slow = True
        self._later(3 * fault.lasts, setattr, client, "slow", False)

    # ---- processes and their clocks

    def _kill(self, fault: Fault) -> None:
        """After so many more steps of its event loop: at any await."""
        worker = self._worker(fault)
        if worker.process.alive:
            worker.process.steps_left = int(fault.much)
            self._later(fault.lasts, self._restart, worker)

    def _restart(self, worker: Worker) -> None:
        if worker.process.alive:
            worker.kill()
        worker.start()

    def _stand_still(self, fault: Fault) -> None:
        process = self._worker(fault).process
        process.stand_still()
        self._later(fault.lasts, process.go_on)

    def _jump(self, fault: Fault) -> None:
        self._worker(fault).machine.ahead_s += fault.much

    def _drift(self, fault: Fault) -> None:
        self._worker(fault).machine.drift(fault.much)

    # ---- Redis

    def _kill_redis(self, fault: Fault, reached: float | None = None) -> None:
        """`reached`: of its file is left what was written until then; None: all that the kernel has been given."""
        run, network = self._run, self._run.network
        if not run.redis.up:
            return
        if reached is None:
            run.redis.kill()
        else:
            kept = network.size_at(reached)
            run.redis.kill(kept)
            if kept < network.sizes[-1][1]:
                self.losses.append(Loss(reached, run.now))
                run.note(f"Redis has lost {network.sizes[-1][1] - kept} bytes, all since {reached:.4f}")
            network.sizes.append((run.now, kept))
        network.redis_gone()
        self._later(fault.lasts, self._start_redis)

    def _start_redis(self) -> None:
        run = self._run
        if not run.redis.up:
            run.network.set_clock()
            run.redis.start()
            run.note("Redis is back")

    def _crash_redis(self, fault: Fault) -> None:
        """The machine, too: what had not been flushed is lost, which with `always` is nothing that was answered. With
        `replicated` a server without a replica's help may lose as much as `everysec` does, so a replica takes over."""
        if self._run.durability == "everysec":
            self._kill_redis(fault, max(0.0, self._run.now - fault.much))
        elif self._run.durability == "always":
            self._kill_redis(fault)
        else:
            self._fail_over(fault)

    def _fail_over(self, fault: Fault) -> None:
        """Another server takes over, with what it had been sent by then."""
        replica = self._run.network.replica
        self._kill_redis(fault, max(0.0, replica.reached()))
        replica.stuck_at = None

    def _stick(self, fault: Fault) -> None:
        replica = self._run.network.replica
        if replica.stuck_at is None:
            replica.stuck_at = self._run.now
            self._later(fault.lasts, setattr, replica, "stuck_at", None)

    def _fill(self, fault: Fault) -> None:
        run = self._run
        if run.redis.up:
            run.redis.fill(True)
            self._later(fault.lasts, self._empty)

    def _empty(self) -> None:
        if self._run.redis.up:  # a new one has room
            self._run.redis.fill(False)

    # ---- afterwards

    async def heal(self) -> None:
        """Everything works again, as it would after a while."""
        run, network = self._run, self._run.network
        network.extra.clear()
        network.usual_s = min(USUAL_S)
        network.dark.clear()
        network.replica.stuck_at = None
        for client in [*run.players, run.reader]:
            client.slow = False
            client.cut_next.clear()
        for link in network.links:
            link.extra, link.cut_next = 0.0, None
        for worker in run.workers:
            worker.process.go_on()
            worker.machine.drift(0.0)
            worker.process.steps_left = None
            if not worker.process.alive:
                worker.start()
        self._start_redis()
        self._empty()

    KINDS: ClassVar[dict[str, Callable[[Faults, Fault], None]]] = {
        "delay": _delay,
        "reordering": _reorder,
        "cut before a batch": lambda self, fault: self._cut(fault, "before"),
        "cut after a batch": lambda self, fault: self._cut(fault, "after"),
        "half-open connection": _half_open,
        "no way to Redis": _dark,
        "request cut before": lambda self, fault: self._cut_request(fault, "before"),
        "answer cut": lambda self, fault: self._cut_request(fault, "after"),
        "slow reader": _slow,
        "killed": _kill,
        "stands still": _stand_still,
        "clock jumps": _jump,
        "clock drifts": _drift,
        "Redis is killed": _kill_redis,
        "Redis's machine crashes": _crash_redis,
        "fail-over": _fail_over,
        "replica is stuck": _stick,
        "memory is full": _fill,
    }
