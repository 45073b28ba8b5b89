"""Idempotency keys of requests that make something new: a player, a match, an entry for pairing.

A command's record stands with its match (idempotency.py). What is still to be made has no such place, and making it may
take several steps. So the key is claimed first. A claim is a random seed, and the ids of the new thing are derived from
it. A repetition finds the claim and makes the same thing, or finds that it is there; each id can be used only once. So
it does not matter at which step a process dies, or how many requests with one key run at the same time.

Secrets that an answer tells (a token, invitations) are derived from the seed and the key together. The key is stored
nowhere, so who reads the database cannot derive them; after the claim has expired nobody can.

A request that is refused gives its claim back, so the key may be used for another one. A claim that was given back by
one request stays if an equal one is under way, or has made something: it counts its users.
"""

import asyncio
import hashlib
import hmac
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar
from weakref import WeakValueDictionary

import msgspec

from ..clock_and_random import World, id_of
from ..errors import IdempotencyKeyReused, TryAgain, WarlogError
from . import keys
from .connection import Connection
from .idempotency import TTL_SECONDS

T = TypeVar("T")

SEED_BYTES = 16
DIGEST_BYTES = 16
# Counted from the latest request with the key. At least as long as a match keeps the record of its creation.
CLAIM_SECONDS = 2 * TTL_SECONDS


class Claim(msgspec.Struct, frozen=True):
    """known   an equal request came before this one
    answer  that was kept by `Claims.answered`; b"" for none
    """

    name: str
    key: str
    seed: bytes
    known: bool = False
    answer: bytes = b""

    def id(self, prefix: str) -> str:
        """As `World.new_id`; the same for each request with this claim."""
        return id_of(prefix, hashlib.sha256(b"id\0%b\0%b" % (prefix.encode(), self.seed)).digest())

    def secret(self, what: str, count: int) -> bytes:
        """At most 32 bytes, the same for each request with this claim."""
        told = b"secret\0%b\0%b" % (what.encode(), self.seed)
        return hmac.digest(self.key.encode(), told, "sha256")[:count]


class Outlived(Exception):
    """What was made under a claim is there, but its record has expired: the key may be used for something new."""


class Claims:
    def __init__(self, connection: Connection, world: World) -> None:
        self._pipe = connection.pipe
        self._world = world
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def once(self, who: str, key: str, digest: str, make: Callable[[Claim], Awaitable[T]]) -> T:
        """What `make` returns. It is called with the claim on the key, and must make the same with each equal one.

        who     the player's id, or the address of somebody who has none
        digest  of the request: any text

        Raises what `make` raises, but not Outlived; IdempotencyKeyReused; DiskFull, Unavailable, Unconfirmed."""
        name = keys.claim(who, key)
        self._pipe.check_growth(name)
        # Only a courtesy to quotas, which count each attempt: requests in other processes are not held up.
        turn = self._turns.setdefault(name, asyncio.Lock())
        async with turn:
            while True:
                claim = await self._claim(name, key, digest)
                try:
                    return await make(claim)
                except Outlived:
                    await self._unclaim(claim, whoever_uses_it=True)
                except TryAgain:  # perhaps it has been made
                    raise
                except WarlogError:
                    with suppress(TryAgain):
                        await self._unclaim(claim)
                    raise

    async def answered(self, claim: Claim, answer: bytes) -> bytes:
        """Keeps the answer for later requests with this claim; gives that which was kept first."""
        commands = (("HSETNX", claim.name, "answer", answer), ("HGET", claim.name, "answer"))
        _, kept = await self._pipe.atomically(commands)
        return bytes(kept)

    async def _claim(self, name: str, key: str, digest: str) -> Claim:
        arguments = (
            self._world.token_bytes(SEED_BYTES),
            hashlib.sha256(digest.encode()).digest()[:DIGEST_BYTES],
            CLAIM_SECONDS,
        )
        match await self._pipe.script("claim", [name], arguments):
            case [b"new", seed]:
                return Claim(name, key, seed)
            case [b"known", seed, answer]:
                return Claim(name, key, seed, known=True, answer=answer)
            case _:
                raise IdempotencyKeyReused()

    async def _unclaim(self, claim: Claim, *, whoever_uses_it: bool = False) -> None:
        await self._pipe.script("unclaim", [claim.name], (claim.seed, int(whoever_uses_it)))
