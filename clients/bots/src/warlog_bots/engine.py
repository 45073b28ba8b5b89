"""An engine plays every match of one account, over REST and the account's personal feed.

A notice of the feed says that something is to be done in a match; then a task for that match goes on until nothing is.
The match itself is asked, never the notice: so nothing goes wrong when notices are lost, come twice or come late. An
action is sent with the version of the state that it was chosen from. Where the match has moved on meanwhile (somebody
was quicker, or it was taken back), the service refuses it, and the engine thinks again.

Nothing is kept but what the service keeps. An engine that dies loses no match: the next one asks for its matches.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import time
from collections.abc import Callable
from contextlib import aclosing
from datetime import UTC, datetime

import msgspec
from msgspec import Struct

import warlog_core
from warlog_client import (
    AsyncClient,
    Conflict,
    DrawOfferedNotice,
    Event,
    Forbidden,
    IntegrityError,
    Match,
    MatchNotice,
    NotFound,
    Reset,
    RuleRefused,
    Seat,
    Seen,
    Unauthenticated,
    VersionConflict,
    WarlogError,
    YourTurnNotice,
)
from warlog_client.models import Json
from warlog_core import Belief, Choice, State

from . import manners
from .memory import Memory, loaded
from .pace import CLOCK_SHARE, due_at
from .thinker import Question, Thinker

log = logging.getLogger("warlog.bots")

SURVEY_SECONDS = 120.0
"""Between two looks at the list of all matches, in case a notice was lost."""
FIRST_SURVEYS_SECONDS = (0.0, 5.0)
"""After the feed has opened. The list may be some seconds behind."""
OVER_MAX = 20
"""Matches that are over, the newest ones, in which a proposal of a rematch is looked for."""
PAUSE_SECONDS_MIN, PAUSE_SECONDS_MAX = 0.2, 5.0
"""After a failure."""
LOBBY_LOOK_SECONDS, LIVELY_LOBBY_SECONDS = 5.0, 600.0
"""A lobby in which something has happened lately is looked at again."""
LOBBY_SECONDS = 86_400.0
"""After which a seat in a lobby where nothing happens is left."""
PATIENCE_SECONDS = 30.0
"""For which a bot that is to act leaves a proposal to the others. Less where its clock runs."""
OFFER_LOOK_SECONDS = 2.0
"""Between two looks whether a draw that it has offered is declined: no notice says so."""
LATE_SECONDS = 2.5
"""An answer so long after it was due is counted as late."""
REFUSALS_MAX = 8
"""In a row, after which a match is left alone until the next notice."""


MEMORIES_MAX = 32
"""Beliefs of 2 MiB each that a process has at once."""


Chosen = tuple[Json, Json | None]
"""An action, and how a search found it; None: none did."""


class Table(Struct, eq=False):
    """A match in which the account sits, while something is to be done there.

    seats   the account's
    players all who sit there
    turns   seats that are to act → when they are to have answered, by `time.monotonic`
    heard   of those, the ones that a notice has told of since the match's summary was asked for
    unread  the match's summary is to be read: what has happened is not known exactly
    offered seats to which a draw has been offered
    asked, patient_until  the version of what others are still to answer, and how long they have
    own_offer  the version of the last draw that the account has offered
    """

    id: str
    seats: list[str] = []
    players: int = 0
    turns: dict[str, float] = {}
    heard: set[str] = set()
    moods: dict[str, manners.Mood] = {}
    memories: dict[str, Memory] = {}
    unread: bool = True
    failures: int = 0
    offered: set[str] = set()
    asked: int = 0
    patient_until: float = 0.0
    own_offer: int = 0
    later: asyncio.TimerHandle | None = None
    task: asyncio.Task[None] | None = None


class Engine:
    def __init__(
        self,
        warlog: AsyncClient,
        thinker: Thinker,
        *,
        level: int,
        secret: bytes | None = None,
        mine: Callable[[str], bool] = lambda match: True,
    ) -> None:
        """`secret`: what the seeds of searches are made from, drawn at random where none is given. `mine`: does this
        process play the match with this id? (Others may play the account's other matches.)"""
        self._warlog = warlog
        self._thinker = thinker
        self._level = level
        self._secret = secret or os.urandom(32)
        self._mine = mine
        self._me = ""
        self._tables: dict[str, Table] = {}
        self._last: str | None = None  # id of the last notice

    async def run(self) -> None:
        """For ever. Raises Unauthenticated."""
        surveying: asyncio.Task[None] | None = None
        try:
            while True:
                try:
                    self._me = self._me or (await self._warlog.me()).id
                    surveying = surveying or asyncio.create_task(self._survey_for_ever())
                    await self._follow()
                except Unauthenticated:
                    raise
                except WarlogError as error:
                    log.warning("the feed of %s ended: %s", self._me or "an account", error)
                    if isinstance(error, NotFound | Conflict):
                        self._last = None
                await asyncio.sleep(PAUSE_SECONDS_MAX)
        finally:
            for task in (surveying, *(table.task for table in self._tables.values())):
                if task is not None:
                    task.cancel()
            for table in self._tables.values():
                if table.later is not None:
                    table.later.cancel()

    async def _follow(self) -> None:
        async with aclosing(self._warlog.personal_feed(after=self._last)) as feed:
            async for notice in feed:
                self._last = notice.id
                if isinstance(notice, Reset):
                    await self._survey(offers=True)
                elif isinstance(notice, MatchNotice) and self._mine(notice.match):
                    self._hear(notice)

    def _hear(self, notice: MatchNotice) -> None:
        table = self._table(notice.match)
        if isinstance(notice, YourTurnNotice) and table.seats:
            left = _seconds_between(notice.at, notice.deadline)
            for seat in notice.seats:
                table.turns.setdefault(seat, due_at(time.monotonic(), left))
            table.heard.update(notice.seats)
        elif isinstance(notice, DrawOfferedNotice):
            table.offered.update(notice.seats)
        else:
            table.unread = True
        self._wake(table)

    def _table(self, match: str) -> Table:
        return self._tables.setdefault(match, Table(match))

    def _wake(self, table: Table) -> None:
        if table.task is None:
            table.task = asyncio.create_task(self._attend(table))

    # ---- what there is to do

    async def _survey_for_ever(self) -> None:
        for seconds in FIRST_SURVEYS_SECONDS:
            await asyncio.sleep(seconds)
            await self._survey(offers=True)
        while True:
            await asyncio.sleep(SURVEY_SECONDS)
            await self._survey()

    async def _survey(self, *, offers: bool = False) -> None:
        """Looks at each match in which something may be to be done. `offers`: a draw may have been offered in any."""
        try:
            async for match in self._warlog.matches(player="me", status="playing"):
                seats = {*self._seats_of(match)}
                self._take_up(match, not seats.isdisjoint(match.to_act))
                if offers and self._mine(match.id):
                    self._table(match.id).offered |= seats.difference(match.to_act)
                    self._wake(self._table(match.id))
            async for match in self._warlog.matches(player="me", status="lobby"):
                prepared = all(place.prepared for place in match.seats if self._holds(place))
                self._take_up(match, not prepared or _idle_seconds(match) > LOBBY_SECONDS)
            over = 0
            async for match in self._warlog.matches(player="me", status="finished", limit=OVER_MAX):
                self._take_up(match, False)
                over += 1
                if over == OVER_MAX:
                    break
        except WarlogError as error:
            log.warning("the matches of %s cannot be listed: %s", self._me, error)

    def _take_up(self, match: Match, waits: bool) -> None:
        if (waits or match.proposal is not None) and self._mine(match.id):
            table = self._table(match.id)
            table.unread = True
            self._wake(table)

    async def _attend(self, table: Table) -> None:
        """Until nothing is to be done in the match. Failures are waited out."""
        try:
            while table.unread or table.offered or table.turns:
                try:
                    await self._step(table)
                except (NotFound, Forbidden, IntegrityError) as error:
                    log.error("%s: given up: %s", table.id, error)
                    self._forget(table)
                    return
                except Conflict as error:
                    log.debug("%s: %s", table.id, error)
                    await self._pause(table)
                except Exception as error:
                    self._thinker.figures.failures += 1
                    if isinstance(error, WarlogError):
                        log.warning("%s: %s", table.id, error)
                    else:
                        log.exception("%s", table.id)
                    if isinstance(error, RuleRefused) and table.failures >= REFUSALS_MAX:
                        self._forget(table)
                        return
                    await self._pause(table)
                else:
                    table.failures = 0
        finally:
            table.task = None

    async def _pause(self, table: Table) -> None:
        """After a failure, longer each time; then the match is read again."""
        table.unread = True
        table.failures += 1
        await asyncio.sleep(min(PAUSE_SECONDS_MIN * 2.0 ** min(table.failures, 10), PAUSE_SECONDS_MAX))

    async def _step(self, table: Table) -> None:
        if table.unread:
            table.unread = False
            await self._look(table)
        elif table.offered:
            await self._answer_offer(table, table.offered.pop())
        else:
            seat = min(table.turns, key=lambda seat: table.turns[seat])
            await self._turn(table, seat, table.turns.pop(seat))

    async def _look(self, table: Table) -> None:
        table.heard.clear()
        match = await self._warlog.match(table.id)
        table.seats = self._seats_of(match)
        table.players = len({place.player.id for place in match.seats if place.player is not None})
        proposal = match.proposal
        if proposal is not None and self._me in proposal["waiting_for"]:
            await self._answer(table, match, proposal["version"])
            table.unread = True  # other things may be to be done, too
        elif match.status == "lobby":
            await self._prepare(table, match)
        elif match.status == "playing":
            left = {seat: _seconds_between(match.now, at) for seat, at in match.deadlines.items()}
            now = time.monotonic()
            to_act = {*match.to_act} & {*table.seats}
            if proposal is not None and to_act and self._waits_for_answers(table, proposal["version"], left):
                to_act = set()
            elif (
                to_act
                and match.version == table.own_offer
                and self._waits_for_answers(table, match.version, left)
            ):
                to_act = set()
                self._look_later(table, OFFER_LOOK_SECONDS)
            # The match may have been read before a turn began whose notice has come since.
            heard = {seat: due for seat, due in table.turns.items() if seat in table.heard}
            table.turns = {
                seat: table.turns.get(seat) or due_at(now, left.get(seat)) for seat in to_act
            } | heard
        else:
            self._forget(table)

    def _waits_for_answers(self, table: Table, asked: int, left: dict[str, float | None]) -> bool:
        """An action would take a proposal off the table, and in some games an offered draw: other players have some
        time to answer it."""
        now = time.monotonic()
        if table.asked != asked:
            clocks = [seconds * CLOCK_SHARE for seconds in left.values() if seconds is not None]
            table.asked, table.patient_until = asked, now + min([PATIENCE_SECONDS, *clocks])
        wait = table.patient_until - now
        if wait > 0:
            self._look_later(table, wait)
        return wait > 0

    def _look_later(self, table: Table, seconds: float) -> None:
        if table.later is not None:
            table.later.cancel()
        table.later = asyncio.get_running_loop().call_later(seconds, self._look_again, table)

    def _look_again(self, table: Table) -> None:
        table.unread = True
        self._wake(table)

    def _seats_of(self, match: Match) -> list[str]:
        return [place.seat for place in match.seats if self._holds(place)]

    def _holds(self, place: Seat) -> bool:
        return place.player is not None and place.player.id == self._me

    def _forget(self, table: Table) -> None:
        """What happens there from now on is told by a notice."""
        table.turns = {}
        table.offered = set()
        if table.later is not None:
            table.later.cancel()
        self._tables.pop(table.id, None)
        self._thinker.forget(table.id)

    # ---- doing it

    async def _answer(self, table: Table, match: Match, proposal: int) -> None:
        try:
            if manners.accepts(match):
                await self._warlog.accept(table.id, proposal)
                return
        except RuleRefused as refusal:  # it cannot be done any more
            log.info("%s: proposal %d: %s", table.id, proposal, refusal)
        await self._warlog.reject(table.id, proposal)

    async def _prepare(self, table: Table, match: Match) -> None:
        """Also after its options have changed, of which no notice tells."""
        idle = _idle_seconds(match)
        for place in filter(self._holds, match.seats):
            if idle > LOBBY_SECONDS:
                await self._warlog.leave_seat(table.id, place.seat)
            elif not place.prepared:
                await self._warlog.prepare(table.id, place.seat)
        if idle < LIVELY_LOBBY_SECONDS:
            self._look_later(table, LOBBY_LOOK_SECONDS)

    async def _turn(self, table: Table, seat: str, due: float) -> None:
        seen = await self._warlog.seen(table.id, seat)
        state = loaded(seen)
        if seat not in state.to_act:
            return
        seed = self._seed(seen)
        belief = await self._belief(table, seen, state, due)
        question = Question(table.id, state, seat, self._level, seed, due, belief)
        choice: Choice | None = None
        try:
            choice = await self._thinker.think(question)
        except warlog_core.CoreError:
            self._thinker.figures.failures += 1
            log.exception("%s: the search fails for what %s sees at version %d", table.id, seat, seen.version)
        action = self._chosen(table, question, choice, seen.version) or self._anything(state, seat, seed)
        try:
            if action is None:
                log.warning("%s: %s finds nothing that it could do", table.id, seat)
                return
            self._thinker.figures.late += time.monotonic() > due + LATE_SECONDS
            done = await self._act(seen, *action)
        except VersionConflict:
            self._thinker.figures.conflicts += 1
            table.unread = True
            return
        except RuleRefused as refusal:
            log.error("%s: %s may not do what it has chosen: %s", table.id, seat, refusal)
            action = self._anything(state, seat, seed + 1)
            if action is None:
                return
            done = await self._act(seen, *action)
        if action[0]["type"] == "offer_draw":
            table.own_offer, table.unread = done.version, True
        else:
            self._heard_answer(table, done)

    async def _answer_offer(self, table: Table, seat: str) -> None:
        """A draw has been offered. In its own turn a seat answers when it has searched; out of turn by what it has
        found last, or by what it sees if that is better."""
        seen = await self._warlog.seen(table.id, seat)
        state = loaded(seen)
        if seat in state.to_act or state.check(seat, {"type": "accept_draw"}) is not None:
            return
        mood = table.moods.setdefault(seat, manners.Mood())
        word = mood.answer_out_of_turn(_may(state, seat), manners.worth(state, seat, self._seed(seen)))
        if word is None:
            return
        try:
            await self._act(seen, {"type": word}, None)
        except VersionConflict:
            table.offered.add(seat)
        except RuleRefused as refusal:
            log.info("%s: %s may not %s: %s", table.id, seat, word, refusal)

    async def _belief(self, table: Table, seen: Seen, state: State, due: float) -> Belief | None:
        """For the levels that have one, in the seats of the house."""
        if not seen.seed or not warlog_core.level(seen.game, self._level).belief:
            return None
        memory = table.memories.get(seen.seat)
        if memory is None or memory.seed != seen.seed:
            if len(self._thinker.memories) >= MEMORIES_MAX:
                return None
            memory = table.memories[seen.seat] = Memory(self._warlog, self._thinker, seen)
        return await memory.up_to(seen, state, due)

    def _chosen(self, table: Table, question: Question, choice: Choice | None, version: int) -> Chosen | None:
        if choice is None:
            return None
        state, seat = question.seen, question.seat
        mood = table.moods.setdefault(seat, manners.Mood())
        word = mood.instead(
            _may(state, seat), choice.value, table.players, version, searched=choice.iterations > 0
        )
        if word is not None:
            return {"type": word}, None
        how: Json = {"iterations": choice.iterations, "version": warlog_core.SEARCH_VERSION}
        if question.belief is not None and choice.iterations:
            how["belief"] = True
        return msgspec.to_builtins(choice.action), how

    @staticmethod
    def _anything(state: State, seat: str, seed: int) -> Chosen | None:
        """Where the search finds nothing, as in a Position that was made by hand."""
        action = manners.any_of(state.legal(seat, plain=True), seed)
        return None if action is None else (action, None)

    async def _act(self, seen: Seen, action: Json, how: Json | None) -> Event:
        """A bot of the house says how it searched: the match's record has it in the end."""
        search = how if seen.seed else None
        return await self._warlog.act(seen.match, seen.seat, action, search=search, if_match=seen.version)

    def _heard_answer(self, table: Table, done: Event) -> None:
        """No notice tells that a seat of the account is still to act."""
        for seat in {*done.to_act} & {*table.seats}:
            left = _seconds_between(done.now, done.deadlines.get(seat))
            table.turns.setdefault(seat, due_at(time.monotonic(), left))

    def _seed(self, seen: Seen) -> int:
        """Of a decision: nobody can tell it beforehand, and it is the same when the decision is made again. For a bot
        of the house everybody can compute it after the end, from the seed that the service has drawn."""
        secret = (
            bytes.fromhex(seen.seed) if seen.seed else self._secret + f"{seen.match} {seen.seat} ".encode()
        )
        return int.from_bytes(hashlib.sha256(secret + str(seen.version).encode()).digest()[:8])


def _may(state: State, seat: str) -> Callable[[str], bool]:
    """Is an action of this type, which has no fields, allowed?"""
    return lambda word: state.check(seat, {"type": word}) is None


def _idle_seconds(match: Match) -> float:
    """Since something has happened there."""
    return (datetime.now(UTC) - match.updated_at).total_seconds() if match.updated_at else 0.0


def _seconds_between(start: datetime | None, end: datetime | None) -> float | None:
    """By the service's clock alone. None where one of them is not known."""
    return None if start is None or end is None else (end - start).total_seconds()
