"""The service runs with the oldest and with the newest versions that pyproject.toml admits (make soak)."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

from tests.servers import WarlogServer
from tests.test_layout import ROOT
from warlog_client import Client

pytestmark = pytest.mark.soak


def admitted() -> list[str]:
    """What the service depends on, as pyproject.toml has it, for this platform."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found: list[str] = project["dependencies"]
    assert len(found) > 10
    return found


def oldest(requirement: str) -> str:
    """`name>=1.2,<2` → `name==1.2`, markers kept."""
    bounds, marker, condition = requirement.partition(";")
    match = re.fullmatch(r"([A-Za-z0-9_-]+)>=([0-9.]+)(?:,<[0-9.]+)?", bounds.strip())
    assert match, f"{requirement}: a dependency has a lower bound"
    return f"{match[1]}=={match[2]}{marker}{condition}"


@pytest.mark.parametrize("which", ["oldest", "newest"])
def test_one_command_and_one_feed(which: str, tmp_path: Path) -> None:
    """A fresh environment with these versions, in which the server is started from an installed wheel."""
    wanted = [oldest(one) if which == "oldest" else one for one in admitted()]
    venv.create(tmp_path / "environment", with_pip=True, symlinks=True)
    python = str(tmp_path / "environment/bin/python")
    pip = [python, "-m", "pip", "--disable-pip-version-check", "-q"]
    installed = subprocess.run([*pip, "install", *wanted], capture_output=True, text=True, timeout=600)
    if "No matching distribution found for cffi" in installed.stderr or "connection" in installed.stderr:
        pytest.skip("no package index can be reached")
    assert installed.returncode == 0, installed.stderr
    made = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(tmp_path),
    ]
    subprocess.run([*made, str(ROOT)], check=True, timeout=600)
    (wheel,) = tmp_path.glob("warlog-*.whl")
    subprocess.run([*pip, "install", "--no-deps", str(wheel)], check=True, timeout=300)
    with WarlogServer(tmp_path / "data", python=python, cwd=tmp_path) as server:
        with Client(server.url) as nobody:
            account = nobody.create_player("One")
        with Client(server.url, account.token) as one:
            match = one.create_match("hex", {"red": "me", "blue": "me"}).match  # which starts at once
            seat = one.match(match.id).to_act[0]
            one.act(match.id, seat, {"type": "resign"})
            types = []
            for event in one.feed(match.id):
                types.append(event.type)
                if event.type == "action_taken":
                    break
            assert "match_started" in types
