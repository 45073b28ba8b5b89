"""The real redis-server behind the simulation: its clock is set from outside, the tail of its file may be lost.

It is told each batch of commands when the simulated network delivers it, over a blocking socket, and answers at once.
"""

from __future__ import annotations

import mmap
import os
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
from functools import cached_property
from pathlib import Path
from typing import Any

import hiredis

from tests.servers import START_SECONDS_MAX, redis_executable

HERE = Path(__file__).parent
EPOCH_US = 1_735_689_600_000_000  # 2025-01-01: when every simulation begins
FULL_BYTES = 2  # as `maxmemory`: full, and not what an embedded server's owner calls closed
CONFIG = {
    "port": "0",
    "appendonly": "yes",
    "appendfsync": "always",  # the file lies in memory: what is lost of it is for the simulation to say
    "save": "",
    "auto-aof-rewrite-percentage": "0",
    "activerehashing": "no",  # whatever Redis does by itself would come at another moment each time
    "hz": "1",
}


def pack(*words: str | bytes | int) -> bytes:
    packed: bytes = hiredis.pack_command(words)  # type: ignore[arg-type]
    return packed


class RealConnection:
    """One connection to the server, with blocking reads."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 20, 0))
        self._socket.connect(path)
        self._reader = hiredis.Reader()
        self.requests: list[Any] = []  # of the last batch
        self.replies: list[Any] = []
        self._requests = hiredis.Reader()
        self.listens = False  # pub/sub: replies are not counted

    def ask(self, data: bytes) -> bytes:
        """The replies to a batch of whole commands, as they came."""
        self.requests, self.replies = [], []
        self._requests.feed(data)
        while (request := self._requests.gets()) is not False:
            self.requests.append(request)
            self.listens = self.listens or request[0] == b"SUBSCRIBE"
        self._socket.sendall(data)
        if self.listens:
            return b""
        came: list[bytes] = []
        while len(self.replies) < len(self.requests):
            piece = self._socket.recv(1 << 20)
            if not piece:
                raise ConnectionResetError("redis-server has closed a connection")
            came.append(piece)
            self._reader.feed(piece)
            while (reply := self._reader.gets()) is not False:
                self.replies.append(reply)
        return came[0] if len(came) == 1 else b"".join(came)

    def call(self, *words: str | bytes | int) -> Any:
        self._socket.sendall(pack(*words))
        while (reply := self._reader.gets()) is False:
            self._reader.feed(self._socket.recv(1 << 20))
        if isinstance(reply, Exception):
            raise reply
        return reply

    def heard(self) -> bytes:
        """What has come by itself until now."""
        try:
            return self._socket.recv(1 << 20, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        self._socket.close()


class RedisProcess:
    """One for a whole run: emptied between seeds, started again only after a fault that kills it."""

    def __init__(self) -> None:
        memory = Path("/dev/shm")
        self._folder = Path(tempfile.mkdtemp(prefix="wl", dir=memory if memory.is_dir() else None))
        self.path = str(self._folder / "s")
        now = self._folder / "now"
        now.write_bytes(struct.pack("q", EPOCH_US))
        with now.open("r+b") as file:
            self._now = mmap.mmap(file.fileno(), 8)
        self._preloaded = self._folder / "clock.so"
        compiler = os.environ.get("CC", "cc")
        subprocess.run(
            [compiler, "-O2", "-shared", "-fPIC", "-o", self._preloaded, HERE / "clock.c", "-ldl"], check=True
        )
        self._process: subprocess.Popen[bytes] | None = None
        self.control: RealConnection
        self.starts = 0
        self.start()

    @property
    def up(self) -> bool:
        return self._process is not None

    def set_clock(self, microseconds: int) -> None:
        """Since the simulation began."""
        self._now[:] = struct.pack("q", EPOCH_US + microseconds)

    def start(self) -> None:
        """On the file that there is; waits until it has been read."""
        assert self._process is None
        Path(self.path).unlink(missing_ok=True)
        options = [word for name, value in CONFIG.items() for word in (f"--{name}", value)]
        self._process = subprocess.Popen(
            [redis_executable(), "--unixsocket", self.path, "--dir", str(self._folder), *options],
            stdout=subprocess.DEVNULL,
            env={
                **os.environ,
                "SIMULATED_CLOCK": str(self._folder / "now"),
                "LD_PRELOAD": str(self._preloaded),
            },
        )
        self.starts += 1
        deadline = time.monotonic() + START_SECONDS_MAX
        while True:
            try:
                self.control = RealConnection(self.path)
                if self.control.call("PING") == b"PONG":
                    break
            except (OSError, hiredis.ReplyError):
                pass
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"redis-server does not start (exit code {self._process.poll()})")
            time.sleep(0.002)
        self.control.call("DEBUG", "SET-ACTIVE-EXPIRE", 0)

    def connect(self) -> RealConnection:
        return RealConnection(self.path)

    def barrier(self) -> None:
        """After this everything that earlier commands have published has come."""
        self.control.call("PING")

    @cached_property
    def file(self) -> Path:
        """Redis 7 and newer have a folder of files, of which only the newest grows."""
        folder = self._folder / "appendonlydir"
        if folder.is_dir():
            return max(folder.glob("*.incr.aof"), key=lambda path: int(path.name.split(".")[-3]))
        return self._folder / "appendonly.aof"

    @property
    def written_bytes(self) -> int:
        return self.file.stat().st_size

    def kill(self, kept_bytes: int | None = None) -> None:
        """kill -9. Of the file so much is left; None: all."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(20)
        self._process = None
        self.control.close()
        if kept_bytes is not None:
            os.truncate(self.file, kept_bytes)

    def fill(self, full: bool) -> None:
        """Is its memory full?"""
        self.control.call("CONFIG", "SET", "maxmemory", FULL_BYTES if full else 0)

    def reset(self) -> None:
        """As new, for the next seed."""
        self.set_clock(0)
        if self._process is None:
            os.truncate(self.file, 0)
            self.start()
        self.fill(False)
        self.control.call("FLUSHALL")
        self.control.call("SCRIPT", "FLUSH")
        os.truncate(self.file, 0)

    def close(self) -> None:
        if self._process is not None:
            self.kill()
        self._now.close()
        shutil.rmtree(self._folder, ignore_errors=True)
