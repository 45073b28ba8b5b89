"""The worker that makes players flee who are away for too long, in games whose rules have fleeing.

A match in which being away matters is watched from its start on, whether its players have ever been there or not. Time
in which no process served anybody is nobody's absence: after it everybody has his full time again, and while it lasts
nobody is looked for. Nobody flees before his time is over, and mostly within three seconds after.
"""

import asyncio
import logging

from ..clock_and_random import World
from ..errors import TryAgain, UnknownMatch, report
from ..match.decide import act_as_server
from ..match.draft import Draft
from ..match.match import Match
from ..match.model import SERVER
from ..matches import Matches
from ..players.presence import BEAT_SECONDS, SILENCE_MS, sign
from ..redis import keys
from ..redis.connection import Connection

log = logging.getLogger("warlog.absence")

# A match is watched from just before its start is appended; while there is no start, it is looked at now and then.
LOBBY_MS = 15_000
UNKNOWN_MS = 60_000  # after that nobody is about to append the first event of a match any more
PAUSE_SECONDS = 0.5
BATCH = 200
PATIENCE_MS = 60_000  # before a match that could not be looked at is tried again
LATE_MS = int(2 * BEAT_SECONDS * 1000)  # a beat may tell of a call a little late


class Absence:
    """Several may run: a seat that has fled cannot flee again."""

    def __init__(self, connection: Connection, matches: Matches, world: World) -> None:
        self._pipe = connection.pipe
        self._matches = matches
        self._world = world
        self._unknown: dict[str, int] = {}  # matches that are not there → since when

    async def run(self) -> None:
        """For ever; ends only with an error, and may then be started again."""
        while True:
            await self.step()
            await asyncio.sleep(PAUSE_SECONDS)

    async def step(self) -> int:
        """One look at the matches in which somebody's time may be over; gives how many seats have fled by it."""
        count = 0
        while True:
            now = self._world.now_ms()
            watched, (beat, resumed) = await self._pipe.many(
                (
                    ("ZRANGEBYSCORE", keys.presence("watched"), "-inf", now, "LIMIT", 0, BATCH),
                    ("HMGET", keys.presence("service"), "beat", "resumed"),
                )
            )
            if not watched or now - int(beat or 0) > SILENCE_MS:  # nobody could show that he is there
                return count
            for entry in watched:
                count += await self._look(entry.decode(), int(resumed or 0), now)

    async def _look(self, entry: str, resumed: int, now: int) -> int:
        """A player who is away for too long flees. Says when to look again, if ever; gives how many seats fled."""
        match_id = entry.partition(" ")[0]  # 0.1 wrote "<match> <player>"
        fled, again = 0, None
        try:
            match = await self._matches.newest(match_id)
            self._unknown.pop(match_id, None)
            if match.status == "lobby":
                again = now + LOBBY_MS
            dues = await self._dues(match, resumed)
            for seat, due in dues.items():
                if due <= now:
                    fled += await self._flee(match_id, seat, due)
            again = now if fled else min(dues.values(), default=again)
        except UnknownMatch:
            if now - self._unknown.setdefault(match_id, now) < UNKNOWN_MS:
                again = now + LOBBY_MS
            else:
                del self._unknown[match_id]
        except TryAgain:
            raise
        except Exception as error:
            report(log, error, "%s: whether its players are there is not known", match_id)
            again = now + PATIENCE_MS
        if again is None or entry != match_id:
            await self._pipe.call("ZREM", keys.presence("watched"), entry, write=True)
        if again is not None:
            await self._pipe.call("ZADD", keys.presence("watched"), again, match_id, write=True)
        return fled

    async def _dues(self, match: Match, resumed: int) -> dict[str, int]:
        """Each seat that can flee, with the time at which its player has been away for too long if he does not come."""
        seconds, state = match.flee_seconds, match.state
        if seconds is None or state is None:
            return {}
        seats = [seat for seat in match.seats if state.check(SERVER, _flee(seat)) is None]
        if not seats:
            return {}
        seen = await self._pipe.call(
            "ZMSCORE", keys.presence("seen"), *(sign(match.id, match.holders[seat].id) for seat in seats)
        )
        here = max(resumed, match.fold.started_at)
        return {
            seat: max(here, int(last or 0)) + seconds * 1000 + LATE_MS
            for seat, last in zip(seats, seen, strict=True)
        }

    async def _flee(self, match_id: str, seat: str, due: int) -> int:
        """Posts the server's `flee` for the seat if it still can flee. 1 if this call did it, else 0. Nothing is done
        before `due` by Redis's clock."""

        def write_events(draft: Draft) -> None:
            match = draft.match
            if match.flee_seconds is None or match.state is None or self._world.now_ms() < due:
                return
            draft.not_before = due
            if match.state.check(SERVER, _flee(seat)) is None:
                act_as_server(draft, _flee(seat))

        return 0 if await self._matches.execute_as_server(match_id, write_events) is None else 1


def _flee(seat: str) -> dict[str, object]:
    return {"type": "flee", "seat": seat}
