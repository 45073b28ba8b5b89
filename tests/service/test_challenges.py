"""Challenges: a match with a seat for somebody, who takes it or declines; what both are told; who may not challenge."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.events.table import table_at
from tests.servers import RedisServer, WarlogServer
from tests.service.api import SMALL, UNLIMITED, Api, Feed, ok, refused, two
from tests.service.waiting import eventually
from warlog_events.clock_and_random import World
from warlog_events.match.draft import CHALLENGE_MS
from warlog_events.workers.clock import Clock

FOUR = {"seats": 4}


def challenge(maker: Api, *players: Api, **spec: Any) -> dict[str, Any]:
    """The match, at whose first seat the maker sits, and each of the players at one of the next."""
    seats = dict(zip(("blue", "green", "yellow"), (one.id for one in players), strict=False))
    return dict(maker.create(seats={"red": "me", **seats}, **spec)["match"])


def taken(feed: Feed, count: int) -> list[tuple[str, Any]]:
    return [(name, data) for _, name, data in feed.take(count)]


def seat(match: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in match["seats"] if one["seat"] == name)
    return found


def test_a_challenge_is_told_taken_up_and_begins_when_both_are_content(api: Api) -> None:
    red, blue = api.player(), api.player()
    with red.personal_feed() as reds, blue.personal_feed() as blues:
        assert [feed.take(1)[0][1] for feed in (reds, blues)] == ["ready", "ready"]
        match = challenge(red, blue)
        path = f"/matches/{match['id']}"
        assert seat(match, "blue") == {
            "seat": "blue",
            "player": {"id": blue.id, "name": blue.name},
            "prepared": False,
            "challenged": True,
        }
        assert list(match["deadlines"]) == ["blue"]
        [(name, told)] = taken(blues, 1)
        assert (name, told["match"], told["seats"]) == ("challenged", match["id"], ["blue"])
        answer = ok(blue.put(f"{path}/seats/blue", {}))["match"]
        assert (seat(answer, "blue")["prepared"], answer["deadlines"]) == (True, {})
        assert "challenged" not in seat(answer, "blue")
        assert [name for name, _ in taken(reds, 2)] == ["seated", "accepted"]
        ok(red.command(match["id"], {"type": "prepare", "seat": "red"}), 201)
        assert red.match(match["id"])["status"] == "playing"
        assert [name for name, _ in taken(blues, 1)] == ["match_started"]


def test_a_challenger_who_is_prepared_plays_as_soon_as_the_challenge_is_taken_up(api: Api) -> None:
    red, blue = api.player(), api.player()
    match = challenge(red, blue)["id"]
    ok(red.command(match, {"type": "prepare", "seat": "red"}), 201)
    answer = ok(blue.put(f"/matches/{match}/seats/blue", {}))["match"]
    assert (answer["status"], answer["version"]) == ("playing", 3)
    refused(blue.put(f"/matches/{match}/seats/blue", {}), 409, "wrong_status")


@pytest.mark.parametrize("reason", ["later", "options", "not_now"])
def test_who_is_challenged_declines_and_the_challenger_hears_why(api: Api, reason: str) -> None:
    red, blue = api.player(), api.player()
    with red.personal_feed() as reds:
        reds.take(1)
        match = challenge(red, blue)["id"]
        body = {"reason": reason}
        answer = ok(blue.post(f"/matches/{match}/decline", body, idempotency_key="no"), 201)["match"]
        assert answer["status"] == "aborted"
        [_, (name, told), (over, _)] = taken(reds, 3)
        assert (name, told["seats"], told["reason"], over) == ("declined", ["blue"], reason, "match_over")
        assert (
            ok(blue.post(f"/matches/{match}/decline", body, idempotency_key="no"), 201)["match"]["version"]
            == 3
        )
    events = ok(red.get(f"/matches/{match}/events"))["events"]
    assert [event["type"] for event in events] == ["match_created", "challenge_declined", "match_aborted"]
    player = {"id": blue.id, "name": blue.name}
    assert {name: events[1][name] for name in ("seats", "reason", "player")} == {
        "seats": ["blue"],
        "reason": reason,
        "player": player,
    }
    assert events[2]["reason"] == "declined"
    refused(blue.post(f"/matches/{match}/decline", {"reason": reason}), 409, "no_challenge")


def a_day_later(url: str) -> None:
    """By a process over this Redis whose clock is a day ahead, all challenges are over that nobody has answered."""

    async def time_out() -> None:
        real = World.real()
        ahead = World(lambda: real.now_ms() + CHALLENGE_MS + 60_000, os.urandom, is_fixed=True)
        async with table_at(url, world=ahead) as table:
            assert await Clock(table.store, table.matches, ahead).step() > 0

    with ThreadPoolExecutor(1) as thread:  # the tests of the page have a loop in theirs
        thread.submit(asyncio.run, time_out()).result()


def test_the_challenger_hears_that_nobody_has_answered_for_a_day(tmp_path: Path) -> None:
    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment=UNLIMITED) as server,
        Api(server.url) as stranger,
    ):
        red, blue = stranger.player(), stranger.player()
        with red.personal_feed() as reds, blue.personal_feed() as blues:
            reds.take(1)
            match = challenge(red, blue)
            [(name, _)] = taken(reds, 1)
            assert name == "seated"
            a_day_later(redis.url)
            [(name, told), (over, _)] = taken(reds, 2)
            assert (name, told["seats"], told["reason"], over) == (
                "declined",
                ["blue"],
                "lapsed",
                "match_over",
            )
            [*before, (name, told)] = taken(blues, 3)
            assert [one for one, _ in before] == ["ready", "challenged"]
            assert (name, told["match"], told["reason"]) == ("declined", match["id"], "lapsed")
        assert red.match(match["id"])["status"] == "aborted"
        refused(blue.put(f"/matches/{match['id']}/seats/blue", {}), 409, "wrong_status")
        refused(blue.post(f"/matches/{match['id']}/decline", {"reason": "later"}), 409, "no_challenge")


def test_a_decline_that_cannot_be_is_refused(api: Api) -> None:
    red, blue, other = api.player(), api.player(), api.player()
    match = challenge(red, blue)["id"]
    path = f"/matches/{match}/decline"
    problem = refused(blue.post(path, {"reason": "never"}), 400, "malformed_body")
    assert (problem["path"], problem["allowed"]) == ("/reason", ["later", "not_now", "options"])
    refused(blue.post(path, {}), 400, "malformed_body")
    for who in (red, other):
        refused(who.post(path, {"reason": "later"}), 409, "no_challenge")
    refused(api.post(path, {"reason": "later"}), 401, "unauthenticated")
    ok(blue.put(f"/matches/{match}/seats/blue", {}))
    refused(blue.post(path, {"reason": "later"}), 409, "no_challenge")  # he has taken it
    private = challenge(red, blue, visibility="private")["id"]
    refused(other.post(f"/matches/{private}/decline", {"reason": "later"}), 404, "unknown_match")
    ok(blue.post(f"/matches/{private}/decline", {"reason": "later"}), 201)
    refused(blue.post(f"/matches/{private}/decline", {"reason": "later"}), 404, "unknown_match")


def test_several_may_be_challenged_and_one_who_declines_frees_his_seats_alone(api: Api) -> None:
    red, blue, green = api.player(), api.player(), api.player()
    made = red.create(
        options=FOUR, seats={"red": "me", "blue": blue.id, "green": green.id, "yellow": blue.id}
    )["match"]
    assert sorted(made["deadlines"]) == ["blue", "green", "yellow"]
    left = ok(blue.post(f"/matches/{made['id']}/decline", {"reason": "options"}), 201)["match"]
    assert left["status"] == "lobby"
    assert [one["seat"] for one in left["seats"] if one["player"] is None] == ["blue", "yellow"]
    assert list(left["deadlines"]) == ["green"]
    last = ok(green.post(f"/matches/{made['id']}/decline", {"reason": "later"}), 201)["match"]
    assert last["status"] == "aborted"  # it was for them alone
    public = red.create(options=FOUR, seats={"red": "me", "blue": blue.id})["match"]["id"]
    assert ok(blue.post(f"/matches/{public}/decline", {"reason": "later"}), 201)["match"]["status"] == "lobby"


def test_a_challenge_is_withdrawn_without_the_consent_of_who_has_not_answered(api: Api) -> None:
    red, blue = api.player(), api.player()
    abort = {"type": "propose", "proposal": {"kind": "abort"}}
    with blue.personal_feed() as blues:
        blues.take(1)
        match = challenge(red, blue)["id"]
        ok(red.command(match, abort), 201)
        assert red.match(match)["status"] == "aborted"
        assert [name for name, _ in taken(blues, 2)] == ["challenged", "match_over"]
    agreed = challenge(red, blue)["id"]
    ok(blue.put(f"/matches/{agreed}/seats/blue", {}))
    ok(red.command(agreed, abort), 201)
    assert red.match(agreed)["status"] == "lobby"  # who has agreed is asked


def test_who_is_blocked_cannot_challenge_and_hears_no_reason(api: Api) -> None:
    red, blue = api.player(), api.player()
    ok(blue.put(f"/players/me/blocked/{red.id}", {}))
    spec = {"game": "hex", "seats": {"red": "me", "blue": blue.id}}
    problem = refused(red.post("/matches", spec, idempotency_key="blocked"), 403, "not_challenged")
    assert (problem["path"], problem["player"]) == ("/seats/blue", blue.id)
    assert "block" not in problem["detail"].lower()
    assert "block" in refused(
        blue.post("/matches", {"game": "hex", "seats": {"blue": "me", "red": red.id}}), 403, "not_challenged"
    )["detail"].lower()  # fmt: skip
    assert blue.delete(f"/players/me/blocked/{red.id}").status_code == 204
    made = ok(red.post("/matches", spec, idempotency_key="blocked"), 201)["match"]
    # What was made before stays made, also for a repetition.
    ok(blue.put(f"/players/me/blocked/{red.id}", {}))
    assert ok(red.post("/matches", spec, idempotency_key="blocked"), 201)["match"]["id"] == made["id"]


def test_who_is_blocked_proposes_no_rematch(api: Api) -> None:
    red, blue, match = two(api, options=SMALL)
    red.resign(match, "red")
    rematch = {"type": "propose", "proposal": {"kind": "rematch"}}
    ok(blue.put(f"/players/me/blocked/{red.id}", {}))
    problem = refused(red.command(match, rematch), 403, "not_challenged")
    assert (problem["path"], problem["player"]) == ("/proposal", blue.id)
    assert "blocked" in refused(blue.command(match, rematch), 403, "not_challenged")["detail"]
    assert red.match(match)["proposal"] is None
    assert blue.delete(f"/players/me/blocked/{red.id}").status_code == 204
    ok(red.command(match, rematch), 201)
    assert red.match(match)["proposal"]["kind"] == "rematch"


def test_who_is_blocked_takes_no_seat_where_the_other_is(api: Api) -> None:
    red, blue, cem = api.player(), api.player(), api.player()
    ok(blue.put(f"/players/me/blocked/{red.id}", {}))
    blues = blue.create(seats={"red": "open", "blue": "me"})["match"]["id"]
    problem = refused(red.put(f"/matches/{blues}/seats/red", {}), 403, "not_challenged")
    assert problem["player"] == blue.id
    assert "block" not in problem["detail"].lower()
    reds = red.create(seats={"red": "me", "blue": "open"})["match"]["id"]
    assert "blocked" in refused(blue.put(f"/matches/{reds}/seats/blue", {}), 403, "not_challenged")["detail"]
    # Nor where he only waits for seats that are given to those who have joined.
    wished = cem.create(seats={}, seating="wish")["match"]["id"]
    ok(blue.post(f"/matches/{wished}/join", {}), 201)
    refused(red.post(f"/matches/{wished}/join", {}), 403, "not_challenged")
    # Everybody else comes, bots too; and who is blocked no more.
    bots = blue.create(seats={"red": "open", "blue": "me"})["match"]["id"]
    ok(blue.put(f"/matches/{bots}/seats/red", {"player": "bot:1"}))
    ok(cem.put(f"/matches/{blues}/seats/red", {}))
    ok(cem.delete(f"/matches/{blues}/seats/red"))
    assert blue.delete(f"/players/me/blocked/{red.id}").status_code == 204
    ok(red.put(f"/matches/{blues}/seats/red", {}))


def test_who_blocks_somebody_has_declined_what_that_one_has_laid_before_him(api: Api) -> None:
    red, blue, cem = api.player(), api.player(), api.player()
    waiting = [challenge(red, blue)["id"] for _ in range(2)]
    own, others, taken_up = challenge(blue, red)["id"], challenge(cem, blue)["id"], challenge(red, blue)["id"]
    ok(blue.put(f"/matches/{taken_up}/seats/blue", {}))
    with red.personal_feed() as reds:
        assert reds.take(1)[0][1] == "ready"
        ok(blue.put(f"/players/me/blocked/{red.id}", {}))
        told = list[tuple[str, Any]]()
        while [name for name, _ in told].count("match_over") < 2:
            told += taken(reds, 1)
    declined = {data["match"]: data["reason"] for name, data in told if name == "declined"}
    assert declined == dict.fromkeys(waiting, "not_now")
    assert [red.match(match)["status"] for match in waiting] == ["aborted", "aborted"]
    still = [blue.match(match)["status"] for match in (own, others, taken_up)]
    assert still == ["lobby", "lobby", "lobby"]


def test_so_many_challenges_wait_for_one_player_and_no_more(api: Api) -> None:
    red, blue = api.player(), api.player()
    made = [challenge(red, blue)["id"] for _ in range(50)]
    problem = refused(
        red.post("/matches", {"game": "hex", "seats": {"red": "me", "blue": blue.id}}), 403, "not_challenged"
    )
    blocked = api.player()
    ok(blocked.put(f"/players/me/blocked/{red.id}", {}))
    other = refused(
        red.post("/matches", {"game": "hex", "seats": {"red": "me", "blue": blocked.id}}),
        403,
        "not_challenged",
    )
    assert problem["detail"] == other["detail"]  # which of both it is cannot be told
    ok(blue.post(f"/matches/{made[7]}/decline", {"reason": "later"}), 201)
    eventually(lambda: challenge(red, blue))  # a full list is not looked through without pause


def test_bots_of_the_house_are_not_challenged(api: Api) -> None:
    red, blue = api.player(), api.player()
    made = red.create(options=FOUR, seats={"red": "me", "blue": "bot:1", "green": blue.id})["match"]
    assert [one["seat"] for one in made["seats"] if one.get("challenged")] == ["green"]
    assert list(made["deadlines"]) == ["green"]
