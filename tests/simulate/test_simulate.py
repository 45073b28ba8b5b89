"""Simulated bad days: other seeds in each run, the same day twice, and bugs that must be found."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import SEED
from tests.simulate.faults import Fault
from tests.simulate.mutants import MUTANTS
from tests.simulate.shrink import shrunk
from tests.simulate.timeline import around
from tests.turns import by_turns

SEEDS = 6
"""As many as take 15 seconds of the processor at most; `make soak` lives two thousand."""
FIRST = SEED % 10**6
QUICK = (
    "answer_before_append",
    "append_without_version",
    "idempotency_not_looked_up",
    "hidden_action_told",
    "hold_lost",
)
"""Found on the first days; the others take longer."""


ONCE_FAILED = (134, 831, 797802)
"""A check asked too much, and players never gave up matches that were frozen (docs/SIMULATION.md)."""


def simulate(*arguments: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own, which begins with the same hashes each time."""
    return subprocess.run(
        [sys.executable, "-m", "tests.simulate", *arguments], capture_output=True, text=True, check=False
    )


def test_warlog_survives_bad_days() -> None:
    done = simulate("--seeds", str(SEEDS), "--first", str(FIRST), "--jobs", "1")
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{SEEDS} survived, 0 failed" in done.stdout


def test_a_seed_is_the_same_day_to_the_byte() -> None:
    days = [simulate("--seed", str(FIRST), "--whole", "--as-it-was").stdout for _ in range(2)]
    assert re.search(r"timeline [0-9a-f]{16}", days[0])
    assert days[0] == days[1]


@pytest.mark.parametrize("seed", by_turns(ONCE_FAILED, 2))
def test_a_day_that_once_failed_is_survived(seed: int) -> None:
    done = simulate("--seed", str(seed), "--as-it-was")
    assert done.returncode == 0, done.stdout + done.stderr


def found(mutant: str, *arguments: str) -> str:
    done = simulate("--mutant", mutant, "--as-it-was", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "  FOUND  " in done.stdout
    return done.stdout


@pytest.mark.parametrize("mutant", by_turns(QUICK, 3))
def test_a_bug_is_found_soon(mutant: str) -> None:
    """From the first day on: which day shows it changes with the service. A third of them in every run, by turns; each
    of them, and all others, in the soak."""
    found(mutant, "--first", "1")


@pytest.mark.soak
@pytest.mark.parametrize("mutant", [one.name for one in MUTANTS.values() if one.found_by])
def test_a_bug_is_found_within_its_number_of_days(mutant: str) -> None:
    found(mutant, "--first", str(FIRST))


def test_days_that_were_survived_are_not_lived_again(tmp_path: Path) -> None:
    done = tmp_path / "done"
    done.write_text("".join(f"{seed}\n" for seed in range(1, 9)))
    again = simulate("--seeds", "8", "--first", "1", "--resume", str(done))
    assert "8 of them done before" in again.stdout
    assert again.stdout.rstrip().endswith("0 survived, 0 failed")


def test_a_failure_is_told_with_the_faults_that_it_needs() -> None:
    faults = [Fault(float(at), "killed" if at in (3, 11) else "delay") for at in range(16)]
    needed = shrunk(faults, lambda some: {3.0, 11.0} <= {fault.at for fault in some})
    assert [fault.at for fault in needed] == [3, 11]


def test_a_timeline_is_of_the_match_that_is_wrong() -> None:
    one, other = "m_000_aaaaaaaaaaaaaaaa", "m_001_bbbbbbbbbbbbbbbb"
    lines = [f"{at:10.4f}  Redis appends {match} {at}" for at in range(9) for match in (one, other)]
    lines.insert(4, "    1.5000  FAULT delay")
    shown = around(lines, [f"{one}: version 6 is not chained to the one before it"])
    assert shown == [lines[4], f"{6:10.4f}  Redis appends {one} 6"]
