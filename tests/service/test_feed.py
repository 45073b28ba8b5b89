"""The live feed: everything once and in order, wherever it is cut, and a reader who falls behind harms nobody."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.servers import AnyRedis, WarlogServer
from tests.service.api import UNLIMITED, Api, Feed, ok, refused, two
from tests.service.figures import figure
from tests.service.waiting import eventually
from warlog_events.errors import Unavailable
from warlog_events.match.commands import CreateMatch
from warlog_events.match.model import Player, Reader
from warlog_service.backend import Service
from warlog_service.routes.feed import Stream
from warlog_service.settings import Settings


def play(ada: Api, match: str, count: int) -> None:
    for _ in range(count):
        ada.defend(match)


def test_a_feed_starts_with_what_is_newer_and_follows(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    play(ada, match, 2)
    with ada.feed(match, after=1) as feed:
        assert feed.status == 200
        assert b"content-type: text/event-stream" in feed.headers
        assert b"cache-control: private, no-store" in feed.headers
        events = feed.take(3)
        assert [(number, name) for number, name, _ in events] == [
            (2, "match_started"), (3, "action_taken"), (4, "action_taken"),
        ]  # fmt: skip
        done = ada.defend(match)
        number, name, data = feed.take(1)[0]
        assert (number, name, data["version"]) == (5, "action_taken", 5)
        assert data["to_act"] == ada.match(match)["to_act"]
        assert data["deadlines"] == {}
        assert data == done


def test_from_a_version_that_is_not_there_yet_a_feed_goes_on_as_from_the_newest(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    with ada.feed(match, after=10_000) as feed:
        assert feed.status == 200
        done = ada.defend(match)
        assert feed.take(1)[0][2] == done


def test_a_feed_shows_the_same_events_as_the_history(api: Api) -> None:
    red, blue, match = two(api, options={"army": "recruit", "deployment": "chosen", "obstacles": "none"})
    ok(red.act(match, "red", {"type": "recruit_preset", "preset": "host"}), 201)
    for who, seats in ((red, "seat=red"), (blue, ""), (api, "")):
        history = ok(who.get(f"/matches/{match}/events" + (f"?{seats}" if seats else "")))["events"]
        with who.feed(match, after=0, seats=seats) as feed:
            shown = [data for _, _, data in feed.take(len(history))]
        assert [
            {key: data[key] for key in data if key not in ("to_act", "deadlines")} for data in shown
        ] == history


def test_cut_at_every_event_a_feed_resumes_without_a_gap_or_a_double(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    play(ada, match, 12)
    with ada.feed(match, after=0) as feed:
        whole = feed.take(14)
    for cut in range(1, 15):
        with ada.feed(match, after=0) as feed:
            first = feed.take(cut)
        with ada.feed(match, last=int(first[-1][0] or 0)) as feed:
            assert first + feed.take(14 - cut) == whole


def test_cut_in_the_middle_of_play_nothing_is_lost(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    seen: list[int | None] = []
    player = threading.Thread(target=play, args=(ada, match, 60))
    player.start()
    while not seen or seen[-1] != 62:
        with api.feed(match, last=seen[-1] if seen else 0) as feed:
            seen += [number for number, _, _ in feed.take(min(5, 62 - len(seen)))]
    player.join()
    assert seen == list(range(1, 63))


def test_one_feed_may_have_the_knowledge_of_two_seats(api: Api) -> None:
    ada = api.player()
    match = ada.alone(options={"army": "recruit", "obstacles": "none"})
    ok(ada.act(match, "red", {"type": "recruit_preset", "preset": "host"}), 201)
    for seats, knows in (("seat=red&seat=blue", True), ("seat=blue", False), ("seat=red", True), ("", True)):
        with ada.feed(match, after=2, seats=seats) as feed:
            _, _, data = feed.take(1)[0]
        assert ("preset" in data["action"]) is knows, seats


def test_a_feed_goes_on_when_the_match_is_over_and_taken_back(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    with ada.feed(match, after=2) as feed:
        ada.resign(match, "red")
        ok(ada.command(match, {"type": "propose", "proposal": {"kind": "undo", "to": 2}}), 201)
        ada.defend(match)
        assert [name for _, name, _ in feed.take(3)] == ["action_taken", "time_travelled", "action_taken"]


def test_a_feed_needs_the_right_to_its_seats(api: Api) -> None:
    _, _, match = two(api)
    eve = api.player()
    refused(eve.get(f"/matches/{match}/feed?seat=red"), 403, "not_your_seat")
    refused(api.http.get(f"/matches/{match}/feed", headers={"last-event-id": "x"}), 400, "bad_parameter")


def test_a_feed_ends_when_its_token_is_revoked(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    made = ok(ada.post("/tokens", {"label": "feed"}), 201)
    with Api(api.url, made["token"]) as other, other.feed(match, after=2) as feed:
        assert ada.delete(f"/tokens/{made['id']}").status_code == 204
        assert feed.take(1) == [(None, "closing", {"type": "closing", "code": "unauthenticated"})]


def test_a_feed_ends_when_its_reader_is_somebody_else_now(api: Api) -> None:
    ada, eve = api.player(), api.player()
    match = ada.create(seats={"red": "me"})["match"]["id"]
    with eve.feed(match, after=1) as feed:
        ok(eve.put(f"/matches/{match}/seats/blue", {}))
        assert feed.take(1) == [(None, "closing", {"type": "closing", "code": "reader_changed"})]
    with eve.feed(match, last=1) as feed:
        assert [name for _, name, _ in feed.take(1)] == ["seat_taken"]


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarlogServer]:
    """A server whose heart beats five times a second."""
    environment = {**UNLIMITED, "WARLOG_FEED_HEARTBEAT_MS": "200"}
    with WarlogServer(tmp_path_factory.mktemp("quick"), environment=environment) as running:
        yield running


def test_a_silent_feed_has_heartbeats_without_an_id(quick: WarlogServer) -> None:
    with Api(quick.url) as api:
        ada = api.player()
        with ada.feed(ada.alone(), after=2) as feed:
            assert [next(feed), next(feed)] == [(None, "heartbeat", {"type": "heartbeat"})] * 2


def test_a_vanished_reader_is_noticed(quick: WarlogServer) -> None:
    with Api(quick.url) as api:
        ada = api.player()
        match = ada.alone()
        feeds = [ada.feed(match, after=2) for _ in range(5)]
        eventually(lambda: figure(quick, "warlog_feeds_open") == 5)
        for feed in feeds:
            feed.close()
        eventually(lambda: figure(quick, "warlog_feeds_open") == 0)


CROWD = {"army": "recruit", "max_stacks": 21, "deploy_depth": 3, "army_points": 100_000, "obstacles": "none"}
RECRUITS = {"type": "recruit", "army": [{"unit": "militia", "count": 1}] * 21}
BACK = {"type": "propose", "proposal": {"kind": "undo", "to": 3}}


def test_a_slow_reader_is_told_so_and_delays_nobody(api: Api) -> None:
    """More bytes than the kernel's buffers hold: each round shows two armies of 21 stacks, and takes that back."""
    ada = api.player()
    match = ada.alone(options=CROWD)
    ok(ada.act(match, "blue", RECRUITS), 201)
    rounds = 700
    slow = ada.feed(match, after=3, receive_bytes=4096)
    quick = ada.feed(match, after=3)
    seen: list[int | None] = []
    reader = threading.Thread(target=lambda: seen.extend(number for number, _, _ in quick.take(2 * rounds)))
    reader.start()
    for _ in range(rounds):
        ok(ada.act(match, "red", RECRUITS), 201)
        ok(ada.command(match, BACK), 201)
    reader.join(20)
    assert seen == list(range(4, 4 + 2 * rounds))
    quick.close()
    events = list(_until_closed(slow))
    slow.close()
    assert events[-1] == (None, "closing", {"type": "closing", "code": "slow_reader"})
    numbers = [number for number, name, _ in events[:-1] if name != "heartbeat"]
    assert numbers == seen[: len(numbers)]
    assert len(numbers) < len(seen)
    with ada.feed(match, last=numbers[-1]) as feed:
        assert feed.take(1)[0][0] == (numbers[-1] or 0) + 1


def test_a_reader_who_takes_nothing_for_a_heartbeat_is_told_so_when_he_reads_again(
    quick: WarlogServer,
) -> None:
    """The connection is cut before too many events wait for him. What it holds ends with the reason all the same."""
    with Api(quick.url) as api:
        ada = api.player()
        match = ada.alone(options=CROWD)
        ok(ada.act(match, "blue", RECRUITS), 201)
        slow = ada.feed(match, after=3, receive_bytes=4096)
        seen = 0
        while figure(quick, "warlog_feeds_closed_total", code="slow_reader") < 1:
            for _ in range(20):
                ok(ada.act(match, "red", RECRUITS), 201)
                ok(ada.command(match, BACK), 201)
            seen += 40
            assert seen < 4_000
        eventually(lambda: figure(quick, "warlog_feeds_open") == 0)
        events = list(_until_closed(slow))
        assert events[-1] == (None, "closing", {"type": "closing", "code": "slow_reader"})
        numbers = [number for number, name, _ in events[:-1] if name != "heartbeat"]
        assert numbers == [*range(4, 4 + len(numbers))]
        assert 0 < len(numbers) < seen
        assert list(slow) == []  # the end of the answer, and of the connection
        slow.close()


def _until_closed(feed: Feed) -> Iterator[tuple[int | None, str, object]]:
    for event in feed:
        yield event
        if event[1] == "closing":
            return


def test_at_shutdown_every_feed_is_told_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    with (
        WarlogServer(tmp_path_factory.mktemp("down"), environment=UNLIMITED) as running,
        Api(running.url) as api,
    ):
        ada = api.player()
        match = ada.alone()
        feeds = [ada.feed(match, after=2) for _ in range(3)]
        ada.defend(match)
        assert [feed.take(1)[0][0] for feed in feeds] == [3, 3, 3]
        started = time.monotonic()
        running.stop()
        assert time.monotonic() - started < 8
        for feed in feeds:
            assert feed.take(1) == [(None, "closing", {"type": "closing", "code": "shutdown"})]
            feed.close()


async def test_a_feed_that_was_asked_for_in_time_but_opens_after_the_shutdown_began_is_refused(
    redis_server: AnyRedis,
) -> None:
    """Nobody would tell it to end: it hung until its connection was cut, and its reader never knew why."""
    service = Service(Settings(redis=redis_server.url, background=False))
    await service.start()
    try:
        ada = Player("pl_ada", "ada")
        made = await service.backend.matches.new.create(
            CreateMatch("hex", seats={"red": "me", "blue": "me"}), ada
        )
        stream = Stream(service, made.match, None, Reader(), [], 0)
        service.closing = True
        sent: list[object] = []

        async def send(message: object) -> None:
            sent.append(message)

        scope: Any = {"state": {}, "client": ("127.0.0.1", 1)}
        with pytest.raises(Unavailable):
            await asyncio.wait_for(stream(scope, asyncio.Event().wait, send), 1)  # type: ignore[arg-type]
        assert sent == []
        assert not service.feeds
        assert service.limits.feeds.total == 0
    finally:
        await service.stop()
