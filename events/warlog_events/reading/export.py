"""A match as a record (`schema.Record`): for everybody once it is over, before that for who may know all of it.

`events` are the actions (with edits and option changes), each with the version from which it was played. `log`
are all other entries of the stream as they are stored: with both, anybody can make the chain again.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from ..errors import Hidden, WrongStatus
from ..match.bots import Commitments
from ..match.match import Match, rfc3339
from ..match.model import (
    ActionTaken,
    Body,
    MatchStarted,
    OptionsChanged,
    PositionEdited,
    Reader,
)
from ..match.stored import StoredEvent
from ..match.timeline import Timeline
from ..match.upcast import body_of
from .pages import Pages
from .replayed import EventWithState

Json = dict[str, Any]
PAGE_EVENTS = 500
HIDDEN = (
    "The record of this match can be had when the match is over. While it runs, only a player who holds every seat of "
    "a casual match can have it, unless the match was created with an open record."
)
ABORTED = "This match was aborted, and what its players did in it stays hidden."


async def export_match(
    pages: Pages, match: Match, whole: Match, reader: Reader, *, for_archive: bool = False
) -> Json:
    """`whole`: the match, with a timeline that has forgotten nothing. Of a match that was over and was taken back,
    who may not know all gets the events up to that end: those have been shown.

    for_archive  everything, also of a match that was aborted while its seats set up, which discloses nothing"""
    everything = match.is_over or for_archive
    until = match.version if everything else check_export(match, reader)
    export = _Export(match, whole.timeline, until)
    for after in range(0, until, PAGE_EVENTS):
        limit = min(PAGE_EVENTS, until - after)
        if everything:
            for stored in await pages.stored(match, after, limit):
                export.add_whole(stored, body_of(stored))
        else:
            for event in await pages.each(match, after, limit, lambda _, event: export.shown(event)):
                export.add_shown(event)
    export.say_head()
    if everything:
        secrets = await pages.store.secrets(match.id)
        export.record["seeds"] = [secrets[name] for name in export.seeds]
        if export.bots:
            export.record["bots"] = export.bots.recorded(secrets)
        export.record["log"] = export.log
    return export.record


def check_export(match: Match, reader: Reader) -> int:
    """The version up to which this reader may have the record. Raises WrongStatus, Hidden."""
    if not match.fold.started_version:
        raise WrongStatus("A match has no record before its start.", version=match.version)
    until = match.version if match.is_over or match.knows_all(reader) else match.timeline.over_until
    if not until:
        raise Hidden(ABORTED if match.status == "aborted" else HIDDEN, version=match.version)
    return until


def lobby_record(match: Match, events: list[StoredEvent], secrets: Mapping[str, str]) -> Json:
    """Of a match that was aborted in its lobby: nothing but the log. For the archive; no route gives it."""
    names = [name for _, name in match.timeline.seeds]
    bots = Commitments()
    for stored in events:
        bots.add(stored.version, stored.seat, body_of(stored))
    of_bots = {"bots": bots.recorded(secrets)} if bots else {}
    return {
        "warlog_record": 1,
        "match": match.id,
        "game": match.fold.game,
        "rules_version": match.fold.rules_version,
        "seed_commitments": names,
        "seeds": [secrets[name] for name in names],
        "log": [_log_entry(stored) for stored in events],
    } | of_bots


def _log_entry(stored: StoredEvent) -> Json:
    return {
        "version": stored.version,
        "type": stored.type,
        "seat": stored.seat,
        "by": stored.by,
        "at": rfc3339(stored.at),
        "body": msgspec.json.decode(stored.body),
        "draws": stored.draws,
        "hash": stored.hash,
        "chain": stored.chain,
    }


class _Export:
    """until: the last version that is in it. Who gets the record may know all of it."""

    def __init__(self, match: Match, line: Timeline, until: int) -> None:
        self._match = match
        self._line = line
        self._until = until
        self.seeds = [name for version, name in line.seeds if version <= until]
        self.log: list[Json] = []
        self.bots = Commitments()
        self._events: list[Json] = []
        fold = match.fold
        self.record: Json = {
            "warlog_record": 1,
            "match": match.id,
            "game": fold.game,
            "rules_version": fold.rules_version,
            "seats": list(fold.seats),
            "options": {**line.bases[0].options, **fold.filled},
        }
        if fold.position is not None:
            self.record["position"] = fold.position
        self.record["seed_commitments"] = self.seeds
        self.record["setup"] = {}
        self.record["events"] = self._events
        if fold.result is not None:
            self.record["result"] = msgspec.to_builtins(fold.result)

    def add_whole(self, stored: StoredEvent, body: Body) -> None:
        """Everything of it."""
        self.bots.add(stored.version, stored.seat, body)
        match body:
            case ActionTaken():
                event = self._event(stored)
                event.update(by=stored.by, action=body.action, draws=stored.draws or [])
                self._checks(event, stored)
                if body.ending is not None:
                    event["ending"] = msgspec.to_builtins(body.ending)
                if body.search is not None:
                    event["search"] = msgspec.to_builtins(body.search)
                self._events.append(event)
                return
            case MatchStarted():
                setup: Json = {"version": stored.version, "draws": stored.draws or [], "hash": stored.hash}
                self._seed(setup, stored.version)
                self.record["setup"] = setup
            case PositionEdited():
                event = {**self._event(stored), "position": body.position, "draws": stored.draws or []}
                self._checks(event, stored)
                self._events.append(event)
            case OptionsChanged() if stored.version > self._match.fold.started_version:
                options = {**body.options, **self._match.fold.filled}
                event = {**self._event(stored), "options": options, "draws": []}
                self._checks(event, stored)
                self._events.append(event)
        self.log.append(_log_entry(stored))

    def add_shown(self, event: Json | None) -> None:
        if event is None:
            return
        if "parent" in event:
            self._events.append(event)
        else:
            self.record["setup"] = event

    def shown(self, replayed: EventWithState) -> Json | None:
        """The event without seeds, hashes and chain; None for what is no part of a record."""
        stored, resolved = replayed.stored, replayed.resolved
        match replayed.body:
            case ActionTaken() | PositionEdited() | MatchStarted():
                assert resolved is not None
                started = isinstance(replayed.body, MatchStarted)
                event: Json = {"version": stored.version} if started else self._event(stored)
                if isinstance(replayed.body, ActionTaken):
                    event["action"] = resolved.action
                if isinstance(replayed.body, PositionEdited):
                    event["position"] = replayed.body.position
                event["draws"] = resolved.draws
                return event
            case OptionsChanged(options=options) if stored.version > self._match.fold.started_version:
                return {**self._event(stored), "options": {**options, **self._match.fold.filled}, "draws": []}
        return None

    def say_head(self) -> None:
        """Where the match stands, if that is not after the last of its events."""
        head = self._line.recorded(self._until)
        if head != (self._events[-1] if self._events else self.record["setup"])["version"]:
            self.record["head"] = head

    def _event(self, stored: StoredEvent) -> Json:
        parent = self._line.parent(stored.version)
        event: Json = {
            "version": stored.version,
            "parent": self._line.recorded(parent or 0),
        }
        if stored.type != "action_taken":
            event["type"] = stored.type
        if stored.seat:
            event["seat"] = stored.seat
        event["at"] = rfc3339(stored.at)
        return event

    def _checks(self, event: Json, stored: StoredEvent) -> None:
        event["hash"] = stored.hash
        event["chain"] = stored.chain
        self._seed(event, stored.version)

    def _seed(self, entry: Json, version: int) -> None:
        """Which of the seeds made its draws: the first, if nothing is said; null for what came with an import."""
        if version <= self._match.fold.imported_until:
            entry["seed"] = None
        elif index := self.seeds.index(self._line.seed_of(version)):
            entry["seed"] = index
