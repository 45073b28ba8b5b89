"""Live feeds: each new event of a match, to everyone who follows it, as he may see it."""

from collections.abc import AsyncIterator


class SlowReader(Exception):
    """More events waited for this reader than he may leave waiting. He can come back with Last-Event-ID."""

    code = "slow_reader"


class FeedClosed(Exception):
    """The process is going down, or the match can no longer be read (`code` says why: shutdown, integrity_error, unavailable)."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Feed(AsyncIterator[tuple[int, str, bytes]]):
    """An endless iterator of (version, type, JSON), every version after `after` once and in order.

    The JSON is the event of `/events` with `to_act` and `deadlines` after it. Equal readers share the bytes.

        async with matches.feed(match, reader, after) as feed:
            async for version, type, data in feed: ...

    `__anext__` may be abandoned (asyncio.wait_for for a heartbeat) without losing an event. Raises SlowReader, FeedClosed."""

    async def __aenter__(self) -> "Feed":
        raise NotImplementedError

    async def __aexit__(self, *exc: object) -> None:
        raise NotImplementedError

    async def __anext__(self) -> tuple[int, str, bytes]:
        raise NotImplementedError

    def close(self, code: str = "shutdown") -> None:
        """Ends it from outside: what waits is still delivered, then FeedClosed."""
        raise NotImplementedError
