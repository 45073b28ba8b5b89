"""Options that players keep under names of their own (wec 6.6), for every game; and scenarios of options alone."""

from __future__ import annotations

from typing import Any

import pytest

import warlog_core
from tests.core.games import GAMES
from tests.service.api import Api, ok, refused

MINE = "/players/me/options/wec"
QUICK: dict[str, Any] = {"flame_range": 2, "stealth": False}
SHORT = {
    "wec": QUICK,
    "hex": {"width": 9},
    "junqi": {"players": 2, "stake": 10},  # of a competitive match: its balances are the server's to set
    "confrontation": {"army_points": 20},
    "universal": {"factions": ["majora", "good"]},
}


@pytest.mark.parametrize("game", GAMES)
def test_options_of_every_game_are_kept_and_a_match_is_made_of_them(api: Api, game: str) -> None:
    ada = api.player()
    mine = f"/players/me/options/{game}"
    options = SHORT.get(game, {})
    saved = ok(ada.put(f"{mine}/my own", {"options": options}))["options"]
    assert (saved["game"], saved["name"], saved["options"]) == (game, "my own", options)
    assert saved["options_text"] == warlog_core.game(game).options_text(options)
    assert ok(ada.get(f"{mine}/my own"))["options"] == saved
    assert ok(ada.get(mine)) == {"options": [saved]}
    mode = "competitive" if "stake" in options else "casual"
    match = ada.create(game=game, options=saved["options"], mode=mode)["match"]
    assert match["options_text"] == saved["options_text"]


def test_options_are_replaced_and_deleted_by_their_owner_alone(api: Api) -> None:
    ada, ben = api.player(), api.player()
    for name in ("b", "a"):
        ok(ada.put(f"{MINE}/{name}", {"options": {}}))
    ok(ada.put(f"{MINE}/b", {"options": QUICK}))
    assert [(one["name"], one["options"]) for one in ok(ada.get(MINE))["options"]] == [
        ("a", {}),
        ("b", QUICK),
    ]
    assert ok(ada.get("/players/me/options/hex")) == {"options": []}
    assert ok(ben.get(MINE)) == {"options": []}
    for method in ("GET", "DELETE"):
        refused(ben.http.request(method, f"{MINE}/b"), 404, "unknown_options")
    assert ada.delete(f"{MINE}/b").status_code == 204
    refused(ada.get(f"{MINE}/b"), 404, "unknown_options")
    refused(ada.delete(f"{MINE}/b"), 404, "unknown_options")
    refused(api.get(MINE), 401, "unauthenticated")
    refused(ada.get("/players/me/options/go"), 404, "unknown_game")


def test_what_makes_no_match_is_not_kept_and_the_number_is_bounded(api: Api) -> None:
    ada = api.player()
    problem = refused(ada.put(f"{MINE}/x", {"options": {"flame_rnge": 2}}), 422, "invalid_options")
    assert problem["path"].startswith("/options")
    refused(ada.put(f"{MINE}/x", {"options": {"flame_range": 0}}), 422, "invalid_options")
    refused(ada.put(f"{MINE}/x", {"options": 5}), 400, "malformed_body")
    refused(ada.put(f"{MINE}/{'x' * 41}", {"options": {}}), 400, "malformed_body")
    for number in range(50):
        ok(ada.put(f"{MINE}/{number}", {"options": {}}))
    problem = refused(ada.put(f"{MINE}/one more", {"options": {}}), 429, "quota_exceeded")
    assert (problem["quota"], problem["limit"]) == ("options_per_game", 50)
    ok(ada.put(f"{MINE}/7", {"options": QUICK}))  # in the place of another
    assert ada.delete(f"{MINE}/7").status_code == 204
    ok(ada.put(f"{MINE}/one more", {"options": {}}))
    ok(ada.put("/players/me/options/hex/x", {"options": {}}))


def test_a_scenario_may_have_options_alone(api: Api) -> None:
    ada, ben = api.player(), api.player()
    new = {"game": "wec", "name": "quick", "options": QUICK, "visibility": "public"}
    scenario = ok(ada.post("/scenarios", new), 201)["scenario"]
    assert (scenario["options"], scenario["position"]) == (QUICK, None)
    assert ok(ben.get(f"/scenarios/{scenario['id']}"))["scenario"] == scenario
    match = ben.create(game="wec", options={}, scenario=scenario["id"], seats={"black": "me", "white": "me"})[
        "match"
    ]
    assert (match["options"]["flame_range"], match["status"]) == (2, "playing")
    setup = warlog_core.game("wec").describe()["setup"]["black"]["pieces"]
    view = ok(ben.get(f"/matches/{match['id']}/view?seat=black"))["view"]
    assert view["pieces"] == setup
    # It takes the place of a Position that was agreed before.
    lobby = ben.create(game="wec", options={}, seats={"black": "me"}, position=_small())["match"]
    proposal = {"kind": "options", "scenario": scenario["id"]}
    done = ok(ben.command(lobby["id"], {"type": "propose", "proposal": proposal}), 201)
    assert done["type"] == "options_changed"
    now = ben.match(lobby["id"])
    assert (now["beginning"], now["options"]["flame_range"]) == ({"kind": "standard"}, 2)
    refused(ada.post("/scenarios", {**new, "options": {"flame_range": 0}}), 422, "invalid_options")


def _small() -> dict[str, Any]:
    return {
        "pieces": [
            {"id": 1, "seat": "black", "type": "king", "at": "e1"},
            {"id": 2, "seat": "white", "type": "king", "at": "f10"},
        ]
    }
