"""A disk of a few megabytes, and a process that fills it as fast as it can, and again whenever there is room.

    python -m tests.small_disk FILE

fills the disk that FILE is on until it is killed.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def small_disk(at: Path, megabytes: int) -> Iterator[Path]:
    """A file system in memory, mounted at that folder. Skips the test where nobody may mount one."""
    at.mkdir(parents=True, exist_ok=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "warlog-test", str(at)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        import pytest  # here, because the process that fills needs nothing but the standard library

        pytest.skip("a small file system can be mounted by root alone, and only where mounting is allowed")
    try:
        yield at
    finally:
        # What still lives there (a redis-server that is about to end) must not keep the test from ending.
        subprocess.run(["umount", "--lazy", str(at)], check=False)


def free_bytes(folder: Path) -> int:
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize


class Filler:
    """As a context: somebody else who fills the disk; at its end what he has written is gone."""

    def __init__(self, disk: Path) -> None:
        self._file = disk / "filler"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Filler:
        self._process = subprocess.Popen([sys.executable, "-m", "tests.small_disk", str(self._file)])
        return self

    def until_full(self, seconds: float = 20.0) -> None:
        deadline = time.monotonic() + seconds
        while free_bytes(self._file.parent):
            assert time.monotonic() < deadline, "the disk was not filled in time"
            time.sleep(0.001)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(20)
            self._process = None
        self._file.unlink(missing_ok=True)

    def __exit__(self, *exc: object) -> None:
        self.stop()


def _fill(file: str) -> None:
    fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    size = 1 << 16
    while True:
        try:
            os.write(fd, bytes(size))
        except OSError:
            if size > 1:
                size //= 2
            else:
                time.sleep(0.0005)
                size = 1 << 12


if __name__ == "__main__":
    _fill(sys.argv[1])
