"""Is this tree's judgement better than that of another tree? Both play the same level against each other.

    python -m tests.ladder.builds ../other --game confrontation --level 8 --share 0.05

`../other` is a checkout in which `make core` has been run. Each side searches in a process of its own, with its own
core and levels; the match itself is played by this tree's. Seats are swapped, as in the ladder."""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

import warlog_core
from tests.ladder.matches import number_of, points_of, sides_of
from tests.ladder.statistics import Score
from tests.ladder.tables import TABLES

ROOT = Path(__file__).resolve().parent.parent.parent

Asked = tuple[str, bytes, bytes, str, int, int, float]
"""game, setup, state as it is seen, seat, seed, level, share of its iterations"""


def think() -> None:
    """The process of one side: reads questions, writes actions as JSON."""
    arena = bytearray(16 << 20)
    ask = msgspec.msgpack.Decoder(Asked)
    while size := sys.stdin.buffer.read(4):
        game, setup, state, seat, seed, level, share = ask.decode(sys.stdin.buffer.read(int.from_bytes(size)))
        seen = warlog_core.game(game).load(setup, state)
        count = max(1, round(warlog_core.level(game, level).iterations * share))
        choice = warlog_core.play(seen, seat, level=level, seed=seed, iterations=count, arena=arena)
        answer = msgspec.json.encode(None if choice is None else choice.action)
        sys.stdout.buffer.write(len(answer).to_bytes(4) + answer)
        sys.stdout.buffer.flush()


class Side:
    def __init__(self, tree: Path) -> None:
        path = f"{tree / 'core_c'}{os.pathsep}{ROOT}"
        code = "from tests.ladder.builds import think; think()"
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            cwd="/",
        )

    def action(self, asked: Asked) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        question = msgspec.msgpack.encode(asked)
        self._process.stdin.write(len(question).to_bytes(4) + question)
        self._process.stdin.flush()
        size = int.from_bytes(self._process.stdout.read(4))
        return msgspec.json.decode(self._process.stdout.read(size))

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def play(name: str, sides: list[Side], level: int, share: float, seed: int) -> float:
    """Points of the side that has the first seat."""
    table = TABLES[name]
    rng = random.Random(f"{name} {seed}")  # the same with the seats swapped
    state = warlog_core.game(table.game).new(options=table.options, draws=rng.randbytes)
    of = sides_of(table, state)
    for number in range(table.actions_max):
        if state.result is not None:
            break
        seat = state.to_act[0]
        seen = state.seen_by(seat)
        dice = number_of(f"{seed} {number}")
        action = sides[of[seat]].action((table.game, seen.setup, seen.data, seat, dice, level, share))
        state.apply(seat, action, draws=rng.randbytes)
    return points_of(state, of)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.ladder.builds",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("other", type=Path)
    parser.add_argument("--game", required=True, choices=sorted(TABLES))
    parser.add_argument("--level", type=int, default=8)
    parser.add_argument("--share", type=float, default=0.05, help="of the level's iterations (%(default)s)")
    parser.add_argument("--matches", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    ours, other = Side(ROOT), Side(given.other.resolve())
    score = Score()
    for seed in range(given.seed, given.seed + given.matches // 2):
        score = score.plus(play(given.game, [ours, other], given.level, given.share, seed))
        score = score.plus(1 - play(given.game, [other, ours], given.level, given.share, seed))
    low, high = score.interval()
    print(
        f"{given.game}, level {given.level}: this tree against the other {score.won}, {score.drawn}, {score.lost}:"
        f" {100 * score.share:.0f} % ({100 * low:.0f} to {100 * high:.0f})"
    )
    ours.close()
    other.close()


if __name__ == "__main__":
    main()
