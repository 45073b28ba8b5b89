"""Where the tests of pages get their Chromium, on machines that have none. Programs that only pretend install it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import chromium

ROOT = Path(__file__).resolve().parent.parent


class Machine:
    """A folder that is the whole PATH, and what was started from it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "log"
        self.log.touch()

    def has(self, name: str, script: str = "") -> Path:
        path = self.folder / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >> {self.log}\n{script}\n')
        path.chmod(0o755)
        return path

    def started(self) -> list[str]:
        return self.log.read_text().splitlines()

    def install(self, name: str = "chromium") -> str:
        """A line of a script that puts a program there."""
        path = self.folder / name
        return f": > {path}; /bin/chmod +x {path}"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    made = Machine(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("WARLOG_CHROMIUM", raising=False)
    monkeypatch.setattr(chromium, "PLAYWRIGHT", (str(made.has("playwright", "exit 1")),))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    chromium._found.cache_clear()
    yield made
    chromium._found.cache_clear()


def test_the_one_that_is_named_comes_first_and_then_that_of_the_path(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("google-chrome", "chromium", "chromium-headless-shell"):  # the last one needs least
        path = machine.has(name)
        assert chromium.executable() == str(path)
        chromium._found.cache_clear()
    (tmp_path / "other").mkdir()
    named = Machine(tmp_path / "other").has("mine")
    monkeypatch.setenv("WARLOG_CHROMIUM", str(named))
    assert chromium.executable() == str(named)
    assert machine.started() == []


def test_without_one_a_test_fails_and_says_how_to_get_one(machine: Machine) -> None:
    with pytest.raises(pytest.fail.Exception, match="apt-get install chromium"):
        chromium.executable()


def test_root_installs_the_package(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    machine.has("apt-get", f'case "$*" in *install*) {machine.install()};; esac')
    assert chromium.install() == str(machine.folder / "chromium")
    asked = [line for line in machine.started() if line.startswith("apt-get")]
    assert asked == ["apt-get -q -y update", "apt-get -q -y install --no-install-recommends chromium"]


def test_somebody_who_may_use_sudo_without_a_password_installs_the_package(machine: Machine) -> None:
    machine.has("sudo", 'shift; case "$*" in *apt-get*install*) ' + machine.install() + ";; esac")
    machine.has("apt-get")
    assert chromium.install() == str(machine.folder / "chromium")
    assert "sudo -n apt-get -q -y install --no-install-recommends chromium" in machine.started()


def test_somebody_whom_sudo_would_ask_for_a_password_gets_that_of_playwright(machine: Machine) -> None:
    machine.has("sudo", "exit 1")
    machine.has("apt-get")
    folder = machine.folder / "browsers/chromium-1/chrome-linux64"
    say = f'case "$*" in *--dry-run*) echo "  Install location:    {folder.parent}";; *)'
    put = f"/bin/mkdir -p {folder}; : > {folder}/chrome;; esac"
    machine.has("playwright", f"{say} {put}")
    assert chromium.install() == str(folder / "chrome")
    assert not any(line.startswith("apt-get") for line in machine.started())
    assert "playwright install --no-shell chromium" in machine.started()


def test_where_nothing_helps_it_says_what_was_tried_and_how_long_it_waits(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(chromium, "INSTALL_SECONDS_MAX", 0.5)
    machine.has("apt-get", "exec /bin/sleep 60")
    machine.has("playwright", "echo no network >&2; exit 1")
    with pytest.raises(SystemExit) as said:
        chromium.install()
    assert "apt-get -q -y update: exit code 124, not done after 0.5 s" in str(said.value)
    assert "playwright install --no-shell --with-deps chromium: exit code 1, no network" in str(said.value)


def test_the_command_of_make_test_prints_where_it_is(tmp_path: Path) -> None:
    named = Machine(tmp_path).has("mine")
    done = subprocess.run(
        [sys.executable, "-m", "tests.chromium"], cwd=ROOT, env={**os.environ, "WARLOG_CHROMIUM": str(named)},
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == str(named)
