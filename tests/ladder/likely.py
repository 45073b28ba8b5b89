"""What would be known of hidden pieces of Siguo Junqi if worlds were weighed by what is likely?

    python -m tests.ladder.likely --matches 120 --level 5

Bits that it still takes to name a hidden piece (the mean of -log2 of what the true type was thought to be likely):

* by samples alone, and by a belief;
* by a belief whose worlds are weighed by how often a piece has moved so far. The weights are those with which one half
  of the matches is likeliest, for each type, number of moves and part of the match; the bits are those of the other
  half;
* by a belief whose worlds are weighed by deeds: the better an action looks to the enemy in a world, beside others that
  it might have taken there, the likelier is that world;
* of a layout of the book, by what may stand where, and by where the book's other layouts have a type (each with its
  mirror image)."""

from __future__ import annotations

import argparse
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from statistics import mean
from typing import Any, NamedTuple

import msgspec

import warlog_core
from warlog_core import Belief, State
from warlog_core.errors import Refused
from warlog_core.levels import complete_actions, opponent_of

VIEWER, ENEMY = "south", "north"
WORLDS = 80
MOVES_MAX, EVERY = 200, 20
PART = 40  # moves
SELDOM = 0.02  # of a world's count: what did not come up is thought to be as likely
ROUNDS, STEP, PRIOR = 60, 0.7, 2.0  # of the fit; the prior keeps weights of what is seldom near one
DEED_WORLDS, OTHERS = 60, 8  # in which a deed is looked at, and actions that it is held against
SHARP = 12.0  # 3, 6, 24 and 48 were within 0.003 bits of it
BOOK_PRIOR = (
    10,
    40,
    160,
)  # so many pieces, spread evenly over the cells allowed, are added to those of the layouts

Bucket = tuple[int, int]
"""Which part of the match, and how often the piece has moved, 2 for more."""
Weights = Mapping[tuple[Bucket, str], float]


Deeds = dict[str, float]
"""Type → the logarithm of how much likelier its deeds make it."""


class Hidden(NamedTuple):
    """A piece: what it is, how often it came up as what, and what its deeds say."""

    match: int
    bucket: Bucket
    type: str
    sampled: Counter[str]
    believed: Counter[str]
    deeds: Deeds


def match(level: int, share: float, number: int) -> list[Hidden]:
    rng = random.Random(f"likely {number}")
    state = warlog_core.game("junqi").new(options={"players": 2}, draws=rng.randbytes)
    belief, arena, moves, found = Belief(VIEWER, number), bytearray(16 << 20), Counter[int](), list[Hidden]()
    deeds = defaultdict[int, Deeds](lambda: defaultdict(float))
    iterations = max(1, round(warlog_core.level("junqi", level).iterations * share))
    while state.result is None and moves.total() < MOVES_MAX:
        seat, phase = state.to_act[0], state.phase
        seed = rng.getrandbits(50)
        choice = warlog_core.play(
            state.seen_by(seat), seat, level=level, seed=seed, iterations=iterations, arena=arena
        )
        assert choice is not None
        action = msgspec.to_builtins(choice.action)
        is_move = phase == "play" and action["type"] == "move"
        if is_move and seat == ENEMY and belief.worlds > 0:
            for kind, said in what_a_deed_says(state, belief, action, rng).items():
                deeds[action["piece"]][kind] += said
        state.apply(seat, choice.action, draws=rng.randbytes)
        if state.result is not None:
            break
        warlog_core.remember(belief, state.seen_by(VIEWER))
        if is_move:
            moves[action["piece"]] += 1
            if moves.total() % EVERY == 0:
                found += hidden(number, state, belief, moves, deeds, rng)
    return found


def hidden(
    number: int,
    state: State,
    belief: Belief,
    moves: Counter[int],
    deeds: Mapping[int, Deeds],
    rng: random.Random,
) -> Iterator[Hidden]:
    seen = state.seen_by(VIEWER)
    sampled = types_by_space(seen.sample(VIEWER, rng.getrandbits(63)) for _ in range(WORLDS))
    believed = types_by_space(belief.world(rng.randrange(belief.worlds)) for _ in range(WORLDS))
    part = min(moves.total() // PART, 2)
    for piece in pieces_of(state):
        if piece["seat"] == ENEMY:
            at = piece["at"]
            bucket = part, min(moves[piece["piece"]], 2)
            said = deeds[piece["piece"]]
            yield Hidden(number, bucket, piece["type"], sampled[at], believed[at], dict(said))


def what_a_deed_says(state: State, belief: Belief, action: dict[str, Any], rng: random.Random) -> Deeds:
    """How much likelier this action makes each type of its piece than it was."""
    at = next(one["at"] for one in pieces_of(state) if one["piece"] == action["piece"])
    likely = defaultdict[str, list[float]](list)
    for _ in range(DEED_WORLDS):
        world = belief.world(rng.randrange(belief.worlds))
        piece = next(one for one in pieces_of(world) if one["at"] == at)
        values = values_for_the_enemy(world, {**action, "piece": piece["piece"]}, rng)
        if values:
            weights = [math.exp(SHARP * value) for value in values]
            likely[piece["type"]].append(weights[0] / mean(weights))
    if not likely:
        return {}
    usual = mean(one for some in likely.values() for one in some)
    return {kind: math.log(mean(some) / usual) for kind, some in likely.items()}


def values_for_the_enemy(world: State, action: object, rng: random.Random) -> list[float]:
    """At a glance: of the action, then of some others that are listed. Empty where the world does not allow it."""
    seen = world.seen_by(ENEMY)
    imagined, listed = seen.sample(ENEMY, rng.getrandbits(60)), complete_actions(seen, ENEMY)
    values: list[float] = []
    for one in (action, *(rng.choice(listed) for _ in range(OTHERS))):
        try:
            after, _ = imagined.after(ENEMY, one, draws=rng.randbytes)
        except Refused:
            if not values:
                return []
            continue
        values.append(after.evaluate()[ENEMY])
    return values


def pieces_of(state: State) -> list[dict[str, Any]]:
    pieces: list[dict[str, Any]] = state.position(plain=True)["pieces"]
    return pieces


def types_by_space(worlds: Iterator[State]) -> dict[str, Counter[str]]:
    found = defaultdict[str, Counter[str]](Counter)
    for world in worlds:
        for piece in pieces_of(world):
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


def mean_bits(thought: Iterable[tuple[Mapping[str, float], str]]) -> float:
    """Of how likely each type is thought to be (up to a factor), and what it is."""
    return mean(-math.log2(likely[true] / sum(likely.values())) for likely, true in thought)


def by_deeds(piece: Hidden, types: list[str]) -> dict[str, float]:
    return {one: (piece.believed[one] + SELDOM) * math.exp(piece.deeds.get(one, 0.0)) for one in types}


def bits_of_the_book(prior: float) -> tuple[float, float]:
    """Of its layouts, by what may stand where, and by where the others have a type."""
    layouts = [one.action["layout"] for one in opponent_of("junqi").book]
    counts = Counter(layouts[0])
    may = {kind: [allows(kind, cell) for cell in range(len(layouts[0]))] for kind in counts}
    plain, known = list[float](), list[float]()
    for number in range(0, len(layouts), 2):  # a layout and its mirror image
        others = [*layouts[:number], *layouts[number + 2 :]]
        stands = {kind: [sum(one[cell] == kind for one in others) for cell in range(25)] for kind in counts}
        for weight, into in ((math.inf, plain), (prior, known)):
            thought = [
                {
                    kind: counts[kind] * share_of(stands[kind], may[kind], cell, weight)
                    for kind in counts
                    if may[kind][cell]
                }
                for cell in range(25)
            ]
            into.append(mean_bits(zip(thought, layouts[number], strict=True)))
    return mean(plain), mean(known)


def share_of(stands: list[int], may: list[bool], cell: int, weight: float) -> float:
    """Of the pieces of a type those in this cell: as it is in some layouts, and as it may be, which has a weight."""
    even = 1 / sum(may)
    return even if math.isinf(weight) else (stands[cell] + weight * even) / (sum(stands) + weight)


def allows(kind: str, cell: int) -> bool:
    """May this type stand there in a layout (4.2)? Cells by line, from the front."""
    line = cell // 5
    return {"flag": cell in (21, 23), "mine": line >= 3, "bomb": line >= 1}.get(kind, True)


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
    weighed = [
        (shares(one.believed, one.bucket, types, weights), one.type) for half, weights in both for one in half
    ]
    print(
        f"{len(pieces)} pieces, bits: samples"
        f" {mean_bits((shares(one.sampled, one.bucket, types, plain), one.type) for one in pieces):.3f}, belief"
        f" {mean_bits((shares(one.believed, one.bucket, types, plain), one.type) for one in pieces):.3f},"
        f" by moves {mean_bits(weighed):.3f},"
        f" by deeds {mean_bits((by_deeds(one, types), one.type) for one in pieces):.3f}"
    )
    for prior in BOOK_PRIOR:
        even, by_others = bits_of_the_book(prior)
        print(f"layouts of the book: {even:.3f}, by the others {by_others:.3f} (prior {prior})")


if __name__ == "__main__":
    main()
