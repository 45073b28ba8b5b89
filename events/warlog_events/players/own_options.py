"""Sets of options that players keep, of any game, under names of their own (wec 6.6: one's own default options)."""

from collections.abc import Mapping
from typing import Any

import msgspec

import warlog_core

from ..clock_and_random import World
from ..errors import QuotaExceeded, Refused, UnknownOptions
from ..match.match import rfc3339
from ..match.proposals import check_beginning
from ..redis import keys
from ..redis.connection import Connection
from .layouts import check_name


class OwnOptions(msgspec.Struct, frozen=True):
    """`options` are as they were saved, without defaults; `options_text` says how they differ from the standard."""

    game: str
    name: str
    options: dict[str, Any]
    options_text: str
    saved_at: str


class _Stored(msgspec.Struct, frozen=True):
    saved_ms: int
    options: dict[str, Any]


class OptionsKept:
    """A game's sets of options of one player are a hash of name → options."""

    def __init__(self, connection: Connection, world: World, *, options_per_game: int = 0) -> None:
        """options_per_game: of one player; 0 for any number."""
        self._options_max = options_per_game
        self._pipe = connection.pipe
        self._world = world

    async def save(
        self, player: str, game: warlog_core.Game, name: str, options: dict[str, Any]
    ) -> OwnOptions:
        """Under a name that is new, or in the place of what had it.

        Raises Refused as a match with these options is refused, MalformedBody (the name), QuotaExceeded,
        Unavailable."""
        check_options(game, options)
        check_name(name)
        stored = _Stored(self._world.now_ms(), options)
        key = keys.options(player, game.name)
        self._pipe.check_growth(key)
        kept = (name, msgspec.json.encode(stored), self._options_max, "")
        have = await self._pipe.script("keep", [key], kept)
        if have != -1:
            detail = (
                f"You keep {have} sets of options here; {self._options_max} is the limit. Delete one first."
            )
            raise QuotaExceeded("options_per_game", have, self._options_max, detail)
        return _shown(game, name, stored)

    async def get(self, player: str, game: warlog_core.Game, name: str) -> OwnOptions:
        """Raises UnknownOptions."""
        raw = await self._pipe.call("HGET", keys.options(player, game.name), name)
        if raw is None:
            raise UnknownOptions("You have no saved options with this name.")
        return _shown(game, name, msgspec.json.decode(raw, type=_Stored))

    async def all(self, player: str, game: warlog_core.Game) -> list[OwnOptions]:
        """By name."""
        flat = await self._pipe.call("HGETALL", keys.options(player, game.name))
        stored = {name.decode(): raw for name, raw in zip(flat[::2], flat[1::2], strict=True)}
        return [
            _shown(game, name, msgspec.json.decode(stored[name], type=_Stored)) for name in sorted(stored)
        ]

    async def delete(self, player: str, game: warlog_core.Game, name: str) -> None:
        """Raises UnknownOptions."""
        if not await self._pipe.call("HDEL", keys.options(player, game.name), name, write=True):
            raise UnknownOptions("You have no saved options with this name.")


def check_options(game: warlog_core.Game, options: Mapping[str, object]) -> None:
    """Raises Refused unless a match of one mode or the other may have these options."""
    try:
        check_beginning(game, options, None, "casual", None)
    except Refused:
        try:
            check_beginning(game, options, None, "competitive", None)
        except Refused:
            pass
        else:
            return
        raise


def _shown(game: warlog_core.Game, name: str, stored: _Stored) -> OwnOptions:
    text = game.options_text(stored.options)
    return OwnOptions(game.name, name, stored.options, text, rfc3339(stored.saved_ms))
