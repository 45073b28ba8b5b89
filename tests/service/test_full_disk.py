"""A server whose disk or whose Redis is full says so, in words that betray nothing, and goes on when there is room."""

from __future__ import annotations

import fcntl
import itertools
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis

from tests.servers import RedisServer, WarlogServer
from tests.service.api import UNLIMITED, Api, ok, refused
from tests.service.load import MATCHES, Load
from tests.service.waiting import eventually
from tests.small_disk import Filler, small_disk

BALLAST = {"WARLOG_BALLAST_BYTES": str(2 << 20)}
RESIGN = {"type": "resign"}
INTERNALS = re.compile(
    r"redis|lua|script|sha1?\b|eval|xadd|hset|misconf|\boom\b|readonly|noreplicas|busy |maxmemory|aof|rdb|append-?only"
    r"|snapshot|errno|no space left|\.sock|127\.0\.0\.1|traceback|command not allowed|warlog:\{",
    re.IGNORECASE,
)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", 24) as disk:
        yield disk


def ready(server: WarlogServer) -> httpx.Response:
    return httpx.get(f"{server.url}/health/ready")


def figure(server: WarlogServer, name: str) -> float:
    lines = [line for url in server.metrics for line in httpx.get(url).text.splitlines()]
    return max(float(line.split()[-1]) for line in lines if re.match(rf"{name}[{{ ]", line))


@pytest.mark.parametrize("workers", ["0", pytest.param("2", marks=pytest.mark.soak)])
def test_a_full_disk_is_said_and_survived(disk: Path, workers: str) -> None:
    log = disk.parent / "log"
    with (
        log.open("wb") as errors,
        WarlogServer(
            disk / "data",
            arguments=["--workers", workers],
            environment={**UNLIMITED, **BALLAST},
            errors=errors,
        ) as server,
        Api(server.url) as api,
    ):
        ada = api.player()
        match = ada.alone()
        ada.defend(match)
        with Filler(disk) as filler:
            filler.until_full()
            # Nobody writes perhaps: the server notices by itself.
            eventually(lambda: {ready(server).status_code for _ in range(10)} == {503}, 20)
            refused(ready(server), 503, "disk_full")
            # What others tell of the disk comes within a second.
            eventually(lambda: ada.act(match, "red", RESIGN).json()["code"] == "disk_full", 10)
            for answer in (
                ada.act(match, "red", RESIGN),
                ada.post("/matches", {"game": "hex"}),
                api.post("/players", {"name": "late"}),
            ):
                refused(answer, 503, "disk_full")
                assert int(answer.headers["retry-after"]) >= 1
                assert not INTERNALS.search(answer.json()["detail"])
            ok(ada.get(f"/matches/{match}/view?seat=red"))
            assert httpx.get(f"{server.url}/health/live").status_code == 200
            assert figure(server, "warlog_writes_refused") == 1
            filler.stop()
            eventually(lambda: {ready(server).status_code for _ in range(10)} == {200}, 20)
        eventually(lambda: ada.act(match, "red", RESIGN).status_code == 201, 10)
        assert ada.match(match)["version"] == 4
        processes = 1 if workers == "0" else 1 + int(workers)
        assert 1 <= log.read_text().count("DISK FULL") <= processes
        server.stop()
        server.start()
        assert Api(server.url, ada.token).match(match)["version"] == 4


def _has_ended(data: Path) -> bool:
    """Has the embedded Redis of this folder? (It holds the lock as long as it lives.)"""
    with (data / "redis.lock").open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


@pytest.mark.parametrize("durability", ["everysec", "always"])
def test_no_answered_command_is_lost_however_a_server_ends_whose_disk_is_full(
    disk: Path, durability: str
) -> None:
    """kill -9 and SIGTERM of a real server with commands in flight; every answer is looked for after a restart."""
    data = disk / "data"
    with (
        (disk.parent / "log").open("wb") as errors,
        WarlogServer(
            data,
            arguments=["--durability", durability],
            environment={**UNLIMITED, **BALLAST},
            errors=errors,
        ) as server,
    ):

        def end(how: signal.Signals) -> None:
            load = Load(server.url, again=True)
            eventually(lambda: load.count > 5 * MATCHES, 120)
            with Filler(disk) as filler:
                filler.until_full()
                # By now what was taken in cannot be saved, and those who are refused ask again.
                try:
                    eventually(lambda: load.refusals["disk_full"] > MATCHES, 120)
                finally:
                    print(f"{durability}, {how.name}: {load}")
                server.send(how)
                if how == signal.SIGKILL:
                    # Redis gets no room before it has ended, which it does on its own.
                    eventually(lambda: _has_ended(data), 120)
                else:
                    time.sleep(0.3)  # the server waits for room
            server.stop()
            load.stop()
            server.start()
            eventually(lambda: ready(server).status_code == 200, 20)
            load.check(server.url)

        end(signal.SIGKILL)
        end(signal.SIGTERM)


def test_what_redis_says_of_itself_stays_in_the_log(tmp_path: Path) -> None:
    """OOM, MISCONF, READONLY, NOREPLICAS and BUSY, provoked, over every kind of call that writes."""
    log = tmp_path / "log"
    (tmp_path / "redis").mkdir()
    # A snapshot cannot be put in the place of a folder: so Redis stops writes, as on a full disk.
    (tmp_path / "redis" / "folder").mkdir()
    config = {"dbfilename": "folder", "lua-time-limit": "100"}
    with (
        RedisServer(tmp_path / "redis", fsync="no", config=config) as server,
        log.open("wb") as errors,
        WarlogServer(tmp_path / "data", redis=server.url, environment=UNLIMITED, errors=errors) as warlog,
        redis.Redis(unix_socket_path=str(server.socket)) as client,
        Api(warlog.url) as api,
    ):
        ada = api.player()
        matches = [ada.alone() for _ in range(6)]
        names = itertools.count()

        def answers() -> list[httpx.Response]:
            match = matches.pop()  # before Redis 7 NOREPLICAS does not concern scripts
            return [
                ada.act(match, "red", RESIGN),
                ada.act(match, "red", RESIGN, idempotency_key=f"k{next(names)}"),
                ada.post("/matches", {"game": "hex"}),
                api.post("/players", {"name": "late"}),
                ada.post("/tokens", {"label": "x"}),
                ada.post("/scenarios", {"game": "hex", "name": "x", "options": {}, "position": {}}),
                ada.post("/pairing", {"game": "hex"}),
                ready(warlog),
            ]

        def check(codes: set[str]) -> None:
            seen = set()
            for answer in answers():
                if answer.status_code < 500:
                    continue  # a wrong request, or one that needs nothing of this
                document: dict[str, Any] = answer.json()
                assert answer.status_code == 503, document
                assert not INTERNALS.search(str({**document, "type": ""})), document
                seen.add(document["code"])
            assert seen
            assert seen <= codes

        client.config_set("maxmemory", "100kb")
        eventually(lambda: ready(warlog).status_code == 503, 10)
        check({"unavailable"})
        client.config_set("maxmemory", "0")
        eventually(lambda: ready(warlog).status_code == 200, 10)

        client.config_set("min-replicas-to-write", "1")
        check({"unavailable"})
        client.config_set("min-replicas-to-write", "0")

        client.config_set("save", "3600 1")
        client.bgsave()
        eventually(lambda: client.info("persistence")["rdb_last_bgsave_status"] == "err", 20)
        check({"disk_full", "unavailable"})
        refused(ada.act(matches[0], "red", RESIGN), 503, "disk_full")
        client.config_set("stop-writes-on-bgsave-error", "no")
        eventually(lambda: ready(warlog).status_code == 200, 10)

        client.replicaof("127.0.0.1", 1)
        check({"unavailable"})
        client.replicaof("NO", "ONE")
        eventually(lambda: ready(warlog).status_code == 200, 20)
        ok(ada.act(matches[0], "red", RESIGN), 201)
        said = log.read_text()
        for kind in ("OOM", "MISCONF", "READONLY", "NOREPLICAS"):
            assert kind in said, "the operator is told"
