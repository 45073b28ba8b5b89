"""Many seeds, in several processes if there are processors for them."""

from __future__ import annotations

import multiprocessing
import multiprocessing.util
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack, nullcontext

import msgspec

from tests.simulate.faults import Fault
from tests.simulate.mutants import MUTANTS, applied
from tests.simulate.redis_process import RedisProcess
from tests.simulate.run import Report, Seen, run
from tests.simulate.shrink import shrunk

SEEDS_PER_PROCESS = (
    50  # a day leaves some 4 MB of garbage behind, since nothing may be collected in its midst
)

TWIN_EVERY = 5  # of so many seeds one is run a second time, in a world that differs in what is hidden
OWNER = "player 3"  # who knows
SHOWN_BYTES = 60
BEFORE_BATTLE_S = 0.1  # it is known to some before it is to others

_redis: RedisProcess | None = None


def one(seed: int, mutant: str = "", faults: Sequence[Fault] | None = None) -> Report:
    """In this process, with its Redis."""
    global _redis
    if _redis is None:
        _redis = RedisProcess()
    report = _lived(seed, mutant, faults)
    shows = MUTANTS[mutant].shows if mutant else ""
    return msgspec.structs.replace(report, findings=[one for one in report.findings if shows in one])


def _lived(seed: int, mutant: str, faults: Sequence[Fault] | None) -> Report:
    assert _redis is not None
    kinds = MUTANTS[mutant].kinds if mutant else ()
    with applied(mutant) if mutant else nullcontext():
        if seed % TWIN_EVERY:
            return run(seed, _redis, faults, kinds)
        seen, other = Seen(), Seen()
        report = run(seed, _redis, faults, kinds, seen=seen)
        run(seed, _redis, faults, kinds, swapped=True, seen=other)
        return msgspec.structs.replace(report, findings=[*report.findings, *told_apart(seen, other)])


def told_apart(seen: Seen, other: Seen) -> Iterator[str]:
    """Nobody but their owner gets a byte, or gets it at another time, because two hidden pieces stand otherwise."""
    until = min(seen.until, other.until) - BEFORE_BATTLE_S
    for client in sorted(seen.got.keys() - {OWNER}):
        mine, his = ([(at, piece) for at, piece in one.got[client] if at < until] for one in (seen, other))
        for number, ((at, piece), (when, instead)) in enumerate(zip(mine, his, strict=False)):
            if (at, piece) != (when, instead):
                pairs = enumerate(zip(piece, instead, strict=False))
                begins = max(0, next((i for i, (one, two) in pairs if one != two), 0) - SHOWN_BYTES)
                first, second = (one[begins : begins + 2 * SHOWN_BYTES] for one in (piece, instead))
                yield (
                    f"{client} can tell two worlds apart by what came as number {number}, from byte {begins} on: "
                    f"at {at:.6f} {first!r}, at {when:.6f} {second!r}"
                )
                break


def end() -> None:
    """This process's Redis ends."""
    global _redis
    if _redis is not None:
        _redis.close()
        _redis = None


def _end_with_the_process() -> None:
    multiprocessing.util.Finalize(None, end, exitpriority=1)


def each(seeds: Sequence[int], jobs: int = 1, mutant: str = "") -> Iterator[Report]:
    """As they are done."""
    if jobs == 1:
        yield from (one(seed, mutant) for seed in seeds)
        return
    with ExitStack() as stack:
        pool = ProcessPoolExecutor(
            jobs,
            multiprocessing.get_context("spawn"),
            initializer=_end_with_the_process,
            max_tasks_per_child=SEEDS_PER_PROCESS,
        )
        stack.callback(pool.shutdown, cancel_futures=True)
        left = iter(seeds)
        under_way: set[Future[Report]] = set()
        while True:
            while len(under_way) < 2 * jobs and (seed := next(left, None)) is not None:
                under_way.add(pool.submit(one, seed, mutant))
            if not under_way:
                break
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()


def fewest(report: Report, mutant: str = "") -> Report:
    """The same failure with as few faults as will do."""
    faults = shrunk(report.faults, lambda fewer: bool(one(report.seed, mutant, fewer).findings))
    return one(report.seed, mutant, faults)
