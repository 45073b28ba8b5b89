"""What is wrong with what was asked for or filled in, has its code: games, options and forms that there are not, boards
of strangers, cookies that are worth nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

import warlog_core
from tests.servers import WarlogServer
from tests.service.api import SMALL, Api, ok, refused, two
from tests.service.junqi import LAYOUT
from tests.service.test_browsers import SAME, asked, session_of
from warlog_service.browsers import COOKIE

Json = dict[str, Any]
GAMES = warlog_core.games()


@pytest.fixture
def ada(api: Api) -> Api:
    return api.player()


# ---- games and options


def test_every_call_that_names_a_game_says_that_there_is_no_such_game(api: Api, ada: Api) -> None:
    document = ok(api.get("/openapi.json"))
    bodies: dict[str, Json] = {
        "positions/check": {"position": {}},
        "{name}/load": {},
        "layouts/{game}/{name}": {"layout": []},
        "options/{game}/{name}": {"options": {}},
    }
    seen = 0
    for path, methods in document["paths"].items():
        if "{game}" not in path:
            continue
        for method in methods:
            body = next((body for end, body in bodies.items() if path.endswith(end)), None)
            asked_for = path.removeprefix("/v1").replace("{game}", "chess").replace("{name}", "x")
            answer = ada.http.request(method, asked_for, json=body)
            if method != "head":
                refused(answer, 404, "unknown_game")
            assert answer.status_code == 404
            seen += 1
    assert seen > 8
    for path, body in (
        ("/matches", {"game": "chess"}),
        ("/pairing", {"game": "chess"}),
        ("/scenarios", {"game": "chess", "name": "x"}),
        ("/matches/import", {"game": "chess", "events": []}),
    ):
        refused(ada.post(path, body), 404, "unknown_game")
    refused(api.http.get("/matches", params={"game": "chess", "options": '{"x":1}'}), 404, "unknown_game")


@pytest.mark.parametrize("game", GAMES)
def test_an_option_that_there_is_not_is_named_wherever_options_are_taken(
    api: Api, ada: Api, game: str
) -> None:
    known = next(iter(warlog_core.game(game).full_options({})))
    wrong = {known + "s": 1}
    lobby = ok(ada.post("/matches", {"game": game}), 201)["match"]["id"]
    answers = [
        ada.post("/matches", {"game": game, "options": wrong}),
        ada.post("/pairing", {"game": game, "options": wrong}),
        ada.post("/scenarios", {"game": game, "name": "x", "options": wrong}),
        ada.put(f"/players/me/options/{game}/x", {"options": wrong}),
        ada.command(lobby, {"type": "propose", "proposal": {"kind": "options", "options": wrong}}),
        api.http.get(f"/games/{game}", params={"options": f'{{"{known}s":1}}'}),
    ]
    for answer in answers:
        problem = refused(answer, 422, "invalid_options")
        assert problem["path"].endswith(f"/options/{known}s"), answer.request.url
        assert f'"{known}s"' in problem["detail"]
        assert f'Did you mean "{known}"?' in problem["detail"]


# ---- forms


def alone(ada: Api, game: str, **options: Any) -> tuple[str, str]:
    """A match that has begun, and the seat that is to act in it."""
    seats = dict.fromkeys(warlog_core.game(game).seats_for(options), "me")
    match = ok(ada.post("/matches", {"game": game, "options": options, "seats": seats}), 201)["match"]
    return match["id"], match["to_act"][0]


def form(ada: Api, game: str, type_: str, **options: Any) -> Json:
    """By field, as the description has it."""
    actions = ok(ada.http.get(f"/games/{game}", params={"options": json.dumps(options)}))["actions"]
    components = actions.get("$defs", {})
    found = [
        one
        for one in components.values()
        if type_ in one.get("properties", {}).get("type", {}).get("enum", ())
    ]
    return next(dict(one["form"]) for one in found if "form" in one)


def test_an_army_beyond_its_budget_is_refused_with_the_budget(ada: Api) -> None:
    options = {"army": "recruit", "army_points": 300}
    match, seat = alone(ada, "hex", **options)
    budget = form(ada, "hex", "recruit", **options)["army"]
    unit, cost = max(budget["costs"].items(), key=lambda one: int(one[1]))
    most = budget["limit"] // cost
    too_many = [{"unit": unit, "count": most + 1}]
    problem = refused(ada.act(match, seat, {"type": "recruit", "army": too_many}), 422, "too_expensive")
    assert (problem["cost"], problem["budget"]) == ((most + 1) * cost, budget["limit"])
    cheap = min(budget["costs"], key=lambda one: int(budget["costs"][one]))
    stacks = [{"unit": cheap, "count": 1}] * (budget["entries"]["max"] + 1)
    assert ada.act(match, seat, {"type": "recruit", "army": stacks}).status_code == 422
    for count in (0, -1, budget["count"]["max"] + 1):
        answer = ada.act(match, seat, {"type": "recruit", "army": [{"unit": cheap, "count": count}]})
        assert answer.status_code == 422, count
    ok(ada.act(match, seat, {"type": "recruit", "army": [{"unit": unit, "count": most}]}), 201)


def test_a_purchase_beyond_points_pieces_or_spells_is_refused_with_the_limit(ada: Api) -> None:
    match, seat = alone(ada, "confrontation")
    described = form(ada, "confrontation", "army")
    budget, spells = described["pieces"], described["bishops"]
    queens = budget["limit"] // budget["costs"]["queen"] + 1
    few = {"type": "army", "pieces": {"queen": queens}}
    problem = refused(ada.act(match, seat, few), 422, "too_many_points")
    assert (problem["cost"], problem["budget"]) == (queens * budget["costs"]["queen"], budget["limit"])
    many = {"type": "army", "pieces": {"pawn": budget["max_pieces"] + 1}}
    problem = refused(ada.act(match, seat, many), 422, "too_many_pieces")
    assert problem["maximum"] == budget["max_pieces"]
    bishop = {"type": "army", "pieces": {"bishop": 1}}
    refused(ada.act(match, seat, bishop | {"bishops": [spells["of"][:1]]}), 422, "bad_spells")
    refused(ada.act(match, seat, bishop | {"bishops": [["fireworks", "heal"]]}), 422, "malformed_action")


def test_an_area_that_is_too_small_cut_or_in_a_zone_is_refused(ada: Api) -> None:
    options = {"terrain": "players"}
    match, _ = alone(ada, "confrontation", **options)
    to_act = ada.match(match)["to_act"]
    for seat in to_act:
        to_act = ok(ada.act(match, seat, {"type": "army", "pieces": {"pawn": 3}}), 201)["to_act"]
    (seat,) = to_act
    (seat,) = ok(ada.act(match, seat, {"type": "choose_order", "position": 1}), 201)["to_act"]
    described = form(ada, "confrontation", "place_terrain", **options)
    kind, area = described["kind"]["of"][0], described["spaces"]
    assert area["connected"]
    for spaces, code in (
        (["a4", "b4", "c4"], "bad_terrain_size"),
        (["a4", "b4", "c4", "h5"], "terrain_not_connected"),
        (["a3", "b3", "c3", area["not"][0]], None),
    ):
        answer = ada.act(match, seat, {"type": "place_terrain", "kind": kind, "spaces": spaces})
        assert answer.status_code == 422
        assert code in (None, answer.json()["code"])
    inside = ["a1", "b1", "c1", "d1"]
    answer = ada.act(match, seat, {"type": "place_terrain", "kind": kind, "spaces": inside})
    refused(answer, 422, "terrain_in_zone")


def test_slots_that_are_filled_with_what_may_not_stand_there_are_refused(ada: Api) -> None:
    match, seat = alone(ada, "junqi", players=2)
    slots = form(ada, "junqi", "layout", players=2)["layout"]["slots"]
    wrong = next(number for number, slot in enumerate(slots) if "flag" not in slot["types"])
    flag = LAYOUT.index("flag")
    layout = list(LAYOUT)
    layout[wrong], layout[flag] = layout[flag], layout[wrong]
    problem = refused(ada.act(match, seat, {"type": "layout", "layout": layout}), 422, "illegal_layout")
    assert problem["path"].startswith("/action/layout")
    for length in (0, 24, 26):
        given = (list(LAYOUT) * 2)[:length]
        assert ada.act(match, seat, {"type": "layout", "layout": given}).status_code == 422


# ---- what strangers may not see


def test_a_stranger_gets_no_trace_of_a_seat_whatever_he_asks(api: Api, ada: Api) -> None:
    red, _, match = two(api, options=SMALL)
    eve = api.player()
    for stranger in (api, eve):
        for path in (
            "trace?at=2&seat=red",
            "actions?seat=red&trace=true",
            "actions?seat=blue&at=2&trace=true",
        ):
            refused(stranger.get(f"/matches/{match}/{path}"), 403, "not_your_seat")
    private = red.create(visibility="private", seats={"red": "me", "blue": "me"})["match"]["id"]
    for path in ("trace?at=2", "trace?at=2&seat=red", "actions?seat=red&trace=true"):
        for stranger in (api, eve):
            refused(stranger.get(f"/matches/{private}/{path}"), 404, "unknown_match")


# ---- sessions


def test_a_session_from_another_origin_opens_no_feed_and_makes_nothing(
    server: WarlogServer, ada: Api
) -> None:
    _, cookie = session_of(server, ada)
    match = ada.alone()
    for site in ("cross-site", "same-site", "none"):
        for method, path in (
            ("POST", "/matches"),
            ("POST", "/matches/import"),
            ("POST", "/pairing"),
            ("POST", f"/matches/{match}/commands"),
            ("PUT", f"/matches/{match}/seats/red"),
            ("DELETE", f"/matches/{match}/seats/red"),
        ):
            answer = asked(server, method, path, cookie=cookie, sec_fetch_site=site)
            refused(answer, 403, "cross_origin")
    refused(
        asked(server, "GET", f"/matches/{match}/feed", cookie=cookie, sec_fetch_site="cross-site"),
        403,
        "cross_origin",
    )
    assert ada.match(match)["version"] == 2


def test_a_cookie_is_worth_nothing_once_its_token_is_revoked(server: WarlogServer, ada: Api) -> None:
    """The session's own, that of another token in its place, and by the session's id in the list of tokens."""
    session, cookie = session_of(server, ada)
    assert ada.delete(f"/tokens/{session['id']}").status_code == 204
    other = ok(ada.post("/tokens", {"label": "x"}), 201)
    as_cookie = f"{COOKIE}={other['token']}"
    ok(asked(server, "GET", "/players/me", cookie=as_cookie, **SAME))
    assert ada.delete(f"/tokens/{other['id']}").status_code == 204
    for gone in (cookie, as_cookie):
        for method, path in (("GET", "/players/me"), ("POST", "/matches"), ("GET", "/matches")):
            problem = refused(asked(server, method, path, cookie=gone, **SAME), 401, "unauthenticated")
            assert "session has ended" in problem["detail"]
