"""What the computer thinks of a board: who may ask, what a program is told, and what becomes of its answer."""

from __future__ import annotations

import asyncio
import random
import socket
import threading
from base64 import b64decode
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
import redis as redis_py

import warlog_core
from tests.servers import RedisServer, WarlogServer
from tests.service.api import SMALL, UNLIMITED, Api, Feed, ok, refused, two
from tests.service.test_bots import bot, printed
from tests.service.waiting import eventually
from warlog_bots import Thinker
from warlog_bots.analyst import Analyst, Task, found
from warlog_client import AsyncClient
from warlog_core import Choice, State, Stop, Stopped
from warlog_events.redis import keys

FEW = 200  # iterations
LONG = 2_000_000  # as many as take a minute or more
SECONDS_MAX = 30.0


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with RedisServer(fsync="no") as running:
        yield running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, redis: RedisServer) -> Iterator[WarlogServer]:
    data = tmp_path_factory.mktemp("warlog")
    with WarlogServer(data, redis=redis.url, environment=UNLIMITED) as running:
        yield running


class Program:
    """As a program of the house, which does what a test wants."""

    def __init__(self, house: Api) -> None:
        self.house = house

    def take(self) -> dict[str, Any]:
        """The next analysis."""
        for _ in range(4):
            taken = self.house.http.post("/bots/analyses").json()["analysis"]
            if taken is not None:
                return dict(taken)
        raise AssertionError("nobody asks")

    def says(self, taken: dict[str, Any], done: dict[str, Any] | None = None) -> bool:
        """`done` None: it is at it. Does anybody wait?"""
        path = f"/bots/analyses/{taken['id']}/{taken['number']}"
        said = self.house.http.post(path) if done is None else self.house.post(path, done)
        return bool(said.json()["wanted"])

    def work(self) -> dict[str, Any]:
        """Takes the next analysis and does it; the task."""
        taken = self.take()
        task: dict[str, Any] = taken["task"]
        done, _ = found(msgspec.convert(task, Task, strict=False), Stop())
        assert self.says(taken, done)
        return task


@pytest.fixture(scope="module")
def house(server: WarlogServer, redis: RedisServer) -> Iterator[Program]:
    with Api(server.url) as stranger:
        program = bot(stranger, printed(redis, "--token"), 1)
        with Feed(f"{server.url}/v1/players/me/feed", program.token) as feed:
            feed.take(1)
            eventually(lambda: ok(stranger.get("/bots"))["alive"])
            yield Program(program)


@pytest.fixture
def asking() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as threads:
        yield threads


def ask(player: Api, match: str, seat: str, **how: Any) -> httpx.Response:
    return player.post(f"/matches/{match}/analysis", {"seat": seat, **how})


def later(threads: ThreadPoolExecutor, *words: Any, **how: Any) -> Future[httpx.Response]:
    return threads.submit(ask, *words, **how)


def against(player: Api, **spec: Any) -> dict[str, Any]:
    """A match in which the player, who has the seat blue, is to act."""
    match: dict[str, Any] = player.create(seats={"red": "bot:3", "blue": "me"}, **spec)["match"]
    assert match["to_act"] == ["blue"]
    return match


def test_a_player_asks_what_he_could_do_against_a_bot(
    api: Api, house: Program, asking: ThreadPoolExecutor
) -> None:
    ada = api.player()
    match = against(ada)
    waiting = later(asking, ada, match["id"], "blue", lines=3, iterations=FEW)
    task = house.work()
    said = ok(waiting.result())
    seen = ok(ada.get(f"/matches/{match['id']}/seen?seat=blue"))
    assert {name: task[name] for name in ("setup", "state", "seat")} == {
        name: seen[name] for name in ("setup", "state", "seat")
    }
    assert (said["version"], said["at"], said["seat"], said["iterations"]) == (
        match["version"],
        match["version"],
        "blue",
        FEW,
    )
    listed = ok(ada.get(f"/matches/{match['id']}/actions?seat=blue&trace=true"))
    for one in said["actions"]:
        assert one["trace"] == listed["traces"][listed["actions"].index(one["action"])]
        assert 0 <= one["value"] <= 1
    assert 1 <= len(said["actions"]) <= 3
    assert any(one["line"] for one in said["actions"])
    state = warlog_core.game("hex").load(b64decode(seen["setup"]), b64decode(seen["state"]))
    again = warlog_core.play(state, "blue", level=8, seed=said["seed"], iterations=FEW)
    assert isinstance(again, Choice)
    assert msgspec.to_builtins(again.action) == said["actions"][0]["action"]


def test_it_knows_what_the_seat_knew_at_that_version_and_no_more(
    api: Api, house: Program, asking: ThreadPoolExecutor
) -> None:
    ada = api.player()
    match = ada.create(game="junqi", options={"players": 2}, seats={"south": "me", "north": "me"})["match"][
        "id"
    ]
    for seat in ("south", "north"):
        ok(ada.act(match, seat, {"type": "ready"}), 201)
    at = ada.match(match)["version"]
    (seat,) = ada.match(match)["to_act"]
    listed = ok(ada.get(f"/matches/{match}/actions?seat={seat}"))["actions"]
    ok(ada.act(match, seat, next(one for one in listed if one["type"] == "move")), 201)
    waiting = later(asking, ada, match, seat, at=at, iterations=1)
    task = house.work()
    assert ok(waiting.result())["at"] == at
    seen = ok(ada.get(f"/matches/{match}/seen?seat={seat}&at={at}"))
    assert (task["setup"], task["state"]) == (seen["setup"], seen["state"])


def test_in_a_match_with_other_people_nobody_is_helped(api: Api, house: Program) -> None:
    red, blue, match = two(api)
    (acting,) = red.match(match)["to_act"]
    for player, seat in ((red, "red"), (blue, "blue")):
        problem = refused(ask(player, match, seat), 403, "hidden")
        assert "when it is over" in problem["detail"]
    refused(ask(red, match, "blue"), 403, "not_your_seat")
    refused(ask(api, match, acting), 403, "not_your_seat")
    counts = against(red, mode="competitive")["id"]
    refused(ask(red, counts, "blue"), 403, "hidden")


def test_a_bot_s_seat_is_not_asked_for_while_the_match_runs(api: Api, house: Program) -> None:
    ada = api.player()
    match = against(ada)["id"]
    refused(ask(ada, match, "red"), 403, "not_your_seat")
    refused(ask(api.player(), match, "blue"), 403, "not_your_seat")
    problem = refused(ask(ada, match, "green"), 404, "unknown_seat")
    assert (problem["path"], problem["allowed"]) == ("/seat", ["red", "blue"])


def test_when_it_is_over_everybody_asks_for_every_seat_and_version(
    api: Api, house: Program, asking: ThreadPoolExecutor
) -> None:
    red, _, match = two(api)
    before = red.match(match)
    (acting,) = before["to_act"]
    red.resign(match, "red")
    waiting = later(asking, api, match, acting, at=before["version"], iterations=FEW)
    house.work()
    assert ok(waiting.result())["at"] == before["version"]
    refused(ask(api, match, acting), 422, "nothing_to_choose")


def test_what_cannot_be_asked_is_refused_with_a_reason(api: Api, house: Program) -> None:
    ada = api.player()
    lobby = ada.create(seats={"red": "me"})["match"]["id"]
    refused(ask(ada, lobby, "red"), 404, "no_view")
    match = against(ada)
    refused(ask(ada, match["id"], "blue", at=99), 404, "unknown_version")
    refused(ask(ada, match["id"], "blue", at=1), 404, "no_view")
    for name, wrong in (("lines", 0), ("lines", 21), ("iterations", 0), ("at", 0), ("at", "x"), ("depth", 3)):
        assert (
            refused(ask(ada, match["id"], "blue", **{name: wrong}), 400, "malformed_body")["path"]
            == f"/{name}"
        )
    alone = ada.alone()
    (acting,) = ada.match(alone)["to_act"]
    other = {"red": "blue", "blue": "red"}[acting]
    problem = refused(ask(ada, alone, other), 422, "nothing_to_choose")
    assert (problem["path"], acting in problem["detail"]) == ("/seat", True)


def test_a_search_that_finds_nothing_says_so(api: Api, house: Program, asking: ThreadPoolExecutor) -> None:
    ada = api.player()
    match = against(ada)["id"]
    waiting = later(asking, ada, match, "blue")
    assert house.says(house.take(), {})
    problem = refused(waiting.result(), 422, "nothing_to_choose")
    assert "finds no action" in problem["detail"]


def test_a_view_that_no_state_fits_is_an_integrity_error_and_the_match_goes_on(
    api: Api, house: Program, asking: ThreadPoolExecutor
) -> None:
    ada = api.player()
    match = against(ada)["id"]
    waiting = later(asking, ada, match, "blue")
    assert house.says(house.take(), {"failed": True})
    refused(waiting.result(), 500, "integrity_error")
    ada.resign(match, "blue")


def test_what_cannot_be_is_said_by_the_program(caplog: pytest.LogCaptureFixture) -> None:
    state = warlog_core.game("hex").new(options=SMALL, draws=random.Random(1).randbytes)
    task = Task("m_x", "hex", 1, state.public_setup, b"\xff" * len(state.data), "blue", 7, FEW, 1)
    done, _ = found(task, Stop())
    assert done == {"failed": True}
    assert "cannot be analysed" in caplog.text


def test_one_at_a_time(api: Api, house: Program, asking: ThreadPoolExecutor) -> None:
    ada, bob = api.player(), api.player()
    match = against(ada)["id"]
    first = later(asking, ada, match, "blue")
    taken = house.take()
    problem = refused(ask(ada, match, "blue"), 429, "too_many_requests")
    assert problem["limit"] == "analyses_per_caller"
    others = later(asking, bob, against(bob)["id"], "blue", iterations=FEW)
    house.work()
    ok(others.result())
    assert house.says(taken)
    assert house.says(taken, {"found": [], "iterations": 1})
    refused(first.result(), 422, "nothing_to_choose")
    second = later(asking, ada, match, "blue", iterations=FEW)
    house.work()
    ok(second.result())


def impatient(player: Api, match: str) -> socket.socket:
    """The connection over which the player asks. Who closes it has gone."""
    where = player.http.base_url
    body = b'{"seat": "blue"}'
    wire = socket.create_connection((where.host, where.port or 80))
    wire.sendall(
        f"POST {where.path}matches/{match}/analysis HTTP/1.1\r\nhost: x\r\n"
        f"authorization: Bearer {player.token}\r\ncontent-length: {len(body)}\r\n"
        "content-type: application/json\r\n\r\n".encode()
        + body
    )
    return wire


def waiting_now(redis: RedisServer) -> int:
    with redis_py.Redis(unix_socket_path=str(redis.socket)) as client:
        return int(client.llen(keys.analyses("waiting")))


def test_it_ends_when_the_caller_closes_the_connection(
    api: Api, house: Program, redis: RedisServer, asking: ThreadPoolExecutor
) -> None:
    ada = api.player()
    match = against(ada)["id"]
    with impatient(ada, match):
        eventually(lambda: waiting_now(redis) == 1)
    eventually(lambda: waiting_now(redis) == 0)
    waiting = later(asking, ada, match, "blue", iterations=FEW)  # he may ask again
    taken = house.take()
    assert taken["number"] == 1
    done, _ = found(msgspec.convert(taken["task"], Task, strict=False), Stop())
    assert house.says(taken, done)
    ok(waiting.result())
    assert not house.says(taken)


def test_who_goes_while_a_program_is_at_it_stops_it(api: Api, house: Program) -> None:
    ada = api.player()
    match = against(ada)["id"]
    with impatient(ada, match):
        taken = house.take()
        assert house.says(taken)
    eventually(lambda: not house.says(taken))


async def test_a_search_that_nobody_waits_for_is_broken_off(
    api: Api, house: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended = threading.Event(), list[object]()

    def play(seen: State, seat: str, *, stop: Stop, **_: object) -> Choice | None:
        begun.set()
        try:
            ended.append(warlog_core.search(seen, seat, seed=1, iterations=LONG, stop=stop))
        except Stopped as stopped:
            ended.append(stopped)
            raise
        return None

    monkeypatch.setattr(warlog_core, "play", play)
    ada, thinker = api.player(), Thinker()
    match = against(ada)["id"]
    async with AsyncClient(api.url, house.house.token) as client:
        running = asyncio.create_task(Analyst(client, thinker).run())
        with impatient(ada, match):
            assert await asyncio.to_thread(begun.wait, SECONDS_MAX)
        await asyncio.to_thread(eventually, lambda: ended, SECONDS_MAX)
        assert isinstance(ended[0], Stopped)
        assert thinker.figures.analyses == 0
        begun.clear()
        with impatient(ada, match):  # the program is there for the next one, until it is closed
            assert await asyncio.to_thread(begun.wait, SECONDS_MAX)
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        assert isinstance(ended[1], Stopped)


def test_the_calls_of_programs_are_for_the_house_alone(api: Api) -> None:
    ada = api.player()
    for path in ("/bots/analyses", "/bots/analyses/an_x/1"):
        assert ada.post(path, {}).status_code == 403
        assert api.post(path, {}).status_code == 401


def test_without_a_program_the_computer_is_not_to_be_had(tmp_path: Path) -> None:
    with WarlogServer(tmp_path, environment=UNLIMITED) as server, Api(server.url) as api:
        ada = api.player()
        problem = refused(ask(ada, against(ada)["id"], "blue"), 503, "unavailable")
        assert "No program plays" in problem["detail"]
