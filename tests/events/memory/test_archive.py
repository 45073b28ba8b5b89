"""Ageing: matches leave Redis for the archive, answer from there as before, and come back to the byte."""

from __future__ import annotations

import asyncio
import gzip
import multiprocessing
import os
import random
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

import warlog_core
from tests.events.table import ADA, BATTLE, BOB, EVE, SPECTATOR, Table, choice, table_at
from tests.servers import AnyRedis
from warlog_events import errors
from warlog_events.match.commands import Abort, Accept, CreateMatch, Join, Propose, Rematch, Undo
from warlog_events.match.match import Match, rfc3339
from warlog_events.match.verify import verify_record
from warlog_events.memory import archive as archives
from warlog_events.memory.archive import Archive, Files, Tombstone
from warlog_events.redis import keys
from warlog_events.redis.idempotency import Key
from warlog_events.workers.archiver import Archiver
from warlog_events.workers.lobby import Lobby
from warlog_events.workers.projector import Projector

LATER = "9999-01-01T00:00:00.000Z"


@asynccontextmanager
async def table_with(redis: AnyRedis, folder: Path | str | None) -> AsyncIterator[Table]:
    """A process that knows of an archive in this folder."""
    async with table_at(redis.url) as table:
        if folder is not None:
            table.store._archive = Archive(Files(str(folder)))
        yield table


def archiver(table: Table) -> Archiver:
    return Archiver(table.matches, archive_of(table).files)


def archive_of(table: Table) -> Archive:
    assert isinstance(table.store._archive, Archive)
    return table.store._archive


async def archived(table: Table, match: Match) -> str:
    """The outcome's status."""
    return (await archiver(table).archive(match.id)).status


async def several(table: Table) -> list[Match]:
    """Matches that are over, of every kind: lines, an edit's worth of versions, secrets, wishes, imports, aborted."""
    rng = random.Random(7)
    lines = await table.play(await table.hot_seat(), 40, rng)
    lines = await table.undo(await table.finish(await table.undo(lines, 9)), 12)
    lines = await table.finish(await table.play(lines, 3, rng))
    secret = await table.finish(
        await table.play(await table.duel({"army": "recruit"}, mode="competitive"), 2, rng)
    )
    rematch = await table.finish(await table.duel())
    proposal = await table.do(rematch, Propose(Rematch()), ADA)
    rematch = (await table.do(rematch, Accept(proposal.version), BOB)).match
    record: Any = await table.matches.past.export(lines, SPECTATOR)
    imported = (
        await table.matches.new.import_record(msgspec.json.decode(msgspec.json.encode(record)), EVE)
    ).match
    spec = CreateMatch("hex", BATTLE, {"red": "me", "blue": "invite"}, visibility="private")
    lobby = (await table.matches.new.create(spec, ADA)).match
    lobby = (await table.do(lobby, Propose(Abort()), ADA)).match
    wish = (await table.matches.new.create(CreateMatch("wec", seating="wish"), ADA)).match
    await table.do(wish, Join("white"), ADA)
    wish = (await table.do(wish, Join("white"), BOB)).match
    proposal = await table.do(wish, Propose(Abort()), ADA)
    wish = (await table.do(wish, Accept(proposal.version), BOB)).match
    return [lines, secret, rematch, imported, lobby, wish]


async def everything(table: Table, match: Match) -> dict[str, Any]:
    """All that can be read of a match, by whom ever."""
    found: dict[str, Any] = {}
    for player in (ADA, BOB, EVE):
        try:
            head = await table.matches.admission.load(match.id, player.id)
            reader = head.reader(player.id)
        except errors.WarlogError as error:
            found[player.id] = error.code
            continue
        matches = table.matches
        seen: dict[str, Any] = {
            "summary": head.summary(reader),
            "events": await matches.past.events(head, reader, 0, 10_000),
            "timeline": matches.past.timeline(head, 0, 10_000),
            "history": await matches.past.history(head, reader, 0, 10_000),
            "stored": [await table.store.events(match.id, after, 7) for after in range(0, head.version, 7)],
        }
        if head.is_over:
            seen["export"] = await matches.past.export(head, reader)
            seen["verdict"] = await matches.past.verify(head)
            versions = range(head.started_at_version, head.version + 1)
            seen["views"] = [
                state.view(seat, plain=True) for v in versions for state in [await matches.past.state_at(head, v)]
                for seat in head.seats
            ]  # fmt: skip
        found[player.id] = msgspec.json.encode(seen)
    return found


async def keys_of(table: Table, match: Match) -> set[str]:
    found = {
        key.decode().rpartition(":")[2] async for key in table.connection.redis.scan_iter(f"*{match.id}*")
    }
    return found


async def test_what_is_archived_answers_as_before_and_redis_holds_its_summary_alone(
    own_redis: AnyRedis, tmp_path: Path
) -> None:
    async with table_with(own_redis, tmp_path) as table, table_with(own_redis, tmp_path) as other:
        matches = await several(table)
        before = {match.id: await everything(table, match) for match in matches}
        await table.matches.loader.settle()
        for match in matches:
            assert await archived(table, match) == "archived"
            assert await keys_of(table, match) == {"state"}
            assert {match.id: await everything(table, match)} == {match.id: before[match.id]}
        await table.forget()
        for process in (table, other):
            for match in matches:
                assert await everything(process, match) == before[match.id]
            await process.matches.loader.settle()
        for match in matches:
            assert await keys_of(table, match) == {"state"}  # no snapshot has come back
            assert await archived(other, match) == "changed"
        assert sorted(path.suffix for path in tmp_path.rglob("m_*")) == [".gz"] * len(matches)
        assert not list(tmp_path.rglob("*.tmp"))


async def test_a_file_is_a_record_that_verifies_by_itself_and_can_be_imported(
    own_redis: AnyRedis, tmp_path: Path
) -> None:
    async with table_with(own_redis, tmp_path) as table:
        matches = await several(table)
        for match in matches:
            await archived(table, match)
            (path,) = tmp_path.rglob(f"{match.id}.*")
            record = msgspec.json.decode(gzip.decompress(path.read_bytes()))
            verdict = verify_record(record)
            assert verdict.status == ("unseeded" if match.fold.imported else "verified"), verdict
            if match.is_over:
                assert (await table.matches.new.import_record(record, EVE)).match.is_over
            else:
                with pytest.raises(errors.Refused):
                    await table.matches.new.import_record(record, EVE)


@pytest.mark.parametrize("game", warlog_core.games())
async def test_a_match_of_any_game_leaves_and_answers_as_before(
    own_redis: AnyRedis, tmp_path: Path, game: str
) -> None:
    rng = random.Random(4)
    async with table_with(own_redis, tmp_path) as table:
        seats = dict.fromkeys(warlog_core.game(game).seats_for({}), "me")
        match = (await table.matches.new.create(CreateMatch(game, {}, seats), ADA)).match
        for _ in range(12):
            match = await table.act(match, *choice(match, rng))
        while not match.is_over:
            try:
                match = await table.act(match, match.to_act[0], {"type": "resign"})
            except errors.Refused:  # not in this phase
                match = await table.act(match, *choice(match, rng))
        before = await everything(table, match)
        assert await archived(table, match) == "archived"
        await table.forget()
        assert await everything(table, match) == before


async def test_only_what_has_been_over_for_long_enough_leaves(own_redis: AnyRedis, tmp_path: Path) -> None:
    async with table_with(own_redis, tmp_path) as table:
        over = await table.finish(await table.duel())
        await table.hot_seat()
        await table.matches.new.create(CreateMatch("hex", BATTLE, {"red": "me"}), ADA)
        ended = over.fold.updated_at

        async def found(before: str) -> list[str]:
            return [match async for _, batch in archiver(table).candidates(before) for match in batch]

        assert await found(rfc3339(ended)) == []
        assert await found(rfc3339(ended + 1)) == [over.id]
        assert await archiver(table).count() == 3
        assert sum([count async for count, _ in archiver(table).candidates(LATER)]) == 3
        await archived(table, over)
        assert await found(LATER) == []


async def test_taking_back_a_finished_match_brings_it_back_and_it_can_leave_again(
    own_redis: AnyRedis, tmp_path: Path
) -> None:
    async with table_with(own_redis, tmp_path) as table, table_with(own_redis, tmp_path) as other:
        match = await table.finish(await table.play(await table.hot_seat(), 6, random.Random(2)))
        await other.load(match)
        stored = await table.store.events(match.id)
        secrets = await table.store.secrets(match.id)
        for round_ in range(3):
            assert await archived(table, match) == "archived"
            process = other if round_ % 2 else table
            undone = (await process.do(match, Propose(Undo(4)), ADA)).match
            assert undone.status == "playing"
            raw = await table.connection.pipe.call("XRANGE", keys.events(match.id), "-", "+")
            assert len(raw) == undone.version
            assert (await table.store.events(match.id))[: len(stored)] == stored
            assert (await table.store.secrets(match.id)).items() >= secrets.items()
            assert undone.version == match.version + 1
            match = await process.finish(await process.play(undone, 3, random.Random(round_)))
            stored = await table.store.events(match.id)
            assert (await other.matches.past.verify(await other.load(match))).status == "verified"
            assert (await table.matches.past.verify(await table.load(match))).status == "verified"
        assert len(list(tmp_path.rglob(f"{match.id}.*"))) == 3


async def test_a_command_is_refused_or_repeated_without_bringing_the_match_back(
    own_redis: AnyRedis, tmp_path: Path
) -> None:
    async with table_with(own_redis, tmp_path) as table:
        match = await table.duel()
        key = Key("k", "digest")
        seat = match.to_act[0]
        from warlog_events.match.commands import Act

        done = await table.do(match, Act(seat, {"type": "resign"}), match.holders[seat], key=key)
        assert await archived(table, match) == "archived"
        await table.forget()
        again = await table.do(match, Act(seat, {"type": "resign"}), match.holders[seat], key=key)
        player = match.holders[seat]
        assert await table.answer(again, player) == await table.answer(done, player)
        for command, player, error in (
            (Act("red", {"type": "wait", "piece": 1}), ADA, errors.Refused),
            (Propose(Abort()), ADA, errors.WrongStatus),
            (Propose(Rematch()), EVE, errors.NotYourSeat),
        ):
            with pytest.raises(error):
                await table.do(match, command, player)
        assert {"events", "secrets", "snapshot"}.isdisjoint(await keys_of(table, match))


async def test_a_match_that_fails_verification_stays_and_is_reported(
    own_redis: AnyRedis, tmp_path: Path
) -> None:
    async with table_with(own_redis, tmp_path) as table:
        pipe = table.connection.pipe
        cases = [await table.finish(await table.duel()) for _ in range(3)]
        seed, event, frozen = cases
        (name,) = await table.store.secrets(seed.id)
        await pipe.call("HSET", keys.secrets(seed.id), name, "00" * 32)
        stored = (await table.store.events(event.id))[-1]
        await pipe.call("DEL", keys.snapshot(event.id))
        await pipe.call("XDEL", keys.events(event.id), f"{event.version}-0")
        changed = stored.body.replace(b"resign", b"offer_draw")
        flat: list[Any] = [
            word for name in ("type", "seat", "by", "at", "body", "draws", "chain", "hash")
            for word in (name, changed if name == "body" else "[]" if name == "draws" else getattr(stored, name))
        ]  # fmt: skip
        await pipe.call("XADD", keys.events(event.id), f"{event.version}-1", *flat)
        await pipe.call("HSET", keys.match_state(frozen.id), "frozen", "for a test")
        await table.forget()
        for match, status in ((seed, "failed"), (event, "failed"), (frozen, "failed")):
            outcome = await archiver(table).archive(match.id)
            assert outcome.status == status, outcome
            assert bool(outcome.detail) == (status == "failed")
            assert {"events", "secrets"} <= await keys_of(table, match)
        assert not list(tmp_path.rglob(f"{seed.id}*"))


async def test_who_plays_on_while_it_is_archived_keeps_it(own_redis: AnyRedis, tmp_path: Path) -> None:
    async with table_with(own_redis, tmp_path) as table, table_with(own_redis, tmp_path) as other:
        match = await table.finish(await table.hot_seat())
        write = archive_of(table).files.write

        def slow(*arguments: Any) -> Any:
            done = write(*arguments)
            asyncio.run_coroutine_threadsafe(other.undo(match, 2), loop).result(10)
            return done

        loop = asyncio.get_running_loop()
        archive_of(table).files.write = slow  # type: ignore[method-assign,assignment]
        assert await archived(table, match) == "changed"
        assert (await table.load(match)).status == "playing"
        assert "events" in await keys_of(table, match)


async def test_several_archivers_at_once_archive_each_match_once(own_redis: AnyRedis, tmp_path: Path) -> None:
    async with table_with(own_redis, tmp_path) as one, table_with(own_redis, tmp_path) as two:
        matches = [await one.finish(await one.hot_seat()) for _ in range(20)]
        before = [await everything(one, match) for match in matches]
        statuses: list[str] = []
        for match in matches:
            statuses += await asyncio.gather(*(archived(table, match) for table in (one, two, one)))
        assert statuses.count("archived") == len(matches)
        assert set(statuses) == {"archived", "changed"}
        assert [await everything(two, match) for match in matches] == before


async def test_a_file_that_is_missing_or_damaged_is_said_and_nothing_else_is_lost(
    own_redis: AnyRedis, tmp_path: Path
) -> None:
    async with table_with(own_redis, tmp_path) as table:
        match, other = [await table.finish(await table.hot_seat()) for _ in range(2)]
        for one in (match, other):
            await archived(table, one)
        (path,) = tmp_path.rglob(f"{match.id}.*")
        good = path.read_bytes()

        async def load(folder: Path | None) -> Match:
            async with table_with(own_redis, folder) as process:
                return await process.load(match)

        path.unlink()
        with pytest.raises(errors.Unavailable):
            await load(tmp_path)
        with pytest.raises(errors.Unavailable):
            await load(None)
        path.write_bytes(good)
        assert (await load(tmp_path)).is_over
        for bad in (b"", good[:-1], good[:50] + bytes([good[50] ^ 1]) + good[51:], gzip.compress(b"{}")):
            path.write_bytes(bad)
            with pytest.raises(errors.IntegrityError):
                await load(tmp_path)
        path.write_bytes(good)
        await table.connection.pipe.call("HDEL", keys.match_state(match.id), "frozen")
        assert (await load(tmp_path)).is_over
        assert (await table.load(other)).is_over


async def test_what_comes_back_while_it_is_read_is_read_whole(
    own_redis: AnyRedis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who had found nothing in Redis and then no tombstone thought that history was lost, and froze the match."""
    async with table_with(own_redis, tmp_path) as table, table_with(own_redis, tmp_path) as other:
        match = await table.finish(await table.hot_seat())
        events, secrets = await table.store.events(match.id), await table.store.secrets(match.id)
        ask = table.connection.pipe.call

        async def ask_and_restore(*words: Any, **more: Any) -> Any:
            reply = await ask(*words, **more)
            assert await other.store.restore(match.id) is (reply == [])
            return reply

        for read, whole in ((table.store.events, events), (table.store.secrets, secrets)):
            assert await archived(table, match) == "archived"
            with monkeypatch.context() as patch:
                patch.setattr(table.connection.pipe, "call", ask_and_restore)
                assert await read(match.id) == whole


@pytest.mark.parametrize(
    "id", ["m_017_../../../../etc", "..", "m_017_aaaaaaaaaaaaaaaa/..", "m_017_aaaaaaaaaaaaaaaa\n"]
)
async def test_no_id_leads_out_of_the_archive(own_redis: AnyRedis, tmp_path: Path, id: str) -> None:
    async with table_with(own_redis, tmp_path) as table:
        with pytest.raises(errors.UnknownMatch):
            archive_of(table).files.name(id, Tombstone(1, "0" * 64))
        with pytest.raises(errors.UnknownMatch):
            await table.matches.admission.load(id, None)
    for text in ("1 ../../x", "0 " + "0" * 64, "1 " + "0" * 63 + "/", "", "1"):
        with pytest.raises(errors.IntegrityError):
            Tombstone.parse(text)


async def test_any_url_of_fsspec_is_an_archive(own_redis: AnyRedis) -> None:
    async with table_with(own_redis, "memory://old/matches") as table:
        match = await table.finish(await table.duel())
        before = await everything(table, match)
        assert await archived(table, match) == "archived"
        await table.forget()
        assert await everything(table, match) == before
    with pytest.raises(ValueError):
        Files("nonsense://x")


async def test_what_is_kept_of_the_archive_in_memory_is_bounded(
    own_redis: AnyRedis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with table_with(own_redis, tmp_path) as table:
        matches = [
            await table.finish(await table.play(await table.hot_seat(), 9, random.Random(n)))
            for n in range(8)
        ]
        for match in matches:
            await archived(table, match)
        one = archives._size(await table.store.events(matches[0].id))
        small = table.store._archive = Archive(archive_of(table).files, cache_bytes_max=3 * one)
        for _ in range(2):
            for match in matches:
                await table.store.events(match.id)
                assert 0 < small.cached_bytes <= 3 * one
        assert small.counts.archive_reads == 2 * len(matches)
        reads = small.counts.archive_reads
        await asyncio.gather(*(table.store.events(matches[-1].id) for _ in range(10)))
        assert small.counts.archive_reads == reads
        await asyncio.gather(*(table.store.events(matches[0].id) for _ in range(10)))
        assert small.counts.archive_reads == reads + 1


async def test_the_lists_and_a_rebuild_know_of_what_is_archived(own_redis: AnyRedis, tmp_path: Path) -> None:
    async with table_with(own_redis, tmp_path) as table:
        matches = await several(table)
        projector = Projector(table.connection, table.store)
        await projector.catch_up()

        async def models() -> dict[bytes, Any]:
            found: dict[bytes, Any] = {}
            for key in await table.connection.pipe.call("KEYS", keys.lobby("*")):
                found[key] = await table.connection.pipe.call("DUMP", key)
            return found

        class Query(msgspec.Struct):
            game: str | None = None
            status: str | None = None
            mode: str | None = None
            player: str | None = None
            open: bool = False
            turn: str | None = None
            watchable: bool = False
            after: str | None = None

        lobby = Lobby(table.connection, projector.catch_up)
        before, listed = set(await models()), await lobby.matches(Query(), ADA.id, 100)
        for match in matches:
            assert await archived(table, match) == "archived"
        assert await lobby.matches(Query(), ADA.id, 100) == listed
        await projector.rebuild()
        assert set(await models()) == before
        assert await lobby.matches(Query(), ADA.id, 100) == listed


async def test_a_match_restored_by_hand_is_to_the_byte_what_it_was(
    own_redis: AnyRedis, tmp_path: Path
) -> None:
    async with table_with(own_redis, tmp_path) as table:
        pipe = table.connection.pipe

        async def fields(key: str) -> dict[bytes, bytes]:
            flat = await pipe.call("HGETALL", key)
            return dict(zip(flat[::2], flat[1::2], strict=True))

        for match in await several(table):
            await table.matches.loader.settle()
            await pipe.call("DEL", keys.snapshot(match.id))
            stream = await pipe.call("XRANGE", keys.events(match.id), "-", "+")
            hashes = [await fields(key(match.id)) for key in (keys.secrets, keys.match_state)]
            await archived(table, match)
            assert await table.store.restore(match.id)
            assert not await table.store.restore(match.id)
            assert await pipe.call("XRANGE", keys.events(match.id), "-", "+") == stream
            assert [await fields(key(match.id)) for key in (keys.secrets, keys.match_state)] == hashes


# ---- death on the way


async def archive_all(url: str, folder: str) -> None:
    """For ever: archives all there is, and brings some back."""
    rng = random.Random()
    async with table_at(url) as table:
        table.store._archive = Archive(Files(folder))
        while True:
            async for _, batch in archiver(table).candidates(LATER):
                for match in batch:
                    await archiver(table).archive(match)
            for bucket in range(table.store.buckets):
                async for matches in table.store.matches(bucket):
                    for match in matches:
                        if rng.random() < 0.7:
                            await table.store.restore(match)


def _process(url: str, folder: str) -> None:
    asyncio.run(archive_all(url, folder))


async def _kill_archivers(redis: AnyRedis, folder: Path, kills: int) -> None:
    rng = random.Random(kills)
    spawn = multiprocessing.get_context("spawn")
    async with table_with(redis, folder) as table:
        matches = await several(table)
        matches += [await table.finish(await table.play(await table.hot_seat(), 4, rng)) for _ in range(20)]
        before = [await everything(table, match) for match in matches]
        places = set()
        for _ in range(kills):
            process = spawn.Process(target=_process, args=(redis.url, str(folder)), daemon=True)
            process.start()
            while not list(folder.rglob("m_*")):
                await asyncio.sleep(0.02)
            await asyncio.sleep(rng.uniform(1.2, 2.0))
            assert process.pid is not None
            os.kill(process.pid, signal.SIGKILL)
            process.join()
            await table.forget()
            table.store._archive = Archive(Files(str(folder)))
            for match, known in zip(matches, before, strict=True):
                assert await everything(table, match) == known
                places.add("events" in await keys_of(table, match))
        assert places == {True, False}


async def test_killed_while_it_archives_nothing_is_lost(own_redis: AnyRedis, tmp_path: Path) -> None:
    await _kill_archivers(own_redis, tmp_path, kills=3)


@pytest.mark.soak
async def test_killed_a_hundred_times_while_it_archives_nothing_is_lost(
    own_redis: AnyRedis, tmp_path: Path
) -> None:
    await _kill_archivers(own_redis, tmp_path, kills=100)


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, match = Files(str(tmp_path / "deep" / "er")), "m_017_aaaaaaaaaaaaaaaa"

    def refuse(*_: object) -> None:
        raise OSError("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", refuse)
        with pytest.raises(OSError):
            files.write(match, 3, b"{}")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    tombstone, size = files.write(match, 3, b"{}")
    assert files.write(match, 3, b"{}") == (tombstone, size)
    assert files.read(match, tombstone) == b"{}"
    assert Files(str(tmp_path / "deep/er/")).read(match, tombstone) == b"{}"
    (path,) = (path for path in tmp_path.rglob("*") if path.is_file())
    assert path.stat().st_size == size
    shutil.rmtree(tmp_path / "deep")
    with pytest.raises(OSError):
        files.read(match, tombstone)
