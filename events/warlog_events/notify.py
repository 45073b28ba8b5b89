"""Who wants to know that a match has moved: one pub/sub connection per process."""

from collections.abc import Callable

from .connect import Connection


class Watch:
    """Messages carry the match (as channel) and its version, never content: who is told reads the events himself."""

    def __init__(self, connection: Connection) -> None:
        raise NotImplementedError

    def watch(self, match: str, callback: Callable[[int], None]) -> None:
        """`callback(version)` after each append from anywhere; `callback(0)` means "look": sent once when the
        subscription stands, and again whenever messages may have been missed. It must not block."""
        raise NotImplementedError

    def unwatch(self, match: str, callback: Callable[[int], None]) -> None:
        raise NotImplementedError

    def subscribe(self, channel: str, callback: Callable[[bytes], None], lost: Callable[[], None]) -> None:
        """Any other channel for as long as this object lives. `lost()` when messages may have been missed."""
        raise NotImplementedError

    async def close(self) -> None:
        raise NotImplementedError
