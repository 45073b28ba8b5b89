"""A few matches of the load test, so that `make load` works when it is wanted."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from tests.load.over_time import Course, Window, pictures, read
from tests.load.report import server


def test_players_of_all_games_meet_nothing_unexpected_and_leave_a_report(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.load.run", "--matches", "8", "--seconds", "10", "--think", "0.3"]
    command += ["--rate", "20", "--bots", "0.5", "--report", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180)
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
    assert re.search(r"searches of bots\D+[1-9]", page)
    assert (tmp_path / "locust.html").stat().st_size > 10_000
    course = read(tmp_path / "over_time.json")
    assert course is not None
    assert course.windows
    assert {*course.windows[-1].processor} == {"worker 1", "worker 2", "Redis"}
    assert sum(one.processor["worker 1"] for one in course.windows) > 0
    assert page.count("<svg") == 7
    assert "<script" not in page
    assert 'stroke-dasharray="3 3"' not in page  # there is no run before this one


def window(at: float, commands: float) -> Window:
    return Window(at, {"hex": commands}, {"hex": (5, 50)}, {}, {"Redis": 0.5}, {"Redis": 30})


def test_the_run_before_is_drawn_beside_this_one() -> None:
    now = Course("now", 5, [window(5, 10), window(10, 20)])
    before = Course("before & after", 5, [window(5, 40), window(10, 40)])
    drawn = ElementTree.fromstring(f"<page>{pictures(now, before)}</page>")
    commands = drawn.findall(".//svg")[0]
    thick, thin = commands.findall("polyline")
    assert (thin.get("stroke-dasharray"), thick.get("stroke-width")) == ("3 3", "2")
    heights = [
        [float(point.split(",")[1]) for point in line.get("points", "").split()] for line in (thick, thin)
    ]
    assert heights[1] == [8, 8]  # the most that there is
    assert heights[0][0] > heights[0][1] > 8
    assert "before & after" in "".join(drawn.itertext())


def test_the_servers_figures_are_those_of_the_test_alone_and_of_all_workers() -> None:
    text = "# TYPE warlog_x_total counter\nwarlog_x_total {}\n" * 2
    assert server(text.format(5, 1), text.format(8, 2)) == [["warlog_x_total", "4"]]
