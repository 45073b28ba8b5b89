"""The README's examples, run as they stand: only the address is that of a server started here."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import WarlogServer
from warlog_client import Client

README = (Path(__file__).resolve().parent.parent / "README.md").read_text()
ADDRESS = "http://127.0.0.1:8000"


def blocks(section: str, language: str) -> list[str]:
    """The code blocks of a language in a section, in order."""
    text = re.split(r"^## ", README.split(f"\n## {section}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(not shutil.which("curl"), reason="the walk-through is made of curl commands")
def test_the_quick_start_registers_plays_undoes_and_follows_the_feed_with_curl(
    warlog_server: WarlogServer, tmp_path: Path
) -> None:
    assert blocks("Quick start", "sh") == ["make serve\n"]
    (walk,) = blocks("The same with curl", "sh")
    script = walk.replace(ADDRESS, warlog_server.url)
    run = subprocess.run(
        ["bash", "-eu", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "/problems/" not in run.stdout
    assert '"status":"playing"' in (tmp_path / "started").read_text()
    feed = (tmp_path / "feed").read_text()
    assert feed in run.stdout
    types = re.findall(r"^event: ([a-z_]+)", feed, flags=re.MULTILINE)
    assert types == [
        "match_created",
        "seat_taken",
        "seat_prepared",
        "match_started",
        *["action_taken"] * 2,
        "proposal_made",
        "time_travelled",
        "action_taken",
    ]
    assert re.findall(r"^id: (\d+)", feed, flags=re.MULTILINE) == [str(i) for i in range(1, 10)]


def test_the_readme_begins_with_a_match_then_the_server_then_curl_and_is_short() -> None:
    assert len(README.encode()) <= 12_000
    sections = re.findall(r"^## (.+)$", README, flags=re.MULTILINE)
    assert sections[:4] == [
        "A match in ten lines",
        "Quick start",
        "A player in ten lines",
        "The same with curl",
    ]


def test_a_match_in_ten_lines_really_runs() -> None:
    (example,) = blocks("A match in ten lines", "python")
    lines = [line for line in example.splitlines() if line and not line.startswith("import ")]
    assert len(lines) <= 10
    run = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    assert re.search(r"Result\(winners=.*\) [0-9a-f]{16}\n$", run.stdout)


def test_a_player_in_ten_lines_really_plays(warlog_server: WarlogServer) -> None:
    (example,) = blocks("A player in ten lines", "python")
    run = subprocess.run(
        [sys.executable, "-c", example.replace(ADDRESS, warlog_server.url)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr


def test_a_match_is_found_in_four_lines(warlog_server: WarlogServer) -> None:
    (example,) = blocks("Finding a match", "python")
    with Client(warlog_server.url) as stranger:
        waiting, token = (stranger.create_player(name).token for name in ("dan", "eve"))
    with Client(warlog_server.url, waiting) as dan:
        entry = dan.pair("hex", options={"army": "preset"})
        run = subprocess.run(
            [
                sys.executable,
                "-c",
                f"token = {token!r}\n{example.replace(ADDRESS, warlog_server.url)}print(match)",
            ],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert run.returncode == 0, run.stderr
        assert run.stdout.strip() == dan.paired(entry.id).match
