"""The examples for research run, in a short form (tests/core/test_wheel.py has the one that learns)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import WarlogServer
from warlog_client import Client

ROOT = Path(__file__).resolve().parent.parent
SMALL: dict[str, object] = {"width": 7, "height": 5, "army": "preset"}
BLOCKS = re.findall(
    r"^```python\n(.*?)^```$", (ROOT / "docs" / "RESEARCH.md").read_text(), re.MULTILINE | re.DOTALL
)


def run(*arguments: str, cwd: Path) -> str:
    done = subprocess.run([sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(("game", "options"), [("hex", SMALL), ("junqi", {"players": 2})])
def test_a_server_imports_what_self_play_wrote(
    game: str, options: dict[str, object], warlog_server: WarlogServer, tmp_path: Path
) -> None:
    told = run(
        *(str(ROOT / "examples" / "selfplay.py"), "--game", game, "--options", json.dumps(options)),
        *("--iterations", "8", "--actions", "20"),
        cwd=tmp_path,
    )
    assert told == "selfplay-0.json: 20 actions\n"
    record = json.loads((tmp_path / "selfplay-0.json").read_text())
    assert any(event["action"]["type"] in ("move", "attack") for event in record["events"])  # armies stand
    with Client(warlog_server.url) as anonymous:
        token = anonymous.create_player("researcher").token
    with Client(warlog_server.url, token) as client:
        match = client.import_record(record).match.id
        assert [event["action"] for event in client.export(match)["events"]] == [
            event["action"] for event in record["events"]
        ]

        assert client.view(match, at=client.match(match).version - 1).view is not None


@pytest.mark.parametrize(("game", "options"), [("hex", SMALL), ("junqi", {"mode": "flip", "players": 2})])
def test_random_play_plays_a_match_and_then_many(
    game: str, options: dict[str, object], tmp_path: Path
) -> None:
    told = run(
        *(str(ROOT / "examples" / "random_play.py"), "--game", game, "--options", json.dumps(options)),
        *("--matches", "4", "--steps", "600", "--threads", "2"),
        cwd=tmp_path,
    )
    one, many = told.splitlines()
    brought = re.fullmatch(r"one match of \d+ actions: \w+ ([+-]\d), \w+ ([+-]\d)", one)
    assert brought is not None, one
    assert int(brought[1]) + int(brought[2]) == 0
    counted = re.search(
        r": 2400 actions, (\d+) matches ended, won: \w+ (\d+), \w+ (\d+); [\d,]+ actions", many
    )
    assert counted is not None, many
    ended, *won = map(int, counted.groups())
    assert ended > 0
    assert sum(won) <= ended


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_examples_of_the_page_run(block: str, tmp_path: Path) -> None:
    if "openspiel" in block:
        pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel for this Python")
    run("-c", block, cwd=tmp_path)
