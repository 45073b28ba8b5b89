"""Random bots play every game through a real server by what it lists alone, with the options of the published matches.

Hex Tactics and Weaponized Chess have bots of their own beside this (test_service.py, test_wec_bots.py).
"""

from __future__ import annotations

import asyncio
import os
import random
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest
from clients.bots.random_bot import play, sit_down

from tests.clients.test_service import register, until_over
from tests.servers import WarlogServer
from tests.turns import by_turns
from warlog_client import AsyncClient

SECONDS_MAX = 1_200  # a match that takes longer hangs; four at once take minutes on a busy machine
FOLDER = Path(__file__).parents[1] / "playthroughs"
FILES = sorted(path.name for path in FOLDER.glob("*.jsonl") if not path.name.startswith(("hex-", "wec-")))
# Random moves seldom end a match of five factions: in CI one without conquests for a while is drawn.
SHORTER: dict[str, dict[str, object]] = {"universal": {"quiet_limit": 15}}


@pytest.fixture
def url(warlog_server: WarlogServer) -> str:
    return warlog_server.url


def beginning(file: str) -> dict[str, Any]:
    with (FOLDER / file).open("rb") as lines:
        first: dict[str, Any] = msgspec.json.decode(next(lines))
    return first


async def one_match(url: str, file: str, seed: int, changes: dict[str, object]) -> None:
    """Bots of different players play to the end while a spectator follows; everybody saw the same match, and its draws,
    hashes and chain can be recomputed."""
    rng = random.Random(seed)
    first = beginning(file)
    said = f"{file} seed {seed}"
    async with AsyncExitStack() as stack:
        seats = first["seats"]
        bots = [await stack.enter_async_context(AsyncClient(url, register(url))) for _ in seats]
        spectator = await stack.enter_async_context(AsyncClient(url))
        made = await bots[0].create_match(
            first["game"],
            dict.fromkeys(seats, "open"),
            options={**first["options"], **changes},
            **({"position": first["position"]} if first.get("position") else {}),
        )
        match = made.match.id
        for bot, seat in zip(bots, seats, strict=True):
            await sit_down(bot, match, seat)
        following = asyncio.create_task(until_over(spectator, match))
        async with asyncio.timeout(SECONDS_MAX):
            ends = await asyncio.gather(
                *(play(bot, match, seat, rng) for bot, seat in zip(bots, seats, strict=True))
            )
            seen = await following
        assert {end.status for end in ends} == {"finished"}, said
        assert all(end.result == seen[-1].result for end in ends), said
        assert [event.version for event in seen] == list(range(1, ends[0].version + 1)), said
        assert (await spectator.verify(match)).status == "verified", said


@pytest.mark.parametrize("file", by_turns(FILES, 8))
async def test_bots_play_to_the_end_by_listing_alone(url: str, file: str, seed: int) -> None:
    await one_match(url, file, seed, SHORTER.get(file.partition("-")[0], {}))


@pytest.mark.soak
@pytest.mark.parametrize("game", sorted({file.partition("-")[0] for file in FILES}))
async def test_bots_play_to_the_end_by_listing_alone_for_long(url: str, game: str, seed: int) -> None:
    """WARLOG_SOAK matches of each game, four at a time."""
    files = [file for file in FILES if file.startswith(f"{game}-")]
    at_once = asyncio.Semaphore(4)

    async def one(n: int) -> None:
        async with at_once:
            await one_match(url, files[n % len(files)], seed + n, {} if n % 4 == 0 else SHORTER.get(game, {}))

    await asyncio.gather(*(one(n) for n in range(int(os.environ.get("WARLOG_SOAK", "200")))))
