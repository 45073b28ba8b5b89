"""Bugs that are put into the service on purpose, each by its name: the simulation must find them.

A mutant is a patch, a method or a piece of a Lua script, that is there for as long as a context lasts. `within` is the
number of seeds in which it must be found, with these kinds of faults (none: any); `found_by` is a seed that is known to
find it. `shows` is what a finding must say where the patch takes away other things, too.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import msgspec

from warlog_core.event import Event, Visible
from warlog_events.appending import append_of
from warlog_events.errors import ClockSkew, IntegrityError, Repeated, TryAgain, WarlogError
from warlog_events.matches import Matches
from warlog_events.memory.cache import CachedMatch
from warlog_events.memory.integrity import Integrity
from warlog_events.memory.loading import Loader
from warlog_events.reading.replayed import EventWithState
from warlog_events.redis import connection, idempotency, keys, pipe, scripts, store
from warlog_events.redis.scripts import Script
from warlog_events.redis.store import Store
from warlog_events.workers.bookkeeper import Bookkeeper
from warlog_events.workers.projector import Projector

Patch = Callable[[], Iterator[None]]


class Mutant(msgspec.Struct, frozen=True):
    name: str
    says: str
    patch: Patch
    within: int
    kinds: Sequence[str] = ()
    found_by: int = 0
    shows: str = ""


@contextmanager
def applied(name: str) -> Iterator[None]:
    with contextmanager(MUTANTS[name].patch)():
        yield


@contextmanager
def _method(owner: Any, name: str, other: Any) -> Iterator[None]:
    before = getattr(owner, name)
    setattr(owner, name, other)
    try:
        yield
    finally:
        setattr(owner, name, before)


@contextmanager
def _python(owner: type, name: str, *changes: tuple[str, str]) -> Iterator[None]:
    """The method with other text in some places, each of which must be there once."""
    source = textwrap.dedent(inspect.getsource(getattr(owner, name)))
    made = dict(vars(sys.modules[owner.__module__]))
    exec(_changed(source, f"{owner.__name__}.{name}", changes), made)
    with _method(owner, name, made[name]):
        yield


def _changed(source: str, where: str, changes: Sequence[tuple[str, str]]) -> str:
    for old, new in changes:
        if source.count(old) != 1:
            raise ValueError(f"{where} does not have this once: {old}")
        source = source.replace(old, new)
    return source


@contextmanager
def _lua(name: str, *changes: tuple[str, str]) -> Iterator[None]:
    """The script with other text in some places, each of which must be there once."""
    before = scripts.script
    code = before(name)
    source = _changed(code.source, f"lua/{name}.lua", changes)
    other = Script(name, source, hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest())

    def script(asked: str) -> Script:
        return other if asked == name else before(asked)

    _forget_prepared()
    try:
        with ExitStack() as stack:
            for module in (scripts, pipe, connection):  # each has the name
                stack.enter_context(_method(module, "script", script))
            yield
    finally:
        _forget_prepared()


def _forget_prepared() -> None:
    for kept in vars(store).values():
        if hasattr(kept, "cache_clear"):
            kept.cache_clear()


# ---- the write path


def _answer_before_append() -> Iterator[None]:
    async def append(self: Matches, draft: Any, key: Any, acting: Any) -> None:
        async def later() -> None:
            try:
                await self.store.append(append_of(draft, key, acting))
            except (WarlogError, Repeated):
                self.cache.drop(draft.match_id)

        asyncio.get_running_loop().create_task(later())

    with _method(Matches, "_append", append):
        yield


def _append_without_chain() -> Iterator[None]:
    async def nothing(self: Integrity, pause: object = None) -> None:
        """In place of the look through all that is in memory."""

    # Each process also compares what it knows when Redis is back, and whenever it reads a match: with either of them,
    # no other chain is left to the append.
    with (
        _lua("append", ("if chain ~= expected_chain then", "if false then")),
        _method(Integrity, "_returned", lambda self, affected: None),
        _method(Integrity, "compare_all", nothing),
        _python(
            Loader,
            "refresh",
            (" or newest.chain != match.chain:", ":"),
            (
                'raise IntegrityError(f"event {match.version} is not in Redis as it was written")',
                "return cached",
            ),
        ),
    ):
        yield


def _append_without_version() -> Iterator[None]:
    with _lua(
        "append",
        ("if version ~= expected then", "if version > expected + 1 then"),
        ("if chain ~= expected_chain then", "if version == expected and chain ~= expected_chain then"),
        ("XADD', KEYS[1], whole(e[VERSION]) .. '-0'", "XADD', KEYS[1], whole(version + i) .. '-0'"),
    ):
        yield


def _idempotency_after_event() -> Iterator[None]:
    append = Store.append

    async def append_then_record(self: Store, a: Any) -> None:
        await append(self, a)
        if (kept := a.idempotency) is not None:
            field = idempotency.field_of(kept.player, kept.key)
            value = idempotency.value_of(kept, a.expected_version + len(a.events))
            name, _, _ = keys.accepted(a.match_id, kept.player, kept.key)
            await self._pipe.call("HSET", name, field, value, write=True)

    with (
        _lua("append", ("if KEYS[8] then\n  -- The younger", "if false then\n  -- The younger")),
        _method(Store, "append", append_then_record),
    ):
        yield


def _idempotency_not_looked_up() -> Iterator[None]:
    with _lua("append", ("if KEYS[8] then\n  local done", "if false then\n  local done")):
        yield


def _with_unclear(unclear: Callable[[Matches, Any], None]) -> Any:
    async def append(self: Matches, draft: Any, key: Any, acting: Any) -> None:
        try:
            await self.store.append(append_of(draft, key, acting))
        except ClockSkew:
            raise
        except (TryAgain, asyncio.CancelledError):
            unclear(self, draft)
            raise
        except IntegrityError as error:
            await self.integrity.freeze(draft.match_id, error)
            raise

    return append


def _feed_from_memory_after_unclear_append() -> Iterator[None]:
    def unclear(self: Matches, draft: Any) -> None:
        last = draft.written[-1]
        event = EventWithState(last.stored, last.body, last.resolved, draft.match.state)
        self.cache.drop(draft.match_id)
        self._hub.publish(draft.commit(), event)

    with _method(Matches, "_append", _with_unclear(unclear)):
        yield


def _feed_forgets_unclear_append() -> Iterator[None]:
    with _method(Matches, "_append", _with_unclear(lambda self, draft: self.cache.drop(draft.match_id))):
        yield


def _cache_kept_after_unconfirmed() -> Iterator[None]:
    def unclear(self: Matches, draft: Any) -> None:
        self.cache.put(CachedMatch(draft.commit(), draft.secrets))
        self._hub.catch_up(draft.match_id)

    with _method(Matches, "_append", _with_unclear(unclear)):
        yield


def _others_not_told() -> Iterator[None]:
    with _lua("append", ("if follower ~= writer then", "if false then")):
        yield


def _hidden_action_told() -> Iterator[None]:
    visible = Event.visible

    def whole(self: Event, viewer: str, disclosed: int) -> Visible:
        seen = visible(self, viewer, disclosed)
        return Visible(self.action, seen.draws, seen.effects)

    with _method(Event, "visible", whole):
        yield


# ---- time


def _deadline_not_compared() -> Iterator[None]:
    with _lua("append", ("if deadline and tonumber(deadline) < now then", "if false then")):
        yield


def _deadline_early() -> Iterator[None]:
    with _lua("append", ("if now < not_before then", "if false then")):
        yield


# ---- accounts, read models, pairing


def _gold_moved_twice() -> Iterator[None]:
    with _lua("settle", ("if redis.call('HEXISTS', prefix .. 'settled', match) == 1 then", "if false then")):
        yield


def _settlement_remembered() -> Iterator[None]:
    with _method(Bookkeeper, "_forget", lambda self: None):
        yield


def _hold_lost() -> Iterator[None]:
    with _lua("settle", ("post(player, 'gold', amount, player)", "local none = 0")):
        yield


def _checkpoint_before_projection() -> Iterator[None]:
    write = Projector._write

    async def checkpoint_first(self: Projector, bucket: int, before: int, after: int, rows: Any) -> bool:
        rows = list(rows)
        if not await write(self, bucket, before, after, ()):
            return False
        await self._pipe.call("PING")
        return await write(self, bucket, after, after, rows)

    with _method(Projector, "_write", checkpoint_first):
        yield


def _creation_key_forgotten() -> Iterator[None]:
    with _lua(
        "claim",
        ("if not seed then", "do"),
        ("if seed then\n  return {'known'", "if false then\n  return {'known'"),
    ):
        yield


_CUTS = ("cut after a batch", "cut before a batch", "answer cut", "killed", "delay")
_OVERLAPS = ("delay", "stands still", "killed")

MUTANTS = {
    mutant.name: mutant
    for mutant in (
        Mutant("answer_before_append", "a player is answered before Redis has the event",
               _answer_before_append, 20, found_by=1),
        Mutant("append_without_chain", "an append compares the version alone, and nobody else compares the chain",
               _append_without_chain, 200, ("Redis's machine crashes", "killed"), found_by=32,
               shows="is not chained"),
        Mutant("append_without_version", "an append takes the next version, whatever it was made for",
               _append_without_version, 20, found_by=1),
        Mutant("idempotency_after_event", "a command's record is written after its event, by a second call",
               _idempotency_after_event, 40, _CUTS, found_by=3),
        Mutant("idempotency_not_looked_up", "an append does not look for the record of the same command",
               _idempotency_not_looked_up, 20, found_by=4),
        Mutant("feed_from_memory_after_unclear_append", "feeds are given an event that may not be stored",
               _feed_from_memory_after_unclear_append, 40, _CUTS, found_by=4),
        Mutant("feed_forgets_unclear_append", "feeds do not look for an event that may be stored",
               _feed_forgets_unclear_append, 150, ("replica is stuck",), found_by=23),
        Mutant("cache_kept_after_unconfirmed", "a match stays in memory as it would be after an unclear append",
               _cache_kept_after_unconfirmed, 40, _CUTS, found_by=4),
        Mutant("others_not_told", "an append tells no other process", _others_not_told, 10, found_by=1),
        Mutant("deadline_not_compared", "an append does not look whether the seat's time is over",
               _deadline_not_compared, 240, found_by=3),
        Mutant("deadline_early", "a process whose clock is ahead acts before a deadline has passed",
               _deadline_early, 40, ("clock jumps", "killed"), found_by=4),
        Mutant("gold_moved_twice", "a settlement does not look whether there was one before",
               _gold_moved_twice, 600, ("stands still", "delay"), found_by=200),
        Mutant("settlement_remembered", "that a match is settled is remembered although Redis may have lost it",
               _settlement_remembered, 150, ("Redis's machine crashes",), found_by=38),
        Mutant("hidden_action_told", "feeds have the whole of actions that their readers may know in part",
               _hidden_action_told, 20, found_by=5),
        Mutant("hold_lost", "a settlement forgets to give back what was set aside", _hold_lost, 10, found_by=1),
        Mutant("checkpoint_before_projection", "the projector notes how far it is before it writes",
               _checkpoint_before_projection, 400, _OVERLAPS, found_by=68),
        Mutant("creation_key_forgotten", "a repeated creation makes another match",
               _creation_key_forgotten, 20, found_by=1),
    )
}  # fmt: skip
