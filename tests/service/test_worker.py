"""`warlog worker` beside a service that has no workers: the lobby and the clock are then its work."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.servers import RedisServer, WarlogServer
from tests.service.api import UNLIMITED, Api, ok, refused, two
from tests.service.junqi import gold
from tests.service.waiting import eventually


def test_without_a_worker_nothing_is_listed_or_timed_out_and_with_one_it_is(tmp_path: Path) -> None:
    alone = {**UNLIMITED, "WARLOG_BACKGROUND": "0"}
    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment=alone) as server,
        Api(server.url) as api,
    ):
        red, _, match = two(api, move_seconds=1)
        time.sleep(1.5)
        assert ok(api.get("/matches"))["matches"] == []
        assert red.match(match)["status"] == "playing"
        worker = subprocess.Popen(
            [sys.executable, "-m", "warlog_service", "worker", "--redis", redis.url],
            env={**os.environ, **UNLIMITED},
        )
        try:
            eventually(lambda: [one["id"] for one in ok(api.get("/matches"))["matches"]] == [match])
            eventually(lambda: red.match(match)["status"] == "finished")
            assert red.match(match)["result"]["reason"] == "timeout"
            eventually(lambda: ok(api.get("/matches?status=finished"))["matches"])
        finally:
            worker.terminate()
            assert worker.wait(20) == 0


def test_an_abandoned_lobby_is_aborted_once_by_any_of_several_workers(tmp_path: Path) -> None:
    soon = {**UNLIMITED, "WARLOG_LOBBY_SECONDS": "1"}
    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment=soon) as one,
        WarlogServer(tmp_path, redis=redis.url, environment=soon) as two_,
        Api(one.url) as api,
    ):
        ada = api.player()
        made = [ada.create(seats={"red": "me"})["match"]["id"] for _ in range(10)]
        hidden = ada.create(seats={"red": "me"}, visibility="private")["match"]["id"]
        running = ada.alone()
        staked = ada.create(game="junqi", options={"stake": 10}, mode="competitive", seats={"south": "me"})
        assert gold(ada)[1] > 0
        eventually(lambda: all(ada.match(match)["status"] == "aborted" for match in [*made, hidden]))
        with Api(two_.url, ada.token) as elsewhere:
            for match in [*made, hidden]:
                last = ok(elsewhere.get(f"/matches/{match}/events"))["events"][1:]
                assert [(event["type"], event["reason"]) for event in last] == [
                    ("match_aborted", "abandoned")
                ]
                assert "player" not in last[0]
            assert elsewhere.match(running)["status"] == "playing"
            refused(elsewhere.put(f"/matches/{made[0]}/seats/blue", {}), 409, "wrong_status")
            eventually(lambda: elsewhere.match(staked["match"]["id"])["status"] == "aborted")
            eventually(lambda: gold(elsewhere)[1] == 0)
            eventually(lambda: ok(elsewhere.get("/matches?open=true"))["matches"] == [])
