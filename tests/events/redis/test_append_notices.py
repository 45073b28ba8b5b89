"""Being told that a match has moved: of what others append, of nothing but that, and again after a loss."""

from __future__ import annotations

import asyncio
import random
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.events.hand import Hand, opened
from tests.servers import AnyRedis, RedisServer
from warlog_events.clock_and_random import World
from warlog_events.redis import append_notices, keys
from warlog_events.redis.append_notices import Watch
from warlog_events.redis.connection import Connection
from warlog_events.redis.store import Store


async def until(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)


async def until_it_is(
    wanted: object, question: Callable[[], Awaitable[object]], seconds: float = 5.0
) -> None:
    async with asyncio.timeout(seconds):
        while await question() != wanted:
            await asyncio.sleep(0.005)


@asynccontextmanager
async def watching(connection: Connection) -> AsyncIterator[Watch]:
    """A watch whose subscription stands, so that a first 0 says that a registration does."""
    watch = Watch(connection)
    stands = asyncio.Event()
    watch.subscribe("t:stands", lambda content: None, stands.set)
    await asyncio.wait_for(stands.wait(), 5)
    try:
        yield watch
    finally:
        await watch.close()


def hand_of(connection: Connection, match: str | None = None) -> Hand:
    return Hand(Store(connection, World.real()), match)


async def followers(connection: Connection, match: str) -> list[str]:
    return [name.decode() for name in await connection.pipe.call("ZRANGE", keys.followers(match), 0, -1)]


async def follows(process: Connection, asked: Connection, match: str) -> bool:
    """By its name at present, which is another one after each reconnect; one of before may still stand there."""
    return process.follower in await followers(asked, match)


class Looker:
    """What a feed does with what it is told: `seen` is the version that it knows of."""

    def __init__(self, hand: Hand) -> None:
        self.seen = 0
        self._hand = hand
        self._looks: set[asyncio.Task[None]] = set()

    def __call__(self, version: int) -> None:
        self.seen = max(self.seen, version)
        if version == 0:
            task = asyncio.create_task(self._look())
            self._looks.add(task)
            task.add_done_callback(self._looks.discard)

    async def _look(self) -> None:
        tail = await self._hand.store.tail(self._hand.match)
        self.seen = max(self.seen, tail[0] if tail else 0)


async def test_every_append_of_another_process_is_told(redis_server: AnyRedis) -> None:
    async with opened(redis_server.url) as here, opened(redis_server.url) as there, watching(here) as watch:
        hand = hand_of(there)
        told: list[int] = []
        watch.watch(hand.match, told.append)
        await until(lambda: told == [0])
        for _ in range(3):
            await hand.write()
        await hand.write(hand.events(5))
        await until(lambda: told == [0, 1, 2, 3, 8])


async def test_a_process_is_told_of_others_appends_and_not_of_its_own(redis_server: AnyRedis) -> None:
    """Counted where they are sent: Redis makes one message for each process but the writer, and no more."""
    async with (
        opened(redis_server.url) as one,
        opened(redis_server.url) as two,
        opened(redis_server.url) as deaf,
        watching(one) as watch_one,
        watching(two) as watch_two,
    ):
        everything: Any = (await deaf.redis.initialize()).pubsub()
        await everything.psubscribe("*")
        assert await everything.get_message(timeout=2)
        first = hand_of(one)
        told_one: list[int] = []
        told_two: list[int] = []
        watch_one.watch(first.match, told_one.append)
        await until(lambda: told_one == [0])

        await first.write()
        assert await everything.get_message(timeout=0.1) is None

        watch_two.watch(first.match, told_two.append)
        await until(lambda: told_two == [0])
        await first.write()
        said = await everything.get_message(timeout=2)
        assert said["channel"] == two.channel.encode()
        assert await everything.get_message(timeout=0.1) is None

        third = hand_of(deaf, first.match)
        await third.look()
        await third.write()
        said = [await everything.get_message(timeout=2) for _ in range(2)]
        assert {one_of["channel"].decode() for one_of in said} == {one.channel, two.channel}
        await until(lambda: (told_one, told_two) == ([0, 3], [0, 2, 3]))
        await everything.aclose()


async def test_a_notification_carries_the_match_and_the_version_and_nothing_else(
    redis_server: AnyRedis,
) -> None:
    async with opened(redis_server.url) as here, opened(redis_server.url) as there, watching(here) as watch:
        everything: Any = (await there.redis.initialize()).pubsub()
        await everything.psubscribe("*")
        assert await everything.get_message(timeout=2)
        hand = hand_of(there)
        told: list[int] = []
        watch.watch(hand.match, told.append)
        await until(lambda: told == [0])
        await hand.write(
            hand.events(body=b'{"secret":"ambush"}', draws=[4]),
            summary_rest=b'"secret":"ambush"}',
            secrets={"sha256:aa": "5eed"},
            idempotency=hand.key("k", "ambush"),
        )
        said = await everything.get_message(timeout=2)
        assert said is not None
        assert (said["channel"], said["data"]) == (here.channel.encode(), f"{hand.match} 1".encode())
        assert await everything.get_message(timeout=0.1) is None
        await everything.aclose()


async def test_each_watcher_is_told_to_look_when_its_watch_stands(redis_server: AnyRedis) -> None:
    """What was appended before that is nobody's message."""
    async with opened(redis_server.url) as here, opened(redis_server.url) as there, watching(here) as watch:
        hand = hand_of(there)
        first: list[int] = []
        second: list[int] = []
        watch.watch(hand.match, first.append)
        await until(lambda: first == [0])
        watch.watch(hand.match, second.append)
        await until(lambda: second == [0])
        watch.unwatch(hand.match, first.append)
        await hand.write()
        await until(lambda: second == [0, 1])
        assert first == [0]


async def test_who_no_longer_watches_is_told_no_more_and_one_deaf_ear_deafens_no_other(
    redis_server: AnyRedis, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(redis_server.url) as here, opened(redis_server.url) as there, watching(here) as watch:
        hand = hand_of(there)
        told: list[int] = []

        def deaf(version: int) -> None:
            raise RuntimeError("deaf")

        watch.watch(hand.match, deaf)
        watch.watch(hand.match, told.append)
        await until(lambda: 0 in told)
        assert await followers(there, hand.match) == [here.follower]
        await hand.write()
        await until(lambda: 1 in told)
        watch.unwatch(hand.match, deaf)
        watch.unwatch(hand.match, told.append)
        watch.unwatch(hand.match, told.append)
        await until_it_is([], lambda: followers(there, hand.match))
        await hand.write()
        assert told[-1] == 1


async def test_who_leaves_and_comes_back_at_once_misses_nothing(redis_server: AnyRedis) -> None:
    rng = random.Random(1)
    async with opened(redis_server.url) as here, opened(redis_server.url) as there, watching(here) as watch:
        hand = hand_of(there)
        looker = Looker(hand_of(here, hand.match))
        watch.watch(hand.match, looker)
        for _ in range(60):
            writing = asyncio.create_task(hand.write())
            for _ in range(rng.randrange(3)):
                await asyncio.sleep(rng.choice([0, 0, 0.0003]))
                watch.unwatch(hand.match, looker)
                await asyncio.sleep(rng.choice([0, 0, 0.0003]))
                watch.watch(hand.match, looker)
            await writing
            await until(lambda: looker.seen == hand.version)
        await until_it_is([here.follower], lambda: followers(there, hand.match))


async def test_who_leaves_before_redis_has_answered_is_not_taken_down_after_all() -> None:
    """Redis has forgotten the script and asks for it: what is sent then must not come behind the leaving."""
    with RedisServer(fsync="no") as server:
        async with opened(server.url) as here, watching(here) as watch:
            match = hand_of(here).match
            told: list[int] = []
            for _ in range(20):
                await here.pipe.call("SCRIPT", "FLUSH")
                watch.watch(match, told.append)
                await asyncio.sleep(0)
                watch.unwatch(match, told.append)
                await until(lambda: not watch._settling)
                assert await followers(here, match) == []
            assert told == []


# ---- what Redis loses or refuses


async def test_after_a_loss_every_watcher_is_told_to_look_and_hears_again() -> None:
    with RedisServer(fsync="no") as server:
        async with opened(server.url) as here, opened(server.url) as there:
            watch = Watch(here)
            hands = [hand_of(there) for _ in range(3)]
            told: dict[str, list[int]] = {hand.match: [] for hand in hands}
            lost: list[bool] = []
            for hand in hands:
                watch.watch(hand.match, told[hand.match].append)
            watch.subscribe("other", lambda content: None, lambda: lost.append(watch.ready))
            await until(lambda: lost == [True] and all(0 in versions for versions in told.values()))
            server.kill()
            await until(lambda: not watch.ready and not here.pipe.ready)
            for versions in told.values():
                versions.clear()
            server.start()
            await until(lambda: lost == [True, False, True])
            await until(lambda: all(0 in versions for versions in told.values()))
            await until(lambda: here.pipe.ready and there.pipe.ready)
            for hand in hands:
                await until_it_is([here.follower], lambda hand=hand: followers(there, hand.match))  # type: ignore[misc]
                await hand.write()
            await until(lambda: all(versions[-1] == 1 for versions in told.values()))
            await watch.close()


async def test_a_redis_that_comes_back_without_its_followers_is_told_of_them_again() -> None:
    with RedisServer(fsync="no") as server:
        async with (
            opened(server.url) as here,
            opened(server.url) as there,
            watching(here) as watch,
        ):
            before = hand_of(there)
            told: list[int] = []
            watch.watch(before.match, told.append)
            await until(lambda: told == [0])
            server.kill()
            for left in server.folder.iterdir():
                shutil.rmtree(left) if left.is_dir() else left.unlink()
            await until(lambda: not here.pipe.ready)
            told.clear()
            server.start()
            await until(lambda: 0 in told and there.pipe.ready)
            await until_it_is(True, lambda: follows(here, there, before.match))
            await hand_of(there, before.match).write()
            await until(lambda: told[-1] == 1)


async def test_what_this_process_sent_before_a_loss_and_redis_does_after_it_is_told_like_anothers() -> None:
    """Its sender has been told that it may have been done, its feeds have looked, and only then it is done."""
    with RedisServer(fsync="no") as server:
        async with opened(server.url) as here, opened(server.url) as late, watching(here) as watch:
            hand = hand_of(late)
            late.channel = here.channel  # an append as it left before the loss
            before = here.follower
            told: list[int] = []
            watch.watch(hand.match, told.append)
            await until(lambda: told == [0])
            server.kill()
            await until(lambda: not here.pipe.ready and not late.pipe.ready)
            told.clear()
            server.start()
            await until(lambda: here.pipe.ready and late.pipe.ready and watch.ready)
            await until_it_is(True, lambda: follows(here, here, hand.match))
            late._returns_count = 0
            assert late.follower == before != here.follower
            await hand.write()
            await until(lambda: 1 in told)


async def test_a_registration_that_redis_refuses_for_a_while_is_made_later(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(append_notices, "RETRY_S", 0.05)
    with RedisServer(fsync="no") as server:
        async with opened(server.url) as here, opened(server.url) as there, watching(here) as watch:
            hands = [hand_of(there) for _ in range(3)]
            told: list[int] = []
            left: list[int] = []
            await there.pipe.call("CONFIG", "SET", "maxmemory", 1)
            watch.watch(hands[0].match, told.append)
            watch.watch(hands[1].match, left.append)
            await asyncio.sleep(0.3)
            watch.unwatch(hands[1].match, left.append)
            assert (told, left) == ([], [])
            assert sum("did not store that" in record.message for record in caplog.records) == 1
            await there.pipe.call("CONFIG", "SET", "maxmemory", 0)
            await until(lambda: told == [0])
            for hand in hands:
                await hand.write()
            await until(lambda: told == [0, 1])
            assert left == []
            assert await followers(there, hands[1].match) == []


async def test_a_registration_that_is_lost_unnoticed_is_made_again_in_time(
    redis_server: AnyRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(append_notices, "RETRY_S", 0.05)
    monkeypatch.setattr(append_notices, "RENEW_S", 0.2)
    async with opened(redis_server.url) as here, opened(redis_server.url) as there, watching(here) as watch:
        hand = hand_of(there)
        looker = Looker(hand_of(here, hand.match))
        watch.watch(hand.match, looker)
        await until_it_is([here.follower], lambda: followers(there, hand.match))
        await there.pipe.call("DEL", keys.followers(hand.match))
        await hand.write()
        await until(lambda: looker.seen == 1)
        assert await followers(there, hand.match) == [here.follower]


async def test_who_is_dead_is_forgotten_also_where_others_go_on_following(
    redis_server: AnyRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = ""
    async with opened(redis_server.url) as here:
        async with opened(redis_server.url) as there:
            match = hand_of(here).match
            async with watching(here) as watch, watching(there) as dying:
                told: list[int] = []
                dying.watch(match, told.append)
                await until(lambda: told == [0])
                ttl_ms = await here.pipe.call("PTTL", keys.followers(match))
                assert 0 < ttl_ms <= append_notices.FORGOTTEN_S * 1000
                assert append_notices.RENEW_S < append_notices.FORGOTTEN_S / 2  # one renewal may fail
                dead = there.follower
            # Both are gone without a word. What was said last is said again, for a shorter time.
            monkeypatch.setattr(append_notices, "RETRY_S", 0.05)
            monkeypatch.setattr(append_notices, "RENEW_S", 0.1)
            monkeypatch.setattr(append_notices, "FORGOTTEN_S", 0.6)
            async with watching(there) as dying:
                dying.watch(match, told.append)
                await until(lambda: told == [0, 0])
        async with watching(here) as watch:
            watch.watch(match, told.append)
            await until_it_is([dead, here.follower], lambda: followers(here, match))
            await until_it_is([here.follower], lambda: followers(here, match))
            await asyncio.sleep(0.7)
            assert await followers(here, match) == [here.follower]
        await until_it_is(0, lambda: here.pipe.call("EXISTS", keys.followers(match)))


async def test_other_channels_are_heard_too(redis_server: AnyRedis) -> None:
    async with opened(redis_server.url) as connection:
        watch = Watch(connection)
        heard: list[bytes] = []
        stands = asyncio.Event()
        watch.subscribe("t:channel", heard.append, stands.set)
        await asyncio.wait_for(stands.wait(), 2)
        await connection.redis.publish("t:channel", b"\x00any")
        await until(lambda: heard == [b"\x00any"])
        await watch.close()
