"""The answer to a command: the bytes of its sender's feed, and the same again when the command is repeated."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

import warlog_core
from tests.servers import WarlogServer
from tests.service.api import UNLIMITED, Api, Feed, ok, two

Json = dict[str, Any]

OPTIONS: dict[str, Json] = {
    "wec": {"stealth": True},
    "hex": {"width": 9, "height": 7, "army_points": 200, "max_stacks": 2, "army": "preset"},
}


@pytest.fixture
def restarting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarlogServer]:
    with WarlogServer(tmp_path_factory.mktemp("answers"), environment=UNLIMITED) as running:
        yield running


def data_of(feed: Feed, count: int) -> dict[int, bytes]:
    """Version → the bytes of `data`, of the next `count` events."""
    numbers = {number for number, _, _ in feed.take(count)}
    found: dict[int, bytes] = {}
    for block in feed.raw.split(b"\n\n"):
        lines = dict(line.split(b": ", 1) for line in block.splitlines())
        if b"id" in lines:
            found[int(lines[b"id"])] = lines[b"data"]
    assert numbers <= set(found)
    return found


@pytest.mark.parametrize("game", warlog_core.games())
def test_an_answer_is_the_bytes_of_the_senders_feed_and_of_every_repetition(
    restarting: WarlogServer, game: str
) -> None:
    """With clocks, secrets and other players; also after a restart, and when much has happened since."""
    rng = random.Random(game)
    options = OPTIONS.get(game, {})
    seats = warlog_core.game(game).seats_for(options)
    with Api(restarting.url) as stranger:
        people = {seat: stranger.player() for seat in seats}
        host = people[seats[0]]
        holders = {seat: "me" if who is host else who.id for seat, who in people.items()}
        spec = {
            "game": game,
            "options": options,
            "seats": holders,
            "move_seconds": 3600,
            "setup_seconds": 600,
        }
        match = host.create(**spec)["match"]["id"]
        feeds = {seat: people[seat].feed(match, after=1) for seat in seats}
        sent: list[tuple[str, Json, str, Any]] = []

        def send(seat: str, command: Json) -> Any:
            key = f"{seat}-{len(sent)}"
            answer = people[seat].command(match, command, idempotency_key=key)
            done = ok(answer, 201)
            sent.append((seat, command, key, answer))
            return done

        done: Json = {}
        for seat in seats:
            done = send(seat, {"type": "prepare", "seat": seat})
        for _ in range(12):
            if not done["to_act"]:
                break
            seat = done["to_act"][0]
            listed = ok(people[seat].get(f"/matches/{match}/actions?seat={seat}"))["actions"]
            played = [a for a in listed if a["type"] not in ("resign", "offer_draw") and not a.get("open")]
            done = send(seat, {"type": "act", "seat": seat, "action": rng.choice(played)})
        last = done["version"]
        assert ok(host.get(f"/matches/{match}"))["match"]["deadlines"]
        assert any("now" in ok(answer, 201) for _, _, _, answer in sent)
        # They come to their feeds as they happen, so each with the deadlines of its moment.
        told = {seat: data_of(feed, last - 1) for seat, feed in feeds.items()}
        for feed in feeds.values():
            feed.close()
        for seat, _, _, answer in sent:
            version = answer.json()["version"]
            assert answer.content == told[seat][version], f"{seat} at {version}"
            assert answer.headers["etag"].startswith(f'"{version}.{seat}.')
        restarting.stop()
        restarting.start()
        back = {seat: Api(restarting.url, who.token) for seat, who in people.items()}
        for seat, command, key, answer in sent:
            again = back[seat].command(match, command, idempotency_key=key)
            assert (again.status_code, again.content) == (201, answer.content), command
            assert again.headers["etag"] == answer.headers["etag"]
        assert back[seats[0]].match(match)["version"] == last
        for player in back.values():
            player.http.close()


def test_the_answer_where_a_seat_is_taken_is_the_match_also_when_it_is_repeated_later(api: Api) -> None:
    red, blue = api.player(), api.player()
    match = red.create(seats={"red": "me"}, move_seconds=60)["match"]["id"]
    first = blue.put(f"/matches/{match}/seats/blue", {}, idempotency_key="take")
    assert set(ok(first)) == {"match"}
    assert first.json()["match"] == blue.match(match)
    ok(red.command(match, {"type": "prepare", "seat": "red"}), 201)
    again = blue.put(f"/matches/{match}/seats/blue", {}, idempotency_key="take")
    assert (again.content, again.headers["etag"]) == (first.content, first.headers["etag"])
    assert again.json()["match"]["version"] == 2


def test_what_a_match_discloses_later_is_not_in_a_repeated_answer(api: Api) -> None:
    """The repetition says what was known then, though the match is over, and everything disclosed."""
    red, blue, match = two(api, game="hex", options={"army": "preset"}, move_seconds=60)
    seat = red.match(match)["to_act"][0]
    actor = red if seat == "red" else blue
    active = ok(actor.get(f"/matches/{match}/view", params={"seat": seat}))["view"]["active"]
    action = {"type": "defend", "piece": active}
    first = actor.act(match, seat, action, idempotency_key="k")
    assert "deadlines" in ok(first, 201)
    red.resign(match, "red")
    again = actor.act(match, seat, action, idempotency_key="k")
    assert again.content == first.content
