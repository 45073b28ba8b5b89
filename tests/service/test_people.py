"""People find each other by name, follow and block each other."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service.api import SMALL, Api, ok, refused, two
from tests.service.waiting import eventually

FOLLOWING, BLOCKED = "/players/me/following", "/players/me/blocked"


def found(api: Api, name: str, **query: Any) -> list[str]:
    """The ids on one page."""
    page = ok(api.get("/players", params={"name": name, **query}))
    return [player["id"] for player in page["players"]]


def test_a_player_is_found_by_the_beginning_of_the_name_whatever_its_case(api: Api) -> None:
    one, two_, other = api.player("Żaneta"), api.player("ŻANETA Two"), api.player("Zaneta")
    for beginning in ("ża", "ŻA", "żaneta"):
        assert found(api, beginning) == [one.id, two_.id]
    assert found(api, "żaneta t") == [two_.id]
    assert other.id not in found(api, "ża")
    assert found(api, "nobody is called so") == []
    assert ok(api.get("/players", params={"name": "ża"}))["players"][0] == {"id": one.id, "name": "Żaneta"}


def test_players_of_one_name_come_in_pages_each_once(api: Api) -> None:
    made = {api.player("Same name").id for _ in range(5)}
    seen: list[str] = []
    after = None
    while True:
        page = ok(
            api.get("/players", params={"name": "same", "limit": 2} | ({"after": after} if after else {}))
        )
        seen += [player["id"] for player in page["players"]]
        after = page["next"]
        if after is None:
            break
        assert len(page["players"]) == 2
    assert sorted(seen) == sorted(made)


@pytest.mark.parametrize(
    "query", ["", "?name=", f"?name={'x' * 41}", "?name=a&after=%21", "?name=a&after=YQ", "?name=a&limit=0"]
)
def test_a_look_up_that_cannot_be_is_refused(api: Api, query: str) -> None:
    refused(api.get(f"/players{query}"), 400, "bad_parameter")


def test_odd_beginnings_find_nothing_and_do_no_harm(api: Api) -> None:
    for name in ("\x00", "ﷺ" * 40, "[", "(", "\ud7ff", "a\x00pl_"):
        assert found(api, name) == []


def test_one_follows_sees_who_is_here_and_what_may_be_watched_and_no_more(api: Api) -> None:
    fan = api.player()
    red, blue, match = two(api)
    ok(red.post("/matches", {"game": "hex", "options": SMALL, "seats": {"red": "me", "blue": "me"},
                             "visibility": "private"}), 201)  # fmt: skip
    for player in (blue, red):
        made = ok(fan.put(f"{FOLLOWING}/{player.id}", {}))
        assert made["player"] == {"id": player.id, "name": player.name}
    again = ok(fan.put(f"{FOLLOWING}/{red.id}", {}))
    listed = ok(fan.get(FOLLOWING))
    assert {one["player"]["id"] for one in listed["players"]} == {red.id, blue.id}
    assert listed["next"] is None
    by_id = {one["player"]["id"]: one for one in listed["players"]}
    assert by_id[red.id]["since"] == again["since"]
    assert by_id[red.id]["matches"] == [{"match": match, "game": "hex", "mode": "casual"}]
    assert by_id[red.id]["here"] is False
    with red.personal_feed() as feed:
        feed.take(1)
        here = ok(fan.get(FOLLOWING))["players"]
        assert {one["player"]["id"]: one["here"] for one in here} == {red.id: True, blue.id: False}
        assert ok(fan.get(f"/matches/{match}/here"))["here"] == ["red"]
        # Whom red has blocked does not see that red is here; he is told nothing else of it.
        ok(red.put(f"{BLOCKED}/{fan.id}", {}))
        assert not any(one["here"] for one in ok(fan.get(FOLLOWING))["players"])
        assert ok(fan.get(f"/matches/{match}/here"))["here"] == []
        assert ok(blue.get(f"/matches/{match}/here"))["here"] == ["red"]
        ok(fan.put(f"{FOLLOWING}/{red.id}", {}))
        assert red.delete(f"{BLOCKED}/{fan.id}").status_code == 204
        assert any(one["here"] for one in ok(fan.get(FOLLOWING))["players"])
    red.resign(match, "red")
    assert all(one["matches"] == [] for one in ok(fan.get(FOLLOWING))["players"])
    for _ in range(2):
        assert fan.delete(f"{FOLLOWING}/{red.id}").status_code == 204
    first = ok(fan.get(FOLLOWING, params={"limit": 1}))
    assert [one["player"]["id"] for one in first["players"]] == [blue.id]


def test_who_may_not_see_a_match_is_not_told_who_of_it_is_here(api: Api) -> None:
    ada, ben = api.player(), api.player()
    match = ada.create(visibility="private", seats={"red": "me", "blue": "open"})["match"]["id"]
    refused(api.get(f"/matches/{match}/here"), 401, "unauthenticated")
    refused(ben.get(f"/matches/{match}/here"), 404, "unknown_match")
    with ada.personal_feed() as feed:
        feed.take(1)
        assert ok(ada.get(f"/matches/{match}/here")) == {"here": ["red"]}


def test_lists_of_people_are_ones_own_and_come_in_pages(api: Api) -> None:
    ada, others = api.player(), [api.player() for _ in range(3)]
    for other in others:
        ok(ada.put(f"{BLOCKED}/{other.id}", {}))
    page = ok(ada.get(BLOCKED, params={"limit": 2}))
    rest = ok(ada.get(BLOCKED, params={"limit": 2, "after": page["next"]}))
    assert rest["next"] is None
    listed = [one["player"]["id"] for one in (*page["players"], *rest["players"])]
    assert sorted(listed) == sorted(other.id for other in others)
    assert ok(others[0].get(BLOCKED)) == {"players": [], "next": None}
    for path in (FOLLOWING, BLOCKED):
        refused(api.get(path), 401, "unauthenticated")
        refused(ada.put(f"{path}/{ada.id}", {}), 400, "bad_parameter")
        refused(ada.put(f"{path}/pl_nobody", {}), 404, "unknown_player")


def test_who_blocks_somebody_follows_him_no_more(api: Api) -> None:
    ada, ben = api.player(), api.player()
    ok(ada.put(f"{FOLLOWING}/{ben.id}", {}))
    ok(ada.put(f"{BLOCKED}/{ben.id}", {}))
    assert ok(ada.get(FOLLOWING))["players"] == []


def test_blocked_players_are_not_paired_whoever_blocked_whom_and_whenever(api: Api) -> None:
    ada, ben, cem = api.player(), api.player(), api.player()
    wanted = {"game": "hex", "options": SMALL, "mode": "casual", "move_seconds": 77}

    def enter(player: Api) -> str:
        return str(player.post("/pairing", wanted).json()["entry"]["id"])

    def status(player: Api, entry: str) -> dict[str, Any]:
        shown: dict[str, Any] = ok(player.get(f"/pairing/{entry}"))["entry"]
        return shown

    ok(ada.put(f"{BLOCKED}/{ben.id}", {}))
    entries = {player: enter(player) for player in (ada, ben)}
    assert [status(player, entries[player])["status"] for player in (ada, ben)] == ["waiting", "waiting"]
    # Blocked while both wait: cem came last, and blocks ada before he comes.
    ok(cem.put(f"{BLOCKED}/{ada.id}", {}))
    entries[cem] = enter(cem)
    assert status(ada, entries[ada])["status"] == "waiting"
    assert (status(ben, entries[ben])["status"], status(cem, entries[cem])["status"]) == ("paired", "paired")
    # Who is blocked no more is paired with who has waited for longest.
    entries[ben] = enter(ben)
    assert status(ben, entries[ben])["status"] == "waiting"
    assert ada.delete(f"{BLOCKED}/{ben.id}").status_code == 204
    eventually(lambda: status(ada, entries[ada])["status"] == "paired")
    assert status(ada, entries[ada])["match"] == status(ben, entries[ben])["match"]


def test_who_blocks_somebody_while_both_wait_is_not_paired_with_him_either(api: Api) -> None:
    ada, ben = api.player(), api.player()
    wanted = {"game": "hex", "options": SMALL, "mode": "casual", "move_seconds": 78}
    entry = ada.post("/pairing", wanted).json()["entry"]["id"]
    ok(ada.put(f"{BLOCKED}/{ben.id}", {}))
    other = ben.post("/pairing", wanted).json()["entry"]
    assert other["status"] == "waiting"
    assert ok(ada.get(f"/pairing/{entry}"))["entry"]["status"] == "waiting"
    assert ada.delete(f"/pairing/{entry}").status_code == 204
