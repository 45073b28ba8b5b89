"""A Redis behind TLS (`rediss://`): everything goes over it, and only to a server whose certificate is good."""

import asyncio
import contextlib
import random
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trustme

from tests.events.hand import opened
from tests.events.table import ALL, table_at
from tests.servers import RedisServer
from warlog_events.errors import Unavailable

REDIS_KINDS = ["plain"]  # what is behind it is no matter
CA = trustme.CA()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()


@contextlib.asynccontextmanager
async def behind_tls(redis: RedisServer, name: str) -> AsyncIterator[int]:
    """A port on which `redis` is reached by TLS, with a certificate for `name`. (Not every redis-server can do TLS.)"""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    CA.issue_cert(name).configure_cert(context)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_unix_connection(str(redis.socket))
        await asyncio.gather(_copy(reader, back), _copy(there, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


@pytest.fixture
def authority(tmp_path: Path) -> Path:
    path = tmp_path / "ca.pem"
    CA.cert_pem.write_to_path(str(path))
    return path


async def test_a_match_is_played_and_followed_over_tls(redis_server: RedisServer, authority: Path) -> None:
    async with behind_tls(redis_server, "localhost") as port:
        url = f"rediss://localhost:{port}?ssl_ca_certs={authority}"
        async with table_at(url) as one, table_at(url) as two:
            match = await one.hot_seat()
            async with two.matches.feed(await two.load(match), ALL, match.version) as feed:
                match = await one.play(match, 5, random.Random(1))
                async with asyncio.timeout(10):
                    assert [(await anext(feed))[0] for _ in range(5)] == list(
                        range(match.version - 4, match.version + 1)
                    )
            assert await one.connection.redis.ping()


@pytest.mark.parametrize("name", ["localhost", "somebody.else"])
async def test_a_server_whose_certificate_is_not_good_is_not_talked_to(
    redis_server: RedisServer, authority: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Signed by nobody whom the system trusts, or for another name."""
    monkeypatch.setattr("warlog_events.redis.connection.PATIENCE_S", 0.2)
    async with behind_tls(redis_server, name) as port:
        query = "" if name == "localhost" else f"?ssl_ca_certs={authority}"
        with pytest.raises(Unavailable, match="certificate"):
            async with opened(f"rediss://localhost:{port}{query}"):
                pass
        async with opened(f"rediss://localhost:{port}?ssl_cert_reqs=none") as connection:
            assert await connection.pipe.ping()
