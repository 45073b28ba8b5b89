"""A bot that plays any game at random, by what the service lists and nothing else.

    python clients/bots/random_bot.py --url http://127.0.0.1:8000 --token wl_… --match m_… --seat red

It takes the seat if it is free, prepares, and plays until the match is over. The token may also stand in WARLOG_TOKEN.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
from collections.abc import Sequence
from contextlib import aclosing

from warlog_client import AsyncClient, Match, VersionConflict
from warlog_client.models import Json

RELUCTANT = {"resign", "offer_draw", "accept_draw"}
"""Words that all rule books share, for ending a match without playing it out."""


def choose(actions: Sequence[Json], rng: random.Random) -> Json:
    """One of the listed actions: first a type, then an action of it, so that a hundred moves do not hide one attack.

    Never an open template, for what may be filled in is the rule book's secret; each book lists complete actions beside
    it. Resigns, offers or accepts a draw only where nothing else is left. Raises LookupError for nothing at all."""
    complete = [action for action in actions if not action.get("open")]
    if not complete:
        raise LookupError("nothing to choose from")
    eager = [action for action in complete if action["type"] not in RELUCTANT] or complete
    kind = rng.choice(list(dict.fromkeys(action["type"] for action in eager)))
    return rng.choice([action for action in eager if action["type"] == kind])


async def play(warlog: AsyncClient, match_id: str, seat: str, rng: random.Random) -> Match:
    """Plays the seat, which the client's player holds, until the match is finished or aborted; the match as it then is.

    Acts on the newest event alone: where the match has moved on meanwhile, a later event of the feed says whether the
    seat is still to act."""
    match = await warlog.match(match_id)
    newest = match.version
    async with aclosing(warlog.feed(match_id, seat=seat, after=newest - 1)) as feed:
        async for event in feed:
            if event.version < newest:
                continue
            if not event.to_act:
                match = await warlog.match(match_id)
                if match.status in ("finished", "aborted"):
                    break
            elif seat in event.to_act:
                newest = await _act(warlog, match_id, seat, event.version, rng)
    return match


async def _act(warlog: AsyncClient, match_id: str, seat: str, version: int, rng: random.Random) -> int:
    """Acts on this version; the first version of the feed that is worth looking at afterwards."""
    listing = await warlog.actions(match_id, seat)
    if listing.version != version:
        return listing.version
    try:
        done = await warlog.act(match_id, seat, choose(listing.actions, rng), if_match=version)
    except VersionConflict:
        return version + 1
    return done.version


async def sit_down(warlog: AsyncClient, match_id: str, seat: str) -> None:
    """Takes the seat if nobody holds it, and prepares. In the lobby only; later it does nothing."""
    match = await warlog.match(match_id)
    if match.status != "lobby":
        return
    place = next((place for place in match.seats if place.seat == seat), None)
    if place is None or place.player is None:
        await warlog.take_seat(match_id, seat)
    if place is None or not place.prepared:
        await warlog.prepare(match_id, seat)


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--token", default=os.environ.get("WARLOG_TOKEN"))
    parser.add_argument("--match", required=True)
    parser.add_argument("--seat", required=True)
    parser.add_argument(
        "--seed", type=int, help="repeats the choices; they still depend on the match's draws"
    )
    given = parser.parse_args()
    async with AsyncClient(given.url, given.token) as warlog:
        await sit_down(warlog, given.match, given.seat)
        match = await play(warlog, given.match, given.seat, random.Random(given.seed))
    print(f"{given.seat}: {match.status}", *(match.result.winners if match.result else []))


if __name__ == "__main__":
    asyncio.run(main())
