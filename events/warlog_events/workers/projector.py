"""Reads the buckets' activity and keeps the lobby's projection up to it. Several may run: none does another's
work twice to any effect, because the checkpoint is compared and moved together with what is written."""

from collections.abc import Iterable
from typing import Any

import msgspec

from ..match.lobby_entry import entry_of
from ..redis import keys
from ..redis.activity_reader import BATCH, ActivityReader, Passed
from ..redis.connection import Connection
from ..redis.store import Store

FORM = 2  # of what is projected: another build's is made again

_summary = msgspec.json.Decoder(dict[str, Any])


class Projector(ActivityReader):
    def __init__(self, connection: Connection, store: Store) -> None:
        super().__init__()
        self._pipe = connection.pipe
        self._store = store

    async def step(self) -> Passed:
        form, checkpoints = await self._checkpoints()
        if form < FORM:
            return Passed(await self.rebuild(), {}, {})
        if form > FORM:
            return Passed(0, {}, {})  # kept by a newer build, during a roll-out
        reached = checkpoints.copy()
        found = await self._store.activity(checkpoints, BATCH)
        count = 0
        for bucket, activities in found.items():
            if activities.lost:
                await self._rebuild_bucket(bucket)
                reached[bucket] = activities.reached
            elif activities.entries:
                before, after = checkpoints[bucket], activities.reached
                rows = ((e.match_id, e.version, e.lobby_entry) for e in activities.entries if e.lobby_entry)
                if await self._write(bucket, before, after, rows):
                    count += after - before
                    reached[bucket] = after
        return Passed(count, reached, {bucket: activities.newest for bucket, activities in found.items()})

    async def rebuild(self) -> int:
        """Forgets everything and makes it again from the matches' summaries; gives their number."""
        cursor = b"0"
        while True:
            cursor, names = await self._pipe.call("SCAN", cursor, "MATCH", keys.lobby("*"), "COUNT", 1000)
            if names:
                await self._pipe.call("DEL", *names, write=True)
            if cursor == b"0":
                break
        count = sum([await self._rebuild_bucket(bucket) for bucket in range(self._store.buckets)])
        await self._pipe.call("HSET", keys.lobby("checkpoint"), "form", FORM, write=True)
        return count

    async def _rebuild_bucket(self, bucket: int) -> int:
        """What is appended meanwhile stands in the activity after the number that is read first."""
        newest = (await self._store.activity({bucket: 0}, 1))[bucket].newest
        count = 0
        async for matches in self._store.matches(bucket):
            count += await self._write_summaries(bucket, newest, matches)
        return count

    async def _write_summaries(self, bucket: int, newest: int, matches: list[str]) -> int:
        summaries = [_summary.decode(raw) for raw in await self._store.summaries(matches) if raw is not None]
        rows = [(s["id"], s["version"], msgspec.json.encode(entry_of(s))) for s in summaries]
        if newest or rows:  # a bucket in which nothing has ever been has no checkpoint
            await self._write(bucket, None, newest, rows)
        return len(rows)

    async def _write(
        self, bucket: int, before: int | None, after: int, rows: Iterable[tuple[str, int, bytes]]
    ) -> bool:
        arguments: list[str | int | bytes] = [keys.lobby(""), bucket, "" if before is None else before, after]
        for row in rows:
            arguments += row
        return bool(await self._pipe.script("project", [keys.lobby("checkpoint")], arguments))

    async def _checkpoints(self) -> tuple[int, dict[int, int]]:
        """The form in which everything is, and how far each bucket has been read."""
        flat = await self._pipe.call("HGETALL", keys.lobby("checkpoint"))
        stored = {name.decode(): int(number) for name, number in zip(flat[::2], flat[1::2], strict=True)}
        buckets = {bucket: stored.get(str(bucket), 0) for bucket in range(self._store.buckets)}
        return stored.get("form", 0), buckets
