"""Two worlds with one clock, one source of ids and one seed, whose Weaponized Chess matches differ in what White cannot
know (wec 8, "The promise") and in nothing else: Black's hidden pieces and their places, the articles they carry, their
ids and locks, Black's waiting reinforcements, ghosts and quotas. White, an outsider and a stranger must get the same
bytes, headers included, from every route, also after the same actions."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.servers import WarlogServer
from tests.service.api import Api, ok
from tests.service.every_route import Asked, Asking, Table, look
from tests.service.test_worlds import WORLD, difference
from tests.turns import by_turns

Json = dict[str, Any]
OPEN = [
    {"id": 1, "seat": "black", "type": "king", "at": "e1"},
    {"id": 2, "seat": "black", "type": "tank", "at": "a1", "hand": "right"},
    {"id": 3, "seat": "black", "type": "stealth_pawn", "at": "e2", "unmoved": True, "revealed_until": 2},
    {"id": 60, "seat": "white", "type": "king", "at": "f10"},
    {"id": 61, "seat": "white", "type": "tank", "at": "j10", "hand": "left"},
    {"id": 62, "seat": "white", "type": "aaa", "at": "h10"},
    {"id": 63, "seat": "white", "type": "aaa", "at": "c10"},
    {"id": 64, "seat": "white", "type": "jet", "at": "g9", "level": "air"},
]
HIDDEN = [
    {"id": 10, "seat": "black", "type": "aaa", "at": "c2"},
    {"id": 11, "seat": "black", "type": "sub", "at": "b1", "level": "sub"},
    {"id": 12, "seat": "black", "type": "dozer", "at": "h1", "articles": ["stealth"]},
]
START: Json = {
    "pieces": OPEN + HIDDEN,
    "articles": [{"at": "a5", "articles": ["flame"]}, {"at": "c3", "articles": ["bicycle"]}],
    "reinforcements": [
        {"id": 40, "seat": "black", "type": "tank", "at": "a8", "hand": "right"},
        {"id": 41, "seat": "black", "type": "sub", "at": "b8"},
        {"id": 42, "seat": "white", "type": "jet", "at": "c3"},
    ],
}


def other(change: Callable[[Json, dict[int, Json]], None]) -> Json:
    """The start with something else that White cannot know; `change` gets it and its pieces by id."""
    position = copy.deepcopy(START)
    change(position, {piece["id"]: piece for piece in position["pieces"] + position["reinforcements"]})
    return position


def articles(position: Json, piece: dict[int, Json]) -> None:
    piece[10]["articles"] = [{"kind": "sam_launcher", "ready_turn": 7}]
    piece[11]["articles"] = ["xxx", "anti_torpedo", "scuba"]
    piece[12]["articles"] = ["xxx", "stealth", "bicycle"]


def places(position: Json, piece: dict[int, Json]) -> None:
    piece[10].update(at="d2", stunned_until=5)
    piece[11]["at"] = "h3"
    piece[12]["at"] = "i2"


def pieces(position: Json, piece: dict[int, Json]) -> None:
    position["pieces"].remove(piece[12])
    piece[11].update(type="rocket_pawn", articles=["scuba"], journey=diving("d5", ["c4", "d5"]), at="b3")
    position["pieces"].append({"id": 13, "seat": "black", "type": "aaa", "at": "c2"})


def diving(to: str, remaining: list[str]) -> Json:
    return {"article": "scuba", "to": to, "path": "beeline", "remaining": remaining}


def locks(position: Json, piece: dict[int, Json]) -> None:
    piece[3]["lock"] = 62


def another_lock(position: Json, piece: dict[int, Json]) -> None:
    piece[3]["lock"] = 63


def ids(position: Json, piece: dict[int, Json]) -> None:
    for one in position["pieces"] + position["reinforcements"]:
        if one["seat"] == "black":
            one["id"] = 1000 - one["id"]


def reinforcements(position: Json, piece: dict[int, Json]) -> None:
    piece[40].update(type="aaa")
    del piece[40]["hand"]
    piece[41].update(type="destroyer")
    position["reinforcements"].append({"id": 43, "seat": "black", "type": "dozer", "at": "b8"})


def quotas(position: Json, piece: dict[int, Json]) -> None:
    position["turn_state"] = {
        "fires": 2,
        "pick_ups": 1,
        "drops": 1,
        "acted": [2],
        "fired": [2],
        "vacated": ["a8"],
    }
    position["ghosts"] = {"black": [{"type": "aaa", "at": "c9", "level": "ground", "turn": 1}]}


def everything(position: Json, piece: dict[int, Json]) -> None:
    unlocked(position, piece)
    locks(position, piece)


def unlocked(position: Json, piece: dict[int, Json]) -> None:
    """Everything but locks, which spectators of a casual match see by what they show."""
    for change in (articles, places, reinforcements, ids):
        change(position, piece)


class World:
    """One server with a match of black and white, an outsider and a stranger; everything is asked in the same order."""

    def __init__(
        self,
        server: WarlogServer,
        position: Json,
        mode: str,
        *,
        proposed: bool = False,
        open_record: bool = False,
    ) -> None:
        """`proposed`: the lobby agrees on the Position; otherwise Black creates the match with it."""
        self.asked: list[Asked] = []
        self.looked = False
        self.stranger = Api(server.url)
        self.black, self.white, self.outsider = (self.stranger.player(name) for name in ("ada", "bob", "eve"))
        self.ids = {(p["type"], p["seat"]): p["id"] for p in position["pieces"]}
        made = self.black.create(
            game="wec",
            options={},
            position=None if proposed else position,
            mode=mode,
            open_record=open_record,
            seats={"black": "me", "white": self.white.id},
        )
        self.match = made["match"]["id"]
        self.lobby = self.table()
        if proposed:
            self.propose(kind="options", position=position)
            self.lobby |= {f"proposed {request}": answer for request, answer in self.table().items()}
            self.accept()
            self.lobby |= {f"agreed {request}": answer for request, answer in self.table().items()}
        for player, seat in ((self.black, "black"), (self.white, "white")):
            ok(player.command(self.match, {"type": "prepare", "seat": seat}), 201)

    def propose(self, **proposal: Any) -> None:
        ok(self.black.command(self.match, {"type": "propose", "proposal": proposal}), 201)

    def accept(self) -> None:
        proposal = self.black.match(self.match)["proposal"]["version"]
        ok(self.white.command(self.match, {"type": "accept", "proposal": proposal}), 201)

    def table(self) -> dict[str, bytes]:
        """What is said of the match while its players negotiate."""
        seen = self.answers([f"/matches/{self.match}", f"/matches/{self.match}/events"])
        version = self.black.match(self.match)["version"]
        for name, who in (("white", self.white), ("stranger", self.stranger)):
            with who.feed(self.match, after=0) as feed:
                if feed.status == 200:
                    feed.take(version)
                seen[f"{name} feed"] = b"\n".join([*feed.headers, feed.raw])
        return seen

    def act(self, seat: str, kind: str, type_: str = "", **fields: Any) -> None:
        """The action of the seat's only piece of that type."""
        action: Json = {"type": kind, **fields}
        if type_:
            action["piece"] = self.ids[type_, seat]
        player = self.black if seat == "black" else self.white
        ok(player.act(self.match, seat, action), 201)

    @property
    def readers(self) -> dict[str, Api]:
        return {"white": self.white, "outsider": self.outsider, "stranger": self.stranger}

    def answers(self, paths: list[str]) -> dict[str, bytes]:
        seen: dict[str, bytes] = {}
        for name, who in self.readers.items():
            asking = Asking(name, who, seen, self.asked)
            for path in paths:
                asking.read(path)
            asking.close()
        return seen

    def seen(self) -> dict[str, bytes]:
        """Everything that everybody but Black can get, request by request; what the server says beside the match once,
        since the match's course is no part of it."""
        beside, self.looked = not self.looked, True
        table = Table(self.match, "wec", ("black", "white"), self.black, self.readers)
        return look(table, self.asked, self._wrong(), beside=beside)

    def _wrong(self) -> list[Json]:
        """Actions of White that nobody but Black could do, or that go wrong."""
        tank, jet = self.ids["tank", "white"], self.ids["jet", "white"]
        acts: list[Json] = [{"type": "accept_draw"}]
        acts += [{"type": "move", "piece": tank, "to": to, "level": level}
                 for to, level in (("c2", "ground"), ("b1", "sub"), ("h1", "ground"), ("e1", "ground"))]  # fmt: skip
        acts += [{"type": "move", "piece": id, "to": "c2", "level": "ground"} for id in (10, 40, 990, 32767)]
        acts += [{"type": "reinforce", "piece": id} for id in (40, 42, 960)]
        acts += [
            {"type": "fire", "piece": jet, "weapon": "sam_launcher", "target": to} for to in ("c2", "b1")
        ]
        return acts


@contextmanager
def two_worlds(
    folder: Path, second: Json, mode: str, *, proposed: bool = False, open_record: bool = False
) -> Iterator[list[World]]:
    with ExitStack() as stack:
        servers = [
            stack.enter_context(WarlogServer(folder / str(number), environment=WORLD)) for number in range(2)
        ]
        yield [
            World(server, position, mode, proposed=proposed, open_record=open_record)
            for server, position in zip(servers, (START, second), strict=True)
        ]


def both(worlds: list[World], seat: str, kind: str, type_: str = "", **fields: Any) -> None:
    for world in worlds:
        world.act(seat, kind, type_, **fields)


def compared(worlds: list[World]) -> list[str]:
    first, second = (world.seen() for world in worlds)
    return difference(first, second)


LONG = [articles, places, locks, another_lock, ids, reinforcements]
CHANGES = [
    *by_turns([pieces, quotas, everything], 3, name=lambda change: change.__name__),
    *(pytest.param(change, marks=pytest.mark.soak) for change in LONG),
]
AGREED = [
    *by_turns([pieces, quotas, everything], 3, name=lambda change: change.__name__),
    *(pytest.param(change, marks=pytest.mark.soak) for change in LONG),
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_white_cannot_know_shows_nowhere(
    tmp_path: Path, change: Callable[[Json, dict[int, Json]], None]
) -> None:
    with two_worlds(tmp_path, other(change), "competitive") as worlds:
        assert difference(worlds[0].lobby, worlds[1].lobby) == []
        assert compared(worlds) == []
        # The hidden dozer's kind of Move, a Move in the open, and White's answer: the same in both.
        both(worlds, "black", "move", "king", to="d1", level="ground")
        both(worlds, "black", "end_turn")
        assert compared(worlds) == []
        both(worlds, "white", "move", "tank", to="j8", level="ground")
        both(worlds, "white", "offer_draw")
        both(worlds, "white", "end_turn")
        assert compared(worlds) == []


def test_different_hidden_moves_show_nowhere(tmp_path: Path) -> None:
    with two_worlds(tmp_path, START, "competitive") as worlds:
        for world, (type_, to, level) in zip(
            worlds, (("aaa", "d3", "ground"), ("sub", "c2", "sub")), strict=True
        ):
            world.act("black", "move", type_, to=to, level=level)
            world.act("black", "end_turn")
        assert compared(worlds) == []
        both(worlds, "white", "move", "king", to="e10", level="ground")
        assert compared(worlds) == []


@pytest.mark.parametrize("change", AGREED)
def test_what_white_agrees_to_shows_no_more_than_white_will_see(
    tmp_path: Path, change: Callable[[Json, dict[int, Json]], None]
) -> None:
    with two_worlds(tmp_path, other(change), "competitive", proposed=True) as worlds:
        assert difference(worlds[0].lobby, worlds[1].lobby) == []
        assert compared(worlds) == []


def test_an_edit_shows_white_what_white_will_see_and_the_others_nothing(tmp_path: Path) -> None:
    positions = (START, other(unlocked))
    with two_worlds(tmp_path, START, "casual") as worlds:
        for world, position in zip(worlds, positions, strict=True):
            world.propose(kind="edit", position=position)
        asked = [world.table() for world in worlds]
        assert difference(*asked) == []
        assert b'"enemies"' in asked[0][f"white GET /matches/{worlds[0].match}"]
        assert b'"enemies"' not in asked[0][f"stranger GET /matches/{worlds[0].match}"]
        for world in worlds:
            world.accept()
        assert compared(worlds) == []


@pytest.mark.parametrize(
    "change", [pieces, *(pytest.param(change, marks=pytest.mark.soak) for change in (unlocked, quotas))]
)
def test_nor_does_it_in_a_casual_match(
    tmp_path: Path, change: Callable[[Json, dict[int, Json]], None]
) -> None:
    with two_worlds(tmp_path, other(change), "casual") as worlds:
        assert difference(worlds[0].lobby, worlds[1].lobby) == []
        assert compared(worlds) == []
        both(worlds, "black", "move", "king", to="d1", level="ground")
        both(worlds, "black", "end_turn")
        assert compared(worlds) == []
        # Back by consent: what was seen is seen still, and nothing more.
        for world in worlds:
            world.propose(kind="undo", to=4)
            world.accept()
        assert compared(worlds) == []


def test_an_open_record_does_differ(tmp_path: Path) -> None:
    """Otherwise the comparison could not fail."""
    with two_worlds(tmp_path, other(unlocked), "casual", open_record=True) as worlds:
        found = {request.split("/")[-1] for request in compared(worlds)}
        assert {"history", "export", "view?seat=all"} <= found


def test_what_everybody_sees_does_differ(tmp_path: Path) -> None:
    with two_worlds(tmp_path, START, "competitive") as worlds:
        for world, to in zip(worlds, ("d1", "f1"), strict=True):
            world.act("black", "move", "king", to=to, level="ground")
        found = {" ".join(request.split(" ")[:2]) for request in compared(worlds)}
        assert {"white GET", "white feed"} <= found
        assert not any(request.startswith(("outsider", "stranger")) for request in found)
