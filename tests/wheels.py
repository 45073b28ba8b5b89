"""Building, installing and reading a wheel, for the tests of the distributions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterable
from email import message_from_bytes
from email.message import Message
from importlib.metadata import distribution
from pathlib import Path

QUICK = {"CC": str(Path(__file__).with_name("quick_cc"))}
"""The environment of a build that is looked at and played with, and not measured."""


def metadata(wheel: Path) -> Message:
    """What a wheel says of itself."""
    archive = zipfile.ZipFile(wheel)
    (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    return message_from_bytes(archive.read(name))


def licence_in(wheel: Path) -> bytes:
    """The text of the licence that a wheel contains."""
    archive = zipfile.ZipFile(wheel)
    (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/licenses/LICENSE"))
    return archive.read(name)


def build_wheel(folder: Path, source: Path) -> Path:
    """The wheel of the distribution in `source`, built from its sdist, both in `folder`."""
    made = ["-m", "build", "--no-isolation", "--sdist", "--outdir", str(folder), str(source)]
    subprocess.run([sys.executable, *made], check=True, timeout=300, capture_output=True)
    (sdist,) = folder.glob("*.tar.gz")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run(
        [*command, "-w", str(folder / "dist"), str(sdist)], check=True, timeout=300, env=os.environ | QUICK
    )
    (built,) = (folder / "dist").iterdir()
    return built


def install_alone(folder: Path, wheel: Path, dependencies: Iterable[str]) -> Path:
    """The Python of a virtual environment in `folder` that has the wheel and these distributions, which are copied
    from the environment that runs the tests."""
    venv.create(folder, symlinks=True)
    python = folder / "bin/python"
    asked = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('platlib'))"]
    site = Path(subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip())
    for name in dependencies:
        for file in distribution(name).files or []:
            if ".." not in file.parts:
                (site / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file.locate(), site / file)
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-index", "--no-deps"]
    subprocess.run([*pip, str(wheel)], check=True, timeout=120)
    return python
