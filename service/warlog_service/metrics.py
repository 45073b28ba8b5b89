"""What an operator watches, in Prometheus' text form. No label holds an id, a name or anything a caller chose.

What is counted per command is a plain number in a dictionary; it gets its name, its labels and its type when somebody
asks.

**No figure depends on what players hide.** While one match runs, a figure of the process is a figure of that match: one
that moved with a hidden army would tell of it. So

* sizes of states, events and answers are not shown, nor anything computed from them;
* a refusal by the rules is counted as `rules`, whatever its code: the code tells about the refused player's pieces;
* durations are counted in buckets from 5 ms on, and never summed: how long one action took depends on what it found;
* memory and processor time of the process are rounded to more than one action can move.

tests/service/test_metrics.py compares two servers whose matches differ only in what is hidden, for every figure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from math import inf

import msgspec
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from warlog_events.errors import Refused, WarlogError
from warlog_events.statistics import Counts, Spread
from warlog_service import codes
from warlog_service.responses import Answer

disable_created_metrics()  # type: ignore[no-untyped-call]

BY_THE_RULES = "rules"
"""Stands for every code of a rule book."""

SHORTEST_SECONDS = 0.005
"""The first bound that is shown. Nearly every command takes less, with whatever it moves."""

ITERATIONS_GRAIN = 10_000
"""As GRAINS, of a figure that is counted elsewhere."""

GRAINS = {
    "process_cpu_seconds_total": 0.1,
    "process_resident_memory_bytes": 2.0**20,
    "process_virtual_memory_bytes": 2.0**20,
}
"""What figures of the process are rounded down to a multiple of."""

Family = CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily


class Traffic(Collector):
    """What every request, every command and every event of a feed counts."""

    def __init__(self) -> None:
        self._requests: defaultdict[tuple[str, str, int], int] = defaultdict(int)
        self._times: defaultdict[str, Spread] = defaultdict(Spread)  # by route
        self._commands: defaultdict[tuple[str, str], int] = defaultdict(int)
        self.feed_events = 0

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """One request is done. `route` is the template, not the path; negative `seconds` are not counted."""
        self._requests[method, route, status] += 1
        if seconds >= 0:
            self._times[route].add(seconds)

    def commanded(self, game: str, outcome: str) -> None:
        """outcome: `done`, `repeated` (a known Idempotency-Key), `rules`, or the code of another refusal."""
        self._commands[game, outcome] += 1

    def command_refused(self, game: str, error: WarlogError) -> None:
        self.commanded(game, BY_THE_RULES if isinstance(error, Refused) else error.code)

    def collect(self) -> Iterator[Family]:
        yield CounterMetricFamily("warlog_feed_events", "Events written to feeds.", value=self.feed_events)
        commands = CounterMetricFamily(
            "warlog_commands",
            "Commands to a match, by what became of them; without a game where it was not at hand.",
            labels=["game", "outcome"],
        )
        for labels, count in list(self._commands.items()):
            commands.add_metric(labels, count)
        yield commands
        requests = CounterMetricFamily(
            "warlog_requests", "Requests answered.", labels=["method", "route", "status"]
        )
        for (method, route, status), count in list(self._requests.items()):
            requests.add_metric([method, route, str(status)], count)
        yield requests
        seconds = HistogramMetricFamily(
            "warlog_request_seconds", "Time to the answer's last byte; feeds are not in it.", labels=["route"]
        )
        for route, times in list(self._times.items()):
            _fill(seconds, times, {"route": route})
        yield seconds


class Work(Collector):
    """What the matches of this process have cost."""

    def __init__(self, counts: Callable[[], Counts | None]) -> None:
        self._counts = counts

    def collect(self) -> Iterator[Family]:
        counts = self._counts() or Counts()
        for name, text, value in (
            (
                "core_calls",
                "Calls of the rules core: starts, loads, steps and runs of steps.",
                counts.core_calls,
            ),
            ("redis_reads", "Round trips for reading.", counts.redis_reads),
            ("redis_appends", "Calls of the append script.", counts.redis_appends),
            ("append_conflicts", "Appends refused because another writer was faster.", counts.conflicts),
            ("cache_hits", "Matches that were asked for and in memory.", counts.cache_hits),
            ("cache_misses", "Matches that were asked for and had to be loaded.", counts.cache_misses),
            ("snapshots_refused", "Snapshots refused as damaged or outdated.", counts.snapshots_refused),
            ("integrity_errors", "Matches that contradicted themselves.", counts.integrity_errors),
            ("matches_paired", "Matches that quick pairing made.", counts.paired),
            ("lobbies_abandoned", "Lobbies that were ended because nobody came.", counts.abandoned),
            ("archive_files_read", "Files read from the archive.", counts.archive_reads),
        ):
            yield CounterMetricFamily(f"warlog_{name}", text, value)
        for name, text, spread in (
            ("load_seconds", "From asking for a cold match to having it.", counts.loads),
            (
                "replay_seconds",
                "Replaying events: of cold matches, and what other processes appended.",
                counts.replays,
            ),
            (
                "feed_lag_seconds",
                "From an event's time to its being handed to the feeds here.",
                counts.feed_lags,
            ),
            (
                "notice_lag_seconds",
                "From an event's time to its notices being handed to the personal feeds here.",
                counts.notice_lags,
            ),
            ("deadline_lateness_seconds", "From a deadline to its time-out.", counts.lateness),
        ):
            family = HistogramMetricFamily(f"warlog_{name}", text)
            _fill(family, spread, {})
            yield family


class Opponents(Collector):
    """What the house's bots have done, in processes of their own that this one has started. How long a search takes
    depends on what the bot sees: there is no figure that one search can move."""

    def __init__(self, total: Callable[[str], float], waiting: Callable[[], float]) -> None:
        self._total = total
        self._waiting = waiting

    def collect(self) -> Iterator[Family]:
        for name, text in (
            ("searches", "Searches for an action."),
            ("analyses", "Analyses for readers."),
            ("conflicts", "Searches whose action came too late: the match had moved on, or was taken back."),
            ("failures", "Steps of a bot that failed and were tried again."),
            ("late", "Answers of a bot that came more than five seconds after its turn had."),
            ("ended", "Processes of bots that ended by themselves."),
        ):
            yield CounterMetricFamily(f"warlog_bot_{name}", text, value=self._total(name))
        for name, text, grain in (
            ("iterations", "Iterations of all searches.", ITERATIONS_GRAIN),
            ("search_ms", "Milliseconds of all searches.", 1_000.0),
        ):
            value = self._total(name) // grain * grain
            yield CounterMetricFamily(f"warlog_bot_{name}", text, value=value)
        yield GaugeMetricFamily(
            "warlog_bot_queue", "Decisions that wait for a search.", value=self._waiting()
        )


def _fill(family: HistogramMetricFamily, spread: Spread, labels: dict[str, str]) -> None:
    """Prometheus' buckets count everything up to their bound. There is no sample `_sum`."""
    below = 0
    for bound, count in zip([*spread.bounds, inf], spread.counts, strict=True):
        below += count
        if bound >= SHORTEST_SECONDS:
            shown = "+Inf" if bound == inf else str(bound)
            family.add_sample(f"{family.name}_bucket", {**labels, "le": shown}, below)
    family.add_sample(f"{family.name}_count", labels, below)


class Process(Collector):
    """Processor time, memory and open files of this process, rounded."""

    def __init__(self) -> None:
        self._exact = ProcessCollector(registry=None)

    def collect(self) -> Iterator[Metric]:
        for family in self._exact.collect():
            rounded = Metric(family.name, family.documentation, family.type)
            for sample in family.samples:
                grain = GRAINS.get(sample.name)
                value = sample.value if grain is None else round(sample.value // grain * grain, 1)
                rounded.add_sample(sample.name, sample.labels, value)
            yield rounded


class Metrics:
    """The figures of one process, each app with a registry of its own (tests start several)."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.registry.register(Process())
        PlatformCollector(registry=self.registry)
        self.traffic = Traffic()
        self.registry.register(self.traffic)
        self.refusals = Counter(
            "warlog_refusals_total",
            "Problems answered; by the rules of a game with the code `rules`.",
            ["code"],
            registry=self.registry,
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
            ["work"],
            registry=self.registry,
        )

    def gauge(self, name: str, text: str, read: Callable[[], float]) -> None:
        """A figure that is read when somebody asks."""
        Gauge(name, text, registry=self.registry).set_function(read)

    def work(self, counts: Callable[[], Counts | None]) -> None:
        """None: nothing has been done yet."""
        self.registry.register(Work(counts))

    def opponents(self, total: Callable[[str], float], waiting: Callable[[], float]) -> None:
        self.registry.register(Opponents(total, waiting))

    def refused(self, answer: Answer) -> None:
        """A problem document goes out."""
        by_the_rules = answer.status == codes.STATUS[Refused]
        self.refusals.labels(BY_THE_RULES if by_the_rules else msgspec.json.decode(answer.body)["code"]).inc()

    def workers_ended(self, count: int) -> None:
        """So many workers in the place of this one have ended by themselves."""
        Counter(
            "warlog_workers_ended_total", "Workers that ended by themselves.", registry=self.registry
        ).inc(count)
