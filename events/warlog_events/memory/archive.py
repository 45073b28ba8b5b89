"""Matches that have left Redis: one compressed record each, in a directory or behind any fsspec URL.

    <url>/b017/m_017_4fz1….12.9f3c21aa77b0e4d1.json.gz      match, version, SHA-256 of the file

A file is what `GET …/export` says of the match, so `warlog verify` and an import take it as it is, and the stream's
entries can be made again from it to the byte. Files are never changed: a match that came back and is archived again
gets another one. Which is in force says the tombstone in Redis, set only when the file has been read back.
"""

import asyncio
import gzip
import hashlib
import logging
import os
import re
import tempfile
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fsspec
import msgspec
from fsspec.implementations.local import LocalFileSystem

from ..errors import IntegrityError, Unavailable, UnknownMatch
from ..match.records import parse_record
from ..match.stored import StoredEvent
from ..match.verify import entries_of
from ..redis import keys, private_files
from ..redis.store import Archived
from ..statistics import Counts
from ..threads import Threads

log = logging.getLogger("warlog.archive")

FILES_AT_ONCE = 4
CACHE_BYTES_MAX = 64 * 1024 * 1024
_EVENT_BYTES = 400  # of an event in memory, beside its body

_TOMBSTONE = re.compile(r"([1-9][0-9]{0,8}) ([0-9a-f]{64})", re.ASCII)


class Tombstone(msgspec.Struct, frozen=True):
    """`sha256` is that of the file, in hex."""

    version: int
    sha256: str

    def __str__(self) -> str:
        return f"{self.version} {self.sha256}"

    @classmethod
    def parse(cls, text: str) -> "Tombstone":
        """Raises IntegrityError."""
        found = _TOMBSTONE.fullmatch(text)
        if found is None:
            raise IntegrityError(f"{text!r} is no tombstone")
        return cls(int(found[1]), found[2])


class Damaged(Exception):
    """A file is not what was written."""


class Files:
    """The directory. Everything here blocks."""

    def __init__(self, url: str) -> None:
        self._system, self._root = fsspec.url_to_fs(url)
        if isinstance(self._system, LocalFileSystem):
            private_files.close_top(Path(self._root))

    def name(self, match_id: str, tombstone: Tombstone) -> str:
        """Raises UnknownMatch for what is no match id: nothing else ever becomes part of a path."""
        if keys.bucket_of(match_id) is None:
            raise UnknownMatch()
        file = f"{match_id}.{tombstone.version}.{tombstone.sha256[:16]}.json.gz"
        return f"{self._root.rstrip('/')}/b{match_id[2:5]}/{file}"

    def write(self, match_id: str, version: int, record: bytes) -> tuple[Tombstone, int]:
        """The tombstone of a file that has been written, flushed to the disk, read back and found right; and its
        size. Raises Damaged, OSError."""
        content = gzip.compress(record, mtime=0)
        tombstone = Tombstone(version, hashlib.sha256(content).hexdigest())
        path = self.name(match_id, tombstone)
        if isinstance(self._system, LocalFileSystem):
            _write_durably(Path(path), content)
        else:
            self._system.makedirs(path.rpartition("/")[0], exist_ok=True)
            self._system.pipe_file(path, content)
        if self.read(match_id, tombstone) != record:
            raise Damaged(f"{path} reads otherwise than it was written")
        return tombstone, len(content)

    def read(self, match_id: str, tombstone: Tombstone) -> bytes:
        """The record. Raises Damaged, OSError."""
        path = self.name(match_id, tombstone)
        content: bytes = self._system.cat_file(path)
        if hashlib.sha256(content).hexdigest() != tombstone.sha256:
            raise Damaged(f"{path} has another SHA-256 than when it was written")
        return gzip.decompress(content)


def _write_durably(path: Path, content: bytes) -> None:
    """All of it or nothing, also when the machine dies."""
    # `mkdir` gives its mode to the last folder alone.
    path.parent.parent.mkdir(mode=private_files.FOLDER, parents=True, exist_ok=True)
    path.parent.mkdir(mode=private_files.FOLDER, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", suffix=".tmp", delete=False) as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise
    for folder in (path.parent, path.parent.parent):  # the bucket's folder may be new
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def content_of(record: bytes) -> Archived:
    """The stream and the secrets, made again. Raises what parsing a wrong record raises."""
    raw: dict[str, Any] = msgspec.json.decode(record)
    parsed = parse_record(raw)
    seeds = dict(zip(parsed.seed_commitments, parsed.seeds or [], strict=True))
    seeds |= {bot.seed_hash: bot.seed for bot in parsed.bots}
    return Archived(entries_of(parsed), seeds)


class Archive:
    """What a process reads from the archive, and keeps for a while."""

    def __init__(
        self, files: Files, *, cache_bytes_max: int = CACHE_BYTES_MAX, threads: Threads | None = None
    ) -> None:
        """`threads`: in which files are read."""
        self._threads = threads or Threads("archive", FILES_AT_ONCE)
        self.files = files
        self.counts = Counts()
        self.cached_bytes = 0
        self._cache_bytes_max = cache_bytes_max
        self._cache: OrderedDict[tuple[str, str], tuple[Archived, int]] = OrderedDict()
        self._reading: dict[tuple[str, str], asyncio.Task[Archived]] = {}

    async def read(self, match_id: str, tombstone: str) -> Archived:
        """Raises Unavailable where the file is not to be had, IntegrityError where it is not what was written."""
        key = (match_id, tombstone)
        held = self._cache.get(key)
        if held is not None:
            self._cache.move_to_end(key)
            return held[0]
        task = self._reading.get(key)
        if task is None:
            task = self._reading[key] = asyncio.create_task(self._read(match_id, tombstone))
            task.add_done_callback(lambda _: self._reading.pop(key, None))
        return await asyncio.shield(task)

    async def _read(self, match_id: str, tombstone: str) -> Archived:
        named = Tombstone.parse(tombstone)
        self.counts.archive_reads += 1
        try:
            archived = await self._threads.run(lambda: content_of(self.files.read(match_id, named)))
        except OSError as error:
            log.error("%s: its file in the archive cannot be read: %s", match_id, error)
            raise Unavailable(
                "This match is in the archive, which does not answer; try again later."
            ) from error
        except (Damaged, ValueError, EOFError) as error:
            raise IntegrityError(f"{match_id}: {error}") from error
        self._keep((match_id, tombstone), archived)
        return archived

    def _keep(self, key: tuple[str, str], archived: Archived) -> None:
        """The least recently used leave first. A match that is larger than all that may be kept is not kept."""
        size = _size(archived.events)
        if size > self._cache_bytes_max:
            return
        self._cache[key] = archived, size
        self.cached_bytes += size
        while self.cached_bytes > self._cache_bytes_max:
            _, (_, gone) = self._cache.popitem(last=False)
            self.cached_bytes -= gone


def _size(events: Sequence[StoredEvent]) -> int:
    return sum(len(event.body) + _EVENT_BYTES for event in events)
