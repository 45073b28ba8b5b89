"""How much may be kept for one player: matches open at a time, matches and imports on one day. Each match is charged
to the player who made it, so nobody can be kept from playing by those who put him into theirs.

What is open is a set for each player, not a number: a match enters it before it is made, and leaves it when the set is
full and is looked through for what is over, or never came to be. So nothing drifts, whoever crashes, and a match that
ends costs nothing.
"""

import asyncio
from collections.abc import Sequence

import msgspec

from ..clock_and_random import World
from ..errors import QuotaExceeded, QuotaName
from ..match.match import Match
from ..redis import keys
from ..redis.connection import Connection
from ..redis.store import Store

# A command that reserved longer ago has been answered or has died.
ORPHAN_MS = 60_000
# Between two looks through the same set that found nothing to take out.
PAUSE_SECONDS = 0.5
PAUSES_MAX = 10_000
DAY_MS = 86_400_000
DAY_KEPT_SECONDS = 2 * 86_400
OPEN = {"lobbies": ("lobby",), "matches": ("lobby", "playing"), "challenges": ("lobby",)}
"""Set → the status of what belongs into it."""


class QuotaSettings(msgspec.Struct, frozen=True):
    """0: any number.

    lobbies_per_player  that have not started, of those that he made
    matches_per_player  lobbies and running matches
    matches_per_day     made by him on one day (UTC), imports included
    imports_per_day     of these
    challenges_per_player  lobbies in which others have given him a seat
    """

    lobbies_per_player: int = 0
    matches_per_player: int = 0
    matches_per_day: int = 0
    imports_per_day: int = 0
    challenges_per_player: int = 0


class _Summary(msgspec.Struct):
    status: str


_summary = msgspec.json.Decoder(_Summary)


class Quotas:
    def __init__(self, connection: Connection, world: World, store: Store, settings: QuotaSettings) -> None:
        self._pipe = connection.pipe
        self._world = world
        self._store = store
        self._settings = settings
        self._paused: dict[str, float] = {}  # key of a set → until when it is not looked through again

    async def check_import(self, player: str) -> None:
        """Before the work of one. Raises QuotaExceeded."""
        most = self._settings.imports_per_day
        if most:
            spent = await self._pipe.call("GET", self._today(player, "imports"))
            self._check_today("imports_per_day", int(spent or 0) + 1, most)

    async def reserve(self, match: Match) -> None:
        """`match` is about to be made. Raises QuotaExceeded."""
        settings, player = self._settings, match.fold.creator.id
        limits = {"lobbies": settings.lobbies_per_player, "matches": settings.matches_per_player}
        sets = [name for name, most in limits.items() if most and match.status in OPEN[name]]
        if sets:
            await self._enter(player, match.id, sets, [limits[name] for name in sets])
        if settings.matches_per_day:
            spent = await self._spend(player, "matches")
            self._check_today("matches_per_day", spent, settings.matches_per_day, player)
        if settings.imports_per_day and match.fold.imported is not None:
            spent = await self._spend(player, "imports")
            self._check_today("imports_per_day", spent, settings.imports_per_day, player)

    async def reserve_challenge(self, player: str, match_id: str) -> None:
        """A match is about to be made that challenges the player. Raises QuotaExceeded."""
        if self._settings.challenges_per_player:
            await self._enter(player, match_id, ["challenges"], [self._settings.challenges_per_player])

    async def release(self, match: Match) -> None:
        """It will not be made."""
        player = match.fold.creator.id
        await self._pipe.many(
            (("ZREM", keys.open_matches(player, name), match.id) for name in OPEN), write=True
        )

    async def _enter(self, player: str, match_id: str, sets: Sequence[str], limits: Sequence[int]) -> None:
        names = [keys.open_matches(player, name) for name in sets]
        while True:
            reply = await self._pipe.script("reserve", names, [match_id, self._world.now_ms(), *limits])
            if reply[0] == b"done":
                return
            which, have = int(reply[1]) - 1, int(reply[2])
            if not await self._look_through(names[which], OPEN[sets[which]]):
                raise _open_too_many(sets[which], have, limits[which], player)

    async def _look_through(self, key: str, statuses: Sequence[str]) -> bool:
        """Removes from a player's set the matches that have left these statuses. True: it removed some."""
        now = asyncio.get_running_loop().time()
        if self._paused.get(key, now) > now:
            return False
        flat = await self._pipe.call("ZRANGE", key, 0, -1, "WITHSCORES")
        reserved = {match.decode(): float(ms) for match, ms in zip(flat[::2], flat[1::2], strict=True)}
        raws = await self._store.summaries(list(reserved))
        orphaned = self._world.now_ms() - ORPHAN_MS
        gone = [
            match
            for (match, ms), raw in zip(reserved.items(), raws, strict=True)
            if (ms < orphaned if raw is None else _summary.decode(raw).status not in statuses)
        ]
        if gone:
            return bool(await self._pipe.call("ZREM", key, *gone, write=True))
        if len(self._paused) >= PAUSES_MAX:
            self._paused.clear()
        self._paused[key] = now + PAUSE_SECONDS
        return False

    def _today(self, player: str, what: str) -> str:
        return keys.spent_today(player, what, self._world.now_ms() // DAY_MS)

    async def _spend(self, player: str, what: str) -> int:
        """How many that makes today."""
        key = self._today(player, what)
        spent, _ = await self._pipe.atomically((("INCR", key), ("EXPIRE", key, DAY_KEPT_SECONDS)))
        return int(spent)

    def _check_today(self, quota: QuotaName, spent: int, most: int, player: str = "") -> None:
        if spent > most:
            wait = (DAY_MS - self._world.now_ms() % DAY_MS) / 1000
            what = "imports" if quota == "imports_per_day" else "new matches"
            detail = f"There have been {most} {what} today, and that is the limit for a day. Come again tomorrow (UTC)."
            raise QuotaExceeded(quota, most, most, detail, player=player, retry_after=wait)


def _open_too_many(what: str, have: int, most: int, player: str) -> QuotaExceeded:
    if what == "challenges":
        return QuotaExceeded(
            "challenges_per_player", have, most, "The player has too many challenges.", player=player
        )
    which = "lobbies open" if what == "lobbies" else "matches that wait or run"
    detail = (
        f"The player who makes this match has {have} {which}, and {most} is the limit. One has to end first."
    )
    quota: QuotaName = "lobbies_per_player" if what == "lobbies" else "matches_per_player"
    return QuotaExceeded(quota, have, most, detail, player=player)
