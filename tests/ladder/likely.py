"""What would be known of hidden pieces of Siguo Junqi if worlds were weighed by what their pieces are likely to do?

    python -m tests.ladder.likely --matches 120 --level 5

Bits that it still takes to name a hidden piece (the mean of -log2 of what the true type was thought to be likely), by
samples alone, by a belief, and by a belief whose worlds are weighed by how often a piece has moved so far. The weights
are those with which one half of the matches is likeliest, for each type, number of moves and part of the match; the
bits are those of the other half."""

from __future__ import annotations

import argparse
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

import msgspec

import warlog_core
from warlog_core import Belief, State

VIEWER, ENEMY = "south", "north"
WORLDS = 80
MOVES_MAX, EVERY = 200, 20
PART = 40  # moves
SELDOM = 0.02  # of a world's count: what did not come up is thought to be as likely
ROUNDS, STEP, PRIOR = 60, 0.7, 2.0  # of the fit; the prior keeps weights of what is seldom near one

Bucket = tuple[int, int]
"""Which part of the match, and how often the piece has moved, 2 for more."""
Weights = Mapping[tuple[Bucket, str], float]


class Hidden(NamedTuple):
    """A piece: what it is, and how often it came up as what."""

    match: int
    bucket: Bucket
    type: str
    sampled: Counter[str]
    believed: Counter[str]


def match(level: int, share: float, number: int) -> list[Hidden]:
    rng = random.Random(f"likely {number}")
    state = warlog_core.game("junqi").new(options={"players": 2}, draws=rng.randbytes)
    belief, arena, moves, found = Belief(VIEWER, number), bytearray(16 << 20), Counter[int](), list[Hidden]()
    iterations = max(1, round(warlog_core.level("junqi", level).iterations * share))
    while state.result is None and moves.total() < MOVES_MAX:
        seat, phase = state.to_act[0], state.phase
        seed = rng.getrandbits(50)
        choice = warlog_core.play(
            state.seen_by(seat), seat, level=level, seed=seed, iterations=iterations, arena=arena
        )
        assert choice is not None
        action = msgspec.to_builtins(choice.action)
        state.apply(seat, choice.action, draws=rng.randbytes)
        if state.result is not None:
            break
        warlog_core.remember(belief, state.seen_by(VIEWER))
        if phase == "play" and action["type"] == "move":
            moves[action["piece"]] += 1
            if moves.total() % EVERY == 0:
                found += hidden(number, state, belief, moves, rng)
    return found


def hidden(
    number: int, state: State, belief: Belief, moves: Counter[int], rng: random.Random
) -> Iterator[Hidden]:
    seen = state.seen_by(VIEWER)
    sampled = types_by_space(seen.sample(VIEWER, rng.getrandbits(63)) for _ in range(WORLDS))
    believed = types_by_space(belief.world(rng.randrange(belief.worlds)) for _ in range(WORLDS))
    part = min(moves.total() // PART, 2)
    for piece in state.position(plain=True)["pieces"]:
        if piece["seat"] == ENEMY:
            at = piece["at"]
            bucket = part, min(moves[piece["piece"]], 2)
            yield Hidden(number, bucket, piece["type"], sampled[at], believed[at])


def types_by_space(worlds: Iterator[State]) -> dict[str, Counter[str]]:
    found = defaultdict[str, Counter[str]](Counter)
    for world in worlds:
        for piece in world.position(plain=True)["pieces"]:
            found[piece["at"]][piece["type"]] += 1
    return found


def shares(counted: Counter[str], bucket: Bucket, types: list[str], weights: Weights) -> dict[str, float]:
    """How likely each type is thought to be."""
    weighed = {one: (counted[one] + SELDOM) * weights[bucket, one] for one in types}
    return {one: weight / sum(weighed.values()) for one, weight in weighed.items()}


def fitted(pieces: list[Hidden], types: list[str]) -> Weights:
    weights = defaultdict[tuple[Bucket, str], float](lambda: 1.0)
    for _ in range(ROUNDS):
        true, thought = Counter[tuple[Bucket, str]](), defaultdict[tuple[Bucket, str], float](float)
        for piece in pieces:
            true[piece.bucket, piece.type] += 1
            for one, share in shares(piece.believed, piece.bucket, types, weights).items():
                thought[piece.bucket, one] += share
        for key, share in thought.items():
            weights[key] *= ((true[key] + PRIOR) / (share + PRIOR)) ** STEP
    return weights


def bits(pieces: list[Hidden], types: list[str], weights: Weights, *, believed: bool = True) -> float:
    return sum(
        -math.log2(
            shares(piece.believed if believed else piece.sampled, piece.bucket, types, weights)[piece.type]
        )
        for piece in pieces
    ) / len(pieces)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.ladder.likely",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--matches", type=int, default=120)
    parser.add_argument("--level", type=int, default=5)
    parser.add_argument("--share", type=float, default=1.0, help="of the level's iterations (%(default)s)")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    with ProcessPoolExecutor(given.processes) as pool:
        played = pool.map(partial(match, given.level, given.share), range(given.matches))
        pieces = [piece for some in played for piece in some]
    types = sorted({piece.type for piece in pieces})
    plain: Weights = defaultdict(lambda: 1.0)
    halves = [[piece for piece in pieces if piece.match % 2 == half] for half in (0, 1)]
    known = [fitted(half, types) for half in halves]
    both = zip(halves, reversed(known), strict=True)
    weighed = [bits(half, types, weights) for half, weights in both]
    print(
        f"{len(pieces)} pieces: samples {bits(pieces, types, plain, believed=False):.3f} bits, belief"
        f" {bits(pieces, types, plain):.3f}, weighed {sum(weighed) / 2:.3f}"
    )


if __name__ == "__main__":
    main()
