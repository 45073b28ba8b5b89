"""Computer opponents in eight levels: how long each searches, and what it does where a search is of no use.

A game's share stands in `rules/<game>_opponent.json` (an `Opponent`); one without the file has the defaults. If its
matches begin alike, `rules/<game>_openings.json` (a list of `Openings`) may say how to begin them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

import msgspec
from msgspec import Struct

from warlog_core.binding import OPEN_BYTES
from warlog_core.codecs._actions import type_name
from warlog_core.errors import Refused
from warlog_core.opponent import Belief, Choice, Settings, Stop, search
from warlog_core.rule_set import RuleSet
from warlog_core.state import State, new_state

LEVELS = range(1, 9)

SEARCH_VERSION = 15
"""Of all that decides what a computer opponent does: search, `sample`, `evaluate`, levels, books. With the same
version, view, level, seed and iterations the choice is the same. Whatever changes a choice raises it."""

# Of an action at random: how many are drawn, how much worse than the best of them it may be, and the share of draws
# that choose the type first.
DRAWN, SLIP, BY_TYPE = 2, 0.08, 0.3

FORCED_ITERATIONS = 64  # for the value of the only action that there is


class Level(Struct, frozen=True, forbid_unknown_fields=True):
    """How a level plays.

    iterations   of the search, for each action
    random       share of the actions that are chosen at random instead
    drawn        how many actions are drawn where one is chosen at random
    slip         how much worse than the best of them, by `evaluate` in a sampled world, the chosen one may be
    book         does it use the game's book?
    belief       does it remember what it has seen? (`Belief`)
    openings     does it use the game's book of openings?
    settings     how the search goes about it, if not as in the game's other levels"""

    iterations: int
    random: float = 0.0
    drawn: int = DRAWN
    slip: float = SLIP
    book: bool = True
    belief: bool = False
    openings: bool = False
    settings: Settings | None = None


SIMPLE = Settings(candidates=1, root_candidates=1)


DEFAULTS = (
    Level(8, random=0.6, book=False, settings=SIMPLE),
    Level(20, random=0.2, book=False),
    Level(60, random=0.05),
    Level(180),
    Level(500),
    Level(1_000),
    Level(2_000),
    Level(4_000),
)


class Prepared(Struct, frozen=True, forbid_unknown_fields=True):
    """An action of a book. `where`: numbers of the setup (the C struct) with which it is good."""

    action: dict[str, Any]
    where: dict[str, int] = {}


class Branch(Struct, frozen=True, forbid_unknown_fields=True):
    """An action of a book of openings. `then`: the actions for the position after it, of the seat that acts there."""

    action: dict[str, Any]
    then: tuple[Branch, ...] = ()


class Openings(Struct, frozen=True, forbid_unknown_fields=True):
    """A book of openings for matches with these options. Wherever one of its positions comes up, one of the actions
    that it has there is chosen at random. `found`: how the book was found."""

    options: dict[str, Any]
    first: tuple[Branch, ...]
    found: str


class Opponent(Struct, frozen=True, forbid_unknown_fields=True):
    """`rules/<game>_opponent.json`.

    levels     eight, the weakest first
    settings   of the search of all levels that have none of their own
    from_book  types of actions that are not searched for: purchases, layouts. One that `book` has and that is allowed
               is chosen at random, or one that is listed where it has none
    book       such actions
    found      how the book was found
    finish     types of actions that end a preparation, chosen once the book's choice has been made"""

    levels: tuple[Level, ...] = DEFAULTS
    settings: Settings = Settings()
    from_book: tuple[str, ...] = ()
    book: tuple[Prepared, ...] = ()
    found: str = ""
    finish: tuple[str, ...] = ()


@cache
def opponent_of(game: str) -> Opponent:
    file = resources.files("warlog_core").joinpath(f"rules/{game}_opponent.json")
    return msgspec.json.decode(file.read_bytes(), type=Opponent) if file.is_file() else Opponent()


@cache
def openings_of(game: str) -> tuple[Openings, ...]:
    file = resources.files("warlog_core").joinpath(f"rules/{game}_openings.json")
    return msgspec.json.decode(file.read_bytes(), type=tuple[Openings, ...]) if file.is_file() else ()


def level(game: str, number: int) -> Level:
    """How this level plays this game. Raises ValueError for a level that there is not."""
    if number not in LEVELS:
        raise ValueError(f"there are levels {LEVELS[0]} to {LEVELS[-1]}")
    return opponent_of(game).levels[number - 1]


def play(
    seen: State,
    seat: str,
    *,
    level: int,
    seed: int,
    iterations: int | None = None,
    belief: Belief | None = None,
    arena: bytearray | None = None,
    stop: Stop | None = None,
    openings: bool = True,
) -> Choice | None:
    """What a computer opponent of this level does as `seat`, from `seen`: `state.seen_by(seat)`. With the same view,
    level, seed, iterations and belief the choice is the same.

    iterations  at most so many, fewer than the level's own: for who is in a hurry
    belief      of this seat, as for `search`
    arena       the search's memory, as for `search`
    stop        as for `search`
    openings    False: it searches where it would use its book of openings, which has no values and no lines

    `Choice.iterations` is 0 for what was not searched for: what a book or chance decides, and everything in a game that
    has no search. It gives up only where there is nothing else to do. None where the seat has nothing to decide, or
    only open templates to choose from. Raises ValueError for a level that there is not, BadState where no state fits
    what was seen, UnknownSeat, Stopped."""
    how, opponent = _level(seen.game.name, level), opponent_of(seen.game.name)
    rng = random.Random(seed)  # of which only `random` gives the same numbers in every Python
    actions = complete_actions(seen, seat)
    if not actions or seat not in seen.to_act:
        return None
    prepared = prepared_action(seen, seat, rng, book=how.book)
    if prepared is not None:
        return _unsearched(seen, seat, prepared, seed)
    opened = opening_actions(seen) if how.openings and openings else ()
    if opened:
        return _unsearched(seen, seat, _drawn(opened, rng), seed)
    if not seen.game.raw.has_search or rng.random() < how.random:
        return _unsearched(seen, seat, _any_of(seen, seat, actions, rng, how.drawn, how.slip), seed)
    count = how.iterations if iterations is None else min(how.iterations, max(1, iterations))
    if len(actions) == 1:
        count = min(count, FORCED_ITERATIONS)
    found = search(
        seen,
        seat,
        seed=int(rng.random() * 2**53),
        iterations=count,
        settings=opponent.settings if how.settings is None else how.settings,
        belief=belief,
        arena=arena,
        stop=stop,
    )
    return found if found is not None else _unsearched(seen, seat, _drawn(actions, rng), seed)


_level = level  # `play` has a parameter of that name


def remember(belief: Belief, seen: State) -> None:
    """The next version, as `belief.see`; but a belief does not begin while its seat still prepares itself."""
    if belief.has_begun or not _prepares(seen, belief.seat):
        belief.see(seen)


def _prepares(seen: State, seat: str) -> bool:
    opponent = opponent_of(seen.game.name)
    preparing = {*opponent.from_book, *opponent.finish}
    return any(type_name(action) in preparing for action in complete_actions(seen, seat))


def complete_actions(seen: State, seat: str) -> list[Any]:
    """What is listed for the seat, without templates; without giving up where there is anything else."""
    gives_up = {action.name for action in seen.game.raw.actions if action.gives_up}
    listing = seen.listing(seat)
    actions = [listing[i] for i in range(len(listing)) if OPEN_BYTES not in listing.key(i)]
    return [action for action in actions if type_name(action) not in gives_up] or actions


def _any_of(
    seen: State, seat: str, actions: Sequence[Any], rng: random.Random, drawn: int = DRAWN, slip: float = SLIP
) -> Any:
    """Draws `drawn` actions, and returns the first whose value, by `evaluate` in a sampled world, is at most `slip`
    below that of the best of them. Some draws choose the type first: a game may list fifty moves and one attack."""
    kinds: dict[str, list[Any]] = {}
    for action in actions:
        kinds.setdefault(type_name(action), []).append(action)
    of_kinds = list(kinds.values())
    some = [_drawn(_drawn(of_kinds, rng) if rng.random() < BY_TYPE else actions, rng) for _ in range(drawn)]
    if not seen.game.raw.has_search:
        return some[0]
    world = seen.sample(seat, int(rng.random() * 2**53))
    seed = int(rng.random() * 2**53)

    def value(action: Any) -> float:
        try:
            after, _ = world.after(seat, action, draws=random.Random(seed).randbytes)
        except Refused:  # in this world it cannot be done
            return 0.0
        return after.evaluate()[seat]

    values = [value(action) for action in some]
    return next(one for one, its in zip(some, values, strict=True) if its >= max(values) - slip)


def _drawn(all_of: Sequence[Any], rng: random.Random) -> Any:
    return all_of[int(rng.random() * len(all_of))]


def prepared_action(seen: State, seat: str, rng: random.Random, *, book: bool = True) -> Any:
    """What the book says here, or what is chosen at random as it would be; then what ends the preparation. None where
    there is nothing to prepare."""
    opponent, actions = opponent_of(seen.game.name), complete_actions(seen, seat)
    known = _known(seen, seat, opponent) if book else []
    choices = known or [action for action in actions if type_name(action) in opponent.from_book]
    if choices and not any(_changes_nothing(seen, seat, action) for action in known):
        return _drawn(known, rng) if known else _any_of(seen, seat, choices, rng)
    return next((action for action in actions if type_name(action) in opponent.finish), None)


def _known(seen: State, seat: str, opponent: Opponent) -> list[dict[str, Any]]:
    """What the book has for a match like this one."""
    setup = seen.game.raw.setup_fields(seen._raw) if opponent.book else {}
    return [
        one.action
        for one in opponent.book
        if all(setup.get(name) == number for name, number in one.where.items())
        and seen.check(seat, one.action) is None
    ]


def opening_actions(seen: State) -> Sequence[Any]:
    """What the book of openings has for this position."""
    return _opening_positions(seen.game).get((seen.public_setup, seen.data), ())


@cache
def _opening_positions(game: RuleSet) -> dict[tuple[bytes, bytes], list[dict[str, Any]]]:
    """Setup and what the seat to act sees → its actions. A position is known however it came about."""
    found: dict[tuple[bytes, bytes], list[dict[str, Any]]] = {}
    for openings in openings_of(game.name):
        state = new_state(game, openings.options, draws=bytes)
        branches = [(state, branch) for branch in openings.first]
        while branches:
            state, branch = branches.pop()
            seat = state.to_act[0]
            known = found.setdefault((state.public_setup, state.seen_by(seat).data), [])
            if branch.action not in known:
                known.append(branch.action)
            if branch.then:
                after, _ = state.after(seat, branch.action, draws=bytes)
                branches += [(after, one) for one in branch.then]
    return found


def _changes_nothing(seen: State, seat: str, action: object) -> bool:
    """Has the choice been made already? Another layout would be chosen again and again."""
    world = seen.sample(seat, 0) if seen.game.raw.has_search else seen.copy()
    try:
        after, _ = world.after(seat, action, draws=random.Random(0).randbytes)
    except Refused:
        return False
    return after.seen_by(seat).data == seen.data


def _unsearched(seen: State, seat: str, action: object, seed: int) -> Choice:
    """A choice without a search; its value is that of one state that may be the true one."""
    value = seen.sample(seat, seed % 2**64).evaluate()[seat] if seen.game.raw.has_search else 0.5
    return Choice(action, value, 0, [], 0)
