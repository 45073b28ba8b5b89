"""The store against a real Redis: what an append does, what it refuses, and that a refusal writes nothing."""

import asyncio
import hashlib
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest
from redis.crc import key_slot

from tests.events.hand import Hand, assert_whole, opened
from tests.servers import AnyRedis
from warlog_events.clock_and_random import World
from warlog_events.errors import (
    Accepted,
    ClockSkew,
    IdempotencyKeyReused,
    IntegrityError,
    Repeated,
    TooLate,
    VersionConflict,
    WarlogError,
)
from warlog_events.match.stored import chain_of
from warlog_events.redis import keys, store
from warlog_events.redis.connection import Connection
from warlog_events.redis.store import Activity, Append, Store


@pytest.fixture
async def connection(redis_server: AnyRedis) -> AsyncIterator[Connection]:
    async with opened(redis_server.url) as connection:
        yield connection


@pytest.fixture
def hand(connection: Connection) -> Hand:
    return Hand(Store(connection, World.real()))


async def everything(connection: Connection, hand: Hand) -> dict[bytes, bytes]:
    """All keys of the match's bucket with their whole content."""
    tag = hand.match[2:5]
    found: list[bytes] = sorted(await connection.pipe.call("KEYS", f"warlog:{{b{tag}}}:*"))
    dumps = await connection.pipe.many(("DUMP", key) for key in found)
    return dict(zip(found, dumps, strict=True))


async def test_events_come_back_as_they_were_written(hand: Hand) -> None:
    written = [
        await hand.write(hand.events(type="match_created", seat="", draws=None, hash="")),
        await hand.write(hand.events(body='{"naïve":"☃"}'.encode(), draws=[0, 5, 2**31])),
        await hand.write(hand.events(by="server", draws=[])),
    ]
    assert await hand.store.events(hand.match) == written
    assert await hand.store.events(hand.match, after=1, limit=1) == [written[1]]
    assert await hand.store.tail(hand.match) == (3, written[2].chain)
    assert_whole(written)


async def test_an_entry_is_readable_and_its_id_is_the_version(connection: Connection, hand: Hand) -> None:
    await hand.write()
    event = await hand.write(hand.events(draws=[3, 4]))
    [[id_, flat]] = await connection.pipe.call("XREVRANGE", keys.events(hand.match), "+", "-", "COUNT", 1)
    fields = dict(zip(flat[::2], flat[1::2], strict=True))
    assert id_ == b"2-0"
    assert list(fields) == [b"type", b"seat", b"by", b"at", b"body", b"draws", b"chain", b"hash"]
    assert (fields[b"seat"], fields[b"draws"], fields[b"at"]) == (b"red", b"[3,4]", str(event.at).encode())


async def test_a_match_that_nobody_wrote_is_empty(hand: Hand) -> None:
    assert await hand.store.tail(hand.match) is None
    assert await hand.store.events(hand.match) == []
    assert await hand.store.summary(hand.match) is None
    assert await hand.store.secrets(hand.match) == {}


def test_the_chain_covers_every_field_and_the_entry_before() -> None:
    fields: dict[str, Any] = {
        "previous": "ab",
        "version": 2,
        "type": "action_taken",
        "seat": "red",
        "by": "pl_a",
        "at": 1000,
        "body": b"{}",
        "draws": [1],
        "state_hash": "cd",
    }
    others: dict[str, Any] = {
        "previous": "ac",
        "version": 3,
        "type": "action_take",
        "seat": "redp",
        "by": "l_a",
        "at": 1001,
        "body": b"{ }",
        "draws": [1, 1],
        "state_hash": "ce",
    }
    chains = [chain_of(**fields)] + [chain_of(**{**fields, name: other}) for name, other in others.items()]
    chains += [chain_of(**{**fields, "draws": []}), chain_of(**{**fields, "draws": None})]
    chains += [chain_of(**{**fields, "seat": "redp", "by": "l_a"})]  # a border between two fields moved
    assert len({*chains}) == len(chains)
    assert all(len(chain) == 32 for chain in chains)


async def test_an_append_writes_summary_secrets_deadlines_and_answer(hand: Hand) -> None:
    at = hand.store.append_time()
    await hand.write(
        hand.events(2),
        summary_start=b'{"game":"hex"',
        summary_rest=b'"n":2}',
        lobby_entry=b'{"game":"hex"}',
        secrets={"sha256:aa": "ff", "sha256:bb": "ee"},
        deadlines={"red": at + 5000, "blue": at + 3000},
        idempotency=hand.key("k", "digest", red=at + 5000),
    )
    found, match = hand.store, hand.match
    bucket = int(match[2:5])
    assert await found.summary(match) == b'{"game":"hex","n":2}'
    assert await found.summaries([match, found.new_match_id()]) == [b'{"game":"hex","n":2}', None]
    assert await found.indexes([match, found.new_match_id()]) == [b'{"game":"hex"}', None]
    assert await found.secrets(match) == {"sha256:aa": "ff", "sha256:bb": "ee"}
    assert await found.accepted(match, "pl_hand", "k", "digest") == Accepted(2, {"red": at + 5000})
    assert await found.accepted(match, "pl_other", "k", "digest") is None
    with pytest.raises(IdempotencyKeyReused):
        await found.accepted(match, "pl_hand", "k", "another")
    assert match in {one async for batch in found.matches(bucket) for one in batch}
    due = [one for one in await found.due(at + 60_000) if one[0] == match]
    assert due == [(match, "blue", at + 3000), (match, "red", at + 5000)]
    assert [one for one in await found.due(at + 3000) if one[0] == match] == []


async def test_all_keys_of_an_append_lie_in_one_slot(connection: Connection) -> None:
    for match in (keys.match_id_of("a" * 16, 64), keys.match_id_of("b" * 16, 1000)):
        bucket = keys.bucket_of(match)
        assert bucket is not None
        names = [
            keys.events(match),
            keys.match_state(match),
            keys.secrets(match),
            keys.snapshot(match),
            *keys.accepted(match, "pl_a", "any } key {"),
            keys.matches(bucket),
            keys.activity(bucket),
            keys.deadlines(bucket),
        ]
        assert len({key_slot(name.encode()) for name in names}) == 1
        assert len({*names}) == len(names)


@pytest.mark.parametrize(
    "text", ["", "m_017_", "m_017_{aaaaaaaaaaaaaaa", "m_17_aaaaaaaaaaaaaaaa", "m_٠١٧_aaaaaaaaaaaaaaaa"]
)
def test_what_cannot_be_a_match_id_has_no_bucket(text: str) -> None:
    assert keys.bucket_of(text) is None


async def test_the_second_of_two_appends_to_one_version_is_a_conflict(hand: Hand) -> None:
    await hand.write()
    late = hand.append(hand.events(by="pl_late"))
    await hand.write()
    with pytest.raises(VersionConflict) as refused:
        await hand.store.append(late)
    assert refused.value.version == 2
    assert_whole(await hand.store.events(hand.match))


async def test_a_match_is_created_once(hand: Hand) -> None:
    creation = hand.append()
    await hand.store.append(creation)
    with pytest.raises(VersionConflict):
        await hand.store.append(creation)


async def _conflict(hand: Hand, connection: Connection) -> Append:
    behind = Hand(hand.store, hand.match)
    behind.version, behind.chain = hand.version - 1, "0" * 32
    return behind.append()


async def _forked(hand: Hand, connection: Connection) -> Append:
    return hand.append(expected_chain="0" * 32)


async def _late(hand: Hand, connection: Connection) -> Append:
    await hand.write(deadlines={"red": hand.store.append_time() - 1})
    return hand.append(acting_seat="red")


async def _reused(hand: Hand, connection: Connection) -> Append:
    return hand.append(idempotency=hand.key("first", "another digest"))


async def _skewed(hand: Hand, connection: Connection) -> Append:
    return hand.append(hand.events(at=hand.at + 60_000))


async def _backwards(hand: Hand, connection: Connection) -> Append:
    return hand.append(hand.events(at=hand.at - 1))


async def _early(hand: Hand, connection: Connection) -> Append:
    return hand.append(not_before=hand.store.append_time() + 60_000)


async def _frozen(hand: Hand, connection: Connection) -> Append:
    await hand.store.freeze(hand.match, "a hash differs")
    return hand.append()


async def _deleted(hand: Hand, connection: Connection) -> Append:
    await connection.redis.delete(keys.events(hand.match))
    return hand.append()


async def _deleted_and_made_anew(hand: Hand, connection: Connection) -> Append:
    await connection.redis.delete(keys.events(hand.match))
    return Hand(hand.store, hand.match).append()


async def _hole(hand: Hand, connection: Connection) -> Append:
    await connection.redis.xdel(keys.events(hand.match), "1-0")
    return hand.append()


async def _end_lost_to_all(hand: Hand, connection: Connection) -> Append:
    """Unlike a replica's, such a stream remembers how far it had come."""
    behind = Hand(hand.store, hand.match)
    await connection.redis.xdel(keys.events(hand.match), f"{hand.version}-0")
    await behind.look()
    return behind.append()


async def _end_lost(hand: Hand, connection: Connection) -> Append:
    await connection.redis.xdel(keys.events(hand.match), f"{hand.version}-0")
    return hand.append()


@pytest.mark.parametrize(
    ("prepare", "error"),
    [
        (_conflict, VersionConflict),
        (_forked, IntegrityError),
        (_late, TooLate),
        (_reused, IdempotencyKeyReused),
        (_skewed, ClockSkew),
        (_backwards, ClockSkew),
        (_early, ClockSkew),
        (_frozen, IntegrityError),
        (_deleted, IntegrityError),
        (_deleted_and_made_anew, IntegrityError),
        (_hole, IntegrityError),
        (_end_lost, IntegrityError),
        (_end_lost_to_all, IntegrityError),
    ],
)
async def test_a_refused_append_writes_nothing(
    connection: Connection, hand: Hand, prepare: Any, error: type[WarlogError]
) -> None:
    await hand.write(idempotency=hand.key("first"))
    for _ in range(3):
        await hand.write()
    append = await prepare(hand, connection)
    before = await everything(connection, hand)
    with pytest.raises(error):
        await hand.store.append(append)
    assert await everything(connection, hand) == before


async def test_a_history_that_lost_its_end_is_no_mere_conflict(connection: Connection, hand: Hand) -> None:
    """As after a fail-over to a replica that lacked the newest event: the two versions must not grow together."""
    await hand.write()
    known_to_both = Hand(hand.store, hand.match)
    await known_to_both.look()
    replica = await connection.pipe.call("DUMP", keys.events(hand.match))
    await hand.write()
    await connection.pipe.call("RESTORE", keys.events(hand.match), 0, replica, "REPLACE", write=True)
    with pytest.raises(IntegrityError):
        await hand.write()
    await known_to_both.look()
    await known_to_both.write(known_to_both.events(by="pl_other"))
    with pytest.raises(IntegrityError):
        await hand.write()


async def test_a_repeated_command_is_known_whatever_happened_since(hand: Hand) -> None:
    await hand.write(idempotency=hand.key("k", "d", red=1))
    await hand.write()
    await hand.store.freeze(hand.match, "and even that")
    with pytest.raises(Repeated) as repeated:
        await hand.store.append(hand.append(idempotency=hand.key("k", "d", blue=2)))
    assert repeated.value.accepted == Accepted(1, {"red": 1})
    assert len(await hand.store.events(hand.match)) == 2


@pytest.mark.parametrize(
    ("kept", "accepted"),
    [
        (b'{"version":1,"event":{"version":1,"type":"seat_taken"},"match":{"id":"m"}}', Accepted(1)),
        (b'{"version":1,"deadlines":{"red":5}}', Accepted(1, {"red": 5})),
    ],
)
async def test_a_command_that_an_earlier_version_accepted_is_repeated_after_an_update(
    connection: Connection, hand: Hand, kept: bytes, accepted: Accepted
) -> None:
    await hand.write()
    _, _, earlier = keys.accepted(hand.match, hand.by, "k")
    digest = hashlib.sha256(b"k").hexdigest()
    assert earlier.endswith(f":{hand.match}:done:pl_hand:{digest[:32]}")
    await connection.pipe.call("SET", earlier, b"digest " + kept)
    before = await everything(connection, hand)
    assert await hand.store.accepted(hand.match, hand.by, "k", "digest") == accepted
    with pytest.raises(IdempotencyKeyReused):
        await hand.store.accepted(hand.match, hand.by, "k", "digest2")
    with pytest.raises(Repeated) as repeated:
        await hand.store.append(hand.append(idempotency=hand.key("k", "digest")))
    assert repeated.value.accepted == accepted
    with pytest.raises(IdempotencyKeyReused):
        await hand.store.append(hand.append(idempotency=hand.key("k", "digest2")))
    assert await everything(connection, hand) == before
    await hand.write(idempotency=hand.key("k2", "digest"))


async def test_a_record_belongs_to_one_player_one_key_and_one_body(hand: Hand) -> None:
    await hand.write(idempotency=hand.key("k", "d"))
    other = Hand(hand.store, hand.match, "pl_other")
    await other.look()
    await other.write(idempotency=other.key("k", "another"))
    await other.write(idempotency=other.key("K", "d"))
    for player, key, digest, version in (("pl_hand", "k", "d", 1), ("pl_other", "k", "another", 2)):
        assert await hand.store.accepted(hand.match, player, key, digest) == Accepted(version)
    with pytest.raises(IdempotencyKeyReused):
        await hand.store.accepted(hand.match, "pl_other", "k", "d")
    assert await hand.store.accepted(hand.match, "pl_hand", "K", "d") is None
    assert await hand.store.accepted(hand.match, "pl_hand pl_other", "k", "d") is None


async def test_records_are_known_for_a_day_and_forgotten_within_two(
    connection: Connection, hand: Hand
) -> None:
    """Time passes here by taking it from what the hashes have left to live."""
    hour, day = 3_600_000, 86_400_000
    first, second, _ = keys.accepted(hand.match, hand.by, "")
    written: dict[str, int] = {}  # key → hours ago

    async def left(key: str) -> int:
        found: int = await connection.pipe.call("PTTL", key)
        return found

    for hours in (0, 10, 13, 2, 20, 3, 3, 21, 1, 1, 30, 23, 1, 100, 5):
        for key in (first, second):
            if (lives := await left(key)) > 0:
                await connection.pipe.call("PEXPIRE", key, lives - hours * hour, write=True)
        written = {name: ago + hours for name, ago in written.items()}
        name = f"k{len(written)}"
        await hand.write(idempotency=hand.key(name, "d"))
        written[name] = 0
        assert max(await left(first), await left(second)) <= 2 * day
        for number, (name, ago) in enumerate(written.items(), 1):
            found = await hand.store.accepted(hand.match, hand.by, name, "d")
            if ago < 24:
                assert found == Accepted(number), f"{name} is forgotten after {ago} hours"
                with pytest.raises(Repeated):
                    await hand.store.append(hand.append(idempotency=hand.key(name, "d")))
            elif ago >= 48:
                assert found is None, f"{name} is known after {ago} hours"


async def test_a_record_takes_few_bytes_of_redis(connection: Connection, hand: Hand) -> None:
    """As MEMORY USAGE counts. Redis keeps a hash of up to 512 entries in one piece, and a larger one in tables."""
    first, second, _ = keys.accepted(hand.match, hand.by, "")

    async def bytes_of_all() -> int:
        sizes = await connection.pipe.many(("MEMORY", "USAGE", key, "SAMPLES", 0) for key in (first, second))
        return sum(size or 0 for size in sizes)

    deadlines = {"red": hand.store.append_time(), "blue": hand.store.append_time()}
    for more, most in ((400, 40), (1000, 110)):
        start = hand.version
        for _ in range(more):
            await hand.write(
                idempotency=hand.key(f"{uuid.uuid4()}", "d", **(deadlines if hand.version % 20 == 0 else {}))
            )
        assert await bytes_of_all() / hand.version < most, f"{start} and {more} more records"


async def test_deadlines_are_replaced_as_a_whole_and_left_alone_when_not_given(hand: Hand) -> None:
    at = hand.store.append_time()

    async def due() -> list[str]:
        return [seat for match, seat, _ in await hand.store.due(at + 60_000) if match == hand.match]

    await hand.write(deadlines={"red": at + 1000, "blue": at + 2000})
    await hand.write()
    assert await due() == ["red", "blue"]
    await hand.write(deadlines={"blue": at + 500})
    assert await due() == ["blue"]
    await hand.write(deadlines={})
    assert await due() == []


async def test_a_seat_with_time_left_may_act_while_another_is_too_late(hand: Hand) -> None:
    await hand.write(
        deadlines={"red": hand.store.append_time() - 5, "blue": hand.store.append_time() + 60_000}
    )
    await hand.write(acting_seat="blue")
    await hand.write(acting_seat="green")
    with pytest.raises(TooLate):
        await hand.write(acting_seat="red")


async def test_a_clock_that_went_wrong_is_set_by_the_first_refusal(connection: Connection) -> None:
    world = World.real()
    hand = Hand(Store(connection, world))
    world.offset_ms += 3_600_000
    with pytest.raises(ClockSkew):
        await hand.write()
    await hand.write()
    assert abs(world.offset_ms) < 1000


async def test_time_set_back_does_not_stop_a_match(connection: Connection) -> None:
    """Redis's clock may be corrected by an hour; until then its matches go on in their newest event's millisecond."""
    fast = World.fixed("fast", now_ms=World.real().now_ms() + 3_600_000)
    ahead = Hand(Store(connection, fast))
    await ahead.write()
    hand = Hand(Store(connection, World.real()), ahead.match)
    await hand.look()
    event = await hand.write()
    assert event.at == ahead.at


async def test_what_has_to_wait_is_appended_as_soon_as_redis_says_that_it_is_time(hand: Hand) -> None:
    await hand.write(not_before=1)
    time = World.fixed("in time")
    waiting = Hand(Store(hand.store.connection, time))
    with pytest.raises(ClockSkew):
        await waiting.write(not_before=time.now_ms() + 1)
    await waiting.write(not_before=time.now_ms())


async def test_in_a_fixed_world_time_stands_still(connection: Connection) -> None:
    hand = Hand(Store(connection, World.fixed("still")))
    await hand.write(deadlines={"red": hand.store.append_time()})
    await hand.write(acting_seat="red")
    assert {event.at for event in await hand.store.events(hand.match)} == {hand.at}


async def test_activity_is_numbered_without_gaps_and_says_when_some_is_lost(
    connection: Connection, hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = int(hand.match[2:5])
    before = (await hand.store.activity({bucket: 0}, limit=100_000))[bucket].newest
    await hand.write(lobby_entry=b'{"a":1}')
    await hand.write(hand.events(3), lobby_entry=b'{"a":2}')
    news = (await hand.store.activity({bucket: before}))[bucket]
    assert news == store.Activities([Activity(hand.match, 4, b'{"a":2}')], before + 2, before + 2, False)
    assert (await hand.store.activity({bucket: before}, limit=1))[bucket] == store.Activities(
        [Activity(hand.match, 1, b'{"a":1}')], before + 1, before + 2, False
    )
    assert (await hand.store.activity({bucket: before + 2}))[bucket] == store.Activities(
        [], before + 2, before + 2, False
    )
    assert (await hand.store.activity({bucket: before + 9}))[bucket].lost
    await connection.redis.xtrim(keys.activity(bucket), maxlen=1, approximate=False)
    assert (await hand.store.activity({bucket: before}))[bucket].lost
    assert not (await hand.store.activity({bucket: before + 1}))[bucket].lost


async def test_what_is_new_is_the_newest_append_of_each_match_whatever_the_others_do(
    own_redis: AnyRedis,
) -> None:
    async with opened(own_redis.url) as connection:
        first = Hand(Store(connection, World.real()))
        bucket = int(first.match[2:5])
        second = Hand(
            first.store, next(id for id in iter(first.store.new_match_id, "") if id[2:5] == first.match[2:5])
        )
        for i, hand in enumerate([first, second, first, first, second, first]):
            await hand.write(lobby_entry=b"%d" % i)
        for after, limit, expected, reached in (
            (0, 100, {(first.match, 4, b"5"), (second.match, 2, b"4")}, 6),
            (0, 4, {(first.match, 3, b"3"), (second.match, 1, b"1")}, 4),
            (2, 2, {(first.match, 3, b"3")}, 4),
            (4, 100, {(first.match, 4, b"5"), (second.match, 2, b"4")}, 6),
        ):
            news = (await first.store.activity({bucket: after}, limit))[bucket]
            assert {(one.match_id, one.version, one.lobby_entry) for one in news.entries} == expected
            assert (len(news.entries), news.reached, news.newest, news.lost) == (
                len(expected),
                reached,
                6,
                False,
            )


async def test_an_activity_entry_says_whose_turn_it_is_and_the_index_where_that_is_new(
    connection: Connection, hand: Hand
) -> None:
    bucket = int(hand.match[2:5])
    before = (await hand.store.activity({bucket: 0}, limit=100_000))[bucket].newest
    at = hand.store.append_time()
    await hand.write(
        hand.events(type="match_started"),
        lobby_entry=b'{"a":1}',
        status="playing",
        to_act=["red"],
        notices=b"[1]",
    )
    await hand.write(status="playing", to_act=["red", "blue"], deadlines={"red": at + 1, "blue": at + 20})
    stream = keys.activity(bucket)
    first, second = [
        dict(zip(flat[::2], flat[1::2], strict=True))
        for _, flat in await connection.pipe.call("XRANGE", stream, f"{before + 1}-0", "+")
    ]
    assert first == {
        b"match": hand.match.encode(), b"version": b"1", b"index": b'{"a":1}', b"type": b"match_started",
        b"status": b"playing", b"to_act": b"red", b"deadlines": b"", b"notices": b"[1]",
    }  # fmt: skip
    assert second == {
        b"match": hand.match.encode(), b"version": b"2", b"index": b"", b"type": b"action_taken",
        b"status": b"playing", b"to_act": b"red blue", b"deadlines": b"red %d blue %d" % (at + 1, at + 20),
        b"notices": b"",
    }  # fmt: skip
    for after, index in ((before, b'{"a":1}'), (before + 1, b"")):
        news = (await hand.store.activity({bucket: after}))[bucket]
        assert news.entries == [Activity(hand.match, 2, index)]


async def test_everything_new_is_read_however_much_there_is_also_by_a_redis_that_has_forgotten_the_scripts(
    own_redis: AnyRedis,
) -> None:
    async with opened(own_redis.url) as connection:
        hand = Hand(Store(connection, World.real()))
        busy = range(10, 35)
        for bucket in busy:
            await connection.pipe.many(
                ("XADD", keys.activity(bucket), f"{i}-0", "match", f"m{i % 7}", "version", i, "index", "{}")
                for i in range(1, 131)
            )
            await connection.pipe.call("ZADD", keys.deadlines(bucket), 1_000 + bucket, f"m{bucket} red")
        buckets = dict.fromkeys(range(hand.store.buckets), 0)
        for forgotten in (False, True):
            if forgotten:
                await connection.redis.script_flush()
            found = await hand.store.activity(buckets)
            assert found.keys() == buckets.keys()
            for bucket, news in found.items():
                if bucket in busy:
                    assert sorted(one.version for one in news.entries) == [*range(94, 101)]
                    assert (news.reached, news.newest, news.lost) == (100, 130, False)
                else:
                    assert news == store.Activities([], 0, 0, False)
            if forgotten:
                await connection.redis.script_flush()
            assert await hand.store.due(1_020) == [(f"m{b}", "red", 1_000 + b) for b in range(10, 20)]


async def test_the_activity_stream_is_bounded(
    connection: Connection, hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "ACTIVITY_ENTRIES", 10)
    bucket = int(hand.match[2:5])
    for _ in range(300):
        await hand.write()
    assert (
        await connection.pipe.call("XLEN", keys.activity(bucket)) < 250
    )  # "about": a stream lets go of whole blocks


async def test_a_whole_record_goes_in_with_one_append(hand: Hand) -> None:
    await hand.write(hand.events(3000))
    events = [event for start in (0, 1000, 2000) for event in await hand.store.events(hand.match, start)]
    assert len(events) == 3000
    assert_whole(events)


async def test_a_snapshot_is_a_cache(hand: Hand) -> None:
    await hand.write(hand.events(5))
    assert await hand.store.snapshot(hand.match) is None
    await hand.store.put_snapshot(hand.match, b"\0snap")
    assert await hand.store.snapshot(hand.match) == b"\0snap"
    await hand.store.delete_snapshot(hand.match)
    assert await hand.store.snapshot(hand.match) is None


async def test_concurrent_writers_of_one_process_lose_double_and_reorder_nothing(hand: Hand) -> None:
    acknowledged: list[int] = []

    async def writer(name: str) -> None:
        mine = Hand(hand.store, hand.match, name)
        for _ in range(20):
            while True:
                await mine.look()
                try:
                    acknowledged.append((await mine.write()).version)
                    break
                except VersionConflict:
                    pass

    await asyncio.gather(*(writer(f"pl_{i}") for i in range(8)))
    events = await hand.store.events(hand.match)
    assert_whole(events)
    assert sorted(acknowledged) == [*range(1, 161)]
    assert {event.by for event in events} == {f"pl_{i}" for i in range(8)}


async def test_two_processes_writing_one_match_lose_double_and_reorder_nothing(
    redis_server: AnyRedis, hand: Hand
) -> None:
    names = ("pl_one", "pl_two")
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.events.hand", redis_server.url, hand.match, name, "200"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in names
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = await asyncio.gather(*(asyncio.to_thread(process.communicate, None, 60) for process in processes))
    assert [process.returncode for process in processes] == [0, 0]
    acknowledged = [[int(line) for line in out.split()] for out, _ in said]
    events = await hand.store.events(hand.match)
    assert_whole(events)
    assert len(events) == 400
    assert acknowledged == [[event.version for event in events if event.by == name] for name in names]
    changes = sum(events[i].by != events[i - 1].by for i in range(1, 400))
    assert changes > 2, "they did not write at the same time"
