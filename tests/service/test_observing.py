"""What an operator sees: figures of each worker, logs in which a request is found again, nothing secret in either."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from prometheus_client.parser import text_string_to_metric_families

from tests.servers import RedisServer, WarlogServer
from tests.service.api import UNLIMITED, Api, ok, refused, two
from tests.service.figures import figure, figures, scrapes
from tests.service.waiting import eventually

# ---- figures -----------------------------------------------------------------------------------------------------


def test_commands_are_counted_by_game_and_by_what_became_of_them(tmp_path: Path) -> None:
    with WarlogServer(tmp_path, environment=UNLIMITED) as server, Api(server.url) as api:
        ada, eve = api.player(), api.player()
        match = ada.alone()
        for _ in range(3):
            ada.defend(match)
        ok(
            ada.command(
                match, {"type": "propose", "proposal": {"kind": "undo", "to": 2}}, idempotency_key="k"
            ),
            201,
        )
        ok(
            ada.command(
                match, {"type": "propose", "proposal": {"kind": "undo", "to": 2}}, idempotency_key="k"
            ),
            201,
        )
        refused(ada.act(match, "red", {"type": "fly"}), 422, "malformed_action")
        refused(eve.act(match, "red", {"type": "resign"}), 403, "not_your_seat")
        refused(eve.act("m_000_aaaaaaaaaaaaaaaa", "red", {"type": "resign"}), 404, "unknown_match")
        assert figures(server, "warlog_commands_total") == {
            ("hex", "done"): 4,
            ("hex", "repeated"): 1,
            ("hex", "rules"): 1,
            ("hex", "not_your_seat"): 1,
            ("", "unknown_match"): 1,
        }


def test_loads_hits_replays_and_lags_are_measured(tmp_path: Path) -> None:
    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment=UNLIMITED) as one,
        WarlogServer(tmp_path, redis=redis.url, environment=UNLIMITED) as two,
        Api(one.url) as api,
    ):
        ada = api.player()
        there = Api(two.url, ada.token)
        match = ada.alone()
        with there.feed(match, after=2) as feed:
            for _ in range(5):
                ada.defend(match)
            feed.take(5)
            assert figure(two, "warlog_feeds_open") == 1
        assert figure(two, "warlog_cache_misses_total") == figure(two, "warlog_load_seconds_count") == 1
        assert figure(two, "warlog_cache_matches") == 1
        assert figure(two, "warlog_cache_hits_total") >= 1
        assert figure(two, "warlog_replay_seconds_count") >= 2
        assert figure(two, "warlog_feed_lag_seconds_count") == 5
        assert figure(two, "warlog_feed_lag_seconds_bucket", le="5.0") == 5
        assert figure(one, "warlog_cache_misses_total") == 0
        assert figure(one, "warlog_redis_connected") == 1
        redis.kill()
        eventually(lambda: figure(one, "warlog_redis_connected") == 0)


def test_a_deadline_says_how_late_it_fired_and_one_that_cannot_fire_is_overdue(tmp_path: Path) -> None:
    with (
        RedisServer(fsync="no") as redis,
        WarlogServer(tmp_path, redis=redis.url, environment=UNLIMITED) as server,
        Api(server.url) as api,
    ):
        ada = api.player()
        fires, frozen = (ada.alone(move_seconds=1) for _ in range(2))
        import redis as redis_py

        with redis_py.Redis(unix_socket_path=str(redis.socket)) as client:
            client.hset(f"warlog:{{b{frozen[2:5]}}}:{frozen}:state", "frozen", "by hand")
        eventually(lambda: ada.match(fires)["status"] == "finished")
        assert figure(server, "warlog_deadline_lateness_seconds_count") == 1
        assert figure(server, "warlog_deadline_lateness_seconds_bucket", le="2.5") == 1
        eventually(lambda: figure(server, "warlog_deadlines_overdue") == 1)
        assert figure(server, "warlog_integrity_errors_total") == 1


def test_each_worker_tells_its_own_figures_on_a_port_that_its_successor_takes_over(tmp_path: Path) -> None:
    with (
        WarlogServer(tmp_path, arguments=["--workers", "2"], environment=UNLIMITED) as server,
        Api(server.url) as api,
    ):
        assert len(set(server.metrics)) == 2
        of = {"route": "/health/live", "method": "GET", "status": "200"}

        def asked() -> list[float]:
            return [
                sum(sample.value for sample in _samples(text, "warlog_requests_total", of))
                for text in scrapes(server)
            ]

        sent = 0
        while min(asked()) < 1:  # each request on a connection of its own, until each worker has had one
            assert httpx.get(f"{server.url}/health/live").status_code == 200
            sent += 1
            assert sent < 1000
        assert sum(asked()) == sent
        assert figure(server, "warlog_workers_ended_total") == 0

        os.kill(_pids(server)[0], signal.SIGKILL)
        eventually(lambda: len(_pids(server)) == 2 and figure(server, "warlog_workers_ended_total") == 1, 30)
        assert sum(asked()) < sent
        before = set(_pids(server))
        ada = api.player()
        match = ada.alone()
        with ada.feed(match, after=2):  # an old worker is busy for a while with ending it
            os.kill(server.pid, signal.SIGHUP)
            eventually(lambda: not before & set(_pids(server)), 60)
        starts = figures(server, "process_start_time_seconds")
        assert starts
        assert figure(server, "warlog_workers_ended_total") == 1
        assert sum(asked()) == 0


def _samples(text: str, name: str, labels: dict[str, str]) -> list[Any]:
    return [
        sample
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    ]


def _pids(server: WarlogServer) -> list[int]:
    import psutil

    return [p.pid for p in psutil.Process(server.pid).children() if "warlog_service.worker" in p.cmdline()]


# ---- requests that are found again -------------------------------------------------------------------------------


def test_every_answer_names_its_request_and_a_sane_name_of_the_callers_is_kept(api: Api) -> None:
    ada = api.player()
    match = ada.alone()
    ids = [ada.get(f"/matches/{match}").headers["x-request-id"] for _ in range(3)]
    ids += [
        refused_one.headers["x-request-id"] for refused_one in (ada.get("/nothing"), ada.post("/players", 7))
    ]
    ids.append(ada.act(match, "red", {"type": "fly"}).headers["x-request-id"])
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]+", one) for one in ids)
    for given in ("4711", "a.b_C-9", "x" * 64):
        answers = (
            ada.act(match, "red", {"type": "fly"}, x_request_id=given),
            ada.http.get(f"/matches/{match}", headers={"x-request-id": given}),
        )
        assert [answer.headers["x-request-id"] for answer in answers] == [given] * 2
    for given in ("", "x" * 65, "a b", "ä", "<script>", "a;b"):
        raw = given.encode("latin-1")
        kept = api.http.get("/games", headers=[(b"x-request-id", raw)]).headers["x-request-id"]
        assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]+", kept), given


@pytest.fixture
def logged(tmp_path: Path) -> Any:
    """Starts a server whose log goes to a file; gives the server and what reads the file's lines."""
    file = tmp_path / "log"
    servers: list[WarlogServer] = []

    def start(**environment: str) -> tuple[WarlogServer, Any]:
        with file.open("wb") as written:
            server = WarlogServer(tmp_path, environment={**UNLIMITED, **environment}, errors=written)
        servers.append(server)
        return server, lambda: [json.loads(line) for line in file.read_text().splitlines()]

    yield start
    for server in servers:
        server.stop()


def test_a_line_of_the_log_is_json_and_says_which_request_and_which_match(logged: Any) -> None:
    server, lines = logged(WARLOG_ACCESS_LOG="1")
    with Api(server.url) as api:
        ada = api.player()
        match = ada.alone()
        ada.act(match, "red", {"type": "fly"}, x_request_id="find-me")

        def found() -> list[Any]:
            return [line for line in lines() if line.get("request_id") == "find-me"]

        eventually(found)  # the line is written after the answer
        (line,) = found()
        assert (line["level"], line["logger"], line["match"]) == ("INFO", "warlog.access", match)
        assert (line["method"], line["route"], line["status"]) == (
            "POST",
            "/v1/matches/{match_id}/commands",
            422,
        )
        assert line["milliseconds"] > 0
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*", line["time"])


def test_without_being_asked_for_only_what_goes_wrong_is_logged(logged: Any) -> None:
    server, lines = logged()
    with Api(server.url) as api:
        ada = api.player()
        match = ada.alone()
        ada.act(match, "red", {"type": "fly"})
        ada.defend(match)
        assert not [line for line in lines() if line["logger"] == "warlog.access"]
        import redis as redis_py

        data = Path(server._command[server._command.index("--data") + 1])
        with redis_py.Redis(unix_socket_path=(data / "redis.socket").read_text()) as client:
            client.hset(f"warlog:{{b{match[2:5]}}}:{match}:state", "frozen", "by hand")
        refused(ada.act(match, ada.match(match)["to_act"][0], {"type": "resign"}), 500, "integrity_error")
        eventually(lambda: any(line["logger"] == "warlog.access" for line in lines()))
        (line,) = [line for line in lines() if line["logger"] == "warlog.access"]
        assert (line["status"], line["match"]) == (500, match)
        assert [
            one for one in lines() if one["level"] == "CRITICAL" and one["request_id"] == line["request_id"]
        ]


def test_no_token_and_no_invitation_stands_in_a_log(logged: Any, tmp_path: Path) -> None:
    server, lines = logged(WARLOG_ACCESS_LOG="1")
    with Api(server.url) as api:
        red, blue, match = two(api)
        made = ok(red.post("/tokens", {"label": "x"}), 201)["token"]
        invited = red.create(seats={"red": "me", "blue": "invite"})
        invitation = invited["invitations"]["blue"]
        ok(blue.put(f"/matches/{invited['match']['id']}/seats/blue", {"invitation": invitation}))
        blue.http.get(f"/matches/{match}?token={made}", headers={"x-request-id": made + "x" * 64})
        blue.http.get(f"/games/{made}")
        with red.feed(match, after=1) as feed:
            feed.take(1)
        assert len(lines()) > 10
        text = (tmp_path / "log").read_text()
        for secret in (red.token, blue.token, made, invitation, red.name):
            assert str(secret) not in text
        metrics = "".join(scrapes(server))
        for secret in (red.token, made, invitation, match, red.id):
            assert str(secret) not in metrics


def test_workers_say_which_they_are_and_a_terminal_may_have_text(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "warlog_service", "serve", "--port", "0", "--data", str(tmp_path)]
    environment = {**os.environ, "WARLOG_LOG_FORMAT": "text", "WARLOG_TEST_WORLD": "x"}
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.terminate()
    assert " WARNING warlog: a test world" in process.communicate()[1]
    environment["WARLOG_LOG_FORMAT"] = "auto"
    process = subprocess.Popen(
        [*command, "--workers", "1"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.terminate()
    lines = [json.loads(line) for line in process.communicate()[1].splitlines()]
    assert [line["worker"] for line in lines if "test world" in line["message"]] == ["0"]


# ---- traces ------------------------------------------------------------------------------------------------------


class Collector:
    """Where traces are sent: keeps every span, by name."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.received = b""
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                collector.received += body
                sent = ExportTraceServiceRequest.FromString(body)
                for resource in sent.resource_spans:
                    for scope in resource.scope_spans:
                        collector.spans += scope.spans
                self.send_response(200)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def test_a_trace_goes_from_the_callers_span_over_ours_to_the_append(logged: Any) -> None:
    collector = Collector()
    server, lines = logged(
        WARLOG_TRACES="1", WARLOG_ACCESS_LOG="1",
        OTEL_EXPORTER_OTLP_ENDPOINT=collector.url, OTEL_BSP_SCHEDULE_DELAY="100",
    )  # fmt: skip
    trace_id, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
    with Api(server.url) as api:
        ada = api.player()
        match = ada.alone()
        with ada.feed(match, after=2) as feed:
            action = {"type": "resign"}
            ok(
                ada.act(
                    match, "red", action, x_request_id="find-me", traceparent=f"00-{trace_id}-{parent}-01"
                ),
                201,
            )
            feed.take(1)
        ada.get("/games/nothing")
    (line,) = [line for line in lines() if line.get("request_id") == "find-me"]
    assert line["trace_id"] == trace_id
    server.stop()
    collector.close()
    ours = {span.name: span for span in collector.spans if span.trace_id.hex() == trace_id}
    request, append = ours["POST /v1/matches/{match_id}/commands"], ours["redis append"]
    assert request.parent_span_id.hex() == parent
    assert append.parent_span_id == request.span_id
    assert request.start_time_unix_nano <= append.start_time_unix_nano <= append.end_time_unix_nano
    attributes = {one.key: one.value.string_value or one.value.int_value for one in request.attributes}
    assert attributes == {
        "http.request.method": "POST",
        "http.route": "/v1/matches/{match_id}/commands",
        "http.response.status_code": 201,
        "warlog.match": match,
        "warlog.request_id": "find-me",
    }
    assert "GET /v1/games/{game}" in {span.name for span in collector.spans}
    assert not any("feed" in span.name for span in collector.spans)
    assert str(ada.token).encode() not in collector.received


def test_traces_that_cannot_be_made_are_a_setting_that_is_refused(tmp_path: Path) -> None:
    hidden = tmp_path / "opentelemetry"
    hidden.mkdir()
    (hidden / "__init__.py").write_text("")  # in front of the real one, and empty
    environment = {**os.environ, "WARLOG_TRACES": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), environment.get("PYTHONPATH", "")])
    command = [
        sys.executable,
        "-m",
        "warlog_service",
        "serve",
        "--port",
        "0",
        "--data",
        str(tmp_path / "data"),
    ]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "warlog[traces]" in done.stderr


def test_without_the_setting_nothing_that_traces_is_imported() -> None:
    """Of ours; redis-py looks for OpenTelemetry by itself, and does nothing with it unless it is told to."""
    code = "import sys, warlog_service.app, warlog_service.server as _; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "warlog_service.tracing" not in done.stdout.split()


# ---- dashboards and alerts ---------------------------------------------------------------------------------------

DEPLOY = Path(__file__).parents[2] / "deploy"


def test_the_dashboard_is_what_its_code_says() -> None:
    made = subprocess.run(
        [sys.executable, str(DEPLOY / "grafana/dashboard.py")], capture_output=True, text=True, check=True
    )
    assert (DEPLOY / "grafana/warlog.json").read_text() == made.stdout
    panels = [panel for panel in json.loads(made.stdout)["panels"] if panel["type"] != "row"]
    taken = {(p["gridPos"]["x"], p["gridPos"]["y"]) for p in panels}
    assert len(taken) == len(panels) > 20


def test_dashboard_and_alerts_ask_for_figures_and_labels_that_there_are(tmp_path: Path) -> None:
    alerts = yaml.safe_load((DEPLOY / "prometheus/alerts.yml").read_text())
    rules = [rule for group in alerts["groups"] for rule in group["rules"]]
    assert all(rule["annotations"]["summary"] and rule["labels"]["severity"] for rule in rules)
    dashboard = json.loads((DEPLOY / "grafana/warlog.json").read_text())
    targets = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    queries = [*(rule["expr"] for rule in rules), *targets]
    with (
        WarlogServer(tmp_path, arguments=["--workers", "1"], environment=UNLIMITED) as server,
        Api(server.url) as api,
    ):
        ada = api.player()
        match = ada.alone()
        with ada.feed(match, after=2) as feed:
            ada.defend(match)
            feed.take(1)
        ada.act(match, "red", {"type": "fly"})
        eventually(lambda: figures(server, "warlog_feeds_closed_total"))
        known: dict[str, set[str]] = {}
        for family in text_string_to_metric_families("".join(scrapes(server))):
            whole = f"{family.name}_total" if family.type == "counter" else family.name
            for name, labels in ((whole, ()), *((one.name, one.labels) for one in family.samples)):
                # Prometheus itself adds where a sample is from.
                known.setdefault(name, {"instance", "job"}).update(labels)
    named = {name for query in queries for name in re.findall(r"\b(?:warlog|process)_\w+", query)}
    assert named - {"warlog_worker_failures_total"} <= set(known)
    for query in queries:
        for name, labels in re.findall(r"\b(warlog_\w+)\{([^}]*)\}", query):
            assert set(re.findall(r"(\w+)[=!]~?\"", labels)) <= known[name], query
    # What nothing has been counted of has no series yet; its labels are those of the code.
    for by in {
        label
        for query in queries
        for group in re.findall(r"by \(([^)]*)\)", query)
        for label in group.split(", ")
    }:
        assert any(by in labels for labels in known.values()), by
