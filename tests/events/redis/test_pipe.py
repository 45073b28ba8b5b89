"""The pipelining client against a real Redis that answers, dies, freezes, comes back."""

import asyncio
import os
import signal
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from redis.exceptions import ResponseError

from tests.cluster import free_ports
from tests.events.hand import Hand, assert_whole, opened
from tests.servers import AnyRedis, RedisServer
from warlog_events.clock_and_random import World
from warlog_events.errors import Repeated, Unavailable, Unconfirmed
from warlog_events.redis import pipe
from warlog_events.redis.connection import Connection
from warlog_events.redis.pipe import Address, Client, Line, Pipe
from warlog_events.redis.store import Store
from warlog_events.redis.wire import Wire

REDIS_KINDS = ("plain",)


@pytest.fixture
async def connection(redis_server: AnyRedis) -> AsyncIterator[Connection]:
    async with opened(redis_server.url) as connection:
        yield connection


@pytest.fixture
def own_server() -> Iterator[RedisServer]:
    """One that a test may kill."""
    with RedisServer(fsync="no") as server:
        yield server


def line_of(connection: Connection) -> Line:
    assert isinstance(connection.pipe, Pipe)
    return connection.pipe._line


async def until_ready(client: Client, seconds: float = 5.0) -> None:
    async with asyncio.timeout(seconds):
        while not client.ready:
            await asyncio.sleep(0.005)


async def test_replies_come_in_the_order_of_the_commands(connection: Connection) -> None:
    replies = await connection.pipe.many(("ECHO", f"{i}") for i in range(1000))
    assert replies == [f"{i}".encode() for i in range(1000)]


async def test_what_is_queued_in_one_tick_goes_out_in_one_write(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire = line_of(connection).wire
    assert wire is not None
    transport: Any = wire._transport
    written: list[int] = []

    class Counting:
        def write(self, data: bytes) -> None:
            written.append(len(data))
            transport.write(data)

    monkeypatch.setattr(wire, "_transport", Counting())

    async def caller(i: int) -> None:
        assert await connection.pipe.call("ECHO", str(i)) == str(i).encode()

    await asyncio.gather(*(caller(i) for i in range(100)))
    assert len(written) == 1
    monkeypatch.setattr(wire, "_transport", transport)


async def test_words_may_be_bytes_text_or_numbers_and_replies_are_bytes(connection: Connection) -> None:
    client = connection.pipe
    await client.call("SET", b"t:\x00\xff", "é\r\n", write=True)
    assert await client.call("GET", b"t:\x00\xff") == "é\r\n".encode()
    assert await client.call("GET", "t:absent") is None
    assert await client.call("DEL", b"t:\x00\xff", write=True) == 1
    assert await client.call("ECHO", 17) == b"17"


async def test_a_wrong_command_fails_alone(connection: Connection) -> None:
    client = connection.pipe
    one, wrong, two = client.send("ECHO", "1"), client.send("LPUSH", "t:x"), client.send("ECHO", "2")
    with pytest.raises(ResponseError):
        await wrong
    assert (await one, await two) == (b"1", b"2")


async def test_a_caller_that_goes_away_disturbs_nobody(connection: Connection) -> None:
    gone = asyncio.create_task(connection.pipe.call("ECHO", "gone"))
    await asyncio.sleep(0)
    staying = connection.pipe.send("ECHO", "here")
    gone.cancel()
    assert await staying == b"here"
    assert await connection.pipe.call("ECHO", "after") == b"after"


async def test_a_transaction_is_all_or_nothing(connection: Connection) -> None:
    client = connection.pipe
    assert await client.atomically((("SET", "t:a", 1), ("INCR", "t:a"))) == [b"OK", 2]
    with pytest.raises(ResponseError):
        await client.atomically((("SET", "t:a", 5), ("NOSUCHCOMMAND",)))
    assert await client.call("GET", "t:a") == b"2"
    await client.call("DEL", "t:a", write=True)


async def test_a_script_that_redis_forgot_is_sent_again(connection: Connection) -> None:
    hand = Hand(Store(connection, World.real()))
    await hand.write()
    await connection.redis.script_flush()
    await hand.write()
    assert_whole(await hand.store.events(hand.match))


async def test_a_reply_of_megabytes_arrives_whole(connection: Connection) -> None:
    big = os.urandom(1 << 20) * 8
    assert await connection.pipe.call("ECHO", big) == big


async def test_without_redis_everything_fails_at_once_and_works_again_when_it_is_back(
    own_server: RedisServer,
) -> None:
    async with opened(own_server.url) as connection:
        client = connection.pipe
        assert client.ready
        own_server.kill()
        with pytest.raises(Unavailable):
            await client.call("PING")
        started = time.monotonic()
        for _ in range(100):
            with pytest.raises(Unavailable):
                await client.call("SET", "a", "b", write=True)
        assert not client.ready
        assert not await client.ping()
        assert time.monotonic() - started < 0.5
        own_server.start()
        await until_ready(client)
        assert await client.ping()
        assert await client.call("SET", "a", "b", write=True) == b"OK"


async def test_of_what_was_on_its_way_reads_are_unavailable_and_writes_unconfirmed(
    own_server: RedisServer,
) -> None:
    async with opened(own_server.url) as connection:
        client = connection.pipe
        os.kill(own_server.pid, signal.SIGSTOP)
        read, write = client.send("GET", "a"), client.send("SET", "a", "b", write=True)
        await asyncio.sleep(0.01)
        own_server.kill()
        unsent = client.send("SET", "a", "c", write=True) if client.ready else None
        with pytest.raises(Unavailable):
            await read
        with pytest.raises(Unconfirmed):
            await write
        if unsent is not None:
            with pytest.raises((Unavailable, Unconfirmed)):
                await unsent


async def test_what_never_left_is_unavailable_though_it_is_a_write(own_server: RedisServer) -> None:
    async with opened(own_server.url) as connection:
        wire = line_of(connection).wire
        assert wire is not None
        queued = connection.pipe.send("SET", "a", "b", write=True)
        wire.connection_lost(None)
        with pytest.raises(Unavailable):
            await queued


async def test_a_silent_server_is_given_up_and_found_again(
    own_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the machine at the other end vanishes: the connection stays open and nothing ever comes."""
    monkeypatch.setattr(pipe, "PING_EVERY_S", 0.05)
    monkeypatch.setattr(pipe, "SILENCE_S_MAX", 0.3)
    async with opened(own_server.url) as connection:
        client = connection.pipe
        os.kill(own_server.pid, signal.SIGSTOP)
        write = client.send("SET", "a", "b", write=True)
        with pytest.raises(Unconfirmed):
            await asyncio.wait_for(write, 3)
        assert not client.ready
        os.kill(own_server.pid, signal.SIGCONT)
        await until_ready(client)
        assert await client.call("ECHO", "x") == b"x"


async def test_a_busy_process_does_not_take_its_own_silence_for_the_servers(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipe, "PING_EVERY_S", 0.02)
    monkeypatch.setattr(pipe, "SILENCE_S_MAX", 0.1)
    wire = line_of(connection).wire
    for _ in range(3):
        await asyncio.sleep(0.05)
        time.sleep(0.3)  # the whole loop stands still
    await asyncio.sleep(0.05)
    assert line_of(connection).wire is wire


async def test_who_does_not_speak_redis_is_hung_up_on() -> None:
    async def greet(wire: Wire) -> None:
        await wire.send(("PING",))

    with socket.create_server(("127.0.0.1", 0)) as server:

        def babble() -> None:
            with server.accept()[0] as peer:
                peer.recv(100)
                peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                peer.recv(100)

        threading.Thread(target=babble, daemon=True).start()

        async def locate() -> Address:
            return Address(host="127.0.0.1", port=server.getsockname()[1])

        with pytest.raises(Unavailable):
            await Pipe(locate, greet).open()


async def until_replicas(connection: Connection, count: int) -> None:
    async with asyncio.timeout(10):
        while await connection.pipe.call("WAIT", count, 100) < count:
            await asyncio.sleep(0.02)


async def test_replicated_means_on_a_replica_and_too_few_of_them_means_unconfirmed() -> None:
    (port,) = free_ports(1)
    fast = {"repl-diskless-sync": "yes", "repl-diskless-sync-delay": "0"}
    with (
        RedisServer(fsync="no", config={"port": str(port), **fast}) as main,
        RedisServer(fsync="no") as replica,
    ):
        async with opened(main.url, durability="replicated", replicas=1, wait_ms=1500) as connection:
            hand = Hand(Store(connection, World.real()))
            unconfirmed = hand.append(idempotency=hand.key("k", "d"))
            with pytest.raises(Unconfirmed):  # nobody replicates yet
                await hand.store.append(unconfirmed)
            async with opened(replica.url) as other:
                await other.redis.replicaof("127.0.0.1", port)
                await until_replicas(connection, 1)
                # It was done, and the same key says so: confirmed by now.
                with pytest.raises(Repeated):
                    await hand.store.append(unconfirmed)
                await hand.look()
                await asyncio.gather(*(_matchful(Store(connection, World.real()), 10) for _ in range(10)))
                await hand.write()
                # What is acknowledged is there already, not soon.
                assert await other.redis.xlen(f"warlog:{{b{hand.match[2:5]}}}:{hand.match}:events") == 2
            replica.kill()
            with pytest.raises(Unconfirmed):
                await hand.write()
            started = time.monotonic()
            done = await asyncio.gather(
                *(Hand(Store(connection, World.real())).write() for _ in range(50)), return_exceptions=True
            )
            assert {type(one) for one in done} == {Unconfirmed}
            assert time.monotonic() - started < 10, "one WAIT per batch, not one per command"


async def _matchful(store: Store, count: int) -> None:
    hand = Hand(store)
    for _ in range(count):
        await hand.write()


async def test_a_replica_is_no_place_to_write(own_server: RedisServer) -> None:
    """After a fail-over the old address may lead to a replica: unavailable until it leads to the new master."""
    async with opened(own_server.url) as connection:
        hand = Hand(Store(connection, World.real()))
        await hand.write()
        await connection.redis.replicaof("127.0.0.1", 1)
        with pytest.raises(Unavailable):
            await hand.write()
        await connection.redis.replicaof("NO", "ONE")
        await until_ready(connection.pipe)
        await hand.write()
        assert_whole(await hand.store.events(hand.match))


async def test_a_full_redis_takes_nothing_and_loses_nothing(own_server: RedisServer) -> None:
    async with opened(own_server.url) as connection:
        hand = Hand(Store(connection, World.real()))
        await hand.write()
        await connection.redis.config_set("maxmemory", "100kb")
        with pytest.raises(Unavailable):
            await hand.write()
        assert len(await hand.store.events(hand.match)) == 1
        await connection.redis.config_set("maxmemory", "0")
        await hand.write()
        assert_whole(await hand.store.events(hand.match))
