"""One of the serving processes of `warlog serve --workers N`: as one alone, but told what to do by its supervisor.

    python -m warlog_service.worker

Standard input says first, in one line of JSON, what to be (`Boot`); then each further line is answered with one on
standard output, which shows that the loop still turns. When standard input ends, the supervisor is gone, however it
went, and so is this process soon.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path

import msgspec
import uvloop

from warlog_service import logs, server
from warlog_service.scrape import Siblings
from warlog_service.settings import Settings


class Boot(msgspec.Struct, frozen=True):
    """listener   file descriptor of the socket that all workers accept connections from
    folder     where all of them tell their figures (scrape.py)
    number     this worker's, different from that of every other that lives
    """

    settings: Settings
    listener: int
    folder: str
    number: str


async def work() -> None:
    from warlog_service.app import front_of

    told = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(told), sys.stdin.buffer
    )
    boot = msgspec.json.decode(await told.readline(), type=Boot)
    logs.configure(boot.settings.log_format, boot.number)
    listener = socket.socket(fileno=boot.listener)
    listener.setblocking(False)
    front = front_of(boot.settings)
    siblings = front.service.siblings = Siblings(
        Path(boot.folder), boot.number, front.service.metrics.registry
    )
    companion = asyncio.create_task(_accompany(told))
    await siblings.open()
    try:
        await server.serve(front, boot.settings, listener)
    finally:
        companion.cancel()
        await siblings.close()


async def _accompany(told: asyncio.StreamReader) -> None:
    while await told.readline():
        print(flush=True)
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    from warlog_service.__main__ import reporting

    def run() -> int:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(work())
        return 0

    sys.exit(reporting(run))


if __name__ == "__main__":
    main()
