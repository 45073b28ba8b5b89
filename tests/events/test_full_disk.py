"""The disk runs full while events are written: what was acknowledged is there, however it ends, and it goes on again.

On small file systems that another process fills, and fills again whenever something is given up.
"""

from __future__ import annotations

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

from tests.cluster import wait_until
from tests.events.hand import Hand, assert_whole, opened
from tests.small_disk import Filler, small_disk
from warlog_events.connect import Connection, Durability
from warlog_events.errors import WarlogError
from warlog_events.store import Store
from warlog_events.world import World

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
from tests.events.test_full_disk import BALLAST, keep_writing, store_of

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
        pytest.param("everysec", "kill Redis", marks=pytest.mark.soak),
        pytest.param("everysec", "end Redis", marks=pytest.mark.soak),
        pytest.param("always", "end Redis", marks=pytest.mark.soak),
        pytest.param("always", "kill the writer", marks=pytest.mark.soak),
        pytest.param("always", "end the writer", marks=pytest.mark.soak),
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
            events = await store.events(match, limit=1_000)
            assert_whole(events)
            lost += max(0, version - len(events))
            assert len(events) < version or events[version - 1].chain == chain
        assert lost == 0, f"{lost} acknowledged events are gone"
