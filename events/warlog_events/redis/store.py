"""Events in Redis: appended by one script that checks everything first, read back in order.

An append either did all of what `lua/append.lua` lists or nothing. Whatever is read here can be trusted to have been
written here as long as the chain holds; `verify` is who checks that.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

import msgspec
from redis.exceptions import ResponseError

from ..clock_and_random import World
from ..errors import (
    Accepted,
    ClockSkew,
    Frozen,
    IdempotencyKeyReused,
    IntegrityError,
    Repeated,
    TooLate,
    Unavailable,
    VersionConflict,
    WrongStatus,
)
from ..match.stored import SHORT, StoredEvent, draws_text
from . import idempotency, keys
from .connection import Connection
from .idempotency import Idempotency
from .scripts import Prepared
from .wire import Reply, Word

# An event's `at` is its writer's idea of Redis's clock; this far off, in ms, it is refused and the clock set.
AT_TOLERANCE_MS = 5_000
# An id that was given up is remembered for longer than any process may sleep with the match it was about to make.
VOID_SECONDS = 30 * 86_400
# A projector that is away for longer than so many appends to one bucket must rebuild the bucket.
ACTIVITY_ENTRIES = 4_096
# That one script call asks for, where there is one server.
BUCKETS_PER_CALL = 64

# What append.lua replies when all is written.
DONE: Reply = [b"done"]

_FIELDS = [b"type", b"seat", b"by", b"at", b"body", b"draws", b"chain", b"hash"]


class Append(msgspec.Struct, frozen=True, kw_only=True):
    """One atomic addition to one match.

    expected_version, expected_chain   the tail that the events were made for; 0 and "" to create the match
    summary_rest   of the match's summary JSON after the events, the part that events change (Match.summary_rest_json)
    summary_start  the part before it, which seldom changes (Match.summary_start_json); b"" if it is what Redis has
    lobby_entry    small JSON, by which the lobby finds the match; b"" if it is what Redis has
    status, to_act  after the events
    notices        for personal feeds (match/notices.py), b"" for none
    secrets        seed commitment → seed in hex, new ones only
    deadlines      after the events, every seat's that has one, in ms; None leaves them as they are
    acting_seat    TooLate is raised if this seat's stored deadline has passed
    not_before     ClockSkew is raised before this time, in ms, by Redis's clock; 0: never
    invited        of a new match: seat → hash of its invitation
    """

    match_id: str
    expected_version: int
    expected_chain: str
    events: Sequence[StoredEvent]
    summary_rest: bytes
    summary_start: bytes = b""
    lobby_entry: bytes = b""
    status: str = ""
    to_act: Sequence[str] = ()
    notices: bytes = b""
    secrets: Mapping[str, str] = {}
    idempotency: Idempotency | None = None
    deadlines: Mapping[str, int] | None = None
    acting_seat: str | None = None
    not_before: int = 0
    invited: Mapping[str, str] = {}


class Archived(msgspec.Struct, frozen=True):
    """What the archive holds of a match. `secrets`: seed commitment → seed in hex."""

    events: list[StoredEvent]
    secrets: dict[str, str]


class Reading(Protocol):
    """The archive, as the store needs it (archive.Archive)."""

    async def read(self, match_id: str, tombstone: str) -> Archived:
        """Raises Unavailable, IntegrityError."""
        ...


class Activity(msgspec.Struct, frozen=True):
    """A match's newest append. `lobby_entry`: b"" if it has not changed."""

    match_id: str
    version: int
    lobby_entry: bytes


class Activities(msgspec.Struct, frozen=True):
    """What is new in one bucket. The bucket's appends are numbered from 1 without gaps.

    entries  one for each match to which something was appended
    reached  the number of the last append that they take account of
    newest   the number of the newest append there is, 0 for none: equal to `reached`, all has been read
    lost     appends are missing (the reader was away too long, or Redis lost its last ones): rebuild the bucket;
             it is then at `reached`. No entries
    """

    entries: list[Activity]
    reached: int
    newest: int
    lost: bool


def _keys_of(match_id: str) -> tuple[str, ...]:
    """The keys that an append to this match touches, in the order of append.lua."""
    bucket = _bucket(match_id)
    return (
        keys.events(match_id),
        keys.match_state(match_id),
        keys.secrets(match_id),
        keys.matches(bucket),
        keys.activity(bucket),
        keys.deadlines(bucket),
        keys.followers(match_id),
    )


@lru_cache(maxsize=4096)
def _append_to(match_id: str) -> Prepared:
    return Prepared("append", _keys_of(match_id))


@lru_cache(maxsize=1024)
def _activity_in(buckets: tuple[int, ...]) -> Prepared:
    return Prepared("activity", [keys.activity(bucket) for bucket in buckets])


@lru_cache(maxsize=1024)
def _due_in(buckets: tuple[int, ...]) -> Prepared:
    return Prepared("due", [keys.deadlines(bucket) for bucket in buckets])


def ask_summary(match_id: str) -> tuple[Word, ...]:
    """The command whose reply `summary_of` takes."""
    return ("HMGET", keys.match_state(match_id), "frame", "moving", "summary")


def summary_of(reply: Reply) -> bytes | None:
    """The JSON of the match as a stranger sees it. 0.1 stored it whole, until the next append (append.lua)."""
    start, rest, whole = reply
    return whole if start is None else b"%b,%b" % (start, rest)


_pack = msgspec.msgpack.Encoder().encode


def _words(event: StoredEvent) -> tuple[Word, ...]:
    """As the scripts take an event."""
    e = event
    return e.version, e.type, e.seat, e.by, e.at, e.body, draws_text(e.draws), e.chain, e.hash


def renamed(encoded: bytes, player: str, name: str) -> bytes:
    """JSON in which the player is called so, wherever he is named."""

    def change(value: Any) -> Any:
        if isinstance(value, list):
            return [change(one) for one in value]
        if not isinstance(value, dict):
            return value
        changed = {key: change(one) for key, one in value.items()}
        return {**changed, "name": name} if "name" in value and value.get("id") == player else changed

    return msgspec.json.encode(change(msgspec.json.decode(encoded)))


class Store:
    """Every method raises Unavailable without Redis.

    A match that has left for the archive is read from there as if it were here, and comes back when something is
    appended to it. (Redis is asked first, so what is here costs nothing more.)"""

    def __init__(self, connection: Connection, world: World, archive: Reading | None = None) -> None:
        self.connection = connection
        self._archive = archive
        self._pipe = connection.pipe
        self._world = world
        self.buckets = connection.buckets
        connection.keep_time(world)

    def on_return(self, returned: Callable[[Callable[[str], bool]], None]) -> None:
        """As `Connection.on_return`, of match ids."""
        self.connection.on_return(lambda affected: returned(lambda match_id: affected(keys.events(match_id))))

    def append_time(self, after: int = 0) -> int:
        """When an event that is appended now happens: ms, Redis's clock, not before `after` (the tail's `at`)."""
        now = self._world.now_ms()
        return now if now > after else after

    def new_match_id(self) -> str:
        return keys.match_id_of(self._world.new_id(""), self.buckets)

    def is_id(self, match_id: str) -> bool:
        """May this be one of our matches? Asked before any key is made of a string from outside."""
        bucket = keys.bucket_of(match_id)
        return bucket is not None and bucket < self.buckets

    def rematch_id(self, match_id: str) -> str:
        """Always the same for a match: it has one rematch at most, whoever writes it, and however often."""
        return keys.rematch_id(match_id, self.buckets)

    def check_growth(self, match_id: str) -> None:
        """Before a new match is made. Raises DiskFull, Unavailable."""
        self.connection.check_growth(keys.events(match_id))

    async def append(self, append: Append) -> None:
        """All or nothing (lua/append.lua).

        Raises VersionConflict (with the version), TooLate, Repeated, IdempotencyKeyReused,
        WrongStatus (voided), IntegrityError (history lost, forked, with a gap, or frozen), ClockSkew (make the events
        again with a new `at`), Unavailable, Unconfirmed (it may have been appended: the same command
        with its Idempotency-Key tells)."""
        a, match_id = append, append.match_id
        if not a.expected_version:
            self.check_growth(match_id)
        call, arguments = self._call(a)
        try:
            try:
                reply = await self._pipe.run(call, arguments)
            except ResponseError as error:
                if not str(error).startswith("NOSCRIPT"):
                    raise
                reply = await self._pipe.run_whole(call, arguments)
            if reply[0] == b"archived":
                await self.restore(match_id)
                # The script itself is sent: nothing here would repeat the call if Redis had forgotten it meanwhile.
                reply = await self._pipe.run_whole(call, arguments)
        except ResponseError as error:
            # The script's first write; nothing is written. Somebody took entries from the end of the stream by hand.
            if "specified in XADD" in str(error):
                raise IntegrityError(
                    f"{match_id}: the stream had come further than version {a.expected_version}"
                ) from error
            raise
        if reply != DONE:
            self._refuse(a, reply)

    def _call(self, append: Append) -> tuple[Prepared, tuple[bytes, ...]]:
        a, match_id = append, append.match_id
        call = _append_to(match_id)
        field, value, digest, ttl_s = b"", b"", "", 0
        if (kept := a.idempotency) is not None:
            call = Prepared("append", (*_keys_of(match_id), *keys.accepted(match_id, kept.player, kept.key)))
            field = idempotency.field_of(kept.player, kept.key)
            value = idempotency.value_of(kept, a.expected_version + len(a.events))
            digest, ttl_s = kept.digest, kept.ttl_s
        rows: list[tuple[Word, ...]] = []
        bodies: list[bytes] = []
        for version, e in enumerate(a.events, a.expected_version + 1):
            assert e.version == version
            rows.append((version, e.type, e.seat, e.by, e.at, draws_text(e.draws), e.chain, e.hash))
            bodies.append(e.body)
        packed = _pack(
            (
                match_id,
                a.expected_version,
                a.expected_chain,
                self._world.now_ms() if self._world.is_fixed else False,
                AT_TOLERANCE_MS,
                a.acting_seat or "",
                a.not_before,
                ACTIVITY_ENTRIES,
                self.connection.follower,
                ttl_s,
                False if a.deadlines is None else list(a.deadlines.items()),
                list(a.secrets.items()) if a.secrets else (),
                rows,
                msgspec.json.encode(a.invited).decode() if a.invited else "",
                a.lobby_entry.decode(),
                a.status,
                " ".join(a.to_act),
                digest,
                a.notices.decode(),
            )
        )
        return call, (packed, a.summary_start, a.summary_rest, field, value, *bodies)

    def _refuse(self, a: Append, reply: Reply) -> None:
        match reply:
            case [b"repeated", accepted]:
                raise Repeated(idempotency.accepted_of(accepted))
            case [b"reused"]:
                raise IdempotencyKeyReused()
            case [b"conflict", version] if version > a.expected_version:
                raise VersionConflict(f"The match has moved on to version {version}.", version=version)
            case [b"late", _]:
                raise TooLate(f"The time of the seat {a.acting_seat} is over.", version=a.expected_version)
            case [b"skew", now]:
                if not self._world.is_fixed:
                    self.connection.set_clock(now)
                raise ClockSkew("The server's clock was wrong and has been set; try again.")
            case [b"archived"]:
                raise Unavailable("This match is coming back from the archive; try again.")
            case [b"void"]:
                raise WrongStatus("This match was given up before it was made.")
            case [b"frozen", reason]:
                raise Frozen(f"frozen: {reason.decode(errors='replace')}")
            case [b"damaged", version]:
                raise IntegrityError(f"{a.match_id}: event {version} cannot be read", first_bad=version)
            case [b"conflict", version]:
                raise IntegrityError(
                    f"{a.match_id}: version {a.expected_version} was known, Redis ends at {version}: history is lost"
                )
            case [b"forked", version]:
                raise IntegrityError(
                    f"{a.match_id}: version {version} in Redis is not the one that was known: forked"
                )
            case [b"gap", version, length]:
                raise IntegrityError(
                    f"{a.match_id}: {length} events in Redis, of which the newest is {version}"
                )
            case _:
                raise AssertionError(f"append.lua replied {reply!r}")

    async def accepted(self, match_id: str, player: str, key: str, digest: str) -> Accepted | None:
        """Of the command that used this key before; None if none did. Raises IdempotencyKeyReused if that had another
        body."""
        first, second, earlier = keys.accepted(match_id, player, key)
        field = idempotency.field_of(player, key)
        reply = await self._pipe.many((("HGET", first, field), ("HGET", second, field), ("GET", earlier)))
        return idempotency.accepted_in(reply, digest)

    async def tail(self, match_id: str) -> tuple[int, str] | None:
        """(version, chain) of the newest event; None where there is no such match."""
        entries = await self._pipe.call("XREVRANGE", keys.events(match_id), "+", "-", "COUNT", 1)
        if not entries:
            return None
        event = _stored_event(entries[0])
        return event.version, event.chain

    async def events(self, match_id: str, after: int = 0, limit: int = 1000) -> list[StoredEvent]:
        """At most `limit` events from version `after + 1` on, in order."""
        page = _xrange(match_id, after, limit)
        entries = await self._pipe.call(*page)
        if not entries:
            archived, entries = await self._archived(match_id, page)
            if archived is not None:
                return archived.events[after : after + limit]
        return [_stored_event(entry) for entry in entries]

    async def summary(self, match_id: str) -> bytes | None:
        return summary_of(await self._pipe.call(*ask_summary(match_id)))

    async def summary_rest(self, match_id: str) -> bytes | None:
        """Of the summary, at least what events change; less to read than all of it."""
        rest, whole = await self._pipe.call("HMGET", keys.match_state(match_id), "moving", "summary")
        return whole if rest is None else b"{%b" % rest

    async def admits(self, match_id: str, member: bytes, invited: bytes) -> bool:
        """lua/admit.lua."""
        touched = (keys.match_state(match_id), keys.events(match_id))
        return bool(await self._pipe.script("admit", touched, (member, invited), write=False))

    async def summaries(self, matches: Sequence[str]) -> list[bytes | None]:
        return [summary_of(reply) for reply in await self._pipe.many(map(ask_summary, matches))]

    async def secrets(self, match_id: str) -> dict[str, str]:
        """Seed commitment → seed in hex."""
        all_ = ("HGETALL", keys.secrets(match_id))
        flat = await self._pipe.call(*all_)
        if not flat:
            archived, flat = await self._archived(match_id, all_)
            if archived is not None:
                return archived.secrets
        texts = [text.decode() for text in flat]
        return dict(zip(texts[::2], texts[1::2], strict=True))

    async def names(self, players: Sequence[str]) -> dict[str, str]:
        """Player id → name, of those that have an account."""
        found = await self._pipe.many(("HGET", keys.player(player), "name") for player in players)
        return {
            player: name.decode() for player, name in zip(players, found, strict=True) if name is not None
        }

    async def forget_name(self, match_id: str, player: str, name: str) -> None:
        """What is kept of the match beside its events calls this player so from now on."""
        state = keys.match_state(match_id)
        for field, opens, closes in (("frame", b"", b"}"), ("moving", b"{", b""), ("summary", b"", b"")):
            while True:
                raw = await self._pipe.call("HGET", state, field)
                if raw is None:
                    break
                was = opens + raw + closes
                now = renamed(was, player, name)
                words = (field, raw, now.removeprefix(opens).removesuffix(closes))
                if now == was or await self._pipe.script("swap", [state], words):
                    break
        await self._pipe.call("DEL", keys.snapshot(match_id), write=True)

    # A snapshot is a cache: nobody waits for its replicas, and a lost one is made again.

    async def snapshot(self, match_id: str) -> bytes | None:
        snapshot: bytes | None = await self._pipe.call("GET", keys.snapshot(match_id))
        return snapshot

    async def put_snapshot(self, match_id: str, snapshot: bytes) -> None:
        """Nothing for a match that is in the archive, where it would outlive its use."""
        if not await self._pipe.call("EXISTS", keys.events(match_id)):
            return
        await self._pipe.call("SET", keys.snapshot(match_id), snapshot)

    async def delete_snapshot(self, match_id: str) -> None:
        await self._pipe.call("DEL", keys.snapshot(match_id))

    # ---- the archive

    async def _archived(self, match_id: str, asked: Sequence[Word]) -> tuple[Archived | None, Reply]:
        """What the archive has of a match of which Redis had nothing when it was asked; or else the reply to the same
        command once more, since the match may have come back in between."""
        tombstone, reply = await self._pipe.many((("HGET", keys.match_state(match_id), "archived"), asked))
        archived = None if tombstone is None else await self._from_archive(match_id, tombstone.decode())
        return archived, reply

    async def _from_archive(self, match_id: str, tombstone: str) -> Archived:
        if self._archive is None:
            raise _no_archive()
        return await self._archive.read(match_id, tombstone)

    async def bury(self, match_id: str, version: int, chain: str, tombstone: str) -> bool:
        """What is in the archive leaves Redis. False if the match has another end by now, or something holds it."""
        touched = [
            keys.events(match_id),
            keys.match_state(match_id),
            keys.secrets(match_id),
            keys.snapshot(match_id),
        ]
        return bool(await self._pipe.script("archive", touched, [version, chain, tombstone]))

    async def restore(self, match_id: str) -> bool:
        """Out of the archive, as it was. False if it is not there, or no longer. Raises Unavailable, IntegrityError."""
        tombstone = await self._pipe.call("HGET", keys.match_state(match_id), "archived")
        if tombstone is None:
            return False
        archived = await self._from_archive(match_id, tombstone.decode())
        arguments: list[Word] = [tombstone, len(archived.secrets)]
        for name, secret in archived.secrets.items():
            arguments += (name, secret)
        for event in archived.events:
            arguments += _words(event)
        touched = [keys.events(match_id), keys.match_state(match_id), keys.secrets(match_id)]
        return bool(await self._pipe.script("restore", touched, arguments))

    async def indexes(self, matches: Sequence[str]) -> list[bytes | None]:
        return await self._pipe.many(("HGET", keys.match_state(match_id), "index") for match_id in matches)

    async def standings(self, matches: Sequence[str]) -> list[tuple[bytes | None, bool]]:
        """Of each: its summary, and whether it is in the archive."""
        replies = await self._pipe.many((*ask_summary(match_id), "archived") for match_id in matches)
        return [(summary_of(reply[:-1]), reply[-1] is not None) for reply in replies]

    @property
    def has_archive(self) -> bool:
        """What is in the archive can be read here."""
        return self._archive is not None

    async def check_here(self, matches: Sequence[str]) -> None:
        """Raises Unavailable if one of these is in the archive."""
        for match_id, (_, is_buried) in zip(matches, await self.standings(matches), strict=True):
            if is_buried:
                raise Unavailable(
                    f"The match {match_id} is in an archive, and nothing says where that is (`--archive`)."
                )

    async def count(self) -> int:
        """Of all matches, those in the archive included."""
        return sum(await self._pipe.many(("SCARD", keys.matches(bucket)) for bucket in range(self.buckets)))

    async def due(self, now_ms: int, limit: int = 100) -> list[tuple[str, str, int]]:
        """(match, seat, deadline) of deadlines that have passed, at most `limit` per bucket, the oldest first; of all
        buckets that can be reached."""
        groups = self._together((*range(self.buckets),))
        arguments = b"%d" % now_ms, b"%d" % limit
        replies = await self._pipe.reachable([(_due_in(buckets), arguments) for buckets in groups])
        passed: list[tuple[str, str, int]] = []
        for flat in filter(None, replies):
            for member, score in zip(flat[::2], flat[1::2], strict=True):
                match_id, _, seat = member.decode().partition(" ")
                passed.append((match_id, seat, int(score)))
        return sorted(passed, key=lambda it: it[2])

    async def activity(self, after: Mapping[int, int], limit: int = 100) -> dict[int, Activities]:
        """What the first `limit` appends after that number come to, for every bucket of `after` that can be reached: in
        one round trip, unless there is much."""
        found: dict[int, Activities] = {}
        left = (*after,)
        while left:
            groups, left = self._together(left), ()
            replies = await self._pipe.reachable(
                [
                    (_activity_in(buckets), (b"%d" % limit, *(b"%d" % after[bucket] for bucket in buckets)))
                    for buckets in groups
                ]
            )
            for buckets, reply in zip(groups, replies, strict=True):
                if reply is not None:
                    left += buckets[len(reply) :]
                    for bucket, news in zip(buckets, reply, strict=False):
                        found[bucket] = _activities(after[bucket], news)
        return found

    def _together(self, buckets: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Those that one script call may ask for."""
        size = 1 if self.connection.is_cluster else BUCKETS_PER_CALL
        return [buckets[start : start + size] for start in range(0, len(buckets), size)]

    async def matches(self, bucket: int) -> AsyncIterator[list[str]]:
        """Every match of the bucket, in no order, some perhaps twice: in batches of about a hundred, at least one."""
        cursor = b"0"
        while True:
            cursor, found = await self._pipe.call("SSCAN", keys.matches(bucket), cursor, "COUNT", 100)
            yield [match_id.decode() for match_id in found]
            if cursor == b"0":
                return

    async def void(self, match_id: str) -> bool:
        """From now on this match cannot be made. False if there is one already."""
        touched = [keys.events(match_id), keys.match_state(match_id)]
        return bool(await self._pipe.script("void", touched, [VOID_SECONDS]))

    async def freeze(self, match_id: str, reason: str) -> None:
        """From now on every append to the match is an IntegrityError; reading goes on."""
        await self._pipe.call("HSET", keys.match_state(match_id), "frozen", reason, write=True)

    async def frozen(self, match_id: str) -> str | None:
        reason = await self._pipe.call("HGET", keys.match_state(match_id), "frozen")
        return None if reason is None else reason.decode()


def _bucket(match_id: str) -> int:
    bucket = keys.bucket_of(match_id)
    if bucket is None:
        raise ValueError(f"not a match id: {match_id!r}")
    return bucket


def _xrange(match_id: str, after: int, limit: int) -> tuple[Word, ...]:
    return ("XRANGE", keys.events(match_id), f"{after + 1}-0", "+", "COUNT", limit)


_decode_draws = msgspec.json.Decoder(list[int]).decode


def _stored_event(entry: Reply) -> StoredEvent:
    """Of a stream entry [id, [name, value, …]] as append.lua writes it. Raises IntegrityError for any other."""
    entry_id, flat = entry
    ms, _, sequence = entry_id.partition(b"-")
    version = int(ms)  # Redis itself makes ids of two numbers only
    if sequence != b"0":
        raise IntegrityError(f"the id {entry_id.decode()} is no version", first_bad=version)
    if flat[::2] != _FIELDS:
        raise IntegrityError(f"event {version} has other fields than an event", first_bad=version)
    type_, seat, by, at, body, draws, chain, hash_ = flat[1::2]
    try:
        # Positional, which is faster: every event of every match is read here.
        event = StoredEvent(
            version,
            type_.decode(),
            seat.decode(),
            by.decode(),
            int(at),
            body,
            _decode_draws(draws) if draws else None,
            chain.decode(),
            hash_.decode(),
        )
    except (ValueError, msgspec.MsgspecError) as error:
        raise IntegrityError(f"event {version} cannot be read: {error}", first_bad=version) from error
    # The chain runs over what was decoded, so that nothing may be decoded that was never written.
    if b"%d" % event.at != at or draws_text(event.draws).encode() != draws:
        raise IntegrityError(f"event {version}: a number is not as it was written", first_bad=version)
    if len(type_) + len(seat) + len(by) + len(chain) + len(hash_) >= SHORT:
        raise IntegrityError(f"event {version}: a field is too long", first_bad=version)
    return event


def _no_archive() -> Unavailable:
    return Unavailable("This match is in the archive, which this server cannot read.")


def _activities(after: int, news: Reply) -> Activities:
    """Of a bucket's part of activity.lua's reply."""
    if news == 0:
        return Activities([], after, after, False)
    lost, reached, newest, *flat = news
    entries = [
        Activity(match_id.decode(), int(version), entry)
        for match_id, version, entry in zip(flat[::3], flat[1::3], flat[2::3], strict=True)
    ]
    return Activities(entries, reached, newest, bool(lost))
