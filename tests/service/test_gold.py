"""Accounts that matter: stakes are set aside, matches settle points and gold, and everybody can see where he stands."""

from __future__ import annotations

from typing import Any

from tests.service.api import Api, ok, refused
from tests.service.junqi import FOUR, TWO, account, gold, lobby, playing, standing, started, step
from tests.service.waiting import eventually


def test_a_stake_is_set_aside_with_the_seat_and_comes_back_with_it(api: Api) -> None:
    ada, ben = api.player(), api.player()
    match = lobby(TWO, [ada, ben], stake=100)
    assert gold(ada) == gold(ben) == (1_000, 500)
    assert "held" not in ok(api.get(f"/players/{ben.id}"))["player"]
    ok(ben.delete(f"/matches/{match}/seats/north"))
    eventually(lambda: gold(ben) == (1_000, 0))
    ok(ben.put(f"/matches/{match}/seats/north", {}))
    assert gold(ben) == (1_000, 500)
    proposal = ok(ada.command(match, {"type": "propose", "proposal": {"kind": "abort"}}), 201)["version"]
    ok(ben.command(match, {"type": "accept", "proposal": proposal}), 201)
    eventually(lambda: gold(ada) == gold(ben) == (1_000, 0))


def test_who_has_not_enough_cannot_sit_down(api: Api) -> None:
    ada, ben = api.player(), api.player()
    rich = {"players": 2, "stake": 201}
    poor = ada.post(
        "/matches", {"game": "junqi", "options": rich, "mode": "competitive", "seats": {"south": "me"}}
    )
    refused(poor, 422, "insufficient_gold")
    match = ada.create(
        game="junqi", options={**rich, "stake": 150}, mode="competitive", seats={"south": "me"}
    )
    match_id = match["match"]["id"]
    other = lobby(TWO, [ben, api.player()], stake=60)
    refused(ben.put(f"/matches/{match_id}/seats/north", {}), 422, "insufficient_gold")
    assert ada.match(match_id)["seats"][1]["player"] is None
    assert gold(ben) == (1_000, 300)
    refused(ada.post("/matches", {"game": "junqi", "options": {"stake": 1}, "mode": "competitive",
                                  "seats": {"south": "me", "north": ben.id}}), 400, "bad_parameter")  # fmt: skip
    ok(ben.delete(f"/matches/{other}/seats/south"))
    eventually(lambda: gold(ben) == (1_000, 0))
    ok(ben.put(f"/matches/{match_id}/seats/north", {}))


def test_a_casual_match_with_a_stake_and_without_balances_says_what_is_missing(api: Api) -> None:
    """0.1 said insufficient_gold, as if somebody were poor."""
    ada = api.player()
    poor = {"players": 2, "stake": 100, "balances": {"south": 5_000}}
    for options in ({"players": 2, "stake": 100}, poor):
        problem = refused(ada.post("/matches", {"game": "junqi", "options": options}), 422, "invalid_options")
        assert problem["path"] == "/options/balances"
        assert "balances" in problem["detail"]
    both = {**poor, "balances": {"south": 5_000, "north": 499}}
    refused(ada.post("/matches", {"game": "junqi", "options": both}), 422, "insufficient_gold")
    match = ada.create(game="junqi", options={"players": 2}, seats={"south": "me"})["match"]["id"]
    proposal = {"kind": "options", "options": {"stake": 100}}
    problem = refused(ada.command(match, {"type": "propose", "proposal": proposal}), 422, "invalid_options")
    assert problem["path"] == "/proposal/options/balances"


def test_a_higher_stake_needs_everybodys_consent_and_gold(api: Api) -> None:
    ada, ben = api.player(), api.player()
    match = ada.create(game="junqi", options={"players": 2, "stake": 10}, mode="competitive", consent="none",
                       seats={"south": "me"})["match"]["id"]  # fmt: skip
    ok(ben.put(f"/matches/{match}/seats/north", {}))
    raise_ = {"type": "propose", "proposal": {"kind": "options", "options": {"stake": 100}}}
    done = ok(ada.command(match, raise_), 201)
    assert done["type"] == "proposal_made"
    assert gold(ben) == (1_000, 50)
    ok(ben.command(match, {"type": "accept", "proposal": done["version"]}), 201)
    assert gold(ada) == gold(ben) == (1_000, 500)
    too_high = {"type": "propose", "proposal": {"kind": "options", "options": {"stake": 300}}}
    version = ok(ada.command(match, too_high), 201)["version"]
    refused(ben.command(match, {"type": "accept", "proposal": version}), 422, "insufficient_gold")
    assert gold(ada) == gold(ben) == (1_000, 500)
    slower = {"type": "propose", "proposal": {"kind": "options", "options": {"move_seconds": 60}}}
    assert ok(ada.command(match, slower), 201)["type"] == "options_changed"


def test_a_match_of_four_moves_points_and_gold_once_it_is_over(api: Api) -> None:
    players = [api.player() for _ in FOUR]
    of: dict[str, Api] = dict(zip(FOUR, players, strict=True))
    match = playing(FOUR, players, stake=100)
    eventually(lambda: [gold(player) for player in players] == [(1_000, 100)] * 4)  # what can still be lost
    step(match, of)
    ok(of["east"].act(match, "east", {"type": "resign"}), 201)
    assert [gold(player) for player in players] == [(1_000, 100)] * 4
    end = ok(of["west"].act(match, "west", {"type": "resign"}), 201)
    assert end["settlement"]["gold"]["house"] == 0
    assert {one["seat"]: one["net"] for one in end["settlement"]["gold"]["accounts"]} == {
        "south": 100, "east": -100, "north": 100, "west": -100}  # fmt: skip
    assert [gold(player) for player in players] == [(1_100, 0), (900, 0), (1_100, 0), (900, 0)]
    assert [standing(player)["score"] for player in players] == [2, -2, 2, -2]
    assert [(standing(player)["won"], standing(player)["lost"]) for player in players] == [(1, 0), (0, 1)] * 2
    seen = ok(api.get(f"/players/{of['south'].id}"))["player"]
    assert (seen["gold"], seen["games"]) == (1_100, account(of["south"])["player"]["games"])
    assert standing(of["south"])["rank"] == {"level": 1, "name": "Recruit", "name_zh": "新兵"}
    assert ok(api.get(f"/matches/{match}/verify"))["status"] == "verified"


def test_who_flees_pays_and_what_nobody_wins_goes_to_the_house(api: Api) -> None:
    ada, ben, *others = players = [api.player() for _ in FOUR]
    match = playing(FOUR, players, stake=10)
    of: dict[str, Api] = dict(zip(FOUR, players, strict=True))
    step(match, of)
    ok(ben.delete(f"/matches/{match}/seats/east"))
    left = ok(ben.get(f"/matches/{match}/events?limit=1000"))["events"][-1]
    assert (left["seat"], left["action"]) == ("server", {"type": "flee", "seat": "east"})
    refused(ben.delete(f"/matches/{match}/seats/east"), 422, "seat_defeated")
    ok(ada.act(match, "south", {"type": "offer_draw"}), 201)
    for seat in ("north", "west"):
        done = ok(of[seat].act(match, seat, {"type": "accept_draw"}), 201)
    assert done["settlement"]["gold"]["house"] == 10
    assert [gold(player) for player in players] == [(1_000, 0), (990, 0), (1_000, 0), (1_000, 0)]
    assert standing(ben)["score"] == -4
    assert (standing(ben)["drawn"], standing(ben)["fled"]) == (1, 1)
    assert [standing(player)["score"] for player in (ada, *others)] == [0, 0, 0]


def test_a_match_that_is_broken_off_in_the_layout_phase_moves_nothing(api: Api) -> None:
    ada, ben = api.player(), api.player()
    match = started(TWO, [ada, ben], stake=10)
    ok(ben.delete(f"/matches/{match}/seats/north"))
    assert ada.match(match)["result"] == {"winners": [], "reason": "aborted"}
    assert gold(ada) == gold(ben) == (1_000, 0)
    assert standing(ada) == standing(api.player())


def test_a_casual_match_moves_nothing_and_nobody_flees_from_it(api: Api) -> None:
    ada, ben = api.player(), api.player()
    match = playing(
        TWO, [ada, ben], mode="casual", stake=10, balances={"south": 999, "north": 50}, scores={"south": 100}
    )
    assert ada.match(match)["options"]["scores"] == {"south": 100, "north": 0}
    step(match, {"south": ada, "north": ben})
    refused(ben.delete(f"/matches/{match}/seats/north"), 409, "wrong_status")
    end = ok(ben.act(match, "north", {"type": "resign"}), 201)
    assert end["settlement"]["gold"]["accounts"][0] == {"seat": "south", "paid": 0, "received": 10, "net": 10}
    assert gold(ada) == gold(ben) == (1_000, 0)
    assert standing(ada)["won"] == 0


def test_other_games_have_records_and_no_points(api: Api) -> None:
    from tests.service.api import two

    red, blue, match = two(api, mode="competitive")
    red.resign(match, "red")
    found = [one for one in account(blue)["player"]["games"] if one["game"] == "hex"]
    assert found == [{"game": "hex", "won": 1, "drawn": 0, "lost": 0, "fled": 0}]
    assert [row["player"]["id"] for row in ok(api.get("/games/hex/leaderboard"))["players"]] == []
    refused(api.get("/games/chess/leaderboard"), 404, "unknown_game")


def test_the_leaderboard_is_read_page_by_page(api: Api) -> None:
    players = [api.player() for _ in range(6)]
    for first, second in zip(players[::2], players[1::2], strict=True):
        match = playing(TWO, [first, second])
        step(match, {"south": first, "north": second})
        ok(second.act(match, "north", {"type": "resign"}), 201)
    seen, after = [], ""
    while True:
        page = ok(api.get(f"/games/junqi/leaderboard?limit=2{after}"))
        seen += page["players"]
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert [row["place"] for row in seen] == list(range(1, len(seen) + 1))
    assert [row["score"] for row in seen] == sorted((row["score"] for row in seen), reverse=True)
    scores = {row["player"]["id"]: row["score"] for row in seen}
    assert [scores[player.id] for player in players] == [1, -1] * 3
    refused(api.get("/games/junqi/leaderboard?after=x"), 400, "bad_parameter")


def test_the_server_alone_sets_scores_balances_and_layouts_of_a_competitive_match(api: Api) -> None:
    ada, ben = api.player(), api.player()
    options: dict[str, Any]
    for options in ({"scores": {"south": 9}}, {"balances": {"south": 9}}, {"layouts": {}}):
        body: dict[str, Any] = {
            "game": "junqi",
            "options": options,
            "mode": "competitive",
            "seats": {"south": "me"},
        }
        refused(ada.post("/matches", body), 422, "invalid_options")
    match = lobby(TWO, [ada, ben], mode="casual")
    for options in ({"scores": {"south": 9}}, {"layouts": {}}):
        proposal: dict[str, Any] = {"type": "propose", "proposal": {"kind": "options", "options": options}}
        version = ok(ada.command(match, proposal), 201)["version"]
        ok(ben.command(match, {"type": "accept", "proposal": version}), 201)
        compete = {"type": "propose", "proposal": {"kind": "competitive"}}
        refused(ada.command(match, compete), 422, "invalid_options")
        proposal["proposal"]["options"] = dict.fromkeys(options)
        version = ok(ada.command(match, proposal), 201)["version"]
        ok(ben.command(match, {"type": "accept", "proposal": version}), 201)


def test_what_was_kept_back_until_the_end_stands_in_every_form_of_the_summary_after_it(api: Api) -> None:
    """The list of matches said the options as they were known before the last action."""
    ada, ben = api.player(), api.player()
    match = playing(TWO, [ada, ben], stake=100)
    step(match, dict(zip(TWO, (ada, ben), strict=True)))
    ok(ada.act(match, "south", {"type": "resign"}), 201)
    shown = ada.match(match)
    assert shown["status"] == "finished"
    (listed,) = (one for one in ok(ada.get("/matches?player=me"))["matches"] if one["id"] == match)
    assert listed["options"] == shown["options"]
