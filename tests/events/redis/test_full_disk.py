"""The disk runs full while events are written: what was acknowledged is there, however it ends, and it goes on again.

On small file systems that another process fills, and fills again whenever something is given up.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

import warlog_core
from tests.cluster import wait_until
from tests.events.hand import Hand, assert_whole, opened
from tests.events.players.test_scenarios import New
from tests.servers import RedisServer
from tests.service.junqi import LAYOUT
from tests.service.test_heavy import long_record
from tests.small_disk import Filler, free_bytes, small_disk
from warlog_events.clock_and_random import World
from warlog_events.errors import DiskFull, Repeated, Unavailable, Unconfirmed, WarlogError
from warlog_events.match.model import Player
from warlog_events.match.stored import StoredEvent
from warlog_events.matches import Matches
from warlog_events.players.accounts import Accounts
from warlog_events.players.layouts import Library
from warlog_events.players.own_options import OptionsKept
from warlog_events.players.scenarios import Scenarios
from warlog_events.redis import embedded, wire
from warlog_events.redis.append_notices import Watch
from warlog_events.redis.connection import Connection, Durability
from warlog_events.redis.store import Store

REDIS_KINDS = ("embedded",)
DISK_MB = 24
BALLAST = 2 << 20
BODY = b'{"action":{"type":"wait"},"note":"' + b"x" * 1_500 + b'"}'


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", DISK_MB) as disk:
        yield disk


def store_of(connection: Connection) -> Store:
    return Store(connection, World.real())


async def keep_writing(store: Store, acknowledged: Callable[[str, int, str], None]) -> None:
    """Match after match, until the loop ends."""
    while True:
        hand = Hand(store)
        try:
            for _ in range(100):
                await hand.write(hand.events(body=BODY))
                acknowledged(hand.match, hand.version, hand.chain)
        except WarlogError:
            await asyncio.sleep(0.005)


_WRITER = """
import asyncio, signal, sys
from pathlib import Path
from tests.events.hand import opened
from tests.events.redis.test_full_disk import BALLAST, keep_writing, store_of

async def main():
    loop = asyncio.get_running_loop()
    async with opened(None, Path(sys.argv[1]), durability=sys.argv[2], ballast_bytes=BALLAST) as connection:
        print("pid", (await connection.redis.info("server"))["process_id"], "-", flush=True)
        def acknowledged(*what):
            print(*what, flush=True)
        tasks = [loop.create_task(keep_writing(store_of(connection), acknowledged)) for _ in range(20)]
        ended = asyncio.Event()
        loop.add_signal_handler(signal.SIGTERM, ended.set)
        await ended.wait()
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("durability", "end"),
    [
        ("everysec", "kill the writer"),
        ("everysec", "end the writer"),
        ("always", "kill Redis"),
        ("everysec", "kill Redis"),
        ("everysec", "end Redis"),
        ("always", "end Redis"),
        ("always", "kill the writer"),
        ("always", "end the writer"),
    ],
)
async def test_what_was_acknowledged_before_the_disk_was_full_is_there_afterwards(
    disk: Path, durability: Durability, end: str
) -> None:
    (disk / "data").mkdir()
    log = disk.parent / "acknowledged"
    with contextlib.ExitStack() as stack:
        # What the writer says goes to another disk.
        writer = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(disk / "data"), durability],
            stdout=stack.enter_context(log.open("wb")),
            stderr=subprocess.DEVNULL,
        )
        stack.callback(writer.kill)
        wait_until(lambda: log.read_bytes().count(b"\n") > 200)
        redis_pid = int(log.read_bytes().split()[1])
        filler = stack.enter_context(Filler(disk))
        filler.until_full()
        time.sleep(0.3)
        if end.endswith("writer"):
            writer.send_signal(signal.SIGKILL if end.startswith("kill") else signal.SIGTERM)
        else:
            with contextlib.suppress(ProcessLookupError):  # with `always` it may be between two lives
                os.kill(redis_pid, signal.SIGKILL if end.startswith("kill") else signal.SIGTERM)
            time.sleep(0.1)
            writer.kill()
        time.sleep(0.2)
        filler.stop()
        writer.wait(30)
    newest: dict[str, tuple[int, str]] = {}
    for line in log.read_text().splitlines()[1:]:
        match, number, chain = line.split()
        newest[match] = int(number), chain
    assert sum(version for version, _ in newest.values()) > 100
    async with opened(None, disk / "data", ballast_bytes=BALLAST) as connection:
        store = store_of(connection)
        lost = 0
        for match, (version, chain) in newest.items():
            events = await read_when_redis_is_back(store, match)
            assert_whole(events)
            lost += max(0, version - len(events))
            assert len(events) < version or events[version - 1].chain == chain
        assert lost == 0, f"{lost} acknowledged events are gone"


async def read_when_redis_is_back(store: Store, match: str) -> list[StoredEvent]:
    """It may end once more while the file that filled the disk is being removed, and is started again."""
    async with asyncio.timeout(30):
        while True:
            with contextlib.suppress(Unavailable):
                return await store.events(match, limit=1_000)
            await asyncio.sleep(0.1)


async def until(condition: Callable[[], object], seconds: float = 30.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


async def refusal(hand: Hand) -> WarlogError | None:
    try:
        await hand.write(hand.events(body=BODY))
    except WarlogError as error:
        await hand.look()
        return error
    return None


async def test_a_full_disk_closes_the_server_and_room_opens_it_again(
    disk: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    ballast = disk / "data" / "ballast"

    def said(what: str) -> int:
        return sum(what in record.getMessage() for record in caplog.records)

    async with opened(None, disk / "data", ballast_bytes=BALLAST) as connection:
        hand = Hand(store_of(connection))
        await hand.write()
        assert ballast.stat().st_size == BALLAST
        with Filler(disk) as filler:
            filler.until_full()
            await until(lambda: connection.refuses)
            for _ in range(3):
                assert isinstance(await refusal(hand), DiskFull)
            assert_whole(await hand.store.events(hand.match))
            assert said("DISK FULL") == 1
            filler.stop()
            # Whatever happened in between: what is taken again is taken for good.
            await until(lambda: connection.refuses is None)
        assert ballast.stat().st_size == BALLAST
        assert said("writes are taken") == 1
        await hand.look()
        await hand.write()
        assert_whole(await hand.store.events(hand.match))
    assert not ballast.exists()


async def test_an_answer_waits_for_the_disk_and_comes_when_there_is_room(disk: Path) -> None:
    """With a Redis by URL, which has no ballast: as long as its write is not done, there is no answer."""
    (disk / "redis").mkdir()
    with RedisServer(disk / "redis", fsync="no") as redis:
        async with opened(redis.url) as connection:
            hand = Hand(store_of(connection))
            await hand.write()
            (disk / "filler").write_bytes(bytes(free_bytes(disk)))
            writing = asyncio.create_task(hand.write(hand.events(body=BODY * 10)))
            await until(lambda: connection.refuses)
            done, _ = await asyncio.wait([writing], timeout=0.2)
            assert not done, "answered before it was saved"
            assert isinstance(await refusal(Hand(hand.store)), DiskFull)
            (disk / "filler").unlink()
            await asyncio.wait_for(writing, 5)
            await until(lambda: connection.refuses is None)
            await hand.write()
            redis.kill()
            await until(lambda: not connection.pipe.ready)
            redis.start()
            await until(lambda: connection.pipe.ready)
            assert len(await hand.store.events(hand.match)) == 3


async def test_an_answer_that_waits_too_long_is_unconfirmed_and_its_key_tells(
    disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "UNSURE_S_MAX", 0.2)
    (disk / "redis").mkdir()
    with RedisServer(disk / "redis", fsync="no") as redis:
        async with opened(redis.url) as connection:
            hand = Hand(store_of(connection))
            await hand.write()
            (disk / "filler").write_bytes(bytes(free_bytes(disk)))
            append = hand.append(hand.events(body=BODY * 10), idempotency=hand.key("once"))
            with pytest.raises(Unconfirmed):
                await hand.store.append(append)
            with pytest.raises(Unconfirmed):  # Redis knows of it, and it is still nowhere else
                await hand.store.append(append)
            (disk / "filler").unlink()
            await until(lambda: connection.refuses is None)
            with pytest.raises(Repeated):
                await hand.store.append(append)


async def test_an_end_that_cannot_save_everything_is_loud(
    disk: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(embedded, "STOP_S_MAX", 1.0)
    async with opened(None, disk / "data", ballast_bytes=0) as connection:
        hand = Hand(store_of(connection))
        await hand.write()
        (disk / "filler").write_bytes(bytes(free_bytes(disk)))
        writing = asyncio.create_task(hand.write(hand.events(body=BODY * 10)))
        await until(lambda: connection.refuses)
    with pytest.raises(Unconfirmed):
        await writing
    assert "ends without having saved all" in caplog.text
    (disk / "filler").unlink()
    async with opened(None, disk / "data", ballast_bytes=0) as connection:
        assert len(await store_of(connection).events(hand.match)) == 1


async def test_an_end_waits_until_everything_is_saved(disk: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with opened(None, disk / "data", ballast_bytes=0) as connection:
        hand = Hand(store_of(connection))
        await hand.write()
        (disk / "filler").write_bytes(bytes(free_bytes(disk)))
        writing = asyncio.create_task(hand.write(hand.events(body=BODY * 10)))
        await until(lambda: connection.refuses)
        asyncio.get_running_loop().call_later(0.5, (disk / "filler").unlink)
    await writing
    assert "ends without having saved all" not in caplog.text
    async with opened(None, disk / "data", ballast_bytes=0) as connection:
        assert len(await store_of(connection).events(hand.match)) == 2


async def test_a_server_that_starts_on_a_full_disk_starts_closed(disk: Path) -> None:
    async with opened(None, disk / "data", ballast_bytes=BALLAST) as connection:
        hand = Hand(store_of(connection))
        await hand.write()
    (disk / "filler").write_bytes(bytes(free_bytes(disk) - 200_000))
    async with opened(None, disk / "data", ballast_bytes=BALLAST) as connection:
        hand.store = store_of(connection)
        assert isinstance(connection.refuses, DiskFull)
        assert isinstance(await refusal(hand), DiskFull)
        assert len(await hand.store.events(hand.match)) == 1
        (disk / "filler").unlink()
        await until(lambda: connection.refuses is None)
        await hand.write()


async def test_a_server_that_ends_at_each_start_on_a_full_disk_is_known_to_have_no_room(
    disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `always` it ends with the first write, which may be that of a key that has expired: before it is asked."""
    monkeypatch.setattr(embedded, "GUARD_EVERY_S", 60.0)  # it notices nothing by itself
    async with opened(None, disk / "data", durability="always", ballast_bytes=BALLAST) as connection:
        hand = Hand(store_of(connection))
        await hand.write()
        pid = (await connection.redis.info("server"))["process_id"]
        with Filler(disk) as filler, monkeypatch.context() as patch:
            filler.until_full()
            patch.setattr(embedded, "_redis_server", lambda: ("/bin/false", embedded.VERSION_MIN))
            os.kill(pid, signal.SIGKILL)
            await until(lambda: not connection.pipe.ready)
            await until(lambda: isinstance(connection.refuses, DiskFull))
            with pytest.raises(DiskFull):
                await hand.write()
        await until(lambda: connection.pipe.ready)
        assert len(await hand.store.events(hand.match)) == 1


# ---- memory -------------------------------------------------------------------------------------------------------


async def test_the_embedded_server_may_use_half_of_the_memory_unless_told_otherwise(tmp_path: Path) -> None:
    half = embedded._machine_bytes() // 2
    async with opened(None, tmp_path) as connection:
        assert (await connection.redis.info("memory"))["maxmemory"] == half
    async with opened(None, tmp_path, memory_bytes=123_456_789) as connection:
        assert (await connection.redis.info("memory"))["maxmemory"] == 123_456_789


async def test_with_nine_tenths_of_the_memory_used_nothing_new_is_begun_and_matches_go_on(
    tmp_path: Path,
) -> None:
    async with opened(None, tmp_path, memory_bytes=64 << 20) as connection:
        world = World.real()
        accounts = Accounts(connection, world, Watch(connection))
        scenarios, library = Scenarios(connection, world), Library(connection, world)
        hand, options = Hand(store_of(connection)), OptionsKept(connection, world)
        matches = Matches(hand.store, world)
        await hand.write()
        account, _ = await accounts.create_player("early")
        for i in range(200):
            if (await connection.redis.info("memory"))["used_memory"] > 0.92 * (64 << 20):
                break
            await connection.redis.set(f"t:filler{i}", bytes(500_000))
        await until(lambda: connection.crowded)
        assert connection.refuses is None
        new: dict[str, Callable[[], Awaitable[object]]] = {
            "a match": lambda: Hand(hand.store).write(),
            "an account": lambda: accounts.create_player("late"),
            "a token": lambda: accounts.create_token(account.id, "t", ["play"]),
            "a scenario": lambda: scenarios.save(account.id, New()),
            "options": lambda: options.save(account.id, warlog_core.game("hex"), "mine", {}),
            "an import": lambda: matches.new.import_record(long_record(10), Player("ada", account.id)),
            "a layout": lambda: library.save(account.id, "junqi", "mine", LAYOUT),
        }
        for begin in new.values():
            with pytest.raises(Unavailable, match="nearly full"):
                await begin()
        with pytest.raises(Unavailable, match="nearly full"):  # before it is looked at
            await matches.new.import_record({"game": "none"}, Player("ada", account.id))
        for _ in range(20):
            await hand.write()
        await connection.redis.config_set("maxmemory", 32 << 20)
        await until(lambda: connection.refuses)
        with pytest.raises(Unavailable) as refused:
            await hand.write()
        assert "memory is full" in refused.value.detail
        assert not isinstance(refused.value, DiskFull)
        await connection.redis.config_set("maxmemory", 64 << 20)
        await connection.redis.delete(*(f"t:filler{i}" for i in range(200)))
        await until(lambda: not connection.crowded)
        assert connection.refuses is None
        await hand.write()
        for begin in new.values():
            await begin()
