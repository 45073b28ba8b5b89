"""What somebody writes who has the package warlog-client and its README: two players play every game to its end.

    python bot.py URL        for each game a line with its name, the last version and the reason of the end

It knows no game: it takes what is listed whole, by the kinds of the description, and gives up where that takes long.
tests/clients/test_wheel.py runs it in an environment that has the wheel alone, and type-checks it.
"""

import asyncio
import sys
from collections import Counter
from contextlib import aclosing
from typing import Any

from warlog_client import AsyncClient, Event, Game, VersionConflict

LONG = 12  # actions of one seat


def chosen(game: Game, listed: list[dict[str, Any]], done: int) -> dict[str, Any] | None:
    """The kinds of the game first; an answer or a draw offer only where there is nothing else."""
    whole = [one for one in listed if "open" not in one]
    if done >= LONG and (resign := next((one for one in whole if one["type"] == "resign"), None)):
        return resign
    for kinds in (("play", "setup"), ("answer",), ("meta",)):
        types = sorted({one["type"] for one in whole if game.action(one["type"])["kind"] in kinds})
        if types:  # one after the other: there may be hundreds of moves, and one way to be ready
            found = [one for one in whole if one["type"] == types[done % len(types)]]
            return found[done * 7 % len(found)]
    return None


async def play(warlog: AsyncClient, match_id: str, game: Game, seats: set[str]) -> Event:
    """Plays these seats; gives the event that ends the match."""
    done = Counter[str]()
    async with aclosing(warlog.matches.feed(match_id)) as feed:
        async for event in feed:
            if event.is_over:
                return event
            for seat in sorted(seats.intersection(event.to_act)):
                listed = await warlog.matches.actions(match_id, seat)
                action = chosen(game, listed.actions, done[seat])
                try:
                    if action is not None:
                        await warlog.matches.act(match_id, seat, action, if_match=event.version)
                        done[seat] += 1
                except VersionConflict:
                    break  # the event is old, and a newer one follows
    raise AssertionError("a feed does not end by itself")


async def match_of(ada: AsyncClient, bob: AsyncClient, game: Game) -> str:
    seats = [seat.id for seat in game.seats]
    his = {*seats[1::2]}
    wanted = {seat: "open" if seat in his else "me" for seat in seats}
    match = (await ada.matches.create(game.game, wanted)).match
    for seat in seats:
        if seat in his:
            await bob.matches.take_seat(match.id, seat)
        await (bob if seat in his else ada).matches.prepare(match.id, seat)
    end, _ = await asyncio.gather(play(ada, match.id, game, {*seats} - his), play(bob, match.id, game, his))
    return f"{game.game} {end.version} {end.result and end.result.reason}"


async def main(url: str) -> None:
    async with AsyncClient(url) as stranger:
        tokens = [(await stranger.players.create(name)).token for name in ("ada", "bob")]
        games = [await stranger.games.get(one.game) for one in await stranger.games()]
    async with AsyncClient(url, tokens[0]) as ada, AsyncClient(url, tokens[1]) as bob:
        for game in games:
            print(await match_of(ada, bob, game), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
