"""Threads may be the first to use the SDK at the same time."""

from __future__ import annotations

import subprocess
import sys

import msgspec

import warlog_core

SCRIPT = """
import json, sys, threading
import warlog_client
from warlog_client.descriptions import Game

given = json.loads(sys.stdin.read())
ready = threading.Barrier(4)

def read():
    ready.wait()
    Game.of(given)

threads = [threading.Thread(target=read) for _ in range(4)]
sys.setswitchinterval(1e-6)
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_threads_that_are_the_first_to_read_a_game_at_the_same_time_all_get_it() -> None:
    """msgspec crashes the process where several are the first to decode a type, unless it has looked at it before."""
    given = msgspec.json.encode(warlog_core.game("hex").describe({})).decode()
    for _ in range(6):
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT], input=given, capture_output=True, text=True, timeout=60
        )
        assert (run.returncode, run.stderr) == (0, "")
