"""One call of the SDK: what is sent, what is made of the answer, and when it is sent again."""

from __future__ import annotations

import functools
import inspect
import threading
import time
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import msgspec
import pytest

import warlog_client
from tests.clients.conftest import AT_ONCE, Speaker
from tests.clients.cutting import CuttingServer, Received, always, problem, reply
from warlog_client import (
    BadRequest,
    ChangeOptions,
    Client,
    Conflict,
    Event,
    Forbidden,
    NotFound,
    Problem,
    Retry,
    RuleRefused,
    ServiceUnavailable,
    TooManyRequests,
    Unavailable,
    Undo,
    UnexpectedReply,
    Unreachable,
    errors,
)

AT = "2025-11-21T12:00:00Z"
MATCH: dict[str, Any] = {
    "id": "m_017_4fz1",
    "game": "hex",
    "rules_version": 1,
    "mode": "casual",
    "status": "playing",
    "version": 18,
    "options": {"seats": 2},
    "consent": "all",
    "move_seconds": 60,
    "visibility": "public",
    "seats": [
        {"seat": "red", "player": {"id": "pl_1", "name": "ada"}, "prepared": True, "mood": "good"},
        {"seat": "blue", "player": None, "prepared": False},
    ],
    "to_act": ["red"],
    "deadlines": {"red": AT},
    "proposal": None,
    "result": {"winners": ["red"], "reason": "elimination", "margin": 3},
    "seed_commitment": "sha256:00",
    "created_at": AT,
    "updated_at": AT,
    "a_field_of_next_year": [1, {"x": None}],
}
EVENT: dict[str, Any] = {
    "version": 18,
    "type": "action_taken",
    "seat": "red",
    "at": AT,
    "draws": [],
    "effects": [],
    "new": 1,
}
DONE = {**EVENT, "to_act": ["red"], "deadlines": {"red": AT}, "now": AT}


def act(client: Any) -> Any:
    return client.act("m_1", "red", {"type": "defend", "piece": 3})


def prepare_in(match: str) -> Callable[[Any], Any]:
    return lambda c: c.prepare(match, "red")


# ---- what is sent ----------------------------------------------------------------------------------------------


def test_a_command_carries_its_token_its_version_and_a_key_of_its_own(speaker: Speaker) -> None:
    with CuttingServer(lambda request: reply(201, DONE)) as server:
        for _ in range(2):
            speaker.call(
                server.url, lambda c: c.act("m_1", "red", {"type": "ready"}, if_match=17), token="wl_secret"
            )
    first, second = server.received
    assert (first.method, first.path) == ("POST", "/v1/matches/m_1/commands")
    assert msgspec.json.decode(first.body) == {"type": "act", "seat": "red", "action": {"type": "ready"}}
    assert first.headers["authorization"] == "Bearer wl_secret"
    assert first.headers["if-match"] == '"17"'
    assert first.headers["content-type"] == "application/json"
    assert first.headers["idempotency-key"] != second.headers["idempotency-key"]


def test_a_command_may_be_sent_with_a_key_of_ones_own(speaker: Speaker) -> None:
    with CuttingServer(lambda request: reply(201, DONE)) as server:
        speaker.call(server.url, lambda c: c.prepare("m_1", "red", idempotency_key="mine"))
    assert server.received[0].headers["idempotency-key"] == "mine"
    assert "if-match" not in server.received[0].headers
    assert "authorization" not in server.received[0].headers


@pytest.mark.parametrize(
    ("proposal", "body"),
    [
        (Undo(to=9), {"kind": "undo", "to": 9}),
        (ChangeOptions({"width": 9}), {"kind": "options", "options": {"width": 9}}),
        (ChangeOptions(import_={"warlog_record": 1}), {"kind": "options", "import": {"warlog_record": 1}}),
        (warlog_client.Edit({"round": 2}), {"kind": "edit", "position": {"round": 2}}),
        (warlog_client.MakeCompetitive(), {"kind": "competitive"}),
        (warlog_client.Abort(), {"kind": "abort"}),
        (warlog_client.Rematch(), {"kind": "rematch"}),
    ],
)
def test_each_kind_of_proposal_is_sent_as_the_api_has_it(
    speaker: Speaker, proposal: warlog_client.Proposal, body: dict[str, Any]
) -> None:
    with CuttingServer(lambda request: reply(201, DONE)) as server:
        speaker.call(server.url, lambda c: c.propose("m_1", proposal))
    assert msgspec.json.decode(server.received[0].body) == {"type": "propose", "proposal": body}


def test_an_id_never_leads_to_another_path(speaker: Speaker) -> None:
    with CuttingServer(lambda request: reply(200, {"match": MATCH})) as server:
        speaker.call(server.url, lambda c: c.match("../players/me?x=#"))
    assert server.received[0].path == "/v1/matches/..%2Fplayers%2Fme%3Fx%3D%23"


def test_absent_settings_are_left_out_and_options_are_json(speaker: Speaker) -> None:
    created = reply(201, {"match": MATCH, "invitations": {"blue": "wli_1"}})
    with CuttingServer(lambda request: created) as server:
        made = speaker.call(server.url, lambda c: c.create_match("hex", {"red": "me"}, consent="none"))
    assert made.invitations == {"blue": "wli_1"}
    assert msgspec.json.decode(server.received[0].body) == {
        "game": "hex",
        "seats": {"red": "me"},
        "consent": "none",
    }
    game = {
        "game": "hex",
        "name": "Hex Tactics",
        "rules_version": 1,
        "seats": [{"id": "red"}, {"id": "blue"}],
        "spectators": "open",
        "board": {"kind": "hex", "levels": ["ground"], "spaces": [{"id": "a1", "x": 0, "y": 0.5}]},
        "pieces": [],
        "options": {},
        "actions": {},
        "effects": {},
        "view": {},
        "position": {},
    }
    with CuttingServer(lambda request: reply(200, game)) as server:
        assert speaker.call(server.url, lambda c: c.game("hex", {"seats": 4})).board.spaces[0].y == 0.5
    assert server.received[0].query == {"options": ['{"seats":4}']}


# ---- what is made of the answer --------------------------------------------------------------------------------


def test_fields_that_the_sdk_does_not_know_are_ignored(speaker: Speaker) -> None:
    with CuttingServer(lambda request: reply(201, DONE)) as server:
        done = speaker.call(server.url, act)
    assert (done.version, done.draws, done.effects, done.to_act) == (18, [], [], ["red"])
    assert done.deadlines["red"].isoformat() == "2025-11-21T12:00:00+00:00"
    with CuttingServer(lambda request: reply(200, {"match": MATCH, "new": {}})) as server:
        match = speaker.call(server.url, lambda c: c.join("m_1"))
    assert match.seats[0].player.name == "ada"
    assert match.result.winners == ["red"]


def test_pages_are_fetched_one_after_the_other_until_there_is_no_next(speaker: Speaker) -> None:
    def answer(request: Received) -> bytes:
        after = int(request.query["after"][0])
        versions = range(after + 1, min(after + 3, 8))
        events = [{**EVENT, "version": v} for v in versions]
        return reply(
            200, {"events": events, "next": versions[-1] if versions[-1] < 7 else None, "version": 7}
        )

    with CuttingServer(answer) as server:
        events: list[Event] = speaker.call(server.url, lambda c: c.events("m_1", after=2, limit=2))
    assert [e.version for e in events] == [3, 4, 5, 6, 7]
    assert [r.query["after"] for r in server.received] == [["2"], ["4"], ["6"]]
    assert all(r.query["limit"] == ["2"] for r in server.received)


def test_an_empty_page_is_the_last_whatever_it_says(speaker: Speaker) -> None:
    with CuttingServer(lambda request: reply(200, {"matches": [], "next": "c_1"})) as server:
        assert speaker.call(server.url, lambda c: c.matches(game="hex", open=True)) == []
    assert server.received[0].query == {"game": ["hex"], "open": ["true"], "limit": ["100"]}


@pytest.mark.parametrize(
    "answer",
    [
        reply(200, {"unexpected": 1}),
        reply(200, {"match": {"id": 7}}),
        reply(200),
        b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<html>",
        reply(418, {"teapot": True}),
        reply(302, None, Location="/elsewhere"),
    ],
    ids=["another field", "another shape", "empty", "no JSON", "no problem", "redirect"],
)
def test_an_answer_that_is_none_of_warlogs_is_said_to_be_none(speaker: Speaker, answer: bytes) -> None:
    with CuttingServer(lambda request: answer) as server, pytest.raises(UnexpectedReply):
        speaker.call(server.url, lambda c: c.match("m_1"))
    assert len(server.received) == 1


CODES = {
    400: (BadRequest, ["malformed_body", "bad_parameter"]),
    401: (errors.Unauthenticated, ["unauthenticated"]),
    403: (
        Forbidden,
        [
            "not_your_seat",
            "insufficient_scope",
            "wrong_invitation",
            "no_spectators",
            "competitive",
            "hidden",
        ],
    ),
    404: (
        NotFound,
        [
            "unknown_match",
            "unknown_seat",
            "unknown_game",
            "unknown_version",
            "unknown_player",
            "unknown_scenario",
            "no_view",
        ],
    ),
    409: (
        Conflict,
        [
            "version_conflict",
            "seat_taken",
            "wrong_status",
            "no_proposal",
            "proposal_changed",
            "already_disclosed",
            "idempotency_key_reused",
            "too_late",
        ],
    ),
    413: (errors.BodyTooLarge, ["body_too_large"]),
    429: (TooManyRequests, ["too_many_requests", "quota_exceeded"]),
    500: (errors.ServerFault, ["integrity_error"]),
    503: (ServiceUnavailable, ["unavailable", "disk_full", "unconfirmed"]),
}
"""The codes of docs/ERRORS.md, without the rule books' own codes."""


@pytest.mark.parametrize(
    ("status", "group", "code"), [(s, g, c) for s, (g, codes) in CODES.items() for c in codes]
)
def test_each_code_of_the_api_is_raised_as_its_own_class(
    status: int, group: type[Problem], code: str, speaker: Speaker
) -> None:
    body = problem(status, code, detail="because", version=17, limit="writes")
    with (
        CuttingServer(lambda request: reply(status, body, Retry_After="0")) as server,
        pytest.raises(group) as caught,
    ):
        speaker.call(server.url, act)
    error = caught.value
    assert type(error).__name__ == "".join(word.capitalize() for word in code.split("_"))
    assert type(error).known_code in (code, "")
    assert (error.code, error.status, error.version, error.retry_after) == (code, status, 17, 0.0)
    assert error.body["limit"] == "writes"
    assert str(error) == f"{code}: because"


def test_a_rule_books_code_is_a_refusal_even_where_the_api_has_the_same_word(speaker: Speaker) -> None:
    for code in ("illegal_destination", "unknown_seat", "invalid_options", "match_over"):
        refused = reply(422, problem(422, code))
        with (
            CuttingServer(always(refused)) as server,
            pytest.raises(RuleRefused) as caught,
        ):
            speaker.call(server.url, act)
        assert caught.value.code == code


def test_a_code_of_next_year_is_raised_as_the_class_of_its_status(speaker: Speaker) -> None:
    for status, kind in [(404, NotFound), (409, Conflict), (500, errors.ServerFault), (451, Problem)]:
        strange = reply(status, problem(status, "brand_new"))
        with CuttingServer(always(strange)) as server, pytest.raises(Problem) as caught:
            speaker.call(server.url, act)
        assert type(caught.value) is kind
        assert caught.value.code == "brand_new"


def test_every_exception_is_in_the_drawn_tree_and_every_public_name_is_exported() -> None:
    def own(module: ModuleType) -> set[str]:
        classes = {name: value for name, value in vars(module).items() if inspect.isclass(value)}
        return {name for name, value in classes.items() if value.__module__ == module.__name__}

    exceptions = own(errors) - {"ProblemBody"}
    assert exceptions <= set((errors.__doc__ or "").split())
    assert exceptions | own(warlog_client.models) <= set(warlog_client.__all__)


# ---- when it is sent again -------------------------------------------------------------------------------------


def test_a_command_whose_answer_is_cut_at_any_byte_is_sent_again_with_the_same_key(speaker: Speaker) -> None:
    whole = reply(201, DONE)
    sent: dict[str, list[str]] = {}

    def answer(request: Received) -> bytes:
        keys = sent.setdefault(request.path.split("/")[3], [])
        keys.append(request.headers["idempotency-key"])
        return whole if len(keys) > 1 else whole[: int(request.path.split("/")[3])]

    with CuttingServer(answer) as server:
        for cut in range(0, len(whole), 1 if speaker.kind == "sync" else 9):
            assert speaker.call(server.url, prepare_in(str(cut))).version == 18
            first, second = sent[str(cut)]
            assert first == second


def test_a_read_is_repeated_after_a_lost_connection(speaker: Speaker) -> None:
    answers = iter([b"", b"HTTP/1.1 200"])
    with CuttingServer(lambda request: next(answers, reply(200, {"match": MATCH}))) as server:
        assert speaker.call(server.url, lambda c: c.match("m_1")).id == "m_017_4fz1"
    assert len(server.received) == 3


def test_what_might_be_done_twice_is_never_sent_twice(speaker: Speaker) -> None:
    calls: list[Callable[[Any], Any]] = [
        lambda c: c.create_token("bot"),
        lambda c: c.create_scenario("hex", "mine", {}),
    ]
    for call in calls:
        with CuttingServer(lambda request: b"") as server, pytest.raises(Unreachable):
            speaker.call(server.url, call)
        assert len(server.received) == 1
        busy = reply(503, problem(503, "unavailable"), Retry_After="0")
        with CuttingServer(always(busy)) as server, pytest.raises(Unavailable):
            speaker.call(server.url, call)
        assert len(server.received) == 1


def test_a_call_waits_for_a_server_that_is_still_starting(speaker: Speaker) -> None:
    with CuttingServer(lambda request: b"") as probe:
        port = probe.port
    late = CuttingServer(
        lambda request: reply(201, {"player": {"id": "p", "name": "ada"}, "token": "t", "scopes": []})
    )
    late.port = port
    starting = threading.Timer(0.2, late.__enter__)
    starting.start()
    try:
        made = speaker.call(
            f"http://127.0.0.1:{port}", lambda c: c.create_player("ada"), retry=Retry(wait_s=0.05)
        )
        assert made.token == "t"
        assert len(late.received) == 1
    finally:
        starting.join()
        late.__exit__(None, None, None)


def test_nobody_there_is_unreachable_after_all_attempts(speaker: Speaker) -> None:
    with CuttingServer(lambda request: b"") as gone:
        url = gone.url
    with pytest.raises(Unreachable) as caught:
        speaker.call(url, lambda c: c.create_player("ada"))
    assert caught.value.__cause__ is not None


@pytest.mark.parametrize(
    ("method", "path", "call"),
    [
        ("PUT", "/v1/matches/m_1/seats/red", lambda c: c.take_seat("m_1", "red", "wli_1")),
        ("DELETE", "/v1/matches/m_1/seats/red", lambda c: c.leave_seat("m_1", "red")),
        ("POST", "/v1/matches/m_1/join", lambda c: c.join("m_1", "red")),
    ],
)
def test_taking_and_leaving_a_seat_are_repeated_with_their_key_like_commands(
    speaker: Speaker, method: str, path: str, call: Callable[[Any], Any]
) -> None:
    answers = iter([b""])
    with CuttingServer(lambda request: next(answers, reply(200, {"match": MATCH}))) as server:
        assert speaker.call(server.url, call).id == MATCH["id"]
    assert [(r.method, r.path) for r in server.received] == [(method, path)] * 2
    assert len({r.headers["idempotency-key"] for r in server.received}) == 1


def next_of(answers: Iterator[bytes], request: object) -> bytes:
    return next(answers)


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (
            lambda c, **how: c.create_player("ada", **how),
            {"player": {"id": "p", "name": "ada"}, "token": "t", "scopes": []},
        ),
        (lambda c, **how: c.create_match("hex", {"red": "me"}, **how), {"match": MATCH}),
        (lambda c, **how: c.import_record({}, visibility="private", **how), {"match": MATCH}),
        (
            lambda c, **how: c.pair("hex", **how),
            {
                "entry": {"id": "pq_1", "game": "hex", "options": {}, "mode": "casual", "move_seconds": 0}
                | {"players": 2, "status": "waiting"}
            },
        ),
    ],
    ids=["create_player", "create_match", "import_record", "pair"],
)
def test_what_makes_something_new_is_repeated_with_its_key_like_commands(
    speaker: Speaker, call: Callable[..., Any], answer: dict[str, Any]
) -> None:
    busy = reply(503, problem(503, "unconfirmed"), Retry_After="0")
    keys = set[str]()
    for how in ({}, {"idempotency_key": "a key of my own, long enough"}):
        answers = iter([b"", busy, reply(201, answer)])
        with CuttingServer(functools.partial(next_of, answers)) as server:
            speaker.call(server.url, functools.partial(call, **how))
        assert len({(r.path, r.body, r.headers["idempotency-key"]) for r in server.received}) == 1
        assert len(server.received) == 3
        keys.add(server.received[0].headers["idempotency-key"])
    assert min(map(len, keys)) >= 22
    assert how["idempotency_key"] in keys


def test_who_asks_too_often_waits_as_long_as_told_and_asks_again(speaker: Speaker) -> None:
    answers = iter([reply(429, problem(429, "too_many_requests"), Retry_After="1")])
    started = time.monotonic()
    with CuttingServer(lambda request: next(answers, reply(201, DONE))) as server:
        assert speaker.call(server.url, act, retry=Retry(wait_s_max=1)).version == 18
    assert time.monotonic() - started >= 1


def test_nobody_waits_longer_than_he_said(speaker: Speaker) -> None:
    for status, code in [(429, "too_many_requests"), (503, "unavailable")]:
        later = reply(status, problem(status, code), Retry_After="3600")
        with CuttingServer(always(later)) as server, pytest.raises(Problem) as caught:
            speaker.call(server.url, act)
        assert caught.value.retry_after == 3600
        assert len(server.received) == 1


def test_text_in_pages_is_followed_by_its_links(speaker: Speaker) -> None:
    def answer(request: Received) -> bytes:
        if "after" in request.query:
            assert request.query == {"after": ["3"], "seat": ["red"]}
            return b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n4. red defend piece=1 (defended)\n"
        link = 'Link: </v1/matches/m_1/history?after=3&seat=red>; rel="next"'
        return f"HTTP/1.1 200 OK\r\nConnection: close\r\n{link}\r\n\r\n2. a\n3. b\n".encode()

    with CuttingServer(answer) as server:
        lines = speaker.call(server.url, lambda c: c.history("m_1", seat="red"))
    assert lines == ["2. a", "3. b", "4. red defend piece=1 (defended)"]


@pytest.mark.parametrize("code", ["unavailable", "unconfirmed"])
def test_a_command_is_repeated_when_the_service_asks_for_it(speaker: Speaker, code: str) -> None:
    away = reply(503, problem(503, code), Retry_After="0")
    answers = iter([away, away])
    with CuttingServer(lambda request: next(answers, reply(201, DONE))) as server:
        assert speaker.call(server.url, act).version == 18
    assert len({r.headers["idempotency-key"] for r in server.received}) == 1
    assert len(server.received) == 3


def test_the_service_says_how_long_to_wait(speaker: Speaker) -> None:
    answers = iter([reply(503, problem(503, "unavailable"), Retry_After="1")])
    started = time.monotonic()
    with CuttingServer(lambda request: next(answers, reply(201, DONE))) as server:
        speaker.call(server.url, act)
    assert time.monotonic() - started >= 1


def test_a_proxy_without_a_service_behind_it_counts_as_unavailable(speaker: Speaker) -> None:
    bad_gateway = reply(502)
    answers = iter([bad_gateway])
    with CuttingServer(lambda request: next(answers, reply(201, DONE))) as server:
        assert speaker.call(server.url, act).version == 18
    with CuttingServer(lambda request: bad_gateway) as server, pytest.raises(Unavailable) as caught:
        speaker.call(server.url, act)
    assert caught.value.status == 502
    assert len(server.received) == AT_ONCE.attempts


def test_readiness_is_asked_for_once(speaker: Speaker) -> None:
    with (
        CuttingServer(lambda request: reply(503, problem(503, "unavailable"), Retry_After="30")) as server,
        pytest.raises(Unavailable),
    ):
        speaker.call(server.url, lambda c: c.ready())
    assert len(server.received) == 1


def test_a_slow_answer_is_given_up_after_the_timeout() -> None:
    def answer(request: Received) -> Iterator[bytes]:
        time.sleep(1)
        yield reply(201, DONE)

    started = time.monotonic()
    retry = Retry(attempts=2, wait_s=0)
    with (
        CuttingServer(answer) as server,
        Client(server.url, timeout_s=0.05, retry=retry) as client,
        pytest.raises(Unreachable),
    ):
        client.prepare("m_1", "red")
    assert time.monotonic() - started < 1
    assert len({r.headers["idempotency-key"] for r in server.received}) == 1
