"""What most codecs do alike. A game's `Codec` and `Tables` begin with these and say only what is different there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from warlog_core.codecs import ActionRecord
from warlog_core.codecs._actions import Encoder, ListedActions, encoded


class BaseCodec:
    """Of a game whose seats are numbered in each match, which spectators may watch, and which has no named starts."""

    seats_are_numbered_by = "match"
    spectators = "open"

    def labels(self, options: object) -> bytes:
        return b""

    def presets(self, options: Mapping[str, Any]) -> list[Any]:
        return []


class BaseTables:
    """Actions and effects of one match, where the signatures tell all. For a game whose actions are never redacted.

    encoders  by type (Actions.encoders)
    effects   by number (Effects.decoders)
    listed    the codec's
    """

    def __init__(
        self,
        encoders: Mapping[str, Encoder],
        effects: Sequence[Callable[[Sequence[int]], Any]],
        listed: ListedActions,
    ) -> None:
        self._encoders = encoders
        self._effects = effects
        self._listed = listed

    def record(self, action: object) -> ActionRecord:
        return encoded(action, self._encoders)

    def listing(self, listing: bytes) -> list[Any]:
        return self._listed.structs(listing)

    def action_alt(self, kind: int, words: Sequence[int]) -> dict[str, Any]:
        raise AssertionError("no action of this game has another form")

    def effect(self, kind: int, words: Sequence[int]) -> Any:
        return self._effects[kind](words)
