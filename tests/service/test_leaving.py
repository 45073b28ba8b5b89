"""A player leaves for good: afterwards the name is in no key of Redis, no file of the archive and on no route; others
go on, and nothing of it can be undone or half done."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import run
from typing import Any

import pytest
import redis as redis_py

from tests.servers import RedisServer, WarlogServer
from tests.service.api import SMALL, UNLIMITED, Api, ok, refused
from tests.service.junqi import LAYOUT
from tests.service.waiting import eventually

NAME = "Zanzibária Q."
JUNQI = {"game": "junqi", "options": {"players": 2}, "mode": "competitive"}


class Place:
    def __init__(self, folder: Path, redis: RedisServer) -> None:
        self.archive = folder / "archive"
        self.redis = redis
        self.known = ["--redis", redis.url, "--archive", str(self.archive)]
        arguments = ["--archive", str(self.archive)]
        self.server = WarlogServer(folder, redis=redis.url, environment=UNLIMITED, arguments=arguments)

    def put_away(self) -> None:
        command = [sys.executable, "-m", "warlog_service", "archive", *self.known, "--older-than", "0"]
        run(command, check=True, capture_output=True)

    def stored(self) -> Iterator[tuple[str, bytes]]:
        """Every key with all that it holds, and every file of the archive."""
        client = redis_py.Redis(unix_socket_path=str(self.redis.socket))
        for key in client.scan_iter(count=1000):
            yield key.decode(), key + repr(_value(client, key)).encode()
        for file in self.archive.rglob("*.gz"):
            yield file.name, gzip.decompress(file.read_bytes())

    def where(self, *names: str) -> list[str]:
        """The keys and files in which one of these stands, in any of the forms in which text is kept."""
        forms = {form for name in names for form in (name.encode(), json.dumps(name)[1:-1].encode())}
        forms |= {repr(form)[2:-1].encode() for form in forms}
        return [key for key, content in self.stored() if any(form in content for form in forms)]


def _value(client: Any, key: bytes) -> Any:
    match client.type(key):
        case b"string":
            return client.get(key)
        case b"hash":
            return client.hgetall(key)
        case b"set":
            return client.smembers(key)
        case b"zset":
            return client.zrange(key, 0, -1)
        case b"list":
            return client.lrange(key, 0, -1)
        case b"stream":
            return client.xrange(key)
        case b"none":  # it has gone since
            return None
        case other:
            raise AssertionError(f"{key!r} is a {other!r}")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with RedisServer(fsync="no") as redis:
        found = Place(tmp_path, redis)
        with found.server:
            yield found


def leave(player: Api, name: str = NAME, **headers: str) -> Any:
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return player.http.request("DELETE", "/players/me", json={"name": name}, headers=named)


def begun(one: Api, other: Api, seats: tuple[str, str], **spec: Any) -> str:
    """A running match of two."""
    match = one.create(seats={seats[0]: "me", seats[1]: "open"}, **spec)["match"]["id"]
    ok(other.put(f"/matches/{match}/seats/{seats[1]}", {}))
    for who, seat in zip((one, other), seats, strict=True):
        ok(who.command(match, {"type": "prepare", "seat": seat}), 201)
    return str(match)


def live(ada: Api, ben: Api) -> dict[str, str]:
    """Ada does of everything something; her matches by what they are."""
    finished = begun(ada, ben, ("red", "blue"))
    for _ in range(70):  # long enough for a snapshot
        seat = ada.match(finished)["to_act"][0]
        who = {"red": ada, "blue": ben}[seat]
        active = ok(who.get(f"/matches/{finished}/view", params={"seat": seat}))["view"]["active"]
        ok(who.act(finished, seat, {"type": "defend", "piece": active}), 201)
    ben.resign(finished, "blue")
    running = begun(ada, ben, ("red", "blue"))
    while ada.match(running)["to_act"] != ["red"]:  # nobody resigns out of turn in this game
        active = ok(ben.get(f"/matches/{running}/view", params={"seat": "blue"}))["view"]["active"]
        ok(ben.act(running, "blue", {"type": "defend", "piece": active}), 201)
    ok(ada.command(running, {"type": "propose", "proposal": {"kind": "undo", "to": 4}}), 201)
    ranked = begun(ben, ada, ("south", "north"), **JUNQI)
    for who, seat in ((ben, "south"), (ada, "north")):
        ok(who.act(ranked, seat, {"type": "ready"}), 201)
    lobby = ada.create(seats={"red": "me", "blue": "open"})["match"]["id"]
    ok(
        ada.command(
            lobby, {"type": "propose", "proposal": {"kind": "options", "options": {"round_limit": 9}}}
        ),
        201,
    )
    challenge = ada.create(seats={"red": "me", "blue": ben.id})["match"]["id"]
    challenged = ben.create(seats={"red": "me", "blue": ada.id})["match"]["id"]
    wished = ben.create(seating="wish")["match"]["id"]
    ok(ada.post(f"/matches/{wished}/join", {"wish": "blue"}), 201)
    alone = ada.alone()
    ok(
        ada.post("/matches", {"game": "hex", "options": SMALL, "seats": {"red": "me"}}, idempotency_key="k"),
        201,
    )
    record = ok(ada.get(f"/matches/{alone}/export"))
    ok(ada.post("/matches/import", record), 201)
    ok(ada.put("/players/me/layouts/junqi/mine", {"layout": LAYOUT}))
    ok(ada.put("/players/me/options/hex/mine", {"options": {"width": 9}}))
    for visibility in ("public", "private"):
        new = {"game": "hex", "name": "x", "options": SMALL, "visibility": visibility}
        ok(ada.post("/scenarios", new), 201)
    for one, other in ((ada, ben), (ben, ada)):
        ok(one.put(f"/players/me/following/{other.id}", {}))
    ok(ada.post("/tokens", {"label": "bot"}), 201)
    ok(ada.post("/sessions", {}, sec_fetch_site="same-origin"), 201)
    entry = ada.post("/pairing", {"game": "hex", "move_seconds": 91}).json()["entry"]["id"]
    assert ada.delete(f"/pairing/{entry}").status_code == 204
    ok(ada.post("/pairing", {"game": "hex", "move_seconds": 92}, idempotency_key="p"), 201)
    return {"finished": finished, "running": running, "ranked": ranked, "lobby": lobby, "challenge": challenge,
            "challenged": challenged, "wished": wished, "alone": alone}  # fmt: skip


def test_afterwards_the_name_is_nowhere(place: Place) -> None:
    with Api(place.server.url) as stranger:
        ada, ben = stranger.player(NAME), stranger.player("ben")
        with ada.personal_feed() as adas, ben.personal_feed() as bens:
            adas.take(1)
            bens.take(1)
            of = live(ada, ben)
            place.put_away()
            assert [*place.archive.rglob("*.gz")]
            assert ok(ben.get(f"/matches/{of['finished']}"))  # it is in memory, too
            assert len(place.where(NAME)) > 5
            assert leave(ada).status_code == 204
            refused(ada.get("/players/me"), 401, "unauthenticated")
            assert ok(stranger.get("/players", params={"name": NAME[:4]}))["players"] == []
            eventually(lambda: place.where(NAME) == [], seconds=60)
        refused(stranger.get(f"/players/{ada.id}"), 404, "unknown_player")
        somebody = {"id": ada.id, "name": "somebody"}
        for kind in ("finished", "running", "ranked"):
            match = ben.match(of[kind])
            assert somebody in [seat["player"] for seat in match["seats"]]
            for route in ("", "/events?limit=1000", "/history?limit=1000", "/export", "/timeline"):
                answer = ben.get(f"/matches/{of[kind]}{route}")
                assert NAME not in answer.text
                assert json.dumps(NAME)[1:-1] not in answer.text
        eventually(lambda: {ben.match(of[kind])["status"] for kind in ("running", "ranked")} == {"finished"})
        assert stranger.match(of["alone"])["status"] == "finished"  # nobody could ever end it
        for kind in ("running", "ranked"):
            match = ben.match(of[kind])
            assert (match["status"], match["result"]["winners"]) == (
                "finished",
                [seat["seat"] for seat in match["seats"] if seat["player"]["id"] == ben.id],
            )
        assert {
            kind: ben.match(of[kind])["status"] for kind in ("lobby", "challenge", "challenged", "wished")
        } == {
            "lobby": "aborted",
            "challenge": "lobby",  # ben has a seat in it
            "challenged": "aborted",
            "wished": "lobby",
        }
        assert ok(stranger.get(f"/matches/{of['finished']}/verify"))["status"] == "verified"
        assert ok(ben.get("/players/me/following"))["players"] == []
        refused(ben.put(f"/players/me/following/{ada.id}", {}), 404, "unknown_player")
        refused(
            ben.post("/matches", {"game": "hex", "seats": {"red": "me", "blue": ada.id}}),
            404,
            "unknown_player",
        )
        table = ok(stranger.get("/games/junqi/leaderboard"))["players"]
        assert ada.id not in [row["player"]["id"] for row in table]
        own = [key for key, _ in place.stored() if ada.id in key and "{lobby}" not in key]
        assert [key.rpartition(":")[2] for key in own] == [
            "player"
        ]  # an empty account, which none opens again


def test_nothing_happens_unless_the_name_is_repeated(place: Place) -> None:
    with Api(place.server.url) as stranger:
        ada = stranger.player(NAME)
        for name in (NAME.lower(), f"{NAME} ", "", "ben"):
            assert refused(leave(ada, name), 400, "wrong_name")["path"] == "/name"
        refused(ada.http.request("DELETE", "/players/me"), 400, "malformed_body")
        refused(stranger.http.request("DELETE", "/players/me", json={"name": NAME}), 401, "unauthenticated")
        assert ok(ada.get("/players/me"))["player"]["name"] == NAME


def test_a_repetition_with_the_key_gets_the_same_answer_and_no_other_request_does(place: Place) -> None:
    key = "a key that nobody guesses"
    with Api(place.server.url) as stranger:
        made = ok(stranger.post("/players", {"name": NAME}, idempotency_key=key), 201)
        ada = Api(place.server.url, made["token"])
        for _ in range(3):
            assert leave(ada, idempotency_key="leave").status_code == 204
        refused(leave(ada), 401, "unauthenticated")
        refused(leave(ada, idempotency_key="another"), 401, "unauthenticated")
        refused(leave(ada, "ben", idempotency_key="leave"), 401, "unauthenticated")
        # What opened the account does not open it again.
        refused(stranger.post("/players", {"name": NAME}, idempotency_key=key), 409, "idempotency_key_reused")


def test_whoever_is_killed_in_the_middle_the_rest_is_done(place: Place) -> None:
    with Api(place.server.url) as stranger:
        ada, ben = stranger.player(NAME), stranger.player("ben")
        live(ada, ben)
        assert leave(ada).status_code == 204
    place.server.kill()
    place.server.start()
    eventually(lambda: place.where(NAME) == [], seconds=60)
