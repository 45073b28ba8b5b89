"""Stored bodies become Structs here, and nowhere else.

A body that was written in an older form carries no `form`, or a lower one, and is lifted step by step to today's. Each
lift is a small pure function on the JSON object; samples of every form ever written are kept as test data.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

import msgspec

from ..errors import IntegrityError
from .model import BODIES, Body
from .names import with_names
from .stored import StoredEvent

# type → the lifts from form 1 to 2, from 2 to 3 … Nothing has been lifted yet.
LIFTS: dict[str, list[Callable[[dict[str, Any]], dict[str, Any]]]] = {}

_decoders: dict[str, msgspec.json.Decoder[Any]] = {
    name: msgspec.json.Decoder(body) for name, body in BODIES.items()
}


def body_of(stored: StoredEvent, names: Mapping[str, str] = {}) -> Body:
    """`names`: of the players that the event does not name (names.py); without them, players are ids alone.

    Raises IntegrityError for a type that was never written, or a body that does not fit it."""
    try:
        lifts = LIFTS.get(stored.type)
        if not lifts:
            body: Body = _decoders[stored.type].decode(stored.body)
        else:
            plain = msgspec.json.decode(stored.body)
            for lift in lifts[plain.pop("form", 1) - 1 :]:
                plain = lift(plain)
            body = cast(Body, msgspec.convert(plain, BODIES[stored.type]))
        return with_names(body, names) if names else body
    except (KeyError, ValueError, RecursionError, msgspec.MsgspecError) as error:
        detail = f"event {stored.version} ({stored.type}): {error}"
        raise IntegrityError(detail, version=stored.version, first_bad=stored.version) from error
