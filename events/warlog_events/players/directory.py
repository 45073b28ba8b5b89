"""Players by the beginning of their names.

The index is one sorted set, whose members begin with the name in its compared form. An account enters it right after it
was made. Should the process die in between, nobody has got a token of that account, or the repetition of the call with
its idempotency key enters it.
"""

import base64
import binascii
import unicodedata
from collections.abc import Sequence

from ..errors import BadParameter
from ..match.model import Player
from ..redis import keys
from ..redis.connection import Connection

FORM = b"1"
FILLED_AT_ONCE = 1000
COMPARED_MAX = 40  # characters of a name; one of them may stand for many in the compared form


class Directory:
    def __init__(self, connection: Connection) -> None:
        self._pipe = connection.pipe

    async def enter(self, players: Sequence[Player]) -> None:
        members = (word for player in players for word in (0, _member(player)))
        await self._pipe.call("ZADD", keys.names("index"), *members, write=True)

    async def remove(self, player: Player) -> None:
        await self._pipe.call("ZREM", keys.names("index"), _member(player), write=True)

    async def search(self, beginning: str, after: str | None, limit: int) -> tuple[list[Player], str | None]:
        """By name, whatever the case of its letters; with the cursor of the next page. Raises BadParameter."""
        prefix = _compared(beginning)
        low = b"[" + prefix if after is None else b"(" + _read_cursor(after) + b"\0\xff"
        most = ("LIMIT", 0, limit + 1)
        found = await self._pipe.call("ZRANGEBYLEX", keys.names("index"), low, b"(" + prefix + b"\xff", *most)
        players = [_player(member) for member in found[:limit]]
        return players, _cursor(players[-1]) if len(found) > limit else None

    async def fill(self) -> None:
        """Enters all accounts that were made before there was this index; once for a database."""
        if await self._pipe.call("GET", keys.names("form")) == FORM:
            return
        cursor, prefix = b"0", keys.ledger("account:")
        while True:
            cursor, found = await self._pipe.call(
                "SCAN", cursor, "MATCH", f"{prefix}*", "COUNT", FILLED_AT_ONCE
            )
            await self._enter_accounts([key.decode().removeprefix(prefix) for key in found])
            if cursor == b"0":
                break
        await self._pipe.call("SET", keys.names("form"), FORM, write=True)

    async def rebuild(self) -> None:
        """Forgets everything and makes it again from the accounts."""
        await self._pipe.call("DEL", keys.names("index"), keys.names("form"), write=True)
        await self.fill()

    async def _enter_accounts(self, ids: Sequence[str]) -> None:
        names = await self._pipe.many(("HGET", keys.player(id), "name") for id in ids)
        players = [Player(id, name.decode()) for id, name in zip(ids, names, strict=True) if name]
        if players:
            await self.enter(players)


def _compared(name: str) -> bytes:
    return unicodedata.normalize("NFKC", name).casefold()[:COMPARED_MAX].encode("utf-8", "replace")


def _member(player: Player) -> bytes:
    return b"%b\0%b\0%b" % (_compared(player.name), player.id.encode(), player.name.encode())


def _player(member: bytes) -> Player:
    _, id, name = member.split(b"\0")
    return Player(id.decode(), name.decode())


def _cursor(player: Player) -> str:
    place = b"%b\0%b" % (_compared(player.name), player.id.encode())
    return base64.urlsafe_b64encode(place).decode()


def _read_cursor(cursor: str) -> bytes:
    try:
        place = base64.b64decode(cursor, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        place = b""
    if place.count(b"\0") != 1:
        raise BadParameter("`after` is no cursor of this list.")
    return place
