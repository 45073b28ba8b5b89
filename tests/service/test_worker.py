"""`warlog worker` beside a service that has no workers: the lobby and the clock are then its work."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.servers import RedisServer, WarlogServer
from tests.service.api import UNLIMITED, Api, ok, two
from tests.service.waiting import eventually


def test_without_a_worker_nothing_is_listed_or_timed_out_and_with_one_it_is(tmp_path: Path) -> None:
    alone = {**UNLIMITED, "WARLOG_WORKERS": "0"}
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
