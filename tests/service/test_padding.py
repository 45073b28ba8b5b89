"""What a match is made from is no longer than a match needs, so that nobody makes everybody's lists long."""

from __future__ import annotations

from typing import Any

from tests.service.api import SMALL, Api, ok, refused
from warlog_events.match import policy
from warlog_events.workers import lobby

# Where there are no obstacles, the book does not look at where they are.
LONG = {**SMALL, "obstacle_spaces": ["a1"] * 20_000}
PADDED = {**SMALL, "obstacle_spaces": ["a1"] * 7_500}  # nearly as long as options may be


def test_options_that_are_far_too_long_make_no_match(api: Api) -> None:
    ada = api.player()
    position = ok(ada.get(f"/matches/{ada.alone()}/view?seat=all"))["position"]
    for path, body in (
        ("/matches", {"game": "hex", "options": LONG}),
        ("/scenarios", {"game": "hex", "name": "long", "options": LONG}),
        ("/pairing", {"game": "hex", "options": LONG}),
        ("/games/hex/positions/check", {"options": LONG, "position": position}),
    ):
        problem = refused(ada.post(path, body), 422, "invalid_options")
        assert (problem["path"], problem["maximum"]) == ("/options", policy.OPTIONS_BYTES_MAX)
        assert problem["have"] > 100_000
    refused(ada.put("/players/me/options/hex/long", {"options": LONG}), 422, "invalid_options")


def test_nor_do_they_come_into_one_by_a_proposal_or_a_record(api: Api) -> None:
    ada = api.player()
    spaces = {"obstacle_spaces": LONG["obstacle_spaces"]}
    lobby_, running = ada.create(seats={"red": "me"})["match"]["id"], ada.alone()
    for match in (lobby_, running):
        before = ada.match(match)
        proposal = {"kind": "options", "options": spaces}
        problem = refused(
            ada.command(match, {"type": "propose", "proposal": proposal}), 422, "invalid_options"
        )
        assert problem["path"] == "/proposal/options"
        assert ada.match(match) == before
    record = ok(ada.get(f"/matches/{running}/export"))
    refused(ada.post("/matches/import", {**record, "options": LONG, "log": None}), 422, "invalid_options")
    events = [{"type": "options_changed", "options": LONG}]
    plain: dict[str, Any] = {"game": "hex", "options": SMALL, "setup": record["setup"], "events": events}
    refused(ada.post("/matches/import", plain), 422, "invalid_options")
    refused(ada.post("/matches/import", {**plain, "events": [], "match": "x" * 1000}), 400, "malformed_body")


def test_a_page_of_the_list_is_not_longer_than_a_page(api: Api) -> None:
    ada = api.player()
    made = [ada.create(options=PADDED)["match"]["id"] for _ in range(70)]
    for limit in (9, 200):
        found: list[str] = []
        query: dict[str, Any] = {"player": "me", "limit": limit}
        while len(found) < len(made):
            page = ada.get("/matches", params=query)
            assert len(page.content) < lobby.PAGE_BYTES + 2 * policy.OPTIONS_BYTES_MAX
            found += [match["id"] for match in ok(page)["matches"]]
            query["after"] = page.json()["next"]
            assert query["after"] or len(found) == len(made)
        assert found == made[::-1]
