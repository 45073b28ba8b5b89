"""The hot path's Redis client: one connection for a whole process, which pipelines whatever is queued in one tick.

    Wire    one connection while it lasts: words out, replies in, in order
    Line    keeps a Wire up: dials, greets, pings, dials again after a growing pause
    Client  what the rest of Warlog calls: commands and scripts
    Pipe    a Client over one Line; cluster.py has the one over the primaries of a Redis Cluster

A command costs its packing, one future and its share of a `send` and a `recv`; tests/load/redis_clients.py measures it
beside other clients. What it leaves out is what makes them slow: connection pools, locks, timeouts per command.
"""

import asyncio
import hashlib
import logging
import ssl
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from functools import cache
from importlib import resources
from typing import Any, cast

import hiredis
import msgspec
from redis.exceptions import ResponseError

from ..errors import Unavailable, Unconfirmed
from .capacity import Room

log = logging.getLogger("warlog.redis")

Word = bytes | str | int | float
# bytes, int, None or a list of replies. The caller knows which, from the command it sent.
Reply = Any

# The stub says a tuple of one word.
_pack: Callable[[tuple[Word, ...]], bytes] = cast(Any, hiredis.pack_command)

SILENCE_S_MAX = 5.0  # a ping unanswered for this long, and the connection is given up
PING_EVERY_S = 1.0
PAUSE_S_MIN, PAUSE_S_MAX = 0.02, 1.0  # between two attempts to connect

AWAY = "The server's database does not answer; try again soon."

LOOK_AGAIN_S = 0.02  # at a write that failed, until it has been made up for
UNSURE_S_MAX = 5.0  # after which its sender is told that nobody knows


class Address(msgspec.Struct, frozen=True):
    """A unix socket's path, or a host and port."""

    path: str | None = None
    host: str = "localhost"
    port: int = 6379
    tls: ssl.SSLContext | None = None
    username: str | None = None
    password: str | None = None
    db: int = 0


class Script(msgspec.Struct, frozen=True):
    name: str
    source: str
    sha1: str


def away(why: str) -> Unavailable:
    """Redis cannot be used. `why` is for the log: it may name addresses and commands."""
    error = Unavailable(AWAY)
    error.said = why
    return error


@cache
def script(name: str) -> Script:
    """lua/<name>.lua"""
    source = resources.files("warlog_events.redis").joinpath("lua", f"{name}.lua").read_text("utf-8")
    return Script(name, source, hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest())


class Prepared:
    """A script's call on these keys, packed once for as often as it is made: only the arguments are others each time.

    words   the call as far as it is always the same
    """

    __slots__ = ("_packed", "script", "words")

    def __init__(self, name: str, keys: Sequence[str]) -> None:
        self.script = code = script(name)
        self.words: tuple[Word, ...] = ("EVALSHA", code.sha1, len(keys), *keys)
        self._packed = _without_count(self.words)

    def pack(self, arguments: tuple[bytes, ...]) -> bytes:
        """The whole call as it is sent: the number of its words, and the words, each after its length (RESP)."""
        words = len(self.words) + len(arguments)
        return b"*%d\r\n%b%b" % (words, self._packed, _without_count(arguments))

    def whole(self, arguments: tuple[bytes, ...]) -> tuple[Word, ...]:
        """The call for a Redis that has forgotten the script."""
        return ("EVAL", self.script.source, *self.words[2:], *arguments)


def _without_count(words: tuple[Word, ...]) -> bytes:
    """Words as they are sent, without the line before them that says how many there are."""
    return _pack(words).partition(b"\r\n")[2]


# What a pending reply belongs to. A WRITE's loss is `Unconfirmed`; WAIT and LOOK are ours and confirm WRITEs: WAIT
# those before it, LOOK those whose replies had come before it was sent.
_READ, _WRITE, _WAIT, _LOOK = 0, 1, 2, 3
_LOOK_WORDS = _pack(("PING",))


# A pending reply: whose it is, of which of these three, and the command, to be asked of another node if need be;
# () for one that must not be.
Asked = tuple[asyncio.Future[Reply], int, Sequence[Word]]


class Wire(asyncio.Protocol):
    """One connection while it lasts.

    on_push   once set, takes every reply instead of the futures (pub/sub)
    refused   is shown every error reply first; True: it will see to the future itself
    looks     a write's reply is held until a look has shown that the append-only file has it

    The look. Redis runs the commands of one turn of its loop, then writes what they changed to the file, then sends
    their replies: all of them, also when the write has failed or was short (disk full), unless `appendfsync` is
    `always`, when it exits. What was not written stays in its memory, to be tried again each turn; until that succeeds,
    and then all is written, it refuses every command that writes, and PING, with MISCONF. (aof.c, flushAppendOnlyFile;
    server.c, beforeSleep and processCommand; 6.2 to 8.0.) A PING in the same turn as a write would run before the
    file is written and say nothing of it. But a PING that is sent after a write's reply has come runs in a later turn;
    if it is answered with PONG, the write is in the kernel. So each batch of replies is followed by one PING, in one
    write to Redis with whatever else is to be sent by then. If the answer is MISCONF, the replies wait for a PONG.
    """

    def __init__(
        self,
        replicas: int,
        wait_ms: int,
        refused: Callable[[ResponseError, Asked], bool] | None = None,
        room: Room | None = None,
        looks: bool = False,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._reader = hiredis.Reader(replyError=ResponseError)
        self._transport: asyncio.Transport | None = None
        self._queue: list[bytes] = []
        self._pending: deque[Asked] = deque()
        self._unsent = 0  # how many of the pending, from the right, are still in the queue
        self._replicas = replicas
        self._wait = _pack(("WAIT", replicas, wait_ms))
        self._unwaited = False  # the queue holds a write
        self._waiting = False  # a WAIT is under way
        self.room = Room() if room is None else room
        self._looks = looks and not replicas
        self._holds = bool(replicas) or looks
        self._held: list[
            tuple[Asked, Reply]
        ] = []  # replies to writes whose WAIT, or LOOK, is under way or to come
        self._looked: deque[list[tuple[Asked, Reply]]] = (
            deque()
        )  # of each LOOK under way, what it will confirm
        self._unsure: list[tuple[Asked, Reply]] = []  # replies of which a LOOK said that they are not written
        self._unsure_since = 0.0
        self._wait_asked: Asked = (
            self._loop.create_future(),
            _WAIT,
            (),
        )  # in the pending list for every WAIT
        self._look_asked: Asked = (self._wait_asked[0], _LOOK, ())
        self._refused = refused
        self.on_push: Callable[[list[Reply]], None] | None = None
        self.heard_at = self._loop.time()
        self.lost: asyncio.Future[None] = self._loop.create_future()

    # -- out

    def send(
        self, words: Sequence[Word], write: bool = False, packed: bytes | None = None
    ) -> asyncio.Future[Reply]:
        """The reply to come. Replies come in the order of sending. Raises Unavailable once the wire is lost.

        `packed`: the words as they are sent, where the caller has them."""
        if self._transport is None:
            raise self.room.away(AWAY)
        future: asyncio.Future[Reply] = self._loop.create_future()
        if not self._queue:
            self._loop.call_soon(self._flush)
        self._queue.append(_pack(tuple(words)) if packed is None else packed)
        self._pending.append((future, _WRITE if write else _READ, words))
        self._unsent += 1
        self._unwaited |= write
        return future

    def send_once(self, words: Sequence[Word], write: bool = False) -> asyncio.Future[Reply]:
        """As `send`, but an error reply is the caller's whatever it says."""
        future = self.send(words, write)
        self._pending[-1] = (future, _WRITE if write else _READ, ())
        return future

    def tell(self, *words: Word) -> None:
        """Without a reply of its own: for a wire with `on_push`."""
        if self._transport is not None:
            self._transport.write(_pack(words))

    def _flush(self) -> None:
        # While one batch waits for its replicas the next one gathers: with a replica down every batch waits to
        # the end of its time, and a WAIT for each tick would pile up without bound.
        if self._transport is None or not self._queue or self._waiting:
            return
        if self._replicas and self._unwaited:
            self._queue.append(self._wait)
            self._pending.append(self._wait_asked)
            self._waiting = True
        self._transport.write(self._queue[0] if len(self._queue) == 1 else b"".join(self._queue))
        self._queue.clear()
        self._unsent = 0
        self._unwaited = False

    def drop(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    # -- in

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports are no subclasses of asyncio's, so this cannot be asserted.
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self.heard_at = self._loop.time()
        try:
            self._reader.feed(data)
            while (reply := self._reader.gets()) is not False:
                if self.on_push is not None:
                    self.on_push(reply)
                    continue
                asked = self._pending.popleft()
                if asked[1] == _READ or not self._holds:
                    self._settle(asked, reply)
                elif asked[1] == _LOOK:
                    self._see(reply)
                elif asked[1] == _WAIT:
                    self._confirm(reply)
                elif self._looks and isinstance(reply, ResponseError):
                    self._settle(asked, reply)  # nothing was written
                else:
                    self._held.append((asked, reply))
        except Exception:
            log.exception("a Redis connection is dropped: what it says is not the protocol")
            self.drop()
        if self._looks and self._held:
            held, self._held = self._held, []
            self._look(held)

    @property
    def holds_back(self) -> bool:
        """Replies wait for a look."""
        return bool(self._held or self._unsure or self._looked)

    def _look(self, held: list[tuple[Asked, Reply]]) -> None:
        if self._transport is None:
            self._give_up(held)
            return
        if not self._queue:
            self._loop.call_soon(self._flush)
        self._queue.append(_LOOK_WORDS)
        self._pending.append(self._look_asked)
        self._unsent += 1
        self._looked.append(held)

    def _see(self, seen: Reply) -> None:
        """What a look has found."""
        held = self._looked.popleft()
        if isinstance(seen, Exception):
            if not self._unsure:
                self._unsure_since = self._loop.time()
                self._loop.call_later(LOOK_AGAIN_S, self._look_again)
            self._unsure += held
            self.room.failed()
            return
        if self._unsure:
            held, self._unsure = self._unsure + held, []
        for asked, reply in held:
            self._settle(asked, reply)

    def _look_again(self) -> None:
        if not self._unsure:
            return
        if self._loop.time() - self._unsure_since < UNSURE_S_MAX:
            self._look([])
            self._loop.call_later(LOOK_AGAIN_S, self._look_again)
        else:
            unsure, self._unsure = self._unsure, []
            self._give_up(unsure)

    def _give_up(self, held: Iterable[tuple[Asked, Reply]]) -> None:
        for (future, _, _), _ in held:
            if not future.done():
                future.set_exception(Unconfirmed())

    def _confirm(self, reached: Reply) -> None:
        """The WAIT of a batch is answered: its writes are on `reached` replicas."""
        enough = isinstance(reached, int) and reached >= self._replicas
        for asked, reply in self._held:
            if enough or isinstance(reply, Exception):
                self._settle(asked, reply)
            elif not asked[0].done():
                asked[0].set_exception(Unconfirmed())
        self._held.clear()
        self._waiting = False
        self._flush()

    def _settle(self, asked: Asked, reply: Reply) -> None:
        future = asked[0]
        if isinstance(reply, ResponseError):
            if self._refused is not None and self._refused(reply, asked):
                return
            text = str(reply)
            if "READONLY" in text:  # a replica since a fail-over: the address may lead elsewhere by now
                self._loop.call_soon(self.drop)
            if not future.done():
                future.set_exception(self.room.unavailable(text) or reply)
        elif not future.done():  # else whoever asked has gone
            future.set_result(reply)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        for held in (self._held, self._unsure, *self._looked):
            self._give_up(held)
        sent = len(self._pending) - self._unsent
        for i, (future, kind, _) in enumerate(self._pending):
            if kind in (_WAIT, _LOOK) or future.done():
                continue
            if kind == _WRITE and i < sent:
                future.set_exception(Unconfirmed())
            else:
                future.set_exception(self.room.away(AWAY))
        self._pending.clear()
        self._held.clear()
        self._unsure.clear()
        self._looked.clear()
        self._queue.clear()
        if not self.lost.done():
            self.lost.set_result(None)


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
