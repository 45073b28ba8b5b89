"""What clients send has its keys in one order for every process, the one that took it included."""

from __future__ import annotations

import msgspec

from tests.events.table import ADA, BATTLE, BOB, table_at
from tests.servers import AnyRedis
from warlog_events.match.commands import CreateMatch, Options, Propose, TakeSeat
from warlog_events.match.model import Reader


def backwards(value: object) -> object:
    if isinstance(value, dict):
        return {key: backwards(value[key]) for key in sorted(value, reverse=True)}
    return value


async def test_the_process_that_took_the_options_gives_the_bytes_that_others_read(
    redis_server: AnyRedis,
) -> None:
    async with table_at(redis_server.url) as table:
        options = backwards(BATTLE)
        assert isinstance(options, dict)
        match = (await table.matches.new.create(CreateMatch("hex", options, {"red": "me"}), ADA)).match
        await table.do(match, TakeSeat("blue"), BOB)
        match = (await table.do(match, Propose(Options(options=options)), ADA)).match
        reader = Reader(("red",), ADA.id)

        async def seen() -> bytes:
            now = await table.load(match)
            return msgspec.json.encode([now.summary(reader), await table.events(now, reader)])

        here = await seen()
        await table.forget()
        assert await seen() == here
