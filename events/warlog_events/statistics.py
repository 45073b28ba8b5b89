"""What a process has done and how long it took, as plain numbers: for tests and metrics."""

from bisect import bisect_left
from collections.abc import Sequence

SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Spread:
    """How often something took how long: a histogram. `counts` has one entry more than `bounds`, for the rest."""

    def __init__(self, bounds: Sequence[float] = SECONDS) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)

    def add(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1


class Counts:
    """core_calls         starts, loads, steps and runs of steps that were asked of the core
    redis_reads        round trips for reading; what goes out together counts once
    redis_appends      calls of the append script
    conflicts          appends that came too late by a version
    cache_hits         matches that were asked for and were in memory
    cache_misses       those that had to be loaded, or were being loaded already
    snapshots_refused  snapshots that were not what they said
    integrity_errors   matches that contradicted themselves
    paired             matches of quick pairing that were made
    abandoned          lobbies that were ended because nobody came
    archive_reads      files that were read from the archive

    In seconds:
    loads              from asking for a cold match to having it
    replays            the work of the processor in it and in following what others append
    feed_lags          from an event's `at` to its being handed to the feeds of this process
    notice_lags        the same of personal feeds
    lateness           from a deadline to its time-out, of those that were posted here
    """

    def __init__(self) -> None:
        self.core_calls = 0
        self.redis_reads = 0
        self.redis_appends = 0
        self.conflicts = 0
        self.cache_hits = 0
        self.cache_misses = 0
        self.snapshots_refused = 0
        self.integrity_errors = 0
        self.paired = 0
        self.abandoned = 0
        self.archive_reads = 0
        self.loads = Spread()
        self.replays = Spread()
        self.feed_lags = Spread()
        self.notice_lags = Spread()
        self.lateness = Spread()
