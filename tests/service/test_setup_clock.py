"""Nobody holds the others' gold by never getting ready: over a real server, also one that was killed meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.servers import WarlogServer
from tests.service.api import UNLIMITED, Api, ok, refused
from tests.service.junqi import FOUR, TWO, gold, lobby, started
from tests.service.waiting import eventually


def test_who_never_gets_ready_gives_everybody_his_gold_back(tmp_path: Path) -> None:
    with WarlogServer(tmp_path, environment=UNLIMITED) as server:
        api = Api(server.url)
        two = [api.player() for _ in TWO]
        nobody = started(TWO, two, stake=100, flee_seconds=3_600, setup_seconds=1)
        four, late = with_west_late(api, 2)
        server.kill()  # deadlines are in Redis, which the next server starts again
        server.start()
        four = [Api(server.url, player.token) for player in four]
        two = [Api(server.url, player.token) for player in two]

        # West goes on asking, and so does not flee for being away.
        def ended() -> bool:
            ok(four[3].get(f"/matches/{late}/view?seat=west"))
            return bool(four[0].match(late)["status"] == "finished")

        eventually(ended, 60.0)
        assert four[0].match(late)["result"] == {"winners": [], "reason": "aborted"}
        (end,) = (one for one in events(four[0], late) if one.get("seat") == "server")
        assert end["action"] == {"type": "flee", "seat": "west"}
        assert "settlement" not in end

        eventually(lambda: two[0].match(nobody)["status"] == "aborted", 60.0)
        summary = two[0].match(nobody)
        assert (summary["result"], summary["to_act"], summary["deadlines"]) == (None, [], {})
        (end,) = (one for one in events(two[0], nobody) if one["type"] == "match_aborted")
        assert end["reason"] == "nobody_ready"
        assert ok(two[0].get(f"/matches/{nobody}/actions?seat=south"))["actions"] == []
        refused(two[0].act(nobody, "south", {"type": "ready"}), 409, "wrong_status")
        for player in (*four, *two):
            eventually(lambda player=player: gold(player) == (1_000, 0), 60.0)  # type: ignore[misc]


def with_west_late(api: Api, setup_seconds: int) -> tuple[list[Api], str]:
    """A match with gold at stake in which all but west are ready. A slow machine gets more time for that."""
    players = [api.player() for _ in FOUR]
    match = lobby(FOUR, players, stake=100, flee_seconds=3_600, setup_seconds=setup_seconds)
    assert players[0].match(match)["setup_seconds"] == setup_seconds
    assert all(gold(player)[1] == 500 for player in players)
    for seat, player in zip(FOUR, players, strict=True):
        ok(player.command(match, {"type": "prepare", "seat": seat}), 201)
    done: dict[str, Any] = {}
    for seat, player in list(zip(FOUR, players, strict=True))[:3]:
        answer = player.act(match, seat, {"type": "ready"})
        if answer.status_code == 409:
            return with_west_late(api, 2 * setup_seconds)
        done = ok(answer, 201)
    assert (done["to_act"], [*done["deadlines"]]) == (["west"], ["west"])
    return players, match


def events(player: Api, match: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = ok(player.get(f"/matches/{match}/events?limit=1000"))["events"]
    return found


def test_move_seconds_of_the_match_are_the_games_own_option(api: Api) -> None:
    ada = api.player()
    made = ada.create(game="junqi", options={}, move_seconds=60)["match"]
    assert (made["move_seconds"], made["options"]["move_seconds"]) == (60, 60)
    both = {"game": "junqi", "move_seconds": 60, "options": {"move_seconds": 30}}
    problem = refused(ada.post("/matches", both), 400, "bad_parameter")
    assert problem["path"] == "/move_seconds"
    problem = refused(ada.post("/pairing", both), 400, "bad_parameter")
    assert problem["path"] == "/move_seconds"
    entry = ok(ada.post("/pairing", {"game": "junqi", "move_seconds": 60}), 201)["entry"]
    assert (entry["move_seconds"], entry["options"]["move_seconds"]) == (60, 60)
    problem = refused(ada.post("/matches", {"game": "hex", "setup_seconds": -1}), 400, "bad_parameter")
    assert problem["path"] == "/setup_seconds"
