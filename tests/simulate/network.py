"""The network between the processes of Warlog and Redis: late, cut, silent, as the seed wants it.

A `Link` is one connection, as an asyncio transport. What is written arrives in order, some time later; then the real
Redis is asked, and its replies arrive some time after that.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextvars import Context
from pathlib import Path
from typing import Any, Literal

import msgspec

from tests.simulate.history import History
from tests.simulate.loop import PROCESS, Process, VirtualLoop
from tests.simulate.redis_process import RealConnection, RedisProcess, pack
from tests.simulate.timeline import Timeline
from warlog_events.redis import scripts as lua

Cut = Literal["before", "after"]

LUA = Path(lua.__file__).parent / "lua"
FASTEST_S = 0.0001
USUAL_S = (0.0008, 0.005, 0.05)  # drawn: with the last, a command and its reply take a tenth of a second
WAIT = pack("WAIT")[4:]  # without the number of words


class Network:
    """links   all that are open, in the order in which they were opened
    usual_s on average so late everything arrives
    extra   by process, how much later than usual it may be
    dark    processes whose new connections wait
    """

    def __init__(
        self, loop: VirtualLoop, redis: RedisProcess, rng: random.Random, timeline: Timeline
    ) -> None:
        self.loop = loop
        self.redis = redis
        self.rng = rng
        self.timeline = timeline
        self.links: list[Link] = []
        self.usual_s = rng.choice(USUAL_S)
        self.extra: dict[str, float] = {}
        self.dark: set[str] = set()
        self.redis_ahead_us = 0
        self.history: History
        self.replica = Replica(self)
        self.sizes: list[tuple[float, int]] = [(0.0, 0)]  # of Redis's file, over time
        self.commands = 0
        self._opened = 0
        append = lua.script("append")
        self._appends = (append.sha1.encode(), append.source.encode())
        scripts = [lua.script(file.stem) for file in sorted(LUA.glob("*.lua"))]
        self._telling = [  # what makes Redis send something to listeners
            b"PUBLISH",  # as a command, or in a script that is sent whole
            b"SUBSCRIBE",
            b"PING",  # a listener's, who is answered as if it were a message
            *(code.sha1.encode() for code in scripts if "PUBLISH" in code.source),
        ]
        loop.dial = self._dial

    def latency(self, process: str) -> float:
        usual = FASTEST_S + self.rng.expovariate(1 / self.usual_s)
        return usual + self.rng.random() * self.extra.get(process, 0.0)

    def later(self, when: float, told: Callable[..., None], *arguments: Any) -> None:
        """What is under way does not end with the process that it comes from."""
        self.loop.call_at(when, told, *arguments, context=Context())

    def set_clock(self) -> None:
        self.redis.set_clock(round(self.loop.time() * 1e6) + self.redis_ahead_us)

    async def _dial(self, factory: Callable[[], asyncio.Protocol], path: str | None) -> Any:
        process = PROCESS.get()
        assert process is not None
        await asyncio.sleep(self.latency(process.name))
        while process.name in self.dark:
            await asyncio.sleep(1.0)
        if not self.redis.up:
            raise ConnectionRefusedError("Redis is down")
        self._opened += 1
        link = Link(self, process, factory(), self._opened)
        self.links.append(link)
        link.protocol.connection_made(link)
        return link, link.protocol

    def links_of(self, process: str) -> list[Link]:
        return [link for link in self.links if link.process.name == process]

    def ask(self, link: Link, data: bytes) -> bytes:
        """The real Redis is asked, now."""
        self.set_clock()
        waits = data.rfind(WAIT)
        if waits > 0 and self.replica.count:
            data = data[: data.rfind(b"*", 0, waits)]
        replies = link.real.ask(data)
        self._note_appends(link.process.name, link.real.requests, link.real.replies)
        self.commands += 1
        self.timeline.delivered("redis", link.number, data, b"" if b"INFO" in data else replies)
        size = self.redis.written_bytes
        if size != self.sizes[-1][1]:
            self.sizes.append((self.loop.time(), size))
        if any(word in data for word in self._telling):
            if link.real.listens:
                self.redis.barrier()  # its own request may be answered after ours, but not after our next one
            self._tell_listeners()
        return replies

    def _note_appends(self, process: str, requests: list[Any], replies: list[Any]) -> None:
        """When Redis has appended each version."""
        for words, reply in zip(requests, replies, strict=False):
            if words[0] not in (b"EVALSHA", b"EVAL") or words[1] not in self._appends:
                continue
            if reply == [b"done"]:
                match, *_, events = msgspec.msgpack.decode(words[3 + int(words[2])])[:13]
                for version, kind, seat, *_ in events:
                    self.history.appended.setdefault((match, version), []).append(self.loop.time())
                    self.timeline.note(f"Redis appends {match} {version} {kind} {seat} for {process}")
            elif isinstance(reply, list):
                match, version, *_ = msgspec.msgpack.decode(words[3 + int(words[2])])[:2]
                answer = " ".join(str(word)[:40] for word in reply)
                self.timeline.note(f"Redis refuses {process} what follows on {match} {version}: {answer}")

    def _tell_listeners(self) -> None:
        listening = [link for link in self.links if link.real.listens]
        if not listening:
            return
        self.redis.barrier()
        for link in listening:
            if heard := link.real.heard():
                self.timeline.delivered("heard", link.number, heard)
                link.reply(heard)

    def size_at(self, when: float) -> int:
        """How much of Redis's file had been written then, and was never lost since."""
        before = next(i for i, (at, _) in reversed([*enumerate(self.sizes)]) if at <= when)
        return min(size for _, size in self.sizes[before:])

    def redis_gone(self) -> None:
        for link in [*self.links]:
            link.cut()


class Replica:
    """Another Redis that has what the first had a moment ago: the commands in its file up to then.

    count     how many there are; 0: writes are not waited for
    lag_s     how far behind it is
    stuck_at  it gets nothing since then
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self.count = 0
        self.lag_s = 0.004
        self.stuck_at: float | None = None

    def reached(self) -> float:
        """It has what was written until then."""
        now = self._network.loop.time()
        return now - self.lag_s if self.stuck_at is None else min(self.stuck_at, now - self.lag_s)


class Link(asyncio.Transport):
    """number   in the order of all connections
    cut_next  the next batch is the last: cut before it arrives, or after
    extra     how much later than usual it may be, alone of all
    silent    half-open: nothing arrives any more, and nobody is told
    """

    def __init__(self, network: Network, process: Process, protocol: asyncio.Protocol, number: int) -> None:
        super().__init__()
        self.network = network
        self.process = process
        self.protocol = protocol
        self.number = number
        self.cut_next: Cut | None = None
        self.silent = False
        self.extra = 0.0
        self.real: RealConnection = network.redis.connect()
        self._open = True
        self._out_at = self._in_at = 0.0
        self._died = lambda: self._close_later()
        process.on_death.append(self._died)

    # -- what the process does

    def write(self, data: Any) -> None:
        if not self._open:
            return
        if self.cut_next is not None:
            cut, self.cut_next = self.cut_next, None
            self.network.timeline.note(f"{self.process.name}: connection {self.number} is cut {cut} a batch")
            if cut == "before":
                self.cut()
                return
            self._arrives(bytes(data), last=True)
        else:
            self._arrives(bytes(data))

    def _arrives(self, data: bytes, *, last: bool = False) -> None:
        loop = self.network.loop
        self._out_at = max(self._out_at, loop.time() + self._latency())
        self.network.later(self._out_at, self._arrive, data, last)

    def _latency(self) -> float:
        network = self.network
        return network.latency(self.process.name) + (network.rng.random() * self.extra if self.extra else 0.0)

    def abort(self) -> None:
        self._close(None)

    def close(self) -> None:
        self._close(None)

    def is_closing(self) -> bool:
        return not self._open

    # -- what becomes of it

    def _arrive(self, data: bytes, last: bool) -> None:
        if not self._alive():
            return
        replies = self.network.ask(self, data)
        if last:
            self.cut()
            return
        waits = data.rfind(WAIT)
        if waits > 0 and self.network.replica.count:
            self.reply(replies)
            self._confirm(int(data.split(b"\r\n")[-2]))
        elif replies:
            self.reply(replies)

    def _alive(self) -> bool:
        return self._open and not self.silent and self.network.redis.up

    def _confirm(self, wait_ms: int) -> None:
        """The answer to a WAIT: when the replica has it, or too late."""
        network, replica = self.network, self.network.replica
        asked = network.loop.time()

        def look() -> None:
            if not self._alive():
                return
            if replica.reached() >= asked:
                self.reply(b":%d\r\n" % replica.count)
            elif network.loop.time() - asked >= wait_ms / 1000:
                self.reply(b":0\r\n")
            else:
                network.later(network.loop.time() + replica.lag_s + 1e-6, look)

        look()

    def reply(self, data: bytes) -> None:
        loop = self.network.loop
        self._in_at = max(self._in_at, loop.time() + self._latency())
        self.network.later(self._in_at, self._receive, data)

    def _receive(self, data: bytes) -> None:
        if self._alive() and self.process.alive:
            self.network.loop.call_soon(self._hand_over, data, context=self.process.context)

    def _hand_over(self, data: bytes) -> None:
        if self._open:
            self.protocol.data_received(data)

    def cut(self) -> None:
        """Both sides hear of it."""
        self._close(ConnectionResetError("cut"))

    def _close_later(self) -> None:
        """The process is dead; what it has sent before still arrives."""
        loop = self.network.loop
        self.network.later(max(self._out_at, loop.time()) + 1e-6, self._close, None)

    def _close(self, error: Exception | None) -> None:
        if not self._open:
            return
        self._open = False
        self.network.links.remove(self)
        self.process.on_death.remove(self._died)
        self.real.close()
        self.network.loop.call_soon(self.protocol.connection_lost, error, context=self.process.context)
