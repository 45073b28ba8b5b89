"""One contract, every Redis: what a test says of `redis_server` or `own_redis` holds of an embedded server, of a plain
one and of a cluster. A module that is about one of them says so with REDIS_KINDS."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster import RedisCluster
from tests.servers import AnyRedis, RedisServer
from tests.turns import SEED
from warlog_events.redis import store

# A short run tries each of these modules with one of the other two at most, by turns: those of both lists with one or
# the other, those of one list in every other run. `make soak` tries every module with both.
SHORT_RUNS = {
    "embedded": ("test_store", "test_accounts", "test_creation_keys", "test_notifier", "test_settler"),
    "cluster": (
        "test_abandoned",
        "test_accounts",
        "test_clock",
        "test_creation_keys",
        "test_directory",
        "test_feed",
        "test_ledger",
        "test_lobby",
        "test_notifier",
        "test_notify",
        "test_pairing",
        "test_quotas",
        "test_scenarios",
        "test_settler",
        "test_store",
        "test_two_processes",
    ),
}
KINDS = ("plain", *SHORT_RUNS)

_HOLD = """
import asyncio, sys
from tests.events.hand import opened

async def main():
    async with opened(sys.argv[1]):
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)

asyncio.run(main())
"""


class EmbeddedRedis:
    """A data folder whose embedded server a process of its own keeps running."""

    def __init__(self, folder: Path) -> None:
        self.url = f"embedded:{folder}"
        self._holder = subprocess.Popen(
            [sys.executable, "-c", _HOLD, self.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._holder.stdout is not None
        assert self._holder.stdout.readline() == b"ready\n"

    def close(self) -> None:
        self._holder.communicate()


def is_short(module: str, kind: str) -> bool:
    """Does a short run with this seed try the module with that Redis?"""
    if kind == "plain":
        return True
    place = SHORT_RUNS["cluster"].index(module) if module in SHORT_RUNS["cluster"] else 0
    return module in SHORT_RUNS[kind] and (SEED + place) % 2 == (kind == "cluster")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    module = metafunc.definition.path.stem
    kinds = getattr(metafunc.module, "REDIS_KINDS", None)  # one that is named is tried in every run
    params = [
        pytest.param(kind, marks=() if kinds or is_short(module, kind) else pytest.mark.soak)
        for kind in kinds or KINDS
    ]
    for name in ("redis_server", "own_redis"):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, params, indirect=True)


@pytest.fixture(scope="session")
def plain_server() -> Iterator[RedisServer]:
    with RedisServer(fsync="no") as server:
        yield server


@pytest.fixture(scope="session")
def embedded_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedRedis]:
    server = EmbeddedRedis(tmp_path_factory.mktemp("embedded"))
    yield server
    server.close()


@pytest.fixture(scope="session")
def cluster() -> Iterator[RedisCluster]:
    """Nobody kills or pauses one of its nodes: who wants to has a cluster of his own."""
    with RedisCluster() as cluster:
        yield cluster


@pytest.fixture
def redis_server(request: pytest.FixtureRequest) -> AnyRedis:
    """Shared with every other test."""
    kind = {"plain": "plain_server", "embedded": "embedded_server", "cluster": "cluster"}[request.param]
    server: AnyRedis = request.getfixturevalue(kind)
    return server


@pytest.fixture
def own_redis(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AnyRedis]:
    """Empty, for tests of those who see every match of a Redis."""
    if request.param == "plain":
        with RedisServer(fsync="no") as server:
            yield server
    elif request.param == "embedded":
        embedded = EmbeddedRedis(tmp_path / "embedded")
        yield embedded
        embedded.close()
    else:
        shared: RedisCluster = request.getfixturevalue("cluster")
        shared.flush()
        yield shared


@pytest.fixture
def rash(monkeypatch: pytest.MonkeyPatch) -> None:
    """An event's `at` may be as far from Redis's clock as it likes: nothing but a deadline itself holds up a process
    whose clock is ahead."""
    monkeypatch.setattr(store, "AT_TOLERANCE_MS", 10**10)
