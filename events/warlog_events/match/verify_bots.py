"""Did the bots of the house play as they were bound to? Needs a record and the core: `warlog verify --bots FILE`.

Each action is searched for once more, from what the seat could see, with the seed to which the bot had committed itself
and as many iterations as it says. With the same version of the computer opponents the same action is found; what
another version has found cannot be checked.
"""

from collections.abc import Iterator, Mapping

import msgspec

import warlog_core
from warlog_core import CoreError, State
from warlog_core.opponent import ARENA_BYTES

from .bots import HOUSE, Commitments, Committed, action_seed
from .records import Record, RecordEvent, numbered, parse_record, walk


class BotsVerdict(msgspec.Struct, frozen=True):
    """found      how many actions came out as recorded
    unsearched  versions of the actions of house bots that say nothing of a search: giving up, an offer
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
    found, unsearched, others = 0, list[int](), list[int]()
    for version, event, before in _decided(game, record):
        if event.by not in HOUSE:
            continue
        committed = commitments.of(event.seat, version)
        if event.search is None:
            unsearched.append(version)
            continue
        if event.search.version != warlog_core.SEARCH_VERSION:
            others.append(version)
            continue
        if committed is None:
            return BotsVerdict(found, unsearched, others, version, f"No bot held the seat {event.seat}.")
        # What the server gave it: neither more nor less (GET …/seen).
        seen = game.load(before.public_setup, before.seen_by(event.seat).data)
        try:
            choice = warlog_core.play(
                seen,
                event.seat,
                level=committed.level,
                seed=action_seed(seeds[committed.name], version - 1),
                iterations=max(1, event.search.iterations),
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


def _decided(game: warlog_core.Game, record: Record) -> Iterator[tuple[int, RecordEvent, State]]:
    """Each event with its version and the state from which it was decided."""
    steps = numbered(record)
    before = [record.setup.version, *(version for version, _, _ in steps)]
    returned_to = {parent for (_, parent, _), last in zip(steps, before, strict=False) if parent != last}
    kept: dict[int, State] = {}
    last: State | None = None
    for step in walk(game, record):
        if step.event is not None and step.parent is not None:
            state = kept.get(step.parent) if step.parent in returned_to else last
            assert state is not None
            yield step.version, step.event, state
        last = step.state
        if step.version in returned_to:
            kept[step.version] = last


def _text(action: object) -> str:
    return "nothing" if action is None else msgspec.json.encode(action).decode()
