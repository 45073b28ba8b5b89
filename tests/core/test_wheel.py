"""The rules alone: the wheel warlog-core in an environment that has nothing but what it declares."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import warlog_core
from tests.test_readme import blocks
from tests.wheels import build_wheel, install_alone, licence_in, metadata

CORE = Path(__file__).resolve().parent.parent.parent / "core_c"
# What the wheel declares (cffi, msgspec), and what cffi itself needs.
DEPENDENCIES = ["cffi", "msgspec", "pycparser"]
# What the extra `zoo` declares, and what that needs.
ZOO = ["numpy", "pettingzoo", "gymnasium", "cloudpickle", "farama-notifications", "typing-extensions"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from an sdist of core_c alone, made from a copy, so that no build folder is left in the tree."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "core_c"
    shutil.copytree(
        CORE, source, ignore=shutil.ignore_patterns("build", "*.egg-info", "_core.*.so", "_core.c")
    )
    return build_wheel(folder, source)


@pytest.fixture(scope="module")
def clean_python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_alone(tmp_path_factory.mktemp("clean"), wheel, DEPENDENCIES)


def test_one_wheel_serves_every_cpython_from_3_11_on(wheel: Path) -> None:
    assert wheel.name.startswith("warlog_core-")
    assert "-cp311-abi3-" in wheel.name


def test_the_core_alone_has_warlogs_version_and_licence(wheel: Path) -> None:
    said = metadata(wheel)
    assert (said["Version"], said["License-Expression"]) == (warlog_core.__version__, "Apache-2.0")
    assert licence_in(wheel) == (CORE.parent / "LICENSE").read_bytes()


def test_the_core_installed_alone_satisfies_its_own_declaration(clean_python: Path) -> None:
    checked = subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(clean_python), "check"], capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stdout
    check = (
        "import importlib.util as u; assert not any(map(u.find_spec, ['warlog_events', 'litestar', 'redis']))"
    )
    subprocess.run([str(clean_python), "-I", "-c", check], check=True)


def test_the_core_installed_alone_plays_the_readmes_match(clean_python: Path, tmp_path: Path) -> None:
    (example,) = blocks("A match in ten lines", "python")
    run = subprocess.run(
        [str(clean_python), "-c", example], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("Result(")


def test_the_core_installed_alone_has_every_rule_book(clean_python: Path, tmp_path: Path) -> None:
    check = (
        "import warlog_core\n"
        "for name in warlog_core.games():\n"
        "    assert warlog_core.game(name).rules().startswith('# '), name\n"
        "    assert warlog_core.game(name).describe()['game'] == name\n"
    )
    subprocess.run([str(clean_python), "-c", check], cwd=tmp_path, check=True)


def test_without_the_extra_the_zoo_says_what_installs_it(clean_python: Path, tmp_path: Path) -> None:
    code = "from warlog_core import zoo; zoo.env('hex')"
    run = subprocess.run([str(clean_python), "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode != 0
    assert 'pip install "warlog-core[zoo]"' in run.stderr.splitlines()[-1]


def test_with_the_extra_a_learning_curve_is_drawn_where_nothing_can_compile(
    wheel: Path, tmp_path: Path
) -> None:
    python = install_alone(tmp_path / "researcher", wheel, [*DEPENDENCIES, *ZOO])
    example = shutil.copy(CORE.parent / "examples" / "ppo_hex.py", tmp_path)
    run = subprocess.run(
        [str(python), "-I", str(example), "--updates", "1"],
        cwd=tmp_path,
        env={"PATH": str(python.parent)},  # no compiler
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    assert "of the points" in run.stdout
    assert (tmp_path / "learning.svg").read_text().startswith("<svg")
    checked = subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(python), "check"], capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stdout


def newest_python() -> str | None:
    """A CPython that is newer than this one: NEWEST names it, as in the Makefile, or it is on the PATH and starts."""
    names = os.environ.get("NEWEST", "").split() or [f"python3.{minor}" for minor in range(17, 11, -1)]
    for name in names:
        asked = [
            name,
            "-c",
            "import sys; print(sys.implementation.name, sys.version_info >= tuple(map(int, sys.argv[1:])))",
        ]
        asked += map(str, (sys.version_info[0], sys.version_info[1] + 1))
        if (
            shutil.which(name)
            and subprocess.run(asked, capture_output=True, text=True).stdout == "cpython True\n"
        ):
            return name
    return None


@pytest.fixture(scope="module")
def made() -> Path:
    """The wheel that `make wheel` leaves in dist."""
    subprocess.run(["make", "wheel"], cwd=CORE.parent, check=True, capture_output=True, timeout=900)
    (built,) = (CORE.parent / "dist").glob(f"warlog_core-{warlog_core.__version__}-*.whl")
    return built


@pytest.mark.soak
@pytest.mark.parametrize("extra", ["zoo", "openspiel"])
def test_the_newest_cpython_installs_what_make_wheel_made_with_its_extra_and_no_compiler(
    extra: str, made: Path, tmp_path: Path
) -> None:
    newest = newest_python()
    if newest is None:
        pytest.skip("no CPython newer than this one is on the PATH: NEWEST=/path/to/python names one")
    subprocess.run([newest, "-m", "venv", str(tmp_path / "venv")], check=True, timeout=300)
    python = str(tmp_path / "venv" / "bin" / "python")
    nothing_compiles = os.environ | {"PATH": str(tmp_path / "venv" / "bin")}
    install = [python, "-m", "pip", "install", "-q", "--only-binary", ":all:", f"{made}[{extra}]"]
    subprocess.run(install, check=True, timeout=900, env=nothing_compiles)
    page = (CORE.parent / "docs" / "RESEARCH.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    mine = [example for example in examples if ("openspiel" in example) == (extra == "openspiel")]
    assert mine
    for example in mine:
        run = [python, "-I", "-c", example]
        subprocess.run(run, cwd=tmp_path, check=True, timeout=300, env=nothing_compiles)
    if extra == "zoo":
        for script, arguments in (("random_play.py", ["--steps", "50"]), ("ppo_hex.py", ["--updates", "1"])):
            run = [python, "-I", str(CORE.parent / "examples" / script), *arguments]
            subprocess.run(run, cwd=tmp_path, check=True, timeout=300, env=nothing_compiles)
        assert (tmp_path / "learning.svg").read_text().startswith("<svg")
