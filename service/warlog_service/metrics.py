"""What an operator watches, in Prometheus' text form. No label holds an id, a name or anything a caller chose."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator

import msgspec
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from warlog_events.replay import Counts
from warlog_service.answers import Answer

SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)


class Traffic(Collector):
    """What every request and every event of a feed counts: plain numbers, given their names when somebody asks."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, int], int] = {}
        self._times: dict[str, list[int]] = {}  # route → requests per interval of SECONDS, and one beyond
        self._sums: dict[str, float] = {}
        self.feed_events = 0

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """One request is done. `route` is the template, not the path; negative `seconds` are not counted."""
        key = (method, route, status)
        self._counts[key] = self._counts.get(key, 0) + 1
        if seconds >= 0:
            times = self._times.get(route)
            if times is None:
                times = self._times[route] = [0] * (len(SECONDS) + 1)
                self._sums[route] = 0.0
            times[bisect_left(SECONDS, seconds)] += 1
            self._sums[route] += seconds

    def collect(self) -> Iterator[CounterMetricFamily | HistogramMetricFamily]:
        yield CounterMetricFamily("warlog_feed_events", "Events written to feeds.", value=self.feed_events)
        requests = CounterMetricFamily(
            "warlog_requests", "Requests answered.", labels=["method", "route", "status"]
        )
        for (method, route, status), count in self._counts.items():
            requests.add_metric([method, route, str(status)], count)
        yield requests
        seconds = HistogramMetricFamily(
            "warlog_request_seconds", "Time to the answer's last byte; feeds are not in it.", labels=["route"]
        )
        for route, times in self._times.items():
            total = 0
            buckets: list[tuple[str, float]] = []
            for bound, count in zip([*map(str, SECONDS), "+Inf"], times, strict=True):
                total += count
                buckets.append((bound, total))
            seconds.add_metric([route], buckets, self._sums[route])
        yield seconds


class Work(Collector):
    """What the matches of this process have cost (`warlog_events.replay.Counts`)."""

    def __init__(self, counts: Callable[[], Counts | None]) -> None:
        self._counts = counts

    def collect(self) -> Iterator[CounterMetricFamily]:
        counts = self._counts() or Counts()
        for name, text in (
            ("core_calls", "Calls of the rules core: starts, loads, steps and runs of steps."),
            ("redis_reads", "Round trips for reading."),
            ("redis_appends", "Calls of the append script."),
            ("append_conflicts", "Appends that came too late by a version."),
            ("snapshots_refused", "Snapshots that were not what they said."),
            ("integrity_errors", "Matches that contradicted themselves."),
        ):
            value = counts.conflicts if name == "append_conflicts" else getattr(counts, name)
            yield CounterMetricFamily(f"warlog_{name}", text, value)


class Metrics:
    """The figures of one process, each app with a registry of its own (tests start several)."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        self.traffic = Traffic()
        self.registry.register(self.traffic)
        self.refusals = Counter(
            "warlog_refusals_total", "Problems answered.", ["code"], registry=self.registry
        )
        self.feeds_closed = Counter(
            "warlog_feeds_closed_total", "Feeds ended here.", ["code"], registry=self.registry
        )
        self.leases_held = Gauge(
            "warlog_lease_held",
            "Does this process do this work for all that share the Redis?",
            ["work"],
            registry=self.registry,
        )
        self.worker_failures = Counter(
            "warlog_worker_failures_total",
            "Rounds of a worker that failed.",
            ["worker"],
            registry=self.registry,
        )

    def gauge(self, name: str, text: str, read: Callable[[], float]) -> None:
        """A figure that is read when somebody asks."""
        Gauge(name, text, registry=self.registry).set_function(read)

    def work(self, counts: Callable[[], Counts | None]) -> None:
        """None: nothing has been done yet."""
        self.registry.register(Work(counts))

    def refused(self, answer: Answer) -> None:
        """A problem document goes out."""
        self.refusals.labels(msgspec.json.decode(answer.body)["code"]).inc()

    def render(self) -> bytes:
        return generate_latest(self.registry)
