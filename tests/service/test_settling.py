"""Matches that are over are settled once, though the workers that do it are killed again and again, and everything is
rebuilt afterwards."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from tests.servers import RedisServer, WarlogServer
from tests.service.api import UNLIMITED, Api, ok
from tests.service.junqi import TWO, gold, lobby, playing, standing
from tests.service.waiting import eventually

MATCHES = 30
PLAYERS = 10
STAKE = 7


def test_killed_workers_and_rebuilds_settle_every_match_exactly_once(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    alone = {**UNLIMITED, "WARLOG_BACKGROUND": "0"}
    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment=alone) as server,
        Api(server.url) as api,
    ):
        players = [api.player() for _ in range(PLAYERS)]
        nets, points = Counter[str](), Counter[str]()
        for _ in range(MATCHES):
            pair = rng.sample(players, 2)
            match = playing(TWO, pair, stake=STAKE)
            loser = rng.randrange(2)
            ok(pair[loser].delete(f"/matches/{match}/seats/{TWO[loser]}"))
            nets[pair[loser].id] -= STAKE
            nets[pair[1 - loser].id] += STAKE
            points[pair[loser].id] -= 2
        left = lobby(TWO, players[:2], stake=STAKE)  # its stakes stay where they are
        expected = [(1_000 + nets[one.id], 5 * STAKE * (one in players[:2])) for one in players]
        for _ in range(6):
            with worker(redis.url) as process:
                time.sleep(rng.uniform(0.6, 1.4))
                process.kill()
        assert sum(gold(one)[0] for one in players) == 1_000 * PLAYERS  # at every moment
        with worker(redis.url) as process:
            eventually(lambda: [gold(one) for one in players] == expected, 20)
            process.kill()
        for _ in range(2):
            rebuild = [sys.executable, "-m", "warlog_service", "rebuild", "--redis", redis.url]
            subprocess.run(rebuild, check=True, stdout=subprocess.DEVNULL)
        assert [gold(one) for one in players] == expected
        assert [standing(one)["score"] for one in players] == [points[one.id] for one in players]
        assert sum(standing(one)["fled"] for one in players) == MATCHES
        assert players[0].match(left)["status"] == "lobby"


def worker(url: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "warlog_service", "worker", "--redis", url]
    return subprocess.Popen(command, env={**os.environ, **UNLIMITED})
