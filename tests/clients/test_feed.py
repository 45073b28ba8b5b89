"""The feed's promise: every event once and in order, whatever happens to the connection."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.clients.conftest import AT_ONCE, Speaker
from tests.clients.cutting import STREAM, CuttingServer, Received, problem, reply, sse
from warlog_client import BrokenFeed, NotYourSeat, Retry, Unavailable, UnexpectedReply, Unreachable

AT = "2025-11-21T12:00:00Z"
EVENTS: list[dict[str, Any]] = [
    {"version": 1, "type": "seat_left", "at": AT, "seat": "red"},
    {"version": 2, "type": "match_started", "at": AT, "draws": [5, 0], "effects": [{"type": "rounds"}]},
    {
        "version": 3,
        "type": "action_taken",
        "seat": "red",
        "at": AT,
        "action": {"type": "wait — ☃"},
        "draws": [],
        "effects": [],
    },
    {
        "version": 4,
        "type": "action_taken",
        "seat": "server",
        "at": AT,
        "effects": [],
        "some_new_field": {"a": [1]},
    },
]
HEARTBEAT = b"event: heartbeat\ndata: {}\n\n"


def asked_after(request: Received) -> int:
    """The last event that the client says it has."""
    return int(request.headers.get("last-event-id") or request.query["after"][0])


def stream(request: Received, newline: str = "\n") -> bytes:
    """All events that the client lacks, with heartbeats between them."""
    return HEARTBEAT + HEARTBEAT.join(sse(e, newline) for e in EVENTS if e["version"] > asked_after(request))


def chunked(content: bytes, size: int = 11) -> bytes:
    parts = [content[i : i + size] for i in range(0, len(content), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)


def plain(content: bytes, whole: bool) -> bytes:
    return STREAM + b"\r\n" + content


def in_chunks(content: bytes, whole: bool) -> bytes:
    return (
        STREAM + b"Transfer-Encoding: chunked\r\n\r\n" + chunked(content) + (b"0\r\n\r\n" if whole else b"")
    )


@pytest.mark.parametrize(
    ("framed", "newline"), [(plain, "\r\n"), (in_chunks, "\n")], ids=["plain, CRLF", "chunked, LF"]
)
def test_a_feed_cut_at_any_byte_goes_on_without_gap_or_double(
    speaker: Speaker, framed: Callable[[bytes, bool], bytes], newline: str
) -> None:
    length = len(HEARTBEAT) * len(EVENTS) + sum(len(sse(e, newline)) for e in EVENTS)
    cut_before: set[str] = set()

    def answer(request: Received) -> bytes:
        content, match = stream(request, newline), request.path.split("/")[3]
        if match in cut_before:
            return framed(content, True)
        cut_before.add(match)
        return framed(content[: int(match)], False)

    with CuttingServer(answer) as server:
        for cut in range(0, length + 1, 1 if speaker.kind == "sync" else 5):
            events = speaker.follow(server.url, str(cut), len(EVENTS))
            assert [e.version for e in events] == [1, 2, 3, 4], f"cut after {cut} bytes"


def test_a_feed_cut_inside_the_answers_head_is_asked_for_again(speaker: Speaker) -> None:
    head = STREAM + b"\r\n"
    for cut in range(0, len(head), 3):
        answers = iter([head[:cut]])

        def answer(request: Received, answers: Iterator[bytes] = answers) -> bytes:
            return next(answers, head + stream(request))

        with CuttingServer(answer) as server:
            assert len(speaker.follow(server.url, "m_1", 4)) == 4


def test_a_feed_cut_after_every_event_resumes_each_time_from_the_last_one(speaker: Speaker) -> None:
    def answer(request: Received) -> bytes:
        return STREAM + b"\r\n" + sse(EVENTS[asked_after(request)])

    with CuttingServer(answer) as server:
        events = speaker.follow(server.url, "m_1", 4, seat="red")
    assert [e.version for e in events] == [1, 2, 3, 4]
    assert [r.headers.get("last-event-id") for r in server.received] == [None, "1", "2", "3"]
    assert all(r.query.get("seat") == ["red"] for r in server.received)
    assert [r.query.get("after") for r in server.received] == [["0"], None, None, None]


def test_what_the_server_sends_again_is_handed_on_once(speaker: Speaker) -> None:
    twice = b"".join(sse(e) + sse(e) for e in EVENTS) + b"".join(sse(e) for e in EVENTS)
    more = sse({"version": 5, "type": "action_taken", "seat": "red", "effects": [], "at": AT})
    with CuttingServer(lambda request: STREAM + b"\r\n" + twice + more) as server:
        assert [e.version for e in speaker.follow(server.url, "m_1", 5)] == [1, 2, 3, 4, 5]


def test_a_feed_may_start_in_the_middle_for_several_seats(speaker: Speaker) -> None:
    with CuttingServer(lambda request: STREAM + b"\r\n" + stream(request)) as server:
        events = speaker.follow(server.url, "m_1", 2, after=2, seat=["red", "blue"])
    assert [e.version for e in events] == [3, 4]
    assert server.received[0].query == {"after": ["2"], "seat": ["red", "blue"]}


def test_a_version_left_out_is_asked_for_again(speaker: Speaker) -> None:
    answers = iter([STREAM + b"\r\n" + sse(EVENTS[0]) + sse(EVENTS[2])])
    with CuttingServer(lambda request: next(answers, STREAM + b"\r\n" + stream(request))) as server:
        assert [e.version for e in speaker.follow(server.url, "m_1", 4)] == [1, 2, 3, 4]
    assert server.received[1].headers["last-event-id"] == "1"


def test_a_version_left_out_again_is_a_broken_feed(speaker: Speaker) -> None:
    with (
        CuttingServer(lambda request: STREAM + b"\r\n" + sse(EVENTS[2])) as server,
        pytest.raises(BrokenFeed, match="version 3 came after 0"),
    ):
        speaker.follow(server.url, "m_1", 1)


def test_a_feed_that_goes_on_before_the_place_it_is_asked_from_is_a_broken_feed(speaker: Speaker) -> None:
    """What the match had beyond version 3 is lost, say with a server that came back from a backup."""
    with (
        CuttingServer(lambda request: STREAM + b"\r\n" + sse(EVENTS[3])) as server,
        pytest.raises(BrokenFeed, match="version 4 came after 9"),
    ):
        speaker.follow(server.url, "m_1", 1, after=9)
    assert [request.headers.get("last-event-id") for request in server.received] == [None, "9"]


def test_a_stream_that_the_server_closes_is_opened_again(speaker: Speaker) -> None:
    closing = b'event: closing\ndata: {"code": "slow_reader"}\n\n'

    def answer(request: Received) -> Iterator[bytes]:
        yield STREAM + b"\r\n" + sse(EVENTS[asked_after(request)])
        yield closing
        time.sleep(3)  # not even the end of the connection is waited for

    started = time.monotonic()
    with CuttingServer(answer) as server:
        assert [e.version for e in speaker.follow(server.url, "m_1", 4)] == [1, 2, 3, 4]
    assert time.monotonic() - started < 3


def test_a_silent_stream_is_taken_for_dead(speaker: Speaker) -> None:
    def answer(request: Received) -> Iterator[bytes]:
        yield STREAM + b"\r\n" + sse(EVENTS[asked_after(request)])
        time.sleep(1)

    with CuttingServer(answer) as server:
        assert len(speaker.follow(server.url, "m_1", 3, silence_s=0.05)) == 3
    assert len(server.received) == 3


def test_heartbeats_keep_a_quiet_feed_alive(speaker: Speaker) -> None:
    def answer(request: Received) -> Iterator[bytes]:
        yield STREAM + b"\r\n"
        for _ in range(10):
            time.sleep(0.03)
            yield HEARTBEAT
        yield sse(EVENTS[0])

    with CuttingServer(answer) as server:
        assert len(speaker.follow(server.url, "m_1", 1, silence_s=0.25)) == 1
    assert len(server.received) == 1


def test_a_feed_that_is_cut_between_heartbeats_never_gives_up(speaker: Speaker) -> None:
    quiet = iter([STREAM + b"\r\n" + HEARTBEAT] * (2 * AT_ONCE.attempts))
    with CuttingServer(lambda request: next(quiet, STREAM + b"\r\n" + sse(EVENTS[0]))) as server:
        assert len(speaker.follow(server.url, "m_1", 1)) == 1


def test_a_feed_gives_up_when_nothing_comes_time_after_time(speaker: Speaker) -> None:
    with CuttingServer(lambda request: STREAM + b"\r\n") as server, pytest.raises(Unreachable):
        speaker.follow(server.url, "m_1", 1)
    assert len(server.received) == AT_ONCE.attempts


def test_a_feed_waits_while_the_service_is_unavailable_and_then_gives_up(speaker: Speaker) -> None:
    away = reply(503, problem(503, "unavailable"), Retry_After="0")
    answers = iter([away, away])
    with CuttingServer(lambda request: next(answers, STREAM + b"\r\n" + stream(request))) as server:
        assert len(speaker.follow(server.url, "m_1", 4)) == 4
    with CuttingServer(lambda request: away) as server, pytest.raises(Unavailable):
        speaker.follow(server.url, "m_1", 1)
    assert len(server.received) == AT_ONCE.attempts


def test_a_refused_feed_raises_the_refusal_at_once(speaker: Speaker) -> None:
    refusal = reply(403, problem(403, "not_your_seat"))
    with CuttingServer(lambda request: refusal) as server, pytest.raises(NotYourSeat):
        speaker.follow(server.url, "m_1", 1, seat="blue")
    assert len(server.received) == 1


@pytest.mark.parametrize(
    "answer",
    [
        reply(200, {"version": 1}),
        STREAM + b"\r\nid: 1\nevent: action_taken\ndata: {not json}\n\n",
        STREAM + b'\r\nid: 1\nevent: action_taken\ndata: {"version": "one"}\n\n',
    ],
    ids=["no stream", "no JSON", "no event"],
)
def test_what_is_no_feed_of_warlog_is_said_to_be_none(speaker: Speaker, answer: bytes) -> None:
    with CuttingServer(lambda request: answer) as server, pytest.raises(UnexpectedReply):
        speaker.follow(server.url, "m_1", 1)


def test_waits_grow_from_failure_to_failure_unless_the_service_says_how_long() -> None:
    retry = Retry(wait_s=0.1, wait_s_max=1.0)
    assert [retry.wait(n) for n in range(1, 7)] == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.0, 1.0])
