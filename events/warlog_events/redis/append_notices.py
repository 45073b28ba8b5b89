"""Tells a process of appends that other processes make: one pub/sub connection per process, for all matches.

Redis stores beside each match which processes follow it. An append sends a message to each of them but its writer, who
knows already: its own message would cost it a twelfth of a command. A process has one channel for all matches. Its
registration in Redis may be lost (with the end of a log, with a server), so it is renewed after each reconnect and from
time to time, and expires if it is not.

In a cluster too: its nodes pass every message on to each other, so it does not matter which of them is listened to.
"""

import asyncio
import logging
from collections.abc import Callable

from redis.exceptions import ResponseError

from ..errors import TryAgain
from . import keys
from .connection import Connection
from .pipe import Address, Line
from .wire import Reply, Wire

log = logging.getLogger("warlog.redis")

FORGOTTEN_S = 3600.0  # after which a process that is dead is told no more
RENEW_S = 600.0
RETRY_S = 1.0  # before Redis is asked again for what it has refused


class Watch:
    """Messages carry a match and its version, never content: who is told reads the events himself.

    Redis forgets a message as soon as it is sent. So whenever some may have been missed, and when a match has just been
    registered as followed, its callbacks are called with 0: look for yourself. They run in the loop and must not block.

    One per connection, whose channel and name it has. It connects by itself, and again whenever it must; to be made
    where a loop runs."""

    def __init__(self, connection: Connection) -> None:
        self._watchers: dict[str, list[Callable[[int], None]]] = {}
        self._due: dict[str, float] = {}  # when a match is to be registered again
        self._unsettled: set[str] = set()  # Redis does not know yet whether these are followed here
        self._settling: dict[str, asyncio.Task[None]] = {}
        self._refused = False
        self._others: dict[bytes, tuple[Callable[[bytes], None], Callable[[], None]]] = {}
        self._connection = connection
        self._channel = connection.channel.encode()
        self._at: Address | None = None  # who is listened to
        self._line = Line(self._locate, self._greet, self._down)
        self._line.start()
        self._keeping = asyncio.create_task(self._keep(), name="warlog followers")
        connection.on_return(self._returned)

    async def close(self) -> None:
        tasks = [self._keeping, *self._settling.values()]
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        await self._line.close()

    @property
    def ready(self) -> bool:
        return self._line.ready

    def watch(self, match_id: str, callback: Callable[[int], None]) -> None:
        """`callback(version)` after each append to the match that another process makes."""
        watchers = self._watchers.setdefault(match_id, [])
        watchers.append(callback)
        if len(watchers) == 1:
            self._settle(match_id)
        else:
            # The match may be registered already, and then nothing else would say "look" to this one.
            asyncio.get_running_loop().call_soon(callback, 0)

    def unwatch(self, match_id: str, callback: Callable[[int], None]) -> None:
        watchers = self._watchers.get(match_id, [])
        if callback in watchers:
            watchers.remove(callback)
            if not watchers:
                del self._watchers[match_id]
                self._settle(match_id)

    def subscribe(self, channel: str, message: Callable[[bytes], None], missed: Callable[[], None]) -> None:
        """Any other channel, for as long as this object lives. `missed()` whenever messages may have been missed:
        when the connection is lost (`ready` is false then) and when the subscription stands."""
        self._others[channel.encode()] = (message, missed)
        if self._line.wire is not None:
            self._line.wire.tell("SUBSCRIBE", channel)

    # -- what Redis knows of us

    def _settle(self, match_id: str) -> None:
        """Redis is told whether the match is followed here; of one match one thing at a time, so that none overtakes
        another."""
        self._unsettled.add(match_id)
        if match_id not in self._settling and not self._keeping.done():
            self._settling[match_id] = asyncio.create_task(self._settled(match_id))

    async def _settled(self, match_id: str) -> None:
        try:
            while match_id in self._unsettled:
                self._unsettled.remove(match_id)
                self._due.pop(match_id, None)
                try:
                    await (self._register(match_id) if match_id in self._watchers else self._leave(match_id))
                except (TryAgain, ResponseError) as error:
                    self._complain(match_id, error)
        finally:
            del self._settling[match_id]

    async def _register(self, match_id: str) -> None:
        loop = asyncio.get_running_loop()
        self._due[match_id] = loop.time() + RETRY_S
        name, forgotten_ms = self._connection.follower, int(FORGOTTEN_S * 1000)
        # Sent without WAIT: a new primary that lacks this registration gets it at the next renewal.
        await self._connection.pipe.script(
            "follow", (keys.followers(match_id),), (name, forgotten_ms), write=False
        )
        self._due[match_id] = loop.time() + RENEW_S
        self._refused = False
        self._call_watchers(match_id)

    async def _leave(self, match_id: str) -> None:
        """Not tried again: messages about a match that nobody watches hurt nobody until they end by themselves."""
        await self._connection.pipe.call("ZREM", keys.followers(match_id), self._connection.follower)

    def _complain(self, match_id: str, error: Exception) -> None:
        if not self._refused:
            log.warning(
                "Redis did not store that %s, and perhaps other matches, is followed: %s", match_id, error
            )
        self._refused = True

    async def _keep(self) -> None:
        """For ever: makes what was refused, and what would be forgotten, again."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(RETRY_S)
            if self._connection.pipe.ready:  # else everything is registered when it is back
                now = loop.time()
                for match_id in [match_id for match_id, due in self._due.items() if due <= now]:
                    self._settle(match_id)

    def _returned(self, affected: Callable[[str], bool]) -> None:
        """Registers again, because Redis may have lost what it was told. Drops the connection to a server that is cut
        off from the others, because not every message reaches it."""
        wire = self._line.wire
        if wire is not None and self._at is not None and not self._connection.is_in_touch(self._at):
            wire.drop()
        for match_id in self._watchers:
            if affected(keys.followers(match_id)):
                self._settle(match_id)

    # -- what Redis says

    async def _locate(self) -> Address:
        self._at = await self._connection.locate()
        return self._at

    async def _greet(self, wire: Wire) -> None:
        wire.on_push = self._received
        wire.tell("SUBSCRIBE", self._channel, *self._others)

    def _down(self) -> None:
        for _, missed in self._others.values():
            _call(missed)

    def _received(self, push: list[Reply]) -> None:
        kind, channel, content = push if len(push) == 3 else (b"pong", b"", b"")
        if kind == b"message":
            if channel == self._channel:
                match_id, _, version = content.partition(b" ")
                self._call_watchers(match_id.decode(), int(version))
            elif channel in self._others:
                _call(self._others[channel][0], content)
        elif kind == b"subscribe":
            if channel == self._channel:
                for match_id in [*self._watchers]:
                    self._call_watchers(match_id)
            elif channel in self._others:
                _call(self._others[channel][1])

    def _call_watchers(self, match_id: str, version: int = 0) -> None:
        for callback in tuple(self._watchers.get(match_id, ())):
            _call(callback, version)


def _call(callback: Callable[..., None], *arguments: object) -> None:
    """One watcher's bug must not deafen the others."""
    try:
        callback(*arguments)
    except Exception:
        log.exception("a watcher failed")
