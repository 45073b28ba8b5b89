"""How matches come to be: what a beginning may hide from whom, seats by wish, imports, options that are taken back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.service.api import SMALL, Api, ok, refused, two

Json = dict[str, Any]
VECTORS = Path(__file__).parents[1] / "vectors"
PLAIN: Json = {"width": 9, "height": 7, "army_points": 200}
SECRET: Json = {"phase": "recruit", "seats": [{"seat": "red", "army": [{"unit": "wolf", "count": 5}]}]}
TWICE: Json = {"phase": "recruit", "seats": [{"seat": "red", "army": [{"unit": "wolf", "count": 6}]}]}
OPEN: Json = {
    "phase": "play",
    "stacks": [
        {"seat": "red", "unit": "wolf", "space": "b2", "count": 5},
        {"seat": "blue", "unit": "wolf", "space": "h6", "count": 5},
    ],
}
PREPARE = {seat: {"type": "prepare", "seat": seat} for seat in ("red", "blue")}


def proposal(kind: str, **fields: Any) -> Json:
    return {"type": "propose", "proposal": {"kind": kind, **fields}}


def agree(who: Api, other: Api, match: str, proposed: Json) -> None:
    version = ok(who.command(match, proposed), 201)["version"]
    ok(other.command(match, {"type": "accept", "proposal": version}), 201)


def test_no_competitive_match_begins_from_a_secret_that_a_seat_holder_knows(api: Api) -> None:
    red, blue, host = api.player(), api.player(), api.player()
    spec = {"game": "hex", "options": PLAIN, "position": SECRET, "mode": "competitive"}
    refused(red.post("/matches", {**spec, "seats": {"red": "me"}}), 409, "already_disclosed")
    seats = {"red": red.id, "blue": blue.id}
    match = ok(host.post("/matches", {**spec, "seats": seats}), 201)["match"]["id"]
    assert "wolf" in host.get(f"/matches/{match}/events").text
    assert "wolf" not in red.get(f"/matches/{match}/events").text
    refused(red.command(match, proposal("options", position=TWICE)), 409, "already_disclosed")
    ok(blue.delete(f"/matches/{match}/seats/blue"))
    refused(host.put(f"/matches/{match}/seats/blue", {}), 409, "already_disclosed")
    ok(blue.put(f"/matches/{match}/seats/blue", {}))
    ok(red.command(match, PREPARE["red"]), 201)
    ok(blue.command(match, PREPARE["blue"]), 201)
    ok(red.post("/matches", {**spec, "seats": {"red": "me", "blue": blue.id}, "position": OPEN}), 201)


def test_who_knows_the_secret_gets_no_seat_by_wish(api: Api) -> None:
    host, other = api.player(), api.player()
    match = host.create(options=PLAIN, position=SECRET, mode="competitive", seating="wish")["match"]["id"]
    refused(host.post(f"/matches/{match}/join", {}), 409, "already_disclosed")
    ok(other.post(f"/matches/{match}/join", {}), 201)


def test_a_lobby_with_a_secret_that_a_seat_holder_knows_stays_casual(api: Api) -> None:
    red, blue = api.player(), api.player()
    match = red.create(options=PLAIN, seats={"red": "me", "blue": blue.id})["match"]["id"]
    agree(red, blue, match, proposal("options", position=SECRET))
    before = blue.match(match)["version"]
    refused(blue.command(match, proposal("competitive")), 409, "already_disclosed")
    assert blue.match(match)["version"] == before
    agree(blue, red, match, proposal("options", position=None))
    agree(blue, red, match, proposal("competitive"))


def test_a_finished_competitive_match_has_no_rematch_from_its_secret(api: Api) -> None:
    red, blue, host = api.player(), api.player(), api.player()
    seats = {"red": red.id, "blue": blue.id}
    match = host.create(options=PLAIN, position=SECRET, mode="competitive", seats=seats)["match"]["id"]
    ok(red.command(match, PREPARE["red"]), 201)
    ok(blue.command(match, PREPARE["blue"]), 201)
    red.resign(match, "red")
    refused(blue.command(match, proposal("rematch")), 409, "already_disclosed")


def test_a_private_match_has_no_seating_by_wish(api: Api) -> None:
    spec = {"game": "hex", "seating": "wish", "visibility": "private"}
    refused(api.player().post("/matches", spec), 400, "bad_parameter")


def test_when_the_seats_become_fewer_those_who_joined_first_are_seated(api: Api) -> None:
    host, *guests = (api.player() for _ in range(5))
    options = {"width": 15, "height": 11, "seats": 4}
    match = host.create(options=options, seating="wish")["match"]["id"]
    for guest in guests[:3]:
        ok(guest.post(f"/matches/{match}/join", {}), 201)
    ok(host.command(match, proposal("options", options={"seats": 2})), 201)
    for late in guests[2:]:
        problem = refused(late.post(f"/matches/{match}/join", {}), 409, "seat_taken")
        assert "joined before you" in problem["detail"]
    ok(guests[1].post(f"/matches/{match}/join", {}), 201)
    assert ok(host.get(f"/matches/{match}/events"))["events"][-1]["type"] == "seats_assigned"
    seated = [seat["player"]["id"] for seat in ok(host.get(f"/matches/{match}"))["match"]["seats"]]
    assert seated == [guests[0].id, guests[1].id]


def test_an_import_may_be_private(api: Api) -> None:
    ada, eve = api.player(), api.player()
    first = ada.alone()
    ada.resign(first, "red")
    record = ok(ada.get(f"/matches/{first}/export"))
    for query, visibility in (
        ("", "public"),
        ("?visibility=public", "public"),
        ("?visibility=private", "private"),
    ):
        made = ok(ada.post(f"/matches/import{query}", record), 201)["match"]
        assert made["visibility"] == visibility
        assert eve.get(f"/matches/{made['id']}").status_code == (200 if visibility == "public" else 404)
    refused(ada.post("/matches/import?visibility=secret", record), 400, "bad_parameter")


def test_a_match_that_goes_on_from_a_record_has_no_clock(api: Api) -> None:
    ada = api.player()
    first = ada.alone()
    ada.defend(first)
    record = ok(ada.get(f"/matches/{first}/export"))
    red, blue = api.player(), api.player()
    match = red.create(seats={"red": "me", "blue": blue.id}, move_seconds=60)["match"]["id"]
    assert red.match(match)["move_seconds"] == 60
    agree(red, blue, match, proposal("options", **{"import": record}))
    assert red.match(match)["move_seconds"] == 0
    agree(red, blue, match, proposal("options", **{"import": None}))
    assert red.match(match)["move_seconds"] == 60
    agree(red, blue, match, proposal("options", **{"import": record}))
    ok(red.command(match, PREPARE["red"]), 201)
    ok(blue.command(match, PREPARE["blue"]), 201)
    started = red.match(match)
    assert (started["status"], started["move_seconds"], started["deadlines"]) == ("playing", 0, {})


@pytest.mark.parametrize("options", [{"nonsense": None}, {"width": None, "": None}])
def test_null_takes_back_only_an_option_that_there_is(api: Api, options: Json) -> None:
    ada = api.player()
    refused(ada.post("/matches", {"game": "hex", "options": options}), 422, "invalid_options")
    ok(ada.post("/matches", {"game": "hex", "options": {**SMALL, "armies": None, "army": None}}), 201)
    red, _, match = two(api)
    refused(red.command(match, proposal("options", options=options)), 422, "invalid_options")


@pytest.mark.parametrize("mode", ["casual", "competitive"])
@pytest.mark.parametrize("changes", [{"army_points": 50}, {"width": 11}, {"roster": []}, {"army": "preset"}])
def test_who_does_not_see_a_position_is_not_told_what_goes_with_it(
    api: Api, mode: str, changes: Json
) -> None:
    """Blue could try out options until the refusal said which army red has."""
    host, red, blue = api.player(), api.player(), api.player()
    match = host.create(options=PLAIN, position=SECRET, mode=mode)["match"]["id"]
    for player, seat in ((red, "red"), (blue, "blue")):
        ok(player.put(f"/matches/{match}/seats/{seat}", {}))
    problem = refused(blue.command(match, proposal("options", options=changes)), 403, "hidden")
    assert "/position" not in str(problem)
    assert blue.match(match)["proposal"] is None
    # A player may propose options together with a Position of his own. A refusal names the part that does not fit them,
    # since that player sees the whole Position.
    ok(blue.command(match, proposal("options", options={"width": 11}, position=None)), 201)
    told = refused(
        host.command(match, proposal("options", options={"army": "preset"})), 422, "position_bad_phase"
    )
    assert told["path"] == "/proposal/position/phase"


def test_the_place_of_a_hidden_flag_is_not_told_by_a_refusal(api: Api) -> None:
    south, north = api.player(), api.player()
    vectors = json.loads((VECTORS / "junqi.json").read_text())
    (vector,) = (vector for vector in vectors if vector["name"] == "legal_moves_listing")
    spec = {name: vector[name] for name in ("game", "options", "position")}
    match = ok(south.post("/matches", {**spec, "seats": {"south": "me"}}), 201)["match"]["id"]
    ok(north.put(f"/matches/{match}/seats/north", {}))
    told = north.command(match, proposal("options", options={"mode": "flip"}))
    refused(told, 403, "hidden")
    assert "S62" not in told.text
    assert "S62" in south.command(match, proposal("options", options={"mode": "flip"})).text
