"""Every refusal."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from warlog_events.errors import LimitName, QuotaName


class Problem(Struct, frozen=True):
    """RFC 9457. `code` is stable; `detail` is for people and may change. All other members are facts, present if the
    server knows them; a code of a rule book may have more."""

    type: str
    title: str
    status: int
    code: Annotated[
        str,
        Meta(
            description="stable. `GET /openapi.json` lists the codes of each call, with a sentence for each, and in "
            "its head those that any request may get; those of a game are also the `errors` of `GET /games/{game}`"
        ),
    ]
    detail: Annotated[str, Meta(description="what is wrong, in one sentence for people")]
    path: (
        Annotated[str, Meta(description="JSON Pointer to the part of the request's body that is at fault")]
        | UnsetType
    ) = UNSET
    version: Annotated[int, Meta(description="the match's newest version")] | UnsetType = UNSET
    minimum: Annotated[int | float, Meta(description="the least that is allowed")] | UnsetType = UNSET
    maximum: Annotated[int | float, Meta(description="the most that is allowed")] | UnsetType = UNSET
    allowed: Annotated[list[object], Meta(description="the values that are allowed")] | UnsetType = UNSET
    have: Annotated[int, Meta(description="the present amount or number")] | UnsetType = UNSET
    needed: (
        Annotated[Any, Meta(description="the amount that is needed, or the names of what is needed")]
        | UnsetType
    ) = UNSET
    cost: Annotated[int, Meta(description="the cost of what was asked for")] | UnsetType = UNSET
    budget: Annotated[int, Meta(description="the amount available to pay the cost")] | UnsetType = UNSET
    space: Annotated[Any, Meta(description="the space that is at fault")] | UnsetType = UNSET
    piece: Annotated[Any, Meta(description="the piece that is at fault")] | UnsetType = UNSET
    seat: Annotated[str, Meta(description="the seat that is at fault")] | UnsetType = UNSET
    line: Annotated[int, Meta(description="the line of a history, from 1")] | UnsetType = UNSET
    record_version: Annotated[int, Meta(description="the version of the record")] | UnsetType = UNSET
    player: Annotated[str, Meta(description="the id of the player whom the refusal concerns")] | UnsetType = (
        UNSET
    )
    quota: Annotated[QuotaName, Meta(description="quota_exceeded: the quota's name")] | UnsetType = UNSET
    limit: (
        Annotated[
            int | LimitName,
            Meta(description="too_many_requests: the limit's name; quota_exceeded: the number allowed"),
        ]
        | UnsetType
    ) = UNSET
