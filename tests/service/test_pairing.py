"""Quick pairing over REST: two processes, clients that poll, that wait, that follow, and that vanish."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers import RedisServer, WarlogServer
from tests.service.api import UNLIMITED, Api, Feed, ok, refused
from tests.service.junqi import TWO, gold, lobby
from tests.service.test_ratings import rated
from tests.service.waiting import eventually

HEX: dict[str, Any] = {"game": "hex", "options": {"army": "preset"}}


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[WarlogServer, WarlogServer]]:
    """Two processes over one Redis, in which who is silent for eight seconds has gone."""
    environment = {**UNLIMITED, "WARLOG_PAIRING_SECONDS": "8", "WARLOG_FEED_HEARTBEAT_MS": "500"}
    folder = tmp_path_factory.mktemp("warlog")
    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(folder, redis=redis.url, environment=environment) as one,
        WarlogServer(folder, redis=redis.url, environment=environment) as two,
    ):
        yield one, two


@pytest.fixture
def people(servers: tuple[WarlogServer, WarlogServer]) -> list[Api]:
    """Five players, now of this process, now of that."""
    with Api(servers[0].url) as stranger:
        made = [stranger.player() for _ in range(5)]
    return [
        Api(servers[number % 2].url, one.token, id=one.id, name=one.name) for number, one in enumerate(made)
    ]


def join(player: Api, status: int = 201, **wanted: Any) -> dict[str, Any]:
    entry: dict[str, Any] = ok(player.post("/pairing", {**HEX, **wanted}), status)["entry"]
    return entry


def entry_of(player: Api, id: str, wait: int = 0) -> dict[str, Any]:
    entry: dict[str, Any] = ok(player.get(f"/pairing/{id}?wait={wait}"))["entry"]
    return entry


def test_who_wants_the_same_gets_a_match_whichever_process_he_asks(people: list[Api]) -> None:
    ada, bob, eve, *_ = people
    first = join(ada)
    assert (first["status"], first["place"], first["players"], first["match"]) == ("waiting", 1, 2, None)
    assert first["options"]["seats"] == 2
    assert join(ada, 200)["id"] == first["id"]
    second = join(bob, options={"army": "preset", "seats": 2})
    assert second["status"] == "paired"
    assert entry_of(ada, first["id"], wait=10)["match"] == second["match"]
    match = ada.match(second["match"])
    assert match["status"] == "playing"
    assert {seat["player"]["name"] for seat in match["seats"]} == {ada.name, bob.name}
    assert [one["id"] for one in ok(ada.get("/pairing"))["entries"]] == [first["id"]]
    assert ok(eve.get("/pairing")) == {"entries": []}
    refused(eve.get(f"/pairing/{first['id']}"), 404, "unknown_entry")
    refused(eve.get(f"/pairing/{first['id']}/feed"), 404, "unknown_entry")


def test_five_factions_find_five_players_and_an_answer_that_waits_comes_at_once(people: list[Api]) -> None:
    entries = [join(player, game="universal", options={}) for player in people]
    for player, entry in zip(people, entries, strict=True):
        found = entry_of(player, entry["id"], wait=20)
        if found["status"] == "pairing":
            found = entry_of(player, entry["id"], wait=20)
        assert (found["status"], found["code"]) == ("paired", None)
    assert (
        len({entry_of(player, entry["id"])["match"] for player, entry in zip(people, entries, strict=True)})
        == 1
    )


def test_who_follows_is_there_and_is_told_and_who_has_gone_is_not_seated(people: list[Api]) -> None:
    there, gone, third, *_ = people
    round_limit = {"army": "preset", "round_limit": 77}
    lost = join(gone, options={"army": "preset", "round_limit": 78})
    entry = join(there, options=round_limit)
    with Feed(f"{there.url}/v1/pairing/{entry['id']}/feed", there.token) as feed:
        assert feed.status == 200
        assert feed.take(1)[0][1:] == ("waiting", {"type": "waiting", **entry})
        beats = [next(feed)[1] for _ in range(18)]  # nine seconds
        assert set(beats) == {"heartbeat"}
        done = join(third, options=round_limit)
        assert done["status"] == "paired"
        told = {name: data for _, name, data in itertools.takewhile(lambda one: one[1] != "closing", feed)}
        assert told["paired"]["match"] == done["match"]
        assert set(told) <= {"heartbeat", "pairing", "paired"}
    assert entry_of(gone, lost["id"])["status"] == "expired"


def test_waiting_can_be_left_and_revoking_the_token_ends_what_it_followed(people: list[Api]) -> None:
    ada, bob, *_ = people
    entry = join(ada, game="wec", options={})
    assert ada.delete(f"/pairing/{entry['id']}").status_code == 204
    assert ada.delete(f"/pairing/{entry['id']}").status_code == 204
    assert entry_of(ada, entry["id"])["status"] == "left"
    refused(bob.delete(f"/pairing/{entry['id']}"), 404, "unknown_entry")
    token = ok(bob.post("/tokens", {"label": "phone"}), 201)
    waiting = join(bob, game="wec", options={})
    with Feed(f"{bob.url}/v1/pairing/{waiting['id']}/feed", token["token"]) as feed:
        feed.take(1)
        bob.delete(f"/tokens/{token['id']}")
        assert feed.take(1)[0][1:] == ("closing", {"type": "closing", "code": "unauthenticated"})
    bob.delete(f"/pairing/{waiting['id']}")


def test_who_asks_for_a_time_to_set_up_waits_for_others_who_ask_for_it_and_gets_it(people: list[Api]) -> None:
    ada, bob, eve = people[:3]
    slow = join(ada, setup_seconds=90)
    usual = join(eve)
    assert (slow["setup_seconds"], usual["setup_seconds"]) == (90, 0)
    assert join(eve, 200, setup_seconds=0)["id"] == usual["id"]
    eve.delete(f"/pairing/{usual['id']}")
    found = join(bob, setup_seconds=90)
    assert found["status"] == "paired"
    assert ada.match(found["match"])["setup_seconds"] == 90


def test_what_is_wrong_is_refused_with_a_code_and_nobody_waits(people: list[Api]) -> None:
    ada = people[0]
    for body, status, code in (
        ({"game": "chess"}, 404, "unknown_game"),
        ({**HEX, "options": {"seats": 11}}, 422, "invalid_options"),
        ({**HEX, "mode": "serious"}, 400, "malformed_body"),
        ({**HEX, "seat": "red"}, 400, "malformed_body"),
        ({**HEX, "move_seconds": -1}, 400, "bad_parameter"),
        ({**HEX, "setup_seconds": -1}, 400, "bad_parameter"),
        ({**HEX, "options": {"roster": ["x" * 9000]}}, 422, "bad_roster"),
        ("[", 400, "malformed_body"),
    ):
        answer = ada.http.post("/pairing", content=body if isinstance(body, str) else json.dumps(body))
        refused(answer, status, code)
    with Api(ada.url) as stranger:
        refused(stranger.post("/pairing", HEX), 401, "unauthenticated")
        refused(stranger.get("/pairing"), 401, "unauthenticated")
    for id in ("pq_x", "..", "%00", "order"):
        refused(ada.get(f"/pairing/{id}"), 404, "unknown_entry" if id != ".." else "unknown_route")
    refused(ada.get("/pairing/pq_x?wait=-1"), 400, "bad_parameter")
    assert ok(ada.get("/pairing"))["entries"] == []


def test_a_repeated_key_gets_the_first_answer_and_never_makes_a_second_match(people: list[Api]) -> None:
    ada, bob, *_ = people
    first = ada.post("/pairing", HEX, idempotency_key="k")
    entry = ok(first, 201)["entry"]
    match = join(bob)["match"]
    again = ada.post("/pairing", HEX, idempotency_key="k")
    assert (again.status_code, again.content) == (201, first.content)
    assert entry_of(ada, entry["id"])["match"] == match
    refused(ada.post("/pairing", {"game": "wec"}, idempotency_key="k"), 409, "idempotency_key_reused")


def test_who_waits_when_every_process_is_killed_waits_afterwards(tmp_path: Path) -> None:
    with (
        RedisServer(fsync="always") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment=UNLIMITED) as server,
    ):
        with Api(server.url) as stranger:
            ada, bob = stranger.player(), stranger.player()
        entry = join(ada)
        server.kill()
        redis.kill()
        redis.start()
        server.start()
        ada, bob = Api(server.url, ada.token), Api(server.url, bob.token)
        assert entry_of(ada, entry["id"])["status"] == "waiting"
        match = entry_of(bob, join(bob)["id"], wait=10)["match"]
        assert match
        assert entry_of(ada, entry["id"], wait=10)["match"] == match


def test_near_ratings_are_paired_though_another_has_waited_longer_and_he_is_next(people: list[Api]) -> None:
    strong, weak = list[Api](), list[Api]()
    for one, other in (people[:2], people[2:4]):
        of = {"red": one, "blue": other}
        (winner,) = one.match(rated(one, other))["result"]["winners"]
        strong.append(of.pop(winner))
        weak += of.values()
    for player in people[:4]:  # who asks for a rating gets it with all matches that are over
        assert ok(player.get(f"/players/{player.id}/ratings"))["ratings"]
    options = {**HEX["options"], "round_limit": 55}  # nobody else waits for it
    first = join(strong[0], options=options)
    second = join(weak[0], options=options)
    assert [entry_of(*one)["status"] for one in ((strong[0], first["id"]), (weak[0], second["id"]))] == [
        "waiting"
    ] * 2
    third = join(weak[1], options=options)
    assert entry_of(weak[0], second["id"], wait=10)["match"] == third["match"]
    assert entry_of(strong[0], first["id"])["status"] == "waiting"
    last = join(strong[1], options=options)
    assert entry_of(strong[0], first["id"], wait=10)["match"] == last["match"]


# ---- where gold is at stake


def test_who_cannot_pay_the_stake_is_turned_away_and_the_others_find_another(people: list[Api]) -> None:
    stake: dict[str, Any] = {"game": "junqi", "mode": "competitive", "options": {"players": 4, "stake": 100}}
    poor = people[1]
    elsewhere = lobby(TWO, [poor, Api(poor.url).player()], stake=150)
    assert gold(poor) == (1_000, 750)
    entries = [join(player, **stake) for player in people[:4]]
    eventually(  # the others wait again when the match that was to be made is given up
        lambda: (
            [
                (one["status"], one["code"])
                for one in map(entry_of, people[:4], [entry["id"] for entry in entries])
            ]
            == [
                ("waiting", None),
                ("refused", "insufficient_gold"),
                ("waiting", None),
                ("waiting", None),
            ]
        )
    )
    assert [gold(player) for player in people[:4]] == [(1_000, 0), (1_000, 750), (1_000, 0), (1_000, 0)]
    last = join(people[4], **stake)
    assert last["status"] == "paired"
    seated = [people[number] for number in (0, 2, 3, 4)]
    match = seated[0].match(last["match"])
    assert (match["status"], match["mode"]) == ("playing", "competitive")
    assert {seat["player"]["id"] for seat in match["seats"]} == {player.id for player in seated}
    for player in seated:
        assert gold(player)[0] == 1_000
        assert 0 < gold(player)[1] <= 500
    again = join(poor, **stake)
    assert again["status"] == "waiting"
    ok(poor.delete(f"/matches/{elsewhere}/seats/south"))
    assert poor.delete(f"/pairing/{again['id']}").status_code == 204
