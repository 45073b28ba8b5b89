"""Computer opponents: a good action for a seat from what that seat knows (warlog.h, section 9).

>>> import warlog_core
>>> options = {"width": 7, "height": 5, "army": "preset", "obstacles": "none"}
>>> state = warlog_core.game("hex").new(options=options, draws=bytes)
>>> (seat,) = state.to_act
>>> choice = warlog_core.search(state.seen_by(seat), seat, seed=1, iterations=50)
>>> state.check(seat, choice.action) is None
True
>>> 0 < choice.lines[0].value < 1
True
"""

from __future__ import annotations

import time
from typing import Any

import msgspec
from msgspec import Struct

from warlog_core import binding
from warlog_core.errors import NotPlayed
from warlog_core.state import State

ARENA_BYTES = 48 << 20
TRIAL_ITERATIONS = 200


class Line(Struct, frozen=True):
    """An action that was looked at.

    value         how likely the seat's side is to win after it, 0 to 1
    continuation  what would follow, as (seat, action)"""

    action: Any
    value: float
    visits: int
    continuation: list[tuple[str, Any]]


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """How a search goes about it (warlog.h, wl_search_settings); 0: the usual number.

    candidates       actions, at random, of which the best at a glance are added to the tree
    root_candidates  likewise at its root
    glances          worlds over which a glance at the root is averaged, where anything is hidden or random
    trust            a glance counts as so many visits
    exploration      how much weight doubt has, in per cent of the standard deviation of the values
    widening         in per cent: at a node that was visited n times about widening / 100 * sqrt(n) actions are tried
    idle             what an action costs its seat that gains nothing at a glance and leaves it to act, of 65,535"""

    candidates: int = 0
    root_candidates: int = 0
    glances: int = 0
    trust: int = 0
    exploration: int = 0
    widening: int = 0
    idle: int = 0


class Choice(Struct, frozen=True):
    """The action chosen, and the best that were looked at, in their order; `iterations` to find them again."""

    action: Any
    value: float
    visits: int
    lines: list[Line]
    iterations: int


class Belief:
    """What a seat has seen so far, for its searches: many whole states that agree with it (warlog.h, section 9). The
    same seed and the same versions make the same belief."""

    def __init__(self, seat: str, seed: int) -> None:
        self.seat = seat
        self.seed = seed
        self.worlds = 0
        """How many states; 0 while nothing is hidden from the seat, and in a game without `sample`."""
        self._memory: bytearray | None = None
        self._seen: State | None = None

    @property
    def has_begun(self) -> bool:
        return self._seen is not None

    def see(self, seen: State) -> None:
        """The next version of the match, `state.seen_by(seat)`: each one from the first of play on, in order. One that
        looks like the one before changes nothing.

        Raises BadState where no state fits what was seen, UnknownSeat."""
        raw = seen.game.raw
        if not raw.has_search or self._is_last(seen):
            return
        if self._memory is None:
            self._memory = raw.belief(seen.game.actor_number(self.seat, seen.seats), self.seed)
        self.worlds = raw.belief_see(self._memory, seen._raw)
        self._seen = seen

    def _is_last(self, seen: State) -> bool:
        last = self._seen
        return last is not None and (last.data, last.setup) == (seen.data, seen.setup)

    def world(self, number: int) -> State:
        """One of the states, by its number from 0."""
        if self._memory is None or self._seen is None or not 0 <= number < self.worlds:
            raise IndexError(number)
        seen = self._seen
        return State(
            seen.game, seen.game.raw.belief_world(self._memory, seen._raw, number), seen._setup, seen._tables
        )

    @property
    def memory(self) -> bytes:
        """All that it consists of."""
        return bytes(self._memory or b"")


class Stop:
    """Breaks off the searches that are given it."""

    def __init__(self) -> None:
        self._byte = bytearray(1)

    def set(self) -> None:
        """From any thread, at any time, for good. A search that has ended stays as it is."""
        self._byte[0] = 1


def search(
    seen: State,
    seat: str,
    *,
    seed: int,
    iterations: int | None = None,
    seconds: float = 1.0,
    settings: Settings | None = None,
    belief: Belief | None = None,
    arena: bytearray | None = None,
    stop: Stop | None = None,
) -> Choice | None:
    """What `seat` should do, from `seen`: `state.seen_by(seat)`. With the same view, seed and iterations the choice is
    the same.

    iterations  how long; None: as many as take about `seconds` of this machine
    settings    how the search goes about it, if not as usual
    belief      of this seat, which saw `seen` last; without one only what is seen now counts
    arena       the search's memory, to be used again; 48 MiB if none is given
    stop        breaks off the search, after the iteration under way

    None where the seat has nothing to choose from but open templates (an army, a layout). Raises NotPlayed where the
    game has no computer opponents, BadState where no state fits what was seen, UnknownSeat, Stopped."""
    game = seen.game
    if not game.raw.has_search:
        raise NotPlayed(game.name)
    memory = bytearray(ARENA_BYTES) if arena is None else arena
    number = game.actor_number(seat, seen.seats)

    numbers = msgspec.structs.astuple(settings or Settings())
    believed = belief._memory if belief is not None else None
    stopped = stop._byte if stop is not None else None

    def run(count: int) -> list[binding.RawChoice]:
        return game.raw.search(seen._raw, number, seed, count, numbers, memory, believed, stopped)

    if iterations is None:
        began = time.perf_counter()
        run(TRIAL_ITERATIONS)
        each = (time.perf_counter() - began) / TRIAL_ITERATIONS
        iterations = max(TRIAL_ITERATIONS, round(seconds / each))
    found = run(iterations)
    if not found:
        return None
    tables, names = seen._tables, {game.actor_number(name, seen.seats): name for name in seen.seats}
    lines = [
        Line(
            tables.listing(action)[0],
            value / binding.WON,
            visits,
            [(names[actor], tables.listing(after)[0]) for actor, after in line],
        )
        for action, visits, value, line in found
    ]
    best = lines[0]
    return Choice(best.action, best.value, best.visits, lines, iterations)
