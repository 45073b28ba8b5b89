"""A real cluster whose slots move and whose servers die while commands run."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest
from redis.crc import key_slot

from tests.cluster import RedisCluster
from tests.events.books import balanced
from tests.events.hand import Hand, assert_whole, opened
from tests.events.table import ADA, ALL, Table, choice, table_at
from tests.events.workers.test_lobby import projection
from warlog_events.clock_and_random import World
from warlog_events.errors import (
    IntegrityError,
    Repeated,
    TryAgain,
    Unavailable,
    Unconfirmed,
    WarlogError,
)
from warlog_events.match.commands import Act
from warlog_events.players.ledger import Hold, Ledger
from warlog_events.reading.feed import Feed, FeedClosed
from warlog_events.redis import keys
from warlog_events.redis.cluster import Claim, ClusterPipe, View
from warlog_events.redis.connection import Connection, RedisUnsuitable, open_redis
from warlog_events.redis.pipe import Address
from warlog_events.redis.store import Store
from warlog_events.redis.wire import Wire
from warlog_events.workers.clock import Clock
from warlog_events.workers.projector import Projector


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


async def test_of_two_who_claim_a_slot_the_later_epoch_has_it_and_nobody_is_believed_about_another() -> None:
    """A cut-off primary knows of itself alone; a node that is behind gives a slot to who no longer has it."""

    async def greet(wire: Wire) -> None:
        pass

    one, two, three = [("127.0.0.1", port) for port in (1, 2, 3)]
    cut_off = View(True, one, [Claim(0, 8191, one, 1)], set())
    new = View(True, three, [Claim(0, 8191, three, 4), Claim(8192, 16383, two, 2)], set())
    behind = View(True, two, [Claim(0, 200, one, 9), Claim(201, 16383, two, 2)], set())
    for views in itertools.permutations([cut_off, new]):
        pipe = ClusterPipe([Address()], greet)
        pipe._take([*views], start=False)
        assert (pipe._owners[0], pipe._owners[8191], pipe._owners[8192]) == (three, three, two)
        pipe._take([cut_off], start=False)
        assert (pipe._owners[0], pipe._owners[8192]) == (three, two)
    pipe = ClusterPipe([Address()], greet)
    moved = View(True, one, [Claim(101, 200, one, 9)], set())
    pipe._take([moved, behind, View(True, three, [Claim(0, 100, three, 8)], set())], start=False)
    assert (pipe._owners[0], pipe._owners[150], pipe._owners[300]) == (three, one, two)


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


async def test_a_script_that_makes_up_keys_waits_while_its_slot_is_on_its_way(
    moving: RedisCluster, connection: Connection
) -> None:
    """Else it would fail between two writes, or write beside what has not come yet; gold would be lost or made."""
    ledger = Ledger(connection, World.real(), 1_000)
    players = [f"pl_{i}" for i in range(8)]
    for player in players:
        await ledger.open(player)
    slot = key_slot(keys.ledger("").encode())
    primaries = [node for node in moving.nodes if node.is_primary()]
    for count in range(1, 12, 2):  # keys that are on the other side already
        after = primaries[(primaries.index(moving.owner_of(slot)) + 1) % 3]
        moving.move(slot, after, keys=count, finish=False)
        match = f"m_000_{count:016d}"
        holds = [Hold("south", player, 1, 4) for player in players]
        holding = [asyncio.create_task(ledger.hold(match, hold)) for hold in holds]
        await asyncio.sleep(0.1)
        moving.move(slot, after)
        moving.wait()
        await asyncio.gather(*holding)
        await balanced(ledger, connection)


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
    assert max(writer.longest_s for writer in writers) < 10.0  # on a machine whose processors others use, too


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


async def test_workers_go_on_where_they_can_and_everywhere_after_a_fail_over(dying: RedisCluster) -> None:
    """Deadlines elsewhere fire while a primary is away, its own after that, each once; the lobby misses nothing."""
    async with table_at(dying.url) as table, table_at(dying.url) as second:
        matches = [(await table.hot_seat(move_seconds=2)).id for _ in range(20)]
        lists = dying.primary_of(keys.lobby(""))
        victim = next(one for m in matches if (one := dying.primary_of(keys.events(m))) is not lists)
        elsewhere = [match for match in matches if dying.primary_of(keys.events(match)) is not victim]
        buckets_there = {
            bucket for bucket in range(64) if dying.primary_of(keys.activity(bucket)) is not victim
        }
        workers = [
            asyncio.create_task(again_and_again(work))
            for one in (table, second)
            for work in (
                Clock(one.store, one.matches, one.world).run,
                Projector(one.connection, one.store).run,
            )
        ]
        pipe = pipe_of(table.connection)
        await asyncio.sleep(0.5)
        await asyncio.to_thread(victim.kill)
        await over(table, elsewhere)
        assert 0.5 < pipe.reached < 1
        assert (await table.store.activity(dict.fromkeys(range(64), 0))).keys() == buckets_there
        await over(table, matches)
        assert pipe.reached == 1
        for match in matches:
            assert [event.seat for event in await table.store.events(match)].count("server") == 1
        await Projector(table.connection, table.store).catch_up()
        for worker in workers:
            worker.cancel()
        await asyncio.wait(workers)
        projected = await projection(table)
        assert {match.encode() for match in matches} <= {*projected[keys.lobby("index").encode()]}
        await Projector(table.connection, table.store).rebuild()
        assert await projection(table) == projected


async def over(table: Table, matches: list[str]) -> None:
    async with asyncio.timeout(20):
        while matches:
            with contextlib.suppress(TryAgain):
                matches = [m for m in matches if not (await table.matches.admission.load(m, ADA.id)).is_over]
            await asyncio.sleep(0.02)


async def again_and_again(work: Callable[[], Awaitable[None]]) -> None:
    """As the service runs its workers."""
    while True:
        with contextlib.suppress(WarlogError):
            await work()
        await asyncio.sleep(0.1)


async def test_whoever_follows_a_match_hears_of_it_whichever_server_dies(dying: RedisCluster) -> None:
    """Also if it is the one that is listened to, and the one that has the match."""
    async with table_at(dying.url) as here, table_at(dying.url) as there:
        rng = random.Random(3)
        match = await here.play(await here.hot_seat(), 2, rng)
        async with here.matches.feed(match, ALL, match.version) as feed:
            match = await there.play(match, 1, rng)
            assert (await asyncio.wait_for(anext(feed), 5))[0] == match.version
            listened = (await here.connection.locate()).port
            owner = dying.primary_of(keys.events(match.id))
            await asyncio.sleep(0.3)  # the replicas follow
            first = next(node for node in dying.nodes if node.port == listened)
            for victim in {first, owner}:
                if victim is owner:  # as if its replica had not heard of who follows
                    await there.connection.pipe.call("DEL", keys.followers(match.id))
                await asyncio.to_thread(victim.kill)
                await asyncio.to_thread(dying.wait)
                await until(lambda: pipe_of(there.connection).slots_away == 0)
                match = await there.play(await there.load(match), 1, rng)
                assert (await asyncio.wait_for(anext(feed), 10))[0] == match.version
                await asyncio.to_thread(victim.start)
                await asyncio.to_thread(dying.wait)


# ---- histories that fork


async def read(feed: Feed, versions: list[int]) -> None:
    async for version, _, _ in feed:
        versions.append(version)


@pytest.mark.parametrize("followed", [True, False])
async def test_what_an_isolated_primary_acknowledged_alone_is_found_out_and_never_shown_again(
    dying: RedisCluster, followed: bool
) -> None:
    """Its replica takes over while it goes on taking writes. That these were acknowledged under `everysec` is no
    promise that they are kept; that nobody is shown one history and then another one is."""
    rng = random.Random(1)
    async with contextlib.AsyncExitStack() as stack:
        here = await stack.enter_async_context(table_at(dying.url))
        match = await here.play(await here.hot_seat(), 3, rng)
        untouched = await here.play(await here.hot_seat(), 3, rng)
        feed = await stack.enter_async_context(here.matches.feed(match, ALL, match.version))
        old = dying.primary_of(keys.events(match.id))
        dying.isolate(old)
        others = [node.port for node in dying.nodes if node is not old]
        forked = await here.play(match, 2, rng)  # acknowledged, by the old one alone
        if followed:
            assert [(await asyncio.wait_for(anext(feed), 5))[0] for _ in range(2)] == [6, 7]  # told, and lost
        else:
            here.matches.cache.drop(match.id)  # the feed's position is all that is known of it
        there = await stack.enter_async_context(
            table_at("redis+cluster://" + ",".join(f"127.0.0.1:{port}" for port in others))
        )
        assert (await there.load(match)).version == match.version
        surviving = await there.play(await there.load(match), 4, random.Random(2))
        assert surviving.version > forked.version
        await until(lambda: here.counts.integrity_errors > 0)
        shown: list[int] = []
        with pytest.raises(FeedClosed, match="integrity_error"):
            await read(feed, shown)
        assert shown == ([] if followed else [6, 7])
        for table in (here, there):
            with pytest.raises(IntegrityError):
                await table.do(match, Act(*choice(surviving, rng)), ADA)
        assert await there.store.frozen(match.id) is not None
        await here.load(untouched)  # and no other match suffers
        await here.play(untouched, 1, rng)
