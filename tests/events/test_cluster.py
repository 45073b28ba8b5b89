"""A real cluster whose slots move and whose servers die while commands run."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from redis.crc import key_slot

from tests.cluster import RedisCluster
from tests.events.hand import Hand, assert_whole, opened
from warlog_events import keys
from warlog_events.cluster import ClusterPipe
from warlog_events.connect import Connection, RedisUnsuitable, open_redis
from warlog_events.errors import Repeated, Unavailable, Unconfirmed
from warlog_events.store import Store
from warlog_events.world import World


@pytest.fixture(scope="module")
def moving() -> Iterator[RedisCluster]:
    """One whose slots these tests move about."""
    with RedisCluster() as cluster:
        yield cluster


@pytest.fixture
async def connection(moving: RedisCluster) -> AsyncIterator[Connection]:
    async with opened(moving.url) as connection:
        yield connection


@pytest.fixture
def dying() -> Iterator[RedisCluster]:
    """One that a test may harm."""
    with RedisCluster(node_timeout_ms=1500) as cluster:
        yield cluster


async def until(condition: Callable[[], bool], seconds: float = 15.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


def hand_of(connection: Connection, match: str | None = None) -> Hand:
    return Hand(Store(connection, World.real()), match)


def pipe_of(connection: Connection) -> ClusterPipe:
    assert isinstance(connection.pipe, ClusterPipe)
    return connection.pipe


def slot_of(hand: Hand) -> int:
    return key_slot(keys.events(hand.match).encode())


class Writer:
    """Appends without end, and does what a client should: it comes again when Redis is away, and asks with the same
    key when an answer has been lost."""

    def __init__(self, hand: Hand, pause_s: float = 0.005) -> None:
        self.hand = hand
        self.pause_s = (
            pause_s  # every append leaves a key, and keys are what a slot's move takes its time for
        )
        self.stopped = False
        self.acknowledged: list[tuple[int, str]] = []
        self.unavailable = self.unconfirmed = 0
        self.longest_s = 0.0  # that an append took from its first try to its answer

    async def run(self) -> None:
        while not self.stopped:
            events = self.hand.events()
            began = time.monotonic()
            while not await self._tried(events):
                await asyncio.sleep(0.02)
            self.longest_s = max(self.longest_s, time.monotonic() - began)
            self.acknowledged.append((events[0].version, events[0].chain))
            self.hand.version, self.hand.chain, self.hand.at = (
                events[0].version,
                events[0].chain,
                events[0].at,
            )
            await asyncio.sleep(self.pause_s)

    async def _tried(self, events: list[Any]) -> bool:
        append = self.hand.append(events, idempotency=self.hand.key(f"k{events[0].version}"))
        try:
            await self.hand.store.append(append)
        except Repeated:
            return True
        except Unavailable:
            self.unavailable += 1
            return False
        except Unconfirmed:
            self.unconfirmed += 1
            return False
        return True

    async def check(self, store: Store) -> None:
        """Everything acknowledged is there, once, in order, and nothing else."""
        events = await store.events(self.hand.match, limit=1_000_000)
        assert_whole(events)
        assert [(event.version, event.chain) for event in events] == self.acknowledged


@contextlib.asynccontextmanager
async def writing(connection: Connection, count: int) -> AsyncIterator[list[Writer]]:
    """So many matches are written all the while; in the end everything must be in order."""
    writers = [Writer(hand_of(connection)) for _ in range(count)]
    tasks = [asyncio.create_task(writer.run()) for writer in writers]
    try:
        yield writers
    finally:
        for writer in writers:
            writer.stopped = True
        await asyncio.wait_for(asyncio.gather(*tasks), 20)
    store = Store(connection, World.real())
    for writer in writers:
        await writer.check(store)


# ---- who serves what


async def test_any_node_leads_to_the_cluster(moving: RedisCluster) -> None:
    replica = moving.nodes[5].port
    for url in (
        f"redis://127.0.0.1:{moving.nodes[0].port}",
        f"redis+cluster://127.0.0.1:{replica}",
        f"redis+cluster://127.0.0.1:1,127.0.0.1:{replica}",
        f"redis://127.0.0.1:{replica}/0",
    ):
        async with opened(url) as connection:
            assert connection.is_cluster
            assert pipe_of(connection).slots_away == 0
            hands = [hand_of(connection) for _ in range(30)]
            await asyncio.gather(*(hand.write() for hand in hands))
            assert {moving.owner_of(slot_of(hand)).port for hand in hands} == {
                node.port for node in moving.nodes if node.is_primary()
            }


@pytest.mark.parametrize(
    ("url", "why"),
    [("redis+cluster://{0}/3", "database"), ("redis+cluster://:wrong@{0}", "refuses")],
)
async def test_a_url_that_cannot_be_right_is_refused(moving: RedisCluster, url: str, why: str) -> None:
    with pytest.raises(RedisUnsuitable, match=why):
        await open_redis(url.format(f"127.0.0.1:{moving.nodes[0].port}"), None)


async def test_another_number_of_buckets_is_refused_wherever_the_note_of_it_lies(
    moving: RedisCluster, connection: Connection
) -> None:
    with pytest.raises(RedisUnsuitable, match="64 buckets"):
        await open_redis(moving.url, None, buckets=32)


# ---- slots that move


async def test_commands_follow_a_slot_that_has_moved(moving: RedisCluster, connection: Connection) -> None:
    hand = hand_of(connection)
    await hand.write()
    before = moving.owner_of(slot_of(hand))
    after = next(node for node in moving.nodes if node.is_primary() and node is not before)
    moving.move(slot_of(hand), after)
    moving.wait()
    first = hand.chain
    tails = await asyncio.gather(*(hand.store.tail(hand.match) for _ in range(20)))
    assert {*tails} == {(1, first)}
    await hand.write()
    assert_whole(await hand.store.events(hand.match))
    assert moving.owner_of(slot_of(hand)) is after


async def test_of_a_slot_that_is_on_its_way_everything_is_read_and_what_touches_both_halves_waits(
    moving: RedisCluster, connection: Connection
) -> None:
    hand = hand_of(connection)
    for _ in range(3):
        await hand.write(secrets={f"sha256:{hand.version}": "aa"})
    before = moving.owner_of(slot_of(hand))
    after = next(node for node in moving.nodes if node.is_primary() and node is not before)
    moving.move(slot_of(hand), after, keys=2, finish=False)
    there = after.redis.execute_command("CLUSTER GETKEYSINSLOT", slot_of(hand), 100)
    assert len(there) == 2
    assert len(await hand.store.events(hand.match)) == 3
    assert len(await hand.store.secrets(hand.match)) == 3
    assert await hand.store.summary(hand.match) is not None
    appending = asyncio.create_task(hand.write())
    both = [("INCR", f"warlog:{{b{hand.match[2:5]}}}:{name}") for name in ("a", "b")]
    transaction = asyncio.create_task(connection.pipe.atomically(both))
    await asyncio.sleep(0.3)
    assert not appending.done()
    assert not transaction.done()
    moving.move(slot_of(hand), after)
    moving.wait()
    await appending
    assert await transaction == [1, 1]
    assert_whole(await hand.store.events(hand.match))


async def test_slots_move_under_load_and_nobody_notices_but_by_the_clock(
    moving: RedisCluster, connection: Connection
) -> None:
    """Every bucket of every writer goes round the cluster while it is written."""
    primaries = [node for node in moving.nodes if node.is_primary()]
    async with writing(connection, 12) as writers:
        for to in (*primaries, *primaries):
            for slot in {slot_of(writer.hand) for writer in writers}:
                await asyncio.to_thread(moving.move, slot, to)
            await asyncio.to_thread(moving.wait)
    assert min(len(writer.acknowledged) for writer in writers) > 10
    assert sum(writer.unavailable + writer.unconfirmed for writer in writers) == 0
    assert max(writer.longest_s for writer in writers) < 2.0


# ---- servers that die


async def test_a_primary_is_killed_under_load_and_nothing_acknowledged_is_lost(dying: RedisCluster) -> None:
    """What other primaries serve goes on all the while."""
    async with opened(dying.url, durability="replicated") as connection:
        pipe = pipe_of(connection)
        async with writing(connection, 20) as writers:
            victim = dying.owner_of(slot_of(writers[0].hand))
            others = [writer for writer in writers if dying.owner_of(slot_of(writer.hand)) is not victim]
            await asyncio.sleep(0.3)
            await asyncio.to_thread(victim.kill)
            await until(lambda: pipe.slots_away > 0)
            await progress(others)
            assert pipe.slots_away > 0
            await until(lambda: pipe.slots_away == 0)
            await asyncio.to_thread(victim.start)  # who has taken over needs somebody to confirm
            await progress(writers)
        assert sum(writer.unavailable for writer in writers) > 0


async def progress(writers: list[Writer]) -> None:
    """All of them append again."""
    before = [len(writer.acknowledged) for writer in writers]
    await until(lambda: all(len(w.acknowledged) > n for w, n in zip(writers, before, strict=True)))


async def test_a_process_that_starts_after_a_fail_over_finds_everything(dying: RedisCluster) -> None:
    async with opened(dying.url, durability="replicated") as connection:
        hands = [hand_of(connection) for _ in range(20)]
        for _ in range(3):
            await asyncio.gather(*(hand.write() for hand in hands))
    dying.owner_of(slot_of(hands[0])).kill()
    dying.wait()
    async with opened(dying.url) as connection:
        for hand in hands:
            again = hand_of(connection, hand.match)
            await again.look()
            assert (again.version, again.chain) == (3, hand.chain)
            await again.write()
