"""The floor under Warlog's figures: the same web server, Redis client and Redis, doing no more than it must.

A bare Litestar route reads a body, appends one stream entry of the size that Warlog's events have, hands bytes of
the size of Warlog's feed events to two open event streams and answers with as many bytes as Warlog does. No token is
checked, no JSON decoded, no rule applied, no version compared. Started by bench.py as a process of its own:

    python -m tests.load.floor PORT_FILE DATA_DIR ENTRY_BYTES ANSWER_BYTES EVENT_BYTES
"""

from __future__ import annotations

import asyncio
import sys
from collections import defaultdict
from pathlib import Path

from litestar import Litestar, Response, get, post
from litestar.connection import Request
from litestar.datastructures import State
from litestar.types import Receive, Scope, Send

from warlog_events.redis.connection import Connection, open_redis
from warlog_service.server import Server, config
from warlog_service.settings import Settings


class Streams:
    """Open event streams by match."""

    def __init__(self) -> None:
        self._queues: defaultdict[str, list[asyncio.Queue[bytes | None]]] = defaultdict(list)

    def publish(self, match: str, event: bytes) -> None:
        for queue in self._queues[match]:
            queue.put_nowait(event)

    def stream(self, match: str) -> Stream:
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._queues[match].append(queue)
        return Stream(queue)

    async def close_feeds(self) -> None:
        for queues in self._queues.values():
            for queue in queues:
                queue.put_nowait(None)


class Stream:
    """One open event stream; an ASGI application."""

    def __init__(self, queue: asyncio.Queue[bytes | None]) -> None:
        self._queue = queue

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [(b"content-type", b"text/event-stream")],
            }
        )
        while (event := await self._queue.get()) is not None:
            await send({"type": "http.response.body", "body": event, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def application(
    connection: Connection, streams: Streams, entry: bytes, answer: bytes, event: bytes
) -> Litestar:
    @post("/floor/{match:str}/commands")
    async def command(request: Request[object, object, State], match: str) -> Response[bytes]:
        await request.body()
        await connection.pipe.call(
            "XADD", f"floor:{match}", "*", "type", "action_taken", "body", entry, write=True
        )
        streams.publish(match, event)
        return Response(answer, status_code=201, media_type="application/json")

    @get("/floor/{match:str}/feed")
    async def feed(request: Request[object, object, State], match: str) -> Stream:
        return streams.stream(match)

    return Litestar([command, feed], openapi_config=None)


async def main(port_file: Path, data: Path, entry: int, answer: int, event: int) -> None:
    connection = await open_redis(None, data)
    streams = Streams()
    shown = b'id: 1\nevent: action_taken\ndata: {"version":1,"filler":"%b"}\n\n'
    app = application(
        connection,
        streams,
        b"x" * entry,
        b'{"filler":"%b"}' % (b"x" * max(0, answer - 13)),
        shown % (b"x" * max(0, event - len(shown))),
    )
    server = Server(config(app, Settings(port=0)), streams)  # type: ignore[arg-type]
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    port_file.write_text(str(server.servers[0].sockets[0].getsockname()[1]))
    await serving
    await connection.close()


if __name__ == "__main__":
    import uvloop

    uvloop.run(main(Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:6])))
