"""Layouts that players keep: saved, listed, loaded, deleted; and the last one, with which the next match begins."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service.api import Api, ok, refused
from tests.service.junqi import LAYOUT, TWO, playing, started
from tests.service.waiting import eventually

MINE = "/players/me/layouts/junqi"
OTHER = [*LAYOUT[:3], *reversed(LAYOUT[3:5]), *LAYOUT[5:]]


def lies(player: Api, match: str, seat: str) -> list[str]:
    """The layout that the seat sees as its own, in the order of 4.2 (the index order of its spaces)."""
    view = ok(player.get(f"/matches/{match}/view?seat={seat}"))["view"]
    return [piece["type"] for piece in view["pieces"] if piece["seat"] == seat]


def test_a_layout_is_saved_listed_replaced_and_deleted_by_its_owner_alone(api: Api) -> None:
    ada, ben = api.player(), api.player()
    for name in ("b wall", "a rush", "c"):
        saved = ok(ada.put(f"{MINE}/{name}", {"layout": LAYOUT}))["layout"]
        assert (saved["game"], saved["name"], saved["layout"]) == ("junqi", name, LAYOUT)
    ok(ada.put(f"{MINE}/c", {"layout": OTHER}))
    page = ok(ada.get(f"{MINE}?limit=2"))
    assert ([one["name"] for one in page["layouts"]], page["next"]) == (["a rush", "b wall"], "b wall")
    page = ok(ada.get(f"{MINE}?limit=2&after={page['next']}"))
    assert ([one["layout"] for one in page["layouts"]], page["next"]) == ([OTHER], None)
    assert ok(ada.get(f"{MINE}/c"))["layout"]["layout"] == OTHER
    assert ok(ben.get(MINE)) == {"layouts": [], "next": None}
    for method in ("GET", "DELETE"):
        refused(ben.http.request(method, f"{MINE}/c"), 404, "unknown_layout")
    assert ada.delete(f"{MINE}/c").status_code == 204
    refused(ada.get(f"{MINE}/c"), 404, "unknown_layout")
    refused(ada.post(f"{MINE}/c/load", {}), 404, "unknown_layout")
    refused(api.get(MINE), 401, "unauthenticated")


@pytest.mark.parametrize(
    ("layout", "code"),
    [
        (LAYOUT[:24], "illegal_layout"),
        ([*LAYOUT[1:], LAYOUT[0]], "illegal_layout"),
        (["king", *LAYOUT[1:]], "invalid_options"),
        ("flag", "invalid_options"),
        (None, "invalid_options"),
        ([1.0] * 25, "invalid_options"),
    ],
)
def test_the_rules_judge_what_is_saved(api: Api, layout: Any, code: str) -> None:
    ada = api.player()
    refused(ada.put(f"{MINE}/x", {"layout": layout}), 422, code)
    assert ok(ada.get(MINE))["layouts"] == []


def test_names_and_games_are_checked_and_the_number_is_bounded(api: Api) -> None:
    ada = api.player()
    for name in ("last", "x" * 41, "%20x", "%0A"):
        refused(ada.put(f"{MINE}/{name}", {"layout": LAYOUT}), 400, "malformed_body")
    for game in ("hex", "chess"):
        refused(ada.put(f"/players/me/layouts/{game}/x", {"layout": LAYOUT}), 404, "unknown_game")
        refused(ada.get(f"/players/me/layouts/{game}"), 404, "unknown_game")
    for number in range(200):
        ok(ada.put(f"{MINE}/{number}", {"layout": LAYOUT}))
    ok(ada.post(f"{MINE}/7/load", {}))  # `last` is none of them
    refused(ada.put(f"{MINE}/one more", {"layout": LAYOUT}), 429, "quota_exceeded")
    ok(ada.put(f"{MINE}/7", {"layout": OTHER}))


@pytest.mark.parametrize("mode", ["casual", "competitive"])
def test_the_next_match_begins_as_the_last_one_did_and_each_seat_with_its_holders_own(
    api: Api, mode: str
) -> None:
    ada, ben = api.player(), api.player()
    match = started(TWO, [ada, ben], mode=mode)
    ok(ada.act(match, "south", {"type": "layout", "layout": LAYOUT}), 201)
    of_ben = lies(ben, match, "north")
    for player, seat in ((ada, "south"), (ben, "north")):
        ok(player.act(match, seat, {"type": "ready"}), 201)
    eventually(lambda: ok(ada.get(f"{MINE}/last"))["layout"]["layout"] == LAYOUT)
    eventually(lambda: ok(ben.get(f"{MINE}/last"))["layout"]["layout"] == of_ben)
    again = started(TWO, [ben, ada], mode=mode)
    assert lies(ada, again, "north") == LAYOUT
    assert lies(ben, again, "south") == of_ben
    setup = next(
        event
        for event in ok(ada.get(f"/matches/{again}/events"))["events"]
        if event["type"] == "match_started"
    )
    assert "filled" not in setup
    ok(ada.put(f"{MINE}/other", {"layout": OTHER}))
    ok(ada.post(f"{MINE}/other/load", {}))
    assert ada.delete(f"{MINE}/other").status_code == 204
    assert lies(ada, started(TWO, [ada, ben], mode=mode), "south") == OTHER
    assert ada.delete(f"{MINE}/last").status_code == 204
    by_chance = [lies(ada, started(TWO, [ada, ben], mode=mode), "south") for _ in range(2)]
    assert by_chance[0] != by_chance[1]


def test_what_the_options_say_goes_before_and_flip_mode_and_positions_have_no_layouts(api: Api) -> None:
    ada, ben = api.player(), api.player()
    ok(ada.put(f"{MINE}/x", {"layout": LAYOUT}))
    ok(ada.post(f"{MINE}/x/load", {}))
    match = started(TWO, [ada, ben], mode="casual", layouts={"south": OTHER})
    assert lies(ada, match, "south") == OTHER
    assert "layouts" not in ben.match(match)["options"]
    flip = {"mode": "flip", "move_seconds": 0}
    flipped = ada.create(game="junqi", options=flip, seats={"south": "me"}, mode="competitive")["match"]["id"]
    ok(ben.put(f"/matches/{flipped}/seats/north", {}))
    for player, seat in ((ada, "south"), (ben, "north")):
        ok(player.command(flipped, {"type": "prepare", "seat": seat}), 201)
    assert ada.match(flipped)["status"] == "playing"


def test_a_running_casual_match_that_began_with_layouts_can_be_edited_and_exported(api: Api) -> None:
    ada, ben = api.player(), api.player()
    for player in (ada, ben):
        ok(player.put(f"{MINE}/x", {"layout": LAYOUT}))
        ok(player.post(f"{MINE}/x/load", {}))
    match = playing(TWO, [ada, ben], mode="casual")
    position = {
        "turn": "north",
        "pieces": [
            {"seat": "south", "type": "flag", "at": "S62"},
            {"seat": "south", "type": "captain", "at": "S11"},
            {"seat": "north", "type": "flag", "at": "N62"},
            {"seat": "north", "type": "major", "at": "N11"},
        ],
    }
    edit = {"type": "propose", "proposal": {"kind": "edit", "position": position}}
    version = ok(ada.command(match, edit), 201)["version"]
    ok(ben.command(match, {"type": "accept", "proposal": version}), 201)
    ok(ben.act(match, "north", {"type": "resign"}), 422)  # min_steps_resign: not a step yet
    ok(ben.act(match, "north", {"type": "move", "piece": 35, "to": "N12"}), 201)
    end = ok(ben.act(match, "north", {"type": "resign"}), 201)
    assert end["result"]["winners"] == ["south"]
    assert ok(api.get(f"/matches/{match}/verify"))["status"] == "verified"
    record = ok(api.get(f"/matches/{match}/export"))
    assert record["options"]["layouts"] == {"south": LAYOUT, "north": LAYOUT}
    ok(ada.post("/matches/import", record), 201)
