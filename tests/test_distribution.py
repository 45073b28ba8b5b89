"""The one distribution `warlog`: its sdist has all that a build needs, its wheel all that a run needs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import warlog_core
from tests.test_layout import PACKAGES, ROOT
from tests.test_sixth_game import MADE
from tests.wheels import QUICK, licence_in, metadata


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the sdist, as an installer without a wheel for its platform does."""
    folder = tmp_path_factory.mktemp("distribution")
    source = folder / "warlog"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(*MADE, "tests"))
    made = ["-m", "build", "--no-isolation", "--sdist", "--outdir", str(folder), str(source)]
    subprocess.run([sys.executable, *made], check=True, timeout=300, capture_output=True)
    (sdist,) = folder.glob("warlog-*.tar.gz")
    options = ["-q", "--no-deps", "--no-index", "--no-build-isolation", "-w", str(folder)]
    command = [sys.executable, "-m", "pip", "wheel", *options, str(sdist)]
    subprocess.run(command, check=True, timeout=300, env=os.environ | QUICK)
    (built,) = folder.glob("warlog-*.whl")
    return built


def test_the_sdist_and_the_wheel_have_the_version_and_the_licence(wheel: Path) -> None:
    text = (ROOT / "LICENSE").read_bytes()
    assert b"Apache License" in text
    said = metadata(wheel)
    assert (said["Version"], said["License-Expression"]) == (warlog_core.__version__, "Apache-2.0")
    assert licence_in(wheel) == text
    (sdist,) = wheel.parent.glob("warlog-*.tar.gz")
    assert sdist.name == f"warlog-{warlog_core.__version__}.tar.gz"
    with tarfile.open(sdist) as archive:
        packed = archive.extractfile(f"warlog-{warlog_core.__version__}/LICENSE")
        assert packed is not None
        assert packed.read() == text


def test_every_distribution_takes_its_version_from_the_same_line_and_has_the_same_licence() -> None:
    for folder in (ROOT, ROOT / "core_c"):
        whole = tomllib.loads((folder / "pyproject.toml").read_text())
        assert "version" not in whole["project"]
        assert whole["tool"]["setuptools"]["dynamic"] == {"version": {"attr": "warlog_core.__version__"}}
        assert whole["project"]["license"] == "Apache-2.0"
        assert (folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    # The SDK's is read from the same line (tests/clients/test_wheel.py).
    assert "version" not in tomllib.loads((ROOT / "clients/python/pyproject.toml").read_text())["project"]


def test_the_version_stands_in_the_changelog_and_in_the_names_of_the_images() -> None:
    assert f"\n## {warlog_core.__version__}" in (ROOT / "CHANGELOG.md").read_text()
    for name in ("Dockerfile", "compose.yaml", "k8s/warlog.yaml", "k8s/bots.yaml"):
        assert f"warlog:{warlog_core.__version__}" in (ROOT / "deploy" / name).read_text(), name
    for package in ("typescript", "web"):
        said = json.loads((ROOT / "clients" / package / "package.json").read_text())
        assert said["version"] == warlog_core.__version__, package


def test_no_distribution_admits_other_versions_than_those_that_are_tried() -> None:
    """tests/test_versions.py tries what the first one admits."""
    admitted = {
        folder: tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]["dependencies"]
        for folder in (".", "core_c", "clients/python")
    }
    for folder, requirements in admitted.items():
        assert {*requirements} <= {*admitted["."]}, folder


def test_the_wheel_built_from_the_sdist_has_every_module_script_rule_book_and_type_marker(
    wheel: Path,
) -> None:
    have = set(zipfile.ZipFile(wheel).namelist())
    for folder in PACKAGES.values():
        for path in folder.rglob("*"):
            if (
                path.suffix in (".py", ".pyi", ".lua", ".md", ".json", ".gz", ".txt")
                or path.name == "py.typed"
            ):
                assert str(path.relative_to(folder.parent)) in have
    assert "warlog_core/_core.abi3.so" in have


def test_the_wheel_has_nothing_but_the_packages_and_one_command(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    tops = {name.partition("/")[0] for name in archive.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)
    (scripts,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
    assert archive.read(scripts).decode().split() == [
        "[console_scripts]",
        "warlog",
        "=",
        "warlog_service.cli:main",
    ]
