"""The hot path's Redis client: one connection for a whole process, which pipelines whatever is queued in one tick.

    Wire    one connection while it lasts: words out, replies in, in order (wire.py)
    Line    keeps a Wire up: dials, greets, pings, dials again after a growing pause
    Client  what the rest of Warlog calls: commands and scripts
    Pipe    a Client over one Line; cluster.py has the one over the primaries of a Redis Cluster

A command costs its packing, one future and its share of a `send` and a `recv`; tests/load/redis_clients.py measures it
beside other clients. What it leaves out is what makes them slow: connection pools, locks, timeouts per command.
"""

import asyncio
import logging
import ssl
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from typing import Any

import msgspec
from redis.exceptions import ResponseError

from ..errors import Unavailable
from .capacity import Room
from .scripts import Prepared, script
from .wire import AWAY, Asked, Reply, Wire, Word, away

log = logging.getLogger("warlog.redis")

SILENCE_S_MAX = 5.0  # a ping unanswered for this long, and the connection is given up
PING_EVERY_S = 1.0
PAUSE_S_MIN, PAUSE_S_MAX = 0.02, 1.0  # between two attempts to connect


class Address(msgspec.Struct, frozen=True):
    """A unix socket's path, or a host and port."""

    path: str | None = None
    host: str = "localhost"
    port: int = 6379
    tls: ssl.SSLContext | None = None
    username: str | None = None
    password: str | None = None
    db: int = 0


class Line:
    """Keeps a Wire up.

    locate   where the server is now; asked before each attempt, because an embedded server may have to be started
    greet    what a new connection must first say and check; a failure refuses the connection
    down     called when a connection that was up is lost
    up       called when there is one again after that
    looks    as Wire's
    """

    def __init__(
        self,
        locate: Callable[[], Awaitable[Address]],
        greet: Callable[[Wire], Awaitable[None]],
        down: Callable[[], None] = lambda: None,
        up: Callable[[], None] = lambda: None,
        *,
        replicas: int = 0,
        wait_ms: int = 1000,
        refused: Callable[[ResponseError, Asked], bool] | None = None,
        looks: bool = False,
    ) -> None:
        self._locate = locate
        self._greet = greet
        self._down = down
        self._up = up
        self._refused = refused
        self._replicas = replicas
        self._wait_ms = wait_ms
        self._looks = looks
        self._task: asyncio.Task[None] | None = None
        self._asking: asyncio.Task[None] | None = None
        self.wire: Wire | None = None
        self.room = Room()

    async def open(self) -> None:
        """The first connection, whose failure is the caller's to see; from then on it is kept up by itself."""
        self.wire = await self.dial()
        self.start()

    def start(self) -> None:
        """Without waiting: there is a connection when `wire` is set."""
        self._task = asyncio.create_task(self._keep(), name="warlog redis line")

    @property
    def ready(self) -> bool:
        return self.wire is not None and not self.wire.lost.done()

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        if self.wire is not None:
            self.wire.drop()
            await self.wire.lost
            self.wire = None

    async def _keep(self) -> None:
        pause = PAUSE_S_MIN
        while True:
            if self.wire is not None:
                await self._watch(self.wire)
                self.wire = None
                log.warning("the connection to Redis is lost")
                self._down()
                pause = PAUSE_S_MIN
            try:
                self.wire = await self.dial()
                self._up()
            except Exception as error:
                log.warning("Redis is not to be had: %s", error)
                await asyncio.sleep(pause)
                pause = min(2 * pause, PAUSE_S_MAX)

    async def dial(self) -> Wire:
        """One connection, greeted, which nobody keeps up. Raises Unavailable, and whatever `locate` and `greet`
        raise."""
        try:
            async with asyncio.timeout(SILENCE_S_MAX):
                return await self._dial_and_greet()
        except TimeoutError as error:
            raise away("no answer from Redis") from error

    async def _dial_and_greet(self) -> Wire:
        loop = asyncio.get_running_loop()
        address = await self._locate()
        try:
            if address.path is not None:
                _, wire = await loop.create_unix_connection(self._wire, address.path)
            else:
                _, wire = await loop.create_connection(
                    self._wire, address.host, address.port, ssl=address.tls
                )
        except OSError as error:
            raise away(f"no connection to Redis: {error}") from error
        try:
            if address.password is not None:
                await wire.send(("AUTH", *filter(None, (address.username, address.password))))
            if address.db:
                await wire.send(("SELECT", address.db))
            await self._greet(wire)
        except BaseException:
            wire.drop()
            raise
        return wire

    def _wire(self) -> Wire:
        return Wire(self._replicas, self._wait_ms, self._refused, self.room, self._looks)

    async def _watch(self, wire: Wire) -> None:
        """Until the wire is lost. It asks, because a vanished machine closes no connection."""
        loop = asyncio.get_running_loop()
        pinged_at = 0.0
        while not wire.lost.done():
            await asyncio.wait([wire.lost], timeout=PING_EVERY_S)
            if wire.lost.done():
                break
            if wire.heard_at >= pinged_at:
                pinged_at = loop.time()
                if wire.on_push is not None:
                    wire.tell("PING")
                else:
                    self._asking = asyncio.create_task(self._ask(wire))
            elif loop.time() - pinged_at > SILENCE_S_MAX:
                wire.drop()

    async def _ask(self, wire: Wire) -> None:
        try:
            await self.room.ask(wire.send)
        except Unavailable:
            pass  # `lost` says so, too
        except ResponseError as error:
            log.warning("Redis does not say whether it has room: %s", error)


class Client(ABC):
    """Commands and scripts.

    What has no connection to go over raises Unavailable at once. A command whose connection is lost before its
    reply raises Unavailable, or Unconfirmed if it was sent as a `write`: it may have been done, and is never sent again
    from here. With `replicas`, a write's reply comes when so many replicas have it, else Unconfirmed; with `looks`,
    when it is in the append-only file. An error reply
    to a wrong command is redis-py's ResponseError: a bug."""

    @abstractmethod
    async def open(self) -> None: ...

    @abstractmethod
    async def close(self) -> None: ...

    @property
    @abstractmethod
    def ready(self) -> bool: ...

    @property
    def reached(self) -> float:
        """The share of all keys that can be reached now."""
        return float(self.ready)

    @property
    @abstractmethod
    def rooms(self) -> Collection[Room]:
        """Of every server that is written to."""

    @abstractmethod
    def check_growth(self, key: str) -> None:
        """Before something new is begun with this key. Raises DiskFull, Unavailable."""

    @abstractmethod
    def send(self, *words: Word, write: bool = False, packed: bytes | None = None) -> asyncio.Future[Reply]:
        """Sends a command; the reply to come. `packed`: the words as they are sent, where the caller has them."""

    @abstractmethod
    async def atomically(self, commands: Iterable[Sequence[Word]]) -> list[Reply]:
        """MULTI … EXEC; all keys in one slot."""

    async def call(self, *words: Word, write: bool = False) -> Reply:
        return await self.send(*words, write=write)

    async def many(self, commands: Iterable[Sequence[Word]], *, write: bool = False) -> list[Reply]:
        """The replies of all, in order, in one round trip; not atomic. Raises what the first failure raised."""
        return await asyncio.gather(*[self.send(*words, write=write) for words in commands])

    async def reachable(self, calls: Sequence[tuple[Prepared, tuple[bytes, ...]]]) -> list[Reply]:
        """The replies of script calls that only read, in order, in one round trip, with None in the place of what is
        behind a server that is away. Raises Unavailable if everything is."""
        try:
            return await self._reachable(
                ((*call.words, *arguments), call.pack(arguments)) for call, arguments in calls
            )
        except ResponseError as error:
            if not str(error).startswith("NOSCRIPT"):
                raise
        return await self._reachable((call.whole(arguments), None) for call, arguments in calls)

    async def _reachable(self, commands: Iterable[tuple[Sequence[Word], bytes | None]]) -> list[Reply]:
        sent: list[asyncio.Future[Reply]] = []
        for words, packed in commands:
            try:
                sent.append(self.send(*words, packed=packed))
            except Unavailable as error:
                sent.append(asyncio.get_running_loop().create_future())
                sent[-1].set_exception(error)
        replies: list[Any] = await asyncio.gather(*sent, return_exceptions=True)
        away = [reply for reply in replies if isinstance(reply, Unavailable)]
        for reply in replies:
            if isinstance(reply, BaseException) and (reply not in away or len(away) == len(replies)):
                raise reply
        return [None if isinstance(reply, Unavailable) else reply for reply in replies]

    async def script(
        self, name: str, keys: Sequence[str], arguments: Sequence[Word], *, write: bool = True
    ) -> Reply:
        """lua/<name>.lua. Redis may have forgotten it (a restart, a fail-over); then it is sent whole."""
        code = script(name)
        try:
            return await self.send("EVALSHA", code.sha1, len(keys), *keys, *arguments, write=write)
        except ResponseError as error:
            if not str(error).startswith("NOSCRIPT"):
                raise
        return await self.send("EVAL", code.source, len(keys), *keys, *arguments, write=write)

    def run(self, call: Prepared, arguments: tuple[bytes, ...]) -> asyncio.Future[Reply]:
        """Calls a script that writes."""
        return self.send(*call.words, *arguments, write=True, packed=call.pack(arguments))

    def run_whole(self, call: Prepared, arguments: tuple[bytes, ...]) -> asyncio.Future[Reply]:
        """The same, where Redis may have forgotten the script."""
        return self.send(*call.whole(arguments), write=True)

    async def ping(self) -> bool:
        try:
            return bool(await self.call("PING") == b"PONG")
        except Unavailable:
            return False


class Pipe(Client):
    """Over one connection.

    up   called whenever there is a connection again after a loss"""

    def __init__(
        self,
        locate: Callable[[], Awaitable[Address]],
        greet: Callable[[Wire], Awaitable[None]],
        up: Callable[[], None] = lambda: None,
        *,
        replicas: int = 0,
        wait_ms: int = 1000,
        looks: bool = False,
    ) -> None:
        self._line = Line(locate, greet, up=up, replicas=replicas, wait_ms=wait_ms, looks=looks)

    async def open(self) -> None:
        await self._line.open()

    async def close(self) -> None:
        await self._line.close()

    @property
    def ready(self) -> bool:
        return self._line.ready

    @property
    def rooms(self) -> Collection[Room]:
        return (self._line.room,)

    def check_growth(self, key: str) -> None:
        self._line.room.check_growth()

    @property
    def holds_back(self) -> bool:
        """Replies wait for a look at the append-only file."""
        wire = self._line.wire
        return wire is not None and wire.holds_back

    def send(self, *words: Word, write: bool = False, packed: bytes | None = None) -> asyncio.Future[Reply]:
        wire = self._line.wire
        if wire is None:
            raise self._line.room.away(AWAY)
        return wire.send(words, write, packed)

    async def atomically(self, commands: Iterable[Sequence[Word]]) -> list[Reply]:
        """Nothing comes in between, because all is queued in this tick."""
        sent = [self.send("MULTI", write=True)]
        sent += [self.send(*words, write=True) for words in commands]
        *_, done = await asyncio.gather(*sent, self.send("EXEC", write=True))
        for reply in done:
            if isinstance(reply, Exception):
                raise reply
        return list(done)
