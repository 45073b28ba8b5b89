"""Events in Redis: appended by one script that checks everything first, read back in order.

An append either did all of what `lua/append.lua` lists or nothing. Whatever is read here can be trusted to have been
written here as long as the chain holds; `verify` is who checks that.
"""

import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence

import msgspec

from .connect import Connection
from .errors import Repeated as Repeated
from .world import World


class StoredEvent(msgspec.Struct, frozen=True):
    """One stream entry; the id is `<version>-0`.

    seat    "" where no seat acted
    by      player id or "server"
    at      ms since 1970, Redis's clock; never before the event before it
    body    JSON object, by type (model.py)
    draws   None where the type has no draws at all
    chain   `chain_of` the entry before and this one
    hash    the core state's hash after the event; "" before the start
    """

    version: int
    type: str
    seat: str
    by: str
    at: int
    body: bytes
    draws: list[int] | None
    chain: str
    hash: str


class Idempotency(msgspec.Struct, frozen=True):
    """`digest` is of the request's body; `answer` is what a repeat will get, byte for byte, for `ttl_s` seconds."""

    player: str
    key: str
    digest: str
    answer: bytes
    ttl_s: int = 86_400


class Append(msgspec.Struct, frozen=True, kw_only=True):
    """One atomic addition to one match.

    expected_version, expected_chain   the tail that the events were made for; 0 and "" to create the match
    summary        the match's summary JSON after the events
    index          small JSON for the projector
    secrets        seed commitment → seed in hex, new ones only
    deadlines      after the events, every seat's that has one, in ms; None leaves them as they are
    acting_seat    TooLate is raised if this seat's stored deadline has passed
    """

    match: str
    expected_version: int
    expected_chain: str
    events: Sequence[StoredEvent]
    summary: bytes
    index: bytes = b"{}"
    secrets: Mapping[str, str] = {}
    idempotency: Idempotency | None = None
    deadlines: Mapping[str, int] | None = None
    acting_seat: str | None = None


class Activity(msgspec.Struct, frozen=True):
    """One append, as the projector reads it. `number` counts the bucket's appends from 1 without gaps."""

    number: int
    match: str
    version: int
    index: bytes


def chain_of(
    previous: str,
    version: int,
    type: str,  # noqa: A002 - the field's name
    seat: str,
    by: str,
    at: int,
    body: bytes,
    draws: Sequence[int] | None,
    state_hash: str,
) -> str:
    """The chain of an entry after one whose chain is `previous` ("" for the first): 32 hexadecimal digits.

    SHA-256 over every field, each preceded by its length in 8 bytes, so that no two different entries
    are the same bytes."""
    raise NotImplementedError


class Store:
    def __init__(self, connection: Connection, world: World) -> None: ...

    def at(self, after: int = 0) -> int:
        """When an event that is appended now happens: ms, Redis's clock, not before `after` (the tail's `at`)."""
        raise NotImplementedError

    def new_match_id(self) -> str:
        raise NotImplementedError

    async def append(self, append: Append) -> None:
        """Raises VersionConflict (with the version), TooLate, Repeated (with the answer), IdempotencyKeyReused, IntegrityError
        (forked, with a gap, or frozen), ClockSkew (make the events again with a new `at`), Unavailable, Unconfirmed."""
        raise NotImplementedError

    async def repeated(self, match: str, player: str, key: str) -> tuple[str, bytes] | None:
        """(digest of the body, answer) of the command that used this key before."""
        raise NotImplementedError

    async def tail(self, match: str) -> tuple[int, str] | None:
        """(version, chain) of the newest event; None where there is no such match."""
        raise NotImplementedError

    async def events(self, match: str, after: int = 0, limit: int = 1000) -> list[StoredEvent]:
        raise NotImplementedError

    async def summary(self, match: str) -> bytes | None:
        raise NotImplementedError

    async def summaries(self, matches: Sequence[str]) -> list[bytes | None]:
        raise NotImplementedError

    async def secrets(self, match: str) -> dict[str, str]:
        raise NotImplementedError

    async def events_and_snapshot(
        self, match: str, after: int = 0, limit: int = 1000
    ) -> tuple[bytes | None, list[StoredEvent]]:
        """The snapshot and the events after `after`, in one round trip."""
        raise NotImplementedError

    async def snapshot(self, match: str) -> bytes | None:
        raise NotImplementedError

    async def put_snapshot(self, match: str, snapshot: bytes) -> None:
        raise NotImplementedError

    async def delete_snapshot(self, match: str) -> None:
        raise NotImplementedError

    async def due(self, now_ms: int, limit: int = 100) -> list[tuple[str, str, int]]:
        """(match, seat, deadline) of at most `limit` passed deadlines per bucket, the oldest first."""
        raise NotImplementedError

    async def activity(self, after: Mapping[int, int], limit: int = 100) -> dict[int, list[Activity]]:
        """Per bucket of `after`, what comes after that number. One round trip for all buckets.

        A first entry that is not `after + 1`, or a tail below it, means that entries were lost: rebuild that bucket."""
        raise NotImplementedError

    def matches(self, bucket: int) -> AsyncIterator[str]:
        """Every match of the bucket, in no order, some perhaps twice; for a rebuild."""
        raise NotImplementedError

    async def freeze(self, match: str, reason: str) -> None:
        """From now on every append to the match is an IntegrityError; reading goes on."""
        raise NotImplementedError

    async def frozen(self, match: str) -> str | None:
        raise NotImplementedError
