"""Every code of docs/ERRORS.md, provoked; nothing is appended by any of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import warlog_core
from tests.servers import WarlogServer
from tests.service.api import SMALL, UNLIMITED, Api, ok, refused, two


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"not json",
        b'{"type": "act", "seat": "red"}',
        b'{"type": "dance", "seat": "red"}',
        b'{"type": "act", "seat": 7, "action": {}}',
        b'{"type": "prepare", "seat": "red", "extra": 1}',
        b'{"type": "prepare", "seat": "red"} {}',
        b'{"type": "act", "seat": "red", "action": {"type": "\xff"}}',
        b'{"type": "act", "seat": "red\x00", "action": {}}',
        b"[" * 100_000,
        b'{"type": "act", "seat": "red", "action": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
        b'{"type": "propose", "proposal": {"kind": "undo"}}',
        b'{"type": "propose", "proposal": {"kind": "undo", "to": "9"}}',
        b'{"type": "accept", "proposal": 1.5}',
    ],
)
def test_a_body_that_is_no_command_is_malformed(api: Api, body: bytes) -> None:
    ada = api.player()
    match = ada.alone()
    refused(ada.http.post(f"/matches/{match}/commands", content=body), 400, "malformed_body")
    assert ada.match(match)["version"] == 2


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("/matches/{match}/view?at=-1", "at"),
        ("/matches/{match}/view?at=x", "at"),
        ("/matches/{match}/view?at=99999999999999999999999999", "at"),
        ("/matches/{match}/view?seat=red&seat=blue", "seat"),
        ("/matches/{match}/events?limit=0", "limit"),
        ("/matches/{match}/events?after=x", "after"),
        ("/matches/{match}/actions", "seat"),
        ("/matches?status=sleeping", "status"),
        ("/games/hex?options=%7B", "options"),
    ],
)
def test_a_parameter_out_of_its_range_is_named(api: Api, path: str, what: str) -> None:
    ada = api.player()
    problem = refused(ada.get(path.format(match=ada.alone())), 400, "bad_parameter")
    assert what in problem["detail"]


@pytest.mark.parametrize("header", ["x", '"-1"', '"1e9"', "17,18"])
def test_an_if_match_that_is_no_version_is_a_bad_parameter(api: Api, header: str) -> None:
    ada = api.player()
    command = {"type": "act", "seat": "red", "action": {"type": "resign"}}
    refused(ada.command(ada.alone(), command, if_match=header), 400, "bad_parameter")


def test_no_token_a_wrong_one_and_a_revoked_one_are_unauthenticated(api: Api) -> None:
    answer = api.post("/matches", {"game": "hex"})
    refused(answer, 401, "unauthenticated")
    assert answer.headers["www-authenticate"] == "Bearer"
    for token in ("wl_" + "a" * 43, "x", "wl_\xff"):
        bad = api.http.get("/players/me", headers={b"authorization": f"Bearer {token}".encode("latin-1")})
        refused(bad, 401, "unauthenticated")
    refused(api.http.get("/games", headers={"authorization": "Basic eDp5"}), 401, "unauthenticated")


def test_a_foreign_seat_is_not_yours_and_an_unknown_one_is_unknown(api: Api) -> None:
    red, blue, match = two(api)
    refused(red.act(match, "blue", {"type": "resign"}), 403, "not_your_seat")
    refused(red.get(f"/matches/{match}/view?seat=blue"), 403, "not_your_seat")
    refused(red.get(f"/matches/{match}/actions?seat=blue"), 403, "not_your_seat")
    refused(red.get(f"/matches/{match}/feed?seat=blue"), 403, "not_your_seat")
    refused(red.get(f"/matches/{match}/view?seat=all"), 403, "not_your_seat")
    refused(api.get(f"/matches/{match}/view?seat=red"), 403, "not_your_seat")
    refused(blue.act(match, "green", {"type": "resign"}), 404, "unknown_seat")
    refused(blue.get(f"/matches/{match}/view?seat=green"), 404, "unknown_seat")
    refused(blue.put(f"/matches/{match}/seats/purple", {}), 404, "unknown_seat")


def test_a_token_gives_no_scope_that_it_has_not(api: Api) -> None:
    ada = api.player()
    refused(ada.post("/tokens", {"scopes": ["admin"]}), 403, "insufficient_scope")


def test_a_competitive_match_is_not_taken_back_and_one_player_has_one_side(api: Api) -> None:
    red, _, match = two(api, mode="competitive")
    refused(
        red.command(match, {"type": "propose", "proposal": {"kind": "undo", "to": 4}}), 403, "competitive"
    )
    refused(
        red.command(match, {"type": "propose", "proposal": {"kind": "edit", "position": {}}}),
        403,
        "competitive",
    )
    ada = api.player()
    both = {"game": "hex", "options": SMALL, "mode": "competitive", "seats": {"red": "me", "blue": "me"}}
    refused(ada.post("/matches", both), 403, "competitive")


def test_what_is_not_there_has_its_own_code(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    for wrong in (
        "m_000_aaaaaaaaaaaaaaaa",
        "m_999_aaaaaaaaaaaaaaaa",
        "x",
        "%00",
        "%F0%9F",
        "m_000_" + "a" * 3000,
    ):
        refused(ada.get(f"/matches/{wrong}"), 404, "unknown_match")
        refused(ada.act(wrong, "red", {"type": "resign"}), 404, "unknown_match")
    refused(ada.get("/games/chess"), 404, "unknown_game")
    refused(ada.post("/matches", {"game": "chess"}), 404, "unknown_game")
    refused(ada.get(f"/matches/{match}/view?at=77"), 404, "unknown_version")
    refused(
        ada.command(match, {"type": "propose", "proposal": {"kind": "undo", "to": 99}}),
        404,
        "unknown_version",
    )
    refused(ada.get("/players/pl_nobody"), 404, "unknown_player")
    refused(ada.post("/matches", {"game": "hex", "seats": {"red": "pl_nobody"}}), 404, "unknown_player")
    refused(ada.get("/scenarios/sc_none"), 404, "unknown_scenario")
    refused(ada.delete("/scenarios/sc_none"), 404, "unknown_scenario")
    refused(ada.post("/matches", {"game": "hex", "scenario": "sc_none"}), 404, "unknown_scenario")
    assert "/v1/nothing/here" in refused(ada.get("/nothing/here"), 404, "unknown_route")["detail"]
    twice = refused(ada.get("/v1/games"), 404, "unknown_route")["detail"]
    assert "ends before `/v1`" in twice


def test_what_a_new_match_cannot_have_is_told_with_what_it_can(api: Api) -> None:
    ada = api.player()

    def wrong(status: int, code: str, path: str, **body: object) -> dict[str, Any]:
        problem = refused(ada.post("/matches", {"game": "hex", **body}), status, code)
        assert problem["path"] == path
        return problem

    assert "Did you mean" in wrong(404, "unknown_game", "/game", game="hexx")["detail"]
    assert wrong(404, "unknown_game", "/game", game="chess")["allowed"] == sorted(warlog_core.games())
    assert wrong(404, "unknown_player", "/seats/red", seats={"red": "Me"})["allowed"][:3] == [
        "invite",
        "me",
        "open",
    ]
    assert wrong(404, "unknown_seat", "/seats/white", seats={"white": "me"})["allowed"] == ["red", "blue"]
    match = ada.create(seats={"red": "open"})["match"]["id"]
    assert refused(ada.put(f"/matches/{match}/seats/green", {}), 404, "unknown_seat")["allowed"] == [
        "red",
        "blue",
    ]
    kind = {"type": "propose", "proposal": {"kind": "undoo", "to": 1}}
    problem = refused(ada.command(match, kind), 400, "malformed_body")
    assert problem["path"] == "/proposal/kind"
    assert problem["allowed"] == ["options", "undo", "edit", "competitive", "abort", "rematch"]


def test_the_lobby_has_no_view(api: Api) -> None:
    ada = api.player()
    match = ada.create(seats={"red": "me"})["match"]["id"]
    refused(ada.get(f"/matches/{match}/view?seat=red"), 404, "no_view")
    refused(ada.get(f"/matches/{match}/actions?seat=red"), 404, "no_view")
    started = ada.alone()
    refused(ada.get(f"/matches/{started}/view?seat=red&at=1"), 404, "no_view")


def test_a_stale_if_match_is_a_version_conflict_that_says_the_version(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    command = {"type": "act", "seat": "red", "action": {"type": "resign"}}
    problem = refused(ada.command(match, command, if_match='"1"'), 409, "version_conflict")
    assert problem["version"] == 2
    assert problem["detail"] == "The match has moved on to version 2."
    early = refused(ada.command(match, command, if_match='"999"'), 409, "version_conflict")
    assert early["detail"] == "The match has no version 999 yet: it is at version 2."
    ok(ada.command(match, command, if_match='"2"'), 201)


def test_conflicts_have_their_codes(api: Api) -> None:
    red, blue, match = two(api)
    refused(red.command(match, {"type": "accept", "proposal": 3}), 409, "no_proposal")
    refused(red.command(match, {"type": "prepare", "seat": "red"}), 409, "wrong_status")
    refused(blue.delete(f"/matches/{match}/seats/blue"), 409, "wrong_status")
    lobby = red.create(seats={"red": "me"})["match"]["id"]
    refused(blue.put(f"/matches/{lobby}/seats/red", {}), 409, "seat_taken")
    said = refused(red.act(lobby, "red", {"type": "resign"}), 409, "wrong_status")["detail"]
    assert said.endswith("this match has not started. It waits for players; free seats: blue.")
    ok(blue.put(f"/matches/{lobby}/seats/blue", {}))
    ok(blue.command(lobby, {"type": "prepare", "seat": "blue"}), 201)
    said = refused(red.act(lobby, "red", {"type": "resign"}), 409, "wrong_status")["detail"]
    assert said.endswith("It waits for `prepare` by red.")


def test_after_the_deadline_it_is_too_late_and_the_time_out_happens(api: Api) -> None:
    from tests.service.waiting import eventually

    red, _, match = two(api, move_seconds=1)
    summary = red.match(match)
    assert list(summary["deadlines"]) == summary["to_act"]
    eventually(lambda: red.match(match)["status"] == "finished")
    assert red.match(match)["result"]["reason"] == "timeout"
    events = ok(red.get(f"/matches/{match}/events?after={summary['version']}"))["events"]
    assert [event["action"]["type"] for event in events] == ["timeout"]


def test_a_body_over_the_limit_is_refused_before_it_is_read(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    path = f"/matches/{match}/commands"
    refused(ada.http.post(path, content=b" " * 300_000), 413, "body_too_large")
    refused(ada.http.post(path, content=iter([b" " * 100_000] * 3)), 413, "body_too_large")
    refused(ada.http.post("/players", content=b" " * 300_000), 413, "body_too_large")
    ok(ada.http.post("/matches/import", content=b'{"x": "' + b" " * 300_000 + b'"}'), 400)


def test_the_rule_book_refuses_with_its_own_codes_and_the_version(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    seat = ada.match(match)["to_act"][0]
    other = "blue" if seat == "red" else "red"
    active = ok(ada.get(f"/matches/{match}/view", params={"seat": seat}))["view"]["active"]
    malformed: list[object] = [
        *({}, [], None, 7, "x", {"type": "fly"}, {"type": "defend"}, {"type": "timeout", "seat": "red"}),
        *({"type": "defend", "piece": piece} for piece in ("1", 1.0, True)),
    ]
    for action in malformed:
        assert refused(ada.act(match, seat, action), 422, "malformed_action")["version"] == 2
    refused(ada.act(match, other, {"type": "defend", "piece": active}), 422, "not_your_turn")
    refused(ada.act(match, seat, {"type": "defend", "piece": 99}), 422, "not_active_piece")
    refused(ada.act(match, seat, {"type": "defend", "piece": 2**40}), 422, "not_active_piece")
    refused(ada.act(match, seat, {"type": "defend", "piece": 10**30}), 422, "malformed_action")
    refused(ada.act(match, seat, {"type": "move", "piece": active, "to": "zz"}), 422, "unknown_space")
    raw = b'{"type": "act", "seat": "%b", "action": {"type": "defend", "piece": %b}}' % (
        seat.encode(),
        b"9" * 10_000,
    )
    refused(ada.http.post(f"/matches/{match}/commands", content=raw), 422, "malformed_action")
    assert ada.match(match)["version"] == 2
    ada.resign(match, "red")
    refused(ada.act(match, seat, {"type": "fly"}), 422, "match_over")


def test_options_and_positions_are_refused_at_creation(api: Api) -> None:
    ada = api.player()
    refused(ada.post("/matches", {"game": "hex", "options": {"width": 6}}), 422, "invalid_options")
    refused(ada.post("/matches", {"game": "hex", "options": {"wings": 1}}), 422, "invalid_options")
    refused(ada.post("/matches", {"game": "hex", "options": {"seats": 10**40}}), 422, "invalid_options")
    refused(ada.post("/matches", {"game": "hex", "options": {"roster": []}}), 422, "bad_roster")
    refused(ada.post("/matches", {"game": "hex", "position": {"x": 1}}), 422, "invalid_position")
    refused(
        ada.post("/games/hex/positions/check", {"position": {"phase": "sleep"}}), 422, "position_bad_phase"
    )
    refused(
        ada.post("/scenarios", {"game": "hex", "name": "x", "position": {"x": 1}}), 422, "invalid_position"
    )
    refused(
        ada.post("/matches/import", {"game": "hex", "options": {"width": 6}, "events": []}),
        422,
        "invalid_options",
    )


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarlogServer]:
    limits = {
        **UNLIMITED,
        "WARLOG_COMMANDS_PER_CALLER": "0.2",
        "WARLOG_FAILURES_PER_ADDRESS": "0.3",
        "WARLOG_FEEDS_PER_CALLER": "2",
        "WARLOG_REQUESTS_PER_CALLER": "2",
    }
    with WarlogServer(tmp_path_factory.mktemp("strict"), environment=limits) as running:
        yield running


def until_limited(ask: Callable[[], httpx.Response]) -> tuple[httpx.Response, httpx.Response]:
    """The first answer, and the first 429: a busy machine asks slowly, and so has leave for more."""
    first = last = ask()
    for _ in range(1000):
        if last.status_code == 429:
            break
        last = ask()
    return first, last


def test_each_limit_says_its_name_and_when_to_come_again(strict: WarlogServer) -> None:
    with Api(strict.url) as api:
        ada, eve = api.player(), api.player()
        match = ada.alone()
        first, limited = until_limited(lambda: ada.act(match, "red", {"type": "fly"}))
        assert first.status_code == 422
        problem = refused(limited, 429, "too_many_requests")
        assert problem["limit"] == "commands_per_caller"
        # A record of thousands of actions costs more than any command.
        import_ = ada.post("/matches/import", {"game": "hex", "options": {"army": "preset"}})
        assert refused(import_, 429, "too_many_requests")["limit"] == "commands_per_caller"
        assert int(limited.headers["retry-after"]) >= 1
        feeds = [eve.feed(match) for _ in range(3)]
        assert [feed.status for feed in feeds] == [200, 200, 429]
        for feed in feeds:
            feed.close()
        _, limited = until_limited(lambda: eve.get("/players/me"))
        assert refused(limited, 429, "too_many_requests")["limit"] == "requests_per_caller"
        _, limited = until_limited(lambda: api.http.get("/games", headers={"authorization": "Bearer x"}))
        assert refused(limited, 429, "too_many_requests")["limit"] == "failures_per_address"


def test_a_refused_start_says_why(tmp_path: Path) -> None:
    import os
    import subprocess
    import sys

    command = [sys.executable, "-m", "warlog_service", "serve", "--data", str(tmp_path)]
    for environment, words in (
        ({"WARLOG_PORT": "70000"}, "port"),
        ({"WARLOG_DURABILITY": "maybe"}, "durability"),
        ({"WARLOG_DURABILITY": "replicated"}, "replicas"),
    ):
        done = subprocess.run(
            command,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert done.returncode == 1
        assert words in done.stderr
        assert "Traceback" not in done.stderr
