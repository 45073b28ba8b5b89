"""Idempotency keys of what is made new: a player, a match, an import, an entry for pairing. Each is made once, wherever
the process that made it was killed, and however many make it at the same time."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import multiprocessing
import os
import random
import signal
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest

from tests.events.table import ADA, BATTLE, Table, make_accounts, table_at
from tests.servers import AnyRedis
from warlog_events import errors
from warlog_events.match.commands import CreateMatch, Wanted
from warlog_events.match.match import Match
from warlog_events.match.model import Player
from warlog_events.players.accounts import PLAYER_KEY_MIN, Accounts
from warlog_events.players.quotas import Quotas, QuotaSettings
from warlog_events.redis import claims, keys
from warlog_events.redis.append_notices import Watch
from warlog_events.redis.idempotency import TTL_SECONDS, Key
from warlog_events.redis.wire import Word
from warlog_events.workers.pairing import Pairing

RECORD: dict[str, Any] = {"game": "wec", "options": {}, "events": []}
WANTED = Wanted("hex", {"army": "preset"})
SPEC = CreateMatch("hex", BATTLE, {"red": "me", "blue": "invite"})
NAMES = itertools.count(1)


def key(body: str = "body") -> Key:
    return Key("a key that nobody guesses", hashlib.sha256(body.encode()).hexdigest())


def new_name() -> str:
    """Of a player that no other test has."""
    return f"p{next(NAMES)}x{random.randrange(10**9)}"


async def newcomer(table: Table) -> str:
    """The name of a player who has an account."""
    name = new_name()
    await make_accounts(table.connection, player(name))
    return name


async def named(table: Table, what: str) -> str:
    return new_name() if what == "player" else await newcomer(table)


def player(name: str) -> Player:
    return Player(f"pl_{name}", name)


def shown(match: Match) -> object:
    return match.id, match.summary_at(match.reader(match.fold.creator.id), match.fold.updated_at)


def pairing(table: Table) -> Pairing:
    return Pairing(table.connection, table.matches, table.world)


async def make_player(table: Table, name: str, given: Key) -> object:
    watch = Watch(table.connection)
    try:
        # Keys without an account are counted by address: each name has an address of its own.
        return await Accounts(table.connection, table.world, watch).create_player(
            name, address=name, key=given
        )
    finally:
        await watch.close()


async def make_match(table: Table, name: str, given: Key) -> object:
    made = await table.matches.new.create(SPEC, player(name), key=given)
    return shown(made.match), made.invitations


async def make_import(table: Table, name: str, given: Key) -> object:
    made = await table.matches.new.import_record(RECORD, player(name), key=given)
    return shown(made.match), made.versions


async def make_entry(table: Table, name: str, given: Key) -> object:
    return await pairing(table).join(player(name), WANTED, given)


Make = Callable[[Table, str, Key], Awaitable[object]]
MAKE: dict[str, Make] = {
    "player": make_player,
    "match": make_match,
    "import": make_import,
    "entry": make_entry,
}
each = pytest.mark.parametrize("what", list(MAKE))


async def count(table: Table, what: str, name: str) -> int:
    """How many there are of what `MAKE[what]` makes for this name."""
    if what == "entry":
        return len(await pairing(table).entries(player(name).id))
    found = 0
    if what == "player":
        async for stored in table.connection.redis.scan_iter("warlog:{pl_*}:player", count=10_000):
            id = stored.decode().partition("{")[2].partition("}")[0]
            found += await table.connection.pipe.call("HGET", keys.player(id), "name") == name.encode()
        return found
    for bucket in range(table.store.buckets):
        async for matches in table.store.matches(bucket):
            for raw in await table.store.summaries(matches):
                found += raw is not None and b'"creator":{"id":"%b"' % player(name).id.encode() in raw
    return found


# ---- kill -9


def make_and_die(url: str, what: str, name: str, at: int) -> None:
    """In a process of its own, which is killed when it is about to send its command number `at` to Redis."""

    async def main() -> None:
        async with table_at(url) as table:
            pipe, sent = table.connection.pipe, itertools.count(1)
            send = pipe.send

            def send_or_die(*words: Word, **more: Any) -> Any:
                if next(sent) == at:
                    os.kill(os.getpid(), signal.SIGKILL)
                return send(*words, **more)

            pipe.send = send_or_die  # type: ignore[method-assign]
            await MAKE[what](table, name, key())

    asyncio.run(main())


@pytest.fixture(scope="module")
def processes() -> Any:
    """Begins processes that have imported everything already."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


@each
async def test_wherever_its_maker_was_killed_a_repeat_makes_it_or_finds_it_made(
    redis_server: AnyRedis, processes: Any, what: str
) -> None:
    killed = 0
    async with table_at(redis_server.url) as table:
        for at in itertools.count(1):
            name = await named(table, what)
            maker = processes.Process(target=make_and_die, args=(redis_server.url, what, name, at))
            maker.start()
            await asyncio.to_thread(maker.join)
            first = await MAKE[what](table, name, key())
            assert await MAKE[what](table, name, key()) == first, at
            assert await count(table, what, name) == 1, at
            if maker.exitcode == 0:  # it had sent all, and only its answer was lost
                break
            assert maker.exitcode == -signal.SIGKILL
            killed += 1
    assert killed >= 2  # before and after the claim


# ---- at the same time


@each
async def test_equal_requests_at_the_same_time_make_one_and_all_get_its_answer(
    redis_server: AnyRedis, what: str
) -> None:
    async with table_at(redis_server.url) as one, table_at(redis_server.url) as two:
        for _ in range(3):
            name = await named(one, what)
            tables = [one, two] * 4
            made = await asyncio.gather(*[MAKE[what](table, name, key()) for table in tables])
            assert all(answer == made[0] for answer in made)
            assert await count(one, what, name) == 1


async def test_equal_requests_are_charged_once(redis_server: AnyRedis) -> None:
    async with table_at(redis_server.url) as table:
        settings = QuotaSettings(matches_per_player=2, lobbies_per_player=2, matches_per_day=2)
        table.matches._before_append._quotas = Quotas(table.connection, table.world, table.store, settings)
        name = await newcomer(table)
        made = await asyncio.gather(*[make_match(table, name, key()) for _ in range(5)])
        assert all(answer == made[0] for answer in made)
        assert await make_match(table, name, key()) == made[0]
        await table.matches.new.create(SPEC, player(name))
        with pytest.raises(errors.QuotaExceeded):
            await table.matches.new.create(SPEC, player(name))
        assert await make_match(table, name, key()) == made[0]


# ---- what a key is for


@each
async def test_a_key_belongs_to_one_request_of_one_who_asks(redis_server: AnyRedis, what: str) -> None:
    async with table_at(redis_server.url) as table:
        ada, bob = await named(table, what), await named(table, what)
        first = await MAKE[what](table, ada, key())
        with pytest.raises(errors.IdempotencyKeyReused):
            await MAKE[what](table, ada, key("another body"))
        others = await MAKE[what](table, bob, key())
        assert others != first
        assert await MAKE[what](table, ada, key()) == first
        assert [await count(table, what, name) for name in (ada, bob)] == [1, 1]


async def test_a_key_of_one_kind_is_not_for_another(redis_server: AnyRedis) -> None:
    async with table_at(redis_server.url) as table:
        name = await newcomer(table)
        await make_match(table, name, key("POST /matches"))
        for make in (make_import, make_entry):
            with pytest.raises(errors.IdempotencyKeyReused):
                await make(table, name, key("another path"))
        assert await count(table, "match", name) == 1


async def test_a_request_that_was_refused_leaves_the_key_free(redis_server: AnyRedis) -> None:
    async with table_at(redis_server.url) as table:
        name = await newcomer(table)
        wrong = CreateMatch("hex", {"seats": 99})
        for _ in range(2):
            with pytest.raises(errors.Refused):
                await table.matches.new.create(wrong, player(name), key=key("wrong"))
        assert not await table.connection.pipe.call("EXISTS", keys.claim(player(name).id, key().key))
        await make_match(table, name, key("right"))


async def test_a_request_that_is_refused_does_not_free_the_key_of_one_that_is_accepted(
    redis_server: AnyRedis,
) -> None:
    """Two equal requests, of which one is refused while the other has still to append."""
    async with table_at(redis_server.url) as one, table_at(redis_server.url) as two:
        name, refused = await newcomer(one), asyncio.Event()
        append = two.store.append

        async def append_late(what: Any) -> None:
            await refused.wait()
            await append(what)

        two.store.append = append_late  # type: ignore[assignment, method-assign]
        later = asyncio.create_task(make_match(two, name, key()))
        await asyncio.sleep(0.2)
        nothing_more = QuotaSettings(imports_per_day=1, matches_per_day=1)
        quotas = one.matches._before_append._quotas = Quotas(
            one.connection, one.world, one.store, nothing_more
        )
        await quotas._spend(player(name).id, "matches")
        with pytest.raises(errors.QuotaExceeded):
            await make_match(one, name, key())
        refused.set()
        first = await later
        assert await make_match(one, name, key()) == first
        assert await count(one, "match", name) == 1


async def test_without_a_key_nothing_more_is_asked_of_redis(
    redis_server: AnyRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with table_at(redis_server.url) as table:
        name, sent = await newcomer(table), list[object]()
        send = table.connection.pipe.send

        def noting(*words: Word, **more: Any) -> Any:
            sent.append(words)
            return send(*words, **more)

        monkeypatch.setattr(table.connection.pipe, "send", noting)
        await table.matches.new.create(SPEC, ADA)
        assert len(sent) <= 2  # the append, and again with the script where Redis does not have it
        sent.clear()
        await make_match(table, name, key())
        assert len(sent) <= 4


# ---- what comes later


async def test_a_match_that_has_gone_on_is_shown_as_it_was(redis_server: AnyRedis) -> None:
    async with table_at(redis_server.url) as table:
        name, rng = await newcomer(table), random.Random(1)
        spec = CreateMatch("hex", BATTLE, {"red": "me", "blue": "me"})
        first = await table.matches.new.create(spec, player(name), key=key())
        await table.play(first.match, 5, rng)
        for _ in range(2):
            again = await table.matches.new.create(spec, player(name), key=key())
            assert shown(again.match) == shown(first.match)
            await table.forget()


async def test_when_the_record_has_expired_the_key_may_be_used_for_another_match(
    redis_server: AnyRedis,
) -> None:
    async with table_at(redis_server.url) as table:
        name = await newcomer(table)
        made = await table.matches.new.create(SPEC, player(name), key=key())
        assert claims.CLAIM_SECONDS >= 2 * TTL_SECONDS  # the record lives for less than that
        kept = keys.accepted(made.match.id, player(name).id, key().key)[:2]
        lives = [await table.connection.pipe.call("TTL", one) for one in kept]
        assert TTL_SECONDS < max(lives) <= claims.CLAIM_SECONDS
        await table.connection.pipe.call("DEL", *kept, write=True)
        another = await table.matches.new.create(SPEC, player(name), key=key())
        assert another.match.id != made.match.id
        assert shown((await table.matches.new.create(SPEC, player(name), key=key())).match) == shown(
            another.match
        )


# ---- a token is told again, and kept nowhere


async def test_a_key_that_may_be_guessed_opens_no_account(redis_server: AnyRedis) -> None:
    async with table_at(redis_server.url) as table:
        with pytest.raises(errors.BadParameter, match="22 characters"):
            await make_player(table, new_name(), Key("k" * (PLAYER_KEY_MIN - 1), key().digest))
        await make_player(table, new_name(), Key("k" * PLAYER_KEY_MIN, key().digest))


async def test_a_token_cannot_be_derived_without_the_key(redis_server: AnyRedis) -> None:
    """Everything that Redis has of two accounts could be the same: the key alone tells their tokens apart."""
    seed = bytes(claims.SEED_BYTES)
    first, second = (claims.Claim("n", word, seed) for word in ("one key", "another"))
    assert first.id("pl_") == second.id("pl_")
    assert first.secret("token", 32) != second.secret("token", 32)
    assert first.secret("token", 32) != first.secret("invitation red", 32)


async def test_a_token_that_was_revoked_stays_so_when_the_account_is_asked_for_again(
    redis_server: AnyRedis,
) -> None:
    async with table_at(redis_server.url) as table:
        watch, name = Watch(table.connection), new_name()
        accounts = Accounts(table.connection, table.world, watch)
        account, token = await accounts.create_player(name, address=name, key=key())
        caller = await accounts.authenticate(token)
        assert caller is not None
        await accounts.revoke(account.id, caller.token_id)
        assert await accounts.create_player(name, address=name, key=key()) == (account, token)
        assert await accounts.authenticate(token) is None
        assert await accounts.tokens(account.id) == ([], None)
        await watch.close()


@pytest.mark.parametrize("stops_before", ["SET", "HEXISTS", "HDEL"])
async def test_a_token_that_is_revoked_while_a_repeat_makes_it_valid_is_not_valid_afterwards(
    redis_server: AnyRedis, monkeypatch: pytest.MonkeyPatch, stops_before: str
) -> None:
    """The repeat stops before the command that makes the token valid, or the one behind it; or the revocation before
    the token leaves the list."""
    async with table_at(redis_server.url) as table:
        watch, name = Watch(table.connection), new_name()
        accounts = Accounts(table.connection, table.world, watch)
        account, token = await accounts.create_player(name, address=name, key=key())
        caller = await accounts.authenticate(token)
        assert caller is not None
        pipe = table.connection.pipe
        call, stops, goes_on = pipe.call, asyncio.Event(), asyncio.Event()

        async def call_late(*words: Word, write: bool = False) -> Any:
            if words[0] == stops_before and not stops.is_set():
                stops.set()
                await goes_on.wait()
            return await call(*words, write=write)

        monkeypatch.setattr(pipe, "call", call_late)
        works: list[Coroutine[Any, Any, Any]] = [
            accounts.create_player(name, address=name, key=key()),
            accounts.revoke(account.id, caller.token_id),
        ]
        if stops_before == "HDEL":
            works.reverse()
        late = asyncio.create_task(works[0])
        await stops.wait()
        await works[1]
        goes_on.set()
        await late
        assert await accounts.authenticate(token) is None
        assert await accounts.tokens(account.id) == ([], None)
        await watch.close()
