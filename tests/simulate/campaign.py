"""Many seeds, in several processes if there are processors for them."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack, nullcontext

from tests.simulate.faults import Fault
from tests.simulate.mutants import MUTANTS, applied
from tests.simulate.redis_process import RedisProcess
from tests.simulate.run import Report, run
from tests.simulate.shrink import shrunk

_redis: RedisProcess | None = None


def one(seed: int, mutant: str = "", faults: Sequence[Fault] | None = None) -> Report:
    """In this process, with its Redis."""
    global _redis
    if _redis is None:
        _redis = RedisProcess()
    kinds = MUTANTS[mutant].kinds if mutant else ()
    with applied(mutant) if mutant else nullcontext():
        return run(seed, _redis, faults, kinds)


def end() -> None:
    """This process's Redis ends."""
    global _redis
    if _redis is not None:
        _redis.close()
        _redis = None


def each(seeds: Sequence[int], jobs: int = 1, mutant: str = "") -> Iterator[Report]:
    """As they are done."""
    if jobs == 1:
        yield from (one(seed, mutant) for seed in seeds)
        return
    with ExitStack() as stack:
        pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"))
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
