"""`make load`: a server of its own, many players, and a page that says how it went.

    python -m tests.load.run --matches 1000 --seconds 300 --workers 2 --seed 1 --report load-report

Exit code 1 if a single answer was not to be expected. The same seed gives players who choose alike; what the server
draws differs from run to run. With --url the server is one that runs already, whose rate limits must be off.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import gevent
import msgspec
from locust import events
from locust.env import Environment
from locust.html import get_html_report
from locust.stats import StatsEntry, stats_history

from tests.load import over_time, players
from tests.load.beginnings import BEGINNINGS
from tests.load.bench import UNLIMITED, children, serving_processes
from tests.load.report import Row, page, server
from tests.servers import WarlogServer

SETTLING_SECONDS = 30.0  # after the last player has come, before matches are counted


def players_wanted(matches: int) -> int:
    """For so many matches at once, with a few to spare for those who look for one."""
    shares = {game: float(players.WEIGHTS.get(game, 1)) for game in BEGINNINGS}
    seats = {
        game: sum(len(first["seats"]) for first in known) / len(known) for game, known in BEGINNINGS.items()
    }
    mean = sum(shares[game] * seats[game] for game in shares) / sum(shares.values())
    # A player chooses the game and comes to one of its matches; a match of many seats takes more players.
    return math.ceil(1.1 * matches * mean)


def figures(entry: StatsEntry) -> dict[str, Any]:
    return {
        "method": entry.method,
        "name": entry.name,
        "requests": entry.num_requests,
        "failures": entry.num_failures,
        "per_second": entry.total_rps,
        "p50": entry.get_response_time_percentile(0.5),
        "p95": entry.get_response_time_percentile(0.95),
        "p99": entry.get_response_time_percentile(0.99),
        "max": entry.max_response_time,
    }


def metrics(urls: Sequence[str]) -> str:
    """Of all serving processes, one after the other."""
    texts = []
    for url in urls:
        with urllib.request.urlopen(url, timeout=30) as answer:
            texts.append(str(answer.read(), "utf-8"))
    return "".join(texts)


def load(
    url: str, shown: Sequence[str], processes: dict[str, int], given: argparse.Namespace, report: Path
) -> bool:
    """Runs it and writes the report. True if every answer was to be expected. `shown`: where the server tells its
    figures."""
    wanted = given.players or players_wanted(given.matches)
    rate = given.rate or max(5.0, wanted / 60)
    environment = Environment(user_classes=[players.Player], host=url, events=events, catch_exceptions=True)
    runner = environment.create_local_runner()
    stats = environment.stats
    history = gevent.spawn(stats_history, runner)
    before = metrics(shown)
    recorder = over_time.Recorder(environment, processes)
    began = time.time()
    print(f"{wanted} players, {rate:.0f} more each second, on {url}", flush=True)
    runner.start(wanted, spawn_rate=rate)
    while runner.user_count < wanted:
        gevent.sleep(1)
    gevent.sleep(min(SETTLING_SECONDS, given.seconds / 4))
    steady, spent, commands = recorder.now(), recorder.processor(), recorder.commands
    in_play: list[int] = []
    until = time.time() + given.seconds
    while time.time() < until:
        gevent.sleep(1)
        in_play.append(len(players.playing))
        if len(in_play) % 30 == 0:
            done = stats.total
            print(
                f"{in_play[-1]} matches, {done.num_requests:,} requests, {done.num_failures} failed",
                flush=True,
            )
    spent, commands = recorder.processor() - spent, recorder.commands - commands
    in_steady = recorder.now() - steady
    recorder.stop()
    after = metrics(shown)
    runner.quit()
    history.kill()
    errors: list[Row] = [
        [f"{error.name}: {error.error}", str(error.occurrences)] for error in stats.errors.values()
    ]
    errors += [[f"{crash['msg']}", str(crash["count"])] for crash in runner.exceptions.values()]
    entries = sorted(stats.entries.values(), key=lambda entry: (entry.name.partition(" [")[0], entry.name))
    errors += [[f"the server's log: {line}", "once"] for line in complaints(report / "server.log")]
    whole = time.time() - began
    summary = [
        [
            "matches in play, least, mean, most",
            f"{min(in_play)}, {sum(in_play) / len(in_play):.0f}, {max(in_play)}",
        ],
        ["requests", f"{stats.total.num_requests:,} in {whole:.0f} s"],
        ["the next three rows: only while all players were there, for", f"{in_steady:.0f} s"],
        ["commands", f"{commands:,}, {commands / in_steady:.0f} a second"],
        ["processor of the serving processes", f"{spent:.1f} s, {100 * spent / in_steady:.0f} % of one core"],
        ["of which a command, with its view and listing", f"{spent / max(commands, 1) * 1e6:.0f} µs"],
    ]
    if notice := stats.entries.get(("notice", "SSE")):
        median, last = (notice.get_response_time_percentile(share) for share in (0.5, 0.99))
        told = f"{median:.0f}, {last:.0f} ms ({notice.num_requests:,} notices)"
        summary.append(["from a command to its people's own feeds, median and p99", told])
    if players.BOTS:
        summary += of_bots(before, after)
    settings = {
        "matches wanted": str(given.matches),
        "players": str(wanted),
        "seconds": str(given.seconds),
        "thinking, mean": f"{players.THINK_SECONDS:g} s",
        "seed": players.SEED,
        "mix of games": ", ".join(f"{game} {players.WEIGHTS.get(game, 1)}" for game in BEGINNINGS),
        "share of matches against the house's bots": f"{players.BOTS:g}",
        "serving processes": str(given.workers),
        "processor cores, shared with the players and Redis": str(os.cpu_count()),
        "begun": time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(began)),
    }
    title = f"{given.matches} matches, begun {settings['begun']}"
    course = over_time.Course(title, steady, recorder.windows)
    report.mkdir(parents=True, exist_ok=True)
    kept = report / "over_time.json"
    drawn = over_time.pictures(course, over_time.read(kept))
    kept.write_bytes(msgspec.json.encode(course))
    (report / "locust.html").write_text(get_html_report(environment))  # type: ignore[no-untyped-call]
    (report / "metrics.txt").write_text(after)
    told = page(
        settings, summary, [figures(entry) for entry in entries], errors, server(before, after), drawn
    )
    (report / "index.html").write_text(told)
    for name, value in summary + errors:
        print(f"{name:<60}{value}")
    print(f"report: {report / 'index.html'}")
    return not errors


def redis_of(server: int) -> int:
    """The embedded Redis of this server."""
    return next(
        pid for pid in children(server) if b"redis-server" in Path(f"/proc/{pid}/cmdline").read_bytes()
    )


def of_bots(before: str, after: str) -> list[list[str]]:
    """What the house's bots have done in between."""

    def read(text: str) -> Counter[str]:
        found: Counter[str] = Counter()
        for line in text.splitlines():
            if line.startswith("warlog_bot_"):
                name, value = line.split()
                found[name.removeprefix("warlog_bot_").removesuffix("_total")] += int(float(value))
        return found

    done = read(after)
    done.subtract(read(before))
    searches = max(done["searches"], 1)
    each = f"{done['iterations'] / searches:,.0f} iterations and {done['search_ms'] / searches:.0f} ms each"
    return [
        ["searches of bots", f"{done['searches']:,}, {each}"],
        ["of which late, in vain, failed", f"{done['late']}, {done['conflicts']}, {done['failures']}"],
    ]


def complaints(log: Path) -> list[str]:
    """What the server called an error, if it is one that we started."""
    if not log.exists():
        return []
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return sorted(
        {f"{line['logger']}: {line['message']}" for line in lines if line["level"] in ("ERROR", "CRITICAL")}
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--matches", type=int, default=1000, help="at the same time")
    parser.add_argument("--players", type=int, help="default: as many as that takes")
    parser.add_argument(
        "--rate", type=float, help="of players that come each second; default: all within a minute"
    )
    parser.add_argument("--seconds", type=float, default=300, help="from when all have come")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--think", type=float, default=8, help="mean seconds before an action")
    parser.add_argument("--weights", default="", help='the mix of games: "hex=3,wec=1"')
    parser.add_argument(
        "--bots",
        type=float,
        default=0.0,
        help="share of the matches in which the house's bots are the opponents",
    )
    parser.add_argument("--report", type=Path, default=Path("load-report"))
    parser.add_argument("--url", help="of a server that runs already")
    parser.add_argument("--metrics", action="append", default=[], help="URL of its figures, of each worker's")
    given = parser.parse_args()
    players.SEED, players.THINK_SECONDS, players.BOTS = given.seed, given.think, given.bots
    players.WEIGHTS.update(part.split("=") for part in given.weights.split(",") if part)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # a player has three connections
    with ExitStack() as stack:
        url, shown, processes = given.url, given.metrics, dict[str, int]()
        if url is None:
            data = stack.enter_context(tempfile.TemporaryDirectory(prefix="warlog-load-"))
            environment = {**UNLIMITED, "WARLOG_BOTS": "1" if given.bots else "0"}
            arguments = ["--workers", str(given.workers)] if given.workers else []
            given.report.mkdir(parents=True, exist_ok=True)
            log = stack.enter_context((given.report / "server.log").open("wb"))
            serving = stack.enter_context(
                WarlogServer(Path(data), arguments=arguments, environment=environment, errors=log)
            )
            url, shown = serving.url, serving.metrics
            workers = serving_processes(serving.pid)
            processes = {f"worker {number}": pid for number, pid in enumerate(workers, 1)}
            processes["Redis"] = redis_of(serving.pid)
        return 0 if load(url, shown, processes, given, given.report) else 1


if __name__ == "__main__":
    sys.exit(main())
