"""Health and the process itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import httpx
import msgspec

from tests.servers import WarlogServer
from tests.service.api import UNLIMITED, Api, ok


def test_live_and_ready_say_so(server: WarlogServer) -> None:
    assert httpx.get(f"{server.url}/health/live").json() == {"status": "live"}
    assert httpx.get(f"{server.url}/health/ready").json() == {"status": "ready"}
    assert httpx.get(f"{server.url}/v1/health/ready").json() == {"status": "ready"}


def test_verify_judges_a_record_without_a_server(api: Api, tmp_path: Path) -> None:
    ada = api.player()
    match = ada.alone()
    ada.defend(match)
    ada.resign(match, "red")
    record = ok(ada.get(f"/matches/{match}/export"))
    whole, altered = tmp_path / "whole.json", tmp_path / "altered.json"
    whole.write_bytes(msgspec.json.encode(record))
    record["events"][0]["hash"] = "0" * 16
    altered.write_bytes(msgspec.json.encode(record))
    command = [sys.executable, "-m", "warlog_service", "verify"]
    good = subprocess.run([*command, str(whole)], capture_output=True, text=True, check=False)
    bad = subprocess.run([*command, str(altered)], capture_output=True, text=True, check=False)
    assert (good.returncode, good.stdout) == (0, "verified: 2 events\n")
    assert bad.returncode == 1
    assert bad.stdout.startswith("failed at version 3")
    for hostile in (b"", b"[]", b"\xff", b'{"warlog_record": 1}', b"[" * 100_000):
        whole.write_bytes(hostile)
        done = subprocess.run([*command, str(whole)], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (1, ""), hostile[:20]


def test_the_read_models_are_made_again_by_one_command(tmp_path: Path) -> None:
    with WarlogServer(tmp_path, environment=UNLIMITED) as server, Api(server.url) as api:
        ada = api.player()
        matches = {ada.alone() for _ in range(3)}
        command = [sys.executable, "-m", "warlog_service", "rebuild", "--data", str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, "3 matches\n")
        assert {
            match["id"] for match in ok(ada.get("/matches", params={"player": "me"}))["matches"]
        } == matches


def test_two_servers_on_one_data_directory_show_each_others_events(tmp_path: Path) -> None:
    with (
        WarlogServer(tmp_path, environment=UNLIMITED) as first,
        WarlogServer(tmp_path, environment=UNLIMITED) as second,
        Api(first.url) as api,
    ):
        ada = api.player()
        match = ada.alone()
        elsewhere = Api(second.url, ada.token)
        with elsewhere.feed(match, after=2) as feed:
            ada.defend(match)
            elsewhere.defend(match)
            ada.defend(match)
            assert [number for number, _, _ in feed.take(3)] == [3, 4, 5]
        made = ok(ada.post("/tokens", {"label": "x"}), 201)
        other = Api(second.url, made["token"])
        ok(other.get("/players/me"))
        assert ada.delete(f"/tokens/{made['id']}").status_code == 204
        from tests.service.waiting import eventually

        eventually(lambda: other.get("/players/me").status_code == 401, 2)
