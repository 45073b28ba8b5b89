"""What a bot says to proposals, and when it offers or accepts a draw or resigns. Judgement alone: nothing is sent here.

All rule books share the words of RELUCTANT. A value is how likely a side is to win, 0 to 1.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from statistics import fmean

from warlog_client import Match
from warlog_client.models import Json
from warlog_core import CoreError, State

RELUCTANT = frozenset({"resign", "offer_draw", "accept_draw", "decline_draw"})

LOST, LOST_FOR, LOST_TURNS = 0.05, 6, 3
"""A seat resigns when its last values, so many and in so many turns, have all been as low as that, searched or not."""
EVEN, EVEN_FOR = 0.02, 30
"""It offers a draw, once, when its last values, so many, have all been so near to one half."""
WORSE, DECIDED = 0.35, 20
"""It accepts a draw at a value of WORSE or less, and after so many decisions at one half or less."""
WORLDS = 8
"""For a glance."""
VALUES_KEPT = max(EVEN_FOR, DECIDED)


def accepts(match: Match) -> bool:
    """What the bot answers to the open proposal of a match that it plays.

    Where nothing is at stake its opponents may do as they like; nothing is made to count; another match is welcome."""
    kind = None if match.proposal is None else match.proposal["kind"]
    if kind in ("rematch", "abort"):
        return True
    return kind in ("undo", "edit", "options") and match.mode == "casual"


class Mood:
    """What a seat remembers of its own judgements, from one decision to the next."""

    def __init__(self) -> None:
        self._values: deque[float] = deque(maxlen=VALUES_KEPT)  # of searches
        self._lost_for = self._lost_turns = 0
        self._decided_at: int | None = None  # the version of the last decision
        self._has_offered = False

    def answer(self, may: Callable[[str], bool], value: float) -> str | None:
        """The answer to an offered draw, if there is one: its type."""
        if not may("accept_draw"):
            return None
        if value <= WORSE or (value <= 0.5 and len(self._values) >= DECIDED):
            return "accept_draw"
        return "decline_draw" if may("decline_draw") else None

    def answer_out_of_turn(self, may: Callable[[str], bool], glance: float) -> str | None:
        """Likewise, where nothing is searched for. `glance`: what the seat's view is worth. What was found last counts,
        too: the better of both."""
        return self.answer(may, max([glance, *list(self._values)[-1:]]))

    def instead(
        self, may: Callable[[str], bool], value: float, players: int, version: int, *, searched: bool = True
    ) -> str | None:
        """The action about the match's end that the seat takes instead of playing on: its type.

        may       is this one legal?
        players   who sit there: each may hold several seats
        version   of the match: decisions at consecutive versions belong to one turn
        searched  was the value searched for? At a glance many a position seems even that is not
        """
        self._lost_turns += self._decided_at != version - 1
        self._lost_for += 1
        self._decided_at = version
        if value > LOST:
            self._lost_for = self._lost_turns = 0
        if searched:
            self._values.append(value)
        if may("accept_draw"):
            return self.answer(may, value)
        if players > 2:
            return None  # it has allies, or leaves the others to each other
        if self._lost_for >= LOST_FOR and self._lost_turns >= LOST_TURNS and may("resign"):
            return "resign"
        if not searched:
            return None
        last = list(self._values)
        even = len(last) >= EVEN_FOR and all(abs(one - 0.5) <= EVEN for one in last)
        if even and not self._has_offered and may("offer_draw"):
            self._has_offered = True
            return "offer_draw"
        return None


def worth(seen: State, seat: str, seed: int) -> float:
    """Of a view, at a glance: by `evaluate`, on average over some states that may be the true one. One half in a game
    that has no search, and where nothing fits."""
    try:
        return fmean(seen.sample(seat, (seed + i) % 2**64).evaluate()[seat] for i in range(WORLDS))
    except CoreError:
        return 0.5


def any_of(actions: Sequence[Json], seed: int) -> Json | None:
    """One of the listed actions where the search finds none: of a type at random first, never an open template; one
    that gives up only where nothing else is left."""
    complete = [action for action in actions if not action.get("open")]
    eager = [action for action in complete if action["type"] not in RELUCTANT] or complete
    if not eager:
        return None
    rng = random.Random(seed)
    kind = rng.choice(list(dict.fromkeys(action["type"] for action in eager)))
    return rng.choice([action for action in eager if action["type"] == kind])
