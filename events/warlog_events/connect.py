"""A connection to Redis: by URL, or to an embedded server that lives in a data directory.

What each durability promises of an event that was acknowledged:

    everysec     it survives the death of any process, and all but the last second or two the death of the machine
    always       it survives the death of the machine
    replicated   it is in the memory of `replicas` other servers; fewer in time, and the answer is Unconfirmed.
                 Other readers may see the event before its sender has the answer.

With a Redis by URL the first two rest on its configuration (`appendonly yes`, `appendfsync`), which is looked at
on every connect. One reservation: Redis's own `everysec` may answer before it writes while a slow fsync is under way,
so a kill -9 of Redis itself can then lose up to two seconds. The embedded server is free of it (embedded.py).
"""

import asyncio
import logging
import ssl
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal

from redis.asyncio import Redis
from redis.asyncio.connection import parse_url
from redis.exceptions import ResponseError

from . import keys
from .embedded import VERSION_MIN, Embedded, RedisUnsuitable
from .errors import Unavailable
from .pipe import PAUSE_S_MAX, Address, Pipe, Wire, script
from .world import World

__all__ = ["Connection", "Durability", "RedisUnsuitable", "open_redis"]

log = logging.getLogger("warlog.redis")

Durability = Literal["everysec", "always", "replicated"]

PATIENCE_S = 10.0  # for a first connection by URL; an embedded server may take as long to load as it likes
SCRIPTS = ("append",)  # loaded on every connect, so that no first command pays for it


class Connection:
    """pipe     for everything hot and everything that writes
    redis    a redis-py client, for what is neither
    buckets  how many the matches are spread over
    locate   for further connections of one's own (pub/sub): see pipe.Line
    """

    def __init__(
        self,
        locate: Callable[[], Awaitable[Address]],
        embedded: Embedded | None,
        durability: Durability,
        replicas: int,
        buckets: int,
        wait_ms: int,
    ) -> None:
        self.locate = locate
        self.durability: Durability = durability
        self.buckets = buckets
        self._embedded = embedded
        self._worlds: list[World] = []
        self._offset_ms = 0
        self.pipe = Pipe(
            locate, self._greet, replicas=replicas if durability == "replicated" else 0, wait_ms=wait_ms
        )
        self.redis: Redis

    async def close(self) -> None:
        """The embedded server ends too, if this process started it."""
        await self.pipe.close()
        if hasattr(self, "redis"):
            await self.redis.aclose()
        if self._embedded is not None:
            await self._embedded.close()

    def keep_time(self, world: World) -> None:
        """From now on `world` goes by Redis's clock (unless it is a fixed one)."""
        if not world.is_fixed:
            world.offset_ms = self._offset_ms
            self._worlds.append(world)

    async def set_clock(self) -> None:
        """Asks Redis for the time."""
        await self._set_clock(self.pipe.send("TIME"))

    async def _set_clock(self, asked: asyncio.Future[Any]) -> None:
        before = time.time_ns()
        seconds, micros = await asked
        middle_ms = (before + time.time_ns()) // 2_000_000
        self._offset_ms = int(seconds) * 1000 + int(micros) // 1000 - middle_ms
        for world in self._worlds:
            world.offset_ms = self._offset_ms

    async def _greet(self, wire: Wire) -> None:
        info = _parse_info(await wire.send(("INFO",)))
        if info.get("loading") != "0":
            raise Unavailable("Redis is loading its data")
        if self._embedded is not None:
            self._embedded.answered = True
        if info.get("role") != "master":
            raise Unavailable("this Redis is a replica")
        _check_suitable(info, self.durability)
        if self.durability == "always":
            await _check_fsync_always(wire)
        await wire.send(("SET", keys.BUCKETS, self.buckets, "NX"))
        buckets = int(await wire.send(("GET", keys.BUCKETS)))
        if buckets != self.buckets:
            raise RedisUnsuitable(
                f"this database was set up with {buckets} buckets, not {self.buckets}: the number cannot be changed"
            )
        for name in SCRIPTS:
            await wire.send(("SCRIPT", "LOAD", script(name).source))
        await self._set_clock(wire.send(("TIME",)))


async def open_redis(
    url: str | None,
    data_dir: Path | str | None,
    durability: Durability = "everysec",
    *,
    replicas: int = 1,
    buckets: int = keys.BUCKETS_DEFAULT,
    wait_ms: int = 1000,
) -> Connection:
    """`url` (redis, rediss or unix), or else the embedded server of `data_dir`.

    wait_ms   how long a replicated write waits for its replicas

    Raises RedisUnsuitable where waiting would not help, Unavailable after ten seconds without a connection."""
    if not 1 <= buckets <= keys.BUCKETS_MAX:
        raise RedisUnsuitable(f"buckets: 1 to {keys.BUCKETS_MAX}")
    embedded = None
    if url is not None:
        address = _address(url)

        async def locate() -> Address:
            return address

        connection = Connection(locate, None, durability, replicas, buckets, wait_ms)
    elif data_dir is not None:
        if durability == "replicated":
            raise RedisUnsuitable(
                "the embedded Redis has no replicas: durability `replicated` needs a Redis URL"
            )
        embedded = Embedded(Path(data_dir), durability)
        connection = Connection(embedded.locate, embedded, durability, replicas, buckets, wait_ms)
    else:
        raise RedisUnsuitable("neither a Redis URL nor a data directory is given")
    try:
        await _open_with_patience(connection, PATIENCE_S if embedded is None else float("inf"))
    except BaseException:
        await connection.close()
        raise
    if url is not None:
        connection.redis = Redis.from_url(url)
    else:
        connection.redis = Redis(unix_socket_path=str((await connection.locate()).path))
    return connection


async def _open_with_patience(connection: Connection, patience_s: float) -> None:
    started, pause = time.monotonic(), 0.005
    while True:
        try:
            return await connection.pipe.open()
        except ResponseError as error:
            raise RedisUnsuitable(f"Redis refuses: {error}") from error
        except Unavailable as error:
            if time.monotonic() - started > patience_s:
                raise
            if pause >= PAUSE_S_MAX:
                log.info("waiting for Redis: %s", error)
        await asyncio.sleep(pause)
        pause = min(pause * 2, PAUSE_S_MAX)


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


def _parse_info(reply: bytes) -> dict[str, str]:
    pairs = (line.partition(":") for line in reply.decode().splitlines())
    return {name: value for name, colon, value in pairs if colon}


def _check_suitable(info: dict[str, str], durability: Durability) -> None:
    major, minor = (int(part) for part in info["redis_version"].split(".")[:2])
    if (major, minor) < VERSION_MIN:
        raise RedisUnsuitable(f"Redis {major}.{minor} is too old: 6.2 or newer is needed")
    if info.get("cluster_enabled") == "1":
        raise RedisUnsuitable("this is a node of a Redis Cluster, which needs a client that knows its slots")
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
