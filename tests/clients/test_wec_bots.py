"""Random bots play Weaponized Chess through a real server, by what it lists alone."""

from __future__ import annotations

import asyncio
import os
import random
from contextlib import AsyncExitStack
from typing import Any

import pytest
from clients.bots.random_bot import play, sit_down

from tests.clients.test_service import register
from tests.servers import WarlogServer
from warlog_client import AsyncClient

SECONDS_MAX = 300  # a random match takes some 500 actions, the longest of a thousand took four times as many
SHORT = ["sc_wec_tank_duel", "sc_wec_siege", "sc_wec_night_patrol", "sc_wec_ground_only"]


@pytest.fixture
def url(warlog_server: WarlogServer) -> str:
    return warlog_server.url


def value(rng: random.Random, schema: dict[str, Any], definitions: dict[str, Any]) -> Any:
    """Any value that the schema of an option allows."""
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rsplit("/", 1)[1]]
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if schema["type"] == "boolean":
        return rng.random() < 0.5
    return rng.randint(schema["minimum"], min(schema["maximum"], 9))


async def random_options(warlog: AsyncClient, rng: random.Random) -> dict[str, Any]:
    """Some options away from their defaults, by the schema that the service gives."""
    schema = (await warlog.game("wec")).options
    definitions = schema["$defs"]
    # These two depend on others.
    names = [name for name in schema["properties"] if name not in ("sub_jet_combat", "action_restriction")]
    return {name: value(rng, schema["properties"][name], definitions) for name in rng.sample(names, 8)}


async def one_match(url: str, seed: int, scenario: str | None = None) -> int:
    """Bots of two players play to the end; everybody saw the same match. The number of its events."""
    rng = random.Random(seed)
    async with AsyncExitStack() as stack:
        bots = [await stack.enter_async_context(AsyncClient(url, register(url))) for _ in range(2)]
        options = {} if scenario else await random_options(bots[0], rng)
        said = f"seed {seed}: {scenario} {options}"
        match = (
            await bots[0].create_match(
                "wec",
                {"black": "open", "white": "open"},
                options=options,
                mode=rng.choice(["casual", "competitive"]),
                scenario=scenario,
            )
        ).match
        for bot, seat in zip(bots, ("black", "white"), strict=True):
            await sit_down(bot, match.id, seat)
        async with asyncio.timeout(SECONDS_MAX):
            ends = await asyncio.gather(
                *(play(bot, match.id, seat, rng) for bot, seat in zip(bots, ("black", "white"), strict=True))
            )
        assert {end.status for end in ends} == {"finished"}, said
        assert ends[0].result == ends[1].result, said
        assert (await bots[0].verify(match.id)).status == "verified", said
        texts = [[line async for line in bot.history(match.id)] for bot in bots]
        assert texts[0] == texts[1], said
        assert ends[0].result is not None
        assert texts[0][-1].split(" ")[2] == ends[0].result.reason, said
        return ends[0].version


async def test_bots_play_wec_to_the_end_by_listing_alone(url: str, seed: int) -> None:
    for n, scenario in enumerate((None, SHORT[seed % len(SHORT)])):
        await one_match(url, seed + n, scenario)


@pytest.mark.soak
async def test_bots_play_wec_to_the_end_by_listing_alone_for_long(url: str, seed: int) -> None:
    """WARLOG_SOAK matches, four at a time, half of them from the standard setup."""
    at_once = asyncio.Semaphore(4)

    async def one(n: int) -> None:
        async with at_once:
            await one_match(url, seed + n, None if n % 2 else SHORT[n // 2 % len(SHORT)])

    await asyncio.gather(*(one(n) for n in range(int(os.environ.get("WARLOG_SOAK", "200")))))
