"""Work on whole matches is bounded: in number, for one caller, and in memory; everybody else is served meanwhile."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from select import select
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

import warlog_core
from tests.servers import WarlogServer
from tests.service.api import SMALL, UNLIMITED, Api, ok, refused
from warlog_events.errors import TooManyRequests, Unavailable, WarlogError
from warlog_service.heavy import Asker, Heavy, Large, Result
from warlog_service.responses import JSON, LARGE_BYTES, Answer
from warlog_service.settings import Settings

BYTES_AN_EVENT = 6_000  # of memory while a match is verified, at most
ASKING = 40


def long_record(events: int) -> dict[str, Any]:
    """A battle in which everybody defends, until one side resigns."""
    options = {**SMALL, "round_limit": 0}
    try:
        state = warlog_core.game("hex").new(options=options, draws=lambda count: bytes(count))
    except warlog_core.Refused:
        options = {**SMALL, "round_limit": 10_000}
        state = warlog_core.game("hex").new(options=options, draws=lambda count: bytes(count))
    assert state.started is not None
    record: dict[str, Any] = {
        "game": "hex",
        "options": options,
        "setup": {"draws": state.started.draws},
        "events": [],
    }
    while len(record["events"]) < events - 1:
        (seat,) = state.to_act
        action = {"type": "defend", "piece": state.view(seat, plain=True)["active"]}
        done = state.apply(seat, action, lambda count: bytes(count))
        record["events"].append({"seat": seat, "action": action, "draws": done.draws})
        assert state.result is None
    record["events"].append({"seat": state.to_act[0], "action": {"type": "resign"}, "draws": []})
    return record


def resident_bytes(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


class Peak:
    """The most memory that a process has had while this was open."""

    def __init__(self, pid: int) -> None:
        self.before = self.bytes = resident_bytes(pid)
        self._pid = pid
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def _watch(self) -> None:
        while not self._over.wait(0.02):
            self.bytes = max(self.bytes, resident_bytes(self._pid))

    def __enter__(self) -> Peak:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._over.set()
        self._thread.join()


def at_once(calls: list[Callable[[], httpx.Response]]) -> list[httpx.Response]:
    with ThreadPoolExecutor(len(calls)) as pool:
        return [answer.result() for answer in [pool.submit(call) for call in calls]]


def attacked(tmp_path: Path, events: int, matches: int) -> None:
    """Forty at a time ask, without a token, for verdicts and records of long matches."""
    with (
        WarlogServer(tmp_path, environment={**UNLIMITED, "WARLOG_HEAVY_PER_CALLER": "8"}) as server,
        Api(server.url) as api,
        ExitStack() as stack,
    ):
        ada = api.player()
        record = json.dumps(long_record(events))
        ada.http.timeout = httpx.Timeout(600)
        long = []
        for _ in range(matches):
            answer = ada.http.post("/matches/import", content=record)
            long.append(ok(answer, 201)["match"]["id"])
        other = ada.alone()
        asking = [
            stack.enter_context(httpx.Client(base_url=f"{server.url}/v1", timeout=600)) for _ in range(ASKING)
        ]
        playing = threading.Event()
        slowest = 0.0

        def play() -> None:
            nonlocal slowest
            while not playing.is_set():
                began = time.monotonic()
                ada.defend(other)
                slowest = max(slowest, time.monotonic() - began)

        with Peak(server.pid) as peak:
            player = threading.Thread(target=play)
            player.start()
            try:
                for what in ("verify", "export"):
                    paths = [f"/matches/{long[n % matches]}/{what}" for n in range(ASKING)]
                    answers = at_once([partial(asking[n].get, path) for n, path in enumerate(paths)])
                    codes = Counter(answer.status_code for answer in answers)
                    assert set(codes) <= {200, 429, 503}, codes
                    assert codes[200] >= 1
                    assert codes[429] >= 1, codes
                    for answer in answers:
                        if answer.status_code != 200:
                            assert int(answer.headers["retry-after"]) > 0
                            assert refused(answer, answer.status_code, answer.json()["code"])["detail"]
                        elif what == "verify":
                            assert answer.json()["status"] in ("verified", "unseeded")
            finally:
                playing.set()
                player.join()
        grown, bound = peak.bytes - peak.before, 120_000_000 + 2 * BYTES_AN_EVENT * events * 2
        print(
            f"{ASKING} at a time, {matches} matches of {events} events: {grown / 1e6:.0f} MB more "
            f"(bound {bound / 1e6:.0f} MB), the slowest command of another {slowest:.2f} s"
        )
        assert grown < bound
        # What was made once is kept: everybody gets it, at once.
        one = at_once([partial(client.get, f"/matches/{long[0]}/verify") for client in asking])
        assert Counter(answer.status_code for answer in one)[200] >= ASKING - 8


def test_forty_who_ask_for_verdicts_of_long_matches_are_bounded_and_the_others_play_on(
    tmp_path: Path,
) -> None:
    attacked(tmp_path, 1_500, 2)


@pytest.mark.soak
def test_forty_who_ask_for_verdicts_of_the_longest_matches(tmp_path: Path) -> None:
    attacked(tmp_path, 40_000, 3)


# ---- the bounds themselves


ADA, BOB, EVE = (Asker(name, name) for name in ("ada", "bob", "eve"))


def heavy(bytes_max: int = 1_000_000) -> Heavy:
    return Heavy(Settings(heavy_at_once=1, heavy_waiting=2, heavy_per_caller=2, heavy_bytes_max=bytes_max))


async def _started() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_caller_has_so_many_places_and_all_have_so_many() -> None:
    work, free = heavy(), asyncio.Event()

    async def once(who: str) -> None:
        async with work.turn(Asker(who, who)):
            await free.wait()

    first = [asyncio.create_task(once(who)) for who in ("ada", "ada", "bob")]
    await _started()
    assert work.under_way == 3
    with pytest.raises(TooManyRequests) as own:
        await once("ada")
    assert own.value.retry_after > 0
    with pytest.raises(Unavailable) as full:
        await once("eve")
    assert full.value.retry_after > 0
    free.set()
    await asyncio.gather(*first)
    assert work.under_way == 0
    await once("ada")


async def test_what_several_ask_for_is_made_once_and_kept_and_a_failure_is_not() -> None:
    work, made = heavy(), 0

    async def make() -> Result:
        nonlocal made
        made += 1
        await _started()
        if made == 1:
            raise WarlogError("once")
        return Result(b"x" * 100)

    failed = await asyncio.gather(
        *(work.result(Asker(who, who), "key", make) for who in "ab"), return_exceptions=True
    )
    assert [type(one) for one in failed] == [WarlogError, WarlogError]
    results = await asyncio.gather(*(work.result(Asker(who, who), "key", make) for who in "abc"))
    assert made == 2
    assert results == [Result(b"x" * 100)] * 3
    assert await work.result(ADA, "key", make) is results[0]
    assert made == 2


async def test_what_is_kept_and_what_is_held_has_a_bound_in_bytes() -> None:
    work = heavy(bytes_max=1000)

    async def make() -> Result:
        return Result(b"x" * 100)

    for key in range(10):
        await work.result(ADA, key, make)
    assert work.kept_bytes == 200
    for size in (5_000, 600):
        with work.holding(ADA) as first, work.holding(BOB) as second, work.holding(EVE) as third:
            first.add(LARGE_BYTES + size)  # alone, even what is larger than all
            second.add(LARGE_BYTES)  # what any route takes is free
            if size == 600:
                second.add(100)
                assert work.held_bytes == 700
                with pytest.raises(Unavailable):
                    third.add(LARGE_BYTES + 301)
        assert work.held_bytes == 0
        assert not work.held_by


async def test_a_caller_and_an_address_hold_their_share_alone() -> None:
    """Neither announced bytes nor those of others count; what is beyond the share is refused as the caller's own."""
    work = heavy(bytes_max=1000)
    with work.holding(Asker("pl_1", "a")) as first, work.holding(Asker("pl_2", "a")) as second:
        first.add(LARGE_BYTES + 200)
        for many in (51, 1):
            with work.holding(Asker("pl_1", "b")) as same_caller, pytest.raises(TooManyRequests):
                same_caller.add(LARGE_BYTES + 50 + many)
        second.add(LARGE_BYTES + 50)
        with pytest.raises(TooManyRequests):  # another account, the same address
            second.add(1)
        with work.holding(Asker("pl_1", "b")) as small:
            small.add(LARGE_BYTES)
        with work.holding(Asker("pl_3", "c")) as other:
            other.add(LARGE_BYTES + 250)
        assert work.held_bytes == 250


async def test_the_accounts_of_one_address_have_half_of_the_places() -> None:
    settings = Settings(heavy_at_once=2, heavy_waiting=6, heavy_per_caller=2)
    work = Heavy(settings)
    with ExitStack() as stack:
        for player in ("pl_1", "pl_1", "pl_2", "pl_3"):
            stack.enter_context(work.place(Asker(player, "a")))
        with pytest.raises(TooManyRequests), work.place(Asker("pl_4", "a")):
            pass
        with work.place(Asker("pl_4", "b")):
            pass
        assert work.under_way == 0  # the queue is for those whose bodies have come


async def test_who_reads_large_answers_slowly_holds_his_share_alone() -> None:
    work, reading = heavy(bytes_max=4 * LARGE_BYTES), asyncio.Event()

    async def answered(who: Asker, *, slow: bool) -> None:
        async def send(message: Any) -> None:
            if slow:
                await reading.wait()

        async def receive() -> Any:
            raise AssertionError("an answer does not read")

        scope: Any = {"type": "http", "state": {}, "headers": []}
        await Large(work, who, Answer(200, [JSON], bytes(2 * LARGE_BYTES)))(scope, receive, send)

    slow = [asyncio.create_task(answered(ADA, slow=True)) for _ in range(5)]
    await _started()
    assert work.held_by == {"ada": LARGE_BYTES}
    await answered(BOB, slow=False)
    reading.set()
    ends = await asyncio.gather(*slow, return_exceptions=True)
    assert [type(end) for end in ends] == [type(None)] + [TooManyRequests] * 4


def announced_import(token: str | None) -> bytes:
    """A request whose body does not come."""
    return (
        f"POST /v1/matches/import HTTP/1.1\r\nhost: warlog\r\nauthorization: Bearer {token}\r\n"
        "content-type: application/json\r\ncontent-length: 16000000\r\n\r\n{"
    ).encode()


def test_bodies_that_are_announced_and_do_not_come_close_imports_to_nobody(tmp_path: Path) -> None:
    record = json.dumps(long_record(10))
    with (
        WarlogServer(tmp_path, environment=UNLIMITED) as server,
        Api(server.url) as api,
        ExitStack() as stack,
    ):
        eve, ada = api.player(), api.player()
        where = urlsplit(server.url)
        waiting = []
        for _ in range(17):
            wire = stack.enter_context(socket.create_connection((where.hostname, where.port), timeout=20))
            wire.sendall(announced_import(eve.token))
            waiting.append(wire)
        own = int(Settings().heavy_per_caller)
        deadline = time.monotonic() + 30
        while True:  # those beyond his own places are told so at once
            told, _, _ = select(waiting, [], [], 0.1)
            if len(told) == len(waiting) - own or time.monotonic() > deadline:
                break
        assert len(told) == len(waiting) - own
        for wire in told:
            assert wire.recv(12) == b"HTTP/1.1 429"
        ok(ada.http.post("/matches/import", content=record), 201)


def test_the_newest_board_is_read_by_its_version_while_the_caller_has_no_place_left(tmp_path: Path) -> None:
    """A match that was loaded from a snapshot at its last version: older boards are heavy work, this one is not."""
    events = 100
    few = {"WARLOG_HEAVY_EVENTS": "50", "WARLOG_HEAVY_PER_CALLER": "1"}
    with WarlogServer(tmp_path, environment={**UNLIMITED, **few}) as server, Api(server.url) as api:
        record = json.dumps(long_record(events - 2))  # before them two of the server
        ada = api.player()
        match = ok(ada.http.post("/matches/import", content=record), 201)["match"]
        assert match["version"] == events
        server.stop()
        server.start()
        where = urlsplit(server.url)
        with (
            Api(server.url, ada.token) as again,
            socket.create_connection((where.hostname, where.port), timeout=20) as wire,
        ):
            wire.sendall(announced_import(ada.token))
            view = f"/matches/{match['id']}/view?seat=all&at="
            deadline = time.monotonic() + 30
            while again.http.get(f"{view}50").status_code == 200 and time.monotonic() < deadline:
                time.sleep(0.05)
            refused(again.http.get(f"{view}50"), 429, "too_many_requests")
            assert ok(again.http.get(f"{view}{events}"))["at"] == events


def processor_seconds(pid: int) -> float:
    """Of all threads of a process."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def read_by_many(tmp_path: Path, events: int, seconds: float, bound: float) -> None:
    """Forty strangers page through a long match and look at its boards, while another player plays: how much processor
    time the server gives to others before a command is answered, which a busy machine does not change."""
    paths = (
        "/events?limit=1000&after={}",
        "/events?after={}",
        "/view?at={}&seat=all",
        "/events?limit=1000&after={}",
    )
    with (
        WarlogServer(tmp_path, environment=UNLIMITED) as server,
        Api(server.url) as api,
        ExitStack() as stack,
    ):
        ada = api.player()
        ada.http.timeout = httpx.Timeout(600)
        long = ok(ada.http.post("/matches/import", content=json.dumps(long_record(events))), 201)["match"][
            "id"
        ]
        server.stop()
        server.start()  # so that the boards of the past have to be made anew, too
        readers = [stack.enter_context(Api(server.url)) for _ in range(ASKING)]
        ada = stack.enter_context(Api(server.url, ada.token))
        ada.http.timeout = httpx.Timeout(600)
        other, over = ada.alone(), threading.Event()
        codes: Counter[tuple[str, int]] = Counter()

        def read(number: int) -> None:
            path = paths[number % len(paths)]
            for turn in range(number, 1_000_000, ASKING):
                if over.is_set():
                    return
                at = 100 + turn * 7 % (events - 1200)
                answer = readers[number].http.get(f"/matches/{long}{path.format(at)}", timeout=600)
                codes[path.split("?")[0], answer.status_code] += 1
                if answer.status_code != 200:
                    over.wait(0.2)

        def dearest() -> float:
            """Of the commands of a while, in processor time of the server."""
            until, worst = time.monotonic() + seconds, 0.0
            while time.monotonic() < until:
                before = processor_seconds(server.pid)
                ada.defend(other)
                worst = max(worst, processor_seconds(server.pid) - before)
            return worst

        alone = dearest()
        with ThreadPoolExecutor(ASKING) as pool:
            reading = [pool.submit(read, number) for number in range(ASKING)]
            try:
                among = dearest()
            finally:
                over.set()
            for one in reading:
                one.result()
        print(
            f"a command, its view and its match: {alone * 1000:.0f} ms of processor time at most, among {ASKING} "
            f"readers of {events} events {among * 1000:.0f} ms (bound {bound * 1000:.0f} ms); {dict(codes)}"
        )
        assert {status for _, status in codes} <= {200, 429, 503}
        assert codes["/events", 200] > 0
        assert codes["/view", 200] > 0
        assert among < bound


def test_forty_who_read_the_past_hold_up_nobody_who_plays(tmp_path: Path) -> None:
    read_by_many(tmp_path, 3_000, 2, bound=0.6)


@pytest.mark.soak
def test_forty_who_read_the_past_of_a_very_long_match_hold_up_nobody_who_plays(tmp_path: Path) -> None:
    read_by_many(tmp_path, 12_000, 20, bound=0.6)


def imported_at_once(tmp_path: Path, events: int, players: int) -> None:
    """Each is taken, or refused before the work: none has done its work for nothing."""
    record = json.dumps(long_record(events))
    with (
        WarlogServer(tmp_path, environment=UNLIMITED) as server,
        Api(server.url) as api,
        ExitStack() as stack,
    ):
        callers = [stack.enter_context(api.player()) for _ in range(players)]
        for caller in callers:
            caller.http.timeout = httpx.Timeout(1_800)
        began = time.monotonic()
        answers = at_once([partial(one.http.post, "/matches/import", content=record) for one in callers * 2])
        codes = Counter(answer.status_code for answer in answers)
        print(
            f"{len(answers)} imports of {events} events at once: {dict(codes)} in {time.monotonic() - began:.0f} s"
        )
        for answer in answers:
            assert answer.status_code == 201 or answer.json().get("limit") == "heavy_per_address", answer.text
        assert codes[201] >= players
        for answer in answers:
            if answer.status_code == 201:
                match = answer.json()["match"]["id"]
                assert ok(api.http.get(f"/matches/{match}", timeout=600))["match"]["version"] > events


@pytest.mark.soak
def test_large_imports_at_once_are_taken_or_refused_before_their_work(tmp_path: Path) -> None:
    imported_at_once(tmp_path, 30_000, 4)
