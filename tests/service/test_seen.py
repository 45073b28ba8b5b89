"""`GET /matches/{id}/seen`: what a seat knows, as bytes for the rules library."""

from __future__ import annotations

import random
from base64 import b64decode
from typing import Any

import pytest

import warlog_core
from tests.service.api import SMALL, Api, ok, refused
from tests.service.junqi import playing, standing
from tests.service.waiting import eventually
from warlog_client import Client

GAMES = warlog_core.games()


def loaded(seen: dict[str, Any]) -> warlog_core.State:
    game = warlog_core.game(seen["game"], seen["rules_version"])
    return game.load(b64decode(seen["setup"]), b64decode(seen["state"]))


@pytest.mark.parametrize("game", GAMES)
def test_what_a_seat_knows_can_be_loaded_and_asked(api: Api, game: str) -> None:
    player = api.player()
    seats = warlog_core.game(game).seats_for({})
    match = player.create(game=game, options={}, seats=dict.fromkeys(seats, "me"))["match"]
    path = f"/matches/{match['id']}"
    rng = random.Random(7)
    for _ in range(12):
        match = player.match(match["id"])
        for entry in match["seats"]:
            seat = entry["seat"]
            state = loaded(ok(player.get(f"{path}/seen?seat={seat}")))
            assert state.legal(seat, plain=True) == ok(player.get(f"{path}/actions?seat={seat}"))["actions"]
        if not match["to_act"]:  # it is over: by the dice, or by a draw
            break
        seat = match["to_act"][0]
        actions = ok(player.get(f"{path}/actions?seat={seat}"))["actions"]
        complete = [one for one in actions if not one.get("open") and one["type"] != "resign"]
        if not complete:
            break
        ok(player.act(match["id"], seat, rng.choice(complete)), 201)


def test_it_is_read_by_who_may_read_the_view(api: Api) -> None:
    red, blue = api.player(), api.player()
    match = red.create(game="hex", options=SMALL, seats={"red": "me", "blue": blue.id})["match"]["id"]
    path = f"/matches/{match}/seen"
    refused(red.get(f"{path}?seat=red"), 404, "no_view")
    for player, seat in ((red, "red"), (blue, "blue")):
        ok(player.command(match, {"type": "prepare", "seat": seat}), 201)
    begun, begun_match = ok(red.get(f"{path}?seat=red")), red.match(match)
    for player in (blue, api):
        refused(player.get(f"{path}?seat=red"), 403, "not_your_seat")
    refused(red.get(f"{path}?seat=green"), 404, "unknown_seat")
    refused(red.get(path), 400, "bad_parameter")
    (seat,) = begun_match["to_act"]
    player = {"red": red, "blue": blue}[seat]
    active = ok(player.get(f"/matches/{match}/view?seat={seat}"))["view"]["active"]
    ok(player.act(match, seat, {"type": "defend", "piece": active}), 201)
    assert ok(red.get(f"{path}?seat=red&at={begun['at']}"))["state"] == begun["state"]
    assert ok(red.get(f"{path}?seat=red"))["state"] != begun["state"]
    refused(red.get(f"{path}?seat=red&at=99"), 404, "unknown_version")
    tag = red.get(f"{path}?seat=red").headers["etag"]
    assert red.get(f"{path}?seat=red", headers={"if-none-match": tag}).status_code == 304
    ok(blue.act(match, "blue", {"type": "resign"}), 201)
    assert loaded(ok(api.get(f"{path}?seat=red"))).result is not None


def test_points_that_nobody_may_know_are_not_in_the_setup_before_the_end(api: Api) -> None:
    poor, rich = api.player(), api.player()
    match = ""
    for _ in range(2):
        match = playing(("south", "north"), [poor, rich])
        seen = loaded(ok(rich.get(f"/matches/{match}/seen?seat=north")))
        assert set(setup(seen)["scores"]) == {0}
        ok(poor.delete(f"/matches/{match}/seats/south"))
        eventually(lambda: standing(poor)["score"] != 0)
    seen = loaded(ok(rich.get(f"/matches/{match}/seen?seat=north")))
    assert set(setup(seen)["scores"]) != {0}


def setup(state: warlog_core.State) -> dict[str, Any]:
    return state.game.raw.setup_fields(state._raw)


def test_the_sdk_gives_bytes(api: Api) -> None:
    player = api.player()
    match = player.create(game="wec", options={}, seats={"black": "me", "white": "me"})["match"]["id"]
    with Client(api.url, token=player.token) as client:
        seen = client.seen(match, "black")
        state = warlog_core.game(seen.game, seen.rules_version).load(seen.setup, seen.state)
        assert state.legal("black", plain=True) == client.actions(match, "black").actions != []
