"""The Grafana dashboard, as code.

    python deploy/grafana/dashboard.py > deploy/grafana/warlog.json

A test holds the two together, and every metric named here to what a running server tells.
"""

from __future__ import annotations

import json
import sys
from typing import Any

COMMANDS = 'route="/v1/matches/{match_id}/commands"'
SOURCE = {"type": "prometheus", "uid": "${source}"}
WIDTH, HEIGHT = 8, 8  # three panels in a row of Grafana's 24 columns

Queries = list[tuple[str, str]]  # legend and PromQL


def quantiles(metric: str, labels: str = "") -> Queries:
    selected = f"{metric}_bucket{{{labels}}}"
    return [
        (f"p{share}", f"histogram_quantile(0.{share}, sum by (le) (rate({selected}[$__rate_interval])))")
        for share in (50, 95, 99)
    ]


def p95(metric: str, by: str) -> str:
    return f"histogram_quantile(0.95, sum by (le, {by}) (rate({metric}_bucket[$__rate_interval])))"


def rate(metric: str, by: str, labels: str = "") -> str:
    return f"sum by ({by}) (rate({metric}{{{labels}}}[$__rate_interval]))"


ROWS: list[tuple[str, list[tuple[str, str, Queries]]]] = [
    (
        "Play",
        [
            (
                "Commands done, by game",
                "reqps",
                [("{{game}}", rate("warlog_commands_total", "game", 'outcome="done"'))],
            ),
            (
                "Commands refused, by code or by the rules",
                "reqps",
                [("{{outcome}}", rate("warlog_commands_total", "outcome", 'outcome!~"done|repeated"'))],
            ),
            ("Time of a command", "s", quantiles("warlog_request_seconds", COMMANDS)),
        ],
    ),
    (
        "Requests",
        [
            ("Requests, by status", "reqps", [("{{status}}", rate("warlog_requests_total", "status"))]),
            ("p95, by route", "s", [("{{route}}", p95("warlog_request_seconds", "route"))]),
            ("Problems, by code", "reqps", [("{{code}}", rate("warlog_refusals_total", "code"))]),
        ],
    ),
    (
        "Feeds and deadlines",
        [
            (
                "Feeds open, events waiting",
                "short",
                [("open", "sum(warlog_feeds_open)"), ("waiting", "sum(warlog_feed_events_waiting)")],
            ),
            ("Feed lag", "s", quantiles("warlog_feed_lag_seconds")),
            ("Feeds ended, by reason", "reqps", [("{{code}}", rate("warlog_feeds_closed_total", "code"))]),
            ("Lateness of time-outs", "s", quantiles("warlog_deadline_lateness_seconds")),
            ("Deadlines overdue", "short", [("overdue", "sum(warlog_deadlines_overdue)")]),
            ("Who does the work", "short", [("{{work}}", "max by (work) (warlog_lease_held)")]),
        ],
    ),
    (
        "Matches in memory, and Redis",
        [
            (
                "Cache",
                "percentunit",
                [
                    (
                        "hits",
                        "sum(rate(warlog_cache_hits_total[$__rate_interval])) / (sum(rate(warlog_cache_hits_total"
                        "[$__rate_interval])) + sum(rate(warlog_cache_misses_total[$__rate_interval])))",
                    )
                ],
            ),
            ("Loading a cold match", "s", quantiles("warlog_load_seconds")),
            ("Replaying", "s", quantiles("warlog_replay_seconds")),
            (
                "Appends and conflicts",
                "ops",
                [
                    ("appends", "sum(rate(warlog_redis_appends_total[$__rate_interval]))"),
                    ("conflicts", "sum(rate(warlog_append_conflicts_total[$__rate_interval]))"),
                    ("reads", "sum(rate(warlog_redis_reads_total[$__rate_interval]))"),
                ],
            ),
            (
                "Integrity",
                "short",
                [
                    ("errors", "sum(warlog_integrity_errors_total)"),
                    ("snapshots refused", "sum(warlog_snapshots_refused_total)"),
                ],
            ),
            ("Connected to Redis", "short", [("{{instance}}", "warlog_redis_connected")]),
        ],
    ),
    (
        "Processes",
        [
            (
                "Processor, by process",
                "percentunit",
                [("{{instance}}", "rate(process_cpu_seconds_total[$__rate_interval])")],
            ),
            ("Memory, by process", "bytes", [("{{instance}}", "process_resident_memory_bytes")]),
            ("Matches in memory", "short", [("matches", "sum(warlog_cache_matches)")]),
            ("Workers that ended by themselves", "short", [("ended", "sum(warlog_workers_ended_total)")]),
            (
                "Rounds of the work that failed",
                "short",
                [("{{work}}", rate("warlog_worker_failures_total", "work"))],
            ),
            (
                "Calls of the rules core",
                "ops",
                [("calls", "sum(rate(warlog_core_calls_total[$__rate_interval]))")],
            ),
        ],
    ),
]


def panel(number: int, title: str, unit: str, queries: Queries, x: int, y: int) -> dict[str, Any]:
    return {
        "id": number,
        "type": "timeseries",
        "title": title,
        "datasource": SOURCE,
        "gridPos": {"x": x, "y": y, "w": WIDTH, "h": HEIGHT},
        "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}},
        "targets": [
            {"refId": chr(ord("A") + i), "datasource": SOURCE, "expr": query, "legendFormat": legend}
            for i, (legend, query) in enumerate(queries)
        ],
    }


def dashboard() -> dict[str, Any]:
    panels: list[dict[str, Any]] = []
    y = 0
    for title, row in ROWS:
        place = {"x": 0, "y": y, "w": 24, "h": 1}
        panels.append(
            {"id": len(panels) + 1, "type": "row", "title": title, "collapsed": False, "gridPos": place}
        )
        y += 1
        for i, (name, unit, queries) in enumerate(row):
            x = i % 3 * WIDTH
            panels.append(panel(len(panels) + 1, name, unit, queries, x, y + i // 3 * HEIGHT))
        y += (len(row) + 2) // 3 * HEIGHT
    return {
        "uid": "warlog",
        "title": "Warlog",
        "tags": ["warlog"],
        "timezone": "utc",
        "schemaVersion": 39,
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "templating": {
            "list": [{"name": "source", "type": "datasource", "query": "prometheus", "label": "Source"}]
        },
        "panels": panels,
    }


if __name__ == "__main__":
    json.dump(dashboard(), sys.stdout, indent=1)
    print()
