"""What must hold after every run, whatever has happened: of each match, each client, the ledger, the read models."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec

from tests.simulate.clients import FROZEN
from tests.simulate.history import Command
from tests.simulate.redis_process import EPOCH_US
from tests.simulate.worker import BUCKETS, Worker
from warlog_events.match.stored import StoredEvent, follows
from warlog_events.match.verify import verify_record
from warlog_events.redis import keys
from warlog_events.redis.store import _stored_event
from warlog_events.workers.bookkeeper import ORPHAN_MS

if TYPE_CHECKING:
    from tests.simulate.run import Run

Streams = Mapping[str, list[StoredEvent]]
Findings = Iterator[str]

LATE_MS = 3_000  # so late a deadline may be dealt with when nothing is wrong
SERVER = "server"


async def all_of(run: Run) -> list[str]:
    """Every finding, a sentence each."""
    auditor = await _auditor(run)
    streams = _streams(run)
    found = [*chain.from_iterable(check(run, streams) for check in CHECKS), *_read_models_are_up(run)]
    found += await _records(run, streams, auditor)
    found += await _rebuilt(run, auditor)
    return found


def _streams(run: Run) -> dict[str, list[StoredEvent]]:
    call = run.redis.control.call
    found = {}
    for bucket in range(BUCKETS):
        for name in sorted(call("SMEMBERS", keys.matches(bucket))):
            match = name.decode()
            found[match] = [_stored_event(entry) for entry in call("XRANGE", keys.events(match), "-", "+")]
    return found


def _ms(at: float) -> float:
    return EPOCH_US / 1000 + at * 1000


class _Lost:
    """What durability allows to be lost: what was appended in the last moments before a crash."""

    def __init__(self, run: Run) -> None:
        self.losses = run.faults.losses
        self._appended = run.history.appended

    def may_be(self, match: str, version: int, seen: float) -> bool:
        """May this version, of which somebody was told then, be another one now, or none?"""
        times = [at for at in self._appended.get((match, version), ()) if at <= seen]
        return bool(times) and self.at(times[-1])

    def at(self, appended: float) -> bool:
        return any(loss.reached < appended <= loss.at for loss in self.losses)

    def something_of(self, match: str) -> bool:
        return any(
            self.at(appended)
            for (one, _), times in self._appended.items()
            if one == match
            for appended in times
        )


def chained(run: Run, streams: Streams) -> Findings:
    """Versions without gaps, each chained to the one before it."""
    for match, events in streams.items():
        before = ""
        for number, event in enumerate(events, 1):
            if event.version != number:
                yield f"{match}: version {event.version} stands in the place of {number}"
                return
            if not follows(before, event):
                yield f"{match}: version {number} is not chained to the one before it"
            before = event.chain


def acknowledged(run: Run, streams: Streams) -> Findings:
    """What a player was told is done, is there: as he was told, and by him."""
    lost = _Lost(run)
    for command in run.history.commands:
        if command.outcome != "done" or _is_seat(command):
            continue
        if lost.may_be(command.match, command.version, command.ended):
            continue
        told = [_lasting(answer) for answer in command.answers]
        if any(one != told[0] for one in told):
            yield f"{_named(run, command)} was answered in two ways: {told}"
        events = streams.get(command.match, [])
        if command.version > len(events):
            yield f"{_named(run, command)} was told to be version {command.version}; there are {len(events)}"
            continue
        event = events[command.version - 1]
        if (event.type, event.by) != (told[0]["type"], command.player):
            yield (
                f"{_named(run, command)} was told to be version {command.version}, a {told[0]['type']}; that is a "
                f"{event.type} by {run.history.players.get(event.by, event.by)}"
            )


def exactly_once(run: Run, streams: Streams) -> Findings:
    """Every event of a player is one command of his, and no two are the same command."""
    lost = _Lost(run)
    done: dict[tuple[str, int], Command] = {}
    open_: list[Command] = []
    for command in run.history.commands:
        may_be_lost = lost.may_be(command.match, command.version, command.ended)
        if command.outcome == "done" and not _is_seat(command) and not may_be_lost:
            at = (command.match, command.version)
            if at in done:
                yield f"{_named(run, command)} and {_named(run, done[at])} are both version {at[1]}"
            done[at] = command
        else:
            open_.append(command)
    for match, events in streams.items():
        for event in events:
            if event.by not in run.history.players or event.version == 1 or (match, event.version) in done:
                continue
            appended = run.history.appended.get((match, event.version), [0.0])[-1]
            explained = next((one for one in open_ if _may_be(one, match, event, appended)), None)
            if explained is None:
                yield (
                    f"{match}: version {event.version}, {event.type} by {run.history.players[event.by]} at "
                    f"{appended:.4f}, is no command of his, or one that has been done already"
                )
            else:
                open_.remove(explained)


def _may_be(command: Command, match: str, event: StoredEvent, appended: float) -> bool:
    """May this event be what came of a command of which nobody knows whether it was done?"""
    if (command.player, command.match) != (event.by, match) or command.began > appended:
        return False
    if _is_seat(command) != (event.type == "seat_taken"):
        return False
    # A late copy of it may still be done after it was refused.
    return command.outcome != "refused" or appended > command.ended


def in_real_order(run: Run, streams: Streams) -> Findings:
    """Whoever had his answer before another one began has the earlier version."""
    lost = _Lost(run)
    by_match: dict[str, list[Command]] = {}
    for command in run.history.commands:
        if command.outcome == "done" and not lost.may_be(command.match, command.version, command.ended):
            by_match.setdefault(command.match, []).append(command)
    for commands in by_match.values():
        for one in commands:
            for other in commands:
                if one.ended < other.began and one.version > other.version:
                    yield f"{_named(run, one)} ended before {_named(run, other)} began, and has a later version"


def feeds(run: Run, streams: Streams) -> Findings:
    """Each reading is without gaps and tells what is stored; all readings of one reader agree; all come to the end."""
    lost = _Lost(run)
    read: dict[tuple[str, str, tuple[str, ...], int], Any] = {}
    newest: Counter[tuple[str, str]] = Counter()
    seen: dict[tuple[str, str, tuple[str, ...], int], float] = {}  # when a reader was last told of a version
    for reading in run.history.readings:
        due = reading.after + 1
        events = streams.get(reading.match, [])
        for version, kind, data, at in reading.events:
            # He may come back from versions that are lost, even when others stand in their places by now.
            then = seen.get((reading.reader, reading.match, reading.seats, due - 1), reading.began)
            if version != due and not lost.may_be(reading.match, due - 1, then):
                yield f"{reading.reader}'s feed of {reading.match}: {version} came where {due} was due"
            due = version + 1
            seen[reading.reader, reading.match, reading.seats, version] = at
            newest[reading.reader, reading.match] = max(newest[reading.reader, reading.match], version)
            if lost.may_be(reading.match, version, at):
                continue
            stored = events[version - 1] if version <= len(events) else None
            if stored is None or (stored.type, stored.seat) != (kind, data.get("seat") or ""):
                yield (
                    f"{reading.reader}'s feed of {reading.match} told at {at:.4f} of version {version}, {kind} of "
                    f"{data.get('seat')}; stored is {'nothing' if stored is None else stored.type}"
                )
                continue
            told = _lasting_of(data)
            before = read.setdefault((reading.reader, reading.match, reading.seats, version), told)
            if before != told:
                yield f"{reading.reader} reads version {version} of {reading.match} in two ways: {before} {told}"
    sent_away = {(one.reader, one.match) for one in run.history.readings if one.closing == FROZEN}
    for (reader, match), version in newest.items():
        # He does not come back where he was told that it is frozen; that it is may be lost, too.
        gone = (reader, match) in sent_away and lost.something_of(match)
        if version < len(streams.get(match, [])) and not _is_frozen(run, match) and not gone:
            yield f"{reader}'s feed of {match} never came beyond {version} of {len(streams[match])}"


def deadlines(run: Run, streams: Streams) -> Findings:
    """Each fires once, not before its time, and nobody acts after it; none is left over."""
    if not run.faults.losses:
        for (match, version, seat), deadline in run.history.deadlines.items():
            events = streams.get(match, [])
            if version >= len(events):
                continue
            after = events[version]
            appended = run.history.appended.get((match, after.version), [0.0])[-1]
            if after.type != "action_taken" or seat != (_timed_out(after) or after.seat):
                continue
            if after.by == SERVER and _ms(appended) < deadline:
                yield f"{match}: {seat} was timed out {deadline - _ms(appended):.0f} ms before its deadline"
            if after.by != SERVER and _ms(appended) > deadline + 1:
                yield f"{match}: {seat} acted {_ms(appended) - deadline:.0f} ms after its deadline"
    for bucket in range(BUCKETS):
        late = _ms(run.now) - LATE_MS
        for name in run.redis.control.call("ZRANGEBYSCORE", keys.deadlines(bucket), "-inf", int(late)):
            if not _is_frozen(run, name.decode().split()[0]):
                yield f"the deadline of {name.decode()} has passed, and nothing has happened"


def ledger(run: Run, streams: Streams) -> Findings:
    """Double entry: all accounts are what the journal says, all together add up to nothing; each match is settled once;
    nothing is set aside for what is over."""
    call = run.redis.control.call
    expected: Counter[str] = Counter()
    settled: Counter[str] = Counter()
    for _, flat in call("XRANGE", keys.ledger("journal"), "-", "+"):
        entry = dict(zip(flat[::2], flat[1::2], strict=True))
        postings = json.loads(entry[b"postings"])
        if sum(amount for _, amount in postings):
            yield f"a transfer does not add up to nothing: {postings}"
        for account, amount in postings:
            expected[account] += amount
        if entry[b"kind"] == b"settle":
            settled[entry[b"match"].decode()] += 1
    for match, times in settled.items():
        if times > 1:
            yield f"{match} was settled {times} times"
    all_over = all(_is_over(events) and not _is_frozen(run, match) for match, events in streams.items())
    prefix = keys.ledger("account:")
    actual: Counter[str] = Counter()
    for key in sorted(call("KEYS", prefix + "*")):
        flat = call("HGETALL", key)
        account = dict(zip(flat[::2], flat[1::2], strict=True))
        name = key.decode().removeprefix(prefix)
        actual[name] += int(account.get(b"gold", 0))
        actual[f"{name} held"] += int(account.get(b"held", 0))
    for name in sorted(expected.keys() | actual.keys()):
        if expected[name] != actual[name]:
            yield f"{name} has {actual[name]}, and by the journal {expected[name]}"
        if name.endswith(" held") and actual[name] and all_over:
            yield f"{name}: {actual[name]} is still set aside when all matches are over"
    if sum(actual.values()):
        yield f"all gold adds up to {sum(actual.values())}"
    for match, events in streams.items():
        if b'"mode":"competitive"' in events[0].body and _has_result(events) and not settled[match]:
            yield f"{match} is over and has not been settled"


def pairings(run: Run, streams: Streams) -> Findings:
    """Who is paired is seated in one match, with others; who was told of a match is in it."""
    if run.faults.losses:
        return
    seated: dict[str, set[str]] = {}
    for waiting in run.history.pairings:
        if len(waiting.matches) > 1:
            yield f"an entry of {run.history.players[waiting.player]} became {sorted(waiting.matches)}"
        for match in waiting.matches:
            if match not in streams:
                yield f"{run.history.players[waiting.player]} was paired in {match}, which does not exist"
                continue
            seated.setdefault(match, set()).add(waiting.player)
            if waiting.player.encode() not in streams[match][0].body:
                yield f"{run.history.players[waiting.player]} has no seat in {match}"
    for match, players in seated.items():
        if len(players) != 2:
            yield f"{match} was made by pairing for {len(players)} of two players"


def created_once(run: Run, streams: Streams) -> Findings:
    """A creation under one key makes one match; there is none that nobody was told of."""
    known = {match for matches in run.history.created.values() for match in matches}
    known |= {match for waiting in run.history.pairings for match in waiting.matches}
    if run.faults.losses:
        return
    for key, matches in run.history.created.items():
        if len(matches) > 1:
            yield f"one creation ({key[:10]}) made {sorted(matches)}"
    for match in streams.keys() - known:
        yield f"{match} was made, and nobody was told of it"
    for match in known - streams.keys():
        yield f"{match} was told to be made, and does not exist"


def over(run: Run, streams: Streams) -> Findings:
    """No match is left in the midst of things, and none is frozen of which nothing was lost."""
    lost = _Lost(run)
    for match, events in streams.items():
        frozen = _is_frozen(run, match)
        if frozen and not lost.something_of(match):
            yield f"{match} is frozen, and nothing of it was lost"
        # Of what was lost the players may have seen the end, and then nobody is there any more.
        gone = match in run.history.given_up or lost.something_of(match)
        if match in run.history.matches and not (_is_over(events) or frozen or gone):
            yield f"{match} is not over"


CHECKS: list[Callable[[Run, Streams], Findings]] = [
    chained, acknowledged, exactly_once, in_real_order, feeds, deadlines, ledger, pairings, created_once, over,
]  # fmt: skip


def _timed_out(event: StoredEvent) -> str:
    """The seat whose time was over; "" where it is another event."""
    action = json.loads(event.body)["action"] if event.by == SERVER else {}
    return str(action["seat"]) if action.get("type") == "timeout" else ""


def _is_over(events: list[StoredEvent]) -> bool:
    return _has_result(events) or events[-1].type == "match_aborted"


def _has_result(events: list[StoredEvent]) -> bool:
    return any(b'"result":{' in event.body for event in events)


def _is_frozen(run: Run, match: str) -> bool:
    return bool(run.redis.control.call("HEXISTS", keys.match_state(match), "frozen"))


def _is_seat(command: Command) -> bool:
    return "type" not in command.body


def _named(run: Run, command: Command) -> str:
    return f"{run.history.players[command.player]}'s command {command.key[:14]} in {command.match}"


def _lasting(answer: bytes) -> Any:
    return _lasting_of(json.loads(answer))


def _lasting_of(event: Mapping[str, Any]) -> dict[str, Any]:
    """The event without the fields that differ between an answer and a later reading."""
    return {name: value for name, value in event.items() if name not in ("now", "deadlines", "to_act")}


# ---- with the service's own code, in a process that has seen nothing of it all


async def _auditor(run: Run) -> Worker:
    for worker in run.workers:
        try:
            async with asyncio.timeout(20):
                await worker.stop()
        except TimeoutError:
            run.unforeseen.append(f"{worker.name} does not stop")
        worker.process.kill()
    settings = msgspec.structs.replace(run.workers[0].settings, background=False)
    auditor = Worker(run.loop, run.network, settings, str(run.seed), "auditor")
    auditor.start()
    run.workers.append(auditor)
    while auditor.backend is None:
        await asyncio.sleep(1.0)
    # A minute later nothing is held any more for commands that have died.
    auditor.machine.ahead_s += ORPHAN_MS / 1000
    await auditor.run(auditor.backend.bookkeeper.sweep())
    return auditor


async def _records(run: Run, streams: Streams, auditor: Worker) -> list[str]:
    """`verify` accepts what has ended."""
    found = []
    run.reader._at = len(run.workers) - 1
    for match, events in streams.items():
        if not _has_result(events):
            continue
        players = run.history.matches.get(match)
        run.reader.token = run.history.tokens[players[0]] if players else None
        answer = await run.reader.insist("GET", f"/matches/{match}/export")
        if answer.status != 200:
            found.append(f"{match} is over and cannot be exported: {answer.body.decode()}")
            continue
        verdict = verify_record(answer.json)
        if verdict.status != "verified":
            found.append(f"{match} is not verified: version {verdict.version}, {verdict.detail}")
    return found


def _read_models_are_up(run: Run) -> Findings:
    """The lists have come as far as the activity."""
    call = run.redis.control.call
    for bucket in range(BUCKETS):
        newest = call("XREVRANGE", keys.activity(bucket), "+", "-", "COUNT", 1)
        reached = int(newest[0][0].split(b"-")[0]) if newest else 0
        projected = int(call("HGET", keys.lobby("checkpoint"), bucket) or 0)
        if projected != reached:
            yield f"the lobby has read {projected} of {reached} entries of bucket {bucket}"


async def _rebuilt(run: Run, auditor: Worker) -> list[str]:
    """What was projected as it happened is what a rebuild makes."""

    async def rebuild() -> None:
        backend = auditor.backend
        await backend.projector.rebuild()
        await backend.settler.rebuild()
        await backend.settler.catch_up()

    before = _dump(run)
    await auditor.run(rebuild())
    after = _dump(run)
    return [
        f"{name} was {before.get(name)}, and a rebuild makes {after.get(name)}"
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]


NOT_REBUILT = ("log", "gone", "news", "state")


def _dump(run: Run) -> dict[str, Any]:
    call = run.redis.control.call
    found = {}
    reads = {b"hash": ("HGETALL",), b"zset": ("ZRANGE", "0", "-1", "WITHSCORES"), b"set": ("SMEMBERS",),
             b"string": ("GET",), b"list": ("LRANGE", "0", "-1")}  # fmt: skip
    for pattern in (keys.lobby("*"), keys.standing("*")):
        for key in call("KEYS", pattern):
            name = key.decode()
            kind = call("TYPE", key)
            if name in (keys.standing(one) for one in NOT_REBUILT) or kind not in reads:
                continue
            command, *rest = reads[kind]
            value = call(command, key, *rest)
            if kind == b"hash":
                value = sorted(zip(value[::2], value[1::2], strict=True))
                if name == keys.lobby("index"):  # each after the version with which it was last sent
                    value = [(match, entry.partition(b" ")[2]) for match, entry in value]
            elif kind == b"set":
                value = sorted(value)
            found[name] = value
    return found
