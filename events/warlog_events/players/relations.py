"""Whom a player follows, and whom he has blocked. Both are his alone to see; nobody is told.

A blocked player cannot challenge the player who blocked him, takes no seat in a lobby in which that one is, is not
paired with him, and does not see whether he is here.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from ..clock_and_random import World
from ..errors import BadParameter, QuotaExceeded, QuotaName
from ..match.match import rfc3339
from ..match.model import Player
from ..redis import keys
from ..redis.connection import Connection
from .accounts import Accounts

How = Literal["following", "blocked"]

_QUOTAS: Mapping[How, QuotaName] = {"following": "following_per_player", "blocked": "blocked_per_player"}
_DONE = {"following": "follow", "blocked": "have blocked"}


class Related(msgspec.Struct, frozen=True):
    player: Player
    since: str


class Relations:
    """Of one player two hashes: the id of another player → since when."""

    def __init__(
        self,
        connection: Connection,
        world: World,
        accounts: Accounts,
        *,
        following_per_player: int = 0,
        blocked_per_player: int = 0,
    ) -> None:
        """0: any number."""
        self._limits: Mapping[How, int] = {
            "following": following_per_player,
            "blocked": blocked_per_player,
        }
        self._pipe = connection.pipe
        self._world = world
        self._accounts = accounts

    async def add(self, how: How, player: str, other: str) -> Related:
        """However often. Who blocks somebody no longer follows him.

        Raises UnknownPlayer, BadParameter, QuotaExceeded."""
        if player == other:
            raise BadParameter("This is you: give the id of another player.")
        found, key = await self._accounts.named(other), keys.related(player, how)
        since = await self._pipe.call("HGET", key, other)
        if since is None:
            self._pipe.check_growth(key)
            since, most = self._world.now_ms(), self._limits[how]
            have = await self._pipe.script("keep", [key], (other, since, most, ""))
            if have != -1:
                detail = (
                    f"You {_DONE[how]} {have} players, and {most} is the limit. Take one off the list first."
                )
                raise QuotaExceeded(_QUOTAS[how], have, most, detail)
        if how == "blocked":
            await self.remove("following", player, other)
        return Related(found, rfc3339(int(since)))

    async def remove(self, how: How, player: str, other: str) -> None:
        """However often, also a player whose account is gone."""
        await self._pipe.call("HDEL", keys.related(player, how), other, write=True)

    async def page(
        self, how: How, player: str, after: str | None, limit: int
    ) -> tuple[list[Related], str | None]:
        """The newest first; with the cursor of the next page."""
        flat = await self._pipe.call("HGETALL", keys.related(player, how))
        since = {other.decode(): int(ms) for other, ms in zip(flat[::2], flat[1::2], strict=True)}
        cursors = {f"{ms:013d}:{other}": other for other, ms in since.items()}
        listed = sorted((one for one in cursors if after is None or one < after), reverse=True)
        page = [cursors[cursor] for cursor in listed[:limit]]
        names = await self._accounts.names(page)
        found = [
            Related(Player(other, name), rfc3339(since[other]))
            for other, name in zip(page, names, strict=True)
            if name  # else the account is gone
        ]
        return found, listed[limit - 1] if len(listed) > limit else None

    async def blocked(self, player: str) -> list[str]:
        """The ids of those whom he has blocked."""
        return [other.decode() for other in await self._pipe.call("HKEYS", keys.related(player, "blocked"))]

    async def blocked_by(self, player: str, others: Sequence[str]) -> set[str]:
        """Those of the others who have blocked him."""
        asked = (("HEXISTS", keys.related(other, "blocked"), player) for other in others)
        return {
            other
            for other, is_blocked in zip(others, await self._pipe.many(asked), strict=True)
            if is_blocked
        }
