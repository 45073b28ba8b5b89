"""What a third party writes with the package warlog-client alone: a bot that plays all seats of a match of each game.

    python play.py URL SEED [MOVES]    so many actions of each match, or all to its end; for each a line with the name
                                       of the game, the match, and how often the bot acted

tests/clients/test_wheel.py runs it in an environment that has the wheel and nothing of the server, and type-checks it.
"""

import asyncio
import random
import sys
from typing import Any

from warlog_client import AsyncClient, Client, Event, Match, MatchStatus, Retry, RuleRefused

RELUCTANT = {"resign", "offer_draw", "accept_draw"}


def choose(listed: list[dict[str, Any]], rng: random.Random) -> dict[str, Any]:
    """First a type, then an action of it, so that a hundred moves do not hide one attack."""
    whole = [one for one in listed if not one.get("open")]
    eager = [one for one in whole if one["type"] not in RELUCTANT] or whole
    kind = rng.choice(sorted({one["type"] for one in eager}))
    return rng.choice([one for one in eager if one["type"] == kind])


def play(url: str, token: str, game: str, rng: random.Random, moves: int | None) -> tuple[Match, int]:
    """The match, and how often the bot acted."""
    with Client(url, token, retry=Retry(attempts=12)) as warlog:
        seats = {seat.id: "me" for seat in warlog.game(game, options=options(game)).seats}
        match = warlog.matches.create(game, seats, options=options(game)).match
        seen = done = 0
        event: Event
        for event in warlog.feed(match.id):
            if event.version != seen + 1:
                sys.exit(f"{game}: {event.version} follows {seen}")
            seen = event.version
            if done == moves or event.is_over:
                break
            if event.to_act and event.version > 1:
                seat = event.to_act[0]
                try:
                    warlog.act(match.id, seat, choose(warlog.actions(match.id, seat).actions, rng))
                except RuleRefused as refused:
                    sys.exit(f"{game}: {refused.code}: {refused.detail}")
                done += 1
        return warlog.matches.get(match.id), done


async def watch(url: str, match: str) -> MatchStatus:
    """The same calls, awaited."""
    async with AsyncClient(url, retry=Retry(attempts=12)) as stranger:
        spectator = await stranger.matches.view(match, at=2)
        async for event in stranger.matches.feed(match, after=spectator.at):
            if event.version >= spectator.version:
                break
        return (await stranger.matches.get(match)).status


def options(game: str) -> dict[str, object]:
    """Those that need no layout and no army, and end a match at last in which nobody gains anything."""
    known: dict[str, dict[str, object]] = {
        "hex": {"army": "preset"},
        "junqi": {"mode": "flip"},
        "universal": {"quiet_limit": 15},
    }
    return known.get(game, {})


def main(url: str, seed: str, moves: str | None = None) -> None:
    rng = random.Random(int(seed))
    with Client(url, retry=Retry(attempts=12)) as stranger:
        token = stranger.create_player("third party").token
        games: list[str] = [str(game.game) for game in stranger.games()]
    for game in games:
        match, done = play(url, token, game, rng, int(moves) if moves else None)
        if match.visibility == "public" and game != "junqi":  # which has no spectators
            assert asyncio.run(watch(url, match.id)) == match.status
        print(game, match.id, done, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
