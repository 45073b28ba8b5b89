"""`warlog`: serve, worker, bots, archive, restore, verify, rebuild, bench."""

from __future__ import annotations

import argparse
import asyncio
import gzip
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

import warlog_core
from warlog_events.match.verify import verify_record
from warlog_events.match.verify_bots import verify_bots
from warlog_service import logs, settings
from warlog_service.reporting import reporting
from warlog_service.settings import BadSettings, Settings

OWN = ("older_than", "limit", "matches", "url", "processes", "token", "new_token")
"""Arguments that are no settings."""
GZIP = b"\x1f\x8b"
SECRET = "WARLOG_BOTS_TOKEN"


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0 done, 1 failed (a record that does not verify, a server that cannot start), 2 wrong use."""
    parser = _parser()
    given = vars(parser.parse_args(arguments))
    command = given.pop("command")
    if command == "verify":
        return reporting(lambda: _verify(given["file"], given["bots"]))
    if command == "bench":
        return subprocess.run(
            [sys.executable, "-m", "tests.load.bench", *given["arguments"]], check=False
        ).returncode
    run: dict[str, Callable[..., int]] = {
        "serve": _serve,
        "worker": _worker,
        "bots": _bots,
        "rebuild": _rebuild,
        "archive": _archive,
        "restore": _restore,
    }
    own = {name: given.pop(name) for name in OWN if name in given}

    def run_as_set() -> int:
        read = settings.read(os.environ, **given)
        logs.configure(read.log_format)
        return run[command](read, **own)

    return reporting(run_as_set)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="warlog", description="Flags that set a setting are also variables: --data is WARLOG_DATA."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    redis = argparse.ArgumentParser(add_help=False)
    redis.add_argument("--data", help="folder of the embedded Redis (default warlog-data)")
    redis.add_argument("--redis", help="URL of your Redis; without it an embedded Redis is started")
    redis.add_argument("--archive", help="folder or fsspec URL of archived matches")
    redis.add_argument(
        "--durability",
        choices=["everysec", "always", "replicated"],
        help="an answered command survives the death of any process (everysec, the default), of the machine "
        "(always), of the Redis primary (replicated)",
    )
    figures = argparse.ArgumentParser(add_help=False)
    figures.add_argument("--metrics-host", help="address on which /metrics is served; default 127.0.0.1")
    figures.add_argument(
        "--metrics-port",
        help="port of /metrics; default 0: a free port, which is printed; worker i has this port + i",
    )
    serve = commands.add_parser(
        "serve", parents=[redis, figures], help="run the service, with the background work"
    )
    serve.add_argument("--host", help="address to listen on; default 127.0.0.1")
    serve.add_argument("--port", help="port to listen on; default 8000; 0: a free port, which is printed")
    serve.add_argument(
        "--workers",
        help="number of serving processes under a supervisor; default 0: a single process, no supervisor",
    )
    serve.add_argument(
        "--bots", help="number of processes that play the house's bots, at low priority; default 1; 0: none"
    )
    serve.add_argument(
        "--bots-budget", help="share of one core that each of them may use for searches; default 1"
    )
    commands.add_parser("worker", parents=[redis, figures], help="run the background work alone")
    bots = commands.add_parser(
        "bots",
        parents=[redis, figures],
        help="play the house's bots of a server that runs elsewhere",
        description="Plays the house's bots over the REST API. WARLOG_BOTS_TOKEN holds the house's secret, which "
        "`warlog bots --token` prints where the server's Redis can be reached. "
        "Start the server with `--bots 0` then, or both play the bots.",
    )
    bots.add_argument("--url", default="http://127.0.0.1:8000", help="URL of the server; default %(default)s")
    bots.add_argument(
        "--processes", type=int, default=1, help="number of processes, about one per spare core; default 1"
    )
    bots.add_argument(
        "--budget",
        dest="bots_budget",
        help="share of one core that each of them may use for searches; default 1",
    )
    secret = bots.add_mutually_exclusive_group()
    secret.add_argument("--token", action="store_true", help="print the house's secret, and end")
    secret.add_argument(
        "--new-token",
        action="store_true",
        help="replace the house's secret, print the new one, and end; the old one is void at once",
    )
    commands.add_parser("rebuild", parents=[redis], help="make the read models again from the events")
    archive = commands.add_parser(
        "archive", parents=[redis], help="verify old matches and move them from Redis to the archive"
    )
    archive.add_argument(
        "--older-than",
        type=_days,
        default=30.0,
        metavar="DAYS",
        help="only matches that have been over for this many days; default 30",
    )
    archive.add_argument("--limit", type=int, help="the most matches that this run moves")
    restore = commands.add_parser("restore", parents=[redis], help="bring matches back from the archive")
    restore.add_argument("matches", nargs="+", metavar="MATCH")
    verify = commands.add_parser("verify", help="recompute every draw, hash and chain of a record")
    verify.add_argument(
        "file",
        type=Path,
        help="an answer of GET /v1/matches/{id}/export, or a file of the archive; - for stdin",
    )
    verify.add_argument(
        "--bots",
        action="store_true",
        help="also repeat the search for every action of a house bot, which takes as long as the bots took",
    )
    bench = commands.add_parser(
        "bench", help="measure the speed of core and server; run it in the root of a checkout"
    )
    bench.add_argument("arguments", nargs=argparse.REMAINDER)
    return parser


def _days(text: str) -> float:
    days = float(text)
    if not 0 <= days < 100_000:
        raise ValueError
    return days


def _serve(read: Settings) -> int:
    if read.workers:
        from warlog_service.supervisor import DidNotStart, supervise

        try:
            asyncio.run(supervise(read))
        except DidNotStart:
            return 1
        return 0
    from warlog_service import server
    from warlog_service.front import front_of

    server.run(front_of(read), read)
    return 0


class Working(msgspec.Struct, tag="working", tag_field="event"):
    """The one line that `warlog worker` and `warlog bots` print, as `warlog serve` does (server.Listening)."""

    pid: int
    metrics: list[str]


def _worker(read: Settings) -> int:
    from warlog_service.backend import Service
    from warlog_service.sockets import bound

    async def work() -> None:
        service = Service(msgspec.structs.replace(read, background=True))
        service.show_metrics_on(bound(read.metrics_host, read.metrics_port))
        stop = asyncio.Event()
        for name in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(name, stop.set)
        await service.start()
        print(msgspec.json.encode(Working(os.getpid(), service.metrics_urls)).decode(), flush=True)
        await stop.wait()
        await service.stop()

    asyncio.run(work())
    return 0


def _bots(read: Settings, url: str, processes: int, token: bool, new_token: bool) -> int:
    if token or new_token:
        return _print_secret(read, new_token)
    secret = os.environ.get(SECRET, "").strip()
    if not secret or processes < 1:
        raise BadSettings(f"{SECRET} holds no token" if not secret else "--processes must be at least 1")
    from warlog_service.bots import Bots
    from warlog_service.metrics import Metrics
    from warlog_service.metrics_listener import MetricsListener
    from warlog_service.sockets import bound

    async def known() -> str:
        return secret

    async def play() -> None:
        bots, metrics = Bots(processes, read.bots_budget, json=logs.is_json(read.log_format)), Metrics()
        metrics.opponents(bots.total, bots.waiting)
        listener = MetricsListener(metrics.registry, bound(read.metrics_host, read.metrics_port))
        await listener.open()
        playing = asyncio.create_task(bots.keep(url, known))
        for name in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(name, playing.cancel)
        print(msgspec.json.encode(Working(os.getpid(), [listener.url])).decode(), flush=True)
        with suppress(asyncio.CancelledError):
            await playing
        listener.close()

    asyncio.run(play())
    return 0


def _print_secret(read: Settings, new: bool) -> int:
    from warlog_service.backend import Service

    async def secret() -> str:
        service = Service(msgspec.structs.replace(read, background=False))
        await service.start()
        try:
            house = service.backend.house
            return await (house.new_secret() if new else house.secret())
        finally:
            await service.stop()

    print(asyncio.run(secret()))
    return 0


def _rebuild(read: Settings) -> int:
    from warlog_service.backend import Service

    async def rebuild() -> int:
        service = Service(msgspec.structs.replace(read, background=False))
        await service.start()
        try:
            count = await service.backend.projector.rebuild()
            await service.backend.directory.rebuild()
            await service.backend.bookkeeper.rescan()  # the ledger is no read model: it is only completed
            await service.backend.settler.rebuild()
            await service.backend.settler.catch_up()
            return count
        finally:
            await service.stop()

    print(f"{asyncio.run(rebuild())} matches")
    return 0


def _archive(read: Settings, older_than: float, limit: int | None) -> int:
    from warlog_service import archiving

    return archiving.archive(read, older_than, limit)


def _restore(read: Settings, matches: Sequence[str]) -> int:
    from warlog_service import archiving

    return archiving.restore(read, matches)


def _verify(file: Path, bots: bool) -> int:
    raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    if raw.startswith(GZIP):
        raw = gzip.decompress(raw)
    try:
        record = warlog_core.loads(raw)
    except ValueError as error:
        record, problem = None, str(error)
    else:
        problem = "not a JSON object"
    if not isinstance(record, dict):
        print(f"failed: {problem}")
        return 1
    verdict = verify_record(record)
    where = "" if verdict.version is None else f" at version {verdict.version}"
    print(
        f"{verdict.status}{where}: {verdict.events} events{f', {verdict.detail}' if verdict.detail else ''}"
    )
    if verdict.status == "failed" or not bots:
        return 1 if verdict.status == "failed" else 0
    played = verify_bots(record)
    if played.version is not None:
        print(f"bots failed at version {played.version}: {played.detail}")
        return 1
    without = f", {len(played.unsearched)} without a search" if played.unsearched else ""
    print(f"bots: {played.found} actions found again{without}")
    if played.others:
        print(
            f"bots not checked: {len(played.others)} actions, from version {played.others[0]} on, were found by another"
            f" version of the computer opponents than this one ({warlog_core.SEARCH_VERSION})"
        )
    return 1 if played.others else 0
