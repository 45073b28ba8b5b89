"""Being told that a match has moved: of everything, of nothing but that, and again after a loss."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.events.hand import Hand, opened
from tests.servers import AnyRedis, RedisServer
from warlog_events import keys
from warlog_events.notify import Watch
from warlog_events.store import Store
from warlog_events.world import World


async def until(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)


async def test_every_append_is_told_whoever_made_it(redis_server: AnyRedis) -> None:
    async with opened(redis_server.url) as here, opened(redis_server.url) as there:
        watch = Watch(here)
        hand = Hand(Store(there, World.real()))
        told: list[int] = []
        watch.watch(hand.match, told.append)
        await until(lambda: told == [0])
        for _ in range(3):
            await hand.write()
        await hand.write(hand.events(5))
        await until(lambda: told == [0, 1, 2, 3, 8])
        await watch.close()


async def test_a_notification_carries_the_match_and_the_version_and_nothing_else(
    redis_server: AnyRedis,
) -> None:
    async with opened(redis_server.url) as connection:
        everything: Any = (await connection.redis.initialize()).pubsub()
        await everything.psubscribe("*")
        assert await everything.get_message(timeout=2)
        hand = Hand(Store(connection, World.real()))
        await hand.write(
            hand.events(body=b'{"secret":"ambush"}', draws=[4]),
            summary=b'{"secret":"ambush"}',
            secrets={"sha256:aa": "5eed"},
            idempotency=hand.key("k", "d", b"ambush"),
        )
        said = await everything.get_message(timeout=2)
        assert said is not None
        assert (said["channel"], said["data"]) == (keys.moved(hand.match).encode(), b"1")
        assert await everything.get_message(timeout=0.1) is None
        await everything.aclose()


async def test_each_watcher_is_told_to_look_when_its_watch_stands(redis_server: AnyRedis) -> None:
    """What was appended before that is nobody's message."""
    async with opened(redis_server.url) as connection:
        watch = Watch(connection)
        hand = Hand(Store(connection, World.real()))
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
        await watch.close()


async def test_who_no_longer_watches_is_told_no_more_and_one_deaf_ear_deafens_no_other(
    redis_server: AnyRedis, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(redis_server.url) as connection:
        watch = Watch(connection)
        hand = Hand(Store(connection, World.real()))
        told: list[int] = []

        def deaf(version: int) -> None:
            raise RuntimeError("deaf")

        watch.watch(hand.match, deaf)
        watch.watch(hand.match, told.append)
        await until(lambda: 0 in told)
        await hand.write()
        await until(lambda: 1 in told)
        watch.unwatch(hand.match, deaf)
        watch.unwatch(hand.match, told.append)
        watch.unwatch(hand.match, told.append)
        await hand.write()
        subscribed = await connection.redis.pubsub_numsub(keys.moved(hand.match))
        assert [count for _, count in subscribed] == [0]
        assert told[-1] == 1
        await watch.close()


async def test_after_a_loss_every_watcher_is_told_to_look() -> None:
    with RedisServer(fsync="no") as server:
        async with opened(server.url) as connection:
            watch = Watch(connection)
            hands = [Hand(Store(connection, World.real())) for _ in range(3)]
            told: dict[str, list[int]] = {hand.match: [] for hand in hands}
            lost: list[bool] = []
            for hand in hands:
                watch.watch(hand.match, told[hand.match].append)
            watch.subscribe("other", lambda content: None, lambda: lost.append(watch.ready))
            await until(lambda: lost == [True] and all(versions == [0] for versions in told.values()))
            server.kill()
            await until(lambda: not watch.ready)
            server.start()
            await until(lambda: all(versions == [0, 0] for versions in told.values()))
            await until(lambda: lost == [True, False, True])
            await until(lambda: connection.pipe.ready)
            await hands[0].write()
            await until(lambda: told[hands[0].match] == [0, 0, 1])
            await watch.close()


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
