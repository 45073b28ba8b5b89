"""Starting layouts that players keep: those they named, and the one they had last."""

from collections.abc import Sequence
from typing import Any

import msgspec

import warlog_core
from warlog_core.accounts import LayoutRules

from ..clock_and_random import World
from ..errors import (
    MalformedBody,
    QuotaExceeded,
    Refused,
    UnknownGame,
    UnknownLayout,
    named,
    refused,
)
from ..match import policy
from ..match.match import rfc3339
from ..redis import keys
from ..redis.connection import Connection

LAST = "last"
NAME_CHARACTERS_MAX = 40


def check_name(name: str) -> None:
    """Of something that a player keeps: it must be able to stand in a path. Raises MalformedBody."""
    if (
        not 1 <= len(name) <= NAME_CHARACTERS_MAX
        or not name.isprintable()
        or name != name.strip()
        or "/" in name
        or name in (".", "..")
    ):
        raise MalformedBody(
            f"A name has 1 to {NAME_CHARACTERS_MAX} printable characters, no slash, and no space at either end."
        )


class Layout(msgspec.Struct, frozen=True):
    """`layout` is the rule book's. The one named `last` is that with which play last began."""

    game: str
    name: str
    layout: Any
    saved_at: str


class _Stored(msgspec.Struct, frozen=True):
    """`saved_ms` comes first: keep_last.lua reads it."""

    saved_ms: int
    layout: Any


class Library:
    """A game's layouts of one player are a hash of name → layout."""

    def __init__(self, connection: Connection, world: World, *, layouts_per_game: int = 0) -> None:
        """layouts_per_game: of one player, the last one not counted; 0 for any number."""
        self._layouts_max = layouts_per_game
        self._pipe = connection.pipe
        self._world = world

    async def save(self, player: str, game: str, name: str, layout: object) -> Layout:
        """Under a name that is new, or in the place of what had it.

        Raises UnknownGame for a game without layouts, Refused as the rules core refuses the layout, MalformedBody for a
        name that is none or reserved, QuotaExceeded."""
        self._check(game, layout)
        if name == LAST:
            raise MalformedBody(
                "`last` names the layout you began with last; load another one to begin with it."
            )
        check_name(name)
        stored = _Stored(self._world.now_ms(), layout)
        kept = (name, msgspec.json.encode(stored), self._layouts_max, LAST)
        key = keys.layouts(player, game)
        self._pipe.check_growth(key)
        have = await self._pipe.script("keep", [key], kept)
        if have != -1:
            detail = f"You have {have} layouts of this game, and {self._layouts_max} is the limit. Delete one first."
            raise QuotaExceeded("layouts_per_game", have, self._layouts_max, detail)
        return Layout(game, name, layout, rfc3339(stored.saved_ms))

    async def get(self, player: str, game: str, name: str) -> Layout:
        """Raises UnknownLayout, UnknownGame."""
        _rules(game)
        raw = await self._pipe.call("HGET", keys.layouts(player, game), name)
        if raw is None:
            raise UnknownLayout("You have no layout with this name.")
        return _layout(game, name, raw)

    async def page(
        self, player: str, game: str, after: str | None, limit: int
    ) -> tuple[list[Layout], str | None]:
        """By name, from behind the name `after`; and the name after which to go on, None at the end."""
        _rules(game)
        flat = await self._pipe.call("HGETALL", keys.layouts(player, game))
        stored = {name.decode(): raw for name, raw in zip(flat[::2], flat[1::2], strict=True)}
        names = sorted(name for name in stored if after is None or name > after)
        shown = [_layout(game, name, stored[name]) for name in names[:limit]]
        return shown, shown[-1].name if len(names) > limit else None

    async def load(self, player: str, game: str, name: str) -> Layout:
        """The player's next match begins with it: it becomes `last`. Raises UnknownLayout, UnknownGame."""
        layout = await self.get(player, game, name)
        await self.keep_last(player, game, layout.layout, self._world.now_ms())
        return layout

    async def delete(self, player: str, game: str, name: str) -> None:
        """Raises UnknownLayout, UnknownGame."""
        _rules(game)
        if not await self._pipe.call("HDEL", keys.layouts(player, game), name, write=True):
            raise UnknownLayout("You have no layout with this name.")

    async def keep_last(self, player: str, game: str, layout: object, at_ms: int) -> None:
        """That with which play began at that time, unless a later one is known."""
        raw = msgspec.json.encode(_Stored(at_ms, layout))
        await self._pipe.script("keep_last", [keys.layouts(player, game)], [LAST, at_ms, raw])

    async def last(self, players: Sequence[str], game: str) -> dict[str, Any]:
        """The layout that each of them had last, of those who had any, and which the rules still take."""
        found = await self._pipe.many(("HGET", keys.layouts(player, game), LAST) for player in players)
        layouts = {
            player: _layout(game, LAST, raw).layout
            for player, raw in zip(players, found, strict=True)
            if raw is not None
        }
        return {player: layout for player, layout in layouts.items() if self._is_legal(game, layout)}

    def _is_legal(self, game: str, layout: object) -> bool:
        try:
            self._check(game, layout)
        except Refused:
            return False
        return True

    def _check(self, game: str, layout: object) -> None:
        rules = _rules(game)
        found = warlog_core.game(game)
        options = rules.options({}, None, {found.seats[0]: layout})
        try:
            found.check_options(options)
        except warlog_core.Refused as error:
            raise refused(error, pointer=None) from error


def _rules(game: str) -> LayoutRules:
    try:
        rules = policy.layout_rules(warlog_core.game(game))
    except warlog_core.UnknownGame as error:
        raise UnknownGame(f"There is no game {named(str(error))}.") from error
    if rules is None:
        raise UnknownGame(f"The game {game} has no layouts.")
    return rules


def _layout(game: str, name: str, raw: bytes) -> Layout:
    stored = msgspec.json.decode(raw, type=_Stored)
    return Layout(game, name, stored.layout, rfc3339(stored.saved_ms))
