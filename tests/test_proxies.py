"""nginx and Caddy, configured as deploy/ says, in front of a real server: TLS, feeds, addresses, what they refuse.

The files are run as they are, but for the name, the addresses and the certificate, which is a throwaway one. A proxy
that is not installed is skipped, with a sentence that says so (Debian's packages are `nginx` and `caddy`)."""

from __future__ import annotations

import json
import os
import shutil
import socket
import socketserver
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

import httpx
import pytest
import trustme

from tests.cluster import free_ports
from tests.servers import RedisServer, WarlogServer
from tests.service.api import Api, ok, refused
from tests.service.figures import figure

DEPLOY = Path(__file__).parents[1] / "deploy"
START_SECONDS_MAX = 30.0
HEARTBEAT_MS = 300


@dataclass
class Certificate:
    """For localhost and 127.0.0.1."""

    certificate: Path
    key: Path
    trust: ssl.SSLContext


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    folder = tmp_path_factory.mktemp("tls")
    authority = trustme.CA()
    issued = authority.issue_cert("localhost", "127.0.0.1")
    made = Certificate(folder / "certificate.pem", folder / "key.pem", ssl.create_default_context())
    issued.private_key_pem.write_to_path(str(made.key))
    for blob in issued.cert_chain_pems:
        blob.write_to_path(str(made.certificate), append=True)
    authority.configure_trust(made.trust)
    return made


@dataclass
class Prepared:
    """How a proxy is started, and how its configuration is checked."""

    run: list[str]
    check: list[str]
    environment: dict[str, str]


def replaced(text: str, changes: dict[str, str]) -> str:
    """Each has to be there, once."""
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def nginx(folder: Path, port: int, upstream: str, tls: Certificate) -> Prepared:
    changes = {
        "server 127.0.0.1:8000;": f"server {upstream};",
        "    listen 80;\n": f"    listen unix:{folder}/plain;\n",
        "listen 443 ssl http2;": f"listen 127.0.0.1:{port} ssl http2;",
        "/etc/ssl/warlog/certificate.pem": str(tls.certificate),
        "/etc/ssl/warlog/key.pem": str(tls.key),
    }
    (folder / "site.conf").write_text(replaced((DEPLOY / "nginx/warlog.conf").read_text(), changes))
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    scratch = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    user = "user root;" if os.geteuid() == 0 else ""  # who may read this folder
    (folder / "nginx.conf").write_text(
        f"daemon off; worker_processes 1; {user} pid {folder}/pid; error_log stderr; events {{}}\n"
        f"http {{ access_log off; {scratch} include {folder}/site.conf; }}\n"
    )
    command = [_installed("nginx"), "-p", str(folder), "-c", str(folder / "nginx.conf")]
    return Prepared(command, [*command, "-t"], {})


def caddy(folder: Path, port: int, upstream: str, tls: Certificate) -> Prepared:
    """It would listen on port 80, too, if it were not told to leave that be."""
    changes = {
        "\tadmin off\n": "\tadmin off\n\tauto_https disable_redirects\n",
        "{$DOMAIN} {\n": f"{{$DOMAIN}} {{\n\tbind 127.0.0.1\n\ttls {tls.certificate} {tls.key}\n",
    }
    (folder / "Caddyfile").write_text(replaced((DEPLOY / "caddy/Caddyfile").read_text(), changes))
    environment = {
        "DOMAIN": f"https://localhost:{port}, https://127.0.0.1:{port}",
        "UPSTREAM": upstream,
        "XDG_DATA_HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
    }
    arguments = ["--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
    program = _installed("caddy")
    return Prepared([program, "run", *arguments], [program, "validate", *arguments], environment)


def _installed(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    if found is None:
        pytest.skip(f"{name} is not installed here, so its configuration in deploy/ is not tried")
    return found


Kind = Callable[[Path, int, str, Certificate], Prepared]
BOTH = pytest.mark.parametrize("kind", [nginx, caddy])


@contextmanager
def proxy(kind: Kind, folder: Path, upstream: str, tls: Certificate) -> Iterator[str]:
    """Runs it in front of `upstream` (host:port); its URL."""
    folder.mkdir(exist_ok=True)
    (port,) = free_ports(1)
    prepared = kind(folder, port, upstream, tls)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            prepared.run, env={**os.environ, **prepared.environment}, stdout=log, stderr=log
        )
    try:
        deadline = time.monotonic() + START_SECONDS_MAX
        while not _listens(port):
            assert process.poll() is None, (folder / "log").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        yield f"https://localhost:{port}"
    finally:
        process.terminate()
        process.wait(30)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


# ---- with a real server ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarlogServer]:
    environment = {
        "WARLOG_FEED_HEARTBEAT_MS": str(HEARTBEAT_MS),
        "WARLOG_TRUSTED_PROXIES": "127.0.0.1",
        "WARLOG_ACCOUNTS_PER_ADDRESS": "0.3",  # three at once
    }
    with WarlogServer(tmp_path_factory.mktemp("warlog"), environment=environment) as running:
        yield running


@pytest.fixture(scope="module")
def token(server: WarlogServer) -> str:
    return str(ok(Api(server.url).post("/players", {"name": "ada"}), 201)["token"])


@BOTH
def test_a_match_is_played_and_followed_through_a_proxy(
    kind: Kind, server: WarlogServer, token: str, certificate: Certificate, tmp_path: Path
) -> None:
    upstream = urlsplit(server.url).netloc
    with ExitStack() as stack:
        url = stack.enter_context(proxy(kind, tmp_path, upstream, certificate))
        checked = stack.enter_context(httpx.Client(verify=certificate.trust, timeout=30))
        live = checked.get(f"{url}/health/live")
        assert ok(live) == {"status": "live"}
        assert "max-age" in live.headers["strict-transport-security"]
        ada = Api(url, token)
        match = ada.alone()
        answer = stack.enter_context(
            checked.stream(
                "GET",
                f"{url}/v1/matches/{match}/feed?after=2",
                headers={"authorization": f"Bearer {ada.token}"},
            )
        )
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        names = _names(answer.iter_lines())
        # While nothing happens heartbeats come one by one: nobody collects them.
        began = time.monotonic()
        assert [next(names) for _ in range(3)] == ["heartbeat"] * 3
        assert time.monotonic() - began > 1.5 * HEARTBEAT_MS / 1000
        for _ in range(3):
            ada.defend(match)
            assert next(name for name in names if name != "heartbeat") == "action_taken"
        ada.resign(match, "red")
        assert next(name for name in names if name != "heartbeat") == "action_taken"
        assert ada.match(match)["status"] == "finished"
        record = ok(ada.get(f"/matches/{match}/export"))
        assert len(record["events"]) == 4
        assert ok(ada.get(f"/matches/{match}/verify"))["status"] == "verified"


def test_all_requests_for_a_match_go_to_one_of_several_servers(
    certificate: Certificate, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        redis = stack.enter_context(RedisServer(fsync="no"))
        servers = [
            stack.enter_context(
                WarlogServer(
                    tmp_path / name, redis=redis.url, environment={"WARLOG_TRUSTED_PROXIES": "127.0.0.1"}
                )
            )
            for name in ("one", "other")
        ]

        def asked() -> list[float]:
            route = "/v1/matches/{match_id}"
            return [figure(one, "warlog_requests_total", method="GET", route=route) for one in servers]

        upstream = ";server ".join(urlsplit(server.url).netloc for server in servers)
        url = stack.enter_context(proxy(nginx, tmp_path / "proxy", upstream, certificate))
        ada = Api(url).player("ada")
        matches = [ada.alone() for _ in range(12)]
        chosen = set()
        for match in matches:
            before = asked()
            for _ in range(4):
                ada.match(match)
            grown = [now - was for now, was in zip(asked(), before, strict=True)]
            assert sorted(grown) == [0, 4]
            chosen.add(grown.index(4))
        assert chosen == {0, 1}


def _names(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if line.startswith("event: "):
            yield line.removeprefix("event: ")


@BOTH
def test_limits_count_the_client_behind_the_proxy_whatever_he_says_of_himself(
    kind: Kind, server: WarlogServer, certificate: Certificate, tmp_path: Path
) -> None:
    """The client is 127.0.0.1, which is trusted itself: what he claims would be believed if it came through."""
    with proxy(kind, tmp_path, urlsplit(server.url).netloc, certificate) as url, Api(url) as api:
        codes = [
            api.post(
                "/players",
                {"name": f"p{number}"},
                x_forwarded_for=f"198.51.100.{number}",
                forwarded=f"for=198.51.100.{number}",
            ).status_code
            for number in range(8)
        ]
    assert 429 in codes


@BOTH
def test_large_bodies_and_wrong_ones_are_refused_by_warlog_or_before(
    kind: Kind, server: WarlogServer, token: str, certificate: Certificate, tmp_path: Path
) -> None:
    with proxy(kind, tmp_path, urlsplit(server.url).netloc, certificate) as url, Api(url, token) as api:
        for size in (250_000, 400_000, 2_000_000):
            refused(api.post("/matches", {"x": "y" * size}), 413, "body_too_large")
        refused(api.post("/matches/import", {"x": "y" * 17_000_000}), 413, "body_too_large")
        # Ten megabytes are not too much for a record; only, this is none.
        assert api.post("/matches/import", {"x": "y" * 10_000_000}).json()["code"] == "malformed_body"
        for path in ("/metrics", "/v1/metrics"):
            assert httpx.get(f"{url}{path}", verify=certificate.trust).status_code == 404


# ---- what arrives behind it --------------------------------------------------------------------------------------


class Upstream(socketserver.ThreadingTCPServer):
    """Answers every request, keeps what came: the connection's number, the head, the body."""

    daemon_threads = True

    def __init__(self) -> None:
        self.released = threading.Event()
        self.requests: list[tuple[int, bytes, bytes]] = []
        self.connections = 0
        super().__init__(("127.0.0.1", 0), _Kept)
        self.netloc = f"127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class _Kept(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        upstream = cast(Upstream, self.server)
        upstream.connections += 1
        number = upstream.connections
        while head := self._head():
            fields = dict(line.split(b": ", 1) for line in head.lower().split(b"\r\n")[1:] if line)
            body = self.rfile.read(int(fields.get(b"content-length", b"0")))
            upstream.requests.append((number, head, body))
            if b"/feed" in head.partition(b"\r\n")[0]:
                self._follow(upstream.released)
                continue
            self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-type: text/plain\r\n\r\nok")

    def _follow(self, released: threading.Event) -> None:
        """A feed of two events, the second of which waits."""
        self.wfile.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        )
        self.wfile.write(b"10\r\nevent: heartbeat\r\n")
        released.wait(60)
        self.wfile.write(b"f\r\n\ndata: {}\n\nend.\r\n0\r\n\r\n")

    def _head(self) -> bytes:
        lines = []
        while (line := self.rfile.readline()) not in (b"", b"\r\n"):
            lines.append(line)
        return b"".join(lines)


@BOTH
def test_what_a_proxy_hands_on_is_plain_http_1_1_over_few_connections_and_names_the_client_once(
    kind: Kind, certificate: Certificate, tmp_path: Path
) -> None:
    body = json.dumps({"a": "POST /v1/other HTTP/1.1\r\nhost: x\r\n\r\n"}).encode()
    with Upstream() as upstream, ExitStack() as stack:
        url = stack.enter_context(proxy(kind, tmp_path, upstream.netloc, certificate))
        client = stack.enter_context(httpx.Client(verify=certificate.trust, timeout=30))
        for _ in range(5):
            answer = client.post(
                f"{url}/v1/matches",
                content=body,
                headers={
                    "connection": "Upgrade, HTTP2-Settings",
                    "upgrade": "h2c",
                    "http2-settings": "AAMAAABkAARAAAAAAAIAAAAA",
                    "x-forwarded-for": "198.51.100.1",
                    "forwarded": "for=198.51.100.1",
                    "x-request-id": "mine",
                },
            )
            assert answer.text == "ok"
        for path in ("/metrics", "/v1/metrics"):
            assert client.get(f"{url}{path}").status_code == 404
        upstream.shutdown()
    assert len(upstream.requests) == 5
    assert len({number for number, _, _ in upstream.requests}) == 1
    for _, head, received in upstream.requests:
        lines = head.lower().split(b"\r\n")
        fields: dict[bytes, list[bytes]] = {}
        for name, value in (line.split(b": ", 1) for line in lines[1:] if line):
            fields.setdefault(name, []).append(value)
        assert lines[0] == b"post /v1/matches http/1.1"
        assert received == body
        assert fields[b"x-forwarded-for"] == [b"127.0.0.1"]
        assert fields[b"host"] == [urlsplit(url).netloc.encode()]
        assert fields[b"x-request-id"] == [b"mine"]
        assert not {b"upgrade", b"http2-settings", b"forwarded"} & fields.keys()
        assert b"upgrade" not in b"".join(fields.get(b"connection", []))


@BOTH
def test_a_feed_comes_through_piece_by_piece_even_if_it_does_not_ask_for_it(
    kind: Kind, certificate: Certificate, tmp_path: Path
) -> None:
    """Warlog says `X-Accel-Buffering: no`, by which nginx alone would know."""
    with Upstream() as upstream, ExitStack() as stack:
        url = stack.enter_context(proxy(kind, tmp_path, upstream.netloc, certificate))
        client = stack.enter_context(httpx.Client(verify=certificate.trust, timeout=30))
        with client.stream("GET", f"{url}/v1/matches/x/feed") as answer:
            pieces = answer.iter_raw()
            assert next(pieces) == b"event: heartbeat"
            upstream.released.set()
            assert b"".join(pieces).endswith(b"end.")
        upstream.shutdown()


@BOTH
def test_the_program_itself_finds_the_configuration_good(
    kind: Kind, certificate: Certificate, tmp_path: Path
) -> None:
    prepared = kind(tmp_path, 8443, "127.0.0.1:8000", certificate)
    environment = {**os.environ, **prepared.environment}
    done = subprocess.run(prepared.check, env=environment, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "[warn]" not in said
    if kind is caddy:  # as it lies there, with a name for which a certificate would be got
        deployed = [*prepared.check[:3], str(DEPLOY / "caddy/Caddyfile"), *prepared.check[4:]]
        environment["DOMAIN"] = "warlog.example.org"
        done = subprocess.run(deployed, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
