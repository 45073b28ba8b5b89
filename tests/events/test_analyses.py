"""The queue of analyses: who asks waits for a program, whichever takes it and whatever becomes of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.events.table import Table, table_at
from tests.servers import AnyRedis
from warlog_events.analyses import WAITING_MAX, Analyses, Taken
from warlog_events.errors import TooManyRequests, Unavailable
from warlog_events.redis import keys

SILENT_MS = 300


@pytest_asyncio.fixture
async def table(own_redis: AnyRedis) -> AsyncIterator[Table]:
    async with table_at(own_redis.url) as table:
        yield table


@pytest.fixture
def analyses(table: Table) -> Analyses:
    return Analyses(table.connection, table.world, silent_ms=SILENT_MS)


async def taken(analyses: Analyses) -> Taken:
    found = await analyses.take(20)
    assert found is not None
    return found


async def test_a_question_is_answered_by_the_program_that_takes_it(table: Table, analyses: Analyses) -> None:
    elsewhere = Analyses(table.connection, table.world)  # as another process has it
    asked = asyncio.create_task(analyses.ask("ada", b"what?"))
    task = await taken(elsewhere)
    assert (task.number, task.question) == (1, b"what?")
    assert await elsewhere.take(0) is None
    assert await elsewhere.beat(task.id, 1)
    assert await elsewhere.answer(task.id, 1, b"that")
    assert await asked == b"that"
    assert not await elsewhere.beat(task.id, 1)
    assert await table.connection.pipe.call("EXISTS", keys.analyses(f"asked:{task.id}")) == 0


async def test_who_has_waited_longest_is_first(analyses: Analyses) -> None:
    asked = []
    for number in range(3):
        asked.append(asyncio.create_task(analyses.ask(f"player {number}", b"%d" % number)))
        await asyncio.sleep(0.05)
    assert [(await taken(analyses)).question for _ in asked] == [b"0", b"1", b"2"]
    for one in asked:
        one.cancel()


async def test_one_question_of_each_and_not_too_many_of_all(analyses: Analyses) -> None:
    asked = [asyncio.create_task(analyses.ask(f"player {n}", b"?")) for n in range(WAITING_MAX)]
    await asyncio.sleep(0.2)
    with pytest.raises(TooManyRequests) as refused:
        await analyses.ask("player 0", b"?")
    assert refused.value.limit == "analyses_per_caller"
    with pytest.raises(Unavailable, match="waiting"):
        await analyses.ask("one more", b"?")
    for one in asked:
        one.cancel()
    await asyncio.gather(*asked, return_exceptions=True)
    assert await analyses.take(0) is None
    again = asyncio.create_task(analyses.ask("player 0", b"?"))
    await taken(analyses)
    again.cancel()


async def test_a_program_that_falls_silent_is_followed_by_one_more(analyses: Analyses) -> None:
    asked = asyncio.create_task(analyses.ask("ada", b"?"))
    first = await taken(analyses)
    second = await taken(analyses)
    assert (second.id, second.number) == (first.id, 2)
    assert not await analyses.answer(first.id, 1, b"late")
    assert await analyses.answer(second.id, 2, b"in time")
    assert await asked == b"in time"

    asked = asyncio.create_task(analyses.ask("ada", b"?"))
    await taken(analyses)
    await taken(analyses)
    with pytest.raises(Unavailable, match="twice"):
        await asked
    assert await analyses.take(0) is None


async def test_a_program_that_says_it_is_at_it_keeps_its_question(analyses: Analyses) -> None:
    asked = asyncio.create_task(analyses.ask("ada", b"?"))
    task = await taken(analyses)
    for _ in range(10):
        await asyncio.sleep(SILENT_MS / 3000)
        assert await analyses.beat(task.id, 1)
    assert await analyses.take(0) is None
    await analyses.answer(task.id, 1, b"at last")
    assert await asked == b"at last"


async def test_who_goes_takes_his_question_with_him(analyses: Analyses) -> None:
    asked = asyncio.create_task(analyses.ask("ada", b"?"))
    task = await taken(analyses)
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)
    assert not await analyses.beat(task.id, 1)
    assert not await analyses.answer(task.id, 1, b"for nobody")
