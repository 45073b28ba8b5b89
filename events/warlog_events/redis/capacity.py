"""Whether a Redis has room on its disk and in its memory, and which error a Redis that refuses a write becomes.

Room     of one server: asked of Redis once a second, and updated at once by a write that failed
Ballast  a file that reserves space on the disk and is given up when the disk is full
"""

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from ..errors import DiskFull, Unavailable

log = logging.getLogger("warlog.redis")

# An embedded server with this `maxmemory` is closed: its own check before everything that grows refuses writes, those
# of scripts too, to every process and from one command on, while reading goes on. (`min-replicas-to-write`, made for
# this, does not concern scripts before Redis 7.)
CLOSED_BYTES = 1
CROWDED_SHARE = 0.9  # of the memory; from here on nothing new is begun
COMPLAIN_EVERY_S = 10.0  # of one kind of error

MEMORY_FULL = "The server's memory is full; nothing can be saved until there is room again."
CROWDED = "The server's memory is nearly full; matches go on, but nothing new can be begun for now."

# Error replies that say something of the server's state and nothing of the command, and what a player is told instead.
# Found anywhere in the text, because a script's error wraps the one of the command inside it.
_STATES = {
    "LOADING": "The server's database is starting; try again soon.",
    "READONLY": "The server's database is being replaced; try again soon.",
    "MASTERDOWN": "The server's database is being replaced; try again soon.",
    "CLUSTERDOWN": "A part of the server's database does not answer; try again soon.",
    "NOREPLICAS": "A part of the server's database does not answer; try again soon.",
    "MISCONF": DiskFull.text,
    "OOM": MEMORY_FULL,
    "BUSY ": "The server's database is busy; try again soon.",
    "TRYAGAIN": "A part of the server's database is being moved; try again soon.",
}


class Room:
    """What is known of one server.

    disk_full     Redis could not write, or the owner of an embedded server has closed it
    memory_full   the memory is used up
    crowded       nine tenths of it are
    kept_closed   by the owner of an embedded server, which will soon say so itself
    on_failed     called when a write has failed
    """

    def __init__(self) -> None:
        self.disk_full = False
        self.memory_full = False
        self.crowded = False
        self.write_failed = False  # at the last look
        self.kept_closed = False
        self.on_failed: Callable[[], None] = lambda: None
        self._closed = False
        self._complained: dict[str, float] = {}

    @property
    def refuses(self) -> Unavailable | None:
        """Why nothing at all is taken."""
        if self.disk_full:
            return DiskFull()
        return Unavailable(MEMORY_FULL) if self.memory_full else None

    def away(self, text: str) -> Unavailable:
        """Why Redis does not answer, or `text`: one that flushes each write ends itself when the disk is full."""
        return DiskFull() if self.disk_full else Unavailable(text)

    def check_growth(self) -> None:
        """Before anything new is begun. Raises DiskFull, Unavailable."""
        if (refusal := self.refuses) is not None:
            raise refusal
        if self.crowded:
            raise _later(Unavailable(CROWDED))

    async def ask(self, send: Callable[[tuple[str, str]], Awaitable[bytes]]) -> None:
        """`send` sends a command to this server. Raises what it raises."""
        memory, files = await asyncio.gather(send(("INFO", "memory")), send(("INFO", "persistence")))
        self.learn(parse_info(memory), parse_info(files))

    def learn(self, memory: dict[str, str], files: dict[str, str]) -> None:
        limit, used = int(memory.get("maxmemory", 0)), int(memory.get("used_memory", 0))
        self._closed = limit == CLOSED_BYTES
        self._set_disk(files.get("aof_last_write_status", "ok") != "ok")
        limited = limit > CLOSED_BYTES
        crowded = limited and used >= CROWDED_SHARE * limit
        if crowded and not self.crowded:
            log.error(
                "Redis uses %d of its %d bytes of memory: nothing new is begun until there is room",
                used,
                limit,
            )
        if self.crowded and limited and not crowded:
            log.warning("Redis has memory again: it uses %d of %d bytes", used, limit)
        self.crowded, self.memory_full = crowded, limited and used >= limit

    def keep_closed(self) -> None:
        """The owner of an embedded server has started it closed; it may end before it can be asked."""
        self.kept_closed = True
        self._set_disk(self.write_failed)

    def failed(self) -> None:
        """A write stayed in Redis's memory, where it is lost if Redis is killed now."""
        self._set_disk(True)
        self.on_failed()

    def _set_disk(self, failed: bool) -> None:
        self.write_failed = failed
        full = failed or self._closed or self.kept_closed
        if full and not self.disk_full:
            log.critical(
                "DISK FULL: Redis cannot save what it is given; writes are refused until there is room"
            )
        if self.disk_full and not full:
            log.warning("there is room on the disk again: writes are taken")
        self.disk_full = full

    def unavailable(self, said: str) -> Unavailable | None:
        """What an error reply becomes that is about the server's state; None: it is about the command.

        What Redis said is for the log: it names scripts, commands and settings, which are nobody's business."""
        kind = next((word for word in _STATES if word in said), None)
        if kind is None:
            return None
        if time.monotonic() - self._complained.get(kind, -COMPLAIN_EVERY_S) >= COMPLAIN_EVERY_S:
            self._complained[kind] = time.monotonic()
            log.warning("Redis refuses: %s", said)
        refused: Unavailable
        if kind == "MISCONF" or (kind == "OOM" and self.disk_full):
            refused = DiskFull()
        elif kind == "OOM":
            refused = _later(Unavailable(MEMORY_FULL))
        else:
            refused = Unavailable(_STATES[kind])
        refused.said = said
        return refused


def _later(error: Unavailable) -> Unavailable:
    error.retry_after = DiskFull.retry_after
    return error


def parse_info(reply: bytes) -> dict[str, str]:
    pairs = (line.partition(":") for line in reply.decode().splitlines())
    return {name: value for name, colon, value in pairs if colon}


class Ballast:
    """`size` bytes of the disk in `folder/ballast`: given up when there are no others, and Redis can write again what
    it has in memory."""

    def __init__(self, folder: Path, size: int) -> None:
        self.size = size
        self._path = folder / "ballast"

    @property
    def free(self) -> int:
        """Bytes of the disk that nobody has."""
        status = os.statvfs(self._path.parent)
        return status.f_bavail * status.f_frsize

    @property
    def lies(self) -> bool:
        """The file is there with its full size."""
        try:
            return self._path.stat().st_size >= self.size
        except FileNotFoundError:
            return self.size == 0

    def lay(self) -> bool:
        """Makes the file. False: the disk has no room for it and as much again for writes."""
        if self.lies:
            return True
        if self.free < 2 * self.size:
            return False
        try:
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                _take(fd, self.size)
            finally:
                os.close(fd)
        except OSError as error:
            log.warning("there is no room for the ballast: %s", error)
            self.give_up()
            return False
        return True

    def give_up(self) -> None:
        with contextlib.suppress(OSError):
            os.truncate(self._path, 0)
        with contextlib.suppress(OSError):
            self._path.unlink()


def _take(fd: int, size: int) -> None:
    """Blocks of the disk for a file of this size. Raises OSError."""
    reserve: Callable[[int, int, int], None] | None = getattr(os, "posix_fallocate", None)  # not on macOS
    if reserve is not None:
        reserve(fd, 0, size)
        return
    for start in range(0, size, 1 << 20):
        os.pwrite(fd, bytes(min(1 << 20, size - start)), start)
