"""Two operating-system processes write one match at once."""

from __future__ import annotations

import asyncio
import collections
import random
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import msgspec
import pytest

from tests.events.table import ADA, BATTLE, BOB, HIDDEN, Table, choice, table_at
from tests.servers import AnyRedis
from warlog_events import errors
from warlog_events.match.commands import Accept, Act, Propose, Rematch, Undo
from warlog_events.redis.idempotency import Key
from warlog_events.redis.store import Append


async def write(url: str, match_id: str, seed: int, commands: int) -> list[tuple[str, int]]:
    """So many commands, each with an answer: ("done", version) or (error code, 0)."""
    rng = random.Random(seed)
    answers: list[tuple[str, int]] = []
    async with table_at(url) as table:
        for number in range(commands):
            match = await table.matches.admission.load(match_id, ADA.id, fresh=rng.random() < 0.5)
            command: object
            if match.is_over or rng.random() < 0.1:
                command = Propose(Undo(rng.randrange(2, match.version + 1)))
            else:
                command = Act(*choice(match, rng))
            key = Key(f"{seed}/{number}", "digest")
            while True:
                try:
                    expected = match.version if rng.random() < 0.3 else None
                    done = await table.do(match, command, ADA, key=key, if_match=expected)
                    again = await table.do(
                        match, command, ADA, key=key
                    )  # a retry whose first answer was lost
                    assert again.accepted is not None
                    answer = await table.answer(again)
                    assert answer == await table.answer(done)
                    answers.append(("done", msgspec.json.decode(answer)["version"]))
                except errors.TryAgain:
                    continue
                except errors.WarlogError as error:
                    answers.append((error.code, 0))
                break
    return answers


async def test_a_seed_that_one_process_drew_is_known_to_the_others(redis_server: AnyRedis) -> None:
    """Those that had the match in memory could not draw any more, and left it out of what the end publishes."""
    rng = random.Random(3)
    async with table_at(redis_server.url) as one, table_at(redis_server.url) as two:
        match = await one.play(await one.hot_seat(BATTLE), 4, rng)
        await two.load(match)
        match = await one.finish(match)
        match = await one.undo(match, match.version - 1)  # the seed is known to all by now
        assert match.fold.seed not in match.fold.published
        match = await two.finish_playing(await two.play(await two.load(match), 30, rng))
        assert match.fold.published >= {name for _, name in match.timeline.seeds}
        assert (await two.matches.past.verify(match)).status == "verified"


@pytest.mark.parametrize("processes", [2, 3])
async def test_nothing_is_lost_doubled_or_reordered_and_every_caller_has_an_answer(
    redis_server: AnyRedis, processes: int
) -> None:
    commands = 60
    async with table_at(redis_server.url) as table:
        match = await table.hot_seat(BATTLE)
        writers = [
            subprocess.Popen(
                [sys.executable, "-m", __name__, redis_server.url, match.id, str(seed), str(commands)],
                stdout=subprocess.PIPE,
            )
            for seed in range(processes)
        ]
        outputs = [(await asyncio.to_thread(writer.communicate))[0] for writer in writers]
        assert [writer.returncode for writer in writers] == [0] * processes
        answers = [answer for raw in outputs for answer in msgspec.json.decode(raw)]
        assert len(answers) == processes * commands
        done = [version for code, version in answers if code == "done"]
        refusals = collections.Counter(code for code, _ in answers if code != "done")
        stored = await table.store.events(match.id)
        assert [event.version for event in stored] == list(range(1, len(stored) + 1))
        assert sorted(done) == list(
            range(3, len(stored) + 1)
        )  # each event has one caller, and each caller his own
        assert not set(refusals) & {"integrity_error", "internal", "idempotency_key_reused"}, refusals
        match = await table.finish_playing(match)
        assert (await table.matches.past.verify(match)).status == "verified"


@contextmanager
def decided_at_once(*tables: Table) -> Iterator[None]:
    """Everybody decides in the same millisecond, and nobody's first append is sent before all have."""
    barrier, now = asyncio.Barrier(len(tables)), tables[0].store.append_time()

    def meeting(append: Callable[[Append], Awaitable[None]]) -> Callable[[Append], Awaitable[None]]:
        waited = False

        async def meets(what: Append) -> None:
            nonlocal waited
            if not waited:
                waited = True
                await barrier.wait()
            await append(what)

        return meets

    with pytest.MonkeyPatch.context() as patch:
        for table in tables:
            patch.setattr(table.store, "append", meeting(table.store.append))
            patch.setattr(table.store, "append_time", lambda after=0: max(now, after))
        yield


async def test_seats_that_act_at_the_same_time_do_not_hinder_each_other(redis_server: AnyRedis) -> None:
    """Both recruit at once: the second append comes too late by a version, is checked again and succeeds."""
    async with table_at(redis_server.url) as one, table_at(redis_server.url) as two:
        match = await one.duel(HIDDEN)
        await two.load(match)
        army = {"type": "recruit", "army": [{"unit": "wolf", "count": 3}]}
        with decided_at_once(one, two):
            await asyncio.gather(one.act(match, "red", army), two.act(match, "blue", army))
        assert (await one.load(match)).version == match.version + 2
        assert one.counts.conflicts + two.counts.conflicts == 1


async def test_a_command_that_met_another_turn_is_a_conflict_and_not_played(
    redis_server: AnyRedis,
) -> None:
    async with table_at(redis_server.url) as one, table_at(redis_server.url) as two:
        match = await one.play(await one.hot_seat(), 2, random.Random(0))
        await two.load(match)
        seat = match.to_act[0]
        piece = match.state.view(seat).active if match.state else 0
        defend = {"type": "defend", "piece": piece}
        with decided_at_once(one, two):
            answers = await asyncio.gather(
                one.act(match, seat, defend), two.act(match, seat, defend), return_exceptions=True
            )
        (wrong,) = (answer for answer in answers if isinstance(answer, BaseException))
        assert isinstance(wrong, errors.VersionConflict)
        assert (await one.load(match)).version == match.version + 1


async def test_a_process_that_has_slept_hears_of_the_news_before_it_refuses(
    redis_server: AnyRedis,
) -> None:
    async with table_at(redis_server.url) as one, table_at(redis_server.url) as two:
        rng = random.Random(3)
        match = await one.hot_seat()
        await two.load(match)
        match = await one.play(match, 20, rng)
        after = await two.act(match, *choice(match, rng))
        assert after.version == match.version + 1


async def test_a_rematch_that_is_agreed_upon_again_elsewhere_is_made_once(redis_server: AnyRedis) -> None:
    async with table_at(redis_server.url) as one, table_at(redis_server.url) as two:
        match = await one.finish(await one.duel())
        proposal = await one.do(match, Propose(Rematch()), ADA)
        await two.load(match)
        accept, key = Accept(proposal.version), Key("k", "d")
        before = await matches(one)
        first = await one.do(match, accept, BOB, key=key)
        again = await two.do(match, accept, BOB, key=key)  # by a process that has not heard of the first
        assert await two.answer(again, BOB) == await one.answer(first, BOB)
        with pytest.raises(errors.WarlogError):
            await two.do(match, accept, BOB)
        assert await matches(one) - before == {msgspec.json.decode(await one.answer(first, BOB))["match"]}


async def matches(table: Table) -> set[str]:
    found: set[str] = set()
    for bucket in range(table.store.buckets):
        async for batch in table.store.matches(bucket):
            found.update(batch)
    return found


def main(url: str, match_id: str, seed: str, commands: str) -> None:
    answers = asyncio.run(write(url, match_id, int(seed), int(commands)))
    sys.stdout.buffer.write(msgspec.json.encode(answers))


if __name__ == "__main__":
    main(*sys.argv[1:])
