"""Weaponized Chess as the service keeps its book: who may see a match (6.5, 8.6), its history out and in (10.6), what
changes while it is played, and how it begins (6.6)."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

import warlog_core
from tests.service.api import Api, ok, refused
from tests.service.test_playthroughs import digest, record_of

GAME = warlog_core.game("wec")
WHOLE = Path(__file__).parent.parent / "playthroughs"
MOVE = {"type": "move", "piece": 17, "to": "d3", "level": "ground"}
REPLY = {"type": "move", "piece": 45, "to": "g8", "level": "ground"}
END = {"type": "end_turn"}


def pair(api: Api, mode: str = "casual", **spec: Any) -> tuple[Api, Api, str]:
    """A running match of two players, black and white."""
    black, white = api.player(), api.player()
    made = black.create(
        **{"game": "wec", "options": {}, "seats": {"black": "me", "white": white.id}, "mode": mode, **spec}
    )
    match = made["match"]["id"]
    for player, seat in ((black, "black"), (white, "white")):
        ok(player.command(match, {"type": "prepare", "seat": seat}), 201)
    return black, white, match


def alone(player: Api, **spec: Any) -> str:
    made = player.create(**{"game": "wec", "options": {}, "seats": {"black": "me", "white": "me"}, **spec})
    return str(made["match"]["id"])


def played(player: Api, match: str, seat: str, *actions: dict[str, Any]) -> int:
    """The version after these actions."""
    version = 0
    for action in actions:
        version = ok(player.act(match, seat, action), 201)["version"]
    return version


def proposed(player: Api, match: str, **proposal: Any) -> dict[str, Any]:
    done: dict[str, Any] = ok(player.command(match, {"type": "propose", "proposal": proposal}), 201)
    return done


def agreed(one: Api, other: Api, match: str, **proposal: Any) -> dict[str, Any]:
    version = proposed(one, match, **proposal)["version"]
    done: dict[str, Any] = ok(other.command(match, {"type": "accept", "proposal": version}), 201)
    return done


def history(player: Api, match: str, query: str = "") -> str:
    answer = player.get(f"/matches/{match}/history{query}")
    assert answer.status_code == 200, answer.text
    return answer.text


# ---- who may see it ---------------------------------------------------------------------------------------------


def test_nobody_watches_a_running_competitive_match(api: Api) -> None:
    black, _, match = pair(api, "competitive")
    eve = api.player()
    routes = ("view", "events", "timeline", "history", "export", "feed", "view?at=3")
    for reader in (eve, api):
        for route in routes:
            refused(reader.get(f"/matches/{match}/{route}"), 403, "no_spectators")
        ok(reader.get(f"/matches/{match}"))  # that there is one, and how it stands, is no secret
    refused(black.get(f"/matches/{match}/view"), 403, "no_spectators")
    refused(black.get(f"/matches/{match}/view?seat=white"), 403, "not_your_seat")
    black.resign(match, "black")
    for route in ("view", "events", "timeline", "history", "export", "view?seat=all"):
        assert eve.get(f"/matches/{match}/{route}").status_code == 200
    assert ok(eve.get(f"/matches/{match}/verify"))["status"] == "verified"


def test_a_watcher_is_cut_off_when_the_match_becomes_competitive(api: Api) -> None:
    black, white, match = pair(api)
    with api.feed(match, after=0) as feed:
        feed.take(3)
        version = agreed(black, white, match, kind="competitive")["version"]
        rest = [event for event in feed if event[1] != "heartbeat"]
    assert rest[-1][1:] == ("closing", {"type": "closing", "code": "no_spectators"})
    assert all(id is None or id < version for id, _, _ in rest)
    refused(
        black.command(match, {"type": "propose", "proposal": {"kind": "undo", "to": 3}}), 403, "competitive"
    )
    refused(
        black.command(match, {"type": "propose", "proposal": {"kind": "competitive"}}), 409, "wrong_status"
    )


def test_a_hot_seat_becomes_competitive_with_one_command(api: Api) -> None:
    ada = api.player()
    match = alone(ada)
    played(ada, match, "black", MOVE)
    proposed(ada, match, kind="undo", to=2)  # in a match whose history is open this gives nothing away
    played(ada, match, "black", MOVE)
    proposed(ada, match, kind="competitive")
    assert ada.match(match)["mode"] == "competitive"
    for proposal in ({"kind": "undo", "to": 2}, {"kind": "options", "options": {"stealth": False}},
                     {"kind": "edit", "position": {"pieces": []}}):  # fmt: skip
        refused(ada.command(match, {"type": "propose", "proposal": proposal}), 403, "competitive")
    assert "1B MV:FP(2,3)->(3,4),UN" in history(ada, match)


# ---- its history ------------------------------------------------------------------------------------------------


def hidden_turns(black: Api, white: Api, match: str) -> None:
    """Black's unseen AAA steps aside; White answers."""
    played(black, match, "black", {"type": "move", "piece": 18, "to": "d3", "level": "ground"}, END)
    played(white, match, "white", REPLY, END)


def test_the_history_of_a_competitive_match_is_censored_until_it_is_over(api: Api) -> None:
    black, white, match = pair(api, "competitive")
    hidden_turns(black, white, match)
    mine, other = history(black, match), history(white, match)
    assert mine == "WEC 1\nOPTIONS {}\n1B MV:AAA(2,3)->(3,4)\n2W MV:FP(9,8)->(8,7)\n"
    assert other == "WEC 1\nOPTIONS {}\n1B MV:?\n2W MV:FP(9,8)->(8,7)\n"
    assert history(white, match, "?seat=white") == other
    white.resign(match, "white")
    whole = mine + "RESULT black resigned\n"
    for reader in (black, white, api):
        assert history(reader, match) == whole


def test_the_history_of_a_casual_match_of_two_is_censored_until_it_is_over(api: Api) -> None:
    black, white, match = pair(api)
    hidden_turns(black, white, match)
    assert history(black, match) == "WEC 1\nOPTIONS {}\n1B MV:AAA(2,3)->(3,4)\n2W MV:FP(9,8)->(8,7)\n"
    for reader in (white, api):
        assert "1B MV:?\n" in history(reader, match)
    for reader in (black, white, api):
        assert "over" in refused(reader.get(f"/matches/{match}/export"), 403, "hidden")["detail"]
        refused(reader.get(f"/matches/{match}/view?seat=all"), 403, "not_your_seat")


def test_the_history_of_a_casual_match_with_an_open_record_is_complete_for_everybody(api: Api) -> None:
    black, white, match = pair(api, open_record=True)
    assert api.match(match)["open_record"]
    hidden_turns(black, white, match)
    whole = history(black, match)
    assert "1B MV:AAA(2,3)->(3,4)\n" in whole
    assert history(white, match) == history(api, match) == whole
    events = ok(white.get(f"/matches/{match}/events"))["events"]
    assert "action" not in events[4 - 1]  # events are as in other matches
    assert events[4 - 1]["effects"] == []
    for reader in (white, api):
        exported = ok(reader.get(f"/matches/{match}/export"))
        assert [event["action"]["type"] for event in exported["events"]] == ["move", "end_turn"] * 2
        assert "position" in ok(reader.get(f"/matches/{match}/view?seat=all"))
    refused(
        black.command(match, {"type": "propose", "proposal": {"kind": "competitive"}}),
        409,
        "already_disclosed",
    )


def test_a_match_that_becomes_competitive_before_its_start_has_no_open_record(api: Api) -> None:
    ada = api.player()
    seats = {"black": "me", "white": "open"}
    match = ada.create(game="wec", options={}, seats=seats, open_record=True)["match"]["id"]
    proposed(ada, match, kind="competitive")
    now = ada.match(match)
    assert (now["mode"], now["open_record"]) == ("competitive", False)


def test_what_the_end_has_disclosed_stays_so_in_history_and_record(api: Api) -> None:
    """Of a match that was over and was taken back: the lines and events before that end, and none after it."""
    black, white, match = pair(api)
    hidden_turns(black, white, match)
    back = api.match(match)["version"]
    played(white, match, "white", {"type": "resign"})
    ended = api.match(match)["version"]
    agreed(black, white, match, kind="undo", to=back)
    played(black, match, "black", {"type": "move", "piece": 18, "to": "c3", "level": "ground"}, END)
    text = "WEC 1\nOPTIONS {}\n1B MV:AAA(2,3)->(3,4)\n2W MV:FP(9,8)->(8,7)\n3B MV:?\n"
    for reader in (white, api):
        assert history(reader, match) == text
        record = ok(reader.get(f"/matches/{match}/export"))
        assert [event["version"] for event in record["events"]] == [*range(4, ended + 1)]
        assert record["events"][0]["action"]["to"] == "d3"
        assert "seeds" not in record
    assert ok(white.post("/matches/import", record), 201)["match"]["status"] == "finished"


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_a_history_is_read_page_by_page(api: Api, limit: int) -> None:
    lines = [json.loads(line) for line in (WHOLE / "wec-1.jsonl").read_text().splitlines()]
    ada = api.player()
    record, _ = record_of(lines)
    record["events"] = record["events"][:60]
    match = ok(ada.post("/matches/import", record), 201)["match"]["id"]
    whole = history(ada, match)
    path, found, pages = f"/matches/{match}/history?limit={limit}", "", 0
    while path:
        answer = ada.get(path)
        assert answer.status_code == 200
        head = 3 if pages == 0 else 0
        assert len(answer.text.splitlines()) <= limit + head
        found += answer.text
        pages += 1
        link = re.fullmatch(r'</v1(/matches/[^>]*)>; rel="next"', answer.headers.get("link", ""))
        path = f"{link[1]}&limit={limit}" if link else ""
    assert found == whole
    assert pages > 1
    # From the middle of a half-turn on: the whole of its line.
    for after in range(1, 30):
        assert whole.endswith(history(ada, match, f"?after={after}"))


def test_what_was_taken_back_is_not_in_the_history(api: Api) -> None:
    ada = api.player()
    match = alone(ada)
    played(ada, match, "black", MOVE, END)
    proposed(ada, match, kind="undo", to=2)
    played(ada, match, "black", {"type": "offer_draw"}, {**MOVE, "to": "b3"})
    assert history(ada, match) == "WEC 1\nOPTIONS {}\n1B MV:FP(2,3)->(3,2),UN\n"


@pytest.mark.parametrize("name", ["wec-1", "wec-2", "wec-3", "wec-4", "wec-5"])
def test_a_history_is_imported_and_makes_the_same_match(api: Api, name: str) -> None:
    lines = [json.loads(line) for line in (WHOLE / f"{name}.jsonl").read_text().splitlines()]
    ada = api.player()
    record, _ = record_of(lines)
    record["events"] = record["events"][:250]
    first = ok(ada.post("/matches/import", record), 201)["match"]
    text = history(ada, first["id"])
    made = ok(ada.post("/matches/import", {"game": "wec", "history": text}), 201)
    again = made["match"]["id"]
    assert (made["match"]["mode"], made["match"]["result"]) == ("casual", first["result"])
    assert history(ada, again) == text
    for seat in ("black", "white"):
        one, two = (ok(ada.get(f"/matches/{m}/view?seat={seat}"))["view"] for m in (first["id"], again))
        assert one == two
    # And it can be taken back and played on.
    proposed(ada, again, kind="undo", to=2)
    assert ada.match(again)["status"] == "playing"


def test_what_is_no_history_is_refused(api: Api) -> None:
    ada = api.player()
    for text in ("", "WEC 1\n", "WEC 1\nOPTIONS {}\n1B MV:FP(2,3)->(9,9)\n", "WEC 1\nOPTIONS {}\n1B MV:?\n",
                 "WEC 1\nOPTIONS {}\nPOSITION ?\n"):  # fmt: skip
        refused(ada.post("/matches/import", {"game": "wec", "history": text}), 422, "invalid_position")
    refused(ada.post("/matches/import", {"game": "wec", "history": 5}), 400, "malformed_body")
    refused(ada.post("/matches/import", {"game": "hex", "history": "1. red"}), 400, "malformed_body")
    refused(ada.post("/matches/import", {"game": "chess", "history": ""}), 404, "unknown_game")


def test_a_saved_match_is_proposed_in_the_lobby_as_its_history(api: Api) -> None:
    black, white = api.player(), api.player()
    match = black.create(game="wec", options={}, seats={"black": "me", "white": white.id})["match"]["id"]
    text = "WEC 1\nOPTIONS {}\n1B MV:FP(2,3)->(3,4)\n2W MV:FP(9,8)->(8,7)\n"
    refused(
        white.command(
            match,
            {"type": "propose", "proposal": {"kind": "options", "import": {"game": "wec", "history": "x"}}},
        ),
        422,
        "invalid_position",
    )
    agreed(white, black, match, kind="options", **{"import": {"game": "wec", "history": text}})
    assert white.match(match)["beginning"] == {"kind": "import", "events": 4, "options": {}}
    for player, seat in ((black, "black"), (white, "white")):
        done = ok(player.command(match, {"type": "prepare", "seat": seat}), 201)
    assert done["to_act"] == ["black"]
    assert history(white, match) == text
    start = ok(white.get(f"/matches/{match}/events?after={done['version'] - 5}"))["events"][0]
    agreed(black, white, match, kind="undo", to=start["version"])  # back into the saved match
    assert history(white, match) == "WEC 1\nOPTIONS {}\n"


def test_two_players_play_a_whole_competitive_match_each_seeing_what_he_may(api: Api) -> None:
    """The published match that ends by resigning, posted action by action; each step is looked at by both."""
    first, *steps = [json.loads(line) for line in (WHOLE / "wec-2.jsonl").read_text().splitlines()]
    black, white, match = pair(api, "competitive", options=first["options"])
    players = {"black": black, "white": white}
    for step in steps:
        ok(players[step["seat"]].act(match, step["seat"], step["action"]), 201)
        for seat, player in players.items():
            view = ok(player.get(f"/matches/{match}/view?seat={seat}"))["view"]
            assert digest(view) == step["views"][seat], f"{seat} at step {step['n']}"
    assert api.match(match)["result"] == steps[-1]["result"]
    # While it ran each was told of the other's actions no more than their effects; now everybody reads all of it.
    assert [event["action"] for event in ok(api.get(f"/matches/{match}/events?limit=1000"))["events"]
            if event["type"] == "action_taken"] == [step["action"] for step in steps]  # fmt: skip
    assert history(black, match) == history(white, match) == history(api, match)
    assert ok(api.get(f"/matches/{match}/verify"))["status"] == "verified"


# ---- what changes while it is played ----------------------------------------------------------------------------


def test_options_change_in_a_casual_match_and_back(api: Api) -> None:
    black, white, match = pair(api, open_record=True)
    before = played(black, match, "black", MOVE, END)
    done = agreed(
        white, black, match, kind="options", options={"flame_range": 2, "movement": "standard_chess"}
    )
    assert done["options"]["flame_range"] == white.match(match)["options"]["flame_range"] == 2
    view = ok(white.get(f"/matches/{match}/view?seat=white"))["view"]
    assert (view["options"]["movement"], view["turn"]) == ("standard_chess", 2)
    text = history(black, match)
    assert text.startswith("WEC 1\nOPTIONS {}\n1B MV:FP(2,3)->(3,4)\nOPTIONS ")
    assert 'OPTIONS {"flame_range":2,"movement":"standard_chess"}\nPOSITION {' in text
    for options in (
        {"reinforcements": "none"},
        {"weapons": "more"},
        {"xxx_boxes": "none"},
        {"flame_range": 0},
        {"x": 1},
    ):
        proposal = {"kind": "options", "options": options}
        refused(black.command(match, {"type": "propose", "proposal": proposal}), 422, "invalid_options")
    played(white, match, "white", {**REPLY, "to": "h8"})
    agreed(black, white, match, kind="undo", to=before)
    assert black.match(match)["options"]["movement"] == "weaponized"
    assert ok(white.get(f"/matches/{match}/view?seat=white"))["view"]["options"]["flame_range"] == 1
    assert history(black, match) == "WEC 1\nOPTIONS {}\n1B MV:FP(2,3)->(3,4)\n"
    # Where it was may be read as before, and the record says it all.
    exported = ok(black.get(f"/matches/{match}/export"))
    again = ok(black.post("/matches/import", exported), 201)["match"]["id"]
    assert history(black, again) == history(black, match)


def test_a_government_is_its_own_seats_choice(api: Api) -> None:
    black, white = api.player(), api.player()
    match = black.create(game="wec", options={}, seats={"black": "me", "white": white.id})["match"]["id"]
    done = proposed(white, match, kind="options", options={"white_government": "democracy"})
    assert done["type"] == "options_changed"
    done = proposed(white, match, kind="options", options={"black_government": "democracy"})
    assert done["type"] == "proposal_made"
    done = proposed(white, match, kind="options", options={"white_government": "theocracy", "stealth": False})
    assert done["type"] == "proposal_made"
    for player, seat in ((black, "black"), (white, "white")):
        ok(player.command(match, {"type": "prepare", "seat": seat}), 201)
    done = proposed(black, match, kind="options", options={"black_government": "dictatorship"})
    assert done["type"] == "options_changed"
    types = {piece["type"] for piece in ok(black.get(f"/matches/{match}/view?seat=black"))["view"]["pieces"]}
    assert {"dictator", "assassin"} <= types
    assert {"king", "queen"}.isdisjoint(types)
    seen = {piece["type"] for piece in ok(black.get(f"/matches/{match}/view?seat=black"))["view"]["enemies"]}
    assert {"president", "prime_minister"} <= seen


SMALL = {
    "pieces": [
        {"id": 1, "seat": "black", "type": "king", "at": "e1"},
        {"id": 2, "seat": "white", "type": "king", "at": "f10"},
        {"id": 3, "seat": "black", "type": "tank", "at": "a1", "hand": "right"},
        {"id": 4, "seat": "white", "type": "aaa", "at": "j10"},
    ]
}

ENDING = {
    "pieces": [
        {"id": 1, "seat": "black", "type": "king", "at": "e1"},
        {"id": 2, "seat": "white", "type": "king", "at": "a10"},
        {"id": 3, "seat": "black", "type": "tank", "at": "a8", "hand": "right"},
    ]
}


def changed_match(ada: Api) -> str:
    """A hot seat whose options change in the middle of a half-turn, which is edited, is won, is edited and goes on."""
    match = alone(ada)
    played(ada, match, "black", MOVE)
    proposed(ada, match, kind="options", options={"flame_range": 2})
    played(ada, match, "black", END)
    played(ada, match, "white", REPLY, END)
    undone = played(ada, match, "black", {"type": "move", "piece": 19, "to": "e3", "level": "ground"})
    proposed(ada, match, kind="edit", position=SMALL)  # and all this is taken back
    proposed(ada, match, kind="undo", to=undone)
    proposed(ada, match, kind="options", options={"flame_range": 1})  # a section without a line of its own
    proposed(ada, match, kind="edit", position=ENDING)
    played(ada, match, "black", {"type": "move", "piece": 3, "to": "a10", "level": "ground"}, END)
    assert ada.match(match)["status"] == "finished"
    proposed(ada, match, kind="edit", position=SMALL)
    played(ada, match, "black", {"type": "move", "piece": 3, "to": "a4", "level": "ground"})
    return match


def test_the_history_has_every_section_of_the_current_line_and_is_read_back(api: Api) -> None:
    """In 0.1 an option change or an edit began a history that left out what was before."""
    ada = api.player()
    match = changed_match(ada)
    text = history(ada, match)
    shape = [line.split("{")[0] for line in text.splitlines()]
    assert shape == [
        "WEC 1", "OPTIONS ", "1B MV:FP(2,3)->(3,4),UN",
        "OPTIONS ", "POSITION ", "1B MV:-", "2W MV:FP(9,8)->(8,7)", shape[7],
        "OPTIONS ", "POSITION ",
        "OPTIONS ", "POSITION ", shape[12], "RESULT black primary_destroyed",
        "OPTIONS ", "POSITION ", "1B MV:TA(1,1)>->(4,1),UN",
    ]  # fmt: skip
    assert shape[7].startswith("3B MV:")
    assert shape[12].startswith("1B MV:TA(8,1)>->(10,1),RS:TA*K(10,1)0W")
    again = ok(ada.post("/matches/import", {"game": "wec", "history": text}), 201)["match"]
    assert again["status"] == "playing"
    assert history(ada, again["id"]) == text
    for seat in ("black", "white"):
        one, two = (ok(ada.get(f"/matches/{m}/view?seat={seat}"))["view"] for m in (match, again["id"]))
        assert one == two
    types = [event["type"] for event in ok(ada.get(f"/matches/{again['id']}/events?limit=1000"))["events"]]
    assert types.count("options_changed") == 2
    assert types.count("position_edited") == 2


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_the_sections_of_a_history_come_in_pages(api: Api, limit: int) -> None:
    ada = api.player()
    match = changed_match(ada)
    path, found = f"/matches/{match}/history?limit={limit}", ""
    while path:
        answer = ada.get(path)
        assert sum(line[0].isdigit() for line in answer.text.splitlines()) <= limit
        found += answer.text
        link = re.fullmatch(r'</v1(/matches/[^>]*)>; rel="next"', answer.headers.get("link", ""))
        path = f"{link[1]}&limit={limit}" if link else ""
    assert found == history(ada, match)
    for after in range(1, ada.match(match)["version"]):
        assert found.endswith(history(ada, match, f"?after={after}"))


def test_of_a_section_that_a_reader_may_not_know_he_reads_that_it_has_a_position(api: Api) -> None:
    """Also where it is the standard setup, which must not be told from another."""
    black, white, match = pair(api)
    usual = GAME.new().position(plain=True)
    agreed(black, white, match, kind="edit", position=usual)
    agreed(black, white, match, kind="competitive")
    assert history(white, match) == "WEC 1\nOPTIONS {}\nOPTIONS {}\nPOSITION ?\n"


@pytest.mark.parametrize(
    "more",
    [
        "OPTIONS {}\n",  # a later section has a Position
        "OPTIONS {}\nPOSITION ?\n",
        'OPTIONS {"weapons":"more"}\nPOSITION @\n',  # what cannot change while it is played
        "RESULT black resigned\nRESULT black resigned\n",
        'RESULT black resigned\nOPTIONS {"flame_range":2}\nPOSITION @\n',
        "WEC 1\nOPTIONS {}\nPOSITION @\n",
        "OPTIONS {}\nPOSITION @\nPOSITION @\n",
    ],
)
def test_a_section_that_does_not_fit_is_refused(api: Api, more: str) -> None:
    position = json.dumps(SMALL)
    text = "WEC 1\nOPTIONS {}\n1B MV:FP(2,3)->(3,4)\n" + more.replace("@", position)
    refused(api.player().post("/matches/import", {"game": "wec", "history": text}), 422, "invalid_position")


def test_a_position_is_edited_and_the_edit_is_undone(api: Api) -> None:
    black, white, match = pair(api, open_record=True)
    before = played(black, match, "black", MOVE)
    view = ok(black.get(f"/matches/{match}/view?seat=black"))["view"]
    proposal = {"kind": "edit", "position": {"pieces": []}}
    refused(black.command(match, {"type": "propose", "proposal": proposal}), 422, "missing_primary")
    done = agreed(black, white, match, kind="edit", position=SMALL)
    assert done["type"] == "position_edited"
    played(black, match, "black", {"type": "move", "piece": 3, "to": "a4", "level": "ground"})
    text = history(white, match)
    before_it = r"WEC 1\nOPTIONS {}\n1B MV:FP\(2,3\)->\(3,4\),UN\n"
    assert re.fullmatch(before_it + r"OPTIONS {}\nPOSITION {.*}\n1B MV:TA\(1,1\)>->\(4,1\),UN\n", text)
    edited = done["version"]
    agreed(white, black, match, kind="undo", to=before)
    assert ok(black.get(f"/matches/{match}/view?seat=black"))["view"] == view
    agreed(white, black, match, kind="undo", to=edited)  # and the undoing is undone
    assert len(ok(black.get(f"/matches/{match}/view?seat=black"))["view"]["pieces"]) == 2
    events = ok(white.get(f"/matches/{match}/events"))["events"]
    (event,) = [event for event in events if event["type"] == "position_edited"]
    assert "position" not in event  # who made it has it; the other one reads the history
    played(black, match, "black", {"type": "resign"})
    assert ok(black.get(f"/matches/{match}/verify"))["status"] == "verified"


def test_a_casual_match_is_taken_back_to_any_event_and_played_on(api: Api, seed: int) -> None:
    rng, ada = random.Random(seed), api.player()
    match = alone(ada)
    version = 2
    for _ in range(8):
        for _ in range(6):
            summary = ada.match(match)
            if not summary["to_act"]:
                break
            seat = summary["to_act"][0]
            acts = ok(ada.get(f"/matches/{match}/actions?seat={seat}"))["actions"]
            act = rng.choice([a for a in acts if a["type"] not in ("resign", "offer_draw")])
            version = played(ada, match, seat, act)
        to = rng.randint(2, version)
        was = [
            ok(ada.get(f"/matches/{match}/view?seat={seat}&at={to}"))["view"] for seat in ("black", "white")
        ]
        version = proposed(ada, match, kind="undo", to=to)["version"]
        now = [ok(ada.get(f"/matches/{match}/view?seat={seat}"))["view"] for seat in ("black", "white")]
        assert now == was, f"seed {seed}: version {to}"
        text = history(ada, match)
        again = ok(ada.post("/matches/import", {"game": "wec", "history": text}), 201)["match"]["id"]
        assert history(ada, again) == text
    exported = ok(ada.get(f"/matches/{match}/export"))
    copy = ok(ada.post("/matches/import", exported), 201)["match"]["id"]
    assert history(ada, copy) == history(ada, match)


# ---- colours ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wishes", "first"),
    [
        ((None, None), "black"),
        (("white", None), "white"),
        ((None, "black"), "white"),
        ((None, "white"), "black"),
        (("white", "black"), "white"),
        (("black", "white"), "black"),
    ],
)
def test_colours_go_by_wish_and_then_by_who_came_first(
    api: Api, wishes: tuple[str | None, str | None], first: str
) -> None:
    ada, bob = api.player(), api.player()
    match = ada.create(game="wec", options={}, seating="wish")["match"]["id"]
    done: dict[str, Any] = {}
    for player, wish in zip((ada, bob), wishes, strict=True):
        done = ok(player.post(f"/matches/{match}/join", {"wish": wish} if wish else {}), 201)
    event = ok(ada.get(f"/matches/{match}/events"))["events"][-1]
    assert (event["type"], event["draws"]) == ("seats_assigned", [])
    seats = {seat["player"]["name"]: seat["seat"] for seat in done["match"]["seats"]}
    assert seats[ada.name] == first
    assert seats[bob.name] != first


def test_the_same_wish_is_drawn_for(api: Api) -> None:
    seen = set()
    for _ in range(30):
        ada, bob = api.player(), api.player()
        match = ada.create(game="wec", options={}, seating="wish")["match"]["id"]
        ok(ada.post(f"/matches/{match}/join", {"wish": "white"}), 201)
        done = ok(bob.post(f"/matches/{match}/join", {"wish": "white"}), 201)
        (draw,) = ok(ada.get(f"/matches/{match}/events"))["events"][-1]["draws"]
        seats = {seat["seat"]: seat["player"]["name"] for seat in done["match"]["seats"]}
        assert seats["white"] == (ada, bob)[draw].name  # 0: the first to join gets it
        seen.add(draw)
        if seen == {0, 1}:
            return
    raise AssertionError("thirty draws were alike")


# ---- scenarios --------------------------------------------------------------------------------------------------


def test_every_shipped_scenario_is_listed_checked_and_begins_a_match(api: Api) -> None:
    black, white = api.player(), api.player()
    listed = ok(api.get("/scenarios?game=wec&limit=200"))["scenarios"]
    shipped = [one for one in listed if one["owner"] == "warlog"]
    assert shipped[0]["id"] == "sc_wec_standard"
    assert len(shipped) >= 5
    for one in shipped:
        whole = ok(api.get(f"/scenarios/{one['id']}"))["scenario"]
        assert {key: whole[key] for key in one} == one
        check = {"options": whole["options"], "position": whole["position"]}
        assert ok(api.post("/games/wec/positions/check", check)) == {"ok": True}
        made = black.create(
            game="wec", options={}, scenario=one["id"], seats={"black": "me", "white": white.id}
        )["match"]
        # What is shipped is no secret: the other one sees what he is to play.
        beginning = ok(white.get(f"/matches/{made['id']}"))["match"]["beginning"]
        assert beginning["kind"] == "standard" or len(beginning["position"]["pieces"]) > 10
        for player, seat in ((black, "black"), (white, "white")):
            ok(player.command(made["id"], {"type": "prepare", "seat": seat}), 201)
        now = white.match(made["id"])
        assert now["options"] == {**now["options"], **whole["options"]}
        pieces = 0
        for player, seat in ((black, "black"), (white, "white")):
            pieces += len(ok(player.get(f"/matches/{made['id']}/view?seat={seat}"))["view"]["pieces"])
        assert pieces == len(whole["position"]["pieces"])
    # The standard one is the setup that weapons, boxes and reinforcements are options of.
    options = {"reinforcements": "none"}
    match = black.create(
        game="wec", options=options, scenario="sc_wec_standard", seats={"black": "me", "white": "me"}
    )
    view = ok(black.get(f"/matches/{match['match']['id']}/view?seat=black"))["view"]
    assert view["reinforcements"] == []
    match = black.create(game="wec", options={}, seats={"black": "me", "white": white.id})["match"]["id"]
    agreed(white, black, match, kind="options", scenario="sc_wec_siege")
    assert white.match(match)["options"]["black_government"] == "theocracy"


def test_an_editor_begins_with_what_its_proposer_sees(api: Api) -> None:
    """wec 6.5, where two play: what the proposer does not see is not in it, and is gone when the other accepts."""
    black, white, match = pair(api)
    refused(white.get(f"/matches/{match}/position?seat=black"), 403, "not_your_seat")
    refused(api.get(f"/matches/{match}/position?seat=black"), 403, "not_your_seat")
    view = ok(white.get(f"/matches/{match}/view?seat=white"))["view"]
    buffer = ok(white.get(f"/matches/{match}/position?seat=white"))["position"]
    seen = {(p["seat"], p["type"], p["at"]) for p in (*view["pieces"], *view["enemies"])}
    assert {(p["seat"], p["type"], p["at"]) for p in buffer["pieces"]} == seen
    hidden = len(GAME.new().position(plain=True)["pieces"]) - len(seen)
    assert hidden > 0
    # The other side may stand elsewhere where White does not see it: he gets the same.
    played(black, match, "black", {"type": "move", "piece": 18, "to": "d3", "level": "ground"}, END)
    now = ok(white.get(f"/matches/{match}/position?seat=white"))["position"]
    assert now["pieces"] == buffer["pieces"]
    agreed(white, black, match, kind="edit", position=now)
    assert (
        len(ok(black.get(f"/matches/{match}/view?seat=black"))["view"]["pieces"])
        == len(view["pieces"]) - hidden
    )
    agreed(black, white, match, kind="competitive")
    refused(white.get(f"/matches/{match}/position?seat=white"), 403, "competitive")
