"""What an operator watches, in Prometheus' text form. No label holds an id, a name or anything a caller chose."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

from warlog_service.answers import Answer

SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)


class Metrics:
    """The figures of one process, each app with a registry of its own (tests start several)."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        self._requests = Counter(
            "warlog_requests_total",
            "Requests answered.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "warlog_request_seconds", "Time to the answer's last byte; feeds are not in it.", ["route"],
            registry=self.registry, buckets=SECONDS,
        )  # fmt: skip
        self.refusals = Counter(
            "warlog_refusals_total", "Problems answered.", ["code"], registry=self.registry
        )
        self.feed_events = Counter(
            "warlog_feed_events_total", "Events written to feeds.", registry=self.registry
        )
        self.feeds_closed = Counter(
            "warlog_feeds_closed_total", "Feeds ended here.", ["code"], registry=self.registry
        )
        self.integrity_errors = Counter(
            "warlog_integrity_errors_total", "Matches frozen.", registry=self.registry
        )
        self.worker_failures = Counter(
            "warlog_worker_failures_total",
            "Rounds of a worker that failed.",
            ["worker"],
            registry=self.registry,
        )
        # Finding a child by its labels costs more than counting: each is looked up once.
        self._children: dict[tuple[str, str, int], Callable[[float], None]] = {}

    def gauge(self, name: str, text: str, read: Callable[[], float]) -> None:
        """A figure that is read when somebody asks."""
        Gauge(name, text, registry=self.registry).set_function(read)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """One request is done. `route` is the template, not the path."""
        child = self._children.get((method, route, status))
        if child is None:
            child = self._children[method, route, status] = self._child(method, route, status)
        child(seconds)

    def refused(self, answer: Answer) -> None:
        """A problem document goes out."""
        self.refusals.labels(msgspec.json.decode(answer.body)["code"]).inc()

    def _child(self, method: str, route: str, status: int) -> Callable[[float], None]:
        count = self._requests.labels(method, route, str(status)).inc
        observe = self._seconds.labels(route).observe

        def child(seconds: float) -> None:
            count()
            if seconds >= 0:
                observe(seconds)

        return child

    def render(self) -> bytes:
        return generate_latest(self.registry)
