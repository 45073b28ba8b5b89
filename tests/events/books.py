"""Checking the books: what every account must hold, added up from the journal alone, beside what it does hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.events.hand import opened
from warlog_events.clock_and_random import World
from warlog_events.players.ledger import Entry, Ledger
from warlog_events.redis import keys
from warlog_events.redis.connection import Connection


@asynccontextmanager
async def ledger_at(url: str, starting_gold: int = 1_000) -> AsyncIterator[tuple[Ledger, Connection]]:
    async with opened(url) as connection:
        yield Ledger(connection, World.real(), starting_gold), connection


async def journal(ledger: Ledger) -> list[Entry]:
    entries: list[Entry] = []
    while page := await ledger.journal(len(entries)):
        entries += page
    return entries


async def balanced(ledger: Ledger, connection: Connection) -> Counter[str]:
    """What the journal gives each account, after it has been held against the accounts themselves and the holds."""
    entries = await journal(ledger)
    assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
    total: Counter[str] = Counter()
    for entry in entries:
        assert sum(amount for _, amount in entry.postings) == 0, entry
        for account, amount in entry.postings:
            total[account] += amount
    settled = [entry.match for entry in entries if entry.kind == "settle"]
    assert len(settled) == len(set(settled))
    pipe, prefix = connection.pipe, keys.ledger("account:")
    names = [name.decode() for name in await pipe.call("KEYS", keys.ledger("account:*"))]
    for name in names:
        account = name.removeprefix(prefix)
        gold, held = await pipe.call("HMGET", name, "gold", "held")
        assert int(gold or 0) == total[account], account
        assert int(held or 0) == total[f"{account} held"], account
        assert account == "house" or int(held or 0) >= 0
    assert {account.removesuffix(" held") for account in total} <= {
        name.removeprefix(prefix) for name in names
    }
    open_ = await ledger.held_since(2**52, 0, 1_000_000)
    holding: Counter[str] = Counter()
    for holds in await ledger.holds(open_):
        assert holds
        for hold in holds:
            holding[f"{hold.player} held"] += hold.amount
    assert holding == +Counter({name: amount for name, amount in total.items() if name.endswith(" held")})
    assert sum(total.values()) == 0
    return total
