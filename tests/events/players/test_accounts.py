"""Players and tokens: what is kept of a token, and that a revoked one opens nothing, anywhere, at once."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from tests.events.hand import opened
from tests.servers import AnyRedis, RedisServer
from warlog_events.clock_and_random import World
from warlog_events.errors import MalformedBody, QuotaExceeded, Unauthenticated, UnknownPlayer, UnknownToken
from warlog_events.players import accounts as module
from warlog_events.players.accounts import Accounts, NewToken
from warlog_events.redis import keys
from warlog_events.redis.append_notices import Watch
from warlog_events.redis.connection import Connection
from warlog_events.redis.wire import Word


async def until(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)


@pytest.fixture
async def connection(redis_server: AnyRedis) -> AsyncIterator[Connection]:
    async with opened(redis_server.url) as connection:
        yield connection


async def listening(connection: Connection) -> Accounts:
    watch = Watch(connection)
    made = Accounts(connection, World.real(), watch)
    await until(lambda: made._listening)
    return made


@pytest.fixture
async def accounts(connection: Connection) -> AsyncIterator[Accounts]:
    made = await listening(connection)
    yield made
    await made._watch.close()


async def test_a_new_player_is_known_by_id_and_by_token(accounts: Accounts) -> None:
    account, token = await accounts.create_player("ada")
    assert await accounts.player(account.id) == account
    assert account.id.startswith("pl_")
    caller = await accounts.authenticate(token)
    assert caller is not None
    assert (caller.id, caller.name, caller.scopes) == (account.id, "ada", ("play",))
    assert await accounts.named(account.id) == caller.player


async def test_a_token_is_256_bits_and_kept_nowhere(connection: Connection, accounts: Accounts) -> None:
    _, token = await accounts.create_player("ada")
    assert token.startswith("wl_")
    assert len(token) == 3 + 43
    for key in await connection.pipe.call("KEYS", "*"):
        assert token.encode() not in key
        assert token[3:].encode() not in await connection.pipe.call("DUMP", key)
    assert token not in repr(accounts._remembered)


@pytest.mark.parametrize("name", ["", "x" * 41, " ada", "ada ", "a\nb", "a\0b", "\u202eada", "\ud800"])
async def test_what_is_no_name_is_refused(accounts: Accounts, name: str) -> None:
    with pytest.raises(MalformedBody):
        await accounts.create_player(name)


@pytest.mark.parametrize("name", ["ada", "x" * 40, "Žofie Ⅳ", "小 李", "a"])
async def test_a_name_is_any_printable_text(accounts: Accounts, name: str) -> None:
    account, _ = await accounts.create_player(name)
    assert (await accounts.player(account.id)).name == name


@pytest.mark.parametrize("token", ["", "wl_", "wl_" + "A" * 43, "x" * 10_000, "\udcff\udcfe", "wl_\r\nDEL x"])
async def test_what_is_no_token_opens_nothing(accounts: Accounts, token: str) -> None:
    assert await accounts.authenticate(token) is None


async def test_who_is_unknown_is_unknown(accounts: Accounts) -> None:
    for player_id in ("pl_nobody", "", "x}{y", "é"):
        with pytest.raises(UnknownPlayer):
            await accounts.player(player_id)
    with pytest.raises(UnknownPlayer):
        await accounts.create_token("pl_nobody", "", ("play",))


async def test_a_player_has_several_tokens_and_sees_them_without_the_secret(accounts: Accounts) -> None:
    account, _ = await accounts.create_player("ada")
    made = [await accounts.create_token(account.id, f"bot {i}", ("play", "admin")) for i in range(4)]
    seen: list[module.Token] = []
    cursor: str | None = None
    while True:
        page, cursor = await accounts.tokens(account.id, cursor, limit=2)
        assert len(page) <= 2
        seen += page
        if cursor is None:
            break
    assert {token.label for token in seen} == {"", "bot 0", "bot 1", "bot 2", "bot 3"}
    assert len(seen) == 5
    assert {(token.id, token.created_at) for token in made} <= {
        (token.id, token.created_at) for token in seen
    }
    for new in made:
        caller = await accounts.authenticate(new.token)
        assert caller is not None
        assert (caller.id, caller.scopes, caller.token_id) == (account.id, ("play", "admin"), new.id)


async def test_a_player_has_so_many_tokens_at_most(connection: Connection) -> None:
    watch = Watch(connection)
    accounts = Accounts(connection, World.real(), watch, tokens_per_player=2)
    account, _ = await accounts.create_player("ada")
    asked = [accounts.create_token(account.id, "", ("play",)) for _ in range(3)]
    first, *others = await asyncio.gather(*asked, return_exceptions=True)
    assert isinstance(first, NewToken)
    for refused in others:
        assert isinstance(refused, QuotaExceeded)
        assert refused.extra == {"quota": "tokens_per_player", "have": 2, "limit": 2}
    await watch.close()


async def test_a_session_ends_when_its_time_is_over(connection: Connection, accounts: Accounts) -> None:
    account, token = await accounts.create_player("ada")
    caller = await accounts.authenticate(token)
    assert caller is not None
    session = await accounts.create_session(caller, 400)
    found = await accounts.authenticate(session.token)
    assert found is not None
    assert (found.id, found.scopes) == (account.id, caller.scopes)
    assert len((await accounts.tokens(account.id))[0]) == 2
    await asyncio.sleep(0.5)
    # Also where it is remembered, and where a feed was opened with it.
    assert accounts.remembered(session.token) is None
    assert not await accounts.valid(found)
    assert await accounts.authenticate(session.token) is None
    assert await connection.redis.exists(keys.token(found.token_hash)) == 0
    # It is no longer listed, and the next session takes it from the list.
    assert len((await accounts.tokens(account.id))[0]) == 1
    await accounts.create_session(caller, 60_000)
    assert await connection.redis.hlen(keys.tokens(account.id)) == 2


async def test_a_token_takes_the_sessions_with_it_that_were_begun_with_it(accounts: Accounts) -> None:
    account, token = await accounts.create_player("ada")
    caller = await accounts.authenticate(token)
    assert caller is not None
    second = await accounts.create_token(account.id, "", ("play",))
    other = await accounts.authenticate(second.token)
    assert other is not None
    ends, stays = await accounts.create_session(other, 60_000), await accounts.create_session(caller, 60_000)
    await accounts.revoke(account.id, second.id)
    assert await accounts.authenticate(ends.token) is None
    assert await accounts.authenticate(stays.token) is not None
    assert {one.id for one in (await accounts.tokens(account.id))[0]} == {caller.token_id, stays.id}


async def test_a_session_that_begins_while_its_token_is_revoked_does_not_stay(accounts: Accounts) -> None:
    account, token = await accounts.create_player("ada")
    caller = await accounts.authenticate(token)
    assert caller is not None
    await accounts.revoke(account.id, caller.token_id)
    with pytest.raises(Unauthenticated):  # it was authenticated before
        await accounts.create_session(caller, 60_000)
    assert (await accounts.tokens(account.id))[0] == []


async def test_a_known_token_costs_no_round_trip(connection: Connection, accounts: Accounts) -> None:
    _, token = await accounts.create_player("ada")
    await accounts.authenticate(token)
    before = (await connection.redis.info("stats"))["total_commands_processed"]
    for _ in range(100):
        caller = await accounts.authenticate(token)
        assert caller is not None
        assert await accounts.valid(caller)
        assert accounts.remembered(token) is caller
    after = (await connection.redis.info("stats"))["total_commands_processed"]
    assert after - before < 20


async def test_a_revoked_token_opens_nothing_here_at_once_and_elsewhere_with_the_message(
    redis_server: AnyRedis, accounts: Accounts
) -> None:
    account, kept = await accounts.create_player("ada")
    lost = await accounts.create_token(account.id, "lost", ("play",))
    async with opened(redis_server.url) as there:
        elsewhere = await listening(there)
        caller = await accounts.authenticate(lost.token)
        assert caller is not None
        assert await elsewhere.authenticate(lost.token) == caller
        assert accounts.remembered(lost.token) == elsewhere.remembered(lost.token) == caller
        await accounts.revoke(account.id, lost.id)
        assert accounts.remembered(lost.token) is None
        assert await accounts.authenticate(lost.token) is None
        assert not await accounts.valid(caller)
        await until(lambda: elsewhere.remembered(lost.token) is None)
        assert await elsewhere.authenticate(lost.token) is None
        assert not await elsewhere.valid(caller)
        assert await elsewhere.authenticate(kept) is not None
        await elsewhere._watch.close()
    page, _ = await accounts.tokens(account.id)
    assert lost.id not in [token.id for token in page]


async def test_nobody_revokes_anothers_token_or_one_twice(accounts: Accounts) -> None:
    ada, token = await accounts.create_player("ada")
    eve, _ = await accounts.create_player("eve")
    caller = await accounts.authenticate(token)
    assert caller is not None
    with pytest.raises(UnknownToken):
        await accounts.revoke(eve.id, caller.token_id)
    assert await accounts.authenticate(token)
    await accounts.revoke(ada.id, caller.token_id)
    with pytest.raises(UnknownToken):
        await accounts.revoke(ada.id, caller.token_id)


async def test_while_messages_may_be_missed_no_token_is_remembered() -> None:
    with RedisServer(fsync="no") as server:
        async with opened(server.url) as connection:
            accounts = await listening(connection)
            _, token = await accounts.create_player("ada")
            await accounts.authenticate(token)
            assert accounts._remembered
            await accounts._watch.close()  # the ear is lost, the mouth is not
            accounts._missed()
            assert await accounts.authenticate(token) is not None
            assert accounts.remembered(token) is None
            assert not accounts._remembered


async def test_a_reply_that_a_revocation_overtook_is_not_remembered(accounts: Accounts) -> None:
    _, token = await accounts.create_player("ada")
    asked = asyncio.create_task(accounts.authenticate(token))
    await asyncio.sleep(0)
    accounts._revoked(b"whichever")
    assert await asked is not None
    assert not accounts._remembered


async def test_however_many_tokens_are_tried_redis_is_asked_for_a_few_at_a_time(
    connection: Connection, accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And who has a good one waits for his turn, no longer."""
    call, asking, most = connection.pipe.call, 0, 0

    async def counting(*words: Word, write: bool = False) -> Any:
        nonlocal asking, most
        asking += 1
        most = max(most, asking)
        try:
            return await call(*words, write=write)
        finally:
            asking -= 1

    _, token = await accounts.create_player("ada")
    monkeypatch.setattr(connection.pipe, "call", counting)
    tried = [accounts.authenticate(f"wl_{number:043d}") for number in range(2_000)]
    found = await asyncio.gather(*tried, accounts.authenticate(token))
    assert found[:-1] == [None] * 2_000
    assert found[-1] is not None
    assert 1 < most <= module.LOOK_UPS_MAX


async def test_the_memory_of_tokens_is_bounded(accounts: Accounts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REMEMBERED_MAX", 3)
    tokens = [(await accounts.create_player(f"p{i}"))[1] for i in range(6)]
    for token in tokens * 2:
        assert await accounts.authenticate(token) is not None
    assert len(accounts._remembered) == 3
    assert len(accounts._hashes) <= 3
