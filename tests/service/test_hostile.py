"""Any bytes to any endpoint: a 4xx with a code, never a 5xx, and nothing appended."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

from tests.servers import WarlogServer
from tests.service.api import UNLIMITED, Api, ok
from tests.service.bounds import Bounded
from tests.service.wire import Reply, exchange
from warlog_service.openapi import recorded

CODES_WITHOUT_BODY = {204, 304}


def fine(reply: Reply | None, request: bytes) -> None:
    """An answer below 500, whose refusal has a code; or a closed connection, when it was not HTTP."""
    if reply is None:
        return
    assert reply.status < 500, (request[:300], reply)
    if reply.status >= 400:
        assert reply.code, (request[:300], reply)


GARBAGE = [
    "", " ", "x", "0", "-1", "1e9", "%00", "%", "%zz", "%ff%fe", "%2e%2e%2f", "..", "a/../b", "%0d%0ax:y",
    "null", "NaN", "[]", "{}",
    "9" * 400, "-" + "9" * 400, "%F0%9F%92%A5", "m_000_aaaaaaaaaaaaaaaa", "m_64_x", "'; DROP", "*", "\\", "red", "true",
    "%ED%A0%80", "a" * 5000, "spectator", "server", "all",
]  # fmt: skip
BODIES = [
    b"", b"null", b"{}", b"[]", b"0", b'"x"', b"\xff\xfe", b"\x00", b"{" * 5000, b"[" * 200_000, b"1" * 50_000,
    b'{"a":' * 20_000,
    b'{"name": "\\ud800"}',
    b'{"name": "\\u0000"}',
    b'{"name": ""}',
    b'{"name": "\xf0\x9f\x92\xa5"}',
    b'{"name": 1e400}',
    b'{"type": "act", "seat": "red", "action": {"type": "move", "piece": 1e999, "to": "\\ud83d"}}',
    b'{"type": "act", "seat": "red", "action": {"type": "recruit", "army": [{"unit": "\\u0000", "count": -1}]}}',
    b'{"type": "act", "seat": "server", "action": {"type": "timeout", "seat": "red"}}',
    b'{"type": "propose", "proposal": {"kind": "undo", "to": 99999999999999999999999999}}',
    b'{"type": "propose", "proposal": {"kind": "undo", "to": -1}}',
    b'{"type": "propose", "proposal": {"kind": "options", "import": {"events": 7}}}',
    b'{"type": "propose", "proposal": {"kind": "edit", "position": {"stacks": [[]]}}}',
    b'{"type": "accept", "proposal": 0}',
    b'{"game": "hex", "options": {"roster": [{"id": "\\u0000"}]}}',
    b'{"game": "hex", "seats": {"red": "\\u0000", "": "me"}}',
    b'{"game": "hex", "seats": {"red": "server"}, "scenario": "\\ud800"}',
    b'{"game": "hex", "position": {"stacks": [{"seat": "red"}]}}',
    b'{"game": "hex", "move_seconds": 99999999999999999999}',
    b'{"game": "hex", "move_seconds": -1}',
    b'{"warlog_record": 1, "game": "hex", "events": [{"version": 1e400}]}',
    b'{"warlog_record": 1, "game": "hex", "events": [{"seat": "red", "action": {"type": "resign"}, "draws": [-1]}]}',
    b'{"warlog_record": 1, "game": "hex", "setup": {"draws": [9999999999999999999999]}, "events": []}',
    b'{"game": "hex", "history": 7}',
    b'{"game": "hex", "history": "1. red fly"}',
    b'{"invitation": "wli_\\u0000"}',
    b'{"label": "x", "scopes": ["root"]}',
    b'{"label": "x", "scopes": []}',
    b'{"wish": "\\u0000"}',
    b"a=1&b=2",
    b'--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--x--',
]  # fmt: skip
HEADERS = [
    b"content-type: application/json",
    b"content-type: text/plain",
    b"content-type: multipart/form-data; boundary=x",
    b"content-type: application/x-www-form-urlencoded",
    b"content-type: application/msgpack",
    b"content-type: \xff\xfe",
    b"content-encoding: gzip",
    b"if-match: \xff",
    b'if-match: "1"',
    b"if-none-match: *",
    b"if-none-match: \xff",
    b"idempotency-key: ",
    b"idempotency-key: " + b"k" * 3000,
    b"idempotency-key: \xff",
    b"last-event-id: -1",
    b"last-event-id: 9999999999999999999999",
    b"last-event-id: 5",
    b"accept: text/html",
    b"host: \xff",
    b"cookie: " + b"c=1;" * 2000,
    b"range: bytes=0-1",
    b"expect: 100-continue",
    b"x-http-method-override: DELETE",
    b"upgrade: websocket",
    b"connection: upgrade",
    b"authorization: Bearer \xff",
    b"authorization: Bearer",
    b"authorization: ",
    b"x-forwarded-for: 1.2.3.4",
]


def operations(api: Api) -> list[tuple[str, str, dict[str, Any]]]:
    document = ok(api.get("/openapi.json"))
    return [
        (method.upper(), path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


def test_random_nonsense_on_every_route_is_refused_with_a_code(
    server: WarlogServer, api: Api, seed: int
) -> None:
    dice = random.Random(seed)
    ada = api.player()
    match = ada.alone()
    real = {"match_id": match, "game": "hex", "seat": "red", "player_id": ada.id}

    def part(name: str) -> str:
        return real[name] if name in real and dice.random() < 0.6 else dice.choice(GARBAGE)

    for method, path, operation in operations(api) * 12:
        names = [parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "query"]
        for parameter in operation["parameters"]:
            if parameter["in"] == "path":
                path = path.replace(f"{{{parameter['name']}}}", part(parameter["name"]).replace(" ", "%20"))
        query = "&".join(
            f"{name}={dice.choice(GARBAGE).replace(' ', '+')}"
            for name in [*names, "x", ""]
            if dice.random() < 0.4
        )
        if dice.random() < 0.1:
            method = dice.choice(
                [
                    "GET",
                    "PUT",
                    "PATCH",
                    "DELETE",
                    "OPTIONS",
                    "HEAD",
                    "TRACE",
                    "POST",
                    "QUERY",
                    "FOO",
                    "CONNECT",
                ]
            )
        body = dice.choice(BODIES)
        lines = [f"{method} {path}{'?' + query if query else ''} HTTP/1.1".encode(), b"host: x"]
        lines += (
            [b"content-length: %d" % len(body), b"connection: close"]
            if method != "GET" or dice.random() < 0.2
            else []
        )
        if dice.random() < 0.7:
            lines.append(f"authorization: Bearer {ada.token}".encode())
        lines += dice.sample(HEADERS, dice.randrange(3))
        request = b"\r\n".join([*lines, b"", b""]) + (body if b"content-length" in b"".join(lines) else b"")
        fine(exchange(server.url, request), request)
    ok(ada.get("/players/me"))


ODD: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        -1,
        1.5,
        10**9,
        10**30,
        "",
        "x",
        "\u0000",
        "red",
        "\U0001f4a5",
        [],
        {},
        [[]],
        {"": None},
    ),
    *("me", "hex", "spectator", "server", [1, 2, 3], {"type": "act"}, "a" * 300, -(2**63), 2**63 - 1),
]


def mutated(value: Any, dice: random.Random) -> Any:
    """The same JSON value with one place in it made odd, doubled, or gone."""
    if isinstance(value, dict) and value and dice.random() < 0.85:
        changed, key = dict(value), dice.choice(list(value))
        match dice.randrange(8):
            case 0:
                del changed[key]
            case 1:
                changed[dice.choice(["x", "type", "seat", "", key.upper()])] = dice.choice(ODD)
            case _:
                changed[key] = mutated(changed[key], dice)
        return changed
    if isinstance(value, list) and value and dice.random() < 0.85:
        index = dice.randrange(len(value))
        match dice.randrange(6):
            case 0:
                return value[:index] + value[index + 1 :]
            case 1:
                return [*value, value[index]]
            case _:
                return [*value[:index], mutated(value[index], dice), *value[index + 1 :]]
    if isinstance(value, int) and not isinstance(value, bool) and dice.random() < 0.5:
        return value + dice.choice([-1, 1, 7, -(10**6)])
    return dice.choice(ODD)


BODIES_NEARLY_RIGHT = 700
MEMORY_PER_BODY_MAX = 40_000  # of which most is the match that it is sent to, in memory
CPU_SECONDS_PER_BODY_MAX = 0.01  # with that match's creation


def test_bodies_that_are_nearly_right_are_taken_or_refused_with_a_code(
    server: WarlogServer, api: Api, seed: int
) -> None:
    dice = random.Random(seed)
    ada = api.player()
    examples = [example for example in recorded().values() if "body" in example]
    assert len(examples) > 8
    proposals = [
        {"kind": "undo", "to": 2},
        {"kind": "options", "options": {"round_limit": 3}, "position": examples[-1]["body"].get("position")},
        {"kind": "edit", "position": recorded()["post_scenario"]["body"]["position"]},
        {"kind": "options", "import": recorded()["get_export"]["answer"]},
        {"kind": "competitive"},
        {"kind": "abort"},
        {"kind": "rematch"},
    ]
    with Bounded(
        f"{BODIES_NEARLY_RIGHT} bodies that are nearly right",
        server.pid,
        memory=BODIES_NEARLY_RIGHT * MEMORY_PER_BODY_MAX,
        seconds=BODIES_NEARLY_RIGHT * CPU_SECONDS_PER_BODY_MAX,
    ):
        for number in range(BODIES_NEARLY_RIGHT):
            example = dice.choice(examples)
            path, body = example["path"].removeprefix("/v1"), example["body"]
            if "/commands" in path or number % 3 == 0:
                match = ada.create(seats={"red": "me"})["match"]["id"] if dice.random() < 0.3 else ada.alone()
                path = f"/matches/{match}/commands"
                if dice.random() < 0.6:
                    body = {"type": "propose", "proposal": dice.choice(proposals)}
            for _ in range(dice.choice([1, 1, 2, 4])):
                body = mutated(body, dice)
            answer = ada.http.request(
                example["method"] if "/commands" not in path else "POST", path, json=body
            )
            assert answer.status_code < 500, (path, body, answer.text)
            assert answer.status_code < 400 or answer.json()["code"], (path, body)


@pytest.mark.parametrize(
    "request_",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /v1/games HTTP/1.1\r\nhost: x\r\nx: " + b"y" * 100_000 + b"\r\n\r\n",
        b"GET /v1/games?" + b"a" * 100_000 + b" HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET /v1/\xff\xfe HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET /v1/games\x00 HTTP/1.1\r\nhost: x\r\n\r\n",
        b"POST /v1/players HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
        b"POST /v1/players HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999999999999999999\r\n\r\n",
        b"POST /v1/players HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello",
        b"POST /v1/players HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"POST /v1/players HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n0\r\n\r\n",
        b"GET http://elsewhere/v1/games HTTP/1.1\r\nhost: x\r\n\r\n",
        b"CONNECT example.org:443 HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET * HTTP/1.1\r\nhost: x\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET /v1/games HTTP/1.1\r\nhost: x\r\nhost: y\r\n: z\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64,
        b"GET /v1/games HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
        b"sec-websocket-key: x\r\nsec-websocket-version: 13\r\n\r\n",
    ],
)  # fmt: skip
def test_what_is_hardly_http_is_refused_and_the_server_lives(
    server: WarlogServer, api: Api, request_: bytes
) -> None:
    fine(exchange(server.url, request_), request_)
    ok(api.get("/games"))


def test_headers_without_end_are_cut_off_with_a_code(server: WarlogServer) -> None:
    reply = exchange(server.url, b"GET /v1/games HTTP/1.1\r\nhost: x\r\nx: " + b"y" * 40_000)
    assert reply is None or (reply.status, reply.code) == (431, "headers_too_large")


def test_a_body_that_never_comes_holds_up_nobody(server: WarlogServer, api: Api) -> None:
    import socket
    from urllib.parse import urlsplit

    parts = urlsplit(server.url)
    waiting = [socket.create_connection((parts.hostname or "", parts.port or 80)) for _ in range(20)]
    for wire in waiting:
        wire.sendall(b"POST /v1/players HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{")
    ok(api.get("/games"))
    for wire in waiting:
        wire.close()
    ok(api.get("/games"))


def test_a_request_that_does_not_come_to_its_end_is_given_up(tmp_path: Path) -> None:
    with WarlogServer(tmp_path, environment={**UNLIMITED, "WARLOG_REQUEST_SECONDS_MAX": "0.5"}) as server:
        for begun in (
            b"",
            b"GET /v1/ga",
            b"POST /v1/players HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{",
        ):
            reply = exchange(server.url, begun, timeout=5)
            assert reply is not None
            assert (reply.status, reply.code) == (408, "request_timeout")
        with Api(server.url) as api:
            ada = api.player()
            with ada.feed(ada.alone(), after=1) as feed:
                time.sleep(1)
                assert feed.take(1)[0][0] == 2
            ok(ada.get("/players/me"))


def test_a_refused_command_appends_nothing(server: WarlogServer, api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    before = ok(ada.get(f"/matches/{match}/events"))
    for body in BODIES:
        if b'"resign"' not in body:
            reply = ada.http.post(f"/matches/{match}/commands", content=body)
            assert 400 <= reply.status_code < 500, (body[:100], reply.text)
            assert reply.json()["code"]
    assert ok(ada.get(f"/matches/{match}/events")) == before


def test_names_with_anything_in_them_come_back_as_they_were(api: Api) -> None:
    for name in ("Ω≈ç", "<script>", '"\\', "a\tb", "💥"):
        answer = api.http.post("/players", content=json.dumps({"name": name}))
        if answer.status_code == 201:
            assert answer.json()["player"]["name"] == name
        else:
            assert (answer.status_code, answer.json()["code"]) == (400, "malformed_body")


def test_no_token_and_no_invitation_is_ever_written_to_the_log(tmp_path: Any) -> None:
    import os
    import subprocess
    import sys

    log = tmp_path / "log"
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "warlog_service", "serve", "--port", "0", "--data", str(tmp_path / "data")],
            env={**os.environ, **UNLIMITED}, stdout=subprocess.PIPE, stderr=errors,
        )  # fmt: skip
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        with Api(url) as api:
            ada = api.player()
            made = ada.create(seats={"red": "me", "blue": "invite"})
            invitation = made["invitations"]["blue"]
            ada.put(f"/matches/{made['match']['id']}/seats/blue", {"invitation": invitation})
            ada.put(f"/matches/{made['match']['id']}/seats/blue", {"invitation": invitation + "x", "y": 1})
            exchange(url, f"GET /v1/games HTTP/1.1\r\nauthorization: Bearer {ada.token}\r\n\x00".encode())
        process.terminate()
        assert process.wait(30) == 0
        process.stdout.close()
    text = log.read_text()
    assert str(ada.token)[3:] not in text
    assert invitation[4:] not in text
