"""What the tests of both distributions read in a wheel."""

from __future__ import annotations

import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path


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
