"""Requests of a public set (http_cases/README.md), and one header that frames a body, misspelt with every byte: each is
sent to a real server, alone and through a real nginx.

What holds for each, whatever the set expects of it: the answers are 2xx or 4xx; no byte of a body is answered as a
request of its own; others, on connections of their own, get their own answers; the process lives, and its memory stays
within a bound."""

from __future__ import annotations

import itertools
import json
import socket
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import pytest

from tests.nginx import nginx
from tests.servers import WarlogServer
from tests.service.api import UNLIMITED, Api
from tests.service.bounds import Bounded
from tests.service.test_http import INNER, LAST, statuses

Case = TypeVar("Case")
Found = TypeVar("Found")

AT_ONCE = 8
MEMORY_MAX = 24_000_000
CPU_SECONDS_MAX = 0.02  # for each request, its connection and what others ask meanwhile
REFUSALS = {400, 408, 413, 431}
LIVE = b'{"status":"live"}'

CASES = json.loads((Path(__file__).parent / "http_cases" / "gunicorn.json").read_text())

_LIMIT = "gunicorn is told to take fewer or shorter headers than we do (header_bytes_max)"
_UNDERSCORE = "a name with an underscore is another header, which nothing here looks at"
_CODING = "no transfer coding but `chunked`, alone and once, is taken"
_METHOD = "a method that the parser does not know"
_FOLD = "gunicorn is told to take folded headers, which a server may refuse"
_PROXY_LINE = "the PROXY protocol is not spoken"
_NO_PROXY = "a form of target for proxies, or of the whole server"

DIFFERENT: dict[str, str] = {
    "invalid/009": _LIMIT,
    "invalid/010": _LIMIT,
    "invalid/011": _LIMIT,
    "invalid/012": _LIMIT,
    "invalid/019": "what says whether a proxy had TLS is not used",
    "invalid/040": _UNDERSCORE,
    "invalid/041": "a second Content-Type frames nothing",
    "invalid/chunked_07": _UNDERSCORE,
    "invalid/rfc9110_trailer_forbidden_host_01": "trailers are dropped, so that no trailer is a Host",
    "invalid/rfc9112_leading_crlf_02": "empty lines before a request are skipped, and count as bytes of its head",
    "valid/005": "a target has no fragment",
    "valid/013": "whitespace in chunk extensions is refused, since some take it for the end of the size",
    "valid/025": _CODING,
    "valid/025_line": _CODING,
    "valid/028": "gunicorn is told to take whitespace before a colon",
    "valid/029": _CODING,
    "valid/030": _CODING,
    "valid/031": _METHOD,
    "valid/031compat": _METHOD,
    "valid/031compat2": _METHOD,
    "valid/compat_obs_fold": _FOLD,
    "valid/compat_obs_fold_huge": _FOLD,
    "valid/pp_01": _PROXY_LINE,
    "valid/pp_02": _PROXY_LINE,
    "valid/pp_04": _PROXY_LINE,
    "valid/pp_05": _PROXY_LINE,
    "valid/rfc9112_smuggle_gzip_chunked_01": _CODING,
    "valid/rfc9112_smuggle_te_identity_chunked_01": _CODING,
    "valid/rfc9112_target_absolute_userinfo_01": "a target with a user is refused, as RFC 9110, 4.2.4, advises",
    "valid/rfc9112_target_asterisk_options_01": _NO_PROXY,
    "valid/rfc9112_target_authority_connect_01": _NO_PROXY,
    "valid/rfc9112_target_authority_ipv6_01": _NO_PROXY,
}
"""Where our verdict is the other one than the set's, and why."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarlogServer]:
    # What does not come in whole is given up after a second, so that each case comes to its end.
    environment = {**UNLIMITED, "WARLOG_REQUEST_SECONDS_MAX": "1"}
    with WarlogServer(tmp_path_factory.mktemp("warlog"), environment=environment) as running:
        yield running


WITH_HOST = ", with Host"
REQUESTS: dict[str, bytes] = {}
for _name, _case in CASES.items():
    _request = REQUESTS[_name] = _case["request"].encode("latin-1")
    if _request.partition(b"\r\n")[0].endswith(b" HTTP/1.1") and b"\nhost:" not in _request.lower():
        # As it is it is refused for its lack alone.
        REQUESTS[_name + WITH_HOST] = _request.replace(b" HTTP/1.1\r\n", b" HTTP/1.1\r\nHost: x\r\n")

BYTES = b"\x00\x09\x0a\x0b\x0d\x20,:;\x7f\xa0\xff"
HEADER = b"Transfer-Encoding: chunked"


def misspelt(byte: int) -> Iterator[bytes]:
    """A body whose length the header says that is right; a server that follows the other one answers the body."""
    more = bytes([byte])
    for at in (0, 8, 17, 18, 19, 21, 26):
        for header in (HEADER[:at] + more + HEADER[at:], HEADER[:at] + more + HEADER[at + 1 :]):
            body = b"0\r\n\r\n" + INNER
            length = b"content-length: %d\r\n" % len(body)
            for first, second in ((length, header + b"\r\n"), (header + b"\r\n", length)):
                yield b"POST /v1/nothing HTTP/1.1\r\nhost: x\r\n%b%b\r\n%b" % (first, second, body)
    yield b"POST /v1/nothing HTTP/1.1\r\nhost: x\r\nx: y%b%b\r\n%b\r\n%b" % (more, HEADER, length, body)


def all_of(url: str, request: bytes, seconds: float = 20.0) -> bytes:
    """All that comes back until the other side ends the connection, or says nothing for so long."""
    parts = urlsplit(url)
    found = b""
    with (
        socket.create_connection((parts.hostname or "", parts.port or 80), timeout=seconds) as wire,
        suppress(ConnectionResetError, BrokenPipeError, TimeoutError),
    ):
        wire.sendall(request)
        while data := wire.recv(65536):
            found += data
    return found


class Others:
    """Those who use the server meanwhile, one for each thread; each names his requests as nobody else does."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._own = threading.local()
        self._numbers = itertools.count()

    def ask(self, after: object) -> None:
        if not hasattr(self._own, "api"):
            self._own.api = Api(self._url)
        name = f"own-{next(self._numbers)}"
        answer = self._own.api.http.get("/games/junqi", headers={"x-request-id": name})
        assert (answer.status_code, answer.headers["x-request-id"]) == (200, name), after
        assert b"own-" not in answer.content, after


def at_once(try_one: Callable[[Case], Found], cases: Iterable[Case]) -> list[Found]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(try_one, cases))


def bounded(what: str, count: int, server: WarlogServer) -> Bounded:
    return Bounded(f"{count} {what}", server.pid, memory=MEMORY_MAX, seconds=CPU_SECONDS_MAX * count)


def test_each_of_a_public_set_is_taken_or_refused_as_the_set_says(server: WarlogServer) -> None:
    others = Others(server.url)

    def taken(name: str) -> bool:
        answers = all_of(server.url, REQUESTS[name] + LAST)
        others.ask(name)
        found = statuses(answers)
        assert found, name
        assert all(200 <= status < 500 for status in found), (name, found)
        count = CASES[name.removesuffix(WITH_HOST)].get("requests", 1)
        if LIVE in answers:
            assert len(found) == count + 1, (name, found)
            assert not REFUSALS & {*found}, (name, found)
        else:
            assert len(found) <= count, (name, found)
        return not REFUSALS & {*found}

    with bounded("requests of a public set", len(REQUESTS), server):
        verdicts = dict(zip(REQUESTS, at_once(taken, REQUESTS), strict=True))
    for name, verdict in verdicts.items():
        case = name.removesuffix(WITH_HOST)
        lacks_host = name + WITH_HOST in REQUESTS
        wanted = (case in DIFFERENT) == ("error" in CASES[case])
        assert verdict == (wanted and not lacks_host), (name, REQUESTS[name])
    assert {*DIFFERENT} <= {*CASES}


def check_misspelt(server: WarlogServer, characters: Iterable[int]) -> None:
    others = Others(server.url)
    cases = [case for character in characters for case in misspelt(character)]

    def try_one(case: bytes) -> list[int]:
        found: list[int] = []
        for _ in range(3):
            found = statuses(all_of(server.url, case + LAST))
            others.ask(case)
            if found != [408]:  # 408: this process was held up for a second before it sent, so it tries again
                break
        return found

    with bounded("misspelt headers", len(cases), server):
        for case, found in zip(cases, at_once(try_one, cases), strict=True):
            assert found in ([400], [404, 200]), (case, found)


def test_a_misspelt_header_does_not_frame_a_body(server: WarlogServer) -> None:
    check_misspelt(server, BYTES)


@pytest.mark.soak
def test_a_header_misspelt_with_any_byte_does_not_frame_a_body(server: WarlogServer) -> None:
    check_misspelt(server, range(256))


def check_behind_nginx(
    server: WarlogServer, folder: Path, cases: Collection[bytes], connection: str, more: str
) -> None:
    """All connections of clients share few to the server: one answer too many or too few would be somebody else's."""
    upstream = server.url.removeprefix("http://")
    with nginx(folder, upstream, connection=connection, more=more) as url:
        others = Others(url)

        def try_one(case: bytes) -> None:
            answers = all_of(url, case + LAST, seconds=0.3)  # nginx waits for long for what is not whole
            others.ask(case)
            assert b"own-" not in answers, (case, answers)
            # 501 and 505 are nginx's own words, 502 would be about us.
            assert not {500, 502, 503, 504} & {*statuses(answers)}, (case, answers)

        with bounded("requests through nginx", len(cases), server):
            at_once(try_one, cases)


NGINXES = [("", ""), ("upgrade", "proxy_set_header Upgrade $http_upgrade; proxy_request_buffering off;")]


@pytest.mark.parametrize(("connection", "more"), NGINXES)
def test_behind_nginx_a_public_set_leaves_everybody_his_own_answers(
    server: WarlogServer, tmp_path: Path, connection: str, more: str
) -> None:
    cases = [*REQUESTS.values(), *(case for byte in BYTES[::3] for case in misspelt(byte))]
    check_behind_nginx(server, tmp_path, cases, connection, more)


@pytest.mark.soak
@pytest.mark.parametrize(("connection", "more"), NGINXES)
def test_behind_nginx_a_header_misspelt_with_any_byte_leaves_everybody_his_own_answers(
    server: WarlogServer, tmp_path: Path, connection: str, more: str
) -> None:
    cases = [case for byte in range(256) for case in misspelt(byte)]
    check_behind_nginx(server, tmp_path, cases, connection, more)
