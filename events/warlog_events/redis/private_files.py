"""Folders and files that are for our own user alone, whatever the umask is and whatever they were before."""

import logging
import os
import stat
from pathlib import Path

log = logging.getLogger("warlog.files")

FOLDER, FILE = 0o700, 0o600


def opener(path: str, flags: int) -> int:
    """For `open`: a new file is for our own user alone."""
    return os.open(path, flags, FILE)


def close_folder(folder: Path) -> None:
    """Takes from everybody else what he may do with the folder and with all files and folders in it. Links are left
    alone, and sockets, which Redis makes. Warns of what cannot be changed because it is another user's."""
    _close(folder)
    for at, folders, files in os.walk(folder):
        for name in (*folders, *files):
            _close(Path(at) / name)


def close_top(folder: Path) -> None:
    """As `close_folder`, of the folder and the folders in it alone: without them nobody comes to the files."""
    if folder.is_dir():
        _close(folder)
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                _close(Path(entry.path))


def _close(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
        wanted = FOLDER if stat.S_ISDIR(mode) else FILE
        if (stat.S_ISDIR(mode) or stat.S_ISREG(mode)) and stat.S_IMODE(mode) != wanted:
            path.chmod(wanted)
    except FileNotFoundError:
        pass  # Redis has just put another file in its place
    except OSError as error:
        log.warning("%s stays open to other users of this machine: %s", path, error)
