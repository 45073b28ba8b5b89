"""The lobby's projection: what it lists, that it pages, that it is never wrong for long and can be made again."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from tests.events.table import ADA, BATTLE, BOB, EVE, Table, table_at
from tests.servers import AnyRedis
from warlog_events import errors
from warlog_events.match.commands import (
    Abort,
    Act,
    Competitive,
    CreateMatch,
    Join,
    LeaveSeat,
    Prepare,
    Propose,
    Rematch,
    TakeSeat,
    Undo,
)
from warlog_events.match.match import Match
from warlog_events.match.model import Player
from warlog_events.redis import keys
from warlog_events.redis.store import Activities
from warlog_events.workers import lobby as projections_lobby
from warlog_events.workers.lobby import Lobby
from warlog_events.workers.projector import Projector


class Query(msgspec.Struct, frozen=True):
    game: str | None = None
    status: str | None = None
    mode: str | None = None
    player: str | None = None
    open: bool = False
    turn: str | None = None
    watchable: bool = False
    after: str | None = None


@pytest_asyncio.fixture
async def table(own_redis: AnyRedis) -> AsyncIterator[Table]:
    async with table_at(own_redis.url) as table:
        yield table


def projector(table: Table) -> Projector:
    return Projector(table.connection, table.store)


async def listed(
    table: Table,
    caller: str | None = None,
    limit: int = 100,
    options: dict[str, object] | None = None,
    **filters: Any,
) -> list[str]:
    """Ids, all pages."""
    lobby = Lobby(table.connection, projector(table).catch_up)
    found: list[str] = []
    after: str | None = None
    while True:
        page, after = await lobby.matches(Query(after=after, **filters), caller, limit, options)
        assert len(page) <= limit
        found += [msgspec.json.decode(summary)["id"] for summary in page]
        if after is None:
            return found


async def projection(table: Table) -> dict[bytes, Any]:
    """Everything that the projection has written."""
    pipe = table.connection.pipe
    found: dict[bytes, Any] = {}
    for key in sorted(await pipe.call("KEYS", keys.lobby("*"))):
        kind = await pipe.call("TYPE", key)
        if kind == b"hash":
            flat = await pipe.call("HGETALL", key)
            found[key] = dict(zip(flat[::2], flat[1::2], strict=True))
        else:
            found[key] = await pipe.call("ZRANGE", key, 0, -1, "WITHSCORES")
    return found


async def some_matches(table: Table) -> dict[str, str]:
    create = table.matches.new.create
    ids = {
        "open": (await create(CreateMatch("hex", BATTLE, {"red": "me"}), ADA)).match,
        "invited": (await create(CreateMatch("hex", BATTLE, {"red": "me", "blue": "invite"}), ADA)).match,
        "private": (await create(CreateMatch("hex", BATTLE, {"red": "me"}, visibility="private"), ADA)).match,
        "wish": (await create(CreateMatch("hex", BATTLE, seating="wish"), EVE)).match,
        "competitive": await table.duel(mode="competitive"),
        "running": await table.play(await table.duel(), 3, random.Random(1)),
        "finished": await table.finish(await table.duel()),
        "aborted": (await create(CreateMatch("hex", BATTLE, {"red": "me"}), ADA)).match,
    }
    await table.do(ids["aborted"], Propose(Abort()), ADA)
    return {name: match.id for name, match in ids.items()}


async def test_matches_are_found_by_game_status_mode_player_and_open_seats(table: Table) -> None:
    ids = await some_matches(table)

    async def names(caller: str | None = None, **filters: Any) -> set[str]:
        found = await listed(table, caller, **filters)
        assert len(found) == len(set(found))
        return {name for name, id in ids.items() if id in found}

    public = set(ids) - {"private"}
    assert await names() == public
    assert await names(EVE.id) == public
    assert await names(ADA.id) == set(ids)
    assert await names(game="hex") == public
    assert await names(game="wec") == set()
    assert await names(status="lobby") == {"open", "invited", "wish"}
    assert await names(ADA.id, status="lobby") == {"open", "invited", "wish", "private"}
    assert await names(status="playing") == {"competitive", "running"}
    assert await names(status="finished", game="hex") == {"finished"}
    assert await names(status="aborted") == {"aborted"}
    assert await names(mode="competitive") == {"competitive"}
    assert await names(open=True) == {"open", "wish"}
    assert await names(player=BOB.id) == {"competitive", "running", "finished"}
    assert await names(player=ADA.id) == public - {"wish"}
    assert await names(ADA.id, player="me") == set(ids) - {"wish"}
    assert await names(EVE.id, player="me") == {"wish"}


async def test_open_matches_are_found_by_their_options_defaults_included(table: Table) -> None:
    create = table.matches.new.create
    small = (await create(CreateMatch("hex", BATTLE, {"red": "me"}), ADA)).match.id
    four = (await create(CreateMatch("hex", {"seats": 4, "army": "preset"}, {"red": "me"}), ADA)).match.id
    assert await listed(table, game="hex", options={"seats": 4}) == [four]
    assert await listed(table, game="hex", options={"seats": 2, "army": "preset"}) == [small]
    assert set(await listed(table, game="hex", options={"army": "preset"}, limit=1)) == {small, four}
    assert await listed(table, game="hex", options={"seats": 3}) == []
    assert await listed(table, game="hex", options={"seats": 4.0}) == []
    assert await listed(table, game="hex", options={"seats": 10**99}) == []
    with pytest.raises(errors.BadParameter):
        await listed(table, options={"seats": 2})
    with pytest.raises(errors.BadParameter):
        await listed(table, game="hex", options={"colour": "red"})


async def test_my_matches_are_found_by_whose_turn_it_is_at_this_moment(table: Table) -> None:
    duels = [await table.duel() for _ in range(3)]
    await table.duel(mode="competitive", visibility="private")
    await table.finish(await table.duel())
    await table.matches.new.create(CreateMatch("hex", BATTLE, {"red": "me"}), ADA)
    for _ in range(2):
        for player, seat in ((ADA, "red"), (BOB, "blue")):
            mine = await listed(table, player.id, turn="mine")
            others = await listed(table, player.id, turn="others", limit=1)
            assert len(mine + others) == len({*mine, *others}) == 4
            for match in duels:
                assert (match.id in mine) == (seat in match.to_act)
        duels[0] = await table.play(duels[0], 1, random.Random(1))
    assert await listed(table, EVE.id, turn="mine") == await listed(table, EVE.id, turn="others") == []
    wrongs: list[dict[str, Any]] = [{"player": BOB.id}, {"status": "finished"}]
    for wrong in wrongs:
        with pytest.raises(errors.BadParameter):
            await listed(table, ADA.id, turn="mine", **wrong)


async def test_watchable_are_running_matches_of_which_a_spectator_may_see_something(table: Table) -> None:
    ids = await some_matches(table)
    wec = []
    for mode in ("casual", "competitive"):
        spec = CreateMatch("wec", {}, {"black": "me", "white": BOB.id}, mode=mode)
        match = (await table.matches.new.create(spec, ADA, players={BOB.id: BOB})).match
        await table.do(match, Prepare("black"), ADA)
        wec.append((await table.do(match, Prepare("white"), BOB)).match.id)
    assert set(await listed(table, watchable=True)) == {ids["running"], ids["competitive"], wec[0]}
    assert await listed(table, EVE.id, watchable=True, game="wec") == [wec[0]]
    assert set(await listed(table, player=BOB.id, watchable=True, mode="competitive")) == {ids["competitive"]}


async def test_a_match_moves_on_in_the_list_and_stands_in_it_once(table: Table) -> None:
    match = (await table.matches.new.create(CreateMatch("hex", BATTLE, {"red": "me"}), ADA)).match
    assert await listed(table, open=True) == [match.id]
    match = (await table.do(match, TakeSeat("blue"), BOB)).match
    assert await listed(table, open=True) == []
    assert await listed(table, player=BOB.id) == [match.id]
    await table.do(match, Propose(Abort()), ADA)
    assert await listed(table) == [match.id]
    assert await listed(table, status="lobby") == [match.id]


async def test_pages_have_no_gap_and_no_double_whatever_their_size(table: Table) -> None:
    matches = [await table.hot_seat() for _ in range(23)]
    newest_first = [m.id for m in sorted(matches, key=lambda m: (m.fold.created_at, m.id), reverse=True)]
    for limit in (1, 2, 7, 23, 50):
        assert await listed(table, limit=limit) == newest_first
        assert await listed(table, ADA.id, limit=limit) == newest_first
    lobby = Lobby(table.connection)
    for cursor in (
        "x",
        "",
        "173568960000",
        "1735689600000 ",
        "1735689600000 m",
        "1735689600000 m_000_a b",
        "[" + "0" * 12 + " m",
    ):
        with pytest.raises(errors.BadParameter):
            await lobby.matches(Query(after=cursor), None, 10)


async def test_no_cursor_names_a_match_that_its_reader_may_not_know(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projections_lobby, "SCANNED_MAX", 2)
    public = (await table.hot_seat()).id
    hidden = set()
    for _ in range(9):
        spec = CreateMatch("hex", BATTLE, {"red": "me"}, visibility="private")
        hidden.add((await table.matches.new.create(spec, ADA)).match.id)
    shown, after = [], None
    lobby = Lobby(table.connection, projector(table).catch_up)
    for _ in range(20):
        page, after = await lobby.matches(Query(player=ADA.id, after=after), EVE.id, 5)
        shown += [msgspec.json.decode(one)["id"] for one in page]
        if after is None:
            break
        assert not any(id in after for id in hidden)
    assert shown == [public]
    assert await listed(table, ADA.id, limit=1, player="me") == await listed(
        table, ADA.id, limit=50, player="me"
    )
    assert after is None


async def test_a_rebuild_makes_exactly_what_following_made(table: Table) -> None:
    await some_matches(table)
    followed = projector(table)
    while (await followed.step()).new:
        pass
    before = await projection(table)
    assert len(before) > 5
    assert await projector(table).rebuild() == 8
    assert await projection(table) == before
    assert (await followed.step()).new == 0


async def test_whatever_happens_following_rebuilding_and_reading_twice_come_to_the_same(table: Table) -> None:
    rng = random.Random(11)
    people = (ADA, BOB, EVE)
    followed = projector(table)
    matches: list[Match] = []
    for _ in range(600):
        if len(matches) < 12 or rng.random() < 0.05:
            seats = {"red": rng.choice(("me", "open", "invite")), "blue": rng.choice(("me", "open"))}
            spec = CreateMatch("hex", BATTLE, seats, rng.choice(("casual", "competitive")))
            spec = msgspec.structs.replace(spec, visibility=rng.choice(("public", "private")))
            if rng.random() < 0.2:
                spec = CreateMatch("hex", BATTLE, seating="wish")
            with suppress(errors.Competitive):
                matches.append((await table.matches.new.create(spec, rng.choice(people))).match)
            continue
        match = rng.choice(matches)
        command = rng.choice(
            (
                TakeSeat("red"), TakeSeat("blue"), LeaveSeat("red"), LeaveSeat("blue"), Join(None), Prepare("red"),
                Prepare("blue"), Propose(Abort()), Propose(Rematch()), Propose(Undo(3)), Propose(Competitive()),
                Act("red", {"type": "resign"}), Act("blue", {"type": "resign"}),
            )
        )  # fmt: skip
        with suppress(errors.WarlogError):
            await table.do(match, command, rng.choice(people))
        if rng.random() < 0.05:
            await followed.step()
    await followed.catch_up()
    before = await projection(table)
    index = [raw.partition(b" ")[2] for raw in before[keys.lobby("index").encode()].values()]
    statuses = {msgspec.json.decode(raw)["status"] for raw in index}
    assert statuses == {"lobby", "playing", "finished", "aborted"}
    await projector(table).rebuild()
    assert await projection(table) == before
    read = [str(bucket) for bucket in range(table.store.buckets)]
    await table.connection.pipe.call("HDEL", keys.lobby("checkpoint"), *read)
    await projector(table).catch_up()
    assert await projection(table) == before


async def test_reading_the_activity_again_changes_nothing(table: Table) -> None:
    await some_matches(table)
    await projector(table).catch_up()
    before = await projection(table)
    read = [str(bucket) for bucket in range(table.store.buckets)]
    await table.connection.pipe.call("HDEL", keys.lobby("checkpoint"), *read)
    await projector(table).catch_up()
    assert await projection(table) == before


async def test_who_asks_does_not_wait_for_what_happens_after_his_question(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is something new after every pass, as under load."""
    await projector(table).catch_up()
    await some_matches(table)
    read = table.store.activity
    passes = 0

    async def read_and_append(after: Mapping[int, int], limit: int = 100) -> dict[int, Activities]:
        nonlocal passes
        passes += 1
        found = await read(after, 3)
        await table.hot_seat()
        return found

    monkeypatch.setattr(table.store, "activity", read_and_append)
    found = await read(dict.fromkeys(range(table.store.buckets), 0))
    before = {bucket: activities.newest for bucket, activities in found.items()}
    await projector(table).catch_up()
    stored = await table.connection.pipe.call("HGETALL", keys.lobby("checkpoint"))
    reached = {name: int(number) for name, number in zip(stored[::2], stored[1::2], strict=True)}
    assert all(reached.get(b"%d" % bucket, 0) >= number for bucket, number in before.items())
    assert 1 < passes <= max(before.values()) // 3 + 2


async def test_what_an_older_build_projected_is_made_again_and_what_a_newer_one_did_is_left_alone(
    table: Table,
) -> None:
    await some_matches(table)
    await projector(table).catch_up()
    made = await projection(table)
    pipe, checkpoint = table.connection.pipe, keys.lobby("checkpoint")
    await pipe.call("HDEL", checkpoint, "form")
    await pipe.call("DEL", keys.lobby(f"listed:of:{ADA.id}:playing"), keys.lobby("lobbies"))
    await projector(table).catch_up()
    assert await projection(table) == made
    await pipe.call("HSET", checkpoint, "form", 1_000)
    newer = await projection(table)
    await table.hot_seat()
    assert (await projector(table).step()).new == 0
    assert await projection(table) == newer


async def test_two_rebuilds_at_once_leave_what_one_leaves(table: Table, own_redis: AnyRedis) -> None:
    await some_matches(table)
    await projector(table).catch_up()
    made = await projection(table)
    async with table_at(own_redis.url) as other:
        for _ in range(5):
            await asyncio.gather(projector(table).rebuild(), projector(other).rebuild())
            assert await projection(table) == made


async def test_several_projectors_at_once_make_the_same_as_one(table: Table, own_redis: AnyRedis) -> None:
    async with table_at(own_redis.url) as other:
        workers = [projector(table), projector(other), projector(other)]
        stop = False

        async def work(worker: Projector) -> None:
            while not stop:
                await worker.step()

        tasks = [asyncio.create_task(work(worker)) for worker in workers]
        await some_matches(table)
        await asyncio.gather(some_matches(table), some_matches(other))
        await workers[0].catch_up()
        stop = True
        await asyncio.gather(*tasks)
        followed = await projection(table)
        await projector(table).rebuild()
        assert await projection(table) == followed


async def test_a_bucket_whose_activity_was_lost_is_rebuilt_from_its_matches(table: Table) -> None:
    await some_matches(table)
    await projector(table).catch_up()
    before = await projection(table)
    match = (await table.matches.new.create(CreateMatch("hex", BATTLE, {"red": "me"}), ADA)).match
    bucket = keys.bucket_of(match.id)
    assert bucket is not None
    # So much has happened there meanwhile that the stream has been trimmed beyond our checkpoint.
    match = await table.undo(await table.hot_seat(), 2)
    for _ in range(3):
        match = await table.undo(match, 2)
    for number in range(table.store.buckets):
        await table.connection.pipe.call("XTRIM", keys.activity(number), "MAXLEN", 1)
    assert set(await listed(table)) > {match.id}
    assert (
        len((await projection(table))[keys.lobby("index").encode()])
        == len(before[keys.lobby("index").encode()]) + 2
    )


async def test_a_bucket_whose_activity_is_gone_is_rebuilt_once(table: Table) -> None:
    """Its checkpoint stayed ahead of what there was, and every pass read all its matches, and wrote none of them."""
    match = (await table.matches.new.create(CreateMatch("hex", BATTLE, {"red": "me"}), ADA)).match
    await projector(table).catch_up()
    pipe, bucket = table.connection.pipe, keys.bucket_of(match.id)
    assert bucket is not None
    await pipe.call("DEL", keys.activity(bucket))
    await pipe.call("HDEL", keys.lobby("index"), match.id)
    await projector(table).step()
    assert await pipe.call("HGET", keys.lobby("checkpoint"), bucket) == b"0"
    assert await pipe.call("HEXISTS", keys.lobby("index"), match.id) == 1


async def test_who_joins_a_private_match_sees_it_from_then_on(table: Table) -> None:
    spec = CreateMatch("hex", BATTLE, {"red": "me", "blue": "invite"}, visibility="private")
    made = await table.matches.new.create(spec, ADA)
    stranger = Player("pl_zoe", "zoe")
    assert await listed(table, stranger.id) == []
    await table.do(made.match, TakeSeat("blue", made.invitations["blue"]), stranger)
    assert await listed(table, stranger.id) == [made.match.id]
    assert await listed(table, EVE.id) == []
    assert await listed(table, EVE.id, player=stranger.id) == []


async def test_that_there_is_a_next_page_betrays_no_private_match(table: Table) -> None:
    for visibility in ("private", "private", "public"):
        await table.matches.new.create(CreateMatch("hex", BATTLE, {"red": "me"}, visibility=visibility), ADA)
    lobby = Lobby(table.connection, projector(table).catch_up)
    for limit in (1, 2):
        page, after = await lobby.matches(Query(player=ADA.id), EVE.id, limit)
        assert (len(page), after) == (1, None)
    assert len(await listed(table, ADA.id, 1, player=ADA.id)) == 3
