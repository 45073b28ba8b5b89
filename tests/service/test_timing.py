"""How long a refusal takes does not tell a private match from one that never was.

The tests in tests/events/reading/test_admission.py count what is done; here a clock is held against the answers,
with as many as it takes to see a difference that would be of use to anybody (make soak).
"""

from __future__ import annotations

import json
import math
import random
import socket
import statistics
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.servers import WarlogServer
from tests.service.api import UNLIMITED, Api

REFUSALS = 10_000  # of each of the two
ROUNDS_MAX = 3
SEEN_FROM = 4.0  # standard deviations of the rank statistic; chance alone gets there once in 16,000 tests


class Stopwatch:
    """One connection that is kept, and the time from the last byte sent to the first received."""

    def __init__(self, player: Api) -> None:
        parts = urlsplit(player.url)
        self._host, self._token = parts.netloc, player.token
        self._socket = socket.create_connection((parts.hostname or "", parts.port or 80), timeout=20)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def refused(self, method: str, path: str, body: object = None) -> float:
        content = b"" if body is None else json.dumps(body).encode()
        head = f"{method} /v1{path} HTTP/1.1\r\nhost: {self._host}\r\nauthorization: Bearer {self._token}\r\n"
        head += f"content-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
        began = time.perf_counter_ns()
        self._socket.sendall(head.encode() + content)
        answer = self._socket.recv(65536)
        took = time.perf_counter_ns() - began
        assert answer.startswith(b"HTTP/1.1 404 "), answer
        assert b'"unknown_match"' in answer
        return took / 1000

    def close(self) -> None:
        self._socket.close()


def separation(first: list[float], second: list[float]) -> tuple[float, float]:
    """Mann and Whitney's statistic of two samples of one size: how often a value of the first is the greater (0.5 where
    nothing tells them apart), and by how many standard deviations that is away from chance."""
    count = len(first)
    ranked = sorted([(value, 0) for value in first] + [(value, 1) for value in second])
    ranks = sum(rank for rank, (_, which) in enumerate(ranked, 1) if which == 0)
    u = ranks - count * (count + 1) / 2
    deviation = math.sqrt(count * count * (2 * count + 1) / 12)
    return u / count**2, (u - count * count / 2) / deviation


CALLS: dict[str, tuple[str, str, object]] = {
    "summary": ("GET", "", None),
    "view of a seat": ("GET", "/view?seat=red", None),
    "export": ("GET", "/export", None),
    "action": ("POST", "/commands", {"type": "act", "seat": "red", "action": {"type": "resign"}}),
    "seat": ("PUT", "/seats/blue", {"invitation": "wli_wrong"}),
}


def measured(
    stopwatch: Stopwatch, call: tuple[str, str, object], private: str, unknown: list[str], count: int
) -> tuple[list[float], list[float]]:
    """The two in random order, pair by pair, so that what else the machine does meets both alike."""
    method, path, body = call
    times: tuple[list[float], list[float]] = ([], [])
    order = random.Random(17)
    for number in range(count):
        pair = [(0, private), (1, unknown[number % len(unknown)])]
        order.shuffle(pair)
        for which, match in pair:
            times[which].append(stopwatch.refused(method, f"/matches/{match}{path}", body))
    return times


def _round(name: str, one: list[float], other: list[float]) -> float:
    """By how many deviations the two differ; says so, and what difference would have been seen (with 95 %)."""
    auc, deviations = separation(one, other)
    least = (SEEN_FROM + 1.645) / math.sqrt(6 * len(one))
    quarters = statistics.quantiles(other, n=4)
    shift = (
        least * (quarters[2] - quarters[0]) * 2 * math.sqrt(math.pi) / 1.349
    )  # as of a normal distribution
    print(
        f"{name}: {statistics.median(one):.1f} and {statistics.median(other):.1f} µs, area {auc:.4f}, "
        f"{deviations:+.1f} deviations; {len(one)} of each see an area of 0.5 ± {least:.3f}, about {shift:.1f} µs"
    )
    return deviations


@pytest.mark.soak
@pytest.mark.parametrize("is_hot", [True, False], ids=["in memory", "not in memory"])
def test_the_time_of_a_refusal_does_not_tell_a_private_match(tmp_path: Path, is_hot: bool) -> None:
    with WarlogServer(tmp_path, environment=UNLIMITED) as server:
        stranger = Api(server.url)
        ada, eve = stranger.player(), stranger.player()
        private = ada.create(seats={"red": "me", "blue": "invite"}, visibility="private")["match"]["id"]
        if not is_hot:
            server.stop()
            server.start()
            eve = Api(server.url, eve.token, id=eve.id)
        draw = random.Random(4)
        alphabet = "abcdefghijklmnopqrstuvwxyz234567"
        unknown = [private[:6] + "".join(draw.choices(alphabet, k=len(private) - 6))]
        stopwatch = Stopwatch(eve)
        for name, call in CALLS.items():
            measured(stopwatch, call, private, unknown, 200)  # what the first calls warm up is no matter
            rounds: list[float] = []
            # A busy machine makes one round in many look uneven; what tells a match does so every time.
            while not rounds or (abs(rounds[-1]) >= SEEN_FROM and len(rounds) < ROUNDS_MAX):
                rounds.append(_round(name, *measured(stopwatch, call, private, unknown, REFUSALS)))
            assert abs(rounds[-1]) < SEEN_FROM, f"{name}: {rounds}"
        stopwatch.close()


def test_the_statistic_sees_a_difference() -> None:
    draw = random.Random(1)
    alike = [[draw.gauss(300, 60) for _ in range(2_000)] for _ in range(2)]
    assert abs(separation(*alike)[1]) < SEEN_FROM
    assert abs(separation([value + 12 for value in alike[0]], alike[1])[1]) > SEEN_FROM
