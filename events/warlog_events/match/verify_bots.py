"""Did the bots of the house play as they were bound to? Needs a record and the core: `warlog verify --bots FILE`.

Each action is searched for once more, from what the seat could see, with the seed to which the bot had committed itself
and as many iterations as it says. With the same version of the computer opponents the same action is found; what
another version has found cannot be checked. Where the bot used a belief, it is recomputed: from all that the seat
saw since the start, or since the match was last taken back.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import get_args

import msgspec

import warlog_core
from warlog_core import LEVELS, Belief, CoreError, State
from warlog_core.actions import Meaning
from warlog_core.opponent import ARENA_BYTES

from .bots import HOUSE, Commitments, Committed, action_seed, belief_seed
from .records import Record, RecordEvent, numbered, parse_record, walk

UNSEARCHED = frozenset(get_args(Meaning))  # a bot gives up and offers draws by its manners, not by its search


class BotsVerdict(msgspec.Struct, frozen=True):
    """found      how many actions came out as recorded
    unsearched  versions of the actions of house bots that are not searched for: giving up, draws,
                and what was taken where a search fails
    others      versions of actions that another version of the computer opponents has found
    version     the first event that does not agree, None if all do; `detail` says why
    """

    found: int
    unsearched: list[int]
    others: list[int]
    version: int | None = None
    detail: str = ""


def verify_bots(raw: Mapping[str, object]) -> BotsVerdict:
    """Of a record that is verified (verify.py); it takes as long as the bots have thought."""
    record = parse_record(raw)
    game = warlog_core.game(record.game, record.rules_version)
    commitments = Commitments(
        Committed(bot.seat, bot.level, bot.version, bot.seed_hash) for bot in record.bots
    )
    seeds = {bot.seed_hash: bytes.fromhex(bot.seed) for bot in record.bots}
    arena = bytearray(ARENA_BYTES)
    memories = _Memories(game, commitments, seeds, record)
    found, unsearched, others = 0, list[int](), list[int]()
    for version, event, before, is_next in _decided(game, record):
        memories.see(before, is_next)
        if event.by not in HOUSE:
            continue
        committed = commitments.of(event.seat, version)
        if event.search is None:
            if _is_searched_for(game, before, event):
                detail = f"The bot of {event.seat} does not say how it found {_text(event.action)}."
                return BotsVerdict(found, unsearched, others, version, detail)
            unsearched.append(version)
            continue
        if event.search.version != warlog_core.SEARCH_VERSION:
            others.append(version)
            continue
        if committed is None:
            return BotsVerdict(found, unsearched, others, version, f"No bot held the seat {event.seat}.")
        seen = _seen(game, before, event.seat)
        try:
            choice = warlog_core.play(
                seen,
                event.seat,
                level=committed.level,
                seed=action_seed(seeds[committed.name], version - 1),
                iterations=max(1, event.search.iterations),
                belief=memories.of(committed) if event.search.belief else None,
                arena=arena,
            )
        except (CoreError, ValueError) as error:
            return BotsVerdict(found, unsearched, others, version, f"The search fails: {error}.")
        again = None if choice is None else msgspec.to_builtins(choice.action)
        if choice is None or again != event.action or choice.iterations != event.search.iterations:
            detail = (
                f"Level {committed.level} as {event.seat} with {event.search.iterations} iterations finds "
                f"{_text(again)}, not {_text(event.action)}."
            )
            return BotsVerdict(found, unsearched, others, version, detail)
        found += 1
    return BotsVerdict(found, unsearched, others)


class _Memories:
    """The beliefs of the house's bots, of those seats in which they go by them."""

    def __init__(
        self, game: warlog_core.Game, commitments: Commitments, seeds: Mapping[str, bytes], record: Record
    ) -> None:
        searched = {event.seat for event in record.events if event.search is not None and event.search.belief}
        self._game = game
        self._seeds = seeds
        self._committed = [one for one in commitments if one.seat in searched]
        self._beliefs: dict[str, Belief] = {}

    def see(self, before: State, is_next: bool) -> None:
        """A state that play went on from. `is_next`: it came of the last one, and not by taking the match back."""
        if not is_next:
            self._beliefs.clear()
        for committed in self._committed:
            with suppress(CoreError):  # a bot that finds that nothing fits decides without a belief
                warlog_core.remember(self.of(committed), _seen(self._game, before, committed.seat))

    def of(self, committed: Committed) -> Belief:
        name = committed.name
        if name not in self._beliefs:
            self._beliefs[name] = Belief(committed.seat, belief_seed(self._seeds[name]))
        return self._beliefs[name]


def _is_searched_for(game: warlog_core.Game, before: State, event: RecordEvent) -> bool:
    """False also where a search fails, as in a Position that was made by hand: there a bot takes any listed action."""
    if isinstance(event.action, dict) and event.action["type"] in UNSEARCHED:
        return False
    try:
        seen = _seen(game, before, event.seat)
        return warlog_core.play(seen, event.seat, level=LEVELS[-1], seed=0, iterations=1) is not None
    except CoreError:
        return False


def _seen(game: warlog_core.Game, state: State, seat: str) -> State:
    """What the server gave to the bot: neither more nor less (GET …/seen)."""
    return game.load(state.public_setup, state.seen_by(seat).data)


def _decided(game: warlog_core.Game, record: Record) -> Iterator[tuple[int, RecordEvent, State, bool]]:
    """Each event with its version, the state from which it was decided, and whether that is the one of the event
    before."""
    steps = numbered(record)
    before = [record.setup.version, *(version for version, _, _ in steps)]
    returned_to = {parent for (_, parent, _), last in zip(steps, before, strict=False) if parent != last}
    kept: dict[int, State] = {}
    last: State | None = None
    for step in walk(game, record):
        if step.event is not None and step.parent is not None:
            state = kept.get(step.parent) if step.parent in returned_to else last
            assert state is not None
            yield step.version, step.event, state, state is last
        last = step.state
        if step.version in returned_to:
            kept[step.version] = last


def _text(action: object) -> str:
    return "nothing" if action is None else msgspec.json.encode(action).decode()
