"""Who is there: a player is at a match while he has a feed of it open, and at every call about it.

It matters in matches whose rules make a player flee who is away for too long (absence.py). Every serving process keeps
in memory who called and whose feeds are open, and tells Redis all of it together, once in a beat of one second: a
request costs no round trip, and a sign of life is known to the second.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable

from ..clock_and_random import World
from ..errors import TryAgain
from ..match.match import Match
from ..redis import keys
from ..redis.connection import Connection
from ..redis.wire import Word

BEAT_SECONDS = 1.0
SILENCE_MS = 6_000  # without a beat of any process, and the service has been away
REMEMBERED_MS = 2 * 3_600_000  # nobody may be away for longer (rule books: at most an hour)
WATCHED_AGAIN_MS = 60_000  # a match with somebody there is watched by then, should Redis have lost that
SIGNS_PER_CALL = 1_000


def sign(match_id: str, player: str) -> str:
    """A player at a match, as Redis knows it."""
    return f"{match_id} {player}"


class Presence:
    """One of every serving process; `run` tells the others."""

    def __init__(self, connection: Connection, world: World) -> None:
        self._pipe = connection.pipe
        self._world = world
        self._called: set[str] = set()
        self._open: Counter[str] = Counter()  # feeds

    def note_call(self, match: Match, player: str) -> None:
        """The player has asked something of the match, and so is present."""
        if match.terms.flee_seconds is not None and match.status == "playing" and match.seats_of(player):
            self._called.add(sign(match.id, player))

    def enter(self, match: Match, player: str) -> str | None:
        """A feed of the match is open, perhaps since before its start. Gives what `leave` asks for; None where being
        there is no matter, as the match is now."""
        if match.terms.flee_seconds is None or match.status not in ("lobby", "playing"):
            return None
        if not match.seats_of(player):
            return None
        entered = sign(match.id, player)
        self._open[entered] += 1
        return entered

    def leave(self, entered: str) -> None:
        """The feed is open no more; this moment counts."""
        self._called.add(entered)
        self._open[entered] -= 1
        if not self._open[entered]:
            del self._open[entered]

    async def watch(self, match: Match) -> None:
        """The match is about to start: from then on the absence of its players counts.

        To be called before the start is appended, so that no match can start without it."""
        due = self._world.now_ms() + 1000 * (match.flee_seconds or 0)
        await self._pipe.call("ZADD", keys.presence("watched"), "LT", due, match.id, write=True)

    async def run(self) -> None:
        """For ever; ends only with an error, and may then be started again."""
        while True:
            await self.beat()
            await asyncio.sleep(BEAT_SECONDS)

    async def beat(self) -> None:
        # Signs of life that arrive during a report, and those of a failed report, go into the next one.
        here = [*(self._called | self._open.keys())]
        self._called.clear()
        try:
            for start in range(0, len(here) + 1, SIGNS_PER_CALL):
                await self._tell(here[start : start + SIGNS_PER_CALL])
        except TryAgain:
            self._called.update(here)
            raise

    async def _tell(self, signs: Iterable[str]) -> None:
        now: Word = self._world.now_ms() if self._world.is_fixed else ""
        await self._pipe.script(
            "beat",
            [keys.presence("seen"), keys.presence("service"), keys.presence("watched")],
            [now, SILENCE_MS, REMEMBERED_MS, WATCHED_AGAIN_MS, *signs],
        )
