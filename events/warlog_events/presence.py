"""Who is here: a player is while he has a feed open, and at every call. Whoever is away for too long flees.

Every serving process keeps in memory who called and whose feeds are open, and tells Redis together, once in a beat:
a request costs no round trip. From a player's first feed of a match on in which being away matters, that match and
player are watched; one worker looks at those whose time could be over. Time in which no process served anybody is
nobody's absence: after it everybody has his full time again. Nobody flees before his time is over, and mostly within
three seconds after.
"""

import asyncio
import logging
from collections import Counter

from . import keys
from .connect import Connection
from .decide import act_as_server
from .draft import Draft
from .errors import TryAgain, UnknownMatch, report
from .head import Match
from .match import Matches
from .model import SERVER
from .pipe import Word
from .world import World

log = logging.getLogger("warlog.presence")

BEAT_SECONDS = 1.0
SILENCE_MS = 6_000  # without a beat of any process, and the service has been away
REMEMBERED_MS = 2 * 3_600_000  # nobody may be away for longer (rule books: at most an hour)
PLAYERS_PER_CALL = 1_000
# A feed of a lobby is looked at now and then: its match may start when nobody follows it any more.
LOBBY_MS = 15_000
PAUSE_SECONDS = 0.5
BATCH = 200
PATIENCE_MS = 60_000  # before a match that could not be looked at is tried again


class Presence:
    """One of every serving process; `run` tells the others."""

    def __init__(self, connection: Connection, world: World) -> None:
        self._pipe = connection.pipe
        self._world = world
        self._called: set[str] = set()
        self._open: Counter[str] = Counter()  # feeds by player
        self.called = self._called.add  # at every call of a player: no more than that

    def enter(self, player: str) -> None:
        """A feed of the player's is open."""
        self._open[player] += 1

    def leave(self, player: str) -> None:
        """It is no more; this moment counts."""
        self._called.add(player)
        self._open[player] -= 1
        if not self._open[player]:
            del self._open[player]

    async def watch(self, match: Match, player: str) -> None:
        """From now on the player's absence from this match counts, if the match is one in which it matters."""
        if match.settings.flee_seconds is None or match.status not in ("lobby", "playing"):
            return
        if match.seats_of(player):
            now = self._world.now_ms()
            await self._pipe.call(
                "ZADD", keys.presence("watched"), "NX", now, f"{match.id} {player}", write=True
            )

    async def run(self) -> None:
        """For ever; ends only with an error, and may then be started again."""
        while True:
            await self.beat()
            await asyncio.sleep(BEAT_SECONDS)

    async def beat(self) -> None:
        # What comes while Redis is told waits for the next beat; what it could not be told, too.
        here = [*(self._called | self._open.keys())]
        self._called.clear()
        now: Word = self._world.now_ms() if self._world.is_fixed else ""
        try:
            for start in range(0, len(here) + 1, PLAYERS_PER_CALL):
                players = here[start : start + PLAYERS_PER_CALL]
                await self._pipe.script(
                    "beat",
                    [keys.presence("seen"), keys.presence("service")],
                    [now, SILENCE_MS, REMEMBERED_MS, *players],
                )
        except TryAgain:
            self._called.update(here)
            raise


class Absence:
    """The worker that looks for those who are gone. Several may run: a seat that has fled cannot flee again."""

    def __init__(self, connection: Connection, matches: Matches, world: World) -> None:
        self._pipe = connection.pipe
        self._matches = matches
        self._world = world

    async def run(self) -> None:
        """For ever; ends only with an error, and may then be started again."""
        while True:
            await self.step()
            await asyncio.sleep(PAUSE_SECONDS)

    async def step(self) -> int:
        """One look at those whose time may be over; gives how many seats have fled by it."""
        count = 0
        while True:
            now = self._world.now_ms()
            watched = await self._pipe.call(
                "ZRANGEBYSCORE", keys.presence("watched"), "-inf", now, "LIMIT", 0, BATCH
            )
            if not watched:
                return count
            players = [entry.decode().partition(" ")[2] for entry in watched]
            seen, resumed = await self._pipe.many(
                (
                    ("ZMSCORE", keys.presence("seen"), *players),
                    ("HGET", keys.presence("service"), "resumed"),
                )
            )
            for entry, last in zip(watched, seen, strict=True):
                match, _, player = entry.decode().partition(" ")
                here_at = max(int(last or 0), int(resumed or 0))
                count += await self._look(match, player, here_at, now)

    async def _look(self, match_id: str, player: str, here_at: int, now: int) -> int:
        """Flees, or says when to look again, or never."""
        fled = 0
        try:
            match = await self._matches.head(match_id)
            due = _due(match, player, here_at, now)
            if due is not None and due <= now:
                fled = await self._flee(match_id, player)
                due = None
        except UnknownMatch:
            due = None
        except TryAgain:
            raise
        except Exception as error:
            report(log, error, "%s: whether %s is there is not known", match_id, player)
            due = now + PATIENCE_MS
        entry = f"{match_id} {player}"
        if due is None:
            await self._pipe.call("ZREM", keys.presence("watched"), entry, write=True)
        else:
            await self._pipe.call("ZADD", keys.presence("watched"), "XX", due, entry, write=True)
        return fled

    async def _flee(self, match_id: str, player: str) -> int:
        """Posts the server's `flee` for every seat of the player's that is still in a running match in which being away
        matters; gives for how many."""

        def decide(draft: Draft) -> None:
            match = draft.match
            if match.flee_seconds is None or match.state is None:
                return
            for seat in match.seats_of(player):
                flee: dict[str, object] = {"type": "flee", "seat": seat}
                if match.state.check(SERVER, flee) is None:
                    act_as_server(draft, flee)
                    return

        count = 0
        while await self._matches.execute_as_server(match_id, decide) is not None:
            count += 1
        return count


def _due(match: Match, player: str, here_at: int, now: int) -> int | None:
    """When the player has been away for too long if he does not come back; None where that matters no more.

    A beat may tell of him a little late, hence the two beats more."""
    if match.settings.flee_seconds is None or not match.seats_of(player):
        return None
    if match.status == "lobby":
        return now + LOBBY_MS
    seconds = match.flee_seconds
    if seconds is None:
        return None
    late = int(2 * BEAT_SECONDS * 1000)
    return max(here_at, match.fold.started_at) + seconds * 1000 + late
