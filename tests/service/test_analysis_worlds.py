"""An analysis knows what its seat knows: of two matches that differ in what the opponent, a bot, hides and in nothing
else, the programs that analyse are told the same, byte for byte, and the reader gets the same answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.servers import RedisServer, WarlogServer
from tests.service.api import Api, Feed, ok
from tests.service.test_analysis import FEW, Program, ask, later
from tests.service.test_bots import bot, printed
from tests.service.test_wec_worlds import START, Json, articles, other, pieces, places
from tests.service.test_worlds import WORLD
from tests.service.waiting import eventually
from tests.turns import by_turns


class World:
    """One server with a match of a bot, who has black, and a player."""

    def __init__(self, server: WarlogServer, redis: RedisServer, position: Json, room: ExitStack) -> None:
        self.stranger = room.enter_context(Api(server.url))
        host, self.white = (self.stranger.player(name) for name in ("ada", "bob"))
        self.black = bot(self.stranger, printed(redis, "--token"), 3)
        feed = room.enter_context(Feed(f"{server.url}/v1/players/me/feed", self.black.token))
        feed.take(1)
        eventually(lambda: ok(self.stranger.get("/bots"))["alive"])
        seats = {"black": "bot:3", "white": self.white.id}
        made = host.create(game="wec", options={}, position=position, seats=seats)
        self.match = made["match"]["id"]
        ok(self.white.command(self.match, {"type": "prepare", "seat": "white"}), 201)
        moved = {"type": "move", "piece": 2, "to": "a2", "level": "ground"}
        for action in (moved, {"type": "end_turn"}):
            ok(self.black.act(self.match, "black", action), 201)

    def analysed(self, reader: Api, seat: str, **how: Any) -> tuple[Json, bytes]:
        """What a program was told, and what the reader was."""
        with ThreadPoolExecutor(1) as threads:
            waiting = later(threads, reader, self.match, seat, iterations=FEW, **how)
            task = Program(self.black).work()
            answer = waiting.result()
        assert answer.status_code == 200, answer.text
        return task, answer.content


@contextmanager
def two_worlds(folder: Path, second: Json) -> Iterator[list[World]]:
    with ExitStack() as room:
        worlds = []
        for number, position in enumerate((START, second)):
            redis = room.enter_context(RedisServer(fsync="no"))
            data = folder / str(number)
            server = room.enter_context(WarlogServer(data, redis=redis.url, environment=WORLD))
            worlds.append(World(server, redis, position, room))
        yield worlds


@pytest.mark.parametrize(
    "change", by_turns([articles, places, pieces], 3, name=lambda change: change.__name__)
)
def test_what_the_opponent_hides_changes_no_analysis(
    tmp_path: Path, change: Callable[[Json, dict[int, Json]], None]
) -> None:
    with two_worlds(tmp_path, other(change)) as worlds:
        one, two = (world.analysed(world.white, "white") for world in worlds)
        assert one == two
        refusals = [ask(world.white, world.match, "black").content for world in worlds]
        assert refusals[0] == refusals[1]
        # When it is over everybody may ask for both seats, and black's is another one.
        for world in worlds:
            ok(world.white.act(world.match, "white", {"type": "resign"}), 201)
        at = worlds[0].white.match(worlds[0].match)["version"] - 2
        one, two = (world.analysed(world.stranger, "black", at=at) for world in worlds)
        assert one[0]["state"] != two[0]["state"]
