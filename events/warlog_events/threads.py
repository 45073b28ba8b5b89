"""Work that is done beside the event loop, each kind in threads of its own.

The loop's own pool is one for all: work on whole matches that takes seconds would keep the fsync of every second
waiting until it is done.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import copy_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    """At most `most` at a time; what comes then waits in order. `executor`: another than threads of its own."""

    def __init__(self, name: str, most: int, executor: Executor | None = None) -> None:
        self._executor = executor or ThreadPoolExecutor(most, f"warlog-{name}")

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """`work(…)`, in a thread. As with `asyncio.to_thread`, cancelling the wait does not end the work."""
        context = copy_context()
        return await asyncio.get_running_loop().run_in_executor(
            self._executor, lambda: context.run(work, *args, **kwargs)
        )

    def close(self) -> None:
        """What waits is not begun any more."""
        self._executor.shutdown(wait=False, cancel_futures=True)
