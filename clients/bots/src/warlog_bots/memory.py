"""What a bot of the house remembers of a match: for each of its seats a belief, made of what the seat has seen.

Nothing is kept but in this process. The belief follows from the views of former versions, which the service shows, and
from the seed to which the bot has committed itself: a new process makes it again, and so does everybody after the end
(warlog_events/match/verify_bots.py).
"""

from __future__ import annotations

import hashlib
import logging

import warlog_core
from warlog_client import (
    ActionTakenEvent,
    AsyncClient,
    Event,
    MatchStartedEvent,
    OptionsChangedEvent,
    PositionEditedEvent,
    Seen,
    TimeTravelledEvent,
)
from warlog_core import Belief, State

from .thinker import Thinker

log = logging.getLogger("warlog.bots")

STEPS = ActionTakenEvent | PositionEditedEvent | OptionsChangedEvent
"""Events that change what a seat sees, once the match has started."""
VERSIONS_AT_ONCE = 12
"""That are taken up before a decision. Where more are unseen, the bot decides without its belief."""
CROWD = 8
"""So many decisions wait: there is no time for beliefs."""


class Memory:
    """Of one seat and seed. Its belief has all versions of the line that is played since the match was last taken back,
    or since its start."""

    def __init__(self, warlog: AsyncClient, thinker: Thinker, seen: Seen) -> None:
        self.seed = seen.seed
        self._warlog = warlog
        self._thinker = thinker
        self._belief = self._new(seen)
        self._read = 0  # version of the last event that is known
        self._last = 0  # of the last step
        self._head = 0  # from which play goes on: the last step, or what the match was taken back to
        self._unseen: list[int] = []
        self._is_lost = False
        thinker.memories.add(self)

    def _new(self, seen: Seen) -> Belief:
        return Belief(seen.seat, belief_seed(bytes.fromhex(self.seed or "")))

    async def up_to(self, seen: Seen, state: State, due: float) -> Belief | None:
        """The belief, when it has taken up all versions to this one. None: there is no time for that before a decision
        that is due then, or the match has just been taken back."""
        if self._is_lost or self._thinker.figures.waiting >= CROWD:
            return None
        async for event in self._warlog.events(seen.match, after=self._read):
            if event.version <= seen.version:
                self._note(seen, event)
        try:
            await self._take_up(seen, state, due)
        except warlog_core.CoreError:
            log.exception("%s: nothing fits what %s has seen", seen.match, seen.seat)
            self._is_lost = True
        return None if self._is_lost or self._unseen or self._head != self._last else self._belief

    async def _take_up(self, seen: Seen, state: State, due: float) -> None:
        for at in self._unseen[:VERSIONS_AT_ONCE]:
            view = (
                state if at == self._head else loaded(await self._warlog.seen(seen.match, seen.seat, at=at))
            )
            if not await self._thinker.remember(self._belief, view, due):
                return
            self._unseen.remove(at)

    def _note(self, seen: Seen, event: Event) -> None:
        self._read = event.version
        if isinstance(event, TimeTravelledEvent):
            self._head = event.to
        elif isinstance(event, MatchStartedEvent):
            self._head = self._last = event.version
            self._unseen = [event.version]
        elif isinstance(event, STEPS) and self._last:
            if self._head != self._last:
                self._belief = self._new(seen)
                self._unseen = [self._head]
            self._unseen.append(event.version)
            self._head = self._last = event.version


def belief_seed(seed: bytes) -> int:
    return int.from_bytes(hashlib.sha256(seed + b"belief").digest()[:8])


def loaded(seen: Seen) -> State:
    """What the service has shown, as a state of the rules library."""
    return warlog_core.game(seen.game, seen.rules_version).load(seen.setup, seen.state)
