"""What the service's tests speak with: plain HTTP, one object per caller, and a feed that can be cut anywhere."""

from __future__ import annotations

import itertools
import json
import re
import socket
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from tests.core.explained import reads_as_a_sentence
from tests.servers import Closes
from tests.service import declared
from warlog_service.codes import CODES

UNLIMITED = {"WARLOG_COUNTED_ANY_OPTIONS": "true"} | {
    f"WARLOG_{name}": "0"
    for name in (
        "REQUESTS_PER_CALLER",
        "REQUESTS_PER_ADDRESS",
        "COMMANDS_PER_CALLER",
        "ACCOUNTS_PER_ADDRESS",
        "FAILURES_PER_ADDRESS",
        "LOBBIES_PER_PLAYER",
        "MATCHES_PER_PLAYER",
        "MATCHES_PER_DAY",
        "IMPORTS_PER_DAY",
        "STAKE_MATCHES_MIN",
        "COUNTED_MATCHES_PER_DAY",
    )
}

SMALL = {
    "width": 9,
    "height": 7,
    "obstacles": "none",
    "army": "given",
    "armies": {
        "red": [{"unit": "swordsman", "count": 10}, {"unit": "archer", "count": 12}],
        "blue": [{"unit": "wolf", "count": 9}, {"unit": "pikeman", "count": 11}],
    },
}
"""Options of a hex battle that starts at once, on a small board."""

_names = itertools.count(1)


class Api:
    """One caller. Every method answers with the httpx response; `ok` and `refused` unwrap it."""

    def __init__(self, url: str, token: str | None = None, *, id: str = "", name: str = "") -> None:
        self.url = url
        self.token = token
        self.id = id
        self.name = name
        headers = {"authorization": f"Bearer {token}"} if token else {}
        self.http = httpx.Client(base_url=f"{url}/v1", headers=headers, timeout=20, verify=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.http.close()

    def player(self, name: str = "") -> Api:
        """A new account on the same server."""
        name = name or f"player {next(_names)}"
        made = ok(self.http.post("/players", json={"name": name}), 201)
        return Api(self.url, made["token"], id=made["player"]["id"], name=name)

    def get(self, path: str, **arguments: Any) -> httpx.Response:
        return self.http.get(path, **arguments)

    def post(self, path: str, body: Any, **headers: str) -> httpx.Response:
        return self.http.post(path, json=body, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def put(self, path: str, body: Any, **headers: str) -> httpx.Response:
        return self.http.put(path, json=body, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def delete(self, path: str) -> httpx.Response:
        return self.http.delete(path)

    # ---- matches ----

    def create(self, **spec: Any) -> dict[str, Any]:
        """A new hex match; the answer of POST /matches."""
        made: dict[str, Any] = ok(self.post("/matches", {"game": "hex", "options": SMALL, **spec}), 201)
        return made

    def alone(self, **spec: Any) -> str:
        """The id of a match that has started, both of whose seats are this caller's."""
        return str(self.create(seats={"red": "me", "blue": "me"}, **spec)["match"]["id"])

    def command(self, match: str, command: dict[str, Any], **headers: str) -> httpx.Response:
        return self.post(f"/matches/{match}/commands", command, **headers)

    def act(self, match: str, seat: str, action: Any, **headers: str) -> httpx.Response:
        return self.command(match, {"type": "act", "seat": seat, "action": action}, **headers)

    def match(self, match: str) -> dict[str, Any]:
        found: dict[str, Any] = ok(self.get(f"/matches/{match}"))["match"]
        return found

    def defend(self, match: str) -> dict[str, Any]:
        """The seat that is to act defends (always legal in battle); the answer of the command. Needs both seats."""
        seat = self.match(match)["to_act"][0]
        active = ok(self.get(f"/matches/{match}/view", params={"seat": seat}))["view"]["active"]
        done: dict[str, Any] = ok(self.act(match, seat, {"type": "defend", "piece": active}), 201)
        return done

    def resign(self, match: str, seat: str) -> dict[str, Any]:
        done: dict[str, Any] = ok(self.act(match, seat, {"type": "resign"}), 201)
        return done

    def feed(
        self,
        match: str,
        *,
        after: int | None = None,
        last: int | None = None,
        seats: str = "",
        **options: Any,
    ) -> Feed:
        """`seats`: a query string such as "seat=red&seat=blue"."""
        query = "&".join(part for part in (seats, "" if after is None else f"after={after}") if part)
        return Feed(f"{self.url}/v1/matches/{match}/feed?{query}", self.token, last=last, **options)

    def personal_feed(self, last: str | None = None, **options: Any) -> Feed:
        return Feed(f"{self.url}/v1/players/me/feed", self.token, last=last, **options)


def two(api: Api, **spec: Any) -> tuple[Api, Api, str]:
    """A running match of two players, red and blue."""
    red, blue = api.player(), api.player()
    return red, blue, begun(red, blue, **spec)


def begun(red: Api, blue: Api, **spec: Any) -> str:
    """The id of a running match of these two."""
    match = str(red.create(seats={"red": "me", "blue": "open"}, **spec)["match"]["id"])
    ok(blue.put(f"/matches/{match}/seats/blue", {}))
    ok(red.command(match, {"type": "prepare", "seat": "red"}), 201)
    ok(blue.command(match, {"type": "prepare", "seat": "blue"}), 201)
    return match


def ok(response: httpx.Response, status: int = 200) -> Any:
    """The JSON of an answer that must have this status."""
    assert response.status_code == status, (
        f"{response.request.method} {response.url}: {response.status_code} {response.text[:600]}"
    )
    declared.check(response)
    return response.json()


def refused(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """The problem document of an answer that must be this one."""
    where = f"{response.request.method} {response.url}: {response.status_code} {response.text[:600]}"
    assert response.headers.get("content-type") == "application/problem+json", where
    problem: dict[str, Any] = response.json()
    assert (response.status_code, problem["code"]) == (status, code), where
    assert problem["status"] == status
    assert problem["type"] == f"https://warlog.dev/problems/{code}"
    assert problem["title"]
    assert is_sentence(problem["detail"]), where
    if status != CODES[RULES].status:
        assert problem.keys() - ALWAYS <= {*CODES[code].facts}, where
    declared.check(response)
    return problem


ALWAYS = {"type", "title", "status", "code", "detail", "path", "version"}
RULES = "invalid_options"  # one of the codes that rule books have
INTERNALS = re.compile(
    r"redis|\blua\b|script|\bsha1|\beval\b|xadd|hset|misconf|\boom\b|readonly|maxmemory|\baof\b|\brdb\b|errno|\.sock"
    r"|127\.0\.0\.1|localhost|traceback|exception|NoneType|msgspec|asyncio|litestar|uvicorn|\bself\b|<class|0x[0-9a-f]{6}",
    re.IGNORECASE,
)


def is_sentence(detail: str) -> bool:
    """For people: a sentence that says nothing of what is inside the server."""
    return reads_as_a_sentence(detail) and " " in detail and not INTERNALS.search(detail)


class Feed(Closes):
    """A feed over a bare socket: iterate for (id, event, data), a version being an int; `close` cuts the connection
    without a word."""

    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        last: int | str | None = None,
        receive_bytes: int | None = None,
        timeout: float = 20,
    ) -> None:
        parts = urlsplit(url)
        self._socket = socket.socket()
        if receive_bytes is not None:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self._socket.settimeout(timeout)
        self._socket.connect((parts.hostname or "", parts.port or 80))
        lines = [
            f"GET {parts.path}?{parts.query} HTTP/1.1",
            f"host: {parts.netloc}",
            "accept: text/event-stream",
        ]
        if token:
            lines.append(f"authorization: Bearer {token}")
        if last is not None:
            lines.append(f"last-event-id: {last}")
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self._file = self._socket.makefile("rb")
        self.status = int(self._file.readline().split()[1])
        self.headers: list[bytes] = []
        while (line := self._file.readline().rstrip(b"\r\n")) != b"":
            self.headers.append(line)
        self.raw = b""
        self._events = self._read()

    def __iter__(self) -> Iterator[tuple[Any, str, Any]]:
        return self

    def __next__(self) -> tuple[Any, str, Any]:
        return next(self._events)

    def close(self) -> None:
        self._file.close()
        self._socket.close()

    def take(self, count: int) -> list[tuple[Any, str, Any]]:
        """The next so many events, heartbeats left out."""
        return list(itertools.islice((one for one in self if one[1] != "heartbeat"), count))

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self._file.readline(), 16):
            yield self._file.read(size)
            self._file.readline()

    def _read(self) -> Iterator[tuple[Any, str, Any]]:
        held = b""
        for chunk in self._chunks():
            self.raw += chunk
            held += chunk
            while b"\n\n" in held:
                block, held = held.split(b"\n\n", 1)
                fields = dict(line.split(b": ", 1) for line in block.split(b"\n"))
                id = fields.get(b"id", b"").decode()
                yield (
                    int(id) if id.isdigit() else id or None,
                    fields[b"event"].decode(),
                    json.loads(fields[b"data"]),
                )
