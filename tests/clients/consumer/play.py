"""What a third party writes with the package warlog-client alone: a bot that plays both sides of a match of each game.

    python play.py URL        for each game a line at half-time, and one with the version that was reached

tests/clients/test_wheel.py runs it in an environment that has the wheel and nothing of the server, and type-checks it.
"""

import asyncio
import random
import sys

from warlog_client import AsyncClient, Client, Event, Match, MatchStatus, Retry, RuleRefused

MOVES = 12


def play(url: str, token: str, game: str, rng: random.Random) -> Match:
    with Client(url, token, retry=Retry(attempts=12)) as warlog:
        seats = {seat.id: "me" for seat in warlog.game(game, options=options(game)).seats}
        match = warlog.matches.create(game, seats, options=options(game)).match
        done = 0
        event: Event
        for event in warlog.feed(match.id):
            if event.to_act and event.version > 1:
                seat = event.to_act[0]
                listed = warlog.actions(match.id, seat).actions
                whole = [one for one in listed if not one.get("open") and one["type"] != "resign"]
                try:
                    warlog.act(match.id, seat, rng.choice(whole))
                except RuleRefused as refused:
                    sys.exit(f"{game}: {refused.code}: {refused.detail}")
                done += 1
                if done == MOVES // 2:
                    print(game, "half", flush=True)
            if done == MOVES or event.result is not None:
                break
        return warlog.matches.get(match.id)


async def watch(url: str, match: str) -> MatchStatus:
    """The same calls, awaited."""
    async with AsyncClient(url) as stranger:
        spectator = await stranger.matches.view(match, at=2)
        async for event in stranger.matches.feed(match, after=spectator.at):
            if event.version >= spectator.version:
                break
        return (await stranger.matches.get(match)).status


def options(game: str) -> dict[str, object]:
    """Those that need no layout and no army."""
    known: dict[str, dict[str, object]] = {"hex": {"army": "preset"}, "junqi": {"mode": "flip"}}
    return known.get(game, {})


def main(url: str) -> None:
    rng = random.Random(7)
    with Client(url, retry=Retry(attempts=12)) as stranger:
        token = stranger.create_player("third party").token
        games: list[str] = [str(game.game) for game in stranger.games()]
    for game in games:
        match = play(url, token, game, rng)
        if match.visibility == "public" and game != "junqi":  # which has no spectators
            assert asyncio.run(watch(url, match.id)) == match.status
        print(game, match.version, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
