"""The page that a load test leaves behind: percentiles by endpoint and game, errors, and the server's own figures."""

from __future__ import annotations

from collections import defaultdict
from html import escape
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

STYLE = """body{font:14px system-ui,sans-serif;margin:2em;max-width:80em}table{border-collapse:collapse;margin:1em 0}
td,th{padding:.25em .7em;border-bottom:1px solid #ddd;text-align:right}td:first-child,th:first-child{text-align:left}
.pictures{display:flex;flex-wrap:wrap;gap:1em}figure{margin:0;width:26em}
figcaption{font-weight:600}svg text{font-size:10px;fill:#555}
.bad{color:#b00020;font-weight:600}.good{color:#186a3b;font-weight:600}"""

Row = list[str]


def table(head: Row, rows: list[Row]) -> str:
    lines = [f"<tr>{''.join(f'<th>{escape(cell)}</th>' for cell in head)}</tr>"]
    lines += [f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows]
    return f"<table>{''.join(lines)}</table>"


def percentiles(stats: list[dict[str, Any]]) -> list[Row]:
    """Of what `run.figures` gives for each endpoint and game."""
    return [
        [
            f"{one['method']} {one['name'].partition(' ')[2] or one['name']}"
            if one["method"] != "SSE"
            else one["name"],
            f"{one['requests']:,}",
            f"{one['failures']:,}",
            f"{one['per_second']:.1f}",
            *(f"{one[p]:.0f}" for p in ("p50", "p95", "p99", "max")),
        ]
        for one in stats
    ]


Series = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def series(text: str) -> tuple[Series, dict[str, str]]:
    """The samples of all serving processes, added up, and the type of each metric."""
    found: Series = defaultdict(float)
    types: dict[str, str] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = tuple(sorted(sample.labels.items()))
            found[sample.name, labels] += sample.value
            types[sample.name] = family.type
    return found, types


def server(before: str, after: str) -> list[Row]:
    """What the server counted during the test: the increase of counters, gauges as they were at the end."""
    (first, _), (last, types) = series(before), series(after)
    rows = []
    for (name, labels), value in sorted(last.items()):
        if not name.startswith(("warlog_", "process_cpu", "process_resident")) or name.endswith("_bucket"):
            continue
        counted = types[name] in ("counter", "histogram")
        shown = value - first.get((name, labels), 0.0) if counted else value
        if shown:
            said = ", ".join(f"{k}={v}" for k, v in labels)
            rows.append([f"{name}{{{said}}}" if said else name, f"{shown:,.3f}".rstrip("0").rstrip(".")])
    return rows


def page(
    settings: dict[str, str],
    summary: list[Row],
    stats: list[dict[str, Any]],
    errors: list[Row],
    figures: list[Row],
    pictures: str,
) -> str:
    verdict = (
        '<p class="bad">unexpected answers</p>' if errors else '<p class="good">no unexpected answer</p>'
    )
    return "".join(
        (
            f"<!doctype html><meta charset=utf-8><title>Warlog under load</title><style>{STYLE}</style>",
            f"<h1>Warlog under load</h1>{verdict}",
            table(["setting", ""], [[name, value] for name, value in settings.items()]),
            table(["", ""], summary),
            pictures,
            '<p>Milliseconds. <a href="locust.html">More charts</a> (with a script)</p>',
            table(
                ["endpoint [game]", "requests", "failed", "per s", "p50", "p95", "p99", "max"],
                percentiles(stats),
            ),
            "<h2>Unexpected answers</h2>",
            table(["what", "how often"], errors) if errors else "<p>None.</p>",
            "<h2>The server's own figures</h2>",
            table(["figure", "during the test"], figures),
        )
    )
