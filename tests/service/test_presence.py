"""Fleeing over real servers: who lost his feed for too long, by whatever process, and nobody else."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from redis import Redis

from tests.servers import RedisServer, WarlogServer
from tests.service.api import UNLIMITED, Api, ok
from tests.service.junqi import FOUR, TWO, playing, started
from tests.service.waiting import eventually
from warlog_events.redis import keys

SECONDS = 2
# A beat and a look of the worker may come between.
LATE_SECONDS = 6


def test_who_loses_his_feed_flees_in_time_and_who_comes_back_or_calls_does_not(tmp_path: Path) -> None:
    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment=UNLIMITED) as one,
        WarlogServer(tmp_path, redis=redis.url, environment=UNLIMITED) as two,
        Api(one.url) as api,
    ):
        players = [api.player() for _ in FOUR]
        south, _, north, west = players
        match = playing(FOUR, players, flee_seconds=SECONDS)
        feeds = [player.feed(match, seats=f"seat={seat}") for seat, player in zip(FOUR, players, strict=True)]
        for feed in feeds:
            feed.take(1)
        elsewhere = Api(two.url, north.token)
        for feed in feeds[1:]:
            feed.close()
        began = time.monotonic()
        back = None
        while not (fled := over(south, match)):
            ok(elsewhere.get(f"/matches/{match}"))  # north calls, and at another process
            if back is None and time.monotonic() - began > SECONDS / 2:
                back = west.feed(match, last=1)  # west is back in time
            time.sleep(0.1)
            assert time.monotonic() - began < SECONDS + LATE_SECONDS
        assert time.monotonic() - began >= SECONDS
        assert fled == ["east"]
        time.sleep(SECONDS)
        ok(elsewhere.get(f"/matches/{match}"))
        assert over(south, match) == ["east"]
        assert south.match(match)["status"] == "playing"
        assert back is not None
        back.close()
        feeds[0].close()


def test_another_process_and_another_worker_go_on_where_one_was_killed(tmp_path: Path) -> None:
    alone = {**UNLIMITED, "WARLOG_BACKGROUND": "0"}
    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment=alone) as server,
        Api(server.url) as api,
    ):
        ada, ben = api.player(), api.player()
        match = playing(TWO, [ada, ben], flee_seconds=SECONDS)
        staying, going = ada.feed(match), ben.feed(match)
        worker = Worker(redis.url)
        going.take(1)
        going.close()
        worker.kill()
        time.sleep(SECONDS + 2)
        assert over(ada, match) == []  # nobody looks
        worker = Worker(redis.url)
        try:
            eventually(lambda: over(ada, match) == ["north"])
            assert ada.match(match)["result"]["reason"] == "fled"
        finally:
            worker.kill()
            staying.close()


def test_while_the_service_was_away_nobody_was(tmp_path: Path) -> None:
    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment=UNLIMITED) as server,
    ):
        api = Api(server.url)
        ada, ben = api.player(), api.player()
        match = playing(TWO, [ada, ben], flee_seconds=7)
        for player in (ada, ben):
            with player.feed(match) as feed:
                feed.take(1)
        server.kill()
        time.sleep(8)
        server.start()
        back = [Api(server.url, player.token) for player in (ada, ben)]
        time.sleep(2)
        assert over(back[0], match) == []
        with back[0].feed(match) as feed, back[1].feed(match) as other:
            feed.take(1)
            other.take(1)
            time.sleep(5)
            assert over(back[0], match) == []


def test_fleeing_in_the_layout_phase_breaks_the_match_off(tmp_path: Path) -> None:
    with WarlogServer(tmp_path, environment=UNLIMITED) as server, Api(server.url) as api:
        ada, ben = api.player(), api.player()
        match = started(TWO, [ada, ben], flee_seconds=1, stake=10)
        with ben.feed(match) as feed:
            feed.take(1)
        eventually(lambda: ada.match(match)["result"] == {"winners": [], "reason": "aborted"})


def test_who_never_came_flees_and_every_call_about_the_match_is_a_sign_of_life(tmp_path: Path) -> None:
    """In 0.1 a player who never opened a feed never fled."""
    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment=UNLIMITED) as server,
        Api(server.url) as api,
    ):
        ada, ben = api.player(), api.player()
        never = started(TWO, [ada, ben], flee_seconds=SECONDS)

        def gone() -> bool:
            ok(ada.get(f"/matches/{never}/view?seat=south"))
            return over(ada, never) == ["north"]

        eventually(gone)
        assert ada.match(never)["result"] == {"winners": [], "reason": "aborted"}

        ways: dict[str, Callable[[Api, str], object]] = {
            "summary": lambda player, match: player.match(match),
            "view": lambda player, match: player.get(f"/matches/{match}/view?seat=north"),
            "actions": lambda player, match: player.get(f"/matches/{match}/actions?seat=north"),
            "events": lambda player, match: player.get(f"/matches/{match}/events"),
            "history": lambda player, match: player.get(f"/matches/{match}/history"),
            "timeline": lambda player, match: player.get(f"/matches/{match}/timeline"),
            "board": lambda player, match: player.get(f"/matches/{match}/board"),
            "command": lambda player, match: player.act(match, "north", {"type": "ready"}),
            "refused": lambda player, match: player.act(match, "north", {"type": "no such action"}),
            "feed": lambda player, match: player.feed(match).close(),
        }
        matches = {}
        for way in ways:
            player = api.player()
            matches[way] = player, started(TWO, [ada, player], flee_seconds=3_600)
        with Redis.from_url(redis.url) as keys_:

            def seen(way: str) -> bool:
                player, match = matches[way]
                return keys_.zscore(keys.presence("seen"), f"{match} {player.id}") is not None

            assert not any(map(seen, ways))  # since its start nobody has asked for anything
            for way, call in ways.items():
                call(*matches[way])
            eventually(lambda: all(map(seen, ways)))


def over(reader: Api, match: str) -> list[str]:
    """Who has fled."""
    events = ok(reader.get(f"/matches/{match}/events?limit=1000"))["events"]
    acts = [event["action"] for event in events if event.get("seat") == "server"]
    return [act["seat"] for act in acts if act["type"] == "flee"]


class Worker:
    """`warlog worker`."""

    def __init__(self, url: str) -> None:
        command = [sys.executable, "-m", "warlog_service", "worker", "--redis", url]
        self._process = subprocess.Popen(command, env={**os.environ, **UNLIMITED})

    def kill(self) -> None:
        """kill -9."""
        self._process.kill()
        self._process.wait(20)
