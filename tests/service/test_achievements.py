"""Achievements and statistics over REST: what a match has earned, where it is shown and told, and what is refused."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import warlog_core
from tests.service.api import Api, ok, refused
from tests.service.test_ratings import rated


def earned(reader: Api, player: Api) -> dict[str, dict[str, Any]]:
    return {one["key"]: one for one in ok(reader.get(f"/players/{player.id}/achievements"))["achievements"]}


def test_a_match_is_shown_at_once_in_achievements_and_statistics(api: Api) -> None:
    ada, ben = api.player(), api.player()
    match = rated(ada, ben)
    (winning,) = ada.match(match)["result"]["winners"]
    winner, loser = (ada, ben) if winning == "red" else (ben, ada)
    first = earned(api, winner)["any.first_win"]
    assert (first["match"], first["name"], first["game"]) == (match, "First win", None)
    assert first["at"] == ada.match(match)["updated_at"]
    assert "any.first_win" not in earned(api, loser)
    begun = ok(api.get(f"/players/{loser.id}/achievements"))["begun"]
    assert ("any.ten_matches", 1, 10) in [(one["key"], one["times"], one["count"]) for one in begun]
    (own,) = ok(api.get(f"/players/{winner.id}/statistics"))["statistics"]
    assert (own["game"], own["played"], own["won"], own["streak"]) == ("hex", 1, 1, 1)
    assert own["seats"] == [{"pool": "duel", "seat": winning, "won": 1, "drawn": 0, "lost": 0}]
    everybody = ok(api.get("/games/hex/statistics"))
    assert everybody["played"] >= 1
    assert {one["seat"] for one in everybody["seats"]} >= {"red", "blue"}


def test_the_player_is_told_in_his_feed_once_for_each(api: Api) -> None:
    ada, ben = api.player(), api.player()
    with ada.personal_feed() as adas, ben.personal_feed() as bens:
        match = rated(ada, ben)
        winner = ada if "any.first_win" in earned(api, ada) else ben
        wanted = set(earned(api, winner))
        told: list[str] = []
        while set(told) != wanted:
            for _, name, notice in (adas if winner is ada else bens).take(1):
                if name == "achievement":
                    assert (notice["match"], notice["game"]) == (match, "hex")
                    assert notice["version"] == ada.match(match)["version"]
                    assert notice["seats"] == [ada.match(match)["result"]["winners"][0]]
                    told.append(notice["achievement"]["key"])
                    assert notice["achievement"]["name"] == earned(api, winner)[told[-1]]["name"]
        assert sorted(told) == sorted(wanted)


def test_all_achievements_are_listed_with_what_is_to_be_done(api: Api) -> None:
    listed = ok(api.get("/achievements"))["achievements"]
    assert listed[0]["key"] == "any.first_win"
    assert {one["game"] for one in listed} == {None, *warlog_core.games()}
    assert len({one["key"] for one in listed}) == len(listed)


def test_who_has_played_nothing_has_nothing_and_nobody_is_unknown(api: Api) -> None:
    ada = api.player()
    assert ok(api.get(f"/players/{ada.id}/achievements")) == {"achievements": [], "begun": []}
    assert ok(api.get(f"/players/{ada.id}/statistics")) == {"statistics": []}
    refused(api.get("/players/pl_nobody/achievements"), 404, "unknown_player")
    refused(api.get("/players/pl_nobody/statistics"), 404, "unknown_player")
    refused(api.get("/games/chess/statistics"), 404, "unknown_game")


def test_data_with_an_unknown_field_keep_the_server_from_starting_and_it_says_where(tmp_path: Path) -> None:
    copy = tmp_path / "warlog_core"
    shutil.copytree(Path(warlog_core.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    file = copy / "rules" / "hex_achievements.json"
    data = json.loads(file.read_text())
    data["riposte"]["points"] = 10
    file.write_text(json.dumps(data))
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import warlog_core; from warlog_service.cli import main; sys.exit(main(['serve', '--port', '0']))"
    )
    told = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        cwd=tmp_path,
    )
    assert told.returncode == 1
    assert "rules/hex_achievements.json, riposte: Object contains unknown field `points`" in told.stderr
