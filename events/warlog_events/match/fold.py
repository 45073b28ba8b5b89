"""What the events say of a match, without the rules: who sits where, what is proposed, how it stands.

`evolve` is one step of the fold. It is total: a stored event was accepted once and cannot be refused any more.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

import msgspec
from msgspec.structs import replace

from .bots import HOUSE
from .model import (
    SERVER,
    ActionTaken,
    BecameCompetitive,
    Body,
    ChallengeDeclined,
    Ending,
    MatchAborted,
    MatchCreated,
    MatchStarted,
    Mode,
    OpenProposal,
    OptionsChanged,
    Player,
    PlayerJoined,
    PositionEdited,
    ProposalAccepted,
    ProposalMade,
    ProposalRejected,
    RematchAgreed,
    Result,
    SeatLeft,
    SeatPrepared,
    SeatsAssigned,
    SeatTaken,
    Status,
    TimeTravelled,
)
from .stored import StoredEvent

SPENT = ""  # in place of the hash of an invitation with which somebody has sat down


class Joined(msgspec.Struct, frozen=True):
    player: Player
    wish: str | None


class Fold(msgspec.Struct, frozen=True, kw_only=True):
    """hash             the core state's, "" before the start
    started_version  of `match_started`, 0 before; started_at: its time in ms
    imported_until   events up to here came with a record: their draws have no seed of ours
    record           in the lobby: what the match will go on from
    saved            seat → its only player
    editor           id of the player from whom `position` is
    seed             commitment of the newest seed on the current line
    published        commitments whose seeds are known to all
    invitations      seat → hash of the secret that it takes, SPENT once it was used
    fled             seats whose players left a match that was going on, or were away for too long
    proposal_bytes   of the events so far that carry what somebody sent: a Position, options, a record
    uncounted        why the match moves no points and no gold, whatever its settlement says
    bots             seats of house bots → the commitment to each one's seed in force
    bot_seeds        commitment → seed in hex, of house bots, as far as they are known to all
    given            seats that the maker of the match gave to other people
    challenged       those of them whose players have not answered
    declined         why the last of these were left, "" where nobody said so
    """

    match: str
    game: str
    rules_version: int
    creator: Player
    seed: str
    mode: Mode
    consent: Literal["all", "none"]
    move_seconds: int
    visibility: Literal["public", "private"]
    seating: Literal["direct", "wish"]
    seats: tuple[str, ...]
    options: dict[str, object]
    created_at: int
    updated_at: int
    version: int
    chain: str
    hash: str = ""
    status: Status = "lobby"
    position: dict[str, object] | None = None
    record: dict[str, object] | None = None
    saved: dict[str, Player] = {}
    editor: str = ""
    imported: str | None = None
    rematch_of: str | None = None
    rematch: str | None = None
    holders: dict[str, Player] = {}
    invitations: dict[str, str] = {}
    prepared: tuple[str, ...] = ()
    joined: tuple[Joined, ...] = ()
    filled: dict[str, object] = {}
    proposal: OpenProposal | None = None
    result: Result | None = None
    settlement: dict[str, object] | None = None
    fled: tuple[str, ...] = ()
    started_version: int = msgspec.field(default=0, name="started")  # its name in snapshots
    started_at: int = 0
    imported_until: int = 0
    published: frozenset[str] = frozenset()
    setup_seconds: int = 0
    open_record: bool = False
    uncounted: tuple[str, ...] = ()
    proposal_bytes: int = msgspec.field(default=0, name="carried")
    bots: dict[str, str] = {}
    bot_seeds: dict[str, str] = {}
    given: tuple[str, ...] = ()
    challenged: tuple[str, ...] = ()
    declined: str = ""


def created(match_id: str, stored: StoredEvent, body: MatchCreated) -> Fold:
    """The first event of every match."""
    given = _given(body)
    return Fold(
        match=match_id,
        game=body.game,
        rules_version=body.rules_version,
        creator=body.creator,
        seed=body.seed_commitment,
        mode=body.mode,
        consent=body.consent,
        move_seconds=body.move_seconds,
        visibility=body.visibility,
        seating=body.seating,
        seats=tuple(body.seats),
        options=body.options,
        position=body.position,
        editor=body.creator.id,
        holders=body.holders,
        invitations=body.invitations,
        prepared=tuple(body.prepared),
        imported=body.imported,
        rematch_of=body.rematch_of,
        setup_seconds=body.setup_seconds,
        open_record=body.open_record,
        bots=body.bots,
        given=given,
        challenged=given,
        created_at=stored.at,
        updated_at=stored.at,
        version=stored.version,
        chain=stored.chain,
    )


def _given(body: MatchCreated) -> tuple[str, ...]:
    """In a rematch everybody has agreed before."""
    if body.rematch_of is not None:
        return ()
    agreed = {body.creator.id, *HOUSE}
    return tuple(
        seat
        for seat in body.seats
        if seat in body.holders and body.holders[seat].id not in agreed and seat not in body.prepared
    )


def evolve(fold: Fold, stored: StoredEvent, body: Body, *, options: dict[str, object], seed: str) -> Fold:
    """The match after one more event. `options`, `seed`: those on the line that is current after it (the
    timeline knows)."""
    fold = replace(
        fold,
        version=stored.version,
        chain=stored.chain,
        hash=stored.hash,
        updated_at=stored.at,
        seed=seed,
    )
    if isinstance(body, ActionTaken):  # by far the most; the statement below would look longer
        if stored.seat == SERVER and body.action.get("type") == "flee":
            fold = replace(fold, fled=(*fold.fled, str(body.action["seat"])))
        if fold.proposal is not None:
            fold = replace(fold, proposal=None)
        return fold if body.ending is None else _ended(fold, body.ending)
    if isinstance(body, ProposalMade | OptionsChanged | PositionEdited):
        fold = replace(fold, proposal_bytes=fold.proposal_bytes + len(stored.body))
    match body:
        case ProposalMade(proposal=proposal, player=player):
            return replace(fold, proposal=OpenProposal(stored.version, player, proposal))
        case ProposalAccepted(player=player) if fold.proposal is not None:
            accepted = (*fold.proposal.accepted, player.id)
            return replace(fold, proposal=replace(fold.proposal, accepted=accepted))
        case ProposalRejected():
            return replace(fold, proposal=None)
        case TimeTravelled(ending=ending, bots=bots):
            fold = replace(
                fold, proposal=None, status="playing", result=None, settlement=None, options=options
            )
            return _ended(_recommitted(fold, bots), ending)
        case PositionEdited(bots=bots):
            fold = replace(fold, proposal=None, status="playing", result=None, settlement=None)
            return _recommitted(fold, bots)
        case OptionsChanged():
            return _options_changed(replace(fold, proposal=None), body)
        case MatchStarted(filled=filled, imported_until=imported_until, uncounted=uncounted):
            return replace(
                fold,
                proposal=None,
                status="playing",
                started_version=stored.version,
                started_at=stored.at,
                filled=filled,
                record=None,
                saved={},
                imported_until=imported_until,
                uncounted=tuple(uncounted),
                challenged=(),
            )
        case SeatPrepared():
            return _answered(replace(fold, prepared=(*fold.prepared, stored.seat)), [stored.seat])
        case ChallengeDeclined(seats=seats, reason=reason):
            holders = {seat: player for seat, player in fold.holders.items() if seat not in seats}
            return replace(_answered(_seated(fold, holders), seats), declined=reason)
        case SeatTaken(player=player, bot=bot):
            if stored.seat in fold.invitations:
                fold = replace(fold, invitations={**fold.invitations, stored.seat: SPENT})
            fold = _seated(fold, {**fold.holders, stored.seat: player})
            if bot is None:
                return fold
            prepared = (*fold.prepared, stored.seat)
            return replace(fold, prepared=prepared, bots={**fold.bots, stored.seat: bot})
        case SeatLeft():
            gone = fold.holders.get(stored.seat)
            holders = {seat: player for seat, player in fold.holders.items() if seat != stored.seat}
            joined = tuple(entry for entry in fold.joined if gone is None or entry.player.id != gone.id)
            if stored.seat in fold.bots:
                fold = replace(fold, bots=_without(fold.bots, stored.seat))
            return _answered(replace(_seated(fold, holders), joined=joined, declined=""), [stored.seat])
        case PlayerJoined(player=player, wish=wish):
            return replace(fold, joined=tuple(with_wish(fold.joined, player, wish)))
        case SeatsAssigned(player=player, holders=holders, wish=wish):
            return replace(_seated(fold, holders), joined=tuple(with_wish(fold.joined, player, wish)))
        case BecameCompetitive(setup_seconds=seconds, uncounted=uncounted):
            seconds = fold.setup_seconds if seconds is None else seconds
            return replace(
                fold,
                proposal=None,
                mode="competitive",
                setup_seconds=seconds,
                open_record=False,
                uncounted=tuple(uncounted),
            )
        case RematchAgreed(match=match):
            return replace(fold, proposal=None, rematch=match)
        case MatchAborted():
            return replace(fold, proposal=None, status="aborted", challenged=())
    return fold


def _ended(fold: Fold, ending: Ending | None) -> Fold:
    if ending is None:
        return fold
    published = fold.published.union(ending.seeds)
    if fold.bots:
        known = {name: ending.seeds[name] for name in fold.bots.values() if name in ending.seeds}
        fold = replace(fold, bot_seeds={**fold.bot_seeds, **known})
    return replace(
        fold,
        status="finished",
        result=ending.result,
        settlement=ending.settlement,
        published=published,
    )


def _answered(fold: Fold, seats: Collection[str]) -> Fold:
    """Nobody waits any more for an answer of these seats' players."""
    if fold.challenged and not set(seats).isdisjoint(fold.challenged):
        return replace(fold, challenged=tuple(seat for seat in fold.challenged if seat not in seats))
    return fold


def _recommitted(fold: Fold, bots: Mapping[str, str]) -> Fold:
    return replace(fold, bots={**fold.bots, **bots}) if bots else fold


def _without(bots: Mapping[str, str], gone: str) -> dict[str, str]:
    return {seat: name for seat, name in bots.items() if seat != gone}


def _seated(fold: Fold, holders: dict[str, Player]) -> Fold:
    """New holders of seats: those that changed hands are unprepared, and the open proposal lapses."""
    prepared = tuple(seat for seat in fold.prepared if _id(fold.holders, seat) == _id(holders, seat))
    return replace(fold, holders=holders, prepared=prepared, proposal=None)


def _id(holders: Mapping[str, Player], seat: str) -> str | None:
    """Who holds the seat. Names may be unknown, so that ids alone are compared."""
    return holders[seat].id if seat in holders else None


def with_wish(joined: Iterable[Joined], player: Player, wish: str | None) -> list[Joined]:
    """Those who joined, with this player's wish. Who joins again keeps his place in the order."""
    mine = Joined(player, wish)
    found = [mine if entry.player.id == player.id else entry for entry in joined]
    return found if mine in found else [*found, mine]


def _options_changed(fold: Fold, body: OptionsChanged) -> Fold:
    """Seats that vanish are emptied, and nobody is prepared any more, when the seats are others than before. Else those
    stay prepared of which the event says so."""
    fold = replace(fold, options=body.options)
    if fold.started_version:
        return fold
    if body.position != fold.position:
        fold = replace(fold, position=body.position, editor=body.player.id)
    fold = replace(fold, record=body.record, saved=body.saved)
    seats = tuple(body.seats)
    if seats == fold.seats:
        return fold if body.prepared is None else replace(fold, prepared=tuple(body.prepared))
    holders = {seat: player for seat, player in fold.holders.items() if seat in seats}
    invitations = {seat: secret for seat, secret in fold.invitations.items() if seat in seats}
    bots = {seat: name for seat, name in fold.bots.items() if seat in seats}
    fold = replace(fold, seats=seats, holders=holders, invitations=invitations, bots=bots)
    fold = _answered(fold, set(fold.challenged).difference(seats))
    return replace(fold, prepared=tuple(bots))
