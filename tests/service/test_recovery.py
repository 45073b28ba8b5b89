"""Processes die: what was answered is there, what was not is explainable, and nobody has to restart what
still lives."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from redis import Redis

from tests.servers import RedisServer, WarlogServer
from tests.service.api import UNLIMITED, Api, ok, refused
from tests.service.load import Load
from tests.service.waiting import eventually


def test_after_a_restart_every_match_is_there(tmp_path: Path) -> None:
    with WarlogServer(tmp_path, environment=UNLIMITED) as server:
        with Api(server.url) as api:
            ada = api.player()
            match = ada.alone()
            for _ in range(5):
                ada.defend(match)
            view = ok(ada.get(f"/matches/{match}/view?seat=red"))
        server.stop()
        server.start()
        again = Api(server.url, ada.token)
        assert ok(again.get(f"/matches/{match}/view?seat=red")) == view
        again.defend(match)


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    (tmp_path / "redis").mkdir()
    with RedisServer(tmp_path / "redis") as running:
        yield running


def ready(url: str) -> int:
    return httpx.get(f"{url}/health/ready").status_code


def test_without_redis_it_is_503_until_redis_is_back(tmp_path: Path, redis: RedisServer) -> None:
    with (
        WarlogServer(tmp_path / "data", redis=redis.url, environment=UNLIMITED) as server,
        Api(server.url) as api,
    ):
        ada = api.player()
        match = ada.alone()
        feed = ada.feed(match, after=2)
        redis.kill()
        eventually(lambda: ready(server.url) == 503)
        assert httpx.get(f"{server.url}/health/live").status_code == 200
        for answer in (
            ada.act(match, "red", {"type": "resign"}),
            ada.get(f"/matches/{match}/view?seat=red"),
            api.post("/players", {"name": "x"}),
            ada.get("/matches"),
        ):
            refused(answer, 503, "unavailable")
            assert int(answer.headers["retry-after"]) >= 1
        assert httpx.get(f"{server.url}/health/ready").headers["retry-after"]
        ok(api.get("/games"))
        redis.start()
        eventually(lambda: ready(server.url) == 200)
        assert ada.match(match)["version"] == 2
        ada.defend(match)
        assert feed.take(1)[0][0] == 3
        feed.close()


def test_a_server_may_start_before_its_redis(tmp_path: Path, redis: RedisServer) -> None:
    redis.stop()
    with (
        WarlogServer(tmp_path / "data", redis=redis.url, environment=UNLIMITED) as server,
        Api(server.url) as api,
    ):
        assert httpx.get(f"{server.url}/health/live").status_code == 200
        assert ready(server.url) == 503
        refused(api.post("/players", {"name": "x"}), 503, "unavailable")
        redis.start()
        eventually(lambda: ready(server.url) == 200, 20)
        api.player().alone()


def test_a_redis_that_comes_later_and_does_not_suit_is_complained_of_until_it_does(tmp_path: Path) -> None:
    """Nobody was told, and it was not looked at again."""
    log = tmp_path / "log"
    with RedisServer(config={"maxmemory-policy": "allkeys-lru"}) as redis, log.open("wb") as errors:
        redis.stop()
        with WarlogServer(tmp_path / "data", redis=redis.url, environment=UNLIMITED, errors=errors) as server:
            redis.start()
            eventually(lambda: "maxmemory-policy is allkeys-lru" in log.read_text(), 20)
            assert ready(server.url) == 503
            with Redis(unix_socket_path=str(redis.socket)) as client:
                client.config_set("maxmemory-policy", "noeviction")
            eventually(lambda: ready(server.url) == 200, 20)


def test_a_killed_embedded_redis_is_started_again(tmp_path: Path) -> None:
    with WarlogServer(tmp_path, environment=UNLIMITED) as server, Api(server.url) as api:
        ada = api.player()
        match = ada.alone()
        ada.defend(match)
        os.kill(_embedded_pid(tmp_path), signal.SIGKILL)
        eventually(lambda: ada.match(match)["version"] == 3)
        ada.defend(match)


def _embedded_pid(data: Path) -> int:
    import redis

    with redis.Redis(unix_socket_path=(data / "redis.socket").read_text()) as client:
        info: Any = client.info("server")
        return int(info["process_id"])


def test_kill_9_of_the_server_loses_no_answered_command(tmp_path: Path) -> None:
    with WarlogServer(tmp_path, environment=UNLIMITED) as server:
        former = _embedded_pid(tmp_path)
        load = Load(server.url)
        time.sleep(1.5)
        server.kill()
        load.stop()
        server.start()
        # The killed server's Redis saves and ends. The new server may use it until then, and starts its own after that.
        eventually(lambda: _embedded_pid(tmp_path) != former and ready(server.url) == 200)
        load.check(server.url)


def test_kill_9_of_redis_loses_no_answered_command(tmp_path: Path, redis: RedisServer) -> None:
    arguments = ["--durability", "always"]
    with WarlogServer(
        tmp_path / "data", redis=redis.url, arguments=arguments, environment=UNLIMITED
    ) as server:
        load = Load(server.url)
        time.sleep(1.5)
        redis.kill()
        load.stop()
        redis.start()
        eventually(lambda: ready(server.url) == 200)
        load.check(server.url)


def test_kill_9_of_the_embedded_redis_loses_no_answered_command(tmp_path: Path) -> None:
    with WarlogServer(tmp_path, environment=UNLIMITED) as server:
        load = Load(server.url)
        time.sleep(1.5)
        os.kill(_embedded_pid(tmp_path), signal.SIGKILL)
        load.stop()
        eventually(lambda: ready(server.url) == 200)
        load.check(server.url)
