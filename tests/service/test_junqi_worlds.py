"""What the server adds to a competitive match is a secret until its end: two worlds that differ in a player's layout,
score and gold alone answer alike to everybody else, byte for byte, on every route of the match."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.servers import WarlogServer
from tests.service.api import Api, ok
from tests.service.junqi import LAYOUT, QUICK, account, playing
from tests.service.test_worlds import WORLD, World, difference
from tests.turns import by_turns

OTHER = [*LAYOUT[:3], *reversed(LAYOUT[3:15]), *LAYOUT[15:]]
OPTIONS = {**QUICK, "players": 2, "stake": 10}
Before = Callable[[Api, Api, int], None]


class Room(World):
    """Red (south) and blue (north) lay out; what came before differs from world to world."""

    def __init__(self, server: WarlogServer, number: int, before: Before) -> None:
        self.arrive(server, "junqi", ("south", "north"))
        before(self.red, self.blue, number)
        seats = {"south": "me", "north": "open"}
        made = self.red.create(game="junqi", options=OPTIONS, seats=seats, mode="competitive")
        self.match = made["match"]["id"]
        ok(self.blue.put(f"/matches/{self.match}/seats/north", {}))
        self.prepare()

    def of_the_match(self) -> dict[str, bytes]:
        """Without the lists and accounts, in which what came before is public."""
        public = ("/matches?", "GET /matches", "HEAD /matches", "/players/", "/leaderboard")
        return {
            request: answer
            for request, answer in self.seen().items()
            if self.match in request or not any(word in request for word in public)
        }


@contextmanager
def rooms(folder: Path, before: Before) -> Iterator[list[Room]]:
    with ExitStack() as stack:
        servers = [
            stack.enter_context(WarlogServer(folder / str(number), environment=WORLD)) for number in range(2)
        ]
        yield [Room(server, number, before) for number, server in enumerate(servers)]


def another_layout(red: Api, blue: Api, number: int) -> None:
    ok(red.put("/players/me/layouts/junqi/mine", {"layout": (LAYOUT, OTHER)[number]}))
    ok(red.post("/players/me/layouts/junqi/mine/load", {}))
    ok(blue.put("/players/me/layouts/junqi/mine", {"layout": LAYOUT}))
    ok(blue.post("/players/me/layouts/junqi/mine/load", {}))


def another_score_and_balance(red: Api, blue: Api, number: int) -> None:
    """An earlier match, from which another of the two has fled."""
    another_layout(red, blue, 0)
    match = playing(("south", "north"), [red, blue], stake=50)
    seat, fleer = (("south", red), ("north", blue))[number]
    ok(fleer.delete(f"/matches/{match}/seats/{seat}"))
    account(red)  # by then it is settled


@pytest.mark.parametrize(
    "before", by_turns([another_layout, another_score_and_balance], 2, name=lambda before: before.__name__)
)
def test_what_the_server_adds_shows_nowhere_before_the_end(tmp_path: Path, before: Before) -> None:
    with rooms(tmp_path, before) as worlds:
        assert difference(*(room.of_the_match() for room in worlds)) == []
        for room in worlds:
            for player, seat in zip((room.red, room.blue), room.seats, strict=True):
                ok(player.act(room.match, seat, {"type": "ready"}), 201)
        assert difference(*(room.of_the_match() for room in worlds)) == []
        for room in worlds:
            ok(room.blue.delete(f"/matches/{room.match}/seats/north"))
        # In the end all is told.
        events = [ok(room.stranger.get(f"/matches/{room.match}/events"))["events"] for room in worlds]
        filled = [
            next(event for event in one if event["type"] == "match_started")["filled"] for one in events
        ]
        assert filled[0] != filled[1]
        options = [room.stranger.match(room.match)["options"] for room in worlds]
        assert options[0].keys() >= {"scores", "balances", "layouts"}
        assert options[0] != options[1]


def test_both_worlds_do_differ_to_who_knows(tmp_path: Path) -> None:
    with rooms(tmp_path, another_layout) as worlds:
        views = [ok(room.red.get(f"/matches/{room.match}/view?seat=south"))["view"] for room in worlds]
        assert views[0] != views[1]
