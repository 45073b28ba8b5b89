"""Players for locust: each registers, finds or makes a match of any game, and plays it by what the service lists.

Started by `python -m tests.load.run` (`make load`), which sets the variables below; by hand:

    WARLOG_LOAD_SEED=1 locust -f tests/load/players.py --host http://127.0.0.1:8000 --headless -u 200 -r 20 -t 60s

    WARLOG_LOAD_SEED     of every player's choices
    WARLOG_LOAD_THINK    mean seconds of thinking before an action
    WARLOG_LOAD_WEIGHTS  "hex=3,wec=1": the mix of games; those that are not named have 1
    WARLOG_LOAD_BOTS     the share of new matches in which the house's bots, of any level, have the other seats

What is counted as failed is what no player could expect: a seat that somebody else was quicker to take, a match that
has moved on, or a deadline that was thought past belongs to play. `delivery` runs from the sending of a command to its
event on the sender's feed, `notice` from there to the personal feed of each player whom it concerns.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import socket
import time
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import gevent
import msgspec
from clients.bots.random_bot import choose
from gevent.queue import Empty, Queue
from locust import FastHttpUser, events, task
from locust.exception import StopUser

from tests.load.beginnings import BEGINNINGS

SEED = os.environ.get("WARLOG_LOAD_SEED", "1")
THINK_SECONDS = float(os.environ.get("WARLOG_LOAD_THINK", "8"))
WEIGHTS = dict(part.split("=") for part in os.environ.get("WARLOG_LOAD_WEIGHTS", "").split(",") if part)
BOTS = float(os.environ.get("WARLOG_LOAD_BOTS", "0"))

UNDO, AWAY, RESIGN, ACCEPT = 0.03, 0.02, 0.004, 0.7  # chances: per turn, the last one per proposal of another
AWAY_SECONDS = 5.0
SILENCE_SECONDS = 45.0  # three heartbeats of a feed
COMMANDS_KEPT = 20_000  # latest ones, whose notices may come yet

MOVED_ON = frozenset(
    {"version_conflict", "no_proposal", "proposal_changed", "wrong_status", "match_over", "too_late"}
)
"""Codes that mean no more than that somebody else was quicker, or the clock of a game that has one by itself."""
ENDINGS = (b'{"code":"shutdown"}', b'{"code":"reader_changed"}')
"""Of feeds that are to be opened again."""

playing: dict[str, int] = {}  # match → how many of our players are in it, of those that have started
numbers = itertools.count()


class Follower:
    """A feed over a socket of its own; what comes is put into `news` as (version, type, data, when)."""

    def __init__(self, url: str, path: str, token: str, news: Queue[tuple[int, str, Any, float]]) -> None:
        self.ending = ""
        self._parts = urlsplit(url)
        self._path, self._token, self._news = path, token, news
        self._last = 0
        self._reading: gevent.Greenlet[[], None] | None = None

    def open(self) -> None:
        self._reading = gevent.spawn(self._follow)

    def close(self) -> None:
        if self._reading is not None:
            self._reading.kill()

    def _follow(self) -> None:
        while True:
            try:
                self._read()
            except OSError as error:
                _fire("GET feed", 0, error)
            gevent.sleep(0.5)

    def _read(self) -> None:
        began = time.perf_counter()
        with socket.create_connection(
            (self._parts.hostname, self._parts.port), SILENCE_SECONDS
        ) as connection:
            connection.sendall(
                f"GET {self._path} HTTP/1.1\r\nhost: {self._parts.netloc}\r\nauthorization: Bearer {self._token}\r\n"
                f"{self._resumes()}accept: text/event-stream\r\n\r\n".encode()
            )
            file = connection.makefile("rb")
            status = int((file.readline().split() or [b"", b"0"])[1])
            while file.readline().strip():
                pass
            error = None if status == 200 else OSError(f"status {status}")
            _fire("GET feed", (time.perf_counter() - began) * 1000, error)
            if error is None:
                for block in _blocks(file):
                    self._take(block)

    def _resumes(self) -> str:
        return f"last-event-id: {self._last}\r\n"

    def _take(self, block: bytes) -> None:
        fields = dict(line.split(b": ", 1) for line in block.split(b"\n"))
        if b"id" not in fields:
            if fields[b"event"] == b"closing" and fields[b"data"] not in ENDINGS:
                _fire("feed ended", 0, OSError(fields[b"data"].decode()))
            return
        version = int(fields[b"id"])
        if version != self._last + 1:
            _fire("feed order", 0, OSError(f"{version} after {self._last}"))
        self._last = version
        self._news.put((version, fields[b"event"].decode(), json.loads(fields[b"data"]), time.perf_counter()))


class People:
    """When notices come to the personal feeds of our players, after the commands that they are of."""

    def __init__(self) -> None:
        self._sent: OrderedDict[tuple[str, int], float] = OrderedDict()  # (match, version) → when it was sent
        self._early: dict[
            tuple[str, int], list[float]
        ] = {}  # notices that came before the answer to the command

    def commanded(self, match: str, version: int, sent: float) -> None:
        for when in self._early.pop((match, version), ()):
            _fire("notice", (when - sent) * 1000)
        self._sent[match, version] = sent
        while len(self._sent) > COMMANDS_KEPT:
            self._sent.popitem(last=False)

    def told(self, match: str, version: int, when: float) -> None:
        sent = self._sent.get((match, version))
        if sent is not None:
            _fire("notice", (when - sent) * 1000)
        elif (
            len(self._early) < COMMANDS_KEPT
        ):  # of no command (a time-out, a new match): nobody takes it away
            self._early.setdefault((match, version), []).append(when)


people = People()


class PersonalFollower(Follower):
    """A player's own feed."""

    def __init__(self, url: str, token: str) -> None:
        super().__init__(url, "/v1/players/me/feed", token, Queue())
        self._id = b""
        self._versions: dict[str, int] = {}

    def _resumes(self) -> str:
        return f"last-event-id: {self._id.decode()}\r\n" if self._id else ""

    def _take(self, block: bytes) -> None:
        fields = dict(line.split(b": ", 1) for line in block.split(b"\n"))
        kind = fields[b"event"]
        if kind == b"closing" and fields[b"data"] not in ENDINGS:
            _fire("personal feed ended", 0, OSError(fields[b"data"].decode()))
        if b"id" not in fields:
            return
        if kind == b"reset":
            _fire("personal feed lost notices", 0, OSError(f"after {self._id.decode()}"))
        self._id = fields[b"id"]
        if kind not in (b"ready", b"reset"):
            notice = json.loads(fields[b"data"])
            match, version = notice["match"], notice["version"]
            if version < self._versions.get(match, 0):
                _fire("personal feed order", 0, OSError(f"{version} after {self._versions[match]}"))
            self._versions[match] = version
            people.told(match, version, time.perf_counter())


def _blocks(file: Any) -> Iterator[bytes]:
    """Each event of a chunked stream, without the blank line."""
    held = b""
    while size := int(file.readline() or b"0", 16):
        held += file.read(size)
        file.readline()
        *whole, held = held.split(b"\n\n")
        yield from whole


def _fire(name: str, milliseconds: float, error: Exception | None = None) -> None:
    events.request.fire(  # type: ignore[no-untyped-call]
        request_type="SSE",
        name=name,
        response_time=milliseconds,
        response_length=0,
        exception=error,
        context={},
    )


class Player(FastHttpUser):
    def on_start(self) -> None:
        self.number = next(numbers)
        self.dice = random.Random(f"{SEED}/{self.number}")
        self.game = ""
        self.token = ""
        made = self.ask("POST", "/v1/players", "POST players", {"name": f"load {self.number}"}, 201)
        if made is None:
            raise StopUser
        self.token = made["token"]
        self.id = made["player"]["id"]
        PersonalFollower(str(self.host), self.token).open()

    def ask(
        self,
        method: str,
        path: str,
        name: str,
        body: Any = None,
        ok: int = 200,
        allowed: frozenset[str] = MOVED_ON,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """The JSON of the answer; None for a refusal, which is counted unless it belongs to play."""
        given = dict(headers or {})
        if self.token:
            given["authorization"] = f"Bearer {self.token}"
        title = f"{name} [{self.game}]" if self.game else name
        data = None if body is None else json.dumps(body)
        with self.client.request(
            method, path, name=title, data=data, headers=given, catch_response=True
        ) as answer:
            if answer.status_code == ok:
                answer.success()
                return msgspec.json.decode(answer.content)
            code = _code(answer.content)
            if code in allowed:
                answer.success()
            else:
                answer.failure(f"{answer.status_code} {code or getattr(answer, 'error', '')}")
        return None

    @task
    def match(self) -> None:
        """One match, from finding it to its end."""
        found = self.find() or self.make()
        if found is None:
            gevent.sleep(1)
            return
        self.id_of_match, self.seat = found
        self.news: Queue[tuple[int, str, Any, float]] = Queue()
        path = f"/v1/matches/{self.id_of_match}"
        follower = Follower(str(self.host), f"{path}/feed?seat={self.seat}", self.token, self.news)
        follower.open()
        self.started = 0
        self.sent: dict[int, float] = {}  # version that we wait for → when its command was sent
        try:
            self.command({"type": "prepare", "seat": self.seat}, "prepare")
            self.play(follower)
        finally:
            follower.close()
            if self.started:
                playing[self.id_of_match] -= 1
                if not playing[self.id_of_match]:
                    del playing[self.id_of_match]
            self.game = ""

    # ---- finding a match

    def find(self) -> tuple[str, str] | None:
        """A seat in a lobby that somebody has opened."""
        self.game = self.dice.choices(list(BEGINNINGS), [float(WEIGHTS.get(game, 1)) for game in BEGINNINGS])[
            0
        ]
        page = self.ask("GET", f"/v1/matches?game={self.game}&open=true&limit=20", "GET matches")
        candidates = [] if page is None else page["matches"]
        self.dice.shuffle(candidates)
        for match in candidates:
            for place in match["seats"]:
                if place["player"] is None:
                    path = f"/v1/matches/{match['id']}/seats/{place['seat']}"
                    taken = self.ask("PUT", path, "PUT seat", {}, allowed=MOVED_ON | {"seat_taken"})
                    if taken is not None:
                        return match["id"], place["seat"]
        return None

    def make(self) -> tuple[str, str] | None:
        first = self.dice.choice(BEGINNINGS[self.game])
        mine, *others = first["seats"]
        other = f"bot:{self.dice.randint(1, 8)}" if BOTS and self.dice.random() < BOTS else "open"
        wanted = {
            "game": self.game,
            "options": first["options"],
            "seats": {mine: "me", **dict.fromkeys(others, other)},
            "consent": self.dice.choice(["all", "none"]),
        }
        if first.get("position"):
            wanted["position"] = first["position"]
        made = self.ask("POST", "/v1/matches", "POST matches", wanted, 201)
        return None if made is None else (made["match"]["id"], mine)

    # ---- playing it

    def play(self, follower: Follower) -> None:
        """Until the match is over. Acts on the newest event alone."""
        version, to_act = 0, []
        proposal: int | None = None
        while True:
            for version, name, event, when in self.arrived():
                to_act = event["to_act"]
                proposal = None
                if name == "match_started":
                    self.started = version
                    playing[self.id_of_match] = playing.get(self.id_of_match, 0) + 1
                elif name == "proposal_made" and event["player"]["id"] != self.id:
                    proposal = version
                if (sent := self.sent.pop(version, None)) is not None:
                    _fire(f"delivery [{self.game}]", (when - sent) * 1000)
            if self.started and not to_act and self.is_over():
                return
            if proposal is not None:
                self.think(0.3)
                wish = "accept" if self.dice.random() < ACCEPT else "reject"
                self.command({"type": wish, "proposal": proposal}, wish)
            elif self.seat in to_act:
                self.think()
                if self.news.empty():
                    self.turn(version, follower)

    def arrived(self) -> list[tuple[int, str, Any, float]]:
        """What has come since the last time; waits for something."""
        found = []
        try:
            found.append(self.news.get(timeout=60))
            while True:
                found.append(self.news.get_nowait())
        except Empty:
            return found

    def is_over(self) -> bool:
        shown = self.ask("GET", f"/v1/matches/{self.id_of_match}", "GET match")
        return shown is not None and shown["match"]["status"] in ("finished", "aborted")

    def turn(self, version: int, follower: Follower) -> None:
        chance = self.dice.random()
        if chance < AWAY:
            follower.close()
            self.client.client.clientpool.close()
            gevent.sleep(self.dice.expovariate(1 / AWAY_SECONDS))
            follower.open()
        elif chance < AWAY + UNDO and version > self.started + 1:
            to = self.dice.randrange(self.started, version)
            self.command({"type": "propose", "proposal": {"kind": "undo", "to": to}}, "undo", version)
            return
        path = f"/v1/matches/{self.id_of_match}"
        self.ask("GET", f"{path}/view?seat={self.seat}", "GET view")
        listed = self.ask("GET", f"{path}/actions?seat={self.seat}", "GET actions")
        if listed is None or not listed["actions"]:
            return
        resign = [action for action in listed["actions"] if action["type"] == "resign"]
        action = resign[0] if resign and self.dice.random() < RESIGN else choose(listed["actions"], self.dice)
        self.command({"type": "act", "seat": self.seat, "action": action}, "act", listed["version"])

    def command(self, body: dict[str, Any], name: str, version: int | None = None) -> None:
        headers = {"idempotency-key": f"{self.number}/{time.time_ns()}"}
        if version is not None:
            headers["if-match"] = f'"{version}"'
        began = time.perf_counter()
        done = self.ask(
            "POST", f"/v1/matches/{self.id_of_match}/commands", f"POST {name}", body, 201, headers=headers
        )
        if done is not None:
            self.sent[done["version"]] = began
            people.commanded(self.id_of_match, done["version"], began)

    def think(self, share: float = 1.0) -> None:
        gevent.sleep(self.dice.expovariate(1 / (share * THINK_SECONDS)))


def _code(content: bytes | None) -> str:
    try:
        return str(msgspec.json.decode(content or b"", type=dict[str, Any]).get("code", ""))
    except msgspec.DecodeError:
        return ""
