"""How long a refusal takes does not tell a private match from one that never was, nor what is hidden in a match.

The tests in tests/events/reading/test_admission.py count what is done; here a clock is held against the answers,
with as many as it takes to see a difference that would be of use to anybody (make soak). WARLOG_TIMING_COUNT makes them
fewer, for a trial.
"""

from __future__ import annotations

import json
import math
import os
import random
import socket
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.servers import WarlogServer
from tests.service.api import UNLIMITED, Api, ok
from tests.service.test_casual_worlds import SECRETS
from tests.service.test_wec_worlds import START, everything, other, pieces
from tests.service.wire import read_reply

REFUSALS = int(os.environ.get("WARLOG_TIMING_COUNT", "10000"))  # of each of the two
ROUNDS_MAX = 3
SEEN_FROM = 4.0  # standard deviations of the rank statistic; chance alone gets there once in 16,000 tests


class Stopwatch:
    """One connection that is kept, and the time from the last byte sent to the first received."""

    def __init__(self, player: Api) -> None:
        parts = urlsplit(player.url)
        self._host, self._token = parts.netloc, player.token
        self._socket = socket.create_connection((parts.hostname or "", parts.port or 80), timeout=20)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def timed(self, method: str, path: str, body: object, expected: str) -> float:
        """Microseconds. `expected`: the code of the refusal, or the status of an answer."""
        content = b"" if body is None else json.dumps(body).encode()
        head = f"{method} /v1{path} HTTP/1.1\r\nhost: {self._host}\r\nauthorization: Bearer {self._token}\r\n"
        head += f"content-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
        began = time.perf_counter_ns()
        self._socket.sendall(head.encode() + content)
        answer = self._socket.recv(65536)
        took = time.perf_counter_ns() - began
        reply, _ = read_reply(self._socket, answer)
        assert expected == (reply.code or str(reply.status)), (expected, reply)
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


class Call(NamedTuple):
    """`expected`: the code of the refusal, or the status of an answer."""

    method: str
    path: str
    body: object
    expected: str


CALLS: dict[str, Call] = {
    "summary": Call("GET", "", None, "unknown_match"),
    "view of a seat": Call("GET", "/view?seat=red", None, "unknown_match"),
    "export": Call("GET", "/export", None, "unknown_match"),
    "action": Call(
        "POST",
        "/commands",
        {"type": "act", "seat": "red", "action": {"type": "resign"}},
        "unknown_match",
    ),
    "seat": Call("PUT", "/seats/blue", {"invitation": "wli_wrong"}, "unknown_match"),
}
Worlds = tuple[Sequence[str], Sequence[str]]


def measured(stopwatch: Stopwatch, call: Call, worlds: Worlds, count: int) -> tuple[list[float], list[float]]:
    """A match of each of the two in random order, pair by pair, so that what else the machine does meets both alike."""
    times: tuple[list[float], list[float]] = ([], [])
    order = random.Random(17)
    for number in range(count):
        pair = [(which, matches[number % len(matches)]) for which, matches in enumerate(worlds)]
        order.shuffle(pair)
        for which, match in pair:
            path = f"/matches/{match}{call.path}"
            times[which].append(stopwatch.timed(call.method, path, call.body, call.expected))
    return times


def compare(stopwatch: Stopwatch, calls: dict[str, Call], worlds: Worlds) -> None:
    """No call may take longer in one of the two."""
    told = {}
    for name, call in calls.items():
        measured(stopwatch, call, worlds, 200)  # what the first calls warm up is no matter
        rounds: list[float] = []
        # A busy machine makes one round in many look uneven; what tells a match does so every time.
        while not rounds or (abs(rounds[-1]) >= SEEN_FROM and len(rounds) < ROUNDS_MAX):
            rounds.append(_round(name, *measured(stopwatch, call, worlds, REFUSALS)))
        if abs(rounds[-1]) >= SEEN_FROM:
            told[name] = rounds
    assert told == {}


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
        compare(stopwatch, CALLS, ([private], unknown))
        stopwatch.close()


# ---- what is hidden in a match -----------------------------------------------------------------------------------

MATCHES = 8  # of each world: what tells one match from another, as its place in memory, is then no matter
WEC_WRONG: list[dict[str, Any]] = [
    {"type": "move", "piece": 61, "to": "c2", "level": "ground"},
    {"type": "fire", "piece": 64, "weapon": "sam_launcher", "target": "c2"},
    {"type": "move", "piece": 10, "to": "c2", "level": "ground"},
]


class Players(NamedTuple):
    red: Api
    blue: Api

    def match(self, seats: tuple[str, str], **more: Any) -> str:
        holders = {seats[0]: "me", seats[1]: self.blue.id}
        match = str(self.red.create(seats=holders, mode="casual", **more)["match"]["id"])
        for player, seat in zip(self, seats, strict=True):
            ok(player.command(match, {"type": "prepare", "seat": seat}), 201)
        return match


def secret_match(players: Players, name: str, which: int) -> str:
    """A match in which the first player hides what he hides in that world, and nothing else differs."""
    while True:
        game, options, seats, ways, quiet, _ = SECRETS[name]
        match = players.match(seats, game=game, options=options)
        for action in ways[which]:
            ok(players.red.act(match, seats[0], action), 201)
        for action in quiet:
            ok(players.blue.act(match, seats[1], action), 201)
        if game != "junqi":
            return match
        ok(players.blue.act(match, seats[1], {"type": "ready"}), 201)
        if players.red.match(match)["to_act"] == [seats[1]]:  # by lot: in every match the same
            return match


def wec_match(players: Players, change: Callable[[Any, Any], None], which: int) -> str:
    position = (START, other(change))[which]
    (king,) = (one["id"] for one in position["pieces"] if (one["seat"], one["type"]) == ("black", "king"))
    match = players.match(("black", "white"), game="wec", options={}, position=position)
    ok(players.red.act(match, "black", {"type": "move", "piece": king, "to": "d1", "level": "ground"}), 201)
    ok(players.red.act(match, "black", {"type": "end_turn"}), 201)
    return match


def asked_of(
    blue: Api, matches: Iterable[str], seats: tuple[str, str], wrong: Iterable[dict[str, Any]]
) -> dict[str, Call]:
    """Questions of actions, and commands that are refused: in every match with the same code."""
    questions = {
        "actions": ("GET", f"/actions?seat={seats[1]}", None),
        "actions of the other": ("GET", f"/actions?seat={seats[0]}", None),
        "view of the other": ("GET", f"/view?seat={seats[0]}", None),
        "export": ("GET", "/export", None),
    }
    acts = {
        f"{action['type']} {number}": (
            "POST",
            "/commands",
            {"type": "act", "seat": seats[1], "action": action},
        )
        for number, action in enumerate(wrong, 1)
    }
    calls = {}
    for name, (method, path, body) in (questions | acts).items():
        answers = [blue.http.request(method, f"/matches/{match}{path}", json=body) for match in matches]
        (expected,) = {str(answer.json().get("code", answer.status_code)) for answer in answers}
        calls[name] = Call(method, path, body, expected)
    return calls


@pytest.mark.soak
@pytest.mark.parametrize("name", [*SECRETS, "wec, what is hidden", "wec, fewer pieces"])
def test_the_time_of_an_answer_does_not_tell_what_is_hidden(tmp_path: Path, name: str) -> None:
    with WarlogServer(tmp_path, environment=UNLIMITED) as server:
        stranger = Api(server.url)
        players = Players(stranger.player(), stranger.player())
        if name in SECRETS:
            seats, wrong = SECRETS[name].seats, SECRETS[name].wrong[::2]
            pairs = [[secret_match(players, name, which) for which in range(2)] for _ in range(MATCHES)]
        else:
            change = pieces if name == "wec, fewer pieces" else everything
            seats, wrong = ("black", "white"), WEC_WRONG
            pairs = [[wec_match(players, change, which) for which in range(2)] for _ in range(MATCHES)]
        worlds = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        calls = asked_of(players.blue, [*worlds[0], *worlds[1]], seats, wrong)
        stopwatch = Stopwatch(players.blue)
        compare(stopwatch, calls, worlds)
        stopwatch.close()


def test_the_statistic_sees_a_difference() -> None:
    draw = random.Random(1)
    alike = [[draw.gauss(300, 60) for _ in range(2_000)] for _ in range(2)]
    assert abs(separation(*alike)[1]) < SEEN_FROM
    assert abs(separation([value + 12 for value in alike[0]], alike[1])[1]) > SEEN_FROM
