"""A few matches of the load test, so that `make load` works when it is wanted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.load.report import server


def test_players_of_all_games_meet_nothing_unexpected_and_leave_a_report(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.load.run", "--matches", "8", "--seconds", "10", "--think", "0.3"]
    done = subprocess.run(
        [*command, "--rate", "20", "--report", str(tmp_path)], capture_output=True, text=True, timeout=180
    )
    page = (tmp_path / "index.html").read_text()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no unexpected answer" in page
    for shown in (
        "GET view [",
        "GET actions [",
        "POST act [",
        "delivery [",
        "own feeds, median",
        "warlog_commands_total{",
        "p99",
    ):
        assert shown in page
    assert (tmp_path / "locust.html").stat().st_size > 10_000


def test_the_servers_figures_are_those_of_the_test_alone_and_of_all_workers() -> None:
    text = "# TYPE warlog_x_total counter\nwarlog_x_total {}\n" * 2
    assert server(text.format(5, 1), text.format(8, 2)) == [["warlog_x_total", "4"]]
