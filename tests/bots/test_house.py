"""The house's bots: processes beside `warlog serve`, or elsewhere with its secret."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

import warlog_core
from tests.bots.conftest import SECONDS_MAX, Hall, hall_of, match_once
from tests.bots.test_engine import BATTLE, acted, passed
from tests.core.games import GAMES
from tests.load.bench import children
from tests.servers import EAGER, RedisServer, WarlogServer
from tests.service.api import UNLIMITED
from tests.service.waiting import eventually
from tests.turns import by_turns
from warlog_bots.house import NICE, is_mine
from warlog_bots.manners import any_of
from warlog_client import (
    ActionTakenEvent,
    AsyncClient,
    Match,
    RuleRefused,
    Undo,
)
from warlog_events.match.verify_bots import verify_bots
from warlog_events.players.house import token_of

BOTS = "warlog_bots.house"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarlogServer]:
    folder = tmp_path_factory.mktemp("house")
    with WarlogServer(folder, environment={**UNLIMITED, **EAGER, "WARLOG_BOTS": "2"}) as one:
        yield one


@pytest.fixture
async def hall(server: WarlogServer) -> AsyncIterator[Hall]:
    async with hall_of(server.url) as one:
        yield one


def processes(parent: int) -> list[int]:
    """The processes of bots that this one has started."""
    return [pid for pid in children(parent) if BOTS in Path(f"/proc/{pid}/cmdline").read_text().split("\0")]


def secret(redis: str, flag: str = "--token") -> str:
    """What `warlog bots` prints."""
    command = [sys.executable, "-m", "warlog_service", "bots", flag, "--redis", redis]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


async def against(hall: Hall, level: int = 2) -> tuple[AsyncClient, Match]:
    """A person in a match against a house bot, in which the turn is the bot's."""
    person, _ = await hall.person("person")
    made = await person.create_match("hex", {"red": "me", "blue": f"bot:{level}"}, options=BATTLE)
    assert made.match.status == "playing"
    return person, await passed(person, made.match.id)


async def test_the_house_plays_whom_it_is_asked_to(hall: Hall, server: WarlogServer) -> None:
    eventually(lambda: len(processes(server.pid)) == 2)
    person, match = await against(hall)
    for _ in range(3):
        match = await passed(person, (await acted(person, match)).id)


async def test_what_house_bots_do_is_found_again_from_the_record(hall: Hall, tmp_path: Path) -> None:
    host, _ = await hall.person("host")
    made = await host.create_match("hex", {"red": "bot:2", "blue": "bot:3"}, options=BATTLE)
    match = await match_once(host, made.match.id, lambda match: match.status == "finished")
    file = tmp_path / "record.json"
    file.write_text(json.dumps(await host.export(match.id)))
    command = [sys.executable, "-m", "warlog_service", "verify", "--bots", str(file)]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout
    assert re.search(r"bots: \d\d+ actions found again", told.stdout), told.stdout


async def answered(person: AsyncClient, match: str, seat: str, actions: int) -> None:
    """So many actions of the person in this seat. Where a turn has several, it ends as soon as it may."""
    for _ in range(actions):
        await match_once(person, match, lambda one: seat in one.to_act)
        listed = await person.actions(match, seat)
        ends = [one for one in listed.actions if one["type"] == "end_turn"]
        action = any_of(ends or listed.actions, listed.version)
        assert action is not None
        await person.act(match, seat, action)
    await match_once(person, match, lambda one: seat in one.to_act)


async def actions_of(person: AsyncClient, match: str, seat: str, after: int) -> int:
    """Of this seat, since that version."""
    events = [event async for event in person.events(match, after=after)]
    return sum(isinstance(event, ActionTakenEvent) and event.seat == seat for event in events)


def program(code: str, boot: dict[str, object], *arguments: str) -> subprocess.Popen[bytes]:
    """A program of the house that runs this code."""
    command = [sys.executable, "-c", code, *arguments]
    started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert started.stdin is not None
    started.stdin.write(json.dumps(boot).encode() + b"\n")
    started.stdin.flush()
    return started


@contextmanager
def running(code: str, boot: dict[str, object], *arguments: str) -> Iterator[None]:
    """And dies without a word."""
    bots = program(code, boot, *arguments)
    try:
        yield
    finally:
        bots.kill()
        bots.wait()


# A program of the house that has time for its beliefs on a busy machine, too.
PATIENT = """
from warlog_bots import house, pace
pace.ANSWER_SECONDS = 600.0
house.main()
"""

# Weaponized Chess in which the bot does not convert the King at once.
NEAR = {"cleric_range": 1, "queen_cleric_range": 1, "tank_range": 1, "queen_tank_range": 1}


@pytest.mark.parametrize(
    ("game", "own", "other", "level", "options"),
    by_turns(
        [
            ("junqi", "south", "north", 8, {"players": 2, "min_steps_resign": 0}),
            ("wec", "black", "white", 6, NEAR),  # its turns have many actions
        ],
        2,
        name=lambda one: one[0],
    ),
)
async def test_what_house_bots_remember_is_found_again_from_the_record(
    tmp_path: Path, game: str, own: str, other: str, level: int, options: dict[str, Any]
) -> None:
    """Also after the match was taken back, and by a process that was not there from the start."""
    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment={**UNLIMITED, "WARLOG_BOTS": "0"}) as server,
    ):
        boot: dict[str, object] = {"url": server.url, "tokens": {level: token_of(secret(redis.url), level)}}
        async with hall_of(server.url) as hall:
            person, _ = await hall.person("person")
            seats = {own: "me", other: f"bot:{level}"}
            match = (await person.create_match(game, seats, options=options, consent="none")).match.id
            with running(PATIENT, boot):
                await match_once(person, match, lambda one: one.to_act == [own])
                if game == "junqi":
                    await person.act(match, own, {"type": "ready"})
                await answered(person, match, own, 4)
                back = (await person.match(match)).version - 3
                await answered(person, match, own, 2)
                await person.propose(match, Undo(to=back))
                await answered(person, match, own, 2)
            killed_at = (await person.match(match)).version
            with running(PATIENT, boot):
                while await actions_of(person, match, other, killed_at) < 3:
                    await answered(person, match, own, 1)
            await person.act(match, own, {"type": "resign"})
            record = await person.export(match)
    searched = {event["version"]: event["search"] for event in record["events"] if "search" in event}
    remembered = [version for version, search in searched.items() if search.get("belief")]
    assert len(remembered) >= 8
    assert max(remembered) > killed_at
    verdict = verify_bots(record)
    assert (verdict.found, verdict.others, verdict.detail) == (len(searched), [], "")


async def test_bots_that_are_killed_come_back_and_go_on_with_every_match(
    hall: Hall, server: WarlogServer
) -> None:
    tables = [await against(hall, level) for level in (1, 2, 3, 8)]
    for _ in range(2):
        eventually(lambda: len(processes(server.pid)) == 2, SECONDS_MAX)
        for pid in processes(server.pid):
            os.kill(pid, signal.SIGKILL)
        for person, match in tables:
            await acted(person, match)
        tables = [(person, await passed(person, match.id)) for person, match in tables]
    for person, match in tables:
        await acted(person, match)
    shown = urllib.request.urlopen(server.metrics[0]).read().decode()
    figures = dict(line.rsplit(" ", 1) for line in shown.splitlines() if line.startswith("warlog_bot_"))
    assert float(figures["warlog_bot_ended_total"]) >= 4
    assert "warlog_bot_queue" in figures


# A program of the house whose searches are as long as the level says, and are told in a file.
TELLING = """
import sys
from pathlib import Path
from warlog_bots import house, thinker
searched = thinker.Thinker._search
def search(*question):
    Path(sys.argv[1]).write_text("begun")
    found = searched(*question)
    Path(sys.argv[1]).write_text("ended")
    return found
thinker.Thinker._search = search
thinker.TRIAL_ITERATIONS = 10 ** 9
house.NICE = 0
house.main()
"""


async def test_a_program_that_dies_in_the_middle_of_a_search_twice_has_only_lost_time(tmp_path: Path) -> None:
    telling = tmp_path / "search"

    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment={**UNLIMITED, "WARLOG_BOTS": "0"}) as server,
    ):
        known = secret(redis.url)
        boot: dict[str, object] = {"url": server.url, "tokens": {8: token_of(known, 8)}}
        async with hall_of(server.url) as hall:
            person, match = await against(hall, 8)
            for _ in range(2):
                telling.write_text("")
                bots = program(TELLING, boot, str(telling))
                eventually(lambda: telling.read_text() == "begun", SECONDS_MAX)
                bots.kill()
                bots.wait()
                assert telling.read_text() == "begun"  # the search had not ended
                assert (await person.match(match.id)).version == match.version
            with running(TELLING, boot, str(telling)):
                await acted(person, match)
            events = [event async for event in person.events(match.id, after=match.version)]
            assert isinstance(events[0], ActionTakenEvent)
            assert events[0].seat == "blue"
            assert events[0].action is not None
            assert events[0].action["type"] != "timeout"


@pytest.mark.parametrize("killed", [False, True], ids=["", "killed"])
async def test_a_bot_does_not_lose_on_time(hall: Hall, server: WarlogServer, *, killed: bool) -> None:
    """A clock that leaves room for a busy machine: the bots' process has a lower priority. Its start is not timed,
    unless it is killed at each of its turns."""
    other, before = await against(hall, 8)
    await acted(other, before)
    person, _ = await hall.person("person")
    clock = 60 if killed else 15
    made = await person.create_match(
        "hex", {"red": "me", "blue": "bot:8"}, options=BATTLE, move_seconds=clock
    )
    match = await passed(person, made.match.id)
    for _ in range(3):
        match = await acted(person, match)
        if killed:
            eventually(lambda: len(processes(server.pid)) == 2, SECONDS_MAX)
            for pid in processes(server.pid):
                os.kill(pid, signal.SIGKILL)
        match = await passed(person, match.id)
    events = [event async for event in person.events(match.id)]
    actions = [event.action for event in events if isinstance(event, ActionTakenEvent)]
    assert all(action is not None and action["type"] != "timeout" for action in actions)


async def test_in_no_game_does_a_bot_lose_on_time(hall: Hall) -> None:
    """All at once, so that searches wait for each other."""

    async def actions_of_bots(game: str, options: dict[str, object]) -> list[str]:
        person, _ = await hall.person("person")
        seats = warlog_core.game(game).seats_for(options)
        held = dict(zip(seats, ["me", *["bot:8"] * (len(seats) - 1)], strict=True))
        match = (await person.create_match(game, held, options=options, move_seconds=60)).match
        for _ in range(4):
            match = await passed(person, match.id, seats[0])
            if match.status == "finished":
                break
            match = await acted(person, match)
        if match.status != "finished":  # afterwards nothing is hidden
            with suppress(RuleRefused):  # too early
                await person.act(match.id, seats[0], {"type": "resign"})
        events = [event async for event in person.events(match.id)]
        taken = [event for event in events if isinstance(event, ActionTakenEvent) and event.seat != seats[0]]
        return [event.action["type"] for event in taken if event.action is not None]

    options: dict[str, dict[str, object]] = {"hex": BATTLE, "junqi": {"players": 2, "min_steps_resign": 0}}
    found = await asyncio.gather(*(actions_of_bots(name, options.get(name, {})) for name in GAMES))
    for actions in found:
        assert actions
        assert "timeout" not in actions


async def test_one_worker_has_the_bots_and_when_it_dies_another(tmp_path: Path) -> None:
    environment = {**UNLIMITED, "WARLOG_BOTS": "1"}
    with WarlogServer(tmp_path, arguments=["--workers", "2"], environment=environment) as server:

        def with_bots() -> list[int]:
            return [worker for worker in children(server.pid) if processes(worker)]

        eventually(with_bots, SECONDS_MAX)
        async with hall_of(server.url) as hall:
            person, match = await against(hall)
            match = await passed(person, (await acted(person, match)).id)
            (worker,) = with_bots()
            (bots,) = processes(worker)
            lower = min(19, os.getpriority(os.PRIO_PROCESS, server.pid) + NICE)
            eventually(lambda: os.getpriority(os.PRIO_PROCESS, bots) == lower)
            os.kill(worker, signal.SIGKILL)
            eventually(lambda: not Path(f"/proc/{bots}").exists(), SECONDS_MAX)
            match = await passed(person, (await acted(person, match)).id)
            eventually(lambda: len(with_bots()) == 1, SECONDS_MAX)


async def test_bots_come_back_when_the_house_has_another_secret(tmp_path: Path) -> None:
    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment={**UNLIMITED, "WARLOG_BOTS": "1"}) as server,
    ):
        eventually(lambda: processes(server.pid), SECONDS_MAX)
        async with hall_of(server.url) as hall:
            person, match = await against(hall)
            match = await passed(person, (await acted(person, match)).id)
            secret(redis.url, "--new-token")
            await acted(person, match)


def test_each_match_is_played_by_one_process() -> None:
    for number in range(200):
        assert sum(is_mine(f"m_{number}", place, 3) for place in range(3)) == 1
    assert {
        next(place for place in range(3) if is_mine(f"m_{number}", place, 3)) for number in range(99)
    } == {
        0,
        1,
        2,
    }


@contextmanager
def bots(url: str, secret: str) -> Iterator[int]:
    """`warlog bots`; its process id."""
    command = [sys.executable, "-m", "warlog_service", "bots", "--url", url]
    process = subprocess.Popen(
        command, env={**os.environ, "WARLOG_BOTS_TOKEN": secret}, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())["pid"]
    finally:
        process.terminate()
        assert process.wait(30) == 0
        process.stdout.close()


async def test_bots_run_elsewhere_with_the_secret_of_the_house(tmp_path: Path) -> None:
    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment={"WARLOG_BOTS": "0"}) as server,
    ):
        told = secret(redis.url)
        assert processes(server.pid) == []
        async with hall_of(server.url) as hall:
            person, match = await against(hall)
            with bots(server.url, told) as pid:
                eventually(lambda: len(processes(pid)) == 1)
                assert told not in Path(f"/proc/{pid}/cmdline").read_text()
                await acted(person, match)


def test_bots_do_not_start_without_the_secret(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "warlog_service", "bots"]
    environment = {name: value for name, value in os.environ.items() if name != "WARLOG_BOTS_TOKEN"}
    told = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert told.returncode == 1
    assert "WARLOG_BOTS_TOKEN" in told.stderr
