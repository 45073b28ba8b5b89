"""Records of self-play on the page: somebody opens the file, and looks at every board of the match."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.turns import by_turns
from tests.web.pages import Person

SELF_PLAY = Path(__file__).resolve().parents[2] / "examples" / "selfplay.py"
ACTIONS = 10
OPTIONS: dict[str, dict[str, Any]] = {
    "hex": {"width": 7, "height": 5, "army": "preset"},
    "junqi": {"players": 2},
}


@pytest.mark.parametrize("game", by_turns(OPTIONS, 2))
def test_a_record_of_self_play_is_opened_and_replayed_on_the_board(
    person: Person, game: str, tmp_path: Path
) -> None:
    arguments = ["--game", game, "--options", json.dumps(OPTIONS[game]), "--iterations", "8"]
    subprocess.run(
        [sys.executable, str(SELF_PLAY), *arguments, "--actions", str(ACTIONS)], cwd=tmp_path, check=True
    )
    page = person.page
    person.home()
    page.goto(f"{person.url}/import")
    page.get_by_label("File of a record").set_input_files(tmp_path / "selfplay-0.json")
    page.get_by_role("button", name="Open").click()
    page.wait_for_url("**/m/*")
    match = page.url.rpartition("/")[2]
    newest = person.ask(f"/v1/matches/{match}")["match"]["version"]
    page.wait_for_selector(f"text=Event {newest} of {newest}")
    boards = set()
    for at in range(newest, newest - ACTIONS - 1, -1):
        page.wait_for_selector(f"text=Event {at} of {newest}")
        person.settle()
        position = person.ask(f"/v1/matches/{match}/view?seat=all&at={at}")["position"]
        expected = sorted(standing(position))
        expect(page.locator(".moving")).to_have_count(len(expected))
        drawn = sorted(str(piece.get_attribute("data-at")) for piece in page.locator(".moving").all())
        assert drawn == expected, at
        boards.add(tuple(drawn))
        page.get_by_role("button", name="Back", exact=True).click()
    assert len(boards) > ACTIONS // 3


def standing(position: dict[str, Any]) -> Iterator[str]:
    """Where something stands."""
    for piece in position.get("stacks") or position["pieces"]:
        if (at := piece.get("space") or piece.get("at")) is not None:
            yield at
