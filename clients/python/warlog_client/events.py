"""What feeds tell: the events of a match and the notices of a person, a class for each `type`, with the names that the
API's document gives them. `isinstance` and `match` tell them apart.

One of a type that this SDK does not know is an `Event` or a `Notice` and no more. `None` stands for what is left out.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct

from .models import BotSeat, Json, Player, RatingValue, Result

if TYPE_CHECKING:
    from .literals import (
        AbortReason,
        Consent,
        EventType,
        LeftReason,
        MatchStatus,
        Mode,
        NoticeType,
        ProposalKind,
        ProposalOutcome,
        Seating,
        UnratedReason,
        Visibility,
    )
    from .shapes import Proposed
else:  # A word or a kind that this SDK does not know is no reason to refuse an answer.
    AbortReason = Consent = EventType = MatchStatus = Mode = NoticeType = ProposalKind = Seating = str
    LeftReason = ProposalOutcome = UnratedReason = Visibility = str
    Proposed = dict


class Event(Struct, frozen=True, kw_only=True, rename={"with_": "with", "import_": "import"}):
    """What every event has.

    result     of the event that ended the match
    to_act     on the feed and in answers: for whose decision the match waits after this event; empty elsewhere
    deadlines  beside it, by seat, with the match's newest event; now: the server's time
    """

    version: int
    type: EventType
    at: datetime
    result: Result | None = None
    to_act: list[str] = []
    deadlines: dict[str, datetime] = {}
    now: datetime | None = None

    @property
    def is_over(self) -> bool:
        """Is the match over after this event? With a `result`, or, where it was aborted, without."""
        return self.result is not None or self.type == "match_aborted"


class HeldSeat(Struct, frozen=True):
    """A seat, and who holds it."""

    seat: str
    player: Player | None = None


class RecordSummary(Struct, frozen=True):
    """Identifies a record: how many events it has, and the id of its match."""

    events: int
    match: str | None = None
    options: Json | None = None


class Search(Struct, frozen=True):
    """How a bot of the house has found its action."""

    iterations: int
    version: int = 1
    belief: bool = False


class MatchCreatedEvent(Event, frozen=True, kw_only=True):
    """As in the match's summary. with_: "position", where there is one that you may not see. imported: id of the
    match of the imported record, perhaps empty. bots: by seat."""

    type: Literal["match_created"]
    game: str
    rules_version: int
    mode: Mode
    options: Json
    consent: Consent
    move_seconds: int
    setup_seconds: int
    visibility: Visibility
    seating: Seating
    open_record: bool
    seats: list[HeldSeat]
    creator: Player
    seed_commitment: str
    position: Json | None = None
    with_: str | None = None
    imported: str | None = None
    rematch_of: str | None = None
    bots: dict[str, BotSeat] | None = None


class PlayerJoinedEvent(Event, frozen=True, kw_only=True):
    """Somebody joined a match whose seats are given by wish; `wish` None: any seat."""

    type: Literal["player_joined"]
    player: Player
    wish: str | None


class SeatsAssignedEvent(Event, frozen=True, kw_only=True):
    """The last player joined, and all have got their seats."""

    type: Literal["seats_assigned"]
    player: Player
    wish: str | None
    seats: list[HeldSeat]
    draws: list[int]


class SeatTakenEvent(Event, frozen=True, kw_only=True):
    """A player took a seat in the lobby, or was given it."""

    type: Literal["seat_taken"]
    seat: str
    player: Player
    bots: dict[str, BotSeat] | None = None


class SeatLeftEvent(Event, frozen=True, kw_only=True):
    """A seat in the lobby is free again."""

    type: Literal["seat_left"]
    seat: str


class SeatPreparedEvent(Event, frozen=True, kw_only=True):
    """A seat in the lobby is prepared; when all are, the match starts."""

    type: Literal["seat_prepared"]
    seat: str


class ChallengeDeclinedEvent(Event, frozen=True, kw_only=True):
    """Seats that somebody was given are free again. reason: later, options, not_now, or lapsed, without a player."""

    type: Literal["challenge_declined"]
    seats: list[str]
    reason: LeftReason
    player: Player | None = None


class MatchStartedEvent(Event, frozen=True, kw_only=True):
    """The match begins.

    seat     which was prepared last
    counted  of a competitive match: will it move points and gold? If not, `uncounted` says why
    filled   when the match is over: options that the server alone sets
    """

    type: Literal["match_started"]
    effects: list[Json]
    seat: str | None = None
    draws: list[int] | None = None
    counted: bool | None = None
    uncounted: list[str] | None = None
    filled: Json | None = None


class Ends(Event, frozen=True, kw_only=True):
    """What may end the match. seeds: by their commitment. settlement: how points and gold move, by the rule book."""

    seeds: dict[str, str] | None = None
    settlement: Json | None = None


class ActionTakenEvent(Ends, frozen=True, kw_only=True):
    """Something was done in the game by `seat`, or by `server` (a clock that ran out).

    action  None where it is hidden
    draws   None where they are hidden
    search  when the match is over: how a bot of the house has found the action
    """

    type: Literal["action_taken"]
    seat: str
    effects: list[Json]
    action: Json | None = None
    draws: list[int] | None = None
    search: Search | None = None


class ProposalMadeEvent(Event, frozen=True, kw_only=True):
    """`proposal` is JSON, told apart by `kind`. replaces: version of the proposal that was open until then."""

    type: Literal["proposal_made"]
    player: Player
    proposal: Proposed
    replaces: int | None = None


class ProposalAcceptedEvent(Event, frozen=True, kw_only=True):
    """A player accepted the proposal of this version, and others still have to."""

    type: Literal["proposal_accepted"]
    player: Player
    proposal: int


class ProposalRejectedEvent(Event, frozen=True, kw_only=True):
    """A player rejected the proposal of this version, or its proposer withdrew it."""

    type: Literal["proposal_rejected"]
    player: Player
    proposal: int


class OptionsChangedEvent(Event, frozen=True, kw_only=True):
    """The options or the beginning have changed.

    proposal  the version that was accepted; None: it needed nobody's consent
    seats     which these options give, in seat order
    prepared  in the lobby: the seats that stay prepared
    with_     "position", where there is one that you may not see
    import_   the record that the match goes on from
    """

    type: Literal["options_changed"]
    player: Player
    proposal: int | None
    options: Json
    seats: list[str]
    prepared: list[str] | None = None
    position: Json | None = None
    with_: str | None = None
    import_: RecordSummary | None = None


class TimeTravelledEvent(Ends, frozen=True, kw_only=True):
    """The match went back to its state after event `to`; bots commit themselves to new seeds. No player: imported."""

    type: Literal["time_travelled"]
    proposal: int | None
    to: int
    player: Player | None = None
    seed_commitment: str | None = None
    bots: dict[str, BotSeat] | None = None


class PositionEditedEvent(Event, frozen=True, kw_only=True):
    """The match goes on from another Position, as a new one."""

    type: Literal["position_edited"]
    player: Player
    proposal: int | None
    effects: list[Json]
    position: Json | None = None
    with_: str | None = None
    seed_commitment: str | None = None
    draws: list[int] | None = None
    bots: dict[str, BotSeat] | None = None


class BecameCompetitiveEvent(Event, frozen=True, kw_only=True):
    """The match is competitive from now on. setup_seconds: None: as before."""

    type: Literal["became_competitive"]
    player: Player
    proposal: int | None
    setup_seconds: int | None = None
    counted: bool | None = None
    uncounted: list[str] | None = None


class RematchAgreedEvent(Event, frozen=True, kw_only=True):
    """There is a new match of the same players."""

    type: Literal["rematch_agreed"]
    player: Player
    proposal: int | None
    match: str


class MatchAbortedEvent(Event, frozen=True, kw_only=True):
    """The match ended without a result. reason: None: its players agreed."""

    type: Literal["match_aborted"]
    player: Player | None = None
    proposal: int | None = None
    reason: AbortReason | None = None


class Notice(Struct, frozen=True, kw_only=True):
    """What every notice of your own feed has. `id` is that by which a feed goes on after it."""

    type: NoticeType
    id: str = ""


class MatchNotice(Notice, frozen=True, kw_only=True):
    """Something happened to you in a match. `seats` are yours, where the notice does not say others."""

    match: str
    game: str
    version: int
    at: datetime
    seats: list[str]


class SeatedNotice(MatchNotice, frozen=True, kw_only=True):
    """You hold a seat of a match in which you held none."""

    type: Literal["seated"]


class ChallengedNotice(MatchNotice, frozen=True, kw_only=True):
    """Somebody has made a match and given you these seats: `prepare` them, or `decline`."""

    type: Literal["challenged"]


class AcceptedNotice(MatchNotice, frozen=True, kw_only=True):
    """Somebody whom you have challenged has taken these `seats`: his, not yours."""

    type: Literal["accepted"]


class DeclinedNotice(MatchNotice, frozen=True, kw_only=True):
    """A challenge for these `seats` was declined or has lapsed. reason: later, options, not_now or lapsed; None: the
    seat was left. Where the match ends by it, a MatchOverNotice follows."""

    type: Literal["declined"]
    reason: LeftReason | None = None


class MatchStartedNotice(MatchNotice, frozen=True, kw_only=True):
    """A match begins in which you hold a seat, or that you have made."""

    type: Literal["match_started"]


class YourTurnNotice(MatchNotice, frozen=True, kw_only=True):
    """Your turn begins; `seats` are those that are to act, `deadline` the first of theirs."""

    type: Literal["your_turn"]
    deadline: datetime | None = None


class DrawOfferedNotice(MatchNotice, frozen=True, kw_only=True):
    """Somebody offers a draw; `seats` are those that can answer it, in turn or not: `accept_draw` or `decline_draw`."""

    type: Literal["draw_offered"]


class ProposalNotice(MatchNotice, frozen=True, kw_only=True):
    """You are asked to accept or reject something, by this `version`; `proposal` is its kind."""

    type: Literal["proposal"]
    proposal: ProposalKind


class ProposalOverNotice(MatchNotice, frozen=True, kw_only=True):
    """What you have proposed is not open any more. outcome: accepted, rejected, or lapsed: something else came
    first."""

    type: Literal["proposal_over"]
    proposal: ProposalKind
    outcome: ProposalOutcome


class MatchOverNotice(MatchNotice, frozen=True, kw_only=True):
    """status: finished, with a `result`, or aborted."""

    type: Literal["match_over"]
    status: MatchStatus
    result: Result | None = None


class RatingChangedNotice(MatchNotice, frozen=True, kw_only=True):
    """A match has moved your rating in a pool of the game."""

    type: Literal["rating_changed"]
    pool: str
    before: RatingValue
    after: RatingValue


class NotRatedNotice(MatchNotice, frozen=True, kw_only=True):
    """A competitive match that is over has not moved your rating. `reason`: why."""

    type: Literal["not_rated"]
    reason: UnratedReason


class NewAchievement(Struct, frozen=True):
    """What a notice tells of an achievement."""

    key: str
    name: str
    text: str


class AchievementNotice(MatchNotice, frozen=True, kw_only=True):
    """A match has earned you an achievement."""

    type: Literal["achievement"]
    achievement: NewAchievement


class Ready(Notice, frozen=True, kw_only=True):
    """The feed begins here. `ask`: the paths that give your matches; what happens from then on follows."""

    type: Literal["ready"]
    ask: list[str]


class Reset(Notice, frozen=True, kw_only=True):
    """What came after the id that you sent is not known any more. `ask`: the paths that give your matches."""

    type: Literal["reset"]
    ask: list[str]


EVENTS: dict[str, type[Event]] = {
    "match_created": MatchCreatedEvent,
    "player_joined": PlayerJoinedEvent,
    "seats_assigned": SeatsAssignedEvent,
    "seat_taken": SeatTakenEvent,
    "seat_left": SeatLeftEvent,
    "seat_prepared": SeatPreparedEvent,
    "challenge_declined": ChallengeDeclinedEvent,
    "match_started": MatchStartedEvent,
    "action_taken": ActionTakenEvent,
    "proposal_made": ProposalMadeEvent,
    "proposal_accepted": ProposalAcceptedEvent,
    "proposal_rejected": ProposalRejectedEvent,
    "options_changed": OptionsChangedEvent,
    "time_travelled": TimeTravelledEvent,
    "position_edited": PositionEditedEvent,
    "became_competitive": BecameCompetitiveEvent,
    "rematch_agreed": RematchAgreedEvent,
    "match_aborted": MatchAbortedEvent,
}
NOTICES: dict[str, type[Notice]] = {
    "seated": SeatedNotice,
    "challenged": ChallengedNotice,
    "accepted": AcceptedNotice,
    "declined": DeclinedNotice,
    "match_started": MatchStartedNotice,
    "your_turn": YourTurnNotice,
    "draw_offered": DrawOfferedNotice,
    "proposal": ProposalNotice,
    "proposal_over": ProposalOverNotice,
    "match_over": MatchOverNotice,
    "rating_changed": RatingChangedNotice,
    "not_rated": NotRatedNotice,
    "achievement": AchievementNotice,
    "ready": Ready,
    "reset": Reset,
}


class _Typed(Struct):
    type: str


# Made at once: see `request.looked_at`.
_type_of = msgspec.json.Decoder(_Typed).decode
_event = msgspec.json.Decoder(Event).decode
_events = {name: msgspec.json.Decoder(known).decode for name, known in EVENTS.items()}
_notice = msgspec.json.Decoder(Notice).decode
_notices = {name: msgspec.json.Decoder(known).decode for name, known in NOTICES.items()}


def read_event(data: Any) -> Event:
    """Of JSON. Raises msgspec.DecodeError."""
    return _events.get(_type_of(data).type, _event)(data)


def read_notice(data: Any) -> Notice:
    """Of JSON. Raises msgspec.DecodeError."""
    return _notices.get(_type_of(data).type, _notice)(data)
