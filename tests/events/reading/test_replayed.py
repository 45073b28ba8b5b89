"""A match is replayed in runs only if its events are what the rules make of it."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from tests.events.standing.desk import Desk
from tests.events.table import table_at
from tests.servers import AnyRedis
from warlog_events.errors import IntegrityError
from warlog_events.match.stored import StoredEvent
from warlog_events.reading.replayed import replay_runs
from warlog_events.statistics import Counts

NONE: dict[int, int] = {}


async def test_another_state_than_recorded_is_found_with_its_event(own_redis: AnyRedis) -> None:
    async with table_at(own_redis.url) as table:
        match = await Desk(table).duel(random.Random(4), actions=30)
        stored = await table.matches.past.stored(match, 0, match.version)

        def first_bad(events: list[StoredEvent]) -> int | None:
            with pytest.raises(IntegrityError) as found:
                list(replay_runs(match, events, NONE, 8, Counts()))
            return found.value.first_bad

        assert len(list(replay_runs(match, stored, NONE, 8, Counts()))) == 2
        start = match.started_at_version
        wrong = "0123456789abcdef"
        for version, hash_ in ((1, wrong), (start, wrong), (start, ""), (start + 9, wrong), (start + 9, "")):
            events = list(stored)
            events[version - 1] = replace(events[version - 1], hash=hash_)
            assert first_bad(events) == version
        proposed = replace(
            stored[start], type="proposal_rejected", body=b'{"proposal": 1, "player": {"id": "pl_ada"}}'
        )
        assert (
            first_bad([*stored[:start], replace(proposed, hash=wrong), *stored[start:]]) == proposed.version
        )
        assert first_bad([*stored[: start - 1], *stored[start:]]) == start + 1  # an action before the start
        for body in (b'{"action": {"type": "tea"}}', b'{"action": {"type": "move"}}'):
            events = list(stored)
            events[start + 4] = replace(events[start + 4], body=body)
            assert first_bad(events) == start + 5
        events = list(stored)
        events[start + 4] = replace(events[start + 4], seat="nobody")
        assert first_bad(events) == start + 5
