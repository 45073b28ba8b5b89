"""Who stays (a feed, a waiting call) is sent away as soon as his token is revoked, also by another process."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.servers import RedisServer, WarlogServer
from tests.service.api import UNLIMITED, Api, Feed, ok, refused

# No heartbeat within the test: it is not by one that a stream learns of it.
QUIET = {**UNLIMITED, "WARLOG_FEED_HEARTBEAT_MS": "600000"}
WANTED = {"game": "hex", "options": {"army": "preset"}}


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Two servers on one Redis."""
    folders = [tmp_path_factory.mktemp(name) for name in ("here", "there")]
    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(folders[0], redis=redis.url, environment=QUIET) as here,
        WarlogServer(folders[1], redis=redis.url, environment=QUIET) as there,
    ):
        yield here.url, there.url


def lent(ada: Api, url: str) -> tuple[Api, str]:
    """The same player with another token at a server, and its id."""
    token = ok(ada.post("/tokens", {"label": "lent", "scopes": ["play"]}), 201)
    return Api(url, token["token"], id=ada.id), token["id"]


@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "elsewhere"])
def test_a_feed_ends_with_its_token(processes: tuple[str, str], elsewhere: bool) -> None:
    here, there = processes
    ada = Api(here).player()
    match = ada.alone()
    for path in (f"/matches/{match}/feed", "/pairing"):
        reader, token = lent(ada, there if elsewhere else here)
        if path == "/pairing":
            entry = ok(reader.post("/pairing", WANTED), 201)["entry"]["id"]
            path = f"/pairing/{entry}/feed"
        with Feed(f"{reader.url}/v1{path}", reader.token) as feed:
            feed.take(1)
            revoke(ada, token)
            last = [event for event in feed if event[1] != "heartbeat"][-1]
            assert last[1:] == ("closing", {"type": "closing", "code": "unauthenticated"})
        ada.delete(path.removesuffix("/feed"))  # the entry, so that nobody is paired with it


@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "elsewhere"])
def test_a_waiting_call_ends_with_its_token(processes: tuple[str, str], elsewhere: bool) -> None:
    here, there = processes
    ada = Api(here).player()
    reader, token = lent(ada, there if elsewhere else here)
    entry = ok(reader.post("/pairing", WANTED), 201)["entry"]["id"]
    with ThreadPoolExecutor(1) as pool:
        reader.http.timeout = 60
        began = time.monotonic()
        answer = pool.submit(reader.get, f"/pairing/{entry}?wait=30")
        time.sleep(0.5)
        revoke(ada, token)
        refused(answer.result(), 401, "unauthenticated")
        assert time.monotonic() - began < 25  # of the 30 for which it was to wait
    assert ok(ada.get(f"/pairing/{entry}"))["entry"]["status"] == "waiting"
    ada.delete(f"/pairing/{entry}")


def test_others_stay(processes: tuple[str, str], tmp_path: Path) -> None:
    """A revoked token ends nothing that was opened with another one of the same player."""
    here, there = processes
    ada = Api(here).player()
    match = ada.alone()
    other, _ = lent(ada, there)
    _, token = lent(ada, there)
    with other.feed(match, after=0) as feed:
        feed.take(2)
        revoke(ada, token)
        ada.defend(match)
        assert feed.take(1)[0][1] == "action_taken"


def revoke(ada: Api, token: str) -> None:
    assert ada.delete(f"/tokens/{token}").status_code == 204
