"""What the projector and the bookkeeper have in common: keeping something up to the buckets' activity."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import NamedTuple

from ..errors import Unavailable, Unconfirmed
from .wire import AWAY

PAUSE_SECONDS = 1.0
BATCH = 100  # activity entries of a bucket that are read in one pass


class Passed(NamedTuple):
    """One pass over all buckets.

    new      activity entries that were new
    reached  bucket → number of the last entry that is done
    newest   bucket → number of the newest entry there was
    """

    new: int
    reached: Mapping[int, int]
    newest: Mapping[int, int]


class ActivityReader(ABC):
    """Several may run, in one process and in others: a pass does nothing that has been done."""

    def __init__(self) -> None:
        self._catching_up: asyncio.Task[None] | None = None

    @abstractmethod
    async def step(self) -> Passed:
        """One pass over all buckets that can be reached."""

    async def run(self) -> None:
        """For ever; ends only with an error, and may then be started again."""
        while True:
            await self.step_and_pause()

    async def step_and_pause(self) -> None:
        passed = await self.step()
        # Under load there is always something new, and a pass asks every bucket: no pass without a pause, unless
        # some bucket has a whole batch more. Who cannot wait for the next one calls `catch_up`.
        if all(
            newest - passed.reached.get(bucket, newest) < BATCH for bucket, newest in passed.newest.items()
        ):
            await asyncio.sleep(PAUSE_SECONDS)

    async def catch_up(self) -> None:
        """Returns when every event that was appended before the call has been processed. Concurrent callers share one
        pass. Raises Unavailable."""
        running = self._catching_up
        if running is not None:
            await asyncio.wait([running])  # it may have read before our caller's event; once more then
        if self._catching_up is None or self._catching_up.done():
            self._catching_up = asyncio.create_task(self._until_done())
        try:
            await asyncio.shield(self._catching_up)
        except Unconfirmed as error:  # a caller reads; whether the pass was saved is not his business
            raise Unavailable(AWAY) from error

    async def _until_done(self) -> None:
        passed = await self.step()
        # Not until nothing is new any more, which under load never comes: only what there was at the beginning counts.
        wanted = passed.newest
        while any(passed.reached.get(bucket, number) < number for bucket, number in wanted.items()):
            passed = await self.step()
