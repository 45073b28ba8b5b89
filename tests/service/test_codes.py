"""Codes of docs/ERRORS.md that need a damaged match, a dead replica or an outsider; and what every command and every
refusal does to the version."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis

from tests.servers import RedisServer, WarlogServer
from tests.service.api import SMALL, UNLIMITED, Api, ok, refused, two
from tests.service.figures import figure
from tests.service.waiting import eventually
from warlog_events.redis import keys

Json = dict[str, Any]
RESIGN: Json = {"type": "resign"}


def proposal(kind: str, **fields: Any) -> Json:
    return {"type": "propose", "proposal": {"kind": kind, **fields}}


def test_a_token_that_is_not_yours_is_unknown(api: Api) -> None:
    ada, eve = api.player(), api.player()
    made = ok(eve.post("/tokens", {"label": "x"}), 201)
    token = next(one["id"] for one in ok(eve.get("/tokens"))["tokens"] if one["label"] == "x")
    assert made
    for unknown in (token, "tk_none", "%00"):
        refused(ada.delete(f"/tokens/{unknown}"), 404, "unknown_token")
    assert eve.delete(f"/tokens/{token}").status_code == 204
    refused(eve.delete(f"/tokens/{token}"), 404, "unknown_token")


@pytest.mark.parametrize(
    ("method", "path"), [("PATCH", "/matches"), ("PUT", "/matches/x/commands"), ("DELETE", "/games")]
)
def test_a_method_that_a_path_has_not_is_not_allowed_and_those_it_has_are_named(
    api: Api, method: str, path: str
) -> None:
    answer = api.player().http.request(method, path)
    refused(answer, 405, "method_not_allowed")
    assert answer.headers["allow"]


def test_a_match_that_has_been_imported_or_taken_back_has_shown_too_much_to_become_competitive(
    api: Api,
) -> None:
    ada, red, blue = api.player(), api.player(), api.player()
    first = ada.alone()
    ada.defend(first)
    record = ok(ada.get(f"/matches/{first}/export"))
    match = red.create(seats={"red": "me", "blue": blue.id})["match"]["id"]
    made = ok(red.command(match, proposal("options", **{"import": record})), 201)["version"]
    ok(blue.command(match, {"type": "accept", "proposal": made}), 201)
    refused(red.command(match, proposal("competitive")), 409, "already_disclosed")
    assert red.match(match)["version"] == made + 1


def test_a_damaged_match_is_frozen_and_the_others_go_on(tmp_path: Path) -> None:
    with (
        RedisServer(fsync="no") as server,
        (tmp_path / "log").open("wb") as written,
        WarlogServer(tmp_path, redis=server.url, environment=UNLIMITED, errors=written) as warlog,
        Api(warlog.url) as api,
    ):
        ada = api.player()
        damaged, hidden, sound = ada.alone(), ada.alone(visibility="private"), ada.alone()
        with redis.Redis(unix_socket_path=str(server.socket)) as client:
            for match in (damaged, hidden):
                for _ in range(3):
                    ada.defend(match)
                assert client.xdel(keys.events(match), "3-0") == 1
        for _ in range(2):  # found, then known
            problem = refused(ada.act(damaged, "red", RESIGN), 500, "integrity_error")
            assert "can be read" in problem["detail"]
        stranger = api.player()
        for _ in range(50):  # as it was before the damage, to everybody who may know
            for reader in (ada, stranger):
                assert reader.match(damaged)["version"] == 2
                assert ok(reader.get(f"/matches/{damaged}/view?at=2"))["version"] == 2
                assert [e["version"] for e in ok(reader.get(f"/matches/{damaged}/events"))["events"]] == [
                    1,
                    2,
                ]
        for path in ("/view?seat=red", "/actions?seat=red", "/timeline", "/export"):
            ok(ada.get(f"/matches/{damaged}{path}"))
        assert ada.get(f"/matches/{damaged}/history").status_code == 200
        refused(ada.get(f"/matches/{damaged}/view?at=3&seat=red"), 404, "unknown_version")
        refused(stranger.get(f"/matches/{hidden}"), 404, "unknown_match")
        refused(stranger.act(hidden, "red", RESIGN), 404, "unknown_match")
        refused(stranger.get(f"/matches/{hidden}/feed"), 404, "unknown_match")
        refused(ada.act(hidden, "red", RESIGN), 500, "integrity_error")
        assert ada.match(hidden)["version"] == 2
        refused(ada.act(damaged, "red", RESIGN), 500, "integrity_error")
        with redis.Redis(unix_socket_path=str(server.socket)) as client:
            assert client.xlen(keys.events(damaged)) == 4
            assert client.hexists(keys.match_state(damaged), "frozen")
        assert figure(warlog, "warlog_integrity_errors_total") == 2
        lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
        assert [damaged in line["message"] for line in lines if line["level"] == "CRITICAL"] == [True, False]
        assert len([line for line in lines if line["logger"] == "warlog.access"]) == 2
        ada.defend(sound)
        eventually(lambda: len(ok(ada.get("/matches?player=me"))["matches"]) == 3)


def test_damage_under_a_match_in_memory_is_seen_although_nobody_asks_for_the_match(tmp_path: Path) -> None:
    """What is served from memory is compared with what is stored, again and again."""
    environment = {**UNLIMITED, "WARLOG_COMPARE_SECONDS": "0.1"}
    with (
        RedisServer(fsync="no") as server,
        (tmp_path / "log").open("wb") as written,
        WarlogServer(tmp_path, redis=server.url, environment=environment, errors=written) as warlog,
        redis.Redis(unix_socket_path=str(server.socket)) as client,
        Api(warlog.url) as api,
    ):
        ada = api.player()
        damaged, later, sound = (ada.alone() for _ in range(3))
        for match in (damaged, later, sound):
            for _ in range(3):
                ada.defend(match)

        def damage(match: str) -> None:
            stored: Any = client.xrange(keys.events(match))
            with client.pipeline() as all_at_once:
                all_at_once.delete(keys.events(match))
                for entry, fields in stored:
                    if entry == b"3-0":
                        fields[b"at"] = b"%d" % (int(fields[b"at"]) ^ 1)
                    all_at_once.xadd(keys.events(match), fields, id=entry)
                all_at_once.execute()
            eventually(lambda: client.hexists(keys.match_state(match), "frozen"), 30)

        damage(damaged)
        damage(later)
        assert figure(warlog, "warlog_integrity_errors_total") == 2
        for match in (damaged, later):
            refused(ada.act(match, "red", RESIGN), 500, "integrity_error")
            assert ada.match(match)["version"] == 2
        ada.defend(sound)
        assert not client.hexists(keys.match_state(sound), "frozen")
        lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
        said = [line["message"] for line in lines if line["level"] == "CRITICAL"]
        assert [match in line for match, line in zip((damaged, later), said, strict=True)] == [True, True]


def test_an_unconfirmed_command_is_learnt_about_by_its_key_and_done_once(tmp_path: Path) -> None:
    replicated = {**UNLIMITED, "WARLOG_DURABILITY": "replicated"}
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    fast = {"port": port, "repl-diskless-sync": "yes", "repl-diskless-sync-delay": "0"}
    with RedisServer(fsync="no", config=fast) as main, RedisServer(fsync="no") as replica:
        with redis.Redis(unix_socket_path=str(replica.socket)) as client:
            client.replicaof("127.0.0.1", port)
        with (
            redis.Redis(unix_socket_path=str(main.socket)) as client,
            WarlogServer(tmp_path, redis=main.url, environment=replicated) as server,
            Api(server.url) as api,
        ):
            eventually(lambda: client.wait(1, 500) == 1)
            ada = api.player()
            match = ada.alone()
            os.kill(replica.pid, signal.SIGSTOP)
            try:
                answer = ada.act(match, "red", RESIGN, idempotency_key="once")
                refused(answer, 503, "unconfirmed")
                assert int(answer.headers["retry-after"]) >= 1
            finally:
                os.kill(replica.pid, signal.SIGCONT)
            eventually(lambda: client.wait(1, 500) == 1)
            first = ok(ada.act(match, "red", RESIGN, idempotency_key="once"), 201)
            again = ok(ada.act(match, "red", RESIGN, idempotency_key="once"), 201)
            assert first == again
            assert (first["version"], ada.match(match)["version"]) == (3, 3)


def test_an_outsider_proposes_accepts_and_rejects_nothing(api: Api) -> None:
    red, blue, match = two(api)
    version = ok(red.command(match, proposal("undo", to=4)), 201)["version"]
    eve = api.player()
    for command in (
        proposal("undo", to=4),
        proposal("rematch"),
        {"type": "accept", "proposal": version},
        {"type": "reject", "proposal": version},
    ):
        refused(eve.command(match, command), 403, "not_your_seat")
        refused(api.command(match, command), 401, "unauthenticated")
    assert red.match(match)["version"] == version
    ok(blue.command(match, {"type": "reject", "proposal": version}), 201)


def test_a_finished_match_that_is_taken_back_draws_from_a_new_seed_that_its_end_publishes(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    ada.defend(match)
    old = ada.match(match)["seed_commitment"]
    ended = ada.resign(match, "red")
    assert list(ended["seeds"]) == [old]
    back = ok(ada.command(match, proposal("undo", to=3)), 201)
    new = back["seed_commitment"]
    assert new != old
    now = ada.match(match)
    assert (now["seed_commitment"], now["status"], now["result"]) == (new, "playing", None)
    assert new not in str(ok(ada.get(f"/matches/{match}/export")).get("seeds"))
    ada.defend(match)
    seeds = ada.resign(match, "blue")["seeds"]
    assert list(seeds) == [new]
    assert hashlib.sha256(bytes.fromhex(seeds[new])).hexdigest() in new
    assert ok(ada.get(f"/matches/{match}/verify"))["status"] == "verified"


def test_every_command_of_every_kind_is_exactly_one_version(api: Api) -> None:
    red, blue = api.player(), api.player()
    match = red.create(seats={"red": "me"})["match"]["id"]
    kinds: set[str] = set()
    version = 1

    def one(answer: httpx.Response, type_: str) -> int:
        nonlocal version
        done = answer.json()
        assert answer.status_code in (200, 201), answer.text
        version += 1
        events = ok(red.get(f"/matches/{match}/events?limit=1000"))["events"]
        now = done if "type" in done else done["match"]
        assert (now["version"], len(events)) == (version, version)
        assert events[-1]["type"] == type_ == done.get("type", type_)
        kinds.add(type_)
        return version

    def agreed(type_: str, kind: str, **fields: Any) -> None:
        made = one(red.command(match, proposal(kind, **fields)), "proposal_made")
        one(blue.command(match, {"type": "accept", "proposal": made}), type_)

    seat = f"/matches/{match}/seats/blue"
    one(blue.put(seat, {}), "seat_taken")
    one(blue.delete(seat), "seat_left")
    one(blue.put(seat, {}), "seat_taken")
    agreed("options_changed", "options", options={"round_limit": 9})
    made = one(red.command(match, proposal("abort")), "proposal_made")
    one(blue.command(match, {"type": "reject", "proposal": made}), "proposal_rejected")
    one(red.command(match, {"type": "prepare", "seat": "red"}), "seat_prepared")
    one(blue.command(match, {"type": "prepare", "seat": "blue"}), "match_started")
    started = version
    one(red.act(match, "red", RESIGN), "action_taken")
    agreed("time_travelled", "undo", to=started)
    position = {"phase": "play", "stacks": [{"seat": s, "unit": "wolf", "space": at, "count": 5}
                for s, at in (("red", "b2"), ("blue", "h6"))]}  # fmt: skip
    agreed("position_edited", "edit", position=position)
    one(blue.act(match, "blue", RESIGN), "action_taken")
    agreed("rematch_agreed", "rematch")
    match = red.create(seats={"red": "me", "blue": blue.id}, options={"seats": 3})["match"]["id"]
    version = 1
    one(blue.post(f"/matches/{match}/decline", {"reason": "later"}), "challenge_declined")
    match = red.create(seats={"red": "me", "blue": blue.id})["match"]["id"]
    version = 1
    one(blue.put(f"/matches/{match}/seats/blue", {}), "seat_prepared")  # a challenge that is taken up
    agreed("became_competitive", "competitive")
    agreed("match_aborted", "abort")
    match = red.create(seating="wish")["match"]["id"]
    version = 1
    one(red.post(f"/matches/{match}/join", {"wish": "red"}), "player_joined")
    one(blue.post(f"/matches/{match}/join", {"wish": "red"}), "seats_assigned")
    assert (
        len(kinds) == 16
    )  # all that a player may cause after `match_created`, but the acceptance of one of several


def test_nothing_is_appended_by_any_refusal(api: Api) -> None:
    red, blue, match = two(api)
    eve = api.player()
    open_ = ok(red.command(match, proposal("undo", to=4)), 201)["version"]
    seat = red.match(match)["to_act"][0]
    mover, other = (red, "blue") if seat == "red" else (blue, "red")
    path = f"/matches/{match}"
    ok(red.act(match, "red", {"type": "resign"}, idempotency_key="k"), 201)
    back = ok(red.command(match, proposal("undo", to=4)), 201)["version"]
    ok(blue.command(match, {"type": "accept", "proposal": back}), 201)
    open_ = ok(red.command(match, proposal("undo", to=4)), 201)["version"]
    before = red.get(f"{path}/events?limit=1000").content, red.get(path).content
    calls: list[tuple[httpx.Response, int, str]] = [
        (mover.act(match, seat, {"type": "fly"}), 422, "malformed_action"),
        (mover.act(match, seat, {"type": "defend", "piece": 99}), 422, "not_active_piece"),
        (mover.act(match, other, RESIGN), 403, "not_your_seat"),
        (mover.act(match, "green", RESIGN), 404, "unknown_seat"),
        (eve.act(match, seat, RESIGN), 403, "not_your_seat"),
        (api.act(match, seat, RESIGN), 401, "unauthenticated"),
        (mover.act(match, seat, RESIGN, if_match='"1"'), 409, "version_conflict"),
        (mover.act(match, seat, RESIGN, if_match="x"), 400, "bad_parameter"),
        (mover.act(match, seat, RESIGN, idempotency_key=""), 400, "bad_parameter"),
        (red.act(match, "red", {"type": "fly"}, idempotency_key="k"), 409, "idempotency_key_reused"),
        (mover.command(match, {"type": "dance"}), 400, "malformed_body"),
        (mover.http.post(f"{path}/commands", content=b" " * 300_000), 413, "body_too_large"),
        (red.command(match, {"type": "prepare", "seat": "red"}), 409, "wrong_status"),
        (red.command(match, {"type": "accept", "proposal": open_}), 409, "wrong_status"),
        (blue.command(match, {"type": "accept", "proposal": 1}), 409, "proposal_changed"),
        (red.command(match, proposal("undo", to=999)), 404, "unknown_version"),
        (red.command(match, proposal("options", scenario="sc_none")), 404, "unknown_scenario"),
        (red.command(match, proposal("options", options={"wings": 1})), 422, "invalid_options"),
        (red.command(match, proposal("edit", position={"x": 1})), 422, "invalid_position"),
        (red.command(match, proposal("competitive")), 409, "wrong_status"),
        (red.command(match, proposal("rematch")), 409, "wrong_status"),
        (red.command(match, proposal("abort")), 409, "wrong_status"),
        (eve.put(f"{path}/seats/red", {}), 409, "wrong_status"),
        (red.delete(f"{path}/seats/red"), 409, "wrong_status"),
        (eve.post(f"{path}/join", {}), 409, "wrong_status"),
        (red.get(f"{path}/view?seat=red&at=1"), 404, "no_view"),
    ]
    for answer, status, code in calls:
        refused(answer, status, code)
    assert (red.get(f"{path}/events?limit=1000").content, red.get(path).content) == before


def test_lists_give_no_more_than_their_most_however_much_is_asked_for(api: Api) -> None:
    ada = api.player()
    lobby = {"game": "hex", "options": SMALL}
    position = {"phase": "play", "stacks": [{"seat": s, "unit": "wolf", "space": at, "count": 5}
                for s, at in (("red", "b2"), ("blue", "h6"))]}  # fmt: skip
    eve = api.player()  # nobody may keep more scenarios than a page has, so these are the public ones of two
    for _ in range(201):
        ok(ada.post("/matches", lobby), 201)
    for player in (ada, eve):
        for _ in range(101):
            scenario = {
                "game": "hex",
                "name": "x",
                "options": {"width": 9, "height": 7},
                "position": position,
            }
            ok(player.post("/scenarios", {**scenario, "visibility": "public"}), 201)
    for path, name in (
        ("/matches?player=me&limit=1000000", "matches"),
        ("/scenarios?limit=1000000", "scenarios"),
    ):
        eventually(lambda: ok(ada.get(path))["next"])  # noqa: B023
        assert len(ok(ada.get(path))[name]) == 200
        refused(ada.get(path.replace("1000000", "0")), 400, "bad_parameter")


def test_the_tree_and_the_history_come_in_pages_of_at_most_five_thousand(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    for _ in range(8):
        ada.defend(match)
    record = ok(ada.get(f"/matches/{match}/export"))
    steps = [{name: event[name] for name in ("seat", "action", "draws")} for event in record["events"]]
    again = [*steps[4:7], {**steps[7], "draws": steps[3]["draws"]}]  # a round that may follow on itself
    bare = {"game": "hex", "options": record["options"], "setup": {"draws": record["setup"]["draws"]}}
    long = ok(ada.post("/matches/import", {**bare, "events": steps[:4] + again * 1251}), 201)["match"]
    assert long["version"] == 2 + 5008
    tree = ok(ada.get(f"/matches/{long['id']}/timeline?limit=1000000"))
    assert (len(tree["nodes"]), tree["next"]) == (5000, 5000)
    history = ada.get(f"/matches/{long['id']}/history?limit=1000000")
    assert len(history.text.splitlines()) in (4999, 5000)  # the start has its place, and may have no line
    rest = ada.get(history.headers["link"].split("<")[1].split(">")[0].removeprefix("/v1"))
    assert 0 < len(rest.text.splitlines()) < 20
    events = ok(ada.get(f"/matches/{long['id']}/events?limit=1000000"))
    assert (len(events["events"]), events["next"]) == (1000, 1000)
