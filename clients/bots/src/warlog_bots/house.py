"""One process of the house's bots: it plays its share of the matches of all house accounts, and analyses for readers.

    python -m warlog_bots.house

Started by `warlog serve` and `warlog bots`. Standard input says first, in one line of JSON, what to do (`Boot`); each
further line is answered with one on standard output, the figures so far. When standard input ends, its parent is gone,
and so is this process.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import signal
import sys
from contextlib import AsyncExitStack

import msgspec
from msgspec import Struct
from pythonjsonlogger.msgspec import MsgspecFormatter

from warlog_client import AsyncClient, WarlogError

from .analyst import Analyst
from .engine import Engine
from .thinker import Thinker

log = logging.getLogger("warlog.bots")

NICE = 10
"""People's requests go before searches."""


class Boot(Struct, frozen=True):
    """url     of the service
    tokens  of the house's accounts, by level
    place   this process's among `of` that share the matches
    budget  processor seconds per second
    json    log lines are JSON
    """

    url: str
    tokens: dict[int, str]
    place: int = 0
    of: int = 1
    budget: float = 1.0
    json: bool = True


def is_mine(match: str, place: int, of: int) -> bool:
    """Each match is played by one of the processes, with all its bots."""
    return int.from_bytes(hashlib.sha256(match.encode()).digest()[:8]) % of == place


async def work() -> None:
    told = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(told), sys.stdin.buffer
    )
    boot = msgspec.json.decode(await told.readline(), type=Boot)
    configure(boot.json, boot.place)
    os.nice(NICE)
    thinker = Thinker(boot.budget)
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    async with AsyncExitStack() as stack:
        tasks = [asyncio.create_task(stopping.wait()), asyncio.create_task(accompany(told, thinker))]
        for level, token in boot.tokens.items():
            client = await stack.enter_async_context(AsyncClient(boot.url, token))
            mine = lambda match: is_mine(match, boot.place, boot.of)  # noqa: E731
            tasks.append(asyncio.create_task(Engine(client, thinker, level=level, mine=mine).run()))
        anybody = await stack.enter_async_context(AsyncClient(boot.url, boot.tokens[min(boot.tokens)]))
        tasks.append(asyncio.create_task(Analyst(anybody, thinker).run()))
        done, left = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
    for task in done:
        task.result()


async def accompany(told: asyncio.StreamReader, thinker: Thinker) -> None:
    """Answers the parent for as long as it is there."""
    while await told.readline():
        print(msgspec.json.encode(thinker.figures).decode(), flush=True)


def configure(as_json: bool, place: int) -> None:
    handler = logging.StreamHandler(sys.stderr)
    if as_json:
        handler.setFormatter(
            MsgspecFormatter(
                "%(levelname)s %(name)s %(message)s",
                timestamp="time",
                rename_fields={"levelname": "level", "name": "logger", "exc_info": "exception"},
                static_fields={"bots": place},
            )
        )
    else:
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.getLogger("httpx").setLevel(logging.WARNING)


def main() -> None:
    code = 1
    try:
        asyncio.run(work())
        code = 0
    except WarlogError as error:  # the secret of the house is another one now
        log.error("%s", error)
    except Exception:
        log.exception("the process ends")
    finally:
        os._exit(code)  # a search that is under way in its thread is not waited for


if __name__ == "__main__":
    main()
