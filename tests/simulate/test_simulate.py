"""Simulated bad days: other seeds in each run, and the same day twice."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.conftest import SEED

SEEDS = 10


def simulate(*arguments: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own, which begins with the same hashes each time."""
    return subprocess.run(
        [sys.executable, "-m", "tests.simulate", *arguments], capture_output=True, text=True, check=False
    )


def test_warlog_survives_bad_days() -> None:
    done = simulate("--seeds", str(SEEDS), "--first", str(SEED % 10**6), "--jobs", "1")
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{SEEDS} survived, 0 failed" in done.stdout


def test_a_seed_is_the_same_day_to_the_byte() -> None:
    days = [simulate("--seed", str(SEED % 10**6), "--whole", "--as-it-was").stdout for _ in range(2)]
    assert re.search(r"timeline [0-9a-f]{16}", days[0])
    assert days[0] == days[1]
