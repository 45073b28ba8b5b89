"""Casual matches of two players hide what competitive ones hide (contract: "casual means that one may go back, not that
cards lie open").

As in test_worlds.py, two servers with one clock, one source of ids and one seed play matches that differ in what the
first seat hides and in nothing else; the other player, an outsider and a stranger must get the same bytes from every
route, also after a match was taken back by consent, with proposals on the table, and after other secrets. The worlds
of Weaponized Chess are in test_wec_worlds.py; in Universal Chess nothing is hidden.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import warlog_core
from tests.servers import WarlogServer
from tests.service.api import Api, ok, refused
from tests.service.junqi import LAYOUT, QUICK
from tests.service.test_worlds import DEPLOY, RECRUIT, World, difference, servers_of_two_worlds

Json = dict[str, Any]
OTHER = [*LAYOUT[:3], *reversed(LAYOUT[3:15]), *LAYOUT[15:]]


def recruited(army: list[Json]) -> Json:
    return {"type": "recruit", "army": army}


ARMIES = [{"unit": "militia", "count": 9}], [{"unit": "giant", "count": 5}, {"unit": "wolf", "count": 11}]
# game, options, seats, and what red does in secret: two ways that show alike
SECRETS: dict[str, tuple[str, Json, tuple[str, str], tuple[list[Json], list[Json]]]] = {
    "hex, an army": ("hex", RECRUIT, ("red", "blue"), ([recruited(ARMIES[0])], [recruited(ARMIES[1])])),
    "hex, a deployment": (
        "hex",
        DEPLOY,
        ("red", "blue"),
        (
            [{"type": "place", "piece": 1, "to": "b3"}, {"type": "ready"}],
            [{"type": "place", "piece": 2, "to": "a2"}, {"type": "ready"}],
        ),
    ),
    "confrontation, an army": (
        "confrontation",
        {},
        ("white", "black"),
        (
            [{"type": "army", "pieces": {"pawn": 12}}],
            [{"type": "army", "pieces": {"rook": 3, "knight": 1}}],
        ),
    ),
    "junqi, a layout": (
        "junqi",
        {**QUICK, "players": 2},
        ("south", "north"),
        (
            [{"type": "layout", "layout": LAYOUT}, {"type": "ready"}],
            [{"type": "layout", "layout": OTHER}, {"type": "ready"}],
        ),
    ),
}


class Taken(World):
    """A casual match in which red plays in secret, goes back by consent, and plays in secret again."""

    def red_does(self, actions: list[Json]) -> None:
        for action in actions:
            ok(self.red.act(self.match, self.seats[0], action), 201)

    def red_proposes(self, **proposal: Any) -> int:
        done = ok(self.red.command(self.match, {"type": "propose", "proposal": proposal}), 201)
        return int(done["version"])

    def blue_accepts(self, proposal: int) -> None:
        """`seen` may have done it: one of the commands that it tries."""
        if self.red.match(self.match)["proposal"] is not None:
            ok(self.blue.command(self.match, {"type": "accept", "proposal": proposal}), 201)

    def started(self) -> int:
        events = ok(self.blue.get(f"/matches/{self.match}/events"))["events"]
        return next(int(event["version"]) for event in events if event["type"] == "match_started")


def compared(worlds: list[Taken]) -> list[str]:
    first, second = (world.seen() for world in worlds)
    return difference(first, second)


def hidden(servers: list[WarlogServer], name: str, *, thorough: bool) -> None:
    """Red's secret shows to nobody at any time; not thorough: looked at in the end alone."""
    game, options, seats, secrets = SECRETS[name]
    worlds = [Taken(server, options, "casual", game, seats) for server in servers]
    for world, actions in zip(worlds, secrets, strict=True):
        world.red_does(actions)
    assert not thorough or compared(worlds) == []
    back = [world.red_proposes(kind="undo", to=world.started()) for world in worlds]
    assert not thorough or compared(worlds) == []  # what is on the table
    for world, proposal in zip(worlds, back, strict=True):
        world.blue_accepts(proposal)
    assert not thorough or compared(worlds) == []
    for world, actions in zip(worlds, reversed(secrets), strict=True):
        world.red_does(actions)
    assert compared(worlds) == []
    for world in worlds:
        for reader in (world.red, world.blue, world.outsider, world.stranger):
            problem = refused(reader.get(f"/matches/{world.match}/export"), 403, "hidden")
            assert "when the match is over" in problem["detail"]
            refused(reader.get(f"/matches/{world.match}/view?seat=all"), 403, "not_your_seat")


def test_what_a_player_hides_in_a_casual_match_shows_nowhere(tmp_path: Path) -> None:
    with servers_of_two_worlds(tmp_path) as servers:
        for name in ("hex, an army", "confrontation, an army", "junqi, a layout"):
            hidden(servers, name, thorough=False)


@pytest.mark.soak
@pytest.mark.parametrize("name", SECRETS)
def test_nor_does_it_at_any_time(tmp_path: Path, name: str) -> None:
    with servers_of_two_worlds(tmp_path) as servers:
        hidden(servers, name, thorough=True)


@pytest.mark.soak
def test_a_position_that_hides_something_is_proposed_and_saved(tmp_path: Path) -> None:
    """An edit that is proposed, before and after the match was over, and a scenario of one's own."""
    positions: list[Json] = [
        {"phase": "recruit", "seats": [{"seat": "red", "army": army}]} for army in ARMIES
    ]
    with servers_of_two_worlds(tmp_path) as servers:
        worlds = [Taken(server, RECRUIT, "casual") for server in servers]
        for world, position in zip(worlds, positions, strict=True):
            new = {"game": "hex", "name": "mine", "options": RECRUIT, "position": position}
            ok(world.red.post("/scenarios", {**new, "visibility": "private"}), 201)
            world.red_proposes(kind="edit", position=position)
        assert compared(worlds) == []
        for world, position in zip(worlds, positions, strict=True):
            ok(world.blue.act(world.match, "blue", {"type": "resign"}), 201)
            world.red_proposes(kind="edit", position=position)
        assert all(world.red.match(world.match)["status"] == "finished" for world in worlds)
        # The match is over and lies open, but for what it may go on from.
        for world in worlds:
            version = world.red.match(world.match)["version"]
            for reader in (world.blue, world.stranger):
                event = ok(reader.get(f"/matches/{world.match}/events?after={version - 1}"))["events"][0]
                assert event["proposal"] == {"kind": "edit", "with": "position"}
                assert "position" not in reader.match(world.match)["proposal"]
            world.blue_accepts(version)
        secret = [str(position["seats"][0]["army"]) for position in positions]
        for world, army in zip(worlds, secret, strict=True):
            for reader in (world.blue, world.stranger):
                version = reader.match(world.match)["version"]
                events = ok(reader.get(f"/matches/{world.match}/events?after={version - 2}"))["events"]
                assert army not in str(events)


def test_an_open_record_does_show_it(api: Api) -> None:
    """Otherwise the comparison could not fail."""
    red, blue = api.player(), api.player()
    found = []
    for army in ARMIES:
        holders = {"red": "me", "blue": blue.id}
        made = red.create(game="hex", options=RECRUIT, seats=holders, open_record=True)
        match = made["match"]["id"]
        for player, seat in ((red, "red"), (blue, "blue")):
            ok(player.command(match, {"type": "prepare", "seat": seat}), 201)
        ok(red.act(match, "red", recruited(army)), 201)
        found.append(ok(api.get(f"/matches/{match}/export"))["events"][0]["action"])
        unit = str(army[0]["unit"])
        assert unit in str(ok(api.get(f"/matches/{match}/view?seat=all")))
        assert unit in api.get(f"/matches/{match}/history").text
        assert unit not in str(ok(blue.get(f"/matches/{match}/events")))
    assert found == [recruited(army) for army in ARMIES]


@pytest.mark.parametrize("game", warlog_core.games())
def test_a_running_record_is_for_who_holds_every_seat(api: Api, game: str) -> None:
    ada, ben = api.player(), api.player()
    seats = ok(api.get(f"/games/{game}"))["seats"]
    for visibility in ("public", "private"):
        alone = ada.create(game=game, options={}, seats=dict.fromkeys(seats, "me"), visibility=visibility)
        match = alone["match"]["id"]
        record = ok(ada.get(f"/matches/{match}/export"))
        assert record["seats"] == [seat["seat"] for seat in alone["match"]["seats"]]
        ok(ada.get(f"/matches/{match}/view?seat=all"))
        for reader in (ben, api):
            expected = (403, "hidden") if visibility == "public" else (404, "unknown_match")
            refused(reader.get(f"/matches/{match}/export"), *expected)
