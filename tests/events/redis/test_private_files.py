"""What is stored is for our own user alone, whatever the umask is and whatever it was before."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.events.hand import opened
from warlog_events.memory.archive import Files


@pytest.fixture(autouse=True)
def _careless() -> Iterator[None]:
    """An umask that leaves everything open."""
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    """Of the folder and of all folders and files in it; sockets have modes of their own."""
    found = [folder, *folder.rglob("*")]
    kinds = {path: path.lstat().st_mode for path in found if path.exists()}
    return {str(path): stat.S_IMODE(mode) for path, mode in kinds.items() if not stat.S_ISSOCK(mode)}


def are_private(folder: Path) -> bool:
    return all(mode == (0o700 if Path(path).is_dir() else 0o600) for path, mode in modes(folder).items())


async def test_a_data_folder_and_its_files_are_closed_to_others(tmp_path: Path) -> None:
    data = tmp_path / "data"
    for _ in range(2):
        async with opened(None, data) as connection:
            await connection.pipe.call("SET", "something", "secret", write=True)
            assert are_private(data), modes(data)
        for path in modes(data):
            os.chmod(path, 0o777)  # as 0.1 or a restored backup may have left it
    async with opened(None, data) as connection:
        await connection.redis.bgrewriteaof()
        while (await connection.redis.info("persistence"))["aof_rewrite_in_progress"]:
            await connection.redis.ping()
        assert are_private(data), modes(data)
        assert await connection.pipe.call("GET", "something") == b"secret"


def test_an_archive_and_its_files_are_closed_to_others(tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    match = "m_017_aaaaaaaaaaaaaaaa"
    tombstone, _ = Files(str(folder)).write(match, 3, b"{}")
    assert are_private(folder), modes(folder)
    for path in (folder, folder / "b017"):
        path.chmod(0o755)
    assert Files(str(folder)).read(match, tombstone) == b"{}"
    assert are_private(folder), modes(folder)
