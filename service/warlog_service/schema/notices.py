"""What a personal feed tells (`warlog_events.match.notices`)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Union

from msgspec import UNSET, Meta, Struct, UnsetType

from warlog_service.schema.accounts import RatingValue
from warlog_service.schema.common import Json, Result, Time, component

ProposalKind = Literal["options", "undo", "edit", "competitive", "abort", "rematch"]


class NoticeBase(Struct, frozen=True, kw_only=True, tag_field="type"):
    match: Annotated[str, Meta(description="id of the match")]
    game: Annotated[str, Meta(description="its game")]
    version: Annotated[int, Meta(ge=1, description="the match's version when this happened")]
    at: Time
    seats: Annotated[list[str], Meta(description="your seats, unless the notice says others")]


class SeatedNotice(NoticeBase, frozen=True, kw_only=True, tag="seated"):
    """You hold a seat of a match in which you held none."""


class ChallengedNotice(NoticeBase, frozen=True, kw_only=True, tag="challenged"):
    """Somebody has made a match and given you these seats. It begins when all are prepared, you too (`PUT
    /v1/matches/{match_id}/seats/{seat}`, or `prepare`). To decline, `POST /v1/matches/{match_id}/decline`. The match's
    `deadlines` say when the challenge lapses."""


class AcceptedNotice(NoticeBase, frozen=True, kw_only=True, tag="accepted"):
    """Somebody whom you have challenged has taken these `seats`: his, not yours. The match begins when all are
    prepared, you too."""


class DeclinedNotice(NoticeBase, frozen=True, kw_only=True, tag="declined"):
    """A challenge for these `seats` was declined or has lapsed. Its maker and the challenged player are told. Where the
    match ends by it, `match_over` follows."""

    reason: (
        Annotated[
            Literal["later", "options", "not_now", "lapsed"],
            Meta(description="why; `lapsed`: no answer within a day; absent: the seat was left"),
        ]
        | UnsetType
    ) = UNSET


class MatchStartedNotice(NoticeBase, frozen=True, kw_only=True, tag="match_started"):
    """A match begins in which you hold a seat, or that you have made."""


class YourTurnNotice(NoticeBase, frozen=True, kw_only=True, tag="your_turn"):
    """Your turn begins, or begins anew after the match was taken back or edited. `seats` are those to act. While it
    goes on there is no other notice: `to_act` of the answer to a command says whether it does."""

    deadline: Annotated[Time, Meta(description="when your time ends; absent without a clock")] | UnsetType = (
        UNSET
    )


class DrawOfferedNotice(NoticeBase, frozen=True, kw_only=True, tag="draw_offered"):
    """Somebody offers a draw by an action. `seats` are those that can answer it, in turn or not: by `accept_draw` or
    `decline_draw`. How long it stands, the game's rules say."""


class ProposalNotice(NoticeBase, frozen=True, kw_only=True, tag="proposal"):
    """You are asked to accept or reject something, by this `version`. It lapses with the next action, also yours."""

    proposal: Annotated[ProposalKind, Meta(description="its kind; `GET /v1/matches/{match_id}` has the rest")]


class ProposalOverNotice(NoticeBase, frozen=True, kw_only=True, tag="proposal_over"):
    """What you have proposed is not open any more. Where it is your turn again by it, `your_turn` follows."""

    proposal: Annotated[ProposalKind, Meta(description="its kind")]
    outcome: Annotated[
        Literal["accepted", "rejected", "lapsed"],
        Meta(
            description="`accepted`: it has been done; `rejected`: also by yourself; `lapsed`: something else, as an "
            "action or another proposal, came first"
        ),
    ]


class MatchOverNotice(NoticeBase, frozen=True, kw_only=True, tag="match_over"):
    """A match is over in which you hold a seat, which you have joined, or that you have made."""

    status: Annotated[Literal["finished", "aborted"], Meta(description="how it ended")]
    result: Annotated[Result | None, Meta(description="null: it was aborted")]


class RatingChangedNotice(NoticeBase, frozen=True, kw_only=True, tag="rating_changed"):
    """A match that is over has moved your rating in a pool of the game."""

    pool: Annotated[str, Meta(description="key of the pool")]
    before: Annotated[
        RatingValue, Meta(description="with the uncertainty of the time since the match before")
    ]
    after: RatingValue


class NotRatedNotice(NoticeBase, frozen=True, kw_only=True, tag="not_rated"):
    """A competitive match that is over has not moved your rating."""

    reason: Annotated[
        Literal["alone", "bots", "options", "same_players", "short", "uncounted", "went_back"],
        Meta(
            description="why. `alone`: fewer than two sides, or a player on both; `bots`: only the ratings of programs "
            "move; `options`: they are of no pool; `same_players`: they have had as many rated matches today as count; "
            "`short`: fewer actions than the pool's `actions_min`; `uncounted`: the match's own `uncounted` says why; "
            "`went_back`: it was taken back or edited, or began from a Position or a record"
        ),
    ]


class NewAchievement(Struct, frozen=True):
    """As in `GET /v1/achievements`."""

    key: Annotated[str, Meta(description="with the game in front, or `any`")]
    name: Annotated[str, Meta(description="for display")]
    text: Annotated[str, Meta(description="what was to be done")]


class AchievementNotice(NoticeBase, frozen=True, kw_only=True, tag="achievement"):
    """A match that is over has earned you an achievement."""

    achievement: NewAchievement


class Ready(Struct, frozen=True, kw_only=True, tag="ready", tag_field="type"):
    """The feed begins here. Ask for your matches now; what happens from then on follows."""

    ask: Annotated[list[str], Meta(description="the paths that give your matches")]


class Reset(Struct, frozen=True, kw_only=True, tag="reset", tag_field="type"):
    """What came after the id that you sent is not known any more. Ask for your matches again; what happens from then on
    follows."""

    ask: Annotated[list[str], Meta(description="the paths that give your matches")]


NOTICES: tuple[type[Struct], ...] = (
    SeatedNotice,
    ChallengedNotice,
    AcceptedNotice,
    DeclinedNotice,
    MatchStartedNotice,
    YourTurnNotice,
    DrawOfferedNotice,
    ProposalNotice,
    ProposalOverNotice,
    MatchOverNotice,
    RatingChangedNotice,
    NotRatedNotice,
    AchievementNotice,
    Ready,
    Reset,
)
ANY_NOTICE: Any = Union[NOTICES]  # noqa: UP007

Notice = Annotated[Json, component("Notice")]
PersonalFeed = Annotated[Json, component("PersonalFeed")]
