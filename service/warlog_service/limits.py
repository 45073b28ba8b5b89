"""Rate limits: token buckets in this process, one per limit and caller (or address, for those without a token).

They stop a single caller from taking a process for himself; what a site as a whole takes in is for the proxy in
front to limit. A bucket is forgotten when it would be full again, so the tables stay as large as the present crowd.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from warlog_events.errors import LimitName, TooManyRequests
from warlog_service.proxies import Proxies
from warlog_service.responses import Headers
from warlog_service.settings import Settings

BURST_SECONDS = 10.0
SWEEP_EVERY = 4_096  # new buckets


class TokenBuckets:
    """One limit: `rate` tokens a second for each key, saved up for at most BURST_SECONDS. A rate of 0 limits
    nothing. `policy` is its name in headers."""

    def __init__(self, name: LimitName, rate: float, now: Callable[[], float], policy: str = "") -> None:
        self.name: LimitName = name
        self.rate = rate
        self.burst = max(1.0, rate * BURST_SECONDS)
        seconds = math.ceil(self.burst / rate) if rate else 0
        self._policy = (b"ratelimit-policy", b'"%b";q=%d;w=%d' % (policy.encode(), self.burst, seconds))
        self._left = b'"%b";r=%%d;t=%%d' % policy.encode()
        self._now = now  # seconds, monotonic
        self._buckets: dict[str, tuple[float, float]] = {}  # key → (tokens, when)
        self._new = 0

    def spend(self, key: str) -> Headers:
        """Take one token of `key`; gives what `headers` would give now. Raises TooManyRequests when there is none."""
        if not self.rate:
            return []
        now = self._now()
        held = self._buckets.get(key)
        if held is None:
            self._sweep(now)
            tokens = self.burst
        else:
            tokens = min(self.burst, held[0] + (now - held[1]) * self.rate)
        if tokens < 1.0:
            raise TooManyRequests((1.0 - tokens) / self.rate, self.name)
        tokens -= 1.0
        self._buckets[key] = (tokens, now)
        return self._told(tokens)

    def headers(self, key: str) -> Headers:
        """What is left to `key` now, for the answer (draft-ietf-httpapi-ratelimit-headers): how many tokens there are,
        and after how many seconds there are as many as there can be."""
        if not self.rate:
            return []
        tokens, when = self._buckets.get(key, (self.burst, 0.0))
        return self._told(min(self.burst, tokens + (self._now() - when) * self.rate))

    def _told(self, tokens: float) -> Headers:
        seconds = math.ceil((self.burst - tokens) / self.rate)
        return [self._policy, (b"ratelimit", self._left % (tokens, seconds))]

    def _sweep(self, now: float) -> None:
        self._new += 1
        if self._new < SWEEP_EVERY:
            return
        self._new = 0
        full = [
            key
            for key, (tokens, when) in self._buckets.items()
            if tokens + (now - when) * self.rate >= self.burst
        ]
        for key in full:
            del self._buckets[key]


class OpenFeeds:
    """How many feeds each caller (or address) has open now."""

    name: LimitName = "feeds_per_caller"

    def __init__(self, most: int) -> None:
        self.most = most
        self.total = 0
        self._open: dict[str, int] = {}

    def enter(self, key: str) -> None:
        held = self._open.get(key, 0)
        if self.most and held >= self.most:
            raise TooManyRequests(1.0, self.name)
        self._open[key] = held + 1
        self.total += 1

    def leave(self, key: str) -> None:
        held = self._open.pop(key) - 1
        if held:
            self._open[key] = held
        self.total -= 1


class Limits:
    """All limits of a process."""

    def __init__(self, settings: Settings, now: Callable[[], float]) -> None:
        self.proxies = Proxies(settings.trusted_proxies)
        self.callers = TokenBuckets("requests_per_caller", settings.requests_per_caller, now, "requests")
        self.addresses = TokenBuckets("requests_per_address", settings.requests_per_address, now, "requests")
        self.commands = TokenBuckets("commands_per_caller", settings.commands_per_caller, now, "commands")
        self.accounts = TokenBuckets("accounts_per_address", settings.accounts_per_address, now, "accounts")
        self.failures = TokenBuckets("failures_per_address", settings.failures_per_address, now)
        self.feeds = OpenFeeds(settings.feeds_per_caller)
