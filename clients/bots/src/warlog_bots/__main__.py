"""`python -m warlog_bots`: plays every match of the account whose token stands in WARLOG_TOKEN."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os

import warlog_core
from warlog_client import AsyncClient

from .engine import Engine
from .thinker import Thinker


async def play(url: str, token: str, level: int, budget: float, match: str | None) -> None:
    thinker = Thinker(budget)
    try:
        async with AsyncClient(url, token) as warlog:
            mine = (lambda one: one == match) if match else (lambda one: True)
            await Engine(warlog, thinker, level=level, mine=mine).run()
    finally:
        await thinker.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m warlog_bots", description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--level", type=int, default=5, choices=warlog_core.LEVELS, help="default 5")
    parser.add_argument("--match", help="play this match alone")
    parser.add_argument(
        "--budget", type=float, default=1.0, help="processor seconds per second for searches; default 1"
    )
    given = parser.parse_args()
    token = os.environ.get("WARLOG_TOKEN")
    if not token:
        parser.error("WARLOG_TOKEN holds no token")
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    asyncio.run(play(given.url, token, given.level, given.budget, given.match))


if __name__ == "__main__":
    main()
