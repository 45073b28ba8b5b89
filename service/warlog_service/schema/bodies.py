"""The bodies of requests, which forbid unknown fields. Those of commands are in `warlog_events.match.commands`."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from warlog_events.match.model import DeclineReason
from warlog_service.schema.common import GameOptions, GamePosition, Json, Seat, component


class NewPlayer(Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(min_length=1, max_length=40)]
    bot: Annotated[bool, Meta(description="a program plays for it, which everybody sees; for good")] = False


class Leave(Struct, frozen=True, forbid_unknown_fields=True):
    """Confirms that the account is to be deleted."""

    name: Annotated[str, Meta(max_length=40, description="the name of your account, exactly as it is")]


class NewToken(Struct, frozen=True, forbid_unknown_fields=True):
    label: Annotated[str, Meta(max_length=80)] = ""
    scopes: Annotated[list[Literal["play", "admin"]], Meta(min_length=1, max_length=2)] = field(
        default_factory=lambda: ["play"]
    )


class SeatClaim(Struct, frozen=True, forbid_unknown_fields=True):
    invitation: Annotated[str, Meta(max_length=200)] | None = None
    player: (
        Annotated[str, Meta(max_length=32, description="`bot:1` to `bot:8`: who gets the seat; absent: you")]
        | None
    ) = None


class Wish(Struct, frozen=True, forbid_unknown_fields=True):
    wish: Seat | None = None


class Declined(Struct, frozen=True, forbid_unknown_fields=True):
    """Why you decline a challenge."""

    reason: Annotated[
        DeclineReason,
        Meta(description="`later`: ask again; `options`: not with these options; `not_now`: no"),
    ]


class AnalysisWanted(Struct, frozen=True, forbid_unknown_fields=True):
    seat: Annotated[Seat, Meta(description="whose action is looked for, with what it knew")]
    at: Annotated[int, Meta(ge=1, description="the version; absent: the newest")] | None = None
    lines: Annotated[int, Meta(ge=1, le=20, description="how many actions, at most")] = 5
    iterations: (
        Annotated[
            int, Meta(ge=1, description="most iterations of the search; absent or greater: those of bot 8")
        ]
        | None
    ) = None


class NewLayout(Struct, frozen=True, forbid_unknown_fields=True):
    layout: object


class NewOwnOptions(Struct, frozen=True, forbid_unknown_fields=True):
    options: GameOptions


class NewScenario(Struct, frozen=True, forbid_unknown_fields=True):
    """Without a Position, a match from the scenario begins with the game's own setup."""

    game: Annotated[str, Meta(max_length=64)]
    name: Annotated[str, Meta(min_length=1, max_length=80)]
    position: GamePosition | None = None
    options: GameOptions = {}
    visibility: Literal["public", "private"] = "private"


class PositionCheck(Struct, frozen=True, forbid_unknown_fields=True):
    position: GamePosition
    options: GameOptions = {}


class WrittenHistory(Struct, frozen=True):
    """A match in its game's notation, instead of a record; other fields are let be."""

    game: Annotated[str, Meta(description="name of the game")]
    history: Annotated[str, Meta(description="the whole text, as `GET …/history` gives it")]


Import = Annotated[Json, component("Import")]
"""A Record or a WrittenHistory, which `warlog_events` tells apart."""
