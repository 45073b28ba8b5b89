"""Going back: to any event of any line, and on from there; what is remembered, what is forgotten, what stays known."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.events.table import ADA, ALL, BATTLE, BOB, HIDDEN, SPECTATOR, Table, table_at
from tests.servers import AnyRedis
from warlog_events import errors
from warlog_events.match.commands import Accept, Edit, Options, Propose, Undo
from warlog_events.match.model import Reader
from warlog_events.match.stored import StoredEvent
from warlog_events.match.timeline import Base, Timeline
from warlog_events.match_settings import MatchSettings


@pytest_asyncio.fixture
async def table(redis_server: AnyRedis) -> AsyncIterator[Table]:
    settings = MatchSettings(checkpoint_every_events=5, snapshot_every_events=20)
    async with table_at(redis_server.url, settings=settings) as table:
        yield table


# ---- the tree by itself


def _tree(jumps: dict[int, int], length: int) -> Timeline:
    line = Timeline(every=3)
    line.add_base(Base(2, {}, b""), b"2")
    line.add_seed(1, "seed")
    for version in range(3, length + 1):
        if version in jumps:
            line.add_jump(version, jumps[version], b"%d" % version)
        else:
            line.add_step(StoredEvent(version, "action_taken", "red", "pl", 0, b'{"action":{}}', [], "", ""))
    return line


def test_parents_paths_and_ancestors_follow_the_jumps() -> None:
    # 2 3 4 5 | 6→3 7 8 | 9→7 10 | 11→5 12
    line = _tree({6: 3, 9: 7, 11: 5}, 12)
    assert [line.parent(version) for version in range(1, 13)] == [None, 1, 2, 3, 4, 3, 6, 7, 7, 9, 5, 11]
    past = {
        5: {1, 2, 3, 4, 5},
        8: {1, 2, 3, 6, 7, 8},
        10: {1, 2, 3, 6, 7, 9, 10},
        12: {1, 2, 3, 4, 5, 11, 12},
    }
    for version, ancestors in past.items():
        assert {v for v in range(1, 13) if line.is_on_path(v, version)} == ancestors
        assert line.recorded_on_path(version) == sorted(ancestors - {1, 6, 9, 11})
    assert line.recorded(9) == 7
    assert line.path(8) == (6, [7, 8])


def test_what_a_line_disclosed_stays_disclosed_of_its_own_past_and_the_end_discloses_everything() -> None:
    over = 0x80000000
    line = Timeline(every=3)
    line.add_base(Base(2, {}, b""), b"2")
    line.leave(5, 0b1)  # the line 2 … 5 disclosed something
    line.add_jump(6, 3, b"3")
    assert [line.disclosed(v, 8, 0) for v in (3, 4, 5, 6, 7, 8)] == [1, 1, 1, 0, 0, 0]
    # The line 6 … 8 is now current and discloses something else of its own past alone.
    assert [line.disclosed(v, 8, 0b10) for v in (2, 3, 4, 6, 8)] == [3, 3, 1, 2, 2]
    line.leave(8, over)
    line.add_jump(9, 4, b"4")
    assert [line.disclosed(v, 12, 0) for v in (4, 5, 7, 8)] == [1 | over, 1 | over, over, over]
    assert [line.disclosed(v, 12, 0) for v in (9, 10, 12)] == [0, 0, 0]
    assert line.over_until == 8


# ---- matches


async def test_every_version_can_be_gone_back_to_and_played_on_from(table: Table) -> None:
    rng = random.Random(11)
    match = await table.play(await table.hot_seat(), 14, rng)
    last = match.version
    states = {}
    for version in range(2, last + 1):
        states[version] = (await table.matches.past.state_at(match, version)).data
    for version in range(2, last + 1):
        match = await table.undo(match, version)
        assert match.state is not None
        assert match.state.data == states[version]
        assert match.timeline.parent(match.version) == version
        states[match.version] = match.state.data
        match = await table.play(match, 2, rng)
        assert match.state is not None
        states[match.version] = match.state.data
    for version, data in states.items():
        assert (await table.matches.past.state_at(match, version)).data == data
    # Another process, which knows nothing, comes to the same.
    await table.forget()
    match = await table.load(match)
    for version, data in states.items():
        assert (await table.matches.past.state_at(match, version)).data == data


async def test_redo_is_going_back_to_the_abandoned_line(table: Table) -> None:
    match = await table.play(await table.hot_seat(), 6, random.Random(12))
    top, data = match.version, match.state.data if match.state else b""
    match = await table.undo(match, 3)
    match = await table.undo(match, top)
    assert match.state is not None
    assert match.state.data == data
    nodes = table.matches.past.timeline(match)
    assert nodes[-2:] == [{"version": top + 1, "parent": 3}, {"version": top + 2, "parent": top}]
    assert nodes[0] == {"version": 1}
    assert table.matches.past.timeline(match, 3, 2) == [
        {"version": 4, "parent": 3},
        {"version": 5, "parent": 4},
    ]


async def test_there_is_nothing_to_go_back_to_before_the_start_or_beyond_the_end(table: Table) -> None:
    match = await table.play(await table.hot_seat(), 2, random.Random(13))
    for version in (-1, 0, 1, match.version + 1, 10**30):
        with pytest.raises(errors.UnknownVersion):
            await table.undo(match, version)
    with pytest.raises(errors.NoView):
        await table.matches.past.state_at(match, 1)
    for version in (0, -3, match.version + 1):
        with pytest.raises(errors.UnknownVersion):
            await table.matches.past.state_at(match, version)


async def test_a_finished_match_that_is_taken_back_gets_a_new_seed_and_one_that_is_not_keeps_its_own(
    table: Table,
) -> None:
    rng = random.Random(14)
    match = await table.play(await table.hot_seat(), 4, rng)
    first = match.fold.seed
    match = await table.undo(match, 4)
    assert match.fold.seed == first
    match = await table.finish(match)
    ended = match.version
    event = (await table.events(match, SPECTATOR))[-1]
    assert set(event["seeds"]) == {first}
    match = await table.undo(match, 4)
    second = match.fold.seed
    assert second != first
    assert match.status == "playing"
    assert match.fold.result is None
    # On the new line the new seed stays; going back before it again needs a third.
    match = await table.play(match, 2, rng)
    match = await table.undo(match, match.version - 1)
    assert match.fold.seed == second
    match = await table.undo(match, 5)
    assert match.fold.seed not in (first, second)
    # Redo of the end: it is over again, and every seed has been told once.
    match = await table.undo(match, ended)
    assert match.status == "finished"
    told = (await table.events(match, SPECTATOR))[-1]["seeds"]
    assert {first, *told} == set(await table.store.secrets(match.id)) == match.fold.published
    assert second in told
    assert len(told) == 2


async def test_while_a_match_is_open_no_event_tells_a_seed_a_hash_or_the_chain(table: Table) -> None:
    match = await table.play(await table.hot_seat(), 6, random.Random(15))
    match = await table.undo(match, 4)
    secrets = set((await table.store.secrets(match.id)).values())
    stored = await table.store.events(match.id)
    private = secrets | {event.chain for event in stored} | {event.hash for event in stored if event.hash}
    for reader in (ALL, SPECTATOR, Reader(("red",), ADA.id)):
        text = str(await table.events(match, reader)) + str(match.summary(reader))
        if reader is ALL:
            text += str(await table.matches.past.export(match, reader))
        else:
            with pytest.raises(errors.Hidden):
                await table.matches.past.export(match, reader)
        assert not [secret for secret in private if secret in text]


async def test_what_the_end_has_shown_stays_shown_after_going_back_and_new_secrets_stay_hidden(
    table: Table,
) -> None:
    match = await table.duel(HIDDEN)
    army = {"type": "recruit", "army": [{"unit": "wolf", "count": 3}]}
    match = await table.act(match, "blue", army)
    hidden, start = match.version, match.started_at_version
    red = Reader(("red",), ADA.id)

    async def seen(version: int) -> dict[str, object]:
        events = await table.events(await table.load(match), red)
        return events[version - 1]["action"]  # type: ignore[no-any-return]

    assert await seen(hidden) == {"type": "recruit"}
    match = await table.act(match, "red", {"type": "resign"})
    assert match.is_over
    assert await seen(hidden) == army
    done = await table.do(match, Propose(Undo(start)), ADA)
    match = (await table.do(match, Accept(done.version), BOB)).match
    assert await seen(hidden) == army
    match = await table.act(match, "blue", {"type": "recruit", "army": [{"unit": "wolf", "count": 4}]})
    assert await seen(match.version) == {"type": "recruit"}
    await table.forget()
    assert await seen(hidden) == army
    assert await seen(match.version) == {"type": "recruit"}


async def test_an_edit_goes_on_as_a_new_start_and_can_be_taken_back(table: Table) -> None:
    rng = random.Random(16)
    match = await table.play(await table.hot_seat(), 8, rng)
    assert match.state is not None
    position = match.state.position(plain=True)
    position.pop("queue")
    match = await table.play(await table.undo(match, 3), 2, rng)
    before = match.version
    match = (await table.do(match, Propose(Edit(position)))).match
    assert match.state is not None
    begun = match.state.position(plain=True)
    fresh = {
        "defending": False,
        "retaliations_used": 0,
    }  # its turn has started (hex 6.3), whoever it is by draw
    assert begun["stacks"] == [
        {**stack, "waited": False, **(fresh if stack["id"] == begun["queue"][0] else {})}
        for stack in position["stacks"]
    ]
    match = await table.play(match, 3, rng)
    data = match.state.data if match.state else b""
    head = match.version
    match = await table.undo(match, before)
    match = await table.undo(match, head)
    assert match.state is not None
    assert match.state.data == data
    with pytest.raises(errors.Refused) as refused:
        await table.do(match, Propose(Edit({"stacks": 3})))
    assert refused.value.code == "invalid_position"
    await table.forget()
    again = await table.load(match)
    assert again.state is not None
    assert again.state.data == data
    event = (await table.events(again, ALL))[before]
    assert event["type"] == "position_edited"
    assert event["effects"][0]["type"] == "match_started"
    assert event["draws"]


async def test_options_that_the_book_fixes_at_the_start_are_refused_later(table: Table) -> None:
    match = await table.hot_seat()
    with pytest.raises(errors.Refused) as refused:
        await table.do(match, Propose(Options(options={"round_limit": 9})))
    assert refused.value.code == "invalid_options"
    with pytest.raises(errors.WrongStatus):
        await table.do(match, Propose(Options(position=None)))


async def test_the_history_is_that_of_the_current_line_and_comes_in_pages(table: Table) -> None:
    rng = random.Random(17)
    match = await table.play(await table.hot_seat(), 6, rng)
    match = await table.undo(match, 4)
    match = await table.play(match, 3, rng)
    whole, after = await table.matches.past.history(match, ALL)
    assert after is None
    assert [int(line.split(".")[0]) for line in whole.splitlines()] == [3, 4, 10, 11, 12]
    pages, after = "", 0
    while after is not None:
        text, after = await table.matches.past.history(match, ALL, after, 2)
        assert len(text.splitlines()) <= 3
        pages += text
    assert pages == whole
    match = await table.finish(match)
    text, _ = await table.matches.past.history(match, ALL)
    assert text.splitlines()[-1].startswith("result ")


async def test_the_budget_of_looking_back_is_one_run_of_a_few_steps(redis_server: AnyRedis) -> None:
    async with table_at(redis_server.url, settings=MatchSettings(checkpoint_every_events=16)) as table:
        rng = random.Random(18)
        match = await table.play(await table.hot_seat({**BATTLE, "army_points": 5000}), 300, rng)
        for version in rng.sample(range(2, match.version), 30):
            calls, reads = table.counts.core_calls, table.counts.redis_reads
            await table.matches.past.state_at(match, version)
            assert table.counts.core_calls - calls <= 2  # the checkpoint, and one run
            assert table.counts.redis_reads == reads
            assert len(match.timeline.path(version).steps) <= 16
