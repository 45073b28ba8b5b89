"""What is kept for a player has a bound that is named, in every process the same, and that whoever gives something up
is under again."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.servers import RedisServer, WarlogServer
from tests.service.api import SMALL, UNLIMITED, Api, ok, refused
from tests.service.bounds import MEGABYTE, Bounded
from tests.service.junqi import LAYOUT
from tests.service.test_heavy import long_record
from tests.service.waiting import eventually

FEW = {
    **UNLIMITED,
    "WARLOG_LOBBIES_PER_PLAYER": "3",
    "WARLOG_MATCHES_PER_PLAYER": "5",
    "WARLOG_MATCHES_PER_DAY": "12",
    "WARLOG_IMPORTS_PER_DAY": "2",
    "WARLOG_PROPOSAL_BYTES_PER_MATCH": "20000",
    "WARLOG_SCENARIOS_PER_PLAYER": "2",
    "WARLOG_LAYOUTS_PER_GAME": "2",
    "WARLOG_TOKENS_PER_PLAYER": "2",
    "WARLOG_PAIRING_ENTRIES": "2",
}


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[WarlogServer, WarlogServer]]:
    """Two processes over one Redis."""
    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(tmp_path_factory.mktemp("one"), redis=redis.url, environment=FEW) as one,
        WarlogServer(tmp_path_factory.mktemp("two"), redis=redis.url, environment=FEW) as two,
    ):
        yield one, two


@pytest.fixture
def ada(strict: tuple[WarlogServer, WarlogServer]) -> Iterator[Api]:
    with Api(strict[0].url) as stranger:
        yield stranger.player()


def exceeded(answer: Any, quota: str, have: int, limit: int) -> dict[str, Any]:
    problem = refused(answer, 429, "quota_exceeded")
    assert (problem["quota"], problem["have"], problem["limit"]) == (quota, have, limit)
    assert str(limit) in problem["detail"]
    return problem


LOBBIES = 400
IMPORTS, IMPORT_EVENTS = 24, 800
PROPOSED_EVENTS = 2_000
LOBBY: dict[str, Any] = {"game": "hex", "seats": {"red": "me"}}


def test_one_player_does_not_fill_the_list_whichever_process_he_asks(
    strict: tuple[WarlogServer, WarlogServer], ada: Api
) -> None:
    """10,999 lobbies in twelve seconds, all on the first page."""
    elsewhere = Api(strict[1].url, ada.token, id=ada.id)
    with (
        Bounded(f"{LOBBIES} lobbies asked for, one process", strict[0].pid, memory=24 * MEGABYTE, seconds=5),
        Bounded(f"{LOBBIES} lobbies asked for, the other", strict[1].pid, memory=24 * MEGABYTE, seconds=5),
        ThreadPoolExecutor(8) as threads,
    ):
        asked = [threads.submit((ada, elsewhere)[n % 2].post, "/matches", LOBBY) for n in range(LOBBIES)]
        answers = [one.result() for one in asked]
    made = [answer.json()["match"]["id"] for answer in answers if answer.status_code == 201]
    assert len(made) == 3
    for answer in answers:
        if answer.status_code != 201:
            problem = exceeded(answer, "lobbies_per_player", 3, 3)
            assert problem["player"] == ada.id
            assert "retry-after" not in answer.headers
    # Others have their own; and what he gives up he has again.
    ok(ada.player().post("/matches", LOBBY), 201)
    ok(ada.command(made[0], {"type": "propose", "proposal": {"kind": "abort"}}), 201)
    eventually(lambda: elsewhere.post("/matches", LOBBY).status_code == 201)
    exceeded(ada.post("/matches", LOBBY), "lobbies_per_player", 3, 3)


def test_running_matches_count_until_they_are_over(ada: Api) -> None:
    running = [ada.alone() for _ in range(5)]
    exceeded(ada.post("/matches", LOBBY), "matches_per_player", 5, 5)
    ada.resign(running[2], "red")
    eventually(lambda: ada.post("/matches", LOBBY).status_code == 201)
    exceeded(ada.post("/matches", LOBBY), "matches_per_player", 5, 5)


def test_a_lobby_that_has_started_makes_room_for_another(ada: Api) -> None:
    bob = ada.player()
    matches = [str(ada.create(seats={"red": "me", "blue": "open"})["match"]["id"]) for _ in range(3)]
    exceeded(ada.post("/matches", LOBBY), "lobbies_per_player", 3, 3)
    ok(bob.put(f"/matches/{matches[0]}/seats/blue", {}))
    for player, seat in ((ada, "red"), (bob, "blue")):
        ok(player.command(matches[0], {"type": "prepare", "seat": seat}), 201)
    eventually(lambda: ada.post("/matches", LOBBY).status_code == 201)
    # What he was put into by others is theirs.
    for _ in range(3):
        ok(bob.post("/matches", {"game": "hex", "seats": {"red": "me", "blue": ada.id}}), 201)
    exceeded(ada.post("/matches", LOBBY), "lobbies_per_player", 3, 3)


def test_a_rematch_is_charged_to_who_made_the_match(ada: Api) -> None:
    bob = ada.player()
    match = str(ada.create(seats={"red": "me", "blue": "open"})["match"]["id"])
    ok(bob.put(f"/matches/{match}/seats/blue", {}))
    for player, seat in ((ada, "red"), (bob, "blue")):
        ok(player.command(match, {"type": "prepare", "seat": seat}), 201)
    bob.resign(match, "blue")
    for _ in range(3):
        eventually(lambda: ada.post("/matches", LOBBY).status_code == 201)
    rematch = {"type": "propose", "proposal": {"kind": "rematch"}}
    version = ok(ada.command(match, rematch), 201)["version"]
    problem = exceeded(
        bob.command(match, {"type": "accept", "proposal": version}), "lobbies_per_player", 3, 3
    )
    assert problem["player"] == ada.id


def test_pairing_turns_away_who_has_as_many_matches_as_he_may(ada: Api) -> None:
    for _ in range(5):
        ada.alone()
    wanted = {"game": "hex", "options": {"army": "preset", "round_limit": 77}}
    entry = ok(ada.post("/pairing", wanted), 201)["entry"]["id"]
    bob = ada.player()
    other = ok(bob.post("/pairing", wanted), 201)["entry"]["id"]
    eventually(lambda: ok(ada.get(f"/pairing/{entry}"))["entry"]["status"] == "refused")
    assert ok(ada.get(f"/pairing/{entry}"))["entry"]["code"] == "quota_exceeded"
    assert ok(bob.get(f"/pairing/{other}"))["entry"]["status"] == "waiting"


def test_new_matches_have_a_number_for_the_day(ada: Api) -> None:
    """Also those that are over at once."""
    for _ in range(12):
        ada.resign(ada.alone(), "red")
    answer = ada.post("/matches", LOBBY)
    exceeded(answer, "matches_per_day", 12, 12)
    assert 0 < int(answer.headers["retry-after"]) <= 86_400


def record(api: Api) -> dict[str, Any]:
    match = api.alone()
    api.resign(match, "red")
    found: dict[str, Any] = ok(api.get(f"/matches/{match}/export"))
    return found


def test_imports_have_a_number_for_the_day(ada: Api) -> None:
    whole = record(ada.player())
    bad = {**whole, "setup": {**whole["setup"], "draws": [99] * 50}}
    for _ in range(3):
        assert ada.post("/matches/import", bad).status_code == 422  # nothing is kept of it
    for _ in range(2):
        ok(ada.post("/matches/import", whole), 201)
    answer = ada.post("/matches/import", whole)
    exceeded(answer, "imports_per_day", 2, 2)
    assert 0 < int(answer.headers["retry-after"]) <= 86_400


def test_what_proposals_carry_is_bounded_in_each_match(ada: Api) -> None:
    whole = record(ada.player())
    bob = ada.player()
    match = str(ada.create(seats={"red": "me", "blue": "open"})["match"]["id"])
    ok(bob.put(f"/matches/{match}/seats/blue", {}))
    proposal = {"type": "propose", "proposal": {"kind": "options", "import": {**whole, "note": "x" * 4_000}}}
    size = len(json.dumps(proposal))
    while (answer := ada.command(match, proposal)).status_code == 201:
        ok(bob.command(match, {"type": "reject", "proposal": answer.json()["version"]}), 201)
    problem = refused(answer, 429, "quota_exceeded")
    assert (problem["quota"], problem["limit"]) == ("proposal_bytes_per_match", 20_000)
    assert problem["have"] <= 20_000 < problem["have"] + size
    assert ada.match(match)["proposal"] is None
    # The match goes on.
    for player, seat in ((ada, "red"), (bob, "blue")):
        ok(player.command(match, {"type": "prepare", "seat": seat}), 201)


def test_as_much_as_proposals_may_carry_takes_bounded_memory_and_time(tmp_path: Path) -> None:
    """Records nearly as large as a body may be, until the match's quota is used up."""
    environment = {**UNLIMITED, "WARLOG_PROPOSAL_BYTES_PER_MATCH": "1000000"}
    with WarlogServer(tmp_path, environment=environment) as server, Api(server.url) as stranger:
        ada, bob = stranger.player(), stranger.player()
        proposal = {
            "type": "propose",
            "proposal": {"kind": "options", "import": long_record(PROPOSED_EVENTS)},
        }
        size = len(json.dumps(proposal))
        match = ada.create(seats={"red": "me", "blue": bob.id})["match"]["id"]
        taken = 0
        with Bounded("", server.pid, memory=64 * MEGABYTE, seconds=5) as bound:
            while (answer := ada.command(match, proposal)).status_code == 201:
                taken += 1
                ok(bob.command(match, {"type": "reject", "proposal": answer.json()["version"]}), 201)
            bound.name = f"{taken} proposals with records of {PROPOSED_EVENTS} events, {size // 1000} kB each"
        problem = refused(answer, 429, "quota_exceeded")
        assert problem["quota"] == "proposal_bytes_per_match"
        assert taken >= problem["limit"] // size > 5
        ok(ada.command(match, {"type": "prepare", "seat": "red"}), 201)


def test_many_imports_at_once_take_bounded_memory_and_time(tmp_path: Path) -> None:
    """Some are worked on, the others wait, or are told to come again, and do."""
    body = json.dumps(long_record(IMPORT_EVENTS))
    with WarlogServer(tmp_path, environment=UNLIMITED) as server, Api(server.url) as stranger:
        players = [stranger.player() for _ in range(8)]

        def bring(number: int) -> int:
            client = players[number % len(players)]
            for refusals in itertools.count():
                answer = client.http.post("/matches/import", content=body)
                if answer.status_code == 201:
                    return refusals
                assert answer.status_code in (429, 503), answer.text
                assert int(answer.headers["retry-after"]) >= 1
                time.sleep(0.1)
            raise AssertionError

        what = f"{IMPORTS} imports of {IMPORT_EVENTS} events, {len(body) / MEGABYTE:.1f} MB each"
        with (
            Bounded(what, server.pid, memory=128 * MEGABYTE, seconds=10),
            ThreadPoolExecutor(IMPORTS) as threads,
        ):
            assert len(list(threads.map(bring, range(IMPORTS)))) == IMPORTS
        ok(players[0].post("/matches", LOBBY), 201)


def test_a_match_has_so_many_events_and_can_still_be_ended(tmp_path: Path) -> None:
    most = 12
    environment = {**FEW, "WARLOG_EVENTS_PER_MATCH": str(most)}
    with WarlogServer(tmp_path, environment=environment) as server, Api(server.url) as api:
        ada, bob = api.player(), api.player()
        match = ada.alone()
        while (version := ada.match(match)["version"]) < most:
            ada.defend(match)
        active = ada.get(f"/matches/{match}/view", params={"seat": "red"}).json()["view"]["active"]
        (seat,) = ada.match(match)["to_act"]
        exceeded(ada.act(match, seat, {"type": "defend", "piece": active}), "events_per_match", version, most)
        travel = {"type": "propose", "proposal": {"kind": "undo", "to": 3}}
        exceeded(ada.command(match, travel), "events_per_match", version, most)
        assert ada.match(match)["version"] == most
        ada.resign(match, seat)  # the end is one more event
        assert ada.match(match)["status"] == "finished"
        exceeded(ada.command(match, travel), "events_per_match", most + 1, most)
        # A lobby in which players come and go is no other way; leaving it is always possible.
        lobby = str(ada.create(seats={"red": "open", "blue": "open"})["match"]["id"])
        while (taken := bob.put(f"/matches/{lobby}/seats/red", {})).status_code == 200:
            ok(bob.delete(f"/matches/{lobby}/seats/red"))
        exceeded(taken, "events_per_match", ada.match(lobby)["version"], most)
        answer = ada.post("/matches/import", long_record(most + 1))
        exceeded(answer, "events_per_match", most + 1, most)


def test_scenarios_layouts_tokens_and_entries_are_bounded_by_name(ada: Api) -> None:
    match = ada.alone()
    position = ok(ada.get(f"/matches/{match}/view?seat=all"))["position"]
    scenario = {"game": "hex", "name": "x", "options": SMALL, "position": position}
    with ThreadPoolExecutor(6) as threads:
        kept = [one.status_code for one in threads.map(lambda _: ada.post("/scenarios", scenario), range(8))]
    assert sorted(kept) == [201] * 2 + [429] * 6
    exceeded(ada.post("/scenarios", scenario), "scenarios_per_player", 2, 2)
    (first, _) = ok(ada.get("/scenarios?mine=true"))["scenarios"]
    assert ada.delete(f"/scenarios/{first['id']}").status_code == 204
    ok(ada.post("/scenarios", scenario), 201)

    for name in ("a", "b", "a"):
        assert ada.put(f"/players/me/layouts/junqi/{name}", {"layout": LAYOUT}).status_code in (200, 201)
    exceeded(ada.put("/players/me/layouts/junqi/c", {"layout": LAYOUT}), "layouts_per_game", 2, 2)

    ok(ada.post("/tokens", {"label": "second"}), 201)
    exceeded(ada.post("/tokens", {"label": "third"}), "tokens_per_player", 2, 2)

    for rounds in (31, 32):
        ok(ada.post("/pairing", {"game": "hex", "options": {"army": "preset", "round_limit": rounds}}), 201)
    third = {"game": "hex", "options": {"army": "preset", "round_limit": 33}}
    exceeded(ada.post("/pairing", third), "pairing_entries", 2, 2)


def test_a_match_that_never_came_to_be_is_not_counted_for_long(tmp_path: Path) -> None:
    """A process that dies between the reservation and the match leaves one that the next look takes out."""
    import redis as client

    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment=FEW) as server,
        Api(server.url) as stranger,
    ):
        ada = stranger.player()
        with client.Redis.from_url(redis.url) as raw:
            now = int(raw.time()[0]) * 1000
            key = f"warlog:{{{ada.id}}}:open:lobbies"
            raw.zadd(key, {"m_001_aaaaaaaaaaaaaaaa": now - 61_000, "m_001_bbbbbbbbbbbbbbbb": now})
        made = [ada.post("/matches", LOBBY).status_code for _ in range(3)]
        assert made == [201, 201, 429]
