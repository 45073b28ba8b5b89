"""The published playthroughs of every game of this build, imported as records over REST: every view and every
listing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import warlog_core
from tests.service.api import Api, ok
from tests.turns import by_turns

FOLDER = Path(__file__).parent.parent / "playthroughs"
FILES = sorted(
    path.name for path in FOLDER.glob("*.jsonl") if path.name.rsplit("-", 1)[0] in warlog_core.games()
)
# The core plays them all in every run; here a short one takes a few.
TRIED = by_turns(FILES, 10)


def digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def record_of(lines: list[dict[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The playthrough as a bare record whose setup is version 1, and its accepted steps: step i is version i + 2."""
    start, *steps = lines
    accepted = [step for step in steps if "error" not in step]
    events = [
        {"version": number, "parent": number - 1, **{key: step[key] for key in ("seat", "action", "draws")}}
        for number, step in enumerate(accepted, 2)
    ]
    record = {
        "warlog_record": 1,
        "game": start["game"],
        "rules_version": 1,
        "options": start["options"],
        "setup": {"version": 1, "draws": start["draws"]},
        "events": events,
    }
    if "position" in start:
        record["position"] = start["position"]
    return record, accepted


def states(start: dict[str, Any], steps: list[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
    yield 1, start
    yield from enumerate(steps, 2)


@pytest.mark.parametrize("name", TRIED)
def test_a_published_playthrough_is_imported_and_every_view_and_listing_of_it_comes_out(
    api: Api, name: str
) -> None:
    lines = [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]
    record, steps = record_of(lines)
    ada = api.player()
    done = ok(ada.post("/matches/import", record), 201)
    match, versions = done["match"]["id"], done["versions"]
    assert done["match"].get("result") == (steps[-1].get("result") if steps else None)
    for number, step in states(lines[0], steps):
        at = versions[str(number)]
        for viewer, expected in step["views"].items():
            seat = "" if viewer == "spectator" else f"&seat={viewer}"
            answer = ok(ada.get(f"/matches/{match}/view?at={at}{seat}"))
            assert answer["at"] == at
            full = step.get("full_views", {}).get(viewer)
            assert full is None or answer["view"] == full, f"view of {viewer} at step {number - 1}"
            assert digest(answer["view"]) == expected, f"view of {viewer} at step {number - 1}"
        for seat, expected in step.get("legal", {}).items():
            answer = ok(ada.get(f"/matches/{match}/actions?seat={seat}&at={at}"))
            assert answer["total"] == len(answer["actions"])
            assert digest(answer["actions"]) == expected, f"listing of {seat} at step {number - 1}"
    if steps and not done["match"]["result"]:
        return
    assert ok(ada.get(f"/matches/{match}/verify"))["status"] == "unseeded"


@pytest.mark.parametrize("name", TRIED)
def test_the_events_of_an_imported_playthrough_are_those_recorded(api: Api, name: str) -> None:
    lines = [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]
    record, steps = record_of(lines)
    ada = api.player()
    done = ok(ada.post("/matches/import", record), 201)
    match, versions = done["match"]["id"], done["versions"]
    after, events = versions["1"], {}
    for number, step in enumerate(steps, 2):
        if number % 200 == 2:
            page = ok(ada.get(f"/matches/{match}/events?after={after}&limit=200"))
            events = {event["version"]: event for event in page["events"]}
            after = page["next"]
        event = events[versions[str(number)]]
        assert (event["action"], event["draws"], event["effects"]) == (
            step["action"],
            step["draws"],
            event["effects"]
            if step["effects"] is None
            else step["effects"],  # one game's are recorded without
        )
    exported = ok(ada.get(f"/matches/{match}/export"))
    again = ok(ada.post("/matches/import", exported), 201)
    first, second = (ok(ada.get(f"/matches/{one}/view")) for one in (match, again["match"]["id"]))
    assert first["view"] == second["view"]


def test_a_record_that_breaks_a_rule_is_refused_and_says_where(api: Api) -> None:
    lines = [json.loads(line) for line in (FOLDER / FILES[0]).read_text().splitlines()]
    record, _ = record_of(lines)
    ada = api.player()
    broken = json.loads(json.dumps(record))
    broken["events"][3]["draws"] = [*broken["events"][3]["draws"], 0]
    answer = ada.post("/matches/import", broken)
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_record")
    assert answer.json()["record_version"] == 5
    broken = json.loads(json.dumps(record))
    broken["events"][2]["seat"] = "nobody"
    assert ada.post("/matches/import", broken).status_code == 422
