"""To who may not know of a private match it is like one that never was: the same answer after the same work."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
import pytest_asyncio

from tests.events.table import ADA, BOB, EVE, Table, table_at
from tests.servers import AnyRedis
from warlog_events import errors
from warlog_events.match.commands import (
    Act,
    CreateMatch,
    LeaveSeat,
    Options,
    Prepare,
    Propose,
    TakeSeat,
)
from warlog_events.redis import keys
from warlog_events.redis.idempotency import Key

COMMANDS: list[Any] = [
    Act("red", {"type": "resign"}),
    Prepare("red"),
    TakeSeat("blue", "wli_wrong"),
    LeaveSeat("red"),
    Propose(Options({"width": 11})),
    Propose(Options(record={"match": "m_1", "game": "hex", "history": ""})),
]


@pytest_asyncio.fixture
async def table(redis_server: AnyRedis) -> AsyncIterator[Table]:
    async with table_at(redis_server.url) as opened:
        yield opened


async def private(table: Table) -> str:
    seats = {"red": "me", "blue": "invite"}
    return (await table.matches.new.create(CreateMatch("hex", {}, seats, visibility="private"), ADA)).match.id


async def work(table: Table, ask: Callable[[], Awaitable[object]]) -> tuple[object, ...]:
    """How a question that must be refused is answered, and what the server did for that."""
    counts = table.matches.counts
    before = (counts.redis_reads, counts.core_calls, counts.cache_hits)
    with pytest.raises(errors.UnknownMatch) as refused:
        await ask()
    after = (counts.redis_reads, counts.core_calls, counts.cache_hits)
    return (
        refused.value.detail,
        refused.value.version,
        dict(refused.value.extra),
        after[0] - before[0],
        after[1] - before[1],
    )


async def test_a_private_match_is_refused_after_the_same_work_as_an_unknown_one(table: Table) -> None:
    match, unknown = await private(table), table.store.new_match_id()

    def asking(match_id: str) -> list[Callable[[], Awaitable[object]]]:
        found: list[Callable[[], Awaitable[object]]] = [
            lambda: table.matches.admission.load(match_id, EVE.id),
            lambda: table.matches.admission.load(match_id, None, fresh=False),
        ]
        found += [
            lambda c=command, k=key: table.matches.player_commands.execute(match_id, c, EVE, key=k)  # type: ignore[misc]
            for command in COMMANDS
            for key in (None, Key("once", "digest"))
        ]
        return found

    for is_hot in (True, False):
        for of_private, of_unknown in zip(asking(match), asking(unknown), strict=True):
            if not is_hot:
                await table.forget()
            assert await work(table, of_private) == await work(table, of_unknown)
            assert is_hot or table.matches.cache.get(match) is None  # it was not loaded for that


async def test_what_is_wrong_with_a_private_match_is_for_its_members_alone(table: Table) -> None:
    match = await private(table)
    await table.forget()
    await table.store._pipe.call("XADD", keys.events(match), "2-0", "nonsense", "1", write=True)
    with pytest.raises(errors.UnknownMatch):
        await table.matches.admission.load(match, EVE.id)
    with pytest.raises(errors.UnknownMatch):
        await table.matches.player_commands.execute(match, TakeSeat("blue", "wli_wrong"), EVE)
    with pytest.raises(errors.IntegrityError):
        await table.matches.admission.load(match, ADA.id)


async def test_who_has_left_a_private_match_may_repeat_that_and_no_more(table: Table) -> None:
    seats = {"red": "me", "blue": BOB.id}
    spec = CreateMatch("hex", {}, seats, visibility="private")
    match = (await table.matches.new.create(spec, ADA, players={BOB.id: BOB})).match
    key = Key("leaving", "digest")
    first = await table.do(match, LeaveSeat("blue"), BOB, key=key)
    for _ in range(2):
        again = await table.do(match, LeaveSeat("blue"), BOB, key=key)
        assert await table.answer(again, BOB) == await table.answer(first, BOB)
        await table.forget()
    with pytest.raises(errors.UnknownMatch):
        await table.matches.admission.load(match.id, BOB.id)


async def test_an_invitation_to_a_private_match_opens_it_cold_and_hot(table: Table) -> None:
    for is_hot in (True, False):
        seats = {"red": "me", "blue": "invite"}
        made = await table.matches.new.create(CreateMatch("hex", {}, seats, visibility="private"), ADA)
        if not is_hot:
            await table.forget()
        done = await table.do(made.match, TakeSeat("blue", made.invitations["blue"]), BOB)
        assert done.match.holders["blue"] == BOB
        assert (await table.matches.admission.load(made.match.id, BOB.id)).version == 2


async def test_a_match_of_0_1_admits_the_same(table: Table) -> None:
    """Beside which neither its index entry nor its invitations stand yet."""
    seats = {"red": "me", "blue": "invite"}
    made = await table.matches.new.create(CreateMatch("hex", {}, seats, visibility="private"), ADA)
    public = (await table.matches.new.create(CreateMatch("hex", {}, {"red": "me"}), ADA)).match.id
    for match in (made.match.id, public):
        await table.as_0_1_stored(match)
    await table.forget()
    assert (await table.matches.admission.load(public, None)).visibility == "public"
    await table.forget()
    with pytest.raises(errors.UnknownMatch):
        await table.matches.admission.load(made.match.id, BOB.id)
    with pytest.raises(errors.UnknownMatch):
        await table.matches.player_commands.execute(made.match.id, TakeSeat("blue", "wli_wrong"), BOB)
    assert table.matches.cache.get(made.match.id) is None
    done = await table.matches.player_commands.execute(
        made.match.id, TakeSeat("blue", made.invitations["blue"]), BOB
    )
    assert done.match.holders["blue"] == BOB
