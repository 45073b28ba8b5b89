"""A connection to Redis: by URL, or to an embedded server that lives with its data directory."""

from pathlib import Path
from typing import Literal

from redis.asyncio import Redis

from .keys import BUCKETS_DEFAULT
from .pipe import Pipe

Durability = Literal["everysec", "always", "replicated"]


class Connection:
    """pipe   for everything hot and everything that writes
    redis  a redis-py client, for what is neither
    """

    pipe: Pipe
    redis: "Redis"
    buckets: int

    async def close(self) -> None:
        raise NotImplementedError


async def open_redis(
    url: str | None,
    data_dir: Path | None,
    durability: Durability = "everysec",
    *,
    replicas: int = 1,
    buckets: int = BUCKETS_DEFAULT,
) -> Connection:
    """`url`, or else the embedded server of `data_dir`. Raises RedisUnsuitable, Unavailable."""
    raise NotImplementedError
