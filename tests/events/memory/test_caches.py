"""Memory, checkpoints and snapshots are caches: thrown away or spoilt, they change nothing but speed."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import random
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from tests.events.table import ADA, ALL, BATTLE, BOB, HIDDEN, SPECTATOR, Table, choice, table_at
from tests.servers import AnyRedis
from warlog_events import errors
from warlog_events.match.commands import Act, CreateMatch, Propose, TakeSeat, Undo
from warlog_events.match_settings import MatchSettings
from warlog_events.memory import snapshot
from warlog_events.redis import keys
from warlog_events.redis.wire import Word

SETTINGS = MatchSettings(checkpoint_every_events=4, snapshot_every_events=10)


@pytest_asyncio.fixture
async def table(redis_server: AnyRedis) -> AsyncIterator[Table]:
    async with table_at(redis_server.url, settings=SETTINGS) as table:
        yield table


async def test_a_warm_command_costs_one_round_trip_and_one_core_call(table: Table) -> None:
    rng = random.Random(1)
    match = await table.play(await table.hot_seat(), 3, rng)
    pipe: Any = table.connection.pipe
    for _ in range(20):
        reads, appends, calls = table.counts.redis_reads, table.counts.redis_appends, table.counts.core_calls
        sent = 0

        def counted(*words: Word, to: Any = pipe.send, **more: Any) -> Any:
            nonlocal sent
            sent += words[0] not in ("XRANGE", "EXISTS", "SET")  # snapshots are made on the side
            return to(*words, **more)

        pipe.send = counted
        match = await table.act(match, *choice(match, rng))
        del pipe.send
        assert sent == 1
        assert table.counts.redis_reads == reads
        assert table.counts.redis_appends == appends + 1
        assert table.counts.core_calls == calls + 1


async def test_with_all_memory_and_snapshots_thrown_away_every_answer_is_the_same(table: Table) -> None:
    rng = random.Random(2)
    match = await table.hot_seat({**HIDDEN, "army": "preset"})
    for _ in range(4):
        match = await table.play(match, 9, rng)
        match = await table.undo(match, rng.randrange(2, match.version))

    async def everything() -> list[object]:
        now = await table.load(match)
        assert now.state is not None
        states = [(await table.matches.past.state_at(now, v)).data for v in range(2, now.version + 1)]
        events = await table.events(now, ALL) + await table.events(now, SPECTATOR)
        history = await table.matches.past.history(now, ALL)
        return [
            now.summary(ALL),
            now.state.data,
            states,
            events,
            history,
            await table.matches.past.export(now, ALL),
        ]

    warm = await everything()
    await table.forget()
    assert await table.store.snapshot(match.id) is not None
    from_snapshot = await everything()
    await table.forget()
    await table.store.delete_snapshot(match.id)
    cold = await everything()
    assert warm == from_snapshot == cold
    assert table.counts.snapshots_refused == 0


async def test_a_snapshot_spares_the_replay_of_what_came_before(table: Table) -> None:
    match = await table.play(await table.hot_seat(), 45, random.Random(3))
    await table.forget()
    calls = table.counts.core_calls
    again = await table.load(match)
    assert again.state is not None
    assert match.state is not None
    assert again.state.data == match.state.data
    assert again.timeline.known_from >= match.version - SETTINGS.snapshot_every_events
    assert table.counts.core_calls - calls <= 3
    # Going back before the snapshot reads the whole match, once.
    for version in (5, 6, 20):
        again = await table.undo(again, version)
        assert again.state is not None
        assert again.state.data == (await table.matches.past.state_at(again, version)).data


def _spoilt(raw: bytes) -> dict[str, bytes]:
    def signed(content: snapshot.Content) -> bytes:
        body = msgspec.msgpack.encode(content)
        return hashlib.sha256(body).digest() + body

    content = snapshot._read(raw)
    change = msgspec.structs.replace
    state = bytes([*content.state[:-1], content.state[-1] ^ 1])
    return {
        "empty": b"",
        "cut": raw[:-1],
        "a bit": bytes([*raw[:-1], raw[-1] ^ 1]),
        "another state": signed(change(content, state=state)),
        "no state": signed(change(content, state=b"")),
        "another layout": signed(change(content, fingerprint="0" * 16)),
        "another form": signed(change(content, form=99)),
        "another rules version": signed(change(content, fold=change(content.fold, rules_version=99))),
        "another chain": signed(change(content, fold=change(content.fold, chain="0" * 32))),
        "another hash": signed(change(content, fold=change(content.fold, hash="0" * 16))),
        "another match": signed(change(content, fold=change(content.fold, match="m_000_aaaaaaaaaaaaaaaa"))),
        "the future": signed(change(content, fold=change(content.fold, version=10_000))),
        "no base": signed(change(content, bases=[])),
    }


async def test_a_poisoned_snapshot_is_refused_deleted_counted_and_made_again(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    match = await table.play(await table.hot_seat(), 25, random.Random(4))
    await table.forget()
    good = await table.store.snapshot(match.id)
    assert good is not None
    for count, (name, poison) in enumerate(_spoilt(good).items(), 1):
        await table.store.put_snapshot(match.id, poison)
        again = await table.load(match)
        assert again.state is not None, name
        assert match.state is not None
        assert again.state.data == match.state.data, name
        assert again.summary(ALL) == match.summary(ALL), name
        assert table.counts.snapshots_refused == count, name
        await table.forget()  # which waits for the new snapshot
        assert await table.store.snapshot(match.id) not in (None, poison), name
    assert "snapshot is refused" in caplog.text


async def test_memory_is_bounded_and_who_was_pushed_out_comes_back(redis_server: AnyRedis) -> None:
    async with table_at(redis_server.url, settings=MatchSettings(hot_bytes_max=150_000)) as table:
        rng = random.Random(5)
        matches = [await table.play(await table.hot_seat(), 3, rng) for _ in range(12)]
        assert len(table.matches.cache) < 12
        assert table.matches.cache.weight <= 150_000
        for match in matches:
            after = await table.play(await table.load(match), 1, rng)
            assert after.version == match.version + 1


# ---- loads that take a while


class SlowReads:
    """From now on what a table reads of events is held back after it was read, until `go`."""

    def __init__(self, table: Table) -> None:
        self.read, self.go = asyncio.Event(), asyncio.Event()
        events: Any = table.store.events

        async def held_back(*given: Any) -> Any:
            found = await events(*given)
            self.read.set()
            await self.go.wait()
            return found

        store: Any = table.store
        store.events = held_back


async def test_who_has_just_sat_down_is_known_to_a_process_that_is_loading_the_match(
    table: Table, redis_server: AnyRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A load that had read the events before he sat down answered his question, too: 403, it is not your seat."""
    spec = CreateMatch("hex", BATTLE, {"red": "me", "blue": "open"})
    match = (await table.matches.new.create(spec, ADA)).match
    async with table_at(redis_server.url) as other:
        reads, loader = SlowReads(other), other.matches.loader
        shared = loader._shared

        def joins(*given: Any) -> Any:
            reads.go.set()
            return shared(*given)

        first = asyncio.create_task(other.matches.admission.load(match.id, None))
        await reads.read.wait()
        await table.do(match, TakeSeat("blue"), BOB)
        monkeypatch.setattr(loader, "_shared", joins)
        second = asyncio.create_task(other.matches.admission.load(match.id, BOB.id))
        await first
        assert (await second).holds(BOB.id, "blue")


async def test_a_load_of_all_events_does_not_take_the_place_of_newer_ones_in_memory(table: Table) -> None:
    match = await table.play(await table.hot_seat(), 3, random.Random(14))
    reads = SlowReads(table)
    loading = asyncio.create_task(table.matches.loader.cold(match.id, whole=True))
    await reads.read.wait()
    newer = await table.play(match, 1, random.Random(15))
    reads.go.set()
    await loading
    held = table.matches.cache.newest(match.id)
    assert held is not None
    assert held.version == newer.version


# ---- a stored match that contradicts itself


async def _rewrite(table: Table, match_id: str, version: int, field: bytes, value: bytes) -> None:
    """The stream with one field of one entry changed. (Redis has no such command: it is written again.)"""
    key = keys.events(match_id)
    entries = await table.connection.pipe.call("XRANGE", key, "-", "+")
    await table.connection.pipe.call("DEL", key)
    for entry_id, flat in entries:
        if entry_id == b"%d-0" % version:
            flat[flat.index(field) + 1] = value
        await table.connection.pipe.call("XADD", key, entry_id, *flat)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (b"chain", b"0" * 32),
        (b"hash", b"0" * 16),
        (b"draws", b"[1,2,3]"),
        (b"body", b'{"action":{"type":"resign"}}'),
        (b"seat", b"green"),
        (b"by", b"pl_somebody"),
        (b"at", b"7"),
        (b"type", b"seat_left"),
    ],
)
async def test_a_changed_event_freezes_the_match_loudly(
    table: Table, caplog: pytest.LogCaptureFixture, field: bytes, value: bytes
) -> None:
    match = await table.play(await table.hot_seat(), 6, random.Random(6))
    await _rewrite(table, match.id, 5, field, value)
    await table.forget()
    await table.store.delete_snapshot(match.id)
    with caplog.at_level(logging.CRITICAL), pytest.raises(errors.IntegrityError):
        await table.load(match)
    assert match.id in caplog.text
    assert await table.store.frozen(match.id)
    assert table.counts.integrity_errors == 1


async def test_a_frozen_match_takes_no_command_even_where_it_is_hot(table: Table) -> None:
    match = await table.hot_seat()
    await table.store.freeze(match.id, "an operator said so")
    with pytest.raises(errors.IntegrityError):
        await table.finish(match)
    assert (await table.load(match)).version == match.version


async def test_a_history_that_redis_has_lost_is_noticed_and_not_continued(table: Table) -> None:
    match = await table.play(await table.hot_seat(), 6, random.Random(7))
    await table.connection.pipe.call("XDEL", keys.events(match.id), f"{match.version}-0")
    with pytest.raises(errors.IntegrityError):
        await table.load(match)
    match = await table.play(await table.hot_seat(), 6, random.Random(7))
    await _rewrite(table, match.id, match.version, b"chain", b"f" * 32)
    with pytest.raises(errors.IntegrityError):
        await table.do(match, Act(*choice(match, random.Random(1))))
    await table.forget()
    with pytest.raises(errors.IntegrityError):
        await table.load(match)


async def test_a_match_of_two_thousand_events_is_as_fast_as_one_of_twenty(redis_server: AnyRedis) -> None:
    """Counted, not timed: what a command, an undo and a look back cost does not depend on the length."""
    async with table_at(redis_server.url) as table:
        rng = random.Random(8)
        costs = []
        for length in (20, 2000):
            match = await table.hot_seat({**BATTLE, "army_points": 100_000, "min_damage": 0})
            while match.version < length:
                match = await table.play(match, length - match.version, rng)
                if match.is_over:
                    match = await table.undo(match, match.version - 10)
            middle = length // 2
            while (await table.matches.past.state_at(match, middle)).result is not None:
                middle -= 1
            before = counted(table)
            match = await table.undo(match, middle)
            match = await table.act(match, *choice(match, rng))
            await table.matches.past.state_at(match, length // 3)
            await table.do(match, Propose(Undo(length // 4)), ADA)
            costs.append({name: value - before[name] for name, value in counted(table).items()})
        assert costs[0].pop("core_calls") <= 8
        assert costs[1].pop("core_calls") <= 8
        assert costs[0] == costs[1]


def counted(table: Table) -> dict[str, int]:
    return {name: value for name, value in vars(table.counts).items() if isinstance(value, int)}


async def test_a_clocked_match_of_which_redis_has_lost_the_end_is_an_integrity_error(
    own_redis: AnyRedis,
) -> None:
    """The summary told of an event that never came; who loaded the match looked for it without end."""
    async with table_at(own_redis.url) as one, table_at(own_redis.url) as two:
        match = await one.play(await one.hot_seat(move_seconds=60), 3, random.Random(1))
        await one.connection.redis.xdel(keys.events(match.id), f"{match.version}-0")
        with pytest.raises(errors.IntegrityError):
            await asyncio.wait_for(two.load(match), 5)
        assert await two.store.frozen(match.id) is not None
