"""What a command leads to: one function per command, from a draft's head to one event on it, or a refusal.

Plain functions: no I/O, no clock, no randomness but what the draft hands in.
"""

import hashlib
import hmac
from collections.abc import Mapping, Set
from typing import Any

from msgspec.structs import replace

import warlog_core
from warlog_core import State

from ..errors import (
    AlreadyDisclosed,
    Competitive,
    NotYourSeat,
    SeatTaken,
    UnknownMatch,
    UnknownSeat,
    WrongInvitation,
    WrongStatus,
    explained,
    named,
    refused,
)
from . import policy
from .commands import Act, AnyCommand, Join, LeaveSeat, Prepare, TakeSeat
from .draft import Draft
from .fold import SPENT, with_wish
from .match import Match
from .model import (
    SERVER,
    ActionTaken,
    MatchAborted,
    MatchStarted,
    Player,
    PlayerJoined,
    SeatLeft,
    SeatPrepared,
    SeatsAssigned,
)
from .model import SeatTaken as SeatWasTaken
from .records import replay_record
from .replay import start_of
from .seating import assign, draw_from
from .stakes import filled, why_uncounted


def invitation_hash(secret: str) -> str:
    """What is stored of an invitation."""
    return hashlib.sha256(secret.encode()).hexdigest()


_WHEN = {"lobby": "before the start", "playing": "while a match is running", "finished": "after the end"}
_IS = {"lobby": "has not started", "playing": "is running", "finished": "is over", "aborted": "was aborted"}


def need_status(match: Match, *allowed: str) -> None:
    """Raises WrongStatus unless the match is in one of these."""
    if match.fold.status not in allowed:
        when = " or ".join(_WHEN[status] for status in allowed)
        detail = f"This is possible only {when}; this match {_IS[match.status]}."
        raise WrongStatus(detail, version=match.version)


def act(draft: Draft, command: Act, player: Player) -> None:
    """A seat acts. The rule book decides, `match_over` first."""
    match = draft.match
    match.check_seat(player.id, command.seat)
    need_status(match, "playing", "finished")
    _take_action(draft, match, command.seat, command.action)


def act_as_server(draft: Draft, action: dict[str, object]) -> None:
    """The server's own actions: `timeout` and the like."""
    match = draft.match
    need_status(match, "playing")
    _take_action(draft, match, SERVER, action)


def end_setup(draft: Draft, now_ms: int) -> None:
    """The time for setting up is over for some seats. If no seat is ready, the match is aborted. Otherwise the first
    late seat, in seat order, is out: by the game's `timeout`, or by `flee` where this phase has no `timeout`."""
    match, state = draft.match, draft.match.state
    assert state is not None
    waiting = state.to_act
    late = [seat for seat in waiting if match.deadlines.get(seat, now_ms) < now_ms]
    if late == waiting and not any(_way_out(state, seat) for seat in match.seats if seat not in waiting):
        draft.write(MatchAborted(reason="nobody_ready"))
    elif late:
        act_as_server(draft, _way_out(state, late[0]) or {"type": "timeout", "seat": late[0]})


def _way_out(state: State, seat: str) -> dict[str, object] | None:
    """The action with which the server takes a seat out of the match; None for a seat that is out."""
    for kind in ("timeout", "flee"):
        action: dict[str, object] = {"type": kind, "seat": seat}
        if state.check(SERVER, action) is None:
            return action
    return None


def _take_action(draft: Draft, match: Match, actor: str, action: object) -> None:
    assert match.state is not None
    try:
        state, resolved = match.state.after(actor, action, draft.draw)
    except warlog_core.Refused as error:
        why = match.state.explain(actor, action, error.code)
        raise explained(error.code, why, at="/action", version=match.version) from error
    taken = resolved.action if actor == SERVER else resolved.struct()
    body = ActionTaken(taken, None if state.result is None else draft.ending(state))
    draft.write(body, seat=actor, draws=resolved.draws, state=state, resolved=resolved)


def prepare(draft: Draft, command: Prepare, player: Player) -> None:
    """A seat is content. The last one starts the match, and that is then the event."""
    match = draft.match
    need_status(match, "lobby")
    match.check_seat(player.id, command.seat)
    prepared = {*match.fold.prepared, command.seat}
    if command.seat in match.fold.prepared:
        raise WrongStatus(f"The seat {command.seat} is prepared already.", version=match.version)
    if prepared == set(match.seats) == set(match.holders):
        check_secret(match, {holder.id for holder in match.holders.values()})
        start(draft, player, seat=command.seat)
    else:
        draft.write(SeatPrepared(), seat=command.seat)


def start(draft: Draft, player: Player, *, seat: str = "") -> None:
    """The start of the match: from the options and the Position agreed, or from a record, which is then appended
    whole. Raises AccountsNeeded."""
    match, fold = draft.match, draft.match.fold
    if fold.record is not None:
        replay_record(draft, fold.record, player, seat=seat)
        return
    beginning = (draft.game, fold.options, fold.position, fold.mode, fold.holders, draft.brought)
    added, uncounted = filled(*beginning), why_uncounted(*beginning)
    try:
        state = start_of(draft.game, fold.options, added, fold.position, draft.draw)
    except warlog_core.Refused as error:
        raise refused(error, version=match.version) from error
    assert state.started is not None
    body = MatchStarted(added, uncounted=uncounted)
    draft.write(body, seat=seat, draws=state.started.draws, state=state, resolved=state.started)


def check_known(match: Match, command: AnyCommand, player: Player) -> None:
    """Before anything else is said of a match: who has the invitation to a seat may know a private one, too. Raises
    UnknownMatch."""
    if match.fold.visibility == "public":
        return
    if not match.may_know(player.id) and not (isinstance(command, TakeSeat) and _invited(match, command)):
        raise UnknownMatch()


def _invited(match: Match, command: TakeSeat) -> bool:
    invitation = match.fold.invitations.get(command.seat, SPENT)
    return invitation != SPENT and hmac.compare_digest(invitation, invitation_hash(command.invitation))


def take_seat(draft: Draft, command: TakeSeat, player: Player) -> None:
    """A player sits down."""
    match = draft.match
    if command.seat not in match.seats:
        raise UnknownSeat(f"This match has no seat {named(command.seat)}.", version=match.version)
    need_status(match, "lobby")
    if match.seating == "wish":
        raise WrongStatus("In this match seats are assigned by wish; join it instead.", version=match.version)
    if command.seat in match.holders:
        raise SeatTaken(f"The seat {command.seat} is taken.", version=match.version)
    if command.seat in match.fold.invitations and not _invited(match, command):
        # Nobody can be invited any more to a seat whose invitation was used, and which was left: it is the creator's.
        spent = match.fold.invitations[command.seat] == SPENT
        if not spent or player.id != match.fold.creator.id:
            detail = (
                "The invitation to this seat has been used."
                if spent
                else "This seat can only be taken with its invitation."
            )
            raise WrongInvitation(detail, version=match.version)
    holders = {**match.holders, command.seat: player}
    check_sides(match, holders, match.fold.options, match.fold.position, match.mode)
    check_secret(match, {player.id})
    check_saved(match, match.fold.saved, holders)
    draft.write(SeatWasTaken(player), seat=command.seat)


def leave_seat(draft: Draft, command: LeaveSeat, player: Player) -> None:
    """In the lobby the seat is free again. Who leaves a running match flees, where its rules know that."""
    match = draft.match
    match.check_seat(player.id, command.seat)
    if match.flee_seconds is not None:
        act_as_server(draft, {"type": "flee", "seat": command.seat})
        return
    need_status(match, "lobby")
    draft.write(SeatLeft(), seat=command.seat)


def join(draft: Draft, command: Join, player: Player) -> None:
    """A player joins with a wish. When as many wait as there are free seats, they are seated.

    Other options may have left as many or more waiting: then whoever joins again brings the first of them to
    their seats."""
    match, fold = draft.match, draft.match.fold
    need_status(match, "lobby")
    if match.seating != "wish":
        raise WrongStatus(
            "In this match players take their seats themselves, without wishes.", version=match.version
        )
    if command.wish is not None and command.wish not in match.seats:
        raise UnknownSeat(
            f"This match has no seat {named(command.wish)}.", version=match.version, path="/wish"
        )
    seated = {holder.id for holder in match.holders.values()}
    if player.id in seated:
        raise SeatTaken("You have a seat in this match already.", version=match.version)
    check_secret(match, {player.id})
    check_saved(match, fold.saved, {}, {player.id})
    free = [seat for seat in match.seats if seat not in match.holders]
    waiting = with_wish(
        (entry for entry in fold.joined if entry.player.id not in seated), player, command.wish
    )
    if player not in [entry.player for entry in waiting[: len(free)]]:
        left = "is taken" if not free else "is for those who joined before you, when one of them joins again"
        raise SeatTaken(f"Every seat {left}.", version=match.version)
    waiting = waiting[: len(free)]
    if len(waiting) < len(free):
        draft.write(PlayerJoined(player, command.wish))
        return
    if fold.saved:
        seats = {holder.id: seat for seat, holder in fold.saved.items()}
        waiting = [replace(entry, wish=seats[entry.player.id]) for entry in waiting]
    given, draws = assign(free, waiting, draw_from(draft.draw))
    holders = {**match.holders, **given}
    in_order = {seat: holders[seat] for seat in match.seats if seat in holders}
    draft.write(SeatsAssigned(player, in_order, command.wish), draws=draws)


def check_sides(
    match: Match | None,
    holders: Mapping[str, Player],
    options: Mapping[str, Any],
    position: Mapping[str, Any] | None,
    mode: str,
    game: warlog_core.Game | None = None,
) -> None:
    """Competitive: nobody holds seats of two sides. Raises Competitive. `game` where there is no match yet."""
    if mode != "competitive" or len({player.id for player in holders.values()}) == len(holders):
        return
    rules = game if match is None else match.game
    assert rules is not None
    if policy.competitive_hot_seat(rules) and len({player.id for player in holders.values()}) == 1:
        return
    sides = policy.sides(rules, options, position)
    side_of: dict[str, int] = {}
    for seat, player in holders.items():
        if side_of.setdefault(player.id, sides[seat]) != sides[seat]:
            version = None if match is None else match.version
            raise Competitive(
                "In a competitive match a player holds seats of one side only.", version=version
            )


def check_secret(match: Match, players: Set[str]) -> None:
    """May these players (ids) hold seats, with the beginning that the match has? Raises AlreadyDisclosed."""
    if match.mode == "competitive":
        check_unknown(match.game, match.fold.position, {match.fold.editor}, players, match.version)


def check_saved(
    match: Match, saved: Mapping[str, Player], holders: Mapping[str, Player], waiting: Set[str] = frozenset()
) -> None:
    """A saved match that a rule book keeps for its players is theirs alone, each in the seat that he had (wec 6.6).
    `waiting`: ids of those who will have some seat. Raises NotYourSeat."""
    known = {holder.id for holder in saved.values()}
    if any(saved.get(seat, holder).id != holder.id for seat, holder in holders.items()) or (
        saved and not waiting <= known
    ):
        raise NotYourSeat(
            "A saved match is only for its own players, each in his own seat.", version=match.version
        )


def check_unknown(
    game: warlog_core.Game,
    position: Mapping[str, object] | None,
    known_to: Set[str],
    players: Set[str],
    version: int | None,
) -> None:
    """A competitive match from a valid Position that hides something: whoever knows that has no seat. Ids of players.

    Where the book lets the players themselves propose Positions for one (wec 6.6), both know that when they agree.
    Raises AlreadyDisclosed."""
    if policy.positions_are_agreed_on(game):
        return
    if position is not None and not known_to.isdisjoint(players):
        if not policy.position_is_open(game, position):
            raise AlreadyDisclosed(
                "The player of a seat knows what this Position is to hide from the others.", version=version
            )


def need_holder(match: Match, player: Player) -> None:
    """Proposals are for those who sit at the table; in the lobby also for who set it. Raises NotYourSeat."""
    if match.seats_of(player.id):
        return
    if match.status == "lobby" and match.fold.creator.id == player.id:
        return
    raise NotYourSeat("Only players with a seat may propose, accept or reject.", version=match.version)
