"""The Python SDK alone: the wheel warlog-client in an environment that has nothing but what it declares."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import warlog_core
from tests.clients.cutting import plays_though_cut
from tests.cluster import free_ports
from tests.servers import WarlogServer
from tests.wheels import build_wheel, install_alone, licence_in, metadata

SDK = Path(__file__).resolve().parents[2] / "clients" / "python"
CONSUMER = Path(__file__).with_name("consumer") / "play.py"
BOT = CONSUMER.with_name("bot.py")
# What the wheel declares (httpx, httpx-sse, msgspec), and what these need.
DEPENDENCIES = [
    "httpx", "httpx-sse", "msgspec", "anyio", "certifi", "h11", "httpcore", "idna", "typing_extensions",
]  # fmt: skip


WRONG = """\
from typing import cast

from warlog_client import AsyncClient, Client, Mode
from warlog_client.game_types import HexListedAction, HexMove, HexOptions

with Client("http://x") as warlog:
    match = warlog.matches.get("m")
    match.no_such_field  # wrong
    warlog.match(1)  # wrong
    warlog.matches.create("hex", {}, mode="serious")  # wrong
    mode: Mode = match.mode
    if match.status == "over":  # wrong
        print(mode)
    [one.no_such_field for one in warlog.matches(game="hex")]  # wrong
    warlog.matches(status="over")  # wrong
    next(warlog.matches.feed("m")).version + ""  # wrong
    options: HexOptions = {"armee": "preset"}  # wrong
    move: HexMove = {"type": "move", "piece": "1", "to": "a1"}  # wrong
    for action in cast(list[HexListedAction], warlog.matches.actions("m", "red").actions):
        if action["type"] == "move":
            print(action["to"], action["target"])  # wrong


async def main(warlog: AsyncClient) -> None:
    (await warlog.games.get("hex")).no_such_field  # wrong
    warlog.games.get("hex").game  # wrong
    async for event in warlog.matches.feed("m"):
        event.no_such_field  # wrong
    async for other in warlog.scenarios(mine=True):
        other.no_such_field  # wrong
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from an sdist of clients/python, with no core beside it."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "there" / "clients" / "python"
    shutil.copytree(SDK, source, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    core = folder / "there" / "core_c" / "warlog_core"
    core.mkdir(parents=True)
    shutil.copy2(Path(warlog_core.__file__), core / "__init__.py")
    return build_wheel(folder, source)


@pytest.fixture(scope="module")
def clean_python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_alone(tmp_path_factory.mktemp("clean"), wheel, DEPENDENCIES)


def test_it_is_a_wheel_for_every_platform_with_warlogs_version_and_licence(wheel: Path) -> None:
    assert wheel.name == f"warlog_client-{warlog_core.__version__}-py3-none-any.whl"
    said = metadata(wheel)
    assert (said["Version"], said["License-Expression"]) == (warlog_core.__version__, "Apache-2.0")
    assert licence_in(wheel) == (SDK / "LICENSE").read_bytes()


def test_it_satisfies_its_own_declaration_and_brings_nothing_of_the_server(clean_python: Path) -> None:
    checked = subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(clean_python), "check"], capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stdout
    check = "import importlib.util as u; assert not any(map(u.find_spec, ['warlog_core', 'litestar', 'redis', 'cffi']))"
    subprocess.run([str(clean_python), "-I", "-c", check], check=True)


def test_a_consumer_is_type_checked_strictly_by_mypy_and_by_pyright(
    clean_python: Path, tmp_path: Path
) -> None:
    """From an ordinary install, far from our own settings."""
    for program in (CONSUMER, BOT):
        shutil.copy2(program, tmp_path)
    (tmp_path / "wrong.py").write_text(WRONG)
    (tmp_path / "pyproject.toml").write_text(
        f'[tool.mypy]\nstrict = true\n[tool.pyright]\ntypeCheckingMode = "strict"\npythonPath = "{clean_python}"\n'
    )
    mypy = [sys.executable, "-m", "mypy", "--python-executable", str(clean_python)]
    pyright = [sys.executable, "-m", "pyright", "--pythonpath", str(clean_python)]
    for checker in (mypy, pyright):
        good = subprocess.run(
            [*checker, CONSUMER.name, BOT.name], cwd=tmp_path, capture_output=True, text=True, timeout=300
        )
        assert good.returncode == 0, good.stdout + good.stderr
        bad = subprocess.run(
            [*checker, "wrong.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300
        )
        assert bad.returncode == 1
        found = {int(line) for line in re.findall(r"wrong\.py:(\d+)", bad.stdout)}
        assert found == {number for number, line in enumerate(WRONG.splitlines(), 1) if "# wrong" in line}


@pytest.mark.parametrize("moves", [12, pytest.param(None, id="whole", marks=pytest.mark.soak)])
def test_it_plays_every_game_though_feeds_are_cut_and_the_server_is_killed_in_each_match(
    clean_python: Path, tmp_path: Path, seed: int, moves: int | None
) -> None:
    with WarlogServer(tmp_path / "data", arguments=["--port", str(free_ports(1)[0])]) as server:
        plays_though_cut([str(clean_python), "-I", str(CONSUMER)], tmp_path, server, seed, moves)


def test_a_bot_of_its_readers_plays_every_game_to_its_end(
    clean_python: Path, warlog_server: WarlogServer
) -> None:
    bot = subprocess.run(
        [str(clean_python), "-I", str(BOT), warlog_server.url], capture_output=True, text=True, timeout=300
    )
    assert bot.returncode == 0, bot.stdout + bot.stderr
    ends = [line.split() for line in bot.stdout.splitlines()]
    assert [game for game, _, _ in ends] == [*warlog_core.games()]
    assert all(int(version) > 10 and reason != "None" for _, version, reason in ends), ends
