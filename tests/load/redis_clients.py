"""What one command costs a process, by client: the measurement behind pipe.py.

    python -m tests.load.redis_clients [commands]

Against a redis-server of its own on a unix socket: a GET and a small XADD, from 1 caller and from 100 at once.
Printed: microseconds of CPU of this process per command, and commands per second. glide and coredis take part where
they are installed; no part of Warlog needs them.
"""

import asyncio
import gc
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from socket import create_server
from typing import Any

from redis.asyncio import Redis

from tests.servers import RedisServer
from warlog_events.redis.pipe import Address, Pipe
from warlog_events.redis.wire import Wire

BODY = b'{"action":{"type":"move","piece":12,"to":"e4"}}'
ADD = ("XADD", "events", "*", "type", "action_taken", "seat", "red", "body", BODY)

# A client, opened: one command by its words, to be awaited.
Call = Callable[..., Awaitable[Any]]


@asynccontextmanager
async def warlog_pipe(socket: str) -> AsyncIterator[Call]:
    async def locate() -> Address:
        return Address(path=socket)

    async def greet(wire: Wire) -> None:
        await wire.send(("PING",))

    pipe = Pipe(locate, greet)
    await pipe.open()
    yield pipe.send
    await pipe.close()


@asynccontextmanager
async def redis_py(socket: str) -> AsyncIterator[Call]:
    async with Redis(unix_socket_path=socket) as redis:
        yield redis.execute_command


@asynccontextmanager
async def redis_py_batched(socket: str) -> AsyncIterator[Call]:
    """What is queued in one tick goes into one redis-py pipeline, which one task at a time executes."""
    async with Redis(unix_socket_path=socket) as redis:
        queue: list[tuple[tuple[Any, ...], asyncio.Future[Any]]] = []
        running: asyncio.Task[None] | None = None

        async def execute() -> None:
            nonlocal running
            while queue:
                batch, queue[:] = queue[:], []
                pipeline = redis.pipeline(transaction=False)
                for words, _ in batch:
                    pipeline.execute_command(*words)
                for (_, future), reply in zip(batch, await pipeline.execute(), strict=True):
                    future.set_result(reply)
            running = None

        def call(*words: Any) -> asyncio.Future[Any]:
            nonlocal running
            future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            queue.append((words, future))
            running = running or asyncio.create_task(execute())
            return future

        yield call


@asynccontextmanager
async def coredis(socket: str) -> AsyncIterator[Call]:
    from coredis import Redis as Coredis  # pyright: ignore[reportMissingImports]

    async with Coredis(unix_socket_path=socket) as redis:

        async def call(name: str, *words: Any) -> Any:
            if name == "GET":
                return await redis.get(*words)
            return await redis.xadd("events", {"type": "action_taken", "seat": "red", "body": BODY})

        yield call


@asynccontextmanager
async def glide(socket: str) -> AsyncIterator[Call]:
    """Over TCP: it knows no unix sockets."""
    import glide as library  # pyright: ignore[reportMissingImports]

    async with Redis(unix_socket_path=socket) as redis:
        port = int((await redis.config_get("port"))["port"] or 0)
    configuration = library.GlideClientConfiguration([library.NodeAddress("127.0.0.1", port)])
    client = await library.GlideClient.create(configuration)

    async def call(*words: Any) -> Any:
        return await client.custom_command(list(words))

    yield call
    await client.close()


async def measure(call: Call, words: tuple[Any, ...], commands: int, callers: int) -> tuple[float, float]:
    """(µs of CPU per command, commands per second)"""

    async def caller() -> None:
        for _ in range(commands // callers):
            await call(*words)

    await asyncio.gather(*(caller() for _ in range(min(callers, 10))))
    gc.collect()
    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(callers)))
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    done = commands // callers * callers
    return cpu / done * 1e6, done / wall


async def compare(commands: int) -> None:
    print(f"{'':18}{'callers':>8}{'GET µs CPU':>12}{'GET/s':>10}{'XADD µs CPU':>13}{'XADD/s':>10}")
    with create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    with RedisServer(fsync="no", config={"port": port}) as server:
        for client in (warlog_pipe, redis_py, redis_py_batched, coredis, glide):
            try:
                async with client(str(server.socket)) as call:
                    for callers in (1, 100):
                        get = await measure(call, ("GET", "absent"), commands, callers)
                        add = await measure(call, ADD, commands, callers)
                        print(
                            f"{client.__name__:18}{callers:8}{get[0]:12.1f}{get[1]:10,.0f}{add[0]:13.1f}{add[1]:10,.0f}"
                        )
            except Exception as error:
                print(f"{client.__name__:18} {type(error).__name__}: {error}")


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    print("asyncio's own loop")
    asyncio.run(compare(count))
    try:
        import uvloop
    except ImportError:
        pass
    else:
        print("uvloop")
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(compare(count))
