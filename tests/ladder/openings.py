"""Books of openings, found by long searches.

    python -m tests.ladder.openings universal --write

From the start of the table's match on, the position that is likeliest to come up by the book so far is searched a few
times, ten times as long as level 8 searches. Good is what these searches looked at most, and what they looked at half
as often. `--write` puts the book into `rules/<game>_openings.json`, in place of the former one of these options."""

from __future__ import annotations

import argparse
import random
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

import warlog_core
from tests.ladder.tables import TABLES
from warlog_core import State
from warlog_core.levels import Branch, Openings, openings_of, opponent_of, prepared_action

RULES = Path(warlog_core.__file__).parent / "rules"
TIMES = 10  # as long as level 8
ARENA = bytearray(60 << 20)
AS_GOOD = 0.5  # as many visits as the best


class Node:
    """A position of the book: how likely it is to come up, and what was found there."""

    def __init__(self, state: State, likely: float) -> None:
        self.state = state
        self.likely = likely
        self.actions: list[tuple[dict[str, Any], Node | None]] = []


def searched(setup: bytes, data: bytes, game: str, seat: str, iterations: int, seed: int) -> Counter[bytes]:
    """The visits of each action, as JSON."""
    state = warlog_core.game(game).load(setup, data)
    choice = warlog_core.search(
        state.seen_by(seat),
        seat,
        seed=seed,
        iterations=iterations,
        settings=opponent_of(game).settings,
        arena=ARENA,
    )
    assert choice is not None
    return Counter({msgspec.json.encode(line.action): line.visits for line in choice.lines})


def good_actions(visits: Counter[bytes]) -> list[dict[str, Any]]:
    most = max(visits.values())
    return [msgspec.json.decode(one) for one, times in visits.most_common() if times >= AS_GOOD * most]


def branches(node: Node) -> tuple[Branch, ...]:
    return tuple(
        Branch(action, branches(after) if after is not None else ()) for action, after in node.actions
    )


def grow(game: str, start: State, positions: int, searches: int, iterations: int, processes: int) -> Node:
    root = Node(start, 1.0)
    waiting, known = [root], 0
    with ProcessPoolExecutor(processes) as pool:
        while waiting and known < positions:
            waiting.sort(key=lambda node: -node.likely)
            at_once, waiting = waiting[:processes], waiting[processes:]
            jobs = [
                [
                    pool.submit(
                        searched,
                        node.state.setup,
                        node.state.data,
                        game,
                        node.state.to_act[0],
                        iterations,
                        seed,
                    )
                    for seed in range(searches)
                ]
                for node in at_once
            ]
            for node, found in zip(at_once, jobs, strict=True):
                good = good_actions(sum((job.result() for job in found), Counter()))
                known += 1
                for action in good:
                    after, _ = node.state.after(node.state.to_act[0], action, draws=bytes)
                    below = Node(after, node.likely / len(good)) if after.result is None else None
                    node.actions.append((action, below))
                    waiting += [below] if below is not None else []
                print(f"{known}: {node.likely:.3f} {good}", flush=True)
    return root


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.ladder.openings",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("table", choices=sorted(TABLES))
    parser.add_argument("--positions", type=int, default=60)
    parser.add_argument("--searches", type=int, default=3, help="of each position (%(default)s)")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    table = TABLES[given.table]
    start = warlog_core.game(table.game).new(options=table.options, draws=bytes)
    if prepared_action(start.seen_by(start.to_act[0]), start.to_act[0], random.Random(1)) is not None:
        parser.error(f"{given.table}: matches begin with preparations, and so in many ways")
    iterations = TIMES * warlog_core.level(table.game, 8).iterations
    root = grow(table.game, start, given.positions, given.searches, iterations, given.processes)
    how = f"python -m tests.ladder.openings {given.table} --positions {given.positions} --searches {given.searches}"
    book = Openings(table.options, branches(root), how)
    if given.write:
        write(table.game, book)
    else:
        print(msgspec.json.encode(book).decode())


def write(game: str, book: Openings) -> None:
    others = [one for one in openings_of(game) if one.options != book.options]
    path = RULES / f"{game}_openings.json"
    path.write_text("[\n" + ",\n".join(lines_of(one) for one in [*others, book]) + "\n]\n", encoding="utf-8")


def lines_of(book: Openings) -> str:
    """A line for each action, indented by how late it comes."""
    options, found = (msgspec.json.encode(one).decode() for one in (book.options, book.found))
    return f'{{"options": {options}, "found": {found}, "first": [\n{_lines(book.first, 1)}\n]}}'


def _lines(some: tuple[Branch, ...], depth: int) -> str:
    said = []
    for one in some:
        action = msgspec.json.encode(one.action).decode()
        then = f', "then": [\n{_lines(one.then, depth + 1)}]' if one.then else ""
        said.append(f'{" " * depth}{{"action": {action}{then}}}')
    return ",\n".join(said)


if __name__ == "__main__":
    main()
