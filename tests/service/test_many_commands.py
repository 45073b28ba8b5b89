"""Commands that come at the same time are answered as if each had come alone, whatever becomes of the others."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import redis as redis_py
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from tests.servers import RedisServer, WarlogServer
from tests.service.api import UNLIMITED, Api, ok, two
from tests.service.figures import figure, figures
from tests.service.waiting import eventually
from tests.service.wire import exchange
from warlog_events.match.draft import Draft
from warlog_service.app import Front
from warlog_service.server import Server, config
from warlog_service.settings import Settings
from warlog_service.uvicorn_protocol import WarlogProtocol

# A request behind which something comes that is none: it is refused when all before has been answered.
GARBAGE = b"GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n\x00garbage\r\n\r\n"


def post(player: Api, match: str, command: object, **headers: str) -> bytes:
    """The request as bytes."""
    body = command if isinstance(command, bytes) else json.dumps(command).encode()
    lines = [
        f"POST /v1/matches/{match}/commands HTTP/1.1",
        "host: x",
        f"authorization: Bearer {player.token}",
    ]
    lines += [f"{name}: {value}" for name, value in {**headers, "content-length": len(body)}.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def defend(player: Api, match: str) -> dict[str, Any]:
    """A command of whoever is to move."""
    active = ok(player.get(f"/matches/{match}/view"))["view"]["active"]
    seat = player.match(match)["to_act"][0]
    return {"type": "act", "seat": seat, "action": {"type": "defend", "piece": active}}


async def answers(api: Api, *requests: bytes) -> list[tuple[int, dict[str, str], Any]]:
    """Each over a connection of its own, all written in one go."""
    host, _, port = api.url.removeprefix("http://").partition(":")
    wires = [await asyncio.open_connection(host, int(port)) for _ in requests]
    for (_, writer), request in zip(wires, requests, strict=True):
        writer.write(request)
    found = [await asyncio.wait_for(answer(reader), 20) for reader, _ in wires]
    for _, writer in wires:
        writer.close()
    return found


async def answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, str], Any]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
    body = await reader.readexactly(int(headers["content-length"]))
    return int(head[0].split()[1]), headers, json.loads(body)


async def test_commands_of_many_matches_at_once_are_each_answered_with_their_own(api: Api) -> None:
    players = [api.player() for _ in range(20)]
    matches = [player.alone() for player in players]
    requests = [
        post(player, match, defend(player, match)) for player, match in zip(players, matches, strict=True)
    ]
    found = await answers(api, *requests)
    assert [status for status, _, _ in found] == [201] * 20
    assert len({headers["x-request-id"] for _, headers, _ in found}) == 20
    for player, match, (_, _, body) in zip(players, matches, found, strict=True):
        assert player.match(match)["version"] == body["version"] == 3
        newest = ok(player.get(f"/matches/{match}/events?after=2"))["events"]
        assert newest == [{name: body[name] for name in newest[0]}]


async def test_good_and_bad_ones_do_not_disturb_each_other(server: WarlogServer, api: Api) -> None:
    ada, eve = api.player(), api.player()
    stranger = Api(api.url, "wl_nobody")
    matches = [ada.alone() for _ in range(3)]
    good = [defend(ada, match) for match in matches]
    before = figures(server, "warlog_commands_total")
    found = await answers(
        api,
        post(ada, matches[0], good[0]),
        post(ada, matches[1], b"{"),
        post(eve, matches[1], good[1]),
        post(stranger, matches[1], good[1]),
        post(ada, "m_000_aaaaaaaaaaaaaaaa", good[1]),
        post(ada, "nonsense", good[1]),
        post(ada, matches[1], {**good[1], "action": {"type": "fly"}}),
        post(ada, matches[1], {**good[1], "seat": "green"}),
        post(ada, matches[1], good[1], **{"if-match": '"1"'}),
        post(ada, matches[1], good[1], **{"if-match": "soon"}),
        post(ada, matches[1], good[1], **{"idempotency-key": "k" * 300}),
        post(ada, matches[2], good[2]),
    )
    codes = [(status, body.get("code")) for status, _, body in found]
    assert codes == [
        (201, None),
        (400, "malformed_body"),
        (403, "not_your_seat"),
        (401, "unauthenticated"),
        (404, "unknown_match"),
        (404, "unknown_match"),
        (422, "malformed_action"),
        (404, "unknown_seat"),
        (409, "version_conflict"),
        (400, "bad_parameter"),
        (400, "bad_parameter"),
        (201, None),
    ]
    assert [ada.match(match)["version"] for match in matches] == [3, 2, 3]
    after = figures(server, "warlog_commands_total")
    assert after["hex", "done"] == before.get(("hex", "done"), 0) + 2
    assert after["hex", "not_your_seat"] == before.get(("hex", "not_your_seat"), 0) + 1
    assert after["hex", "rules"] == before.get(("hex", "rules"), 0) + 1


async def test_of_many_on_one_match_as_many_are_done_as_it_has_events_more(api: Api) -> None:
    red, blue, match = two(api, options={"army": "preset"})
    command = defend(red, match)
    mover = red if command["seat"] == "red" else blue
    start = red.match(match)["version"]
    found = await answers(api, *[post(mover, match, command) for _ in range(12)])
    done = [body["version"] for status, _, body in found if status == 201]
    assert sorted(done) == list(range(start + 1, start + 1 + len(done)))
    assert done
    assert {status for status, _, _ in found} <= {201, 409, 422}
    now = red.match(match)
    assert now["version"] == start + len(done)


async def test_one_key_is_one_event_however_many_ask_at_once(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    request = post(ada, match, defend(ada, match), **{"idempotency-key": "once"})
    found = await answers(api, *[request] * 10)
    assert [status for status, _, _ in found] == [201] * 10
    assert all(body == found[0][2] for _, _, body in found)
    assert ada.match(match)["version"] == 3


async def test_a_body_may_come_later_and_in_pieces(api: Api) -> None:
    ada = api.player()
    host, _, port = api.url.removeprefix("http://").partition(":")
    for pieces in (2, 5, 40):
        match = ada.alone()
        request = post(ada, match, defend(ada, match))
        reader, writer = await asyncio.open_connection(host, int(port))
        size = -(-len(request) // pieces)
        for at in range(0, len(request), size):
            writer.write(request[at : at + size])
            await asyncio.sleep(0.003)
        status, _, body = await asyncio.wait_for(answer(reader), 10)
        assert (status, body["version"]) == (201, 3)
        writer.close()


async def test_pipelined_commands_are_answered_in_their_order(api: Api) -> None:
    ada = api.player()
    match = ada.alone(options={"army": "preset"})
    host, _, port = api.url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    note = {"type": "propose", "proposal": {"kind": "undo", "to": 2}}
    one = post(ada, match, defend(ada, match))
    view = (
        f"GET /v1/matches/{match} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {ada.token}\r\n\r\n".encode()
    )
    writer.write(one + view + post(ada, match, note) + one + view)
    found = [await asyncio.wait_for(answer(reader), 10) for _ in range(5)]
    assert [status for status, _, _ in found] == [201, 200, 201, 201, 200]
    assert [found[i][2]["version"] for i in (0, 2, 3)] == [3, 4, 5]
    writer.close()


async def test_who_goes_away_at_once_is_done_all_the_same_and_others_hear_of_it(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    host, _, port = api.url.removeprefix("http://").partition(":")
    with ada.feed(match, after=2) as feed:
        _, writer = await asyncio.open_connection(host, int(port))
        writer.write(post(ada, match, defend(ada, match)))
        writer.close()
        version, name, _ = await asyncio.to_thread(next, feed)
    assert (version, name) == (3, "action_taken")
    eventually(lambda: ada.match(match)["version"] == 3)


def test_redis_gone_and_back_again_leaves_nobody_without_an_answer(tmp_path: Path) -> None:
    with (
        RedisServer(fsync="always") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment=UNLIMITED) as server,
        Api(server.url) as api,
    ):
        ada = api.player()
        matches = [ada.alone() for _ in range(8)]
        commands = [defend(ada, match) for match in matches]
        redis.kill()
        found = asyncio.run(
            answers(
                api, *[post(ada, match, command) for match, command in zip(matches, commands, strict=True)]
            )
        )
        assert {(status, body["code"]) for status, _, body in found} <= {
            (503, "unavailable"),
            (503, "unconfirmed"),
        }
        assert all("retry-after" in headers for _, headers, _ in found)
        redis.start()
        for match, command in zip(matches, commands, strict=True):
            eventually(partial(_is_done, ada, match, command))
            assert ada.match(match)["version"] == 3


def _is_done(player: Api, match: str, command: dict[str, Any]) -> bool:
    return player.command(match, command).status_code == 201


@asynccontextmanager
async def within(front: Front, settings: Settings) -> AsyncIterator[int]:
    """The port of a server in this process."""
    await front.start()
    server = Server(config(front, settings), front)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await serving
        await front.stop()


async def test_a_connection_that_ends_takes_no_others_answer_with_it(tmp_path: Path) -> None:
    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment=UNLIMITED) as server,
        Api(server.url) as api,
    ):
        ada, eve = api.player(), api.player()
        hers, mine = eve.alone(), ada.alone()
        bad, good = post(eve, hers, defend(eve, hers)), post(ada, mine, defend(ada, mine))
        host, _, port = api.url.removeprefix("http://").partition(":")
        (_, first), (reader, second) = [await asyncio.open_connection(host, int(port)) for _ in range(2)]
        with redis_py.Redis(unix_socket_path=str(redis.socket)) as client:
            client.execute_command("CLIENT", "PAUSE", 600, "WRITE")  # both replies will come in one piece
        for writer, request in ((first, bad), (second, good), (first, GARBAGE)):
            writer.write(request)
            await asyncio.sleep(0.05)
        status, _, body = await asyncio.wait_for(answer(reader), 5)
        assert (status, body["version"]) == (201, 3)
        assert eve.match(hers)["version"] == 3
        first.close()
        second.close()


async def test_a_feed_whose_connection_ends_is_nobody_elses_matter(server: WarlogServer, api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    host, _, port = api.url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    head = f"GET /v1/matches/{match}/feed?after=2 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {ada.token}\r\n\r\n"
    with ada.feed(match, after=2) as other:
        writer.write(head.encode())
        await reader.readuntil(b"\r\n\r\n")
        await asyncio.sleep(0.2)  # until it waits for news
        writer.write(GARBAGE)
        await asyncio.sleep(0.2)
        assert ada.command(match, defend(ada, match)).status_code == 201
        assert (await asyncio.to_thread(next, other))[0] == 3
    writer.close()
    await writer.wait_closed()
    eventually(lambda: figure(server, "warlog_feeds_open") == 0)


async def test_each_is_logged_under_its_own_id_and_match(tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as errors:
        environment = {**UNLIMITED, "WARLOG_ACCESS_LOG": "1", "WARLOG_LOG_FORMAT": "json"}
        with (
            WarlogServer(tmp_path / "data", environment=environment, errors=errors) as server,
            Api(server.url) as api,
        ):
            ada = api.player()
            matches = [ada.alone() for _ in range(6)]
            names = {f"command-{number}": match for number, match in enumerate(matches)}
            found = await answers(
                api,
                *[
                    post(ada, match, defend(ada, match), **{"x-request-id": name})
                    for name, match in names.items()
                ],
            )
            assert [status for status, _, _ in found] == [201] * 6
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    logged = {
        line["request_id"]: line["match"]
        for line in lines
        if line.get("request_id", "").startswith("command-")
    }
    assert logged == names


async def test_commands_and_their_connections_leave_nothing_for_the_collector() -> None:
    with RedisServer(fsync="no") as redis:
        settings = Settings(port=0, redis=redis.url, bots=0)  # bots would have connections of their own
        async with within(Front(settings), settings) as port:

            def play() -> None:
                with Api(f"http://127.0.0.1:{port}") as api:
                    ada = api.player()
                    match = ada.alone()
                    refused = post(ada, match, {"type": "act", "seat": "red", "action": {"type": "fly"}})
                    for _ in range(10):
                        ada.defend(match)
                        assert ada.act(match, "red", {"type": "fly"}).status_code == 422
                        alone = exchange(api.url, refused)
                        assert alone is not None
                        assert alone.status == 422

            gc.collect()
            gc.disable()
            try:
                await asyncio.to_thread(play)
                await asyncio.sleep(0.1)  # until the server has heard that connections are closed
                kinds = Draft | RequestResponseCycle | WarlogProtocol
                left = [thing for thing in gc.get_objects() if isinstance(thing, kinds)]
            finally:
                gc.enable()
            assert len(left) <= 4  # a connection that is still open, and its last request
