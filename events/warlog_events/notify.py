"""Who wants to know that a match has moved: one pub/sub connection per process, for all of them.

In a cluster too: its nodes pass every message on to each other, so it does not matter which of them is listened to.
"""

import asyncio
import logging
from collections.abc import Callable

from . import keys
from .connect import Connection
from .pipe import Address, Line, Reply, Wire

log = logging.getLogger("warlog.redis")


class Watch:
    """Messages carry the match (as the channel) and its version, never content: who is told reads the events himself.

    Redis forgets a message as soon as it is sent. So whenever some may have been missed, and once when a subscription
    first stands, every callback is called with 0: look for yourself. Callbacks run in the loop and must not block.

    Connects by itself, and again whenever it must; to be made where a loop runs."""

    def __init__(self, connection: Connection) -> None:
        self._watchers: dict[bytes, list[Callable[[int], None]]] = {}
        self._others: dict[bytes, tuple[Callable[[bytes], None], Callable[[], None]]] = {}
        self._connection = connection
        self._at: Address | None = None  # who is listened to
        self._line = Line(self._locate, self._greet, self._down)
        self._line.start()
        if connection.is_cluster:
            connection.on_return(self._returned)

    async def close(self) -> None:
        await self._line.close()

    @property
    def ready(self) -> bool:
        return self._line.ready

    def watch(self, match: str, callback: Callable[[int], None]) -> None:
        """`callback(version)` after each append to the match, from whatever process."""
        channel = keys.moved(match).encode()
        watchers = self._watchers.setdefault(channel, [])
        watchers.append(callback)
        if len(watchers) == 1:
            self._tell("SUBSCRIBE", channel)
        else:
            # The subscription may stand already, and then nothing else would say "look" to this one.
            asyncio.get_running_loop().call_soon(callback, 0)

    def unwatch(self, match: str, callback: Callable[[int], None]) -> None:
        channel = keys.moved(match).encode()
        watchers = self._watchers.get(channel, [])
        if callback in watchers:
            watchers.remove(callback)
            if not watchers:
                del self._watchers[channel]
                self._tell("UNSUBSCRIBE", channel)

    def subscribe(self, channel: str, message: Callable[[bytes], None], missed: Callable[[], None]) -> None:
        """Any other channel, for as long as this object lives. `missed()` whenever messages may have been missed:
        when the connection is lost (`ready` is false then) and when the subscription stands."""
        self._others[channel.encode()] = (message, missed)
        self._tell("SUBSCRIBE", channel.encode())

    def _tell(self, command: str, *channels: bytes) -> None:
        if self._line.wire is not None:
            self._line.wire.tell(command, *channels)

    async def _locate(self) -> Address:
        self._at = await self._connection.locate()
        return self._at

    def _returned(self, affected: Callable[[str], bool]) -> None:
        """Of a server that was cut off from the others one hears too little, and what was told by it may be untrue."""
        wire = self._line.wire
        if wire is not None and self._at is not None and not self._connection.is_in_touch(self._at):
            wire.drop()
            return
        for channel, watchers in [*self._watchers.items()]:
            if affected(channel.decode()):
                for callback in tuple(watchers):
                    _call(callback, 0)

    async def _greet(self, wire: Wire) -> None:
        wire.on_push = self._received
        channels = [*self._watchers, *self._others]
        for i in range(0, len(channels), 1000):
            wire.tell("SUBSCRIBE", *channels[i : i + 1000])

    def _down(self) -> None:
        for _, missed in self._others.values():
            _call(missed)

    def _received(self, push: list[Reply]) -> None:
        kind, channel, content = push if len(push) == 3 else (b"pong", b"", b"")
        if kind == b"message":
            if channel in self._watchers:
                version = int(content)
                for callback in tuple(self._watchers[channel]):
                    _call(callback, version)
            elif channel in self._others:
                _call(self._others[channel][0], content)
        elif kind == b"subscribe":
            for callback in tuple(self._watchers.get(channel, ())):
                _call(callback, 0)
            if channel in self._others:
                _call(self._others[channel][1])


def _call(callback: Callable[..., None], *arguments: object) -> None:
    """One watcher's bug must not deafen the others."""
    try:
        callback(*arguments)
    except Exception:
        log.exception("a watcher failed")
