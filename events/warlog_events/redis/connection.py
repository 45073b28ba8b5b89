"""A connection to Redis: by URL, one server or a cluster, or to an embedded server that lives in a data directory.

What each durability promises of an event that was acknowledged:

    everysec     it survives the death of any process, and after a second or two that of the machine
    always       it survives the death of the machine
    replicated   it is in the memory of `replicas` other servers; if not in time, the answer is Unconfirmed.
                 Other readers may see the event before its sender has the answer.

With a Redis by URL the first two rest on its configuration (`appendonly yes`, `appendfsync`), which is looked at
on every connect. One reservation: Redis's own `everysec` may answer before it writes while a slow fsync is under way,
so a kill -9 of Redis itself can then lose up to two seconds. The embedded server is free of it (embedded.py).

A full disk takes nothing from these promises: with `everysec` an answer waits until the append-only file has it
(pipe.py, Wire), with `always` Redis exits instead of answering.
"""

import asyncio
import logging
import ssl
from collections.abc import Awaitable, Callable, Collection
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit, urlunsplit

from msgspec.structs import replace
from redis.asyncio import Redis, RedisCluster
from redis.asyncio.connection import parse_url
from redis.exceptions import ResponseError

from ..clock_and_random import World
from ..errors import RedisUnsuitable, Unavailable
from ..threads import Threads
from . import keys
from .capacity import parse_info
from .cluster import ClusterPipe, slot_of
from .embedded import BALLAST_BYTES, VERSION_MIN, Embedded
from .pipe import PAUSE_S_MAX, Address, Client, Pipe
from .scripts import script
from .wire import Wire, away

__all__ = ["Connection", "Durability", "RedisUnsuitable", "open_redis"]

log = logging.getLogger("warlog.redis")

Durability = Literal["everysec", "always", "replicated"]

PATIENCE_S = 10.0  # for a first connection by URL; an embedded server may take as long to load as it likes
# Loaded on every connect, so that no first command pays for it.
SCRIPTS = ("append", "admit", "follow", "activity", "due", "notices", "notify", "personal_feed")

Returned = Callable[[Callable[[str], bool]], None]


class _IsCluster(RedisUnsuitable):
    """A plain URL leads to a node of a cluster."""


class Connection:
    """pipe        for everything on the hot path and everything that writes
    redis       a redis-py client, for what is neither
    buckets     how many the matches are spread over
    is_cluster  every command's keys have to lie in one slot
    locate      for further connections of one's own (pub/sub): see pipe.Line
    channel     on which this process is told what others append (append_notices.py)
    """

    def __init__(
        self, durability: Durability, replicas: int, buckets: int, wait_ms: int, machine: World
    ) -> None:
        self.durability: Durability = durability
        self.buckets = buckets
        self.channel = keys.append_channel(machine.token_bytes(8).hex())
        self.is_cluster = False
        self.pipe: Client
        self.redis: Redis | RedisCluster
        self.locate: Callable[[], Awaitable[Address]]
        self._replicas = replicas if durability == "replicated" else 0
        self._wait_ms = wait_ms
        self._embedded: Embedded | None = None
        self._guarding: asyncio.Task[None] | None = None
        self._machine = machine
        self._worlds: list[World] = []
        self._offset_ms = 0
        self._returned: list[Returned] = []
        self._returns_count = 0

    def to_server(self, locate: Callable[[], Awaitable[Address]], embedded: Embedded | None = None) -> None:
        self.locate = locate
        self._embedded = embedded
        self.pipe = Pipe(
            locate,
            self._greet,
            lambda: self._returns(lambda key: True),
            replicas=self._replicas,
            wait_ms=self._wait_ms,
            looks=self.durability == "everysec",
        )
        if embedded is not None:
            (room,) = self.pipe.rooms
            self._guarding = asyncio.create_task(embedded.guard(self.pipe, room), name="warlog redis guard")

    def to_cluster(self, seeds: list[Address]) -> None:
        def changed(slots: Collection[int]) -> None:
            self._returns(lambda key: slot_of(key) in slots)

        self.is_cluster = True
        self.pipe = pipe = ClusterPipe(
            seeds,
            self._greet,
            changed,
            replicas=self._replicas,
            wait_ms=self._wait_ms,
            looks=self.durability == "everysec",
        )
        self.locate = pipe.locate

    def on_return(self, returned: Returned) -> None:
        """`returned(affected)` whenever Redis has been away and is back, or another server of the cluster has taken
        over, for the keys of which `affected(key)` is true: what is there may be older than what was known of it. Of a
        cluster it is also called, for no key, when a server gets in or out of touch with the others."""
        self._returned.append(returned)

    @property
    def follower(self) -> str:
        """This process's name among the followers of a match. Renamed after each reconnect, so that late appends of our
        own are announced to us, too."""
        return f"{self.channel} {self._returns_count}"

    def _returns(self, affected: Callable[[str], bool]) -> None:
        self._returns_count += 1
        for returned in self._returned:
            returned(affected)

    def is_in_touch(self, address: Address) -> bool:
        """Whether a message that is published anywhere can be heard there."""
        return not isinstance(self.pipe, ClusterPipe) or self.pipe.is_in_touch((address.host, address.port))

    async def close(self) -> None:
        """The embedded server ends too, if this process started it, when all that it was given is in its file."""
        if self._guarding is not None:
            self._guarding.cancel()
            await asyncio.wait([self._guarding])
        if self._embedded is not None and isinstance(self.pipe, Pipe):
            await self._embedded.settle(self.pipe)
        await self.pipe.close()
        if hasattr(self, "redis"):
            await self.redis.aclose()
        if self._embedded is not None:
            await self._embedded.close()

    def check_growth(self, key: str) -> None:
        """Before something new is begun, whose key is this. Raises DiskFull, Unavailable."""
        self.pipe.check_growth(key)

    @property
    def refuses(self) -> Unavailable | None:
        """Why nothing is saved now, by no server that there is."""
        refusals = [room.refuses for room in self.pipe.rooms]
        return refusals[0] if refusals and all(refusals) else None

    @property
    def crowded(self) -> float:
        """The share of the servers that have too little memory left for anything new."""
        rooms = self.pipe.rooms
        return sum(room.crowded for room in rooms) / max(1, len(rooms))

    def keep_time(self, world: World) -> None:
        """From now on `world` goes by Redis's clock (unless it is a fixed one)."""
        if not world.is_fixed:
            world.offset_ms = self._offset_ms
            self._worlds.append(world)

    def set_clock(self, now_ms: int) -> None:
        """What Redis has just said the time is."""
        self._offset_ms = now_ms - self._machine.machine_ms()
        for world in self._worlds:
            world.offset_ms = self._offset_ms

    async def _greet(self, wire: Wire) -> None:
        info = parse_info(await wire.send(("INFO",)))
        if info.get("loading") != "0":
            raise away("Redis is loading its data")
        if self._embedded is not None:
            self._embedded.answered = True
        if (info.get("cluster_enabled") == "1") != self.is_cluster:
            if self.is_cluster:
                raise RedisUnsuitable("this Redis is no node of a cluster")
            raise _IsCluster("this Redis is a node of a cluster")
        if info.get("role") != "master":
            raise away("this Redis is a replica")
        _check_suitable(info, self.durability)
        wire.room.learn(info, info)
        if self.durability == "always":
            await _check_fsync_always(wire)
        await self._check_buckets(wire)
        for name in SCRIPTS:
            await wire.send(("SCRIPT", "LOAD", script(name).source))
        before = self._machine.machine_ms()
        seconds, micros = await wire.send(("TIME",))
        under_way_ms = self._machine.machine_ms() - before
        self.set_clock(int(seconds) * 1000 + int(micros) // 1000 + under_way_ms // 2)

    async def _check_buckets(self, wire: Wire) -> None:
        try:
            known = await wire.send_once(("GET", keys.BUCKETS))
            if known is None:  # nothing is written otherwise: a Redis that is full can still be read
                await wire.send_once(("SET", keys.BUCKETS, self.buckets, "NX"))
                known = await wire.send_once(("GET", keys.BUCKETS))
            buckets = int(known)
        except ResponseError as error:
            if self.is_cluster and str(error).startswith(("MOVED", "ASK")):
                return  # whose slot it is says it to us, too
            raise
        if buckets != self.buckets:
            raise RedisUnsuitable(
                f"this database was set up with {buckets} buckets, not {self.buckets}: the number cannot be changed"
            )


async def open_redis(
    url: str | None,
    data_dir: Path | str | None,
    durability: Durability = "everysec",
    *,
    replicas: int = 1,
    buckets: int = keys.BUCKETS_DEFAULT,
    wait_ms: int = 1000,
    memory_bytes: int | None = None,
    ballast_bytes: int = BALLAST_BYTES,
    flushing: Threads | None = None,
    machine: World | None = None,
) -> Connection:
    """`url` (redis, rediss or unix; redis+cluster or rediss+cluster with several host:port), or else the embedded
    server of `data_dir`. A plain URL that leads to a node of a cluster leads to the cluster.

    wait_ms        how long a replicated write waits for its replicas
    memory_bytes   what the embedded server may use; None: half of the machine's
    ballast_bytes  room on its disk that is kept for when there is no other; 0: none
    flushing       the thread that flushes an embedded server's file; None: one of its own
    machine        its clock and randomness; None: those of the machine that this runs on

    Raises RedisUnsuitable where waiting would not help, Unavailable after ten seconds without a connection."""
    if not 1 <= buckets <= keys.BUCKETS_MAX:
        raise RedisUnsuitable(f"buckets: 1 to {keys.BUCKETS_MAX}")
    connection = Connection(durability, replicas, buckets, wait_ms, machine or World.real())
    seeds: list[Address] = []
    if url is not None:
        seeds, is_cluster = _seeds(url)

        async def locate() -> Address:
            return seeds[0]

        if is_cluster:
            connection.to_cluster(seeds)
        else:
            connection.to_server(locate)
    elif data_dir is not None:
        if durability == "replicated":
            raise RedisUnsuitable(
                "the embedded Redis has no replicas: durability `replicated` needs a Redis URL"
            )
        embedded = Embedded(Path(data_dir), durability, memory_bytes, ballast_bytes, flushing)
        connection.to_server(embedded.locate, embedded)
    else:
        raise RedisUnsuitable("neither a Redis URL nor a data directory is given")
    patience_s = PATIENCE_S if url is not None else float("inf")
    try:
        try:
            await _open_with_patience(connection, patience_s)
        except _IsCluster:
            connection.to_cluster(seeds)
            await _open_with_patience(connection, patience_s)
    except BaseException:
        await connection.close()
        raise
    connection.redis = await _redis_py(connection, url)
    return connection


async def _redis_py(connection: Connection, url: str | None) -> Redis | RedisCluster:
    if url is None:
        return Redis(unix_socket_path=str((await connection.locate()).path))
    if not connection.is_cluster:
        return Redis.from_url(url)
    return RedisCluster.from_url(_first_of(url))


async def _open_with_patience(connection: Connection, patience_s: float) -> None:
    now = asyncio.get_running_loop().time
    started, pause = now(), 0.005
    while True:
        try:
            return await connection.pipe.open()
        except ResponseError as error:
            raise RedisUnsuitable(f"Redis refuses: {error}") from error
        except Unavailable as error:
            if now() - started > patience_s:
                raise
            if pause >= PAUSE_S_MAX:
                log.info("waiting for Redis: %s", error)
        await asyncio.sleep(pause)
        pause = min(pause * 2, PAUSE_S_MAX)


def _first_of(url: str) -> str:
    """redis+cluster://user:password@a:1,b:2?… → redis://user:password@a:1?…"""
    parts = urlsplit(url)
    scheme, netloc = parts.scheme.removesuffix("+cluster"), parts.netloc.partition(",")[0]
    return urlunsplit((scheme, netloc, parts.path, parts.query, ""))


def _seeds(url: str) -> tuple[list[Address], bool]:
    """Where to go first, and whether the URL says that a cluster is there."""
    if "+cluster:" not in url:
        return [_address(url)], False
    first = _address(_first_of(url))
    if first.path is not None or first.db:
        raise RedisUnsuitable("a Redis Cluster has no database but 0, and is not reached by a unix socket")
    _, *others = urlsplit(url).netloc.rpartition("@")[2].split(",")
    seeds = [first]
    for other in others:
        place = _address(f"redis://{other}")
        seeds.append(replace(first, host=place.host, port=place.port))
    return seeds, True


def _address(url: str) -> Address:
    """redis-py's reading of the URL, so that both clients go to the same place."""
    try:
        parts: dict[str, Any] = dict(parse_url(url))
    except ValueError as error:
        raise RedisUnsuitable(f"not a Redis URL: {error}") from error
    tls = None
    if url.startswith("rediss:"):
        tls = ssl.create_default_context(cafile=parts.get("ssl_ca_certs"))
        if parts.get("ssl_cert_reqs") in ("none", "CERT_NONE"):
            tls.check_hostname = False
            tls.verify_mode = ssl.CERT_NONE
    return Address(
        path=parts.get("path"),
        host=parts.get("host", "localhost"),
        port=parts.get("port", 6379),
        tls=tls,
        username=parts.get("username"),
        password=parts.get("password"),
        db=parts.get("db", 0),
    )


def _check_suitable(info: dict[str, str], durability: Durability) -> None:
    major, minor = (int(part) for part in info["redis_version"].split(".")[:2])
    if (major, minor) < VERSION_MIN:
        raise RedisUnsuitable(f"Redis {major}.{minor} is too old: 6.2 or newer is needed")
    policy = info.get("maxmemory_policy")
    if policy != "noeviction":
        raise RedisUnsuitable(
            f"maxmemory-policy is {policy}: Redis would throw matches away; set it to noeviction"
        )
    if durability != "replicated" and info.get("aof_enabled") != "1":
        raise RedisUnsuitable(f"durability `{durability}` needs a Redis with `appendonly yes`")


async def _check_fsync_always(wire: Wire) -> None:
    try:
        _, fsync = await wire.send(("CONFIG", "GET", "appendfsync"))
    except ResponseError:
        log.warning("Redis does not show its configuration: whether `appendfsync` is `always` is not known")
        return
    if fsync != b"always":
        raise RedisUnsuitable(
            f"durability `always` needs a Redis with `appendfsync always`, not {fsync.decode()}"
        )
