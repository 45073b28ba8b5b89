"""The rule books' worked examples (tests/vectors) over REST.

Those without draws and without the server's own actions are played, each seat by another player. A server draws for
itself, and nobody can post its actions; so the others are imported as records and looked at step by step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from _pytest.mark import ParameterSet

import warlog_core
from tests.core.games import vectors
from tests.core.patterns import differences, has_path
from tests.core.test_vectors import check_listing, name_of
from tests.servers import WarlogServer
from tests.service.api import Api, ok, refused
from tests.turns import by_turns

Json = dict[str, Any]


def can_be_posted(vector: Json) -> bool:
    steps = vector.get("steps", [])
    drawn = vector.get("draws") or any(step.get("draws") for step in steps)
    return not drawn and all(step["seat"] != "server" for step in steps)


VECTORS = [vector for vector in vectors() if can_be_posted(vector)]
RECORDS = [v for v in vectors() if not can_be_posted(v) and "expect_setup_error" not in v]


def tried(vectors: list[Json]) -> list[ParameterSet]:
    """The core goes through all of them in every run; a short one takes a quarter of them over REST, of each kind
    of expectation in each game at least one."""
    return by_turns(vectors, 4, kind=lambda one: (one["game"], expectations(one)), name=name_of)


def expectations(vector: Json) -> frozenset[str]:
    holders = [vector, *vector.get("steps", [])]
    return frozenset(key for holder in holders for key in holder if key.startswith("expect"))


@pytest.fixture(scope="module")
def people(server: WarlogServer) -> Iterator[list[Api]]:
    """As many players as a match may need, and last a stranger."""
    with Api(server.url) as stranger:
        yield [*(stranger.player() for _ in range(5)), stranger]


class Table:
    """One match of an example, with its players by seat."""

    def __init__(self, vector: Json, people: list[Api]) -> None:
        options = vector.get("options", {})
        seats = warlog_core.game(vector["game"]).seats_for(options)
        self.stranger = people[-1]
        self.players = dict(zip(seats, people, strict=False))
        spec = {
            "game": vector["game"],
            "options": options,
            "seats": {s: p.id for s, p in self.players.items()},
        }
        if "position" in vector:
            spec["position"] = vector["position"]
        if "expect_history_for" in vector:
            spec["mode"] = "competitive"
        elif "expect_history" in vector:
            spec["open_record"] = True  # so that each of them gets the whole history
        self.match = people[0].create(**spec)["match"]["id"]
        done: Json = {}
        for seat, player in self.players.items():
            done = ok(player.command(self.match, {"type": "prepare", "seat": seat}), 201)
        self.start = done["version"]

    def get(self, viewer: str, route: str, more: str = "") -> Any:
        if viewer == "spectator":
            return ok(self.stranger.get(f"/matches/{self.match}/{route}?{more}"))
        return ok(self.players[viewer].get(f"/matches/{self.match}/{route}?seat={viewer}&{more}"))

    def check(self, holder: Json) -> None:
        for viewer, pattern in holder.get("expect", {}).items():
            assert differences(pattern, self.get(viewer, "view")["view"]) == [], viewer
        for viewer, expected in holder.get("expect_actions", {}).items():
            if viewer == "spectator":  # has none to ask for
                continue
            check_listing(expected, self.get(viewer, "actions")["actions"], viewer)

    def step(self, step: Json) -> None:
        if step["seat"] not in self.players:
            refused(self.anybody().act(self.match, step["seat"], step["action"]), 404, "unknown_seat")
        elif "action" in step:
            answer = self.players[step["seat"]].act(self.match, step["seat"], step["action"])
            if "expect_error" in step:
                refused(answer, 422, step["expect_error"])
            else:
                done = ok(answer, 201)
                if "expect_effects" in step:
                    assert differences(step["expect_effects"], done["effects"]) == []
                after = f"after={done['version'] - 1}"
                for viewer, effects in step.get("expect_effects_for", {}).items():
                    event = self.get(viewer, "events", after)["events"][0]
                    assert differences(effects, event["effects"]) == [], viewer
                for viewer, action in step.get("expect_action_for", {}).items():
                    event = self.get(viewer, "events", after)["events"][0]
                    assert differences(action, event.get("action")) == [], viewer
        self.check(step)

    def anybody(self) -> Api:
        return next(iter(self.players.values()))

    def lines(self, viewer: str) -> list[str]:
        """The turn lines of the history that this viewer gets."""
        text = self.players[viewer].get(f"/matches/{self.match}/history?seat={viewer}").text
        return [line for line in text.splitlines() if line[0].isdigit()]


@pytest.mark.parametrize("vector", tried(VECTORS))
def test_the_rule_books_example_over_rest(vector: Json, people: list[Api]) -> None:
    if "expect_setup_error" in vector:
        body = {"game": vector["game"], "options": vector.get("options", {})}
        body |= {"position": vector["position"]} if "position" in vector else {}
        refused(people[0].post("/matches", body), 422, vector["expect_setup_error"])
        return
    table = Table(vector, people)
    if "expect_setup_effects" in vector:
        event = table.get("spectator", "events", f"after={table.start - 1}")["events"][0]
        assert differences(vector["expect_setup_effects"], event["effects"]) == []
    for step in vector.get("steps", []):
        table.step(step)
    table.check(vector)
    for viewer, paths in vector.get("expect_absent", {}).items():
        view = table.get(viewer, "view")["view"]
        assert [path for path in paths if has_path(view, path)] == [], viewer
    for viewer, lines in vector.get("expect_history_for", {}).items():
        if viewer != "spectator":  # whom nobody lets in here
            assert table.lines(viewer) == lines, viewer
    if "expect_history" in vector and "expect_history_for" not in vector:
        for viewer in table.players:
            assert table.lines(viewer) == vector["expect_history"]


def record_of(vector: Json) -> Json:
    """What of the example was accepted, as a bare record."""
    steps = [step for step in vector.get("steps", []) if "action" in step and "expect_error" not in step]
    record = {
        "warlog_record": 1,
        "game": vector["game"],
        "options": vector.get("options", {}),
        "setup": {"version": 1, "draws": vector.get("draws", [])},
        "events": [
            {"version": n, "seat": step["seat"], "action": step["action"], "draws": step.get("draws", [])}
            for n, step in enumerate(steps, 2)
        ],
    }
    return record | ({"position": vector["position"]} if "position" in vector else {})


@pytest.mark.parametrize("vector", tried(RECORDS))
def test_the_rule_books_example_with_draws_is_imported_and_comes_out(vector: Json, people: list[Api]) -> None:
    ada, stranger = people[0], people[-1]
    done = ok(ada.post("/matches/import", record_of(vector)), 201)
    match, versions = f"/matches/{done['match']['id']}", done["versions"]

    def get(viewer: str, route: str, more: str) -> Any:
        if viewer in ("spectator", "server"):
            return ok(stranger.get(f"{match}/{route}?{more}"))
        return ok(ada.get(f"{match}/{route}?seat={viewer}&{more}"))

    def check(holder: Json, at: int) -> None:
        for viewer, pattern in holder.get("expect", {}).items():
            assert differences(pattern, get(viewer, "view", f"at={at}")["view"]) == [], viewer
        for viewer, expected in holder.get("expect_actions", {}).items():
            if viewer != "spectator":
                check_listing(expected, get(viewer, "actions", f"at={at}")["actions"], viewer)

    number, at = 1, versions["1"]
    over = done["match"]["result"] is not None
    for step in vector.get("steps", []):
        if "action" in step and "expect_error" not in step:
            number += 1
            at = versions[str(number)]
            event = get(step["seat"], "events", f"after={at - 1}&limit=1")["events"][0]
            assert event["action"] == step["action"]
            # An ended match shows its whole past, also what the acting seat did not learn at the time.
            if "expect_effects" in step and not over:
                assert differences(step["expect_effects"], event["effects"]) == []
        check(step, at)
    check(vector, at)
    for viewer, paths in vector.get("expect_absent", {}).items():
        view = get(viewer, "view", f"at={at}")["view"]
        assert [path for path in paths if has_path(view, path)] == [], viewer
