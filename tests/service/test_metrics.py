"""`/metrics`: on a port of its own, for operators; and nothing in it depends on what players hide."""

from __future__ import annotations

import asyncio
import json
import random
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.servers import RedisServer, WarlogServer
from tests.service.api import Api, ok, refused
from tests.service.figures import figure, figures, scrapes
from tests.service.test_worlds import DEPLOY, RECRUIT, World, two_worlds
from tests.service.waiting import eventually
from warlog_service import metrics_listener
from warlog_service.metrics import Metrics
from warlog_service.metrics_listener import MetricsListener
from warlog_service.sockets import bound

SERVE = [sys.executable, "-m", "warlog_service", "serve", "--port", "0"]


# ---- where they are ----------------------------------------------------------------------------------------------


def test_the_figures_are_on_a_port_of_their_own_on_loopback_and_not_on_the_public_one(
    server: WarlogServer, api: Api
) -> None:
    (url,) = server.metrics
    parts = urlsplit(url)
    assert (parts.hostname, parts.path) == ("127.0.0.1", "/metrics")
    assert parts.port != urlsplit(server.url).port
    for path in ("/metrics", "/v1/metrics", "//metrics"):
        refused(httpx.get(f"{server.url}{path}"), 404, "unknown_route")
    assert "/metrics" not in api.get("/openapi.json").text
    answer = httpx.get(url)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.headers["connection"] == "close"
    assert httpx.get(url, params={"name[]": "x"}).status_code == 200
    assert httpx.get(f"{url}/1").status_code == httpx.get(url.removesuffix("metrics")).status_code == 404
    assert httpx.post(url, content=b"").status_code == 405


def test_they_count_by_route_and_hold_no_id(server: WarlogServer, api: Api) -> None:
    ada = api.player("nobody-must-see-me")
    match = ada.alone()
    ada.defend(match)
    ada.get("/matches/nothing")
    (text,) = scrapes(server)
    assert '{method="POST",route="/v1/matches/{match_id}/commands",status="201"}' in text
    assert 'warlog_refusals_total{code="unknown_match"} 1.0' in text
    assert "warlog_request_seconds_bucket" in text
    assert "warlog_integrity_errors_total 0.0" in text
    assert figure(server, "warlog_redis_appends_total") >= 2
    for secret in (match, ada.id, ada.name, str(ada.token)):
        assert secret not in text


def test_the_background_worker_tells_its_figures_too() -> None:
    with RedisServer(fsync="no") as redis:
        command = [sys.executable, "-m", "warlog_service", "worker", "--redis", redis.url]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        try:
            assert process.stdout is not None
            (url,) = json.loads(process.stdout.readline())["metrics"]
            assert "warlog_lease_held{" in httpx.get(url).text
        finally:
            process.terminate()
            assert process.wait(30) == 0


@contextmanager
def taken_port() -> Iterator[int]:
    """One that somebody listens on; below those that the system gives away, so that its neighbour is free."""
    while True:
        port = random.randrange(20_000, 30_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            with socket.create_server(("127.0.0.1", port - 1)):
                pass  # nobody has the one below
            yield port
            return


def test_workers_have_ports_in_a_row_and_one_that_is_taken_stops_the_start(tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*SERVE, "--data", str(tmp_path), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    with taken_port() as port:
        for arguments in (
            ("--metrics-port", str(port)),
            ("--metrics-port", str(port), "--workers", "1"),
            ("--metrics-port", str(port - 1), "--workers", "2"),
        ):
            done = run(*arguments)
            assert done.returncode == 1
            assert re.fullmatch(rf"warlog: .*already in use.*\b{port}\b.*\n", done.stderr), done.stderr
    done = run("--metrics-port", "65535", "--workers", "2")
    assert (done.returncode, done.stdout) == (1, "")
    assert "WARLOG_METRICS_PORT" in done.stderr


async def test_who_says_nothing_too_much_or_comes_in_numbers_takes_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(metrics_listener, "SECONDS_MAX", 0.5)
    monkeypatch.setattr(metrics_listener, "CONNECTIONS_MAX", 4)
    listener = MetricsListener(Metrics().registry, bound("127.0.0.1", 0))
    await listener.open()
    parts = urlsplit(listener.url)

    async def said(request: bytes) -> bytes:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        try:
            writer.write(request)
            return await asyncio.wait_for(reader.read(), 20)
        except ConnectionError:
            return b""
        finally:
            writer.close()

    good = b"GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n"
    assert (await said(good)).startswith(b"HTTP/1.1 200 ")
    assert (await said(b"\r\n\r\n")).startswith(b"HTTP/1.1 404 ")
    assert await said(b"x" * 100_000) == b""
    assert await said(b"GET /metrics HTTP/1.1\r\nhost: x\r\n") == b""  # given up after SECONDS_MAX
    answers = await asyncio.gather(*(said(b"") for _ in range(20)))  # most of them at once
    assert answers == [b""] * 20
    assert (await said(good)).startswith(b"HTTP/1.1 200 ")
    listener.close()


# ---- what is not in them -----------------------------------------------------------------------------------------


def test_a_refusal_by_the_rules_is_counted_without_its_code(server: WarlogServer, api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    before = [
        figures(server, name).get(labels, 0)
        for name, labels in (
            ("warlog_commands_total", ("hex", "rules")),
            ("warlog_refusals_total", ("rules",)),
        )
    ]
    refused(ada.act(match, "red", {"type": "fly"}), 422, "malformed_action")
    waiting = "blue" if ada.match(match)["to_act"] == ["red"] else "red"
    code = ada.act(match, waiting, {"type": "defend", "piece": 1}).json()["code"]
    assert figures(server, "warlog_commands_total")["hex", "rules"] == before[0] + 2
    assert figures(server, "warlog_refusals_total")[("rules",)] == before[1] + 2
    (text,) = scrapes(server)
    assert "malformed_action" not in text
    assert code not in text


def test_durations_memory_and_processor_time_are_coarse(server: WarlogServer, api: Api) -> None:
    api.player().alone()
    (text,) = scrapes(server)
    bounds = {float(bound) for bound in re.findall(r'le="([^"]+)"', text)}
    assert min(bounds) == 0.005
    assert not re.search(r"^\w+_sum\b", text, re.M)
    for name, grain in (("process_resident_memory_bytes", 2**20), ("process_virtual_memory_bytes", 2**20)):
        assert figure(server, name) % grain == 0 < figure(server, name)
    assert re.search(r"^process_cpu_seconds_total \d+\.\d$", text, re.M)


TIMED = re.compile(r'^warlog_\w+_bucket\{.*le="(?!\+Inf).*$\n?|^process_.*$\n?', re.M)
"""What differs between any two runs, hidden things or not: which bucket a duration fell into, and the process's own
figures. The test above holds them to be coarse."""

POLLED = re.compile(r"^warlog_redis_reads_total .*$\n?", re.M)
"""Counts what the background work looks up by and by, too: it grows while nobody plays."""


def own_figures(server: WarlogServer) -> str:
    (text,) = scrapes(server)
    return POLLED.sub("", TIMED.sub("", text))


def swapped(
    folder: Path, mode: str, options: dict[str, Any], actions: tuple[Any, Any], fault: str | None = None
) -> list[str]:
    """The figures of two worlds that differ in red's actions and in nothing else."""
    with two_worlds(folder, options, mode, fault) as worlds:
        texts = []
        for world, hidden in zip(worlds, actions, strict=True):
            for action in hidden:
                ok(world.red.act(world.match, "red", action), 201)
            texts.append(shown(world))
        return texts


def shown(world: World) -> str:
    """The figures after everybody, red included, has asked the same in both worlds."""
    match = f"/matches/{world.match}"
    version = world.red.match(world.match)["version"]
    for who, seat in ((world.red, "red"), (world.blue, "blue"), (world.outsider, ""), (world.stranger, "")):
        for path in ("", "/view", "/events", "/timeline", "/history", "/board", "/export", "/verify"):
            who.get(match + path)
        for at in range(1, version + 1):
            who.get(f"{match}/view?at={at}")
        who.get(f"{match}/actions?seat={seat}")
        for action in ({"type": "fly"}, {"type": "attack", "piece": 1, "target": "b2"}):
            who.act(world.match, "blue", action)
        with who.feed(world.match, after=0) as feed:
            feed.take(version)
    eventually(lambda: figure(world.server, "warlog_feeds_open") == 0)
    return own_figures(world.server)


ARMIES = (
    [{"type": "recruit", "army": [{"unit": "militia", "count": 9}]}],
    [{"type": "recruit", "army": [{"unit": "giant", "count": 5}, {"unit": "wolf", "count": 11}]}],
)
PLACES = (
    [{"type": "place", "piece": 1, "to": "b3"}, {"type": "ready"}],
    [{"type": "place", "piece": 2, "to": "a2"}, {"type": "ready"}],
)


@pytest.mark.parametrize(
    ("mode", "options", "actions"), [("competitive", RECRUIT, ARMIES), ("casual", DEPLOY, PLACES)]
)
def test_no_figure_depends_on_what_is_hidden(
    tmp_path: Path, mode: str, options: dict[str, Any], actions: tuple[Any, Any]
) -> None:
    first, second = swapped(tmp_path, mode, options, actions)
    assert first == second
    assert first.count("\nwarlog_") > 50


def test_a_figure_that_does_is_found(tmp_path: Path) -> None:
    first, second = swapped(tmp_path, "competitive", RECRUIT, ARMIES, "figure")
    assert first != second
