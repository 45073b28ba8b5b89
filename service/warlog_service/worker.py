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

import msgspec
import uvloop

from warlog_service import logs, server
from warlog_service.reporting import reporting
from warlog_service.settings import Settings


class Boot(msgspec.Struct, frozen=True):
    """listener   file descriptor of the socket that all workers accept connections from
    metrics    that of the socket on which this worker serves /metrics
    number     this worker's, different from that of every other that lives
    ended      how many workers in this one's place have ended by themselves
    """

    settings: Settings
    listener: int
    metrics: int
    number: str
    ended: int


async def work() -> None:
    from warlog_service.front import front_of

    told = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(told), sys.stdin.buffer
    )
    boot = msgspec.json.decode(await told.readline(), type=Boot)
    logs.configure(boot.settings.log_format, boot.number)
    listener, metrics = socket.socket(fileno=boot.listener), socket.socket(fileno=boot.metrics)
    listener.setblocking(False)
    metrics.setblocking(False)
    front = front_of(boot.settings)
    front.service.show_metrics_on(metrics)
    front.service.metrics.workers_ended(boot.ended)
    companion = asyncio.create_task(_accompany(told))
    try:
        await server.serve(front, boot.settings, listener)
    finally:
        companion.cancel()


async def _accompany(told: asyncio.StreamReader) -> None:
    while await told.readline():
        print(flush=True)
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    def run() -> int:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(work())
        return 0

    sys.exit(reporting(run))


if __name__ == "__main__":
    main()
