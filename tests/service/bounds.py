"""What a process takes while it is attacked, beside what it may take."""

from __future__ import annotations

import threading
from typing import Self

import psutil

SAMPLE_SECONDS = 0.002
MEGABYTE = 1_000_000


class Bounded:
    """As a context: by how many bytes of memory the process grows at most, and how many seconds of the processor it
    takes. At the end both are printed beside their bounds, and must be within them. The bounds may be changed until
    then, where they depend on how much has come in."""

    def __init__(self, name: str, pid: int, *, memory: float, seconds: float) -> None:
        self.name, self.memory, self.seconds = name, memory, seconds
        self._process = psutil.Process(pid)
        self._before = self._most = 0
        self._cpu = 0.0
        self._over = threading.Event()
        self._watching = threading.Thread(target=self._watch, daemon=True)

    def _resident(self) -> int:
        return int(self._process.memory_info().rss)

    def _spent(self) -> float:
        times = self._process.cpu_times()
        return float(times.user + times.system)

    def _watch(self) -> None:
        while not self._over.wait(SAMPLE_SECONDS):
            self._most = max(self._most, self._resident())

    def __enter__(self) -> Self:
        self._before = self._most = self._resident()
        self._cpu = self._spent()
        self._watching.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        self._over.set()
        self._watching.join()
        if kind is not None:
            return
        grown, spent = max(self._most, self._resident()) - self._before, self._spent() - self._cpu
        said = (
            f"{self.name}: memory {grown / MEGABYTE:.1f} of {self.memory / MEGABYTE:.0f} MB, "
            f"processor {spent:.2f} of {self.seconds:.1f} s"
        )
        print(said)
        assert grown <= self.memory, said
        assert spent <= self.seconds, said
