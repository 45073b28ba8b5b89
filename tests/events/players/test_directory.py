"""The index of names, on every Redis: filled from accounts that were there before it, and made again from them."""

from __future__ import annotations

from tests.events.table import table_at
from tests.servers import AnyRedis
from warlog_events.match.model import Player
from warlog_events.players.accounts import Accounts
from warlog_events.players.directory import Directory
from warlog_events.players.ledger import Ledger
from warlog_events.redis import keys
from warlog_events.redis.append_notices import Watch
from warlog_events.redis.idempotency import Key


async def test_accounts_from_before_the_index_enter_it_once_and_a_rebuild_gives_the_same(
    own_redis: AnyRedis,
) -> None:
    async with table_at(own_redis.url) as table:
        pipe, directory = table.connection.pipe, Directory(table.connection)
        accounts = Accounts(table.connection, table.world, Watch(table.connection))
        ledger = Ledger(table.connection, table.world, 0)
        made = []
        for number in range(30):
            account, _ = await accounts.create_player(f"Ada {number:02d}")
            await ledger.open(account.id)
            made.append(Player(account.id, account.name))
        whole = await pipe.call("ZRANGE", keys.names("index"), 0, -1)
        await pipe.call("DEL", keys.names("index"), write=True)  # as it was before there was an index
        assert await directory.search("ada", None, 50) == ([], None)
        await directory.fill()
        assert await pipe.call("ZRANGE", keys.names("index"), 0, -1) == whole
        first, after = await directory.search("ADA", None, 20)
        rest, end = await directory.search("ADA", after, 20)
        assert (first + rest, end) == (made, None)
        await pipe.call("ZADD", keys.names("index"), 0, "what nobody is called\0pl_x\0x", write=True)
        await directory.fill()  # once only
        assert await pipe.call("ZRANGE", keys.names("index"), 0, -1) != whole
        await directory.rebuild()
        assert await pipe.call("ZRANGE", keys.names("index"), 0, -1) == whole
        await directory.remove(made[3])
        assert (await directory.search("ada 03", None, 5))[0] == []


async def test_whoever_dies_before_the_name_is_entered_enters_it_when_the_call_is_repeated(
    own_redis: AnyRedis,
) -> None:
    async with table_at(own_redis.url) as table:
        accounts = Accounts(table.connection, table.world, Watch(table.connection))
        key = Key("a key that nobody guesses", "digest")
        account, token = await accounts.create_player("Cem", address="here", key=key)
        await table.connection.pipe.call("DEL", keys.names("index"), write=True)
        assert await accounts.create_player("Cem", address="here", key=key) == (account, token)
        found, _ = await Directory(table.connection).search("cem", None, 5)
        assert [player.id for player in found] == [account.id]
