"""Records (`schema.Record`): a match as one JSON document, read, walked through and written.

A record needs little: the game, the options, the setup's draws, and a list of actions with their draws. What
more is there (versions and parents, hashes, seeds, chain) is checked, never believed.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

import warlog_core
from warlog_core import Draws, Event, Game, State
from warlog_core.explain import of_form, printable

from ..errors import MalformedBody, Refused, UnknownGame, explained, named, refused
from . import policy
from .draft import Draft
from .model import (
    ActionTaken,
    MatchStarted,
    OptionsChanged,
    Player,
    PositionEdited,
    Result,
    Search,
)

HISTORY_CHARACTERS_MAX = 1_000_000  # some 5,000 half-turns of wec, each a few milliseconds to read
ACTION, EDIT, OPTIONS = "action_taken", "position_edited", "options_changed"


Version = Annotated[int, Meta(description="the number of the event in the match of the record")]
Drawn = Annotated[list[int], Meta(description="the numbers that were drawn, in order")]
StateHash = Annotated[str, Meta(description="hash of the state after it, in hex; it is checked")]
Chain = Annotated[str, Meta(description="hash over the previous chain and this event, in hex; it is checked")]
SeedIndex = Annotated[
    int | None, Meta(description="index of its seed in `seeds`; null: its draws came from elsewhere")
]
At = Annotated[
    str, Meta(description="when it happened (RFC 3339, UTC)", extra_json_schema={"format": "date-time"})
]
By = Annotated[str, Meta(description="id of the player, or `server`")]


class RecordSetup(Struct, frozen=True):
    """The start of the match of a record."""

    version: Version = 1
    draws: Drawn = []
    hash: StateHash | None = None
    seed: SeedIndex = 0


class RecordBot(Struct, frozen=True):
    """The commitment of a house bot to a seed, which is shown after the end."""

    seat: Annotated[str, Meta(description="the seat that it held")]
    level: Annotated[int, Meta(description="1 to 8")]
    version: Annotated[int, Meta(description="the version from which on the seed was in force")]
    seed_hash: Annotated[str, Meta(description="`sha256:` and the SHA-256 of the seed, in hex")]
    seed: Annotated[str, Meta(description="the seed, in hex")]


class RecordEvent(Struct, frozen=True, kw_only=True):
    """One action (or edit, or option change in play) of a record."""

    version: Annotated[int | None, Meta(description="null or absent: the next")] = None
    parent: Annotated[
        int | None, Meta(description="version after which it was played; null or absent: the one before")
    ] = None
    type: Annotated[str, Meta(description="`action_taken`, `position_edited` or `options_changed`")] = ACTION
    seat: Annotated[str, Meta(description="who acted")] = ""
    action: Annotated[
        object, Meta(description="the action", extra_json_schema={"x-component": "GameAction"})
    ] = UNSET
    position: (
        Annotated[
            dict[str, object],
            Meta(
                description="`position_edited`: where play goes on",
                extra_json_schema={"x-component": "GamePosition"},
            ),
        ]
        | UnsetType
    ) = UNSET
    options: (
        Annotated[
            dict[str, object],
            Meta(
                description="`options_changed`: the options from now on",
                extra_json_schema={"x-component": "GameOptions"},
            ),
        ]
        | UnsetType
    ) = UNSET
    draws: Drawn = []
    at: At | None = None
    by: By | None = None
    hash: StateHash | None = None
    chain: Chain | None = None
    seed: SeedIndex = 0
    ending: Annotated[
        dict[str, object] | None,
        Meta(
            description="of the event that ended the match: `result`, `seeds` and `settlement`",
            extra_json_schema={"additionalProperties": True},
        ),
    ] = None
    search: Annotated[Search | None, Meta(description="of a house bot: how it found the action")] = None


class LogEntry(Struct, frozen=True):
    """A stored event that is no action, as it stands in the stream, for checking the chain."""

    version: Version
    type: Annotated[str, Meta(description="type of the event")]
    at: At
    by: By
    body: Annotated[
        dict[str, object],
        Meta(description="the event as it is stored", extra_json_schema={"additionalProperties": True}),
    ]
    chain: Chain
    seat: Annotated[str, Meta(description="the seat that it concerns; empty: none")] = ""
    draws: Drawn | None = None
    hash: StateHash = ""


class Record(Struct, frozen=True):
    """What of a record is read; other fields are let be."""

    game: Annotated[str, Meta(description="name of the game")]
    warlog_record: Annotated[int, Meta(description="version of the form of records: 1")] = 1
    match: Annotated[str, Meta(max_length=200, description="id of the match that it is of")] = ""
    rules_version: Annotated[
        int | None, Meta(description="version of the rules; null or absent: the newest")
    ] = None
    seats: Annotated[list[str] | None, Meta(description="in seat order")] = None
    options: Annotated[
        dict[str, object],
        Meta(description="the options at the start", extra_json_schema={"x-component": "GameOptions"}),
    ] = {}
    position: Annotated[
        Annotated[dict[str, object], Meta(extra_json_schema={"x-component": "GamePosition"})] | None,
        Meta(description="where the match began; null or absent: the game's own setup"),
    ] = None
    seed_commitments: Annotated[
        list[str], Meta(description="of each seed: `sha256:` and its SHA-256, in hex")
    ] = []
    seeds: Annotated[
        list[str] | None, Meta(description="when the match is over: the secret seeds, in hex")
    ] = None
    setup: RecordSetup = RecordSetup()
    events: Annotated[list[RecordEvent], Meta(description="all actions of all lines")] = []
    head: Annotated[
        int | None, Meta(description="version after which it goes on; null or absent: the last")
    ] = None
    result: Annotated[Result | None, Meta(description="null or absent: it is not over")] = None
    log: Annotated[
        list[LogEntry] | None, Meta(description="all other events, with which the chain can be checked")
    ] = None
    bots: Annotated[
        list[RecordBot], Meta(description="the house bots that held seats, with their seeds")
    ] = []


# msgspec reads the type hints of a Struct at its first use, and the process crashes if two threads do that at the same
# time. Records are read in threads, too, so this is done here.
msgspec.json.Decoder(Record)


class Walked(Struct, frozen=True):
    """One step through a record.

    event    None for the start
    version  the record's
    parent   the record's version from which this was played; None for the start
    state    after it
    resolved     what the rules made of it; None for an option change
    """

    event: RecordEvent | None
    version: int
    parent: int | None
    state: State
    resolved: Event | None


def parse_record(raw: Mapping[str, object], *, pointer: str | None = "") -> Record:
    """Raises MalformedBody for what is no record of a form that this reads. `pointer`: where it stands in the request
    (JSON Pointer; None: not in it)."""
    try:
        record = msgspec.convert(raw, Record)
    except msgspec.ValidationError as error:
        why = of_form(dict(raw), Record, "The record")
        if why is None:
            raise MalformedBody("This is no record of a match.") from error
        why = printable(why)
        raise MalformedBody(
            why.detail, path="" if pointer is None else pointer + why.path, extra=why.members
        ) from error
    if record.warlog_record != 1:
        path = "" if pointer is None else f"{pointer}/warlog_record"
        raise MalformedBody("The record has a form that this server does not read.", path=path)
    if "history" in raw and "events" not in raw:
        return _from_history(record, raw["history"], pointer)
    return record


def _from_history(record: Record, history: object, pointer: str | None) -> Record:
    """The record that a history in the game's own notation stands for.

    Raises MalformedBody, UnknownGame, Refused with the rule book's code for what does not fit."""
    try:
        game = warlog_core.game(record.game, record.rules_version)
    except warlog_core.UnknownGame as error:
        raise UnknownGame(f"There is no game {named(str(error))}.") from error
    if game.notation is None:
        raise MalformedBody(f"A history of {record.game} does not say all that a record needs.")
    if not isinstance(history, str) or len(history) > HISTORY_CHARACTERS_MAX:
        path = "" if pointer is None else f"{pointer}/history"
        raise MalformedBody(f"A history is a text of at most {HISTORY_CHARACTERS_MAX} characters.", path=path)
    try:
        first, *later = game.notation.read(game, history)
    except warlog_core.Refused as error:
        raise refused(error, pointer=pointer) from error
    events: list[RecordEvent] = []
    for section in (first, *later):
        if section is not first and section.options is not None:
            events.append(RecordEvent(type=OPTIONS, options=section.options))
        if section is not first and section.position is not None:
            events.append(RecordEvent(type=EDIT, position=section.position))
        events += [RecordEvent(seat=actor, action=dict(action)) for actor, action in section.steps]
    return Record(
        game.name,
        rules_version=game.rules_version,
        options=first.options or {},
        position=first.position,
        events=events,
    )


def with_history_read(raw: Mapping[str, object]) -> dict[str, object]:
    """A record in whose place a history may stand, as a record: reading a history takes long and is done once."""
    if "history" not in raw or "events" in raw:
        return dict(raw)
    record = parse_record(raw)
    return {
        "game": record.game,
        "rules_version": record.rules_version,
        "options": record.options,
        "position": record.position,
        "events": [_event_read(event) for event in record.events],
    }


def _event_read(event: RecordEvent) -> dict[str, object]:
    """What a history says of an event."""
    if event.type == OPTIONS:
        return {"type": OPTIONS, "options": event.options}
    if event.type == EDIT:
        return {"type": EDIT, "position": event.position}
    return {"seat": event.seat, "action": event.action}


def bad_record(version: int, detail: str, code: str = "bad_record") -> Refused:
    """The record is refused at its version `version`."""
    return Refused(code, f"Record version {version}: {detail}", extra={"record_version": version})


def _bad_step(
    code: str, version: int, why: warlog_core.Explanation | None, pointer: str, otherwise: str
) -> Refused:
    """Likewise for what the rules refuse, which stands at `pointer` in the record."""
    refusal = explained(code, why, pointer=pointer, extra={"record_version": version})
    refusal.detail = f"Record version {version}: {refusal.detail or otherwise}"
    return refusal


def numbered(record: Record) -> list[tuple[int, int, RecordEvent]]:
    """(version, parent, event) of every event, with what was left out filled in. Raises Refused (bad_record)."""
    last = record.setup.version
    known = {last}
    found = []
    for event in record.events:
        version = last + 1 if event.version is None else event.version
        parent = last if event.parent is None else event.parent
        if version <= last:
            raise bad_record(version, "Its number must be greater than that of the version before it.")
        if parent not in known:
            raise bad_record(version, f"There is no version {parent} before it.")
        found.append((version, parent, event))
        known.add(version)
        last = version
    if record.head is not None and record.head not in known:
        raise bad_record(record.head, "The head is no version of the record.")
    return found


def walk(
    game: Game, record: Record, draws_of: Callable[[int, RecordEvent | None], Draws] | None = None
) -> Iterator[Walked]:
    """Plays the record from its start, event by event, checking hashes.

    `draws_of` (version, event; None for the start): where draws come from, instead of those recorded.
    Raises Refused: the rule book's code, or `bad_record` for draws and hashes that do not fit; both with the
    record's version."""
    setup, options = record.setup, record.options
    events = numbered(record)
    try:
        draws = setup.draws if draws_of is None else draws_of(setup.version, None)
        state = game.new(options=options, position=record.position, draws=draws)
    except warlog_core.Refused as error:
        raise _bad_step(error.code, setup.version, error.explanation, "", "The start is refused.") from error
    except (warlog_core.BadDraws, OverflowError) as error:
        raise bad_record(setup.version, "The draws of the start do not fit.") from error
    _check_hash(setup.version, setup.hash, state)
    yield Walked(None, setup.version, None, state, state.started)
    last = setup.version
    wanted = {parent for _, parent, _ in events} | {record.head}
    kept = {last: (state, options)}
    for index, (version, parent, event) in enumerate(events):
        state, options = kept[parent] if parent != last else (state, options)
        draws = event.draws if draws_of is None else draws_of(version, event)
        try:
            state, options, resolved = _apply(game, state, options, event, draws)
        except warlog_core.Refused as error:
            pointer = f"/events/{index}"
            why, otherwise = error.explanation, f"The rules refuse it (`{error.code}`)."
            if event.type == ACTION:
                pointer, why = f"{pointer}/action", state.explain(event.seat, event.action, error.code)
            raise _bad_step(error.code, version, why, pointer, otherwise) from error
        except (warlog_core.CoreError, OverflowError) as error:
            raise bad_record(version, f"It does not fit: {error}.") from error
        _check_hash(version, event.hash, state)
        yield Walked(event, version, parent, state, resolved)
        if version in wanted:
            kept[version] = (state, options)
        last = version


def _apply(
    game: Game, state: State, options: dict[str, object], event: RecordEvent, draws: Draws
) -> tuple[State, dict[str, object], Event | None]:
    if event.type == ACTION:
        if event.action is UNSET:
            raise warlog_core.BadDraws("the action is withheld")
        state, resolved = state.after(event.seat, event.action, draws)
        return state, options, resolved
    if event.type == EDIT and not isinstance(event.position, UnsetType):
        begun = policy.without_setup(game, options)
        state = game.new(options=begun, position=event.position, draws=draws)
        return state, options, state.started
    if event.type == OPTIONS and not isinstance(event.options, UnsetType):
        state = state.copy()
        state.reconfigure(event.options)
        return state, event.options, None
    raise warlog_core.BadDraws(f"{event.type} is no event of a record")


def _check_hash(version: int, recorded: str | None, state: State) -> None:
    if recorded is not None and recorded != state.hash:
        raise bad_record(version, "Replaying it leads to another state than the recorded one.")


def check_record(game: Game, record: Record) -> None:
    """Raises Refused unless the whole record can be replayed."""
    for _ in walk(game, record):
        pass


def replay_record(
    draft: Draft, raw: Mapping[str, object] | Record, player: Player, *, seat: str = ""
) -> dict[int, int]:
    """Writes the start and everything that follows on a match in the lobby; gives the record's version → the new one.

    Where the record leaves a line, a `time_travelled` is put in."""
    record = raw if isinstance(raw, Record) else parse_record(raw)
    first = draft.version
    last = record.setup.version
    count = 0
    for version, parent, _ in numbered(record):
        count += 1 if parent == last else 2
        last = version
    head = last if record.head is None else record.head
    until = first + count + (head != last)
    versions: dict[int, int] = {}
    states: dict[int, State] = {}
    wanted = {parent for _, parent, _ in numbered(record)} | {head}
    last = record.setup.version
    for step in walk(draft.game, record):
        event, resolved, state = step.event, step.resolved, step.state
        if event is None or step.parent is None:
            draws = [] if resolved is None else resolved.draws
            draft.write(MatchStarted({}, until), seat=seat, draws=draws, state=state, resolved=resolved)
        else:
            if step.parent != last:
                draft.travel(versions[step.parent], states[step.parent], player)
            _write(draft, event, step, player)
        last = step.version
        versions[last] = draft.match.version
        if last in wanted:
            states[last] = state
    if head != last:
        draft.travel(versions[head], states[head], player)
    return versions


def _write(draft: Draft, event: RecordEvent, step: Walked, player: Player) -> None:
    resolved, state = step.resolved, step.state
    if resolved is not None and resolved.action is not None:
        body = ActionTaken(resolved.action, draft.ending(state))
        draft.write(body, seat=event.seat, draws=resolved.draws, state=state, resolved=resolved)
    elif resolved is not None:
        assert not isinstance(event.position, UnsetType)
        policy.check_size({}, event.position, pointer=None)
        seed = draft.new_seed_if_published()
        edited = PositionEdited(event.position, player, None, seed, draft.new_bot_seeds())
        draft.write(edited, draws=resolved.draws, state=state, resolved=resolved)
    else:
        assert not isinstance(event.options, UnsetType)
        policy.check_size(event.options, None, pointer=None)
        draft.write(OptionsChanged(event.options, list(draft.match.seats), player), state=state)
