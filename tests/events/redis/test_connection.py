"""The embedded Redis with its data directory, and which Redis is not good enough."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.events.hand import Hand, assert_whole, opened
from tests.servers import RedisServer
from warlog_events.clock_and_random import World
from warlog_events.errors import Repeated, Unavailable, Unconfirmed, WarlogError
from warlog_events.redis import embedded, keys
from warlog_events.redis.connection import Connection, Durability, RedisUnsuitable, open_redis
from warlog_events.redis.pipe import Pipe
from warlog_events.redis.store import Append, Store
from warlog_events.redis.wire import Wire

OWNER = """
import asyncio, sys
from tests.events.hand import Hand, opened
from warlog_events.redis.store import Store
from warlog_events.clock_and_random import World

async def main():
    async with opened(None, sys.argv[1]) as connection:
        hand = Hand(Store(connection, World.real()))
        await hand.write()
        print(await redis_pid(connection), hand.match, flush=True)
        await asyncio.sleep(60)

async def redis_pid(connection):
    return (await connection.redis.info("server"))["process_id"]

asyncio.run(main())
"""


@pytest.fixture
def own_server() -> Iterator[RedisServer]:
    with RedisServer(fsync="no") as server:
        yield server


async def redis_pid(connection: Connection) -> int:
    return int((await connection.redis.info("server"))["process_id"])


def alive(pid: int) -> bool:
    """A zombie is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def until(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


def wire_of(connection: Connection) -> Wire | None:
    """None while there is none, which may be shorter than a look at it takes."""
    assert isinstance(connection.pipe, Pipe)
    return connection.pipe._line.wire


def hand_of(connection: Connection, match: str | None = None) -> Hand:
    return Hand(Store(connection, World.real()), match)


@pytest.mark.parametrize("durability", ["everysec", "always"])
async def test_a_restart_on_the_same_directory_loses_nothing(tmp_path: Path, durability: Durability) -> None:
    async with opened(None, tmp_path / "data", durability=durability) as connection:
        hand = hand_of(connection)
        for _ in range(20):
            await hand.write()
        pid = await redis_pid(connection)
    assert not alive(pid)
    async with opened(None, tmp_path / "data", durability=durability) as connection:
        again = hand_of(connection, hand.match)
        await again.look()
        assert (again.version, again.chain) == (20, hand.chain)
        await again.write()


async def test_it_listens_on_a_socket_of_its_own_and_nowhere_else(tmp_path: Path) -> None:
    async with opened(None, tmp_path) as connection:
        config = await connection.redis.config_get("*")
        assert (config["port"], config.get("tls-port", "0")) == ("0", "0")
        assert config["appendonly"] == "yes"
        assert config["maxmemory-policy"] == "noeviction"
        assert (tmp_path / "redis.sock").stat().st_mode & 0o777 == 0o700


async def test_a_directory_deeper_than_a_socket_path_may_be_is_no_obstacle(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 60) / ("e" * 60) / "with a space"
    async with opened(None, deep) as connection:
        hand = hand_of(connection)
        await hand.write()
        async with opened(None, deep) as second:
            assert await redis_pid(second) == await redis_pid(connection)
        path = (deep / "redis.socket").read_text()
    async with opened(None, deep) as connection:
        assert (await hand_of(connection).store.tail(hand.match)) == (1, hand.chain)
        assert (deep / "redis.socket").read_text() == path


async def test_when_its_owner_is_killed_it_saves_and_ends(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        pid, match = owner.stdout.readline().split()
        owner.kill()
    await until(lambda: not alive(int(pid)))
    async with opened(None, tmp_path) as connection:
        assert await redis_pid(connection) != int(pid)
        assert_whole(await hand_of(connection).store.events(match))
        assert await hand_of(connection).store.tail(match) is not None


async def test_two_processes_share_it_and_the_second_carries_on_when_the_first_is_killed(
    tmp_path: Path,
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        pid, match = owner.stdout.readline().split()
        async with opened(None, tmp_path) as connection:
            assert await redis_pid(connection) == int(pid)
            hand = hand_of(connection, match)
            await hand.look()
            await hand.write()
            wire = wire_of(connection)
            owner.kill()
            await until(lambda: wire_of(connection) not in (None, wire))
            await hand.write()
            assert await redis_pid(connection) != int(pid)
            assert_whole(await hand.store.events(match))


async def test_many_processes_starting_at_once_start_one_server(tmp_path: Path) -> None:
    connections = await asyncio.gather(*(open_redis(None, tmp_path) for _ in range(5)))
    assert len({await redis_pid(connection) for connection in connections}) == 1
    for connection in connections:
        await connection.close()


@pytest.mark.parametrize("durability", ["everysec", "always"])
async def test_a_kill_of_redis_under_load_loses_nothing_acknowledged(
    tmp_path: Path, durability: Durability
) -> None:
    """Every caller is answered, what is acknowledged is kept, and no restart of ours is needed to go on."""
    async with opened(None, tmp_path, durability=durability) as connection:
        pid = await redis_pid(connection)
        hands = [hand_of(connection) for _ in range(20)]
        unsure: list[tuple[Hand, Append]] = []
        refused: list[WarlogError] = []

        async def play(hand: Hand) -> None:
            while True:
                append = hand.append(idempotency=hand.key(f"k{hand.version}"))
                try:
                    await hand.write(list(append.events), idempotency=append.idempotency)
                except Unconfirmed:
                    unsure.append((hand, append))
                    return
                except Unavailable as error:
                    refused.append(error)
                    return

        playing = asyncio.gather(*(play(hand) for hand in hands))
        await asyncio.sleep(0.3)
        os.kill(pid, signal.SIGKILL)
        await asyncio.wait_for(playing, 5)
        assert len(unsure) + len(refused) == len(hands)
        assert unsure, "nothing was on its way"
        await until(lambda: connection.pipe.ready)
        for hand in hands:
            events = await hand.store.events(hand.match, limit=100_000)
            assert_whole(events)
            assert len(events) in (hand.version, hand.version + 1)
            assert events[hand.version - 1].chain == hand.chain
        for hand, append in unsure:  # the same command with the same key ends well either way
            with contextlib.suppress(Repeated):
                await hand.store.append(append)
            assert (await hand.store.tail(hand.match) or (0,))[0] == hand.version + 1


async def test_after_a_kill_the_server_is_flushed_every_second_again(tmp_path: Path) -> None:
    async with opened(None, tmp_path) as connection:
        first = connection._embedded._flusher  # type: ignore[union-attr]
        wire = wire_of(connection)
        os.kill(await redis_pid(connection), signal.SIGKILL)
        await until(lambda: wire_of(connection) not in (None, wire))
        second = connection._embedded._flusher  # type: ignore[union-attr]
        assert first is not None
        assert second is not None
        assert first is not second
        assert not second.done()
        connection._embedded._flush()  # type: ignore[union-attr]


async def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    (tmp_path / "appendonly.aof").write_bytes(b"*3\r\n$3\r\nSET\r\nrubbish and more rubbish\r\n" * 3)
    with pytest.raises(RedisUnsuitable, match=r"redis-server ended with code"):
        await asyncio.wait_for(open_redis(None, tmp_path), 10)


async def test_a_directory_of_a_newer_redis_is_not_taken_for_an_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    executable, _ = embedded._redis_server()
    monkeypatch.setattr(embedded, "_redis_server", lambda: (executable, (6, 2)))
    (tmp_path / "appendonlydir").mkdir()
    with pytest.raises(RedisUnsuitable, match="Redis 7 or newer"):
        await open_redis(None, tmp_path)


async def test_a_redis_that_evicts_is_refused(own_server: RedisServer) -> None:
    async with opened(own_server.url) as connection:
        await connection.redis.config_set("maxmemory-policy", "allkeys-lru")
    with pytest.raises(RedisUnsuitable, match="noeviction"):
        await open_redis(own_server.url, None)


async def test_a_redis_that_keeps_no_file_is_refused_where_the_promise_needs_one() -> None:
    with (
        RedisServer(fsync="no", config={"appendonly": "no"}) as server,
        pytest.raises(RedisUnsuitable, match="appendonly yes"),
    ):
        await open_redis(server.url, None)


async def test_always_needs_a_redis_that_always_flushes(own_server: RedisServer) -> None:
    with pytest.raises(RedisUnsuitable, match="appendfsync always"):
        await open_redis(own_server.url, None, "always")
    with RedisServer(fsync="always") as server:
        async with opened(server.url, durability="always") as connection:
            await hand_of(connection).write()


async def test_another_number_of_buckets_is_refused(own_server: RedisServer) -> None:
    async with opened(own_server.url, buckets=8) as connection:
        assert int((hand_of(connection).match)[2:5]) < 8
    with pytest.raises(RedisUnsuitable, match="8 buckets"):
        await open_redis(own_server.url, None)
    async with opened(own_server.url, buckets=8):
        pass


@pytest.mark.parametrize("buckets", [0, -1, 1001])
async def test_a_number_of_buckets_that_no_match_id_can_say_is_refused(tmp_path: Path, buckets: int) -> None:
    with pytest.raises(RedisUnsuitable):
        await open_redis(None, tmp_path, buckets=buckets)


async def test_replicas_cannot_be_had_from_the_embedded_server(tmp_path: Path) -> None:
    with pytest.raises(RedisUnsuitable, match="replicated"):
        await open_redis(None, tmp_path, "replicated")


async def test_nowhere_to_go_is_refused() -> None:
    with pytest.raises(RedisUnsuitable):
        await open_redis(None, None)


@pytest.mark.parametrize("url", ["http://localhost", "localhost:6379", "redis://localhost:nonsense"])
async def test_what_is_no_redis_url_is_refused(url: str) -> None:
    with pytest.raises(RedisUnsuitable):
        await open_redis(url, None)


async def test_a_redis_that_is_not_there_is_waited_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("warlog_events.redis.connection.PATIENCE_S", 0.2)
    started = time.monotonic()
    with pytest.raises(Unavailable):
        await open_redis(f"unix://{tmp_path}/nobody.sock", None)
    assert 0.2 < time.monotonic() - started < 2


async def test_a_password_is_said_and_a_wrong_one_is_refused(own_server: RedisServer) -> None:
    async with opened(own_server.url) as connection:
        await connection.redis.config_set("requirepass", "s3cret")
    async with opened(f"unix://:s3cret@{own_server.socket}?db=3") as connection:
        hand = hand_of(connection)
        await hand.write()
        assert await connection.redis.exists(keys.events(hand.match))
        assert (await connection.redis.client_info())["db"] == 3
    for url in (f"unix://:wrong@{own_server.socket}", own_server.url):
        with pytest.raises(RedisUnsuitable, match="refuses"):
            await open_redis(url, None)
