"""The feed of a person: what happens to him in all his matches, each once and in order, wherever it is cut."""

from __future__ import annotations

import itertools
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.servers import RedisServer, WarlogServer
from tests.service.api import SMALL, UNLIMITED, Api, Feed, ok, refused, two
from tests.service.figures import figure
from tests.service.waiting import eventually

ASK = ["/v1/matches?player=me&status=lobby", "/v1/matches?player=me&status=playing"]


def rows(events: list[tuple[Any, str, Any]]) -> list[tuple[str, str, int]]:
    """(type, match, version) of each."""
    assert all(name == data["type"] for _, name, data in events)
    return [(name, data["match"], data["version"]) for _, name, data in events]


def ready(feed: Feed) -> str:
    """The id from which on the feed goes."""
    assert feed.status == 200
    ((id, name, data),) = feed.take(1)
    assert (name, data) == ("ready", {"type": "ready", "ask": ASK})
    return str(id)


def seat_to_act(api: Api, match: str) -> str:
    return str(api.match(match)["to_act"][0])


def defend(red: Api, blue: Api, match: str) -> int:
    """Who is to act defends; the version."""
    seat = seat_to_act(red, match)
    who = {"red": red, "blue": blue}[seat]
    active = ok(who.get(f"/matches/{match}/view?seat={seat}"))["view"]["active"]
    return int(ok(who.act(match, seat, {"type": "defend", "piece": active}), 201)["version"])


def test_what_happens_in_a_match_reaches_both_players(api: Api) -> None:
    red, blue = api.player(), api.player()
    with red.personal_feed() as reds, blue.personal_feed() as blues:
        assert b"content-type: text/event-stream" in reds.headers
        assert b"cache-control: private, no-store" in reds.headers
        ready(reds)
        ready(blues)
        match = red.create(seats={"red": "me", "blue": blue.id})["match"]["id"]
        _, name, challenged = blues.take(1)[0]
        assert (name, challenged) == (
            "challenged",
            {
                "type": "challenged",
                "match": match,
                "game": "hex",
                "version": 1,
                "at": challenged["at"],
                "seats": ["blue"],
            },
        )
        for who, seat in ((red, "red"), (blue, "blue")):
            ok(who.command(match, {"type": "prepare", "seat": seat}), 201)
        first, turned = seat_to_act(red, match), 0
        while seat_to_act(red, match) == first:
            turned = defend(red, blue, match)
        ok(red.command(match, {"type": "propose", "proposal": {"kind": "undo", "to": 3}}), 201)
        red.resign(match, "red")
        told = {
            "red": [("seated", match, 1), ("match_started", match, 3)],
            "blue": [("match_started", match, 3)],
        }
        told[first].append(("your_turn", match, 3))
        told[{"red": "blue", "blue": "red"}[first]].append(("your_turn", match, turned))
        told["blue"].append(("proposal", match, turned + 1))
        told["red"].append(("proposal_over", match, turned + 2))
        for seat in told:
            told[seat].append(("match_over", match, turned + 2))
        heard = reds.take(len(told["red"]))
        assert rows(heard) == told["red"]
        assert (heard[-2][2]["proposal"], heard[-2][2]["outcome"]) == ("undo", "lapsed")
        last = blues.take(len(told["blue"]))
        assert rows(last) == told["blue"]
        assert last[-2][2]["proposal"] == "undo"
        assert (last[-1][2]["status"], last[-1][2]["result"]["winners"]) == ("finished", ["blue"])


def test_others_hear_nothing_of_a_match(api: Api) -> None:
    eve = api.player()
    with eve.personal_feed() as feed:
        ready(feed)
        red, _, match = two(api)
        red.resign(match, "red")
        mine = eve.alone()
        assert {found for _, found, _ in rows(feed.take(3))} == {mine}


def test_cut_at_every_notice_it_resumes_without_a_gap_or_a_double(api: Api) -> None:
    ada = api.player()
    with ada.personal_feed() as feed:
        start = ready(feed)
        for _ in range(3):
            ada.resign(ada.alone(), "red")
        whole = feed.take(12)
    for cut, last in enumerate([start, *(str(id) for id, _, _ in whole[:-1])]):
        with ada.personal_feed(last) as feed:
            assert feed.take(12 - cut) == whole[cut:]
    with Feed(f"{api.url}/v1/players/me/feed?after={whole[-2][0]}", ada.token) as feed:
        assert feed.take(1) == whole[-1:]


@pytest.mark.parametrize(
    "last", ["17", "-", "1-", "-1", "1-1-1", "01-1", "1-01", "1-1 ", "x-1", "1" * 16 + "-1", "１-1"]
)
def test_what_is_no_id_is_refused(api: Api, last: str) -> None:
    ada = api.player()

    if last.strip() == last:
        asked = ada.get("/players/me/feed", headers={"last-event-id": last.encode()})
        refused(asked, 400, "bad_parameter")
    refused(ada.get("/players/me/feed", params={"after": last}), 400, "bad_parameter")


def test_an_id_from_the_future_or_of_nobody_is_reset(api: Api) -> None:
    ada, eve = api.player(), api.player()
    with ada.personal_feed() as feed, eve.personal_feed() as eves:
        start = ready(feed)
        other = ready(eves)
        ada.alone()
        newest = str(feed.take(3)[-1][0])
    began, number = newest.split("-")
    for last in (f"{began}-{int(number) + 1}", f"{int(began) + 9}-1", f"{int(began) - 9}-0", other, "1-1"):
        if last in (start, newest):
            continue
        with ada.personal_feed(last) as feed:
            assert feed.take(1) == [(newest, "reset", {"type": "reset", "ask": ASK})]
            match = ada.alone()
            shown = feed.take(3)
            assert rows(shown) == [("seated", match, 2), ("match_started", match, 2), ("your_turn", match, 2)]
            newest = str(shown[-1][0])


def test_an_id_from_before_the_notices_that_are_kept_is_reset(api: Api) -> None:
    ada = api.player()
    with ada.personal_feed() as feed:
        start = ready(feed)
        for _ in range(51):  # with four notices each: between 100 and 200 are kept
            ada.resign(ada.alone(), "red")
        whole = feed.take(4 * 51)
    with ada.personal_feed(start) as feed:
        assert feed.take(1) == [(whole[-1][0], "reset", {"type": "reset", "ask": ASK})]
    with ada.personal_feed(str(whole[-101][0])) as feed:
        assert feed.take(100) == whole[-100:]
    for path in ASK:
        assert ok(ada.get(path.removeprefix("/v1")))["matches"] == []


def test_it_needs_a_token_and_ends_with_it(api: Api) -> None:
    refused(api.get("/players/me/feed"), 401, "unauthenticated")
    ada = api.player()
    made = ok(ada.post("/tokens", {"label": "feed"}), 201)
    with Api(api.url, made["token"]) as other, other.personal_feed() as feed:
        ready(feed)
        assert ada.delete(f"/tokens/{made['id']}").status_code == 204
        assert feed.take(1) == [(None, "closing", {"type": "closing", "code": "unauthenticated"})]


def test_the_session_of_a_browser_follows_from_its_own_pages_alone(api: Api) -> None:
    ada, site = api.player(), {"sec-fetch-site": "same-origin"}
    url = f"{api.url}/v1"
    made = httpx.post(f"{url}/sessions", headers={"authorization": f"Bearer {ada.token}", **site})
    cookie = {"cookie": made.headers["set-cookie"].partition(";")[0]}
    with httpx.stream("GET", f"{url}/players/me/feed", headers={**cookie, **site}, timeout=10) as answer:
        assert answer.status_code == 200
        lines = answer.iter_lines()
        assert [next(lines)[:4], next(lines)] == ["id: ", "event: ready"]
    refused(
        httpx.get(f"{url}/players/me/feed", headers={**cookie, "sec-fetch-site": "cross-site"}),
        403,
        "cross_origin",
    )


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarlogServer]:
    """A server whose heart beats five times a second, and where nobody may have more than three feeds."""
    environment = {**UNLIMITED, "WARLOG_FEED_HEARTBEAT_MS": "200", "WARLOG_FEEDS_PER_CALLER": "3"}
    with WarlogServer(tmp_path_factory.mktemp("small"), environment=environment) as running:
        yield running


def test_a_silent_feed_has_heartbeats_and_one_that_is_left_is_noticed(small: WarlogServer) -> None:
    with Api(small.url) as api:
        with api.player().personal_feed() as feed:
            ready(feed)
            assert [next(feed), next(feed)] == [(None, "heartbeat", {"type": "heartbeat"})] * 2
            assert figure(small, "warlog_personal_feeds_open") == 1
        eventually(lambda: figure(small, "warlog_personal_feeds_open") == 0)


def test_nobody_has_too_many_feeds(small: WarlogServer) -> None:
    with Api(small.url) as api:
        ada = api.player()
        with ada.personal_feed() as first, ada.personal_feed() as second, ada.feed(ada.alone(), after=2):
            ready(first)
            ready(second)
            refused(ada.get("/players/me/feed"), 429, "too_many_requests")
            with api.player().personal_feed() as other:
                ready(other)
        eventually(lambda: figure(small, "warlog_feeds_open") == 0)
        with ada.personal_feed() as feed:
            ready(feed)


def test_a_server_that_goes_down_says_so_and_the_next_one_goes_on(tmp_path: Path) -> None:
    with WarlogServer(tmp_path, environment=UNLIMITED) as server:
        with Api(server.url) as api:
            ada = api.player()
            with ada.personal_feed() as feed:
                last = ready(feed)
                ada.alone()
                last = str(feed.take(2)[-1][0])
                server.stop()
                assert [name for _, name, _ in feed.take(2)] == ["your_turn", "closing"]
        server.start()
        with Api(server.url, ada.token) as again, again.personal_feed(last) as feed:
            assert [name for _, name, _ in feed.take(1)] == ["your_turn"]
            match = again.alone()
            assert [found for _, found, _ in rows(feed.take(3))] == [match] * 3


def test_a_redis_that_is_killed_and_comes_back_ends_no_feed(tmp_path: Path) -> None:
    with (
        RedisServer() as redis,
        WarlogServer(tmp_path, redis=redis.url, environment=UNLIMITED) as server,
        Api(server.url) as api,
    ):
        ada = api.player()
        with ada.personal_feed() as feed:
            start = ready(feed)
            first = ada.alone()
            told = feed.take(3)
            redis.kill()
            redis.start()
            eventually(lambda: ada.get("/players/me").status_code == 200)
            second = ada.alone()
            told += feed.take(3)
        assert [match for _, match, _ in rows(told)] == [first] * 3 + [second] * 3
        with ada.personal_feed(start) as feed:
            assert feed.take(6) == told


# ---- reconciled, while workers are killed


class Reader(threading.Thread):
    """Follows a player's feed, and goes on after the last notice whenever it is cut."""

    def __init__(self, url: str, token: str | None) -> None:
        super().__init__(daemon=True)
        self.seen: list[tuple[Any, str, Any]] = []
        self.cuts = 0
        self.done = False
        self.begun = threading.Event()
        self._url, self._token = f"{url}/v1/players/me/feed", token
        self._last: str | None = None

    def run(self) -> None:
        while not self.done:
            with suppress(OSError, ValueError, IndexError):  # it was cut, perhaps in the middle of a line
                self._follow()
            self.cuts += 1
            time.sleep(0.05)

    def has_seen(self, kind: str, count: int) -> bool:
        return sum(name == kind for _, name, _ in [*self.seen]) == count

    def _follow(self) -> None:
        with Feed(self._url, self._token, last=self._last, timeout=10) as feed:
            for id, name, data in feed:
                if id is not None:
                    if name != "ready" or self._last is not None:
                        self.seen.append((id, name, data))
                    self._last = str(id)
                    self.begun.set()


def played(players: dict[str, Api], match: str, until: threading.Event) -> None:
    """Both defend by turns; a command that was cut is sent again under the same key."""
    for number in itertools.count():
        if until.wait(0.2):  # what a reader misses while he is cut off must be less than is kept for him
            break
        with suppress(httpx.TransportError):
            shown = players["red"].match(match)
            seat = shown["to_act"][0]
            active = ok(players[seat].get(f"/matches/{match}/view?seat={seat}"))["view"]["active"]
            players[seat].act(
                match, seat, {"type": "defend", "piece": active}, idempotency_key=f"{match}{number}"
            )


def expected(api: Api, player: str, match: str) -> list[tuple[str, str, int]]:
    """What the match's own events say that this player must have been told from the start on."""
    shown = api.match(match)
    mine = {one["seat"] for one in shown["seats"] if one["player"]["id"] == player}
    with api.feed(match, after=2) as feed:
        events = feed.take(shown["version"] - 2)
    told, waits = [], False
    for version, name, event in events:
        if name == "match_started":
            told.append((name, match, version))
        now = bool(mine & set(event["to_act"]))
        if now and not waits:
            told.append(("your_turn", match, version))
        waits = now
    return [*told, ("match_over", match, shown["version"])]


def test_workers_are_killed_and_every_notice_comes_once_and_in_order(tmp_path: Path) -> None:
    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(
            tmp_path, redis=redis.url, arguments=["--workers", "2"], environment=UNLIMITED
        ) as server,
        Api(server.url) as api,
    ):
        red, blue = api.player(), api.player()
        readers = {who.id: Reader(server.url, who.token) for who in (red, blue)}
        for reader in readers.values():
            reader.start()
            assert reader.begun.wait(10)
        matches = [
            red.create(seats={"red": "me", "blue": blue.id}, options=SMALL)["match"]["id"] for _ in range(3)
        ]
        for match in matches:
            ok(red.command(match, {"type": "prepare", "seat": "red"}), 201)
            ok(blue.command(match, {"type": "prepare", "seat": "blue"}), 201)
        until = threading.Event()
        players = [
            threading.Thread(
                target=played,
                args=({"red": Api(server.url, red.token), "blue": Api(server.url, blue.token)}, match, until),
            )
            for match in matches
        ]
        for player in players:
            player.start()
        for _ in range(3):
            time.sleep(1)
            workers = [
                child
                for child in psutil.Process(server.pid).children()
                if "warlog_service.worker" in " ".join(child.cmdline())
            ]
            min(workers, key=lambda one: one.create_time()).send_signal(signal.SIGKILL)
        until.set()
        for player in players:
            player.join()
        for match in matches:
            eventually(partial(resigned, red, match))
        for who in (red, blue):
            reader = readers[who.id]
            eventually(partial(reader.has_seen, "match_over", len(matches)), 15)
            reader.done = True
            found: dict[str, list[tuple[str, str, int]]] = defaultdict(list)
            for row in rows([one for one in reader.seen if one[1] not in ("seated", "challenged")]):
                found[row[1]].append(row)
            assert found == {match: expected(who, who.id, match) for match in matches}
            assert sum(map(len, found.values())) > 2 * len(matches)  # beginnings, ends, and turns between
        assert sum(reader.cuts for reader in readers.values()) > 0


def resigned(red: Api, match: str) -> bool:
    with suppress(httpx.TransportError):
        return red.act(match, "red", {"type": "resign"}, idempotency_key="resigned").status_code == 201
    return False
