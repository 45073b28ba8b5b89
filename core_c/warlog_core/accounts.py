"""What a game says whose matches concern the players' accounts. A codec answers by attributes of these names; a game
without one leaves accounts alone.

    accounting   an Accounting: competitive matches move points, and gold where there is a stake
    layouts      a LayoutRules: a player may keep starting layouts, and begins with the one he had last

Three tuples name options of this kind. `server_options` are set by the server alone in a competitive match, and nobody
may know them before its end; `secret_options` nobody may know before the end of any match; `setup_options` speak of the
setup alone, and are left out where a match goes on from a Position. Beside these, a game with an option `move_seconds`
or `flee_seconds` has the server post `{"type": "timeout" or "flee", "seat": …}`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from msgspec import Struct


class Standing(Struct, frozen=True):
    """What the holder of a seat brings to a match. `gold` is what he may stake on this seat."""

    score: int = 0
    gold: int = 0


class Accounting(Protocol):
    """`options` are those that clients set; what is wrong in them is for the rules to say, not to be stumbled over."""

    def ranks(self) -> list[dict[str, Any]]:
        """Every rank as plain JSON, the lowest first: `level`, `threshold` (but for the lowest), `name` …"""
        ...

    def rank(self, score: int) -> dict[str, Any]:
        """That of a score."""
        ...

    def hold(self, options: Mapping[str, Any]) -> int:
        """Gold that is set aside for each seat before it is taken: the most that it can lose."""
        ...

    def options(self, options: Mapping[str, Any], standing: Callable[[str], Standing]) -> dict[str, Any]:
        """The options that the server adds at the start of a competitive match, from each seat's standing."""
        ...

    def balances_missing(self, options: Mapping[str, Any]) -> str:
        """The option that must say how much gold each seat has, if it does not say it of every seat; else ""."""
        ...

    def frozen(self, view: Mapping[str, Any]) -> int:
        """Of a match that is played: what each seat can still lose. `view` is the spectator's, as plain JSON."""
        ...

    def settlement(self, view: Mapping[str, Any]) -> dict[str, Any] | None:
        """Of a match that is over: what it moves, None for nothing.

        `scores`: a list of `seat`, `delta` and more; and perhaps `gold`: `accounts`, a list of `seat`, `net` and more,
        and `house`, which add up to 0."""
        ...


class LayoutRules(Protocol):
    """A layout is whatever the game's options take for one seat, as plain JSON."""

    def options(
        self, options: Mapping[str, Any], position: object | None, layouts: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The options that hand these layouts (by seat) to a match: none where the match has no use for them, and for
        seats that `options` already has one for, that one."""
        ...

    def laid(self, position: Mapping[str, Any]) -> dict[str, Any] | None:
        """From the Position with which play begins, each seat's layout; None while they are still being laid out."""
        ...
