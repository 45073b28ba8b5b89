"""Accounts, matches, seats and commands as the documents show them: one test a call, against a real server."""

from __future__ import annotations

import re

import msgspec

import warlog_core
from tests.service.api import SMALL, Api, ok, refused, two
from tests.service.waiting import eventually
from warlog_service import schema


def test_an_account_is_a_name_and_its_token_opens_the_rest(api: Api) -> None:
    made = ok(api.post("/players", {"name": "ada"}), 201)
    assert set(made) == {"player", "token", "scopes"}
    assert made["player"]["name"] == "ada"
    assert made["scopes"] == ["play"]
    assert made["token"].startswith("wl_")
    me = Api(api.url, made["token"])
    assert ok(me.get("/players/me"))["player"] == made["player"]
    assert ok(api.get(f"/players/{made['player']['id']}"))["player"] == made["player"]


def test_a_token_is_listed_without_its_secret_and_stops_working_when_it_is_deleted(api: Api) -> None:
    ada = api.player()
    made = ok(ada.post("/tokens", {"label": "bot", "scopes": ["play"]}), 201)
    bot = Api(api.url, made["token"])
    ok(bot.get("/players/me"))
    listed = ok(ada.get("/tokens"))
    assert [token["label"] for token in listed["tokens"] if token["id"] == made["id"]] == ["bot"]
    assert made["token"] not in str(listed)
    assert ada.delete(f"/tokens/{made['id']}").status_code == 204
    refused(bot.get("/players/me"), 401, "unauthenticated")
    ok(ada.get("/players/me"))


def test_tokens_are_paged(api: Api) -> None:
    ada = api.player()
    for number in range(4):
        ok(ada.post("/tokens", {"label": str(number)}), 201)
    seen: list[str] = []
    page = ok(ada.get("/tokens", params={"limit": 2}))
    seen += [token["id"] for token in page["tokens"]]
    while page["next"]:
        page = ok(ada.get("/tokens", params={"limit": 2, "after": page["next"]}))
        assert len(page["tokens"]) <= 2
        seen += [token["id"] for token in page["tokens"]]
    assert len(seen) == len(set(seen)) == 5


def test_a_new_match_has_the_summary_of_the_api(api: Api) -> None:
    ada = api.player("ada")
    answer = ada.post("/matches", {"game": "hex", "options": SMALL, "seats": {"red": "me", "blue": "open"}})
    made = ok(answer, 201)
    match = made["match"]
    assert answer.headers["location"] == f"/v1/matches/{match['id']}"
    assert answer.headers["cache-control"] == "private, no-store"
    assert made["invitations"] == {}
    assert match["game"] == "hex"
    assert match["rules_version"] == 1
    assert (match["mode"], match["consent"], match["visibility"], match["move_seconds"]) == (
        "casual",
        "all",
        "public",
        0,
    )
    assert (match["status"], match["version"], match["to_act"], match["deadlines"]) == ("lobby", 1, [], {})
    assert match["options"]["width"] == 9
    assert match["options"]["round_limit"] == 0
    red, blue = match["seats"]
    assert (red["seat"], red["player"], red["prepared"]) == ("red", {"id": ada.id, "name": "ada"}, False)
    assert (blue["seat"], blue["player"], blue["prepared"]) == ("blue", None, False)
    assert match["proposal"] is match["result"] is None
    assert re.fullmatch("sha256:[0-9a-f]{64}", match["seed_commitment"])
    assert match["created_at"].endswith("Z")
    assert match["created_at"] == match["updated_at"]
    assert ada.match(match["id"]) == match


def test_who_takes_every_seat_starts_the_match_at_once(api: Api) -> None:
    match = api.player().create(seats={"red": "me", "blue": "me"})["match"]
    assert (match["status"], match["version"]) == ("playing", 2)
    assert len(match["to_act"]) == 1


def test_a_seat_is_taken_left_prepared_and_the_last_prepare_starts_the_match(api: Api) -> None:
    red, blue = api.player(), api.player()
    match = red.create(seats={"red": "me"})["match"]["id"]
    taken = ok(blue.put(f"/matches/{match}/seats/blue", {}))
    assert taken["match"]["version"] == 2
    assert taken["match"]["seats"][1]["player"]["id"] == blue.id
    left = ok(blue.delete(f"/matches/{match}/seats/blue"))
    assert left["match"]["seats"][1]["player"] is None
    ok(blue.put(f"/matches/{match}/seats/blue", {}))
    ok(red.command(match, {"type": "prepare", "seat": "red"}), 201)
    started = ok(blue.command(match, {"type": "prepare", "seat": "blue"}), 201)
    assert started["type"] == "match_started"
    assert started["effects"][0] == {"type": "match_started", "obstacles": []}
    assert red.match(match)["status"] == "playing"
    kinds = [event["type"] for event in ok(red.get(f"/matches/{match}/events"))["events"]]
    assert kinds[1:] == ["seat_taken", "seat_left", "seat_taken", "seat_prepared", "match_started"]


def test_an_invitation_opens_its_seat_and_no_other(api: Api) -> None:
    red, blue = api.player(), api.player()
    made = red.create(seats={"red": "me", "blue": "invite"}, visibility="private")
    match, invitation = made["match"]["id"], made["invitations"]["blue"]
    assert invitation.startswith("wli_")
    assert invitation not in str(ok(red.get(f"/matches/{match}")))
    refused(blue.get(f"/matches/{match}"), 404, "unknown_match")
    refused(red.put(f"/matches/{match}/seats/blue", {"invitation": "wli_wrong"}), 403, "wrong_invitation")
    ok(blue.put(f"/matches/{match}/seats/blue", {"invitation": invitation}))
    ok(blue.get(f"/matches/{match}"))


def test_an_invitation_is_spent_once_used(api: Api) -> None:
    red, blue, eve = api.player(), api.player(), api.player()
    for visibility in ("public", "private"):
        made = red.create(seats={"red": "me", "blue": "invite"}, visibility=visibility)
        seat, claim = (
            f"/matches/{made['match']['id']}/seats/blue",
            {"invitation": made["invitations"]["blue"]},
        )
        ok(blue.put(seat, claim))
        ok(blue.delete(seat))
        for player in (blue, eve):
            again = player.put(seat, claim)
            if visibility == "public":
                assert "used" in refused(again, 403, "wrong_invitation")["detail"]
            else:
                refused(again, 404, "unknown_match")
        assert red.match(made["match"]["id"])["seats"][1]["by_invitation"]
        ok(red.put(seat, {}))  # it is the creator's now


def test_an_open_record_is_for_casual_matches_and_goes_on_in_a_rematch(api: Api) -> None:
    red, blue, match = two(api, open_record=True)
    assert api.match(match)["open_record"]
    for reader in (red, api):
        assert ok(reader.get(f"/matches/{match}/export"))["options"]["armies"]
        ok(reader.get(f"/matches/{match}/view?seat=all"))
    red.resign(match, "red")
    version = ok(red.command(match, {"type": "propose", "proposal": {"kind": "rematch"}}), 201)["version"]
    done = ok(blue.command(match, {"type": "accept", "proposal": version}), 201)
    assert api.match(done["match"])["open_record"]
    _, _, other = two(api)
    assert api.match(other)["open_record"] is False
    wrong = red.post("/matches", {"game": "hex", "mode": "competitive", "open_record": True})
    assert refused(wrong, 400, "bad_parameter")["path"] == "/open_record"


def test_players_join_with_wishes_and_the_seats_are_assigned(api: Api) -> None:
    players = [api.player(), api.player()]
    match = players[0].create(seating="wish")["match"]["id"]
    ok(players[0].post(f"/matches/{match}/join", {"wish": "blue"}), 201)
    done = ok(players[1].post(f"/matches/{match}/join", {"wish": "blue"}), 201)
    assert ok(api.get(f"/matches/{match}/events"))["events"][-1]["type"] == "seats_assigned"
    assert {seat["player"]["id"] for seat in done["match"]["seats"]} == {player.id for player in players}


def test_an_action_is_answered_with_its_event(api: Api) -> None:
    red, blue, match = two(api)
    summary = red.match(match)
    seat = summary["to_act"][0]
    actor = red if seat == "red" else blue
    actions = ok(actor.get(f"/matches/{match}/actions", params={"seat": seat}))
    assert actions["total"] == len(actions["actions"]) > 3
    defend = next(action for action in actions["actions"] if action["type"] == "defend")
    answer = actor.act(match, seat, defend)
    done = ok(answer, 201)
    now = actor.match(match)
    assert done["version"] == now["version"] == summary["version"] + 1
    assert (done["type"], done["seat"], done["action"]) == ("action_taken", seat, defend)
    assert done["effects"][0] == {"type": "defended", "piece": defend["piece"]}
    assert (done["draws"], done["to_act"], done["deadlines"]) == ([], now["to_act"], {})
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["etag"].startswith(f'"{done["version"]}.{seat}.')


def test_a_command_repeated_with_its_key_gets_the_first_answer_and_appends_nothing(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    seat = ada.match(match)["to_act"][0]
    active = ok(ada.get(f"/matches/{match}/view", params={"seat": seat}))["view"]["active"]
    first = ada.act(match, seat, {"type": "defend", "piece": active}, idempotency_key="k1")
    ok(first, 201)
    ada.defend(match)
    again = ada.act(match, seat, {"type": "defend", "piece": active}, idempotency_key="k1")
    assert (again.status_code, again.content) == (201, first.content)
    assert ada.match(match)["version"] == 4
    refused(
        ada.act(match, seat, {"type": "wait", "piece": active}, idempotency_key="k1"),
        409,
        "idempotency_key_reused",
    )


def test_a_proposal_is_accepted_or_rejected_by_the_other_player(api: Api) -> None:
    red, blue, match = two(api)
    version = ok(red.act(match, "red", {"type": "offer_draw"}), 201)["version"]
    made = ok(red.command(match, {"type": "propose", "proposal": {"kind": "undo", "to": version - 1}}), 201)
    proposal = blue.match(match)["proposal"]
    assert (proposal["version"], proposal["kind"], proposal["to"]) == (made["version"], "undo", version - 1)
    refused(blue.command(match, {"type": "accept", "proposal": 1}), 409, "proposal_changed")
    ok(blue.command(match, {"type": "reject", "proposal": proposal["version"]}), 201)
    refused(blue.command(match, {"type": "accept", "proposal": proposal["version"]}), 409, "no_proposal")
    made = ok(red.command(match, {"type": "propose", "proposal": {"kind": "undo", "to": version - 1}}), 201)
    done = ok(blue.command(match, {"type": "accept", "proposal": made["version"]}), 201)
    assert done["type"] == "time_travelled"


def test_options_change_in_the_lobby_by_proposal(api: Api) -> None:
    ada = api.player()
    match = ada.create(seats={"red": "me", "blue": "open"})["match"]["id"]
    done = ok(
        ada.command(match, {"type": "propose", "proposal": {"kind": "options", "options": {"width": 11}}}),
        201,
    )
    assert done["type"] == "options_changed"
    assert done["options"]["width"] == ada.match(match)["options"]["width"] == 11
    bad = {"type": "propose", "proposal": {"kind": "options", "options": {"width": 3}}}
    refused(ada.command(match, bad), 422, "invalid_options")


def test_an_aborted_match_has_no_result(api: Api) -> None:
    ada = api.player()
    match = ada.create(seats={"red": "me", "blue": "open"})["match"]["id"]
    done = ok(ada.command(match, {"type": "propose", "proposal": {"kind": "abort"}}), 201)
    assert (done["type"], "result" in done) == ("match_aborted", False)
    assert (ada.match(match)["status"], ada.match(match)["result"]) == ("aborted", None)


def test_matches_are_listed_filtered_and_paged(api: Api) -> None:
    ada = api.player()
    ids = [ada.create(seats={"red": "me", "blue": "open"})["match"]["id"] for _ in range(5)]
    hidden = ada.create(seats={"red": "me"}, visibility="private")["match"]["id"]
    playing = ada.alone()
    expected = {*ids, hidden, playing}

    def listed(caller: Api, **query: object) -> list[str]:
        found: list[str] = []
        after: str | None = None
        while True:
            page = ok(
                caller.get("/matches", params={"limit": 2, **query, **({"after": after} if after else {})})
            )
            assert len(page["matches"]) <= 2
            found += [match["id"] for match in page["matches"]]
            if (after := page["next"]) is None:
                return found

    from tests.service.waiting import eventually

    eventually(lambda: set(listed(ada, player="me")) == expected)
    assert len(listed(ada, player="me")) == 7
    assert set(listed(api, player=ada.id)) == expected - {hidden}
    assert set(listed(ada, player="me", status="playing")) == {playing}
    assert set(listed(api, player=ada.id, open="true")) == set(ids)
    assert listed(api, player=ada.id, game="hex", mode="competitive") == []


def test_a_position_is_saved_as_a_scenario_and_a_match_starts_from_it(api: Api) -> None:
    ada, eve = api.player(), api.player()
    other = ada.alone()
    position = ok(ada.get(f"/matches/{other}/view", params={"seat": "all"}))["position"]
    options = {**SMALL}
    assert ok(api.post("/games/hex/positions/check", {"options": options, "position": position})) == {
        "ok": True
    }
    new = {"game": "hex", "name": "the ford", "options": options, "position": position}
    saved = ok(ada.post("/scenarios", new), 201)["scenario"]
    assert ok(ada.get(f"/scenarios/{saved['id']}"))["scenario"] == saved
    refused(eve.get(f"/scenarios/{saved['id']}"), 404, "unknown_scenario")
    assert [one["id"] for one in ok(ada.get("/scenarios", params={"mine": "true"}))["scenarios"]] == [
        saved["id"]
    ]
    match = ada.create(options={}, scenario=saved["id"], seats={"red": "me", "blue": "me"})["match"]
    view = ok(ada.get(f"/matches/{match['id']}/view", params={"seat": "all"}))["position"]
    assert view["stacks"] == position["stacks"]
    assert ada.delete(f"/scenarios/{saved['id']}").status_code == 204
    refused(ada.get(f"/scenarios/{saved['id']}"), 404, "unknown_scenario")


def test_a_finished_match_is_exported_verified_and_imported_again(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    for _ in range(3):
        ada.defend(match)
    running = ok(ada.get(f"/matches/{match}/export"))
    assert "seeds" not in running
    done = ada.resign(match, "red")
    assert ada.match(match)["status"] == "finished"
    assert done["result"] == ada.match(match)["result"] == {"winners": ["blue"], "reason": "resigned"}
    assert ok(ada.get(f"/matches/{match}/verify"))["status"] == "verified"
    record = ok(ada.get(f"/matches/{match}/export"))
    assert record["warlog_record"] == 1
    assert len(record["seeds"]) == 1
    assert len(record["events"]) == 4
    taken = ok(ada.post("/matches/import", record), 201)
    assert taken["match"]["status"] == "finished"
    assert taken["versions"][str(done["version"])] == taken["match"]["version"]
    assert {seat["player"]["id"] for seat in taken["match"]["seats"]} == {ada.id}


def test_a_rematch_is_a_new_match_of_the_same_players(api: Api) -> None:
    red, blue, match = two(api)
    red.resign(match, "red")
    made = ok(red.command(match, {"type": "propose", "proposal": {"kind": "rematch"}}), 201)
    done = ok(blue.command(match, {"type": "accept", "proposal": made["version"]}), 201)
    assert done["type"] == "rematch_agreed"
    again = red.match(done["match"])
    assert again["status"] == "lobby"
    assert [seat["player"]["id"] for seat in again["seats"]] == [blue.id, red.id]


def test_the_list_answers_what_waits_for_me_what_may_be_watched_and_what_is_open(api: Api) -> None:
    red, blue, match = two(api)
    open_ids = [
        red.create(seats={"red": "me"}, options={**SMALL, **more})["match"]["id"]
        for more in ({}, {"round_limit": 33})
    ]

    def ids(who: Api, **query: str) -> list[str]:
        answer = ok(who.get("/matches", params={"game": "hex", **query}))
        return [one["id"] for one in answer["matches"]]

    eventually(lambda: open_ids[1] in ids(red, player="me"))
    to_act = red.match(match)["to_act"]
    assert (ids(red, turn="mine"), ids(red, turn="others"))["red" not in to_act] == [match]
    assert (ids(blue, turn="mine"), ids(blue, turn="others"))["blue" not in to_act] == [match]
    assert match in ids(api, watchable="true")
    assert ids(api, open="true", player=red.id, options='{"round_limit":33}') == [open_ids[1]]
    refused(api.get("/matches?turn=mine"), 401, "unauthenticated")
    for wrong in ("turn=yours", "turn=mine&status=lobby", "options={}x", "options=[]", 'options={"seats":2}'):
        refused(red.get(f"/matches?{wrong}"), 400, "bad_parameter")
    refused(red.get("/matches?game=chess&options={%22seats%22:2}"), 404, "unknown_game")


def test_the_games_say_enough_to_draw_them(api: Api) -> None:
    assert "hex" in [game["game"] for game in ok(api.get("/games"))["games"]]
    game = ok(api.get("/games/hex"))
    assert len(game["board"]["spaces"]) == 15 * 11
    assert game["board"]["spaces"][0]["neighbours"] == ["b1", "a2"]
    assert [seat["id"] for seat in game["seats"]] == ["red", "blue"]
    four = ok(api.get("/games/hex", params={"options": '{"seats":4,"width":9}'}))
    assert [seat["id"] for seat in four["seats"]] == ["red", "blue", "green", "yellow"]
    assert msgspec.convert(game, schema.Game).look[0].source == "board.obstacles"
    for name in warlog_core.games():
        assert msgspec.convert(ok(api.get(f"/games/{name}")), schema.Game).game == name
    assert len(four["board"]["spaces"]) == 9 * 11
    rules = api.get("/games/hex/rules")
    assert rules.headers["content-type"] == "text/markdown; charset=utf-8"
    assert rules.text.startswith("# Hex Tactics")
    again = api.get("/games/hex/rules", headers={"if-none-match": rules.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    data = api.get("/games/hex/data")
    assert data.headers["content-type"] == "application/json"
    assert data.content == warlog_core.game("hex").data()
    assert (data.json()["game"], data.json()["preset_points"]) == ("hex", 1000)
    again = api.get("/games/hex/data", headers={"if-none-match": data.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    refused(api.get("/games/chess/data"), 404, "unknown_game")
