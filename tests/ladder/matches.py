"""One match of the ladder, from its seed: the same every time."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Iterator
from itertools import count
from statistics import median
from typing import Any

from msgspec import Struct

import warlog_core
from tests.ladder.players import play_at_random, player, remembers
from warlog_core import Belief, State, remember

ARENA = bytearray(16 << 20)
LONG = 48 << 20  # bytes, what a search has where none is given
MEASURED_EVERY = 5  # actions
SAMPLES = 20  # at each of them
FEW = 1_000  # iterations that tell nothing of the speed
PACE = 3  # the level whose matches are measured
CLEAR = 0.6  # a match that is cut off is won by a side that stands at least so well, else drawn


class Table(Struct, frozen=True):
    """Options under which a game is played in the ladder, and how many actions a match may have."""

    game: str
    options: dict[str, Any]
    actions_max: int


class Timed(Struct, frozen=True, tag="times"):
    """What a level costs, over positions of its matches.

    median, slowest  milliseconds of processor time for an action; 99 of 100 are quicker than the slowest
    iterations       a second, where it searches
    samples          a second
    memory           bytes of its arena for a thousand iterations, at the most"""

    table: str
    level: int
    actions: int
    median: float
    slowest: float
    version: str
    iterations: float = 0.0
    samples: float = 0.0
    memory: float = 0.0


class Served(Struct, frozen=True, tag="served"):
    """People against the house's bots over REST, and one process of bots on one core (`tests.load.opponents`).

    matches     at once
    move_seconds  their clock for each action
    answers     of bots
    median, slowest, longest  seconds until a bot answers; 99 of 100 are quicker than the slowest
    iterations  of a search, on average
    timeouts    of bots"""

    matches: int
    level: int
    move_seconds: int
    answers: int
    median: float
    slowest: float
    longest: float
    iterations: float
    timeouts: int


class Idle(Struct, frozen=True, tag="idle"):
    """What a server takes more for having bots that sit in no match: per cent of a core."""

    percent: float


class Played(Struct, frozen=True, tag="match"):
    """A match as it stands in the results.

    table    which of the tables
    players  their names; the first had the side that begins the list of seats, the second the other
    shares   what part of its iterations each might use
    points   of the first player: 1, 0.5 or 0
    seconds  of processor time that each player took, and for how many actions
    version  of the search and its numbers"""

    table: str
    players: tuple[str, str]
    shares: tuple[float, float]
    seed: int
    points: float
    reason: str
    actions: int
    seconds: tuple[float, float]
    thought: tuple[int, int]
    version: str


def sides_of(table: Table, state: State) -> dict[str, int]:
    """Seat → 0 or 1: the side of the first seat, or the other. Allies win and lose together."""
    described = warlog_core.game(table.game).describe(table.options)
    teams = {seat["id"]: seat["team"] for seat in described["seats"]}
    sides = {seat: int(teams[seat] != teams[state.seats[0]]) for seat in state.seats}
    assert len({teams[seat] for seat in state.seats}) == 2
    return sides


def play_match(
    name: str, table: Table, players: tuple[str, str], shares: tuple[float, float], seed: int, version: str
) -> Played:
    rng = random.Random(f"{name} {' '.join(sorted(players))} {seed}")  # the same with the seats swapped
    state = warlog_core.game(table.game).new(options=table.options, draws=rng.randbytes)
    sides = sides_of(table, state)
    who = [player(one, share, ARENA) for one, share in zip(players, shares, strict=True)]
    beliefs = [
        Belief(seat, number_of(f"{seed} {seat}"))
        for seat in state.seats
        if remembers(players[sides[seat]], table.game)
    ]
    of = {belief.seat: belief for belief in beliefs}
    seconds, thought, actions = [0.0, 0.0], [0, 0], 0
    while state.result is None and actions < table.actions_max:
        for belief in beliefs:
            seconds[sides[belief.seat]] += time_to_see(belief, state)
        seat = state.to_act[0]
        side = sides[seat]
        number = number_of(f"{seed} {actions}")
        seen = state.seen_by(seat)
        began = time.process_time()
        action = who[side](seen, seat, number, of.get(seat))
        seconds[side] += time.process_time() - began
        thought[side] += 1
        if action is None:
            action = play_at_random(seen, seat, number, None)
        state.apply(seat, action, draws=rng.randbytes)
        actions += 1
    return Played(
        name,
        players,
        shares,
        seed,
        points_of(state, sides),
        "cut off" if state.result is None else state.result.reason,
        actions,
        (round(seconds[0], 3), round(seconds[1], 3)),
        (thought[0], thought[1]),
        version,
    )


def number_of(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def time_to_see(belief: Belief, state: State) -> float:
    """Processor time in seconds that the next version takes."""
    seen = state.seen_by(belief.seat)
    began = time.process_time()
    remember(belief, seen)
    return time.process_time() - began


def time_level(name: str, table: Table, level: int, actions: int, version: str) -> Timed:
    """Over positions of matches that a quick level plays against itself, which are like those that it meets. Where it
    has a belief, that has to take up what has happened since the seat acted last."""
    took: list[float] = []
    searched = searching = sampling = memory = 0.0
    for seen, seat, number, belief, seeing in positions(name, table, level):
        arena = bytearray(LONG)
        began = time.process_time()
        choice = warlog_core.play(seen, seat, level=level, seed=number, belief=belief, arena=arena)
        took.append(seeing + time.process_time() - began)
        assert choice is not None
        if choice.iterations >= FEW:
            searching += took[-1] - seeing
            searched += choice.iterations
            memory = max(memory, 1000 * len(arena.rstrip(b"\0")) / choice.iterations)
        began = time.process_time()
        for seed in range(SAMPLES):
            seen.sample(seat, seed)
        sampling += time.process_time() - began
        if len(took) == actions:
            break
    took.sort()
    return Timed(
        name,
        level,
        actions,
        1000 * median(took),
        1000 * took[actions * 99 // 100],
        version,
        searched / searching,
        SAMPLES * actions / sampling,
        memory,
    )


def positions(name: str, table: Table, level: int) -> Iterator[tuple[State, str, int, Belief | None, float]]:
    """What a seat sees, now and then, in matches without end; with a number of its own, and the belief of the level and
    the seconds in which it has taken up what has happened since the seat acted last."""
    for seed in count(1):
        rng = random.Random(f"{name} {seed}")
        state = warlog_core.game(table.game).new(options=table.options, draws=rng.randbytes)
        has_belief = remembers(str(level), table.game)
        beliefs = {one: Belief(one, number_of(one)) for one in state.seats if has_belief}
        seeing = dict.fromkeys(state.seats, 0.0)
        for number in range(table.actions_max):
            if state.result is not None:
                break
            for one, belief in beliefs.items():
                seeing[one] += time_to_see(belief, state)
            seat = state.to_act[0]
            seen = state.seen_by(seat)
            if number % MEASURED_EVERY == 0:
                yield seen, seat, number, beliefs.get(seat), seeing[seat]
            seeing[seat] = 0.0
            choice = warlog_core.play(seen, seat, level=PACE, seed=number, arena=ARENA)
            assert choice is not None
            state.apply(seat, choice.action, draws=rng.randbytes)


def points_of(state: State, sides: dict[str, int]) -> float:
    """Of the side of the first seat."""
    if state.result is None:
        value = state.evaluate()[state.seats[0]]
        return 1.0 if value >= CLEAR else 0.0 if value <= 1 - CLEAR else 0.5
    if not state.result.winners:
        return 0.5
    return float(sides[state.result.winners[0]] == 0)
