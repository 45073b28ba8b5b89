"""`Idempotency-Key` where something new is made: a player, a match, an import, an entry for pairing."""

from __future__ import annotations

import itertools
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.servers import RedisServer, WarlogServer
from tests.service.api import SMALL, UNLIMITED, Api, ok, refused

RECORD: dict[str, Any] = {"game": "wec", "options": {}, "events": []}
PATHS: dict[str, dict[str, Any]] = {
    "/players": {"name": "ada"},
    "/matches": {"game": "hex", "options": SMALL, "seats": {"red": "me", "blue": "invite"}},
    "/matches/import": RECORD,
    "/matches/import?visibility=private": RECORD,
    "/pairing": {"game": "hex", "options": SMALL},
}
each = pytest.mark.parametrize("path", list(PATHS))
OTHER: dict[str, dict[str, Any]] = {
    "/players": {"name": "bob"},
    "/matches": {"game": "wec"},
    "/matches/import": {**RECORD, "options": {"tank_range": 3}},
    "/pairing": {"game": "wec"},
}


def new_key() -> str:
    return uuid.uuid4().hex


def same(one: httpx.Response, other: httpx.Response) -> bool:
    """In status, headers and body; but for what says when, and for which request."""

    def told(response: httpx.Response) -> dict[str, str]:
        return {n: v for n, v in response.headers.items() if n not in ("date", "x-request-id")}

    return (one.status_code, told(one), one.content) == (other.status_code, told(other), other.content)


@each
def test_a_repeat_gets_the_first_answer_whatever_has_happened_since(api: Api, path: str) -> None:
    ada, key = api.player(), new_key()
    first = ada.post(path, PATHS[path], idempotency_key=key)
    made = ok(first, 201)
    assert same(ada.post(path, PATHS[path], idempotency_key=key), first)
    if path == "/players":
        new = Api(api.url, made["token"])
        new.alone()
        ok(new.post("/tokens", {"label": "another"}), 201)
    elif path == "/matches":
        match, invitation = made["match"]["id"], made["invitations"]["blue"]
        bob = api.player()
        ok(bob.put(f"/matches/{match}/seats/blue", {"invitation": invitation}))
        for player, seat in ((ada, "red"), (bob, "blue")):
            ok(player.command(match, {"type": "prepare", "seat": seat}), 201)
        ada.resign(match, "red")
        assert first.headers["location"] == f"/v1/matches/{match}"
    elif path == "/pairing":
        entry = made["entry"]["id"]
        ok(api.player().post(path, PATHS[path]), 201)
        assert ok(ada.get(f"/pairing/{entry}"))["entry"]["status"] == "paired"
    else:
        match = made["match"]["id"]
        ada.resign(match, ada.match(match)["to_act"][0])
    assert same(ada.post(path, PATHS[path], idempotency_key=key), first)


@each
def test_a_key_is_for_one_body_of_one_path_and_one_account(api: Api, path: str) -> None:
    ada, bob, key = api.player(), api.player(), new_key()
    first = ok(ada.post(path, PATHS[path], idempotency_key=key), 201)
    plain = path.partition("?")[0]
    refused(ada.post(plain, OTHER[plain], idempotency_key=key), 409, "idempotency_key_reused")
    elsewhere = {
        "/players": (),  # counted by address, as whoever has no account
        "/matches/import?visibility=private": ("/matches", "/matches/import", "/pairing"),
    }.get(path, tuple(one for one in PATHS if one not in (path, "/players")))
    for other in elsewhere:
        refused(ada.post(other, PATHS[other], idempotency_key=key), 409, "idempotency_key_reused")
    if path != "/players":
        assert ok(bob.post(path, PATHS[path], idempotency_key=key), 201) != first


def test_a_key_of_a_match_is_not_for_a_command_of_the_same_player_in_it(api: Api) -> None:
    ada, key = api.player(), new_key()
    match = ok(ada.post("/matches", PATHS["/matches"], idempotency_key=key), 201)["match"]["id"]
    prepare = {"type": "prepare", "seat": "red"}
    refused(ada.command(match, prepare, idempotency_key=key), 409, "idempotency_key_reused")
    another = ada.create()["match"]["id"]
    ok(ada.put(f"/matches/{another}/seats/red", {}, idempotency_key=key))


def test_a_refused_request_does_not_use_up_its_key(api: Api) -> None:
    ada, key = api.player(), new_key()
    for path, body, code in (
        ("/matches", {"game": "hex", "options": {"seats": 99}}, "invalid_options"),
        ("/matches/import", {"game": "hex", "events": [1]}, None),
        ("/pairing", {"game": "hex", "options": {"seats": 99}}, "invalid_options"),
    ):
        for _ in range(2):
            answer = ada.post(path, body, idempotency_key=key)
            assert answer.status_code in (400, 422), answer.text
            assert code in (None, answer.json()["code"])
    ok(ada.post("/matches", PATHS["/matches"], idempotency_key=key), 201)
    refused(api.post("/players", {"name": ""}, idempotency_key=key), 400, "malformed_body")
    ok(api.post("/players", {"name": "ada"}, idempotency_key=key), 201)


def test_a_key_that_opens_an_account_must_be_hard_to_guess_and_is_known_at_one_address(api: Api) -> None:
    for short in ("k", "k" * 21):
        answer = api.post("/players", PATHS["/players"], idempotency_key=short)
        assert refused(answer, 400, "bad_parameter")["minimum"] == 22
    key, answers = new_key(), []
    for address in ("127.0.0.1", "127.0.0.2", "127.0.0.1"):
        with httpx.Client(transport=httpx.HTTPTransport(local_address=address)) as there:
            answers.append(
                there.post(f"{api.url}/v1/players", json=PATHS["/players"], headers={"idempotency-key": key})
            )
    first, elsewhere, again = answers
    assert same(first, again)
    assert ok(elsewhere, 201)["token"] != ok(first, 201)["token"]


def test_keys_tokens_and_invitations_are_nowhere_in_redis(tmp_path: Path) -> None:
    with (
        RedisServer(fsync="always") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment=UNLIMITED) as server,
        Api(server.url) as api,
    ):
        key = new_key()
        token = ok(api.post("/players", {"name": "ada"}, idempotency_key=key), 201)["token"]
        ada, second = Api(server.url, token), new_key()
        invited = ok(ada.post("/matches", PATHS["/matches"], idempotency_key=second), 201)["invitations"]
        redis.stop()
        kept = b"".join(file.read_bytes() for file in redis.folder.rglob("*") if file.is_file())
        assert b"warlog:claim:" in kept
        for secret in (key, second, token, token.removeprefix("wl_"), invited["blue"]):
            assert secret.encode() not in kept
        redis.start()


# ---- many at once, over several processes; kill -9


@pytest.fixture(params=["embedded", "redis"])
def restarted(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[WarlogServer]:
    """One server with its embedded Redis, or one of two workers with a Redis beside them."""
    if request.param == "embedded":
        with WarlogServer(tmp_path, environment=UNLIMITED) as server:
            yield server
        return
    with (
        RedisServer(fsync="always") as redis,
        WarlogServer(
            tmp_path, redis=redis.url, arguments=["--workers", "2"], environment=UNLIMITED
        ) as server,
    ):
        yield server


def test_each_key_makes_one_thing_though_the_server_is_killed_again_and_again(
    restarted: WarlogServer,
) -> None:
    """Several send each request until it is answered, at the same time."""
    with Api(restarted.url) as api:
        ada = api.player()
    over, made = threading.Event(), dict[str, set[bytes]]()
    paths = itertools.cycle(["/players", "/matches", "/matches/import"])
    headers = {"authorization": f"Bearer {ada.token}"}

    def until_answered(path: str, key: str) -> bytes:
        while True:
            try:
                url, keyed = f"{restarted.url}/v1{path}", {**headers, "idempotency-key": key}
                answer = http.post(url, json=PATHS[path], headers=keyed)
            except httpx.TransportError:
                time.sleep(0.05)
                continue
            if answer.status_code == 201:
                return answer.content
            assert answer.status_code == 503, answer.text

    def one_after_another() -> None:
        with ThreadPoolExecutor(3) as several:
            while not over.is_set():
                path, key = next(paths), new_key()
                sent = [several.submit(until_answered, path, key) for _ in range(3)]
                made[f"{path} {key}"] = {one.result() for one in sent}

    with httpx.Client(verify=False, timeout=10) as http, ThreadPoolExecutor(1) as back:
        working = back.submit(one_after_another)
        for _ in range(2):
            over.wait(0.7)
            restarted.kill()
            restarted.start()
        over.set()
        working.result()
    assert len(made) > 10
    assert {len(answers) for answers in made.values()} == {1}
    ada = Api(restarted.url, ada.token)
    found, after = 0, ""
    while True:
        page = ok(ada.get(f"/matches?player=me&limit=200{after}"))
        found += len(page["matches"])
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert found == sum(not name.startswith("/players") for name in made)
