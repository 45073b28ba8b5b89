"""Matches: what the service calls. One `Matches` per process; here is THE write path.

`Matches.execute`: load → check → apply → append → publish, and again from the top when somebody else was faster.
A `Match` is a value: the match as it was after one version. Newer heads replace it in the cache; who holds one goes on
seeing the same version. No lock is held over the network.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec

import warlog_core

from .clock_and_random import World
from .errors import (
    BadParameter,
    ClockSkew,
    IdempotencyKeyReused,
    IntegrityError,
    QuotaExceeded,
    Refused,
    Repeated,
    TryAgain,
    UnknownMatch,
    VersionConflict,
    WarlogError,
)
from .match import policy, records
from .match.commands import (
    Accept,
    Act,
    AnyCommand,
    CreateMatch,
    Join,
    LeaveSeat,
    Prepare,
    Propose,
    Reject,
    TakeSeat,
    Wanted,
)
from .match.creation import (
    Created,
    Imported,
    begin,
    begin_import,
    begin_paired,
    begin_rematch,
    check_import,
    game_of,
)
from .match.decide import act, check_known, join, leave_seat, prepare, take_seat
from .match.draft import Draft
from .match.lookups import NOTHING, Found, Lookups, ScenarioLookup
from .match.match import Match
from .match.model import SERVER, STRANGER, Player, Reader
from .match.proposals import ProposalContext, accept, propose, reject
from .match.stakes import AccountsBrought, AccountsNeeded
from .match.timeline import Forgotten
from .memory.cache import Cache, CachedMatch
from .memory.integrity import Integrity
from .memory.loading import Loader
from .players.presence import Presence
from .players.quotas import Quotas
from .players.stakes import Stakes
from .reading.admission import admit, may_know_at_hand
from .reading.feed import Feed, Hub
from .reading.past import Past
from .reading.replayed import ReplayedEvent
from .redis.append_notices import Watch
from .redis.store import Append, Idempotency, Store
from .results import Done, Key, MatchSettings
from .statistics import Counts
from .threads import Threads
from .workers.lobby import index_json

CONFLICTS_MAX = 100
CLOCK_TRIES = 5  # of a new match's first append, each with the time of the moment
FEW_EVENTS = 100  # of a new match, made within milliseconds
HEAVY_AT_ONCE = 2
_TRIES = range(CONFLICTS_MAX)


class Matches:
    """counts  what has been done here (statistics.py)
    past    reading what has happened (past.py)
    integrity  what is in memory compared with what is stored (integrity.py)
    """

    def __init__(
        self,
        store: Store,
        world: World,
        *,
        watch: Watch | None = None,
        scenario: ScenarioLookup | None = None,
        stakes: Stakes | None = None,
        quotas: Quotas | None = None,
        settings: MatchSettings | None = None,
        presence: Presence | None = None,
        heavy: Threads | None = None,
        brief: Threads | None = None,
    ) -> None:
        """`watch` None: feeds follow this process's own commands alone. `stakes` None: players bring nothing.
        `presence` None: nobody learns here who is there.
        `quotas` None: of everything there may be any number.

        heavy, brief  threads for whole matches (verifying, importing), which take seconds, and for pages of a notation
        """
        self._heavy = heavy or Threads("heavy", HEAVY_AT_ONCE)
        self._brief = brief or Threads("brief", HEAVY_AT_ONCE)
        self.store = store
        self.world = world
        self.settings = settings or MatchSettings()
        self.counts = Counts()
        self.cache = Cache(self.settings.hot_bytes_max)
        self._stakes = stakes
        self._presence = presence
        self._quotas = quotas
        self.integrity = Integrity(
            store,
            self.cache,
            self.counts,
            shown=lambda: self._hub.positions,
            broken=lambda match_id: self._hub.broken(match_id),
        )
        self._loader = Loader(
            store,
            self.cache,
            self.counts,
            self.integrity,
            checkpoint_every=self.settings.checkpoint_every_events,
            snapshot_every=self.settings.snapshot_every_events,
        )
        self.past = Past(self._loader, self._heavy, self._brief)
        self._lookups = Lookups(self.load, scenario, self._heavy)
        self._hub = Hub(
            self.past,
            watch,
            self.settings.feed_events_max,
            world.now_ms,
            fed=self._fed,
            forked=self.integrity.contradicts,
        )

    def game_name(self, match_id: str) -> str:
        """Of a hot match; "" for any other. Asks nobody."""
        hot = self.cache.get(match_id)
        return "" if hot is None else hot.match.game_name

    def _fed(self, at: int) -> None:
        lag = self.world.now_ms() - at
        self.counts.feed_lags.add(lag / 1000 if lag > 0 else 0.0)

    # ---- new matches

    async def create(
        self, spec: CreateMatch, caller: Player, *, players: Mapping[str, Player] | None = None
    ) -> Created:
        """`players` names the player ids that occur in `spec.seats` (the caller looks them up).

        Raises UnknownGame, Refused (options, position), UnknownSeat, UnknownPlayer, UnknownScenario, BadParameter,
        Competitive (seats of several sides for one player)."""
        beginning = None
        if isinstance(spec.scenario, str):
            if not isinstance(spec.position, msgspec.UnsetType):
                raise BadParameter("Give at most one of `position` and `scenario`.", path="/scenario")
            beginning = await self._lookups.scenario(spec.scenario, caller, spec.game)
        brought: Mapping[str, AccountsBrought] = {}
        while True:
            draft = self._new_draft(spec.game, None, caller, brought=brought)
            try:
                invitations = begin(draft, spec, caller, players or {}, beginning)
            except AccountsNeeded as wanted:
                brought = await self._ask(draft.match_id, draft.game, wanted)
                continue
            return Created(await self._append_new(draft), invitations)

    async def import_record(
        self, record: Mapping[str, object], caller: Player, *, visibility: str = "public"
    ) -> Imported:
        """A casual match whose seats are all the caller's, replayed and checked event by event.

        Raises MalformedBody (not a record), BodyTooLarge (more events than one append takes), UnknownGame, Refused
        with the rule book's code, or with `bad_record` where draws, hashes, chain or versions do not fit
        (`extra["record_version"]` says where)."""
        match_id = self.store.new_match_id()
        self.store.check_growth(
            match_id
        )  # and at the end once more: before all the work, where there is no room
        if self._quotas is not None:
            await self._quotas.check_import(caller.id)
        # Thousands of actions take a while, which nobody else shall wait for.
        parsed = await self._heavy.run(records.parse_record, record)
        if 0 < self.settings.events_per_match < len(parsed.events):
            raise _too_long(len(parsed.events), self.settings.events_per_match)
        await self._heavy.run(check_import, parsed, record)
        draft = self._new_draft(parsed.game, parsed.rules_version, caller, match_id)
        versions = await self._heavy.run(begin_import, draft, parsed, caller, visibility)
        match = await self._append_new(draft)
        return Imported(match, {str(old): new for old, new in versions.items()})

    async def seat(self, match_id: str, wanted: Wanted, players: Sequence[Player]) -> Match:
        """The match of players who were paired (pairing.py), begun at once.

        Raises VersionConflict where it has been made before, WrongStatus where it has been voided, Refused where
        somebody may not sit down (`extra["player"]` says who)."""
        brought: Mapping[str, AccountsBrought] = {}
        while True:
            draft = self._new_draft(wanted.game, None, players[0], match_id, brought)
            draft.by = SERVER
            try:
                begin_paired(draft, wanted, players)
            except AccountsNeeded as asked:
                brought = await self._ask(match_id, draft.game, asked)
                continue
            return await self._append_new(draft)

    def _new_draft(
        self,
        game: str,
        rules_version: int | None,
        caller: Player,
        match_id: str | None = None,
        brought: Mapping[str, AccountsBrought] | None = None,
    ) -> Draft:
        return Draft(
            match_id or self.store.new_match_id(),
            game_of(game, rules_version),
            None,
            at=self.store.at(),
            by=caller.id,
            secrets={},
            token_bytes=self.world.token_bytes,
            checkpoint_every=self.settings.checkpoint_every_events,
            brought=brought,
        )

    async def _append_new(self, draft: Draft) -> Match:
        await self._reserve(draft)
        try:
            await self._secure(draft)
        except Refused:
            await self._release(draft)
            raise
        if len(draft.written) > FEW_EVENTS:
            await self._redate(draft)
        for tries_left in reversed(range(CLOCK_TRIES)):
            try:
                await self._append(draft, None, None)
                break
            except ClockSkew:
                if not tries_left:
                    raise
                await self._redate(draft)
        hot = CachedMatch(draft.commit(), draft.secrets)
        self.cache.put(hot)
        self._loader.keep(hot)
        return hot.match

    async def _redate(self, draft: Draft) -> None:
        """Its events happen now, whatever making them has taken."""
        await self._heavy.run(lambda: draft.redate(self.store.at()))

    # ---- commands

    async def load(self, match_id: str, player_id: str | None, *, fresh: bool = True) -> Match:
        """The newest head. fresh=True asks Redis whether there is anything newer (one round trip); otherwise a
        hot match is given as it is. Raises UnknownMatch, also to a non-member of a private match; IntegrityError."""
        await self._admit(match_id, player_id)
        try:
            match = (await self._loader.hot(match_id, fresh=fresh)).match
        except IntegrityError:
            await self._check_known(match_id, player_id)
            raise
        if not match.may_know(player_id):
            raise UnknownMatch()
        self._called(match, player_id)
        return match

    async def readable(self, match_id: str, player_id: str | None) -> Match:
        """The newest head; of a damaged match, the last one before the damage. For reading alone.

        Raises UnknownMatch, IntegrityError where nothing of it can be read."""
        await self._admit(match_id, player_id)
        try:
            match = await self._loader.readable(match_id)
        except IntegrityError:
            await self._check_known(match_id, player_id)
            raise
        if not match.may_know(player_id) and not await self._loader.came_later(match, player_id):
            raise UnknownMatch()
        self._called(match, player_id)
        return match

    def _called(self, match: Match, player_id: str | None) -> None:
        if player_id is not None and self._presence is not None:
            self._presence.called(match, player_id)

    async def _check_known(self, match_id: str, player_id: str | None) -> None:
        """Who may know of a match comes before what is wrong with it. Raises UnknownMatch."""
        if not await self._loader.may_know_damaged(match_id, player_id):
            raise UnknownMatch() from None

    async def _admit(self, match_id: str, player_id: str | None, command: AnyCommand | None = None) -> None:
        """Asks Redis, unless the match is in memory and may be known to the player. Raises UnknownMatch."""
        if not may_know_at_hand(self.cache.head(match_id), player_id):
            self.counts.redis_reads += 1
            await admit(self.store, match_id, player_id, command)

    async def head(self, match_id: str) -> Match:
        """The newest head, for workers: whoever may know of it. Raises UnknownMatch, IntegrityError."""
        return (await self._loader.hot(match_id, fresh=True)).match

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
        """One command, one event. `render` makes the body of the answer, which is stored with `key`; it is
        called before the event is appended, perhaps several times, must not do I/O, and nothing of it may leave
        before `execute` returns. Default: the JSON of `Done.body(caller.id)`.

        Raises every error of errors.py that the table of API.md gives for commands and seats."""
        try:
            return await self._execute(match_id, command, caller, expected_version, key, render)
        except IntegrityError:
            await self._check_known(match_id, caller.id)
            raise

    async def _execute(
        self,
        match_id: str,
        command: AnyCommand,
        caller: Player,
        expected_version: int | None,
        key: Key | None,
        render: Callable[[Done], bytes] | None,
    ) -> Done:
        acting = command.seat if isinstance(command, Act) else None
        try:
            await self._admit(match_id, caller.id, command)
        except UnknownMatch:
            # He may have left the match by this very command.
            before = await self._before(match_id, caller, key)
            if before is None:
                raise
            return Done((await self._loader.hot(match_id, fresh=True)).match, None, before)
        found = NOTHING
        if isinstance(command, Propose):
            try:
                command, found = await self._lookups.proposed(match_id, command, caller)
            except WarlogError:
                # It may have gone since the same command was accepted.
                hot, before = await self._look_again(match_id, caller, key)
                if before is None:
                    raise
                return Done(hot.match, None, before)
        others: list[Draft] = []  # a rematch's first events; made once, however often we try
        brought: Mapping[str, AccountsBrought] = {}
        began_at = 0
        hot = self._loader.known(match_id) or await self._loader.cold(match_id)
        tried: Match | None = None
        for _ in _TRIES:
            match = hot.match
            try:
                draft = self._drafted(hot, command, caller, expected_version, brought)
                if tried is not None and expected_version is None:
                    _check_still(tried, match, command, began_at)
                began_at = began_at or draft.at
                if isinstance(command, Act):
                    self._act(draft, command, caller)
                    self._check_length(draft, command)
                else:
                    self._decide(draft, command, caller, others, found)
                    self._check_carried(draft)
                    self._check_length(draft, command)
                    for other in others:
                        await self._reserve(other)
                    for other in (*others, draft):
                        await self._secure(other)
            except AccountsNeeded as wanted:
                brought = await self._ask(match_id, match.game, wanted)
                continue
            except Forgotten:
                hot = await self._loader.cold(match_id, whole=True)
                continue
            except WarlogError as refusal:
                # Perhaps only our knowledge is old, or the same command was accepted before.
                hot, before = await self._look_again(match_id, caller, key)
                if before is not None:
                    return Done(hot.match, None, before)
                if hot.match.version == match.version:
                    raise refusal
                continue
            try:
                done = self._done(draft)
                done.answer = done.json(caller.id) if render is None else render(done)
                for other in others:
                    await self._append_rematch(other)
                await self._append(draft, _idempotency(caller, key, done), acting)
                done.match = self._commit(hot, draft, done.told)
            except VersionConflict:
                self.counts.conflicts += 1
                tried = match
                hot = await self._loader.hot(match_id, fresh=hot.match is match)
                continue
            except ClockSkew:
                others.clear()  # their times were off, too
                hot = await self._loader.hot(match_id, fresh=True)  # or the newest event's time is damaged
                continue
            except Repeated as repeated:
                hot = await self._loader.hot(match_id, fresh=True)
                return Done(hot.match, None, repeated.answer)
            return done
        raise VersionConflict(
            "Too many others act in this match at once; try again.", version=hot.match.version
        )

    def _drafted(
        self,
        hot: CachedMatch,
        command: AnyCommand,
        caller: Player,
        expected_version: int | None,
        brought: Mapping[str, AccountsBrought] | None = None,
    ) -> Draft:
        """Raises UnknownMatch, VersionConflict."""
        match = hot.match
        if match.fold.visibility != "public":
            check_known(match, command, caller)
        self._called(match, caller.id)
        if expected_version is not None and expected_version != match.version:
            raise VersionConflict(
                f"The match has moved on to version {match.version}.", version=match.version
            )
        return self._draft(hot, caller.id, brought)

    def _act(self, draft: Draft, command: Act, caller: Player) -> None:
        self.counts.core_calls += 1
        act(draft, command, caller)

    def _decide(
        self, draft: Draft, command: AnyCommand, caller: Player, others: list[Draft], found: Found
    ) -> None:
        match command:
            case Prepare():
                prepare(draft, command, caller)
            case TakeSeat():
                take_seat(draft, command, caller)
            case LeaveSeat():
                leave_seat(draft, command, caller)
            case Join():
                join(draft, command, caller)
            case Propose():
                propose(draft, command, caller, self._around(draft, caller, others, found))
            case Accept():
                accept(draft, command, caller, self._around(draft, caller, others, found))
            case Reject():
                reject(draft, command, caller)

    def _check_length(self, draft: Draft, command: AnyCommand) -> None:
        """A match that is as long as it may be can still be left and resigned, and end. Raises QuotaExceeded."""
        match, began = draft.match, draft.began
        most = self.settings.events_per_match
        if not most or began is None or match.version <= most:
            return
        ends = match.status != began.status and match.status in ("finished", "aborted")
        resigns = isinstance(command, Act) and policy.resigns(command.action)
        if not (ends or resigns or isinstance(command, LeaveSeat)):
            raise _too_long(began.version, most)

    def _check_carried(self, draft: Draft) -> None:
        """Raises QuotaExceeded."""
        most, began = self.settings.proposal_bytes_per_match, draft.began
        if most and began is not None and most < draft.match.fold.carried > began.fold.carried:
            detail = (
                f"The proposals of this match have carried {began.fold.carried} bytes, and with this one they would "
                f"carry more than {most}. Propose something smaller, or begin a new match."
            )
            raise QuotaExceeded("proposal_bytes_per_match", began.fold.carried, most, detail)

    async def _ask(
        self, match_id: str, game: warlog_core.Game, wanted: AccountsNeeded
    ) -> Mapping[str, AccountsBrought]:
        if self._stakes is None:
            return dict.fromkeys(wanted.players, AccountsBrought())
        return await self._stakes.brought(match_id, game, wanted)

    async def _secure(self, draft: Draft) -> None:
        """What the draft's events need is set aside before they are appended, and a match that is to start is watched.
        Raises Refused (insufficient_gold)."""
        if self._stakes is not None:
            await self._stakes.secure(draft.began, draft.match)
        began = draft.began is not None and draft.began.flee_seconds is not None
        if self._presence is not None and draft.match.flee_seconds is not None and not began:
            await self._presence.watch(draft.match)

    async def _reserve(self, draft: Draft) -> None:
        """A new match is charged to who made it. Raises QuotaExceeded."""
        if self._quotas is not None:
            try:
                await self._quotas.reserve(draft.match)
            except QuotaExceeded:
                await self._release(draft)
                raise

    async def _release(self, draft: Draft) -> None:
        if self._quotas is not None:
            await self._quotas.release(draft.match)

    def _around(self, draft: Draft, caller: Player, others: list[Draft], found: Found) -> ProposalContext:
        def rematch(match: Match) -> str:
            if not others:
                match_id = self.store.rematch_id(match.id)
                other = self._new_draft(match.game_name, None, caller, match_id, draft.brought)
                begin_rematch(other, match)
                others.append(other)
            return others[0].match_id

        return ProposalContext(self.counts, rematch, found)

    def _draft(
        self, hot: CachedMatch, by: str, brought: Mapping[str, AccountsBrought] | None = None
    ) -> Draft:
        match = hot.match
        # By position: a class is called with names through a dict of them.
        return Draft(
            match.id,
            match.game,
            match,
            self.store.at(match.fold.updated_at),
            by,
            hot.secrets,
            self.world.token_bytes,
            self.settings.checkpoint_every_events,
            brought,
        )

    def _done(self, draft: Draft) -> Done:
        first = draft.written[0]
        return Done(draft.match, ReplayedEvent(first.stored, first.body, first.core, draft.match.state))

    async def _append(self, draft: Draft, idempotency: Idempotency | None, acting: str | None) -> None:
        """Raises what Store.append raises."""
        await self._appended(draft.match_id, self.store.append(self._addition(draft, idempotency, acting)))

    def _addition(self, draft: Draft, idempotency: Idempotency | None, acting: str | None) -> Append:
        match, before, written = draft.match, draft.began, draft.written
        self.counts.redis_appends += 1
        match.index = index_json(before, match)
        clocked = before is None or bool(match.deadlines or before.deadlines)
        return Append(
            match=draft.match_id,
            expected_version=0 if before is None else before.version,
            expected_chain="" if before is None else before.fold.chain,
            events=[one.stored for one in written],
            summary=match.summary_json(STRANGER),
            index=match.index,
            secrets=draft.new_secrets,
            idempotency=idempotency,
            deadlines=match.deadlines if clocked else None,
            acting_seat=acting if clocked else None,
            invited=match.fold.invitations if before is None else {},
        )

    async def _appended(self, match_id: str, appended: Awaitable[None]) -> None:
        """After an unclear end nothing in memory is trusted any more, and our own feeds look for themselves: of what is
        appended here nobody else tells them."""
        try:
            await appended
        except ClockSkew:
            raise
        except (TryAgain, asyncio.CancelledError):
            self.cache.drop(match_id)
            self._hub.look(match_id)  # on the same connection, and so after what may be on its way
            raise
        except IntegrityError as error:
            await self.integrity.freeze(match_id, error)
            raise

    async def _append_rematch(self, draft: Draft) -> None:
        """It may be there from an earlier try, here or in another process."""
        try:
            await self._append(draft, None, None)
        except VersionConflict:
            return
        self.cache.put(CachedMatch(draft.commit(), draft.secrets))

    def _commit(self, hot: CachedMatch, draft: Draft, told: ReplayedEvent | None) -> Match:
        """The events are durable: memory follows, then who listens."""
        if hot.match.version >= draft.match.version:
            self._hub.look(draft.match.id)  # a refresh has read them meanwhile, but has told nobody
            return draft.match
        match = hot.match = draft.commit()
        hot.secrets = draft.secrets
        self.cache.put(hot)
        self._loader.keep(hot)
        if told is not None and len(draft.written) == 1:
            self._hub.publish(match, told)
        else:
            self._hub.look(match.id)
        return match

    async def _look_again(
        self, match_id: str, caller: Player, key: Key | None
    ) -> tuple[CachedMatch, bytes | None]:
        """The newest head, and the answer of the first time if this key has been used."""
        before = await self._before(match_id, caller, key)
        return await self._loader.hot(match_id, fresh=True), before

    async def _before(self, match_id: str, caller: Player, key: Key | None) -> bytes | None:
        """The answer of the first time if this key has been used. Raises IdempotencyKeyReused."""
        if key is None or not self.store.is_id(match_id):
            return None
        self.counts.redis_reads += 1
        before = await self.store.repeated(match_id, caller.id, key.key)
        if before is not None and before[0] != key.digest:
            raise IdempotencyKeyReused()
        return None if before is None else before[1]

    async def execute_as_server(self, match_id: str, decide: Callable[[Draft], None]) -> Match | None:
        """The server's own event: `decide` writes it on a draft of the newest head, or nothing if there is no
        reason any more. It is asked again when somebody else was faster. The match after it, or None.

        Raises UnknownMatch, IntegrityError, TryAgain, WrongStatus (voided), Refused."""
        for _ in _TRIES:
            hot = await self._loader.hot(match_id, fresh=True)
            draft = self._draft(hot, SERVER)
            decide(draft)
            if not draft.written:
                return None
            try:
                await self._append(draft, None, None)
            except (VersionConflict, ClockSkew):
                continue
            return self._commit(hot, draft, self._done(draft).told)
        return None

    # ---- what is shown as it happens

    def feed(self, match: Match, reader: Reader, after: int) -> Feed:
        """What comes after version `after`, for as long as the reader wants (feed.py)."""
        return self._hub.feed(match, reader, after)

    @property
    def feed_events_waiting(self) -> int:
        return self._hub.waiting

    async def close(self) -> None:
        """Waits for snapshots under way and ends every feed."""
        self._hub.close()
        self.integrity.close()
        await self._loader.settle()
        self._heavy.close()
        self._brief.close()


def _idempotency(caller: Player, key: Key | None, done: Done) -> Idempotency | None:
    return None if key is None else Idempotency(caller.id, key.key, key.digest, done.answer)


def _too_long(have: int, most: int) -> QuotaExceeded:
    detail = f"A match has at most {most} events. Then its players can only resign, leave and end it: begin a new one."
    return QuotaExceeded("events_per_match", have, most, detail)


def _check_still(tried: Match, match: Match, command: AnyCommand, began_at: int) -> None:
    """After a conflict an action is tried again only if its seat is still to act and has not begun to think anew.

    What happened before the command came is no conflict: only this process had not heard of it yet."""
    if not isinstance(command, Act) or tried.version == match.version:
        return
    if match.fold.updated_at < began_at:
        return
    before, now = tried.state, match.state
    if before is not None and now is not None and command.seat in match.seats:
        same = before.clock(command.seat) == now.clock(command.seat)
        if same and command.seat in now.to_act:
            return
    raise VersionConflict(f"The match has moved on to version {match.version}.", version=match.version)
