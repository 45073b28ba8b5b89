"""Reads the notices in the buckets' activity, many times a second: a pass that finds nothing costs little."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from . import keys
from .connection import Connection
from .scripts import Prepared
from .store import BUCKETS_PER_CALL


class NewNotices(NamedTuple):
    """What is new in one bucket.

    rows     (match, version, notices) of each append that has some, in order (match/notices.py)
    reached  number of the last append that was looked at
    more     there may be more
    lost     appends between are gone, or Redis has lost its end: the bucket is at `reached` now, and there are no rows
    """

    bucket: int
    rows: list[tuple[str, int, bytes]]
    reached: int
    more: bool
    lost: bool


@lru_cache(maxsize=1024)
def _notices_in(buckets: tuple[int, ...]) -> Prepared:
    return Prepared("notices", [keys.activity(bucket) for bucket in buckets])


class NoticesReader:
    def __init__(self, connection: Connection) -> None:
        self._pipe = connection.pipe
        size = 1 if connection.is_cluster else BUCKETS_PER_CALL
        buckets = (*range(connection.buckets),)
        self._groups = [buckets[start : start + size] for start in range(0, len(buckets), size)]

    async def read(self, after: Mapping[int, int], limit: int, *, check: bool) -> list[NewNotices]:
        """Of the first `limit` appends after that number, for the buckets that can be reached and have any. `check`:
        finds also buckets that have lost their newest entries. Raises Unavailable."""
        found: list[NewNotices] = []
        begin = b"%d" % limit, b"%d" % check
        calls = [
            (_notices_in(buckets), (*begin, *(b"%d" % after[bucket] for bucket in buckets)))
            for buckets in self._groups
        ]
        for buckets, reply in zip(self._groups, await self._pipe.reachable(calls), strict=True):
            for index, lost, reached, more, *flat in reply or ():
                rows = [
                    (match_id.decode(), int(version), notices)
                    for match_id, version, notices in zip(flat[::3], flat[1::3], flat[2::3], strict=True)
                ]
                found.append(NewNotices(buckets[index - 1], rows, reached, bool(more), bool(lost)))
        return found
