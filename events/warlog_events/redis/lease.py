"""Work of which one process is enough, whichever: it belongs to who holds its lease, and passes on when he ends.

A lease saves work and is no lock. A process that was stopped for longer than it lasts may go on for a moment beside
its successor, so what is done under one must bear being done twice (workers/projector.py and clock.py say why
theirs does).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from ..errors import WarlogError
from . import keys
from .connection import Connection

log = logging.getLogger("warlog.lease")

LASTS_MS = 2_000  # so long nobody does the work of a process that died
RENEW_SECONDS = 0.5


class Lease:
    """`holder` is this process's own name among all that ask, anew for each run."""

    def __init__(self, connection: Connection, name: str, holder: str) -> None:
        self._pipe = connection.pipe
        self._key = keys.lease(name)
        self._name = name
        self._holder = holder
        self.held = False

    async def keep(self, work: Callable[[], Awaitable[None]]) -> None:
        """For ever: does the work whenever the lease is ours. Ends only with an error, of the work or of Redis."""
        while True:
            if await self._ask(LASTS_MS):
                log.info("%s: this process does it now", self._name)
                await self._work(work)
            await asyncio.sleep(RENEW_SECONDS)

    async def _work(self, work: Callable[[], Awaitable[None]]) -> None:
        self.held = True
        task = asyncio.ensure_future(work())
        try:
            while not (await asyncio.wait([task], timeout=RENEW_SECONDS))[0]:
                if not await self._ask(LASTS_MS):
                    log.warning("%s: another process has taken it over", self._name)
                    return
            await task
        finally:
            self.held = False
            task.cancel()
            await asyncio.wait([task])
            with suppress(WarlogError):
                await self._ask(0)

    async def _ask(self, lasts_ms: int) -> bool:
        return bool(await self._pipe.script("lease", [self._key], [self._holder, lasts_ms], write=False))
