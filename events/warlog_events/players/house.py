"""The accounts of the house's bots, one for each level, and the secret with which the programs that play for them act.

The tokens of these accounts are made of the secret (`token_of`), so who has the secret has them all. It stands in
Redis, in no log and in no answer.
"""

import base64
import hashlib
import hmac

from ..clock_and_random import World
from ..match.bots import HOUSE, LEVELS, house
from ..redis import keys
from ..redis.connection import Connection
from .accounts import Accounts

SECRET_BYTES = 32


def token_of(secret: str, level: int) -> str:
    """The bearer token of the account that plays this level."""
    digest = hmac.digest(secret.encode(), f"level {level}".encode(), hashlib.sha256)
    return "wl_" + base64.urlsafe_b64encode(digest).decode().rstrip("=")


class House:
    def __init__(self, connection: Connection, world: World, accounts: Accounts) -> None:
        self._pipe = connection.pipe
        self._world = world
        self._accounts = accounts
        self._is_open = False

    async def open(self) -> None:
        """Sees to it that the accounts are there: some round trips, once in a process. Raises Unavailable,
        Unconfirmed."""
        if not self._is_open:
            await self.secret()

    async def secret(self) -> str:
        """That of WARLOG_BOTS_TOKEN; made when it is first asked for, the same for all processes."""
        made = "wlb_" + base64.urlsafe_b64encode(self._world.token_bytes(SECRET_BYTES)).decode().rstrip("=")
        await self._pipe.call("SET", keys.HOUSE, made, "NX", write=True)
        while True:
            secret = await self._kept()
            for level in LEVELS:
                await self._accounts.open_with_token(house(level), token_of(secret, level))
            if await self._kept() == secret:
                self._is_open = True
                return secret
            await self._shut_out()  # `new_secret`, in another process, was faster

    async def new_secret(self) -> str:
        """Another one. The programs that have the old one are shut out at once."""
        await self._pipe.call("DEL", keys.HOUSE, write=True)
        await self._shut_out()
        return await self.secret()

    async def _kept(self) -> str:
        found = await self._pipe.call("GET", keys.HOUSE)
        return "" if found is None else str(found, "ascii")

    async def _shut_out(self) -> None:
        for player in HOUSE:
            await self._accounts.revoke_all(player)
