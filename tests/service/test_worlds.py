"""Two worlds with one clock, one source of ids and one seed, whose matches differ in what red hides and in
nothing else:
blue, a spectator and an outsider must get the same bytes, headers included, from every route. And faults are
found so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.servers import WarlogServer
from tests.service.api import UNLIMITED, Api, ok
from tests.service.every_route import Asked, Table, look
from tests.turns import by_turns

WORLD = {**UNLIMITED, "WARLOG_TEST_WORLD": "17"}
RECRUIT = {"army": "recruit", "obstacles": "random", "army_points": 600}
DEPLOY = {"army": "preset", "deployment": "chosen", "obstacles": "none", "width": 11}


# A short run looks at casual matches in test_casual_worlds.py.
MODES = [pytest.param("casual", marks=pytest.mark.soak), "competitive"]


WRONG: list[dict[str, Any]] = [
    {"type": "place", "piece": 1, "to": "a1"},
    {"type": "attack", "piece": 1, "target": "b2"},
    {"type": "recruit", "army": []},
]


class LeakyServer(WarlogServer):
    """`warlog serve` with one of the faults of leaky.py."""

    def __init__(self, data: Path, fault: str) -> None:
        self._fault = fault
        super().__init__(data, environment=WORLD)

    def start(self) -> None:
        self._command[1:3] = ["-m", "tests.service.leaky", self._fault]
        super().start()


class World:
    """One server with a match of two seats, an outsider and a stranger; everything in it is asked in the same order.
    The first seat, whose player is called red, has something to hide."""

    def __init__(
        self,
        server: WarlogServer,
        options: dict[str, Any],
        mode: str,
        game: str = "hex",
        seats: tuple[str, str] = ("red", "blue"),
    ) -> None:
        self.arrive(server, game, seats)
        holders = {seats[0]: "me", seats[1]: self.blue.id}
        made = self.red.create(game=game, options=options, seats=holders, mode=mode)
        self.match = made["match"]["id"]
        self.prepare()

    def arrive(self, server: WarlogServer, game: str, seats: tuple[str, str]) -> None:
        """The people, before there is a match."""
        self.server, self.game, self.seats = server, game, seats
        self.asked: list[Asked] = []
        self.stranger = Api(server.url)
        self.red, self.blue, self.outsider = (self.stranger.player(name) for name in ("red", "blue", "eve"))

    def prepare(self) -> None:
        for player, seat in zip((self.red, self.blue), self.seats, strict=True):
            ok(player.command(self.match, {"type": "prepare", "seat": seat}), 201)

    def seen(self, wrong: Sequence[dict[str, Any]] = WRONG, *, beside: bool = True) -> dict[str, bytes]:
        """Everything that everybody but red can get, request by request."""
        readers = {"blue": self.blue, "outsider": self.outsider, "stranger": self.stranger}
        return look(
            Table(self.match, self.game, self.seats, self.red, readers), self.asked, wrong, beside=beside
        )


def difference(first: dict[str, bytes], second: dict[str, bytes]) -> list[str]:
    """The requests whose answers differ."""
    assert first.keys() == second.keys()
    return [request for request in first if first[request] != second[request]]


@contextmanager
def two_worlds(
    folder: Path, options: dict[str, Any], mode: str, fault: str | None, *game: Any
) -> Iterator[list[World]]:
    with servers_of_two_worlds(folder, fault=fault) as servers:
        yield [World(server, options, mode, *game) for server in servers]


@contextmanager
def servers_of_two_worlds(
    folder: Path, count: int = 2, *, fault: str | None = None
) -> Iterator[list[WarlogServer]]:
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                LeakyServer(folder / str(number), fault)
                if fault
                else WarlogServer(folder / str(number), environment=WORLD)
            )
            for number in range(count)
        ]


def hidden_army(folder: Path, mode: str, fault: str | None = None) -> list[str]:
    armies = (
        [{"unit": "militia", "count": 9}],
        [{"unit": "giant", "count": 5}, {"unit": "wolf", "count": 11}],
    )
    with two_worlds(folder, RECRUIT, mode, fault) as worlds:
        for world, army in zip(worlds, armies, strict=True):
            ok(world.red.act(world.match, "red", {"type": "recruit", "army": army}), 201)
        first, second = (world.seen() for world in worlds)
    return difference(first, second)


def hidden_deployment(folder: Path, mode: str, fault: str | None = None) -> list[str]:
    with two_worlds(folder, DEPLOY, mode, fault) as worlds:
        for world, (piece, to) in zip(worlds, ((1, "b3"), (2, "a2")), strict=True):
            ok(world.red.act(world.match, "red", {"type": "place", "piece": piece, "to": to}), 201)
            ok(world.red.act(world.match, "red", {"type": "ready"}), 201)
        first, second = (world.seen() for world in worlds)
    return difference(first, second)


@pytest.mark.parametrize("mode", MODES)
def test_a_hidden_army_shows_nowhere(tmp_path: Path, mode: str) -> None:
    assert hidden_army(tmp_path, mode) == []


@pytest.mark.parametrize("mode", MODES)
def test_an_army_that_is_bought_in_secret_shows_nowhere(tmp_path: Path, mode: str) -> None:
    """Confrontation's phase `army`."""
    bought = ({"pawn": 12}, {"rook": 3, "knight": 1})
    with two_worlds(tmp_path, {}, mode, None, "confrontation", ("white", "black")) as worlds:
        for world, pieces in zip(worlds, bought, strict=True):
            ok(world.red.act(world.match, "white", {"type": "army", "pieces": pieces}), 201)
        first, second = (world.seen() for world in worlds)
    assert difference(first, second) == []


@pytest.mark.parametrize("mode", MODES)
def test_a_hidden_deployment_shows_nowhere(tmp_path: Path, mode: str) -> None:
    assert hidden_deployment(tmp_path, mode) == []


FAULTS = [
    (
        "action",
        ["blue feed", "stranger feed", "blue GET /matches/{}/events", "outsider GET /matches/{}/history"],
    ),
    ("effects", ["blue feed", "blue GET /matches/{}/events", "blue HEAD /matches/{}/events"]),
    ("listing", ["blue GET /matches/{}/actions?seat=blue&trace=true"]),
    ("length", ["stranger feed"]),
    (
        "problem",
        [f"blue POST /matches/{{}}/commands {{'type': 'act', 'seat': 'blue', 'action': {WRONG[2]}}}"],
    ),
    ("view", ["stranger GET /matches/{}/view", "outsider GET /matches/{}/view?at=4"]),
]


@pytest.mark.parametrize(("fault", "where"), by_turns(FAULTS, 3, name=lambda one: one[0]))
def test_a_fault_that_shows_a_hidden_army_is_found(tmp_path: Path, fault: str, where: list[str]) -> None:
    import re

    found = {
        re.sub("m_[0-9]+_[a-z0-9]+", "{}", request) for request in hidden_army(tmp_path, "competitive", fault)
    }
    assert set(where) <= found


def test_a_fault_that_shows_a_hidden_deployment_is_found(tmp_path: Path) -> None:
    assert hidden_deployment(tmp_path, "competitive", "view")


def test_a_fault_that_traces_a_hidden_action_is_found(tmp_path: Path) -> None:
    found = hidden_deployment(tmp_path, "competitive", "trace")
    assert any(request.startswith("blue GET") for request in found)
    assert any(request.startswith("stranger GET") for request in found)
    assert all("/trace?" in request for request in found)


def test_what_is_public_does_differ_between_worlds(tmp_path: Path) -> None:
    """Otherwise the comparison could not fail: an open act is seen by all."""
    with two_worlds(tmp_path, {"army": "preset", "obstacles": "none"}, "competitive", None) as (
        first,
        second,
    ):
        seat = first.red.match(first.match)["to_act"][0]
        for world, kind in ((first, "defend"), (second, "wait")):
            actor = world.red if seat == "red" else world.blue
            piece = ok(actor.get(f"/matches/{world.match}/view?seat={seat}"))["view"]["active"]
            ok(actor.act(world.match, seat, {"type": kind, "piece": piece}), 201)
        assert "stranger feed" in difference(first.seen(), second.seen())


def test_what_people_are_told_does_not_depend_on_what_is_hidden(tmp_path: Path) -> None:
    """Their personal feeds, from before the match to its end."""
    armies = (
        [{"unit": "militia", "count": 9}],
        [{"unit": "giant", "count": 5}, {"unit": "wolf", "count": 11}],
    )
    told: list[dict[str, bytes]] = []
    with servers_of_two_worlds(tmp_path) as servers:
        for server, army in zip(servers, armies, strict=True):
            world = World.__new__(World)
            world.arrive(server, "hex", ("red", "blue"))
            with world.blue.personal_feed() as blues, world.outsider.personal_feed() as outsiders:
                for feed in (blues, outsiders):
                    feed.take(1)
                made = world.red.create(options=RECRUIT, seats={"red": "me", "blue": world.blue.id})
                world.match = made["match"]["id"]
                world.prepare()
                ok(world.red.act(world.match, "red", {"type": "recruit", "army": army}), 201)
                ok(
                    world.red.command(
                        world.match, {"type": "propose", "proposal": {"kind": "undo", "to": 3}}
                    ),
                    201,
                )
                ok(world.blue.command(world.match, {"type": "accept", "proposal": 5}), 201)
                ok(world.red.act(world.match, "red", {"type": "recruit", "army": army}), 201)
                ok(world.blue.act(world.match, "blue", {"type": "resign"}), 201)
                names = [name for _, name, _ in blues.take(6)]
                assert names == [
                    "challenged",
                    "match_started",
                    "your_turn",
                    "proposal",
                    "your_turn",
                    "match_over",
                ]
                world.outsider.alone()
                outsiders.take(3)
                told.append({"blue": blues.raw, "outsider": outsiders.raw})
    assert difference(*told) == []
