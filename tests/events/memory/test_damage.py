"""Bits of stored events are flipped, in a real Redis, and each flip is an integrity error as soon as the event is
looked at: never an internal error, never a wrong answer.

Which flips are not seen at once is said exactly. Loading from a snapshot reads no event before the snapshot's, and of
that one checks the chain and the hash. Asking for a match in memory checks its newest event, and the chain of the one
before it. The comparison with what is stored (`compare_all`), a page of events, and loading without a snapshot see
every flip of what they read, which is all of it.
"""

from __future__ import annotations

import logging
import random
from collections.abc import AsyncIterator, Iterator
from typing import Any, NamedTuple

import msgspec
import pytest
import pytest_asyncio
from redis.exceptions import ResponseError

from tests.events.table import ADA, ALL, BATTLE, BOB, EVE, Table, table_at
from tests.servers import AnyRedis
from warlog_events import errors
from warlog_events.match.commands import Accept, CreateMatch, Prepare, Propose, TakeSeat, Undo
from warlog_events.match.match import Match
from warlog_events.match.stored import chain_of, draws_text
from warlog_events.match_settings import MatchSettings
from warlog_events.redis import keys

REDIS_KINDS = ("plain",)
SETTINGS = MatchSettings(checkpoint_every_events=4, snapshot_every_events=10)
FIELDS = ("type", "seat", "by", "at", "body", "draws", "chain", "hash")


@pytest_asyncio.fixture
async def table(redis_server: AnyRedis) -> AsyncIterator[Table]:
    async with table_at(redis_server.url, settings=SETTINGS) as table:
        yield table


class Flip(NamedTuple):
    """`part`: 0 is the id, 1 the name of the first field, 2 its value, and so on."""

    version: int
    part: int
    byte: int
    bit: int

    @property
    def field(self) -> str:
        return "id" if not self.part else FIELDS[(self.part - 1) // 2]


Entries = list[tuple[bytes, list[bytes]]]


class Stream:
    """The stored events of a match, to be damaged and put right."""

    def __init__(self, table: Table, match_id: str, entries: Entries) -> None:
        self._pipe: Any = table.connection.pipe
        self.entries = entries
        self.key = keys.events(match_id)
        self.state = keys.match_state(match_id)

    @classmethod
    async def of(cls, table: Table, match: Match) -> Stream:
        found = await table.connection.pipe.call("XRANGE", keys.events(match.id), "-", "+")
        return cls(table, match.id, [(entry_id, flat) for entry_id, flat in found])

    def flips(self) -> Iterator[Flip]:
        """Every bit of every entry. (Of an id, those that leave it behind the one before it.)"""
        for version, (entry_id, flat) in enumerate(self.entries, 1):
            for part, word in enumerate((entry_id, *flat)):
                yield from (Flip(version, part, byte, bit) for byte in range(len(word)) for bit in range(8))

    async def write(self, flip: Flip | None = None) -> bool:
        """As it was, with one bit flipped. False where Redis takes no such id."""
        calls: list[Any] = [("DEL", self.key), ("HDEL", self.state, "frozen")]
        for version, (entry_id, flat) in enumerate(self.entries, 1):
            words = [entry_id, *flat]
            if flip is not None and version == flip.version:
                word = bytearray(words[flip.part])
                word[flip.byte] ^= 1 << flip.bit
                words[flip.part] = bytes(word)
            calls.append(("XADD", self.key, *words))
        try:
            await self._pipe.many(calls)
        except ResponseError:
            return False
        return True


async def _played(table: Table) -> Match:
    """14 events: a lobby, actions with draws, a proposal that is accepted."""
    rng = random.Random(11)
    match = await table.play(await table.duel(), 7, rng)
    await table.do(match, Propose(Undo(8)), ADA)
    proposal = await table.load(match)
    match = (await table.do(match, Accept(proposal.version), BOB)).match
    return await table.play(match, 2, rng)


class Known(NamedTuple):
    match: Match
    events: list[dict[str, Any]]
    states: dict[int, bytes]
    snapshot: bytes
    snapshot_at: int


async def _known(table: Table, match: Match) -> Known:
    from warlog_events.memory import snapshot

    past = table.matches.past
    states = {
        v: (await past.state_at(match, v)).data for v in range(match.started_at_version, match.version + 1)
    }
    await table.matches.loader.settle()
    written = await table.store.snapshot(match.id)
    assert written is not None
    return Known(match, await table.events(match), states, written, snapshot.version_of(written))


async def _is_frozen(table: Table, match: Match) -> None:
    assert await table.store.frozen(match.id) is not None
    with pytest.raises(errors.IntegrityError) as refused:
        await table.do(match, Propose(Undo(5)), ADA)
    assert refused.value.reported


async def _reads_up_to(table: Table, known: Known, version: int) -> None:
    """Before `version` everything is as it was."""
    if version == 1:
        with pytest.raises(errors.IntegrityError):
            await table.matches.admission.readable(known.match.id, ADA.id)
        return
    head = await table.matches.admission.readable(known.match.id, ADA.id)
    assert head.version == version - 1
    assert (None if head.state is None else head.state.data) == known.states.get(version - 1)
    shown = msgspec.to_builtins(await table.matches.past.events(head, ALL, 0, 1000))
    assert [event["version"] for event in shown] == list(range(1, version))
    if version > 2:
        assert shown[1:] == known.events[1 : version - 1]


async def _cold(table: Table, known: Known, flip: Flip) -> None:
    await table.store.delete_snapshot(known.match.id)
    await table.forget()
    before = table.counts.integrity_errors
    with pytest.raises(errors.IntegrityError):
        await table.load(known.match)
    await _is_frozen(table, known.match)
    await _reads_up_to(table, known, flip.version)
    assert table.counts.integrity_errors == before + 1


async def _from_snapshot(table: Table, known: Known, flip: Flip) -> bool:
    """Whether the load saw it; if not, the comparison does."""
    await table.connection.pipe.call("SET", keys.snapshot(known.match.id), known.snapshot)
    await table.forget()
    before = table.counts.integrity_errors
    try:
        head = await table.load(known.match)
    except errors.IntegrityError:
        seen = True
    else:
        seen = False
        assert head.state is not None
        assert head.state.data == known.states[known.match.version]
        await table.matches.integrity.compare_all()
    assert table.counts.integrity_errors == before + 1
    await _is_frozen(table, known.match)
    return seen


async def _warm(table: Table, stream: Stream, known: Known, flip: Flip, by_page: bool) -> bool:
    """Whether asking for the match saw it; if not, a page of events or the comparison does."""
    await table.store.delete_snapshot(known.match.id)
    await table.forget()
    warm = await table.load(known.match)
    await table.matches.loader.settle()
    await stream.write(flip)
    before = table.counts.integrity_errors
    try:
        head = await table.load(known.match)
    except errors.IntegrityError:
        seen = True
    else:
        seen = False
        assert head.state is not None
        assert head.state.data == known.states[known.match.version]
        if by_page:
            with pytest.raises(errors.IntegrityError):
                await table.matches.past.events(warm, ALL, 0, 1000)
        else:
            await table.matches.integrity.compare_all()
    assert table.counts.integrity_errors == before + 1
    await _is_frozen(table, known.match)
    return seen


async def _each(table: Table, flips: list[Flip], stream: Stream, known: Known) -> dict[str, int]:
    seen = {"cold": 0, "snapshot": 0, "warm": 0, "impossible": 0}
    at, newest = known.snapshot_at, known.match.version
    for number, flip in enumerate(flips):
        if not await stream.write(flip):
            seen["impossible"] += 1
            continue
        await _cold(table, known, flip)
        seen["cold"] += 1
        await stream.write(flip)
        by_load = await _from_snapshot(table, known, flip)
        if flip.version != at:
            assert by_load == (flip.version > at), flip
        elif flip.field in ("chain", "hash", "id"):
            assert by_load, flip
        seen["snapshot"] += by_load
        await stream.write()
        by_load = await _warm(table, stream, known, flip, by_page=bool(number % 2))
        if flip.version != newest - 1:
            assert by_load == (flip.version == newest), flip
        elif flip.field in ("chain", "id"):
            assert by_load, flip
        seen["warm"] += by_load
        await stream.write()
    return seen


def _sample(stream: Stream, count: int) -> list[Flip]:
    """Of every field of every entry at least one bit, then any."""
    rng = random.Random(13)
    of: dict[tuple[int, int], list[Flip]] = {}
    for flip in stream.flips():
        of.setdefault((flip.version, flip.part), []).append(flip)
    parts = [*of]
    rng.shuffle(parts)
    return [rng.choice(of[part]) for part in parts[:count]]


async def test_a_flipped_bit_of_a_stored_event_is_an_integrity_error_cold_and_warm(table: Table) -> None:
    """A sample: one bit of most fields of every event."""
    match = await _played(table)
    known, stream = await _known(table, match), await Stream.of(table, match)
    flips = _sample(stream, 130)
    assert {flip.field for flip in flips} == {"id", *FIELDS}
    seen = await _each(table, flips, stream, known)
    print(f"{len(flips)} flips: {seen}")
    assert seen["impossible"] <= 10
    assert min(seen["cold"], seen["snapshot"], seen["warm"]) > 5


@pytest.mark.soak
async def test_every_flipped_bit_of_every_stored_event_is_an_integrity_error(table: Table) -> None:
    match = await _played(table)
    known, stream = await _known(table, match), await Stream.of(table, match)
    seen = await _each(table, list(stream.flips()), stream, known)
    print(f"all flips: {seen}")


# ---- events that continue the chain, and still cannot be read


async def _forged(table: Table, match: Match, version: int, **changed: Any) -> None:
    """Other contents for one event, with a chain that fits from there on."""
    events = await table.store.events(match.id)
    chain = events[version - 2].chain
    key = keys.events(match.id)
    calls: list[Any] = [("DEL", key)]
    for event in events:
        if event.version == version:
            event = msgspec.structs.replace(event, **changed)
        if event.version >= version:
            e = event
            chain = chain_of(chain, e.version, e.type, e.seat, e.by, e.at, e.body, e.draws, e.hash)
            event = msgspec.structs.replace(event, chain=chain)
        e = event
        words = [e.type, e.seat, e.by, e.at, e.body, draws_text(e.draws), e.chain, e.hash]
        named = [word for pair in zip(FIELDS, words, strict=True) for word in pair]
        calls.append(("XADD", key, f"{e.version}-0", *named))
    await table.connection.pipe.many(calls)


@pytest.mark.parametrize(
    "changed",
    [
        {"type": "match_exploded"},
        {"type": "match_created"},
        {"type": "seat_left"},
        {"body": b"\xff"},
        {"body": b"[" * 3000 + b"]" * 3000},
        {"body": b'{"action":' + b"[" * 3000 + b"]" * 3000 + b"}"},
        {"body": b'{"action":7}'},
        {"body": b'{"action":{"type":"wait","piece":1e400}}'},
        {"draws": [2**70]},
        {"draws": [-1]},
        {"draws": [1] * 5000},
        {"seat": "nobody"},
        {"hash": "not a hash"},
        {"type": "time_travelled", "body": b'{"to":1}', "seat": ""},
        {"type": "time_travelled", "body": b'{"to":99}', "seat": ""},
        {"type": "seat_prepared", "body": b"{}"},
        {"type": "position_edited", "body": b'{"player":{"id":"a","name":"b"},"position":{"pieces":7}}'},
        {
            "type": "options_changed",
            "body": b'{"options":{"width":1},"player":{"id":"a","name":"b"},"seats":[]}',
        },
    ],
)
async def test_an_event_that_cannot_be_read_is_an_integrity_error_whatever_is_wrong_with_it(
    table: Table, changed: dict[str, Any]
) -> None:
    match = await table.play(await table.hot_seat(), 6, random.Random(6))
    await _forged(table, match, 5, **changed)
    for whole in (True, False):
        await table.forget()
        await table.store.delete_snapshot(match.id)
        await table.connection.pipe.call("HDEL", keys.match_state(match.id), "frozen")
        with pytest.raises(errors.IntegrityError):
            await table.matches.loader.cold(match.id, whole=whole)
        assert await table.store.frozen(match.id)
        head = await table.matches.admission.readable(match.id, ADA.id)
        # What the rules do not look at may be wrong for a while before the state differs.
        assert 4 <= head.version < match.version


# ---- what a damaged match shows, and to whom


async def test_the_log_has_one_line_for_a_damaged_match_however_often_it_is_asked_for(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    match = await table.play(await table.hot_seat(), 6, random.Random(6))
    stream = await Stream.of(table, match)
    await stream.write(Flip(5, 10, 0, 0))
    await table.forget()
    with caplog.at_level(logging.INFO):
        for _ in range(50):
            await table.matches.admission.readable(match.id, ADA.id)
            with pytest.raises(errors.IntegrityError):
                await table.load(match)
            with pytest.raises(errors.IntegrityError):
                await table.do(match, Propose(Undo(2)))
        await table.matches.integrity.compare_all()
    assert [record.levelname for record in caplog.records if match.id in record.getMessage()] == ["CRITICAL"]
    assert table.counts.integrity_errors == 1


async def test_who_may_know_comes_before_what_is_wrong(table: Table) -> None:
    """To a stranger a damaged private match is unknown; who sat down after the damage is no stranger."""
    for version in (1, 2, 4):
        invited = CreateMatch("hex", BATTLE, {"red": "me", "blue": BOB.id}, visibility="private")
        match = (await table.matches.new.create(invited, ADA, players={BOB.id: BOB})).match
        await table.do(match, Prepare("red"), ADA)
        match = (await table.do(match, Prepare("blue"), BOB)).match
        match = await table.play(match, 3, random.Random(1))
        stream = await Stream.of(table, match)
        await stream.write(Flip(version, 10, 0, 0))
        await table.forget()
        for player in (None, EVE.id):
            with pytest.raises(errors.UnknownMatch):
                await table.matches.admission.load(match.id, player)
            with pytest.raises(errors.UnknownMatch):
                await table.matches.admission.readable(match.id, player)
        with pytest.raises(errors.UnknownMatch):
            await table.do(match, Propose(Undo(2)), EVE)
        with pytest.raises(errors.UnknownMatch):
            await table.do(match, TakeSeat("blue"), EVE)
        for member in (ADA, BOB):
            with pytest.raises(errors.IntegrityError):
                await table.matches.admission.load(match.id, member.id)
            with pytest.raises(errors.IntegrityError):
                await table.do(match, Propose(Undo(2)), member)
        if version > 1:
            assert (await table.matches.admission.readable(match.id, BOB.id)).version == version - 1


async def test_a_match_that_is_repaired_is_played_on_without_a_restart(table: Table) -> None:
    match = await table.play(await table.hot_seat(), 6, random.Random(6))
    stream = await Stream.of(table, match)
    for count in (1, 2):
        await stream.write(Flip(5, 10, 0, 0))
        await table.forget()
        assert (await table.matches.admission.readable(match.id, ADA.id)).version == 4
        assert table.counts.integrity_errors == count
        await stream.write()
        assert (await table.matches.admission.readable(match.id, ADA.id)).version == match.version
        await table.load(match)


async def test_no_snapshot_is_made_of_a_match_whose_stored_events_are_damaged(table: Table) -> None:
    rng = random.Random(6)
    match = await table.play(await table.hot_seat(), 6, rng)
    assert match.version < SETTINGS.snapshot_every_events
    await (await Stream.of(table, match)).write(Flip(5, 12, 0, 0))  # draws
    while match.version < SETTINGS.snapshot_every_events:  # from memory
        match = await table.play(match, 1, rng)
    await table.matches.loader.settle()
    with pytest.raises(errors.IntegrityError):
        await table.play(match, 1, rng)
    assert await table.store.snapshot(match.id) is None


async def test_a_damaged_seed_is_an_integrity_error_and_the_match_can_be_read(table: Table) -> None:
    match = await table.play(await table.hot_seat(), 3, random.Random(6))
    (name,) = await table.store.secrets(match.id)
    for value in (b"0" * 64, b"nothing", b"\xff"):
        await table.connection.pipe.call("HSET", keys.secrets(match.id), name, value)
        await table.connection.pipe.call("HDEL", keys.match_state(match.id), "frozen")
        await table.forget()
        with pytest.raises(errors.IntegrityError):
            await table.load(match)
        assert (await table.matches.admission.readable(match.id, ADA.id)).version == match.version


@pytest.mark.parametrize(("field", "written"), [("draws", b"[ %b"), ("at", b"+%b"), ("at", b"%b ")])
async def test_a_number_in_another_form_than_it_was_written_in_is_damage(
    table: Table, field: str, written: bytes
) -> None:
    """The chain runs over what was decoded, which would be the same."""
    match = await table.play(await table.hot_seat(), 6, random.Random(6))
    stream = await Stream.of(table, match)
    flat = stream.entries[4][1]
    at = 2 * FIELDS.index(field) + 1
    flat[at] = written % flat[at].removeprefix(b"[") if field == "draws" else written % flat[at]
    await stream.write()
    await table.forget()
    with pytest.raises(errors.IntegrityError):
        await table.load(match)
    assert (await table.matches.admission.readable(match.id, ADA.id)).version == 4
