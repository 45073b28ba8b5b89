"""Casual matches of two players hide what competitive ones hide (contract: "casual means that one may go back, not that
cards lie open").

As in test_worlds.py, two servers with one clock, one source of ids and one seed play matches that differ in what the
first seat hides and in nothing else; the other player, an outsider and a stranger must get the same bytes from every
route, also after a match was taken back by consent, with proposals on the table, and after other secrets. The worlds
of Weaponized Chess are in test_wec_worlds.py; in Universal Chess nothing is hidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pytest

import warlog_core
from tests.servers import WarlogServer
from tests.service.api import Api, ok, refused
from tests.service.every_route import Asked, unvisited
from tests.service.junqi import LAYOUT, QUICK
from tests.service.test_worlds import DEPLOY, RECRUIT, World, difference, servers_of_two_worlds
from tests.turns import by_turns

Json = dict[str, Any]
OTHER = [*LAYOUT[:3], *reversed(LAYOUT[3:15]), *LAYOUT[15:]]


def recruited(army: list[Json]) -> Json:
    return {"type": "recruit", "army": army}


ARMIES = [{"unit": "militia", "count": 9}], [{"unit": "giant", "count": 5}, {"unit": "wolf", "count": 11}]


class Secret(NamedTuple):
    """What red does in secret, two ways that show alike; what blue may do meanwhile, and what is refused to blue."""

    game: str
    options: Json
    seats: tuple[str, str]
    ways: tuple[list[Json], list[Json]]
    quiet: list[Json]
    wrong: list[Json]


SECRETS = {
    "hex, an army": Secret(
        "hex",
        RECRUIT,
        ("red", "blue"),
        ([recruited(ARMIES[0])], [recruited(ARMIES[1])]),
        [],
        [
            recruited([{"unit": "giant", "count": 999}]),
            recruited([{"unit": "giant", "count": 5}] * 40),
            recruited([{"unit": "dragonfly", "count": 1}]),
            recruited([]),
            {"type": "recruit_preset", "preset": "none"},
            {"type": "attack", "piece": 1, "target": "b2"},
        ],
    ),
    "hex, a deployment": Secret(
        "hex",
        DEPLOY,
        ("red", "blue"),
        (
            [{"type": "place", "piece": 1, "to": "b3"}, {"type": "ready"}],
            [{"type": "place", "piece": 2, "to": "a2"}, {"type": "ready"}],
        ),
        [{"type": "place", "piece": 9, "to": "k4"}],
        # Red's stacks, and the spaces on which they stand in one of the worlds.
        [{"type": "place", "piece": piece, "to": to} for piece in (1, 2, 9) for to in ("b3", "a2")],
    ),
    "confrontation, an army": Secret(
        "confrontation",
        {},
        ("white", "black"),
        (
            [{"type": "army", "pieces": {"pawn": 12}}],
            [{"type": "army", "pieces": {"rook": 3, "knight": 1}}],
        ),
        [],
        [
            {"type": "army", "pieces": {"rook": 4, "pawn": 12}},
            {"type": "army", "pieces": {"pawn": 17}},
            {"type": "army", "pieces": {"dragon": 1}},
            {"type": "army", "pieces": {"bishop": 1}, "bishops": [["fire", "fire"]]},
            {"type": "move", "piece": 1, "to": "a1"},
        ],
    ),
    "junqi, a layout": Secret(
        "junqi",
        {**QUICK, "players": 2},
        ("south", "north"),
        (
            [{"type": "layout", "layout": LAYOUT}, {"type": "ready"}],
            [{"type": "layout", "layout": OTHER}, {"type": "ready"}],
        ),
        [{"type": "layout", "layout": LAYOUT}],
        [
            {"type": "layout", "layout": LAYOUT[::-1]},
            {"type": "layout", "layout": LAYOUT[:24]},
            {"type": "swap", "a": "N11", "b": "S11"},
            {"type": "swap", "a": "S13", "b": "S14"},
            {"type": "flip", "at": "S11"},
            # Pieces of red's, which stand elsewhere in the other world, and of blue's, which do not come so far.
            *({"type": "move", "piece": piece, "to": to} for piece in (2, 8, 26) for to in ("S61", "S65")),
        ],
    ),
}


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[WarlogServer]]:
    """Each test does the same on both, so that they stay alike for the next one."""
    with servers_of_two_worlds(tmp_path_factory.mktemp("worlds")) as running:
        yield running


class Taken(World):
    """A casual match in which red plays in secret, goes back by consent, and plays in secret again."""

    def red_does(self, actions: list[Json]) -> None:
        for action in actions:
            ok(self.red.act(self.match, self.seats[0], action), 201)

    def red_proposes(self, **proposal: Any) -> int:
        done = ok(self.red.command(self.match, {"type": "propose", "proposal": proposal}), 201)
        return int(done["version"])

    def blue_accepts(self, proposal: int) -> None:
        ok(self.blue.command(self.match, {"type": "accept", "proposal": proposal}), 201)

    def started(self) -> int:
        events = ok(self.blue.get(f"/matches/{self.match}/events"))["events"]
        return next(int(event["version"]) for event in events if event["type"] == "match_started")


def compared(worlds: Sequence[Taken], wrong: Sequence[Json] = (), *, beside: bool = True) -> list[str]:
    first, second = (world.seen(wrong, beside=beside) for world in worlds)
    return difference(first, second)


def ready(worlds: list[Taken]) -> None:
    for world in worlds:
        ok(world.blue.act(world.match, world.seats[1], {"type": "ready"}), 201)


def moved(worlds: list[Taken]) -> None:
    """The seat that is to move in Siguo Junqi makes one move, with which nothing meets, the same in both worlds."""
    (seat,) = worlds[0].red.match(worlds[0].match)["to_act"]
    possible: list[dict[tuple[str, str], Json]] = []
    for world in worlds:
        player, match = (world.red, world.blue)[seat == world.seats[1]], f"/matches/{world.match}"
        at = {
            piece["at"]: piece.get("piece")
            for piece in ok(player.get(f"{match}/view?seat={seat}"))["view"]["pieces"]
        }
        place = {piece: space for space, piece in at.items()}
        moves = ok(player.get(f"{match}/actions?seat={seat}&type=move"))["actions"]
        possible.append({(place[move["piece"]], move["to"]): move for move in moves if move["to"] not in at})
    both = min(possible[0].keys() & possible[1].keys())
    for world, moves in zip(worlds, possible, strict=True):
        ok((world.red, world.blue)[seat == world.seats[1]].act(world.match, seat, moves[both]), 201)


def hidden(servers: list[WarlogServer], name: str, *, beside: bool) -> list[Taken]:
    """Red's secret shows to nobody at any time. `beside`: what is said beside the match is looked at each time, not in
    the end alone."""
    game, options, seats, ways, quiet, wrong = SECRETS[name]
    worlds = [Taken(server, options, "casual", game, seats) for server in servers]
    for world, actions in zip(worlds, ways, strict=True):
        world.red_does(actions)
    assert compared(worlds, wrong, beside=beside) == []
    for world in worlds:
        for action in quiet:
            ok(world.blue.act(world.match, seats[1], action), 201)
    back = [world.red_proposes(kind="undo", to=world.started()) for world in worlds]
    assert compared(worlds, wrong, beside=beside) == []  # what is on the table
    for world, proposal in zip(worlds, back, strict=True):
        world.blue_accepts(proposal)
    assert compared(worlds, wrong, beside=beside) == []
    for world, actions in zip(worlds, reversed(ways), strict=True):
        world.red_does(actions)
    if game == "junqi":
        ready(worlds)
        for _ in range(4):
            moved(worlds)
    assert compared(worlds, wrong) == []
    for world in worlds:
        for reader in (world.red, world.blue, world.outsider, world.stranger):
            problem = refused(reader.get(f"/matches/{world.match}/export"), 403, "hidden")
            assert "when the match is over" in problem["detail"]
            refused(reader.get(f"/matches/{world.match}/view?seat=all"), 403, "not_your_seat")
    return worlds


@pytest.mark.parametrize("name", by_turns(("hex, an army", "confrontation, an army", "junqi, a layout"), 3))
def test_what_a_player_hides_in_a_casual_match_shows_nowhere(servers: list[WarlogServer], name: str) -> None:
    """In one game, by turns; what is hidden in Weaponized Chess is looked at in every run, too (test_wec_worlds.py)."""
    worlds = hidden(servers, name, beside=False)
    # Every call and every parameter of the document has been looked at.
    assert unvisited(ok(worlds[0].stranger.get("/openapi.json")), worlds[0].asked) == set()


def test_a_call_or_a_parameter_that_was_not_asked_is_missed(api: Api) -> None:
    document = ok(api.get("/openapi.json"))
    asked = [
        Asked("GET", "/players/me", frozenset()),
        Asked("GET", "/matches/m_1/events", frozenset({"after"})),
    ]
    left = unvisited(document, asked)
    assert {"GET /players/{player_id}", "POST /pairing", "GET /matches/{match_id}/events seat"} <= left
    assert (
        not {"GET /players/me", "GET /matches/{match_id}/events", "GET /matches/{match_id}/events after"}
        & left
    )


@pytest.mark.soak
@pytest.mark.parametrize("name", SECRETS)
def test_nor_does_it_at_any_time(servers: list[WarlogServer], name: str) -> None:
    hidden(servers, name, beside=True)


@pytest.mark.soak
def test_a_position_that_hides_something_is_proposed_and_saved(servers: list[WarlogServer]) -> None:
    """An edit that is proposed, before and after the match was over, and a scenario of one's own."""
    positions: list[Json] = [
        {"phase": "recruit", "seats": [{"seat": "red", "army": army}]} for army in ARMIES
    ]
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


class Invited(Taken):
    """A casual match whose Position hides what red has, and whose other seat waits for an invitation."""

    def __init__(self, server: WarlogServer, visibility: str, army: list[Json]) -> None:
        self.arrive(server, "hex", ("red", "blue"))
        made = self.red.create(
            options=RECRUIT,
            seats={"red": "me", "blue": "invite"},
            position={"phase": "recruit", "seats": [{"seat": "red", "army": army}]},
            visibility=visibility,
        )
        self.match, self.invitation = made["match"]["id"], made["invitations"]["blue"]

    def claim(self, player: Api) -> tuple[int, bytes]:
        answer = player.put(f"/matches/{self.match}/seats/blue", {"invitation": self.invitation})
        return answer.status_code, answer.content


def invited(servers: list[WarlogServer], visibility: str, *, beside: bool) -> None:
    worlds = [Invited(server, visibility, army) for server, army in zip(servers, ARMIES, strict=True)]
    assert compared(worlds, beside=beside) == []
    for player, status in (("blue", 200), ("outsider", 404 if visibility == "private" else 409)):
        first, second = (world.claim(getattr(world, player)) for world in worlds)
        assert first == second
        assert first[0] == status
    assert compared(worlds, beside=beside) == []
    for world in worlds:
        world.prepare()
    assert compared(worlds, SECRETS["hex, an army"].wrong) == []


def rematched(servers: list[WarlogServer], name: str, *, beside: bool) -> None:
    """What was hidden in a match that lies open does not show in its rematch, nor what is hidden there."""
    game, options, seats, ways, _, wrong = SECRETS[name]
    worlds = [Taken(server, options, "casual", game, seats) for server in servers]
    for world, actions in zip(worlds, ways, strict=True):
        world.red_does(actions)
    if game == "junqi":  # in which giving up takes a step
        ready(worlds)
        moved(worlds)
    for world in worlds:
        ok(world.blue.act(world.match, seats[1], {"type": "resign"}), 201)
        proposal = world.red_proposes(kind="rematch")
        done = ok(world.blue.command(world.match, {"type": "accept", "proposal": proposal}), 201)
        world.match, world.seats = done["match"], (seats[1], seats[0])
    assert compared(worlds, beside=beside) == []
    for world, actions in zip(worlds, reversed(ways), strict=True):
        world.prepare()
        world.red_does(actions)
    assert compared(worlds, wrong) == []


def waiting(servers: list[WarlogServer]) -> None:
    """What a player waits for shows to nobody else."""
    worlds = [Taken(server, RECRUIT, "casual") for server in servers]
    entries = []
    for world, width in zip(worlds, (9, 11), strict=True):
        wanted = {"game": "hex", "options": {"army": "preset", "width": width}}
        entries.append(ok(world.red.post("/pairing", wanted), 201)["entry"])
    assert entries[0]["id"] == entries[1]["id"]
    assert entries[0] != entries[1]
    assert compared(worlds) == []
    for world, entry in zip(worlds, entries, strict=True):
        assert ok(world.red.get(f"/pairing/{entry['id']}"))["entry"] == entry
        assert world.red.delete(f"/pairing/{entry['id']}").status_code == 204


def test_what_is_hidden_shows_by_no_other_door(servers: list[WarlogServer]) -> None:
    """Invitations, rematches, pairing."""
    invited(servers, "private", beside=False)
    rematched(servers, "hex, an army", beside=False)
    waiting(servers)


@pytest.mark.soak
def test_nor_by_those_doors_in_other_games(servers: list[WarlogServer]) -> None:
    invited(servers, "public", beside=True)
    for name in ("confrontation, an army", "junqi, a layout"):
        rematched(servers, name, beside=True)


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
    seats = [seat["id"] for seat in ok(api.get(f"/games/{game}"))["seats"]]
    for visibility in ("public", "private"):
        alone = ada.create(game=game, options={}, seats=dict.fromkeys(seats, "me"), visibility=visibility)
        match = alone["match"]["id"]
        record = ok(ada.get(f"/matches/{match}/export"))
        assert record["seats"] == [seat["seat"] for seat in alone["match"]["seats"]]
        ok(ada.get(f"/matches/{match}/view?seat=all"))
        for reader in (ben, api):
            expected = (403, "hidden") if visibility == "public" else (404, "unknown_match")
            refused(reader.get(f"/matches/{match}/export"), *expected)
