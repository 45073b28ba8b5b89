"""One connection to Redis while it lasts: words out, replies in, in order. What keeps one up, and what commands and
scripts go through, is in pipe.py."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import hiredis
from redis.exceptions import ResponseError

from ..errors import Unavailable, Unconfirmed
from .capacity import Room

log = logging.getLogger("warlog.redis")

Word = bytes | str | int | float
# bytes, int, None or a list of replies. The caller knows which, from the command it sent.
Reply = Any

# The stub says a tuple of one word.
pack: Callable[[tuple[Word, ...]], bytes] = cast(Any, hiredis.pack_command)

AWAY = "The server's database does not answer; try again soon."

LOOK_AGAIN_S = 0.02  # at a write that failed, until it has been made up for
UNSURE_S_MAX = 5.0  # after which its sender gets Unconfirmed


def away(why: str) -> Unavailable:
    """Redis cannot be used. `why` is for the log: it may name addresses and commands."""
    error = Unavailable(AWAY)
    error.said = why
    return error


# What a pending reply belongs to. A WRITE's loss is `Unconfirmed`; WAIT and LOOK are ours and confirm WRITEs: WAIT
# those before it, LOOK those whose replies had come before it was sent.
_READ, _WRITE, _WAIT, _LOOK = 0, 1, 2, 3
_LOOK_WORDS = pack(("PING",))


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
        self._wait = pack(("WAIT", replicas, wait_ms))
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
        self._queue.append(pack(tuple(words)) if packed is None else packed)
        self._pending.append((future, _WRITE if write else _READ, words))
        self._unsent += 1
        self._unwaited |= write
        return future

    def send_once(self, words: Sequence[Word], write: bool = False) -> asyncio.Future[Reply]:
        """As `send`, but the caller gets every error reply: the command is not sent to another node."""
        future = self.send(words, write)
        self._pending[-1] = (future, _WRITE if write else _READ, ())
        return future

    def tell(self, *words: Word) -> None:
        """Without a reply of its own: for a wire with `on_push`."""
        if self._transport is not None:
            self._transport.write(pack(words))

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
        elif not future.done():  # otherwise the caller has stopped waiting
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
