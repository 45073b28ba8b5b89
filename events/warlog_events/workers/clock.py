"""The clock worker: a seat that lets its deadline pass is timed out. Several may run; each deadline fires once.

While seats set up, several may be late at the same time: they are taken in seat order, each by an event of its own.
Before the start only challenges have deadlines: they lapse, all of a match together.

Whether a deadline has passed is for Redis's clock to say, when the event is appended: ours may be ahead of it.

Exactly once follows from the match itself: a time-out is an event like any other, appended only while the
deadline that was seen is still the seat's, and only on the version on which that was checked.
"""

import asyncio
import logging

from ..clock_and_random import World
from ..errors import TryAgain, report
from ..match.decide import act_as_server, end_setup, lapse, wait_for
from ..match.draft import Draft
from ..matches import Matches
from ..redis.store import Store

log = logging.getLogger("warlog.clock")

PAUSE_SECONDS = 0.2
BATCH = 100
PATIENCE_MS = 60_000  # before a deadline that could not be executed is tried again


class Clock:
    def __init__(self, store: Store, matches: Matches, world: World) -> None:
        self._store = store
        self._matches = matches
        self._world = world
        self._failed: dict[tuple[str, str, int], int] = {}  # → when to try again
        self.overdue = 0  # deadlines that had passed at the last look and are still there

    async def run(self) -> None:
        """For ever; ends only with Unavailable, and may then be started again."""
        try:
            while True:
                if await self.step() == 0:
                    await asyncio.sleep(PAUSE_SECONDS)
        finally:
            self.overdue = 0  # another process's from now on

    async def step(self) -> int:
        """One look at every bucket; gives the number of seats that were timed out here."""
        now = self._world.now_ms()
        self._failed = {entry: at for entry, at in self._failed.items() if at > now}
        count = 0
        # What failed is still there, and must not crowd out what comes after it.
        due = await self._store.due(now, BATCH + len(self._failed))
        for match, seat, deadline in due:
            if (match, seat, deadline) in self._failed:
                continue
            try:
                count += await self.time_out(match, seat, deadline)
            except TryAgain:
                raise
            except Exception as error:
                report(log, error, "%s: the time-out of %s failed", match, seat)
                self._failed[match, seat, deadline] = now + PATIENCE_MS
        self.overdue = len(due) - count
        return count

    async def time_out(self, match_id: str, seat: str, deadline: int) -> bool:
        """Does what follows from it, if `deadline` is still that seat's and has passed. True if this call did it."""

        def write_events(draft: Draft) -> None:
            match, now = draft.match, self._world.now_ms()
            if not match.deadlines.get(seat) == deadline < now:
                return
            wait_for(draft, deadline)
            if match.status == "lobby":
                lapse(draft)
            elif match.state is not None and match.terms.setup_phase(match.state):
                end_setup(draft, now)
            else:
                act_as_server(draft, {"type": "timeout", "seat": seat})

        match = await self._matches.execute_as_server(match_id, write_events)
        if match is None:
            return False
        self._matches.counts.lateness.add((match.fold.updated_at - deadline) / 1000)
        return True
