"""What bodies, queries and answers have in common."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from warlog_events.match.model import Result as Result

Version = Annotated[int, Meta(ge=0, le=2**53)]
At = Annotated[int, Meta(ge=1, le=2**53)]
"""The version that is shown: the first is 1."""
Cursor = Annotated[str, Meta(max_length=200, description="`next` of the previous page")]
Limit = Annotated[
    int, Meta(ge=1, description="the most that a page may have; the server may send fewer (see Limits)")
]
Seat = Annotated[str, Meta(max_length=32)]
Time = Annotated[str, Meta(description="RFC 3339, UTC", extra_json_schema={"format": "date-time"})]
Json = dict[str, Any]
FREE: Json = {"additionalProperties": True}
"""Of an object that may have any members, so that the document says so."""


def component(name: str, text: str = "") -> Meta:
    """In the document the component of this name stands here, with `text`. Nothing else follows from it."""
    return Meta(description=text or None, extra_json_schema={"x-component": name})


GameOptions = Annotated[Json, component("GameOptions", "options of the game")]
GamePosition = Annotated[Json, component("GamePosition", "a Position of the game")]
GameView = Annotated[Json, component("GameView", "the match as this seat sees it")]
GameEffect = Annotated[Json, component("GameEffect")]


Bot = Annotated[Literal[True], Meta(description="stands where a program plays for the account")]


class PlayerName(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    name: str
    bot: Bot | UnsetType = UNSET


class BotInMatch(Struct, frozen=True):
    """A bot of the house, and the secret seed to which it has committed itself: with it, everybody can find its actions
    again."""

    level: Annotated[int, Meta(description="1 to 8")]
    seed_hash: Annotated[str, Meta(description="`sha256:` and the SHA-256 of its seed, in hex")]
    seed: Annotated[str, Meta(description="when the match is over: the seed, in hex")] | UnsetType = UNSET
