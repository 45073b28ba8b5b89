"""Ratings over REST: what a rated match moves, where it is shown, and what is refused."""

from __future__ import annotations

from typing import Any

from tests.service.api import Api, ok, refused


def rated(ada: Api, ben: Api, **more: Any) -> str:
    """A match of a pool that is long enough; whoever is to act then gives up."""
    made = ada.create(
        game="hex",
        options={"army": "preset"},
        mode="competitive",
        seats={"red": "me", "blue": "open"},
        **more,
    )
    match, of = str(made["match"]["id"]), {"red": ada, "blue": ben}
    invitation = made.get("invitations", {}).get("blue")
    ok(ben.put(f"/matches/{match}/seats/blue", {} if invitation is None else {"invitation": invitation}))
    for seat, player in of.items():
        ok(player.command(match, {"type": "prepare", "seat": seat}), 201)
    for _ in range(12):
        (seat,) = ada.match(match)["to_act"]
        listed = ok(of[seat].get(f"/matches/{match}/actions?seat={seat}&type=defend"))["actions"]
        ok(of[seat].act(match, seat, listed[0]), 201)
    (seat,) = ada.match(match)["to_act"]
    ok(of[seat].act(match, seat, {"type": "resign"}), 201)
    return match


def test_a_rated_match_is_shown_at_once_in_ratings_history_and_ones_own_line(api: Api) -> None:
    ada, ben = api.player(), api.player()
    match = rated(ada, ben)
    won, lost = (
        ok(api.get(f"/players/{ada.id}/ratings"))["ratings"],
        ok(api.get(f"/players/{ben.id}/ratings"))["ratings"],
    )
    assert [(one["game"], one["pool"], one["matches"]) for one in (*won, *lost)] == [("hex", "duel", 1)] * 2
    assert {won[0]["rating"] > 1500, lost[0]["rating"] > 1500} == {True, False}
    assert won[0]["provisional"]
    assert won[0]["algorithm"] == "plackett_luce/1"
    page = ok(api.get(f"/players/{ada.id}/ratings/hex/duel/history"))
    (change,) = page["changes"]
    assert change["algorithm"] == page["algorithm"] == "plackett_luce/1"
    assert (change["match"], page["next"]) == (match, None)
    assert (change["before"]["rating"], change["after"]["rating"]) == (1500, won[0]["rating"])
    board = ok(ada.get("/games/hex/leaderboard?pool=duel"))
    assert board["you"] == {
        "place": None,
        "player": {"id": ada.id, "name": ada.name},
        "rating": won[0],
    }
    assert ada.id not in [line["player"]["id"] for line in board["players"]]
    assert ok(api.player().get("/games/hex/leaderboard?pool=duel"))["you"] is None
    assert "you" not in ok(api.get("/games/hex/leaderboard?pool=duel"))


def test_both_are_told_in_their_feeds_what_the_match_has_done_to_their_ratings(api: Api) -> None:
    ada, ben = api.player(), api.player()
    with ada.personal_feed() as adas, ben.personal_feed() as bens:
        match = rated(ada, ben)
        for player, seat, feed in ((ada, "red", adas), (ben, "blue", bens)):
            (change,) = ok(player.get(f"/players/{player.id}/ratings/hex/duel/history"))["changes"]
            told: list[dict[str, Any]] = []
            while not told:
                told = [notice for _, name, notice in feed.take(1) if name == "rating_changed"]
            (notice,) = told
            assert notice == {
                "type": "rating_changed",
                "match": match,
                "game": "hex",
                "version": ada.match(match)["version"],
                "at": change["at"],
                "seats": [seat],
                "pool": "duel",
                "before": change["before"],
                "after": change["after"],
            }


def test_who_waits_for_a_change_of_his_rating_is_told_why_there_is_none(api: Api) -> None:
    ada, ben = api.player(), api.player()
    with ada.personal_feed() as adas, ben.personal_feed() as bens:
        spec = {"game": "hex", "options": {"army": "preset"}, "mode": "competitive"}
        match = ada.create(**spec, seats={"red": "me", "blue": "open"})["match"]["id"]
        ok(ben.put(f"/matches/{match}/seats/blue", {}))
        for seat, player in (("red", ada), ("blue", ben)):
            ok(player.command(match, {"type": "prepare", "seat": seat}), 201)
        ada.resign(match, "red")
        ok(api.get(f"/players/{ada.id}/ratings"))
        for feed, seat in ((adas, "red"), (bens, "blue")):
            told: list[dict[str, Any]] = []
            while not told:
                told = [notice for _, name, notice in feed.take(1) if name == "not_rated"]
            (notice,) = told
            assert (notice["match"], notice["seats"], notice["reason"]) == (match, [seat], "short")
            assert notice["version"] == ada.match(match)["version"]


def test_a_game_says_its_pools_and_others_are_unknown(api: Api) -> None:
    ada = api.player()
    assert [pool["pool"] for pool in ok(api.get("/games/hex"))["pools"]] == ["duel", "pairs", "melee"]
    for path in ("/games/hex/leaderboard?pool=blitz", f"/players/{ada.id}/ratings/hex/blitz/history"):
        problem = refused(api.get(path), 404, "unknown_pool")
        assert problem["allowed"] == ["duel", "pairs", "melee"]
    refused(api.get(f"/players/{ada.id}/ratings/chess/duel/history"), 404, "unknown_game")
    refused(api.get("/players/pl_nobody/ratings"), 404, "unknown_player")
    refused(api.get("/games/hex/leaderboard?pool=duel&after=x"), 400, "bad_parameter")
