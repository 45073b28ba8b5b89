"""A missing package is said with what installs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needed(extra: str) -> Iterator[None]:
    """Around the import of what the extra installs. Raises ImportError with a sentence."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("warlog_core"):
            raise
        raise ImportError(
            f'{error.name} is missing: pip install "warlog-core[{extra}]" installs it', name=error.name
        ) from error
