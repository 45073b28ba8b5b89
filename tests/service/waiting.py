"""Waiting for what comes soon by itself: read models, reconnections."""

from __future__ import annotations

import time
from collections.abc import Callable


def eventually(holds: Callable[[], object], seconds: float = 30.0) -> None:
    """Returns when `holds()` is true. An AssertionError or a connection that fails on the way counts as not yet."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            if holds():
                return
            problem: Exception | None = None
        except Exception as error:
            problem = error
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} seconds") from problem
        time.sleep(0.02)
