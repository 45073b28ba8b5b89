"""Matches: what the service calls. One `Matches` per process.

The write path is `Matches.execute`: load → check → apply → append → publish, again from the top on a conflict.
A `Match` is a value: the match as it was after one version. Newer heads replace it in the cache; who holds one goes on
seeing the same version.
"""

from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec

import warlog_core

from .commands import AnyCommand, CreateMatch
from .feed import Feed
from .model import Player, Reader
from .notify import Watch
from .store import Store
from .verify import Verdict
from .world import World


class Beginning(msgspec.Struct, frozen=True):
    """What a scenario stands for: the options and the Position to begin with."""

    game: str
    options: dict[str, object]
    position: dict[str, object] | None


class ScenarioLookup(Protocol):
    async def __call__(self, scenario_id: str, player_id: str) -> Beginning:
        """Raises UnknownScenario, also for one that `player_id` may not see."""


class Key(msgspec.Struct, frozen=True):
    """An Idempotency-Key with a digest of the request (any text that differs when the body or route does)."""

    key: str
    digest: str


class MatchSettings(msgspec.Struct, frozen=True):
    """hot_bytes_max               memory for hot matches, roughly
    checkpoint_every_events     most events that looking back at a version has to replay
    snapshot_every_events       how often a match is written down whole
    feed_events_max             events that may wait for one slow reader
    """

    hot_bytes_max: int = 256 * 1024 * 1024
    checkpoint_every_events: int = 32
    snapshot_every_events: int = 100
    feed_events_max: int = 256


class Match:
    """One match after event `version`. Never changes; everything here is answered without I/O."""

    id: str
    game_name: str
    game: warlog_core.Game
    rules_version: int
    mode: str
    consent: str
    visibility: str
    seating: str
    move_seconds: int
    status: str
    version: int
    chain: str
    seats: tuple[str, ...]
    holders: Mapping[str, Player]
    prepared: frozenset[str]
    joined: tuple[tuple[Player, str | None], ...]
    creator: Player
    options: Mapping[str, object]
    position: Mapping[str, object] | None
    deadlines: Mapping[str, int]
    state: warlog_core.State | None
    started_at_version: int

    def summary(self, reader: Reader) -> dict[str, object]:
        """The `match` object of API.md."""
        raise NotImplementedError

    def is_member(self, player_id: str | None) -> bool:
        """Holds a seat, has joined, or created it."""
        raise NotImplementedError

    def holds(self, player_id: str | None, seat: str) -> bool:
        raise NotImplementedError

    def seats_of(self, player_id: str | None) -> tuple[str, ...]:
        raise NotImplementedError

    def check_seat(self, player_id: str | None, seat: str) -> None:
        """Raises UnknownSeat, or NotYourSeat unless the player holds it."""
        raise NotImplementedError

    def reader(self, player_id: str | None, seat: str | None = None) -> Reader:
        """With `seat`: as that seat (raises UnknownSeat, NotYourSeat). Without: with the knowledge of every seat that the
        player holds; as a spectator where he holds none.

        Raises NoSpectators where a running match may not be watched."""
        raise NotImplementedError

    def spectator(self, player_id: str | None = None) -> Reader:
        """Raises NoSpectators where a running match may not be watched."""
        raise NotImplementedError

    def may_see_all(self, player_id: str | None) -> bool:
        """The match is over, or the player holds every seat of a casual match: `view?seat=all`."""
        raise NotImplementedError

    def disclosure_stamp(self) -> int:
        """Grows whenever more of the past may be shown than before; part of an ETag of `/events`, `/history`, export."""
        raise NotImplementedError


class Created(msgspec.Struct, frozen=True):
    """`invitations`: seat → the secret to hand on; it is nowhere else."""

    match: Match
    invitations: dict[str, str]


class Imported(msgspec.Struct, frozen=True):
    """`versions`: the record's version, as text → the new match's."""

    match: Match
    versions: dict[str, int]


class Done:
    """What an accepted command led to.

    version   of the event; the match's newest at that moment
    match     the match after it
    answer    the bytes that `render` made, or those of the first time for a repeated key
    repeated  True: nothing was appended now, only `answer` is there (`match` and `version` are those of now)
    """

    version: int
    match: Match
    answer: bytes
    repeated: bool

    def event(self, reader: Reader) -> dict[str, object]:
        """The event as `reader` may see it, in the form of API.md. Not for a repeat."""
        raise NotImplementedError

    def body(self, player_id: str) -> dict[str, object]:
        """`{"version", "event", "match"}` of API.md, for the player who sent the command."""
        raise NotImplementedError


class Matches:
    """core_calls, redis_reads, redis_appends, snapshots_refused, conflicts: counters for tests and metrics."""

    def __init__(
        self,
        store: Store,
        world: World,
        *,
        watch: Watch | None = None,
        scenario: ScenarioLookup | None = None,
        settings: MatchSettings = MatchSettings(),
    ) -> None:
        """`watch` None: feeds follow this process's own commands alone."""
        raise NotImplementedError

    async def create(
        self, spec: CreateMatch, caller: Player, *, players: Mapping[str, Player] | None = None
    ) -> Created:
        """`players` names the player ids that occur in `spec.seats` (the caller looks them up).

        Raises UnknownGame, Refused (options, position), UnknownSeat, UnknownPlayer, UnknownScenario, BadParameter,
        Competitive (seats of several sides for one player)."""
        raise NotImplementedError

    async def load(self, match_id: str, player_id: str | None, *, fresh: bool = True) -> Match:
        """The newest head. fresh=True asks Redis whether there is anything newer (one round trip); otherwise a hot match is
        given as it is. Raises UnknownMatch, also to a non-member of a private match; IntegrityError."""
        raise NotImplementedError

    async def execute(
        self,
        match_id: str,
        command: AnyCommand,
        caller: Player,
        *,
        expected_version: int | None = None,
        key: Key | None = None,
        render: Callable[[Done], bytes] | None = None,
    ) -> Done:
        """One command, one event. `render` makes the body of the answer, which is stored with `key`; it is called before
        the event is appended, perhaps several times, must not do I/O, and nothing of it may leave before `execute`
        returns. Default: the JSON of `Done.body(caller.id)`.

        Raises every error of errors.py that the table of API.md gives for commands and seats."""
        raise NotImplementedError

    async def state_at(self, match: Match, version: int) -> warlog_core.State:
        """The state after `version`. Raises NoView before the start, UnknownVersion beyond the match's newest."""
        raise NotImplementedError

    async def events_for(
        self, match: Match, reader: Reader, after: int = 0, limit: int = 100
    ) -> list[dict[str, object]]:
        """Events `after`+1 … as `reader` may see them today, every version, in the form of API.md."""
        raise NotImplementedError

    def timeline(self, match: Match, after: int = 0, limit: int = 100) -> list[dict[str, object]]:
        """`{"version", "parent"}` of the versions after `after`; the first has no parent."""
        raise NotImplementedError

    async def history(
        self, match: Match, reader: Reader, after: int = 0, limit: int = 1000
    ) -> tuple[str, int | None]:
        """The notation of the current line (CONVENTIONS.md) from after version `after`, at most `limit` lines, and the version to
        go on after, None at the end."""
        raise NotImplementedError

    def feed(self, match: Match, reader: Reader, after: int) -> Feed:
        """See feed.Feed."""
        raise NotImplementedError

    async def export(self, match: Match, reader: Reader) -> dict[str, object]:
        """The record (API.md). Seeds, hashes and chain are in it once the match is over."""
        raise NotImplementedError

    async def import_record(
        self, record: Mapping[str, object], caller: Player, *, visibility: str = "public"
    ) -> Imported:
        """A casual match whose seats are all the caller's, replayed and checked event by event.

        Raises MalformedBody (not a record), UnknownGame, Refused with the rule book's code, or with `bad_record` where
        draws, hashes or versions do not fit (`extra["record_version"]` says where)."""
        raise NotImplementedError

    async def verify(self, match: Match) -> Verdict:
        """verify.Verdict over everything that is stored. Only for a match that is over, unless an operator asks."""
        raise NotImplementedError

    async def time_out(self, match_id: str, seat: str, deadline: int) -> bool:
        """Posts the server's `timeout` if `deadline` is still that seat's and has passed. True if this call did it."""
        raise NotImplementedError

    async def close(self) -> None:
        """Waits for snapshots under way and ends every feed."""
        raise NotImplementedError


__all__ = [
    "Created",
    "Done",
    "Imported",
    "Key",
    "Match",
    "MatchSettings",
    "Matches",
]
