"""`warlog serve --workers N`: any of the processes serves any match, and one may go at any time without a loss."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
import redis as redis_py

from tests.servers import RedisServer, WarlogServer
from tests.service.api import UNLIMITED, Api, ok
from tests.service.figures import figure
from tests.service.waiting import eventually
from warlog_events.redis import keys
from warlog_service import supervisor
from warlog_service.settings import Settings
from warlog_service.sockets import bound

TWO = ["--workers", "2"]


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with RedisServer(fsync="no") as running:
        yield running


@pytest.fixture
def own_redis() -> Iterator[RedisServer]:
    with RedisServer(fsync="no") as running:
        yield running


def served(
    redis: RedisServer, folder: Path, *, workers: Sequence[str] = TWO, **environment: str
) -> WarlogServer:
    return WarlogServer(folder, redis=redis.url, arguments=workers, environment={**UNLIMITED, **environment})


def workers_of(server: WarlogServer) -> set[int]:
    """The process ids of the serving processes."""
    return {
        child.pid
        for child in psutil.Process(server.pid).children()
        if child.status() != psutil.STATUS_ZOMBIE and "warlog_service.worker" in child.cmdline()
    }


def asked(redis: RedisServer) -> redis_py.Redis:
    return redis_py.Redis(unix_socket_path=str(redis.socket), decode_responses=True)


# ---- caches ------------------------------------------------------------------------------------------------------


def test_two_processes_that_write_one_match_by_turns_never_show_or_refuse_by_what_is_old(
    redis: RedisServer, tmp_path: Path
) -> None:
    with (
        served(redis, tmp_path, workers=()) as one,
        served(redis, tmp_path, workers=()) as two,
        Api(one.url) as api,
    ):
        here = api.player()
        there = Api(two.url, here.token)
        match = here.alone()
        with there.feed(match, after=2, seats="seat=red&seat=blue") as feed:
            for number in range(40):
                actor, other = (here, there) if number % 2 else (there, here)
                done = actor.defend(match)
                assert other.match(match)["version"] == done["version"]
                seat = done["to_act"][0]
                views = [ok(who.get(f"/matches/{match}/view?seat={seat}")) for who in (actor, other)]
                lists = [ok(who.get(f"/matches/{match}/actions?seat={seat}")) for who in (other, actor)]
                assert views[0] == views[1]
                assert lists[0] == lists[1]
            assert [version for version, _, _ in feed.take(40)] == list(range(3, 43))
            ok(here.command(match, {"type": "propose", "proposal": {"kind": "undo", "to": 9}}), 201)
            there.defend(match)
            here.defend(match)
            assert [name for _, name, _ in feed.take(3)] == ["time_travelled", "action_taken", "action_taken"]
        here.resign(match, "red")
        assert ok(there.get(f"/matches/{match}/verify"))["status"] == "verified"


def test_two_processes_that_write_one_match_at_once_lose_and_double_nothing(
    redis: RedisServer, tmp_path: Path
) -> None:
    """Each sends what it believes to be next, most often having seen an older version than the other has made."""
    with (
        served(redis, tmp_path, workers=()) as one,
        served(redis, tmp_path, workers=()) as two,
        Api(one.url) as api,
    ):
        ada = api.player()
        match = ada.alone()

        def hammer(url: str) -> list[int]:
            me, made = Api(url, ada.token), []
            for _ in range(60):
                now = me.match(match)
                seat = now["to_act"][0]
                active = ok(me.get(f"/matches/{match}/view?seat={seat}"))["view"]["active"]
                answer = me.act(match, seat, {"type": "defend", "piece": active})
                if answer.status_code == 201:
                    made.append(answer.json()["version"])
                else:
                    assert answer.status_code in (409, 422), answer.text
            return made

        with ThreadPoolExecutor(4) as threads:
            made = [
                version for versions in threads.map(hammer, [one.url, two.url] * 2) for version in versions
            ]
        assert sorted(made) == list(range(3, len(made) + 3))
        assert ada.match(match)["version"] == len(made) + 2
        conflicts = [figure(server, "warlog_append_conflicts_total") for server in (one, two)]
        assert min(conflicts) > 0
        ada.resign(match, "red")
        assert ok(ada.get(f"/matches/{match}/verify"))["status"] == "verified"


# ---- connections -------------------------------------------------------------------------------------------------


def test_a_process_has_one_connection_for_commands_and_one_for_news_however_many_feeds(
    own_redis: RedisServer, tmp_path: Path
) -> None:
    with served(own_redis, tmp_path) as server, Api(server.url) as api, asked(own_redis) as redis:
        ada = api.player()
        matches = [ada.alone() for _ in range(10)]
        feeds = [ada.feed(match, after=2) for match in matches for _ in range(4)]
        for match in matches:
            ada.defend(match)
        assert [feed.take(1)[0][0] for feed in feeds] == [3] * len(feeds)
        clients: Any = [one for one in redis.client_list() if one["id"] != str(redis.client_id())]
        assert len(clients) == 2 * 2
        # Each listens for the matches that its feeds follow, for revoked tokens, for who leaves for good, for pairings
        # and for people's notices.
        assert [int(one["sub"]) for one in clients if one["sub"] != "0"] == [5, 5]
        following = [redis.zcard(keys.followers(match)) for match in matches]
        assert {*following} <= {1, 2}
        for feed in feeds:
            feed.close()


# ---- projector and clock -----------------------------------------------------------------------------------------


def holder(servers: Sequence[WarlogServer], work: str) -> WarlogServer:
    """The one that does it."""
    (found,) = [one for one in servers if figure(one, "warlog_lease_held", work=work) == 1]
    return found


def test_projector_and_clock_run_in_one_process_and_outlive_it(
    own_redis: RedisServer, tmp_path: Path
) -> None:
    with served(own_redis, tmp_path, workers=()) as one, served(own_redis, tmp_path, workers=()) as two:
        both = (one, two)
        for end in (WarlogServer.kill, WarlogServer.stop):
            eventually(lambda: holder(both, "projector") and holder(both, "clock"))
            dead = holder(both, "clock")
            living = two if dead is one else one
            with Api(living.url) as api:
                player = api.player()
                matches = [player.alone(move_seconds=1) for _ in range(3)]
                end(dead)
                for match in matches:
                    eventually(lambda: api.match(match)["status"] == "finished", 60)  # noqa: B023
                    assert timeouts(api, match) == 1
                eventually(lambda: holder([living], "projector") and holder([living], "clock"))  # noqa: B023
                assert len(ok(api.get("/matches?status=finished"))["matches"]) >= len(matches)
            dead.start()


def timeouts(api: Api, match: str) -> int:
    events = ok(api.get(f"/matches/{match}/events?limit=500"))["events"]
    return sum(event.get("action", {}).get("type") == "timeout" for event in events)


# ---- a rolling restart -------------------------------------------------------------------------------------------


class Player(threading.Thread):
    """Plays a match alone, on one connection for as long as it lasts, and notes each version that was answered.

    A command whose connection ends without an answer is sent again for the same version: had it been taken, that
    would be a conflict."""

    def __init__(self, api: Api, match: str) -> None:
        super().__init__()
        self.match = match
        self.made: list[int] = []
        self.unanswered = 0
        self.wrong = ""
        self._me = Api(api.url, api.token)
        self._stopping = threading.Event()

    def run(self) -> None:
        try:
            while not self._stopping.wait(0.05):
                self._play()
        except Exception as error:
            self.wrong = repr(error)

    def _play(self) -> None:
        me, match = self._me, self.match
        now = self._asked(lambda: ok(me.get(f"/matches/{match}")))["match"]
        seat = now["to_act"][0]
        view = self._asked(lambda: ok(me.get(f"/matches/{match}/view?seat={seat}")))["view"]
        action = {"type": "defend", "piece": view["active"]}
        done = self._asked(lambda: ok(me.act(match, seat, action, if_match=f'"{now["version"]}"'), 201))
        self.made.append(done["version"])

    def _asked(self, call: Callable[[], Any]) -> Any:
        while True:
            try:
                return call()
            except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):  # and never a ConnectError
                self.unanswered += 1

    def stop(self) -> None:
        self._stopping.set()
        self.join()


class Follower(threading.Thread):
    """Follows a match up to `last`, coming back whenever the feed ends, and notes every event and every end."""

    def __init__(self, api: Api, match: str) -> None:
        super().__init__()
        self.seen: list[int] = []
        self.ends: list[str] = []
        self.last = sys.maxsize
        self._api, self._match = api, match
        self._feed = api.feed(match, after=0)

    def run(self) -> None:
        while True:
            try:
                for version, name, data in self._feed:
                    if name == "closing":
                        self.ends.append(data["code"])
                        break
                    if version is not None:
                        self.seen.append(version)
                        if version >= self.last:
                            return
            except (OSError, ValueError) as error:
                self.ends.append(repr(error))
            self._feed.close()
            self._feed = self._api.feed(self._match, last=self.seen[-1])


class Late(threading.Thread):
    """Makes matches whose first player never moves."""

    def __init__(self, api: Api) -> None:
        super().__init__()
        self.matches: dict[str, str] = {}  # → the deadline
        self._me = Api(api.url, api.token)
        self._stopping = threading.Event()

    def run(self) -> None:
        while not self._stopping.wait(0.2):
            with suppress(httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
                match = self._me.create(seats={"red": "me", "blue": "me"}, move_seconds=1)["match"]
                (self.matches[match["id"]],) = match["deadlines"].values()

    def stop(self) -> None:
        self._stopping.set()
        self.join()


def by_hangup(server: WarlogServer) -> None:
    os.kill(server.pid, signal.SIGHUP)


def by_terminating_each(server: WarlogServer) -> None:
    for old in workers_of(server):
        before = workers_of(server)
        os.kill(old, signal.SIGTERM)
        eventually(lambda: len(workers_of(server) - before) == 1, 30)  # noqa: B023


@pytest.mark.parametrize("restart", [by_hangup, pytest.param(by_terminating_each, marks=pytest.mark.soak)])
def test_a_rolling_restart_under_load_loses_no_command_no_event_and_no_deadline(
    own_redis: RedisServer, tmp_path: Path, restart: Callable[[WarlogServer], None]
) -> None:
    with served(own_redis, tmp_path, WARLOG_DRAIN_MS="500") as server, Api(server.url) as api:
        ada = api.player()
        matches = [ada.alone() for _ in range(4)]
        players = [Player(ada, match) for match in matches]
        followers = [Follower(ada, match) for match in matches for _ in range(2)]
        late = Late(ada)
        for thread in (*players, *followers, late):
            thread.start()
        time.sleep(1)
        before = workers_of(server)
        restart(server)
        eventually(lambda: len(workers_of(server)) == 2 and not workers_of(server) & before, 60)
        eventually(lambda: all(len(player.made) > 20 for player in players), 60)  # also of the new workers
        time.sleep(1.5)
        late.stop()
        for player in players:
            player.stop()

        for player in players:
            assert not player.wrong
            # Every answer is an event, and every event was answered.
            assert player.made == list(range(3, len(player.made) + 3))
        for follower in followers:
            follower.last = len(players[matches.index(follower._match)].made) + 3
        for player in players:
            ada.resign(player.match, "red")
        for follower in followers:
            follower.join(60)
            assert follower.seen == list(range(1, follower.last + 1))
            assert set(follower.ends) <= {"shutdown"}
        assert any(follower.ends for follower in followers)

        assert len(late.matches) > 5
        for match, deadline in late.matches.items():
            eventually(lambda: api.match(match)["status"] == "finished", 60)  # noqa: B023
            *_, end = ok(api.get(f"/matches/{match}/events"))["events"]
            assert end["action"]["type"] == "timeout"
            assert timeouts(api, match) == 1
            lateness = datetime.fromisoformat(end["at"]) - datetime.fromisoformat(deadline)
            assert timedelta(0) < lateness < timedelta(seconds=30), (match, lateness)


# ---- the supervisor ----------------------------------------------------------------------------------------------


def test_a_worker_that_is_killed_is_replaced_and_what_was_answered_is_there(tmp_path: Path) -> None:
    with WarlogServer(tmp_path, arguments=TWO, environment=UNLIMITED) as server, Api(server.url) as api:
        ada = api.player()
        match = ada.alone()
        for killed in sorted(workers_of(server)):
            done = ada.defend(match)
            os.kill(killed, signal.SIGKILL)
            eventually(lambda: ada.match(match)["version"] == done["version"])  # noqa: B023
            eventually(lambda: len(workers_of(server) - {killed}) == 2)  # noqa: B023
        eventually(lambda: ada.defend(match))


def test_the_embedded_redis_is_the_supervisors_and_is_started_again_under_the_workers(tmp_path: Path) -> None:
    with WarlogServer(tmp_path, arguments=TWO, environment=UNLIMITED) as server, Api(server.url) as api:
        ada = api.player()
        match = ada.alone()
        ada.defend(match)
        for _ in range(2):
            (redis,) = {child.pid for child in psutil.Process(server.pid).children()} - workers_of(server)
            assert all(not psutil.Process(worker).children() for worker in workers_of(server))
            os.kill(redis, signal.SIGKILL)
            eventually(lambda: ada.match(match)["version"] == 3, 20)
        ada.defend(match)


def test_no_process_outlives_the_supervisor(tmp_path: Path) -> None:
    with WarlogServer(tmp_path, arguments=TWO, environment=UNLIMITED) as server, Api(server.url) as api:
        ada = api.player()
        match = ada.alone()
        ada.defend(match)
        for how in (signal.SIGTERM, signal.SIGKILL):
            children = psutil.Process(server.pid).children()
            assert len(children) == 3
            server._end(how)
            _, alive = psutil.wait_procs(children, timeout=20)
            assert not alive
            server.start()
            again = Api(server.url, ada.token)
            assert again.match(match)["version"] == 3


def test_workers_that_cannot_start_end_the_supervisor_with_their_word(tmp_path: Path) -> None:
    with RedisServer(fsync="no", config={"maxmemory-policy": "allkeys-lru"}) as redis:
        command = [sys.executable, "-m", "warlog_service", "serve", "--port", "0", *TWO]
        done = subprocess.run([*command, "--redis", redis.url], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "maxmemory-policy is allkeys-lru" in done.stderr
    assert not done.stdout
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [*command, "--port", port, "--data", str(tmp_path)], capture_output=True, text=True, timeout=60
        )
    assert done.returncode == 1
    assert "already in use" in done.stderr


async def test_a_worker_that_no_longer_answers_is_replaced(
    own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "ASK_EVERY_SECONDS", 0.2)
    monkeypatch.setattr(supervisor, "SILENCE_SECONDS_MAX", 1.0)
    with bound("127.0.0.1", 0) as listener, bound("127.0.0.1", 0) as metrics:
        server = supervisor.Supervisor(
            Settings(redis=own_redis.url, workers=1, drain_ms=0), listener, [metrics]
        )
        await server.start()
        keeping = asyncio.create_task(server.keep())
        stuck = server._places[0]
        await asyncio.sleep(1.5)
        assert server._places[0] is stuck  # who answers stays
        os.kill(stuck.pid, signal.SIGSTOP)
        while server._places[0] is stuck:
            await asyncio.sleep(0.05)
        assert await server._places[0].comes_up()
        keeping.cancel()
        await asyncio.wait([keeping])
        await server.end()
