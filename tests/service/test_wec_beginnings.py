"""How a match of Weaponized Chess is negotiated (wec 6.6): who agrees sees what he agrees to, as far as his seat may
know it; a saved match is for those who played it. That nothing else shows is in test_wec_worlds.py."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service.api import Api, ok, refused
from tests.service.test_wec import END, MOVE, agreed, alone, history, pair, played, proposed
from tests.service.test_wec_worlds import START

Json = dict[str, Any]


def lobby(black: Api, white: Api, **spec: Any) -> str:
    seats = {"black": "me", "white": white.id}
    return str(black.create(game="wec", options={}, seats=seats, **spec)["match"]["id"])


def prepared(match: str, black: Api, white: Api) -> Json:
    ok(black.command(match, {"type": "prepare", "seat": "black"}), 201)
    done: Json = ok(white.command(match, {"type": "prepare", "seat": "white"}), 201)
    return done


# ---- a Position ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["casual", "competitive"])
def test_who_is_asked_to_play_a_position_sees_it_as_his_seat_will(api: Api, mode: str) -> None:
    black, white = api.player(), api.player()
    match = lobby(black, white, mode=mode)
    change = {"kind": "options", "options": {"flame_range": 2}, "position": START}
    made = proposed(black, match, **change)
    assert made["proposal"]["position"] == START  # his own words
    on_the_table = white.match(match)["proposal"]
    events = ok(white.get(f"/matches/{match}/events"))["events"]
    assert {key: on_the_table[key] for key in ("kind", "options", "with", "views")} == events[-1]["proposal"]
    assert "position" not in on_the_table
    view = on_the_table["views"]["white"]
    with white.feed(match, after=made["version"] - 1) as feed:
        assert feed.take(1)[0][2]["proposal"]["views"]["white"] == view
    # The stealth pawn is revealed; the AAA, the sub and the stealthed dozer are not there to see.
    assert [enemy["type"] for enemy in view["enemies"]] == ["tank", "king", "stealth_pawn"]
    assert view["options"]["flame_range"] == 2
    assert view["activation_squares"] == {"black": ["a8", "b8"], "white": ["c3"]}
    for outsider in (api, api.player()):
        assert "views" not in outsider.match(match)["proposal"]
    ok(white.command(match, {"type": "accept", "proposal": made["version"]}), 201)
    # Who declares himself content with the beginning has it before him, too.
    assert white.match(match)["beginning"] == {"kind": "position", "views": {"white": view}}
    assert black.match(match)["beginning"] == {"kind": "position", "position": START}
    assert api.match(match)["beginning"] == {"kind": "position"}
    done = prepared(match, black, white)
    assert ok(white.get(f"/matches/{match}/view?seat=white&at={done['version']}"))["view"] == view


def test_what_was_shown_of_a_rejected_position_stays_as_it_was(api: Api) -> None:
    black, white = api.player(), api.player()
    match = lobby(black, white)
    made = proposed(black, match, kind="options", position=START)
    before = ok(white.get(f"/matches/{match}/events"))["events"][-1]
    ok(white.command(match, {"type": "reject", "proposal": made["version"]}), 201)
    agreed(white, black, match, kind="options", options={"stealth": False, "submersion": False})
    after = ok(white.get(f"/matches/{match}/events?after={made['version'] - 1}&limit=1"))["events"][0]
    assert after == before


def test_who_is_asked_for_an_edit_sees_the_board_that_it_makes(api: Api) -> None:
    black, white, match = pair(api)
    played(black, match, "black", MOVE)
    made = proposed(black, match, kind="edit", position=START)
    view = white.match(match)["proposal"]["views"]["white"]
    ok(white.command(match, {"type": "accept", "proposal": made["version"]}), 201)
    assert ok(white.get(f"/matches/{match}/view?seat=white"))["view"] == view


# ---- a saved match --------------------------------------------------------------------------------------------------


def saved(api: Api) -> tuple[Api, Api, Json]:
    """A casual match of two with an open record, saved by one of them."""
    black, white, match = pair(api, open_record=True)
    played(black, match, "black", MOVE, END)
    return black, white, ok(white.get(f"/matches/{match}/export"))


def test_a_saved_match_goes_on_with_its_own_players_in_their_own_seats(api: Api) -> None:
    black, white, record = saved(api)
    match = lobby(black, white)
    agreed(white, black, match, kind="options", **{"import": record})
    assert white.match(match)["beginning"] == {
        "kind": "import",
        "events": 2,
        "match": record["match"],
        "options": {},
    }
    assert prepared(match, black, white)["to_act"] == ["white"]
    assert history(black, match) == "WEC 1\nOPTIONS {}\n1B MV:FP(2,3)->(3,4)\n"


def test_a_saved_match_is_not_for_others_nor_for_the_other_colour(api: Api) -> None:
    black, white, record = saved(api)
    carol = api.player()
    load = {"type": "propose", "proposal": {"kind": "options", "import": record}}
    for one, other in ((white, black), (black, carol), (carol, white), (carol, api.player())):
        match = lobby(one, other)
        before = one.match(match)["version"]
        for player in (one, other):
            refused(player.command(match, load), 403, "not_your_seat")
        assert one.match(match)["version"] == before
    # An open seat of it is kept for who had it.
    match = black.create(game="wec", options={}, seats={"black": "me", "white": "open"})["match"]["id"]
    ok(black.command(match, load), 201)
    refused(carol.put(f"/matches/{match}/seats/white", {}), 403, "not_your_seat")
    ok(white.put(f"/matches/{match}/seats/white", {}))
    # Without the saved match the seat is anybody's again.
    match = black.create(game="wec", options={}, seats={"black": "me", "white": "open"})["match"]["id"]
    ok(black.command(match, load), 201)
    ok(black.command(match, {"type": "propose", "proposal": {"kind": "options", "import": None}}), 201)
    ok(carol.put(f"/matches/{match}/seats/white", {}))


def test_a_saved_match_gives_its_colours_whatever_is_wished(api: Api) -> None:
    black, white, record = saved(api)
    host = api.player()
    match = host.create(game="wec", options={}, seating="wish")["match"]["id"]
    ok(host.command(match, {"type": "propose", "proposal": {"kind": "options", "import": record}}), 201)
    refused(api.player().post(f"/matches/{match}/join", {}), 403, "not_your_seat")
    ok(white.post(f"/matches/{match}/join", {"wish": "black"}), 201)
    done = ok(black.post(f"/matches/{match}/join", {"wish": "black"}), 201)
    assert [seat["player"]["id"] for seat in done["match"]["seats"]] == [black.id, white.id]
    assert ok(host.get(f"/matches/{match}/events"))["events"][-1]["draws"] == []


def test_a_hot_seats_match_and_a_history_are_anybodys(api: Api) -> None:
    ada, bob, carol = api.player(), api.player(), api.player()
    study = alone(ada)
    played(ada, study, "black", MOVE)
    record = ok(ada.get(f"/matches/{study}/export"))
    match = lobby(bob, carol)
    agreed(bob, carol, match, kind="options", **{"import": record})
    prepared(match, bob, carol)
    assert bob.match(match)["status"] == "playing"
    _, _, online = saved(api)
    match = lobby(bob, carol)
    nameless = {key: value for key, value in online.items() if key != "match"}
    agreed(bob, carol, match, kind="options", **{"import": nameless})
    # For oneself, an import is a study and no loading.
    ok(carol.post("/matches/import", online), 201)
