"""A player's own feed in the SDK: once and in order, wherever it is cut, and `reset` where the server says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from tests.clients.conftest import Speaker
from tests.clients.cutting import STREAM, CuttingServer, Received, always, problem, reply
from tests.servers import WarlogServer
from warlog_client import (
    BadParameter,
    Client,
    MatchNotice,
    MatchOverNotice,
    RatingChangedNotice,
    Reset,
    UnexpectedReply,
    YourTurnNotice,
)
from warlog_client.models import RatingValue

AT = "2025-11-21T12:00:00Z"
READY = {"type": "ready", "ask": ["/v1/matches?player=me"]}
NOTICES: list[dict[str, Any]] = [
    READY,
    {"type": "seated", "match": "m_1", "game": "hex", "version": 1, "at": AT, "seats": ["red"]},
    {"type": "your_turn", "match": "m_1", "game": "hex", "version": 3, "at": AT, "seats": ["red"], "deadline": AT},
    {"type": "a_new_type", "some_new_field": [1]},
    {"type": "rating_changed", "match": "m_1", "game": "hex", "version": 9, "at": AT, "seats": ["red"], "pool": "duel",
     "before": {"rating": 1500, "deviation": 499, "mu": 25.0, "sigma": 8.3333},
     "after": {"rating": 1658, "deviation": 483, "mu": 27.6352, "sigma": 8.0655}},
    {"type": "not_rated", "match": "m_1", "game": "hex", "version": 9, "at": AT, "seats": ["red"], "reason": "short"},
    {"type": "match_over", "match": "m_1", "game": "hex", "version": 9, "at": AT, "seats": ["red"],
     "status": "finished", "result": {"winners": ["red"], "reason": "resigned"}},
]  # fmt: skip
HEARTBEAT = b"event: heartbeat\ndata: {}\n\n"


def sse(number: int, notice: dict[str, Any]) -> bytes:
    return b"id: 17-%d\nevent: %b\ndata: %b\n\n" % (
        number,
        notice["type"].encode(),
        msgspec.json.encode(notice),
    )


def stream(request: Received) -> bytes:
    """What the client lacks, with heartbeats between."""
    last = request.headers.get("last-event-id")
    first = 0 if last is None else int(last.partition("-")[2]) + 1
    return HEARTBEAT + HEARTBEAT.join(sse(number, NOTICES[number]) for number in range(first, len(NOTICES)))


def test_cut_at_any_byte_it_goes_on_without_gap_or_double(speaker: Speaker) -> None:
    whole = stream(Received("GET", "/", {}, {}, b""))
    for cut in range(0, len(whole), 7 if speaker.kind == "sync" else 29):
        contents: Iterator[int] = iter([cut])

        def answer(request: Received, cuts: Iterator[int] = contents) -> bytes:
            return STREAM + b"\r\n" + stream(request)[: next(cuts, None)]

        with CuttingServer(answer) as server:
            notices = speaker.follow_personal(server.url, len(NOTICES))
        assert [one.type for one in notices] == [one["type"] for one in NOTICES], f"cut after {cut} bytes"
        assert [one.id for one in notices] == [f"17-{number}" for number in range(len(NOTICES))]


def test_it_begins_after_a_notice_and_hands_on_what_the_server_has_lost(speaker: Speaker) -> None:
    lost = {**READY, "type": "reset"}
    with CuttingServer(always(STREAM + b"\r\n" + sse(40, lost) + sse(41, NOTICES[2]))) as server:
        reset, turn = speaker.follow_personal(server.url, 2, after="9-9")
    assert isinstance(reset, Reset)
    assert isinstance(turn, YourTurnNotice)
    assert (reset.type, reset.ask) == ("reset", READY["ask"])
    assert (turn.type, turn.match, turn.seats, turn.deadline) == ("your_turn", "m_1", ["red"], turn.at)
    (request,) = server.received
    assert (request.path, request.headers["last-event-id"]) == ("/v1/players/me/feed", "9-9")


def test_what_a_match_has_done_to_a_rating_is_read_whole(speaker: Speaker) -> None:
    (rating,) = (one for one in NOTICES if one["type"] == "rating_changed")
    with CuttingServer(always(STREAM + b"\r\n" + sse(40, rating))) as server:
        (told,) = speaker.follow_personal(server.url, 1, after="9-9")
    assert isinstance(told, RatingChangedNotice)
    assert (told.pool, told.before, told.after) == (
        "duel",
        RatingValue(1500, 499, 25.0, 8.3333),
        RatingValue(1658, 483, 27.6352, 8.0655),
    )


def test_a_refusal_or_nonsense_is_raised(speaker: Speaker) -> None:
    with (
        CuttingServer(always(reply(400, problem(400, "bad_parameter")))) as server,
        pytest.raises(BadParameter),
    ):
        speaker.follow_personal(server.url, 1, after="x")
    wrong = b"id: 1-1\nevent: seated\ndata: [1]\n\n"
    with CuttingServer(always(STREAM + b"\r\n" + wrong)) as server, pytest.raises(UnexpectedReply):
        speaker.follow_personal(server.url, 1)


def test_a_real_service_tells_its_player(warlog_server: WarlogServer, speaker: Speaker) -> None:
    url = warlog_server.url
    token = Client(url).create_player("ada").token
    with Client(url, token) as warlog:
        (ready,) = speaker.follow_personal(url, 1, token=token)
        assert ready.type == "ready"
        seats = {"red": "me", "blue": "me"}
        match = warlog.create_match("hex", seats, options={"army": "preset"}).match
        warlog.act(match.id, match.to_act[0], {"type": "resign"})
        assert next(warlog.players.feed(after=ready.id)).type == "seated"
        told = speaker.follow_personal(url, 4, token=token, after=ready.id)
        assert [one.type for one in told] == ["seated", "match_started", "your_turn", "match_over"]
        assert {one.match for one in told if isinstance(one, MatchNotice)} == {match.id}
        assert isinstance(told[-1], MatchOverNotice)
        assert told[-1].result == warlog.match(match.id).result
