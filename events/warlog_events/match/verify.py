"""Does a record follow from the rules and the seeds alone? Needs a record and the core, no Redis: `warlog verify FILE`.

Every draw is made again from the published seeds, every state and hash by replaying, every link of the chain from the
entries' own fields; what the record says twice must agree. What cannot be checked (an unknown field,
an author or a time without the log) is not verified.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

import warlog_core
from warlog_core import Draws

from ..errors import WarlogError, named
from ..statistics import Counts
from .bots import Commitments
from .entropy import commitment, entropy
from .fold import Fold, with_wish
from .match import milliseconds, rfc3339
from .model import (
    OptionsChanged,
    PositionEdited,
    Result,
    SeatsAssigned,
    encode,
)
from .records import (
    ACTION,
    LogEntry,
    Record,
    RecordBot,
    RecordEvent,
    RecordSetup,
    numbered,
    parse_record,
    walk,
)
from .replay import Replay
from .seating import assign, draw_from
from .stored import StoredEvent
from .timeline import Forgotten, Timeline
from .upcast import body_of


class Verdict(msgspec.Struct, frozen=True):
    """verified   every draw follows from the published seeds, every hash and chain from replaying
    unseeded   replay agrees, but for some draws there is no seed to check them against
    failed     `version` is the first event that is not what it says, `detail` why
    """

    status: Literal["verified", "unseeded", "failed"]
    events: int
    version: int | None = None
    detail: str = ""


class _Wrong(ValueError):
    def __init__(self, version: int, detail: str) -> None:
        super().__init__(detail)
        self.version = version
        self.detail = detail


def verify_record(raw: Mapping[str, object]) -> Verdict:
    """Never raises for what is in the record: whatever is wrong is a verdict."""
    events = raw.get("events")
    count = len(events) if isinstance(events, list) else 0
    try:
        record = parse_record(raw)
        _check_fields(raw, record)
        seeded = _verify(record)
    except _Wrong as wrong:
        return Verdict("failed", count, wrong.version, wrong.detail)
    except WarlogError as error:
        version = error.extra.get("record_version")
        return Verdict("failed", count, version if isinstance(version, int) else None, error.detail)
    except Forgotten:
        return Verdict("failed", count, None, "it goes back to before the start")
    except warlog_core.UnknownGame as error:
        return Verdict("failed", count, None, f"There is no such game, or no such rules version: {error}.")
    return Verdict("verified" if seeded else "unseeded", count)


def _check_fields(raw: Mapping[str, object], record: Record) -> None:
    """Fields that no record has say what nobody can check. Raises _Wrong."""
    start = record.setup.version
    history = () if "events" in raw else ("history",)
    _check_names(raw, Record, start, history)
    _check_names(raw.get("setup"), RecordSetup, start)
    _check_names(raw.get("result"), Result, start)
    _check_each(raw.get("events"), RecordEvent, start)
    _check_each(raw.get("log"), LogEntry, start)
    _check_each(raw.get("bots"), RecordBot, start)


def _check_each(entries: object, form: type[msgspec.Struct], start: int) -> None:
    for entry in entries if isinstance(entries, list) else ():
        version = entry.get("version")
        _check_names(entry, form, version if isinstance(version, int) else start)


def _check_names(part: object, form: type[msgspec.Struct], version: int, more: tuple[str, ...] = ()) -> None:
    if isinstance(part, Mapping) and (unknown := part.keys() - {*form.__struct_fields__, *more}):
        raise _Wrong(
            version, f"A record has no field {named(min(map(str, unknown)))} that could be verified."
        )


def _verify(record: Record) -> bool:
    """Raises _Wrong or WarlogError; False where some draws have no seed."""
    game = warlog_core.game(record.game, record.rules_version)
    seeds = _seeds(record)
    if record.log and all(entry.type != "match_started" for entry in record.log):
        return _verify_lobby(record, seeds)
    indexes = {record.setup.version: record.setup.seed}
    indexes.update((version, event.seed) for version, _, event in numbered(record))

    def draws_of(version: int, event: RecordEvent | None) -> Draws:
        recorded = record.setup.draws if event is None else event.draws
        index = indexes[version]
        if seeds is None or index is None:
            return recorded
        if not 0 <= index < len(seeds):
            raise _Wrong(version, "The record has no such seed.")
        return entropy(record.match, seeds[index], version)

    results = {}
    last = record.setup.version
    for step in walk(game, record, draws_of):
        recorded = record.setup.draws if step.event is None else step.event.draws
        drawn = [] if step.resolved is None else step.resolved.draws
        if drawn != recorded:
            raise _Wrong(step.version, f"The seed gives the draws {drawn}, not {recorded}.")
        last = step.version
        results[last] = step.state.result
        if step.event is None and record.seats not in (None, list(step.state.seats)):
            raise _Wrong(last, f"The seats are {', '.join(step.state.seats)}.")
    result = results[last if record.head is None else record.head]
    if record.result is not None:
        if result is None or (result.winners, result.reason) != (record.result.winners, record.result.reason):
            raise _Wrong(last, "Replaying leads to another result.")
    _check_bots(record)
    if record.log is not None:
        _check_entries(record, seeds, indexes)
    else:
        for version, _, event in numbered(record):
            if event.chain is not None:
                raise _Wrong(version, "A chain cannot be checked without the log.")
            if seeds is not None and (event.at, event.by, event.ending, event.search) != (None,) * 4:
                raise _Wrong(version, "Time, author, ending and search cannot be checked without the log.")
    return seeds is not None and None not in indexes.values()


def _verify_lobby(record: Record, seeds: list[bytes] | None) -> bool:
    """A match that never started has a log alone: its chain, and the draws for seats that several wished."""
    if record.events or record.result is not None or record.head or record.setup != RecordSetup():
        raise _Wrong(record.setup.version, "The log has no start.")
    _check_bots(record)
    replay = Replay(record.match, None, Counts())
    for entry in entries_of(record):
        if entry.type == "seats_assigned" and seeds is not None and replay.fold is not None:
            _check_assignment(record.match, replay.fold, entry, seeds[0])
        replay.feed([entry])
    if [name for _, name in replay.line.seeds] != record.seed_commitments:
        raise _Wrong(record.setup.version, "The log has other commitments.")
    fold = replay.fold
    said = (record.game, record.rules_version, record.seats, record.options, record.position)
    if fold is None or said not in _lobbies(fold):
        raise _Wrong(record.setup.version, "The log is of another lobby.")
    return seeds is not None


def _lobbies(fold: Fold) -> list[tuple[object, ...]]:
    """How a record may begin that has a lobby's log: with or without what the lobby had agreed on."""
    game = (fold.game, fold.rules_version)
    return [(*game, None, {}, None), (*game, list(fold.seats), fold.options, fold.position)]


def _seeds(record: Record) -> list[bytes] | None:
    """The published seeds, each held against its commitment."""
    if record.seeds is None:
        return None
    start = record.setup.version
    if len(record.seeds) != len(record.seed_commitments) or not record.seeds:
        raise _Wrong(start, "There must be as many seeds as commitments.")
    try:
        seeds = [bytes.fromhex(seed) for seed in record.seeds]
    except ValueError:
        raise _Wrong(start, "A seed is not hexadecimal.") from None
    for seed, name in zip(seeds, record.seed_commitments, strict=True):
        if commitment(seed) != name:
            raise _Wrong(start, "A seed does not fit its commitment.")
    return seeds


def _check_bots(record: Record) -> None:
    """The house bots are those of the log, each with the seed to which it had committed itself."""
    start = record.setup.version
    if record.bots and record.log is None:
        raise _Wrong(start, "Bots cannot be checked without the log.")
    logged = Commitments()
    for entry in record.log or ():
        stored = StoredEvent(
            entry.version, entry.type, entry.seat, entry.by, 0, encode(entry.body), None, "", ""
        )
        logged.add(entry.version, entry.seat, body_of(stored))
    if logged != [(bot.seat, bot.level, bot.version, bot.seed_hash) for bot in record.bots]:
        raise _Wrong(start, "The log has other bots.")
    for bot in record.bots:
        try:
            fits = commitment(bytes.fromhex(bot.seed)) == bot.seed_hash
        except ValueError:
            fits = False
        if not fits:
            raise _Wrong(bot.version, "The seed of a bot does not fit its commitment.")


def entries_of(record: Record) -> list[StoredEvent]:
    """The stream's entries, made again from the record's events and its log. Raises ValueError where they say too
    little for that."""
    assert record.log is not None
    found = [
        StoredEvent(
            entry.version,
            entry.type,
            entry.seat,
            entry.by,
            _time(entry.version, entry.at),
            encode(entry.body),
            entry.draws,
            entry.chain,
            entry.hash,
        )
        for entry in record.log
    ]
    for version, _, event in numbered(record):
        if event.type == ACTION:
            body: dict[str, Any] = {"action": event.action}
            if event.ending is not None:
                body["ending"] = event.ending
            if event.search is not None:
                body["search"] = msgspec.to_builtins(event.search)
            if event.at is None or event.by is None or event.chain is None or event.hash is None:
                raise _Wrong(version, "An event beside a log needs `at`, `by`, `hash` and `chain`.")
            at = _time(version, event.at)
            found.append(
                StoredEvent(
                    version,
                    ACTION,
                    event.seat,
                    event.by,
                    at,
                    encode(body),
                    event.draws,
                    event.chain,
                    event.hash,
                )
            )
    return sorted(found, key=lambda entry: entry.version)


def _time(version: int, text: str) -> int:
    try:
        time = milliseconds(text)
        if rfc3339(time) == text:
            return time
    except (ValueError, OverflowError, OSError):
        pass
    raise _Wrong(version, "It has no time of the form that records have.")


def _check_entries(record: Record, seeds: list[bytes] | None, indexes: Mapping[int, int | None]) -> None:
    """The chain, and that the record's events say what the entries say."""
    entries = entries_of(record)
    replay = Replay(record.match, None, Counts())
    for entry in entries:
        if entry.type == "seats_assigned" and seeds is not None and replay.fold is not None:
            _check_assignment(record.match, replay.fold, entry, seeds[0])
        replay.feed([entry])
    fold, line = replay.fold, replay.line
    if fold is None or fold.started_version != record.setup.version:
        raise _Wrong(record.setup.version, "The log has another start.")
    if [name for _, name in line.seeds] != record.seed_commitments:
        raise _Wrong(record.setup.version, "The log has other commitments.")
    _check_frame(record, fold, line)
    said: dict[int, tuple[list[int], str | None, str | None]] = {}
    said[record.setup.version] = (record.setup.draws, record.setup.hash, None)
    for version, _, event in numbered(record):
        said[version] = (event.draws, event.hash, event.chain)
    events = {version: (parent, event) for version, parent, event in numbered(record)}
    for entry in entries:
        if entry.version in said:
            draws, state_hash, chain = said.pop(entry.version)
            if (
                draws != (entry.draws or [])
                or state_hash not in (None, entry.hash)
                or chain not in (None, entry.chain)
            ):
                raise _Wrong(entry.version, "The event and its entry in the log differ.")
            if entry.version in events:
                _check_event(*events[entry.version], entry, fold, line)
            index = indexes[entry.version]
            name = line.seed_of(entry.version)
            imported = entry.version <= fold.imported_until
            if imported != (index is None) or (index is not None and record.seed_commitments[index] != name):
                raise _Wrong(entry.version, "Another seed was in force.")
        elif entry.type in ("action_taken", "match_started", "position_edited"):
            raise _Wrong(entry.version, "The record leaves it out.")
    if said:
        raise _Wrong(min(said), "The log leaves it out.")


def _check_frame(record: Record, fold: Fold, line: Timeline) -> None:
    """What the record says of the match as a whole, against the log. Raises _Wrong."""
    last = max((version for version, _, _ in numbered(record)), default=record.setup.version)
    said = {
        "game": (record.game, fold.game),
        "rules version": (record.rules_version, fold.rules_version),
        "seats": (record.seats, list(fold.seats)),
        "options": (record.options, {**line.bases[0].options, **fold.filled}),
        "position": (record.position, fold.position),
        "head": (last if record.head is None else record.head, line.recorded(fold.version)),
        "result": (record.result, fold.result),
    }
    may_be_missing = ("rules version", "seats")
    for name, (there, logged) in said.items():
        if there != logged and not (there is None and name in may_be_missing):
            raise _Wrong(record.setup.version, f"The log has another value of `{name}`.")


def _check_event(parent: int, event: RecordEvent, entry: StoredEvent, fold: Fold, line: Timeline) -> None:
    """What only the record's event says, or both it and its entry in the log. Raises _Wrong."""
    same = parent == line.recorded(line.parent(entry.version) or 0) and event.type == entry.type
    if entry.type != ACTION:
        body = body_of(entry)
        same = same and event.seat == entry.seat and event.by in (None, entry.by) and event.ending is None
        same = same and (event.at is None or _time(entry.version, event.at) == entry.at)
        same = same and event.action is msgspec.UNSET
        position = body.position if isinstance(body, PositionEdited) else msgspec.UNSET
        options = {**body.options, **fold.filled} if isinstance(body, OptionsChanged) else msgspec.UNSET
        same = same and event.position == position and event.options == options
    else:
        same = same and event.position is msgspec.UNSET and event.options is msgspec.UNSET
    if not same:
        raise _Wrong(entry.version, "The event and its entry in the log differ.")


def _check_assignment(match_id: str, fold: Fold, entry: StoredEvent, seed: bytes) -> None:
    """The draws that gave several wishers of a seat their places."""
    body = body_of(entry)
    assert isinstance(body, SeatsAssigned)
    seated = {player.id for player in fold.holders.values()}
    free = [seat for seat in fold.seats if seat not in fold.holders]
    waiting = with_wish([j for j in fold.joined if j.player.id not in seated], body.player, body.wish)
    if len(waiting) != len(free):
        raise _Wrong(entry.version, "As many players as there are free seats are assigned.")
    _, draws = assign(free, waiting, draw_from(entropy(match_id, seed, entry.version)))
    if draws != (entry.draws or []):
        raise _Wrong(entry.version, "The seed gives other draws.")
