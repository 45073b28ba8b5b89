"""Analyses by the house's programs: beside their matches, and whatever happens to them."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import warlog_core
from tests.bots.conftest import SECONDS_MAX, Hall, hall_of, match_once
from tests.bots.test_engine import BATTLE, acted, passed
from tests.bots.test_house import processes
from tests.core.test_search import opening
from tests.servers import EAGER, WarlogServer
from tests.service.api import UNLIMITED
from tests.service.waiting import eventually
from warlog_bots import Thinker
from warlog_bots.analyst import SPARE_SECONDS, Analyst, Task, _step_back, found
from warlog_client import AsyncClient, Match, ServiceUnavailable
from warlog_core import Stop
from warlog_core.levels import opening_actions


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarlogServer]:
    folder = tmp_path_factory.mktemp("house")
    with WarlogServer(folder, environment={**UNLIMITED, **EAGER, "WARLOG_BOTS": "1"}) as one:
        eventually(lambda: len(processes(one.pid)) == 1, SECONDS_MAX)
        yield one


@pytest.fixture
async def hall(server: WarlogServer) -> AsyncIterator[Hall]:
    async with hall_of(server.url) as one:
        yield one


async def table(hall: Hall) -> tuple[AsyncClient, Match]:
    """A person in a match against a bot, who is to act."""
    person, _ = await hall.person("person")
    async with asyncio.timeout(SECONDS_MAX):
        while not (await person.bots()).alive:
            await asyncio.sleep(0.1)
    made = await person.create_match("hex", {"red": "me", "blue": "bot:1"}, options=BATTLE)
    match = await passed(person, made.match.id)
    await acted(person, match)
    # The bot may have several stacks in a row.
    return person, await match_once(person, match.id, lambda one: "red" in one.to_act)


async def test_the_house_analyses_for_a_player_of_a_match_with_it(hall: Hall, server: WarlogServer) -> None:
    person, match = await table(hall)
    (pid,) = processes(server.pid)
    assert os.getpriority(os.PRIO_PROCESS, pid) == os.getpriority(os.PRIO_PROCESS, server.pid)  # EAGER
    said = await person.analysis(match.id, "red", lines=2)
    assert 1 <= len(said.actions) <= 2
    assert said.iterations == warlog_core.level("hex", 8).iterations
    assert sum(one.visits for one in said.actions) <= said.iterations
    first, last = said.actions[0], said.actions[-1]
    # The mean decides where both were visited often.
    assert first.value >= last.value or first.visits > last.visits
    await person.act(match.id, "red", said.actions[0].action)


async def test_an_analysis_outlives_the_death_of_the_program_that_was_at_it(
    hall: Hall, server: WarlogServer
) -> None:
    person, match = await table(hall)
    (pid,) = processes(server.pid)
    os.kill(pid, signal.SIGSTOP)  # it is given the question, and does not look at it
    asking = asyncio.create_task(person.analysis(match.id, "red", iterations=50))
    await asyncio.sleep(1)
    os.kill(pid, signal.SIGKILL)
    assert (await asking).actions


async def test_where_programs_die_again_and_again_the_reader_is_told(
    hall: Hall, server: WarlogServer
) -> None:
    person, match = await table(hall)
    asking = asyncio.create_task(person.analysis(match.id, "red"))
    while not asking.done():
        for pid in processes(server.pid):
            os.kill(pid, signal.SIGKILL)
        await asyncio.sleep(0.2)
    with pytest.raises(ServiceUnavailable) as refused:
        await asking
    assert refused.value.code == "unavailable"
    eventually(lambda: len(processes(server.pid)) == 1, SECONDS_MAX)
    await acted(person, await passed(person, match.id))  # the match itself has lost nothing
    async with asyncio.timeout(SECONDS_MAX):
        while (found := await person.match(match.id)).status == "playing" and "red" not in found.to_act:
            await asyncio.sleep(0.1)
    assert (await person.analysis(match.id, "red", iterations=50)).actions


async def test_analyses_wait_while_matches_need_the_time(hall: Hall) -> None:
    thinker = Thinker(budget=0.001)
    thinker.budget.left(time.monotonic())
    thinker.budget.spend(SPARE_SECONDS + 0.1)
    client, _ = await hall.person("program")
    running = asyncio.create_task(Analyst(client, thinker).run())
    await asyncio.sleep(0.5)
    assert not running.done()  # not even asked: the service would have refused it
    running.cancel()
    await thinker.close()


def test_an_analysis_goes_after_searches_for_matches_and_not_after_everything() -> None:
    own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    with ThreadPoolExecutor(1, initializer=_step_back) as thread:
        priority = thread.submit(lambda: os.getpriority(os.PRIO_PROCESS, threading.get_native_id())).result()
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == own
    assert own < priority <= own + 5 or priority == 19


def test_a_search_of_any_game_is_told_as_the_service_wants_it(seed: int) -> None:
    for name in warlog_core.games():
        state = opening(name, seed)
        seat = state.to_act[0]
        seen = state.seen_by(seat)
        task = Task("m_x", name, 1, state.public_setup, seen.data, seat, 7, 60, 3)
        done, spent = found(task, Stop())
        assert spent > 0
        assert done is not None
        assert 1 <= len(done["found"]) <= 3
        for one in done["found"]:
            assert state.check(seat, one["action"]) is None
            assert 0 <= one["value"] <= 1
        assert found(task, Stop())[0] == done


@pytest.mark.parametrize(("game", "options"), [("wec", {}), ("universal", {"mode": "double"})])
def test_where_a_book_has_the_opening_an_analysis_searches(game: str, options: dict[str, str]) -> None:
    """Readers want values and lines, and a book has none."""
    state = warlog_core.game(game).new(options=options, draws=bytes)
    (seat,) = state.to_act
    assert opening_actions(state.seen_by(seat))
    task = Task("m_x", game, 1, state.public_setup, state.seen_by(seat).data, seat, 7, 200, 3)
    done, _ = found(task, Stop())
    assert done is not None
    assert done["iterations"] == 200
    assert len(done["found"]) == 3
    assert all(one["visits"] > 0 for one in done["found"])
    assert done["found"][0]["line"]
