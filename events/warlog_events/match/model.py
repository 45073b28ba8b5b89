"""The facts of a match: one Struct per event type, and the small values they are made of.

A body holds what cannot be derived. What the rules make of it (effects, views, deadlines) is derived by replay;
`seat`, `by`, `at`, `draws`, `hash` and `chain` stand beside it in the stream (stored.StoredEvent).

Events are for ever: a new field comes last, with a default; a new meaning is a new type, or a new form (upcast.py).
Bodies are stored with sorted keys, so that the bytes over which `chain` runs can be made again from any copy of
the JSON.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Struct

Mode = Literal["casual", "competitive"]
Status = Literal["lobby", "playing", "finished", "aborted"]
SERVER = "server"
SPECTATOR = "spectator"


class Player(Struct, frozen=True, order=True, omit_defaults=True):
    """Who acts, as far as a match is concerned. Events hold the id alone (names.py); 0.1 stored the name, too."""

    id: str
    name: str = ""


class Result(Struct, frozen=True):
    winners: list[str]
    reason: str


class MatchCreated(Struct, frozen=True, omit_defaults=True):
    """seats        names in seat order
    holders      seat → who holds it
    invitations  seat → SHA-256 of its invitation, in hex
    prepared     seats that count as prepared at once (a creator who holds them all)
    imported     the id of the record's match where the match began as an import, "" for one without an id
    rematch_of   the match after which this one is
    open_record  everybody may have the complete record, notation and position while the (casual) match runs
    bots         seats of house bots → the commitment to each one's seed (bots.py)
    """

    game: str
    rules_version: int
    seats: list[str]
    creator: Player
    seed_commitment: str
    options: dict[str, object] = {}
    position: dict[str, object] | None = None
    mode: Mode = "casual"
    consent: Literal["all", "none"] = "all"
    move_seconds: int = 0
    visibility: Literal["public", "private"] = "public"
    seating: Literal["direct", "wish"] = "direct"
    holders: dict[str, Player] = {}
    invitations: dict[str, str] = {}
    prepared: list[str] = []
    imported: str | None = None
    rematch_of: str | None = None
    setup_seconds: int = 0
    open_record: bool = False
    bots: dict[str, str] = {}


class PlayerJoined(Struct, frozen=True, omit_defaults=True):
    player: Player
    wish: str | None = None


class SeatsAssigned(Struct, frozen=True, omit_defaults=True):
    """The last one joined; draws say who got a seat that several wished."""

    player: Player
    holders: dict[str, Player]
    wish: str | None = None


class SeatTaken(Struct, frozen=True, omit_defaults=True):
    """`bot`: of a house bot, whose seat is thereby prepared: the commitment to its seed."""

    player: Player
    bot: str | None = None


class SeatLeft(Struct, frozen=True, omit_defaults=True):
    pass


class SeatPrepared(Struct, frozen=True, omit_defaults=True):
    pass


DeclineReason = Literal["later", "options", "not_now"]


class ChallengeDeclined(Struct, frozen=True, omit_defaults=True):
    """Somebody does not take the seats that the maker of the match gave to him: they are free again. `player` None: by
    the server, since nobody answered for long (`lapsed`)."""

    seats: list[str]
    reason: Literal["later", "options", "not_now", "lapsed"]
    player: Player | None = None


class MatchStarted(Struct, frozen=True, omit_defaults=True):
    """The setup's draws stand beside it.

    filled          options that the server alone may set, never shown before the end
    imported_until  the last version that came with the record from which the lobby agreed to go on, 0 without one
    uncounted       why it moves no points and no gold, although its rules settle it (stakes.py); empty: it does
    """

    filled: dict[str, object] = {}
    imported_until: int = 0
    uncounted: list[str] = []


class Ending(Struct, frozen=True, omit_defaults=True):
    """What the event that ends a match publishes. `seeds`: commitment → seed in hex, those not known before."""

    result: Result
    seeds: dict[str, str]
    settlement: dict[str, object] | None = None


class Search(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How a house bot came to its action."""

    iterations: Annotated[
        int, msgspec.Meta(ge=0, le=2**53, description="of the search; 0: it did not search")
    ]
    version: Annotated[
        int,
        msgspec.Meta(
            ge=1, le=2**31 - 1, description="of the computer opponents: only the same finds the action again"
        ),
    ] = 1
    belief: Annotated[
        bool, msgspec.Meta(description="it went by all that the seat has seen, not only by its last view")
    ] = False


class ActionTaken(Struct, frozen=True, omit_defaults=True):
    """action  as JSON has it; of a seat, fresh from the rules, still their Struct, which encodes to the same
    search  of a house bot, never shown before the end
    """

    action: Any
    ending: Ending | None = None
    search: Search | None = None


class ProposalMade(Struct, frozen=True, omit_defaults=True):
    """proposal  as it was posted, with a scenario already resolved
    replaces  version of the proposal that was open until then, None where none was
    """

    proposal: dict[str, object]
    player: Player
    replaces: int | None = None


class ProposalAccepted(Struct, frozen=True, omit_defaults=True):
    """One of several acceptances; the last writes the proposed event instead."""

    proposal: int
    player: Player


class ProposalRejected(Struct, frozen=True, omit_defaults=True):
    proposal: int
    player: Player


class OptionsChanged(Struct, frozen=True, omit_defaults=True):
    """player    who proposed it, here and below; `proposal` is its version, None where it took effect at once
    options   all that are in force now
    seats     seat names in seat order, those that these options give
    position  the beginning, in the lobby; None for the game's own
    record    the record that the match will go on from, in the lobby
    saved     seat → who had it in the match that the record is of, where the rule book keeps it for them
    prepared  in the lobby: the seats that stay prepared. None: all of them, unless the seats change (0.1 wrote that)
    """

    options: dict[str, object]
    seats: list[str]
    player: Player
    proposal: int | None = None
    position: dict[str, object] | None = None
    record: dict[str, object] | None = None
    saved: dict[str, Player] = {}
    prepared: list[str] | None = None


class TimeTravelled(Struct, frozen=True, omit_defaults=True):
    """The state after event `to` is current again. `seed_commitment`: set if the old seed is known.
    `ending`: set if it is over. `bots`: commitments to new seeds of house bots, as in MatchCreated."""

    to: int
    player: Player | None = None
    proposal: int | None = None
    seed_commitment: str | None = None
    ending: Ending | None = None
    bots: dict[str, str] = {}


class PositionEdited(Struct, frozen=True, omit_defaults=True):
    """The match goes on from here as a new one; the draws of that start stand beside it. `bots` as above."""

    position: dict[str, object]
    player: Player
    proposal: int | None = None
    seed_commitment: str | None = None
    bots: dict[str, str] = {}


class BecameCompetitive(Struct, frozen=True, omit_defaults=True):
    """setup_seconds  those of the match from now on; None where they stay
    uncounted      as in MatchStarted, where that has been
    """

    player: Player
    proposal: int | None = None
    setup_seconds: int | None = None
    uncounted: list[str] = []


class RematchAgreed(Struct, frozen=True, omit_defaults=True):
    match: str
    player: Player
    proposal: int | None = None


class MatchAborted(Struct, frozen=True, omit_defaults=True):
    """`reason` abandoned: by the server, nobody having come to the lobby for long; nobody_ready: by the server, no
    seat being ready when the time for setting up was over; declined: nobody whom the maker challenged plays. None: by
    its players."""

    player: Player | None = None
    proposal: int | None = None
    reason: Literal["abandoned", "nobody_ready", "declined"] | None = None


Body = (
    MatchCreated
    | PlayerJoined
    | SeatsAssigned
    | SeatTaken
    | SeatLeft
    | SeatPrepared
    | ChallengeDeclined
    | MatchStarted
    | ActionTaken
    | ProposalMade
    | ProposalAccepted
    | ProposalRejected
    | OptionsChanged
    | TimeTravelled
    | PositionEdited
    | BecameCompetitive
    | RematchAgreed
    | MatchAborted
)

BODIES: dict[str, type[Struct]] = {
    "match_created": MatchCreated,
    "player_joined": PlayerJoined,
    "seats_assigned": SeatsAssigned,
    "seat_taken": SeatTaken,
    "seat_left": SeatLeft,
    "seat_prepared": SeatPrepared,
    "challenge_declined": ChallengeDeclined,
    "match_started": MatchStarted,
    "action_taken": ActionTaken,
    "proposal_made": ProposalMade,
    "proposal_accepted": ProposalAccepted,
    "proposal_rejected": ProposalRejected,
    "options_changed": OptionsChanged,
    "time_travelled": TimeTravelled,
    "position_edited": PositionEdited,
    "became_competitive": BecameCompetitive,
    "rematch_agreed": RematchAgreed,
    "match_aborted": MatchAborted,
}
TYPES: dict[type[Struct], str] = {body: name for name, body in BODIES.items()}

_encoder = msgspec.json.Encoder(order="sorted")


def encode(value: object) -> bytes:
    """Canonical JSON: keys sorted, no spaces. What is stored, and what `chain` runs over."""
    return _encoder.encode(value)


class OpenProposal(Struct, frozen=True):
    """The open proposal. `version`, by which it is named, is that of its `proposal_made`."""

    version: int
    player: Player
    proposal: dict[str, object]
    accepted: tuple[str, ...] = ()


class Reader(Struct, frozen=True):
    """A reader, and the seats whose knowledge he has. Two readers with equal `seats` get the same bytes of a match;
    only two things depend on `player` himself: his own proposal's Position, and whether he may know a private match.

    seats   those whose knowledge he has, in seat order; empty: a spectator
    player  id, None for a stranger
    """

    seats: tuple[str, ...] = ()
    player: str | None = None


STRANGER = Reader()
"""Is shown what everybody may know."""
