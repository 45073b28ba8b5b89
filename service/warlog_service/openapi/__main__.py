"""Writes the document for people and generators: python -m warlog_service.openapi > docs/openapi.json"""

import sys

import msgspec

from warlog_service.app import Front
from warlog_service.openapi import rendered
from warlog_service.settings import Settings


def text() -> bytes:
    """The document that every server answers, a line for each value."""
    return msgspec.json.format(rendered(Front(Settings()).app), indent=1) + b"\n"


if __name__ == "__main__":
    sys.stdout.buffer.write(text())
