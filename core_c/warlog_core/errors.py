"""What can go wrong in the rules core.

CoreError
├── Refused        the rule book says no; `.code` is the book's own
├── UnknownGame    no game, or no such rules version, in this build
├── UnknownSeat    a name that is no seat of the game at all (nor "server", nor "spectator" for a viewer)
├── BadState       bytes that are no state of the game: a damaged or foreign snapshot
├── BadDraws       recorded draws out of range, too few or too many
├── HashMismatch   a replay came to another state than was recorded; `.index` is the step's
├── NotPlayed      the game has no computer opponents but random ones
├── NotNumbered    actions that have no numbers: of this game, with these options
├── BadNumber      the number of no legal action; `.index` is that of the match in a vector
├── BadArrays      arrays of a wrong type, size or order, or that overlap
├── Busy           two threads work on one vector
└── Stopped        a search was broken off
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Explanation(Struct, frozen=True):
    """What lies behind a refusal, for people and their programs; holds nothing that the actor could not know.

    detail   one English sentence that a player understands
    members  facts as fields of their own: `minimum`, `maximum`, `allowed`, `have`, `needed`, `cost`, `budget`, `space`,
             `piece`, `seat` …
    path     JSON Pointer to the part at fault: inside the action ("/to"), or "/options/…" and "/position/…" of a start;
             "" where no part is
    """

    detail: str
    members: dict[str, Any] = {}
    path: str = ""


class CoreError(Exception):
    """Anything the rules core raises on purpose."""


class Refused(CoreError):
    """The rules refuse. Nothing has changed and no draw was consumed.

    `code` is the rule book's; `index` is that of the failing step in a replay, else None. `explanation` is there where
    options, a Position or a notation was refused; of an action `State.explain` gives it."""

    def __init__(self, code: str, index: int | None = None, explanation: Explanation | None = None) -> None:
        super().__init__(code if index is None else f"step {index}: {code}")
        self.code = code
        self.index = index
        self.explanation = explanation


class UnknownGame(CoreError):
    """No such game, or no such rules version of it, in this build."""


class UnknownSeat(CoreError):
    """A name that is no seat of this game in any of its matches."""


class BadState(CoreError):
    """These bytes are not a state of this game under this build's layout."""


class BadDraws(CoreError):
    """The recorded draws do not fit the event. `index` is that of the failing step in a replay, else None.

    `asked`: where one was missing at the end, how many values it could have had, from 0 on, all as likely; else 0."""

    def __init__(self, message: str, index: int | None = None, asked: int = 0) -> None:
        super().__init__(message if index is None else f"step {index}: {message}")
        self.index = index
        self.asked = asked


class HashMismatch(CoreError):
    """After step `index` of a replay the state's hash is not the recorded one."""

    def __init__(self, index: int) -> None:
        super().__init__(f"step {index}: the state's hash is not the recorded one")
        self.index = index


class NotPlayed(CoreError):
    """The game has no computer opponents but random ones."""

    def __init__(self, game: str) -> None:
        super().__init__(f"{game} has no computer opponents")
        self.game = game


class NotNumbered(CoreError):
    """The actions of this game have no numbers, or a seat would have none of them with these options."""


class BadNumber(CoreError):
    """This is the number of no action that is legal now. `index` is that of the match in a vector, else None."""

    def __init__(self, message: str, index: int | None = None) -> None:
        super().__init__(message if index is None else f"match {index}: {message}")
        self.index = index


class BadArrays(CoreError):
    """An array that a vector cannot use: of a wrong type, size or order, or in the place of another one."""


class Busy(CoreError):
    """Another thread is at work on this vector."""


class Stopped(CoreError):
    """Somebody has broken off this search: its answer is not wanted any more."""
