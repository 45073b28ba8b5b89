"""Actions as far as no signature is needed: what is posted, the commonest record, listings into Structs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from warlog_core.binding import UNKNOWN, listing_keys, record_of
from warlog_core.codecs import MALFORMED_RECORD, ActionRecord, ActionStruct
from warlog_core.codecs._words import FIELD_LIMIT, WrongShape, int64_field

# The record of a posted action whose type is known. Raises WrongShape, or KeyError for a field that is missing.
Encoder = Callable[[dict[str, Any]], ActionRecord]

_LISTED_MAX = 32768

# Around what makes the Struct of an action from its record: the same few thousand are taken again and again.
recent = lru_cache(maxsize=8192)


def type_name(action: Any) -> str:
    """The `type` of an action's Struct."""
    return str(action.__struct_config__.tag)


def piece_and_space(number: int, space: str, spaces: Mapping[str, int]) -> Encoder:
    """Encodes the commonest shape: a `piece` that must fit 64 bits, and a space."""

    def encode(action: dict[str, Any]) -> ActionRecord:
        piece, name = action["piece"], action[space]
        if type(piece) is not int or type(name) is not str or len(action) != 3:
            raise WrongShape
        if not 0 <= piece <= FIELD_LIMIT:
            piece = int64_field(piece)
        return (number, piece, spaces.get(name, UNKNOWN), 0, 0, 0, 0, 0), ()

    return encode


def plain(action: object) -> dict[str, Any] | None:
    """A posted action, plain JSON or an action Struct, as plain JSON; None for what is neither."""
    if type(action) is dict:
        return action
    if not isinstance(action, ActionStruct):
        return None
    builtins = msgspec.to_builtins(action)
    assert isinstance(builtins, dict)
    return builtins


def encoded(action: object, encoders: Mapping[str, Encoder]) -> ActionRecord:
    """The record of a posted action; MALFORMED_RECORD for what is none. `encoders` by type."""
    given = action if type(action) is dict else plain(action)
    if given is None:
        return MALFORMED_RECORD
    kind = given.get("type")
    try:
        return encoders[kind](given) if type(kind) is str else MALFORMED_RECORD
    except (WrongShape, KeyError):
        return MALFORMED_RECORD


class ListedActions:
    """The Structs of listed actions. These recur all the time and are frozen, so each is made once."""

    def __init__(self, make: Callable[[Sequence[int]], Any]) -> None:
        """`make` makes the Struct of a listed action's record."""
        self._make = make
        self._made: dict[bytes, Any] = {}

    def structs(self, listing: bytes) -> list[Any]:
        """Those of a whole listing, in its order."""
        keys = listing_keys(listing)
        made = self._made
        try:
            return [made[key] for key in keys]
        except KeyError:
            pass
        if len(made) > _LISTED_MAX:
            made.clear()
        for key in keys:
            if key not in made:
                made[key] = self._make(record_of(key))
        return [made[key] for key in keys]
