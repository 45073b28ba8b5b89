"""What can go wrong in the rules core.

CoreError
├── Refused        the rule book says no; `.code` is the book's own
├── UnknownGame    no game, or no such rules version, in this build
├── UnknownSeat    a name that is no seat of the game at all (nor "server", nor "spectator" for a viewer)
├── BadState       bytes that are no state of the game: a damaged or foreign snapshot
├── BadDraws       recorded draws out of range, too few or too many
└── HashMismatch   a replay came to another state than was recorded; `.index` is the step's
"""

from __future__ import annotations


class CoreError(Exception):
    """Anything the rules core raises on purpose."""


class Refused(CoreError):
    """The rules refuse. Nothing has changed and no draw was consumed.

    `code` is the rule book's; `index` is that of the failing step in a replay, else None."""

    def __init__(self, code: str, index: int | None = None) -> None:
        super().__init__(code if index is None else f"step {index}: {code}")
        self.code = code
        self.index = index


class UnknownGame(CoreError):
    """No such game, or no such rules version of it, in this build."""


class UnknownSeat(CoreError):
    """A name that is no seat of this game in any of its matches."""


class BadState(CoreError):
    """These bytes are not a state of this game under this build's layout."""


class BadDraws(CoreError):
    """The recorded draws do not fit the event. `index` is that of the failing step in a replay, else None."""

    def __init__(self, message: str, index: int | None = None) -> None:
        super().__init__(message if index is None else f"step {index}: {message}")
        self.index = index


class HashMismatch(CoreError):
    """After step `index` of a replay the state's hash is not the recorded one."""

    def __init__(self, index: int) -> None:
        super().__init__(f"step {index}: the state's hash is not the recorded one")
        self.index = index
