"""What Warlog does, in half a minute: a battle of two bots, taken back to its middle, played another way, and verified.

    make demo

Starts a service of its own on a free port, with its data in a temporary folder, and stops it at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from warlog_client import AsyncClient, Match, Node, Undo

BOT = Path(__file__).with_name("random_bot.py")
GAME = "hex"
OPTIONS = {"width": 11, "height": 7, "army_points": 400, "max_stacks": 4, "obstacle_count": 4}
"""A small battle."""


async def demo(url: str, folder: Path, seed: int) -> None:
    async with registered(url, "ada") as (ada, ada_token), registered(url, "bob") as (bob, bob_token):
        made = await ada.create_match(GAME, {"red": "me", "blue": "open"}, options=OPTIONS)
        match = made.match
        say(f"ada plays red, bob plays blue: {GAME} match {match.id}")
        tokens = {"red": ada_token, "blue": bob_token}

        await battle(url, match.id, tokens, seed)
        match = await ada.match(match.id)
        say(f"their bots played a whole battle: {match.version} events, {outcome(match)}")
        ends = {match.version: outcome(match)}

        started = await first_of(ada, match.id, "match_started")
        middle = (started + match.version) // 2
        proposal = await ada.propose(match.id, Undo(to=middle))
        accepted = await bob.accept(match.id, proposal.version)
        say(f"ada proposed to go back to version {middle}, bob agreed: to act {', '.join(accepted.to_act)}")

        await battle(url, match.id, tokens, seed + 2)
        match = await ada.match(match.id)
        ends[match.version] = outcome(match)
        say(f"the bots played another line to its end: {outcome(match)}")

        say("the tree of lines, as the timeline has it:")
        print(*tree([node async for node in ada.timeline(match.id)], ends), sep="\n")
        say("the end of the line that stands:")
        print(*[line async for line in ada.history(match.id)][-4:], sep="\n")

        record = await ada.export(match.id)
        file = folder / "record.json"
        file.write_text(json.dumps(record))
        say(f"the record, exported: {file.stat().st_size} bytes, {len(record['events'])} events")
        imported = await bob.import_record(record)
        say(f"imported as {imported.match.id}, every action replayed: {outcome(imported.match)}")
        verified = subprocess.run([*WARLOG, "verify", str(file)], check=True, capture_output=True, text=True)
        say(f"every draw, hash and chain recomputed from the record: {verified.stdout.strip()}")


@asynccontextmanager
async def registered(url: str, name: str) -> AsyncIterator[tuple[AsyncClient, str]]:
    """A new player's client, and the token."""
    async with AsyncClient(url) as stranger:
        token = (await stranger.create_player(name)).token
    async with AsyncClient(url, token) as client:
        yield client, token


async def battle(url: str, match_id: str, tokens: dict[str, str], seed: int) -> None:
    """One bot for each seat, each a process of its own, until the match is over."""
    bots: list[asyncio.subprocess.Process] = []
    try:
        for number, (seat, token) in enumerate(tokens.items()):
            words = ["--url", url, "--match", match_id, "--seat", seat, "--seed", str(seed + number)]
            environment = {**os.environ, "WARLOG_TOKEN": token}
            bots.append(
                await asyncio.create_subprocess_exec(
                    sys.executable, str(BOT), *words, env=environment, stdout=subprocess.DEVNULL
                )
            )
        if any(await asyncio.gather(*(bot.wait() for bot in bots))):
            raise RuntimeError("a bot failed")
    finally:
        for bot in bots:
            if bot.returncode is None:
                bot.kill()
                await bot.wait()


async def first_of(warlog: AsyncClient, match_id: str, kind: str) -> int:
    """The version of the first event of this type."""
    return next(e.version for e in [e async for e in warlog.events(match_id)] if e.type == kind)


def outcome(match: Match) -> str:
    if match.result is None:
        return match.status
    winners = " and ".join(match.result.winners)
    return f"{winners} won ({match.result.reason})" if winners else f"a draw ({match.result.reason})"


def tree(nodes: Sequence[Node], ends: dict[int, str]) -> Iterator[str]:
    """One row for each stretch of versions without a branch, under the stretch from which it goes off."""
    stretches: list[list[Node]] = []
    for node in nodes:
        if not stretches or node.parent != stretches[-1][-1].version:
            stretches.append([])
        stretches[-1].append(node)
    depth: dict[int, int] = {}
    for stretch in stretches:
        first, last, parent = stretch[0].version, stretch[-1].version, stretch[0].parent
        level = 0 if parent is None else depth[parent] + 1
        depth.update((node.version, level) for node in stretch)
        origin = "" if parent is None else f"└─ from {parent}: "
        notes = "; ".join(f"at {v} {text}" for v, text in ends.items() if first <= v <= last)
        yield f"{'   ' * level}{origin}{first} … {last}   {notes}".rstrip()


# ---- the service -----------------------------------------------------------------------------------------------

WARLOG = [sys.executable, "-m", "warlog_service"]


@contextmanager
def service(data: Path) -> Iterator[str]:
    """A service of our own; its address. Stopped at the end, its Redis with it."""
    process = subprocess.Popen(
        [*WARLOG, "serve", "--port", "0", "--data", str(data)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"the service did not start: {process.communicate()[1].decode()}")
        yield json.loads(line)["url"]
    finally:
        process.terminate()
        process.communicate()


_steps = itertools.count(1)


def say(text: str) -> None:
    print(f"{next(_steps):2}. {text}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--seed", type=int, default=int.from_bytes(os.urandom(4)), help="of the bots' choices"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="warlog-demo-") as folder, service(Path(folder) / "data") as url:
        say(f"a service of our own at {url}, the bots' seed is {given.seed}")
        asyncio.run(demo(url, Path(folder), given.seed))


if __name__ == "__main__":
    main()
