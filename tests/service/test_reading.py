"""Views, actions, events, timeline, history and board: what each answers, when it may be kept, how it is paged."""

from __future__ import annotations

import pytest

import warlog_core
from tests.service.api import SMALL, Api, ok, refused, two


def test_a_view_is_that_of_its_seat_now_and_as_of_a_version(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    start = ok(ada.get(f"/matches/{match}/view?seat=red"))
    assert {key: start[key] for key in ("version", "at", "seat")} == {"version": 2, "at": 2, "seat": "red"}
    assert (start["view"]["game"], start["view"]["viewer"], start["view"]["phase"]) == ("hex", "red", "play")
    ada.defend(match)
    now = ok(ada.get(f"/matches/{match}/view?seat=red"))
    then = ok(ada.get(f"/matches/{match}/view?seat=red&at=2"))
    assert (now["version"], now["at"], then["version"], then["at"]) == (3, 3, 3, 2)
    assert now["view"] != start["view"] == then["view"]
    stranger = ok(api.get(f"/matches/{match}/view"))
    assert (stranger["seat"], stranger["view"]["viewer"]) == ("spectator", "spectator")


def test_who_holds_every_seat_sees_the_whole_position_and_everybody_does_when_it_is_over(api: Api) -> None:
    red, blue, match = two(api)
    red.resign(match, "red")
    ok(blue.get(f"/matches/{match}/view?seat=all&at=4"))
    ada = api.player()
    alone = ada.alone()
    position = ok(ada.get(f"/matches/{alone}/view?seat=all"))["position"]
    assert position["phase"] == "play"


@pytest.mark.parametrize("game", warlog_core.games())
def test_everything_of_a_match_that_is_over_is_the_views_of_all_seats(api: Api, game: str) -> None:
    ada = api.player()
    full = warlog_core.game(game).full_options({})
    options = {name: 0 for name in ("min_steps_resign",) if name in full}
    seats = warlog_core.game(game).seats_for(options)
    made = ada.create(game=game, options=options, seats=dict.fromkeys(seats, "me"))["match"]["id"]
    last = 2
    while to_act := ada.match(made)["to_act"]:
        given_up = ada.act(made, to_act[0], {"type": "resign"})
        if given_up.status_code == 422:  # not yet: first there is something else to be done
            listed = ok(ada.get(f"/matches/{made}/actions?seat={to_act[0]}"))["actions"]
            given_up = ada.act(made, to_act[0], next(one for one in reversed(listed) if not one.get("open")))
        last = ok(given_up, 201)["version"]
    over = ok(ada.get(f"/matches/{made}/view?seat=all"))
    assert over == ok(api.get(f"/matches/{made}/view?seat=all&at={last}"))
    assert (over["at"], over["seat"], over["position"]) == (last, "all", None)
    assert over["views"] == {seat: ok(ada.get(f"/matches/{made}/view?seat={seat}"))["view"] for seat in seats}
    assert all(view["result"] for view in over["views"].values())
    before = ok(ada.get(f"/matches/{made}/view?seat=all&at=2"))
    assert before["position"] or set(before["views"]) == set(seats)


@pytest.mark.parametrize("what", ["view?seat=red", "actions?seat=red", "events", ""])
def test_an_unchanged_answer_is_304_until_the_match_moves(api: Api, what: str) -> None:
    ada = api.player()
    match = ada.alone()
    path = f"/matches/{match}/{what}".removesuffix("/")
    first = ada.get(path)
    ok(first)
    tag = first.headers["etag"]
    assert tag.startswith('"2.')
    assert first.headers["cache-control"] == "private, no-store"
    assert first.headers["vary"] == "Authorization, Cookie"
    for header in (tag, f'"x", W/{tag}', "*"):
        again = ada.get(path, headers={"if-none-match": header})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    ok(ada.get(path, headers={"if-none-match": '"1.red.0"'}))
    ada.defend(match)
    changed = ada.get(path, headers={"if-none-match": tag})
    ok(changed)
    assert changed.headers["etag"] != tag


def test_an_etag_of_one_viewer_is_not_that_of_another(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    tags = {ada.get(f"/matches/{match}/view?seat={seat}").headers["etag"] for seat in ("red", "blue", "all")}
    tags.add(api.get(f"/matches/{match}/view").headers["etag"])
    assert len(tags) == 4


def test_every_listed_action_is_accepted_and_as_of_a_version_they_are_those_of_then(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    seat = ada.match(match)["to_act"][0]
    then = ok(ada.get(f"/matches/{match}/actions?seat={seat}"))
    ada.defend(match)
    again = ok(ada.get(f"/matches/{match}/actions?seat={seat}&at=2"))
    assert (again["version"], again["at"], again["actions"]) == (3, 2, then["actions"])
    for action in then["actions"]:
        ok(ada.command(match, {"type": "propose", "proposal": {"kind": "undo", "to": 2}}), 201)
        ok(ada.act(match, seat, action), 201)


def test_events_come_in_pages_without_a_gap(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    for _ in range(7):
        ada.defend(match)
    whole = ok(ada.get(f"/matches/{match}/events"))
    assert whole["version"] == 9
    assert whole["next"] is None
    assert [event["version"] for event in whole["events"]] == list(range(1, 10))
    assert whole["events"][0]["type"] == "match_created"
    pages, after = [], 0
    while after is not None:
        page = ok(ada.get(f"/matches/{match}/events?after={after}&limit=4"))
        pages += page["events"]
        after = page["next"]
    assert pages == whole["events"]
    assert ok(ada.get(f"/matches/{match}/events?after=500")) == {"events": [], "next": None, "version": 9}
    assert len(ok(ada.get(f"/matches/{match}/events?limit=999999999"))["events"]) == 9


def test_the_timeline_is_the_tree_of_lines(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    ada.defend(match)
    ada.defend(match)
    ok(ada.command(match, {"type": "propose", "proposal": {"kind": "undo", "to": 2}}), 201)
    ada.defend(match)
    tree = ok(ada.get(f"/matches/{match}/timeline"))
    assert tree["head"] == 6
    assert tree["next"] is None
    parents = {node["version"]: node.get("parent") for node in tree["nodes"]}
    assert (parents[3], parents[4], parents[5], parents[6]) == (2, 3, 2, 5)
    first = ok(ada.get(f"/matches/{match}/timeline?limit=4"))
    second = ok(ada.get(f"/matches/{match}/timeline?after={first['next']}"))
    assert first["nodes"] + second["nodes"] == tree["nodes"]


def test_the_history_is_text_of_the_current_line_with_a_link_to_more(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    for _ in range(4):
        ada.defend(match)
    whole = ada.get(f"/matches/{match}/history")
    assert whole.headers["content-type"] == "text/plain; charset=utf-8"
    lines = whole.text.splitlines()
    assert len([line for line in lines if " defend piece=" in line]) == 4
    text, path = "", f"/matches/{match}/history?limit=2"
    for _ in range(5):
        page = ada.get(path)
        text += page.text
        if "link" not in page.headers:
            break
        path = page.headers["link"].split(">")[0].removeprefix("</v1")
        path += "&limit=2"
    assert text == whole.text


def test_the_board_follows_the_options(api: Api) -> None:
    ada = api.player()
    board = ok(ada.get(f"/matches/{ada.alone()}/board"))
    assert len(board["board"]["spaces"]) == SMALL["width"] * SMALL["height"]  # type: ignore[operator]
    assert board["seats"] == ["red", "blue"]


def test_head_is_get_without_the_body_and_options_names_the_methods(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    for path in (f"/matches/{match}", f"/matches/{match}/view", "/games", f"/matches/{match}/feed"):
        head = ada.http.head(path)
        assert (head.status_code, head.content) == (200, b""), path
    get = ada.get(f"/matches/{match}/view?seat=red")
    head = ada.http.head(f"/matches/{match}/view?seat=red")
    assert head.headers["content-length"] == get.headers["content-length"]
    assert head.headers["etag"] == get.headers["etag"]
    options = ada.http.request("OPTIONS", f"/matches/{match}")
    assert options.status_code == 204
    assert "GET" in options.headers["allow"]


def test_a_private_match_is_unknown_to_everybody_else_on_every_route(api: Api) -> None:
    ada, eve = api.player(), api.player()
    match = ada.alone(visibility="private")
    absent = "m_000_aaaaaaaaaaaaaaaa"
    for who in (eve, api):
        for route in ("", "/view", "/events", "/timeline", "/history", "/board", "/feed", "/export", "/verify",
                      "/actions?seat=red", "/view?seat=red", "/view?seat=all"):  # fmt: skip
            real, none = who.get(f"/matches/{match}{route}"), who.get(f"/matches/{absent}{route}")
            assert real.status_code == none.status_code == 404, route
            assert real.text.replace(match, absent) == none.text
    for route, body in (
        ("commands", {"type": "act", "seat": "red", "action": {"type": "resign"}}),
        ("join", {}),
    ):
        real, none = eve.post(f"/matches/{match}/{route}", body), eve.post(f"/matches/{absent}/{route}", body)
        assert (real.status_code, real.text.replace(match, absent)) == (404, none.text)
    real, none = eve.put(f"/matches/{match}/seats/red", {}), eve.put(f"/matches/{absent}/seats/red", {})
    assert (real.status_code, real.text.replace(match, absent)) == (404, none.text)


def test_a_listing_goes_on_after_as_many_as_were_read(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    path = f"/matches/{match}/actions?seat={ada.match(match)['to_act'][0]}"
    whole, rest = ok(ada.get(path)), ok(ada.get(f"{path}&after=5"))
    assert rest["actions"] == whole["actions"][5:]
    assert rest["total"] == whole["total"] == len(whole["actions"])
    assert "next" not in whole
    assert ok(ada.get(f"{path}&after=100000"))["actions"] == []


def test_an_etag_says_which_player_without_a_seat_it_is_for(api: Api) -> None:
    host, other = api.player(), api.player()
    secret = {"phase": "recruit", "seats": [{"seat": "red", "army": [{"unit": "wolf", "count": 5}]}]}
    options = {"width": 9, "height": 7, "army_points": 200}
    match = host.create(options=options, position=secret)["match"]["id"]
    for path in (f"/matches/{match}", f"/matches/{match}/events"):
        answers = [who.get(path) for who in (host, other, api)]
        bodies, tags = {answer.content for answer in answers}, {answer.headers["etag"] for answer in answers}
        assert (len(bodies), len(tags)) == (2, 3)
        assert "wolf" in answers[0].text
        again = other.get(path, headers={"if-none-match": answers[0].headers["etag"]})
        assert (again.status_code, again.content) == (200, answers[1].content)


def test_a_listing_can_be_asked_for_one_type_and_one_piece(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    path = f"/matches/{match}/actions?seat={ada.match(match)['to_act'][0]}"
    whole = ok(ada.get(path))["actions"]
    piece = next(action["piece"] for action in whole if "piece" in action)
    for more, wanted in (
        ("type=move", [a for a in whole if a["type"] == "move"]),
        (f"piece={piece}", [a for a in whole if a.get("piece") == piece]),
        (f"type=defend&piece={piece}", [a for a in whole if a["type"] == "defend"]),
        ("type=nonsense", []),
    ):
        answer = ok(ada.get(f"{path}&{more}"))
        assert (answer["actions"], answer["total"]) == (wanted, len(whole)), more


def test_null_is_no_value_of_a_parameter(api: Api) -> None:
    """To the decoder of the query it is none, which would be as if the parameter were absent."""
    for query in ("turn=null", "status=NULL"):
        problem = refused(api.get(f"/matches?{query}"), 400, "bad_parameter")
        assert query.partition("=")[0] in problem["detail"]
