"""Catching up with the buckets' activity, for those who read what is made of it."""

from __future__ import annotations

import pytest

from warlog_events.errors import Unavailable, Unconfirmed
from warlog_events.redis.activity_reader import ActivityReader, Passed


class Lost(ActivityReader):
    """Its passes lose the connection to Redis while they write."""

    async def step(self) -> Passed:
        raise Unconfirmed()


async def test_who_reads_is_not_told_that_a_pass_is_unconfirmed() -> None:
    """It was no request of his that may have been saved; he can ask again."""
    with pytest.raises(Unavailable):
        await Lost().catch_up()
