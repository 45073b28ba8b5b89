"""What readers can ask of a server about a match that hides something from them: every route of the OpenAPI document.

Tests of swapped worlds ask all of it in two worlds and compare the bytes; `unvisited` holds what was asked against the
document, so that a new route or parameter cannot be forgotten.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Sequence
from http.client import HTTPConnection
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, urlsplit

import warlog_core
from tests.core.games import as_listed
from tests.service.api import Api, Feed, ok
from tests.service.junqi import LAYOUT
from tests.service.waiting import eventually

Json = dict[str, Any]
NEAR = 12  # wrong actions made up in one look, of the listing and of the schema each


class Asked(NamedTuple):
    method: str
    path: str  # without /v1
    parameters: frozenset[str]  # of the query and of the head, in small letters


class Table(NamedTuple):
    """A match of two seats. The first of them is the hider's; the first of the readers holds the other."""

    match: str
    game: str
    seats: tuple[str, str]
    hider: Api
    readers: dict[str, Api]


class Asking:
    """One reader's kept connection. Every answer is in `seen`, byte for byte, under what was asked."""

    def __init__(self, name: str, player: Api, seen: dict[str, bytes], asked: list[Asked]) -> None:
        self.name, self.player, self._seen, self._asked = name, player, seen, asked
        self._connection = HTTPConnection(urlsplit(player.url).netloc, timeout=30)

    def close(self) -> None:
        self._connection.close()

    def __call__(self, method: str, path: str, body: Json | None = None, **headers: str) -> bytes:
        """The answer's body."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        request = " ".join([self.name, method, path, *(str(part) for part in (body, sent) if part)])
        self._note(method, path, sent)
        if self.player.token:
            sent["authorization"] = f"Bearer {self.player.token}"
        if body is not None:
            sent["content-type"] = "application/json"
        where = path if path.startswith("/health") else f"/v1{path}"
        self._connection.request(method, where, None if body is None else json.dumps(body).encode(), sent)
        answer = self._connection.getresponse()
        content = answer.read()
        head = "".join(f"{name}: {value}\n" for name, value in answer.getheaders())
        self.status = answer.status
        self._tag = answer.getheader("etag") or ""
        self._keep(request, f"{answer.status}\n{head}\n".encode() + content)
        return content

    def read(self, path: str) -> bytes:
        """GET and HEAD; and GET once more with the tag of the first answer, if there was one."""
        content = self("GET", path)
        if self._tag:
            self("GET", path, if_none_match=self._tag)
        self("HEAD", path)
        return content

    def made(self, method: str, path: str, body: Json, **headers: str) -> Json:
        """The answer's JSON."""
        answer: Json = json.loads(self(method, path, body, **headers))
        return answer

    def feed(self, path: str, events: int, *, last: int | str | None = None) -> None:
        """So many events, if the feed is given."""
        self._note("GET", path, {} if last is None else {"last-event-id": ""})
        with Feed(f"{self.player.url}/v1{path}", self.player.token, last=last) as feed:
            if feed.status == 200:
                feed.take(events)
            content = feed.raw
            status = feed.status
        if path.startswith("/players/me/feed"):
            # How many notices have come by now is no matter of the request.
            content = re.sub(rb"(?m)^(id: [0-9]+)-[0-9]+$", rb"\1", content)
        _, _, seat = path.partition("seat=")
        if not path.startswith("/matches/"):
            seat = path
        request = " ".join(
            [self.name, "feed", *([seat] if seat else []), *([f"from {last}"] if last else [])]
        )
        self._keep(request, b"\n".join([b"%d" % status, *feed.headers, content]))

    def _note(self, method: str, path: str, headers: Iterable[str]) -> None:
        place, _, query = path.partition("?")
        names = [*(name for name, _ in parse_qsl(query, keep_blank_values=True)), *headers]
        self._asked.append(Asked(method, place, frozenset(name.lower() for name in names)))

    def _keep(self, request: str, answer: bytes) -> None:
        while request in self._seen:  # asked once more, when things have changed
            request += " again"
        self._seen[request] = answer


def look(
    table: Table, asked: list[Asked], wrong: Sequence[Json] = (), *, beside: bool = True
) -> dict[str, bytes]:
    """Everything that everybody but the hider can get, request by request. The match stays as it is.

    wrong   actions of the first reader's seat that are refused, beside those that are made up here
    beside  also what the server says beside the match, and what the readers make of their own there
    """
    first, *_ = table.readers.values()
    now = table.hider.match(table.match)
    version = now["version"]
    # The lobby follows a moment later, and not at the same moment in both worlds.
    eventually(lambda: _listed(table.hider, table.match)["version"] == version)
    seen: dict[str, bytes] = {}
    for name, player in table.readers.items():
        asking = Asking(name, player, seen, asked)
        _match(asking, table, version, holds=player is first)
        if beside:
            _server(asking, table)
            if player.token:
                _own(asking, table)
        acts = [*wrong, *near(asking, table, version)] if player is first else wrong[:2]
        _commands(asking, table, now, acts)
        asking.close()
    done = ok(table.hider.get(f"/matches/{table.match}/events?after={version}"))["events"]
    assert done == [], "a command was not refused"
    return seen


def _listed(player: Api, match: str) -> Json:
    found = ok(player.get("/matches?player=me&limit=200"))["matches"]
    return next(one for one in found if one["id"] == match)


def _match(asking: Asking, table: Table, version: int, *, holds: bool) -> None:
    """What can be read of the match: now and at each version, as each seat."""
    match, (hidden, own) = f"/matches/{table.match}", table.seats
    for route in ("", "/view", "/events", "/timeline", "/history", "/board", "/export", "/verify",
                  "/here", "/events?limit=2&after=2", "/timeline?limit=2&after=2", "/history?limit=1",
                  "/history?limit=1&after=1", "/view?seat=all"):  # fmt: skip
        asking.read(match + route)
    asking.read("/matches")
    asking.read("/matches?player=me")
    for seat in (hidden, own):
        for route in ("view", "seen", "actions", "events", "history", "position"):
            asking.read(f"{match}/{route}?seat={seat}")
        asking.read(f"{match}/actions?seat={seat}&trace=true")
        if holds == (seat == own):
            for at in range(1, version + 2):
                for route in ("view", "seen", "actions", "position", "trace"):
                    asking("GET", f"{match}/{route}?seat={seat}&at={at}")
                asking("GET", f"{match}/actions?seat={seat}&at={at}&trace=true")
        asking("POST", f"{match}/analysis", {"seat": seat})
        asking("POST", f"{match}/analysis", {"seat": seat, "at": version, "lines": 1, "iterations": 1})
    for at in range(1, version + 2):
        asking.read(f"{match}/view?at={at}")
        asking.read(f"{match}/trace?at={at}")
    asking("GET", f"{match}/actions?seat={own}&type=move&piece=1&after=1")
    feed = f"{match}/feed"
    for path, last in ((f"{feed}?after=0", None), (feed, version - 1), (f"{feed}?seat={hidden}", None),
                       (f"{feed}?seat={own}", None)):  # fmt: skip
        asking.feed(path, version if last is None else 1, last=last)


def _server(asking: Asking, table: Table) -> None:
    """What the server says beside the match, among it of the one who hides something."""
    game, (hidden, own) = f"/games/{table.game}", table.seats
    for path in ("/bots", "/health/live", "/health/ready", "/openapi.json", "/docs", "/docs.md",
                 "/docs/redoc.js", "/games", game, f"{game}?options=%7B%7D",
                 f"{game}/rules", f"{game}/data", f"{game}/leaderboard?limit=1&after=1", f"/players/{table.hider.id}",
                 f"/players?name={quote(table.hider.name)}",
                 f"/players?name={quote(table.hider.name)}&limit=1&after=YQBi",
                 f"{game}/leaderboard?pool=duel", f"/players/{table.hider.id}/ratings",
                 f"/players/{table.hider.id}/ratings/{table.game}/duel/history?after=0&limit=1",
                 "/achievements", f"/players/{table.hider.id}/achievements", f"/players/{table.hider.id}/statistics",
                 f"{game}/statistics",
                 f"/matches?player={table.hider.id}", "/matches?status=playing",
                 f"/matches?game={table.game}&options=%7B%7D", "/matches?mode=casual&open=true", "/matches?turn=mine",
                 "/matches?watchable=true", f"/matches?limit=1&after={table.match}",
                 "/scenarios", f"/scenarios?game={table.game}&limit=1&after=x", "/scenarios?mine=true"):  # fmt: skip
        asking.read(path)
    asking("POST", f"{game}/positions/check", {"options": {}, "position": {}})
    match = f"/matches/{table.match}"
    asking("POST", f"{match}/decline", {"reason": "later"}, if_match='"999"', idempotency_key="decline")
    asking("POST", f"{match}/decline", {"reason": "later"})
    asking("POST", f"{match}/join", {"wish": hidden}, if_match='"999"', idempotency_key="join")
    for seat in (hidden, own):
        asking(
            "PUT",
            f"{match}/seats/{seat}",
            {"invitation": "wli_wrong"},
            if_match='"999"',
            idempotency_key=seat,
        )
        asking("PUT", f"{match}/seats/{seat}", {})
    asking("DELETE", f"{match}/seats/{hidden}")
    asking("DELETE", f"{match}/seats/{own}", if_match='"999"', idempotency_key="leave")
    asking(
        "POST",
        "/matches/import?visibility=private",
        {"game": table.game, "events": [], "match": table.match},
        idempotency_key="import",
    )
    asking("POST", "/players", {"name": ""}, idempotency_key="a key that nobody guesses")
    if not asking.player.token:
        asking.feed("/players/me/feed", 0)
        for path in ("/players/me", f"/players/me/options/{table.game}", "/pairing", "/tokens"):
            asking.read(path)


def _own(asking: Asking, table: Table) -> None:
    """What a reader with an account makes, sees and deletes of his own."""
    asking.read("/players/me")
    for kind, body in (("options", {"options": {}}), ("layouts", {"layout": LAYOUT})):
        shelf = f"/players/me/{kind}/{table.game}"
        asking("PUT", f"{shelf}/look", body)
        asking.read(f"{shelf}/look")
        asking.read(shelf if kind == "options" else f"{shelf}?limit=2&after=a")
        if kind == "layouts":
            asking("POST", f"{shelf}/look/load", {})
        asking("DELETE", f"{shelf}/look")
    new: Json = {"game": table.game, "name": "look", "options": {}, "visibility": "public"}
    scenario = asking.made("POST", "/scenarios", new)["scenario"]["id"]
    asking.read(f"/scenarios/{scenario}")
    asking("DELETE", f"/scenarios/{scenario}")
    for query, last in (("", None), ("", "1-1"), ("?after=1-1", None)):  # `ready`, and two of `reset`
        asking.feed(f"/players/me/feed{query}", 1, last=last)
    for how in ("following", "blocked"):
        asking("PUT", f"/players/me/{how}/{table.hider.id}")
        asking.read(f"/players/me/{how}?limit=2")
        asking.read(f"/players/me/{how}?after=x")
        asking("DELETE", f"/players/me/{how}/{table.hider.id}")
    asking("DELETE", "/players/me", {"name": "nobody"}, idempotency_key="leave")
    token = asking.made("POST", "/tokens", {"label": "look"})["id"]
    asking.read("/tokens?limit=2&after=x")
    asking("DELETE", f"/tokens/{token}")
    session = asking.made("POST", "/sessions", {}, sec_fetch_site="same-origin")["id"]
    asking("DELETE", "/sessions", sec_fetch_site="same-origin")
    asking("DELETE", f"/tokens/{session}")
    entry = asking.made("POST", "/pairing", {"game": table.game}, idempotency_key="look")["entry"]["id"]
    asking.read("/pairing")
    asking.read(f"/pairing/{entry}?wait=0")
    asking.feed(f"/pairing/{entry}/feed", 1)
    asking("DELETE", f"/pairing/{entry}")
    for theirs in ok(table.hider.get("/scenarios?mine=true"))["scenarios"]:
        asking.read(f"/scenarios/{theirs['id']}")
        asking("DELETE", f"/scenarios/{theirs['id']}")
        asking("POST", "/matches", {"game": table.game, "scenario": theirs["id"]})
    for theirs in ok(table.hider.get("/pairing"))["entries"]:
        asking.read(f"/pairing/{theirs['id']}")
        asking.feed(f"/pairing/{theirs['id']}/feed", 1)
        asking("DELETE", f"/pairing/{theirs['id']}")
    asking("POST", "/matches", {"game": table.game, "seats": {table.seats[0]: table.hider.id, "x": "me"}},
           idempotency_key="make")  # fmt: skip


def _commands(asking: Asking, table: Table, now: Json, acts: Sequence[Json]) -> None:
    """Commands that are refused: of who may not, too late, of no proposal; and acts that the rules do not allow."""
    hidden, own = table.seats
    commands: list[Json] = [{"type": "act", "seat": own, "action": action} for action in acts]
    commands += [{"type": "act", "seat": hidden, "action": {"type": "resign"}},
                 {"type": "accept", "proposal": 999}, {"type": "reject", "proposal": 999},
                 {"type": "prepare", "seat": hidden},
                 {"type": "propose", "proposal": {"kind": "undo", "to": now["version"] + 5}},
                 {"type": "propose", "proposal": {"kind": "rematch"}},
                 {"type": "propose", "proposal": {"kind": "edit", "position": {}}}]  # fmt: skip
    if now["status"] != "lobby":
        commands.append({"type": "prepare", "seat": own})
    path = f"/matches/{table.match}/commands"
    for command in commands:
        asking("POST", path, command)
        assert asking.status >= 400, f"allowed: {command}"
        if command["type"] != "propose" and command.get("seat") != own:
            asking("POST", path, command, if_match='"999"', idempotency_key="look")
    resign = {"type": "act", "seat": own, "action": {"type": "resign"}}
    asking("POST", path, resign, if_match='"999"')


def near(asking: Asking, table: Table, version: int) -> list[Json]:
    """Actions of the reader's seat that are not allowed as far as he can see: allowed ones with one field changed, and
    some of every type of the game. What is allowed depends on his view alone, so all of them are refused alike."""
    seat = table.seats[1]
    listed = asking.player.get(f"/matches/{table.match}/actions?seat={seat}")
    if listed.status_code != 200:
        return []  # before the start
    listing = listed.json()["actions"]
    board = ok(asking.player.get(f"/matches/{table.match}/board"))["board"]
    schema = warlog_core.game(table.game).describe({})["actions"]
    spaces = [space["id"] for space in board["spaces"]]
    fields = {kind: _schema(schema, ref) for kind, ref in schema["discriminator"]["mapping"].items()}
    free = {action["type"] for action in listing if action.get("open")}
    rng = random.Random(f"{table.game} {version}")

    def changed(action: Json) -> Json:
        given = [name for name in action if name != "type"]
        if not given:
            return {**action, "x": 1}
        name = rng.choice(given)
        return {**action, name: _value(fields[action["type"]]["properties"].get(name, {}), spaces, rng)}

    def made(kind: str) -> Json:
        properties, required = (fields[kind].get(name, {}) for name in ("properties", "required"))
        values = {name: _value(properties[name], spaces, rng) for name in required if name != "type"}
        return {"type": kind, **values}

    found = [
        changed(action) for action in rng.choices([one for one in listing if not one.get("open")], k=NEAR)
    ]
    found += [made(kind) for kind in [*fields, *rng.choices(list(fields), k=NEAR)]]
    # A template allows more than the listing shows.
    return [
        action
        for action in found
        if as_listed(table.game, action, spaces) not in listing and action["type"] not in free
    ]


def _schema(document: Json, reference: str) -> Json:
    found: Json = document["$defs"][reference.rsplit("/", 1)[1]]
    return found


def _value(schema: Json, spaces: Sequence[str], rng: random.Random) -> Any:
    if "enum" in schema:
        return rng.choice(schema["enum"])
    match schema.get("type"):
        case "integer":
            return rng.choice((*range(1, 16), 40, 64, 99, 990, 32767))
        case "string":
            fit = [space for space in spaces if re.fullmatch(schema.get("pattern", ".*"), space)]
            return rng.choice(fit or ["nothing"])
        case "array":
            return [_value(schema.get("items", {}), spaces, rng)]
        case "boolean":
            return rng.random() < 0.5
    return {}


def unvisited(document: Json, asked: Iterable[Asked]) -> set[str]:
    """The calls, and the parameters of calls, that were not asked."""
    left = {
        operation: {
            parameter["name"].lower()
            for parameter in found.get("parameters", ())
            if parameter["in"] != "path"
        }
        for path, methods in document["paths"].items()
        for method, found in methods.items()
        for operation in [f"{method.upper()} {path.removeprefix('/v1')}"]
    }
    # What names more of the path comes first: /players/me before /players/{player_id}.
    patterns = sorted(
        ((re.sub(r"\{[^}]+\}", "[^/]+", operation), operation) for operation in left),
        key=lambda one: one[1].count("{"),
    )
    missing = dict(left)
    visited: set[str] = set()
    for one in asked:
        request = f"{one.method} {one.path}"
        operation = next((name for pattern, name in patterns if re.fullmatch(pattern, request)), None)
        if operation is not None:
            visited.add(operation)
            missing[operation] = missing[operation] - one.parameters
    found = {operation for operation in left if operation not in visited}
    return found | {f"{operation} {name}" for operation in visited for name in missing[operation]}
