"""A hand that writes events into a store, for tests below the level of a match. As a program: a second process.

    python -m tests.events.hand REDIS_URL MATCH NAME COUNT

says "ready", waits for a line, then appends COUNT events to MATCH, whoever else does, and prints the version of each as
it is acknowledged.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from warlog_events.clock_and_random import World
from warlog_events.errors import VersionConflict
from warlog_events.match.stored import StoredEvent, chain_of
from warlog_events.redis.connection import Connection, open_redis
from warlog_events.redis.idempotency import Idempotency
from warlog_events.redis.store import Append, Store


@asynccontextmanager
async def opened(url: str | None, data: Path | None = None, **settings: Any) -> AsyncIterator[Connection]:
    """`embedded:FOLDER` leads to the embedded server of that folder."""
    scheme, _, folder = (url or "").partition(":")
    if scheme == "embedded":
        url, data = None, Path(folder)
    connection = await open_redis(url, data, **settings)
    try:
        yield connection
    finally:
        await connection.close()


class Hand:
    """Writes one match; `version`, `chain` and `at` are those of the newest event it knows."""

    def __init__(self, store: Store, match: str | None = None, by: str = "pl_hand") -> None:
        self.store = store
        self.match = match or store.new_match_id()
        self.by = by
        self.version, self.chain, self.at = 0, "", 0

    async def look(self) -> None:
        tail = await self.store.tail(self.match)
        self.version, self.chain = tail or (0, "")
        events = await self.store.events(self.match, self.version - 1) if tail else []
        self.at = events[-1].at if events else 0

    def events(self, count: int = 1, **fields: Any) -> list[StoredEvent]:
        """The next `count` events."""
        made: list[StoredEvent] = []
        version, chain, at = self.version, self.chain, self.at
        for _ in range(count):
            version, at = version + 1, fields.get("at", self.store.append_time(at))
            given = {
                "version": version,
                "type": "action_taken",
                "seat": "red",
                "by": self.by,
                "body": b'{"action":{"type":"wait"}}',
                "draws": [],
                "hash": "00000000000000aa",
                **fields,
                "at": at,
            }
            chain = _chain(chain, given)
            made.append(StoredEvent(**given, chain=chain))
        return made

    def append(self, events: list[StoredEvent] | None = None, **fields: Any) -> Append:
        return Append(
            **{
                "match_id": self.match,
                "expected_version": self.version,
                "expected_chain": self.chain,
                "events": events if events is not None else self.events(),
                "summary_start": b'{"game":"hex"',
                "summary_rest": b'"status":"playing"}',
                **fields,
            }
        )

    async def write(self, events: list[StoredEvent] | None = None, **fields: Any) -> StoredEvent:
        """Appends, and goes on from there."""
        append = self.append(events, **fields)
        await self.store.append(append)
        last = append.events[-1]
        self.version, self.chain, self.at = last.version, last.chain, last.at
        return last

    def key(self, key: str, digest: str = "d1", **deadlines: int) -> Idempotency:
        return Idempotency(self.by, key, digest, deadlines)


def _chain(previous: str, given: dict[str, Any]) -> str:
    fields = {**given, "state_hash": given["hash"]}
    del fields["hash"]
    return chain_of(previous, **fields)


def assert_whole(events: list[StoredEvent]) -> None:
    """Numbered from 1 without gaps, linked, never back in time."""
    chain, at = "", 0
    for i, event in enumerate(events):
        given = {name: getattr(event, name) for name in event.__struct_fields__ if name != "chain"}
        chain = _chain(chain, given)
        assert (event.version, event.chain) == (i + 1, chain)
        assert event.at >= at
        at = event.at


async def _main(url: str, match: str, name: str, count: int) -> None:
    async with opened(url) as connection:
        hand = Hand(Store(connection, World.real()), match, name)
        done = 0
        print("ready", flush=True)
        sys.stdin.readline()
        while done < count:
            await hand.look()
            try:
                event = await hand.write()
            except VersionConflict:
                continue
            done += 1
            print(event.version, flush=True)


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
