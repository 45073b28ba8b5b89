"""The worker by which matches come to count for their players: stakes that are no longer needed are given back, what a
match has moved is moved, and the layout with which play began is kept for the next time.

It reads the buckets' activity, as the projector does. Several may run, crash and begin anew: looking at a match again
does nothing that has been done, so the checkpoint may lag behind, and a lost one costs time alone.

Matches that are found in one pass are settled in the order in which they ended.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

import warlog_core

from ..clock_and_random import World
from ..errors import TryAgain, UnknownMatch, report
from ..match import policy
from ..match.bots import HOUSE, is_bot
from ..match.match import Match
from ..matches import Matches
from ..players.ledger import Hold, Moved
from ..players.stakes import Stakes
from ..reading.replayed import EventWithState
from ..redis.activity_reader import BATCH, ActivityReader, Passed
from ..redis.store import Store
from ..standing.counting import is_strong, may_count

log = logging.getLogger("warlog.bookkeeper")

HELD_MAX = 100  # matches that one sweep looks at
DONE_MAX = 50_000
PAGE_EVENTS = 25
# A command whose hold is older has been answered or has died; its connection to Redis would not live so long.
ORPHAN_MS = 60_000
SWEEP_SECONDS = 30.0


class _Id(msgspec.Struct):
    id: str


class _Seat(msgspec.Struct):
    player: _Id | None = None


class _Index(msgspec.Struct):
    """What it needs of a match's index entry, which has `players`, or summary, which has `seats`."""

    game: str
    status: str
    mode: str
    players: list[str] = []
    seats: list[_Seat] = []

    @property
    def has_strong_bot(self) -> bool:
        seated = [seat.player.id for seat in self.seats if seat.player is not None]
        return any(is_strong(player) for player in (*self.players, *seated))


class _Ended(msgspec.Struct):
    """What of a summary says when its match ended."""

    updated_at: str = ""


_index = msgspec.json.Decoder(_Index)
_ended = msgspec.json.Decoder(_Ended)


class Bookkeeper(ActivityReader):
    def __init__(self, store: Store, matches: Matches, stakes: Stakes, world: World) -> None:
        super().__init__()
        self._store = store
        self._matches = matches
        self._stakes = stakes
        self._ledger = stakes.ledger
        self._world = world
        self._done: OrderedDict[tuple[str, str], None] = OrderedDict()  # (what, match): needs no second look
        store.on_return(lambda affected: self._forget())
        self._swept_to = 0

    async def run(self) -> None:
        swept = -SWEEP_SECONDS
        now = asyncio.get_running_loop().time
        while True:
            if now() - swept >= SWEEP_SECONDS:
                swept = now()
                await self.sweep()
            await self.step_and_pause()

    async def step(self) -> Passed:
        checkpoints = await self._ledger.checkpoints(self._store.buckets)
        found = await self._store.activity(checkpoints, BATCH)
        moved: dict[str, bytes | None] = {}
        reached: dict[int, int] = {}
        due: dict[str, list[Hold]] = {}
        count = 0
        for bucket, activities in found.items():
            if activities.lost:
                due |= await self._due_of(bucket)
                reached[bucket] = activities.reached
            elif activities.entries:
                count += activities.reached - checkpoints[bucket]
                moved |= {entry.match_id: entry.lobby_entry for entry in activities.entries}
                reached[bucket] = activities.reached
        # An action that leaves the index unchanged may still have laid out pieces, which are to be kept as a layout.
        same = [match for match, index in moved.items() if not index]
        moved |= zip(same, await self._store.indexes(same), strict=True)
        await self._look(due | await self._due(moved))
        await self._ledger.put_checkpoints(reached)
        newest = {bucket: activities.newest for bucket, activities in found.items()}
        return Passed(count, checkpoints | reached, newest)

    async def rescan(self) -> int:
        """Looks at every match there is, whatever has been read; gives how many were settled only now."""
        due: dict[str, list[Hold]] = {}
        for bucket in range(self._store.buckets):
            due |= await self._due_of(bucket)
        return await self._look(due)

    async def sweep(self) -> None:
        """Looks for holds whose command died before its event: one page of what has been held for long."""
        before = self._world.now_ms() - ORPHAN_MS
        matches = await self._ledger.held_since(before, self._swept_to, HELD_MAX)
        self._swept_to = self._swept_to + HELD_MAX if len(matches) == HELD_MAX else 0
        for match_id, holds in zip(matches, await self._ledger.holds(matches), strict=True):
            await self._look_at(match_id, holds, orphans=True)

    async def _due_of(self, bucket: int) -> dict[str, list[Hold]]:
        """`_due` of all its matches."""
        due: dict[str, list[Hold]] = {}
        async for batch in self._store.matches(bucket):
            due |= await self._due(dict(zip(batch, await self._store.summaries(batch), strict=True)))
        return due

    async def _due(self, found: Mapping[str, bytes | None]) -> dict[str, list[Hold]]:
        """Those of these matches that are to be looked at, with what is held for them. found: index entries or
        summaries; None of a match that has none."""
        moved = {match: _index.decode(raw) for match, raw in found.items() if raw is not None}
        counted = sorted(match for match, index in moved.items() if self._counts(match, index))
        holds = dict(zip(counted, await self._ledger.holds(counted), strict=True))
        settled = dict(zip(counted, await self._ledger.settled(counted), strict=True))
        due = {}
        for match_id, index in moved.items():
            if settled.get(match_id):
                self._remember("settled", match_id)
            open_ = match_id in settled and not settled[match_id]
            if (open_ and (holds[match_id] or index.status == "finished")) or self._begins(match_id, index):
                due[match_id] = holds.get(match_id, [])
        return due

    async def _look(self, due: Mapping[str, list[Hold]]) -> int:
        """At each of these, those first that ended first. Gives how many were settled."""
        matches = [*due]
        if len(matches) > 1:
            ends = [_ended.decode(raw or b"{}").updated_at for raw in await self._store.summaries(matches)]
            matches = [match for _, match in sorted(zip(ends, matches, strict=True))]
        return sum([await self._look_at(match, due[match]) for match in matches])

    def _counts(self, match_id: str, index: _Index) -> bool:
        """May this match have something to do with the ledger?"""
        if ("settled", match_id) in self._done:
            return False
        if index.mode != "competitive":
            return index.status == "finished" and index.has_strong_bot
        if index.status == "finished":
            return True
        game = _game(index.game)
        at_rest = index.status == "playing" and ("frozen", match_id) in self._done
        return game is not None and policy.accounting(game) is not None and not at_rest

    def _begins(self, match_id: str, index: _Index) -> bool:
        """May play have begun here with layouts that are to be kept?"""
        game = _game(index.game)
        if game is None or index.status not in ("playing", "finished") or ("laid", match_id) in self._done:
            return False
        return policy.layout_rules(game) is not None

    async def _look_at(self, match_id: str, holds: Iterable[Hold], *, orphans: bool = False) -> bool:
        """True if the match was settled by this call. What one match meets must not hold up all others;
        `warlog rebuild` looks at it again."""
        try:
            return await self._bring_up(await self._matches.newest(match_id), holds, orphans)
        except UnknownMatch:  # the command that was to make it has died
            for hold in holds:
                await self._ledger.shrink(match_id, hold, 0, hold.version)
        except TryAgain:
            raise
        except Exception as error:
            report(log, error, "%s: its players' accounts are not brought up to date", match_id)
        return False

    async def _bring_up(self, match: Match, holds: Iterable[Hold], orphans: bool) -> bool:
        """Brings the accounts up to date with the match. True if this call settled it."""
        settled = False
        players = [holder.id for holder in match.holders.values()]
        if match.is_over and (match.mode == "competitive" or may_count(match.mode, players)):
            moved, house = moved_by(match) if match.mode == "competitive" else ([], 0)
            settled = await self._ledger.settle(match.id, match.game_name, moved, house)
            self._remember("settled", match.id)
        elif holds:
            await self._stakes.reconcile(match, holds, orphans=orphans)
            if match.status == "playing":
                self._remember("frozen", match.id)
        if policy.layout_rules(match.game) is not None and ("laid", match.id) not in self._done:
            await self._keep_layouts(match)
        return settled

    async def _keep_layouts(self, match: Match) -> None:
        """The layouts with which play began are their players' last ones. Who plays alone has none of his own."""
        fold, rules = match.fold, policy.layout_rules(match.game)
        assert rules is not None
        alone = len({holder.id for holder in fold.holders.values()}) < 2
        if alone or fold.position is not None or fold.imported is not None or fold.imported_until:
            self._remember("laid", match.id)
            return
        after = fold.started_version - 1
        while 0 <= after < match.version:
            found = await self._matches.past.each(match, after, PAGE_EVENTS, _beginning)
            for at, position in found:
                layouts = None if position is None else rules.laid(position)
                if layouts is not None:
                    await self._put_layouts(match, layouts, at)
                if layouts is not None or position is None:
                    self._remember("laid", match.id)
                    return
            if not found:
                return
            after += len(found)

    async def _put_layouts(self, match: Match, layouts: Mapping[str, Any], at: int) -> None:
        of: dict[str, object] = {}
        for seat in match.seats:
            if (
                seat in layouts and match.holders[seat].id not in HOUSE
            ):  # a match without a layout phase has none
                of.setdefault(match.holders[seat].id, layouts[seat])
        for player, layout in of.items():
            await self._stakes.library.keep_last(player, match.game_name, layout, at)

    def _forget(self) -> None:
        """Redis has been away and may have lost what was done."""
        self._done.clear()

    def _remember(self, what: str, match_id: str) -> None:
        self._done[what, match_id] = None
        while len(self._done) > DONE_MAX:
            self._done.popitem(last=False)


def _beginning(match: Match, event: EventWithState) -> tuple[int, dict[str, Any] | None]:
    """When it was, and the Position then; None once the match was over."""
    assert event.state is not None
    return event.stored.at, event.state.position(plain=True)


def _game(name: str) -> warlog_core.Game | None:
    """None for a game that another build plays."""
    try:
        return warlog_core.game(name)
    except warlog_core.UnknownGame:
        return None


def moved_by(match: Match) -> tuple[list[Moved], int]:
    """What the end of a competitive match moves for each of its players, and for the house.

    A match that its rules do not settle although they settle others (it was broken off, say) counts for nobody; nor
    does one in which somebody played against himself, in which a program played, or of which it was said at its start
    that it does not."""
    fold, result = match.fold, match.fold.result
    assert result is not None
    settlement: dict[str, Any] | None = fold.settlement
    settles = policy.accounting(match.game) is not None
    if settles and (settlement is None or fold.uncounted):
        return [], 0
    if not settles and any(is_bot(holder.id) for holder in fold.holders.values()):
        return [], 0
    gold = {} if settlement is None else settlement.get("gold", {})
    points = {one["seat"]: one["delta"] for one in (settlement or {}).get("scores", ())}
    nets = {one["seat"]: one["net"] for one in gold.get("accounts", ())}
    moved = []
    for player in sorted({holder.id for holder in fold.holders.values()}):
        seats = match.seats_of(player)
        outcomes = {_outcome(seat, result.winners) for seat in seats}
        outcome = outcomes.pop() if len(outcomes) == 1 else ""
        score = sum(points[seat] for seat in seats) if points else None
        if (
            outcome == "won" and score == 0
        ):  # too short to score by its rules: no win, and no place in the table
            outcome, score = "", None
        moved.append(
            Moved(
                player,
                gold=sum(nets.get(seat, 0) for seat in seats),
                points=score,
                outcome=outcome,
                fled=any(seat in fold.fled for seat in seats),
            )
        )
    return moved, gold.get("house", 0)


def _outcome(seat: str, winners: list[str]) -> str:
    if not winners:
        return "drawn"
    return "won" if seat in winners else "lost"
