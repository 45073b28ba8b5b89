"""Work on whole matches is bounded: in number, for one caller, and in memory; everybody else is served meanwhile."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

import warlog_core
from tests.servers import WarlogServer
from tests.service.api import SMALL, UNLIMITED, Api, ok, refused
from warlog_events.errors import TooManyRequests, Unavailable, WarlogError
from warlog_service.heavy import Heavy, Result
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


def heavy(bytes_max: int = 1_000_000) -> Heavy:
    return Heavy(Settings(heavy_at_once=1, heavy_waiting=2, heavy_per_caller=2, heavy_bytes_max=bytes_max))


async def _started() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_caller_has_so_many_places_and_all_have_so_many() -> None:
    work, free = heavy(), asyncio.Event()

    async def once(who: str) -> None:
        async with work.turn(who):
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

    failed = await asyncio.gather(*(work.result(who, "key", make) for who in "ab"), return_exceptions=True)
    assert [type(one) for one in failed] == [WarlogError, WarlogError]
    results = await asyncio.gather(*(work.result(who, "key", make) for who in "abc"))
    assert made == 2
    assert results == [Result(b"x" * 100)] * 3
    assert await work.result("a", "key", make) is results[0]
    assert made == 2


async def test_what_is_kept_and_what_is_held_has_a_bound_in_bytes() -> None:
    work = heavy(bytes_max=1000)

    async def make() -> Result:
        return Result(b"x" * 100)

    for key in range(10):
        await work.result("ada", key, make)
    assert work.kept_bytes == 200
    with work.holding(600):
        with pytest.raises(Unavailable), work.holding(500):
            pass
        with work.holding(400):
            assert work.held_bytes == 1000
    assert work.held_bytes == 0
    with work.holding(5000):  # alone, even what is larger
        pass
