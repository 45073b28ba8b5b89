"""What takes long is done in threads of its own: nothing else waits for it, and nothing goes stale meanwhile."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.events.hand import opened
from tests.events.table import ADA, Table, table_at
from tests.servers import AnyRedis
from warlog_events import errors
from warlog_events.clock_and_random import World
from warlog_events.match.verify import verify_record
from warlog_events.matches import Matches
from warlog_events.threads import Threads

REDIS_KINDS = ("plain",)
DEADLINE_SECONDS = 60.0


class Watched(Executor):
    """One thread. `jobs` counts what has been done; `after` is called with that number."""

    def __init__(self, after: Callable[[int], None] = lambda jobs: None) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._after = after
        self.jobs = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        def job() -> Any:
            try:
                return fn(*args, **kwargs)
            finally:
                self.jobs += 1
                self._after(self.jobs)

        return self._thread.submit(job)


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(DEADLINE_SECONDS):
        while not holds():
            await asyncio.sleep(0.05)


async def test_the_file_is_flushed_while_every_other_thread_is_busy(tmp_path: Path) -> None:
    """Forty verifications of a long match kept a file from being flushed for 50 seconds."""
    flushed = Watched()
    async with opened(None, tmp_path, flushing=Threads("", 1, flushed)) as connection:
        table = Table(connection, World.real(), None, _no_watch(connection))
        match = await table.finish(await table.play(await table.hot_seat(), 5, random.Random(1)))
        held = threading.Event()
        heavy = Threads("held", 2)
        loop = asyncio.get_running_loop()
        busy = [loop.run_in_executor(None, held.wait) for _ in range(64)]
        busy += [asyncio.ensure_future(heavy.run(held.wait)) for _ in range(64)]
        try:
            before = flushed.jobs
            verdict = asyncio.create_task(table.matches.past.verify(match))
            await _until(lambda: flushed.jobs >= before + 2)
            assert (await verdict).status == "verified"  # in threads that are not the loop's, either
        finally:
            held.set()
            await asyncio.gather(*busy)
        await table.matches.close()


def _no_watch(connection: Any) -> Any:
    from warlog_events.redis.append_notices import Watch

    return Watch(connection)


async def test_an_import_that_takes_a_minute_happens_when_it_is_appended(redis_server: AnyRedis) -> None:
    """Of several large imports at once most ended with `the clock was off`: their time was that of their beginning."""
    late_ms = 60_000

    def now_ms() -> int:
        return time.time_ns() // 1_000_000 - late_ms

    def after(jobs: int) -> None:
        nonlocal late_ms
        if jobs == 3:  # read, checked, replayed: the minute is over
            late_ms = 0

    async with table_at(redis_server.url) as table:
        match = await table.play(await table.hot_seat(), 30, random.Random(2))
        match = await table.finish(await table.undo(match, 10))
        record = await table.matches.past.export(match, match.reader(ADA.id))
        world = World(now_ms, World.real().token_bytes, is_fixed=False)
        slow = Matches(
            table.store.__class__(table.connection, world),
            world,
            heavy_threads=Threads("", 1, Watched(after)),
        )
        imported = (await slow.new.import_record(record, ADA)).match
        assert abs(imported.fold.updated_at - time.time_ns() // 1_000_000) < 30_000
        assert imported.fold.created_at == imported.fold.started_at == imported.fold.updated_at
        # What is stored continues its chain, and replays to the same match.
        cold = await table.load(imported)
        assert cold.fold == imported.fold
        assert cold.state is not None
        assert imported.state is not None
        assert cold.state.data == imported.state.data
        assert cold.timeline.jumps == imported.timeline.jumps
        again = await table.matches.past.export(cold, cold.reader(ADA.id))
        assert verify_record(again).status in ("verified", "unseeded")
        await slow.close()


async def test_many_long_imports_at_once_all_succeed(redis_server: AnyRedis) -> None:
    async with table_at(redis_server.url) as table:
        match = await table.play(await table.hot_seat(), 400, random.Random(3))
        record = await table.matches.past.export(match, match.reader(ADA.id))
        made = await asyncio.gather(
            *(table.matches.new.import_record(record, ADA) for _ in range(7)), return_exceptions=True
        )
        assert not [one for one in made if isinstance(one, errors.WarlogError)]
        assert len({one.match.id for one in made if not isinstance(one, BaseException)}) == 7
