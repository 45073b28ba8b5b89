"""`warlog archive` beside a running service: every route answers to the byte as it did before."""

from __future__ import annotations

import itertools
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.servers import RedisServer, WarlogServer
from tests.service.api import UNLIMITED, Api, Feed, ok, refused, two

OF_THE_REQUEST = ("date", "server", "x-request-id")
AFTER_DEATH = 4  # archivings that are killed


class Place:
    """One Redis, an archive beside it, and a service that knows both."""

    def __init__(self, folder: Path, redis: RedisServer) -> None:
        self.folder = folder / "archive"
        self.redis = redis
        self.known = ["--redis", redis.url, "--archive", str(self.folder)]
        self.server = WarlogServer(
            folder, redis=redis.url, environment=UNLIMITED, arguments=["--archive", str(self.folder)]
        )

    def command(self, name: str, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "warlog_service", name, *self.known, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def archive(self, *arguments: str, days: str = "0") -> tuple[int, str, str]:
        """Exit code, standard output and error."""
        process = self.command("archive", "--older-than", days, *arguments)
        out, error = process.communicate(timeout=120)
        return process.returncode, out, error


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with RedisServer(fsync="no") as redis:
        found = Place(tmp_path, redis)
        with found.server:
            yield found


def table_of(place: Place) -> tuple[list[Api], list[str]]:
    """A stranger, three players, and matches of several kinds that are over."""
    stranger = Api(place.server.url)
    red, blue, duel = two(stranger, mode="competitive", move_seconds=600)
    eve = stranger.player("eve")
    rng = random.Random(1)
    lines = red.alone()
    for _ in range(2):
        for _ in range(8):
            seat = red.match(lines)["to_act"][0]
            actions = ok(red.get(f"/matches/{lines}/actions?seat={seat}"))["actions"]
            ok(
                red.act(
                    lines,
                    seat,
                    rng.choice([one for one in actions if one["type"] not in ("resign", "offer_draw")]),
                ),
                201,
            )
        ok(red.command(lines, {"type": "propose", "proposal": {"kind": "undo", "to": 5}}), 201)
    red.resign(lines, red.match(lines)["to_act"][0])
    blue.resign(duel, "blue")
    private = eve.create(seats={"red": "me", "blue": "invite"}, visibility="private")["match"]["id"]
    ok(eve.command(private, {"type": "propose", "proposal": {"kind": "abort"}}), 201)
    hidden = eve.create(seats={"red": "me", "blue": "bot:1"}, visibility="private")["match"]["id"]
    eve.resign(hidden, "red")
    return [stranger, red, blue, eve], [lines, duel, private, hidden]


def answers(people: list[Api], matches: list[str], url: str) -> dict[tuple[int, str], Any]:
    """Status, body and what matters of the headers, for everybody and every route that reads a match."""
    found: dict[tuple[int, str], Any] = {}
    for number, match in itertools.product(range(len(people)), matches):
        who = Api(url, people[number].token)
        paths = [
            *("", "/view", "/view?seat=red", "/view?seat=blue&at=4", "/view?seat=all&at=5", "/actions?seat=red&at=4"),
            *("/events?limit=500", "/events?after=3&limit=2", "/events?seat=red", "/timeline", "/timeline?after=4"),
            *("/history", "/history?limit=2", "/board", "/export", "/verify"),
        ]  # fmt: skip
        for path in paths:
            answer = who.get(f"/matches/{match}{path}")
            headers = {name: value for name, value in answer.headers.items() if name not in OF_THE_REQUEST}
            found[number, f"{match}{path}"] = answer.status_code, headers, answer.content
            if tag := answer.headers.get("etag"):
                again = who.get(f"/matches/{match}{path}", headers={"if-none-match": tag})
                found[number, f"304 {match}{path}"] = again.status_code, again.content
        version = who.get(f"/matches/{match}")
        if version.status_code == 200:
            for after in (0, 2):
                with Feed(f"{url}/v1/matches/{match}/feed?after={after}", who.token) as feed:
                    assert feed.status == 200
                    feed.take(version.json()["match"]["version"] - after)
                    found[number, f"{match}/feed?after={after}"] = feed.raw
        who.http.close()
    for number, person in enumerate(people):
        listed = ok(httpx.get(f"{url}/v1/matches", headers=dict(person.http.headers)))["matches"]
        found[number, "list"] = [one for one in listed if one["id"] in matches]
    return found


def test_every_route_answers_to_the_byte_as_before(place: Place) -> None:
    people, matches = table_of(place)
    running = people[1].alone()
    url = place.server.url
    before = answers(people, matches, url)
    assert {answer[0] for answer in before.values() if isinstance(answer, tuple)} == {200, 304, 403, 404, 409}
    code, out, error = place.archive()
    assert (code, error) == (0, ""), error
    assert re.fullmatch(r"4 archived \(\d+ bytes\), 0 failed\n", out)
    assert answers(people, matches, url) == before  # from the memory of a process that has played them
    place.server.stop()
    place.server.start()
    assert answers(people, matches, place.server.url) == before
    place.server.stop()
    place.server.start()
    again = answers(people[::-1], matches[::-1], place.server.url)  # whoever asks first
    assert {(3 - number, name): answer for (number, name), answer in again.items()} == before
    assert place.archive() == (0, "0 archived (0 bytes), 0 failed\n", "")
    assert (
        people[1].http.get(f"{place.server.url}/v1/matches/{running}").json()["match"]["status"] == "playing"
    )
    files = [path for path in place.folder.rglob("*") if path.is_file()]
    assert sorted(path.name.split(".")[0] for path in files) == sorted(matches)
    for path in files:
        run = subprocess.run(
            [sys.executable, "-m", "warlog_service", "verify", str(path)], capture_output=True, text=True
        )
        assert (run.returncode, run.stdout.split(":")[0]) == (0, "verified")


def test_an_archived_match_is_taken_back_played_on_and_has_its_rematch(place: Place) -> None:
    people, (lines, duel, _, _) = table_of(place)
    assert place.archive()[0] == 0
    _, red, blue, _ = people
    ok(red.command(lines, {"type": "propose", "proposal": {"kind": "undo", "to": 5}}), 201)
    assert red.match(lines)["status"] == "playing"
    red.resign(lines, red.match(lines)["to_act"][0])
    assert ok(red.get(f"/matches/{lines}/verify"))["status"] == "verified"
    proposed = ok(red.command(duel, {"type": "propose", "proposal": {"kind": "rematch"}}), 201)
    agreed = ok(blue.command(duel, {"type": "accept", "proposal": proposed["version"]}), 201)
    assert red.match(agreed["match"])["rematch_of"] == duel
    refused(red.command(duel, {"type": "propose", "proposal": {"kind": "undo", "to": 5}}), 403, "competitive")
    assert place.archive()[1].startswith("2 archived")


def test_matches_are_restored_by_name_and_young_ones_stay(place: Place) -> None:
    people, (lines, duel, *_) = table_of(place)
    assert place.archive(days="1")[1] == "0 archived (0 bytes), 0 failed\n"
    assert place.archive("--limit", "3")[1].startswith("3 archived")
    assert place.archive()[1].startswith("1 archived")
    restore = place.command("restore", lines, duel, "m_017_aaaaaaaaaaaaaaaa", "../../etc/passwd")
    out, error = restore.communicate(timeout=60)
    assert restore.returncode == 1
    assert out == f"{lines}: restored\n{duel}: restored\n"
    assert error == "m_017_aaaaaaaaaaaaaaaa: not in the archive\n../../etc/passwd: not in the archive\n"
    assert place.archive()[1].startswith("2 archived")
    assert people[1].match(lines)["status"] == "finished"


def test_a_service_without_the_archive_says_that_it_cannot_answer(place: Place, tmp_path: Path) -> None:
    people, (lines, *_) = table_of(place)
    assert place.archive()[0] == 0
    with WarlogServer(tmp_path, redis=place.redis.url, environment=UNLIMITED) as ignorant:
        answer = httpx.get(f"{ignorant.url}/v1/matches/{lines}")
        refused(answer, 503, "unavailable")
        assert httpx.get(f"{ignorant.url}/v1/matches").status_code == 200
    for arguments in ([], ["--archive", "nonsense://x"]):
        command = [sys.executable, "-m", "warlog_service", "archive", "--redis", place.redis.url, *arguments]
        run = subprocess.run(command, capture_output=True, text=True)
        assert run.returncode == 1
        assert "archive" in run.stderr.lower()
        assert "Traceback" not in run.stderr
    assert people[1].match(lines)["status"] == "finished"


def test_killed_in_the_middle_of_archiving_every_answer_stays_what_it_was(place: Place) -> None:
    people, matches = table_of(place)
    ada = people[1]
    matches += [ada.alone() for _ in range(60)]
    for match in matches[4:]:
        ada.resign(match, "red")
    before = {match: ada.get(f"/matches/{match}/export").content for match in matches}
    moved, rng = set(), random.Random(3)
    for _ in range(AFTER_DEATH):
        process = place.command("archive", "--older-than", "0")
        first, deadline = len(list(place.folder.rglob("m_*"))), time.monotonic() + 20
        while len(list(place.folder.rglob("m_*"))) == first and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.03))
        process.send_signal(signal.SIGKILL)
        process.wait()
        moved.add(len(list(place.folder.rglob("m_*"))))
        if process.returncode == 0:
            break
    assert len(moved) > 1
    place.server.stop()
    place.server.start()
    here = Api(place.server.url, ada.token)
    assert {match: here.get(f"/matches/{match}/export").content for match in matches} == before
    assert place.archive()[0] == 0
    assert {match: here.get(f"/matches/{match}/export").content for match in matches} == before
    assert os.path.isdir(place.folder)
